"""Ports of this machine."""

import socket


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]
