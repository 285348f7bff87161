"""Samples of a run of the past: how they are read, what is wrong with them, and where the page lands."""

import json
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from thalweg_cli.app import app
from thalweg_cli.base.npm import NoPackages
from thalweg_cli.base.terminal import Failed
from thalweg_cli.base.web_parts import WEB
from thalweg_cli.watch import view
from thalweg_cli.watch.sample_file import read_state
from thalweg_cli.watch.saved_page import APART, MARK, saved_page
from thalweg_cli.watch.thin import MOST, merged, quantile, thinned
from typer.testing import CliRunner

Json = dict[str, Any]

GRAPH: Json = {
    "title": "a run",
    "stages": [
        {"name": "read", "kind": "source", "inputs": []},
        {"name": "write", "kind": "sink", "inputs": [0]},
    ],
}
PARTS = {
    "index.html": '<meta charset="utf-8">\n<link rel="stylesheet" href="assets/look.css">\n'
    '<script type="module" src="assets/main.js"></script>\n<img src="assets/icon.svg">\n',
    "saved.html": f"{MARK}\n<policy>\n",
    "unpack.js": "unpack();\n",
    "look.css": "body { color: red; }",
    "icon.svg": "<svg/>",
    "main.js": 'import { one } from "./vendor/one.js";\none();\n',
    "vendor/one.js": 'import { two } from "../two.js";\nexport const one = two;\n'
    "//# sourceMappingURL=one.js.map\n",
    "two.js": "export const two = () => {};",
}


def stage(name: str, items: tuple[int, int], **more: object) -> Json:
    """One stage of a line."""
    counts = dict.fromkeys(("errors", "retries", "skipped", "dead_lettered", "dropped"), 0)
    waits = {"waited_for_input_ns": 0, "waited_for_output_ns": 0}
    told = {"name": name, "replicas": 2, "items_in": items[0], "items_out": items[1], "busy_ns": 0}
    return told | counts | waits | more


def line(seconds: float, items: int, *, final: bool = False, **more: object) -> Json:
    """One sample, as a run writes it."""
    return {
        "time_ns": round(1e9 * seconds),
        "final": final,
        "items": items,
        "throughput": 1.0,
        "paused_ns": 0,
        "stages": [stage("read", (0, items)), stage("write", (items, 0))],
    } | more


