"""The search for the sustainable throughput, against programs whose capacity is known."""

import csv
import io
import random
import unittest
from collections.abc import Callable
from contextlib import closing, redirect_stdout
from dataclasses import replace

from fake_programs import FakeBuild, program
from thalweg_cli.app import app
from thalweg_cli.measure.command import execute
from thalweg_cli.report.data import curves_of, rows_of
from thalweg_cli.report.figures import pictures
from thalweg_cli.report.panels import axis_named
from thalweg_cli.report.ranking import rank
from thalweg_cli.results.store import Store
from thalweg_cli.results.sustainable_table import bar, remark
from thalweg_cli.run.experiment import SEARCH, Setting
from thalweg_cli.run.metrics import THROUGHPUT
from thalweg_cli.run.runs import Result, Run
from thalweg_cli.run.sustainable import BOUNDED, Ask, Found, Search, growth_of, verdict
from typer.testing import CliRunner
from typer.testing import Result as Typed

TBB, OURS = program("bzip2", "tbb", "farm"), program("bzip2", "thalweg", "farm")
SETTING = Setting(TBB, "test", 2, purpose=SEARCH)
ELEMENTS, LATENCY_S = 5000.0, 0.002


def measured(capacity: float, rate: float | None, *, stall_s: float = 0) -> Result:
    """What a stream would measure that takes so many elements a second: what comes faster waits in a queue.

    `stall_s`: for so long the machine does something else, in the middle of the run.
    """
    took = ELEMENTS / min(rate or capacity, capacity)
    excess = 1 - capacity / rate if rate and rate > capacity else 0
    times = [took * (i + 0.5) / 40 for i in range(40)]
    waits = [LATENCY_S + excess * t + max(0, stall_s - abs(t - took / 2)) for t in times]
    ordered = sorted(waits)
    latency = {"mean_ms": 1000 * sum(waits) / 40, "p50_ms": 1000 * ordered[20], "p99_ms": 1000 * ordered[-1]}
    latency["count"] = ELEMENTS
    samples = [{"seconds": t, "latency_ms": 1000 * wait} for t, wait in zip(times, waits, strict=True)]
    seconds = took + LATENCY_S
    return {
        "elements": ELEMENTS,
        "seconds": seconds,
        "throughput": ELEMENTS / took,
        "latency": latency,
        "samples": samples,
    }


def answer(of: Callable[[float | None], Result], *, repeat: int = 1, bound_ms: float | None = None) -> Found:
    """What a search finds that is answered by `of`; `answer.asked` is what it asked for."""
    search = Search(SETTING, repeat, bound_ms)
    steps = search.steps()
    asked: list[Ask] = []
    try:
        ask = next(steps)
        while True:
            asked.append(ask)
            result = of(ask.rate)
            error = str(result.get("error", ""))
            run = Run(replace(SETTING, frequency=ask.rate), 1, "", 3, (), result=result, error=error)
            ask = steps.send(replace(run, judged=ask.judge(run)))
    except StopIteration:
        answer.asked = asked  # type: ignore[attr-defined]
        return search.found


