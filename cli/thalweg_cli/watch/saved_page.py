"""The page of a run of the past: one HTML file with all that it needs, which asks nobody for anything."""

import base64
import json
import mimetypes
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MARK = '<meta name="generator" content="thalweg view">'
"""Near the begin of each page that is written here."""

POLICY = "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:"
MODULES = "thalweg"
"""What the names of the page's modules begin with."""

IMPORTED = re.compile(r"""(\b(?:from|import)\s*)(["'])(\.{1,2}/[^"']+)\2""")


def saved_page(parts: Mapping[str, Path], state: Mapping[str, Any]) -> str:
    """The page with a graph and samples, as `/api/state` gives them."""
    page = text_of(parts, "index.html")
    script = '<script type="module" src="assets/main.js"></script>'
    assert script in page, "the page has another script"
    page = page.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{MARK}\n{policy()}')
    page = page.replace(script, data(state) + modules(parts) + licences(parts))
    page = re.sub(
        r'<link rel="stylesheet" href="assets/([^"]+)">',
        lambda found: f"<style>\n{text_of(parts, found[1])}\n</style>",
        page,
    )
    return re.sub(
        r'\b(href|src)="assets/([^"]+)"', lambda found: f'{found[1]}="{inside(parts[found[2]])}"', page
    )


def policy() -> str:
    """The browser asks for nothing, whatever the page says."""
    return f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'


def data(state: Mapping[str, Any]) -> str:
    """The element with what is shown. A script ends at the first `</script>`, wherever it stands."""
    text = json.dumps(state, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="saved">{text}</script>\n'


def modules(parts: Mapping[str, Path]) -> str:
    """The modules, as addresses that hold them, and what starts the first one."""
    found = {
        f"{MODULES}/{name}": address(module(name, text_of(parts, name)).encode(), "text/javascript")
        for name in parts
        if name.endswith(".js")
    }
    imports = json.dumps({"imports": found}, separators=(",", ":"))
    start = f'<script type="module">import "{MODULES}/main.js";</script>'
    return f'<script type="importmap">{imports}</script>\n{start}\n'


def module(name: str, text: str) -> str:
    """A module that names others as the map does: there is no place that they could be beside."""

    def full(found: re.Match[str]) -> str:
        other = posixpath.normpath(posixpath.join(MODULES, posixpath.dirname(name), found[3]))
        return f"{found[1]}{found[2]}{other}{found[2]}"

    return re.sub(r"^//# sourceMappingURL=.*$", "", IMPORTED.sub(full, text), flags=re.MULTILINE)


def licences(parts: Mapping[str, Path]) -> str:
    """Those of the packages that do not carry theirs."""
    texts = [text_of(parts, name) for name in parts if name.endswith(".LEGAL.txt")]
    return "".join(f'<script type="text/plain">\n{text.replace("</", "< /")}\n</script>\n' for text in texts)


def text_of(parts: Mapping[str, Path], name: str) -> str:
    """A part of the page as text."""
    return parts[name].read_text(encoding="utf-8")


def inside(file: Path) -> str:
    """An address that holds a file."""
    return address(file.read_bytes(), mimetypes.guess_type(file.name)[0] or "application/octet-stream")


def address(content: bytes, kind: str) -> str:
    """An address that holds its content."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
