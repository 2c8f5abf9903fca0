"""Random statements with a body: branches, loops, nested functions, and whole idioms."""

from __future__ import annotations

from .atoms import literal, size_text, squash
from .builder import COUNTERS, Arr, Builder, Dic, Frame, Fun, Int, Lst, Num, Tup, bare
from .expressions import condition, held, num
from .statements import SIMPLE, Producer, _pin

__all__ = ["STATEMENTS", "body", "returns"]

#: The most often any statement runs.
TRIPS = 30


def body(b: Builder, size: int) -> None:
    """About ``size`` statements."""
    while size > 0:
        b.left -= 1
        table = STATEMENTS if b.left > 0 else SIMPLE
        for _ in range(8):
            if b.weighted(table)(b):
                break
        size -= 1
        if b.left < 0:
            break


def _some(b: Builder) -> int:
    return b.pick((1, 1, 2, 2, 3, 4))


def returns(b: Builder) -> bool:
    """``return e``, at the end of a block"""
    frame = b.frames[-1]
    if frame.result is None or not frame.may_return:
        return False
    b.line(frame.result())
    return True


# ---- branches


def if_(b: Builder) -> bool:
    """``if``/``elif``/``else``"""
    if b.indent > 4:
        return False
    test = condition(b, 2)
    export = b.fresh() if b.chance(0.3) else None
    with b.block(f"if {test}:"):
        _branch(b, export)
    if b.chance(0.25):
        with b.block(f"elif {condition(b, 1)}:"):
            _branch(b, export)
    if export or b.chance(0.5):
        with b.block("else:"):
            _branch(b, export)
    if export:
        b.bind(export, Num())
    return True


def _branch(b: Builder, export: str | None) -> None:
    if export:
        b.line(f"{export} = {held(b, Num(), 2)}")
        b.declare(export, Num()).pinned = True
    body(b, b.pick((0, 1, 1, 2)) if export else b.pick((1, 1, 2, 3)))


def early_return(b: Builder) -> bool:
    """``if c: return e``, now and then with an ``else`` that goes on"""
    frame = b.frames[-1]
    if frame.result is None or not frame.may_return or b.indent > 4:
        return False
    with b.block(f"if {condition(b, 1)}:"):
        body(b, b.pick((0, 0, 0, 1)))
        returns(b)
    return True


def walrus(b: Builder) -> bool:
    """``if (w := e) > 0.1``"""
    if b.indent > 4:
        return False
    name = b.fresh()
    value = held(b, Num(), 1)
    with b.block(f"if ({name} := {value}) {b.pick('<>')} {bare(literal(b).text)}:"):
        b.declare(name, Num()).pinned = True
        body(b, 1)
    b.bind(name, Num())
    return True


def with_(b: Builder) -> bool:
    """``with np.errstate(...)``"""
    with b.block('with np.errstate(all="ignore"):'):
        body(b, 2)
    return True


# ---- exceptions

_RAISED = ("ValueError", "KeyError", "ZeroDivisionError", "IndexError", "AssertionError")
_CAUGHT = {"KeyError": "LookupError", "IndexError": "LookupError", "ZeroDivisionError": "ArithmeticError"}


def try_(b: Builder) -> bool:
    """``try`` whose body binds names of its own, may raise, and ends in one change; with handlers and what follows"""
    if b.indent > 3:
        return False
    export = b.fresh() if b.chance(0.5) else None
    if export and b.lookup(export) is not None:
        export = None
    raised = b.rng.sample(_RAISED, b.pick((1, 1, 2, 3)))
    with b.block("try:"):
        for error in raised:
            _tried(b, error)
        _ended(b, export)
    for error in raised[: b.pick((1, 2, 3))]:
        _handler(b, error, export)
    if b.chance(0.3):
        with b.block("else:"):
            body(b, 1)
    if b.chance(0.2) and (found := [v for v in b.visible(Num, assignable=True) if b.owned(v)]):
        with b.block("finally:"):
            name = b.pick(found).name
            b.line(f"{name} = {held(b, Num(), 1)}")
    if export:
        b.bind(export, Num())
    return True


