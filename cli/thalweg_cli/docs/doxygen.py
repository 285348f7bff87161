"""What Doxygen reads of the public headers: names, their comments as Markdown, and how they are declared."""

import re
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from thalweg_cli.base.paths import ROOT
from thalweg_cli.base.terminal import Failed
from thalweg_cli.docs.comment import markdown_of
from thalweg_cli.docs.declaration import declaration, follows_note

HEADERS = ROOT / "include" / "thalweg"

NAMESPACE = "thalweg"
"""What users name. The namespaces in it are of the library's own making."""

OPEN = (f"{NAMESPACE}::adaptation", f"{NAMESPACE}::live", f"{NAMESPACE}::observe")
"""Namespaces of which some headers are for users, too."""

SETTINGS = {
    "INPUT": "include/thalweg",
    "RECURSIVE": "YES",
    "GENERATE_HTML": "NO",
    "GENERATE_LATEX": "NO",
    "GENERATE_XML": "YES",
    "XML_PROGRAMLISTING": "NO",
    "EXTRACT_ALL": "YES",
    "INHERIT_DOCS": "NO",
    "MACRO_EXPANSION": "YES",
    "EXPAND_ONLY_PREDEF": "YES",
    "SEARCH_INCLUDES": "NO",
    "PREDEFINED": f"THALWEG_NAMESPACE={NAMESPACE} THALWEG_INLINE=",
    "QUIET": "YES",
}
"""Doxygen's own words. The namespace is a macro, in which an inline one carries the version."""


@dataclass
class Name:
    """Something that a program may name: what it is, where, its comment, and how it is declared.

    `declared` has more than one text where overloads share a comment, and where constants are shown with
    their type: these are `also` told of. `scope` is the class or namespace that it is a member of, or empty.
    `number` counts those with the same name that have comments of their own.
    """

    kind: str
    name: str
    id: str
    header: str
    line: int
    comment: str
    declared: list[str]
    scope: str = ""
    members: list["Name"] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    number: int = 1

    @property
    def anchor(self) -> str:
        """What it is called on the page of its header."""
        return f"{self.scope}.{self.name}".replace("::", ".") if self.scope else self.name


