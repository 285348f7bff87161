"""Checks that the links between the project's own pages lead somewhere.

usage: links.py page.md...
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)


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


def main() -> None:
    """Ends with a list of the links that lead nowhere, if there are any."""
    if dead := [link for page in sys.argv[1:] for link in dead_links(Path(page))]:
        sys.exit("\n".join(dead))


main()
