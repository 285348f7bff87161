"""`./thalweg effort`: what it takes to write benchmark programs, by their sources."""

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from thalweg_cli.base.files import file_to_write, write
from thalweg_cli.base.paths import BENCH
from thalweg_cli.base.terminal import Failed, console, print_table
from thalweg_cli.catalog.programs import (
    SEQUENTIAL,
    Applications,
    Benches,
    Interfaces,
    Program,
    programs_of_user_applications,
    select,
    source_of,
    user_programs,
    written_programs,
)
from thalweg_cli.catalog.user_benchmarks import Benchmarks, UserFolder
from thalweg_cli.effort.measures import Measures, measure


@dataclass(frozen=True)
class Measure:
    """A measure: what files call it, and its column of the table; without a heading it has none."""

    key: str
    value: str
    heading: str = ""
    factor: float = 1.0
    is_relative: bool = True

    def of(self, measures: Measures) -> float:
        """The value for a program."""
        result: Any = measures
        for name in self.value.split("."):
            result = getattr(result, name)
        value: float = result
        return value


EFFORT = Measure("effort", "halstead.effort", "effort")
MEASURES = (
    Measure("lines", "lines", "lines"),
    Measure("shared_lines", "shared_lines", "of them\nshared", is_relative=False),
    Measure("functions", "number_of_functions", is_relative=False),
    Measure("complexity", "complexity", "complexity"),
    Measure("parallel_lines", "parallel_lines", is_relative=False),
    Measure("parallel_tokens", "parallel_tokens", "parallel\ntokens", is_relative=False),
    Measure("distinct_parallel_tokens", "distinct_parallel_tokens", is_relative=False),
    Measure("distinct_operators", "halstead.distinct_operators"),
    Measure("distinct_operands", "halstead.distinct_operands"),
    Measure("operators", "halstead.operators"),
    Measure("operands", "halstead.operands"),
    Measure("vocabulary", "halstead.vocabulary", "vocabulary"),
    Measure("length", "halstead.length", "length"),
    Measure("volume", "halstead.volume", "volume"),
    Measure("difficulty", "halstead.difficulty", "difficulty"),
    EFFORT,
    Measure("seconds", "halstead.seconds", "time\n(min)", factor=1 / 60, is_relative=False),
)
"""In the table the time has no ratio of its own: it is that of the effort."""
SHOWN = tuple(one for one in MEASURES if one.heading)


@dataclass(frozen=True)
class Row:
    """A program or a user's file, what was measured, and what the sequential program's measures are."""

    name: str
    application: str
    interface: str
    composition: str
    file: Path
    measures: Measures
    sequential: Measures | None = None

    def ratio(self, measure: Measure) -> float | None:
        """The measure relative to that of the sequential program."""
        if not measure.is_relative or self.sequential is None or not measure.of(self.sequential):
            return None
        return measure.of(self.measures) / measure.of(self.sequential)


def effort(
    bench: Benches = None,
    app: Applications = None,
    ppi: Interfaces = None,
    file: Annotated[list[Path] | None, typer.Option(help="Your own C++ source; repeatable.")] = None,
    folder: UserFolder = None,
    alone: Annotated[
        bool, typer.Option("--alone", help="Leave out what programs use of bench/support.")
    ] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", callback=file_to_write, help="Also write JSON.")
    ] = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", callback=file_to_write, help="Also write CSV.")
    ] = None,
    latex_file: Annotated[
        Path | None,
        typer.Option(
            "--latex", metavar="FILE", callback=file_to_write, help="Also write the table for LaTeX."
        ),
    ] = None,
) -> None:
    """Show the programming effort of benchmark programs, measured in their sources."""
    rows: list[Row] = []
    broken: dict[str, Failed] = {}
    if bench or app or ppi or not file:
        written = [*written_programs(BENCH), *programs_of_user_applications()]
        written += user_programs(Benchmarks(folder))
        chosen = select(written, bench or [], app or [], ppi or [])
        rows, broken = rows_of(chosen, written, BENCH, alone=alone)
    rows += [row_of_file(one, alone=alone) for one in file or []]
    for why in broken.values():
        why.show()
    if broken and not rows:
        raise Failed("none of these programs can be measured", remedy="fix what is reported above")
    outputs = [
        (place, how)
        for place, how in ((json_file, save_json), (csv_file, save_csv), (latex_file, save_latex))
        if place
    ]
    check_outputs([place for place, _ in outputs], rows)
    print_table(table_of(rows))
    for place, how in outputs:
        write(place, partial(how, rows))
    if broken:
        raise Failed(f"{', '.join(broken)} cannot be measured", remedy="fix what is reported above")


