"""`./thalweg configure` and `global-config`: what programs are built with, ours and the user's own."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from thalweg_cli.base.editor import Editor, edit_files
from thalweg_cli.base.files import as_json, make_folder, write_text
from thalweg_cli.base.json_file import JsonFile
from thalweg_cli.base.names import did_you_mean
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.catalog.programs import other_program
from thalweg_cli.catalog.user_benchmarks import (
    FILE,
    GLOBAL_FILE,
    Benchmark,
    Benchmarks,
    UserFolder,
    global_sources,
    whole_file,
)
from thalweg_cli.catalog.user_settings import Settings, check_key, settings_from

ToGet = Annotated[str, typer.Option("--get", metavar="KEY", help="Print what a key has.")]
ToSet = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set a key, or KEY.NAME, an entry of it; repeatable."),
]
ToUnset = Annotated[
    list[str] | None, typer.Option("--unset", metavar="KEY", help="Remove a key or KEY.NAME; repeatable.")
]
Show = Annotated[bool, typer.Option("--show", help="Print the whole result, and change nothing.")]


def configure(
    name: Annotated[str, typer.Argument(help="A benchmark: your own, or a program of Thalweg.")],
    get: ToGet = "",
    to_set: ToSet = None,
    unset: ToUnset = None,
    show: Show = False,
    editor: Editor = "",
    folder: UserFolder = None,
) -> None:
    """Set what a benchmark is built with, yours or ours; without options, open its file in the editor."""
    benchmarks = Benchmarks(folder)
    other = None if name in benchmarks.names() else other_program(name)
    if other:
        asked = Asked(get, to_set or [], unset or [], show, editor)
        its_name = other.name
        work_on(benchmarks.program_file(its_name), asked, lambda: benchmarks.settings_for(its_name))
        return
    if not (get or to_set or unset or show):
        # The file may be the one that has something wrong: it is opened by its name.
        place = benchmarks.folder / name / FILE
        file = place if place.is_file() else benchmarks.find(name).folder / FILE
        if edit_files([file], editor):
            warn(Benchmark.read(file.parent).settings())
        return
    one = benchmarks.find(name)
    if to_set or unset:
        one = replace(one, configuration=changed(one.configuration, to_set or [], unset or []))
        settings_from([one.source(to_be(one.folder / FILE, one.as_plain()))])  # before it is written
        one.write()
        warn(one.settings())
    if get:
        print_value(value_at(one.configuration, get))
    if show:
        print_settings(one.settings())


def global_config(
    get: ToGet = "",
    to_set: ToSet = None,
    unset: ToUnset = None,
    show: Show = False,
    editor: Editor = "",
    folder: UserFolder = None,
) -> None:
    """Set what all benchmarks are built with, yours and ours; without options, open the file."""
    own = Benchmarks(folder).folder
    asked = Asked(get, to_set or [], unset or [], show, editor)
    work_on(own / GLOBAL_FILE, asked, lambda: settings_from(global_sources(own)))


@dataclass(frozen=True)
class Asked:
    """What is to be done with a configuration."""

    get: str
    to_set: Sequence[str]
    unset: Sequence[str]
    show: bool
    editor: str


def work_on(file: Path, asked: Asked, settings: Callable[[], Settings]) -> None:
    """Does it with a file that holds a configuration and nothing else. It need not be there.

    `settings` says what the file comes to, together with what else holds.
    """
    if not (asked.get or asked.to_set or asked.unset or asked.show):
        if not file.exists():
            make_folder(file.parent)
            write_text(file, as_json({}))
        if edit_files([file], asked.editor):
            warn(settings())
        return
    values = JsonFile.read(file).values if file.exists() else {}
    if asked.to_set or asked.unset:
        values = changed(values, asked.to_set, asked.unset)
        settings_from([whole_file(to_be(file, values))])  # before it is written
        make_folder(file.parent)
        write_text(file, as_json(values))
        warn(settings())
    if asked.get:
        print_value(value_at(values, asked.get))
    if asked.show:
        print_settings(settings())


def to_be(file: Path, values: Mapping[str, Any]) -> JsonFile:
    """A file as it will be."""
    return JsonFile.parse(file, as_json(dict(values)))


def warn(settings: Settings) -> None:
    """Says what is not there on this machine: it may be elsewhere."""
    if settings.missing:
        console.print(f"[yellow]note:[/] {escape(settings.missing)} on this machine")


def print_value(value: object) -> None:
    """Prints a text as it is, all else as JSON, and nothing if it is not set."""
    if value is not None:
        console.print(value if isinstance(value, str) else json.dumps(value), markup=False)


def print_settings(settings: Settings) -> None:
    """Prints the parts that are set, a line each."""
    for part in settings.described() or ["nothing is set"]:
        console.print(part, markup=False)


def changed(values: Mapping[str, Any], to_set: Iterable[str], to_unset: Iterable[str]) -> dict[str, Any]:
    """A configuration with `KEY=VALUE` or `KEY.NAME=VALUE` set, and keys left out.

    Raises Failed if a word has no `=`, or if there is no such key or entry.
    """
    result = {key: dict(value) if isinstance(value, dict) else value for key, value in values.items()}
    for word in to_unset:
        key, _, name = word.partition(".")
        inner = result.get(key) if name else result
        if not isinstance(inner, dict) or (name or key) not in inner:
            there = (
                [*result, *(f"{key}.{one}" for one in inner)] if name and isinstance(inner, dict) else result
            )
            raise Failed(f"--unset {word}: that is not set", remedy=did_you_mean(word, there))
        del inner[name or key]
        if name and not inner:
            del result[key]
    for word in to_set:
        place, equals, value = word.partition("=")
        key, _, name = place.partition(".")
        if not equals:
            raise Failed(f"--set {word}: no value", remedy="write KEY=VALUE")
        check_key(key, f"--set {word}")
        if not name:
            result[key] = value
        elif isinstance(result.setdefault(key, {}), dict):
            result[key][name] = value
        else:
            result[key] = {"as before": result[key], name: value}
    return result


def value_at(values: Mapping[str, Any], word: str) -> Any:  # noqa: ANN401  (anything that JSON has)
    """What `KEY` or `KEY.NAME` has. Raises Failed if there is no such key; None if it is not set."""
    key, _, name = word.partition(".")
    check_key(key, f"--get {word}")
    value = values.get(key)
    return value.get(name) if name and isinstance(value, dict) else None if name else value
