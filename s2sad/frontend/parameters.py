"""Parameters: from the specs of arguments to the values a lowered body starts with."""

from __future__ import annotations

import dataclasses
import inspect
import operator
import types
import typing
from typing import TYPE_CHECKING, Any, TypeAlias

import gast
import numpy as np

from s2sad.frontend.interface import Lowering
from s2sad.frontend.leaves import shaped
from s2sad.frontend.objects import constant_kind
from s2sad.frontend.outside import is_plain_callable
from s2sad.frontend.parse import FunctionSource
from s2sad.frontend.receivers import receiver_spec
from s2sad.frontend.scope import parameter_names
from s2sad.frontend.settling import settle
from s2sad.frontend.specs import Callee, Fixed, Leaf, ListOf, Spec, Struct
from s2sad.frontend.values import AVal, Frame, ObjectV, PyFunc, TupleV, fields_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op, Ref, Var
from s2sad.rules.standins import item_of

if TYPE_CHECKING:
    pass

#: The name of a parameter, and the names, keys and places that lead on from it.
Path: TypeAlias = tuple[Any, ...]

_DICT = K.Other(dict)

__all__ = ["bind_parameters", "given_specs", "kind_of_spec", "specs_from_source"]


def bind_parameters(
    lowerer: Lowering, source: FunctionSource, frame: Frame, specs: tuple[Spec | None, ...] | None
) -> tuple[list[Var], list[AVal]]:
    """One IR parameter per Python parameter, and the value each name starts with."""
    names, given = parameter_names(source.node.args), given_specs(source, specs)
    params, values = [], []
    lowerer.frames.append(frame)
    lowerer.origin = source.origin(source.node)
    for name, spec in zip(names, given, strict=True):
        param = Var(name, shaped(kind_of_spec(lowerer, spec, ("param", name), _whole(lowerer, (name,), spec))))
        lowerer.take_for_certain(param)
        value = value_of(lowerer, param, spec, name, (name,))
        settle(lowerer, param, ("param", name))
        lowerer.write((frame, name), value)
        params.append(param)
        values.append(value)
    lowerer.frames.pop()
    return params, values


def kind_of_spec(lowerer: Lowering, spec: Spec, site: Any, held: bool) -> K.Kind:
    """The run-time kind of an argument of this spec, or of an item that one holds: those are not taken apart.

    ``site`` stands for the place where a list or a dict of this spec is made.
    """

    def within(inner: Spec) -> K.Kind:
        return kind_of_spec(lowerer, inner, ("items", site), True)

    match spec:
        case Leaf(kind):
            return kind
        case Struct(cls, keys, items) if issubclass(cls, dict):
            if held:
                lowerer.dict_classes.add(cls)
            kinds = [within(i) for i in items]
            known = bool(keys) and lowerer.has_fields(site)
            return K.Dict(item_of(kinds), tuple(zip(keys, kinds, strict=True)) if known else None) if held else _DICT
        case Struct(cls, _, items) if cls is list and not held and _is_apart(spec):
            return K.Other(list)
        case Struct(cls, _, items) if cls is list:
            kinds = [within(i) for i in items]
            return K.List(item_of(kinds), tuple(kinds) if lowerer.has_fields(site) else None)
        case Struct(cls, _, items):
            kinds = [kind_of_spec(lowerer, i, site, held) for i in items]
            return K.Tuple(tuple(kinds), None if cls is tuple else cls)
        case ListOf(item, cls):
            return K.Dict(within(item)) if cls is dict else K.List(within(item))
    return K.ANY


def _whole(lowerer: Lowering, path: Path, spec: Spec) -> bool:
    """Whether a dict, found along ``path`` in an argument, stays a dict, as a key of it is known at run time only."""
    return isinstance(spec, Struct) and issubclass(spec.cls, dict) and ("param", path) in lowerer.runtime_sites


def _is_apart(spec: Spec) -> bool:
    """Whether a list is taken apart as a tuple is: one with functions, dicts or objects beside other things."""
    if not isinstance(spec, Struct) or spec.cls is not list:
        return False
    structures = [i.cls for i in spec.items if isinstance(i, Struct)]
    return any(isinstance(i, Callee) for i in spec.items) or any(not issubclass(c, tuple | list) for c in structures)


