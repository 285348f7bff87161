"""What the rules have in common: source files, their code without comments, what they include."""

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

PUBLIC = "include/thalweg"
COMPILED = "src"

NO_CODE = re.compile(
    r"""
      (?<=[0-9a-fA-F])'(?=[0-9a-fA-F])              # 50'000 is one word
    | //[^\n]* | /\*.*?\*/                          # comments
    | R"(\w*)\(.*?\)\1" | "(?:\\.|[^"\\\n])*"      # strings
    | '(?:\\.|[^'\\\n])+'                          # characters
    """,
    re.DOTALL | re.VERBOSE,
)
INCLUDE = re.compile(r'^ *# *include +(?:<(.*?)>|"(.*?)")')


@dataclass(frozen=True)
class Include:
    """A line of a file that includes another one of this project. Paths are relative to the root."""

    file: Path
    line: int
    target: Path


def sources(root: Path, folder: str) -> list[Path]:
    """The C++ files below a folder, relative to the root, in the order of their names."""
    return sorted(
        path.relative_to(root) for path in (root / folder).rglob("*") if path.suffix in {".hpp", ".cpp"}
    )


def code(text: str) -> str:
    """The text with its comments and the contents of its strings blanked out, line for line."""

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        if found == "'":
            return ""
        return re.sub(r"[^\n]", " ", found) if found.startswith("/") else '""' + "\n" * found.count("\n")

    return NO_CODE.sub(blank, text)


def includes(root: Path, file: Path) -> Iterator[Include]:
    """What a file includes of this project: by the name of a public header, or from where it lies itself."""
    for number, line in enumerate((root / file).read_text(encoding="utf-8").splitlines(), start=1):
        if not (match := INCLUDE.match(line)):
            continue
        named, beside = match.groups()
        places = [Path("include") / named] if named else [file.parent / beside, Path(COMPILED) / beside]
        for place in places:
            if (root / place).is_file():
                yield Include(file, number, (root / place).resolve().relative_to(root.resolve()))
                break


def run(rule: Callable[[Path], list[str]]) -> None:
    """Ends with a list of what breaks a rule in the tree that the command line names, if anything does."""
    if wrong := rule(Path(sys.argv[1])):
        sys.exit("\n".join(wrong))
