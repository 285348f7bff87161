"""The page of a run of the past: one HTML file with all that it needs, which asks nobody for anything.

`live::options::save` writes the same (src/live/saved_page.cpp). What makes a page of the parts is a part
itself, unpack.js.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MARK = '<meta name="generator" content="thalweg view">'
"""Near the begin of each such page: the first line of saved.html."""

FIRST = '<meta charset="utf-8">\n'
"""What saved.html comes behind: it says that the browser asks for nothing, whatever the page says."""

START = '<script type="module" src="assets/main.js"></script>\n'
APART = ("index.html", "saved.html", "unpack.js")
"""Parts that have places, so that they are not among those that are unpacked."""


def saved_page(parts: Mapping[str, Path], state: Mapping[str, Any]) -> str:
    """The page with a graph and samples, as `/api/state` gives them."""
    page = text_of(parts, "index.html")
    assert FIRST in page, "the page begins in another way"
    assert START in page, "the page has another script"
    before, behind = (without_addresses(half) for half in page.split(START))
    before = before.replace(FIRST, FIRST + text_of(parts, "saved.html"))
    texts = {name: text_of(parts, name) for name in sorted(parts) if name not in APART}
    script = f"<script>\n{text_of(parts, 'unpack.js')}</script>\n"
    return before + data("parts", texts) + data("saved", state) + script + behind


def is_saved_page(file: Path) -> bool:
    """Whether a file is such a page. Raises OSError if it cannot be read."""
    with file.open("rb") as there:
        return MARK.encode() in there.read(1000)


def without_addresses(page: str) -> str:
    """What the page refers to is set by its script: the browser looks for nothing beside the page."""
    return page.replace(' href="assets/', ' data-href="assets/').replace(
        ' src="assets/', ' data-src="assets/'
    )


def data(name: str, what: Mapping[str, Any]) -> str:
    """An element with data. A script ends at the first `</script>`, wherever it stands."""
    text = json.dumps(what, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>\n'


def text_of(parts: Mapping[str, Path], name: str) -> str:
    """A part of the page as text."""
    return parts[name].read_text(encoding="utf-8")
