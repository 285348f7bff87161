"""Ranks that come to a run late, or never, or end in the middle of one: somebody says who, and nobody hangs.

usage: ending_test.py mpiexec -n 3 program
"""

import sys

from launcher import finish

MOST_S = 60.0

FATAL = {
    "returns": "rank 1 has ended without starting run 1 of the program, which rank 0 has started",
    "root_returns": "rank 0 has ended without starting run 1 of the program",
    "once": "rank 2 has ended without starting run 2 of the program, which rank 0 has started",
    "finalises": "rank 1 has ended without starting run 2 of the program",
    "stops": "has been stopped for 0.2 s, so the program is ended on all ranks",
    "root_stops": "has been stopped for 0.2 s, so the program is ended on all ranks",
    "exits": "the process of rank 2 ends in the middle of a run, so it ends the program on all ranks",
}
"""What is said where all are ended, by how the program is told to go wrong."""
LATE = {
    "": "",
    "late_at_first": "rank 1 has not started run 1 of the program for 0.2 s; rank 0 waits",
    "late_with_own_init": "rank 0 waits in run 1 of the program for ranks that have not started it",
    "late": "rank 2 has not started run 2 of the program for 0.2 s; rank 0 waits",
    "late_root": "rank 1 waits for rank 0 to start run 2 of the program, or for other ranks",
}
"""The same where all goes on."""


def main() -> None:
    """One after the other."""
    for how, said in (FATAL | LATE).items():
        done = finish([*sys.argv[1:], how], MOST_S)
        told = done.stdout + done.stderr
        if said not in told:
            sys.exit(f"'{how}': nobody says '{said}', but:\n{told}")
        if (done.returncode != 0) != (how in FATAL):
            sys.exit(f"'{how}': it ended with code {done.returncode}:\n{told}")
        if how in LATE and done.stdout.count("done") != 2:
            sys.exit(f"'{how}': two runs should have come to their ends:\n{told}")
        if how == "" and "thalweg:" in told:
            sys.exit(f"something was said although nothing was wrong:\n{told}")


main()
