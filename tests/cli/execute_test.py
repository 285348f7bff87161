"""`./thalweg exec`: what it runs, keeps and shows."""

import io
import json
import os
import resource
import unittest
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from unittest import mock

from fake_programs import MEASURES, READS_OPTIONS, FakeBuild, a_run, program
from rich.console import Console
from thalweg_cli.app import app
from thalweg_cli.base import terminal
from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog import applications
from thalweg_cli.catalog.user_benchmarks import OPERATORS
from thalweg_cli.measure import command as execute_module
from thalweg_cli.measure import live, measuring
from thalweg_cli.measure.command import execute
from thalweg_cli.results.run_table import Shown, table_of
from thalweg_cli.results.store import Store
from thalweg_cli.run.experiment import Conditions, Setting
from thalweg_cli.run.metrics import LATENCY, METRICS, TIME, summary
from thalweg_cli.run.runs import Run, Series, in_series, measure
from typer.testing import CliRunner, Result

TBB = program("bzip2", "tbb", "farm")
SEQUENTIAL = program("bzip2", "sequential")
LOGS = MEASURES + 'echo "$0 $nthreads" >>"$(dirname "$0")/log"\n'
FAILS_THE_SECOND_TIME = """if ! mkdir "$0.ran" 2>/dev/null && mkdir "$0.failed" 2>/dev/null; then
  echo "loading the model" >&2; echo "bzip2_tbb_farm: no more memory" >&2; exit 7
fi
"""
WRITES_THREE = (
    MEASURES.replace("-json)", "-output) output=$2 ;; -json)")
    + 'echo one >"$output"; echo other >"$output.2"; echo third >"$output.3"\n'
)
VERIFIES = """#!/bin/bash
[ "$3" = broken ] && { echo "$4: wrong: $3"; exit 1; }
echo "$4: good: $3"
"""
REFUSES = """case "$*" in *wav,*)
  echo "bzip2_tbb_farm: -freq-patt: there is no frequency pattern 'wav'" >&2; exit 1 ;;
esac
"""


