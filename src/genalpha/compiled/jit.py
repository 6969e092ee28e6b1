"""Compilation of leaves and closures, which are found again on disk by what they are made of.

numba's own cache looks at one source file: it goes stale when a callee in another file changes, and it never finds a
closure over a jitted function again. Here the key of every compiled function says what it was made of:

- a *leaf* of this package is keyed by a hash of all sources that leaves are made of;
- a closure over user functions is keyed by their fingerprints (`fingerprint`): byte code, constants, and everything
  they read, followed through helper functions and modules. A function that reads something that cannot be
  fingerprinted is compiled in every process and never stored.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import njit, types
from numba.core import config
from numba.core.dispatcher import Dispatcher
from numba.extending import overload, register_jitable
from numba.np import linalg

from genalpha.compiled.cache import ContentCache

__all__ = ["compile_closure", "leaf", "overload", "plain", "step", "stored_leaf"]


def _ask_for_blas_later():
    """Keep numba from importing scipy.linalg when it starts, 0.15 s to 0.2 s, only to see whether it is there.

    SciPy is a dependency of this package; code that calls BLAS finds it when it is compiled or first run.
    """
    ask, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ask


_ask_for_blas_later()


WITHOUT_ENTRY = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}
"""Options for what only compiled code calls."""


def step(function):
    """Mark scheme code: plain Python when called from Python, compiled when called from compiled code."""
    register_jitable(error_model="numpy", **WITHOUT_ENTRY)(function)
    return function


def jit_is_on() -> bool:
    """Not so under NUMBA_DISABLE_JIT, where everything runs as plain Python."""
    return not config.DISABLE_JIT


COMPILED_FILES = {
    "compiled/cosines.py",
    "compiled/jit.py",
    "compiled/lanes.py",
    "compiled/powers.py",
    "compiled/reference.py",
    "compiled/views.py",
    "system/contact_log.py",
    "system/contract.py",
    "system/compiling.py",
}
"""What the leaves in math/, step/ and model/ use from other rooms."""

FOLDERS = {"math": ("math",), "model": ("math", "model")}
"""What the leaves of a folder are made of."""


@functools.cache
def package_stamp(*folders: str) -> str:
    """Hash of the sources that leaves of these folders are made of, and of what they are compiled with."""
    digest = hashlib.sha256(f"{sys.version_info[:3]} {numba.__version__} {np.__version__}".encode())
    root = Path(__file__).parents[1]
    files = [root / name for name in COMPILED_FILES]
    for path in sorted([*files, *(path for folder in folders for path in root.glob(f"{folder}/**/*.py"))]):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def _attach_cache(dispatcher, content: str):
    package = dispatcher.py_func.__module__.split(".")
    folders = FOLDERS.get(package[1] if len(package) > 2 else "", ("math", "step"))
    flags = f"{package_stamp(*folders)} bounds={config.BOUNDSCHECK} opt={config.OPT}"
    key = hashlib.sha256(f"{flags} {content}".encode()).hexdigest()[:20]
    dispatcher._cache = ContentCache(dispatcher.py_func, key)


def leaf(function, content: str | None = ""):
    """Numerical code on arrays and scalars that Python may call: compiled then, and kept on disk.

    Compiled code that calls it takes it in, like a `step`: without an entry for Python, it compiles in half the time.
    ``content`` is as in `stored_leaf`.
    """
    dispatcher = stored_leaf(function, content)
    if isinstance(dispatcher, Dispatcher):
        part: Any = njit(error_model="numpy", **WITHOUT_ENTRY)(function)  # pyright: ignore
        _forget_literals(part)
        dispatcher.get_call_template, dispatcher.get_overload = part.get_call_template, part.get_overload
    return dispatcher


def stored_leaf(function, content: str | None = ""):
    """A `leaf` that compiled code, too, finds on disk: a large one that several loops call.

    ``content`` is the fingerprint of what it is made of beyond the sources of this package. With None it is not kept on
    disk; neither is a function of another package, whose sources nobody looks at.
    """
    # leaves are never passed as function pointers
    dispatcher: Any = njit(error_model="numpy", no_cfunc_wrapper=True)(function)  # pyright: ignore
    if isinstance(dispatcher, Dispatcher):  # not so under NUMBA_DISABLE_JIT
        if content is not None and function.__module__.startswith("genalpha."):
            _attach_cache(dispatcher, f"{function.__module__}.{function.__qualname__} {content}".rstrip())
        _forget_literals(dispatcher)
    return dispatcher


def plain(function):
    """The Python function of a leaf."""
    return getattr(function, "py_func", function)


def _forget_literals(dispatcher):
    """Keep numba from compiling a leaf once for every constant that it is called with."""
    original = dispatcher.get_call_template

    def get_call_template(args, kws):
        return original(tuple(map(types.unliteral, args)), kws)

    dispatcher.get_call_template = get_call_template


def compile_closure(function, signature, content: str | None, before_compiling=lambda dispatcher, signature: None):
    """Compile ``function`` for one signature; from disk if something of the same ``content`` was compiled before.

    Parameters
    ----------
    function : callable
        May be a closure over jitted functions.
    signature : numba signature
    content : str or None
        Fingerprint of all that the closure holds; None if it must not be stored.
    before_compiling : callable (dispatcher, signature)
        Called unless this process has the function already; see `Announcement`.
    """
    key = (function.__module__, function.__qualname__, content, signature)
    if key in _compiled:
        return _compiled[key]
    dispatcher = njit(error_model="numpy")(function)
    if isinstance(dispatcher, Dispatcher):  # not so under NUMBA_DISABLE_JIT
        if content is not None:
            _attach_cache(dispatcher, f"{function.__module__}.{function.__qualname__} {content}")
        before_compiling(dispatcher, signature)
        dispatcher.compile(signature)
        dispatcher.disable_compile()
        addresses = _Addresses(dispatcher.get_compile_result(signature))
        dispatcher.get_compile_result = lambda signature: addresses
    if content is not None:
        _compiled[key] = dispatcher
    return dispatcher


class _Addresses:
    """What numba asks a compiled function for when it is passed as a pointer, looked up once.

    A loop takes twenty of them, every time that it is entered: 0.3 ms instead of 0.9 ms.
    """

    def __init__(self, result):
        self.fndesc, self.library = result.fndesc, self
        self.get_pointer_to_function = functools.cache(result.library.get_pointer_to_function)


_compiled = {}
"""What this process has compiled or loaded, so that a sweep over parameters pays nothing."""


def on_disk(dispatcher, signature) -> bool:
    """Is there compiled code for this signature, here or there? Under NUMBA_DISABLE_JIT none is wanted."""
    if not isinstance(dispatcher, Dispatcher) or signature in dispatcher.overloads:
        return True
    cache = dispatcher._cache
    return isinstance(cache, ContentCache) and cache.holds(signature, dispatcher.targetctx.codegen())


@contextlib.contextmanager
def another_process(code: str):
    """Run Python code in a process of its own, for what it leaves on disk; None if there is no second core.

    It is stopped at the end if it has not ended by then.
    """
    process = None
    if (os.cpu_count() or 1) > 1 and sys.executable:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        none = subprocess.DEVNULL
        with contextlib.suppress(OSError):
            process = subprocess.Popen(
                [sys.executable, "-c", code], env=environment, stdin=none, stdout=none, stderr=none
            )  # fmt: skip
    try:
        yield process
    finally:
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()


class Announcement:
    """Says once that something is going to be compiled, if it is not on disk: nobody should wait and not know why."""

    def __init__(self, what: str):
        self.what, self.made = what, False

    def __call__(self, dispatcher, signature):
        if not self.made and not on_disk(dispatcher, signature):
            logging.getLogger("genalpha").warning("compiling %s ...", self.what)
            self.made = True
