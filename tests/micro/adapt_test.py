"""The stream whose load changes: what it prints, and that its samples are written.

usage: adapt_test.py program
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

PROGRAM = ""


def run(*options: str) -> dict[str, Any]:
    """What it prints."""
    done = subprocess.run([PROGRAM, *options], capture_output=True, check=True, text=True)
    return dict(json.loads(done.stdout))


class OneRun(unittest.TestCase):
    """Short runs."""

    def test_all_items_are_told(self) -> None:
        """Of each window, and in all."""
        found = run(
            "--rate", "steps,0.1,100,0.1,500", "--seconds", "0.2", "--grace-s", "60", "--wait-us", "100"
        )
        self.assertEqual((found["items"], found["missing"]), (60, 0))
        self.assertEqual((sum(found["due"]), sum(found["done"])), (60, 60))
        self.assertEqual(found["due"][:2], [10, 50])
        self.assertEqual(sum(found["late_by_window"]), found["late"])
        self.assertGreater(found["p99_ms"], 0)

    def test_what_does_not_come_in_time_is_late(self) -> None:
        """One replica would take 100 s for all of them."""
        options = ("--rate", "1000", "--seconds", "0.1", "--grace-s", "0.1", "--wait-us", "1000000")
        for more in ((), ("--locked-us", "1000000"), ("--sink-us", "1000000")):
            found = run(*options, *more)
            self.assertGreaterEqual(found["missing"], 50)
            self.assertGreaterEqual(found["late"], found["missing"])
            self.assertEqual(found["items"], 100)

    def test_samples_have_the_replicas(self) -> None:
        """Under all policies."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "samples.jsonl"
            for policy in ("threads", "pool"):
                run(
                    "--rate",
                    "100",
                    "--seconds",
                    "0.1",
                    "--replicas",
                    "3",
                    "--policy",
                    policy,
                    "--monitor",
                    str(file),
                    "--compute-us",
                    "10",
                )
                last = json.loads(file.read_text(encoding="utf-8").splitlines()[-1])
                replicas = {stage["name"]: stage["replicas"] for stage in last["stages"]}
                self.assertEqual(replicas, {"load": 1, "work": 3, "done": 1})

    def test_mistakes(self) -> None:
        """They are told."""
        done = subprocess.run([PROGRAM, "--rate", "x"], capture_output=True, check=False, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("thalweg_micro_adapt: rate: 'x' is no pattern", done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
