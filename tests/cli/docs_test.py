"""The documentation site: what its pages are made of, where their links lead, and how they look."""

import io
import json
import re
import shutil
import tempfile
import unittest
import xml.etree.ElementTree as ET
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from unittest import mock
from urllib.parse import unquote, urlsplit

from browser import BROWSERS, Page, a_page, find_browser
from PIL import Image
from thalweg_cli.app import app
from thalweg_cli.base.packages import Package, needed, needed_later
from thalweg_cli.base.paths import ROOT
from thalweg_cli.base.terminal import Failed
from thalweg_cli.base.version import number
from thalweg_cli.docs import tools as docs_tools
from thalweg_cli.docs.command import check_place
from thalweg_cli.docs.comment import UnknownElement, markdown_of
from thalweg_cli.docs.declaration import declaration, follows_note
from thalweg_cli.docs.doxygen import source_lines
from thalweg_cli.docs.hook import anchor_of
from thalweg_cli.docs.navigation import Group, Navigation, Part, check_complete, read_navigation
from thalweg_cli.docs.pages import Pages, outside_code
from thalweg_cli.docs.places import OVERVIEW, Places, page_of, reference_page, way
from thalweg_cli.docs.site import build_site, repository_pages, run_mkdocs
from thalweg_cli.docs.tools import get_tools
from typer.testing import CliRunner

PHONE, DESKTOP = (420, 900), (1400, 900)

WITH_EXAMPLES = re.compile(r"^ *///? ?```(?:cpp|c\+\+)\n((?: *///?.*\n)+?) *///? ?```$", re.MULTILINE)

PROBLEMS = """(() => {
  const still = document.createElement("style");  // Nothing is on its way when it is measured.
  still.textContent = "* { transition: none !important; }";
  document.head.append(still);
  const found = [];
  const page = document.documentElement;
  if (page.scrollWidth > innerWidth) found.push(`the page is ${page.scrollWidth} wide`);
  const content = document.querySelector(".md-content");
  if (content.innerText.trim().length < 20) found.push("there is no text");
  for (const one of document.images)
    if (!one.naturalWidth) found.push(`no picture ${one.src}`);
  const inTheWay = (one) => getComputedStyle(one).overflowX;
  for (const one of content.querySelectorAll("*")) {
    if (!one.checkVisibility() || one.closest("svg, .md-search, .md-code__nav, .md-top")) continue;
    const cut = one.scrollWidth > one.clientWidth + 1 && ["hidden", "clip"].includes(inTheWay(one));
    if (cut && one.innerText) found.push(`cut off: ${one.innerText.slice(0, 60)}`);
    if (one.getBoundingClientRect().right <= innerWidth + 1) continue;
    let around = one.parentElement;
    while (around && !["auto", "scroll"].includes(inTheWay(around))) around = around.parentElement;
    if (!around) found.push(`beyond the edge: ${one.outerHTML.slice(0, 80)}`);
  }
  return found;
})()"""
"""What is wrong with how a page is shown: too wide, empty, or with text that cannot be read."""

NO_PICTURE = """new Promise((done) => {
  const picture = new Image();
  picture.onerror = () => done();
  picture.src = "gone.png";
  document.querySelector(".md-content").replaceChildren(picture);
})"""
"""Leaves a page with a picture that is not there, and without text."""

SEARCH = """new Promise((done) => {
  const input = document.querySelector(".md-search__input");
  const toggle = document.getElementById("__search");
  if (!toggle.checked) toggle.click();
  const results = () => [...document.querySelectorAll(".md-search-result__item > a")].map((one) => one.href);
  new MutationObserver(() => { if (results().length) done(results()); })
    .observe(document.querySelector(".md-search-result"), { childList: true, subtree: true });
  input.value = "WORDS";
  input.dispatchEvent(new Event("keyup", { bubbles: true }));
})"""


class Parsed(HTMLParser):
    """A page of the site: its links, what it loads, its anchors, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.twice: set[str] = set()
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes what a tag refers to, and what may refer to it."""
        given = {name: value or "" for name, value in attrs}
        if anchor := given.get("id", ""):
            self.twice |= {anchor} & self.anchors
            self.anchors.add(anchor)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif "src" in given or (tag == "link" and "href" in given):
            self.loads.append(given.get("src") or given["href"])

    def handle_data(self, data: str) -> None:
        """Collects text."""
        self.words.append(data)


