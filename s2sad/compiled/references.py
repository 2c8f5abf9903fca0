"""References to memory, in functions that keep nothing of what they are passed.

Numba counts the references to each array, in a way that is safe where threads share it, which takes five nanoseconds;
and it counts those that a function has to its own arguments, though the caller has them as long as the call lasts.
In a function that gives, keeps and raises nothing of its arguments

- arguments are not counted: they come without what their references are counted in;
- whatever else is counted was made in this call, of which no other thread knows. It is counted by a number that is
  read, changed and written.

Requires: Numba's IR of a function with types, and the sites of its arrays (:mod:`s2sad.compiled.sites`).
Ensures: what :func:`keeps_nothing` says of a function is so whatever it is called with, and from whichever thread.

>>> import numpy as np
>>> from numba import njit
>>> from s2sad.compiled.machine import DerivativeCompiler
>>> def turned(x):
...     rows = [x[:1], x[1:]]
...     y = np.empty(2)
...     for k in range(2):
...         y[k] = rows[1 - k][0]
...     return y
...
>>> compiled = njit(pipeline_class=DerivativeCompiler, no_cpython_wrapper=True)(turned)
>>> _ = compiled.compile("float64[::1](float64[::1])")
>>> ["atomicrmw" in text for text in compiled.inspect_llvm().values()]
[False]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from llvmlite import binding
from llvmlite import ir as ll
from numba.core import cgutils, config, ir, types

from s2sad.compiled.sites import OUTSIDE, Sites

__all__ = ["COUNTING", "count_alone", "keeps_nothing", "uncounted"]

#: Types of values that hold no references.
_PLAIN = (types.Number, types.Boolean, types.NoneType, types.Omitted)
#: What Numba calls to count a reference more, or less, and what these are called once nothing is left to be dropped.
COUNTING = {"NRT_incref": "s2sad_one_more", "NRT_decref": "s2sad_one_less"}


def keeps_nothing(sites: Sites, argtypes: Iterable[Any]) -> bool:
    """Whether a function gives, keeps and raises nothing of its arguments, and none of these holds other memory.

    Arguments that can be changed to hold an array, such as lists, are not looked into.
    """
    raising = (ir.DynamicRaise, ir.DynamicTryRaise, ir.Yield)
    returned = [s.value.name for s in sites.statements if isinstance(s, ir.Return)]
    return (
        all(map(_is_passed, argtypes))
        and not any(isinstance(s, raising) for s in sites.statements)
        and not any(isinstance(s, ir.Assign) and isinstance(s.value, raising) for s in sites.statements)
        and all(_is_own(sites, name, frozenset()) for name in returned)
    )


def _is_passed(ty: Any) -> bool:
    """Whether this is an array, a number, or a tuple of these."""
    if isinstance(ty, types.BaseTuple):
        return all(_is_passed(item) for item in _items(ty))
    return type(ty) is types.Array or isinstance(ty, _PLAIN)


def _items(ty: Any) -> tuple[Any, ...]:
    """The types of what is in a tuple."""
    return tuple(ty)


def _is_plain(ty: Any) -> bool:
    """Whether no array can be reached from a value of this type."""
    match ty:
        case types.BaseTuple():
            return all(_is_plain(item) for item in _items(ty))
        case types.List():
            return _is_plain(ty.dtype)
    return isinstance(ty, _PLAIN)


def _is_own(sites: Sites, name: str, above: frozenset[str]) -> bool:
    """Whether a variable shares no memory with the arguments."""
    ty = sites.typemap[name]
    if _is_plain(ty) or name in above:
        return True
    if type(ty) is types.Array:
        return OUTSIDE not in sites.of(name)[0]
    definitions = sites.definitions.get(name, ())
    if not isinstance(ty, types.BaseTuple) or not definitions:
        return False
    return all(_is_made_of_own(sites, value, above | {name}) for value in definitions)


def _is_made_of_own(sites: Sites, value: Any, above: frozenset[str]) -> bool:
    """Whether a tuple is put together of values that share no memory with the arguments."""
    match value:
        case ir.Var():
            return _is_own(sites, value.name, above)
        case ir.Expr(op="build_tuple"):
            return all(_is_own(sites, item.name, above) for item in value.items)
        case ir.Expr(op="cast"):
            return _is_own(sites, value.value.name, above)
    return False


def uncounted(context: Any, builder: Any, ty: Any, value: Any) -> Any:
    """An argument without what its references are counted in."""
    if isinstance(ty, types.BaseTuple):
        for k, item in enumerate(_items(ty)):
            if not isinstance(item, _PLAIN):
                part = uncounted(context, builder, item, builder.extract_value(value, k))
                value = builder.insert_value(value, part, k)
        return value
    if type(ty) is not types.Array:
        return value
    position = context.data_model_manager[ty].get_field_position("meminfo")
    return builder.insert_value(value, value.type.elements[position](None), position)


def count_alone(library: Any) -> None:
    """Have a library that is still to be filled count references as one thread may."""
    if getattr(config, "DEBUG_NRT", 0):  # Numba tells of each reference then
        return
    library._final_module.link_in(_counting())
    optimise: Callable[[], None] = library._optimize_final_module

    def optimise_and_rename() -> None:
        """As it is, and then by names of its own: a module that takes code from this one counts in its own way."""
        del library._optimize_final_module
        optimise()
        for function in library._final_module.functions:
            if function.name in COUNTING and not function.is_declaration:
                function.linkage = binding.Linkage.internal
                function.name = COUNTING[function.name]

    library._optimize_final_module = optimise_and_rename


def _counting() -> Any:
    """A module that defines what Numba calls, under its names: by these it finds what can be dropped."""
    module: Any = ll.Module(name="s2sad_counting")
    tools: Any = cgutils
    word, pointer = tools.intp_t, tools.voidptr_t
    kind = ll.FunctionType(ll.VoidType(), [pointer])
    let_go = ll.Function(module, kind, name="NRT_MemInfo_call_dtor")
    for name, step in zip(COUNTING, (1, -1), strict=True):
        function = ll.Function(module, kind, name=name)
        function.attributes.add("noinline")
        builder = ll.IRBuilder(function.append_basic_block())
        [memory] = function.args
        with tools.if_likely(builder, tools.is_not_null(builder, memory)):
            place = builder.bitcast(memory, word.as_pointer())
            count = builder.add(builder.load(place), word(step))
            builder.store(count, place)
            if step < 0:
                with tools.if_unlikely(builder, builder.icmp_unsigned("==", count, word(0))):
                    builder.call(let_go, [memory])
        builder.ret_void()
    return binding.parse_assembly(str(module))
