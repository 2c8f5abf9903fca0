"""Nested lists of numbers, told and read as they lie in memory.

To look at the class of an item, and to copy the item into an array, takes Python and NumPy some thirty nanoseconds; as
much as what a derivative computes of it. CPython has the items of a list side by side, each the address of an object
that begins with the address of its class, and in a float the number comes next. So machine code does either in two
nanoseconds. It is LLVM's, put down here, for Numba has no type for any object.

What is loaded has these functions in the place of those of :mod:`s2sad.compiled.crossing`; text that is read keeps
those. So does a Python in which objects lie otherwise.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from s2sad.compiled import crossing

__all__ = ["READERS", "external", "told"]

#: How deep lists are that are told at once.
_DEPTH = 3

#: The number of items in nested lists, all of one class; -1 where anything else is in them. They are put into ``out``,
#: if that is not null: they must be floats.
_WALK = """
define internal i64 @walked(ptr %xs, i64 %depth, ptr %class, ptr %out) {{
entry:
  %class.at = getelementptr i8, ptr %xs, i64 8
  %its.class = load ptr, ptr %class.at
  %is.list = icmp eq ptr %its.class, {list}
  br i1 %is.list, label %open, label %other
open:
  %size.at = getelementptr i8, ptr %xs, i64 16
  %size = load i64, ptr %size.at
  %items.at = getelementptr i8, ptr %xs, i64 24
  %items = load ptr, ptr %items.at
  %flat = icmp eq i64 %depth, 1
  %less = sub i64 %depth, 1
  %only.counts = icmp eq ptr %out, null
  br label %next
next:
  %k = phi i64 [0, %open], [%k.after, %item], [%k.after, %put], [%k.after, %list]
  %n = phi i64 [0, %open], [%n.one, %item], [%n.one, %put], [%n.list, %list]
  %left = icmp slt i64 %k, %size
  br i1 %left, label %any, label %done
any:
  %item.at = getelementptr ptr, ptr %items, i64 %k
  %x = load ptr, ptr %item.at
  %k.after = add i64 %k, 1
  %n.one = add i64 %n, 1
  %place = getelementptr double, ptr %out, i64 %n
  %to = select i1 %only.counts, ptr null, ptr %place
  br i1 %flat, label %number, label %list
number:
  %x.class.at = getelementptr i8, ptr %x, i64 8
  %x.class = load ptr, ptr %x.class.at
  %is.one = icmp eq ptr %x.class, %class
  br i1 %is.one, label %item, label %other
item:
  br i1 %only.counts, label %next, label %put
put:
  %number.at = getelementptr i8, ptr %x, i64 16
  %value = load double, ptr %number.at
  store double %value, ptr %place
  br label %next
list:
  %m = call i64 @walked(ptr %x, i64 %less, ptr %class, ptr %to)
  %n.list = add i64 %n, %m
  %is.like = icmp sge i64 %m, 0
  br i1 %is.like, label %next, label %other
done:
  ret i64 %n
other:
  ret i64 -1
}}
"""

#: Whether a value is a nest of lists so deep in which all is of one class, and something is.
_TOLD = """
define ptr @told_{depth}(ptr %class, ptr %xs) {{
  %n = call i64 @walked(ptr %xs, i64 {depth}, ptr %class, ptr null)
  %is.so = icmp sgt i64 %n, 0
  %flag = zext i1 %is.so to i64
  %answer = call ptr {truth}(i64 %flag)
  ret ptr %answer
}}
"""

#: The floats of such a nest as an array, False where there is anything else.
_READ = """
define ptr @read_{depth}(ptr %class, ptr %xs) {{
  %length = alloca i64
  %n = call i64 @walked(ptr %xs, i64 {depth}, ptr %class, ptr null)
  store i64 %n, ptr %length
  %is.so = icmp sge i64 %n, 0
  br i1 %is.so, label %make, label %other
make:
  %a = call ptr {new}(ptr {array}, i32 1, ptr %length, i32 {float64}, ptr null, ptr null, i32 0, i32 0, ptr null)
  %failed = icmp eq ptr %a, null
  br i1 %failed, label %ready, label %fill
fill:
  %data.at = getelementptr i8, ptr %a, i64 16
  %data = load ptr, ptr %data.at
  %same = call i64 @walked(ptr %xs, i64 {depth}, ptr %class, ptr %data)
  br label %ready
ready:
  ret ptr %a
other:
  %no = call ptr {truth}(i64 0)
  ret ptr %no
}}
"""

#: The lengths of the lists in a list as an array.
_LENGTHS = """
define ptr @lengths(ptr %class, ptr %xs) {{
  %size.at = getelementptr i8, ptr %xs, i64 16
  %items.at = getelementptr i8, ptr %xs, i64 24
  %size = load i64, ptr %size.at
  %items = load ptr, ptr %items.at
  %a = call ptr {new}(ptr {array}, i32 1, ptr %size.at, i32 {int64}, ptr null, ptr null, i32 0, i32 0, ptr null)
  %failed = icmp eq ptr %a, null
  br i1 %failed, label %done, label %fill
fill:
  %data.at = getelementptr i8, ptr %a, i64 16
  %data = load ptr, ptr %data.at
  br label %next
next:
  %k = phi i64 [0, %fill], [%k.after, %row]
  %left = icmp slt i64 %k, %size
  br i1 %left, label %row, label %done
row:
  %row.at = getelementptr ptr, ptr %items, i64 %k
  %x = load ptr, ptr %row.at
  %length.at = getelementptr i8, ptr %x, i64 16
  %length = load i64, ptr %length.at
  %to = getelementptr i64, ptr %data, i64 %k
  store i64 %length, ptr %to
  %k.after = add i64 %k, 1
  br label %next
done:
  ret ptr %a
}}
"""


def told(depth: int, cls: type) -> Callable[[Any], Any] | None:
    """What tells whether a value is a nest of lists so deep in which all is of a class, and something is."""
    return _bound(f"told_{depth}", cls) if depth <= _DEPTH and _are_as_known() else None


def as_floats(xs: Any) -> Any:
    """:func:`s2sad.compiled.crossing.as_floats`, of a list of floats."""
    found = _bound("read_1", float)(xs)
    return crossing.as_floats(xs) if found is False else found


def as_ragged(xs: Any) -> Any:
    """:func:`s2sad.compiled.crossing.as_ragged`, of lists of floats."""
    found = _bound("read_2", float)(xs)
    return crossing.as_ragged(xs) if found is False else (found, _bound("lengths", float)(xs))


#: What modules have in the place of functions that make arrays of lists.
READERS: dict[Callable[..., Any], Callable[..., Any]] = {
    crossing.as_floats: as_floats,
    crossing.as_ragged: as_ragged,
}


def external(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a module has in the place of a function that makes arrays of lists: the function, or one that is faster."""
    return READERS[function] if _are_as_known() else function


