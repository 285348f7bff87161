"""`experiment`: what is run, what programs are told, and what is made of what they leave."""

import json
import tempfile
import unittest
from contextlib import closing
from pathlib import Path
from typing import Any

from browser import BROWSERS, a_page, find_browser
from fake_programs import READS_OPTIONS, FakeBuild, a_run, program
from report_test import data_in
from thalweg_cli.app import app
from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog.applications import make_input, place_of, tool_of
from thalweg_cli.experiments.command import KINDS
from thalweg_cli.experiments.elastic import adapt_text, trend
from thalweg_cli.experiments.kinds import Asked, Case, fixed_numbers
from thalweg_cli.experiments.monitoring import Monitoring, loss
from thalweg_cli.experiments.over_time import OverTime, middle_run, read
from thalweg_cli.experiments.teetime import Adaptive, Compared
from thalweg_cli.experiments.teetime import text as ways_text
from thalweg_cli.results.store import Store
from thalweg_cli.run.experiment import Conditions, Setting
from thalweg_cli.run.metrics import THROUGHPUT
from thalweg_cli.run.runs import Run, Series, measure
from typer.testing import CliRunner, Result

BROWSER = find_browser()
BUILT = build_folder("release") / "bench" / "hash_search_thalweg_elastic"
INPUTS = place_of(tool_of("hash_search"))

COUNTS = ("items_in", "items_out", "errors", "retries", "skipped", "dead_lettered", "dropped")
STAGE = dict.fromkeys((*COUNTS, "busy_ns", "waited_for_input_ns", "waited_for_output_ns"), 0)
HAPPENED = ("resizes", "rate_changes", "batch_changes", "decisions", "notes")


