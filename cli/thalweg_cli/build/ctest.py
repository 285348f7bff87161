"""Runs CTest, showing progress, and counts what passed."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from thalweg_cli.base.terminal import Failed, bar
from thalweg_cli.build.cmake import last_lines, running

FINISHED = re.compile(r" *(\d+)/(\d+) Test +#\d+: (.+?) \.*")


@dataclass(frozen=True)
class Failure:
    """A test that did not pass: its name and what it printed."""

    name: str
    output: str


@dataclass
class Results:
    """What came of some tests."""

    passed: int = 0
    skipped: int = 0
    failures: list[Failure] = field(default_factory=list)
    seconds: float = 0.0
    build_seconds: float = 0.0


def run_ctest(
    folder: Path,
    *,
    environment: dict[str, str],
    labels: Sequence[str],
    wrapper: Sequence[str],
    without: Sequence[str] = (),
) -> Results:
    """Runs a build folder's tests under the command `wrapper`.

    All, or those with one of `labels`; none that has one of `without`.
    """
    junit = folder / "tests.xml"
    junit.unlink(missing_ok=True)
    jobs = len(os.sched_getaffinity(0))
    command = [*wrapper, "ctest", "--test-dir", str(folder), "--parallel", str(jobs)]
    command += ["--output-junit", str(junit), "--no-tests=error"]
    if labels:
        command += ["--label-regex", f"^({'|'.join(labels)})$"]
    if without:
        command += ["--label-exclude", f"^({'|'.join(without)})$"]
    said = []
    with (
        running(command, environment) as ctest,
        bar(f"testing {folder.name}") as progress,
    ):
        assert ctest.stdout is not None
        for line in ctest.stdout:
            said.append(line)
            if test := FINISHED.match(line):
                progress.advance_to(int(test[1]), int(test[2]), test[3])
    if not junit.exists():
        raise Failed(f"ctest did not finish in {folder}", output=last_lines("".join(said)))
    return read_results(junit.read_text(encoding="utf-8", errors="replace"))


def read_results(junit: str) -> Results:
    """Counts the tests in CTest's JUnit file.

    A test that said itself that it does not apply here was skipped; one that did not run at all failed.
    """
    # Test output may hold characters that XML does not allow.
    root = ElementTree.fromstring(re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd]", "?", junit))
    results = Results(seconds=float(root.get("time", "0")))
    for case in root.iter("testcase"):
        if case.get("status") == "run":
            results.passed += 1
        elif skipped_itself(case):
            results.skipped += 1
        else:
            output = case.findtext("system-out") or "(it did not run)"
            results.failures.append(Failure(case.get("name", "?"), output))
    return results


def skipped_itself(case: ElementTree.Element) -> bool:
    """Whether a test ran and skipped itself: CTest calls that "notrun", as if its program were missing."""
    skipped = case.find("skipped")
    return skipped is not None and skipped.get("message", "").startswith("SKIP_")
