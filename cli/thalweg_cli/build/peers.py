"""Versions of the interfaces that are compared with, those that are folders of sources among them."""

import re
import subprocess
from pathlib import Path

from thalweg_cli.base.cmake_cache import cached
from thalweg_cli.base.packages import debian_version
from thalweg_cli.base.paths import ROOT
from thalweg_cli.build.interfaces import INTERFACES, Interface

SAYS_VERSION = (
    re.compile(r"^// current version: (\S+)$", re.MULTILINE),
    re.compile(r"^#define \w*_VERSION(?:_STRING)? +\"?(\d[\w.]*)\"?$", re.MULTILINE),
    re.compile(r"^project\s*\([^)]*\bVERSION\s+(\d[\d.]*)", re.MULTILINE | re.IGNORECASE),
)
"""How headers, and files for CMake, say which version they are of."""

MPI = "MPI"

TITLES = frozenset({interface.title for interface in INTERFACES} | {MPI})
"""What `peers` may have."""


def said(command: list[str]) -> str:
    """What a command prints in the project's folder; nothing if there is no such command."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()  # Also if it fails: of several packages one may be missing.


def peers() -> dict[str, str]:
    """The version of each interface that is there, by its title."""
    found = {}
    for interface in INTERFACES:
        place = cached(interface.variable or interface.cached)
        if place and not place.endswith("-NOTFOUND"):
            version = of_folder(Path(place), interface) if interface.variable else of_package(interface)
            found[interface.title] = version
    if mpi := said(["mpiexec", "--version"]).partition("\n")[0]:
        found[MPI] = mpi
    return found


def of_package(interface: Interface) -> str:
    """The version of the package that has an interface."""
    *_, package = [one.name for one in interface.packages()]
    version = debian_version(package)
    return f"{package} {version}" if version else f"{package}, not a package of Debian's"


def of_folder(folder: Path, interface: Interface) -> str:
    """The version of a folder of sources: what git says of it, or else they themselves; or else the folder.

    A folder that no git keeps may lie in one that git keeps, whose version is another matter.
    """
    if said(["git", "-C", str(folder), "ls-files", "--error-unmatch", interface.header]):
        described = said(["git", "-C", str(folder), "describe", "--tags", "--always", "--dirty"])
        if described:
            return described
    for file in (folder / interface.header, folder / "CMakeLists.txt"):
        try:
            text = file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        for pattern in SAYS_VERSION:
            if version := pattern.search(text):
                return version[1]
    return str(folder)
