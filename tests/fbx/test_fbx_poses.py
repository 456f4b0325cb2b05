#!/usr/bin/env python3
"""test_fbx_poses.py: FBX models made here, posed by Tenon and by the format's own formula.

TENON names the tool.
"""
# SPDX-License-Identifier: MIT

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "tools")]
from fbx_file import as_binary, as_text  # noqa: E402
from fbx_model import CONSTANT, CUBIC, LINEAR, Curve, Joint, Model  # noqa: E402

TENON = os.environ.get("TENON", "build/release/tenon")
TOLERANCE = 6e-4

PIVOTS = {"Lcl Translation": (10, 5, -3), "Lcl Rotation": (20, -35, 50),
          "Lcl Scaling": (2, 1.5, 0.5), "PreRotation": (30, 10, -20), "PostRotation": (-15, 25, 40),
          "RotationPivot": (3, -2, 1), "RotationOffset": (0.5, 1, -1),
          "ScalingPivot": (-1, 2, 4), "ScalingOffset": (1, 0, -2)}
TURNS = {"PreRotation": (30, 10, -20), "PostRotation": (-15, 25, 40), "Lcl Translation": (1, 2, 3),
         "Lcl Rotation": (5, 10, 15)}
GEOMETRIC = {"GeometricTranslation": (1, 2, 3), "GeometricRotation": (0, 45, 10),
             "GeometricScaling": (1, 2, 1.5)}

SWING = {
    "Lcl Rotation": {
        0: Curve((0.0, 20, CUBIC, 100.0), (0.7, -60, CUBIC, 0.0), (1.5, 90, CUBIC, 20.0)),
        2: Curve((0.0, 50, LINEAR), (1.5, -70, LINEAR))},
    "Lcl Translation": {
        1: Curve((0.0, 5, CUBIC, 30.0), (1.0, 20, CUBIC, -40.0), (1.5, 0, LINEAR, 0.0))},
}
GROWTH = {"Lcl Scaling": {k: Curve((0.0, 1, LINEAR), (1.5, 3, LINEAR)) for k in range(3)}}
ENDLESS = {
    "Lcl Translation": {0: Curve((0.3, 0, CUBIC, 20.0), (0.7, 3, CUBIC, -9.0), after="A"),
                        1: Curve((0.3, 0, CUBIC, 20.0), (0.7, 3, LINEAR, -9.0), before="K",
                                 after="K"),
                        2: Curve((0.5, 0, LINEAR, 0.0), (0.9, 4, LINEAR, 0.0), before="A")},
    "Lcl Rotation": {0: Curve((0.2, 0, LINEAR), (0.6, 50, LINEAR), before="M", after="M"),
                     2: Curve((0.1, 0, CUBIC, 90.0), (0.5, 60, CUBIC, 0.0), (0.8, 0, LINEAR, 0.0),
                              after="R")},
}
# Pivots that move.
CENTERS = {
    **{name: {axis: Curve((0.0, start, CUBIC, 3.0), (0.6, end, CUBIC, -2.0),
                          (1.5, start, LINEAR, 1.0))}
       for name, axis, start, end in (("RotationPivot", 0, 3, -4), ("RotationOffset", 1, 1, 5),
                                      ("ScalingPivot", 2, 4, 0), ("ScalingOffset", 0, 1, -3))},
    "PreRotation": {0: Curve((0.0, 30, LINEAR), (1.5, -80, LINEAR))},
    "PostRotation": {1: Curve((0.0, 25, CUBIC, 0.0), (1.5, 70, CUBIC, 20.0))}}
STEPS = {"Lcl Translation": {0: Curve((0.0, 1, CONSTANT), (0.5, 8, CONSTANT), (1.5, 3, CONSTANT))}}


def chain(parts, curves, order="XYZ", mesh_parts=None):
    root = Joint("Root", None, parts={"Lcl Rotation": (0, 30, 0), "Lcl Translation": (2, 0, 0)})
    arm = Joint("Arm", root, order, parts, curves)
    mesh_parts = mesh_parts or {"Lcl Translation": (0, 3, 0)}
    return [root, arm, Joint("Box", arm, parts=mesh_parts, kind="Mesh")]


