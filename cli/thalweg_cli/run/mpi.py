"""Programs of several processes: how MPI's launcher is called, and what it says when a rank fails."""

import os
import re
import shutil
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from thalweg_cli.base.cmake_cache import cached
from thalweg_cli.base.process import Finished, finish, signal_name
from thalweg_cli.base.terminal import Failed

ALLOWED = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}
"""What Open MPI refuses by itself, and a container needs.

Its user is often root, may not read other processes' memory nor bind to cores, and there may be more
processes than cores. Those of PRTE are for Open MPI 5. Where a user's environment says something else,
that counts.
"""

HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?::\d{1,5})?")
HOST_LINE = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)(?:\s+slots\s*=\s*(\d{1,5})|:(\d{1,5}))?(?:\s+\S+=\S+)*")

FELL = re.compile(r"process rank (\d+) with PID \d+ on node (\S+) exited on signal (\d+)")
"""How Open MPI tells of a rank that did not end by itself."""
FELL_WITHOUT_NAME = re.compile(r"EXIT STRING: .*\(signal (\d+)\)")
"""How MPICH does."""


@dataclass(frozen=True)
class Host:
    """A machine, and how many ranks it is to have; None is what the launcher gives it by itself."""

    name: str
    slots: int | None = None

    @classmethod
    def read(cls, text: str) -> Self:
        """One as `str` gives it."""
        name, _, slots = text.partition(":")
        return cls(name, int(slots) if slots else None)

    def __str__(self) -> str:
        """As launchers take it."""
        return self.name if self.slots is None else f"{self.name}:{self.slots}"


def variables(folder: Path | None = None) -> dict[str, str]:
    """What a launcher's environment gets. What ranks leave behind when they are killed lies in `folder`."""
    place = {} if folder is None else {"TMPDIR": str(folder)}
    return {name: value for name, value in ALLOWED.items() if name not in os.environ} | place


def launcher() -> str:
    """The launcher of the MPI that programs are built with. Raises Failed if there is none."""
    built_with = cached("MPIEXEC_EXECUTABLE")
    for command in filter(None, (built_with, "mpirun", "mpiexec")):
        if found := shutil.which(command):
            return found
    raise Failed("there is no mpirun to start ranks with", remedy="apt-get install openmpi-bin")


@cache
def is_hydra(command: str) -> bool:
    """Whether it is MPICH's launcher, whose options have other names."""
    return "HYDRA" in finish([command, "--version"]).out


def launched(ranks: int, hosts: Sequence[Host] = ()) -> list[str]:
    """What stands in front of a program to start it in so many ranks."""
    command = launcher()
    where = []
    if hosts:
        where = ["-hosts" if is_hydra(command) else "--host", ",".join(map(str, hosts))]
    return [command, "-n", str(ranks), *where]


def named_hosts(text: str) -> tuple[Host, ...]:
    """The machines of `a,b:4`, or of a file with one a line (`b slots=4` or `b:4`); they need not exist.

    Raises Failed, which names what is wrong.
    """
    file = Path(text)
    given = f"--hosts {text}"
    if file.is_file():
        hosts = hosts_in(file)
    else:
        if not all(map(HOST.fullmatch, text.split(","))):
            raise Failed(f"{given}: neither a file nor hosts such as a,b:4")
        hosts = tuple(map(Host.read, text.split(",")))
    if any(host.slots == 0 for host in hosts):
        raise Failed(f"{given}: a host has 0 ranks")
    return hosts


def hosts_of(text: str) -> tuple[Host, ...]:
    """The same, of machines that exist.

    The first is to be this one: rank 0 runs there, and writes the results where `exec` looks for them. Raises
    Failed, which names what is wrong, also if a machine is not known.
    """
    hosts = named_hosts(text)
    given = f"--hosts {text}"
    for host in hosts:
        try:
            socket.getaddrinfo(host.name, None)
        except OSError as error:
            raise Failed(f"{given}: there is no host {host.name}: {error.strerror}") from error
    if not is_here(hosts[0].name):
        raise Failed(
            f"{given}: {hosts[0].name} is another machine, but rank 0 must write its results on this one",
            remedy=f"--hosts localhost,{hosts[0].name}",
        )
    return hosts


def hosts_in(file: Path) -> tuple[Host, ...]:
    """The machines that a file names. Raises Failed, which names the line, if it is no such file."""
    hosts = []
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        said = line.partition("#")[0].strip()
        if not said:
            continue
        found = HOST_LINE.fullmatch(said)
        if not found:
            raise Failed(f"{file}, line {number}: '{said}' is not a host such as `b slots=4`")
        slots = found[2] or found[3]
        hosts.append(Host(found[1], int(slots) if slots else None))
    if not hosts:
        raise Failed(f"{file} names no host")
    return tuple(hosts)


def is_here(name: str) -> bool:
    """Whether a machine is this one: whether an address of its name can be bound to."""
    for family, kind, _, _, address in socket.getaddrinfo(name, 0, type=socket.SOCK_STREAM):
        with socket.socket(family, kind) as tried:
            try:
                tried.bind(address)
            except OSError:
                continue
            return True
    return False


def cause(done: Finished, name: str) -> str:
    """Why a program of several ranks failed; empty if it did not.

    A rank that was ended comes first: the others say only that they were interrupted then.
    """
    if done.code == 0:
        return ""
    if fell := FELL.search(done.errors):
        return f"rank {fell[1]} on {fell[2]} was ended by {signal_name(int(fell[3]))}"
    if fell := FELL_WITHOUT_NAME.search(done.errors):
        return f"a rank was ended by {signal_name(int(fell[1]))}"
    return done.cause(name)
