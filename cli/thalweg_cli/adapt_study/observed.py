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
class MadeChange:
    """A change at a known time: how long the call took, and until a new replica took an item."""

    at: float
    replicas: int
    call_ms: float
    first_ms: float | None


@dataclass(frozen=True)
class Loop:
    """Processor time, in s, of the loop that adapts a run: in all, of its planner, and of changes."""

    all: float
    planning: float
    changing: float


@dataclass(frozen=True)
class Observed:
    """One run.

    `due`, `done`, `late` and `p99` have a value for each window of `window` seconds: items that were due in
    it, that came in it, that were due in it and late; and the latency, in ms, of those that were due in it.
    `gaps` is the longest time, in ms, that ended in it, from one item that came to the next. `began` is the
    number of replicas at the beginning, `changes` are those after it. `cores` are moments, and how many
    processors were used since the one before, `batches` the intervals, in ms, that batches had from a moment
    on. `decisions` are as the samples have them. `script` are changes that were asked for beforehand; `loop`
    is there if the run has adapted itself.
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
    batches: Sequence[tuple[float, float]] = ()
    script: Sequence[MadeChange] = ()
    loop: Loop | None = None

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
        found = [max(near) for one in self.changes if (near := self.gaps_at(one.at))]
        return statistics.median(found) if found else None

    def gaps_at(self, moment: float) -> Sequence[float]:
        """The longest gap in the window of a moment, and in the next one."""
        place = int(moment / self.window)
        return self.gaps[place : place + 2]

    @property
    def quiet_gaps(self) -> list[float]:
        """The longest gap of each window of the load, but for those of changes and right behind them."""
        loud = {int(one.at / self.window) + k for one in self.changes for k in (0, 1)}
        # The first items come in the first window, and the last window ends with the load.
        return [gap for place, gap in enumerate(self.gaps[: len(self.due) - 1]) if place not in {0, *loud}]

    @property
    def due_s(self) -> float:
        """The end of the last window in which an item was due."""
        last = max((place for place, count in enumerate(self.due) if count), default=-1)
        return (last + 1) * self.window

    def lost_in(self, begin: float, end: float) -> float:
        """By which part fewer items came than were due in a part of the time; below 0, if more came."""
        first, behind = int(begin / self.window), max(int(begin / self.window) + 1, int(end / self.window))
        due = sum(self.due[first:behind])
        return 1 - sum(self.done[first:behind]) / due if due else 0.0

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
        # Samples count from the beginning of the run, which comes before that of its load, over MPI by much.
        began = told["began"]
        lines = [json.loads(line) for line in samples]
        changes = [
            (one["at_ns"] * 1e-9 - began, one["from"], one["to"])
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
            [(line["time_ns"] * 1e-9 - began, line["cores_used"]) for line in lines],
            [since(began, one) for one in last.get("decisions", [])],
            told["gap_by_window"],
            intervals(lines, began),
            [MadeChange(**one) for one in told.get("script", [])],
            Loop(**told["loop"]) if told.get("loop") else None,
        )
    except (ValueError, KeyError, TypeError, IndexError, StopIteration) as error:
        raise Failed(f"the program has not told what a study needs: {error!r}") from error


def since(began: float, decision: Json) -> Json:
    """A decision with its time from another beginning, in s, on."""
    return decision | {"at_ns": decision["at_ns"] - began * 1e9} if "at_ns" in decision else decision


def intervals(lines: Sequence[Json], began: float) -> list[tuple[float, float]]:
    """From when on batches had which interval, in ms."""
    changed = [
        (one["at_ns"] * 1e-9 - began, one["from"], one["to"])
        for line in lines
        for one in line.get("batch_changes", [])
    ]
    if changed:
        first = changed[0][1]
    else:
        first = next((stage["batch"] for stage in lines[-1]["stages"] if "batch" in stage), {})
    limits = [(0.0, first), *((at, to) for at, _, to in changed)]
    return [(at, to["interval_ns"] * 1e-6) for at, to in limits if "interval_ns" in to]
