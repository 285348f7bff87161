"""`./thalweg update`: brings the user's own benchmarks up to date with this version of Thalweg."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Annotated

import typer

from thalweg_cli.base.files import as_json, write_bytes, write_text
from thalweg_cli.base.json_file import JsonFile
from thalweg_cli.base.paths import BENCH, root_of
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.catalog.programs import Applications, Benches, Interfaces, select_own, written_programs
from thalweg_cli.catalog.user_benchmarks import (
    BASE,
    FILE,
    FORMAT,
    OPERATORS,
    Benchmark,
    Benchmarks,
    UserFolder,
    check_format,
    composition_in,
    name_of,
)
from thalweg_cli.user.operators import Change


def update(
    merged: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A benchmark with whose operators you have merged our changes; repeatable."
        ),
    ] = None,
    bench: Benches = None,
    app: Applications = None,
    ppi: Interfaces = None,
    folder: UserFolder = None,
) -> None:
    """Bring your own benchmarks up to date with this version; say which files of their operators changed."""
    benchmarks = Benchmarks(folder)
    for name in merged or []:
        take_as_base(benchmarks.find(name))
    ours = {program.name for program in written_programs(BENCH)}
    failed = []
    chosen = bool(bench or app or ppi)
    own = select_own(benchmarks, bench or [], app or [], ppi or []) if chosen else benchmarks
    for name in [one.name for one in own]:
        try:
            notes = list(update_one(benchmarks.folder / name))
            if name in ours:
                notes.append(
                    f"a program of Thalweg has this name: it is left out until ./thalweg rename {name} NEW"
                )
        except Failed as why:
            why.show()
            failed.append(name)
            continue
        for note in notes or ["up to date"]:
            console.print(f"{name}: {note}", markup=False)
    if failed:
        raise Failed(f"{', '.join(failed)} cannot be brought up to date", remedy="fix what is reported above")


def update_one(folder: Path) -> Iterator[str]:
    """Brings the file of a benchmark up to date; tells what was done, and of its operators what is to do."""
    yield from update_file(folder / FILE)
    one = Benchmark.read(folder)
    one.settings()
    for file in one.changed_files:
        change = Change.of(one, file)
        if change.now is not None and change.now == change.edited != change.base:
            write_bytes(folder / BASE / file, (root_of(one.application) / file).read_bytes())
            yield f"{file} is the same in Thalweg now: reset-op would lose nothing"
        elif note := note_on(one, change):
            yield note


def update_file(file: Path) -> Iterator[str]:
    """Writes the file in this version's format, and with the name that the folder has."""
    found = JsonFile.read(file)
    values = dict(found.values)
    version = values.get("format", 0)
    if version == 0:  # written by hand
        values["format"] = FORMAT
        yield f"it has format {FORMAT} now"
    else:
        check_format(found)
    application, interface = found.text_at("application"), found.text_at("interface")
    name = file.parent.name
    said = found.text_at("composition", "")
    if name not in (name_of(application, interface, said), said):
        composition = composition_in(name, application, interface)
        if name != name_of(application, interface, composition):
            raise Failed(
                f"{file.parent}: the name of the folder does not begin with {application}_{interface}",
                remedy="give the folder a name that does, such as "
                f"{name_of(application, interface, composition)}",
            )
        values["composition"] = composition
        yield "it has the name of its folder now"
    if values != found.values:
        write_text(file, as_json(values))


def take_as_base(one: Benchmark) -> None:
    """From now on, changes of the benchmark's operators count from those of this version."""
    for file in one.changed_files:
        if (root_of(one.application) / file).is_file():
            write_bytes(one.folder / BASE / file, (root_of(one.application) / file).read_bytes())


def note_on(one: Benchmark, change: Change) -> str:
    """What is to be told of a file of an operator; empty if Thalweg's has not changed."""
    root = root_of(one.application)
    places = [one.folder / OPERATORS / change.file, one.folder / BASE / change.file, root / change.file]
    own, base, now = map(str, places)
    if change.edited is None or change.base is None:
        gone = own if change.edited is None else base
        return f"{gone} is gone: reset-op, and then edit-op, brings it back as it is in Thalweg"
    if change.now is None:
        return f"{change.file} is no longer in Thalweg: what is built with it may have to be changed, too"
    if change.now == change.base:
        return ""
    theirs, ours = changes_of(change.base, change.now), changes_of(change.base, change.edited)
    if not ours.ranges:
        return (
            f"{change.file} has changed in Thalweg ({counted(theirs.lines)}), and you have not changed it: "
            "reset-op, and then edit-op, takes the new one"
        )
    where = "in the same places" if theirs.meets(ours) else "in other places"
    return (
        f"{change.file} has changed in Thalweg ({counted(theirs.lines)}), and you have changed it "
        f"({counted(ours.lines)}) {where}\n"
        f"  as it was: {base}\n  yours:     {own}\n  Thalweg's: {now}\n"
        f"  git merge-file '{own}' '{base}' '{now}' puts both into yours; "
        f"then ./thalweg update --merged {one.name}"
    )


def counted(lines: int) -> str:
    """So many lines, in words."""
    return "1 line" if lines == 1 else f"{lines} lines"


@dataclass(frozen=True)
class Changes:
    """Where a text was changed: ranges of lines of the text before, and how many lines it concerns."""

    ranges: tuple[tuple[int, int], ...]
    lines: int

    def meets(self, other: "Changes") -> bool:
        """Whether both have changed the same line, or lines next to each other."""
        return any(
            first <= other_last and other_first <= last
            for first, last in self.ranges
            for other_first, other_last in other.ranges
        )


def changes_of(before: str, after: str) -> Changes:
    """What makes one text of another."""
    matcher = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return Changes(
        tuple((first, last) for _, first, last, _, _ in codes),
        sum(max(last - first, to - start) for _, first, last, start, to in codes),
    )
