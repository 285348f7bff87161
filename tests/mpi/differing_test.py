"""Ranks of different programs, or with different arguments: each says what is not the same, and nothing runs.

usage: differing_test.py mpiexec -n program other
"""

import sys

from launcher import finish

MOST_S = 60.0
LAUNCHER, FLAG, PROGRAM, OTHER = sys.argv[1:]

CASES = {
    "another program": (["stage"], [OTHER, "stage"], "has [stage 2: 'differentiate', "),
    "another type": (["type"], [OTHER, "type"], "has [stage 2: 'work', map in farm 1, gives "),
    "another argument": (
        ["arguments", "--scale", "1"],
        [PROGRAM, "arguments", "--scale", "2"],
        "has [argument 3: '2'], but rank 0 has [argument 3: '1']",
    ),
    "one argument more": (
        ["arguments"],
        [PROGRAM, "arguments", "--fast"],
        "has [argument 2: '--fast'], but rank 0 has [stage 1: ",
    ),
}
"""What rank 0 is told, what rank 1 is, and what is said of it."""


def run(of_first: list[str], other: list[str]) -> tuple[int, str]:
    """Two ranks: how they have ended, and what they have said."""
    command = [LAUNCHER, FLAG, "1", PROGRAM, *of_first, ":", FLAG, "1", *other]
    done = finish(command, MOST_S)
    return done.returncode, done.stdout + done.stderr


def main() -> None:
    """One after the other."""
    for case, (of_first, other, says) in CASES.items():
        code, said = run(of_first, other)
        refused = [line for line in said.splitlines() if line.startswith("refused: ")]
        if code == 0 or len(refused) != 2 or not all(says in line for line in refused):
            sys.exit(f"{case}: '{says}' should be said by both, not (code {code}):\n{said}")
    code, said = run(["own", "--log", "a"], [PROGRAM, "own", "--log", "b"])
    if (code, said.strip()) != (0, "100 items"):
        sys.exit(f"arguments that may differ: code {code}:\n{said}")


main()
