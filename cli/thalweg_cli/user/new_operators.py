"""The operators of a new application: the names that a user gives, in the place of the template's own."""

import re
from collections.abc import Sequence
from pathlib import Path

from thalweg_cli.base.paths import ROOT
from thalweg_cli.base.terminal import Failed
from thalweg_cli.cpp.tokens import KEYWORDS

OURS = "longest"
"""The operator of the template."""

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
TAKEN = frozenset(("about", "generate", "inputs", "intervals_file", "interval", "next", "search", "sink"))
TAKEN |= frozenset(("source", "std", "steps_of", "verify"))
"""Names in the files of the template."""


def check_operators(names: Sequence[str]) -> None:
    """Raises Failed if operators cannot have their names: each is a function, and a class for programs."""
    classes = {
        name
        for header in (ROOT / "spb").glob("*.hpp")
        for name in re.findall(r"^class (\w+)", header.read_text(encoding="utf-8"), re.MULTILINE)
        if header.name in ("api.hpp", "metric.hpp", "operator.hpp", "source_object.hpp")
    } | {"Item", "Source", "Sink"}
    for name in names:
        if not NAME.fullmatch(name):
            what = "an operator's name has small letters, digits and single underscores, a letter first"
            raise Failed(f"--op {name}: {what}")
        if name in TAKEN or name in KEYWORDS or class_of(name) in classes:
            raise Failed(f"--op {name}: that name is taken", remedy="source and sink are always there")
        if names.count(name) > 1:
            raise Failed(f"--op {name} is given twice")


def class_of(name: str) -> str:
    """What an operator is called in programs: HoughT of `hough_t`."""
    return "".join(part.capitalize() for part in name.split("_"))


def put_operators(place: Path, names: Sequence[str]) -> None:
    """Gives an application these operators: the first does the template's work, the others hand items on."""
    for file in place.rglob("*"):
        if file.is_file():
            text = renamed(with_more(file.read_text(encoding="utf-8"), names[1:]), names[0])
            file.write_text(text, encoding="utf-8")


def renamed(text: str, name: str) -> str:
    """A text of the template with another operator; an item's own `longest` stays."""
    text = re.sub(rf"\b{class_of(OURS)}\b", class_of(name), text)
    text = re.sub(rf"\b{OURS}_op\b", f"{name}_op", text)
    text = re.sub(rf"▶ {OURS} ─", f"▶ {name} ─", text)
    text = re.sub(rf"^{OURS} (?=\w+\.hpp)", f"{name} ", text, flags=re.MULTILINE)
    return re.sub(rf"(?<![.\w]){OURS}(?=\(|\);)", name, text)


def with_more(text: str, names: Sequence[str]) -> str:
    """A text of the template with more operators behind its own."""
    for name in reversed(names):
        for pattern, added in additions(name):
            text = re.sub(pattern, added, text, flags=re.MULTILINE)
    return text


def additions(name: str) -> list[tuple[str, str]]:
    """What stands behind each mention of the template's operator for one more: patterns and replacements."""
    own, more = class_of(OURS), class_of(name)
    says = "/// Hands each interval on as it is: what it does is yours to write.\n"
    return [
        (rf"^(.*)spb::{own}::op\(item\);\n", rf"\g<0>\1spb::{more}::op(item);\n"),
        (rf"^interval {OURS}\(interval of\);\n", rf"\g<0>\n{says}interval {name}(interval of);\n"),
        (
            rf"^interval {OURS}\(interval of\) {{\n(?:.+\n)*}}\n",
            rf"\g<0>\ninterval {name}(interval of) {{\n  return of;\n}}\n",
        ),
        (rf"^{OURS}( \w+\.hpp .*\n)", rf"\g<0>{name}\1"),
        (rf"▶ {OURS} ─", rf"▶ {OURS} ───▶ {name} ─"),
        (
            rf"^/// .*\nclass {own}( : public Operator<){own}(, Item> {{\n(?:.+\n)*?}};\n)",
            rf"\g<0>\n{says}class {more}\1{more}\2",
        ),
        (
            rf"^void {own}(::op\(Item& item\) {{\n.*){OURS}_op(.*){OURS}\);\n}}\n",
            rf"\g<0>void {more}\1{name}_op\2{name});\n}}\n",
        ),
    ]
