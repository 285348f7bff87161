"""What a live page costs: rows of the benchmark `observe`, measured by a separate program."""

from collections.abc import Sequence

from thalweg_cli.base.cmake_cache import cached
from thalweg_cli.base.paths import build_folder
from thalweg_cli.build.cmake import build
from thalweg_cli.build.live import MISSING, split
from thalweg_cli.micro.results import Results
from thalweg_cli.micro.run import follow

PROGRAM = "thalweg_micro_page"
BENCH = "observe"
"""The benchmark that its rows are of."""


def measure_page(preset: str, options: Sequence[str], results: Results) -> None:
    """Adds the rows; notes what to do if the component of the page is not built.

    To be called once CMake has run.
    """
    if missing := cached(MISSING):
        what, remedy = split(missing)
        results.missing["observe with a live page"] = f"{what}: {remedy}"
        return
    build(preset, PROGRAM)
    follow([str(build_folder(preset) / "micro" / PROGRAM), *options], results)
