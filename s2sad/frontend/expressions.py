"""Lowering of expressions: names, arithmetic, attributes, subscripts, comprehensions."""

from __future__ import annotations

import builtins
import operator
import types
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.builtin_calls import UFUNC_METHODS
from s2sad.frontend.builder import Conflict, Restart, as_runtime
from s2sad.frontend.scope import assigned_names
from s2sad.frontend.statements import BINARY_OPERATORS
from s2sad.frontend.values import (
    AVal,
    BoundV,
    ClosureV,
    DictV,
    Frame,
    FuncV,
    IterV,
    MethodV,
    ObjectV,
    PyFunc,
    RangeV,
    SliceV,
    SuperV,
    TupleV,
    UfuncMethodV,
    constant_kind,
    fields_of,
    is_atom,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Const, Op, Origin, Ref, Var
from s2sad.rules.infer_arrays import getitem
from s2sad.rules.standins import UNKNOWN

if TYPE_CHECKING:
    from s2sad.frontend.lower import Lowerer

__all__ = ["Expressions"]

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
#: Array attributes and the functions they stand for.
ATTRIBUTES: dict[str, Any] = {
    "T": np.transpose,
    "shape": np.shape,
    "ndim": np.ndim,
    "size": np.size,
    "real": np.real,
    "imag": np.imag,
}


class Expressions:
    """The expression half of the lowerer."""

    def expr(self: Lowerer, node: Any, hint: str = "") -> AVal:
        """The abstract value of an expression; ``hint`` names what it computes."""
        method = getattr(self, f"expr_{type(node).__name__}", None)
        if method is None:
            raise UnsupportedSyntax(
                f"`{type(node).__name__}` expressions are not handled in differentiated code.",
                help="Rewrite the expression, or move it out of the function.",
                origin=self.here(node),
            )
        return method(node, hint)  # type: ignore[no-any-return]

    def as_atom(self: Lowerer, value: AVal, hint: str = "") -> Atom:
        """The run-time form of a value."""
        if isinstance(value, ObjectV | DictV):
            return self.materialise(value)
        if isinstance(value, TupleV) and value.cls is not None:
            return self.materialise(value)
        if isinstance(value, PyFunc):
            return value.ref or self.outside(value.fn, getattr(value.fn, "__name__", "function"))
        if isinstance(value, TupleV):
            atoms = tuple(self.as_atom(i) for i in value.items)
            kind = K.Tuple(tuple(kind_of(a) for a in atoms))
            return self.emit(prims.make_tuple, *atoms, kind=kind, hint=hint)
        if isinstance(value, IterV):
            return self.as_list(value)
        return as_runtime(self, value, hint)

    def materialise(self: Lowerer, value: AVal) -> Atom:
        """Build at run time the record a compile-time value stands for."""
        match value:
            case TupleV(items, cls) if cls is not None:
                names = fields_of(cls)
                atoms = [self.as_atom(i) for i in items]
                return self.instance(cls, names, atoms)
            case ObjectV(cls=cls):
                names = fields_of(cls)
                if not names:
                    if value.live is not None:
                        return value.live
                    raise self.unsupported(
                        f"an object of class {cls.__name__} cannot be returned or stored in a container here.",
                        "Return its fields, or make the class a dataclass.",
                    )
                atoms = [self.as_atom(self.attribute(value, n)) for n in names]
                return self.instance(cls, names, atoms)
            case DictV():
                parts: list[Atom] = []
                for key in self.dict_keys(value):
                    parts += [Const(key), self.as_atom(self.read((value, key)))]  # type: ignore[arg-type]
                kinds = [kind_of(a) for a in parts[1::2]]
                item: K.Kind = K.BOTTOM
                for k in kinds:
                    item = K.join(item, k)
                return self.emit(prims.make_dict, *parts, kind=K.Dict(item))
        return self.as_atom(value)

    def instance(self: Lowerer, cls: type, names: tuple[str, ...], atoms: list[Atom]) -> Atom:
        kind = K.Tuple(tuple(kind_of(a) for a in atoms), cls)
        return self.emit(
            prims.make_instance, self.outside(cls, cls.__name__), Const(names), *atoms, kind=kind
        )

    # -- constants and names ------------------------------------------------------------

    def expr_Constant(self: Lowerer, node: Any, hint: str) -> AVal:
        return Const(node.value)

    def expr_Name(self: Lowerer, node: Any, hint: str) -> AVal:
        return self.name(node)

    def name(self: Lowerer, node: Any) -> AVal:
        """The value of a name where it is read."""
        value = self.lookup(node.id)
        if isinstance(value, Conflict):
            raise UnsupportedSyntax(
                f"`{node.id}` is one of two things here that cannot be treated as one.",
                help="Give the variable one structure (number, array, tuple of one length, object) on every path.",
                origin=self.here(node),
            )
        return value

    def lookup(self: Lowerer, name: str) -> AVal:
        frame: Frame | None = self.frame
        while frame is not None:
            if name in frame.locals:
                value = self.read((frame, name))
                return UNDEF if value is None else value
            if name in frame.global_names:
                break
            if frame.parent is None:
                break
            frame = frame.parent
        assert frame is not None
        if name in frame.closure:
            return self.cell_value(name, frame.closure[name])
        return self.global_value(name, frame.globals)

    def cell_value(self: Lowerer, name: str, cell: Any) -> AVal:
        """The value of a closure cell outside the differentiated code: read live."""
        try:
            value = cell.cell_contents
        except ValueError:
            raise self.unsupported(f"`{name}` has no value in the enclosing function yet.") from None
        return self.outside_value(Ref((name, "cell_contents"), cell, value, kind_of_object(value)))

    def global_value(self: Lowerer, name: str, namespace: dict[str, Any]) -> AVal:
        """The value of a global or builtin: data is read live."""
        if name in namespace:
            value = namespace[name]
            module = module_of(namespace)
            return self.outside_value(
                Ref((module.__name__.rpartition(".")[2], name), module, value, kind_of_object(value))
            )
        if hasattr(builtins, name):
            value = getattr(builtins, name)
            return self.outside_value(Ref((name,), value, value, kind_of_object(value)))
        raise self.unsupported(f"the name `{name}` is not defined.", "Define it before the function is differentiated.")

    def outside(self: Lowerer, value: Any, name: str) -> Ref:
        """A reference to an object that the loader binds by name."""
        return Ref((name,), value, value, kind_of_object(value))

    def outside_value(self: Lowerer, ref: Ref) -> AVal:
        """What an object from outside the function is to the compiler."""
        value = ref.value
        if isinstance(value, types.ModuleType):
            return self.module_value(value, ref.path[-1])
        if isinstance(value, bool | int | float | complex | np.generic):
            self.refs.setdefault(ref.path, ref)
            return ref
        if isinstance(value, np.ndarray | list | dict):
            return self.capture(ref)
        if isinstance(value, tuple):
            return self.outside_tuple(ref)
        if isinstance(value, str | bytes | slice | range | np.dtype) or value is None or value is Ellipsis:
            return Const(value) if value is None or value is Ellipsis else ref
        if isinstance(value, type):
            return PyFunc.of(value, ref)
        if is_plain_callable(value):
            return PyFunc.of(value, ref)
        return ObjectV(type(value), ref) if ref.path not in self.objects else self.objects[ref.path]

    def outside_tuple(self: Lowerer, ref: Ref) -> AVal:
        """A tuple outside the function: immutable, but its name may be bound to another later."""
        self.refs.setdefault(ref.path, ref)
        cls = type(ref.value)
        items = []
        for k, item in enumerate(ref.value):
            if isinstance(item, bool | int | float | np.generic | np.ndarray | str | list | dict) or item is None:
                kind = kind_of_object(item)
                items.append(self.emit(operator.getitem, ref, Const(k), kind=kind))
            else:
                items.append(self.outside_value(Ref((ref.path[-1],), item, item, kind_of_object(item))))
        return TupleV(tuple(items), None if cls is tuple else cls)

    def capture(self: Lowerer, ref: Ref) -> AVal:
        """An array or container from outside, read once at entry so that stores leave it untouched."""
        self.refs.setdefault(ref.path, ref)
        if isinstance(ref.value, list) and any(callable(v) for v in ref.value):
            return TupleV(
                tuple(self.outside_value(Ref((getattr(v, "__name__", "item"),), v, v, kind_of_object(v))) for v in ref.value)
            )
        if ref.path not in self.captured:
            var = Var(ref.path[-1] if ref.path[-1] != "cell_contents" else ref.path[0], ref.kind)
            op = Op(var, prims.identity, (ref,), (), self.origin)
            self.prologue.append(op)
            self.definitions[var] = op
            self.captured[ref.path] = var
        return self.captured[ref.path]

    def module_value(self: Lowerer, module: Any, name: str) -> AVal:
        return ObjectV(types.ModuleType, Ref((name,), module, module, K.Other(types.ModuleType)))

    # -- arithmetic ---------------------------------------------------------------------

    def expr_BinOp(self: Lowerer, node: Any, hint: str) -> AVal:
        # A long sum is a deep tree to the left: walk its spine instead of recursing.
        spine = [node]
        while isinstance(spine[-1].left, gast.BinOp):
            spine.append(spine[-1].left)
        value = self.expr(spine[-1].left)
        for n in reversed(spine):
            right = self.expr(n.right)
            value = self.binary(BINARY_OPERATORS[type(n.op)], value, right, hint if n is node else "")
        return value

    def binary(self: Lowerer, op: Any, a: AVal, b: AVal, hint: str = "") -> AVal:
        """``a op b``"""
        match a, b:
            case (Const(x), Const(y)) if isinstance(x, int | str | tuple) and isinstance(y, int | str | tuple):
                return Const(op(x, y)) if _folds(op, x, y) else self.emit(op, a, b, hint=hint)
            case (TupleV(xs, None), TupleV(ys, None)) if op is operator.add:
                return TupleV(xs + ys)
            case (TupleV(xs, None), Const(int(n))) | (Const(int(n)), TupleV(xs, None)) if op is operator.mul:
                return TupleV(xs * n)
        special = self.operator_method(op, a, b)
        if special is not None:
            return special
        x, y = self.as_atom(a), self.as_atom(b)
        kx, ky = kind_of(x), kind_of(y)
        if isinstance(kx, K.List) or isinstance(ky, K.List):
            return self.list_arithmetic(op, x, y, hint)
        return self.emit(op, x, y, hint=hint)

    def list_arithmetic(self: Lowerer, op: Any, x: Atom, y: Atom, hint: str) -> AVal:
        """``xs + ys`` and ``xs * n``: a fresh list."""
        kx, ky = kind_of(x), kind_of(y)
        if op is operator.add and isinstance(kx, K.List) and isinstance(ky, K.List | K.Tuple):
            out = self.emit(prims.list_copy, x, kind=K.join(kx, ky) if isinstance(ky, K.List) else kx, hint=hint)
            self.effect(prims.list_extend, out, y)
            return out
        if op is operator.mul:
            items, n = (x, y) if isinstance(kx, K.List) else (y, x)
            return self.emit(prims.list_repeat, items, n, kind=kind_of(items), hint=hint)
        return self.emit(op, x, y, hint=hint)

    def operator_method(self: Lowerer, op: Any, a: AVal, b: AVal) -> AVal | None:
        """A user class's own arithmetic: ``__add__`` and the like."""
        name = op.__name__.rstrip("_")
        for obj, other, method in ((a, b, f"__{name}__"), (b, a, f"__r{name}__")):
            if isinstance(obj, ObjectV) and isinstance(getattr(obj.cls, method, None), types.FunctionType):
                return self.call(BoundV(PyFunc.of(getattr(obj.cls, method)), obj), [other], {})
        return None

    def expr_UnaryOp(self: Lowerer, node: Any, hint: str) -> AVal:
        operand = self.expr(node.operand)
        if isinstance(node.op, gast.Not):
            known = self.truth(operand)
            return Const(not known) if isinstance(known, bool) else self.emit(operator.not_, known, hint=hint)
        op = UNARY[type(node.op)]
        match operand:
            case Const(int() | float() as v) if op is operator.neg and not isinstance(v, bool):
                return Const(-v)
            case ObjectV(cls=cls) if isinstance(getattr(cls, f"__{op.__name__.rstrip('_')}__", None), types.FunctionType):
                return self.call(BoundV(PyFunc.of(getattr(cls, f"__{op.__name__.rstrip('_')}__")), operand), [], {})
        return self.emit(op, self.as_atom(operand), hint=hint)

    def expr_Compare(self: Lowerer, node: Any, hint: str) -> AVal:
        left = self.expr(node.left)
        return self.comparisons(left, list(zip(node.ops, node.comparators, strict=True)))

    def comparisons(self: Lowerer, left: AVal, rest: list[Any]) -> AVal:
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

    def compare(self: Lowerer, op: Any, a: AVal, b: AVal) -> AVal:
        known = self.known_comparison(op, a, b)
        if known is not None:
            return Const(known)
        result: AVal
        if isinstance(op, gast.In | gast.NotIn):
            if isinstance(b, TupleV) and is_atom(a):
                b = self.as_atom(b)
            result = self.emit(prims.contains, self.as_atom(a), self.as_atom(b), kind=K.BOOL)
            return self.emit(operator.not_, result, kind=K.BOOL) if isinstance(op, gast.NotIn) else result
        function = COMPARISONS[type(op)]
        return self.emit(function, self.as_atom(a), self.as_atom(b))

    def known_comparison(self: Lowerer, op: Any, a: AVal, b: AVal) -> bool | None:
        """The result of a comparison whose operands are known now."""
        match op, a, b:
            case (gast.Is() | gast.IsNot(), _, _):
                same = self.known_identity(a, b)
                return same if same is None or isinstance(op, gast.Is) else not same
            case (_, Const(x), Const(y)) if type(x) in (int, str, bool) and type(y) in (int, str, bool):
                match op:
                    case gast.In():
                        return x in y
                    case gast.NotIn():
                        return x not in y
                return bool(COMPARISONS[type(op)](x, y))
            case (gast.In() | gast.NotIn(), Const(x), DictV()):
                return (x in self.dict_keys(b)) == isinstance(op, gast.In)
            case (gast.In() | gast.NotIn(), Const(x), TupleV(items)) if all(isinstance(i, Const) for i in items):
                return (x in [i.value for i in items]) == isinstance(op, gast.In)
            case (gast.Eq() | gast.NotEq(), FuncV(), FuncV()):
                return (a == b) == isinstance(op, gast.Eq)
            case (gast.Eq() | gast.NotEq(), TupleV(xs), TupleV(ys)) if all(
                isinstance(i, Const) for i in (*xs, *ys)
            ):
                return (xs == ys) == isinstance(op, gast.Eq)
        return None

    def known_identity(self: Lowerer, a: AVal, b: AVal) -> bool | None:
        if isinstance(a, Const) and isinstance(b, Const):
            return a.value is b.value if a.value is None or b.value is None else a == b
        if Const(None) in (a, b):
            other = b if a == Const(None) else a
            if not is_atom(other):
                return False
            kind = kind_of(other)  # type: ignore[arg-type]
            if other in self.nullable or kind in (K.ANY, K.BOTTOM, K.NONE):
                return True if kind == K.NONE else None
            return False
        if isinstance(a, FuncV) and isinstance(b, FuncV):
            return a == b
        return None

    def expr_BoolOp(self: Lowerer, node: Any, hint: str) -> AVal:
        return self.bool_op(isinstance(node.op, gast.And), node.values)

    def bool_op(self: Lowerer, conjunction: bool, nodes: list[Any]) -> AVal:
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

    def expr_IfExp(self: Lowerer, node: Any, hint: str) -> AVal:
        cond = self.condition(node.test)
        if isinstance(cond, bool):
            return self.expr(node.body if cond else node.orelse, hint)
        return self.choose(cond, lambda: self.expr(node.body, hint), lambda: self.expr(node.orelse, hint))

    def expr_NamedExpr(self: Lowerer, node: Any, hint: str) -> AVal:
        value = self.expr(node.value, node.target.id)
        frame = self.frame
        while getattr(frame, "name", "") == "<comprehension>" and frame.parent is not None:
            frame = frame.parent  # a walrus in a comprehension binds outside it
        self.write((frame, node.target.id), value)
        return value

    # -- containers ---------------------------------------------------------------------

    def expr_Tuple(self: Lowerer, node: Any, hint: str) -> AVal:
        return TupleV(tuple(self.elements(node.elts)))

    def expr_List(self: Lowerer, node: Any, hint: str) -> AVal:
        if any(isinstance(e, gast.Starred) for e in node.elts):
            return self.starred_list(node, hint)
        return self.make_list(self.elements(node.elts), hint, node)

    def starred_list(self: Lowerer, node: Any, hint: str) -> AVal:
        """``[*xs, y]``: items known apart, or a list that is extended."""
        values = [(isinstance(e, gast.Starred), self.expr(e.value if isinstance(e, gast.Starred) else e)) for e in node.elts]
        if all(not star or self.static_items(v) is not None for star, v in values):
            items = [i for star, v in values for i in (self.static_items(v) or [] if star else [v])]
            return self.make_list(items, hint, node)
        out = self.new_list([], hint, node)
        for star, value in values:
            if star:
                self.each(value, lambda item: self.append(out, item))
            else:
                self.append(out, value)
        return out

    def make_list(self: Lowerer, items: list[AVal], hint: str, site: Any) -> AVal:
        """A list literal: at run time, unless it holds functions or objects."""
        if any(isinstance(i, FuncV | ObjectV | DictV) for i in items):
            return TupleV(tuple(items))
        return self.new_list([self.as_atom(i) for i in items], hint, site)

    def elements(self: Lowerer, nodes: list[Any]) -> list[AVal]:
        """Evaluate items left to right, stars unpacked."""
        items: list[AVal] = []
        for n in nodes:
            if isinstance(n, gast.Starred):
                items.extend(self.all_items(self.expr(n.value)))
            else:
                items.append(self.expr(n))
        return items

    def expr_Dict(self: Lowerer, node: Any, hint: str) -> AVal:
        pairs: list[tuple[AVal, AVal]] = []
        for k, v in zip(node.keys, node.values, strict=True):
            if k is None:
                source = self.expr(v)
                if not isinstance(source, DictV):
                    raise self.unsupported("`**` of a dict whose keys are not known here is not handled.")
                pairs += [(Const(key), self.read((source, key))) for key in self.dict_keys(source)]  # type: ignore[misc]
            else:
                pairs.append((self.expr(k), self.expr(v)))
        if all(isinstance(k, Const) for k, _ in pairs) and site_key(node) not in self.runtime_sites:
            return self.new_dict([(k.value, v) for k, v in pairs], node)  # type: ignore[union-attr]
        return self.runtime_dict(pairs, hint, node)

    def runtime_dict(self: Lowerer, pairs: list[tuple[AVal, AVal]], hint: str, site: Any) -> Var:
        """A dict that exists at run time, for keys that are only known then."""
        atoms: list[Atom] = []
        item = self.containers.items.get(site_key(site), K.BOTTOM)
        for k, v in pairs:
            atoms += [self.as_atom(k), self.as_atom(v)]
            item = K.join(item, K.without_shape(kind_of(atoms[-1])))
        out = self.emit(prims.make_dict, *atoms, kind=K.Dict(item), hint=hint)
        self.containers.made(out, site_key(site))
        for a in atoms[1::2]:
            self.containers.put(out, a, kind_of(a))
        return out

    def needs_runtime(self: Lowerer, d: DictV) -> Restart | UnsupportedSyntax:
        """Start again with this dict at run time, as a key is not known while compiling."""
        if d.site is None:
            return self.unsupported(
                "the key of this dict is not known while compiling.", "Use constant keys, or make the dict here."
            )
        self.runtime_sites.add(d.site)
        return Restart()

    def new_dict(self: Lowerer, pairs: list[tuple[Any, AVal]], site: Any = None) -> DictV:
        """A tracked dict with these constant keys."""
        d = DictV(site_key(site) if site is not None else None)
        for k, v in pairs:
            self.write((d, k), v)
        self.write((d, "$keys"), TupleV(tuple(Const(k) for k in dict.fromkeys(k for k, _ in pairs))))
        return d

    def dict_keys(self: Lowerer, d: DictV) -> list[Any]:
        """The keys of a tracked dict."""
        keys = self.read((d, "$keys"))
        if not isinstance(keys, TupleV):
            raise self.unsupported(
                "a dict has different keys on different paths.", "Give it every key before the branch or loop."
            )
        return [k.value for k in keys.items]  # type: ignore[union-attr]

    def expr_Set(self: Lowerer, node: Any, hint: str) -> AVal:
        return TupleV(tuple(self.elements(node.elts)))

    def expr_JoinedStr(self: Lowerer, node: Any, hint: str) -> AVal:
        parts = [self.as_atom(self.expr(v)) for v in node.values]
        return self.emit(prims.join_str, *parts, kind=K.STR)

    def expr_FormattedValue(self: Lowerer, node: Any, hint: str) -> AVal:
        value = self.as_atom(self.expr(node.value))
        conversion = chr(node.conversion) if node.conversion > 0 else ""
        spec = Const("") if node.format_spec is None else self.as_atom(self.expr(node.format_spec))
        return self.emit(prims.format_value, value, Const(conversion), spec, kind=K.STR)

    def expr_Lambda(self: Lowerer, node: Any, hint: str) -> AVal:
        return self.closure(node, hint or "<lambda>")

    # -- attributes ---------------------------------------------------------------------

    def expr_Attribute(self: Lowerer, node: Any, hint: str) -> AVal:
        return self.attribute(self.expr(node.value), node.attr, hint)

    def attribute(self: Lowerer, obj: AVal, attr: str, hint: str = "") -> AVal:
        """``obj.attr``"""
        match obj:
            case TupleV(items, cls) if cls is not None:
                if attr in fields_of(cls):
                    return items[fields_of(cls).index(attr)]
                if attr in ("_replace", "_asdict"):
                    return MethodV(obj, attr)
                return self.class_attribute(obj, cls, attr)
            case ObjectV():
                return self.object_attribute(obj, attr)
            case PyFunc(fn=fn) if isinstance(fn, np.ufunc) and (fn, attr) in UFUNC_METHODS:
                return UfuncMethodV(fn, attr)
            case PyFunc(fn=fn, ref=ref):
                if not hasattr(fn, attr):
                    raise self.unsupported(f"`{fn}` has no attribute `{attr}`.")
                value = getattr(fn, attr)
                base = ref.path if ref is not None else (getattr(fn, "__name__", "object"),)
                root = ref.root if ref is not None else fn
                return self.outside_value(Ref((*base, attr), root, value, kind_of_object(value)))
            case SuperV(after, inner):
                return self.attribute_of_class(inner, after, attr)
        if not is_atom(obj):
            return MethodV(obj, attr)
        kind = kind_of(obj)  # type: ignore[arg-type]
        if K.is_numeric(kind) and attr in ATTRIBUTES:
            return self.emit(ATTRIBUTES[attr], obj, hint=hint)  # type: ignore[arg-type]
        match kind:
            case K.Bottom():
                return UNDEF
            case K.Tuple(items=kinds, cls=cls) if cls is not None and attr in fields_of(cls):
                k = fields_of(cls).index(attr)
                return self.emit(prims.getattr_, obj, Const(attr), kind=kinds[k], hint=hint)  # type: ignore[arg-type]
            case K.Tuple(cls=cls) if cls is not None:
                return self.class_attribute(obj, cls, attr)
        if isinstance(kind, K.Other) and attr not in ("append",):
            python_type = kind.type
            if python_type is None or not callable(getattr(python_type, attr, None)):
                return self.emit(prims.getattr_, obj, Const(attr), kind=K.ANY, hint=hint)  # type: ignore[arg-type]
        if K.is_numeric(kind) and attr in ("dtype", "flat", "nbytes", "strides", "itemsize"):
            return self.emit(prims.getattr_, obj, Const(attr), kind=K.ANY, hint=hint)  # type: ignore[arg-type]
        return MethodV(obj, attr)

    def object_attribute(self: Lowerer, obj: ObjectV, attr: str) -> AVal:
        stored = self.read((obj, attr))
        if stored is not None:
            return stored
        if obj.live is not None and obj.cls is types.ModuleType:
            return self.module_attribute(obj, attr)
        if obj.live is not None and attr in getattr(obj.live.value, "__dict__", {}):
            value = getattr(obj.live.value, attr)
            ref = Ref((*obj.live.path, attr), obj.live.root, value, kind_of_object(value))
            result = self.outside_value(ref)
            if isinstance(result, ObjectV):
                self.objects.setdefault(ref.path, result)
            return result
        return self.class_attribute(obj, obj.cls, attr)

    def module_attribute(self: Lowerer, obj: ObjectV, attr: str) -> AVal:
        assert obj.live is not None
        module = obj.live.value
        if not hasattr(module, attr):
            raise self.unsupported(f"module `{module.__name__}` has no attribute `{attr}`.")
        value = getattr(module, attr)
        path = (*obj.live.path, attr)
        if isinstance(value, types.ModuleType):
            return ObjectV(types.ModuleType, Ref(path, obj.live.root, value, K.Other(types.ModuleType)))
        return self.outside_value(Ref(path, obj.live.root, value, kind_of_object(value)))

    def class_attribute(self: Lowerer, obj: AVal, cls: type, attr: str) -> AVal:
        """A method, property or class variable, by Python's own lookup."""
        return self.attribute_of_class(obj, cls.__mro__, attr)

    def attribute_of_class(self: Lowerer, obj: AVal, mro: tuple[type, ...], attr: str) -> AVal:
        cls = mro[0]
        for base in mro:
            if attr in base.__dict__:
                raw = base.__dict__[attr]
                break
        else:
            if isinstance(obj, ObjectV) and obj.live is not None and hasattr(obj.live.value, attr):
                value = getattr(obj.live.value, attr)
                return self.outside_value(Ref((*obj.live.path, attr), obj.live.root, value, kind_of_object(value)))
            raise self.unsupported(f"an object of class {cls.__name__} has no attribute `{attr}` here.")
        match raw:
            case property(fget=getter):
                return self.call(BoundV(PyFunc.of(getter), obj), [], {})
            case staticmethod(__func__=function):
                return PyFunc.of(function)
            case classmethod(__func__=function):
                return BoundV(PyFunc.of(function), PyFunc.of(cls))
            case types.FunctionType():
                return BoundV(PyFunc.of(raw), obj)
        if hasattr(raw, "primal") and callable(raw):
            return BoundV(PyFunc.of(raw), obj)
        import functools

        if isinstance(raw, functools.cached_property):
            return self.call(BoundV(PyFunc.of(raw.func), obj), [], {})
        path = (cls.__name__, attr)
        return self.outside_value(Ref(path, cls, raw, kind_of_object(raw)))

    def store_attribute(self: Lowerer, obj: AVal, attr: str, value: AVal) -> None:
        """``obj.attr = value``, tracked while compiling."""
        if isinstance(obj, ObjectV) and obj.cls is not types.ModuleType:
            descriptor = getattr(obj.cls, attr, None)
            if isinstance(descriptor, property) and descriptor.fset is not None:
                self.call(BoundV(PyFunc.of(descriptor.fset), obj), [value], {})
                return
            if getattr(getattr(obj.cls, "__dataclass_params__", None), "frozen", False):
                raise self.unsupported(f"cannot assign to field `{attr}` of a frozen dataclass.")
            self.write((obj, attr), value)
            return
        if is_atom(obj) and attr == "T":
            self.store(self.emit(np.transpose, obj), Const(...), self.as_atom(value))  # type: ignore[arg-type]
            return
        raise self.unsupported(
            f"assigning the attribute `{attr}` of this value is not handled.",
            "Only attributes of objects made or received by the function are tracked.",
        )

    # -- subscripts ---------------------------------------------------------------------

    def expr_Subscript(self: Lowerer, node: Any, hint: str) -> AVal:
        return self.item(self.expr(node.value), node.slice, hint)

    def item(self: Lowerer, base: AVal, index: Any, hint: str = "") -> AVal:
        """``base[index]``, the index given as syntax."""
        match base:
            case TupleV(items, cls):
                return self.tuple_item(base, index, hint)
            case DictV():
                return self.dict_item(base, self.expr(index))
            case ObjectV():
                return self.call(self.attribute(base, "__getitem__"), [self.expr(index)], {})
            case RangeV(start, _, step):
                k = self.as_atom(self.expr(index))
                return self.emit(operator.add, start, self.emit(operator.mul, k, step))
            case PyFunc():  # list[float] and other annotations at run time
                return base
        atom = self.as_atom(base)
        value = self.index_value(index)
        return self.load(atom, value, hint)

    def load(self: Lowerer, obj: Atom, index: AVal, hint: str = "") -> AVal:
        """``obj[index]`` for a value that exists at run time."""
        kind = kind_of(obj)
        if isinstance(kind, K.Tuple) and isinstance(index, Const):
            try:
                return self.emit(operator.getitem, obj, index, kind=kind.items[index.value], hint=hint)
            except IndexError:
                raise self.unsupported("tuple index out of range.") from None
        atom = self.index_atom(index)
        result = self.getitem_kind(kind, index)
        value = self.emit(operator.getitem, obj, atom, kind=result, hint=hint)
        if isinstance(kind, K.List | K.Dict) and isinstance(result, K.List | K.Dict):
            self.containers.union(self.containers.item(obj), value)
        return value

    def getitem_kind(self: Lowerer, kind: K.Kind, index: AVal) -> K.Kind:
        if isinstance(kind, K.Bottom):
            return K.BOTTOM
        parts = index.items if isinstance(index, TupleV) else (index,)
        kinds = tuple(K.SLICE if isinstance(p, SliceV) else runtime_kind(p) for p in parts)
        if any(isinstance(k, K.Bottom) for k in kinds):
            return K.BOTTOM
        known = index.value if isinstance(index, Const) else UNKNOWN
        return getitem((kind, UNKNOWN), (K.Tuple(kinds) if isinstance(index, TupleV) else kinds[0], known))

    def index_value(self: Lowerer, node: Any) -> AVal:
        """An index as a compile-time value: tuples and slices kept apart."""
        match node:
            case gast.Tuple(elts=elts) if not any(isinstance(e, gast.Starred) for e in elts):
                return TupleV(tuple(self.index_value(e) for e in elts))
            case gast.Slice(lower=lower, upper=upper, step=step):
                return SliceV(
                    tuple(Const(None) if p is None else self.as_atom(self.expr(p)) for p in (lower, upper, step))
                )
        value = self.expr(node)
        if is_atom(value) and isinstance(kind_of(value), K.List):  # type: ignore[arg-type]
            # a list index selects like the array it spells
            return self.emit(np.asarray, value)  # type: ignore[arg-type]
        return value

    def index_atom(self: Lowerer, index: AVal) -> Atom:
        match index:
            case SliceV(parts):
                return self.emit(prims.make_slice, *parts, kind=K.SLICE)
            case TupleV(items):
                atoms = tuple(self.index_atom(i) for i in items)
                return self.emit(prims.make_tuple, *atoms, kind=K.Tuple(tuple(kind_of(a) for a in atoms)))
        return self.as_atom(index)

    def tuple_item(self: Lowerer, base: TupleV, index: Any, hint: str) -> AVal:
        if isinstance(index, gast.Slice):
            parts = [None if p is None else self.expr(p) for p in (index.lower, index.upper, index.step)]
            if all(p is None or isinstance(p, Const) for p in parts):
                return TupleV(base.items[slice(*(None if p is None else p.value for p in parts))])  # type: ignore[union-attr]
            raise self.unsupported("a slice of a tuple needs bounds known here.", "Use an array or a list.")
        k = self.expr(index)
        if isinstance(k, Const) and isinstance(k.value, int):
            if not -len(base.items) <= k.value < len(base.items):
                raise self.unsupported("tuple index out of range.")
            return base.items[k.value]
        if is_atom(k) and base.items and all(isinstance(i, FuncV) for i in base.items):
            from s2sad.frontend.values import UnionV

            n = len(base.items)
            selector = self.emit(operator.mod, k, Const(n), kind=K.INT)  # type: ignore[arg-type]
            return UnionV(selector, base.items)  # type: ignore[arg-type]
        return self.load(self.as_atom(base), k, hint)

    def dict_item(self: Lowerer, d: DictV, key: AVal) -> AVal:
        if not isinstance(key, Const):
            raise self.needs_runtime(d)
        if key.value not in self.dict_keys(d):
            raise self.unsupported(f"the dict has no key {key.value!r} here.")
        value = self.read((d, key.value))
        assert value is not None
        return value

    def store_item(self: Lowerer, base: AVal, index: Any, value: AVal) -> None:
        """``base[index] = value``"""
        match base:
            case DictV():
                self.store_key(base, self.expr(index), value)
                return
            case ObjectV():
                self.call(self.attribute(base, "__setitem__"), [self.expr(index), value], {})
                return
            case TupleV():
                raise self.unsupported(
                    "this sequence is fixed while compiling and cannot be stored into.",
                    "Use a list of numbers or an array.",
                )
        atom = self.as_atom(base)
        where = self.index_atom(self.index_value(index))
        stored = self.as_atom(value)
        self.store(self.owned(atom), where, stored)
        self.note_item(atom, stored)

    def store_key(self: Lowerer, d: DictV, key: AVal, value: AVal) -> None:
        """``d[key] = value`` for a tracked dict."""
        if not isinstance(key, Const):
            raise self.needs_runtime(d)
        keys = self.dict_keys(d)
        if key.value not in keys:
            self.write((d, "$keys"), TupleV((*(Const(k) for k in keys), key)))
        self.write((d, key.value), value)

    def note_item(self: Lowerer, container: Atom, value: Atom) -> None:
        """A list's item kind widens by what is stored into it."""
        if isinstance(kind_of(container), K.List | K.Dict):
            self.containers.put(container, value, kind_of(value))

    def augment_item(self: Lowerer, base: AVal, index: Any, op: Any, value_node: Any) -> None:
        """``base[index] op= value``"""
        atom = None if isinstance(base, DictV | ObjectV | TupleV) else self.as_atom(base)
        if atom is None:
            key = self.expr(index)
            const = gast.Constant(value=key.value, kind=None) if isinstance(key, Const) else index
            current = self.item(base, const)
            value = self.expr(value_node)
            if not self.in_place(current, op, value):
                self.store_item(base, const, self.binary(op, current, value))
            return
        where = self.index_value(index)
        at = self.index_atom(where)
        kind = kind_of(atom)
        if isinstance(kind, K.List | K.Dict) or op is operator.matmul:
            current = self.emit(operator.getitem, atom, at, kind=self.getitem_kind(kind, where))
            value = self.expr(value_node)
            if not self.in_place(current, op, value):
                result = self.as_atom(self.binary(op, current, value))
                self.store(self.owned(atom), at, result)
                self.note_item(atom, result)
            return
        value = self.expr(value_node)
        self.store(self.owned(atom), at, self.as_atom(value), prims.BINARY[op])

    def delete_item(self: Lowerer, base: AVal, index: Any) -> None:
        if isinstance(base, DictV):
            key = self.expr(index)
            keys = self.dict_keys(base)
            if isinstance(key, Const) and key.value in keys:
                self.write((base, "$keys"), TupleV(tuple(Const(k) for k in keys if k != key.value)))
                return
        if is_atom(base) and isinstance(kind_of(base), K.List):  # type: ignore[arg-type]
            self.call(MethodV(base, "pop"), [self.expr(index)], {})
            return
        raise self.unsupported("`del` of this item is not handled.", "Build a new list without it.")

    # -- comprehensions -----------------------------------------------------------------

    def expr_ListComp(self: Lowerer, node: Any, hint: str) -> AVal:
        return self.comprehension(node, hint)

    def expr_GeneratorExp(self: Lowerer, node: Any, hint: str) -> AVal:
        return self.comprehension(node, hint)

    expr_SetComp = expr_ListComp

    def comprehension(self: Lowerer, node: Any, hint: str) -> AVal:
        """A list comprehension: a loop that appends; a tuple where every item is known apart."""
        static = self.static_comprehension(node)
        if static is not None:
            return self.make_list(static, hint, node)
        out = self.new_list([], hint, node)
        self.generators(node.generators, lambda: self.append(out, self.expr(node.elt)))
        return out

    def new_list(self: Lowerer, atoms: list[Atom], hint: str, site: Any) -> Var:
        """A fresh list of these items, of the kind that is ever put into it."""
        item = self.containers.items.get(site_key(site), K.BOTTOM)
        for a in atoms:
            item = K.join(item, K.without_shape(kind_of(a)))
        out = self.emit(prims.make_list, *atoms, kind=K.List(item), hint=hint)
        self.containers.made(out, site_key(site))
        for a in atoms:
            self.containers.put(out, a, kind_of(a))
        return out

    def made_container(self: Lowerer, out: Var, site: Any) -> None:
        """A container was made here as a copy: what is put into it widens its items from the start."""
        key = site_key(site)
        item = self.containers.items.get(key, K.BOTTOM)
        kind = out.kind
        assert isinstance(kind, K.List)
        object.__setattr__(out, "kind", K.List(K.join(kind.item, item)))
        self.containers.made(out, key)

    def make_array(self: Lowerer, fn: Any, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """``np.array(...)``: of nested literals, stacked rows; of the rest, one primitive."""
        atoms = [self.array_source(args[0]), *(self.as_atom(a) for a in args[1:])]
        named = tuple((k, self.as_atom(v)) for k, v in kwargs.items())
        return self.emit(fn, *atoms, kwargs=named, hint=hint)

    def array_source(self: Lowerer, value: AVal) -> Atom:
        if isinstance(value, IterV):
            return self.as_list(value)
        return self.as_atom(value)

    def outside_type(self: Lowerer, cls: type) -> Ref:
        """A NumPy scalar type, as an argument."""
        return Ref(("np", cls.__name__), np, cls, K.Other(type))

    def each(self: Lowerer, source: AVal, do: Any) -> None:
        """Run ``do`` on every item of an iterable, in a loop or unrolled."""
        items = self.iteration(source)
        if isinstance(items, list):
            for item in items:
                do(item)
            return
        target = gast.Name(id="$item", ctx=gast.Store(), annotation=None, type_comment=None)
        with self.comprehension_frame([gast.comprehension(target=target, iter=None, ifs=[], is_async=0)]):
            self.for_each(self.origin, items, target, lambda: do(self.lookup("$item")), [], [])

    def fold(self: Lowerer, source: AVal, start: AVal, step: Any, hint: str) -> AVal:
        """``functools.reduce(step, source, start)``"""
        items = self.iteration(source)
        if isinstance(items, list):
            acc = start
            for item in items:
                acc = step(acc, item)
            return acc
        names = [gast.Name(id=n, ctx=gast.Store(), annotation=None, type_comment=None) for n in ("$item", hint)]
        generators = [gast.comprehension(target=n, iter=None, ifs=[], is_async=0) for n in names]
        with self.comprehension_frame(generators):
            place = (self.frame, hint)
            self.write(place, start)
            self.for_each(
                self.origin,
                items,
                names[0],
                lambda: self.write(place, step(self.read(place), self.lookup("$item"))),
                [hint],
                [],
            )
            value = self.read(place)
            assert value is not None
            return value

    def extremum_of_list(self: Lowerer, compare: Any, atom: Atom, default: AVal | None) -> AVal:
        """``min(xs)`` or ``max(xs)``: the first of the best."""
        first = self.load(atom, Const(0))
        rest = self.load(atom, SliceV((Const(1), Const(None), Const(None))))

        def step(best: AVal, item: AVal) -> AVal:
            better = self.emit(compare, self.as_atom(item), self.as_atom(best))
            return self.choose(better, lambda: item, lambda: best)

        return self.fold(rest, first, step, "best")

    def append(self: Lowerer, container: Atom, value: AVal) -> None:
        """``container.append(value)``"""
        atom = self.as_atom(value)
        self.containers.put(container, atom, kind_of(atom))
        self.effect(prims.list_append, container, atom)

    def generators(self: Lowerer, generators: list[Any], innermost: Any) -> None:
        if not generators:
            innermost()
            return
        g = generators[0]
        with self.comprehension_frame([g]):
            self.for_each(
                g,
                self.iteration(self.expr(g.iter)),
                g.target,
                lambda: self.guarded(g.ifs, lambda: self.generators(generators[1:], innermost)),
                assigned_names([g.target]),
                [],
            )

    def guarded(self: Lowerer, tests: list[Any], then: Any) -> None:
        if not tests:
            then()
            return
        cond = self.condition(tests[0])
        if isinstance(cond, bool):
            if cond:
                self.guarded(tests[1:], then)
            return
        self.branch(cond, lambda: self.guarded(tests[1:], then), lambda: None)

    def comprehension_frame(self: Lowerer, generators: list[Any]) -> Any:
        """A scope of its own for the targets of a comprehension."""
        from contextlib import contextmanager

        @contextmanager
        def scope() -> Any:
            names = frozenset(assigned_names([g.target for g in generators]))
            outer = self.frame
            frame = Frame("<comprehension>", outer.source, outer.globals, {}, outer, names, owner=outer.owner)
            for name in ("$exit", "$ret"):
                self.write((frame, name), Const(False))
            self.frames.append(frame)
            try:
                yield
            finally:
                self.frames.pop()

        return scope()

    def static_comprehension(self: Lowerer, node: Any) -> list[AVal] | None:
        """The items of a comprehension over a compile-time sequence without conditions, or None."""
        if len(node.generators) != 1 or node.generators[0].ifs:
            return None
        g = node.generators[0]
        if not isinstance(g.iter, gast.Tuple | gast.Name | gast.Call | gast.Attribute):
            return None
        if not self.is_static_iterable(g.iter):
            return None
        items = self.iteration(self.expr(g.iter))
        if not isinstance(items, list):
            return None
        results: list[AVal] = []
        with self.comprehension_frame([g]):
            for item in items:
                self.assign(g.target, item)
                results.append(self.expr(node.elt))
        return results

    def is_static_iterable(self: Lowerer, node: Any) -> bool:
        """Whether iterating this expression is unrolled: judged without evaluating it twice."""
        match node:
            case gast.Name(id=name):
                return isinstance(self.lookup(name), TupleV | DictV)
            case gast.Tuple():
                return True
            case gast.Call(func=gast.Name(id="zip" | "enumerate" | "reversed"), args=args):
                return any(self.is_static_iterable(a) for a in args)
            case gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr="items" | "keys" | "values")):
                return isinstance(self.lookup(name), DictV)
        return False

    def expr_DictComp(self: Lowerer, node: Any, hint: str) -> AVal:
        g = node.generators[0]
        if len(node.generators) == 1 and not g.ifs and self.is_static_iterable(g.iter):
            items = self.iteration(self.expr(g.iter))
            if isinstance(items, list):
                pairs: list[tuple[Any, AVal]] = []
                with self.comprehension_frame([g]):
                    for item in items:
                        self.assign(g.target, item)
                        key = self.expr(node.key)
                        if not isinstance(key, Const):
                            raise self.unsupported("the keys of this dict are not known while compiling.")
                        pairs.append((key.value, self.expr(node.value)))
                return self.new_dict(pairs)
        out = self.runtime_dict([], hint, node)
        self.generators(node.generators, lambda: self.put_item(out, self.expr(node.key), self.expr(node.value)))
        return out

    def put_item(self: Lowerer, out: Var, key: AVal, value: AVal) -> None:
        """``out[key] = value`` for a dict that exists at run time."""
        atom = self.as_atom(value)
        self.store(out, self.as_atom(key), atom)
        self.note_item(out, atom)

    def expr_Starred(self: Lowerer, node: Any, hint: str) -> AVal:
        raise self.unsupported("a star is not handled here.")

    def expr_Call(self: Lowerer, node: Any, hint: str) -> AVal:
        return self.call_node(node, hint)

    def expr_Slice(self: Lowerer, node: Any, hint: str) -> AVal:
        return self.index_atom(self.index_value(node))


