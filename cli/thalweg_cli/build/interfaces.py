"""The parallel programming interfaces that are not ours: which packages have them, and where others lie.

Those without a package are folders of sources. Their places are kept in a file of the user, and given to
CMake as its variables of the environment are; where such a variable is set, it counts.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from thalweg_cli.base.cmake_cache import cached
from thalweg_cli.base.files import as_json, make_folder, write_text
from thalweg_cli.base.packages import Package, in_versions, known_to_apt, needed
from thalweg_cli.base.paths import data_folder
from thalweg_cli.base.terminal import Failed


@dataclass(frozen=True)
class Interface:
    """An interface. It has a `package`, or a `variable` that says in which folder `header` lies.

    `in_versions`: it has packages in several versions, of which one will do. `cached`: where CMake keeps
    whether it has found what the package holds. `needs`: another one without which it cannot be built.
    """

    name: str
    title: str
    package: str = ""
    cached: str = ""
    variable: str = ""
    header: str = ""
    site: str = ""
    needs: str = ""
    in_versions: bool = False

    @property
    def packaged(self) -> bool:
        """Whether packages hold it, and no folder of sources."""
        return bool(self.package) or self.in_versions

    def packages(self) -> list[Package]:
        """What has it: in the newest version that is there, else that apt has; nothing if apt has none."""
        if not self.in_versions:
            return [one for one in needed() if one.name == self.package]
        versions = in_versions()
        if there := next((one for one in versions if all(package.found() for package in one)), None):
            return there
        known = known_to_apt([package.name for one in versions for package in one])
        return next((one for one in versions if {package.name for package in one} <= known), [])

    def holds(self, folder: Path) -> bool:
        """Whether a folder has its sources."""
        return (folder / self.header).is_file()


INTERFACES = (
    Interface("tbb", "oneTBB", package="libtbb-dev", cached="TBB_DIR"),
    Interface("openmp", "OpenMP", package="g++", cached="OpenMP_CXX_FLAGS"),
    Interface(
        "fastflow",
        "FastFlow",
        variable="FASTFLOW_DIR",
        header="ff/ff.hpp",
        site="github.com/fastflow/fastflow",
    ),
    Interface(
        "grppi",
        "GrPPI",
        variable="GRPPI_DIR",
        header="include/grppi/grppi.h",
        site="github.com/arcosuc3m/grppi",
    ),
    Interface(
        "taskflow",
        "Taskflow",
        variable="TASKFLOW_DIR",
        header="taskflow/taskflow.hpp",
        site="github.com/taskflow/taskflow",
    ),
    Interface(
        "windflow",
        "WindFlow",
        variable="WINDFLOW_DIR",
        header="wf/windflow.hpp",
        site="github.com/ParaGroup/WindFlow",
        needs="fastflow",
    ),
    Interface(
        "dsparlib",
        "DSParLib",
        variable="DSPARLIB_DIR",
        header="libs/dspar/dspar.h",
        site="github.com/GMAP/DSParLib",
    ),
    Interface("spar", "SPar", in_versions=True, cached="THALWEG_SPAR_CLANG"),
)

FOLDERS = {one.variable: one for one in INTERFACES if one.variable}
"""Those that are folders of sources, by their variables."""


def interface_named(name: str) -> Interface:
    """The interface that a user means, by its name or its title. Raises Failed if there is none."""
    known = {word.lower(): one for one in INTERFACES for word in (one.title, one.name)}
    try:
        return known[name.lower()]
    except KeyError as error:
        near = get_close_matches(name.lower(), sorted(known), n=1)
        names = ", ".join(one.name for one in INTERFACES)
        question = f"did you mean {known[near[0]].name}? " if near else ""
        raise Failed(
            f"there is no interface {name} to install", remedy=f"{question}one of {names}"
        ) from error


def places_file() -> Path:
    """Where the places are kept."""
    return data_folder() / "interfaces.json"


def registered() -> dict[str, Path]:
    """The folders that were registered, by the names of interfaces, whether they are still there or not.

    Raises Failed, which names the file and the line, if it cannot be read.
    """
    file = places_file()
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except json.JSONDecodeError as error:
        raise wrong(file, f"line {error.lineno}: {error.msg}") from error
    except (OSError, ValueError) as error:
        raise wrong(file, str(error)) from error
    names = {one.name for one in FOLDERS.values()}
    if not isinstance(kept, dict) or not all(
        name in names and isinstance(place, str) for name, place in kept.items()
    ):
        raise wrong(file, f"it must map some of these to folders: {', '.join(sorted(names))}")
    return {name: Path(place) for name, place in kept.items()}


def wrong(file: Path, what: str) -> Failed:
    """The failure for a file that says something else."""
    return Failed(f"{file} cannot be read: {what}", remedy="fix it, or remove it and register again")


def keep(places: Mapping[str, Path]) -> None:
    """Keeps the folders in place of those that were kept before."""
    file = places_file()
    make_folder(file.parent)
    write_text(file, as_json({name: str(place) for name, place in sorted(places.items())}))


def sources_in(interface: Interface, folder: str) -> Path:
    """The folder of an interface's sources that a user means: the one named, or the one above it.

    Raises Failed if its header is in neither.
    """
    place = Path(folder).expanduser().resolve()
    for one in (place, place.parent):
        if interface.holds(one):
            return one
    if not place.is_dir():
        raise Failed(f"there is no folder {place}")
    raise Failed(
        f"{place} does not hold the sources of {interface.title}: there is no {interface.header}",
        remedy=f"name the folder that holds {interface.header}; the sources are at {interface.site}",
    )


def wanted_places(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Where CMake is to look, by its variables: as the environment says, else where one is registered."""
    kept = registered()
    found = {}
    for variable, one in FOLDERS.items():
        if named := environment.get(variable):
            found[variable] = named
        elif one.name in kept and one.holds(kept[one.name]):
            found[variable] = str(kept[one.name])
    return found


@dataclass(frozen=True)
class State:
    """What is known of an interface: whether it is there, in which words, and what to do if it is not."""

    there: bool
    says: str
    remedy: str = ""


def state_of(interface: Interface, environment: Mapping[str, str] = os.environ) -> State:
    """What is known of an interface on this machine."""
    if interface.packaged:
        install = f"./thalweg install {interface.name}"
        found = [(package.name, package.found()) for package in interface.packages()]
        if missing := [name for name, version in found if version is None]:
            return State(False, f"package {' '.join(missing)} is missing", install)
        if not found:
            return State(False, "apt has no package", f"apt-get update, and {install}")
        name, version = found[-1]
        return State(True, f"package {name} {version}")
    remedy = f"./thalweg install --path {interface.name}=<folder that holds {interface.header}>"
    named, kept = environment.get(interface.variable, ""), registered().get(interface.name)
    built = cached(interface.variable)
    for place, how in ((named, interface.variable), (kept, "registered"), (built, "as the build found it")):
        if not place:
            continue
        if interface.holds(Path(place)):
            return State(True, f"{place} ({how})")
        return State(False, f"{place} ({how}) does not hold {interface.header}", remedy)
    return State(False, "no folder is registered", f"{remedy}; the sources are at {interface.site}")
