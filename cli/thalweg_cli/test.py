"""`./thalweg test`: builds and runs all tests, also under the sanitizers."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from thalweg_cli.base.paths import ROOT, TESTS, build_folder
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.build.cmake import build, last_lines
from thalweg_cli.build.ctest import Failure, Results, run_ctest
from thalweg_cli.catalog.applications import check_application, user_applications
from thalweg_cli.docs.tools import get_tools
from thalweg_cli.setup.cross import get_cross_tools
from thalweg_cli.setup.other_mpi import OtherMpi, get

LEAST_COVERAGE = 90.0
"""Percent of the lines of include/ and src/ that the tests must run."""

SHOWN_FAILURES = 10
LINES_PER_FAILURE = 40
LONG = 20.0
FUZZERS_COMPILER = "clang++-16"
"""libFuzzer comes with it."""


class Preset(StrEnum):
    """The builds that are tested."""

    RELEASE = "release"
    ASAN = "asan"
    TSAN = "tsan"
    FUZZ = "fuzz"
    AARCH64 = "aarch64"
    COVERAGE = "coverage"


@dataclass(frozen=True)
class Plan:
    """How the tests run in one build.

    `scale` is how many random jobs run, relative to a release build; `folders` are those of tests/ that take
    part, all if there are none; `only_long` are more of them, for which there is time with `--long`.
    """

    scale: float
    folders: tuple[str, ...] = ()
    only_long: tuple[str, ...] = ()

    def existing_folders(self, *, long: bool) -> list[str]:
        """Those of the folders that hold test programs."""
        folders = self.folders + (self.only_long if long else ())
        return [folder for folder in folders if has_tests(ROOT / "tests" / part_of(folder))]


def has_tests(folder: Path) -> bool:
    """Whether there are tests, or fuzzers, in a folder."""
    return any(any(folder.rglob(names)) for names in ("*_test.*", "*_fuzz.cpp"))


def part_of(folder: str) -> str:
    """The folder that holds the tests: "<folder>_rest" are those of it that are left to a long run."""
    return folder.removesuffix("_rest")


# The sanitizers' builds leave out what only looks at values, and most patterns, which the random jobs of
# `run` combine in all ways: they are slow to compile. Patterns that compute with users' times take part: such
# arithmetic overflows. What `observe` has in memory, jobs of `run` use, too. THALWEG_TEST_FILES in
# CMakePresets.json says which files of a folder take part: random graphs have all that other graphs have but
# threads outside. tests/mpi/CMakeLists.txt says what else of it is left to a long run.
PLANS = {
    Preset.RELEASE: Plan(scale=1.0),
    Preset.ASAN: Plan(
        scale=0.2,
        folders=("pipe", "flow", "net", "pattern", "run", "graph", "mpi", "apps"),
        only_long=("observe", "mpi_rest", "spar"),
    ),
    Preset.TSAN: Plan(
        scale=0.1,
        folders=("pipe", "flow", "net", "run", "graph", "mpi", "spb", "bench"),
        only_long=("mpi_rest", "spar"),
    ),
    Preset.FUZZ: Plan(scale=1.0, folders=("fuzz",)),
    # Where threads meet is where processors differ; the emulator is slow.
    Preset.AARCH64: Plan(scale=0.05, folders=("pipe", "observe", "flow"), only_long=("run", "graph")),
    Preset.COVERAGE: Plan(scale=0.2),
}

# A program that ends because of a report ends as none of them does by itself: some tests expect an error.
SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1:exitcode=66",
    "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=66",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1:exitcode=66",
}
REPORT = re.compile(r"^(==\d+==ERROR: |WARNING: ThreadSanitizer|.*: runtime error: )", re.MULTILINE)
"""How a sanitizer's report begins."""


