"""Benchmarks of the user's own, without compiling them: what is made, told, changed and refused."""

import io
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from contextlib import redirect_stderr
from dataclasses import replace
from pathlib import Path
from unittest import mock

import typer
from fake_programs import FakeBuild, program
from thalweg_cli import clean
from thalweg_cli.app import app
from thalweg_cli.base.json_file import JsonFile
from thalweg_cli.base.names import cmake_text
from thalweg_cli.base.paths import BENCH, ROOT
from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog import programs, user_cmake
from thalweg_cli.catalog.programs import select, user_programs
from thalweg_cli.catalog.user_benchmarks import Benchmark, Benchmarks, Unreadable
from thalweg_cli.catalog.user_cmake import Written, call_of, tell_cmake
from thalweg_cli.catalog.user_settings import Source, settings_from
from thalweg_cli.results.circumstances import Circumstances
from thalweg_cli.run import runs
from thalweg_cli.run.experiment import Conditions, Setting, settings
from thalweg_cli.spellings import rewrite
from thalweg_cli.user import build as user_build
from thalweg_cli.user import operators, update
from thalweg_cli.user.configure import changed
from thalweg_cli.user.operators import operators_of
from typer.main import get_group
from typer.testing import CliRunner, Result

PROGRAM = '#include <primes.hpp>\n#include "mine.hpp"\nint main() {}\n'