class Execute(FakeBuild):
    """The command as a user types it, with programs that only pretend."""

    def type(self, *options: str, on: str = "test") -> Result:
        """Runs the command."""
        command = ["exec", "--bench", "all", "--input", on, "--store", str(self.store), *options]
        return CliRunner().invoke(app, command)

    def kept(self) -> list[Run]:
        """The runs of the last set."""
        store = Store(self.store)
        self.addCleanup(store.close)
        return store.runs(store.sets()[-1].id)

    def test_every_run_is_a_row(self) -> None:
        self.add(TBB)
        done = self.type("--nthreads", "2:2:4", "--repeat", "2", "--label", "first", "--verify")
        self.assertEqual(done.exit_code, 0, done.output)
        self.assertIn("kept as set 1", done.output)
        found = [(run.setting.nthreads, run.number, run.result["seconds"]) for run in self.kept()]
        self.assertEqual(found, [(2, 1, 0.5), (4, 1, 0.5), (2, 2, 0.5), (4, 2, 0.5)])
        self.assertEqual(self.kept()[0].command[1:], ("-input", "test", "-nthreads", "2", "-verify"))

    def test_what_is_varied_comes_to_the_programs(self) -> None:
        self.add(TBB)
        self.type(
            *("--input", "small", "--batch", "1:3", "--batch-bytes", "4096"),
            *("--batch-interval", "0.5", "--frequency", "1e6:5e5:2e6"),
        )
        self.assertEqual(len(self.kept()), 2 * 3 * 3)
        last = " ".join(self.kept()[-1].command[1:])
        self.assertEqual(
            last,
            "-input small -nthreads 1 -batch-size 3 -batch-bytes 4096 -batch-interval 0.5 -frequency 2000000",
        )

    def test_each_source_has_an_input(self) -> None:
        self.add(TBB)
        file = self.folder / "a,b"
        file.touch()
        for given, words in (
            ("test,small,test", ("test", "small", "test")),
            (str(file), (str(file),)),
            ("kafka://a,b/topic", ("kafka://a,b/topic",)),
        ):
            with self.subTest(given):
                self.type(on=given)
                (run,) = self.kept()
                self.assertEqual(run.setting.input, given)
                options = [word for name in words for word in ("-input", name)]
                self.assertEqual(list(run.command[1:-2]), options)
        made = [call.args for call in execute_module.make_input.call_args_list]  # type: ignore[attr-defined]
        self.assertEqual(made[:2], [("bzip2", "test"), ("bzip2", "small")])
        done = self.type(on="test,,small")
        self.assertEqual(done.exit_code, 1)
        self.assertIsInstance(done.exception, Failed)

    def test_the_output_of_each_source_is_checked_by_the_application(self) -> None:
        (self.folder / OPERATORS).mkdir()
        own = replace(TBB, user_folder=self.folder)
        tool = self.folder / "apps" / "inputs" / applications.TOOL
        for file in (self.folder / own.executable, tool):
            file.parent.mkdir(parents=True)
            file.write_text(WRITES_THREE if file != tool else VERIFIES, encoding="utf-8")
            file.chmod(0o755)
        for inputs, good, says in (
            ("test,small", True, "test; source 2: small; source 3: test"),
            ("test,broken", False, "test; source 2: broken"),
        ):
            with self.subTest(inputs):
                run = measure(Setting(own, inputs), Conditions(verify=True), 1)
                self.assertEqual(run.result["verified"], {"good": good, "says": says})
                self.assertEqual(run.error, "" if good else f"the output is wrong: {says}")

    def test_conditions_come_to_the_programs(self) -> None:
        self.add(TBB)
        options = [
            "--in-memory",
            "--monitor",
            "20",
            "--freq-pattern",
            "wave,1,2,3",
            "--latency",
            "--when-late",
            "skip",
        ]
        self.type(*options, "--user-arg", "-x", "--executor", "env A=1")
        command = self.kept()[0].command
        self.assertEqual(command[:2], ("env", "A=1"))
        said = "-freq-patt wave,1,2,3 -user-arg -x -latency -in-memory -when-late skip -monitor 20"
        self.assertTrue(" ".join(command).endswith(said), command)

    def test_rounds_take_programs_in_turn_and_warm_up_first(self) -> None:
        self.add(TBB, LOGS)
        self.add(SEQUENTIAL, LOGS)
        done = self.type("--nthreads", "2", "--repeat", "2", "--warm-up", "1")
        log = (self.folder / "bench" / "log").read_text(encoding="utf-8").split()
        self.assertEqual([Path(name).name for name in log[::2]], ["bzip2_tbb_farm", "bzip2_sequential"] * 3)
        self.assertEqual(log[1::2], ["2", "1"] * 3)  # What is sequential has one thread.
        self.assertEqual(
            [(run.warm_up, run.number) for run in self.kept()[::2]], [(True, 1), (False, 1), (False, 2)]
        )
        self.assertIn("mean(deviation), 2 runs each", done.output)
        self.assertRegex(done.output, r"bzip2_tbb_farm +2 \(\d+\) +0.5 *\n")

    def test_what_fails_is_told_and_the_rest_goes_on(self) -> None:
        self.add(program("a", "tbb"), "#!/bin/bash\nkill -SEGV $$\n")
        self.add(program("b", "tbb"), "#!/bin/bash\nsleep 60\n")
        self.add(program("c", "tbb"), "#!/bin/bash\ntrue\n")
        self.add(program("d", "tbb"), READS_OPTIONS + 'echo "{" >"$json"\n')
        self.add(program("e", "tbb"))
        done = self.type("--repeat", "2", "--timeout", "0.3")
        self.assertEqual(done.exit_code, 1)
        told = done.stderr
        self.assertRegex(told, r"a_tbb, test, 1 threads, run 1 of 2: it was ended by SIGSEGV")
        self.assertRegex(told, r"b_tbb, test, 1 threads, run 1 of 2: it did not end within 0.3 s")
        self.assertRegex(told, r"c_tbb, test, 1 threads, run 1 of 2: it wrote no results")
        self.assertRegex(told, r"d_tbb, test, 1 threads, run 1 of 2: what it wrote is not a file of results")
        errors = [bool(run.error) for run in self.kept()]
        self.assertEqual(errors, [True] * 4 + [False] * 2)

    def test_which_run_failed_how_and_what_was_said_before(self) -> None:
        self.add(TBB, MEASURES + FAILS_THE_SECOND_TIME)
        done = self.type("--repeat", "3")
        self.assertEqual(done.exit_code, 1)
        self.assertIn(
            "bzip2_tbb_farm, test, 1 threads, run 2 of 3: no more memory (exit code 7)", done.stderr
        )
        self.assertIn("loading the model\nfailed:", done.stderr)
        kept = CliRunner().invoke(app, ["results", "latest", "--store", str(self.store)]).stderr
        self.assertIn("threads, run 2: no more memory (exit code 7)", kept)
        self.assertIn("loading the model", kept)
        self.type("--warm-up", "2")
        self.assertEqual(self.kept()[-1].error, "")

    def test_a_run_to_warm_up_fails(self) -> None:
        self.add(TBB, "#!/bin/bash\nexit 3\n")
        said = self.type("--warm-up", "1").stderr
        self.assertIn("bzip2_tbb_farm, test, 1 threads, run 1 to warm up: it ended with code 3\n", said)

    def test_programs_that_hang_are_not_waited_for_in_silence(self) -> None:
        self.patch("thalweg_cli.measure.measuring.PATIENCE_S", new=0.05)
        told = self.folder / "told"
        self.add(TBB, f"#!/bin/bash\nuntil [ -e {told} ]; do sleep 0.05; done\nexit 3\n")
        real = measuring.still_runs

        def tells(setting: Setting, waited_s: float, used_s: float) -> None:
            real(setting, waited_s, used_s)
            told.touch()

        self.patch("thalweg_cli.measure.measuring.still_runs", new=tells)
        self.assertRegex(self.type().output, r"bzip2_tbb_farm, test, 1 threads: runs for \d+ s, ")

    def test_inputs_are_not_made_in_silence(self) -> None:
        self.patch("thalweg_cli.catalog.applications.WAITS_S", new=(0.05, 0.05))
        told, tool = self.folder / "told", self.folder / "apps" / "inputs" / "thalweg_inputs"
        tool.parent.mkdir(parents=True)
        tool.write_text(f"#!/bin/bash\nuntil [ -e {told} ]; do sleep 0.05; done\n", encoding="utf-8")
        tool.chmod(0o755)
        real = applications.still_made

        def tells(application: str, name: str, waited_s: float, used_s: float) -> None:
            real(application, name, waited_s, used_s)
            told.touch()

        self.patch("thalweg_cli.catalog.applications.still_made", new=tells)
        out = io.StringIO()
        with redirect_stdout(out):
            applications.make_input("bzip2", "huge")
        self.assertRegex(out.getvalue(), r"making the input huge of bzip2: \d+ s so far")

    def test_dry_run(self) -> None:
        self.add(TBB, LOGS)
        done = self.type("--dry-run", "--nthreads", "1:2", "--user-arg", "a b", "--executor", "env")
        place = self.folder / "bench" / "bzip2_tbb_farm"
        lines = [f"env {place} -input test -nthreads {number} -user-arg 'a b'" for number in (1, 2)]
        self.assertEqual(done.output.splitlines(), lines)
        self.assertFalse(self.store.exists())
        self.assertFalse((self.folder / "bench" / "log").exists())

    def test_latencies_of_all_items(self) -> None:
        self.add(TBB, MEASURES.replace("-json) json=$2", '-json) json=$2 ;; -latency-file) touch "$2"'))
        logs = self.folder / "logs"
        self.type("--latency-log", str(logs), "--repeat", "2", "--nthreads", "2")
        names = sorted(file.name for file in logs.iterdir())
        self.assertEqual(names, [f"bzip2_tbb_farm_test_2_threads_{number}.csv" for number in (1, 2)])
        self.assertIn("-latency", self.kept()[0].command)

    def test_arguments_vary(self) -> None:
        self.add(TBB)
        done = self.type("--user-arg", "2:2:4", "--user-arg", "x")
        found = [run.setting.user_args for run in self.kept()]
        self.assertEqual(found, [("2", "x"), ("4", "x")])
        self.assertEqual(self.kept()[1].command[-4:], ("-user-arg", "4", "-user-arg", "x"))
        self.assertRegex(done.output, r"bzip2_tbb_farm +1 \(1\) +4 x ")

    def test_words_take_turns(self) -> None:
        self.add(program("bzip2", "grppi", "farm"))
        self.type("--user-arg", "threads,omp,tbb", "--nthreads", "1:2", "--repeat", "2")
        given = [(run.number, run.setting.nthreads, *run.setting.user_args) for run in self.kept()]
        words = ("threads", "omp", "tbb")
        self.assertEqual(given, [(run, n, word) for run in (1, 2) for n in (1, 2) for word in words])

    def test_wrong_output(self) -> None:
        result = '{\\"seconds\\": 1, \\"verified\\": {\\"good\\": false}}'
        self.add(TBB, READS_OPTIONS + f'echo "{result}" >"$json"\necho "bzip2_tbb_farm: wrong" >&2; exit 1\n')
        done = self.type("--verify")
        self.assertIn("threads: wrong", done.stderr)
        self.assertIs(self.kept()[0].verified, False)

    def test_interrupted_keeps_what_was_measured(self) -> None:
        self.add(TBB)
        self.add(SEQUENTIAL, "#!/bin/bash\nkill -INT $PPID; sleep 60\n")
        out = io.StringIO()
        with redirect_stdout(out), self.assertRaises(KeyboardInterrupt):
            execute(["test"], bench=["all"], store=self.store)
        self.assertRegex(out.getvalue(), r"bzip2_tbb_farm +1 \(\d+\) +1 +0.5")
        self.assertIn("kept as set 1, which is not complete", out.getvalue())
        self.assertEqual([run.setting.program for run in self.kept()], [TBB])
        self.assertFalse(Store(self.store).find("latest").complete)

    def test_full_disk_still_shows_the_results(self) -> None:
        self.add(TBB)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, before)
        real = measuring.measure

        def fills_the_disk(*given: object, **more: bool) -> Run:
            run = real(*given, **more)  # type: ignore[arg-type]
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
            return run

        out = io.StringIO()
        with redirect_stdout(out), mock.patch.object(measuring, "measure", fills_the_disk):
            done = self.type("--repeat", "2")
        self.assertIsInstance(done.exception, Failed)
        self.assertRegex(str(done.exception), f"{self.store} cannot be written")
        self.assertRegex(done.output, r"bzip2_tbb_farm +1 \(\d+\) +0.5")

    def test_print_and_quiet(self) -> None:
        self.add(TBB, MEASURES + "echo aloud >&2\n")
        self.assertNotIn("aloud", self.type().output)
        self.assertIn("aloud", self.type("--print").output)
        self.assertEqual(self.type("--quiet").output, "")
        self.assertEqual(self.kept()[0].said, "aloud\n")

    def test_json(self) -> None:
        self.add(TBB)
        file = self.folder / "all.json"
        self.type("--repeat", "2", "--label", "x", "--json", str(file))
        (one,) = json.loads(file.read_text(encoding="utf-8"))
        self.assertEqual(
            (one["label"], len(one["runs"]), one["runs"][1]["metrics"]["seconds"]), ("x", 2, 0.5)
        )
        self.assertIn("cpu", one["circumstances"])
        self.assertEqual([file.name for file in self.folder.iterdir() if file.name.startswith(".")], [])

    def test_mistakes_are_told_before_anything_runs(self) -> None:
        self.add(TBB, LOGS)
        for options, says in (
            (("--nthreads", "0"), "--nthreads 0"),
            (("--frequency", "1:2"), "needs a step"),
            (("--frequency", "1", "--freq-pattern", "wave,1,2,3"), "only one of them"),
            (("--freq-recipe", "wave", "--find-sustainable"), "only one of them"),
            (("--latency-bound", "5"), "--latency-bound works only with --find-sustainable"),
            (("--batch-bytes", "0"), "--batch-bytes 0"),
            (("--frequency", ""), "--frequency : not N or A:STEP:B"),
            (("--frequency", "1e-9"), "1E-9 is not at least 1e-06"),
            (("--batch", ""), "--batch : not N"),
            (("--debug", "--batch", "1:2", "--nthreads", "1:3"), "that would be 6 programs or settings"),
            (("--executor", "nosuchcommand -x"), "there is no command nosuchcommand"),
            (("--executor", "'"), "No closing quotation"),
            (("--pin", "9999"), "--pin 9999"),
            (("--label", "12"), "--label 12"),
            (("--label", "latest"), "--label latest"),
            (("--json", "/no/such/folder/a.json"), "there is no folder"),
            (("--store", "/proc/no/results.db"), "/proc/no/results.db cannot be opened"),
        ):
            with self.subTest(options):
                self.assertIn(says, str(self.type(*options).exception))
        self.assertFalse((self.folder / "bench" / "log").exists())

    def test_pattern_is_asked_for_once_before_anything_runs(self) -> None:
        self.add(TBB, LOGS.replace("#!/bin/bash\n", "#!/bin/bash\n" + REFUSES, 1))
        failure = str(self.type("--freq-pattern", "wav,1,2,3", "--repeat", "3").exception)
        self.assertEqual(failure, "--freq-pattern wav,1,2,3: there is no frequency pattern 'wav'")
        self.assertEqual(Store(self.store).sets(), [])
        self.assertFalse((self.folder / "bench" / "log").exists())


