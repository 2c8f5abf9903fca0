"""Calls that derivatives make often, as instructions where they stand.

Numba writes such functions in Python, and compiles them anew for each combination of types and memory layouts: three
products of matrices take it half a second. Here the type of what comes out is known at once, and a call becomes the
instructions, and calls of BLAS, that it becomes in Numba's own implementations. Products and new arrays are functions
that a module has once; in place, a new array made slower loops (Gauss-Seidel took 1.27 times as long). Values and
errors are the same. A call of a function or for types that are not here is Numba's.

Requires: the functions of ``numba.np`` by which Numba puts down such instructions; where a version of it has them no
more, all calls are Numba's.
Ensures: the types that Numba finds.

>>> from numba import njit
>>> from s2sad.compiled.machine import DerivativeCompiler
>>> import numpy as np
>>> def product(a, b):
...     return a @ b
...
>>> compiled = njit(pipeline_class=DerivativeCompiler)(product)
>>> compiled(np.eye(2), np.array([1.0, 2.0]))
array([1., 2.])
>>> [signature] = compiled.nopython_signatures
>>> signature.return_type
Array(float64, 1, 'C', False, aligned=True)
"""

from __future__ import annotations

import mmap
import operator
import sys
from collections.abc import Callable, Hashable, Sequence
from copy import copy
from functools import cache, partial, reduce
from typing import Any

import numpy as np
from llvmlite import binding
from llvmlite import ir as ll
from numba.core import cgutils, types
from numba.core.funcdesc import default_mangler
from numba.core.typing.npydecl import parse_dtype
from numba.core.typing.templates import Signature, signature

__all__ = ["OwnSignature", "of_own_calls", "put_empty"]


_REAL = (types.float64, types.float32)
#: Bytes of an array from which on NumPy asks for large pages.
LARGE = 4 << 20
#: Bytes of a page, at least.
PAGE = 4096
#: What operators and library functions were found to give. Numba asks again for each call, and in each round of
#: inference: of 4,900 times that a derivative of 150 lines made it ask, 60 were different.
_FOUND_BEFORE: dict[Any, Any] = {}


class OwnSignature(Signature):
    """The types of a call that is put down here: ``put(context, builder, arguments)`` gives the value.

    Arguments are values of the types that the call has, each next to its type.
    """

    put: Callable[..., Any]


@cache
def of_own_calls(context: Any) -> Any:
    """A typing context that knows calls which are put down here, and is the given one for all else.

    It is one for all functions: Numba compiles its own functions once for each typing context.
    """
    if not _are_there():
        return context
    other = copy(context)
    base: Any = type(context)
    other.__class__ = _with_own_calls(base)
    return other


@cache
def _with_own_calls(base: Any) -> Any:
    class Context(base):  # type: ignore[misc]
        """What a function gives for types of arguments."""

        def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
            if isinstance(func, types.Type) and not isinstance(func, types.Function):
                return super().resolve_function_type(func, args, kws)
            call = func, tuple(args), tuple(sorted(dict(kws).items()))
            try:
                known = _FOUND_BEFORE.get(call)
            except TypeError:  # a literal slice has no hash
                return self.found(func, args, kws)
            if known is None:
                known = self.found(func, args, kws)
                if known is not None:  # else it may be known after more of Numba is imported
                    _FOUND_BEFORE[call] = known
            return known

        def found(self, func: Any, args: Any, kws: Any) -> Any:
            called = func.typing_key if isinstance(func, types.Function) else func
            find = _FOUND.get(called) if isinstance(called, Hashable) else None
            own = None if find is None else find(args, kws)
            return super().resolve_function_type(func, args, kws) if own is None else own

    return Context


@cache
def _are_there() -> bool:
    """Whether this Numba has what instructions are put down with."""
    from numba.np import arrayobj, linalg

    products = all(hasattr(linalg, n) for n in ("dot_3_mm", "dot_3_vm", "ensure_blas", "make_contiguous"))
    return products and all(hasattr(arrayobj, n) for n in ("_empty_nd_impl", "_parse_shape"))