class Verdicts(unittest.TestCase):
    """What bounded means."""

    def test_below_and_above_the_capacity(self) -> None:
        self.assertEqual(verdict(measured(1000, 990), 990, 20), BOUNDED)
        self.assertEqual(verdict(measured(1000, 1010), 1010, 20), "p99 of 50.89 ms")
        self.assertRegex(verdict(measured(1000, 1030), 1030, 1e6), "latency grew by 29.1 ms a second")
        self.assertRegex(verdict(measured(1000, 1300), 1300), "took 1000/s of 1300/s")

    def test_late_without_latency(self) -> None:
        late = measured(1000, 900) | {"seconds": 6.5}
        self.assertEqual(verdict(late, 900, 20), "6.5 s for what came in 5.56 s")
        slow = {name: value for name, value in late.items() if name != "throughput"}
        self.assertEqual(verdict(slow, 900, 20), "took 769.2/s of 900/s")

    def test_what_does_not_keep_up(self) -> None:
        """A generous bound on latency, or a short run, is no reason to call a rate sustainable."""
        short = {"elements": 300.0, "seconds": 0.955, "throughput": 314.0, "latency": {"p99_ms": 500}}
        self.assertEqual(verdict(short, 853, 600), "took 314/s of 853/s")
        self.assertEqual(verdict({**short, "seconds": 0.36, "throughput": 833.0}, 853, 600), BOUNDED)

    def test_p99_of_few_elements_is_not_told(self) -> None:
        few = measured(1000, 1010)
        few["latency"]["count"] = 999
        self.assertEqual(verdict(few, 1010, 20), "latency beyond the bound")

    def test_without_numbers(self) -> None:
        for result in ({}, {"latency": {"p99_ms": 1}}, {"elements": 5, "seconds": 1}):
            with self.subTest(result):
                self.assertEqual(verdict(result, 10, 20), "no latency was measured")

    def test_a_stall_is_no_growth(self) -> None:
        samples = measured(1000, 900, stall_s=0.5)["samples"]
        self.assertEqual(growth_of(samples), 0)
        self.assertEqual(verdict(measured(1000, 900, stall_s=0.5), 900, 1000), BOUNDED)

    def test_growth(self) -> None:
        line = [{"seconds": t / 10, "latency_ms": 1 + t} for t in range(40)]
        self.assertAlmostEqual(growth_of(line), 0.01)
        self.assertEqual(growth_of(line[:8]), 0)  # Too few to tell.
        far_off = [one | {"latency_ms": 5000} if i % 7 == 3 else one for i, one in enumerate(line)]
        self.assertAlmostEqual(growth_of(far_off), 0.01, 2)
        falling = [{"seconds": t / 10, "latency_ms": 41 - t} for t in range(40)]
        self.assertEqual(growth_of(falling), 0)
        filling = [{"seconds": t / 10, "latency_ms": min(t, 5) + 10} for t in range(40)]
        self.assertEqual(growth_of(filling), 0)
        little = [{"seconds": t / 10, "latency_ms": 500 + 2 * t} for t in range(40)]
        self.assertEqual(growth_of(little), 0)  # It is long, and has not doubled.
        self.assertAlmostEqual(growth_of([{"seconds": t, "latency_ms": t} for t in range(1, 5000)]), 0.001)


class Searches(unittest.TestCase):
    """What is found, and how many runs that takes."""

    def test_finds_the_capacity(self) -> None:
        for capacity in (3.0, 400.0, 1000.0):
            with self.subTest(capacity):
                found = answer(lambda rate, capacity=capacity: measured(capacity, rate))
                assert found.rate is not None and found.above is not None
                self.assertTrue(0.94 * capacity < found.rate < 1.02 * capacity, found)
                self.assertTrue(found.rate < found.above < 1.06 * found.rate, found)
                self.assertEqual((found.bounded, found.runs, found.error), (3, 3, ""))
                self.assertLess(len(answer.asked), 20)  # type: ignore[attr-defined]

    def test_bound(self) -> None:
        found = answer(lambda rate: measured(1000, rate))
        self.assertAlmostEqual(found.low_p99_ms, 2)
        self.assertAlmostEqual(found.bound_ms, 20)
        self.assertEqual(answer(lambda rate: measured(1000, rate), bound_ms=7).bound_ms, 7)

    def test_latency_that_rises_long_before_the_capacity(self) -> None:
        def busy(rate: float | None) -> Result:
            result = measured(1000, rate)
            load = min((rate or 1000) / 1000, 0.999)
            return result | {"latency": {"p99_ms": 2 / (1 - load)}}

        found = answer(busy, bound_ms=8)  # which is p99 at three quarters of the capacity
        assert found.rate is not None
        self.assertTrue(710 < found.rate <= 750, found)

    def test_unthrottled_run_that_was_disturbed(self) -> None:
        found = answer(lambda rate: measured(1000 if rate else 400, rate))
        assert found.rate is not None
        self.assertTrue(940 < found.rate < 1020, found)

    def test_no_rate_is_sustainable(self) -> None:
        found = answer(lambda rate: measured(1000, rate), bound_ms=1)  # An element takes two.
        self.assertIsNone(found.rate)
        self.assertEqual((found.runs, remark(found)), (0, "none found"))
        self.assertLess(len(answer.asked), 20)  # type: ignore[attr-defined]

    def test_limit_that_is_not_met(self) -> None:
        found = answer(lambda rate: measured(1e9, rate) | ({} if rate else {"throughput": 1000}))
        self.assertIsNone(found.above)
        self.assertEqual(remark(found), "its limit was not met")

    def test_short_runs(self) -> None:
        found = answer(lambda rate: measured(1e5, rate))
        self.assertRegex(remark(found), "its runs took 0.05\\d* s: too short to be sure")

    def test_low_load_that_was_disturbed(self) -> None:
        first = iter([0.7])

        def disturbed(rate: float | None) -> Result:
            return measured(1000, rate, stall_s=next(first, 0) if rate == 250 else 0)

        self.assertAlmostEqual(answer(disturbed).low_p99_ms, 2)

    def test_failures_end_the_search(self) -> None:
        for at, says in ((0, "it broke"), (3, "it broke")):
            with self.subTest(at):
                count = iter(range(100))
                found = answer(
                    lambda rate, at=at, count=count: (
                        {"error": "it broke"} if next(count) == at else measured(1000, rate)
                    )
                )
                self.assertEqual((found.error, found.rate), (says, None))
        self.assertEqual(answer(lambda _: {"throughput": 5}).error, "it measured no throughput")
        without = answer(lambda rate: {**measured(1000, rate), "latency": {}})
        self.assertEqual(without.error, "it measured no latency")

    def test_repeats(self) -> None:
        found = answer(lambda rate: measured(1000, rate), repeat=5)
        asked = [ask.rate for ask in answer.asked]  # type: ignore[attr-defined]
        self.assertEqual(asked[:10], [None] * 5 + [250] * 5)
        self.assertEqual((found.bounded, found.runs), (5, 5))

    def test_noise(self) -> None:
        near = 0
        for seed in range(60):
            chance = random.Random(seed)

            def noisy(rate: float | None, chance: random.Random = chance) -> Result:
                stall = chance.uniform(0.05, 1) if chance.random() < 0.25 else 0
                return measured(1000 * chance.gauss(1, 0.01), rate, stall_s=stall)

            found = answer(noisy)
            assert found.rate is not None
            self.assertTrue(700 < found.rate < 1040, found)
            near += 900 < found.rate < 1040
        self.assertGreaterEqual(near, 54)  # 56; without second tries, 49.


