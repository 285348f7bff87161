"""`./thalweg exec`: builds benchmark programs, runs them on an input, and compares what was measured."""

import json
import re
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from thalweg_cli.build import build
from thalweg_cli.paths import build_folder
from thalweg_cli.programs import (
    PRESET,
    Applications,
    Benches,
    Interfaces,
    Program,
    known_programs,
    select,
)
from thalweg_cli.terminal import Failed, bar, errors, print_table

Result = dict[str, Any]
"""What a program measured, as it writes it in JSON."""


PATIENCE_S = 5.0
"""What a program gets to remove what it has half written, when it is told to end."""


@dataclass(frozen=True)
class Metric:
    """A column of the table: how a value is had from a result, and how it is shown."""

    title: str
    unit: str
    keys: tuple[str, ...]
    factor: float = 1.0

    def of(self, result: Result) -> float:
        """The value in the unit."""
        value: Any = result
        for key in self.keys:
            value = value[key]
        return float(value) * self.factor


TIME = Metric("time", "s", ("seconds",))
THROUGHPUT = Metric("throughput", "/s", ("throughput",))
LATENCY = (
    Metric("latency", "ms", ("latency", "mean_ms")),
    Metric("p99", "ms", ("latency", "p99_ms")),
)
MEMORY = (Metric("memory", "MB", ("peak_bytes",), 1e-6), Metric("processors", "s", ("cpu_seconds",)))


@dataclass
class Runs:
    """The runs of one program with one number of threads, and the first error among them."""

    program: Program
    nthreads: int
    results: list[Result] = field(default_factory=list)
    error: str = ""


def execute(
    input_name: Annotated[
        str, typer.Option("--input", metavar="CLASS|FILE", help="test, small, ..., huge, or a file.")
    ],
    bench: Benches = None,
    app: Applications = None,
    ppi: Interfaces = None,
    nthreads: Annotated[
        str, typer.Option(metavar="N|A:B|A:STEP:B", help="Threads; 1:2:8 means 1, 2, 4, 6, 8.")
    ] = "1",
    repeat: Annotated[int, typer.Option(min=1, help="Runs of each, in turn with the others.")] = 1,
    verify: Annotated[bool, typer.Option("--verify", help="Check every output.")] = False,
    latency: Annotated[bool, typer.Option("--latency", help="Measure from source to sink.")] = False,
    throughput: Annotated[bool, typer.Option("--throughput", help="Show elements a second.")] = False,
    memory_usage: Annotated[
        bool, typer.Option("--memory-usage", help="Show the most memory and the processor time.")
    ] = False,
    user_arg: Annotated[
        list[str] | None, typer.Option(help="An argument for the programs; may be given again.")
    ] = None,
) -> None:
    """Run benchmark programs on an input, and show means and standard deviations."""
    if not (bench or app or ppi):
        raise Failed("which programs?", remedy="--bench, --app or --ppi; ./thalweg list shows all")
    degrees = parse_degrees(nthreads)
    programs = select(known_programs(), bench or [], app or [], ppi or [])
    build(PRESET, "thalweg_inputs", *(program.name for program in programs))
    for application in sorted({program.application for program in programs}):
        make_input(application, input_name)
    options = [f"-{name}" for name, wanted in (("verify", verify), ("latency", latency)) if wanted]
    for argument in user_arg or []:
        options += ["-user-arg", argument]
    metrics = [TIME] + [THROUGHPUT] * throughput + list(LATENCY) * latency + list(MEMORY) * memory_usage
    all_runs = [
        Runs(program, degree)
        for program in programs
        for degree in (degrees if program.interface != "sequential" else degrees[:1])
    ]
    run_all(all_runs, input_name, options, repeat)
    table = table_of(all_runs, metrics, input_name, verify)
    print_table(table)
    failed = [runs for runs in all_runs if runs.error]
    for runs in failed:
        errors.print(
            f"[bold red]failed:[/] {runs.program.name}, {runs.nthreads} threads: {escape(runs.error)}"
        )
    if failed:
        raise typer.Exit(1)


