"""Files that a user asks for: written beside, then renamed, so that no half of one is taken for it."""

import csv
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from thalweg_cli.base.terminal import Failed, console, keep_output_for_data


def replace(file: Path, how: Callable[[Path], object]) -> None:
    """Has `how` write a file under a name with the same ending; it gets its own when it is complete.

    What is no file, such as a pipe, is written as it is. Raises Failed, which names the file.
    """
    if is_output(file):
        write_to_output(how, file.suffix)
        return
    unfinished = file.with_name(f".{file.stem}.{os.getpid()}{file.suffix}")
    try:
        if file.exists() and not file.is_file() and not file.is_dir():
            how(file)
            return
        try:
            how(unfinished)
            unfinished.replace(file)
        finally:
            unfinished.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise Failed(f"{file} cannot be written: {why}") from error


def is_output(file: Path) -> bool:
    """Whether a file is our standard output, by whichever name: what is printed lands there, too."""
    try:
        return os.path.samestat(file.stat(), os.fstat(1))
    except OSError:
        return False


def write_to_output(how: Callable[[Path], object], suffix: str) -> None:
    """Has `how` write a file, and prints that."""
    with tempfile.NamedTemporaryFile(prefix="thalweg-", suffix=suffix) as complete:
        how(Path(complete.name))
        sys.stdout.flush()
        with open(1, "wb", closefd=False) as output:
            output.write(Path(complete.name).read_bytes())


def file_to_write(file: Path | None) -> Path | None:
    """What a user has named to be written. If that is our output, all else is said on standard error."""
    if file and is_output(file):
        keep_output_for_data()
    return file


def write(file: Path, how: Callable[[Path], object]) -> None:
    """Writes a file as `replace` does, and says so."""
    replace(file, how)
    console.print(f"wrote {file}", markup=False)


def write_text(file: Path, text: str) -> None:
    """Writes a text as `replace` does."""
    write_bytes(file, text.encode())


def write_bytes(file: Path, data: bytes) -> None:
    """Writes bytes as `replace` does."""
    replace(file, lambda place: place.write_bytes(data))


def check_writable(file: Path) -> None:
    """Raises Failed now if `write_text` would do so after hours of measuring."""
    if file.is_dir():
        raise Failed(f"{file} is a folder")
    if not file.parent.is_dir():
        raise Failed(f"there is no folder {file.parent}, so {file} cannot be written")
    if not os.access(file.parent if not file.exists() or file.is_file() else file, os.W_OK):
        raise Failed(f"{file} cannot be written: you may not write there")


def make_folder(folder: Path) -> None:
    """Makes a folder for files, if it is not there. Raises Failed, which names it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failed(f"{folder} cannot be made: {error}") from error
    if not os.access(folder, os.W_OK):
        raise Failed(f"nothing can be written into {folder}")


def as_json(what: Any) -> str:  # noqa: ANN401  (anything that JSON has)
    """JSON for people and programs."""
    return json.dumps(what, indent=1, ensure_ascii=False) + "\n"


def as_csv(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a line of headings."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows(rows)
    return text.getvalue()