# ---------------------------------------------------------------- machine code


def _are_as_known() -> bool:
    """Whether objects lie in memory as said above."""
    sizes = [cls.__basicsize__ for cls in (object, float, list)]
    return sys.implementation.name == "cpython" and np.intp().nbytes == 8 and sizes == [16, 24, 40]


class _Method(ctypes.Structure):
    """How CPython is told of a function: its name, where it is, what it takes, and a docstring."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("place", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_ONE_ARGUMENT = 8  # METH_O


@functools.cache
def _bound(name: str, cls: type) -> Any:
    """One of the functions above, of a class."""
    method = _Method(name.encode(), _engine().get_function_address(name), _ONE_ARGUMENT, None)
    # CPython reads it when the function goes, which may be after all that this module holds: it stays for good.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(method))
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return make(ctypes.addressof(method), cls, None)


@functools.cache
def _engine() -> Any:
    """What holds the machine code."""
    from llvmlite import binding

    llvm = cast(Any, binding)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    known = {
        "list": _pointer(id(list)),
        "array": _pointer(id(np.ndarray)),
        "float64": np.dtype(np.float64).num,
        "int64": np.dtype(np.int64).num,
        "truth": _pointer(_address(ctypes.pythonapi.PyBool_FromLong)),
        "new": _pointer(_new_array()),
    }
    depths = [(_TOLD, depth) for depth in range(1, _DEPTH + 1)] + [(_READ, depth) for depth in (1, 2)]
    texts = [text.format(depth=depth, **known) for text, depth in [(_WALK, 0), *depths, (_LENGTHS, 0)]]
    module = llvm.parse_assembly("\n".join(texts))
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


def _pointer(address: int) -> str:
    return f"inttoptr (i64 {address} to ptr)"


def _address(function: Any) -> int:
    """Where a function of the C library or of CPython is."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _new_array() -> int:
    """Where ``PyArray_New`` is: NumPy has a table of what it gives to others, of which no place ever changes."""
    capsule = np._core._multiarray_umath._ARRAY_API  # type: ignore[attr-defined]
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table = ctypes.cast(get(capsule, None), ctypes.POINTER(ctypes.c_void_p))
    return table[93] or 0
