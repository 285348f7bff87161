"""What a run did over time, by the samples of its stages."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from thalweg_cli.base.terminal import Failed
from thalweg_cli.run.metrics import THROUGHPUT
from thalweg_cli.run.runs import Run, Series
from thalweg_cli.run.stage_samples import file_of
from thalweg_cli.watch.sample_file import BadSamples, Json, read_state

WHOLE = 0.5
"""The share of the usual time between two samples from which on the last one is shown."""


@dataclass(frozen=True)
class OverTime:
    """One run.

    `at` are the ends of its samples, in s, and `rates` the items a second in each. `replicas` are those of
    its farm from the moments `changed` on, the first of which is the beginning.
    """

    at: Sequence[float]
    rates: Sequence[float]
    changed: Sequence[float]
    replicas: Sequence[int]

    @property
    def elapsed(self) -> float:
        """How long it took, in s."""
        return self.at[-1]

    @property
    def lengths(self) -> list[float]:
        """Of the samples, in s."""
        return [end - begin for begin, end in pairwise((0.0, *self.at))]

    @property
    def whole(self) -> int:
        """How many samples there are without the last one, if the run ended long before it was over.

        A rate in a moment says little.
        """
        lengths = self.lengths
        is_short = len(lengths) > 1 and lengths[-1] < WHOLE * median(lengths[:-1])
        return len(lengths) - is_short

    @property
    def rate(self) -> float:
        """Items a second, from the begin to the end."""
        items = sum(rate * length for rate, length in zip(self.rates, self.lengths, strict=True))
        return items / self.elapsed

    @property
    def changes(self) -> int:
        """How often the number of replicas was changed."""
        return len(self.changed) - 1

    @property
    def mean_replicas(self) -> float:
        """Over the time of the run."""
        ends = (*self.changed[1:], self.elapsed)
        spans = zip(self.replicas, self.changed, ends, strict=True)
        return sum(n * (end - begin) for n, begin, end in spans) / self.elapsed

    def share_from(self, least: float) -> float:
        """The share of the time in which at least so many items came a second."""
        there = (length for rate, length in zip(self.rates, self.lengths, strict=True) if rate >= least)
        return sum(there) / self.elapsed

    @property
    def steps(self) -> tuple[list[float], list[int]]:
        """Moments and replicas as a line of steps has them, up to the end."""
        return [*self.changed, self.elapsed], [*self.replicas, self.replicas[-1]]


def read(file: Path) -> OverTime:
    """The run of a file of samples. Raises Failed if it is none, or if the run has no farm."""
    try:
        state = read_state(file)
    except (BadSamples, OSError) as error:
        raise Failed(f"{file}: {error}") from error
    stages = state["graph"]["stages"]
    farms = [place for place, stage in enumerate(stages) if stage.get("farm")]
    if not farms:
        raise Failed(f"{file}: the run has no farm")
    return of_state(state["history"], farms[0], stages[farms[0]]["name"])


def of_state(history: Sequence[Json], place: int, name: str) -> OverTime:
    """The run of these samples, whose farm has this place and name."""
    resizes = [one for sample in history for one in sample["resizes"] if one["stage"] == name]
    began = resizes[0]["from"] if resizes else history[-1]["stages"][place]["replicas"]
    # The last sample may be as good as empty, and a rate of nothing is none.
    taken = [sample for sample in history if sample["window_ns"] > 0]
    return OverTime(
        [sample["time_ns"] * 1e-9 for sample in taken],
        [sample.get("throughput", 0.0) for sample in taken],
        [0.0, *(one["at_ns"] * 1e-9 for one in resizes)],
        [began, *(one["to"] for one in resizes)],
    )


def middle_run(row: Series) -> Run | None:
    """The run with the median throughput; None if there is none that counts."""
    runs = sorted(row.good, key=lambda run: THROUGHPUT.of(run) or 0)
    return runs[(len(runs) - 1) // 2] if runs else None


def middle(row: Series, samples: Path) -> OverTime | None:
    """What that run did over time; None if it has left no samples in this folder."""
    run = middle_run(row)
    file = file_of(samples, row.setting, run.number) if run else None
    return read(file) if file and file.exists() else None


def runs_over_time(row: Series, samples: Path) -> list[OverTime]:
    """What all of its runs that count did over time, as far as they have left samples in this folder."""
    files = [file_of(samples, row.setting, run.number) for run in row.good]
    return [read(file) for file in files if file.exists()]
