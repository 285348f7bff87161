"""`./thalweg top`: the stages of a running stream in the terminal, until it ends."""

from typing import Annotated

import typer
from rich.live import Live

from thalweg_cli.base.terminal import console, console_for
from thalweg_cli.watch.live_page import Json, LivePage
from thalweg_cli.watch.stage_table import overview

WIDTH_ELSEWHERE = 120
"""Columns where there is no terminal."""


def top(
    address: Annotated[
        str, typer.Argument(metavar="URL", help="The page of a running program, such as localhost:8080.")
    ],
    once: Annotated[bool, typer.Option("--once", help="Print it once, as it is now.")] = False,
) -> None:
    """Show the stages of a running stream: rates, who is busy, what waits where, and what limits it."""
    page = LivePage(address)
    if once:
        state = page.state()
        width = console.width if console.is_terminal else WIDTH_ELSEWHERE
        console_for(width=width).print(overview(state["graph"], state["history"][-1]))
        return
    try:
        follow(page)
    except KeyboardInterrupt:
        return  # That is how one leaves.


def follow(page: LivePage) -> None:
    """Shows a run until it is over; what was seen last stays. Raises Failed."""
    width = None if console.is_terminal else WIDTH_ELSEWHERE
    graph: Json = {}
    with Live(console=console_for(width=width), auto_refresh=False) as display:
        for name, told in page.events():
            if name == "graph":
                graph = told
            elif graph:
                height = console.height if console.is_terminal else None
                display.update(overview(graph, told, height=height), refresh=True)
    if not console.is_terminal:
        console.print()  # What is shown live has no end of line there.
