"""Two ranks, one of which lives in another time: latencies and the trace are right all the same.

usage: clocks_test.py mpiexec program

Linux gives a process a clock of its own in a time namespace. Skipped where that is not allowed.
"""

import json
import subprocess
import sys
from typing import Any

from machines import skip

AHEAD_S = 5_000
MOST_S = 60


def main(mpiexec: str, program: str) -> None:
    """Runs both ranks: a sink on the last one; one rank deals items to sinks; one rank divides keys."""
    elsewhere = ["unshare", "--time", "--uts", "--monotonic", str(AHEAD_S)]
    if subprocess.run([*elsewhere, "true"], capture_output=True, check=False).returncode != 0:
        skip("this system gives nobody a clock of his own")
    for what in ("", "dealt", "sums"):
        here = [program, what] if what else [program]
        there = [*elsewhere, "sh", "-c", f"hostname elsewhere && exec {' '.join(here)}"]
        look_at(report_of([mpiexec, "-n", "1", *here, ":", "-n", "1", *there]), what)


def report_of(command: list[str]) -> dict[str, Any]:
    """What rank 0 prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MOST_S)
    if done.returncode != 0:
        sys.exit(f"it ended with code {done.returncode}:\n{done.stderr}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def look_at(report: dict[str, Any], what: str) -> None:
    """Ends the test if a time of one clock was taken for one of the other."""
    host, ahead, off = ((report["ranks"][1])[key] for key in ("host", "clock_ns", "clock_off_ns"))
    if host != "elsewhere":
        sys.exit(f"rank 1 says that it is on {host}: it should have another host")
    if not 0 < off < 1e9 or abs(ahead - AHEAD_S * 1e9) > off + 1e6:
        sys.exit(f"the clock is {AHEAD_S} s ahead, not {ahead} ns, give or take {off} ns")
    latency = report["latency_ns"]
    if latency["count"] != (10 if what == "sums" else report["items"]) or not latency["from_due"]:
        sys.exit(f"not all items have a latency from their due times: {what} {latency}")
    if latency["max"] > 2e9:
        sys.exit(f"latencies are those of two clocks: {what} {latency}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
