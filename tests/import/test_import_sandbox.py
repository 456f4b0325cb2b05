#!/usr/bin/env python3
"""test_import_sandbox.py: what tenon-import cannot do, and limits of any program in its place.

TENON names the tool; TENON_IMPORT says which program it starts.
"""
# SPDX-License-Identifier: MIT

import ctypes
import json
import os
import platform
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent)]
import pipe_messages as pipe  # noqa: E402
import small_files  # noqa: E402
import test_paths  # noqa: E402

TENON = os.path.abspath(os.environ.get("TENON", "build/release/tenon"))
IMPORTER = Path(os.environ.get("TENON_IMPORT") or Path(TENON).parent / "tenon-import")
TIMEOUT = 1800  # Seconds; only against hanging.
NOBODY = 65534
DEAF = "for n in (1, 2, 3, 13, 15): signal.signal(n, signal.SIG_IGN)\n"
GLB = struct.pack("<4s4I", b"glTF", 2, 52, 32, 0x4e4f534a) + b'{"asset":{"version":"2.0"}}     '


def is_gone(pid):
    for _ in range(100000):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


class SandboxTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(os.path.realpath(folder.name))
        self.folder.chmod(0o755)
        (self.folder / "a.dae").write_bytes(b"<COLLADA/>\n")

    def environment(self, body, python=sys.executable):
        path = pipe.program(self.folder / "importer", body, python)
        return {**os.environ, "TENON_IMPORT": path}

    def said_by(self, body, python=sys.executable, **how):
        """What a program in place of tenon-import reports about itself."""
        run = subprocess.run([TENON, "info", "--json", "a.dae"], cwd=self.folder,
                             env={**self.environment(body, python), **how.pop("env", {})},
                             capture_output=True, timeout=TIMEOUT, **how)
        self.assertEqual(run.returncode, 1, run)
        message = json.loads(run.stdout)["error"]["message"]
        self.assertIn("cannot be read as COLLADA: ", message)
        return message.split("cannot be read as COLLADA: ", 1)[1]


