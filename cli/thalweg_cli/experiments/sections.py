"""What an experiment has to show: a table, which the terminal shows too, and plots."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

Json = dict[str, Any]

DIGITS = 6


@dataclass(frozen=True)
class Plot:
    """Traces as Plotly has them, over `x` and `y`, whose titles are given; `more` is for the layout."""

    title: str
    x: str
    y: str
    traces: Sequence[Json]
    more: Json = field(default_factory=dict)


@dataclass(frozen=True)
class Section:
    """A table, whose first column has names, and plots."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    plots: Sequence[Plot] = ()


def table_of(section: Section) -> Table:
    """The table for the terminal."""
    table = Table(title=escape(section.title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for place, heading in enumerate(section.columns):
        table.add_column(heading, justify="right" if place else "left")
    for row in section.rows:
        table.add_row(*map(escape, row))
    return table


def shown(value: float | None) -> str:
    """A number for people."""
    if value is None:
        return "-"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def rounded(values: Sequence[float]) -> list[float]:
    """Without digits that nobody reads."""
    return [float(f"{value:.{DIGITS}g}") for value in values]


def line(name: str, x: Sequence[float], y: Sequence[float], color: str, **look: Any) -> Json:  # noqa: ANN401
    """A line of a plot; `look` is what Plotly knows of one, such as `dash` and `shape`."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": rounded(x),
        "y": rounded(y),
        "line": {"color": color, "width": 2, **look},
    }
