"""How good a run is that adapts itself, held against all that do not: SASO, and who is ahead of whom."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from thalweg_cli.adapt_study.observed import Observed
from thalweg_cli.adapt_study.scenarios import Phase

ENOUGH = 0.01
"""A number of replicas is enough if no more than this part of the items is late beyond that of the best."""

A_MINUTE = 60.0


@dataclass(frozen=True)
class Saso:
    """Settling, accuracy, stability, overshoot: of one run, or of several, the worst of its phases.

    `settling` is the time from the begin of a phase to its last change, in s; None if there were changes in
    its second half, so that it has not settled. `stability` are changes a minute in that half: 0 is wanted.
    `overshoot` is by how many replicas there were too many at most, `accuracy` how far off the last is.
    """

    settling: float | None
    overshoot: float
    accuracy: float
    stability: float


def enough_replicas(statics: Mapping[int, Sequence[Observed]], phase: Phase) -> int:
    """The fewest replicas that are enough for a phase, by what runs with each number have shown."""
    late = {
        n: statistics.median(run.late_share_in(phase.begin, phase.end) for run in runs)
        for n, runs in statics.items()
    }
    return min(n for n, share in late.items() if share <= min(late.values()) + ENOUGH)


def saso_in(run: Observed, phase: Phase, enough: int) -> Saso:
    """How a run went after the load had changed, and before it did so again."""
    middle = (phase.begin + phase.end) / 2
    changes = run.changes_in(phase.begin, phase.end)
    restless = len(run.changes_in(middle, phase.end))
    final = run.replicas_at(phase.end)
    # What there was too much of when the phase began is not of its making.
    most = max((one.replicas for one in changes), default=0)
    return Saso(
        None if restless else (changes[-1].at - phase.begin if changes else 0.0),
        max(0, most - max(enough, run.replicas_at(phase.begin))),
        abs(final - enough),
        restless * A_MINUTE / (phase.end - middle),
    )


def worst(found: Sequence[Saso]) -> Saso | None:
    """The worst of each; None if there are none."""
    if not found:
        return None
    settled = [one.settling for one in found if one.settling is not None]
    return Saso(
        max(settled) if len(settled) == len(found) else None,
        max(one.overshoot for one in found),
        max(one.accuracy for one in found),
        max(one.stability for one in found),
    )


def typical(found: Sequence[Saso]) -> Saso | None:
    """The medians over several runs; it has settled if most of them have."""
    if not found:
        return None
    settled = [one.settling for one in found if one.settling is not None]
    return Saso(
        statistics.median(settled) if 2 * len(settled) > len(found) else None,
        statistics.median(one.overshoot for one in found),
        statistics.median(one.accuracy for one in found),
        statistics.median(one.stability for one in found),
    )


def pareto(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Those that no other is as good as in both and better in one; less is better. By the first of both."""

    def is_ahead(one: tuple[float, float], other: tuple[float, float]) -> bool:
        return one[0] <= other[0] and one[1] <= other[1] and one != other

    front = [
        name for name, point in points.items() if not any(is_ahead(other, point) for other in points.values())
    ]
    return sorted(front, key=lambda name: points[name])


def middle_run(runs: Sequence[Observed]) -> Observed:
    """The run that is shown over time: the one with the median of late items."""
    return sorted(runs, key=lambda run: run.late_share)[(len(runs) - 1) // 2]