def _own(put: Callable[..., Any], result: Any, *args: Any) -> OwnSignature:
    """The signature of a call that is put down by a function."""
    found = OwnSignature(result, args, recvr=None)
    found.put = put
    return found


# ---------------------------------------------------------------- products


def _product(args: Sequence[Any], kws: Any) -> OwnSignature | None:
    """``a @ b`` of a matrix and a matrix or a vector, of one precision."""
    if kws or len(args) != 2 or not all(type(a) is types.Array and a.dtype in _REAL for a in args):
        return None
    if tuple(a.ndim for a in args) not in ((2, 2), (2, 1), (1, 2)) or args[0].dtype != args[1].dtype:
        return None
    return _own(_put_product, _product_kind(args), *args)


def _product_kind(kinds: Sequence[Any]) -> Any:
    return types.Array(kinds[0].dtype, sum(k.ndim for k in kinds) - 2, "C")


def _put_product(context: Any, builder: Any, args: Sequence[tuple[Any, Any]]) -> Any:
    """A call of a function that is put down once in a module: the four ways to call BLAS take some 450 lines."""
    kinds, values = zip(*args, strict=True)
    result = _product_kind(kinds)
    return _called("s2sad_product", _product_here, context, builder, result, kinds, values, ("noinline",))


def _product_here(context: Any, builder: Any, result: Any, kinds: Sequence[Any], values: Sequence[Any]) -> Any:
    """The instructions of a product."""
    from numba.np import linalg

    linalg.ensure_blas()
    with linalg.make_contiguous(context, builder, signature(result, *kinds), values) as (given, whole):
        (left, right), (a, b) = given.args, (_shape(context, builder, *x) for x in zip(given.args, whole, strict=True))
        with cgutils.if_unlikely(builder, builder.icmp_signed("!=", a[-1], b[0])):
            context.call_conv.return_user_exc(builder, ValueError, (_differing(left, right),))
        out = _new(context, builder, result, [*a[:-1], *b[1:]])
        put = linalg.dot_3_mm if left.ndim == right.ndim else linalg.dot_3_vm
        product = put(_without_checks(context), builder, signature(result, left, right, result), (*whole, out))
    context.nrt.decref(builder, result, out)  # it is held a second time, by what was given back
    return product


def _differing(left: Any, right: Any) -> str:
    """What Numba says of a product whose lengths do not go together."""
    of_left, of_right = ("matrix" if a.ndim == 2 else "vector" for a in (left, right))
    return f"incompatible array sizes for np.dot(a, b) ({of_left} * {of_right})"


def _without_checks(context: Any) -> Any:
    """The context, in which shapes are not compared: Numba compiles a function to do so, for each pair of types."""
    base: Any = type(context)

    class Context(base):  # type: ignore[misc]
        """Where instructions of products are put down."""

        def compile_internal(self, builder: Any, impl: Any, *args: Any, **kwargs: Any) -> Any:
            if impl.__name__.endswith("check_args"):
                return None
            return super().compile_internal(builder, impl, *args, **kwargs)

    other = copy(context)
    other.__class__ = Context
    return other


def _shape(context: Any, builder: Any, kind: Any, value: Any) -> list[Any]:
    lengths: list[Any] = cgutils.unpack_tuple(builder, context.make_array(kind)(context, builder, value).shape)
    return lengths


# ---------------------------------------------------------------- new arrays


def _empty(args: Sequence[Any], kws: Any) -> OwnSignature | None:
    """``np.empty`` of integers, and of a type that is known."""
    if kws or len(args) not in (1, 2):
        return None
    axes = _axes(args[0])
    dtype = types.float64 if len(args) == 1 else parse_dtype(args[1])
    if not axes or not all(map(_is_integer, axes)) or not isinstance(dtype, (types.Number, types.Boolean)):
        return None
    return _own(partial(put_empty, types.Array(dtype, len(axes), "C")), types.Array(dtype, len(axes), "C"), *args)


