"""`./thalweg edit-op`, `reset-op`: operators of an application, changed for one benchmark alone."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from thalweg_cli.base.editor import Editor, edit_files
from thalweg_cli.base.files import make_folder, write_bytes
from thalweg_cli.base.names import did_you_mean
from thalweg_cli.base.paths import root_of
from thalweg_cli.base.terminal import Failed, WrongUsage, confirm, console
from thalweg_cli.catalog.applications import user_applications
from thalweg_cli.catalog.programs import Applications, Interfaces, Program, select_own, user_benchmark
from thalweg_cli.catalog.user_benchmarks import BASE, OPERATORS, Benchmark, Benchmarks, UserFolder

LIST = "operators.txt"
"""In the folder of an application: its operators, each with the files that it is made of."""

Name = Annotated[str, typer.Argument(help="Your own benchmark.")]
ALL = "all"
NameOrApplication = Annotated[
    str,
    typer.Argument(help="Your own benchmark; or your own application, for all of its programs."),
]
Operator = Annotated[str, typer.Option("--op", metavar="OPERATOR", help="An operator of its application.")]


def edit_op(name: NameOrApplication, op: Operator, editor: Editor = "", folder: UserFolder = None) -> None:
    """Change an operator for one benchmark alone; or in your own application, for all its programs."""
    if name in user_applications():
        edit_files([root_of(name) / file for file in files_of(name, op)[1]], editor)
        return
    one = user_benchmark(Benchmarks(folder), name)
    operator, files = files_of(one.application, op)
    if operator not in one.operators:
        one = copy_operator(one, operator, files)
        console.print(f"{one.name} has its own {operator} from now on")
    edit_files([one.folder / OPERATORS / file for file in files], editor)


def reset_op(
    name: Annotated[str, typer.Argument(help="Your own benchmark, or all.")] = "",
    op: Annotated[
        str, typer.Option(metavar="OPERATOR", help="One operator; without this, all that it has changed.")
    ] = "",
    app: Applications = None,
    ppi: Interfaces = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    folder: UserFolder = None,
) -> None:
    """Give benchmarks the application's operators again, all or one; what was changed in them is lost."""
    chosen = bool(app or ppi)
    if not (name or chosen):
        raise WrongUsage("which benchmarks?", remedy=f"a name, {ALL}, --app or --ppi")
    if chosen and name not in ("", ALL):
        raise WrongUsage("a name, and --app or --ppi: give only one of them")
    benchmarks = Benchmarks(folder)
    if name in ("", ALL):
        resets = resets_of(select_own(benchmarks, [], app or [], ppi or []), op)
    else:
        resets = [reset_of(benchmarks, name, op)]
    changed = [file for one in resets for file in one.edited]
    if changed and not yes:
        confirm(f"what was changed in {', '.join(changed)} will be lost; go on?", "--yes does not ask")
    for one in resets:
        one.carry_out()


@dataclass(frozen=True)
class Reset:
    """A benchmark, and those of its changed operators that the application's are to replace."""

    benchmark: Benchmark
    operators: Sequence[str]

    @property
    def left(self) -> Benchmark:
        """The benchmark without them."""
        has = self.benchmark.operators
        return replace(
            self.benchmark, operators={key: its for key, its in has.items() if key not in self.operators}
        )

    @property
    def files(self) -> set[str]:
        """The files of these operators."""
        return {file for operator in self.operators for file in self.benchmark.operators[operator]}

    @property
    def gone(self) -> list[str]:
        """Those that no other operator keeps."""
        return sorted(self.files - set(self.left.changed_files))

    @property
    def edited(self) -> list[str]:
        """Those of which changes will be lost."""
        return [file for file in self.gone if Change.of(self.benchmark, file).is_edited]

    def carry_out(self) -> None:
        """Does it, and says so."""
        one, left = self.benchmark, self.left
        left.write()
        for file in self.gone:
            for place in (one.folder / OPERATORS / file, one.folder / BASE / file):
                place.unlink(missing_ok=True)
        console.print(f"{one.name} has the application's {', '.join(self.operators)}")
        for file in sorted(self.files & set(left.changed_files)):
            others = ", ".join(key for key, its in left.operators.items() if file in its)
            console.print(f"[yellow]note:[/] {file} stays as it is: {others} has it, too")
        if not left.operators:
            for folder_name in (OPERATORS, BASE):
                shutil.rmtree(one.folder / folder_name, ignore_errors=True)


