"""The benchmark programs: which there are, which of them this machine can build, and `./thalweg list`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from thalweg_cli.base.names import did_you_mean
from thalweg_cli.base.paths import BENCH, build_folder, user_folder
from thalweg_cli.base.terminal import Failed, console, print_table
from thalweg_cli.build.cmake import build
from thalweg_cli.catalog.annotations import is_annotated_in_vain
from thalweg_cli.catalog.user_benchmarks import OPERATORS, PROGRAM, Benchmark, Benchmarks, name_of
from thalweg_cli.catalog.user_cmake import CONFIGURED, DEBUGGED, USERS, Written, missing_by_cmake, tell_cmake

PRESET = "release"
SEQUENTIAL = "sequential"
"""The interface, by name, of programs that have none."""
DEFAULT_COMPOSITION = "farm"

MPI = "mpi"
"""What is said for all interfaces of programs over MPI, `mpi-...`."""

THALWEG = "thalweg"
"""The interface of those that may have a page in the browser."""

PAGE = "live"
"""How CMake calls those that have one (bench/CMakeLists.txt)."""

FEWEST_RANKS = {"mpi-dsparlib": 3}
"""Of interfaces whose farms need more than one: DSParLib's has a rank for the source, one for the sink."""

Benches = Annotated[list[str] | None, typer.Option(help="A program, such as bzip2_thalweg; repeatable.")]
Applications = Annotated[list[str] | None, typer.Option(help="All programs of an application.")]
Interfaces = Annotated[list[str] | None, typer.Option(help="All programs of an interface.")]
"""The options by which programs are chosen: what `select` takes."""


@dataclass(frozen=True)
class Program:
    """A benchmark program. `missing` says what to do to have it; empty if it can be built.

    `user_folder`: the folder of a benchmark of the user's own. `configured`: it is another program, and is
    built as the user's configuration says. `debugged`: it is meant as it is built for a debugger.
    `on_one_thread`: its parallelism stands in annotations that its compiler does not know. `with_page`: it is
    meant as it is built with a page in the browser.
    """

    name: str
    application: str
    interface: str
    composition: str
    missing: str
    user_folder: Path | None = field(default=None, compare=False)
    configured: bool = field(default=False, compare=False)
    debugged: bool = field(default=False, compare=False)
    on_one_thread: bool = field(default=False, compare=False)
    with_page: bool = field(default=False, compare=False)

    def is_called(self, name: str) -> bool:
        """Whether a user means it by `name`: its name, without the composition if that is the default one.

        A benchmark of the user's own may be called by its composition alone.
        """
        short = f"{self.application}_{self.interface}"
        return (
            name == self.name
            or (name == short and self.composition in ("", DEFAULT_COMPOSITION))
            or (self.user_folder is not None and name == self.composition)
        )

    @property
    def is_over_mpi(self) -> bool:
        """Whether it is of several processes, which MPI's launcher starts."""
        return self.interface.startswith(f"{MPI}-")

    @property
    def fewest_ranks(self) -> int:
        """With how many ranks it can be started, if it is over MPI."""
        return FEWEST_RANKS.get(self.interface, 1)

    def is_of(self, interface: str) -> bool:
        """Whether a user means its interface: by its name, or by that of all interfaces over MPI."""
        return interface == self.interface or (interface == MPI and self.is_over_mpi)

    @property
    def target(self) -> str:
        """What builds it."""
        plain = f"{self.kind}.{self.name}" if self.kind else self.name
        return f"{PAGE}.{plain}" if self.with_page else plain

    @property
    def executable(self) -> Path:
        """What is built, in the folder of a build."""
        if self.with_page:
            return Path(PAGE, self.target.removeprefix(f"{PAGE}."))
        return Path(self.kind or "bench", self.name)

    @property
    def kind(self) -> str:
        """In which way it is built, if that is not how Thalweg itself does."""
        return (
            DEBUGGED
            if self.debugged
            else USERS
            if self.user_folder
            else CONFIGURED
            if self.configured
            else ""
        )

    @property
    def has_own_operators(self) -> bool:
        """Whether it is built with operators that are not the application's."""
        return self.user_folder is not None and (self.user_folder / OPERATORS).is_dir()


