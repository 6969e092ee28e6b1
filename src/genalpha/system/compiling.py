"""Compilation of evaluators: their numba types, and readable words where it fails."""

from __future__ import annotations

import contextlib
import functools
import re
import types as python_types
import uuid
from pathlib import Path

import numba
from numba import jit, njit, types

from genalpha.compiled.cache import cache_directory, read_whole, write_whole
from genalpha.compiled.fingerprint import fingerprint
from genalpha.compiled.jit import Announcement, compile_closure
from genalpha.compiled.views import VectorView, whole
from genalpha.errors import CompilationError
from genalpha.system.block import KIND_OF, evaluator_takes_v
from genalpha.system.contract import Evaluators

COMPLEX_VECTOR = types.Array(types.complex128, 1, "C")


def jitted(function):
    """numba's njit, under a name of its own; again, with its own options, for a function that was jitted before."""
    if hasattr(function, "targetoptions"):
        return jit(**function.targetoptions, locals=function.locals)(unique(function.py_func))
    return njit(error_model="numpy")(unique(function))


def unique(function, tag: str | None = None):
    """A copy of a Python function that no other compiled function shares its name with.

    numba tells functions apart by qualified name and a counter that starts anew in every process. Closures of equal
    names from several processes, found on disk, could thus be taken for one another.
    """
    copy = python_types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__, copy.__module__ = function.__kwdefaults__, function.__module__
    copy.__qualname__ = f"{function.__qualname__}_{tag or uuid.uuid4().hex}"
    return copy


def compile_evaluators(evaluators: Evaluators, arrays: bool = True, fixed: tuple = ()) -> Evaluators:
    """All of them, from disk where they were compiled before.

    Parameters
    ----------
    evaluators : Evaluators
        In plain Python.
    arrays : bool
        They want arrays, as users' functions do; otherwise they get views.
    fixed : tuple of callable
        Those that read nothing but this package, which stays as it is: looked through once.

    Those that are compiled already stay as they are.
    """
    compiled, announcement = [], Announcement("the functions of this system (once, some seconds)")
    for name, function, signature in zip(Evaluators._fields, evaluators, signatures(), strict=True):
        if is_compiled(function):
            compiled.append(function)
            continue
        try:
            content = _fixed_fingerprint(function) if function in fixed else fingerprint(function)
            if arrays:
                function = WITH_ARRAYS[len(signature.args)](jitted(function))
            compiled.append(compile_closure(unique(function, content), signature, content, announcement))
        except Exception as error:
            raise CompilationError(f"{name} cannot be compiled: {essence(error)}") from error
    return Evaluators(*compiled)


_fixed_fingerprint = functools.cache(fingerprint)


def is_compiled(function) -> bool:
    """Is it an evaluator from here, which has its machine code?"""
    return getattr(function, "_can_compile", True) is False


# what passes arrays on instead of views, by the number of arguments
WITH_ARRAYS = {
    3: lambda call: lambda a, b, c: call(whole(a), whole(b), whole(c)),
    4: lambda call: lambda a, b, c, d: call(whole(a), whole(b), whole(c), whole(d)),
    5: lambda call: lambda a, b, c, d, e: call(whole(a), whole(b), whole(c), whole(d), whole(e)),
    6: lambda call: lambda a, b, c, d, e, f: call(whole(a), whole(b), whole(c), whole(d), whole(e), whole(f)),
    7: lambda call: (
        lambda a, b, c, d, e, f, g: call(whole(a), whole(b), whole(c), whole(d), whole(e), whole(f), whole(g))
    ),
}


def find_culprit(pieces) -> tuple[str, bool, str] | None:
    """The function that can be compiled for real numbers only, as (name, in t, reason), if there is one.

    An exception names the function that cannot be compiled at all.
    """
    x, z = types.float64, types.complex128
    for name, piece in pieces.items():
        error = _attempt(piece.call, (x, VECTOR, VECTOR, VECTOR, VECTOR))
        if error is not None:
            raise CompilationError(
                f"{name} cannot be compiled: {essence(error)}. Correct it, or pass compile=False to run interpreted"
            ) from error
    for (name, in_time), refused in pieces.unsafe.items():
        arguments = (z if in_time else x, COMPLEX_VECTOR, COMPLEX_VECTOR, VECTOR, COMPLEX_VECTOR)
        error = None if refused else _attempt(pieces[name].call, arguments)
        if error is not None:
            return name, in_time, f"numba: {essence(error)}"
    return None


