"""What it takes to write a program, by its source: lines of code, decisions, and Halstead's measures."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Self

from thalweg_cli.base.terminal import Failed
from thalweg_cli.cpp.structure import Declaration, Function, Structure, used_declarations
from thalweg_cli.cpp.tokens import KEYWORDS, TYPES, VALUES, Kind, Token, tokenize
from thalweg_cli.effort.parallel_interfaces import marks

STROUD_NUMBER = 18
"""Elementary mental discriminations a second, as Halstead has it (after J. M. Stroud, 1967)."""

CLOSING = frozenset((")", "]", "}"))
PAIRS = {"(": "( )", "[": "[ ]", "[[": "[[ ]]", "{": "{ }"}
TEMPLATE = "< >"

READS_OPTIONS = frozenset(("user_number.hpp", "grppi_back_end.hpp"))
"""Shared headers that do what `spb::init_bench` does for other options, and say nothing of an interface."""


@dataclass(frozen=True)
class Halstead:
    """M. H. Halstead's measures (Elements of Software Science, 1977), from the four counts."""

    distinct_operators: int
    distinct_operands: int
    operators: int
    operands: int

    @property
    def vocabulary(self) -> int:
        """Distinct operators and operands."""
        return self.distinct_operators + self.distinct_operands

    @property
    def length(self) -> int:
        """All operators and operands."""
        return self.operators + self.operands

    @property
    def volume(self) -> float:
        """Bits: the length times the binary logarithm of the vocabulary."""
        return self.length * math.log2(self.vocabulary) if self.vocabulary else 0.0

    @property
    def difficulty(self) -> float:
        """Half the distinct operators, times how often an operand is used on average."""
        return self.distinct_operators / 2 * self.operands / self.distinct_operands if self.operands else 0.0

    @property
    def effort(self) -> float:
        """Elementary mental discriminations: difficulty times volume."""
        return self.difficulty * self.volume

    @property
    def seconds(self) -> float:
        """The estimated development time."""
        return self.effort / STROUD_NUMBER


@dataclass(frozen=True)
class Part:
    """Tokens that count, the interface that each comes from, if any, and their structure.

    `is_shared`: other programs use it, too.
    """

    tokens: Sequence[Token]
    marks: Sequence[str]
    structure: Structure
    is_shared: bool = False

    def lines(self) -> int:
        """Lines on which there is something other than blanks and comments."""
        return len({line for token in self.tokens for line in range(token.line, token.last_line + 1)})

    def parallel_lines(self) -> int:
        """Those of them on which something comes from an interface."""
        marked = (token for token, interface in zip(self.tokens, self.marks, strict=True) if interface)
        return len({line for token in marked for line in range(token.line, token.last_line + 1)})

    def words(self) -> Iterator[tuple[str, str, bool]]:
        """What Halstead's measures count: a text, the interface it comes from, whether it is an operator."""
        opening, closing = self.structure.template_brackets()
        for place, (token, interface) in enumerate(zip(self.tokens, self.marks, strict=True)):
            if interface:
                yield PAIRS.get(token.text, token.text), interface, True
            elif place in opening:
                yield TEMPLATE, "", True
            elif not (place in closing or token.text in CLOSING or is_for_the_compiler(self.tokens, place)):
                yield PAIRS.get(token.text, token.text), "", is_operator(token)


