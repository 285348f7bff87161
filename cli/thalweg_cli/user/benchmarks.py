"""`./thalweg new`, `edit`, `rename`, `delete`: benchmarks of the user's own, made and put away."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from thalweg_cli.base.editor import Editor, edit_files
from thalweg_cli.base.files import make_folder
from thalweg_cli.base.names import did_you_mean
from thalweg_cli.base.paths import BENCH, build_folder
from thalweg_cli.base.terminal import Failed, confirm, console
from thalweg_cli.catalog.applications import check_application, our_applications, user_applications
from thalweg_cli.catalog.programs import (
    DEFAULT_COMPOSITION,
    PRESET,
    SEQUENTIAL,
    Program,
    other_program,
    programs_of_user_applications,
    source_of,
    user_benchmark,
    user_programs,
    written_programs,
)
from thalweg_cli.catalog.user_benchmarks import (
    NAME,
    PROGRAM,
    Benchmark,
    Benchmarks,
    UserFolder,
    composition_in,
    name_of,
)
from thalweg_cli.catalog.user_cmake import USERS
from thalweg_cli.catalog.user_settings import known_interfaces
from thalweg_cli.cpp.tokens import Kind, tokenize
from thalweg_cli.user.configure import changed
from thalweg_cli.user.operators import Name
from thalweg_cli.user.taken import FILE as CONFIGURATION
from thalweg_cli.user.taken import taken_along

SEVERAL_SOURCES = "several-sources"
"""The composition of programs that have them."""


@dataclass(frozen=True)
class Start:
    """What a new benchmark is made from: the files of its folder, and what is known of their origin."""

    name: str
    files: Sequence[Path]
    application: str = ""
    interface: str = ""
    user_benchmark: Benchmark | None = None
    configuration: dict[str, Any] = field(default_factory=dict)


Whole = Annotated[bool, typer.Option("--whole", help="The name is this one word, with nothing before it.")]


def new(
    bench: Annotated[str, typer.Option(metavar="NAME", help="What makes its name: <app>_<ppi>_NAME.")],
    whole: Whole = False,
    app: Annotated[str, typer.Option(help="Its application.")] = "",
    ppi: Annotated[str, typer.Option(help="Its interface: one of ours, or your own.")] = "",
    start: Annotated[str, typer.Option("--from", metavar="BENCH", help="A benchmark to copy.")] = "",
    file: Annotated[Path | None, typer.Option(metavar="FILE", help="A program to copy.")] = None,
    several_sources: Annotated[
        bool, typer.Option("--several-sources", help="Start from our program with several sources.")
    ] = False,
    folder: UserFolder = None,
) -> None:
    """Make your own benchmark: from our program of the interface, from a benchmark, or from a file."""
    if start and file:
        raise Failed("--from and --file: give only one of them")
    if several_sources and (start or file):
        raise Failed(
            f"--several-sources and {'--from' if start else '--file'}: give only one of them",
            remedy="leave out --several-sources: a copy has the sources of what it is made from",
        )
    benchmarks = Benchmarks(folder)
    ours = [*written_programs(BENCH), *programs_of_user_applications()]
    if start:
        begun = from_benchmark(start, [*ours, *user_programs(benchmarks)], app, ppi)
    else:
        if not (app and ppi):
            raise Failed(
                "of which application and interface?", remedy="--app and --ppi, or --from a benchmark"
            )
        check_application(app)
        begun = from_file(file, app, benchmarks) if file else from_template(ours, app, ppi, several_sources)
    application, interface = app or begun.application, ppi or begun.interface
    composition = composition_in(bench, application, interface)
    name = bench if whole else name_of(application, interface, composition)
    check_name(name, interface, benchmarks, ours)
    if interface not in known_interfaces():
        near = did_you_mean(interface, known_interfaces())
        console.print(f"{interface} is your own interface" + (f" ({near.strip()})" if near else ""))
    made = create(benchmarks, name, begun, application, interface, composition)
    console.print(f"made {made.name} from {begun.name}: {made.program}", markup=False)
    console.print(
        f"next: ./thalweg edit {name}, then ./thalweg compile --bench {name}", style="dim", markup=False
    )


def edit(name: Name, editor: Editor = "", folder: UserFolder = None) -> None:
    """Open the source of your own benchmark, or of a program of your application, in the editor."""
    benchmarks = Benchmarks(folder)
    other = None if name in benchmarks.names() else other_program(name)
    if other and other.application in user_applications():
        edit_files([source_of(other, BENCH)], editor)
        return
    edit_files([user_benchmark(benchmarks, name).program], editor)


def rename(
    name: Annotated[str, typer.Argument(metavar="OLD", help="Your own benchmark.")],
    to: Annotated[str, typer.Argument(metavar="NEW", help="Its new name: <app>_<ppi>_NEW.")],
    whole: Whole = False,
    folder: UserFolder = None,
) -> None:
    """Rename your own benchmark; measured runs keep the old name."""
    benchmarks = Benchmarks(folder)
    one = user_benchmark(benchmarks, name)
    composition = composition_in(to, one.application, one.interface)
    new_name = to if whole else name_of(one.application, one.interface, composition)
    ours = [*written_programs(BENCH), *programs_of_user_applications()]
    check_name(new_name, one.interface, benchmarks, ours)
    staging = benchmarks.staging(new_name)
    one.folder.rename(staging)
    try:
        # Its file says the name of its folder: written before it has it, no other process finds it otherwise.
        replace(one, folder=staging, composition=composition).write()
        staging.rename(benchmarks.folder / new_name)
    except BaseException:
        staging.rename(one.folder)
        raise
    forget_build(one.name)
    console.print(f"{one.name} is now {new_name}", markup=False)


def delete(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    folder: UserFolder = None,
) -> None:
    """Remove your own benchmark, with its source; measured runs stay."""
    benchmarks = Benchmarks(folder)
    place = benchmarks.folder / name
    # One that cannot be read can be removed, by its whole name.
    gone = place if name in benchmarks.names() else user_benchmark(benchmarks, name).folder
    if not yes:
        confirm(f"remove {gone.name} and everything in {gone}?", "--yes does not ask")
    aside = gone.rename(benchmarks.staging(gone.name))
    shutil.rmtree(aside)
    forget_build(gone.name)
    console.print(f"removed {gone.name}", markup=False)


def check_name(name: str, interface: str, benchmarks: Benchmarks, ours: Sequence[Program]) -> None:
    """Raises Failed if a benchmark cannot be called so, or if another one is."""
    for word in (interface, name):
        if not NAME.fullmatch(word) or word == "all":
            raise Failed(f"{word!r} cannot be a name", remedy="letters, digits, and _ . + - after the first")
    if name in {program.name for program in ours}:
        raise Failed(f"{name} is a program already", remedy="take another name")
    if name in benchmarks.names() or (benchmarks.folder / name).exists():
        raise Failed(
            f"there is a benchmark {name} already", remedy=f"take another name, or ./thalweg edit {name}"
        )


def from_template(ours: Sequence[Program], app: str, ppi: str, several_sources: bool = False) -> Start:
    """Our program of an interface, or, where there is none, the sequential one."""
    there = [one for one in ours if one.application == app]
    if several_sources:
        there = [one for one in there if one.composition == SEVERAL_SOURCES]
    mine = [one for one in there if one.interface == ppi] or [
        one for one in there if one.interface == SEQUENTIAL
    ]
    if not mine and several_sources:
        known = sorted({one.application for one in ours if one.composition == SEVERAL_SOURCES})
        raise Failed(f"{app} has no program with several sources", remedy=f"these have: {', '.join(known)}")
    if not mine:
        raise Failed(f"{app} has no program to start from", remedy="--file gives one")
    usual = [one for one in mine if one.composition in ("", DEFAULT_COMPOSITION)]
    return from_program((usual or mine)[0], ppi)


def from_benchmark(name: str, there: Sequence[Program], app: str, ppi: str) -> Start:
    """A benchmark that there is, ours or the user's own."""
    found = [one for one in there if one.is_called(name)]
    if not found:
        near = did_you_mean(name, [one.name for one in there])
        raise Failed(f"there is no benchmark {name}", remedy=f"{near}./thalweg list")
    if len(found) > 1:
        names = ", ".join(one.name for one in found)
        raise Failed(f"{name} may mean several benchmarks", remedy=f"one of {names}")
    (one,) = found
    if app and app != one.application:
        raise Failed(f"{one.name} is of {one.application}, not of {app}", remedy="leave out --app")
    return from_program(one, ppi or one.interface)


