"""Reports: the page and the files have the numbers of the store, and load nothing from elsewhere."""

import csv
import json
import math
import re
import statistics
import subprocess
import tempfile
import unittest
from contextlib import closing
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest import mock

import matplotlib as mpl
from browser import BROWSERS, find_browser
from fake_programs import program
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from thalweg_cli.app import app
from thalweg_cli.catalog.programs import Program
from thalweg_cli.report.charts import write_plainly
from thalweg_cli.report.data import Row, Values, monitored, plain_row, rows_of
from thalweg_cli.report.figures import pictures
from thalweg_cli.report.looks import LOOKS, OTHERS, looks_of
from thalweg_cli.report.panels import axis_named
from thalweg_cli.report.ranking import rank
from thalweg_cli.report.samples import MOST_SAMPLES, samples_per_run
from thalweg_cli.report.tables import latex, slug, unused
from thalweg_cli.results.circumstances import Circumstances
from thalweg_cli.results.store import Store
from thalweg_cli.run.experiment import SEARCH, Conditions, Setting
from thalweg_cli.run.metrics import METRICS, THROUGHPUT
from thalweg_cli.run.runs import Run
from thalweg_cli.run.sustainable import BOUNDED, Found
from typer.testing import CliRunner, Result

HERE = Circumstances(
    "a <processor>",
    2,
    "Linux 6.1",
    "powersave",
    1.5,
    "g++ 12",
    "-O3",
    "abc123",
    changed=True,
    libraries={"libtbb-dev": "1", "oneTBB": "2021.8"},
    environment={"OMP_NUM_THREADS": "4"},
    memory=2**34,
    caches="L1d 48K",
    clock="3 GHz",
    system="an OS 1",
)
SEQUENTIAL = program("ferret", "sequential")
TBB = program("ferret", "tbb", "farm")
OURS = program("ferret", "thalweg", "farm")
OURS_PIPE = program("ferret", "thalweg", "pipe-farm")
BZIP2_TBB, BZIP2_OURS = program("bzip2", "tbb", "farm"), program("bzip2", "thalweg", "farm")

THROUGHPUTS = {
    Setting(SEQUENTIAL, "small", 1): (90, 100, 110),
    Setting(TBB, "small", 1): (95, 100, 120),
    Setting(TBB, "small", 2): (150, 160, 165),
    Setting(OURS, "small", 1): (99, 100, 101),
    Setting(OURS, "small", 2): (190, 200, 220),
    Setting(OURS_PIPE, "small", 2): (140, 150, 160),
    Setting(BZIP2_TBB, "small", 2): (10, 10, 10),
    Setting(BZIP2_OURS, "small", 2): (4, 5, 6),
}
"""Elements a second of the three runs of each setting."""

MEDIANS = {setting: sorted(values)[1] for setting, values in THROUGHPUTS.items()}


def a_run(setting: Setting, number: int, throughput: float, **more: Any) -> Run:  # noqa: ANN401
    """A run with latencies and samples."""
    latency = {"count": 20_000, "mean_ms": 10 / throughput, "p50_ms": 9 / throughput, "p95_ms": 0.5}
    latency |= {"p99_ms": 1.5, "p99_9_ms": 2.5, "max_ms": 4}
    samples = [
        {"seconds": i / 10, "throughput": throughput, "latency_ms": 1, "cores": 1.5, "resident_bytes": 2e6}
        for i in range(1, 6)
    ]
    result = {"seconds": 100 / throughput, "throughput": throughput, "peak_bytes": 3e6, "cpu_seconds": 1}
    result |= {"latency": latency, "samples": samples}
    result |= {"operators": [{"name": name, "time": {"count": 9, "mean_ms": 2}} for name in ("rank", "sink")]}
    time, threads = "2026-01-01T00:00:00.000Z", setting.nthreads + 1
    return Run(setting, number, time, threads, ("a",), result=result, **more)


class Links(HTMLParser):
    """What a page would load, and its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.policy = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes what a tag refers to."""
        given = {name: value or "" for name, value in attrs}
        self.loaded += [given[name] for name in ("src", "srcset", "data", "action") if name in given]
        if tag in ("link", "base", "iframe", "object", "embed"):
            self.loaded.append(f"<{tag}>")
        self.loaded += [given["href"]] if not given.get("href", "#").startswith("#") else []
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]