class Links(unittest.TestCase):
    """Links of the repository's pages lead to pages of the site."""

    def setUp(self) -> None:
        self.folder = ROOT / "docs"
        self.places = Places(repository_pages(), {"thalweg/pattern/farm.hpp"})
        self.made = Pages(self.places)

    def changed(self, text: str) -> str:
        """A page's text on the site."""
        with mock.patch.object(Path, "read_text", return_value=text):
            return self.made.made_of(self.folder / "coming-from" / "onetbb.md")

    def test_to_pages(self) -> None:
        self.assertEqual(self.changed("[a](../model.md#options)"), "[a](../model.md#options)")
        self.assertEqual(self.changed("[a](../../README.md)"), "[a](../repository.md)")
        self.assertEqual(self.changed("[a](../../apps/primes/README.md)"), "[a](../applications/primes.md)")

    def test_to_headers_and_sources(self) -> None:
        self.assertEqual(
            self.changed("[a](../../include/thalweg/pattern/farm.hpp)"), "[a](../api/pattern/farm.md)"
        )
        self.assertEqual(self.changed("[a](../../include/thalweg/pattern)"), "[a](../api/index.md)")
        source = "source/include/thalweg/pipe/ring.hpp.md"
        self.assertEqual(self.changed("[a](../../include/thalweg/pipe/ring.hpp)"), f"[a](../{source})")
        self.assertEqual(self.places.sources["include/thalweg/pipe/ring.hpp"], source)
        self.assertEqual(self.changed("[a](../../examples/demo)"), "[a](../source/examples/demo/index.md)")

    def test_to_pictures(self) -> None:
        self.assertEqual(self.changed("![a](../pictures/speed.png)"), "![a](../pictures/speed.png)")
        self.assertEqual(self.places.pictures, {"docs/pictures/speed.png": "pictures/speed.png"})

    def test_to_nowhere(self) -> None:
        with self.assertRaisesRegex(Failed, "there is no ../gone.md"):
            self.changed("[a](../gone.md)")

    def test_what_is_no_link(self) -> None:
        for text in ("[a](https://x.y)", "[a](#here)", "`[](int)`", "```cpp\n[](gone.md)\n```"):
            self.assertEqual(self.changed(text), text)
        self.assertEqual(self.changed("```cpp run\nf();\n```"), "```cpp\nf();\n```")

    def test_names_of_pages_become_their_titles(self) -> None:
        self.made.made_of(ROOT / "docs" / "index.md")
        text = self.made.made_of(ROOT / "docs" / "index.md")
        self.assertIn("[The model](model.md)", text)
        self.assertNotIn("[model.md]", text)

    def test_ways(self) -> None:
        self.assertEqual(way("index.md", "api/a.md"), "api/a.md")
        self.assertEqual(way("api/x/a.md", "api/y/b.md"), "../y/b.md")
        self.assertEqual(page_of("docs/protocols/README.md"), "protocols.md")

    def test_examples_stay_as_they_are(self) -> None:
        text = "a\n```cpp\na\n```\na"
        self.assertEqual(outside_code(text, str.upper), "A\n```cpp\na\n```\nA")


class Anchors(unittest.TestCase):
    """Headings have the same anchors as where the repository is shown."""

    def test_as_the_check_of_links_has_them(self) -> None:
        for heading, anchor in {
            "One result: `reduce`": "one-result-reduce",
            "What -- and `a | b`": "what----and-a--b",
            "100 % of it": "100--of-it",
        }.items():
            self.assertEqual(anchor_of(heading.replace("`", ""), "-"), anchor)