def _tried(b: Builder, error: str) -> None:
    """What may raise, and what is computed before it."""
    if b.chance(0.5):
        name = b.fresh()
        if b.lookup(name) is None:
            b.line(f"{name} = {held(b, Num(), 2)}")
            b.bind(name, Num())
    ints = [v.name for v in b.visible(Int)]
    if b.chance(0.12) and b.indent < 4:
        try_(b)
    elif error == "AssertionError":
        b.line(f"assert {condition(b, 1)}")
    elif error == "ZeroDivisionError" and ints:
        b.line(f"{b.fresh()} = 1 / ({b.pick(ints)} - {b.rng.randrange(3)})")
    elif error == "IndexError" and ints and b.chance(0.5):
        b.line(f"{b.fresh()} = [1.0, 2.0][{b.pick(ints)}]")
    elif error == "KeyError" and ints and b.chance(0.5):
        b.line(f"{b.fresh()} = {{0: 1.0, 2: 3.0}}[{b.pick(ints)}]")
    elif b.chance(0.25) and b.trips * 3 <= TRIPS:
        index = b.fresh(COUNTERS)
        with b.block(f"for {index} in range(3):", 3):
            b.declare(index, Int(0, 2), fixed=True)
            _raise(b, error)
    else:
        _raise(b, error)


def _raise(b: Builder, error: str) -> None:
    with b.block(f"if {condition(b, 1)}:"):
        b.line(f"raise {error}({b.pick(('', '0.5', 'str(1)'))})")


def _ended(b: Builder, export: str | None) -> None:
    """The one change that a body makes, at its end."""
    found = [v for v in b.visible(Arr, writable=True) if len(v.type.shape) == 1]
    if export:
        b.line(f"{export} = {held(b, Num(), 2)}")
    elif found and b.chance(0.6):
        b.line(f"{b.pick(found).name}[{b.pick(('0', '-1', ':'))}] {b.pick(('', '+', '*'))}= {held(b, Num(), 2)}")
    elif names := [v.name for v in b.visible(Num, assignable=True) if b.owned(v)]:
        b.line(f"{b.pick(names)} {b.pick(('', '', '+', '*'))}= {held(b, Num(), 2)}")
    if not b.chance(0.15):
        return
    if b.frames[-1].loops and b.chance(0.7):
        b.line("break")
    elif not export:
        returns(b)


def _handler(b: Builder, error: str, export: str | None) -> None:
    known = b.pick((error, error, _CAUGHT.get(error, error), f"({error}, OSError)"))
    with b.block(f"except {known}{b.pick(('', '', ' as error_'))}:"):
        _branch(b, export)
        if b.chance(0.15) and b.frames[-1].loops and b.frames[-1].loops[-1]:
            b.line(b.pick(("continue", "break")))
        elif b.chance(0.1):
            returns(b)


# ---- loops


def _exits(b: Builder) -> bool:
    """``if c: break`` or ``continue``"""
    loops = b.frames[-1].loops
    if not loops:
        return False
    word = "continue" if loops[-1] and b.chance(0.5) else "break"
    with b.block(f"if {condition(b, 1)}:"):
        body(b, b.pick((0, 0, 1)))
        b.line(word)
    return True


def _loop_body(b: Builder, size: int, may_continue: bool = True) -> None:
    loops = b.frames[-1].loops
    loops.append(may_continue)
    body(b, size)
    if b.chance(0.12 * b.features.get("exit", 1.0)):
        _exits(b)
        body(b, b.pick((0, 1)))
    if b.chance(0.04 * b.features.get("return", 1.0)):
        early_return(b)
    loops.pop()


def _loop_else(b: Builder) -> None:
    if b.chance(0.08):
        with b.block("else:"):
            body(b, 1)


def _range(b: Builder) -> tuple[str, Int, int]:
    """The text of a range, the bounds of its index, and how often it runs."""
    n = b.pick(b.pick(b.shapes))
    size = size_text(b, n)
    options = [
        (size, range(n)),
        (size, range(n)),
        (f"1, {size}", range(1, n)),
        (f"{size} - 1", range(n - 1)),
        (f"{size} - 1, -1, -1", range(n - 1, -1, -1)),
        (f"{size} - 2, 0, -1", range(n - 2, 0, -1)),
        (f"0, {size}, 2", range(0, n, 2)),
        (f"{b.rng.randint(2, 4)}", None),
        ("0", range(0)),
        ("2, 1", range(2, 1)),
        (f"1, {size} - 1", range(1, n - 1)),
    ]
    for v in b.visible(Int):
        if v.type.lo >= 0 and v.type.hi <= 5:
            options += [
                (v.name, range(v.type.hi)),
                (f"{v.name}, {n}", range(v.type.lo, n)),
                (f"{v.name} + 1", range(v.type.hi + 1)),
            ]
    text, span = b.pick(options)
    if span is None:
        span = range(int(text))
    return text, Int(min(span, default=0), max(span, default=0)), len(span)


