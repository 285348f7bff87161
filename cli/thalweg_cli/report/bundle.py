"""Plotly's basic bundle: all that the page draws with, in a quarter of the bytes that PyPI's plotly brings.

npm gets it, as page/package-lock.json says, and it is kept in the folder of builds; a wheel carries it in
page/. This module needs Python alone: setup.py uses it before anything is installed.
"""

import json
import tempfile
from pathlib import Path

from thalweg_cli.base.npm import NoPackages, install
from thalweg_cli.base.paths import BUILD, PROGRAM

CARRIED = PROGRAM / "page"
"""Where package.json and package-lock.json are, and the bundle in a wheel."""

KEPT = BUILD / "report"
"""Where npm's bundle is kept."""

PACKAGE = "plotly.js-basic-dist-min"

VERSION: str = json.loads((CARRIED / "package.json").read_text(encoding="utf-8"))["dependencies"][PACKAGE]

NAME = f"plotly-basic-{VERSION}.min.js"
"""What the bundle is called where it is kept and carried."""


def there() -> Path | None:
    """The bundle, if it is carried or kept."""
    return next((one for one in (CARRIED / NAME, KEPT / NAME) if one.is_file()), None)


def fetch(npm: str) -> Path:
    """Has npm get the bundle, and keeps it. Raises NoPackages."""
    try:
        KEPT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="part.", dir=KEPT) as part:
            install(npm, PACKAGE, CARRIED, Path(part), KEPT / "npm.log")
            (Path(part) / "node_modules" / PACKAGE / "plotly-basic.min.js").replace(KEPT / NAME)
    except OSError as error:
        raise NoPackages(f"{KEPT / NAME} cannot be written: {error.strerror}") from error
    return KEPT / NAME
