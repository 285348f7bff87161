"""`./thalweg inputs`: lists, makes and checks the inputs of the applications."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from thalweg_cli.base.terminal import Failed, bar, console, print_table
from thalweg_cli.catalog.applications import Application, Input, generate, known_applications
from thalweg_cli.catalog.registered import Registered, Tell, hash_of, hashes_of, registered

ALL = "all"
HASHES = ".sha256"
"""The hashes of an input, among its files, as `sha256sum --check` reads them."""

Apps = Annotated[list[str] | None, typer.Option("--app", help="Only of this application; repeatable.")]
Names = Annotated[
    list[str] | None, typer.Option("--input", help="Only those of this name, such as test; repeatable.")
]
Force = Annotated[bool, typer.Option("--force", help="With --generate: also make again what is there.")]


@dataclass(frozen=True)
class Chosen:
    """An input, and the application that it is of."""

    application: Application
    input: Input


def inputs(
    app: Apps = None,
    names: Names = None,
    generate_them: Annotated[bool, typer.Option("--generate", help="Make those that do not exist.")] = False,
    force: Force = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare existing ones with their hashes.")
    ] = False,
) -> None:
    """List the inputs of the applications, with their sizes; make or check them."""
    if force and not generate_them:
        raise Failed("--force goes with --generate")
    if generate_them:
        make(app or [], names or [], again=force)
    chosen = select(app or [], names or [])
    if verify and not check(chosen):
        raise typer.Exit(1)
    if not verify:
        print_table(table_of(chosen))


def download_inputs(app: Apps = None, names: Names = None, force: Force = False) -> None:
    """Make inputs, as `inputs --generate`: nothing is downloaded."""
    console.print("nothing is downloaded: inputs are made on this machine, the same everywhere", style="dim")
    make(app or [], names or [], again=force)
    print_table(table_of(select(app or [], names or [])))


def select(app: Sequence[str], names: Sequence[str]) -> list[Chosen]:
    """The inputs that fit every condition that is given; `all` fits any.

    Raises Failed if there is no such application, if one that is named is not built here, or if none of the
    applications has an input of that name.
    """
    wanted = [] if ALL in app else app
    applications = known_applications(wanted)
    for application in applications:
        if wanted and application.fix:
            raise Failed(f"{application.name} is not built here", remedy=application.fix)
    everything = [Chosen(one, its) for one in applications for its in one.inputs]
    if ALL in names:
        return everything
    for name in names:
        if not any(one.input.name == name for one in everything):
            if len(applications) == 1:
                applications[0].input(name)  # says which one may have been meant
            raise Failed(f"no application has an input {name}", remedy="./thalweg inputs")
    return [one for one in everything if not names or one.input.name in names]


def make(app: Sequence[str], names: Sequence[str], *, again: bool) -> None:
    """Makes inputs, one after the other. Raises Failed before the first one if it is not said which."""
    if not app and not names:
        raise Failed(
            "which inputs? all of them are many gigabytes",
            remedy=f"--app, --input, or --app {ALL} for all",
        )
    chosen = select(app, names)
    wanted = [one for one in chosen if not one.input.registered and (again or not one.input.is_there)]
    for number, one in enumerate(wanted, start=1):
        title = f"making {number} of {len(wanted)}: {one.application.name} {one.input.name}"
        console.print(title, markup=False)
        generate(one.application.name, one.input.name, again=again)


def table_of(chosen: Sequence[Chosen]) -> Table:
    """A row for each input."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("application", "input", "state"):
        table.add_column(heading, no_wrap=True)
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column("where", overflow="fold")
    for one in chosen:
        there = one.input.is_there
        where = str(one.input.place) if there or one.input.registered else ""
        size = size_text(one.input.size) if there else ""
        names = (one.application.name, one.input.name)
        table.add_row(*map(escape, names), state_of(one.input), size, escape(where))
    return table


def state_of(one: Input) -> str:
    """Whether an input is there, in a word or two."""
    if one.registered:
        return "your own" if one.is_there else "[red]your own, gone[/]"
    return "[green]made[/]" if one.is_there else "[dim]not made[/]"


def size_text(size: int) -> str:
    """A size as people read it."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"


def check(chosen: Sequence[Chosen]) -> bool:
    """Compares inputs that are there with their hashes, and prints what came of it. True if all are good."""
    own = {(one.application, one.name): one for one in registered()}
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("application", "input", "verified"):
        table.add_column(heading, no_wrap=heading != "verified")
    good = True
    for one in chosen:
        title = f"{one.application.name} {one.input.name}"
        with bar(title) as progress:
            found = fault_of(
                one.input,
                own.get((one.application.name, one.input.name)),
                lambda done, total, to=progress: to.advance_to(done, total, "bytes"),  # type: ignore[misc]
            )
        if found is None:
            continue
        good = good and not found.is_fault
        color = "red" if found.is_fault else "green" if found is GOOD else "dim"
        table.add_row(
            escape(one.application.name), escape(one.input.name), f"[{color}]{escape(found.says)}[/]"
        )
    if not table.row_count:
        console.print("none of them exists")
        return True
    print_table(table)
    return good


@dataclass(frozen=True)
class Finding:
    """What is to be said of an input, and whether something is wrong with it."""

    says: str
    is_fault: bool = True


GOOD = Finding("good", is_fault=False)


def fault_of(one: Input, mine: Registered | None, tell: Tell) -> Finding | None:
    """What is wrong with an input; None if it is not there and need not be."""
    if mine is not None:
        if not one.is_there:
            return Finding(f"{mine.file} is not there")
        changed = hash_of(mine.file, tell) != mine.input_hash
        return Finding(f"{mine.file} has changed since it was registered") if changed else GOOD
    if not one.is_there:
        return None
    hashes = one.place / HASHES
    if not hashes.exists():
        again = "was made before hashes were kept; --generate --force makes it again"
        return Finding(again, is_fault=False)
    return changed_file(one.place, hashes, tell)


def changed_file(folder: Path, hashes: Path, tell: Tell) -> Finding:
    """The first file of a folder that is not as a list of hashes has it."""
    due: dict[Path, str] = {}
    for line in hashes.read_text(encoding="utf-8").splitlines():
        digest, _, name = line.partition("  ")
        due[folder / name] = digest
    for file in due:
        if not file.is_file():
            return Finding(f"{file} is not there")
    for file, digest in hashes_of(due, tell).items():
        if digest != due[file]:
            return Finding(f"{file} has changed")
    return GOOD
