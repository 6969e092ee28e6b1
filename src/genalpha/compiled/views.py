"""Arrays as compiled scheme code passes them: a pointer and sizes.

numba passes an array as seven or more words (owner, parent, sizes, strides), and a call with five of them moves fifty
words there and back: 30 ns, several times what a leaf does with a small system. A *view* is a pointer and one or two
sizes. It is contiguous, owns nothing, and takes indices that are not negative. Inside compiled code it reads like the
array: ``x[i]``, ``x[i, j]``, ``x[i]`` of a matrix, ``x[a:b]``, ``x[i, a:b]``, ``x.shape``, ``x.size``.

``viewed`` makes a view of an array that outlives it, ``whole`` an array of a view, for code that wants one. In plain
Python both give the array itself.
"""

from __future__ import annotations

import operator

from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_builtin,
    lower_getattr,
    overload,
    overload_method,
    register_model,
    unbox,
)
from numba.core.imputils import impl_ret_borrowed
from numba.core.typeconv.rules import default_type_manager
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_global, signature
from numba.np.arrayobj import make_array

INTP = types.intp


class View(types.Type):
    """Type of a view; ``ndim`` is 1 or 2."""

    def __init__(self, dtype, ndim):
        self.dtype, self.ndim = dtype, ndim
        super().__init__(f"View({dtype}, {ndim})")

    @property
    def array(self):
        """The type of the array."""
        return types.Array(self.dtype, self.ndim, "C")


class VectorView(View):
    def __init__(self, dtype):
        super().__init__(dtype, 1)


class MatrixView(View):
    def __init__(self, dtype):
        super().__init__(dtype, 2)


def view_of(array):
    """The type of the view of an array type."""
    return VectorView(array.dtype) if array.ndim == 1 else MatrixView(array.dtype)


@register_model(VectorView)
class _VectorModel(models.StructModel):
    def __init__(self, manager, view):
        super().__init__(manager, view, [("data", types.CPointer(view.dtype)), ("n", INTP)])


@register_model(MatrixView)
class _MatrixModel(models.StructModel):
    def __init__(self, manager, view):
        members = [("data", types.CPointer(view.dtype)), ("rows", INTP), ("n", INTP)]
        super().__init__(manager, view, members)


def _proxy(context, builder, view, value=None):
    return cgutils.create_struct_proxy(view)(context, builder, value=value)


# typing


def _item(view, index):
    """The type of view[index], or None."""
    parts = tuple(index) if isinstance(index, types.BaseTuple) else (index,)
    if len(parts) > view.ndim:
        return None
    *rows, last = parts
    if not all(isinstance(part, types.Integer) for part in rows):
        return None
    if isinstance(last, types.SliceType) and not last.has_step and len(parts) == view.ndim:
        return VectorView(view.dtype)
    if isinstance(last, types.Integer):
        return view.dtype if len(parts) == view.ndim else VectorView(view.dtype)
    return None


@infer_global(operator.getitem)  # pyright: ignore
class _GetItem(AbstractTemplate):
    def generic(self, args, kws):
        view, index = args
        if isinstance(view, View):
            item = _item(view, index)
            if item is not None:
                return signature(item, view, index)
        return None


@infer_global(operator.setitem)  # pyright: ignore
class _SetItem(AbstractTemplate):
    def generic(self, args, kws):
        view, index, _ = args
        if isinstance(view, View) and _item(view, index) == view.dtype:
            return signature(types.none, view, index, view.dtype)
        return None


@infer_getattr
class _Attributes(AttributeTemplate):
    key = View

    def generic_resolve(self, view, name):
        return {"shape": types.UniTuple(INTP, view.ndim), "size": INTP}.get(name)


# lowering


def _place(context, builder, view, value, index_type, index):
    """(pointer to the first entry that an index names, entries left behind it)."""
    proxy = _proxy(context, builder, view, value)
    if not isinstance(index_type, types.BaseTuple):
        index_type, index = (index_type,), (index,)
    else:
        index = cgutils.unpack_tuple(builder, index, len(index_type))
    sizes = [proxy.rows, proxy.n] if view.ndim == 2 else [proxy.n]
    offset = None
    for axis, (kind, part) in enumerate(zip(index_type, index, strict=True)):  # pyright: ignore
        if isinstance(kind, types.SliceType):
            helper = context.make_helper(builder, kind, part)
            part, stop = helper.start, _smaller(builder, helper.stop, sizes[axis])
            left = builder.sub(stop, part)
        else:
            part = context.cast(builder, part, kind, INTP)
            if context.enable_boundscheck:
                cgutils.do_boundscheck(context, builder, part, sizes[axis], axis)
            left = sizes[-1]
        offset = part if offset is None else builder.add(builder.mul(offset, sizes[axis]), part)
    if len(index_type) < view.ndim:
        offset = builder.mul(offset, sizes[-1])
    return builder.gep(proxy.data, [offset], inbounds=True), left


