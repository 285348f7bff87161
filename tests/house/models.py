"""Checks that the models in docs/protocols and the code that they model know each other.

The header of a model has a line for each file that it mirrors, with the classes and functions that it is made
from; the list may go on in the lines below, up to an empty one or the next file:

    Mirrors: include/thalweg/pipe/chunk.hpp: emplace, make_room, steal

The file has these names in its code, and a comment at its top that describes the protocol in a few lines:

    // State: what threads share.
    // Writer: who changes which part of it.
    // Invariant: what always holds.
    // Model: docs/protocols/chunk.pml.

usage: models.py root
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from source import code, run

MODELS = "docs/protocols"
LABELS = ("State", "Writer", "Invariant", "Model")
LINES = 6
"""So many lines the comment at the top of a file has at least."""

HEADER = re.compile(r"\A\s*/\*(.*?)\*/", re.DOTALL)
MIRRORS = re.compile(r"^Mirrors: +([^\s:]+): *(.*?)(?=^Mirrors:|^$|\Z)", re.DOTALL | re.MULTILINE)
TOP = re.compile(r"(?: *//[^\n]*\n|#pragma once\n|\s*\n)*")


@dataclass(frozen=True)
class Mirrored:
    """A file that a model is made from, and what it takes of it."""

    model: str
    file: str
    names: list[str]


def mirrored(model: Path) -> Iterator[Mirrored]:
    """What a model says that it mirrors."""
    header = HEADER.match(model.read_text(encoding="utf-8"))
    text = re.sub(r"^ *\*? ?", "", header[1] if header else "", flags=re.MULTILINE)
    for file, names in MIRRORS.findall(text):
        yield Mirrored(f"{MODELS}/{model.name}", file, re.split(r"[,\s]+", names.strip(" .\n")))


def top_comment(text: str) -> list[str]:
    """The lines of the comment with which a file begins."""
    top = TOP.match(text)
    lines = (line.strip() for line in (top[0] if top else "").splitlines())
    return [re.sub(r"^//+ ?", "", line) for line in lines if line.startswith("//")]


def missing_names(of: Mirrored, text: str) -> list[str]:
    """The names that a model mirrors and its file does not have."""
    words = set(re.findall(r"\w+", code(text)))
    return [name for name in of.names if not set(name.split("::")) <= words]


def missing_in_comment(of: Mirrored, text: str) -> list[str]:
    """What the comment at the top of a mirrored file lacks."""
    top = top_comment(text)
    lacks = [
        f"its comment at the top has no line '{label}: ...'"
        for label in LABELS
        if not any(re.match(rf"{label}s?: ", line) for line in top)
    ]
    if len(top) < LINES:
        lacks.append(f"its comment at the top has {len(top)} lines: it has at least {LINES}")
    if of.model not in "\n".join(top):
        lacks.append(f"its comment at the top does not name {of.model}, which mirrors it")
    return lacks


def violations(root: Path) -> list[str]:
    """What models and code do not know of each other."""
    wrong: dict[str, None] = {}  # as a list, but each line once
    for model in sorted((root / MODELS).glob("*.pml")):
        found = list(mirrored(model))
        if not found:
            wrong[f"{MODELS}/{model.name}: its header has no line 'Mirrors: <file>: <name>, ...'"] = None
        for of in found:
            file = root / of.file
            if not file.is_file():
                wrong[f"{of.model}: it mirrors {of.file}, which does not exist"] = None
                continue
            text = file.read_text(encoding="utf-8")
            for name in missing_names(of, text):
                wrong[f"{of.model}: it mirrors {name}, which {of.file} does not have"] = None
            wrong |= dict.fromkeys(f"{of.file}: {lack}" for lack in missing_in_comment(of, text))
    return list(wrong)


if __name__ == "__main__":
    run(violations)
