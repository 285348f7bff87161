"""Runs a program of several ranks on what some of them cannot use; looks at what is said and left.

usage: ranks_test.py mpiexec -n program [test ...]
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from launcher import ended_if_stuck, finish

LAUNCHER, FLAG, PROGRAM = sys.argv[1], sys.argv[2], Path(sys.argv[3])
INPUT = Path(os.environ["XDG_CACHE_HOME"]) / "thalweg" / "inputs" / "video_filter" / "test"


class Ranks(unittest.TestCase):
    """Each test has a folder, in which programs have their temporary files, too."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="t")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.output = self.folder / "film.avi"

    def command(self, name: str, *options: str) -> list[str]:
        """What starts three ranks."""
        return [LAUNCHER, FLAG, "3", str(PROGRAM), "-input", name, "-output", str(self.output), *options]

    def environment(self) -> dict[str, str]:
        """That of the test, with a place for temporary files."""
        return {**os.environ, "TMPDIR": str(self.folder)}

    def left(self) -> list[str]:
        """What programs, not the launcher, have left."""
        return [one.name for one in self.folder.iterdir() if one.name.startswith(("thalweg-", ".", "film"))]

    def fails(self, name: str, says: str, *options: str) -> None:
        """One rank says what is wrong, all end, and nothing is left."""
        done = finish(self.command(name, *options), 60, self.environment())
        said = [line for line in done.stderr.splitlines() if line.startswith(f"{PROGRAM.name}: ")]
        self.assertIn(done.returncode, (1, -signal.SIGKILL), done.stderr)
        self.assertEqual(len(said), 1, done.stderr)
        self.assertIn(says, said[0])
        self.assertEqual(self.left(), [])

    def test_operator_of_another_rank_fails(self) -> None:
        if not INPUT.exists():
            subprocess.run([PROGRAM, "-input", "test"], check=True, timeout=60)
        broken = Path(shutil.copytree(INPUT, self.folder / "broken"))
        picture = broken / "frame00030.jpg"
        picture.write_bytes(picture.read_bytes()[:700])
        self.fails(str(broken), "frame00030.jpg")

    def test_output_of_the_first_rank_cannot_be_written(self) -> None:
        self.output = self.folder / "no_folder" / "film.avi"
        self.fails("test", "no_folder")

    def test_options_that_are_wrong_everywhere(self) -> None:
        self.fails("tset", "did you mean 'test'")
        self.fails("tcp://127.0.0.1:0", "what is played comes to one process")

    def test_told_to_stop(self) -> None:
        command = self.command("test", "-frequency", "2")
        with subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=self.environment()
        ) as running:
            patience = time.monotonic() + 30
            while not self.left() and time.monotonic() < patience:
                time.sleep(0.05)
            time.sleep(0.5)
            running.send_signal(signal.SIGTERM)
            with ended_if_stuck(running):
                _, said = running.communicate(timeout=30)
        self.assertNotEqual(running.returncode, 0)
        self.assertIn(f"{PROGRAM.name}: interrupted", said)
        self.assertEqual(self.left(), [])


if __name__ == "__main__":
    unittest.main(argv=[*sys.argv[:1], *sys.argv[4:]])
