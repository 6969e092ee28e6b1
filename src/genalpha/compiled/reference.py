"""Named tuples by reference, for compiled scheme code.

Compiled code passes a named tuple by value: a call with a dozen arrays copies a hundred words and counts references
with atomic operations, 130 ns where the work itself takes 60. ``by_reference`` leaves the tuple where it is and passes
one pointer; the fields of the reference read like the fields of the tuple, arrays as views. In plain Python it is the
tuple itself.

The tuple, and the arrays in it, must outlive every use of the reference: make it at the entry of a compiled function
and pass it down, never up.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    overload,
    register_model,
)
from numba.np.arrayobj import make_array

from genalpha.compiled.views import make_matrix, view_of, view_of_array, viewed


def by_reference(value):
    """A reference to a named tuple of arrays, numbers and function pointers."""
    return value


def as_matrix(vector, n_rows, n_cols):
    """A contiguous vector as a matrix."""
    return vector[: n_rows * n_cols].reshape(n_rows, n_cols)


@overload(as_matrix, inline="always")
def _as_matrix(vector, n_rows, n_cols):
    return lambda vector, n_rows, n_cols: make_matrix(viewed(vector), n_rows, n_cols)  # pyright: ignore


class Reference(types.Type):
    """Type of a reference to a named tuple."""

    def __init__(self, target):
        self.target = target
        super().__init__(f"Reference({target})")


@register_model(Reference)
class _ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager, reference):
        value = manager.lookup(reference.target).get_value_type()
        super().__init__(manager, reference, ir.PointerType(value))


@infer_getattr
class _ReferenceFields(AttributeTemplate):
    key = Reference

    def generic_resolve(self, reference, field):
        if field not in reference.target.fields:
            return None
        kind = reference.target[reference.target.fields.index(field)]
        return view_of(kind) if isinstance(kind, types.Array) else kind


@lower_getattr_generic(Reference)
def _get_field(context, builder, reference, pointer, field):
    index = reference.target.fields.index(field)
    item, kind = builder.load(cgutils.gep_inbounds(builder, pointer, 0, index)), reference.target[index]
    if isinstance(kind, types.Array):
        return view_of_array(context, builder, kind, item)
    return impl_ret_borrowed(context, builder, kind, item)


@overload(by_reference, inline="always")
def _by_reference(value):
    return lambda value: _make_reference(value)  # pyright: ignore


@intrinsic
def _make_reference(typing_context, value):
    def generate(context, builder, signature, arguments):
        return cgutils.alloca_once_value(builder, _uncounted(context, builder, signature.args[0], arguments[0]))

    return Reference(value)(value), generate


def _uncounted(context, builder, type_, item):
    """An array without its reference count: a null count is neither raised nor lowered."""
    if isinstance(type_, types.BaseTuple):
        items = cgutils.unpack_tuple(builder, item, len(type_))
        items = [_uncounted(context, builder, part, x) for part, x in zip(type_, items, strict=True)]
        return context.make_tuple(builder, type_, items)
    if not isinstance(type_, types.Array):
        return item
    array = make_array(type_)(context, builder, item)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    array.parent = cgutils.get_null_value(array.parent.type)
    return array._getvalue()
