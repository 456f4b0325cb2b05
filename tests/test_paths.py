#!/usr/bin/env python3
"""test_paths.py: files that a model names are opened and written only inside its folder.

Every place of every format that can name a file gets every hostile name. A file outside the folder
has bytes that must not appear anywhere; strace also shows that nothing outside was opened. A
harmless name in the same place is opened, so that the test would notice.
"""
# SPDX-License-Identifier: MIT

import base64
import functools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unicodedata
import unittest
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/import"))
import pipe_messages  # noqa: E402

TOOL = Path(os.environ.get("TENON") or ROOT / "build/release/tenon").resolve()
SAMPLES = ROOT / "samples"
TIMEOUT = 1800  # Seconds; only against hanging.
TRIANGLE = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
CANARY_WORD = b"canary-never-to-be-seen"


def run(*arguments, cwd=None, tracer=()):
    environment = {**os.environ, "LC_ALL": "C",
                   "TENON_IMPORT": os.path.join(cwd or "", "importer")}
    if tracer:  # A process cannot be traced by two.
        environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return subprocess.run([*tracer, str(TOOL), *map(str, arguments)], cwd=cwd, timeout=TIMEOUT,
                          capture_output=True, stdin=subprocess.DEVNULL, env=environment)


@functools.lru_cache(None)
def can_trace():
    """Whether strace is installed and may be used."""
    if not shutil.which("strace"):
        return False
    return subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True,
                          check=False).returncode == 0


def png(words=b""):
    """A picture of one pixel, with a comment."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", 1, 1, 8, 2, 0, 0, 0))
            + chunk(b"tEXt", b"Comment\0" + words) + chunk(b"IDAT", zlib.compress(b"\0abc"))
            + chunk(b"IEND", b""))


# A picture and a material library; its first bytes can be taken for a buffer.
SECRET = png(CANARY_WORD) + b"\nnewmtl m\nmap_Kd " + CANARY_WORD + b".png\n"
CANARY = SECRET[:36]


# -- Places that name a file: each writes a model into a folder and returns its path

def gltf(folder, buffer, image):
    text = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}], "buffers": [{"byteLength": 36, "uri": buffer}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": kind}
                          for kind in ("VEC3", "VEC2")],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1},
                                       "material": 0}]}],
            "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
            "textures": [{"source": 0}], "images": [{"uri": image}]}
    path = folder / "model.gltf"
    path.write_text(json.dumps(text))
    return path


def text_of(name):
    return name.decode("latin-1")


def in_gltf_buffer(folder, name):
    return gltf(folder, text_of(name), "none.png")


def in_gltf_image(folder, name):
    data = "data:application/octet-stream;base64," + base64.b64encode(TRIANGLE).decode()
    return gltf(folder, data, text_of(name))


OBJ = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n"


def in_obj_library(folder, name):
    (folder / "model.obj").write_bytes(b"mtllib " + name + b"\n" + OBJ)
    return folder / "model.obj"


def in_mtl_map(folder, name):
    (folder / "model.mtl").write_bytes(b"newmtl m\nmap_Kd " + name + b"\n")
    return in_obj_library(folder, b"model.mtl")


def twin_text(name):
    """A text as `tenon dump` writes it."""
    try:
        if b"\0" not in name:
            return name.decode()
    except UnicodeDecodeError:
        pass
    return {"hex": name.hex()}


@functools.lru_cache(None)
def dumped(sample):
    return json.loads(run("dump", SAMPLES / sample).stdout)


def replaced(value, old, new):
    if isinstance(value, dict):
        return {key: replaced(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [replaced(item, old, new) for item in value]
    return new if value == old else value


def fit_sizes(twin, more):
    """Sizes of a ModelData file whose pictures have names of `more` bytes more."""
    for i, mesh in enumerate(twin["meshes"]):
        if mesh.get("material", {}).get("map_sizes", [0])[0]:
            mesh["material"]["map_sizes"][0] += more
            mesh["material_size"] += more
            twin["mesh_sizes"][i] += more


def built(folder, sample, old, name, target):
    """A sample in which one text is another; None if the format cannot have it."""
    path, twin = folder / "twin.json", replaced(dumped(sample), old, twin_text(name))
    if target.endswith(".cem"):
        fit_sizes(twin, len(name) - len(old))
    path.write_text(json.dumps(twin))
    done = run("build", "-f", path, folder / target)
    path.unlink()
    return folder / target if done.returncode == 0 else None


def in_bmw_texture(folder, name):
    return built(folder, "crane.bmw", "crane.png", name, "model.bmw")


def in_modeldata_map(folder, name):
    return built(folder, "crane.cem", "crane.png", name, "model.cem")


def in_bbmod_material(folder, name):
    return built(folder, "crane.bbmod", "paint", name, "model.bbmod")


def in_bbmat_texture(folder, name):
    text = (SAMPLES / "crane_paint.bbmat").read_text()
    (folder / "model_paint.bbmat").write_text(
        text.replace('"crane.png"', json.dumps(text_of(name))))
    shutil.copy(SAMPLES / "crane.bbmod", folder / "model.bbmod")
    return folder / "model.bbmod"


def in_material_texture(folder, name):
    text = (SAMPLES / "crane.material").read_bytes()
    (folder / "model.material").write_bytes(text.replace(b"crane.png", name))
    shutil.copy(SAMPLES / "crane.gpb", folder / "model.gpb")
    return folder / "model.gpb"


def in_import_result(folder, name):
    """What tenon-import makes of an FBX file is a model like any other: here, another program's."""
    text = in_gltf_image(folder, name).read_bytes()
    text += b" " * (-len(text) % 4)
    result = b"glTF" + struct.pack("<4I", 2, 20 + len(text), len(text), 0x4e4f534a) + text
    (folder / "result").write_bytes(pipe_messages.result_messages(result))
    (folder / "importer").write_text("#!/bin/sh\nexec cat result\n")
    (folder / "importer").chmod(0o755)
    (folder / "model.dae").write_bytes(b"<COLLADA/>\n")
    return folder / "model.dae"


