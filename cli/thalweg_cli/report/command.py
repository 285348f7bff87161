"""`./thalweg report`: sets of runs as a page with plots that works offline, as pictures and as tables."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from thalweg_cli.base.files import check_writable, file_to_write, make_folder, write_text
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.catalog.programs import Applications, Benches, Interfaces, check_names, fits
from thalweg_cli.report.data import Row, Values, rows_of
from thalweg_cli.report.page import page
from thalweg_cli.report.panels import axis_named
from thalweg_cli.report.run_pages import write_run_pages
from thalweg_cli.report.tables import write_latex, write_tables
from thalweg_cli.results.export import Kept
from thalweg_cli.results.store import LATEST, Store, StoreFile, default_file


class By(StrEnum):
    """What stands on the axis."""

    NTHREADS = "nthreads"
    THREADS = "threads"
    NPROCS = "nprocs"
    BATCH = "batch"
    BATCH_BYTES = "batch-bytes"
    BATCH_INTERVAL = "batch-interval"
    FREQUENCY = "frequency"
    USER_ARG = "user-arg"


def report(
    output: Annotated[
        Path, typer.Option(metavar="FILE", callback=file_to_write, help="Write the page, HTML, here.")
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SET]...", help=f"Ids, labels, previous; without any, {LATEST}."),
    ] = None,
    bench: Benches = None,
    app: Applications = None,
    ppi: Interfaces = None,
    by: Annotated[
        By,
        typer.Option(
            help="Axis of pictures, and of the page at first: threads asked for, or used, ranks, batches..."
        ),
    ] = By.NTHREADS,
    one_scale: Annotated[
        bool, typer.Option("--one-scale", help="Pictures of all applications have the same scale.")
    ] = False,
    values: Annotated[
        Values,
        typer.Option(
            help="Medians from the lowest to the highest run, or means with standard deviations: in "
            "pictures, tables for LaTeX, and the page at first."
        ),
    ] = Values.MEDIANS,
    png: Annotated[Path | None, typer.Option(metavar="DIR", help="Also write the plots as PNG here.")] = None,
    svg: Annotated[Path | None, typer.Option(metavar="DIR", help="Also write the plots as SVG here.")] = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write the numbers as CSV here.")
    ] = None,
    latex: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write tables for LaTeX (booktabs) here.")
    ] = None,
    store: StoreFile = None,
) -> None:
    """Make a page of sets of runs: plots, a ranking, all numbers, and the machine they were measured on."""
    check_writable(output)
    with closing(Store(store or default_file())) as kept:
        sets = {one.id: one for one in map(kept.find, names or [LATEST])}
        found: list[Kept] = [
            (one, kept.runs(one.id)) for one in sorted(sets.values(), key=lambda one: one.id)
        ]
    chosen = select(found, bench or [], app or [], ppi or [])
    rows = rows_of(chosen)
    check_values(chosen, rows)
    axis = axis_named(rows, by.value)
    links = links_to(write_run_pages(output, rows, store or default_file()))
    write_text(output, page([one for one, _ in chosen], rows, axis.name, values, links))
    written = [output]
    for folder in filter(None, (png, svg, csv, latex)):
        make_folder(folder)
    if csv:
        written += write_tables(csv, chosen, rows)
    if latex:
        written += write_latex(latex, rows, values)
    if png or svg:
        from thalweg_cli.report.figures import write_pictures  # noqa: PLC0415  (loading matplotlib takes long)

        for place, suffix in ((png, ".png"), (svg, ".svg")):
            if place:
                written += write_pictures(place, suffix, rows, axis, values, one_scale=one_scale)
    for file in written:
        console.print(f"wrote {file}", markup=False)


def links_to(pages: Mapping[int, Path]) -> dict[int, str]:
    """The addresses of pages, from a report that their folder is beside."""
    return {index: f"{quote(file.parent.name)}/{quote(file.name)}" for index, file in pages.items()}


def select(kept: Sequence[Kept], bench: Sequence[str], app: Sequence[str], ppi: Sequence[str]) -> list[Kept]:
    """The sets with those of their runs that fit; sets without any are left out.

    Raises Failed if a name is in none of the sets, or if nothing is left.
    """
    programs = list({run.setting.program for _, runs in kept for run in runs})
    where = f"{'set' if len(kept) == 1 else 'sets'} {', '.join(one.name for one, _ in kept)}"
    if not programs:
        raise Failed(f"there are no runs in {where}", remedy="./thalweg results lists all sets")
    try:
        check_names(programs, bench, app, ppi)
    except Failed as failure:
        raise Failed(
            f"{failure.what} in {where}", remedy=f"./thalweg results {kept[0][0].id} shows what is there"
        ) from failure

    fitting = {program for program in programs if fits(program, bench, app, ppi)}
    found = [(one, [run for run in runs if run.setting.program in fitting]) for one, runs in kept]
    found = [(one, runs) for one, runs in found if runs]
    if not found:
        raise Failed(f"no run of {where} fits --bench, --app and --ppi together")
    return found


def check_values(kept: Sequence[Kept], rows: Sequence[Row]) -> None:
    """Raises Failed if no run has numbers that may be shown."""
    if not any(row.series.good for row in rows):
        error = next((row.series.error for row in rows if row.series.error), "all of them were warm-up runs")
        names = ", ".join(one.name for one, _ in kept)
        raise Failed(f"no run of {names} succeeded, so there is nothing to show: {error}")
