"""`./thalweg view`: the page of a run of the past, made of the samples that the run has written."""

import os
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from thalweg_cli.base.files import check_writable, file_to_write, is_output, write
from thalweg_cli.base.npm import NoPackages
from thalweg_cli.base.terminal import Failed, WrongUsage, console
from thalweg_cli.base.web_parts import parts
from thalweg_cli.watch.sample_file import BadSamples, Json, read_state
from thalweg_cli.watch.saved_page import is_saved_page, saved_page
from thalweg_cli.watch.thin import thinned

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
"""Without any of these in the environment, a browser would be one in the terminal."""


def view(
    samples: Annotated[
        Path, typer.Argument(metavar="FILE", help="What a run has written with {.monitor = FILE}.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", callback=file_to_write, help="The page to write; without it, beside the file."
        ),
    ] = None,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Write the page, and do not show it in the browser.")
    ] = False,
) -> None:
    """Show a run of the past with the page of a running one: graph, curves, latencies, what limited it."""
    state = read(samples)
    page = output or beside(samples)
    check_writable(page)
    if page.exists() and page.samefile(samples):
        raise WrongUsage(f"{page} has the samples: the page needs another file")
    try:
        text = saved_page(parts(), state)
    except NoPackages as error:
        raise Failed(str(error)) from error
    write(page, lambda file: file.write_text(text, encoding="utf-8"))
    if not state["history"][-1]["done"]:
        console.print("the samples have no end: the run goes on, or it was ended from outside")
    if not no_open and not is_output(page):
        show(page)


def read(samples: Path) -> Json:
    """The samples. Raises WrongUsage if there are none, with the line that is wrong."""
    try:
        return thinned(read_state(samples))
    except BadSamples as error:
        raise WrongUsage(
            f"{samples}: {error}",
            remedy="a run writes the file if it has {.monitor = FILE}, or THALWEG_MONITOR in its environment",
        ) from error
    except OSError as error:
        raise WrongUsage(f"{samples} cannot be read: {error.strerror}") from error


def beside(samples: Path) -> Path:
    """Where the page is written. Raises Failed if something else is there."""
    page = samples.with_suffix(".html")
    if page.is_file() and not is_saved_page(page):
        raise Failed(f"{page} is there, and no page of this command", remedy="-o names another file")
    return page


def show(page: Path) -> None:
    """Opens a page in the user's browser, if there is one and a screen."""
    if any(os.environ.get(name) for name in SCREENS):
        webbrowser.open(page.absolute().as_uri())
