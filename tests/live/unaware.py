"""Runs a program that links thalweg::live and does not know of it, with THALWEG_LIVE in its environment.

usage: unaware.py program
"""

import json
import os
import socket
import subprocess
import sys
import unittest
import urllib.request

from ports import free_port

PROGRAM = ""


class Program:
    """The program, until it waits; what it has written, and where its page is."""

    def __init__(self, where: str, *steps: str) -> None:
        self.running = subprocess.Popen(
            [PROGRAM, *steps, "wait"],
            env={**os.environ, "THALWEG_LIVE": where},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.running.stdout
        self.lines: list[str] = []
        for line in self.running.stdout:
            if line == "waiting\n":
                break
            self.lines.append(line.rstrip("\n"))

    def end(self) -> str:
        """Lets it go on to its end; returns what it has said on the standard error stream."""
        _, errors = self.running.communicate("\n", timeout=60)
        return errors

    def state(self, port: int) -> dict:
        """What its page shows."""
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/state", timeout=60) as answer:
            return json.load(answer)


class Unaware(unittest.TestCase):
    """The variable, with good and bad values."""

    def test_it_serves_the_newest_run(self) -> None:
        """Each run takes the page over, and the last one stays."""
        port = free_port()
        program = Program(f"localhost:{port}", "run", "nest", "run")
        state = program.state(port)
        self.assertEqual(["3 items", "3 items inside", "1 items", "3 items"], program.lines)
        self.assertEqual("run", state["graph"]["stages"][0]["name"])
        self.assertEqual(3, state["history"][-1]["items"])
        self.assertFalse(state["graph"]["control"])
        self.assertEqual(f"live: http://localhost:{port}/\n", program.end())

    def test_a_nested_run_does_not_take_the_page_over(self) -> None:
        """The outer run stays on the page, to its end."""
        port = free_port()
        program = Program(f":{port}", "nest")
        state = program.state(port)
        self.assertEqual("outer", state["graph"]["stages"][0]["name"])
        self.assertTrue(state["history"][-1]["done"])
        program.end()

    def test_any_port(self) -> None:
        """One server for all runs, and one line about it."""
        program = Program(":0", "run", "run")
        self.assertRegex(program.end(), r"^live: http://127\.0\.0\.1:\d+/\n$")

    def test_without_the_variable_there_is_no_page(self) -> None:
        """An empty value is none."""
        program = Program("", "run")
        self.assertEqual(["3 items"], program.lines)
        self.assertEqual("", program.end())

    def test_a_bad_value_is_an_error(self) -> None:
        """The message names the variable and the value."""
        for value in ("here", "localhost:", "localhost:99999", "localhost:-1", "a b:1"):
            with self.subTest(value):
                program = Program(value, "run")
                self.assertEqual(1, len(program.lines))
                self.assertIn(f"THALWEG_LIVE={value}: ", program.lines[0])
                program.end()
                self.assertEqual(1, program.running.returncode)

    def test_a_port_that_is_taken_is_a_note(self) -> None:
        """The run goes on, and its report says so."""
        with socket.create_server(("127.0.0.1", 0)) as one:
            where = f"localhost:{one.getsockname()[1]}"
            program = Program(where, "run")
            self.assertIn(f"note: THALWEG_LIVE={where}: cannot listen", program.lines[0])
            self.assertEqual("3 items", program.lines[1])
            self.assertEqual("", program.end())
            self.assertEqual(0, program.running.returncode)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
