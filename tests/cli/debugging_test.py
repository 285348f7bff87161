"""`exec --debug`: one run under a debugger, which has the terminal."""

import os
from dataclasses import replace
from pathlib import Path
from unittest import mock

from fake_programs import FakeBuild, program
from thalweg_cli.app import app
from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog.programs import Program
from thalweg_cli.run import debugging
from typer.testing import CliRunner, Result

DEBUGGER = '#!/bin/bash\necho "$@" >"$(dirname "$0")/said"\nexit 7\n'


class Debug(FakeBuild):
    """The command with a debugger that only pretends."""

    def setUp(self) -> None:
        super().setUp()
        self.patch("thalweg_cli.run.debugging.build_folder", return_value=self.folder)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        path = mock.patch.dict(os.environ, {"PATH": f"{self.bin}:/usr/bin:/bin"})
        path.start()
        self.addCleanup(path.stop)
        self.put("gdb")
        self.add(program("bzip2", "tbb", "farm"))

    def put(self, name: str) -> Path:
        """Makes a debugger."""
        file = self.bin / name
        file.write_text(DEBUGGER, encoding="utf-8")
        file.chmod(0o755)
        return file

    def type(self, *options: str) -> Result:
        """Runs the command."""
        command = ["exec", "--bench", "all", "--input", "test", "--store", str(self.store), "--debug"]
        return CliRunner().invoke(app, [*command, *options])

    def said(self) -> str:
        """How the debugger was called."""
        return (self.bin / "said").read_text(encoding="utf-8").strip()

    def test_program_runs_under_gdb_and_nothing_is_kept(self) -> None:
        done = self.type("--nthreads", "2", "--latency")
        self.assertEqual(done.exit_code, 7)
        place = self.folder / "bench" / "bzip2_tbb_farm"
        self.assertEqual(self.said(), f"--args {place} -input test -nthreads 2 -latency")
        self.assertFalse(self.store.exists())

    def test_another_debugger(self) -> None:
        file = self.put("other")
        self.type("--executor", f"{file} -x y --")
        self.assertTrue(self.said().startswith(f"-x y -- {self.folder}"), self.said())

    def test_what_is_run_is_built_for_a_debugger(self) -> None:
        asked: list[str] = []

        def known(_folder: object, debugged: str = "") -> list[Program]:
            asked.append(debugged)
            return [replace(one, debugged=one.name == debugged) for one in self.programs]

        self.add(program("bzip2", "sequential"))
        with (
            mock.patch("thalweg_cli.measure.command.known_programs", side_effect=known),
            mock.patch("thalweg_cli.user.build.build") as built,
        ):
            self.type("--ppi", "tbb")
        self.assertEqual(asked, ["", "bzip2_tbb_farm"])
        self.assertEqual(built.call_args.args[1:], ("debugged.bzip2_tbb_farm",))
        self.assertIn(f"--args {self.folder}/debugged/bzip2_tbb_farm -input", self.said())

    def test_one_at_a_time(self) -> None:
        done = self.type("--nthreads", "1:2")
        self.assertIn("--debug: that would be 2 programs or settings", str(done.exception))
        self.assertFalse((self.bin / "said").exists())

    def test_no_debugger(self) -> None:
        with (
            mock.patch.object(debugging.shutil, "which", return_value=None),
            self.assertRaises(Failed) as caught,
        ):
            debugging.debugger()
        self.assertIn("apt-get install gdb", caught.exception.remedy)