class Own(unittest.TestCase):
    """Each test has a folder of benchmarks, and no editor."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = Path(holder.name)
        self.folder = self.root / "benchmarks"
        kept = {key: value for key, value in os.environ.items() if key not in ("VISUAL", "EDITOR")}
        self.patch(mock.patch.dict(os.environ, {**kept, "XDG_DATA_HOME": str(self.root)}, clear=True))
        self.patch(mock.patch("thalweg_cli.user.benchmarks.build_folder", return_value=self.root / "build"))

    def patch(self, patched: mock._patch) -> None:  # type: ignore[type-arg]
        """Holds for this test."""
        patched.start()
        self.addCleanup(patched.stop)

    def type(self, *words: str, answer: str = "") -> Result:
        """Runs a command."""
        return CliRunner().invoke(app, [*words, "--folder", str(self.folder)], input=answer)

    def good(self, *words: str, answer: str = "") -> str:
        """Runs a command, which succeeds. Returns what it says."""
        done = self.type(*words, answer=answer)
        self.assertEqual(done.exit_code, 0, done.output + str(done.exception))
        return done.output

    def refused(self, *words: str, answer: str = "") -> Failed:
        """Runs a command, which fails with a message."""
        done = self.type(*words, answer=answer)
        self.assertIsInstance(done.exception, Failed, done.output)
        assert isinstance(done.exception, Failed)
        return done.exception

    def make(self, name: str = "first", ppi: str = "mine", *more: str) -> Benchmark:
        """Makes a benchmark of primes."""
        self.good("new", "--app", "primes", "--ppi", ppi, "--bench", name, *more)
        return Benchmarks(self.folder).find(f"primes_{ppi}_{name}")

    def rewrite(self, one: Benchmark, text: str) -> None:
        """Writes the file of a benchmark as a user would."""
        (one.folder / "benchmark.json").write_text(text, encoding="utf-8")


class New(Own):
    """`./thalweg new`."""

    def test_unknown_interface_starts_from_the_sequential_program(self) -> None:
        one = self.make()
        self.assertEqual(one.name, "primes_mine_first")
        self.assertEqual((one.application, one.interface, one.composition), ("primes", "mine", "first"))
        source = (BENCH / "primes" / "sequential" / "sequential.cpp").read_text(encoding="utf-8")
        self.assertEqual(one.program.read_text(encoding="utf-8"), source)
        self.assertEqual(one.start, "primes_sequential")

    def test_several_sources(self) -> None:
        words = ["new", "--several-sources", "--app", "ferret", "--bench"]
        for name, ppi, start in (
            ("a", "tbb", "tbb"),
            ("b", "mine", "sequential"),
            ("c", "openmp", "sequential"),
        ):
            with self.subTest(ppi):
                self.good(*words, name, "--ppi", ppi)
                one = Benchmarks(self.folder).find(name)
                self.assertEqual(one.start, f"ferret_{start}_several-sources")
                source = (BENCH / "ferret" / start / "several-sources.cpp").read_text(encoding="utf-8")
                self.assertEqual(one.program.read_text(encoding="utf-8"), source)
        failure = self.refused("new", "--several-sources", "--app", "primes", "--ppi", "tbb", "--bench", "d")
        self.assertIn("primes has no program with several sources", failure.what)
        self.assertIn("bzip2, ferret, fraud_detection", failure.remedy)
        for more in (("--from", "ferret_tbb"), ("--file", "x.cpp")):
            failure = self.refused(*words, "d", "--ppi", "tbb", *more)
            self.assertIn(f"--several-sources and {more[0]}: give only one", failure.what)

    def test_our_interface_starts_from_our_program(self) -> None:
        one = self.make("x", "tbb")
        source = (BENCH / "primes" / "tbb" / "farm.cpp").read_text(encoding="utf-8")
        self.assertEqual(one.program.read_text(encoding="utf-8"), source)
        self.assertIn("  USES [=[tbb]=]", call_of(one, one.settings()))

    def test_annotations_are_translated_unless_the_compiler_knows_them(self) -> None:
        one = self.make("x", "spar")
        self.assertIn("[[spar::ToStream", one.program.read_text(encoding="utf-8"))
        self.assertIn("  USES [=[spar]=]", call_of(one, one.settings()))
        for compiler in ("/opt/SPar/bin/spar", "thalweg-spar++"):
            its = call_of(one, replace(one.settings(), bench_cxx=compiler))
            self.assertEqual([line for line in its if "USES" in line], [])

    def test_from_keeps_what_the_program_needs(self) -> None:
        self.good("new", "--from", "ferret_tbb_pipe-farm", "--ppi", "mine", "--bench", "a")
        one = Benchmarks(self.folder).find("ferret_mine_a")
        self.assertEqual(one.settings().uses, ("tbb",))
        self.good("new", "--from", "ferret_tbb", "--bench", "b")
        self.assertEqual(Benchmarks(self.folder).find("ferret_tbb_b").configuration, {})

    def test_from_ones_own_takes_everything(self) -> None:
        one = self.make()
        self.good("edit-op", one.name, "--op", "Primality")
        self.good("configure", one.name, "--set", "MACROS=-DX=1")
        (one.folder / "mine.hpp").write_text("//\n", encoding="utf-8")
        self.good("new", "--from", "first", "--bench", "second")
        copy = Benchmarks(self.folder).find("second")
        self.assertEqual((copy.name, copy.start), ("primes_mine_second", one.name))
        self.assertEqual(copy.settings().macros, ("X=1",))
        self.assertEqual(copy.operators, {"primality": ["apps/primes/primes.hpp"]})
        for file in ("mine.hpp", "operators/apps/primes/primes.hpp", "base/apps/primes/primes.hpp"):
            self.assertTrue((copy.folder / file).is_file(), file)

    def test_file_with_the_headers_beside_it(self) -> None:
        (self.root / "p.cc").write_text(PROGRAM, encoding="utf-8")
        (self.root / "mine.hpp").write_text('#include "deep.hpp"\n#include "p.cc"\n', encoding="utf-8")
        (self.root / "deep.hpp").write_text("#include <vector>\n", encoding="utf-8")
        self.make("f", "mine", "--file", str(self.root / "p.cc"))
        folder = self.folder / "primes_mine_f"
        self.assertEqual((folder / "program.cpp").read_text(encoding="utf-8"), PROGRAM)
        self.assertEqual(
            sorted(file.name for file in folder.iterdir()),
            ["benchmark.json", "deep.hpp", "mine.hpp", "program.cpp"],
        )

    def test_whole_names(self) -> None:
        self.good("new", "--app", "primes", "--ppi", "mine", "--bench", "my.bench", "--whole")
        one = Benchmarks(self.folder).find("my.bench")
        self.assertEqual((one.name, one.application, one.interface), ("my.bench", "primes", "mine"))
        (listed,) = user_programs(Benchmarks(self.folder))
        self.assertEqual((listed.name, listed.is_called("my.bench")), ("my.bench", True))
        self.assertIn("up to date", self.good("update"))
        self.good("configure", "my.bench", "--set", "MACROS=X")
        self.good("rename", "my.bench", "other", "--whole")
        self.assertEqual(Benchmarks(self.folder).find("other").settings().macros, ("X",))
        self.good("rename", "other", "third")
        self.assertEqual(Benchmarks(self.folder).names(), ["primes_mine_third"])
        why = self.refused("new", "--app", "primes", "--ppi", "x", "--bench", "primes_tbb_farm", "--whole")
        self.assertIn("is a program already", why.what)

    def test_configuration_beside_a_file(self) -> None:
        (self.root / "p.cc").write_text("#include <primes.hpp>\nint main() {}\n", encoding="utf-8")
        (self.root / "primes.hpp").write_text("#error\n", encoding="utf-8")
        (self.root / "include").mkdir()
        its = {
            "CXX": "c++ -std=c++1y",
            "CXX_FLAGS": "-O2",
            "PPI_CXX": "c++ -std=c++17",
            "PPI_CXX_FLAGS": "",
            "PRE_SRC_CMD": "-x c++",
            "MACROS": "-DBLOCKING_MODE -DCAPACITY=1",
            "PKG-CONFIG": {"none": "", "gone": "pkg-config --cflags nosuchpackage"},
            "INCLUDES": {"gone": "-I $SPB_HOME/ppis/nosuch/", "here": f"-I {self.root}/include"},
            "LIBS": {"gone": "-L $SPB_HOME/libs/nosuch -lnosuch", "m": "-lm"},
            "LDFLAGS": "-lpthread -lnosuch -s",
            "NOTE": "x",
        }
        (self.root / "config.json").write_text(json.dumps(its), encoding="utf-8")
        said = self.good(
            "new", "--app", "primes", "--ppi", "mine", "--bench", "f", "--file", str(self.root / "p.cc")
        )
        one = Benchmarks(self.folder).find("primes_mine_f")
        self.assertEqual(
            one.configuration,
            {
                "CXX": "c++",
                "CXX_FLAGS": "-O2",
                "PPI_CXX": "c++ -std=c++17",
                "PRE_SRC_CMD": "-x c++",
                "MACROS": "-DBLOCKING_MODE -DCAPACITY=1",
                "INCLUDES": {"here": f"-I {self.root}/include"},
                "LIBS": {"m": "-lm"},
                "LDFLAGS": "-lpthread -s",
            },
        )
        self.assertEqual(one.settings().macros, ("BLOCKING_MODE", "CAPACITY=1"))
        self.assertFalse((one.folder / "primes.hpp").exists())
        for part in (
            "CXX: -std=c++1y: the operators are C++20 here",
            "PKG-CONFIG.gone: nosuchpackage: pkg-config does not find it",
            f"INCLUDES.gone: -I {ROOT}/ppis/nosuch/: there is no such folder",
            f"LIBS.gone: -L {ROOT}/libs/nosuch: there is no such folder",
            "LIBS.gone: -lnosuch: there is no such library",
            "LDFLAGS: -lnosuch: there is no such library",
            "NOTE: there is no such key",
        ):
            self.assertIn(f"left out of config.json: {part}\n", said)

    def test_configuration_for_a_compiler_that_is_not_here(self) -> None:
        (self.root / "p.cc").write_text("#include <primes.hpp>\nint main() {}\n", encoding="utf-8")
        its = {
            "PPI_CXX": "$SPB_HOME/bin/nosuch",
            "PPI_CXX_FLAGS": "-its",
            "PRE_SRC_CMD": "-its",
            "MACROS": "-DX",
        }
        (self.root / "config.json").write_text(json.dumps(its), encoding="utf-8")
        said = self.good(
            "new", "--app", "primes", "--ppi", "mine", "--bench", "f", "--file", str(self.root / "p.cc")
        )
        self.assertEqual(Benchmarks(self.folder).find("f").configuration, {"MACROS": "-DX"})
        self.assertIn(f"PPI_CXX: there is no compiler {ROOT}/bin/nosuch", said)
        self.assertIn("PPI_CXX_FLAGS: it is for the compiler that is not here", said)
        (self.root / "config.json").write_text('{"CXX": 3}', encoding="utf-8")
        why = self.refused(
            "new", "--app", "primes", "--ppi", "mine", "--bench", "g", "--file", str(self.root / "p.cc")
        )
        self.assertIn("config.json:1: CXX: is a number", why.what)

    def test_over_an_application_of_ones_own(self) -> None:
        self.good("new-app", "collatz")
        self.good("new", "--app", "collatz", "--ppi", "thalweg", "--bench", "a")
        one = Benchmarks(self.folder).find("a")
        app_folder = self.folder / "apps" / "collatz"
        source = app_folder / "bench" / "thalweg" / "farm.cpp"
        self.assertEqual(one.program.read_text(encoding="utf-8"), source.read_text(encoding="utf-8"))
        failure = self.refused("new", "--app", "collatz", "--ppi", "thalweg", "--bench", "farm")
        self.assertIn("collatz_thalweg_farm is a program", failure.what)
        self.good("edit-op", "a", "--op", "Longest")
        one = Benchmarks(self.folder).find("a")
        self.assertIn(f"  ROOT [=[{self.folder}]=]", call_of(one, one.settings()))
        rebuilt = user_cmake.rebuilt(one)
        self.assertIn("apps/collatz/collatz.cpp", rebuilt)
        self.assertIn("apps/collatz/spb/collatz.cpp", rebuilt)
        self.good("effort", "--bench", "collatz_thalweg_a")

    def test_refuses(self) -> None:
        (self.root / "p.cc").write_text(PROGRAM, encoding="utf-8")
        file = str(self.root / "p.cc")
        self.make("taken")
        for words, says in (
            (["--bench", "a"], "of which application"),
            (["--bench", "a", "--app", "prime", "--ppi", "x"], "no application prime"),
            (
                ["--bench", "a", "--app", "ferret", "--ppi", "x", "--file", file],
                "does not include ferret.hpp",
            ),
            (["--bench", "a", "--app", "ferret", "--ppi", "x", "--file", "/no"], "/no cannot be read"),
            (["--bench", "a", "--from", "primes_tbb", "--file", file], "only one of them"),
            (["--bench", "a", "--from", "primes_tb"], "no benchmark primes_tb"),
            (["--bench", "a", "--from", "primes_tbb", "--app", "ferret"], "is of primes, not of ferret"),
            (["--bench", "farm", "--from", "primes_tbb"], "primes_tbb_farm is a program"),
            (["--bench", "primes_mine_taken", "--app", "primes", "--ppi", "mine"], "already"),
            (["--bench", "a/b", "--from", "primes_tbb"], "cannot be a name"),
            (["--bench", "a", "--from", "primes_tbb", "--ppi", "../x"], "cannot be a name"),
        ):
            with self.subTest(words):
                self.assertIn(says, self.refused("new", *words).what)
        self.assertEqual([one.name for one in self.folder.iterdir()], ["primes_mine_taken"])
        self.assertIn(
            "--app primes?",
            self.refused("new", "--bench", "a", "--app", "ferret", "--ppi", "x", "--file", file).remedy,
        )

    def test_folder_of_the_environment_and_of_the_data(self) -> None:
        words = ["new", "--app", "primes", "--ppi", "mine", "--bench", "a"]
        elsewhere = {"THALWEG_BENCHMARKS": str(self.root / "b")}
        self.assertEqual(CliRunner().invoke(app, words, env=elsewhere).exit_code, 0)
        self.assertEqual(CliRunner().invoke(app, words).exit_code, 0)
        for folder in (self.root / "b", self.root / "thalweg" / "benchmarks"):
            self.assertEqual(Benchmarks(folder).names(), ["primes_mine_a"])


class Edit(Own):
    """What opens files."""

    def test_editor_gets_the_file(self) -> None:
        one = self.make()
        self.good("edit", one.name, "--editor", "sed -i s/while/WHILE/")
        self.assertIn("WHILE", one.program.read_text(encoding="utf-8"))
        with mock.patch.dict(os.environ, {"VISUAL": "sed -i s/WHILE/until/", "EDITOR": "false"}):
            self.good("edit", "first")
        self.assertIn("until", one.program.read_text(encoding="utf-8"))

    def test_path_where_there_is_no_editor(self) -> None:
        one = self.make()
        self.assertIn(f"{one.program}\n", self.good("edit", one.name))

    def test_mistakes(self) -> None:
        one = self.make()
        self.make("second")
        self.assertIn("there is no command", self.refused("edit", one.name, "--editor", "no-such").what)
        self.assertIn("ended with code 1", self.refused("edit", one.name, "--editor", "false").what)
        self.assertIn("did you mean primes_mine_first", self.refused("edit", "primes_mine_frist").remedy)

    def test_short_name_of_two(self) -> None:
        self.make("a")
        self.make("a", "other")
        self.assertIn("several", self.refused("edit", "a").what)


class Operators(Own):
    """`edit-op` and `reset-op`."""

    def test_every_application_lists_its_operators_with_their_files(self) -> None:
        for listed in sorted(ROOT.glob("apps/*/operators.txt")):
            with self.subTest(listed.parent.name):
                for name, files in operators_of(listed.parent.name).items():
                    self.assertTrue(files, name)
                    for file in files:
                        self.assertTrue((ROOT / file).is_file(), file)

    def test_copies_the_operator_and_opens_it(self) -> None:
        self.good("new", "--app", "lane_detection", "--ppi", "mine", "--bench", "a")
        self.good("edit-op", "a", "--op", "HoughT", "--editor", "sed -i 1i//mine")
        one = Benchmarks(self.folder).find("a")
        files = [f"apps/lane_detection/operators.{ending}" for ending in ("hpp", "cpp")]
        self.assertEqual(one.operators, {"hough_t": files})
        ours = (ROOT / files[1]).read_text(encoding="utf-8")
        for file in files:
            text = (one.folder / "operators" / file).read_text(encoding="utf-8")
            self.assertTrue(text.startswith("//mine"), file)
        self.assertEqual((one.folder / "base" / files[1]).read_text(encoding="utf-8"), ours)
        self.assertIn(f"  REPLACED [=[{files[1]}]=] [=[{files[0]}]=]", call_of(one, one.settings()))

    def test_only_what_sees_the_change_is_compiled_again(self) -> None:
        self.good("new", "--app", "ferret", "--ppi", "mine", "--bench", "a")
        self.good("edit-op", "a", "--op", "rank")
        found = user_cmake.rebuilt(Benchmarks(self.folder).find("a"))
        for file in ("apps/ferret/rank.cpp", "apps/ferret/verify.cpp", "spb/ferret.cpp"):
            self.assertIn(file, found)
        self.assertNotIn("apps/ferret/segmentation.cpp", found)
        self.good("edit-op", "a", "--op", "segmentation")
        self.assertIn("apps/ferret/segmentation.cpp", user_cmake.rebuilt(Benchmarks(self.folder).find("a")))

    def test_reset_asks_only_if_something_is_lost(self) -> None:
        one = self.make()
        self.good("edit-op", "first", "--op", "primality")
        self.good("reset-op", "first", "--op", "primality")
        self.assertFalse((one.folder / "operators").exists())
        self.good("edit-op", "first", "--op", "primality", "--editor", "sed -i 1i//mine")
        self.assertIn(
            "nothing was changed", self.refused("reset-op", "first", "--op", "primality", answer="n\n").what
        )
        self.assertTrue((one.folder / "operators").exists())
        self.good("reset-op", "first", "--op", "Primality", "--yes")
        self.assertEqual(Benchmarks(self.folder).find("first").operators, {})
        self.assertFalse((one.folder / "base").exists())

    def test_file_of_two_operators_stays(self) -> None:
        one = self.make()
        self.good("edit-op", "first", "--op", "primality", "--editor", "sed -i 1i//mine")
        self.good("edit-op", "first", "--op", "source")
        said = self.good("reset-op", "first", "--op", "source")
        self.assertIn("stays as it is: primality has it, too", said)
        text = (one.folder / "operators" / "apps" / "primes" / "primes.hpp").read_text(encoding="utf-8")
        self.assertTrue(text.startswith("//mine"))

    def test_reset_of_all_operators(self) -> None:
        one = self.make()
        self.assertIn("has no own operators", self.refused("reset-op", "first").what)
        self.good("edit-op", "first", "--op", "primality", "--editor", "sed -i 1i//mine")
        self.good("edit-op", "first", "--op", "sink")
        self.assertIn("nothing was changed", self.refused("reset-op", "first", answer="n\n").what)
        self.assertEqual(list(Benchmarks(self.folder).find("first").operators), ["primality", "sink"])
        words = ["reset-op", "-bench", "primes_mine_first", "--yes"]  # as SPBench has it
        self.good(*rewrite(words, typer.main.get_group(app)))
        self.assertEqual(Benchmarks(self.folder).find("first").operators, {})
        self.assertFalse((one.folder / "operators").exists())

    def test_reset_of_several_benchmarks(self) -> None:
        for name, ppi in (("a", "mine"), ("b", "mine"), ("c", "tbb"), ("none", "mine")):
            self.make(name, ppi)
            if name != "none":
                self.good("edit-op", name, "--op", "primality", "--editor", "sed -i 1i//mine")
        self.rewrite(self.make("broken"), "{")

        def own() -> list[str]:
            """The benchmarks that have operators of their own."""
            there = Benchmarks(self.folder)
            return [one.composition for one in there if isinstance(one, Benchmark) and one.operators]

        self.assertIn("nothing was changed", self.refused("reset-op", "--ppi", "mine", answer="n\n").what)
        self.assertEqual(own(), ["a", "b", "c"])
        said = self.good("reset-op", "--ppi", "mine", answer="y\n")
        self.assertIn("left out: primes_mine_broken", said)
        self.assertEqual(own(), ["c"])
        self.assertIn("no own sink", self.refused("reset-op", "--app", "primes", "--op", "sink").what)
        self.good("reset-op", "--app", "primes", "--op", "Primality", "--yes")
        self.assertEqual(own(), [])
        self.good("edit-op", "a", "--op", "sink")
        self.good("reset-op", "all")
        self.assertEqual(own(), [])

    def test_reset_of_nothing_that_is_there(self) -> None:
        self.assertIn("no benchmark of your own", self.refused("reset-op", "--app", "primes").what)
        self.make()
        self.assertIn("no benchmark of your own", self.refused("reset-op", "--app", "ferret").what)
        self.assertIn("there is no application frret", self.refused("reset-op", "--app", "frret").what)
        self.assertEqual(self.refused("reset-op").what, "which benchmarks?")
        self.assertEqual(self.refused("reset-op").code, 2)
        self.assertIn("give only one of them", self.refused("reset-op", "first", "--ppi", "mine").what)

    def test_mistakes(self) -> None:
        self.make()
        failure = self.refused("edit-op", "first", "--op", "primalty")
        self.assertIn("did you mean primality? one of source, primality, sink", failure.remedy)
        self.assertIn("no own sink", self.refused("reset-op", "first", "--op", "sink").what)

    def test_application_of_ones_own(self) -> None:
        self.good("new-app", "collatz")
        self.good("new", "--app", "collatz", "--ppi", "mine", "--bench", "a")
        theirs = self.folder / "apps" / "collatz"
        before = (theirs / "collatz.cpp").read_text(encoding="utf-8")
        self.good("edit-op", "a", "--op", "Longest", "--editor", "sed -i 1i//mine")
        one = Benchmarks(self.folder).find("a")
        mine = one.folder / "operators" / "apps" / "collatz" / "collatz.cpp"
        self.assertEqual(mine.read_text(encoding="utf-8"), f"//mine\n{before}")
        self.assertEqual((theirs / "collatz.cpp").read_text(encoding="utf-8"), before)
        self.assertIn("nothing was changed", self.refused("reset-op", "a", "--op", "longest").what)
        self.good("reset-op", "a", "--op", "longest", "--yes")
        self.assertFalse(mine.exists())
        # In the application itself, for all its programs.
        self.good("edit-op", "collatz", "--op", "longest", "--editor", "sed -i 1i//all")
        self.assertEqual((theirs / "collatz.cpp").read_text(encoding="utf-8"), f"//all\n{before}")
        self.assertIn("nothing to reset them to", self.refused("reset-op", "collatz", "--op", "longest").what)
        self.assertIn("no operator longst", self.refused("edit-op", "collatz", "--op", "longst").what)
        self.good("edit", "collatz_thalweg_farm", "--editor", "sed -i 1i//too")
        program_text = (theirs / "bench" / "thalweg" / "farm.cpp").read_text(encoding="utf-8")
        self.assertTrue(program_text.startswith("//too"))

    def test_programs_that_are_not_the_users_say_how_to_copy_them(self) -> None:
        for words in (
            ["edit", "primes_tbb"],
            ["edit-op", "primes_tbb", "--op", "primality"],
            ["reset-op", "primes_tbb", "--op", "primality"],
            ["rename", "primes_tbb", "x"],
            ["delete", "primes_tbb", "--yes"],
        ):
            with self.subTest(words):
                self.assertIn("./thalweg new --from primes_tbb_farm", self.refused(*words).remedy)

    def test_what_numbers_depend_on(self) -> None:
        one = self.make()
        (listed,) = user_programs(Benchmarks(self.folder))

        def said() -> str:
            return Circumstances.here([listed]).libraries[one.name]

        before = said()
        self.assertFalse(listed.has_own_operators)
        self.good("edit-op", "first", "--op", "primality")
        self.assertIn("own primality", said())
        self.assertNotEqual(before, said())
        self.assertTrue(listed.has_own_operators)


class Verified(FakeBuild):
    """Outputs of a benchmark's own operators are checked by those of the application."""

    def test_apart(self) -> None:
        self.patch("thalweg_cli.catalog.applications.build_folder", return_value=self.folder)
        own = self.folder / "primes_mine_a"
        (own / "operators").mkdir(parents=True)
        one = programs.Program(own.name, "primes", "mine", "a", missing="", user_folder=own)
        for place, script in (
            (
                "user/primes_mine_a",
                'echo "$@" >>"$0.log"; for file; do :; done; echo "{\\"seconds\\": 1}" >"$file"\n',
            ),
            ("apps/inputs/thalweg_inputs", 'echo "$4: wrong: line 3"; exit 1\n'),
        ):
            file = self.folder / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"#!/bin/bash\n{script}", encoding="utf-8")
            file.chmod(0o755)
        run = runs.measure(Setting(one, "test"), Conditions(verify=True), 1)
        self.assertIs(run.verified, False)
        self.assertEqual(run.error, "the output is wrong: line 3")
        log = (self.folder / "user" / "primes_mine_a.log").read_text(encoding="utf-8")
        self.assertIn(" -output /", log)
        self.assertNotIn("-verify", log)


