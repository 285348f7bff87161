"""Ranks on three machines, as far as a program can tell: they speak TCP and share no memory.

usage: namespaces_test.py mpiexec links test_mpi

Skipped where a process may not make such machines.
"""

import sys

from machines import Machines, printed, require_machines


def main(mpiexec: str, network: str, test_mpi: str) -> None:
    """The tests of lines, loops, elastic farms and ends."""
    chosen = "Line.*:Loop.*:Elastic.*:End.*:-Line.ManyRunsFollowEachOther"
    require_machines(mpiexec, network)
    with Machines(network) as machines:
        printed(machines.ranks(mpiexec, [test_mpi, "--gtest_brief=1", f"--gtest_filter={chosen}"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
