"""A client that vanishes without closing, as one does whose machine loses its network, is let go.

usage: vanished_test.py program

The program and its client are in a network namespace whose only interface goes down. Skipped where a process
may not make one.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

UNSHARE = ["unshare", "--user", "--map-root-user", "--net"]
INSIDE = "--inside"
NOT_HERE = 77
"""The exit code of a test that says that it was skipped; CMakeLists.txt tells CTest so."""

LISTENS = b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
LOOK_AGAIN_S = 0.2


def loopback(state: str) -> None:
    """Sets the state of the only interface."""
    subprocess.run(["ip", "link", "set", "lo", state], check=True)


def sockets_of(process: int) -> int:
    """How many sockets a process has open."""
    count = 0
    for entry in Path(f"/proc/{process}/fd").iterdir():
        try:
            count += entry.readlink().name.startswith("socket:")
        except OSError:
            continue  # closed meanwhile
    return count


def inside(program: str) -> None:
    """The test, in a namespace."""
    loopback("up")
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as served:
        try:
            assert served.stdout is not None
            where = urlsplit(served.stdout.readline().strip())
            before = sockets_of(served.pid)
            with socket.create_connection(("127.0.0.1", where.port or 0)) as client:
                client.sendall(LISTENS)
                while b"event: sample" not in client.recv(1 << 16):
                    pass
                if sockets_of(served.pid) <= before:
                    sys.exit("the connection of the client is not seen")
                loopback("down")
                while sockets_of(served.pid) > before:
                    time.sleep(LOOK_AGAIN_S)
        finally:
            served.kill()


def main() -> None:
    """Makes the namespace, if that is possible."""
    if sys.argv[-1] == INSIDE:
        inside(sys.argv[1])
        return
    tools = all(map(shutil.which, ("unshare", "ip")))
    if not tools or subprocess.run([*UNSHARE, "true"], capture_output=True, check=False).returncode != 0:
        print("skipped: no network namespace can be made here")
        sys.exit(NOT_HERE)
    os.execvp(UNSHARE[0], [*UNSHARE, sys.executable, __file__, sys.argv[1], INSIDE])


main()
