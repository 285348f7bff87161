"""`./thalweg micro`: measures the library against its peers, shows the results and keeps them."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from thalweg_cli.base.files import file_to_write, write
from thalweg_cli.base.paths import BUILD, ROOT, build_folder
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.build.cmake import build
from thalweg_cli.micro import mpi as micro_mpi
from thalweg_cli.micro.compile import measure_compile, measure_instructions
from thalweg_cli.micro.page import BENCH as WITH_PAGE
from thalweg_cli.micro.page import measure_page
from thalweg_cli.micro.results import Results
from thalweg_cli.micro.run import follow
from thalweg_cli.micro.shared import SAYS as SHARED
from thalweg_cli.micro.shared import measure_shared
from thalweg_cli.micro.table import for_page, for_terminal
from thalweg_cli.results.circumstances import commit

FOLDER = BUILD / "micro"
LATEST = FOLDER / "latest.json"
PLOT = LATEST.with_suffix(".png")
PRESET = "release"

HERE: dict[str, tuple[str, Callable[[Results, int], None]]] = {
    "compile": ("compile time and size of a tiny program per pattern", measure_compile),
    "instructions": ("instructions per item, counted by callgrind", measure_instructions),
    "shared": (SHARED, measure_shared),
}
"""The benchmarks that this module runs; the others are the program's."""


def micro(
    names: Annotated[list[str] | None, typer.Argument(help="Which benchmarks; without any, all.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Short runs, few repeats: to see that everything works.")
    ] = False,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Interleaved repeats; 11, or 3 with --quick.")
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", callback=file_to_write, help="Also keep the results here."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=file_to_write,
            help="Draw the results here (.svg, .png, .pdf), not in build/micro.",
        ),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(metavar="FILE", callback=file_to_write, help="Write the tables here, for a page."),
    ] = None,
    peer_path: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=DIR", help="Where a peer's sources are, such as FASTFLOW=../fastflow."),
    ] = None,
    show: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Measure nothing; show the results kept here.")
    ] = None,
    list_only: Annotated[bool, typer.Option("--list", help="Name the benchmarks and stop.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Fail if a bar is missed.")] = False,
) -> None:
    """Measure the library against every peer found on this machine, and show a table and a plot."""
    if show:
        results = load(show)
    else:
        if peer_path:
            tell_cmake(peer_path)
        over_mpi = build_programs(names or [])
        available = known(over_mpi)
        if list_only:
            for name, says in available.items():
                console.print(f"[bold]{name:<13}[/]{escape(says)}")
            return
        if unknown := set(names or []) - {*available, micro_mpi.ALL}:
            raise Failed(
                f"there is no benchmark {', '.join(sorted(unknown))}", remedy="./thalweg micro --list"
            )
        results = measure(chosen(names or [], available), quick, repeats)
    console.print(for_terminal(results))
    if json_file:
        write(json_file, results.save)
    if plot or not show:
        put_plot(plot or PLOT, results)
    if markdown:
        write(markdown, lambda file: file.write_text(for_page(results), encoding="utf-8"))
    if results.wrong or (check and results.missed()):
        raise typer.Exit(1)


def put_plot(file: Path, results: Results) -> None:
    """Draws the results, if they are of a kind that is drawn."""
    from thalweg_cli.micro.plot import draw, rows_of_panels  # noqa: PLC0415  (loading matplotlib takes long)

    if rows_of_panels(results):
        write(file, lambda place: draw(results, place))
    else:
        console.print("no plot: these benchmarks have none", style="dim")


def load(file: Path) -> Results:
    """Reads results kept earlier."""
    try:
        return Results.load(file)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise Failed(f"{file} does not hold results of ./thalweg micro: {error}") from error


def tell_cmake(peer_paths: list[str]) -> None:
    """Tells CMake where peers are; it remembers."""
    build(PRESET, "thalweg")
    settings = []
    for given in peer_paths:
        name, _, folder = given.partition("=")
        if not folder:
            raise Failed(f"{given} is not NAME=DIR", remedy="--peer-path FASTFLOW=../fastflow")
        path = Path(folder).resolve()
        if not path.is_dir():
            raise Failed(f"there is no folder {path}")
        settings.append(f"-D{name.upper()}_DIR:PATH={path}")
    done = subprocess.run(
        ["cmake", *settings, str(build_folder(PRESET))], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise Failed("CMake does not accept these paths", output=done.stdout + done.stderr)


def build_programs(names: list[str]) -> bool:
    """Builds what benchmarks of these names need (all without any). Whether those over MPI are among them."""
    asked = any(map(micro_mpi.is_over_mpi, names))
    if not names or not all(map(micro_mpi.is_over_mpi, names)):
        build(PRESET, "thalweg_micro")
    elif asked:
        build(PRESET, "thalweg")  # so that CMake has run
    if asked:
        micro_mpi.require()
    over_mpi = micro_mpi.is_possible() and (asked or not names)
    if over_mpi:
        build(PRESET, micro_mpi.PROGRAM)
    return over_mpi


def chosen(names: list[str], available: dict[str, str]) -> list[str]:
    """The benchmarks that names stand for, each once."""
    every = list(available) if not names else []
    for name in names:
        every += list(filter(micro_mpi.is_over_mpi, available)) if name == micro_mpi.ALL else [name]
    return list(dict.fromkeys(every))


def programs() -> list[Path]:
    """The benchmark programs of this build."""
    folder = build_folder(PRESET) / "micro"
    return [file for file in (folder / "thalweg_micro",) if os.access(file, os.X_OK)]


def known(over_mpi: bool) -> dict[str, str]:
    """All benchmarks of the programs that were built, with what they say they measure."""
    result = {}
    for program in programs():
        listed = subprocess.run([str(program), "--list"], capture_output=True, text=True, check=True).stdout
        for line in listed.splitlines():
            name, _, says = line.partition(" ")
            result[name] = says.strip()
    there = micro_mpi.known_over_mpi() if over_mpi else {}
    result |= {name: f"{one.says} ({one.ranks} ranks)" for name, one in there.items()}
    return result | {name: says for name, (says, _) in HERE.items()}


def measure(names: list[str], quick: bool, repeats: int | None) -> Results:
    """Runs benchmarks; keeps what was found below build/micro, also when one fails half way."""
    results = Results(quick=quick)
    results.machine |= {"commit": commit(), "when": time.strftime("%Y-%m-%d %H:%M")}
    FOLDER.mkdir(parents=True, exist_ok=True)
    PLOT.unlink(missing_ok=True)  # It shows other results than those that will lie beside it.
    try:
        if not all(map(micro_mpi.is_over_mpi, names)):
            follow([str(programs()[0]), "--machine"], results)
        options = ["--quick"] * quick + (["--repeats", str(repeats)] if repeats else [])
        if ours := [name for name in names if name not in HERE and not micro_mpi.is_over_mpi(name)]:
            follow([str(programs()[0]), *ours, *options], results)
        if WITH_PAGE in names:
            measure_page(PRESET, options, results)
        micro_mpi.measure_over_mpi([name for name in names if micro_mpi.is_over_mpi(name)], options, results)
        for name in names:
            if name in HERE:
                HERE[name][1](results, 2 if quick else 3)
    finally:
        results.save(LATEST)
        console.print(f"kept in {escape(str(LATEST.relative_to(ROOT)))}", style="dim")
    return results
