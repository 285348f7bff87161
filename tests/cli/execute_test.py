"""What `exec` runs, and how it sums up."""

import io
import signal
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

from thalweg_cli import programs
from thalweg_cli.execute import LATENCY, THROUGHPUT, Runs, finish, parse_degrees, summary, table_of
from thalweg_cli.programs import Program, select
from thalweg_cli.terminal import Failed, print_table


def program(application: str, interface: str, composition: str, missing: str = "") -> Program:
    """A program as CMake lists it."""
    name = "_".join(part for part in (application, interface, composition) if part)
    return Program(name, application, interface, composition, missing)


ALL = [
    program("bzip2", "sequential", ""),
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


class ParseDegrees(unittest.TestCase):
    """`parse_degrees` reads ranges as SPBench does."""

    def test_ranges(self) -> None:
        for text, degrees in {
            "3": [3],
            "1:4": [1, 2, 3, 4],
            "4:1": [4, 3, 2, 1],
            "1:2:8": [1, 2, 4, 6, 8],
            "2:5:20": [2, 5, 10, 15, 20],
        }.items():
            with self.subTest(text):
                self.assertEqual(parse_degrees(text), degrees)

    def test_what_is_no_range(self) -> None:
        for text in ("", "0", "1:0", "a", "1:2:3:4", "1:", "-1"):
            with self.subTest(text), self.assertRaises(Failed):
                parse_degrees(text)


class List(unittest.TestCase):
    """`./thalweg list`."""

    def test_names_are_whole_where_there_is_no_terminal(self) -> None:
        missing = "set TASKFLOW_DIR to the folder of Taskflow's sources"
        known = [*ALL, program("person_recognition", "taskflow", "pipe-farm", missing)]
        text = io.StringIO()
        with redirect_stdout(text):
            print_table(programs.table_of(known, ["person_recognition"], []))
        shown = text.getvalue().split()
        self.assertEqual([one.name for one in known if one.name in shown], [known[-1].name])


class Finish(unittest.TestCase):
    """`finish` runs a program."""

    def test_what_a_program_says_may_be_any_bytes(self) -> None:
        done = finish(["bash", "-c", r"printf 'a\355b' >&2; exit 3"])
        self.assertEqual((done.returncode, done.stderr), (3, "a\N{REPLACEMENT CHARACTER}b"))

    def test_program_that_is_interrupted_may_clean_up(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            ready, cleaned = Path(folder) / "ready", Path(folder) / "cleaned"
            script = (
                f"trap 'sleep 0.5; touch {cleaned}; exit 1' TERM; touch {ready}; while :; do sleep 0.05; done"
            )
            before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            try:
                with self.assertRaises(KeyboardInterrupt):
                    finish(["bash", "-c", script])
            finally:
                signal.signal(signal.SIGALRM, before)
            self.assertTrue(ready.exists())
            self.assertTrue(cleaned.exists())


class Table(unittest.TestCase):
    """`table_of` and `summary`."""

    def test_mean_and_deviation(self) -> None:
        self.assertEqual(summary([]), "-")
        self.assertEqual(summary([2.0]), "2")
        self.assertEqual(summary([1.0, 3.0]), "2 ± 1.4")

    def test_has_a_row_for_each_run(self) -> None:
        results = [{"throughput": 10.0, "latency": {"mean_ms": 5.0, "p99_ms": 9.0}}]
        good, bad = Runs(ALL[0], 1, results), Runs(ALL[1], 2, error="it broke")
        table = table_of([good, bad], [THROUGHPUT, *LATENCY], "test", verify=True)
        columns = [list(column.cells) for column in table.columns]
        self.assertEqual(columns[0], ["bzip2_sequential", "bzip2_tbb_farm"])
        self.assertEqual(columns[3], ["10", "-"])
        self.assertEqual(columns[5], ["9", "-"])
        self.assertEqual(columns[6], ["[green]good[/]", "[red]failed[/]"])