class Configuration(Own):
    """`configure` and `global-config`."""

    def test_all_keys_come_to_cmake(self) -> None:
        one = self.make()
        self.rewrite(
            one,
            json.dumps(
                one.as_plain()
                | {
                    "configuration": {
                        "CXX": "c++",
                        "CXX_FLAGS": "-O2 -D'A B'",
                        "BENCH_CXX": "g++",
                        "BENCH_CXX_FLAGS": ["-a", "-b c"],
                        "MACROS": "-DX -D Y=1",
                        "INCLUDES": {"here": "-I include", "there": "$SPB_HOME/x ${BENCHMARK}/y"},
                        "LIBS": "-L lib -lfoo bar.a",
                        "LDFLAGS": "-Wl,-rpath,$ORIGIN",
                        "PKG-CONFIG": {"cv": "`pkg-config --cflags --libs opencv4`"},
                        "USES": "tbb",
                    }
                }
            ),
        )
        one = Benchmarks(self.folder).find("first")
        call = call_of(one, one.settings())
        for line in (
            "  CXX [=[c++]=]",
            "  CXX_FLAGS [=[SHELL:-O2 '-DA B']=]",
            "  BENCH_CXX [=[g++]=]",
            "  BENCH_CXX_FLAGS [=[SHELL:-a '-b c']=]",
            "  MACROS [=[X]=] [=[Y=1]=]",
            f"  INCLUDES [=[{one.folder}/include]=] [=[{ROOT}/x]=] [=[{one.folder}/y]=]",
            f"  LIBRARY_FOLDERS [=[{one.folder}/lib]=]",
            f"  LIBRARIES [=[-lfoo]=] [=[{one.folder}/bar.a]=]",
            "  LINK_FLAGS [=[SHELL:'-Wl,-rpath,$ORIGIN']=]",
            "  PACKAGES [=[opencv4]=]",
            "  USES [=[tbb]=]",
        ):
            self.assertIn(line, call)

    def test_what_is_said_later_counts_more(self) -> None:
        def source(**values: object) -> Source:
            return Source(values, Path("/f"), str)

        both = settings_from(
            [
                source(CXX="a", BENCH_CXX="b", MACROS="A", INCLUDES={"x": "p", "y": "q"}, CXX_FLAGS="-O3"),
                source(CXX="c", MACROS="B", INCLUDES={"x": "r"}, CXX_FLAGS="-O3 -O2"),
            ]
        )
        self.assertEqual((both.cxx, both.bench_cxx, both.macros), ("c", "b", ("B",)))
        self.assertEqual(both.includes, ("/f/q", "/f/r"))
        self.assertEqual(both.cxx_flags, ("-O3", "-O2"))
        empty = settings_from(
            [source(CXX="a", MACROS="A", CXX_FLAGS="-O3"), source(CXX="", MACROS="", CXX_FLAGS="")]
        )
        self.assertEqual((empty.cxx, empty.macros, empty.cxx_flags), ("a", ("A",), ("-O3",)))
        more = [source(EXTRA_MACROS="A", MACROS="B", EXTRA_LDFLAGS="-s"), source(EXTRA_MACROS="-DC")]
        self.assertEqual(
            (settings_from(more).macros, settings_from(more).link_flags), (("B", "A", "C"), ("-s",))
        )
        self.assertEqual(settings_from([source(CXX="tools/c++")]).cxx, "/f/tools/c++")

    def test_spbenchs_other_names_and_commands_of_several_words(self) -> None:
        file = Path("/f")
        its = Source(
            {"PPI_CXX": "g++ -std=c++1y", "PPI_CXX_FLAGS": "-O3", "EXTRA_PPI_CXX_FLAGS": "-g"}, file, str
        )
        found = settings_from([its])
        self.assertEqual((found.bench_cxx, found.bench_cxx_flags), ("g++", ("-std=c++1y", "-O3", "-g")))
        ours = Source({"BENCH_CXX": "clang++ -v"}, file, str)
        self.assertEqual(settings_from([its, ours]).bench_cxx_flags, ("-v", "-O3", "-g"))
        with self.assertRaisesRegex(Failed, "PPI_CXX: PPI_CXX: is a number"):
            settings_from([Source({"PPI_CXX": 3}, file, str)])

    def test_what_cmake_would_override_comes_last(self) -> None:
        one = self.make()
        words = (
            "BENCH_CXX_FLAGS=-O1 -std=c++23",
            "CXX_FLAGS=-std=c++2b",
            "PRE_SRC_CMD=-x c++",
            "POST_SRC_CMD=-v",
        )
        self.good("configure", one.name, *(word for each in words for word in ("--set", each)))
        one = Benchmarks(self.folder).find("first")
        call = call_of(one, one.settings())
        for line in (
            "  BENCH_CXX_FLAGS [=[SHELL:-O1]=]",
            "  BENCH_BEFORE [=[-x]=] [=[c++]=]",
            "  BENCH_BEHIND [=[-std=c++23]=] [=[-v]=]",
            "  BEHIND [=[-std=c++2b]=]",
        ):
            self.assertIn(line, call)
        script = ROOT / "cmake" / "user_compiler.sh"
        for place, line, said in (
            (
                "-",
                "cc -std=gnu++20 -o a.o -c a.cpp",
                "cc -std=gnu++20 -o a.o -c -x c++ a.cpp -std=c++23 -v\n",
            ),
            ("mine-", "cc -o a.o -c a.cpp", "mine -o a.o -c -x c++ a.cpp -std=c++23 -v\n"),
            ("-", "cc a.o -o a", "cc a.o -o a\n"),
        ):
            words = f"{place} 2 -x c++ 2 -std=c++23 -v {line}"
            done = subprocess.run(
                ["bash", "-c", f"exec() {{ echo \"$@\"; }}; . '{script}' {words}"],
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertEqual(done.stdout, said)

    def test_set_get_unset_show(self) -> None:
        one = self.make()
        self.good("configure", one.name, "--set", "MACROS=-DX", "--set", "INCLUDES.boost=/opt/boost")
        self.assertEqual(self.good("configure", one.name, "--get", "MACROS"), "-DX\n")
        self.assertEqual(self.good("configure", one.name, "--get", "INCLUDES.boost"), "/opt/boost\n")
        self.assertEqual(self.good("configure", one.name, "--get", "LIBS"), "")
        self.good("global-config", "--set", "BENCH_CXX_FLAGS=-O2 -g")
        self.assertEqual(
            self.good("configure", one.name, "--show").splitlines(),
            ["bench_cxx_flags=-O2 -g", "macros=X", "includes=/opt/boost"],
        )
        self.good("configure", one.name, "--unset", "INCLUDES.boost", "--unset", "MACROS")
        self.assertEqual(Benchmarks(self.folder).find("first").configuration, {})
        self.assertEqual(self.good("global-config", "--show"), "bench_cxx_flags=-O2 -g\n")
        self.good("global-config", "--unset", "BENCH_CXX_FLAGS")
        self.assertEqual(self.good("global-config", "--show"), "nothing is set\n")

    def test_what_holds_for_all_counts_more(self) -> None:
        """As in SPBench; only what is EXTRA is added."""
        one = self.make()
        its = ("MACROS=A", "INCLUDES.x=/p", "INCLUDES.y=/q")
        self.good("configure", one.name, *(word for each in its for word in ("--set", each)))
        for all_have, macros in (("MACROS=B", "B"), ("EXTRA_MACROS=C", "B C"), ("INCLUDES.x=/r", "B C")):
            self.good("global-config", "--set", all_have)
            self.assertIn(f"macros={macros}\n", self.good("configure", one.name, "--show"))
        self.assertIn("includes=/q /r\n", self.good("configure", one.name, "--show"))
        self.good("global-config", "--unset", "MACROS")
        self.assertIn("macros=A C\n", self.good("configure", one.name, "--show"))

    def test_entry_beside_a_plain_value(self) -> None:
        self.assertEqual(
            changed({"LIBS": "-la"}, ["LIBS.b=-lb"], []), {"LIBS": {"as before": "-la", "b": "-lb"}}
        )

    def test_nothing_wrong_is_set(self) -> None:
        one = self.make()
        before = (one.folder / "benchmark.json").read_text(encoding="utf-8")
        for words, says in (
            (["--set", "MACRO=-DX"], "there is no key MACRO"),
            (["--set", "MACROS"], "no value"),
            (["--set", "MACROS=-O2"], "-O2 does not belong there"),
            (["--set", "MACROS=-D 1"], "no macro: 1"),
            (["--set", "INCLUDES=-I"], "nothing follows -I"),
            (["--set", "CXX_FLAGS='"], "No closing quotation"),
            (["--set", "LDFLAGS=a;b"], "no semicolon"),
            (["--set", "USES=tbbb"], "there is no interface tbbb"),
            (["--set", "PKG-CONFIG=a/b"], "no package of pkg-config"),
            (["--unset", "MACROS"], "that is not set"),
            (["--get", "MACRO"], "there is no key MACRO"),
        ):
            with self.subTest(words):
                self.assertIn(says, self.refused("configure", one.name, *words).what)
        self.assertEqual((one.folder / "benchmark.json").read_text(encoding="utf-8"), before)
        self.assertIn("did you mean MACROS?", self.refused("configure", one.name, "--set", "MACRO=x").remedy)

    def test_compiler_that_is_not_there(self) -> None:
        one = self.make()
        self.assertIn("no compiler g++-1", self.good("configure", one.name, "--set", "BENCH_CXX=g++-1"))
        with mock.patch.object(user_cmake, "build_folder", return_value=self.root / "build"):
            left_out = tell_cmake(Benchmarks(self.folder), "release", []).left_out
        self.assertEqual(left_out, {one.name: "there is no compiler g++-1 (BENCH_CXX)"})

    def test_editing_tells_file_line_and_what_is_wrong(self) -> None:
        one = self.make()
        file = one.folder / "benchmark.json"
        failure = self.refused("configure", one.name, "--editor", 'sed -i "s/: {}/: {,}/"')
        self.assertRegex(failure.what, rf"{file}:7: not JSON: .*, at column \d+")
        self.assertIn("^", failure.output)
        # It can be opened again to be mended.
        self.good("configure", one.name, "--editor", 'sed -i "s/: {,}/: {}/"')
        failure = self.refused(
            "configure", one.name, "--editor", 'sed -i "7s/: {}/: {\\"MACRO\\": \\"A\\"}/"'
        )
        self.assertIn(f"{file}:7: there is no key MACRO", failure.what)

    def test_what_is_wrong_in_a_file_has_its_line(self) -> None:
        one = self.make()
        file = one.folder / "benchmark.json"
        plain = {"format": 1, "application": "primes", "interface": "mine", "composition": "first"}
        for text, says in (
            ("[]", f"{file}:1: not an object"),
            ('{\n"format": 1,\n"format": 1}', f"{file}:3: format is there twice"),
            ('{"format": 1}', f'{file}:1: "application" is missing'),
            (json.dumps(plain | {"application": 3}, indent=0), f"{file}:3: application is a number"),
            (json.dumps(plain | {"composition": "x"}, indent=0), f"{file}:5: the folder is called"),
            (json.dumps(plain | {"interface": "../x"}, indent=0), f"{file}:4: interface: no name"),
            (json.dumps(plain | {"aplication": "x"}, indent=0), f"{file}:6: there is no key aplication"),
            (json.dumps(plain | {"format": 2}, indent=0), f"{file}:2: of format 2"),
            (json.dumps(plain | {"configuration": []}, indent=0), f"{file}:6: configuration is a list"),
            (
                json.dumps(plain | {"operators": {"a": ["/etc/x"]}}, indent=0),
                f"{file}:7: a: not a list of files",
            ),
        ):
            with self.subTest(text):
                self.rewrite(one, text)
                self.assertIn(says, self.refused("edit", one.name).what)

    def test_marks_the_column(self) -> None:
        with self.assertRaises(Failed) as caught:
            JsonFile.parse(Path("f"), '{\n  "a" 1}')
        self.assertEqual(caught.exception.output, '  "a" 1}\n      ^')


class Spellings(unittest.TestCase):
    """SPBench's commands."""

    def test_name_behind_bench(self) -> None:
        group = get_group(app)
        for typed in (["edit-op", "-bench", "x", "-op", "y"], ["edit-op", "--bench=x", "-op", "y"]):
            self.assertEqual(rewrite(typed, group), ["edit-op", "x", "--op", "y"])
        typed = rewrite(["new", "-bench", "x", "-from", "y", "-app", "a"], group)
        self.assertEqual(typed, ["new", "--whole", "--bench", "x", "--from", "y", "--app", "a"])
        self.assertEqual(rewrite(["doctor", "-bench"], group), ["doctor", "--bench"])


class Managed(Own):
    """`rename`, `delete`, `update`, and what is found in the folder."""

    def test_rename(self) -> None:
        self.make()
        self.make("third")
        built = self.root / "build" / "user" / "primes_mine_first"
        built.parent.mkdir(parents=True)
        built.touch()
        self.good("rename", "first", "second")
        self.assertEqual(Benchmarks(self.folder).names(), ["primes_mine_second", "primes_mine_third"])
        self.assertEqual(Benchmarks(self.folder).find("second").composition, "second")
        self.assertFalse(built.exists())
        self.assertIn("already", self.refused("rename", "second", "primes_mine_third").what)
        self.assertIn("cannot be a name", self.refused("rename", "second", "a b").what)

    def test_delete_asks(self) -> None:
        one = self.make()
        self.assertIn("nothing was changed", self.refused("delete", one.name, answer="n\n").what)
        self.assertIn("--yes", self.refused("delete", one.name).remedy)
        self.assertTrue(one.program.exists())
        self.good("delete", one.name, answer="y\n")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_delete_what_cannot_be_read(self) -> None:
        one = self.make()
        self.rewrite(one, "{")
        self.good("delete", one.name, "--yes")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_moved_folder_works(self) -> None:
        self.make()
        self.good("edit-op", "first", "--op", "primality")
        self.good("configure", "first", "--set", "INCLUDES=include")
        moved = self.root / "moved"
        shutil.move(self.folder, moved)
        one = Benchmarks(moved).find("first")
        self.assertEqual(one.settings().includes, (str(moved / one.name / "include"),))
        self.assertNotIn(str(self.folder), (one.folder / "benchmark.json").read_text(encoding="utf-8"))

    def test_update_of_what_was_copied_or_written_by_hand(self) -> None:
        one = self.make()
        self.assertEqual(self.good("update"), "primes_mine_first: up to date\n")
        shutil.copytree(one.folder, self.folder / "primes_mine_copy")
        (found,) = [each for each in Benchmarks(self.folder) if isinstance(each, Unreadable)]
        self.assertEqual(found.why.remedy, "./thalweg update")
        self.assertIn("primes_mine_copy: it has the name of its folder now", self.good("update"))
        self.rewrite(one, '{"application": "primes", "interface": "mine", "composition": "first"}')
        self.assertIn("older format", self.refused("edit", one.name).what)
        self.assertIn("primes_mine_first: it has format 1 now", self.good("update"))
        self.assertEqual(len(list(user_programs(Benchmarks(self.folder)))), 2)

    def test_update_of_some(self) -> None:
        self.make("a")
        self.make("b", "tbb")
        self.rewrite(self.make("broken"), "{")
        a, b = (f"primes_{name}: up to date\n" for name in ("mine_a", "tbb_b"))
        self.assertEqual(self.good("update", "--bench", "a"), a)
        self.assertEqual(self.good("update", "--bench", "primes_tbb_b", "--app", "primes"), b)
        for words in (("--ppi", "tbb"), ("--bench", "broken"), ("--bench", "primes_mine_broken")):
            with self.subTest(words):
                done = self.type("update", *words)
                self.assertNotIn(a, done.output)
                self.assertIsInstance(done.exception, Failed)
        self.assertIn("mine_broken cannot be brought", str(self.type("update", "--ppi", "tbb").exception))
        self.assertIn("there is no benchmark c", self.refused("update", "--bench", "c").what)
        self.assertIn("not your own benchmark", self.refused("update", "--bench", "primes_tbb_farm").what)
        self.assertIn("there is no interface tb", self.refused("update", "--ppi", "tb").what)

    def test_update_goes_on_behind_what_is_broken(self) -> None:
        self.rewrite(self.make("a"), "{")
        self.make("b")
        done = self.type("update")
        self.assertIn("primes_mine_b: up to date", done.output)
        self.assertIn("primes_mine_a cannot be brought up to date", str(done.exception))

    def test_changed_operators_are_told_and_never_overwritten(self) -> None:
        project = self.root / "project"
        place = project / "apps" / "primes"
        place.mkdir(parents=True)
        (place / "operators.txt").write_text("primality p.hpp\n", encoding="utf-8")
        ours = place / "p.hpp"
        lines = [f"line {number}\n" for number in range(20)]
        ours.write_text("".join(lines), encoding="utf-8")
        self.patch(mock.patch.object(operators, "root_of", lambda _: project))
        self.patch(mock.patch.object(update, "root_of", lambda _: project))
        one = self.make()
        self.good("edit-op", "first", "--op", "primality")
        mine = one.folder / "operators" / "apps" / "primes" / "p.hpp"

        self.assertIn("up to date", self.good("update"))
        ours.write_text("".join(["new\n", *lines]), encoding="utf-8")
        self.assertIn("(1 line), and you have not changed it", self.good("update"))
        mine.write_text("".join([*lines[:-2], "own\n"]), encoding="utf-8")
        said = self.good("update")
        self.assertIn("changed in Thalweg (1 line), and you have changed it (2 lines) in other places", said)
        self.assertIn(f"git merge-file '{mine}'", said)
        ours.write_text("".join([*lines[:-1], "theirs\n"]), encoding="utf-8")
        self.assertIn("in the same places", self.good("update"))
        self.assertEqual(mine.read_text(encoding="utf-8").splitlines()[-1], "own")

        self.assertIn("up to date", self.good("update", "--merged", "first"))
        ours.write_text(mine.read_text(encoding="utf-8"), encoding="utf-8")
        self.assertIn("the same in Thalweg now", self.good("update"))
        self.assertIn("up to date", self.good("update"))
        ours.unlink()
        self.assertIn("no longer in Thalweg", self.good("update"))

    def test_name_that_a_program_of_ours_has(self) -> None:
        one = self.make()
        with mock.patch.object(update, "written_programs", return_value=[program("primes", "mine", "first")]):
            self.assertIn("./thalweg rename primes_mine_first NEW", self.good("update"))
        with mock.patch.object(user_cmake, "build_folder", return_value=self.root / "build"):
            ours = [Written(one.name, "primes", "mine", one.program)]
            left_out = tell_cmake(Benchmarks(self.folder), "release", ours).left_out
        self.assertIn("is also a program of Thalweg", left_out[one.name])


class Listed(Own):
    """How own benchmarks stand among ours, and what CMake is told."""

    def setUp(self) -> None:
        super().setUp()
        self.build = self.root / "build"
        self.patch(mock.patch.object(user_cmake, "build_folder", return_value=self.build))
        self.patch(mock.patch.object(programs, "build_folder", return_value=self.build))
        self.patch(mock.patch.object(programs, "build"))
        (self.build / "bench").mkdir(parents=True)
        (self.build / "bench" / "programs.json").write_text("[]", encoding="utf-8")

    def test_list_shows_them(self) -> None:
        self.make("a")
        self.rewrite(self.make("b"), "{\n")
        (self.build / "user_benchmarks.json").write_text(
            '[{"name": "primes_mine_a", "missing": ""}]', encoding="utf-8"
        )
        said = self.good("list")
        self.assertRegex(said, r"primes_mine_a +primes +mine +a +yes, yours")
        self.assertRegex(said, r"primes_mine_b .*no: .*benchmark.json:\d: not JSON")

    def test_what_cmake_misses(self) -> None:
        self.make("a")
        (self.build / "user_benchmarks.json").write_text(
            '[{"name": "primes_mine_a", "missing": "pkg-config finds no package x"}]', encoding="utf-8"
        )
        (one,) = programs.known_programs(self.folder)
        self.assertEqual(one.missing, "pkg-config finds no package x")
        self.assertEqual((one.target, str(one.executable)), ("user.primes_mine_a", "user/primes_mine_a"))

    def test_chosen_like_ours(self) -> None:
        self.make("a")
        there = [program("primes", "tbb", "farm"), *user_programs(Benchmarks(self.folder))]
        for words in ((["primes_mine_a"], [], []), (["a"], [], []), ([], [], ["mine"])):
            self.assertEqual([one.name for one in select(there, *words)], ["primes_mine_a"])
        self.assertEqual(len(select(there, [], ["primes"], [])), 2)

    def test_cmake_is_told_only_of_what_is_good_and_only_if_it_is_new(self) -> None:
        listed = self.build / "user_benchmarks.cmake"
        tell_cmake(Benchmarks(self.folder), "release", ())
        self.assertFalse(listed.exists())
        self.make("a")
        self.rewrite(self.make("b"), "{")
        self.make("c").program.unlink()
        self.good("configure", self.make("d").name, "--set", "MACROS=A")
        left_out = tell_cmake(Benchmarks(self.folder), "release", ()).left_out
        self.assertEqual(list(left_out), ["primes_mine_b", "primes_mine_c"])
        text = listed.read_text(encoding="utf-8")
        self.assertEqual(text.count("thalweg_user_benchmark("), 2)
        os.utime(listed, (1, 1))
        tell_cmake(Benchmarks(self.folder), "release", ())
        self.assertEqual(listed.stat().st_mtime, 1)

    def test_broken_configuration_for_all_is_told_and_nothing_is_built_without_it(self) -> None:
        self.make("a")
        self.lists("primes_tbb_farm")
        (self.folder / "global.json").write_text('{"CXX": 1}', encoding="utf-8")
        known = programs.known_programs(self.folder)
        self.assertEqual([one.name for one in known], ["primes_tbb_farm", "primes_mine_a"])
        for one in known:
            self.assertIn("global.json:1: CXX: is a number", one.missing)

    def lists(self, *names: str) -> None:
        """What CMake lists of our programs."""
        split = [name.split("_") for name in names]
        keys = ("application", "interface", "composition")
        listed = [
            {"name": name, "missing": "", **dict(zip(keys, [*parts, ""], strict=False))}
            for name, parts in zip(names, split, strict=True)
        ]
        (self.build / "bench" / "programs.json").write_text(json.dumps(listed), encoding="utf-8")

    def told(self) -> str:
        """What CMake is told of all programs."""
        programs.known_programs(self.folder)
        return (self.build / "user_benchmarks.cmake").read_text(encoding="utf-8")

    def test_without_a_configuration_our_programs_are_as_they_are(self) -> None:
        self.lists("primes_tbb_farm")
        (one,) = programs.known_programs(self.folder)
        self.assertEqual((one.target, str(one.executable)), ("primes_tbb_farm", "bench/primes_tbb_farm"))
        self.assertFalse((self.build / "user_benchmarks.cmake").exists())
        self.good("global-config", "--set", "CXX_FLAGS=-O2")
        self.assertIn("thalweg_user_benchmark", self.told())
        self.good("global-config", "--unset", "CXX_FLAGS")
        self.assertNotIn("thalweg_user_benchmark", self.told())

    def test_configuration_for_all_is_for_our_programs_too(self) -> None:
        self.lists("primes_sequential", "primes_tbb_farm")
        self.good("global-config", "--set", "CXX_FLAGS=-O2", "--set", "LIBS=-lm")
        call = (
            "thalweg_user_benchmark(\n  KIND [=[configured]=]\n  NAME [=[primes_tbb_farm]=]\n"
            f"  PROGRAM [=[{BENCH}/primes/tbb/farm.cpp]=]\n"
        )
        text = self.told()
        self.assertIn(call, text)
        rest = text.partition(call)[2].partition("\n)")[0]
        for line in ("  CXX_FLAGS [=[SHELL:-O2]=]", "  LIBRARIES [=[-lm]=]", "  USES [=[tbb]=]"):
            self.assertIn(line, rest)
        # The operators are compiled once for all programs of the application.
        self.assertEqual(len(set(re.findall(r"OPERATORS .*operators\.primes_.*", text))), 1)
        for one in programs.known_programs(self.folder):
            self.assertEqual(one.target, f"configured.{one.name}")
            self.assertEqual(str(one.executable), f"configured/{one.name}")
        self.assertRegex(self.good("list"), r"primes_tbb_farm .*yes, as you configured it")

    def test_configuration_of_one_of_our_programs(self) -> None:
        self.lists("primes_sequential", "primes_tbb_farm")
        self.good("configure", "primes_tbb", "--set", "CXX_FLAGS=-O2", "--set", "INCLUDES=mine")
        kept = self.folder / "programs" / "primes_tbb_farm.json"
        self.assertEqual(
            json.loads(kept.read_text(encoding="utf-8")), {"CXX_FLAGS": "-O2", "INCLUDES": "mine"}
        )
        self.assertIn(f"  INCLUDES [=[{kept.parent}/mine]=]", self.told())
        known = {one.name: one.target for one in programs.known_programs(self.folder)}
        self.assertEqual(
            known,
            {"primes_sequential": "primes_sequential", "primes_tbb_farm": "configured.primes_tbb_farm"},
        )
        self.good("global-config", "--set", "CXX_FLAGS=-O1", "--set", "BENCH_CXX=c++")
        said = self.good("configure", "primes_tbb_farm", "--show")
        self.assertEqual(
            said.splitlines(), ["bench_cxx=c++", "cxx_flags=-O1", f"includes={kept.parent}/mine"]
        )
        self.assertIn("no key MACRO", self.refused("configure", "primes_tbb", "--set", "MACRO=x").what)
        kept.write_text("{", encoding="utf-8")
        (one,) = [one for one in programs.known_programs(self.folder) if one.missing]
        self.assertEqual(one.name, "primes_tbb_farm")
        self.assertIn(f"{kept}:1: not JSON", one.missing)

    def test_what_is_debugged_has_lines(self) -> None:
        self.make("a")
        self.lists("primes_sequential", "primes_tbb_farm")
        self.good("configure", "a", "--set", "BENCH_CXX_FLAGS=-O1")
        for name, flags in (("primes_tbb_farm", "-g"), ("primes_mine_a", "-O1 -g")):
            known = programs.known_programs(self.folder, name)
            self.assertEqual([one.target for one in known if one.debugged], [f"debugged.{name}"])
            text = (self.build / "user_benchmarks.cmake").read_text(encoding="utf-8")
            told = text.partition(f"  KIND [=[debugged]=]\n  NAME [=[{name}]=]\n")[2].partition("\n)")[0]
            self.assertIn(f"  OPERATORS [=[debugged_operators.{name}]=]\n", told)
            self.assertIn("  CXX_FLAGS [=[SHELL:-g]=]\n", told)
            self.assertIn(f"  BENCH_CXX_FLAGS [=[SHELL:{flags}]=]", told)
        self.assertNotIn("debugged", self.told())

    def test_store_says_what_programs_are_built_with(self) -> None:
        self.make("a")
        self.lists("primes_sequential", "primes_tbb_farm")
        self.good("configure", "primes_tbb", "--set", "CXX=c++", "--set", "CXX_FLAGS=-O2")
        with mock.patch.dict(os.environ, {"THALWEG_BENCHMARKS": str(self.folder)}):
            said = Circumstances.here(programs.known_programs(self.folder)).libraries
        self.assertNotIn("primes_sequential", said)
        self.assertRegex(said["primes_tbb_farm"], r"^cxx=c\+\+; cxx_flags=-O2; c\+\+ is .*\d\.\d")

    def test_quoted_whatever_is_in_it(self) -> None:
        self.assertEqual(cmake_text('a"$b'), '[=[a"$b]=]')
        self.assertEqual(cmake_text("]=]"), "[==[]=]]==]")

    def test_effort_takes_them(self) -> None:
        self.make("a")
        said = self.good("effort", "--bench", "primes_mine_a")
        self.assertRegex(said, r"primes_mine_a +\d+ \(1\)")

    def test_effort_goes_on_behind_what_is_broken(self) -> None:
        self.make("a")
        self.make("b").program.write_text("int main() {", encoding="utf-8")
        gone = self.make("c").program
        gone.unlink()
        with redirect_stderr(io.StringIO()) as said:
            done = self.type("effort", "--app", "primes")
        self.assertRegex(done.output, r"primes_mine_a +\d+ \(1\)")
        self.assertRegex(done.output, r"primes_tbb_farm +\d+")
        told = said.getvalue() + done.stderr
        self.assertIn("program.cpp:1: this { is not closed", told)
        self.assertIn(f"{gone} cannot be read", told)
        self.assertEqual(str(done.exception), "primes_mine_b, primes_mine_c cannot be measured")
        failure = self.refused("effort", "--bench", "primes_mine_b")
        self.assertIn("none of these programs", failure.what)

    def test_effort_takes_applications_of_ones_own(self) -> None:
        self.good("new-app", "collatz")
        self.good("new", "--app", "collatz", "--ppi", "mine", "--bench", "a")
        for words in (["--app", "collatz"], []):
            said = self.good("effort", *words)
            for name in ("collatz_sequential", "collatz_mine_a", "collatz_thalweg_farm"):
                self.assertRegex(said, rf"{name} +\d+ \(\d")

    def test_sequential_reference_is_ours(self) -> None:
        self.make("x", "sequential").program.write_text("int main() {}\n", encoding="utf-8")
        said = self.good("effort", "--app", "primes", "--ppi", "sequential")
        self.assertRegex(said, r"primes_sequential_x +1 \(0\.\d+\)")


class Built(unittest.TestCase):
    """`build_all`: a broken benchmark of the user's does not keep ours from being built."""

    OURS = program("primes", "tbb", "farm")
    GOOD, BROKEN = (
        programs.Program(f"primes_mine_{name}", "primes", "mine", name, missing="", user_folder=Path("/x"))
        for name in ("a", "b")
    )

    def build(self, *chosen: programs.Program) -> tuple[list[programs.Program], list[tuple[str, ...]]]:
        """What is built, and what the builds were asked for."""
        asked: list[tuple[str, ...]] = []

        def fake(_preset: str, *targets: str, keep_going: bool = False) -> None:
            asked.append(targets)
            if self.BROKEN.target in targets:
                assert keep_going
                raise Failed("the build failed", output="program.cpp:1: error")

        with mock.patch.object(user_build, "build", fake):
            return user_build.build_all(chosen, "tool"), asked

    def test_rest_goes_on(self) -> None:
        with redirect_stderr(io.StringIO()) as said:
            built, asked = self.build(self.OURS, self.GOOD, self.BROKEN)
        self.assertIn("program.cpp:1: error\nfailed: primes_mine_b cannot be built", said.getvalue())
        self.assertEqual(built, [self.OURS, self.GOOD])
        self.assertEqual(
            asked,
            [
                ("tool", self.OURS.name),
                (self.GOOD.target, self.BROKEN.target),
                (self.GOOD.target,),
                (self.BROKEN.target,),
            ],
        )

    def test_warns_of_annotations_that_mean_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as name, redirect_stderr(io.StringIO()) as said:
            folder = Path(name) / "primes_mine_a"
            folder.mkdir()
            source = folder / "program.cpp"
            one = Benchmark(folder, "primes", "mine", "a")
            warned, threads = [], []
            for text, configuration in (
                ("[[spar::ToStream]] while", {}),
                ("[[ spar::Stage]]", {"PPI_CXX": "g++"}),
                ("[[spar::Stage]]", {"PPI_CXX": "/opt/SPar/bin/spar"}),
                ("[[spar::Stage]]", {"PPI_CXX": "thalweg-spar++"}),
                ("[[spar::Stage]]", {"USES": "spar"}),
                ("// spar", {}),
            ):
                source.write_text(text, encoding="utf-8")
                replace(one, configuration=configuration).write()
                (mine,) = user_programs(Benchmarks(Path(name)))
                self.build(mine)
                threads.append([one.nthreads for one in settings([mine], ["test"], [2, 3])])
                warned.append("warning: primes_mine_a is written with SPar's" in said.getvalue())
                said.seek(0)
                said.truncate()
        self.assertEqual(warned, [True, True, False, False, False, False])
        self.assertEqual(threads, [[1], [1], [2, 3], [2, 3], [2, 3], [2, 3]])

    def test_what_is_built_is_removed(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            build = Path(name)
            files = [build / "bench" / "primes_tbb_farm", build / "user" / "primes_mine_a"]
            objects = build / "bench" / "CMakeFiles" / "primes_tbb_farm.dir" / "farm.cpp.o"
            others = build / "bench" / "CMakeFiles" / "primes_tbb.dir" / "farm.cpp.o"
            for file in (*files, objects, others):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch()
            known = [self.OURS, self.GOOD]
            with (
                mock.patch.object(user_build, "build_folder", return_value=build),
                mock.patch.object(user_build, "known_programs", return_value=known),
                mock.patch.object(clean, "known_programs", return_value=known),
                mock.patch.object(user_build, "look_again_at_applications"),
                mock.patch.object(user_build, "build"),
            ):
                self.assertEqual(CliRunner().invoke(app, ["clean", "--bench", "primes_tbb"]).exit_code, 0)
                left = [file.exists() for file in (*files, objects, others)]
                self.assertEqual(left, [False, True, False, True])
                done = CliRunner().invoke(app, ["compile", "--bench", "primes_mine_a", "--clean"])
                self.assertEqual((done.exit_code, files[1].exists()), (0, False))

    def test_nothing_left(self) -> None:
        with self.assertRaises(Failed) as caught:
            self.build(self.BROKEN)
        self.assertEqual(caught.exception.what, "primes_mine_b cannot be built")
        self.assertEqual(caught.exception.output, "program.cpp:1: error")
