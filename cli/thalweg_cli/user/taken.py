"""The configuration that lies beside a program for SPBench: what of it can be taken along.

It is written for SPBench's own folders and libraries. What names something that is not here would keep the
program from being built, so it is left out, and that is told. The rest stays as it is.
"""

import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thalweg_cli.base.json_file import JsonFile
from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog.user_settings import ALL_KEYS, Source, compiler_of, packages, places_of, words_of

FILE = "config.json"

STANDARD = "-std="
OF_OPERATORS = ("CXX", "CXX_FLAGS", "EXTRA_CXX_FLAGS")
"""Keys of the operators, which are C++20 here, whatever they are in SPBench."""

OF_THE_COMPILER = ("PPI_CXX_FLAGS", "BENCH_CXX_FLAGS", "PRE_SRC_CMD", "POST_SRC_CMD")
"""Keys that are for the program's compiler, and mean nothing to another one."""


@dataclass
class Taken:
    """A configuration, and a line for each part that was left out."""

    values: dict[str, Any] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def taken_along(program: Path, benchmarks: Path) -> Taken:
    """What lies beside a program. Raises Failed, which names file and line, if it is no configuration."""
    file = program.parent / FILE
    taken = Taken()
    if not file.is_file():
        return taken
    found = JsonFile.read(file)
    source = Source(found.values, file.parent, found.where, places_of(benchmarks))
    lost = compilers_that_are_not_here(source)
    for key, value in found.values.items():
        if key not in ALL_KEYS:
            taken.left_out.append(f"{key}: there is no such key")
        elif key in lost:
            taken.left_out.append(f"{key}: {lost[key]}")
        elif isinstance(value, Mapping):
            kept = {
                name: said for name, part in value.items() if (said := take(source, key, name, part, taken))
            }
            taken.values |= {key: kept} if kept else {}
        elif said := take(source, key, "", value, taken):
            taken.values[key] = said
    return taken


def compilers_that_are_not_here(source: Source) -> dict[str, str]:
    """The keys that are lost with a compiler, each with the reason."""
    lost = {}
    for key in ("CXX", "BENCH_CXX"):
        command = compiler_of(source, key)
        if command and not shutil.which(command[0]):
            lost[source.spelled(key)] = f"there is no compiler {command[0]}"
            if key == "BENCH_CXX":
                others = [one for one in OF_THE_COMPILER if source.values.get(one)]
                lost |= dict.fromkeys(others, "it is for the compiler that is not here")
    return lost


def take(source: Source, key: str, name: str, value: object, taken: Taken) -> str:
    """What is left of a value, as a text."""
    kept = []
    place = f"{key}.{name}" if name else key
    words = list(words_of(source, key, value))
    if key == "PKG-CONFIG":
        words = list(packages(source, key, words))
    for word in joined(words) if key in ("INCLUDES", "LIBS") else ([word] for word in words):
        if why := missing(key, word):
            taken.left_out.append(f"{place}: {shlex.join(word)}: {why}")
        else:
            kept += word
    if key == "LIBS" and kept and not any(word.startswith("-l") for word in kept):
        kept = []  # A folder alone, whose libraries are not here.
    return shlex.join(kept)


def joined(words: Sequence[str]) -> Iterator[list[str]]:
    """Flags with their values, in one word or in two."""
    rest = iter(words)
    for word in rest:
        yield [word, next(rest, "")] if word in ("-I", "-L", "-l", "-isystem") else [word]


def missing(key: str, words: Sequence[str]) -> str:
    """Why a part of a value is of no use here; empty if it is."""
    flag, value = words[0][:2], "".join(words)[2:]
    if key == "PKG-CONFIG":
        return "" if is_package(words[0]) else "pkg-config does not find it"
    if key in OF_OPERATORS and words[0].startswith(STANDARD):
        return "the operators are C++20 here"
    if key in ("INCLUDES", "LIBS") and flag in ("-I", "-L"):
        return "" if Path(value).is_dir() else "there is no such folder"
    if key in ("LIBS", "LDFLAGS") and flag == "-l":
        return "" if is_library(value) else "there is no such library"
    return ""


def is_package(name: str) -> bool:
    """Whether pkg-config finds a package."""
    return shutil.which("pkg-config") is not None and succeeds(["pkg-config", "--exists", name])


def is_library(name: str) -> bool:
    """Whether the compiler's linker finds a library."""
    with tempfile.TemporaryDirectory(prefix="thalweg-") as folder:
        return succeeds(["c++", "-shared", "-o", f"{folder}/none", f"-l{name}"])


def succeeds(command: Sequence[str]) -> bool:
    """Whether a command, of which nothing is shown, does what it is to do."""
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError as error:
        raise Failed(
            f"{command[0]} cannot be started: {error.strerror}", remedy="./thalweg doctor"
        ) from error