def value_of(lowerer: Lowering, atom: Var, spec: Spec, name: str, path: Path) -> AVal:
    """The abstract value of an argument: structures taken apart into their leaves."""
    if _whole(lowerer, path, spec):
        return atom
    match spec:
        case Fixed(value=fixed):
            return Const(fixed)
        case Leaf(kind, numpys=True):
            return _at_entry(lowerer, Var(atom.hint, kind), np.bool_, atom)  # says of which class it is
        case Leaf(kind):
            if kind == K.BOOL:
                lowerer.pythons.add(atom)
            return Const(None) if kind == K.NONE else atom
        case Callee(types.ModuleType() as module):
            return lowerer.module_value(module, name)
        case Callee(function):
            return (
                PyFunc.of(function, Ref((name,), function, function, K.ANY))
                if not _is_object(function)
                else ObjectV(type(function), Ref((name,), function, function, K.ANY))
            )
        case Struct(cls, _, items) if issubclass(cls, tuple) or _is_apart(spec):
            plain = cls in (tuple, list)
            parts = [
                project(
                    lowerer,
                    operator.getitem if plain else prims.getattr_,
                    atom,
                    Const(k if plain else f),
                    s,
                    f"{name}_{f}",
                    (*path, f),
                )
                for k, (s, f) in enumerate(zip(items, fields_of(cls) or range(len(items)), strict=True))
            ]
            if cls is list:
                return lowerer.make_apart(parts, ("param", path))
            return TupleV(tuple(parts), None if plain else cls)
        case Struct(cls, keys, items, own) if issubclass(cls, dict):
            pairs = [
                (k, project(lowerer, operator.getitem, atom, Const(k), s, str(k), (*path, k)))
                for k, s in zip(keys, items, strict=True)
            ]
            made = lowerer.new_dict(pairs, ("param", path))
            made.cls, made.own = cls, own
            lowerer.parts_of_given[made] = atom
            return made
        case Struct(cls, keys, items) if cls is not list:
            obj = ObjectV(cls)
            lowerer.parts_of_given[obj] = atom
            for k, s in zip(keys, items, strict=True):
                lowerer.write((obj, k), project(lowerer, prims.getattr_, atom, Const(k), s, str(k), (*path, k)))
            return obj
    return atom


def _is_object(value: Any) -> bool:

    return not is_plain_callable(value)


def project(lowerer: Lowering, fn: Any, atom: Var, key: Const, spec: Spec, hint: str, path: Path) -> AVal:
    """One component of a structured argument."""
    kind = kind_of_spec(lowerer, spec, ("param", path), _whole(lowerer, path, spec))
    var = Var(hint if hint.isidentifier() else "item", shaped(kind))
    _at_entry(lowerer, var, fn, atom, key)
    settle(lowerer, var, ("param", path))
    return value_of(lowerer, var, spec, hint, path)


def _at_entry(lowerer: Lowering, var: Var, fn: Any, *args: Atom) -> Var:
    """Have a variable be what an operation gives that is done before all else."""
    op = Op(var, fn, args, (), lowerer.origin)
    lowerer.prologue.append(op)
    lowerer.definitions.add(op)
    lowerer.take_for_certain(var)
    return var


# -- kinds without arguments ------------------------------------------------------------


def given_specs(source: FunctionSource, specs: tuple[Spec | None, ...] | None) -> tuple[Spec, ...]:
    """The specs of all parameters: where one is None, what the source tells."""
    if specs is not None and None not in specs:
        return tuple(s for s in specs if s is not None)
    told = specs_from_source(source)
    return told if specs is None else tuple(t if s is None else s for s, t in zip(specs, told, strict=True))


def specs_from_source(source: FunctionSource) -> tuple[Spec, ...]:
    """Specs of the parameters, from annotations, defaults, the way they are used, and the class of a method."""
    told = _told(source)
    receiver = receiver_spec(source, spec_of_annotation, _told)
    return tuple(told.values()) if receiver is None else (receiver, *[*told.values()][1:])


def _told(source: FunctionSource) -> dict[str, Spec]:
    """What is told of the parameters of a function by itself."""
    used = _uses(source.node)
    annotations = _annotations(source)
    args = source.node.args
    specs: dict[str, Spec] = {}
    for name in parameter_names(args):
        if args.vararg is not None and name == args.vararg.id:
            specs[name] = Struct(tuple, (), ())
        elif args.kwarg is not None and name == args.kwarg.id:
            specs[name] = Struct(dict, (), ())
        elif (annotated := spec_of_annotation(annotations.get(name))) is not None:
            specs[name] = annotated
        elif (default := _default(source, name)) is not None:
            specs[name] = default
        else:
            specs[name] = Leaf(used.get(name, K.NUMERIC))
    return specs


def _annotations(source: FunctionSource) -> dict[str, Any]:
    try:
        return inspect.get_annotations(source.function, eval_str=True)
    except Exception:  # an annotation that cannot be evaluated says nothing about kinds
        return {}


