"""`./thalweg plan`: what it asks a program for, what it shows, and what it refuses."""

import json
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from thalweg_cli.app import app
from thalweg_cli.base.terminal import Failed
from thalweg_cli.run.plan import limit, ranks_text, spans, stage_table, time_text, waiting
from typer.testing import CliRunner, Result

PLAN: dict[str, Any] = {
    "ranks": [
        {
            "rank": rank,
            "host": "ab"[rank % 2],
            "workers": 4,
            "in_reserve": False,
            "travel_seconds_per_item": 3e-8,
        }
        for rank in range(4)
    ],
    "stages": [
        {
            "name": "read",
            "pattern": "source",
            "farm": False,
            "blocking": False,
            "places": [{"rank": 0, "replicas": 1}],
            "later": [],
            "replicas": 1,
            "seconds_per_item": 2e-6,
        },
        {
            "name": "archive/compress",
            "pattern": "map",
            "farm": True,
            "blocking": False,
            "places": [{"rank": rank, "replicas": 4} for rank in (1, 2, 3)],
            "later": [],
            "replicas": 12,
            "seconds_per_item": 6e-3,
        },
    ],
    "ways": [{"from": "read", "to": "archive/compress", "items": "std::string", "travels": "yes"}],
    "may_join": 0,
    "seconds_per_item": 5e-4,
}
ANSWERS = f"""#!/bin/bash
if [ "$THALWEG_PROFILE" ]; then echo measured >"${{THALWEG_PROFILE#*:}}"; exit; fi
echo "'$THALWEG_PLAN_RANKS' '$THALWEG_PLAN_HOSTS' $(cat "$THALWEG_COSTS") $*" >"$(dirname "$0")/asked"
echo '{json.dumps(PLAN)}' >"$THALWEG_PLAN"
"""