def skinned(parts, curves):
    joints = chain(parts, curves)
    fore = Joint("Fore", joints[1], parts={"Lcl Translation": (0, 4, 0), "PreRotation": (0, 0, 30)},
                 curves={"Lcl Rotation": {2: Curve((0.0, 0, LINEAR), (1.5, 80, LINEAR))}})
    mesh = Joint("Skin", None, parts={"Lcl Translation": (3, 1, 0), **GEOMETRIC}, kind="Mesh")
    ramp = [0.25 * (i % 4) for i in range(8)]
    return [joints[0], joints[1], fore, mesh], [(joints[1], [1 - w for w in ramp]), (fore, ramp)]


def stretched(inherit, size, curves, parts=None):
    """A box below a node of that size, which inherits the scale in that way."""
    root = Joint("Root", None, parts={"Lcl Rotation": (0, 30, 0), "Lcl Scaling": size},
                 curves=curves)
    arm = Joint("Arm", root, parts={"Lcl Translation": (1, 4, 0), "Lcl Rotation": (20, 0, 40),
                                    "Lcl Scaling": (1, 1.5, 1), **(parts or {})},
                inherit=inherit, curves=SWING if curves else None)
    return [root, arm, Joint("Box", arm, parts={"Lcl Translation": (0, 3, 0)}, kind="Mesh",
                             inherit=1 if curves else inherit)]


def spaces():
    """Models without motion: disabled rotations, scales that are not inherited, unusual axes."""
    for order in ("XYZ", "YZX", "ZYX"):
        for active, for_limits in ((0, 0), (0, 1), (1, 1), (1, 0)):
            joint = Joint("Box", None, order, {**PIVOTS, **GEOMETRIC}, kind="Mesh", active=active,
                          for_limits=for_limits)
            yield f"space_{order}_{active}{for_limits}", Model([joint])
    for inherit in (0, 1, 2):
        for size in ((2, 2, 2), (1, 2.9, 1), (-1, 2, 1)):
            yield f"inherit_{inherit}_{size}", Model(stretched(inherit, size, None))
            yield f"inherit_pivots_{inherit}_{size}", Model(stretched(inherit, size, None, PIVOTS))
    for up in ("X", "DOWN"):
        yield "up_" + up, Model(chain(PIVOTS, {}), up=up, unit=2.54)


def models():
    """Name, model; all move in a take from 0 to 1.5 seconds, or as the model says."""
    span = (0.0, 1.5)
    yield "plain", Model(chain({"Lcl Translation": (1, 2, 3)}, SWING), span=span)
    yield "turns", Model(chain(TURNS, SWING), span=span)
    yield "pivots", Model(chain(PIVOTS, SWING), span=span)
    for order in ("XZY", "YZX", "YXZ", "ZXY", "ZYX"):
        yield "order_" + order, Model(chain(PIVOTS, SWING, order), span=span)
    yield "geometric", Model(chain(PIVOTS, SWING, mesh_parts={**PIVOTS, **GEOMETRIC}), span=span)
    yield "centers", Model(chain(PIVOTS, CENTERS), span=span)
    yield "centers_alone", Model(chain({}, CENTERS), span=span)
    yield "centers_and_swing", Model(chain(PIVOTS, {**SWING, **CENTERS}, "YZX"), span=span)
    yield "centers_and_growth", Model(stretched(2, (1, 1, 1), {**GROWTH, **CENTERS}, PIVOTS),
                                      span=span)
    yield "steps", Model(chain({}, STEPS), span=span)
    yield "z_up", Model(chain(PIVOTS, SWING), span=span, up="Z")
    yield "left_handed", Model(chain(PIVOTS, SWING), span=span, up="LEFT")
    yield "meters", Model(chain(PIVOTS, SWING), span=span, unit=100.0)
    yield "inches_down", Model(chain(PIVOTS, SWING), span=span, unit=2.54, up="DOWN")
    yield "late", Model(chain(PIVOTS, SWING), span=(0.5, 1.2))
    yield "old_times", Model(chain(PIVOTS, SWING), span=(0.5, 1.2), old=True)
    yield "endless", Model(chain(PIVOTS, ENDLESS), span=(0.0, 2.4))
    yield "alone", Model(stretched(2, (1, 1, 1), GROWTH), span=span)
    yield "alone_pivots", Model(stretched(2, (1, 1, 1), GROWTH, PIVOTS), span=span)
    joints, skin = skinned(TURNS, SWING)
    yield "skin", Model(joints, span=span, skin=skin)
    joints, skin = skinned(PIVOTS, SWING)
    yield "skin_pivots", Model(joints, span=span, skin=skin)
    yield "skin_left_handed", Model(joints, span=span, skin=skin, up="LEFT")