PLACES = {function.__name__: function for function in (
    in_gltf_buffer, in_gltf_image, in_obj_library, in_mtl_map, in_bmw_texture, in_modeldata_map,
    in_bbmod_material, in_bbmat_texture, in_material_texture, in_import_result)}

# -- Names


def hostile_names(box):
    """Names that lead out of the folder `model` of a box, or to what must not be opened."""
    outside = os.fsencode(box / "outside")
    return [
        outside + b"/secret", b"../outside/secret", b"sub/../../outside/secret",
        b"..\\outside\\secret", b"sub\\..\\..\\outside\\secret", b"./../outside/secret",
        b"../model/../outside/secret", b"C:" + outside + b"/secret", b"C:\\secret", b"C:secret",
        b"\\\\server\\share\\secret", b"//server/share/secret", b"\\\\?\\C:\\secret",
        b"file://" + outside + b"/secret", b"http://127.0.0.1:9/secret",
        b"%2e%2e/outside/secret", b"..%2Foutside%2Fsecret", b"%2e%2e%5coutside%5csecret",
        outside.replace(b"/", b"%2F") + b"%2Fsecret", b"link", b"linked/secret",
        b"sub/linked/secret", b"circle", b"pipe", b"sub", b"CON", b"NUL", b"aux.txt", b"COM1",
        b"LPT1.png",
        b"/proc/self/limits", b"/proc/self/cwd/../outside/secret", b"/dev/stdin", b"/dev/zero",
        b"/etc/passwd", b"harmless\0/../../outside/secret", b"../outside/secret\0.png",
        b"x" * 5000, b"../" * 2000 + b"etc/passwd", b"~/secret", b"$HOME/secret", b".", b"..", b"",
        b"\xc0\xae\xc0\xae/outside/secret", b"..\xff/outside/secret",
    ]


def make_box(folder):
    """A box: the folder of a model, and beside it what the model must not reach."""
    model, outside = folder / "model", folder / "outside"
    (model / "sub").mkdir(parents=True)
    outside.mkdir()
    secret = outside / "secret"
    secret.write_bytes(SECRET)
    # BBMOD names materials without the extension of their files.
    material = (SAMPLES / "crane_paint.bbmat").read_bytes()
    (outside / "secret.bbmat").write_bytes(material.replace(b"crane.png", CANARY_WORD))
    (model / "harmless.bbmat").write_bytes(material)
    for name in ("link.bbmat", "model_link.bbmat"):
        (model / name).symlink_to(outside / "secret.bbmat")
    (model / "link").symlink_to(secret)
    (model / "linked").symlink_to(outside)
    (model / "sub/linked").symlink_to("../../outside")
    (model / "circle").symlink_to("circle")
    os.mkfifo(model / "pipe")
    (model / "harmless").write_bytes(TRIANGLE)
    return model


