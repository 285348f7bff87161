"""Where things are: in the project, and of the user."""

import os
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[1]
"""The modules of this program, and what lies beside them."""

CARRIED = PROGRAM / "carried"
"""The sources that a wheel brings: they are not built where they lie."""


def cache_folder() -> Path:
    """Where this user's files are kept that can be made again."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(named) if Path(named).is_absolute() else Path.home() / ".cache") / "thalweg"


def root_folder() -> Path:
    """The tree that is built: the one this file is in, or the copy of what is carried."""
    if not CARRIED.is_dir():
        return PROGRAM.parents[1]
    return cache_folder() / (CARRIED / "packaged").read_text(encoding="utf-8").strip()


COMMAND = os.environ.get("THALWEG_NAME", "thalweg" if CARRIED.is_dir() else "./thalweg")
"""How this command line is called."""

ROOT = root_folder()
BUILD = ROOT / "build"
BENCH = ROOT / "bench"
PACKAGES = ROOT / "cli" / "packages.txt"
TESTS = ROOT / "tests"
"""Not there in what packages of the command line bring."""
APPS = ROOT / "apps"
TEMPLATES = PROGRAM / "templates"

USER_FOLDER = "THALWEG_BENCHMARKS"
"""The variable of the environment that names the folder of what users add."""


def build_folder(preset: str) -> Path:
    """Where CMake builds a preset."""
    return BUILD / preset


def data_folder() -> Path:
    """Where this user's data of Thalweg is kept."""
    named = os.environ.get("XDG_DATA_HOME", "")
    return (Path(named) if Path(named).is_absolute() else Path.home() / ".local" / "share") / "thalweg"


def api_of(application: str) -> Path:
    """The header that an application's benchmark programs include, which may be missing."""
    ours = ROOT / "spb" / f"{application}.hpp"
    return ours if ours.exists() else user_folder() / "apps" / application / "spb" / ours.name


def user_folder() -> Path:
    """The folder of the benchmarks and applications that users add: it can be moved to another machine."""
    named = os.environ.get(USER_FOLDER, "")
    return Path(named).absolute() if named else data_folder() / "benchmarks"


def root_of(application: str) -> Path:
    """The folder in which an application is `apps/<name>`: the project, or, for one of the user's, theirs."""
    return ROOT if (APPS / application).is_dir() else user_folder()
