"""The micro-benchmarks' results: reading them, showing them, and programs that fail."""

import io
import json
import math
import os
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from matplotlib.figure import Figure
from rich.console import Console
from thalweg_cli.app import app
from thalweg_cli.base.terminal import Failed
from thalweg_cli.build import peers
from thalweg_cli.micro import command as micro
from thalweg_cli.micro import mpi as micro_mpi
from thalweg_cli.micro import run as micro_run
from thalweg_cli.micro.compile import row as measured_here
from thalweg_cli.micro.plot import draw, rows_of_panels
from thalweg_cli.micro.results import Results, Row
from thalweg_cli.micro.table import for_page, for_terminal, number
from thalweg_cli.results import circumstances
from thalweg_cli.results.statistics import median_with_interval, ratio_of_medians
from typer.testing import CliRunner, Result

MACHINE: dict[str, Any] = {
    "type": "machine",
    "cpu": "a CPU",
    "cores": 2,
    "memory_gib": 24.0,
    "kernel": "Linux 6",
    "governor": "performance",
    "load": 0.1,
    "compiler": "GCC 12",
    "flags": "-O3",
}


def row(**more: object) -> dict[str, Any]:
    """A line of type row, as the program prints it."""
    plain = {
        "type": "row",
        "bench": "grain",
        "variant": "87 ns",
        "peer": "thalweg",
        "setting": "pool",
        "role": "default",
        "metric": "time",
        "unit": "ns/item",
        "samples": [46.0, 44.0, 45.0],
        "items": 1000,
        "repeats": 11,
    }
    return plain | more


JUDGED = row(
    against="raw",
    ratios=[1.2, 1.3, 1.17],
    bar={"limit": 1.15, "on": "ratio"},
    parallelism=[1.9, 1.97, 2.0],
)
EVENTS = [
    MACHINE,
    {"type": "unavailable", "peer": "FastFlow", "fix": "fetch it"},
    {"type": "begin", "bench": "grain", "says": "a farm"},
    {"type": "progress", "bench": "grain", "done": 1, "steps": 11, "doing": "87 ns"},
    row(peer="raw", setting="equal shares", role="reference"),
    JUDGED,
    row(peer="oneTBB", setting="2 tokens per core", against="raw", ratios=JUDGED["ratios"]),
    {"type": "wrong", "bench": "grain", "variant": "87 ns", "who": "Taskflow", "why": "lost items"},
    {"type": "end", "bench": "grain", "seconds": 1.5},
]


def some_results() -> Results:
    """Results of a small run."""
    results = Results()
    for event in EVENTS:
        results.take(event)
    return results


def printed(results: Results) -> str:
    """What a terminal shows."""
    text = io.StringIO()
    Console(width=140, file=text).print(for_terminal(results))
    return text.getvalue()


class Read(unittest.TestCase):
    """Results are made of events, and survive a file."""

    def test_takes_events(self) -> None:
        results = some_results()
        self.assertEqual([r.peer for r in results.of("grain")], ["raw", "thalweg", "oneTBB"])
        self.assertEqual(results.missing, {"FastFlow": "fetch it"})
        self.assertEqual(results.wrong[0].why, "lost items")
        self.assertEqual(results.seconds, {"grain": 1.5})
        self.assertEqual([r.peer for r in results.judged()], ["thalweg"])

    def test_survives_a_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "deep" / "results.json"
            some_results().save(file)
            self.assertEqual(Results.load(file), some_results())

    def test_reads_what_earlier_versions_saved(self) -> None:
        kept = {
            "machine": {},
            "quick": False,
            "says": {},
            "seconds": {},
            "missing": {},
            "wrong": [],
            "rows": [
                {
                    "bench": "grain",
                    "variant": "87 ns",
                    "peer": "thalweg",
                    "setting": "pool",
                    "role": "default",
                    "metric": "time",
                    "unit": "ns/item",
                    "value": {"median": 45.0, "low": 44.0, "high": 46.0},
                    "items": 1000,
                    "repeats": 11,
                    "against": "raw",
                    "ratio": {"median": 1.2, "low": 1.17, "high": 1.3},
                    "bar": {"limit": 1.15, "on": "ratio"},
                    "passed": False,
                    "parallelism": 1.97,
                }
            ],
        }
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "results.json"
            file.write_text(json.dumps(kept), encoding="utf-8")
            results = Results.load(file)
        self.assertEqual(results.rows, [Row.from_event(JUDGED)])
        self.assertIn("time 1.20 [1.17, 1.30] × raw, bar 1.15", printed(results))

    def test_refuses_other_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "other.json"
            file.write_text('{"rows": [{"peer": "x"}]}', encoding="utf-8")
            with self.assertRaises(Failed):
                micro.load(file)


