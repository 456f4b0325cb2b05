#!/usr/bin/env python3
"""test_fail_signals.py: conversions that are interrupted or killed leave the old files or the new.

A signal comes before each file operation in turn; with --long, 200 times also at a random
moment (with a fixed seed), and to conversions of folders.
"""
# SPDX-License-Identifier: MIT

import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fault_runner import SEED, TEMPORARY, Campaign, Fault, Place, contents, tool
from scenarios import FIXTURES, MODELS, ROOT, Scenario, crane, on

OPERATIONS = ("open", "read", "write", "sync", "lock", "rename", "close", "remove")
KILLS = 200
TIMEOUT = 1800  # Seconds; only against hanging.


def scenarios():
    """Commands that write one file, or several that belong together; main files are out.*"""
    yield on("convert", "full.bplx", options=["-o", "out.glb"])
    yield crane("gpb", "convert", "crane.gpb", "out.bbmod", "--textures", "copy", "--force")
    yield crane("bbmod", "convert", "crane.bbmod", "out.bbmod", "--force")
    yield Scenario("a font", ["convert", "font.gpb", "out.fnt", "--force"],
                   {"font.gpb": FIXTURES + "gpb/1_5_font.gpb"})
    yield Scenario("replace", ["convert", "full.bmw", "out.bmw", "--to", "bmw:R3", "--force"],
                   {"full.bmw": MODELS["full.bmw"], "out.bmw": MODELS["full.bmw"],
                    "out.json": "samples/crane.json", "full.json": "samples/crane.json"})
    yield Scenario("dump", ["dump", "full.bplx", "-o", "out.json"],
                   {"full.bplx": MODELS["full.bplx"]})


# -- Before every operation

def polite(calls):
    """The signals that ask a program to end."""
    return [Fault(operation, number, "once", f"signal={int(number_of)}")
            for number_of in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
            for operation in OPERATIONS for number in range(1, calls[operation] + 1)]


def deadly(calls):
    return [Fault(operation, number, "once", f"signal={int(signal.SIGKILL)}")
            for operation in OPERATIONS for number in range(1, calls[operation] + 1)]


def what_polite_leaves(fault, place, whole):
    now = place.run(fault)
    died = -now.status == int(fault.what.split("=")[1])
    leftovers = [name for name in now.files if TEMPORARY in name]
    if leftovers:
        return f"temporaries stay: {leftovers}"
    if now.files not in (place.before, whole.files):
        return f"it leaves {sorted(set(now.files) ^ set(place.before))}"
    return None if died else f"it ends with status {now.status}"


def what_deadly_leaves(fault, place, whole):
    now = place.run(fault)
    wrong = neither(place.before, whole.files, now.files)
    if wrong or now.status != -signal.SIGKILL:
        return wrong or f"it ends with status {now.status}"
    done = subprocess.run([str(tool()), *place.scenario.args, "--force"], cwd=place.folder,
                          capture_output=True)
    after = contents(place.folder)
    if done.returncode != 0 or after != whole.files:
        return f"the next run leaves {sorted(set(after) ^ set(whole.files))}: {done.stderr!r}"
    return None


def neither(before, whole, files):
    """Every file is old or new, and all are new if a main file is."""
    mixed = [name for name, data in files.items() if TEMPORARY not in name
            and data not in (before.get(name), whole.get(name))]
    if mixed:
        return f"mixed: {mixed}"
    is_new = any(name.startswith("out.") and data == whole.get(name) != before.get(name)
                 for name, data in files.items() if not name.endswith((".json", ".material")))
    missing = [name for name in whole if files.get(name) != whole[name]]
    return f"the model is new, but not {missing}" if is_new and missing else None


def interrupt_everywhere(campaign, is_long):
    for scenario in scenarios():
        for faults_of, look in ((polite, what_polite_leaves), (deadly, what_deadly_leaves)):
            with tempfile.TemporaryDirectory(prefix="tenon-fail-") as folder:
                place = Place(scenario, Path(folder))
                whole = place.run()
                chosen = faults_of(whole.calls)
                if not is_long and len(chosen) > 20:
                    chosen = random.Random(f"{SEED} {scenario.name}").sample(chosen, 20)
                for fault in chosen:
                    wrong = look(fault, place, whole)
                    campaign.note(scenario, 1, wrong and f"{fault}: {wrong}")
                    place.is_clean = False


# -- At any moment

def bigger(folder):
    """A model that takes a while: the crane, converted to a large text."""
    subprocess.run([str(tool()), "convert", str(ROOT / "samples/crane.bmw"),
                    str(folder / "big.gltf")], check=True, capture_output=True)
    return folder / "big.gltf"


