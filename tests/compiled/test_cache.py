"""Compiled code on disk: damaged files are made again, and processes that write at once do not mix their code."""

import random
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from numba import types

from genalpha.compiled import cache, jit
from genalpha.compiled.cache import read_whole, write_whole

compiled_only = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

DAMAGES = {
    "empty": lambda data: b"",
    "cut off": lambda data: data[: len(data) // 2],
    "one bit": lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
    "noise": lambda data: random.Random(1).randbytes(len(data)),
    "longer": lambda data: data + b"more",
    "a pickle": lambda data: b"cbuiltins\nexit\n(I3\ntR.",  # whoever reads it ends
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "cache_directory", lambda: str(tmp_path))
    return tmp_path


def twice(x):
    return 2.0 * x


def use(monkeypatch):
    """(value, was it found on disk) of a function that is compiled, or loaded, as in a process that starts."""
    monkeypatch.setattr(jit, "_compiled", {})
    announced = []
    signature = types.float64(types.float64)
    compiled = jit.compile_closure(
        twice, signature, "the content", lambda dispatcher, _: announced.append(jit.on_disk(dispatcher, signature))
    )
    found = bool(compiled.stats.cache_hits)
    assert announced == [found]
    return compiled(2.0), found


@compiled_only
@pytest.mark.parametrize("what", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_code_is_compiled_again(folder, monkeypatch, what, damage):
    assert use(monkeypatch) == (4.0, False)
    assert use(monkeypatch) == (4.0, True)
    (file,) = folder.glob(f"*.{what}")
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    assert use(monkeypatch) == (4.0, False)
    assert use(monkeypatch) == (4.0, True)


@compiled_only
def test_a_folder_that_cannot_be_used_costs_time_only(folder, monkeypatch):
    (folder / "file").write_bytes(b"")
    monkeypatch.setattr(cache, "cache_directory", lambda: str(folder / "file"))
    assert use(monkeypatch) == (4.0, False)
    assert use(monkeypatch) == (4.0, False)


@pytest.mark.parametrize("damage", DAMAGES)
def test_files_are_whole_or_not_there(tmp_path, damage):
    path = tmp_path / "folder" / "file"
    assert read_whole(path) is None
    write_whole(path, b"what was written")
    assert read_whole(path) == b"what was written"
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert read_whole(path) is None
    assert [one.name for one in path.parent.iterdir()] == ["file"]


def test_those_who_write_at_once_never_mix_their_entries(tmp_path):
    """Each has read the same index before: an entry may be lost, none may belong to another signature."""
    one, two = (cache._Files(str(tmp_path), "twice") for _ in range(2))
    index = one.index()
    one.index = two.index = lambda: dict(index)
    one.save("int", "code for integers")
    two.save("float", "code for floats")
    one.save("int", "code for integers")
    del one.index, two.index
    assert one.load("int") == "code for integers"
    assert two.load("float") is None
    two.save("float", "code for floats")
    assert (one.load("int"), one.load("float")) == ("code for integers", "code for floats")


def test_many_who_read_and_write(tmp_path):
    def work(seed):
        files, numbers = cache._Files(str(tmp_path), "twice"), np.random.default_rng(seed)
        for _ in range(30):
            key = int(numbers.integers(5))
            files.save(key, (key, seed))
            for other in range(5):
                found = files.load(other)
                assert found is None or found[0] == other
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


@pytest.mark.parametrize("damage", DAMAGES)
def test_derived_functions_are_derived_again(folder, damage):
    from sympy import symbols
    from sympy.physics.mechanics import dynamicsymbols

    from genalpha.symbolic import lagrange

    t, x, m = dynamicsymbols._t, dynamicsymbols("x"), symbols("m")
    equations = lagrange(m * x.diff(t) ** 2 / 2 - x**4, [x])
    text = equations.source()
    (file,) = folder.glob("symbolic/*")
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    assert equations.source() == text
    assert read_whole(file) is not None
