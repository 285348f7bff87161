"""Tests of SPar's compiler: random programs print as streams what they print as loops (random_programs.py).

THALWEG_TEST_SCALE says how many more there are than usual. A program that fails is named by its seed:
`--seed` makes it anew, in a file of its own, and runs it alone.
"""

import os
from pathlib import Path

from comparing import POLICIES, Compilers, Wrong, compare, compilers, expectations, main, parser, settings_of
from random_programs import file_of, names

IN_A_FILE = 12
"""A compiler reads the library's headers once for so many streams."""


def different(its: Compilers, folder: Path, seeds: range) -> list[str]:
    """Compiles a file of the streams, and compares; gives what is wrong."""
    source = folder / f"random_{seeds.start}_{seeds.stop}.cpp"
    source.write_text(file_of(seeds), encoding="utf-8")
    flags = ["-I", str(Path(__file__).parent)]
    expected = expectations(its.oracles(source, *flags), names(seeds))
    return compare(its.stream(source, *flags), expected, settings_of(POLICIES))


def test() -> list[str]:
    """Compares all; gives what is wrong."""
    reads = parser(__doc__)
    reads.add_argument("--seed", type=int, help="only this one")
    given = reads.parse_args()
    its = compilers(given)
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.seed is not None:
        return different(its, given.folder, range(given.seed, given.seed + 1))
    scale = float(os.environ.get("THALWEG_TEST_SCALE", "1"))
    files = max(1, round(scale))
    wrong: list[str] = []
    for number in range(files):
        seeds = range(number * IN_A_FILE, (number + 1) * IN_A_FILE)
        try:
            wrong += different(its, given.folder, seeds)
        except Wrong as found:
            wrong.append(f"seeds {seeds.start} to {seeds.stop - 1}: {found}")
    return wrong


if __name__ == "__main__":
    main(test)
