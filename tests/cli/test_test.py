"""Tests of how `./thalweg test` shows what failed."""

import unittest
from unittest.mock import patch

from thalweg_cli.test import (
    LINES_PER_FAILURE,
    PLANS,
    Preset,
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


class Plans(unittest.TestCase):
    """Which folders of tests take part in a build."""

    def test_more_of_them_where_there_is_time(self) -> None:
        plan = PLANS[Preset.ASAN]
        usual = plan.existing_folders(long=False)
        self.assertIn("net", usual)
        self.assertNotIn("flow", usual)
        self.assertEqual(plan.existing_folders(long=True), [*usual, "observe", "flow", "mpi_rest"])
        self.assertEqual(PLANS[Preset.FUZZ].existing_folders(long=False), ["fuzz"])
        self.assertEqual(PLANS[Preset.RELEASE].existing_folders(long=True), [], "which means all")

    def test_fuzzers_where_there_is_a_compiler_for_them(self) -> None:
        both = [Preset.RELEASE, Preset.FUZZ]
        for place, left in (("/somewhere/clang++-16", both), (None, both[:1])):
            with patch("shutil.which", return_value=place), patch("thalweg_cli.test.console") as said:
                self.assertEqual(with_their_compiler(both), left)
            self.assertEqual("there is no clang++-16" in str(said.print.call_args), place is None)


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