def data_in(page: str) -> dict[str, Any]:
    """The data in a page."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def has_point(drawn: ErrorbarContainer, x: float, y: float) -> bool:
    """Whether a line of a picture goes through a point, but for how far it is moved from other lines."""
    points = drawn.lines[0].get_xydata()
    return any(abs(one[0] - x) < 0.5 and abs(one[1] - y) < 1e-6 for one in points)


class OverAStore(unittest.TestCase):
    """Each test has a store with a set that went well, but for one setting."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file, self.page = self.folder / "results.db", self.folder / "report.html"
        runs = [
            a_run(setting, 1 + turn, values[turn], verified=True)
            for turn in range(3)
            for setting, values in THROUGHPUTS.items()
        ]
        runs.append(replace(a_run(Setting(TBB, "small", 4), 1, 1e6), error="it </script> broke"))
        runs.append(a_run(Setting(TBB, "small", 2), 1, 1e6, warm_up=True))
        self.keep("first", runs)

    def keep(self, label: str, runs: list[Run], here: Circumstances = HERE, **more: Any) -> None:  # noqa: ANN401
        """Adds a set."""
        conditions = Conditions(verify=True, **more)
        with closing(Store(self.file, make=True)) as store:
            one = store.begin(label, ["exec", "--app", "ferret"], conditions, here)
            for run in runs:
                store.add(one, run)
            store.end(one, complete=True)

    def keep_a_search(self, label: str) -> None:
        """Adds a set with a search for a sustainable rate, at three rates."""
        base = Setting(TBB, "small", 2, purpose=SEARCH)
        settings = {rate: replace(base, frequency=rate) for rate in (10.0, 20.0, 30.0)}
        found = Found(base, 30, 1, 10, rate=20, above=30, bounded=3, runs=3, seconds=5)
        judged = {10.0: BOUNDED, 20.0: BOUNDED, 30.0: "p99 of 99 ms"}
        runs = [a_run(settings[rate], 1, rate, judged=says) for rate, says in judged.items()]
        self.keep(label, [replace(a_run(base, 1, 30), result={"throughput": 30}), *runs])
        with closing(Store(self.file)) as store:
            store.note(store.find(label).id, [found.plain()])

    def type(self, *more: str) -> Result:
        """Makes a report."""
        command = ["report", "--output", str(self.page), "--store", str(self.file), *more]
        return CliRunner().invoke(app, command)

    def data(self, *more: str) -> dict[str, Any]:
        """The data of the page that it makes."""
        done = self.type(*more)
        self.assertEqual(done.exit_code, 0, done.exception)
        return data_in(self.page.read_text(encoding="utf-8"))

    def rows(self) -> list[Row]:
        """The settings of all sets."""
        with closing(Store(self.file)) as store:
            return rows_of([(one, store.runs(one.id)) for one in store.sets()])


