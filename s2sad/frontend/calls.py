"""Lowering of calls: finding the callee, binding arguments, inlining, iteration."""

from __future__ import annotations

import functools
import operator
import types
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from s2sad.errors import S2sadError
from s2sad.frontend.builder import Conflict, Restart
from s2sad.frontend.builtin_calls import BUILTINS, METHODS, UFUNC_METHODS
from s2sad.frontend.recursion import UNROLLED
from s2sad.frontend.scope import parameter_names
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
    OperatorV,
    PartialV,
    PyFunc,
    RangeV,
    SliceV,
    SuperV,
    TupleV,
    UfuncMethodV,
    UnionV,
    is_atom,
    kind_of,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Const, Ref
from s2sad.rules.table import rule_for

if TYPE_CHECKING:
    from s2sad.frontend.lower import Lowerer

__all__ = ["Calls"]


class Calls:
    """The call half of the lowerer."""

    def call_node(self: Lowerer, node: Any, hint: str = "") -> AVal:
        """Lower a call expression."""
        function = self.expr(node.func)
        if isinstance(function, ObjectV) and node.func.__class__ is gast.Name and node.func.id == "super":
            function = PyFunc.of(super)
        if isinstance(function, PyFunc) and function.fn is super and not node.args:
            return self.super_object()
        if isinstance(function, PyFunc) and function.fn is zip and len(node.args) == 1:
            if isinstance(node.args[0], gast.Starred):
                return self.columns_of(self.expr(node.args[0].value))
        args = self.elements(node.args)
        kwargs: dict[str, AVal] = {}
        for k in node.keywords:
            value = self.expr(k.value)
            if k.arg is not None:
                kwargs[k.arg] = value
            elif isinstance(value, DictV):
                kwargs.update({key: self.read((value, key)) for key in self.dict_keys(value)})  # type: ignore[misc]
            else:
                raise self.unsupported("`**` of a dict whose keys are not known here is not handled.")
        return self.call(function, args, kwargs, hint)

    def columns_of(self: Lowerer, rows: AVal) -> AVal:
        """``zip(*rows)``"""
        items = self.static_items(rows)
        if items is not None:
            return IterV("zip", tuple(items))
        atom = self.as_atom(rows)
        if isinstance(kind_of(atom), K.Array):
            return self.emit(np.transpose, atom)
        return IterV("columns", (atom,))

    def super_object(self: Lowerer) -> AVal:
        """``super()`` in a method: the object, with lookup from the next class on."""
        frame: Frame | None = self.frame
        while frame is not None and "__class__" not in frame.closure:
            frame = frame.parent
        if frame is None:
            raise self.unsupported("`super()` is not handled here.")
        owner = frame.closure["__class__"].cell_contents
        names = parameter_names(frame.source.node.args) if frame.source is not None else []
        obj = self.read((frame, names[0])) if names else None
        if not isinstance(obj, ObjectV | TupleV):
            raise self.unsupported("`super()` is not handled here.")
        mro = obj.cls.__mro__  # type: ignore[union-attr]
        return SuperV(mro[mro.index(owner) + 1 :], obj)

    def call(self: Lowerer, function: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str = "") -> AVal:
        """Apply a function to abstract values."""
        match function:
            case Conflict():
                raise self.unsupported("the function called here is one of two things that cannot be told apart.")
            case PyFunc(fn=fn):
                return self.call_python(function, fn, args, kwargs, hint)
            case ClosureV():
                return self.call_closure(function, args, kwargs, hint)
            case BoundV(function=inner, self=obj):
                return self.call(inner, [obj, *args], kwargs, hint)
            case PartialV(function=inner, args=first, kwargs=named):
                return self.call(inner, [*first, *args], {**dict(named), **kwargs}, hint)
            case MethodV(obj=obj, name=name):
                return self.call_method(obj, name, args, kwargs, hint)
            case UfuncMethodV(ufunc, name):
                return UFUNC_METHODS[ufunc, name](self, args, kwargs, hint)
            case UnionV():
                return self.call_union(function, args, kwargs, hint)
            case OperatorV():
                return self.call_operator(function, args, kwargs, hint)
            case ObjectV():
                return self.call(self.attribute(function, "__call__"), args, kwargs, hint)
            case Const(value=v) if function == UNDEF:
                return UNDEF
        if is_atom(function):
            return self.call_runtime(function, args, kwargs, hint)  # type: ignore[arg-type]
        raise self.unsupported("this value cannot be called.")

    def call_runtime(self: Lowerer, function: Atom, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """Call a callable only known at run time: allowed where no derivative goes through it."""
        atoms = [self.as_atom(a) for a in args]
        named = tuple((k, self.as_atom(v)) for k, v in kwargs.items())
        return self.emit(prims.call_value, function, *atoms, kwargs=named, kind=K.ANY, hint=hint)

    def call_union(self: Lowerer, function: UnionV, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """One of several functions: a branch on which."""

        def pick(k: int) -> AVal:
            if k == len(function.options) - 1:
                return self.call(function.options[k], args, kwargs, hint)
            chosen = self.emit(operator.eq, function.selector, Const(k), kind=K.BOOL)
            return self.choose(chosen, lambda: self.call(function.options[k], args, kwargs, hint), lambda: pick(k + 1))

        return pick(0)

    # -- Python callables ---------------------------------------------------------------

    def call_python(
        self: Lowerer, function: PyFunc, fn: Any, args: list[AVal], kwargs: dict[str, AVal], hint: str
    ) -> AVal:
        """Call an object from outside the function."""
        try:
            handler = BUILTINS.get(fn)
        except TypeError:
            handler = None
        if handler is not None:
            return handler(self, args, kwargs, hint)  # type: ignore[no-any-return]
        if isinstance(fn, functools.partial):
            inner = self.outside_callable(fn.func)
            first = [self.constant_argument(a) for a in fn.args]
            named = {k: self.constant_argument(v) for k, v in fn.keywords.items()}
            return self.call(inner, [*first, *args], {**named, **kwargs}, hint)
        if isinstance(fn, types.MethodType):
            obj = self.constant_argument(fn.__self__)
            return self.call(PyFunc.of(fn.__func__), [obj, *args], kwargs, hint)
        rule = rule_for(fn)
        if rule is not None and rule.form == "composite":
            return self.call_function(rule.function, args, kwargs, hint)
        if rule is not None:
            return self.primitive(fn, args, kwargs, hint)
        if hasattr(fn, "primal") and hasattr(fn, "mode"):
            return self.call_derivative(fn, args, kwargs, hint)
        if isinstance(fn, type):
            return self.construct(function, fn, args, kwargs, hint)
        if hasattr(fn, "py_func"):
            fn = fn.py_func
        if isinstance(fn, functools._lru_cache_wrapper):
            fn = fn.__wrapped__
        if isinstance(fn, types.FunctionType) and not is_library(fn):
            return self.call_function(fn, args, kwargs, hint)
        return self.opaque(function, args, kwargs, hint)

    def outside_callable(self: Lowerer, fn: Any) -> AVal:
        from s2sad.frontend.expressions import kind_of_object

        return self.outside_value(Ref((getattr(fn, "__name__", "function"),), fn, fn, kind_of_object(fn)))

    def constant_argument(self: Lowerer, value: Any) -> AVal:
        """A value bound into a callable outside the function (by partial, or as self)."""
        from s2sad.frontend.expressions import kind_of_object

        if isinstance(value, bool | int | float | str) or value is None:
            return Const(value)
        name = f"bound_{type(value).__name__}_{len(self.objects)}"
        for known, obj in self.objects.items():
            if obj.live is not None and obj.live.value is value:
                return obj
            del known
        ref = Ref((name,), value, value, kind_of_object(value))
        result = self.outside_value(ref)
        if isinstance(result, ObjectV):
            self.objects[ref.path] = result
        return result

    def primitive(self: Lowerer, fn: Any, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """Apply a primitive: one statement."""
        kwargs = dict(kwargs)
        out = kwargs.pop("out", None)
        if out is None and isinstance(fn, np.ufunc) and len(args) == fn.nin + 1:
            out = args.pop()
        if isinstance(out, TupleV) and len(out.items) == 1:
            out = out.items[0]
        atoms = [self.as_atom(a) for a in args]
        named = tuple((k, self.as_atom(v)) for k, v in kwargs.items())
        if "where" in kwargs and isinstance(fn, np.ufunc):
            raise self.unsupported("the `where=` argument of a ufunc is not handled.", "Use np.where.")
        if out is None or out == Const(None):
            return self.emit(fn, *atoms, kwargs=named, hint=hint)
        target = self.as_atom(out)
        if not isinstance(kind_of(target), K.Array):
            raise self.unsupported("`out=` is handled only where it is an array known here.")
        value = self.emit(fn, *atoms, kwargs=named)
        self.store(self.owned(target), Const(...), value)
        return target

    def opaque(self: Lowerer, function: PyFunc, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """A call the compiler cannot look into: an effect, and a value without derivative."""
        atoms = [self.as_atom(a) for a in args]
        named = tuple((k, self.as_atom(v)) for k, v in kwargs.items())
        fn = function.fn
        if function.ref is not None and len(function.ref.path) > 1 and not is_library(fn):
            return self.emit(prims.call_value, function.ref, *atoms, kwargs=named, kind=K.ANY, hint=hint)
        return self.emit(fn, *atoms, kwargs=named, hint=hint)

    def owned(self: Lowerer, atom: Atom) -> Atom:
        """The target of a store."""
        kind = kind_of(atom)
        if isinstance(kind, K.Scalar):
            raise self.unsupported("a number cannot be stored into.", "Use an array.")
        return atom

    def construct(
        self: Lowerer, function: PyFunc, cls: type, args: list[AVal], kwargs: dict[str, AVal], hint: str
    ) -> AVal:
        """Make an object: a record tracked field by field where the class is the user's own."""
        import dataclasses

        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            defaults = {k: self.constant_argument(v) for k, v in getattr(cls, "_field_defaults", {}).items()}
            bound = dict(zip(cls._fields, args, strict=False))
            values = {**defaults, **bound, **kwargs}
            return TupleV(tuple(values[f] for f in cls._fields), cls)
        if issubclass(cls, BaseException) or cls.__module__ in ("builtins", "numpy") or is_library(cls):
            return self.opaque(function, args, kwargs, hint)
        obj = ObjectV(cls)
        if dataclasses.is_dataclass(cls) and not isinstance(cls.__dict__.get("__init__"), types.FunctionType):
            self.init_dataclass(obj, cls, args, kwargs)
        elif dataclasses.is_dataclass(cls) and getattr(cls.__init__, "__qualname__", "").endswith("__create_fn__.<locals>.__init__"):
            self.init_dataclass(obj, cls, args, kwargs)
        elif dataclasses.is_dataclass(cls) and cls.__dataclass_params__.init and not _has_source(cls.__init__):  # type: ignore[attr-defined]
            self.init_dataclass(obj, cls, args, kwargs)
        elif isinstance(cls.__init__, types.FunctionType):
            self.call_function(cls.__init__, [obj, *args], kwargs, "")
        elif args or kwargs:
            raise self.unsupported(f"`{cls.__name__}(...)` is not handled here.")
        return obj

    def init_dataclass(self: Lowerer, obj: ObjectV, cls: type, args: list[AVal], kwargs: dict[str, AVal]) -> None:
        import dataclasses

        fields = [f for f in dataclasses.fields(cls) if f.init]
        values = {**dict(zip([f.name for f in fields], args, strict=False)), **kwargs}
        for f in dataclasses.fields(cls):
            if f.name in values:
                value = values[f.name]
            elif f.default is not dataclasses.MISSING:
                value = self.constant_argument(f.default)
            elif f.default_factory is not dataclasses.MISSING:
                value = self.call(self.outside_callable(f.default_factory), [], {})
            else:
                raise self.unsupported(f"`{cls.__name__}` needs a value for `{f.name}`.")
            self.write((obj, f.name), value)
        post = getattr(cls, "__post_init__", None)
        if isinstance(post, types.FunctionType):
            self.call_function(post, [obj], {}, "")

    # -- inlining -----------------------------------------------------------------------

    def call_function(self: Lowerer, fn: Any, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """Lower the body of a Python function in place of its call."""
        from s2sad.frontend.lower import frame_of
        from s2sad.frontend.parse import parse_function

        source = parse_function(fn)
        frame = frame_of(source)
        defaults = [functools.partial(self.default_value, v) for v in source.defaults]
        kwdefaults = {k: functools.partial(self.default_value, v) for k, v in source.kwdefaults.items()}
        return self.inline(frame, source.node, args, kwargs, defaults, kwdefaults)

    def default_value(self: Lowerer, value: Any) -> AVal:
        if isinstance(value, bool | int | float | str) or value is None:
            return Const(value)
        return self.constant_argument(value)

    def call_closure(self: Lowerer, function: ClosureV, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        from s2sad.frontend.lower import scope_names

        parent = function.frame
        frame = Frame(function.name, parent.source, parent.globals, parent.closure, parent, *scope_names(function.node))
        defaults = [functools.partial(_given, v) for v in function.defaults]
        kwdefaults = {k: functools.partial(_given, v) for k, v in function.kwdefaults}
        return self.inline(frame, function.node, args, kwargs, defaults, kwdefaults)

    def inline(
        self: Lowerer, frame: Frame, node: Any, args: list[AVal], kwargs: dict[str, AVal], defaults: Any, kwdefaults: Any
    ) -> AVal:
        bound = self.bind_arguments(frame.name, node.args, args, kwargs, defaults, kwdefaults)
        if id(node) in self.recursive:
            return self.call_outlined(frame, node, bound)
        if sum(n is node for n in self.active_calls) > UNROLLED:
            self.recursive.add(id(node))
            raise Restart
        for name, value in bound.items():
            self.write((frame, name), value)
        self.active_calls.append(node)
        try:
            return self.run_body(frame, node)
        finally:
            self.active_calls.pop()

    def bind_arguments(
        self: Lowerer,
        name: str,
        params: Any,
        args: list[AVal],
        kwargs: dict[str, AVal],
        defaults: Any,
        kwdefaults: Any,
    ) -> dict[str, AVal]:
        """Bind a call's arguments as Python does."""
        positional = [a.id for a in (*params.posonlyargs, *params.args)]
        keyword_ok = {a.id for a in (*params.args, *params.kwonlyargs)}
        bound: dict[str, AVal] = dict(zip(positional, args, strict=False))
        if len(args) > len(positional) and params.vararg is None:
            raise self.unsupported(f"`{name}` takes {len(positional)} positional arguments and is given {len(args)}.")
        extra: list[tuple[Any, AVal]] = []
        for k, v in kwargs.items():
            if k in keyword_ok and k not in bound:
                bound[k] = v
            elif params.kwarg is not None and k not in keyword_ok:
                extra.append((k, v))
            else:
                raise self.unsupported(f"`{name}` got an unexpected or repeated argument `{k}`.")
        for k, default in zip(positional[len(positional) - len(defaults) :], defaults, strict=True):
            if k not in bound:
                bound[k] = default()
        for k, default in kwdefaults.items():
            if k not in bound:
                bound[k] = default()
        missing = [n for n in (*positional, *(a.id for a in params.kwonlyargs)) if n not in bound]
        if missing:
            raise self.unsupported(f"`{name}` is missing the argument `{missing[0]}`.")
        if params.vararg is not None:
            bound[params.vararg.id] = TupleV(tuple(args[len(positional) :]))
        if params.kwarg is not None:
            bound[params.kwarg.id] = self.new_dict(extra)
        return bound

    # -- derivatives inside differentiated code -------------------------------------------

    def call_derivative(self: Lowerer, fn: Any, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """Call a derivative object made outside: ``g = grad(f)``, then ``g(x)`` here."""
        from s2sad.frontend.derivatives import call_derivative_object

        return call_derivative_object(self, fn, args, kwargs, hint)

    def call_operator(self: Lowerer, function: OperatorV, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        from s2sad.frontend.derivatives import apply_operator

        return apply_operator(self, function, args, kwargs, hint)

    # -- methods of run-time values -------------------------------------------------------

    def call_method(
        self: Lowerer, obj: AVal, name: str, args: list[AVal], kwargs: dict[str, AVal], hint: str
    ) -> AVal:
        """``obj.name(...)`` for arrays, lists, dicts, tuples and strings."""
        for kinds, table in METHODS:
            if isinstance(obj, kinds) or (is_atom(obj) and isinstance(kind_of(obj), kinds)):  # type: ignore[arg-type]
                handler = table.get(name)
                if handler is not None:
                    return handler(self, obj, args, kwargs, hint)  # type: ignore[no-any-return]
        if is_atom(obj):
            kind = kind_of(obj)  # type: ignore[arg-type]
            if isinstance(kind, K.Bottom):
                return UNDEF
            if isinstance(kind, K.Other):
                atoms = [self.as_atom(a) for a in args]
                named = tuple((k, self.as_atom(v)) for k, v in kwargs.items())
                result = K.STR if kind.type is str else K.ANY
                return self.emit(prims.call_method, obj, Const(name), *atoms, kwargs=named, kind=result, hint=hint)  # type: ignore[arg-type]
        raise self.unsupported(f"the method `{name}` of this value is not handled.")

    # -- iteration ----------------------------------------------------------------------

    def iteration(self: Lowerer, iterable: AVal) -> Any:
        """How to loop over a value: a list of items, or (start, stop, step, item of index)."""
        static = self.static_items(iterable)
        if static is not None:
            return static
        if isinstance(iterable, RangeV):
            return iterable.start, iterable.stop, iterable.step, None
        if isinstance(iterable, IterV) and iterable.form == "reversed" and isinstance(iterable.parts[0], RangeV):
            r = self.reversed_range(iterable.parts[0])
            return r.start, r.stop, r.step, None
        length, item = self.indexable(iterable)
        return Const(0), length, Const(1), item

    def static_items(self: Lowerer, iterable: AVal) -> list[AVal] | None:
        """The items of a sequence of known length, or None."""
        match iterable:
            case TupleV(items):
                return list(items)
            case DictV():
                return [Const(k) for k in self.dict_keys(iterable)]
            case ObjectV(cls=cls) if issubclass(cls, tuple):
                return None
            case IterV(form="reversed", parts=(part,)):
                items = self.static_items(part)
                return None if items is None else items[::-1]
            case IterV(form="enumerate", parts=(part, Const(value=int(start)))):
                items = self.static_items(part)
                return None if items is None else [TupleV((Const(k), i)) for k, i in enumerate(items, start)]
            case IterV(form="zip", parts=parts):
                columns = [self.static_items(p) for p in parts]
                if all(c is not None for c in columns):
                    return [TupleV(row) for row in zip(*columns, strict=False)]  # type: ignore[arg-type]
                known = [c for c in columns if c is not None]
                if known and any(isinstance(i, FuncV | ObjectV | TupleV | DictV) for c in known for i in c):
                    n = min(len(c) for c in known)
                    rows = []
                    readers = [None if c is not None else self.indexable(p)[1] for c, p in zip(columns, parts, strict=True)]
                    for k in range(n):
                        row = [c[k] if c is not None else r(Const(k)) for c, r in zip(columns, readers, strict=True)]  # type: ignore[misc]
                        rows.append(TupleV(tuple(row)))
                    return rows
                return None
            case IterV(form="map", parts=(function, *parts)):
                rows = self.static_items(IterV("zip", tuple(parts)))  # type: ignore[assignment]
                return None if rows is None else [self.call(function, list(r.items), {}) for r in rows]  # type: ignore[union-attr]
        return None

    def indexable(self: Lowerer, iterable: AVal) -> tuple[Atom, Any]:
        """The length of an iterable, and a function from an index to its item."""
        match iterable:
            case RangeV(start, stop, step):
                if start == Const(0) and step == Const(1):
                    return stop, lambda k: k
                length = self.emit(len, self.as_atom(iterable), kind=K.INT)
                return length, lambda k: self.affine(start, step, k)
            case IterV(form="enumerate", parts=(part, start)):
                length, item = self.indexable(part)
                return length, lambda k: TupleV((self.shifted(k, start), item(k)))
            case IterV(form="zip", parts=parts):
                columns = [self.indexable(p) for p in parts]
                length = self.shortest([n for n, _ in columns])
                return length, lambda k: TupleV(tuple(item(k) for _, item in columns))
            case IterV(form="reversed", parts=(part,)):
                length, item = self.indexable(part)
                last = self.emit(operator.sub, length, Const(1), kind=K.INT)
                return length, lambda k: item(self.emit(operator.sub, last, k, kind=K.INT))
            case IterV(form="map", parts=(function, *parts)):
                length, item = self.indexable(IterV("zip", tuple(parts)))
                return length, lambda k: self.call(function, list(item(k).items), {})
            case IterV(form="columns", parts=(rows,)):
                length = self.emit(len, self.as_atom(self.load(self.as_atom(rows), Const(0))), kind=K.INT)
                return length, lambda k: self.column(rows, k)
            case IterV(form="indexed", parts=(array, index)):
                length, item = self.indexable(index)
                return length, lambda k: self.indexed(array, item(k))
            case IterV(form="items", parts=(d,)):
                keys = self.emit(prims.dict_items, self.as_atom(d), kind=K.List(K.ANY))
                length = self.emit(len, keys, kind=K.INT)
                return length, lambda k: self.dict_pair(d, self.load(keys, k))
            case IterV(form="values", parts=(d,)):
                keys = self.emit(prims.dict_items, self.as_atom(d), kind=K.List(K.ANY))
                length = self.emit(len, keys, kind=K.INT)
                return length, lambda k: self.load(self.as_atom(d), self.load(keys, k))
            case TupleV():
                atom = self.as_atom(iterable)
                return Const(len(iterable.items)), lambda k: self.load(atom, k)
        atom = self.as_atom(iterable)
        kind = kind_of(atom)
        if isinstance(kind, K.Dict):
            atom = self.emit(prims.dict_items, atom, kind=K.List(K.ANY))
        elif isinstance(kind, K.Other):
            items = K.List(K.INT if kind.type is range else kind if kind.type is str else K.ANY)
            atom = self.emit(prims.list_copy, atom, kind=items)
        elif isinstance(kind, K.Scalar):
            raise self.unsupported("a number cannot be iterated over.")
        length = self.emit(len, atom, kind=K.INT)
        return length, lambda k: self.load(atom, k)

    def column(self: Lowerer, rows: AVal, k: Atom) -> AVal:
        """The list of the items at ``k`` of each row."""
        out = self.new_list([], "", (self.origin, "column"))
        self.each(rows, lambda row: self.append(out, self.load(self.as_atom(row), k)))
        return out

    def indexed(self: Lowerer, array: AVal, index: AVal) -> AVal:
        """An index and the item there, as ``np.ndenumerate`` gives them."""
        return TupleV((index, self.load(self.as_atom(array), index)))

    def dict_pair(self: Lowerer, d: AVal, key: AVal) -> AVal:
        return TupleV((key, self.load(self.as_atom(d), key)))

    def affine(self: Lowerer, start: Atom, step: Atom, k: Atom) -> Atom:
        scaled = k if step == Const(1) else self.emit(operator.mul, k, step, kind=K.INT)
        return self.shifted(scaled, start)

    def shifted(self: Lowerer, k: Atom, start: AVal) -> Atom:
        if start == Const(0):
            return k
        if isinstance(k, Const) and isinstance(start, Const):
            return Const(k.value + start.value)
        return self.emit(operator.add, k, self.as_atom(start), kind=K.INT)

    def shortest(self: Lowerer, lengths: list[Atom]) -> Atom:
        distinct = list(dict.fromkeys(lengths))
        return distinct[0] if len(distinct) == 1 else self.emit(min, *distinct, kind=K.INT)

    def reversed_range(self: Lowerer, r: RangeV) -> RangeV:
        """``reversed(range(...))`` as a range."""
        if r.step == Const(1):
            return RangeV(self.minus_one(r.stop), self.minus_one(r.start), Const(-1))
        length = self.emit(len, self.as_atom(r), kind=K.INT)
        last = self.affine(r.start, r.step, self.minus_one(length))
        down = Const(-r.step.value) if isinstance(r.step, Const) else self.emit(operator.neg, r.step, kind=K.INT)
        stop = self.emit(operator.sub, r.start, r.step, kind=K.INT)
        return RangeV(last, stop, down)

    def minus_one(self: Lowerer, a: Atom) -> Atom:
        if isinstance(a, Const):
            return Const(a.value - 1)
        return self.emit(operator.sub, a, Const(1), kind=K.INT)

    def all_items(self: Lowerer, value: AVal) -> list[AVal]:
        """Every item of a sequence whose length must be known."""
        items = self.static_items(value)
        if items is None and is_atom(value):
            items = self.items_of(value, None, None, [])
        if items is None:
            raise self.unsupported(
                "a star needs a sequence whose length is known while compiling.", "Index the sequence instead."
            )
        return items

    def items_of(
        self: Lowerer, value: AVal, n: int | None, star: int | None, hints: list[str]
    ) -> list[AVal]:
        """The items of a value unpacked into ``n`` targets, the one at ``star`` taking the rest."""
        items = self.static_items(value)
        if isinstance(value, ObjectV) and items is None and hasattr(value.cls, "__iter__"):
            items = self.static_items(self.call(self.attribute(value, "__iter__"), [], {}))
        if items is None and is_atom(value):
            kind = kind_of(value)  # type: ignore[arg-type]
            if isinstance(kind, K.Bottom):
                return [UNDEF] * (n or 0)
            if isinstance(kind, K.Tuple):
                items = [self.load(value, Const(k), hints[k] if k < len(hints) else "") for k in range(len(kind.items))]  # type: ignore[arg-type]
        if items is None and isinstance(value, IterV | RangeV):
            value = self.as_list(value)
        if items is not None:
            return self.static_unpack(items, n, star)
        if n is None:
            raise self.unsupported("a star needs a sequence whose length is known while compiling.")
        atom = self.as_atom(value)
        if star is None:
            return [self.load(atom, Const(k), hints[k]) for k in range(n)]
        after = n - star - 1
        head = [self.load(atom, Const(k), hints[k]) for k in range(star)]
        middle = self.load(atom, SliceV((Const(star), Const(-after if after else None), Const(None))))
        if isinstance(kind_of(atom), K.Array):
            middle = self.as_list(middle)
        return [*head, middle, *(self.load(atom, Const(k - after)) for k in range(after))]

    def static_unpack(self: Lowerer, items: list[AVal], n: int | None, star: int | None) -> list[AVal]:
        if n is None:
            return items
        if star is None:
            if len(items) != n:
                raise self.unsupported(f"{len(items)} values are unpacked into {n} names.")
            return items
        after = n - star - 1
        if len(items) < n - 1:
            raise self.unsupported(f"{len(items)} values are unpacked into at least {n - 1} names.")
        middle = items[star : len(items) - after]
        rest = items[len(items) - after :] if after else []
        # Python makes a list; with items of any sort a tuple of them serves while compiling
        return [*items[:star], TupleV(tuple(middle)), *rest]

    def as_list(self: Lowerer, value: AVal) -> Atom:
        """``list(value)``"""
        items = self.static_items(value)
        if items is not None:
            return self.as_atom(self.make_list(items, "", self.origin))
        out = self.new_list([], "", self.origin)
        self.each(value, lambda item: self.append(out, item))
        return out


def _given(value: AVal) -> AVal:
    return value


def _has_source(fn: Any) -> bool:
    from s2sad.frontend.parse import parse_function

    try:
        parse_function(fn)
    except S2sadError:
        return False
    return True


def is_library(fn: Any) -> bool:
    """Whether a callable belongs to a numerical library or the standard library: never looked into."""
    import sys

    name = getattr(fn, "__module__", None) or ""
    module = name.partition(".")[0]
    return name == "s2sad.runtime.helpers" or module in ("numpy", "scipy", "numba", "builtins") or module in sys.stdlib_module_names and module != "__main__"