def reset_of(benchmarks: Benchmarks, name: str, op: str) -> Reset:
    """That of one benchmark: of an operator, or of all. Raises Failed if it has changed none."""
    if name in user_applications():
        what = f"the operators of {name} are your own, so there is nothing to reset them to"
        raise Failed(what, remedy=f"./thalweg edit-op {name} --op {op or 'OPERATOR'}")
    one = user_benchmark(benchmarks, name)
    operators = [files_of(one.application, op)[0]] if op else list(one.operators)
    if missing := [operator for operator in operators if operator not in one.operators]:
        has = ", ".join(one.operators) or "none"
        raise Failed(f"{one.name} has no own {missing[0]}", remedy=f"it has its own: {has}")
    if not operators:
        raise Failed(f"{one.name} has no own operators")
    return Reset(one, operators)


def resets_of(programs: Sequence[Program], op: str) -> list[Reset]:
    """Those of the benchmarks that have changed such operators. Raises Failed if none has."""
    found = []
    for program in programs:
        if program.user_folder and not program.missing:
            one = Benchmark.read(program.user_folder)
            operators = [has for has in one.operators if not op or plain(has) == plain(op)]
            if operators:
                found.append(Reset(one, operators))
        elif program.missing:
            console.print(f"left out: {program.name}: {program.missing}", style="dim", markup=False)
    if not found:
        raise Failed(f"{', '.join(one.name for one in programs)}: no own {op or 'operators'}")
    return found


def operators_of(application: str) -> dict[str, list[str]]:
    """The operators of an application with their files, as paths in the project.

    Raises Failed if the application does not tell.
    """
    folder = root_of(application) / "apps" / application
    file = folder / LIST
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError as error:
        what = f"{application} does not say which files make up its operators"
        raise Failed(what, remedy=f"write {file}: a line for each, its name and its files") from error
    found = {}
    for number, line in enumerate(lines, start=1):
        name, *files = line.partition("#")[0].split() or [""]
        if name and not files:
            raise Failed(f"{file}:{number}: no file of {name}")
        for one in files:
            if not (folder / one).is_file():
                raise Failed(f"{file}:{number}: there is no file {one}")
        if name:
            found[name] = [f"apps/{application}/{one}" for one in files]
    return found


def files_of(application: str, operator: str) -> tuple[str, list[str]]:
    """An operator by its name here or in programs (`hough_t`, `HoughT`), and its files.

    Raises Failed if there is none.
    """
    there = operators_of(application)
    for name, files in there.items():
        if plain(name) == plain(operator):
            return name, files
    remedy = f"{did_you_mean(operator.lower(), there)}one of {', '.join(there)}"
    raise Failed(f"{application} has no operator {operator}", remedy=remedy)


def plain(name: str) -> str:
    """A name as all spellings of it have in common."""
    return name.replace("_", "").lower()


def copy_operator(one: Benchmark, operator: str, files: list[str]) -> Benchmark:
    """Gives a benchmark an operator of its own; what it has changed already stays."""
    for file in files:
        for place in (one.folder / BASE / file, one.folder / OPERATORS / file):
            if not place.exists():
                make_folder(place.parent)
                write_bytes(place, (root_of(one.application) / file).read_bytes())
    changed = replace(one, operators={**one.operators, operator: files})
    changed.write()
    return changed


@dataclass(frozen=True)
class Change:
    """A file of an application in three versions: as it was copied, as the benchmark has it, as it is now.

    None: there is no such file any longer.
    """

    file: str
    base: str | None
    edited: str | None
    now: str | None

    @classmethod
    def of(cls, one: Benchmark, file: str) -> "Change":
        """The versions of a file of a benchmark."""
        root = root_of(one.application)
        places = (one.folder / BASE / file, one.folder / OPERATORS / file, root / file)
        return cls(file, *(text_of(place) for place in places))

    @property
    def is_edited(self) -> bool:
        """Whether the benchmark's is not as it was copied."""
        return self.edited != self.base


def text_of(file: Path) -> str | None:
    """The text in a file, or None if there is no such file."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None