class Page(OverAStore):
    """What is in a page."""

    def test_settings(self) -> None:
        rows = self.data()["rows"]
        self.assertEqual(len(rows), len(THROUGHPUTS) + 1)
        found = {(row["program"], row["nthreads"]): row for row in rows}
        for setting, values in THROUGHPUTS.items():
            row = found[setting.program.name, setting.nthreads]
            told = [MEDIANS[setting], min(values), max(values), 3]
            told += [statistics.fmean(values), statistics.stdev(values)]
            for found_value, value in zip(row["values"]["throughput"], told, strict=True):
                self.assertAlmostEqual(found_value, value, places=3)
            self.assertAlmostEqual(row["values"]["latency"][0], 10 / MEDIANS[setting], places=5)
            self.assertEqual((row["threads"], row["verified"]), (setting.nthreads + 1, "good"))
            self.assertEqual([one[0] for one in row["quantiles"]], [50, 95, 99, 99.9])
            self.assertEqual(row["quantiles"][3][1:3], [2.5, 2.5])
        broken = found["ferret_tbb_farm", 4]
        self.assertEqual((broken["runs"], broken["failed"], broken["values"]), (0, 1, {}))

    def test_samples(self) -> None:
        row = next(row for row in self.data()["rows"] if row["program"] == "bzip2_thalweg_farm")
        taken = row["samples"]
        self.assertEqual((taken["run"], taken["width"]), (2, 1))  # The run with the median throughput.
        self.assertEqual(taken["columns"]["seconds"], [0.1, 0.2, 0.3, 0.4, 0.5])
        self.assertEqual(taken["columns"]["throughput"], [5] * 5)
        self.assertEqual(self.data()["columns"]["resident_bytes"], ["Memory (MB)", 1e-6])

    def test_ranking(self) -> None:
        found = self.data()["rankings"]["throughput"]
        self.assertEqual(sorted(found), ["1", "2", "best"])
        places = {one["interface"]: one for one in found["best"]["entries"]}
        self.assertEqual([case["name"] for case in found["best"]["cases"]], ["ferret, small", "bzip2, small"])
        scores = places["thalweg"]["scores"]
        self.assertEqual(
            [(one["ratio"], one["value"], one["nthreads"]) for one in scores], [(1, 200, 2), (0.5, 5, 2)]
        )
        self.assertEqual({one["way"] for one in scores}, {"thalweg farm"})
        self.assertAlmostEqual(places["thalweg"]["mean"], math.sqrt(0.5), places=5)
        self.assertAlmostEqual(places["tbb"]["mean"], math.sqrt(0.8), places=5)
        self.assertEqual([one and one["ratio"] for one in places["sequential"]["scores"]], [0.5, None])
        self.assertEqual(list(places), ["tbb", "thalweg", "sequential"])  # Who is not in all cases is last.

    def test_notes(self) -> None:
        found = {note["text"]: note for note in self.data()["notes"]}
        (failed,) = [note for text, note in found.items() if text.startswith("1 of 26 runs failed")]
        self.assertEqual(failed["level"], "bad")
        self.assertIn("ferret_tbb_farm, small, 4 threads: it </script> broke", failed["details"][0])
        for says in (
            "8 of 9 settings have fewer than 5 runs",
            "The machine was busy when the set began, with a load of 1.50 on 2 cores",
            "Files differed from commit abc123",
            "The governor was powersave",
            "1 of 9 settings asked for more threads than there were cores",
            "In 1 of 9 settings the longest run took over 1.3 times the shortest",
        ):
            with self.subTest(says):
                self.assertTrue(any(says in text for text in found), list(found))
        self.assertFalse(any("not checked" in text or "warm up" in text for text in found))

    def test_notes_on_other_sets(self) -> None:
        self.keep("second", [a_run(Setting(TBB, "small", 2), 1, 5)], replace(HERE, cpu="another"))
        data = self.data("first", "second")
        found = {note["text"]: note["details"] for note in data["notes"]}
        self.assertIn("The output of 1 of 25 runs was not checked (exec --verify).", found)
        self.assertIn("Set 2 (second): There were no warm-up runs: the first ones count.", found)
        self.assertEqual(
            found["Sets 1 (first) and 2 (second) were not measured alike."],
            ["cpu: a <processor> -> another"],
        )
        self.assertEqual([row["set"] for row in data["rows"]], [1] * 9 + [2])

    def test_where_it_was_measured(self) -> None:
        told = self.data()["sets"][0]["told"]
        self.assertEqual(told["processor"], "a <processor>, 2 cores")
        self.assertEqual(told["commit"], "abc123, changed")
        self.assertEqual(told["command"], "./thalweg exec --app ferret")
        self.assertEqual((told["compiler"], told["flags"]), ("g++ 12", "-O3"))
        self.assertEqual(told["system"], "an OS 1, Linux 6.1")
        self.assertEqual((told["caches"], told["clock"], told["memory"]), ("L1d 48K", "3 GHz", "16.0 GiB"))
        self.assertEqual((told["interfaces"], told["libraries"]), (["oneTBB 2021.8"], ["libtbb-dev 1"]))
        self.assertEqual(told["variables"], ["OMP_NUM_THREADS=4"])

    def test_nothing_is_loaded(self) -> None:
        self.data()
        page = self.page.read_text(encoding="utf-8")
        links = Links(page)
        self.assertEqual(links.loaded, [])
        self.assertIn("default-src 'none'", links.policy)
        self.assertNotIn("http", re.sub("'unsafe-inline'|data:|blob:", "", links.policy))
        ours = re.sub(r"<script>\s*/\*\*\s*\* plotly\.js.*?</script>", "", page, flags=re.DOTALL)
        self.assertLess(len(ours), 200_000)
        self.assertNotRegex(ours, r"https?:|url\(|@import|fetch\(|XMLHttpRequest|importScripts|eval\(")
        self.assertEqual(page.count("</script>"), 3)  # None comes from the data.

    def test_selection(self) -> None:
        programs = {row["program"] for row in self.data("--app", "bzip2")["rows"]}
        self.assertEqual(programs, {"bzip2_tbb_farm", "bzip2_thalweg_farm"})
        programs = {row["program"] for row in self.data("--ppi", "tbb", "--app", "ferret")["rows"]}
        self.assertEqual(programs, {"ferret_tbb_farm"})
        programs = {row["program"] for row in self.data("first", "--bench", "ferret_thalweg")["rows"]}
        self.assertEqual(programs, {"ferret_thalweg_farm"})

    def test_a_set_named_twice_is_one(self) -> None:
        self.assertEqual(len(self.data("first", "1", "latest")["rows"]), 9)

    def test_samples_without_elements_and_at_the_end(self) -> None:
        run = a_run(Setting(TBB, "small", 2), 1, 5)
        times, latencies = (0.1, 0.2, 0.3, 0.301), (5, 0, 7, 9)
        run.result["samples"] = [
            {"seconds": seconds, "latency_ms": latency}
            for seconds, latency in zip(times, latencies, strict=True)
        ]
        self.keep("slow", [run])
        taken = plain_row(self.rows()[-1], 100)["samples"]
        self.assertEqual(taken["columns"], {"seconds": [0.1, 0.2, 0.3], "latency_ms": [5, None, 7]})

    def test_many_samples(self) -> None:
        run = a_run(Setting(TBB, "small", 2), 1, 5)
        samples = [{"seconds": i, "throughput": i % 2, "batch": None} for i in range(100_001)]
        run.result["samples"] = samples
        self.keep("long", [run])
        row = self.rows()[-1]
        most = samples_per_run(monitored([row]))
        taken = plain_row(row, most)["samples"]
        self.assertLessEqual(5 * len(taken["columns"]["seconds"]), MOST_SAMPLES)
        self.assertEqual(taken["columns"]["seconds"][-1], 100_000)
        self.assertAlmostEqual(
            sum(taken["columns"]["throughput"]) / len(taken["columns"]["throughput"]), 0.5, 2
        )
        self.assertTrue(all(value is None for value in taken["columns"]["batch"]))
        self.assertLess(len(json.dumps(self.data("long"))), 400_000)