class Tables(unittest.TestCase):
    """What is shown of runs."""

    def test_mean_and_deviation(self) -> None:
        self.assertEqual(summary([]), "-")
        self.assertEqual(summary([2.0]), "2")
        for values, text in (
            ([1.0, 3.0], "2.0(14)"),
            ([0.55, 2.13], "1.3(11)"),
            ([1.341, 1.339], "1.3400(14)"),
            ([2.0, 2.0], "2"),
            ([12000.0, 13000.0], "12500(707)"),
            ([300000.0, 310000.0], "3.050(71)e5"),
            ([1e-6, 3e-6], "2.0(14)e-6"),
            ([0.0, 0.0], "0"),
            ([-1.0, 1.0], "0.0(14)"),
        ):
            with self.subTest(values):
                self.assertEqual(summary(values), text)

    def test_metrics(self) -> None:
        run = Run(Setting(TBB, "test"), 1, "", 1, (), result={"seconds": 2, "latency": {"p99_ms": 9}})
        self.assertEqual([METRICS[name].of(run) for name in ("time", "p99", "p50")], [2, 9, None])

    def test_quantiles_of_few_elements(self) -> None:
        for count, told in ((999, "-"), (1000, "9")):
            with self.subTest(count):
                result = {"seconds": 2, "latency": {"count": count, "mean_ms": 5, "p99_ms": 9}}
                setting = Setting(TBB, "test")
                run = Run(setting, 1, "", 1, (), result=result)
                table = table_of([Series(setting, [run])], "", Shown(latency=True))
                columns = {str(column.header): list(column.cells) for column in table.columns}
                self.assertEqual((columns["latency\n(ms)"], columns["p99\n(ms)"]), (["5"], [told]))

    def test_all_metrics_fit_into_120_columns(self) -> None:
        rows = []
        for one in (TBB, program("person_recognition", "fastflow", "pipe-farm")):
            runs = [a_run(Setting(one, "small", 4), seconds, verified=True) for seconds in (12.341, 13.007)]
            for run, latency in zip(runs, (113.1, 119.9), strict=True):
                run.result["latency"] = {"count": 5000, "mean_ms": latency / 3, "p99_ms": latency}
                run.result["peak_bytes"], run.result["cpu_seconds"] = 4e6 * latency, latency / 3
                run.result["throughput"] = 100 * latency
            rows += in_series(runs)
        table = table_of(rows, "", Shown(throughput=True, latency=True, memory=True, verified=True))
        self.assertEqual(len(table.columns), 8)
        self.assertLess(Console(width=400).measure(table).maximum, 120)

    def test_only_runs_that_count(self) -> None:
        setting = Setting(TBB, "test")
        runs = [a_run(setting, 1, warm_up=True), a_run(setting, 2), a_run(setting, 3, error="wrong")]
        (row,) = in_series(runs)
        self.assertEqual(TIME.values(row), [2])
        self.assertEqual((row.error, row.threads), ("wrong", 3))

    def test_has_a_row_for_each_setting_and_columns_for_what_varies(self) -> None:
        good = Series(Setting(SEQUENTIAL, "test"), [a_run(Setting(SEQUENTIAL, "test"), 0.5, verified=True)])
        bad = Series(Setting(TBB, "small", 2, batch=8))
        table = table_of([good, bad], "[title]", Shown(verified=True))
        columns = {str(column.header): list(column.cells) for column in table.columns}
        self.assertEqual(columns["program"], ["bzip2_sequential", "bzip2_tbb_farm"])
        self.assertEqual(columns["input"], ["test", "small"])
        self.assertEqual(columns["batch"], ["-", "8"])
        self.assertEqual(columns["threads\n(really)"], ["1 (3)", "2"])
        self.assertEqual(columns["time\n(s)"], ["0.5", "-"])
        self.assertEqual(columns["verified"], ["[green]good[/]", "-"])
        same = table_of(
            [Series(Setting(TBB, "test", n, batch=8, user_args=("[b]",))) for n in (1, 2)], "a", Shown()
        )
        self.assertEqual(str(same.title), "a, 0 runs each, batch: 8, argument: \\[b]")
        self.assertNotIn("batch", [str(column.header) for column in same.columns])
        alone = table_of([good], "", Shown(verified=True))
        self.assertEqual(
            [str(column.header) for column in alone.columns][1:3], ["threads\n(really)", "time\n(s)"]
        )
        self.assertEqual(alone.columns[-1].header, "time\n(s)")
        self.assertIn("1 run each, verified", str(alone.title))
        self.assertEqual([metric in Shown(latency=True).metrics for metric in LATENCY], [True, True])


