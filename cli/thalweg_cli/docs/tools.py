"""What `./thalweg docs` needs besides what all commands need: it is installed when it is first wanted."""

import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from packaging.requirements import Requirement

from thalweg_cli.base.packages import needed_later
from thalweg_cli.base.paths import ROOT
from thalweg_cli.base.terminal import console
from thalweg_cli.setup.install import install_all
from thalweg_cli.setup.pip import pip_install

READER = "doxygen"
"""The one of the packages without which no site can be built; the others are for its tests."""


def docs_requirements() -> list[Requirement]:
    """The Python packages that make the site, as cli/pyproject.toml has them."""
    project = tomllib.loads((ROOT / "cli" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [Requirement(one) for one in project["optional-dependencies"]["docs"]]


def satisfied(wanted: Requirement) -> str | None:
    """The version of a Python package that is there, if it is one of those that are wanted."""
    try:
        there = version(wanted.name)
    except PackageNotFoundError:
        return None
    return there if wanted.specifier.contains(there) else None


def get_tools(*, for_tests: bool = False) -> None:
    """Installs what is missing. Raises Failed if it cannot be had."""
    packages = [one for one in needed_later() if for_tests or one.name == READER]
    if missing := [one.name for one in packages if not one.found()]:
        install_all(missing)
    if lacking := [str(one) for one in docs_requirements() if not satisfied(one)]:
        console.print(f"installing {', '.join(lacking)} from PyPI", style="dim", markup=False)
        pip_install(Path(sys.executable), lacking)
