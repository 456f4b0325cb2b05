#!/usr/bin/env python3
"""test_completions.py: the completions work in bash, zsh and fish.

Each shell is asked as it asks itself when a user presses Tab: bash through its completion
function, zsh in a separate terminal (zpty), fish with `complete -C`. A shell that is not
installed is skipped.
"""
# SPDX-License-Identifier: MIT

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARE = ROOT / "share"
FILES = ["robot.bplx", "robot.json", "notes.txt", "my model.bplx", "hero.fbx", "heroine.FBX",
         "hero.mesh.xml", "hero.xml"]

# What is typed, what must be offered, and what must not.
CASES = [
    ("tenon con", ["convert"], ["check"]),
    ("tenon ", ["info", "check", "convert", "map", "dump", "build", "formats"], []),
    ("tenon convert --fo", ["--force"], ["--from"]),
    ("tenon info --from bp", ["bplx"], ["gpb"]),
    ("tenon convert --as scr", ["script"], ["document"]),
    ("tenon info --color ", ["auto", "never", "always"], []),
    ("tenon info rob", ["robot.bplx"], ["robot.json", "notes.txt"]),
    ("tenon validate rob", ["robot.bplx"], ["robot.json"]),
    ("tenon recover rob", ["robot.bplx"], ["robot.json"]),
    ("tenon build rob", ["robot.json"], ["robot.bplx"]),
    ("tenon convert her", ["hero.fbx", "heroine.FBX", "hero.mesh.xml"], ["hero.xml"]),
    ("tenon check hero.m", ["hero.mesh.xml"], []),
    ("tenon map her", ["hero.fbx"], ["hero.mesh.xml"]),
    ("tenon check --profile ", ["bbmod", "gameplay", "beowolf", "coreengine"], []),
    ("tenon convert --normals ", ["never", "missing", "smooth", "flat"], []),
    ("tenon convert --drop nor", ["normals"], ["uvs"]),
    ("tenon help con", ["convert"], ["check"]),
]

BASH = r"""
source "$1/tenon.bash"
COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
_tenon 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"
"""

ZSH = r"""
zmodload zsh/zpty
zpty -b shell zsh -f -i
zpty -w shell 'PS1= PS2=; unsetopt zle_bracketed_paste 2>/dev/null; stty -echo columns 400 rows 100'
zpty -w shell 'fpath=('$1' $fpath); autoload -Uz compinit; compinit -u -d '$3'/dump'
zpty -w shell 'zstyle ":completion:*" list-prompt ""; zstyle ":completion:*" menu no'
zpty -w shell 'LISTMAX=1000; bindkey "^I" list-choices; setopt auto_list no_list_ambiguous'
zpty -w shell 'print READY'
zpty -r -m shell got '*READY*' || exit 1
zpty -w -n shell "$2"$'\t'
# Suggestions come at once, or after a while on a busy machine; then it is quiet.
integer quiet=0 turn
for turn in {1..120}; do
    if zpty -r -t shell got; then print -rn -- $got; quiet=0; else quiet+=1; fi
    (( quiet >= 20 )) && break
    sleep 0.1
done
zpty -d shell
"""


def in_scratch(command):
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            Path(folder, name).touch()
        environment = dict(os.environ, HOME=folder, XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder,
                           TERM="dumb")
        command = [c.replace("@SCRATCH@", folder) for c in command]
        done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=1800)
        return done.stdout


class Shells(unittest.TestCase):
    def ask(self, shell, typed):
        if shell == "bash":
            out = in_scratch(["bash", "--norc", "-c", BASH, "bash", str(SHARE), typed])
        elif shell == "zsh":
            out = in_scratch(["zsh", "-f", "-c", ZSH, "zsh", str(SHARE), typed, "@SCRATCH@"])
        else:
            script = f"source {SHARE}/tenon.fish; complete -C \"{typed}\""
            out = in_scratch(["fish", "--no-config", "-c", script])
        return out

    def offers(self, shell):
        if not shutil.which(shell):
            print(f"skipped: {shell} is not installed", file=sys.stderr)
            self.skipTest(f"{shell} is not installed")
        for typed, wanted, unwanted in CASES:
            with self.subTest(shell=shell, typed=typed):
                words = self.ask(shell, typed).replace("\\ ", "_").split()
                for word in wanted:
                    self.assertIn(word, words)
                for word in unwanted:
                    self.assertNotIn(word, words)

    def test_bash(self):
        self.offers("bash")

    def test_zsh(self):
        self.offers("zsh")

    def test_fish(self):
        self.offers("fish")

    def test_a_list_goes_on_after_a_comma(self):
        for shell, before in (("bash", "normals,"), ("zsh", ""), ("fish", "normals,")):
            if shutil.which(shell):
                words = self.ask(shell, "tenon convert --drop normals,uv").split()
                self.assertIn(before + "uvs", words, shell)
                self.assertIn(before + "uv2", words, shell)

    def test_bash_completes_a_dialect_after_its_colon(self):
        self.assertIn("script", self.ask("bash", "tenon info --from bplx:sc").split())
        self.assertIn("bplx", self.ask("bash", "tenon info --from=bp").split())

    def test_help_names_the_values_of_every_list(self):
        tool = os.environ.get("TENON") or str(ROOT / "build/release/tenon")
        done = subprocess.run([tool, "help", "--json"], capture_output=True, text=True, check=True)
        for command in map(json.loads, done.stdout.splitlines()):
            for option in command["options"]:
                for choice in option.get("choices", []):
                    with self.subTest(command=command["name"], option=option["long"]):
                        self.assertRegex(option["help"] + " " + option["metavar"], rf"\b{choice}\b")


if __name__ == "__main__":
    unittest.main()
