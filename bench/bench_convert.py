"""What users do: convert animated models into the engines' formats, plain and with `--verify`.

Real models where the environment variable TENON_CORPUS names their folder, and generated ones of
the same shape. All user times of one model are measured in turns with those of `assimp export`.
"""
# SPDX-License-Identifier: MIT

import math
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
from pack_gltf import F32, U16, Maker  # noqa: E402

MB = 1000 * 1000
TARGETS = ("gpb", "cea", "bplx", "bbmod", "bmw")
ALL_TARGETS = ("glb", "gpb", "bbmod", "bmw", "cea", "bplx", "obj")
VERIFY = ["--verify", "--accept-losses"]
EXTENSIONS = (".glb", ".gltf", ".gpb", ".bbmod", ".bmw", ".cem", ".cea", ".bplx", ".obj", ".fbx")
TWICE = ("clips", "joints", "keys", "vertices")
SHAPE = {"clips": 2, "joints": 12, "keys": 150, "vertices": 1600}


# -- A generated model

def chain_of_joints(maker, count):
    nodes = [{"name": "joint%d" % i, "translation": [0, 0.5, 0], "children": [i + 1]}
             for i in range(count)]
    del nodes[-1]["children"]
    binds = [number for i in range(count)
             for number in (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.5 * (i + 1), 0, 1)]
    skin = {"joints": list(range(count)), "inverseBindMatrices": maker.numbers(F32, "MAT4", binds)}
    return nodes, skin


def tube(maker, joints, vertices):
    """A tube of rings of 20 vertices; two joints move each, and a morph target widens it."""
    rings = vertices // 20
    positions, normals, offsets, indices, weights, bones = [], [], [], [], [], []
    for i in range(rings * 20):
        ring, angle = divmod(i, 20)
        x, z = math.cos(angle * math.pi / 10), math.sin(angle * math.pi / 10)
        along = joints * ring / rings
        positions += [0.2 * x, 0.5 * (along + 1), 0.2 * z]
        normals += [x, 0, z]
        offsets += [0.05 * x, 0, 0.05 * z]
        share = along % 1 if along < joints - 1 else 0
        weights += [1 - share, share, 0, 0]
        bones += [int(along), int(along) + 1 if share else 0, 0, 0]
        if ring + 1 < rings:
            right = ring * 20 + (angle + 1) % 20
            indices += [i, i + 20, right, right, i + 20, right + 20]
    attributes = {"POSITION": maker.positions(positions),
                  "NORMAL": maker.numbers(F32, "VEC3", normals),
                  "WEIGHTS_0": maker.numbers(F32, "VEC4", weights),
                  "JOINTS_0": maker.numbers(U16, "VEC4", bones)}
    return {"weights": [0], "primitives": [
        {"attributes": attributes, "indices": maker.numbers(U16, "SCALAR", indices),
         "targets": [{"POSITION": maker.positions(offsets)}]}]}


