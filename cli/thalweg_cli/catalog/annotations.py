"""Programs whose parallelism stands in annotations, as SPar has them: other compilers skip these.

Those that use the interface of that name are translated by Thalweg's own compiler for them.
"""

import re
from pathlib import Path

from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog.user_benchmarks import Benchmark
from thalweg_cli.catalog.user_settings import Settings

SPAR = "spar"
"""The interface, by name, of programs with annotations."""

ANNOTATION = re.compile(r"\[\[\s*spar::")
COMPILERS = (SPAR, "thalweg-spar")
"""How the names of compilers begin that know annotations: SPar's own, and Thalweg's."""


def compiles_annotations(settings: Settings) -> bool:
    """Whether the compiler that is set for a program knows annotations."""
    return Path(settings.bench_cxx).name.startswith(COMPILERS)


def is_annotated_in_vain(one: Benchmark) -> bool:
    """Whether a benchmark has annotations, and is neither translated nor compiled by what knows them.

    One whose configuration cannot be read has no compiler: why not is told where it is to be built.
    """
    try:
        text = one.program.read_text(encoding="utf-8", errors="replace")
        settings = one.settings()
    except (OSError, Failed):
        return False
    is_translated = SPAR in (one.interface, *settings.uses)
    return ANNOTATION.search(text) is not None and not is_translated and not compiles_annotations(settings)
