"""A page in the browser, served by a process of its own on the loopback address.

Nothing waits for the browser: `open_view` returns at once. The process serves one page under a path that contains a
random token, and ends when the page is closed, when nobody has opened it for a minute, or on Ctrl-C.
"""

from __future__ import annotations

import contextlib
import html
import secrets
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from genalpha.errors import InputError


@dataclass(frozen=True, eq=False)
class View:
    """A page that is being served.

    Attributes
    ----------
    url : str
        Where it is; the address contains the token, without which the server does not answer.

    Examples
    --------
    >>> import genalpha as ga
    >>> from genalpha import problems
    >>> pendulum = problems.get("pendulum3d").system()
    >>> sol = ga.solve(pendulum, (0.0, 0.5), h=1e-2)
    >>> view = ga.view.open_view(sol, browser=False)
    >>> view.url.startswith("http://127.0.0.1:")
    True
    >>> view.close()
    """

    url: str
    _process: subprocess.Popen[str] = field(repr=False)

    @property
    def running(self) -> bool:
        """Is the server still there? It ends when the page is closed."""
        return self._process.poll() is None

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the page is closed; Ctrl-C closes it. Returns whether it is."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        except KeyboardInterrupt:
            self.close()
        return True

    def close(self) -> None:
        """End the server. A page that is open goes on working: it has all it needs."""
        self._process.terminate()
        self._process.wait()

    def _repr_html_(self) -> str:
        address = html.escape(self.url)
        return f'<a href="{address}" target="_blank">{address}</a>'


def show(page: str, browser: bool = True) -> View:
    """Serve a page, and open it in the browser."""
    view = serve(page)
    if browser:
        _open_browser(view.url)
    return view


def _open_browser(url: str) -> None:
    """Open the address in a browser with windows; one in the terminal would take it over."""
    import webbrowser

    with contextlib.suppress(webbrowser.Error):  # there is none: the address can be opened elsewhere
        found = webbrowser.get()
        if type(found) is not webbrowser.GenericBrowser:
            found.open(url)


def serve(page: str) -> View:
    """Serve a page from another process."""
    token = secrets.token_urlsafe(24)
    with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
        file.write(page)
    command = [sys.executable, "-m", "genalpha.view.serve", file.name]
    # the token goes through a pipe: the arguments of a process can be read by everybody on the machine; and who reads
    # the messages of this process should not have to wait for the other one
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        answer, _ = _ask(process, token)
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(file.name).unlink()
    return View(f"http://127.0.0.1:{answer}/{token}/", process)


def _ask(process: Any, token: str) -> tuple[str, Any]:
    """Hand the token over; the port comes back."""
    process.stdin.write(token + "\n")
    process.stdin.close()
    answer = process.stdout.readline().strip()
    process.stdout.close()
    if not answer.isdigit():
        process.kill()
        process.wait()
        raise InputError("the server of the view did not start; save_html writes the same page to a file")
    return answer, process
