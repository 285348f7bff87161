"""The search for the sustainable throughput: the highest rate at which latency stays bounded.

After J. Karimov, T. Rabl, A. Katsifodimos, R. Samarev, H. Heiskanen and V. Markl, Benchmarking Distributed
Stream Data Processing Systems, ICDE 2018: a rate is sustainable if the latency, counted from when an item was
due, does not go on growing. What that means for a run of some length on a machine that does other things is
told at `verdict`. Nothing here runs a program: the search asks for runs, and is told what came of them.
"""

import math
import statistics
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from thalweg_cli.run.experiment import Setting
from thalweg_cli.run.metrics import METRICS, THROUGHPUT, is_told
from thalweg_cli.run.runs import Result, Run

BOUNDED = "bounded"

LOW_LOAD, LOW_RUNS = 0.25, 2
"""The share of the throughput without a rate at which the latency of a stream without queues is measured; and
in how many runs at least. The one with the lowest p99 counts, as other work can only make it longer."""

TIMES_LOW, LEAST_BOUND_MS = 10.0, 10.0
"""The bound of p99, if none is given: so many times p99 at low load, and not less than this."""

GROWTH = 0.01
"""Seconds by which latency may grow in a second. What comes in is more than what goes out by this share."""

FEWEST_SAMPLES, MOST_SAMPLES = 9, 200
"""Of fewer samples no trend is told; of more, some are left out."""

KEEPS_UP = 0.9
"""The share of the rate that a run has to get through: with less, latency may be bounded in a short run."""

LATE, START_S = 0.05, 0.05
"""How much longer than its items come a run may take beside the bound: a share, and time to start threads."""

HOPELESS = 1.25
"""A run that takes so many times as long as its items come is no accident, and is not made again."""

STEP, PRECISION = 1.15, 1.05
"""The first step from the throughput without a rate, and how near the two sides come to each other."""

MOST, LEAST = 4.0, 0.05
"""The shares of the throughput without a rate beyond which nothing is looked for."""

MOST_TRIES, CONFIRMED = 3, 3
"""Runs at a rate until it is given up; and runs at the rate that is the answer."""

DIGITS = 4

SHORT_S = 2.0
"""Runs that are shorter hardly show whether latency grows."""

P99 = METRICS["p99"]


def verdict(result: Result, rate: float, bound_ms: float | None = None) -> str:
    """Whether the latency of a run at a rate was bounded; if it was not, why.

    It was if p99 lies within the bound (where there is one), if the run took what came, which is seen by its
    throughput and by when it ended, and if the latency did not grow all along: that is, unless its trend over
    the run is above 1 % of the time, and it more than doubled from the first to the last third.
    """
    latency = result.get("latency") or {}
    p99, elements, seconds = latency.get("p99_ms"), result.get("elements"), result.get("seconds")
    if p99 is None or not elements or seconds is None:
        return "no latency was measured"
    if bound_ms is not None and p99 > bound_ms:
        return f"p99 of {p99:.4g} ms" if is_told(result, 99) else "latency beyond the bound"
    throughput = result.get("throughput") or elements / seconds
    if throughput < KEEPS_UP * rate:
        return f"took {throughput:.4g}/s of {rate:.4g}/s"
    comes = elements / rate
    if seconds > (1 + LATE) * comes + START_S + (bound_ms or p99) / 1000:
        return f"{seconds:.3g} s for what came in {comes:.3g} s"
    growth = growth_of(result.get("samples") or [])
    if growth > GROWTH:
        return f"latency grew by {1000 * growth:.3g} ms a second"
    return BOUNDED


