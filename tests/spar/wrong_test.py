"""What thalweg-spar says of wrong programs, to the letter, and that it says nothing of right ones.

usage: wrong_test.py thalweg-spar [program.cpp...]

The last lines of each program of `wrong/` hold all that the tool says of it, in order:

    // expect: 9:7: error: stage 1 is replicated, and ...
    // expect: 9:7: note: make it a std::atomic, ...

or `// expect: nothing`. It ends with 1 if there is an error among it, and otherwise with 0. The line
`// fixed: nothing` says that the tool accepts the program in silence once all changes that it offers are made.
"""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent / "wrong"
SAID = re.compile(r"^(?:.*?):(\d+:\d+: (?:error|warning|note|remark): .*)$", re.MULTILINE)
CHANGE = re.compile(r'^fix-it:".*":\{(\d+):(\d+)-(\d+):(\d+)\}:"(.*)"$', re.MULTILINE)


def run(tool: str, program: Path) -> tuple[int, list[str], list[re.Match[str]]]:
    """The exit status, what the tool says, and the changes that it offers."""
    done = subprocess.run(
        [
            tool,
            "-o",
            os.devnull,
            str(program),
            "--",
            "-std=c++20",
            f"-I{HERE}",
            "-fdiagnostics-parseable-fixits",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, SAID.findall(done.stderr), list(CHANGE.finditer(done.stderr))


def changed(text: str, changes: list[re.Match[str]]) -> str:
    """The text with all changes made, from the last to the first."""
    starts = [0]
    for each in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(each))
    edits: set[tuple[int, int, str]] = set()
    for change in changes:
        line, column, end_line, end_column = (int(change[i]) for i in range(1, 5))
        edits.add((starts[line - 1] + column - 1, starts[end_line - 1] + end_column - 1, change[5]))
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


def problem(tool: str, program: Path) -> str | None:
    """What is wrong with what the tool says of a program."""
    text = program.read_text(encoding="utf-8")
    expected = re.findall(r"^// expect: (.+)$", text, re.MULTILINE)
    if not expected:
        return "no line says `// expect: ...`"
    status, said, changes = run(tool, program)
    if said != [line for line in expected if line != "nothing"]:
        return "it says:\n" + "\n".join(f"// expect: {line}" for line in said or ["nothing"])
    fails = any(": error: " in line for line in expected)
    if status != int(fails):
        return f"it ends with {status}"
    if "// fixed: nothing" not in text:
        return None
    with tempfile.TemporaryDirectory() as folder:
        fixed = Path(folder) / program.name
        fixed.write_text(changed(text, changes), encoding="utf-8")
        status, said, _ = run(tool, fixed)
        if status != 0 or said:
            return "with all changes it says:\n" + "\n".join(said) + "\n" + fixed.read_text(encoding="utf-8")
    return None


def main() -> None:
    """Ends with what is wrong, program by program."""
    tool = sys.argv[1]
    programs = [Path(name) for name in sys.argv[2:]] or sorted(HERE.glob("*.cpp"))
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        found = list(threads.map(lambda program: problem(tool, program), programs))
    wrong = [f"{program.name}: {text}" for program, text in zip(programs, found, strict=True) if text]
    print(f"{len(programs)} programs, {len(wrong)} of them otherwise than expected")
    if wrong or not programs:
        sys.exit("\n".join(wrong) or "no programs")


if __name__ == "__main__":
    main()
