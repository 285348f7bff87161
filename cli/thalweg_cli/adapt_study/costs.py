"""What adapting costs: one change of replicas, and the loop that decides on changes."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from thalweg_cli.adapt_study.observed import MadeChange, Observed

AROUND_S = 1.0
"""For so long, at most, a change may lower the throughput."""

LOOP_BAR, CHANGES_BAR = 1.0, 0.5
"""What the loop should not exceed, and what its changes should not: percent of the time of a run."""


@dataclass(frozen=True)
class ChangeCost:
    """Medians over changes in one direction; times in ms.

    `call`: how long the call took. `first`: from the call to the first item that the new replica took.
    `gap`: the longest time without a result, in the window of the change and the next one; `most` is the
    longest of all changes, `quiet` the median of the windows without changes. `lost`: by which part (%) fewer
    items came than were due until the next change, at most within a second.
    """

    way: str
    more: bool
    changes: int
    call: float
    first: float | None
    gap: float
    most: float
    quiet: float | None
    lost: float


@dataclass(frozen=True)
class LoopCost:
    """Processor time, in % of the time of a run: of the whole loop, of the planner, of changes; medians.

    The loop looks at windows, asks the planner and makes changes. `changing` counts from an answer that asks
    for a change to the next window, so one look at a window is in it.
    """

    way: str
    loop: float
    planning: float
    changing: float


def change_costs(way: str, runs: Sequence[Observed]) -> list[ChangeCost]:
    """Those of changes that were made at known times: of one replica more, and of one fewer."""
    made = [(run, *one) for run in runs for one in with_ends(run)]
    return [
        found
        for more in (True, False)
        if (found := cost_of(way, [one for one in made if one[3] == more], runs, more=more))
    ]


def with_ends(run: Observed) -> Iterable[tuple[MadeChange, float, bool]]:
    """Changes, the time for which they are looked at, and whether there is a replica more."""
    before = run.began
    for index, one in enumerate(run.script):
        next_at = run.script[index + 1].at if index + 1 < len(run.script) else run.due_s
        yield one, min(AROUND_S, next_at - one.at), one.replicas > before
        before = one.replicas


def cost_of(
    way: str,
    made: Sequence[tuple[Observed, MadeChange, float, bool]],
    runs: Sequence[Observed],
    *,
    more: bool,
) -> ChangeCost | None:
    """The medians; None without a change."""
    gaps = [max(near) for run, one, _, _ in made if (near := run.gaps_at(one.at))]
    lost = [run.lost_in(one.at, one.at + length) for run, one, length, _ in made]
    if not gaps:
        return None
    first = [one.first_ms for _, one, _, _ in made if one.first_ms is not None]
    quiet = [gap for run in runs for gap in run.quiet_gaps]
    return ChangeCost(
        way,
        more,
        len(made),
        statistics.median(one.call_ms for _, one, _, _ in made),
        statistics.median(first) if more and first else None,
        statistics.median(gaps),
        max(gaps),
        statistics.median(quiet) if quiet else None,
        100 * statistics.median(lost),
    )


def loop_cost(way: str, runs: Sequence[Observed]) -> LoopCost | None:
    """That of a planner; None if there was none."""
    shares = [
        [100 * part / run.elapsed for part in (run.loop.all, run.loop.planning, run.loop.changing)]
        for run in runs
        if run.loop and run.elapsed > 0
    ]
    return LoopCost(way, *map(statistics.median, zip(*shares, strict=True))) if shares else None
