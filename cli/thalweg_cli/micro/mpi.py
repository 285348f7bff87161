"""The micro-benchmarks over MPI: a program of their own, started with the ranks that each needs."""

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from thalweg_cli.base.cmake_cache import cached
from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.terminal import Failed
from thalweg_cli.micro.results import Results
from thalweg_cli.micro.run import follow
from thalweg_cli.run.mpi import launched, variables

PROGRAM = "thalweg_micro_mpi"
ALL = "mpi"
"""The name that stands for all of them."""

LINE = re.compile(r"(mpi_\w+) +(\d+) ranks?: (.*)")


@dataclass(frozen=True)
class OverMpi:
    """A benchmark of this program."""

    ranks: int
    says: str


def is_over_mpi(name: str) -> bool:
    """Whether a name is one of theirs, or that of all."""
    return name == ALL or name.startswith(f"{ALL}_")


def is_possible() -> bool:
    """Whether this build has thalweg over MPI. To be asked once CMake has run."""
    return bool(cached("MPI_CXX_LIB_NAMES")) and cached("THALWEG_MPI").upper() in ("ON", "TRUE", "1", "")


def require() -> None:
    """Raises Failed where there is no MPI to measure."""
    if not is_possible():
        raise Failed("this build has no MPI", remedy="apt-get install libopenmpi-dev openmpi-bin")


def known_over_mpi() -> dict[str, OverMpi]:
    """The benchmarks of the program that was built."""
    program = build_folder("release") / "micro" / PROGRAM
    listed = subprocess.run([str(program), "--list"], capture_output=True, text=True, check=True).stdout
    found = filter(None, map(LINE.fullmatch, listed.splitlines()))
    return {one[1]: OverMpi(int(one[2]), one[3]) for one in found}


def measure_over_mpi(names: Sequence[str], options: Sequence[str], results: Results) -> None:
    """Runs benchmarks, each with its ranks."""
    if not names:
        return
    program = build_folder("release") / "micro" / PROGRAM
    there = known_over_mpi()
    environment = {**os.environ, **variables()}
    for name in names:
        follow([*launched(there[name].ranks), str(program), name, *options], results, environment)
