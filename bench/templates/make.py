"""Makes the benchmark programs that differ in names alone, from one template for each interface.

`python3 bench/templates/make.py` writes them to `bench/<app>/<interface>/<composition>.cpp`, where people
read, copy and measure them. With `--check` it writes nothing, and names those that differ.

`programs.txt` lists the applications, each with the folder of its templates and the names that differ:
`@name@` in a template. `@app@` is the application. A line with `@Operator@`, if that is no name given there,
is repeated for each operator between source and sink, in the order of the application's `operators.txt`.
Lines that begin with `@ordered` or `@unordered` are for applications whose sinks need the order of the
stream, or do not; `@in_order@` is the word for that.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

TEMPLATES = Path(__file__).resolve().parent
BENCH = TEMPLATES.parent
APPS = BENCH.parent / "apps"
ORDERS = ("@ordered", "@unordered")


def operators(app: str) -> list[str]:
    """The classes of an application's operators between source and sink."""
    lines = (APPS / app / "operators.txt").read_text(encoding="utf-8").splitlines()
    names = [line.split()[0] for line in lines if line and not line.startswith("#")]
    return ["".join(part.capitalize() for part in name.split("_")) for name in names[1:-1]]


def program(template: str, app: str, order: str, names: dict[str, str]) -> str:
    """The text of a program."""
    in_order = "in_order" if order == "ordered" else "out_of_order"
    made: list[str] = []
    for line in chosen_lines(template, order):
        text = line
        for name, value in {**names, "in_order": in_order, "app": app}.items():
            text = text.replace(f"@{name}@", value)
        repeated = operators(app) if "@Operator@" in text else [""]
        made += [text.replace("@Operator@", name) for name in repeated]
    return "\n".join(with_sorted_headers(made)) + "\n"


def chosen_lines(template: str, order: str) -> Iterator[str]:
    """The lines of a template for one order."""
    for line in template.splitlines():
        mark, _, rest = line.partition(" ")
        if mark not in ORDERS:
            yield line
        elif mark == f"@{order}":
            yield rest


def with_sorted_headers(lines: list[str]) -> list[str]:
    """Each block of #include lines in the order that the formatter gives it."""
    made: list[str] = []
    block: list[str] = []
    for line in [*lines, ""]:
        if line.startswith("#include"):
            block.append(line)
        else:
            made += [*sorted(block), line]
            block = []
    return made[:-1]


def templates(folder: Path) -> list[str]:
    """The templates of a folder, as `<interface>/<composition>`."""
    found = sorted(folder.glob("*/*.cpp.in"))
    return [f"{file.parent.name}/{file.name.removesuffix('.cpp.in')}" for file in found]


def programs() -> dict[Path, str]:
    """The files that are made, with their texts."""
    made = {}
    for line in (TEMPLATES / "programs.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        app, family, *rest = line.split()
        folder = TEMPLATES / family
        order = next((word for word in rest if f"@{word}" in ORDERS), "")
        names = dict(word.split("=", 1) for word in rest if "=" in word)
        chosen = [word for word in rest if "/" in word]
        for name in chosen or templates(folder):
            template = (folder / f"{name}.cpp.in").read_text(encoding="utf-8")
            made[BENCH / app / f"{name}.cpp"] = program(template, app, order, names)
    return made


def main() -> int:
    """Writes them, or checks them. Returns the exit code."""
    options = argparse.ArgumentParser(description="Makes benchmark programs from their templates.")
    options.add_argument("--check", action="store_true", help="write nothing, and name those that differ")
    only_check = options.parse_args().check
    wrong = 0
    for file, text in programs().items():
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        if only_check:
            print(f"{file.relative_to(BENCH.parent)} differs from its template: run bench/templates/make.py")
            wrong = 1
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
