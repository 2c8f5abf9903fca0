"""Kinds of variables changed throughout a lowered function.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same statements, of new variables where kinds differ; templates speak of these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Var
from s2sad.ir.rewrite import map_atoms
from s2sad.transform.assemble import retold

__all__ = ["with_kinds"]


def with_kinds(lowered: Lowered, kind_of_var: Callable[[Var], K.Kind]) -> Lowered:
    """The function with other kinds for its variables."""
    renamed: dict[Var, Atom] = {}

    def define(v: Var) -> Var:
        kind = kind_of_var(v)
        renamed[v] = new = v if kind == v.kind else Var(v.hint, kind)
        return new

    function = lowered.function
    told = map_atoms(function, lambda a: renamed.get(a, a) if type(a) is Var else a, define)
    params = tuple(told.params[function.params.index(p)] for p in lowered.params)
    templates = tuple(retold(t, renamed) for t in lowered.templates)
    return replace(lowered, function=told, params=params, templates=templates, result=retold(lowered.result, renamed))
