"""Operations that Numba has not, as ones that it has.

Before::

    def f(x: float64[*, *], like: float64[*]):
        y: float64[*] = unbroadcast(x, like)
        return y

After::

    def f(x, like):
        t = np.sum(x, axis=0)
        y = unbroadcast_1(t, like)
        return y

What an operation becomes depends on the kinds of its operands, so that nothing is asked at run
time about rank or type.  A *form* is a function of a builder and an operation that emits other
operations, themselves expanded, and returns the atom with the result, or None to leave the
operation as it is.

Requires: nothing of the IR.
Ensures: the same values; operations without a form are left.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from s2sad.analysis.definitions import definitions_of
from s2sad.analysis.memory import Memory
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, Function, Op, Origin, Ref, Stmt, Store, Var
from s2sad.ir.rewrite import map_atoms, map_stmts, with_body

__all__ = ["FORMS", "STORES", "Builder", "Form", "OtherArguments", "expand", "form", "kind_of", "rank_of", "store_form"]

Form: TypeAlias = "Callable[[Builder, Op], Atom | None]"
StoreForm: TypeAlias = "Callable[[Builder, Store], bool]"


class OtherArguments(Exception):
    """A call gives arguments that its form does not speak of: it stays as it is."""


#: What to make of an operation, by its callable.
FORMS: dict[Any, Form] = {}


def form(*fns: Any) -> Callable[[Form], Form]:
    """Declare the form of some callables."""

    def declare(build: Form) -> Form:
        FORMS.update(dict.fromkeys(fns, build))
        return build

    return declare


#: What to make of stores: each is asked in turn, and says whether it put anything down.
STORES: list[StoreForm] = []


def store_form(build: StoreForm) -> StoreForm:
    """Declare a form of stores."""
    STORES.append(build)
    return build


def kind_of(a: Atom) -> K.Kind:
    """The kind of an atom."""
    if isinstance(a, Const):
        match a.value:
            case bool():
                return K.BOOL
            case int():
                return K.INT
            case float():
                return K.FLOAT
            case complex():
                return K.Scalar("complex")
            case None:
                return K.NONE
        return K.ANY
    return a.kind


def rank_of(a: Atom) -> int | None:
    """The rank of an atom, 0 for scalars, None where it is not known."""
    return K.rank_of(kind_of(a))


class Builder:
    """Statements being put down in place of one operation.

    ``definitions`` are the operations of the function by target, those of lists that may change left out;
    ``merged`` gives what a variable is one of that a branch or a loop hands on. ``is_written`` says of a variable
    whether the memory that it refers to is stored into somewhere, ``are_apart`` of two whether they surely share
    none. ``forms`` says what to make of operations, ``equal_lengths`` whether axes that meet are to be checked to be
    as long as each other, where another variant is there for those that are not.
    """

    def __init__(
        self,
        origin: Origin | None,
        definitions: Mapping[Var, Op],
        is_written: Callable[[Var], bool] = lambda v: True,
        are_apart: Callable[[Atom, Atom], bool] = lambda a, b: False,
        forms: Mapping[Any, Form] = FORMS,
        equal_lengths: bool = False,
        merged: Callable[[Atom], Collection[Atom]] = lambda a: (),
    ) -> None:
        self.stmts: list[Stmt] = []
        self.origin = origin
        self.definitions = definitions
        self.is_written = is_written
        self.are_apart = are_apart
        self.forms = forms
        self.equal_lengths = equal_lengths
        self.merged = merged

    def definition(self, a: Atom) -> Op | None:
        """The operation that gave a value, if it is one of the function's."""
        return self.definitions.get(a) if isinstance(a, Var) else None

    def emit(self, fn: Any, *args: Any, kind: K.Kind, hint: str = "", **kwargs: Any) -> Atom:
        """The result of an operation, itself expanded; arguments that are no atoms are constants."""
        return self.call(fn, args, kwargs, kind, hint)

    def call(self, fn: Any, args: Sequence[Any], kwargs: Mapping[str, Any], kind: K.Kind, hint: str = "") -> Atom:
        """The result of an operation with these arguments."""
        atoms = tuple(map(_atom, args))
        named = tuple((k, _atom(v)) for k, v in kwargs.items())
        op = Op(Var(hint, kind), fn, atoms, named, self.origin)
        found = self.expanded(op)
        if found is not None:
            return found
        self.stmts.append(op)
        assert op.target is not None
        return op.target

    def do(self, fn: Any, *args: Any) -> None:
        """An operation for its effect."""
        op = Op(None, fn, tuple(map(_atom, args)), (), self.origin)
        if self.expanded(op) is None:
            self.stmts.append(op)

    def expanded(self, op: Op) -> Atom | None:
        """What an operation becomes, put down; None if it stays."""
        build = self.forms.get(op.fn) if isinstance(op.fn, Hashable) else None
        try:
            return None if build is None else build(self, op)
        except OtherArguments:
            return None

    def constant(self, a: Atom) -> Any:
        """The value of a constant, put together or literal; None where it is none."""
        if isinstance(a, Const):
            return a.value
        op = self.definition(a)
        if op is None or op.fn not in (prims.make_tuple, prims.make_list):
            return None
        items = [self.constant(x) for x in op.args]
        return None if any(x is None for x in items) else op.fn(*items)

    def store(self, obj: Atom, index: Any, value: Atom, aug: str | None = None) -> None:
        """``obj[index] = value``."""
        self.stmts.append(Store(obj, _atom(index), value, aug, self.origin))

    def index_of(self, *items: Any) -> Atom:
        """An index with several items."""
        atoms = tuple(map(_atom, items))
        if len(atoms) == 1:
            return atoms[0]
        return self.emit(prims.make_tuple, *atoms, kind=K.Tuple(tuple(map(kind_of, atoms))))

    def loop(self, stop: Atom, body: Callable[[Builder, Var], None]) -> None:
        """``for k in range(stop)``, its body put down by a function of a builder and the index."""
        index = Var("k", K.INT)
        facts = self.definitions, self.is_written, self.are_apart, self.forms, self.equal_lengths, self.merged
        inner = Builder(self.origin, *facts)
        body(inner, index)
        block = Block(tuple(inner.stmts))
        self.stmts.append(For(index, Const(0), stop, Const(1), (), (), block, (), False, self.origin))

    def finish(self, target: Var | None, result: Atom) -> list[Stmt]:
        """The statements, the result under the name of the operation's target."""
        if target is None or result is target:
            return self.stmts
        if any(isinstance(s, Op) and s.target is result for s in self.stmts):
            renamed = Block(tuple(self.stmts))
            return list(
                map_atoms(renamed, lambda a: target if a is result else a, lambda v: target if v is result else v).stmts
            )
        return [*self.stmts, Op(target, prims.identity, (result,), (), self.origin)]