def from_program(one: Program, interface: str) -> Start:
    """A program, for an interface: if it is another one, it still needs what its own is made of."""
    if one.user_folder:
        its = Benchmark.read(one.user_folder)
        return Start(one.name, [], one.application, one.interface, its, needed_by(one, interface, its))
    source = source_of(one, BENCH)
    configuration = needed_by(one, interface, None)
    return Start(one.name, [source], one.application, one.interface, configuration=configuration)


def needed_by(one: Program, interface: str, its: Benchmark | None) -> dict[str, Any]:
    """The configuration of a copy."""
    configuration = dict(its.configuration) if its else {}
    if one.interface in known_interfaces() - {interface, SEQUENTIAL}:
        configuration = changed(configuration, [f"USES.{one.interface}={one.interface}"], [])
    return configuration


def from_file(file: Path, app: str, benchmarks: Benchmarks) -> Start:
    """A program in a file, with those headers beside it that it includes, and SPBench's configuration of it.

    Says what of that is left out, as it is not here.

    Raises Failed if it cannot be read, or does not include the header of the application.
    """
    files = with_headers(file, app)
    included = headers_in(file)
    if not any(name in (f"{app}.hpp", f"spb/{app}.hpp") for name in included):
        remedy = f"a benchmark of {app} has #include <{app}.hpp>"
        applications = {*our_applications(), *user_applications()}
        of = [Path(name).stem for name in included if Path(name).stem in applications]
        if of:
            remedy += f"; this one is of {of[0]}: --app {of[0]}?"
        raise Failed(f"{file} does not include {app}.hpp", remedy=remedy)
    taken = taken_along(file, benchmarks.folder)
    if taken.values:
        console.print(f"its {CONFIGURATION} comes along: {', '.join(taken.values)}", markup=False)
    for part in taken.left_out:
        console.print(f"left out of {CONFIGURATION}: {part}", style="dim", markup=False)
    return Start(str(file), files, configuration=taken.values)


