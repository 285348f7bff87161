"""What a benchmark of the user's own is built with: the keys of its configuration, and of the one for all."""

import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from thalweg_cli.base.json_file import what_is
from thalweg_cli.base.names import did_you_mean
from thalweg_cli.base.paths import BENCH, ROOT
from thalweg_cli.base.terminal import Failed

COMPILERS = ("CXX", "BENCH_CXX")
"""Keys that have one command each."""

KEYS: Mapping[str, str] = {
    "CXX": "the compiler of the operators; more words are flags",
    "CXX_FLAGS": "its flags",
    "BENCH_CXX": "the compiler of the benchmark's own program, which it also links; more words are flags",
    "BENCH_CXX_FLAGS": "its flags",
    "PRE_SRC_CMD": "words before the program's source in the command that compiles it",
    "POST_SRC_CMD": "words after it",
    "MACROS": "macros: -DNAME or NAME=VALUE",
    "INCLUDES": "folders of headers: -I FOLDER or FOLDER",
    "LIBS": "libraries: -L FOLDER, -l NAME or a file",
    "LDFLAGS": "flags of the linker",
    "PKG-CONFIG": "packages that pkg-config knows",
    "USES": "interfaces of ours whose headers and libraries it needs",
}
"""All keys, and what their values are. They are SPBench's, and USES."""

EXTRA = "EXTRA_"
"""Before a key of those below: its words are added, and take the place of nothing."""

MAY_BE_EXTRA = ("CXX_FLAGS", "BENCH_CXX_FLAGS", "MACROS", "LDFLAGS")

SPELLINGS: Mapping[str, str] = {
    "BENCH_CXX": "PPI_CXX",
    "BENCH_CXX_FLAGS": "PPI_CXX_FLAGS",
    "EXTRA_BENCH_CXX_FLAGS": "EXTRA_PPI_CXX_FLAGS",
}
"""What SPBench's program calls keys that its thesis calls otherwise."""

ALL_KEYS = (*KEYS, *(EXTRA + key for key in MAY_BE_EXTRA), *SPELLINGS.values())
"""All that may stand in a file."""

PLACES = re.compile(r"\$(?:\{(\w+)\}|(\w+))")

MACRO = re.compile(r"[A-Za-z_]\w*(\([^)]*\))?(=.*)?", re.DOTALL)
PACKAGE = re.compile(r"[A-Za-z0-9][\w.+-]*([<>]?=[\w.+-]+)?")


@dataclass(frozen=True)
class Settings:
    """What is added to a build, in the order in which compilers get it. Folders and files are absolute."""

    cxx: str = ""
    bench_cxx: str = ""
    cxx_flags: tuple[str, ...] = ()
    bench_cxx_flags: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    macros: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    library_folders: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    link_flags: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()

    @property
    def missing(self) -> str:
        """What is not there on this machine: a compiler. Empty if nothing is missing."""
        for key, command in zip(COMPILERS, (self.cxx, self.bench_cxx), strict=True):
            if command and not shutil.which(command):
                return f"there is no compiler {command} ({key})"
        return ""

    def described(self) -> list[str]:
        """What is set, each as NAME=VALUE."""
        parts = []
        for one in fields(self):
            value = getattr(self, one.name)
            if value:
                parts.append(f"{one.name}={value if isinstance(value, str) else shlex.join(value)}")
        return parts


@dataclass(frozen=True)
class Source:
    """A configuration as it stands in a file. `folder` is what its relative paths start from.

    `where` tells where a key stands, `places` what `$NAME` in a value stands for.
    """

    values: Mapping[str, Any]
    folder: Path
    where: Callable[[str], str]
    places: Mapping[str, Path] = field(default_factory=dict)

    def spelled(self, key: str) -> str:
        """What the file calls a key."""
        other = SPELLINGS.get(key, key)
        return other if other in self.values else key

    def get(self, key: str) -> Any:  # noqa: ANN401  (anything that JSON has)
        """What a key has; an empty text if it is not there."""
        return self.values.get(self.spelled(key), "")

    def wrong(self, key: str, what: str, remedy: str = "") -> Failed:
        """The failure that a value has something wrong."""
        name = self.spelled(key)
        return Failed(f"{self.where(name)}: {name}: {what}", remedy=remedy)