def growth_of(samples: Sequence[Mapping[str, float]]) -> float:
    """Seconds by which the latency grew in a second, all along the run; 0 if it did not, or cannot be told.

    The trend is the median of the slopes between all samples (Theil and Sen), which does not follow a few
    that are far off.
    """
    points = [(one["seconds"], one["latency_ms"] / 1000) for one in samples if one.get("latency_ms")]
    points = points[:: 1 + len(points) // MOST_SAMPLES]
    if len(points) < FEWEST_SAMPLES:
        return 0
    third = len(points) // 3
    first, last = (statistics.median(y for _, y in part) for part in (points[:third], points[-third:]))
    if last <= 2 * first:
        return 0
    from scipy.stats import theilslopes  # type: ignore[import-untyped]  # noqa: PLC0415  (loading it takes long)

    when, latency = zip(*points, strict=True)
    return max(0.0, float(theilslopes(latency, when).slope))


@dataclass(frozen=True)
class Ask:
    """A run that the search wants: at a rate, or without one. It is expected to take so many seconds."""

    rate: float | None = None
    bound_ms: float | None = None
    seconds: float = 0

    def judge(self, run: Run) -> str:
        """What is to be thought of such a run."""
        return "" if self.rate is None or run.error else verdict(run.result, self.rate, self.bound_ms)


@dataclass(frozen=True)
class Found:
    """What came of a search.

    Throughput without a rate, p99 at low load, the bound, the highest rate at which latency was bounded, and
    in how many runs of how many there; the lowest rate above it at which it was not. `seconds` is what the
    runs there took. `has_p99`: whether p99 at low load may be shown. Without a `rate` none was found, and
    `error` may say why.
    """

    setting: Setting
    unthrottled: float = 0
    low_p99_ms: float = 0
    bound_ms: float = 0
    rate: float | None = None
    above: float | None = None
    bounded: int = 0
    runs: int = 0
    seconds: float = 0
    error: str = ""
    has_p99: bool = False

    def plain(self) -> dict[str, Any]:
        """As it is kept."""
        return {**key_of(self.setting), **{name: getattr(self, name) for name in VALUES}}


VALUES = [name for name in Found.__dataclass_fields__ if name != "setting"]


KEYS = ("input", "nprocs", "nthreads", "batch", "batch_bytes", "batch_interval", "user_args", "adapt")


def key_of(setting: Setting) -> dict[str, Any]:
    """What the points of one search have in common, as it is kept."""
    return {"program": setting.program.name, **{name: getattr(setting, name) for name in KEYS}}


def found_among(findings: Sequence[Mapping[str, Any]], settings: Sequence[Setting]) -> list[Found]:
    """What was kept, with the settings that it is of."""
    by_key = {tuple(key_of(one).values()): replace(one, frequency=None, purpose="") for one in settings}
    known = []
    for kept in findings:
        arguments = tuple(kept.get("user_args", ()))  # which earlier versions have not kept
        key = tuple(({"adapt": "", **kept, "user_args": arguments}).get(name) for name in ("program", *KEYS))
        if key in by_key:
            known.append(Found(by_key[key], **{name: kept[name] for name in VALUES if name in kept}))
    return known


class RunFailed(Exception):
    """A run of a search failed, so there is nothing to search with."""


@dataclass
class Tally:
    """What came of the runs at a rate."""

    bounded: int = 0
    runs: int = 0
    hopeless: bool = False
    seconds: list[float] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether latency was bounded in most of them."""
        return 2 * self.bounded > self.runs

    @property
    def decided(self) -> bool:
        """Whether no further run is needed to go on.

        What else the machine does can only make latency longer. So one good run is enough on the way, and a
        bad one is made again.
        """
        bad = self.runs - self.bounded
        return self.runs > 0 and (
            bad == 0 or self.hopeless or bad > MOST_TRIES // 2 or self.runs >= MOST_TRIES
        )


Steps = Generator[Ask, Run, None]


class Search:
    """The search for one setting. `steps` asks for one run after the other; `found` is what came of them."""

    def __init__(self, setting: Setting, repeat: int = 1, bound_ms: float | None = None) -> None:
        self.found = Found(setting)
        self._repeat = repeat
        self._bound_ms = bound_ms
        self._elements = 0.0
        self._has_p99 = False
        self._tallies: dict[float, Tally] = {}

    def steps(self) -> Steps:
        """Asks for runs until the rate is found."""
        try:
            yield from self._prepare()
            yield from self._search()
        except RunFailed as failed:
            self.found = replace(self.found, error=str(failed))

    def _prepare(self) -> Steps:
        rates = yield from self._several(Ask(), self._repeat, THROUGHPUT.of)
        unthrottled = statistics.median(rates)
        if unthrottled <= 0 or self._elements <= 0:
            raise RunFailed("it measured no throughput")
        at_low_load = self._ask(rounded(LOW_LOAD * unthrottled))
        low_p99 = min((yield from self._several(at_low_load, max(self._repeat, LOW_RUNS), P99.of)))
        bound = self._bound_ms or max(TIMES_LOW * low_p99, LEAST_BOUND_MS)
        self.found = replace(
            self.found,
            unthrottled=unthrottled,
            low_p99_ms=low_p99,
            bound_ms=bound,
            has_p99=self._has_p99,
        )

    def _several(
        self, ask: Ask, times: int, value: Callable[[Run], float | None]
    ) -> Generator[Ask, Run, list[float]]:
        values = []
        for _ in range(times):
            run = yield from self._run(ask)
            measured = value(run)
            if measured is None:
                raise RunFailed("it measured no latency" if ask.rate else "it measured no throughput")
            values.append(measured)
        return values

    def _run(self, ask: Ask) -> Generator[Ask, Run, Run]:
        run = yield ask
        if run.error:
            raise RunFailed(run.error)
        self._elements = float(run.result.get("elements") or 0)
        self._has_p99 = is_told(run.result, 99)
        return run

    def _ask(self, rate: float) -> Ask:
        return Ask(rate, self.found.bound_ms or None, self._elements / rate)

    def _search(self) -> Steps:
        start = rounded(self.found.unthrottled)
        if (yield from self._holds(start)):
            good, bad = yield from self._above(start)
        else:
            good, bad = yield from self._below(start)
        while good is not None:
            if bad is not None:
                good, bad = yield from self._bisect(good, bad)
            if (yield from self._confirms(good)):
                break
            good, bad = yield from self._below(good)
        self.found = replace(self.found, rate=good, above=bad)
        if good is not None:
            there = self._tallies[good]
            seconds = statistics.median(there.seconds)
            self.found = replace(self.found, bounded=there.bounded, runs=there.runs, seconds=seconds)

    def _above(self, good: float) -> Generator[Ask, Run, tuple[float | None, float | None]]:
        """The two sides: from a rate that holds upwards, in steps of which each is twice as long."""
        most, step = MOST * good, STEP
        while (rate := rounded(good * step)) <= most:
            if not (yield from self._holds(rate)):
                return good, rate
            good, step = rate, step * step
        return good, None

    def _below(self, bad: float) -> Generator[Ask, Run, tuple[float | None, float | None]]:
        """The two sides: from a rate that does not hold downwards. What is known is not tried again."""
        known = [rate for rate, tally in self._tallies.items() if rate < bad and tally.holds]
        if known:
            return max(known), bad
        least, step = LEAST * self.found.unthrottled, STEP
        while (rate := rounded(bad / step)) >= least:
            if (yield from self._holds(rate)):
                return rate, bad
            bad, step = rate, step * step
        return None, bad

    def _bisect(self, good: float, bad: float) -> Generator[Ask, Run, tuple[float, float]]:
        """The two sides, near to each other: halves the ratio between them."""
        while bad / good > PRECISION:
            middle = rounded(math.sqrt(good * bad))
            if (yield from self._holds(middle)):
                good = middle
            else:
                bad = middle
        return good, bad

    def _holds(self, rate: float) -> Generator[Ask, Run, bool]:
        tally = self._tallies.setdefault(rate, Tally())
        while not tally.decided:
            yield from self._try(rate, tally)
        return tally.holds

    def _confirms(self, rate: float) -> Generator[Ask, Run, bool]:
        tally = self._tallies[rate]
        while tally.runs < max(CONFIRMED, self._repeat):
            yield from self._try(rate, tally)
        return tally.holds

    def _try(self, rate: float, tally: Tally) -> Steps:
        run = yield from self._run(self._ask(rate))
        seconds = float(run.result.get("seconds") or 0)
        tally.runs += 1
        tally.bounded += run.judged == BOUNDED
        tally.seconds.append(seconds)
        much_too_long = seconds > HOPELESS * self._elements / rate + START_S
        tally.hopeless |= run.judged != BOUNDED and much_too_long


def rounded(value: float) -> float:
    """A rate in a few digits."""
    return float(f"{value:.{DIGITS}g}")