def put_empty(result: Any, context: Any, builder: Any, args: Sequence[tuple[Any, Any]]) -> Any:
    """A call of a function that is put down once in a module, which LLVM may put in place."""
    kind, value = args[0]
    kinds = _axes(kind)
    values = cgutils.unpack_tuple(builder, value) if isinstance(kind, types.BaseTuple) else [value]
    lengths = [context.cast(builder, v, k, types.int64) for v, k in zip(values, kinds, strict=True)]
    name = f"s2sad_empty_{result.dtype}"
    return _called(name, _empty_here, context, builder, result, (types.int64,) * result.ndim, lengths)


def _axes(shape: Any) -> tuple[Any, ...]:
    """The types of the lengths of a shape."""
    lengths: Any = shape if isinstance(shape, types.BaseTuple) else (shape,)
    return tuple(lengths)


def _empty_here(context: Any, builder: Any, result: Any, kinds: Sequence[Any], lengths: Sequence[Any]) -> Any:
    from numba.np import arrayobj

    kind = types.UniTuple(types.int64, len(lengths))
    shape = context.make_tuple(builder, kind, lengths)
    return _new(context, builder, result, arrayobj._parse_shape(context, builder, kind, shape))


def _new(context: Any, builder: Any, result: Any, lengths: Sequence[Any]) -> Any:
    """A new array, of large pages where it is large.

    NumPy asks Linux for those as well. The C library takes what has more than 32 MiB from the system for each array,
    and gives it back: page by page of 4 KiB it takes four times as long to be there as it takes to be written.
    """
    from numba.np import arrayobj

    array = arrayobj._empty_nd_impl(context, builder, result, lengths)
    if sys.platform == "linux":
        size = builder.mul(array.nitems, array.itemsize)
        with cgutils.if_unlikely(builder, builder.icmp_signed(">=", size, size.type(LARGE))):
            _advise(builder, array.data, size)
    return array._getvalue()


def _advise(builder: Any, data: Any, size: Any) -> None:
    """A call of ``madvise``, which wants the beginning of a page; where it fails, pages are as they were."""
    start = builder.ptrtoint(data, size.type)
    skipped = builder.and_(builder.neg(start), size.type(PAGE - 1))
    kind = ll.FunctionType(ll.IntType(32), (size.type, size.type, ll.IntType(32)))
    madvise = cgutils.get_or_insert_function(builder.module, kind, "madvise")
    advice = ll.IntType(32)(mmap.MADV_HUGEPAGE)
    builder.call(madvise, (builder.add(start, skipped), builder.sub(size, skipped), advice))


# ---------------------------------------------------------------- functions of a module


def _called(
    name: str,
    put: Callable[..., Any],
    context: Any,
    builder: Any,
    result: Any,
    kinds: Sequence[Any],
    values: Sequence[Any],
    attributes: Sequence[str] = (),
) -> Any:
    """What a function gives that a module has once for arguments of these types, whatever calls it."""
    convention, module = context.call_conv, builder.module
    function = cgutils.get_or_insert_function(
        module, convention.get_function_type(result, kinds), default_mangler(name, kinds)
    )
    if function.is_declaration:
        function.linkage = "linkonce_odr"
        for attribute in attributes:
            function.attributes.add(attribute)
        convention.decorate_function(function, [f"a{k}" for k in range(len(kinds))], kinds)
        within = ll.IRBuilder(function.append_basic_block("entry"))
        given = context.get_arg_packer(kinds).from_arguments(within, convention.get_arguments(function))
        convention.return_value(within, put(context, within, result, kinds, given))
    status, value = convention.call_function(builder, function, result, kinds, values)
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return value


# ---------------------------------------------------------------- integers


