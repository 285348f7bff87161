"""MPR's loop as a controller: the replicas of one farm follow the ratio of its throughput to a goal.

usage: mpr_loop.py address stage goal

The address is the one that the run listens at, `unix:/path` or `tcp:host:port`, and the goal is in items a
second. It waits for a run to begin, and ends with it. The steps and their limits are those of Section 7.1 of
MPR's thesis.
"""

import json
import socket
import sys
import time

PERIOD_NS = 1_000_000_000
FEWER = ((2, 4), (1.5, 2), (1.25, 1))  # above this ratio, this many fewer
MORE = ((0.5, 4), (0.75, 2), (0.9375, 1))  # below this ratio, this many more


def connect(address: str) -> socket.socket:
    """The connection to the run."""
    kind, _, where = address.partition(":")
    if kind == "tcp":
        host, _, port = where.rpartition(":")
        return socket.create_connection((host.strip("[]"), int(port)))
    link = socket.socket(socket.AF_UNIX)
    link.connect(where)
    return link


def planned(replicas: int, most: int, ratio: float) -> int:
    """How many replicas there are to be: a step that would leave the bounds is not made."""
    fewer = next((step for limit, step in FEWER if ratio > limit), 0)
    more = next((step for limit, step in MORE if ratio < limit), 0)
    if fewer:
        return replicas - fewer if replicas > fewer else replicas
    return replicas + more if replicas + more < most else replicas


def control(link: socket.socket, stage: str, goal: float) -> None:
    """Reads windows until the run ends, and plans once a second."""
    items = measured_ns = 0
    for line in link.makefile(encoding="utf-8"):
        said = json.loads(line)
        if "ack" in said:  # the answer to what was asked for
            print(line, end="", flush=True)
            continue
        farm = next(one for one in said["stages"] if one["name"] == stage)
        items += farm["items_out"]
        measured_ns += said["window_ns"]
        if measured_ns < PERIOD_NS:
            continue
        now, most = farm["replicas"]["wanted"], farm["replicas"]["most"]
        wanted = planned(now, most, items * 1e9 / measured_ns / goal)
        items = measured_ns = 0
        if wanted != now:
            document = {"v": 1, "seq": said["seq"], "replicas": {stage: wanted}}
            link.sendall(json.dumps(document).encode() + b"\n")


if __name__ == "__main__":
    while True:
        try:
            connection = connect(sys.argv[1])
            break
        except (FileNotFoundError, ConnectionRefusedError):
            time.sleep(0.1)  # no run has begun yet
    control(connection, sys.argv[2], float(sys.argv[3]))
