"""The Debian packages of cli/packages.txt: is each there, in which version, and how to get it."""

import re
import shutil
import subprocess
from collections.abc import Collection
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from thalweg_cli.base.paths import PACKAGES, TESTS


@dataclass(frozen=True)
class Package:
    """A package that the project needs.

    `probe` finds it: `command:`, `header:`, `file:` (a path) or `python:`, and a name.
    """

    name: str
    probe: str
    purpose: str

    @property
    def fix(self) -> str:
        """The command that installs it."""
        return f"apt-get install {self.name}"

    def found(self) -> str | None:
        """Its version (or its place, if the version is unknown), or None if it is missing."""
        kind, _, what = self.probe.partition(":")
        if kind == "command":
            place = shutil.which(what)
            return command_version(place) if place else None
        if kind == "header":
            header = find_header(what)
            return (debian_version(self.name) or str(header)) if header else None
        if kind == "file":
            return (debian_version(self.name) or what) if Path(what).exists() else None
        return debian_version(self.name) or "found" if find_spec(what) else None


LATER = "# later:"
"""Below this line are packages that are installed when they are first used."""


def needed() -> list[Package]:
    """All packages that the project needs from the start, in the order of the file."""
    text = PACKAGES.read_text(encoding="utf-8").partition(LATER)[0]
    text = re.sub(r"(?m)^.*%.*$", "", text)  # in_versions()
    return packages_in(text if TESTS.is_dir() else text.partition("\n# For the tests")[0])


NEWEST = "# newest of: "
"""Begins the line that names versions, the newest first, which stand for % in the names of packages."""


def in_versions() -> list[list[Package]]:
    """Packages of which one version will do, and none too: those of each version, the newest first."""
    text = PACKAGES.read_text(encoding="utf-8")
    versions = text.partition(NEWEST)[2].partition("\n")[0].split()
    lines = "\n".join(line for line in text.splitlines() if "%" in line)
    return [packages_in(lines.replace("%", version)) for version in versions]


def needed_later() -> list[Package]:
    """Those that are installed when they are first used."""
    return packages_in(LATER + PACKAGES.read_text(encoding="utf-8").partition(LATER)[2])


def packages_in(text: str) -> list[Package]:
    """The packages of a part of the file."""
    rows = [line.split(maxsplit=2) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [Package(name, probe, purpose) for name, probe, purpose in rows]


def find_header(name: str, *places: str) -> Path | None:
    """The first place (then the compiler's own) where a header lies, as a path."""
    multiarch = sorted(Path("/usr/include").glob("*-linux-gnu"))
    for place in [*map(Path, places), Path("/usr/local/include"), Path("/usr/include"), *multiarch]:
        if (place / name).is_file():
            return place / name
    return None


def command_version(place: str) -> str:
    """What a program says its version is."""
    for flag in ("--version", "-V"):
        try:
            said = subprocess.run([place, flag], capture_output=True, text=True, timeout=10, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if number := re.search(r"\d+\.\d+[\w.]*", said.stdout + said.stderr):
            return number[0].rstrip(".")
    return place


def known_to_apt(packages: Collection[str]) -> set[str]:
    """Those packages of some that apt can install."""
    command = ["apt-cache", "show", "--no-all-versions", *packages]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return set()
    return set(re.findall(r"(?m)^Package: (\S+)$", said.stdout))


def debian_version(package: str) -> str | None:
    """The version of an installed Debian package; None if it is not installed, or this is not Debian."""
    query = ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package]
    try:
        said = subprocess.run(query, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    status, _, version = said.stdout.partition(" ")
    return version if status == "installed" else None
