"""Makes one source file of many programs: a compiler reads the library's headers once for all of them.

Each program stands in a namespace of its own, and its `main` is a function there. The file's own `main` runs
the one that its argument names.
"""

import re
from collections.abc import Iterable

MAIN = re.compile(r"^int main\(\)", re.MULTILINE)
INCLUDE = re.compile(r"^#include .*$", re.MULTILINE)


def bundle(programs: Iterable[tuple[str, str]]) -> str:
    """The text of the one file, from the names of programs and their texts."""
    includes: set[str] = {"#include <cstdio>", "#include <cstring>"}
    parts = []
    names = []
    for name, text in programs:
        if len(MAIN.findall(text)) != 1:
            raise ValueError(f"{name}: a program has one `int main()`, which takes no arguments")
        includes.update(INCLUDE.findall(text))
        body = MAIN.sub("int program()", INCLUDE.sub("", text))
        parts.append(f"namespace {name} {{\n{body}\n}}  // namespace {name}\n")
        names.append(name)
    cases = "".join(
        f'  if (std::strcmp(arguments[1], "{name}") == 0) return {name}::program();\n' for name in names
    )
    return (
        "\n".join(sorted(includes))
        + "\n\n"
        + "\n".join(parts)
        + "\nint main(int count, char** arguments) {\n  if (count != 2) return 2;\n"
        + cases
        + '  std::fprintf(stderr, "no program %s\\n", arguments[1]);\n  return 2;\n}\n'
    )
