"""Tells CMake what is built as the user says: a list of calls, which cmake/user_benchmarks.cmake reads.

That are the user's own benchmarks, and all other programs that a configuration is for. These are built beside
the plain ones, under another name for CMake: without a configuration all is as if there was no such thing.
"""

import json
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from thalweg_cli.base.files import make_folder, write_text
from thalweg_cli.base.names import cmake_text
from thalweg_cli.base.paths import api_of, build_folder, root_of
from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog.annotations import SPAR, compiles_annotations
from thalweg_cli.catalog.user_benchmarks import OPERATORS, Benchmark, Benchmarks, Unreadable
from thalweg_cli.catalog.user_settings import Settings, known_interfaces

LIST, FOUND = "user_benchmarks.cmake", "user_benchmarks.json"
"""In the folder of a build: what CMake is told, and what it says is missing for each benchmark."""


INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)

USERS, CONFIGURED, DEBUGGED = "user", "configured", "debugged"
"""How targets, and folders of what is built, begin: of the user's own benchmarks, of other programs, and of
what a debugger is to show with its lines."""


@dataclass(frozen=True)
class Written:
    """A program that is not the user's own benchmark: ours, or of one of the user's applications."""

    name: str
    application: str
    interface: str
    source: Path


@dataclass
class Told:
    """What CMake was told. `configured`: the names of programs that are built as a configuration says.

    `left_out`: those that it was not told of, each with the reason.
    """

    configured: set[str] = field(default_factory=set)
    left_out: dict[str, str] = field(default_factory=dict)


def tell_cmake(benchmarks: Benchmarks, preset: str, others: Sequence[Written], debugged: str = "") -> Told:
    """Writes the list for a build, if it is not the one that is there.

    What is wrong with one must not keep others from being built. `others`: all programs that there are beside
    the user's own benchmarks. `debugged`: one program that is built for a debugger, too.
    """
    told = Told()
    lines = ["# Written by ./thalweg: what the user has configured, and benchmarks of the user's own."]
    lines += calls_of_user(benchmarks, {one.name for one in others}, told, debugged)
    lines += calls_of_others(benchmarks, others, told, debugged)
    place = build_folder(preset) / LIST
    text = "\n".join(lines) + "\n"
    if len(lines) == 1 and not place.exists():
        return told
    if not place.exists() or place.read_text(encoding="utf-8") != text:
        make_folder(place.parent)
        write_text(place, text)
    return told


def calls_of_user(benchmarks: Benchmarks, ours: Collection[str], told: Told, debugged: str) -> Iterator[str]:
    """The calls for the user's own benchmarks. What is left out comes into `told`."""
    for one in benchmarks:
        try:
            if isinstance(one, Unreadable):
                raise one.why
            settings = check(one, ours)
            yield from call_of(one, settings)
            if one.name == debugged:
                yield from call_of(one, with_lines(settings), DEBUGGED)
        except Failed as why:
            told.left_out[one.name] = reason(why)


def calls_of_others(
    benchmarks: Benchmarks, others: Iterable[Written], told: Told, debugged: str
) -> Iterator[str]:
    """The calls for other programs that are configured. They, and what is left out, come into `told`."""
    libraries: dict[object, str] = {}
    for one in others:
        try:
            settings = benchmarks.settings_for(one.name)
            if settings.missing:
                raise Failed(settings.missing)
        except Failed as why:
            told.left_out[one.name] = reason(why)
            continue
        if settings.described():
            told.configured.add(one.name)
            yield from configured_call(one, settings, libraries)
        if one.name == debugged:
            yield from configured_call(one, with_lines(settings), {}, DEBUGGED)


def reason(why: Failed) -> str:
    """What is wrong, and what to do, in a line."""
    return f"{why.what}{f'; {why.remedy}' if why.remedy else ''}"


def check(one: Benchmark, ours: Collection[str]) -> Settings:
    """The settings of a benchmark. Raises Failed if something is wrong with it, or missing here."""
    if one.name in ours:
        raise Failed(f"{one.name} is also a program of Thalweg", remedy=f"./thalweg rename {one.name} NEW")
    if not api_of(one.application).exists():
        raise Failed(f"there is no application {one.application}")
    if not one.program.is_file():
        raise Failed(f"there is no file {one.program}")
    settings = one.settings()
    if settings.missing:
        raise Failed(settings.missing)
    return settings


def with_lines(settings: Settings) -> Settings:
    """The settings with those flags more that let a debugger know lines and variables. The code stays."""
    return replace(
        settings, cxx_flags=(*settings.cxx_flags, "-g"), bench_cxx_flags=(*settings.bench_cxx_flags, "-g")
    )


