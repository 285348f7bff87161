"""A signal stops a stream over ranks, and what has come out is kept: examples/until_stopped.

usage: until_stopped_test.py launcher|rank mpiexec -n 3 program

To one of the ranks alone it is SIGINT. To the launcher it is SIGUSR1, which is passed on to all: after SIGINT
Open MPI's soon kills them, and how soon they have ended goes by what else the machine does.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from launcher import ended_if_stuck
from thalweg_cli.base.stuck import started_by

SOME_BYTES = 1_000


def last_started(pid: int) -> int:
    """The last process below this one: a rank, if this is a launcher."""
    children = started_by(pid)
    return last_started(children[-1]) if children else pid


def main(to: str, command: list[str]) -> None:
    """Stops the stream once some lines have come out."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "squares.txt"
        pipe = subprocess.PIPE
        with subprocess.Popen([*command, str(file)], stdout=pipe, stderr=pipe, text=True) as launcher:
            while not file.exists() or file.stat().st_size < SOME_BYTES:
                if launcher.poll() is not None:
                    sys.exit(f"it ended by itself:\n{launcher.stderr.read() if launcher.stderr else ''}")
                time.sleep(0.01)
            if to == "launcher":
                launcher.send_signal(signal.SIGUSR1)
            else:
                os.kill(last_started(launcher.pid), signal.SIGINT)
            with ended_if_stuck(launcher):
                out, errors = launcher.communicate()
        lines = file.read_text(encoding="ascii").splitlines()
    kept = re.search(r"^(\d+) lines are kept$", out, re.MULTILINE)
    if not kept:
        sys.exit(f"no report came back:\n{out}{errors}")
    if int(kept[1]) != len(lines):
        sys.exit(f"{kept[0]}, and there are {len(lines)}")
    if lines != [str(n * n) for n in range(len(lines))]:
        sys.exit("what is kept is not how the stream begins")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