def clip_of(maker, clip, joints, keys):
    """Recorded motion: the times of the keys are in no raster."""
    channels, samplers = [], []

    def add(node, path, times, kind, values):
        samplers.append({"input": maker.times(times), "output": maker.numbers(F32, kind, values)})
        channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})

    for joint in range(joints):
        times = [0] + [(i + 0.3 * math.sin(i * (joint + 1.7))) / 30 for i in range(1, keys)]
        halves = [0.3 * math.sin(0.05 * i + joint + clip) for i in range(keys)]
        turns = [number for half in halves for number in (math.sin(half), 0, 0, math.cos(half))]
        add(joint, "rotation", times, "VEC4", turns)
        moves = [number for i in range(keys)
                 for number in (0.02 * math.sin(0.07 * i + joint), 0.5, 0)]
        add(joint, "translation", times, "VEC3", moves)
    times = list(range(keys // 30 + 1))  # As long as the clip, however many keys it has.
    add(joints, "weights", times, "SCALAR", [i % 2 for i in range(len(times))])
    return {"name": "clip%d" % clip, "channels": channels, "samplers": samplers}


def character(clips, joints, keys, vertices):
    """The bytes of a GLB file."""
    maker = Maker()
    nodes, skin = chain_of_joints(maker, joints)
    nodes.append({"name": "tube", "mesh": 0, "skin": 0})
    maker.json.update(nodes=nodes, skins=[skin], meshes=[tube(maker, joints, vertices)],
                      scene=0, scenes=[{"nodes": [0, joints]}],
                      animations=[clip_of(maker, i, joints, keys) for i in range(clips)])
    return maker.glb()


# -- Measuring

def cost(command):
    """Seconds of user CPU, bytes of memory at most, and whether a file was written."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime, used.ru_maxrss * 1024, child.returncode


def conversions_of(tenon, source, folder):
    """Commands by name."""
    commands = {"assimp": ["assimp", "export", source, str(folder / "assimp.glb"), "-fglb2"]}
    for to in TARGETS:
        words = [tenon, "convert", "--force", source, str(folder / ("out." + to))]
        commands[to] = words
        commands[to + " quiet"] = words + ["-q"]
        commands[to + " verify"] = words + VERIFY
        commands[to + " mean"] = words + VERIFY + ["--json"]
    return commands


def measure_model(tenon, source, folder, rounds):
    """{name: (user CPU of one run, memory, bytes written)}. The system samples user times, so that
    the mean of all runs is nearer to the truth than the least."""
    commands = conversions_of(tenon, source, folder)
    found = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            found[name].append(cost(command))
    result = {}
    for name, costs in found.items():
        out = folder / ("assimp.glb" if name == "assimp" else "out." + name.split()[0])
        result[name] = (sum(one[0] for one in costs) / rounds, max(one[1] for one in costs),
                        out.stat().st_size)
    return result


def real_models(corpus):
    return [path for path in sorted(corpus.rglob("*"))
            if path.suffix.lower() in EXTENSIONS and "attacks" not in path.parts]


def measure_before(tools, corpus, folder, rounds=3):
    """Seconds of user CPU of two tools, in turns, for 200 real files that both convert to BBMOD."""
    models, out = real_models(corpus), str(folder / "real.bbmod")
    total, count = [0, 0], 0
    for path in models[::max(1, len(models) // 400)]:
        costs = [[cost([tool, "convert", "--force", str(path), out]) for tool in tools]
                 for _ in range(rounds)]
        if count == 200 or any(one[2] for pair in costs for one in pair):
            continue
        count += 1
        for i in range(2):
            total[i] += sum(pair[i][0] for pair in costs) / rounds
    return total[0], total[1], count


def measure_corpus(tenon, corpus, folder):
    """The conversion of a real file that takes most user CPU, and the one that takes most memory:
    {"plain": ((seconds, what), (bytes, what), count), "verify": ..., "mean": ...}."""
    result, models = {}, real_models(corpus)
    for mode, words in (("plain", []), ("verify", VERIFY), ("mean", VERIFY + ["--json"])):
        slowest, largest, count = (0, ""), (0, ""), 0
        for path in models:
            for to in ALL_TARGETS:
                out = str(folder / ("real." + to))
                seconds, memory, status = cost([tenon, "convert", "--force", str(path), out]
                                               + words)
                what = "%s to %s" % (path.name, to)
                count += status == 0
                slowest, largest = max(slowest, (seconds, what)), max(largest, (memory, what))
        result[mode] = (slowest, largest, count)
    return result


def measure_models(bench, callgrind):
    """A generated model, and a real one."""
    tenon, folder = bench.program("tenon"), bench.work / "conversions"
    folder.mkdir(exist_ok=True)
    generated = folder / "generated.glb"
    generated.write_bytes(character(**{name: 2 * SHAPE[name] for name in SHAPE}))
    models = {"generated.glb": generated}
    real = Path(os.environ.get("TENON_CORPUS", "")) / "gltf/BrainStem.glb"
    if real.exists():
        models["BrainStem.glb"] = real
    for name, path in models.items():
        bench.conversions[name] = measure_model(tenon, str(path), folder, 2 * bench.rounds)
        bench.converting[name] = {
            key: callgrind(command)
            for key, command in conversions_of(tenon, str(path), folder).items()
            if "mean" not in key and "verify" not in key}


def measure_growth(bench, callgrind):
    """Instructions of a model that has twice as much of something."""
    tenon, folder, base = bench.program("tenon"), bench.work / "conversions", {}
    folder.mkdir(exist_ok=True)
    for twice in (None,) + TWICE:
        shape = {name: SHAPE[name] * (2 if name == twice else 1) for name in SHAPE}
        path = folder / "grown.glb"
        path.write_bytes(character(**shape))
        for to in ("gpb", "bbmod", "bmw"):
            count = callgrind([tenon, "convert", "--force", *VERIFY, str(path),
                               str(folder / ("grown." + to))])
            if twice:
                bench.growth[twice, to] = count / base[to]
            else:
                base[to] = count


def measure_real_files(bench, before):
    corpus, folder = os.environ.get("TENON_CORPUS"), bench.work / "conversions"
    if not corpus:
        return
    folder.mkdir(exist_ok=True)
    bench.corpus.update(measure_corpus(bench.program("tenon"), Path(corpus), folder))
    if before:
        bench.before = measure_before((before, bench.program("tenon")), Path(corpus), folder)


def count_samples(bench):
    """Of channels, for each key: what tests/limits/limits_conversions.c prints."""
    program = Path(__file__).resolve().parent.parent / "build/release/tests/limits_conversions"
    if not program.exists():
        return
    text = subprocess.run([program], capture_output=True, text=True, check=False).stdout
    for line in text.splitlines():
        words = line.split()
        if words[0] == "#":
            bench.samples[words[1], words[2]] = (float(words[3]), int(words[8]), int(words[10]))
