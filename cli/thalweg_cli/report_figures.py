"""The plots of a report as pictures: PNG for slides, SVG for papers."""

import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import (
    FixedFormatter,
    FixedLocator,
    FuncFormatter,
    LogFormatter,
    NullFormatter,
    NullLocator,
)

from thalweg_cli.experiment import SEQUENTIAL
from thalweg_cli.files import write_bytes
from thalweg_cli.looks import Look, dashes_of, looks_of
from thalweg_cli.metrics import LATENCY, MEMORY, THROUGHPUT, Metric
from thalweg_cli.micro_plot import MUTED, STYLE
from thalweg_cli.report_data import COLUMNS, Curve, Row, Spread, curves_of, samples, samples_per_run
from thalweg_cli.report_ranking import Ranking, rank
from thalweg_cli.report_tables import slug, unused
from thalweg_cli.sustainable_table import bounded_in

DPI = 150
PEAK = MEMORY[0]

WIDTH, HEIGHT = 4.2, 3.2
"""Of a plot, in inches."""

LINES: dict[str, Any] = {
    "solid": "-",
    "dash": (0, (5, 2.5)),
    "dot": (0, (1, 1.5)),
    "dashdot": (0, (5, 2, 1, 2)),
    "longdash": (0, (9, 3)),
    "longdashdot": (0, (9, 3, 1, 3)),
}
"""Lines as matplotlib has them, by Plotly's names."""

Panel = Callable[[Axes], None]