def headers_in(file: Path) -> list[str]:
    """What a source includes, without the marks around."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Failed(f"{file} cannot be read: {error}") from error
    tokens = tokenize(text, str(file))
    return [token.text[1:-1] for token in tokens if token.kind is Kind.HEADER]


def with_headers(file: Path, app: str) -> list[Path]:
    """A source, and the files beside it that it includes, and that these include.

    SPBench has a header of the application there, too: it is not ours, which has the same name.
    """
    found = [file]
    for one in found:
        for name in headers_in(one):
            beside = file.parent / name
            if (
                "/" not in name
                and beside.is_file()
                and beside not in found
                and name not in (PROGRAM, f"{app}.hpp")
            ):
                found.append(beside)
    return found


def create(
    benchmarks: Benchmarks, name: str, begun: Start, application: str, interface: str, composition: str
) -> Benchmark:
    """Makes the folder of a benchmark, under another name until it is complete."""
    make_folder(benchmarks.folder)
    staging = benchmarks.staging(name)
    try:
        if begun.user_benchmark:
            shutil.copytree(begun.user_benchmark.folder, staging)
        else:
            make_folder(staging)
            for place, file in zip(
                [PROGRAM, *(file.name for file in begun.files[1:])], begun.files, strict=True
            ):
                (staging / place).write_bytes(file.read_bytes())
        operators = begun.user_benchmark.operators if begun.user_benchmark else {}
        made = Benchmark(
            staging, application, interface, composition, begun.name, begun.configuration, operators
        )
        made.write()
        staging.rename(benchmarks.folder / name)
    except OSError as error:
        raise Failed(f"{benchmarks.folder / name} cannot be made: {error}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return replace(made, folder=benchmarks.folder / name)


def forget_build(name: str) -> None:
    """Removes the program that was built of a benchmark, if it was."""
    (build_folder(PRESET) / USERS / name).unlink(missing_ok=True)
