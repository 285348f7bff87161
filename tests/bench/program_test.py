"""Runs a benchmark program on good and on bad inputs, and looks at what it says and what it leaves behind."""

import bz2
import contextlib
import hashlib
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from receiver import Receiver

PROGRAM = Path(sys.argv[1])
APPLICATION = sys.argv[2]
NEXMARK = [f"nexmark_q{query}" for query in (*range(9), 11)]
GOOD = {
    "bzip2": ["test", "test_d"],
    "dedup": ["test"],
    "file_writer": ["test"],
    "fraud_detection": ["test_n"],
    "ferret": ["test"],
    "hash_search": ["test"],
    "lane_detection": ["test"],
    "mandelbrot": ["test"],
    "mandelbrot_zoom": ["test"],
    "person_recognition": ["test"],
    "primes": ["test"],
    **{name: ["test", "test_late"] for name in NEXMARK},
    "video_filter": ["test"],
    "xml_transform": ["test"],
    "word_count": ["test"],
}
SLOW_TO_VERIFY = {"bzip2", "lane_detection", "person_recognition"}
VERIFIED = Path(os.environ["XDG_CACHE_HOME"]) / "verified" / APPLICATION
BROKER = PROGRAM.parent.parent / "tests" / "net" / "mock_kafka"
TEXT = "".join(f"line {number * number}\n" for number in range(20_000)).encode()
BLOCKS = b"".join(bz2.compress(TEXT[start : start + 90_000], 1) for start in range(0, len(TEXT), 90_000))


NOTHING = {
    "bzip2": bz2.compress(b""),
    "dedup": b"thalweg dedup 1\nE" + bytes(40),
    "word_count": b"",
}
"""What becomes of an empty file, where that is an input."""

OUTPUTS: dict[str, bytes] = {}
"""What the program has made of good inputs."""


def carry_late(listener: socket.socket, where: str, seconds: float) -> None:
    """Carries what one who connects sends to another place: all but its greeting so much later."""
    sender, _ = listener.accept()
    host, port = where.split(":")
    with sender, socket.create_connection((host, int(port))) as receiver:

        def back() -> None:
            with contextlib.suppress(OSError):  # either may have gone
                while some := receiver.recv(65536):
                    sender.sendall(some)
                sender.shutdown(socket.SHUT_WR)

        answers = threading.Thread(target=back)
        answers.start()
        receiver.sendall(sender.recv(65536))
        some = sender.recv(65536)
        time.sleep(seconds)
        while some:
            receiver.sendall(some)
            some = sender.recv(65536)
        with contextlib.suppress(OSError):
            receiver.shutdown(socket.SHUT_WR)
        answers.join()


def cached_input() -> Path:
    """The folder of the input of the tests, which may not have been made yet."""
    return Path(os.environ["XDG_CACHE_HOME"]) / "thalweg" / "inputs" / APPLICATION / GOOD[APPLICATION][0]