def _atom(value: Any) -> Atom:
    return value if isinstance(value, Var | Const | Ref) else Const(value)


def expand(function: Function, forms: Mapping[Any, Form] = FORMS, equal_lengths: bool = False) -> Function:
    """Replace each operation that has a form, and the stores that have one where it is about all forms.

    ``equal_lengths`` as in :func:`s2sad.loops.lower_to_loops`.
    """

    definitions = definitions_of(function)

    @cache
    def memory() -> Memory:
        return Memory(function)

    def is_written(v: Var) -> bool:
        return memory().of(v) in memory().written

    def are_apart(a: Atom, b: Atom) -> bool:
        return memory().of(a) != memory().of(b)

    @cache
    def sources() -> Mapping[Var, Collection[Atom]]:
        from s2sad.compiled.nothing import Merged  # which looks at what is expanded

        return Merged(function).sources

    def merged(a: Atom) -> Collection[Atom]:
        return sources().get(a, ()) if isinstance(a, Var) else ()

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if not isinstance(s, Op | Store):
            return s
        builder = Builder(s.origin, definitions, is_written, are_apart, forms, equal_lengths, merged)
        if isinstance(s, Store):
            return builder.stmts if forms is FORMS and any(build(builder, s) for build in STORES) else s
        found = builder.expanded(s)
        return s if found is None else builder.finish(s.target, found)

    return with_body(function, map_stmts(function.body, change))
