"""What a report shows: the settings of sets, each with what its runs came to."""

import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from thalweg_cli.catalog.programs import SEQUENTIAL
from thalweg_cli.report.samples import rounded, samples
from thalweg_cli.results.export import Kept, conditions_of
from thalweg_cli.results.store_rows import RunSet
from thalweg_cli.results.sustainable_table import bounded_in, points_of, remark
from thalweg_cli.run import adapting
from thalweg_cli.run.experiment import CATCH_UP, SEARCH, SUSTAINABLE, Conditions
from thalweg_cli.run.metrics import METRICS, THROUGHPUT, Metric, is_told
from thalweg_cli.run.runs import Run, Series, in_series
from thalweg_cli.run.sustainable import Found, found_among, key_of

QUANTILE = re.compile(r"p(\d+(?:[._]\d+)?)_ms")
"""Keys of quantiles of the latency, in per cent: `p99_ms`, `p99_9_ms` or `p99.9_ms`."""

SPEED_UP = Metric(
    "speed-up",
    "speed-up",
    "",
    (),
    more="faster",
    less="slower",
    more_is_better=True,
    words="Speed-up over the sequential program",
)
EFFICIENCY = Metric(
    "efficiency",
    "efficiency",
    "%",
    (),
    100,
    more_is_better=True,
    words="Efficiency: speed-up for each thread asked for",
)
SHOWN = {**METRICS, SPEED_UP.name: SPEED_UP, EFFICIENCY.name: EFFICIENCY}
"""What a report has beside the metrics of runs: these two need another program's runs, too."""


class Values(StrEnum):
    """What is shown of several runs."""

    MEDIANS = "medians"
    MEANS = "means"


@dataclass(frozen=True)
class Bar:
    """What stands for some runs, and from where to where its bar goes."""

    at: float
    low: float
    high: float


@dataclass(frozen=True)
class Spread:
    """Values of runs: their median, the lowest, the highest, how many; their mean and standard deviation."""

    median: float
    low: float
    high: float
    count: int
    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread | None":
        """What values come to; None if there are none."""
        if not values:
            return None
        deviation = statistics.stdev(values) if len(values) > 1 else 0.0
        mean = statistics.fmean(values)
        return cls(statistics.median(values), min(values), max(values), len(values), mean, deviation)

    def shown(self, values: Values) -> Bar:
        """The median, from the lowest to the highest; or the mean, with the standard deviation around it."""
        if values is Values.MEDIANS:
            return Bar(self.median, self.low, self.high)
        return Bar(self.mean, self.mean - self.deviation, self.mean + self.deviation)