def _is_integer(kind: Any) -> bool:
    """Whether this is the type of integers that Python's become."""
    return bool(types.unliteral(kind) == types.int64)


def _chosen(comparison: str) -> Callable[..., OwnSignature | None]:
    """``max(i, j)`` of integers, or ``min``."""

    def put(context: Any, builder: Any, args: Sequence[tuple[Any, Any]]) -> Any:
        numbers = [context.cast(builder, value, kind, types.int64) for kind, value in args]
        return reduce(lambda a, b: builder.select(builder.icmp_signed(comparison, b, a), b, a), numbers)

    def find(args: Sequence[Any], kws: Any) -> OwnSignature | None:
        whole = len(args) > 1 and not kws and all(map(_is_integer, args))
        return _own(put, types.int64, *args) if whole else None

    return find


def _integer(args: Sequence[Any], kws: Any) -> OwnSignature | None:
    """``int(i)`` of an integer or a truth value."""
    if kws or len(args) != 1:
        return None
    [kind] = args
    return _own(_put_integer, types.int64, kind) if isinstance(kind, types.Boolean) or _is_integer(kind) else None


def _put_integer(context: Any, builder: Any, args: Sequence[tuple[Any, Any]]) -> Any:
    [(kind, value)] = args
    return context.cast(builder, value, kind, types.int64)


#: The first version of LLVM that has instructions for extremes of what may be NaN on all processors.
_WITH_NAN = (18, 0, 0)


def _extreme(intrinsic: str) -> Callable[..., OwnSignature | None]:
    """``np.maximum(x, y)`` of two numbers, one of which at least is a float, or ``np.minimum``.

    As comparisons with NaN, which come out as that, it is no vector code where a loop takes the maximum of all.
    Which of two zeros it gives, where their signs differ, is open, as it is in NumPy.
    """

    def put(context: Any, builder: Any, args: Sequence[tuple[Any, Any]]) -> Any:
        numbers = [context.cast(builder, value, kind, types.float64) for kind, value in args]
        double = ll.DoubleType()
        called = builder.module.declare_intrinsic(intrinsic, [double], ll.FunctionType(double, [double, double]))
        return builder.call(called, numbers, fastmath=("nsz",))

    def find(args: Sequence[Any], kws: Any) -> OwnSignature | None:
        floats = [kind == types.float64 for kind in args]
        known = len(args) == 2 and not kws and all(f or _is_integer(k) for f, k in zip(floats, args, strict=True))
        return (
            _own(put, types.float64, *args)
            if known and any(floats) and binding.llvm_version_info >= _WITH_NAN
            else None
        )

    return find


# ---------------------------------------------------------------- ranges


def _range(args: Sequence[Any], kws: Any) -> OwnSignature | None:
    """``range`` of integers."""
    whole = not kws and 0 < len(args) <= 3 and all(map(_is_integer, args))
    return _own(_put_range, types.range_state64_type, *args) if whole else None


def _put_range(context: Any, builder: Any, args: Sequence[tuple[Any, Any]]) -> Any:
    numbers = [context.cast(builder, value, kind, types.int64) for kind, value in args]
    zero, one = (context.get_constant(types.int64, k) for k in (0, 1))
    start, stop, step = {1: [zero, *numbers, one], 2: [*numbers, one], 3: numbers}[len(numbers)]
    return cgutils.make_anonymous_struct(builder, [start, stop, step])


#: What finds the types of a call, if it is put down here, by the function that is called.
_FOUND: dict[Any, Callable[[Sequence[Any], Any], OwnSignature | None]] = {
    operator.matmul: _product,
    np.matmul: _product,
    np.dot: _product,
    max: _chosen(">"),
    min: _chosen("<"),
    int: _integer,
    np.maximum: _extreme("llvm.maximum"),
    np.minimum: _extreme("llvm.minimum"),
    np.empty: _empty,
    range: _range,
}
