"""`./thalweg doctor`: is everything there that Thalweg needs, and what to do if not."""

import os
import shutil
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import typer
from rich.markup import escape

from thalweg_cli.base.cmake_cache import cached
from thalweg_cli.base.packages import find_header, needed, needed_later
from thalweg_cli.base.paths import CARRIED, ROOT, TESTS
from thalweg_cli.base.terminal import console
from thalweg_cli.build.interfaces import INTERFACES, state_of
from thalweg_cli.docs.tools import docs_requirements, satisfied

PYTHON_PACKAGES = {
    "typer": "this command line",
    "rich": "tables and progress bars",
    "numpy": "statistics",
    "scipy": "statistics",
    "tree-sitter": "reads C++ sources",
    "tree-sitter-cpp": "the grammar of C++, for that",
    "matplotlib": "plots",
    "plotly": "plots in reports",
}

FOR_TESTS = {
    "cffconvert": "checks CITATION.cff, in the tests",
    "conan": "packages the library, in the tests",
    "wheel": "packages this command line, in the tests",
}


@dataclass(frozen=True)
class Peer:
    """A library that the micro-benchmarks compare with, used where its headers are found.

    `variable` is what CMake looks for it with: a folder that holds `marker` (the header, if there is none),
    from which `headers` lead to the headers.
    """

    name: str
    header: str
    variable: str
    marker: str = ""
    headers: tuple[str, ...] = ("",)

    def found(self) -> str | None:
        """Where its header lies: at the folder that its variable names, or among the system's headers."""
        named = [cached(self.variable), os.environ.get(self.variable, "")]
        places = [f"{folder}/{way}" for folder in named if folder for way in self.headers]
        header = find_header(self.header, *places)
        return str(header.resolve()) if header else None

    @property
    def fix(self) -> str:
        """How to make it known, also to a build that has looked for it in vain."""
        folder = f"<the folder that holds {self.marker or self.header}>"
        return f"./thalweg micro --list --peer-path {self.variable.removesuffix('_DIR')}={folder}"


PEERS = [
    # A package of TBB tells CMake itself where its headers are.
    Peer(
        "oneTBB",
        "tbb/parallel_pipeline.h",
        "TBB_DIR",
        marker="TBBConfig.cmake",
        headers=("../../../include", "../../../../include"),
    ),
    Peer("FastFlow", "ff/ff.hpp", "FASTFLOW_DIR"),
    Peer("Taskflow", "taskflow/taskflow.hpp", "TASKFLOW_DIR"),
    Peer("WindFlow", "wf/windflow.hpp", "WINDFLOW_DIR"),
    Peer("rigtorp SPSCQueue", "rigtorp/SPSCQueue.h", "RIGTORP_DIR"),
    Peer("atomic_queue", "atomic_queue/atomic_queue.h", "ATOMIC_QUEUE_DIR"),
    Peer("readerwriterqueue", "readerwriterqueue/readerwriterqueue.h", "READERWRITERQUEUE_DIR"),
]


def python_version(package: str) -> str | None:
    """The version of an installed Python package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def doctor() -> None:
    """List each dependency, found or not, with the command that fixes it; install nothing."""
    missing = 0
    for package in needed():
        missing += not show(package.name, package.purpose, package.found(), package.fix)
    what = "thalweg-cli" if CARRIED.is_dir() else f'-e "{ROOT / "cli"}{"[tests]" if TESTS.is_dir() else ""}"'
    install = f'"{sys.executable}" -m pip install {what}'
    for name, purpose in (PYTHON_PACKAGES | (FOR_TESTS if TESTS.is_dir() else {})).items():
        missing += not show(f"python {name}", purpose, python_version(name), install)
    console.print("\nFor ./thalweg docs and the tests of its pages, installed when they are first used:")
    for package in needed_later():
        show(package.name, package.purpose, package.found(), package.fix)
    for wanted in docs_requirements():
        show(f"python {wanted.name}", "", satisfied(wanted), "./thalweg docs")
    console.print("\nInterfaces that benchmark programs are written with, and ./thalweg micro compares with:")
    for interface in INTERFACES:
        state = state_of(interface)
        elsewhere = [peer.found() for peer in PEERS if peer.name == interface.title and not state.there]
        show(interface.title, "", state.says if state.there else next(iter(elsewhere), None), state.remedy)
    console.print("\nOther peers that ./thalweg micro compares with where their headers are found:")
    for peer in PEERS:
        if peer.name not in {one.title for one in INTERFACES}:
            show(peer.name, "", peer.found(), peer.fix)

    free_gb = shutil.disk_usage(ROOT).free / 1e9
    console.print(
        f"\n{len(os.sched_getaffinity(0))} processors, {free_gb:.0f} GB free in {ROOT}", markup=False
    )
    if missing:
        console.print(f"[bold red]{missing} missing[/]: run the commands above, as root or with sudo")
        raise typer.Exit(1)
    console.print("[bold green]nothing is missing[/]")


def show(name: str, purpose: str, found: str | None, fix: str) -> bool:
    """Prints a line for a dependency, and another with the fix if it is not there. True if it is there."""
    state = f"[green]{escape(found)}[/]" if found else "[red]not found[/]"
    console.print(f"{name:20}", state, f"[dim]{purpose}[/]" if purpose else "")
    if not found:
        console.print(f"{'':20} fix: {escape(fix)}")
    return found is not None
