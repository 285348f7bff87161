"""The numbers of a report for other programs: CSV, and tables for LaTeX."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from thalweg_cli.base.files import as_csv, write_text
from thalweg_cli.report.data import Curve, Row, Spread, Values, curves_of, plain_row, shown_metrics
from thalweg_cli.report.places import places
from thalweg_cli.report.ranking import Ranking, rank
from thalweg_cli.results.export import Kept, write_csv
from thalweg_cli.results.sustainable_table import bounded_in, median
from thalweg_cli.run.metrics import LATENCY, THROUGHPUT, Metric

LEADING = (
    "set",
    "application",
    "input",
    "interface",
    "composition",
    "nprocs",
    "nthreads",
    "threads",
    "batch",
    "batch_bytes",
    "batch_interval",
    "frequency",
    "freq_pattern",
    "adapt",
    "purpose",
    "held",
    "runs",
    "failed",
    "verified",
)

IN_TABLES = (THROUGHPUT, *LATENCY)
"""The metrics that LaTeX tables are made of."""

SAID = {
    Values.MEDIANS: "medians (lowest--highest run)",
    Values.MEANS: "means with standard deviations",
}
"""What cells of these tables have."""

SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: rf"\{sign}" for sign in "&%$#_{}"},
}


def write_tables(folder: Path, kept: Iterable[Kept], rows: Sequence[Row]) -> list[Path]:
    """Writes a line for each run, for each setting, and for each interface in each case."""
    files = [folder / name for name in ("runs.csv", "settings.csv", "ranking.csv")]
    write_csv(files[0], kept)
    write_text(files[1], settings_csv(rows))
    write_text(files[2], ranking_csv(rows))
    if curves := curves_of(rows):
        files.append(folder / "curves.csv")
        write_text(files[-1], curves_csv(curves))
    return files


def curves_csv(curves: Sequence[Curve]) -> str:
    """A line for each point of each search for the sustainable rate: medians of its runs."""
    metrics = (THROUGHPUT, *LATENCY)
    headings = ["set", "case", "interface", "composition", "nthreads", "rate", "bounded", "runs"]
    headings += [*(f"{metric.name} ({metric.unit})" for metric in metrics), "bound (ms)", "sustainable rate"]
    return as_csv(headings, (line for curve in curves for line in curve_lines(curve, metrics)))


def curve_lines(curve: Curve, metrics: Sequence[Metric]) -> Iterator[list[object]]:
    """The lines of a curve."""
    row, found = curve.row, curve.found
    for point in curve.points:
        where = [row.of.id, curve.case_name, row.interface, row.composition, found.setting.nthreads]
        values = [median(metric, point) for metric in metrics]
        counts = [point.setting.frequency, bounded_in(point), len(point.good)]
        cells = [*where, *counts, *values, found.bound_ms, found.rate]
        yield ["" if cell is None else cell for cell in cells]


def settings_csv(rows: Sequence[Row]) -> str:
    """A line for each setting: of each metric the median, the lowest and the highest run."""
    metrics = shown_metrics(rows)
    headings = [*LEADING]
    for metric in metrics:
        headings += [f"{metric.name} {what} ({metric.unit})" for what in ("median", "lowest", "highest")]
    return as_csv(headings, (setting_line(row, metrics) for row in rows))


def setting_line(row: Row, metrics: Sequence[Metric]) -> list[object]:
    """The line of a setting."""
    plain = plain_row(row, 1)
    cells: list[object] = [plain[name] for name in LEADING]
    for metric in metrics:
        spread = row.spread(metric)
        cells += [spread.median, spread.low, spread.high] if spread else [None] * 3
    return ["" if cell is None else cell for cell in cells]


def ranking_csv(rows: Sequence[Row]) -> str:
    """A line for each metric, case and interface."""
    headings = (
        "metric",
        "set",
        "case",
        "interface",
        "ratio to the best",
        "place",
        "value",
        "program",
        "nthreads",
    )
    return as_csv(headings, ranking_lines(rows))


def ranking_lines(rows: Sequence[Row]) -> Iterator[list[object]]:
    """These lines."""
    for metric in shown_metrics(rows):
        for one in rank(rows, metric).entries:
            for case, score in one.scores.items():
                where = [metric.name, case.set_id, case.name, one.interface]
                yield [*where, score.ratio, score.place.text, score.value, score.way, score.nthreads]


def write_latex(folder: Path, rows: Sequence[Row], values: Values = Values.MEDIANS) -> list[Path]:
    """Writes a table for each case and metric, and one with the ranking by throughput. They need booktabs."""
    tables: dict[str, str] = {}
    for metric in IN_TABLES:
        for (set_id, case), inside in cases(rows, metric).items():
            name = slug(f"set{set_id}-{case}-{metric.name}")
            tables[unused(name, tables)] = case_table(inside, metric, values)
    ranking = rank(rows, THROUGHPUT)
    if ranking.cases:
        tables["ranking"] = ranking_table(ranking)
    files = []
    for name, text in tables.items():
        files.append(folder / f"{name}.tex")
        write_text(files[-1], text)
    return files


def cases(rows: Sequence[Row], metric: Metric) -> dict[tuple[int, str], list[Row]]:
    """The rows that have a metric, by set and case; points of a search are none."""
    found: dict[tuple[int, str], list[Row]] = {}
    for row in rows:
        if row.spread(metric) and not row.is_point:
            found.setdefault((row.of.id, row.case_name), []).append(row)
    return found


def case_table(rows: Sequence[Row], metric: Metric, values: Values) -> str:
    """Interfaces by numbers of threads asked for; what is surely the best of its column is bold."""
    degrees = sorted({row.series.setting.degree for row in rows})
    found = {
        (row.way, row.series.setting.degree): tuple(row.values(metric)) for row in rows if row.spread(metric)
    }
    spreads = {key: Spread.of(its) for key, its in found.items()}
    best = set()
    for degree in degrees:
        column = {key: its for key, its in found.items() if key[1] == degree}
        where = places([[its] for its in column.values()], more_is_better=metric.more_is_better)
        best |= {key for key, place in zip(column, where, strict=True) if len(column) > 1 and place.is_best}
    lines = []
    for way in dict.fromkeys(row.way for row in rows):
        keys = [(way, degree) for degree in degrees]
        lines.append([latex(way), *(spread_cell(spreads.get(key), values, bold=key in best) for key in keys)])
    note = f"{rows[0].case_name}: {metric.title} ({metric.unit}), {SAID[values]}, by threads asked for"
    return tabular(["", *map(str, degrees)], lines, note)


def ranking_table(ranking: Ranking) -> str:
    """Interfaces by cases, with the geometric mean of the ratios to the best; what is surely best is bold."""
    several = len({case.set_id for case in ranking.cases}) > 1
    names = [f"{case.name} (set {case.set_id})" if several else case.name for case in ranking.cases]
    lines = []
    for one in ranking.entries:
        scores = [one.scores.get(case) for case in ranking.cases]
        ratios = [
            cell(score.ratio if score else None, bold=bool(score and score.place.is_best)) for score in scores
        ]
        place = one.place.text.replace("\N{EN DASH}", "--") if one.place else ""
        lines.append([latex(one.interface), place or "--", cell(one.mean), *ratios])
    note = f"{ranking.metric.title}: ratios to the best, each at its best number of threads"
    return tabular(["", "place", "all", *map(latex, names)], lines, note)


def spread_cell(spread: Spread | None, values: Values, *, bold: bool = False) -> str:
    """What several runs came to: median (lowest--highest), or mean and standard deviation."""
    if spread is None:
        return "--"
    shown = spread.shown(values)
    text = cell(shown.at, bold=bold)
    if spread.count == 1:
        return text
    if values is Values.MEANS:
        return rf"{text} $\pm$ {cell(spread.deviation)}"
    return f"{text} ({cell(shown.low)}--{cell(shown.high)})"


def cell(value: float | None, *, bold: bool = False) -> str:
    """A number, in four digits."""
    if value is None:
        return "--"
    digits = f"{value:.4g}"
    if "e" in digits:
        mantissa, exponent = digits.split("e")
        digits = rf"${mantissa} \cdot 10^{{{int(exponent)}}}$"
    return rf"\textbf{{{digits}}}" if bold else digits


def tabular(headings: Sequence[str], lines: Sequence[Sequence[str]], note: str) -> str:
    """A table as LaTeX has it."""
    comment = note.replace("\n", " ")
    rows = (" & ".join(line) + r" \\" for line in lines)
    columns = "l" + "r" * (len(headings) - 1)
    head = " & ".join(headings) + r" \\"
    parts = [f"% {comment}", rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *rows]
    return "\n".join([*parts, r"\bottomrule", r"\end{tabular}"]) + "\n"


def latex(text: str) -> str:
    """Text without signs that mean something to LaTeX."""
    return "".join(SPECIAL.get(sign, sign) for sign in text)


def slug(text: str) -> str:
    """Text as a name of a file."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")[:100] or "report"


def unused(name: str, taken: Iterable[str]) -> str:
    """A name that is not taken: itself, or itself with a number."""
    names = set(taken)
    return next(one for one in (name, *(f"{name}-{i}" for i in range(2, len(names) + 3))) if one not in names)
