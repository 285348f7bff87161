"""Runs programs to their end, within a time, on chosen processors, and counts their threads."""

import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from thalweg_cli.base.stuck import PATIENCE_S as PATIENCE_WITH_STUCK_S
from thalweg_cli.base.stuck import started_by, stuck
from thalweg_cli.base.terminal import Failed

PATIENCE_S = 5.0
"""What a program gets to remove what it has half written, when it is told to end."""

Tell = Callable[[float, float], None]
"""Told for how many seconds a program runs, and what processor time it has used since that was last told."""

FIRST_LOOK_MS, LAST_LOOK_MS = 1.0, 50.0
"""Threads are counted often at first, when they are made, then seldom: counting takes processor time, too."""


@dataclass(frozen=True)
class Finished:
    """What came of a program.

    `threads`: the most that one of its processes had at once. `stuck`: all that it had started had ended, and
    it did not.
    """

    code: int
    out: str
    errors: str
    threads: int
    late: bool = False
    stuck: bool = False

    def cause(self, name: str) -> str:
        """Why it failed, in its own words if it has any; empty if it did not."""
        if self.code == 0:
            return ""
        lines = self.errors.strip().splitlines()
        own = [line.removeprefix(f"{name}: ") for line in lines if line.startswith(f"{name}: ")]
        said = "\n".join(own or lines[-20:])
        if self.code > 0:
            return said or f"it ended with code {self.code}"
        ended = f"it was ended by {signal_name(-self.code)}"
        if self.stuck:
            ended += ", since it did not end after all processes that it had started"
        return f"{ended}: {said}" if said else ended


def signal_name(number: int) -> str:
    """SIGSEGV, say."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def finish(
    command: Sequence[str],
    *,
    timeout_s: float = 0,
    pin: Collection[int] = (),
    show_output: bool = False,
    show_errors: bool = False,
    variables: Mapping[str, str] | None = None,
    starts_others: bool = False,
    waits: "Waits | None" = None,
) -> Finished:
    """Runs a command to its end, or ends it, with all that it started, when its time is up.

    The same happens when the user interrupts. What it prints is kept; shown instead, if so asked. A
    `timeout_s` of 0 is no limit, an empty `pin` all processors; `variables` are those of the environment that
    it gets besides ours. Of a command that only `starts_others` the threads do not count. `waits` are told
    while it runs. Raises Failed if it cannot be started.
    """
    with TemporaryFile() as out, TemporaryFile() as errors:
        try:
            with pinned(pin):
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=None if show_output else out,
                    stderr=None if show_errors else errors,
                    process_group=0,
                    env={**os.environ, **(variables or {})},
                )
        except OSError as error:
            raise Failed(f"{command[0]} cannot be started: {error.strerror}") from error
        ends = os.pidfd_open(process.pid)
        try:
            seen = watch(process.pid, ends, timeout_s, starts_others=starts_others, waits=waits)
        finally:
            end(process, ends)
            os.close(ends)
        return Finished(process.returncode, text_of(out), text_of(errors), *seen)


@contextmanager
def running(
    command: Sequence[str], variables: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A program whose output is read while it runs, with `variables` as `finish` has them.

    If its use fails, or the user interrupts, it is ended with all that it started, as `finish` does. Ctrl-C
    reaches us only, who then tell it: a launcher that is told twice may go before its ranks have ended.
    """
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
        env={**os.environ, **(variables or {})},
    ) as process:
        ends = os.pidfd_open(process.pid)
        try:
            yield process
        except BaseException:
            end(process, ends)
            raise
        finally:
            os.close(ends)


def text_of(file: IO[bytes]) -> str:
    """What was written; it may quote other files, which hold any bytes."""
    file.seek(0)
    return file.read().decode(errors="replace")


