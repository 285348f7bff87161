"""What a report may say: who ties, which quantiles there are, where gaps are, what stands in one card."""

import random
import statistics
import unittest
from dataclasses import replace
from typing import Any

from fake_programs import program
from report_test import OURS, SEQUENTIAL, TBB, OverAStore, a_run
from thalweg_cli.base.terminal import Failed
from thalweg_cli.report.data import EFFICIENCY, SPEED_UP, rows_of
from thalweg_cli.report.figures import pictures
from thalweg_cli.report.looks import marks_of
from thalweg_cli.report.panels import (
    THREADS,
    Panel,
    across,
    axes_of,
    axis_named,
    limits_of,
    name_for,
    panels_of,
)
from thalweg_cli.report.places import places
from thalweg_cli.report.ranking import rank
from thalweg_cli.report.samples import said, samples, whole
from thalweg_cli.run.experiment import Setting
from thalweg_cli.run.metrics import METRICS, THROUGHPUT, is_enough
from thalweg_cli.run.runs import Run

GRPPI = program("ferret", "grppi", "farm")
THREADS_BARE = program("ferret", "threads", "farm")


def around(middle: float, count: int = 6) -> list[float]:
    """Values that differ by three hundredths of their middle at most."""
    return [middle * (1 + 0.03 * (2 * place / (count - 1) - 1)) for place in range(count)]


def runs_of(setting: Setting, values: list[float]) -> list[Run]:
    """Runs with these throughputs."""
    return [a_run(setting, number, value) for number, value in enumerate(values, 1)]


class Ties(OverAStore):
    """No places, and no bold numbers, where runs differ by as much as interfaces."""

    def setUp(self) -> None:
        super().setUp()
        self.file.unlink()

    def test_places(self) -> None:
        found = places([[(*around(100),)], [(*around(101),)], [(*around(50),)]], more_is_better=True)
        self.assertEqual([one.text for one in found], ["1–2", "1–2", "3"])
        self.assertEqual([one.ties_with_best for one in found], [True, True, False])
        self.assertFalse(any(one.is_best for one in found))
        found = places([[(*around(100),)], [(*around(50),)]], more_is_better=False)
        self.assertEqual([(one.text, one.is_best) for one in found], [("2", False), ("1", True)])

    def test_few_runs_have_no_place(self) -> None:
        found = places([[(100.0,) * 4], [(*around(50),)], [(*around(20),)]], more_is_better=True)
        self.assertEqual([one.text for one in found], ["", "1–2", "2–3"])
        self.assertFalse(any(one.is_best for one in found))

    def test_alike_samples_are_seldom_told_apart(self) -> None:
        draw = random.Random(1)
        drawn = [[(*(draw.gauss(100, 5) for _ in range(6)),) for _ in range(2)] for _ in range(200)]
        apart = sum(
            places([[one], [other]], more_is_better=True)[0].text in ("1", "2") for one, other in drawn
        )
        self.assertLess(apart, 0.1 * len(drawn))

    def keep_three(self, ours: float) -> None:
        """A set of three interfaces; oneTBB has 100 and bare threads 50 a second."""
        runs = runs_of(Setting(TBB, "small", 2), around(100)) + runs_of(
            Setting(OURS, "small", 2), around(ours)
        )
        self.keep("ties", runs + runs_of(Setting(THREADS_BARE, "small", 2), around(50)))

    def table(self) -> str:
        """The LaTeX table of throughput."""
        folder = self.folder / "tables"
        self.data("--latex", str(folder))
        return (folder / "set1-ferret-small-throughput.tex").read_text("utf-8")

    def test_those_that_tie_share_their_places(self) -> None:
        self.keep_three(101)
        best = self.data()["rankings"]["throughput"]["best"]
        self.assertEqual(
            {
                one["interface"]: (one["place"], one["scores"][0]["ties"], one["scores"][0]["best"])
                for one in best["entries"]
            },
            {"thalweg": ("1–2", True, False), "tbb": ("1–2", True, False), "threads": ("3", False, False)},
        )
        self.assertNotIn("textbf", self.table())

    def test_what_is_surely_best_is_first(self) -> None:
        self.keep_three(200)
        best = self.data()["rankings"]["throughput"]["best"]
        found = {one["interface"]: (one["place"], one["scores"][0]["best"]) for one in best["entries"]}
        self.assertEqual(found, {"thalweg": ("1", True), "tbb": ("2", False), "threads": ("3", False)})
        self.assertIn("thalweg farm & \\textbf{", self.table())
        self.assertFalse(best["few"])

    def test_over_all_cases(self) -> None:
        bzip2 = {
            one: replace(Setting(one, "small", 2), program=program("bzip2", one.interface))
            for one in (TBB, OURS)
        }
        runs = runs_of(Setting(TBB, "small", 2), around(100)) + runs_of(
            Setting(OURS, "small", 2), around(200)
        )
        runs += runs_of(bzip2[TBB], around(200)) + runs_of(bzip2[OURS], around(100))
        self.keep("ties", runs)
        found = {one.interface: one for one in rank(self.rows(), THROUGHPUT).entries}
        self.assertEqual(found["tbb"].place, found["thalweg"].place)
        self.assertEqual({score.place.is_best for score in found["tbb"].scores.values()}, {True, False})


