"""Checks that what users read is in plain English: without words over which readers stumble.

That is in pages, and in the comments of public headers. Code, in fences or in backticks, is left out.

usage: words.py root
"""

import re
from collections.abc import Iterator
from pathlib import Path

from source import run

PAGES = ["*.md", "docs/**/*.md", "apps/*/README.md", "examples/**/*.md"]
HEADERS = "include/**/*.hpp"
DOCUMENTATION = re.compile(r"///<? ?(.*)$")

PLACE = r"(?:in(?! front)|at|on|there|under|below|beside|behind|between|side by side)"

PLAIN = {
    r"dear(?:er|est|ly)?": "expensive",
    r"whoever": "the thread (rank, reader, ...) that",
    r"(?-i:Who)\b[^.?!|]*\.": "the thread (rank, reader, ...) that",
    r"one's own": "your own, custom",
    rf"(?:stands?|stood) {PLACE}": "is",
    rf"(?:lies?|lay) {PLACE}": "is",
    r"belongs? into": "belongs to",
    r"ha(?:s|ve) to come to": "must call, must reach",
    r"for ever": "forever",
    r"(?:no|every)body": "no (every) thread, rank, user, ...",
    r"so many": "this many, a number",
    r"(?:that|those) of (?:that|those|what|whom?)": "the noun itself",
    r"tells (?:of|how|where|why|when)": "says, describes",
    r"(?:is|are|was|were) told of": "is reported",
    r"becomes? of": "the result of, happens to",
    r"for want of": "without",
    r"(?:held|holds?) (?:it |them )?against": "compare with",
}
"""Patterns of words, and what to say in their place."""

WORDS = {re.compile(rf"\b{words}(?!\w)", re.IGNORECASE): plain for words, plain in PLAIN.items()}
CODE = re.compile(r"^ *```.*?^ *```|(?<!`)`[^`]+`(?!`)", re.DOTALL | re.MULTILINE)


def without_code(page: str) -> str:
    """A page with its code blanked out, line for line."""
    return CODE.sub(lambda code: re.sub(r"[^\n]", "`", code[0]), page)


def odd_words(page: str) -> Iterator[tuple[int, str, str]]:
    """The odd words of a page: the line of each, the words, and what to say. A line may end within them."""
    for paragraph in re.finditer(r"(?:.+\n?)+", without_code(page)):
        text = re.sub(r"\n +", "\n", paragraph[0])
        first = page.count("\n", 0, paragraph.start()) + 1
        for words, plain in WORDS.items():
            for match in words.finditer(text.replace("\n", " ")):
                yield first + text.count("\n", 0, match.start()), match[0], plain


def documentation(header: str) -> str:
    """What a header's comments say to users, line for line."""
    found = (DOCUMENTATION.search(line) for line in header.splitlines())
    return "\n".join(comment[1] if comment else "" for comment in found)


def texts(root: Path) -> Iterator[tuple[Path, str]]:
    """All files that users read, and what they read in them."""
    for page in sorted({page for pattern in PAGES for page in root.glob(pattern)}):
        yield page, page.read_text(encoding="utf-8")
    for header in sorted(root.glob(HEADERS)):
        yield header, documentation(header.read_text(encoding="utf-8"))


def violations(root: Path) -> list[str]:
    """The odd words of all of them."""
    return [
        f"{file.relative_to(root)}:{line}: '{words}': say '{plain}'"
        for file, text in texts(root)
        for line, words, plain in sorted(odd_words(text))
    ]


if __name__ == "__main__":
    run(violations)