def call_of(one: Benchmark, settings: Settings, kind: str = USERS) -> list[str]:
    """The call that tells CMake of a benchmark of the user's own."""
    arguments = {
        "KIND": [kind],
        "NAME": [one.name],
        "PROGRAM": [str(one.program)],
        "OPERATORS": [f"{kind}_operators.{one.name}"],
        "FOLDER": [str(one.folder)],
        "REPLACED": one.changed_files,
        "REBUILT": rebuilt(one),
    }
    return call(arguments, one.application, one.interface, settings)


def configured_call(
    one: Written, settings: Settings, libraries: dict[object, str], kind: str = CONFIGURED
) -> list[str]:
    """The call that tells CMake of another program.

    `libraries`: those of operators that there are so far. Programs of an application have one in common if
    their operators are compiled in the same way.
    """
    way = (one.application, settings.cxx, settings.cxx_flags, settings.macros, settings.includes)
    arguments = {
        "KIND": [kind],
        "NAME": [one.name],
        "PROGRAM": [str(one.source)],
        "OPERATORS": [libraries.setdefault(way, f"{kind}_operators.{one.name}")],
    }
    return call(arguments, one.application, one.interface, settings)


def call(own: Mapping[str, Sequence[str]], application: str, interface: str, settings: Settings) -> list[str]:
    """The lines of a call: what is told of one program alone, and what its settings are."""
    uses = [*([interface] if interface in known_interfaces() else []), *settings.uses]
    if compiles_annotations(settings):  # There is nothing left to translate.
        uses = [one for one in uses if one != SPAR]
    arguments: dict[str, Sequence[str]] = {
        **own,
        "APPLICATION": [application],
        "ROOT": [str(root_of(application))],
        "CXX": [settings.cxx] if settings.cxx else [],
        "CXX_FLAGS": in_shell(without_standard(settings.cxx_flags)),
        "BEHIND": standard_in(settings.cxx_flags),
        "BENCH_CXX": [settings.bench_cxx] if settings.bench_cxx else [],
        "BENCH_CXX_FLAGS": in_shell(without_standard(settings.bench_cxx_flags)),
        "BENCH_BEFORE": settings.before,
        "BENCH_BEHIND": [*standard_in(settings.bench_cxx_flags), *settings.behind],
        "LINK_FLAGS": in_shell(settings.link_flags),
        "MACROS": settings.macros,
        "INCLUDES": settings.includes,
        "LIBRARY_FOLDERS": settings.library_folders,
        "LIBRARIES": settings.libraries,
        "PACKAGES": settings.packages,
        "USES": list(dict.fromkeys(uses)),
    }
    words = (f"  {key} {' '.join(map(cmake_text, values))}" for key, values in arguments.items() if values)
    return ["thalweg_user_benchmark(", *words, ")"]


def rebuilt(one: Benchmark) -> list[str]:
    """The sources, as paths in the project, of which a benchmark with own operators needs other objects.

    They are those that are changed, and those that include something changed, however far away.
    """
    changed = set(one.changed_files)
    if not changed:
        return []
    root, own = root_of(one.application), f"apps/{one.application}"
    patterns = (f"{own}/*.?pp", f"{own}/spb/*.?pp", f"spb/{one.application}.?pp")
    paths = [file.relative_to(root).as_posix() for pattern in patterns for file in root.glob(pattern)]
    included = {path: headers_of(one, path) for path in paths}
    found, known = changed, set[str]()
    while found:
        known |= found
        found = {path for path, headers in included.items() if headers & found} - known
    return sorted(path for path in known if path.endswith(".cpp"))


def headers_of(one: Benchmark, path: str) -> set[str]:
    """What a file includes, in the version that the benchmark has."""
    own = one.folder / OPERATORS / path
    text = (own if own.exists() else root_of(one.application) / path).read_text(
        encoding="utf-8", errors="replace"
    )
    return set(INCLUDE.findall(text))


STANDARD = "-std="
"""How a flag begins that CMake has one of, too, and writes behind all others: the last one counts."""


def standard_in(flags: Sequence[str]) -> list[str]:
    """The flags that name a version of C++."""
    return [flag for flag in flags if flag.startswith(STANDARD)]


def without_standard(flags: Sequence[str]) -> list[str]:
    """The other flags."""
    return [flag for flag in flags if not flag.startswith(STANDARD)]


def in_shell(flags: Sequence[str]) -> list[str]:
    """Flags as one word, which CMake splits again, so that it leaves none out that stands there twice."""
    return [f"SHELL:{shlex.join(flags)}"] if flags else []


def missing_by_cmake(preset: str) -> dict[str, str]:
    """What CMake found missing for each benchmark that it was told of; empty if it can be built."""
    file: Path = build_folder(preset) / FOUND
    if not file.exists():
        return {}
    return {one["name"]: one["missing"] for one in json.loads(file.read_text(encoding="utf-8"))}
