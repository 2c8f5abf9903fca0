"""Statements of programs about the language that have other statements in them."""

from __future__ import annotations

from .live import RETURN, Live
from .live_statements import Lines, Producer
from .live_texts import body, condition, fill, indented, new_name, number

__all__ = ["BLOCKS"]


def _some(s: Live, most: int = 2, **bound: str) -> list[str]:
    with s.inside(**bound) as lines:
        body(s, most)
        return indented(lines)


def _over(s: Live) -> tuple[str, dict[str, str]] | None:
    """What a loop goes over, and what it binds."""
    text, bound = s.pick(
        (
            ("for i_ in range(3)", {"i_": "1"}),
            ("for i_ in range(2, -1, -1)", {"i_": "1"}),
            ("for v_ in {p}", {"v_": "0.7"}),
            ("for v_ in {w}", {"v_": "0.7"}),
            ("for i_, v_ in enumerate({p}, 1)", {"i_": "1", "v_": "0.7"}),
            ("for u_, v_ in zip({p}, {p}[1:])", {"u_": "0.4", "v_": "0.7"}),
            ("for k_, v_ in {d}.items()", {"v_": "0.7"}),
            ("for v_ in ramp({n}, 3)", {"v_": "0.7"}),
            ("for u_, v_ in itertools.pairwise({p})", {"u_": "0.4", "v_": "0.7"}),
            ("for i_, v_ in itertools.product(range(2), {p})", {"i_": "1", "v_": "0.7"}),
            ("for u_ in ({n}, {n})", {"u_": "0.7"}),
            ("for i_, (u_, v_) in enumerate([({n}, {n}), ({n}, {n})])", {"i_": "1", "u_": "0.7", "v_": "0.5"}),
        )
    )
    filled = fill(s, text, 1)
    return (filled, bound) if filled else None


def _ways(s: Live, ways: tuple[str, ...]) -> list[str]:
    return [f"if {condition(s)}:", f"    {s.pick(ways)}"] if s.chance(0.6) else []


def _loop_else(s: Live) -> Lines:
    """A loop that may end early, with ``else``"""
    found = _over(s)
    if found is None:
        return None
    over, bound = found
    with s.inside(**bound) as lines:
        body(s, 2)
        lines += _ways(s, ("break", "break", "continue"))
        body(s, 1)
        inner = indented(lines)
    return [f"{over}:", *inner, *(["else:", *_some(s)] if s.chance(0.7) else [])], ()


def _while_else(s: Live) -> Lines:
    """A loop that counts or grows, with ``else``"""
    n = s.place(lambda x: type(x) is float, 0)
    if n is None:
        return None
    before, test, step = s.pick(
        (
            ("n_ = 0", "n_ < 3", "n_ += 1"),
            ("n_ = 4", "n_", "n_ -= 2"),
            ("n_ = 0", f"abs({n}) < 1.5 and n_ < 4", f"n_ += 1\n{n} = {n} * 1.3 + 0.1"),
            ("n_ = 0", "(n_ := n_ + 1) < 4", f"{n} = {n} * 0.9"),
            ("n_ = 0", "True", "n_ += 1\nif n_ > 3:\n    break"),
        )
    )
    inner = [*step.split("\n"), *_ways(s, ("break", "continue"))]
    after = ["else:", *_some(s)] if s.chance(0.5) else []
    return [before, f"while {test}:", *indented(inner), *_some(s, n_="1"), *after], ()


def _try(s: Live) -> Lines:
    """A ``try`` of which the body may raise"""
    a = new_name(s)
    text, kind = s.pick(
        (
            ("{a} = math.sqrt({n})", "ValueError"),
            ("{a} = math.log({n}) + {n}", "ValueError"),
            ("{a} = {d}['w'] * {n}", "KeyError"),
            ("{a} = {p}[2] * {n}", "IndexError"),
            ("{a} = {n} / max({n}, 0.0)", "ZeroDivisionError"),
            ("{a} = {p}[-3] + {d}['u']", "(IndexError, KeyError)"),
            ("if {t}:\n    raise ValueError('no')\n{a} = {n}", "ValueError"),
            ("if {t}:\n    raise KeyError\n{a} = {n}", "LookupError"),
            ("{a} = {n}\nassert {t}", "AssertionError"),
        )
    )
    filled = fill(s, text.replace("{a}", a), 1)
    if filled is None:
        return None
    handler = [f"{a} = {number(s, 1)}"]
    lines = ["try:", *indented(filled.split("\n")), f"except {kind}:", *indented(handler)]
    lines += _some(s) if s.chance(0.4) else []
    lines += ["else:", *_some(s)] if s.chance(0.4) else []
    lines += ["finally:", f"    z_ = {number(s, 1)}", f"{a} = {a} * z_"] if s.chance(0.3) else []
    if s.chance(0.4) and (found := _over(s)):
        return [f"{a} = {number(s, 1)}", f"{found[0]}:", *indented(lines), *_some(s, **found[1])], (a,)
    return lines, (a,)


