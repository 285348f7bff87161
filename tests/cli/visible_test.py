"""Texts of others give no orders to the terminal, whatever they are shown in."""

import io
import unittest
from unittest import mock

from fake_programs import a_run, program
from rich.table import Table
from thalweg_cli.base import terminal
from thalweg_cli.base import visible as showing
from thalweg_cli.base.terminal import Failed, bar
from thalweg_cli.base.visible import Console, visible
from thalweg_cli.measure import live
from thalweg_cli.results.run_table import Shown, failures, table_of
from thalweg_cli.run.experiment import Setting
from thalweg_cli.run.runs import Series

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\x08\x7f\u202e<script>"
SEEN = "␛]0;owned␇␛[2J\ufffd31m␈␡\ufffd<script>"


class Visible(unittest.TestCase):
    """A terminal that notes all that comes to it."""

    def setUp(self) -> None:
        self.written = io.StringIO()
        self.console = Console(
            file=self.written, force_terminal=True, width=200, highlight=False, soft_wrap=True
        )
        for module in (terminal, live):
            patched = mock.patch.object(module, "console", self.console)
            patched.start()
            self.addCleanup(patched.stop)
        patched = mock.patch.object(terminal, "errors", self.console)
        patched.start()
        self.addCleanup(patched.stop)

    def shown(self) -> str:
        """What came to the terminal, none of it orders of others."""
        text = self.written.getvalue()
        for order in ("\x1b]", "\x1b[2J", "\x9b", "\x07", "\x08", "\x7f", "\u202e"):
            self.assertNotIn(order, text)
        return text

    def test_the_command_is_called_as_it_is_here(self) -> None:
        said = "see ./thalweg doctor; ../thalweg and a/./thalweg are files, [bold]./thalweg[/] not"
        with mock.patch.object(showing, "COMMAND", "thalweg"):
            self.console.print(said)
            Failed("nothing", remedy="./thalweg doctor").show()
        self.console.print("./thalweg list")
        shown = self.shown()
        self.assertIn("see thalweg doctor; ../thalweg and a/./thalweg are files", shown)
        self.assertIn("thalweg doctor\n", shown)
        self.assertEqual(shown.count("./thalweg"), 3)

    def test_signs(self) -> None:
        self.assertEqual(visible(EVIL), SEEN)
        self.assertEqual(visible("a\tb\nä ✓"), "a\tb\nä ✓")

    def test_texts_and_tables(self) -> None:
        table = Table(title=EVIL)
        table.add_column(EVIL)
        table.add_row(EVIL)
        self.console.print(table)
        self.console.print(EVIL, markup=False)
        self.console.print("[bold]bold[/]")
        self.assertIn(SEEN, self.shown())
        self.assertIn("\x1b[1mbold", self.shown())  # Its own orders work.

    def test_failures(self) -> None:
        Failed(EVIL, output=EVIL, remedy=EVIL).show()
        self.assertEqual(self.shown().count("]0;owned"), 3)

    def test_a_bar(self) -> None:
        with bar(EVIL) as progress:
            progress.advance_to(1, 2, EVIL)
        self.assertIn("]0;owned", self.shown())

    def test_the_live_text(self) -> None:
        setting = Setting(program(EVIL, EVIL, EVIL), EVIL, 2)
        rows = [Series(setting, [a_run(setting, 1, error=EVIL)])]
        with live.live(
            rows, lambda shown: table_of(shown, EVIL, Shown()), lines_only=False, quiet=False
        ) as tell:
            tell(0, 1, 0)
        self.assertIn("now ␛]0;owned", self.shown())
        self.assertTrue(failures(rows))
