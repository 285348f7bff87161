"""`./thalweg feed`: plays an application's input to a benchmark program that waits for it on the network."""

from typing import Annotated

import typer

from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.process import finish
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.build.cmake import build
from thalweg_cli.catalog.applications import make_input
from thalweg_cli.catalog.programs import PRESET, SEQUENTIAL, Program, check_names, known_programs
from thalweg_cli.run.experiment import number
from thalweg_cli.run.ranges import BATCH, BATCH_INTERVAL, FREQUENCY, Range


def feed(
    app: Annotated[str, typer.Option(help="The application whose input is played.")],
    input_name: Annotated[
        str, typer.Option("--input", metavar="CLASS|FILE", help="test, small, ..., huge, or a file.")
    ],
    to: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Where the program waits: HOST:PORT, or kafka://BROKER/TOPIC."),
    ],
    batch: Annotated[str | None, typer.Option(metavar="N", help="Elements that come at once.")] = None,
    batch_interval: Annotated[
        str | None, typer.Option(metavar="S", help="The elements of this many seconds come at once.")
    ] = None,
    frequency: Annotated[str | None, typer.Option(metavar="N", help="Elements a second.")] = None,
    freq_pattern: Annotated[
        str,
        typer.Option(
            metavar="PATTERN,PERIOD,MIN,MAX",
            help="A frequency that changes: wave, binary, spike, ...; the programs' -help has all.",
        ),
    ] = "",
    in_memory: Annotated[bool, typer.Option("--in-memory", help="Read all input before the stream.")] = False,
) -> None:
    """Play an input to a benchmark program that was started with --input tcp://HOST:PORT.

    A topic of Kafka keeps what is played: programs may read it later, and again.
    """
    if frequency is not None and freq_pattern:
        raise Failed("--frequency and --freq-pattern: only one of them can set the pace")
    options = ["-input", input_name, "-feed", to]
    for name, text, kind in (
        ("-batch-size", batch, BATCH),
        ("-batch-interval", batch_interval, BATCH_INTERVAL),
        ("-frequency", frequency, FREQUENCY),
    ):
        if text is not None:
            options += [name, number(single(kind, text))]
    if freq_pattern:
        options += ["-freq-patt", freq_pattern]
    if in_memory:
        options += ["-in-memory"]

    player = player_of(known_programs(), app)
    build(PRESET, "thalweg_inputs", player.name)
    make_input(app, input_name)
    place = build_folder(PRESET) / "bench" / player.name
    done = finish([str(place), *options])
    if done.code != 0:
        raise Failed(f"{app} {input_name} could not be played to {to}: {done.cause(player.name)}")
    console.print(done.out.rstrip(), markup=False)


def single(kind: Range, text: str) -> float:
    """The number that a text is. Raises Failed if it is none, or a range."""
    values = kind.values(text)
    if len(values) != 1:
        raise Failed(f"{kind.option} {text}: a feed has one value, not a range")
    return values[0]


def player_of(programs: list[Program], app: str) -> Program:
    """The program that plays an application's input: any does, the sequential one needs nothing else.

    Raises Failed if there is no such application, or if it cannot be built.
    """
    check_names(programs, [], [app], [])
    for program in programs:
        if program.application == app and program.interface == SEQUENTIAL:
            if program.missing:
                raise Failed(f"{program.name} cannot be built here", remedy=program.missing)
            return program
    raise Failed(f"{app} has no sequential program that could play its input")