def watch(
    pid: int, ends: int, timeout_s: float, *, starts_others: bool = False, waits: "Waits | None" = None
) -> tuple[int, bool, bool]:
    """Waits for a process: the most threads seen, whether its time was up first, and whether it was stuck."""
    wait, most = FIRST_LOOK_MS, 1
    until = time.monotonic() + timeout_s if timeout_s else float("inf")
    looked = well = time.monotonic()  # for launchers that are stuck: seldom, since that takes time, too
    while not ended_within(ends, wait):
        most = max(most, most_threads_below(pid) if starts_others else most_threads(pid))
        now = time.monotonic()
        if waits:
            waits.look(pid, now)
        if now >= until:
            return most, True, False
        if starts_others and now - looked > PATIENCE_WITH_STUCK_S / 10:
            looked = now
            if not stuck(pid):
                well = now
            elif now - well > PATIENCE_WITH_STUCK_S:
                return most, False, True
        wait = min(wait * 1.25, LAST_LOOK_MS)
    return most, False, False


class Waits:
    """Tells now and then that a program still runs: after `first_s`, then after `then_s` each time."""

    def __init__(self, tell: Tell, first_s: float, then_s: float) -> None:
        self._tell = tell
        self._then_s = then_s
        self._began = time.monotonic()
        self._next = self._began + first_s
        self._used = 0.0

    def look(self, pid: int, now: float) -> None:
        """Tells, if it is time to."""
        if now < self._next:
            return
        used = processor_seconds(pid)
        self._tell(now - self._began, max(0.0, used - self._used))
        self._used, self._next = used, now + self._then_s


def processor_seconds(pid: int) -> float:
    """The processor time of a process and of those that it has started, as far as they still run."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:  # It has ended.
        return 0
    ticks = sum(map(int, stat.rsplit(")", 1)[1].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK") + sum(map(processor_seconds, started_by(pid)))


def ended_within(ends: int, milliseconds: float) -> bool:
    """Whether a process ends so soon; it is not reaped."""
    poller = select.poll()
    poller.register(ends, select.POLLIN)
    return bool(poller.poll(milliseconds))


def most_threads(pid: int) -> int:
    """How many threads a process has, or one of those it started: the one with most of them."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208  (this is called often)
    except OSError:  # It has ended.
        return 1
    return max(len(threads), most_threads_below(pid))


def most_threads_below(pid: int) -> int:
    """How many threads the process has that has most of those which another one has started."""
    return max(map(most_threads, started_by(pid)), default=1)


def end(process: subprocess.Popen[Any], ends: int) -> None:
    """Reaps a process that has ended; tells one that has not to end, then makes it.

    Raises Failed if that is not allowed, as with `sudo`.
    """
    if not ended_within(ends, 0):
        try:
            os.killpg(process.pid, signal.SIGTERM)
            ended_within(ends, PATIENCE_S * 1000)
        except PermissionError as error:
            raise Failed(
                f"process {process.pid} belongs to another user, cannot be ended, and goes on"
            ) from error
        finally:
            # The number of the group is its own as long as nobody has waited for its leader.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def pinned(processors: Collection[int]) -> Iterator[None]:
    """What this thread starts meanwhile runs on these processors only; without any, on all of its own."""
    if not processors:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def parse_processors(text: str) -> frozenset[int]:
    """The processors of `0`, `0,2` or `0-3`. Raises Failed if it is none of these, or if one is not there."""
    if not re.fullmatch(r"\d{1,6}(-\d{1,6})?(,\d{1,6}(-\d{1,6})?)*", text, re.ASCII):
        raise Failed(f"--pin {text}: not processors such as 0,2 or 0-3")
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    there = os.sched_getaffinity(0)
    if not found or not found <= there:
        listed = ", ".join(map(str, sorted(there)))
        raise Failed(f"--pin {text}: not all of them are there", remedy=f"processors are {listed}")
    return frozenset(found)


def parse_command(text: str, given_as: str) -> tuple[str, ...]:
    """The words of a command that a user gives; none if the text is empty. Raises Failed if it is none."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise Failed(f"{given_as} {text}: {error}") from error
    if words and not shutil.which(words[0]):
        raise Failed(f"{given_as} {text}: there is no command {words[0]}")
    return words
