"""Runs that adapt themselves: what `exec --adapt` tells programs, keeps and shows."""

import unittest
from contextlib import closing
from pathlib import Path

from fake_programs import MEASURES, FakeBuild, a_run, program
from thalweg_cli.app import app
from thalweg_cli.base.terminal import Failed
from thalweg_cli.report.data import rows_of
from thalweg_cli.results.store import Store
from thalweg_cli.run.adapting import asked, check_programs, named, value_in, words
from thalweg_cli.run.experiment import Conditions, Setting
from thalweg_cli.run.runs import Run
from thalweg_cli.run.stage_samples import file_of, folder_of, written
from typer.testing import CliRunner, Result

OURS = program("bzip2", "thalweg", "farm")
RANKS = program("bzip2", "mpi-thalweg", "farm")
TBB = program("bzip2", "tbb", "farm")
DS2 = "planner=ds2 goal=keep_up every=100ms"

TELLS = MEASURES + 'echo "$THALWEG_ADAPT" >>"$(dirname "$0")/told"\n'
SAMPLES = TELLS + '[ -z "$THALWEG_MONITOR" ] || echo "{}" >>"$THALWEG_MONITOR"\n'


class Exec(FakeBuild):
    """What programs are told."""

    def type(self, *options: str) -> Result:
        """Runs the command."""
        command = ["exec", "--bench", "all", "--input", "test", "--store", str(self.store), *options]
        return CliRunner().invoke(app, command)

    def told(self) -> list[str]:
        """What programs have found in their environment."""
        file = self.folder / "bench" / "told"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def kept(self) -> list[Run]:
        """The runs of the last set."""
        with closing(Store(self.store)) as store:
            return store.runs(store.sets()[-1].id)

    def test_planners_and_goals_take_turns(self) -> None:
        self.add(OURS, TELLS)
        done = self.type("--adapt", "ds2", "--adapt", "mpr", "--goal", "keep_up", "--goal", "latency:0.9:5ms")
        self.assertEqual(done.exit_code, 0, done.output)
        expected = [
            f"planner={planner} goal={goal} every=100ms"
            for planner in ("ds2", "mpr")
            for goal in ("keep_up", "latency:0.9:5ms")
        ]
        self.assertEqual(self.told(), expected)
        self.assertEqual([run.setting.adapt for run in self.kept()], expected)
        for word in ("planner", "goal", "ds2", "mpr", "keep_up", "latency:0.9:5ms"):
            self.assertIn(word, done.output)

    def test_one_planner_stands_in_the_title(self) -> None:
        self.add(OURS, TELLS)
        done = self.type("--adapt", "ds2", "--adapt-every", "250ms")
        self.assertEqual(self.told(), ["planner=ds2 goal=keep_up every=250ms"])
        self.assertIn("planner: ds2, goal: keep_up", done.output)

    def test_beside_the_same_without(self) -> None:
        self.add(OURS, TELLS)
        self.type("--adapt", "none", "--adapt", "ds2", "--goal", "throughput", "--goal", "keep_up")
        self.assertEqual(
            self.told(),
            ["", "planner=ds2 goal=throughput every=100ms", "planner=ds2 goal=keep_up every=100ms"],
        )

    def test_nothing_without_the_option(self) -> None:
        self.add(OURS, TELLS)
        done = self.type()
        self.assertEqual(self.told(), [""])
        self.assertEqual([run.setting.adapt for run in self.kept()], [""])
        self.assertNotIn("planner", done.output)

    def test_with_patterns_and_samples_of_stages(self) -> None:
        self.add(OURS, SAMPLES)
        done = self.type(
            "--adapt", "none", "--adapt", "ds2", "--freq-pattern", "wave,1,2,3", "--monitor", "20"
        )
        self.assertEqual(done.exit_code, 0, done.output)
        self.assertEqual(self.told(), ["", DS2])
        self.assertEqual({run.setting.freq_pattern for run in self.kept()}, {"wave,1,2,3"})
        self.assertEqual(len(written(folder_of(self.store, 1))), 2)

    def test_programs_of_others_are_refused(self) -> None:
        self.add(OURS, TELLS)
        self.add(TBB, TELLS)
        done = self.type("--adapt", "ds2")
        self.assertIsInstance(done.exception, Failed)
        self.assertIn("adapt themselves, and bzip2_tbb_farm is not", str(done.exception))
        self.assertEqual(self.told(), [])
        self.assertEqual(self.type("--adapt", "none").exit_code, 0)

    def test_mistakes(self) -> None:
        self.add(OURS, TELLS)
        for options, says in (
            (("--goal", "keep_up"), "--goal works only with --adapt"),
            (("--goal", "keep_up", "--adapt-every", "1s"), "--goal and --adapt-every work only with --adapt"),
            (("--adapt", "ds2 every=1ms"), "--adapt 'ds2 every=1ms': it must be a word without spaces"),
            (("--adapt", ""), "--adapt '': it must be a word"),
            (("--adapt", "ds2", "--goal", "a b"), "--goal 'a b': it must be a word"),
            (("--adapt", "ds2", "--adapt-every", "1 s"), "--adapt-every '1 s': it must be a word"),
        ):
            with self.subTest(options):
                done = self.type(*options)
                self.assertIsInstance(done.exception, Failed)
                self.assertIn(says, str(done.exception))
        self.assertEqual(self.told(), [])

    def test_a_command_for_a_shell(self) -> None:
        self.add(OURS, TELLS)
        done = self.type("--adapt", "ds2", "--dry-run", "--executor", "perf stat")
        self.assertTrue(done.output.startswith(f"env 'THALWEG_ADAPT={DS2}' perf stat "), done.output)