class Ranks(OverAStore):
    """Rankings by other metrics, and of few cases."""

    def test_less_is_better(self) -> None:
        places = {one.interface: one for one in rank(self.rows(), METRICS["time"]).entries}
        ferret, bzip2 = rank(self.rows(), METRICS["time"]).cases
        self.assertEqual(places["thalweg"].scores[ferret].ratio, 1)
        self.assertEqual(places["thalweg"].scores[bzip2].ratio, 0.5)

    def test_at_a_number_of_threads(self) -> None:
        found = rank(self.rows(), THROUGHPUT, 1)
        self.assertEqual([case.name for case in found.cases], ["ferret, small"])
        self.assertEqual(
            {one.interface: one.mean for one in found.entries},
            dict.fromkeys(("sequential", "tbb", "thalweg"), 1.0),
        )

    def test_sets_are_not_mixed(self) -> None:
        self.keep("fast", [a_run(Setting(TBB, "small", 2), 1, 1e6), a_run(Setting(OURS, "small", 2), 1, 5e5)])
        places = {one.interface: one for one in rank(self.rows(), THROUGHPUT).entries}
        self.assertEqual([score.ratio for score in places["thalweg"].scores.values()], [1, 0.5, 0.5])

    def test_other_loads_are_other_cases(self) -> None:
        runs = [a_run(Setting(one, "small", 2, frequency=5), 1, 5) for one in (TBB, OURS)]
        self.keep("paced", runs, in_memory=True)
        self.assertEqual(rank(self.rows(), THROUGHPUT).cases[-1].name, "ferret, small, 5 /s, in memory")

    def test_alone_is_no_ranking(self) -> None:
        self.assertEqual(self.data("--ppi", "tbb")["rankings"], {})