class Declarations(unittest.TestCase):
    """Names are declared as their headers have it, without what they do."""

    def shown(self, text: str, line: int, kind: str = "function") -> str:
        """A declaration in a text."""
        return declaration(text.splitlines(), line, kind)

    def test_functions(self) -> None:
        head = "template <class F>\n  requires good<F>\nauto f(F g = {},\n       int x = 1)"
        self.assertEqual(self.shown(f"/// A.\n{head} {{\n  return x;\n}}", 4), head)
        self.assertEqual(self.shown("a();\n  void f() const noexcept;  ///< f", 2), "void f() const noexcept")
        self.assertEqual(self.shown("  c(a::b x, int y = a::z) : x_(x) {}", 1), "c(a::b x, int y = a::z)")

    def test_others(self) -> None:
        self.assertEqual(
            self.shown("template <class T> class c final : public base<T> {", 1, "class"),
            "template <class T> class c final : public base<T>",
        )
        self.assertEqual(self.shown("  int x{1};  ///< y; z", 1, "variable"), "int x{1}")
        self.assertEqual(
            self.shown("std::function<void()> f = {};", 1, "variable"), "std::function<void()> f = {}"
        )
        self.assertEqual(
            self.shown("enum class e { a,  ///< {\n b };\nint x;", 1, "enum"),
            "enum class e { a,  ///< {\n b };",
        )

    def test_notes_keep_internal_ones_apart(self) -> None:
        self.assertTrue(follows_note(["", "// For the library.", "void f();", "void g();"], 4))
        self.assertFalse(follows_note(["// For the library.", "", "void g();"], 3))
        self.assertFalse(follows_note(["/// For all.", "void f();", "void g();"], 3))


class Comments(unittest.TestCase):
    """Comments come out of Doxygen as the Markdown that they were."""

    def markdown(self, inside: str) -> str:
        """A comment as Markdown."""
        return markdown_of(ET.fromstring(f"<detaileddescription>{inside}</detaileddescription>"))

    def test_text_and_code(self) -> None:
        self.assertEqual(
            self.markdown(
                "<para>a_b &lt;c&gt; <computeroutput>f&lt;T&gt;(`x`)</computeroutput> <bold>d</bold></para>"
            ),
            "a&#95;b &#60;c&#62; ``  f<T>(`x`)  `` **d**".replace("  ", " "),
        )

    def test_examples_and_lists(self) -> None:
        line = '<codeline><highlight class="normal">f(<sp/><ref refid="x">g</ref>);</highlight></codeline>'
        code = f'<para>a<programlisting filename=".cpp">{line}{line}</programlisting></para>'
        self.assertEqual(self.markdown(code), "a\n\n```cpp\nf( g);\nf( g);\n```")
        items = "<listitem><para>a</para></listitem><listitem><para>b</para></listitem>"
        self.assertEqual(self.markdown(f"<para><itemizedlist>{items}</itemizedlist></para>"), "- a\n- b")

    def test_exceptions(self) -> None:
        name = "<parameternamelist><parametername>error</parametername></parameternamelist>"
        why = "<parameterdescription><para>if it fails</para></parameterdescription>"
        item = f"<parameteritem>{name}{why}</parameteritem>"
        text = self.markdown(f'<para>a <parameterlist kind="exception">{item}</parameterlist></para>')
        self.assertEqual(text, "a\n\nThrows `error` if it fails.")

    def test_tables(self) -> None:
        def row(*cells: str) -> str:
            return f"<row>{''.join(f'<entry><para>{cell}</para></entry>' for cell in cells)}</row>"

        text = self.markdown(f'<para><table rows="2" cols="2">{row("a", "b")}{row("c", "d")}</table></para>')
        self.assertEqual(text, "| a | b |\n|---|---|\n| c | d |")

    def test_what_is_not_known(self) -> None:
        with self.assertRaisesRegex(UnknownElement, "<image>"):
            self.markdown("<para><image/></para>")


class Menu(unittest.TestCase):
    """The menu has all that the site has."""

    def test_it_is_complete(self) -> None:
        navigation = read_navigation()
        check_complete(navigation, repository_pages(), navigation.headers())

    def test_what_is_missing_or_too_much(self) -> None:
        page, other = ROOT / "README.md", ROOT / "docs" / "model.md"
        menu = Navigation((Part("a", (Group("a", ("README.md", "README.md")),)),), (Group("b", ("x.hpp",)),))
        with self.assertRaises(Failed) as raised:
            check_complete(menu, [page, other], ["y.hpp"])
        for what in (
            "docs/model.md is in no group",
            "y.hpp is in no group",
            "x.hpp has nothing that is public",
            "README.md is in several groups",
        ):
            self.assertIn(what, raised.exception.output)


class Glossary(unittest.TestCase):
    """The glossary stays short."""

    def test_words(self) -> None:
        lines = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
        words = [line for line in lines if line.startswith("| ") and not line.startswith("| word |")]
        self.assertGreater(len(words), 30)
        self.assertLessEqual(len(words), 60)