Entry = tuple[str, tuple[str, ...]]
"""A part of a value: the name it has in an object (otherwise none), and its words."""


def settings_from(sources: Sequence[Source]) -> Settings:
    """What configurations say together: what is said later takes the place of what was said before.

    So do entries that have names with those of the same name; what is EXTRA is added. Raises Failed, which
    names file and line, if something is wrong with one.
    """
    values: dict[str, Any] = {}
    flags_of_command: dict[str, tuple[str, ...]] = {}
    for source in sources:
        for key in source.values:
            check_key(key, source.where(key))
        for key in COMPILERS:
            if command := compiler_of(source, key):
                values[key.lower()], flags_of_command[f"{key}_FLAGS"] = command[0], command[1:]
    for name, key, read in LISTS:
        found: list[Entry] = []
        for source in sources:
            own = [(label, tuple(read(source, key, words))) for label, words in entries_of(source, key)]
            names = {label for label, words in own if words}
            found = [entry for entry in found if entry[0] not in names] + own
        for source in sources if key in MAY_BE_EXTRA else ():
            found += [("", tuple(read(source, key, words))) for _, words in entries_of(source, EXTRA + key)]
        words = (word for _, words in found for word in words)
        values[name] = (*flags_of_command.get(key, ()), *words)
    return Settings(**values)


def check_key(key: str, where: str) -> None:
    """Raises Failed if there is no such key."""
    if key not in ALL_KEYS:
        remedy = f"{did_you_mean(key.upper(), ALL_KEYS)}one of {', '.join(ALL_KEYS)}"
        raise Failed(f"{where}: there is no key {key}", remedy=remedy)


def compiler_of(source: Source, key: str) -> tuple[str, ...]:
    """A compiler, a command or a file beside the configuration, and flags. Empty if there is none."""
    value = source.get(key)
    if not isinstance(value, str):
        raise source.wrong(key, f"is {what_is(value)}, not the name of a compiler")
    command, *flags = split(source, key, value) or [""]
    if not command:
        return ()
    return (str(source.folder / command) if "/" in command else command, *flags)


def entries_of(source: Source, key: str) -> list[Entry]:
    """The parts of a value: a text is split into words as a shell does, a list has a word a member."""
    value = source.get(key)
    if isinstance(value, dict):
        return [(name, words_of(source, key, part)) for name, part in value.items()]
    return [("", words_of(source, key, value))]


def words_of(source: Source, key: str, value: object) -> tuple[str, ...]:
    """The words of a text, or of a list of texts."""
    if isinstance(value, str):
        words = split(source, key, value)
    elif isinstance(value, list) and all(isinstance(one, str) for one in value):
        words = [with_places(source, one) for one in value]
    else:
        raise source.wrong(key, f"{what_is(value)}, not a text or a list of texts")
    for word in words:
        if ";" in word or "\n" in word:
            raise source.wrong(key, f"CMake accepts no semicolon and no line break: {word!r}")
    return tuple(words)


def split(source: Source, key: str, text: str) -> list[str]:
    """The words of a text, with what their `$NAME`s stand for."""
    try:
        return [with_places(source, word) for word in shlex.split(text)]
    except ValueError as error:
        raise source.wrong(key, f"{error}: {text}") from error


def with_places(source: Source, word: str) -> str:
    """A word in which names of places stand for these; all others (`$ORIGIN`) stay."""

    def place(found: re.Match[str]) -> str:
        known = source.places.get(found[1] or found[2])
        return found[0] if known is None else str(known)

    return PLACES.sub(place, word)


def flags(_source: Source, _key: str, words: Sequence[str]) -> Sequence[str]:
    """Flags as they stand there."""
    return words


