"""Where things are: in the project, and of the user."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
BENCH = ROOT / "bench"
PACKAGES = ROOT / "cli" / "packages.txt"


def build_folder(preset: str) -> Path:
    """Where CMake builds a preset."""
    return BUILD / preset


def data_folder() -> Path:
    """Where this user's data of Thalweg is kept."""
    named = os.environ.get("XDG_DATA_HOME", "")
    return (Path(named) if Path(named).is_absolute() else Path.home() / ".local" / "share") / "thalweg"
