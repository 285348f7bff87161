"""`exec --freq-recipe`: patterns of the frequency that follow from what a program can do."""

import unittest
from contextlib import closing

from fake_programs import FakeBuild, a_run, program
from thalweg_cli.app import app
from thalweg_cli.measure.recipe import PERIODS, Pace, patterns_of, short
from thalweg_cli.results.comparison import match
from thalweg_cli.results.store import Store
from thalweg_cli.run.experiment import RECIPE, Setting
from thalweg_cli.run.metrics import TIME
from thalweg_cli.run.runs import Run, Series
from typer.testing import CliRunner, Result

TBB, SEQUENTIAL = program("bzip2", "tbb", "farm"), program("bzip2", "sequential")
PACED = """#!/bin/bash
said=$*
while [ $# -gt 0 ]; do
  case $1 in -json) json=$2 ;; -nthreads) nthreads=$2 ;; esac
  shift
done
echo "$said" >>"$0.log"
n=$(wc -l <"$0.log")
echo "{\\"seconds\\": $((3 * n)), \\"throughput\\": $((100 * nthreads * n))}" >"$json"
"""
"""A program that does more with every run; the first one takes 3 s, at 100 elements a second a thread."""


class Values(unittest.TestCase):
    """What the recipe makes of a throughput and a duration."""

    def test_literature(self) -> None:
        pace = Pace(200, 30)
        self.assertEqual(
            {name: pace.pattern(name) for name in PERIODS},
            {
                "wave": "wave,10,20,220",
                "binary": "binary,10,20,220",
                "increasing": "increasing,30,20,220",
                "decreasing": "decreasing,30,20,220",
                "spike": "spike,10,20,220,10",
            },
        )

    def test_medians_of_the_runs_that_count(self) -> None:
        setting = Setting(TBB, "test")
        runs = [a_run(setting, seconds) for seconds in (1, 2, 10)] + [a_run(setting, 99, warm_up=True)]
        self.assertEqual(Pace.of(Series(setting, runs)), Pace(5, 2))
        self.assertIsNone(Pace.of(Series(setting)))
        self.assertIsNone(Pace.of(Series(setting, [a_run(setting, 1, error="it broke")])))

    def test_numbers_have_no_exponent(self) -> None:
        self.assertEqual([short(x) for x in (1234567.8, 0.0123456, 1 / 3)], ["1235000", "0.01235", "0.3333"])

    def test_names(self) -> None:
        self.assertEqual(patterns_of(["all", "wave"]), list(PERIODS))
        self.assertEqual(patterns_of(["spike", "wave", "spike"]), ["spike", "wave"])

    def test_numbers_do_not_keep_sets_apart(self) -> None:
        one, two = (
            Setting(TBB, "test", freq_pattern=pattern, purpose=RECIPE)
            for pattern in ("wave,1,2,3", "wave,1.1,2,3.5")
        )
        self.assertEqual(one.name, "bzip2_tbb_farm, test, 1 threads, wave by the recipe")
        (pair,), first, second = match([a_run(one, 1)], [a_run(two, 2)], TIME)
        self.assertEqual((pair.before, pair.after, first, second), ((1,), (2,), [], []))
        self.assertEqual(pair.setting.name, one.name)
        by_hand = Setting(TBB, "test", freq_pattern="wave,1,2,3")
        self.assertEqual(match([a_run(one, 1)], [a_run(by_hand, 1)], TIME)[0], [])


class Recipe(FakeBuild):
    """The command as a user types it."""

    def type(self, *options: str) -> Result:
        """Runs the command."""
        command = ["exec", "--bench", "all", "--input", "test", "--store", str(self.store), *options]
        return CliRunner().invoke(app, command)

    def kept(self) -> list[Run]:
        """The runs of the last set."""
        with closing(Store(self.store)) as store:
            return store.runs(store.sets()[-1].id)

    def test_each_program_has_its_own_values(self) -> None:
        self.add(TBB, PACED)
        done = self.type("--freq-recipe", "wave", "--freq-recipe", "spike", "--nthreads", "1:2")
        self.assertEqual(done.exit_code, 0, done.output)
        found = [(run.setting.nthreads, run.setting.freq_pattern, run.setting.purpose) for run in self.kept()]
        self.assertEqual(
            found,
            [
                (1, "", ""),  # the first run: 3 s at 100 a second
                (2, "", ""),  # the second one: 6 s at 400 a second
                (1, "wave,1,10,110", "recipe"),
                (1, "spike,1,10,110,10", "recipe"),
                (2, "wave,2,40,440", "recipe"),
                (2, "spike,2,40,440,10", "recipe"),
            ],
        )
        said = (self.folder / "bench" / "bzip2_tbb_farm.log").read_text("utf-8").splitlines()
        self.assertIn("-input test -nthreads 2 -freq-patt wave,2,40,440 -latency -monitor 250", said[4])
        self.assertRegex(done.output, r"bzip2_tbb_farm +1 +100 +3 +10 +110 +1 *\n")
        self.assertRegex(done.output, r"bzip2_tbb_farm +2 +400 +6 +40 +440 +2 *\n")

    def test_repeats(self) -> None:
        self.add(TBB, PACED)
        self.type("--freq-recipe", "binary", "--repeat", "3", "--warm-up", "1", "--monitor", "40")
        runs = self.kept()
        self.assertEqual([run.warm_up for run in runs], [True] + 6 * [False])
        # Runs 2 to 4 count: the median is 9 s at 300 elements a second.
        self.assertEqual({run.setting.freq_pattern for run in runs[4:]}, {"binary,3,30,330"})
        self.assertIn("-monitor 40", " ".join(runs[-1].command))

    def test_what_failed_has_no_pattern(self) -> None:
        self.add(TBB, "#!/bin/bash\nexit 3\n")
        self.add(SEQUENTIAL, PACED)
        done = self.type("--freq-recipe", "increasing")
        self.assertEqual(done.exit_code, 1)
        self.assertIn("bzip2_tbb_farm, test, 1 threads: it ended with code 3", done.stderr)
        paced = [run.setting.program.name for run in self.kept() if run.setting.freq_pattern]
        self.assertEqual(paced, ["bzip2_sequential"])

    def test_unknown_pattern(self) -> None:
        self.add(TBB, PACED)
        done = self.type("--freq-recipe", "wavy")
        self.assertEqual(done.exit_code, 2)
        self.assertIn("'wavy'", done.stderr)