class Quantiles(OverAStore):
    """A quantile is there if ten elements are above it."""

    def test_ten_above(self) -> None:
        for elements, percent, enough in (
            (1000, 99, True),
            (999, 99, False),
            (20, 50, True),
            (19, 50, False),
            (10_000, 99.9, True),
            (9_999, 99.9, False),
            (100_000, 99.99, True),
        ):
            with self.subTest(elements=elements, percent=percent):
                self.assertEqual(is_enough(elements, percent), enough)

    def row_of(self, count: int) -> dict[str, Any]:
        """A setting on the page whose run has so many elements."""
        run = a_run(Setting(TBB, "small", 2), 1, 5)
        run.result["latency"]["count"] = count
        self.keep("some", [run])
        return self.data("some")["rows"][0]

    def test_on_the_page(self) -> None:
        row = self.row_of(999)
        self.assertEqual([one[0] for one in row["quantiles"]], [50, 95])
        self.assertNotIn("p99", row["values"])
        self.assertIn("max", row["values"])
        row = self.row_of(1000)
        self.assertEqual([one[0] for one in row["quantiles"]], [50, 95, 99])
        self.assertIn("p99", row["values"])

    def test_a_band_ends_where_all_have_it(self) -> None:
        few, many = a_run(Setting(TBB, "small", 2), 1, 5), a_run(Setting(OURS, "small", 2), 1, 5)
        few.result["latency"]["count"] = 200
        self.keep("some", [few, many])
        (panel,) = self.data("some")["axes"][0]["panels"]
        (band,) = [chart for chart in panel["charts"] if chart["name"] == "band"]
        self.assertEqual(band["upper"], "p95")
        self.assertIn("95 % of them", band["title"])


