"""The plots of one card as matplotlib draws them: lines or bars of a metric, and bands of latencies."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogFormatter

from thalweg_cli.catalog.programs import SEQUENTIAL
from thalweg_cli.report.data import Row, Spread, Values
from thalweg_cli.report.looks import dashes_of, looks_of, marks_of
from thalweg_cli.report.panels import LONGEST, Chart, Line, Panel, chart_name
from thalweg_cli.run.metrics import Metric

MARK, GROWN = 5, 3
"""The size of marks, and by how much those of sets long ago are larger."""

TITLE_WIDTH = 42
"""Characters of a title in one line."""

ERRORS: dict[str, Any] = {"linewidth": 1.5, "elinewidth": 0.8, "capsize": 2}

LINES: dict[str, Any] = {
    "solid": "-",
    "dash": (0, (5, 2.5)),
    "dot": (0, (1, 1.5)),
    "dashdot": (0, (5, 2, 1, 2)),
    "longdash": (0, (9, 3)),
    "longdashdot": (0, (9, 3, 1, 3)),
}
"""Lines as matplotlib has them, by Plotly's names."""


class Style:
    """How rows look, the same in all pictures, and which values are shown of them."""

    def __init__(self, rows: Sequence[Row], values: Values = Values.MEDIANS) -> None:
        self.values = values
        self.looks = looks_of(name for row in rows for name in (row.interface, row.look))
        self.dashes = dashes_of(row.composition for row in rows)
        sets = list(dict.fromkeys(row.of.id for row in rows))
        self.marks = marks_of(sets)
        self.several_sets = len(sets) > 1

    def of(self, row: Row) -> dict[str, Any]:
        """The options of a line. Sets before the last one have other marks: open, half filled, larger."""
        look = self.looks[row.look]
        dash = "dot" if row.interface == SEQUENTIAL else self.dashes[row.composition]
        mark = self.marks[row.of.id]
        filled = {"": "full", "-open": "none", "-open-dot": "left"}[mark.suffix]
        style = {"color": look.color, "linestyle": LINES[dash], "marker": look.marker, "fillstyle": filled}
        return style | {"markersize": MARK + GROWN * mark.grown, "markerfacecoloralt": "white"}

    def name(self, row: Row) -> str:
        """What the legend calls a row."""
        return f"{row.way}, set {row.of.id}" if self.several_sets else row.way

    def at(self, spreads: Iterable[Spread]) -> list[float]:
        """Where marks are."""
        return [one.shown(self.values).at for one in spreads]

    def bars(self, spreads: Iterable[Spread]) -> list[list[float]]:
        """How far the ends of bars are from marks."""
        shown = [one.shown(self.values) for one in spreads]
        return [[one.at - one.low for one in shown], [one.high - one.at for one in shown]]

    def legend(self, rows: Iterable[Row]) -> list[Line2D]:
        """An entry for each line."""
        shown = {self.name(row): self.of(row) for row in rows}
        return [Line2D([], [], label=name, **look) for name, look in shown.items()]


def write_plainly(axis: Axis) -> None:
    """Has a logarithmic axis write its numbers as they are: by default it writes powers, as formulas."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(LogFormatter(minor_thresholds=(2, 0.4)))


def draw_chart(ax: Axes, panel: Panel, chart: Chart, style: Style, limits: dict[str, list[float]]) -> None:
    """A metric, or a band of latencies, over an axis; a bar for each program if it has one place."""
    if panel.is_of_one_place:
        draw_bars(ax, panel, chart, style)
    elif chart.is_band:
        draw_bands(ax, panel, chart, style)
    else:
        draw_lines(ax, panel, chart.metric, style)
    along = ax.set_xlim if panel.is_of_one_place else ax.set_ylim
    ends = limits.get(chart_name(chart))
    if chart.is_band:
        (ax.set_xscale if panel.is_of_one_place else ax.set_yscale)("log")
        write_plainly(ax.xaxis if panel.is_of_one_place else ax.yaxis)
        if ends:
            along(ends[0] * 0.8, ends[1] * 1.25)
    else:
        along(0, ends[1] * 1.05 if ends else None)
    ax.set_title("\n".join(textwrap.wrap(chart.title, TITLE_WIDTH)))


def places_of(line: Line, metric: Metric) -> list[tuple[float, Row, Spread]]:
    """Where a line has numbers, of which rows, and what they are."""
    return [
        (place + line.shift, row, spread)
        for place, row in zip(line.at, line.rows, strict=True)
        if (spread := row.spread(metric))
    ]


def draw_lines(ax: Axes, panel: Panel, metric: Metric, style: Style) -> None:
    """A metric over an axis."""
    for line in panel.lines:
        if points := places_of(line, metric):
            look, spreads = style.of(points[0][1]), [spread for _, _, spread in points]
            if line.is_level:
                ax.axhline(style.at(spreads)[0], color=look["color"], linestyle=LINES["dot"], linewidth=1.2)
            places = [at for at, _, _ in points]
            ax.errorbar(places, style.at(spreads), yerr=style.bars(spreads), **ERRORS | look)
    put_ticks(ax, panel)


def draw_bands(ax: Axes, panel: Panel, chart: Chart, style: Style) -> None:
    """Half of the elements, a thick bar up to the next quantile, a thin one up to the longest latency."""
    for line in panel.lines:
        if points := places_of(line, chart.metric):
            look, xs = style.of(points[0][1]), [at for at, _, _ in points]
            half = [spread.median for _, _, spread in points]
            for metric, width in ((LONGEST, 0.8), (chart.upper, 3.5)):
                if metric:
                    ends = [spread.median if (spread := row.spread(metric)) else 0 for _, row, _ in points]
                    up = [max(0.0, end - start) for start, end in zip(half, ends, strict=True)]
                    nothing = [0.0] * len(up)
                    ax.errorbar(
                        xs, half, yerr=[nothing, up], linestyle="", elinewidth=width, color=look["color"]
                    )
            ax.plot(xs, half, linewidth=0.8, **look)
    put_ticks(ax, panel)


def put_ticks(ax: Axes, panel: Panel) -> None:
    """The places of an axis, if they are not too many to be written, and its name."""
    if len(panel.ticks) <= 12:
        ax.set_xticks([place for place, _ in panel.ticks], [text for _, text in panel.ticks])
    ax.set_xlabel(panel.axis.title)


def draw_bars(ax: Axes, panel: Panel, chart: Chart, style: Style) -> None:
    """A bar for each program, at the one place there is; of a band, a mark with its bars."""
    names: list[str] = []
    for line in panel.lines:
        for _, row, spread in places_of(line, chart.metric):
            at, color = len(names), style.of(row)["color"]
            names.append(line.name)
            if chart.is_band:
                for metric, width in ((LONGEST, 0.8), (chart.upper, 3.5)):
                    if metric and (end := row.spread(metric)):
                        ax.plot([spread.median, end.median], [at, at], color=color, linewidth=width)
                ax.plot([spread.median], [at], **style.of(row))
            else:
                ax.barh(at, style.at([spread]), color=color, alpha=0.8)
                ax.errorbar(style.at([spread]), [at], xerr=style.bars([spread]), color="#111827", **ERRORS)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.grid(visible=False, axis="y")