class Files(OverAStore):
    """Tables and pictures."""

    def test_csv(self) -> None:
        self.data("--csv", str(self.folder / "csv"))
        read = {
            name: list(csv.DictReader((self.folder / "csv" / f"{name}.csv").read_text("utf-8").splitlines()))
            for name in ("runs", "settings", "ranking")
        }
        self.assertEqual(len(read["runs"]), 26)
        lines = {
            (line["interface"], line["composition"], line["nthreads"], line["application"]): line
            for line in read["settings"]
        }
        line = lines["thalweg", "farm", "2", "ferret"]
        values = [line[f"throughput {what} (/s)"] for what in ("median", "lowest", "highest")]
        self.assertEqual((values, line["runs"]), (["200.0", "190.0", "220.0"], "3"))
        self.assertEqual(lines["tbb", "farm", "4", "ferret"]["throughput median (/s)"], "")
        ratios = {
            (line["case"], line["interface"]): line["ratio to the best"]
            for line in read["ranking"]
            if line["metric"] == "throughput"
        }
        self.assertEqual(ratios["ferret, small", "tbb"], "0.8")

    def test_latex(self) -> None:
        folder = self.folder / "a" / "tables"
        self.data("--latex", str(folder))
        table = (folder / "set1-ferret-small-throughput.tex").read_text("utf-8")
        self.assertIn("sequential & 100 (90--110) & -- \\\\\n", table)
        ours = "thalweg farm & 100 (99--101) & 200 (190--220) \\\\\n"
        self.assertIn(ours, table)  # Three runs say nothing of who is best.
        self.assertIn("thalweg pipe-farm & -- & 150 (140--160) \\\\\n", table)
        self.assertIn("\\begin{tabular}{lrr}\n\\toprule\n & 1 & 2 \\\\\n\\midrule\n", table)
        ranking = (folder / "ranking.tex").read_text("utf-8")
        self.assertIn("thalweg & -- & 0.7071 & 1 & 0.5 \\\\\n", ranking)
        self.assertTrue((folder / "set1-bzip2-small-p99.tex").exists())

    def test_means_with_deviations(self) -> None:
        folder = self.folder / "tables"
        self.assertEqual(self.data()["values"], "medians")
        self.assertEqual(self.data("--values", "means", "--latex", str(folder))["values"], "means")
        table = (folder / "set1-ferret-small-throughput.tex").read_text("utf-8")
        self.assertIn("sequential & 100 $\\pm$ 10 & -- \\\\\n", table)
        self.assertIn("means with standard deviations", table.partition("\n")[0])
        for values, middle, half in ((Values.MEDIANS, 200, [10, 20]), (Values.MEANS, 610 / 3, [15.28] * 2)):
            with self.subTest(values):
                figures = dict(pictures(self.rows(), axis_named(self.rows(), "nthreads"), values))
                (ax, *_) = figures["ferret, small"].axes
                (ours,) = [one for one in ax.containers if has_point(one, 2, middle)]
                (_, y), (low, high) = ours.lines[0].get_xydata()[-1], ours.lines[2][0].get_segments()[-1]
                self.assertAlmostEqual(y, middle)
                self.assertEqual([round(y - low[1], 2), round(high[1] - y, 2)], half)

    def test_names(self) -> None:
        self.assertEqual(
            latex(r"a_b & 5% \x{}^~#$"),
            r"a\_b \& 5\% \textbackslash{}x\{\}"
            r"\textasciicircum{}\textasciitilde{}\#\$",
        )
        self.assertEqual(slug("/home/a b/In.avi, 5 /s"), "home-a-b-in.avi-5-s")
        self.assertEqual(unused("a", ["a", "a-2"]), "a-3")

    def test_pictures(self) -> None:
        with mock.patch("thalweg_cli.report.figures.DPI", 50):  # Saves time.
            self.data("--png", str(self.folder / "png"), "--svg", str(self.folder / "svg"), "--app", "bzip2")
        names = ["bzip2-small", "bzip2-small-operators", "bzip2-small-over-time"]
        names += ["bzip2-small-quantiles", "ranking"]
        self.assertEqual(sorted(file.stem for file in (self.folder / "svg").iterdir()), names)
        for name in names:
            data = (self.folder / "png" / f"{name}.png").read_bytes()
            self.assertEqual((data[:4], len(data) > 2000), (b"\x89PNG", True))
        drawing = (self.folder / "svg" / "bzip2-small.svg").read_text("utf-8")
        for interface in ("tbb", "thalweg"):
            self.assertIn(LOOKS[interface].color, drawing)

    def test_no_empty_plots(self) -> None:
        figures = dict(pictures(self.rows(), axis_named(self.rows(), "threads")))
        shown = {name: [ax for ax in figure.axes if ax.get_visible()] for name, figure in figures.items()}
        self.assertEqual(
            {name: len(axes) for name, axes in shown.items() if "bzip2" in name},
            {
                "bzip2, small": 5,
                "bzip2, small quantiles": 1,
                "bzip2, small operators": 1,
                "bzip2, small over time": 4,
            },
        )
        for axes in shown.values():
            self.assertTrue(all(ax.has_data() for ax in axes))
        self.assertEqual(len(shown["ferret, small quantiles"][0].containers), 4)
        self.assertEqual(
            list(shown["ferret, small"][0].get_xticks()), [2, 3]
        )  # One more than were asked for.


