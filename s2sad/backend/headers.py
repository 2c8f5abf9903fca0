"""The parameters of a printed derivative, passed as those of the function that it is of."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature

__all__ = ["header"]


def header(signature: Signature, names: Sequence[str], defaults: Mapping[str, ast.expr | None]) -> ast.arguments:
    """A parameter list in which ``names`` are passed as the signature says; ``defaults`` go by the names it has.

    A default that has no literal is left out, and so are those before it that may be passed by position.

    >>> def f(x, /, n=2, *rest, t=0.5): ...
    >>> ast.unparse(header(Signature.from_callable(f), "anrt", {"n": ast.Constant(2), "t": ast.Constant(0.5)}))
    'a, /, n=2, *r, t=0.5'
    >>> ast.unparse(header(Signature.from_callable(f), "anrt", {}))
    'a, /, n, *r, t'
    """
    passed: dict[object, list[ast.arg]] = {kind: [] for kind in _KINDS}
    positional: list[ast.expr] = []
    by_keyword: list[ast.expr | None] = []
    for name, p in zip(names, signature.parameters.values(), strict=True):
        passed[p.kind].append(ast.arg(name))
        default = defaults.get(p.name)
        match p.kind:
            case Parameter.KEYWORD_ONLY:
                by_keyword.append(default)
            case Parameter.POSITIONAL_ONLY | Parameter.POSITIONAL_OR_KEYWORD:
                positional = [] if default is None else [*positional, default]
    first, either, rest, only, named = passed.values()
    return ast.arguments(first, either, _one(rest), only, by_keyword, _one(named), positional)


def _one(found: list[ast.arg]) -> ast.arg | None:
    return found[0] if found else None


_KINDS = (
    Parameter.POSITIONAL_ONLY,
    Parameter.POSITIONAL_OR_KEYWORD,
    Parameter.VAR_POSITIONAL,
    Parameter.KEYWORD_ONLY,
    Parameter.VAR_KEYWORD,
)
