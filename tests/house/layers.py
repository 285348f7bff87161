"""Checks that each folder of the library includes only what lies below it (docs/engine.md, "Layers").

usage: layers.py root
"""

import re
from itertools import pairwise
from pathlib import Path

from source import COMPILED, PUBLIC, includes, run, sources

LAYERS = [
    ["live", "test"],
    ["run"],
    ["adapt"],
    ["flow", "net"],
    ["stages"],
    ["pattern"],
    ["model"],
    ["observe", "pipe"],
]
"""The folders, one above the other. Those of one row do not know each other."""

VERSION = Path(PUBLIC) / "version.hpp"
HEIGHT = {folder: -row for row, folders in enumerate(LAYERS) for folder in folders}


def folder_of(file: Path) -> str:
    """The folder of a file in `include/thalweg/` or `src/`; none for a header that lies above all folders."""
    home = PUBLIC if file.is_relative_to(PUBLIC) else COMPILED
    inside = file.relative_to(home)
    return inside.parts[0] if len(inside.parts) > 1 else ""


def upward(root: Path) -> list[str]:
    """The lines that include what does not lie below their own folder."""
    wrong = []
    for file in [*sources(root, PUBLIC), *sources(root, COMPILED)]:
        own = folder_of(file)
        if not own:
            continue  # thalweg.hpp and the like are for users, and include everything
        if own not in HEIGHT:
            wrong.append(f"{file}: the folder {own}/ has no layer: give it one in tests/house/layers.py")
            continue
        # All are named after the version.
        for found in (line for line in includes(root, file) if line.target != VERSION):
            other = folder_of(found.target)
            where = f"{file}:{found.line}: {own}/ includes {found.target}, but "
            if not other:
                wrong.append(where + "that header is for users")
            elif other not in HEIGHT:
                continue  # said once, for its own files
            elif HEIGHT[other] > HEIGHT[own]:
                wrong.append(where + f"{other}/ lies above it")
            elif HEIGHT[other] == HEIGHT[own] and other != own:
                wrong.append(where + f"{other}/ lies beside it")
            elif file.is_relative_to(PUBLIC) and found.target.is_relative_to(COMPILED):
                wrong.append(where + "a public header includes nothing of src/")
    return wrong


def unlisted(root: Path) -> list[str]:
    """Whether CONTRIBUTING.md lists the folders as they lie one above the other."""
    page = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = re.findall(rf"^\| `{PUBLIC}/(\w+)/`", page, re.MULTILINE)
    wrong = [
        f"CONTRIBUTING.md: {PUBLIC}/{folder}/ is not listed as a folder of the library"
        for folder in HEIGHT
        if folder not in listed
    ]
    wrong += [
        f"CONTRIBUTING.md: {PUBLIC}/{above}/ is listed above {PUBLIC}/{below}/, but lies below it"
        for above, below in pairwise(listed)
        if HEIGHT.get(above, 0) < HEIGHT.get(below, 0)
    ]
    return wrong


def violations(root: Path) -> list[str]:
    """What breaks the rule."""
    return [*upward(root), *unlisted(root)]


if __name__ == "__main__":
    run(violations)
