"""Numbers of runs for people, as the page has them."""

from collections.abc import Sequence

PLAIN = ((1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"))
TIMES = ((1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s"))


def digits(value: float) -> str:
    """Three digits that count."""
    size = abs(value)
    if size >= 100 or size == 0:
        return f"{value:.0f}"
    return f"{value:.{1 if size >= 10 else 2 if size >= 0.1 else 3}f}"


def scaled(value: float, steps: Sequence[tuple[float, str]]) -> str:
    """A number with the largest unit that is not more than it."""
    factor, unit = next((step for step in reversed(steps) if abs(value) >= step[0] * 0.9995), steps[0])
    return f"{digits(value / factor)}{' ' if unit else ''}{unit}"


def rate(value: float | None) -> str:
    """Items a second."""
    if value is None:
        return ""
    text = scaled(value, PLAIN)
    return f"{text}/s"


def duration(ns: float | None) -> str:
    """A time."""
    return "" if ns is None else scaled(ns, TIMES)


def percent(share: float | None) -> str:
    """A share of a whole."""
    return "" if share is None else f"{100 * share:.0f} %"


def count(value: int) -> str:
    """A whole number, in groups of three digits."""
    return f"{value:,}".replace(",", " ")
