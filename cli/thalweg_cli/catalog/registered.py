"""Inputs that users have given names to: a list that programs read, too (apps/support/registered_input.hpp).

Each line has, between tabs, an application, a name, the path of the user's file or folder, the hash of what
should come of it (`-`: unknown), and size and hash of the input itself, by which a change is noticed.
"""

import fcntl
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from thalweg_cli.base.files import make_folder, write_text
from thalweg_cli.base.paths import data_folder
from thalweg_cli.base.terminal import Failed

HEADING = (
    "# Inputs of the user's own: application, name, path, hash of the output (-: unknown), bytes, SHA-256.\n"
    "# ./thalweg new-input and delete-input write this file.\n"
)
NO_HASH = "-"
HASH = re.compile(r"[0-9a-f]{32}|[0-9a-f]{64}")
"""An MD5 or a SHA-256."""

PIECE = 1 << 20

Tell = Callable[[int, int], None]
"""Told how many bytes are done, of how many."""


@dataclass(frozen=True)
class Registered:
    """An input of a user's own. `output_hash` is that of what should come of it, empty if unknown."""

    application: str
    name: str
    file: Path
    output_hash: str
    size: int
    input_hash: str

    def as_line(self) -> str:
        """As the list has it."""
        hashed = self.output_hash or NO_HASH
        fields = (self.application, self.name, str(self.file), hashed, str(self.size), self.input_hash)
        return "\t".join(fields) + "\n"


def list_file() -> Path:
    """Where the list is."""
    return data_folder() / "inputs.tsv"


def registered() -> list[Registered]:
    """All, in the order of the list. Raises Failed, which names file and line, if the list is damaged."""
    file = list_file()
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Failed(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Failed(f"{file} cannot be read: it is not in UTF-8") from error
    lines = enumerate(text.split("\n"), start=1)
    return [parsed(line, f"{file}:{number}") for number, line in lines if line and not line.startswith("#")]


def parsed(line: str, where: str) -> Registered:
    """An input from its line. Raises Failed, which says where that is, if it is none."""
    fields = line.split("\t")
    if len(fields) != 6 or not fields[4].isdecimal():
        what = (
            f"{where}: this is not an application, a name, a path, two hashes and a size, with tabs between"
        )
        raise Failed(what, remedy="fix the line, or remove it and register the input again")
    application, name, path, output_hash, size, input_hash = fields
    if not Path(path).is_absolute():
        raise Failed(f"{where}: the path {path} is not absolute")
    for one, may_be_unknown in ((output_hash, True), (input_hash, False)):
        if not HASH.fullmatch(one) and not (may_be_unknown and one == NO_HASH):
            raise Failed(f"{where}: {one} is neither a SHA-256 nor an MD5")
    return Registered(
        application, name, Path(path), "" if output_hash == NO_HASH else output_hash, int(size), input_hash
    )


@contextmanager
def changing() -> Iterator[list[Registered]]:
    """The list to change, which is written at the end; several processes that do so take turns.

    Nothing is written if the list is damaged, or if what is done with it fails.
    """
    file = list_file()
    make_folder(file.parent)
    with (file.parent / ".inputs.lock").open("w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        there = registered()
        yield there
        write_text(file, HEADING + "".join(one.as_line() for one in there))


def files_of(place: Path) -> list[Path]:
    """The files that an input is made of: those of a folder by their paths, hidden ones apart."""
    if not place.is_dir():
        return [place]
    return sorted(file for file in place.rglob("*") if file.is_file() and not file.name.startswith("."))


def size_of(files: Iterable[Path]) -> int:
    """Their bytes together."""
    return sum(file.stat().st_size for file in files)


def hash_of(place: Path, tell: Tell) -> str:
    """The SHA-256 of a file; of a folder, that of the list which `sha256sum` would make of its files."""
    files = files_of(place)
    hashes = hashes_of(files, tell)
    if not place.is_dir():
        return hashes[place]
    listed = "".join(f"{hashes[file]}  {file.relative_to(place)}\n" for file in files)
    return hashlib.sha256(listed.encode(errors="surrogateescape")).hexdigest()


def hashes_of(files: Iterable[Path], tell: Tell) -> dict[Path, str]:
    """The SHA-256 of each file. Raises Failed, which names a file, if it cannot be read."""
    wanted = list(files)
    found: dict[Path, str] = {}
    done = 0
    try:
        total = size_of(wanted)
        for file in wanted:
            hashing = hashlib.sha256()
            with file.open("rb") as content:
                while piece := content.read(PIECE):
                    hashing.update(piece)
                    done += len(piece)
                    tell(done, total)
            found[file] = hashing.hexdigest()
    except OSError as error:
        raise Failed(f"{error.filename} cannot be read: {error.strerror}") from error
    return found
