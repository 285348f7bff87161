"""The syntax of C++ tokens, as Tree-sitter reads it."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from thalweg_cli.cpp.tokens import Token

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

IN_ITS_PLACE = {"->*": "+", ".*": "+"}
"""Tree-sitter's grammar does not have these; it has others of the same kind."""


class Syntax:
    """The tree of some tokens, and to which of them its leaves belong."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._places: dict[int, int] = {}
        source, begun = bytearray(), ["", ""]
        moved = b""
        for place, token in enumerate(tokens):
            if begun == ["for", "("] and token.text == ";":
                # The grammar takes a declaration as the first part of a loop, not as its condition.
                moved = b" ;"
            else:
                if begun[1] != "]" or token.text != "]":  # They may end an attribute.
                    source += b" "
                self._places[len(source)] = place
                source += IN_ITS_PLACE.get(token.text, token.text).encode()
                if token.text == ";":
                    source, moved = source + moved, b""
            begun = [begun[1], token.text]
        self.root: Node = parser().parse(bytes(source)).root_node

    def place_of(self, node: "Node") -> int:
        """The token with which a node begins."""
        at = node.start_byte
        while at not in self._places:  # It begins within one: the second half of `>>`.
            at -= 1
        return self._places[at]

    def last_place_of(self, node: "Node") -> int:
        """The token with which a node ends."""
        while node.children:
            node = node.children[-1]
        return self.place_of(node)


@lru_cache(maxsize=1)
def parser() -> "Parser":
    """The parser, which is made once."""
    import tree_sitter  # noqa: PLC0415  (most commands do without)
    import tree_sitter_cpp  # noqa: PLC0415

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))


def walk(node: "Node") -> Iterator["Node"]:
    """A node and all that is in it, in the order of the source."""
    ahead = [node]
    while ahead:
        one = ahead.pop()
        yield one
        ahead += reversed(one.children)


def text_of(node: "Node") -> str:
    """What a node covers, without blanks between its tokens."""
    return "".join((one.text or b"").decode() for one in walk(node) if not one.children)