def test(
    quick: Annotated[
        bool, typer.Option("--quick", help="Only the release build, fewer random jobs.")
    ] = False,
    only: Annotated[Preset | None, typer.Option(help="Only this build.")] = None,
    app: Annotated[str | None, typer.Option(help="Only those of your own application.")] = None,
    mpi: Annotated[
        list[OtherMpi] | None,
        typer.Option(help="Only those of ranks, with another MPI, which is installed first; repeatable."),
    ] = None,
    long: Annotated[
        bool, typer.Option("--long", help=f"{LONG:g} times as many random jobs, and as much fuzzing.")
    ] = False,
    coverage: Annotated[
        bool, typer.Option("--coverage", help=f"Also count which lines run; fail under {LEAST_COVERAGE:g} %.")
    ] = False,
) -> None:
    """Build and run all tests: release, address, undefined behaviour and thread sanitizers, fuzzers.

    With --long also those of where threads meet, for 64-bit ARM, in an emulator.
    """
    if app:
        test_own_application(app)
        return
    if not TESTS.is_dir():
        raise Failed(
            "packages of the command line bring no tests", remedy="its launcher runs them in a clone"
        )
    if mpi:
        if only or coverage:
            raise Failed("--mpi has separate builds", remedy="leave out --only and --coverage")
        presets = []
    else:
        presets = builds(only, quick=quick, long=long)
    if coverage and Preset.COVERAGE not in presets:
        presets.append(Preset.COVERAGE)
    factor = LONG if long else 0.2 if quick else 1.0
    presets = with_their_compiler(presets)

    if presets and not quick:
        get_what_pages_need()
    start = time.monotonic()
    total, told = run_all(presets, factor, mpi or ())
    sum_up(total, told, time.monotonic() - start)
    if total.failures:
        raise typer.Exit(1)


def builds(only: Preset | None, *, quick: bool, long: bool) -> list[Preset]:
    """The builds that are tested."""
    if only:
        return [only]
    if quick:
        return [Preset.RELEASE]
    usual = [Preset.RELEASE, Preset.ASAN, Preset.TSAN, Preset.FUZZ]
    return [*usual, Preset.AARCH64] if long else usual


def get_what_pages_need() -> None:
    """Installs what the tests of pages need if it is missing; says so where it cannot be had."""
    try:
        get_tools(for_tests=True)
    except Failed as why:
        why.show()
        console.print("the tests of the documentation site are skipped, and those in a browser")


def with_their_compiler(presets: Sequence[Preset]) -> list[Preset]:
    """Leaves the fuzzers out, and says so, where there is nothing to build them with."""
    if Preset.FUZZ not in presets or shutil.which(FUZZERS_COMPILER):
        return list(presets)
    console.print(f"{Preset.FUZZ}: left out, as there is no {FUZZERS_COMPILER} (apt-get install clang-16)")
    return [preset for preset in presets if preset is not Preset.FUZZ]


def run_all(
    presets: Sequence[Preset], factor: float, mpis: Sequence[OtherMpi] = ()
) -> tuple[Results, list[str]]:
    """Runs the tests of builds, of the command line with them, and those of ranks with other MPIs.

    Returns their sum, and a line for each phase.
    """
    total = Results()
    told: list[str] = []

    def tell(name: str, run: Callable[[], Results]) -> None:
        try:
            results = run()
        except Failed as why:
            why.show()
            results = Results(failures=[Failure(why.what, why.output)])
        else:
            told.append(show(name, results))
        total.passed += results.passed
        total.skipped += results.skipped
        total.failures += [Failure(f"{name}: {failure.name}", failure.output) for failure in results.failures]

    with beside() as builder, beside() as waiting:
        builds = build_in_turn(builder, presets, factor)
        # The tests of the command line mostly wait, for one processor and for programs of the first build.
        command_line: Future[Results] | None = None
        for preset, built in builds.items():
            tell(preset, partial(test_preset, preset, factor, built))
            command_line = command_line or waiting.submit(test_command_line)
        if command_line:
            tell("command line", command_line.result)
    for mpi in mpis:
        tell(mpi, partial(test_ranks, mpi, factor))
    if Preset.COVERAGE in presets:
        tell("lines covered", measure_coverage)
    return total, told


