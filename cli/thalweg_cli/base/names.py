"""Names that users type: what they may have meant."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

APPLICATIONS: Mapping[str, str] = {"lane": "lane_detection", "person": "person_recognition"}
INTERFACES: Mapping[str, str] = {"ff": "fastflow", "omp": "openmp", "thr": "threads"}
"""SPBench's short names, also as parts of names of programs: `lane_ff_farm`."""


def did_you_mean(name: str, there: Iterable[str]) -> str:
    """A question that names the nearest of the names there are, if one is near, or its short name is."""
    known = {one: one for one in there}
    short = {one: ours for one, ours in [*APPLICATIONS.items(), *INTERFACES.items()] if ours in known}
    nearest = get_close_matches(name, sorted(short | known), n=1)
    return f"did you mean {(short | known)[nearest[0]]}? " if nearest else ""


def cmake_text(text: str) -> str:
    """A text as CMake takes it, whatever is in it."""
    level = "="
    while f"]{level}]" in text:
        level += "="
    return f"[{level}[{text}]{level}]"