def parse_degrees(text: str) -> list[int]:
    """Numbers of threads: `4`, `1:4`, `4:1`, or `1:2:8`, the first and then multiples of the step.

    Raises Failed if it is none of these.
    """
    if not re.fullmatch(r"[1-9]\d*(:[1-9]\d*){0,2}", text):
        raise Failed(f"--nthreads {text}: not N, A:B or A:STEP:B with numbers above 0")
    first, *more = (int(part) for part in text.split(":"))
    if not more:
        return [first]
    step, last = (more[0] if len(more) > 1 else 1), more[-1]
    between = range(min(first, last), max(first, last) + 1)
    steps = [number for number in between if number % step == 0 and number != first]
    return [first, *(steps if first <= last else reversed(steps))]


def make_input(application: str, name: str) -> None:
    """Makes an input of an application if it is one of its classes and not there; shows how far that is."""
    tool = build_folder(PRESET) / "apps" / "inputs" / "thalweg_inputs"
    if Path(name).exists():
        return
    done = finish([str(tool), "path", application, name], stderr=None)
    if done.returncode != 0:
        what = f"the input {name} of {application} is not there, and cannot be made"
        raise Failed(what, remedy=f"{tool} list shows all inputs")


def run_all(all_runs: Sequence[Runs], input_name: str, options: Sequence[str], repeat: int) -> None:
    """Runs everything, each round all programs, so that what the machine does meets all alike."""
    with bar("running") as progress:
        for number in range(repeat * len(all_runs)):
            runs = all_runs[number % len(all_runs)]
            progress.advance_to(number, repeat * len(all_runs), f"{runs.program.name} {runs.nthreads}")
            if not runs.error:
                run(runs, input_name, options)


def run(runs: Runs, input_name: str, options: Sequence[str]) -> None:
    """Runs a program once and keeps what it measured, or its error."""
    program = build_folder(PRESET) / "bench" / runs.program.name
    with tempfile.TemporaryDirectory(prefix="thalweg-") as folder:
        found = Path(folder) / "results.json"
        command = [str(program), "-input", input_name, "-nthreads", str(runs.nthreads), "-json", str(found)]
        done = finish([*command, *options])
        if done.returncode != 0:
            said = done.stderr.strip().removeprefix(f"{runs.program.name}: ")
            runs.error = said or f"it ended with code {done.returncode}"
            return
        runs.results.append(json.loads(found.read_text(encoding="utf-8")))


def finish(
    command: Sequence[str], *, stderr: int | None = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end; if the user interrupts, the command is told to end."""
    # Messages may quote files, which hold any bytes.
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=stderr, text=True, errors="replace"
    ) as process:
        try:
            out, complaints = process.communicate()
        except BaseException:
            process.terminate()
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, complaints)


def table_of(all_runs: Sequence[Runs], metrics: Sequence[Metric], input_name: str, verify: bool) -> Table:
    """A row for each program and number of threads."""
    title = f"{input_name}, mean and standard deviation"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("program", no_wrap=True)
    for heading in ("threads", "runs", *(f"{metric.title}\n({metric.unit})" for metric in metrics)):
        table.add_column(heading, justify="right")
    if verify:
        table.add_column("verified")
    for runs in all_runs:
        cells = [summary([metric.of(result) for result in runs.results]) for metric in metrics]
        if verify:
            cells.append("[red]failed[/]" if runs.error else "[green]good[/]")
        table.add_row(runs.program.name, str(runs.nthreads), str(len(runs.results)), *cells)
    return table


def summary(values: Sequence[float]) -> str:
    """Mean and standard deviation."""
    if not values:
        return "-"
    mean = f"{statistics.fmean(values):.4g}"
    return f"{mean} ± {statistics.stdev(values):.2g}" if len(values) > 1 else mean
