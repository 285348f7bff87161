"""Applications of the user's own that CMake cannot read: they are left out, so that all else can be built.

CMake reads their CMakeLists.txt with the rest of the project, and does not go on behind a mistake. Which of
them has it is found in what CMake says. cmake/user_apps.cmake leaves out those in a list, each with
the reason and a hash of its CMake files: when these change, CMake reads it again.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from thalweg_cli.base.files import write_text
from thalweg_cli.base.names import cmake_text

LIST = "user_apps_left_out.cmake"
"""In the folder of a build."""

HEADING = "# Written by ./thalweg: applications of the user's own whose CMakeLists.txt has a mistake.\n"

ENTRY = re.compile(r"^set\(thalweg_left_out_(\w+) \[(=+)\[(.*)\]\2\]\) # (\w+)$", re.MULTILINE)

LONGEST = 300
"""Characters of CMake's words that are shown where there is one line."""


@dataclass(frozen=True)
class LeftOut:
    """Why an application is left out (file, line, CMake's words), and what its CMake files were then."""

    why: str
    files: str


def left_out(build: Path) -> dict[str, LeftOut]:
    """The applications that a build leaves out, by name."""
    try:
        text = (build / LIST).read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    return {name: LeftOut(json.loads(f'"{why}"'), files) for name, _, why, files in ENTRY.findall(text)}


def leave_out(build: Path, those: Mapping[str, LeftOut]) -> None:
    """Writes the list for CMake, if it is not the one that is there."""
    lines = [
        f"set(thalweg_left_out_{name} {cmake_text(json.dumps(one.why)[1:-1])}) # {one.files}\n"
        for name, one in sorted(those.items())
    ]
    if lines or left_out(build):
        write_text(build / LIST, "".join([HEADING, *lines]))


def look_at_mended(build: Path, apps: Path, *, all_of_them: bool = False) -> None:
    """Lets CMake read those again whose CMake files have changed since; or all."""
    there = left_out(build)
    same = {name: one for name, one in there.items() if one.files == hash_of(apps / name)}
    if all_of_them:
        same = {}
    if same != there:
        leave_out(build, same)


def mistakes_in(said: str, apps: Path) -> dict[str, LeftOut]:
    """The applications in a folder that CMake stopped at, by what it said."""
    found: dict[str, LeftOut] = {}
    for block in blocks_of(said):
        place = re.search(rf"{re.escape(str(apps))}/(\w+)/[^:\n]*?:\d+", block)
        target = re.search(r'"?\b(?:app|spb|inputs_of|test_app)_(\w+)\b', block)
        if place:
            name, where = place[1], place[0]
        elif target and (apps / target[1]).is_dir():  # What CMake finds at the end has no place.
            name, where = target[1], str(apps / target[1] / "CMakeLists.txt")
        else:
            continue
        found.setdefault(name, LeftOut(f"{where}: {words_of(block)}", hash_of(apps / name)))
    return found


def blocks_of(said: str) -> Iterator[str]:
    """What belongs to each error."""
    for part in re.split(
        r"^(?=CMake (?:\w+ )*Error|CMake Warning|-- |FAILED: |ninja: )", said, flags=re.MULTILINE
    ):
        if part.startswith("CMake") and not part.startswith("CMake Warning"):
            yield part


def words_of(block: str) -> str:
    """What is wrong, in a line: the first words, without places and without the calls that led there."""
    text = re.split("Call Stack|Possible reasons", block)[0]
    text = re.sub(r"\ACMake (?:.*code at\n.*:\d+:|.*:\d+(?: \(.*\))?:|[^:\n]*Error:)\s", "", text, count=1)
    words = ""
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        words = " ".join([*words.split(), *paragraph.split()])
        if words.endswith((".", "!", "?")):
            break
    return words if len(words) <= LONGEST else f"{words[:LONGEST]} ..."


def hash_of(application: Path) -> str:
    """The first digits of a hash of the CMake files of an application, and of where it is."""
    total = hashlib.sha256(str(application).encode(errors="surrogateescape"))
    for file in sorted([*application.rglob("CMakeLists.txt"), *application.rglob("*.cmake")]):
        total.update(file.read_bytes())
    return total.hexdigest()[:12]
