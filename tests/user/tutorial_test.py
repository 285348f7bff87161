"""Types the commands of docs/tutorial.md; where one opens the editor, that writes what stands there."""

import unittest

from user import User, blocks


class Tutorial(User):
    """A newcomer's first hour."""

    def test_commands_work_as_they_stand_there(self) -> None:
        commands = [line for block in blocks("tutorial.md", "sh") for line in block.splitlines()]
        programs = blocks("tutorial.md", "cpp")
        self.assertEqual(len(commands), 10)
        editor = self.folder / "editor"
        said = {}
        for command in commands:
            if command.startswith("./thalweg edit "):
                self.file("wanted.cpp", programs.pop(0))
                self.file("editor", f'#!/bin/sh\ncp "{self.folder}/wanted.cpp" "$1"\n')
            said[command] = self.types(command, VISUAL=str(editor))
        self.assertEqual(programs, [])

        compared = next(text for command, text in said.items() if command.startswith("./thalweg compare"))
        self.assertRegex(compared, r"primes_crew_first +2 +5, 5 .*(faster|slower|no difference shown)")
        measured = next(text for text in said.values() if "primes_thalweg_farm" in text and "kept as" in text)
        for program in (
            "primes_crew_first",
            "primes_sequential",
            "primes_thalweg_farm",
            "primes_threads_farm",
        ):
            self.assertRegex(measured, rf"{program} +\d+ \(\d+\) +0\.")
        self.assertIn("verified", measured)
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        self.assertIn("primes_crew_first", page)


unittest.main()
