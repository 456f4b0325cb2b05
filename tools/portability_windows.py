"""portability_windows.py: what can fail only on Windows, tried with tenon.exe.

A machine is one of tools/portability: run() starts the tool in the folder `outputs`, which holds
`samples`; program() is the command line that starts it.
"""
# SPDX-License-Identifier: MIT

import json
import re
import shutil
import subprocess
import sys
import threading
import time

import cross
import headers

sys.path.insert(0, str(cross.ROOT / "tests"))
from batch_models import make_models  # noqa: E402

NAME = "Gr\u00f6\u00dfe \u6a21\u578b.glb"
SOURCES = ("samples/crane.gpb", "samples/crane.bplx")  # Two that do not become the same file.
REPLACEMENTS = 12
KILLS = 8


def tenon(machine, *words, given=b""):
    return machine.run("tenon", *words, given=given)


# -- Names, bytes, devices

def check_names(machine):
    made = machine.outputs / NAME
    status, _, _ = tenon(machine, "convert", "samples\\crane.gpb", "-o", NAME)
    yield "a name in Unicode", status == 0 and made.is_file()
    old = made.read_bytes()
    status, _, _ = tenon(machine, "convert", "samples/crane.bplx", "-o", NAME)
    yield "refusing to replace", status == 2 and made.read_bytes() == old
    status, _, _ = tenon(machine, "convert", "-f", "samples/crane.bplx", "-o", NAME)
    yield "replacing", status == 0 and made.read_bytes() != old
    status, out, _ = tenon(machine, "info", NAME)
    yield "printing Unicode", status == 0 and out.decode().startswith(NAME)
    status, out, _ = tenon(machine, "info", "--json", "samples\\*.bplx")
    yield "wildcards", status == 0 and out.count(b"\n") == 2


def check_bytes(machine):
    samples = machine.outputs / "samples"
    plain = (samples / "crane.bplx").read_bytes()
    status, out, _ = tenon(machine, "convert", "-", "-", "--to", "bplx", given=plain)
    yield "bytes through pipes", status == 0 and out == plain and b"\n" in plain
    status, text, _ = tenon(machine, "dump", "samples/crane.bmw")
    yield "line ends of text", status == 0 and b"\r" not in text
    status, out, _ = tenon(machine, "build", "-", "-o", "-", given=text)
    yield "dump and build", status == 0 and out == (samples / "crane.bmw").read_bytes()


def check_devices(machine):
    for device in ("con.glb", "NUL.glb", "samples/com1.glb"):
        status, _, _ = tenon(machine, "convert", "samples/crane.gpb", "-o", device)
        yield "refusing " + device, status == 3
    status, _, _ = tenon(machine, "convert", "samples/crane.gpb", "--to", "glb", "-o", "NUL")
    yield "writing to NUL", status == 0
    (machine.outputs / "model.dae").write_bytes(b"<COLLADA/>")
    status, _, err = tenon(machine, "info", "model.dae")
    yield "naming what there is not for Windows", status == 3 and b"on Windows" in err
    status, out, _ = tenon(machine, "convert", "samples/crane.fbx", "-", "--to", "glb")
    yield "reading FBX", status == 0 and out[:4] == b"glTF"


def glb_of(machine, model, picture):
    """The status and the GLB file of the model, its only picture being that of this name."""
    model["images"] = [{"uri": picture}]
    (machine.outputs / "named/model.gltf").write_text(json.dumps(model), encoding="utf-8")
    status, out, _ = tenon(machine, "convert", "named/model.gltf", "-", "--to", "glb",
                           "--embed")
    return status, out


def check_paths(machine):
    """A picture that a model names is read if it is beside the model, and only then."""
    folder = machine.outputs / "named"
    folder.mkdir()
    tenon(machine, "convert", "samples/crane.gpb", "-o", "named/model.gltf")
    model = json.loads((folder / "model.gltf").read_text(encoding="utf-8"))
    picture = (machine.outputs / "samples/crane.png").read_bytes()
    outside = "Z:" + str(machine.outputs / "samples/crane.png").replace("/", "\\")
    for name in ("../samples/crane.png", "..\\samples\\crane.png", outside, outside[2:],
                 outside.replace("\\", "/"), "\\\\?\\" + outside, "file:///" + outside):
        status, out = glb_of(machine, model, name)
        yield "not reading " + name, status == 0 and out and picture not in out
    (folder / "crane.png").write_bytes(picture)
    status, out = glb_of(machine, model, "crane.png")
    yield "reading the files beside", status == 0 and picture in out


# -- Replacing is atomic

class Watcher:
    """Reads a file again and again, and remembers all its contents; None: it did not exist."""

    def __init__(self, path):
        self.path, self.seen, self.is_over = path, set(), False
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.is_over:
            try:
                self.seen.add(self.path.read_bytes())
            except FileNotFoundError:
                self.seen.add(None)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()


