"""`./thalweg plan`: which processes of a program over MPI would execute what, without running it."""

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from thalweg_cli.base.files import check_writable, write
from thalweg_cli.base.process import finish, parse_command, signal_name
from thalweg_cli.base.terminal import Failed, console, print_table
from thalweg_cli.run import mpi

Plan = dict[str, Any]
"""A plan, as the library writes it in JSON."""

LAST_LINES = 8
"""Of what a program that fails says: the first ones are often about something else."""

TRAVELS = {"no": "stay where they are", "partly": "may go to another rank", "yes": "go to another rank"}


def plan(
    program: Annotated[
        Path, typer.Argument(help="A program that runs a job under thalweg::mpi.", exists=True)
    ],
    arguments: Annotated[list[str] | None, typer.Argument(help="Its own arguments, after --.")] = None,
    nprocs: Annotated[
        int | None, typer.Option("--nprocs", "-n", help="For this many processes.", min=1, max=1 << 20)
    ] = None,
    hosts: Annotated[
        str, typer.Option(metavar="HOST[:N],...|FILE", help="On these hosts, with this many processes each.")
    ] = "",
    cores: Annotated[
        int | None,
        typer.Option(help="Cores of each host; by default as many as this one has.", min=1, max=1 << 20),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="A saved report (to_json): what the stages have cost.", exists=True)
    ] = None,
    measure: Annotated[
        float,
        typer.Option(
            metavar="S", help="First run it in one process for this many seconds to learn the costs.", min=0
        ),
    ] = 0,
    launcher: Annotated[
        str,
        typer.Option(metavar="COMMAND", help='Ask processes that it starts: "mpiexec --hostfile f -n 8".'),
    ] = "",
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Also write JSON.")] = None,
) -> None:
    """Print which processes and hosts would execute which stages, and what would travel between them."""
    if launcher and (nprocs or hosts or cores):
        raise Failed(
            "--launcher starts processes: --nprocs, --hosts and --cores describe ones that are not started"
        )
    if json_file:
        check_writable(json_file)
    if measure and report:
        raise Failed("--measure and --report: give only one of them")
    command = [*parse_command(launcher, "--launcher"), str(program.absolute()), *(arguments or [])]
    with tempfile.TemporaryDirectory(prefix="thalweg-plan-") as folder:
        if measure:
            report = Path(folder) / "report.json"
            ask(program, command, {"THALWEG_PROFILE": f"{measure}:{report}"}, report)
        wanted = Path(folder) / "plan.json"
        variables = {
            "THALWEG_PLAN": str(wanted),
            "THALWEG_PLAN_RANKS": str(nprocs) if nprocs else "",
            "THALWEG_PLAN_HOSTS": ",".join(map(str, mpi.named_hosts(hosts))) if hosts else "",
            "THALWEG_PLAN_CORES": str(cores) if cores else "",
        }
        if report is not None:
            variables["THALWEG_COSTS"] = str(report.absolute())
        text = ask(program, command, variables, wanted)
    show(json.loads(text))
    if json_file is not None:
        write(json_file, lambda file: file.write_text(text, encoding="utf-8"))


def ask(program: Path, command: Sequence[str], variables: Mapping[str, str], answer: Path) -> str:
    """Starts the program with these variables; gives the text that it writes into the file `answer`."""
    done = finish(command, variables={**mpi.variables(), **variables})
    if done.out:
        console.print(done.out.rstrip("\n"), markup=False, highlight=False)
    if answer.exists() and (problems := problems_in(answer)):
        raise Failed(f"{program} cannot run its job: {problems}")
    if done.code != 0:
        how = f"ended with code {done.code}" if done.code > 0 else f"was ended by {signal_name(-done.code)}"
        raise Failed(f"{program} {how} before its plan{last_words(done.errors)}")
    if not answer.exists():
        raise Failed(
            "the program has ended without running a job under thalweg::mpi",
            output=done.errors,
            remedy="if an argument chooses its policy, give that after --",
        )
    return answer.read_text(encoding="utf-8")


def last_words(errors: str) -> str:
    """What a program that failed has said in the end, behind a colon; empty if it said nothing."""
    # What nobody has caught is told by the runtime of C++, in front of all that follows an abort.
    if uncaught := re.search(r"^\s*what\(\):\s*(.+(?:\n\s+- .+)*)$", errors, re.MULTILINE):
        return f": {uncaught[1]}"
    lines = errors.strip().splitlines()[-LAST_LINES:]
    before = ":\n  " if len(lines) > 1 else ": "
    return before + "\n  ".join(lines) if lines else ""


def problems_in(answer: Path) -> str:
    """What the library says of a job that cannot be run; empty if it can."""
    try:
        told = json.loads(answer.read_text(encoding="utf-8"))
    except ValueError:
        return ""
    problems: list[str] = told.get("problems", []) if isinstance(told, dict) else []
    return "".join(f"\n  - {problem}" for problem in problems) if len(problems) > 1 else "".join(problems)


