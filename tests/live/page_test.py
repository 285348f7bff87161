"""The page of a running stream in a browser, with a server that plays a made-up run."""

import json
import time
import unittest
from typing import Any

from looking import LOOK_AGAIN_S, PATIENCE_S, Looking, needs_a_browser, seen, text
from mock_run import Run, Stage, blocks, branches, keys, line, many, upper_of
from mock_server import PACKAGES, Server
from thalweg_cli.base.web_parts import parts_with

LAYOUTS = "import('/assets/layout.js').then((layout) => layout.counts.layouts)"
BOX = "document.querySelectorAll('.stage')"
BATCH_FIELDS = "[...document.querySelectorAll('.batch input')].map((field) => field.value)"


def click(selector: str, number: int = 0) -> str:
    """A script that clicks, and says whether it could."""
    clicked = "dispatchEvent(new MouseEvent('click', { bubbles: true }))"
    one = f"document.querySelectorAll({json.dumps(selector)})[{number}]"
    return f"Boolean({one} && !{one}.disabled && ({one}.{clicked}, true))"


def figure(number: int) -> str:
    """A script for the text of a figure in the page's head."""
    return text(f"#figures div:nth-child({number}) dd")


@needs_a_browser
class PageTest(Looking):
    """Each test has its server."""

    @classmethod
    def setUpClass(cls) -> None:
        """Looks for the page's packages first."""
        missing = [str(file) for file in parts_with(PACKAGES).values() if not file.is_file()]
        assert not missing, f"`npm ci` in web/ brings {missing}"
        super().setUpClass()

    def setUp(self) -> None:
        """Begins with a browser of the usual size that shows nothing."""
        self.page.open("about:blank")  # The page of the test before still looks for its server.
        self.page.errors.clear()
        self.page.requests.clear()
        self.page.size(1400, 1000)

    def shows(self, run: Run, samples: int, *, token: str = "", port: int = 0) -> Server:
        """A server and its page, after some samples."""
        server = Server(run, token=token, port=port)
        self.addCleanup(server.kill)
        server.step(samples)
        self.page.open(server.url)
        self.up_to_date(server)
        return server

    def up_to_date(self, server: Server) -> None:
        """Waits until the page shows the latest sample."""
        items = f"{server.samples[-1]['items']:,}".replace(",", "\u202f")
        self.eventually(figure(1), items)
        self.next_frame()

    def next_frame(self) -> None:
        """Waits until all of it is drawn."""
        self.tells("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")


