"""`./thalweg exec`: builds benchmark programs, runs them on inputs, keeps and shows what was measured."""

import math
import shlex
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from thalweg_cli.base.files import check_writable, file_to_write, make_folder
from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.process import finish, parse_command, parse_processors
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.catalog.applications import inputs_in, make_input, tools_of
from thalweg_cli.catalog.programs import (
    PRESET,
    Applications,
    Benches,
    Interfaces,
    Program,
    check_selection,
    known_programs,
    select,
)
from thalweg_cli.catalog.user_benchmarks import UserFolder
from thalweg_cli.measure.measuring import Measuring, Plan, Rounds
from thalweg_cli.measure.recipe import MONITOR_MS, FrequencyRecipe, Pattern, patterns_of
from thalweg_cli.measure.sustainable_plan import Sustainable
from thalweg_cli.results.run_table import Shown
from thalweg_cli.results.store import LATEST, PREVIOUS, Store, default_file
from thalweg_cli.run import ranges
from thalweg_cli.run.adapting import asked, check_programs
from thalweg_cli.run.debugging import check_one, debug
from thalweg_cli.run.experiment import Conditions, Setting, WhenLate, ranks_of, settings
from thalweg_cli.run.mpi import hosts_of, launcher
from thalweg_cli.run.page import OPTION as PAGE_OPTION
from thalweg_cli.run.page import check_kept, show, with_page
from thalweg_cli.run.runs import Series, command_of
from thalweg_cli.user.build import build_all

WHOLE, REAL = "N|A:B|A:STEP:B", "N|A:STEP:B"

A_DAY_S = 86_400.0


