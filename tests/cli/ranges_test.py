"""Ranges on the command line, and SPBench's spellings of options."""

import unittest

import typer
from thalweg_cli.app import app
from thalweg_cli.base.names import did_you_mean
from thalweg_cli.base.terminal import Failed, WrongUsage
from thalweg_cli.run.ranges import FREQUENCY, NTHREADS, arguments_of
from thalweg_cli.spellings import ALIASES, flags_of, rewrite


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
            (["threads,omp", "1:2"], [("threads", "1"), ("threads", "2"), ("omp", "1"), ("omp", "2")]),
            (["=threads,omp"], [("threads,omp",)]),
            (["1,2", "a,", "a,/b", "a,2", "a b,c"], [("1,2", "a,", "a,/b", "a,2", "a b,c")]),
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

    def test_inputs_of_several_sources(self) -> None:
        for line, ours in (
            ("exec -input a b c -bench x", "exec --input a,b,c --bench x"),
            ("exec -input a -bench x -input b c", "exec --input a,b,c --bench x"),
            ("exec -input=a -input b", "exec --input a,b"),
            ("exec --input a --input b", "exec --input a --input b"),
            ("exec -input -bench x", "exec --input --bench x"),
            ("feed -input a", "feed --input a"),
        ):
            with self.subTest(line):
                self.assertEqual(self.rewritten(line), ours)

    def test_other_names(self) -> None:
        self.assertEqual(
            self.rewritten("execute -batch-size 5 -freq-patt wave,1,2,3 -latency-monitor -test-result"),
            "exec --batch 5 --freq-pattern wave,1,2,3 --latency-log=log --verify",
        )
        commands = typer.main.get_group(app).commands.values()
        for ours in ALIASES.values():
            with self.subTest(ours):
                names = {one.partition("=")[0] for one in ours}
                self.assertTrue(any(names <= set(flags_of(command)) for command in commands))
        self.assertEqual(self.rewritten("exec --debug -class small"), "exec --debug --input small")

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
        self.assertEqual(self.rewritten("exec -nthraeds 4"), "exec --nthraeds 4")
        self.assertEqual(self.rewritten("exec -in 4"), "exec --in 4")  # -input or -in-memory

    def test_misspelt_spelling_of_spbench_is_told_which_one_may_be_meant(self) -> None:
        for line, what, near in (
            ("exec -claas test", "exec: No such option: -claas", "-class"),
            ("exec --benchmrak a", "exec: No such option: --benchmrak", "--benchmark"),
            ("exec -tst-result", "exec: No such option: -tst-result", "-test-result"),
            ("rename -old-nmae a", "rename: No such option: -old-nmae", "-old-name"),
            ("list-ops -bench a", "No such command: list-ops", "list-op"),
            ("executee", "No such command: executee", "execute"),
        ):
            with self.subTest(line), self.assertRaises(WrongUsage) as caught:
                self.rewritten(line)
            self.assertEqual(
                (caught.exception.what, caught.exception.remedy), (what, f"did you mean {near}? ")
            )

    def test_misspelt_short_name_is_told_which_name_is_meant(self) -> None:
        for name, there, near in (
            ("thrr", ["tbb", "threads"], "threads"),
            ("persn", ["primes", "person_recognition"], "person_recognition"),
            ("lanee", ["bzip2", "lane_detection"], "lane_detection"),
            ("thrr", ["tbb"], ""),
        ):
            with self.subTest(name):
                self.assertEqual(did_you_mean(name, there), f"did you mean {near}? " if near else "")

    def test_as_spbench_has_them(self) -> None:
        for line, ours in (
            ("-h", "--help"),
            ("exec -h", "exec --help"),
            ("exec -benchmark a -nth 1:2 -memory", "exec --bench a --nthreads 1:2 --memory-usage"),
            ("exec -print -debug -quiet -bench a", "exec --dry-run --print --bench a"),
            ("exec -d -input a_d", "exec --input a_d"),
            ("exec --print --debug --quiet", "exec --print --debug --quiet"),
            (
                "exec -user-arg a b -bench x -user-arg -y",
                "exec --user-arg a --user-arg b --bench x --user-arg -y",
            ),
            ("list-op -bench a", "list operators --bench a"),
            ("install -app all", "install --app all"),
            ("compile -clean -bench a", "compile --clean --bench a"),
            ("clean -bench a", "clean --bench a"),
            ("new-input -id a -input-string f -app bzip2", "new-input --name a --file f --app bzip2"),
            ("delete-input -id a -app bzip2", "delete-input --name a --app bzip2"),
            ("edit-op -benchmark a -operator Rank", "edit-op a --op Rank"),
            ("rename -new-name b -old-name a", "rename a b --whole"),
            ("rename -old-name a -new-name b", "rename a b --whole"),
            ("delete -bench a", "delete a"),
            (
                "new -benchmark my_own -app lane -ppi ff",
                "new --whole --bench my_own --app lane_detection --ppi fastflow",
            ),
            ("delete-app -app mine", "delete-app mine"),
        ):
            with self.subTest(line):
                self.assertEqual(self.rewritten(line), ours)

    def test_short_names(self) -> None:
        for line, ours in (
            ("exec -app lane -ppi omp", "exec --app lane_detection --ppi openmp"),
            ("exec -app=person -ppi=thr", "exec --app=person_recognition --ppi=threads"),
            ("exec --bench lane_ff_farm", "exec --bench lane_detection_fastflow_farm"),
            ("exec --bench lane_ff_fram", "exec --bench lane_detection_fastflow_fram"),
            ("exec --bench ferret_thr_pipe-farm", "exec --bench ferret_threads_pipe-farm"),
            ("exec --bench lane_sequential", "exec --bench lane_detection_sequential"),
            ("exec --bench lane_detection_ff_farm", "exec --bench lane_detection_fastflow_farm"),
            ("exec --bench person_recognition_tbb", "exec --bench person_recognition_tbb"),
            ("configure person_recognition", "configure person_recognition"),
            ("configure bzip2_omp --show", "configure bzip2_openmp --show"),
            ("new --from ferret_ff --bench lane_ff_x", "new --from ferret_fastflow --bench lane_ff_x"),
            ("rename a lane_ff_x", "rename a lane_ff_x"),
            ("exec --bench ferret_diff --user-arg lane", "exec --bench ferret_diff --user-arg lane"),
        ):
            with self.subTest(line):
                self.assertEqual(self.rewritten(line), ours)
        group = typer.main.get_group(app)
        mine = rewrite(
            ["exec", "--app", "lane", "--bench", "my_ff", "--ppi", "ff"], group, {"lane", "my_ff", "ff"}
        )
        self.assertEqual(mine, ["exec", "--app", "lane", "--bench", "my_ff", "--ppi", "ff"])
