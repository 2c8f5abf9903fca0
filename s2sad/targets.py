"""What an operator is given, made ready to compile: a plain function and how callers reach it.

A method, a ``functools.partial``, a wrapper or a primitive comes down to one function and an
expression for each of its parameters in terms of what the caller passes.
"""

from __future__ import annotations

import functools
import inspect
import keyword
import linecache
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import Parameter, Signature
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sad.frontend.places import PRIMITIVES
from s2sad.frontend.signatures import passes_all_on, place_in, signature_of, vectorized
from s2sad.frontend.specs import Items

if TYPE_CHECKING:
    from s2sad.rules.table import Rule

__all__ = [
    "PrimitiveCall",
    "Target",
    "Wrt",
    "call_of_primitive",
    "plain_target",
    "primitive_call",
    "required",
    "resolve_wrt",
    "target_of",
]

_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_ARGS = (*_POSITIONAL, Parameter.VAR_POSITIONAL)


@dataclass(frozen=True, eq=False)
class Target:
    """A function to differentiate.

    ``fn`` is the plain function (or Derivative) that is compiled, ``parameters`` are its own;
    ``signature`` is what callers see.  ``bound`` gives the values of parameters that the caller
    does not pass, ``leading`` what goes in front of its ``*args``, and ``into_rest`` what goes into its
    ``**kwargs``, each with the partial that binds it.  ``spread`` says that ``fn`` is a wrapper that takes
    ``*args, **kwargs`` and gets whatever callers pass in these.  ``primitive`` is a primitive with optional
    arguments, each call of which may need a function of its own: ``fn`` is the one for the required arguments.
    ``live`` gives the functions that have the defaults of parameters, which somebody may assign anew, or the
    partials that do; ``partials`` are those that callers go through, whose keywords may come to be others.
    Of a primitive, ``leading`` and ``keywords`` are all that a partial has bound.
    """

    fn: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    signature: Signature
    bound: dict[str, Any] = field(default_factory=dict)
    leading: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)
    spread: bool = False
    primitive: Callable[..., Any] | None = None
    live: Mapping[str, types.FunctionType | functools.partial[Any]] = field(default_factory=dict)
    into_rest: dict[str, functools.partial[Any]] = field(default_factory=dict)
    partials: tuple[functools.partial[Any], ...] = ()

    def arguments(self) -> tuple[tuple[str, ...], dict[str, Any]]:
        """For each parameter of ``fn`` an expression in the names of ``signature``, and what else these mention."""
        names: dict[str, Any] = {}

        def constant(value: Any) -> str:
            name = f"__s2sad_c{len(names)}"
            names[name] = value
            return name

        return tuple(self._argument(p, constant) for p in self.parameters), names

    def _argument(self, p: Parameter, constant: Callable[[Any], str]) -> str:
        passed = (
            list(self.signature.parameters.values())
            if self.spread
            else [q for q in self.signature.parameters.values() if q.name == p.name]
        )
        match p.kind:
            case Parameter.VAR_POSITIONAL:
                items = [
                    *map(constant, self.leading),
                    *(_in_args(q) for q in passed if q.kind in _ARGS),
                ]
                return p.name if items == [f"*{p.name}"] else f"({', '.join(items)}{',' if items else ''})"
            case Parameter.VAR_KEYWORD:
                items = [f"{key!r}: {constant(f)}.keywords[{key!r}]" for key, f in self.into_rest.items()]
                items += [_in_kwargs(q) for q in passed if q.kind not in _ARGS]
                return p.name if items == [f"**{p.name}"] else f"{{{', '.join(items)}}}"
        return p.name if passed else constant(self.bound[p.name])


def _in_args(p: Parameter) -> str:
    return f"*{p.name}" if p.kind is Parameter.VAR_POSITIONAL else p.name


def _in_kwargs(p: Parameter) -> str:
    return f"**{p.name}" if p.kind is Parameter.VAR_KEYWORD else f"{p.name!r}: {p.name}"


