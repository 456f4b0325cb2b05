"""The report of `make bench`: the targets and whether they are met, then all figures."""
# SPDX-License-Identifier: MIT

import os
import platform
from pathlib import Path

MARGIN = 1.05
MB = 1000 * 1000
SMALL, MIDDLE, LARGE = MB, 100 * MB, 1000 * MB
FAST = ("bbmod", "bbanim", "gpb", "gpb-motion", "bmw", "bplx")
WELDED = ("bbmod",)  # Most of the work for a scene is finding equal vertices.
ANONYMOUS_MOST = 16 * MB
LOG = Path(__file__).resolve().parent / "log.md"


# -- Targets

def target(what, measured, limit, at_least=False):
    """A row: what, measured, limit, whether it is met with the margin."""
    holds = measured * MARGIN >= limit if at_least else measured <= limit * MARGIN
    sign = "at least" if at_least else "at most"
    return (what, "%.2f" % measured, "%s %.4g" % (sign, limit), holds)


def time_of(row, name):
    return row[name][0]


def file_targets(bench):
    """Those of the files of 100 MB, as ratios of the least times."""
    for kind in FAST + ("modeldata",):
        row = bench.times.get((kind, MIDDLE))
        if not row:
            continue
        base, is_big = time_of(row, "system-read"), kind == "modeldata"
        yield target("%s: safe reading, times `read()`" % kind, time_of(row, "safe") / base,
                     1.0 if is_big else 0.5)
        yield target("%s: all rules, times `read()`" % kind, time_of(row, "check") / base,
                     1.3 if is_big else 0.9)
        if kind not in WELDED:
            yield target("%s: scene, times `read()`" % kind, time_of(row, "scene") / base, 2)
        yield target("%s: memory of the scene, times the file" % kind,
                     row["scene"][2] / row["bytes"], 1.3)
        yield target("%s: writing, times writing the bytes" % kind,
                     time_of(row, "write") / time_of(row, "system-write"), 1.4)


def growth_targets(bench):
    """The cost of a byte at 1 GB, compared with 100 MB; and how little memory that takes."""
    for kind in FAST + ("modeldata",):
        row, large = bench.times.get((kind, MIDDLE)), bench.times.get((kind, LARGE))
        if not row or not large:
            continue
        for op in ("safe", "check", "scene"):
            ratio = (time_of(large, op) / time_of(large, "system-read")
                     / (time_of(row, op) / time_of(row, "system-read")))
            yield target("%s: %s at 1 GB, beside `read()`, times that at 100 MB" % (kind, op),
                         ratio, 1.25)
        for command, least in bench.memory.get(kind, {}).items():
            yield target("%s: anonymous memory of `%s` at 1 GB, MB" % (kind, command),
                         (least or float("inf")) / MB, ANONYMOUS_MOST / MB)


def instruction_targets(bench):
    """Of the files of 1 MB; tests/test_instructions.py checks them, too."""
    for kind in FAST + ("modeldata",):
        counts = bench.instructions.get(kind)
        if not counts:
            continue
        yield target("%s: instructions for a byte, safe reading" % kind, counts["safe"], 1)
        yield target("%s: instructions for a byte, all rules" % kind, counts["check"], 2.5)
        if kind not in WELDED:
            yield target("%s: instructions for a byte, scene" % kind, counts["scene"],
                         4 if kind == "gpb-motion" else 3)


def process_targets(bench):
    done = bench.processes
    if "empty" in done:
        empty = done["empty"][0]
        yield target("`info` of 2 KB, times an empty program", done["info 2 KB"][0] / empty, 1.3)
        yield target("`info` of 3 MB, times an empty program", done["info 3 MB"][0] / empty, 2.5)
    for kind, least in (("glb", 3), ("obj", 6)):
        key = "check %s %d" % (kind, MIDDLE)
        if "tenon " + key in done:
            ratio = done["assimp info %s %d" % (kind, MIDDLE)][0] / done["tenon " + key][0]
            yield target("%s: parsing and checking, times as fast as Assimp's import" % kind, ratio,
                         least, True)
    key = "glb %d" % MIDDLE
    if "tenon convert " + key in done:
        ratio = done["assimp export " + key][0] / done["tenon convert " + key][0]
        yield target("glb: `convert` to BBMOD, times as fast as `assimp export` to GLB", ratio, 5,
                     True)


CONVERT_LIMITS = (("gpb", 1), ("cea", 1), ("bplx", 1), ("bbmod", 1.5), ("bmw", 6))