def _smaller(builder, a, b):
    return builder.select(builder.icmp_signed("<", a, b), a, b)


def _get(context, builder, sig, args):
    view, index = sig.args
    pointer, left = _place(context, builder, view, args[0], index, args[1])
    if not isinstance(sig.return_type, VectorView):
        return builder.load(pointer)
    row = _proxy(context, builder, sig.return_type)
    row.data, row.n = pointer, left
    return row._getvalue()


def _set(context, builder, sig, args):
    view, index, _ = sig.args
    pointer, _ = _place(context, builder, view, args[0], index, args[1])
    builder.store(args[2], pointer)


for _kind in (types.Integer, types.SliceType, types.BaseTuple):
    lower_builtin(operator.getitem, View, _kind)(_get)
    lower_builtin(operator.setitem, View, _kind, types.Any)(_set)


@lower_getattr(View, "shape")
def _shape(context, builder, view, value):
    proxy = _proxy(context, builder, view, value)
    sizes = [proxy.rows, proxy.n] if view.ndim == 2 else [proxy.n]
    return context.make_tuple(builder, types.UniTuple(INTP, view.ndim), sizes)


@lower_getattr(View, "size")
def _size(context, builder, view, value):
    proxy = _proxy(context, builder, view, value)
    return builder.mul(proxy.rows, proxy.n) if view.ndim == 2 else proxy.n


def view_of_array(context, builder, array_type, value):
    """The view of an array value."""
    array = make_array(array_type)(context, builder, value)
    view = view_of(array_type)
    proxy = _proxy(context, builder, view)
    shape = cgutils.unpack_tuple(builder, array.shape, array_type.ndim)
    proxy.data, proxy.n = array.data, shape[-1]
    if view.ndim == 2:
        proxy.rows = shape[0]
    return proxy._getvalue()


def viewed(array):
    """A view of an array that outlives it."""
    return array


@overload(viewed, inline="always")
def _viewed(array):
    return lambda array: _make_view(array)  # pyright: ignore


@intrinsic
def _make_view(typing_context, array):
    if isinstance(array, View):
        return array(array), lambda context, builder, sig, args: args[0]

    def generate(context, builder, sig, args):
        return view_of_array(context, builder, sig.args[0], args[0])

    return view_of(array)(array), generate


def whole(view):
    """The array of a view, without an owner."""
    return view


@overload(whole, inline="always")
def _whole(view):
    return lambda view: _make_array(view)  # pyright: ignore


@intrinsic
def _make_array(typing_context, view):
    if not isinstance(view, VectorView):
        return view(view), lambda context, builder, sig, args: args[0]
    kind = view.array

    def generate(context, builder, sig, args):
        proxy = _proxy(context, builder, view, args[0])
        array = make_array(kind)(context, builder)
        item = context.get_constant(INTP, context.get_abi_sizeof(context.get_data_type(view.dtype)))
        array.data, array.nitems, array.itemsize = proxy.data, proxy.n, item
        array.shape, array.strides = cgutils.pack_array(builder, [proxy.n]), cgutils.pack_array(builder, [item])
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return impl_ret_borrowed(context, builder, kind, array._getvalue())

    return kind(view), generate


@overload_method(VectorView, "view", inline="always")
def _view_method(vector, dtype):
    return lambda vector, dtype: _reinterpret(vector, dtype)  # pyright: ignore


@intrinsic
def _reinterpret(typing_context, vector, dtype):
    target = VectorView(dtype.dtype)

    def generate(context, builder, sig, args):
        source, proxy = _proxy(context, builder, vector, args[0]), _proxy(context, builder, target)
        proxy.data, proxy.n = builder.bitcast(source.data, proxy.data.type), source.n
        return proxy._getvalue()

    return target(vector, dtype), generate


@intrinsic
def make_matrix(typing_context, vector, n_rows, n_cols):
    """A view of a vector as a matrix."""
    target = MatrixView(vector.dtype)

    def generate(context, builder, sig, args):
        source, proxy = _proxy(context, builder, vector, args[0]), _proxy(context, builder, target)
        rows, cols = (context.cast(builder, args[i], sig.args[i], INTP) for i in (1, 2))
        proxy.data, proxy.rows, proxy.n = source.data, rows, cols
        return proxy._getvalue()

    return target(vector, n_rows, n_cols), generate


# compiled evaluators take views; Python calls them with arrays


@unbox(VectorView)
def _unbox(view, obj, c):
    native = c.unbox(view.array, obj)
    value = view_of_array(c.context, c.builder, view.array, native.value)
    return NativeValue(value, is_error=native.is_error, cleanup=native.cleanup)


default_type_manager.set_safe_convert(VectorView(types.float64).array, VectorView(types.float64))
