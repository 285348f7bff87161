"""Pages that show files of the repository as they are, and what is in its folders."""

from pathlib import Path

from thalweg_cli.base.paths import ROOT
from thalweg_cli.docs.places import Places, way

LANGUAGES = {
    ".cpp": "cpp",
    ".hpp": "cpp",
    ".py": "python",
    ".json": "json",
    ".cmake": "cmake",
    ".pml": "c",
    "": "text",
}
"""What the names of files say about how they are coloured; CMakeLists.txt is no text."""

NOT_FOUND = "---\nsearch:\n  exclude: true\nhide:\n  - toc\n---\n"
"""What stands above pages that a search shall not find: names are found in the reference, and in guides."""


def source_page(file: Path) -> str:
    """The page of a file."""
    name = file.relative_to(ROOT).as_posix()
    language = "cmake" if file.name == "CMakeLists.txt" else LANGUAGES.get(file.suffix, "text")
    text = file.read_text(encoding="utf-8").rstrip()
    ticks = "````" if "```" in text else "```"
    return f"{NOT_FOUND}# {file.name}\n\n`{name}`\n\n{ticks}{language}\n{text}\n{ticks}\n"


def folder_page(folder: Path, places: Places) -> str:
    """The page of a folder: its files, and what is in the folders within."""
    name = folder.relative_to(ROOT).as_posix()
    here = places.source(folder)
    readme = folder / "README.md"
    lines = [f"{NOT_FOUND}# {name}/", "", "The files in this folder of the repository.", ""]
    if readme.exists() and readme in (ROOT / page for page in places.pages):
        lines += [f"Described in [{readme.parent.name}]({way(here, places.of(readme))}).", ""]
    for file in sorted(folder.rglob("*")):
        if file.is_dir() or "__pycache__" in file.parts:
            continue
        within = file.relative_to(folder).as_posix()
        shown = places.shows(file)
        lines.append(f"- [{within}]({way(here, places.of(file))})" if shown else f"- {within}")
    return "\n".join(lines) + "\n"
