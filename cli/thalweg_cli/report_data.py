"""What a report shows: the settings of sets, each with what its runs came to."""

import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from thalweg_cli.experiment import CATCH_UP, SEARCH, SEQUENTIAL, SUSTAINABLE, Conditions
from thalweg_cli.export import Kept, conditions_of
from thalweg_cli.metrics import METRICS, THROUGHPUT, Metric
from thalweg_cli.runs import Run, Series, in_series
from thalweg_cli.store_rows import RunSet
from thalweg_cli.sustainable import Found, found_among, key_of
from thalweg_cli.sustainable_table import bounded_in, points_of, remark

QUANTILE = re.compile(r"p(\d+(?:[._]\d+)?)_ms")
"""Keys of quantiles of the latency, in per cent: `p99_ms`, `p99_9_ms` or `p99.9_ms`."""

MOST_SAMPLES, FEWEST_SAMPLES = 60_000, 50
"""Numbers of samples that a report has at most, and that each run has at least, if there were so many."""

DIGITS = 6

COLUMNS: dict[str, tuple[str, float]] = {
    "rate": ("rate asked for (/s)", 1),
    "throughput": ("throughput (/s)", 1),
    "latency_ms": ("latency (ms)", 1),
    "batch": ("elements a batch", 1),
    "cores": ("processors (cores)", 1),
    "resident_bytes": ("memory (MB)", 1e-6),
}
"""What samples have: a title and a factor."""


@dataclass(frozen=True)
class Spread:
    """Values of runs: their median, the lowest, the highest, and how many there are."""

    median: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread | None":
        """What values come to; None if there are none."""
        if not values:
            return None
        return cls(statistics.median(values), min(values), max(values), len(values))


@dataclass(frozen=True)
class Row:
    """A setting of a set, with its runs."""

    of: RunSet
    conditions: Conditions
    series: Series

    @property
    def interface(self) -> str:
        """What its program is written with."""
        return self.series.setting.program.interface

    @property
    def application(self) -> str:
        """What its program does."""
        return self.series.setting.program.application

    @property
    def composition(self) -> str:
        """How its program is composed."""
        return self.series.setting.program.composition

    @property
    def way(self) -> str:
        """Interface and composition; where ranks have several threads each, how many."""
        way = f"{self.interface} {self.composition}".rstrip()
        setting = self.series.setting
        return f"{way}, {setting.nthreads} threads a rank" if setting.nprocs and setting.nthreads > 1 else way

    @property
    def load(self) -> str:
        """What else is given: batches, frequency, and what holds for all runs of the set."""
        return ", ".join(filter(None, (self.series.setting.given, held(self.conditions))))

    @property
    def is_point(self) -> bool:
        """Whether it is a point on the way to a sustainable rate, which says nothing by itself."""
        return self.series.setting.purpose == SEARCH

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

    def spread(self, metric: Metric) -> Spread | None:
        """What the runs that count came to."""
        return Spread.of(metric.values(self.series))

    def quantiles(self) -> dict[float, Spread]:
        """Quantiles of the latency in ms, by per cent."""
        found: dict[float, list[float]] = {}
        for run in self.series.good:
            for key, value in (run.result.get("latency") or {}).items():
                if (name := QUANTILE.fullmatch(key)) and value is not None:
                    found.setdefault(float(name[1].replace("_", ".")), []).append(float(value))
        return {percent: spread for percent in sorted(found) if (spread := Spread.of(found[percent]))}

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
    return rows


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
    """The metrics that a run has."""
    return [metric for metric in METRICS.values() if any(metric.values(row.series) for row in rows)]


