"""The plots of a report as pictures: PNG for slides, SVG for papers."""

import io
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator, NullFormatter, NullLocator

from thalweg_cli.base.files import write_bytes
from thalweg_cli.catalog.programs import SEQUENTIAL
from thalweg_cli.micro.plot import MUTED, STYLE
from thalweg_cli.report.charts import ERRORS, LINES, Style, draw_chart, write_plainly
from thalweg_cli.report.data import Curve, Row, Values, curves_of, monitored
from thalweg_cli.report.looks import Look
from thalweg_cli.report.panels import (
    Axis,
    across,
    limits_of,
    name_for,
    panels_of,
)
from thalweg_cli.report.ranking import Ranking, rank
from thalweg_cli.report.samples import BAND, COLUMNS, samples, samples_per_run
from thalweg_cli.report.tables import slug, unused
from thalweg_cli.results.sustainable_table import bounded_in
from thalweg_cli.run.metrics import LATENCY, THROUGHPUT, Metric

DPI = 150

WIDTH, HEIGHT = 4.2, 3.2
"""Of a plot, in inches."""

Plot = Callable[[Axes], None]


def write_pictures(
    folder: Path,
    suffix: str,
    rows: Sequence[Row],
    axis: Axis,
    values: Values = Values.MEDIANS,
    *,
    one_scale: bool = False,
) -> list[Path]:
    """Draws all plots into files with a suffix, `.png` or `.svg`. `one_scale`: the same for all cases."""
    files: list[Path] = []
    names: set[str] = set()
    with mpl.rc_context(STYLE | {"text.parse_math": False}):  # Names may have any signs.
        for name, figure in pictures(rows, axis, values, one_scale=one_scale):
            free = unused(slug(name), names)
            names.add(free)
            files.append(folder / f"{free}{suffix}")
            data = io.BytesIO()
            metadata = {"Date": None} if suffix == ".svg" else None
            figure.savefig(data, format=suffix[1:], dpi=DPI, metadata=metadata)
            write_bytes(files[-1], data.getvalue())
    return files


def pictures(
    rows: Sequence[Row], axis: Axis, values: Values = Values.MEDIANS, *, one_scale: bool = False
) -> Iterator[tuple[str, Figure]]:
    """The pictures, each with its name."""
    style = Style(rows, values)
    ranking = rank(rows, THROUGHPUT)
    if ranking.cases:
        bars = partial(draw_ranking, ranking=ranking, looks=style.looks)
        yield "ranking", drawn([bars], "", [], wide=1.6)
    yield from curve_pictures(rows, style)
    panels = panels_of([row.along(axis.argument) for row in rows], axis, name_for(axis, rows))
    limits = limits_of(panels) if one_scale else {}
    for one in panels:
        plots: list[Plot] = [
            partial(draw_chart, panel=one, chart=chart, style=style, limits=limits) for chart in one.charts
        ]
        yield one.title, drawn(plots, one.title, style.legend(row for line in one.lines for row in line.rows))
    rows = [row for row in rows if not row.is_point]
    most = samples_per_run(monitored(rows))
    for name, inside in in_cases(rows).items():
        most_threads = widest(inside)
        if timed := [row for row in most_threads if len(row.quantiles()) > 1]:
            legend = style.legend(timed)
            title = f"{name}, {degree_of(timed)}"
            yield f"{name} quantiles", drawn([quantiles_panel(timed, style)], title, legend, wide=1.6)
        if measured := [row for row in most_threads if row.operators()]:
            title = f"{name}, {degree_of(measured)}"
            legend = style.legend(measured)
            yield f"{name} operators", drawn([operators_panel(measured, style)], title, legend, wide=1.6)
        if sampled := [row for row in most_threads if row.sampled()]:
            series = [(row, taken["columns"]) for row in sampled if (taken := samples(row.sampled(), most))]
            over_time: list[Plot] = [
                partial(draw_series, series=series, column=column, style=style)
                for column in dict.fromkeys([*COLUMNS, *(name for _, columns in series for name in columns)])
                if column not in ("seconds", *BAND)
                and any(any(columns.get(column) or []) for _, columns in series)
            ]
            if any(columns.get(name) for _, columns in series for name in BAND):
                over_time.append(partial(draw_band_over_time, series=series, style=style))
            if over_time:
                title = f"{name}, {degree_of(sampled)}"
                yield f"{name} over time", drawn(over_time, title, style.legend(sampled))


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
    most = max(row.series.setting.degree for row in rows)
    return f"{most} thread{'s' * (most != 1)} asked for"


