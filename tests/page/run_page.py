#!/usr/bin/env python3
"""run_page.py: the tests of the page, in a browser.

Usage: run_page.py BUILD build|pictures|PART [--long]

`build` makes the page, BUILD/page/tenon.html, and installs what drives the browser; the tests in
test_PART.mjs use that, and `pictures` takes those of the documents. What is missing is named, and
the test skipped.
"""
# SPDX-License-Identifier: MIT

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tests/page"
BROWSER = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SKIPPED = 77


def skip(why):
    print("skipped: %s" % why)
    return SKIPPED


def build(folder):
    done = subprocess.run([sys.executable, "-B", ROOT / "tools/build_page.py", "--jobs", "2",
                           "--build", folder / "page"], capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr, end="")
    if done.returncode == 3:
        return skip(done.stdout.strip())
    if done.returncode:
        return 1
    checked = subprocess.run(["node", ROOT / "web/page/node_modules/typescript/bin/tsc", "--noEmit",
                              "-p", ROOT / "web/page"], check=False)
    if checked.returncode:
        return 1
    done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=HERE,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return 0 if done.returncode == 0 else skip("playwright-core could not be installed")


def main(words):
    folder, part = Path(words[0]).resolve(), words[1]
    if not shutil.which("node"):
        return skip("Node is not installed")
    if part == "build":
        return build(folder)
    if not Path(BROWSER).exists():
        return skip("%s is not installed" % BROWSER)
    page = folder / "page/tenon.html"
    if not page.exists() or not (HERE / "node_modules/playwright-core").is_dir():
        return skip("the page was not built: python3 tools/build_page.py says why")
    environment = dict(os.environ, TENON_PAGE=str(page), CHROMIUM=BROWSER)
    if "--long" in words:
        environment["TENON_LONG"] = "1"
    script = ["--test-reporter=spec", HERE / ("test_%s.mjs" % part)]
    if part == "pictures":
        script = [HERE / "pictures.mjs", ROOT / "docs/pictures"]
    return subprocess.run(["node", *script], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
