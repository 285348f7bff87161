"""`adapt-study`: what is run, in which order, what the program is told, and what is made of what it says."""

import json
import os
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from browser import BROWSERS, a_page, find_browser
from report_test import data_in
from thalweg_cli.adapt_study import command, running
from thalweg_cli.adapt_study.command import chosen_planners
from thalweg_cli.adapt_study.observed import Change, Loop, MadeChange, read
from thalweg_cli.adapt_study.running import PROGRAM, Bench
from thalweg_cli.adapt_study.scenarios import ASKED_FOR, SAYS, Phase, Scale, chosen, scenario
from thalweg_cli.adapt_study.ways import Asked, Way, all_ways, ways_of
from thalweg_cli.app import app
from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.terminal import Failed
from typer.testing import CliRunner, Result

BROWSER = find_browser()
BUILT = build_folder("release") / "micro" / PROGRAM

TOLD = {
    "elapsed": 1.0,
    "began": 0.0,
    "cpu_seconds": 0.5,
    "items": 20,
    "missing": 0,
    "late": 3,
    "p50_ms": 1,
    "p99_ms": 9,
    "max_ms": 9,
    "window": 0.5,
    "due": [10, 10],
    "done": [8, 12],
    "late_by_window": [0, 3],
    "p99_by_window": [2, None],
    "gap_by_window": [40, 70],
}
DECISION = {
    "at_ns": 250_000_000,
    "planner": "up",
    "what": "work: 1 to 2",
    "reason": "a <b>",
    "measured": 16.0,
}


