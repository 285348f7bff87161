"""Who is surely better than whom: the places of some samples of runs, where those that tie share theirs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from thalweg_cli.results.statistics import FEWEST, RESAMPLES, SEED, medians

if TYPE_CHECKING:
    import numpy as np

SURE = 0.975
"""The share of draws in which the better one is better: the interval of 95 % of their ratio leaves 1 out."""


@dataclass(frozen=True)
class Place:
    """The places, from 1, that one may have among some: one only if nobody ties with it.

    `known` is False if it has too few runs to say anything.
    """

    first: int
    last: int
    known: bool = True

    @property
    def is_best(self) -> bool:
        """Whether it is surely better than all others."""
        return self.first == self.last == 1

    @property
    def ties_with_best(self) -> bool:
        """Whether none is surely better, but some may be as good."""
        return self.known and self.first == 1 < self.last

    @property
    def text(self) -> str:
        """The place, or from which to which."""
        if not self.known:
            return ""
        return str(self.first) if self.first == self.last else f"{self.first}\N{EN DASH}{self.last}"


@lru_cache(maxsize=4096)
def log_medians(values: tuple[float, ...], number: int) -> "np.ndarray | None":
    """Logarithms of medians of a sample that is drawn again; None if there are too few values.

    Samples with different numbers are drawn independently of each other.
    """
    if len(values) < FEWEST:
        return None
    import numpy as np  # noqa: PLC0415  (loading numpy takes long)

    with np.errstate(divide="ignore"):
        found: np.ndarray = np.log(medians(values, np.random.default_rng([SEED, number])))
    return found


def total(samples: Sequence[tuple[float, ...]], number: int) -> "np.ndarray | None":
    """The sum of the logarithms over several samples, as a geometric mean has it; None if one is small."""
    drawn = [log_medians(values, number * 1000 + place) for place, values in enumerate(samples)]
    there = [one for one in drawn if one is not None]
    return sum(there[1:], start=there[0]) if there and len(there) == len(drawn) else None


def places(candidates: Sequence[Sequence[tuple[float, ...]]], *, more_is_better: bool) -> list[Place]:
    """The places of candidates, of which each has a sample of values in every one of some cases."""
    totals = [total(samples, number) for number, samples in enumerate(candidates)]
    return [
        Place(
            1 + sum(is_surely_above(other, one, more_is_better=more_is_better) for other in totals),
            len(totals) - sum(is_surely_above(one, other, more_is_better=more_is_better) for other in totals),
            known=one is not None,
        )
        for one in totals
    ]


def is_surely_above(one: "np.ndarray | None", other: "np.ndarray | None", *, more_is_better: bool) -> bool:
    """Whether the first is better than the second, by more than what runs differ by among themselves."""
    if one is None or other is None:
        return False
    better = one > other if more_is_better else one < other
    return bool(better.sum() > SURE * RESAMPLES)
