"""Turns the examples in a header's or a page's documentation into GoogleTest cases.

usage: extract.py document source.cpp

An example of a header is what stands in its comments between a line ```cpp and a line ```. It is the body of
a function, in which <thalweg/thalweg.hpp> and the common standard headers are included (example.hpp), `tw` is
the library and `assert` checks. Its own #include lines may come first. With an `int main()` it is a program.

An example of a page (.md) is run when its fence says ```cpp run.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

PREAMBLE = """\
// Made from {document} by tests/docs/extract.py.
#include "example.hpp"
{includes}
"""


@dataclass
class Example:
    """One fenced block: where its code starts (line 1 is the first), and the code."""

    line: int
    code: list[str] = field(default_factory=list)


def examples_of(document: Path) -> list[Example]:
    """The examples of a header or page, in the order in which they stand there."""
    header = document.suffix == ".hpp"
    fence = re.compile(r"```cpp\s*$" if header else r"```cpp run\s*$")
    comment = re.compile(r"^\s*(?:///?|\*)? ?" if header else r"^")
    found: list[Example] = []
    current: Example | None = None
    for number, raw in enumerate(document.read_text(encoding="utf-8").splitlines(), start=1):
        line = comment.sub("", raw, count=1)
        if current is not None and line.strip() == "```":
            found.append(current)
            current = None
        elif current is not None:
            current.code.append(line)
        elif fence.match(line.strip()):
            current = Example(line=number + 1)
    if current is not None:
        raise ValueError(f"{document}:{current.line - 1}: an example without an end")
    return found


def test_case(example: Example, document: Path, suite: str) -> tuple[list[str], str]:
    """The #include lines of an example, and a test case that runs the rest."""
    includes = [line for line in example.code if line.startswith("#include")]
    # Lines that move to the top leave empty ones behind, so that the compiler names the line of the document.
    moved = ("#include", "namespace tw =")
    body = "\n".join("" if line.startswith(moved) else line for line in example.code)
    place = f'#line {example.line} "{document.resolve()}"'
    test = f"TEST({suite}, line_{example.line})"
    if "int main(" not in body:
        return includes, f"{test} {{\nconst separate_folder runs_here;\n{place}\n{body}\n}}\n"
    if "int main()" not in body:
        raise ValueError(f"{document}:{example.line}: an example's main takes no arguments")
    # Only main may end without a return, and main may not be called.
    program = body.replace("int main()", "int program()").rstrip().removesuffix("}") + "return 0; }"
    scope = f"{suite}_{example.line}"
    return includes, (
        f"namespace {scope} {{\n{place}\n{program}\n}}\n"
        f"{test} {{ const separate_folder runs_here; EXPECT_EQ({scope}::program(), 0); }}\n"
    )


def source_of(document: Path) -> str:
    """The whole source file for a document."""
    suite = re.sub(r"\W+", "_", str(document.with_suffix("")))
    suite = suite.removeprefix("include_thalweg_")
    cases = [test_case(example, document, suite) for example in examples_of(document)]
    if not cases:
        return f"// No examples in {document}.\n"
    includes = sorted({line for lines, _ in cases for line in lines if "thalweg/thalweg.hpp" not in line})
    return "\n".join(
        [PREAMBLE.format(document=document, includes="\n".join(includes)), *(case for _, case in cases)]
    )


def main() -> None:
    """Writes the source file; ends with an error if the document cannot be understood."""
    document, target = Path(sys.argv[1]), Path(sys.argv[2])
    try:
        target.write_text(source_of(document), encoding="utf-8")
    except ValueError as error:
        sys.exit(str(error))


main()
