"""scenarios.py: commands of the tool, with the files they need, for tests that make them fail."""
# SPDX-License-Identifier: MIT

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FIXTURES = "tests/fixtures/"

# One model of each format that has as much in it as a small file can.
MODELS = {
    "skin.bbmod": FIXTURES + "bbmod/3.4_skinned.bbmod",
    "walk.bbanim": FIXTURES + "bbanim/3.4_events.bbanim",
    "scene.gpb": FIXTURES + "gpb/1_5_scene.gpb",
    "full.bmw": FIXTURES + "bmw/R4_full.bmw",
    "full.cea": FIXTURES + "modeldata/current_full.cea",
    "shapes.cem": FIXTURES + "modeldata/current_shapes.cem",
    "full.bplx": FIXTURES + "bplx/document_full.bplx",
    "skin.glb": FIXTURES + "gltf/skinned.glb",
    "looks.gltf": FIXTURES + "gltf/materials.gltf",
    "looks.obj": FIXTURES + "obj/materials.obj",
}
TARGETS = ("bbmod", "gpb", "bmw", "cea", "cem", "bplx", "glb", "gltf", "obj")

# The crane in the engines' formats: with sidecars, clips and pictures.
CRANE = {"bbmod": ("crane.bbmod", "crane_lift.bbanim", "crane_travel.bbanim", "crane_paint.bbmat",
                   "crane_stripes.bbmat", "crane.png"),
         "gpb": ("crane.gpb", "crane.material", "crane.png"),
         "bmw": ("crane.bmw", "crane.json", "crane.dds")}


@dataclass
class Scenario:
    """A command line, and the files that exist before: name in the folder, path in the tree.

    "PATH#40" is the file without its last 40 bytes, None the dump of full.bmw; bytes are the
    content itself.
    """
    name: str
    args: list
    given: dict = field(default_factory=dict)
    is_large: bool = False  # More than 16 KiB are read, so that not every fault is tried.
    is_many: bool = False   # Several files are converted, each separately.

    @property
    def command(self):
        return self.args[0]


def on(command, *models, options=(), name=None):
    """A command with models of the table as its operands."""
    words = [command, *options, *models]
    return Scenario(name or " ".join(words), words, {m: MODELS[m] for m in models})


def looking():
    """Commands that only print."""
    for model in MODELS:
        yield on("info", model)
        yield on("check", model)
        yield on("dump", model)
        yield on("map", model, options=["--all"])
    yield on("info", *MODELS, options=["--full", "--json"], name="info of all")
    yield on("info", "scene.gpb", options=["--tree"])
    yield on("check", "full.bmw", options=["--json", "--profile", "beowolf"])
    yield on("map", "full.cea", options=["--json"])
    yield on("verify", "skin.glb", "skin.glb")
    yield on("verify", "skin.bbmod", "skin.glb", options=["--json"])
    yield on("diff", "scene.gpb", "scene.gpb")
    yield on("diff", "skin.glb", "looks.obj", options=["--json"])
    for words in ("formats", "formats --json", "help", "help convert", "version", "--help",
                  "convert --help"):
        yield Scenario(words, words.split())


def folders():
    """What is in a folder; pictures are skipped."""
    given = {"a.bplx": MODELS["full.bplx"], "b.glb": MODELS["skin.glb"],
             "c.png": "samples/crane.png", "d.gpb": FIXTURES + "gpb/1_5_font.gpb"}
    for args in (["check", "-r", "."], ["info", "."],
                 ["convert", ".", "-o", "new/deep/", "--to", "bmw"], ["map", ".", "--at", "0"],
                 ["dump", "-r", ".", "-o", "new/deep/"], ["salvage", ".", "-o", "new/"],
                 ["render", ".", "-o", "new/", "--size", "8x8"], ["diff", "-r", ".", "."]):
        yield Scenario(" ".join(args), args, given, is_many=True)


