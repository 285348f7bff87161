"""What the tests for 64-bit ARM need: a compiler for it, and QEMU, which runs what it makes."""

import shutil

from thalweg_cli.setup.install import install_all

TOOLS = {"aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu", "qemu-aarch64": "qemu-user"}
"""Commands, with Debian's packages that have them; cmake/aarch64.cmake calls them."""


def get_cross_tools() -> None:
    """Installs what is missing. Raises Failed if it cannot be had."""
    if missing := [package for command, package in TOOLS.items() if not shutil.which(command)]:
        install_all(missing)
