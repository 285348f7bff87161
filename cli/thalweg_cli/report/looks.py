"""How interfaces and compositions look in reports: the same color, mark and line in every plot."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
"""Lines of compositions, as Plotly calls them."""

COMPOSITIONS = (
    "farm",
    "pipe-farm",
    "farm-pipe",
    "pipeline",
    "all-to-all",
    "two-farm",
    "keyed",
    "elastic",
    "several-sources",
    "growing-batch",
)
"""The usual compositions, and so their order."""


@dataclass(frozen=True)
class Look:
    """A color, and a mark as Plotly and as matplotlib call it: those who see colors alike have the mark."""

    color: str
    symbol: str
    marker: str


LOOKS = {
    "sequential": Look("#6b6b6b", "hexagon", "h"),
    "thalweg": Look("#0072b2", "circle", "o"),
    "tbb": Look("#d55e00", "square", "s"),
    "openmp": Look("#009e73", "diamond", "D"),
    "threads": Look("#56b4e9", "triangle-up", "^"),
    "fastflow": Look("#e69f00", "triangle-down", "v"),
    "grppi": Look("#cc79a7", "cross", "P"),
    "taskflow": Look("#904824", "x", "X"),
    "windflow": Look("#9048fc", "star", "*"),
    "spar": Look("#1b7837", "triangle-left", "<"),
}
"""Okabe and Ito's colors, which are chosen for all kinds of eyes, and others that differ most from them."""

OTHERS = (
    Look("#b5485d", "pentagon", "p"),
    Look("#4d4d4d", "octagon", "8"),
    Look("#a6761d", "triangle-right", ">"),
)
"""What other interfaces get, in the order of their names."""


def looks_of(interfaces: Iterable[str]) -> dict[str, Look]:
    """The looks of interfaces: first those that are known, then the others by name."""
    there = set(interfaces)
    others = sorted(there - set(LOOKS))
    found = {name: look for name, look in LOOKS.items() if name in there}
    return found | {name: OTHERS[i % len(OTHERS)] for i, name in enumerate(others)}


def dashes_of(compositions: Iterable[str]) -> dict[str, str]:
    """The lines of compositions. A program without one has a solid line, too."""
    there = set(compositions) - {""}
    order = [name for name in COMPOSITIONS if name in there] + sorted(there - set(COMPOSITIONS))
    return {"": DASHES[0]} | {name: DASHES[i % len(DASHES)] for i, name in enumerate(order)}


@dataclass(frozen=True)
class SetMark:
    """How a set changes the marks of interfaces: what Plotly appends to their names, and how they grow."""

    suffix: str
    grown: int


FILLS = ("", "-open", "-open-dot")
"""Filled, open, and open with a dot in it."""


def marks_of(sets: Sequence[int]) -> dict[int, SetMark]:
    """Each set's own mark. The last one has the usual ones."""
    return {one: SetMark(FILLS[i % len(FILLS)], i // len(FILLS)) for i, one in enumerate(reversed(sets))}
