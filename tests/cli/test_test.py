"""Tests of how `./thalweg test` shows what failed."""

import os
import unittest
from collections.abc import Callable
from threading import Event
from unittest.mock import patch

from thalweg_cli.base.terminal import Failed
from thalweg_cli.build.ctest import Results
from thalweg_cli.setup.cross import get_cross_tools
from thalweg_cli.test import (
    LINES_PER_FAILURE,
    PLANS,
    Preset,
    beside,
    builds,
    get_what_pages_need,
    results_of,
    run_all,
    sanitizer_options,
    telling_lines,
    with_their_compiler,
)


class TellingLines(unittest.TestCase):
    """`telling_lines` is what helps to find the cause."""

    def test_a_report_from_its_beginning(self) -> None:
        frames = [f"    #{i} f" for i in range(200)]
        for first in (
            "WARNING: ThreadSanitizer: data race (pid=1)",
            "==1==ERROR: AddressSanitizer: heap-use-after-free",
            "a.cpp:3:4: runtime error: signed integer overflow",
        ):
            shown = telling_lines("\n".join(["[ RUN ] x", first, *frames])).splitlines()
            self.assertEqual(shown[0], first)
            self.assertEqual(len(shown), LINES_PER_FAILURE)

    def test_the_end_of_anything_else(self) -> None:
        shown = telling_lines("\n".join(str(i) for i in range(200))).splitlines()
        self.assertEqual(shown[-1], "199")
        self.assertEqual(len(shown), LINES_PER_FAILURE)


class CommandLine(unittest.TestCase):
    """What unittest tells of the tests of the command line."""

    def results(self, said: str, code: int) -> tuple[int, int, list[str], str]:
        """What passed and was skipped, what failed, and what is printed."""
        with patch("thalweg_cli.test.console") as console:
            found = results_of(said, code)
        printed = " ".join(str(call.args[0]) for call in console.print.mock_calls)
        return found.passed, found.skipped, [one.name for one in found.failures], printed

    def test_skipped_ones_are_counted_and_told_of(self) -> None:
        said = (
            "test_a (x.A.test_a) ... ok\ntest_b (x.A.test_b) ... skipped 'there is no browser'\n"
            "test_c (x.A.test_c) ... skipped 'there is no browser'\n"
            'setUpClass (x.B) ... skipped "it isn\'t there"\n\nRan 3 tests in 1s\n\nOK (skipped=3)\n'
        )
        passed, skipped, failed, printed = self.results(said, 0)
        self.assertEqual((passed, skipped, failed), (1, 3, []))
        self.assertEqual(printed.count("there is no browser"), 1)
        self.assertIn("it isn't there", printed)

    def test_failures(self) -> None:
        said = "test_a (x) ... FAIL\n\nFAIL: test_a (x)\nRan 2 tests in 1s\n\nFAILED (failures=1)\n"
        self.assertEqual(self.results(said, 1)[:3], (1, 0, ["test_a (x)"]))
        self.assertEqual(self.results("Ran 2 tests in 1s\n", 1)[2], ["tests/cli"])
        with self.assertRaises(Failed):
            results_of("Ran 0 tests in 0s", 0)


class WhatPagesNeed(unittest.TestCase):
    """What the tests of pages need is installed before they run, where that is possible."""

    def test_it_goes_on_without(self) -> None:
        with (
            patch("thalweg_cli.test.get_tools", side_effect=Failed("no network")) as got,
            patch("thalweg_cli.test.console") as console,
            patch.object(Failed, "show"),
        ):
            get_what_pages_need()
        got.assert_called_once_with(for_tests=True)
        self.assertIn("are skipped", str(console.print.call_args))