def replace(source):
    return ("convert", "-f", source, "-o", "replaced.glb")


def whole_files(machine):
    """The result of each source for the file that is replaced, which holds the last of them."""
    files = []
    for source in SOURCES:
        tenon(machine, *replace(source))
        files.append((machine.outputs / "replaced.glb").read_bytes())
    return files


def check_replacing(machine):
    target, whole = machine.outputs / "replaced.glb", whole_files(machine)
    with Watcher(target) as watcher:
        for i in range(REPLACEMENTS):
            tenon(machine, *replace(SOURCES[i % 2]))
    yield "a file that is replaced is never incomplete or gone", watcher.seen == set(whole)


def kill_at(machine, source, seconds):
    """Start a conversion and kill it; it may have ended before."""
    command = [*machine.program("tenon"), *replace(source)]
    process = subprocess.Popen(command, cwd=machine.outputs, env=cross.environment(),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(seconds)
    process.kill()
    process.wait()


def check_kills(machine):
    target, whole = machine.outputs / "replaced.glb", whole_files(machine)
    start = time.monotonic()
    tenon(machine, *replace(SOURCES[0]))
    duration = time.monotonic() - start
    seen = set()
    for i in range(KILLS):
        kill_at(machine, SOURCES[i % 2], duration * (i + 1) / KILLS)
        seen.add(target.read_bytes())
    yield "a killed tool leaves the old file or the new one", seen <= set(whole)
    tenon(machine, *replace(SOURCES[0]))
    yield "leaving no temporary files", not list(machine.outputs.rglob("*.tenon-*"))


def check_many(machine):
    """Folders, in several threads: the files and the messages of one thread."""
    make_models(machine.outputs / "many", 300)
    seen = []
    for threads in ("1", "2", "5"):
        out = machine.outputs / "made"
        status, printed, said = tenon(machine, "convert", "-r", "many", "-o", "made/", "--to",
                                      "gpb", "-j", threads)
        files = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*.*")}
        seen.append((status, printed, said, files))
        shutil.rmtree(out, ignore_errors=True)
    yield "many files", seen[0][0] == 0 and len(seen[0][3]) > 300
    yield "threads", seen[1:] == 2 * seen[:1]
    words = ("convert", "-q", "-r", "many", "-o", "made/", "--to", "gpb", "--skip-unchanged",
             "--json", "-j", "2")
    for shard in ("1/2", "2/2"):
        tenon(machine, *words, "--shard", shard)
    status, printed, _ = tenon(machine, *words)
    yield "what is unchanged", status == 0 and b'"unchanged":300,' in printed
    kill = subprocess.Popen([*machine.program("tenon"), *words, "-f", "--as", "1.2"],
                            cwd=machine.outputs, env=cross.environment(),
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    kill.kill()
    kill.wait()
    status, _, _ = tenon(machine, *words)
    made = {str(path.relative_to(machine.outputs / "made")): path.read_bytes()
            for path in (machine.outputs / "made").rglob("*.*") if path.name[0] != "."}
    yield "continuing after a kill", status == 0 and made == seen[0][3]
    status, _, _ = tenon(machine, "dump", "-r", "many", "-o", "text/", "-j", "2")
    again, _, _ = tenon(machine, "build", "-r", "text", "-o", "built/", "-j", "2")
    same, _, _ = tenon(machine, "diff", "-r", "-q", "many", "built", "-j", "2")
    yield "folders of texts", (status, again, same) == (0, 0, 0)


CHECKS = (check_names, check_bytes, check_devices, check_paths, check_replacing, check_kills,
          check_many)


def complaints(machine):
    """What is wrong."""
    return [what for check in CHECKS for what, is_so in check(machine) if not is_so]


# -- The library as a DLL

def dll_complaints(machine):
    """What is wrong with what the DLL exports and the examples import."""
    library = next(machine.build.glob("libtenon*.dll"))
    exports = subprocess.run(["x86_64-w64-mingw32-objdump", "-p", str(library)],
                             capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^\s+\[ *\d+\] (?:\+base\[ *\d+\] )?(?:[0-9a-f]+ )?(\w+)$", exports, re.M)
    example = machine.build / "examples/convert.exe"
    imports = subprocess.run(["x86_64-w64-mingw32-objdump", "-p", str(example)],
                             capture_output=True, text=True, check=True).stdout
    wrong = sorted(set(names) ^ set(headers.every_function()))
    if wrong:
        yield "exporting %s" % ", ".join(wrong[:3])
    if "DLL Name: %s" % library.name not in imports:
        yield "importing %s" % library.name
