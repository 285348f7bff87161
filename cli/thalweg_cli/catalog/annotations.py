"""Programs whose parallelism stands in annotations, as SPar has them: other compilers skip these."""

import re
from pathlib import Path

from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog.user_benchmarks import Benchmark

SPAR = re.compile(r"\[\[\s*spar::")
COMPILER = "spar"


def is_annotated_in_vain(one: Benchmark) -> bool:
    """Whether a benchmark has annotations, and is compiled by what does not know them.

    One whose configuration cannot be read has no compiler: why not is told where it is to be built.
    """
    try:
        text = one.program.read_text(encoding="utf-8", errors="replace")
        compiler = one.settings().bench_cxx
    except (OSError, Failed):
        return False
    return SPAR.search(text) is not None and not Path(compiler).name.startswith(COMPILER)
