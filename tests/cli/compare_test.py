"""`./thalweg compare` and `./thalweg results`: what they find in a store, and what they say about it."""

import csv
import json
import math
import random
import tempfile
import unittest
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
from fake_programs import a_run, program
from thalweg_cli.app import app
from thalweg_cli.results.circumstances import Circumstances
from thalweg_cli.results.compare import coloured
from thalweg_cli.results.comparison import Pair, differences, match
from thalweg_cli.results.export import write_csv
from thalweg_cli.results.statistics import (
    RESAMPLES,
    Estimate,
    cliffs_delta,
    median_with_interval,
    medians,
    ratio_of_medians,
)
from thalweg_cli.results.store import Store
from thalweg_cli.run.experiment import Conditions, Setting
from thalweg_cli.run.metrics import METRICS, THROUGHPUT, TIME
from thalweg_cli.run.runs import Run
from typer.testing import CliRunner, Result

SETTING = Setting(program("bzip2", "tbb", "farm"), "test", 2)
OTHER = replace(SETTING, nthreads=4)
LONELY = replace(SETTING, input="small")
STEADY = (1.0, 1.01, 1.02, 0.99, 0.98)
TWICE = tuple(2 * value for value in STEADY)


def runs(setting: Setting, seconds: Sequence[float]) -> list[Run]:
    """Runs of a setting that took so long."""
    return [a_run(setting, value) for value in seconds]


class Statistics(unittest.TestCase):
    """Ratios, intervals, effects and verdicts."""

    def test_interval_has_the_ratio_in_it(self) -> None:
        ratio = ratio_of_medians(STEADY, TWICE)
        self.assertAlmostEqual(ratio.median, 2)
        self.assertTrue(1.9 < ratio.low < 2 < ratio.high < 2.1, ratio)
        self.assertEqual(ratio, ratio_of_medians(STEADY, TWICE))

    def test_alike_samples_seldom_differ(self) -> None:
        draw = random.Random(1)
        sample = [[draw.lognormvariate(0, 0.2) for _ in range(5)] for _ in range(200)]
        intervals = [ratio_of_medians(*pair) for pair in zip(sample[::2], sample[1::2], strict=True)]
        wrong = sum(not one.low <= 1 <= one.high for one in intervals)
        self.assertLessEqual(wrong, 8)

    def test_intervals_counted_by_hand(self) -> None:
        # Of five values drawn from (1, 1, 1, 1, 5) three or more are the 5 in 5.8 % of all cases, which is
        # more than 2.5 %. Leaving out one value never changes the median.
        self.assertEqual(ratio_of_medians((1.0,) * 5, (1.0, 1.0, 1.0, 1.0, 5.0)), Estimate(1, 1, 5))
        # The median is the least of the five, or the greatest, in 5.8 % each; half lie below, half above, and
        # leaving values out changes the median by as much downwards as upwards: nothing is to be corrected.
        self.assertEqual(ratio_of_medians((2.0,) * 5, (2.0, 4.0, 6.0, 8.0, 12.0)), Estimate(3, 1, 6))

    def test_values_that_are_all_alike_leave_no_doubt(self) -> None:
        self.assertEqual(ratio_of_medians((2.0,) * 5, (3.0,) * 6), Estimate(1.5, 1.5, 1.5))

    def test_a_single_run_has_a_ratio(self) -> None:
        self.assertEqual(ratio_of_medians((2.0,), (4.0,)), Estimate(2, 2, 2))
        self.assertTrue(ratio_of_medians((2.0,), TWICE).low < 1 < ratio_of_medians((2.0,), TWICE).high)

    def test_a_median_has_an_interval(self) -> None:
        found = median_with_interval((1.02, 0.98, 1.0, 1.05, 0.97, 1.01, 1.3, 0.99, 1.0, 1.02, 1.04))
        self.assertEqual(found.median, 1.01)
        self.assertTrue(0.97 < found.low < 1.01 < found.high < 1.06)
        self.assertEqual(median_with_interval((7.0,)), Estimate(7, 7, 7))
        # One that is far off moves neither.
        self.assertEqual(median_with_interval((1.0,) * 10 + (1000.0,)), Estimate(1, 1, 1))

    def test_intervals_of_medians_leave_the_true_one_out_about_as_often_as_they_say(self) -> None:
        draw = np.random.default_rng(3)
        found = [median_with_interval(draw.exponential(size=15).tolist()) for _ in range(150)]
        covered = sum(one.low <= math.log(2) <= one.high for one in found)
        self.assertTrue(135 <= covered <= 149, covered)

    def test_medians_of_draws(self) -> None:
        found = medians((1.0, 2.0, 4.0), np.random.default_rng(1))
        self.assertEqual(len(found), RESAMPLES)
        # Two or three of three draws are the least in 7 of 27 cases.
        self.assertAlmostEqual(float((found == 1).mean()), 7 / 27, delta=0.03)

    def test_delta(self) -> None:
        self.assertEqual(cliffs_delta((1, 2), (3, 4)), 1)
        self.assertEqual(cliffs_delta((1, 2), (1, 2)), 0)
        self.assertEqual(cliffs_delta((3,), (1, 2, 3, 4)), -0.25)

    def test_throughput_per_core_counts_processor_time(self) -> None:
        metric, run = METRICS["per-core"], a_run(SETTING, 2)
        run.result.update({"elements": 300, "cpu_seconds": 6})
        self.assertEqual(metric.of(run), 50)
        run.result["cpu_seconds"] = 0  # of a run too short to tell
        self.assertIsNone(metric.of(run))
        self.assertEqual(Pair(SETTING, metric, STEADY, TWICE).verdict, "faster")

    def test_verdicts(self) -> None:
        for metric, before, after, verdict in (
            ("time", STEADY, TWICE, "slower"),
            ("time", TWICE, STEADY, "faster"),
            ("throughput", STEADY, TWICE, "faster"),
            ("throughput", TWICE, STEADY, "slower"),
            ("memory", STEADY, TWICE, "more"),
            ("time", STEADY, STEADY, "no difference shown"),
            ("time", STEADY[:4], TWICE, "too few runs"),
            ("time", STEADY, TWICE[:4], "too few runs"),
            ("time", (0.0,) * 5, TWICE, "no difference shown"),
        ):
            with self.subTest(metric=metric, before=before, after=after):
                self.assertEqual(Pair(SETTING, METRICS[metric], before, after).verdict, verdict)
        for metric, shown in (
            ("time", "[red]slower[/]"),
            ("throughput", "[green]faster[/]"),
            ("memory", "[red]more[/]"),
        ):
            self.assertEqual(coloured(Pair(SETTING, METRICS[metric], STEADY, TWICE)), shown)
        self.assertEqual(Pair(SETTING, TIME, STEADY, TWICE).effect, -1)
        self.assertEqual(Pair(SETTING, THROUGHPUT, STEADY, TWICE).effect, 1)


