"""`./thalweg list`, and SPBench's names for parts of it: what there is."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from thalweg_cli.base.terminal import print_table
from thalweg_cli.catalog.applications import Application, known_applications
from thalweg_cli.catalog.inputs import select
from thalweg_cli.catalog.inputs import table_of as table_of_inputs
from thalweg_cli.catalog.programs import Benches, Program, check_names, known_programs, list_programs
from thalweg_cli.catalog.programs import select as select_programs
from thalweg_cli.catalog.user_benchmarks import UserFolder


class What(StrEnum):
    """What can be listed."""

    BENCHMARKS = "benchmarks"
    APPLICATIONS = "applications"
    OPERATORS = "operators"
    INPUTS = "inputs"
    INTERFACES = "interfaces"


def list_all(
    what: Annotated[What, typer.Argument(help="What to list.")] = What.BENCHMARKS,
    app: Annotated[list[str] | None, typer.Option(help="Only of this application.")] = None,
    ppi: Annotated[
        list[str] | None, typer.Option(help="Only of this interface: benchmarks and interfaces.")
    ] = None,
    bench: Benches = None,
    folder: UserFolder = None,
) -> None:
    """List benchmark programs and what is missing for those that cannot be built; or something else."""
    if bench and what is not What.BENCHMARKS:
        chosen = select_programs(known_programs(folder), bench, app or [], ppi or [])
        app = list(dict.fromkeys(one.application for one in chosen))
    if what is What.INPUTS:
        print_table(table_of_inputs(select(app or [], [])))
    elif what in (What.APPLICATIONS, What.OPERATORS):
        table_of = table_of_applications if what is What.APPLICATIONS else table_of_operators
        print_table(table_of(known_applications(app or [])))
    elif what is What.INTERFACES:
        programs = known_programs(folder)
        check_names(programs, [], app or [], ppi or [])
        print_table(table_of_interfaces(programs, app or [], ppi or []))
    else:
        list_programs(app, ppi, bench, folder)


def table_with(*headings: str) -> Table:
    """A table without rows, of which only the last column is broken."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, no_wrap=heading != headings[-1])
    return table


def table_of_applications(applications: Sequence[Application]) -> Table:
    """A row for each."""
    table = table_with("application", "of", "what it does")
    for one in applications:
        says = f"[red]not built[/]: {escape(one.fix)}" if one.fix else escape(one.says)
        table.add_row(escape(one.name), "your own" if one.of_user else "Thalweg", says)
    return table


def table_of_operators(applications: Sequence[Application]) -> Table:
    """A row for each application: its operators in the order of the stream."""
    table = table_with("application", "operators")
    for one in applications:
        table.add_row(escape(one.name), escape(one.fix) if one.fix else escape(", ".join(one.operators)))
    return table


def table_of_interfaces(programs: Sequence[Program], app: Sequence[str], ppi: Sequence[str]) -> Table:
    """A row for each interface: how many programs there are, or what is missing for all of them."""
    table = table_with("interface", "programs", "available")
    some = [
        one for one in programs if (not app or one.application in app) and (not ppi or one.interface in ppi)
    ]
    for interface in sorted({one.interface for one in some}):
        its = [one for one in some if one.interface == interface]
        there = [one for one in its if not one.missing]
        available = "[green]yes[/]" if there else f"[red]no[/]: {escape(its[0].missing)}"
        table.add_row(escape(interface), str(len(its)), available)
    return table
