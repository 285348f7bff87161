"""`./thalweg demo --live`: a stream whose page in the browser is worth a look, and what was seen there."""

import json
import os
import subprocess
import urllib.request
import webbrowser
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.process import running
from thalweg_cli.base.terminal import Failed, bar, console
from thalweg_cli.build.cmake import MEASURED, build
from thalweg_cli.build.live import check_live

SLOW = "upload"
"""The stage that becomes slow."""

NOTHING = {"schedule": "nothing: it kept up", "unknown": "nothing that stands out"}
"""Reasons for which no stage has the badge."""

PATIENCE_S = 60


def demo_live(folder: Path | None, policy: str, *, opens: bool, slow_from: int, blocks: int) -> None:
    """Runs the stream until Ctrl-C, with its page, and says what was seen. Raises Failed if there is none."""
    check_live()
    build(MEASURED, "demo_live")
    program = build_folder(MEASURED) / "examples" / "demo" / "demo_live"
    command = [str(program), "--policy", policy, "--slow-from", str(slow_from), "--blocks", str(blocks)]
    if folder is not None:
        command.append(str(folder.absolute()))
    with running(command) as process:
        head = first_line(process)
        try:
            tell(head)
            if opens:
                open_in_browser(head["url"])
            follow(process, head["blocks"])
            raise failure(process)
        except KeyboardInterrupt:
            console.print()
        state = state_of(process, head["url"])
        process.terminate()
        process.communicate()
    console.print(table_of(phases(state, head["slow_from"])))


def first_line(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Where the page is, and how long the stream is. Raises Failed if the program has ended before."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise failure(process)
    return dict(json.loads(line))


def failure(process: subprocess.Popen[str]) -> Failed:
    """What to say of a program that has ended before it was told to."""
    _, said = process.communicate()
    return Failed(f"the demo ended with code {process.returncode}", output=said)


def tell(head: Mapping[str, Any]) -> None:
    """Says what there is to see, and where."""
    console.print(
        f"a stream of {head['blocks']:,} blocks; after {head['slow_from']:,}, '{SLOW}' becomes slow"
    )
    console.print(f"its page: {head['url']}", markup=False, soft_wrap=True)
    console.print(f"choose the box '{SLOW}' there, and give it more replicas; Ctrl-C ends this")


def open_in_browser(url: str) -> None:
    """Shows the page in the user's browser, if there is one that has a window."""
    with suppress(webbrowser.Error):
        browser = webbrowser.get()
        # Others take the terminal.
        if "BROWSER" in os.environ or type(browser) is not webbrowser.GenericBrowser:
            browser.open(url)


def follow(process: subprocess.Popen[str], blocks: int) -> None:
    """Shows how far the stream is, and that its page stays, until the program ends."""
    assert process.stdout is not None
    reports = (json.loads(line) for line in process.stdout)
    last: dict[str, Any] = {}
    with bar("uploading") as progress:
        for last in reports:
            if last["final"]:
                break
            replicas = next(stage["replicas"] for stage in last["stages"] if stage["name"] == SLOW)
            progress.advance_to(last["items"], blocks, f"'{SLOW}' may have {replicas} at work")
    if last.get("final"):
        console.print(f"{last['items']:,} blocks are uploaded; the page stays until Ctrl-C")
    for _ in reports:
        pass


def state_of(process: subprocess.Popen[str], url: str) -> dict[str, Any]:
    """What the page shows. Raises Failed if the program has ended."""
    where = url.partition("#")[0] + "api/state"
    try:
        with urllib.request.urlopen(where, timeout=PATIENCE_S) as answer:
            return dict(json.load(answer))
    except OSError as error:
        if process.poll() is not None:
            raise failure(process) from error
        raise Failed(f"{where} does not answer: {error}") from error


@dataclass
class Phase:
    """A time in which the stage was slow or not, and had a number of replicas: what was measured then."""

    slow: bool
    replicas: int
    begin_ns: int
    end_ns: int = 0
    blocks: int = 0
    services_ns: list[float] = field(default_factory=list)
    limits: Counter[str] = field(default_factory=Counter)

    @property
    def limit(self) -> str:
        """What limited the stream most of the time."""
        return self.limits.most_common(1)[0][0] if self.limits else ""

    @property
    def rate(self) -> float:
        """Blocks a second."""
        return self.blocks / max(1e-9, (self.end_ns - self.begin_ns) / 1e9)

    def add(self, sample: Mapping[str, Any], stage: Mapping[str, Any], blocks: int) -> None:
        """Takes a sample, in which so many blocks came out."""
        self.end_ns = sample["time_ns"]
        self.blocks += blocks
        if "service_ns" in stage:
            self.services_ns.append(stage["service_ns"])
        limit = sample["bottleneck"]
        self.limits[NOTHING.get(limit["reason"], limit["stage"])] += 1


def phases(state: Mapping[str, Any], slow_from: int) -> list[Phase]:
    """What was seen, in order."""
    place = [stage["name"] for stage in state["graph"]["stages"]].index(SLOW)
    found: list[Phase] = []
    items = 0
    for sample in state["history"]:
        stage = sample["stages"][place]
        key = (stage["items_out"] >= slow_from, stage["replicas"])
        if not found or (found[-1].slow, found[-1].replicas) != key:
            found.append(Phase(*key, sample["time_ns"] - sample["window_ns"]))
        found[-1].add(sample, stage, sample["items"] - items)
        items = sample["items"]
    return found


def table_of(seen: Sequence[Phase]) -> Table:
    """What was seen, as a table."""
    table = Table(title="what was seen", title_justify="left")
    table.add_column("seconds", justify="right")
    table.add_column(f"time of an {SLOW}", justify="right")
    table.add_column("replicas", justify="right")
    table.add_column("blocks/s", justify="right")
    table.add_column("what limited")
    for one in seen:
        times = one.services_ns
        table.add_row(
            f"{one.begin_ns / 1e9:.1f} to {one.end_ns / 1e9:.1f}",
            f"{sum(times) / len(times) / 1e6:.1f} ms" if times else "",
            str(one.replicas),
            f"{one.rate:.0f}",
            escape(one.limit),
        )
    return table
