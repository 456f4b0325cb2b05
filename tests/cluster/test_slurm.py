#!/usr/bin/env python3
"""test_slurm.py: an array of eight shards on a Slurm of its own, one of which is killed and
submitted again, makes what one process makes.

Slurm and munge run on 127.0.0.1, as root, with a configuration and a key in a temporary folder.
Skipped, with the reason, if they are not installed, or for other users.
"""
# SPDX-License-Identifier: MIT

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from batch_models import make_models  # noqa: E402

TENON = Path(os.environ.get("TENON", ROOT / "build/release/tenon")).resolve()
COUNT, PARTS = 20000, 8
SKIPPED = 77
PROGRAMS = ("slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo", "munged")


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIPPED)


def find(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def tree(folder):
    folder = Path(folder)
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*")
            if p.is_file() and not p.name.startswith(".tenon-manifest")}


def said(folder):
    """What the shards printed."""
    return {path.name: path.read_text()[-2000:] for path in sorted(folder.glob("tenon-*.log"))
            if path.stat().st_size}


class Cluster:
    """The daemons, until stop()."""

    def __init__(self, folder):
        self.folder, self.children = folder, []
        self.config = folder / "slurm.conf"
        socket_path = folder / "munge.socket"
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        for name in ("state", "spool"):
            (folder / name).mkdir()
        host = socket.gethostname().split(".")[0]
        cores = os.cpu_count() or 1
        self.config.write_text(f"""\
ClusterName=tenon
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={socket_path}
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmdParameters=config_overrides
KillWait=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={max(cores, 4)} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
""")
        self.environment = dict(os.environ, SLURM_CONF=str(self.config),
                                PATH=f"{TENON.parent}:{os.environ['PATH']}:/usr/sbin")
        self.start("munged", "--foreground", "--force", f"--key-file={key}",
                   f"--socket={socket_path}", f"--pid-file={folder}/munge.pid",
                   f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed")
        self.wait(socket_path.exists, "munge does not start")
        self.start("slurmctld", "-D", "-c")
        self.start("slurmd", "-D", "-N", host)
        self.wait(lambda: "idle" in self.run("sinfo", "-h", "-o", "%T", check=False),
                  "no node is idle")

    def start(self, *words):
        log = (self.folder / (words[0] + ".out")).open("w")
        self.children.append(subprocess.Popen([find(words[0]), *words[1:]], stdout=log, stderr=log,
                                              env=self.environment, start_new_session=True))

    def run(self, *words, check=True, cwd=None):
        return subprocess.run([find(words[0]), *words[1:]], capture_output=True, text=True,
                              check=check, cwd=cwd, env=self.environment, timeout=60).stdout

    def wait(self, check, problem, seconds=120):
        end = time.time() + seconds
        while not check():
            if time.time() > end:
                for log in sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*.out")):
                    print("==", log.name, "\n", log.read_text()[-2000:])
                raise AssertionError(problem)
            time.sleep(0.2)

    def submit(self, where, tasks, *words):
        text = self.run("sbatch", "--parsable", f"--array={tasks}", "--cpus-per-task=1",
                        str(HERE / "convert_shards.sbatch"), *words, cwd=where)
        return text.strip()

    def is_done(self, job):
        """A controller that does not answer says nothing about the job."""
        asked = subprocess.run([find("squeue"), "-h", "-j", job], capture_output=True, text=True,
                               env=self.environment, timeout=60)
        is_forgotten = "Invalid job id" in asked.stderr
        return is_forgotten or (asked.returncode == 0 and not asked.stdout.strip())

    def stop(self):
        for child in reversed(self.children):
            child.terminate()
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()


def try_cluster(folder):
    work = folder / "work"
    work.mkdir()
    make_models(work / "models", COUNT)
    subprocess.run([TENON, "convert", "-q", "-r", "models", "-o", "whole/", "--to", "gpb",
                    "--report", "whole.json"], cwd=work, check=True)
    expected = tree(work / "whole")
    cluster = Cluster(folder)
    try:
        job = cluster.submit(work, f"1-{PARTS}", "models/", "out/", "--to", "gpb")
        log = work / "out" / f".tenon-manifest-3-of-{PARTS}.log"
        cluster.wait(log.exists, "shard 3 does not start")
        cluster.run("scancel", "--signal=KILL", "--batch", f"{job}_3", check=False)
        cluster.wait(lambda: cluster.is_done(job), "the array does not end", 600)
        was_killed = log.exists()
        print("shard 3 was killed" if was_killed else "shard 3 was faster than its end")
        missing = set(expected) - set(tree(work / "out"))
        os.environ["TENON_PARTS"] = str(PARTS)
        cluster.environment["TENON_PARTS"] = str(PARTS)
        job = cluster.submit(work, "3", "models/", "out/", "--to", "gpb")
        cluster.wait(lambda: cluster.is_done(job), "shard 3 does not end", 600)
    finally:
        cluster.stop()
    print(f"{len(missing)} of {len(expected)} files were missing before it was submitted again")
    assert was_killed and missing, "nothing was interrupted"
    made = tree(work / "out")
    for what, names in (("missing", set(expected) - set(made)), ("more", set(made) - set(expected)),
                        ("different", {n for n in made if made[n] != expected.get(n, made[n])})):
        if names:
            print(f"{len(names)} {what}, such as {sorted(names)[:3]}")
    assert made == expected, f"the shards made something else than one process: {said(work)}"
    assert not any("error[" in text for text in said(work).values()), said(work)
    print(f"{PARTS} shards made the same {len(expected)} files as one process")
    done = subprocess.run([TENON, "convert", "-r", "models", "-o", "out/", "--to", "gpb", "-q",
                           "--skip-unchanged", "--json"], cwd=work, capture_output=True, text=True,
                          check=True)
    assert f'"unchanged":{COUNT},' in done.stdout.splitlines()[-1], done.stdout[-300:]


def main():
    missing = [name for name in PROGRAMS if not find(name)]
    if missing:
        skip("not installed: %s (`make test-cluster` installs slurm-wlm and munge)"
             % ", ".join(missing))
    if os.geteuid() != 0:
        skip("Slurm runs jobs of several users and is started by root")
    folder = Path(tempfile.mkdtemp(prefix="tenon-cluster-"))
    try:
        try_cluster(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
