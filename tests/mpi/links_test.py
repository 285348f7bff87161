"""Ranks on machines whose links are slow, or long, or lose packets.

usage: links_test.py mpiexec links test_mpi far endless

Skipped where a process may not make such machines.
"""

import json
import random
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kill_test import one_round
from machines import HOSTS, Link, Machines, printed, require_machines

BLOCK = 50_000
IDLE_RATE = 20
WORK_MS = 1
MESSAGE_MS = 0.8
"""Of work, that is worth a message."""
MOST_IN_RUN = 8
"""Blocks in a message of 256 KiB, and somewhat more."""
MOST_HELD = 100
"""Blocks in front of the farm and behind it."""

Report = dict[str, Any]


def expect(good: bool, what: str) -> None:
    """Ends the test if something is not as it should be."""
    if not good:
        sys.exit(what)


@contextmanager
def linked(network: str, link: Link) -> Iterator[Machines]:
    """Machines with such links. At the end the links have to have been what they were said to be."""
    with Machines(network, link) as machines:
        for host in HOSTS[1:]:
            took = machines.round_trip_ms(host)
            expect(took >= 2 * link.delay_ms, f"to {host} and back in {took} ms, over {link}")
        yield machines
    ways = [way for host in HOSTS[1:] for way in machines.counts[host].values()]
    lost, packets = (sum(way[what] for way in ways) for what in ("lost", "packets"))
    expect((lost > 0) == (link.loss_percent > 0), f"{lost} of {packets} packets were lost on links of {link}")
    # Which ones are is left to chance: enough of them have to be expected.
    expected = packets * link.loss_percent / 100
    expect(expected == 0 or expected > 10, f"{packets} packets are too few to tell what links of {link} lose")


class Far:
    """Blocks that go to other ranks and come back, all of them in order."""

    def __init__(self, mpiexec: str, program: str) -> None:
        self._mpiexec, self._program = mpiexec, program

    def __call__(
        self, machines: Machines, blocks: int, rate: int = 0, size: int = BLOCK, work_ms: int = 0
    ) -> Report:
        """What the program prints of them; `rate`: so many a second."""
        command = [self._program, str(blocks), str(size), str(rate), str(work_ms)]
        said = printed(machines.ranks(self._mpiexec, command))
        found: Report = json.loads(said[said.index('{"seen"') :])  # a launcher may have something to say, too
        came = f"{found['seen']} blocks came back instead of {blocks}, in order: {found['in_order']}"
        expect(found["seen"] == blocks and found["in_order"], came)
        hosts = [rank["host"] for rank in found["report"]["ranks"]]
        expect(hosts == HOSTS, f"the ranks say that they are on {hosts}")
        return found


def p50_ms(found: Report) -> float:
    """How long half of the blocks took, or less."""
    return float(found["report"]["latency_ns"]["p50"]) / 1e6


def round_trip_ms(found: Report) -> float:
    """How long the ranks have found it takes to the farthest of them and back: longer where they are busy."""
    return max(2 * float(rank["clock_off_ns"]) / 1e6 for rank in found["report"]["ranks"])


def expect_bounded(found: Report, blocks: int) -> None:
    """No more was under way than docs/distributed.md says, with two replicas; and that is not all."""
    round_trip = round_trip_ms(found)
    ahead = 2 * (2 + (round_trip / MESSAGE_MS + 1 if round_trip > MESSAGE_MS else 0))
    most = MOST_IN_RUN * (16 + 2 * ahead) + MOST_HELD
    if most >= blocks:  # The ranks were so busy that all of them may be under way.
        print(f"{blocks} blocks say nothing of what is ahead where a round trip takes {round_trip:.0f} ms")
        return
    expect(found["most"] <= most, f"{found['most']} of {blocks} blocks were on their way at once, not {most}")


def slow(network: str, far: Far, quick: float) -> None:
    """A slow link holds the source back, and is seen in latencies."""
    link = Link(mbit=50)
    ms = BLOCK * 8e-3 / link.mbit
    blocks = 1_200
    with linked(network, link) as machines:
        full = far(machines, blocks)
        idle = p50_ms(far(machines, IDLE_RATE, IDLE_RATE))
    took = full["report"]["elapsed_ns"] / 1e6
    # Two machines send back, each as fast as its link lets it.
    expect(took >= blocks / 2 * ms, f"the links were not slow: {took} ms")
    most = full["most"]
    expect_bounded(full, blocks)
    expect(idle >= 2 * ms, f"half of the blocks took {idle} ms or less, and a link {ms} ms each way")
    blocked = full["report"]["channels"][0]["blocked_ns"]
    expect(blocked > 0, "the source never waited for credit")
    print(f"50 Mbit/s: {most} blocks under way at most, p50 {idle:.1f} ms, otherwise {quick:.1f} ms")


