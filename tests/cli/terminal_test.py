"""Texts of users are printed as they are, and data for other programs comes out without a word between."""

import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from fake_programs import MEASURES, FakeBuild, program
from rich.table import Table
from thalweg_cli.app import app
from thalweg_cli.base import terminal
from thalweg_cli.base.paths import ROOT
from thalweg_cli.base.terminal import Failed, bar, console, errors, print_table
from typer.testing import CliRunner

ODD = "model.csv:100: [bold]no[/bold] :smile:"


def printed(what: Callable[[], object]) -> str:
    """What comes on both outputs."""
    text = io.StringIO()
    with redirect_stdout(text), redirect_stderr(text):
        what()
    return text.getvalue()


class AsTheyAre(FakeBuild):
    """No picture, no colour, nothing left out."""

    def test_failures(self) -> None:
        said = printed(Failed(ODD, output=ODD, remedy=ODD).show)
        self.assertEqual(said.count(ODD), 3, said)

    def test_lines_and_tables(self) -> None:
        self.assertIn(ODD, printed(lambda: console.print(ODD, markup=False)))
        self.assertIn(ODD, printed(lambda: errors.print(ODD, markup=False)))
        table = Table(title=":title:")
        table.add_column(":head:")
        table.add_row(":100:")
        for text in (":title:", ":head:", ":100:"):
            self.assertIn(text, printed(lambda: print_table(table)))

    def on_a_terminal(self, show: Callable[[], object]) -> str:
        """What a terminal gets."""
        terminals = terminal.console_for(width=200)
        terminals._force_terminal = True
        terminals.is_interactive = True
        with (
            mock.patch.dict(os.environ, {"TERM": "xterm"}),
            mock.patch.object(terminal, "console", terminals),
        ):
            return re.sub(r"\x1b\[[\d;?]*\w", "", printed(show))

    def test_bar(self) -> None:
        def show() -> None:
            with bar(ODD) as progress:
                progress.advance_to(1, 2, ":note: [bold]")

        said = self.on_a_terminal(show)
        self.assertIn(ODD, said)
        self.assertIn(":note: [bold]", said)

    def test_bars_of_several_threads(self) -> None:
        def show() -> None:
            with bar("one") as one:
                with bar("other") as other:
                    one.advance_to(1, 2, "first")
                    other.advance_to(1, 2, "second")
                    assert terminal.display._progress is not None
                    terminal.display._progress.refresh()
                one.advance_to(2, 2, "third")
            with bar("later"):
                pass

        said = self.on_a_terminal(show)
        both, _, last = said.partition("third")
        self.assertRegex(both, r"one .*first *\n.*other .*second")
        self.assertNotIn("other", last)
        self.assertIn("later", last)

    def test_a_program_that_fails_and_a_label(self) -> None:
        self.add(program("bzip2", "tbb"), f"#!/bin/bash\necho '{ODD}' >&2; exit 3\n")
        self.add(program("bzip2", "sequential"))
        words = (
            "exec",
            "--bench",
            "all",
            "--input",
            ":100:",
            "--store",
            str(self.store),
            "--label",
            ":x: [b]",
        )
        done = CliRunner().invoke(app, words)
        self.assertIn(ODD, done.stderr)
        self.assertIn(":100:, 1 threads", done.stderr)
        listed = CliRunner().invoke(app, ("results", "--store", str(self.store))).output
        self.assertIn(":x: [b]", listed)
        shown = CliRunner().invoke(app, ("results", "latest", "--store", str(self.store))).output
        self.assertIn("set 1 (:x: [b]): :100:", shown)
        self.assertIn(ODD, shown)

    def test_only_one_place_makes_consoles(self) -> None:
        """Rich makes pictures by itself: consoles, and texts with marks, have to be told not to."""
        for file in (ROOT / "cli" / "thalweg_cli").rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            self.assertEqual(
                len(re.findall(r"(?<!class )\bConsole\(", text)), int(file.name == "terminal.py"), file
            )
            self.assertNotIn("from_markup", text, file)


class Widths(unittest.TestCase):
    """Numbers and names are not broken, whatever room there is."""

    def test_narrow_terminal(self) -> None:
        table = Table()
        table.add_column("program", no_wrap=True)
        table.add_column("value", justify="right")
        table.add_column("remark")
        table.add_row("a" * 50, "1.234(56)", "some words " * 5)
        with mock.patch.object(type(console), "is_terminal", True), mock.patch.object(console, "_width", 40):
            said = printed(lambda: print_table(table))
        self.assertIn("a" * 50, said)
        self.assertIn("1.234(56)", said)


class OnlyData(FakeBuild):
    """`--csv /dev/stdout` and its like."""

    def thalweg(self, *words: str, into: Path | None = None) -> tuple[str, str]:
        """What a command writes: data, and words."""
        command = [sys.executable, "-I", "-m", "thalweg_cli", *words]
        with open(into, "wb") if into else tempfile.TemporaryFile() as out:  # noqa: PTH123
            done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=True, timeout=60)
            if into:
                return into.read_text(encoding="utf-8"), done.stderr.decode()
            out.seek(0)
            return out.read().decode(), done.stderr.decode()

    def setUp(self) -> None:
        super().setUp()
        self.add(program("bzip2", "tbb"), MEASURES)
        words = ("exec", "--bench", "all", "--input", "test", "--repeat", "3", "--store", str(self.store))
        self.assertEqual(CliRunner().invoke(app, words).exit_code, 0)

    def test_csv_and_json(self) -> None:
        data, _ = self.thalweg("results", "--csv", "/dev/stdout", "--store", str(self.store))
        rows = list(csv.reader(io.StringIO(data)))
        self.assertEqual((len(rows), {len(row) for row in rows}), (4, {len(rows[0])}), data)
        data, said = self.thalweg("results", "1", "--json", "/dev/stdout", "--store", str(self.store))
        self.assertEqual(len(json.loads(data)[0]["runs"]), 3)
        self.assertIn("bzip2_tbb", said)

    def test_into_a_file(self) -> None:
        """The name of our output is not replaced by a file, nor the file by one beside it."""
        kept = self.folder / "kept.csv"
        data, _ = self.thalweg("results", "--csv", "/dev/stdout", "--store", str(self.store), into=kept)
        self.assertEqual(len(data.splitlines()), 4)
        self.assertTrue(Path("/dev/stdout").is_symlink())

    def test_effort(self) -> None:
        data, said = self.thalweg("effort", "--bench", "bzip2_sequential", "--json", "/dev/stdout")
        self.assertIn("bzip2_sequential", json.dumps(json.loads(data)))
        self.assertIn("wrote /dev/stdout", said)
