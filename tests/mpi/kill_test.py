"""A rank that is killed, or stopped, ends the run on all: no process stays, and somebody says who it was.

What has come out until then is how the stream begins: nothing twice, and nothing behind what is lost.

usage: kill_test.py mpiexec -n 3 program [1]

With a number behind the program so many processes join its run: then one of them it is.
"""

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from launcher import ended_if_stuck
from thalweg_cli.base.stuck import gone

ROUNDS = 3
MOST_S = 5.0

RANK = re.compile(r"(\d+) (\d+)")
"""What each rank says of itself: its number, and its process."""
NOBODY_JOINS = "this MPI starts no processes"


def ranks(command: list[str]) -> tuple[int, int]:
    """How many begin a run, and how many join it."""
    return int(command[command.index("-n") + 1]), int(command[-1]) if command[-1].isdigit() else 0


def until_begun(
    launcher: subprocess.Popen[str], count: int, *, under_way: bool
) -> tuple[dict[int, int], str]:
    """The processes of all ranks, and what else was said, once they run; `under_way`: an item, too."""
    assert launcher.stdout is not None
    pids: dict[int, int] = {}
    said = ""
    while len(pids) < count or under_way:
        line = launcher.stdout.readline()
        if NOBODY_JOINS in line:
            print(line)
            sys.exit()
        if not line:
            sys.exit(f"it ended with {len(pids)} of {count} ranks:\n{said}")
        if one := RANK.fullmatch(line.strip()):
            pids[int(one[1])] = int(one[2])
        elif line.strip() == "begun":
            under_way = False
        else:
            said += line
    return pids, said


def one_round(
    command: list[str], rank: int, after_s: float, how: signal.Signals, *, under_way: bool = False
) -> None:
    """Sends that rank a signal some time after all have begun, or after the first item has come through."""
    first, joining = ranks(command)
    count = first + joining
    # Some launchers tell on one stream who has died, some on the other.
    pipe, out = subprocess.PIPE, subprocess.STDOUT
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            command, stdout=pipe, stderr=out, text=True, env={**os.environ, "KEPT": f"{folder}/kept"}
        ) as launcher,
    ):
        pids, said = until_begun(launcher, count, under_way=under_way)
        time.sleep(after_s)
        os.kill(pids[rank], how)
        begin = time.monotonic()
        while not all(gone(pid) for pid in pids.values()):
            if time.monotonic() - begin > MOST_S:
                left = [who for who, pid in pids.items() if not gone(pid)]
                launcher.kill()
                sys.exit(f"rank {rank} got {how.name}, and after {MOST_S} s ranks {left} still run")
            time.sleep(0.01)
        with ended_if_stuck(launcher):
            said += launcher.stdout.read() if launcher.stdout else ""
            code = launcher.wait(MOST_S)
        if code == 0:
            sys.exit(f"rank {rank} got {how.name}, and the launcher ended as if all were well")
        # A launcher counts those that were started later from 0, or names the process.
        # MPICH's says that one was killed, and may name another that it has ended itself.
        # Between machines Open MPI 5 itself ends a program in which a connection breaks, and names the rank
        # that has noticed.
        names = [
            f"rank {rank}",
            f"pid {pids[rank]}",
            "exit string: killed",
            "error occurred in socket closed",
        ]
        if rank >= first:
            names.append(f"rank {rank - first}")
        if not any(re.search(rf"\b{name}\b", said, re.IGNORECASE) for name in names):
            sys.exit(f"rank {rank} got {how.name}, and nobody says so:\n{said}")
        require_prefix(Path(folder) / "kept")


def require_prefix(kept: Path) -> None:
    """Ends if what has come out is not 0, 1, 2 and so on; the last one may be cut off."""
    if not kept.exists():
        return  # nothing has
    lines = kept.read_text(encoding="ascii").split("\n")[:-1]
    wrong = [(n, line) for n, line in enumerate(lines) if line != str(n)]
    if wrong:
        sys.exit(f"in place of {wrong[0][0]} there came {wrong[0][1]}, of {len(lines)} items in all")


def main() -> None:
    """At random moments: ranks are killed, the root among them, and one stops."""
    command = sys.argv[1:]
    command[command.index("-np") if "-np" in command else command.index("-n")] = "-n"
    count, joining = ranks(command)
    if joining > 0:
        for how in (signal.SIGKILL, signal.SIGSTOP):
            one_round(command, count, random.uniform(0.3, 0.6), how)
        return
    for k in range(ROUNDS):
        one_round(command, k % count, random.uniform(0, 0.3), signal.SIGKILL)
    one_round(command, random.randrange(count), random.uniform(0, 0.3), signal.SIGSTOP)


if __name__ == "__main__":
    main()
