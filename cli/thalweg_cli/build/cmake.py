"""Configures and builds with CMake and Ninja, showing progress."""

import fcntl
import os
import re
import signal
import subprocess
import time
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from thalweg_cli.base.paths import BUILD, ROOT, build_folder, user_folder
from thalweg_cli.base.terminal import Failed, bar, console
from thalweg_cli.build import left_out
from thalweg_cli.build.interfaces import FOLDERS, wanted_places

BYTES_PER_COMPILER = 1_200_000_000
"""What one compiler process may need; as many run at once as the memory holds."""

MAX_OUTPUT_LINES = 60

PEERS = tuple(FOLDERS)
"""Variables of the environment, and of CMake's cache, that say where headers of other projects are."""

USER_APPS = "THALWEG_USER_APPS"
"""CMake's variable for the folder of the user's own applications."""

MEASURED = "release"
"""The preset of which that is a part."""


class NotConfigured(Failed):
    """CMake could not go on. `said`: all that it said."""

    def __init__(self, what: str, said: str, remedy: str) -> None:
        super().__init__(what, output=last_lines(said), remedy=remedy)
        self.said = said


def parallel_jobs() -> int:
    """How many compilers may run at once: one a processor this process may use, if the memory suffices."""
    processors = len(os.sched_getaffinity(0))
    try:
        meminfo = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return processors
    available = re.search(r"^MemAvailable: +(\d+) kB", meminfo, re.MULTILINE)
    if available is None:
        return processors
    return max(1, min(processors, int(available[1]) * 1024 // BYTES_PER_COMPILER))


def configure(preset: str, anew: Collection[str] = ()) -> None:
    """Runs CMake if it never ran for this preset, or before what it is told changed; Ninja does the rest.

    That are presets, the places of peers, and the folder of the user's own applications. The variables in
    `anew` are looked for again in any case.
    """
    ninja_file = build_folder(preset) / "build.ninja"
    presets = ROOT / "CMakePresets.json"
    cache = build_folder(preset) / "CMakeCache.txt"
    known = cache.read_text(encoding="utf-8") if cache.exists() else ""
    places = wanted_places()
    moved = moved_peers(known, places)
    moved += [name for name in anew if name not in moved]
    added = user_applications_folder() if preset == MEASURED else ""
    is_known = cached_folder(known) == added
    if (
        not moved
        and is_known
        and ninja_file.exists()
        and ninja_file.stat().st_mtime >= presets.stat().st_mtime
    ):
        return
    console.print(f"configuring {preset}")
    if known and f"CMAKE_HOME_DIRECTORY:INTERNAL={ROOT}\n" not in known:
        cache.unlink()  # The folder was moved here: its paths lead elsewhere.
    command = ["cmake", "--preset", preset, *(f"-U{name}" for name in moved)]  # to be looked for again
    if added or not is_known:
        command.append(f"-D{USER_APPS}:PATH={added}")
    try:
        environment = {**os.environ, **places}  # which CMake reads as hints, and sees what is there
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    except FileNotFoundError as error:
        raise Failed("there is no cmake", remedy="./thalweg doctor") from error
    if done.returncode != 0:
        raise NotConfigured(
            f"CMake could not configure the preset {preset}",
            done.stdout + done.stderr,
            remedy="./thalweg doctor shows what is missing on this machine"
            + (f"; your own applications, in {added}, are a part of it" if added else ""),
        )
    ninja_file.touch()


def user_applications_folder() -> str:
    """The folder of the user's own applications if it is there; otherwise an empty text."""
    folder = user_folder() / "apps"
    return str(folder) if folder.is_dir() else ""


def cached_folder(cache: str) -> str:
    """The folder of the user's own applications that CMake knows of."""
    found = re.search(rf"^{USER_APPS}:\w+=(.*)$", cache, re.MULTILINE)
    return found[1] if found else ""


def moved_peers(cache: str, places: Mapping[str, str]) -> list[str]:
    """Those of PEERS that CMake has not found where they are to be, or whose folder has gone since."""
    found = dict(re.findall(r"^(\w+):PATH=(.*)$", cache, re.MULTILINE))
    moved = []
    for name in PEERS:
        place = found.get(name, "")
        gone = place and not place.endswith("-NOTFOUND") and not FOLDERS[name].holds(Path(place))
        elsewhere = name in found and places.get(name) and Path(places[name]) != Path(place)
        if gone or elsewhere:
            moved.append(name)
    return moved


def look_again(variables: Collection[str]) -> None:
    """Has CMake forget where it found peers, in every build that there is."""
    for cache in sorted(BUILD.glob("*/CMakeCache.txt")) if variables else []:
        configure(cache.parent.name, variables)


def build(preset: str, *targets: str, wrapper: tuple[str, ...] = (), keep_going: bool = False) -> None:
    """Builds targets of a preset (all without any), configuring first if need be.

    Prints nothing if there is nothing to do. `wrapper` is a command to run Ninja under. `keep_going`: what
    does not depend on what failed is built all the same. Waits for a build of the same preset that another
    command has begun. Raises Failed with the compiler's messages.
    """
    with alone(BUILD / f"{preset}.lock"):
        if preset == MEASURED:
            left_out.look_at_mended(build_folder(preset), user_folder() / "apps")
        while True:
            try:
                configure(preset)
                check_targets(preset, targets)
                run_ninja(preset, targets, wrapper, keep_going)
            except NotConfigured as why:
                leave_out_applications(preset, why)
            else:
                return


def leave_out_applications(preset: str, why: NotConfigured) -> None:
    """Leaves out the user's own applications that CMake stopped at, and says so.

    Raises the failure again if it did not stop at one, or if that is left out already.
    """
    there = left_out.left_out(build_folder(preset))
    apps = Path(user_applications_folder() or ".")
    found = left_out.mistakes_in(why.said, apps) if preset == MEASURED and apps.is_absolute() else {}
    new = {name: one for name, one in found.items() if name not in there}
    if not new:
        raise why
    for name, one in new.items():
        Failed(
            f"the application {name} is left out: {one.why}",
            output="".join(left_out.blocks_of(why.said)),
            remedy="fix its CMakeLists.txt; everything else works meanwhile",
        ).show()
    left_out.leave_out(build_folder(preset), {**there, **new})


def check_targets(preset: str, targets: Sequence[str]) -> None:
    """Raises Failed if a target is of an application that is left out."""
    for name, one in left_out.left_out(build_folder(preset)).items() if preset == MEASURED else ():
        if {f"inputs_of_{name}", f"test_app_{name}"} & set(targets):
            raise Failed(f"the application {name} is left out: {one.why}", remedy="fix its CMakeLists.txt")


def look_again_at_applications() -> None:
    """Has CMake read those of the user's own again that it could not read: a package may be there now."""
    left_out.look_at_mended(build_folder(MEASURED), user_folder() / "apps", all_of_them=True)


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Keeps other processes from what they, too, do under this lock: two builds would spoil each other.

    Says so if it has to wait for one.
    """
    lock.parent.mkdir(exist_ok=True)
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            console.print("another command is building: waiting for it", style="dim")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def run_ninja(preset: str, targets: Sequence[str], wrapper: Sequence[str], keep_going: bool) -> None:
    """Builds targets of a preset that is configured."""
    folder = build_folder(preset)
    going = ["-k", "0"] if keep_going else []
    command = [*wrapper, "ninja", "-C", str(folder), "-j", str(parallel_jobs()), *going, *targets]
    environment = {"NINJA_STATUS": "[%f/%t] "}
    log = folder / "build.log"
    compiled = 0
    start = time.monotonic()
    with (
        running(command, environment) as ninja,
        log.open("w", encoding="utf-8") as written,
        bar(f"building {preset}") as progress,
    ):
        assert ninja.stdout is not None
        for line in ninja.stdout:
            written.write(line)
            if status := re.match(r"\[(\d+)/(\d+)\] (.*)", line):
                if "Re-checking globbed directories" not in line:
                    compiled += 1
                progress.advance_to(int(status[1]), int(status[2]), Path(status[3].split(" ")[-1]).name)
    if ninja.returncode != 0:
        killed = f" (killed: {signal.Signals(-ninja.returncode).name})" if ninja.returncode < 0 else ""
        said = log.read_text(encoding="utf-8")
        if "FAILED: build.ninja" in said:
            raise NotConfigured(
                f"CMake could not configure the preset {preset} again",
                said,
                f"see above, or all of it in {log}",
            )
        raise Failed(
            f"the build of {preset} failed{killed}",
            output=failure_in(said),
            remedy=f"see above, or all of it in {log}; ./thalweg doctor shows whether something is missing",
        )
    if compiled:
        console.print(f"built {preset} in {time.monotonic() - start:.0f} s")


@contextmanager
def running(command: Sequence[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A command under way, with what it prints and complains in one stream; it does not outlive its use."""
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, **environment},
    ) as process:
        try:
            yield process
        except BaseException:
            process.terminate()
            raise


def failure_in(log: str) -> str:
    """What compilers and others said of what failed; Ninja's own words where they said nothing."""
    shown: list[str] = []
    failed = False
    command_next = False
    for line in log.splitlines():
        if line.startswith("FAILED: "):
            failed, command_next = True, True
        elif command_next:
            command_next = False
        elif re.match(r"\[\d+/\d+\] |ninja: ", line):
            failed = False
        elif failed:
            shown.append(line)
    if not shown:
        return last_lines(log)
    if len(shown) > MAX_OUTPUT_LINES:
        shown = [*shown[:MAX_OUTPUT_LINES], "..."]
    return "\n".join(shown)


def last_lines(text: str, count: int = MAX_OUTPUT_LINES) -> str:
    """The end of a text."""
    return "\n".join(deque(text.splitlines(), maxlen=count))
