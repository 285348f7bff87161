"""The page of a run of the past: one file, shown by a browser that asks nobody for anything.

usage: saved_test.py program other: one that runs a stream (saved.cpp), and one that does not know of its page
(unaware.cpp)
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from looking import Looking, needs_a_browser, seen, text
from mock_run import Run, Stage, branches, line
from mock_server import PACKAGES
from thalweg_cli.base.web_parts import parts_with
from thalweg_cli.watch.sample_file import read_state
from thalweg_cli.watch.saved_page import saved_page

PROGRAM, UNAWARE = "", ""

DRAWN = (
    "[...document.querySelectorAll('#curves canvas')].filter((canvas) => canvas.getContext('2d')"
    ".getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value)).length"
)


def state_of(run: Run, samples: int, *, ended: bool = True) -> dict[str, Any]:
    """A made-up run, as it would be read from its samples."""
    run.control = False
    history = [run.sample() for _ in range(samples)]
    if ended:
        run.over = True
        history.append(run.sample())
    return {"version": 1, "graph": run.graph(), "history": history}


class Samples(unittest.TestCase):
    """What a run writes is what the page needs."""

    def test_of_a_run(self) -> None:
        """Counts are those of its report."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.jsonl"
            report = json.loads(subprocess.run([PROGRAM, file], capture_output=True, check=True).stdout)
            state = read_state(file)
        graph, last = state["graph"], state["history"][-1]
        self.assertEqual([stage["name"] for stage in graph["stages"]], ["read", "compress", "write"])
        self.assertEqual([stage["inputs"] for stage in graph["stages"]], [[], [0], [1]])
        self.assertEqual([stage["farm"] for stage in graph["stages"]], [False, True, False])
        self.assertEqual((graph["title"], graph["policy"]), (Path(PROGRAM).name, report["policy"]))
        self.assertGreater(len(state["history"]), 2)
        self.assertEqual((last["items"], last["done"], last["time_ns"]), (300, True, report["elapsed_ns"]))
        for its, told in zip(last["stages"], report["stages"], strict=True):
            self.assertEqual((its["items_in"], its["items_out"]), (told["items_in"], told["items_out"]))
        some = [sample for sample in state["history"] if "latency_ns" in sample]
        self.assertEqual(sum(sample["latency_ns"]["count"] for sample in some), 300)
        self.assertEqual(sum(count for one in some for _, count in one["latency_ns"]["buckets"]), 300)
        self.assertTrue(any(sample["stages"][1].get("busy", 0) > 0 for sample in state["history"]))
        self.assertTrue(all(sample["bottleneck"]["advice"] for sample in state["history"]))


def ran_unaware(where: Path, *steps: str) -> str:
    """Runs the program with the variable that has the page saved; returns what it says."""
    environment = {**os.environ, "THALWEG_LIVE_SAVE": str(where), "THALWEG_LIVE": ""}
    done = subprocess.run([UNAWARE, *steps], capture_output=True, check=False, text=True, env=environment)
    return done.stdout + done.stderr


def data_in(page: str) -> list[Any]:
    """What is in the elements with data: the parts of the page, and what was saved."""
    return [
        json.loads(text) for text in re.findall(r'<script type="application/json" .*?>(.*?)</script>', page)
    ]


class ByTheProgram(unittest.TestCase):
    """A program that is linked with the component saves the page itself."""

    def setUp(self) -> None:
        """Each test has a folder."""
        self.file = Path(self.enterContext(tempfile.TemporaryDirectory())) / "run.html"

    def test_it_is_the_page_that_view_makes(self) -> None:
        """Both consist of the same parts, in the same way."""
        self.assertEqual(
            ran_unaware(self.file, "run", "nest", "run"), "3 items\n3 items inside\n1 items\n3 items\n"
        )
        page = self.file.read_text(encoding="utf-8")
        parts, state = data_in(page)
        self.assertEqual(state["graph"]["stages"][0]["name"], "run")
        ours = saved_page(parts_with(PACKAGES), state)
        self.assertEqual(data_in(ours), [parts, state])
        without = re.compile(r'(<script type="application/json" .*?>).*?</script>')
        self.assertEqual(without.sub(r"\1", page), without.sub(r"\1", ours))

    def test_a_place_that_cannot_be_written_is_an_error(self) -> None:
        """The message names the variable."""
        self.assertIn(
            "THALWEG_LIVE_SAVE=/no/such/x.html: cannot be", ran_unaware(Path("/no/such/x.html"), "run")
        )

    def test_a_full_disk(self) -> None:
        """The run goes on, and the program says so."""
        said = ran_unaware(Path("/dev/full"), "run")
        self.assertIn("3 items", said)
        self.assertIn("live: cannot save the page to '/dev/full': No space left", said)


