"""Inputs: listed, made, checked; files of the user's own under a name."""

import hashlib
import json
import os
import resource
import stat
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from thalweg_cli import listing
from thalweg_cli.app import app
from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog import programs
from thalweg_cli.catalog.programs import Program
from thalweg_cli.catalog.registered import list_file, registered
from typer.testing import CliRunner, Result

TOOL = """#!/bin/bash
here=$(dirname "$0")
case $1 in
  list) cat "$here/list.json" ;;
  generate)
    echo "$*" >>"$here/log"
    [ "$3" != large ] || { echo "thalweg_inputs: the disk is full" >&2; exit 1; } ;;
esac
"""
"""A tool that only pretends."""


def sha256(text: str) -> str:
    """The hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


class FakeTool(unittest.TestCase):
    """Each test has a home, and a tool that knows of two applications, of which primes has an input."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = Path(folder.name)
        self.bin = self.home / "build" / "apps" / "inputs"
        self.bin.mkdir(parents=True)
        (self.home / "build" / "bench").mkdir()
        self.made = self.home / "cache" / "test"
        self.script(self.bin / "thalweg_inputs", TOOL)
        self.list_inputs(test=self.made, large=None)
        names = {"XDG_DATA_HOME": str(self.home / "data"), "THALWEG_BENCHMARKS": str(self.home / "streams")}
        for patch in (
            mock.patch.dict(os.environ, names),
            mock.patch("thalweg_cli.catalog.applications.build"),
            mock.patch("thalweg_cli.catalog.applications.build_folder", return_value=self.home / "build"),
            mock.patch("thalweg_cli.user.new_input.build"),
            mock.patch("thalweg_cli.user.new_input.build_folder", return_value=self.home / "build"),
        ):
            patch.start()
            self.addCleanup(patch.stop)
        self.file = self.home / "mine.txt"
        self.file.write_text("mine", encoding="utf-8")

    def script(self, place: Path, text: str) -> None:
        """Writes a program."""
        place.write_text(text, encoding="utf-8")
        place.chmod(place.stat().st_mode | stat.S_IXUSR)

    def list_inputs(self, *, own: tuple[str, Path] | None = None, **inputs: Path | None) -> None:
        """What the tool lists of primes: inputs in their folders, or not made; and one of the user's own."""
        its = [
            {"name": name, "made": place is not None, "folder": str(place), "registered": False, "bytes": 5}
            for name, place in inputs.items()
        ]
        if own:
            there = own[1].exists()
            its.append({"name": own[0], "made": there, "folder": str(own[1]), "registered": True, "bytes": 4})
        primes = {"name": "primes", "says": "finds primes", "operators": ["source", "sink"], "inputs": its}
        listed = {"applications": [primes], "unavailable": [{"name": "ferret", "fix": "apt-get install x"}]}
        (self.bin / "list.json").write_text(json.dumps(listed), encoding="utf-8")

    def type(self, *words: str) -> Result:
        """Runs a command."""
        return CliRunner().invoke(app, list(words))

    def fails(self, says: str, *words: str) -> None:
        """A command ends with a message."""
        done = self.type(*words)
        self.assertIsInstance(done.exception, Failed, done.output)
        told = done.exception
        assert isinstance(told, Failed)
        self.assertIn(says, f"{told.what} {told.remedy}")

    def register(self, *more: str, name: str = "mine") -> Result:
        """Gives the user's file a name."""
        return self.type("new-input", "--app", "primes", "--name", name, "--file", str(self.file), *more)

    def refuses(self, says: str, *more: str, name: str = "mine") -> None:
        """A file is not registered, and the list stays as it was."""
        before = list_file().read_bytes() if list_file().exists() else None
        words = ("new-input", "--app", "primes", "--name", name, "--file", str(self.file), *more)
        self.fails(says, *words)
        self.assertEqual(list_file().read_bytes() if list_file().exists() else None, before)

    def make_test_input(self) -> None:
        """The input test is there, with the hash of its file."""
        (self.made / "b").mkdir(parents=True)
        (self.made / "b" / "range.txt").write_text("1 to 5", encoding="utf-8")
        (self.made / ".sha256").write_text(f"{sha256('1 to 5')}  b/range.txt\n", encoding="utf-8")

    @property
    def log(self) -> list[str]:
        """What the tool was told to make."""
        file = self.bin / "log"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


