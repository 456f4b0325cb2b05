#!/usr/bin/env python3
"""test_rules.py: every rule of `tenon check` reports bad files and does not report good ones.

The bad files are those of tests/bad, which run_bad.py applies the rules to. The good ones are the
fixtures and the samples.
"""
# SPDX-License-Identifier: MIT

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = Path(os.environ.get("TENON") or ROOT / "build/release/tenon").resolve()
TIMEOUT = 1800  # Seconds; only against hanging.
SUFFIXES = (".bbmod", ".bbanim", ".gpb", ".bmw", ".cem", ".cea", ".bplx", ".glb", ".gltf", ".obj",
            ".fbx")
FINDING = re.compile(r"^finding:[ ]*(\S+)[ ]+(\S+)", re.M)

# Fixtures that have errors on purpose, since reading and writing must keep them.
BITS = "every kind of float, to be kept bit by bit"
CHARACTERS = "sizes of names in characters, as some writers have them"
ERRORS = {
    "bbanim/3.4_float_bits.bbanim": (["bbanim/not-finite"], BITS),
    "bbanim/3.4_fraction.bbanim": (["bbanim/duration"], "half a frame in the duration"),
    "bbanim/3.4_spaces_0.bbanim": (["bbanim/spaces-none"], "all sets of spaces, so the empty one"),
    "bbanim/repeated_parent.bbanim": (["bbanim/broken-saver"], "what that saver wrote"),
    "bbmod/1b_unnamed.bbmod": (["bbmod/material-index"], "a model without names of materials"),
    "bbmod/3.4_float_bits.bbmod": (["bbmod/not-finite"], BITS),
    "bmw/R2a_uneven.bmw": (["bmw/animation-empty"], "animations of different sizes, one of none"),
    "bmw/R3_no_bones.bmw": (["bmw/animation-empty"], "an animation of nothing"),
    "bmw/R4_float_bits.bmw": (["bmw/not-finite"], BITS),
    "bmw/R4_no_bones.bmw": (["bmw/animation-empty"], "an animation of nothing"),
    "bplx/document_float_bits.bplx": (["bplx/not-finite"], BITS),
    "bplx/script_float_bits.bplx": (["bplx/not-finite"], BITS),
    "gltf/materials.gltf": (["gltf/picture-missing"], "a picture that only its name is needed of"),
    "gpb/1_2_odd_sizes.gpb": (["gpb/bind-pose-count", "gpb/index-size", "gpb/no-position",
                               "gpb/vertex-size"], "too few bytes for a vertex and more"),
    "gpb/1_5_false_node.gpb": (["gpb/reference-target"], "a name is not that of a node"),
    "gpb/1_5_references.gpb": (["gpb/reference-empty", "gpb/reference-target"],
                               "references to anywhere"),
    "gpb/1_5_two_fonts.gpb": (["gpb/font-empty"], "the second font is as small as can be"),
    "modeldata/characters_full.cea": (["modeldata/character-count"], CHARACTERS),
    "modeldata/characters_map.cem": (["modeldata/character-count"], CHARACTERS),
    "modeldata/current_empty_skeleton.cea": (["modeldata/root-count"], "a skeleton of no joints"),
    "modeldata/current_float_bits.cem": (["modeldata/not-finite"], BITS),
    "modeldata/current_odd_arrays.cem": (["modeldata/element-size"], "arrays with a rest"),
    "modeldata/document-names-characters_flat.cea": (["modeldata/character-count"], CHARACTERS),
    "modeldata/legacy-characters_full.cea": (["modeldata/character-count"], CHARACTERS),
    "modeldata/legacy-characters_map.cem": (["modeldata/character-count",
                                             "modeldata/legacy-shape"], CHARACTERS),
    "modeldata/legacy_both.cem": (["modeldata/legacy-shape"], "sizes of the first releases"),
}


# -- What the tool prints