def sample(at: float, rate: float, replicas: int, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """A line of samples."""
    stages = [STAGE | {"name": "load", "replicas": 1}, STAGE | {"name": "work", "replicas": replicas}]
    line = {"time_ns": int(at * 1e9), "paused_ns": 0, "items": 0, "throughput": rate, "final": False}
    return line | {"stages": stages} | {key: [] for key in HAPPENED} | more


GRAPH = {
    "stages": [
        {"name": "load", "kind": "source", "farm": False},
        {"name": "work", "kind": "farm", "farm": True},
    ]
}
RESIZE = {"at_ns": 1_000_000_000, "stage": "work", "from": 1, "to": 3}
OTHER = RESIZE | {"stage": "other"}
ADAPTED = [
    sample(1, 100, 3, graph=GRAPH, resizes=[RESIZE, OTHER]),
    sample(4, 200, 3, final=True),
]
"""Three replicas from the first second on."""

LEAVES = (
    READS_OPTIONS
    + """
echo "$(basename "$0") $nthreads $input|$THALWEG_ADAPT|${THALWEG_MONITOR:+sampled}" >>"$(dirname "$0")/told"
[ -e "$(dirname "$0")/fails" ] && { echo "it is tired" >&2; exit 2; }
[ -z "$THALWEG_MONITOR" ] || cp "$(dirname "$0")/samples" "$THALWEG_MONITOR"
rate=$((10 * nthreads))
echo "{\\"seconds\\": 0.5, \\"throughput\\": $rate, \\"cpu_seconds\\": 1}" >"$json"
"""
)


class Command(FakeBuild):
    """Programs that only pretend: those with more threads are faster."""

    def setUp(self) -> None:
        super().setUp()
        self.patch("thalweg_cli.experiments.command.known_programs", return_value=self.programs)
        for module in ("kinds", "monitoring"):
            self.patch(f"thalweg_cli.experiments.{module}.cores", return_value=1)
        (self.folder / "bench" / "samples").write_text(
            "".join(json.dumps(one) + "\n" for one in ADAPTED), encoding="utf-8"
        )
        self.page = self.folder / "sub" / "page.html"
        for application in ("hash_search", "mandelbrot"):
            for interface, way in (("sequential", ""), ("thalweg", "elastic"), ("thalweg", "farm")):
                self.add(program(application, interface, way), LEAVES)

    def type(self, *options: str) -> Result:
        """Runs the command."""
        where = ["--store", str(self.store), "--output", str(self.page)]
        return CliRunner().invoke(app, ["experiment", *options, *where])

    def told(self) -> list[list[str]]:
        """How programs were called, what they were told, and whether they took samples of their stages."""
        file = self.folder / "bench" / "told"
        return [line.split("|") for line in file.read_text("utf-8").splitlines()] if file.exists() else []

    def kept(self) -> list[Run]:
        """The runs of the last set."""
        with closing(Store(self.store)) as store:
            return store.runs(store.sets()[-1].id)

    def sections(self) -> list[dict[str, Any]]:
        """Those of the page."""
        return list(data_in(self.page.read_text(encoding="utf-8"))["sections"])

    def test_the_task_farm(self) -> None:
        done = self.type("teetime-farm", "--app", "hash_search", "--quick", "--repeat", "2")
        self.assertEqual(done.exit_code, 0, done.output)
        ways = [
            f"planner={planner}:boundary={b} goal=throughput every=50ms"
            for planner in ("teetime", "teetime-mean", "teetime-weighted")
            for b in ("0.025", "0.2")
        ]
        elastic = "hash_search_thalweg_elastic"
        expected = [
            ["hash_search_sequential 1 small", "", ""],
            [f"{elastic} 1 small", "", "sampled"],
            [f"{elastic} 2 small", "", "sampled"],
            *([f"{elastic} 1 small", way, "sampled"] for way in ways),
        ]
        self.assertEqual(self.told(), expected * 2)
        best, one = self.sections()
        self.assertEqual(
            best["rows"], [["hash_search small", "10", "2", "2", "regression, b = 0.025", "1", "0.5"]]
        )
        self.assertEqual(one["rows"][2], ["2 workers", "20", "2", "2.5", "3", "1"])
        self.assertEqual(len(one["rows"]), 9)
        by_boundary, over_time, workers = one["plots"]
        self.assertEqual(by_boundary["traces"][-1]["y"], [2, 2])
        self.assertEqual(over_time["traces"][0]["y"], [100, 200])
        self.assertEqual((workers["traces"][1]["x"], workers["traces"][1]["y"]), ([0, 1, 4], [1, 3, 3]))
        with closing(Store(self.store)) as store:
            self.assertEqual(store.sets()[-1].label, "teetime-farm")

    def test_the_boundaries_of_the_literature(self) -> None:
        self.type("teetime-farm", "--app", "hash_search", "--repeat", "1")
        told = [text for _, text, _ in self.told()]
        self.assertEqual(len([text for text in told if text]), 2 * 3 * 7)
        self.assertIn("planner=teetime:boundary=0 goal=throughput every=50ms", told)
        inputs = {call.split()[2] for call, _, _ in self.told()}
        self.assertEqual(inputs, {"medium_even", "medium_growing"})

    def test_monitoring(self) -> None:
        done = self.type("mpr-monitoring", "--app", "mandelbrot", "--quick", "--repeat", "5")
        self.assertEqual(done.exit_code, 0, done.output)
        told = [["sampled" if sampled else "", text] for _, text, sampled in self.told()]
        self.assertEqual(told, [["", ""], ["sampled", ""], ["sampled", ""]] * 5)
        words = [list(run.command) for run in self.kept()[:3]]
        periods = [one[one.index("-monitor") + 1] if "-monitor" in one else "" for one in words]
        self.assertEqual(periods, ["", "1000", "100"])
        (one,) = self.sections()
        self.assertEqual(
            [row[1:6] for row in one["rows"]],
            [
                ["never", "5", "10", "-", "-"],
                ["every 1 s", "5", "10", "0", "0 to 0"],
                ["every 100 ms", "5", "10", "0", "0 to 0"],
            ],
        )
        self.assertEqual([trace["y"] for trace in one["plots"][0]["traces"]], [[0], [0]])

    def test_the_loop_of_mpr(self) -> None:
        done = self.type("mpr-elastic", "--app", "mandelbrot", "--quick")
        self.assertEqual(done.exit_code, 0, done.output)
        # 100 items in the first second, and 200 a second in three more.
        goal = "planner=mpr:goal=105,period=0.1 goal=throughput every=100ms most=4"
        self.assertEqual([text for _, text, _ in self.told()], ["", "", goal])
        (one,) = self.sections()
        self.assertEqual(one["rows"], [["mandelbrot small", "1", "105", "175", "100", "2.5", "3", "1"]])
        bars, line, replicas = one["plots"][0]["traces"]
        self.assertEqual((bars["x"], bars["y"], bars["width"]), ([0.5, 2.5], [100, 200], [1, 3]))
        self.assertEqual(line["y"], [105, 105])
        self.assertEqual(one["plots"][0]["more"]["yaxis"]["range"], [0, 210])
        self.assertEqual((replicas["x"], replicas["y"]), ([0, 1, 4], [1, 3, 3]))

    def test_a_program_that_fails(self) -> None:
        (self.folder / "bench" / "fails").touch()
        done = self.type("mpr-elastic", "--app", "mandelbrot", "--quick")
        self.assertEqual(done.exit_code, 1)
        self.assertEqual(len(self.told()), 2)
        (one,) = self.sections()
        self.assertEqual(one["rows"], [["mandelbrot small", *"-------"]])

    def test_mistakes(self) -> None:
        for options, says in (
            ((), "which experiment?"),
            (("teetime",), "there is no experiment teetime"),
            (("teetime-farm", "--app", "mandelbrot"), "teetime-farm has no application mandelbrot"),
            (("mpr-elastic", "--nprocs", "2"), "mpr-elastic runs in one process"),
            (("mpr-elastic", "--label", "latest"), "--label latest"),
        ):
            with self.subTest(options):
                done = self.type(*options)
                self.assertIsInstance(done.exception, Failed)
                self.assertIn(says, str(done.exception))
        self.assertEqual(self.told(), [])

    def test_list(self) -> None:
        done = self.type("--list")
        self.assertEqual([line.split()[0] for line in done.output.splitlines()], list(KINDS))

    @unittest.skipIf(BROWSER is None, f"none of {', '.join(BROWSERS)} is on the PATH")
    def test_the_page_in_a_browser(self) -> None:
        self.type("teetime-farm", "--app", "hash_search", "--quick")
        with a_page(str(BROWSER)) as page:
            page.open(self.page.as_uri())
            self.assertEqual(page.tells("document.documentElement.dataset.ready"), "yes")
            page.tells("dispatchEvent(new Event('beforeprint'))")
            self.assertEqual(page.tells("document.querySelectorAll('.js-plotly-plot').length"), 3)
            self.assertEqual(page.tells("document.querySelectorAll('#best tbody tr').length"), 1)
            self.assertEqual(page.errors, [])


def a_series(*rates: float, **more: Any) -> Series:  # noqa: ANN401
    """Runs with these throughputs."""
    setting = Setting(program("hash_search", "thalweg", "elastic"), "test", **more)
    return Series(setting, [a_run(setting, 10 / rate) for rate in rates])


class Parts(unittest.TestCase):
    """What is made of runs."""

    def test_the_best_are_by_median_throughput(self) -> None:
        one = Compared(
            "hash_search",
            "test",
            a_series(10),
            {1: a_series(10, 12, 90), 2: a_series(20, 21, 22), 4: a_series()},
            [
                Adaptive("mean", 0.1, a_series(10, 50, 60)),
                Adaptive("mean", 0.2, a_series(40, 41)),
                Adaptive("weighted", 0.1, a_series(30)),
            ],
        )
        self.assertEqual(one.best_fixed, 2)
        best, weighted = one.best(), one.best("weighted")
        assert best and weighted
        self.assertEqual((best.name, weighted.name), ("mean, b = 0.1", "weighted, b = 0.1"))
        self.assertEqual(one.speed_up(best.row), 5)
        self.assertIsNone(one.best("regression"))

    def test_monitoring_of_ranks(self) -> None:
        ranks = program("primes", "mpi-thalweg", "farm")
        cases = [Case("primes", "medium", "test")]
        rows = Monitoring(Asked(cases, {ranks.name: ranks}, 1, nprocs=3)).rows
        self.assertEqual([(row.setting.nprocs, row.setting.nthreads) for row in rows], [(3, 1)] * 3)
        self.assertEqual(
            rows[2].setting.name,
            "primes_mpi-thalweg_farm, medium, 3 ranks, 1 threads, samples: every 100 ms",
        )

    def test_loss(self) -> None:
        found = loss(THROUGHPUT, a_series(100, 100, 100), a_series(80, 90, 95))
        assert found
        self.assertAlmostEqual(found.median, 10)
        self.assertLess(found.low, found.median)
        self.assertLess(found.median, found.high)
        self.assertIsNone(loss(THROUGHPUT, a_series(1), a_series()))

    def test_over_time(self) -> None:
        one = OverTime([1, 4], [100, 200], [0, 1], [1, 3])
        self.assertEqual((one.rate, one.mean_replicas, one.changes), (175, 2.5, 1))
        self.assertEqual((one.share_from(150), one.share_from(100), one.share_from(300)), (0.75, 1, 0))
        self.assertEqual(one.whole, 2)
        self.assertEqual(OverTime([1, 2, 2.4], [1, 1, 1], [0], [1]).whole, 2)
        fixed = OverTime([2], [5], [0], [4])
        self.assertEqual((fixed.mean_replicas, fixed.changes, fixed.steps), (4, 0, ([0, 2], [4, 4])))

    def test_samples_that_are_none(self) -> None:
        without = {"stages": [{"name": name, "kind": "source", "farm": False} for name in ("load", "work")]}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "samples.jsonl")
            for text, says in (
                ("", "it is empty"),
                ("{}\n", "no sample of a run"),
                (json.dumps(sample(1, 1, 1, graph=without)) + "\n", "has no farm"),
            ):
                with self.subTest(says):
                    file.write_text(text, encoding="utf-8")
                    self.assertRaisesRegex(Failed, says, read, file)

    def test_the_run_that_is_shown(self) -> None:
        row = a_series(30, 10, 20)
        run = middle_run(row)
        assert run
        self.assertEqual(THROUGHPUT.of(run), 20)
        self.assertIsNone(middle_run(a_series()))

    def test_numbers(self) -> None:
        self.assertEqual(fixed_numbers(quick=True), [1, 2])
        numbers = fixed_numbers(quick=False)
        self.assertEqual(numbers[:3], [1, 2, 4])
        self.assertEqual(Case("a", "large", "test").of(quick=True), "test")
        self.assertEqual(
            adapt_text(123456.7, 1000, 16),
            "planner=mpr:goal=123500,period=1 goal=throughput every=1000ms most=16",
        )

    def test_trend(self) -> None:
        x = [float(i) for i in range(10)]
        for seen, y in zip(trend(x, [i**3 for i in x]), x, strict=True):
            self.assertAlmostEqual(seen, y**3, places=6)


@unittest.skipUnless(BUILT.exists() and INPUTS.exists(), f"{BUILT.name} and {INPUTS.name} are not built")
class WithTheProgram(unittest.TestCase):
    """A run of a program that changes its replicas."""

    def test_a_run_over_time(self) -> None:
        make_input("hash_search", "test", quiet=True)
        setting = Setting(
            program("hash_search", "thalweg", "elastic"), "test", adapt=ways_text("teetime", 0.1)
        )
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "samples.jsonl")
            run = measure(setting, Conditions(monitor_ms=20), 1, samples=file)
            self.assertEqual(run.error, "")
            seen = read(file)
        self.assertEqual((seen.changed[0], seen.replicas[0]), (0, 1))
        self.assertAlmostEqual(seen.rate * seen.elapsed, run.result["elements"], delta=1)


if __name__ == "__main__":
    unittest.main()
