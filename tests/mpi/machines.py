"""Machines, as far as a program can tell: network namespaces with host names, and links between them.

The links are those of links.cpp: as long, as lossy and as slow as is said here, on any kernel with TUN
devices. As a program this runs another one there, a rank on each machine, and then says what the links did:

usage: machines.py LINKS DELAY_MS:LOSS_PERCENT:MBIT mpiexec PROGRAM ARGUMENTS...

LINKS is what links.cpp has been compiled to. The first machine is in the middle, the others have such a link.
"""

import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Any, NoReturn, Self

HOSTS = ["n1", "n2", "n3"]
MOST_S = 100
NOT_HERE = 77
"""The exit code of a test that says that it was skipped; CMakeLists.txt tells CTest so."""

# What makes the machines, in namespaces of its own, so that nothing is left of it.
SET_UP = """
set -e
mount -t tmpfs tmpfs /run
mkdir -p /run/netns
number=1
for host in {hosts}; do
  ip netns add $host
  ip -n $host link set lo up
  ip -n $host tuntap add dev eth0 mode tun
  ip -n $host addr add 10.9.8.$number/24 dev eth0
  ip -n $host link set eth0 up
  number=$((number + 1))
done
cat > /run/agent <<'AGENT'
#!/bin/sh
host=$1
shift
exec ip netns exec $host unshare --uts sh -c "hostname $host; $*"
AGENT
chmod +x /run/agent
exec "$@"
"""

# Nobody listens at that port, which a machine says at once: so that takes as long as there and back.
ROUND_TRIP = """
import socket, sys, time
best = 1e9
for _ in range(5):
    with socket.socket() as s:
        begin = time.monotonic()
        s.connect_ex((sys.argv[1], 9))
        best = min(best, time.monotonic() - begin)
print(best * 1e3)
"""


@dataclass(frozen=True)
class Link:
    """What a packet meets between its machine and the middle of the network, in either direction."""

    delay_ms: float = 0
    loss_percent: float = 0
    mbit: float = 0  # 0: as fast as it goes


class Machines(contextlib.AbstractContextManager["Machines"]):
    """Machines that are there while this is. All have this link but the first."""

    counts: dict[str, Any]
    """What the links have done, once this has ended: by host, `out` and `in`."""

    def __init__(self, network: str, link: Link | None = None) -> None:
        of = [Link(), *([link or Link()] * (len(HOSTS) - 1))]
        ways = [f"{h}:{a.delay_ms}:{a.loss_percent}:{a.mbit}" for h, a in zip(HOSTS, of, strict=True)]
        script = SET_UP.format(hosts=" ".join(HOSTS))
        self._command = ["unshare", "--net", "--mount", "sh", "-c", script, "sh", network, *ways]

    def __enter__(self) -> Self:
        """Makes them. Raises an OSError if this system does not let us."""
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        assert self._process.stdout is not None
        if self._process.stdout.readline() != "ready\n":
            raise OSError(self._process.communicate()[1].strip())
        # Its own files about a run lie where all of them see the same.
        self._folder = tempfile.TemporaryDirectory()
        return self

    def __exit__(self, *_: object) -> None:
        """Takes them away."""
        said, wrong = self._process.communicate()
        self._folder.cleanup()
        if self._process.returncode != 0:
            sys.exit(wrong)
        self.counts = json.loads(said)

    def on(self, host: str, command: list[str]) -> list[str]:
        """The command that runs this one on a host."""
        inside = ["nsenter", f"--target={self._process.pid}", "--net", "--mount", "ip", "netns", "exec", host]
        return [*inside, "unshare", "--uts", "sh", "-c", f'hostname {host}; exec "$@"', "sh", *command]

    def ranks(self, mpiexec: str, program: list[str]) -> list[str]:
        """The command that runs a program with a rank on each machine. It is that of Open MPI."""
        options = {
            "plm_rsh_agent": "/run/agent",
            "oob_tcp_if_include": "eth0",
            "btl_tcp_if_include": "eth0",
            "orte_tmpdir_base": self._folder.name,
        }
        chosen = [word for option in options.items() for word in ("--mca", *option)]
        # Where more ranks than cores are allowed, Open MPI 5 puts all on the first host unless it is told.
        every = ["--host", ",".join(HOSTS), "-n", str(len(HOSTS)), "--map-by", "node"]
        return self.on(HOSTS[0], [mpiexec, *chosen, *every, *program])

    def round_trip_ms(self, host: str) -> float:
        """How long it takes from the first machine to this one and back, at best."""
        address = f"10.9.8.{HOSTS.index(host) + 1}"
        return float(printed(self.on(HOSTS[0], [sys.executable, "-c", ROUND_TRIP, address])))


def printed(command: list[str]) -> str:
    """What a command prints, once it has ended well."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MOST_S)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with code {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def skip(why: str) -> NoReturn:
    """Ends a test that cannot be made here."""
    print(f"skipped: {why}")
    sys.exit(NOT_HERE)


def require_machines(mpiexec: str, network: str) -> None:
    """Ends the test as skipped if there can be no machines here, or no ranks on them."""
    said = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, check=False).stdout
    if "open" not in said.lower():
        skip("how ranks are started in namespaces is known for Open MPI alone")
    for tool in ("ip", "unshare", "nsenter"):
        if shutil.which(tool) is None:
            skip(f"there is no {tool} (iproute2 and util-linux have it)")
    try:
        with Machines(network) as machines:
            command = machines.ranks(mpiexec, ["true"])
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MOST_S)
    except OSError as why:
        skip(f"this system lets nobody make network namespaces with TUN devices: {why}")
    if done.returncode != 0:
        skip(f"no ranks can be started in network namespaces: {done.stderr}")


def main() -> None:
    """Runs a program there."""
    network, link, mpiexec, *program = sys.argv[1:]
    with Machines(network, Link(*map(float, link.split(":")))) as machines:
        code = subprocess.run(machines.ranks(mpiexec, program), check=False).returncode
    print(json.dumps(machines.counts), file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
