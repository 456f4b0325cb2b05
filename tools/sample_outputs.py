"""sample_outputs.py: all outputs of the models under samples/, to be compared.

tools/portability compares them between machines, tests/test_outputs.py with those before.
"""
# SPDX-License-Identifier: MIT

SAMPLES = ("crane.bbmod", "crane.bmw", "crane.bplx", "crane_script.bplx", "crane.cea", "crane.cem",
           "crane.fbx", "crane.glb", "crane.gpb")
FORMATS = ("bbmod", "bmw", "bplx", "cea", "cem", "glb", "gltf", "gpb", "obj")
QUESTIONS = (("info", "--json", "--full"), ("check", "--json"), ("map",), ("map", "--json"),
             ("dump",))

# 40 pictures.
DRAWN = ("crane.bbmod", "crane.bmw", "crane.cea", "crane.glb", "crane.gpb")
LOOKS = {"plain": (), "lifted": ("--clip", "lift", "--at", "0.5", "--view", "-60,30"),
         "bones": ("--bones", "--background", "none"), "wireframe": ("--wireframe",),
         "edges": ("--edges", "--both-sides", "--view", "top"), "normals": ("--normals",),
         "uv": ("--uv", "--view", "back"), "bare": ("--no-textures", "--size", "320x200")}


class Output:
    """A written file, or what a command printed and its exit status."""

    def __init__(self, name, data, status=None):
        self.name = name
        self.data = data
        self.status = status

    def all_bytes(self):
        return self.data if self.status is None else b"%d\n" % self.status + self.data


def written_files(folder, name):
    for path in sorted((folder / name).rglob("*")):
        if path.is_file():
            yield Output(path.relative_to(folder).as_posix(), path.read_bytes())


def conversions(kind, folder, convert):
    """Convert each sample to each format, in `folder`, which has a copy of samples/.

    convert(source, target) returns the exit status and what was printed.
    """
    for sample in SAMPLES:
        for form in FORMATS:
            name = "%s/%s-%s" % (kind, sample.replace(".", "-"), form)
            (folder / name).mkdir(parents=True)
            status, printed = convert("samples/" + sample, "%s/crane.%s" % (name, form))
            yield Output(name + " printed", printed, status)
            yield from written_files(folder, name)


def of_library(run, folder):
    """The outputs of examples/convert.c, which needs no more than the library."""
    def convert(source, target):
        status, out, _ = run("examples/convert", source, target)
        return status, out.replace(b"\r\n", b"\n")  # The example leaves line ends to the system.
    return conversions("library", folder, convert)


def of_tool(run, folder):
    def convert(source, target):
        status, out, err = run("tenon", "convert", source, "-o", target)
        return status, out + err
    yield from conversions("tool", folder, convert)
    for sample in SAMPLES:
        for question in QUESTIONS:
            status, out, err = run("tenon", *question, "samples/" + sample)
            yield Output("%s %s" % (" ".join(question), sample), out + err, status)
    yield from of_pictures(run, folder)


def of_pictures(run, folder):
    """What the tool draws, and prints about it."""
    (folder / "pictures").mkdir()
    for sample in DRAWN:
        for look, options in LOOKS.items():
            name = "pictures/%s-%s.png" % (sample.replace(".", "-"), look)
            status, out, err = run("tenon", "render", "samples/" + sample, "-o", name, "--size",
                                   "192", *options)
            yield Output(name + " printed", out + err, status)
    yield from written_files(folder, "pictures")
