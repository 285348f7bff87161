"""Tests of SPar's compiler: programs print as streams what they print as loops.

They are those of a folder, and those that the page about the compiler shows (between ```cpp spar and ```).

All are compiled as one file (bundle.py); those with a line `// mpi` also run on several processes.
"""

import re
from pathlib import Path

from bundle import bundle
from comparing import (
    POLICIES,
    Wrong,
    compare,
    compilers,
    expectations,
    main,
    parser,
    printed,
    same,
    settings_of,
)

PROGRAMS = Path(__file__).parent / "programs"


PAGE = Path(__file__).parents[2] / "docs" / "spar.md"
SHOWN = re.compile(r"^```cpp spar\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def programs(*, across: bool) -> dict[str, str]:
    """The programs by name, or those that can be spread over processes."""
    every = {place.stem: place.read_text(encoding="utf-8") for place in sorted(PROGRAMS.glob("*.cpp"))}
    page = PAGE.read_text(encoding="utf-8")
    for shown in SHOWN.finditer(page):
        every[f"line_{page.count(chr(10), 0, shown.start()) + 2}"] = shown[1]
    return {name: text for name, text in every.items() if not across or "// mpi\n" in text}


def test() -> list[str]:
    """Compares them; gives what is wrong."""
    reads = parser(__doc__)
    reads.add_argument("--mpi", help="the launcher and its words: run on several processes")
    reads.add_argument(
        "--flag", action="append", default=[], help="for the compiler, as in -fsanitize=thread"
    )
    given = reads.parse_args()
    chosen = programs(across=given.mpi is not None)
    given.folder.mkdir(parents=True, exist_ok=True)
    source = given.folder / "programs.cpp"
    source.write_text(bundle(chosen.items()), encoding="utf-8")
    its = compilers(given)
    expected = expectations(its.oracles(source), [*chosen])
    if given.mpi is None:
        return compare(its.stream(source, *given.flag), expected, settings_of(POLICIES))
    program = its.stream(source, *given.flag, "--policy", "mpi")
    wrong = []
    for ranks in (1, 2, 3):
        for name, output in expected.items():
            try:
                across = printed(
                    [*given.mpi.split(), str(ranks), str(program), name], {"SPAR_NUM_WORKERS": "2"}
                )
                same(output, across, f"{name} on {ranks} ranks")
            except Wrong as found:
                wrong.append(str(found))
    return wrong


if __name__ == "__main__":
    main(test)
