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

from thalweg_cli import mpi
from thalweg_cli.process import finish, parse_command
from thalweg_cli.terminal import Failed, console, print_table

Plan = dict[str, Any]
"""A plan, as the library writes it in JSON."""

TRAVELS = {"no": "stay where they are", "partly": "may go to another rank", "yes": "go to another rank"}


def plan(
    program: Annotated[
        Path, typer.Argument(help="A program that runs a job under thalweg::mpi.", exists=True)
    ],
    arguments: Annotated[list[str] | None, typer.Argument(help="Its own arguments, behind --.")] = None,
    nprocs: Annotated[
        int | None, typer.Option("--nprocs", "-n", help="For so many processes.", min=1, max=1 << 20)
    ] = None,
    hosts: Annotated[
        str, typer.Option(metavar="HOST[:N],...|FILE", help="On these hosts, with so many processes each.")
    ] = "",
    cores: Annotated[
        int | None,
        typer.Option(help="That each host has; without it, as many as this one.", min=1, max=1 << 20),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="A saved report (to_json): what the stages have cost.", exists=True)
    ] = None,
    measure: Annotated[
        float,
        typer.Option(metavar="S", help="Run it in one process for so many seconds to learn that.", min=0),
    ] = 0,
    launcher: Annotated[
        str,
        typer.Option(metavar="COMMAND", help='Ask processes that it starts: "mpiexec --hostfile f -n 8".'),
    ] = "",
) -> None:
    """Print which processes and hosts would execute which stages, and what would travel between them."""
    if launcher and (nprocs or hosts or cores):
        raise Failed(
            "--launcher starts processes: --nprocs, --hosts and --cores are for those that are made up"
        )
    if measure and report:
        raise Failed("--measure and --report: costs come from one of them")
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
        show(json.loads(ask(program, command, variables, wanted)))


def ask(program: Path, command: Sequence[str], variables: Mapping[str, str], answer: Path) -> str:
    """Starts the program with these variables; gives the text that it writes into the file `answer`."""
    done = finish(command, variables={**mpi.variables(), **variables})
    if done.out:
        console.print(done.out.rstrip("\n"), markup=False, highlight=False)
    if answer.exists() and (problems := problems_in(answer)):
        raise Failed(f"{program} cannot run its job: {problems}")
    if done.code != 0:
        # What nobody has caught is told by the runtime of C++, in front of all that follows an abort.
        uncaught = re.search(r"^\s*what\(\):\s*(.+(?:\n\s+- .+)*)$", done.errors, re.MULTILINE)
        cause = uncaught[1] if uncaught else done.cause(program.name)
        raise Failed(f"{program} did not get as far as its plan: {cause}")
    if not answer.exists():
        raise Failed(
            "the program has ended without running a job under thalweg::mpi",
            output=done.errors,
            remedy="if it chooses its policy by an argument, give that behind --",
        )
    return answer.read_text(encoding="utf-8")


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
    print_table(stage_table(found))
    for way in found["ways"]:
        text = f"  {way['from']} -> {way['to']}: {way['items']}, which {TRAVELS[way['travels']]}"
        console.print(text, markup=False)
    if pace := found["seconds_per_item"]:
        console.print(f"By these costs the source can give at most {1 / pace:,.0f} items a second.")


def count_of(number: int, what: str) -> str:
    """`1 host`, `2 hosts`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


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
            row.append(f"{stage['seconds_per_item'] * 1e6:,.3f} µs")
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