def site_key(site: Any) -> Any:
    """What names a place in the source from one lowering to the next."""
    if isinstance(site, Origin):
        return site.filename, site.lineno, site.col_offset
    if isinstance(site, tuple):
        return tuple(site_key(s) if isinstance(s, Origin) else s for s in site)
    return id(site)


def _folds(op: Any, x: Any, y: Any) -> bool:
    if isinstance(x, str) or isinstance(y, str):
        return op in (operator.add, operator.mod)
    if isinstance(x, tuple) or isinstance(y, tuple):
        return False
    if op in (operator.add, operator.sub):
        return True
    if op is operator.mul:
        return abs(x) < 2**32 and abs(y) < 2**32
    return op in (operator.floordiv, operator.mod) and y != 0


def kind_of_object(value: Any) -> K.Kind:
    """The kind of a live Python object."""
    match value:
        case np.ndarray():
            return K.Array(value.dtype.name, value.ndim)
        case np.generic():
            return K.Scalar(value.dtype.name) if isinstance(value, np.number | np.bool_) else K.Other(type(value))
        case list():
            item: K.Kind = K.BOTTOM
            for v in value:
                item = K.join(item, kind_of_object(v))
            return K.List(item)
        case dict():
            item = K.BOTTOM
            for v in value.values():
                item = K.join(item, kind_of_object(v))
            return K.Dict(item)
        case tuple():
            cls = type(value)
            return K.Tuple(tuple(kind_of_object(v) for v in value), None if cls is tuple else cls)
    return constant_kind(value)


def is_plain_callable(value: Any) -> bool:
    """Whether a value is called as it stands: anything but an object whose class defines ``__call__`` in Python."""
    return callable(value) and (
        not isinstance(getattr(type(value), "__call__", None), types.FunctionType)
        or hasattr(value, "py_func")
        or hasattr(value, "primal")
    )


class _Namespace:
    """A dict of globals seen as a module: for functions whose module cannot be found by name."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.__dict__ = namespace


def module_of(namespace: dict[str, Any]) -> Any:
    """The module a dict of globals belongs to, or a stand-in that reads it live."""
    import sys

    module = sys.modules.get(namespace.get("__name__", ""))
    if module is not None and module.__dict__ is namespace:
        return module
    stand_in = _Namespace.__new__(_Namespace)
    object.__setattr__(stand_in, "__dict__", namespace)
    if "__name__" not in namespace:
        return types.SimpleNamespace(**namespace)
    return stand_in