class NewInput(FakeTool):
    """`new-input` and `delete-input`."""

    def test_is_kept_with_what_tells_it_from_others(self) -> None:
        done = self.register("--hash", sha256("out").upper())
        self.assertEqual(done.exit_code, 0, done.output)
        (one,) = registered()
        self.assertEqual((one.application, one.name, one.file), ("primes", "mine", self.file))
        self.assertEqual((one.output_hash, one.size, one.input_hash), (sha256("out"), 4, sha256("mine")))
        line = list_file().read_text(encoding="utf-8").splitlines()[-1]
        self.assertEqual(line, f"primes\tmine\t{self.file}\t{sha256('out')}\t4\t{sha256('mine')}")

    def test_without_a_hash_that_is_said(self) -> None:
        self.assertIn("cannot be verified", self.register().output)
        self.assertEqual(registered()[0].output_hash, "")

    def test_several_are_kept(self) -> None:
        self.register()
        self.register("--hash", "0" * 32, name="again")
        self.assertEqual([one.name for one in registered()], ["mine", "again"])

    def test_folder(self) -> None:
        folder = self.home / "some"
        folder.mkdir()
        self.file.rename(folder / "a b")
        (folder / ".hidden").write_text("x", encoding="utf-8")
        self.file = folder
        self.register()
        (one,) = registered()
        self.assertEqual((one.size, one.input_hash), (4, sha256(f"{sha256('mine')}  a b\n")))

    def test_hash_of_what_the_sequential_program_writes(self) -> None:
        program = self.home / "build" / "bench" / "primes_sequential"
        self.script(program, '#!/bin/bash\ncat "$2" "$2" >"$4"\n')
        self.register("--hash", "sequential")
        self.assertEqual(registered()[0].output_hash, sha256("minemine"))
        self.script(program, "#!/bin/bash\necho 'primes_sequential: no range' >&2; exit 1\n")
        self.refuses("cannot run on", "--hash", "sequential", name="other")
        self.refuses("no range", "--hash", "sequential", name="other")
        self.script(program, '#!/bin/bash\nmkdir "$4"\n')
        self.refuses("writes a folder, which has no hash", "--hash", "sequential", name="other")

    def test_what_is_wrong_is_told_and_nothing_lost(self) -> None:
        self.register()
        self.refuses(f"primes has an input mine already: {self.file}")
        self.refuses("primes already has an input test, which it makes", name="test")
        self.refuses("letters, digits", name="a/b")
        self.refuses("letters, digits", name="-x")
        self.refuses("neither a SHA-256 (64 digits) nor an MD5 (32)", "--hash", "12ab", name="other")
        self.file = self.home / "nothing.txt"
        self.refuses(f"there is no file {self.file}", name="other")
        self.file = self.home / "tab\there"
        self.file.write_text("x", encoding="utf-8")
        self.refuses("a tab or a line break", name="other")
        self.file = self.home / "hollow"
        self.file.mkdir()
        self.refuses("is an empty folder", name="other")

    def test_unknown_applications(self) -> None:
        more = ("--name", "mine", "--file", str(self.file))
        self.fails("there is no application prims did you mean primes?", "new-input", "--app", "prims", *more)
        self.fails("ferret is not built here apt-get install x", "new-input", "--app", "ferret", *more)
        self.fails("did you mean primes?", "delete-input", "--app", "prims", "--name", "mine")

    def test_deleted_name_leaves_the_file(self) -> None:
        self.register()
        self.register(name="other")
        self.fails("did you mean mine?", "delete-input", "--app", "primes", "--name", "mien")
        done = self.type("delete-input", "--app", "primes", "--name", "mine")
        self.assertIn(f"{self.file} stays", done.output)
        self.assertEqual([one.name for one in registered()], ["other"])
        self.assertEqual(self.file.read_text(encoding="utf-8"), "mine")

    def test_damaged_list_is_named_with_its_line_and_kept(self) -> None:
        self.register()
        good = list_file().read_text(encoding="utf-8")
        for line, says in (
            ("primes\tother", ":4: this is not an application"),
            (f"primes\tother\trelative\t-\t1\t{sha256('')}", ":4: the path relative is not absolute"),
            ("primes\tother\t/a\t12\t1\t-", ":4: 12 is neither a SHA-256 nor an MD5"),
            ("primes\tother\t/a\t-\t1\t-", ":4: - is neither a SHA-256 nor an MD5"),
            ("primes\tother\t/a\t-\tmuch\t-", ":4: this is not an application"),
        ):
            with self.subTest(line):
                list_file().write_text(good + line + "\n", encoding="utf-8")
                self.refuses(f"{list_file()}{says}", name="third")
                self.fails(says, "delete-input", "--app", "primes", "--name", "mine")

    def test_list_that_cannot_be_read_or_written(self) -> None:
        self.register()
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, before)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
        words = ("--app", "primes", "--name", "mine")
        self.fails(f"{list_file()} cannot be written", "delete-input", *words)
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        self.assertEqual([one.name for one in registered()], ["mine"])
        list_file().write_bytes(b"primes\t\xff\n")
        self.refuses(f"{list_file()} cannot be read: it is not in UTF-8", name="other")


