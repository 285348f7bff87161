"""Compiles a file as it is and through thalweg-spar++, and compares what its programs print.

The attributes mean nothing to other compilers, so a file is its own oracle: whatever it prints as a
sequential program, the stream has to print under every policy.
"""

import argparse
import difflib
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SKIPPED = 77
"""The exit code of a test that says why it is left out."""

POLICIES = ("sequential", "pool", "threads:4")

# The programs' own warnings are not what is tested; those of what the tool writes are.
PLAIN = ("-std=c++20", "-O0", "-w")
SPAR = ("-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", "-DTHALWEG_FAST_COMPILE")

PATIENCE_S = 60
"""No program here needs a second: one that runs for so long hangs."""


class Wrong(Exception):
    """What a test found."""


@dataclass(frozen=True)
class Compilers:
    """What a file is compiled with."""

    spar: Path
    behind: str
    plain: tuple[str, ...]

    def oracles(self, source: Path, *flags: str) -> list[Path]:
        """The sequential programs, one for each compiler."""
        made = []
        for number, compiler in enumerate(self.plain):
            program = source.with_suffix(f".plain{number}")
            compiled([*compiler.split(), *PLAIN, *flags, str(source), "-o", str(program)])
            made.append(program)
        return made

    def stream(self, source: Path, *flags: str, suffix: str = ".spar") -> Path:
        """The program that thalweg-spar++ makes."""
        program = source.with_suffix(suffix)
        compiled(
            [str(self.spar), *SPAR, *flags, str(source), "-o", str(program)],
            {"THALWEG_SPAR_CXX": self.behind},
        )
        return program


def compiled(command: Sequence[str], variables: Mapping[str, str] | None = None) -> None:
    """Runs a compiler, which must have nothing to say."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **(variables or {})}
    )
    if done.returncode != 0:
        said = "\n".join((done.stderr + done.stdout).splitlines()[:40])
        raise Wrong(f"{' '.join(command)}\nended with code {done.returncode}:\n{said}")


def printed(command: Sequence[str], variables: Mapping[str, str] | None = None) -> str:
    """What a program prints; it must end well, and in time."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
            env={**os.environ, **(variables or {})},
        )
    except subprocess.TimeoutExpired as error:
        raise Wrong(f"{' '.join(command)} hangs") from error
    if done.returncode != 0:
        raise Wrong(f"{' '.join(command)} ended with code {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def same(expected: str, got: str, what: str) -> None:
    """Fails with the first lines that differ."""
    if expected == got:
        return
    lines = difflib.unified_diff(
        expected.splitlines(), got.splitlines(), "as a loop", "as a stream", lineterm="", n=2
    )
    raise Wrong(f"{what}:\n" + "\n".join(list(lines)[:30]))


def expectations(oracles: Sequence[Path], names: Sequence[str]) -> dict[str, str]:
    """What each program prints as a loop, which has to be the same under each compiler."""
    expected = {}
    for name in names:
        outputs = [printed([str(oracle), name]) for oracle in oracles]
        for output in outputs[1:]:
            same(outputs[0], output, f"{name}: the compilers differ, so the program itself is wrong")
        expected[name] = outputs[0]
    return expected


def compare(program: Path, expected: Mapping[str, str], settings: Sequence[Mapping[str, str]]) -> list[str]:
    """Runs all programs of a file with each set of environment variables; gives what is wrong."""
    wrong = []
    for variables in settings:
        for name, output in expected.items():
            how = " ".join(f"{variable}={value}" for variable, value in variables.items())
            try:
                same(output, printed([str(program), name], variables), f"{name} with {how}")
            except Wrong as found:
                wrong.append(f"{name} with {how}: {found}")
    return wrong


def settings_of(policies: Sequence[str]) -> list[dict[str, str]]:
    """The environments to run programs in: one for each policy."""
    return [{"THALWEG_SPAR_POLICY": policy, "SPAR_NUM_WORKERS": "3"} for policy in policies]


def parser(text: str | None) -> argparse.ArgumentParser:
    """What all tests here take."""
    reads = argparse.ArgumentParser(description=text)
    reads.add_argument("--spar", type=Path, required=True, help="thalweg-spar++")
    reads.add_argument("--behind", required=True, help="the compiler that it calls")
    reads.add_argument(
        "--plain", action="append", required=True, help="a compiler for the sequential program"
    )
    reads.add_argument("--folder", type=Path, required=True, help="where to write")
    return reads


def compilers(given: argparse.Namespace) -> Compilers:
    """The compilers that the command line names. Ends the test if SPar's is not there."""
    if not given.spar.exists():
        print(f"left out: there is no {given.spar}; ./thalweg test --only release builds it")
        sys.exit(SKIPPED)
    return Compilers(given.spar, given.behind, tuple(given.plain))


def main(test: Callable[[], list[str]]) -> None:
    """Runs a test, and says what it found."""
    try:
        wrong = test()
    except Wrong as found:
        wrong = [str(found)]
    for one in wrong:
        print(f"{one}\n")
    sys.exit(1 if wrong else 0)
