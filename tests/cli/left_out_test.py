"""Applications of the user's own that CMake cannot read: which they are, and that all else goes on."""

import io
import tempfile
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

from thalweg_cli.base.terminal import Failed
from thalweg_cli.build import cmake as build
from thalweg_cli.build import left_out
from thalweg_cli.build.cmake import NotConfigured
from thalweg_cli.build.left_out import LeftOut, leave_out, look_at_mended, mistakes_in

SAID = """\
-- Found TBB
CMake Error at {apps}/noise/CMakeLists.txt:4 (find_package):
  By not providing "FindNosuch.cmake" this project has
  asked CMake to find it.

  Could not find a package.


CMake Warning at {apps}/quiet/CMakeLists.txt:1 (message):
  only a warning


CMake Error at {apps}/parse/CMakeLists.txt:7:
  Parse error.  Function missing ending ")".  End of file reached.


CMake Error at cmake/user_apps.cmake:24 (target_link_libraries):
  Target "app_linked" links to:

    Foo::Foo

  but the target was not found.  Possible reasons include:

    * There is a typo in the target name.

Call Stack (most recent call first):
  {apps}/linked/CMakeLists.txt:2 (thalweg_own_app)


CMake Error: Cannot determine link language for target "app_empty".
CMake Error at bench/CMakeLists.txt:9 (include):
  something of ours
FAILED: build.ninja
"""


class InABuild(unittest.TestCase):
    """Each test has a folder of a build, and one of applications."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build, self.apps = Path(folder.name) / "build", Path(folder.name) / "own" / "apps"
        self.build.mkdir()
        for name in ("noise", "quiet", "parse", "linked", "empty"):
            (self.apps / name).mkdir(parents=True)
            (self.apps / name / "CMakeLists.txt").write_text("thalweg_own_app()\n", encoding="utf-8")

    def names(self) -> list[str]:
        """Those that are left out."""
        return list(left_out.left_out(self.build))


class Mistakes(InABuild):
    """What CMake says, and the list that it reads."""

    def test_each_has_file_line_and_words(self) -> None:
        found = mistakes_in(SAID.format(apps=self.apps), self.apps)
        self.assertEqual(
            {name: one.why.removeprefix(f"{self.apps}/") for name, one in found.items()},
            {
                "noise": 'noise/CMakeLists.txt:4: By not providing "FindNosuch.cmake" this project has '
                "asked CMake to find it.",
                "parse": 'parse/CMakeLists.txt:7: Parse error. Function missing ending ")". '
                "End of file reached.",
                "linked": 'linked/CMakeLists.txt:2: Target "app_linked" links to: Foo::Foo but the '
                "target was not found.",
                "empty": 'empty/CMakeLists.txt: Cannot determine link language for target "app_empty".',
            },
        )

    def test_list_keeps_any_words(self) -> None:
        why = 'a "quoted" \\ word ]=] ; ${x}'
        leave_out(self.build, {"noise": LeftOut(why, "abc")})
        self.assertEqual(left_out.left_out(self.build), {"noise": LeftOut(why, "abc")})

    def test_without_mistakes_nothing_is_written(self) -> None:
        leave_out(self.build, {})
        look_at_mended(self.build, self.apps)
        self.assertEqual(list(self.build.iterdir()), [])

    def test_changed_files_are_read_again(self) -> None:
        leave_out(self.build, mistakes_in(SAID.format(apps=self.apps), self.apps))
        self.assertEqual(self.names(), ["empty", "linked", "noise", "parse"])
        look_at_mended(self.build, self.apps)
        self.assertEqual(self.names(), ["empty", "linked", "noise", "parse"])
        (self.apps / "noise" / "CMakeLists.txt").write_text("# mended\n", encoding="utf-8")
        (self.apps / "linked" / "more.cmake").write_text("# new\n", encoding="utf-8")
        look_at_mended(self.build, self.apps)
        self.assertEqual(self.names(), ["empty", "parse"])
        look_at_mended(self.build, self.apps, all_of_them=True)
        self.assertEqual(self.names(), [])


class Builds(InABuild):
    """`build` with a CMake that only pretends."""

    def run_build(self, *says: str, target: str = "x") -> tuple[int, str]:
        """Builds while CMake says these, one after the other. How often it ran, and what was told."""
        words = list(says)

        def configure(_preset: str) -> None:
            if words:
                raise NotConfigured("CMake could not configure", words.pop(0).format(apps=self.apps), "")

        told = io.StringIO()
        with (
            mock.patch.object(build, "BUILD", self.build),
            mock.patch.object(build, "build_folder", return_value=self.build),
            mock.patch.object(build, "user_folder", return_value=self.apps.parent),
            mock.patch.object(build, "configure", side_effect=configure) as ran,
            mock.patch.object(build, "run_ninja"),
            redirect_stderr(told),
        ):
            build.build("release", target)
        return ran.call_count, told.getvalue()

    def test_goes_on_without_what_has_a_mistake(self) -> None:
        count, told = self.run_build(SAID)
        self.assertEqual(count, 2)
        self.assertIn(f"the application noise is left out: {self.apps}/noise/CMakeLists.txt:4: By not", told)
        self.assertEqual(self.names(), ["empty", "linked", "noise", "parse"])

    def test_what_is_wrong_with_ours_is_told_as_it_is(self) -> None:
        with self.assertRaises(NotConfigured):
            self.run_build("CMake Error at bench/CMakeLists.txt:9 (include):\n  something of ours\n")

    def test_folder_that_is_no_name_is_not_tried_for_ever(self) -> None:
        (self.apps / "my-own").mkdir()
        one = "CMake Error at {apps}/my-own/CMakeLists.txt:4 (x):\n  y\n"
        with self.assertRaises(NotConfigured):
            self.run_build(one, one)

    def test_it_is_not_tried_for_ever(self) -> None:
        one = "CMake Error at {apps}/noise/CMakeLists.txt:4 (x):\n  y\n"
        with self.assertRaises(NotConfigured):
            self.run_build(one, one)

    def test_what_is_of_it_cannot_be_built(self) -> None:
        for target in ("inputs_of_noise", "test_app_noise"):
            with self.assertRaises(Failed) as caught:
                self.run_build(SAID, target=target)
            self.assertIn("noise/CMakeLists.txt:4: By not", caught.exception.what)
            left_out.leave_out(self.build, {})
