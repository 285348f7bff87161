"""The comparison of the shared library with the static one, and of compilers that read the header."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from thalweg_cli.base.terminal import Failed
from thalweg_cli.micro import compile as micro_compile
from thalweg_cli.micro import shared
from thalweg_cli.micro.results import Results


class Shared(unittest.TestCase):
    """Both programs run in turn, with the same work; the ratio is held against the bar."""

    def measured(self, nanoseconds: dict[str, float], *, quick: bool = False) -> tuple[Results, list[str]]:
        """What is found where the programs say this, and in which order they ran."""
        ran: list[str] = []

        def said(program: Path, *arguments: str) -> str:
            if arguments[0] == "steps":
                return "42"
            self.assertEqual(arguments[1], "42")
            preset = program.parts[-3]
            ran.append(preset)
            return str(nanoseconds[preset] + 0.01 * (len(ran) % 3))

        results = Results(quick=quick)
        with mock.patch.object(shared, "build"), mock.patch.object(shared, "said", said):
            shared.measure_shared(results, 3)
        return results, ran

    def test_each_comes_first_as_often_as_second(self) -> None:
        _, ran = self.measured({"release": 50.0, "shared": 50.0})
        self.assertEqual(len(ran), 2 * shared.PAIRS)
        firsts = ran[::2]
        self.assertLessEqual(abs(firsts.count("release") - firsts.count("shared")), 1)

    def test_is_held_against_the_bar(self) -> None:
        for nanoseconds, passes in ((50.2, True), (55.0, False)):
            results, _ = self.measured({"release": 50.0, "shared": nanoseconds})
            static, with_shared = results.of("shared")
            self.assertIsNone(static.ratio)
            assert with_shared.ratio is not None
            self.assertAlmostEqual(with_shared.ratio.median, nanoseconds / 50.0, places=2)
            self.assertEqual(with_shared.passed, passes)

    def test_a_quick_run_is_short(self) -> None:
        results, ran = self.measured({"release": 50.0, "shared": 50.0}, quick=True)
        self.assertEqual(len(ran), 6)
        self.assertEqual(results.of("shared")[0].items, shared.QUICK_ITEMS)

    def test_says_why_a_program_failed(self) -> None:
        with self.assertRaises(Failed) as caught:
            shared.said(Path("/bin/ls"), "/no/such/folder")
        self.assertIn("No such file", str(caught.exception.output))


class Compilers(unittest.TestCase):
    """Reading the header is timed with GCC and the oldest and the newest Clang."""

    def test_are_found(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("g++", "clang++-9", "clang++-16", "clang++-19", "clang++-x"):
                program = Path(folder) / name
                program.write_text("#!/bin/sh\n")
                program.chmod(0o755)
            with mock.patch.dict("os.environ", {"PATH": folder}):
                ours = micro_compile.other_compilers(f"{folder}/g++")
                theirs = micro_compile.other_compilers(f"{folder}/clang++-19")
        self.assertEqual(ours, ["clang++-9", "clang++-19"])
        self.assertEqual(theirs, ["g++", "clang++-9"])


if __name__ == "__main__":
    unittest.main()
