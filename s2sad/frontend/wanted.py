"""What a ``wrt`` means among the arguments of a call of a differentiated function.

A call is a mapping from places to values: the place of an argument is its number, or the name that it is given by.
Parameters are those of ``inspect``, and have functions without arguments for defaults, which make their values.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from typing import Any, TypeAlias

from s2sad.frontend.interface import Lowering
from s2sad.frontend.signatures import place_in, signature_of
from s2sad.frontend.values import AVal, BoundV, ClosureV, ObjectV, OperatorV, PartialV, PyFunc

__all__ = [
    "OWN",
    "Arguments",
    "Place",
    "Wanted",
    "as_call",
    "as_given",
    "find_wanted",
    "parameters_of",
]

#: Where an argument of a call is.
Place: TypeAlias = int | str
#: The arguments of a call.
Arguments: TypeAlias = dict[Place, AVal]
#: What is differentiated by: one argument, or those that a starred parameter gathers.
Wanted: TypeAlias = Place | tuple[Place, ...] | dict[str, Place]

#: Of an operator that takes its function for what it is, a wrapper that passes on what it gets too.
OWN = "own parameters"

_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def as_given(args: Sequence[AVal], kwargs: dict[str, AVal]) -> Arguments:
    """The arguments of a call by their places."""
    given: Arguments = dict(enumerate(args))
    return given | {**kwargs}


def as_call(arguments: Arguments) -> tuple[list[AVal], dict[str, AVal]]:
    """Arguments as a call has them: by position, and by name."""
    by_name = {k: v for k, v in arguments.items() if isinstance(k, str)}
    return [arguments[k] for k in range(len(arguments) - len(by_name))], by_name


# -- parameters -------------------------------------------------------------------------


def parameters_of(lo: Lowering, function: AVal) -> list[Parameter] | None:
    """The parameters of a function as it is called here; None where it does not say."""
    match function:
        case ClosureV(node=node, defaults=defaults, kwdefaults=kwdefaults):
            return _declared(node.args, defaults, dict(kwdefaults))
        case BoundV(function=inner, self=obj):
            return _left(parameters_of(lo, inner), (obj,), {})
        case PartialV(function=inner, args=args, kwargs=kwargs):
            return _left(parameters_of(lo, inner), args, dict(kwargs))
        case OperatorV(function=PyFunc(fn=fn)) if function.extra == OWN:
            return _with_defaults(lo, inspect.signature(fn, follow_wrapped=False))
        case OperatorV(function=inner):
            return parameters_of(lo, inner)
        case ObjectV():
            return parameters_of(lo, lo.attribute(function, "__call__"))
        case PyFunc(fn=fn):
            return _with_defaults(lo, signature_of(getattr(fn, "py_func", fn)))
    return None


def _with_defaults(lo: Lowering, signature: Signature) -> list[Parameter]:
    return [_lazy(p, functools.partial(lo.default_value, p.default)) for p in signature.parameters.values()]


def _declared(declared: Any, defaults: tuple[AVal, ...], kwdefaults: dict[str, AVal]) -> list[Parameter]:
    """The parameters of a function that is defined inside, from its syntax tree."""
    found = [Parameter(a.id, Parameter.POSITIONAL_ONLY) for a in declared.posonlyargs]
    found += [Parameter(a.id, Parameter.POSITIONAL_OR_KEYWORD) for a in declared.args]
    start = len(found) - len(defaults)
    found[start:] = [_lazy(p.replace(default=v)) for p, v in zip(found[start:], defaults, strict=True)]
    found += [Parameter(a.id, Parameter.VAR_POSITIONAL) for a in (declared.vararg,) if a]
    only = [Parameter(a.id, Parameter.KEYWORD_ONLY) for a in declared.kwonlyargs]
    found += [_lazy(p.replace(default=kwdefaults.get(p.name, p.empty))) for p in only]
    return found + [Parameter(a.id, Parameter.VAR_KEYWORD) for a in (declared.kwarg,) if a]


def _lazy(p: Parameter, make: Callable[[], AVal] | None = None) -> Parameter:
    """A parameter with a function for its default, which gives that if no other is said."""
    default = p.default
    return p if default is p.empty else p.replace(default=make or (lambda: default))


def _left(
    parameters: list[Parameter] | None, args: tuple[AVal, ...], kwargs: dict[str, AVal]
) -> list[Parameter] | None:
    """The parameters left when some arguments are bound."""
    if parameters is None:
        return None

    def stub() -> None: ...

    stub.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    makers = {k: functools.partial(_same, v) for k, v in kwargs.items()}
    try:
        return list(inspect.signature(functools.partial(stub, *args, **makers)).parameters.values())
    except ValueError:  # which the call itself tells of
        return None


def _same(value: AVal) -> AVal:
    return value


# -- wrt --------------------------------------------------------------------------------


def find_wanted(lo: Lowering, op: OperatorV, given: Arguments) -> tuple[Arguments, list[Wanted], bool]:
    """What an operator's ``wrt`` names in a call, and whether just one.

    First come the arguments, with the defaults that it names.
    """
    wrt = op.wrt
    single = not isinstance(wrt, tuple | list)
    parameters = parameters_of(lo, op)
    arguments = dict(given)
    found = [_find(item, parameters, arguments) for item in ((wrt,) if single else wrt)]
    for item, wanted in zip((wrt,) if single else wrt, found, strict=True):
        if wanted is None:
            raise lo.unsupported(f"the function has no parameter {item!r}, or this call gives no argument for it.")
    return arguments, [w for w in found if w is not None], single


def _find(item: Any, parameters: list[Parameter] | None, arguments: Arguments) -> Wanted | None:
    """The places that an item of a ``wrt`` means; a default that it means becomes an argument."""
    if parameters is None:
        count = len(as_call(arguments)[0])
        place = item + count if isinstance(item, int) and item < 0 else item
        return place if place in arguments else None
    found = place_in(item, parameters)
    if found is None:
        return None
    p, key = found
    before = [q.name for q in parameters if q.kind in _POSITIONAL]
    match p.kind:
        case Parameter.VAR_POSITIONAL:
            rest = tuple(k for k in arguments if isinstance(k, int) and k >= len(before))
            return rest if key is None else next((k for k in rest if k == len(before) + key), None)
        case Parameter.VAR_KEYWORD:
            own = {q.name for q in parameters if q.kind is not Parameter.POSITIONAL_ONLY}
            named: dict[str, Place] = {k: k for k in arguments if isinstance(k, str) and k not in own}
            return named if key is None else named.get(key)
        case Parameter.KEYWORD_ONLY:
            places: list[Place] = [p.name]
        case _:
            places = [before.index(p.name), p.name]
    there = next((k for k in places if k in arguments), None)
    if there is None and p.default is not p.empty:
        _give_defaults(p, parameters, arguments)
        return next((k for k in places if k in arguments), None)
    return there


def _give_defaults(p: Parameter, parameters: list[Parameter], arguments: Arguments) -> None:
    """Make the default of a parameter an argument; of one given by position, those of the ones before it too."""
    if p.kind is not Parameter.POSITIONAL_ONLY:
        arguments[p.name] = p.default()
        return
    for k, q in enumerate(parameters[: parameters.index(p) + 1]):
        if k not in arguments and q.default is not q.empty:
            arguments[k] = q.default()
