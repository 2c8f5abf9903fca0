"""Values as the frontend sees them while it lowers a function.

An abstract value is either an IR atom (a number, an array, a list: something that exists
at run time) or one of the classes here, which exist only while compiling: tuples,
records, functions, ranges.  Compile-time values leave no trace in the output.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import itertools
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeGuard

from s2sad.frontend.objects import constant_kind
from s2sad.ir import kinds as K
from s2sad.ir.nodes import UNDEF, Atom, Const, Ref, Var

__all__ = [
    "MOST_SPELT_OUT",
    "REST",
    "SPREAD",
    "AVal",
    "BoundV",
    "ClosureV",
    "Conflict",
    "DictV",
    "Frame",
    "FrozenV",
    "FuncV",
    "GeneratorV",
    "IterV",
    "Keyed",
    "LostV",
    "MethodV",
    "ObjectV",
    "OperatorV",
    "PartialV",
    "PyFunc",
    "RangeV",
    "Reader",
    "SliceV",
    "SuperV",
    "TupleV",
    "UfuncMethodV",
    "UnionV",
    "class_of",
    "gives",
    "holds_functions",
    "is_atom",
    "is_flat",
    "is_made_here",
    "is_member",
    "is_option",
    "is_same_option",
    "is_slot",
    "is_unbound",
    "keyed",
    "kind_of",
    "runtime_kind",
]


#: Among keyword arguments, which have names otherwise: a dict, known at run time only, that stood after ``**``.
REST = "**"

#: Likewise: the positional arguments from a star on, where it is known at run time only how many there are.
SPREAD = "*"

#: Numbers frames and loops in the order they begin.
SERIALS = itertools.count()


@dataclass(frozen=True, slots=True)
class TupleV:
    """A tuple or named tuple (``cls``) of known length; ``listed`` where the function has a list instead.

    ``site`` names where a list, or a set (``is_set``), was made that is a tuple here as long as nothing changes it.
    Where ``either``, the function has a tuple on one path and a list on another.
    """

    items: tuple[AVal, ...]
    cls: Any = None
    listed: bool = field(default=False, compare=False)
    site: Any = field(default=None, compare=False)
    is_set: bool = field(default=False, compare=False)
    either: bool = field(default=False, compare=False)

    @property
    def is_list(self) -> bool:
        """Whether the function has a list here."""
        return self.listed or (self.site is not None and not self.is_set)

    def of(self, items: Iterable[AVal]) -> TupleV:
        """Such a tuple, or such a list, of other items."""
        return TupleV(tuple(items), self.cls, listed=self.is_list, is_set=self.is_set, either=self.either)


@dataclass(frozen=True, slots=True)
class RangeV:
    """``range(start, stop, step)``."""

    start: Atom
    stop: Atom
    step: Atom


@dataclass(frozen=True, slots=True, eq=False)
class ObjectV:
    """An object whose attributes are tracked one by one; identity is equality.

    Its fields live in the builder's store under ``(self, name)``; ``live`` is the object
    outside the function that it stands for, if any: fields not in the store are read from it.
    """

    cls: type
    live: Ref | None = None
    serial: int = field(default_factory=lambda: next(SERIALS))

    def is_older(self, serial: int) -> bool:
        """Whether the object was there before something else was lowered."""
        return self.live is not None or self.serial < serial


@dataclass(slots=True, eq=False)
class DictV:
    """A dict with constant keys, tracked key by key; fields in the store, ``keys`` under ``(self, "$keys")``.

    ``factory`` makes the value of a key that is looked up and not there, in a ``defaultdict``. ``cls`` is a class of
    dicts, which may have methods beside those of a dict, ``own`` are the attributes of the object itself, None where
    these are its items.
    """

    site: int | None = None
    factory: FuncV | None = None
    cls: type = dict
    own: frozenset[str] | None = frozenset()


@dataclass(slots=True, eq=False)
class Frame:
    """One activation of a function: the scope its names live in."""

    name: str
    source: Any
    globals: dict[str, Any]
    closure: dict[str, Any] = field(default_factory=dict)
    parent: Frame | None = None
    locals: frozenset[str] = frozenset()
    nonlocals: frozenset[str] = frozenset()
    global_names: frozenset[str] = frozenset()
    owner: type | None = None
    returned: str = "result"  #: what a value that it returns is called
    loops: list[Any] = field(default_factory=list)
    serial: int = field(default_factory=lambda: next(SERIALS))


class FuncV:
    """Base of callables known while compiling."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class PyFunc(FuncV):
    """A Python callable from outside the function; ``ref`` is how emitted code reaches it."""

    fn: Callable[..., Any] = field(compare=False)
    ref: Ref | None = field(default=None, compare=False)
    key: int = 0

    @classmethod
    def of(cls, fn: Callable[..., Any], ref: Ref | None = None) -> PyFunc:
        return cls(fn, ref, id(fn))


