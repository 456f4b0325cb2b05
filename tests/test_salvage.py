#!/usr/bin/env python3
"""test_salvage.py: what can be recovered from damaged models, and whether the report is right.

Every sample is cut at many places and gets pages of zeros and of noise. Whatever salvage writes
passes `check`; where nothing can be recovered, it says so and writes nothing; the later a file is
cut, the more of it is kept. With real models (TENON_CORPUS) the same is done to those.
"""
# SPDX-License-Identifier: MIT

import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import real_files  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
TENON = os.environ.get("TENON", str(ROOT / "build/release/tenon"))
SAMPLES = ("crane.bbmod", "crane.gpb", "crane.bmw", "crane.cea", "crane.cem", "crane.bplx",
           "crane.glb", "crane_lift.bbanim")
READ = {".bbmod", ".bbanim", ".gpb", ".bmw", ".cea", ".cem", ".bplx", ".glb", ".obj"}
PAGE = 4096
NAN = b"\xff\xff\xff\xff"
# A file, an array in it, which record, where in the record, the damage, and what is lost by it.
WRONG_NUMBERS = (
    ("samples/crane.bplx", "faces", 7, 4, NAN, "triangles"),
    ("samples/crane.bplx", "normals", 3, 8, NAN, "numbers of vertices"),
    ("samples/crane.bplx", "clips[0].keyframes", 4, 4, NAN, "keys of animations"),
    ("samples/crane.bmw", "meshes[0].faces", 100, 0, NAN, "triangles"),
    ("samples/crane.bmw", "meshes[0].vertices", 30, 28, NAN, "numbers of vertices"),
    ("samples/crane.bmw", "animations[0].bones[2].frames", 9, 4, NAN, "frames"),
    ("samples/crane.bbmod", "meshes[3].vertices", 9, 4, NAN, "triangles"),
    ("samples/crane.bbmod", "meshes[3].vertices", 9, 4, struct.pack("<f", 1e9), "triangles"),
    ("samples/crane.bbmod", "meshes[3].vertices", 9, 12, NAN, "numbers of vertices"),
    ("tests/fixtures/bbmod/3.4_skinned.bbmod", "meshes[0].vertices", 2, 32,
     struct.pack("<f", 77), "weights of vertices"),
    ("samples/crane.gpb", "blocks[0].mesh.parts[2].indices", 6, 0, NAN[:2], "triangles"),
    ("samples/crane.gpb", "blocks[0].mesh.vertices", 8, 64, struct.pack("<f", 0.5),
     "weights of vertices"),
    ("samples/crane.cea", "meshes[1].indices", 9, 0, NAN, "triangles"),
    ("samples/crane.cea", "meshes[1].normals", 9, 0, NAN, "numbers of vertices"),
    ("samples/crane.cea", "meshes[1].weights", 2, 0, bytes(16), "weights of vertices"),
    ("samples/crane.cea", "animations[0].rotations[2]", 1, 4, bytes(16), "keys of animations"),
)
SECONDS = 1800  # Seconds; only against hanging.


def tenon(*args):
    return subprocess.run([TENON, *map(str, args)], capture_output=True, text=True, check=False,
                          timeout=SECONDS)


