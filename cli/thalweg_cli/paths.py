"""Where things are in the project."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
BENCH = ROOT / "bench"
PACKAGES = ROOT / "cli" / "packages.txt"


def build_folder(preset: str) -> Path:
    """Where CMake builds a preset."""
    return BUILD / preset
