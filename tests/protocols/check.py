"""Verifies a Promela model exhaustively: it must hold as it is, and fail when it is broken on purpose."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LONG = float(os.environ.get("THALWEG_TEST_SCALE", "1")) >= 20


def run(command: list[str], folder: Path) -> str:
    """Runs a command and returns what it printed; a failure ends the program."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{output}")
    return output


def verify(
    model: Path, broken: int, spin: str, cc: str, breadth: bool, constants: list[str]
) -> tuple[int, str]:
    """Searches the whole state space, or up to the first error. Returns the errors' number and a report."""
    defined = [f"-D{constant}" for constant in (f"BROKEN={broken}", *constants)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run([spin, *defined, "-a", str(model)], folder)
        # A broken model fails early in the search: compiling it takes longer.
        run(
            [
                cc,
                "-O0" if broken else "-O1",
                "-w",
                "-DSAFETY",
                "-DCOLLAPSE",
                *(["-DBFS"] if breadth else []),
                "-o",
                "pan",
                "pan.c",
            ],
            folder,
        )
        report = run(["./pan", "-m100000"], folder)
        errors = re.search(r"errors: (\d+)", report)
        if errors is None or "max search depth too small" in report:
            sys.exit(f"The search is not complete:\n{report}")
        if int(errors[1]) > 0:
            # The way into the error, step by step, for whoever has to find out why.
            way = ["-t", "-p", "-g", "-l", "-k", f"{model.name}.trail", str(model)]
            report += run([spin, *defined, *way], folder)
        return int(errors[1]), report


def main() -> None:
    """Reads the command line and fails with a report if the model does not behave as expected."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--broken", type=int, default=0, help="which way to break it; 0: not at all")
    parser.add_argument("--spin", default="spin")
    parser.add_argument("--cc", default="cc")
    parser.add_argument(
        "--breadth", action="store_true", help="search in breadth: an error is near the start"
    )
    parser.add_argument("--smaller", nargs="*", default=[], help="constants, unless the run is a long one")
    options = parser.parse_args()
    smaller = [] if LONG else options.smaller

    errors, report = verify(
        options.model.resolve(), options.broken, options.spin, options.cc, options.breadth, smaller
    )
    if options.broken == 0 and errors > 0:
        sys.exit(f"{options.model.name} does not hold:\n{report}")
    if options.broken > 0 and errors == 0:
        sys.exit(f"{options.model.name} holds although it is broken in way {options.broken}:\n{report}")
    states = re.search(r"(\d+) states, stored", report)
    print(f"errors: {errors}, states: {states[1] if states else '?'}")


if __name__ == "__main__":
    main()
