"""mutation_test.py: the cases of `mutation.py --self-test`, with a separate small library."""
# SPDX-License-Identifier: MIT

import contextlib
import io
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import mutation
from mutants import find_mutants

CMAKE = """\
cmake_minimum_required(VERSION 3.18)
project(small LANGUAGES C)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_BUILD_TYPE Release)
add_library(tenon_objects OBJECT src/area.c src/idle.c src/large.c)
add_library(tenon STATIC $<TARGET_OBJECTS:tenon_objects>)
enable_testing()
foreach(name exact vague heap)
    add_executable(${name} ${name}.c)
    target_link_libraries(${name} tenon)
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
endforeach()
add_test(NAME early COMMAND exact WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
set_tests_properties(exact PROPERTIES LABELS once)
set_tests_properties(early PROPERTIES LABELS "long;once")
"""
AREA = """\
int area(int width, int height);
int area(int width, int height)
{
    return width * height;
}
"""
IDLE = """\
int idle(int value);
int idle(int value)
{
    int sum = value;  // if (a < b) "+ 1"
    if (value < 0) sum = value + value;
    if (value != value) sum = 1;
    return sum;
}
"""
LARGE = """\
int large(const int *values, int count);
int large(const int *values, int count)
{
    int found = 0;
    for (int i = 0; i < count; i++) found += values[i] == 7;
    return found;
}
"""
EXACT = "int area(int, int);\nint main(void) { return area(3, 5) != 15 || area(2, 2) != 4; }\n"
VAGUE = "int idle(int);\nint main(void) { return idle(1) == 7; }\n"
HEAP = """\
#include <stdlib.h>
int large(const int *, int);
int main(void)
{
    int *values = calloc(4, sizeof *values);
    values[3] = 7;
    int found = large(values, 4);
    free(values);
    return found != 1;
}
"""


class SmallProject(unittest.TestCase):
    """A library with a function that is tested and one that is only called."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="tenon-mutation-")
        cls.root = Path(cls.temporary.name).resolve()
        files = {"CMakeLists.txt": CMAKE, "src/area.c": AREA, "src/idle.c": IDLE,
                 "src/large.c": LARGE, "exact.c": EXACT, "vague.c": VAGUE, "heap.c": HEAP}
        for name, text in files.items():
            (cls.root / name).parent.mkdir(exist_ok=True)
            (cls.root / name).write_text(text)
        for command in (["cmake", "-S", ".", "-B", "build"], ["cmake", "--build", "build"]):
            subprocess.run(command, cwd=cls.root, check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_tool(self, *words):
        """(status, printed) of a run on the small project, without sanitizers, which take time."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()), \
                mock.patch.object(mutation, "find_sanitizers", return_value=[]):
            status = mutation.main(["--build", str(self.root / "build"), *words], self.root)
        return status, printed.getvalue()

    def list_equivalents(self, text):
        path = self.root / "tests/mutation/equivalent.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.addCleanup(path.unlink)

    def test_what_is_tested_is_killed_by_its_test(self):
        status, printed = self.run_tool("--only", "src/area.c", "--count", "3")
        self.assertEqual(status, 0)
        self.assertIn("`return width * height;` -> `return width + height;`: killed by exact",
                      printed)
        self.assertIn("3 of 3 mutants killed", printed)

    def test_a_step_past_the_end_is_noticed(self):
        build = mutation.Build(self.root, self.root / "build")
        build.scratch.mkdir(exist_ok=True)
        if not build.sanitizers:
            self.skipTest("the compiler has no sanitizers")
        with contextlib.redirect_stderr(io.StringIO()):
            tests = mutation.record(build, 1)
        past = next(mutant for line in find_mutants("src/large.c", LARGE) for mutant in line
                    if "i <= count" in mutant.after)
        self.assertEqual(mutation.try_mutant(build, tests, past), ("killed", "heap"))

    def test_what_is_only_called_survives(self):
        status, printed = self.run_tool("--only", "src/idle.c", "--count", "4")
        self.assertEqual(status, 1)
        self.assertIn("SURVIVED vague", printed)
        self.assertIn("seed 1: 0 of 4 mutants killed", printed)

    def test_the_sources_stay_as_they_are(self):
        self.run_tool("--count", "4")
        self.assertEqual((self.root / "src/area.c").read_text(), AREA)
        self.assertEqual((self.root / "src/idle.c").read_text(), IDLE)

    def test_a_seed_gives_the_same_mutants(self):
        first, second, other = (self.run_tool("--seed", seed, "--list", "--count", "6")[1]
                                for seed in ("1", "1", "2"))
        self.assertEqual(first, second)
        self.assertNotEqual(first, other)

    def test_the_same_object_code_does_not_count(self):
        _, printed = self.run_tool("--only", "src/idle.c", "--count", "99")
        self.assertRegex(printed, r"[1-9]\d* with the same object code")
        self.assertNotIn("sum = 2", printed)  # Compilers know that it is never executed.

    def test_equivalents_do_not_count(self):
        _, before = self.run_tool("--only", "src/idle.c", "--count", "4")
        line = next(mutant for line in find_mutants("src/idle.c", IDLE) for mutant in line
                    if mutation.excerpt(mutant) in before)
        self.list_equivalents(f"src/idle.c idle\n- {line.before}\n+ {line.after}\nBecause.\n")
        _, after = self.run_tool("--only", "src/idle.c", "--count", "4")
        self.assertIn("equivalent: Because.", after)
        self.assertIn("0 of 3 mutants killed", after)

    def test_an_equivalent_that_is_killed_is_an_error(self):
        self.list_equivalents("src/area.c area\n- return width * height;\n"
                              "+ return width + height;\nNot true.\n")
        status, printed = self.run_tool("--only", "src/area.c", "--count", "3")
        self.assertEqual(status, 1)
        self.assertIn("LISTED AS EQUIVALENT, but killed by exact", printed)

    def test_an_equivalent_that_is_gone_is_an_error(self):
        self.list_equivalents("src/area.c area\n- return width % height;\n"
                              "+ return width / height;\nWas so once.\n")
        with self.assertRaisesRegex(SystemExit, "0 mutants fit"):
            self.run_tool("--count", "1")