class Samples(unittest.TestCase):
    """What samples say of a stream."""

    def test_gaps_where_nothing_was_seen(self) -> None:
        nothing = {
            "seconds": 1,
            "throughput": 0,
            "latency_ms": 0,
            "max_ms": 0,
            "cores": 0,
            "resident_bytes": 5,
        }
        self.assertEqual(
            said(nothing, 1),
            {
                "seconds": 1,
                "throughput": None,
                "latency_ms": None,
                "max_ms": None,
                "cores": 0,
                "resident_bytes": 5,
            },
        )

    def test_quantiles_of_few_elements(self) -> None:
        sample = {"seconds": 1, "throughput": 2000, "p50_ms": 5, "p99_ms": 7, "max_ms": 9}
        self.assertEqual(said(sample, 0.5), sample)
        self.assertEqual(said(sample, 0.4), sample | {"p99_ms": None})
        self.assertEqual(said(sample, 0.005), sample | {"p99_ms": None, "p50_ms": None})

    def test_the_last_one_counts_if_it_is_whole(self) -> None:
        times = [{"seconds": time} for time in (0.1, 0.2, 0.3, 0.35)]
        self.assertEqual(whole(times), times[:-1])
        self.assertEqual(whole(times[:-1]), times[:-1])
        self.assertEqual(whole(times[:1]), times[:1])

    def test_means_of_neighbours(self) -> None:
        run = a_run(Setting(TBB, "small", 2), 1, 5)
        run.result["samples"] = [
            {"seconds": time, "throughput": value, "latency_ms": value, "max_ms": value}
            for time, value in ((1, 0), (2, 8), (3, 0), (4, 0))
        ]
        found = samples(run, 2)
        assert found is not None
        self.assertEqual(found["columns"]["throughput"], [4, None])  # Half of the time nothing came.
        self.assertEqual(found["columns"]["latency_ms"], [8, None])
        self.assertEqual(found["columns"]["max_ms"], [8, None])


