"""The demo's side of the command line: following the program, and checking what it wrote."""

import bz2
import io
import json
import os
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

from thalweg_cli.base.terminal import Failed
from thalweg_cli.demo import (
    beside,
    check,
    compare_with_sequential,
    demo,
    follow_ranks,
    rank_table,
    run_with_progress,
    stage_table,
    travel_table,
)


def report(items: int) -> dict[str, Any]:
    """A report as the library writes it, as far as the demo reads it."""
    stage = {"items_in": 0, "service_ns_per_item": 2e6, "parallelism": 1.9, "replicas": 2}
    return {
        "policy": "pool",
        "items": items,
        "throughput": 10.0,
        "elapsed_ns": 10**9,
        "cores_used": 1.95,
        "stages": [
            {**stage, "name": "read", "items_out": items},
            {**stage, "name": "compress", "items_out": items},
        ],
        "bottleneck": {"advice": ""},
    }


def program(*lines: object, code: int = 0, complaint: str = "") -> list[str]:
    """A command that prints lines of JSON, complains, and ends with a code."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    source = f"import sys; sys.stdout.write({text!r}); sys.stderr.write({complaint!r}); sys.exit({code})"
    return [sys.executable, "-c", source]


TREE = {"blocks": 3, "bytes": 2_700_000, "entries": 7, "left_out": []}


class Demo(unittest.TestCase):
    """`run_with_progress`, `stage_table` and `check`."""

    def test_tells_what_is_left_out(self) -> None:
        said = io.StringIO()
        with redirect_stdout(said):
            run_with_progress(program({**TREE, "left_out": ["a:100: [b]", *"bcdefghijklm"]}, report(3)))
        self.assertIn("or 8 GiB or more): a:100: [b]\n", said.getvalue())
        self.assertIn("... and 3 more", said.getvalue())

    def test_gives_the_last_report(self) -> None:
        last = run_with_progress(program(TREE, report(1), report(3)))
        self.assertEqual(last["items"], 3)

    def test_program_that_fails(self) -> None:
        with self.assertRaises(Failed) as caught:
            run_with_progress(program(TREE, report(1), code=1, complaint="demo: the disk is full"))
        self.assertIn("the disk is full", caught.exception.output)

    def test_program_that_says_nothing(self) -> None:
        with self.assertRaises(Failed):
            run_with_progress(program())

    def test_what_ranks_say_is_not_the_report(self) -> None:
        said = [
            TREE,
            {"rank": 1, "compressed": 2, "cores": 0.9},
            report(3),
            {"rank": 2, "compressed": 1, "cores": 0.4},
        ]
        last = follow_ranks(iter(said), 3)
        assert last is not None
        self.assertEqual(last["items"], 3)
        self.assertIsNone(follow_ranks(iter([TREE]), 3))

    def test_last_table_has_the_numbers_of_the_end(self) -> None:
        said = [
            TREE,
            {"rank": 1, "compressed": 1, "cores": 0.9},
            {"at_end": [{"rank": rank, "compressed": rank, "cores": 0.5} for rank in range(3)]},
            report(3),
            {"rank": 2, "compressed": 1, "cores": 0.4},  # said before, but later on its way
        ]
        with mock.patch("thalweg_cli.demo.rank_table", side_effect=rank_table) as drawn:
            follow_ranks(iter(said), 3)
        rows = drawn.call_args.args[0]
        self.assertEqual([rows[rank]["compressed"] for rank in range(3)], [0, 1, 2])

    def test_interrupted(self) -> None:
        # Told to end, it takes a while and, as one that is killed, leaves what it has written.
        source = (
            "#!/bin/bash\ncd {folder}\ntrap 'sleep 0.5; touch ended; exit 1' TERM\n"
            'while [ "$1" != --output ]; do shift; done\necho part >"$2"\n'
            "sleep 0.3; kill -INT {user}\nwhile :; do sleep 0.05; done\n"
        )
        with tempfile.TemporaryDirectory() as name, mock.patch("thalweg_cli.demo.build"):
            folder = Path(name)
            fake = folder / "examples" / "demo" / "demo"
            fake.parent.mkdir(parents=True)
            fake.write_text(source.format(folder=folder, user=os.getpid()), encoding="utf-8")
            fake.chmod(0o755)
            archive = folder / "demo.tar.bz2"
            archive.write_text("an earlier one", encoding="utf-8")
            with (
                mock.patch("thalweg_cli.demo.build_folder", return_value=folder),
                self.assertRaises(KeyboardInterrupt),
            ):
                demo(None, None, "pool", None)
            self.assertEqual(
                sorted(file.name for file in folder.iterdir()), ["demo.tar.bz2", "ended", "examples"]
            )
            self.assertEqual(archive.read_text(encoding="utf-8"), "an earlier one")

    def test_archive_takes_its_place_when_it_is_complete(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            archive = Path(name) / "archive"
            with beside(archive) as written:
                written.write_text("all", encoding="utf-8")
                self.assertFalse(archive.exists())
                written.replace(archive)
            self.assertEqual([file.name for file in Path(name).iterdir()], ["archive"])
            with self.assertRaisesRegex(Failed, "not a file"), beside(Path(name)):
                pass
            with self.assertRaisesRegex(Failed, "cannot be written"), beside(Path(name) / "no" / "folder"):
                pass

    def test_table_has_every_rank(self) -> None:
        table = rank_table({2: {"rank": 2, "compressed": 7, "cores": 0.5}}, 3)
        self.assertEqual([list(column.cells) for column in table.columns][2], ["", "0", "7"])

    def test_what_each_rank_has_sent(self) -> None:
        numbers = {"cpu_ns": 1.5e9, "peak_bytes": 2e7, "messages": 3, "bytes": 5e6, "credits": 2}
        table = travel_table({"ranks": [{"rank": 0, "host": "[a]", **numbers}]})
        cells = [next(iter(column.cells)) for column in table.columns]
        self.assertEqual(cells, ["0", "\\[a]", "1.50 s", "20.0 MB", "3", "5.0 MB", "2"])

    def test_other_bytes_than_those_of_the_sequential_run(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / "archive"
            archive.write_bytes(b"one")
            write = "import pathlib, sys; pathlib.Path(sys.argv[3]).write_bytes(sys.argv[1].encode())"
            write += f"; print({json.dumps(TREE)!r}); print({json.dumps(report(3))!r})"
            command = [sys.executable, "-c", write, "one", "--output", str(archive), "--policy", "mpi"]
            compare_with_sequential(command, archive)
            command[3] = "two"
            with self.assertRaises(Failed):
                compare_with_sequential(command, archive)

    def test_table_has_every_stage(self) -> None:
        names = list(stage_table(report(3)).columns[0].cells)
        self.assertEqual(names, ["read", "compress"])

    def test_check(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / "a.bz2"
            archive.write_bytes(bz2.compress(b"one") + bz2.compress(b"two"))
            check(archive)
            archive.write_bytes(archive.read_bytes()[:-5])
            with self.assertRaises(Failed):
                check(archive)
