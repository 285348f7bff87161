"""Checks that the links between the project's own pages lead somewhere, and that indexes are complete.

usage: links.py page.md...
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)

INDEXES = {"docs/README.md": "*.md", "examples/README.md": "*.cpp"}
"""Pages that list what lies beside them."""


def heading_names(page: Path) -> set[str]:
    """The anchors of a page's headings, made from their words as code hosts do."""
    lines = re.findall(r"^#+ +(.+)$", CODE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


def dead_links(page: Path) -> list[str]:
    """The links of a page, to files or headings, that lead nowhere."""
    dead = []
    for link in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, heading = link.partition("#")
        target = page.parent / place if place else page
        if not target.exists() or (
            heading and target.suffix == ".md" and heading not in heading_names(target)
        ):
            dead.append(f"{page}: {link}")
    return dead


def unlisted(page: Path) -> list[str]:
    """What lies beside an index and has no link there."""
    links = LINK.findall(page.read_text(encoding="utf-8"))
    beside = [
        file.name
        for index, files in INDEXES.items()
        if page.as_posix().endswith(index)
        for file in page.parent.glob(files)
        if file != page
    ]
    return [f"{page}: {name} is not listed" for name in sorted(beside) if name not in links]


def main() -> None:
    """Ends with a list of what is wrong with the pages, if there is anything."""
    pages = [Path(page) for page in sys.argv[1:]]
    if wrong := [line for page in pages for line in [*dead_links(page), *unlisted(page)]]:
        sys.exit("\n".join(wrong))


main()
