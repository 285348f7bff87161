"""What a report shows: the settings of sets, each with what its runs came to."""

import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from thalweg_cli.experiment import SEQUENTIAL, Conditions, number
from thalweg_cli.export import Kept, conditions_of
from thalweg_cli.metrics import METRICS, THROUGHPUT, Metric
from thalweg_cli.runs import Run, Series, in_series
from thalweg_cli.store_rows import RunSet

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
        """Interface and composition."""
        return f"{self.interface} {self.composition}".rstrip()

    @property
    def load(self) -> str:
        """What else is given: batches, frequency, and what holds for all runs of the set."""
        return ", ".join(filter(None, (given(self), held(self.conditions))))

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


def given(row: Row) -> str:
    """Batches and frequency of a setting, if they are given."""
    setting = row.series.setting
    parts = ((setting.batch, "a batch"), (setting.batch_interval, "s a batch"), (setting.frequency, "/s"))
    return ", ".join(f"{number(value)} {unit}" for value, unit in parts if value is not None)


def held(conditions: Conditions) -> str:
    """What holds for all runs of a set and changes what they measure."""
    parts = [conditions.freq_pattern, "in memory" if conditions.in_memory else ""]
    parts += [f"arguments {' '.join(conditions.user_args)}" if conditions.user_args else ""]
    parts += [f"on processors {' '.join(map(str, conditions.pin))}" if conditions.pin else ""]
    parts += [f"run by {' '.join(conditions.executor)}" if conditions.executor else ""]
    return ", ".join(filter(None, parts))


def rows_of(kept: Iterable[Kept]) -> list[Row]:
    """The settings of all sets."""
    return [Row(one, conditions_of(one), series) for one, runs in kept for series in in_series(runs)]


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
        "nthreads": setting.nthreads,
        "threads": row.series.threads,
        "batch": setting.batch,
        "batch_interval": setting.batch_interval,
        "frequency": setting.frequency,
        "held": held(row.conditions),
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
    taken = [sample for sample in run.result["samples"] if isinstance(sample, dict)]
    width = -(-len(taken) // most) if taken else 1
    groups = [taken[i : i + width] for i in range(0, len(taken), width)]
    names = dict.fromkeys(name for sample in taken for name in sample)
    columns = {name: [mean_of(group, name) for group in groups] for name in names}
    columns["seconds"] = [rounded(group[-1]["seconds"]) for group in groups]
    return {"run": run.number, "width": width, "columns": columns}


def mean_of(group: Sequence[dict[str, Any]], name: str) -> float | None:
    """The mean of a column over neighbours; None where none of them has a number."""
    values = [value for one in group if isinstance(value := one.get(name), int | float)]
    return rounded(statistics.fmean(values)) if values else None


def samples_per_run(rows: Sequence[Row]) -> int:
    """How many samples of each run a report has."""
    monitored = sum(row.sampled() is not None for row in rows)
    return max(FEWEST_SAMPLES, MOST_SAMPLES // max(1, 5 * monitored))
