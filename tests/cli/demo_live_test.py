"""`./thalweg demo --live`: a stream with a page, that gets a bottleneck, and what is said at its end."""

import io
import json
import os
import signal
import tempfile
import threading
import time
import unittest
import urllib.request
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.error import HTTPError

from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.terminal import Failed
from thalweg_cli.build.live import check_live
from thalweg_cli.demo import demo
from thalweg_cli.demo_live import demo_live, open_in_browser, phases, table_of

PROGRAM = Path("examples") / "demo" / "demo_live"
PATIENCE_S = 600
"""How long a stream may take to show something, on a machine however busy: it is stuck then."""
LOOK_AGAIN_S = 0.1


def interrupt() -> None:
    """What Ctrl-C does."""
    os.kill(os.getpid(), signal.SIGINT)


class User(threading.Thread):
    """Looks at a page and changes what it shows, then presses Ctrl-C. `error` is what went wrong."""

    def __init__(self, url: str, does: Callable[["User"], None]) -> None:
        super().__init__(daemon=True)
        self.page, _, self.token = url.partition("#token=")
        self.does = does
        self.error: BaseException | None = None

    def run(self) -> None:
        """Does it."""
        try:
            self.does(self)
        except BaseException as error:  # The test gets it.
            self.error = error
        interrupt()

    def state(self) -> dict[str, Any]:
        """What the page shows."""
        with urllib.request.urlopen(self.page + "api/state", timeout=PATIENCE_S) as answer:
            return dict(json.load(answer))

    def sees(self, what: Callable[[dict[str, Any], dict[str, Any]], bool]) -> None:
        """Waits until a sample, and its figures of the stage 'upload', are as is asked."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            state = self.state()
            place = [stage["name"] for stage in state["graph"]["stages"]].index("upload")
            if any(what(sample, sample["stages"][place]) for sample in state["history"]):
                return
            time.sleep(LOOK_AGAIN_S)
        raise AssertionError(state["history"][-1])

    def give(self, replicas: int, token: str) -> None:
        """Gives the stage 'upload' so many replicas."""
        request = urllib.request.Request(
            self.page + "api/replicas",
            json.dumps({"stage": "upload", "replicas": replicas}).encode(),
            {"Authorization": f"Bearer {token}"},
        )
        urllib.request.urlopen(request, timeout=PATIENCE_S).close()


class DemoLive(unittest.TestCase):
    """What the command does with a program that is built already."""

    @contextmanager
    def built_in(self, folder: Path) -> Iterator[None]:
        """The program is that of a build."""
        with (
            mock.patch("thalweg_cli.demo_live.check_live"),
            mock.patch("thalweg_cli.demo_live.build"),
            mock.patch("thalweg_cli.demo_live.build_folder", return_value=folder),
        ):
            yield

    def run_until_interrupted(self, does: Callable[[User], None]) -> str:
        """Runs the demo with a user. Returns what it says."""
        users = []

        def opened(url: str) -> None:
            users.append(User(url, does))
            users[0].start()

        said = io.StringIO()
        with (
            tempfile.TemporaryDirectory() as name,
            self.built_in(build_folder("release")),
            mock.patch("thalweg_cli.demo_live.open_in_browser", side_effect=opened),
            redirect_stdout(said),
        ):
            (Path(name) / "packed").write_text("text " * 10_000, encoding="utf-8")
            demo_live(Path(name), "pool", opens=True, slow_from=20, blocks=1_000_000)
        users[0].join()
        if users[0].error:
            raise users[0].error
        return said.getvalue()

    @unittest.skipUnless(
        (build_folder("release") / PROGRAM).exists(), "./thalweg demo --live builds what this needs"
    )
    def test_more_replicas_are_at_work_where_the_badge_is(self) -> None:
        """The slow stage limits the stream until it gets more replicas, and Ctrl-C tells of both."""

        def does(user: User) -> None:
            user.sees(
                lambda sample, _: (
                    (sample["bottleneck"]["stage"], sample["bottleneck"]["reason"]) == ("upload", "replicas")
                )
            )
            with self.assertRaises(HTTPError) as refused:
                user.give(4, "guessed")
            self.assertEqual(refused.exception.code, 401)
            user.give(4, user.token)
            user.sees(lambda _, stage: stage["replicas"] == 4 and stage.get("busy", 0) > 1)
            self.assertEqual([(one["from"], one["to"]) for one in self.resizes(user)], [(1, 4)])

        said = self.run_until_interrupted(does)
        self.assertRegex(said, r"its page: http://127\.0\.0\.1:\d+/#token=[0-9a-f]{32}\n")
        rows = said[said.index("what was seen") :]
        for replicas in (1, 4):
            self.assertRegex(rows, rf" {replicas} │ +\d+ │")

    @staticmethod
    def resizes(user: User) -> list[dict[str, Any]]:
        """The changes of replicas that the page has."""
        return list(user.state()["history"][-1]["resizes"])

    def test_program_that_fails(self) -> None:
        head = json.dumps({"url": "", "blocks": 1, "slow_from": 1})
        for script in ("echo no port >&2; exit 1", f"echo '{head}'; echo no port >&2; exit 1"):
            with (
                tempfile.TemporaryDirectory() as name,
                self.built_in(Path(name)),
                redirect_stdout(io.StringIO()),
            ):
                program = Path(name) / PROGRAM
                program.parent.mkdir(parents=True)
                program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
                program.chmod(0o755)
                with self.assertRaisesRegex(Failed, "with code 1") as caught:
                    demo_live(None, "pool", opens=False, slow_from=1, blocks=1)
                self.assertEqual(caught.exception.output, "no port\n")

    def test_options_that_do_not_go_together(self) -> None:
        for given in ({"ranks": 2}, {"output": Path("a")}):
            with self.assertRaisesRegex(Failed, "--live works without"):
                demo(live=True, **given)  # type: ignore[arg-type]
        with self.assertRaisesRegex(Failed, "only with --live"):
            demo(opens=False)


class Component(unittest.TestCase):
    """`check_live`."""

    def test_says_what_to_install(self) -> None:
        missing = "there is no cpp-httplib (apt-get install libcpp-httplib-dev)"
        with (
            mock.patch("thalweg_cli.build.live.build"),
            mock.patch("thalweg_cli.build.live.look_again") as again,
            mock.patch("thalweg_cli.build.live.cached", return_value=missing),
            self.assertRaisesRegex(
                Failed, "thalweg::live, which is left out: there is no cpp-httplib$"
            ) as caught,
        ):
            check_live()
        self.assertEqual(caught.exception.remedy, "apt-get install libcpp-httplib-dev")
        again.assert_called_once()

    def test_what_was_missing_may_be_there_now(self) -> None:
        with (
            mock.patch("thalweg_cli.build.live.build"),
            mock.patch("thalweg_cli.build.live.look_again"),
            mock.patch("thalweg_cli.build.live.cached", side_effect=["there is no npm", ""]),
        ):
            check_live()


class Browser(unittest.TestCase):
    """`open_in_browser`."""

    def opened(self, browser: Any, **variables: str) -> bool:  # noqa: ANN401
        """Whether a browser is told to show a page."""
        browser.open = mock.Mock()
        with (
            mock.patch.dict(os.environ, variables),
            mock.patch("webbrowser.get", return_value=browser),
        ):
            open_in_browser("http://127.0.0.1:1/")
        return bool(browser.open.called)

    def test_one_with_a_window(self) -> None:
        os.environ.pop("BROWSER", None)
        self.assertTrue(self.opened(webbrowser.BackgroundBrowser("xdg-open")))
        self.assertFalse(self.opened(webbrowser.GenericBrowser("w3m")))
        self.assertTrue(self.opened(webbrowser.GenericBrowser("mine"), BROWSER="mine"))

    def test_none(self) -> None:
        with mock.patch("webbrowser.get", side_effect=webbrowser.Error):
            open_in_browser("http://127.0.0.1:1/")


def sample(second: int, replicas: int, service_ms: float, limit: tuple[str, str]) -> dict[str, Any]:
    """What the page has of a second in which ten blocks came out."""
    upload = {"items_out": 10 * second, "replicas": replicas, "service_ns": service_ms * 1e6}
    return {
        "time_ns": second * 10**9,
        "window_ns": 10**9,
        "items": 10 * second,
        "stages": [{"items_out": 0}, upload],
        "bottleneck": {"stage": limit[0], "reason": limit[1]},
    }


class Seen(unittest.TestCase):
    """`phases` and `table_of`."""

    def test_each_time_has_a_row(self) -> None:
        keeps_up, slow = ("read", "schedule"), ("upload", "replicas")
        history = [
            sample(1, 1, 2, keeps_up),
            sample(2, 1, 30, slow),
            sample(3, 1, 30, slow),
            sample(4, 1, 30, keeps_up),
            sample(5, 4, 30, ("compress", "unknown")),
        ]
        state = {"graph": {"stages": [{"name": "read"}, {"name": "upload"}]}, "history": history}
        table = table_of(phases(state, 20))
        cells = [list(column.cells) for column in table.columns]
        self.assertEqual(cells[0], ["0.0 to 1.0", "1.0 to 4.0", "4.0 to 5.0"])
        self.assertEqual(cells[1], ["2.0 ms", "30.0 ms", "30.0 ms"])
        self.assertEqual(cells[2], ["1", "1", "4"])
        self.assertEqual(cells[3], ["10", "10", "10"])
        self.assertEqual(cells[4], ["nothing: it kept up", "upload", "nothing that stands out"])

    def test_nothing(self) -> None:
        state: dict[str, Any] = {"graph": {"stages": [{"name": "upload"}]}, "history": []}
        self.assertEqual(phases(state, 20), [])