class Cards(OverAStore):
    """What stands in one card, along which axis."""

    def setUp(self) -> None:
        super().setUp()
        self.file.unlink()

    def panels(self, name: str) -> list[Panel]:
        """The cards of an axis."""
        rows = self.rows()
        axis = axis_named(rows, name)
        return panels_of(rows, axis, name_for(axis, rows))

    def test_batches(self) -> None:
        runs = [
            a_run(Setting(one, "small", 2, batch=batch), 1, 5) for one in (TBB, OURS) for batch in (1, 4, 8)
        ]
        self.keep("batches", runs)
        (panel,) = self.panels("batch")
        self.assertEqual([text for _, text in panel.ticks], ["1", "4", "8"])
        self.assertEqual(panel.title, "ferret, small, 2 threads")
        self.assertEqual([line.name for line in panel.lines], ["tbb farm", "thalweg farm"])
        self.assertEqual(self.data("--by", "batch")["by"], "batch")

    def test_arguments_of_users(self) -> None:
        for argument in ("8", "1", "64"):
            given = ("same", argument)
            runs = [a_run(Setting(one, "small", 2, user_args=given), 1, 5) for one in (TBB, OURS)]
            self.keep(f"with {argument}", runs)
        data = self.data("with 1", "with 8", "with 64", "--by", "user-arg")
        self.assertEqual(data["by"], "user-arg-2")
        (panel,) = self.panels("user-arg")
        self.assertEqual([text for _, text in panel.ticks], ["1", "8", "64"])
        self.assertEqual(panel.title, "ferret, small, 2 threads, arguments same")
        self.assertEqual([len(line.rows) for line in panel.lines], [3, 3])

    def test_arguments_that_are_words(self) -> None:
        for argument in ("omp", "threads"):
            self.keep(argument, [a_run(Setting(TBB, "small", 2, user_args=(argument,)), 1, 5)])
        (panel,) = self.panels("user-arg")
        self.assertEqual(panel.ticks, [(0, "omp"), (1, "threads")])

    def keep_back_ends(self) -> None:
        """A set of a program that two words were given to, and one of a program without any."""
        words, threads = ("omp", "tbb"), (1, 2)
        settings = [Setting(GRPPI, "small", n, user_args=(word,)) for word in words for n in threads]
        self.keep("back ends", [a_run(setting, 1, 5) for setting in settings])
        self.keep("by hand", [a_run(Setting(TBB, "small", n), 1, 5) for n in threads])

    def test_words_by_which_runs_differ_name_lines(self) -> None:
        self.keep_back_ends()
        (panel,) = self.panels("nthreads")
        self.assertEqual(panel.title, "ferret, small")
        names = ["grppi farm, omp, set 1", "grppi farm, tbb, set 1", "tbb farm, set 2"]
        self.assertEqual([line.name for line in panel.lines], names)
        self.assertEqual([len(line.rows) for line in panel.lines], [2, 2, 2])
        self.assertEqual({row.case_name for row in self.rows()}, {"ferret, small"})

    def test_words_on_the_axis_name_no_line(self) -> None:
        self.keep_back_ends()
        panels = self.panels("user-arg")
        self.assertEqual([panel.ticks for panel in panels], [[(0, "omp"), (1, "tbb")]] * 2)
        names = [line.name for panel in panels for line in panel.lines]
        self.assertEqual(names, ["grppi farm, set 1"] * 2)

    def test_numbers_name_no_line(self) -> None:
        self.keep("ratios", [a_run(Setting(TBB, "small", 2, user_args=(n,)), 1, 5) for n in ("auto", "4")])
        self.assertEqual({row.way for row in self.rows()}, {"tbb farm"})

    def test_words_that_name_lines_have_their_looks(self) -> None:
        self.keep_back_ends()
        data = self.data("back ends", "by hand")
        looks = {row["way"]: row["look"] for row in data["rows"]}
        self.assertEqual(
            looks,
            {"grppi farm, omp": "grppi, omp", "grppi farm, tbb": "grppi, tbb", "tbb farm": "tbb"},
        )
        colors = {data["looks"][look]["color"] for look in looks.values()}
        self.assertEqual(len(colors), 3)

    def test_legends_name_lines_as_cards_do(self) -> None:
        self.keep_back_ends()
        for name, wanted in (
            ("nthreads", ["grppi farm, omp, set 1", "grppi farm, tbb, set 1", "tbb farm, set 2"]),
            ("user-arg", ["grppi farm, set 1"]),
        ):
            with self.subTest(name):
                rows = self.rows()
                found = dict(pictures(rows, axis_named(rows, name)))
                (legend,) = next(one for title, one in found.items() if title.startswith("ferret")).legends
                self.assertEqual([text.get_text() for text in legend.get_texts()], wanted)

    def test_an_axis_that_no_run_has(self) -> None:
        self.keep("plain", [a_run(Setting(one, "small", 2), 1, 5) for one in (TBB, SEQUENTIAL)])
        for name in ("batch", "frequency", "user-arg", "nprocs"):
            with self.subTest(name), self.assertRaisesRegex(Failed, f"--by {name}"):
                axis_named(self.rows(), name)

    def test_one_place_has_bars(self) -> None:
        self.keep("two", [a_run(Setting(one, "small", 2), 1, 5) for one in (TBB, OURS)])
        (panel,) = self.panels("nthreads")
        self.assertTrue(panel.is_of_one_place)

    def test_lines_at_one_place_are_moved_apart(self) -> None:
        settings = [Setting(one, "small", threads) for one in (TBB, OURS, THREADS_BARE) for threads in (1, 2)]
        self.keep("moved", [a_run(one, 1, 5) for one in settings])
        (panel,) = self.panels("nthreads")
        shifts = [line.shift for line in panel.lines]
        self.assertEqual(len(set(shifts)), 3)
        self.assertAlmostEqual(sum(shifts), 0)
        self.assertLess(max(shifts) - min(shifts), 0.5)

    def test_the_sequential_program_is_in_all_cards_like_it(self) -> None:
        runs = [a_run(Setting(SEQUENTIAL, "small", batch=batch), 1, 5) for batch in (1, 8)]
        runs += [
            a_run(Setting(TBB, "small", threads, batch=batch), 1, 5) for threads in (2, 4) for batch in (1, 8)
        ]
        self.keep("batches", runs)
        self.assertEqual(
            {panel.title: [line.name for line in panel.lines] for panel in self.panels("batch")},
            {f"ferret, small, {threads} threads": ["sequential", "tbb farm"] for threads in (2, 4)},
        )
        panels = self.panels("nthreads")
        self.assertEqual(
            [panel.title for panel in panels], ["ferret, small, 1 a batch", "ferret, small, 8 a batch"]
        )
        self.assertTrue(all(panel.lines[0].is_level for panel in panels))

    def test_speed_up_and_efficiency(self) -> None:
        self.keep(
            "speed",
            [
                *runs_of(Setting(SEQUENTIAL, "small"), [90, 100, 110]),
                *runs_of(Setting(TBB, "small", 4), [200, 300, 400]),
                a_run(Setting(TBB, "small", 4, frequency=50), 1, 50),
            ],
        )
        rows = {(row.interface, row.series.setting.frequency): row for row in self.rows()}
        speed_up, efficiency = (rows["tbb", None].spread(one) for one in (SPEED_UP, EFFICIENCY))
        assert speed_up is not None
        assert efficiency is not None
        self.assertEqual((speed_up.low, speed_up.median, speed_up.high), (2, 3, 4))
        self.assertEqual((efficiency.low, efficiency.median, efficiency.high), (50, 75, 100))
        self.assertAlmostEqual(speed_up.deviation, statistics.stdev([2, 3, 4]))
        self.assertEqual(rows["tbb", 50].values(SPEED_UP), [])  # Its pace is another's.
        names = [chart.metric.name for chart in self.panels("nthreads")[0].charts]
        for name in ("throughput", "speed-up", "efficiency", "processors", "memory"):
            self.assertIn(name, names)

    def test_one_scale(self) -> None:
        runs = [
            a_run(Setting(program(app, "tbb"), "small", threads), 1, 10 ** (1 + threads))
            for app in ("bzip2", "ferret")
            for threads in (1, 2)
        ]
        self.keep("scale", runs)
        panels = self.panels("nthreads")
        self.assertEqual(len(panels), 2)
        self.assertEqual(limits_of(panels)["throughput"], [100, 1000])
        self.assertEqual(limits_of(panels)["band"][1], 4)  # The longest latency.

    def test_no_plot_stands_alone_in_its_row(self) -> None:
        self.assertEqual([across(count) for count in (1, 2, 3, 4, 5, 6, 7, 8)], [1, 2, 3, 2, 3, 3, 4, 3])
        self.assertTrue(all(count % across(count) != 1 for count in range(2, 13)))

    def test_axes_by_which_rows_differ(self) -> None:
        self.keep("plain", [a_run(Setting(TBB, "small", 2, batch=batch), 1, 5) for batch in (1, 2)])
        self.assertEqual([axis.name for axis in axes_of(self.rows())], ["nthreads", "threads", "batch"])
        self.assertEqual(THREADS.place(self.rows()[0]), 2)
        self.assertEqual(rows_of([]), [])

    def test_titles_are_in_words(self) -> None:
        for metric in METRICS.values():
            self.assertRegex(metric.words, r"^[A-Z][a-z]+")


class Marks(unittest.TestCase):
    """Sets can be told apart."""

    def test_each_set_has_its_own(self) -> None:
        sets = list(range(1, 13))
        marks = marks_of(sets)
        self.assertEqual(len(set(marks.values())), len(sets))
        self.assertEqual(
            (marks[12].suffix, marks[12].grown), ("", 0)
        )  # The last one looks as it always does.


class Notes(OverAStore):
    """Notes stand by what they are about."""

    def test_kinds(self) -> None:
        found = self.data()["notes"]
        kinds = [note["kind"] for note in found]
        self.assertEqual(list(dict.fromkeys(kinds)), ["runs", "how sure numbers are", "the machine"])
        self.assertEqual(kinds, sorted(kinds, key=kinds.index))

    def test_what_holds_for_all_sets_stands_once(self) -> None:
        self.keep(
            "second",
            [a_run(Setting(TBB, "small", 2), 1, 5, warm_up=True), a_run(Setting(TBB, "small", 2), 1, 5)],
        )
        texts = [note["text"] for note in self.data("first", "second")["notes"]]
        self.assertEqual(sum("governor" in text for text in texts), 1)
        self.assertIn("The governor was powersave, so the clock may have changed.", texts)
