"""Runs that adapt themselves: what programs of Thalweg are told of planner, goal and window."""

import re
from collections.abc import Iterable, Sequence

from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog.programs import MPI, THALWEG, Program

VARIABLE = "THALWEG_ADAPT"
"""What programs read it from, as `tw::adapt_from` takes it."""

NONE = "none"
"""In place of a planner: the same without one."""

GOAL, EVERY = "keep_up", "100ms"
"""What is taken if nothing else is given."""

OURS = (THALWEG, f"{MPI}-{THALWEG}")
"""The interfaces whose programs can adapt themselves."""


def asked(planners: Sequence[str], goals: Sequence[str], every: str) -> list[str]:
    """The texts for all combinations of planners and goals; an empty one for none.

    Raises Failed if there are goals or a window for no planner, or if a value cannot be a part of a text.
    """
    if not planners:
        if wanted := [name for name, value in (("--goal", goals), ("--adapt-every", every)) if value]:
            does = "works" if len(wanted) == 1 else "work"
            raise Failed(f"{' and '.join(wanted)} {does} only with --adapt")
        return [""]
    check_words("--adapt", planners)
    check_words("--goal", goals)
    check_words("--adapt-every", [every] if every else [])
    texts = [
        "" if planner == NONE else f"planner={planner} goal={goal} every={every or EVERY}"
        for planner in planners
        for goal in goals or [GOAL]
    ]
    return list(dict.fromkeys(texts))


def check_words(option: str, values: Iterable[str]) -> None:
    """Raises Failed if a value of an option cannot be a part of a text."""
    for value in values:
        if not value or re.search(r"\s", value):
            raise Failed(f"{option} '{value}': it must be a word without spaces")


def check_programs(programs: Iterable[Program], texts: Sequence[str]) -> None:
    """Raises Failed if a program is to adapt itself that cannot."""
    others = [one.name for one in programs if one.interface not in OURS] if any(texts) else []
    if others:
        names = ", ".join(others[:3]) + (", ..." if len(others) > 3 else "")
        are = "is" if len(others) == 1 else "are"
        raise Failed(
            f"--adapt: only programs written with Thalweg adapt themselves, and {names} {are} not",
            remedy=" or ".join(f"--ppi {one}" for one in OURS) + " chooses those that are",
        )


def words(text: str) -> list[str]:
    """What stands in front of a program, so that it finds the text in its environment, on any host."""
    return ["env", f"{VARIABLE}={text}"] if text else []


def value_in(text: str, key: str) -> str | None:
    """The planner, the goal or the window in a text; None if it has none."""
    pairs = (word.partition("=") for word in text.split())
    return next((value for name, _, value in pairs if name == key), None)


def named(text: str) -> str:
    """Planner and goal, in words."""
    return f"{value_in(text, 'planner')} for {value_in(text, 'goal')}" if text else ""