class Parts(unittest.TestCase):
    """Texts, and what is made of them."""

    def test_texts(self) -> None:
        self.assertEqual(asked([], [], ""), [""])
        self.assertEqual(
            asked(["external:unix=/a"], [], ""), ["planner=external:unix=/a goal=keep_up every=100ms"]
        )
        self.assertEqual(asked(["none", "ds2", "ds2"], [], ""), ["", DS2])

    def test_values(self) -> None:
        text = "planner=external:unix=/a goal=latency:0.9:5ms every=1s"
        self.assertEqual(value_in(text, "planner"), "external:unix=/a")
        self.assertEqual(value_in(text, "goal"), "latency:0.9:5ms")
        self.assertIsNone(value_in("", "goal"))
        self.assertEqual(named(text), "external:unix=/a for latency:0.9:5ms")
        self.assertEqual((named(""), words("")), ("", []))

    def test_who_can(self) -> None:
        check_programs([OURS, RANKS], [DS2])
        check_programs([TBB], [""])
        with self.assertRaisesRegex(Failed, "bzip2_tbb_farm is not"):
            check_programs([OURS, TBB], ["", DS2])

    def test_each_run_has_a_separate_file(self) -> None:
        """Also if the planners differ by nothing but signs, and in the window alone."""
        texts = [DS2, DS2.replace("100", "200"), "", *(f"planner=a{sign}b goal=c" for sign in ":/")]
        names = {file_of(Path("a"), Setting(OURS, "test", adapt=text), 1) for text in texts}
        self.assertEqual(len(names), len(texts))

    def test_planners_are_lines_of_one_plot(self) -> None:
        runs = [a_run(Setting(OURS, "test", adapt=text), 1) for text in ("", DS2)]
        one = type("Set", (), {"id": 1, "conditions": Conditions().as_plain(), "findings": []})()
        rows = rows_of([(one, runs)])  # type: ignore[list-item]
        self.assertEqual([row.way for row in rows], ["thalweg farm", "thalweg farm, ds2 for keep_up"])
        self.assertEqual(len({row.case for row in rows}), 1)
        self.assertEqual(len({row.look for row in rows}), 2)


if __name__ == "__main__":
    unittest.main()
