"""TeeTime's self-adaptive task farm: without a farm, with the best fixed number of workers, and adaptive.

C. Wulf, Efficient Engineering and Execution of Pipe-and-Filter Architectures, 2019, section 13.3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from thalweg_cli.experiments.kinds import COLORS, FIXED, Asked, Case, Experiment, Kind, cores, fixed_numbers
from thalweg_cli.experiments.over_time import OverTime, middle
from thalweg_cli.experiments.sections import Json, Plot, Section, line, shown
from thalweg_cli.measure.measuring import Bench, in_rounds
from thalweg_cli.run.experiment import Setting
from thalweg_cli.run.metrics import THROUGHPUT
from thalweg_cli.run.runs import Series

CASES = (
    Case("hash_search", "medium_even", "small"),
    Case("hash_search", "medium_growing", "small"),
    Case("file_writer", "medium", "test"),
    Case("xml_transform", "medium", "small"),
)

BOUNDARIES = (0.0, 0.025, 0.05, 0.1, 0.15, 0.2, 0.225)
QUICK_BOUNDARIES = (0.025, 0.2)

PREDICTORS = {"regression": "teetime", "mean": "teetime-mean", "weighted": "teetime-weighted"}
"""What TeeTime predicts by, and the planners that do so."""

EVERY_MS = 50
"""How often TeeTime's manager looks, and how often samples are taken."""


@dataclass(frozen=True)
class Adaptive:
    """A predictor with a boundary, and its runs."""

    predictor: str
    boundary: float
    row: Series

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.predictor}, b = {self.boundary:g}"


@dataclass(frozen=True)
class Compared:
    """The runs of an application on an input: without a farm, with fixed numbers of workers, adaptive."""

    application: str
    input: str
    without: Series
    fixed: Mapping[int, Series]
    adaptive: Sequence[Adaptive]

    @property
    def name(self) -> str:
        """The application and the input."""
        return f"{self.application} {self.input}"

    @property
    def best_fixed(self) -> int | None:
        """The number of workers with the highest throughput."""
        numbers = [n for n, row in self.fixed.items() if row.good]
        return max(numbers, key=lambda n: rate(self.fixed[n]), default=None)

    def best(self, predictor: str | None = None) -> Adaptive | None:
        """The boundary, of those of a predictor or of all, with the highest throughput."""
        among = [one for one in self.adaptive if predictor in (None, one.predictor) and one.row.good]
        return max(among, key=lambda one: rate(one.row), default=None)

    def speed_up(self, row: Series) -> float | None:
        """How many times as fast as without a farm."""
        base = rate(self.without)
        return rate(row) / base if base else None


def rate(row: Series) -> float:
    """The median throughput; 0 without runs."""
    return median(values) if (values := THROUGHPUT.values(row)) else 0.0


class TaskFarm(Experiment):
    """Runs all ways on all inputs in turn."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._samples = Path()
        inputs = dict.fromkeys((case.application, case.of(quick=asked.quick)) for case in asked.cases)
        self.compared = [self._compared(*one) for one in inputs]
        self.rows = [
            row
            for one in self.compared
            for row in (one.without, *one.fixed.values(), *(way.row for way in one.adaptive))
        ]

    def _compared(self, application: str, name: str) -> Compared:
        programs = self._asked.programs
        sequential, elastic = (programs[f"{application}_{way}"] for way in ("sequential", "thalweg_elastic"))
        boundaries = QUICK_BOUNDARIES if self._asked.quick else BOUNDARIES
        return Compared(
            application,
            name,
            Series(Setting(sequential, name)),
            {n: Series(Setting(elastic, name, n)) for n in fixed_numbers(quick=self._asked.quick)},
            [
                Adaptive(predictor, b, Series(Setting(elastic, name, adapt=text(planner, b))))
                for predictor, planner in PREDICTORS.items()
                for b in boundaries
            ],
        )

    def go(self, bench: Bench) -> None:
        """Makes all runs."""
        self._samples = bench.samples
        repeat = self._asked.repeat
        in_rounds(bench, self.rows, repeat, 0, repeat * len(self.rows), lambda _: EVERY_MS)

    def sections(self) -> list[Section]:
        """A section for each input, and the best of all in one table, as TeeTime's table 13.3 has it."""
        return [summary_of(self.compared), *(section_of(one, self._samples) for one in self.compared)]