def cuts(data, shares):
    """The file, cut at some shares of its size, in percent."""
    for share in shares:
        yield f"cut at {share} %", data[: len(data) * share // 100]


def pages(data, chance, count):
    """The file with a page of zeros, and with one of noise."""
    size = min(PAGE, max(16, len(data) // 8))
    for _ in range(count):
        at = chance.randrange(max(1, len(data) - size))
        yield f"zeros at {at}", data[:at] + bytes(size) + data[at + size:]
        at = chance.randrange(max(1, len(data) - size))
        yield f"noise at {at}", data[:at] + chance.randbytes(size) + data[at + size:]


def wrong_words(data, chance, count):
    """The file with one word that is too small, too large or only wrong, most of them early."""
    words = (bytes(4), NAN, b"\0\0\1\0", b"\0\1\0\0", b"\x51\xff\xff\xff", b"\xff\xff\xff\x51")
    for i in range(count):
        at = chance.randrange(min(len(data), 96 if i % 2 else len(data)))
        word = words[i % len(words)][:len(data) - at]
        yield f"{word.hex()} at {at}", data[:at] + word + data[at + len(word):]


class Salvage(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon-salvage-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def salvage(self, data, extension, target=None):
        """Salvage some bytes. Returns the report, and the file that was written or None."""
        source = self.folder / f"damaged{extension}"
        output = self.folder / f"saved{target or extension}"
        source.write_bytes(data)
        for stale in self.folder.glob("saved*"):
            stale.unlink()
        run = tenon("salvage", "--json", source, output)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        report = json.loads(run.stdout)
        self.assertEqual(report["written"], run.returncode == 0)
        self.assertEqual(output.exists(), run.returncode == 0)
        if run.returncode:
            self.assertTrue(report["error"]["message"])
            return report, None
        self.assertEqual(report["size"], output.stat().st_size)
        return report, output

    def demand_sound(self, output):
        check = tenon("check", "--json", output)
        self.assertEqual(check.returncode, 0, check.stdout)

    def find_part(self, path, part):
        """Where a part of a whole file is: its offset, its size and the count of its records."""
        for line in tenon("map", "--json", path).stdout.splitlines():
            found = json.loads(line)
            if found.get("path") == part:
                return found["offset"], found["size"], found.get("count", 0)
        raise AssertionError(f"{path} has no {part}")

    def place_of(self, path, part):
        return self.find_part(path, part)[:2]

    def convert(self, path):
        output = self.folder / "converted.glb"
        run = tenon("convert", "--force", "-q", path, output)
        self.assertEqual(run.returncode, 0, run.stderr)
        return output

    def damage(self, name, variants):
        extension = Path(name).suffix
        saved = 0
        for what, damaged in variants:
            with self.subTest(file=name, damage=what):
                _, output = self.salvage(damaged, extension)
                if output:
                    saved += 1
                    self.demand_sound(output)
        return saved

    def test_a_whole_file_is_copied(self):
        for name in SAMPLES:
            with self.subTest(file=name):
                data = (ROOT / "samples" / name).read_bytes()
                report, output = self.salvage(data, Path(name).suffix)
                self.assertNotIn("fault", report)
                self.assertEqual(report["errors"], 0)
                self.assertEqual(report["losses"], [])
                self.assertEqual(output.read_bytes(), data)

    def test_damaged_samples_become_sound_ones(self):
        for name in SAMPLES:
            data = (ROOT / "samples" / name).read_bytes()
            saved = self.damage(name, pages(data, random.Random(name), 4))
            self.assertGreaterEqual(saved, 5, f"of 8 damaged {name} only {saved} were saved")

    def test_damaged_fixtures_become_sound_files_or_none(self):
        """ModelData has no magic number and many dialects: the easiest format to mistake."""
        for path in sorted((ROOT / "tests/fixtures").glob("*/*.*")):
            if path.suffix not in READ:
                continue
            data = path.read_bytes()
            count = 8 if path.suffix in (".cea", ".cem") else 1
            self.damage(path.name, wrong_words(data, random.Random(path.name), count))

    def test_names_counted_in_characters_are_kept_in_the_usual_dialect(self):
        """`check` refuses such sizes, so that they cannot be written again as they were."""
        path = ROOT / "tests/fixtures/modeldata/document-names-characters_flat.cea"
        offset, _ = self.place_of(path, "meshes[0].normals")
        data = path.read_bytes()
        report, output = self.salvage(data[:offset] + NAN + data[offset + 4:], ".cea")
        self.assertEqual(report["kept"]["triangles"], 2)
        self.demand_sound(output)
        info = json.loads(tenon("info", "--json", output).stdout)
        self.assertEqual(info["dialect"], "current")
        dump = json.loads(tenon("dump", output).stdout)
        self.assertEqual([j["name"] for j in dump["joints"]], ["Fuß", "関節"])

    def test_bytes_of_lost_meshes_do_not_hide_what_a_model_is(self):
        """The parts after them are kept as they were: sizes lead to each of them."""
        path = ROOT / "samples/crane.cea"
        data = path.read_bytes()
        at, _ = self.place_of(path, "mesh_sizes")
        first, _ = self.place_of(path, "meshes[0].vertices_size")
        end, _ = self.place_of(path, "joint_count")
        size = struct.unpack_from(">I", data, at)[0]
        for what, damage, bytes_lost in (("too large", NAN, end - first - size),
                                         ("none", bytes(4), 9309)):
            with self.subTest(size=what):
                report, output = self.salvage(data[:at] + damage + data[at + 4:], ".cea")
                self.assertEqual(report["dialect"], "current")
                self.assertEqual([l["count"] for l in report["losses"]
                                  if l["feature"] == "bytes"], [bytes_lost])
                self.assertEqual(report["kept"]["animations"], 2)
                self.demand_sound(output)
                self.assertEqual(json.loads(tenon("dump", output).stdout)["joint_count"], 19)

    def test_the_later_the_cut_the_more_is_kept(self):
        for name in SAMPLES:
            data = (ROOT / "samples" / name).read_bytes()
            last = -1
            for what, damaged in cuts(data, (*range(10, 100, 10), 99)):
                with self.subTest(file=name, damage=what):
                    report, output = self.salvage(damaged, Path(name).suffix)
                    self.assertIn("fault", report)
                    kept = report.get("kept", {})
                    amount = kept.get("triangles", kept.get("frames", 0)) if output else 0
                    self.assertGreaterEqual(amount, last)
                    last = amount
                    if output:
                        self.demand_sound(output)
            self.assertGreater(last, 0, f"nothing of {name} was kept")

    def test_another_format_can_be_written(self):
        for name in SAMPLES[:-1]:
            data = (ROOT / "samples" / name).read_bytes()
            with self.subTest(file=name):
                _, output = self.salvage(data[: len(data) * 97 // 100], Path(name).suffix, ".glb")
                self.assertIsNotNone(output)
                self.demand_sound(output)

    def test_the_report_says_where(self):
        data = (ROOT / "samples/crane.cea").read_bytes()
        report, _ = self.salvage(data[: len(data) // 2], ".cea")
        fault = report["fault"]["error"]
        self.assertEqual(fault["code"], "truncated")
        self.assertLess(fault["offset"], len(data) // 2)
        self.assertTrue(report["cuts"])
        for cut in report["cuts"]:
            self.assertLess(cut["kept"], cut["stated"])
            self.assertLessEqual(cut["offset"], len(data) // 2)

    def test_meshes_around_a_damaged_one_are_kept(self):
        """Where the format has the size of each mesh, a broken head costs only its mesh."""
        data = bytearray((ROOT / "samples/crane.cem").read_bytes())
        count = struct.unpack_from(">I", data)[0]
        sizes = struct.unpack_from(f">{count}I", data, 4)
        third = 4 + 4 * count + sum(sizes[:2])
        data[third:third + 8] = b"\xff" * 8
        report, output = self.salvage(bytes(data), ".cem")
        self.assertEqual(report["kept"]["meshes"], count - 1)
        self.demand_sound(output)

    def test_noise_in_vertices_costs_the_triangles_at_it(self):
        data = bytearray((ROOT / "samples/crane.bplx").read_bytes())
        info = json.loads(tenon("info", "--json", ROOT / "samples/crane.bplx").stdout)
        vertices = tenon("map", "--json", ROOT / "samples/crane.bplx").stdout.splitlines()
        place = next(json.loads(line) for line in vertices if '"positions"' in line)
        data[place["offset"]:place["offset"] + 12] = struct.pack("<3f", 1e30, 0, -1e30)
        report, output = self.salvage(bytes(data), ".bplx")
        self.assertLess(report["kept"]["triangles"], info["triangles"])
        self.assertGreater(report["kept"]["triangles"], info["triangles"] * 9 // 10)
        self.assertTrue(any(loss["feature"] == "triangles" for loss in report["losses"]))
        self.demand_sound(output)

    def test_what_is_wrong_within_arrays_costs_only_itself(self):
        """The rest of the document stays: it is written from its fields, not from a scene."""
        for name, part, index, at, damage, feature in WRONG_NUMBERS:
            path = ROOT / name
            data = bytearray(path.read_bytes())
            info = json.loads(tenon("info", "--json", path).stdout)
            offset, size, count = self.find_part(path, part)
            record = offset + index * (size // count)
            data[record + at:record + at + len(damage)] = damage
            with self.subTest(file=name, part=part, index=index):
                report, output = self.salvage(bytes(data), path.suffix)
                self.assertEqual([l["feature"] for l in report["losses"]], [feature])
                loss = report["losses"][0]
                self.assertEqual((loss["path"], loss["offset"]), (f"{part}[{index}]", record))
                self.assertEqual(report["dialect"], info["dialect"])
                for what in ("meshes", "nodes", "animations", "materials"):
                    self.assertEqual(report["kept"].get(what), info.get(what))
                lost = info["triangles"] - report["kept"]["triangles"]
                self.assertEqual(lost, loss["count"] if feature == "triangles" else 0)
                self.demand_sound(output)

    def test_a_joint_without_a_good_key_does_not_turn(self):
        path = ROOT / "samples/crane.cea"
        data = bytearray(path.read_bytes())
        offset, size, count = self.find_part(path, "animations[0].rotations[2]")
        data[offset:offset + size] = bytes(size)
        report, output = self.salvage(bytes(data), ".cea")
        self.assertEqual([(l["feature"], l["count"]) for l in report["losses"]],
                         [("keys of animations", count)])
        self.assertEqual(report["kept"]["animations"], 2)
        self.assertIn("dialect", report)
        self.demand_sound(output)

    def test_wrong_weights_cost_only_themselves(self):
        path = ROOT / "samples/crane.bmw"
        offset, _, _ = self.find_part(path, "meshes[0].weighted_vertices")
        for at, what in ((0, "vertex"), (8, "node"), (12, "weight")):
            data = bytearray(path.read_bytes())
            second = offset + 8 + 8 * struct.unpack_from("<I", data, offset + 4)[0]
            data[second + at:second + at + 4] = NAN
            with self.subTest(damaged=what):
                report, output = self.salvage(bytes(data), ".bmw")
                self.assertEqual([(l["feature"], l["count"], l["offset"])
                                  for l in report["losses"]], [("weights of vertices", 1, second)])
                self.assertEqual(report["kept"]["nodes"], 21)
                self.demand_sound(output)

    def test_a_node_that_names_no_mesh_keeps_its_place(self):
        for name in ("crane.bmw", "crane.bbmod"):
            path = ROOT / "samples" / name
            data = bytearray(path.read_bytes())
            info = json.loads(tenon("info", "--json", path).stdout)
            lines = tenon("map", "--json", path).stdout.splitlines()
            place = json.loads(next(l for l in lines if '.meshes","count":1,"stride"' in l))
            data[place["offset"]:place["offset"] + 4] = NAN
            with self.subTest(file=name):
                report, output = self.salvage(bytes(data), path.suffix)
                self.assertEqual(report["losses"][0]["feature"], "meshes of nodes")
                self.assertEqual(report["kept"]["nodes"], info["nodes"])
                self.assertEqual(report["dialect"], info["dialect"])
                self.demand_sound(output)

    def test_a_page_of_noise_in_a_small_model_is_found(self):
        """Though it is more than a tenth of all vertices."""
        path = ROOT / "samples/crane.bplx"
        data = path.read_bytes()
        offset, _, _ = self.find_part(path, "positions")
        noise = random.Random(3).randbytes(2400)  # 200 of 578 vertices.
        _, output = self.salvage(data[:offset] + noise + data[offset + 2400:], ".bplx")
        self.demand_sound(output)
        dump = json.loads(tenon("dump", output).stdout)
        self.assertLess(max(abs(v) for p in dump["positions"] for v in p), 2e4)

    def test_clips_outlive_the_nodes_they_move(self):
        """BMW has its tree after all else, and frames that need only the numbers of nodes."""
        path = ROOT / "samples/crane.bmw"
        data = path.read_bytes()
        for part, has_mesh in (("meshes[0].weighted_vertices", False),
                               ("meshes[0].vertices", False), ("meshes[0].faces", True)):
            offset, size = self.place_of(path, part)
            with self.subTest(cut=part):
                report, output = self.salvage(data[: offset + size // 2], ".bmw")
                self.assertEqual(report["fault"]["error"]["path"], part)
                self.assertEqual(report["kept"]["animations"], 1)
                self.assertEqual(report["kept"]["meshes"], int(has_mesh))
                self.assertFalse([l for l in report["losses"] if l["feature"] == "weights"])
                self.demand_sound(output)
                scene = tenon("info", "--json", self.convert(output))
                self.assertEqual(json.loads(scene.stdout)["animations"], 1)

    def test_meshes_outlive_their_weights(self):
        """Only its own counts say how long BMW's list of weights is."""
        path = ROOT / "samples/crane.bmw"
        data = path.read_bytes()
        info = json.loads(tenon("info", "--json", path).stdout)
        offset, size = self.place_of(path, "meshes[0].weighted_vertices")
        noise = random.Random(1).randbytes(1024)
        for damage in (bytes(1024), b"\xff" * 1024, noise):
            for at in (offset, offset + size // 2, offset + size - 1024):
                with self.subTest(damage=damage[:4], at=at):
                    report, output = self.salvage(data[:at] + damage + data[at + 1024:], ".bmw")
                    for what in ("meshes", "triangles", "nodes", "animations"):
                        self.assertEqual(report["kept"][what], info[what])
                    self.demand_sound(output)

    def test_faces_outlive_their_count(self):
        """They end where the root begins, or the next mesh."""
        one = ROOT / "samples/crane.bmw"
        two = self.folder / "two.bmw"
        data = one.read_bytes()
        count, start, end = (self.place_of(one, part)[0] for part in (
            "meshes.count", "meshes[0].weighted_vertices.count", "root.node_id"))
        two.write_bytes(data[:count] + struct.pack("<I", 2) + 2 * data[start:end] + data[end:])
        for path in (one, two):
            data = path.read_bytes()
            info = json.loads(tenon("info", "--json", path).stdout)
            place = self.place_of(path, "meshes[0].faces.count")[0]
            for damage in (bytes(4), NAN, bytes(28), NAN * 7):
                with self.subTest(file=path.name, damage=damage):
                    end = place + len(damage)
                    report, output = self.salvage(data[:place] + damage + data[end:], ".bmw")
                    self.assertEqual(report["fault"]["error"]["path"], "meshes[0].faces")
                    lost = info["triangles"] - report["kept"]["triangles"]
                    self.assertEqual(lost, len(damage) // 12 if damage[0] else 0)
                    self.assertEqual(report["kept"]["meshes"], info["meshes"])
                    self.assertEqual(report["kept"]["nodes"], info["nodes"])
                    self.demand_sound(output)

    def test_fonts_keep_what_is_there_of_their_texture(self):
        for name in ("1_2_font", "1_3_font", "1_4_font", "1_5_font"):
            path = ROOT / f"tests/fixtures/gpb/{name}.gpb"
            data = path.read_bytes()
            sizes = json.loads(tenon("info", "--json", path).stdout)["font_sizes"]
            offset, size = self.place_of(path, f"blocks[0].font.sizes[{sizes - 1}].texels")
            for cut in (offset + size // 2, offset + size - 1, len(data) - 1):
                with self.subTest(font=name, cut=cut):
                    report, output = self.salvage(data[:cut], ".gpb")
                    self.assertEqual(report["kept"]["fonts"], 1)
                    self.assertTrue([l for l in report["losses"] if l["kind"] == "synthesized"])
                    self.assertEqual(output.stat().st_size, len(data))
                    self.assertEqual(output.read_bytes()[:cut], data[:cut])
                    self.demand_sound(output)

    def test_a_damaged_table_of_references_costs_nothing(self):
        """After an entry of GPB whose size is wrong the next one is found again."""
        for name in ("samples/crane.gpb", "tests/fixtures/gpb/1_5_font.gpb",
                     "tests/fixtures/gpb/1_5_scene.gpb"):
            path = ROOT / name
            data = path.read_bytes()
            info = json.loads(tenon("info", "--json", path).stdout)
            count = self.place_of(path, "references.count")[0]
            for i in range(min(4, struct.unpack_from("<I", data, count)[0])):
                place = self.place_of(path, f"references[{i}].id")[0]
                for size in (0xdeadbeef, 0):
                    damaged = bytearray(data)
                    struct.pack_into("<I", damaged, place, size)
                    with self.subTest(file=name, reference=i, size=size):
                        report, output = self.salvage(bytes(damaged), ".gpb")
                        self.assertEqual(report["fault"]["error"]["path"], f"references[{i}].id")
                        for what in ("meshes", "triangles", "animations", "fonts"):
                            self.assertEqual(report["kept"].get(what, 0), info.get(what, 0))
                        self.demand_sound(output)

    def test_a_node_finds_its_mesh_though_a_name_is_damaged(self):
        path = ROOT / "samples/crane.gpb"
        info = json.loads(tenon("info", "--json", path).stdout)
        for line in tenon("map", "--json", path).stdout.splitlines():
            part = json.loads(line)
            if part.get("value") not in ("crane_Mesh", "#crane_Mesh"):
                continue
            data = bytearray(path.read_bytes())
            end = part["offset"] + part["size"]
            data[end - 3:end] = b"\xfe\x01\x02"
            with self.subTest(part=part["path"]):
                report, output = self.salvage(bytes(data), ".gpb")
                for what in ("meshes", "triangles", "nodes", "animations", "materials"):
                    self.assertEqual(report["kept"].get(what), info.get(what))
                self.assertIn("meshes of nodes", [l["feature"] for l in report["losses"]])
                self.demand_sound(output)

    def test_a_key_at_a_huge_time_is_dropped(self):
        path = ROOT / "samples/crane.gpb"
        data = bytearray(path.read_bytes())
        part = "blocks[2].animations.animations[0].channels[0].key_times"
        offset, size = self.place_of(path, part)
        struct.pack_into("<I", data, offset + size - 4, 0xf0000000)
        report, output = self.salvage(bytes(data), ".gpb")
        self.assertEqual([l["count"] for l in report["losses"]
                          if l["feature"] == "keys of animations"], [1])
        self.assertEqual(report["kept"]["animations"], 2)
        self.demand_sound(output)
        # All of its times, and those of all others.
        for channel in range(64):
            try:
                offset, size = self.place_of(path, part.replace("channels[0]",
                                                                f"channels[{channel}]"))
            except AssertionError:
                break
            struct.pack_into(f"<{size // 4}I", data, offset, *range(0xf0000000, 0xf0000000
                                                                    + size // 4))
        report, output = self.salvage(bytes(data), ".gpb")
        self.assertEqual(report["kept"]["animations"], 1)
        self.demand_sound(output)

    def test_a_model_without_magic_is_known_by_its_name(self):
        data = (ROOT / "tests/fixtures/bbmod/0_full.bbmod").read_bytes()
        count = struct.unpack_from("<I", data, 6)[0]
        twice = data[:6] + struct.pack("<I", 2 * count) + 2 * data[10:]
        report, output = self.salvage(twice[: len(twice) - 1], ".bbmod")
        self.assertEqual(report["fault"]["error"]["code"], "truncated")
        self.assertEqual(report["kept"]["vertices"], count)
        self.demand_sound(output)

    def test_a_model_that_cannot_be_recognized_can_be_afterwards(self):
        triangle = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
        report, output = self.salvage(b"# \x0f\x94\x04\n" + triangle, ".obj")
        self.assertEqual(report["kept"]["triangles"], 1)
        self.demand_sound(output)

    def test_nodes_outlive_the_list_of_scenes(self):
        data = (ROOT / "samples/crane.glb").read_bytes()
        size = struct.unpack_from("<I", data, 12)[0]
        tree = json.loads(data[20:20 + size])
        scenes = tree.pop("scenes")
        text = json.dumps({**tree, "scenes": scenes}).encode()
        text = text[: text.index(b'"scenes"') + 12] + b"\xff" * 8
        text += b" " * (-len(text) % 4)
        chunk = struct.pack("<II", len(text), 0x4e4f534a) + text + data[20 + size:]
        report, output = self.salvage(struct.pack("<4sII", b"glTF", 2, 12 + len(chunk)) + chunk,
                                      ".glb")
        info = json.loads(tenon("info", "--json", ROOT / "samples/crane.glb").stdout)
        self.assertEqual(report["kept"]["triangles"], info["triangles"])
        self.demand_sound(output)

    def test_a_damaged_item_of_a_text_leaves_the_numbers_of_the_others(self):
        path = ROOT / "samples/crane.glb"
        data = path.read_bytes()
        info = json.loads(tenon("info", "--json", path).stdout)
        size = struct.unpack_from("<I", data, 12)[0]
        materials = data.index(b'"materials"', 20, 20 + size)
        key = data.index(b'"pbrMetallicRoughness"', materials)
        name = data.index(b'"name":"', materials) + 8
        for what, place, damage in (("a key", key, b"xxxx"), ("a value", key + 22, b"    "),
                                    ("a text", name, b"\x01\xff")):
            with self.subTest(damaged=what):
                end = place + len(damage)
                report, output = self.salvage(data[:place] + damage + data[end:], ".glb")
                for kept in ("meshes", "triangles", "nodes", "animations", "materials"):
                    self.assertEqual(report["kept"][kept], info[kept])
                self.demand_sound(output)

    def test_nothing_is_replaced_without_force(self):
        source = ROOT / "samples/crane.bplx"
        output = self.folder / "there.bplx"
        output.write_bytes(b"mine")
        run = tenon("salvage", source, output)
        self.assertEqual(run.returncode, 2)
        self.assertEqual(output.read_bytes(), b"mine")

    def test_real_models(self):
        if not real_files.CORPUS:
            self.skipTest(real_files.NOT_SET)
        longest = 0 if "--all" in sys.argv else 100_000
        for path in real_files.find(*READ):
            data = path.read_bytes()
            if longest and len(data) > longest:
                continue
            some = [*cuts(data, (10, 50, 90)), *pages(data, random.Random(path.name), 1)]
            self.damage(path.name, some)


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--all"])
