"""`./thalweg experiment`: the experiments of the literature on streams that adapt themselves."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from thalweg_cli.base.files import check_writable, file_to_write, write_text
from thalweg_cli.base.names import did_you_mean
from thalweg_cli.base.paths import BUILD
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.catalog.programs import Program, known_programs, select
from thalweg_cli.experiments import elastic, monitoring, teetime
from thalweg_cli.experiments.kinds import Asked, Case, Kind, cores
from thalweg_cli.experiments.page import page
from thalweg_cli.measure.command import check_label, check_ranks, make_ready
from thalweg_cli.measure.measuring import Measuring
from thalweg_cli.results.run_table import Shown
from thalweg_cli.results.store import Store, default_file
from thalweg_cli.run.experiment import Conditions

KINDS = {kind.name: kind for kind in (teetime.KIND, monitoring.KIND, elastic.KIND)}


def experiment(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which of --list.")] = "",
    app: Annotated[
        list[str] | None,
        typer.Option(metavar="APPLICATION", help="Only this one of its applications; repeatable."),
    ] = None,
    nprocs: Annotated[
        int | None,
        typer.Option(min=2, max=1 << 10, help="Run mpr-monitoring over MPI, with this many ranks."),
    ] = None,
    repeat: Annotated[
        int | None, typer.Option(min=1, help="Runs of each, in turn; by default as in the literature.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small inputs, one run of each: to see that everything works.")
    ] = False,
    label: Annotated[str, typer.Option(help="A name for this set of runs; by default NAME.")] = "",
    store: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep the runs here, not in the user's data folder.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", callback=file_to_write, help="The page, HTML."),
    ] = None,
    list_only: Annotated[bool, typer.Option("--list", help="Name the experiments and stop.")] = False,
) -> None:
    """Repeat an experiment of the literature on streams that adapt themselves, and make a page of it."""
    if list_only:
        for kind in KINDS.values():
            console.print(f"[bold]{kind.name:<16}[/]{escape(kind.says)}")
        return
    kind = kind_of(name)
    if nprocs and not kind.over_mpi:
        raise Failed(f"--nprocs: {kind.name} runs in one process")
    cases = cases_of(kind, app or [])
    check_label(label)
    file = output or BUILD / "experiments" / f"{kind.name}.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    check_writable(file)
    conditions = Conditions(in_memory=True, timeout_s=3600.0)
    with closing(Store(store or default_file(), make=True)) as kept:
        programs = programs_of(kind, cases, nprocs)
        get_ready(programs, cases, quick=quick)
        repeats = repeat or (1 if quick else kind.repeat)
        plan = kind.make(Asked(cases, {one.name: one for one in programs}, repeats, quick, nprocs))
        Measuring(plan, conditions, Shown(throughput=True)).keep_in(kept, label or kind.name)
    runs = f"{repeats} run{'s' * (repeats != 1)} of each, in turn, on {cores()} cores"
    write_text(file, page(kind.name, f"{kind.says}; {runs}.", plan.sections()))
    console.print(f"wrote {file}", markup=False, soft_wrap=True)
    if any(row.error for row in plan.rows):
        raise typer.Exit(1)


def kind_of(name: str) -> Kind:
    """The experiment of a name. Raises Failed if there is none."""
    if name not in KINDS:
        what = f"there is no experiment {name}" if name else "which experiment?"
        raise Failed(what, remedy=f"{did_you_mean(name, KINDS)}one of {', '.join(KINDS)}")
    return KINDS[name]


def cases_of(kind: Kind, applications: Sequence[str]) -> list[Case]:
    """Those of some applications, or all. Raises Failed if there are none of one."""
    known = dict.fromkeys(case.application for case in kind.cases)
    for one in applications:
        if one not in known:
            remedy = f"{did_you_mean(one, known)}one of {', '.join(known)}"
            raise Failed(f"{kind.name} has no application {one}", remedy=remedy)
    return [case for case in kind.cases if not applications or case.application in applications]


def programs_of(kind: Kind, cases: Sequence[Case], nprocs: int | None) -> list[Program]:
    """The programs of an experiment. Raises Failed if one of them cannot be built, or not be run."""
    applications = dict.fromkeys(case.application for case in cases)
    ways = kind.over_mpi if nprocs else kind.programs
    names = [f"{application}_{way}" for application in applications for way in ways]
    # A user's own benchmark may be called by such a name, too.
    found = [one for one in select(known_programs(), names, [], []) if one.name in names]
    check_ranks(found, {"--nprocs": nprocs})
    return found


def get_ready(programs: Sequence[Program], cases: Sequence[Case], *, quick: bool) -> None:
    """Builds programs and makes their inputs. Raises Failed if one cannot be built."""
    for application in dict.fromkeys(one.application for one in programs):
        its = [one for one in programs if one.application == application]
        inputs = [case.of(quick=quick) for case in cases if case.application == application]
        built = make_ready(its, inputs)
        if broken := [one.name for one in its if one not in built]:
            raise Failed(f"{', '.join(broken)} cannot be built", remedy="the compiler's messages are above")
