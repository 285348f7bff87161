"""Runs a program whose source and sink are on two ranks: the one with the sink tells of both.

usage: source_apart_test.py mpiexec -n program [test ...]
"""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

from launcher import finish

LAUNCHER, FLAG, PROGRAM = sys.argv[1], sys.argv[2], Path(sys.argv[3])
LINES = 300


class Apart(unittest.TestCase):
    """Each test has a folder for results."""

    def results(self, *options: str) -> dict[str, object]:
        """What two ranks have written."""
        with tempfile.TemporaryDirectory() as folder:
            found = Path(folder, "results.json")
            command = [LAUNCHER, FLAG, "2", str(PROGRAM), "-input", "test", "-json", str(found), *options]
            done = finish(command, 60, dict(os.environ))
            self.assertEqual(done.returncode, 0, done.stderr)
            read: dict[str, object] = json.loads(found.read_text(encoding="utf-8"))
            return read

    def test_the_rank_with_the_sink_writes(self) -> None:
        found = self.results("-verify", "-latency", "-in-memory")
        self.assertEqual(found["elements"], LINES)
        self.assertIn("'good': True", str(found["verified"]))
        self.assertEqual(len(list(found["ranks"])), 2)  # type: ignore[call-overload]
        self.assertIn(f"'count': {LINES}", str(found["latency"]))

    def test_what_the_source_passes_over_is_told(self) -> None:
        # A line takes longer to draw than the time until the next one is due: such moments are passed over.
        found = self.results("-frequency", "1000000", "-when-late", "skip")
        self.assertGreater(int(str(found["passed_over"])), 0)


if __name__ == "__main__":
    unittest.main(argv=[*sys.argv[:1], *sys.argv[4:]])