def for_range(b: Builder) -> bool:
    """``for i in range(...)``"""
    text, bounds, trips = _range(b)
    if b.trips * trips > TRIPS or b.indent > 4:
        return False
    name = b.fresh(COUNTERS) if not b.chance(0.04) else "_"
    export = b.fresh() if trips and text.isdigit() and b.chance(0.15) else None
    if export and (export == name or b.lookup(export) is not None):
        export = None
    with b.block(f"for {name} in range({text}):", trips):
        if export:
            b.line(f"{export} = {held(b, Num(), 2)}")
            b.declare(export, Num()).pinned = True
        if name != "_":
            b.declare(name, bounds, fixed=True)
        _loop_body(b, _some(b))
    if export:
        b.bind(export, Num())
    _loop_else(b)
    return True


def for_items(b: Builder) -> bool:
    """``for v in x``, with ``enumerate``, ``zip``, ``reversed``"""
    arrays, lists = b.visible(Arr), b.visible(Lst)
    found = [v for v in (*arrays, *lists) if not isinstance(v.type, Lst) or v.type.least]
    if not found or b.indent > 4:
        return False
    v = b.pick(found)
    n = v.type.shape[0] if isinstance(v.type, Arr) else v.type.least + 3
    if b.trips * n > TRIPS:
        return False
    item = Arr(v.type.shape[1:]) if isinstance(v.type, Arr) and len(v.type.shape) > 1 else Num()
    name, counter, other = b.fresh(), b.fresh(COUNTERS), b.fresh()
    if name == other or b.lookup(name) is not None or b.lookup(other) is not None:
        return False
    partners = [w for w in arrays if len(w.type.shape) == 1]
    form = b.pick(("plain", "plain", "enumerate", "zip", "reversed", "enumzip"))
    if "zip" in form and not partners:
        form = "plain"
    w = b.pick(partners) if partners else v
    header = {
        "plain": f"for {name} in {v.name}:",
        "enumerate": f"for {counter}, {name} in enumerate({v.name}):",
        "zip": f"for {name}, {other} in zip({v.name}, {w.name}):",
        "reversed": f"for {name} in reversed({v.name}):",
        "enumzip": f"for {counter}, ({name}, {other}) in enumerate(zip({v.name}, {w.name})):",
    }[form]
    names = {v.name, w.name} - b.locked
    with b.block(header, n):
        b.locked |= names
        b.declare(name, item, frozen=v.frozen)
        if form.startswith("enum"):
            b.declare(counter, Int(0, max(n - 1, 0)), fixed=True)
        if "zip" in form:
            b.declare(other, Num())
        _loop_body(b, _some(b))
        b.locked -= names
    _loop_else(b)
    return True


def for_literal(b: Builder) -> bool:
    """A loop over a tuple of numbers, or over the items of a dict"""
    if b.trips * 3 > TRIPS or b.indent > 4:
        return False
    dicts = b.visible(Dic)
    name, key = b.fresh(), b.fresh(("key", "k_", "kk"))
    if b.lookup(name) is not None:
        return False
    if dicts and b.chance(0.6):
        v = b.pick(dicts)
        form = b.pick((f"for {key}, {name} in {v.name}.items():", f"for {name} in {v.name}.values():"))
    else:
        tuples = [v.name for v in b.visible(Tup)]
        values = ", ".join(bare(literal(b).text) for _ in range(3))
        form = f"for {name} in {b.pick([*tuples, f'({values})', f'[{values}]'])}:"
    with b.block(form, 3):
        b.declare(name, Num())
        _loop_body(b, _some(b))
    return True


def while_(b: Builder) -> bool:
    """``while k < 3 and ...``, with a counter so that it ends"""
    trips = b.rng.randrange(5)
    if b.trips * trips > TRIPS or b.indent > 4:
        return False
    name = b.fresh(COUNTERS)
    start = b.pick((0, 0, 1, trips))
    b.line(f"{name} = {start}")
    first = b.chance(0.5)
    also = f" and {condition(b, 1)}" if b.chance(0.4) else ""
    infinite = b.chance(0.2)
    with b.block("while True:" if infinite else f"while {name} < {trips}{also}:", max(trips - start, 0)):
        if infinite:
            b.line(f"if {name} >= {trips}:")
            b.line("    break")
        if first:
            b.line(f"{name} += 1")
        b.declare(name, Int(start + first, max(trips - 1 + first, start + first)), fixed=True)
        _loop_body(b, _some(b), may_continue=first)
        if not first:
            b.line(f"{name} += 1")
    if not infinite:
        _loop_else(b)
    return True


