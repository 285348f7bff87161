"""How interfaces compare: in each case, and over all of them."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thalweg_cli.experiment import SEQUENTIAL
from thalweg_cli.metrics import Metric
from thalweg_cli.report_data import Row, rounded


@dataclass(frozen=True)
class Case:
    """Where interfaces were measured side by side: a set, an application, an input, a load."""

    set_id: int
    name: str


@dataclass(frozen=True)
class Score:
    """The best that an interface came to in a case. `ratio` is 1 for the best one, below 1 for others."""

    ratio: float
    value: float
    way: str
    nthreads: int


@dataclass(frozen=True)
class Place:
    """An interface with its scores. `mean` is the geometric mean of its ratios."""

    interface: str
    scores: dict[Case, Score]

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
    places: list[Place]


def rank(rows: Sequence[Row], metric: Metric, nthreads: int | None = None) -> Ranking:
    """Ranks interfaces by their medians, in each case with their best composition.

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
        score = Score(1, spread.median, row.way, asked)
        known = found.get(row.interface)
        if known is None or ratio(metric, score.value, known.value) > 1:
            found[row.interface] = score
    places: dict[str, dict[Case, Score]] = {}
    cases = [case for case, found in best.items() if len(found) > 1]
    for case in cases:
        top = winner(metric, [score.value for score in best[case].values()])
        for interface, score in best[case].items():
            share = ratio(metric, score.value, top)
            places.setdefault(interface, {})[case] = Score(share, score.value, score.way, score.nthreads)
    order = [Place(interface, scores) for interface, scores in places.items()]
    order.sort(key=lambda place: (-len(place.scores), -place.mean, place.interface))
    return Ranking(metric, cases, order)


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


def plain_ranking(found: Ranking) -> dict[str, Any]:
    """A ranking as the page has it."""
    places = [
        {
            "interface": place.interface,
            "mean": rounded(place.mean),
            "scores": [
                [rounded(score.ratio), rounded(score.value), score.way, score.nthreads] if score else None
                for score in map(place.scores.get, found.cases)
            ],
        }
        for place in found.places
    ]
    cases = [{"set": case.set_id, "name": case.name} for case in found.cases]
    return {"cases": cases, "places": places}


def plain_rankings(rows: Sequence[Row], metrics: Sequence[Metric]) -> dict[str, dict[str, Any]]:
    """Rankings by each metric, at the best number of threads and at each one."""
    found: dict[str, dict[str, Any]] = {}
    for metric in metrics:
        for asked in (None, *degrees(rows)):
            plain = plain_ranking(rank(rows, metric, asked))
            if plain["cases"]:
                found.setdefault(metric.name, {})["best" if asked is None else str(asked)] = plain
    return found
