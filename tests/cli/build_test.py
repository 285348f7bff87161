"""What is shown of a failed build, and how many compilers run at once."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from thalweg_cli.build.cmake import NotConfigured, alone, failure_in, last_lines, moved_peers, parallel_jobs

AS_ANOTHER = """
from pathlib import Path
from thalweg_cli.build.cmake import alone
print("started", flush=True)
with alone(Path("{lock}")):
    print("alone")
"""

NINJA_OUTPUT = """\
[1/4] Building CXX object good.cpp.o
[2/4] Building CXX object bad.cpp.o
FAILED: bad.cpp.o
/usr/bin/c++ -o bad.cpp.o -c bad.cpp
bad.cpp:1:1: error: 'x' does not name a type
    1 | x
[3/4] Building CXX object warned.cpp.o
warned.cpp: a note
ninja: build stopped: subcommand failed.
"""


class FailureIn(unittest.TestCase):
    """`failure_in` keeps what the compiler says of the file that failed."""

    def test_shows_only_what_failed(self) -> None:
        shown = failure_in(NINJA_OUTPUT)
        self.assertIn("bad.cpp:1:1: error", shown)
        self.assertNotIn("/usr/bin/c++", shown)
        self.assertNotIn("good", shown)
        self.assertNotIn("warned", shown)

    def test_shows_the_end_if_nothing_says_failed(self) -> None:
        self.assertEqual(failure_in("ninja: error: manifest is broken\n"), "ninja: error: manifest is broken")

    def test_shows_what_cmake_says(self) -> None:
        log = "[0/1] Re-running CMake...\nCMake Error at a/CMakeLists.txt:1:\nFAILED: build.ninja\nninja: x\n"
        self.assertIn("CMake Error at a/CMakeLists.txt:1", NotConfigured("it failed", log, "").output)

    def test_is_not_endless(self) -> None:
        log = "FAILED: a\ncommand\n" + "error\n" * 1000
        self.assertLess(len(failure_in(log).splitlines()), 100)


class Alone(unittest.TestCase):
    """`alone` keeps processes apart."""

    def test_another_process_waits(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            lock = Path(folder) / "new" / "lock"
            command = [sys.executable, "-c", AS_ANOTHER.format(lock=lock)]
            with alone(lock):
                other = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
                assert other.stdout is not None
                self.assertEqual(other.stdout.readline(), "started\n")
                self.assertEqual(other.stdout.readline(), "another command is building: waiting for it\n")
                with self.assertRaises(subprocess.TimeoutExpired):
                    other.wait(0.3)
            self.assertEqual(other.communicate(timeout=30)[0], "alone\n")


class MovedPeers(unittest.TestCase):
    """`moved_peers` compares what is wanted with what CMake has found."""

    CACHE = "GRPPI_DIR:PATH={there}\nTASKFLOW_DIR:PATH=TASKFLOW_DIR-NOTFOUND\nTBB_DIR:PATH=/usr\n"

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.there = Path(folder.name) / "grppi"
        self.header = self.there / "include" / "grppi" / "grppi.h"
        self.header.parent.mkdir(parents=True)
        self.header.touch()
        self.cache = self.CACHE.format(there=self.there)

    def test_only_what_is_elsewhere(self) -> None:
        for places, moved in (
            ({}, []),
            ({"GRPPI_DIR": f"{self.there}/", "TASKFLOW_DIR": "", "TBB_DIR": "/b"}, []),
            ({"GRPPI_DIR": "/b", "WINDFLOW_DIR": "/b"}, ["GRPPI_DIR"]),
            ({"TASKFLOW_DIR": "/b"}, ["TASKFLOW_DIR"]),
        ):
            with self.subTest(places):
                self.assertEqual(moved_peers(self.cache, places), moved)

    def test_what_has_gone(self) -> None:
        self.header.unlink()
        self.assertEqual(moved_peers(self.cache, {}), ["GRPPI_DIR"])


class LastLines(unittest.TestCase):
    """`last_lines` is the end of a text."""

    def test_keeps_the_end(self) -> None:
        self.assertEqual(last_lines("a\nb\nc\n", 2), "b\nc")


class ParallelJobs(unittest.TestCase):
    """`parallel_jobs` always lets at least one compiler run."""

    def test_is_positive(self) -> None:
        self.assertGreaterEqual(parallel_jobs(), 1)