class Graph(PageTest):
    """What the graph shows."""

    def test_badge_names_what_limits(self) -> None:
        """In words, at its box and below the graph; while nothing limits there is none."""
        server = self.shows(line(), 100)
        self.assertEqual(self.tells("document.querySelector('.badge').getAttribute('visibility')"), "hidden")
        server.step(140)
        self.up_to_date(server)
        self.eventually(text("#limit-stage"), "archive/compress")
        self.assertIn("More replicas make the run", self.tells(text("#limit-advice")))
        self.assertEqual(self.tells("document.querySelector('.badge').getAttribute('visibility')"), "visible")
        self.assertIn("archive/compress: All 2 replicas", self.tells(text(".badge title")))
        self.assertEqual(self.tells(f"[...{BOX}].findIndex((box) => box.classList.contains('limiting'))"), 2)
        self.assertEqual(self.page.errors, [])

    def test_names_are_text(self) -> None:
        """Whatever they look like."""
        name = "<script>alert(1)</script>"
        stages = [
            Stage("<b>in</b>", "source"),
            Stage(name, "farm", 0.01, [0]),
            Stage("out", "sink", 0.001, [1]),
        ]
        self.shows(Run("<i>run</i>", stages), 40)
        self.eventually(click(".stage", 1))
        self.eventually(text("#stage-name"), name)
        self.eventually(f"{BOX}[1].querySelector('title').textContent.startsWith({json.dumps(name)})")
        self.assertEqual(self.tells(text("#limit-stage")), name)
        self.assertEqual(self.tells(text("#title")), "<i>run</i>")
        self.assertEqual(self.tells("document.scripts.length"), 1)
        self.assertEqual(self.tells("document.querySelectorAll('body b b, body i i, .stage b').length"), 0)
        self.assertEqual(self.page.errors, [])

    def test_a_large_graph_is_laid_out_once(self) -> None:
        """However many samples come; once more in the other direction of a narrow window."""
        server = self.shows(many(500), 4)
        self.assertEqual(self.tells(f"{BOX}.length"), 500)
        server.step(8)
        self.up_to_date(server)
        self.eventually(click(".stage", 100))
        self.eventually(seen("#stage-name"))
        self.assertEqual(self.tells(LAYOUTS), 1)
        self.page.size(420, 800)
        self.eventually(LAYOUTS, 2)

    def test_loops_frames_and_branches(self) -> None:
        """All edges are drawn, those back too, and frames around what is fused and around ranks."""
        self.shows(branches(), 40)
        self.assertEqual(self.tells("document.querySelectorAll('.pipe').length"), 11)
        self.assertEqual(self.tells("document.querySelectorAll('.pipe.back').length"), 1)
        frames = self.tells("[...document.querySelectorAll('.frame text')].map((frame) => frame.textContent)")
        self.assertEqual(sorted(frames), ["fused", "rank 0", "rank 1", "rank 2"])
        self.assertEqual(self.page.errors, [])

    def test_ranks(self) -> None:
        """Each has a row; that of one which is silent says how old it is, and keeps its figures."""
        run = branches()
        server = self.shows(run, 12)
        rows = "[...document.querySelectorAll('#ranks tbody tr')].map((row) => row.textContent)"
        self.assertEqual(len(self.tells(rows)), 3)
        self.assertIn("1 on a-machine", self.tells(rows)[1])
        self.assertRegex(self.tells(rows)[1], r"\d of 2")
        self.assertRegex(self.tells(text("#ranks h2")), r"^Ranks skew [12]\.\d×$")
        self.assertEqual(self.tells("document.querySelectorAll('#ranks tr.old').length"), 0)
        run.silent[2] = run.now
        server.step(20)
        self.up_to_date(server)
        self.assertEqual(self.tells("document.querySelectorAll('#ranks tr.old').length"), 1)
        self.assertIn("5.04\u202fs", self.tells(rows)[2])
        self.assertEqual(self.page.errors, [])

    def test_without_ranks(self) -> None:
        """A run in one process has no table of ranks."""
        self.shows(line(), 4)
        self.assertFalse(self.tells(seen("#ranks")))

    def test_what_flows_through_edges(self) -> None:
        """Is found from what stages took and gave, also around a loop."""
        edges = [{"from": a, "to": b} for a, b in ((0, 1), (1, 2), (2, 1), (2, 3))]
        stages = [{"out": 100}, {"rate": 120, "out": 120}, {"rate": 120, "out": 120}, {"rate": 100}]
        of = f"{json.dumps(edges)}, {json.dumps(stages)}"
        script = f"import('/assets/flows.js').then(({{ flows }}) => flows({of}))"
        self.shows(line(), 4)
        self.assertEqual(self.tells(script), [100, 120, 20, 100])

    def test_nothing_changes_without_news(self) -> None:
        """A sample that says the same as those before changes nothing in the graph."""
        server = self.shows(line(), 40)
        server.run.paused = True
        server.step(60)
        self.up_to_date(server)
        self.eventually(text("#state"), "paused")
        self.next_frame()
        self.tells(
            "window.changes = 0; new MutationObserver((all) => { window.changes += all.length; })"
            ".observe(document.querySelector('#graph'),"
            " { subtree: true, childList: true, characterData: true, attributes: true }); 0",
        )
        elapsed = self.tells(figure(4))
        server.step(8)
        self.eventually(f"({figure(4)}) !== {json.dumps(elapsed)}")
        self.next_frame()
        self.assertEqual(self.tells("window.changes"), 0)

    def test_colours_by_a_metric(self) -> None:
        """The user chooses it; the stage with the highest value has the strongest colour."""
        self.shows(line(), 240)
        self.tells("document.querySelector('#metric').value = 'service'")
        self.tells("document.querySelector('#metric').dispatchEvent(new Event('change'))")
        self.eventually(f"{BOX}[2].querySelector('.metric').classList.contains('step-6')")
        self.assertTrue(self.tells(f"{BOX}[0].querySelector('.metric').classList.contains('step-0')"))
        self.assertEqual(self.tells(f"{BOX}[2].querySelector('.busy').getAttribute('width')"), "0")


