"""Generic traversal of the IR: what a statement reads and defines, and rebuilding it.

Everything here recurses on the nesting of blocks only, never on their length, and
returns the very object it was given where nothing changed, so that ``new is old``
tells whether a pass did anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar, cast

from s2sad.ir.kinds import Kind
from s2sad.ir.nodes import Atom, Block, Closure, Comment, For, Function, If, Op, Stmt, Store, Var, While, With

__all__ = [
    "all_blocks",
    "all_vars",
    "blocks_of",
    "clone",
    "clone_block",
    "definitions",
    "free_vars",
    "inline",
    "inner_targets_of",
    "map_atoms",
    "map_operands",
    "map_stmts",
    "resolve",
    "substitute",
    "targets_of",
    "use_counts",
    "uses_of",
    "walk",
    "with_blocks",
    "with_body",
]

Node = TypeVar("Node", bound=Block | Function | Op | Store | If | For | While | With | Closure | Comment)
OnUse = Callable[[Atom], Atom]
OnDefine = Callable[[Var], Var]


# ---------------------------------------------------------------- looking at a statement


def uses_of(stmt: Stmt) -> tuple[Atom, ...]:
    """The atoms a statement itself reads; what its nested blocks read is not included."""
    match stmt:
        case Op(args=args, kwargs=kwargs):
            return args + tuple(a for _, a in kwargs) if kwargs else args
        case Store(obj=obj, index=index, value=value):
            return obj, index, value
        case If(cond=cond):
            return (cond,)
        case For(items=Var() as items, inits=inits):
            return items, *inits
        case For(start=start, stop=stop, step=step, inits=inits):
            return start, stop, step, *inits
        case While(inits=inits):
            return inits
        case With(context=context):
            return (context,)
    return ()


def targets_of(stmt: Stmt) -> tuple[Var, ...]:
    """The variables a statement defines for the statements after it."""
    match stmt:
        case Op(target=target):
            return () if target is None else (target,)
        case If(results=results) | For(results=results) | While(results=results) | With(results=results):
            return results
        case Closure(target=target):
            return (target,)
    return ()


def inner_targets_of(stmt: Stmt) -> tuple[Var, ...]:
    """The variables a statement defines for its own blocks: loop index and params, ``as`` target, parameters."""
    match stmt:
        case For(index=index, params=params):
            return index, *params
        case While(params=params):
            return params
        case With(target=Var() as target):
            return (target,)
        case Closure(function=function):
            return function.params
    return ()


def blocks_of(stmt: Stmt) -> tuple[Block, ...]:
    """The nested blocks of a statement, in order of execution (a closure's body included)."""
    match stmt:
        case If(then=then, orelse=orelse):
            return then, orelse
        case For(body=body) | With(body=body):
            return (body,)
        case While(test=test, body=body):
            return test, body
        case Closure(function=function):
            return (function.body,)
    return ()


def walk(root: Block | Function) -> Iterator[Stmt]:
    """Every statement, outer before inner, in order of the text."""
    block = root.body if isinstance(root, Function) else root
    stack = [iter(block.stmts)]
    while stack:
        for stmt in stack[-1]:
            yield stmt
            if type(stmt) is not Op and (blocks := blocks_of(stmt)):
                stack.append(iter([s for b in blocks for s in b.stmts]))
                break
        else:
            stack.pop()


def all_blocks(root: Function | Block) -> Iterator[Block]:
    """All blocks, nested ones after those that they are in."""
    yield root if isinstance(root, Block) else root.body
    for s in walk(root):
        yield from blocks_of(s)


def all_vars(root: Block | Function) -> Iterator[Var]:
    """Every variable defined in a function or block, in order of the text."""
    if isinstance(root, Function):
        yield from root.params
    for stmt in walk(root):
        yield from inner_targets_of(stmt)
        yield from targets_of(stmt)


def definitions(root: Block | Function) -> dict[Var, Stmt]:
    """The statement that defines each variable (loop params and closure parameters included)."""
    table: dict[Var, Stmt] = {}
    for stmt in walk(root):
        if type(stmt) is Op:
            if stmt.target is not None:
                table[stmt.target] = stmt
            continue
        for v in inner_targets_of(stmt) + targets_of(stmt):
            table[v] = stmt
    return table


def use_counts(root: Block | Function) -> dict[Var, int]:
    """How often each variable is read (as an operand, an init or an out). Unread ones are absent."""
    read: list[Atom] = []
    outs = list((root.body if isinstance(root, Function) else root).outs)
    for stmt in walk(root):
        if type(stmt) is Op and not stmt.kwargs:
            read += stmt.args
            continue
        read += uses_of(stmt)
        if type(stmt) is not Op:
            outs.extend(a for block in blocks_of(stmt) for a in block.outs)
    counts: dict[Var, int] = {}
    for a in (*read, *outs):
        if type(a) is Var:
            counts[a] = counts.get(a, 0) + 1
    return counts


def free_vars(root: Block | Function) -> tuple[Var, ...]:
    """The variables read in a block or function but defined outside it, in order of first use."""
    defined = set(all_vars(root))
    return tuple(v for v in use_counts(root) if v not in defined)


# ---------------------------------------------------------------- rebuilding


def with_blocks(stmt: Stmt, blocks: tuple[Block, ...]) -> Stmt:
    """The statement with other nested blocks, given as :func:`blocks_of` lists them."""
    if all(new is old for new, old in zip(blocks, blocks_of(stmt), strict=True)):
        return stmt
    match stmt:
        case If():
            return If(stmt.cond, blocks[0], blocks[1], stmt.results, stmt.origin, stmt.adjoint)
        case For():
            return _with_loop_body(stmt, blocks[0])
        case While():
            return While(stmt.params, stmt.inits, blocks[0], blocks[1], stmt.results, stmt.has_exit, stmt.origin)
        case With():
            return With(stmt.context, stmt.target, blocks[0], stmt.results, stmt.origin)
        case Closure():
            return Closure(stmt.target, with_body(stmt.function, blocks[0]), stmt.origin)
    return stmt


def _with_loop_body(s: For, body: Block) -> For:
    carried = s.params, s.inits, body, s.results
    return For(s.index, s.start, s.stop, s.step, *carried, s.has_exit, s.origin, s.independent, s.reverses, s.items)


def with_body(function: Function, body: Block) -> Function:
    """The function with another body; itself if that is the one it has."""
    if body is function.body:
        return function
    return replace(function, body=body)


def map_stmts(block: Block, change: Callable[[Stmt], Stmt | Iterable[Stmt]]) -> Block:
    """Replace every statement, inner before outer, by what ``change`` gives: one statement or several."""
    stmts: list[Stmt] = []
    same = True
    for stmt in block.stmts:
        inner = stmt
        if type(stmt) is not Op and (blocks := blocks_of(stmt)):
            inner = with_blocks(stmt, tuple(map_stmts(b, change) for b in blocks))
        new = change(inner)
        if new is stmt:
            stmts.append(stmt)
        else:
            same = False
            stmts.extend(new if isinstance(new, Iterable) else (new,))
    return block if same else Block(tuple(stmts), block.outs)


def map_atoms(node: Node, use: OnUse, define: OnDefine | None = None) -> Node:
    """Replace every atom that is read by ``use(atom)``, at any depth, and every defined variable by ``define(var)``.

    ``define`` is called before the uses it covers are mapped, so it may record fresh
    names for ``use`` to find.
    """
    return _Mapper(use, define or (lambda v: v)).map(node)


def map_operands(stmt: Stmt, use: OnUse) -> Stmt:
    """Replace the atoms that the statement itself reads (:func:`uses_of`), not those its blocks read."""
    old = uses_of(stmt)
    new = tuple(map(use, old))
    if all(a is b for a, b in zip(new, old, strict=True)):
        return stmt
    match stmt:
        case Op(args=args, kwargs=kwargs):
            names = (k for k, _ in kwargs)
            named = tuple(zip(names, new[len(args) :], strict=True))
            return Op(stmt.target, stmt.fn, new[: len(args)], named, stmt.origin)
        case Store():
            obj, index, value = new
            return Store(obj, index, value, stmt.aug, stmt.origin)
        case If():
            return If(new[0], stmt.then, stmt.orelse, stmt.results, stmt.origin, stmt.adjoint)
        case For():
            start, stop, step, *inits = new
            carried = stmt.params, tuple(inits), stmt.body, stmt.results
            told = stmt.origin, stmt.independent, stmt.reverses
            return For(stmt.index, start, stop, step, *carried, stmt.has_exit, *told)
        case While():
            return While(stmt.params, new, stmt.test, stmt.body, stmt.results, stmt.has_exit, stmt.origin)
        case With():
            return With(new[0], stmt.target, stmt.body, stmt.results, stmt.origin)
    return stmt


def substitute(node: Node, mapping: Mapping[Var, Atom]) -> Node:
    """Replace variables that are read, at any depth, by other atoms (one step: see :func:`resolve`)."""
    if not mapping:
        return node
    return map_atoms(node, lambda a: mapping.get(a, a) if type(a) is Var else a)


def resolve(mapping: dict[Var, Atom]) -> dict[Var, Atom]:
    """Follow chains ``a -> b -> c`` so that each key maps to the end of its chain. Changes and returns the dict."""
    for v in mapping:
        path = []
        a: Atom = v
        while type(a) is Var and a in mapping:
            path.append(a)
            a = mapping[a]
        for p in path:
            mapping[p] = a
    return mapping


def clone_block(
    block: Block, mapping: Mapping[Var, Atom] | None = None, kind: Callable[[Kind], Kind] = lambda kind: kind
) -> Block:
    """The block with fresh variables for all it defines; free variables go through ``mapping``.

    ``kind`` gives the kinds of the variables. One that is left beside the clone, or another clone, has arrays of its
    own shapes: of those nothing is said with :func:`~s2sad.ir.kinds.without_shape`.
    """
    return map_atoms(block, *_refresh(mapping, kind))


def clone(function: Function, name: str | None = None, mapping: Mapping[Var, Atom] | None = None) -> Function:
    """The function with fresh variables throughout; free variables go through ``mapping``."""
    new = map_atoms(function, *_refresh(mapping))
    return new if name is None else replace(new, name=name)


def inline(function: Function, args: Iterable[Atom]) -> tuple[tuple[Stmt, ...], Atom]:
    """The statements of a call, with fresh variables, and the atom that holds its result."""
    body = clone_block(function.body, dict(zip(function.params, args, strict=True)))
    return body.stmts, body.outs[0]


def _refresh(
    mapping: Mapping[Var, Atom] | None, kind: Callable[[Kind], Kind] = lambda kind: kind
) -> tuple[OnUse, OnDefine]:
    table: dict[Var, Atom] = dict(mapping or {})

    def define(v: Var) -> Var:
        new = Var(v.hint, kind(v.kind))
        table[v] = new
        return new

    return (lambda a: table.get(a, a) if type(a) is Var else a), define


class _Mapper:
    """Rebuilds nodes through a function on reads and one on definitions."""

    def __init__(self, use: OnUse, define: OnDefine) -> None:
        self.use = use
        self.define = define

    def map(self, node: Node) -> Node:
        if isinstance(node, Block):
            return cast(Node, self.block(node))
        if isinstance(node, Function):
            return cast(Node, self.function(node))
        return cast(Node, self.stmt(node))

    def function(self, f: Function) -> Function:
        params = self.defines(f.params)
        body = self.block(f.body)
        if params is f.params and body is f.body:
            return f
        return replace(f, params=params, body=body)

    def block(self, block: Block) -> Block:
        stmts = block.stmts
        new = [self.stmt(s) for s in stmts]
        outs = self.uses(block.outs)
        same = all(a is b for a, b in zip(new, stmts, strict=True))
        return block if same and outs is block.outs else Block(stmts if same else tuple(new), outs)

    def uses(self, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        new = tuple(map(self.use, atoms))
        for a, b in zip(new, atoms, strict=True):
            if a is not b:
                return new
        return atoms

    def defines(self, vs: tuple[Var, ...]) -> tuple[Var, ...]:
        new = tuple(map(self.define, vs))
        return vs if all(a is b for a, b in zip(new, vs, strict=True)) else new

    def stmt(self, s: Stmt) -> Stmt:
        if type(s) is Op:
            return self.op(s)
        new = self.compound(s)
        return s if _same_fields(s, new) else new

    def op(self, s: Op) -> Op:
        args = self.uses(s.args)
        kwargs = s.kwargs
        if kwargs:
            values = tuple(a for _, a in kwargs)
            mapped = self.uses(values)
            if mapped is not values:
                kwargs = tuple((k, a) for (k, _), a in zip(kwargs, mapped, strict=True))
        target = s.target if s.target is None else self.define(s.target)
        if args is s.args and kwargs is s.kwargs and target is s.target:
            return s
        return Op(target, s.fn, args, kwargs, s.origin)

    def compound(self, s: Stmt) -> Stmt:
        use, uses, defines, block = self.use, self.uses, self.defines, self.block
        match s:
            case Store():
                return Store(use(s.obj), use(s.index), use(s.value), s.aug, s.origin)
            case If():
                return If(use(s.cond), block(s.then), block(s.orelse), defines(s.results), s.origin, s.adjoint)
            case For():
                bounds = use(s.start), use(s.stop), use(s.step)
                inits = uses(s.inits)
                reverses = None if s.reverses is None else use(s.reverses)
                if type(reverses) is not Var:
                    reverses = None
                index, params = self.define(s.index), defines(s.params)
                body, results = block(s.body), defines(s.results)
                told = s.origin, s.independent, reverses
                return For(index, *bounds, params, inits, body, results, s.has_exit, *told)
            case While():
                inits = uses(s.inits)
                params = defines(s.params)
                test, body = block(s.test), block(s.body)
                return While(params, inits, test, body, defines(s.results), s.has_exit, s.origin)
            case With():
                context = use(s.context)
                target = s.target if s.target is None else self.define(s.target)
                body = block(s.body)
                return With(context, target, body, defines(s.results), s.origin)
            case Closure():
                # the name is bound before the body is mapped: a closure may call itself
                return Closure(self.define(s.target), self.function(s.function), s.origin)
        return s


def _same_fields(a: Stmt, b: Stmt) -> bool:
    return a is b or all(getattr(a, f) is getattr(b, f) for f in a.__dataclass_fields__)
