"""Puts the documentation site together: its pages in a folder, and MkDocs makes the site of it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from thalweg_cli.base.paths import ROOT
from thalweg_cli.base.terminal import Failed
from thalweg_cli.base.version import number
from thalweg_cli.docs.doxygen import Name, public_names, run_doxygen, walk
from thalweg_cli.docs.navigation import SITE, Group, Navigation, check_complete, read_navigation
from thalweg_cli.docs.pages import Pages, title_of
from thalweg_cli.docs.places import OVERVIEW, Places, page_of, reference_page
from thalweg_cli.docs.reference import Reference, anchor
from thalweg_cli.docs.sources import folder_page, source_page

NAME = "Thalweg"

ADDRESSES = "addresses.json"
"""Where the names of the reference are, for the hook that makes links of them."""

MARK = "versions.js"
"""Every site has this file: a folder that has it may be replaced."""

MARKDOWN = [
    "attr_list",
    "def_list",
    "md_in_html",
    "tables",
    {"toc": {"permalink": True, "toc_depth": 3}},
    {"pymdownx.highlight": {"use_pygments": True, "pygments_lang_class": True}},
    "pymdownx.inlinehilite",
    "pymdownx.superfences",
]

FEATURES = [
    "content.code.copy",
    "navigation.footer",
    "navigation.prune",
    "navigation.tabs",
    "navigation.top",
    "search.highlight",
    "search.suggest",
    "toc.follow",
]

PALETTE = [
    {
        "media": "(prefers-color-scheme)",
        "toggle": {"icon": "material/brightness-auto", "name": "Light or dark, as the system is; now: light"},
    },
    {
        "media": "(prefers-color-scheme: light)",
        "scheme": "default",
        "primary": "custom",
        "accent": "custom",
        "toggle": {"icon": "material/weather-sunny", "name": "Light; now: dark"},
    },
    {
        "media": "(prefers-color-scheme: dark)",
        "scheme": "slate",
        "primary": "custom",
        "accent": "custom",
        "toggle": {"icon": "material/weather-night", "name": "Dark; now: as the system is"},
    },
]


def repository_pages() -> list[Path]:
    """All pages that the site has."""
    return [
        *sorted((ROOT / "docs").rglob("*.md")),
        *(ROOT / name for name in ("README.md", "examples/README.md", "micro/README.md")),
        *sorted((ROOT / "apps").glob("*/README.md")),
    ]


def build_site(work: Path, output: Path) -> int:
    """Builds the site, from nothing. Returns the number of its pages; raises Failed with what is wrong."""
    if work.exists():
        shutil.rmtree(work)
    pages = work / "pages"
    navigation = read_navigation()
    names = public_names(run_doxygen(work / "doxygen"), navigation.headers())
    check_complete(navigation, repository_pages(), names)
    count = write_pages(pages, navigation, names)
    (work / ADDRESSES).write_text(json.dumps(addresses_of(names)), encoding="utf-8")
    config = work / "mkdocs.yml"
    config.write_text(json.dumps(settings(navigation, pages, output), indent=1), encoding="utf-8")
    run_mkdocs(config)
    return count


def write_pages(folder: Path, navigation: Navigation, names: dict[str, list[Name]]) -> int:
    """Writes all pages, and what they show."""
    places = Places(navigation.pages(), set(names))
    made = Pages(places)
    texts = {page_of(page.relative_to(ROOT).as_posix()): made.made_of(page) for page in navigation.pages()}
    reference = Reference(names, places, told_in(made, navigation))
    texts |= {reference_page(header): reference.page(header) for header in names}
    texts[OVERVIEW] = reference.overview(navigation.reference)
    while missing := [name for name, page in places.sources.items() if page not in texts]:
        for name in missing:
            file = ROOT / name
            texts[places.sources[name]] = folder_page(file, places) if file.is_dir() else source_page(file)
    for page, text in texts.items():
        place = folder / page
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    copy_assets(folder, places.pictures)
    return len(texts)


def told_in(made: Pages, navigation: Navigation) -> dict[str, list[tuple[str, str]]]:
    """For each page, the pages with a link to it, and their titles."""
    titles = {page_of(page.relative_to(ROOT).as_posix()): title_of(page) for page in navigation.pages()}
    found: dict[str, list[tuple[str, str]]] = {}
    for page, targets in made.guides.items():
        for target in targets:
            found.setdefault(target, []).append((page, titles[page]))
    return found


def copy_assets(folder: Path, pictures: dict[str, str]) -> None:
    """Copies pictures, and what gives the site its look."""
    for name, place in pictures.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / place)
    shutil.copytree(SITE / "assets", folder / "assets")
    versions = [{"name": number(), "path": "."}]
    (folder / MARK).write_text(
        f"// The versions that the menu offers: a name, and where, from this site's first page.\n"
        f"var thalwegVersions = {json.dumps(versions)};\n",
        encoding="utf-8",
    )


def addresses_of(names: dict[str, list[Name]]) -> dict[str, str]:
    """The address of each name on the site, by how programs write it, without the namespace."""
    found: dict[str, str] = {}
    for header, declared in names.items():
        page = reference_page(header).removesuffix(".md") + ".html"
        for one in walk(declared):
            for name in (one.name, *one.also):
                written = f"{one.scope}::{name}" if one.scope else name
                found.setdefault(written, f"{page}#{anchor(one)}")
    return found


def settings(navigation: Navigation, pages: Path, output: Path) -> dict[str, Any]:
    """What MkDocs is told."""
    return {
        "site_name": NAME,
        "site_description": "Structured stream processing in C++20",
        "copyright": f"{NAME} {number()}, MIT licence",
        "docs_dir": str(pages),
        "site_dir": str(output),
        "strict": True,
        "theme": {
            "name": "material",
            "font": False,
            "logo": "assets/logo.svg",
            "favicon": "assets/favicon.svg",
            "features": FEATURES,
            "palette": PALETTE,
        },
        "plugins": [{"search": {"separator": r"[\s\-,:!=\[\]()<>\"`/.|&;]+"}}, "offline"],
        "hooks": [str(Path(__file__).with_name("hook.py"))],
        "markdown_extensions": MARKDOWN,
        "extra_css": ["assets/site.css"],
        "extra_javascript": [MARK, "assets/site.js"],
        "extra": {"generator": False, "homepage": "index.html", "polyfills": ["assets/iframe-worker.js"]},
        "nav": menu(navigation),
        "not_in_nav": "/source/",
        "validation": {"links": {"anchors": "warn", "not_found": "warn", "unrecognized_links": "warn"}},
    }


def menu(navigation: Navigation) -> list[Any]:
    """The menu as MkDocs has it: tabs, groups, pages."""
    found: list[Any] = []
    for part in navigation.parts:
        entries: list[Any] = []
        for group in part.groups:
            own = group.title == part.title
            entries += guide_entries(group) if own else [{group.title: guide_entries(group)}]
        found.append({part.title: entries})
    reference: list[Any] = [{"All names": OVERVIEW}]
    reference += [
        {group.title: [header_entry(one) for one in group.entries]} for group in navigation.reference
    ]
    return [found[0], {"API reference": reference}, *found[1:]]


def guide_entries(group: Group) -> list[dict[str, str]]:
    """The pages of a group."""
    titles = (title_of(ROOT / entry).removeprefix(f"{group.title} ") for entry in group.entries)
    return [{title: page_of(entry)} for title, entry in zip(titles, group.entries, strict=True)]


def header_entry(header: str) -> dict[str, str]:
    """The page of a header."""
    return {Path(header).stem: reference_page(header)}


def run_mkdocs(config: Path) -> None:
    """Has MkDocs make the site. Raises Failed if it warns of anything."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", "mkdocs", "build", "--strict", "-f", str(config)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    said = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("INFO")]
    if done.returncode != 0 or any(line.strip() for line in said):
        raise Failed("the site cannot be built without warnings", output="\n".join(said))