def ask(*args):
    """The JSON objects that the tool prints."""
    done = subprocess.run([TOOL, "check", "--json", *args], cwd=ROOT, capture_output=True,
                          text=True, timeout=TIMEOUT, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"tenon check {' '.join(args)}: exit status {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def models_in(folder):
    return [str(path.relative_to(ROOT)) for path in sorted((ROOT / folder).rglob("*"))
            if path.suffix in SUFFIXES]


def rules_found(report, severity=None):
    return {finding["rule"] for finding in report["findings"]
            if severity in (None, finding["severity"])}


RULES = {rule["rule"]: rule for rule in ask("--rules")}
PROFILES = sorted({rule["profile"] for rule in RULES.values() if "profile" in rule})
FIXTURES, SAMPLES = models_in("tests/fixtures"), models_in("samples")
REPORTS = {profile: ask(*([f"--profile={profile}"] if profile else []), *FIXTURES, *SAMPLES)
           for profile in (None, *PROFILES)}
SAMPLE_MOTIONS = [name for name in SAMPLES if name.endswith(".bbanim")]
REPORTS_WITH_MODEL = ask("--model=samples/crane.bbmod", "--profile=bbmod", *SAMPLE_MOTIONS)


def rules_of_bad_files():
    """How many bad files name each (severity, rule)."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "tests/bad").glob("*.txt"))
    return Counter(finding for text in texts for finding in set(FINDING.findall(text)))


def is_silent(rule):
    """Whether there is a file of the rule's format without errors that the rule does not report."""
    family = rule["rule"].partition("/")[0]
    reports = REPORTS[rule.get("profile")] + REPORTS_WITH_MODEL
    return any(family in ("file", report["format"]) and rule["rule"] not in rules_found(report)
               and report["errors"] == 0 for report in reports)


# The verbs that a fix begins with: a fix is something to do, not something to know.
VERBS = set("""
    add apply choose clear compute convert copy correct cut divide export give join keep leave let
    limit make merge move name number put remove rename repeat replace resample reverse round save
    say set shorten sort split store try turn use write
""".split())
CONVERSION = re.compile(r"convert with (--as|--refresh)(?: ([\w.-]+))?")


def is_repaired(file, rule, arguments, folder):
    """Whether a conversion gives a file that the rule does not report; None: it is refused."""
    output = Path(folder, "repaired").with_suffix(Path(file).suffix)
    done = subprocess.run([TOOL, "convert", "--force", file, str(output), *arguments], cwd=ROOT,
                          capture_output=True, timeout=TIMEOUT, check=False)
    if done.returncode:
        return None
    profile = [f"--profile={rule['profile']}"] if "profile" in rule else []
    return rule["rule"] not in rules_found(ask(*profile, str(output))[0])


# -- Tests

class Rules(unittest.TestCase):
    def test_every_fix_is_something_to_do(self):
        for name, rule in RULES.items():
            if "fix" in rule:
                self.assertIn(re.match(r"[a-z]*", rule["fix"])[0], VERBS, name)

    def test_conversions_that_fixes_name_repair_the_file(self):
        tried = set()
        with tempfile.TemporaryDirectory() as folder:
            for name, rule in RULES.items():
                named = CONVERSION.match(rule.get("fix", ""))
                reports = REPORTS[rule.get("profile")] if named else []
                files = [r["file"] for r in reports if name in rules_found(r)][:12]
                words = [w for w in named.groups() if w] if named else []
                repaired = [is_repaired(file, rule, words, folder) for file in files]
                if files:
                    self.assertIn(True, repaired, f"{name}: {files}")
                    self.assertNotIn(False, repaired, f"{name}: {files}")
                    tried.add(name)
        self.assertGreaterEqual(len(tried), 25)

    def test_there_are_at_least_150(self):
        self.assertGreaterEqual(len(RULES), 150)

    def test_every_rule_has_a_bad_file(self):
        wanted = {(rule["severity"], name) for name, rule in RULES.items()}
        self.assertEqual(wanted - set(rules_of_bad_files()), set(), "not in tests/bad")
        self.assertEqual(set(rules_of_bad_files()) - wanted, set(), "not a rule, or not so severe")

    def test_every_rule_has_a_good_file(self):
        self.assertEqual([name for name, rule in RULES.items() if not is_silent(rule)], [])

    def test_every_good_file_is_readable(self):
        for report in REPORTS[None]:
            self.assertNotIn("error", report, report["file"])
        self.assertEqual({report["format"] for report in REPORTS[None]},
                         {name.partition("/")[0] for name in RULES} - {"file"})

    def test_fixtures_have_no_errors_but_those_on_purpose(self):
        folder = "tests/fixtures/"
        found = {report["file"][len(folder):]: sorted(rules_found(report, "error"))
                 for report in REPORTS[None] if report["errors"] and report["file"] in FIXTURES}
        self.assertEqual(found, {name: rules for name, (rules, _) in ERRORS.items()})

    def test_samples_have_no_errors_in_any_profile(self):
        for report in [r for reports in REPORTS.values() for r in reports] + REPORTS_WITH_MODEL:
            if report["file"] in SAMPLES:
                self.assertEqual(rules_found(report, "error"), set(), report["file"])


def tearDownModule():
    bad = {name for _, name in rules_of_bad_files()}
    print(f"rules: {len(RULES)}, with bad files: {sum(name in bad for name in RULES)}, "
          f"with good files: {sum(is_silent(rule) for rule in RULES.values())}")


if __name__ == "__main__":
    unittest.main()