def conversion_targets(bench):
    """User CPU of whole conversions, as ratios of one run; generated models are shown only."""
    for model, costs in bench.conversions.items():
        for to, limit in CONVERT_LIMITS:
            here = "%s to %s" % (model, to)
            if model == "BrainStem.glb":
                yield target(here + ", user CPU, times `assimp export` to GLB",
                             costs[to][0] / costs["assimp"][0], limit)
            counts = bench.converting[model]
            yield target(here + ": instructions of the proof, times those of the export",
                         counts[to] / counts[to + " quiet"] - 1, 1)
            yield target(here + " with `--verify`, times without",
                         costs[to + " verify"][0] / costs[to][0], 3)
            yield target(here + " with `--verify --json`, which has the mean, times without",
                         costs[to + " mean"][0] / costs[to][0], 3)
    for (twice, to), ratio in bench.growth.items():
        yield target("generated model to %s, `--verify`: instructions with twice the %s"
                     % (to, twice), ratio, 2.1)
    for (to, mode), (samples, exports, comparisons) in bench.samples.items():
        yield target("built model to %s, %s: samples of channels for each key" % (to, mode),
                     samples, 20)
        yield target("built model to %s, %s: exports, or comparisons if more" % (to, mode),
                     max(exports, comparisons), 1)
    if bench.before:
        yield target("%d real files to bbmod: times as fast as the tool before" % bench.before[2],
                     bench.before[0] / bench.before[1], 5, True)
    for mode, (slowest, largest, count) in bench.corpus.items():
        yield target("%d pairs of real files, %s: most user CPU, s (%s)"
                     % (count, mode, slowest[1]), slowest[0], 1)
        yield target("%d pairs of real files, %s: most memory, MB (%s)"
                     % (count, mode, largest[1]), largest[0] / MB, 300)
    rows = bench.scaling.get("`verify` of sheets by surface, for a triangle")
    if rows:
        yield target("`verify` by surface: instructions for a triangle, of %d times of %d"
                     % (rows[-1][0], rows[0][0]), rows[-1][1] / rows[0][1], 1.1)


def all_targets(bench):
    return [row for make in (file_targets, instruction_targets, growth_targets, process_targets)
            for row in make(bench)]


# -- Text

def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def machine():
    """The machine that was measured, without host names."""
    model = "unknown"
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    load = "%.1f" % os.getloadavg()[0] if hasattr(os, "getloadavg") else "unknown"
    return "%s, %d processors, %s %s, load %s when the run ended" % (
        model, os.cpu_count() or 1, platform.system(), platform.release().split("-")[0], load)


OPERATIONS = ("system-read", "system-copy", "read", "safe", "check", "scene", "convert",
              "system-write", "write")


def times_table(bench):
    rows = []
    for (kind, size), row in bench.times.items():
        rates = ["%.0f" % (row["bytes"] / MB / row[op][0]) if op in row else ""
                 for op in OPERATIONS]
        rows.append([kind, "%g MB" % (size / MB)] + rates)
    return table(["kind", "size"] + list(OPERATIONS), rows)


def median_table(bench):
    rows = []
    for (kind, size), row in bench.times.items():
        ratios = ["%.2f / %.2f" % (row[op][0] / row["system-read"][0],
                                   row[op][1] / row["system-read"][1]) if op in row else ""
                  for op in OPERATIONS[1:]]
        rows.append([kind, "%g MB" % (size / MB)] + ratios)
    return table(["kind", "size"] + list(OPERATIONS[1:]), rows)


def instruction_table(bench):
    names = ("read", "safe", "check", "scene", "convert")
    rows = [[kind] + ["%.2f" % counts[op] for op in names]
            for kind, counts in bench.instructions.items()]
    return table(["kind"] + list(names), rows)


def scaling_table(bench):
    rows = [[name, str(items), "%.0f" % each]
            for name, found in bench.scaling.items() for items, each in found]
    return table(["work", "items", "instructions"], rows)


def process_table(bench):
    rows = [[name, "%.2f" % (1000 * least), "%.2f" % (1000 * median)]
            for name, (least, median) in bench.processes.items()]
    return table(["program", "least, ms", "median, ms"], rows)


def conversion_table(bench):
    rows = [[model, name, "%.1f" % (1000 * seconds),
             "%.0f" % (bench.converting[model][name] / MB)
             if name in bench.converting[model] else "", "%.0f" % (memory / MB),
             "%.2f" % (size / MB)]
            for model, costs in bench.conversions.items()
            for name, (seconds, memory, size) in costs.items()]
    return table(["model", "to", "user CPU, ms", "million instructions", "memory, MB",
                  "MB written"], rows)


