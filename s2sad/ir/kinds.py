"""Kinds: what the compiler knows about a value before the program runs.

A kind says whether a value is a scalar, an array of some rank, a container or
something the compiler only carries along.  Kinds form a join semilattice: the
kind of a variable assigned on two paths is the :func:`join` of the two.

>>> join(Scalar("int"), Scalar("float"))
Scalar(dtype='float')
>>> join(Array("float64", 1), Array("float64", 2))
Array(dtype='float64', rank=None, shape=None)
>>> join(Scalar("float"), Array("float64", 1))
Numeric(dtype='float64', most=1)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from s2sad.ir.record import record

__all__ = [
    "ANY",
    "BOOL",
    "BOTTOM",
    "FLOAT",
    "INT",
    "KEY",
    "NONE",
    "NUMERIC",
    "PARTED",
    "SLICE",
    "STR",
    "Array",
    "Bottom",
    "Dict",
    "Kind",
    "List",
    "Numeric",
    "Other",
    "Row",
    "Scalar",
    "Tuple",
    "dtype_of",
    "fresh_shape",
    "is_array",
    "is_container",
    "is_float",
    "is_integer",
    "is_numeric",
    "is_scalar",
    "join",
    "join_dtypes",
    "join_items",
    "known_same_shape",
    "mixes",
    "most_axes",
    "of_dtype",
    "rank_of",
    "rows_that_meet",
    "strong",
]


@record
class Kind:
    """Base of all kinds."""


@record
class Bottom(Kind):
    """No value at all: a variable that is not bound on this path."""


@record
class Scalar(Kind):
    """A Python number or NumPy scalar: immutable and of rank 0.

    ``dtype`` is ``"bool"``, ``"int"``, ``"float"``, ``"complex"`` for Python's
    own (weakly typed) numbers, a NumPy dtype name for NumPy scalars, and
    ``"any"`` where only "a scalar, possibly a float" is known.
    """

    dtype: str


@record
class Array(Kind):
    """An ``ndarray``. ``rank`` is None where unknown.

    Two arrays whose ``shape`` token is the same integer have the same shape;
    None says nothing.  ``dtype`` as for :class:`Scalar` (NumPy names only).
    """

    dtype: str
    rank: int | None
    shape: int | None = None


@record
class Numeric(Kind):
    """A scalar or an array: not known which. ``most`` is how many axes it has at most, None where unknown."""

    dtype: str
    most: int | None = None


@record
class Tuple(Kind):
    """A tuple that exists at run time, with the kinds of its items.

    ``cls`` is the class of a named tuple or dataclass with these fields, or None.
    """

    items: tuple[Kind, ...]
    cls: type | None = None


@record
class List(Kind):
    """A ``list`` whose items all have kind ``item``.

    ``fields`` are the kinds of its items one by one, where these are known and never change.
    """

    item: Kind
    fields: tuple[Kind, ...] | None = None


@record
class Dict(Kind):
    """A ``dict`` whose values all have kind ``item``.

    ``fields`` are its keys, all of them, and the kinds of their values, where these are known and never change.
    """

    item: Kind
    fields: tuple[tuple[str, Kind], ...] | None = None


@record
class Other(Kind):
    """A value that carries no derivative: a string, None, a slice, a range, a module.

    ``type`` is its Python type where known.
    """

    type: type | None = None


@record
class Row(Kind):
    """An object of a class, by its place in lists of its fields. Of lowering only, which leaves an integer there."""

    cls: type


#: Classes that no value is of by itself, and some that are derived from them: which it is, only a run tells.
DERIVED: dict[type, tuple[type, ...]] = {}

BOTTOM = Bottom()
FLOAT = Scalar("float")
INT = Scalar("int")
BOOL = Scalar("bool")
NUMERIC = Numeric("any")
ANY = Other()


class Parted:
    """The type that a list has as an argument of which only the items are used, taken out of it one by one."""


PARTED = Other(Parted)


class Key:
    """The type of what is a key of a dict: whatever it is, it carries no derivative."""


KEY = Other(Key)
DERIVED[Key] = ()
STR = Other(str)
NONE = Other(type(None))
SLICE = Other(slice)

_WEAK = {"bool": False, "int": 0, "float": 0.0, "complex": 0j}
_WEAK_ORDER = ("bool", "int", "float", "complex")
#: Of what is in containers within containers beyond this nothing is known: ``k = [k]`` in a loop would go on for ever.
_DEEPEST = 8

_STRONG = {"float": "float64", "int": "int64", "complex": "complex128"}


def strong(dtype: str) -> str:
    """The dtype of an array made of numbers with this one.

    >>> strong("float"), strong("float32")
    ('float64', 'float32')
    """
    return _STRONG.get(dtype, dtype)


def join_dtypes(a: str, b: str) -> str:
    """The dtype of an arithmetic result of these, by NumPy's (NEP 50) promotion.

    >>> join_dtypes("float32", "float"), join_dtypes("float32", "float64"), join_dtypes("any", "complex")
    ('float32', 'float64', 'complex128')
    """
    if a == b:
        return a
    if "any" in (a, b):
        other = b if a == "any" else a
        return strong(other) if other.startswith("complex") else "any"  # which says: complex, perhaps
    if a in _WEAK and b in _WEAK:
        return max(a, b, key=_WEAK_ORDER.index)
    return np.result_type(*(_WEAK.get(d, d) if d != "bool" else np.bool_ for d in (a, b))).name


def join(a: Kind, b: Kind) -> Kind:
    """The least kind that covers both.

    >>> join(Array("float32", 1), Array("float64", 1)).dtype, join(Array("int64", 1), Array("float64", 1)).dtype
    ('float64', 'any')
    """
    match a, b:
        case _ if a == b:
            return a
        case (Bottom(), k) | (k, Bottom()):
            return k
        case Scalar(d), Scalar(e):
            return Scalar(join_dtypes(d, e))
        case Array(d, r, s), Array(e, q, t):
            dtype = join_dtypes(d, e)
            if mixes(a, b) and not dtype.startswith("complex"):
                dtype = "any"  # a zero like one of integers has no place for what is added to it
            return Array(dtype, r if r == q else None, s if s == t else None)
        case (Scalar(d) | Array(d) | Numeric(d)), (Scalar(e) | Array(e) | Numeric(e)):
            return Numeric(join_dtypes(d, e), most_axes((a, b)))
        case (List() | Dict() | Tuple()), (List() | Dict() | Tuple()) if max(_depth(a), _depth(b)) > _DEEPEST:
            return ANY
        case Tuple(xs, c), Tuple(ys, e) if len(xs) == len(ys) and c is e:
            return Tuple(tuple(join(x, y) for x, y in zip(xs, ys, strict=True)), c)
        case List(x, None), List(y):
            return List(join_items(x, y))
        case List(x, these), List(y, those):
            alike = these is not None and those is not None and len(these) == len(those)
            return List(join_items(x, y), tuple(map(join_items, these, those)) if alike else None)  # type: ignore[arg-type]
        case Dict(x, these), Dict(y, those):
            return Dict(join_items(x, y), _join_fields(these, those))
        case Other(t), Other(u):
            return Other(t if t is u else next((base for base in DERIVED if _are(base, t, u)), None))
    return ANY


def _depth(kind: Kind) -> int:
    """How many lists, dicts and tuples are within one another here."""
    match kind:
        case List(item) | Dict(item):
            return 1 + _depth(item)
        case Tuple(items):
            return 1 + max(map(_depth, items), default=0)
    return 0


def _are(base: type, *classes: type | None) -> bool:
    return all(cls is not None and issubclass(cls, base) for cls in classes)


_Fields: TypeAlias = tuple[tuple[str, Kind], ...]


def _join_fields(a: _Fields | None, b: _Fields | None) -> _Fields | None:
    """What is known of each value of a dict that is one of two; None where their keys differ."""
    if a is None or b is None or [key for key, _ in a] != [key for key, _ in b]:
        return None
    return tuple([(key, join_items(x, y)) for (key, x), (_, y) in zip(a, b, strict=True)])


def join_items(a: Kind, b: Kind) -> Kind:
    """The kind of what one container holds, as an item of ``a`` or as one of ``b``: their :func:`join`.

    Beside NumPy's numbers of few bits Python's are narrow in arithmetic, and wide in an array that is made of both:
    nothing is said of the dtype then.

    >>> join_items(Scalar("float"), Scalar("float64")), join_items(Scalar("float"), Scalar("float32"))
    (Scalar(dtype='float64'), Scalar(dtype='any'))
    """
    joined = join(a, b)
    match a, b:
        case Scalar(d), Scalar(e) if join_dtypes(strong(d), strong(e)) != strong(dtype_of(joined)):
            return Scalar("complex128" if dtype_of(joined).startswith("complex") else "any")
    return joined


def mixes(a: Kind, b: Kind) -> bool:
    """Whether what is joined is an array of integers or one of floats: what is stored into it is cut, or is not.

    >>> mixes(Array("int64", 1), Array("float64", 1)), mixes(Array("float32", 1), Array("float64", 1))
    (True, False)
    """
    return isinstance(a, Array) and isinstance(b, Array) and is_integer(a) != is_integer(b)


def rows_that_meet(a: Kind, b: Kind) -> set[frozenset[type]]:
    """Pairs of classes of which there are objects, or records, in one place: what is of these kinds is joined.

    >>> [sorted(cls.__name__ for cls in pair) for pair in rows_that_meet(List(Row(str)), List(Row(bytes)))]
    [['bytes', 'str']]
    """
    match a, b:
        case (Row(x) | Tuple(cls=type() as x)), (Row(y) | Tuple(cls=type() as y)) if x is not y:
            return {frozenset((x, y))}
        case (List(x), List(y)) | (Dict(x), Dict(y)):
            return rows_that_meet(x, y)
        case Tuple(xs), Tuple(ys):
            return set().union(*map(rows_that_meet, xs, ys))
    return set()


_shapes = itertools.count(1)


def fresh_shape() -> int:
    """A shape token that no array has yet."""
    return next(_shapes)


def is_numeric(k: Kind) -> bool:
    """Whether a value of this kind is a number or an array of numbers."""
    return isinstance(k, Scalar | Array | Numeric)


def is_scalar(k: Kind) -> bool:
    """Whether it is known to be a scalar."""
    return isinstance(k, Scalar)


def is_array(k: Kind) -> bool:
    """Whether it is known to be an ndarray."""
    return isinstance(k, Array)


def is_container(k: Kind) -> bool:
    """Whether it is a container that exists at run time."""
    return isinstance(k, Tuple | List | Dict)


def is_float(k: Kind) -> bool:
    """Whether a value of this kind can carry a derivative itself."""
    return is_numeric(k) and (k.dtype.startswith(("float", "complex")) or k.dtype == "any")  # type: ignore[attr-defined]


def is_integer(k: Kind) -> bool:
    """Whether it is known to hold integers or booleans."""
    return is_numeric(k) and k.dtype.startswith(("int", "uint", "bool"))  # type: ignore[attr-defined]


def dtype_of(k: Kind) -> str:
    """Its dtype name, ``"any"`` where it has none."""
    return getattr(k, "dtype", "any")


def of_dtype(name: str) -> Other:
    """The kind of the ``dtype`` of arrays, by its name: NumPy has a class for each.

    >>> of_dtype("float32").type(), of_dtype("any")
    (dtype('float32'), Other(type=<class 'numpy.dtype'>))
    """
    plain = name in np.sctypeDict and name not in ("int", "float", "complex")
    return Other(type(np.dtype(name)) if plain else np.dtype)


def rank_of(k: Kind) -> int | None:
    """Its rank where known: 0 for scalars."""
    match k:
        case Scalar():
            return 0
        case Array(rank=r):
            return r
    return None


def most_axes(kinds: Iterable[Kind]) -> int | None:
    """How many axes values of these kinds have at most, where that is known.

    >>> most_axes([FLOAT, Array("float64", 2)]), most_axes([FLOAT, Array("float64", None)])
    (2, None)
    """
    found = 0
    for kind in kinds:
        most = kind.most if isinstance(kind, Numeric) else rank_of(kind)
        if most is None:
            return None
        found = max(found, most)
    return found


def known_same_shape(a: Kind, b: Kind) -> bool:
    """Whether the two are known to have the same shape."""
    match a, b:
        case Scalar(), Scalar():
            return True
        case Array(shape=s), Array(shape=t):
            return s is not None and s == t
    return False


def without_shape(k: Kind) -> Kind:
    """The same kind, with no claim about shapes beyond ranks, at any depth."""
    match k:
        case Array(dtype, rank):
            return Array(dtype, rank)
        case Tuple(items, cls):
            return Tuple(tuple(map(without_shape, items)), cls)
        case List(item, fields):
            return List(without_shape(item), fields and tuple(map(without_shape, fields)))
        case Dict(item, fields):
            return Dict(without_shape(item), fields and tuple([(key, without_shape(k)) for key, k in fields]))
    return k
