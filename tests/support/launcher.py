"""Waits for launchers of ranks, which may not end themselves (thalweg_cli.base.stuck tells why)."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from thalweg_cli.base.stuck import PATIENCE_S, stuck


@contextmanager
def ended_if_stuck(launcher: subprocess.Popen[str]) -> Iterator[None]:
    """Kills it meanwhile, or what it has started and waits for, if that is stuck for long; says so."""
    over = threading.Event()

    def watch() -> None:
        since = time.monotonic()
        while not over.wait(0.5):
            who = stuck(launcher.pid)
            if who == 0:
                since = time.monotonic()
            elif time.monotonic() - since > PATIENCE_S:
                print("a launcher that has not ended long after all its ranks was killed", flush=True)
                os.kill(who, signal.SIGKILL)
                return

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield
    finally:
        over.set()
        watching.join()


def finish(
    command: list[str], timeout_s: float, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Like `subprocess.run`, of a launcher: one that was stuck is said to have been ended by SIGKILL."""
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=variables) as launcher,
        ended_if_stuck(launcher),
    ):
        try:
            out, errors = launcher.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            launcher.kill()
            raise
    return subprocess.CompletedProcess(command, launcher.returncode, out, errors)