CONVERSIONS = """## Conversions

Of whole animated models by the tool. User CPU is the mean of %d runs, in turns with `assimp export`
of the same file to GLB. *quiet*: with `-q`, without a proof; *verify*: with `--verify
--accept-losses`; *mean*: with `--json` as well, which has the mean distance and so needs all
vertices of all poses. The generated model has the shape of recorded motion: keys in no raster,
several clips, a skin, a morph target (`bench/bench_convert.py`). Real models are measured where
`TENON_CORPUS` names their folder. `bench.py --conversions` measures this part only.

Machine: %s.

%d of %d targets hold, with a margin of 5 %%.
"""
PART_END = "\n## What was tried"


def target_table(targets):
    rows = [(what, got, limit, "holds" if holds else "**does not hold**")
            for what, got, limit, holds in targets]
    return table(("target", "measured", "limit", ""), rows)


def conversion_text(bench):
    """A part of the report that can be measured alone."""
    targets = list(conversion_targets(bench))
    held = sum(row[3] for row in targets)
    return "\n".join([CONVERSIONS % (2 * bench.rounds, machine(), held, len(targets)),
                      target_table(targets) + "\n", conversion_table(bench) + "\n"])


def write_conversions(bench, path):
    """Replace this part of the report. Returns one line for the terminal."""
    text = Path(path).read_text()
    end = text.index(PART_END)
    start = text.find("## Conversions")
    head = text[:start] if 0 <= start < end else text[:end] + "\n"
    Path(path).write_text(head + conversion_text(bench) + text[end:])
    return print_targets(list(conversion_targets(bench)), path)


HEAD = """# Performance

Written by `make bench` (`bench/bench.py`); do not edit. Every file is made by
`tools/make_big_models.c`: wavy sheets of 128 columns that a hub with 31 spokes moves, the same
bytes on every machine. Compared operations were measured alternately in one run; ratios are of the
least of %d times (at 1 GB: of %d). Times are wall-clock times: nothing else should run meanwhile.
The memory of an operation is touched and freed just before it, because the host of a virtual
machine is slow to return memory that was not used for some seconds.
Instructions, counted by callgrind on the files of 1 MB, depend on the compiler and on whether the
processor has AVX2, but not on the load of the machine.

* *system-read*: `read()` of the file into untouched memory. *system-copy*: `memcpy` between two
  buffers that were touched. *system-write*: writing, flushing and renaming the same bytes.
* *read*: `tenon_read_file()` with `map`. *safe*: also checks that all numbers are finite and all
  indices in range. There is no single call for it; `bench/bench_safe.c` is what a loader would do.
* *check*: reading and `tenon_check()`. *scene*: reading and `tenon_to_scene()`, which allocates its
  own arrays; for BBMOD, which has no indices, it also welds vertices. *convert*: *scene* and
  `tenon_export()` to GLB (from GLB: to BBMOD), without storing the output. *write*: reading and
  `tenon_write_file()`.
* Whole programs: from start to end. When writing, Tenon waits until the file is on the disk; Assimp
  does not. At 1 MB this is most of the time.
"""


def report_text(bench, note):
    targets = all_targets(bench)
    held = sum(row[3] for row in targets)
    parts = [HEAD % (bench.rounds, bench.large_rounds()), "Machine: %s.\n" % machine(),
             note + "\n" if note else "",
             "## Targets\n\n%d of %d hold, with a margin of 5 %%.\n" % (held, len(targets)),
             target_table(targets),
             "\n## MB a second, least time\n", times_table(bench),
             "\n## Times `read()`: least / median\n", median_table(bench),
             "\n## Instructions for a byte\n", instruction_table(bench),
             "\n## Instructions as models grow\n", scaling_table(bench),
             "\n## Whole programs\n", process_table(bench),
             "\n" + conversion_text(bench), LOG.read_text()]
    return "\n".join(parts)


def print_targets(targets, path):
    for what, got, limit, holds in targets:
        print("%-8s %-70s %8s  %s" % ("holds" if holds else "MISSES", what, got, limit))
    return "%d of %d targets hold; %s" % (sum(row[3] for row in targets), len(targets), path)


def write_report(bench, path, note=""):
    """Returns one line for the terminal."""
    Path(path).write_text(report_text(bench, note))
    return print_targets(all_targets(bench) + list(conversion_targets(bench)), path)