@unittest.skipUnless(sys.platform == "linux", "the sandbox is for Linux")
class AnyProgram(SandboxTest):
    """What tenon does before it starts a program."""

    def test_the_environment_is_empty(self):
        body = "sys.exit(repr(open('/proc/self/environ', 'rb').read()))"
        self.assertEqual(self.said_by(body, env={"SECRET": "word"}), "b''")
        self.assertEqual(self.said_by(body, env={"LD_LIBRARY_PATH": "/x"}),
                         repr(b"LD_LIBRARY_PATH=/x\0"))

    def test_only_pipes_are_open(self):
        body = ("names = [os.readlink(f'/proc/self/fd/{fd}') for fd in range(3)]\n"
                "more = [fd for fd in range(3, 99) if os.path.exists(f'/proc/self/fd/{fd}')]\n"
                "sys.exit(f'{[name[:5] for name in names]} {more}')")
        with open(__file__, "rb") as file:
            os.dup2(file.fileno(), 77)
        self.addCleanup(os.close, 77)
        # Python itself has the program's text open.
        self.assertIn(self.said_by(body, pass_fds=[77]), (f"{['pipe:'] * 3} []",
                                                         f"{['pipe:'] * 3} [3]"))

    def test_limits_are_set(self):
        body = ("names = ('CPU', 'CORE', 'FSIZE', 'NOFILE', 'NPROC', 'AS')\n"
                "sys.exit(repr([resource.getrlimit(getattr(resource, 'RLIMIT_' + name))\n"
                "               for name in names]))")
        *others, memory = json.loads(self.said_by(body).replace("(", "[").replace(")", "]"))
        self.assertEqual(others, [[10, 10], [0, 0], [0, 0], [16, 16], [0, 0]])
        if memory[0] == resource.RLIM_INFINITY:
            self.skipTest("a sanitizer needs the whole address space")
        self.assertEqual(memory[0] >> 20, 1024)

    def test_lower_limits_stay(self):
        body = "sys.exit(repr(resource.getrlimit(resource.RLIMIT_CPU)))"
        self.assertEqual(self.said_by(body, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_CPU, (7, 8))), "(7, 8)")

    def test_no_file_can_be_written(self):
        self.said_by("open('extra', 'w').write('x')\nsys.exit('done')")
        extra = self.folder / "extra"
        self.assertEqual(extra.stat().st_size if extra.exists() else 0, 0)

    def test_no_privileges_can_be_gained(self):
        body = "sys.exit([line for line in open('/proc/self/status') if 'NoNewPrivs' in line][0])"
        self.assertEqual(self.said_by(body).split(), ["NoNewPrivs:", "1"])

    def test_users_cannot_fork(self):
        """The limit of processes has no effect for root, so root becomes another user here."""
        body = ("try:\n    os.fork()\nexcept OSError as why:\n    sys.exit(type(why).__name__)\n"
                "sys.exit('forked')")
        if os.geteuid() != 0:
            self.assertEqual(self.said_by(body), "BlockingIOError")
            return
        how = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        for python in (sys.executable, "/usr/bin/python3"):
            try:
                for program in (TENON, python):
                    subprocess.run([program, "--version"], check=True, capture_output=True, **how)
            except (OSError, subprocess.CalledProcessError):
                continue
            said = self.said_by(body, python, **how)
            if said != "Traceback (most recent call last):":  # Else it cannot read this folder.
                self.assertEqual(said, "BlockingIOError")
                return
        self.skipTest("other users cannot start the tool and Python here")

    def test_what_it_started_ends_with_it(self):
        body = DEAF + ("assert os.getpgrp() == os.getpid()\n"
                       "try:\n    child = os.fork()\nexcept OSError:\n    sys.exit('refused')\n"
                       "if child == 0: time.sleep(1000)\n"
                       "sys.exit(str(child))")
        # The pipes are still open in that process, which is not waited for.
        said = self.said_by(body)
        self.assertTrue(said == "refused" or is_gone(int(said)), said)

    def test_it_ends_when_the_result_is_there(self):
        env = self.environment(DEAF + "os.rename('a.dae', str(os.getpid()))\n"
                               f"put(result_messages({GLB!r}))\ntime.sleep(1000)")
        run = subprocess.run([TENON, "info", "a.dae"], cwd=self.folder, env=env,
                             capture_output=True, timeout=TIMEOUT)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(is_gone(self.wait_for_process()))

    def test_it_ends_when_it_goes_silent(self):
        run = subprocess.run(
            [TENON, "info", "a.dae"], cwd=self.folder, capture_output=True, timeout=TIMEOUT,
            env=self.environment(DEAF + "os.rename('a.dae', str(os.getpid()))\n"
                                 "os.closerange(0, 3)\ntime.sleep(1000)"))
        self.assertEqual(run.returncode, 1)
        self.assertIn(b"stopped responding", run.stderr)
        self.assertTrue(is_gone(self.wait_for_process()))

    def test_a_signal_ends_both(self):
        """Also the whole process group, by signals that tenon can catch."""
        body = DEAF + ("try:\n    child = os.fork()\nexcept OSError:\n    child = os.getpid()\n"
                       "if child == 0: time.sleep(1000)\n"
                       "os.rename('a.dae', f'{os.getpid()}.{child}')\ntime.sleep(1000)")
        caught = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        for number in (*caught, signal.SIGQUIT, signal.SIGKILL):
            with self.subTest(number):
                process = subprocess.Popen(
                    [TENON, "info", "a.dae"], cwd=self.folder, env=self.environment(body),
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
                leader, child = self.wait_for_process(suffix=True)
                process.send_signal(number)
                self.assertEqual(process.wait(TIMEOUT), -number)
                self.assertTrue(is_gone(leader))
                if number in caught:
                    self.assertTrue(is_gone(child))
                elif child != leader:
                    os.kill(child, signal.SIGKILL)
                (self.folder / f"{leader}.{child}").rename(self.folder / "a.dae")

    def wait_for_process(self, suffix=False):
        for _ in range(100000):
            for entry in self.folder.iterdir():
                if entry.name[0].isdigit():
                    numbers = [int(number) for number in entry.name.split(".")]
                    return numbers if suffix else numbers[0]
            time.sleep(0.01)
        self.fail("the program was not started")

    def test_what_cannot_be_started_is_an_error(self):
        program = self.folder / "importer"
        program.write_text("#!/nonexistent\n")
        program.chmod(0o755)
        run = subprocess.run([TENON, "info", "a.dae"], cwd=self.folder, capture_output=True,
                             text=True, env={**os.environ, "TENON_IMPORT": str(program)})
        self.assertEqual(run.returncode, 3)
        self.assertIn("could not be started: No such file", run.stderr)

    def test_a_forbidden_call_is_one_error(self):
        run = subprocess.run([TENON, "info", "a.dae"], cwd=self.folder, capture_output=True,
                             env=self.environment("os.kill(os.getpid(), signal.SIGSYS)"))
        self.assertEqual(run.returncode, 1)
        self.assertIn(b"a system call that its sandbox forbids", run.stderr)

    def test_what_is_lacking_is_shown_with_verbose(self):
        env = self.environment(f"send(READY, b'no \\x1b[2Jfilter')\nput(message(DATA, {GLB!r}))\n"
                               "send(DONE)")
        for options, count in (([], 0), (["-v"], 1)):
            run = subprocess.run([TENON, "info", *options, "a.dae"], cwd=self.folder, env=env,
                                 capture_output=True, timeout=TIMEOUT)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(run.stderr.count(b"importer sandbox: no "), count, run.stderr)
            self.assertNotIn(b"\x1b", run.stderr)


class Requests(SandboxTest):
    """Which files a program in the place of tenon-import gets from tenon."""

    def setUp(self):
        super().setUp()
        self.model = test_paths.make_box(self.folder)
        shutil.copy(self.folder / "a.dae", self.model)

    def found(self, kind, names):
        """Those of the names that are found, with what is in them."""
        (self.folder / "names").write_text(repr(names))
        env = self.environment(f"names = eval(open({str(self.folder / 'names')!r}).read())\n"
                               f"assert begin() == (b'a.dae', {b'<COLLADA/>'!r} +"
                               " b'\\n')\n"
                               f"answers = [(name, ask({kind}, name)) for name in names]\n"
                               "assert not any(data for _, (kind, data) in answers"
                               " if kind != FOUND)\n"
                               "sys.exit(repr([(name, data) for name, (kind, data) in answers"
                               " if kind == FOUND]))")
        # The model's name with and without a folder.
        said = []
        for where, name in ((self.model, "a.dae"), (self.folder, "model/a.dae")):
            run = subprocess.run([TENON, "info", "--json", name], cwd=where, env=env,
                                 capture_output=True, timeout=TIMEOUT)
            message = json.loads(run.stdout)["error"]["message"]
            said.append(message.split("cannot be read as COLLADA: ", 1)[1])
        self.assertEqual(said[0], said[1])
        return said[0]

    def test_nothing_outside_of_the_folder_is_found(self):
        names = [name for name in test_paths.hostile_names(self.folder)
                 if len(name) <= pipe.NAME_MOST]
        self.assertGreater(len(names), 40)
        for kind in (pipe.LOOK, pipe.READ):
            self.assertEqual(self.found(kind, names), "[]")

    def test_files_in_the_folder_are_found(self):
        (self.model / "b.txt").write_bytes(b"in b")
        (self.model / "sub/c.txt").write_bytes(b"in c")
        (self.model / "empty").write_bytes(b"")
        names = [b"b.txt", b"./sub/c.txt", b"sub\\c.txt", b"empty", b"none"]
        self.assertEqual(self.found(pipe.READ, names), repr(
            [(b"b.txt", b"in b"), (b"./sub/c.txt", b"in c"), (b"sub\\c.txt", b"in c"),
             (b"empty", b"")]))
        self.assertEqual(self.found(pipe.LOOK, names), repr([(name, b"") for name in names[:4]]))

    def test_large_files_arrive_whole(self):
        data = os.urandom(1 << 10) * (5 << 10)
        (self.model / "large").write_bytes(data)
        env = self.environment("import zlib\nbegin()\nkind, data = ask(READ, b'large')\n"
                               "sys.exit(f'{kind} {len(data)} {zlib.crc32(data)}')")
        run = subprocess.run([TENON, "info", "a.dae"], cwd=self.model, env=env,
                             capture_output=True, timeout=TIMEOUT)
        self.assertIn(f"{pipe.FOUND} {len(data)} {test_paths.zlib.crc32(data)}".encode(),
                      run.stderr)

    def test_files_that_are_too_large_are_refused(self):
        with open(self.model / "large", "wb") as file:
            file.truncate((257 << 20) + 1)
        env = self.environment("begin()\nsend(READ, b'large')\nsys.exit(repr(take(16)))")
        sent = repr(pipe.message(pipe.FOUND, size=(257 << 20) + 1)).encode()
        for limit, words in (("1M", b"more than 269484032 bytes"), ("2M", sent)):
            run = subprocess.run([TENON, "info", "--max-memory", limit, "a.dae"], cwd=self.model,
                                 env=env, capture_output=True, timeout=TIMEOUT)
            self.assertEqual(run.returncode, 1)
            self.assertIn(words, run.stderr)


# -- The real one

def without_filters():
    """From now on, the kernel refuses filters, as if it had none."""
    libc = ctypes.CDLL(None, use_errno=True)
    number = {"x86_64": 157, "aarch64": 167}[platform.machine()]
    code = [(0x20, 0, 0, 0), (0x15, 0, 3, number),             # If it is prctl(),
            (0x20, 0, 0, 16), (0x15, 0, 1, 22),                # with PR_SET_SECCOMP,
            (0x06, 0, 0, 0x00050016), (0x06, 0, 0, 0x7fff0000)]  # then EINVAL.
    packed = b"".join(struct.pack("<HBBI", *instruction) for instruction in code)
    text = ctypes.create_string_buffer(packed)
    program = struct.pack("<H6xQ", len(code), ctypes.addressof(text))
    libc.prctl(38, 1, 0, 0, 0)
    if libc.prctl(22, 2, program, 0, 0) != 0:
        os._exit(99)


@unittest.skipUnless(IMPORTER.exists(), "tenon-import is not built")
@unittest.skipUnless(sys.platform == "linux", "the sandbox is for Linux")
class Importer(SandboxTest):
    """What tenon-import forbids itself."""

    @classmethod
    def setUpClass(cls):
        cls.tried = subprocess.run([IMPORTER, "--try-sandbox"], capture_output=True, text=True,
                                   timeout=TIMEOUT)

    def need_filter(self):
        if self.tried.returncode == 3:
            self.skipTest(self.tried.stdout.strip())

    def start(self):
        process = subprocess.Popen([IMPORTER, "--pipes"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for stream in (process.stdin, process.stdout, process.stderr):
            self.addCleanup(stream.close)
        return process

    @staticmethod
    def next_message(process):
        version, kind, size = struct.unpack("<IIQ", process.stdout.read(16))
        return version, kind, process.stdout.read(size)

    def test_everything_forbidden_is_refused(self):
        self.need_filter()
        self.assertEqual(self.tried.returncode, 0, self.tried.stdout)
        lines = self.tried.stdout.splitlines()
        self.assertTrue(all(line.endswith(": refused") for line in lines), lines)
        tried = {line.split(":")[0] for line in lines}
        self.assertLessEqual({"open a file", "open an internet socket", "open a local socket",
                              "start a process", "start a program", "trace a process",
                              "signal a process", "make executable memory"}, tried)
        self.assertEqual(list(self.folder.glob("tenon-import-*")), [])

    def test_it_is_locked_before_a_byte_comes(self):
        self.need_filter()
        process = self.start()
        self.assertEqual(self.next_message(process), (pipe.VERSION, pipe.READY, b""))
        status = dict(line.split(":\t", 1) for line in
                      Path(f"/proc/{process.pid}/status").read_text().splitlines())
        self.assertEqual((status["Seccomp"], status["NoNewPrivs"]), ("2", "1"))
        limits = Path(f"/proc/{process.pid}/limits").read_text()
        self.assertRegex(limits, r"Max open files +3 +3 ")
        self.assertRegex(limits, r"Max processes +0 +0 ")

    def test_a_kernel_without_filters_is_reported(self):
        self.need_filter()
        run = subprocess.run([IMPORTER, "--try-sandbox"], capture_output=True, text=True,
                             preexec_fn=without_filters)
        self.assertEqual((run.returncode, run.stdout.count("\n")), (3, 1), run)
        self.assertIn("no system call filter: ", run.stdout)
        (self.folder / "a.stl").write_bytes(small_files.stl())
        for how, count in ((without_filters, 1), (None, 0)):
            run = subprocess.run([TENON, "info", "-v", "a.stl"], cwd=self.folder, preexec_fn=how,
                                 capture_output=True, text=True, timeout=TIMEOUT)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(run.stderr.count("a.stl: importer sandbox: no system call filter"),
                             count, run.stderr)

    def test_it_ends_on_invalid_messages(self):
        model = pipe.model_messages(b"a.stl", small_files.stl())
        for sent in (b"", b"x" * 16, pipe.message(pipe.MODEL), pipe.message(pipe.NAME, size=5000),
                     pipe.message(pipe.NAME, b"a.stl") * 2, model[:-1],
                     pipe.model_messages(b"a.lws", small_files.lws("b.stl")) +
                     pipe.message(pipe.DATA) * 9):
            with self.subTest(sent[:40]):
                out, err = self.start().communicate(sent, TIMEOUT)
                self.assertIn(b"does not follow the protocol", err)
                self.assertNotIn(pipe.message(pipe.DONE), out)

    def test_files_beside_are_read_on_request(self):
        model, beside = self.folder / "model/a.lws", self.folder / "model/b.stl"
        model.parent.mkdir()
        model.write_bytes(small_files.lws("b.stl"))
        outside = self.folder / "b.stl"
        outside.write_bytes(small_files.stl())
        counts = []
        for place in (lambda: None, lambda: beside.symlink_to(outside),
                      lambda: shutil.copy(outside, beside)):
            beside.unlink(missing_ok=True)
            place()
            run = subprocess.run([TENON, "info", "--json", model], capture_output=True,
                                 timeout=TIMEOUT)
            counts.append(json.loads(run.stdout)["triangles"])
        self.assertEqual(counts, [0, 0, 4])

    def test_files_are_only_asked_for(self):
        """There is no file at all."""
        process = self.start()
        process.stdin.write(pipe.model_messages(b"a.lws", small_files.lws("b.stl")))
        asked, kind = set(), None
        while kind != pipe.DONE:
            process.stdin.flush()
            _, kind, data = self.next_message(process)
            if kind in (pipe.LOOK, pipe.READ):
                asked.add(data)
                process.stdin.write(pipe.message(pipe.FOUND, small_files.stl()))
        self.assertEqual(asked, {b"b.stl"})
        self.assertEqual(process.wait(TIMEOUT), 0)


if __name__ == "__main__":
    unittest.main()