class Statistics(unittest.TestCase):
    """Medians, intervals and verdicts come from samples, by the functions of the other results."""

    SAMPLES = (1.02, 0.98, 1.0, 1.05, 0.97, 1.01, 1.3, 0.99, 1.0, 1.02, 1.04)
    RATIOS = (1.2, 1.3, 1.1, 1.25, 1.15, 1.18, 1.22, 1.19, 1.4, 1.21, 1.17)

    def test_intervals_are_those_of_other_results(self) -> None:
        made = Row.from_event(row(samples=list(self.SAMPLES), against="raw", ratios=list(self.RATIOS)))
        self.assertEqual(made.value, median_with_interval(self.SAMPLES))
        self.assertEqual(made.ratio, median_with_interval(self.RATIOS))
        # A ratio to something that never differs is that of the medians, and its interval that of the one.
        self.assertEqual(made.value, ratio_of_medians((1.0,) * 11, self.SAMPLES))

    def test_verdicts_are_by_the_lower_end(self) -> None:
        low = median_with_interval(self.RATIOS).low
        for limit, passed in ((low, True), (low - 0.001, False)):
            for held in (
                {"ratios": list(self.RATIOS), "against": "raw", "bar": {"limit": limit, "on": "ratio"}},
                {"samples": list(self.RATIOS), "bar": {"limit": limit, "on": "value"}},
            ):
                self.assertEqual(Row.from_event(row(**held)).passed, passed)
        self.assertIsNone(Row.from_event(row()).passed)

    def test_without_numbers_no_bar_is_reached(self) -> None:
        for none in ([], [None], [1.0, None]):
            bar = {"limit": 100, "on": "ratio"}
            made = Row.from_event(row(against="raw", ratios=none, bar=bar))
            self.assertFalse(made.passed)
            assert made.ratio is not None
            self.assertTrue(math.isnan(made.ratio.median))
            self.assertFalse(Row.from_event(row(samples=none, bar=bar | {"on": "value"})).passed)

    def test_the_parallelism_is_a_median(self) -> None:
        self.assertEqual(Row.from_event(JUDGED).parallelism, 1.97)
        self.assertIsNone(Row.from_event(row()).parallelism)

    def test_rows_of_the_command_itself_are_made_alike(self) -> None:
        made = measured_here("compile", "map", [1.5, 2.5, 2.0], bar={"limit": 1.4, "on": "value"})
        self.assertEqual(made.value, median_with_interval((1.5, 2.5, 2.0)))
        self.assertEqual((made.repeats, made.passed), (3, False))