class Inputs(FakeTool):
    """`inputs`, and SPBench's names for it."""

    def test_are_listed_with_size_and_place(self) -> None:
        self.register()
        self.list_inputs(test=self.made, large=None, own=("mine", self.file))
        shown = self.type("inputs").output
        self.assertRegex(shown, rf"primes +test +made +5 B +{self.made}")
        self.assertRegex(shown, r"primes +large +not made *\n")
        self.assertRegex(shown, rf"primes +mine +your own +4 B +{self.file}")
        self.assertNotIn("large", self.type("inputs", "--app", "primes", "--input", "test").output)
        self.file.unlink()
        self.list_inputs(own=("mine", self.file))
        self.assertRegex(self.type("inputs").output, rf"mine +your own, gone +{self.file}")

    def test_only_what_is_missing_is_made(self) -> None:
        self.list_inputs(test=self.made, small=None, medium=None, own=("mine", self.file))
        done = self.type("inputs", "--app", "primes", "--generate")
        self.assertEqual(done.exit_code, 0, done.output)
        self.assertEqual(self.log, ["generate primes small", "generate primes medium"])
        self.type("inputs", "--input", "test", "--generate", "--force")
        self.assertEqual(self.log[2:], ["generate primes test --force"])

    def test_nothing_is_downloaded(self) -> None:
        self.list_inputs(small=None)
        done = self.type("download-inputs", "--app", "all")
        self.assertIn("nothing is downloaded", done.output)
        self.assertEqual(self.log, ["generate primes small"])

    def test_mistakes(self) -> None:
        for says, words in (
            ("which inputs?", ["--generate"]),
            ("--force goes with --generate", ["--force"]),
            ("there is no application prims did you mean primes?", ["--app", "prims"]),
            ("ferret is not built here apt-get install x", ["--app", "ferret"]),
            ("primes has no input tset did you mean test?", ["--app", "primes", "--input", "tset"]),
            (
                "the input large of primes is not there, and cannot be made",
                ["--input", "large", "--generate"],
            ),
        ):
            with self.subTest(words):
                self.fails(says, "inputs", *words)

    def test_tool_that_cannot_tell(self) -> None:
        self.script(
            self.bin / "thalweg_inputs", "#!/bin/bash\necho 'thalweg_inputs: a.tsv:1: bad' >&2; exit 1\n"
        )
        self.fails("the applications cannot be listed: a.tsv:1: bad", "inputs")

    def verified(self) -> tuple[int, str]:
        """What `--verify` finds."""
        done = self.type("inputs", "--verify")
        return done.exit_code, done.output

    def test_made_inputs_are_verified_by_their_hashes(self) -> None:
        self.make_test_input()
        code, shown = self.verified()
        self.assertEqual(code, 0, shown)
        self.assertRegex(shown, r"primes +test +good")
        self.assertNotIn("large", shown)
        file = self.made / "b" / "range.txt"
        file.write_text("1 to 6", encoding="utf-8")
        code, shown = self.verified()
        self.assertEqual((code, f"{file} has changed" in shown), (1, True))
        file.unlink()
        code, shown = self.verified()
        self.assertEqual((code, f"{file} is not there" in shown), (1, True))

    def test_input_of_an_earlier_version_has_no_hashes(self) -> None:
        self.made.mkdir(parents=True)
        code, shown = self.verified()
        self.assertEqual((code, "before hashes were kept" in shown), (0, True))

    def test_files_of_the_users_are_compared_with_what_they_were(self) -> None:
        self.register()
        self.list_inputs(own=("mine", self.file))
        self.assertEqual(self.verified()[0], 0)
        self.file.write_text("yours", encoding="utf-8")
        code, shown = self.verified()
        self.assertEqual((code, "has changed since it was registered" in shown), (1, True))
        self.file.unlink()
        self.list_inputs(own=("mine", self.file))
        code, shown = self.verified()
        self.assertEqual((code, f"{self.file} is not there" in shown), (1, True))


class Lists(FakeTool):
    """`list` of what is not a program."""

    def test_applications_and_operators(self) -> None:
        shown = self.type("list", "applications").output
        self.assertRegex(shown, r"primes +Thalweg +finds primes")
        self.assertRegex(shown, r"ferret +Thalweg +not built: apt-get install x")
        self.assertRegex(self.type("list", "operators", "--app", "primes").output, r"primes +source, sink")
        self.assertRegex(self.type("list", "inputs").output, r"primes +test")

    def test_interfaces(self) -> None:
        known = [
            Program("a_tbb", "a", "tbb", "", ""),
            Program("b_tbb", "b", "tbb", "", ""),
            Program("a_ff", "a", "ff", "", "set FF"),
        ]
        with mock.patch.object(listing, "known_programs", return_value=known):
            shown = self.type("list", "interfaces").output
        self.assertRegex(shown, r"tbb +2 +yes")
        self.assertRegex(shown, r"ff +1 +no: set FF")

    def test_benchmarks_are_what_is_listed_without_a_word(self) -> None:
        known = [Program("a_tbb", "a", "tbb", "", "")]
        with mock.patch.object(programs, "known_programs", return_value=known):
            self.assertEqual(self.type("list").output, self.type("list", "benchmarks").output)
            self.assertIn("a_tbb", self.type("list").output)

    def test_version(self) -> None:
        self.assertRegex(self.type("version").output, r"^thalweg \d+\.\d+\.\d+, commit \w+")