class Refuses(OverAStore):
    """What cannot be done is told, and leaves no page."""

    def refused(self, says: str, *more: str) -> None:
        """A command fails, and says why."""
        done = self.type(*more)
        self.assertEqual(done.exit_code, 1)
        self.assertIn(says, str(done.exception))

    def test_what_is_not_there(self) -> None:
        for says, more in (
            ("has no set nothing", ("nothing",)),
            ("there is no application primes in set 1 (first)", ("--app", "primes")),
            ("there is no interface omp in set 1 (first)", ("--ppi", "omp")),
            ("there is no benchmark program bzip2_threads in set 1 (first)", ("--bench", "bzip2_threads")),
            ("fits --bench, --app and --ppi together", ("--bench", "bzip2_tbb", "--app", "ferret")),
        ):
            with self.subTest(says):
                self.refused(says, *more)
        self.assertFalse(self.page.exists())

    def test_sets_without_numbers(self) -> None:
        self.keep("empty", [])
        self.refused("there are no runs in set 2 (empty)", "empty")
        self.keep("broken", [a_run(Setting(TBB, "small", 2), 1, 5, error="it broke")])
        self.refused("no run of 3 (broken) succeeded, so there is nothing to show: it broke")

    def test_no_store(self) -> None:
        self.file.unlink()
        self.refused("no results are kept in")

    def test_places_that_cannot_be_written(self) -> None:
        self.page = self.folder / "nowhere" / "report.html"
        self.refused("there is no folder")
        self.page = self.folder
        self.refused("is a folder")
        self.page = self.folder / "report.html"
        (self.folder / "file").write_text("", encoding="utf-8")
        for option in ("--png", "--csv", "--latex"):
            self.refused("cannot be made", option, str(self.folder / "file" / "a"))

    def test_an_older_page_is_kept_whole(self) -> None:
        self.page.write_text("older", encoding="utf-8")
        self.refused("has no set nothing", "nothing")
        self.assertEqual(self.page.read_text(encoding="utf-8"), "older")
        self.data()
        self.assertEqual({file.name for file in self.folder.glob("*report*")}, {"report.html"})
        self.assertEqual([file for file in self.folder.iterdir() if file.name.startswith(".")], [])