class Plans(unittest.TestCase):
    """Which folders of tests take part in a build."""

    def test_more_of_them_where_there_is_time(self) -> None:
        plan = PLANS[Preset.ASAN]
        usual = plan.existing_folders(long=False)
        self.assertIn("net", usual)
        self.assertNotIn("observe", usual)
        self.assertEqual(plan.existing_folders(long=True), [*usual, "observe", "mpi_rest", "spar"])
        self.assertEqual(PLANS[Preset.FUZZ].existing_folders(long=False), ["fuzz"])
        self.assertEqual(PLANS[Preset.RELEASE].existing_folders(long=True), [], "which means all")

    def test_builds(self) -> None:
        usual = [Preset.RELEASE, Preset.ASAN, Preset.TSAN, Preset.FUZZ]
        self.assertEqual(builds(None, quick=False, long=False), usual)
        self.assertEqual(builds(None, quick=False, long=True), [*usual, Preset.AARCH64])
        self.assertEqual(builds(None, quick=True, long=False), [Preset.RELEASE])
        self.assertEqual(builds(Preset.AARCH64, quick=False, long=False), [Preset.AARCH64])

    def test_cross_tools_are_installed_if_they_are_missing(self) -> None:
        for place, wanted in (("/somewhere", []), (None, [["g++-aarch64-linux-gnu", "qemu-user"]])):
            with (
                patch("thalweg_cli.setup.cross.shutil.which", return_value=place),
                patch("thalweg_cli.setup.cross.install_all") as install,
            ):
                get_cross_tools()
            self.assertEqual([call.args[0] for call in install.call_args_list], wanted)

    def test_fuzzers_where_there_is_a_compiler_for_them(self) -> None:
        both = [Preset.RELEASE, Preset.FUZZ]
        for place, left in (("/somewhere/clang++-16", both), (None, both[:1])):
            with patch("shutil.which", return_value=place), patch("thalweg_cli.test.console") as said:
                self.assertEqual(with_their_compiler(both), left)
            self.assertEqual("there is no clang++-16" in str(said.print.call_args), place is None)


class Beside(unittest.TestCase):
    """The next build goes on while tests run, and takes what they leave of the processors."""

    def phases(
        self, build: Callable[[str], None], tests: Callable[[str], Results]
    ) -> tuple[Results, list[str]]:
        """What comes of the release build and of two others, with these for building and for testing."""
        with (
            patch("thalweg_cli.test.build", lambda preset, *_, **__: build(preset)),
            patch("thalweg_cli.test.run_ctest", lambda folder, **_: tests(folder.name)),
            patch("thalweg_cli.test.test_command_line", lambda: Results(passed=1)),
            patch("thalweg_cli.test.console"),
            patch.object(Failed, "show"),
        ):
            return run_all([Preset.RELEASE, Preset.ASAN, Preset.FUZZ], 1.0)

    def test_the_next_build_begins_while_tests_run(self) -> None:
        begun = {name: Event() for name in ("release", "asan", "fuzz")}
        policies = []

        def build(preset: str) -> None:
            policies.append(os.sched_getscheduler(0))
            begun[preset].set()

        def tests(_: str) -> Results:
            return Results(passed=int(begun["fuzz"].wait(60)))

        own = os.sched_getscheduler(0)
        total, told = self.phases(build, tests)
        self.assertEqual((total.passed, len(total.failures)), (4, 0))
        self.assertEqual([line.split(":")[0] for line in told], ["release", "asan", "fuzz", "command line"])
        self.assertEqual(policies, [own, os.SCHED_IDLE, os.SCHED_IDLE])
        self.assertEqual(os.sched_getscheduler(0), own)

    def test_a_build_that_fails_is_told_of_in_its_turn(self) -> None:
        tested = []

        def build(preset: str) -> None:
            if preset == Preset.ASAN:
                raise Failed("the build of asan failed")

        def tests(preset: str) -> Results:
            tested.append(preset)
            return Results(passed=1)

        total, told = self.phases(build, tests)
        self.assertEqual(tested, ["release", "fuzz"])
        self.assertEqual([one.name for one in total.failures], ["asan: the build of asan failed"])
        self.assertEqual([line.split(":")[0] for line in told], ["release", "fuzz", "command line"])

    def test_nothing_more_is_begun_after_an_interrupt(self) -> None:
        given_up = Event()
        begun: list[str] = []
        with self.assertRaises(KeyboardInterrupt), beside() as thread:
            thread.submit(given_up.wait, 60)
            thread.submit(begun.append, "more").add_done_callback(lambda _: given_up.set())
            raise KeyboardInterrupt
        self.assertEqual(begun, [])


class SanitizerOptions(unittest.TestCase):
    """`sanitizer_options` names what turns addresses into lines, if there is something."""

    def test_with_and_without_addr2line(self) -> None:
        for found in ("/somewhere/addr2line", None):
            with patch("shutil.which", return_value=found):
                options = sanitizer_options()
            self.assertEqual(set(options), {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"})
            for text in options.values():
                self.assertEqual("external_symbolizer_path" in text, found is not None)

    def test_a_report_is_no_error_of_a_program(self) -> None:
        for text in sanitizer_options().values():
            code = int(dict(option.split("=", 1) for option in text.split(":"))["exitcode"])
            self.assertNotIn(code, (0, 1))


if __name__ == "__main__":
    unittest.main()