def macros(source: Source, key: str, words: Sequence[str]) -> list[str]:
    """Macros without their -D."""
    found = with_values(source, key, words, ("-D",))
    for _, name in found:
        if not MACRO.fullmatch(name):
            raise source.wrong(key, f"no macro: {name}")
    return [name for _, name in found]


def includes(source: Source, key: str, words: Sequence[str]) -> list[str]:
    """Folders without their -I."""
    return [str(source.folder / folder) for _, folder in with_values(source, key, words, ("-I", "-isystem"))]


def library_folders(source: Source, key: str, words: Sequence[str]) -> list[str]:
    """What stands behind -L."""
    found = with_values(source, key, words, ("-L", "-l"))
    return [str(source.folder / folder) for flag, folder in found if flag == "-L"]


def libraries(source: Source, key: str, words: Sequence[str]) -> list[str]:
    """-lNAME, and files."""
    found = with_values(source, key, words, ("-L", "-l"))
    return [f"-l{name}" if flag else str(source.folder / name) for flag, name in found if flag != "-L"]


def packages(source: Source, key: str, words: Sequence[str]) -> list[str]:
    """Packages, also of a whole command: `pkg-config --cflags --libs opencv4`."""
    bare = [word.strip("`").removeprefix("$(").removesuffix(")") for word in words]
    names = [word for word in bare if word and word != "pkg-config" and not word.startswith("--")]
    for name in names:
        if not PACKAGE.fullmatch(name):
            raise source.wrong(key, f"no package of pkg-config: {name}")
    return names


def interfaces(source: Source, key: str, words: Sequence[str]) -> Sequence[str]:
    """Interfaces that we have."""
    there = known_interfaces()
    for word in words:
        if word not in there:
            remedy = f"{did_you_mean(word, there)}one of {', '.join(sorted(there))}"
            raise source.wrong(key, f"there is no interface {word}", remedy=remedy)
    return words


def with_values(
    source: Source, key: str, words: Iterable[str], known: Sequence[str]
) -> list[tuple[str, str]]:
    """Flags with their values, in one word or in two, and words without a flag. Raises Failed for others."""
    found = []
    rest = iter(words)
    for word in rest:
        flag = next((one for one in known if word.startswith(one)), "")
        if not flag and word.startswith("-"):
            raise source.wrong(key, f"{word} does not belong there", remedy=f"it takes {KEYS[key]}")
        value = word.removeprefix(flag) or next(rest, "")
        if not value:
            raise source.wrong(key, f"nothing follows {flag}")
        found.append((flag, value))
    return found


LISTS: Sequence[tuple[str, str, Callable[[Source, str, Sequence[str]], Iterable[str]]]] = (
    ("cxx_flags", "CXX_FLAGS", flags),
    ("bench_cxx_flags", "BENCH_CXX_FLAGS", flags),
    ("before", "PRE_SRC_CMD", flags),
    ("behind", "POST_SRC_CMD", flags),
    ("macros", "MACROS", macros),
    ("includes", "INCLUDES", includes),
    ("library_folders", "LIBS", library_folders),
    ("libraries", "LIBS", libraries),
    ("link_flags", "LDFLAGS", flags),
    ("packages", "PKG-CONFIG", packages),
    ("uses", "USES", interfaces),
)
"""The fields of Settings that are lists, the key each comes from, and how its words are read."""


@cache
def known_interfaces() -> frozenset[str]:
    """The interfaces that our programs are written with."""
    return frozenset(file.parent.name for file in BENCH.glob("*/*/*.cpp"))


def places_of(benchmarks: Path, benchmark: Path | None = None) -> dict[str, Path]:
    """What `$NAME`s in configurations stand for. SPB_HOME is SPBench's name for where the project is."""
    places = {"SPB_HOME": ROOT, "BENCHMARKS": benchmarks}
    return places if benchmark is None else {**places, "BENCHMARK": benchmark}
