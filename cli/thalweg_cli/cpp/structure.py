"""What belongs together in C++ tokens: brackets, the bodies of functions, and declarations.

There is no grammar behind it. Where the language needs types to tell things apart, such as `f(a < b, c > d)`,
it goes by what is usual.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from thalweg_cli.base.terminal import Failed
from thalweg_cli.cpp.tokens import KEYWORDS, TYPES, Kind, Token

CLOSING = {"(": ")", "[": "]", "{": "}", "[[": "]"}
CLASS = frozenset(("class", "struct", "union"))
NAMED_BY_NEXT = CLASS | {"concept", "enum", "using"}
NOT_A_CALL = frozenset(("alignas", "decltype", "explicit", "noexcept", "requires"))
BEFORE_SUBSCRIPT = TYPES | {"auto", "delete", "operator", "this"}
BEFORE_TEMPLATE = frozenset(("template", "const_cast", "dynamic_cast", "reinterpret_cast", "static_cast"))
DECISIONS = frozenset(("and", "case", "catch", "for", "if", "or", "while", "?", "||"))
"""With the `&&` that is no reference, all that makes a path through a function two."""


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
        self._texts = [token.text if token.kind is not Kind.TEXT else '""' for token in self._tokens]
        self._partners = _partners(self._tokens, where)
        self._bodies: dict[int, tuple[str, int]] = {}
        self._parameters: list[tuple[int, int]] = []
        self._templates = dict(self._find_templates())
        self._declarations: list[Declaration] = []
        self._find_lambdas()
        self._walk(0, len(self._tokens), outside=True)

    def template_brackets(self) -> tuple[set[int], set[int]]:
        """Where the `<` and the `>` (or `>>`) of templates are among all tokens."""
        opening = {self._places[place] for place in self._templates}
        closing = {self._places[place] for place in self._templates.values()}
        return opening, closing

    def declarations(self) -> list[Declaration]:
        """The declarations, in their order."""
        return self._declarations

    def functions(self) -> list[Function]:
        """The functions and lambdas, in the order in which their bodies begin.

        The complexity of one is the number of its decisions plus one (T. J. McCabe, A Complexity Measure,
        1976). What a lambda decides counts for the lambda, not for what is around it.
        """
        counts = dict.fromkeys(self._bodies, 1)
        around: list[int] = []
        for place, text in enumerate(self._texts):
            if place in self._bodies:
                around.append(place)
            elif around and place == self._partners[around[-1]]:
                around.pop()
            elif around and (text in DECISIONS or (text == "&&" and not self._is_reference(place))):
                counts[around[-1]] += 1
        return [Function(self._where, *self._bodies[place], counts[place]) for place in sorted(counts)]

    def _text(self, place: int) -> str:
        return self._texts[place] if 0 <= place < len(self._texts) else ""

    def _is_identifier(self, place: int) -> bool:
        return 0 <= place < len(self._tokens) and self._tokens[place].is_identifier()

    def _after_group(self, place: int) -> int:
        """The place behind brackets that open here, or behind this token."""
        if place in self._templates:
            return self._templates[place] + 1
        return self._partners.get(place, place) + 1

    def _find_templates(self) -> Iterator[tuple[int, int]]:
        """The `<` that opens template arguments or parameters, with the `>` that closes them."""
        for place, text in enumerate(self._texts):
            before = self._text(place - 1)
            if text == "<" and (self._is_identifier(place - 1) or before in BEFORE_TEMPLATE or before == "]"):
                closing = self._closing_angle(place)
                if closing is not None:
                    yield place, closing

    def _closing_angle(self, opening: int) -> int | None:
        """Where the template that opens here is closed; None if this is a comparison."""
        depth, place = 1, opening + 1
        while place < len(self._tokens):
            text = self._texts[place]
            if text in {"(", "[", "[["}:
                place = self._partners[place] + 1
                continue
            if text == "<":
                depth += 1
            elif text in {">", ">>"}:
                depth -= len(text)
                if depth <= 0:
                    # Of `>>` the second half may close what is around this.
                    return place if depth == 0 or self._is_around(opening) else None
            elif text in {";", "{", "}", ")", "]", "||", "?"} or (
                text == "&&" and not self._is_reference(place)
            ):
                return None
            place += 1
        return None

    def _is_around(self, opening: int) -> bool:
        """Whether there is a `<` before this one that is still open."""
        depth, place = 0, opening - 1
        while place >= 0 and self._texts[place] not in {";", "{", "}", "(", ")"}:
            depth += {"<": 1, ">": -1, ">>": -2}.get(self._texts[place], 0)
            if depth > 0:
                return True
            place -= 1
        return False

    def _is_reference(self, place: int) -> bool:
        """Whether `&&` declares a reference."""
        if any(first < place < last for first, last in self._parameters):
            return True
        before, after = self._text(place - 1), self._text(place + 1)
        return (
            before in TYPES | {"auto", "const"}
            or after in {")", ",", ">", ">>", "...", "["}
            or (self._is_identifier(place + 1) and self._text(place + 2) == "=")
        )

    def _find_lambdas(self) -> None:
        for place, text in enumerate(self._texts):
            if text == "[" and not self._is_subscript(place):
                body = self._body_of_lambda(self._partners[place] + 1)
                if body is not None:
                    self._bodies[body] = ("lambda", self._tokens[place].line)

    def _is_subscript(self, place: int) -> bool:
        """Whether `[` begins no lambda: behind a value or a type, or behind `auto` (`auto& [a, b]`)."""
        before = self._text(place - 1)
        if before in {"&", "&&"} and self._text(place - 2) == "auto":
            return True
        return (
            self._is_identifier(place - 1)
            or before in BEFORE_SUBSCRIPT
            or before in {")", "]", '""'}
            or (place > 0 and self._tokens[place - 1].kind is Kind.NUMBER)
        )

    def _body_of_lambda(self, place: int) -> int | None:
        """Where the body of a lambda begins, of which the captures end before `place`; None if it is none."""
        if place in self._templates:
            place = self._templates[place] + 1
        if self._text(place) == "(":
            self._parameters.append((place, self._partners[place]))
            place = self._partners[place] + 1
        while self._text(place) not in {"", "{", "}", ";", ",", ")", "]", "=", ":"}:
            place = self._after_group(place)
        return place if self._text(place) == "{" else None

    def _walk(self, begin: int, end: int, *, outside: bool) -> None:
        """Finds functions and classes where declarations stand; `outside`: of all classes and functions."""
        head = place = begin
        while place < end:
            text = self._texts[place]
            if text == ";" or (text == ":" and self._text(place - 1) in {"public", "private", "protected"}):
                if outside:
                    self._declare(head, place)
                head = place = place + 1
            elif text == "{":
                head = self._enter(head, place, outside=outside)
                place = self._partners[place] + 1
            else:
                place = self._after_group(place)

    def _enter(self, head: int, brace: int, *, outside: bool) -> int:
        """Looks into the braces of a declaration; returns where what goes on behind them begins."""
        close = self._partners[brace]
        top = self._top_level(head, brace)
        texts = [self._texts[place] for place in top]
        call = self._first_call(top)
        if "namespace" in texts or (texts[:1] == ["extern"] and texts[1:2] == ['""']):
            self._walk(brace + 1, close, outside=outside)
            return close + 1
        if call is None and CLASS.intersection(texts) and "enum" not in texts and "=" not in texts:
            self._walk(brace + 1, close, outside=False)
            return head
        if call is None or brace in self._bodies or self._is_initializer(texts, top.index(call)):
            self._find_local_classes(brace + 1, close)
            return head
        self._bodies[brace] = (self._name_of_function(call), self._tokens[call].line)
        self._parameters.append((call, self._partners[call]))
        self._find_local_classes(brace + 1, close)
        if outside:
            self._declare(head, close)
        return close + 1

    def _top_level(self, begin: int, end: int) -> list[int]:
        """The places from `begin` to `end` that lie in no brackets; opening ones are among them."""
        result, place = [], begin
        while place < end:
            if place not in self._templates:
                result.append(place)
            place = self._after_group(place)
        return result

    def _first_call(self, top: Sequence[int]) -> int | None:
        """The parenthesis of a function's parameters."""
        for place in top:
            before = self._text(place - 1)
            if self._texts[place] == "(" and before not in NOT_A_CALL:
                return self._after_group(place) if before == "operator" else place
        return None

    @staticmethod
    def _is_initializer(texts: Sequence[str], call: int) -> bool:
        """Whether the braces behind these are those of a variable, or of a member that is initialised."""
        if "operator" not in texts and "=" in texts[:call]:
            return True
        behind = texts[call + 1 :]
        return ":" in behind and behind[-1].isidentifier() and behind[-1] not in KEYWORDS

    def _name_of_function(self, call: int) -> str:
        """The name before the parameters, such as `main`, `queue::~queue` or `operator<`."""
        first = call - 1
        for place in range(call - 1, max(call - 4, -1), -1):
            if self._texts[place] == "operator":
                first = place
        while self._text(first - 1) in {"::", "~"} and first > 1:
            first -= 1 if self._text(first - 1) == "~" else 2
        return "".join(self._texts[first:call])

    def _find_local_classes(self, begin: int, end: int) -> None:
        place = begin
        while place < end:
            if self._texts[place] in CLASS and self._text(place - 1) not in {"<", ",", "enum"}:
                brace = place
                while self._text(brace) not in {"", "{", "}", ";", "(", ")", "=", ">"}:
                    brace = self._after_group(brace)
                if self._text(brace) == "{":
                    self._walk(brace + 1, self._partners[brace], outside=False)
                    place = self._partners[brace]
            place += 1

    def _declare(self, begin: int, last: int) -> None:
        """Keeps a declaration, if it has a name."""
        name, is_named_by_next = "", False
        for place in self._top_level(begin, last):
            text = self._texts[place]
            if text in {"=", "{", "["} or (text == "(" and name):
                break
            is_named_by_next |= text in NAMED_BY_NEXT
            if self._is_identifier(place):
                name = text
                if is_named_by_next:
                    break
        if name:
            tokens = self._all[self._places[begin] : self._places[last] + 1]
            self._declarations.append(Declaration(self._where, name, tokens))


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


def _partners(tokens: Sequence[Token], where: str) -> dict[int, int]:
    """The closing bracket for each opening one."""
    result: dict[int, int] = {}
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token.kind is not Kind.PUNCTUATION:
            continue
        if token.text in CLOSING:
            opened += [place] * len(token.text)
        elif token.text in CLOSING.values():
            if not opened or CLOSING[tokens[opened[-1]].text] != token.text:
                raise Failed(f"{where}:{token.line}: nothing is open that this {token.text} could close")
            result[opened.pop()] = place
    if opened:
        token = tokens[opened[-1]]
        raise Failed(f"{where}:{token.line}: this {token.text} is not closed")
    return result
