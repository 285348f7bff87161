"""Plays the server of a running stream's page, with a run that is made up.

`PYTHONPATH=cli python3 tests/live/mock_server.py branches --past 300` shows one to a browser, with 300
seconds behind it; `--play` adds a pause, a resize and an end. The page comes from `web/live/`, and what it
needs from `web/node_modules/` (`npm ci` in `web/`).
"""

import argparse
import json
import math
import mimetypes
import os
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mock_run import SCENARIOS, Run
from mock_trace import trace_of
from thalweg_cli.base.web_parts import WEB, parts_with

PACKAGES = Path(os.environ.get("THALWEG_WEB_PACKAGES", WEB))
"""Where `npm ci` has put `node_modules/`."""
HISTORY_S = 600
POLICY = "default-src 'self'"


class Server(ThreadingHTTPServer):
    """A run, those that listen to it, and what they asked for. Nothing moves but by `step`."""

    daemon_threads = True

    def __init__(self, run: Run, *, token: str = "", port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.run, self.token = run, token
        run.control = bool(token)
        self.samples: deque[Any] = deque(maxlen=round(HISTORY_S / run.every))
        self.posts: list[tuple[str, Any, str]] = []
        self.items: list[str] = []
        self.taps: list[dict[str, str]] = []
        self.requests: list[str] = []
        self.news = threading.Condition()
        self.killed = self.frozen = False
        self.connections: list[Any] = []
        self.recording: tuple[float, float] | None = None
        """When the recording began in the run's time, and how long it is."""
        self.assets = parts_with(PACKAGES)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def step(self, samples: int = 1) -> None:
        """Lets the run go on for some samples, or until it is over."""
        for _ in range(samples):
            with self.news:
                if self.run.over and self.samples and self.samples[-1]["done"]:
                    return
                self.samples.append(self.run.sample())
                self.news.notify_all()

    def end(self) -> None:
        """The stream is at its end."""
        self.run.over = True
        self.step()

    def kill(self) -> None:
        """Goes away, as a process that is killed."""
        if self.killed:
            return
        self.killed = True
        with self.news:
            self.news.notify_all()
        self.shutdown()
        self.server_close()
        for connection in self.connections:
            try:
                connection.shutdown(2)
            except OSError:
                continue  # It is closed already.

    def told(self, since: int) -> Iterator[tuple[str, Any]]:
        """The events after a time, as they come; None where a second brings none."""
        yield "graph", self.run.graph()
        while not self.killed:
            with self.news:
                new = [sample for sample in self.samples if sample["time_ns"] > since]
                if not new and not (self.run.over and self.samples):
                    if not self.news.wait(1):
                        yield "", None
                    continue
            for sample in new:
                since = sample["time_ns"]
                yield "sample", sample
            if self.samples[-1]["done"]:
                yield "end", self.samples[-1]
                return


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: Server
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        """Remembers the connection, which `kill` closes."""
        super().setup()
        self.server.connections.append(self.connection)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401
        """Says nothing."""

    def _answer(self, code: int, kind: str, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        with suppress(OSError):  # The page does not wait any more.
            self.end_headers()
            self.wfile.write(body)

    def _json(self, code: int, what: Any) -> None:  # noqa: ANN401
        self._answer(code, "application/json", json.dumps(what).encode())

    def do_GET(self) -> None:
        """Gives the page, its parts, and the events."""
        url = urlsplit(self.path)
        self.server.requests.append(url.path)
        while self.server.frozen and not self.server.killed:
            with self.server.news:
                self.server.news.wait(0.1)
        if url.path == "/":
            self._answer(200, "text/html; charset=utf-8", self.server.assets["index.html"].read_bytes())
        elif url.path.startswith("/assets/") and (file := self.server.assets.get(url.path[8:])):
            kind = "text/javascript" if file.suffix == ".js" else mimetypes.guess_type(file.name)[0]
            self._answer(200, f"{kind}; charset=utf-8", file.read_bytes())
        elif url.path == "/api/events":
            self._events(int(parse_qs(url.query).get("since", ["0"])[0]))
        elif url.path == "/api/state":
            state = {"version": 1, "graph": self.server.run.graph(), "history": list(self.server.samples)}
            self._json(200, state)
        elif url.path == "/api/recording":
            self._recording()
        elif url.path == "/api/tap":
            self._tap({name: values[0] for name, values in parse_qs(url.query).items()})
        elif url.path == "/healthz":
            self._answer(200, "text/plain", b"done" if self.server.run.over else b"running")
        else:
            self._answer(404, "text/plain", b"not found")

    def _tap(self, asked: dict[str, str]) -> None:
        server = self.server
        if self.headers.get("Authorization", "") != f"Bearer {server.token}":
            return self._json(401, {"error": "the token is wrong"})
        with server.news:
            server.taps.append(asked)
            if server.run.over:
                return self._json(409, {"error": "no run goes on"})
            if not server.items:
                server.news.wait(min(0.1, int(asked["wait"]) / 1000))
            n = int(asked["items"])
            given, server.items = server.items[:n], server.items[n:]
        items = [{"at_ns": 1_500_000_000 + place, "text": text} for place, text in enumerate(given)]
        return self._json(200, {"edge": asked["edge"].split(","), "items": items})

    def _events(self, since: int) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.close_connection = True
        try:
            for event, what in self.server.told(since):
                while self.server.frozen and not self.server.killed:
                    with self.server.news:
                        self.server.news.wait(0.1)
                text = f"event: {event}\ndata: {json.dumps(what)}\n\n" if event else ": \n\n"
                self.wfile.write(text.encode())
                self.wfile.flush()
        except OSError:
            return  # The page is closed.

    def _recording(self) -> None:
        run = self.server.run
        if self.server.recording is None:
            return self._json(404, {"error": "nothing was recorded yet"})
        began, seconds = self.server.recording
        left = 0.0 if run.over else began + seconds - run.now
        trace = json.dumps(trace_of(run, min(seconds, run.now - began), running=left > 0)).encode()
        headers = {"Retry-After": str(math.ceil(left))} if left > 0 else {}
        return self._answer(202 if left > 0 else 200, "application/json", trace, headers)

    def do_POST(self) -> None:
        """Does what is asked for, if the token is right."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        what = json.loads(body) if body else None
        server, authorisation = self.server, self.headers.get("Authorization", "")
        server.posts.append((self.path, what, authorisation))
        if not server.token:
            return self._json(403, {"error": "this page has no control over the run"})
        if authorisation != f"Bearer {server.token}":
            return self._json(401, {"error": "the token is wrong"})
        try:
            self._do(self.path.removeprefix("/api/"), what)
        except ValueError as error:
            return self._json(400, {"error": str(error)})
        return self._json(202 if self.path == "/api/record" else 200, {})

    def _do(self, order: str, what: Any) -> None:  # noqa: ANN401
        with self.server.news:
            run = self.server.run
            if order == "replicas":
                run.resize(what["stage"], what["replicas"])
            elif order == "rate":
                run.set_rate(what["stage"], what["rate"])
            elif order == "batch":
                run.set_batch(what["stage"], what)
            elif order in ("pause", "resume"):
                run.paused = order == "pause"
            elif order in ("stop", "cancel"):
                run.over = True
            elif order == "record":
                if not 0 < what["seconds"] <= 60:
                    raise ValueError("a recording takes more than 0 seconds, and 60 at most")
                self.server.recording = (run.now, what["seconds"])
            else:
                raise ValueError(f"there is no order '{order}'")


def play(server: Server, *, plot: bool) -> None:
    """Lets the run go on in real time; with a plot it has a resize, a pause and an end."""
    run = server.run
    start = run.now
    farm = max((stage for stage in run.stages if stage.farm), key=lambda stage: stage.service)
    acts = {
        20.0: lambda: run.resize(farm.name, farm.replicas + 2),
        30.0: lambda: setattr(run, "paused", True),
    }
    acts |= {33.0: lambda: setattr(run, "paused", False), 60.0: server.end}
    while not (run.over and server.samples and server.samples[-1]["done"]):
        threading.Event().wait(run.every)
        for when in [when for when in acts if plot and run.now - start >= when]:
            acts.pop(when)()
        server.step()


def main() -> None:
    """Serves until it is ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("scenario", nargs="?", choices=SCENARIOS, default="line")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--token", default="secret")
    parser.add_argument("--past", type=float, default=0, help="seconds of the run that have passed already")
    parser.add_argument("--play", action="store_true", help="with a resize, a pause and an end")
    asked = parser.parse_args()
    server = Server(SCENARIOS[asked.scenario](), token=asked.token, port=asked.port)
    server.step(round(asked.past / server.run.every))
    print(server.url, f"token: {asked.token}", flush=True)
    play(server, plot=asked.play)
    threading.Event().wait()


if __name__ == "__main__":
    main()
