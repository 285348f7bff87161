"""The receiving end of a stream of bytes over TCP, as docs/network-streams.md describes it."""

import socket
import struct
import threading
from types import TracebackType
from typing import Self

MAGIC = b"thalweg\n"
VERSION = 2
END, GAVE_UP = 0xFFFFFFFF, 0xFFFFFFFE


class Receiver:
    """Takes one stream, whose items are pieces of bytes, on a thread of its own.

    `tag` is what the sender says of its items; `content` is there at the end of the `with`.
    """

    def __init__(self) -> None:
        self.tag = ""
        self.content = b""
        self.gave_up = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(60)
        self.where = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._take)

    def __enter__(self) -> Self:
        """Begins to wait for the sender."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Waits for the end of the stream."""
        self._thread.join()
        self._listener.close()

    def _take(self) -> None:
        link, _ = self._listener.accept()
        with link, link.makefile("rwb") as stream:
            magic, version, size = struct.unpack("<8sII", stream.read(16))
            if (magic, version) != (MAGIC, VERSION):
                raise ValueError(f"{magic!r}, version {version}")
            hello = stream.read(size)
            self.tag = hello[12 : 12 + struct.unpack_from("<I", hello, 8)[0]].decode()
            answer = struct.pack("<QII", 0, 0, 0)  # from the first item on, no refusal, no questions
            stream.write(struct.pack("<8sII", MAGIC, VERSION, len(answer)) + answer)
            pieces = []
            while True:
                stream.flush()
                (size,) = struct.unpack("<I", stream.read(4))
                if size == GAVE_UP:
                    self.gave_up = True
                    break
                if size == END:
                    stream.write(struct.pack("<Q", len(pieces) + 1))
                    break
                pieces.append(stream.read(size)[4:])  # behind how many bytes follow
                stream.write(struct.pack("<Q", len(pieces)))
            self.content = b"".join(pieces)
