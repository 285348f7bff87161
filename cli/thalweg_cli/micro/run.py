"""Runs benchmark programs, shows how far they are, and collects what they print."""

import json
import queue
import subprocess
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from thalweg_cli.base.terminal import Failed, bar
from thalweg_cli.micro.results import Event, Results

SILENCE_S = 240.0
"""A program that says nothing for so long hangs: it reports progress after each run of a contender."""

PATIENCE_S = 5.0
"""How long a program may take to end when it is asked to."""


def follow(command: Sequence[str], results: Results, environment: dict[str, str] | None = None) -> None:
    """Runs a program that prints JSON lines, one an event, and adds all of them to the results.

    Rows are taken when it has ended: to compute their intervals meanwhile would disturb what it measures.
    `environment`: another than that of this process.

    Raises Failed if it crashes or hangs; what it found until then is kept.
    """
    with (
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        ) as program,
        bar("measuring") as progress,
    ):
        doing = "starting"
        rows: list[Event] = []
        try:
            for event in events(program):
                if event.get("type") == "row":
                    rows.append(event)
                else:
                    results.take(event)
                if event.get("type") == "begin":
                    doing = event["bench"]
                elif event.get("type") == "progress":
                    doing = f"{event['bench']}: {event['doing']}"
                    progress.advance_to(event["done"], event["steps"], doing)
        except TimeoutError as error:
            end(program)
            raise Failed(f"the benchmark hangs at {doing}", remedy="run the others by name") from error
        except BaseException:
            end(program)
            raise
        finally:
            for event in rows:
                results.take(event)
        assert program.stderr is not None
        said = program.stderr.read()
    if program.returncode != 0 and not results.wrong:
        raise Failed(f"{Path(command[0]).name} ended with code {program.returncode} at {doing}", output=said)


def end(program: subprocess.Popen[str]) -> None:
    """Ends a program. What has started others, as launchers have, is given the time to end them."""
    program.terminate()
    try:
        program.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        program.kill()


def events(program: subprocess.Popen[str]) -> Iterator[Event]:
    """The events of a program as they come. Raises TimeoutError when it falls silent."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        assert program.stdout is not None
        for line in program.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=SILENCE_S)
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            return
        if line.startswith("{"):
            yield json.loads(line)
