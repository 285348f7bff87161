"""thalweg-spar built with another LLVM says, suggests and writes the same. Systems differ in their LLVM.

To build it takes a minute and more, so this is a test of a long run.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from comparing import SKIPPED

HERE = Path(__file__).resolve().parent
TARGET = "thalweg-spar-other-llvm"
LONG = 20
"""THALWEG_TEST_SCALE of a long run."""


def driver_beside(tool: Path, spar: Path) -> Path:
    """A thalweg-spar++ that calls this tool: a file beside it says where the rest is."""
    driver = tool.parent / spar.name
    driver.unlink(missing_ok=True)
    driver.hardlink_to(spar)
    _, *rest = Path(f"{spar}.places").read_text(encoding="utf-8").splitlines()
    Path(f"{driver}.places").write_text("\n".join([str(tool), *rest, ""]), encoding="utf-8")
    return driver


def main() -> None:
    """Builds it, and runs with it the tests that the usual one has to pass."""
    reads = argparse.ArgumentParser(description=__doc__)
    reads.add_argument("--spar", type=Path, required=True, help="thalweg-spar++")
    reads.add_argument("--tool", type=Path, required=True, help="where the other thalweg-spar is built")
    reads.add_argument("--cmake", required=True)
    reads.add_argument("--build", required=True, help="the folder that it builds in")
    given, rest = reads.parse_known_args()
    if float(os.environ.get("THALWEG_TEST_SCALE", "1")) < LONG:
        print("left out: built with another LLVM in a long run (./thalweg test --long)")
        sys.exit(SKIPPED)
    subprocess.run([given.cmake, "--build", given.build, "--target", TARGET], check=True)
    driver = driver_beside(given.tool, given.spar)
    failed = False
    for script, arguments in (
        ("wrong_test.py", [str(given.tool)]),
        ("suggest_test.py", [str(given.tool)]),
        ("programs_test.py", [f"--spar={driver}", *rest]),
    ):
        print(f"{script}:", flush=True)
        done = subprocess.run([sys.executable, str(HERE / script), *arguments], check=False)
        failed = failed or done.returncode != 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
