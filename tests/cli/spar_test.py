"""`thalweg-spar++` of a wheel."""

import io
import tempfile
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

from thalweg_cli import spar
from thalweg_cli.base import terminal
from thalweg_cli.build.interfaces import State


class Compiler(unittest.TestCase):
    """It is built once, and takes the place of the command."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.driver = Path(folder.name) / "spar" / "thalweg-spar++"
        self.addCleanup(setattr, terminal.console, "stderr", terminal.console.stderr)
        for what in (
            mock.patch.object(spar, "build_folder", return_value=Path(folder.name)),
            mock.patch.object(spar, "unpack"),
            mock.patch.object(spar.sys, "argv", ["thalweg-spar++", "-c", "a.cpp"]),
        ):
            what.start()
            self.addCleanup(what.stop)
        self.build = mock.patch.object(spar, "build").start()
        self.become = mock.patch.object(spar.os, "execv").start()
        self.addCleanup(mock.patch.stopall)

    def start(self, *, clang: bool) -> None:
        """Calls it on a machine with the libraries of Clang, or without."""
        state = State(clang, "package llvm-22-dev is missing", "./thalweg install spar")
        with mock.patch.object(spar, "state_of", return_value=state):
            spar.main()

    def test_it_is_built_when_it_is_first_used(self) -> None:
        self.start(clang=True)
        self.build.assert_called_once_with("release", "thalweg", "thalweg-spar", "thalweg-spar++")
        self.become.assert_called_once_with(self.driver, [str(self.driver), "-c", "a.cpp"])

    def test_it_is_built_once(self) -> None:
        self.driver.parent.mkdir()
        self.driver.touch()
        self.start(clang=False)
        self.build.assert_not_called()
        self.become.assert_called_once()

    def test_without_clang_it_says_what_to_install(self) -> None:
        said = io.StringIO()
        with redirect_stderr(said), self.assertRaises(SystemExit) as ended:
            self.start(clang=False)
        self.assertEqual(ended.exception.code, 1)
        self.assertRegex(said.getvalue(), r"llvm-22-dev is missing(.|\n)*thalweg install spar")
        self.become.assert_not_called()
