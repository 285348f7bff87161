"""Names that users type: what they may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, there: Iterable[str]) -> str:
    """A question that names the nearest of the names there are, if one is near."""
    nearest = get_close_matches(name, sorted(there), n=1)
    return f"did you mean {nearest[0]}? " if nearest else ""


def cmake_text(text: str) -> str:
    """A text as CMake takes it, whatever is in it."""
    level = "="
    while f"]{level}]" in text:
        level += "="
    return f"[{level}[{text}]{level}]"
