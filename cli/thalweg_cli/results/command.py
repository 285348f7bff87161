"""`./thalweg results`: the sets of runs that are kept, what is in them, and files of them for others."""

import shlex
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from thalweg_cli.base.files import file_to_write
from thalweg_cli.base.terminal import console, print_table
from thalweg_cli.results.export import Kept, conditions_of, write_csv, write_json
from thalweg_cli.results.run_table import Shown, failures, table_of, title_of
from thalweg_cli.results.store import Store, StoreFile, default_file
from thalweg_cli.results.store_rows import RunSet
from thalweg_cli.results.sustainable_table import curve_tables, found_table
from thalweg_cli.run.metrics import LATENCY
from thalweg_cli.run.runs import Series, in_series
from thalweg_cli.run.sustainable import found_among

MOST_NAMES = 3
"""Names of programs that a line of the list has."""


def results(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SET]...", help="Ids, labels, latest, previous; without any, all are listed."
        ),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", callback=file_to_write, help="Write the sets here, with all runs."
        ),
    ] = None,
    csv_file: Annotated[
        Path | None,
        typer.Option(
            "--csv", metavar="FILE", callback=file_to_write, help="Write a line for each of their runs here."
        ),
    ] = None,
    store: StoreFile = None,
) -> None:
    """List the sets of runs that are kept; show some, or export them."""
    with closing(Store(store or default_file())) as kept:
        sets = [kept.find(name) for name in names] if names else kept.sets()
        wanted = names or json_file or csv_file
        found: list[Kept] = [(one, kept.runs(one.id)) for one in sets] if wanted else []
    if json_file:
        write_json(json_file, found)
    if csv_file:
        write_csv(csv_file, found)
    if names:
        for one, runs in found:
            show(one, in_series(runs))
    elif not (json_file or csv_file):
        print_table(table_of_sets(sets))


def show(one: RunSet, rows: Sequence[Series]) -> None:
    """Prints what is in a set, and where it was measured."""
    conditions, here = conditions_of(one), one.circumstances
    latency = any(metric.values(row) for row in rows for metric in LATENCY)
    shown = Shown(throughput=True, latency=latency, memory=True, verified=conditions.verify)
    print_table(table_of(rows, f"set {one.name}: {title_of(rows, conditions)}", shown))
    found = found_among(one.findings, [row.setting for row in rows])
    for table in (*curve_tables(rows, found), *([found_table(found)] if found else [])):
        print_table(table)
    for failure in failures(rows):
        failure.show()
    told = (
        f"{local(one.began)}, ./thalweg {shlex.join(one.command)}",
        f"{here['cpu']}, {here['cores']} cores, {here['kernel']}, governor {here['governor']}",
        f"{here['compiler']}, {here['flags']}; commit {commit(one)}",
        *(f"{name}: {here['libraries'][name]}" for name in one.programs if name in here["libraries"]),
        *(f"{name}={value}" for name, value in here["environment"].items()),
    )
    for line in told:
        console.print(line, style="dim", markup=False)


def table_of_sets(sets: Sequence[RunSet]) -> Table:
    """A row for each set, the oldest first."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("set", justify="right")
    table.add_column("label")
    table.add_column("began", no_wrap=True)
    for heading in ("programs", "inputs"):
        table.add_column(heading)
    for heading in ("runs", "failed"):
        table.add_column(heading, justify="right")
    for heading in ("commit", "complete"):
        table.add_column(heading)
    for one in sets:
        more = len(one.programs) - MOST_NAMES
        programs = ", ".join(one.programs[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
        table.add_row(
            str(one.id),
            escape(one.label),
            local(one.began),
            escape(programs),
            escape(", ".join(one.inputs)),
            str(one.count),
            f"[red]{one.failed}[/]" if one.failed else "0",
            commit(one),
            "yes" if one.complete else "no",
        )
    return table


def local(time: str) -> str:
    """A time of the store, as the clock here shows it."""
    return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")


def commit(one: RunSet) -> str:
    """The commit, and whether files differed from it."""
    return f"{one.circumstances['commit']}{', changed' if one.circumstances['changed'] else ''}"
