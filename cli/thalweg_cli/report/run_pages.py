"""Pages of runs beside a report: what `view` makes of the samples that runs have taken of their stages."""

from collections.abc import Collection, Sequence
from pathlib import Path

from thalweg_cli.base.files import is_output, make_folder, write_text
from thalweg_cli.base.npm import NoPackages
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.base.web_parts import parts
from thalweg_cli.report.data import Row
from thalweg_cli.run.stage_samples import NAME, file_of, folder_of
from thalweg_cli.watch.sample_file import BadSamples, read_state
from thalweg_cli.watch.saved_page import is_saved_page, saved_page
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

    Pages that an earlier report has left there are removed, and nothing else. Raises Failed if they cannot be
    written or removed.
    """
    if is_output(report):
        return {}
    found = {index: file for index, row in enumerate(rows) if (file := samples_of(row, store))}
    folder = report.with_name(f"{report.stem}.runs")
    if not found:
        remove_all_but((), folder)
        return {}
    try:
        look = parts()
    except NoPackages as why:
        console.print(f"the report has no pages of runs: {why}", markup=False)
        return {}
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
    remove_all_but(pages.values(), folder)
    if len(found) > MOST:
        console.print(f"left out: the pages of {len(found) - MOST} runs: a report has {MOST} of them")
    if pages:
        console.print(f"wrote {folder}, with the pages of {len(pages)} runs", markup=False)
    return pages


def remove_all_but(kept: Collection[Path], folder: Path) -> None:
    """Removes other pages of runs from the folder, and the folder if nothing else is in it, and says so.

    Raises Failed if that is not possible.
    """
    try:
        old = [file for file in sorted(folder.glob("*.html")) if file not in kept and is_ours(file)]
        for file in old:
            file.unlink()
        if old and not any(folder.iterdir()):
            folder.rmdir()
    except OSError as error:
        raise Failed(f"pages of an earlier report cannot be removed from {folder}: {error}") from error
    if old:
        console.print(f"removed {len(old)} pages of an earlier report from {folder}", markup=False)


def is_ours(file: Path) -> bool:
    """Whether a report has made a file: by its name, and by how it begins."""
    named = NAME.fullmatch(file.stem) is not None
    return named and file.is_file() and not file.is_symlink() and is_saved_page(file)