@dataclass(frozen=True)
class Measures:
    """The measures of a program: of its file, of headers beside it, and of those it shares with others."""

    parts: tuple[Part, ...]

    def alone(self) -> Self:
        """The measures of what is the program's own."""
        return type(self)(tuple(part for part in self.parts if not part.is_shared))

    @cached_property
    def lines(self) -> int:
        """Lines of code."""
        return sum(part.lines() for part in self.parts)

    @cached_property
    def shared_lines(self) -> int:
        """Those of them that stand in shared headers."""
        return sum(part.lines() for part in self.parts if part.is_shared)

    @cached_property
    def functions(self) -> list[Function]:
        """Functions and lambdas, each with its complexity."""
        return [function for part in self.parts for function in part.structure.functions()]

    @property
    def number_of_functions(self) -> int:
        """How many functions and lambdas there are."""
        return len(self.functions)

    @property
    def complexity(self) -> int:
        """The sum over all functions."""
        return sum(function.complexity for function in self.functions)

    @cached_property
    def _words(self) -> Counter[tuple[str, str, bool]]:
        return Counter(word for part in self.parts for word in part.words())

    @cached_property
    def halstead(self) -> Halstead:
        """Halstead's measures. What comes from an interface is an operator."""
        operators = {word: count for word, count in self._words.items() if word[2]}
        operands = {word: count for word, count in self._words.items() if not word[2]}
        return Halstead(len(operators), len(operands), sum(operators.values()), sum(operands.values()))

    @cached_property
    def parallel(self) -> dict[str, dict[str, int]]:
        """For each interface that was found, how often each of its tokens stands there."""
        result: dict[str, dict[str, int]] = {}
        for (text, interface, _), count in sorted(self._words.items()):
            if interface:
                result.setdefault(interface, {})[text] = count
        return result

    @cached_property
    def parallel_lines(self) -> int:
        """Lines on which something comes from an interface."""
        return sum(part.parallel_lines() for part in self.parts)

    @property
    def parallel_tokens(self) -> int:
        """Tokens that come from interfaces."""
        return sum(sum(counts.values()) for counts in self.parallel.values())

    @property
    def distinct_parallel_tokens(self) -> int:
        """Different ones among them."""
        return sum(len(counts) for counts in self.parallel.values())


def is_operator(token: Token) -> bool:
    """Whether a token that is no interface's is an operator: what is neither a name, a type nor a value.

    This follows Testwell CMT++, whose rules are published, but for `this`, `true`, `false` and `nullptr`,
    which are values here.
    """
    if token.kind is Kind.NAME:
        return token.text in KEYWORDS and token.text not in TYPES and token.text not in VALUES
    return token.kind in {Kind.PUNCTUATION, Kind.DIRECTIVE}


def is_for_the_compiler(tokens: Sequence[Token], place: int) -> bool:
    """Whether a token only says where declarations come from: an #include, or `#pragma once`."""
    token = tokens[place]
    if token.directive == "include":
        return True
    if token.directive != "pragma":
        return False
    first = place if token.kind is Kind.DIRECTIVE else place - 1
    return [one.text for one in tokens[first : first + 2]] == ["#pragma", "once"]


def measure(file: Path, shared: Path) -> Measures:
    """Measures a source together with what it uses of headers: those below `shared`, and those beside it.

    Raises Failed if a file cannot be read, or is no C++.
    """
    tokens = read(file)
    headers = headers_of(file, tokens, shared)
    declared = [one for header in headers for one in declarations_in(header)]
    used = used_declarations({token.text for token in tokens if token.is_identifier()}, declared)
    # In the compiler's order, and marked as one source: names may be given in one part and used in another.
    together = [*((one.where, one.tokens) for one in used), (str(file), tokens)]
    of_all = iter(marks([token for _, part in together for token in part]))
    *of_headers, own = [
        Part(part, list(islice(of_all, len(part))), Structure(part, where), Path(where).parent == shared)
        for where, part in together
    ]
    return Measures((own, *of_headers))


def read(file: Path) -> list[Token]:
    """The tokens of a file."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise Failed(f"{file} cannot be read: {error.strerror}") from error
    return tokenize(text, str(file))


def declarations_in(header: Path) -> list[Declaration]:
    """What a header declares."""
    return Structure(read(header), str(header)).declarations()


def headers_of(file: Path, tokens: Sequence[Token], shared: Path) -> list[Path]:
    """The headers below `shared`, or beside a source, that it includes, and that these include, each once.

    Those below `shared` are included as `"<folder>/<header>"`, from two folders above them:
    `"bench/support/in_order.hpp"`. Those beside a source are its own; users' programs have some.
    """
    found: dict[Path, None] = {}

    def look(at: Path, its: Sequence[Token], above: frozenset[Path]) -> None:
        for token in its:
            if token.kind is not Kind.HEADER or not token.text.startswith('"'):
                continue
            name = token.text.strip('"')
            for header in (at.parent / name, shared.parent.parent / name):
                its_own = header.parent in (file.parent, shared) and header.name not in READS_OPTIONS
                if its_own and header not in found and header not in above and header.is_file():
                    look(header, read(header), above | {header})
                    found[header] = None
                    break

    look(file, tokens, frozenset((file,)))
    return list(found)
