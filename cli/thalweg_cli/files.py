"""Files that a user asked for."""

import os
from collections.abc import Callable
from pathlib import Path

from rich.markup import escape

from thalweg_cli.terminal import Failed, console


def write(file: Path, how: Callable[[Path], object]) -> None:
    """Writes a file that the user asked for, and says so.

    `how` writes it under a name with the same ending; it has its own name only when it is complete. Raises
    Failed if it cannot be written.
    """
    unfinished = file.with_name(f".{file.stem}.{os.getpid()}{file.suffix}")
    try:
        how(unfinished)
        unfinished.replace(file)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise Failed(f"{file} cannot be written: {why}") from error
    finally:
        unfinished.unlink(missing_ok=True)
    console.print(f"wrote {escape(str(file))}")
