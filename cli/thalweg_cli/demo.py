"""`./thalweg demo`: packs a real directory tree with a stream of stages, and shows what each did."""

import filecmp
import json
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.process import running
from thalweg_cli.base.terminal import Failed, bar, console
from thalweg_cli.build.cmake import build
from thalweg_cli.demo_live import demo_live
from thalweg_cli.demo_spar import SIZE, demo_spar
from thalweg_cli.run import mpi

Report = dict[str, Any]
"""A run's report, as the library writes it in JSON."""


MOST_LEFT_OUT = 10
"""Names of what is not packed that are shown."""


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
    ranks: Annotated[
        int | None, typer.Option("--mpi", help="Run it in this many processes, over MPI.", min=1, max=64)
    ] = None,
    live: Annotated[
        bool, typer.Option("--live", help="Show a stream in the browser that gets a bottleneck.")
    ] = False,
    opens: Annotated[
        bool, typer.Option("--open/--no-open", help="With --live: whether to open the browser.")
    ] = True,
    spar: Annotated[
        bool, typer.Option("--spar", help="Show a loop with SPar's attributes become a stream.")
    ] = False,
    slow_from: Annotated[int, typer.Option(hidden=True, min=0)] = 2000,
    blocks: Annotated[int, typer.Option(hidden=True, min=1)] = 4000,
    size: Annotated[int, typer.Option(hidden=True, min=1)] = SIZE,
) -> None:
    """Pack a directory tree block by block into a .tar.bz2, on all cores, and show what each stage did."""
    if spar:
        if folder or output or ranks or live or not opens:
            raise Failed(
                "--spar works without a folder, --output, --mpi, --live and --no-open: it packs nothing"
            )
        demo_spar(policy, size=size)
        return
    if live:
        if ranks or output:
            raise Failed("--live works without --mpi and --output: nothing is written")
        demo_live(folder, policy, opens=opens, slow_from=slow_from, blocks=blocks)
        return
    if not opens:
        raise Failed("--no-open works only with --live")
    pack(folder, output, policy, ranks)


def pack(folder: Path | None, output: Path | None, policy: str, ranks: int | None) -> None:
    """Packs the tree, shows what each stage did, and checks the archive."""
    if ranks and policy != "pool":
        raise Failed("--policy and --mpi: give only one of them; processes use the policy mpi")
    build("release", "demo")
    archive = (output or build_folder("release") / "demo.tar.bz2").resolve()
    program = build_folder("release") / "examples" / "demo" / "demo"
    with beside(archive) as written:
        command = [str(program), "--json", "--policy", policy, "--output", str(written)]
        if folder is not None:
            command.append(str(folder.absolute()))

        report = run_on_ranks(command, ranks) if ranks else run_with_progress(command)
        written.replace(archive)
        console.print(stage_table(report))
        if ranks and ranks > 1:
            console.print(travel_table(report))
        if advice := report["bottleneck"]["advice"]:
            console.print(escape(advice), soft_wrap=False)
        check(archive)
        if ranks:
            compare_with_sequential(command, archive)


@contextmanager
def beside(archive: Path) -> Iterator[Path]:
    """Where to write an archive until it is complete, so that none is left that only looks so.

    The folder that it is in goes when its use ends, in whichever way, with all that is left in it.
    """
    if archive.exists() and not archive.is_file():
        raise Failed(f"{archive} exists, but is not a file")
    try:
        folder = TemporaryDirectory(prefix=".thalweg-demo-", dir=archive.parent)
    except OSError as error:
        raise Failed(f"{archive} cannot be written: {error.strerror}") from error
    with folder as name:
        yield Path(name) / archive.name


def run_on_ranks(command: list[str], ranks: int) -> Report:
    """Runs the program in several processes, showing what each has done; gives the report of all of them."""
    across = [*command]
    across[across.index("--policy") + 1] = "mpi"
    return run([*mpi.launched(ranks), *across], lambda lines: follow_ranks(lines, ranks), mpi.variables())


