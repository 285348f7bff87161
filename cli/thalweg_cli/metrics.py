"""What is told of runs: how each value is had from a run, in which unit, and whether more of it is better."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thalweg_cli.runs import Run, Series
from thalweg_cli.terminal import Failed


@dataclass(frozen=True)
class Metric:
    """A value of a run. `keys` lead to it in the result; `more` and `less` are what its ratios are called."""

    name: str
    title: str
    unit: str
    keys: tuple[str, ...]
    factor: float = 1.0
    more: str = "slower"
    less: str = "faster"
    more_is_better: bool = False

    def of(self, run: Run) -> float | None:
        """The value in the unit; None if the run has none."""
        value: Any = run.result
        for key in self.keys:
            value = value.get(key) if isinstance(value, dict) else None
        return None if value is None else float(value) * self.factor

    def values(self, series: Series) -> list[float]:
        """The values of the runs that count."""
        return [value for run in series.good if (value := self.of(run)) is not None]


TIME = Metric("time", "time", "s", ("seconds",))
THROUGHPUT = Metric(
    "throughput", "throughput", "/s", ("throughput",), more="faster", less="slower", more_is_better=True
)
LATENCY = (
    Metric("latency", "latency", "ms", ("latency", "mean_ms")),
    Metric("p99", "p99", "ms", ("latency", "p99_ms")),
)
MEMORY = (
    Metric("memory", "memory", "MB", ("peak_bytes",), 1e-6, "more", "less"),
    Metric("processors", "processors", "s", ("cpu_seconds",), more="more", less="less"),
)
OTHERS = (
    Metric("p50", "p50", "ms", ("latency", "p50_ms")),
    Metric("p95", "p95", "ms", ("latency", "p95_ms")),
    Metric("p99.9", "p99.9", "ms", ("latency", "p99_9_ms")),
    Metric("p99.99", "p99.99", "ms", ("latency", "p99_99_ms")),
    Metric("max", "longest latency", "ms", ("latency", "max_ms")),
    Metric("energy", "energy", "J", ("joules",), more="more", less="less"),
    Metric("switches", "forced switches", "", ("involuntary_switches",), more="more", less="less"),
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