def spec_of_annotation(annotation: Any) -> Spec | None:
    """The spec an annotation promises, None where it promises nothing."""
    annotation = _spelt_out(annotation)
    simple = {
        float: K.FLOAT,
        complex: K.Scalar("complex"),
        int: K.INT,
        bool: K.BOOL,
        str: K.STR,
        np.ndarray: K.Array("float64", None),
        type(None): K.NONE,
    }
    try:
        if annotation in simple:
            return Leaf(simple[annotation])
    except TypeError:
        return None
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is np.ndarray:
        numbers = typing.get_args(args[1])[:1] if len(args) > 1 else ()
        is_complex = bool(numbers) and isinstance(numbers[0], type) and issubclass(numbers[0], np.complexfloating)
        return Leaf(K.Array("complex128" if is_complex else "float64", None))
    if origin is list and args:
        item = spec_of_annotation(args[0])
        return None if item is None else ListOf(item)
    if origin is tuple and args and Ellipsis not in args:
        items = [spec_of_annotation(a) for a in args]
        return None if None in items else Struct(tuple, tuple(range(len(items))), tuple(items))  # type: ignore[arg-type]
    if isinstance(annotation, type) and (dataclasses.is_dataclass(annotation) or hasattr(annotation, "_fields")):
        hints = typing.get_type_hints(annotation)
        names = fields_of(annotation)
        items = [spec_of_annotation(hints.get(n)) for n in names]
        return None if None in items else Struct(annotation, names, tuple(items))  # type: ignore[arg-type]
    return None


def _spelt_out(annotation: Any) -> Any:
    """What an annotation stands for that is an alias made by ``type``, as ``NDArray`` is from NumPy 2.5 on.

    >>> _spelt_out(npt.NDArray[np.float64]).__origin__
    <class 'numpy.ndarray'>
    """
    while (value := getattr(typing.get_origin(annotation) or annotation, "__value__", None)) is not None:
        args = typing.get_args(annotation)
        annotation = value[args] if args else value
    return annotation


def _default(source: FunctionSource, name: str) -> Spec | None:
    args = source.node.args
    positional = [a.id for a in (*args.posonlyargs, *args.args)]
    defaults = dict(zip(positional[len(positional) - len(source.defaults) :], source.defaults, strict=True))
    defaults.update(source.kwdefaults)
    if name not in defaults:
        return None
    value = defaults[name]
    if isinstance(value, bool | int | str):
        return Leaf(constant_kind(value))
    if callable(value) or isinstance(value, types.ModuleType):
        return Callee(value)
    return None


def _uses(node: Any) -> dict[str, K.Kind]:
    """What the way a parameter is used tells of its kind."""
    found: dict[str, K.Kind] = {}
    array = K.Array("float64", None)

    def note(target: Any, kind: K.Kind) -> None:
        if isinstance(target, gast.Name):
            found.setdefault(target.id, kind)

    for name, rank in _ranks(node).items():
        found[name] = K.Array("float64", rank)
    holders = _holders(node)
    for n in gast.walk(node):
        match n:
            case gast.Attribute(value=value, attr="shape" | "T" | "ndim" | "size" | "dtype" | "reshape" | "ravel"):
                note(value, array)
            case gast.Subscript(value=gast.Name(id=name), slice=gast.Slice()) if name in holders:
                pass
            case gast.Subscript(value=value, slice=gast.Tuple() | gast.Slice()):
                note(value, array)
            case gast.Subscript(value=value, ctx=gast.Store()):
                note(value, array)
            case gast.Call(func=gast.Attribute(value=gast.Name(id="math")), args=args):
                for a in args:
                    note(a, K.FLOAT)
            case gast.Call(func=gast.Name(id="range"), args=args):
                for a in args:
                    note(a, K.INT)
            case gast.BinOp(op=gast.MatMult(), left=left, right=right):
                note(left, array)
                note(right, array)
    return found


def _holders(node: Any) -> set[str]:
    """The names of what holds things that are taken apart: a list of tuples, say, of which a slice is a list too."""
    found: set[str] = set()
    for n in gast.walk(node):
        match n:
            case gast.For(target=target, iter=value) | gast.comprehension(target=target, iter=value):
                pass
            case gast.Assign(targets=[target], value=gast.Subscript(slice=index) as value):
                if isinstance(index, gast.Slice | gast.Tuple):
                    continue
            case _:
                continue
        if any(isinstance(t, gast.Tuple | gast.List) for t in gast.walk(target)):
            found |= {m.id for m in gast.walk(value) if isinstance(m, gast.Name)}
    return found


def _ranks(node: Any) -> dict[str, int]:
    """The ranks of what is always subscripted alike, with several indices or as the target of a store."""
    counts: dict[str, set[int]] = {}
    arrays: set[str] = set()
    for n in gast.walk(node):
        if not isinstance(n, gast.Subscript) or not isinstance(n.value, gast.Name):
            continue
        indices = n.slice.elts if isinstance(n.slice, gast.Tuple) else [n.slice]
        counts.setdefault(n.value.id, set()).add(len(indices) if all(map(_is_plain_index, indices)) else 0)
        if len(indices) > 1 or isinstance(n.ctx, gast.Store):
            arrays.add(n.value.id)
    return {
        name: max(counts[name])
        for name in counts
        if name in arrays and len(counts[name]) == 1 and 0 not in counts[name]
    }


def _is_plain_index(index: Any) -> bool:
    """Whether an index stands for one axis."""
    return not isinstance(index, gast.Starred) and not (
        isinstance(index, gast.Constant) and not isinstance(index.value, int)
    )