class Show(unittest.TestCase):
    """Tables name the verdict, the parallelism used and what is missing."""

    def test_terminal(self) -> None:
        text = printed(some_results())
        self.assertIn("✗ 1.15", text)
        self.assertIn("1.97", text)
        self.assertIn("0 of 1 bars reached", text)
        self.assertIn("missed: grain, 87 ns, thalweg, pool: time 1.20 [1.17, 1.30] × raw, bar 1.15", text)
        self.assertIn("unavailable: FastFlow: fetch it", text)
        self.assertIn("wrong: grain, 87 ns, Taskflow: lost items", text)

    def test_page_has_a_table_and_the_machine(self) -> None:
        page = for_page(some_results())
        self.assertIn("a CPU", page)
        self.assertIn("| 87 ns | raw, equal shares |", page)
        self.assertIn("**✗ 1.15**", page)

    def test_contenders_are_named_in_a_narrow_terminal_too(self) -> None:
        console = Console(file=io.StringIO(), width=60)
        console.print(for_terminal(some_results()))
        assert isinstance(console.file, io.StringIO)
        self.assertIn("oneTBB", console.file.getvalue())

    def test_metrics_become_columns(self) -> None:
        results = Results()
        for metric in ("p50", "p99"):
            results.take(row(bench="latency", variant="1 k/s", metric=metric, unit="µs"))
        text = printed(results)
        self.assertIn("p50 [µs]", text)
        self.assertIn("p99 [µs]", text)
        self.assertEqual(text.count("thalweg, pool"), 1)

    def test_what_is_judged_has_its_interval_among_metrics_too(self) -> None:
        results = some_results()
        results.take(row(metric="p99", unit="µs", bar={"limit": 4, "on": "value"}))
        page = for_page(results)
        self.assertIn("45.0 (1.20 [1.17, 1.30]) ✗ 1.15", page)
        self.assertIn("45.0 [44.0, 46.0] ✗ 4", page)

    def test_the_parallelism_stands_beside_metrics(self) -> None:
        results = Results()
        for metric in ("oldest", "held"):
            results.take(row(bench="stall", variant="bursts of 10", metric=metric, parallelism=[0.25]))
            results.take(row(bench="stall", variant="bursts of 10", metric=metric, peer="oneTBB"))
        page = for_page(results)
        self.assertIn("| oldest [ns/item] | held [ns/item] | cores used |", page)
        self.assertIn("| **45.0** | **45.0** | **0.25** |", page)
        self.assertIn("| oneTBB, pool | 45.0 | 45.0 |  |", page)

    def test_numbers_have_three_digits(self) -> None:
        self.assertEqual(
            [number(x) for x in (0, 1.234, 12.34, 123.4, 12345.6)], ["0", "1.23", "12.3", "123", "12 346"]
        )

    def test_draws_of_the_latency_what_users_get(self) -> None:
        results = Results()
        results.take(row(bench="latency", variant="1 k/s", metric="p50"))
        others = ({"setting": "pool, tw::paced"}, {"peer": "oneTBB", "role": "tuned"})
        for other in others:
            results.take(row(bench="latency", variant="1 k/s", metric="p50", **other))
        axes = Figure().subplots()
        rows_of_panels(results)[0][0](axes)
        self.assertEqual(len(axes.lines), 1)

    def test_draws(self) -> None:
        results = some_results()
        for load in ("1 k/s", "0.3 of capacity"):
            for metric in ("p50", "p99", "p99.9"):
                results.take(row(bench="latency", variant=load, metric=metric, unit="µs"))
        results.take(row(bench="pipes", variant="8 bytes", setting="ring"))
        with tempfile.TemporaryDirectory() as folder:
            for suffix in ("svg", "png"):
                file = Path(folder) / f"plot.{suffix}"
                draw(results, file)
                self.assertGreater(file.stat().st_size, 1000)
                self.assertLess(file.stat().st_size, 300_000)