def target_of(f: Any) -> Target:
    """The function behind ``f``, which may be anything that can be called."""
    if isinstance(f, staticmethod):
        return target_of(f.__func__)
    if isinstance(f, classmethod):
        raise TypeError("a classmethod object cannot be differentiated: put the operator beneath @classmethod")
    if getattr(type(f), "_s2sad_derivative", False):
        return replace(_plain(f, inspect.signature(f)), live=f._target.live, partials=f._target.partials)
    if _rule_of(f) is not None:  # which bound methods of objects of libraries have too
        return _primitive(f)
    if isinstance(f, types.MethodType) and _is_of_library(f):
        return _primitive(f)  # which has no rule
    if isinstance(f, types.MethodType):
        return _with_first(target_of(f.__func__), f.__self__)
    if isinstance(f, functools.partial):
        return _with_partial(target_of(f.func), f)
    if hasattr(f, "py_func"):
        return target_of(f.py_func)
    if (each := vectorized(f)) is not None:  # which is called for arrays as well
        function = primitive_call(f, required(inspect.signature(each)), ())
        return _plain(function, inspect.signature(function))
    if isinstance(f, types.FunctionType):
        return _wrapper(f) or plain_target(f)
    if isinstance(f, type):
        raise TypeError(f"{f.__name__} is a class: pass a function to differentiate")
    if isinstance(f, functools._lru_cache_wrapper):
        return target_of(f.__wrapped__)
    if callable(f):
        call = type(f).__call__
        return _with_first(target_of(call), f) if isinstance(call, types.FunctionType) else _primitive(f)
    raise TypeError(f"expected a function to differentiate, got {f!r} of type {type(f).__name__}")


def plain_target(f: Callable[..., Any]) -> Target:
    """A function taken for what it is: with its own parameters, and not looked into."""
    target = _plain(f, inspect.signature(f, follow_wrapped=False))
    return replace(target, live=_live(f, target.signature)) if isinstance(f, types.FunctionType) else target


def _plain(f: Callable[..., Any], signature: Signature) -> Target:
    return Target(f, tuple(signature.parameters.values()), signature)


def _with_first(target: Target, value: Any) -> Target:
    """The target with its first positional parameter bound."""
    passed = list(target.signature.parameters.values())
    if passed and passed[0].kind in _POSITIONAL:
        signature = target.signature.replace(parameters=passed[1:])
        if target.spread:
            return replace(target, signature=signature, leading=(*target.leading, value))
        return replace(target, signature=signature, bound={**target.bound, passed[0].name: value})
    if any(p.kind is Parameter.VAR_POSITIONAL for p in passed):
        return replace(target, leading=(*target.leading, value))
    raise TypeError(f"{getattr(target.fn, '__qualname__', target.fn)} is bound to an object but takes no arguments")


def _with_partial(target: Target, f: functools.partial[Any]) -> Target:
    def stub() -> None: ...

    if target.primitive is not None:
        stub.__signature__ = target.signature  # type: ignore[attr-defined]
        signature = inspect.signature(functools.partial(stub, *f.args, **f.keywords))
        return replace(target, signature=signature, leading=f.args, keywords=f.keywords)
    for value in f.args:
        target = _with_first(target, value)
    stub.__signature__ = target.signature  # type: ignore[attr-defined]
    signature = inspect.signature(functools.partial(stub, **f.keywords))
    rest = dict.fromkeys([name for name in f.keywords if name not in target.signature.parameters], f)
    live = {**target.live} | dict.fromkeys(f.keywords.keys() - rest.keys(), f)
    partials = (*target.partials, f)
    # *args is gone where a parameter before it is bound by keyword: it stays empty then.
    return replace(target, signature=signature, into_rest=target.into_rest | rest, live=live, partials=partials)


def _wrapper(f: types.FunctionType) -> Target | None:
    """A ``functools.wraps`` wrapper that passes on ``*args, **kwargs``: callers see what it wraps."""
    if not passes_all_on(f):
        return None
    own = inspect.signature(f, follow_wrapped=False)
    seen, wrapped = signature_of(f), inspect.unwrap(f)
    live = _live(wrapped, seen) if isinstance(wrapped, types.FunctionType) else {}
    return Target(f, tuple(own.parameters.values()), seen, spread=True, live=live)


def _live(f: types.FunctionType, signature: Signature) -> dict[str, types.FunctionType]:
    """The parameters of a signature whose defaults a function has, each with this function."""
    own = inspect.signature(f, follow_wrapped=False).parameters
    given = (p for p in signature.parameters.values() if p.default is not p.empty)
    return {p.name: f for p in given if p.name in own and own[p.name].default is p.default}


# ---- primitives


def _primitive(f: Callable[..., Any]) -> Target:
    """A primitive: the function that calls it with its required arguments."""
    signature = signature_of(f)
    needed = required(signature)
    function = primitive_call(f, needed, ())
    if len(needed) == len(signature.parameters):
        return _plain(function, inspect.signature(function))
    return Target(function, tuple(signature.parameters.values()), signature, primitive=f)