@dataclass(frozen=True)
class Row:
    """A setting of a set, with its runs.

    `sequential` is the throughput of the sequential program with the same input and load; None without one.
    `naming`: the places of those of its arguments that are a part of its name.
    """

    of: RunSet
    conditions: Conditions
    series: Series
    sequential: float | None = None
    naming: tuple[int, ...] = ()

    @property
    def interface(self) -> str:
        """What its program is written with."""
        return self.series.setting.program.interface

    @property
    def program(self) -> str:
        """The name of its program."""
        return self.series.setting.program.name

    @property
    def application(self) -> str:
        """What its program does."""
        return self.series.setting.program.application

    @property
    def composition(self) -> str:
        """How its program is composed."""
        return self.series.setting.program.composition

    @property
    def words(self) -> list[str]:
        """Its arguments that are a part of its name."""
        return [self.user_args[place] for place in self.naming]

    @property
    def planner(self) -> list[str]:
        """What it adapts itself by, and for which goal: a part of its name, too, if there is one."""
        return [adapting.named(self.series.setting.adapt)] if self.series.setting.adapt else []

    @property
    def look(self) -> str:
        """What gives it its color and its mark: its interface, the words of its name, and its planner."""
        return ", ".join((self.interface, *self.words, *self.planner))

    @property
    def way(self) -> str:
        """Interface, composition, words of its name, planner; how many threads a rank has, if several."""
        setting = self.series.setting
        parts = [f"{self.interface} {self.composition}".rstrip(), *self.words, *self.planner]
        parts += [f"{setting.nthreads} threads a rank"] if setting.nprocs and setting.nthreads > 1 else []
        return ", ".join(parts)

    @property
    def load(self) -> str:
        """What else is given: batches, frequency, and what holds for all runs of the set."""
        others = tuple(text for place, text in enumerate(self.user_args) if place not in self.naming)
        given = replace(self.series.setting, user_args=others, adapt="").given
        return ", ".join(filter(None, (given, held(self.conditions))))

    def along(self, place: int | None) -> "Row":
        """The same where the argument of this place stands on the axis."""
        return replace(self, naming=tuple(one for one in self.naming if one != place))

    @property
    def is_point(self) -> bool:
        """Whether it is a point on the way to a sustainable rate, which says nothing by itself."""
        return self.series.setting.purpose == SEARCH

    @property
    def is_as_fast_as_it_can(self) -> bool:
        """Whether nothing but the program sets its pace."""
        setting = self.series.setting
        return not (setting.frequency or setting.freq_pattern or setting.purpose in (SEARCH, SUSTAINABLE))

    @property
    def case(self) -> tuple[str, str, str]:
        """What must be the same for interfaces to be compared: application, input, load."""
        return self.application, self.series.setting.input, self.load

    @property
    def case_name(self) -> str:
        """The case in words."""
        return ", ".join(filter(None, self.case))

    @property
    def failed(self) -> list[Run]:
        """The runs that failed."""
        return [run for run in self.series.runs if run.error]

    @property
    def verified(self) -> str:
        """What is known of the outputs of the runs that count."""
        checked = [run.verified for run in self.series.good]
        if any(run.verified is False for run in self.series.runs):
            return "wrong"
        if checked and all(checked):
            return "good"
        return "in part" if any(checked) else "not checked"

    @property
    def user_args(self) -> tuple[str, ...]:
        """The arguments that its program alone understands."""
        return self.series.setting.user_args

    def values(self, metric: Metric) -> list[float]:
        """The values of the runs that count, as they may be shown."""
        if metric not in (SPEED_UP, EFFICIENCY):
            return metric.values(self.series)
        threads = self.series.setting.degree if metric is EFFICIENCY else 1
        base = (self.sequential or 0) * threads
        return [metric.factor * value / base for value in self.values(THROUGHPUT)] if base else []

    def spread(self, metric: Metric) -> Spread | None:
        """What the runs that count came to."""
        return Spread.of(self.values(metric))

    def quantiles(self) -> dict[float, Spread]:
        """Quantiles of the latency in ms, by per cent."""
        found: dict[float, list[float]] = {}
        for run in self.series.good:
            for key, value in (run.result.get("latency") or {}).items():
                if (name := QUANTILE.fullmatch(key)) and value is not None:
                    percent = float(name[1].replace("_", "."))
                    if is_told(run.result, percent):
                        found.setdefault(percent, []).append(float(value))
        return {percent: spread for percent in sorted(found) if (spread := Spread.of(found[percent]))}

    def operators(self) -> dict[str, Spread]:
        """The mean latency of each operator in ms, in the order of the stream."""
        found: dict[str, list[float]] = {}
        for run in self.series.good:
            for one in run.result.get("operators") or []:
                if one["time"].get("count"):
                    found.setdefault(one["name"], []).append(float(one["time"]["mean_ms"]))
        return {name: spread for name, values in found.items() if (spread := Spread.of(values))}

    def sampled(self) -> Run | None:
        """Of the runs that were monitored, the one with the median throughput."""
        runs = [run for run in self.series.good if run.result.get("samples")]
        runs.sort(key=lambda run: THROUGHPUT.of(run) or 0)
        return runs[(len(runs) - 1) // 2] if runs else None


def held(conditions: Conditions) -> str:
    """What holds for all runs of a set and changes what they measure."""
    parts = ["in memory" if conditions.in_memory else ""]
    parts += [f"when late: {conditions.when_late}" if conditions.when_late != CATCH_UP else ""]
    parts += [f"on processors {' '.join(map(str, conditions.pin))}" if conditions.pin else ""]
    parts += [f"run by {' '.join(conditions.executor)}" if conditions.executor else ""]
    return ", ".join(filter(None, parts))


def rows_of(kept: Iterable[Kept]) -> list[Row]:
    """The settings of all sets; a rate that was found to be sustainable is one more."""
    rows = []
    for one, runs in kept:
        of_set = [Row(one, conditions_of(one), series) for series in in_series(runs)]
        rows += [*of_set, *answers(of_set)]
    rows = named(rows)
    base = {
        (row.of.id, row.case): spread.median
        for row in rows
        if row.interface == SEQUENTIAL and row.is_as_fast_as_it_can and (spread := row.spread(THROUGHPUT))
    }
    return [
        replace(row, sequential=base.get((row.of.id, row.case))) if row.is_as_fast_as_it_can else row
        for row in rows
    ]


def named(rows: Sequence[Row]) -> list[Row]:
    """Rows with what names them: the words among their arguments by which those of a program differ."""
    given: dict[tuple[str, int], set[float | str]] = {}
    for row in rows:
        for place, text in enumerate(row.user_args):
            given.setdefault((row.program, place), set()).add(number_or_word(text))
    words = {key for key, found in given.items() if len(found) > 1 and {*map(type, found)} == {str}}
    places = [[place for place in range(len(row.user_args)) if (row.program, place) in words] for row in rows]
    return [replace(row, naming=tuple(naming)) for row, naming in zip(rows, places, strict=True)]


def number_or_word(text: str) -> float | str:
    """An argument of a user: its number, if it is one."""
    try:
        return float(text)
    except ValueError:
        return text


def answers(rows: Sequence[Row]) -> list[Row]:
    """Of the points of a set those that are the answers, as settings of their own."""
    rates = {tuple(key_of(found.setting).values()): found.rate for _, found in searches(rows)}
    return [
        replace(row, series=Series(replace(row.series.setting, purpose=SUSTAINABLE), row.series.runs))
        for row in rows
        if row.is_point
        and row.series.setting.frequency is not None
        and rates.get(tuple(key_of(row.series.setting).values())) == row.series.setting.frequency
    ]


def searches(rows: Sequence[Row]) -> list[tuple[RunSet, Found]]:
    """What was found in the sets that rows are of, about those of their settings that are among the rows."""
    sets = {row.of.id: row.of for row in rows}
    return [
        (one, found)
        for one in sets.values()
        for found in found_among(one.findings, [row.series.setting for row in rows if row.of.id == one.id])
    ]


def shown_metrics(rows: Sequence[Row]) -> list[Metric]:
    """The metrics that a row has."""
    return [metric for metric in SHOWN.values() if any(row.values(metric) for row in rows)]


def plain_row(row: Row, most_samples: int) -> dict[str, Any]:
    """A row as the page has it."""
    setting = row.series.setting
    spreads = {name: row.spread(metric) for name, metric in SHOWN.items()}
    return {
        "set": row.of.id,
        "application": row.application,
        "input": setting.input,
        "interface": row.interface,
        "composition": row.composition,
        "program": row.program,
        "way": row.way,
        "look": row.look,
        "sequential": row.interface == SEQUENTIAL,
        "nprocs": setting.nprocs,
        "nthreads": setting.nthreads,
        "degree": setting.degree,
        "threads": row.series.threads,
        "batch": setting.batch,
        "batch_bytes": setting.batch_bytes,
        "batch_interval": setting.batch_interval,
        "frequency": setting.frequency if setting.purpose != SUSTAINABLE else None,
        "freq_pattern": setting.freq_pattern,
        "purpose": setting.purpose,
        "user_args": " ".join(setting.user_args),
        "adapt": setting.adapt,
        "held": ", ".join(filter(None, (pace_of(row), held(row.conditions)))),
        "runs": len(row.series.good),
        "failed": len(row.failed),
        "verified": row.verified,
        "error": row.series.error,
        "values": {name: plain_spread(spread) for name, spread in spreads.items() if spread},
        "quantiles": [[percent, *plain_spread(spread)] for percent, spread in row.quantiles().items()],
        "operators": [[name, *plain_spread(spread)] for name, spread in row.operators().items()],
        "samples": samples(row.sampled(), most_samples),
    }


def plain_spread(spread: Spread) -> list[float]:
    """Median, lowest, highest, how many values there are, mean and standard deviation."""
    told = map(rounded, (spread.median, spread.low, spread.high))
    return [*told, spread.count, rounded(spread.mean), rounded(spread.deviation)]


def monitored(rows: Sequence[Row]) -> int:
    """Of how many rows there are samples."""
    return sum(row.sampled() is not None for row in rows)


def pace_of(row: Row) -> str:
    """How elements come, unless that is a number of its own."""
    setting = row.series.setting
    return "at its sustainable rate" if setting.purpose == SUSTAINABLE else setting.pace


CURVES = ("p99", "p95", "p50", "latency")
"""Latencies over the rate, by their names; those that a page has first are shown first."""


@dataclass(frozen=True)
class Curve:
    """Latency over the rate, of one search: its points by their rates, and what was found."""

    row: Row
    found: Found
    points: list[Series]

    def spread(self, metric: Metric, point: Series) -> Spread | None:
        """What the runs of a point came to."""
        return replace(self.row, series=point).spread(metric)

    @property
    def case_name(self) -> str:
        """What must be the same for curves to be in one plot."""
        parts = (self.row.application, self.found.setting.input, self.found.setting.given)
        return ", ".join(filter(None, (*parts, held(self.row.conditions))))


def curves_of(rows: Sequence[Row]) -> list[Curve]:
    """The curves of all searches that have points."""
    curves = []
    for one, found in searches(rows):
        of_set = [row for row in rows if row.of.id == one.id and row.is_point]
        points = points_of([row.series for row in of_set], found)
        if points:
            first = next(row for row in of_set if row.series is points[0])
            curves.append(Curve(first, found, points))
    return curves


def plain_curve(curve: Curve) -> dict[str, Any]:
    """A curve as the page has it."""
    found, shown = curve.found, (THROUGHPUT.name, *CURVES)
    return {
        "set": curve.row.of.id,
        "case": curve.case_name,
        "interface": curve.row.interface,
        "composition": curve.row.composition,
        "way": curve.row.way,
        "look": curve.row.look,
        "sequential": False,
        "nthreads": found.setting.nthreads,
        **{name: found.plain()[name] for name in ("unthrottled", "bound_ms", "rate", "above")},
        "low_p99_ms": found.low_p99_ms if found.has_p99 else None,
        "bounded": f"{found.bounded} of {found.runs}",
        "remark": remark(found),
        "points": [
            {
                "rate": series.setting.frequency,
                "bounded": bounded_in(series),
                "runs": len(series.good),
                **{name: plain_told(curve, METRICS[name], series) for name in shown},
            }
            for series in curve.points
        ],
    }


def plain_told(curve: Curve, metric: Metric, point: Series) -> list[float] | None:
    """What the runs of a point came to; None without any value."""
    spread = curve.spread(metric, point)
    return plain_spread(spread) if spread else None