class Axes(unittest.TestCase):
    """What axes say, where names may have any signs, so that nothing is read as a formula."""

    def test_numbers_of_a_logarithmic_axis_are_plain(self) -> None:
        with mpl.rc_context({"text.parse_math": False}):
            ax = Figure().subplots()
            ax.set_yscale("log")
            ax.set_ylim(15, 160)
            write_plainly(ax.yaxis)
            said = [
                formatter(value)
                for formatter, values in (
                    (ax.yaxis.get_major_formatter(), ax.yaxis.get_majorticklocs()),
                    (ax.yaxis.get_minor_formatter(), ax.yaxis.get_minorticklocs()),
                )
                for value in values
            ]
        self.assertIn("100", said)
        self.assertIn("20", said)
        self.assertFalse([one for one in said if "$" in one])


class Looks(unittest.TestCase):
    """Interfaces can be told apart."""

    def test_an_interface_has_its_look_everywhere(self) -> None:
        self.assertEqual(looks_of(["tbb", "a"])["tbb"], looks_of(["tbb", "thalweg"])["tbb"])
        self.assertEqual(looks_of(["b", "a"]), {"a": OTHERS[0], "b": OTHERS[1]})

    def test_marks_and_colors_differ(self) -> None:
        looks = [*LOOKS.values(), *OTHERS]
        for name in ("color", "symbol", "marker"):
            self.assertEqual(len({getattr(look, name) for look in looks}), len(looks), name)