class Plan(unittest.TestCase):
    """The command as a user types it, with a program that only pretends."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = Path(folder.name) / "stream"
        self.answers(ANSWERS)

    def answers(self, script: str) -> None:
        """Writes the program."""
        self.program.write_text(script, encoding="utf-8")
        self.program.chmod(0o755)

    def asked(self) -> str:
        """What the program was asked."""
        return (self.program.parent / "asked").read_text(encoding="utf-8").strip()

    def type(self, *options: str) -> Result:
        """Runs the command."""
        return CliRunner().invoke(app, ["plan", str(self.program), *options])

    def test_stages_ranks_and_what_travels(self) -> None:
        done = self.type("--nprocs", "4", "--hosts", "a:2,b:2", "--", "--policy", "mpi")
        self.assertEqual(done.exit_code, 0, done.output)
        self.assertEqual(self.asked(), "'4' 'a:2,b:2'  --policy mpi")
        self.assertIn("4 ranks on 2 hosts\n  a: 0, 2, workers of each: 4", done.output)
        self.assertIn("read -> archive/compress: std::string, which go to another rank", done.output)
        self.assertIn("at most 2,000 items a second get through: archive/compress limits them", done.output)
        rows = [list(column.cells) for column in stage_table(PLAN).columns]
        self.assertEqual(rows[0], ["read", "archive/compress"])
        self.assertEqual(rows[2:5], [["serial", "12"], ["0", "1-3 (4 each)"], ["a", "b, a"]])
        self.assertEqual(rows[5], ["2.00 µs", "6.00 ms"])

    def test_what_limits(self) -> None:
        read, compress = PLAN["stages"]
        self.assertEqual(
            limit(PLAN), "archive/compress limits them, with 6.00 ms of work per item, shared by 12 replicas"
        )
        slow = {**read, "seconds_per_item": 25e-3}
        self.assertEqual(
            limit({**PLAN, "stages": [slow, compress], "seconds_per_item": 25e-3}),
            "read limits them, with 25.00 ms of work per item",
        )
        # More replicas than workers.
        few = [{**rank, "workers": 2} for rank in PLAN["ranks"]]
        self.assertEqual(
            limit({**PLAN, "ranks": few, "seconds_per_item": 1e-3}),
            "ranks 1-3 cannot work faster: each of their workers has 1.00 ms of work per item",
        )

    def test_waiting_is_no_work(self) -> None:
        read, compress = PLAN["stages"]
        waits = {**compress, "blocking": True}
        self.assertEqual(
            limit({**PLAN, "stages": [read, waits]}),
            "archive/compress limits them, with 6.00 ms of waiting per item, shared by 12 replicas",
        )
        # Of its ranks it takes no worker: only two other stages fill one.
        slow = {**read, "places": [{"rank": 1, "replicas": 1}], "seconds_per_item": 5e-4}
        ranks = [{**rank, "workers": 1} for rank in PLAN["ranks"]]
        self.assertEqual(
            limit({**PLAN, "ranks": ranks, "stages": [slow, slow, waits], "seconds_per_item": 1e-3}),
            "rank 1 cannot work faster: each of its workers has 1.00 ms of work per item",
        )

    def test_messages_limit_quick_stages(self) -> None:
        stages = [{**stage, "seconds_per_item": 13e-9 * stage["replicas"]} for stage in PLAN["stages"]]
        ranks = [{**r, "travel_seconds_per_item": 6e-8 if r["rank"] == 0 else 1e-8} for r in PLAN["ranks"]]
        self.assertEqual(
            limit({**PLAN, "ranks": ranks, "stages": stages, "seconds_per_item": 6e-8}),
            "rank 0 cannot send and receive faster: each item takes at least 60.00 ns",
        )

    def test_what_waits_for_replicas(self) -> None:
        self.assertEqual(waiting(PLAN), [])
        ranks = [{**rank, "in_reserve": rank["rank"] > 1} for rank in PLAN["ranks"]]
        read, compress = PLAN["stages"]
        elastic = {**PLAN, "ranks": ranks, "stages": [read, {**compress, "later": [2, 3]}], "may_join": 2}
        self.assertEqual(
            waiting(elastic),
            [
                "in reserve: 2-3; may be given replicas of archive/compress",
                "2 processes may join while it runs",
            ],
        )
        nowhere = {**elastic, "stages": [read, compress], "may_join": 0}
        self.assertEqual(waiting(nowhere), ["in reserve: 2-3; no stage can have replicas there"])
        self.answers(f"#!/bin/bash\necho '{json.dumps(elastic)}' >\"$THALWEG_PLAN\"\n")
        self.assertIn("\n  in reserve: 2-3; may be given", self.type().output)

    def test_the_plan_as_json(self) -> None:
        file = self.program.with_name("kept.json")
        done = self.type("--json", str(file))
        self.assertEqual(done.exit_code, 0, done.output)
        self.assertEqual(json.loads(file.read_text(encoding="utf-8")), PLAN)
        self.assertIn("4 ranks on 2 hosts", done.output)
        self.assertRaisesRegex(Failed, "there is no folder", self.fails, "--json", "/no/such/plan.json")

    def test_times(self) -> None:
        for seconds, text in {0: "0.00 ns", 3e-8: "30.00 ns", 0.025: "25.00 ms", 90.0: "90.00 s"}.items():
            self.assertEqual(time_text(seconds), text)

    def test_a_short_run_measures_costs(self) -> None:
        self.assertEqual(self.type("--measure", "0.5").exit_code, 0)
        self.assertEqual(self.asked(), "'' '' measured")

    def test_a_saved_report(self) -> None:
        report = self.program.with_name("report.json")
        report.write_text("saved", encoding="utf-8")
        self.assertEqual(self.type("--report", str(report)).exit_code, 0)
        self.assertEqual(self.asked(), "'' '' saved")

    def test_processes_that_a_launcher_starts(self) -> None:
        with mock.patch.dict(os.environ, {"FROM": "here"}):
            self.assertEqual(self.type("--launcher", "env FROM=there").exit_code, 0)
        self.assertRaisesRegex(Failed, "not started", self.fails, "--launcher", "env", "--nprocs", "2")
        self.assertRaisesRegex(Failed, "no command nothing", self.fails, "--launcher", "nothing")

    def test_hosts_that_are_none(self) -> None:
        for wrong in ("a:x", "a:0", ":2", "a,,b", "a:2:3"):
            self.assertRaisesRegex(Failed, "^--hosts ", self.fails, "--hosts", wrong)

    def fails(self, *options: str) -> None:
        """Raises what the command fails with."""
        done = self.type(*options)
        if done.exception:
            raise done.exception

    def test_what_the_program_says(self) -> None:
        self.answers("#!/bin/bash\necho \"stream: there is no 'x'\" >&2\nexit 1\n")
        self.assertRaisesRegex(Failed, "there is no 'x'", self.fails)
        # What it says first may be about something else.
        self.answers('#!/bin/bash\necho "stream: 9 files" >&2\necho "no disk" >&2\nexit 3\n')
        self.assertRaisesRegex(
            Failed, r"ended with code 3 before its plan:\n  stream: 9 files\n  no disk$", self.fails
        )
        self.answers("#!/bin/bash\nseq 100 >&2\nkill -KILL $$\n")
        self.assertRaisesRegex(
            Failed, r"was ended by SIGKILL before its plan:\n  93\n(.*\n)*  100$", self.fails
        )
        self.answers("#!/bin/bash\nexit 3\n")
        self.assertRaisesRegex(Failed, "ended with code 3 before its plan$", self.fails)
        self.answers('#!/bin/bash\necho "  what():  mpi: no host b" >&2\necho frames >&2\nkill -ABRT $$\n')
        self.assertRaisesRegex(Failed, "its plan: mpi: no host b$", self.fails)
        self.answers("#!/bin/bash\nexit 0\n")
        self.assertRaisesRegex(Failed, "without running a job", self.fails)
        self.assertRaisesRegex(
            Failed, "one of them", self.fails, "--measure", "1", "--report", str(self.program)
        )

    def test_a_job_that_cannot_be_run(self) -> None:
        told = json.dumps({"problems": ["no host b", "no rank 9"]})
        # Whether the program has caught it or not.
        for code in (0, 1):
            self.answers(f"#!/bin/bash\necho '{told}' >\"$THALWEG_PLAN\"\nexit {code}\n")
            self.assertRaisesRegex(Failed, r"(?s)cannot run its job.*no host b\n  - no rank 9", self.fails)
        self.answers(
            "#!/bin/bash\nprintf '  what():  two:\\n  - one\\n  - other\\n[x] frames\\n' >&2\nkill -ABRT $$\n"
        )
        self.assertRaisesRegex(Failed, r"(?s)its plan: two:\n  - one\n  - other$", self.fails)

    def test_what_the_program_prints_and_one_rank(self) -> None:
        one = json.dumps({**PLAN, "ranks": PLAN["ranks"][:1], "stages": PLAN["stages"][:1]})
        self.answers(f"#!/bin/bash\necho hello\necho '{one}' >\"$THALWEG_PLAN\"\n")
        done = self.type()
        self.assertIn("hello\n", done.output)
        self.assertIn("1 rank on 1 host\n", done.output)
        self.assertEqual(self.type("--nprocs", "0").exit_code, 2)

    def test_ranks_as_text(self) -> None:
        self.assertEqual(spans([0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8")
        places = [{"rank": rank, "replicas": n} for rank, n in ((0, 1), (1, 2), (2, 2), (3, 1))]
        self.assertEqual(ranks_text(places), "0 (1), 1-2 (2 each), 3 (1)")
        self.assertEqual(ranks_text(places[:1]), "0")