class Command(unittest.TestCase):
    """The command as a user types it, with a measurement that is over at once."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        over_mpi = mock.patch.object(micro_mpi, "measure_over_mpi")
        over_mpi.start()
        self.addCleanup(over_mpi.stop)
        self.kept = self.folder / "latest.json"
        self.plot = self.folder / "latest.png"
        self.found = some_results()
        replaced = {
            "FOLDER": self.folder,
            "LATEST": self.kept,
            "PLOT": self.plot,
            "ROOT": self.folder,
            "build": mock.Mock(),
            "build_programs": mock.Mock(return_value=False),
            "known": lambda _: {"grain": "a farm", "mpi_grain": "over ranks", "mpi_single": "alone"},
            "programs": lambda: [Path("no program")],
            "follow": self.follow,
        }
        for name, value in replaced.items():
            patch = mock.patch.object(micro, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def follow(self, command: list[str], results: Results) -> None:
        if "--machine" in command:
            results.machine |= self.found.machine
        else:
            results.rows += self.found.rows

    def type(self, *arguments: object) -> Result:
        return CliRunner().invoke(app, ["micro", *map(str, arguments)])

    def test_draws_beside_what_it_keeps(self) -> None:
        done = self.type()
        self.assertEqual(done.exit_code, 0, done.output)
        self.assertTrue(self.kept.exists())
        self.assertGreater(self.plot.stat().st_size, 1000)
        self.assertIn(str(self.plot), done.output)

    def test_draws_where_it_is_told(self) -> None:
        other = self.folder / "other.svg"
        done = self.type("--plot", other)
        self.assertEqual(done.exit_code, 0, done.output)
        self.assertTrue(other.exists())
        self.assertFalse(self.plot.exists())
        self.assertIn(str(other), done.output)

    def test_leaves_no_plot_of_other_results(self) -> None:
        self.plot.touch()
        self.found.rows = self.found.rows[:1]
        done = self.type()
        self.assertEqual(done.exit_code, 0, done.output)
        self.assertIn("no plot", done.output)
        self.assertFalse(self.plot.exists())

    def test_draws_what_it_shows_only_when_asked(self) -> None:
        self.found.save(self.kept)
        self.type("--show", self.kept)
        self.assertFalse(self.plot.exists())
        self.type("--show", self.kept, "--plot", self.plot)
        self.assertTrue(self.plot.exists())

    def test_checks_bars(self) -> None:
        self.assertEqual(self.type("--check").exit_code, 1)
        self.assertEqual(self.type().exit_code, 0, "a missed bar is no failure unless asked")
        self.found.rows = [Row.from_event(JUDGED | {"bar": {"limit": 1.17, "on": "ratio"}})]
        self.assertEqual(self.type("--check").exit_code, 0)

    def test_a_wrong_contender_fails(self) -> None:
        self.found.save(self.kept)
        self.assertEqual(self.type("--show", self.kept).exit_code, 1)

    def test_the_name_of_all_over_mpi(self) -> None:
        self.assertEqual(self.measured("mpi"), ["mpi_grain", "mpi_single"])
        self.assertEqual(self.measured("mpi_single", "grain", "mpi"), ["mpi_single", "grain", "mpi_grain"])
        self.assertEqual(self.measured(), ["grain", "mpi_grain", "mpi_single"])
        refused = self.type("mpi_grains").exception
        assert isinstance(refused, Failed)
        self.assertIn("no benchmark mpi_grains", refused.what)

    def measured(self, *names: str) -> list[str]:
        """What is measured where these are asked for."""
        with mock.patch.object(micro, "measure", return_value=self.found) as measure:
            self.type(*names)
        return list(measure.call_args.args[0])


class OverMpi(unittest.TestCase):
    """Each benchmark over MPI is started with the ranks that it needs."""

    LIST = "mpi_grain     3 ranks: a farm\nmpi_single    1 rank: alone\n"

    def test_ranks(self) -> None:
        listed = mock.Mock(stdout=self.LIST)
        with (
            mock.patch.object(micro_mpi.subprocess, "run", return_value=listed),
            mock.patch.object(micro_mpi, "launched", lambda ranks: ["run", str(ranks)]),
            mock.patch.object(micro_mpi, "follow") as follow,
        ):
            micro_mpi.measure_over_mpi(["mpi_single", "mpi_grain"], ["--quick"], Results())
        started = [call.args[0] for call in follow.call_args_list]
        self.assertEqual([one[:2] for one in started], [["run", "1"], ["run", "3"]])
        self.assertEqual([one[3:] for one in started], [["mpi_single", "--quick"], ["mpi_grain", "--quick"]])

    def test_the_mpi_is_told(self) -> None:
        results = some_results()
        results.take(MACHINE | {"mpi": "Open MPI v4"})
        self.assertIn("GCC 12, -O3; Open MPI v4", for_page(results))

    def test_what_is_built(self) -> None:
        for names, possible, expected in (
            (["grain"], True, ["thalweg_micro"]),
            (["mpi"], True, ["thalweg", "thalweg_micro_mpi"]),
            (["mpi_grain", "grain"], True, ["thalweg_micro", "thalweg_micro_mpi"]),
            ([], True, ["thalweg_micro", "thalweg_micro_mpi"]),
            ([], False, ["thalweg_micro"]),
        ):
            with (
                mock.patch.object(micro, "build") as build,
                mock.patch.object(micro_mpi, "is_possible", return_value=possible),
            ):
                micro.build_programs(names)
            self.assertEqual([call.args[1] for call in build.call_args_list], expected)

    def test_without_mpi(self) -> None:
        with (
            mock.patch.object(micro, "build"),
            mock.patch.object(micro_mpi, "is_possible", return_value=False),
            self.assertRaises(Failed) as caught,
        ):
            micro.build_programs(["mpi"])
        self.assertIn("no MPI", caught.exception.what)


class Commit(unittest.TestCase):
    """The commit is told where there is one to tell."""

    def test_without_git(self) -> None:
        with mock.patch.dict(os.environ, {"PATH": ""}):
            self.assertEqual(circumstances.commit(), "unknown")

    def test_outside_a_checkout(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(peers, "ROOT", Path(folder)):
            self.assertEqual(circumstances.commit(), "unknown")


class Follow(unittest.TestCase):
    """A program's lines are collected; one that crashes or hangs is named."""

    def run_program(self, program: str) -> Results:
        results = Results()
        micro_run.follow([sys.executable, "-c", program], results)
        return results

    def test_collects(self) -> None:
        lines = json.dumps([json.dumps(event) for event in EVENTS])
        results = self.run_program(f"print(*{lines}, sep='\\n')")
        self.assertEqual(results, some_results())

    def test_nothing_is_computed_while_it_measures(self) -> None:
        taken: list[int | None] = []
        ended = mock.patch.object(
            Results, "take", autospec=True, side_effect=lambda _, event: taken.append(event["type"] == "row")
        )
        lines = json.dumps([json.dumps(event) for event in EVENTS])
        with ended:
            self.run_program(f"print(*{lines}, sep='\\n')")
        self.assertEqual(taken, sorted(taken))

    def test_a_crash_keeps_what_was_found(self) -> None:
        results = Results()
        program = f"import sys; print({json.dumps(json.dumps(JUDGED))}); sys.exit(3)"
        with self.assertRaises(Failed):
            micro_run.follow([sys.executable, "-c", program], results)
        self.assertEqual(results.rows, [Row.from_event(JUDGED)])

    def test_a_crash_is_told(self) -> None:
        with self.assertRaises(Failed) as caught:
            self.run_program("import sys; print('oh no', file=sys.stderr); sys.exit(3)")
        self.assertIn("3", caught.exception.what)
        self.assertIn("oh no", caught.exception.output)

    def test_a_hang_is_ended(self) -> None:
        with mock.patch.object(micro_run, "SILENCE_S", 0.5), self.assertRaises(Failed) as caught:
            self.run_program("import time; time.sleep(60)")
        self.assertIn("hangs", caught.exception.what)


class PeerPath(unittest.TestCase):
    """`--peer-path` says what is wrong with it."""

    def test_refuses_what_is_no_pair(self) -> None:
        with mock.patch.object(micro, "build"), self.assertRaises(Failed) as caught:
            micro.tell_cmake(["FASTFLOW"])
        self.assertIn("NAME=DIR", caught.exception.what)

    def test_refuses_a_folder_that_is_not_there(self) -> None:
        with mock.patch.object(micro, "build"), self.assertRaises(Failed) as caught:
            micro.tell_cmake(["FASTFLOW=/no/such/folder"])
        self.assertIn("/no/such/folder", caught.exception.what)