def text(planner: str, boundary: float) -> str:
    """What a program is told."""
    return f"planner={planner}:boundary={boundary:g} goal=throughput every={EVERY_MS}ms"


def summary_of(all_of: Sequence[Compared]) -> Section:
    """The best of each."""
    rows = []
    for one in all_of:
        best, workers = one.best(), one.best_fixed
        fixed = one.fixed[workers] if workers else None
        ratio = rate(best.row) / rate(fixed) if best and fixed and rate(fixed) else None
        rows.append(
            (
                one.name,
                shown(rate(one.without)),
                str(workers or "-"),
                shown(one.speed_up(fixed) if fixed else None),
                best.name if best else "-",
                shown(one.speed_up(best.row) if best else None),
                shown(ratio),
            )
        )
    columns = (
        "",
        "without (/s)",
        "best fixed",
        "speed-up",
        "best adaptive",
        "speed-up",
        "adaptive to fixed",
    )
    title = (
        f"without a farm, the best fixed number of workers, and the best adaptive farm, on {cores()} cores"
    )
    return Section("best", title, columns, rows)


def section_of(one: Compared, samples: Path) -> Section:
    """All ways on an input."""
    ways = {
        "without a farm": one.without,
        **{workers_text(n): row for n, row in one.fixed.items()},
        **{way.name: way.row for way in one.adaptive},
    }
    seen = {name: middle(row, samples) for name, row in ways.items()}
    rows = [row_of(name, one, row, seen[name]) for name, row in ways.items()]
    columns = ("", "elements (/s)", "speed-up", "workers (mean)", "workers (most)", "changes")
    return Section(one.name.replace(" ", "-"), one.name, columns, rows, plots_of(one, samples))


def row_of(name: str, one: Compared, row: Series, seen: OverTime | None) -> tuple[str, ...]:
    """A way; its workers are those of the run with the median throughput."""
    return (
        name,
        shown(rate(row)),
        shown(one.speed_up(row)),
        shown(seen.mean_replicas if seen else None),
        shown(max(seen.replicas) if seen else None),
        shown(seen.changes if seen else None),
    )


def plots_of(one: Compared, samples: Path) -> list[Plot]:
    """Speed-up over the boundary; throughput and workers over time."""
    lines = over_time(one, samples)
    return [
        Plot("Speed-up to the program without a farm, over the boundary", "b", "", by_boundary(one)),
        Plot(
            "Throughput of the best boundary of each predictor, and of the best fixed number",
            "s",
            "items a second",
            [
                line(name, seen.at[: seen.whole], seen.rates[: seen.whole], color)
                for name, seen, color in lines
            ],
        ),
        Plot("Workers", "s", "", [line(name, *seen.steps, color, shape="hv") for name, seen, color in lines]),
    ]


def by_boundary(one: Compared) -> list[Json]:
    """The speed-ups of each predictor, and that of the best fixed number."""
    traces = []
    for predictor, color in zip(PREDICTORS, COLORS, strict=True):
        ways = [way for way in one.adaptive if way.predictor == predictor]
        speed_ups = [one.speed_up(way.row) or 0 for way in ways]
        traces.append(
            line(predictor, [way.boundary for way in ways], speed_ups, color) | {"mode": "lines+markers"}
        )
    if workers := one.best_fixed:
        ends = [one.adaptive[0].boundary, one.adaptive[-1].boundary]
        speed_up = one.speed_up(one.fixed[workers]) or 0
        traces.append(line(workers_text(workers), ends, [speed_up] * 2, FIXED, dash="dot"))
    return traces


def over_time(one: Compared, samples: Path) -> list[tuple[str, OverTime, str]]:
    """The best fixed number, and the best boundary of each predictor: name, run, and color."""
    ways: list[tuple[str, Series, str]] = []
    if workers := one.best_fixed:
        ways.append((workers_text(workers), one.fixed[workers], FIXED))
    for predictor, color in zip(PREDICTORS, COLORS, strict=True):
        if best := one.best(predictor):
            ways.append((best.name, best.row, color))
    return [(name, seen, color) for name, row, color in ways if (seen := middle(row, samples))]


def workers_text(n: int) -> str:
    """A fixed number, in words."""
    return f"{n} worker{'s' * (n != 1)}"


KIND = Kind(
    "teetime-farm",
    "TeeTime's adaptive task farm: without a farm, fixed workers, three predictors by seven boundaries",
    CASES,
    ("sequential", "thalweg_elastic"),
    15,
    TaskFarm,
)
