"""The pages of the reference: one for each public header, and one that lists all names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from thalweg_cli.base.paths import ROOT
from thalweg_cli.docs.doxygen import Name, included_by, summary_of
from thalweg_cli.docs.navigation import Group
from thalweg_cli.docs.pages import title_of
from thalweg_cli.docs.places import OVERVIEW, Places, reference_page, way

FOUND_FIRST = "---\nsearch:\n  boost: 3\n---\n"
"""What stands above pages that a search for a name shall find before those that use it."""

MAIN_HEADER = "thalweg/thalweg.hpp"
STAGES_HEADER = "thalweg/stages.hpp"


class Reference:
    """Makes the pages. `names` are what is public, by header; `told` are the guides with links to a page."""

    def __init__(
        self,
        names: Mapping[str, Sequence[Name]],
        places: Places,
        told: Mapping[str, Sequence[tuple[str, str]]],
    ) -> None:
        self._names = names
        self._places = places
        self._told = told
        self._main = included_by(MAIN_HEADER)
        self._stages = included_by(STAGES_HEADER)

    def page(self, header: str) -> str:
        """The page of a header."""
        here = reference_page(header)
        parts = [
            f"{FOUND_FIRST}# {Path(header).stem}",
            links_in(capital(summary_without_names(header)), here),
        ]
        parts.append(self._how_to_include(header))
        for name in self._names[header]:
            parts += self._entry(name, 2, here)
        parts.append(self._where_else(header, here))
        return "\n\n".join(filter(None, parts)) + "\n"

    def overview(self, groups: Iterable[Group]) -> str:
        """The page that lists all names by subject, each with the first sentence of its comment."""
        lines = [
            "# API reference",
            "",
            "All names that programs use, by subject. They are in the namespace `thalweg`, which programs "
            "call `tw`. Each header has a page: what it declares, and how, with examples that the tests run.",
            "",
        ]
        for group in groups:
            lines += [f"## {group.title}", "", "| name | what it is |", "|---|---|"]
            for header in group.entries:
                for name in self._names[header]:
                    to = f"{way(OVERVIEW, reference_page(header))}#{anchor(name)}"
                    lines.append(f"| [`{name.name}`]({to}) | {first_sentence(name.comment, OVERVIEW)} |")
            lines.append("")
        return "\n".join(lines)

    def _how_to_include(self, header: str) -> str:
        also = {
            header in self._main: f"It comes with `<{MAIN_HEADER}>`.",
            header in self._stages - self._main: f"It comes with `<{STAGES_HEADER}>`.",
        }.get(True, f"It is not part of `<{MAIN_HEADER}>`.")
        return f"```cpp\n#include <{header}>\n```\n\n{also}"

    def _entry(self, name: Name, level: int, here: str) -> list[str]:
        heading = f"{'#' * level} `{name.name}` {{ #{anchor(name)} }}"
        parts = [heading, "```cpp\n" + "\n".join(dict.fromkeys(name.declared)) + "\n```"]
        parts.append(links_in(name.comment, here))
        for member in name.members:
            if member.kind == "variable":
                parts.append(field_of(member, here))
            else:
                parts += self._entry(member, level + 1, here)
        return parts

    def _where_else(self, header: str, here: str) -> str:
        source = f"Source: [{header}]({way(here, self._places.source(ROOT / 'include' / header))})"
        told = [f"[{title}]({way(here, page)})" for page, title in self._told.get(here, ())]
        lines = [f"Described in: {', '.join(told)}", ""] if told else []
        return "\n".join(["---", "", *lines, source])


OPERATORS = {"|": "operator-or", "()": "call", "->": "operator-arrow", "*": "operator-star"}
"""Operators whose signs an anchor cannot have."""


def anchor(name: Name) -> str:
    """What a name is called in the address of its page: letters, digits, points and lines."""
    written = name.anchor
    for operator, spoken in OPERATORS.items():
        written = written.replace(f"operator{operator}", spoken)
    words = re.sub(r"[^\w.]+", "-", written)
    return words.strip("-") + (f"-{name.number}" if name.number > 1 else "")


def field_of(member: Name, here: str) -> str:
    """A variable of a structure: its declaration, and what it means."""
    comment = links_in(member.comment, here).replace("\n", "\n    ")
    declared = f"``#!cpp {member.declared[0]}``{{ #{anchor(member)} .field }}"
    return f"{declared}\n:   {comment}" if comment else declared


def links_in(comment: str, here: str) -> str:
    """A comment whose mentions of pages are links."""

    def link(found: re.Match[str]) -> str:
        page = ROOT / found[0]
        return f"[{title_of(page)}]({way(here, found[1])})" if page.exists() else found[0]

    labelled = re.sub(r"(?m)^(Order|Threads|Errors|Cost):", r"**\1:**", comment)
    return re.sub(r"\bdocs/([a-z-]+\.md)", link, labelled)


def summary_without_names(header: str) -> str:
    """What a header says of itself, without the names that it begins with."""
    return re.sub(r"^(`[^`]+`(, | and )?)+: ", "", summary_of(header))


def capital(words: str) -> str:
    """Words as a sentence begins."""
    return words[:1].upper() + words[1:]


def first_sentence(comment: str, here: str) -> str:
    """What a comment says first."""
    line = links_in(comment.partition("\n")[0], here)
    found = re.match(r".+?[.:](?=\s|$)", line)
    return (found[0] if found else line).rstrip(":")