@contextmanager
def beside() -> Iterator[ThreadPoolExecutor]:
    """A thread that does one thing after the other; what it has not begun is left undone after an error."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        try:
            yield thread
        except BaseException:
            thread.shutdown(wait=False, cancel_futures=True)
            raise


def build_in_turn(
    builder: ThreadPoolExecutor, presets: Sequence[Preset], factor: float
) -> dict[Preset, Future[float]]:
    """Has the builds made one after the other, without waiting for them. Each says how long it took.

    While the tests of one run, the next are made of what these leave of the processors, and only that: on
    Linux a thread has its own scheduling policy, which the processes that it starts inherit.
    """
    builds = {}
    for preset in presets:
        builds[preset] = builder.submit(build_preset, preset, factor)
        builder.submit(os.sched_setscheduler, 0, os.SCHED_IDLE, os.sched_param(0))
    return builds


def test_own_application(name: str) -> None:
    """Builds and runs the tests of an application of the user's own. Raises Failed if one of them fails."""
    check_application(name)
    if name not in user_applications():
        raise Failed(f"{name} is a part of Thalweg", remedy="./thalweg test --quick runs its tests, too")
    program = f"test_app_{name}"
    build(Preset.RELEASE, program)
    place = build_folder(Preset.RELEASE) / "tests" / program
    if subprocess.run([str(place)], check=False).returncode != 0:
        raise Failed(f"the tests of {name} fail")


def sum_up(total: Results, told: list[str], seconds: float) -> None:
    """Prints what came of everything."""
    for failure in total.failures:
        console.print(Text(f"failed: {failure.name}", style="red"))
    if total.failures:
        for line in told:  # the lines from before have gone out of sight
            console.print(line)
    console.print(f"took {seconds:.0f} s")
    print(f"{total.passed} passed, {total.skipped} skipped, {len(total.failures)} failed", flush=True)


def show(name: str, results: Results) -> str:
    """Prints what came of a phase, with the output of what failed. Returns the line that sums it up."""
    for failure in results.failures[:SHOWN_FAILURES]:
        console.print(Text(f"--- {name}: {failure.name}", style="red"))
        console.print(Text(telling_lines(failure.output)))
    if len(results.failures) > SHOWN_FAILURES:
        console.print(f"... and {len(results.failures) - SHOWN_FAILURES} more")
    failed = f", [red]{len(results.failures)} failed[/]" if results.failures else ""
    skipped = f", {results.skipped} skipped" if results.skipped else ""
    building = f", {results.build_seconds:.0f} s to build" if results.build_seconds else ""
    line = f"{name}: {results.passed} passed{skipped}{failed} in {results.seconds:.0f} s{building}"
    console.print(line)
    return line


def telling_lines(output: str) -> str:
    """What to show of a failed test: a sanitizer's report from its beginning, else what was printed last."""
    report = REPORT.search(output)
    if report is None:
        return last_lines(output, LINES_PER_FAILURE)
    return "\n".join(output[report.start() :].splitlines()[:LINES_PER_FAILURE])


def sanitizer_options() -> dict[str, str]:
    """How the sanitizers are set.

    Reports name functions and lines with addr2line: it comes with the compiler, LLVM's own tool does not.
    """
    tool = shutil.which("addr2line")
    named = f":external_symbolizer_path={tool}" if tool else ""
    return {name: options + named for name, options in SANITIZER_OPTIONS.items()}


def build_preset(preset: Preset, factor: float) -> float:
    """Builds what is tested of a preset. Returns how many seconds that took."""
    if preset is Preset.AARCH64:
        get_cross_tools()
    if preset is Preset.COVERAGE:
        for counts in build_folder(preset).rglob("*.gcda"):
            counts.unlink()
    start = time.monotonic()
    folders = PLANS[preset].existing_folders(long=factor >= LONG)
    build(preset, *(f"test_{folder}" for folder in folders), wrapper=wrapper_of(preset))
    return time.monotonic() - start