class Stages(PageTest):
    """What the user finds out about a stage, and does with it."""

    def test_keyboard_chooses_a_stage(self) -> None:
        """Tab reaches the stages, arrows go along edges, Enter chooses, Escape lets go."""
        server = self.shows(line(), 60)
        for _ in range(40):
            self.page.press("Tab")
            if self.tells("document.activeElement.classList.contains('stage')"):
                break
        self.assertEqual(self.tells(f"[...{BOX}].indexOf(document.activeElement)"), 0)
        self.page.press("ArrowRight")
        self.page.press("ArrowRight")
        self.page.press("ArrowLeft")
        self.page.press("Enter")
        self.eventually(text("#stage-name"), "read")
        self.assertEqual(self.tells(f"{BOX}[1].getAttribute('aria-pressed')"), "true")
        figures = self.tells(
            "Object.fromEntries([...document.querySelectorAll('.one dt:not([hidden])')]"
            ".map((term) => [term.textContent, term.nextElementSibling.textContent]))",
        )
        last = server.samples[-1]["stages"][1]
        self.assertEqual(figures["Items in"], f"{last['items_in']:,}".replace(",", "\u202f"))
        self.assertRegex(figures["At work"], r"^1\.\d\d of 2$")
        self.assertRegex(figures["Time per item"], r"^1\.[78]\d\u202fms$")
        self.assertRegex(figures["In its pipe"], r"^[\d.]+ of 64$")
        self.assertNotIn("Latency p50", figures)
        self.page.press("Escape")
        self.eventually(seen("#stage-name"), expected=False)

    def test_a_sink_has_its_latency(self) -> None:
        """And it cannot be resized."""
        self.shows(line(), 60, token="secret")
        self.eventually(click(".stage", 3))
        self.eventually(seen("#stage-name"))
        terms = self.tells(
            "[...document.querySelectorAll('.one dt:not([hidden])')].map((term) => term.textContent)",
        )
        self.assertIn("Latency p99", terms)
        self.assertFalse(self.tells(seen(".replicas")))

    def test_what_each_replica_does(self) -> None:
        """A farm has a row for each replica, with its share of the time and of the items in the interval."""
        server = self.shows(line(), 60)
        self.eventually(click(".stage", 2))
        self.eventually(seen(".divided"))
        self.assertEqual(self.tells(text(".divided h3")), "Replicas")
        self.assertEqual(self.tells(text(".divided b")), "skew 1.1×")
        self.assertEqual(
            [row[:1] + row[2:] for row in self.share_rows()], [["0", "55\u202f%"], ["1", "45\u202f%"]]
        )
        self.assertEqual(server.samples[-1]["stages"][2]["shares"]["by"], "replica")
        server.run.resize("archive/compress", 1)
        server.step(21)
        self.up_to_date(server)
        self.eventually("document.querySelectorAll('.divided tbody tr:not([hidden])').length", 1)
        self.assertEqual(self.share_rows()[0][2], "100\u202f%")
        self.assertEqual(self.tells(text(".divided b")), "", "one alone is not uneven")
        self.eventually(click(".stage", 3))
        self.eventually(seen(".divided"), expected=False)
        self.assertEqual(self.page.errors, [])

    def test_uneven_keys(self) -> None:
        """A farm with keys has a row for each part of them, sorted by number; how uneven they are is said."""
        self.shows(keys(), 60)
        self.eventually(click(".stage", 1))
        self.eventually(text(".divided h3"), "Parts of the keys")
        self.assertEqual(self.tells(text(".divided b")), "skew 7.0×")
        rows = self.share_rows()
        self.assertEqual([row[0] for row in rows], ["0", "3", "4", "7", "9", "12", "15", "21", "26", "30"])
        self.assertEqual([row[2] for row in rows if row[0] == "9"], ["70\u202f%"])
        self.assertEqual([row[2] for row in rows if row[0] == "0"], ["3.3\u202f%"])

    def share_rows(self) -> list[list[str]]:
        """What the rows of the chosen stage say."""
        rows = "[...document.querySelectorAll('.divided tbody tr:not([hidden])')]"
        return self.tells(f"{rows}.map((row) => [...row.children].map((cell) => cell.textContent))")

    def test_replicas(self) -> None:
        """The token is asked for until it is right, and then no more; the change has a flag."""
        server = self.shows(line(), 60, token="secret")
        flagged = """(() => {
          const canvas = document.querySelector('#curves canvas');
          const top = canvas.getContext('2d').getImageData(0, 0, canvas.width, 12 * devicePixelRatio).data;
          const is = (at, ...colour) => colour.every((part, channel) => top[at + channel] === part);
          for (let at = 0; at < top.length; at += 4) if (is(at, 0x6b, 0x3f, 0xa0)) return true;
          return false;
        })()"""
        self.assertFalse(self.tells(flagged))
        self.eventually(click(".stage", 2))
        self.eventually(seen(".replicas"))
        self.eventually(click(".replicas button", 1))
        self.send_token("wrong")
        self.eventually(seen("#token .bad"))
        self.send_token("secret")
        self.eventually(seen("#token"), expected=False)
        order = {"stage": "archive/compress", "replicas": 3}
        orders = [("/api/replicas", order, "Bearer wrong"), ("/api/replicas", order, "Bearer secret")]
        self.wait_for_posts(server, orders)
        server.step()
        self.eventually(text("#events .resize span"), "archive/compress: 2 → 3 replicas")
        self.eventually(flagged)
        self.eventually(text(".replicas output"), "3")
        self.eventually(click(".replicas button", 0))
        self.wait_for_posts(server, [*orders, ("/api/replicas", order | {"replicas": 2}, "Bearer secret")])
        self.assertFalse(self.tells(seen("#token")))

    def test_the_address_brings_the_token(self) -> None:
        """It is not asked for then, and the address does not show it any more."""
        server = self.shows(line(), 60, token="secret")
        self.page.open("about:blank")
        self.page.open(f"{server.url}#token=secret")
        self.up_to_date(server)
        self.assertEqual(self.tells("location.href"), server.url)
        self.eventually(click(".stage", 2))
        self.eventually(seen(".replicas"))
        self.eventually(click(".replicas button", 1))
        order = {"stage": "archive/compress", "replicas": 3}
        self.wait_for_posts(server, [("/api/replicas", order, "Bearer secret")])
        self.assertFalse(self.tells(seen("#token")))
        self.assertEqual([address for address in self.page.requests if "secret" in address], [])

    def test_what_the_program_refuses_is_shown(self) -> None:
        """In the program's words."""
        server = self.shows(line(), 60, token="secret")
        self.tells("sessionStorage.setItem('thalweg token', 'secret')")
        self.eventually(click(".stage", 2))
        self.eventually(seen(".replicas"))
        server.run.stages[2].replicas = 64
        server.step()
        self.eventually(text(".replicas output"), "64")
        self.eventually(click(".replicas button", 1))
        self.eventually(text("#message"), "'archive/compress' may have 1 to 64 replicas, not 65")

    def test_the_rate_of_a_paced_source(self) -> None:
        """Is shown, can be set, and what the program does not understand is shown in its words."""
        server = self.shows(line(), 60, token="secret")
        self.tells("sessionStorage.setItem('thalweg token', 'secret')")
        self.eventually(click(".stage", 0))
        self.eventually(seen(".pace"))
        self.assertFalse(self.tells(seen(".replicas")))
        due = "[...document.querySelectorAll('.one dt')].find((term) => term.textContent === 'Due now')"
        self.assertEqual(self.tells(f"{due}.nextElementSibling.textContent"), "900/s")
        self.send_rate("often")
        self.eventually(text("#message"), "rate: 'often' is no pattern")
        self.send_rate(" 500 ")
        order = {"stage": "lines", "rate": "often"}
        posts = [
            ("/api/rate", order, "Bearer secret"),
            ("/api/rate", order | {"rate": "500"}, "Bearer secret"),
        ]
        self.wait_for_posts(server, posts)
        server.step()
        self.eventually(text("#events .rate span"), "lines: 900/s → 500/s")
        self.eventually(f"{due}.nextElementSibling.textContent", "500/s")
        self.eventually(click(".stage", 2))
        self.eventually(seen(".replicas"))
        self.assertFalse(self.tells(seen(".pace")))

    def send_rate(self, rate: str) -> None:
        """Writes a rate into the field of the chosen source, and sends it."""
        self.tells(f"document.querySelector('.pace input').value = {json.dumps(rate)}")
        self.tells("document.querySelector('.pace button').click()")

    def test_what_closes_a_batch(self) -> None:
        """Is shown, and can be set; limits that the page does not offer stay."""
        server = self.shows(blocks(), 60, token="secret")
        self.tells("sessionStorage.setItem('thalweg token', 'secret')")
        self.eventually(click(".stage", 4))
        self.eventually(seen(".batch"))
        self.assertFalse(self.tells(seen(".pace:not(.batch)")))
        shown = "[...document.querySelectorAll('.one dt')].find((term) => term.textContent === 'Batch')"
        shown += ".nextElementSibling.textContent"
        self.assertEqual(self.tells(shown), "64 items or 250\u202fms")
        self.assertEqual(self.tells(BATCH_FIELDS), ["64", "250"])
        self.send_limits("", "0.5")
        self.send_limits("0", "0.5")
        self.eventually(text("#message"), "'items' must be a whole number above 0; leave it out for no limit")
        server.step()
        server.run.set_batch("blocks", {"items": 32, "bytes": 1 << 20})
        server.step()
        self.eventually(shown, "32 items or 1.00\u202fMiB")
        self.eventually(BATCH_FIELDS, ["32", ""])
        self.send_limits("128", "")
        posts = [{"every_ms": 0.5}, {"items": 0, "every_ms": 0.5}, {"items": 128, "bytes": 1 << 20}]
        orders = [("/api/batch", {"stage": "blocks"} | limits, "Bearer secret") for limits in posts]
        self.wait_for_posts(server, orders)
        server.step()
        flags = "[...document.querySelectorAll('#events .batch span')].map((flag) => flag.textContent)"
        self.eventually(
            flags,
            [
                "blocks: 32 items or 1.00\u202fMiB → 128 items or 1.00\u202fMiB",
                "blocks: 500\u202fµs → 32 items or 1.00\u202fMiB",
                "blocks: 64 items or 250\u202fms → 500\u202fµs",
            ],
        )
        self.eventually(click(".stage", 0))
        self.eventually(seen(".pace:not(.batch)"))
        self.assertFalse(self.tells(seen(".batch")))

    def send_limits(self, items: str, every: str) -> None:
        """Writes limits into the fields of the chosen batch, and sends them."""
        for number, value in enumerate((items, every)):
            self.tells(f"document.querySelectorAll('.batch input')[{number}].value = {json.dumps(value)}")
        self.tells("document.querySelector('.batch button').click()")

    def test_orders(self) -> None:
        """Pause and resume at once, stop after a question."""
        server = self.shows(line(), 20, token="secret")
        self.tells("sessionStorage.setItem('thalweg token', 'secret')")
        self.eventually(click("#pause"))
        self.wait_for_posts(server, [("/api/pause", {}, "Bearer secret")])
        server.step()
        self.eventually(text("#state"), "paused")
        self.eventually(click("#resume"))
        self.wait_for_posts(
            server, [("/api/pause", {}, "Bearer secret"), ("/api/resume", {}, "Bearer secret")]
        )
        server.step()
        self.eventually(text("#state"), "running")
        self.eventually(text("#events .pause span"), "paused for 0.3 s")
        self.eventually(click("#stop"))
        self.eventually(seen("#sure"))
        self.assertEqual(len(server.posts), 2)
        self.tells("document.querySelector('#sure .primary').click()")
        self.wait_for_posts(server, [*server.posts[:2], ("/api/stop", {}, "Bearer secret")])

    def test_without_control(self) -> None:
        """Nothing offers what is not possible."""
        self.shows(line(), 20)
        for stage, name in ((0, "lines"), (2, "archive/compress")):
            self.eventually(click(".stage", stage))
            self.eventually(text("#stage-name"), name)
            for selector in ("#pause", "#resume", "#stop", ".replicas", ".pace", ".batch"):
                self.assertFalse(self.tells(seen(selector)), selector)

    def send_token(self, token: str) -> None:
        """Answers the question for the token."""
        self.eventually(seen("#token"))
        self.tells(f"document.querySelector('#token input').value = {json.dumps(token)}")
        self.tells("document.querySelector('#token .primary').click()")

    def wait_for_posts(self, server: Server, posts: list[tuple[str, Any, str]]) -> None:
        """Waits until the page has sent some orders, and no others."""
        end = time.monotonic() + PATIENCE_S
        while len(server.posts) < len(posts) and time.monotonic() < end:
            self.tells("0")  # The browser goes on.
            time.sleep(LOOK_AGAIN_S)
        self.assertEqual(server.posts, posts)


