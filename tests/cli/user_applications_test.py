"""Applications of the user's own: made, built, run, verified and removed."""

import io
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

import typer
from thalweg_cli.app import app
from thalweg_cli.base.paths import ROOT
from thalweg_cli.base.terminal import Failed
from thalweg_cli.build.cmake import cached_folder, user_applications_folder
from thalweg_cli.catalog import applications
from thalweg_cli.spellings import rewrite
from thalweg_cli.user import new_application as new_app
from thalweg_cli.user.new_application import PLACEHOLDER, TEMPLATE, check_name
from typer.testing import CliRunner, Result

PAGE = ROOT / "docs" / "add-an-application.md"
ENVIRONMENT = dict(os.environ)
"""That of the user: where the compiler's cache is depends on it."""


class UserFolder(unittest.TestCase):
    """Each test has a home, with a folder for applications in it."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = Path(folder.name)
        self.folder = self.home / "streams"
        self.set_environment(
            HOME=str(self.home), XDG_DATA_HOME="", XDG_CACHE_HOME="", THALWEG_BENCHMARKS=str(self.folder)
        )

    def set_environment(self, **values: str) -> None:
        """Sets variables for the test."""
        changed = mock.patch.dict(os.environ, values)
        changed.start()
        self.addCleanup(changed.stop)

    def type(self, *words: str, answer: str = "") -> Result:
        """Runs a command."""
        return CliRunner().invoke(app, list(words), input=answer)

    def fails(self, says: str, *words: str, answer: str = "") -> None:
        """A command ends with a message."""
        done = self.type(*words, answer=answer)
        self.assertIsInstance(done.exception, Failed, done.output)
        told = done.exception
        assert isinstance(told, Failed)
        self.assertIn(says, f"{told.what} {told.remedy}")


class NewApplication(UserFolder):
    """`new-app` and `delete-app`, without a compiler."""

    def test_every_file_has_the_name_in_the_place_of_the_other(self) -> None:
        done = self.type("new-app", "noise")
        self.assertEqual(done.exit_code, 0, done.output)
        made = self.folder / "apps" / "noise"
        files = sorted(str(file.relative_to(made)) for file in made.rglob("*") if file.is_file())
        wanted = [str(file.relative_to(TEMPLATE)) for file in TEMPLATE.rglob("*") if file.is_file()]
        self.assertEqual(files, sorted(one.replace(PLACEHOLDER, "noise") for one in wanted))
        for file in files:
            text = (made / file).read_text(encoding="utf-8")
            self.assertNotIn(PLACEHOLDER, text)
        self.assertIn("namespace apps::noise", (made / "sink.cpp").read_text(encoding="utf-8"))
        self.assertEqual([one.name for one in self.folder.iterdir()], ["apps"])
        self.assertEqual(applications.user_applications(), ["noise"])

    def test_operators_of_the_users_choice(self) -> None:
        words = ["new-app", "-app", "noise", "-operators", "find_it", "smooth", "-folder", str(self.folder)]
        done = self.type(*rewrite(words, typer.main.get_group(app)))
        self.assertEqual(done.exit_code, 0, done.output)
        made = self.folder / "apps" / "noise"
        for file, text in (
            ("operators.txt", "find_it noise.hpp noise.cpp\nsmooth noise.hpp noise.cpp\nsink"),
            ("noise.hpp", "interval find_it(interval of);\n"),
            ("noise.hpp", "interval smooth(interval of);\n"),
            ("noise.cpp", "interval smooth(interval of) {\n  return of;\n}\n"),
            ("spb/noise.hpp", "class Smooth : public Operator<Smooth, Item> {"),
            ("spb/noise.cpp", "detail::work_on_each(smooth_op, item, app::smooth);"),
            ("bench/thalweg/farm.cpp", "  spb::FindIt::op(item);\n  spb::Smooth::op(item);\n"),
            ("bench/sequential/sequential.cpp", "    spb::FindIt::op(item);\n    spb::Smooth::op(item);\n"),
            ("README.md", "▶ find_it ───▶ smooth ─"),
            ("tests/noise_test.cpp", "app::find_it(first)"),
        ):
            with self.subTest(file, text=text):
                self.assertIn(text, (made / file).read_text(encoding="utf-8"))
        for file in made.rglob("*"):
            if file.is_file():
                text = file.read_text(encoding="utf-8")
                self.assertNotRegex(text, r"\bLongest\b|longest_op|\blongest\(interval|::longest\b")

    def test_description(self) -> None:
        words = ["new-app", "noise", "--op", "smooth", "--description"]
        done = self.type(*words, 'smooths "it" with \\1 of longest(9);')
        self.assertEqual(done.exit_code, 0, done.output)
        text = (self.folder / "apps" / "noise" / "application.cpp").read_text(encoding="utf-8")
        self.assertIn(r"""    made.says = "smooths \"it\" with \\1 of longest(9);";""" + "\n", text)
        self.fails("not one line", "new-app", "other", "--description", "a\nb")
        self.assertFalse((self.folder / "apps" / "other").exists())

    def test_operators_that_cannot_be(self) -> None:
        for names, says in (
            (("Rank",), "small letters"),
            (("sink",), "that name is taken"),
            (("while",), "that name is taken"),
            (("metrics",), "that name is taken"),
            (("rank", "rank"), "is given twice"),
        ):
            with self.subTest(names):
                self.fails(says, "new-app", "noise", *(word for name in names for word in ("--op", name)))
        self.assertFalse((self.folder / "apps").exists())

    def test_another_folder(self) -> None:
        done = self.type("new-app", "noise", "--folder", str(self.home / "else where"))
        self.assertTrue((self.home / "else where" / "apps" / "noise" / "noise.hpp").is_file())
        self.assertIn(f"THALWEG_BENCHMARKS={self.home / 'else where'}", done.output)

    def test_without_a_folder_it_is_in_the_users_data(self) -> None:
        self.set_environment(THALWEG_BENCHMARKS="")
        self.type("new-app", "noise")
        place = self.home / ".local" / "share" / "thalweg" / "benchmarks" / "apps" / "noise"
        self.assertTrue(place.is_dir())
        self.assertEqual(user_applications_folder(), str(place.parent))

    def test_names_that_cannot_be(self) -> None:
        for name, says in (
            ("Noise", "is no name"),
            ("9lives", "is no name"),
            ("a__b", "is no name"),
            ("a-b", "is no name"),
            ("../up", "is no name"),
            ("a" * 41, "is no name"),
            ("primes", "there is an application primes already"),
            ("while", "a word of C++"),
            ("std", "Thalweg itself uses it"),
            ("core", "Thalweg itself uses it"),  # spb_core is a library
            ("operator", "a word of C++"),
            ("api", "Thalweg itself uses it"),  # spb/api.hpp
            ("range", "Thalweg itself uses it"),  # apps::range
            ("random", "Thalweg itself uses it"),
        ):
            with self.subTest(name):
                self.fails(says, "new-app", name)
        self.assertFalse(self.folder.exists())
        for name in ("noise", "word_lengths", "k9"):
            check_name(name)

    def test_name_that_is_taken_keeps_what_is_there(self) -> None:
        self.type("new-app", "noise")
        mine = self.folder / "apps" / "noise" / "noise.cpp"
        mine.write_text("mine", encoding="utf-8")
        self.fails("there is an application noise already", "new-app", "noise")
        self.assertEqual(mine.read_text(encoding="utf-8"), "mine")

    def test_folder_that_cannot_be_written(self) -> None:
        self.folder.write_text("a file", encoding="utf-8")
        self.fails(f"{self.folder}/apps cannot be made", "new-app", "noise")

    def test_what_cannot_be_completed_leaves_nothing(self) -> None:
        with mock.patch.object(new_app, "copy_template", side_effect=OSError(28, "No space left on device")):
            self.fails("No space left on device", "new-app", "noise")
        self.assertEqual(list((self.folder / "apps").iterdir()), [])

    def test_deleted_with_what_it_has_made(self) -> None:
        self.type("new-app", "noise")
        self.type("new-app", "other")
        made = self.home / ".cache" / "thalweg" / "inputs" / "noise" / "test"
        made.mkdir(parents=True)
        self.fails("stays", "delete-app", "noise", answer="n\n")
        self.assertTrue(made.is_dir())
        done = self.type("delete-app", "noise", answer="y\n")
        self.assertEqual(done.exit_code, 0, done.output)
        self.assertEqual(applications.user_applications(), ["other"])
        self.assertFalse(made.parent.exists())

    def test_what_is_not_the_users_stays(self) -> None:
        self.type("new-app", "noise")
        self.fails("primes is a part of Thalweg, and cannot be removed", "delete-app", "primes", "--yes")
        self.fails("did you mean noise?", "delete-app", "nose", "--yes")
        self.fails("you have no application ..", "delete-app", "..", "--yes")
        self.assertTrue((self.folder / "apps" / "noise").is_dir())

    def test_link_is_removed_but_not_what_it_leads_to(self) -> None:
        self.type("new-app", "noise")
        elsewhere = self.home / "elsewhere"
        (self.folder / "apps" / "noise").rename(elsewhere)
        (self.folder / "apps" / "noise").symlink_to(elsewhere)
        self.type("delete-app", "noise", "--yes")
        self.assertEqual(applications.user_applications(), [])
        self.assertTrue((elsewhere / "noise.hpp").is_file())

    def test_all_of_the_template_is_packaged(self) -> None:
        package = ROOT / "cli" / "thalweg_cli"
        project = tomllib.loads((ROOT / "cli" / "pyproject.toml").read_text(encoding="utf-8"))
        patterns = project["tool"]["setuptools"]["package-data"]["thalweg_cli"]
        packaged = {file for pattern in patterns for file in package.glob(pattern)}
        self.assertLessEqual({file for file in TEMPLATE.rglob("*") if file.is_file()}, packaged)


class Build(UserFolder):
    """How the build comes to know of the folder."""

    def test_folder_without_anything_to_build_is_no_part(self) -> None:
        self.assertEqual(user_applications_folder(), "")
        self.folder.mkdir()
        self.assertEqual(user_applications_folder(), "")
        (self.folder / "apps").mkdir()
        self.assertEqual(user_applications_folder(), str(self.folder / "apps"))

    def test_folder_in_the_cache(self) -> None:
        self.assertEqual(cached_folder("A:PATH=/a\n"), "")
        self.assertEqual(cached_folder("A:PATH=/a\nTHALWEG_USER_APPS:PATH=/b c\n"), "/b c")

    def test_what_does_not_compile_keeps_no_other_from_being_listed(self) -> None:
        self.type("new-app", "noise")
        listed = [applications.Application("primes", inputs=())]

        def fail_for_user(_preset: str, target: str) -> None:
            if target != applications.TOOL:
                raise Failed("it does not compile")

        with (
            mock.patch.object(applications, "build", side_effect=fail_for_user),
            mock.patch.object(applications, "told_by", return_value=listed),
        ):
            out = io.StringIO()
            with redirect_stdout(out):
                self.assertEqual(applications.known_applications(), listed)
            self.assertIn("left out: noise does not compile", out.getvalue())
            with self.assertRaisesRegex(Failed, "it does not compile"):
                applications.known_applications(["noise"])


class Page(UserFolder):
    """The commands of docs/add-an-application.md do what it says."""

    def test_commands_are_executed(self) -> None:
        blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        self.assertEqual(len(blocks), 5)
        launcher = self.home / "thalweg"  # The environment that runs this test does not need to be made.
        launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m thalweg_cli "$@"\n', encoding="utf-8")
        launcher.chmod(0o755)
        command = ["ccache", "--get-config", "cache_dir"]
        cache = subprocess.run(command, capture_output=True, text=True, check=True, env=ENVIRONMENT)
        environment = {**os.environ, "CCACHE_DIR": cache.stdout.strip(), "PYTHONPATH": str(ROOT / "cli")}
        del environment["THALWEG_BENCHMARKS"]
        told = []
        for number in range(1, len(blocks) + 1):
            # What a shell remembers from the first block, the following ones know, too.
            before = re.findall(r"^export .*\n", "".join(blocks[: number - 1]), re.MULTILINE)
            done = subprocess.run(
                ["bash", "-euo", "pipefail"],
                input="".join(before) + blocks[number - 1],
                cwd=self.home,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, 0, f"{blocks[number - 1]}\n{done.stdout}\n{done.stderr}")
            told.append(done.stdout)
        first, tests, openmp, inputs, end = told
        self.assertRegex(first, r"verified(?s:.)*collatz_sequential +1 \(1\) +0\.")
        self.assertRegex(first, r"collatz_thalweg_farm +2 \(\d\) +0\.")
        self.assertRegex(tests, r"PASSED.* 5 tests")
        self.assertRegex(openmp, r"verified(?s:.)*collatz_openmp_farm +2 \(\d\) +0\.")
        self.assertRegex(inputs, r"collatz +mine +good")
        self.assertRegex(inputs, r"collatz +test +good")
        self.assertEqual(inputs.count("collatz_openmp_farm"), 1)
        self.assertIn("numbers.txt stays", end)
        self.assertEqual((self.home / "numbers.txt").read_text(encoding="utf-8"), "27\n703\n77031\n")
        self.assertEqual(list((self.home / "streams" / "apps").iterdir()), [])
