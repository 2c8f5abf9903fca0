"""Lowering of operators: arithmetic, comparisons, truth."""

from __future__ import annotations

import enum
import operator
import types
from typing import Any

import gast

from s2sad.analysis.memory import is_immutable
from s2sad.frontend.conflicts import refuse_conflict, refuse_either
from s2sad.frontend.dtypes import same_dtype
from s2sad.frontend.interface import Lowering
from s2sad.frontend.operator_methods import by_method, compared_by_method, is_not_implemented, method_of
from s2sad.frontend.rebound import HELD, HELP
from s2sad.frontend.several import is_among, same_function
from s2sad.frontend.values import (
    AVal,
    BoundV,
    DictV,
    FuncV,
    MethodV,
    ObjectV,
    PyFunc,
    RangeV,
    TupleV,
    holds_functions,
    is_atom,
    is_made_here,
    kind_of,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Ref, Var

__all__ = ["BINARY_OPERATORS", "Arithmetic", "is_count"]


BINARY_OPERATORS: dict[type, Any] = {
    gast.Add: operator.add,
    gast.Sub: operator.sub,
    gast.Mult: operator.mul,
    gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv,
    gast.Mod: operator.mod,
    gast.Pow: operator.pow,
    gast.MatMult: operator.matmul,
    gast.LShift: operator.lshift,
    gast.RShift: operator.rshift,
    gast.BitAnd: operator.and_,
    gast.BitOr: operator.or_,
    gast.BitXor: operator.xor,
}
COMPARISONS: dict[type, Any] = {
    gast.Lt: operator.lt,
    gast.LtE: operator.le,
    gast.Gt: operator.gt,
    gast.GtE: operator.ge,
    gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
    gast.Is: operator.is_,
    gast.IsNot: operator.is_not,
    gast.In: prims.contains,
    gast.NotIn: prims.contains,
}
UNARY: dict[type, Any] = {
    gast.USub: operator.neg,
    gast.UAdd: operator.pos,
    gast.Invert: operator.invert,
    gast.Not: operator.not_,
}


def _member(v: AVal) -> Ref | None:
    """The member of an enumeration that a value is."""
    live = v.live if isinstance(v, ObjectV) else None
    return live if live is not None and isinstance(live.value, enum.Enum) else None


def _bare(v: AVal) -> AVal:
    """A tuple of a class as a plain one, to be compared, where the class compares as tuples do."""
    match v:
        case TupleV(items, cls) if cls is not None and issubclass(cls, tuple):
            own = any(method_of(v, f"__{function.__name__}__") for function in COMPARISONS.values())
            return v if own else TupleV(items)
    return v


def _classes(v: AVal) -> tuple[AVal, ...]:
    """The classes of a union, ``int | float``, which is asked for as a tuple of them is; () of other values."""
    match v:
        case PyFunc(fn=type()):
            return (v,)
        case Const(None):
            return (PyFunc.of(type(None)),)
        case TupleV(items, None) if items and all(map(_classes, items)):
            return items
    return ()


def is_count(kind: K.Kind) -> bool:
    """Whether it is an integer, which repeats a list."""
    return isinstance(kind, K.Scalar) and not is_fraction(kind)


def is_fraction(kind: K.Kind) -> bool:
    """Whether it is known to be a number, or an array, that no integer is."""
    return K.is_numeric(kind) and K.dtype_of(kind).startswith(("float", "complex"))


class Arithmetic(Lowering):
    """The part of the lowerer that deals with operators."""

    def expr_BinOp(self, node: Any, hint: str) -> AVal:
        # A long sum is a deep tree to the left: walk its spine instead of recursing.
        spine = [node]
        while isinstance(spine[-1].left, gast.BinOp):
            spine.append(spine[-1].left)
        value = self.expr(spine[-1].left)
        for n in reversed(spine):
            right = self.expr(n.right)
            value = self.binary(BINARY_OPERATORS[type(n.op)], value, right, hint if n is node else "")
        return value

    def binary(self, op: Any, a: AVal, b: AVal, hint: str = "") -> AVal:
        """``a op b``"""
        special = by_method(self, op, a, b)
        if special is not None:
            return special
        if op in (operator.add, operator.mul):
            a, b = self.as_plain(a), self.as_plain(b)
        match a, b:
            case (Const(x), Const(y)) if isinstance(x, int | str | tuple) and isinstance(y, int | str | tuple):
                return Const(op(x, y)) if _folds(op, x, y) else self.emit(op, a, b, hint=hint)
            case _ if op is operator.or_ and a != b and (first := _classes(a)) and (second := _classes(b)):
                return TupleV(first + second)
            case (TupleV(xs, None), TupleV(ys, None)) if op is operator.add:
                refuse_either(self, a, b)
                return TupleV(xs + ys, listed=a.is_list and b.is_list)
            case (TupleV(xs, None), Const(int(n))) | (Const(int(n)), TupleV(xs, None)) if op is operator.mul:
                return TupleV(xs * n, listed=any(isinstance(v, TupleV) and v.is_list for v in (a, b)))
            case (TupleV(site=site), _) | (_, TupleV(site=site)) if op is operator.mul and site is not None:
                a, b = self.with_made_list(a), self.with_made_list(b)
            case (TupleV(is_set=True) as known, _) | (_, TupleV(is_set=True) as known):
                raise self.needs_set(known, "operations on sets from outside the function are not handled.")
            case (DictV(), DictV()) if op is operator.or_:
                pairs: list[tuple[AVal, AVal]] = [
                    (Const(k), self.value_at((d, k))) for d in (a, b) for k in self.dict_keys(d)
                ]
                return self.fresh_dict(pairs, hint, self.place)
        x, y = self.as_atom(a), self.as_atom(b)
        if op is operator.mul:
            x, y = self.repeatable(x, y), self.repeatable(y, x)
        kx, ky = kind_of(x), kind_of(y)
        if isinstance(kx, K.List) or isinstance(ky, K.List):
            return self.list_arithmetic(op, x, y, hint)
        if isinstance(kx, K.Dict) and isinstance(ky, K.Dict) and op is operator.or_:
            joined = self.call(MethodV(x, "copy"), [], {}, hint)
            self.call(MethodV(joined, "update"), [y], {})
            return joined
        if isinstance(kx, K.Dict) or isinstance(ky, K.Dict):
            raise self.unsupported("this operation on a dict known only at run time is not handled.")
        return self.emit(op, x, y, hint=hint)

    def as_plain(self, value: AVal) -> AVal:
        """A tuple that is to be joined or repeated, item by item where its length is known, and of no class."""
        match value:
            case TupleV(items, type() as cls) if issubclass(cls, tuple):
                return TupleV(items)
            case Var(kind=K.Tuple(cls=cls)) if cls is None or issubclass(cls, tuple):
                return TupleV(tuple(self.items_of(value, None, None, [])))
        return value

    def repeatable(self, value: Atom, times: Atom) -> Atom:
        """A tuple that is repeated as often as only a run tells, as a list made at run time."""
        kind, count = kind_of(value), kind_of(times)
        if not isinstance(kind, K.Tuple) or isinstance(count, K.Array) or is_fraction(count):
            return value
        items = [self.as_atom(self.load(value, Const(k))) for k in range(len(kind.items))]
        made = self.new_list(items, "", (self.place, "tuple"))
        self.containers.as_tuple(made)
        return made

    def with_made_list(self, value: AVal) -> AVal:
        """A list of records made at run time, where it is repeated so often as is known only then."""
        if not isinstance(value, TupleV) or value.site is None:
            return value
        return self.new_list([self.as_atom(i) for i in value.items], "", self.place)

    def list_arithmetic(self, op: Any, x: Atom, y: Atom, hint: str) -> AVal:
        """``xs + ys`` and ``xs * n``: a fresh list; with an array, arithmetic on the items."""
        self.refuse_deques(x, y)
        kx, ky = kind_of(x), kind_of(y)
        if op is operator.add and isinstance(kx, K.List) and isinstance(ky, K.List | K.Tuple):
            if self.is_late_tuple(x) != (isinstance(ky, K.Tuple) or self.is_late_tuple(y)):
                raise self.unsupported("a list and a tuple cannot be added.", "Make both of them lists, or tuples.")
            out = self.copied_list(x, lambda kind: self.emit(prims.list_copy, x, kind=kind, hint=hint), also=y)
            self.effect(prims.list_extend, out, y)
            return self.as_sequence_of(x, out)
        if op is operator.add and isinstance(kx, K.Tuple) and self.is_late_tuple(y):
            first = [self.as_atom(self.load(x, Const(k))) for k in range(len(kx.items))]
            return self.list_arithmetic(
                op, self.as_sequence_of(y, self.new_list(first, hint, (self.place, "tuple"))), y, hint
            )
        if op is operator.mul:
            items, n = (x, y) if isinstance(kx, K.List) else (y, x)
            match kind_of(n):
                case count if not isinstance(count, K.Scalar | K.Array) and not is_fraction(count):
                    raise self.unsupported("it is not known here whether this repeats the list or multiplies it.")
                case count if is_count(count):
                    out = self.emit(prims.list_repeat, items, n, kind=kind_of(items), hint=hint)
                    self.containers.union(items, out)  # what is put into it later widens the kind of its items
                    return self.as_sequence_of(items, out)
        return self.emit(op, x, y, hint=hint)

    def augmented(self, op: Any, a: AVal, b: AVal, hint: str = "") -> AVal:
        """``a op= b`` of what is not changed in place, unless by its class: the new value of the target.

        What may be an array, which Python changes, is refused where that would show; in part that is seen at the end.
        """
        own = method_of(a, f"__i{op.__name__.rstrip('_')}__")
        given = None if own is None else self.call(BoundV(own, a), [b], {})
        if given is not None and not is_not_implemented(given):
            return given
        if not (isinstance(a, Var) and (isinstance(a.kind, K.Numeric) or a.kind == K.ANY)):
            return self.binary(op, a, b, hint)
        if self.is_held(a):
            raise self.unsupported(HELD, HELP)
        new = self.binary(op, a, b, hint)
        if isinstance(new, Var):
            self.rebound[new] = a, self.origin
        return new

    def is_held(self, value: Var) -> bool:
        """Whether a value goes by several names, or is an item or a view of something."""
        maker = self.definitions.get(value)
        part = maker is not None and maker.fn in (operator.getitem, prims.list_pop, prims.getattr_)
        return part or len(self.holders(value)) > 1

    def expr_UnaryOp(self, node: Any, hint: str) -> AVal:
        operand = self.expr(node.operand)
        if isinstance(node.op, gast.Not):
            known = self.truth(operand)
            return Const(not known) if isinstance(known, bool) else self.emit(operator.not_, known, hint=hint)
        op = UNARY[type(node.op)]
        own = method_of(operand, f"__{op.__name__.rstrip('_')}__")
        if own is not None:
            return self.call(BoundV(own, operand), [], {})
        match operand:
            case Const(int() | float() as v) if op is operator.neg and not isinstance(v, bool):
                return Const(-v)
        return self.emit(op, self.as_atom(operand), hint=hint)

    # -- comparisons --

    def expr_Compare(self, node: Any, hint: str) -> AVal:
        left = self.expr(node.left)
        return self.comparisons(left, list(zip(node.ops, node.comparators, strict=True)))

    def comparisons(self, left: AVal, rest: list[Any]) -> AVal:
        """A chain of comparisons: each operand is evaluated once, and none after the first that fails."""
        (op, node), more = rest[0], rest[1:]
        right = self.expr(node)
        first = self.compare(op, left, right)
        if not more:
            return first
        known = self.truth(first)
        if isinstance(known, bool):
            return self.comparisons(right, more) if known else first
        return self.choose(known, lambda: self.comparisons(right, more), lambda: first)

    def compare(self, op: Any, a: AVal, b: AVal) -> AVal:
        """``a op b`` for one comparison."""
        for operand in (a, b):
            refuse_conflict(self, operand)
        if isinstance(op, gast.Eq | gast.NotEq):
            refuse_either(self, a, b)
        if (chosen := same_function(self, op, a, b)) is not None:
            return chosen
        tested = (a,) if isinstance(op, gast.In | gast.NotIn) else (a, b)
        if not isinstance(op, gast.Is | gast.IsNot) and any(isinstance(v, TupleV) and v.is_set for v in tested):
            known_set = next(v for v in tested if isinstance(v, TupleV) and v.is_set)
            raise self.needs_set(known_set, "comparisons of sets from outside the function are not handled.")
        known = self.known_comparison(op, a, b)
        if known is not None:
            return Const(known)
        if isinstance(op, gast.In | gast.NotIn):
            among = is_among(self, a, b)
            found = self.contains(a, b) if among is None else self.truth(among)
            if isinstance(found, bool):
                return Const(found == isinstance(op, gast.In))
            return self.emit(operator.not_, found, kind=K.BOOL) if isinstance(op, gast.NotIn) else found
        function = COMPARISONS[type(op)]
        special = compared_by_method(self, function, a, b)
        if special is not None:
            return special
        return self.emit(function, *(self.as_compared(x, y) for x, y in ((a, b), (b, a))))

    def as_compared(self, value: AVal, other: AVal) -> Atom:
        """An operand of a comparison at run time: a list where the function has one, and so has the other."""
        if isinstance(value, TupleV) and value.is_list and not isinstance(other, TupleV):
            return self.as_atom(self.make_list(list(value.items), "", self.place))
        return self.as_atom(_bare(value))

    def sought(self, item: AVal) -> Atom:
        """What is looked for at run time among other values."""
        equal: Any = item.cls.__eq__ if isinstance(item, ObjectV) else None
        if isinstance(item, ObjectV) and equal is object.__eq__ and _member(item) is None:
            raise self.unsupported(
                f"an object of class {item.cls.__name__}, which is equal to itself only, is looked for at run time.",
                "Give the class a method `__eq__`, or look for a number that tells its objects apart.",
            )
        return self.as_atom(item)

    def contains(self, item: AVal, container: AVal) -> Atom | bool:
        """``item in container``"""
        own = method_of(container, "__contains__")
        if own is not None:
            return self.truth(self.call(BoundV(own, container), [item], {}))
        if isinstance(container, DictV):
            keys = self.dict_keys(container)
            if any(holds_functions(self.value_at((container, k))) for k in keys):
                container = TupleV(tuple(map(Const, keys)))  # there is no such dict at run time
                return self.emit(prims.contains, self.as_key(item), self.as_atom(container), kind=K.BOOL)
        into = self.as_atom(container)
        sought = self.as_key(item) if isinstance(kind_of(into), K.Dict) else self.sought(item)
        return self.emit(prims.contains, sought, into, kind=K.BOOL)

    def known_comparison(self, op: Any, a: AVal, b: AVal) -> bool | None:
        """The result of a comparison whose operands are known now."""
        match op, a, b:
            case (gast.Is() | gast.IsNot(), _, _):
                same = self.known_identity(a, b)
                return same if same is None or isinstance(op, gast.Is) else not same
            case (_, Const(x), Const(y)) if _are_comparable(op, x, y):
                match op:
                    case gast.In():
                        return x in y
                    case gast.NotIn():
                        return x not in y
                return bool(COMPARISONS[type(op)](x, y))
            case (gast.In() | gast.NotIn(), Const(x), Var(kind=K.Dict(_, fields))) if fields is not None:
                return (x in dict(fields)) == isinstance(op, gast.In)
            case (gast.In() | gast.NotIn(), Const(x), DictV()):
                return (x in self.dict_keys(b)) == isinstance(op, gast.In)
            case (gast.In() | gast.NotIn(), Const(x), TupleV(items)) if all(isinstance(i, Const) for i in items):
                return (x in [i.value for i in items if isinstance(i, Const)]) == isinstance(op, gast.In)
            case (gast.Eq() | gast.NotEq(), Const(x), Const(y)) if (x is None) != (y is None):
                return isinstance(op, gast.NotEq)
            case (gast.Eq() | gast.NotEq(), FuncV(), FuncV()):
                return (a == b) == isinstance(op, gast.Eq)
            case (gast.Eq() | gast.NotEq(), ObjectV(cls=types.SimpleNamespace), _) if a.live is None:
                raise self.unsupported("namespaces are not compared.", "Compare what they have.")
            case (gast.Eq() | gast.NotEq(), ObjectV(), ObjectV()) if method_of(a, "__eq__") is None:
                same = self.known_identity(a, b)
                return same if same is None else same == isinstance(op, gast.Eq)
            case (gast.Eq() | gast.NotEq(), TupleV(cls=None), TupleV(cls=None)) if a.is_list != b.is_list:
                return isinstance(op, gast.NotEq)  # a list is no tuple
            case (gast.Eq() | gast.NotEq(), TupleV(xs), TupleV(ys)) if all(isinstance(i, Const) for i in (*xs, *ys)):
                # constants are one only if their types are: values compare as Python has it
                same = [i.value for i in xs] == [i.value for i in ys]  # type: ignore[union-attr]
                return same == isinstance(op, gast.Eq)
            case (gast.Eq() | gast.NotEq(), _, _):
                same = same_dtype(self, a, b)
                return same if same is None else same == isinstance(op, gast.Eq)
        return None

    def known_identity(self, a: AVal, b: AVal) -> bool | None:
        """Whether ``a is b``, where it is known now."""
        if isinstance(a, Const) and isinstance(b, Const):
            return a.value is b.value if a.value is None or b.value is None else a == b
        if Const(None) in (a, b):
            other = b if a == Const(None) else a
            if not is_atom(other):
                return False
            kind = kind_of(other)
            if other in self.nullable or kind in (K.ANY, K.BOTTOM, K.NONE):
                return True if kind == K.NONE else None
            return False
        if isinstance(a, FuncV) and isinstance(b, FuncV):
            return a == b
        if (one := _member(a)) is not None and (two := _member(b)) is not None:
            self.rely_on(one)
            self.rely_on(two)
            return one.value is two.value
        for record in (a, b):
            if isinstance(record, ObjectV):
                self.note_changing(record.cls)
        if isinstance(a, ObjectV) and isinstance(b, ObjectV) and is_made_here(a) and is_made_here(b):
            return a is b
        if a is b and isinstance(a, DictV | ObjectV):
            return True
        for d in (a, b):
            if isinstance(d, DictV):  # what is made of it at run time is a dict of its own
                raise self.needs_runtime(d)
        return None

    # -- truth --

    def condition(self, node: Any) -> Atom | bool:
        """A test: a constant where it is known now, else an atom."""
        if isinstance(node, gast.BoolOp):
            return self.tests(isinstance(node.op, gast.And), node.values)
        return self.truth(self.expr(node))

    def tests(self, conjunction: bool, nodes: list[Any]) -> Atom | bool:
        """Whether all tests hold, or any: of lists and arrays their truth now, not they, for they may change."""
        known = self.condition(nodes[0])
        if len(nodes) == 1:
            return known
        if isinstance(known, bool):
            return self.tests(conjunction, nodes[1:]) if known == conjunction else known

        decided = False

        def rest() -> AVal:
            nonlocal decided
            found = self.tests(conjunction, nodes[1:])
            decided = found is (not conjunction)
            return Const(found) if isinstance(found, bool) else found

        chosen = self.choose(known, rest, lambda: known) if conjunction else self.choose(known, lambda: known, rest)
        return not conjunction if decided else self.truth(chosen)  # `x and False` is false whatever x is

    def truth(self, value: AVal) -> Atom | bool:
        """Whether a value is true, as far as is known now."""
        refuse_conflict(self, value)
        if isinstance(value, Var) and isinstance(value.kind, K.Tuple | K.Row) and value in self.nullable:
            there = self.emit(operator.is_not, value, Const(None), kind=K.BOOL)

            def known() -> AVal:
                found = self.as_truth(value)
                return Const(found) if isinstance(found, bool) else found

            return self.as_atom(self.choose(there, known, lambda: Const(False)))
        return self.as_truth(value)

    def as_truth(self, value: AVal) -> Atom | bool:
        """The same of what is not None."""
        if isinstance(value, ObjectV | TupleV) or is_atom(value):
            own = method_of(value, "__bool__") or method_of(value, "__len__")
            if own is not None:
                return self.truth(self.call(BoundV(own, value), [], {}))
        match value:
            case Const(v):
                return bool(v)
            case TupleV(items):
                return bool(items)
            case ObjectV() if not is_atom(value):
                return True
        if is_atom(value):
            match kind_of(value):
                case K.List() | K.Dict() if value in self.nullable:
                    return self.emit(bool, value, kind=K.BOOL)
                case K.Numeric() if self.tried:  # of an array it may raise, though nobody reads what is chosen
                    return self.emit(bool, value, kind=K.BOOL)
                case K.List() | K.Dict():
                    return self.is_filled(value)
                case K.Array():
                    return self.emit(bool, value, kind=K.BOOL)  # one item, which may change
                case K.Other() as kind if not is_immutable(kind):
                    return self.emit(bool, value, kind=K.BOOL)  # a set, say, which may have other items later
                case K.Tuple(items=kinds, cls=cls):
                    return bool(kinds) or not issubclass(cls or tuple, tuple)
                case K.Row():
                    return True
            return value
        if isinstance(value, DictV):
            return bool(self.dict_keys(value))
        if isinstance(value, RangeV):
            return self.emit(len, self.as_atom(value), kind=K.INT)
        return True

    def is_filled(self, container: Atom) -> Atom:
        """Whether a list or dict has items now: it may have others later."""
        return self.emit(operator.gt, self.emit(len, container, kind=K.INT), Const(0), kind=K.BOOL)

    def expr_BoolOp(self, node: Any, hint: str) -> AVal:
        return self.bool_op(isinstance(node.op, gast.And), node.values)

    def bool_op(self, conjunction: bool, nodes: list[Any]) -> AVal:
        value = self.expr(nodes[0])
        if len(nodes) == 1:
            return value
        known = self.truth(value)
        if isinstance(known, bool):
            return self.bool_op(conjunction, nodes[1:]) if known == conjunction else value

        def rest() -> AVal:
            return self.bool_op(conjunction, nodes[1:])

        if conjunction:
            return self.choose(known, rest, lambda: value)
        return self.choose(known, lambda: value, rest)


def _are_comparable(op: Any, x: Any, y: Any) -> bool:
    """Whether a comparison of these is known now, and does not raise."""
    if not {type(x), type(y)} <= {int, str, bool}:
        return False
    match op:
        case gast.Eq() | gast.NotEq():
            return True
        case gast.In() | gast.NotIn():
            return isinstance(x, str) and isinstance(y, str)
    return isinstance(x, str) == isinstance(y, str)


def _folds(op: Any, x: Any, y: Any) -> bool:
    if isinstance(x, str) or isinstance(y, str):
        return isinstance(x, str) and (op is operator.mod or (op is operator.add and isinstance(y, str)))
    if isinstance(x, tuple) or isinstance(y, tuple):
        return False
    if op in (operator.add, operator.sub):
        return True
    if op is operator.mul:
        return bool(abs(x) < 2**32 and abs(y) < 2**32)
    return y != 0 and op in (operator.floordiv, operator.mod)
