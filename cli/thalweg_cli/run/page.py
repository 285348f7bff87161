"""`exec --live`: one run of a program with its page in the browser."""

from collections.abc import Mapping
from dataclasses import replace

from thalweg_cli.base.process import finish
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.build.live import check_live
from thalweg_cli.catalog.annotations import SPAR
from thalweg_cli.catalog.programs import THALWEG, Program
from thalweg_cli.run.debugging import check_one
from thalweg_cli.run.experiment import Conditions, Setting
from thalweg_cli.run.runs import command_of

OPTION = "--live"
ANY_PORT = {"THALWEG_LIVE": ":0"}
"""The variable of a program's environment that asks for its page."""


def check_kept(given: Mapping[str, object], *, live: bool) -> None:
    """Raises Failed if an option beside --live is for several runs, or for what is kept of them."""
    wanted = [name for name, value in given.items() if value]
    if live and wanted:
        raise Failed(f"{' and '.join(wanted)}: {OPTION} makes one run, and keeps nothing")


def with_page(programs: list[Program]) -> Program:
    """The one program of these, as it is built with a page. Raises Failed if there is none such."""
    check_one(len(programs), OPTION)
    (program,) = programs
    if program.interface not in (THALWEG, SPAR):
        raise Failed(
            f"{OPTION}: only programs written with Thalweg have a page, and {program.name} is not",
            remedy=f"--ppi {THALWEG} chooses those that are",
        )
    check_live()
    return replace(program, with_page=True)


def show(settings: list[Setting], conditions: Conditions) -> int:
    """Runs a program, which says where its page is, and gives its exit code. Nothing is measured or kept."""
    check_one(len(settings), OPTION)
    command = command_of(settings[0], conditions)
    console.print(" ".join(command), style="dim", markup=False)
    done = finish(
        command,
        timeout_s=conditions.timeout_s,
        pin=conditions.pin,
        show_output=True,
        show_errors=True,
        variables=ANY_PORT,
    )
    if done.late:
        raise Failed(f"it did not end within {conditions.timeout_s:g} s (--timeout)")
    return done.code if done.code >= 0 else 128 - done.code
