"""`./thalweg version`: which Thalweg this is."""

import re

from thalweg_cli.circumstances import commit
from thalweg_cli.paths import ROOT
from thalweg_cli.terminal import console

NUMBER = re.compile(r"^#define THALWEG_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", re.MULTILINE)


def number() -> str:
    """The version, from the header in which it stands."""
    header = ROOT / "include" / "thalweg" / "version.hpp"
    return ".".join(NUMBER.findall(header.read_text(encoding="utf-8")))


def version() -> None:
    """Show the version, and the commit."""
    console.print(f"thalweg {number()}, commit {commit()}", markup=False)
