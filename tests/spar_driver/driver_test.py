"""What thalweg-spar++ makes of a command line, with programs in place of thalweg-spar and the compiler.

usage: driver_test.py <thalweg-spar++> [<option of unittest>...]
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

DRIVER = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else Path()

ANNOTATED = "int main() { [[spar::ToStream]] while (true) { [[spar::Stage]] { break; } } }\n"
PLAIN = "int other() { return 0; }\n"

PROGRAM = f"""#!{sys.executable}
import json, os, signal, sys
from pathlib import Path
name, arguments = Path(sys.argv[0]).name, sys.argv[1:]
with open(os.environ["CALLS"], "a") as calls:
    calls.write(json.dumps([name, *arguments]) + "\\n")
if wrong := os.environ.get(f"{{name}}_ends".replace("-", "_")):
    os.kill(os.getpid(), signal.SIGTERM) if wrong == "signal" else sys.exit(int(wrong))
said = arguments[: arguments.index("--")] if "--" in arguments else arguments
if "-o" in said:
    Path(said[said.index("-o") + 1]).write_text("made by " + name)
if "-MF" in said:
    source = next(one for one in said if one.endswith((".cpp", ".cc")))
    source = source.replace(" ", "\\\\ ")
    Path(said[said.index("-MF") + 1]).write_text(f"x.o: {{source}} \\\\\\n a\\\\ b.hpp {{source}}.hpp\\n")
