"""The server: only on loopback, only with its token, only two addresses; it ends when the page is closed."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from genalpha.view import open_view
from genalpha.view.serve import CLOSED_SECONDS
from genalpha.view.server import serve


@pytest.fixture
def view():
    found = serve("<title>a page</title>")
    yield found
    found.close()


def ask(view, path, **headers):
    """(status, text) of a request as it is written, without a browser that would tidy it up."""
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(view.url).port, timeout=5)
    connection.putrequest("GET", path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    status, text = answer.status, answer.read().decode()
    connection.close()
    return status, text


def ends(view, seconds):
    """Does the server end within these seconds?"""
    limit = time.monotonic() + seconds
    while view.running and time.monotonic() < limit:
        time.sleep(0.05)
    return not view.running


def test_the_page_is_served_with_its_token(view):
    assert ask(view, urlsplit(view.url).path) == (200, "<title>a page</title>")


@pytest.mark.parametrize("path", ["/", "/favicon.ico", "/wrong-token/", "/wrong-token/open", "//", "/%2e%2e/", ""])
def test_nothing_without_the_token(view, path):
    assert ask(view, path or "*") == (403, "")


@pytest.mark.parametrize(
    "path", ["../", "../../etc/passwd", "..%2f..%2fetc/passwd", "%2e%2e/", "page.html", "/etc/passwd", "open/..", "?x"]
)
def test_no_other_file_exists(view, path):
    status, text = ask(view, urlsplit(view.url).path + path)
    assert (status, text) == (404, "")


def test_a_page_that_poses_as_us_is_refused(view):
    """A name that another page had resolved to the loopback address does not help it."""
    path, port = urlsplit(view.url).path, urlsplit(view.url).port
    assert ask(view, path, Host=f"evil.example:{port}") == (403, "")
    assert ask(view, path, Host=f"localhost:{port}")[0] == 200


def test_only_the_loopback_address_answers(view):
    port = urlsplit(view.url).port
    addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in addresses:
        if not address.startswith("127."):
            with socket.socket() as other:
                other.settimeout(2.0)
                assert other.connect_ex((address, port)) != 0


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="this system does not list its sockets in /proc")
def test_the_socket_is_bound_to_the_loopback_address(view):
    port = urlsplit(view.url).port
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    listening = [line.split()[1] for line in lines if line.split()[3] == "0A"]
    assert [address for address in listening if address.endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"]


def test_tokens_are_long_and_new():
    first, second = serve("a"), serve("b")
    tokens = {urlsplit(view.url).path.strip("/") for view in (first, second)}
    first.close()
    second.close()
    assert len(tokens) == 2
    assert all(len(token) >= 32 for token in tokens)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="this system does not show arguments in /proc")
def test_the_token_is_not_among_the_arguments(view):
    command = Path(f"/proc/{view._process.pid}/cmdline").read_text()
    assert "genalpha.view.serve" in command
    assert urlsplit(view.url).path.strip("/") not in command


def test_it_ends_when_the_page_is_closed(view):
    page = socket.create_connection(("127.0.0.1", urlsplit(view.url).port))
    address = urlsplit(view.url)
    page.sendall(f"GET {address.path}open HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
    assert b"200" in page.recv(200)
    time.sleep(1.0)
    assert view.running
    page.close()
    assert ends(view, CLOSED_SECONDS + 5.0)


def test_a_reload_is_no_end(view):
    address = urlsplit(view.url)
    request = f"GET {address.path}open HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode()
    for _ in range(2):
        page = socket.create_connection(("127.0.0.1", address.port))
        page.sendall(request)
        page.recv(200)
        page.close()
        time.sleep(1.2)
    assert view.running


def test_ctrl_c_ends_it(view):
    view._process.send_signal(signal.SIGINT)
    assert ends(view, 5.0)
    assert view._process.returncode == 0


def test_nothing_waits_for_it(ball):
    """A script that shows a solution ends, and the page is still served."""
    begin = time.monotonic()
    view = open_view(ball, title="Ball", browser=False)
    assert time.monotonic() - begin < 5.0
    status, text = ask(view, urlsplit(view.url).path)
    assert status == 200
    assert '"serve":true' in text
    assert view.url in view._repr_html_()
    assert not view.wait(timeout=0.2)
    view.close()
    assert view.wait()
    assert not view.running


def test_browsers_in_the_terminal_are_left_alone(ball, monkeypatch):
    """They would take it over; and where there is no browser at all, the address is there to be opened elsewhere."""
    opened = []

    class Window(webbrowser.BaseBrowser):
        def open(self, url, new=0, autoraise=True):
            opened.append(url)
            return True

    def none():
        raise webbrowser.Error("could not locate runnable browser")

    for browser in (lambda: webbrowser.GenericBrowser("lynx"), none, Window):
        monkeypatch.setattr(webbrowser, "get", browser)
        view = open_view(ball)
        view.close()
    assert opened == [view.url]


def test_a_script_ends_before_its_view():
    code = "from genalpha.view.server import serve; v = serve('page'); print(v.url, v._process.pid)"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60)
    url, pid = done.stdout.split()
    try:
        connection = http.client.HTTPConnection("127.0.0.1", urlsplit(url).port, timeout=5)
        connection.request("GET", urlsplit(url).path)
        assert connection.getresponse().read() == b"page"
        connection.close()
    finally:
        os.kill(int(pid), signal.SIGTERM)
