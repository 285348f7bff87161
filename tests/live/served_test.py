"""A program and its page: what a browser shows of it, and what Prometheus reads.

usage: served_test.py program
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from browser import a_page
from looking import BROWSER, LOOK_AGAIN_S, needs_a_browser
from ports import free_port

PROGRAM = ""
PROMETHEUS = shutil.which("prometheus")
DASHBOARD = Path(__file__).parents[2] / "packaging" / "grafana" / "thalweg.json"
PATIENCE_S = 300

LIMIT = "document.querySelector('#limit-stage').textContent"
STATE = "document.querySelector('#state').textContent"
EVENTS = "document.querySelector('#events').textContent"
DECISIONS = "[...document.querySelectorAll('#events .decision')].map((one) => one.textContent)"
WHEN = "document.querySelector('#when').textContent"
BOXES = "[...document.querySelectorAll('.stage')].map((box) => box.textContent)"
CURVES = "document.querySelectorAll('#curves canvas').length"


class ServedTest(unittest.TestCase):
    """The program runs during each test."""

    arguments: ClassVar[list[str]] = []

    def setUp(self) -> None:
        """Starts it."""
        self.program = subprocess.Popen(
            [PROGRAM, *self.arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.enterContext(self.program)
        self.addCleanup(self.program.kill)
        assert self.program.stdout
        self.url = self.program.stdout.readline().strip()

    def stop(self) -> int:
        """Stops the run; returns how many items have come through."""
        assert self.program.stdin
        assert self.program.stdout
        self.program.stdin.write("\n")
        self.program.stdin.flush()
        return int(self.program.stdout.readline())

    def eventually(self, says: Callable[[], Any], expected: Callable[[Any], bool]) -> None:
        """Waits until something says what is expected."""
        end = time.monotonic() + PATIENCE_S
        said = None
        while time.monotonic() < end:
            said = says()
            if expected(said):
                return
            time.sleep(LOOK_AGAIN_S)
        self.fail(f"it says {said!r}")

    def resize(self, replicas: int) -> None:
        """Changes the farm as a client would."""
        body = json.dumps({"stage": "work", "replicas": replicas}).encode()
        headers = {"Authorization": "Bearer sesame", "Content-Type": "application/json"}
        asked = urllib.request.Request(f"{self.url}api/replicas", body, headers)
        with urllib.request.urlopen(asked, timeout=PATIENCE_S) as answer:
            self.assertEqual(answer.status, 200)


@needs_a_browser
class InTheBrowser(ServedTest):
    """The page of the running program."""

    def test_its_limit_its_errors_and_its_end(self) -> None:
        """The slow farm is the limit until it has more replicas; a killed program is one that is lost."""
        assert BROWSER is not None
        with a_page(BROWSER) as page:
            page.open(self.url)
            self.eventually(lambda: page.tells(LIMIT), lambda said: said == "work")
            self.eventually(lambda: page.tells(EVENTS), lambda said: "work" in said)
            self.resize(4)
            self.eventually(lambda: page.tells(LIMIT), lambda said: said == "read")
            self.assertIn("1 → 4", page.tells(EVENTS))
            self.eventually(
                lambda: page.tells(BOXES),
                lambda said: any(text.startswith("work,") and "▲" in text for text in said),
            )
            self.assertEqual([one for one in page.requests if not one.startswith(self.url)], [])
            page.tells("document.querySelector('#curves').scrollIntoView()")
            self.eventually(lambda: page.tells(CURVES), lambda said: said > 0)
            curves = page.tells(CURVES)
            self.program.kill()
            self.eventually(lambda: page.tells(STATE), lambda said: "lost" in said)
            self.assertEqual(page.tells(CURVES), curves)

    def test_the_end_of_its_run(self) -> None:
        """The page stays, and says that the run is over."""
        assert BROWSER is not None
        with a_page(BROWSER) as page:
            page.open(self.url)
            self.eventually(lambda: page.tells(LIMIT), bool)
            items = self.stop()
            self.eventually(lambda: page.tells(STATE), lambda said: said in ("done", "ended"))
            shown = "document.querySelector('#figures div:nth-child(1) dd').textContent"
            self.eventually(lambda: page.tells(shown).replace("\u202f", ""), lambda said: said == str(items))
            self.assertEqual(page.errors, [])


@needs_a_browser
class Deciding(ServedTest):
    """The page of a run that adapts itself."""

    arguments: ClassVar[list[str]] = ["3"]

    def test_what_it_has_decided(self) -> None:
        """Is told with the reason and what it has reached; a click shows the graph as it was around then."""
        assert BROWSER is not None
        with a_page(BROWSER) as page:
            page.open(self.url)
            self.eventually(
                lambda: page.tells(DECISIONS), lambda said: len(said) == 1 and "reached" in said[0]
            )
            self.assertIn("work: 1 to 3 replicas by custom: so it was told", page.tells(DECISIONS)[0])
            self.assertEqual(page.tells(WHEN), "")
            page.tells("document.querySelector('#events .decision button').click()")
            self.eventually(lambda: page.tells(WHEN), bool)
            self.assertEqual(page.errors, [])


@unittest.skipIf(PROMETHEUS is None, "prometheus is not on the PATH: apt-get install prometheus")
class ByPrometheus(ServedTest):
    """What a real Prometheus reads."""

    def test_it_reads_what_the_report_says(self) -> None:
        """The total of items when the run is over; and all that the dashboard of Grafana asks for."""
        assert PROMETHEUS is not None
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        port = free_port()
        target = urllib.parse.urlsplit(self.url).netloc
        config = {
            "global": {"scrape_interval": "200ms", "scrape_timeout": "200ms"},
            "scrape_configs": [{"job_name": "thalweg", "static_configs": [{"targets": [target]}]}],
        }
        (folder / "prometheus.yml").write_text(json.dumps(config), encoding="utf-8")
        server = subprocess.Popen(
            [
                PROMETHEUS,
                f"--config.file={folder}/prometheus.yml",
                f"--storage.tsdb.path={folder}/data",
                f"--web.listen-address=127.0.0.1:{port}",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        waits = "thalweg_stage_wait_output_seconds_total"
        self.eventually(lambda: value_of(port, waits), lambda said: said is not None)
        items = self.stop()
        self.assertGreater(items, 0)
        self.eventually(lambda: value_of(port, "thalweg_items_total"), lambda said: said == items)
        self.eventually(lambda: value_of(port, "thalweg_running"), lambda said: said == 0)
        self.assertEqual(value_of(port, 'thalweg_stage_items_in_total{stage="write"}'), items)
        variables = {"$__rate_interval": "1m", "$job": ".*", "$instance": ".*"}
        for asked in dashboard_queries():
            query = re.sub(r"\$\w+", lambda name: variables[name[0]], asked)
            self.assertEqual(answer_to(port, query)["status"], "success", query)
            for metric in re.findall(r"(?:thalweg|process)_\w+", query):
                self.assertIsNotNone(value_of(port, metric), metric)


def dashboard_queries() -> list[str]:
    """What the dashboard in the tree asks Prometheus."""
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    return [target["expr"] for panel in panels for target in panel["targets"]]


def answer_to(port: int, query: str) -> dict[str, Any]:
    """What Prometheus says to a query."""
    address = f"http://127.0.0.1:{port}/api/v1/query?query={urllib.parse.quote(query)}"
    with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
        return json.load(answer)


def value_of(port: int, query: str) -> float | None:
    """What Prometheus has of a query, the first number; none if it has not begun, or has none."""
    try:
        found = answer_to(port, query)["data"]["result"]
    except (urllib.error.URLError, ConnectionError):
        return None
    return float(found[0]["value"][1]) if found else None


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