def plain_row(row: Row, most_samples: int) -> dict[str, Any]:
    """A row as the page has it."""
    setting = row.series.setting
    spreads = {name: row.spread(metric) for name, metric in METRICS.items()}
    return {
        "set": row.of.id,
        "application": row.application,
        "input": setting.input,
        "interface": row.interface,
        "composition": row.composition,
        "program": setting.program.name,
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
        "held": ", ".join(filter(None, (pace_of(row), row.series.setting.arguments, held(row.conditions)))),
        "runs": len(row.series.good),
        "failed": len(row.failed),
        "verified": row.verified,
        "error": row.series.error,
        "values": {name: plain_spread(spread) for name, spread in spreads.items() if spread},
        "quantiles": [[percent, *plain_spread(spread)] for percent, spread in row.quantiles().items()],
        "samples": samples(row.sampled(), most_samples),
    }


def plain_spread(spread: Spread) -> list[float]:
    """Median, lowest, highest, and how many values there are."""
    return [*map(rounded, (spread.median, spread.low, spread.high)), spread.count]


def rounded(value: float) -> float:
    """A value without digits that nobody reads."""
    return float(f"{value:.{DIGITS}g}")


def samples(run: Run | None, most: int) -> dict[str, Any] | None:
    """The samples of a run, column by column; where there are too many, the means of neighbours."""
    if run is None:
        return None
    taken = whole([sample for sample in run.result["samples"] if isinstance(sample, dict)])
    width = -(-len(taken) // most) if taken else 1
    groups = [taken[i : i + width] for i in range(0, len(taken), width)]
    names = dict.fromkeys(name for sample in taken for name in sample)
    columns = {name: [mean_of(group, name) for group in groups] for name in names}
    columns["seconds"] = [rounded(group[-1]["seconds"]) for group in groups]
    return {"run": run.number, "width": width, "columns": columns}


def whole(taken: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Samples without the last one, if the stream ended so soon after the one before that it says nothing."""
    times = [sample["seconds"] for sample in taken]
    if len(times) < 3 or times[-1] - times[-2] >= (times[-2] - times[-3]) / 4:
        return taken
    return taken[:-1]


def mean_of(group: Sequence[dict[str, Any]], name: str) -> float | None:
    """The mean of a column over neighbours; None where none of them has a number.

    A latency of 0 is none: no element came to the sink meanwhile.
    """
    values = [value for one in group if isinstance(value := one.get(name), int | float)]
    if name.endswith("_ms"):
        values = [value for value in values if value > 0]
    return rounded(statistics.fmean(values)) if values else None


def samples_per_run(rows: Sequence[Row]) -> int:
    """How many samples of each run a report has."""
    monitored = sum(row.sampled() is not None for row in rows)
    return max(FEWEST_SAMPLES, MOST_SAMPLES // max(1, 5 * monitored))


def pace_of(row: Row) -> str:
    """How elements come, unless that is a number of its own."""
    setting = row.series.setting
    return "at its sustainable rate" if setting.purpose == SUSTAINABLE else setting.pace


@dataclass(frozen=True)
class Curve:
    """Latency over the rate, of one search: its points by their rates, and what was found."""

    row: Row
    found: Found
    points: list[Series]

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
    found, shown = curve.found, ("throughput", "latency", "p99")
    return {
        "set": curve.row.of.id,
        "case": curve.case_name,
        "interface": curve.row.interface,
        "composition": curve.row.composition,
        "nthreads": found.setting.nthreads,
        **{name: found.plain()[name] for name in ("unthrottled", "bound_ms", "low_p99_ms", "rate", "above")},
        "bounded": f"{found.bounded} of {found.runs}",
        "remark": remark(found),
        "points": [
            {
                "rate": series.setting.frequency,
                "bounded": bounded_in(series),
                "runs": len(series.good),
                **{name: plain_values(METRICS[name], series) for name in shown},
            }
            for series in curve.points
        ],
    }


def plain_values(metric: Metric, series: Series) -> list[float] | None:
    """Median, lowest and highest, and how many values there are; None without any."""
    spread = Spread.of(metric.values(series))
    return plain_spread(spread) if spread else None
