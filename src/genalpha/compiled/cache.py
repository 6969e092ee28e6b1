"""Files of compiled code, by content: they are whole, or they count as not there.

A full disk, a process that was killed, or a bad copy leaves files that are cut off, empty or noise. Machine code that
is not what was written must never run, so that every file carries its hash, and one that does not fit is made again.
Files get their name when they are complete; the data of an entry have their hash for a name, so that processes that
write at the same time never mix the code of one with the signature of another: at worst an entry is lost, and compiled
once more.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import pickle
import uuid
from pathlib import Path

from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.serialize import dumps

__all__ = ["ContentCache", "cache_directory", "read_whole", "write_whole"]


@functools.cache
def cache_directory() -> str:
    """Folder of compiled code: ``NUMBA_CACHE_DIR`` or the user's cache folder."""
    base = config.CACHE_DIR or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return str(Path(base) / "genalpha")


def write_whole(path: Path, data: bytes) -> None:
    """Write data behind their hash; the file is there as a whole or not at all."""
    _write(path, hashlib.sha256(data).digest() + data)


def read_whole(path: Path) -> bytes | None:
    """What `write_whole` has written; None if that is not there, or damaged."""
    with contextlib.suppress(OSError):
        content = path.read_bytes()
        if content[:32] == hashlib.sha256(content[32:]).digest():
            return content[32:]
    return None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


class _Files:
    """The entries of one function: an index that maps signatures to names of files, and these files.

    Parameters
    ----------
    folder : str
    base : str
        With what the names of all its files begin.
    """

    def __init__(self, folder: str, base: str):
        self.folder, self.base = Path(folder), base
        self.path = self.folder / f"{base}.nbi"

    def index(self) -> dict:
        """Names of the files by key; nothing if there is no index, or a damaged one."""
        data = read_whole(self.path)
        try:
            return {} if data is None else pickle.loads(data)
        except (ImportError, AttributeError):  # a type of a module that cannot be imported here
            return {}

    def data(self, key) -> bytes | None:
        """The content of an entry, if it is what was written."""
        name = self.index().get(key)
        if name is not None:
            with contextlib.suppress(OSError):
                content = (self.folder / name).read_bytes()
                if name == self._name(content):
                    return content
        return None

    def load(self, key):
        """What `save` was given; None if it is not there."""
        content = self.data(key)
        return None if content is None else pickle.loads(content)

    def save(self, key, data) -> None:
        """Store an entry, in place of one that is there."""
        content = dumps(data)
        name, names = self._name(content), self.index()
        _write(self.folder / name, content)
        before, names[key] = names.get(key, name), name
        write_whole(self.path, dumps(names))
        if before != name:
            with contextlib.suppress(OSError):
                (self.folder / before).unlink()

    def flush(self) -> None:
        """Forget all entries."""
        write_whole(self.path, dumps({}))

    def _name(self, content: bytes) -> str:
        return f"{self.base}.{hashlib.sha256(content).hexdigest()[:32]}.nbc"


class _Locator:
    """Tells numba's cache where to store; nothing about source files, the key knows."""

    def get_cache_path(self):
        return cache_directory()

    def ensure_cache_path(self):
        os.makedirs(cache_directory(), exist_ok=True)

    def get_source_stamp(self):
        return ""

    _py_file = __file__  # for numba's warning that something cannot be cached


class _Storage(CompileResultCacheImpl):
    def __init__(self, py_func, key):
        self._locator = _Locator()
        self._lineno = py_func.__code__.co_firstlineno
        self._filename_base = f"{py_func.__name__}-{key}"


@functools.cache
def _prepare(target_context):
    """What numba wants to know before it loads compiled code; before it compiles, it looks again."""
    target_context.refresh()


class ContentCache(FunctionCache):
    """numba's function cache with a key that says what a function is made of.

    Parameters
    ----------
    py_func : function
    key : str
        Hash of all that the compiled code depends on, but for its signature and the processor.
    """

    def __init__(self, py_func, key: str):
        self._key = key
        self._impl_class = lambda function: _Storage(function, key)
        super().__init__(py_func)
        self._cache_file = _Files(cache_directory(), self._impl.filename_base)

    def _index_key(self, sig, codegen):
        return (sig, codegen.magic_tuple(), self._key)

    def holds(self, sig, codegen) -> bool:
        """Is there compiled code for this signature, given as it will be compiled?"""
        return self._cache_file.data(self._index_key(sig, codegen)) is not None

    def load_overload(self, sig, target_context):
        _prepare(target_context)  # numba does it for every function that it loads
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def _load_overload(self, sig, target_context):
        # what cannot be made of an entry, like code from a module that cannot be imported here, is compiled again
        try:
            return super()._load_overload(sig, target_context)
        except Exception as error:
            logging.getLogger("genalpha").info("%s is compiled again: %r", self._impl.filename_base, error)
            return None

    def _save_overload(self, sig, data):
        # a read-only or full disk costs time, never a result
        with contextlib.suppress(OSError):
            super()._save_overload(sig, data)
