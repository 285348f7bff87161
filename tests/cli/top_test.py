"""A running stream in the terminal: what is shown of it, and what is said if there is none."""

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest import mock

from rich.console import Console
from thalweg_cli.app import app
from thalweg_cli.base.terminal import Failed
from thalweg_cli.watch import top
from thalweg_cli.watch.live_page import LivePage
from thalweg_cli.watch.stage_table import overview
from typer.testing import CliRunner

Json = dict[str, Any]

NAMES = ("read", "compress", "[bold]write")
GRAPH: Json = {"title": "archive", "cores": 4, "stages": [{"name": name} for name in NAMES]}


def sample(items: int, *, done: bool = False, **more: object) -> Json:
    """A sample of a run."""
    stages: list[Json] = [{"rate": 1200.0, "replicas": 1, "errors": 0} for _ in NAMES]
    stages[1] |= {"busy": 1.8, "replicas": 2, "occupancy": 12.0, "capacity": 64, "service_ns": 1.5e6}
    stages[1] |= {"errors": 7, "wait_in": 0.1}
    stages[2] |= {"latency_ns": {"p50": 1e6, "p99": 2.5e6}}
    limit = {"stage": "compress", "reason": "serial_stage", "advice": "Allow more replicas."}
    told: Json = {"time_ns": 61 * 10**9, "done": done, "paused": False, "items": items, "throughput": 1200.0}
    told |= {"cores_used": 1.5, "latency_ns": {"p50": 1e6, "p99": 2.5e6}, "stages": stages}
    return told | {"bottleneck": limit} | more


def event(name: str, what: Json) -> bytes:
    """An event as a server sends it."""
    return f"event: {name}\ndata: {json.dumps(what)}\n\n".encode()


class Handler(BaseHTTPRequestHandler):
    """Gives what the test has put there."""

    server: "Server"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401
        """Says nothing."""

    def do_GET(self) -> None:
        """Answers one request; the connection ends with it."""
        status, kind, body = self.server.answers.get(self.path, (404, "text/plain", b""))
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    """A pretended program."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, tuple[int, str, bytes]] = {}
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def events(self, *parts: bytes) -> None:
        """What those who listen get."""
        self.answers["/api/events"] = (200, "text/event-stream; charset=utf-8", b"".join(parts))

    def state(self, state: object) -> None:
        """What those who ask get."""
        self.answers["/api/state"] = (200, "application/json; charset=utf-8", json.dumps(state).encode())


class TopTest(unittest.TestCase):
    """Each test has a server."""

    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.address = f"127.0.0.1:{self.server.server_address[1]}"

    def top(self, *options: str) -> str:
        """What the command prints."""
        done = CliRunner().invoke(app, ["top", self.address, *options], catch_exceptions=False)
        self.assertEqual(done.exit_code, 0)
        return done.output

    def refused(self, *options: str) -> str:
        """What the command says is wrong."""
        with self.assertRaises(Failed) as caught:
            self.top(*options)
        return caught.exception.what


class Shown(TopTest):
    """The table."""

    def test_once(self) -> None:
        self.server.state({"version": 1, "graph": GRAPH, "history": [sample(1), sample(5000)]})
        said = self.top("--once").splitlines()
        self.assertEqual(
            said[0].rstrip(),
            "archive  running, 61.0 s, 5 000 items, 1.20 k/s, latency p50 1.00 ms, p99 2.50 ms, "
            "1.50 of 4 cores",
        )
        self.assertRegex(said[3], r"^compress +1\.20 k/s +1\.50 ms +90 % +1\.80 of 2 +12\.0 / 64 +10 % +7")
        self.assertRegex(said[4], r"^\[bold\]write .* 2\.50 ms")
        self.assertNotIn("waits out", said[1])
        self.assertEqual(said[5], "Limit: serial stage (compress). Allow more replicas.")

    def test_until_the_end(self) -> None:
        end = sample(9000, done=True)
        self.server.events(event("graph", GRAPH), event("sample", sample(1)), b": \n\n", event("end", end))
        said = self.top()
        self.assertIn("ended, 61.0 s, 9 000 items", said)

    def test_every_sample_is_shown(self) -> None:
        self.server.events(
            event("graph", GRAPH), *(event("sample", sample(n)) for n in (1, 2)), event("end", sample(3))
        )
        with mock.patch.object(top, "overview", side_effect=overview) as shown:
            self.top()
        self.assertEqual([call.args[1]["items"] for call in shown.mock_calls], [1, 2, 3])

    def test_the_busiest_of_many(self) -> None:
        stages = [{"rate": 1.0, "replicas": 1, "busy": number / 100} for number in range(100)]
        graph = GRAPH | {"stages": [{"name": f"stage-{number}"} for number in range(100)]}
        console = Console(width=120)
        with console.capture() as text:
            console.print(overview(graph, sample(1, stages=stages), height=20))
        said = text.get()
        self.assertLessEqual(len(said.splitlines()), 20)
        self.assertIn("stage-99 ", said)
        self.assertNotIn("stage-50 ", said)
        self.assertIn("the busiest of 100 stages", said)

    def test_ctrl_c_is_how_one_leaves(self) -> None:
        with mock.patch.object(LivePage, "events", side_effect=KeyboardInterrupt):
            self.assertNotIn("Abort", self.top())

    def test_orders_to_the_terminal_are_not_obeyed(self) -> None:
        graph = GRAPH | {"title": "a\x1b[2Jb"}
        self.server.state({"version": 1, "graph": graph, "history": [sample(1)]})
        self.assertIn("a␛[2Jb", self.top("--once"))


class Wrong(TopTest):
    """No page, another one, and one that goes away."""

    def test_nothing_answers(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        for options in ((), ("--once",)):
            self.assertIn(f"nothing answers at http://{self.address}/: ", self.refused(*options))

    def test_no_address(self) -> None:
        for address in ("ftp://x", "http://", ""):
            self.address = address
            self.assertIn("is no address of a page", self.refused())

    def test_another_page(self) -> None:
        for options in ((), ("--once",)):
            self.assertEqual(f"http://{self.address}/ is no page of thalweg::live", self.refused(*options))
        self.server.answers["/api/events"] = (200, "text/html", b"<html>")
        self.server.state([1])
        for options in ((), ("--once",)):
            self.assertIn("is no page of thalweg::live", self.refused(*options))
        self.server.events(b"data: {\n\n")
        self.assertIn("is no page of thalweg::live", self.refused())

    def test_it_breaks_off(self) -> None:
        self.server.events(event("graph", GRAPH), event("sample", sample(1)))
        self.assertIn("broke off: the program has ended before its run", self.refused())

    def test_too_many_listen(self) -> None:
        self.server.answers["/api/events"] = (503, "application/json", b"{}")
        self.assertIn("has as many listeners as it may have", self.refused())


if __name__ == "__main__":
    unittest.main()