# -- What was opened

OPENED = re.compile(r"^(?:\d+ +)?open(?:at2?)?\(.* = \d+<(.*)>$", re.M)


def opened_paths(trace):
    """The resolved paths of the files that a trace says were opened."""
    for path in OPENED.findall(trace):
        yield path.encode("latin-1").decode("unicode_escape").encode("latin-1")


class Box(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.box = Path(os.path.realpath(folder.name))
        self.model = make_box(self.box)
        self.output = self.box / "output"

    def look(self, *arguments):
        """Run the tool in the folder of the model; which files it opened, and its result."""
        trace = self.box / "trace"
        tracer = ["strace", "-f", "-qq", "-y", "-s", "8192", "-e", "trace=open,openat,openat2",
                  "-o", trace] if can_trace() else []
        self.output.mkdir()
        done = run(*arguments, cwd=self.model, tracer=tracer)
        written = b"".join(path.read_bytes() for path in sorted(self.output.rglob("*"))
                           if path.is_file())
        shutil.rmtree(self.output)
        opened = opened_paths(trace.read_text("latin-1")) if tracer else []
        return done, set(opened), done.stdout + done.stderr + written

    def commands(self, model):
        for target in ("out.glb", "out.gltf", "out.gpb"):
            for how in (["--embed"], ["--textures", "copy"]):
                yield ["convert", "-f", *how, model.name, self.output / target]
        yield ["info", "--full", model.name]
        yield ["check", model.name]

    def forbidden(self, path):
        """Whether a path is not one of the model's, the output's or the system's own."""
        allowed = (self.model, self.output, "/usr", "/lib", "/etc/ld.so", "/etc/localtime",
                   "/sys/devices/system/cpu", TOOL.parent, "/dev/null")
        if re.match(rb"/proc/\d+/(maps|cmdline|environ)$", path):  # Sanitizers read these.
            return False
        return not path.startswith(tuple(os.fsencode(folder) for folder in allowed))


# -- Tests

@unittest.skipUnless(hasattr(os, "mkfifo"), "there are no links and pipes")
class Opening(Box):
    def test_nothing_outside_is_opened(self):
        for place, write in PLACES.items():
            refused = []
            for name in hostile_names(self.box):
                model = write(self.model, name)
                if model is None:
                    refused.append(name)
                    continue
                commands = list(self.commands(model))
                # All commands for what matters most, one of them in turn for the rest.
                if name not in (b"link", b"../outside/secret"):
                    commands = [commands[len(name) % len(commands)]]
                for command in commands:
                    self.check_inside(place, name, command)
            self.assertLess(len(refused), 6, (place, refused))

    def check_inside(self, place, name, command):
        done, opened, seen = self.look(*command)
        what = f"{place}, {name[:60]!r}, {command[0]}"
        self.assertIn(done.returncode, (0, 1, 2, 3), what)
        self.assertNotIn(b"Sanitizer", seen, what)
        self.assertNotIn(CANARY, seen, what)
        self.assertNotIn(CANARY_WORD, seen, what)
        bad = sorted(path for path in opened if self.forbidden(path))
        self.assertEqual(bad, [], what)

    def test_links_beside_a_model_are_not_followed_out(self):
        """Files that belong to a model by their names, such as sidecars."""
        for sample, side in (("crane.bmw", ".json"), ("crane.gpb", ".material"),
                             ("crane.bbmod", "_lift.bbanim"), ("crane.gpb", ".animation")):
            model = self.model / f"model{Path(sample).suffix}"
            shutil.copy(SAMPLES / sample, model)
            link = self.model / f"model{side}"
            link.symlink_to(self.box / "outside/secret")
            for command in self.commands(model):
                self.check_inside(side, b"a link", command)
            link.unlink()

    @unittest.skipUnless(can_trace(), "strace is not installed, or not permitted")
    def test_what_is_inside_is_opened(self):
        for place, write in PLACES.items():
            model = write(self.model, b"harmless")
            opened = set()
            for command in self.commands(model):
                opened |= self.look(*command)[1]
            beside = {os.fsencode(self.model / name) for name in ("harmless", "harmless.bbmat")}
            self.assertTrue(opened & beside, place)

    def test_the_canary_would_be_seen(self):
        shutil.copy(self.box / "outside/secret", self.model / "own")
        for write, seen in ((in_gltf_buffer, CANARY), (in_gltf_image, CANARY_WORD)):
            model = write(self.model, b"own")
            command = ["convert", "-f", "--embed", model.name, self.output / "out.glb"]
            self.assertIn(seen, self.look(*command)[2], write.__name__)


# -- File names that are made of names in a model

NAMES = ["../../x", "/x", "CON", "con", "nul.txt", "a/b", "a\\b", "", ".", "..", "...", " ",
         "x" * 300, "\u00e9" * 200, "a\nb", "a\rb", "\x1b[2J", "\u202eabc", "lift", "Lift",
         "LIFT", "lift_2",
         "a:b", "a*b?", "C:x", "-f", "~", "$HOME", "x.", "x ", "\u0085", "a\x7fb", "COM1", "x%2fy",
         "\u00c9tat", "\u00e9tat", "e\u0301tat", "\u03a9", "\u03c9", "\u042f", "\u044f",
         "stra\u00dfe", "STRA\u1e9eE", "\uff21", "\uff41", "a\u0323\u0302", "a\u0302\u0323",
         "\ud55c", "\u1112\u1161\u11ab"]
READABLE = ["\u0438\u0434\u0442\u0438", "\u0439", "\u6b69\u304f", "\u8d70\u308b",
            "\u304b\u304d", "\u304c\u304d", "\u30a2", "\u3042", "\u0628", "d\u00e9j\u00e0",
            "deja", "\u0131", "i"]
DEVICES = re.compile(r"(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$")


def model_of_names(folder, names):
    """A model in which nodes, meshes, materials, pictures and clips have these names."""
    picture = base64.b64encode(png()).decode()
    buffer = base64.b64encode(TRIANGLE + struct.pack("<f", 0)).decode()
    count = len(names)
    text = {
        "asset": {"version": "2.0"}, "scene": 0,
        "scenes": [{"name": "\x1b[1m", "nodes": list(range(count))}],
        "nodes": [{"name": name, "mesh": i} for i, name in enumerate(names)],
        "meshes": [{"name": name, "primitives": [{"attributes": {"POSITION": 0}, "material": i}]}
                   for i, name in enumerate(names)],
        "materials": [{"name": name, "pbrMetallicRoughness": {"baseColorTexture": {"index": i}}}
                      for i, name in enumerate(names)],
        "textures": [{"source": i} for i in range(count)],
        "images": [{"name": name, "uri": "data:image/png;base64," + picture} for name in names],
        "animations": [{"name": name, "samplers": [{"input": 1, "output": 2}], "channels": [
            {"sampler": 0, "target": {"node": i, "path": "translation"}}]}
            for i, name in enumerate(names)],
        "buffers": [{"byteLength": 40, "uri": "data:application/octet-stream;base64," + buffer}],
        "bufferViews": [{"buffer": 0, "byteLength": 40}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
             "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 0, "byteOffset": 36, "componentType": 5126, "count": 1,
             "type": "SCALAR", "min": [0], "max": [0]},
            {"bufferView": 0, "componentType": 5126, "count": 1, "type": "VEC3"}]}
    path = folder / "odd.gltf"
    path.write_text(json.dumps(text))
    return path