def show(found: Plan) -> None:
    """Prints a plan."""
    ranks = found["ranks"]
    on_hosts = [(host, [r["rank"] for r in those]) for host, those in groupby(by_host(ranks), key=host_of)]
    console.print(f"{count_of(len(ranks), 'rank')} on {count_of(len(on_hosts), 'host')}", markup=False)
    for host, those in on_hosts:
        workers = ", ".join(sorted({str(r["workers"]) for r in ranks if r["rank"] in those}))
        console.print(f"  {host}: {spans(those)}, workers of each: {workers}", markup=False)
    for line in waiting(found):
        console.print(f"  {line}", markup=False)
    print_table(stage_table(found))
    for way in found["ways"]:
        text = f"  {way['from']} -> {way['to']}: {way['items']}, which {TRAVELS[way['travels']]}"
        console.print(text, markup=False)
    if pace := found["seconds_per_item"]:
        most = f"at most {1 / pace:,.{0 if pace < 0.1 else 2}f} items a second"
        console.print(f"By these costs {most} get through: {limit(found)}.", markup=False)


def waiting(found: Plan) -> list[str]:
    """What executes nothing until replicas are given to it: ranks in reserve, and processes that may join."""
    waits = [rank["rank"] for rank in found["ranks"] if rank["in_reserve"]]
    farms = [stage["name"] for stage in found["stages"] if not set(waits).isdisjoint(stage["later"])]
    lines = []
    if waits:
        given = (
            f"may be given replicas of {', '.join(farms)}" if farms else "no stage can have replicas there"
        )
        lines.append(f"in reserve: {spans(waits)}; {given}")
    if joining := found["may_join"]:
        lines.append(f"{count_of(joining, 'process')} may join while it runs")
    return lines


def limit(found: Plan) -> str:
    """What lets no more items through: a stage, the workers of ranks where stages share them, or messages."""
    # As the library reckons, except for the last digits.
    enough = found["seconds_per_item"] * (1 - 1e-6)
    slowest = max(found["stages"], key=lambda stage: stage["seconds_per_item"] / stage["replicas"])
    work, replicas = slowest["seconds_per_item"], slowest["replicas"]
    if work / replicas >= enough:
        among = f", shared by {replicas} replicas" if replicas > 1 else ""
        what = "waiting" if slowest["blocking"] else "work"
        return f"{slowest['name']} limits them, with {time_text(work)} of {what} per item{among}"
    sending = [r["rank"] for r in found["ranks"] if r["travel_seconds_per_item"] >= enough]
    if sending:
        return (
            f"{plural(len(sending), 'rank')} {spans(sending)} cannot send and receive faster: "
            f"each item takes at least {time_text(found['seconds_per_item'])}"
        )
    load = dict.fromkeys((rank["rank"] for rank in found["ranks"]), 0.0)
    for stage in found["stages"]:
        if stage["blocking"]:
            continue  # it has separate threads
        for place in stage["places"]:
            load[place["rank"]] += stage["seconds_per_item"] * place["replicas"] / stage["replicas"]
    full = [r["rank"] for r in found["ranks"] if load[r["rank"]] / r["workers"] >= enough]
    those, whose = plural(len(full), "rank"), "their" if len(full) > 1 else "its"
    work = f"each of {whose} workers has {time_text(found['seconds_per_item'])} of work per item"
    return f"{those} {spans(full)} cannot work faster: {work}"


def time_text(seconds: float) -> str:
    """`25.00 ms`: in the largest unit of which it is at least one."""
    for unit, length in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= length:
            return f"{seconds / length:,.2f} {unit}"
    return f"{seconds * 1e9:.2f} ns"


def count_of(number: int, what: str) -> str:
    """`1 host`, `2 hosts`, `2 processes`."""
    return f"{number} {plural(number, what)}"


def plural(number: int, what: str) -> str:
    """The word for so many of them."""
    if number == 1:
        return what
    return f"{what}{'es' if what.endswith('s') else 's'}"


def stage_table(found: Plan) -> Table:
    """A row for each stage: where it is executed."""
    host = {r["rank"]: r["host"] for r in found["ranks"]}
    costs = bool(found["seconds_per_item"])
    table = Table()
    for heading in ("stage", "pattern", "replicas", "ranks", "hosts", *(["work per item"] if costs else [])):
        table.add_column(heading, justify="right" if heading in ("replicas", "work per item") else "left")
    for stage in found["stages"]:
        places = stage["places"]
        row = [
            stage["name"],
            stage["pattern"],
            str(stage["replicas"]) if stage["farm"] else "serial",
            ranks_text(places),
            ", ".join(dict.fromkeys(host[place["rank"]] for place in places)),
        ]
        if costs:
            row.append(time_text(stage["seconds_per_item"]))
        table.add_row(*map(escape, row))
    return table


def ranks_text(places: Sequence[Mapping[str, int]]) -> str:
    """`1-3 (2 each), 4 (1)`; without the numbers in brackets where each has one."""
    runs = [(n, [place["rank"] for place in those]) for n, those in groupby(places, lambda p: p["replicas"])]
    if all(n == 1 for n, _ in runs):
        return spans([rank for _, those in runs for rank in those])
    return ", ".join(f"{spans(those)} ({n}{' each' if len(those) > 1 else ''})" for n, those in runs)


def spans(numbers: Sequence[int]) -> str:
    """`0-2, 5` of rising numbers."""
    runs = groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    ends = [[number for _, number in run] for _, run in runs]
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in ends)


def by_host(ranks: Sequence[Plan]) -> list[Plan]:
    """The ranks so that those of one host follow each other, hosts in the order of their first ranks."""
    order = list(dict.fromkeys(map(host_of, ranks)))
    return sorted(ranks, key=lambda r: order.index(r["host"]))


def host_of(rank: Plan) -> str:
    """Where a rank is."""
    return str(rank["host"])