def execute(
    inputs: Annotated[
        list[str],
        typer.Option(
            "--input",
            metavar="CLASS|FILE|ADDRESS",
            help="test, small, ..., huge, a file, or the address to wait at for a feed: tcp://HOST:PORT, "
            "kafka://BROKER/TOPIC; A,B: one for each source of a program; repeatable.",
        ),
    ],
    bench: Benches = None,
    app: Applications = None,
    ppi: Interfaces = None,
    nthreads: Annotated[str, typer.Option(metavar=WHOLE, help="Threads; 1:2:8 means 1, 2, 4, 6, 8.")] = "1",
    nprocs: Annotated[
        str | None, typer.Option(metavar=WHOLE, help="Ranks of programs over MPI; 1 by default.")
    ] = None,
    hosts: Annotated[
        str, typer.Option(metavar="HOST[:N],...|FILE", help="Where these ranks run; this machine first.")
    ] = "",
    batch: Annotated[str | None, typer.Option(metavar=WHOLE, help="Elements of an item.")] = None,
    batch_bytes: Annotated[
        str | None, typer.Option(metavar=WHOLE, help="Close an item when it has this many bytes.")
    ] = None,
    batch_interval: Annotated[
        str | None,
        typer.Option(metavar=REAL, help="Close an item this many seconds after its first element."),
    ] = None,
    frequency: Annotated[
        str | None, typer.Option(metavar=REAL, help="Elements a second at the source.")
    ] = None,
    freq_pattern: Annotated[
        str,
        typer.Option(
            metavar="PATTERN,PERIOD,MIN,MAX",
            help="A frequency that changes: wave, binary, spike, ...; the programs' -help has all.",
        ),
    ] = "",
    freq_recipe: Annotated[
        list[Pattern] | None,
        typer.Option(
            metavar="[PATTERN ...]",
            help="Measure throughput without a frequency, then run patterns from 10 to 110 % of it: "
            "wave, binary, increasing, decreasing, spike, or all.",
        ),
    ] = None,
    find_sustainable: Annotated[
        bool,
        typer.Option(
            "--find-sustainable", help="Search for the highest rate at which latency stays bounded."
        ),
    ] = False,
    latency_bound: Annotated[
        float | None,
        typer.Option(
            min=0.001, max=1e9, metavar="MS", help="The bound of p99; by default ten times p99 at low load."
        ),
    ] = None,
    when_late: Annotated[
        WhenLate, typer.Option(help="What happens to elements that are due while the stream is busy.")
    ] = WhenLate.CATCH_UP,
    adapt: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLANNER",
            help="Have programs of Thalweg adapt themselves by this planner; none: without; repeatable.",
        ),
    ] = None,
    goal: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GOAL",
            help="With --adapt: throughput, keep_up (the default), latency:0.99:20ms, utilisation:0.8.",
        ),
    ] = None,
    adapt_every: Annotated[
        str, typer.Option(metavar="TIME", help="How often --adapt looks, such as 250ms; 100ms by default.")
    ] = "",
    in_memory: Annotated[bool, typer.Option("--in-memory", help="Read all input before the stream.")] = False,
    user_arg: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT|WORD,...|A:B|A:STEP:B", help="An argument for the programs; repeatable."),
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Runs of each, in turn with the others.")] = 1,
    warm_up: Annotated[int, typer.Option(min=0, help="Warm-up runs of each, which do not count.")] = 0,
    verify: Annotated[bool, typer.Option("--verify", help="Check every output.")] = False,
    latency: Annotated[bool, typer.Option("--latency", help="Measure from source to sink.")] = False,
    throughput: Annotated[bool, typer.Option("--throughput", help="Show elements a second.")] = False,
    memory_usage: Annotated[
        bool, typer.Option("--memory-usage", help="Show peak memory and processor time.")
    ] = False,
    monitor: Annotated[
        int,
        typer.Option(
            min=0, max=3_600_000, metavar="MS", help="Take samples at this interval, and keep them."
        ),
    ] = 0,
    executor: Annotated[str, typer.Option(help='A command that runs the programs: "perf stat".')] = "",
    pin: Annotated[str, typer.Option(metavar="CPUS", help="Processors they may use: 0,2 or 0-3.")] = "",
    timeout: Annotated[
        float, typer.Option(min=0, max=30 * A_DAY_S, metavar="S", help="End a run after this; 0: never.")
    ] = 3600.0,
    debug_one: Annotated[
        bool,
        typer.Option("--debug", help="Run one program under gdb (or the --executor), and keep nothing."),
    ] = False,
    live: Annotated[
        bool,
        typer.Option("--live", help="Run one program of Thalweg with its page in the browser; keep nothing."),
    ] = False,
    label: Annotated[str, typer.Option(help="A name for this set of runs.")] = "",
    store: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep the runs here, not in the user's data folder.")
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", callback=file_to_write, help="Also write all runs here."),
    ] = None,
    latency_log: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Keep the latency of each item of each run there, as CSV."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the commands that would run the programs, and run none.")
    ] = False,
    show_output: Annotated[bool, typer.Option("--print", help="Show what the programs print.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show nothing but failures.")] = False,
    folder: UserFolder = None,
) -> None:
    """Run benchmark programs on inputs, keep what was measured, and show means and standard deviations."""
    check_selection(bench, app, ppi)
    check_pace(
        {
            "--frequency": frequency,
            "--freq-pattern": freq_pattern,
            "--freq-recipe": freq_recipe,
            "--find-sustainable": find_sustainable,
        }
    )
    if latency_bound and not find_sustainable:
        raise Failed("--latency-bound works only with --find-sustainable")
    conditions = Conditions(
        verify,
        latency or find_sustainable or bool(freq_recipe or latency_log),
        in_memory,
        monitor or (MONITOR_MS if freq_recipe else 0),
        parse_command(executor, "--executor"),
        tuple(sorted(parse_processors(pin))) if pin else (),
        timeout,
        show_output,
        when_late.value,
        hosts_of(hosts) if hosts else (),
        latency_log.absolute() if latency_log else None,
    )
    degrees = ranges.NTHREADS.whole_values(nthreads)
    ranks = ranges.NPROCS.whole_values(nprocs or "1")
    varied: dict[str, list[Any]] = {
        "batch": values_of(ranges.BATCH, batch),
        "batch_bytes": values_of(ranges.BATCH_BYTES, batch_bytes),
        "batch_interval": values_of(ranges.BATCH_INTERVAL, batch_interval),
        "frequency": values_of(ranges.FREQUENCY, frequency),
        "user_args": ranges.arguments_of(user_arg or []),
        "adapt": asked(adapt or [], goal or [], adapt_every),
    }
    names = list(dict.fromkeys(inputs))
    given: list[list[Any]] = [degrees, ranks, names, *varied.values()]
    foreground = debug if debug_one else show if live else None
    if foreground:
        check_one(math.prod(map(len, given)), PAGE_OPTION if live else "--debug")
    check_kept(
        {
            "--debug": debug_one,
            "--dry-run": dry_run,
            "--freq-recipe": freq_recipe,
            "--find-sustainable": find_sustainable,
            "--repeat": repeat > 1,
            "--warm-up": warm_up,
            "--monitor": monitor,
            "--latency-log": latency_log,
            "--label": label,
            "--store": store,
            "--json": json_file,
        },
        live=live,
    )
    check_label(label)
    check_files(json_file, latency_log)
    left_out: list[str] = []

    def prepared(*, to_run: bool = True) -> list[Setting]:
        chosen = select(known_programs(folder), bench or [], app or [], ppi or [])
        check_ranks(chosen, {"--nprocs": nprocs, "--hosts": hosts})
        check_programs(chosen, varied["adapt"])
        chosen = with_enough_ranks(chosen, ranks)
        if foreground:
            chosen = [with_page(chosen) if live else for_debugger(chosen, folder)]
        programs = make_ready(chosen, inputs, quiet=quiet) if to_run else chosen
        left_out.extend(program.name for program in chosen if program not in programs)
        return settings(programs, names, degrees, freq_pattern=freq_pattern, nprocs=ranks, **varied)

    if foreground:
        raise typer.Exit(foreground(prepared(), conditions))
    if dry_run:
        print_commands(prepared(to_run=False), conditions)
        return
    with closing(Store(store or default_file(), make=True)) as kept:
        found = prepared()
        check_pattern(found[0])
        plan: Plan = Rounds([Series(setting) for setting in found], repeat, warm_up)
        if freq_recipe:
            plan = FrequencyRecipe(found, patterns_of(freq_recipe), repeat, warm_up)
        elif find_sustainable:
            plan = Sustainable(found, repeat, warm_up, latency_bound)
        shown = Shown(throughput, conditions.latency, memory_usage, verify)
        Measuring(plan, conditions, shown, quiet=quiet, json_file=json_file).keep_in(kept, label)
    if left_out or any(row.error for row in plan.rows):
        raise typer.Exit(1)


