"""All commands and options of SPBench's command line: each is accepted here, or says what to use instead."""

import unittest
from collections.abc import Mapping

import typer
from thalweg_cli.app import app
from thalweg_cli.base.terminal import WrongUsage
from thalweg_cli.results.store import default_file
from thalweg_cli.spellings import REFUSED, rewrite

SPBENCH: Mapping[str, tuple[str, ...]] = {
    "install": ("", "-app ferret", "-app all"),
    "new": ("-benchmark a -app bzip2 -ppi tbb", "-from bzip2_tbb", "-nsources"),
    "edit": ("-benchmark a", "-editor vim"),
    "edit-op": ("-benchmark a -operator Compress", "-editor vim"),
    "configure": ("-benchmark a", "-editor vim"),
    "global-config": ("", "-editor vim"),
    "update": ("", "-benchmark a", "-benchmark all", "-app bzip2", "-app all", "-ppi tbb"),
    "compile": ("", "-benchmark a", "-benchmark all", "-app bzip2", "-ppi tbb", "-clean"),
    "clean": ("", "-benchmark a", "-benchmark all", "-app bzip2", "-ppi tbb", "-logs", "-outputs"),
    "exec": (
        "-input test",
        "-benchmark a",
        "-benchmark all",
        "-app bzip2",
        "-ppi tbb",
        "-input test small",
        "-nthreads 4",
        "-nthreads 1:10",
        "-nthreads 4:4:16",
        "-debug",
        "-batch 4",
        "-batch-size 4",
        "-batch-interval 0.5",
        "-monitor 250",
        "-monitor-thread 250",
        "-frequency 100",
        "-freq-pattern wave,10,5,80",
        "-freq-patt spike,10,5,80,20",
        "-in-memory",
        "-latency",
        "-throughput",
        "-latency-monitor",
        "-resource-usage",
        "-memory-usage",
        "-user-arg a",
        "-user-arg a b",
        "-repeat 3",
        "-test-result",
        "-executor perf",
        "-print",
        "-quiet",
        "-d",
    ),
    "execute": ("-input test",),
    "list": ("", "-app bzip2", "-ppi tbb"),
    "delete": ("-benchmark a",),
    "rename": ("-old-name a -new-name b",),
    "list-op": ("-benchmark a",),
    "reset-op": ("", "-benchmark a", "-benchmark all", "-app bzip2", "-ppi tbb"),
    "list-inputs": ("", "-app bzip2"),
    "new-input": ("-id a -app bzip2 -input-string f", "-md5 00"),
    "delete-input": ("-id a -app bzip2",),
    "download-inputs": ("", "-app bzip2", "-app all", "-class test", "-class all", "-force"),
    "new-app": ("-app a -operators b c", "-description it", "-notes it", "-name A"),
    "delete-app": ("-app a",),
    "list-apps": ("",),
    "version": ("",),
}
"""Its commands: of each, first the options that it always has, then the others, one by one."""

GROUP = typer.main.get_group(app)


def parsed(line: str) -> None:
    """Reads a line as the program does, and runs nothing. Raises what tells that it is no command line."""
    name, *arguments = rewrite(line.split(), GROUP)
    command = GROUP.commands[name]
    command.make_context(name, arguments, parent=typer.Context(GROUP))


def lines_of(command: str) -> list[str]:
    """The lines that a user of SPBench types: with each option, and what must be there."""
    needed, *others = SPBENCH[command]
    return [f"{command} {needed}", *(f"{command} {needed} {other}" for other in others)]


class Commands(unittest.TestCase):
    """What a user of SPBench types is never told to be unknown."""

    def test_is_accepted_or_says_what_to_use(self) -> None:
        for command in SPBENCH:
            for line in lines_of(command):
                refused = [one for one in REFUSED.get(command, ()) if f"-{one}" in line.split()]
                with self.subTest(line):
                    if not refused:
                        parsed(line)
                        continue
                    with self.assertRaises(WrongUsage) as caught:
                        parsed(line)
                    self.assertEqual(caught.exception.what, f"{command}: there is no -{refused[0]} here")
                    self.assertEqual(caught.exception.remedy, REFUSED[command][refused[0]])

    def test_what_is_refused_is_of_spbench(self) -> None:
        for command, options in REFUSED.items():
            for option in options:
                with self.subTest(command, option=option):
                    self.assertIn(f"-{option}", " ".join(SPBENCH[command]).split())

    def test_file_of_results_is_where_it_is_said_to_be(self) -> None:
        self.assertIn(" thalweg/results.db ", REFUSED["clean"]["logs"])
        self.assertEqual(default_file().parts[-2:], ("thalweg", "results.db"))

    def test_beginnings_and_two_dashes_are_refused_too(self) -> None:
        for line, option in (
            ("clean -log", "logs"),
            ("clean --outputs", "outputs"),
            ("clean -bench a -out", "outputs"),
            ("new-app -app a -notes=it", "notes"),
        ):
            with self.subTest(line), self.assertRaisesRegex(WrongUsage, f"there is no -{option} here"):
                parsed(line)

    def test_where_they_lead(self) -> None:
        for line, ours in (
            ("new -bench a -app bzip2 -nsources", "new --whole --bench a --app bzip2 --several-sources"),
            ("update -bench lane_ff", "update --bench lane_detection_fastflow"),
            ("update -app lane -ppi ff", "update --app lane_detection --ppi fastflow"),
            ("reset-op -app person -ppi thr", "reset-op --app person_recognition --ppi threads"),
            ("reset-op -bench all", "reset-op all"),
            ("new-app -app a -desc it", "new-app a --description it"),
        ):
            with self.subTest(line):
                self.assertEqual(" ".join(rewrite(line.split(), GROUP)), ours)
