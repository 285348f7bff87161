"""Which version of Thalweg this is."""

import re

from thalweg_cli.base.paths import ROOT

NUMBER = re.compile(r"^#define THALWEG_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", re.MULTILINE)


def number() -> str:
    """The version, from the header in which it stands."""
    header = ROOT / "include" / "thalweg" / "version.hpp"
    return ".".join(NUMBER.findall(header.read_text(encoding="utf-8")))