class ComingFrom(unittest.TestCase):
    """Each page for those who come from another library has words, their program, and ours, which is run."""

    def test_pages(self) -> None:
        pages = sorted((ROOT / "docs" / "coming-from").glob("*.md"))
        self.assertEqual(len(pages), 7)
        for page in pages:
            with self.subTest(page.name):
                text = page.read_text(encoding="utf-8")
                self.assertTrue(text.startswith("# Coming from "))
                rows = [line for line in text.splitlines() if line.startswith("| ")]
                self.assertIn(len(rows) - 1, range(10, 26))
                self.assertRegex(text, r"(?m)^```(cpp|java)$")
                self.assertRegex(text, r"(?m)^```cpp run$")


class Tools(unittest.TestCase):
    """What the site needs is installed when it is first used, and not before."""

    def run_with(self, *, missing: bool, for_tests: bool = False) -> tuple[list[list[str]], list[list[str]]]:
        """What is installed on a machine that has nothing of it, or all of it."""
        with (
            mock.patch.object(Package, "found", return_value=None if missing else "1"),
            mock.patch.object(docs_tools, "satisfied", return_value=None if missing else "1"),
            mock.patch.object(docs_tools, "install_all") as apt,
            mock.patch.object(docs_tools, "pip_install") as pip,
        ):
            get_tools(for_tests=for_tests)
        return [call.args[0] for call in apt.mock_calls], [call.args[1] for call in pip.mock_calls]

    def test_what_is_missing(self) -> None:
        apt, pip = self.run_with(missing=True)
        self.assertEqual(apt, [["doxygen"]])
        self.assertTrue(any("mkdocs-material" in one for one in pip[0]))
        apt, _ = self.run_with(missing=True, for_tests=True)
        self.assertEqual(apt, [["doxygen", "chromium-headless-shell"]])
        self.assertEqual(self.run_with(missing=False, for_tests=True), ([], []))

    def test_other_commands_do_without(self) -> None:
        first = {package.name for package in needed()}
        for package in needed_later():
            self.assertNotIn(package.name, first)
        launcher = (ROOT / "thalweg").read_text(encoding="utf-8")
        self.assertIn("/^# later:/,$d", launcher)


