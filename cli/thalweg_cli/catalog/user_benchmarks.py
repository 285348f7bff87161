"""Benchmarks of the user's own: a folder that holds them all, each in a folder of its own."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Self

import typer

from thalweg_cli.base.files import as_json, write_text
from thalweg_cli.base.json_file import JsonFile
from thalweg_cli.base.names import did_you_mean
from thalweg_cli.base.paths import USER_FOLDER, user_folder
from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog.user_settings import Settings, Source, places_of, settings_from

FORMAT = 1
"""Of benchmark.json."""

FILE, PROGRAM, OPERATORS, BASE = "benchmark.json", "program.cpp", "operators", "base"
"""What lies in the folder of a benchmark: what it is, its source, the files of the application that it has
changed, and those files as they were before. The last two have the files under their paths in the project."""

GLOBAL_FILE, PROGRAMS = "global.json", "programs"
"""The configuration for all, beside the benchmarks, and the folder of those for single programs of others."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")
"""Names that folders, programs and CMake can have."""


def use_folder(folder: Path | None) -> Path | None:
    """Makes a folder that is given the one of all that the user has added, for programs that run, too."""
    if folder:
        os.environ[USER_FOLDER] = str(folder.expanduser().absolute())
    return folder


UserFolder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        metavar="FOLDER",
        envvar=USER_FOLDER,
        callback=use_folder,
        help="Where your own benchmarks are, if not in your data folder.",
    ),
]
"""The option of commands that know the user's own benchmarks."""


def name_of(application: str, interface: str, composition: str) -> str:
    """The name of a program, as ours have them."""
    return "_".join(part for part in (application, interface, composition) if part)


def composition_in(name: str, application: str, interface: str) -> str:
    """What a name, long or short, says beside application and interface."""
    prefix = f"{application}_{interface}"
    return "" if name == prefix else name.removeprefix(f"{prefix}_")


@dataclass(frozen=True)
class Benchmark:
    """A benchmark of the user's own. Its name is that of its folder.

    `start` is the program that it was copied from; `operators` are those that it has of its own, each with
    its files, as paths in the project.
    """

    folder: Path
    application: str
    interface: str
    composition: str
    start: str = ""
    configuration: Mapping[str, Any] = field(default_factory=dict)
    operators: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Such as primes_mine_first."""
        return self.folder.name

    @property
    def program(self) -> Path:
        """Its source."""
        return self.folder / PROGRAM

    @property
    def changed_files(self) -> list[str]:
        """The files of the application that it has of its own, as paths in the project."""
        return sorted({file for files in self.operators.values() for file in files})

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Raises Failed, which names file and line, if something is wrong with what it says it is."""
        found = JsonFile.read(folder / FILE)
        check_format(found)
        for key in found.values:
            if key not in KEYS:
                raise Failed(f"{found.where(key)}: there is no key {key}", remedy=did_you_mean(key, KEYS))
        return cls.of(found)

    @classmethod
    def of(cls, found: JsonFile) -> Self:
        """What a file says. Raises Failed if something is missing or of another kind, or is no name."""
        application, interface = found.text_at("application"), found.text_at("interface")
        composition = found.text_at("composition", "")
        for key, value in (("application", application), ("interface", interface)):
            if not NAME.fullmatch(value):
                raise Failed(f"{found.where(key)}: {key}: no name: {value!r}")
        folder = found.file.parent
        if folder.name not in (name_of(application, interface, composition), composition):
            raise Failed(
                f"{found.where('composition')}: the folder is called {folder.name}, but the benchmark "
                f"{name_of(application, interface, composition)}",
                remedy="./thalweg update",
            )
        operators = found.object_at("operators")
        for operator, files in operators.items():
            if not isinstance(files, list) or not all(is_source(file, application) for file in files):
                raise Failed(
                    f"{found.where(operator)}: {operator}: not a list of files of apps/{application}"
                )
        return cls(
            folder,
            application,
            interface,
            composition,
            found.text_at("from", ""),
            found.object_at("configuration"),
            operators,
        )

    def as_plain(self) -> dict[str, Any]:
        """As its file has it."""
        return {
            "format": FORMAT,
            "application": self.application,
            "interface": self.interface,
            "composition": self.composition,
            "from": self.start,
            "configuration": dict(self.configuration),
            "operators": dict(self.operators),
        }

    def write(self) -> None:
        """Writes what it is into its folder, which is there."""
        write_text(self.folder / FILE, as_json(self.as_plain()))

    def source(self, found: JsonFile) -> Source:
        """Its own configuration, as it stands in a file."""
        return Source(
            self.configuration, self.folder, found.where, places_of(self.folder.parent, self.folder)
        )

    def settings(self) -> Settings:
        """What it is built with: what is its own, then what holds for all. Raises Failed as `read` does."""
        own = self.source(JsonFile.read(self.folder / FILE))
        return settings_from([own, *global_sources(self.folder.parent)])

    def described(self) -> str:
        """What numbers of it depend on: a hash of its files, its settings, its operators."""
        parts = [f"files {hash_of(self)}", *self.settings().described()]
        if self.operators:
            parts.append(f"own {', '.join(self.operators)}")
        return "; ".join(parts)


