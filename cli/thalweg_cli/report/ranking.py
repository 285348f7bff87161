"""How interfaces compare: in each case, and over all of them."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from thalweg_cli.catalog.programs import SEQUENTIAL
from thalweg_cli.report.data import EFFICIENCY, SPEED_UP, Row
from thalweg_cli.report.places import Place, places
from thalweg_cli.report.samples import rounded
from thalweg_cli.run.metrics import Metric

NOWHERE = Place(1, 1, known=False)


@dataclass(frozen=True)
class Case:
    """Where interfaces were measured side by side: a set, an application, an input, a load."""

    set_id: int
    name: str


@dataclass(frozen=True)
class Score:
    """The best that an interface came to in a case. `ratio` is 1 for the best one, below 1 for others.

    `place` is the one among the interfaces of the case; `values` are those of its runs.
    """

    ratio: float
    value: float
    way: str
    nthreads: int
    values: tuple[float, ...]
    place: Place


@dataclass(frozen=True)
class Entry:
    """An interface with its scores. `mean` is the geometric mean of its ratios.

    `place` is the one among those that are in all cases; None for others.
    """

    interface: str
    scores: dict[Case, Score]
    place: Place | None = None

    @property
    def mean(self) -> float:
        """The geometric mean of the ratios to the best; 0 if one of them is."""
        ratios = [score.ratio for score in self.scores.values()]
        return statistics.geometric_mean(ratios) if min(ratios) > 0 else 0.0


@dataclass(frozen=True)
class Ranking:
    """Interfaces by a metric, the best first; those that are not in all cases come last."""

    metric: Metric
    cases: list[Case]
    entries: list[Entry]


def rank(rows: Sequence[Row], metric: Metric, nthreads: int | None = None) -> Ranking:
    """Ranks interfaces by their medians, in each case with their best composition.

    Two whose medians differ by no more than their runs explain have the same places.

    Without `nthreads` each has the number of threads at which it is best. With it, only programs asked for
    that many threads take part, and the sequential ones. Points of a search are left out, and so are cases in
    which only one interface was measured.
    """
    best: dict[Case, dict[str, Score]] = {}
    for row in rows:
        spread = row.spread(metric)
        asked = row.series.setting.degree
        if row.is_point or spread is None or (nthreads not in (None, asked) and row.interface != SEQUENTIAL):
            continue
        found = best.setdefault(Case(row.of.id, row.case_name), {})
        score = Score(1, spread.median, row.way, asked, tuple(row.values(metric)), NOWHERE)
        known = found.get(row.interface)
        if known is None or ratio(metric, score.value, known.value) > 1:
            found[row.interface] = score
    scores: dict[str, dict[Case, Score]] = {}
    cases = [case for case, found in best.items() if len(found) > 1]
    for case in cases:
        for interface, score in scored(metric, best[case]).items():
            scores.setdefault(interface, {})[case] = score
    order = [Entry(interface, found) for interface, found in scores.items()]
    order.sort(key=lambda one: (-len(one.scores), -one.mean, one.interface))
    everywhere = [one for one in order if len(one.scores) == len(cases)]
    samples = [[one.scores[case].values for case in cases] for one in everywhere]
    found_places = places(samples, more_is_better=metric.more_is_better)
    placed = [replace(one, place=place) for one, place in zip(everywhere, found_places, strict=True)]
    return Ranking(metric, cases, [*placed, *order[len(placed) :]])


def scored(metric: Metric, found: dict[str, Score]) -> dict[str, Score]:
    """The scores of a case, with their ratios to the best and their places."""
    top = winner(metric, [score.value for score in found.values()])
    where = places([[score.values] for score in found.values()], more_is_better=metric.more_is_better)
    return {
        interface: replace(score, ratio=ratio(metric, score.value, top), place=place)
        for (interface, score), place in zip(found.items(), where, strict=True)
    }


def winner(metric: Metric, values: Sequence[float]) -> float:
    """The best of values."""
    return max(values) if metric.more_is_better else min(values)


def ratio(metric: Metric, value: float, other: float) -> float:
    """How much better a value is than another one: above 1 if it is. Two that are alike, 0 among them: 1."""
    if value == other:
        return 1.0
    above, below = (value, other) if metric.more_is_better else (other, value)
    return above / below if below else float("inf")


def degrees(rows: Sequence[Row]) -> list[int]:
    """The numbers of threads that were asked for, of all ranks together."""
    return sorted(
        {row.series.setting.degree for row in rows if row.interface != SEQUENTIAL and not row.is_point}
    )


def plain_score(score: Score | None) -> dict[str, Any] | None:
    """A score as the page has it."""
    if score is None:
        return None
    return {
        "ratio": rounded(score.ratio),
        "value": rounded(score.value),
        "way": score.way,
        "nthreads": score.nthreads,
        "best": score.place.is_best,
        "ties": score.place.ties_with_best,
    }


def plain_ranking(found: Ranking) -> dict[str, Any]:
    """A ranking as the page has it."""
    entries = [
        {
            "interface": one.interface,
            "place": one.place.text if one.place else "",
            "mean": rounded(one.mean),
            "scores": [plain_score(one.scores.get(case)) for case in found.cases],
        }
        for one in found.entries
    ]
    cases = [{"set": case.set_id, "name": case.name} for case in found.cases]
    few = any(not score.place.known for one in found.entries for score in one.scores.values())
    return {"cases": cases, "entries": entries, "few": few}


def plain_rankings(rows: Sequence[Row], metrics: Sequence[Metric]) -> dict[str, dict[str, Any]]:
    """Rankings by each metric, at the best number of threads and at each one."""
    found: dict[str, dict[str, Any]] = {}
    for metric in (one for one in metrics if one not in (SPEED_UP, EFFICIENCY)):
        for asked in (None, *degrees(rows)):
            plain = plain_ranking(rank(rows, metric, asked))
            if plain["cases"]:
                found.setdefault(metric.name, {})["best" if asked is None else str(asked)] = plain
    return found