@needs_a_browser
class Saved(Looking):
    """The page in a browser."""

    def shows(self, state: dict[str, Any]) -> None:
        """Writes the page, and opens it."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        file = folder / "run.html"
        file.write_text(saved_page(parts_with(PACKAGES), state), encoding="utf-8")
        self.page.errors.clear()
        self.page.requests.clear()
        self.page.size(1400, 2000)
        self.page.open(file.as_uri())
        self.eventually(f"({text('#figures div:nth-child(1) dd')}) !== ''")

    def test_the_whole_run(self) -> None:
        """All views, no control, no request; and it says that it is a run of the past."""
        self.shows(state_of(line(), 240))
        self.eventually(text("#state"), "a run of the past")
        self.eventually(DRAWN, 7)
        self.assertEqual(self.tells(text("#title")), "archive")
        self.assertEqual(self.tells(text("#span")), "The whole run")
        self.assertEqual(
            self.tells("document.querySelector('#length').selectedOptions[0].textContent"), "the whole run"
        )
        self.assertEqual(self.tells("document.querySelectorAll('.stage').length"), 4)
        self.assertRegex(self.tells(text("#figures div:nth-child(8) dd")), r"^2026-09-2\d \d\d:\d\d$")
        self.assertEqual(self.tells(text("#events .end span")), "the run has ended")
        self.tells(
            "document.querySelectorAll('.stage')[2].dispatchEvent(new MouseEvent('click', { bubbles: true }))"
        )
        self.eventually(seen("#stage-name"))
        for selector in ("#pause", "#resume", "#stop", ".replicas", "#lost", "#waiting"):
            self.assertFalse(self.tells(seen(selector)), selector)
        self.assertEqual([url[:40] for url in self.page.requests[1:] if not url.startswith("data:")], [])
        self.assertEqual(self.page.errors, [])

    def test_saved_by_the_program(self) -> None:
        """It works as others do."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.html"
            ran_unaware(file, "run")
            self.page.errors.clear()
            self.page.open(file.as_uri())
            self.eventually(text("#state"), "a run of the past")
            self.eventually("document.querySelectorAll('.stage').length", 2)
            self.assertEqual(self.page.errors, [])

    def test_a_dragged_interval(self) -> None:
        """Shows the graph as it was then, and `Follow` all of it again."""
        state = state_of(line(), 240)
        for number, sample in enumerate(state["history"]):
            sample["bottleneck"]["advice"] = str(number)
        self.shows(state)
        self.eventually("document.querySelectorAll('#curves .u-over').length", 7)
        self.eventually(DRAWN, 7)
        left, top, width = self.tells(
            "(({ left, top, width }) => [left, top + 20, width])"
            "(document.querySelector('.u-over').getBoundingClientRect())"
        )
        self.page.drag((left + width * 0.25, top), (left + width * 0.5, top))
        self.eventually(seen("#follow"))
        self.assertRegex(self.tells(text("#when")), r"^0:1[45]\.\d – 0:(29|30|31)\.\d$")
        self.assertLess(int(self.tells(text("#limit-advice"))), 130, "words of then")
        self.tells("document.querySelector('#follow').click()")
        self.eventually(seen("#follow"), expected=False)
        self.assertEqual(self.tells(text("#when")), "")

    def test_more_than_ten_minutes(self) -> None:
        """Nothing is forgotten."""
        run = line()
        run.every = 1.0
        self.shows(state_of(run, 900))
        self.eventually(text("#events .error:last-child time"), "0:03")

    def test_a_curve_that_no_stage_has(self) -> None:
        """Takes no room."""
        state = state_of(line(), 20)
        for one in (
            *state["graph"]["stages"],
            *(stage for sample in state["history"] for stage in sample["stages"]),
        ):
            one.pop("capacity", None)
        self.shows(state)
        self.eventually(DRAWN, 6)
        self.assertFalse(self.tells(seen("figure[aria-label='Occupancy of pipes']")))
        self.assertTrue(self.tells(seen("figure[aria-label='Busy']")))

    def test_without_its_end(self) -> None:
        """The page says so."""
        self.shows(state_of(branches(), 20, ended=False))
        self.eventually(text("#state"), "a run of the past, without its end")
        self.assertEqual(self.tells("document.querySelectorAll('.pipe').length"), 11)
        self.assertFalse(self.tells(seen("#events .end")))

    def test_names_are_text(self) -> None:
        """Whatever they look like."""
        name = "</script><script>document.title = 'taken'</script><!--"
        self.shows(state_of(Run(name, [Stage(name, "source"), Stage("out", "sink", 0.001, [0])]), 8))
        self.eventually(text("#title"), name)
        self.assertNotEqual(self.tells("document.title"), "taken")
        self.assertEqual(self.page.errors, [])


if __name__ == "__main__":
    PROGRAM, UNAWARE = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