def test_preset(preset: Preset, factor: float, built: Future[float]) -> Results:
    """Runs the tests of a preset once it is built. Raises Failed if it cannot be."""
    build_seconds = built.result()
    plan = PLANS[preset]
    results = run_ctest(
        build_folder(preset),
        environment={**sanitizer_options(), "THALWEG_TEST_SCALE": f"{plan.scale * factor:g}"},
        labels=plan.existing_folders(long=factor >= LONG),
        wrapper=wrapper_of(preset),
    )
    results.build_seconds = build_seconds
    return results


def wrapper_of(preset: Preset) -> tuple[str, ...]:
    """The command that programs of a preset run under."""
    return without_address_randomisation() if preset is Preset.TSAN else ()


def test_ranks(mpi: OtherMpi, factor: float) -> Results:
    """Runs the tests of ranks with another MPI, which is installed if it is missing."""
    console.print(f"{mpi}: {get(mpi)}")
    start = time.monotonic()
    build(mpi, "test_mpi")
    built = time.monotonic()
    results = run_ctest(
        build_folder(mpi),
        environment={"THALWEG_TEST_SCALE": f"{factor:g}"},
        labels=["mpi"],
        wrapper=(),
    )
    results.build_seconds = built - start
    return results


def without_address_randomisation() -> tuple[str, ...]:
    """A command to run the thread sanitizer under, since some kernels scatter addresses too far for it."""
    command = ("setarch", os.uname().machine, "--addr-no-randomize")
    if not shutil.which(command[0]):
        return ()
    works = subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
    return command if works else ()


def test_command_line() -> Results:
    """Runs the tests of this command line itself."""
    start = time.monotonic()
    command = [sys.executable, "-m", "unittest", "discover", "-v", "-s", "tests/cli", "-p", "*_test.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    results = results_of(done.stderr, done.returncode)
    results.seconds = time.monotonic() - start
    return results


def results_of(said: str, code: int) -> Results:
    """What came of tests, as unittest tells in detail; why some were skipped is passed on."""
    count = re.search(r"^Ran (\d+) tests?", said, re.MULTILINE)
    if count is None or int(count[1]) == 0:
        raise Failed("the tests of the command line did not run", output=said)
    bad = re.findall(r"^(?:FAIL|ERROR): (.+)$", said, re.MULTILINE)
    if code != 0 and not bad:
        bad = ["tests/cli"]
    failures = [Failure(name, said) for name in bad]
    reasons = re.findall(r"\.\.\. skipped (['\"])(.+)\1$", said, re.MULTILINE)
    for why in dict.fromkeys(reason for _, reason in reasons):
        console.print(f"command line: skipped, as {why}", markup=False)
    ran_all = int(count[1]) - len(failures)
    of_classes = len(
        re.findall(r"^setUpClass .* skipped ", said, re.MULTILINE)
    )  # are not among those that ran
    return Results(ran_all - len(reasons) + of_classes, len(reasons), failures)


def measure_coverage() -> Results:
    """Prints how many lines of the library the tests ran; fails if they are too few."""
    start = time.monotonic()
    folder = build_folder(Preset.COVERAGE)
    library = f"{re.escape(str(ROOT))}/(include|src)/"
    command = ["gcovr", "--root", str(ROOT), "--filter", library, "--gcov-ignore-parse-errors", str(folder)]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise Failed("there is no gcovr", remedy="apt-get install gcovr") from error
    covered = re.search(r"^TOTAL +(\d+) +(\d+) +", done.stdout, re.MULTILINE)
    if covered is None or int(covered[1]) == 0:
        raise Failed("gcovr found no lines", output=last_lines(done.stdout + done.stderr))
    percent = 100 * int(covered[2]) / int(covered[1])
    console.print(Text(done.stdout.strip()))
    console.print(f"line coverage of include/ and src/: {percent:.1f} %")
    failures = []
    if percent < LEAST_COVERAGE:
        failures.append(Failure(f"{percent:.1f} % is less than {LEAST_COVERAGE:g} %", ""))
    return Results(1 - len(failures), failures=failures, seconds=time.monotonic() - start)
