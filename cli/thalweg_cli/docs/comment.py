"""Comments as Doxygen keeps them, in XML, as the Markdown that they were."""

import re
import xml.etree.ElementTree as ET

SPECIAL = re.compile(r"([\\`*_\[\]<>&|])")
"""Signs that Markdown reads; as entities they are just signs, in tables too."""

DASHES = {"ndash": "–", "mdash": "—", "nonbreakablespace": "\u00a0", "sp": " ", "linebreak": "\n"}

SAMPLE = {".cpp": "cpp", ".c++": "cpp", ".sh": "sh", ".cmake": "cmake"}


class UnknownElement(Exception):
    """Doxygen has made something of a comment that is not known here."""


def markdown_of(description: ET.Element) -> str:
    """A description, as Markdown."""
    return "\n\n".join(filter(None, map(block, description))).strip()


def block(element: ET.Element) -> str:
    """A paragraph, a list, an example, or what else stands for itself."""
    if made := WHOLE.get(element.tag):
        return made(element)
    match element.tag:
        case "programlisting":
            return f"```{SAMPLE.get(element.get('filename', ''), '')}\n{listing(element)}\n```"
        case "verbatim" | "preformatted":
            return f"```text\n{''.join(element.itertext()).strip()}\n```"
        case "itemizedlist" | "orderedlist":
            sign = "-" if element.tag == "itemizedlist" else "1."
            return "\n".join(f"{sign} {indented(markdown_of(item))}" for item in element)
        case "parameterlist" if element.get("kind") == "exception":
            return "\n\n".join(map(thrown, element))
    raise UnknownElement(f"a comment has <{element.tag}>")


def table(element: ET.Element) -> str:
    """A table; its first row has the headings."""
    rows = [[markdown_of(entry).replace("\n", " ") for entry in row] for row in element.iter("row")]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])


def thrown(item: ET.Element) -> str:
    """An exception that is thrown, and when."""
    names = ", ".join(code("".join(name.itertext()).strip()) for name in item.iter("parametername"))
    description = item.find("parameterdescription")
    when = markdown_of(description) if description is not None else ""
    return f"Throws {names} {when}".rstrip().rstrip(".") + "."


BLOCKS = {
    "itemizedlist",
    "orderedlist",
    "parameterlist",
    "parblock",
    "preformatted",
    "programlisting",
    "simplesect",
    "table",
    "verbatim",
}


def paragraph(element: ET.Element) -> str:
    """A paragraph, which Doxygen lets hold examples and lists."""
    parts: list[str] = []
    line = plain(element.text)
    for inner in element:
        if inner.tag in BLOCKS:
            parts += [line.strip(), block(inner)]
            line = ""
        else:
            line += inline(inner)
        line += plain(inner.tail)
    return "\n\n".join(filter(None, (*parts, line.strip())))


def inline(element: ET.Element) -> str:
    """A part of a line."""
    inside = "".join(element.itertext())
    match element.tag:
        case "computeroutput":
            return code(inside)
        case "ref":
            return plain(inside)
        case "ulink":
            return f"[{plain(inside)}]({element.get('url', '')})"
        case "emphasis":
            return f"*{plain(inside)}*"
        case "bold":
            return f"**{plain(inside)}**"
        case tag if tag in DASHES:
            return DASHES[tag]
    raise UnknownElement(f"a comment has <{element.tag}>")


def code(inside: str) -> str:
    """A piece of code in a line."""
    fence = "``" if "`" in inside else "`"
    pad = " " if "`" in inside else ""
    return f"{fence}{pad}{inside}{pad}{fence}"


def plain(words: str | None) -> str:
    """Words in a line, whose signs mean nothing to Markdown."""
    return SPECIAL.sub(lambda sign: f"&#{ord(sign[1])};", words or "")


def listing(element: ET.Element) -> str:
    """The lines of an example."""
    return "\n".join(line_of(line) for line in element.iter("codeline"))


def line_of(line: ET.Element) -> str:
    """A line of an example, in which spaces are elements."""
    written = ""
    for part in line.iter():
        written += " " if part.tag == "sp" else ""
        written += part.text or ""
        written += part.tail or "" if part is not line else ""
    return written.rstrip()


def indented(markdown: str) -> str:
    """What follows the first line of a list's item stands further in."""
    return markdown.replace("\n", "\n    ")


WHOLE = {"para": paragraph, "simplesect": markdown_of, "parblock": markdown_of, "table": table}
"""What makes the text of elements that are one piece."""