class Match(unittest.TestCase):
    """Which runs are compared with which."""

    def test_settings_in_both(self) -> None:
        before = [*runs(SETTING, STEADY), *runs(OTHER, (3,)), *runs(LONELY, (1,))]
        after = [*runs(OTHER, (4,)), *runs(SETTING, TWICE), *runs(replace(SETTING, batch=2), (1,))]
        pairs, first, second = match(before, after, TIME)
        self.assertEqual([(pair.setting, pair.before) for pair in pairs], [(SETTING, STEADY), (OTHER, (3,))])
        self.assertEqual((first, second), ([LONELY], [replace(SETTING, batch=2)]))

    def test_threads_that_were_really_there(self) -> None:
        before, after = runs(SETTING, (1,)), runs(OTHER, (2,))  # All have three.
        self.assertEqual(match(before, after, TIME)[0], [])
        (pair,), _, _ = match(before, after, TIME, by_threads=True)
        self.assertEqual((pair.setting.nthreads, pair.after), (3, (2,)))

    def test_runs_that_do_not_count(self) -> None:
        bad = [a_run(SETTING, 1, warm_up=True), a_run(SETTING, 1, error="wrong")]
        self.assertEqual(match(bad, runs(SETTING, (1,)), TIME), ([], [], [SETTING]))
        self.assertEqual(match(runs(SETTING, (1,)), runs(SETTING, (1,)), METRICS["p99"]), ([], [], []))

    def test_quantiles_of_few_elements(self) -> None:
        for count, found in ((999, 0), (1000, 1)):
            with self.subTest(count):
                (run,) = runs(SETTING, (1,))
                run.result["latency"] = {"count": count, "p99_ms": 9}
                self.assertEqual(len(match([run], [run], METRICS["p99"])[0]), found)


