"""`./thalweg new-app` and `delete-app`: applications of the user's own."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from thalweg_cli.base.files import make_folder
from thalweg_cli.base.names import did_you_mean
from thalweg_cli.base.paths import APPS, ROOT, TEMPLATES, USER_FOLDER, user_folder
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.catalog.applications import our_applications, user_applications
from thalweg_cli.catalog.registered import changing
from thalweg_cli.cpp.tokens import KEYWORDS
from thalweg_cli.user.new_operators import check_operators, put_operators

TEMPLATE = TEMPLATES / "app"
PLACEHOLDER = "app_name"
"""What stands in the template's files, and in their names, for the name of an application."""

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
LONGEST = 40
TAKEN = frozenset(("apps", "core", "inputs", "std", "support", "spb", "testing", "thalweg", PLACEHOLDER))
"""Names of namespaces, folders and targets."""

Folder = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help=f"Where your own applications are kept, if not where {USER_FOLDER} says."
    ),
]


def new_app(
    name: Annotated[str, typer.Argument(help="Small letters, digits and underscores.")],
    op: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OPERATOR", help="Its operators between source and sink, in their order; give one each."
        ),
    ] = None,
    description: Annotated[
        str, typer.Option(metavar="TEXT", help="What it does, in one line; `list applications` shows it.")
    ] = "",
    folder: Folder = None,
) -> None:
    """Make your own application: a small one that works, to change as you like."""
    check_name(name)
    check_operators(op or [])
    if not description.isprintable():
        raise Failed("--description: not one line of text", remedy="the rest fits in its README.md")
    own = folder.absolute() if folder else user_folder()
    place = own / "apps" / name
    if place.exists():
        raise Failed(f"there is an application {name} already: {place}", remedy="choose another name")
    make_folder(place.parent)
    unfinished = own / f".{name}.{os.getpid()}"
    try:
        try:
            copy_template(name, unfinished)
            if op:
                put_operators(unfinished, op)
            if description:
                put_description(unfinished, description)
            unfinished.rename(place)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    except OSError as error:
        raise Failed(f"{place} cannot be made: {error.strerror}") from error
    console.print(f"made {place}", markup=False)
    if own != user_folder():
        console.print(f"other commands find it with {USER_FOLDER}={own}", markup=False)
    console.print(f"to run it: ./thalweg exec --app {name} --input test --verify", style="dim", markup=False)
    console.print(f"to test it: ./thalweg test --app {name}", style="dim", markup=False)


def delete_app(
    name: Annotated[str, typer.Argument(help="Your own application.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    folder: Folder = None,
) -> None:
    """Remove your own application: its folder, and the inputs that it has made."""
    own = folder.absolute() if folder else user_folder()
    place = own / "apps" / name
    if not NAME.fullmatch(name) or not place.is_dir():
        if name in our_applications():
            raise Failed(f"{name} is a part of Thalweg, and cannot be removed")
        remedy = did_you_mean(name, user_applications()) + "./thalweg list-apps"
        raise Failed(f"you have no application {name} in {own}", remedy=remedy)
    if not yes and not typer.confirm(f"Remove {place} with everything in it?"):
        raise Failed(f"{place} stays")
    made = input_cache() / name
    try:
        if place.is_symlink():
            place.unlink()
        else:
            shutil.rmtree(place)
        if made.exists():  # Another application of that name would take them for its own.
            shutil.rmtree(made)
    except OSError as error:
        raise Failed(f"{error.filename} cannot be removed: {error.strerror}") from error
    with changing() as there:
        names = [one.name for one in there if one.application == name]
        there[:] = [one for one in there if one.application != name]
    console.print(f"removed {place}", markup=False)
    if names:
        console.print(f"forgot its inputs {', '.join(names)}; the files stay", markup=False)


def check_name(name: str) -> None:
    """Raises Failed if an application cannot have a name: what it is made of must have one like it in C++."""
    if not NAME.fullmatch(name) or len(name) > LONGEST:
        what = "an application's name has small letters, digits and single underscores, a letter first"
        raise Failed(f"{name} is no name: {what}, {LONGEST} at most")
    if name in our_applications():
        raise Failed(f"there is an application {name} already", remedy="choose another name")
    if name in KEYWORDS:
        raise Failed(f"{name} is no name for an application: it is a word of C++")
    if name in TAKEN or (ROOT / "spb" / f"{name}.hpp").exists() or name in names_in(APPS / "support"):
        raise Failed(f"{name} is no name for an application: Thalweg itself uses it")


def names_in(folder: Path) -> frozenset[str]:
    """The names in declarations of the namespace `apps`: they stand at the beginning of lines."""

    def words() -> Iterator[str]:
        for header in folder.glob("*.hpp"):
            for line in header.read_text(encoding="utf-8").splitlines():
                if re.match(r"[A-Za-z]", line):
                    yield from re.findall(r"\w+", line)

    return frozenset(words())


def copy_template(name: str, place: Path) -> None:
    """Writes the files of the template under the name of an application."""
    for file in sorted(TEMPLATE.rglob("*")):
        if not file.is_file():
            continue
        target = place / str(file.relative_to(TEMPLATE)).replace(PLACEHOLDER, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text(encoding="utf-8")
        target.write_text(text.replace(PLACEHOLDER, name), encoding="utf-8")


def put_description(place: Path, text: str) -> None:
    """Writes what an application does where its own tool tells it from."""
    file = place / "application.cpp"
    literal = json.dumps(text, ensure_ascii=False)  # which has C++'s escapes
    before = file.read_text(encoding="utf-8")
    after = re.sub(r"(?<=made\.says = ).*(?=;\n)", lambda _: literal, before, count=1)
    file.write_text(after, encoding="utf-8")


def input_cache() -> Path:
    """Where applications keep the inputs that they make."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    folder = Path(named) if Path(named).is_absolute() else Path.home() / ".cache"
    return folder / "thalweg" / "inputs"
