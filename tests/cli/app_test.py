"""The commands as a user types them."""

import io
import subprocess
import sys
import unittest
from contextlib import redirect_stderr
from unittest import mock

from thalweg_cli import version
from thalweg_cli.app import main


def thalweg(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command line."""
    command = [sys.executable, "-I", "-m", "thalweg_cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


class App(unittest.TestCase):
    """What the command line says to right and wrong commands."""

    def test_help_lists_the_commands(self) -> None:
        done = thalweg("--help")
        self.assertEqual(done.returncode, 0)
        commands = (
            "demo test micro exec feed effort list inputs install new-input delete-input new-app delete-app "
            "new edit edit-op reset-op configure global-config compile rename delete update results compare "
            "report docs doctor clean version"
        )
        for command in commands.split():
            self.assertRegex(done.stdout, rf"\b{command}\b")

    def test_starts_without_what_is_slow_to_load(self) -> None:
        code = "import sys, thalweg_cli.app; sys.exit('matplotlib' in sys.modules or 'numpy' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-I", "-c", code], check=False).returncode, 0)

    def test_unknown_command(self) -> None:
        done = thalweg("tset")
        self.assertEqual(done.returncode, 2)
        self.assertIn("Did you mean 'test'", done.stderr)

    def test_unknown_option(self) -> None:
        for word, asked in (("-nthraeds", "--nthreads"), ("--benhcmark", "--bench"), ("--claas", "--class")):
            with self.subTest(word):
                done = thalweg("exec", word, "4")
                self.assertEqual(done.returncode, 2)
                self.assertIn("No such option: -", done.stderr)
                self.assertRegex(done.stderr, "Possible options|did you mean")
                self.assertIn(asked, done.stderr)

    def test_interrupted(self) -> None:
        said = io.StringIO()
        with (
            mock.patch.object(version, "commit", side_effect=KeyboardInterrupt),
            mock.patch.object(sys, "argv", ["thalweg", "version"]),
            redirect_stderr(said),
            self.assertRaises(SystemExit) as ended,
        ):
            main()
        self.assertEqual((ended.exception.code, said.getvalue()), (130, "interrupted\n"))

    def test_unknown_build(self) -> None:
        done = thalweg("test", "--only", "msan")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"'release',\W+'asan',\W+'tsan'")
