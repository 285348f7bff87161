"""`thalweg-spar++` of a wheel: the compiler for SPar's attributes, which is built when it is first used."""

import os
import sys

from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.terminal import Failed, keep_output_for_data
from thalweg_cli.build.cmake import MEASURED, build
from thalweg_cli.build.interfaces import interface_named, state_of
from thalweg_cli.carried import unpack

DRIVER = "thalweg-spar++"


def main() -> None:
    """Becomes the compiler; ends with 1 if it cannot be built."""
    keep_output_for_data()
    try:
        unpack()
        driver = build_folder(MEASURED) / "spar" / DRIVER
        if not driver.exists():
            build_compiler()
    except Failed as failure:
        failure.show()
        sys.exit(failure.code)
    os.execv(driver, [str(driver), *sys.argv[1:]])


def build_compiler() -> None:
    """Builds it and what it links. Raises Failed if Clang's libraries are missing."""
    state = state_of(interface_named("spar"))
    if not state.there:
        raise Failed(f"{DRIVER} needs the libraries of Clang: {state.says}", remedy=state.remedy)
    build(MEASURED, "thalweg", "thalweg-spar", DRIVER)
