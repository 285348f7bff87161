"""The tokens of C++ sources, as they stand: nothing is included, and no macro is expanded."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from thalweg_cli.base.terminal import Failed


class Kind(Enum):
    """What a token is."""

    NAME = auto()
    """An identifier or a keyword."""
    NUMBER = auto()
    TEXT = auto()
    """A string, a character, or what an #error says."""
    PUNCTUATION = auto()
    """`[[`, which begins an attribute, is one; the two that end it are two."""
    DIRECTIVE = auto()
    """The first of a preprocessor line, such as `#pragma`, however it is spaced."""
    HEADER = auto()
    """What an #include names, with its quotes or brackets."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its text, the lines on which it begins and ends, and the directive on whose line it stands."""

    kind: Kind
    text: str
    line: int
    last_line: int
    directive: str = ""

    def is_identifier(self) -> bool:
        """Whether it is a name that the program chose."""
        return self.kind is Kind.NAME and self.text not in KEYWORDS


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


TYPES = words("bool char char8_t char16_t char32_t double float int long short signed unsigned void wchar_t")
VALUES = frozenset(("false", "nullptr", "this", "true"))
ALTERNATIVE_OPERATORS = words("and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq")
KEYWORDS = (
    TYPES
    | VALUES
    | ALTERNATIVE_OPERATORS
    | words(
        "alignas alignof asm auto break case catch class co_await co_return co_yield concept const "
        "const_cast consteval constexpr constinit continue decltype default delete do dynamic_cast else "
        "enum explicit export extern final for friend goto if inline mutable namespace new noexcept "
        "operator override private protected public register reinterpret_cast requires return sizeof static "
        "static_assert static_cast struct switch template thread_local throw try typedef typeid typename "
        "union using virtual volatile while"
    )
)
"""Those of C++20, and the words that are keywords only in their place: `final` and `override`."""

ENCODING = r"(?:u8|[uUL])?"
SUFFIX = r"(?:[A-Za-z_]\w*)?"
TOKEN = re.compile(
    "|".join(
        (
            r"(?P<newline>\n)",
            r"(?P<space>(?:[^\S\n]|\\\r?\n)+)",
            r"(?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?\*/)",
            rf'(?P<raw>{ENCODING}R"(?P<delimiter>[^\s()\\"]{{0,16}})\(.*?\)(?P=delimiter)"{SUFFIX})',
            rf'(?P<string>{ENCODING}"(?:\\.|[^"\\\n])*"{SUFFIX})',
            rf"(?P<character>{ENCODING}'(?:\\.|[^'\\\n])+'{SUFFIX})",
            r"(?P<number>\.?\d(?:[eEpP][+-]|'?\w|\.)*)",
            rf'(?P<name>(?!{ENCODING}R"[^\s()\\"]{{0,16}}\()[^\W\d]\w*)',
            r"(?P<punctuation><=>|<<=|>>=|->\*|\.\.\.|::|->|\.\*|\+\+|--|<<|>>|\[\[|##|&&|\|\|"
            r"|[-+*/%^&|<>=!]=|[-+*/%^&|<>=!~?:;,.(){}\[\]#@$`])",
        )
    ),
    re.DOTALL,
)
DIRECTIVE = re.compile(r"#[^\S\n]*(\w*)")
HEADER = re.compile(r'[^\S\n]*(<[^>\n]*>|"[^"\n]*")')
REST_OF_LINE = re.compile(r"(?:\\\r?\n|[^\n])*")
SPEAKING = ("error", "warning")
"""Directives behind which stands plain English."""


def tokenize(text: str, where: str) -> list[Token]:
    """The tokens of a source, without comments. `where` is what an error calls the source.

    Raises Failed, with the line, where something is no token: a comment or a literal without an end.
    """
    return list(_tokens(text, where))


def _tokens(text: str, where: str) -> Iterator[Token]:
    at, line, directive, line_is_empty = 0, 1, "", True

    def token(kind: Kind, found: str) -> Token:
        return Token(kind, found, line, line + found.count("\n"), directive)

    while at < len(text):
        if text[at] == "#" and line_is_empty and (found := DIRECTIVE.match(text, at)):
            directive, at, line_is_empty = found[1], found.end(), False
            yield token(Kind.DIRECTIVE, f"#{directive}")
            if directive in SPEAKING and (rest := REST_OF_LINE.match(text, at)):
                yield token(Kind.TEXT, rest[0].strip())
                line, at = line + rest[0].count("\n"), rest.end()
            elif directive == "include" and (header := HEADER.match(text, at)):
                yield token(Kind.HEADER, header[1])
                at = header.end()
            continue
        found = TOKEN.match(text, at)
        if found is None or (found[0] == "/" and text.startswith("/*", at)):
            raise Failed(f"{where}:{line}: {_what_is_wrong(text, at)}")
        match found.lastgroup:
            case "newline":
                directive, line_is_empty = "", True
            case "space" | "comment":
                pass
            case "raw" | "string" | "character":
                yield token(Kind.TEXT, found[0])
                line_is_empty = False
            case kind:
                yield token(Kind[str(kind).upper()], found[0])
                line_is_empty = False
        line, at = line + found[0].count("\n"), found.end()


def _what_is_wrong(text: str, at: int) -> str:
    if text.startswith("/*", at):
        return "a comment that does not end"
    if text[at] in "\"'":
        return "a string or a character that does not end on its line"
    if text[at] in "uULR":
        return "a raw string that does not end"
    return f"{text[at]!r} is not part of C++"
