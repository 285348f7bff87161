"""Checks that all names of the library are of one version: `THALWEG_NAMESPACE`.

A file that opens the namespace by its plain name makes names that are the same in all versions; one that does
not get `version.hpp` from what it includes, names in a namespace called THALWEG_NAMESPACE.

usage: versioned.py root
"""

import re
from pathlib import Path

from source import COMPILED, PUBLIC, code, includes, run, sources

VERSION = Path(PUBLIC) / "version.hpp"
OPENS = re.compile(r"^namespace (?:thalweg|(?P<version>THALWEG_NAMESPACE))\b", re.MULTILINE)


def knows_version(root: Path, file: Path, seen: set[Path]) -> bool:
    """Whether a file includes version.hpp, or something that does."""
    if file == VERSION:
        return True
    if file in seen:
        return False
    seen.add(file)
    return any(knows_version(root, found.target, seen) for found in includes(root, file))


def unversioned(root: Path) -> list[str]:
    """Where the namespace is opened in another way."""
    wrong = []
    for file in [*sources(root, PUBLIC), *sources(root, COMPILED)]:
        text = code((root / file).read_text(encoding="utf-8"))
        found = list(OPENS.finditer(text))
        wrong += [
            f"{file}:{text.count(chr(10), 0, opens.start()) + 1}: say namespace THALWEG_NAMESPACE"
            for opens in found
            if not opens["version"]
        ]
        if found and not knows_version(root, file, set()):
            wrong.append(f"{file}: does not include <thalweg/version.hpp>, nor anything that does")
    return wrong


def violations(root: Path) -> list[str]:
    """What breaks the rule."""
    return unversioned(root)


if __name__ == "__main__":
    run(violations)
