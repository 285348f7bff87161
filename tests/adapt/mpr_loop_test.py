"""The example of a controller: it decides as MPR does, and a run does what it says.

usage: mpr_loop_test.py program example
"""

import json
import runpy
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
EXAMPLE = ""


class MprLoopTest(unittest.TestCase):
    """A run in virtual time, and the controller as a separate program."""

    def setUp(self) -> None:
        """Makes room for a socket."""
        self.address = "unix:" + str(Path(self.enterContext(tempfile.TemporaryDirectory())) / "run.sock")

    def controller(self) -> subprocess.Popen[str]:
        """Starts one."""
        command = [sys.executable, EXAMPLE, self.address, "work", "1000"]
        started = self.enterContext(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        self.addCleanup(started.kill)
        return started

    def run_begins(self) -> subprocess.Popen[str]:
        """Starts the run."""
        started = self.enterContext(
            subprocess.Popen([PROGRAM, self.address], stdout=subprocess.PIPE, text=True)
        )
        self.addCleanup(started.kill)
        return started

    def test_steps_are_those_of_mpr(self) -> None:
        """The limits belong to the dead band."""
        planned = runpy.run_path(EXAMPLE)["planned"]
        ratios = [2.01, 2, 1.51, 1.5, 1.26, 1.25, 1, 0.9375, 0.93, 0.75, 0.74, 0.5, 0.49]
        self.assertEqual(
            [planned(10, 48, ratio) - 10 for ratio in ratios], [-4, -2, -2, -1, -1, 0, 0, 0, 1, 1, 2, 2, 4]
        )
        self.assertEqual([planned(4, 48, 3), planned(5, 48, 3), planned(48, 48, 3)], [4, 1, 44])
        self.assertEqual([planned(44, 48, 0.1), planned(43, 48, 0.1)], [44, 47])

    def test_replicas_follow_the_load(self) -> None:
        """Up to the goal, and down again when replicas are faster."""
        controller = self.controller()  # it waits for the run
        out, _ = self.run_begins().communicate()
        counts = [int(line) for line in out.split()]
        self.assertEqual(counts[0], 5)  # a tenth of the goal: four more
        self.assertGreaterEqual(max(counts), 10)
        self.assertEqual(counts[-1], 4)
        said, _ = controller.communicate()
        self.assertEqual(controller.returncode, 0)
        answers = [json.loads(line) for line in said.splitlines()]
        self.assertEqual(answers[0]["replicas"], {"work": 5})
        self.assertFalse([answer for answer in answers if "refused" in answer])

    def test_a_killed_controller_can_be_replaced(self) -> None:
        """The run goes on without it, and with the next one."""
        run = self.run_begins()
        first = self.controller()
        assert run.stdout
        run.stdout.readline()
        first.kill()
        first.wait()
        self.controller()
        out, _ = run.communicate()
        self.assertEqual(run.returncode, 0)
        self.assertEqual(out.split()[-1], "4")


if __name__ == "__main__":
    EXAMPLE = sys.argv.pop()
    PROGRAM = sys.argv.pop()
    unittest.main()