class Taps(PageTest):
    """Looks into the stream."""

    rows = "[...document.querySelectorAll('#tap li code')].map((row) => row.textContent)"

    def looked(self, *, token: str = "secret") -> Server:
        """A page with the list of what the third stage takes."""
        server = self.shows(line(), 20, token=token)
        self.tells("sessionStorage.setItem('thalweg token', 'secret')")
        self.addCleanup(self.tells, "sessionStorage.clear()")
        self.eventually(click(".stage", 2))
        self.eventually(seen(".taps button"))
        return server

    def test_items_are_text(self) -> None:
        """The list fills as items come, whatever they look like; then it asks no more."""
        server = self.looked()
        self.eventually(click(".taps button"))
        self.eventually(text("#tap-edge"), "read → archive/compress")
        markup = "<script>alert(1)</script><b>bold</b>"
        server.items += [markup, "x" * 4096]
        self.eventually(f"{self.rows}.length", 2)
        self.assertEqual(self.tells(self.rows), [markup, "x" * 4096])
        self.assertEqual(self.tells("document.querySelectorAll('#tap b, #tap script').length"), 0)
        self.assertIn("2 of 10", self.tells(text("#tap [role=status]")))
        server.items += [str(number) for number in range(20)]
        self.eventually(f"{self.rows}.length", 10)
        asked = len(server.taps)
        self.assertEqual(server.taps[0], {"edge": "read,archive/compress", "items": "10", "wait": "1000"})
        server.items.clear()
        self.tells("new Promise((done) => setTimeout(done, 300))")
        self.assertEqual(len(server.taps), asked)
        self.assertEqual(self.page.errors, [])

    def test_by_keys(self) -> None:
        """The list opens from the stage's panel, has the focus, and Escape gives it back."""
        server = self.looked()
        server.items += ["one"] * 10
        self.tells("document.querySelector('.taps button').focus()")
        self.tells("document.activeElement.click()")  # as a button does at Enter
        self.eventually("document.activeElement.id", "tap-edge")
        self.eventually(f"{self.rows}.length", 10)
        self.page.press("Escape")
        self.eventually("document.activeElement.closest('.taps') !== null")
        self.assertFalse(self.tells(seen("#tap")))
        self.assertTrue(self.tells(seen("#stage-name")))

    def test_a_click_on_an_edge(self) -> None:
        """Opens its list, and another one replaces that; what a source gives has a button, too."""
        server = self.looked()
        server.items += ["from the first"] * 10
        self.eventually(click(".pipe"))
        self.eventually(text("#tap-edge"), "lines → read")
        self.eventually(f"{self.rows}.at(-1)", "from the first")
        self.eventually(click(".stage", 0))
        self.eventually(text(".taps button"), "Look into what it gives to read")
        self.eventually(click(".pipe", 1))
        self.eventually(text("#tap-edge"), "read → archive/compress")
        self.eventually(f"{self.rows}.length", 0)

    def test_the_token_is_asked_for(self) -> None:
        """Once; without it the list closes again."""
        server = self.looked()
        self.tells("sessionStorage.clear()")
        self.eventually(click(".taps button"))
        self.eventually(seen("#token"))
        self.tells("document.querySelector('#token button:not(.primary)').click()")
        self.eventually(seen("#tap"), expected=False)
        self.assertEqual(server.taps, [])

    def test_the_end_of_the_run(self) -> None:
        """Is said, and nobody can look any more."""
        server = self.looked()
        self.eventually(click(".taps button"))
        self.eventually(seen("#tap"))
        server.end()
        self.eventually(text("#tap [role=status]"), "no run goes on")
        self.eventually("document.querySelector('.taps button').disabled")

    def test_without_a_token_nobody_may(self) -> None:
        """Neither buttons nor edges offer it."""
        self.shows(line(), 20)
        self.eventually(click(".stage", 2))
        self.eventually(seen("#stage-name"))
        self.assertFalse(self.tells(seen(".taps")))
        self.eventually(click(".pipe"))
        self.assertFalse(self.tells(seen("#tap")))


