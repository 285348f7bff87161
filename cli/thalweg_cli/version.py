"""`./thalweg version`: which Thalweg this is."""

from thalweg_cli.base.terminal import console
from thalweg_cli.base.version import number
from thalweg_cli.results.circumstances import commit


def version() -> None:
    """Show the version, and the commit."""
    console.print(f"thalweg {number()}, commit {commit()}", markup=False)
