#!/usr/bin/env python3
"""run_web.py: the tests of the npm package, installed from its archive in an empty folder.

Usage: run_web.py BUILD build|PART [OPTION...]

`build` makes the package and installs it in BUILD/web/installed; the tests in test_PART.mjs, which
get the options, use that. `node18` runs some of them with the oldest Node that the package is for,
which npm installs. What is missing is named, and the test skipped.
"""
# SPDX-License-Identifier: MIT

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SKIPPED = 77
OLDEST = ROOT / "tests/web/node18"


def skip(why):
    print("skipped: %s" % why)
    return SKIPPED


def lacks_node():
    """Why the tests cannot run, or None."""
    if not shutil.which("node"):
        return "Node is not installed"
    version = subprocess.run(["node", "-p", "process.versions.node"], capture_output=True,
                             text=True, check=True).stdout
    return None if int(version.split(".")[0]) >= 18 else "Node 18 is needed, this is " + version


def build(folder):
    installed = folder / "web/installed"
    shutil.rmtree(installed, ignore_errors=True)
    done = subprocess.run([sys.executable, "-B", ROOT / "tools/build_web.py", "--jobs", "2",
                           "--build", folder / "web"], capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr, end="")
    if done.returncode == 3:
        return skip(done.stdout.strip())
    if done.returncode:
        return 1
    installed.mkdir(parents=True)
    (installed / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    archive = Path(done.stdout.strip()).resolve()
    return subprocess.run(["npm", "install", "--offline", "--no-audit", "--no-fund", "--silent",
                           str(archive)], cwd=installed, check=False).returncode


def run_part(node, part, options, environment):
    return subprocess.run([node, "--test-reporter=spec", "--expose-gc",
                           ROOT / ("tests/web/test_%s.mjs" % part), *options],
                          env=environment, check=False).returncode


def run_oldest(environment):
    done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=OLDEST,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    found = sorted(OLDEST.glob("node_modules/node-*/bin/node"))
    if done.returncode or not found:
        return skip("Node 18 could not be installed from npm")
    version = subprocess.run([found[0], "--version"], capture_output=True, text=True, check=True)
    print("Node %s" % version.stdout.strip())
    if not version.stdout.startswith("v18."):
        return 1
    return max(run_part(found[0], part, [], environment)
               for part in ("api", "cli", "readme", "same"))


def main(words):
    folder, part = Path(words[0]).resolve(), words[1]
    reason = lacks_node()
    if reason:
        return skip(reason)
    if part == "build":
        return build(folder)
    installed = folder / "web/installed"
    if not (installed / "node_modules/tenon").is_dir():
        return skip("the package was not built: python3 tools/build_web.py says why")
    environment = dict(os.environ, TENON_PACKAGE=str(installed))
    if part == "node18":
        return run_oldest(environment)
    return run_part("node", part, words[2:], environment)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