@dataclass(frozen=True, slots=True)
class ClosureV(FuncV):
    """A function or lambda defined inside the function being compiled."""

    node: Any = field(compare=False)
    frame: Frame
    defaults: tuple[AVal, ...]
    kwdefaults: tuple[tuple[str, AVal], ...]
    name: str
    key: int = 0
    kept: bool = False  # under ``functools.cache``


@dataclass(frozen=True, slots=True)
class BoundV(FuncV):
    """A function bound to its first argument."""

    function: FuncV
    self: AVal


@dataclass(frozen=True, slots=True)
class PartialV(FuncV):
    """``functools.partial``."""

    function: FuncV
    args: tuple[AVal, ...]
    kwargs: tuple[tuple[str, AVal], ...]


@dataclass(frozen=True, slots=True)
class FrozenV(FuncV):
    """A distribution of ``scipy.stats`` with its parameters, ``norm(mu, sd)``; or its method of some name."""

    distribution: PyFunc
    args: tuple[AVal, ...]
    kwargs: tuple[tuple[str, AVal], ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class MethodV(FuncV):
    """A method of a value that exists at run time: ``xs.append``."""

    obj: AVal
    name: str


@dataclass(frozen=True, slots=True)
class OperatorV(FuncV):
    """A derivative operator applied to a function: ``grad(f)``; or a pullback (mode ``pullback``)."""

    mode: str
    function: AVal
    wrt: Any = 0
    extra: Any = None


@dataclass(frozen=True, slots=True)
class UnionV(FuncV):
    """One of several callables, or members of enumerations: which, the run-time integer ``selector`` tells."""

    selector: Atom
    options: tuple[FuncV | ObjectV, ...]


def is_option(v: AVal) -> TypeGuard[FuncV | ObjectV]:
    """Whether a value may be one of several: a callable, or a member of an enumeration, told by its identity."""
    return isinstance(v, FuncV) or is_member(v)


def is_member(v: AVal) -> TypeGuard[ObjectV]:
    """Whether a value is a member of an enumeration that does not say itself what it is equal to, or if it is true."""
    if not isinstance(v, ObjectV) or v.live is None or not isinstance(v.live.value, enum.Enum):
        return False
    own = (getattr(v.cls, name, None) for name in ("__eq__", "__bool__", "__len__"))
    return not any(isinstance(method, types.FunctionType) for method in own)


def is_same_option(a: AVal, b: AVal) -> bool:
    """Whether two of these are one callable, or one member."""
    if isinstance(a, ObjectV) and isinstance(b, ObjectV) and a.live is not None and b.live is not None:
        return a.live.value is b.live.value
    return a == b


@dataclass(frozen=True, slots=True, eq=False)
class Conflict(FuncV):
    """A value that is one of two things the compiler cannot treat as one: reported where it is used."""

    a: AVal
    b: AVal


@dataclass(frozen=True, slots=True, eq=False)
class LostV(Conflict):
    """The value of a name that the body of a ``try`` may or may not have bound when it raised."""

    a: AVal = UNDEF
    b: AVal = UNDEF


@dataclass(frozen=True, slots=True)
class SliceV(FuncV):
    """A slice in an index, kept apart until it is needed."""

    parts: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class UfuncMethodV(FuncV):
    """A method of a ufunc: ``np.add.at``."""

    ufunc: Any
    name: str


@dataclass(frozen=True, slots=True)
class SuperV(FuncV):
    """``super()`` in a method of ``obj``: lookup starts at the classes in ``after``."""

    after: tuple[type, ...]
    obj: AVal


@dataclass(frozen=True, slots=True, eq=False)
class IterV:
    """``zip``, ``enumerate``, ``reversed``, ``map`` or ``items`` over other iterables; identity is equality.

    Whether it was read, by a name, is in the store under ``(self, "$read")``.
    """

    form: str
    parts: tuple[AVal, ...]
    serial: int = field(default_factory=lambda: next(SERIALS))


@dataclass(frozen=True, slots=True, eq=False)
class GeneratorV(IterV):
    """A call of a generator function, with its arguments by name; or a generator expression, its part what it is over.

    ``frame`` is that of the call, or the one around the expression.
    """

    node: Any = None
    frame: Frame | None = None
    given: tuple[tuple[str, AVal], ...] = ()


AVal: TypeAlias = Atom | TupleV | RangeV | ObjectV | DictV | FuncV | IterV
#: Iterations of a loop that are spelt out, where its indices are written in keys or its items are known one by one.
MOST_SPELT_OUT = 16

Reader: TypeAlias = Callable[[], AVal]


def is_atom(v: Any) -> TypeGuard[Atom]:
    """Whether the value exists at run time."""
    return isinstance(v, Var | Const | Ref)


def holds_functions(v: AVal) -> bool:
    """Whether this is a function that is known while compiling, or a tuple that holds one."""
    return isinstance(v, FuncV) or (isinstance(v, TupleV) and any(map(holds_functions, v.items)))


def class_of(v: AVal | None) -> type | None:
    """The class of an object or record known while compiling; of a class, which class methods have, itself."""
    match v:
        case ObjectV(cls=cls) | TupleV(cls=cls):
            return cls
        case PyFunc(fn=type() as cls) | Var(kind=K.Row(cls=cls)):
            return cls
    return None


def is_made_here(v: AVal) -> bool:
    """Whether this is a function, or an object that cannot be made at run time: lists that exist then hold no such."""
    return holds_functions(v) or (isinstance(v, ObjectV) and v.live is None and not fields_of(v.cls))


def is_flat(v: AVal) -> bool:
    """Whether this is ``a.flat`` of an array."""
    return isinstance(v, MethodV) and v.name == "flat" and is_atom(v.obj)


def kind_of(a: Atom) -> K.Kind:
    """The kind of an atom."""
    return constant_kind(a.value) if isinstance(a, Const) else a.kind


def is_unbound(v: Any) -> bool:
    """Whether nothing is known of a value yet: it is not bound, or only on a path not lowered so far."""
    return is_atom(v) and isinstance(kind_of(v), K.Bottom)


def runtime_kind(v: AVal) -> K.Kind:
    """The kind the value would have if it existed at run time."""
    match v:
        case Var() | Ref():
            return v.kind
        case Const(value):
            return constant_kind(value)
        case TupleV(items, cls):
            return K.Tuple(tuple(runtime_kind(i) for i in items), cls)
        case RangeV():
            return K.Other(range)
    return K.ANY


class Keyed(tuple[Any, ...]):
    """What compiled code has for a dict, or a list, with known keys: the class that kinds name, one for each keys.

    ``form`` is what Python has: dict or list.
    """

    keys: tuple[Any, ...]
    form: type

    def __new__(cls, *items: Any) -> Keyed:
        return tuple.__new__(cls, items)


@functools.cache
def keyed(keys: tuple[Any, ...], form: type = dict) -> type[Keyed]:
    """The one class for these keys."""
    return type("Keyed", (Keyed,), {"keys": keys, "_fields": tuple(map(str, keys)), "form": form})


def fields_of(cls: type) -> tuple[str, ...]:
    """Field names of a named tuple, a dataclass, or one of Python's own records, as ``sys.version_info`` is."""
    if dataclasses.is_dataclass(cls):
        return tuple(f.name for f in dataclasses.fields(cls))
    if hasattr(cls, "n_sequence_fields"):
        return tuple(getattr(cls, "__match_args__", ()))
    return tuple(getattr(cls, "_fields", ()))


def gives(cls: type, name: str) -> bool:
    """Whether a class gives its objects an attribute: a slot is only a place for one."""
    return any(name in vars(base) for base in cls.__mro__) and not is_slot(cls, name)


def is_slot(cls: type, name: str) -> bool:
    """Whether a name is in the ``__slots__`` of a class, so that its objects may have the attribute or not."""
    owner = next((base for base in cls.__mro__ if name in vars(base)), object)
    return "__slots__" in vars(owner) and isinstance(vars(owner).get(name), types.MemberDescriptorType)