def required(signature: Signature) -> tuple[str, ...]:
    """The arguments that a call must have, by position."""
    return tuple(p.name for p in signature.parameters.values() if p.kind in _POSITIONAL and p.default is p.empty)


def _rule_of(f: Any) -> Rule | None:
    from s2sad.rules.table import rule_for  # the rules take as long to import as the rest of what a decorator needs

    return rule_for(f)


def _is_of_library(f: types.MethodType) -> bool:
    from s2sad.frontend.callees import class_of_self, is_library_module  # likewise

    return is_library_module(class_of_self(f).__module__)


@dataclass(frozen=True)
class PrimitiveCall:
    """A call of a primitive as a Python function: what is not differentiated by and simple is in its text.

    ``names`` gives the parameter of each argument, by position or keyword, None for those in the text. Positions
    below zero are those of what a partial has bound ahead of the arguments.
    """

    function: types.FunctionType
    values: tuple[Any, ...]
    names: dict[int | str, str | None]

    def parameter(self, wanted: Any) -> str:
        """The parameter for an argument that ``wrt`` asks for, by position or name."""
        if isinstance(wanted, int) and wanted < 0:
            wanted += sum(not _is_bound(key) for key in self.names)
        name = self.names.get(wanted) or next((n for n in self.names.values() if n == wanted), None)
        if name is None:
            raise TypeError(f"{self.function.__name__} was called without the argument {wanted!r}, which wrt names")
        return name


def call_of_primitive(target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], active: Any) -> PrimitiveCall:
    """The call of a primitive with these arguments; ``active`` are positions and names to differentiate by."""
    assert target.primitive is not None
    target.signature.bind(*args, **kwargs)
    ahead = len(target.leading)
    kwargs = {**target.keywords, **kwargs}
    own = _argument_names(signature_of(target.primitive), ahead + len(args))
    given: dict[int | str, Any] = {**dict(enumerate((*target.leading, *args), -ahead)), **kwargs}  # type: ignore[dict-item]
    names: dict[int | str, str | None] = {}
    for key, value in given.items():
        name = own[ahead + key] if isinstance(key, int) else key
        wanted = name in active or (key in active and not _is_bound(key))
        names[key] = None if not wanted and _is_literal(value) else name
    texts = {key: name or repr(given[key]) for key, name in names.items()}
    positional = tuple(texts[i] for i in range(-ahead, len(args)))
    function = primitive_call(target.primitive, positional, tuple((k, texts[k]) for k in kwargs))
    return PrimitiveCall(function, tuple(v for k, v in given.items() if names[k]), names)


def _is_bound(key: int | str) -> bool:
    """Whether a partial has bound the argument, by position."""
    return isinstance(key, int) and key < 0


def _argument_names(signature: Signature, count: int) -> list[str]:
    names = [p.name for p in signature.parameters.values() if p.kind in _POSITIONAL][:count]
    rest = next((p.name for p in signature.parameters.values() if p.kind is Parameter.VAR_POSITIONAL), "x")
    return names + [f"{rest}{i}" for i in range(count - len(names))]


def _is_literal(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_literal, value))
    return value is None or value is ... or type(value) in (int, bool, str)


_serial = count()


@functools.lru_cache(maxsize=512)
def primitive_call(
    f: Callable[..., Any], args: tuple[str, ...], keywords: tuple[tuple[str, str], ...]
) -> types.FunctionType:
    """A Python function that calls ``f`` with these arguments.

    Each argument is a parameter's name or the text of a literal: ``primitive_call(np.sum,
    ("a",), (("axis", "0"),))`` is ``def sum(a): return np.sum(a, axis=0)``.
    """
    root, path = _reached(f)
    name = getattr(f, "__name__", type(f).__name__)
    if not name.isidentifier() or keyword.iskeyword(name):
        name = "primitive"
    parameters = [a for a in (*args, *(v for _, v in keywords)) if a.isidentifier() and not keyword.iskeyword(a)]
    passed = ", ".join([*args, *(f"{k}={v}" for k, v in keywords)])
    text = f"def {name}({', '.join(parameters)}):\n    return {path}({passed})\n"
    filename = f"<s2sad primitive {name} {next(_serial)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"__name__": PRIMITIVES, **root}
    exec(compile(text, filename, "exec", dont_inherit=True), namespace)
    function = namespace.pop(name) if name not in root else namespace[name]
    namespace.update(root)
    weakref.finalize(function, linecache.cache.pop, filename, None).atexit = False
    assert isinstance(function, types.FunctionType)
    return function


