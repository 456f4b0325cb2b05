#!/usr/bin/env python3
"""test_features.py: every loss is reported.

For each feature of glTF there is a small model. It is converted to every format and back to glTF.
One of the two reports must mention what is missing or different afterwards.
"""
# SPDX-License-Identifier: MIT

import json
import re
import shutil
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import conversions  # noqa: E402
from feature_models import BASES, FEATURES, PIXEL, Feature  # noqa: E402
from test_matrix import EXPLAINED  # noqa: E402

FORMATS = {"bbmod": "bbmod", "gpb": "gpb", "bmw": "bmw", "cea": "modeldata:cea",
           "cem": "modeldata:cem", "bplx": "bplx", "obj": "obj", "gltf": "gltf:gltf"}

# What a loss must contain for a difference at a path, where its kind alone is not enough.
LOSS_WORDS = [(re.compile(pattern), words.split("|")) for pattern, words in (
    (r"\.is_unlit$", "unlit"),
    (r"\.double_sided$", "double-sided"),
    (r"\.alpha(_cutoff)?$", "alpha"),
    (r"\.base_color$", "color"),
    (r"\.(metallic|roughness|is_classic|specular|shininess)$", "metal|specular|shin"),
    (r"\.emissive$", "emissive"),
    (r"\.(normal_scale|occlusion_strength)$", "strength|textures"),
    (r"\.wrap$", "edges|places"),
    (r"\.(offset|scale|rotation)$", "transform|place|rotation|scale|node|joint|parent"),
    (r"\.uv_set$", "place|texture coordinates|textures"),
    (r"\.bounds$", "mesh|morph|node|place|pose|transform|joint|skin|vertices"),
    (r"^meshes\[[^\]]*\]$", "mesh|part|primitive|points|lines|names of skins"),
    (r"\.channels\[", "channel|key|node|joint|animation|scale|curve|parent"),
    (r"\.uvs\[", "texture coordinates|transforms of textures|mesh"),
    (r"^extras\[active_camera\]", "active camera"),
)]
# Differences without meaning: where a picture is stored, or what a reader keeps for a writer of
# the same format.
SILENT = re.compile(r"^images\[|\.extras\[bbmat\.")


def gltf_of(path):
    """The JSON of a .glb file."""
    data = path.read_bytes()
    return json.loads(data[20:20 + int.from_bytes(data[12:16], "little")])


def convert(files, folder, to):
    """Reports of the conversions by the name of the model."""
    done = conversions.run("convert", "--json", *files, "-o", f"{folder}/", "--to", to)
    reports = map(json.loads, done.stdout.splitlines())
    return {Path(report["file"]).stem: report for report in reports if "file" in report}


def differences(pair):
    done = conversions.run("diff", "--json", *pair)
    return [json.loads(line) for line in done.stdout.splitlines()]


def words_for(difference):
    for pattern, words in LOSS_WORDS:
        if pattern.search(difference["path"]):
            return words
    return EXPLAINED[difference["kind"]]


class Features(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = conversions.scratch()
        for name in ("picture.png", "second.png"):
            (cls.folder / name).write_bytes(PIXEL)
        cls.names = {}
        for number, feature in enumerate(FEATURES):
            # A number in front, so that no model's name begins with that of another: sidecars
            # are found by it.
            cls.names[feature.name] = "%03d-%s" % (number, feature.name)
            cls.source(feature).write_bytes(feature.model().glb())

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def source(cls, feature):
        return cls.folder / (cls.names[feature.name] + ".glb")

    def judge(self, feature, back, reported):
        """Faults: losses that were not reported."""
        before, after = feature.find(gltf_of(self.source(feature))), feature.find(gltf_of(back))
        if before != after and not reported & set(feature.words):
            yield f"{before} became {after}"

    @staticmethod
    def judge_differences(found, reported):
        for difference in found:
            is_reported = any(word in feature for word in words_for(difference)
                              for feature in reported)
            if not is_reported and not SILENT.search(difference["path"]):
                yield f"differs: {difference}"

    def check_format(self, name, to):
        (self.folder / f"from_{name}").mkdir()
        there = convert([self.source(f) for f in FEATURES], self.folder, to)
        back = convert([r["output"] for r in there.values() if r["written"]],
                       self.folder / f"from_{name}", "gltf:glb")
        kept = [f for f in FEATURES if there[self.names[f.name]]["written"]]
        pairs = [(self.source(f), Path(back[self.names[f.name]]["output"])) for f in kept]
        with ThreadPoolExecutor(4) as pool:
            all_found = list(pool.map(differences, pairs))
        for feature, (_, result), found in zip(kept, pairs, all_found):
            reports = there[self.names[feature.name]], back[self.names[feature.name]]
            self.assertTrue(reports[1]["written"], f"{feature.name}: {reports[1]}")
            reported = {loss["feature"] for report in reports for loss in report["losses"]}
            faults = [*self.judge(feature, result, reported),
                      *self.judge_differences(found, reported)]
            with self.subTest(feature.name):
                self.assertEqual(faults, [], f"in {name}, reported: {sorted(reported)}")
        return {f.name for f in FEATURES} - {f.name for f in kept}

    def test_features_are_found(self):
        """What a function looks for is not in the plain model, so that it can be missed."""
        for feature in FEATURES:
            if feature.name in STILL_THERE:
                continue
            plain = Feature("plain", feature.base, lambda maker: None, None, "").model()
            with self.subTest(feature.name):
                self.assertNotEqual(feature.find(plain.json), feature.find(feature.model().json))


# These check that something of the plain model is still there.
STILL_THERE = {"skin", "texture", "clip_of_node", "clip_of_joint", "triangle_strip", "triangle_fan",
               "no_inverse_binds", "weights_without_skin", "skin_without_weights",
               "picture_in_the_file", "picture_as_data"}

# What a format refuses altogether, with an error.
REFUSED = {"cem": {"points", "lines", "line_loop", "line_strip"}}


def add_tests():
    for name, to in FORMATS.items():
        def test(self, name=name, to=to):
            self.assertEqual(self.check_format(name, to), REFUSED.get(name, set()))
        setattr(Features, f"test_{name}", test)


add_tests()

if __name__ == "__main__":
    assert set(BASES) == {feature.base for feature in FEATURES}
    unittest.main()
