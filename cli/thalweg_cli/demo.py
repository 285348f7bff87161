"""`./thalweg demo`: packs a real directory tree with a stream of stages, and shows what each did."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from thalweg_cli.build import build
from thalweg_cli.paths import build_folder
from thalweg_cli.terminal import Failed, bar, console

Report = dict[str, Any]
"""A run's report, as the library writes it in JSON."""


def demo(
    folder: Annotated[
        Path | None,
        typer.Argument(help="What to pack; without it, this machine's documentation.", exists=True),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The .tar.bz2 to write; without it, one below build/."),
    ] = None,
    policy: Annotated[str, typer.Option("--policy", "-p", help="Such as sequential or threads:2.")] = "pool",
) -> None:
    """Pack a directory tree block by block into a .tar.bz2, on all cores, and show what each stage did."""
    build("release", "demo")
    archive = (output or build_folder("release") / "demo.tar.bz2").absolute()
    program = build_folder("release") / "examples" / "demo" / "demo"
    command = [str(program), "--json", "--policy", policy, "--output", str(archive)]
    if folder is not None:
        command.append(str(folder.absolute()))

    report = run_with_progress(command)
    console.print(stage_table(report))
    if advice := report["bottleneck"]["advice"]:
        console.print(escape(advice), soft_wrap=False)
    check(archive)


def run_with_progress(command: list[str]) -> Report:
    """Runs the program, showing how far it is; gives the report of the whole run."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        lines = (json.loads(line) for line in program.stdout)
        report = follow(lines)
        said = program.stderr.read()
    if program.returncode != 0 or report is None:
        raise Failed(f"the demo ended with code {program.returncode}", output=said)
    return report


def follow(lines: Iterator[Report]) -> Report | None:
    """Shows a bar from what the program tells: how much there is to do, then reports. Gives the last one."""
    tree = next(lines, None)
    if tree is None:
        return None
    console.print(f"packing {tree['entries']:,} files and folders, {tree['bytes'] / 1e6:.1f} MB")
    report = None
    with bar("packing") as progress:
        for report in lines:
            rate = report["throughput"] * tree["bytes"] / tree["blocks"] / 1e6
            note = f"{rate:.1f} MB/s on {report['cores_used']:.1f} cores"
            progress.advance_to(report["items"], tree["blocks"], note)
    return report


def stage_table(report: Report) -> Table:
    """What each stage did."""
    took = f"{report['items']} blocks in {report['elapsed_ns'] / 1e9:.1f} s"
    table = Table(
        title=f"{took} on {report['cores_used']:.2f} cores ({report['policy']})", title_justify="left"
    )
    for heading in ("stage", "blocks", "time a block", "at work at once", "replicas"):
        table.add_column(heading, justify="left" if heading == "stage" else "right")
    for stage in report["stages"]:
        table.add_row(
            escape(stage["name"]),
            str(max(stage["items_in"], stage["items_out"])),
            f"{stage['service_ns_per_item'] / 1e6:.2f} ms",
            f"{stage['parallelism']:.2f}",
            str(stage["replicas"]),
        )
    return table


def check(archive: Path) -> None:
    """Lets bzip2 itself say whether the archive is sound."""
    try:
        tested = subprocess.run(["bzip2", "-t", str(archive)], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise Failed("there is no bzip2 to check the archive with", remedy="apt-get install bzip2") from error
    if tested.returncode != 0:
        raise Failed(f"bzip2 -t does not accept {archive}", output=tested.stderr)
    console.print(f"{archive}: {archive.stat().st_size / 1e6:.1f} MB, and bzip2 -t accepts it", markup=False)