def _reached(f: Callable[..., Any]) -> tuple[dict[str, Any], str]:
    """How the wrapper reaches a primitive: its globals, and an expression."""
    from s2sad.backend.callables import locate

    found = locate(f)
    if found is not None:
        module, path = found
        name = "np" if module is np else module.__name__.rpartition(".")[2]
        return {name: module}, ".".join((name, *path))
    name = getattr(f, "__name__", "primitive")
    name = name if name.isidentifier() and not keyword.iskeyword(name) else "primitive"
    return {f"_{name}": f}, f"_{name}"


# ---- wrt


@dataclass(frozen=True, slots=True)
class Wrt:
    """What to differentiate by.

    ``positions`` are those of the function's own parameters, ``picks`` for each thing asked for
    an index into ``positions`` and the key within it (None for all of it), ``single`` whether
    it was asked for by itself rather than in a tuple.
    """

    positions: tuple[int, ...]
    picks: tuple[tuple[int, Any], ...]
    single: bool

    @property
    def whole(self) -> bool:
        """Whether each thing asked for is one parameter."""
        return all(key is None for _, key in self.picks)

    @property
    def plain(self) -> bool:
        """Whether :meth:`select` has nothing to do."""
        return self.whole and (self.single or len(self.positions) > 1)

    def keys(self, index: int) -> list[Any] | None:
        """The keys asked for within one of the positions; None for all of it."""
        keys = [key for i, key in self.picks if i == index]
        return None if None in keys else keys

    @property
    def independents(self) -> tuple[int | Items, ...]:
        """The positions, with the keys of those of which only items are asked for."""
        found = ((p, self.keys(i)) for i, p in enumerate(self.positions))
        return tuple(p if keys is None else Items(p, tuple(sorted(keys, key=str))) for p, keys in found)

    def select(self, gradients: Any) -> Any:
        """What was asked for, from the gradients by ``positions`` (bare if there is one)."""
        if self.plain:
            return gradients
        given = (gradients,) if len(self.positions) == 1 else gradients
        picked = tuple(given[i] if key is None else given[i][key] for i, key in self.picks)
        return picked[0] if self.single else picked


def resolve_wrt(wrt: Any, target: Target) -> Wrt:
    """Check ``wrt`` against a signature and find the parameters it means."""
    single = not isinstance(wrt, tuple | list)
    wanted: Sequence[Any] = [wrt] if single else wrt
    if not wanted:
        raise ValueError("wrt is empty: name at least one parameter to differentiate with respect to")
    places = [_place(item, target) for item in wanted]
    twice = next((w for i, w in enumerate(wanted) if places[i] in places[:i]), None)
    if twice is not None:
        raise ValueError(f"wrt={wrt!r} names the parameter {twice!r} twice")
    positions = tuple(dict.fromkeys(position for position, _ in places))
    return Wrt(positions, tuple((positions.index(p), key) for p, key in places), single)


def _place(item: Any, target: Target) -> tuple[int, Any]:
    """The position among the function's own parameters, and the key within it."""
    if isinstance(item, bool) or not isinstance(item, int | np.integer | str):
        raise TypeError(f"wrt takes parameter names, positions, or a tuple of these, not {item!r}")
    passed = list(target.signature.parameters.values())
    own = [p.name for p in target.parameters]
    place = place_in(item if isinstance(item, str) else int(item), passed)
    if place is None:
        names = ", ".join(p.name for p in passed) or "none"
        raise ValueError(f"wrt={item!r} is not a parameter of {_name(target)}; it has: {names}")
    p, key = place
    if not target.spread:
        if p.kind is Parameter.VAR_POSITIONAL and key is not None:
            key += len(target.leading)
        return own.index(p.name), key
    return _through_wrapper(p, key, passed, target)


def _through_wrapper(p: Parameter, key: Any, passed: list[Parameter], target: Target) -> tuple[int, Any]:
    """A parameter of the wrapped function, which the wrapper gets in its ``*args`` or ``**kwargs``."""
    if p.kind in _POSITIONAL:
        return 0, passed.index(p) + len(target.leading)
    if p.kind is Parameter.VAR_POSITIONAL and key is not None:
        return 0, passed.index(p) + len(target.leading) + key
    if p.kind is Parameter.KEYWORD_ONLY or key is not None:
        return 1, key or p.name
    raise ValueError(f"wrt={p.name!r} is passed on by a wrapper: give positions instead")


def _name(target: Target) -> str:
    return getattr(target.fn, "__name__", "the function")
