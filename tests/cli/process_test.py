"""Programs end when they should, and their threads are counted."""

import os
import signal
import sys
import tempfile
import time
import unittest
import warnings
from pathlib import Path
from unittest import mock

from thalweg_cli.base import process
from thalweg_cli.base.process import finish, parse_processors
from thalweg_cli.base.terminal import Failed

THREADS = """
import threading, time
for _ in range(4): threading.Thread(target=time.sleep, args=(0.15,)).start()
"""

STUCK = """
import os, time
if os.fork() == 0: os._exit(3)
time.sleep(60)
"""


class Finish(unittest.TestCase):
    """`finish` runs a program."""

    def test_what_a_program_says_may_be_any_bytes(self) -> None:
        done = finish(["bash", "-c", r"echo out; printf 'a\355b' >&2; exit 3"])
        self.assertEqual((done.code, done.errors), (3, "a\N{REPLACEMENT CHARACTER}b"))
        self.assertEqual((done.out, done.late), ("out\n", False))

    def test_causes(self) -> None:
        for script, cause in {
            "true": "",
            "echo 'noise\nbzip2: no such file' >&2; exit 1": "no such file",
            "exit 7": "it ended with code 7",
            "kill -SEGV $$": "it was ended by SIGSEGV",
            "echo oh >&2; kill -9 $$": "it was ended by SIGKILL: oh",
        }.items():
            with self.subTest(script):
                self.assertEqual(finish(["bash", "-c", script]).cause("bzip2"), cause)

    def test_what_cannot_be_started(self) -> None:
        with self.assertRaisesRegex(Failed, "/no/such cannot be started: No such file"):
            finish(["/no/such"])

    def test_counts_threads(self) -> None:
        self.assertEqual(finish([sys.executable, "-S", "-c", THREADS]).threads, 5)
        # Those of a program that another one runs.
        with_executor = ["bash", "-c", '"$@"; true', "-", sys.executable, "-S", "-c", THREADS]
        self.assertEqual(finish(with_executor).threads, 5)

    def test_pinned(self) -> None:
        before = os.sched_getaffinity(0)
        last = max(before)
        done = finish(["grep", "Cpus_allowed_list", "/proc/self/status"], pin=[last])
        self.assertEqual(done.out.split()[-1], str(last))
        self.assertEqual(os.sched_getaffinity(0), before)

    def test_program_whose_time_is_up(self) -> None:
        began = time.monotonic()
        done = finish(["sleep", "60"], timeout_s=0.1)
        self.assertTrue(done.late)
        self.assertLess(time.monotonic() - began, process.PATIENCE_S)

    def test_program_that_does_not_listen_and_what_it_started(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(process, "PATIENCE_S", 0.2):
            child = Path(folder) / "child"
            script = f"trap '' TERM; sleep 60 & echo $! >{child}; while :; do sleep 0.02; done"
            self.assertTrue(finish(["bash", "-c", script], timeout_s=0.2).late)
            state = Path(f"/proc/{child.read_text(encoding='ascii').strip()}/stat")
            for _ in range(100):  # Until somebody has reaped it.
                if not state.exists() or ") Z " in state.read_text(encoding="ascii"):
                    return
                time.sleep(0.02)
            self.fail("what it started still runs")

    def test_launcher_that_does_not_see_that_all_it_started_has_ended(self) -> None:
        with mock.patch.object(process, "PATIENCE_WITH_STUCK_S", 0.3):
            done = finish([sys.executable, "-S", "-c", STUCK], starts_others=True)
            self.assertEqual((done.stuck, done.late, done.code), (True, False, -signal.SIGTERM))
            self.assertIn("did not end after all processes", done.cause("mpirun"))
            # One that has its children waited for is not stuck, nor is one whose children work.
            for script in ("true; sleep 0.6; exit 2", "sleep 0.6 & sleep 0.6; exit 2"):
                self.assertEqual(finish(["bash", "-c", script], starts_others=True).code, 2)

    def test_program_of_another_user_goes_on(self) -> None:
        with (
            warnings.catch_warnings(),
            mock.patch.object(process.os, "killpg", side_effect=PermissionError),
            self.assertRaisesRegex(Failed, r"process \d+ belongs to another user"),
        ):
            warnings.simplefilter("ignore", ResourceWarning)
            finish(["sleep", "0.3"], timeout_s=0.05)

    def test_program_that_is_interrupted_may_clean_up(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            ready, cleaned = Path(folder) / "ready", Path(folder) / "cleaned"
            script = (
                f"trap 'sleep 0.5; touch {cleaned}; exit 1' TERM; touch {ready}; while :; do sleep 0.05; done"
            )
            before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            try:
                with self.assertRaises(KeyboardInterrupt):
                    finish(["bash", "-c", script])
            finally:
                signal.signal(signal.SIGALRM, before)
            self.assertTrue(ready.exists())
            self.assertTrue(cleaned.exists())


class Processors(unittest.TestCase):
    """`parse_processors` reads what taskset reads."""

    def test_lists(self) -> None:
        with mock.patch("os.sched_getaffinity", return_value={0, 1, 2, 3, 5}):
            for text, found in {"0": {0}, "0,2": {0, 2}, "1-3,5": {1, 2, 3, 5}}.items():
                with self.subTest(text):
                    self.assertEqual(parse_processors(text), found)
            for text in ("", "a", "1-", "4", "3-1", "0-999999", "-1", "0,,1"):
                with self.subTest(text), self.assertRaisesRegex(Failed, "--pin"):
                    parse_processors(text)
