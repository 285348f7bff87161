"""Checks that no folders of src/run include each other in a circle.

A folder inside another one counts by itself. So does a file that lies in src/run itself, together with the
file of the same name and another ending.

usage: circles.py root
"""

from itertools import pairwise
from pathlib import Path

from source import Include, includes, run, sources

HOME = "src/run"

KNOWN = frozenset({"engine", "distributed/graph"})
"""The one circle that is left: the engine lays out what of a graph is on other ranks by itself."""

Graph = dict[str, dict[str, Include]]
"""Of each folder those that it includes, and one line that does."""


def folder_of(file: Path) -> str:
    """The folder below src/run that a file lies in."""
    inside = file.relative_to(HOME)
    return inside.parent.as_posix() if len(inside.parts) > 1 else inside.stem


def graph_of(root: Path) -> Graph:
    """Who includes whom."""
    graph: Graph = {}
    for file in sources(root, HOME):
        known = graph.setdefault(folder_of(file), {})
        for found in includes(root, file):
            if found.target.is_relative_to(HOME) and folder_of(found.target) != folder_of(file):
                known.setdefault(folder_of(found.target), found)
    return graph


def shortest_circle(graph: Graph, begin: str) -> list[str]:
    """A shortest way from a folder back to it; none if there is no way."""
    ways = [[begin]]
    seen: set[str] = set()
    for way in ways:
        for folder in sorted(graph.get(way[-1], {})):
            if folder == begin:
                return [*way, begin]
            if folder not in seen:
                seen.add(folder)
                ways.append([*way, folder])
    return []


def violations(root: Path) -> list[str]:
    """The circles: for each folder that lies in one, a shortest."""
    graph = graph_of(root)
    circles: dict[frozenset[str], list[str]] = {}
    for folder in sorted(graph):
        way = shortest_circle(graph, folder)
        if way and frozenset(way) != KNOWN:
            circles.setdefault(frozenset(way), way)
    wrong = []
    for way in circles.values():
        wrong.append(f"{HOME}: a circle of folders: " + " -> ".join(way))
        for one, other in pairwise(way):
            line = graph[one][other]
            wrong.append(f"  {line.file}:{line.line}: {one} includes {line.target}")
    return wrong


if __name__ == "__main__":
    run(violations)