class ViewTest(unittest.TestCase):
    """Each test has a folder."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.folder / "run.jsonl"

    def wrote(self, *lines: Json) -> Path:
        """A file of samples; the first one has the graph."""
        told = [lines[0] | {"graph": GRAPH}, *lines[1:]] if lines else []
        self.file.write_text("".join(json.dumps(one) + "\n" for one in told), encoding="utf-8")
        return self.file


class Reading(ViewTest):
    """What becomes of the lines."""

    def test_rates_and_shares_are_those_of_the_window(self) -> None:
        first = line(1, 10)
        second = line(3, 50, final=True)
        second["stages"][1] |= {"waited_for_input_ns": 1_000_000_000, "parallelism": 0.5}
        second["stages"][1] |= {"service_ns_per_item": 7.0, "busy_ns": 9, "occupancy": 1.5, "capacity": 4}
        state = read_state(self.wrote(first, second))
        self.assertEqual(state["graph"]["title"], "a run")
        before, after = state["history"]
        self.assertEqual((before["window_ns"], after["window_ns"]), (10**9, 2 * 10**9))
        self.assertEqual((before["done"], after["done"]), (False, True))
        self.assertEqual([one["rate"] for one in after["stages"]], [20, 20])
        its = after["stages"][1]
        self.assertEqual((its["wait_in"], its["busy"], its["service_ns"]), (0.25, 0.5, 7.0))
        self.assertEqual(its["occupancy"], 1.5)

    def test_what_was_not_measured_is_left_out(self) -> None:
        its = read_state(self.wrote(line(1, 10)))["history"][0]["stages"][0]
        for name in ("wait_in", "wait_out", "busy", "service_ns", "occupancy", "batch"):
            self.assertNotIn(name, its)

    def test_a_stage_that_rests_is_not_busy(self) -> None:
        second = line(2, 10)
        second["stages"][0]["busy_ns"] = 5
        self.assertEqual(read_state(self.wrote(line(1, 10), second))["history"][1]["stages"][0]["busy"], 0)

    def test_what_closes_a_batch_and_its_changes(self) -> None:
        limits, change = {"items": 64}, {"at_ns": 1, "stage": "b", "from": {"items": 2}, "to": {"items": 64}}
        second = line(2, 20, batch_changes=[change])
        second["stages"][1]["batch"] = limits
        before, after = read_state(self.wrote(line(1, 10), second))["history"]
        self.assertEqual(after["stages"][1]["batch"], limits)
        self.assertEqual((before["batch_changes"], after["batch_changes"]), ([], [change]))

    def test_pauses(self) -> None:
        state = read_state(self.wrote(line(1, 10), line(2, 10, paused_ns=8 * 10**8), line(3, 10)))
        self.assertEqual([one["paused"] for one in state["history"]], [False, True, False])

    def test_what_each_replica_did_is_kept(self) -> None:
        shares = {"by": "replica", "number": [0, 1], "items": [7, 3], "busy_ns": [70, 30]}
        second = line(2, 20)
        second["stages"][1]["shares"] = shares
        before, after = read_state(self.wrote(line(1, 10), second))["history"]
        self.assertNotIn("shares", before["stages"][1])
        self.assertEqual(after["stages"][1]["shares"], shares)
        self.assertEqual(merged([before, after])["stages"][1]["shares"], shares)

    def test_a_graph_that_grows(self) -> None:
        more = {"name": "tap", "kind": "sink", "inputs": [0]}
        second = line(2, 20, graph=GRAPH | {"stages": [*GRAPH["stages"], more]})
        second["stages"].append(stage("tap", (5, 0)))
        state = read_state(self.wrote(line(1, 10), second))
        self.assertEqual(len(state["graph"]["stages"]), 3)
        self.assertEqual(state["history"][1]["stages"][2]["rate"], 5)


class Wrong(ViewTest):
    """Files that cannot be shown: the line is named, and the exit code is 2."""

    def refused(self, expected: str) -> None:
        """The command says what is wrong."""
        with self.assertRaises(Failed) as caught:
            CliRunner().invoke(app, ["view", str(self.file), "--no-open"], catch_exceptions=False)
        self.assertIn(expected, caught.exception.what)
        self.assertEqual(caught.exception.code, 2)
        self.assertFalse((self.folder / "run.html").exists())

    def test_missing(self) -> None:
        self.refused(f"{self.file} cannot be read: No such file")

    def test_empty(self) -> None:
        self.wrote()
        self.refused(f"{self.file}: it is empty")

    def test_cut_off(self) -> None:
        text = self.wrote(line(1, 10), line(2, 20)).read_text(encoding="utf-8")
        self.file.write_text(text[:-30], encoding="utf-8")
        self.refused(f"{self.file}: line 2: the file is cut off within this line")

    def test_no_json(self) -> None:
        self.wrote(line(1, 10))
        with self.file.open("ab") as more:
            more.write(b"\xff\xfe\n{}\n")
        self.refused(f"{self.file}: line 2: it is no JSON")

    def test_other_json(self) -> None:
        for text, why in {
            "[1]": "it is no sample of a run",
            "{}": "it has no 'time_ns'",
            json.dumps(line(2, 20, stages=[{}])): "a stage has no 'items_in'",
            json.dumps(line(2, 20, stages=7)): "it is no sample of a run",
            json.dumps(line(2, 20, time_ns="x")): "it is no sample of a run",
        }.items():
            with self.subTest(text):
                self.wrote(line(1, 10))
                with self.file.open("a", encoding="utf-8") as more:
                    more.write(text + "\n")
                self.refused(f"{self.file}: line 2: ")
                self.refused(why)

    def test_without_a_graph(self) -> None:
        self.file.write_text(json.dumps(line(1, 10)) + "\n", encoding="utf-8")
        self.refused("line 1: the graph of the run is not in it: an earlier Thalweg wrote this file")

    def test_stages_of_another_graph(self) -> None:
        second = line(2, 20)
        second["stages"].pop()
        self.wrote(line(1, 10), second)
        self.refused("line 2: its stages are not those of the graph")

    def test_two_runs(self) -> None:
        for lines in ((line(2, 10), line(1, 5)), (line(1, 10, final=True), line(2, 20))):
            self.wrote(*lines)
            self.refused("line 2: another run begins here")


class Written(ViewTest):
    """The page, and where it is."""

    def setUp(self) -> None:
        super().setUp()
        self.parts = {}
        for name, text in PARTS.items():
            self.parts[name] = self.folder / "parts" / name
            self.parts[name].parent.mkdir(parents=True, exist_ok=True)
            self.parts[name].write_text(text, encoding="utf-8")
        self.enterContext(mock.patch.object(view, "parts", return_value=self.parts))
        self.opened = self.enterContext(mock.patch.object(view.webbrowser, "open"))
        self.enterContext(mock.patch.dict(os.environ, {"DISPLAY": ":0"}))
        self.page = self.folder / "run.html"

    def view(self, *arguments: str) -> str:
        """What the command says."""
        done = CliRunner().invoke(app, ["view", str(self.file), *arguments], catch_exceptions=False)
        self.assertEqual(done.exit_code, 0)
        return done.output

    def test_beside_the_file_and_in_the_browser(self) -> None:
        self.wrote(line(1, 10, final=True))
        self.assertEqual(self.view(), f"wrote {self.page}\n")
        self.opened.assert_called_once_with(self.page.as_uri())
        self.view()  # over the one that it has written
        self.assertEqual(self.opened.call_count, 2)

    def test_without_a_screen_nothing_is_opened(self) -> None:
        self.wrote(line(1, 10, final=True))
        with mock.patch.dict(os.environ, {"DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": ""}):
            self.view()
        self.opened.assert_not_called()

    def test_somewhere_else(self) -> None:
        self.wrote(line(1, 10, final=True))
        self.view("-o", str(self.folder / "page.html"), "--no-open")
        self.assertIn(MARK, (self.folder / "page.html").read_text(encoding="utf-8"))
        self.assertFalse(self.page.exists())
        self.opened.assert_not_called()

    def test_nothing_of_others_is_replaced(self) -> None:
        self.wrote(line(1, 10, final=True))
        self.page.write_text("mine", encoding="utf-8")
        with self.assertRaisesRegex(Failed, "is there, and no page of this command"):
            self.view()
        with self.assertRaisesRegex(Failed, "has the samples"):
            self.view("-o", str(self.file))
        self.assertEqual(self.page.read_text(encoding="utf-8"), "mine")

    def test_a_run_without_its_end(self) -> None:
        self.wrote(line(1, 10))
        self.assertIn("the samples have no end", self.view("--no-open"))

    def test_without_the_parts_of_the_page(self) -> None:
        self.wrote(line(1, 10))
        with (
            mock.patch.object(view, "parts", side_effect=NoPackages("there is no npm")),
            self.assertRaisesRegex(Failed, "there is no npm"),
        ):
            self.view()

    def test_all_of_it_is_inside(self) -> None:
        page = saved_page(self.parts, {"graph": {"title": "</script><!--"}, "history": []})
        self.assertNotIn(' href="assets/', page)
        self.assertNotIn(' src="assets/', page)
        self.assertIn('<meta charset="utf-8">\n' + PARTS["saved.html"], page)
        self.assertNotIn("</script><!--", page)
        self.assertIn('\\u003c/script>\\u003c!--"', page)
        self.assertIn("<script>\nunpack();\n</script>", page)
        parts = json.loads(page.split('id="parts">')[1].split("</script>")[0])
        self.assertEqual(parts, {name: PARTS[name] for name in sorted(PARTS) if name not in APART})

    def test_the_mark_is_that_of_the_page(self) -> None:
        self.assertTrue((WEB / "live" / "saved.html").read_text(encoding="utf-8").startswith(f"{MARK}\n"))


class Thin(unittest.TestCase):
    """Samples of long runs."""

    def sample(self, number: int, **more: object) -> Json:
        """One of many."""
        base = {"time_ns": number, "window_ns": 1, "done": False, "paused": False, "throughput": number}
        return base | {"items": number, "resizes": [], "notes": [], "stages": [{"rate": number}]} | more

    def test_few_stay_as_they_are(self) -> None:
        state = {"graph": {"stages": [{}]}, "history": [self.sample(number) for number in range(MOST)]}
        self.assertIs(thinned(state), state)

    def test_many_become_so_many_at_most(self) -> None:
        state = {
            "graph": {"stages": [{}]},
            "history": [self.sample(number) for number in range(2 * MOST + 1)],
        }
        history = thinned(state)["history"]
        self.assertLessEqual(len(history), MOST)
        self.assertEqual(history[-1]["items"], 2 * MOST)
        self.assertEqual(sum(one["window_ns"] for one in history), 2 * MOST + 1)

    def test_neighbours_become_one(self) -> None:
        fast = {"count": 3, "p50": 10, "p90": 10, "p99": 10, "max": 10, "buckets": [[10, 3]]}
        slow = {"count": 1, "p50": 90, "p90": 90, "p99": 90, "max": 95, "buckets": [[99, 1]]}
        limit = {"stage": "a", "reason": "sink", "advice": "..."}
        one = merged(
            [
                self.sample(10, latency_ns=fast, bottleneck=limit, resizes=[{"at_ns": 1}], window_ns=3),
                self.sample(20, latency_ns=slow, bottleneck=limit | {"stage": "b"}, resizes=[{"at_ns": 2}]),
                self.sample(30, batch_changes=[{"at_ns": 3}]),
            ]
        )
        self.assertEqual(one["batch_changes"], [{"at_ns": 3}])
        self.assertEqual((one["items"], one["window_ns"], one["throughput"]), (30, 5, 16))
        self.assertEqual(one["stages"][0]["rate"], 16)
        self.assertEqual(one["bottleneck"]["stage"], "a")
        self.assertEqual([resize["at_ns"] for resize in one["resizes"]], [1, 2])
        latency = one["latency_ns"]
        self.assertEqual((latency["count"], latency["p50"], latency["p99"], latency["max"]), (4, 10, 95, 95))
        self.assertEqual(latency["buckets"], [[10, 3], [99, 1]])

    def test_quantiles(self) -> None:
        self.assertEqual([quantile([(1, 5), (2, 5)], part) for part in (0.5, 0.51, 1)], [1, 2, 2])


if __name__ == "__main__":
    unittest.main()
