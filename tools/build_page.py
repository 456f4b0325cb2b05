#!/usr/bin/env python3
"""build_page.py: the page that shows models in a browser, as one HTML file.

Usage: build_page.py [--build DIR] [--jobs N] [--list]

Writes DIR/tenon.html (build/page), which works from the disk and contains everything. The same
sources give the same bytes.

exit status: 1 if a step fails, 3 if something is missing; it is named, with the packages.
"""
# SPDX-License-Identifier: MIT

import argparse
import os
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


def main(words):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=cross.ROOT / "build/page", metavar="DIR")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--list", action="store_true", help="only say what is missing")
    options = parser.parse_args(words)
    lacks = cross.missing(needs())
    if lacks:
        print("missing: %s" % cross.install(lacks))
        return 3
    if options.list:
        return 0
    if not install():
        return 3
    module, page = options.build / "module", options.build / "tenon.html"
    try:
        build_web.build(module, options.jobs, "tenon_module")
        subprocess.run(["node", PAGE / "build.mjs", module / "tenon.wasm", page], check=True,
                       stdin=subprocess.DEVNULL)
    except subprocess.CalledProcessError as error:
        print("build_page.py: %s" % error, file=sys.stderr)
        return 1
    print(os.path.relpath(page))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