def start(args, folder):
    return subprocess.Popen([str(tool()), *args], cwd=folder, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def duration(args, folder):
    begin = time.monotonic()
    start(args, folder).wait()
    return time.monotonic() - begin


def kill_at_random(campaign):
    """200 conversions onto an old file, killed; each time the next one cleans up."""
    moments = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="tenon-fail-") as name:
        folder = Path(name)
        model = bigger(folder).name
        args = ["convert", model, "out.bbmod", "--force"]
        scenario = Scenario("kill -9", args)
        seconds = duration(args, folder)
        whole = contents(folder)
        hits = 0
        for _ in range(20 * KILLS):
            if hits == KILLS:
                break
            for extra in set(contents(folder)) - {n for n in whole if not n.startswith("out")}:
                (folder / extra).unlink()
            (folder / "out.bbmod").write_bytes(b"old")
            before = contents(folder)
            process = start(args, folder)
            time.sleep(moments.uniform(0, 1.1 * seconds))
            process.kill()
            hits += process.wait() == -signal.SIGKILL
            wrong = neither(before, whole, contents(folder))
            if start(args, folder).wait() != 0 or contents(folder) != whole:
                wrong = wrong or f"the next run leaves {sorted(contents(folder))}"
            campaign.note(scenario, 1, wrong)
        print(f"kill -9: {hits} of {KILLS} came before the end ({seconds:.3f} s)")
        if hits < KILLS:
            campaign.note(scenario, 0, "too many came too late to mean anything")


def interrupt_folders(campaign, count):
    """SIGINT and SIGTERM while a folder is converted: whole models, and nothing else."""
    moments = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="tenon-fail-") as name:
        folder = Path(name)
        (folder / "in").mkdir()
        for kind in range(6):
            shutil.copy(ROOT / "samples/crane.gpb", folder / f"in/crane{kind}.gpb")
            shutil.copy(ROOT / "samples/crane.material", folder / f"in/crane{kind}.material")
        args = ["convert", "in/", "-o", "out/", "--to", "bbmod"]
        (folder / "out").mkdir()
        seconds = duration(args, folder)
        whole = contents(folder / "out")
        for index in range(count):
            shutil.rmtree(folder / "out")
            (folder / "out").mkdir()
            process = start(args, folder)
            time.sleep(moments.uniform(0, seconds))
            process.send_signal(signal.SIGINT if index % 2 else signal.SIGTERM)
            process.wait()
            campaign.note(Scenario("folder", args), 1, surplus(whole, contents(folder / "out")))


def surplus(whole, files):
    """Each model has all that belongs to it; no file belongs to a missing one."""
    for name, data in files.items():
        if whole.get(name) != data:
            return f"{name} is not what it should be"
    models = {name for name in files if name.endswith(".bbmod")}
    wanted = {name for name in whole if name.split(".")[0].split("_")[0] + ".bbmod" in models}
    shared = {name for name in whole if not name.startswith("crane")}
    if set(files) - shared == wanted - shared:
        return None
    return f"surplus: {sorted(set(files) ^ wanted)}"


def interrupt_work(campaign):
    """A tool that is interrupted while it computes ends by the signal, without its output. A signal
    that comes after the last step finds all of it."""
    with tempfile.TemporaryDirectory(prefix="tenon-fail-") as name:
        folder = Path(name)
        model = bigger(folder).name
        seconds = duration(["convert", model, "whole.bbmod", "--verify"], folder)
        whole = (folder / "whole.bbmod").read_bytes()
        ended = 0
        for index in range(10):
            process = start(["convert", model, f"{index}.bbmod", "--verify"], folder)
            time.sleep(index * seconds / 20)
            process.send_signal(signal.SIGINT)
            was_ended = process.wait(TIMEOUT) == -signal.SIGINT
            ended += was_ended
            output = folder / f"{index}.bbmod"
            is_cut = output.exists() and output.read_bytes() != whole
            campaign.note(Scenario("work", ["convert"]), 1,
                          "a part of its output is there" if was_ended and is_cut else None)
        print(f"SIGINT: ended {ended} of 10")
        if ended == 0:
            campaign.note(Scenario("work", ["convert"]), 0, "the signal never ended it")


def main():
    is_long = "--long" in sys.argv
    campaign = Campaign()
    interrupt_everywhere(campaign, is_long)
    interrupt_folders(campaign, 40 if is_long else 4)
    interrupt_work(campaign)
    if is_long:
        kill_at_random(campaign)
    return campaign.end()


if __name__ == "__main__":
    sys.exit(main())
