#!/usr/bin/env python3
"""build_page.py: the page that shows models in a browser, as one HTML file.

Usage: build_page.py [--build DIR] [--jobs N] [--list]

Writes DIR/tenon.html (build/page), which works from the disk and contains everything, and DIR/site,
a folder for web servers. The same sources give the same bytes.

exit status: 1 if a step fails, 3 if something is missing; it is named, with the packages.
"""
# SPDX-License-Identifier: MIT

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import cross  # noqa: E402
import build_web  # noqa: E402

PAGE = cross.ROOT / "web/page"


def needs():
    return build_web.needs() + ("node",)


def install():
    """Install what the lockfile names, unless that was done since it changed."""
    lock, mark = PAGE / "package-lock.json", PAGE / "node_modules/.package-lock.json"
    if mark.exists() and mark.stat().st_mtime >= lock.stat().st_mtime:
        return True
    done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=PAGE,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print("missing: three and esbuild from npm, which 'npm ci' could not install: %s" %
              (done.stderr.strip().splitlines() or ["?"])[0])
    return done.returncode == 0


def make_page(folder, jobs):
    if not install():
        return None
    module = folder / "module"
    build_web.build(module, jobs, "tenon_module")
    build_web.run(["node", PAGE / "build.mjs", module / "tenon.wasm", folder])
    return folder / "tenon.html"


def main(words):
    return build_web.command(__doc__, cross.ROOT / "build/page", needs(), make_page, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
