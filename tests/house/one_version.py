"""Checks that the version is the same wherever it is written once more: `version.hpp` is where it stands.

usage: one_version.py root
"""

import re
from pathlib import Path

from source import run
from versioned import VERSION

COPIES = {
    "CITATION.cff": r"^version: (.+)$",
    "CHANGELOG.md": r"\A(?:.|\n)*?\n## \[(.+?)\]",  # the latest one comes first
    "packaging/vcpkg/*/vcpkg.json": r'^  "version": "(.+)"',
    "packaging/spack/packages/*/package.py": r'(?:\bversion\("|thalweg@)([\d.]+)',
    "packaging/homebrew/*.rb": r'^  version "(.+)"',
    "docs/*.md": r"(?:\b(?:find_package\(thalweg |thalweg[@/]|libthalweg(?:\.so\.|\{|-\w+)?)|`-[a-z]+)"
    r"(\d[\d.]*\d)",
    "tests/package/*/CMakeLists.txt": r"\bfind_package\(thalweg (\d\S*) ",
}
"""Where a version stands, as a pattern of files, and how it is found there."""


def numbers(root: Path) -> list[str]:
    """The three numbers of the version."""
    header = (root / VERSION).read_text(encoding="utf-8")
    return re.findall(r"^#define THALWEG_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.MULTILINE)


def violations(root: Path) -> list[str]:
    """What breaks the rule."""
    version = numbers(root)
    whole, series = ".".join(version), ".".join(version[:2])
    wrong = []
    names = re.findall(r"#define THALWEG_ABI (\w+)", (root / VERSION).read_text(encoding="utf-8"))
    if names != ["v" + "_".join(version[:2])]:
        wrong.append(f"{VERSION}: the namespace is not called after the version")
    for files, pattern in COPIES.items():
        for file in sorted(root.glob(files)):
            for said in re.findall(pattern, file.read_text(encoding="utf-8"), re.MULTILINE):
                if said not in {whole, series}:
                    wrong.append(f"{file.relative_to(root)}: says {said}, and {VERSION} {whole}")
    return wrong


if __name__ == "__main__":
    run(violations)