class Connection(PageTest):
    """Ends, losses, and other runs."""

    drawn = (
        "[...document.querySelectorAll('#curves canvas')].filter((canvas) => canvas.getContext('2d')"
        ".getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value)).length"
    )

    def test_the_end(self) -> None:
        """Stays, with the last curves, also when the program has gone."""
        self.page.size(1400, 2000)
        server = self.shows(line(), 60)
        server.end()
        self.eventually(text("#state"), "ended")
        self.eventually(text("#events .end span"), "the run has ended")
        self.eventually(self.drawn, 7)
        server.kill()
        self.tells("new Promise((done) => setTimeout(done, 2500))")
        self.assertEqual(self.tells(text("#state")), "ended")
        self.assertFalse(self.tells(seen("#lost")))
        self.assertEqual(self.tells(self.drawn), 7)

    def test_a_killed_server(self) -> None:
        """Is noticed, and the last curves are kept."""
        self.page.size(1400, 2000)
        server = self.shows(line(), 60)
        self.eventually(self.drawn, 7)
        bound = self.tells("import('/assets/source.js').then((source) => source.LOST_AFTER_MS)")
        self.assertLessEqual(bound, 2000)
        server.kill()
        self.eventually(text("#state"), "connection lost, trying again")
        self.assertTrue(self.tells(seen("#lost")))
        self.assertEqual(self.tells(self.drawn), 7)
        self.assertEqual(self.tells(figure(1)), f"{server.samples[-1]['items']:,}".replace(",", "\u202f"))

    def test_a_server_that_hangs(self) -> None:
        """Is lost too, until it goes on; what was missed comes then."""
        server = self.shows(line(), 60)
        server.frozen = True
        self.eventually(text("#state"), "connection lost, trying again")
        server.step(20)
        server.frozen = False
        self.eventually(text("#state"), "running")
        self.up_to_date(server)
        self.assertEqual(self.tells(LAYOUTS), 1)

    def test_a_graph_that_grows(self) -> None:
        """Keeps the numbers of the stages that it had."""
        server = self.shows(line(), 60)
        self.eventually(click(".stage", 1))
        server.frozen = True
        self.eventually(text("#state"), "connection lost, trying again")
        server.run.grow(Stage("tap", "sink", 0.0001, [1]))
        server.step(4)
        server.frozen = False
        self.eventually(f"{BOX}.length", 5)
        self.up_to_date(server)
        self.assertEqual(self.tells(text("#stage-name")), "read")
        self.assertTrue(self.tells(seen("#stage-name")))
        self.eventually(click("#earlier"))
        self.eventually(f"{BOX}[1].querySelector('.numbers').textContent.includes('/s')")

    def test_another_run(self) -> None:
        """At the same address is shown from its beginning."""
        server = self.shows(line(), 60)
        port = server.server_address[1]
        server.kill()
        self.eventually(text("#state"), "connection lost, trying again")
        self.assertTrue(self.tells(seen("#events .error")))
        run = line()
        run.title, run.began = "again", run.began + 100_000
        other = Server(run, port=port)
        self.addCleanup(other.kill)
        other.step(8)
        self.eventually(text("#title"), "again")
        self.up_to_date(other)
        self.assertFalse(self.tells(seen("#events .error")))

    def test_nothing_is_loaded_from_elsewhere(self) -> None:
        """All requests go to the program, and its policy forbids nothing that the page does."""
        server = self.shows(branches(), 60, token="secret")
        self.eventually(click(".stage", 4))
        self.eventually(seen("#stage-name"))
        self.assertGreater(len(self.page.requests), 10)
        self.assertEqual([url for url in self.page.requests if not url.startswith(server.url)], [])
        self.assertEqual(self.page.errors, [])


