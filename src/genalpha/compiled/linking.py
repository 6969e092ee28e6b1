"""Compiled code that is linked once.

numba makes machine code of every function that it compiles, and optimises it, before it goes into the functions that
call it, where it is optimised again. The loop over steps is made of nearly a hundred functions in layers, most of which
are never called from Python: leaving them to the loop that they end up in halves the time that it takes to compile, and
its speed is the same.
"""

from __future__ import annotations

import contextlib

from numba.core.codegen import JITCodeLibrary
from numba.core.registry import cpu_target


class _Library(JITCodeLibrary):
    """A library that stays as it is, unoptimised and without machine code, if only other libraries call it."""

    _is_part = False

    def finalize(self):
        # what Python can call has a wrapper
        self._is_part = not any("7cpython" in f.name for f in self._final_module.functions if not f.is_declaration)
        super().finalize()

    def _optimize_final_module(self):
        if not self._is_part:
            super()._optimize_final_module()

    def _finalize_final_module(self):
        if self._is_part:
            self._finalize_dynamic_globals()
            self._finalized = True
        else:
            super()._finalize_final_module()


@contextlib.contextmanager
def linked_once():
    """What is compiled meanwhile is optimised and made into machine code where Python can call it, and not before."""
    codegen = cpu_target.target_context.codegen()
    set_env, address = codegen.set_env, codegen._engine.get_global_value_address

    def set_if_there(name, env):
        # the environment of a part is not in the engine; compiled code without Python objects does not read it
        if address(name):
            set_env(name, env)

    codegen._library_class, codegen.set_env = _Library, set_if_there
    try:
        yield
    finally:
        del codegen._library_class, codegen.set_env