class Case(unittest.TestCase):
    """A test of the program, in a folder of its own."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.output = self.folder / "output"

    def run_on(
        self, name: str, *options: str, output: Path | str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs the program."""
        command = [PROGRAM, "-input", name, "-output", output or self.output, "-nthreads", "2", *options]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    def written(self, name: str) -> bytes:
        """What the program makes of a good input."""
        if name not in OUTPUTS:  # where a test runs alone
            self.assertEqual(self.run_on(name, "-verify").returncode, 0)
            OUTPUTS[name] = self.output.read_bytes()
        return OUTPUTS[name]

    def left(self) -> list[str]:
        """What lies in the folder, hidden files, too."""
        return sorted(file.name for file in self.folder.iterdir())

    def outputs(self, sources: int = 2) -> list[str]:
        """What the program writes: an output for each source."""
        return ["output", *(f"output.{i}" for i in range(2, sources + 1) if "-sources" in PROGRAM.name)]

    def refuses(self, name: str, *says: str, output: Path | None = None, json: Path | None = None) -> None:
        """The program ends with an error that names what is wrong, and leaves nothing behind."""
        before = self.left()
        self.says(self.run_on(name, *(["-json", str(json)] if json else []), output=output), *says)
        self.assertEqual(self.left(), before)

    def says(self, done: subprocess.CompletedProcess[str], *texts: str) -> None:
        """The program has ended with an error that says so."""
        self.assertEqual(done.returncode, 1, done.stderr)
        for text in (PROGRAM.name, *texts):
            self.assertIn(text, done.stderr)

    def refuses_to_overwrite(self, content: bytes) -> None:
        """The program does not write over its input."""
        name = self.file("text", content)
        self.refuses(name, "is the input", output=Path(name))
        self.refuses(name, "is the input", json=Path(name))
        self.assertEqual(Path(name).read_bytes(), content)

    def broker(self) -> str:
        """Where a Kafka broker is, for the time of the test."""
        running = subprocess.Popen([BROKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(running.communicate)
        assert running.stdout is not None
        return running.stdout.readline().strip()

    def file(self, name: str, content: bytes) -> str:
        """A file of the folder."""
        (self.folder / name).write_bytes(content)
        return str(self.folder / name)


class Program(Case):
    """What every program does."""

    @staticmethod
    def may_be_known(known: Path) -> bool:
        """Whether the output may be one that another program has had verified, which takes as long again."""
        return known.exists() and APPLICATION in SLOW_TO_VERIFY and not PROGRAM.name.endswith("_sequential")

    def digest(self) -> str:
        """Of the output."""
        return hashlib.sha256(self.output.read_bytes()).hexdigest()

    def test_good_inputs(self) -> None:
        for name in GOOD[APPLICATION]:
            with self.subTest(name):
                known = VERIFIED / name
                options = ["-latency", "--json", str(self.folder / "json")]
                done = self.run_on(name, *options, *([] if self.may_be_known(known) else ["-verify"]))
                if done.returncode == 0 and self.may_be_known(known) and self.digest() != known.read_text():
                    done = self.run_on(name, *options, "-verify")
                self.assertEqual(done.returncode, 0, done.stderr)
                found = json.loads((self.folder / "json").read_text())
                if "verified" in found or not known.exists():
                    self.assertTrue(found["verified"]["good"])
                if self.output.is_file() and not known.exists():
                    known.parent.mkdir(parents=True, exist_ok=True)
                    known.write_text(self.digest())
                self.assertGreater(found["elements"], 0)
                self.assertEqual(self.left(), ["json", *self.outputs()])
                if self.output.is_file():
                    OUTPUTS[name] = self.output.read_bytes()

    def test_missing_input(self) -> None:
        self.refuses(str(self.folder / "nothing"), "nothing")

    def test_empty_input(self) -> None:
        name = self.file("hollow", b"")
        if APPLICATION not in NOTHING:
            # These look for files beside it, which are missing.
            self.refuses(name, *([] if APPLICATION in {"fraud_detection", "hash_search"} else ["hollow"]))
            return
        done = self.run_on(name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.output.read_bytes(), NOTHING[APPLICATION])

    @unittest.skipUnless(PROGRAM.name.endswith("_sequential"), "all programs share what is tested")
    def test_output_that_cannot_be_written(self) -> None:
        self.refuses(GOOD[APPLICATION][0], "no_folder", output=self.folder / "no_folder" / "output")

    @unittest.skipUnless(PROGRAM.name.endswith("_sequential"), "all programs share what is tested")
    def test_results_that_cannot_be_written(self) -> None:
        self.refuses(GOOD[APPLICATION][0], "no_folder", json=self.folder / "no_folder" / "json")

    @unittest.skipUnless(PROGRAM.name.endswith("_sequential"), "all programs share what is tested")
    def test_results_replace_neither_input_nor_output(self) -> None:
        content = b"precious"
        name = self.file("text", content)
        self.says(self.run_on(name, "-json", name), "text' is the input")
        self.assertEqual(Path(name).read_bytes(), content)
        both = self.run_on(GOOD[APPLICATION][0], "-json", str(self.output))
        self.says(both, "output' cannot be both the output and the file of -json")
        self.assertEqual(self.left(), ["text"])

    @unittest.skipUnless(PROGRAM.name.endswith("_sequential"), "all programs share what is tested")
    def test_nothing_is_written_among_the_files_of_an_input(self) -> None:
        stamp = cached_input() / ".edition"
        before = stamp.read_bytes() if stamp.exists() else b""
        for done in (
            self.run_on(GOOD[APPLICATION][0], output=stamp),
            self.run_on(GOOD[APPLICATION][0], "-json", str(stamp)),
        ):
            self.says(done, "would lie in the folder of the input")
        self.assertIn(before, (b"", stamp.read_bytes()))

    @unittest.skipUnless(PROGRAM.name.endswith("_sequential"), "all programs share what is tested")
    def test_interrupted_program_leaves_nothing_behind(self) -> None:
        if not cached_input().exists():
            self.run_on(GOOD[APPLICATION][0], "-json", str(self.folder / "json"))  # makes the input
        for output in (["-output", str(self.folder / "other")], []):
            before = self.left()
            command = [PROGRAM, "-input", GOOD[APPLICATION][0], "-frequency", "2", *output]
            environment = {**os.environ, "TMPDIR": str(self.folder)}
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as running:
                patience = time.monotonic() + 30
                while self.left() == before and time.monotonic() < patience:
                    time.sleep(0.01)
                self.assertNotEqual(self.left(), before)
                running.send_signal(signal.SIGINT)
                _, complaints = running.communicate(timeout=30)
            self.assertEqual(running.returncode, -signal.SIGINT, complaints)
            self.assertIn("interrupted", complaints)
            self.assertEqual(self.left(), before)

    @unittest.skipUnless(PROGRAM.name.startswith("primes_threads"), "all programs share what is tested")
    def test_error_that_nobody_catches(self) -> None:
        def limit_memory() -> None:
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))  # too little for so many stacks

        command = [PROGRAM, "-input", GOOD[APPLICATION][0], "-output", self.output, "-nthreads", "4096"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit_memory)
        self.says(done, "")
        self.assertEqual(self.left(), [])

    @unittest.skipUnless(PROGRAM.name.endswith("_sequential"), "all programs share what is tested")
    def test_output_that_is_standard_output_is_alone_there(self) -> None:
        """Data for another program, through a pipe, has no results among it."""
        name = GOOD[APPLICATION][0]
        if APPLICATION == "file_writer":
            return  # A folder goes through no pipe.
        written = self.written(name)
        done = subprocess.run(
            [PROGRAM, "-input", name, "-output", "/dev/stdout", "-nthreads", "2"],
            capture_output=True,
            check=False,
            timeout=60,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, written)
        self.assertIn(b"elements in", done.stderr)

    @unittest.skipUnless(PROGRAM.name == "primes_sequential", "all programs share what is tested")
    def test_standard_output_that_cannot_be_written(self) -> None:
        with Path("/dev/full").open("w", encoding="ascii") as full:
            command = [PROGRAM, "-input", GOOD[APPLICATION][0]]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.says(done, "standard output")

    @unittest.skipUnless(PROGRAM.name.endswith("_sequential"), "all programs share what is tested")
    def test_wrong_numbers_of_threads(self) -> None:
        for number in ("0", "-1", "4097", "many", "2x"):
            self.says(self.run_on(GOOD[APPLICATION][0], "-nthreads", number), f"-nthreads: '{number}' is not")

    @unittest.skipUnless(PROGRAM.name == "mandelbrot_tbb_farm", "others ask for their threads themselves")
    def test_has_as_many_threads_as_asked_for(self) -> None:
        wanted = (os.cpu_count() or 1) + 3  # more than oneTBB has by itself
        command = [PROGRAM, "-input", "small", "-output", self.output, "-nthreads", str(wanted)]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as running:
            most = 0
            while most < wanted and running.poll() is None:
                most = max(most, sum(1 for _ in Path(f"/proc/{running.pid}/task").iterdir()))
                time.sleep(0.01)
            running.terminate()
        self.assertEqual(most, wanted)

    @unittest.skipUnless(
        "two-farm" in PROGRAM.name or "fraud_detection_windflow" in PROGRAM.name, "no number"
    )
    def test_argument_that_is_no_number(self) -> None:
        self.says(self.run_on(GOOD[APPLICATION][0], "-user-arg", "4x"), "-user-arg: '4x' is not")

    @unittest.skipUnless("_grppi_" in PROGRAM.name, "of programs with several back ends")
    def test_each_back_end(self) -> None:
        back_ends = ["sequential", "threads", "omp"]
        if b"libtbb.so" in PROGRAM.read_bytes():  # not with each version of GrPPI
            back_ends.append("tbb")
        for name in GOOD[APPLICATION]:
            for back_end in back_ends:
                with self.subTest(name, back_end=back_end):
                    done = self.run_on(name, "-verify", "-user-arg", back_end)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("verified: good", done.stdout)
        for other in {"tbb", "cuda"} - {*back_ends}:
            self.says(self.run_on(GOOD[APPLICATION][0], "-user-arg", other), f"no back end '{other}' here")

    @unittest.skipUnless(APPLICATION in NEXMARK and "_thalweg_" in PROGRAM.name, "of Nexmark's")
    def test_each_policy(self) -> None:
        """What comes under each policy is the same; where results have an order, in the same order."""
        for name in GOOD[APPLICATION]:
            found = set()
            for policy in ("sequential", "pool", "threads"):
                with self.subTest(name, policy=policy):
                    done = self.run_on(name, "-verify", "-user-arg", policy)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("verified: good", done.stdout)
                    found.add(self.output.read_bytes())
            self.assertEqual(len(found), 1, name)
        self.says(self.run_on(GOOD[APPLICATION][0], "-user-arg", "pol"), "'pol' is no policy")

    @unittest.skipUnless(PROGRAM.name.endswith("_sequential"), "all programs share what is tested")
    def test_unknown_option(self) -> None:
        done = self.run_on(GOOD[APPLICATION][0], "-nthread", "2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("did you mean -nthreads", done.stderr)

    @unittest.skipUnless(PROGRAM.name.endswith("_sequential"), "all programs share what is tested")
    def test_help(self) -> None:
        done = subprocess.run([PROGRAM, "-help"], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        kind = "folder" if APPLICATION == "file_writer" else "list|file|film|picture|archive"
        self.assertRegex(done.stdout, rf"-output <path> +where the .*({kind}).* goes;")


@unittest.skipIf(APPLICATION in ("bzip2", "dedup"), "of others")
class BrokenFolder(Case):
    """An input that is a folder, in which the stream comes to something that is wrong."""

    BREAKS: ClassVar[dict[str, tuple[str, Callable[[bytes], bytes]]]] = {
        "fraud_detection": ("transactions.csv", lambda text: text[: 28 * 5_000] + b"CARD,T,XYZ\n"),
        "file_writer": ("files.txt", lambda text: text + b"nonsense\n"),
        "ferret": ("queries.pack", lambda pack: pack[: len(pack) // 2]),
        "hash_search": ("hashes.txt", lambda text: text + b"nonsense\n"),
        "lane_detection": ("road.avi", lambda film: film[: len(film) // 5]),
        "mandelbrot": ("scene.txt", lambda text: text + b"nonsense\n"),
        "mandelbrot_zoom": ("film.txt", lambda text: text + b"nonsense\n"),
        "person_recognition": ("crowd.avi", lambda film: film[: len(film) // 5]),
        "primes": ("range.txt", lambda text: text + b"nonsense\n"),
        **dict.fromkeys(NEXMARK, ("events.txt", lambda text: text + b"nonsense\n")),
        "video_filter": ("frame00030.jpg", lambda picture: picture[: len(picture) // 2]),
        "xml_transform": ("statement00040.xml", lambda text: text[: len(text) // 2]),
        "word_count": ("stream.txt", lambda text: text + b"nonsense\n"),
    }

    def copy(self) -> Path:
        """A folder with the files of an input."""
        made = cached_input()
        if not made.exists():
            self.run_on(GOOD[APPLICATION][0])
            if self.output.is_dir():
                shutil.rmtree(self.output)
            else:
                self.output.unlink()
        return Path(shutil.copytree(made, self.folder / "copy"))

    def test_broken_stream(self) -> None:
        broken = self.copy()
        name, damage = self.BREAKS[APPLICATION]
        (broken / name).write_bytes(damage((broken / name).read_bytes()))
        self.refuses(str(broken), name)

    @unittest.skipUnless(PROGRAM.name.endswith("_sequential"), "all programs share what is tested")
    def test_output_that_is_the_input(self) -> None:
        folder = self.copy()
        file = folder / self.BREAKS[APPLICATION][0]
        before = file.read_bytes()
        self.refuses(str(folder), "is the input", output=file)
        self.refuses(str(folder), "would lie in the folder of the input", json=file)
        self.assertEqual(file.read_bytes(), before)


@unittest.skipIf("several-sources" not in PROGRAM.name, "of programs with several sources")
class SeveralSources(Case):
    """Each source has an input and an output."""

    def test_three_sources(self) -> None:
        # Items of fraud detection have one transaction each, and there are many.
        pace = ["-frequency", "1e6"] if APPLICATION == "fraud_detection" else ["-batch-size", "2"]
        # What has been verified once need not be again, which takes as long as making it. How three outputs
        # are verified, all applications share.
        verify = ["-verify"] if APPLICATION == "ferret" else []
        for name in GOOD[APPLICATION]:
            with self.subTest(name):
                verified = self.content(self.written(name))
                done = self.run_on(
                    name, *verify, "-throughput", "-user-arg", "3", "-frequency", "1000", *pace
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual("verified: good" in done.stdout, bool(verify))
                self.assertEqual(
                    re.findall(r"source \d:", done.stdout)[:3], [f"source {i}:" for i in (1, 2, 3)]
                )
                outputs = [self.folder / name for name in self.outputs(3)]
                self.assertEqual(sorted(self.folder.iterdir()), outputs)
                for output in outputs:
                    self.assertTrue(self.content(output.read_bytes()) == verified, "the bytes differ")

    @staticmethod
    def content(written: bytes) -> bytes | list[bytes]:
        """What is in an output; of alarms the order does not matter."""
        return sorted(written.splitlines()) if APPLICATION == "fraud_detection" else written

    def test_no_number_of_sources(self) -> None:
        done = self.run_on(GOOD[APPLICATION][0], "-user-arg", "2x")
        self.assertEqual(done.returncode, 1)
        self.assertIn("'2x' is not how many sources there are", done.stderr)
        self.assertEqual(self.left(), [])


@unittest.skipIf(PROGRAM.name != "primes_sequential", "all programs share what is tested")
class Progress(Case):
    """Who has started a program by hand sees how far it is."""

    def told(self, *options: str) -> tuple[int, str]:
        """How a program ends that runs for 1.5 s, and what it shows on a terminal."""
        ours, its = os.openpty()
        command = [PROGRAM, "-input", "test", "-output", self.output, "-frequency", "20000", *options]
        with os.fdopen(ours, "rb", buffering=0) as terminal:
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=its) as running:
                os.close(its)
                shown = b""
                with suppress(OSError):  # which says that there is no one left at the other end
                    while some := terminal.read(4096):
                        shown += some
            return running.returncode, shown.decode()

    def test_a_line_that_is_wiped(self) -> None:
        self.run_on("test")  # so that it is made
        code, shown = self.told()
        self.assertEqual(code, 0)
        line = r"\r\x1b\[Kprimes_sequential: [123]\d \d{3} elements in 1\.\d+ s, now [12]\d\.\d k/s"
        self.assertRegex(shown, rf"\A({line})+\r\x1b\[K\Z")

    def test_quiet(self) -> None:
        self.run_on("test")
        self.assertEqual(self.told("-quiet"), (0, ""))


@unittest.skipUnless(PROGRAM.name.endswith("_sequential"), "all programs share what is tested")
class Network(Case):
    """Another process plays the input."""

    def waiting(self, name: str, *options: str) -> tuple[subprocess.Popen[str], str]:
        """A program that waits for the elements of an input, and where it does."""
        command = [PROGRAM, "-input", f"tcp://127.0.0.1:0{name}", *options]
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.communicate)
        self.addCleanup(running.kill)
        assert running.stderr is not None
        says = running.stderr.readline()
        found = re.search(r"waits at (127\.0\.0\.1:\d+)", says)
        self.assertIsNotNone(found, says)
        assert found is not None
        return running, found[1]

    def play(self, name: str, where: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Plays an input there."""
        command = [PROGRAM, "-input", name, "-feed", where, *options]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    def test_played_inputs_come_to_the_same(self) -> None:
        for name in GOOD[APPLICATION]:
            with self.subTest(name):
                running, where = self.waiting("", "-verify", "-output", str(self.output))
                played = self.play(name, where)
                shown, complaints = running.communicate(timeout=60)
                self.assertEqual((played.returncode, running.returncode), (0, 0), played.stderr + complaints)
                self.assertIn("verified: good", shown)
                self.assertRegex(played.stdout, r"^sent [1-9]\d* elements in ")
                self.assertEqual(self.left(), self.outputs())

    def test_another_input_than_the_one_that_is_waited_for(self) -> None:
        running, where = self.waiting("/huge", "-output", str(self.output))
        played = self.play(GOOD[APPLICATION][0], where)
        _, complaints = running.communicate(timeout=60)
        self.assertEqual((played.returncode, running.returncode), (1, 1))
        for says in (played.stderr, complaints):
            self.assertIn(f"'huge' is taken, and '{GOOD[APPLICATION][0]}' is played", says)
        self.assertEqual(self.left(), [])

    @unittest.skipUnless(APPLICATION in {"bzip2", "dedup", "word_count"}, "others need more than elements")
    def test_files_of_the_player(self) -> None:
        name = self.file("text", TEXT)
        output = self.folder / "own"
        self.assertEqual(self.run_on(name, output=output).returncode, 0)
        running, where = self.waiting("", "-output", str(self.output))
        played = self.play(name, where)
        _, complaints = running.communicate(timeout=60)
        self.assertEqual((played.returncode, running.returncode), (0, 0), played.stderr + complaints)
        self.assertEqual(self.output.read_bytes(), output.read_bytes())

    @unittest.skipUnless(APPLICATION == "primes", "all applications share what is tested")
    def test_files_that_need_more_than_their_elements(self) -> None:
        name = self.file("range", b"first 10\nlast 30\n")
        running, where = self.waiting("", "-output", str(self.output))
        self.says(self.play(name, where), "'range' is played, which is no class of primes")
        self.assertEqual(running.wait(60), 1)
        running, where = self.waiting(f"/{name}", "-output", str(self.output))
        self.assertEqual(self.play(name, where).returncode, 0)
        self.assertEqual(running.wait(60), 0)
        self.assertEqual(self.output.read_text().split(), ["11", "13", "17", "19", "23", "29"])

    @unittest.skipUnless(APPLICATION == "primes", "all applications share what is tested")
    def test_pace_of_the_player(self) -> None:
        running, where = self.waiting("/test", "-verify", "-batch-size", "7")
        begin = time.monotonic()
        played = self.play("test", where, "-frequency", "60000", "-batch-size", "100")
        self.assertGreater(time.monotonic() - begin, 0.49)  # there are 30000
        self.assertRegex(played.stdout, r"^sent 30000 elements in .*, .* late\n$")
        self.assertIn("verified: good", running.communicate(timeout=60)[0])

    @unittest.skipUnless(APPLICATION == "primes", "all applications share what is tested")
    def test_player_whose_frequency_ends_before_its_input(self) -> None:
        running, where = self.waiting("/test", "-output", str(self.output))
        trace = self.file("trace.csv", b"0.001\n0.002\n")
        self.says(self.play("test", where, "-freq-patt", f"trace,{trace}"), "ends before its input, after 2")
        self.assertIn("has given up its stream", running.communicate(timeout=60)[1])
        self.assertEqual(running.returncode, 1)
        self.assertEqual(self.left(), ["trace.csv"])

    @unittest.skipUnless(APPLICATION == "primes", "all applications share what is tested")
    def test_player_that_is_interrupted(self) -> None:
        running, where = self.waiting("/test", "-output", str(self.output))
        command = [PROGRAM, "-input", "test", "-feed", where, "-frequency", "1000"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as player:
            time.sleep(0.3)
            player.send_signal(signal.SIGINT)
            self.assertIn("interrupted", player.communicate(timeout=60)[1])
        _, complaints = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 1)
        self.assertIn("has given up its stream", complaints)
        self.assertEqual(self.left(), [])

    @unittest.skipUnless(APPLICATION == "primes", "all applications share what is tested")
    def test_interrupted_while_nobody_plays(self) -> None:
        running, _ = self.waiting("/test", "-output", str(self.output))
        running.send_signal(signal.SIGINT)
        self.assertIn("interrupted", running.communicate(timeout=60)[1])
        self.assertEqual(running.returncode, -signal.SIGINT)

    @unittest.skipUnless(APPLICATION == "primes", "all applications share what is tested")
    def test_options_that_do_not_go_together(self) -> None:
        self.says(self.play("test", "127.0.0.1:1", "-verify"), "-verify does not go with it")
        self.says(self.play("test", "nowhere"), "'nowhere' is not an address")
        self.says(self.play("tcp://127.0.0.1:1x", "127.0.0.1:1"), "'127.0.0.1:1x' is not an address")
        self.says(self.run_on("tcp://127.0.0.1:0/test", "-in-memory"), "-in-memory: what is played")
        self.says(self.play("test", "kafka://nowhere/"), "names no topic")

    @unittest.skipUnless(APPLICATION == "primes", "all applications share what is tested")
    def test_latency_counts_from_the_sender(self) -> None:
        held, longest = 0.3, 0.1
        running, where = self.waiting("", "-latency", "-json", str(self.folder / "json"))
        with socket.create_server(("127.0.0.1", 0)) as between:
            carrier = threading.Thread(target=carry_late, args=(between, where, held))
            carrier.start()
            played = self.play("test", f"127.0.0.1:{between.getsockname()[1]}", "-frequency", "300000")
            shown, complaints = running.communicate(timeout=60)
            carrier.join()
        self.assertEqual((played.returncode, running.returncode), (0, 0), played.stderr + complaints)
        self.assertIn("it counts from the moment at which the sender took elements", shown)
        found = json.loads((self.folder / "json").read_text())["latency"]
        self.assertEqual(found["from_sender"], {"clock": "shared"})
        self.assertGreaterEqual(found["min_ms"], (held - longest) * 1e3)  # all are due within 0.1 s
        self.assertLess(found["max_ms"], 30_000)

    @unittest.skipUnless(APPLICATION == "primes" and BROKER.exists(), "all applications share what is tested")
    def test_played_through_a_topic(self) -> None:
        topic = f"kafka://{self.broker()}/primes"
        played = self.play("test", topic)
        self.assertEqual(played.returncode, 0, played.stderr)
        self.assertRegex(played.stdout, r"^sent 30000 elements in ")
        for name in (topic, f"{topic}/test"):  # a topic keeps what is played
            done = self.run_on(name, "-verify", "-latency", "-json", str(self.folder / "json"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("verified: good", done.stdout)
            found = json.loads((self.folder / "json").read_text())
            self.assertEqual(found["latency"]["from_sender"], {"clock": "shared"})
        self.says(self.run_on(f"{topic}/huge"), "'huge' is taken, and 'test' is played")


@unittest.skipUnless(PROGRAM.name.endswith("_sequential"), "all programs share what is tested")
class SentOn(Case):
    """The output goes to another process."""

    @unittest.skipIf(APPLICATION == "file_writer", "of others")
    def test_what_is_sent_on_is_the_output(self) -> None:
        name = GOOD[APPLICATION][0]
        written = self.written(name)
        with Receiver() as receiver:
            command = [PROGRAM, "-input", name, "-output", f"tcp://{receiver.where}"]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(receiver.tag, "[u8]")
        self.assertTrue(receiver.content == written, "the bytes differ")

    @unittest.skipUnless(APPLICATION == "primes", "all applications share what is tested")
    def test_what_is_sent_on_can_be_verified(self) -> None:
        with Receiver() as receiver:
            command = [PROGRAM, "-input", "test", "-verify", "-output", f"tcp://{receiver.where}"]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        self.assertIn("verified: good", done.stdout)
        self.assertIn(b"\n7919\n", receiver.content)

    @unittest.skipUnless(APPLICATION == "word_count", "all applications share what is tested")
    def test_a_stream_that_fails_is_given_up(self) -> None:
        with Receiver() as receiver:
            command = [PROGRAM, "-input", "test", "-frequency", "2", "-output", f"tcp://{receiver.where}"]
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
                time.sleep(0.5)
                running.send_signal(signal.SIGINT)
                self.assertIn("interrupted", running.communicate(timeout=60)[1])
        self.assertTrue(receiver.gave_up)

    @unittest.skipUnless(APPLICATION == "file_writer", "of others")
    def test_a_folder_is_not_sent_on(self) -> None:
        with Receiver() as receiver:
            command = [PROGRAM, "-input", "test", "-output", f"tcp://{receiver.where}"]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        self.says(done, "-output: what file_writer writes is no file")
        self.assertTrue(receiver.gave_up)

    @unittest.skipUnless(APPLICATION == "bzip2", "others do not take bytes, or do not undo what they do")
    def test_programs_that_follow_each_other(self) -> None:
        text = self.file("text", TEXT * 5)
        command = [PROGRAM, "-input", "tcp://127.0.0.1:0/text.bz2", "-output", self.output]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as second:
            assert second.stderr is not None
            where = second.stderr.readline().split(" for ")[0].split()[-1]
            first = self.run_on(text, output=f"tcp://{where}")
            _, complaints = second.communicate(timeout=60)
        self.assertEqual((first.returncode, second.returncode), (0, 0), first.stderr + complaints)
        self.assertEqual(self.output.read_bytes(), TEXT * 5)

    @unittest.skipUnless(APPLICATION == "bzip2" and BROKER.exists(), "others share what is tested")
    def test_programs_that_follow_each_other_through_a_topic(self) -> None:
        text = self.file("text", TEXT * 5)
        topic = f"kafka://{self.broker()}/packed"
        command = [PROGRAM, "-input", text, "-output", topic]
        first = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(first.returncode, 0, first.stderr)
        second = self.run_on(f"{topic}/text.bz2")
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertEqual(self.output.read_bytes(), TEXT * 5)
        self.says(self.run_on(f"{topic}/text.bz2", "-verify"), "-verify: what should come of")

    @unittest.skipUnless(APPLICATION == "primes", "all applications share what is tested")
    def test_bytes_do_not_suffice_for_all(self) -> None:
        command = [PROGRAM, "-input", "tcp://127.0.0.1:0"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as second:
            assert second.stderr is not None
            where = second.stderr.readline().split(" for ")[0].split()[-1]
            says = "the bytes of a file come, and primes needs more than that"
            self.says(self.run_on("test", output=f"tcp://{where}"), says)
            self.assertIn(says, second.communicate(timeout=60)[1])


@unittest.skipIf(APPLICATION != "bzip2", "of bzip2")
class Bzip2(Case):
    """What only compression can meet."""

    def test_restores_what_bzip2_made(self) -> None:
        done = self.run_on(self.file("text.bz2", BLOCKS), "-batch-size", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.output.read_bytes(), TEXT)

    def test_truncated_file(self) -> None:
        self.refuses(self.file("cut.bz2", BLOCKS[:-40]), "cut.bz2", "truncated")

    def test_damaged_file(self) -> None:
        middle = len(BLOCKS) // 2
        self.refuses(
            self.file("bad.bz2", BLOCKS[:middle] + b"?" * 20 + BLOCKS[middle + 20 :]), "bad.bz2", "damaged"
        )

    def test_output_that_is_the_input(self) -> None:
        self.refuses_to_overwrite(TEXT)


@unittest.skipIf(APPLICATION != "dedup", "of dedup")
class Dedup(Case):
    """A user's file, whose archive is unpacked here as its format is described."""

    TEXT = random.Random(1).randbytes(700_000) + TEXT

    def restored(self) -> tuple[bytes, int]:
        """What the archive was made of, and how many bytes of it are stored."""
        chunks: list[bytes] = []
        whole = b""
        total = bytes(32)
        archive = io.BytesIO(self.output.read_bytes())
        self.assertEqual(archive.read(16), b"thalweg dedup 1\n")
        while (kind := archive.read(1)) != b"E":
            if kind == b"N":
                size, packed = struct.unpack("<II", archive.read(8))
                chunks.append(zlib.decompress(archive.read(packed)))
                self.assertEqual(len(chunks[-1]), size)
                chunk = chunks[-1]
            else:
                self.assertEqual(kind, b"R")
                chunk = chunks[struct.unpack("<I", archive.read(4))[0]]
            whole += chunk
            total = hashlib.sha256(total + hashlib.sha256(chunk).digest()).digest()
        self.assertEqual(archive.read(), struct.pack("<Q", len(whole)) + total)
        self.assertEqual(len(set(chunks)), len(chunks))
        return whole, sum(map(len, chunks))

    def test_archive_is_as_described(self) -> None:
        text = self.TEXT + b"x" + self.TEXT
        done = self.run_on(self.file("text", text), "-batch-size", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        whole, stored = self.restored()
        self.assertEqual(whole, text)
        self.assertLess(stored, len(self.TEXT) + 100_000)

    def test_output_that_is_the_input(self) -> None:
        self.refuses_to_overwrite(self.TEXT)


def random_bytes(seed: int, size: int) -> bytes:
    """What xoshiro256**, seeded by splitmix64, gives: 8 bytes for each number, the lowest first."""
    mask = (1 << 64) - 1

    def left(word: int, bits: int) -> int:
        return (word << bits | word >> (64 - bits)) & mask

    state = []
    for i in range(1, 5):
        z = (seed + i * 0x9E3779B97F4A7C15) & mask
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        state.append(z ^ z >> 31)
    a, b, c, d = state
    made = b""
    while len(made) < size:
        made += struct.pack("<Q", left(b * 5 & mask, 7) * 9 & mask)
        a, b, c, d = a ^ d ^ b, b ^ c ^ a, c ^ a ^ (b << 17 & mask), left(d ^ b, 45)
    return made[:size]


@unittest.skipIf(APPLICATION != "file_writer", "of file_writer")
class FileWriter(Case):
    """The output is a folder."""

    RECIPE = b"files 3\nleast 1000\nmost 1000\nseed 5\nsync 1\n"

    def test_files_are_as_described(self) -> None:
        name = self.file("recipe", self.RECIPE)
        for _ in range(2):  # the second time it replaces what it has written
            done = self.run_on(name, "-batch-size", "2")
            self.assertEqual(done.returncode, 0, done.stderr)
        draws = struct.unpack("<6Q", random_bytes(5, 48))
        files = {f"file{i:07}.bin": random_bytes(draws[2 * i + 1], 1000) for i in range(3)}
        lines = [f"{name},1000,{hashlib.sha256(content).hexdigest()}\n" for name, content in files.items()]
        files["list.csv"] = "".join(lines).encode()
        self.assertEqual({file.name: file.read_bytes() for file in self.output.iterdir()}, files)
        self.assertEqual(self.left(), ["output", "recipe"])

    def test_folder_of_others(self) -> None:
        self.output.mkdir()
        (self.output / "precious").touch()
        self.refuses(self.file("recipe", self.RECIPE), "output' is there already")
        self.assertEqual([file.name for file in self.output.iterdir()], ["precious"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
