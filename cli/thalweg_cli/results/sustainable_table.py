"""What came of searches for the sustainable throughput, as a terminal shows it."""

import math
import statistics
from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from thalweg_cli.results.run_table import leading_cells, leading_columns
from thalweg_cli.run.experiment import SEARCH
from thalweg_cli.run.metrics import LATENCY, THROUGHPUT, Metric
from thalweg_cli.run.runs import Series
from thalweg_cli.run.sustainable import BOUNDED, P99, SHORT_S, Found, key_of

BAR = 24
"""The longest bar, in characters."""


def points_of(rows: Sequence[Series], found: Found) -> list[Series]:
    """The points of a curve, by their rates."""
    key = key_of(found.setting)
    points = [
        row
        for row in rows
        if row.setting.purpose == SEARCH
        and row.setting.frequency is not None
        and key_of(row.setting) == key
        and row.good
    ]
    return sorted(points, key=lambda row: row.setting.frequency or 0)


def bounded_in(row: Series) -> int:
    """In how many runs of a point latency was bounded."""
    return sum(run.judged == BOUNDED for run in row.good)


def curve_tables(rows: Sequence[Series], found: Sequence[Found]) -> Iterator[Table]:
    """A table for each curve: latency over the rate, with a bar for the logarithm of p99."""
    for one in found:
        points = points_of(rows, one)
        if points:
            yield curve_table(points, one)


def curve_table(points: Sequence[Series], found: Found) -> Table:
    """The points of a curve, each with the medians of its runs."""
    title = f"{found.setting.name}: latency over the rate"
    table = Table(title=escape(title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    shown = (THROUGHPUT, *LATENCY)
    for heading in ("rate (/s)", *(f"{metric.title} ({metric.unit})" for metric in shown)):
        table.add_column(heading, justify="right")
    table.add_column("p99, logarithmic", no_wrap=True)
    for heading in ("runs", "bounded"):
        table.add_column(heading, justify="right")
    table.add_column("why not")
    p99s = [median(P99, row) for row in points]
    for row, p99 in zip(points, p99s, strict=True):
        rate = row.setting.frequency
        why = next((run.judged for run in row.good if run.judged not in ("", BOUNDED)), "")
        style = "bold green" if rate == found.rate else "" if 2 * bounded_in(row) > len(row.good) else "red"
        table.add_row(
            f"{rate:.4g}",
            *(short(median(metric, row)) for metric in shown),
            bar(p99, p99s),
            str(len(row.good)),
            str(bounded_in(row)),
            escape(why),
            style=style,
        )
    return table


def median(metric: Metric, row: Series) -> float | None:
    """The median of the runs of a point; None if they have no value that may be shown."""
    values = metric.values(row)
    return statistics.median(values) if values else None


def short(value: float | None) -> str:
    """A number in four digits."""
    return "-" if value is None else f"{value:.4g}"


def bar(value: float | None, values: Sequence[float | None]) -> str:
    """A bar for a value among others, by its logarithm."""
    logs = [math.log(one) for one in values if one]
    if not value or max(logs) == min(logs):
        return ""
    share = (math.log(value) - min(logs)) / (max(logs) - min(logs))
    return "█" * (1 + round(share * (BAR - 1)))


def found_table(found: Sequence[Found]) -> Table:
    """A row for each search."""
    settings = [one.setting for one in found]
    table = Table(
        title="sustainable throughput: the highest rate at which latency was bounded",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    leading_columns(table, settings)
    for heading in ("unthrottled\n(/s)", "sustainable\n(/s)", "share\n(%)", "not at\n(/s)"):
        table.add_column(heading, justify="right")
    for heading in ("p99 at low\nload (ms)", "bound of\np99 (ms)", "bounded\nin runs"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for one in found:
        table.add_row(*leading_cells(one.setting, settings), *found_cells(one), escape(remark(one)))
    return table


def found_cells(one: Found) -> list[str]:
    """What stands behind the setting."""
    cells = [one.unthrottled, one.rate, 100 * one.rate / one.unthrottled if one.rate else None, one.above]
    cells += [one.low_p99_ms if one.has_p99 else None, one.bound_ms]
    return [*(short(cell or None) for cell in cells), f"{one.bounded} of {one.runs}"]


def remark(one: Found) -> str:
    """What is to be known of an answer."""
    if one.error:
        return f"failed: {one.error}"
    if one.rate is None:
        return "none found" if one.above else "not searched to the end"
    if one.above is None:
        return "its limit was not met"
    return f"its runs took {one.seconds:.2g} s: too short to be sure" if one.seconds < SHORT_S else ""