def turned_z_up(obj, scale):
    """The text of an OBJ file, larger, with Z up."""
    lines = []
    for line in obj.splitlines():
        words = line.split()
        if words and words[0] == "v":
            x, y, z = (scale * float(word) for word in words[1:4])
            line = "v %r %r %r" % (x, -z, y)
        lines.append(line)
    return "\n".join(lines) + "\n"


def scaled(obj, factor):
    """The text of an OBJ file, larger."""
    lines = [line.split() for line in obj.splitlines()]
    return "\n".join("v " + " ".join(repr(factor * float(w)) for w in words[1:])
                     if words and words[0] == "v" else " ".join(words) for words in lines) + "\n"


def tenon(*args, env=None):
    return subprocess.run([TENON, *map(str, args)], capture_output=True, text=True,
                          errors="replace", env={**os.environ, **(env or {})}, timeout=1800)


class FbxPoses(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, model, encode=as_text):
        path = self.folder / name
        path.write_bytes(encode(model.nodes()))
        return path

    def distance(self, fbx, model, *pose, time=None):
        posed = self.folder / "posed.obj"
        posed.write_text(model.obj(time))
        run = tenon("verify", "--json", fbx, posed, *pose)
        self.assertTrue(run.stdout, run.stderr)
        result = json.loads(run.stdout)
        self.assertIn("largest", result, result)
        self.assertEqual(result["reversed"], 0)
        return result["largest"]

    def check_model(self, name, model, encode):
        fbx = self.write(name + ".fbx", model, encode)
        self.assertLess(self.distance(fbx, model), 1e-5, f"{name} at rest")
        start, stop = model.span
        for step in range(9):
            # Not on the steps themselves, which take a millisecond.
            time = start + (stop - start) * (step / 8 * 0.98 + 0.003)
            off = self.distance(fbx, model, "--clip", "Take", "--at", time, time=time)
            self.assertLess(off, TOLERANCE, f"{name} at {time}")

    def test_the_sample_is_the_same_model_as_in_glb(self):
        samples = HERE.parent.parent / "samples"
        run = tenon("verify", "--json", samples / "crane.fbx", samples / "crane.glb")
        found = json.loads(run.stdout)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertLess(found["largest"], 1e-7)

    def test_text_files_pose_right(self):
        for name, model in models():
            with self.subTest(name):
                self.check_model(name, model, as_text)

    def test_binary_files_pose_right(self):
        for name, model in list(models())[:4]:
            with self.subTest(name):
                self.check_model(name, model, as_binary)

    def test_what_does_not_move_is_in_its_place(self):
        for name, model in spaces():
            for encode in (as_text, as_binary):
                with self.subTest(name, encode=encode.__name__):
                    fbx = self.write("still.fbx", model, encode)
                    self.assertLess(self.distance(fbx, model), 1e-5)

    def test_extrapolated_curves_of_binary_files_continue(self):
        name, model = "endless", dict(models())["endless"]
        self.check_model(name, model, as_binary)

    def test_all_takes_are_kept_with_their_times(self):
        other = {"Lcl Translation": {2: Curve((1.0, 3, LINEAR), (2.0, 9, LINEAR))}}
        joints = chain(PIVOTS, SWING)
        model = Model(joints, "A|run", (0.2, 1.5), others={"A|jump": ((1.0, 2.0), {"Arm": other})})
        fbx = self.write("takes.fbx", model)
        glb = self.folder / "takes.glb"
        self.assertEqual(tenon("convert", "--keep-lead-in", fbx, glb).returncode, 0)
        clips = json.loads(tenon("info", "--json", glb).stdout)["clips"]
        self.assertEqual([clip["name"] for clip in clips], ["run", "jump"])
        self.assertAlmostEqual(clips[1]["seconds"], 2.0, 5)
        off = self.distance(fbx, model, "--clip", "run", "--at", 1.25, time=1.25)
        self.assertLess(off, TOLERANCE)
        joints[1].curves = other
        off = self.distance(fbx, model, "--clip", "jump", "--at", 1.25, time=1.25)
        self.assertLess(off, TOLERANCE)

    def losses(self, model):
        fbx, report = self.write("lost.fbx", model), self.folder / "report.json"
        tenon("convert", "--force", fbx, self.folder / "lost.glb", "--report", report)
        return report.read_text()

    def test_scales_that_are_inherited_otherwise_are_no_shear(self):
        self.assertNotIn("shear", self.losses(Model(stretched(2, (1, 3, 1), SWING),
                                                    span=(0.0, 1.5))))

    def late_model(self):
        """A take from 0 on: a node is constant, with keys from 0 on; another moves from 0.5 on."""
        root, arm, box = chain({}, {"Lcl Translation": {1: Curve((0.5, 5, LINEAR),
                                                                 (1.5, 9, LINEAR))}})
        root.curves = {"Lcl Scaling": {0: Curve((0.0, 1, LINEAR), (1.0, 1, LINEAR))}}
        return Model([root, arm, box], span=(0.0, 1.5))

    def seconds(self, file):
        return json.loads(tenon("info", "--json", file).stdout)["clips"][0]["seconds"]

    def test_clips_start_at_their_first_key(self):
        model = self.late_model()
        fbx, glb, kept = self.write("late.fbx", model), self.folder / "late.glb", \
            self.folder / "kept.glb"
        run = tenon("convert", fbx, glb)
        self.assertIn("defaulted: lead-in (1)", run.stderr)
        self.assertAlmostEqual(self.seconds(glb), 1.0, 5)
        off = self.distance(glb, model, "--clip", "Take", "--at", 0.25, time=0.75)
        self.assertLess(off, TOLERANCE)
        run = tenon("convert", "--keep-lead-in", fbx, kept)
        self.assertNotIn("lead-in", run.stderr)
        self.assertAlmostEqual(self.seconds(kept), 1.5, 5)

    def test_clips_that_start_at_0_are_not_cut(self):
        fbx, glb = self.write("a.fbx", Model(chain({}, SWING), span=(0.0, 1.5))), \
            self.folder / "a.glb"
        self.assertNotIn("lead-in", tenon("convert", fbx, glb).stderr)
        self.assertAlmostEqual(self.seconds(glb), 1.5, 5)

    def test_poses_are_at_times_of_the_file(self):
        model = self.late_model()
        fbx, obj = self.write("late.fbx", model), self.folder / "late.obj"
        run = tenon("convert", fbx, obj, "--clip", "Take", "--at", 0.75)
        self.assertNotIn("lead-in", run.stderr)
        posed = self.folder / "posed.obj"
        posed.write_text(model.obj(0.75))
        self.assertEqual(tenon("verify", obj, posed).returncode, 0)

    def test_clips_from_another_file_start_at_their_first_key(self):
        still = self.write("still.fbx", Model(chain({}, {})))
        clips, glb = self.write("late.fbx", self.late_model()), self.folder / "both.glb"
        run = tenon("convert", still, glb, "--clips-from", clips)
        self.assertIn("lead-in", run.stderr)
        self.assertAlmostEqual(self.seconds(glb), 1.0, 5)

    def test_a_format_without_lead_in_says_that_keeping_it_has_no_effect(self):
        fbx, glb = self.write("a.fbx", self.late_model()), self.folder / "a.glb"
        tenon("convert", fbx, glb)
        for out in ("b.glb", "b.gpb"):
            run = tenon("convert", "--keep-lead-in", glb, self.folder / out)
            self.assertIn("'--keep-lead-in' has no effect", run.stderr)

    def is_as_large(self, file, model, factor):
        """Whether a file is the model in meters, scaled by so much."""
        posed = self.folder / "large.obj"
        posed.write_text(scaled(model.obj(None), factor))
        result = json.loads(tenon("verify", "--json", file, posed).stdout)
        return result["largest"] < 1e-5

    def test_units_are_kept_or_become_meters(self):
        joints, skin = skinned(TURNS, SWING)
        cases = (("bbmod", (), 100, "'--units meters' converts them"),
                 ("bmw", (), 100, "'--units meters' converts them"),
                 ("glb", (), 1, "'--units keep' keeps the file's own numbers"),
                 ("gpb", (), 1, "'--units keep' keeps the file's own numbers"),
                 ("bbmod", ("--units", "meters"), 1, None),
                 ("glb", ("--units", "keep"), 100, None),
                 ("obj", ("--units", "keep", "--scale", "0.5"), 50, None))
        for number, (kind, options, factor, why) in enumerate(cases):
            for model in (Model(chain(PIVOTS, {})), Model(joints, skin=skin)):
                with self.subTest(kind, options=options, skin=bool(model.skin)):
                    fbx, report = self.write("a.fbx", model), self.folder / "report.json"
                    out = self.folder / f"{number}.{kind}"
                    run = tenon("convert", "--force", fbx, out, *options, "--report", report)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    losses = [loss for loss in json.loads(report.read_text())[0]["losses"]
                              if loss["feature"] == "unit"]
                    self.assertEqual(len(losses), 1 if why else 0)
                    if why:
                        self.assertEqual(losses[0]["kind"], "defaulted")
                        self.assertTrue(losses[0]["why"].endswith(why), losses)
                        self.assertIn("(1 unit = 0.01 m)", losses[0]["why"])
                    self.assertTrue(self.is_as_large(out, model, factor))

    def test_a_unit_of_one_meter_is_not_a_choice(self):
        model = Model(chain(PIVOTS, {}), unit=100.0)
        fbx, out = self.write("a.fbx", model), self.folder / "a.bbmod"
        self.assertNotIn("unit", tenon("convert", fbx, out).stderr)
        self.assertTrue(self.is_as_large(out, model, 1))

    def test_clips_from_another_file_have_the_same_unit(self):
        model = Model(chain({}, {}))
        moved = Model(chain({}, SWING), span=(0.0, 1.5), unit=2.54)
        still, clips = self.write("still.fbx", model), self.write("clips.fbx", moved)
        glb = {}
        for units in ("keep", "meters"):
            glb[units] = self.folder / f"{units}.glb"
            run = tenon("convert", still, glb[units], "--clips-from", clips, "--units", units)
            self.assertEqual(run.returncode, 0, run.stderr)
        small = self.folder / "small.glb"
        tenon("convert", glb["keep"], small, "--scale", "0.01")
        self.assertEqual(tenon("verify", glb["meters"], small).returncode, 0)

    def test_a_format_without_unit_says_that_the_option_has_no_effect(self):
        fbx, glb = self.write("a.fbx", Model(chain({}, {}))), self.folder / "a.glb"
        self.assertNotIn("no effect", tenon("convert", fbx, glb, "--units", "keep").stderr)
        for out in ("b.glb", "b.bbmod"):
            run = tenon("convert", glb, self.folder / out, "--units", "keep")
            self.assertIn("'--units' has no effect", run.stderr)
            self.assertNotIn("unit (1)", run.stderr)

    def test_no_helper_nodes_are_left(self):
        fbx = self.write("pivots.fbx", dict(models())["geometric"])
        self.assertNotIn("Assimp", tenon("info", "--tree", fbx).stdout)
        self.assertIn('"nodes":3', tenon("info", "--json", fbx).stdout)

    def test_clips_are_named_without_their_prefix(self):
        fbx = self.write("a.fbx", Model(chain({}, SWING), "Armature|run", (0.0, 1.5)))
        self.assertEqual(tenon("convert", fbx, self.folder / "a.glb").returncode, 0)
        self.assertIn('"name":"run"', tenon("info", "--json", self.folder / "a.glb").stdout)

    def test_nodes_of_one_name_stay_apart(self):
        a = Joint("Same", None, parts={"Lcl Translation": (9, 0, 0)}, curves=SWING)
        b = Joint("Same", None, parts={"Lcl Translation": (-9, 0, 0)})
        box = Joint("Box", b, kind="Mesh")
        model = Model([a, b, box], span=(0.0, 1.5))
        fbx = self.write("same.fbx", model, as_binary)
        self.assertLess(self.distance(fbx, model, "--clip", "Take", "--at", 1, time=1.0), TOLERANCE)
        self.assertEqual(tenon("info", "--tree", fbx).stdout.count("Same"), 2)

    def test_odd_file_names_work(self):
        model = Model(chain({}, SWING), span=(0.0, 1.5))
        for name in ("two words.fbx", "$(touch x) `id`.fbx", "-rf.fbx", "a;b&c|d.fbx",
                     "new\nline.fbx", "qu'o\"te.fbx", "\u00fcml\u00e4ut.FBX"):
            with self.subTest(name):
                self.write(name, model)
                run = subprocess.run([os.path.abspath(TENON), "info", "--json", "--", name],
                                     cwd=self.folder, capture_output=True, timeout=1800)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(json.loads(run.stdout)["format"], "fbx")
        self.assertFalse((self.folder / "x").exists())

    def verify(self, fbx, obj, *options):
        """Whether they are the same, except for the clip; and all that was printed."""
        result = json.loads(tenon("verify", "--json", fbx, obj, *options).stdout)
        return result["largest"] < 1e-5, result

    def test_obj_is_in_the_unit_in_which_it_fits(self):
        model = Model(chain({}, SWING), span=(0.0, 1.5))
        fbx = self.write("a.fbx", model)
        obj = self.folder / "a.obj"
        obj.write_text(turned_z_up(model.obj(None), 100))
        is_same, result = self.verify(fbx, obj)
        self.assertEqual((is_same, result["b_scale"], result["b_up"]), (True, 0.01, "z"))
        self.assertFalse(self.verify(fbx, obj, "--source-scale", "0.01")[0])
        self.assertTrue(self.verify(fbx, obj, "--source-scale", "0.01", "--source-up", "z")[0])

    def test_obj_in_no_unit_stays_as_it_is(self):
        model = Model(chain({}, SWING), span=(0.0, 1.5))
        fbx = self.write("a.fbx", model)
        obj = self.folder / "a.obj"
        obj.write_text(turned_z_up(model.obj(None), 70))
        is_same, result = self.verify(fbx, obj)
        self.assertFalse(is_same)
        self.assertNotIn("b_scale", result)

    def test_commands_accept_it(self):
        fbx = self.write("a.fbx", Model(chain({}, SWING), span=(0.0, 1.5)))
        glb = self.folder / "a.glb"
        self.assertEqual(tenon("check", fbx).returncode, 0)
        self.assertEqual(tenon("convert", fbx, glb).returncode, 0)
        self.assertEqual(tenon("verify", fbx, glb).returncode, 0)
        self.assertEqual(tenon("diff", fbx, glb).returncode, 0)
        self.assertEqual(tenon("dump", fbx).returncode, 0)


if __name__ == "__main__":
    unittest.main()
