"""What is shown while programs run."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from thalweg_cli.base.terminal import Bar, console
from thalweg_cli.run.runs import Series

Tell = Callable[[int, int, int], None]
"""Says that so many runs of so many (0: nobody knows yet) are done, and which row comes now."""

LINES_AROUND = 9
"""Lines of a terminal that are not rows of the table."""


@contextmanager
def live(
    rows: Sequence[Series], draw: Callable[[Sequence[Series]], Table], *, lines_only: bool, quiet: bool
) -> Iterator[Tell]:
    """A table that fills, on a terminal; elsewhere, or if `lines_only`, a line now and then.

    It is drawn between runs only: what draws takes time from what is measured.
    """
    if quiet:
        yield lambda *_: None
        return
    if lines_only or not console.is_terminal:
        line = Bar("running", None)
        yield lambda done, total, _: line.advance_to(done, total)
        return
    with Live(console=console, auto_refresh=False, transient=True) as display:

        def tell(done: int, total: int, place: int) -> None:
            room = max(1, console.height - LINES_AROUND)
            first = max(0, min(place - room // 2, len(rows) - room))
            runs = f"{done} of {total} runs" if total else f"{done} runs"
            heading = f"[bold]{runs}[/]; now {escape(rows[place].setting.name)}"
            display.update(Group(heading, draw(rows[first : first + room])), refresh=True)

        yield tell
