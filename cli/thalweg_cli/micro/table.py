"""Tables of the micro-benchmarks' results: for the terminal and for a page."""

from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from thalweg_cli.micro.results import NANOSECONDS, REFERENCE, TUNED, Results, Row, variants
from thalweg_cli.results.statistics import Estimate

OURS = "thalweg"
CORES = "cores used"
MIN_NAME = 20
"""Columns for the name of a contender, in however narrow a terminal; the numbers are wrapped before that."""
BUSY = 0.5
"""Load per core above which others disturb the measurement."""


@dataclass(frozen=True)
class Cell:
    """A text, and whether it is good (or bad) news."""

    text: str
    passed: bool | None = None


@dataclass(frozen=True)
class Line:
    """A line of a table: where a new variant begins, and how it is to stand out."""

    cells: list[Cell]
    first: bool
    ours: bool
    reference: bool


@dataclass(frozen=True)
class Sheet:
    """A table, whatever it is shown with."""

    title: str
    head: list[str]
    lines: list[Line]


def number(value: float) -> str:
    """A number with three significant digits."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def with_interval(estimate: Estimate, unit: str = "") -> str:
    """A median, its unit, and its interval unless there is none."""
    shown = number(estimate.median) + (f" {unit}" if unit else "")
    if estimate.low == estimate.high:
        return shown
    return f"{shown} [{number(estimate.low)}, {number(estimate.high)}]"


def verdict(row: Row) -> Cell:
    """The bar of a row, and whether it is reached."""
    if row.bar is None:
        return Cell("")
    return Cell(f"{'✓' if row.passed else '✗'} {row.bar.limit:g}", row.passed)


def contender(row: Row) -> str:
    """A peer with its setting."""
    name = f"{row.peer}, {row.setting}" if row.setting else row.peer
    return f"{name} (tuned)" if row.role == TUNED else name


def ordered(rows: list[Row]) -> list[Row]:
    """References first, each once, then ours, then the others from fast to slow."""
    seen: set[tuple[str, str, str]] = set()
    kept = []
    for row in rows:
        key = (row.variant, row.peer, row.setting)
        if row.role == REFERENCE and key in seen:
            continue
        seen.add(key)
        kept.append(row)
    return sorted(kept, key=lambda row: (row.role != REFERENCE, row.peer != OURS, row.value.median))


def simple_sheet(title: str, rows: list[Row]) -> Sheet:
    """A sheet with one value a line."""
    units = {row.unit for row in rows}
    unit = units.pop() if len(units) == 1 else ""
    ratios = any(row.ratio for row in rows)
    cores = any(row.parallelism is not None for row in rows)
    bars = any(row.bar for row in rows)
    head = ["", "", unit or "value", *["ratio"] * ratios, *[CORES] * cores, *["bar"] * bars]
    lines = []
    for variant, group in variants(rows).items():
        for i, row in enumerate(ordered(group)):
            cells = [Cell(variant if i == 0 else ""), Cell(contender(row))]
            cells.append(Cell(with_interval(row.value, "" if unit else row.unit)))
            if ratios:
                cells.append(Cell(f"{with_interval(row.ratio)} × {row.against}" if row.ratio else ""))
            if cores:
                cells.append(cores_cell(row))
            if bars:
                cells.append(verdict(row))
            lines.append(Line(cells, i == 0, row.peer == OURS, row.role == REFERENCE))
    return Sheet(title, head, lines)


def pivot_sheet(title: str, rows: list[Row], metrics: list[str]) -> Sheet:
    """A sheet with a line for each contender and a column for each metric."""
    units = {row.metric: row.unit for row in rows}
    cores = any(row.parallelism is not None for row in rows)
    head = ["", "", *(f"{metric} [{units[metric]}]" for metric in metrics), *[CORES] * cores]
    against = {row.against for row in rows if row.ratio}
    if len(against) == 1:
        title += f" (in brackets: ratio to {against.pop()})"
    lines = []
    for variant, group in variants(rows).items():
        lead = ordered([row for row in group if row.metric == metrics[0]])
        for i, first in enumerate(lead):
            same = {
                row.metric: row for row in group if (row.peer, row.setting) == (first.peer, first.setting)
            }
            cells = [Cell(variant if i == 0 else ""), Cell(contender(first))]
            cells += [value_cell(same[metric]) if metric in same else Cell("") for metric in metrics]
            if cores:
                cells.append(cores_cell(first))
            lines.append(Line(cells, i == 0, first.peer == OURS, first.role == REFERENCE))
    return Sheet(title, head, lines)


def cores_cell(row: Row) -> Cell:
    """The parallelism that a contender really used."""
    return Cell("" if row.parallelism is None else f"{row.parallelism:.2f}")


def value_cell(row: Row) -> Cell:
    """A value with its ratio and its verdict in one cell; what is judged has its interval."""
    if row.bar is None:
        text = number(row.value.median) + (f" ({number(row.ratio.median)})" if row.ratio else "")
        return Cell(text, row.passed)
    on_ratio = row.bar.on == "ratio"
    text = number(row.value.median) if on_ratio else with_interval(row.value)
    if row.ratio:
        text += f" ({with_interval(row.ratio) if on_ratio else number(row.ratio.median)})"
    return Cell(f"{text} {verdict(row).text}", row.passed)


def sheet(results: Results, bench: str) -> Sheet:
    """The sheet of a benchmark."""
    rows = results.of(bench)
    title = f"{bench}: {results.says.get(bench, '')}"
    by_variant = variants(rows).values()
    metrics = list(dict.fromkeys(row.metric for row in rows))
    if any(len({row.metric for row in group}) > 1 for group in by_variant):
        return pivot_sheet(title, rows, metrics)
    return simple_sheet(title, rows)


def rich_table(made: Sheet) -> Table:
    """A sheet for the terminal."""
    table = Table(title=escape(made.title), title_justify="left", title_style="bold", expand=False)
    for i, name in enumerate(made.head):
        table.add_column(
            escape(name), justify="left" if i < 2 else "right", min_width=MIN_NAME if i == 1 else None
        )
    grouped = any(not line.first for line in made.lines)
    for line in made.lines:
        if line.first and grouped and table.row_count:
            table.add_section()
        style = "bold" if line.ours else "dim" if line.reference else ""
        cells = [Text(cell.text, style=verdict_style(cell.passed)) for cell in line.cells]
        table.add_row(*cells, style=style)
    return table


def verdict_style(passed: bool | None) -> str:
    """Green for a bar that is reached, red for one that is not."""
    return "" if passed is None else "green" if passed else "bold red"


def markdown_table(made: Sheet) -> str:
    """A sheet for a page."""
    lines = [
        "| " + " | ".join(made.head) + " |",
        "|" + "|".join("---" if i < 2 else "---:" for i in range(len(made.head))) + "|",
    ]
    for line in made.lines:
        cells = [cell.text.replace("|", "\\|") for cell in line.cells]
        if line.ours:
            cells = [f"**{cell}**" if cell else "" for cell in cells]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def machine_lines(results: Results) -> list[str]:
    """On what and with what it was measured."""
    m = results.machine
    if not m:
        return []
    lines = [
        f"{m['cpu']}, {m['cores']} cores, {m['memory_gib']:.0f} GiB",
        f"{m['kernel']}, governor: {m['governor']}",
        f"{m['compiler']}, {m['flags']}" + (f"; {m['mpi']}" if "mpi" in m else ""),
        f"commit {m.get('commit', 'unknown')}, {m.get('when', '')}; load when it began: {m['load']:.1f}",
    ]
    if results.quick:
        lines.append(
            "Quick run: short and with few repeats; it shows that everything works, and nothing more."
        )
    elif m["load"] > BUSY * m["cores"]:
        lines.append("The machine was busy with other things: intervals are wide, ratios may be off.")
    return lines


def summary(results: Results) -> list[str]:
    """What was judged, what fell short, what could not be measured."""
    judged = results.judged()
    lines = [f"{sum(row.passed is True for row in judged)} of {len(judged)} bars reached"] if judged else []
    for row in results.missed():
        if row.bar:
            got = row.ratio if row.bar.on == "ratio" and row.ratio else row.value
            unit = f" × {row.against}" if row.bar.on == "ratio" else f" {row.unit}"
            lines.append(
                f"missed: {row.bench}, {row.variant}, {contender(row)}: "
                f"{row.metric} {with_interval(got)}{unit}, bar {row.bar.limit:g}"
            )
    lines += [f"wrong: {w.bench}, {w.variant}, {w.who}: {w.why}" for w in results.wrong]
    lines += [f"unavailable: {peer}: {fix}" for peer, fix in results.missing.items()]
    return lines


def for_terminal(results: Results) -> RenderableType:
    """Everything, to print on a terminal."""
    parts: list[RenderableType] = [Text(line, style="dim") for line in machine_lines(results)]
    for bench in results.benches():
        parts += [Text(""), rich_table(sheet(results, bench))]
    parts.append(Text(""))
    for line in summary(results):
        bad = line.startswith(("missed", "wrong"))
        parts.append(Text(line, style="red" if bad else "yellow" if line.startswith("unavail") else ""))
    return Group(*parts)


def for_page(results: Results) -> str:
    """Everything as Markdown, to put on a page."""
    parts = ["\n".join(f"- {line}" for line in machine_lines(results))]
    for bench in results.benches():
        made = sheet(results, bench)
        parts += [f"### {made.title}", markdown_table(made)]
    parts.append("### Summary")
    parts.append("\n".join(f"- {line}" for line in summary(results)))
    return "\n\n".join(parts) + "\n"


def times(rows: Iterable[Row]) -> list[Row]:
    """The rows that are times per item."""
    return [row for row in rows if row.unit == NANOSECONDS]
