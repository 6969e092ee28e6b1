"""The server has room for so many connections, and none keeps its place by being slow."""

import socket
import threading
import time

import pytest

from genalpha.view import serve
from genalpha.view.serve import MOST_CONNECTIONS, PageServer

SHORT = 0.4


@pytest.fixture
def server(monkeypatch):
    """A server in this process that is short of patience."""
    for name in ("REQUEST_SECONDS", "ANSWER_SECONDS"):
        monkeypatch.setattr(serve, name, SHORT)
    found = PageServer(b"<title>a page</title>", "token")
    thread = threading.Thread(target=found.run, daemon=True)
    thread.start()
    yield found
    found.stop()
    thread.join(5.0)
    assert not thread.is_alive()


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=5.0)


def settles(server, count, seconds=3.0):
    """Does the server come to so many connections?"""
    limit = time.monotonic() + seconds
    while len(server.ends) != count and time.monotonic() < limit:
        time.sleep(0.02)
    return len(server.ends) == count


def ask(server, connection, name=""):
    connection.sendall(f"GET /token/{name} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
    time.sleep(0.05)
    return connection.recv(1000)


def closes(connection, seconds=2.0, send=b""):
    """Does the other side end the connection within these seconds, though something is sent now and then?"""
    limit = time.monotonic() + seconds
    connection.settimeout(0.05)
    while time.monotonic() < limit:
        try:
            if send:
                connection.sendall(send)
            if not connection.recv(2**20):
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


@pytest.mark.parametrize("begin", [b"", b"GET /tok", b"GET /token/ HTTP/1.1\r\nHost: x\r\n"])
def test_idle_and_half_open_connections_end(server, begin):
    with connect(server) as connection:
        connection.sendall(begin)
        start = time.monotonic()
        assert closes(connection)
        assert time.monotonic() - start > 0.5 * SHORT
    assert settles(server, 0)


@pytest.mark.parametrize("drop", [b"x", b"X: y\r\n"])
def test_requests_that_come_in_drops_end(server, drop):
    with connect(server) as connection:
        connection.sendall(b"GET /token/ HTTP/1.1\r\n")
        assert closes(connection, send=drop)


def test_answered_connections_wait_for_a_while_only(server):
    with connect(server) as connection:
        assert b"200 OK" in ask(server, connection)
        assert b"200 OK" in ask(server, connection)
        assert closes(connection)


def test_those_who_do_not_read_end(server):
    server.page = bytes(2**26)
    with connect(server) as connection:
        connection.sendall(f"GET /token/ HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        assert settles(server, 1)
        assert settles(server, 0)


def test_open_pages_stay(server):
    with connect(server) as connection:
        assert b"200 OK" in ask(server, connection, "open")
        assert not closes(connection, 3.0 * SHORT)


def test_one_too_many_is_refused_with_a_word(server, monkeypatch):
    monkeypatch.setattr(serve, "REQUEST_SECONDS", 60.0)
    open_ones = [connect(server) for _ in range(MOST_CONNECTIONS)]
    try:
        assert settles(server, MOST_CONNECTIONS)
        assert b"200 OK" in ask(server, open_ones[-1])
        for _ in range(3):
            with connect(server) as another:
                assert ask(server, another).startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
                assert closes(another)
        assert len(server.ends) == MOST_CONNECTIONS
        open_ones.pop().close()
        assert settles(server, MOST_CONNECTIONS - 1)
        with connect(server) as another:
            assert b"200 OK" in ask(server, another)
    finally:
        for connection in open_ones:
            connection.close()
