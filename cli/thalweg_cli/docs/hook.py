"""What MkDocs calls while it builds the site: anchors as code hosts have them, and links to the reference."""

import json
import re
from functools import cache
from pathlib import Path
from posixpath import relpath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

IN_EXAMPLE = re.compile(
    r'<span class="n">(?:tw|thalweg)</span><span class="(?:o|p)">::</span>'
    r'<span class="(?:n|nf|nc|kt)">(\w+)</span>'
)
IN_LINE = re.compile(r"<code>((?:tw::)?)([\w:]+)(\([^<]*\))?</code>(?!</a>)")
IMAGE = re.compile(r'<p><img alt="([^"]*)" src="([^"]+)" ?/></p>')

addresses: dict[str, str] = {}


def anchor_of(heading: str, _separator: str) -> str:
    """The anchor of a heading, made from its words as code hosts do."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def on_config(config: Any) -> Any:  # noqa: ANN401
    """Reads the addresses of names, and says how anchors are made."""
    config.mdx_configs["toc"]["slugify"] = anchor_of
    file = Path(config.config_file_path).with_name("addresses.json")
    addresses.update(json.loads(file.read_text(encoding="utf-8")))
    return config


def on_page_content(html: str, page: Any, **_: Any) -> str:  # noqa: ANN401
    """Makes links of names, and lets pictures be opened by themselves: on a phone they are small."""
    if page.url.startswith("source/"):
        return html
    here = page.url
    html = IN_EXAMPLE.sub(lambda found: linked(found[0], found[1], here), html)
    is_reference = here.startswith("api/")

    def mention(found: re.Match[str]) -> str:
        # A short name may be that of a member, too.
        named = found[1] or (is_reference and re.search("::|_", found[2]))
        return linked(found[0], found[2].removeprefix("tw::"), here) if named else found[0]

    html = outside_links(html, lambda part: IN_LINE.sub(mention, part))
    return IMAGE.sub(
        lambda found: (
            f'<p><a class="picture" href="{found[2]}"><img alt="{found[1]}" src="{found[2]}"></a></p>'
        ),
        html,
    )


def outside_links(html: str, change: "Callable[[str], str]") -> str:
    """A page whose parts that are neither links nor headings are changed."""
    kept = re.compile(r"<a\b.*?</a>|<h\d\b.*?</h\d>", re.DOTALL)
    parts, end = [], 0
    for found in kept.finditer(html):
        parts += [change(html[end : found.start()]), found[0]]
        end = found.end()
    return "".join([*parts, change(html[end:])])


def linked(html: str, name: str, here: str) -> str:
    """A piece of a page as a link to a name, if the reference has it elsewhere."""
    address = addresses.get(name)
    if address is None or address.partition("#")[0] == here:
        return html
    return f'<a class="name" href="{way(here, address)}">{html}</a>'


@cache
def way(here: str, address: str) -> str:
    """The link from a page to an address."""
    page, _, anchor = address.partition("#")
    return f"{relpath(page, str(Path(here).parent))}#{anchor}"
