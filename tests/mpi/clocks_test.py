"""Two ranks, one of which lives in another time: latencies and the trace are right all the same.

usage: clocks_test.py mpiexec program

Linux gives a process a clock of its own in a time namespace. Skipped where that is not allowed.
"""

import json
import subprocess
import sys

from machines import skip

AHEAD_S = 5_000
MOST_S = 60


def main(mpiexec: str, program: str) -> None:
    """Runs both ranks, and looks at the report."""
    elsewhere = ["unshare", "--time", "--uts", "--monotonic", str(AHEAD_S)]
    if subprocess.run([*elsewhere, "true"], capture_output=True, check=False).returncode != 0:
        skip("this system gives nobody a clock of his own")
    other = [*elsewhere, "sh", "-c", f"hostname elsewhere && exec {program}"]
    command = [mpiexec, "-n", "1", program, ":", "-n", "1", *other]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MOST_S)
    if done.returncode != 0:
        sys.exit(f"it ended with code {done.returncode}:\n{done.stderr}")
    report = json.loads(done.stdout)
    host, ahead, off = ((report["ranks"][1])[key] for key in ("host", "clock_ns", "clock_off_ns"))
    if host != "elsewhere":
        sys.exit(f"rank 1 says that it is on {host}: it should have another host")
    if not 0 < off < 1e9 or abs(ahead - AHEAD_S * 1e9) > off + 1e6:
        sys.exit(f"the clock is {AHEAD_S} s ahead, not {ahead} ns, give or take {off} ns")
    latency = report["latency_ns"]
    if latency["count"] != report["items"] or not latency["from_due"]:
        sys.exit(f"not all items have a latency from their due times: {latency}")
    if latency["max"] > 2e9:
        sys.exit(f"latencies are those of two clocks: {latency}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