def run_doxygen(work: Path) -> Path:
    """Has Doxygen read the headers. Returns the folder of its XML; raises Failed if it complains."""
    work.mkdir(parents=True, exist_ok=True)
    settings = SETTINGS | {"OUTPUT_DIRECTORY": str(work)}
    text = "".join(f"{name} = {value}\n" for name, value in settings.items())
    try:
        done = subprocess.run(
            ["doxygen", "-"], input=text, cwd=ROOT, capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        raise Failed("there is no doxygen", remedy="apt-get install doxygen") from error
    if done.returncode != 0 or done.stderr.strip():
        raise Failed("doxygen complains about comments in include/", output=done.stderr)
    return work / "xml"


def public_names(xml: Path, wanted: Collection[str] = ()) -> dict[str, list[Name]]:
    """What is public, by its header (as it is included), in the order in which it stands there.

    Public is what has a comment for Doxygen and lies in no namespace within the library's own, but for those
    of `OPEN` in the headers `wanted`.
    """
    compounds = Compounds(xml)
    by_header: dict[str, list[Name]] = {}
    for namespace in (NAMESPACE, *OPEN):
        scope = namespace.removeprefix(NAMESPACE).removeprefix("::")
        space = ET.parse(xml / f"namespace{namespace.replace('::', '_1_1')}.xml").getroot()
        found = [class_of(one, compounds) for one in compounds.directly_in(namespace)]
        found += members_of(space, scope="")
        for one in found:
            one.scope = scope
        for one in shown_together(found):
            if namespace == NAMESPACE or one.header in wanted:
                by_header.setdefault(one.header, []).append(one)
    return by_header


def shown_together(found: Iterable[Name]) -> list[Name]:
    """Names with comments, in order. A constant without one, right below a type, is shown with it."""
    shown: list[Name] = []
    for one in sorted(found, key=lambda name: (name.header, name.line)):
        if one.comment:
            shown.append(one)
        elif one.kind == "variable" and shown and shown[-1].header == one.header:
            between = source_lines(one.header)[shown[-1].line : one.line]
            if shown[-1].kind in {"enum", "struct"} and all(line.strip() for line in between):
                shown[-1].declared += one.declared
                shown[-1].also.append(one.name)
    return shown


class Compounds:
    """The classes, structures and concepts that Doxygen has found, by their names."""

    def __init__(self, xml: Path) -> None:
        files = (file for kind in ("class", "struct", "concept") for file in xml.glob(f"{kind}thalweg*.xml"))
        read = (ET.parse(file).getroot().find("compounddef") for file in files)
        self._by_name = {text(one, "compoundname"): one for one in read if one is not None}

    def directly_in(self, scope: str) -> list[ET.Element]:
        """Those in a namespace or class that lie in nothing else within it."""
        direct = re.compile(rf"{re.escape(scope)}::\w+(<.*>)?")
        return [one for name, one in self._by_name.items() if direct.fullmatch(name.replace(" ", ""))]

    def bases_of(self, compound: ET.Element) -> list[ET.Element]:
        """The bases of a class that are written for such classes: templates that are not public."""
        names = [
            (base.text or "").partition("<")[0].strip()
            for base in compound.iter("basecompoundref")
            if is_public(base) and "<" in (base.text or "")
        ]
        full = (name if name.startswith(f"{NAMESPACE}::") else f"{NAMESPACE}::{name}" for name in names)
        inner = (self._by_name.get(name) for name in full if name.count("::") > 1)
        return [one for one in inner if one is not None]


def class_of(compound: ET.Element, compounds: Compounds) -> Name:
    """A class, structure or concept with its public members."""
    one = name_of(compound, scope="")
    full = text(compound, "compoundname")
    head, bracket, arguments = full.removeprefix(f"{NAMESPACE}::").partition("<")
    one.scope, _, short = head.rpartition("::")
    one.name = short.rstrip() + re.sub(r"< | (?=>)", lambda sign: sign[0].strip(), bracket + arguments)
    scope = f"{one.scope}::{one.name}" if one.scope else one.name
    inner = [class_of(within, compounds) for within in compounds.directly_in(full) if is_public(within)]
    one.members = [*(within for within in inner if within.comment), *members_of(compound, scope)]
    waiting = compounds.bases_of(compound)
    while waiting:
        base = waiting.pop(0)
        known = {member.name for member in one.members}
        one.members += [
            member
            for member in members_of(base, scope)
            if member.comment and member.name not in known and "virtual" not in member.declared[0]
        ]
        waiting += compounds.bases_of(base)
    return one


def is_public(compound: ET.Element) -> bool:
    """Whether a class may be named by those who may name what it lies in."""
    return compound.get("prot") == "public"


def members_of(compound: ET.Element, scope: str) -> list[Name]:
    """The members of a class or namespace that are shown, overloads without a comment put to the others."""
    elements = [
        member
        for section in compound.iter("sectiondef")
        for member in section.iter("memberdef")
        if is_public(member) and member.get("kind") != "friend"
    ]
    names = sorted((name_of(one, scope) for one in elements), key=lambda name: (name.header, name.line))
    shown: list[Name] = []
    for one in names:
        if one.declared[0].endswith("override"):
            continue  # It is told where it is declared first.
        same = [other for other in shown if (other.name, other.header) == (one.name, one.header)]
        if one.comment or (not same and (not scope or worth_showing(one, scope))):
            one.number += len(same)
            shown.append(one)
        elif same and (not scope or worth_showing(one, scope)):
            same[-1].declared += one.declared
    return shown


def worth_showing(one: Name, scope: str) -> bool:
    """Whether a member without a comment is for users.

    Not what the compiler makes, what a note keeps apart, or what only the library can call.
    """
    declared = one.declared[0]
    if follows_note(source_lines(one.header), one.line) or re.search(r"\b(model|\w*detail)::", declared):
        return False
    if one.kind == "variable":
        return "constexpr" not in declared
    bare = re.escape(scope.split("<", maxsplit=1)[0].rsplit("::", maxsplit=1)[-1])
    made_by_itself = rf"\b{bare}\((const {bare}.*|{bare}(<.*>)? ?&&.*)?\)|~{bare}\b|operator(=| \w)"
    return one.kind == "function" and not re.search(made_by_itself, declared)


def name_of(element: ET.Element, scope: str) -> Name:
    """A name, without members."""
    place = element.find("location")
    assert place is not None
    header = Path(place.get("file", "")).relative_to("include").as_posix()
    line = int(place.get("line", "0"))
    kind = element.get("kind", "")
    return Name(
        kind=kind,
        name=text(element, "name"),
        id=element.get("id", ""),
        header=header,
        line=line,
        comment=comment_of(element),
        declared=[declaration(source_lines(header), line, kind)],
        scope=scope,
    )


def comment_of(element: ET.Element) -> str:
    """The comment of a name, as Markdown."""
    parts = (element.find(part) for part in ("briefdescription", "detaileddescription"))
    return "\n\n".join(filter(None, (markdown_of(part) for part in parts if part is not None)))


def text(element: ET.Element, tag: str) -> str:
    """The text of a part of an element."""
    part = element.find(tag)
    return "".join(part.itertext()).strip() if part is not None else ""


@cache
def source_lines(header: str) -> tuple[str, ...]:
    """The lines of a header."""
    return tuple((ROOT / "include" / header).read_text(encoding="utf-8").splitlines())


def summary_of(header: str) -> str:
    """What the first comment of a header says of it."""
    said = []
    for line in source_lines(header):
        if not line.startswith("///"):
            break
        said.append(line.removeprefix("///").strip())
    return " ".join(said)


def included_by(header: str) -> set[str]:
    """The headers that come with one, itself among them."""
    found: set[str] = set()
    waiting = [header]
    while waiting:
        one = waiting.pop()
        if one in found or not (ROOT / "include" / one).is_file():
            continue
        found.add(one)
        waiting += re.findall(r"^#include <(thalweg/[^>]+)>", "\n".join(source_lines(one)), re.MULTILINE)
    return found


def walk(names: Iterable[Name]) -> Iterator[Name]:
    """Names and their members."""
    for one in names:
        yield one
        yield from walk(one.members)