class Past(PageTest):
    """Curves and intervals."""

    def test_a_dragged_interval(self) -> None:
        """Shows the graph as it was then; `Follow` goes back to the present."""
        self.page.size(1400, 2000)
        self.shows(line(), 240)
        self.eventually(text("#limit-stage"), "archive/compress")
        self.eventually("document.querySelectorAll('#curves .u-over').length", 7)
        place = self.tells(
            "(({ left, top, width }) => [left, top + 20, width])"
            "(document.querySelector('.u-over').getBoundingClientRect())"
        )
        left, top, width = place
        self.page.drag((left + width * 0.45, top), (left + width * 0.6, top))
        self.eventually(seen("#follow"))
        self.assertRegex(self.tells(text("#when")), r"^0:2[67]\.\d – 0:3[56]\.\d$")
        self.assertEqual(self.tells("document.querySelector('.badge').getAttribute('visibility')"), "hidden")
        self.eventually(click("#follow"))
        self.eventually("document.querySelector('.badge').getAttribute('visibility')", "visible")
        self.assertFalse(self.tells(seen("#follow")))

    def test_a_decision_of_the_run(self) -> None:
        """Says who made it and why, later what it has reached; a click shows the graph as it was then."""
        said = text("#events .decision span")
        server = self.shows(line(), 100)
        self.assertEqual(self.tells("document.querySelectorAll('#events .decision').length"), 0)
        decision = server.run.decide("archive/compress", 3, "2 replicas <b>do not</b> keep up")
        server.step(40)
        self.up_to_date(server)
        made = "archive/compress: 2 to 3 replicas by thalweg: 2 replicas <b>do not</b> keep up"
        self.eventually(said, f"{made} (400/s before, 600/s expected)")
        self.assertEqual(self.tells(text("#events .decision time")), "0:25")
        decision["reached"] = 590.0
        server.step(40)
        self.up_to_date(server)
        self.eventually(said, f"{made} (400/s before, 600/s expected, 590/s reached)")
        self.assertEqual(self.tells("document.querySelectorAll('#events .decision').length"), 1)
        self.eventually(click("#events .decision button"))
        self.eventually(text("#when"), "0:21.0 – 0:29.0")
        self.eventually(click("#follow"))
        self.eventually(text("#when"), "")
        self.assertEqual(self.page.errors, [])

    def test_steps_into_the_past(self) -> None:
        """By buttons, for those who do not drag."""
        self.shows(line(), 240)
        self.eventually(click("#earlier"))
        self.eventually(text("#when"), "0:50.0 – 0:55.0")
        self.eventually(click("#later"))
        self.eventually(text("#when"), "")

    def test_memory_is_bounded(self) -> None:
        """Ten minutes of samples are kept, or so many of those that come faster."""
        self.shows(line(), 4)
        script = """import('/assets/history.js').then(({ History, SPAN_S }) => {
          const lengths = [];
          for (const every of [0.25, 0.01]) {
            const history = new History();
            history.reset({ stages: [{ name: 'a', inputs: [] }] });
            for (let row = 1; row <= 9000; row++) {
              history.add({
                time_ns: row * every * 1e9, window_ns: every * 1e9, throughput: row,
                stages: [{ busy: row, items_out: row }],
              });
            }
            const busy = history.get('0/busy');
            const counts = [history.length, history.latencies.length, busy.length];
            lengths.push([...counts, busy[0], busy.at(-1), history.times[0]]);
          }
          return lengths;
        })"""
        slow, fast = self.tells(script)
        self.assertEqual(slow, [2401, 2401, 2401, 6600, 9000, 1650])
        self.assertEqual(fast[:5], [6000, 6000, 6000, 3001, 9000])

    def test_buckets_of_the_heat_map(self) -> None:
        """Begin where the histogram of the library has them begin."""
        self.shows(line(), 4)
        values = [1, 5, 63, 64, 65, 66, 127, 128, 1000, 65_535, 65_536, 123_456_789, 2**40 + 12345]
        uppers = sorted({upper_of(value) for value in values})
        lowers = self.tells(
            f"import('/assets/heat.js').then(({{ lowerOf }}) => {json.dumps(uppers)}.map(lowerOf))"
        )
        for upper, lower in zip(uppers, lowers, strict=True):
            self.assertEqual(upper_of(lower), upper)
            self.assertEqual(upper_of(max(0, lower - 1)), lower - 1)