STREAM = """#!/bin/bash
while [ $# -gt 0 ]; do
  case $1 in -json) json=$2 ;; -frequency) rate=$2 ;; -monitor) monitor=$2 ;; esac
  shift
done
awk -v rate="${rate:-0}" -v capacity=CAPACITY 'BEGIN {
  excess = rate > capacity ? 1 - capacity / rate : 0
  seconds = 5000 / (rate && rate < capacity ? rate : capacity)
  p99 = 2 + 1000 * excess * seconds
  printf "{\\"elements\\": 5000, \\"seconds\\": %f, ", seconds
  printf "\\"throughput\\": %f, \\"latency\\": ", 5000 / seconds
  printf "{\\"count\\": 5000, \\"mean_ms\\": %f, \\"p99_ms\\": %f}, \\"samples\\": []}", p99 / 2, p99
}' >"$json"
"""


class Command(FakeBuild):
    """The command as a user types it, and what reports say of it."""

    def type(self, *options: str) -> Typed:
        """Runs the command."""
        command = ["exec", "--bench", "all", "--input", "test", "--store", str(self.store)]
        return CliRunner().invoke(app, [*command, "--find-sustainable", *options])

    def search(self, *options: str) -> Typed:
        """Runs the command for two programs, of which one is slower."""
        self.add(TBB, STREAM.replace("CAPACITY", "1000"))
        self.add(OURS, STREAM.replace("CAPACITY", "2000"))
        return self.type(*options)

    def test_searches_take_turns_and_keep_all_points(self) -> None:
        done = self.search("--nthreads", "2", "--warm-up", "1")
        self.assertEqual(done.exit_code, 0, done.output)
        with closing(Store(self.store)) as store:
            one = store.find("latest")
            runs = store.runs(one.id)
        first = [(run.setting.program.interface, run.setting.frequency, run.warm_up) for run in runs[:6]]
        self.assertEqual(
            first,
            [
                ("tbb", None, True),
                ("thalweg", None, True),
                ("tbb", None, False),
                ("thalweg", None, False),
                ("tbb", 250, False),
                ("thalweg", 500, False),
            ],
        )
        self.assertTrue(one.complete)
        rates = {found["program"]: found["rate"] for found in one.findings}
        self.assertTrue(940 < rates["bzip2_tbb_farm"] < 1020, rates)
        self.assertTrue(1880 < rates["bzip2_thalweg_farm"] < 2040, rates)
        self.assertTrue(" ".join(runs[5].command).endswith("-frequency 500 -latency -monitor 200"))
        self.assertEqual({run.judged for run in runs if run.setting.frequency in rates.values()}, {BOUNDED})

    def test_terminal(self) -> None:
        done = self.search()
        self.assertIn("bzip2_tbb_farm, test, 1 threads: latency over the rate", done.output)
        self.assertRegex(
            done.output, r"bzip2_thalweg_farm +1 +2000 +1\d{3}|bzip2_thalweg_farm +1 +2000 +20\d\d"
        )
        self.assertIn("p99 of", done.output)
        again = CliRunner().invoke(app, ["results", "latest", "--store", str(self.store)])
        self.assertIn("bzip2_tbb_farm, test, 1 threads: latency over the rate", again.output)
        self.assertIn("sustainable throughput: the highest rate", again.output)

    def test_report(self) -> None:
        self.search("--nthreads", "2")
        with closing(Store(self.store)) as store:
            kept = [(one, store.runs(one.id)) for one in store.sets()]
        rows = rows_of(kept)
        curves = curves_of(rows)
        self.assertEqual([curve.found.setting.program for curve in curves], [TBB, OURS])
        frequencies = [point.setting.frequency or 0 for point in curves[0].points]
        self.assertEqual(frequencies, sorted(frequencies))
        self.assertEqual(len(frequencies), len(set(frequencies)))
        self.assertGreaterEqual(len(frequencies), 5)
        ranking = rank(rows, THROUGHPUT)
        self.assertEqual([case.name for case in ranking.cases], ["bzip2, test, at its sustainable rate"])
        self.assertEqual([one.interface for one in ranking.entries], ["thalweg", "tbb"])
        self.assertTrue(0.45 < ranking.entries[1].mean < 0.55, ranking)
        figures = dict(pictures(rows, axis_named(rows, "nthreads")))
        self.assertEqual(set(figures) & {"bzip2, test sustainable"}, {"bzip2, test sustainable"})
        self.assertFalse([name for name in figures if "/s" in name], "points have pictures of their own")

    def test_report_files(self) -> None:
        self.search()
        page = self.folder / "report.html"
        command = ["report", "--output", str(page), "--store", str(self.store), "--csv", str(self.folder)]
        done = CliRunner().invoke(app, command)
        self.assertEqual(done.exit_code, 0, done.exception)
        self.assertIn('"curves":[{"set":1', page.read_text(encoding="utf-8"))
        lines = (self.folder / "curves.csv").read_text(encoding="utf-8").splitlines()
        self.assertRegex(lines[0], "rate,bounded,runs,throughput")
        self.assertGreater(len(lines), 10)

    def test_quantiles_of_few_elements(self) -> None:
        """A p99 that less than ten elements are above is a dash, and no number on the page or in files."""
        few = STREAM.replace('count\\": 5000', 'count\\": 999')
        self.add(TBB, few.replace("CAPACITY", "1000"))
        done = self.type()
        self.assertEqual(done.exit_code, 0, done.output)
        self.assertRegex(done.output, r"bzip2_tbb_farm +1 +1000 +\S+ +\S+ +\S+ +- +20 ")
        self.assertNotIn("p99 of", done.output)
        self.assertNotIn("nan", done.output)
        page = self.folder / "report.html"
        command = ["report", "--output", str(page), "--store", str(self.store), "--csv", str(self.folder)]
        done = CliRunner().invoke(app, command)
        self.assertEqual(done.exit_code, 0, done.exception)
        self.assertIn('"low_p99_ms":null', page.read_text(encoding="utf-8"))
        for name in ("curves.csv", "runs.csv"):
            lines = list(csv.DictReader((self.folder / name).read_text(encoding="utf-8").splitlines()))
            self.assertEqual({line["p99 (ms)"] for line in lines}, {""})

    def test_interrupted(self) -> None:
        self.add(TBB, STREAM.replace("CAPACITY", "1000"))
        ends = 'case "$*" in *"-frequency 2000"*) kill -INT $PPID; sleep 60 ;; esac\n'
        self.add(OURS, STREAM.replace("CAPACITY", "2000").replace("while", ends + "while", 1))
        out = io.StringIO()
        with redirect_stdout(out), self.assertRaises(KeyboardInterrupt):
            execute(["test"], bench=["all"], store=self.store, find_sustainable=True)
        self.assertIn("kept as set 1, which is not complete", out.getvalue())
        self.assertEqual(out.getvalue().count("not searched to the end"), 2)
        with closing(Store(self.store)) as store:
            one = store.find("latest")
            self.assertEqual((one.complete, one.findings, one.count), (False, [], 2 + 2 * 2 + 1))

    def test_one_that_fails_does_not_end_the_others(self) -> None:
        self.add(TBB, "#!/bin/bash\nexit 3\n")
        self.add(OURS, STREAM.replace("CAPACITY", "2000"))
        done = self.type()
        self.assertEqual(done.exit_code, 1)
        self.assertIn("failed: it ended with code 3", done.output)
        with closing(Store(self.store)) as store:
            (found,) = store.find("latest").findings
        self.assertEqual(found["program"], "bzip2_thalweg_farm")


class Bars(unittest.TestCase):
    """Bars in the terminal."""

    def test_logarithmic(self) -> None:
        self.assertEqual([len(bar(x, (1, 10, 100))) for x in (1, 10, 100)], [1, 13, 24])
        self.assertEqual((bar(1, (1, 1)), bar(None, (None, 1, 2))), ("", ""))
