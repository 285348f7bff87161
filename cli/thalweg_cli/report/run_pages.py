"""Pages of runs beside a report: what `view` makes of the samples that runs have taken of their stages."""

from collections.abc import Sequence
from pathlib import Path

from thalweg_cli.base.files import is_output, make_folder, write_text
from thalweg_cli.base.npm import NoPackages
from thalweg_cli.base.terminal import console
from thalweg_cli.base.web_parts import parts
from thalweg_cli.report.data import Row
from thalweg_cli.run.stage_samples import file_of, folder_of
from thalweg_cli.watch.sample_file import BadSamples, read_state
from thalweg_cli.watch.saved_page import saved_page
from thalweg_cli.watch.thin import thinned

MOST = 60
"""Pages beside a report: each takes half a megabyte."""


def samples_of(row: Row, store: Path) -> Path | None:
    """The samples of the run of a row that is shown over time, if there are any."""
    run = row.sampled()
    file = run and file_of(folder_of(store, row.of.id), run.setting, run.number)
    return file if file and file.is_file() else None


def write_run_pages(report: Path, rows: Sequence[Row], store: Path) -> dict[int, Path]:
    """Writes the pages into a folder beside a report, and says so. Returns those of rows, by their numbers.

    Raises Failed if they cannot be written.
    """
    found = {index: file for index, row in enumerate(rows) if (file := samples_of(row, store))}
    if not found or is_output(report):
        return {}
    try:
        look = parts()
    except NoPackages as why:
        console.print(f"the report has no pages of runs: {why}", markup=False)
        return {}
    folder = report.with_name(f"{report.stem}.runs")
    make_folder(folder)
    pages = {}
    for index, file in list(found.items())[:MOST]:
        try:
            state = thinned(read_state(file))
        except (BadSamples, OSError) as error:
            console.print(f"left out: the page of a run: {file}: {error}", markup=False)
            continue
        pages[index] = folder / f"{file.stem}.html"
        write_text(pages[index], saved_page(look, state))
    if len(found) > MOST:
        console.print(f"left out: the pages of {len(found) - MOST} runs: a report has {MOST} of them")
    if pages:
        console.print(f"wrote {folder}, with the pages of {len(pages)} runs", markup=False)
    return pages
