"""`./thalweg demo --spar`: the programs are compared, and shown beside each other."""

import io
import sys
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from thalweg_cli.base.terminal import Failed
from thalweg_cli.demo import demo
from thalweg_cli.demo_spar import (
    MISSING,
    PROGRAM,
    TURNS,
    Contender,
    check_spar,
    compare,
    demo_spar,
    explained,
    table_of,
)


def program(writes: str, code: int = 0) -> list[str]:
    """A command that writes a text, and ends with a code."""
    return [
        sys.executable,
        "-c",
        f"import os, sys; sys.stdout.write({writes!r} % os.environ.get('THALWEG_SPAR_POLICY', ''))"
        f"; sys.exit({code})",
    ]


class Compared(unittest.TestCase):
    """`compare` and `table_of`."""

    def test_the_same_output(self) -> None:
        loop, stream = Contender("loop", program("a%.0s")), Contender("stream", program("a%.0s"))
        said = io.StringIO()
        with redirect_stdout(said):
            compare(loop, stream)
        self.assertEqual((len(loop.seconds), len(stream.seconds)), (TURNS, TURNS))
        self.assertIn("both write the same 1 bytes", said.getvalue())

    def test_another_output(self) -> None:
        variables = {"THALWEG_SPAR_POLICY": "pool"}
        loop = Contender("loop", program("%s"))
        stream = Contender("stream", program("%s"), variables)
        with self.assertRaisesRegex(Failed, "does not write what the loop writes"):
            compare(loop, stream)
        self.assertEqual(stream.output, b"pool")

    def test_a_program_that_fails(self) -> None:
        with self.assertRaisesRegex(Failed, "the stream ended with code 3"):
            compare(Contender("loop", program("%s")), Contender("stream", program("%s", 3)))

    def test_times(self) -> None:
        table = table_of(
            Contender("loop", [], seconds=[3, 2, 9]), Contender("stream", [], seconds=[1.5, 1, 2])
        )
        self.assertEqual([*table.columns[1].cells], ["3.00 s", "1.50 s"])
        self.assertEqual([*table.columns[2].cells], ["1.00", "2.00"])


class Explained(unittest.TestCase):
    """`explained`."""

    def tool(self, folder: str, text: str) -> Path:
        """A script in place of thalweg-spar."""
        place = Path(folder) / "thalweg-spar"
        place.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        place.chmod(0o755)
        return place

    def test_gives_the_picture(self) -> None:
        with TemporaryDirectory() as folder:
            self.assertEqual(explained(self.tool(folder, 'echo "$1 $2"'), PROGRAM), f"--explain {PROGRAM}\n")

    def test_a_tool_that_fails(self) -> None:
        with TemporaryDirectory() as folder, self.assertRaises(Failed) as caught:
            explained(self.tool(folder, "echo no stream >&2; exit 1"), PROGRAM)
        self.assertEqual(caught.exception.output, "no stream\n")


class Demo(unittest.TestCase):
    """`demo_spar` as a whole, and the options around it."""

    def test_options_that_do_not_go_together(self) -> None:
        for given in (
            {"ranks": 2},
            {"output": Path("a")},
            {"live": True},
            {"folder": Path()},
            {"opens": False},
        ):
            with self.assertRaisesRegex(Failed, "--spar works without"):
                demo(spar=True, **given)  # type: ignore[arg-type]

    def test_says_what_to_install(self) -> None:
        with (
            mock.patch("thalweg_cli.demo_spar.build"),
            mock.patch("thalweg_cli.demo_spar.look_again") as again,
            mock.patch("thalweg_cli.demo_spar.cached", return_value="no Clang (./thalweg install spar)"),
            self.assertRaisesRegex(Failed, "thalweg-spar, which is left out: no Clang$") as caught,
        ):
            check_spar()
        self.assertEqual(caught.exception.remedy, "./thalweg install spar")
        again.assert_called_once_with([MISSING])

    def test_shows_the_program(self) -> None:
        with (
            mock.patch("thalweg_cli.demo_spar.check_spar"),
            mock.patch("thalweg_cli.demo_spar.build"),
            mock.patch("thalweg_cli.demo_spar.explained", return_value="a -> b"),
            mock.patch("thalweg_cli.demo_spar.compare") as compared,
            redirect_stdout(io.StringIO()) as said,
        ):
            demo_spar("threads:2", size=10)
        self.assertIn("[[spar::ToStream]] for", said.getvalue())
        self.assertIn("a -> b", said.getvalue())
        stream = compared.call_args.args[1]
        self.assertEqual(stream.variables, {"THALWEG_SPAR_POLICY": "threads:2"})
        self.assertEqual(stream.command[1], "10")


if __name__ == "__main__":
    unittest.main()
