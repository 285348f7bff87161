"""Checks that a C++ program does not compile, and that the compiler says why in words that help.

usage: check.py program.cpp compiler [flag...]

The first line of the program holds the regular expression that the compiler's first error must match, with
what is said of where it is, for that is the one that is read:

    // expect: cannot connect .*int.*std::string

At most two errors may follow it: they say less, and a reader has to find out that they mean nothing.

The wrong part may stand between `#ifdef WRONG` and `#endif`; then the program must compile without it, which
shows that nothing else is wrong with it. That takes as long again, so it is left to a long run: what else is
wrong would mostly be the first error.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

MOST_ERRORS = 3
LONG = float(os.environ.get("THALWEG_TEST_SCALE", "1")) >= 20


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
    if "#ifdef WRONG" in text and LONG:
        right = compile_only(program, command)
        if right.returncode != 0:
            return f"does not compile without its wrong part:\n{right.stderr}"
    wrong = compile_only(program, command, "-DWRONG")
    if wrong.returncode == 0:
        return "compiles, but must not"
    errors = list(re.finditer(r"^.*\berror: .*$", wrong.stderr, re.MULTILINE))
    first = wrong.stderr[: errors[1].start()] if len(errors) > 1 else wrong.stderr
    # Whichever version it is.
    first = re.sub(r"\bthalweg::v\d+_\d+::", "thalweg::", first)
    if re.search(expected[1].strip(), first) is None:
        return f"the compiler's first error does not match: {expected[1].strip()}\n{wrong.stderr}"
    if len(errors) > MOST_ERRORS:
        return f"{len(errors)} errors, which is more than {MOST_ERRORS}:\n" + "\n".join(e[0] for e in errors)
    return None


def main() -> None:
    """Ends with an error that says what is wrong with the program as a test."""
    program = Path(sys.argv[1])
    if found := problem(program, sys.argv[2:]):
        sys.exit(f"{program.name}: {found}")


main()
