"""Looks for libraries for streams over MPI in folders that have them, or not all that they need.

usage: mpi_libraries_test.py cmake [test ...]
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CMAKE = sys.argv[1]
LIBRARIES = Path(__file__).resolve().parents[2] / "cmake" / "mpi_libraries.cmake"
SCRIPT = """
function(thalweg_interface)
  message(STATUS "${{ARGV}}")
endfunction()
include("{libraries}")
"""


class Libraries(unittest.TestCase):
    """Each test has a folder, in which sources may be."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        self.script = self.folder / "look.cmake"
        self.script.write_text(SCRIPT.format(libraries=LIBRARIES), encoding="utf-8")

    def has(self, header: str) -> None:
        """The folder has a header."""
        file = self.folder / header
        file.parent.mkdir(parents=True)
        file.touch()

    def found(self, dsparlib: str = "", **places: str) -> dict[str, list[str]]:
        """What is told of each interface: CMake knows places, and the environment names DSParLib's."""
        given = [f"-D{name}={place}" for name, place in places.items()]
        command = [CMAKE, *given, "-P", self.script]
        named = {"DSPARLIB_DIR": dsparlib}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=named, timeout=60)
        told = [line.removeprefix("-- ").split(";") for line in done.stdout.splitlines()]
        return {words[0]: words[1:] for words in told}

    def test_nothing_is_there(self) -> None:
        found = self.found()
        self.assertEqual(found["mpi-dsparlib"][0], "MISSING")
        self.assertIn("--path dsparlib=", found["mpi-dsparlib"][1])
        self.assertEqual(found["mpi-fastflow"][0], "MISSING")
        self.assertIn("--path fastflow=", found["mpi-fastflow"][1])

    def test_dsparlib(self) -> None:
        self.assertEqual(self.found(dsparlib=str(self.folder))["mpi-dsparlib"][0], "MISSING")
        self.has("libs/dspar/dspar.h")
        found = self.found(dsparlib=str(self.folder))["mpi-dsparlib"]
        self.assertIn(f"{self.folder}/libs", found)
        self.assertNotIn("MISSING", found)

    def test_fastflow_without_what_it_needs(self) -> None:
        here, nowhere = str(self.folder), "THALWEG_CEREAL-NOTFOUND"
        self.has("ff/ff.hpp")
        self.assertIn("git submodule", self.found(FASTFLOW_DIR=here)["mpi-fastflow"][1])
        self.has("ff/distributed/MTCL/include/mtcl.hpp")
        self.has("cereal/cereal.hpp")
        # What the system itself has is out of the test's hands.
        lacks = self.found(FASTFLOW_DIR=here, THALWEG_CEREAL=nowhere, CMAKE_FIND_USE_CMAKE_SYSTEM_PATH="OFF")
        self.assertIn("libcereal-dev", lacks["mpi-fastflow"][1])
        found = self.found(FASTFLOW_DIR=here, THALWEG_CEREAL=here)["mpi-fastflow"]
        self.assertNotIn("MISSING", found)
        self.assertEqual(found[found.index("INCLUDES") + 1 :][:2], [here, here])


if __name__ == "__main__":
    unittest.main(argv=[*sys.argv[:1], *sys.argv[2:]])
