"""The pages of the repository as pages of the site: the same text, with links that lead there."""

import re
from collections.abc import Callable
from pathlib import Path

from thalweg_cli.base.paths import ROOT
from thalweg_cli.base.terminal import Failed
from thalweg_cli.docs.places import Places, way

FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
LINK_OR_CODE = re.compile(
    r"(?P<code>(?<!\[)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))|(?P<link>!?\[[^\]]*\]\([^)\s]+\))",
    re.DOTALL,
)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")


TITLES = {"README.md": "The repository", "docs/README.md": "All pages"}
"""Titles of pages whose headings are those of the first page, too."""


def title_of(page: Path) -> str:
    """The first heading of a page, as plain words."""
    if title := TITLES.get(page.relative_to(ROOT).as_posix()):
        return title
    found = re.search(r"^# +(.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise Failed(f"{page} has no heading")
    return found[1].replace("`", "")


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """A text whose parts that are no examples are changed."""
    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [change(text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, change(text[end:])])


class Pages:
    """Makes the pages of the site of those of the repository, and remembers which lead to which header."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self.guides: dict[str, list[str]] = {}
        """The pages with a link to a file, by the file's page."""

    def made_of(self, page: Path) -> str:
        """The text of the site's page. An example that is also a test is an example as others are."""
        here = self._places.of(page)
        text = re.sub(r"^```cpp (run|spar)$", "```cpp", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        return outside_code(text, lambda part: self._with_links(part, page, here))

    def _with_links(self, text: str, page: Path, here: str) -> str:
        def change(found: re.Match[str]) -> str:
            return found[0] if found["code"] else self._link(found["link"], page, here)

        return LINK_OR_CODE.sub(change, text)

    def _link(self, written: str, page: Path, here: str) -> str:
        found = LINK.fullmatch(written)
        if found is None or re.match(r"[a-z]+:", found[3]):
            return written
        picture, words, place, anchor = found[1], found[2], found[3], found[4] or ""
        if not place:
            return written
        target = (page.parent / place).resolve()
        if not target.exists():
            raise Failed(f"{page}: there is no {place}")
        there = self._places.of(target)
        if there not in self.guides.setdefault(here, []):
            self.guides[here].append(there)
        if words.endswith(".md") and target.suffix == ".md":  # The name of a file, which the site has not.
            words = title_of(target)
        return f"{picture}[{words}]({way(here, there)}{anchor})"
