"""`./thalweg version`: which Thalweg this is."""

from importlib.metadata import version as version_of

from thalweg_cli.circumstances import commit
from thalweg_cli.terminal import console


def version() -> None:
    """Show the version, and the commit."""
    console.print(f"thalweg {version_of('thalweg-cli')}, commit {commit()}", markup=False)