def drawn(panels: Sequence[Plot], title: str, legend: Sequence[Line2D], wide: float = 1) -> Figure:
    """A figure of plots, side by side as on the page, with their legend below."""
    beside = across(len(panels))
    down = math.ceil(len(panels) / beside)
    in_a_row = max(1, int(beside * WIDTH * wide / 1.5))
    legend_height = 0.22 * math.ceil(len(legend) / in_a_row) + 0.3
    size = (beside * WIDTH * wide, down * HEIGHT + legend_height)
    figure = Figure(figsize=size, layout="constrained")
    axes = list(figure.subplots(down, beside, squeeze=False).flat)
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


def quantiles_panel(rows: Sequence[Row], style: Style) -> Plot:
    """Quantiles of the latency, from the median to the slowest elements."""

    def draw(ax: Axes) -> None:
        ticks: set[float] = set()
        for row in rows:
            found = row.quantiles()
            ticks.update(found)
            xs = [-math.log10(1 - percent / 100) for percent in found]
            spreads = list(found.values())
            look = ERRORS | style.of(row)
            ax.errorbar(xs, style.at(spreads), yerr=style.bars(spreads), **look)
        shown = sorted(ticks)
        ax.set_yscale("log")
        write_plainly(ax.yaxis)
        ax.xaxis.set_major_locator(FixedLocator([-math.log10(1 - percent / 100) for percent in shown]))
        ax.xaxis.set_major_formatter(FixedFormatter([f"{percent:g} %" for percent in shown]))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_xlabel("share of the elements")
        ax.set_title("Latency that a share of the elements does not exceed (ms)")

    return draw


def operators_panel(rows: Sequence[Row], style: Style) -> Plot:
    """The mean latency of each operator, a mark for each program."""

    def draw(ax: Axes) -> None:
        names = list(dict.fromkeys(name for row in rows for name in row.operators()))
        step = min(0.2, 0.8 / len(rows))
        for index, row in enumerate(rows):
            found = row.operators()
            shift = (index - (len(rows) - 1) / 2) * step
            ys = [names.index(name) + shift for name in found]
            spreads = list(found.values())
            look = ERRORS | style.of(row) | {"linestyle": ""}
            ax.errorbar(style.at(spreads), ys, xerr=style.bars(spreads), **look)
        ax.set_yticks(range(len(names)), names)
        ax.invert_yaxis()
        ax.set_xscale("log")
        write_plainly(ax.xaxis)
        ax.set_title("Mean latency of each operator (ms)")

    return draw


def draw_series(ax: Axes, series: Sequence[tuple[Row, dict[str, Any]]], column: str, style: Style) -> None:
    """What a run did over time, a line for each program."""
    title, factor = COLUMNS.get(column, (column, 1))
    for row, columns in series:
        values = columns.get(column)
        if values is None:
            continue
        look = style.of(row) | {"marker": ""}
        ys = with_gaps([None if value is None else value * factor for value in values])
        ax.plot(columns["seconds"], ys, linewidth=1.2, **look)
        ax.plot(columns["seconds"], alone(ys), linestyle="", marker=".", markersize=3, color=look["color"])
    ax.set_ylim(bottom=0)
    ax.set_xlabel("seconds since the stream began")
    ax.set_title(title)


def with_gaps(values: Sequence[float | None]) -> list[float]:
    """Numbers over time: NaN, where a line has a gap, for none."""
    return [math.nan if value is None else value for value in values]


def alone(values: Sequence[float]) -> list[float]:
    """The numbers between two gaps, of which no line is drawn."""
    around = [math.nan, *values, math.nan]
    return [
        value if math.isnan(around[i]) and math.isnan(around[i + 2]) else math.nan
        for i, value in enumerate(values)
    ]


