"""Where each file of the repository is on the documentation site."""

from pathlib import Path, PurePosixPath

from thalweg_cli.base.paths import ROOT

FIXED = {
    "docs/index.md": "index.md",
    "docs/README.md": "all-pages.md",
    "README.md": "repository.md",
}
"""Pages that are not where the rule has them."""

OVERVIEW = "api/index.md"
"""The page that lists what all headers have."""

PICTURES = {".svg", ".png", ".jpg"}

OPEN_FOLDERS = ("examples", "include")
"""Folders of which every file can be read on the site; of others, those that a page has a link to."""


class Places:
    """The pages of the site, by the files that they are made of; grows as links lead to more of these.

    `headers` are those that have a page in the reference.
    """

    def __init__(self, pages: list[Path], headers: set[str]) -> None:
        self.pages = {self._name(page): page_of(self._name(page)) for page in pages}
        self._headers = headers
        self.sources: dict[str, str] = {}
        self.pictures: dict[str, str] = {}

    def of(self, file: Path) -> str:
        """The page that a file or folder is on, or the place of a picture, relative to the site."""
        name = self._name(file)
        if name in self.pages:
            return self.pages[name]
        header = name.removeprefix("include/")
        if header in self._headers:
            return reference_page(header)
        if header != name and file.is_dir():
            return OVERVIEW
        if file.suffix in PICTURES:
            return self.pictures.setdefault(name, name.removeprefix("docs/"))
        return self.source(file)

    def source(self, file: Path) -> str:
        """The page that shows a file as it is, or what is in a folder."""
        name = self._name(file)
        return self.sources.setdefault(
            name, f"source/{name}/index.md" if file.is_dir() else f"source/{name}.md"
        )

    def shows(self, file: Path) -> bool:
        """Whether a file that lies in a folder can be read on the site."""
        name = self._name(file)
        return name in self.sources or name in self.pages or name.startswith(OPEN_FOLDERS)

    @staticmethod
    def _name(file: Path) -> str:
        return file.relative_to(ROOT).as_posix()


def page_of(name: str) -> str:
    """The page that a Markdown file of the repository becomes."""
    if name in FIXED:
        return FIXED[name]
    path = PurePosixPath(name.removeprefix("docs/"))
    if path.name == "README.md":  # That of a folder.
        path = path.parent.with_suffix(".md")
    return path.as_posix().replace("apps/", "applications/")


def reference_page(header: str) -> str:
    """The page of the reference that a header has."""
    return f"api/{header.removeprefix('thalweg/').removesuffix('.hpp')}.md"


def way(start: str, end: str) -> str:
    """The link from one page to another."""
    ups = PurePosixPath(start).parent
    steps = 0
    while not PurePosixPath(end).is_relative_to(ups):
        ups, steps = ups.parent, steps + 1
    return "../" * steps + PurePosixPath(end).relative_to(ups).as_posix()
