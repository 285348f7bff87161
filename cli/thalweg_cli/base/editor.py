"""Opens files in the user's editor."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from thalweg_cli.base.process import parse_command
from thalweg_cli.base.terminal import Failed, console

Editor = Annotated[
    str, typer.Option(metavar="COMMAND", help="The editor, if not the one of $VISUAL or $EDITOR.")
]
"""The option of commands that open files."""


def edit_files(files: Sequence[Path], editor: str = "") -> bool:
    """Opens files and waits until the editor ends; without one, prints their paths. True if it was opened.

    Raises Failed if there is no such editor, or if it fails.
    """
    for given_as, command in (
        ("--editor", editor),
        ("VISUAL", os.environ.get("VISUAL", "")),
        ("EDITOR", os.environ.get("EDITOR", "")),
    ):
        words = parse_command(command, given_as)
        if not words:
            continue
        code = subprocess.run([*words, *map(str, files)], check=False).returncode
        if code != 0:
            raise Failed(f"the editor {words[0]} ended with code {code}")
        return True
    for file in files:
        console.print(str(file), markup=False)
    console.print("to have it opened here, set VISUAL or EDITOR, or give --editor", style="dim")
    return False
