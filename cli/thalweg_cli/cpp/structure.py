"""What belongs together in C++ tokens: brackets of templates, the bodies of functions, and declarations."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from thalweg_cli.base.terminal import Failed
from thalweg_cli.cpp.syntax import Syntax, text_of, walk
from thalweg_cli.cpp.tokens import Kind, Token

if TYPE_CHECKING:
    from tree_sitter import Node

CLOSING = {"(": ")", "[": "]", "{": "}", "[[": "]"}
TEMPLATES = frozenset(("template_argument_list", "template_parameter_list"))
FUNCTIONS = frozenset(("function_definition", "lambda_expression"))
BODIES = frozenset(("compound_statement", "try_statement"))
WITH_DECLARATIONS = frozenset(("namespace_definition", "linkage_specification", "declaration_list"))
CLASSES = frozenset(("class_specifier", "struct_specifier", "union_specifier", "using_declaration"))
NAMES = frozenset(("identifier", "field_identifier", "type_identifier", "namespace_identifier"))
DECISIONS = frozenset(("and", "case", "catch", "for", "if", "or", "while", "?", "||"))
"""With the `&&` between two values, all that makes a path through a function two."""
BETWEEN_VALUES = frozenset(("binary_expression", "fold_expression"))


@dataclass(frozen=True)
class Function:
    """A function or lambda that has a body: the source it stands in, and its cyclomatic complexity."""

    where: str
    name: str
    line: int
    complexity: int


@dataclass(frozen=True)
class Declaration:
    """A declaration outside classes and functions: the source it stands in, its name, and its tokens."""

    where: str
    name: str
    tokens: Sequence[Token]


class Structure:
    """The structure of a source. Of what is compiled conditionally it sees the first branch.

    Raises Failed if brackets do not match; `where` is what the error calls the source.
    """

    def __init__(self, tokens: Sequence[Token], where: str) -> None:
        self._all, self._where = tokens, where
        self._places = list(_places_of_code(tokens))
        self._tokens = [tokens[place] for place in self._places]
        _check_brackets(self._tokens, where)

    @cached_property
    def _syntax(self) -> Syntax:
        return Syntax(self._tokens)

    def template_brackets(self) -> tuple[set[int], set[int]]:
        """Where the `<` and the `>` (or `>>`) of templates are among all tokens."""
        found: dict[str, set[int]] = {"<": set(), ">": set()}
        for node in walk(self._syntax.root):
            if node.type in found and node.parent and node.parent.type in TEMPLATES:
                found[node.type].add(self._places[self._syntax.place_of(node)])
        return found["<"], found[">"]

    def declarations(self) -> list[Declaration]:
        """The declarations, in their order."""
        return list(self._declarations_in(self._syntax.root))

    def _declarations_in(self, node: "Node") -> Iterator[Declaration]:
        for one in node.children:
            if one.type in WITH_DECLARATIONS:
                yield from self._declarations_in(one)
            elif name := name_of_declaration(one):
                first, last = self._syntax.place_of(one), self._syntax.last_place_of(one)
                if last + 1 < len(self._tokens) and self._tokens[last + 1].text == ";":
                    last += 1
                tokens = self._all[self._places[first] : self._places[last] + 1]
                yield Declaration(self._where, name, tokens)

    def functions(self) -> list[Function]:
        """The functions and lambdas, in the order in which their bodies begin.

        The complexity of one is the number of its decisions plus one (T. J. McCabe, A Complexity Measure,
        1976). What a lambda decides counts for the lambda, not for what is around it.
        """
        found = [(node, body) for node in walk(self._syntax.root) if (body := body_of(node))]
        found.sort(key=lambda one: one[1].start_byte)
        return [
            Function(self._where, name_of_function(node), self._line_of(node), 1 + decisions_in(body))
            for node, body in found
        ]

    def _line_of(self, node: "Node") -> int:
        """Where the parameters of a function begin, or a lambda."""
        declarator = declarator_of(node)
        parameters = declarator and declarator.child_by_field_name("parameters")
        return self._tokens[self._syntax.place_of(parameters or node)].line


def body_of(node: "Node") -> "Node | None":
    """The body of a function or a lambda, if it is one that has a body."""
    if node.type not in FUNCTIONS:
        return None
    return next((one for one in node.children if one.type in BODIES), None)


def decisions_in(body: "Node") -> int:
    """The decisions in a body, but for those in bodies inside of it."""
    count, ahead = 0, [body]
    while ahead:
        node = ahead.pop()
        is_and = node.type == "&&" and node.parent is not None and node.parent.type in BETWEEN_VALUES
        count += is_and or node.type in DECISIONS
        inner = body_of(node)
        ahead += [one for one in node.children if one != inner]
    return count


def declarator_of(node: "Node") -> "Node | None":
    """The part of a definition that has its name and its parameters."""
    found = within(node)
    while found and found.type != "function_declarator":
        found = within(found)
    return found


def within(node: "Node") -> "Node | None":
    """The declarator in a declaration, or in a declarator of a pointer or a reference."""
    others = (one for one in node.named_children if one.type.endswith("declarator"))
    return node.child_by_field_name("declarator") or next(others, None)


def name_of_function(node: "Node") -> str:
    """The name, such as `main`, `queue::~queue` or `operator<`."""
    if node.type == "lambda_expression":
        return "lambda"
    declarator = declarator_of(node)
    name = declarator and declarator.child_by_field_name("declarator")
    if name:
        return text_of(name)
    conversion = node.child_by_field_name("declarator")
    return text_of(conversion).partition("(")[0] if conversion else ""


def name_of_declaration(node: "Node") -> str:
    """The name that a declaration gives, without what it is in; empty if it gives none."""
    if node.type == "template_declaration":
        return next(filter(None, map(name_of_declaration, reversed(node.named_children))), "")
    name = node if node.type == "using_declaration" else node.child_by_field_name("name")
    at: Node | None = node
    while at and not name:
        at = within(at)
        name = at if at and at.type in NAMES | {"qualified_identifier", "operator_name"} else None
    names = [one for one in walk(name) if one.type in NAMES] if name else []
    # A class may be a specialisation of `a::b<c>`: what names `a` needs it.
    return text_of(names[0 if node.type in CLASSES else -1]) if names else ""


def used_declarations(names: Iterable[str], declared: Iterable[Declaration]) -> list[Declaration]:
    """The declarations that these names need, and those that they need in turn, in their order."""
    declared, known = list(declared), set(names)
    chosen: set[int] = set()
    while True:
        new = {i for i, one in enumerate(declared) if one.name in known} - chosen
        if not new:
            return [declared[i] for i in sorted(chosen)]
        chosen |= new
        known |= {token.text for i in new for token in declared[i].tokens if token.is_identifier()}


def _places_of_code(tokens: Sequence[Token]) -> Iterator[int]:
    """Where the tokens are that stand on no preprocessor line, and in no second branch."""
    later: list[bool] = []
    for place, token in enumerate(tokens):
        if token.kind is Kind.DIRECTIVE:
            if token.directive in {"if", "ifdef", "ifndef"}:
                later.append(False)
            elif later and token.directive in {"else", "elif", "elifdef", "elifndef"}:
                later[-1] = True
            elif later and token.directive == "endif":
                later.pop()
        elif not token.directive and not any(later):
            yield place


def _check_brackets(tokens: Sequence[Token], where: str) -> None:
    """Raises Failed if one is open at the end, or if none is open that another could close."""
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token.kind is not Kind.PUNCTUATION:
            continue
        if token.text in CLOSING:
            opened += [place] * len(token.text)
        elif token.text in CLOSING.values():
            if not opened or CLOSING[tokens[opened[-1]].text] != token.text:
                raise Failed(f"{where}:{token.line}: nothing is open that this {token.text} could close")
            opened.pop()
    if opened:
        token = tokens[opened[-1]]
        raise Failed(f"{where}:{token.line}: this {token.text} is not closed")
