"""What a pattern costs to compile, how big it becomes, and how many instructions an item takes."""

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from thalweg_cli.base.paths import ROOT, build_folder
from thalweg_cli.base.terminal import Failed, bar
from thalweg_cli.build.cmake import build
from thalweg_cli.micro.results import REFERENCE, Results, Row

SOURCES = ROOT / "micro" / "compile"
INCLUDE_LIMIT_S = 2.0
LOOP = "loop"


def row(bench: str, variant: str, samples: list[float], **more: object) -> Row:
    """A row of a few samples; `more` as in a line that a program prints."""
    plain = {"peer": "thalweg", "setting": "", "role": "default", "metric": "time", "unit": "s", "items": 0}
    found = {"bench": bench, "variant": variant, "samples": samples, "repeats": len(samples)}
    return Row.from_event({**plain, **found, **more})


def compiler_of(preset: str) -> str:
    """The compiler that a build uses, without a cache in front of it."""
    cache = (build_folder(preset) / "CMakeCache.txt").read_text(encoding="utf-8")
    found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", cache, re.MULTILINE)
    if found is None:
        raise Failed(f"the build {preset} names no compiler", remedy="./thalweg clean")
    return found[1]


def timed(command: list[str]) -> float:
    """Seconds that a command takes."""
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"{command[0]} failed", output=done.stderr)
    return time.monotonic() - start


def other_compilers(ours: str) -> list[str]:
    """GCC and the oldest and newest Clang that are here, but for the compiler of the build."""
    folders = map(Path, os.get_exec_path())
    clangs = {file.name for folder in folders for file in folder.glob("clang++-[0-9]*")}
    by_age = sorted(clangs, key=lambda name: int(name.rpartition("-")[2]))
    found = dict.fromkeys(name for name in ("g++", *by_age[:1], *by_age[-1:]) if shutil.which(name))
    return [name for name in found if Path(str(shutil.which(name))).resolve() != Path(ours).resolve()]


def measure_compile(results: Results, repeats: int) -> None:
    """Compiles a tiny program for each pattern several times, and weighs what comes out."""
    build("release", "micro_compile")
    base = [compiler_of("release"), "-std=c++20", f"-I{ROOT / 'include'}"]
    sources = sorted(SOURCES.glob("*.cpp"))
    results.says["compile"] = "compile time and size of a tiny program per pattern"
    start = time.monotonic()
    with bar("compile") as progress, tempfile.TemporaryDirectory() as folder:
        for done, source in enumerate(sources):
            name = source.stem
            progress.advance_to(done, len(sources), name)
            check: list[float] = []
            full: list[float] = []
            for _ in range(repeats):
                check.append(timed([*base, "-fsyntax-only", str(source)]))
                full.append(timed([*base, "-O2", "-c", str(source), "-o", f"{folder}/{name}.o"]))
            limit = {"bar": {"limit": INCLUDE_LIMIT_S, "on": "value"}} if name == "include" else {}
            results.rows.append(row("compile", name, check, metric="check", **limit))
            if name == "include":
                for compiler in other_compilers(base[0]):
                    with_it = [
                        timed([compiler, *base[1:], "-fsyntax-only", str(source)]) for _ in range(repeats)
                    ]
                    results.rows.append(
                        row("compile", name, with_it, setting=compiler, metric="check", **limit)
                    )
            results.rows.append(row("compile", name, full, metric="compile -O2"))
            program = build_folder("release") / "micro" / f"micro_compile_{name}"
            results.rows.append(
                row("compile", name, [program.stat().st_size / 1000], metric="program", unit="kB")
            )
    results.seconds["compile"] = time.monotonic() - start


@dataclass(frozen=True)
class Counted:
    """A program whose instructions are counted."""

    variant: str
    program: str
    steps: int
    items: int


COUNTED = (
    Counted("8 steps an item", "even", 8, 100_000),
    Counted("100 steps an item", "even", 100, 20_000),
    Counted("900 steps an item", "even", 900, 2_000),
    Counted("eight maps", "chain", 1, 100_000),
    Counted("farm | map | farm, 100 steps", "sandwich", 100, 20_000),
)

ENGINES = {
    "even": ((LOOP, "one thread"), ("thalweg", "sequential"), ("thalweg", "pool")),
    "chain": ((LOOP, "hand-written"), ("thalweg", "sequential"), ("thalweg", "pool")),
    "sandwich": ((LOOP, "one thread"), ("thalweg", "sequential"), ("thalweg", "pool")),
}


def measure_instructions(results: Results, repeats: int) -> None:
    """Counts instructions per item with callgrind, as the difference of a longer and a shorter run."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        results.missing["instructions (callgrind)"] = "apt-get install valgrind"
        return
    counts = count_with(valgrind, build_folder("release") / "micro" / "thalweg_micro")
    results.says["instructions"] = "instructions per item, counted by callgrind"
    start = time.monotonic()
    cases = [(case, *engine) for case in COUNTED for engine in ENGINES[case.program]]
    loop = 0.0
    with bar("instructions") as progress:
        for done, (case, peer, setting) in enumerate(cases):
            progress.advance_to(done, len(cases), f"{case.variant}: {peer} {setting}")
            samples = []
            for _ in range(repeats):
                fewer = counts(case.program, peer, setting, str(case.items), str(case.steps))
                more = counts(case.program, peer, setting, str(3 * case.items), str(case.steps))
                samples.append((more - fewer) / (2 * case.items))
            against = {} if peer == LOOP else {"against": LOOP, "ratios": [one / loop for one in samples]}
            made = row(
                "instructions",
                case.variant,
                samples,
                peer=peer,
                setting=setting,
                role=REFERENCE if peer == LOOP else "default",
                metric="instructions",
                unit="per item",
                items=case.items,
                **against,
            )
            if peer == LOOP:
                loop = made.value.median
            results.rows.append(made)
    results.seconds["instructions"] = time.monotonic() - start


def count_with(valgrind: str, program: Path) -> Callable[..., int]:
    """A function that runs an errand of the program under callgrind and gives the instructions it took.

    On one core, so that what is counted is work and its management, not how long threads spin for each other.
    """
    core = {min(os.sched_getaffinity(0))}
    command = [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program), "errand"]

    def count(*errand: str) -> int:
        done = subprocess.run(
            [*command, *errand],
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: os.sched_setaffinity(0, core),
        )
        found = re.search(r"Collected *: (\d+)", done.stderr)
        if done.returncode != 0 or found is None:
            raise Failed(f"callgrind failed on {' '.join(errand)}", output=done.stderr)
        return int(found[1])

    return count