class Output(unittest.TestCase):
    """A site replaces a site, and nothing else."""

    def test_places(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            check_place(folder)
            check_place(folder / "new")
            (folder / "file").touch()
            with self.assertRaisesRegex(Failed, "something else"):
                check_place(folder)
            with self.assertRaisesRegex(Failed, "no folder"):
                check_place(folder / "file")
            (folder / "versions.js").touch()
            check_place(folder)

    def test_command(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "file").touch()
            done = CliRunner().invoke(app, ["docs", "--output", name])
            self.assertIsInstance(done.exception, Failed)
            self.assertEqual([file.name for file in Path(name).iterdir()], ["file"])


def check_tools() -> None:
    """Skips tests where the site cannot be built."""
    if not shutil.which("doxygen") or not all(map(docs_tools.satisfied, docs_tools.docs_requirements())):
        raise unittest.SkipTest("Doxygen or MkDocs is missing: ./thalweg docs installs them")


class Warnings(unittest.TestCase):
    """What MkDocs warns of is a failure."""

    def test_a_warning_is_a_failure(self) -> None:
        check_tools()
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            pages, config = folder / "pages", folder / "mkdocs.yml"
            pages.mkdir()
            places = {"site_name": "a", "docs_dir": str(pages), "site_dir": str(folder / "site")}
            config.write_text(json.dumps(places), encoding="utf-8")
            (pages / "index.md").write_text("# A\n", encoding="utf-8")
            run_mkdocs(config)
            (pages / "index.md").write_text("# A\n[b](gone.md)\n", encoding="utf-8")
            with self.assertRaises(Failed) as raised:
                run_mkdocs(config)
        self.assertIn("gone.md", raised.exception.output)


class Built(unittest.TestCase):
    """The site, which is built once, without warnings."""

    site: Path

    @classmethod
    def setUpClass(cls) -> None:
        """Builds it."""
        check_tools()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.site = Path(folder.name) / "site"
        build_site(Path(folder.name) / "work", cls.site)

    def page(self, name: str) -> str:
        """A page's text."""
        return (self.site / name).with_suffix(".html").read_text(encoding="utf-8")

    def test_links(self) -> None:
        pages = {file: Parsed(file.read_text(encoding="utf-8")) for file in self.site.rglob("*.html")}
        self.assertGreater(len(pages), 150)
        dead = []
        for file, parsed in pages.items():
            if file.name == "404.html":
                continue  # Its links are those of a server.
            if file.is_relative_to(self.site / "api"):
                self.assertEqual(parsed.twice, set(), file)
            for link in (*parsed.links, *parsed.loads):
                parts = urlsplit(link)
                if parts.scheme or parts.netloc:
                    self.assertNotIn(link, parsed.loads, "nothing is loaded from elsewhere")
                    continue
                target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
                known = pages.get(target)
                if not target.is_file() or (parts.fragment and known and parts.fragment not in known.anchors):
                    dead.append(f"{file.relative_to(self.site)}: {link}")
        self.assertEqual(dead, [])

    def test_every_page_of_a_header_has_its_comment_declaration_and_example(self) -> None:
        headers = read_navigation().headers()
        self.assertGreater(len(headers), 60)
        without = defaultdict(list)
        for header in headers:
            words = "".join(Parsed(self.page(reference_page(header))).words)
            shown = re.sub(r"\s+", " ", words)
            if f"#include <{header}>" not in shown:
                without["include"].append(header)
            text = "\n".join(source_lines(header)) + "\n"
            for example in WITH_EXAMPLES.findall(text):
                plain = re.sub(r"\s+", " ", re.sub(r"(?m)^ *///? ?", "", example)).strip()
                if plain not in shown and "namespace model" not in text:
                    without["example"].append(f"{header}: {plain[:60]}")
        self.assertEqual(without, {})
        farm = re.sub(r"\s+", " ", "".join(Parsed(self.page("api/pattern/farm")).words))
        for part in (
            "A stage, or a pipeline of stages, replicated.",
            "template <class F> auto farm(F what, options opts = {})",
            "Replicates a stage or a pipeline of stages: farm(f) for a callable f(T) -> U",
            "assert((seen == std::vector{3, 5}));",
            "It comes with <thalweg/thalweg.hpp>.",
            "Described in:",
        ):
            self.assertIn(part, farm)

    def test_members(self) -> None:
        report = self.page("api/observe/report")
        for anchor in (
            "report.bottleneck",
            "stage_report.ranks",
            "stage_report.items_in",
            "latency_report.p99",
            "limited_by",
        ):
            self.assertIn(f'id="{anchor}"', report)
        graph = self.page("api/pattern/split")
        self.assertIn('id="split.branch"', graph, "what comes from an internal base")
        self.assertNotIn('id="split.on_start"', graph)
        self.assertIn("The processors", self.page("api/model/options"))

    def test_internal_names_are_left_out(self) -> None:
        names = json.loads((self.site.parent / "work" / "addresses.json").read_text(encoding="utf-8"))
        self.assertIn("farm", names)
        self.assertIn("execution::set_replicas", names)
        for name in ("farm_stage", "chunk", "chain", "component", "engine", "bench"):
            self.assertNotIn(name, names)
        self.assertFalse((self.site / "api" / "pipe" / "ring.html").exists())
        self.assertTrue((self.site / "source" / "include" / "thalweg" / "thalweg.hpp.html").exists())

    def test_guides_and_reference_are_joined(self) -> None:
        self.assertRegex(self.page("patterns"), r'<a class="name" href="api/pattern/window\.html#window">')
        self.assertIn('href="../../patterns.html"', self.page("api/pattern/window"))
        overview = self.page(OVERVIEW)
        for name in ("source", "farm", "graph", "run", "pool", "report", "tcp_source", "test"):
            self.assertRegex(overview, rf'<a href="[^"]+#{name}"><code>{name}</code>')

    def test_search(self) -> None:
        index = json.loads((self.site / "search" / "search_index.json").read_text(encoding="utf-8"))
        found = {entry["location"] for entry in index["docs"]}
        self.assertIn("api/pattern/farm.html", found)
        self.assertIn("model.html", found)
        self.assertFalse([one for one in found if one.startswith("source/")])

    def test_version(self) -> None:
        versions = (self.site / "versions.js").read_text(encoding="utf-8")
        self.assertIn(json.dumps([{"name": number(), "path": "."}]), versions)

    def shown(self) -> str:
        """A browser. The test is skipped where there is none."""
        browser = find_browser()
        if browser is None:
            self.skipTest(f"none of {', '.join(BROWSERS)} is on the PATH: apt-get install {BROWSERS[1]}")
        return browser

    def pages_to_look_at(self) -> list[str]:
        """All that are read, and one of each kind of those that show files."""
        pages = [page_of(page.relative_to(ROOT).as_posix()) for page in repository_pages()]
        pages += [OVERVIEW, *map(reference_page, read_navigation().headers())]
        pages += ["source/examples/hello.cpp.md", "source/examples/demo/index.md"]
        return [page.removesuffix(".md") + ".html" for page in pages]

    def open(self, page: Page, name: str) -> None:
        """Shows a page of the site as it lies on disk."""
        page.open((self.site / name).as_uri())

    def test_pages_fit_a_phone_and_a_desktop(self) -> None:
        wrong = []
        with a_page(self.shown()) as page:
            for name in self.pages_to_look_at():
                page.size(*PHONE)
                self.open(page, name)
                wrong += [f"{name}, phone: {what}" for what in page.tells(PROBLEMS)]
                page.size(*DESKTOP)
                wrong += [f"{name}, desktop: {what}" for what in page.tells(PROBLEMS)]
            self.assertEqual(page.errors, [])
        self.assertEqual(wrong, [])

    def test_what_is_wrong_is_seen(self) -> None:
        wide = "<p style='width: 3000px'>wide</p>"
        cut = "<p style='width: 50px; overflow: hidden; white-space: nowrap'>This is cut off somewhere.</p>"
        with a_page(self.shown()) as page:
            for size in (PHONE, DESKTOP):
                page.size(*size)
                for html, what in ((wide, "wide"), (wide, "beyond the edge"), (cut, "cut off: This is")):
                    self.open(page, "index.html")
                    self.assertEqual(page.tells(PROBLEMS), [])
                    page.tells(f"document.querySelector('article').insertAdjacentHTML('beforeend', `{html}`)")
                    self.assertTrue(any(what in one for one in page.tells(PROBLEMS)), what)
                page.tells(NO_PICTURE)
                found = page.tells(PROBLEMS)
                self.assertTrue(any("no text" in one for one in found), found)
                self.assertTrue(any("no picture" in one for one in found), found)

    def test_pictures_of_pages(self) -> None:
        grounds = {}
        with a_page(self.shown()) as page:
            for dark in (False, True):
                for size in (PHONE, DESKTOP):
                    page.size(*size, dark=dark)
                    self.open(page, "index.html")
                    picture = Image.open(io.BytesIO(page.picture())).convert("L")
                    self.assertEqual(picture.size, size)
                    counts = picture.histogram()
                    self.assertGreater(sum(count > 0 for count in counts), 50, "it is not empty")
                    grounds[dark, size] = counts.index(max(counts))
        for size in (PHONE, DESKTOP):
            self.assertGreater(grounds[False, size], 240)
            self.assertLess(grounds[True, size], 80)

    def test_search_works_from_disk(self) -> None:
        with a_page(self.shown()) as page:
            page.size(*DESKTOP)
            self.open(page, "index.html")
            for words, place in (("set_replicas", "api/run/run.html"), ("tumbling", "api/pattern/window")):
                found = page.tells(SEARCH.replace("WORDS", words))
                self.assertTrue(any(place in one for one in found[:5]), found)
            self.assertEqual(page.errors, [])

    def test_version_menu(self) -> None:
        menu = "document.querySelector('.md-version').innerText.trim().split(/\\s+/).join(' ')"
        with a_page(self.shown()) as page:
            page.size(*DESKTOP)
            self.open(page, "api/run/run.html")
            self.assertEqual(page.tells(menu), number())
            file = self.site / "versions.js"
            before = file.read_text(encoding="utf-8")
            self.addCleanup(file.write_text, before, encoding="utf-8")
            file.write_text(
                before.replace("}]", '}, {"name": "0.0.1", "path": "../0.0.1"}]'), encoding="utf-8"
            )
            self.open(page, "api/run/run.html")
            self.assertEqual(page.tells(menu), f"{number()} {number()} 0.0.1")
            there = page.tells("document.querySelectorAll('.md-version__link')[1].href")
            self.assertEqual(there, (self.site.parent / "0.0.1" / "index.html").as_uri())


if __name__ == "__main__":
    unittest.main()