class Text(unittest.TestCase):
    """What is found in the text of a source."""

    def changes(self, body):
        """The mutants of the lines of a function's body."""
        text = "void f(void)\n{\n" + "".join(f"    {line}\n" for line in body) + "}\n"
        return {mutant.after for line in find_mutants("x.c", text) for mutant in line}

    def test_operators(self):
        for line, changed in (("x = 16 * vertex;", "x = 16 + vertex;"),
                              ("if (a < b) f();", "if (a <= b) f();"),
                              ("if (a && b) f();", "if (a || b) f();"),
                              ("if (!a) f();", "if (a) f();"),
                              ("if (a) f();", "if (!(a)) f();"),
                              ("if (a) f();", "if (a) ;"),
                              ("return true;", "return false;"),
                              ("return name;", "return 0;"),
                              ("x = y << 2;", "x = y >> 2;"),
                              ("x->y[i + 1] = z;", ";"),
                              ("for (i = 0; i < n; i++)", "for (i = 0; i < n; i--)")):
            self.assertIn(changed, self.changes([line]), line)

    def test_what_is_not_code_is_left_alone(self):
        self.assertEqual(self.changes(["// a + b", "uint8_t bytes[16];", '#define A (b + 1)',
                                       "tenon_mesh *mesh, *other;", "_Static_assert(A == 3);"]),
                         set())

    def test_statements_of_several_lines_go_as_one(self):
        self.assertIn(";", self.changes(["report(name,", "       place);"]))

    def test_every_entry_of_the_project_is_up_to_date(self):
        for key, why in mutation.read_equivalents(mutation.ROOT).items():
            self.assertTrue(re.search(r"\w+ \w+ \w+", why), key)


def self_test():
    os.environ.pop("MAKEFLAGS", None)
    suite = unittest.defaultTestLoader.loadTestsFromModule(__import__(__name__))
    return 0 if unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful() else 1