def remember(pieces, name: str, in_time: bool, reason: str):
    """Note on disk that a function cannot be compiled for complex numbers: to find out takes seconds."""
    content = fingerprint(pieces[name].call)
    if content is not None:
        with contextlib.suppress(OSError):
            write_whole(_note(content, in_time), reason.encode())


def remembered(pieces):
    """What was noted on these functions, as (name, in t, reason)."""
    for name, piece in pieces.items():
        content = fingerprint(piece.call) if piece.constant is None else None
        for in_time in (False, True):
            reason = read_whole(_note(content, in_time)) if content is not None else None
            if reason is not None:
                yield name, in_time, reason.decode()


def _note(content: str, in_time: bool) -> Path:
    return Path(cache_directory()) / f"real-{int(in_time)}-{numba.__version__}-{content[:20]}.txt"


def _attempt(dispatcher, arguments):
    """The exception of compiling for these arguments, if there is one."""
    try:
        dispatcher.compile(arguments)
    except Exception as error:
        return error
    return None


def essence(error: Exception) -> str:
    """What numba has to say, in one sentence, with the user's line."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    unknown = re.search(r"Untyped global name '(\w+)'.*?<class '(\w+)'>", text)
    if unknown:
        name, kind = unknown.groups()
        hint = f"mark {name} with @ga.evaluator too" if kind == "function" else "numba cannot read objects of this kind"
        sentence = f"it uses {name!r}, a {kind}; {hint}"
    else:
        sentence = _reason(text) or f"numba fails with a {type(error).__name__}"
    line = _line(text)
    return f"{sentence} ({line})" if line else sentence


def _reason(text: str) -> str:
    """The innermost reason that is given, and for what."""
    reasons = re.findall(r"^\s*(?:\w+Error: )(.+)$", text, flags=re.MULTILINE)
    reasons = [reason for reason in reasons if "Poison" not in reason]
    call = re.search(r">>> (.+)", text)
    if reasons:
        return reasons[-1].strip() + (f" in {call[1].strip():.120}" if call else "")
    if call:
        return f"there is no implementation of {call[1].strip():.120}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(("Failed in nopython", "During:", "File ", "^"))]
    return lines[0] if lines else ""


def _line(text: str) -> str:
    """The last place outside of numba and of this package that is named."""
    places = re.findall(r"File \"([^\"]+)\", line (\d+)", text) + re.findall(r"at (\S+\.py) \((\d+)\)", text)
    own = [place for place in places if "numba/" not in place[0] and "genalpha/" not in place[0]]
    return f"{own[-1][0]}, line {own[-1][1]}" if own else ""


VECTOR = types.Array(types.float64, 1, "C")
VIEW = VectorView(types.float64)


def signatures() -> Evaluators:
    """Signatures of the evaluators."""
    t = types.float64
    p = types.void(t, VIEW, VIEW, VIEW)
    v = types.void(t, VIEW, VIEW, VIEW, VIEW)
    mu = types.void(t, VIEW, VIEW, VIEW, VIEW, VIEW)
    everything = types.void(t, VIEW, VIEW, VIEW, VIEW, VIEW, VIEW)
    update = types.void(VIEW, VIEW, VIEW, VIEW)
    untwist = types.void(VIEW, VIEW, VIEW)
    twist = types.void(VIEW, t, VIEW, VIEW)
    return Evaluators(
        M=p, f=v, force=mu, force_mu=mu, stiffness=everything, damping=everything,
        **{name: v if evaluator_takes_v(name) else p for name in KIND_OF},
        update=update, untwist=untwist, twist=twist,
    )  # fmt: skip
