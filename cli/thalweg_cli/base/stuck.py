"""Finds launchers of ranks that will never end.

mpirun of Open MPI 4.1 with PMIx 4.2, as Debian 12 has them, now and then waits for ever when ranks have ended
without finalising MPI: it frees twice what it knows of one of them, and locks what is not there any more. All
ranks are gone then, but nobody has waited for them. Tests use this, too: it needs the standard library only.
"""

from pathlib import Path

PATIENCE_S = 10.0
"""A launcher that works waits for a rank as soon as that has ended."""


def gone(pid: int) -> bool:
    """Whether that process does not run any more."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return True
    return stat.rsplit(")", 1)[1].split()[0] == "Z"


def started_by(pid: int) -> list[int]:
    """The processes that one has started and not waited for; none where this kernel does not tell."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(child) for child in children.split()]


def stuck(pid: int) -> int:
    """The process, this or one below it, that has waited for none of those it started, which have all ended.

    0 if there is none. Who ends just now may look like that, so it takes patience to be sure.
    """
    children = started_by(pid)
    if children and all(map(gone, children)):
        return pid
    return next(filter(None, map(stuck, children)), 0)
