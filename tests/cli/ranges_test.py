"""Ranges on the command line, and SPBench's spellings of options."""

import unittest

import typer
from thalweg_cli.app import app
from thalweg_cli.ranges import FREQUENCY, NTHREADS, arguments_of
from thalweg_cli.spellings import ALIASES, flags_of, rewrite
from thalweg_cli.terminal import Failed


class Ranges(unittest.TestCase):
    """Ranges mean what they mean in SPBench."""

    def test_whole_numbers(self) -> None:
        for text, values in {
            "3": [3],
            "1:4": [1, 2, 3, 4],
            "4:1": [4, 3, 2, 1],
            "1:2:8": [1, 2, 4, 6, 8],
            "3:2:7": [3, 5, 7],
            "2:5:20": [2, 7, 12, 17],
            "4:4:16": [4, 8, 12, 16],
            "20:5:2": [20, 15, 10, 5],
            "8:2:1": [8, 6, 4, 2],
            "1:1:3": [1, 2, 3],
            "1:9:5": [1],
            "7:5:9": [7],
            "3:3": [3],
        }.items():
            with self.subTest(text):
                self.assertEqual(NTHREADS.values(text), values)

    def test_real_numbers(self) -> None:
        for text, values in {
            "0.5": [0.5],
            "1e6": [1e6],
            "0.1:0.1:0.4": [0.1, 0.2, 0.3, 0.4],
            "1:2.5:6": [1, 2.5, 5],
            "1:0.4:0.3": [1, 0.6],
            "0.1:0.5:2": [0.1, 0.6, 1.1, 1.6],
        }.items():
            with self.subTest(text):
                self.assertEqual(FREQUENCY.values(text), values)

    def test_arguments(self) -> None:
        for texts, found in (
            ([], [()]),
            (["tbb", "a:1"], [("tbb", "a:1")]),
            (["2:2:4", "x"], [("2", "x"), ("4", "x")]),
            (["1:2", "3:4"], [("1", "3"), ("1", "4"), ("2", "3"), ("2", "4")]),
            (["=1:4", "=x"], [("1:4", "=x")]),
        ):
            with self.subTest(texts):
                self.assertEqual(arguments_of(texts), found)

    def test_what_is_no_range(self) -> None:
        for text in ("", "0", "1:0", "a", "1:2:3:4", "1:", "-1", "1.5", "4097", "1:0:5", "٣"):
            with self.subTest(text), self.assertRaisesRegex(Failed, "--nthreads"):
                NTHREADS.values(text)
        for text in ("1:2", "nan", "inf", "1e13", "1e999", "-5", "0.0", "1:-1:3"):
            with self.subTest(text), self.assertRaisesRegex(Failed, "--frequency"):
                FREQUENCY.values(text)

    def test_slip_that_would_take_weeks(self) -> None:
        with self.assertRaisesRegex(Failed, "more than 1000 values"):
            FREQUENCY.values("1:0.001:1e12")


class Spellings(unittest.TestCase):
    """`rewrite` lets SPBench's users type what they know."""

    def rewritten(self, line: str) -> str:
        """A command line as our commands know it."""
        return " ".join(rewrite(line.split(), typer.main.get_group(app)))

    def test_one_dash(self) -> None:
        self.assertEqual(
            self.rewritten("exec -bench bzip2_tbb -input huge -nthreads 1:40 -memory-usage -in-memory"),
            "exec --bench bzip2_tbb --input huge --nthreads 1:40 --memory-usage --in-memory",
        )
        self.assertEqual(self.rewritten("list -ppi=tbb"), "list --ppi=tbb")

    def test_other_names(self) -> None:
        self.assertEqual(
            self.rewritten("execute -batch-size 5 -freq-patt wave,1,2,3 -latency-monitor 10 -test-result"),
            "exec --batch 5 --freq-pattern wave,1,2,3 --latency --monitor 10 --verify",
        )
        commands = typer.main.get_group(app).commands.values()
        for ours in ALIASES.values():
            with self.subTest(ours):
                self.assertTrue(any(set(ours) <= set(flags_of(command)) for command in commands))
        self.assertEqual(self.rewritten("exec -debug -class small"), "exec --debug --input small")

    def test_other_names_of_commands(self) -> None:
        self.assertEqual(self.rewritten("list-op -app bzip2"), "list operators --app bzip2")
        self.assertEqual((self.rewritten("-version"), self.rewritten("--version")), ("version", "version"))
        self.assertEqual(
            self.rewritten("new-input -app bzip2 -name mine -file a.txt -md5 00"),
            "new-input --app bzip2 --name mine --file a.txt --hash 00",
        )
        self.assertEqual(self.rewritten("download-inputs -class test"), "download-inputs --input test")

    def test_options_with_any_number_of_values(self) -> None:
        for line, ours in (
            ("exec --freq-recipe", "--freq-recipe all"),
            ("exec --freq-recipe --bench x", "--freq-recipe all --bench x"),
            (
                "exec -freq-recipe wave spike -app bzip2",
                "--freq-recipe wave --freq-recipe spike --app bzip2",
            ),
            ("exec --freq-recipe=wave --bench x", "--freq-recipe=wave --bench x"),
            ("exec --user-arg --freq-recipe", "--user-arg --freq-recipe"),
        ):
            with self.subTest(line):
                self.assertEqual(self.rewritten(line), f"exec {ours}")

    def test_values_stay(self) -> None:
        for line in ("exec --user-arg -bench --bench x", "exec --input -5", "exec -- -bench", "demo -p pool"):
            with self.subTest(line):
                self.assertEqual(self.rewritten(line), line)
        self.assertEqual(
            self.rewritten("exec -user-arg -bench -user-arg"), "exec --user-arg -bench --user-arg"
        )

    def test_what_is_unknown_stays(self) -> None:
        for line in ("", "tset -bench", "--help", "demo -ppool", "exec - --nthread 4"):
            with self.subTest(line):
                self.assertEqual(self.rewritten(line), line)

    def test_misspelt_option_is_told_what_may_be_meant(self) -> None:
        self.assertEqual(self.rewritten("exec -nthread 4"), "exec --nthread 4")
