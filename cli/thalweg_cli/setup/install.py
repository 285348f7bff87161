"""`./thalweg install`: packages of interfaces, and the places of those that have no package."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from thalweg_cli.base.terminal import Failed, console, print_table
from thalweg_cli.build.cmake import configure, look_again, look_again_at_applications
from thalweg_cli.build.interfaces import (
    INTERFACES,
    Interface,
    interface_named,
    keep,
    places_file,
    registered,
    sources_in,
    state_of,
)
from thalweg_cli.catalog.applications import known_applications
from thalweg_cli.catalog.programs import PRESET

ALL = "all"

APT = "apt-get install "
"""What the fix of an application begins with, whose libraries are packages."""

NOTHING = "THALWEG_NOTHING"
"""A variable that CMake does not have: it looks again for all that it has not found, and forgets nothing."""

PATIENCE_S = 120
"""How long apt waits for another one that is at work."""


def install(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Interfaces that have packages; without any, all."),
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=DIR", help="Where the sources of an interface are; repeatable."),
    ] = None,
    forget: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Forget the folder of this interface.")
    ] = None,
    app: Annotated[
        list[str] | None,
        typer.Option(help="Also what an application needs, or all of them; repeatable."),
    ] = None,
    list_only: Annotated[
        bool, typer.Option("--list", help="Show all interfaces, and install nothing.")
    ] = False,
) -> None:
    """Install interfaces from packages, or register where the sources of those without a package are."""
    if not list_only:
        places = [parse_place(text) for text in path or []]  # All mistakes are told before anything is done.
        forgotten = [folder_interface(name) for name in forget or []]
        wanted = [interface_named(name) for name in names or []]
        if path or forget:
            register(places, forgotten)
        if app:
            install_for(app)
        if wanted or not (path or forget or app):
            install_packages(wanted or [one for one in INTERFACES if one.packages()])
    print_table(table())


def parse_place(text: str) -> tuple[Interface, str]:
    """The interface and the folder of NAME=DIR, which holds its header. Raises Failed if it does not."""
    name, equals, folder = text.partition("=")
    if not equals or not folder:
        raise Failed(f"--path {text}: not NAME=DIR", remedy="--path fastflow=../fastflow")
    interface = folder_interface(name)
    return interface, str(sources_in(interface, folder))


def folder_interface(name: str) -> Interface:
    """An interface that is a folder of sources. Raises Failed if it has a package."""
    interface = interface_named(name)
    if interface.packaged:
        raise Failed(
            f"{interface.title} has a package, and no folder to register",
            remedy=f"./thalweg install {interface.name}",
        )
    return interface


def register(places: Sequence[tuple[Interface, str]], forgotten: Sequence[Interface]) -> None:
    """Keeps and removes places, and lets CMake look again."""
    kept = dict(registered())
    for interface in forgotten:
        if kept.pop(interface.name, None) is None:
            raise Failed(f"no folder of {interface.title} is registered", remedy="./thalweg install --list")
    kept |= {interface.name: Path(place) for interface, place in places}
    keep(kept)
    for interface, place in places:
        console.print(f"registered {interface.title}: {place}", markup=False)
        if interface.needs and interface.needs not in kept:
            other = interface_named(interface.needs)
            if not state_of(other).there:
                console.print(
                    f"{interface.title} also needs {other.title}: {state_of(other).remedy}", markup=False
                )
        if os.environ.get(interface.variable, place) != place:
            console.print(f"but {interface.variable} is set, and is used instead", markup=False)
    look_again([interface.variable for interface in forgotten])


def install_for(names: Sequence[str]) -> None:
    """Installs the packages that applications miss. Raises Failed if there is none, or if apt fails."""
    missing = [
        package
        for one in known_applications([] if ALL in names else names)
        if one.fix.startswith(APT)
        for package in one.fix.removeprefix(APT).split()
    ]
    if not missing:
        console.print("all packages that these applications need are installed")
        return
    install_all(list(dict.fromkeys(missing)))
    look_again_at_applications()
    configure(PRESET, [NOTHING])


def install_packages(wanted: Sequence[Interface]) -> None:
    """Installs the packages that are missing. Raises Failed if an interface has none, or if apt fails."""
    for interface in wanted:
        if not interface.packaged:
            state = state_of(interface)
            remedy = state.remedy or f"nothing: its sources are in {state.says}"
            raise Failed(f"no package has {interface.title}", remedy=remedy)
    absent = [interface for interface in wanted if not state_of(interface).there]
    missing = [
        package.name for interface in absent for package in interface.packages() if not package.found()
    ]
    for interface in absent:
        if not interface.packages():
            raise Failed(f"apt has no package of {interface.title}", remedy=state_of(interface).remedy)
    if not missing:
        console.print("all of these packages are installed")
        return
    install_all(missing)
    look_again([one.cached for one in absent])


def install_all(packages: Sequence[str]) -> None:
    """Has apt install packages. Raises Failed if it fails."""
    apt = apt_get(packages)
    install = [*apt, "install", "--no-install-recommends", *packages]
    # Lists of packages may be missing, or name files that the mirror no longer has.
    if not run(install) and not (run([*apt, "update"]) and run(install)):
        raise Failed("the packages cannot be installed", remedy="apt's messages above say why")


def run(command: Sequence[str]) -> bool:
    """Runs a command of apt, and says whether it succeeded. What it says is between the user and apt."""
    console.print(" ".join(command), style="dim", markup=False)
    return subprocess.run(command, check=False).returncode == 0


def apt_get(packages: Sequence[str]) -> list[str]:
    """The command of apt, as this user may run it for packages. Raises Failed if there is none."""
    if not shutil.which("apt-get"):
        raise Failed(
            "there is no apt here", remedy=f"install what these Debian packages hold: {' '.join(packages)}"
        )
    rights = []
    if os.geteuid() != 0:
        if not shutil.which("sudo"):
            raise Failed(
                "only root may install packages, and there is no sudo",
                remedy=f"as root: apt-get install {' '.join(packages)}",
            )
        rights = ["sudo"]
    # Not by this process's environment, which sudo does not hand on.
    quiet = ["env", "DEBIAN_FRONTEND=noninteractive"]
    return [*rights, *quiet, "apt-get", "-y", "-o", f"DPkg::Lock::Timeout={PATIENCE_S}"]


def table() -> Table:
    """A row for each interface: whether it is there, and what to do if it is not."""
    table = Table(
        box=SIMPLE_HEAD, pad_edge=False, caption=f"places are kept in {places_file()}", caption_justify="left"
    )
    for heading in ("interface", "programs", "there", "where"):
        table.add_column(heading)
    for one in INTERFACES:
        state = state_of(one)
        there = "[green]yes[/]" if state.there else "[red]no[/]"
        says = state.says if state.there else f"{state.says}: {state.remedy}"
        table.add_row(one.title, one.name, there, escape(says))
    return table
