"""Builds what shows a stream in the browser: it needs the component thalweg::live."""

import re

from thalweg_cli.base.cmake_cache import cached
from thalweg_cli.base.terminal import Failed
from thalweg_cli.build.cmake import MEASURED, build, look_again

MISSING = "THALWEG_LIVE_MISSING"
"""CMake's variable for why the component is not built; empty if it is."""


def check_live() -> None:
    """Raises Failed, with what to install, if CMake cannot build the component."""
    build(MEASURED, "build.ninja")
    if cached(MISSING):
        look_again([MISSING])  # What was missing may have been installed since.
    if missing := cached(MISSING):
        what, remedy = split(missing)
        raise Failed(f"--live needs the component thalweg::live, which is left out: {what}", remedy=remedy)


def split(missing: str) -> tuple[str, str]:
    """What CMake misses, and what it says in brackets to do about it."""
    found = re.fullmatch(r"(.*?) \((.*)\)", missing)
    return (found[1], found[2]) if found else (missing, "./thalweg doctor shows what is missing")
