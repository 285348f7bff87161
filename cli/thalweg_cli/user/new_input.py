"""`./thalweg new-input` and `delete-input`: names for files of the user's own, which stay where they are."""

import os
import re
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from thalweg_cli.base.names import did_you_mean
from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.process import finish
from thalweg_cli.base.terminal import Failed, bar, console
from thalweg_cli.build.cmake import build
from thalweg_cli.catalog.applications import check_application, known_applications
from thalweg_cli.catalog.programs import PRESET, SEQUENTIAL
from thalweg_cli.catalog.registered import HASH, Registered, changing, files_of, hash_of, registered, size_of

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")

App = Annotated[str, typer.Option(help="The application that takes it.")]
Name = Annotated[str, typer.Option(help="What programs and commands call it.")]


def new_input(
    app: App,
    name: Name,
    file: Annotated[Path, typer.Option(help="The file, or the folder; it stays where it is.")],
    hash_text: Annotated[
        str,
        typer.Option(
            "--hash",
            metavar="HASH|sequential",
            help="SHA-256 or MD5 of what should come of it, for --verify; or that of what the sequential "
            "program makes of it now.",
        ),
    ] = "",
) -> None:
    """Register your own file under a name, as the input of an application."""
    check_application(app)
    place = checked_place(file)
    expected = hash_text.strip().lower()
    if expected and expected != SEQUENTIAL and not HASH.fullmatch(expected):
        raise Failed(
            f"--hash {hash_text}: neither a SHA-256 (64 digits) nor an MD5 (32)",
            remedy=f"give what sha256sum or md5sum shows, or --hash {SEQUENTIAL}",
        )
    check_free(app, name)
    if expected == SEQUENTIAL:
        expected = hash_of_sequential_output(app, place)
    with bar(f"reading {place.name}") as progress:
        input_hash = hash_of(place, lambda done, total: progress.advance_to(done, total, "bytes"))
    one = Registered(app, name, place, expected, size_of(files_of(place)), input_hash)
    with changing() as there:
        check_not_registered(there, app, name)
        there.append(one)
    console.print(f"{place} is the input {name} of {app}", markup=False)
    if not expected:
        console.print("its output cannot be verified, as --hash was not given", style="dim")


def delete_input(app: App, name: Name) -> None:
    """Remove the name of your own input; its file stays."""
    check_application(app)
    with changing() as there:
        mine = [one for one in there if one.application == app]
        found = next((one for one in mine if one.name == name), None)
        if found is None:
            remedy = did_you_mean(name, [one.name for one in mine]) + f"./thalweg inputs --app {app}"
            raise Failed(f"{app} has no registered input {name}", remedy=remedy)
        there.remove(found)
    console.print(f"{app} has no input {name} any more; {found.file} stays", markup=False)


def checked_place(file: Path) -> Path:
    """The absolute path of a file or folder. Raises Failed if it is not there, or cannot be in the list."""
    place = Path(os.path.abspath(file))  # noqa: PTH100  (links stay as the user wrote them)
    if not place.exists():
        raise Failed(f"there is no file {file}")
    if not os.access(place, os.R_OK):
        raise Failed(f"{file} cannot be read: you may not read it")
    if not files_of(place):
        raise Failed(f"{file} is an empty folder")
    try:
        str(place).encode()
    except UnicodeEncodeError as error:
        raise Failed(f"{str(place)!r} is not in UTF-8, and cannot be registered") from error
    if re.search(r"[\t\r\n]", str(place)):
        raise Failed(f"{str(place)!r} has a tab or a line break in it, and cannot be registered")
    return place


def check_free(app: str, name: str) -> None:
    """Raises Failed if a name is none, or taken."""
    if not NAME.fullmatch(name):
        raise Failed(f"--name {name}: letters, digits and _.+- are allowed, a letter or digit first")
    check_not_registered(registered(), app, name)
    (application,) = known_applications([app])
    if application.fix:
        raise Failed(f"{app} is not built here", remedy=application.fix)
    if any(one.name == name for one in application.inputs):
        raise Failed(
            f"{app} already has an input {name}, which it makes itself", remedy="choose another name"
        )


def check_not_registered(there: list[Registered], app: str, name: str) -> None:
    """Raises Failed if a name stands for a file already."""
    for one in there:
        if (one.application, one.name) == (app, name):
            remedy = f"choose another name, or first ./thalweg delete-input --app {app} --name {name}"
            raise Failed(f"{app} has an input {name} already: {one.file}", remedy=remedy)


def hash_of_sequential_output(app: str, place: Path) -> str:
    """The SHA-256 of what the sequential program of an application makes of an input."""
    program = f"{app}_{SEQUENTIAL}"
    build(PRESET, program)
    with tempfile.TemporaryDirectory(prefix="thalweg-") as folder:
        output = Path(folder) / "output"
        place_of_program = build_folder(PRESET) / "bench" / program
        command = [str(place_of_program), "-input", str(place), "-output", str(output)]
        console.print(f"{program} runs on {place}", markup=False)
        done = finish(command)
        if done.code != 0:
            raise Failed(f"{program} cannot run on {place}: {done.cause(program)}")
        if output.is_dir():
            raise Failed(
                f"{program} writes a folder, which has no hash", remedy=f"without --hash {SEQUENTIAL}"
            )
        return hash_of(output, lambda _done, _total: None)
