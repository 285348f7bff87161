"""`./thalweg docs`: the documentation as a site, with a reference of the public headers."""

import time
from pathlib import Path
from typing import Annotated

import typer

from thalweg_cli.base.paths import BUILD
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.build.cmake import alone
from thalweg_cli.docs.site import MARK, build_site
from thalweg_cli.docs.tools import get_tools

PLACE = BUILD / "docs"
WORK = BUILD / "docs-work"


def docs(
    output: Annotated[
        Path,
        typer.Option(
            help="The folder of the site; one that holds something else is left alone.",
            show_default="build/docs",
        ),
    ] = PLACE,
) -> None:
    """Build the documentation as a site, which can be read from disk, with a reference of the headers."""
    output = output.absolute()
    check_place(output)
    get_tools()
    start = time.monotonic()
    with alone(BUILD / "docs.lock"):
        count = build_site(WORK, output)
    console.print(f"{count} pages in {time.monotonic() - start:.0f} s: {output / 'index.html'}", markup=False)


def check_place(output: Path) -> None:
    """Raises Failed if a site cannot be put there, or would replace something else."""
    if output.is_dir() and any(output.iterdir()) and not (output / MARK).is_file():
        raise Failed(f"{output} holds something else than a site", remedy="name another folder: --output DIR")
    if output.exists() and not output.is_dir():
        raise Failed(f"{output} is no folder", remedy="name another one: --output DIR")