def known_programs(folder: Path | None = None, debugged: str = "") -> list[Program]:
    """All programs, from what CMake found; behind ours the user's own, which are in `folder`.

    The one that is called `debugged` is as it is built for a debugger.
    """
    own = Benchmarks(folder)
    ours = [*written_programs(BENCH), *programs_of_user_applications()]
    written = [Written(one.name, one.application, one.interface, source_of(one, BENCH)) for one in ours]
    told = tell_cmake(own, PRESET, written, debugged)
    build(PRESET, "build.ninja")  # Configures; Ninja sees to it that the list is up to date.
    try:
        listed = json.loads((build_folder(PRESET) / "bench" / "programs.json").read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise Failed("no benchmark programs are configured", remedy="./thalweg doctor") from error
    missing = missing_by_cmake(PRESET) | told.left_out
    others = [Program(**{"configured": one["name"] in told.configured, **one}) for one in listed]
    return [
        replace(one, missing=one.missing or missing.get(one.name, ""), debugged=one.name == debugged)
        for one in [*others, *user_programs(own)]
    ]


def user_programs(benchmarks: Benchmarks) -> list[Program]:
    """The user's own benchmarks. What does not say what it is has a name only, and cannot be built."""
    return [
        Program(
            one.name,
            one.application,
            one.interface,
            one.composition,
            missing="",
            user_folder=one.folder,
            on_one_thread=is_annotated_in_vain(one),
        )
        if isinstance(one, Benchmark)
        else Program(one.name, "", "", "", missing=one.why.what, user_folder=one.folder)
        for one in benchmarks
    ]


def written_programs(bench: Path) -> list[Program]:
    """All programs that there are sources of in the folder `bench`, whether they can be built or not."""
    return [program_of(source, source.parents[1].name) for source in sorted(bench.glob("*/*/*.cpp"))]


def programs_of_user_applications() -> list[Program]:
    """All programs that there are sources of in applications of the user's own."""
    sources = sorted((user_folder() / "apps").glob("*/bench/*/*.cpp"))
    return [program_of(source, source.parents[2].name) for source in sources]


def user_benchmark(benchmarks: Benchmarks, name: str) -> Benchmark:
    """The user's own benchmark of a name, as `Benchmarks.find` has it.

    If that is another program, the failure says how to come by a benchmark of it.
    """
    try:
        return benchmarks.find(name)
    except Failed:
        if name in benchmarks.names():
            raise
        if other := other_program(name):
            raise Failed(
                f"{other.name} is not your own benchmark",
                remedy=f"./thalweg new --from {other.name} --bench NAME makes one from it",
            ) from None
        raise


def select_own(
    benchmarks: Benchmarks, bench: Sequence[str], app: Sequence[str], ppi: Sequence[str]
) -> list[Program]:
    """The user's own benchmarks that fit every condition that is given; `all` fits any.

    What does not say what it is may be of any application and interface. Raises Failed if a name is none, or
    if nothing fits.
    """
    own = user_programs(benchmarks)
    others = [*written_programs(BENCH), *programs_of_user_applications()]
    check_names([*others, *own], [], app, ppi)
    for name in bench:
        if name != "all" and not any(one.is_called(name) for one in own):
            user_benchmark(benchmarks, name)  # which raises
    found = [one for one in own if fits(one, bench, *((app, ppi) if one.application else ((), ())))]
    if not found:
        raise Failed("no benchmark of your own matches", remedy="./thalweg list; ./thalweg new makes one")
    return found


def other_program(name: str) -> Program | None:
    """The program that a user means, if there is one that is no benchmark of the user's own."""
    others = [*written_programs(BENCH), *programs_of_user_applications()]
    return next((one for one in others if one.is_called(name)), None)


def program_of(source: Path, application: str) -> Program:
    """What `<interface>/<composition>.cpp` is a program of."""
    interface, composition = source.parent.name, source.stem
    if composition == interface:
        composition = ""
    return Program(name_of(application, interface, composition), application, interface, composition, "")


def source_of(program: Program, bench: Path) -> Path:
    """The source of a program: in the folder `bench`, or in those of the user's own."""
    if program.user_folder:
        return program.user_folder / PROGRAM
    file = Path(program.interface, f"{program.composition or program.interface}.cpp")
    added = user_folder() / "apps" / program.application / "bench" / file
    ours = bench / program.application / file
    return added if added.exists() and not ours.exists() else ours


def select(
    programs: Sequence[Program], bench: Sequence[str], app: Sequence[str], ppi: Sequence[str]
) -> list[Program]:
    """The programs that fit every condition that is given; `all` fits any.

    Raises Failed if a name is none, if nothing fits, or if what was named by itself cannot be built.
    """
    check_names(programs, bench, app, ppi)

    found = [program for program in programs if fits(program, bench, app, ppi)]
    for program in found:
        if program.missing:
            console.print(f"left out: {program.name}: {program.missing}", style="dim", markup=False)
    found = [program for program in found if not program.missing]
    if not found:
        raise Failed("no benchmark program matches", remedy="./thalweg list")
    return found


def check_selection(bench: Benches, app: Applications, ppi: Interfaces) -> None:
    """Raises Failed if no program is asked for."""
    if not (bench or app or ppi):
        raise Failed("which programs?", remedy="--bench, --app or --ppi; ./thalweg list shows all")


def fits(program: Program, bench: Sequence[str], app: Sequence[str], ppi: Sequence[str]) -> bool:
    """Whether a program fits every condition that is given; `all` fits any."""
    return (
        (not bench or "all" in bench or any(program.is_called(name) for name in bench))
        and (not app or "all" in app or program.application in app)
        and (not ppi or "all" in ppi or any(map(program.is_of, ppi)))
    )


def check_names(
    programs: Sequence[Program], bench: Sequence[str], app: Sequence[str], ppi: Sequence[str]
) -> None:
    """Raises Failed if one of the names is none, or if a program that is named cannot be built."""
    for names, there, what in (
        (app, {program.application for program in programs if program.application}, "application"),
        (ppi, interfaces_of(programs), "interface"),
    ):
        for name in names:
            if name != "all" and name not in there:
                remedy = f"{did_you_mean(name, there)}one of {', '.join(sorted(there))}"
                raise Failed(f"there is no {what} {name}", remedy=remedy)
    for name in bench:
        called = [program for program in programs if program.is_called(name)]
        if name != "all" and not called:
            remedy = did_you_mean(name, [program.name for program in programs])
            raise Failed(f"there is no benchmark program {name}", remedy=f"{remedy}./thalweg list")
        for program in called:
            if program.missing:
                raise Failed(f"{program.name} cannot be built here", remedy=program.missing)


def interfaces_of(programs: Sequence[Program]) -> set[str]:
    """What may be said for the interfaces of programs."""
    names = {program.interface for program in programs if program.interface}
    return names | {MPI for program in programs if program.is_over_mpi}


def list_programs(
    app: Sequence[str] | None, ppi: Sequence[str] | None, bench: Sequence[str] | None, folder: Path | None
) -> None:
    """Lists the benchmark programs, and what is missing for those that cannot be built here."""
    programs = known_programs(folder)
    check_names(programs, [], app or [], ppi or [])
    if bench:
        programs = [one for one in programs if fits(one, bench, [], [])]
    if not programs:
        raise Failed(f"there is no benchmark program {', '.join(bench or [])}", remedy="./thalweg list")
    print_table(table_of(programs, app or [], ppi or []))


def table_of(programs: Sequence[Program], app: Sequence[str], ppi: Sequence[str]) -> Table:
    """A row for each program of the applications and interfaces; without any, for each program."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("program", "application", "interface", "composition"):
        table.add_column(heading, no_wrap=True)
    table.add_column("available")
    for program in programs:
        elsewhere = (app and program.application not in app) or (ppi and not any(map(program.is_of, ppi)))
        if elsewhere and program.application:  # What cannot be read may be of any.
            continue
        way = ", yours" if program.user_folder else ", as you configured it" if program.configured else ""
        yes = f"[green]yes[/]{way}"
        available = f"[red]no[/]: {escape(program.missing)}" if program.missing else yes
        names = (program.name, program.application, program.interface, program.composition)
        table.add_row(*map(escape, names), available)
    return table
