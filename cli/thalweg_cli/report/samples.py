"""What a report shows of samples, which programs take of themselves while they run."""

import statistics
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from thalweg_cli.run.metrics import is_enough
from thalweg_cli.run.runs import Run

DIGITS = 6

MOST_SAMPLES, FEWEST_SAMPLES = 60_000, 50
"""Numbers of samples that a report has at most, and that each run has at least, if there were so many."""

COLUMNS: dict[str, tuple[str, float]] = {
    "rate": ("Rate asked for (elements a second)", 1),
    "throughput": ("Throughput (elements a second)", 1),
    "latency_ms": ("Mean latency (ms)", 1),
    "batch": ("Elements in a batch", 1),
    "cores": ("Processors at work", 1),
    "resident_bytes": ("Memory (MB)", 1e-6),
}
"""What samples have: a title and a factor."""

QUANTILES = {"p50_ms": 50.0, "p99_ms": 99.0}
BAND = (*QUANTILES, "max_ms")
"""Columns that are one plot: half of the elements, all but the slowest in a hundred, all."""

OF_ELEMENTS = ("throughput", "batch", "latency_ms", *BAND)
"""Columns that say nothing where no element came: 0 stands there for nothing."""

WHOLE = 0.9
"""The share of the usual time between two samples at which the last one counts."""


def samples_per_run(monitored: int) -> int:
    """How many samples of each run a report has."""
    return max(FEWEST_SAMPLES, MOST_SAMPLES // max(1, 5 * monitored))


def rounded(value: float) -> float:
    """A value without digits that nobody reads."""
    return float(f"{value:.{DIGITS}g}")


def samples(run: Run | None, most: int) -> dict[str, Any] | None:
    """The samples of a run, column by column; where there are too many, the means of neighbours."""
    if run is None:
        return None
    taken = whole([sample for sample in run.result["samples"] if isinstance(sample, dict)])
    taken = [said(sample, lasted) for sample, lasted in zip(taken, lasting(taken), strict=True)]
    width = -(-len(taken) // most) if taken else 1
    groups = [taken[i : i + width] for i in range(0, len(taken), width)]
    names = dict.fromkeys(name for sample in taken for name in sample)
    columns = {name: [mean_of(group, name) for group in groups] for name in names}
    columns = {name: values for name, values in columns.items() if name not in BAND or any(values)}
    columns["seconds"] = [rounded(group[-1]["seconds"]) for group in groups]
    return {"run": run.number, "width": width, "columns": columns}


def lasting(taken: Sequence[dict[str, Any]]) -> list[float]:
    """How long each sample lasted, in seconds: the first one from when the stream began."""
    times = [0.0, *(sample["seconds"] for sample in taken)]
    return [later - earlier for earlier, later in pairwise(times)]


def whole(taken: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Samples without the last one, if the stream ended before it was over."""
    lasted = lasting(taken)
    is_whole = len(taken) < 2 or lasted[-1] >= WHOLE * statistics.median(lasted[:-1])
    return taken if is_whole else taken[:-1]


def said(sample: dict[str, Any], lasted: float) -> dict[str, Any]:
    """A sample without the numbers that say nothing: those of no elements, and quantiles of few."""
    elements = (sample.get("throughput") or 0) * lasted
    found = dict(sample)
    for name, percent in QUANTILES.items():
        if name in found and not is_enough(elements, percent):
            found[name] = None
    for name in OF_ELEMENTS:
        if found.get(name) == 0:
            found[name] = None
    return found


def mean_of(group: Sequence[dict[str, Any]], name: str) -> float | None:
    """The mean of a column over neighbours; None where none of them has a number.

    Of throughput those that saw nothing count as 0, if others did see something.
    """
    values = [value for one in group if isinstance(value := one.get(name), int | float)]
    if not values:
        return None
    if name == "max_ms":
        return rounded(max(values))
    return rounded(sum(values) / (len(group) if name == "throughput" else len(values)))