def long(network: str, far: Far, quick: float) -> None:
    """A long link is seen in latencies, and in how well clocks are known."""
    link = Link(delay_ms=10)
    with linked(network, link) as machines:
        idle = far(machines, IDLE_RATE, IDLE_RATE, 1_000)
        full = far(machines, 2_000)
        busy = far(machines, 800, size=8, work_ms=WORK_MS)
    p50 = p50_ms(idle)
    expect(p50 >= 2 * link.delay_ms, f"half of the items took {p50} ms or less, over {link}")
    expect(p50 > quick, f"half of the items took {p50} ms or less, without a delay {quick} ms")
    for rank in idle["report"]["ranks"][1:]:
        ahead, off = rank["clock_ns"], rank["clock_off_ns"]
        # It is one clock in truth.
        expect(off >= link.delay_ms * 1e6 and abs(ahead) <= off, f"a clock {ahead} ns ahead, or {off} less")
    expect_bounded(full, 2_000)
    # Two workers have as much in advance as they can do in the time of a round trip.
    each = next(one for one in busy["report"]["stages"] if one["name"] == "pass")
    ahead = 2 * round_trip_ms(busy) / max(WORK_MS, each["service_ns_per_item"] / 1e6)
    expect(ahead <= busy["most"] <= 4 * ahead, f"{busy['most']} items were under way at once, not {ahead}")
    print(f"10 ms: {full['most']} blocks under way at most, p50 {p50:.1f} ms, otherwise {quick:.1f} ms")


def lossy(network: str, far: Far) -> None:
    """TCP sends again what is lost: nothing is missing, or comes twice, or out of order."""
    with linked(network, Link(delay_ms=1, loss_percent=1)) as machines:
        far(machines, 200)
    lost = sum(way["lost"] for host in HOSTS for way in machines.counts[host].values())
    print(f"1 ms and 1 % lost: {lost} packets")


def patient(network: str, far: Far) -> None:
    """A rank at the end of a long link that loses packets is not taken for one that is silent."""
    link = Link(delay_ms=50, loss_percent=1)  # so 100 ms from the second machine to the third
    with linked(network, link) as machines:
        p50 = p50_ms(far(machines, 80, IDLE_RATE, 20_000))
    expect(p50 >= 2 * link.delay_ms, f"half of the items took {p50} ms or less, over {link}")
    print(f"50 ms and 1 % lost: p50 {p50:.1f} ms")


def elastic(mpiexec: str, network: str, test_mpi: str) -> None:
    """Replicas that come and go, and ends, at the end of a long link."""
    chosen = [
        "Elastic.ReplicasComeToAllRanksAndGoAgain",
        "Elastic.RanksInReserveWaitUntilTheyAreNeeded",
        "Elastic.FarmsWhoseKeysAreDividedUp",
        "End.AnExceptionInTheSink",
        "End.StopLetsAllThroughThatIsOnItsWay",
    ]
    with linked(network, Link(delay_ms=3)) as machines:
        printed(machines.ranks(mpiexec, [test_mpi, "--gtest_brief=1", f"--gtest_filter={':'.join(chosen)}"]))


def ends(mpiexec: str, network: str, endless: str) -> None:
    """A rank behind a long link that is killed, or stopped, ends the run on all."""
    with linked(network, Link(delay_ms=20)) as machines:
        command = machines.ranks(mpiexec, [endless])
        for how in (signal.SIGKILL, signal.SIGSTOP):
            one_round(command, 1, random.uniform(0.1, 0.5), how, under_way=True)


def main(mpiexec: str, network: str, test_mpi: str, far_program: str, endless: str) -> None:
    """One kind of link after the other."""
    require_machines(mpiexec, network)
    far = Far(mpiexec, far_program)
    with linked(network, Link()) as machines:
        quick = p50_ms(far(machines, IDLE_RATE, IDLE_RATE))
    slow(network, far, quick)
    long(network, far, quick)
    lossy(network, far)
    patient(network, far)
    elastic(mpiexec, network, test_mpi)
    ends(mpiexec, network, endless)


if __name__ == "__main__":
    main(*sys.argv[1:])