def print_commands(found: Sequence[Setting], conditions: Conditions) -> None:
    """Prints the commands that would run programs, a line each, for a shell."""
    for setting in found:
        console.print(shlex.join(command_of(setting, conditions)), markup=False)


def check_files(json_file: Path | None, latency_log: Path | None) -> None:
    """Raises Failed if what a user wants to have written cannot be; makes the folder."""
    if json_file:
        check_writable(json_file)
    if latency_log:
        make_folder(latency_log)


def values_of(kind: ranges.Range, text: str | None) -> list[Any]:
    """The values of an option that takes a range; without it, that which programs have by themselves."""
    return [None] if text is None else list(kind.values(text))


def for_debugger(programs: Sequence[Program], folder: Path | None) -> Program:
    """The one program of these, as it is built for a debugger. Raises Failed if there are several."""
    check_one(len(programs))
    name = programs[0].name
    return select(known_programs(folder, name), [name], [], [])[0]


def check_pace(given: Mapping[str, object]) -> None:
    """Raises Failed if more than one option sets the pace."""
    wanted = [name for name, value in given.items() if value]
    if len(wanted) > 1:
        both = " and ".join(wanted)
        raise Failed(f"{both}: only one of them can set the pace")


def check_ranks(programs: Sequence[Program], given: Mapping[str, object]) -> None:
    """Raises Failed if an option is for programs over MPI and none of these is, or if none could start."""
    if any(program.is_over_mpi for program in programs):
        launcher()
    elif wanted := [name for name, value in given.items() if value]:
        names = ", ".join(program.name for program in programs[:3]) + (", ..." if len(programs) > 3 else "")
        raise Failed(
            f"{' and '.join(wanted)}: {names} {'is' if len(programs) == 1 else 'are'} not over MPI",
            remedy="--ppi mpi chooses those that are",
        )


def with_enough_ranks(programs: Sequence[Program], nprocs: Sequence[int]) -> list[Program]:
    """Those that some number of ranks is enough for; says with which ranks others are left out.

    Raises Failed if there is none.
    """
    found = []
    for program in programs:
        enough = ranks_of(program, nprocs) if program.is_over_mpi else list(nprocs)
        found += [program] if enough else []
        if len(enough) < len(nprocs):
            few = ", ".join(str(ranks) for ranks in nprocs if ranks not in enough)
            what = f"left out: {program.name} with {few} ranks: it needs {program.fewest_ranks}"
            console.print(what, style="dim", markup=False)
    if not found:
        raise Failed("there are too few ranks for every program", remedy="--nprocs asks for more")
    return found


def check_pattern(setting: Setting) -> None:
    """Raises Failed if programs do not take the pattern of a setting, if it has one: one of them is asked.

    All of them would say so, each time that it is run.
    """
    if not setting.freq_pattern:
        return
    place = build_folder(PRESET) / setting.program.executable
    done = finish([str(place), *setting.options(), "-help"])
    if done.code != 0:
        said = done.cause(setting.program.name).removeprefix("-freq-patt: ")
        raise Failed(f"--freq-pattern {setting.freq_pattern}: {said}")


def check_label(label: str) -> None:
    """Raises Failed if it would stand for other sets."""
    if label in (LATEST, PREVIOUS) or label.isdecimal():
        raise Failed(f"--label {label}: numbers, {LATEST} and {PREVIOUS} already mean other sets")


def make_ready(programs: Sequence[Program], inputs: Sequence[str], *, quiet: bool = False) -> list[Program]:
    """Builds programs, and makes their inputs. Returns those that could be built."""
    applications = sorted({program.application for program in programs})
    built = build_all(programs, *tools_of(applications))
    for application in applications:
        for name in dict.fromkeys(one for text in inputs for one in inputs_in(text)):
            make_input(application, name, quiet=quiet)
    return built