class Looks(PageTest):
    """Colours and widths."""

    def test_dark(self) -> None:
        """As the system has it, until the user chooses."""
        paper = "getComputedStyle(document.body).backgroundColor"
        server = self.shows(line(), 60)
        light = self.tells(paper)
        self.page.size(1400, 1000, dark=True)
        self.page.open(server.url)
        self.up_to_date(server)
        self.assertNotEqual(self.tells(paper), light)
        self.eventually(click("#theme"))
        self.eventually(paper, light)
        self.assertEqual(self.tells("document.documentElement.dataset.theme"), "light")
        self.tells("localStorage.clear()")

    def test_narrow(self) -> None:
        """Nothing is wider than the screen of a phone."""
        self.page.size(420, 800)
        for run in (line(), branches(), many(60, 4)):
            self.shows(run, 60, token="secret")
            self.eventually(click(".stage", 2))
            self.eventually(seen("#stage-name"))
            self.assertEqual(self.tells("document.documentElement.scrollWidth"), 420)
            wide = self.tells(
                "[...document.querySelectorAll('body *:not(svg *):not(.skip)')]"
                ".filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > 420.5)"
                ".map((one) => one.outerHTML.slice(0, 80))",
            )
            self.assertEqual(wide, [])


if __name__ == "__main__":
    unittest.main()
