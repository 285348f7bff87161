"""Recordings in the page of a running stream: the button, the bars, and the file."""

import json
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

from looking import LOOK_AGAIN_S, PATIENCE_S, seen, text
from mock_run import line
from mock_server import Server
from mock_trace import trace_of
from page_test import PageTest, click

SECONDS = 2
LEFT, TOP, WIDTH = range(3)


def has_colour(name: str) -> str:
    """A script that says whether the bars have a colour of the style sheet."""
    return f"""import('/assets/colours.js').then(({{ themed, rgb }}) => {{
      const colour = rgb(themed('{name}')), canvas = document.querySelector('#bars');
      const {{ data }} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 0; at < data.length; at += 4)
        if (colour.every((part, channel) => data[at + channel] === part) && data[at + 3] === 255) return true;
      return false;
    }})"""


class RecordingTest(PageTest):
    """A run with control, and one recording of it."""

    def begins(self) -> Server:
        """Presses the button, and lets a part of the time pass."""
        server = self.shows(line(), 60, token="secret")
        self.tells("sessionStorage.setItem('thalweg token', 'secret')")
        self.eventually(seen("#begin"))
        self.assertFalse(self.tells(seen("#timeline")))
        self.tells(f"document.querySelector('#seconds').value = {SECONDS}")
        self.eventually(click("#begin"))
        end = time.monotonic() + PATIENCE_S
        while server.recording is None and time.monotonic() < end:
            self.tells("0")
            time.sleep(LOOK_AGAIN_S)
        self.assertEqual(server.posts, [("/api/record", {"seconds": SECONDS}, "Bearer secret")])
        server.step(3)
        return server

    def recorded(self) -> Any:  # noqa: ANN401
        """Lets all of it pass; returns the trace."""
        server = self.begins()
        server.step(8)
        self.eventually(seen("#file"))
        self.next_frame()
        return trace_of(server.run, SECONDS)

    def bars(self) -> list[float]:
        """Where the bars are in the window."""
        place = "(({ left, top, width }) => [left, top, width])(bars.getBoundingClientRect())"
        return list(self.tells(f"(bars.scrollIntoView(), {place})"))

    def test_what_is_executed_now_is_green(self) -> None:
        """While it records; nothing is later."""
        server = self.begins()
        self.eventually(seen("#timeline"))
        self.eventually(has_colour("good"))
        self.assertRegex(self.tells(text("#facts")), r"^Recording, [12] s left")
        self.assertTrue(self.tells("document.querySelector('#begin').disabled"))
        server.step(8)
        self.eventually(seen("#file"))
        self.next_frame()
        self.assertFalse(self.tells(has_colour("good")))
        self.assertTrue(self.tells(has_colour("accent")))
        self.assertFalse(self.tells("document.querySelector('#begin').disabled"))
        self.assertEqual(self.page.errors, [])

    def test_all_executions_are_there(self) -> None:
        """And a bar that is pointed at tells its numbers."""
        trace = self.recorded()
        executions = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        self.assertGreater(len(executions), 1000)
        told = f"{len(executions):,}".replace(",", "\u202f")
        self.assertIn(f" · {told} executions · ", self.tells(text("#facts")))
        longest = max((e for e in executions if e["name"] == "lines"), key=lambda event: event["dur"])
        place = self.bars()
        whole = max(event["ts"] + event["dur"] for event in executions)
        gutter = 150
        x = place[LEFT] + gutter + (longest["ts"] + longest["dur"] / 2) / whole * (place[WIDTH] - gutter)
        moved = f"new PointerEvent('pointermove', {{ clientX: {x}, clientY: {place[TOP] + 28} }})"
        self.tells(f"bars.dispatchEvent({moved}), 0")
        self.eventually(seen("#bar"))
        facts = self.tells("[...document.querySelectorAll('#bar strong, #bar dd')].map((x) => x.textContent)")
        self.assertEqual(facts[:2], ["lines", "worker 0"])
        self.assertAlmostEqual(float(facts[2].split()[0]), longest["ts"] / 1e3, delta=0.001)
        self.assertEqual(facts[4], str(longest["args"]["items"]))
        self.tells("bars.dispatchEvent(new PointerEvent('pointerleave')), 0")
        self.eventually(seen("#bar"), expected=False)

    def test_a_drag_shows_a_part(self) -> None:
        """Buttons move it, and show all of it again."""
        self.recorded()
        self.assertEqual(self.tells(text("#shown")), "")
        left, top, width = self.bars()
        self.page.drag((left + width * 0.5, top + 50), (left + width * 0.6, top + 50))
        self.eventually(f"({text('#shown')}) !== ''")
        part = self.tells(text("#shown"))
        self.eventually(click("#on"))
        self.assertNotEqual(self.tells(text("#shown")), part)
        self.eventually(click("#back"))
        self.assertEqual(self.tells(text("#shown")), part)
        self.eventually(click("#in"))
        self.assertNotEqual(self.tells(text("#shown")), part)
        self.eventually(click("#whole"))
        self.eventually(text("#shown"), "")

    def test_the_file(self) -> None:
        """Is what the program gave, under the name of the run."""
        trace = self.recorded()
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.page.download_to(folder)
        self.tells("document.querySelector('#file').click()")
        file = folder / self.tells("document.querySelector('#file').download")
        end = time.monotonic() + PATIENCE_S
        while not file.is_file() and time.monotonic() < end:
            self.tells("0")
            time.sleep(LOOK_AGAIN_S)
        self.assertEqual(json.loads(file.read_text(encoding="utf-8")), trace)

    def test_the_end_of_the_run_ends_it(self) -> None:
        """What was recorded stays; nothing more can be."""
        server = self.begins()
        server.end()
        self.eventually(seen("#file"))
        self.eventually(seen("#record"), expected=False)
        self.assertTrue(self.tells(seen("#timeline")))

    def test_stages_that_ran_as_one_loop(self) -> None:
        """Have the bar in the row of each, and bars that overlap are in lanes."""
        self.shows(line(), 4)
        script = """import('/assets/bars.js').then(({ executionsOf, rowsOf }) => {
          const event = (ts, dur, stage, stages) =>
            ({ ph: 'X', name: 'x', tid: 1, ts, dur, args: { stage, stages } });
          const traceEvents = [event(5, 10, 2), event(0, 10, 0, 2), event(10, 5, 2), event(20, 1, 2)];
          const { bars, length } = executionsOf({ otherData: {}, traceEvents });
          const rows = rowsOf(bars, ['a', 'b', 'c', 'd'].map((name) => ({ name })), false);
          const starts = (lane) => lane.map((bar) => bar.start);
          return [length, ...rows.map((row) => [row.name, ...row.lanes.map(starts)])];
        })"""
        self.assertEqual(self.tells(script), [21, ["a", [0]], ["b", [0]], ["c", [5, 20], [10]]])

    def test_without_control(self) -> None:
        """It is not offered."""
        self.shows(line(), 20)
        self.assertFalse(self.tells(seen("#executions")))


if __name__ == "__main__":
    unittest.main()
