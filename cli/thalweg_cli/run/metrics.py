"""What is told of runs: how each value is had from a run, in which unit, and whether more of it is better."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thalweg_cli.base.terminal import Failed
from thalweg_cli.run.runs import Result, Run, Series


@dataclass(frozen=True)
class Metric:
    """A value of a run. `keys` lead to it in the result; `more` and `less` are what its ratios are called.

    `words` say what it is to those who do not know its name. `percent` is that of a quantile of the latency.
    `by` is the key of what the value is divided by.
    """

    name: str
    title: str
    unit: str
    keys: tuple[str, ...]
    factor: float = 1.0
    more: str = "slower"
    less: str = "faster"
    more_is_better: bool = False
    words: str = ""
    percent: float | None = None
    by: str = ""

    @property
    def heading(self) -> str:
        """What stands above a plot."""
        unit = "elements a second" if self.unit == "/s" else self.unit
        return f"{self.words or self.title}{f' ({unit})' if unit else ''}"

    def of(self, run: Run) -> float | None:
        """The value in the unit; None if the run has none."""
        value: Any = run.result
        for key in self.keys:
            value = value.get(key) if isinstance(value, dict) else None
        divisor = run.result.get(self.by) if self.by else 1
        return None if value is None or not divisor else float(value) * self.factor / float(divisor)

    def told(self, run: Run) -> float | None:
        """The value as it may be shown: None for a quantile that too few elements of the run are above of."""
        return None if self.percent is not None and not is_told(run.result, self.percent) else self.of(run)

    def values(self, series: Series) -> list[float]:
        """The values of the runs that count, as they may be shown."""
        return [value for run in series.good if (value := self.told(run)) is not None]


ABOVE = 10
"""A quantile says something if so many elements lie above it. Of fewer it is the chance of a few elements."""


def is_told(result: Result, percent: float) -> bool:
    """Whether enough elements of a run have a latency above a quantile."""
    latency = result.get("latency")
    return is_enough(latency.get("count") or 0 if isinstance(latency, dict) else 0, percent)


def is_enough(elements: float, percent: float) -> bool:
    """Whether enough of so many elements lie above a quantile."""
    return round(elements * (100 - percent) / 100, 6) >= ABOVE


def quantile(percent: float, title: str, words: str) -> Metric:
    """A quantile of the latency."""
    key = f"p{percent:g}_ms".replace(".", "_")
    return Metric(title, title, "ms", ("latency", key), words=words, percent=percent)


TIME = Metric("time", "time", "s", ("seconds",), words="Time from the first element to the last")
THROUGHPUT = Metric(
    "throughput",
    "throughput",
    "/s",
    ("throughput",),
    more="faster",
    less="slower",
    more_is_better=True,
    words="Throughput",
)
LATENCY = (
    Metric("latency", "latency", "ms", ("latency", "mean_ms"), words="Mean latency"),
    quantile(99, "p99", "Latency that 1 element in 100 exceeds"),
)
MEMORY = (
    Metric("memory", "memory", "MB", ("peak_bytes",), 1e-6, "more", "less", words="Memory at its peak"),
    Metric(
        "processors", "processors", "s", ("cpu_seconds",), more="more", less="less", words="Processor time"
    ),
)
OTHERS = (
    quantile(50, "p50", "Latency that half of the elements exceed"),
    quantile(95, "p95", "Latency that 1 element in 20 exceeds"),
    quantile(99.9, "p99.9", "Latency that 1 element in 1000 exceeds"),
    quantile(99.99, "p99.99", "Latency that 1 element in 10 000 exceeds"),
    Metric("max", "longest latency", "ms", ("latency", "max_ms"), words="Longest latency"),
    Metric(
        "per-core",
        "per core",
        "/s",
        ("elements",),
        more="faster",
        less="slower",
        more_is_better=True,
        words="Throughput per core in use",
        by="cpu_seconds",
    ),
    Metric("energy", "energy", "J", ("joules",), more="more", less="less", words="Energy"),
    Metric(
        "switches",
        "forced switches",
        "",
        ("involuntary_switches",),
        more="more",
        less="less",
        words="How often a processor was taken away",
    ),
    Metric(
        "instructions",
        "instructions",
        "million",
        ("instructions",),
        factor=1e-6,
        more="more",
        less="less",
        words="Instructions of the processors",
    ),
    Metric(
        "per-cycle",
        "instructions a cycle",
        "",
        ("instructions",),
        more="more",
        less="less",
        more_is_better=True,
        words="Instructions in each cycle of a processor",
        by="cycles",
    ),
    Metric(
        "cache-misses",
        "cache misses",
        "",
        ("cache_misses",),
        more="more",
        less="less",
        words="Misses of the last cache",
    ),
    Metric(
        "branch-misses",
        "mispredicted branches",
        "",
        ("branch_misses",),
        more="more",
        less="less",
        words="Branches that went another way than predicted",
    ),
)
METRICS = {metric.name: metric for metric in (TIME, THROUGHPUT, *LATENCY, *OTHERS, *MEMORY)}


def metric_named(name: str) -> Metric:
    """The metric of a name. Raises Failed if there is none."""
    try:
        return METRICS[name]
    except KeyError as error:
        raise Failed(f"there is no metric {name}", remedy=f"one of {', '.join(METRICS)}") from error


def summary(values: Sequence[float]) -> str:
    """Mean and, in brackets, the standard deviation in units of its last digit: `1.34(79)` is 1.34 ± 0.79."""
    if not values:
        return "-"
    mean = statistics.fmean(values)
    deviation = statistics.stdev(values) if len(values) > 1 else 0
    if not deviation:
        return f"{mean:.4g}"
    large = max(abs(mean), deviation)
    power = math.floor(math.log10(large))
    unit = 0 if -4 <= power < 5 else power  # as %g does it
    mean, deviation = mean / 10.0**unit, deviation / 10.0**unit
    digits = max(0, 1 - math.floor(math.log10(deviation)))
    digits = min(digits, max(0, 6 - math.floor(math.log10(large / 10.0**unit))))  # a tiny deviation is none
    text = f"{mean:.{digits}f}({round(deviation * 10**digits)})"
    return text if not unit else f"{text}e{unit}"
