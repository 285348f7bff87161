"""Checks that a C++ program does not compile, and that the compiler says why in words that help.

usage: check.py program.cpp compiler [flag...]

The first line of the program holds the regular expression that the compiler's messages must match:

    // expect: cannot connect .*int.*std::string

The wrong part may stand between `#ifdef WRONG` and `#endif`; then the program must compile without it, which
shows that nothing else is wrong with it.
"""

import os
import re
import subprocess
import sys
from pathlib import Path


def compile_only(program: Path, command: list[str], *flags: str) -> subprocess.CompletedProcess[str]:
    """Runs the compiler up to its last check, with messages in plain English."""
    return subprocess.run(
        [*command, *flags, "-fsyntax-only", "-fdiagnostics-color=never", str(program)],
        capture_output=True,
        text=True,
        env={**os.environ, "LC_ALL": "C"},
        check=False,
    )


def problem(program: Path, command: list[str]) -> str | None:
    """What is wrong with the program as a test, or None if the compiler refuses it as expected."""
    text = program.read_text(encoding="utf-8")
    expected = re.match(r"// expect: *(.+)", text)
    if expected is None:
        return "the first line must be `// expect: <regular expression>`"
    if "#ifdef WRONG" in text:
        right = compile_only(program, command)
        if right.returncode != 0:
            return f"does not compile without its wrong part:\n{right.stderr}"
    wrong = compile_only(program, command, "-DWRONG")
    if wrong.returncode == 0:
        return "compiles, but must not"
    if re.search(expected[1].strip(), wrong.stderr) is None:
        return f"no compiler message matches: {expected[1].strip()}\n{wrong.stderr}"
    return None


def main() -> None:
    """Ends with an error that says what is wrong with the program as a test."""
    program = Path(sys.argv[1])
    if found := problem(program, sys.argv[2:]):
        sys.exit(f"{program.name}: {found}")


main()