class InABrowser(OverAStore):
    """The page as a browser shows it."""

    def shown(self, *more: str) -> str:
        """The page as it is when its scripts have run."""
        self.data(*more)
        dom = self.dom(self.page)
        self.assertIn('data-ready="yes"', dom)
        return re.sub(r"<script.*?</script>", "", dom, flags=re.DOTALL)

    def dom(self, page: Path) -> str:
        """What a browser makes of a page."""
        browser = find_browser()
        if browser is None:
            self.skipTest(f"none of {', '.join(BROWSERS)} is on the PATH")
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,9000"]
        command += [f"--user-data-dir={self.folder / 'profile'}", "--virtual-time-budget=20000", "--dump-dom"]
        done = subprocess.run(
            [*command, page.as_uri()], capture_output=True, encoding="utf-8", timeout=120, check=True
        )
        return done.stdout

    def test_plots_are_drawn(self) -> None:
        shown = self.shown()
        plots = re.findall(r'class="[^"]*\bplotted\b[^"]*"', shown)
        # The ranking, two cases (one has no sequential program), their quantiles and operators, four series.
        self.assertEqual(len(plots), 1 + 7 + 5 + 2 + 2 + 4)
        self.assertTrue(all("js-plotly-plot" in one for one in plots), plots)
        parts = re.split(r'<section id="(\w+)"', shown)
        lines = {
            name: part.count('class="trace scatter')
            for name, part in zip(parts[1::2], parts[2::2], strict=True)
        }
        # Six metrics of four programs, one of them level, and bands of two traces; the other case has bars.
        self.assertEqual(lines["scaling"], 6 * (4 + 1) + 2 * 4 + 2 * 2)
        self.assertEqual(lines["operators"], 4 + 2)
        self.assertEqual(lines["quantiles"], 4 + 2)  # With two threads; with four the only program failed.
        self.assertEqual(lines["series"], 4 * 4)
        self.assertNotIn("sustainable", lines)
        self.assertIn("Throughput (elements a second), more is better", shown)
        self.assertIn("1 of 26 runs failed", shown)

    def test_nothing_in_a_name_is_run(self) -> None:
        evil = '"><img src=x onerror="document.documentElement.dataset.ran=1"></script><script>'
        evil += "document.documentElement.dataset.ran=1</script><b>%{y}</b>"
        other = Program(f"{evil}_1", f"{evil}_2", f"{evil}_3", f"{evil}_4", missing="")
        setting = Setting(other, f"{evil}_5", 2, freq_pattern=f"{evil}_6", user_args=(evil,))
        runs = [a_run(setting, 1, 5), a_run(replace(setting, nthreads=4), 1, 5, error=evil)]
        runs.append(a_run(replace(setting, program=replace(other, interface="tbb")), 1, 6))
        for run in runs:
            run.result["operators"][0]["name"] = evil
            run.result["samples"][0][evil] = 5
        here = replace(HERE, cpu=evil, governor=evil, libraries={evil: evil}, environment={"A": evil})
        self.keep(evil, runs, here)
        shown = self.shown(evil)
        self.assertNotIn("data-ran", shown)
        self.assertNotRegex(shown, r"<img[^>]* src=\"?x")
        self.assertIn("&lt;img src=x onerror=", shown)  # It is shown as it is, in plots, too.
        parts = re.split(r'<section id="(\w+)"', shown)
        operators = dict(zip(parts[1::2], parts[2::2], strict=True))["operators"]
        ticks = re.findall(r'<g class="ytick">.*?</text>', operators, re.DOTALL)
        ticks = [re.sub(r'="[^"]*"', "", tick) for tick in ticks]  # Plotly keeps what it was given there.
        self.assertTrue(any("&lt;b&gt;%{y}&lt;/b&gt;" in tick for tick in ticks), ticks)

    def test_every_choice_can_be_made(self) -> None:
        self.keep("second", [a_run(Setting(one, "small", 2, batch=8), 1, 5) for one in (TBB, OURS)])
        self.data("first", "second")
        tries = """<script>
          addEventListener("error", ({ message }) => { document.documentElement.dataset.failed = message; });
          const choices = () => document.querySelectorAll("select");
          let tried = 0;
          for (let at = 0; at < choices().length; ++at)
            for (let option = 0; option < choices()[at].options.length; ++option, ++tried) {
              choices()[at].selectedIndex = option;
              choices()[at].dispatchEvent(new Event("change"));
            }
          for (const one of document.querySelectorAll("button")) one.click();
          document.documentElement.dataset.tried = tried;
        </script></body>"""
        page = self.page.read_text(encoding="utf-8")
        self.page.write_text(tries.join(page.rsplit("</body>", 1)), encoding="utf-8")
        dom = self.dom(self.page)
        self.assertNotIn("data-failed", dom)
        tried = re.search(r'data-tried="(\d+)"', dom)
        assert tried is not None
        self.assertGreater(int(tried[1]), 30)
        self.assertIn("<small>± ", dom)  # Means were chosen last.

    def test_it_fits_a_narrow_window(self) -> None:
        self.data()
        inner, outer = self.folder / "inner.html", self.folder / "outer.html"
        tells = "<script>parent.postMessage([document.documentElement.scrollWidth, innerWidth, "
        tells += "...[...document.querySelectorAll('.plotted')].map((one) => one.scrollWidth)], '*')"
        tells += "</script></body>"
        page = self.page.read_text(encoding="utf-8")
        inner.write_text(tells.join(page.rsplit("</body>", 1)), encoding="utf-8")
        outer.write_text(
            f'<iframe src="{inner.name}" width=420 height=9000></iframe><p id="told"></p>'
            "<script>onmessage = ({ data }) => { document.getElementById('told').append(data); }</script>",
            encoding="utf-8",
        )
        found = re.search(r'<p id="told">([\d,]+)</p>', self.dom(outer))
        assert found is not None
        wide, room, *plots = map(int, found[1].split(","))
        self.assertEqual(room, 420)
        self.assertLessEqual(wide, room)
        self.assertLessEqual(max(plots), wide)

    def test_curves_are_drawn(self) -> None:
        self.keep_a_search("searched")
        shown = self.shown("searched")
        parts = re.split(r'<section id="(\w+)"', shown)
        inside = dict(zip(parts[1::2], parts[2::2], strict=True))
        self.assertEqual(inside["sustainable"].count('class="trace scatter'), 1)
        self.assertEqual(inside["sustainable"].count('class="point"'), 3)
        self.assertIn('<td class="number">66.67</td>', inside["sustainable"])  # per cent
        self.assertIn("ferret, small, at its sustainable rate", inside["scaling"])
        self.assertNotIn("30 /s", inside["scaling"])
