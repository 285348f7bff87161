"""What the commands share to talk: consoles, a progress bar that also works in a log file, and failures."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.markup import escape
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from thalweg_cli.base.visible import Console


def console_for(*, stderr: bool = False, width: int | None = None) -> Console:
    """Where to print. Texts stay what they are: no `:100:` in one becomes a picture."""
    return Console(stderr=stderr, highlight=False, emoji=False, soft_wrap=width is None, width=width)


console = console_for()
errors = console_for(stderr=True)

WIDTH_ELSEWHERE = 160
"""Columns of a table where there is no terminal."""

LOG_INTERVAL_S = 20.0
"""Without a terminal a progress bar is a line this often."""


def print_table(table: Table) -> None:
    """Prints a table. Where there is little room, texts in it break; numbers and names never do."""
    for column in table.columns:
        column.no_wrap = column.no_wrap or column.justify == "right"  # which is how numbers stand
    room = console.width if console.is_terminal else WIDTH_ELSEWHERE
    needed = Measurement.get(console, console.options.update(max_width=sys.maxsize), table).minimum
    console_for(stderr=console.stderr, width=max(room, needed)).print(table)


def keep_output_for_data() -> None:
    """From now on, what commands say goes to standard error: the output gets data for other programs."""
    console.stderr = True


class Failed(Exception):
    """A command cannot go on: what happened, the output that shows it, and what the user can do."""

    code = 1
    """With which the command line exits."""

    def __init__(self, what: str, *, output: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.output = output
        self.remedy = remedy

    def show(self) -> None:
        """Prints the failure to standard error."""
        if self.output:
            errors.print(Text(self.output.rstrip()))
        errors.print(f"[bold red]failed:[/] {escape(self.what)}")
        if self.remedy:
            errors.print(f"[bold]what to do:[/] {escape(self.remedy)}")


class WrongUsage(Failed):
    """The command line is not one: exits as Typer does where it finds that."""

    code = 2


class Bar:
    """A task under way, of a length that is known or not (0). `advance_to` may be called at will."""

    def __init__(self, title: str, progress: Progress | None) -> None:
        self._title = title
        self._progress = progress
        self._task = progress.add_task(title, total=None, note="") if progress else None
        self._said = time.monotonic()

    def advance_to(self, done: int, total: int, note: str = "") -> None:
        """Shows that `done` of `total` parts are done, and what is at hand."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done, total=total, note=note)
        elif time.monotonic() - self._said >= LOG_INTERVAL_S:
            self._said = time.monotonic()
            count = f"{done} of {total}" if total else str(done)
            console.print(f"  {self._title}: {count}", markup=False)

    def remove(self) -> None:
        """Shows it no longer."""
        if self._progress is not None and self._task is not None:
            self._progress.remove_task(self._task)


class Display:
    """Where the bars of all threads stand, one below the other: a terminal has room for one such place."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bars: list[Bar] = []
        self._progress: Progress | None = None

    def add(self, title: str) -> Bar:
        """Shows another bar."""
        with self._lock:
            if self._progress is None:
                self._progress = new_progress()
                self._progress.start()
            self._bars.append(Bar(title, self._progress))
            return self._bars[-1]

    def remove(self, one: Bar) -> None:
        """Leaves nothing of a bar, and nothing at all behind the last one."""
        with self._lock:
            self._bars.remove(one)
            if self._bars:
                one.remove()
            elif self._progress is not None:
                self._progress.stop()
                self._progress = None


def new_progress() -> Progress:
    """How bars look."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}", style="dim", markup=False),
        console=console,
        transient=True,
    )


display = Display()


@contextmanager
def bar(title: str) -> Iterator[Bar]:
    """A progress bar on a terminal; elsewhere, a plain line now and then. It leaves nothing behind."""
    if not console.is_terminal:
        yield Bar(title, None)
        return
    shown = display.add(title)
    try:
        yield shown
    finally:
        display.remove(shown)


def confirm(question: str, otherwise: str) -> None:
    """Asks the user. Raises Failed, with what to do `otherwise`, if the answer is no or there is none."""
    try:
        agreed = typer.confirm(question)
    except typer.Abort:
        agreed = False
    if not agreed:
        raise Failed("nothing was changed", remedy=otherwise)