def run(
    command: list[str],
    follow_it: Callable[[Iterator[Report]], Report | None],
    variables: Mapping[str, str] | None = None,
) -> Report:
    """Runs a program, and lets `follow_it` read what it tells; gives the report that this makes of it."""
    with running(command, variables) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        report = follow_it(json.loads(line) for line in program.stdout)
        said = program.stderr.read()
    if program.returncode != 0 or report is None:
        raise Failed(f"the demo ended with code {program.returncode}", output=said)
    return report


def follow_ranks(lines: Iterator[Report], ranks: int) -> Report | None:
    """Shows a table with a row for each process while they work. Gives the report that comes last."""
    report = None
    rows: dict[int, Report] = {}
    ended = False
    with Live(rank_table(rows, ranks), console=console, refresh_per_second=10) as live:
        for line in lines:
            if "stages" in line:
                report = line
            elif "at_end" in line:  # of all processes, from the first one, which has the last numbers
                rows = {row["rank"]: row for row in line["at_end"]}
                ended = True
            elif "rank" in line and not ended:  # what others have said before may come later
                rows[line["rank"]] = line
            live.update(rank_table(rows, ranks))
    if not console.is_terminal:
        console.print()  # what is shown live has no end of line there
    return report


def rank_table(rows: dict[int, Report], ranks: int) -> Table:
    """What each process has done so far."""
    table = Table(title=f"{ranks} processes", title_justify="left")
    for heading in ("rank", "what it does", "blocks compressed", "cores"):
        table.add_column(heading, justify="left" if heading == "what it does" else "right")
    for rank in range(ranks):
        row = rows.get(rank, {"compressed": 0, "cores": 0.0})
        does = "reads and writes" if rank == 0 else "compresses"
        compressed = str(row["compressed"]) if rank > 0 or ranks == 1 else ""
        table.add_row(str(rank), does if ranks > 1 else "everything", compressed, f"{row['cores']:.2f}")
    return table


def travel_table(report: Report) -> Table:
    """What each process used and sent."""
    table = Table(title="at the end", title_justify="left")
    for heading in ("rank", "host", "processor time", "peak memory", "messages", "sent", "credit messages"):
        table.add_column(heading, justify="left" if heading == "host" else "right")
    for row in report["ranks"]:
        table.add_row(
            str(row["rank"]),
            escape(row["host"]),
            f"{row['cpu_ns'] / 1e9:.2f} s",
            f"{row['peak_bytes'] / 1e6:.1f} MB",
            str(row["messages"]),
            f"{row['bytes'] / 1e6:.1f} MB",
            str(row["credits"]),
        )
    return table


def compare_with_sequential(command: list[str], archive: Path) -> None:
    """Packs the same once more on one thread: the bytes must be the same."""
    words = [*command]
    words[words.index("--policy") + 1] = "sequential"
    place = words.index("--output") + 1
    other = Path(words[place] + ".sequential")
    words[place] = str(other)
    run_with_progress(words)
    same = filecmp.cmp(archive, other, shallow=False)
    other.unlink()
    if not same:
        raise Failed(f"{archive} is not what the sequential run makes")
    console.print("the sequential run makes the same bytes")


def run_with_progress(command: list[str]) -> Report:
    """Runs the program, showing how far it is; gives the report of the whole run."""
    return run(command, follow)


def follow(lines: Iterator[Report]) -> Report | None:
    """Shows a bar from what the program tells: how much there is to do, then reports. Gives the last one."""
    tree = next(lines, None)
    if tree is None:
        return None
    console.print(f"packing {tree['entries']:,} files and folders, {tree['bytes'] / 1e6:.1f} MB")
    for name in tree["left_out"][:MOST_LEFT_OUT]:
        console.print(
            f"left out (not a file, folder or link, not readable, or 8 GiB or more): {name}", markup=False
        )
    if (more := len(tree["left_out"]) - MOST_LEFT_OUT) > 0:
        console.print(f"... and {more} more", markup=False)
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
        timed = "service_ns_per_item" in stage
        table.add_row(
            escape(stage["name"]),
            str(max(stage["items_in"], stage["items_out"])),
            f"{stage['service_ns_per_item'] / 1e6:.2f} ms" if timed else "not timed",
            f"{stage['parallelism']:.2f}" if timed else "",
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
