"""Three machines, as far as a program can tell: network namespaces with host names of their own.

usage: namespaces_test.py mpiexec test_mpi far

The ranks in them speak TCP through a bridge and share no memory. A slow link must bound how much is on its
way, and show in the latencies. Where a process may not make namespaces nothing is tested.
"""

import json
import shutil
import subprocess
import sys
import tempfile

MOST_S = 100
HOSTS = ["n1", "n2", "n3"]
SLOW = 50e6 / 8  # bytes a second
BLOCK = 50_000
IDLE_RATE = 20

# What makes the machines: run in namespaces of its own, so that nothing is left of it.
SET_UP = """
set -e
mount -t tmpfs tmpfs /run
mkdir -p /run/netns
ip link set lo up
ip netns add hub
ip -n hub link add name bridge0 type bridge
ip -n hub link set bridge0 up
number=1
for host in {hosts}; do
  ip netns add $host
  ip -n $host link set lo up
  ip -n hub link add name p$host type veth peer name eth0 netns $host
  ip -n hub link set p$host master bridge0 up
  ip -n $host addr add 10.9.8.$number/24 dev eth0
  ip -n $host link set eth0 up
  number=$((number + 1))
done
{limit}
cat > /run/agent <<'AGENT'
#!/bin/sh
host=$1
shift
exec ip netns exec $host unshare --uts sh -c "hostname $host; $*"
AGENT
chmod +x /run/agent
exec ip netns exec n1 unshare --uts sh -c 'hostname n1; exec "$@"' sh "$@"
"""
LIMIT = (
    "for host in n2 n3; do tc -n $host qdisc add dev eth0 root tbf rate {bits}bit burst 16kb limit 1mb; done"
)


def on_machines(mpiexec: str, program: list[str], limit: str) -> subprocess.CompletedProcess[str]:
    """Runs the program, a rank on each machine."""
    script = SET_UP.format(hosts=" ".join(HOSTS), limit=limit)
    options = {"plm_rsh_agent": "/run/agent", "oob_tcp_if_include": "eth0", "btl_tcp_if_include": "eth0"}
    # Its own files about a run lie where all of them see the same.
    with tempfile.TemporaryDirectory() as folder:
        options["orte_tmpdir_base"] = folder
        chosen = [word for option in options.items() for word in ("--mca", *option)]
        command = ["unshare", "--net", "--mount", "sh", "-c", script, "sh"]
        command += [mpiexec, *chosen, "--host", ",".join(HOSTS), "-n", str(len(HOSTS)), *program]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=MOST_S)


def may_make_machines(mpiexec: str) -> bool:
    """Whether namespaces can be had, with what a test does in them, and ranks be started there."""
    if shutil.which("ip") is None or shutil.which("tc") is None:
        return False
    return on_machines(mpiexec, ["true"], LIMIT.format(bits=1_000_000)).returncode == 0


def printed(mpiexec: str, program: list[str], limit: str = "") -> str:
    """What the program prints, once it has ended well."""
    done = on_machines(mpiexec, program, limit)
    if done.returncode != 0:
        sys.exit(f"{' '.join(program)} ended with code {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def far(mpiexec: str, program: str, blocks: int, rate: int, limit: str = "") -> dict:
    """The report of blocks that went there and back, all of them in order."""
    found = json.loads(printed(mpiexec, [program, str(blocks), str(BLOCK), str(rate)], limit))
    if found["seen"] != blocks or not found["in_order"]:
        sys.exit(f"{found['seen']} blocks came back instead of {blocks}, in order: {found['in_order']}")
    hosts = [rank["host"] for rank in found["report"]["ranks"]]
    if hosts != HOSTS:
        sys.exit(f"the ranks say that they are on {hosts}")
    return found


def main(mpiexec: str, test_mpi: str, program: str) -> None:
    """Ranks on machines of their own, then with slow ways back."""
    if (
        "open"
        not in subprocess.run(
            [mpiexec, "--version"], capture_output=True, text=True, check=False
        ).stdout.lower()
    ):
        print("how ranks are started in namespaces is known for Open MPI alone")
        return
    if not may_make_machines(mpiexec):
        print("this system lets nobody start ranks in network namespaces, or lacks ip or tc")
        return
    printed(
        mpiexec,
        [test_mpi, "--gtest_brief=1", "--gtest_filter=Line.*:Loop.*:Elastic.*:End.*"],
    )

    limit = LIMIT.format(bits=int(SLOW * 8))
    blocks = 400
    full = far(mpiexec, program, blocks, 0, limit)
    took = full["report"]["elapsed_ns"] / 1e9
    # Two machines send back, each as fast as its link lets it.
    least = blocks * BLOCK / (2 * SLOW) * 0.8
    if took < least:
        sys.exit(f"the links were not slow: {took} s, where {least} s are the least")
    most = full["most"]
    if most > blocks / 2:
        sys.exit(
            f"{most} of {blocks} blocks were on their way at once: slow links do not hold the source back"
        )

    quick, slow = (
        far(mpiexec, program, IDLE_RATE, IDLE_RATE, how)["report"]["latency_ns"] for how in ("", limit)
    )
    on_the_link = BLOCK / SLOW * 1e9 * 0.7  # a bucket of tokens is full when a block comes
    if slow["p50"] < on_the_link or slow["p50"] - quick["p50"] < on_the_link / 2:
        sys.exit(f"the latency does not show the slow link: {slow}, without it {quick}")
    p50 = slow["p50"] / 1e6, quick["p50"] / 1e6
    print(f"{most} blocks under way at most, p50 {p50[0]:.1f} ms, without a limit {p50[1]:.1f} ms")


if __name__ == "__main__":
    main(*sys.argv[1:])