def name_fault(name):
    """None, or what is wrong with the name of a file on some system."""
    if len(name) > 255:
        return "too long"
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return "no UTF-8"
    if re.search(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*\u202a-\u202e\u2066-\u2069]', text):
        return "odd characters"
    if DEVICES.match(text):
        return "a device"
    return "ends in a dot or a blank" if text.rstrip(". ") != text else None


def folded(name):
    """A name as Windows and macOS see it."""
    apart = unicodedata.normalize("NFD", name.decode())
    return unicodedata.normalize("NFD", apart.casefold())


class Writing(Box):
    def write_all(self, target, *options, names=None):
        self.output.mkdir(exist_ok=True)
        source = model_of_names(self.model, names or NAMES)
        done = run("convert", "-f", *options, source, self.output / target, cwd=self.model)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [os.fsencode(path.name) for path in self.output.iterdir()]

    def check_written(self, *convert):
        names = self.write_all(*convert)
        for name in names:
            self.assertIsNone(name_fault(name), f"{convert}: {name!r}")
        self.assertEqual(len(set(map(folded, names))), len(names), convert)
        shutil.rmtree(self.output)

    def test_names_of_files_are_safe_and_different(self):
        before = sorted(path for path in self.box.rglob("*") if self.output not in path.parents)
        for target in ("out.bbmod", "out.gpb", "out.bmw", "out.cea", "out.cem", "out.bplx",
                       "out.gltf", "out.obj"):
            self.check_written(target, "--textures", "copy")
            self.check_written(target)
        after = sorted(path for path in self.box.rglob("*") if path != self.model / "odd.gltf")
        self.assertEqual(after, before)

    def test_every_clip_gets_its_file(self):
        clips = [name for name in self.write_all("out.bbmod") if name.endswith(b".bbanim")]
        self.assertEqual(len(clips), len(NAMES))

    def test_names_that_are_different_get_no_numbers(self):
        names = self.write_all("out.bbmod", names=READABLE)
        self.assertEqual({f"out_{name}.bbanim".encode() for name in READABLE},
                         {name for name in names if name.endswith(b".bbanim")})