class Commands(unittest.TestCase):
    """The commands as a user types them, over a store of two sets."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "results.db"
        self.keep("old", Circumstances("one", load=0.5, commit="abc", libraries={"tbb": "1"}), STEADY)
        self.keep(
            "new",
            Circumstances("one", load=2, commit="def", changed=True, libraries={"tbb": "2"}),
            TWICE,
            LONELY,
        )

    def keep(self, label: str, here: Circumstances, seconds: Sequence[float], *more: Setting) -> None:
        """Adds a set, in which the run of any more settings failed."""
        conditions = Conditions(pin=(0,), in_memory=label == "new")
        with closing(Store(self.file, make=True)) as store:
            one = store.begin(label, ["exec", "--app", "bzip2"], conditions, here)
            for run in [*runs(SETTING, seconds), *(a_run(setting, 1, error="it broke") for setting in more)]:
                store.add(one, run)
            store.end(one, complete=not more)

    def type(self, *command: str) -> Result:
        """Runs a command."""
        return CliRunner().invoke(app, [*command, "--store", str(self.file)])

    def test_compare(self) -> None:
        told = self.type("compare").output
        self.assertIn("A: set 1 (old), B: set 2 (new)", told)
        self.assertRegex(told, r"bzip2_tbb_farm +2 +5, 5 +1 +2 +2.000 +1.9\d+ to 2.0\d+ +-1.00 +slower")
        for line in ("in_memory: False -> True", "commit: abc -> def", "libraries tbb: 1 -> 2"):
            self.assertIn(f"not the same: {line}", told)
        self.assertNotIn("user_args", told)
        self.assertIn("load of the machine when they began: 0.5 and 2.0", told)
        self.assertRegex(self.type("compare", "new", "1", "--metric", "throughput").output, r"\+1.00 +faster")

    def test_what_cannot_be_compared(self) -> None:
        for command, says in (
            (("compare", "3"), "has no set 3"),
            (("compare", "--metric", "speed"), "there is no metric speed"),
            (("compare", "--metric", "p99"), "no setting in common"),
            (("results", "nothing"), "has no set nothing"),
        ):
            with self.subTest(command):
                self.assertIn(says, str(self.type(*command).exception))

    def test_list(self) -> None:
        told = self.type("results").output
        self.assertRegex(told, r"1 +old +\d{4}-\d\d-\d\d \d\d:\d\d +bzip2_tbb_farm +test +5 +0 +abc +yes")
        self.assertRegex(told, r"2 +new .* 6 +1 +def, changed +no")

    def test_one_set(self) -> None:
        done = self.type("results", "latest")
        self.assertIn("set 2 (new): in memory, mean", done.output)
        self.assertRegex(done.output, r"bzip2_tbb_farm +test +2 \(3\) +5 +2.\d+\(\d+\)")
        self.assertIn("./thalweg exec --app bzip2", done.output)
        self.assertIn("bzip2_tbb_farm, small, 2 threads: it broke", done.stderr)

    def test_json_and_csv(self) -> None:
        files = self.folder / "all.json", self.folder / "all.csv"
        self.type("results", "--json", str(files[0]), "--csv", str(files[1]))
        sets = json.loads(files[0].read_text(encoding="utf-8"))
        self.assertEqual([len(one["runs"]) for one in sets], [5, 6])
        self.assertEqual(sets[1]["circumstances"]["commit"], "def")
        lines = list(csv.DictReader(files[1].read_text(encoding="utf-8").splitlines()))
        self.assertEqual([line["label"] for line in lines], ["old"] * 5 + ["new"] * 6)
        self.assertEqual((lines[0]["time (s)"], lines[0]["batch"], lines[0]["p99 (ms)"]), ("1.0", "", ""))

    def test_csv_has_no_quantiles_of_few_elements(self) -> None:
        (few,), (many,) = runs(SETTING, (1,)), runs(SETTING, (1,))
        for run, count in ((few, 199), (many, 200)):
            run.result["latency"] = {"count": count, "p95_ms": 9}
        file = self.folder / "quantiles.csv"
        with closing(Store(self.file)) as store:
            write_csv(file, [(store.find("old"), [few, many])])
        lines = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
        self.assertEqual([line["p95 (ms)"] for line in lines], ["", "9.0"])

    def test_difference_of_nothing(self) -> None:
        with closing(Store(self.file)) as store:
            one = store.find("old")
        self.assertEqual(differences(one, one), [])
