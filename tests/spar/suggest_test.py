"""What thalweg-spar suggests for loops without attributes, to the letter; it must accept what it suggests.

usage: suggest_test.py thalweg-spar [program.cpp...]

The last lines of each program of `suggest/` hold all that the tool says of it, in order, and the lines that its
patch adds and takes away:

    // expect: 9:3: remark: this loop could be a stream: its source and one stage
    // patch: +  [[spar::ToStream]]
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent / "suggest"
SAID = re.compile(r"^(?:.*?):(\d+:\d+: (?:error|warning|note|remark): .*)$", re.MULTILINE)
HUNK = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")


def run(tool: str, program: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """One run of the tool."""
    return subprocess.run(
        [tool, *options, str(program), "--", "-std=c++20", f"-I{HERE}"],
        capture_output=True,
        text=True,
        check=False,
    )


def patched(text: str, diff: str) -> str:
    """The text with a unified diff applied; an AssertionError if it does not fit."""
    old = text.splitlines(keepends=True)
    new: list[str] = []
    done = 0
    lines = diff.splitlines(keepends=True)[2:]
    while lines:
        hunk = HUNK.match(lines.pop(0))
        assert hunk, "no hunk"
        first, count, new_first, new_count = (int(number) for number in hunk.groups())
        new += old[done : first - 1]
        done = first - 1
        assert len(new) == new_first - 1, "a hunk begins elsewhere"
        while lines and not lines[0].startswith("@@"):
            line = lines.pop(0)
            if line[0] != "+":
                assert old[done] == line[1:], f"the text has {old[done]!r}, the diff {line!r}"
                done += 1
            if line[0] != "-":
                new.append(line[1:])
        assert done == first - 1 + count, "a hunk has another length"
        assert len(new) == new_first - 1 + new_count, "a hunk has another length"
    return "".join(new + old[done:])


def said_of(tool: str, program: Path) -> tuple[list[str], str]:
    """What the tool says of a program, as the lines that the program holds, and its patch."""
    done = run(tool, program, "--suggest")
    if done.returncode != 0:
        return [f"it ends with {done.returncode}:\n{done.stderr}"], ""
    changes = [line for line in done.stdout.splitlines()[2:] if line[0] in "+-"]
    said = [f"// expect: {line}" for line in SAID.findall(done.stderr) or ["nothing"]]
    return said + [f"// patch: {line}" for line in changes], done.stdout


def problem(tool: str, program: Path) -> str | None:
    """What is wrong with what the tool suggests for a program."""
    text = program.read_text(encoding="utf-8")
    said, diff = said_of(tool, program)
    if said != re.findall(r"^// (?:expect|patch): .*$", text, re.MULTILINE):
        return "it says:\n" + "\n".join(said)
    with tempfile.TemporaryDirectory() as folder:
        changed = Path(folder) / program.name
        changed.write_text(patched(text, diff) if diff else text, encoding="utf-8")
        accepts = run(tool, changed, "-o", str(Path(folder) / "written.cpp"))
        if accepts.returncode != 0 or SAID.search(accepts.stderr):
            return f"it does not accept what it suggests:\n{accepts.stderr}\n{patched(text, diff)}"
        again, _ = said_of(tool, changed)
        if any("could be a stream" in line for line in again):
            return "it suggests the same again:\n" + "\n".join(again)
    return None


def main() -> None:
    """Ends with what is wrong, program by program."""
    tool = sys.argv[1]
    programs = [Path(name) for name in sys.argv[2:]] or sorted(HERE.glob("*.cpp"))
    wrong = [f"{program.name}: {found}" for program in programs if (found := problem(tool, program))]
    print(f"{len(programs)} programs, {len(wrong)} of them otherwise than expected")
    if wrong or not programs:
        sys.exit("\n".join(wrong) or "no programs")


if __name__ == "__main__":
    main()