"""


class Driver(unittest.TestCase):
    """Each test has a folder of its own, with the programs beside the driver."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.bin, self.work, self.tmp = (self.root / name for name in ("bin", "work", "tmp"))
        for one in (self.bin, self.work, self.tmp, self.work / "sub"):
            one.mkdir()
        for name in ("thalweg-spar", "compiler"):
            (self.bin / name).write_text(PROGRAM, encoding="utf-8")
            (self.bin / name).chmod(0o755)
        shutil.copy(DRIVER, self.bin)
        self.lib = self.root / "lib"
        (self.bin / "thalweg-spar++.places").write_text(
            f"{self.bin}/thalweg-spar\n{self.root}/include\n{self.lib}\n", encoding="utf-8"
        )
        for name, text in (("prog.cpp", ANNOTATED), ("sub/two.cc", ANNOTATED), ("other.cpp", PLAIN)):
            (self.work / name).write_text(text, encoding="utf-8")

    def call(self, *arguments: str, code: int = 0, **environment: str) -> list[list[str]]:
        """Calls the driver. Returns how it called the others, translated sources by their last name."""
        calls = self.root / "calls"
        calls.write_text("", encoding="utf-8")
        surroundings = {
            **os.environ,
            "CALLS": str(calls),
            "TMPDIR": str(self.tmp),
            "THALWEG_SPAR_CXX": f"{self.bin}/compiler",
        }
        done = subprocess.run(
            [self.bin / "thalweg-spar++", *arguments],
            cwd=self.work,
            env=surroundings | environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(list(self.tmp.iterdir()), [], "something was left")
        made = f"{self.tmp}/"
        return [
            [f"<{Path(one).name}>" if one.lstrip("@").startswith(made) else one for one in json.loads(line)]
            for line in calls.read_text(encoding="utf-8").splitlines()
        ]

    def flags(self, command: list[str]) -> list[str]:
        """A command of the compiler without the folders of headers that the driver adds."""
        self.assertEqual(command[1], "-iquote")
        self.assertEqual(command[command.index("-isystem") + 1], f"{self.root}/include")
        at = command.index("-isystem")
        return [command[0], *command[3:at], *command[at + 2 :]]

    LINKED = ("-Wl,--push-state,--as-needed", "-lthalweg", "-Wl,--pop-state")

    def linked(self, command: list[str]) -> list[str]:
        """What a command links before the library, which is at its end."""
        begin = command.index(self.LINKED[0])
        self.assertIn(f"-L{self.lib}", command[begin:])
        self.assertIn(self.LINKED[1], command[begin:])
        self.assertEqual(command[-1], self.LINKED[2])
        return command[:begin]

    def test_without_attributes_the_compiler_gets_everything(self) -> None:
        given = ["-O2", "-std=c++17", "-MMD", "-c", "other.cpp", "-o", "x.o"]
        self.assertEqual(self.call(*given), [["compiler", *given]])
        for asked in (["--version"], ["-E", "-dM", "other.cpp"], ["-v"], ["-MM", "prog.cpp"]):
            self.assertEqual(self.call(*asked), [["compiler", *asked]])

    def test_a_source_with_attributes(self) -> None:
        translated, compiled = self.call("-O3", "-DA=b", "-I", "inc", "-Wall", "-c", "prog.cpp")
        self.assertEqual(
            translated,
            ["thalweg-spar", "-o", "<prog.cpp>", "prog.cpp", "--", "-DA=b", "-I", "inc", "-std=gnu++20"],
        )
        self.assertEqual(
            self.flags(compiled),
            [
                "compiler",
                "-O3",
                "-DA=b",
                "-I",
                "inc",
                "-Wall",
                "-c",
                "<prog.cpp>",
                "-std=gnu++20",
                "-o",
                "prog.o",
            ],
        )

    def test_the_action_stays(self) -> None:
        for action, output in (("-c", "prog.o"), ("-S", "prog.s"), ("-E", ""), ("-fsyntax-only", "")):
            compiled = self.call(action, "prog.cpp")[1]
            self.assertIn(action, compiled)
            self.assertEqual(compiled[compiled.index("-o") + 1] if output else "", output)
            self.assertEqual("-o" in compiled, output != "")

    def test_headers_beside_the_source(self) -> None:
        self.assertEqual(self.call("-c", "sub/two.cc")[1][1:3], ["-iquote", "sub"])
        self.assertEqual(self.call("-c", "prog.cpp")[1][1:3], ["-iquote", "."])

    def test_one_source_is_compiled_and_linked_at_once(self) -> None:
        _, compiled = self.call("-O1", "prog.cpp", "lib.a", "-lm", "-o", "p")
        given = [one for one in compiled[3:] if one not in ("-isystem", f"{self.root}/include")]
        self.assertEqual(
            self.linked(["compiler", *given]),
            ["compiler", "-O1", "<prog.cpp>", "lib.a", "-lm", "-std=gnu++20", "-o", "p"],
        )

    def test_several_sources_are_linked(self) -> None:
        *_, one, two, linked = self.call(
            "-O1", "prog.cpp", "other.cpp", "sub/two.cc", "lib.a", "-lm", "-o", "p"
        )
        self.assertIn("<prog.cpp>", one)
        self.assertIn("<two.cc>", two)
        for command in (one, two):
            self.assertNotIn("-lm", command)
            self.assertNotIn("lib.a", command)
        before = self.linked(linked)
        self.assertRegex(before[2], r"^<\d+-prog\.o>$")
        self.assertRegex(before[4], r"^<\d+-two\.o>$")
        self.assertEqual(
            before[:2] + before[3:4] + before[5:], ["compiler", "-O1", "other.cpp", "lib.a", "-lm", "-o", "p"]
        )

    def test_several_sources_are_compiled(self) -> None:
        *_, one, rest = self.call("-c", "prog.cpp", "other.cpp")
        self.assertEqual(one[-2:], ["-o", "prog.o"])
        self.assertEqual(rest, ["compiler", "-c", "other.cpp"])

    def test_linking_alone(self) -> None:
        (linked,) = self.call("prog.o", "-o", "prog")
        self.assertEqual(self.linked(linked), ["compiler", "prog.o", "-o", "prog"])
        (linked,) = self.call("--policy", "mpi", "prog.o")
        self.assertLess(linked.index("-lthalweg_mpi"), linked.index("-lthalweg"))
        self.assertNotIn("--policy", linked)
        self.assertNotIn("-lthalweg_mpi", self.call("--policy=threads:2", "prog.o")[0])
        for flag in ("-nostdlib", "-r"):
            self.assertEqual(self.call(flag, "prog.o"), [["compiler", flag, "prog.o"]])

    def test_shared_libraries_are_found_when_a_program_runs(self) -> None:
        self.lib.mkdir()
        (self.lib / "libthalweg.so").touch()
        self.assertIn(f"-Wl,-rpath,{self.lib}", self.call("prog.o")[0])

    def test_options_of_thalweg_spar(self) -> None:
        translated, compiled = self.call(
            "-spar_ondemand", "4", "-spar_blocking", "--policy", "pool:2", "-c", "prog.cpp"
        )
        self.assertEqual(
            translated[3:-2], ["-spar_ondemand", "4", "-spar_blocking", "--policy", "pool:2", "prog.cpp"]
        )
        self.assertFalse([one for one in compiled if "spar_" in one or one in ("4", "--policy", "pool:2")])
        # Its argument may be left out.
        self.assertEqual(
            self.call("-spar_ondemand", "prog.cpp", "-c")[0][3:5], ["-spar_ondemand", "prog.cpp"]
        )

    def test_questions_are_answered_besides(self) -> None:
        asked, translated, _ = self.call("--explain=dot", "-c", "prog.cpp")
        self.assertEqual(asked[:3], ["thalweg-spar", "--explain=dot", "prog.cpp"])
        self.assertNotIn("--explain=dot", translated)
        asked, compiled = self.call("--suggest", "-c", "other.cpp")
        self.assertEqual(asked[:3], ["thalweg-spar", "--suggest", "other.cpp"])
        self.assertEqual(compiled, ["compiler", "-c", "other.cpp"])

    def test_the_standard_is_at_least_20(self) -> None:
        for given, wanted in (
            ("-std=c++17", "-std=c++20"),
            ("-std=gnu++14", "-std=gnu++20"),
            ("-ansi", "-std=c++20"),
            ("-std=c++20", ""),
            ("-std=gnu++2b", ""),
        ):
            translated, compiled = self.call(given, "-c", "prog.cpp")
            for command in (translated, compiled):
                self.assertEqual(
                    [one for one in command if one.startswith("-std") and one != given],
                    [wanted] * bool(wanted),
                )

    def test_languages(self) -> None:
        (self.work / "text").write_text(ANNOTATED, encoding="utf-8")
        translated, _, compiled, _, linked = self.call(
            "-x", "c++", "text", "-x", "none", "prog.cpp", "prog.o"
        )
        self.assertEqual(translated[-4:], ["--", "-x", "c++", "-std=gnu++20"])
        self.assertEqual(self.flags(compiled)[1:4], ["-x", "c++", "<text>"])
        self.assertEqual(self.linked(linked)[3:5], ["-x", "none"])
        self.assertEqual(self.call("text")[0][:2], ["compiler", "text"])

    def test_dependencies_name_the_source(self) -> None:
        (self.work / "a b.cpp").write_text(ANNOTATED, encoding="utf-8")
        for source, escaped in (("prog.cpp", "prog.cpp"), ("a b.cpp", "a\\ b.cpp")):
            self.call("-MD", "-MF", "deps", "-c", source)
            said = (self.work / "deps").read_text(encoding="utf-8")
            self.assertRegex(
                said, rf"^x\.o: {escaped.replace(chr(92), chr(92) * 2)} \\\n a\\ b\.hpp .*\.hpp\n$"
            )

    def test_names_of_dependency_files(self) -> None:
        for given, wanted in (
            (["-c", "prog.cpp"], "prog.d"),
            (["-c", "prog.cpp", "-o", "sub/x.o"], "sub/x.d"),
            (["prog.cpp", "-o", "run"], "run.d"),
            (["prog.cpp"], "a-prog.d"),
            (["prog.cpp", "sub/two.cc", "-o", "run"], "run-prog.d"),
        ):
            compiled = next(one for one in self.call("-MMD", *given) if one[0] == "compiler")
            self.assertEqual(compiled[compiled.index("-MF") + 1], wanted)

    def test_response_files(self) -> None:
        (self.work / "more").write_text("-c '-DA=b c' -o x.o\n", encoding="utf-8")
        (self.work / "args").write_text('"prog.cpp" @more', encoding="utf-8")
        translated, compiled = self.call("@args")
        self.assertEqual(translated[-3:], ["--", "-DA=b c", "-std=gnu++20"])
        self.assertEqual(compiled[-2:], ["-o", "x.o"])
        (self.work / "args").write_text("-c other.cpp", encoding="utf-8")
        self.assertEqual(self.call("@args"), [["compiler", "@args"]])
        self.assertEqual(self.call("@nowhere", "-c"), [["compiler", "@nowhere", "-c"]])
        # Too much for a command line.
        (self.work / "args").write_text("prog.cpp -c " + "-DA " * 20_000, encoding="utf-8")
        _, compiled = self.call("@args")
        self.assertRegex(compiled[-1], r"\.arguments>$")

    def test_what_is_kept(self) -> None:
        for flag in ("-spar_file", "-save-temps"):
            self.call(flag, "-c", "prog.cpp")
            kept = self.work / "prog.spar.cpp"
            self.assertEqual(kept.read_text(encoding="utf-8"), "made by thalweg-spar")
            kept.unlink()

    def test_called_by_a_build_system(self) -> None:
        compiler = f"{self.bin}/compiler"
        given = ["--policy", "mpi", "--launch", "3", "/usr/bin/env", "A=b", compiler]
        translated, compiled = self.call(*given, "-DX", "-o", "sub/prog.cpp.o", "-c", "prog.cpp")
        self.assertEqual(translated[:5], ["thalweg-spar", "-o", "sub/prog.cpp.spar.cpp", "--policy", "mpi"])
        self.assertEqual(
            self.flags(compiled),
            ["compiler", "-DX", "-c", "sub/prog.cpp.spar.cpp", "-std=gnu++20", "-o", "sub/prog.cpp.o"],
        )
        self.assertEqual(self.call(*given, "prog.o"), [["compiler", "prog.o"]])  # It knows what it links.
        self.call("--launch", "3", compiler, code=1)

    def test_ends_as_the_others_end(self) -> None:
        self.assertEqual(len(self.call("prog.cpp", code=3, thalweg_spar_ends="3")), 1)
        self.assertEqual(
            len(self.call("prog.cpp", "sub/two.cc", code=4, compiler_ends="4")), 4
        )  # It does not link.
        self.call("-c", "other.cpp", code=5, compiler_ends="5")
        self.call("-c", "prog.cpp", code=-signal.SIGTERM, compiler_ends="signal")
        self.call("prog.cpp", code=127, THALWEG_SPAR_CXX="no-such-compiler")
        (self.bin / "thalweg-spar").unlink()
        self.call("prog.cpp", code=127)

    def test_a_signal_leaves_nothing(self) -> None:
        waiting = self.root / "waiting"
        script = f'#!/bin/sh\ntouch "{waiting}"\nexec sleep 60\n'
        (self.bin / "compiler").write_text(script, encoding="utf-8")
        environment = {**os.environ, "CALLS": str(self.root / "calls"), "TMPDIR": str(self.tmp)}
        environment["THALWEG_SPAR_CXX"] = f"{self.bin}/compiler"
        with subprocess.Popen(
            [self.bin / "thalweg-spar++", "prog.cpp"], cwd=self.work, env=environment
        ) as running:
            while not waiting.exists() and running.poll() is None:
                time.sleep(0.01)
            running.terminate()
            self.assertEqual(running.wait(timeout=60), -signal.SIGTERM)
        self.assertEqual(list(self.tmp.iterdir()), [])

    def test_what_looks_like_attributes(self) -> None:
        for text, seen in (
            ("[[ spar :: Stage ]] {}", True),
            ("[[using spar: Stage]] {}", True),
            ("namespace sparse { struct Stage; }", False),
            ("int spar; struct Stage;", False),
            ("tspar::Stage", False),
            ("spar::Input", False),
        ):
            (self.work / "some.cpp").write_text(text, encoding="utf-8")
            called = self.call("-c", "some.cpp")
            self.assertEqual(
                [one[0] for one in called], ["thalweg-spar", "compiler"] if seen else ["compiler"], text
            )


if __name__ == "__main__":
    unittest.main()
