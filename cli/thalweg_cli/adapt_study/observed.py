"""What is known of one run: what became of its items, and the replicas that it had."""

import json
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from thalweg_cli.base.terminal import Failed

Json = dict[str, Any]

STAGE = "work"
"""The farm whose replicas are changed."""


@dataclass(frozen=True)
class Change:
    """From a moment on, in seconds, there were so many replicas."""

    at: float
    replicas: int


@dataclass(frozen=True)
class Observed:
    """One run.

    `due`, `done`, `late` and `p99` have a value for each window of `window` seconds: items that were due in
    it, that came in it, that were due in it and late; and the latency, in ms, of those that were due in it.
    `gaps` is the longest time, in ms, that ended in it, from one item that came to the next. `began` is the
    number of replicas at the beginning, `changes` are those after it. `cores` are moments, and how many
    processors were used since the one before. `decisions` are as the samples have them.
    """

    window: float
    due: Sequence[int]
    done: Sequence[int]
    late: Sequence[int]
    p99: Sequence[float | None]
    p99_ms: float | None
    cpu_seconds: float
    elapsed: float
    began: int = 1
    changes: Sequence[Change] = ()
    cores: Sequence[tuple[float, float]] = ()
    decisions: Sequence[Json] = field(default_factory=list)
    gaps: Sequence[float] = ()

    @property
    def items(self) -> int:
        """All items that were due."""
        return sum(self.due)

    @property
    def items_late(self) -> int:
        """Those that came late, or not at all."""
        return sum(self.late)

    @property
    def late_share(self) -> float:
        """The part of all items."""
        return self.items_late / self.items if self.items else 0.0

    @property
    def per_processor_second(self) -> float | None:
        """Items that came, for each second of processor time."""
        return sum(self.done) / self.cpu_seconds if self.cpu_seconds > 0 else None

    @property
    def throughput(self) -> float:
        """Items a second, from the first to the last."""
        return sum(self.done) / self.elapsed if self.elapsed > 0 else 0.0

    def replicas_at(self, moment: float) -> int:
        """How many there were."""
        before = [one.replicas for one in self.changes if one.at <= moment]
        return before[-1] if before else self.began

    def changes_in(self, begin: float, end: float) -> list[Change]:
        """Those in a part of the time."""
        return [one for one in self.changes if begin <= one.at < end]

    def late_share_in(self, begin: float, end: float) -> float:
        """The part that was late of the items due in the windows that begin in a part of the time."""
        # The begin of a window, computed in two ways, may differ by a bit.
        first, behind = (math.ceil(moment / self.window - 1e-6) for moment in (begin, end))
        due = sum(self.due[first:behind])
        return sum(self.late[first:behind]) / due if due else 0.0

    @property
    def gap_at_changes(self) -> float | None:
        """The longest gap in the window of a change and the next one: the median of all changes, in ms."""
        places = [int(one.at / self.window) for one in self.changes]
        found = [max(near) for place in places if (near := self.gaps[place : place + 2])]
        return statistics.median(found) if found else None

    @property
    def mean_replicas(self) -> float:
        """Over the time of the run."""
        moments = [0.0, *(one.at for one in self.changes), self.elapsed]
        numbers = [self.began, *(one.replicas for one in self.changes)]
        lengths = [max(0.0, end - begin) for begin, end in pairwise(moments)]
        total = sum(lengths)
        if not total:
            return float(self.began)
        return sum(n * length for n, length in zip(numbers, lengths, strict=True)) / total


def read(printed: str, samples: Iterable[str]) -> Observed:
    """A run from what its program has printed, and from the lines of its samples.

    Raises Failed if these are not what the program writes.
    """
    try:
        told = json.loads(printed)
        lines = [json.loads(line) for line in samples]
        changes = [
            (one["at_ns"] * 1e-9, one["from"], one["to"])
            for line in lines
            for one in line["resizes"]
            if one["stage"] == STAGE
        ]
        last = lines[-1]
        replicas = next(stage["replicas"] for stage in last["stages"] if stage["name"] == STAGE)
        return Observed(
            told["window"],
            told["due"],
            told["done"],
            told["late_by_window"],
            told["p99_by_window"],
            told["p99_ms"],
            told["cpu_seconds"],
            told["elapsed"],
            changes[0][1] if changes else replicas,
            [Change(at, to) for at, _, to in changes],
            [(line["time_ns"] * 1e-9, line["cores_used"]) for line in lines],
            last.get("decisions", []),
            told["gap_by_window"],
        )
    except (ValueError, KeyError, TypeError, IndexError, StopIteration) as error:
        raise Failed(f"the program has not told what a study needs: {error!r}") from error