KEYS = ("format", "application", "interface", "composition", "from", "configuration", "operators")
"""Those of benchmark.json."""


def check_format(found: JsonFile) -> None:
    """Raises Failed if a file is of another version."""
    version = found.values.get("format", 0)
    if not isinstance(version, int) or isinstance(version, bool) or version < 0:
        raise Failed(f"{found.where('format')}: format: not the number of a version: {version!r}")
    if version > FORMAT:
        what = (
            f"{found.where('format')}: of format {version}, but this program knows no later one than {FORMAT}"
        )
        raise Failed(what, remedy="use the ./thalweg that wrote it, or a later one")
    if version < FORMAT:
        raise Failed(f"{found.where('format')}: of an older format", remedy="./thalweg update")


def is_source(file: object, application: str) -> bool:
    """Whether it is a path to a file of the application, and nowhere else."""
    return isinstance(file, str) and bool(re.fullmatch(rf"apps/{re.escape(application)}/[\w.+-]+", file))


def hash_of(benchmark: Benchmark) -> str:
    """The first digits of a hash of what its program is made of."""
    total = hashlib.sha256()
    for file in sorted(benchmark.folder.rglob("*")):
        path = file.relative_to(benchmark.folder)
        if file.is_file() and path.parts[0] not in (BASE, FILE):
            total.update(f"{path}\n{file.stat().st_size}\n".encode())
            total.update(file.read_bytes())
    return total.hexdigest()[:12]


def global_sources(benchmarks: Path) -> list[Source]:
    """The configuration for all benchmarks in a folder, if there is one."""
    return sources_in(benchmarks / GLOBAL_FILE)


def sources_in(file: Path) -> list[Source]:
    """The configuration in a file that holds nothing else, if it is there."""
    return [whole_file(JsonFile.read(file))] if file.exists() else []


def whole_file(found: JsonFile) -> Source:
    """The configuration in a file that holds nothing else: for all, or for one program of others."""
    folder = found.file.parent
    benchmarks = folder.parent if folder.name == PROGRAMS else folder
    return Source(found.values, folder, found.where, places_of(benchmarks))


@dataclass(frozen=True)
class Unreadable:
    """A benchmark that does not say what it is."""

    folder: Path
    why: Failed

    @property
    def name(self) -> str:
        """That of its folder."""
        return self.folder.name


class Benchmarks:
    """The folder of all of them. It need not be there; then there are none."""

    def __init__(self, folder: Path | None = None) -> None:
        """Without a folder, the one in the user's data."""
        self.folder = (folder or user_folder()).expanduser().absolute()

    def __iter__(self) -> Iterator[Benchmark | Unreadable]:
        """All of them, by name."""
        for folder in self._folders():
            try:
                yield Benchmark.read(folder)
            except Failed as why:
                yield Unreadable(folder, why)

    def _folders(self) -> list[Path]:
        try:
            found = sorted(self.folder.iterdir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise Failed(f"{self.folder} cannot be read: {error.strerror}") from error
        return [one for one in found if (one / FILE).is_file() and not one.name.startswith(".")]

    def names(self) -> list[str]:
        """The names of all, those that cannot be read among them."""
        return [folder.name for folder in self._folders()]

    def find(self, name: str) -> Benchmark:
        """The one that a user means by its name, or by the part of it behind application and interface.

        Raises Failed if there is none, if there are several, or if it cannot be read.
        """
        there = list(self)
        found = [one for one in there if one.name == name] or [
            one for one in there if isinstance(one, Benchmark) and one.composition == name
        ]
        if not found:
            near = did_you_mean(name, self.names())
            raise Failed(f"there is no benchmark {name} in {self.folder}", remedy=f"{near}./thalweg list")
        if len(found) > 1:
            names = ", ".join(one.name for one in found)
            raise Failed(f"{name} may mean several benchmarks", remedy=f"one of {names}")
        (one,) = found
        if isinstance(one, Unreadable):
            raise one.why
        return one

    def program_file(self, name: str) -> Path:
        """The configuration of a program that is no benchmark of the user's own. It need not be there."""
        return self.folder / PROGRAMS / f"{name}.json"

    def settings_for(self, name: str) -> Settings:
        """What a program that is no benchmark of the user's own is built with.

        Raises Failed, which names file and line, if something is wrong in one of the files.
        """
        return settings_from([*sources_in(self.program_file(name)), *global_sources(self.folder)])

    def staging(self, name: str) -> Path:
        """Where a benchmark is put together before it takes its place."""
        return self.folder / f".{name}.{os.getpid()}"