# -- What is printed

UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
SPOKEN = ["\x1b[31mred", "a\x07b", "\u009b2J", "a\nb", "\r!", "\u202eabc", "\u2066x", "\x7f"]


class Printing(Box):
    def models(self):
        """Models of every format whose names hold escapes, and one that is broken."""
        shutil.copy(SAMPLES / "crane.png", self.model)
        odd = self.model / "odd.gltf"
        text = json.loads(model_of_names(self.model, NAMES).read_text())
        for key in ("nodes", "meshes", "materials", "animations"):
            for i, item in enumerate(text[key]):
                item["name"] = SPOKEN[i % len(SPOKEN)] + str(i)
        text["extensionsUsed"] = SPOKEN
        text["images"] = [{"uri": word.replace("\n", "")} for word in SPOKEN * 9]
        odd.write_text(json.dumps(text))
        yield odd
        for target in ("m.bbmod", "m.gpb", "m.bmw", "m.cea", "m.cem", "m.bplx", "m.glb", "m.obj"):
            run("convert", "-f", odd, self.model / target)
            yield self.model / target
        for sample, old in (("crane.gpb", "crane"), ("crane.bmw", "crane.png"),
                            ("crane.cem", "crane.png"), ("crane.cea", "crane"),
                            ("crane.bbmod", "paint"), ("crane.bplx", "crane")):
            for i, word in enumerate((SPOKEN[0], SPOKEN[2], SPOKEN[5])):
                target = f"s{i}{Path(sample).suffix}"
                model = built(self.model, sample, old, word.encode(), target)
                if model:
                    yield model
        broken = self.model / "\x1b[31m\nbroken\u202e.gltf"
        broken.write_bytes(b'{"asset": {"version": "\x1b[2J\xc2\x9b"}, "\x1b]0;x\x07": }')
        yield broken

    def test_no_escape_is_printed(self):
        count = 0
        for model in self.models():
            other = self.model / "odd.gltf"
            for command in (["info"], ["info", "--full"], ["info", "--tree"], ["check"], ["map"],
                            ["diff", other], ["verify", other], ["convert", "-f"],
                            ["salvage", "-f"]):
                writes = command[0] in ("convert", "salvage")
                for options in ([], ["--json"]):
                    result = [self.box / "result.glb"] if writes else []
                    done = run(*command, *options, model, *result)
                    count += 1
                    self.check_printed(done, command, model)
        self.assertGreater(count, 300)

    def check_printed(self, done, command, model):
        what = f"{command}, {model.name!r}"
        self.assertIn(done.returncode, (0, 1, 2, 3), what)
        for stream in (done.stdout, done.stderr):
            found = UNSAFE.search(stream.decode("utf-8", "strict"))
            around = stream.decode()[max(0, found.start() - 60):found.end() + 20] if found else ""
            self.assertIsNone(found, f"{what}: {around!r}")

    def test_names_of_other_files_are_cleaned_in_messages(self):
        for word in SPOKEN:
            for command in ("info", "check", "map", "dump", "convert", word):
                done = run(command, f"no {word}", f"nor {word}")
                self.check_printed(done, [command], Path(word))


if __name__ == "__main__":
    unittest.main()
