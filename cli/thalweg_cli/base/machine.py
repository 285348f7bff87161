"""What the system says of this machine: processor, caches, clock, memory, distribution."""

import platform
import re
from pathlib import Path

UNKNOWN = "unknown"

CPU = Path("/sys/devices/system/cpu/cpu0")
CPUINFO, MEMINFO, RELEASE = Path("/proc/cpuinfo"), Path("/proc/meminfo"), Path("/etc/os-release")


def text_of(file: Path) -> str:
    """What is in a file of the system; nothing if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def first_line(file: Path) -> str:
    """The first line of a file of the system."""
    return text_of(file).partition("\n")[0] or UNKNOWN


def processor() -> str:
    """The model of the processor."""
    model = re.search(r"^model name\s*: (.+)$", text_of(CPUINFO), re.MULTILINE)
    return model[1] if model else platform.machine() or UNKNOWN


def memory() -> int:
    """The bytes of memory; 0 if they are not known."""
    total = re.search(r"^MemTotal:\s*(\d+) kB$", text_of(MEMINFO), re.MULTILINE)
    return int(total[1]) * 1024 if total else 0


def caches() -> str:
    """The caches that the first core sees, each with the processors that share it."""
    found = []
    for folder in sorted((CPU / "cache").glob("index*")):
        level, kind, size = (text_of(folder / name).strip() for name in ("level", "type", "size"))
        letter = {"Data": "d", "Instruction": "i"}.get(kind, "")
        shared = text_of(folder / "shared_cpu_list").strip()
        among = f" shared by processors {shared}" if re.search(r"[,-]", shared) else ""
        if level and size:
            found.append(f"L{level}{letter} {size}{among}")
    return ", ".join(found) or UNKNOWN


def clock() -> str:
    """The highest clock that the processor may have, or what the system says it has."""
    highest = text_of(CPU / "cpufreq" / "cpuinfo_max_freq").strip()
    if highest.isdigit():
        return f"{int(highest) / 1e6:.2f} GHz at most"
    now = re.search(r"^cpu MHz\s*: ([\d.]+)$", text_of(CPUINFO), re.MULTILINE)
    return f"{float(now[1]) / 1e3:.2f} GHz" if now else UNKNOWN


def system() -> str:
    """The distribution and its version."""
    name = re.search(r'^PRETTY_NAME="?([^"\n]*)"?$', text_of(RELEASE), re.MULTILINE)
    return name[1] if name else UNKNOWN
