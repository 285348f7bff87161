"""The commands, one module each, and how their failures are told."""

import signal
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import typer

from thalweg_cli import (
    clean,
    compare,
    demo,
    docs,
    doctor,
    effort,
    execute,
    feed,
    inputs,
    install,
    listing,
    micro,
    new_app,
    new_input,
    own_build,
    own_commands,
    own_configure,
    own_operators,
    own_update,
    plan,
    report,
    results,
    test,
    version,
)
from thalweg_cli.applications import own_applications_in
from thalweg_cli.carried import unpack
from thalweg_cli.own import Benchmark, Benchmarks
from thalweg_cli.paths import COMMAND
from thalweg_cli.spellings import rewrite
from thalweg_cli.terminal import Failed, errors

INTERRUPTED = 130
"""The exit code of what Ctrl-C has ended, as shells have it."""

app = typer.Typer(
    name=COMMAND,
    help="Structured stream processing in C++20: demo, tests, benchmarks.",
    epilog="First steps: README.md. What a stream program means: docs/semantics.md.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)
app.command()(demo.demo)
app.command()(test.test)
app.command()(micro.micro)
app.command("exec")(execute.execute)
app.command()(feed.feed)
app.command()(plan.plan)
app.command()(effort.effort)
app.command("list")(listing.list_all)
app.command()(inputs.inputs)
app.command()(install.install)
app.command()(new_input.new_input)
app.command()(new_input.delete_input)
app.command()(new_app.new_app)
app.command()(new_app.delete_app)
app.command()(own_commands.new)
app.command()(own_commands.edit)
app.command()(own_operators.edit_op)
app.command()(own_operators.reset_op)
app.command()(own_configure.configure)
app.command()(own_configure.global_config)
app.command("compile")(own_build.compile_programs)
app.command()(own_commands.rename)
app.command()(own_commands.delete)
app.command()(own_update.update)
app.command()(results.results)
app.command()(compare.compare)
app.command()(report.report)
app.command()(docs.docs)
app.command()(doctor.doctor)
app.command()(clean.clean)
app.command()(version.version)
app.command(hidden=True)(inputs.download_inputs)  # SPBench's name


def own_names(words: Sequence[str]) -> set[str]:
    """The names of what is the user's own, which are nobody else's names for something of ours."""
    folder = next((Path(after) for word, after in pairwise(words) if word.lstrip("-") == "folder"), None)
    benchmarks = Benchmarks(folder)
    found = {*benchmarks.names(), *own_applications_in(benchmarks.folder)}
    for one in benchmarks:
        if isinstance(one, Benchmark):
            found |= {one.interface, one.composition}
    return found


def main() -> None:
    """Runs the command line; ends the process with 0 only if the command succeeded."""
    # What a command started ends with it, also when it is told to end.
    for told in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(told) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(told, lambda number, _: sys.exit(128 + number))
    try:
        unpack()
        words = sys.argv[1:]
        app(args=rewrite(words, typer.main.get_group(app), own_names(words)), prog_name=COMMAND)
    except Failed as failure:
        failure.show()
        sys.exit(1)
    except SystemExit as ended:
        if ended.code == INTERRUPTED:  # Typer makes this of Ctrl-C, and says nothing.
            errors.print("interrupted")
        raise
