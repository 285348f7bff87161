"""MPR's loop at work: a farm that begins with one replica, and is to reach 60 % of what the best number does.

J. H. Löff, master's thesis, PUCRS, 2023, section 7.3.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from thalweg_cli.experiments.kinds import COLORS, FIXED, Asked, Case, Experiment, Kind, fixed_numbers
from thalweg_cli.experiments.over_time import OverTime, middle, runs_over_time
from thalweg_cli.experiments.sections import Json, Plot, Section, line, rounded, shown
from thalweg_cli.measure.measuring import Bench, in_rounds
from thalweg_cli.measure.recipe import short
from thalweg_cli.run.experiment import Setting
from thalweg_cli.run.runs import Series

CASES = tuple(Case(name, "large", "small") for name in ("mandelbrot", "primes", "bzip2", "lane_detection"))

SHARE = 0.6
"""The goal, as a share of the best throughput with a fixed number of replicas."""

PERIOD_MS, QUICK_PERIOD_MS = 1000, 100
"""How often the loop looks, and how often samples are taken."""

BAND = 0.9375
"""From this share of the goal on the loop adds nothing."""

ITEMS = "items a second"

CUT = 4
"""How many times the goal the plot reaches up to."""

DEGREE = 4
"""Of the polynomial that shows the trend, as it is there."""


@dataclass
class Reached:
    """The runs of a program: with fixed numbers of replicas, and, once these are known, with the loop."""

    fixed: dict[int, Series]
    adaptive: Series | None = None
    best: int = 0
    goal: float = 0.0
    seen: OverTime | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The application and the input."""
        setting = self.fixed[1].setting
        return f"{setting.program.application} {setting.input}"


class Elastic(Experiment):
    """Runs all fixed numbers first, and then the loop with the goal that follows from them."""

    def __init__(self, asked: Asked) -> None:
        self._repeat = asked.repeat
        self._numbers = fixed_numbers(quick=asked.quick)
        self._period_ms = QUICK_PERIOD_MS if asked.quick else PERIOD_MS
        self._samples = Path()
        inputs = {case.application: case.of(quick=asked.quick) for case in asked.cases}
        self.reached = [
            Reached({n: Series(Setting(one, inputs[one.application], n)) for n in self._numbers})
            for one in asked.programs.values()
        ]
        self._fixed = [row for one in self.reached for row in one.fixed.values()]
        self.rows = list(self._fixed)

    def go(self, bench: Bench) -> None:
        """Makes all runs. What failed with a fixed number has no goal to reach."""
        self._samples = bench.samples
        total = self._repeat * (len(self._fixed) + len(self.reached))
        in_rounds(bench, self._fixed, self._repeat, 0, total, self._sampled)
        for one in self.reached:
            self._set_goal(one)
        adaptive = [one.adaptive for one in self.reached if one.adaptive]
        self.rows += adaptive
        in_rounds(bench, adaptive, self._repeat, 0, total, self._sampled)

    def _sampled(self, _: Setting) -> int:
        return self._period_ms

    def _set_goal(self, one: Reached) -> None:
        rates = {
            n: median(run.rate for run in runs)
            for n, row in one.fixed.items()
            if not row.error and (runs := runs_over_time(row, self._samples))
        }
        if not rates:
            return
        one.best = max(rates, key=rates.__getitem__)
        one.goal = SHARE * rates[one.best]
        text = adapt_text(one.goal, self._period_ms, 2 * max(self._numbers))
        one.adaptive = Series(replace(one.fixed[1].setting, adapt=text))

    def sections(self) -> list[Section]:
        """One, with a plot for each program."""
        for one in self.reached:
            one.seen = middle(one.adaptive, self._samples) if one.adaptive else None
        columns = (
            "",
            "best fixed",
            "goal (items/s)",
            "reached (items/s)",
            "time at the goal (%)",
            "replicas (mean)",
            "replicas (last)",
            "changes",
        )
        title = f"MPR's loop from one replica on, with {100 * SHARE:g} % of the best fixed number as its goal"
        rows = [cells_of(one) for one in self.reached]
        plots = [plot_of(one, one.seen) for one in self.reached if one.seen]
        return [Section("elastic", title, columns, rows, plots)]


def adapt_text(goal: float, period_ms: int, most: int) -> str:
    """What a program is told."""
    period = f"period={short(period_ms / 1000)}"
    # It never uses the most that is allowed.
    return f"planner=mpr:goal={short(goal)},{period} goal=throughput every={period_ms}ms most={most}"


def cells_of(one: Reached) -> tuple[str, ...]:
    """A row of the table: the run with the median throughput."""
    seen = one.seen
    return (
        one.name,
        str(one.best or "-"),
        shown(one.goal or None),
        shown(seen.rate if seen else None),
        shown(100 * seen.share_from(BAND * one.goal) if seen else None),
        shown(seen.mean_replicas if seen else None),
        shown(seen.replicas[-1] if seen else None),
        shown(seen.changes if seen else None),
    )


def plot_of(one: Reached, seen: OverTime) -> Plot:
    """Throughput as bars, its trend, the goal, and replicas as steps, whose axis is on the right."""
    rates, lengths = seen.rates[: seen.whole], seen.lengths[: seen.whole]
    middles = [end - length / 2 for end, length in zip(seen.at, lengths, strict=False)]
    bars: Json = {
        "type": "bar",
        "name": "throughput",
        "x": rounded(middles),
        "y": rounded(rates),
        "width": rounded(lengths),
        "marker": {"color": COLORS[0], "opacity": 0.5},
    }
    traces = [
        bars,
        line("goal", [0, seen.elapsed], [one.goal] * 2, COLORS[1], dash="dash"),
        line("replicas", *seen.steps, FIXED, shape="hv") | {"yaxis": "y2"},
    ]
    if len(middles) > DEGREE + 1:
        traces.append(line("trend", middles, trend(middles, rates), COLORS[2]))
    right = {
        "overlaying": "y",
        "side": "right",
        "rangemode": "tozero",
        "automargin": True,
        "showgrid": False,
        "title": {"text": "replicas"},
    }
    # What is far above the goal is cut off: else nothing would be seen of what is near it.
    left = {"title": {"text": ITEMS}, "range": [0, min(1.05 * max(rates), CUT * one.goal)]}
    title = f"{one.name}: throughput, its trend, the goal, and replicas"
    return Plot(title, "s", ITEMS, traces, {"yaxis": left, "yaxis2": right})


def trend(x: Sequence[float], y: Sequence[float]) -> list[float]:
    """The polynomial through these points, by least squares, at each of them."""
    import numpy as np  # noqa: PLC0415  (loading numpy takes long)

    # In units of the whole length, as high powers of seconds are numbers of very different size.
    scaled = np.asarray(x) / max(x)
    return [float(value) for value in np.polyval(np.polyfit(scaled, y, DEGREE), scaled)]


KIND = Kind(
    "mpr-elastic",
    "MPR's loop: from one replica on to 60 % of what the best fixed number does, once a second",
    CASES,
    ("thalweg_elastic",),
    3,
    Elastic,
)
