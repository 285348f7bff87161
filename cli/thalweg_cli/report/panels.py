"""What stands in one card of a report: rows that differ by an axis alone, as lines over it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog.programs import SEQUENTIAL
from thalweg_cli.report.data import EFFICIENCY, SPEED_UP, Row, held, number_or_word, pace_of
from thalweg_cli.run.experiment import SUSTAINABLE, number
from thalweg_cli.run.metrics import LATENCY, MEMORY, METRICS, THROUGHPUT, Metric

DEGREES = ("nthreads", "threads", "nprocs")
"""Axes that say how much works at once."""

UNITS = {
    "nprocs": "ranks",
    "nthreads": "threads",
    "batch": "a batch",
    "batch_bytes": "bytes a batch",
    "batch_interval": "s a batch",
    "frequency": "/s",
}
"""What settings may differ by, in the order in which a card names what they have in common."""

TITLES = {
    "nthreads": "threads asked for",
    "threads": "threads really there",
    "nprocs": "ranks",
    "batch": "elements in a batch",
    "batch_bytes": "bytes in a batch",
    "batch_interval": "seconds for a batch",
    "frequency": "elements asked for each second",
}
ARGUMENT = "user-arg"

HALF, UPPER, LONGEST = METRICS["p50"], (METRICS["p99"], METRICS["p95"]), METRICS["max"]
"""The quantiles of a band: the middle, one of those that may be its end, and what no element exceeds."""

SHIFTED = 0.5
"""The share of the least distance of two places over which lines are spread, so that none hides another."""


@dataclass(frozen=True)
class Axis:
    """What rows are placed by. A place is a number, or a word of a user's argument.

    `argument`: the place of that argument among a row's; None for what is no argument.
    """

    name: str
    title: str
    place: Callable[[Row], float | str | None]
    argument: int | None = None


@dataclass(frozen=True)
class Line:
    """The rows of a program by their places. A level one is the same at all places: a sequential program."""

    name: str
    rows: list[Row]
    at: list[float]
    shift: float
    is_level: bool


@dataclass(frozen=True)
class Chart:
    """A plot: of a metric, or of a band of quantiles of the latency up to `upper`, if there is one."""

    metric: Metric
    is_band: bool = False
    upper: Metric | None = None

    @property
    def title(self) -> str:
        """What it shows, in words."""
        if not self.is_band:
            return f"{self.metric.heading}, {'more' if self.metric.more_is_better else 'less'} is better"
        share = f", thick bar up to {self.upper.percent:g} % of them" if self.upper else ""
        return f"Latency (ms): mark at half of the elements{share}, thin bar up to all, less is better"


@dataclass(frozen=True)
class Panel:
    """A card: its title, its lines, and the places on its axis, each with how it is called."""

    title: str
    axis: Axis
    lines: list[Line]
    ticks: list[tuple[float, str]]

    @property
    def is_of_one_place(self) -> bool:
        """Whether there is nothing to draw lines over."""
        return len(self.ticks) == 1

    @property
    def charts(self) -> list[Chart]:
        """The plots for which there are numbers."""
        rows = [row for line in self.lines for row in line.rows]
        shown = [THROUGHPUT]
        shown += [SPEED_UP, EFFICIENCY] if self.axis.name in DEGREES else []
        charts = [Chart(metric) for metric in (*shown, LATENCY[0]) if any(map_values(rows, metric))]
        with_half = [row for row in rows if row.values(HALF)]
        if with_half:
            upper = next((one for one in UPPER if all(row.values(one) for row in with_half)), None)
            charts.append(Chart(HALF, is_band=True, upper=upper))
        return charts + [Chart(metric) for metric in reversed(MEMORY) if any(map_values(rows, metric))]


def map_values(rows: Iterable[Row], metric: Metric) -> list[list[float]]:
    """The values of each row."""
    return [row.values(metric) for row in rows]


def across(count: int) -> int:
    """How many plots stand side by side: three if that leaves none alone, as four are two by two."""
    if count <= 3:
        return max(1, count)
    return next((wide for wide in (3, 2, 4) if count % wide != 1), 3)


def axes_of(rows: Sequence[Row], wanted: str = "") -> list[Axis]:
    """The axes along which rows differ; threads, and what is wanted, in any case."""
    found = [Axis(name, title, placed_by(name)) for name, title in TITLES.items()]
    found = [
        axis
        for axis in found
        if axis.name in ("nthreads", "threads", wanted)
        or len({axis.place(row) for row in rows if axis.place(row) is not None}) > 1
    ]
    most = max((len(row.user_args) for row in rows), default=0)
    for index in range(most):
        title = f"argument {index + 1} of the user"
        argument = Axis(f"{ARGUMENT}-{index + 1}", title, argument_at(index), index)
        if len({argument.place(row) for row in rows} - {None}) > 1:
            found.append(argument)
    return found


def axis_named(rows: Sequence[Row], name: str) -> Axis:
    """The axis that a user asks for; `user-arg` is the first argument by which rows differ.

    Raises Failed if no row has a place on it.
    """
    wanted = name.replace("-", "_")
    found = [
        axis
        for axis in axes_of(rows, wanted)
        if axis.name == wanted or (name == ARGUMENT and axis.name.startswith(ARGUMENT))
    ]
    # The sequential program has a place among ranks, though it has none.
    there = rows if wanted != "nprocs" else [row for row in rows if row.series.setting.nprocs]
    if not found or all(found[0].place(row) is None for row in there):
        what = {"nprocs": "are no runs of programs over MPI", ARGUMENT: "is no argument by which runs differ"}
        raise Failed(f"--by {name}: there {what.get(name, 'are no runs with one')} among these")
    return found[0]


def placed_by(name: str) -> Callable[[Row], float | None]:
    """Where rows stand on an axis: threads asked for are those of all ranks."""

    def place(row: Row) -> float | None:
        setting = row.series.setting
        if name == "nthreads":
            return setting.degree
        if name == "threads":
            return row.series.threads
        if name == "nprocs" and row.interface == SEQUENTIAL:
            return 1  # beside those over MPI
        return given(row, name)

    return place


THREADS = Axis("nthreads", TITLES["nthreads"], placed_by("nthreads"))


def argument_at(index: int) -> Callable[[Row], float | str | None]:
    """Where rows stand by an argument of the user: at its number, if it is one."""

    def place(row: Row) -> float | str | None:
        return number_or_word(row.user_args[index]) if index < len(row.user_args) else None

    return place


def given(row: Row, name: str) -> float | None:
    """What the setting of a row says; a rate that was found is not one that was asked for."""
    setting = row.series.setting
    if name == "frequency" and setting.purpose == SUSTAINABLE:
        return None
    value: float | None = getattr(setting, name)
    return value


def name_for(axis: Axis, rows: Iterable[Row]) -> Callable[[Row], str]:
    """How lines are called. Sets that differ by an argument alone are one line along it."""
    found: dict[int, set[float | str | None]] = {}
    for row in rows:
        found.setdefault(row.of.id, set()).add(axis.place(row))
    is_of_sets = axis.argument is not None and all(len(one) == 1 for one in found.values())
    with_set = len(found) > 1 and not is_of_sets

    def name(row: Row) -> str:
        way = row.along(axis.argument).way
        return f"{way}, set {row.of.id}" if with_set else way

    return name


def panels_of(rows: Sequence[Row], axis: Axis, name_of: Callable[[Row], str]) -> list[Panel]:
    """The cards. The sequential program, which has one thread in any case, is in all that are like it."""
    there = [row for row in rows if axis.place(row) is not None and row.series.good and not row.is_point]
    found: dict[str, list[Row]] = {}
    alike: dict[str, list[str]] = {}
    for row in there:
        if row.interface != SEQUENTIAL:
            title = in_common(row, axis)
            found.setdefault(title, []).append(row)
            titles = alike.setdefault(in_common(row, axis, threads=False), [])
            titles += [title] if title not in titles else []
    for row in there:
        if row.interface == SEQUENTIAL:
            base = in_common(row, axis, threads=False)
            for title in alike.get(base, [base]):
                found.setdefault(title, []).insert(0, row)
    return [panel(title, axis, inside, name_of) for title, inside in found.items()]


def in_common(row: Row, axis: Axis, *, threads: bool = True) -> str:
    """What the rows of a card have in common."""
    parts = [row.application, row.series.setting.input]
    for name, unit in UNITS.items():
        of_threads = name in DEGREES and (axis.name in DEGREES or not threads)
        value = None if name == axis.name or of_threads else given(row, name)
        parts += [f"{number(value)} {unit}"] if value is not None else []
    apart = (axis.argument, *row.naming)
    own = [argument for index, argument in enumerate(row.user_args) if index not in apart]
    parts += [pace_of(row), held(row.conditions)]
    parts += [f"arguments {' '.join(own)}"] if own else []
    return ", ".join(filter(None, parts))


def panel(title: str, axis: Axis, rows: Sequence[Row], name_of: Callable[[Row], str]) -> Panel:
    """A card of some rows."""
    words = list(dict.fromkeys(axis.place(row) for row in rows))
    in_order = sorted(words, key=lambda word: (isinstance(word, str), word))
    is_number = not any(isinstance(word, str) for word in words)
    where = {word: float(word) if is_number else float(index) for index, word in enumerate(in_order)}  # type: ignore[arg-type]
    ticks = [(where[word], word if isinstance(word, str) else number(word)) for word in in_order]  # type: ignore[arg-type]
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        by_name.setdefault(name_of(row), []).append(row)
    levels = {
        name
        for name, inside in by_name.items()
        if len(inside) == 1 and inside[0].interface == SEQUENTIAL and axis.name in DEGREES and len(ticks) > 1
    }
    shifts = dict(zip(by_name, spread_out(ticks, len(by_name)), strict=True))
    lines = []
    for name, inside in by_name.items():
        inside.sort(key=lambda row: where[axis.place(row)])
        at = [where[axis.place(row)] for row in inside]
        lines.append(Line(name, inside, at, shifts[name], name in levels))
    return Panel(title, axis, lines, ticks)


def spread_out(ticks: Sequence[tuple[float, str]], count: int) -> list[float]:
    """How far each of some lines is moved from the places at which they all are."""
    gap = min((later[0] - earlier[0] for earlier, later in pairwise(ticks)), default=0)
    step = min(SHIFTED / count, 0.06) * gap if count else 0
    return [(place - (count - 1) / 2) * step for place in range(count)]


def limits_of(panels: Sequence[Panel]) -> dict[str, list[float]]:
    """The lowest value above 0 and the highest one of each metric, for one scale over all cards."""
    found: dict[str, list[float]] = {}
    for one in panels:
        for chart in one.charts:
            metrics = (HALF, LONGEST) if chart.is_band else (chart.metric,)
            values = [
                value
                for line in one.lines
                for row in line.rows
                for metric in metrics
                if (spread := row.spread(metric))
                for value in (spread.low, spread.high, spread.mean + spread.deviation)
                if value > 0
            ]
            if values:
                known = found.get(chart_name(chart), values)
                found[chart_name(chart)] = [min([*values, *known]), max([*values, *known])]
    return found


def chart_name(chart: Chart) -> str:
    """What a plot is called in data."""
    return "band" if chart.is_band else chart.metric.name


def plain_axis(axis: Axis, rows: Sequence[Row], name_of: Callable[[Row], str]) -> dict[str, Any]:
    """The cards of an axis as the page has them: rows by their numbers."""
    numbers = {id(row): index for index, row in enumerate(rows)}
    panels = panels_of(rows, axis, name_of)
    plain = [
        {
            "title": one.title,
            "ticks": one.ticks,
            "lines": [
                {
                    "name": line.name,
                    "rows": [numbers[id(row)] for row in line.rows],
                    "at": [place + line.shift for place in line.at],
                    "level": line.is_level,
                }
                for line in one.lines
            ],
            "charts": [
                {
                    "name": chart_name(chart),
                    "metric": chart.metric.name,
                    "upper": chart.upper.name if chart.upper else None,
                    "title": chart.title,
                }
                for chart in one.charts
            ],
            "across": across(len(one.charts)),
        }
        for one in panels
    ]
    return {"name": axis.name, "title": axis.title, "panels": plain, "limits": limits_of(panels)}
