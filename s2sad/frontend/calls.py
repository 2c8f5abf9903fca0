"""Lowering of calls: finding the callee."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import inspect
import itertools
import types
import typing
from collections.abc import Hashable
from typing import Any

import gast
import numpy as np

from s2sad.analysis.effects import KEEPS_NOTHING, changes_nothing, is_pure, only_shows
from s2sad.errors import qualified_name
from s2sad.frontend.axes import named_of_nothing
from s2sad.frontend.callees import (
    class_of_self,
    is_library,
    is_library_module,
    is_library_ufunc,
    looks_names_up,
    made_of_items,
    name_of_out,
    position_of_out,
    rule_of_class,
    rule_of_method,
)
from s2sad.frontend.defaults import without_defaults
from s2sad.frontend.derivatives import apply_operator, call_derivative_object, put_in
from s2sad.frontend.displays import shape_among, shapes_as_tuples, taken_apart
from s2sad.frontend.distributions import distribution_of
from s2sad.frontend.dtypes import in_dtype, with_known_dtype
from s2sad.frontend.fixed import is_fixed
from s2sad.frontend.handed import records_in
from s2sad.frontend.interface import Lowering
from s2sad.frontend.keeping import call_kept
from s2sad.frontend.known_lengths import shapes_as_known
from s2sad.frontend.nullable import need_there, present
from s2sad.frontend.numpy_forms import apply_ufunc
from s2sad.frontend.objects import kind_of_object
from s2sad.frontend.questions import classes_of
from s2sad.frontend.scope import parameter_names
from s2sad.frontend.several import of_each_option
from s2sad.frontend.shape_lists import axes_at_once, only_read, take_shapes_apart
from s2sad.frontend.signatures import vectorized
from s2sad.frontend.tables import BUILTINS, DEQUE_METHODS, METHODS, UFUNC_METHODS
from s2sad.frontend.texts import kind_of_method, text_of_method
from s2sad.frontend.values import (
    REST,
    SPREAD,
    AVal,
    BoundV,
    ClosureV,
    Conflict,
    DictV,
    Frame,
    FrozenV,
    GeneratorV,
    MethodV,
    ObjectV,
    OperatorV,
    PartialV,
    PyFunc,
    RangeV,
    SuperV,
    TupleV,
    UfuncMethodV,
    UnionV,
    fields_of,
    is_atom,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Callee, Const, Function, Ref, Var
from s2sad.rules.draws import GENERATOR, draw_kind
from s2sad.rules.foreign import is_foreign
from s2sad.rules.infer import arg_of, method_kind, result_kind
from s2sad.rules.lookup import holds_complex
from s2sad.rules.table import Rule, rule_for

__all__ = ["Calls"]


_MANAGED = contextlib.contextmanager(lambda: iter(())).__code__  # of every function that it makes
#: Methods that change a list or dict.
CHANGING = frozenset({"append", "clear", "extend", "insert", "pop", "reverse"})


class Calls(Lowering):
    """The part of the lowerer that calls."""

    def call_node(self, node: Any, hint: str = "") -> AVal:
        """Lower a call expression."""
        match node.func:
            case gast.Attribute(value=owner, attr="append" | "extend" as attr) if len(node.args) == 1:
                grown = self.grown_list(owner)
                if grown is not None:
                    self.effect(prims.call_method, grown, Const(attr), self.as_atom(self.expr(node.args[0])))
                    return Const(None)
        function = self.expr(node.func)
        if isinstance(function, ObjectV) and node.func.__class__ is gast.Name and node.func.id == "super":
            function = PyFunc.of(super)
        if isinstance(function, PyFunc) and function.fn is super and not node.args:
            return self.super_object()
        match function, node.args:
            case (PyFunc(fn=typing.cast), [_, value]) | (PyFunc(fn=typing.assert_type), [value, _]):
                return self.expr(value, hint)  # a type may be text, or what is there for the checker alone
            case PyFunc(fn=fn), [gast.Starred(value=rows)] if fn is zip:
                return self.columns_of(self.expr(rows))
            case PyFunc(fn=fn), [gast.Starred(value=rows)] if fn is itertools.chain:
                return self.call(PyFunc.of(itertools.chain.from_iterable), [self.expr(rows)], {})
        if isinstance(function, PyFunc) and function.fn in (any, all, zip):
            self.refuse_bindings(node.args)
        if isinstance(function, PyFunc):
            for found in (self.joined_tuples, self.fold_of_comprehension):
                if (total := found(function.fn, node)) is not None:
                    return total
            self.items_only |= taken_apart(function.fn, node.args)
        if function == PyFunc.of(next) or looks_names_up(function) or isinstance(function, ObjectV):
            self.at_once -= {id(a) for a in (*node.args, *(k.value for k in node.keywords))}
        node = shapes_as_tuples(node, function)
        args, spread = self.arguments(node, function)
        kwargs: dict[str, AVal] = {} if spread is None else {SPREAD: spread}
        for k in node.keywords:
            value = self.expr(k.value) if k.arg is not None else self.fields_apart(self.expr(k.value))
            if k.arg is not None:
                kwargs[k.arg] = value
            elif isinstance(value, DictV):
                kwargs.update({key: self.value_at((value, key)) for key in self.dict_keys(value)})
            else:
                kwargs[REST] = self.rest_of(function, value, kwargs)
        if looks_names_up(function):
            self.hand_on(node, args, kwargs)
        elif function == PyFunc.of(next):
            self.take_one(node, args)
        return self.call(function, *with_known_dtype(self, function, args, kwargs), hint)

    def rest_of(self, function: AVal, value: AVal, kwargs: dict[str, AVal]) -> AVal:
        """A dict after ``**``, for the parameters of a function to be looked up in."""
        if isinstance(function, ObjectV):
            function = self.attribute(function, "__call__")
        if not (REST not in kwargs and isinstance(runtime_kind(value), K.Dict) and looks_names_up(function)):
            raise self.unsupported(
                "`**` of a dict whose keys are not known here is handled only once in a call of a Python function."
            )
        return value

    def refuse_bindings(self, args: list[Any]) -> None:
        """Refuse generators that bind a name with ``:=`` where not all their items may be asked for."""
        for generator in (a for a in args if isinstance(a, gast.GeneratorExp)):
            if any(isinstance(n, gast.NamedExpr) for n in gast.walk(generator)):
                raise self.unsupported(
                    "a generator that binds a name with `:=` and may not run to its end is not handled.",
                    "Write a loop with `break`.",
                )

    def super_object(self) -> AVal:
        """``super()`` in a method: the object, with lookup from the next class on."""
        frame: Frame | None = self.frame
        while frame is not None and "__class__" not in frame.closure:
            frame = frame.parent
        if frame is None:
            raise self.unsupported("`super()` is not handled here.")
        owner = frame.closure["__class__"].cell_contents
        names = parameter_names(frame.source.node.args) if frame.source is not None else []
        obj = self.read((frame, names[0])) if names else None
        cls = self.class_known_of(obj)
        if cls is None or obj is None:
            raise self.unsupported("`super()` is not handled here.")
        mro = cls.__mro__
        return SuperV(mro[mro.index(owner) + 1 :], obj)

    def call(self, function: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str = "") -> AVal:
        """Apply a function to abstract values."""
        match function:
            case Conflict():
                self.try_rows(function)
                raise self.unsupported("the function called here is one of two things that cannot be told apart.")
            case PyFunc(fn=fn):
                return self.call_python(function, fn, args, kwargs, hint)
            case ClosureV():
                return self.call_closure(function, args, kwargs, hint)
            case BoundV(function=inner, self=obj):
                return self.call(inner, [self.operand(obj), *args], kwargs, hint)
            case PartialV(function=inner, args=first, kwargs=named):
                return self.call(inner, [*first, *args], {**dict(named), **kwargs}, hint)
            case FrozenV(distribution, first, named, name):
                method = self.attribute(distribution, name)
                return self.call(method, [*args, *first], {**dict(named), **kwargs}, hint)
            case MethodV(obj=obj, name=name):
                return self.call_method(obj, name, args, kwargs, hint)
            case UfuncMethodV(ufunc, name):
                return UFUNC_METHODS[ufunc, name](self, args, kwargs, hint)
            case UnionV():
                return self.call_union(function, args, kwargs, hint)
            case OperatorV():
                return apply_operator(self, function, args, kwargs, hint)
            case ObjectV() | TupleV(cls=type()):
                return self.call(self.attribute(function, "__call__"), args, kwargs, hint)
            case Var(kind=K.Tuple(cls=type()) | K.Row()):  # a record that a list holds
                need_there(self, function, TypeError, "'NoneType' object is not callable")
                return self.call(self.attribute(function, "__call__"), args, kwargs, hint)
            case Const() | Var(kind=K.Bottom()) if kind_of(function) == K.BOTTOM:
                return UNDEF
            case Const(value=Callee(function=Function() as body)):
                return put_in(self, body, [self.as_atom(a) for a in args])
        if is_atom(function):
            return self.call_runtime(function, args, kwargs, hint)
        raise self.unsupported("this value cannot be called.")

    def operand(self, obj: AVal) -> AVal:
        """An object whose method is called: one that is there, where an operator found the method by its class."""
        if not (isinstance(obj, Var) and isinstance(obj.kind, K.Row) and obj in self.nullable):
            return obj
        need_there(self, obj, TypeError, "unsupported operand: 'NoneType'")
        return present(self, obj)

    def call_runtime(self, function: Atom, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """Call a callable only known at run time: allowed where no derivative goes through it."""
        self.refuse_met(function)
        match kind_of(function):
            case K.Other(type() as cls) if (rule := rule_of_class(cls, "__call__")) is not None:
                return self.call_ruled(rule, [function, *args], kwargs, hint)
        atoms = [self.as_atom(a) for a in args]
        named = tuple((k, self.as_atom(v)) for k, v in kwargs.items())
        return self.emit(prims.call_value, function, *atoms, kwargs=named, kind=K.ANY, hint=hint)

    def call_union(self, function: UnionV, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """One of several functions: a branch on which."""

        return of_each_option(self, function, lambda option: self.call(option, args, kwargs, hint))

    # -- Python callables --

    def call_python(self, function: PyFunc, fn: Any, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """Call an object from outside the function."""
        if function.ref is not None:
            self.rely_on(function.ref)
        if (record := made_of_items(fn)) is not None and len(args) == 1 and not kwargs:
            fields = fields_of(record)
            return self.call(PyFunc.of(record), self.items_of(args[0], len(fields), None, [*fields]), {}, hint)
        rule = rule_for(fn)
        if isinstance(fn, np.ufunc) and kwargs.keys() & {"dtype", "casting"}:
            args, kwargs = in_dtype(self, fn, args, kwargs)
        if (rule is not None or is_library(fn)) and not isinstance(fn, type):
            target, args, kwargs = self.into(fn, args, kwargs)
            if target is not None and isinstance(fn, np.ufunc) and kwargs.get("where", Const(True)) != Const(True):
                return self.ufunc_where(fn, target, args, kwargs)
            if target is not None:
                result = self.as_atom(self.call_python(function, fn, args, kwargs, ""))
                self.store(self.owned(target), Const(...), result)
                return target
            args, kwargs = without_defaults(fn, rule, args, kwargs)
        try:
            handler = BUILTINS.get(fn)
        except TypeError:
            handler = None
        if handler is not None:
            return handler(self, args, kwargs, hint)
        if (frozen := distribution_of(function)) is not None:
            return FrozenV(frozen, tuple(args), tuple(kwargs.items()))
        if isinstance(fn, functools.partial):
            inner = self.outside_callable(fn.func)
            self.rely_on_items(fn, "keywords")
            first = [self.constant_argument(a) for a in fn.args]
            named = {k: self.constant_argument(v) for k, v in fn.keywords.items()}
            return self.call(inner, [*first, *args], {**named, **kwargs}, hint)
        if rule is None and (of_class := rule_of_method(fn)) is not None and function.ref is not None:
            own = Ref((*function.ref.path, "__self__"), function.ref.root, fn.__self__, kind_of_object(fn.__self__))
            return self.call_ruled(of_class, [own, *args], kwargs, hint)
        bound = isinstance(fn, types.MethodType) and not (rule or is_library_module(class_of_self(fn).__module__))
        if bound and (function.ref is None or isinstance(fn.__func__, types.FunctionType)):
            obj = self.constant_argument(fn.__self__)
            return self.call(PyFunc.of(fn.__func__), [obj, *args], kwargs, hint)
        if rule is not None:
            return self.call_ruled(rule, args, kwargs, hint)
        if hasattr(fn, "primal") and hasattr(fn, "mode"):
            return call_derivative_object(self, fn, args, kwargs, hint)
        if isinstance(fn, type):
            return self.construct(function, fn, args, kwargs, hint)
        if (each := vectorized(fn)) is not None:
            return apply_ufunc(self, each, args, kwargs, hint)
        if hasattr(fn, "py_func"):
            fn = fn.py_func
        if isinstance(fn, functools._lru_cache_wrapper):
            anew = fn.__wrapped__
            return call_kept(self, fn.__name__, lambda: self.call_python(function, anew, args, kwargs, hint))
        if isinstance(fn, types.FunctionType) and not is_library(fn):
            if (chosen := self.dispatched(fn, args)) is not None:
                return self.call(PyFunc.of(chosen), args, kwargs, hint)
            if fn.__code__ is _MANAGED:
                return self.managed(PyFunc.of(fn.__wrapped__), args, kwargs)  # type: ignore[attr-defined]
            self.check_wrapper(fn)
            return self.call_function(fn, args, kwargs, hint)
        return self.opaque(function, args, kwargs, hint)

    def dispatched(self, fn: types.FunctionType, args: list[AVal]) -> Any:
        """What a function made by ``functools.singledispatch`` calls for these arguments; None for other functions."""
        if fn.__globals__.get("__name__") != "functools" or not hasattr(fn, "registry") or not args:
            return None
        self.rely_on_items(fn, "registry")
        chosen = {fn.dispatch(cls) for cls in classes_of(self, args[0])}  # type: ignore[attr-defined]
        if len(chosen) == 1:
            return chosen.pop()
        raise self.unsupported(
            f"which of its functions `{fn.__name__}` calls for this argument is not known when compiled.",
            "Call the one that is meant.",
        )

    def managed(self, function: PyFunc, args: list[AVal], kwargs: dict[str, AVal]) -> AVal:
        """The context that ``contextlib.contextmanager`` makes of a generator, whose body is around that of `with`."""
        self.managing = True
        made = self.call(function, args, kwargs)
        if not isinstance(made, GeneratorV):
            return made
        context = dataclasses.replace(made, form="context")
        self.unentered[context] = tuple(self.around)
        return context

    def check_wrapper(self, fn: types.FunctionType) -> None:
        """Refuse a wrapper of the standard library that goes by the name of the user's function."""
        home = fn.__globals__.get("__name__", "")
        if hasattr(fn, "__wrapped__") and is_library_module(home):
            raise self.unsupported(
                f"`{fn.__name__}` was decorated by a function of `{home}`, which is not handled.",
                "Call a function without the decorator.",
            )

    def call_ruled(self, rule: Rule, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """Call a function that has a rule: one statement, or the source that computes the same."""
        is_complex = any(holds_complex(runtime_kind(a)) for a in (*args, *kwargs.values()))
        of_these = rule_for(rule.primitive, is_complex)
        composite = None if of_these is None else of_these.composite_for(args, kwargs)
        asked = self.tried and (of_these is None or not of_these.raises_alike)  # what the function itself raises
        plain = None if composite is None or of_these is None else of_these.if_fixed
        if plain is not None and (asked or is_fixed(self, TupleV((*args, *kwargs.values())))):
            return self.primitive(plain, args, kwargs, hint)
        if composite is None or asked:
            return self.primitive(rule.primitive, args, kwargs, hint)
        if isinstance(composite, type):
            return self.construct(PyFunc.of(composite), composite, args, kwargs, hint)
        start = len(self.stmts)
        value = self.call_function(composite, args, kwargs, hint)
        self.refuse_failure(start)
        return value

    def primitive(self, fn: Any, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """Apply a primitive: one statement."""
        if not args and kwargs:
            kwargs = dict(kwargs)
            args = self.leading_arguments(fn, kwargs)
        args, kwargs = named_of_nothing(fn, args, kwargs)
        args, kwargs = [only_read(self, a) for a in args], {k: only_read(self, a) for k, a in kwargs.items()}
        args, kwargs = shapes_as_known(self, fn, args, kwargs)
        kwargs = axes_at_once(kwargs)
        of_arrays = isinstance(fn, np.ufunc) or fn is np.meshgrid
        atoms = [self.array_of_range(a) if of_arrays and isinstance(a, RangeV) else self.as_atom(a) for a in args]
        named = tuple((k, self.as_atom(v)) for k, v in kwargs.items() if k != "where" or not isinstance(fn, np.ufunc))
        take_shapes_apart(self, shape_among(fn, atoms, dict(named)))
        if isinstance(fn, np.ufunc) and kwargs.get("where", Const(True)) != Const(True):
            raise self.unsupported("the `where=` argument of a ufunc is handled only with `out=`.", "Use np.where.")
        out = self.emit(fn, *atoms, kwargs=named, hint=hint)
        if K.is_numeric(out.kind) and K.rank_of(out.kind) is None:
            first = 0 if isinstance(out.kind, K.Array) else 1  # what is reduced, perhaps
            take_shapes_apart(self, (*atoms[first:], *(a for _, a in named)))
        return out

    def into(
        self, fn: Any, args: list[AVal], kwargs: dict[str, AVal]
    ) -> tuple[Atom | None, list[AVal], dict[str, AVal]]:
        """The array that a call of a library function puts its result into, if any, and the other arguments."""
        given, named, name = args, kwargs, name_of_out(fn)
        kwargs = dict(kwargs)
        out = kwargs.pop(name, None)
        if isinstance(fn, np.ufunc) and len(args) > fn.nin:
            args, out = args[: fn.nin], TupleV(tuple(args[fn.nin :]))
        place = position_of_out(fn) if len(args) > 1 and isinstance(fn, Hashable) else None
        if place is not None and place < len(args):
            out = args[place]
            args = [*args[:place], *([Const(None), *args[place + 1 :]] if place + 1 < len(args) else [])]
        if isinstance(out, TupleV) and len(out.items) == 1:
            out = out.items[0]
        if out is None or out == Const(None):
            return None, args, kwargs
        target = self.as_atom(out)
        if name != "out" and kind_of(target) in (K.STR, K.Other(type)):  # the dtype of an array that is made
            return None, given, named
        if not isinstance(kind_of(target), K.Array):
            raise self.unsupported(f"`{name}=` is handled only where it is an array known here.")
        return target, args, kwargs

    def ufunc_where(self, fn: np.ufunc, target: Atom, args: list[AVal], kwargs: dict[str, AVal]) -> Atom:
        """A ufunc with ``out=`` and ``where=``: it is applied to the items that are meant, and to no others."""
        others = {k: v for k, v in kwargs.items() if k != "where"}
        mask = self.as_atom(kwargs["where"])
        if isinstance(kind_of(mask), K.List | K.Tuple):
            mask = self.emit(np.asarray, mask)
        if K.dtype_of(kind_of(mask)) != "bool" or fn.signature is not None or fn.nout > 1:
            raise self.unsupported("the `where=` argument of a ufunc is handled where it is a mask.", "Use np.where.")
        shape = self.emit(np.shape, target)
        mask = self.stretched(mask, target, shape)
        chosen = [self.as_atom(a) for a in args]
        for k, a in enumerate(chosen):
            if not isinstance(kind_of(a), K.Scalar):
                chosen[k] = self.as_atom(self.load(self.stretched(a, target, shape), mask))
        result = self.call(PyFunc.of(fn), [*chosen], others)
        self.store(self.owned(target), mask, self.as_atom(result))
        return target

    def stretched(self, x: Atom, like: Atom, shape: Atom) -> Atom:
        """An operand of a ufunc in the shape of what it puts its result into."""
        return x if K.known_same_shape(kind_of(x), kind_of(like)) else self.emit(np.broadcast_to, x, shape)

    def leading_arguments(self, fn: Any, kwargs: dict[str, AVal]) -> list[AVal]:
        """The first arguments of a primitive, taken out of those given by name."""
        try:
            parameters = inspect.signature(fn).parameters.values()
        except (TypeError, ValueError):
            return []
        return [
            kwargs.pop(p.name)
            for p in itertools.takewhile(lambda p: p.kind is p.POSITIONAL_OR_KEYWORD and p.name in kwargs, parameters)
        ]

    def opaque(self, function: PyFunc, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """A call the compiler cannot look into: an effect, and a value without derivative."""
        if any(isinstance(a, ClosureV) for a in (*args, *kwargs.values())):
            raise self.unsupported(
                f"`{qualified_name(function.fn)}` is handed a function that is made here, and has no rule for that.",
                "Solvers that have are listed in docs/language.md; define the function outside where it only computes.",
            )
        atoms = [self.as_atom(a) for a in args]
        named = tuple((k, self.as_atom(v)) for k, v in kwargs.items())
        fn = function.fn
        if only_shows(fn):
            self.effect(prims.show, self.as_atom(function), *atoms, kwargs=named)
            return Const(None)
        if not is_pure(fn) and fn not in KEEPS_NOTHING:
            self.check_known(atoms)
            self.give_away([*args, *kwargs.values()], fn)
        ref = function.ref
        if ref is not None and len(ref.path) > 1 and not is_library(fn) and not is_library_ufunc(ref):
            if any(self.attributes.get(o) for o in self.outers.values()):
                raise self.unsupported(
                    f"`{qualified_name(fn)}` is called as it stands, and may read a variable that is assigned here.",
                    "Pass the value: a gradient call has no side effects.",
                )
            return self.emit(prims.call_value, ref, *atoms, kwargs=named, kind=K.ANY, hint=hint)
        if ref is not None and not isinstance(getattr(fn, "__self__", None), types.ModuleType | None):
            # a method of an object outside, a generator of random numbers say: of the one its name stands for then
            kind = result_kind(fn, atoms, named)
            return self.emit(prims.call_value, ref, *atoms, kwargs=named, kind=kind, hint=hint)
        return self.emit(fn, *atoms, kwargs=named, hint=hint)

    def give_away(self, given: list[AVal], fn: Any) -> None:
        """Note which records a call may change that is not looked into."""
        if not changes_nothing(fn):
            found = [r for value in given for r in records_in(value, self.read)]
            self.handed.give(r for r in found if isinstance(r, DictV) or r.live is None)

    def check_known(self, atoms: list[Atom]) -> None:
        """Refuse to hand a list or dict of which only an unknown call knows what is in it to that call."""
        for a in atoms:
            match kind_of(a):
                case K.List(K.Bottom()) | K.Dict(K.Bottom()) if self.empty_known:
                    raise self.unsupported("nothing is known of what this call puts into an empty list or dict.")
                case K.List(K.Bottom()) | K.Dict(K.Bottom()):
                    self.empty_used = True

    def call_method(self, obj: AVal, name: str, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """``obj.name(...)`` for arrays, lists, dicts, tuples and strings."""
        if (form := self.form_of(obj)) is not None and form.cls is collections.deque:
            if name in DEQUE_METHODS:
                return DEQUE_METHODS[name](self, obj, args, kwargs, hint)
            if name == "sort" or (name == "insert" and form.detail != Const(None)):
                raise self.unsupported(f"`{name}` of this deque is not handled.", "Make a list of it: `list(...)`.")
        for kinds, table in METHODS:
            if isinstance(obj, kinds) or (is_atom(obj) and isinstance(kind_of(obj), kinds)):
                handler = table.get(name)
                if handler is not None:
                    if name in CHANGING and obj in self.captured.values():
                        raise self.changes_outside(next(p for p, v in self.captured.items() if v is obj))
                    return handler(self, obj, args, kwargs, hint)
        if is_atom(obj):
            kind = kind_of(obj)
            if isinstance(kind, K.Bottom):
                return UNDEF
            if isinstance(kind, K.Other):
                atoms = [self.as_atom(a) for a in args]
                named = tuple((k, self.as_atom(v)) for k, v in kwargs.items())
                if (text := text_of_method(obj, name, atoms, named)) is not None:
                    return text
                if (rule := rule_of_class(kind.type, name)) is not None:
                    return self.call_ruled(rule, [obj, *args], kwargs, hint)
                result: K.Kind = kind_of_method(name) if kind.type is str else K.ANY
                if kind == GENERATOR:
                    result = draw_kind(name, [arg_of(a) for a in atoms], {k: arg_of(a) for k, a in named})
                if kind.type is not None and is_foreign(kind.type):
                    result = method_kind(kind.type, name, [arg_of(a) for a in atoms], {k: arg_of(a) for k, a in named})
                return self.emit(prims.call_method, obj, Const(name), *atoms, kwargs=named, kind=result, hint=hint)
        raise self.unsupported(f"the method `{name}` of this value is not handled.")