def rows_of(
    programs: Sequence[Program], written: Sequence[Program], bench: Path, *, alone: bool
) -> tuple[list[Row], dict[str, Failed]]:
    """The programs with their measures, by application and effort, and why others have none, by their names.

    Says what has no sequential program. `written`: all programs there are, among them the sequential ones.
    """
    known: dict[Program, Measures] = {}

    def measures_of(program: Program) -> Measures:
        if program not in known:
            whole = measure(source_of(program, bench), bench / "support")
            known[program] = whole.alone() if alone else whole
        return known[program]

    rows, lonely = [], set()
    broken: dict[str, Failed] = {}
    for program in programs:
        plain = sequential_of(program, written)
        if plain is None:
            lonely.add(program.application)
        try:
            its, of_plain = measures_of(program), measures_of(plain) if plain else None
        except Failed as why:  # A user who is writing one of them may want to see the others.
            broken[program.name] = why
            continue
        rows.append(
            Row(
                program.name,
                program.application,
                program.interface,
                program.composition,
                source_of(program, bench),
                its,
                of_plain,
            )
        )
    for application in sorted(lonely):
        console.print(f"{application} has no sequential program to compare with", style="dim", markup=False)
    return sorted(rows, key=lambda row: (row.application, EFFORT.of(row.measures), row.name)), broken


def sequential_of(program: Program, written: Iterable[Program]) -> Program | None:
    """The sequential program of the same composition if there is one, otherwise the plain one."""
    there = {
        one.composition: one
        for one in written
        if one.application == program.application and one.interface == SEQUENTIAL and not one.user_folder
    }
    return there.get(program.composition) or there.get("")


def row_of_file(file: Path, *, alone: bool) -> Row:
    """A user's file with its measures."""
    whole = measure(file, BENCH / "support")
    return Row(str(file), "", "", "", file, whole.alone() if alone else whole)


def check_outputs(outputs: Sequence[Path], rows: Iterable[Row]) -> None:
    """Raises Failed if an output would replace a source or another output, or lie in bench/."""
    taken = {row.file.resolve() for row in rows}
    for output in outputs:
        place = output.resolve()
        if place.is_relative_to(BENCH.resolve()):
            raise Failed(f"{output} is in {BENCH}, where the sources are")
        if place in taken:
            raise Failed(f"{output} is a source that is measured, or another output")
        taken.add(place)


def table_of(rows: Sequence[Row]) -> Table:
    """A row for each program, with its ratios to the sequential one."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    longest = max((len(row.name) for row in rows if row.application), default=0)
    table.add_column("program", overflow="fold", min_width=longest)  # Only a user's path is broken.
    for one in SHOWN:
        table.add_column(one.heading, justify="right", no_wrap=True)
    for number, row in enumerate(rows):
        if number > 0 and row.application != rows[number - 1].application:
            table.add_section()
        table.add_row(escape(row.name), *cells_of(row))
    if any(row.sequential for row in rows):
        table.caption = "in brackets: relative to the sequential program of the application"
        table.caption_justify = "left"
    return table


def cells_of(row: Row) -> list[str]:
    """The values that are shown, with ratios in brackets."""
    cells = []
    for one in SHOWN:
        ratio = row.ratio(one)
        shown = number(one.of(row.measures) * one.factor)
        cells.append(shown if ratio is None else f"{shown} ({number(ratio)})")
    return cells


def number(value: float) -> str:
    """A count as it is, anything else with three digits or, from 100 on, as a whole number."""
    if isinstance(value, int) or value >= 100:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.3g}"


def plain(row: Row) -> dict[str, Any]:
    """What is known about a row in one level: names, measures, ratios."""
    names = {
        "program": row.name,
        "application": row.application,
        "interface": row.interface,
        "composition": row.composition,
        "file": shown_path(row.file),
    }
    values = {one.key: one.of(row.measures) for one in MEASURES}
    ratios = {f"{one.key}_ratio": row.ratio(one) for one in MEASURES if one.is_relative}
    return names | values | ratios


def shown_path(file: Path) -> str:
    """A path as a user would write it: below the project from there."""
    return str(file.relative_to(BENCH.parent)) if file.is_relative_to(BENCH.parent) else str(file)


def save_json(rows: Sequence[Row], place: Path) -> None:
    """Writes all that is known: with each function, and how often each token of an interface stands there."""
    everything = []
    for row in rows:
        functions = [asdict(one) | {"where": shown_path(Path(one.where))} for one in row.measures.functions]
        everything.append(plain(row) | {"parallel": row.measures.parallel, "functions": functions})
    place.write_text(json.dumps(everything, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def save_csv(rows: Sequence[Row], place: Path) -> None:
    """Writes a line for each program, with a heading."""
    with place.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(plain(rows[0])), lineterminator="\n")
        writer.writeheader()
        writer.writerows(plain(row) for row in rows)


def save_latex(rows: Sequence[Row], place: Path) -> None:
    """Writes the table as a `tabular` that needs no package."""
    heads = ["program", *(one.heading.replace("\n", " ") for one in SHOWN)]
    lines = [rf"\begin{{tabular}}{{l{'r' * len(SHOWN)}}}", r"\hline", f"{' & '.join(heads)} \\\\", r"\hline"]
    for position, row in enumerate(rows):
        if position > 0 and row.application != rows[position - 1].application:
            lines.append(r"\hline")
        cells = [
            in_latex(row.name),
            *(cell.replace(" ", r"\,", cell.count(" ") - ("(" in cell)) for cell in cells_of(row)),
        ]
        lines.append(f"{' & '.join(cells)} \\\\")
    lines += [r"\hline", r"\end{tabular}"]
    place.write_text("\n".join(lines) + "\n", encoding="utf-8")


def in_latex(text: str) -> str:
    """A text as LaTeX needs it."""
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(one, f"\\{one}" if one in "&%$#_{}" else one) for one in text)