class Live(unittest.TestCase):
    """What a terminal shows while programs run."""

    def drawn(self, *, is_terminal: bool, quiet: bool = False) -> str:
        """What is drawn of thirty settings before run 25 on a small terminal."""
        rows = [Series(Setting(program("bzip2", f"p{number}"), "test")) for number in range(30)]
        text = io.StringIO()
        with mock.patch.dict(os.environ, {"TERM": "xterm"}):  # whatever this runs in
            terminals = Console(
                file=text, force_terminal=is_terminal, color_system=None, width=120, height=16
            )
        with (
            mock.patch.object(live, "console", terminals),
            mock.patch.object(terminal, "console", terminals),
            live.live(rows, lambda some: table_of(some, "", Shown()), lines_only=False, quiet=quiet) as tell,
        ):
            tell(55, 90, 25)
        return text.getvalue()

    def test_table_around_the_row_that_runs(self) -> None:
        drawn = self.drawn(is_terminal=True)
        self.assertIn("55 of 90 runs", drawn)
        self.assertIn("now bzip2_p25, test, 1 threads", drawn)
        shown = [number for number in range(30) if f"bzip2_p{number} " in drawn]
        self.assertEqual(shown, list(range(22, 29)))

    def test_nothing_is_drawn_elsewhere(self) -> None:
        self.assertEqual(self.drawn(is_terminal=False), "")
        self.assertEqual(self.drawn(is_terminal=True, quiet=True), "")
