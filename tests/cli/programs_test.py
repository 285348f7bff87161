"""Which programs a selection means, and how they are listed."""

import io
import unittest
from contextlib import redirect_stdout
from unittest import mock

from fake_programs import program
from thalweg_cli import listing
from thalweg_cli.app import app
from thalweg_cli.base.terminal import Failed, print_table
from thalweg_cli.catalog import programs
from thalweg_cli.catalog.applications import Application
from thalweg_cli.catalog.programs import select
from typer.testing import CliRunner

ALL = [
    program("bzip2", "sequential"),
    program("bzip2", "tbb", "farm"),
    program("ferret", "tbb", "farm"),
    program("ferret", "tbb", "pipe-farm"),
    program("ferret", "fastflow", "farm", missing="set FASTFLOW_DIR"),
]


def selected(*, bench: str = "", app: str = "", ppi: str = "") -> list[str]:
    """The names of the programs that fit."""
    chosen = ([name] if name else [] for name in (bench, app, ppi))
    return [one.name for one in select(ALL, *chosen)]


class Select(unittest.TestCase):
    """`select` by name, application and interface."""

    def test_by_name(self) -> None:
        self.assertEqual(selected(bench="ferret_tbb_pipe-farm"), ["ferret_tbb_pipe-farm"])

    def test_name_without_composition_is_the_default_one(self) -> None:
        self.assertEqual(selected(bench="ferret_tbb"), ["ferret_tbb_farm"])
        self.assertEqual(selected(bench="bzip2_sequential"), ["bzip2_sequential"])

    def test_conditions_intersect(self) -> None:
        self.assertEqual(selected(app="ferret", ppi="tbb"), ["ferret_tbb_farm", "ferret_tbb_pipe-farm"])
        with self.assertRaises(Failed):
            selected(bench="bzip2_tbb", app="ferret")

    def test_all_leaves_out_what_cannot_be_built(self) -> None:
        self.assertEqual(len(selected(bench="all")), 4)

    def test_named_program_that_cannot_be_built(self) -> None:
        with self.assertRaises(Failed) as caught:
            selected(bench="ferret_fastflow")
        self.assertEqual(caught.exception.remedy, "set FASTFLOW_DIR")

    def test_unknown_names(self) -> None:
        for wrong in ({"bench": "bzip2_tb"}, {"app": "bzip"}, {"ppi": "intel"}):
            with self.subTest(wrong), self.assertRaises(Failed):
                selected(**wrong)


class List(unittest.TestCase):
    """`./thalweg list`."""

    def test_of_a_benchmark(self) -> None:
        known = mock.patch.object(programs, "known_programs", return_value=ALL)
        listed = mock.patch.object(listing, "known_programs", return_value=ALL)
        of = [Application("ferret", operators=("rank",)), Application("bzip2", operators=("compress",))]
        told = mock.patch.object(
            listing, "known_applications", lambda names: [one for one in of if one.name in names]
        )
        with known, listed, told:
            said = CliRunner().invoke(app, ["list", "--bench", "ferret_tbb"]).output
            self.assertIn("ferret_tbb_farm", said)
            self.assertNotIn("bzip2", said)
            said = CliRunner().invoke(app, ["list", "operators", "--bench", "ferret_tbb"]).output
        self.assertIn("rank", said)
        self.assertNotIn("compress", said)

    def test_names_are_whole_where_there_is_no_terminal(self) -> None:
        missing = "set TASKFLOW_DIR to the folder of Taskflow's sources"
        known = [*ALL, program("person_recognition", "taskflow", "pipe-farm", missing)]
        text = io.StringIO()
        with redirect_stdout(text):
            print_table(programs.table_of(known, ["person_recognition"], []))
        shown = text.getvalue().split()
        self.assertEqual([one.name for one in known if one.name in shown], [known[-1].name])
