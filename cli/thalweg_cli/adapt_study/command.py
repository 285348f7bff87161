"""`./thalweg adapt-study`: streams that adapt themselves, beside every fixed setting."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from thalweg_cli.adapt_study.flights import COUNTS, write_trace
from thalweg_cli.adapt_study.packages import FOLDER
from thalweg_cli.adapt_study.page import page
from thalweg_cli.adapt_study.running import Bench, in_turn, planners_of, program
from thalweg_cli.adapt_study.scenarios import HIGH, LOW, SAYS, Scale, chosen
from thalweg_cli.adapt_study.summary import Summary, summary_of, tables_of
from thalweg_cli.adapt_study.ways import POLICIES, Asked, Tried, ways_of
from thalweg_cli.base.files import as_json, check_writable, file_to_write, write_text
from thalweg_cli.base.process import parse_processors
from thalweg_cli.base.terminal import Failed, bar, console, print_table
from thalweg_cli.run.adapting import EVERY, GOAL, NONE, check_words

PAGE = FOLDER / "report.html"

ONE_POLICY_OF_RANKS = "mpi"

QUICK_S, LONG_S = 1.0, 12.0
QUICK_MOST, MOST = 2, 8
QUICK_REPEATS, REPEATS = 1, 3


def adapt_study(
    scenarios: Annotated[
        list[str] | None, typer.Argument(metavar="[SCENARIO]...", help="Which of --list; without any, all.")
    ] = None,
    planner: Annotated[
        list[str] | None,
        typer.Option(metavar="PLANNER", help=f"Which planners, {NONE} or all (by default); repeatable."),
    ] = None,
    goal: Annotated[str, typer.Option(help="What planners are to reach.")] = GOAL,
    adapt_every: Annotated[str, typer.Option(metavar="TIME", help="How often planners look.")] = EVERY,
    most: Annotated[
        int | None, typer.Option(min=1, max=256, help=f"Replicas, at most: {MOST} by default.")
    ] = None,
    policy: Annotated[
        str | None, typer.Option(help=f"threads, pool, pool:4, ...: {POLICIES[0]} by default.")
    ] = None,
    ranks: Annotated[
        int | None, typer.Option(min=2, max=256, help="So many processes, over MPI, instead of one.")
    ] = None,
    work_us: Annotated[
        float, typer.Option(min=50, max=1e6, metavar="US", help="How long the operator takes for an item.")
    ] = 2000.0,
    seconds: Annotated[
        float | None, typer.Option(min=0.2, max=86_400, help=f"Of each run: {LONG_S:g} by default.")
    ] = None,
    late_ms: Annotated[
        float, typer.Option(min=0.1, max=1e6, metavar="MS", help="An item is late from this latency on.")
    ] = 50.0,
    trace: Annotated[
        Path | None,
        typer.Option(metavar="FILE", exists=True, dir_okay=False, help="The load of the scenario trace."),
    ] = None,
    repeat: Annotated[
        int | None, typer.Option(min=1, help=f"Runs of each, in turn: {REPEATS} by default.")
    ] = None,
    pin: Annotated[str, typer.Option(metavar="CPUS", help="Processors they may use: 0,2 or 0-3.")] = "",
    quick: Annotated[
        bool, typer.Option("--quick", help="Short runs, few replicas: to see that everything works.")
    ] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", callback=file_to_write, help="The page, HTML.")
    ] = PAGE,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", callback=file_to_write, help="Also write all runs here."),
    ] = None,
    list_only: Annotated[bool, typer.Option("--list", help="Name the scenarios and stop.")] = False,
) -> None:
    """Run loads that change with every fixed setting and every planner, and make a report."""
    if list_only:
        for name, says in SAYS.items():
            console.print(f"[bold]{name:<12}[/]{escape(says)}")
        return
    length = seconds or (QUICK_S if quick else LONG_S)
    if policy and ranks:
        raise Failed("--policy and --ranks exclude each other: over MPI each replica of a rank has a thread")
    scale = Scale(length, work_us)
    found = chosen(scenarios or [], scale, traces_of(scenarios or [], trace))
    wanted = Asked(most or (QUICK_MOST if quick else MOST), goal, adapt_every)
    for option, values in (
        ("--planner", planner or []),
        ("--goal", [goal]),
        ("--adapt-every", [adapt_every]),
    ):
        check_words(option, values)
    processors = tuple(sorted(parse_processors(pin))) if pin else ()
    for file in filter(None, (output, json_file)):
        file.parent.mkdir(parents=True, exist_ok=True)
        check_writable(file)
    write_traces([one.name for one in found], scale)
    policies = ONE_POLICY_OF_RANKS if ranks else policy or ""
    bench = Bench(program(ranks or 0), policies or POLICIES[0], wanted, late_ms, processors, ranks or 0)
    planners = chosen_planners(planner or [], planners_of(bench.program))
    all_found = [(one, ways_of(one, wanted.most, planners, policies)) for one in found]
    repeats = repeat or (QUICK_REPEATS if quick else REPEATS)
    with bar("study") as progress:
        tried = in_turn(bench, all_found, repeats, progress.advance_to)
    summaries = [summary_of(one, tried[one.name]) for one in found]
    for summary in summaries:
        for table in tables_of(summary):
            print_table(table)
    on_ranks = f" on {ranks} ranks" if ranks else ""
    of_all = (
        f"{repeats} run{'s' * (repeats != 1)} of each, in turn; policy {bench.policy}{on_ranks}; "
        f"goal {goal}, a window of {adapt_every}; at most {wanted.most} replicas; "
        f"{work_us:g} µs of work for an item, which is late after {late_ms:g} ms."
    )
    write_text(output, page(of_all, [(one, tried[one.scenario.name]) for one in summaries]))
    console.print(f"wrote {output}", markup=False, soft_wrap=True)
    if json_file:
        write_text(json_file, as_json(plain(of_all, summaries, tried)))
        console.print(f"wrote {json_file}", markup=False, soft_wrap=True)


def traces_of(names: Sequence[str], trace: Path | None) -> dict[str, Path]:
    """The files of scenarios whose loads are files, if they are there or will be written."""
    files = {name: FOLDER / f"{name}.trace" for name in COUNTS if name in names}
    return {**files, "trace": trace.absolute()} if trace else files


def write_traces(names: Sequence[str], scale: Scale) -> None:
    """Writes those that come from packages."""
    for name in COUNTS:
        if name in names:
            low, high = (of * 1e6 / scale.work_us for of in (LOW, HIGH))
            write_trace(name, traces_of([name], None)[name], SAYS[name], scale.seconds, low, high)


def chosen_planners(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """The planners that are asked for; without any name all. Raises Failed for one that there is not."""
    if not names:
        return list(known)
    wanted = [name for name in names if name != NONE]
    # What follows a colon is for the planner.
    if unknown := [name for name in wanted if name.partition(":")[0] not in {*known, *bases(known)}]:
        raise Failed(
            f"there is no planner {unknown[0]}", remedy=f"one of {', '.join(known)}, or {NONE} for none"
        )
    return wanted


def bases(names: Sequence[str]) -> list[str]:
    """Names without what follows a colon."""
    return [name.partition(":")[0] for name in names]


def plain(of_all: str, summaries: Sequence[Summary], tried: dict[str, list[Tried]]) -> dict[str, Any]:
    """All that was measured, as JSON has it."""
    return {
        "asked": of_all,
        "scenarios": [
            {
                "scenario": asdict(one.scenario),
                "enough": one.enough,
                "rows": [asdict(row) for row in one.rows],
                "changes": [asdict(cost) for cost in one.changes],
                "loops": [asdict(cost) for cost in one.loops],
                "runs": {way.way.name: list(map(asdict, way.runs)) for way in tried[one.scenario.name]},
            }
            for one in summaries
        ],
    }
