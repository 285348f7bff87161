"""The stream whose load changes: what it prints, and that its samples are written.

usage: adapt_test.py program [launcher option program over MPI]
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

PROGRAM = ""
OVER_MPI: list[str] = []
"""What starts ranks, the option with their number, and the program; empty: there is no MPI."""

FARM = ("--rate", "500", "--seconds", "1", "--grace-s", "60", "--wait-us", "1000")
CALLS = ("--rate", "500", "--seconds", "1", "--grace-s", "60", "--call-us", "20000", "--batch-ms", "2")
"""One replica cannot do these, with such batches: its calls take ten times as long as the interval."""


def printed(*command: str) -> dict[str, Any]:
    """What a command prints."""
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return dict(json.loads(done.stdout))


def run(*options: str) -> dict[str, Any]:
    """What it prints."""
    return printed(PROGRAM, *options)


def changes_of(*options: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What it prints, and the last line of its samples with all changes of replicas and batches."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "samples.jsonl"
        found = run(*options, "--monitor", str(file))
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        of_all = {
            name: [one for line in lines for one in line[name]] for name in ("resizes", "batch_changes")
        }
        return found, lines[-1] | of_all


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

    def test_replicas_at_known_times(self) -> None:
        """Of the replicas that come the first one is new; the last call asks for fewer."""
        found, samples = changes_of(*FARM, "--replicas", "1", "--resize", "0.2:2,0.5:1")
        self.assertEqual([one["replicas"] for one in found["script"]], [2, 1])
        self.assertEqual([(one["from"], one["to"]) for one in samples["resizes"]], [(1, 2), (2, 1)])
        more, fewer = found["script"]
        self.assertLess(more["at"], fewer["at"])
        self.assertGreater(more["call_ms"], 0)
        self.assertIsNone(fewer["first_ms"])
        self.assertEqual(found["missing"], 0)

    def test_a_new_replica_gets_an_item(self) -> None:
        """Of a stream that one replica cannot keep up with."""
        found = run(*FARM[:-2], "--wait-us", "10000", "--resize", "0.2:2")
        self.assertGreater(found["script"][0]["first_ms"], 0)

    def test_all_items_of_batches_are_told(self) -> None:
        """Each of them, not each batch."""
        found, samples = changes_of(
            "--rate", "500", "--seconds", "0.2", "--grace-s", "60", "--batch-ms", "10"
        )
        self.assertEqual((found["items"], found["missing"], sum(found["done"])), (100, 0, 100))
        batches = next(stage for stage in samples["stages"] if stage["name"] == "batch")
        self.assertEqual(batches["batch"], {"interval_ns": 10_000_000})

    def test_a_planner_changes_what_it_may(self) -> None:
        """Batches, by a planner that changes nothing else, or replicas, by one that does; and nothing."""
        das, ds2 = (f"planner={name} goal=keep_up every=20ms most=4" for name in ("das", "ds2:period=0.02"))
        for adapt, may, replicas, batches in (
            (das, "both", False, True),
            (das, "batches", False, True),
            (das, "replicas", False, False),
            (ds2, "replicas", True, False),
            (ds2, "neither", False, False),
        ):
            with self.subTest(adapt=adapt, may=may):
                found, samples = changes_of(*CALLS, "--adapt", adapt, "--may", may)
                self.assertEqual(bool(samples["resizes"]), replicas)
                self.assertEqual(bool(samples["batch_changes"]), batches)
                self.assertGreater(found["loop"]["all"], found["loop"]["planning"])
                self.assertEqual(found["loop"]["changing"] > 0, replicas or batches)

    def test_a_run_that_stays_has_no_loop(self) -> None:
        """Nor has it changes at known times."""
        found = run("--rate", "100", "--seconds", "0.1")
        self.assertNotIn("loop", found)
        self.assertEqual(found["script"], [])

    def test_several_ranks(self) -> None:
        """All items come to the first, which tells the processor time of all."""
        if not OVER_MPI:
            self.skipTest("there is no MPI")
        launcher, option, program = OVER_MPI
        options = ("--policy", "mpi", *FARM, "--replicas", "2", "--resize", "0.3:3")
        found = printed(launcher, option, "3", program, *options)
        self.assertEqual((found["items"], found["missing"], sum(found["done"])), (500, 0, 500))
        self.assertEqual([one["replicas"] for one in found["script"]], [3])
        batches = printed(launcher, option, "2", program, "--policy", "mpi", *FARM, "--batch-ms", "5")
        self.assertEqual((batches["missing"], sum(batches["done"])), (0, 500))

    def test_mistakes(self) -> None:
        """They are told."""
        done = subprocess.run([PROGRAM, "--rate", "x"], capture_output=True, check=False, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("thalweg_micro_adapt: rate: 'x' is no pattern", done.stderr)
        for steps in ("1", "1:0", "2:1,1:2", "a:1", "1:b"):
            done = subprocess.run(
                [PROGRAM, "--resize", steps, "--seconds", "0.1"], capture_output=True, check=False, text=True
            )
            self.assertEqual(done.returncode, 2, steps)
            self.assertIn("must be `seconds:replicas`", done.stderr)


if __name__ == "__main__":
    PROGRAM, *OVER_MPI = sys.argv[1:]
    del sys.argv[1:]
    unittest.main()
