"""How a name is declared, as its header says it: that is formatted for people already."""

import re
from collections.abc import Sequence
from textwrap import dedent

ENDS = (";", "}", "{", ":", "*/")
"""How the line before a declaration ends, if it is code."""


def first_line(lines: Sequence[str], line: int) -> int:
    """The line (from 0) that a declaration begins with which Doxygen finds in `line` (from 1)."""
    first = line - 1
    while first > 0:
        before = lines[first - 1].strip()
        before = re.sub(r"\s*//.*$", "", before)
        if not before or before.startswith("#") or before.endswith(ENDS):
            break
        first -= 1
    return first


def declaration(lines: Sequence[str], line: int, kind: str) -> str:
    """The text of a declaration, without what it does. An enumeration is shown whole, comments too."""
    first = first_line(lines, line)
    written = "\n".join(lines[first:])
    end = {
        "enum": end_of_enumeration,
        "variable": end_of_statement,
        "typedef": end_of_statement,
        "concept": end_of_statement,
    }.get(kind, end_of_head)(written)
    return dedent(written[:end]).strip().removesuffix(";").rstrip() + (";" if kind == "enum" else "")


def end_of_enumeration(written: str) -> int:
    """Where an enumeration ends."""
    return written.index("}") + 1


def end_of_statement(written: str) -> int:
    """Where a statement ends: at the first semicolon outside of brackets."""
    return next((at for at, sign in outside(written) if sign == ";"), len(written))


def end_of_head(written: str) -> int:
    """Where the head of a function or class ends: before its body, its initialisers, or its semicolon."""
    called = False
    for at, sign in outside(written):
        if sign == ")":
            called = True
        if sign in ";{" or (sign == ":" and called and "::" not in written[at - 1 : at + 2]):
            return at
    return len(written)


def outside(written: str) -> list[tuple[int, str]]:
    """The signs of a text that lie in no brackets, and the closing ones; comments are left out."""
    found, depth, at = [], 0, 0
    while at < len(written):
        if written.startswith("//", at):
            at = written.find("\n", at) if "\n" in written[at:] else len(written)
            continue
        sign = written[at]
        if sign in ")]}":
            depth -= 1
        if depth == 0:
            found.append((at, sign))
        if sign in "([{":
            depth += 1
        at += 1
    return found


def follows_note(lines: Sequence[str], line: int) -> bool:
    """Whether the nearest comment in the same block of lines is a plain one: what follows is internal."""
    for before in reversed(lines[: first_line(lines, line)]):
        if not before.strip():
            return False
        if before.strip().startswith("//"):
            return not before.strip().startswith("///")
    return False
