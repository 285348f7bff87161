"""Sets of runs as other programs read them: JSON with all that is kept, CSV with a line for each run."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from thalweg_cli.base.files import as_csv, as_json, write_text
from thalweg_cli.results.store_rows import RunSet, row_of
from thalweg_cli.run.experiment import Conditions
from thalweg_cli.run.metrics import METRICS
from thalweg_cli.run.mpi import Host
from thalweg_cli.run.runs import Run

Kept = tuple[RunSet, list[Run]]
"""A set with its runs."""

IN_LINES = (
    "program",
    "application",
    "interface",
    "composition",
    "input",
    "nprocs",
    "nthreads",
    "threads",
    "batch",
    "batch_bytes",
    "batch_interval",
    "frequency",
    "freq_pattern",
    "user_args",
    "adapt",
    "purpose",
    "judged",
    "number",
    "warm_up",
    "ended",
    "verified",
    "error",
)


def conditions_of(one: RunSet) -> Conditions:
    """The conditions of a set; those that a later version of this program would add are left out."""
    known = {field.name for field in fields(Conditions)}
    plain = {name: value for name, value in one.conditions.items() if name in known}
    for name in ("executor", "pin"):
        plain[name] = tuple(plain.get(name, ()))
    plain["hosts"] = tuple(map(Host.read, plain.get("hosts", ())))
    plain["latency_log"] = Path(plain["latency_log"]) if plain.get("latency_log") else None
    return Conditions(**plain)


def plain(sets: Iterable[Kept]) -> list[dict[str, Any]]:
    """Sets with their runs, as JSON has them."""
    return [{**asdict(one), "runs": [row_of(run) for run in runs]} for one, runs in sets]


def headings() -> list[str]:
    """What stands in a line; a metric's heading has its unit."""
    return ["set", "label", *IN_LINES, *(f"{metric.name} ({metric.unit})" for metric in METRICS.values())]


def lines(sets: Iterable[Kept]) -> Iterator[list[object]]:
    """A line for each run: its set, its setting, and its metrics; None is what it does not have."""
    for one, runs in sets:
        for run in runs:
            row = row_of(run)
            measured = [metric.told(run) for metric in METRICS.values()]
            yield [one.id, one.label, *(row[name] for name in IN_LINES), *measured]


def write_json(file: Path, sets: Iterable[Kept]) -> None:
    """Writes sets as JSON."""
    write_text(file, as_json(plain(sets)))


def write_csv(file: Path, sets: Iterable[Kept]) -> None:
    """Writes runs as CSV."""
    write_text(file, as_csv(headings(), lines(sets)))
