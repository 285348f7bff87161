"""`./thalweg clean`: removes what was built."""

import shutil
from typing import Annotated

import typer

from thalweg_cli.base.paths import BUILD, ROOT
from thalweg_cli.base.terminal import Failed, console
from thalweg_cli.catalog.programs import Applications, Benches, Interfaces, known_programs, select
from thalweg_cli.catalog.user_benchmarks import UserFolder
from thalweg_cli.user.build import remove_built


def clean(
    everything: Annotated[bool, typer.Option("--all", help="The Python environment too.")] = False,
    bench: Benches = None,
    app: Applications = None,
    ppi: Interfaces = None,
    folder: UserFolder = None,
) -> None:
    """Remove what was built: everything, or only what some benchmark programs alone use."""
    if bench or app or ppi:
        if everything:
            raise Failed("--all and a choice of programs: give only one of them")
        chosen = select(known_programs(folder), bench or [], app or [], ppi or [])
        remove_built(chosen)
        console.print(f"removed what was built of {', '.join(one.name for one in chosen)}", markup=False)
        return
    for built in [BUILD, *([ROOT / ".venv"] if everything else [])]:
        if built.exists():
            shutil.rmtree(built)
            console.print(f"removed {built.relative_to(ROOT)}/")
