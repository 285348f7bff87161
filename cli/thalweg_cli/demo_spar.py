"""`./thalweg demo --spar`: a loop with SPar's attributes, the stream it becomes, and how fast both are."""

import os
import statistics
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from rich.syntax import Syntax
from rich.table import Table

from thalweg_cli.base.cmake_cache import cached
from thalweg_cli.base.paths import ROOT, build_folder
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.build.cmake import MEASURED, build, look_again
from thalweg_cli.build.live import split

MISSING = "THALWEG_SPAR_MISSING"
"""CMake's variable for why SPar's compiler is not built; empty if it is."""

PROGRAM = ROOT / "examples" / "spar" / "fractal.cpp"

SIZE = 2000
"""Rows and columns of the picture: some seconds for a loop."""

TURNS = 3
"""How often each program runs, by turns: other programs on the machine then disturb both alike."""


@dataclass
class Contender:
    """The program in one of its two forms."""

    name: str
    command: list[str]
    variables: dict[str, str] = field(default_factory=dict)
    output: bytes = b""
    seconds: list[float] = field(default_factory=list)

    def run(self) -> None:
        """Runs it once, and keeps what it writes and how long it takes. Raises Failed if it fails."""
        start = time.perf_counter()
        done = subprocess.run(self.command, capture_output=True, check=False, env=self.environment())
        self.seconds.append(time.perf_counter() - start)
        if done.returncode != 0:
            raise Failed(
                f"the {self.name} ended with code {done.returncode}",
                output=done.stderr.decode(errors="replace"),
            )
        self.output = done.stdout + done.stderr

    def environment(self) -> dict[str, str]:
        """The variables of this process, and its own."""
        return {**os.environ, **self.variables}


def demo_spar(policy: str, *, size: int) -> None:
    """Shows all of it. Raises Failed if what the stream writes is not what the loop writes."""
    check_spar()
    build(MEASURED, "example_spar_loop", "example_spar_stream")
    folder = build_folder(MEASURED)
    console.print(f"{PROGRAM.relative_to(ROOT)}:\n")
    console.print(Syntax(PROGRAM.read_text(encoding="utf-8"), "cpp", background_color="default"))
    console.print("\nwhat thalweg-spar finds in it:\n")
    console.print(explained(folder / "spar" / "thalweg-spar", PROGRAM), markup=False, highlight=False)
    programs = folder / "examples" / "spar"
    loop = Contender("loop", [str(programs / "example_spar_loop"), str(size)])
    stream = Contender(
        "stream", [str(programs / "example_spar_stream"), str(size)], {"THALWEG_SPAR_POLICY": policy}
    )
    compare(loop, stream)


def check_spar() -> None:
    """Raises Failed, with what to install, if CMake cannot build SPar's compiler."""
    build(MEASURED, "build.ninja")
    if cached(MISSING):
        look_again([MISSING])  # What was missing may have been installed since.
    if missing := cached(MISSING):
        what, remedy = split(missing)
        raise Failed(f"--spar needs thalweg-spar, which is left out: {what}", remedy=remedy)


def explained(tool: Path, program: Path) -> str:
    """The picture of the program's stream. Raises Failed if there is none."""
    done = subprocess.run(
        [str(tool), "--explain", str(program), "--", "-std=c++20"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise Failed("thalweg-spar does not explain the program", output=done.stderr)
    return done.stdout


def compare(loop: Contender, stream: Contender) -> None:
    """Runs both by turns, and shows what they took. Raises Failed if they do not write the same."""
    for _ in range(TURNS):
        loop.run()
        stream.run()
        if loop.output != stream.output:
            raise Failed("the stream does not write what the loop writes")
    console.print(table_of(loop, stream))
    console.print(f"both write the same {len(loop.output):,} bytes")


def table_of(loop: Contender, stream: Contender) -> Table:
    """How long both took: the median, and how many times as fast the stream is."""
    table = Table(title=f"{TURNS} runs of each, by turns", title_justify="left")
    table.add_column("compiled as")
    table.add_column("median time", justify="right")
    table.add_column("times as fast", justify="right")
    alone = statistics.median(loop.seconds)
    for one in (loop, stream):
        median = statistics.median(one.seconds)
        table.add_row(f"a {one.name}", f"{median:.2f} s", f"{alone / median:.2f}")
    return table
