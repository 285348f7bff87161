"""What a rank cannot have meant ends the program on all ranks, with a line that says who has sent what.

usage: wrong_test.py mpiexec -n 2 program
"""

import sys

from launcher import finish

MOST_S = 60.0

SAID = {
    "cut_off": "a message of 10 bytes, although its header alone has",
    "too_long": "1 bytes after a message that is only a header",
    "channel": "a message for channel 1000 of ",
    "answer": "an answer to what it was not asked, or out of turn: run of items 1000",
    "heartbeat": "a heartbeat with number 7",
    "figures": "elements",
}
"""What is said of the bytes, by what is wrong with them."""


def main() -> None:
    """One after the other."""
    done = finish([*sys.argv[1:], ""], MOST_S)
    if done.returncode != 0 or "done" not in done.stdout or "thalweg:" in done.stderr:
        sys.exit(f"nothing is wrong, but:\n{done.stdout + done.stderr}")
    done = finish([*sys.argv[1:], "words"], MOST_S)
    if "thalweg: a name with \\x1b[2J in it" not in done.stderr or done.returncode == 0:
        sys.exit(
            f"what ends a program gives orders to the terminal, or is not said:\n{done.stdout + done.stderr}"
        )
    for how, said in SAID.items():
        done = finish([*sys.argv[1:], how], MOST_S)
        told = done.stdout + done.stderr
        line = next(
            (x for x in told.splitlines() if "thalweg: mpi: rank 1 has sent an invalid message: " in x),
            "",
        )
        if said not in line or not line.endswith(", so the program is ended on all ranks"):
            sys.exit(f"'{how}': nobody says '{said}', but:\n{told}")
        if done.returncode == 0 or "done" in done.stdout:
            sys.exit(f"'{how}': it ended with code {done.returncode}:\n{told}")


main()