# ---- nested functions


def nested_def(b: Builder) -> bool:
    """A closure over what is visible"""
    if b.indent > 2 or b.trips > 4:
        return False
    name = b.fresh()
    if b.lookup(name) is not None:
        return False
    _pin(b)
    cost, trips = b.cost, b.trips
    b.trips = max(3, b.trips)
    p = b.pick(("u", "x", "y_", "s_", "bx"))
    frame = Frame(lambda: f"return {held(b, Num(), 2)}", base=len(b.scopes))
    b.frames.append(frame)
    with b.block(f"def {name}({p}):"):
        b.declare(p, Num())
        before = _frozen(b)
        body(b, b.pick((0, 1, 2)))
        returns(b)
        for var in before:
            var.frozen = False
    b.frames.pop()
    b.trips = trips
    spent = b.cost - cost
    b.cost = cost
    b.bind(name, Fun((Num(),), Num(), cost=max(spent // 3, 1)))
    b.scopes[-1][name].fixed = b.scopes[-1][name].pinned = True
    return True


def _frozen(b: Builder) -> list:
    """Most closures only read what they capture: freeze it for the time being."""
    if b.chance(0.25):
        return []
    changed = [v for scope in b.scopes[:-1] for v in scope.values() if not v.frozen]
    for var in changed:
        var.frozen = True
    return changed


# ---- idioms


def double_buffer(b: Builder) -> bool:
    """Two arrays change places in a loop"""
    found = [v for v in b.visible(Arr, writable=True, assignable=True) if len(v.type.shape) == 1 and b.owned(v)]
    if not found or b.trips * 12 > TRIPS or b.indent > 3:
        return False
    v = b.pick(found)
    n = v.type.shape[0]
    other, k = b.fresh(), b.fresh(COUNTERS)
    if b.lookup(other) is not None:
        return False
    b.line(f"{other} = {b.pick((f'np.zeros_like({v.name})', f'{v.name}.copy()', f'np.zeros({n})'))}")
    b.bind(other, v.type)
    with b.block(f"for {k} in range({b.rng.randrange(4)}):", 3):
        i = "ix"
        e = squash(b, num(b, 0))
        with b.block(f"for {i} in range({n}):", n):
            b.line(f"{other}[{i}] = 0.4 * {v.name}[{i} - 1] + 0.3 * math.sin({v.name}[{i}] * {e.text})")
        body(b, b.pick((0, 0, 1)))
        if b.lookup(other) is not None and b.lookup(other).type == v.type:
            b.line(f"{v.name}, {other} = {other}, {v.name}")
    return True


def stencil(b: Builder) -> bool:
    """A sweep in place over a matrix"""
    found = [v for v in b.visible(Arr, writable=True) if len(v.type.shape) == 2]
    if not found or b.indent > 3:
        return False
    v = b.pick(found)
    n, m = v.type.shape
    if b.trips * n * m > TRIPS:
        return False
    i, j = "r_", "c_"
    x = v.name
    forms = (
        f"{x}[{i}, {j}] = ({x}[{i}, {j} - 1] + {x}[{i}, {j}] + {x}[{i} - 1, {j}]) / 3.0",
        f"{x}[{i}, {j}] = math.tanh({x}[{i} - 1, {j}]) * {x}[{i}, {j}] + 0.2 * {x}[{i}, {j} - 1]",
        f"{x}[{i}, {j}] -= 0.3 * {x}[{i} - 1, {j}] * {x}[{i}, {j} - 1]",
        f"{x}[{i}][{j}] += 0.2 * math.sin({x}[{i} - 1][{j}])",
    )
    start = b.pick((0, 1))
    with b.block(f"for {i} in range({start}, {size_text(b, n)}):", n):
        with b.block(f"for {j} in range({m}):" if b.chance(0.7) else f"for {j} in range({m} - 1, -1, -1):", m):
            b.line(b.pick(forms))
    return True


def recurrence(b: Builder) -> bool:
    """``x[i] = g(x[i - 1], x[i])``"""
    found = [v for v in b.visible(Arr, writable=True) if len(v.type.shape) == 1]
    if not found or b.indent > 3:
        return False
    v = b.pick(found)
    n = v.type.shape[0]
    if b.trips * n > TRIPS:
        return False
    e = squash(b, num(b, 1))
    x = v.name
    forms = (
        f"{x}[ix] = math.sin({x}[ix - 1]) + 0.5 * {x}[ix]",
        f"{x}[ix] = {x}[ix] * math.tanh({x}[ix - 1] + {e.text})",
        f"{x}[ix] += 0.4 * {x}[ix - 1]",
        f"{x}[ix] *= math.cos({x}[ix - 1])",
        f"{x}[ix - 1] = {x}[ix] - 0.2 * {x}[ix - 1] * {e.text}" if len(e.text) < 30 else f"{x}[ix - 1] = {x}[ix]",
    )
    with b.block(f"for ix in range({b.pick((0, 1))}, {size_text(b, n)}):", n):
        b.line(b.pick(forms))
    return True


def collect(b: Builder) -> bool:
    """A list that a loop appends to, then an array of it"""
    if b.trips * 4 > TRIPS or b.indent > 3:
        return False
    name, out = b.fresh(), b.fresh()
    if name == out or b.lookup(out) is not None or b.lookup(name) is not None:
        return False
    b.line(f"{out} = []")
    b.declare(out, Lst(0), fixed=True)
    text, bounds, trips = _range(b)
    trips = min(trips, 5)
    k = b.fresh(COUNTERS)
    with b.block(f"for {k} in range({text}):", trips):
        b.declare(k, bounds, fixed=True)
        _loop_body(b, b.pick((0, 1, 2)))
        b.line(f"{out}.append({held(b, Num(), 2)})")
    b.line(
        f"{name} = {b.pick(('np.sum', 'np.sum', 'sum'))}(np.array({out})) if {out} else 0.3"
        if b.chance(0.5)
        else f"{name} = math.tanh(sum({out}))"
    )
    b.bind(name, Num())
    return True


def newton(b: Builder) -> bool:
    """An iteration to a tolerance"""
    if b.trips * 6 > TRIPS or b.indent > 3:
        return False
    x, e = b.fresh(), squash(b, num(b, 1), 1.0)
    if b.lookup(x) is not None:
        return False
    b.line(f"{x} = {held(b, Num(), 1, 1.0)}")
    with b.block(f"while abs({x} - 0.3 * math.sin({x}) - 0.5 * {e.text}) > 0.01:", 5):
        b.line(f"{x} = 0.3 * math.sin({x}) + 0.5 * {e.text}")
    b.bind(x, Num())
    return True


def zero_then_add(b: Builder) -> bool:
    """``s = 0`` (an integer) and a loop that adds to it"""
    found = [v for v in b.visible(Arr) if len(v.type.shape) == 1]
    if not found or b.indent > 3:
        return False
    v = b.pick(found)
    n = v.type.shape[0]
    name = b.fresh()
    if b.lookup(name) is not None or b.trips * n > TRIPS:
        return False
    b.line(f"{name} = {b.pick(('0', '0.0', '1'))}")
    with b.block(f"for ix in range({size_text(b, n)}):", n):
        b.line(
            b.pick(
                (
                    f"{name} += 0.3 * {v.name}[ix]",
                    f"{name} = 0.5 * {name} + {v.name}[ix] * {v.name}[ix] / 4",
                    f"{name} = {name} * 0.4 + math.sin({v.name}[ix])",
                )
            )
        )
    b.bind(name, Num())
    return True


STATEMENTS: list[tuple[str, float, Producer]] = [
    *SIMPLE,
    ("branch", 2.5, if_),
    ("return", 0.5, early_return),
    ("exit", 0.6, _exits),
    ("branch", 0.2, walrus),
    ("misc", 0.1, with_),
    ("loop", 2.5, for_range),
    ("loop", 1.2, for_items),
    ("loop", 0.3, for_literal),
    ("while", 0.8, while_),
    ("closure", 0.5, nested_def),
    ("idiom", 0.5, double_buffer),
    ("idiom", 0.5, stencil),
    ("idiom", 0.6, recurrence),
    ("idiom", 0.6, collect),
    ("idiom", 0.3, newton),
    ("idiom", 0.4, zero_then_add),
    ("try", 3.0, try_),
]
