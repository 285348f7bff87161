"""The micro-benchmarks over MPI run, and what they print can be read.

usage: over_mpi_test.py mpiexec -n program
"""

import json
import subprocess
import sys
from typing import Any

TRIED = {"mpi_latency": 2, "mpi_resize": 3, "mpi_monitor": 2}
"""Short ones, and the ranks that they say they need."""
LIMIT_S = 100


def run(*command: str) -> "subprocess.CompletedProcess[str]":
    """Runs a command to its end."""
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_S)


def require(holds: bool, what: str, said: str) -> None:
    """Ends if something is not as it should be."""
    if not holds:
        sys.exit(f"{what}:\n{said}")


def rows_of(name: str, output: str) -> list[dict[str, Any]]:
    """The results among the lines that one benchmark has printed."""
    lines = [json.loads(line) for line in output.splitlines()]
    require([line["type"] for line in lines[:2]] == ["machine", "begin"], f"how {name} begins", output)
    require("MPI" in lines[0]["mpi"], f"the MPI that {name} names", output)
    require(lines[-1]["type"] == "end", f"how {name} ends", output)
    return [line for line in lines if line["type"] == "row"]


def main(mpiexec: str, flag: str, program: str) -> None:
    """Lists them all, and tries some."""
    listed = run(program, "--list").stdout
    for name, ranks in TRIED.items():
        require(
            f"{ranks} ranks" in listed.split(name, 1)[-1].split(":", 1)[0], f"the ranks of {name}", listed
        )
        done = run(mpiexec, flag, str(ranks), program, name, "--quick")
        require(done.returncode == 0, f"{name} fails", done.stdout + done.stderr)
        rows = rows_of(name, done.stdout)
        require(len(rows) > 1, f"what {name} finds", done.stdout)
        for row in rows:
            samples = row["samples"]
            good = row["bench"] == name and bool(samples) and all(one > 0 for one in samples)
            require(good, f"a result of {name}", str(row))
    done = run(mpiexec, flag, "2", program, "mpi_resize")
    require(done.returncode != 0, "too few ranks are no error", done.stdout)
    require("made for 3 ranks, not for 2" in done.stderr, "what is said of too few ranks", done.stderr)


main(*sys.argv[1:])