class Style:
    """How rows look, the same in all pictures."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.looks = looks_of(row.interface for row in rows)
        self.dashes = dashes_of(row.composition for row in rows)
        self.last_set = rows[-1].of.id
        self.several_sets = len({row.of.id for row in rows}) > 1

    def of(self, row: Row) -> dict[str, Any]:
        """The options of a line. Marks of sets before the last one are open."""
        look = self.looks[row.interface]
        dash = "dot" if row.interface == SEQUENTIAL else self.dashes[row.composition]
        filled = row.of.id == self.last_set
        face = look.color if filled else "white"
        return {"color": look.color, "linestyle": LINES[dash], "marker": look.marker, "markerfacecolor": face}

    def name(self, row: Row) -> str:
        """What the legend calls a row."""
        return f"{row.way}, set {row.of.id}" if self.several_sets else row.way

    def legend(self, rows: Iterable[Row]) -> list[Line2D]:
        """An entry for each line."""
        shown = {self.name(row): self.of(row) for row in rows}
        return [Line2D([], [], label=name, **look) for name, look in shown.items()]


def write_pictures(folder: Path, suffix: str, rows: Sequence[Row], by: str) -> list[Path]:
    """Draws all plots into files with a suffix, `.png` or `.svg`. `by`: the axis, one of `AXES`."""
    files: list[Path] = []
    names: set[str] = set()
    with mpl.rc_context(STYLE):
        for name, figure in pictures(rows, by):
            free = unused(slug(name), names)
            names.add(free)
            files.append(folder / f"{free}{suffix}")
            data = io.BytesIO()
            metadata = {"Date": None} if suffix == ".svg" else None
            figure.savefig(data, format=suffix[1:], dpi=DPI, metadata=metadata)
            write_bytes(files[-1], data.getvalue())
    return files


def pictures(rows: Sequence[Row], by: str) -> Iterator[tuple[str, Figure]]:
    """The pictures, each with its name."""
    style = Style(rows)
    ranking = rank(rows, THROUGHPUT)
    if ranking.cases:
        yield "ranking", drawn([lambda ax: draw_ranking(ax, ranking, style.looks)], "", [], wide=1.6)
    yield from curve_pictures(rows, style)
    rows = [row for row in rows if not row.is_point]
    most = samples_per_run(rows)
    for name, inside in in_cases(rows).items():
        panels: list[Panel] = [
            lambda ax, metric=metric, inside=inside: draw_scaling(ax, inside, metric, by, style)  # type: ignore[misc]
            for metric in (THROUGHPUT, *LATENCY, PEAK)
            if any(row.spread(metric) for row in inside)
        ]
        if panels:
            yield name, drawn(panels, name, style.legend(inside))
        most_threads = widest(inside)
        if timed := [row for row in most_threads if row.quantiles()]:
            legend = style.legend(timed)
            title = f"{name}, {degree_of(timed)}"
            yield f"{name} quantiles", drawn([quantiles_panel(timed, style)], title, legend, wide=1.6)
        if monitored := [row for row in most_threads if row.sampled()]:
            series = [(row, taken["columns"]) for row in monitored if (taken := samples(row.sampled(), most))]
            over_time = [
                lambda ax, column=column, series=series: draw_series(ax, series, column, style)  # type: ignore[misc]
                for column in dict.fromkeys([*COLUMNS, *(name for _, columns in series for name in columns)])
                if column != "seconds" and any(any(columns.get(column) or []) for _, columns in series)
            ]
            if over_time:
                title = f"{name}, {degree_of(monitored)}"
                yield f"{name} over time", drawn(over_time, title, style.legend(monitored))


def in_cases(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows by their cases; those of several sets together."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.case_name, []).append(row)
    return found


def widest(rows: Sequence[Row]) -> list[Row]:
    """Of the rows that have numbers, those with the most threads asked for, and the sequential ones."""
    good = [row for row in rows if row.series.good]
    most = max((row.series.setting.degree for row in good), default=1)
    return [row for row in good if row.interface == SEQUENTIAL or row.series.setting.degree == most]


def degree_of(rows: Sequence[Row]) -> str:
    """How many threads the rows have at most."""
    return f"{max(row.series.setting.degree for row in rows)} threads asked for"


def drawn(panels: Sequence[Panel], title: str, legend: Sequence[Line2D], wide: float = 1) -> Figure:
    """A figure of plots, three in a row (four: two), with their legend below."""
    across = 2 if len(panels) == 4 else min(3, len(panels))
    down = math.ceil(len(panels) / across)
    in_a_row = max(1, int(across * WIDTH * wide / 1.5))
    legend_height = 0.22 * math.ceil(len(legend) / in_a_row) + 0.3
    size = (across * WIDTH * wide, down * HEIGHT + legend_height)
    figure = Figure(figsize=size, layout="constrained")
    axes = list(figure.subplots(down, across, squeeze=False).flat)
    for ax, panel in zip(axes, panels, strict=False):
        panel(ax)
    for ax in axes[len(panels) :]:
        ax.set_visible(False)
    if title:
        figure.suptitle(title, fontsize=10, color=MUTED)
    if legend:
        figure.legend(
            handles=legend, loc="outside lower center", ncols=in_a_row, frameon=False, handlelength=3.2
        )
    return figure


def bars(spreads: Sequence[Spread]) -> list[list[float]]:
    """How far the lowest and the highest runs are from the medians."""
    return [[one.median - one.low for one in spreads], [one.high - one.median for one in spreads]]


def draw_scaling(ax: Axes, rows: Sequence[Row], metric: Metric, by: str, style: Style) -> None:
    """A metric over the threads, a line for each program."""
    place, label = AXES[by]
    lines: dict[str, list[tuple[Row, Spread]]] = {}
    for row in rows:
        if spread := row.spread(metric):
            lines.setdefault(style.name(row), []).append((row, spread))
    xs = sorted({place(row) for line in lines.values() for row, _ in line})
    for line in lines.values():
        line.sort(key=lambda one: place(one[0]))
        row, spreads = line[0][0], [spread for _, spread in line]
        if row.interface == SEQUENTIAL and len(line) == 1:
            ax.axhline(spreads[0].median, color=style.of(row)["color"], linestyle=LINES["dot"], linewidth=1.2)
        medians = [spread.median for spread in spreads]
        look = {"markersize": 5, "linewidth": 1.5, "elinewidth": 0.8, "capsize": 2} | style.of(row)
        ax.errorbar([place(row) for row, _ in line], medians, yerr=bars(spreads), **look)
    ax.set_ylim(bottom=0)
    if len(xs) <= 12:
        ax.set_xticks(xs)
    ax.set_xlabel(label)
    ax.set_title(f"{metric.title} ({metric.unit})")


def threads_asked(row: Row) -> int:
    """The number of threads that a program was told, of all its ranks."""
    return row.series.setting.degree


def threads_there(row: Row) -> int:
    """The number of threads that it had."""
    return row.series.threads


def ranks(row: Row) -> int:
    """The number of processes that it was."""
    return row.series.setting.nprocs or 1


AXES: dict[str, tuple[Callable[[Row], int], str]] = {
    "nthreads": (threads_asked, "threads asked for"),
    "threads": (threads_there, "threads really there"),
    "nprocs": (ranks, "ranks"),
}
"""What may stand on the axis: its value, and its name."""


def quantiles_panel(rows: Sequence[Row], style: Style) -> Panel:
    """Quantiles of the latency, from the median to the slowest elements."""

    def draw(ax: Axes) -> None:
        ticks: set[float] = set()
        for row in rows:
            found = row.quantiles()
            ticks.update(found)
            xs = [-math.log10(1 - percent / 100) for percent in found]
            spreads = list(found.values())
            look = {"markersize": 5, "linewidth": 1.5, "elinewidth": 0.8, "capsize": 2} | style.of(row)
            ax.errorbar(xs, [spread.median for spread in spreads], yerr=bars(spreads), **look)
        shown = sorted(ticks)
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        ax.yaxis.set_minor_formatter(LogFormatter(minor_thresholds=(2, 0.4)))
        ax.xaxis.set_major_locator(FixedLocator([-math.log10(1 - percent / 100) for percent in shown]))
        ax.xaxis.set_major_formatter(FixedFormatter([f"p{percent:g}" for percent in shown]))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_title("quantiles of the latency (ms)")

    return draw


def draw_series(ax: Axes, series: Sequence[tuple[Row, dict[str, Any]]], column: str, style: Style) -> None:
    """What a run did over time, a line for each program."""
    title, factor = COLUMNS.get(column, (column, 1))
    for row, columns in series:
        values = columns.get(column)
        if values is None:
            continue
        look = style.of(row) | {"marker": ""}
        there = [(x, y * factor) for x, y in zip(columns["seconds"], values, strict=True) if y is not None]
        ax.plot([x for x, _ in there], [y for _, y in there], linewidth=1.2, **look)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("seconds since the stream began")
    ax.set_title(title)


def curve_pictures(rows: Sequence[Row], style: Style) -> Iterator[tuple[str, Figure]]:
    """Latency over the rate, a picture for each case in which a sustainable rate was searched."""
    by_case: dict[str, list[Curve]] = {}
    for curve in curves_of(rows):
        by_case.setdefault(curve.case_name, []).append(curve)
    for name, curves in by_case.items():
        panels: list[Panel] = [
            lambda ax, metric=metric, curves=curves: draw_curves(ax, curves, metric, style)  # type: ignore[misc]
            for metric in LATENCY
        ]
        legend = style.legend(curve.row for curve in curves)
        yield f"{name} sustainable", drawn(panels, name, legend, wide=1.3)


def draw_curves(ax: Axes, curves: Sequence[Curve], metric: Metric, style: Style) -> None:
    """A latency over the rate that was asked for.

    Marks are open where latency was not bounded. A line across is the bound of p99, one down the sustainable
    rate, with the number of threads.
    """
    for curve in curves:
        look = style.of(curve.row)
        points = [(point, spread) for point in curve.points if (spread := Spread.of(metric.values(point)))]
        xs = [point.setting.frequency for point, _ in points]
        spreads = [spread for _, spread in points]
        lines = {"linewidth": 1.5, "elinewidth": 0.8, "capsize": 2} | look | {"marker": ""}
        ax.errorbar(xs, [spread.median for spread in spreads], yerr=bars(spreads), **lines)
        for point, spread in points:
            holds = 2 * bounded_in(point) > len(point.good)
            face = look["color"] if holds else "white"
            mark = {"color": look["color"], "marker": look["marker"], "markerfacecolor": face, "zorder": 3}
            ax.plot([point.setting.frequency], [spread.median], linestyle="", markersize=5, **mark)
        if metric.name == "p99":
            ax.axhline(curve.found.bound_ms, color=look["color"], linestyle=LINES["dot"], linewidth=0.8)
        if curve.found.rate:
            ax.axvline(curve.found.rate, color=look["color"], linestyle=LINES["dash"], linewidth=1)
            text = f"{curve.found.setting.nthreads} threads "
            at = {"xy": (curve.found.rate, 1), "xycoords": ("data", "axes fraction")}
            ax.annotate(text, **at, rotation=90, ha="right", va="top", fontsize=7, color=look["color"])
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_xlim(left=0)
    ax.set_xlabel("rate asked for (/s); open: not bounded, dashed: sustainable")
    ax.set_title(f"{metric.title} ({metric.unit})")


def draw_ranking(ax: Axes, ranking: Ranking, looks: dict[str, Look]) -> None:
    """A bar for each interface's geometric mean, and a tick for each of its ratios."""
    names = [place.interface for place in ranking.places]
    means = [place.mean for place in ranking.places]
    ax.barh(range(len(names)), means, color=[looks[name].color for name in names], alpha=0.75)
    labels = []
    for at, place in enumerate(ranking.places):
        ratios = [score.ratio for score in place.scores.values()]
        ax.plot(ratios, [at] * len(ratios), "|", color="#111827", markersize=9)
        label = f"{place.interface}  {place.mean:.3f}"
        if len(ratios) < len(ranking.cases):
            label += f"\n{len(ratios)} of {len(ranking.cases)} cases"
        labels.append(label)
    ax.set_yticks(range(len(names)), labels)
    ax.invert_yaxis()
    ax.set_xlim(0, 1.05)
    ax.grid(visible=False, axis="y")
    ax.set_title(f"{ranking.metric.title}: share of the best (bar: all cases, ticks: each case)")
