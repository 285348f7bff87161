"""The applications, ours and the user's own: operators and inputs, as the tools that make inputs tell them.

Ours share one tool; each of the user's own has one, so that what does not compile keeps no other from being
listed, and nothing of ours.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from thalweg_cli.base.names import did_you_mean
from thalweg_cli.base.paths import APPS, build_folder, user_folder
from thalweg_cli.base.process import Waits, finish
from thalweg_cli.base.terminal import Failed, console, errors
from thalweg_cli.build import left_out
from thalweg_cli.build.cmake import build
from thalweg_cli.catalog.programs import PRESET

TOOL = "thalweg_inputs"
WAITS_S = (2.0, 15.0)
"""An input that takes longer is told of first after so many seconds, then each time so much later."""

PLAYED = ("tcp://", "kafka://")
"""How inputs begin that another process plays."""


@dataclass(frozen=True)
class Input:
    """An input of an application. `place` is its folder, or a user's file or folder if it is `registered`.

    `is_there`: whether it has been made, or whether the user's file is where it was.
    """

    name: str
    place: Path
    is_there: bool
    size: int = 0
    registered: bool = False


@dataclass(frozen=True)
class Application:
    """What is known of an application. `fix` says what to do to have one that is not built; else empty."""

    name: str
    says: str = ""
    operators: tuple[str, ...] = ()
    inputs: tuple[Input, ...] = ()
    of_user: bool = False
    fix: str = ""

    def input(self, name: str) -> Input:
        """One of its inputs. Raises Failed if it has none of that name."""
        for one in self.inputs:
            if one.name == name:
                return one
        remedy = did_you_mean(name, [one.name for one in self.inputs]) + f"./thalweg inputs --app {self.name}"
        raise Failed(f"{self.name} has no input {name}", remedy=remedy)


def user_applications() -> list[str]:
    """The names of the user's own."""
    return user_applications_in(user_folder())


def user_applications_in(folder: Path) -> list[str]:
    """The names of those in a folder of the user's."""
    return sorted(file.parent.name for file in (folder / "apps").glob("*/CMakeLists.txt"))


def our_applications() -> list[str]:
    """The names of those that come with Thalweg, whether they can be built here or not."""
    return sorted(file.parent.name for file in APPS.glob("*/application.cpp"))


def check_application(name: str) -> None:
    """Raises Failed if there is no such application."""
    there = {*our_applications(), *user_applications()}
    if name not in there:
        remedy = f"{did_you_mean(name, there)}./thalweg list-apps"
        raise Failed(f"there is no application {name}", remedy=remedy)


def tool_of(application: str) -> str:
    """The name of the tool for the inputs of an application: also what Ninja calls it."""
    return f"inputs_of_{application}" if application in user_applications() else TOOL


def tools_of(applications: Iterable[str]) -> list[str]:
    """The tools for the inputs of applications, each once."""
    return sorted({tool_of(name) for name in applications})


def place_of(tool: str) -> Path:
    """Where a tool lies when it has been built."""
    return build_folder(PRESET) / "apps" / "inputs" / tool


def inputs_in(text: str) -> list[str]:
    """The inputs of the sources of one program, between commas; a file or an address may have some itself.

    Raises Failed if one has no name.
    """
    if "," not in text or text.startswith(PLAYED) or Path(text).exists():
        return [text]
    names = text.split(",")
    if not all(names):
        raise Failed(f"--input {text}: between two commas, and at either end, there is the name of an input")
    return names


def make_input(application: str, name: str, *, quiet: bool = False) -> None:
    """Makes an input of an application, unless it is a file, played, or there; shows how far that is."""
    if not name.startswith(PLAYED) and not Path(name).exists():
        generate(application, name, quiet=quiet)


def generate(application: str, name: str, *, again: bool = False, quiet: bool = False) -> None:
    """Makes an input of an application, if it is not there or `again`; shows how far that is."""
    tool = place_of(tool_of(application))
    command = [str(tool), "generate", application, name, *(["--force"] if again else [])]
    # On a terminal the tool itself shows it.
    tells = not quiet and not errors.is_terminal
    waits = None if not tells else Waits(partial(still_made, application, name), *WAITS_S)
    if finish(command, show_errors=True, waits=waits).code != 0:
        what = f"the input {name} of {application} is not there, and cannot be made"
        raise Failed(what, remedy=f"./thalweg inputs --app {application} shows its inputs")


def still_made(application: str, name: str, waited_s: float, _used_s: float) -> None:
    """Says that an input is not ready yet."""
    console.print(
        f"making the input {name} of {application}: {waited_s:.0f} s so far", style="dim", markup=False
    )


def known_applications(wanted: Sequence[str] = ()) -> list[Application]:
    """Those that are asked for, or all, by name. Builds what tells of them.

    Raises Failed if there is no such application, or if one that was asked for does not compile; others of
    the user's own that do not are left out, and that is said.
    """
    for name in wanted:
        check_application(name)
    own = user_applications()
    found: list[Application] = []
    if not wanted or not set(wanted) <= set(own):
        build(PRESET, TOOL)
        found += told_by(TOOL)
    for name in wanted or own:
        if name not in own:
            continue
        tool = tool_of(name)
        try:
            build(PRESET, tool)
        except Failed as why:
            if wanted:
                raise
            what = f"left out: {name} does not compile; ./thalweg list-op --app {name} shows why"
            if name in left_out.left_out(build_folder(PRESET)):
                what = why.what
            console.print(what, style="dim", markup=False)
            continue
        found += [replace(one, of_user=True) for one in told_by(tool)]
    return sorted((one for one in found if not wanted or one.name in wanted), key=lambda one: one.name)


def told_by(tool: str) -> list[Application]:
    """The applications that a tool lists, and those that it says to be missing."""
    done = finish([str(place_of(tool)), "list", "--json"])
    if done.code != 0:
        raise Failed(f"the applications cannot be listed: {done.cause(TOOL)}")
    listed: dict[str, Any] = json.loads(done.out)
    return [
        Application(
            one["name"],
            one["says"],
            tuple(one["operators"]),
            tuple(
                Input(its["name"], Path(its["folder"]), its["made"], its.get("bytes", 0), its["registered"])
                for its in one["inputs"]
            ),
        )
        for one in listed["applications"]
    ] + [Application(one["name"], fix=one["fix"]) for one in listed["unavailable"]]
