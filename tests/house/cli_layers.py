"""Checks that the packages of the command line import only those below them, as cli/README.md lists them.

usage: cli_layers.py root
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from source import run

PROGRAM = "thalweg_cli"
HOME = f"cli/{PROGRAM}"
LIST = "cli/README.md"
ROW = re.compile(r"^\| `(\w+)/` \|", re.MULTILINE)


def imported(text: str) -> Iterator[tuple[int, str]]:
    """The modules of the program that a source imports, also within functions, each with its line."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and not node.level:
            for name in node.names:
                yield node.lineno, f"{node.module}.{name.name}"
        elif isinstance(node, ast.Import):
            for name in node.names:
                yield node.lineno, name.name


def package_of(root: Path, module: str) -> str:
    """The package of a module, by its name with dots; a module that is in none counts as the program's."""
    names = module.split(".")
    inside = len(names) > 1 and (root / HOME / names[1]).is_dir()
    return names[1] if inside else PROGRAM


def violations(root: Path) -> list[str]:
    """Imports that lead upwards, and packages that are not listed."""
    order = ROW.findall((root / LIST).read_text(encoding="utf-8"))
    wrong = []
    for file in sorted((root / HOME).rglob("*.py")):
        shown = file.relative_to(root)
        own = package_of(root, ".".join(file.relative_to(root / "cli").parts))
        if own not in order:
            wrong.append(f"{shown}: {own}/ is not listed in {LIST}")
            continue
        for line, module in imported(file.read_text(encoding="utf-8")):
            package = package_of(root, module)
            if module.split(".")[0] == PROGRAM and package in order[: order.index(own)]:
                wrong.append(f"{shown}:{line}: {own}/ imports {module}, but {package}/ is above it")
    return wrong


if __name__ == "__main__":
    run(violations)
