"""The page of an experiment: one file that needs no other."""

from collections.abc import Sequence
from dataclasses import asdict

from thalweg_cli.experiments.sections import Section
from thalweg_cli.report.page import assembled

SCRIPTS = ("basics", "plots", "theme", "experiment")


def page(name: str, asked: str, sections: Sequence[Section]) -> str:
    """The page as HTML. `asked` says what was run."""
    told = {"asked": asked, "sections": [asdict(one) for one in sections]}
    return assembled("experiment.html", f"Thalweg: {name}", told, SCRIPTS)