def writing():
    """Commands that make a file from a file."""
    for model in MODELS:
        if model.endswith(".bbanim"):
            continue
        for target in TARGETS:
            yield on("convert", model, options=["-o", f"out.{target}"],
                     name=f"convert {model} out.{target}")
    yield on("convert", "walk.bbanim", options=["-o", "out.bbanim", "--as", "3.4"])
    yield on("convert", "full.bplx", options=["-o", "out.bplx", "--as", "script"])
    yield on("convert", "full.bplx", options=["--in-place", "--as", "script"])
    yield on("convert", "scene.gpb", options=["-o", "-", "--to", "glb"])
    yield on("convert", "skin.glb", options=["-o", "out.gpb", "--verify", "--json"])
    yield on("convert", "skin.glb", options=["-o", "out.gpb", "--dry-run"])
    several = on("convert", "skin.glb", "scene.gpb", "full.bplx",
                 options=["-o", ".", "--to", "bmw", "--report", "r.json"], name="convert a list")
    several.is_many = True
    yield several
    yield on("dump", "full.bmw", options=["-o", "out.json"])


def special():
    """Commands that need separate files."""
    yield Scenario("build", ["build", "full.json", "out.bmw"], {"full.json": None})
    yield Scenario("build to a pipe", ["build", "full.json", "-"], {"full.json": None})
    yield Scenario("replace", ["convert", "full.bplx", "old.glb", "--force"],
                   {"full.bplx": MODELS["full.bplx"], "old.glb": MODELS["skin.glb"]})
    yield Scenario("a font", ["convert", "font.gpb", "out.fnt"],
                   {"font.gpb": FIXTURES + "gpb/1_5_font.gpb"})
    yield Scenario("merge", ["convert", "--merge", "a.cea", "b.cea", "-o", "out.cea"],
                   {"a.cea": MODELS["full.cea"], "b.cea": MODELS["full.cea"]})


def drawing():
    """Pictures, pages, and reports of parts of a run."""
    yield on("render", "skin.glb", options=["-o", "out.png", "--size", "24x24"])
    # A sheet shows what could be drawn.
    sheet = on("render", "skin.glb", "scene.gpb",
               options=["-o", "sheet.png", "--sheet", "--size", "48x48"], name="render a sheet")
    sheet.is_many = True
    yield sheet
    yield on("verify", "skin.bbmod", "skin.glb", options=["--picture", "out.png"])
    yield on("check", "skin.bbmod", options=["--picture", "out.png"], name="check with a picture")
    yield Scenario("view", ["view", "skin.glb", "-o", "out.html"],
                   {"skin.glb": MODELS["skin.glb"], "page.html": b"before <!-- files -->\n"})
    part = b'[\n{"index":0,"file":"a.glb","output":"o/a.bmw","losses":[]}\n]\n'
    yield Scenario("report merge", ["report", "merge", "1.json", "2.json", "-o", "all.json"],
                   {"1.json": part, "2.json": part.replace(b'"index":0', b'"index":1')})


def salvaging():
    cuts = {"cut.bplx": 100, "cut.glb": 300, "cut.bmw": 60, "cut.gpb": 40, "cut.cea": 50,
            "cut.bbmod": 30}
    whole = {Path(name).suffix: path for name, path in MODELS.items()}
    for name, size in cuts.items():
        suffix = Path(name).suffix
        given = {name: f"{whole[suffix]}#{size}"}
        yield Scenario(f"salvage {name}", ["salvage", name, f"out{suffix}"], given)


def crane(kind, *args):
    given = {name: f"samples/{name}" for name in CRANE[kind]}
    return Scenario(" ".join(args), list(args), given, is_large=True)


def large():
    """Models with files beside them."""
    yield crane("bbmod", "info", "crane.bbmod")
    yield crane("gpb", "check", "crane.gpb")
    yield crane("bbmod", "convert", "crane.bbmod", "copy.bbmod")
    yield crane("bbmod", "convert", "crane.bbmod", "out.glb")
    yield crane("bbmod", "convert", "crane_lift.bbanim", "lift.glb", "--model", "crane.bbmod")
    yield crane("gpb", "convert", "crane.gpb", "out.bbmod", "--textures", "copy")
    yield crane("bmw", "convert", "crane.bmw", "out.gpb", "--textures", "copy")
    yield crane("gpb", "convert", "crane.gpb", "out.bmw")
    yield crane("bbmod", "verify", "crane.bbmod", "crane.bbmod")


def all_scenarios():
    return [*looking(), *folders(), *writing(), *special(), *drawing(), *salvaging(), *large()]


def commands_of(tool):
    """The commands that the tool lists."""
    text = subprocess.run([str(tool), "help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^  ([a-z]+) ", text, re.M))