def draw_band_over_time(ax: Axes, series: Sequence[tuple[Row, dict[str, Any]]], style: Style) -> None:
    """Quantiles of the latency over time: half of the elements, all but the slowest in a hundred, all."""
    half, most, longest = BAND
    for row, columns in series:
        color, xs = style.of(row)["color"], columns["seconds"]
        found = {name: with_gaps(columns[name]) for name in BAND if name in columns}
        if half in found and most in found:
            ax.fill_between(xs, found[half], found[most], color=color, alpha=0.2, linewidth=0)
        if half in found:
            ax.plot(xs, found[half], linewidth=1.2, **style.of(row) | {"marker": ""})
        if longest in found:
            ax.plot(xs, found[longest], linestyle="", marker=".", markersize=3, color=color)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("seconds since the stream began")
    ax.set_title("Latency (ms): line at half of the elements,\nband up to 99 % of them, dots at the longest")


def curve_pictures(rows: Sequence[Row], style: Style) -> Iterator[tuple[str, Figure]]:
    """Latency over the rate, a picture for each case in which a sustainable rate was searched."""
    by_case: dict[str, list[Curve]] = {}
    for curve in curves_of(rows):
        by_case.setdefault(curve.case_name, []).append(curve)
    for name, curves in by_case.items():
        panels: list[Plot] = [
            partial(draw_curves, curves=curves, metric=metric, style=style)
            for metric in LATENCY
            if any(curve.spread(metric, point) for curve in curves for point in curve.points)
        ]
        legend = style.legend(curve.row for curve in curves)
        yield f"{name} sustainable", drawn(panels, name, legend, wide=1.3)


def draw_curves(ax: Axes, curves: Sequence[Curve], metric: Metric, style: Style) -> None:
    """A latency over the rate that was asked for.

    Marks are open where latency was not bounded. A line across is the bound of p99, one down the sustainable
    rate, with the number of threads if it is not the same for all.
    """
    differ = len({curve.found.setting.nthreads for curve in curves}) > 1
    for curve in curves:
        look = style.of(curve.row)
        points = [(point, spread) for point in curve.points if (spread := curve.spread(metric, point))]
        xs = [point.setting.frequency or 0.0 for point, _ in points]
        spreads = [spread for _, spread in points]
        lines = ERRORS | look | {"marker": ""}
        ax.errorbar(xs, style.at(spreads), yerr=style.bars(spreads), **lines)
        for x, (point, spread) in zip(xs, points, strict=True):
            holds = 2 * bounded_in(point) > len(point.good)
            face = look["color"] if holds else "white"
            mark = {"color": look["color"], "marker": look["marker"], "markerfacecolor": face, "zorder": 3}
            ax.plot([x], style.at([spread]), linestyle="", markersize=5, **mark)
        if metric.name == "p99":
            ax.axhline(curve.found.bound_ms, color=look["color"], linestyle=LINES["dot"], linewidth=0.8)
        if curve.found.rate:
            ax.axvline(curve.found.rate, color=look["color"], linestyle=LINES["dash"], linewidth=1)
        if curve.found.rate and differ:
            ax.annotate(
                f"{curve.found.setting.nthreads} threads ",
                (curve.found.rate, 1),
                xycoords=("data", "axes fraction"),
                rotation=90,
                ha="right",
                va="top",
                fontsize=7,
                color=look["color"],
            )
    ax.set_yscale("log")
    write_plainly(ax.yaxis)
    ax.set_xlim(left=0)
    ax.set_xlabel("rate asked for (/s); open: not bounded, dashed: sustainable")
    ax.set_title(metric.heading)


def draw_ranking(ax: Axes, ranking: Ranking, looks: dict[str, Look]) -> None:
    """A bar for each interface's geometric mean, and a tick for each of its ratios."""
    names = [one.interface for one in ranking.entries]
    means = [one.mean for one in ranking.entries]
    ax.barh(range(len(names)), means, color=[looks[name].color for name in names], alpha=0.75)
    labels = []
    for at, one in enumerate(ranking.entries):
        ratios = [score.ratio for score in one.scores.values()]
        ax.plot(ratios, [at] * len(ratios), "|", color="#111827", markersize=9)
        label = f"{one.interface}, {one.place.text}" if one.place and one.place.text else one.interface
        if len(ratios) < len(ranking.cases):
            label += f"\n{len(ratios)} of {len(ranking.cases)} cases"
        labels.append(label)
    ax.set_yticks(range(len(names)), labels)
    ax.invert_yaxis()
    ax.set_xlim(0, 1.05)
    ax.grid(visible=False, axis="y")
    ax.set_title(f"{ranking.metric.words}: share of the best (bar: all cases, ticks: each), and place")
