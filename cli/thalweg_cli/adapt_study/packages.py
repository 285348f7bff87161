"""Packages that bring data: they are downloaded when they are first used, and nothing of them is executed."""

import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path

from thalweg_cli.base.npm import ANSWER_MS, PATIENCE_S, NoPackages, find
from thalweg_cli.base.paths import BUILD
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.setup.pip import pip_install

FOLDER = BUILD / "adapt-study"


def python_package(requirement: str) -> Path:
    """The folder of a package of PyPI, such as `name==1.0`, without those that it needs. Raises Failed."""
    name = requirement.partition("==")[0]
    if not (found := place_of(name)):
        console.print(f"installing {requirement} from PyPI", style="dim", markup=False)
        pip_install(Path(sys.executable), ["--no-deps", requirement])
        importlib.invalidate_caches()
        found = place_of(name)
    if not found:
        raise Failed(f"{requirement} is installed, but it is not there")
    return found


def place_of(name: str) -> Path | None:
    """Where a Python package lies; it is not imported."""
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def npm_package(requirement: str) -> Path:
    """The folder of a package of npm, such as `name@1.0`. Raises Failed."""
    folder = FOLDER / requirement.replace("@", "-")
    found = folder / "node_modules" / requirement.partition("@")[0]
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