_SUBJECTS = (
    ("({n}, {n})", ("(u_, v_) if u_ > v_", "(u_, _)", "_")),
    ("{p}[:1] and ({p}[0], {n}, {n})", ("()", "(u_, *_, v_) if v_ > {c}", "(u_, *_)", "_")),
    ("{{'u': {n}, 'v': {n}}}", ("{{'w': u_}}", "{{'u': u_, 'v': v_}} if u_ < v_", "{{'u': u_}}", "_")),
    ("Point({n}, {n})", ("Point(x=u_, y=v_) if u_ * v_ > 0.0", "Point(u_)", "_")),
    ("({n}, ({n}, {n}))", ("(u_, (v_, _)) if u_ > {c}", "(_, (u_, v_))", "_")),
    ("Layer({n})", ("Tank()", "Layer(s=u_) if u_ > {c}", "Layer(bias=u_)", "_")),
    ("len({p})", ("0 | 1", "2", "n_ if n_ > 2", "_")),
    ("('u', {n})", ("('v', u_)", "('u', u_) if u_ > {c}", "(str(), u_)", "_")),
    ("{o}", ("Vec(x=u_, y=v_)", "Tank(level=u_)", "Point(x=u_)", "_")),
)


def _match(s: Live) -> Lines:
    """A ``match``, with guards"""
    subject, patterns = s.pick(_SUBJECTS)
    head = fill(s, subject, 1)
    if head is None:
        return None
    a = new_name(s)
    lines = [f"match {head}:"]
    for pattern in patterns:
        filled = fill(s, pattern, 1) or "_"
        names = [name for name in ("u_", "v_") if name in filled]
        value = " * ".join([*names, number(s, 1) or "0.5"])
        lines += [f"    case {filled}:", f"        {a} = {value}", *indented(_some(s) if s.chance(0.3) else [])]
    return [line for line in lines if line.strip() != "pass"], (a,)


def _function(s: Live) -> Lines:
    """A function with statements, that may return early, and is called by position or by name"""
    name, made = new_name(s), new_name(s)
    if name == made or name in s.env:
        return None
    with s.inside(t_="0.6", k_="0.3") as lines:
        body(s, 2)
        lines += [f"if {condition(s)}:", f"    return {number(s, 1)}"] if s.chance(0.5) else []
        body(s, 2)
        last = number(s, 2)
        inner = indented(lines)
    defaults = number(s, 1)
    x, y = number(s, 1), number(s, 1)
    call = s.pick((f"{name}({x})", f"{name}({x}, {y})", f"{name}(k_={x}, t_={y})", f"{name}(*({x}, {y}))"))
    return [f"def {name}(t_, k_={defaults}):", *inner, f"    return {last}", f"{made} = {call} + {name}({y})"], (made,)


def _generator(s: Live) -> Lines:
    """A generator with statements, that a loop goes through"""
    name, made = new_name(s), new_name(s)
    found = _over(s)
    if name == made or name in s.env or found is None:
        return None
    over, bound = found
    with s.inside(t_="0.6", **bound) as lines:
        lines += _ways(s, ("continue", "return", "yield t_"))
        lines += [f"t_ = t_ * {number(s, 1)}", f"yield {number(s, 1)}"]
        inner = indented(lines)
    after = [f"yield {number(s, 1)}"] if s.chance(0.4) else []
    with s.inside(u_="0.7") as lines:
        lines += _ways(s, ("break", "continue"))
        lines += [f"{made} = {made} * 0.5 + u_ * {number(s, 1)}"]
        use = indented(lines)
    head = [f"def {name}(t_):", f"    {over}:", *indented(inner), *indented(after)]
    return [*head, f"{made} = {number(s, 0)}", f"for u_ in {name}({number(s, 1)}):", *use], (made,)


def _early(s: Live) -> Lines:
    """A return from within loops"""
    first, second = _over(s), _over(s)
    if first is None or second is None:
        return None
    leave = [f"if {condition(s)}:", f"    {RETURN}{number(s, 1)}"]
    inner = indented([*_some(s, 1, **(first[1] | second[1])), *indented(leave)])
    return [f"{first[0]}:", f"    {second[0]}:", *inner, *_some(s, 1, **first[1])], ()


BLOCKS: list[tuple[float, Producer]] = [
    (1.0, _loop_else),
    (0.6, _while_else),
    (0.8, _try),
    (0.8, _match),
    (0.6, _function),
    (0.6, _generator),
    (0.1, _early),
]
