"""`exec --debug`: one run of a program under a debugger, which has the terminal."""

import shutil
import signal
import subprocess

from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.process import pinned
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.catalog.programs import PRESET
from thalweg_cli.run import adapting
from thalweg_cli.run.experiment import Conditions, Setting

DEBUGGERS = (("gdb", "--args"), ("lldb", "--"))
"""What is used if no --executor is given: the first of them that is there."""


def debugger() -> tuple[str, ...]:
    """The command that runs a program under a debugger. Raises Failed if there is none."""
    for command in DEBUGGERS:
        if shutil.which(command[0]):
            return command
    raise Failed(
        "there is no debugger", remedy='apt-get install gdb, or name another: --debug --executor "lldb --"'
    )


def check_one(count: int, option: str = "--debug") -> None:
    """Raises Failed if there are several things for an option that takes one, before anything is built."""
    if count != 1:
        raise Failed(
            f"{option}: that would be {count} programs or settings, but there is one terminal",
            remedy="one --bench, one --input, and no ranges",
        )


def debug(settings: list[Setting], conditions: Conditions) -> int:
    """Runs a program in the foreground, and gives its exit code. Nothing is measured or kept.

    Raises Failed if there is more than one setting: a terminal has room for one debugger.
    """
    check_one(len(settings))
    (setting,) = settings
    if setting.nprocs not in (None, 1):
        raise Failed(f"--debug: that would be {setting.nprocs} processes, but there is one terminal")
    program = build_folder(PRESET) / setting.program.executable
    words = [str(program), *setting.options(), *conditions.options()]
    command = [*adapting.words(setting.adapt), *(conditions.executor or debugger()), *words]
    console.print(" ".join(command), style="dim", markup=False)
    # Ctrl-C is for the debugger, which has a handler of its own.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        with pinned(conditions.pin):
            code = subprocess.run(command, check=False).returncode
    except OSError as error:
        raise Failed(f"{command[0]} cannot be started: {error.strerror}") from error
    finally:
        signal.signal(signal.SIGINT, before)
    return code if code >= 0 else 128 - code
