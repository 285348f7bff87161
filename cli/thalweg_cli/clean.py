"""`./thalweg clean`: removes what was built."""

import shutil
from typing import Annotated

import typer

from thalweg_cli.paths import BUILD, ROOT
from thalweg_cli.terminal import console


def clean(
    everything: Annotated[bool, typer.Option("--all", help="The Python environment too.")] = False,
) -> None:
    """Remove what was built."""
    for folder in [BUILD, *([ROOT / ".venv"] if everything else [])]:
        if folder.exists():
            shutil.rmtree(folder)
            console.print(f"removed {folder.relative_to(ROOT)}/")
