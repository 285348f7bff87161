"""What the shared library costs beside the static one: the same small program, linked with each."""

import subprocess
import time
from dataclasses import replace
from pathlib import Path

from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.terminal import Failed, bar
from thalweg_cli.build.cmake import build
from thalweg_cli.micro.results import NANOSECONDS, RATIO, REFERENCE, Bar, Results, Row
from thalweg_cli.results.statistics import median_with_interval, ratio_of_medians

SAYS = "the shared library against the static one, 87 ns of work per item"
PROGRAM = "micro_farm"
BUILDS = {"static": "release", "shared": "shared"}
NANOSECONDS_PER_ITEM = 87
LIMIT = 1.02
ITEMS = 10_000_000
QUICK_ITEMS = 200_000
PAIRS = 15


def measure_shared(results: Results, repeats: int) -> None:
    """Runs the farm with each library in turn; a few repeats make short runs."""
    for preset in BUILDS.values():
        build(preset, PROGRAM)
    programs = {name: build_folder(preset) / "micro" / PROGRAM for name, preset in BUILDS.items()}
    results.says["shared"] = SAYS
    start = time.monotonic()
    steps = said(programs["static"], "steps", str(NANOSECONDS_PER_ITEM))
    items, pairs = (QUICK_ITEMS, repeats) if results.quick else (ITEMS, max(PAIRS, repeats))
    took: dict[str, list[float]] = {name: [] for name in programs}
    with bar("shared") as progress:
        for pair in range(pairs):
            progress.advance_to(pair, pairs, f"{pair + 1} of {pairs}")
            # Each comes first as often as second.
            for name in sorted(programs, reverse=bool(pair % 2)):
                took[name].append(float(said(programs[name], str(items), steps)))
    results.rows += rows_of(took, items)
    results.seconds["shared"] = time.monotonic() - start


def rows_of(took: dict[str, list[float]], items: int) -> list[Row]:
    """A row for each library; the shared one is held against the static one."""
    static = Row(
        bench="shared",
        variant=f"{NANOSECONDS_PER_ITEM} ns",
        peer="thalweg",
        setting="static",
        role=REFERENCE,
        metric="time",
        unit=NANOSECONDS,
        value=median_with_interval(took["static"]),
        items=items,
        repeats=len(took["static"]),
    )
    value, ratio = median_with_interval(took["shared"]), ratio_of_medians(took["static"], took["shared"])
    held = Bar(LIMIT, RATIO)
    shared = replace(static, setting="shared", role="default", value=value, against="static", ratio=ratio)
    return [static, replace(shared, bar=held, passed=held.reached(value, ratio))]


def said(program: Path, *arguments: str) -> str:
    """What the program prints."""
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"{program.name} failed", output=done.stderr)
    return done.stdout.strip()
