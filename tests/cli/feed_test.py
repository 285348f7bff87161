"""`./thalweg feed`: what it starts, and what it refuses."""

import subprocess
import unittest
from unittest import mock

from fake_programs import FakeBuild, program
from thalweg_cli.app import app
from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog.programs import PRESET
from thalweg_cli.measure.command import make_input
from thalweg_cli.run.feed import player_of
from typer.testing import CliRunner, Result

SAYS_OPTIONS = '#!/bin/bash\necho "sent by $(basename "$0"): $*"\n'
REFUSES = '#!/bin/bash\necho "$(basename "$0"): cannot connect to there:1" >&2\nexit 1\n'
SEQUENTIAL = program("primes", "sequential")


class Feed(FakeBuild):
    """The command as a user types it, with a program that only pretends."""

    def setUp(self) -> None:
        super().setUp()
        self.patch("thalweg_cli.run.feed.build_folder", return_value=self.folder)
        self.patch("thalweg_cli.run.feed.known_programs", return_value=self.programs)
        self.patch("thalweg_cli.run.feed.build")
        self.patch("thalweg_cli.run.feed.make_input")

    def type(self, *options: str) -> Result:
        """Runs the command."""
        return CliRunner().invoke(
            app, ["feed", "--app", "primes", "--input", "test", "--to", "there:1", *options]
        )

    def test_the_sequential_program_plays(self) -> None:
        self.add(program("primes", "threads", "farm"), REFUSES)
        self.add(SEQUENTIAL, SAYS_OPTIONS)
        done = self.type()
        self.assertEqual(done.exit_code, 0, done.output)
        self.assertEqual(done.output, "sent by primes_sequential: -input test -feed there:1\n")

    def test_pace_and_batches_come_to_the_program(self) -> None:
        self.add(SEQUENTIAL, SAYS_OPTIONS)
        done = self.type("--frequency", "1e3", "--batch", "4", "--batch-interval", "0.5", "--in-memory")
        self.assertIn("-batch-size 4 -batch-interval 0.5 -frequency 1000 -in-memory\n", done.output)
        self.assertIn("-freq-patt wave,1,2,3\n", self.type("--freq-pattern", "wave,1,2,3").output)

    def test_what_goes_wrong_is_told_in_the_programs_words(self) -> None:
        self.add(SEQUENTIAL, REFUSES)
        done = self.type()
        self.assertIsInstance(done.exception, Failed)
        self.assertIn("primes test could not be played to there:1: cannot connect", str(done.exception))

    def test_one_pace_only(self) -> None:
        self.add(SEQUENTIAL, SAYS_OPTIONS)
        for options, says in (
            (("--frequency", "5", "--freq-pattern", "wave,1,2,3"), "only one of them"),
            (("--frequency", "1:2:9"), "one value, not a range"),
            (("--frequency", ""), "--frequency : not N"),
            (("--batch", "0"), "--batch 0"),
        ):
            self.assertIn(says, str(self.type(*options).exception))

    def test_applications_that_are_not_there(self) -> None:
        missing = program("ferret", "sequential", missing="apt-get install it")
        with self.assertRaisesRegex(Failed, "no application prime"):
            player_of([SEQUENTIAL], "prime")
        with self.assertRaisesRegex(Failed, "cannot be built"):
            player_of([SEQUENTIAL, missing], "ferret")
        with self.assertRaisesRegex(Failed, "no sequential program"):
            player_of([program("primes", "tbb")], "primes")

    def test_no_input_is_made_for_who_waits_for_a_feed(self) -> None:
        with mock.patch("thalweg_cli.catalog.applications.finish") as started:
            make_input("primes", "tcp://localhost:9000/test")
            make_input("primes", "kafka://localhost:9092/primes/test")
        started.assert_not_called()


PRIMES = build_folder(PRESET) / "bench" / "primes_sequential"


@unittest.skipUnless(PRIMES.exists(), "the benchmark programs are not built")
class Played(unittest.TestCase):
    """A real program, and a real feed."""

    def test_a_program_verifies_what_is_played_to_it(self) -> None:
        command = [str(PRIMES), "-input", "tcp://127.0.0.1:0/test", "-verify"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as receiver:
            assert receiver.stderr is not None
            where = receiver.stderr.readline().split(" for ")[0].split()[-1]
            with (
                mock.patch("thalweg_cli.run.feed.known_programs", return_value=[SEQUENTIAL]),
                mock.patch("thalweg_cli.run.feed.build"),
                mock.patch("thalweg_cli.run.feed.make_input"),
            ):
                options = ["--app", "primes", "--input", "test", "--to", where, "--frequency", "200000"]
                done = CliRunner().invoke(app, ["feed", *options])
            shown, complaints = receiver.communicate(timeout=60)
        self.assertEqual((done.exit_code, receiver.returncode), (0, 0), done.output + complaints)
        self.assertRegex(done.output, r"^sent 30000 elements in .* late\n$")
        self.assertIn("verified: good", shown)


if __name__ == "__main__":
    unittest.main()
