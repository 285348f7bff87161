"""`exec --live`: one run of a program that has a page in the browser."""

from dataclasses import replace
from pathlib import Path
from unittest import mock

from fake_programs import FakeBuild, program
from thalweg_cli.app import app
from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog.programs import Program
from typer.testing import CliRunner, Result

OURS = program("bzip2", "thalweg", "farm")
THEIRS = program("bzip2", "tbb", "farm")
SAYS_WHERE = '#!/bin/bash\necho "live=$THALWEG_LIVE $*" >"$(dirname "$0")/said"\nexit 7\n'


class ExecLive(FakeBuild):
    """The command with a program that only pretends."""

    def setUp(self) -> None:
        super().setUp()
        self.patch("thalweg_cli.run.page.check_live")
        (self.folder / "live").mkdir()
        self.store = self.folder / "data"
        self.patch("thalweg_cli.measure.command.default_file", return_value=self.store)

    def put(self, one: Program) -> None:
        """Builds a program with a page."""
        self.programs.append(one)
        file = self.folder / replace(one, with_page=True).executable
        file.write_text(SAYS_WHERE, encoding="utf-8")
        file.chmod(0o755)

    def type(self, *options: str) -> Result:
        """Runs the command."""
        return CliRunner().invoke(app, ["exec", "--bench", "all", "--input", "test", "--live", *options])

    def said(self) -> str:
        """How the program was called."""
        return (self.folder / "live" / "said").read_text(encoding="utf-8").strip()

    def test_program_runs_with_its_page_and_nothing_is_kept(self) -> None:
        self.put(OURS)
        with mock.patch("thalweg_cli.user.build.build") as built:
            done = self.type("--nthreads", "2", "--latency")
        self.assertEqual(done.exit_code, 7, done.output)
        self.assertEqual(self.said(), "live=:0 -input test -nthreads 2 -latency")
        self.assertEqual(built.call_args.args[-1], "live.bzip2_thalweg_farm")
        self.assertFalse(self.store.exists())

    def test_program_that_the_user_has_configured(self) -> None:
        self.put(replace(OURS, configured=True))
        with mock.patch("thalweg_cli.user.build.build") as built:
            self.type()
        self.assertEqual(built.call_args.args[-1], "live.configured.bzip2_thalweg_farm")
        self.assertEqual(self.said(), "live=:0 -input test -nthreads 1")

    def test_other_interfaces_have_no_page(self) -> None:
        self.add(THEIRS)
        done = self.type()
        assert isinstance(done.exception, Failed)
        self.assertIn("only programs written with Thalweg have a page", done.exception.what)
        self.assertEqual(done.exception.remedy, "--ppi thalweg chooses those that are")

    def test_without_the_component(self) -> None:
        self.put(OURS)
        with mock.patch("thalweg_cli.run.page.check_live", side_effect=Failed("no npm")):
            done = self.type()
        self.assertEqual(str(done.exception), "no npm")
        self.assertFalse((self.folder / "live" / "said").exists())

    def test_what_does_not_go_with_it(self) -> None:
        self.put(OURS)
        given = {
            "--nthreads": "1:2",
            "--repeat": "2",
            "--label": "first",
            "--json": str(Path(self.folder, "a.json")),
            "--monitor": "10",
        }
        for option, value in given.items():
            done = self.type(option, value)
            said = (
                "that would be 2 programs or settings"
                if option == "--nthreads"
                else f"{option}: --live makes"
            )
            self.assertIn(said, str(done.exception))
        self.assertFalse((self.folder / "live" / "said").exists())
