"""What ./thalweg plan asks of a program: a plan for ranks that are not there, and a short run by itself.

usage: plan_test.py program
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def ask(*command: str, code: int = 0, **variables: object) -> str:
    """Runs the program with these variables; gives what it says. Ends if that does not end with `code`."""
    added = {name: str(value) for name, value in variables.items()}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env={**os.environ, **added}
    )
    if done.returncode != code:
        sys.exit(f"{added}: it ended with code {done.returncode}:\n{done.stderr}")
    return done.stdout + done.stderr


def expect(what: str, found: object, wanted: object) -> None:
    """Ends if something is not as it should be."""
    if found != wanted:
        sys.exit(f"{what}: {found}, not {wanted}")


def main(program: str) -> None:
    """Asks for several things."""
    with tempfile.TemporaryDirectory() as folder:
        plan, report = Path(folder) / "plan.json", Path(folder) / "report.json"

        def planned(*arguments: str, **variables: object) -> dict[str, Any]:
            plan.unlink(missing_ok=True)
            expect("what it prints", ask(program, *arguments, THALWEG_PLAN=plan, **variables), "")
            found: dict[str, Any] = json.loads(plan.read_text())
            found["stages"] = {stage["name"]: stage for stage in found["stages"]}
            return found

        found = planned(THALWEG_PLAN_HOSTS="a:2,b:2", THALWEG_PLAN_CORES=6)
        expect("hosts", [rank["host"] for rank in found["ranks"]], ["a", "a", "b", "b"])
        expect("the sink", found["stages"]["write"]["places"], [{"rank": 3, "replicas": 1}])
        expect("replicas", found["stages"]["pass"]["replicas"], 9)  # on rank 0 as well, beside the sink not
        expect("what travels", [way["travels"] for way in found["ways"]], ["partly", "yes"])
        expect("the pace", found["seconds_per_item"], 0)

        ask(program, THALWEG_PROFILE=f"0.05:{report}")
        measured = {stage["name"]: stage for stage in json.loads(report.read_text())["stages"]}
        if not 0 < measured["pass"]["items_in"] < 500:
            sys.exit(f"a run of 0.05 s has given {measured['pass']['items_in']} items of those of 0.1 s")
        found = planned(THALWEG_PLAN_RANKS=4, THALWEG_COSTS=report)
        if not found["seconds_per_item"] > 0:
            sys.exit("costs from a saved report have no effect")
        # Where the program itself says who executes what, costs only tell how fast that is.
        grouped = planned("2", THALWEG_PLAN_RANKS=4)
        costed = planned("2", THALWEG_PLAN_RANKS=4, THALWEG_COSTS=report)
        for name, stage in costed["stages"].items():
            expect(f"where {name} is", stage["places"], grouped["stages"][name]["places"])
        if not costed["seconds_per_item"] > 0:
            sys.exit("beside .grouping, costs from a saved report tell nothing")

        for wrong, word in (
            ({"THALWEG_PLAN_HOSTS": "a:0"}, "a:0"),
            ({"THALWEG_PLAN_HOSTS": "a:2", "THALWEG_PLAN_RANKS": 3}, "room for 2 ranks, not for 3"),
            ({"THALWEG_PLAN": Path(folder) / "no" / "plan.json"}, "the plan cannot be written"),
            ({"THALWEG_PLAN": Path(folder) / "\x1b[2J" / "plan.json"}, "\\x1b[2J"),  # no order to a terminal
            ({"THALWEG_COSTS": plan}, str(plan)),
        ):
            plan.write_text("{}")
            said = ask(program, code=1, **{"THALWEG_PLAN": Path(folder) / "other", **wrong})
            if word not in said:
                sys.exit(f"{wrong}: {said}")
        # What is wrong with the job itself is in the answer, too.
        problems = json.loads((Path(folder) / "other").read_text())["problems"]
        if len(problems) != 1 or str(plan) not in problems[0]:
            sys.exit(f"the last of these has left {problems}")


if __name__ == "__main__":
    main(sys.argv[1])
