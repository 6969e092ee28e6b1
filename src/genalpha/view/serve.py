"""The process behind `open_view`: serves one page on the loopback address to whoever knows the token.

``python -m genalpha.view.serve FILE``: reads the token from standard input and the page from the file, writes its port
to standard output, and serves until the page is closed.
"""

from __future__ import annotations

import contextlib
import math
import secrets
import signal
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

UNOPENED_SECONDS = 60.0
"""How long a page may take to be opened, or one that was sent to say that it is there."""

CLOSED_SECONDS = 2.0
"""How long a closed page may take to come back: a reload is no end."""

BEAT_SECONDS = 0.5

MOST_CONNECTIONS = 32
"""At once; a browser takes six at most."""

REQUEST_SECONDS = 10.0
"""How long a request may take to arrive as a whole, however slowly; and how long a connection may wait for one."""

ANSWER_SECONDS = 60.0
"""How long the page may take to be read."""

REFUSED_SECONDS = 1.0
"""How long one that is refused may take to read why."""

BUSY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 10\r\nConnection: close\r\n\r\n"


class PageServer(ThreadingHTTPServer):
    """One page, and the connections of those who have it open."""

    daemon_threads = True
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, page: bytes, token: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.page, self.token = page, token
        self.lock = threading.Lock()
        self.open = 0
        self.awaited = 1
        self.changed = time.monotonic()
        self.stopping = False
        self.ends: dict[socket.socket, float] = {}  # when a connection has to have come to something
        self.refused: dict[socket.socket, float] = {}

    @property
    def port(self) -> int:
        """The port that the system has chosen."""
        return self.server_address[1]

    def note(self, opened: int = 0, awaited: int = 0) -> None:
        """A page was sent and will connect, has connected, or has gone."""
        with self.lock:
            self.open += opened
            self.awaited = max(self.awaited + awaited, 0)
            self.changed = time.monotonic()

    def is_lonely(self) -> bool:
        """Is nobody there, and nobody expected any more?"""
        with self.lock:
            patience = UNOPENED_SECONDS if self.awaited else CLOSED_SECONDS
            return self.open == 0 and time.monotonic() - self.changed > patience

    def process_request(self, request, client_address) -> None:
        """A thread for each connection, up to a number of them."""
        with self.lock:
            is_full = len(self.ends) >= MOST_CONNECTIONS
        if is_full:
            self._refuse(request)
            return
        self.give(request, REQUEST_SECONDS)
        super().process_request(request, client_address)

    def give(self, connection: socket.socket, seconds: float) -> None:
        """A connection has so many seconds from now on."""
        with self.lock:
            self.ends[connection] = time.monotonic() + seconds

    def shutdown_request(self, request: Any) -> None:
        """A connection ends."""
        with self.lock:
            self.ends.pop(request, None)
        super().shutdown_request(request)

    def _refuse(self, connection: socket.socket) -> None:
        """Say that there are too many, and leave it some time to hear that: what is closed at once may be lost."""
        with contextlib.suppress(OSError):
            connection.setblocking(False)
            connection.send(BUSY)
            connection.shutdown(socket.SHUT_WR)
        if len(self.refused) < MOST_CONNECTIONS:
            self.refused[connection] = time.monotonic() + REFUSED_SECONDS
        else:
            connection.close()

    def service_actions(self) -> None:
        """End what takes too long; called several times a second, and after each connection."""
        now = time.monotonic()
        for connection in [one for one, end in self.refused.items() if end < now]:
            del self.refused[connection]
            connection.close()
        with self.lock:
            late = [one for one, end in self.ends.items() if end < now]
        for connection in late:  # its thread wakes up, and closes it
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def run(self) -> None:
        """Serve until nobody is there any more."""
        threading.Thread(target=self._watch, daemon=True).start()
        self.serve_forever(poll_interval=0.2)
        for connection in self.refused:
            connection.close()
        self.server_close()

    def stop(self) -> None:
        """End soon; may be called from anywhere."""
        if not self.stopping:
            self.stopping = True
            threading.Thread(target=self.shutdown, daemon=True).start()

    def _watch(self):
        while not self.stopping:
            time.sleep(BEAT_SECONDS)
            if self.is_lonely():
                self.stop()


class Handler(BaseHTTPRequestHandler):
    """Answers two requests: for the page, and for the connection that tells whether it is still open."""

    server: PageServer
    protocol_version = "HTTP/1.1"
    server_version = "genalpha"
    sys_version = ""

    def setup(self) -> None:
        """No write waits longer than the whole answer may take."""
        super().setup()
        self.connection.settimeout(ANSWER_SECONDS)

    def handle_one_request(self) -> None:
        """The next request of a connection, which has to come soon."""
        self.server.give(self.connection, REQUEST_SECONDS)
        try:
            super().handle_one_request()
        except OSError:  # the other side has gone, or took too long
            self.close_connection = True

    def do_GET(self) -> None:
        """The page under ``/token/``, the connection under ``/token/open``; nothing else exists."""
        _, _, rest = self.path.partition("/")
        token, _, name = rest.partition("/")
        if not self._is_local():
            self._refuse(403)
        elif not secrets.compare_digest(token.encode(), self.server.token.encode()):
            self._refuse(403)
        elif name == "":
            self._send_page()
        elif name == "open":
            self._hold()
        else:
            self._refuse(404)

    def _is_local(self) -> bool:
        """Was it asked by the address we gave? Another name in Host is a page that poses as us (DNS rebinding)."""
        port = self.server.port
        return self.headers.get("Host", "") in (f"127.0.0.1:{port}", f"localhost:{port}")

    def _send_page(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(self.server.page)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.server.note(awaited=1)
        self.server.give(self.connection, ANSWER_SECONDS)
        self.wfile.write(self.server.page)

    def _hold(self):
        """Keep the connection until the page closes it: writing to it fails then."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.close_connection = True
        self.server.give(self.connection, math.inf)
        # the first page was awaited from the beginning on and once more when it was sent
        self.server.note(opened=1, awaited=-2)
        try:
            while not self.server.stopping:
                self.wfile.write(b": here\n\n")
                time.sleep(BEAT_SECONDS)
        except OSError:
            return
        finally:
            self.server.note(opened=-1)

    def _refuse(self, code: int):
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def log_message(self, format: str, *args) -> None:
        """Nothing: the address contains the token."""


def main() -> None:
    """Serve the page named on the command line."""
    token = sys.stdin.readline().strip()
    server = PageServer(Path(sys.argv[1]).read_bytes(), token)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: server.stop())
    sys.stdout.write(f"{server.port}\n")
    sys.stdout.flush()
    server.run()


if __name__ == "__main__":
    main()
