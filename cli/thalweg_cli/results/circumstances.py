"""Where and of what numbers come: machine, kernel, compiler, commit, libraries, environment."""

import os
import platform
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from thalweg_cli.base.cmake_cache import cached
from thalweg_cli.base.machine import UNKNOWN, caches, clock, first_line, memory, processor, system
from thalweg_cli.base.packages import needed
from thalweg_cli.build.cmake import PEERS
from thalweg_cli.build.peers import peers, said
from thalweg_cli.catalog.programs import PRESET, Program
from thalweg_cli.catalog.user_benchmarks import Benchmark, Benchmarks
from thalweg_cli.catalog.user_settings import Settings

MATTERING = re.compile(
    r"(?!THALWEG_(?:BENCHMARKS|NAME)$)((OMP|GOMP|KMP|TBB|THALWEG|FF|SPB|OPENCV|MALLOC|MIMALLOC|OMPI|MPICH)_.+"
    rf"|LD_PRELOAD|LD_LIBRARY_PATH|GLIBC_TUNABLES|{'|'.join(PEERS)})"
)
"""Variables that change what programs do. Where the user's benchmarks are, and our name, do not."""

GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


@dataclass(frozen=True)
class Circumstances:
    """What is to be known of a set of runs, to compare it with another one.

    `flags` are the compiler's; `changed` says whether files differ from the commit; `load` is the average of
    the last minute when the set began. `memory` is in bytes, 0 if it is not known; `system` is the
    distribution.
    """

    cpu: str = UNKNOWN
    cores: int = 0
    kernel: str = UNKNOWN
    governor: str = UNKNOWN
    load: float = 0
    compiler: str = UNKNOWN
    flags: str = UNKNOWN
    commit: str = UNKNOWN
    changed: bool = False
    libraries: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    memory: int = 0
    caches: str = UNKNOWN
    clock: str = UNKNOWN
    system: str = UNKNOWN

    @classmethod
    def here(cls, programs: Iterable[Program] = ()) -> Self:
        """Those of this machine, and of the build that `exec` measures. `programs` are what it measures."""
        described = commit()
        return cls(
            processor(),
            len(os.sched_getaffinity(0)),
            f"{platform.system()} {platform.release()}",
            first_line(GOVERNOR),
            os.getloadavg()[0],
            compiler(),
            flags(),
            described.removesuffix("-dirty"),
            described.endswith("-dirty"),
            libraries() | peers() | users(programs),
            mattering(os.environ),
            memory(),
            caches(),
            clock(),
            system(),
        )

    def as_plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def commit() -> str:
    """The commit that is measured, and whether files differ from it (`-dirty`)."""
    command = ["git", "describe", "--always", "--dirty"]
    return said(command) or UNKNOWN


def compiler() -> str:
    """The first line of what the compiler of the build says of itself."""
    place = cached("CMAKE_CXX_COMPILER")
    return said([place, "--version"]).partition("\n")[0] or UNKNOWN if place else UNKNOWN


def flags() -> str:
    """The flags of the build, as CMake keeps them."""
    kind = (cached("CMAKE_BUILD_TYPE") or PRESET).upper()
    return " ".join(filter(None, (cached("CMAKE_CXX_FLAGS"), cached(f"CMAKE_CXX_FLAGS_{kind}")))) or UNKNOWN


def libraries() -> dict[str, str]:
    """Versions of the packages that programs are made of."""
    names = [package.name for package in needed() if package.probe.startswith("header:")]
    listed = said(["dpkg-query", "-W", "-f", "${Package} ${Version}\\n", *names])
    return dict(re.findall(r"^(\S+) (\S+)$", listed, re.MULTILINE))


def users(programs: Iterable[Program]) -> dict[str, str]:
    """What programs of the user's own are made of, and what others are built with: no commit tells that."""
    found = {}
    for program in programs:
        if program.user_folder:
            one = Benchmark.read(program.user_folder)
            found[program.name] = "; ".join([one.described(), *versions(one.settings())])
        elif program.configured:
            settings = Benchmarks().settings_for(program.name)
            found[program.name] = "; ".join([*settings.described(), *versions(settings)])
    return found


def versions(settings: Settings) -> list[str]:
    """What compilers that were chosen say of themselves."""
    commands = dict.fromkeys(filter(None, (settings.cxx, settings.bench_cxx)))
    told = {command: said([command, "--version"]).partition("\n")[0] for command in commands}
    return [f"{command} is {version}" for command, version in told.items() if version]


def mattering(environment: Mapping[str, str]) -> dict[str, str]:
    """Those variables that change what programs do."""
    return {name: value for name, value in sorted(environment.items()) if MATTERING.fullmatch(name)}
