"""Builds benchmark programs, ours and the user's own.

What does not compile of the user's own, or as the user has configured it, does not keep the others from it.
"""

import shutil
from collections.abc import Sequence
from typing import Annotated

import typer

from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.terminal import Failed, console, errors
from thalweg_cli.build.cmake import build, look_again_at_applications
from thalweg_cli.catalog.programs import (
    PRESET,
    Applications,
    Benches,
    Interfaces,
    Program,
    check_selection,
    known_programs,
    select,
)
from thalweg_cli.catalog.user_benchmarks import UserFolder

ANNOTATED = (
    "is written with SPar's annotations, which mean nothing to this compiler: it runs on one thread, "
    "whatever --nthreads is. To translate it: configure NAME --set USES=spar"
)


def compile_programs(
    bench: Benches = None,
    app: Applications = None,
    ppi: Interfaces = None,
    clean: Annotated[bool, typer.Option("--clean", help="First remove what was built of them.")] = False,
    folder: UserFolder = None,
) -> None:
    """Build benchmark programs, ours and your own."""
    check_selection(bench, app, ppi)
    look_again_at_applications()
    chosen = select(known_programs(folder), bench or [], app or [], ppi or [])
    if clean:
        remove_built(chosen)
    built = build_all(chosen)
    for program in built:
        console.print(f"{program.name}: {program.executable}", markup=False)
    if broken := [program.name for program in chosen if program not in built]:
        raise Failed(f"{', '.join(broken)} cannot be built", remedy="the compiler's messages are above")


def remove_built(programs: Sequence[Program]) -> None:
    """Removes programs, and what was compiled for each of them alone; what they share stays."""
    folder = build_folder(PRESET)
    for program in programs:
        (folder / program.executable).unlink(missing_ok=True)
        for objects in folder.glob(f"*/CMakeFiles/{program.target}.dir"):
            shutil.rmtree(objects)


def build_all(programs: Sequence[Program], *more: str) -> list[Program]:
    """Builds programs, and `more` targets beside them. Returns those that could be built.

    What of the user's own could not, or not as it is configured, is told, with the compiler's words. Raises
    Failed if nothing is left, or if what is ours cannot be built.
    """
    own = [program for program in programs if program.kind]
    ours = [program.target for program in programs if not program.kind]
    warn_of_annotations(own)
    if ours or more:
        build(PRESET, *more, *ours)
    if not own:
        return list(programs)
    failures = failures_of(own)
    left = [program for program in programs if program.name not in failures]
    told = list(failures.values())
    last = None if left else told.pop()
    for failure in told:
        failure.show()
    if last:
        raise last
    return left


def warn_of_annotations(own: Sequence[Program]) -> None:
    """Says which programs have their parallelism in annotations that their compiler does not know."""
    for program in own:
        if program.on_one_thread:
            errors.print(f"warning: {program.name} {ANNOTATED}", style="yellow", markup=False)


def failures_of(own: Sequence[Program]) -> dict[str, Failed]:
    """Builds programs that users have a part in, those that can be. Returns why others cannot, by name."""
    try:
        build(PRESET, *(program.target for program in own), keep_going=True)
    except Failed as failure:
        if len(own) > 1:  # Each by itself: what is built already takes no time.
            return {name: why for program in own for name, why in failures_of([program]).items()}
        failure.what = f"{own[0].name} cannot be built"
        return {own[0].name: failure}
    return {}
