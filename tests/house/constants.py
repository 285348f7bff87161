"""Checks that each constant of the engine is defined once.

No two `constexpr` values at namespace or class scope below these folders have the same name. Two that mean
the same thing become one, in one header. Two that mean different things get different names.

usage: constants.py root
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from source import code, run, sources

FOLDERS = ["src/run", "include/thalweg/run", "include/thalweg/pipe"]

VALUE = re.compile(r"\bconstexpr\b(?P<type>[^()={;]*?[\s*&>])(?P<name>\w+)(?:\[\w*\])? *[={]")


def opens_scope(statement: str) -> bool:
    """Whether what stands before a `{` begins a namespace or a class."""
    before = ""
    while before != statement:
        before, statement = statement, re.sub(r"<[^<>]*>|\([^()]*\)", " ", statement)
    return re.search(r"\b(namespace|class|struct|union)\b", statement) is not None


def statements(text: str) -> Iterator[tuple[int, str]]:
    """What stands at namespace or class scope: each statement up to its first `;` or `{`, with its line."""
    outside = [True]  # for each brace that is open, whether what is in it stands at such a scope
    begin = 0
    for mark in re.finditer(r"[;{}]", text):
        statement = text[begin : mark.end()].strip()
        if mark.group() == "}":
            outside.pop()
        elif outside[-1] and statement:
            yield text.count("\n", 0, mark.start()) + 1, statement
        if mark.group() == "{":
            outside.append(outside[-1] and opens_scope(statement))
        begin = mark.end()


def constants(text: str) -> Iterator[tuple[int, str]]:
    """The constants that a file defines, each with its line; not those that depend on types."""
    plain = re.sub(r"^ *#.*$", "", code(text), flags=re.MULTILINE)
    plain = re.sub(r"\b(?:public|protected|private) *:", "", plain)
    for line, statement in statements(plain):
        if not statement.startswith("template") and (match := VALUE.search(statement)):
            yield line, match["name"]


def violations(root: Path) -> list[str]:
    """The constants that are defined more than once."""
    places = defaultdict(list)
    for file in (file for folder in FOLDERS for file in sources(root, folder)):
        for line, name in constants((root / file).read_text(encoding="utf-8")):
            places[name].append(f"{file}:{line}")
    return [
        f"the constant {name} is defined {len(where)} times: " + ", ".join(where)
        for name, where in sorted(places.items())
        if len(where) > 1
    ]


if __name__ == "__main__":
    run(violations)
