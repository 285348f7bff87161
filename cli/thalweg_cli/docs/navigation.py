"""What the site's menu shows: pages by subject, as site/navigation.toml says."""

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from thalweg_cli.base.paths import PROGRAM, ROOT
from thalweg_cli.base.terminal import Failed

SITE = PROGRAM / "site"
FILE = SITE / "navigation.toml"


@dataclass(frozen=True)
class Group:
    """Pages of one subject: files of the repository, or headers as they are included."""

    title: str
    entries: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """A tab of the menu."""

    title: str
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class Navigation:
    """All that the menu shows. The reference is made of headers."""

    parts: tuple[Part, ...]
    reference: tuple[Group, ...]

    def pages(self) -> list[Path]:
        """All pages of the repository that the site has."""
        return [ROOT / entry for part in self.parts for group in part.groups for entry in group.entries]

    def headers(self) -> list[str]:
        """All headers that the reference has."""
        return [header for group in self.reference for header in group.entries]


def read_navigation() -> Navigation:
    """Reads the file."""
    with FILE.open("rb") as file:
        read = tomllib.load(file)
    parts = tuple(Part(one["title"], groups_of(one["group"], ROOT)) for one in read["part"])
    return Navigation(parts, groups_of(read["reference"], ROOT / "include"))


def groups_of(read: list[dict[str, object]], root: Path) -> tuple[Group, ...]:
    """Groups, whose entries may be patterns of file names."""
    found = []
    for one in read:
        patterns = one["entries"]
        assert isinstance(patterns, list)
        files = [file for pattern in patterns for file in matching(root, pattern)]
        found.append(Group(str(one["title"]), tuple(file.relative_to(root).as_posix() for file in files)))
    return tuple(found)


def matching(root: Path, pattern: str) -> list[Path]:
    """The files that a pattern means. Raises Failed if there is none."""
    files = sorted(root.glob(pattern))
    if not files:
        raise Failed(f"{FILE} names {pattern}, which is not there")
    return files


def check_complete(navigation: Navigation, pages: Collection[Path], headers: Collection[str]) -> None:
    """Raises Failed if the menu lacks a page or a header, or has one twice."""
    shown = navigation.pages()
    listed = navigation.headers()
    wrong = [f"{page.relative_to(ROOT)} is in no group" for page in sorted(set(pages) - set(shown))]
    wrong += [f"{header} is in no group" for header in sorted(set(headers) - set(listed))]
    wrong += [f"{header} has nothing that is public" for header in sorted(set(listed) - set(headers))]
    wrong += [f"{one} is in several groups" for one in (*shown, *listed) if (*shown, *listed).count(one) > 1]
    if wrong:
        raise Failed(f"{FILE} is not complete", output="\n".join(wrong))
