"""The commands, one module each, and how their failures are told."""

import signal
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import typer

from thalweg_cli.adapt_study.command import adapt_study
from thalweg_cli.base.paths import COMMAND
from thalweg_cli.base.terminal import Failed, errors
from thalweg_cli.carried import unpack
from thalweg_cli.catalog.applications import user_applications_in
from thalweg_cli.catalog.inputs import download_inputs, inputs
from thalweg_cli.catalog.user_benchmarks import Benchmark, Benchmarks
from thalweg_cli.clean import clean
from thalweg_cli.demo import demo
from thalweg_cli.docs.command import docs
from thalweg_cli.doctor import doctor
from thalweg_cli.effort.command import effort
from thalweg_cli.experiments.command import experiment
from thalweg_cli.listing import list_all
from thalweg_cli.measure.command import execute
from thalweg_cli.micro.command import micro
from thalweg_cli.report.command import report
from thalweg_cli.results.command import results
from thalweg_cli.results.compare import compare
from thalweg_cli.run.feed import feed
from thalweg_cli.run.plan import plan
from thalweg_cli.setup.install import install
from thalweg_cli.spellings import rewrite
from thalweg_cli.test import test
from thalweg_cli.user.benchmarks import delete, edit, new, rename
from thalweg_cli.user.build import compile_programs
from thalweg_cli.user.configure import configure, global_config
from thalweg_cli.user.new_application import delete_app, new_app
from thalweg_cli.user.new_input import delete_input, new_input
from thalweg_cli.user.operators import edit_op, reset_op
from thalweg_cli.user.update import update
from thalweg_cli.version import version
from thalweg_cli.watch.top import top
from thalweg_cli.watch.view import view

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
app.command()(demo)
app.command()(test)
app.command()(micro)
app.command("exec")(execute)
app.command()(adapt_study)
app.command()(experiment)
app.command()(feed)
app.command()(plan)
app.command()(effort)
app.command("list")(list_all)
app.command()(inputs)
app.command()(install)
app.command()(new_input)
app.command()(delete_input)
app.command()(new_app)
app.command()(delete_app)
app.command()(new)
app.command()(edit)
app.command()(edit_op)
app.command()(reset_op)
app.command()(configure)
app.command()(global_config)
app.command("compile")(compile_programs)
app.command()(rename)
app.command()(delete)
app.command()(update)
app.command()(results)
app.command()(compare)
app.command()(report)
app.command()(view)
app.command()(top)
app.command()(docs)
app.command()(doctor)
app.command()(clean)
app.command()(version)
app.command(hidden=True)(download_inputs)  # SPBench's name


def user_names(words: Sequence[str]) -> set[str]:
    """The names of what is the user's own, which are nobody else's names for something of ours."""
    folder = next((Path(after) for word, after in pairwise(words) if word.lstrip("-") == "folder"), None)
    benchmarks = Benchmarks(folder)
    found = {*benchmarks.names(), *user_applications_in(benchmarks.folder)}
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
        app(args=rewrite(words, typer.main.get_group(app), user_names(words)), prog_name=COMMAND)
    except Failed as failure:
        failure.show()
        sys.exit(failure.code)
    except SystemExit as ended:
        if ended.code == INTERRUPTED:  # Typer makes this of Ctrl-C, and says nothing.
            errors.print("interrupted")
        raise