def sample(at: float, *, replicas: int, final: bool = False, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """A line of samples."""
    stages = [
        {"name": name, "replicas": replicas if name == "work" else 1} for name in ("load", "work", "done")
    ]
    line = {"time_ns": int(at * 1e9), "final": final, "cores_used": 0.5, "stages": stages, "resizes": []}
    return line | {"decisions": []} | more


RESIZES = [
    {"at_ns": 250_000_000, "stage": "work", "from": 1, "to": 2},
    {"at_ns": 300_000_000, "stage": "other", "from": 1, "to": 9},
]
ADAPTED = [
    sample(0.5, replicas=2, resizes=RESIZES, decisions=[DECISION]),
    sample(1.0, replicas=2, final=True, decisions=[DECISION | {"reached": 24.0}]),
]
FIXED = [sample(0.5, replicas=3), sample(1.0, replicas=3, final=True)]

PRETENDS = """#!/bin/bash
[ "$1" = --planners ] && { echo up; echo down; exit; }
adapt= said="$*"
while [ $# -gt 0 ]; do case $1 in --monitor) samples=$2 ;; --adapt) adapt=$2 ;; esac; shift; done
echo "$adapt|$THALWEG_ADAPT$THALWEG_MONITOR|$said" >>"$(dirname "$0")/told"
[ -e "$(dirname "$0")/fails" ] && { echo "thalweg_micro_adapt: it is tired" >&2; exit 2; }
[ -z "$adapt" ] && cp "$(dirname "$0")/fixed" "$samples" || cp "$(dirname "$0")/adapted" "$samples"
cat "$(dirname "$0")/printed"
"""


def lines(samples: list[dict[str, Any]]) -> str:
    """As a file has them."""
    return "".join(json.dumps(one) + "\n" for one in samples)


class Command(unittest.TestCase):
    """A program that only pretends."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.program = self.folder / PROGRAM
        self.program.write_text(PRETENDS, encoding="utf-8")
        self.program.chmod(0o755)
        for name, text in (
            ("fixed", lines(FIXED)),
            ("adapted", lines(ADAPTED)),
            ("printed", json.dumps(TOLD)),
        ):
            (self.folder / name).write_text(text, encoding="utf-8")
        patched = mock.patch.object(command, "program", return_value=self.program)
        patched.start()
        self.addCleanup(patched.stop)
        self.page = self.folder / "sub" / "page.html"

    def type(self, *options: str) -> Result:
        """Runs the command."""
        return CliRunner().invoke(app, ["adapt-study", "--output", str(self.page), *options])

    def told(self) -> list[tuple[str, str, str]]:
        """How it is to adapt itself, what it has found in its environment, and all arguments, run by run."""
        file = self.folder / "told"
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        return [tuple(line.split("|")) for line in text.splitlines()]  # type: ignore[misc]

    def refused(self, says: str, *options: str) -> None:
        """The command fails before anything runs, and says why."""
        done = self.type(*options)
        self.assertIsInstance(done.exception, Failed)
        self.assertIn(says, str(done.exception))
        self.assertEqual(self.told(), [])

    def test_all_ways_take_turns(self) -> None:
        done = self.type("step", "lock", "--most", "2", "--repeat", "2", "--planner", "up")
        self.assertEqual(done.exit_code, 0, done.output)
        texts = [text for text, _, _ in self.told()]
        up = "planner=up goal=keep_up every=100ms most=2"
        self.assertEqual(texts, ["", "", up] * 4)
        replicas = [re.findall(r"--replicas (\d+)", words)[0] for _, _, words in self.told()]
        self.assertEqual(replicas, ["1", "2", "1"] * 4)
        locked = ["--locked-us" in words for _, _, words in self.told()]
        self.assertEqual(locked, ([False] * 3 + [True] * 3) * 2)

    def test_nothing_of_the_users_environment_counts(self) -> None:
        with mock.patch.dict(os.environ, {"THALWEG_ADAPT": "planner=x", "THALWEG_MONITOR": "/x"}):
            self.type("step", "--most", "1", "--repeat", "1", "--planner", "none")
        self.assertEqual([told[:2] for told in self.told()], [("", "")])

    def test_all_planners_without_a_name(self) -> None:
        self.type("step", "--quick", "--goal", "latency:0.9:5ms", "--adapt-every", "20ms")
        texts = [text for text, _, _ in self.told()]
        ends = "goal=latency:0.9:5ms every=20ms most=2"
        self.assertEqual(texts, ["", "", f"planner=up {ends}", f"planner=down {ends}"])

    def test_the_table(self) -> None:
        done = self.type("step", "--most", "1", "--repeat", "1", "--planner", "up")
        for text in ("step: a load that steps up", "1 replica", "up", "15", "processor", "settling", "40"):
            self.assertIn(text, done.output)

    def test_json(self) -> None:
        file = self.folder / "all.json"
        self.type("step", "--most", "1", "--repeat", "2", "--planner", "up", "--json", str(file))
        (one,) = json.loads(file.read_text(encoding="utf-8"))["scenarios"]
        self.assertEqual(one["scenario"]["name"], "step")
        self.assertEqual({name: len(runs) for name, runs in one["runs"].items()}, {"1 replica": 2, "up": 2})
        self.assertEqual(one["runs"]["up"][0]["changes"], [{"at": 0.25, "replicas": 2}])
        self.assertEqual([row["name"] for row in one["rows"]], ["1 replica", "up"])

    def test_the_page(self) -> None:
        self.type("step", "wave", "--most", "2", "--repeat", "1", "--planner", "up")
        data = data_in(self.page.read_text(encoding="utf-8"))
        self.assertEqual([one["name"] for one in data["scenarios"]], ["step", "wave"])
        ways = {one["name"]: one for one in data["scenarios"][0]["ways"]}
        self.assertEqual(list(ways), ["1 replica", "2 replicas", "up"])
        series = ways["up"]["series"]
        self.assertEqual(series["replicas"], [1, 2, 2])
        self.assertEqual(series["changed"], [0, 0.25, 1])
        self.assertEqual((series["due"], series["done"], series["p99"]), ([20, 20], [16, 24], [2, None]))
        self.assertEqual([bool(way["series"]) for way in ways.values()], [True, False, True])
        self.assertEqual(ways["up"]["decisions"], [["0.25", "work: 1 to 2", "a <b>", "16", "-", "24"]])

    def test_the_page_of_batches_and_changes(self) -> None:
        told = TOLD | {
            "script": [{"at": 0.5, "replicas": 2, "call_ms": 0.25, "first_ms": 1.5}],
            "loop": {"all": 0.01, "planning": 0.002, "changing": 0.001},
        }
        (self.folder / "printed").write_text(json.dumps(told), encoding="utf-8")
        self.type("batches", "change", "--most", "1", "--repeat", "1", "--planner", "up")
        batches, change = data_in(self.page.read_text(encoding="utf-8"))["scenarios"]
        self.assertEqual(batches["parts"]["parts"], ["neither", "batches", "replicas", "both"])
        self.assertEqual(batches["parts"]["late"], [[15]] * 4)
        self.assertEqual([way["dash"] for way in batches["ways"][-4:]], ["solid", "dash", "dashdot", "dot"])
        loop = next(table for table in batches["tables"] if "loop" in table["title"])
        self.assertEqual(loop["rows"][-1], ["up, neither", "1", "0.2", "0.1"])
        self.assertEqual([way["name"] for way in change["ways"]], ["threads", "pool:4"])
        self.assertTrue(all(way["series"] for way in change["ways"]))
        self.assertEqual((change["parts"], change["front"]), (None, []))
        costs = change["tables"][0]["rows"]
        self.assertEqual(
            [row[:2] for row in costs],
            [
                ["threads: one fewer", "1"],
                ["pool:4: one fewer", "1"],
            ],
        )

    @unittest.skipIf(BROWSER is None, f"none of {', '.join(BROWSERS)} is on the PATH")
    def test_the_page_in_a_browser(self) -> None:
        self.type("step", "--most", "2", "--repeat", "1", "--planner", "up")
        with a_page(str(BROWSER)) as page:
            page.open(self.page.as_uri())
            self.assertEqual(page.tells("document.documentElement.dataset.ready"), "yes")
            self.assertEqual(page.tells("document.querySelectorAll('#step .plotted').length"), 5)
            page.tells("dispatchEvent(new Event('beforeprint'))")
            self.assertEqual(page.tells("document.querySelectorAll('.js-plotly-plot').length"), 5)
            self.assertEqual(
                page.tells("document.querySelector('details td:nth-child(3)').textContent"), "a <b>"
            )
            self.assertEqual(page.tells("document.querySelectorAll('#step tbody th').length"), 3)
            # A click hides a way in all plots over time.
            shown = "document.querySelectorAll('#step .plots .plotted')[2].data.length"
            before = page.tells(shown)
            page.tells("document.querySelector('#step .legend button').click()")
            self.assertEqual(page.tells(shown), before - 1)
            page.tells("document.querySelector('#step .legend button').click()")
            self.assertEqual(page.tells(shown), before)
            self.assertEqual(page.errors, [])

    def test_a_run_that_fails_is_named(self) -> None:
        (self.folder / "fails").touch()
        done = self.type("step", "--quick", "--planner", "up")
        self.assertIsInstance(done.exception, Failed)
        self.assertIn("step, 1 replica: it is tired", str(done.exception))

    def test_mistakes(self) -> None:
        self.refused("there is no scenario steps", "steps")
        self.refused("the scenario trace needs a file", "trace")
        self.refused("--policy and --ranks exclude each other", "step", "--policy", "pool", "--ranks", "2")
        self.refused("there is no planner left", "step", "--planner", "left")
        self.refused("--planner 'a b': it must be a word", "step", "--planner", "a b")
        self.refused("--goal 'a b': it must be a word", "step", "--goal", "a b")

    def test_list(self) -> None:
        done = self.type("--list")
        self.assertEqual([line.split()[0] for line in done.output.splitlines()], list(SAYS))


class Parts(unittest.TestCase):
    """Scenarios, ways, and what is read."""

    def test_scenarios(self) -> None:
        scale = Scale(12, 2000)
        step = scenario("step", scale)
        self.assertEqual((step.rate, step.options), ("steps,4,300,8,2100", ("--wait-us", "2000")))
        self.assertEqual(step.phases, (Phase(0, 4), Phase(4, 12)))
        self.assertEqual(scenario("wave", scale).rate, "wave,6,300,2100")
        self.assertEqual(scenario("spike", scale).rate, "spike,4,300,2100,20")
        binary = scenario("binary", scale)
        self.assertEqual(binary.phases, (Phase(0, 3), Phase(3, 6), Phase(6, 9), Phase(9, 12)))
        self.assertEqual(scenario("constant", scale).rate, "1200")
        self.assertEqual(scenario("lock", scale).options, ("--locked-us", "2000"))

    def test_all_scenarios(self) -> None:
        scale, traces = Scale(1, 1000), {"trace": Path("/a,b")}
        without_files = [name for name in SAYS if name not in ASKED_FOR]
        self.assertEqual([one.name for one in chosen([], scale, {})], without_files)
        self.assertEqual([one.name for one in chosen([], scale, traces)], [*without_files, "trace"])
        self.assertEqual([one.rate for one in chosen(["trace"], scale, traces)], ["trace,/a,b"])
        self.assertEqual(len(chosen(["step", "step"], scale, {})), 1)

    def test_batches(self) -> None:
        """In the first interval a call takes longer than it lasts, with the most items that come in it."""
        one = scenario("batches", Scale(12, 2000))
        self.assertEqual(one.intervals, ("5", "10", "20"))
        self.assertEqual(
            one.options, ("--call-us", "6000", "--wait-us", "250", "--batch-ms", "5"), "6 ms, every 5 ms"
        )
        ways = ways_of(one, 2, ["up"], "")
        self.assertEqual(
            [way.name for way in ways],
            [
                *("1 replica, 5 ms", "1 replica, 10 ms", "1 replica, 20 ms"),
                *("2 replicas, 5 ms", "2 replicas, 10 ms", "2 replicas, 20 ms"),
                *("up", "up, replicas alone", "up, batches alone", "up, neither"),
            ],
        )
        self.assertEqual(ways[2].options, ("--batch-ms", "20"))
        self.assertEqual(max(way.replicas for way in ways_of(one, 8, [], "")), 3)
        self.assertEqual(
            [way.options for way in ways[6:]],
            [("--may", part) for part in ("both", "replicas", "batches", "neither")],
        )

    def test_changes_at_known_times(self) -> None:
        """One more and one fewer, every second or four times; in the end nothing changes any more."""
        self.assertEqual(Scale(4, 2000).changes, "1:3,2:2,3:3")
        self.assertEqual(Scale(1, 2000).changes, "0.25:3,0.5:2,0.75:3")
        one = scenario("change", Scale(1, 2000))
        self.assertEqual(
            [way.name for way in ways_of(one, 8, ["up"], "")],
            [
                "threads",
                "pool:4",
            ],
        )
        (way,) = ways_of(one, 8, ["up"], "mpi")
        self.assertEqual((way.replicas, way.options), (2, ("--policy", "mpi")))

    def test_what_a_way_says_counts(self) -> None:
        """Over what the scenario says, and over what all runs have."""
        bench = Bench(Path("/p"), "pool", Asked(4), 50)
        command = bench.command(scenario("batches", Scale(12, 2000)), Way(2, options=("--batch-ms", "20")))
        self.assertEqual(command.count("--batch-ms"), 1)
        self.assertEqual(command[command.index("--batch-ms") + 1], "20")
        command = bench.command(scenario("change", Scale(1, 2000)), Way(options=("--policy", "threads")))
        self.assertEqual(command[command.index("--policy") + 1], "threads")
        self.assertNotIn("--adapt", command)

    def test_ranks_are_started_by_a_launcher(self) -> None:
        bench = Bench(Path("/p"), "mpi", Asked(4), 50, ranks=3)
        with mock.patch.object(running, "launched", return_value=["mpirun", "-n", "3"]) as launched:
            command = bench.command(scenario("step", Scale(1, 2000)), Way(planner="up"))
        launched.assert_called_once_with(3)
        self.assertEqual(command[:4], ["mpirun", "-n", "3", "/p"])
        self.assertIn("planner=up goal=keep_up every=100ms most=4", command)

    def test_ways(self) -> None:
        self.assertEqual([one.name for one in all_ways(2, ["a", "a"])], ["1 replica", "2 replicas", "a"])
        asked = Asked(4, "throughput", "1s")
        self.assertEqual(Way(3).text(asked), "")
        self.assertEqual(Way(planner="a:b=c").text(asked), "planner=a:b=c goal=throughput every=1s most=4")

    def test_planners(self) -> None:
        self.assertEqual(chosen_planners([], ["a", "b"]), ["a", "b"])
        self.assertEqual(chosen_planners(["none"], ["a"]), [])
        self.assertEqual(chosen_planners(["a:unix=/x"], ["a", "b:c"]), ["a:unix=/x"])
        self.assertRaisesRegex(Failed, "no planner d", chosen_planners, ["d"], ["a"])

    def test_a_run_that_adapted_itself(self) -> None:
        found = read(json.dumps(TOLD), lines(ADAPTED).splitlines())
        self.assertEqual((found.began, found.changes), (1, [Change(0.25, 2)]))
        self.assertEqual((found.items, found.items_late, found.p99_ms), (20, 3, 9))
        self.assertEqual((found.per_processor_second, found.throughput), (40, 20))
        self.assertEqual([one["reached"] for one in found.decisions], [24.0])
        self.assertEqual(found.gap_at_changes, 70)
        self.assertEqual(found.cores, [(0.5, 0.5), (1.0, 0.5)])

    def test_times_count_from_the_beginning_of_the_load(self) -> None:
        found = read(json.dumps(TOLD | {"began": 0.125}), lines(ADAPTED).splitlines())
        self.assertEqual(found.changes, [Change(0.125, 2)])
        self.assertEqual([at for at, _ in found.cores], [0.375, 0.875])
        self.assertEqual(found.decisions[0]["at_ns"], 125_000_000)

    def test_costs_and_batches_of_a_run(self) -> None:
        changed = {"at_ns": 250_000_000, "from": {"interval_ns": 5e6}, "to": {"interval_ns": 2e7}}
        told = TOLD | {
            "script": [{"at": 0.3, "replicas": 2, "call_ms": 0.5, "first_ms": None}],
            "loop": {"all": 0.01, "planning": 0.002, "changing": 0.001},
        }
        samples = [ADAPTED[0] | {"batch_changes": [changed]}, ADAPTED[1]]
        found = read(json.dumps(told), lines(samples).splitlines())
        self.assertEqual(found.script, [MadeChange(0.3, 2, 0.5, None)])
        self.assertEqual(found.loop, Loop(0.01, 0.002, 0.001))
        self.assertEqual(found.batches, [(0, 5), (0.25, 20)])
        one = sample(1.0, replicas=1)
        one["stages"][0]["batch"] = {"interval_ns": 5e6}
        self.assertEqual(read(json.dumps(TOLD), lines([one]).splitlines()).batches, [(0, 5)])
        self.assertEqual(read(json.dumps(TOLD), lines(FIXED).splitlines()).batches, [])

    def test_a_run_that_did_not(self) -> None:
        found = read(json.dumps(TOLD), lines(FIXED).splitlines())
        self.assertEqual((found.began, found.changes, found.decisions), (3, [], []))

    def test_what_is_no_run(self) -> None:
        for printed, samples in (
            ("", FIXED),
            ("{}", FIXED),
            (json.dumps(TOLD), []),
            (json.dumps(TOLD), [{}]),
        ):
            with self.subTest(printed=printed, samples=samples), self.assertRaises(Failed):
                read(printed, lines(samples).splitlines())  # type: ignore[arg-type]


@unittest.skipUnless(BUILT.exists(), f"{PROGRAM} is not built")
class WithTheProgram(unittest.TestCase):
    """A short study."""

    def test_quick(self) -> None:
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(command, "program", return_value=BUILT),
        ):
            file = Path(folder) / "all.json"
            options = ["--quick", "--seconds", "0.5", "--output", f"{folder}/page.html", "--json", str(file)]
            done = CliRunner().invoke(
                app, ["adapt-study", "step", "compute", "--planner", "thalweg", *options]
            )
            self.assertEqual(done.exit_code, 0, done.output)
            step, compute = json.loads(file.read_text(encoding="utf-8"))["scenarios"]
        for one in (step, compute):
            self.assertEqual(list(one["runs"]), ["1 replica", "2 replicas", "thalweg"])
            due = [sum(run["due"]) for runs in one["runs"].values() for run in runs]
            self.assertEqual(len(set(due)), 1)
            self.assertGreater(due[0], 50)
        began = [run["began"] for runs in step["runs"].values() for run in runs]
        self.assertEqual(began, [1, 2, 1])
        (adapted,) = step["runs"]["thalweg"]
        self.assertTrue(all(change["replicas"] <= 2 for change in adapted["changes"]))
        self.assertTrue(all(one["planner"] == "thalweg" for one in adapted["decisions"]))


if __name__ == "__main__":
    unittest.main()
