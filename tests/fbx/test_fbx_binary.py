#!/usr/bin/env python3
"""test_fbx_binary.py: FBX text files become binary ones with the same content.

TENON names the tool. Real files are taken as well where TENON_CORPUS is set.
"""
# SPDX-License-Identifier: MIT

import base64
import json
import struct
import sys
import unittest
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "tools")]
import real_files  # noqa: E402
from convert_help import ConvertingTest, tenon  # noqa: E402
from fbx_file import as_binary, as_text  # noqa: E402
from fbx_fixture_scenes import Scene, vector  # noqa: E402
from fbx_paint import PaintedModel, png  # noqa: E402

FIXTURES = HERE.parent / "fixtures/fbx"
SINGLE = {"C": "B", "B": "B", "Y": "h", "I": "i", "L": "q", "F": "f", "D": "d"}
ARRAY = {"b": "B", "i": "i", "l": "q", "f": "f", "d": "d"}


class Reader:
    """The nodes of a binary file, each (name, values, children); a value is (letter, content)."""

    def __init__(self, data):
        self.data, self.at = data, 27
        self.version = struct.unpack_from("<I", data, 23)[0]
        self.header = "<QQQB" if self.version >= 7500 else "<IIIB"

    def take(self, form):
        found = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return found

    def bytes(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def value(self):
        letter = chr(self.take("<B")[0])
        if letter in SINGLE:
            return letter, self.take("<" + SINGLE[letter])[0]
        if letter in "SR":
            return letter, self.bytes(self.take("<I")[0])
        count, encoding, size = self.take("<III")
        data = self.bytes(size)
        return letter, struct.unpack(f"<{count}{ARRAY[letter]}",
                                     zlib.decompress(data) if encoding else data)

    def nodes(self, end=None):
        found = []
        while end is None or self.at < end:
            node_end, count, _, size = self.take(self.header)
            if not node_end:
                return found
            name = self.bytes(size).decode()
            values = [self.value() for _ in range(count)]
            found.append((name, values, self.nodes(node_end) if self.at < node_end else []))
        return found


def nodes_of(data):
    return Reader(data).nodes()


def find(nodes, *path):
    """The first node at the end of a path of names."""
    for name in path:
        node = next(node for node in nodes if node[0] == name)
        nodes = node[2]
    return node


def plain(nodes):
    """Without the width of single integers, and without the id of the file."""
    return [(name, [("I" if letter in "YL" else letter, content) for letter, content in values],
             plain(children)) for name, values, children in nodes if name != "FileId"]


def document(*nodes, version="7.4.0"):
    return f"; FBX {version} project file\n".encode() + "\n".join(nodes).encode() + b"\n"


class FbxBinary(ConvertingTest):
    def binary(self, data):
        """The nodes of a text that was changed. Everything about the new file is in order."""
        text, new, again = (self.folder / name for name in ("a.fbx", "b.fbx", "c.fbx"))
        text.write_bytes(data)
        run = tenon("convert", "-f", text, new, "--as", "binary")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(tenon("convert", "-f", text, again, "--as", "binary").returncode, 0)
        self.assertEqual(new.read_bytes(), again.read_bytes())
        self.assertEqual(tenon("convert", "-f", new, again, "--as", "binary").returncode, 0)
        self.assertEqual(new.read_bytes(), again.read_bytes())
        self.assertNotIn("error[", tenon("check", new).stderr + tenon("check", new).stdout)
        return nodes_of(new.read_bytes())

    def refused(self, data, message, *options):
        path, new = self.folder / "a.fbx", self.folder / "b.fbx"
        path.write_bytes(data)
        run = tenon("convert", "-f", path, new, *(options or ("--as", "binary")))
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn(message, run.stderr)
        self.assertFalse(new.exists())
        return run.stderr

    def same(self, text):
        """The scene is the same to the last bit, except for what no scene has."""
        new = self.folder / "same.fbx"
        run = tenon("convert", "-f", text, new, "--as", "binary")
        self.assertEqual(run.returncode, 0, run.stderr)
        check = json.loads(tenon("check", new, "--json").stdout)
        self.assertEqual([one for one in check["findings"] if one["severity"] == "error"],
                         [one for one in json.loads(tenon("check", text, "--json").stdout)
                          ["findings"] if one["severity"] == "error"], text.name)
        found = json.loads(tenon("verify", text, new, "--json").stdout)
        if "verdict" not in found:
            return None
        self.assertEqual(found.get("not_read_a"), found.get("not_read_b"), text.name)
        self.assertEqual(found["largest"], 0, text.name)
        return found

    # -- Files

    def test_fixtures_are_the_same_scenes(self):
        names = ["curves_text", "frames_text", "shapes_text", "skin_text", "text", "text_old"]
        for name in names:
            with self.subTest(name):
                self.binary((FIXTURES / f"{name}.fbx").read_bytes())
                self.assertIsNotNone(self.same(FIXTURES / f"{name}.fbx"))

    def test_twins_have_the_same_nodes(self):
        for name in ("shapes", "skin"):
            with self.subTest(name):
                found = self.binary((FIXTURES / f"{name}_text.fbx").read_bytes())
                wanted = nodes_of((FIXTURES / f"{name}.fbx").read_bytes())
                self.assertEqual(plain(found), plain(wanted))

    def test_scenes_have_the_same_nodes(self):
        scene = Scene()
        model = scene.model("box", "Mesh", vector("Lcl Translation", 1, 2, 3))
        scene.mesh(model, [0.0, 1.0, 2.0] * 180, list(range(179)) + [-180])
        for nodes in (scene.nodes(), PaintedModel("wood.png").nodes()):
            found = self.binary(as_text(nodes))
            self.assertEqual(plain(found), plain(nodes_of(as_binary(nodes))))

    def test_real_files_are_the_same_scenes(self):
        if not real_files.CORPUS:
            self.skipTest(real_files.NOT_SET)
        refused = []
        for path in sorted((real_files.CORPUS / "fbx").glob("*_ascii*.fbx")):
            if tenon("info", path).returncode:
                continue
            run = tenon("convert", "--dry-run", path, self.folder / "x.fbx", "--as", "binary")
            if run.returncode:
                refused.append(path.name)
            else:
                self.same(path)
        # A word among the numbers, and content that is not base64.
        self.assertEqual(refused, ["synthetic_bad_inf_nan_fail_7500_ascii.fbx",
                                   "synthetic_bad_inf_nan_fail_7700_ascii.fbx",
                                   "synthetic_base64_parse_7700_ascii.fbx"])

    # -- Types

    def types(self, *nodes, version="7.4.0"):
        return ["".join(letter for letter, _ in values)
                for name, values, _ in self.binary(document(*nodes, version=version))
                if name != "FileId"]

    def test_properties_have_their_declared_types(self):
        rows = {'"int", "", "A",1': "I", '"bool", "", "A",1': "I", '"enum", "", "",2': "I",
                '"KTime", "Time", "",3': "L", '"ULongLong", "", "",3': "L",
                '"Number", "", "A",1': "D", '"double", "Number", "",1': "D",
                '"Color", "", "A",1,0,1': "DDD", '"Lcl Rotation", "", "A",1,0,1.5': "DDD",
                '"float", "", "",1': "F", '"Short", "", "A",-2': "Y", '"Short", "", "A",70000': "I",
                '"KString", "", "", "a::b"': "S", '"int", "", "",5000000000': "L",
                '"unknown", "", "",1,1.5': "ID", '"object", "", ""': ""}
        nodes = ['P: "x", ' + row for row in rows]
        self.assertEqual([one[4:] for one in self.types(*nodes)], list(rows.values()))
        self.assertIn(("S", b"a::b"), find(self.binary(document(nodes[12])), "P")[1])

    def test_ids_names_and_connections(self):
        nodes = self.binary(document(
            'Objects: {', 'Model: 7, "Model::a::b", "Mesh" {', 'Shading: T', '}', '}',
            'Connections: {', 'C: "OP",7,0, "Model::x"', '}'))
        self.assertEqual(find(nodes, "Objects", "Model")[1],
                         [("L", 7), ("S", b"a::b\x00\x01Model"), ("S", b"Mesh")])
        self.assertEqual(find(nodes, "Objects", "Model", "Shading")[1], [("C", ord("T"))])
        self.assertEqual(find(nodes, "Connections", "C")[1],
                         [("S", b"OP"), ("L", 7), ("L", 0), ("S", b"Model::x")])

    def test_arrays_by_name(self):
        rows = {"Vertices": "d", "Weights": "d", "UV": "d", "UVIndex": "i",
                "KeyTime": "l", "KeyValueFloat": "f", "KeyAttrDataFloat": "f",
                "KeyAttrRefCount": "i", "Hole": "b", "Unknown": "i"}
        self.assertEqual(self.types(*(f"{name}: *3 {{\na: 1,0,1\n}}" for name in rows)),
                         list(rows.values()))
        self.assertEqual(self.types("Unknown: *2 {\na: 1,5000000000\n}",
                                    "Unknown: *2 {\na: 1,0.5\n}",
                                    "Vertices: *0 {\na: \n}",
                                    "Two: *1 {\na: 1\n}, *2 {\na: 1,0.5\n}, 3"),
                         ["l", "d", "d", "idI"])

    def test_tangents_are_bits(self):
        bits = struct.unpack("<i", struct.pack("<f", -1.5))[0]
        for version, number in ((4009, bits), (4007, -1.5)):
            nodes = self.binary(document("AnimationCurve: {", f"KeyVer: {version}",
                                         f"KeyAttrDataFloat: *1 {{\na: {number}\n}}", "}"))
            self.assertEqual(find(nodes, "AnimationCurve", "KeyAttrDataFloat")[1],
                             [("f", (-1.5,))])

    def test_keys_of_old_files(self):
        key = "10,5,L,20,6,C,n,30,7,U,s,1,2,n,40,8,U,b,1,2,a,3,4,50,9,U,a,n,60,1,U,s,1,2,r,3"
        self.assertEqual(self.types("Key: " + key, version="6.1.0"),
                         ["LDC" "LDCC" "LDCCDDC" "LDCCDDCDD" "LDCCC" "LDCCDDCD"])

    def test_lists_of_old_files(self):
        numbers = ",".join(map(str, range(40)))
        self.assertEqual(self.types("Vertices: " + numbers, "Edges: " + numbers, "UV: 1,2",
                                    'Connect: "OO", "Model::a", "Model::Scene"', version="6.1.0"),
                         ["D" * 40, "I" * 40, "DD", "SSS"])

    def test_content_is_decoded(self):
        picture = png(1, 2, 3)
        found = self.binary(as_text(PaintedModel("wood.png", base64.b64encode(picture)).nodes()))
        self.assertEqual(find(found, "Objects", "Video", "Content")[1], [("R", picture)])
        self.assertEqual(find(self.binary(document('Content: , ""')), "Content")[1], [])
        self.assertEqual(self.types("Content: 1"), ["I"])

    def test_the_version_is_the_one_of_the_text(self):
        for text, number in (("5.8.0", 3000), ("6.1.0", 6100), ("7.4.0", 7400), ("7.5.0", 7500)):
            self.binary(document("Objects: {", "}", version=text))
            data = (self.folder / "b.fbx").read_bytes()
            self.assertEqual(Reader(data).version, number)

    # -- Refusals

    def test_numbers_that_do_not_fit_are_refused(self):
        for node in ("Vertices: *1 {\na: 9007199254740993\n}", "Default: 9007199254740993",
                     'P: "x", "float", "", "",1e300', "KeyValueFloat: *1 {\na: 1e300\n}",
                     "KeyTime: *1 {\na: 99999999999999999999\n}"):
            with self.subTest(node):
                message = self.refused(document("Objects: {", node, "}"),
                                       "has a number that its type does not hold")
                self.assertIn("nodes[0].children[0]", message)

    def test_what_else_is_refused(self):
        self.refused(document('Content: "?"'), "is not base64")
        self.assertIn("nodes[0].children[1]", self.refused(
            document("Objects: {", "UV: 1", "UV: *1 {\na: word\n}", "}"), "has a text where"))
        self.refused(document("AnimationCurve: {", "KeyVer: 4009",
                              "KeyAttrDataFloat: *1 {\na: 1.5\n}", "}"), "has fractions")
        self.refused(b"Objects: {\n}\n", "does not say which version")
        self.refused((FIXTURES / "narrow.fbx").read_bytes(),
                     "binary fbx files cannot be changed to text", "--as", "text")


if __name__ == "__main__":
    unittest.main()
