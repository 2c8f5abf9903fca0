"""Statements where scopes, aliases, copies, kinds and early exits are easily mistaken, as texts with places to fill.

A place in upper case is a name, one in lower case anything of its kind:

=============  =====================================================================
``x``          a name of a float
``p q P``      a list of floats
``r``          a list of such lists
``u v w V``    arrays: with one axis, with any
``m M``        an array of two axes
``g``          a list of arrays
``z``          a list of things of several kinds
``e d c``      operands; a constant
``n``          something to loop over that is empty
``flat``       of ``v`` or ``m``, its items as what may be a view of it or a copy
``i op``       an end of an array; an update
``a b h``      new names: of what is assigned at the margin, or of a function
=============  =====================================================================
"""

from __future__ import annotations

__all__ = ["EMPTY", "FLAT", "GROUPS", "HELPERS"]

EMPTY = (
    "range(0)", "range(0)", "[]", "()", "range(3, 1)", "{p}[9:]", "range(len({p}) - 9)", "reversed({p}[9:])", "{v}[9:]",
    "[r_ for r_ in {p} if r_ > 90.0]",
)  # fmt: skip

#: Those of any array are of ``v``, those of two axes of ``m``.
FLAT = {
    "v": (
        "np.ravel({0})", "{0}.ravel()", "np.reshape({0}, -1)", "{0}.reshape(-1)", "np.asarray({0})", "np.ravel({0}.T)",
        "np.ascontiguousarray({0})", "np.asfortranarray({0})", "{0}.T.reshape(-1)", "np.ravel({0}[::-1])", "{0}[...]",
        "np.ascontiguousarray({0}[::-1])", "np.ascontiguousarray({0}.T)", "np.atleast_1d({0})", "{0}.flatten()",
        "np.reshape({0}[1:], -1)", "np.asarray({0}[::2])", "np.array({0})", "{0}.copy()", "np.squeeze({0})",
        "{0}[::2].ravel()", "np.expand_dims({0}, 0).ravel()", "{0}.reshape({0}.shape)", "np.atleast_2d({0})",
        "np.reshape({0}.T, {0}.shape)", "np.concatenate([{0}, {0}])", "{0}[[0, -1]]", "+{0}", "{0}.astype(float)",
    ),
    "m": (
        'np.ravel({0}, order="F")', '{0}.T.ravel(order="F")', "{0}[:, ::-1].ravel()", "{0}[:, 1:].reshape(-1)",
        "np.ravel({0}[:, 0])", "np.transpose({0}).reshape(-1)", "{0}.swapaxes(0, 1).ravel()", "np.ravel({0}[1:])",
        "np.moveaxis({0}, 0, 1).reshape(-1)", "{0}[:1].reshape(-1)", "{0}[:, :1].reshape(-1)", "{0}.T[0].ravel()",
        "np.ascontiguousarray({0}.T)[0]", "np.asarray({0}.T)[0]", "np.ascontiguousarray({0}[:, 0])", "{0}[0].ravel()",
        "np.reshape({0}[:, ::-1], -1)", "np.diagonal({0}).copy()", '{0}.reshape(-1, order="F")', "{0}.T.flatten()",
    ),
}  # fmt: skip

HELPERS = {
    "shaved": "def shaved(a, c):\n    a[0] = a[0] * c\n    return a[1:]",
    "flatly": "def flatly(a, c):\n    a *= c\n    return np.ravel(a)",
    "turned": "def turned(a, c):\n    b = a.T\n    b[0] += c\n    return b",
    "parted": "def parted(a, c):\n    a[-1] *= c\n    return a[:1], a[1:]",
    "lower": "def lower(rows, c):\n    rows[-1] = rows[-1] * c\n    return rows[-1]",
    "scaled_to": "def scaled_to(a, c=0.5, out=None):\n    b = a if out is None else out\n    b *= c\n    return b",
    "either_of": "def either_of(a, b):\n    b[0] = a[0] * 0.5\n    return a if b[0] > 0.2 else b",
    "stored": "def stored(items, v):\n    items[0] = v\n    return items[-1:]",
    "back": "def back(a, k=0):\n    a[k] += 0.3\n    return a[::-1]",
    "until": (
        "def until(rows, c):\n    for k in range(len(rows)):\n        for j in range(k + 1):\n"
        "            rows[k] = rows[k] * c\n            if j > 1:\n                break\n"
        "            if k == 2:\n                return rows[k - 1]\n        else:\n            continue\n"
        "        rows[0] = rows[0] + 0.1\n    return rows[0]"
    ),
    "swept": (
        "def swept(a, c):\n    out = []\n    while len(out) < 4:\n        a *= c\n        out.append(a[0])\n"
        "        if a[0] * a[0] < 0.1:\n            return a[-1:], out\n        a[0] += 0.2\n    return a[:1], out"
    ),
}

_KINDS = (
    "{a} = {e}\nfor k_ in {n}:\n    {a} = {a} * {v}",
    "{a} = 0\nfor k_ in {n}:\n    {a} = {a} + {v}\n{b} = np.sum({a} + {v})",
    "{a} = 0.0\nfor k_ in {n}:\n    {a} = {a} + {v}\n{b} = {a} + {e}",
    "{a} = []\nfor k_ in {n}:\n    {a}.append({v})\n{a}.append({e})",
    "{a} = []\nfor k_ in {n}:\n    {a}.append([{e}])\n{a} += [{d}]",
    "{a} = []\nfor k_ in {n}:\n    {a}.append({e})\n{a}.append({v})\n{a}[0][0] = {d}",
    "{a} = {u}\nfor k_ in {n}:\n    {a} = {a}[0]",
    "{a} = {v}\nfor k_ in {n}:\n    {a} = {a}.sum()\n{a}[{i}] = {e}",
    "{a} = {v}\nfor k_ in {n}:\n    {a} = {a}.sum()\n{a} *= {e}",
    "{a} = None\nfor k_ in {n}:\n    {a} = {v}\n{b} = {e} if {a} is None else {a}[0]",
    "{a} = {p}\nfor k_ in {n}:\n    {a} = {u}\n{a}[0] = {a}[0] * {e}",
    "{a} = {u}\nfor k_ in {n}:\n    {a} = {p}\n{a}[0] = {a}[0] * {e}",
    "{a} = [{e}, {d}]\nfor k_ in {n}:\n    {a}[0] = {v}\n{b} = np.sum({a}[0]) * {a}[1]",
    "{a} = [0.0] * 2\nfor k_ in {n}:\n    {a}[0] = np.zeros(2)\n{a}[{i}] += {e}",
    "{a} = {v}\nwhile len({p}) > 90:\n    {a} = {a}.T @ {a}\n{a} = {a} * {e}",
    "{a} = {e}\nif {x} > 90.0:\n    {a} = {v}\n{b} = {a} * {d}",
    "{a} = {v}\nif {x} > 90.0:\n    {a} = {e}\n{a} *= {d}",
    "{a} = {p}\nif {x} > 90.0:\n    {a} = {r}\n{a}[0] = {e}",
    "{a} = 0.0\nfor r_ in {m}:\n    {a} = {a} + r_ * {e}",
    "{a} = 0\nfor r_ in {m}:\n    {a} += r_ * {e}\n    {a} *= {d}",
    "{a} = {e}\nfor r_ in {v}:\n    {a} = r_ if {a} is None else {a} + r_",
    "{a} = None\nfor r_ in {v}:\n    {a} = r_ if {a} is None else {a} + r_",
    "{a} = None\nfor r_ in {g}:\n    if {a} is None:\n        {a} = r_\n    else:\n        {a} *= r_",
    "{a} = sum([r_ * {e} for r_ in {v}])",
    "{a} = sum([r_ for r_ in {n}], {v})\n{a}[0] = {e}",
    "{a} = np.zeros(0)\nfor r_ in {p}:\n    {a} = np.concatenate([{a}, np.array([r_ * {e}])])",
    "{a} = {e}\nfor k_ in range(2):\n    {a} = {a} * {v}",
    "{a} = np.zeros(2)\nfor k_, r_ in enumerate({p}):\n    {a}[k_ % 2] += r_ * {e}",
    "{a} = [0.0] * 3\nfor k_, r_ in enumerate({p}):\n    {a}[k_ % 3] = r_ * {e}\n    if r_ > {c}:\n        break",
    "{a} = np.ones(2)\nfor r_ in {n}:\n    {a} = {v}\n{a}[0] = {x}\n{a}[1] *= {e}",
    "{a} = [1.0, 2.0]\nif {x} > {c}:\n    {a}[0] = {x}\nelse:\n    {a}[1] = {e}",
    "{a} = np.full(2, 0.5)\nif {x} > {c}:\n    {a}[0] = {x}\n{a}[1] = {a}[0] * 0.5",
    "{a} = {p} if {x} > 90.0 else {u}\n{a}[0] = {e}",
    "{a} = {e} if {x} > 90.0 else {v}\n{b} = {a} * {a}",
    "{a} = 1.0\nfor k_ in {n}:\n    {a} = np.ones(2) * {e}\n{b} = {u} * {a}\n{b}[0] = {d}",
    "{a} = {u}\nfor k_ in {n}:\n    {a} = {m}\n{a} = {a} * {e}\n{a}[0] += {d}",
    "{a} = ({e}, {d})\nfor k_ in {n}:\n    {a} = ({v}, {d})\n{b} = {a}[0] * {a}[1]",
    "{a} = {{}}\nfor k_ in {n}:\n    {a}[str(k_)] = {v}\n{a}[\"x\"] = {v}\n{a}[\"x\"][0] *= {e}",
)  # fmt: skip

_ITEMS = (
    "{a} = [{v} * {e}, {d}]",
    "{a} = [{d}, {v}]",
    "{a} = [{v}, {w}]",
    "{a} = [{v} for k_ in range(2)]\n{a}[0] = {a}[0].sum()\n{a}[1] *= {a}[0]",
    "{a} = list({m})\n{a}[0] = {a}[0][:1] * {e}",
    "{a} = [{e}, {d}]\nfor k_ in range(2):\n    {a}[k_] = {a}[k_] * {v}",
    "{a} = [{v}, {v} * {e}]\nfor k_ in range(2):\n    {a}[k_] = {a}[k_].sum() * {d}",
    "for k_, r_ in enumerate({g}):\n    {g}[k_] = r_.sum() * {e}",
    "{g}[{i}] = np.array([{e}])",
    "{g}[{i}] = {g}[{i}][:1]",
    "{g}[0] = np.outer({u}, {u})",
    "{g}[{i}] = {e}",
    "{g}.append({v})",
    "{g}[0] = {v}\n{v}[0] *= {e}",
    "{p}[{i}] = np.array([{e}, {d}])",
    "{p}[{i}] = {v}\n{v}[{i}] = {e}",
    "{p}.append({v})",
    "{z}[{i}] = {z}[{i}] * {e}",
    "{z}[-1] = {z}[0] * {d}",
    "{z}[{i}] = {e}",
    "{z}[{i}] = {v}",
    "{z}[0], {z}[-1] = {z}[-1], {z}[0]",
    "{b} = sum(np.sum(r_) for r_ in {z})",
    "{z}.append({e})",
    "{z}.insert(0, {v})",
    "for k_, r_ in enumerate({z}):\n    {z}[k_] = r_ * {e}",
    "for k_ in range(len({z})):\n    {z}[k_] *= {e}",
    "{b} = {z}.pop()",
    "{b} = np.sum({z}[0] * {z}[-1])",
    "{a} = {z}[::-1]\n{a}[0] = {e}",
    "{a} = {z} + [{e}]",
    "{a} = [r_ * {d} for r_ in {z}]",
    "{a} = [{e}] * 3\n{a}[1] = {v}\n{a}[2] = {a}[1] * {a}[0]\n{a}[0] = {a}[2].sum()",
    "{a} = [{v}, {w}]\n{a}[0], {a}[1] = {a}[1], {a}[0]\n{a}[0][0] = {e}",
    "{r}[0] = [{e}] + {r}[-1]",
    "{a} = [[{e}], {v}]\n{a}[0][0] *= {d}\n{a}[1][0] *= {d}",
    "{a} = [np.zeros(2), np.zeros(3)]\nfor r_ in {a}:\n    r_ += {e}\n{a}[1] = {a}[0]\n{a}[0][0] = {d}",
    "{a} = [np.zeros(2)] * 2\n{a}[0] = {a}[0] + {x}\n{a}[1][0] = {e}",
    '{a} = {{"x": {e}, "y": {v}}}\n{a}["x"] = {a}["y"] * {d}\n{b} = np.sum({a}["x"])',
)  # fmt: skip

_COPIES = (
    "{a} = {flat}\n{a}[{i}] {op} {e}",
    "{a} = {flat}\n{v}[{i}] {op} {e}",
    "{a} = {flat}\n{m}[{i}] {op} {e}\n{b} = {a} * {a}",
    "{a} = {flat}\n{a}[{i}] {op} {e}\n{v}[{i}] {op} {d}\n{m}[0] *= {x}",
    "{a} = {flat}\n{a} *= {a}\n{v} *= {e}",
    "{a} = {flat}\n{v} *= {e}\n{b} = np.sum({a} * {a})",
    "{flat}[{i}] {op} {e}",
    "for k_ in range(2):\n    a_ = {flat}\n    a_ *= {e}\n    if a_[0] > {c}:\n        break\n    {v}[{i}] = {d}",
    "for k_ in range(2):\n    a_ = {flat}\n    {v} *= a_[0]\n    {m}[{i}] += a_[-1] * {e}",
    "for k_ in range(2):\n    a_ = {flat}\n    a_[{i}] = a_[0] * a_[0]",
    "{a} = {v}\nfor k_ in range(2):\n    {a} = {a}.T.reshape({v}.shape)\n    {a}[{i}] *= {e}",
    "{b} = {v}.T\n{a} = np.ravel({b})\n{b}[0] = {e}\n{a}[{i}] *= {a}[{i}]",
    "{b} = {m}[:, ::-1]\n{a} = {b}.reshape(-1)\n{a}[0] *= {e}\n{b}[0, 0] *= {d}\n{m}[{i}] *= {x}",
    "{a} = np.asarray({p})\n{a}[{i}] = {e}\n{p}[{i}] = {d}",
    "{a} = np.array({v})\n{v}[{i}] = {e}\n{a}[{i}] *= {d}",
    "{a} = np.asarray({v})\n{v}[{i}] *= {e}\n{a}[{i}] *= {a}[{i}]",
    "if {x} > {c}:\n    a_ = {flat}\nelse:\n    a_ = {u}\na_[{i}] *= {e}",
    "{a} = {flat} if {x} > {c} else {u}\n{a}[{i}] = {e}",
    "{a} = np.ascontiguousarray({m}.T)\n{a}[0] = {e}\n{m}[0] *= {d}\n{b} = np.sum({a} * {m}.T)",
    "{a} = np.reshape({m}.T, -1)\nfor k_ in range({a}.shape[0]):\n    {a}[k_] *= {e}\n    {m}[0, 0] = {a}[k_]",
    "{a} = [{flat} for k_ in range(2)]\n{a}[0][0] *= {e}\n{a}[1][-1] *= {d}",
    "{a} = np.broadcast_to({u}, (2,) + {u}.shape)\n{b} = np.sum({a} * {e})",
    "{a} = np.asfortranarray({m})\n{b} = {a}.ravel()\n{b}[0] *= {e}\n{a}[0] *= {d}",
    "{a} = np.asfortranarray({m} * {e})\n{b} = np.ravel({a}.T)\n{b}[{i}] = {d}\n{a}[-1] *= {x}",
    "{a} = ({m} * {e}).T\n{b} = {a}.reshape(-1)\n{b}[{i}] = {d}\n{a}[0] *= {x}",
    "{a} = np.sin({m}.T)\n{b} = {a}.ravel()\n{b} *= {e}\n{a}[{i}] *= {d}",
    "{a} = np.zeros_like({m}.T)\n{b} = {a}.ravel()\n{b}[{i}] = {x}\n{a}[0] += {e}",
    "{a} = {m}.T.copy()\n{b} = {a}.reshape(-1)\n{b}[{i}] *= {x}\n{a}[0] *= {e}",
)  # fmt: skip

_SCOPES = (
    "{a} = sum([{x} * {x} for {x} in {p}]) * {x}",
    "{a} = [{x} * {d} for {x} in {p}]\n{b} = {x} * 0.5",
    "{a} = (lambda {x}: {x} * {e})({d}) + {x}",
    "{a} = sum(map(lambda {x}: {x} * {x}, {p})) + {x}",
    "def {h}({x}):\n    {x} = {x} * {e}\n    return {x}\n{a} = {h}({d}) + {x}",
    "def {h}():\n    {x} = {e}\n    return {x} * {d}\n{a} = {h}() + {x}",
    "{a} = [({b} := v_ * {e}) for v_ in {p}]",
    "{a} = sum(({b} := v_ * {e}) * {b} for v_ in {p})",
    "if any(({b} := v_) > {c} for v_ in {p}):\n    {a} = {b} * {e}\nelse:\n    {a} = {e}",
    "{a} = [v_ for v_ in {p} if ({x} := v_ * {e}) > {c}]",
    "{a} = [{x} := {x} * v_ for v_ in {p}]",
    "{b} = {e}\n{a} = [({b} := {b} * v_) + {d} for v_ in {p}]",
    "{a} = [[({b} := v_ * w_) for w_ in {q}] for v_ in {p}]",
    "def {h}(u_):\n    return u_ * {x}\n{x} = {x} * {e}\n{a} = {h}({d})",
    "{x} += {e}\nf_ = lambda u_: u_ * {x}\n{x} *= {d}\n{a} = f_({e}) * f_({d})",
    "fs_ = [lambda u_: u_ * k_ for k_ in range(3)]\n{a} = fs_[0]({e}) + fs_[1]({d})",
    "fs_ = [lambda u_, k_=k_: u_ * k_ for k_ in (0.5, 1.5)]\n{a} = fs_[0]({e}) + fs_[1]({d})",
    "def {h}(u_, w_={x}):\n    return u_ * w_\n{x} += {e}\n{a} = {h}({d}) + {h}({e}, {x})",
    "def {h}():\n    y_ = {e}\n    def g_(u_):\n        nonlocal y_\n        y_ = y_ * u_\n        return y_\n"
    "    return g_({d}) + g_({x}) * y_\n{a} = {h}()",
    "def {h}({V}):\n    {V} = {V} * {e}\n    {V}[0] = {d}\n    return {V}\n{a} = {h}({V})",
    "def {h}({V}):\n    {V}[0] *= {e}\n    return {V}[1:]\n{a} = {h}({V} + 0.5)",
    "def {h}({V}):\n    {V}[0] *= {e}\n    return {V}[1:]\n{a} = {h}({V})",
    "def {h}({V}, {P}):\n    {V}[0] *= {P}[0]\n    {P}[0] = {V}[0] * {e}\n{h}({V}.copy(), {P})",
    "{a} = [[{x} * v_ for {x} in r_] for r_ in {r} for v_ in r_[:1]]",
    "{a} = [sum(r_) for r_ in {r} for r_ in [r_[:1]]]",
    "{a} = [k_ * {x} for k_ in range(2) for {x} in {p}]",
    "for {x} in {p}:\n    pass\n{a} = {x} * {e}",
    "for {x} in {n}:\n    pass\n{a} = {x} * {e}",
    "{a} = [{P} * {d} for {P} in {P}]",
    "{a} = sum({V} * {d} for {V} in {V})",
    "{a} = [v_ for {x} in {p} for v_ in [{x}, {x} * {d}]]",
    "{a} = sum(v_ * {x} for v_ in {p} if ({b} := v_ + {d}) > {c})",
    "{a} = [(lambda v_: v_ * {x})(w_) for v_ in {p} for w_ in [v_ * {d}]]",
    "{a} = sum((lambda {x}: {x} * v_)({e}) for v_ in {p}) * {x}",
    "def {h}(k_):\n    def g_(k_):\n        {x} = k_ * {e}\n        return {x}\n    return g_(k_ + 1) * {x}\n"
    "{a} = {h}({d})",
    "def {h}(u_):\n    {x} = u_\n    for {x} in {p}:\n        u_ = u_ * {x}\n    return u_ + {x}\n{a} = {h}({d}) * {x}",
    "def {h}():\n    for k_ in range(2):\n        {V}[0] *= {e}\n    k_ = 0.5\n    return k_\n{a} = {h}() * {V}[0]",
    "{a} = {{k_: {x} for k_, {x} in zip((\"x\", \"y\"), {p})}}",
    "def {h}({P}):\n    return [({x} := v_) * 0.5 for v_ in {P}], {x}\n{a}, {b} = {h}([{e}, {d}])",
    "def {h}({x}, {P}=({e}, {d})):\n    return sum({x} * v_ for v_ in {P})\n{a} = {h}({c}) + {h}({x}, {P})",
    "{a} = sorted({p}, key=lambda {x}: -{x})",
    "while ({b} := {x} * {x}) > 0.2:\n    {x} *= 0.7",
)  # fmt: skip

_ALIASES = (
    "{a} = [{p}, {p}]\n{a}[0].append({e})\n{a}[1][0] *= {d}",
    '{a} = {{"x": {p}, "y": {p}}}\n{a}["x"][0] = {e}\n{a}["y"].append({d})',
    "{a} = [{v}] * 2\n{a}[0][0] = {e}\n{a}[1] *= {d}",
    "t_ = ({v}, {v})\n{a}, {b} = t_\n{a} *= {e}\n{b}[0] += {d}",
    "t_ = ({v}, {w})\n{a}, {b} = t_\n{a} *= {e}\n{b}[{i}] *= {d}\n{a} += t_[0]",
    "{a}, {b} = {v}, {w}\n{a} += {e}\n{b}[0] *= {d}",
    "{a} = {b} = {v}\n{a} *= {e}\n{b}[{i}] *= {d}",
    "{a} = {b} = [{e}]\n{a}.append({d})\n{b}[0] *= {x}",
    "{a} = {b} = np.zeros(2)\n{a}[0] = {e}\n{b} += {d}",
    "for r_ in ({v}, {w}):\n    r_ *= {e}",
    "for r_ in [{v}, {v}]:\n    r_[0] = r_[0] * {e}",
    "for r_, t_ in (({v}, {p}), ({w}, {q})):\n    r_[0] = t_[0] * {e}\n    t_[0] = r_[0] * {d}",
    "def {h}(u_, acc_=[]):\n    acc_.append(u_)\n    return sum(acc_)\n{a} = {h}({e}) + {h}({d})",
    "def {h}(u_, acc_={V}):\n    acc_[0] += u_\n    return acc_\n{a} = {h}({e})\n{b} = {h}({d})",
    "def {h}(u_, acc_=[{e}]):\n    acc_[0] *= u_\n    return acc_\n{a} = {h}({d})\n{b} = {h}({x})\n{a}.append({c})",
    "{a}, *{b} = {r}\n{a}[0] *= {e}\n{b}[0].append({d})",
    "{a} = [[{e}] * 2] * 2\n{a}[0][1] = {d}",
    "{b} = [{p}]\n{a} = [{q}, *{b}]\n{a}[-1][0] = {e}\n{b}[0][0] *= {d}",
    "{a} = [{r}[0], {r}[-1]]\n{a}[0][0] = {e}\n{a}[1].append({d})",
    "{a} = ({p}, {v})\n{a}[0][0] = {e}\n{a}[1][0] = {d}",
    "{a} = list({m})\n{a}[{i}] *= {e}",
    "{a} = [{m}[0], {m}[:, 0]]\n{a}[0][0] *= {e}\n{a}[1][-1] = {d}",
    "{a} = [{v}, {v}.copy()]\n{a}[0][0] = {e}\n{a}[1][0] *= {a}[0][0]",
    "{a}, {b} = {m}[0], {m}[-1]\n{a}[:], {b}[:] = {b}, {a}",
    "{m}[[0, 1]] = {m}[[1, 0]]",
    "{a}, {b} = {m}[0].copy(), {m}[0]\n{b} *= {e}\n{a} += {b}",
    "{a}, *{b} = {m}\n{a} *= {e}\n{b}[0][0] = {d}",
    "{a}, *{b} = {p}\n{b}.append({a} * {e})",
    "{a} = [{p}]\n{a} += {a}\n{a}[0][0] = {e}\n{a}[1][0] *= {d}",
    "{a} = {r}\n{a}.append({r}[0])\n{a}[-1][0] *= {e}",
    "{a} = {r}[:]\n{a}[0].append({e})\n{a}.append([{d}])",
    "{r}[0] = {r}[-1]\n{r}[0][0] = {e}",
    "{g}[0] = {g}[-1]\n{g}[0][{i}] *= {e}",
    "{a} = [r_ for r_ in {g}]\n{a}[0] *= {e}\n{g}[0][0] = {d}",
    "{a}, {b} = {v}, {v}[::-1]\n{a}[0], {b}[0] = {b}[0], {a}[0]",
    "{a} = {v}\n{a} = {a} * {e}\n{a}[0] = {d}",
    "{a} = {v}\n{a} *= {e}\n{a}[0] = {d}",
    "{a} = {p}\n{a} = {a} + [{e}]\n{a}[0] = {d}",
    "{a} = {p}\n{a} += [{e}]\n{a}[0] = {d}",
    "{a} = {v}\nfor k_ in range(2):\n    {b} = {a}\n    {a} = {a} * {e}\n    {b}[0] = {d}",
    "{a} = {v}[1:]\n{a}[...], {v}[0] = {v}[:-1].copy(), {e}",
    '{a} = {{"x": {v}}}\n{b} = {a}["x"]\n{a}["x"] = {b} * {e}\n{b}[0] = {d}',
    '{a} = {{"x": {v}}}\n{b} = {a}["x"]\n{a}["x"] *= {e}\n{b}[0] = {d}',
    "{a} = [{v}]\n{b} = {a}[0]\n{a}[0] *= {e}\n{b}[0] = {d}",
    "{a} = [{v}]\n{b} = {a}[0]\n{a}[0] = {a}[0] * {e}\n{b}[0] = {d}",
)  # fmt: skip

_CALLS = (
    "{a} = shaved({v}, {e})\n{a}[0] *= {d}",
    "{a} = shaved({p}, {e})\n{a}.append({d})",
    "{a} = shaved(shaved({v}, {e}), {d})",
    "{a} = flatly({v}, {e})\n{a}[{i}] *= {d}",
    "{a} = flatly({m}.T, {e})\n{a}[{i}] *= {d}\n{m}[0] *= {x}",
    "{a} = turned({v}, {e})\n{a}[{i}] *= {d}",
    "{a}, {b} = parted({v}, {e})\n{a} *= {d}\n{b} += {x}",
    "{a} = parted({v}, {e})\n{a}[0][0] = {d}",
    "{a} = lower({m}, {e})\n{a}[0] = {d}",
    "{a} = lower({g}, {e})\n{a} *= {d}",
    "{a} = lower({p}, {e})",
    "{a} = scaled_to({v}, {e})\n{a}[0] = {d}",
    "{a} = scaled_to({v}, out={w})\n{a}[0] = {d}",
    "{a} = scaled_to({x}, {e})",
    "{a} = scaled_to({m}[0], c={e})",
    "{a} = either_of({v}, {w})\n{a}[0] *= {e}",
    "{a} = either_of({u}, {u}[::-1])\n{a}[{i}] *= {e}",
    "{a} = either_of({p}, {q})\n{a}.append({e})",
    "{a} = stored({p}, {e})\n{a}[0] = {d}",
    "{a} = stored({v}, {e})\n{a} *= {d}",
    "{a} = stored({r}, [{e}])\n{a}[0].append({d})",
    "{a} = stored({r}, {p})\n{a}[0].append({d})\n{p}[0] = {e}",
    "{a} = back({v})\n{a}[{i}] = {e}",
    "{a} = back(back({v}), -1)\n{a} *= {e}",
    "back({m}[:, 0])\nback({m}.T)[0] *= {e}",
    "{a} = until({p}, {e})",
    "{a} = until({v}, {e})",
    "{a} = until({g}, {e})\n{a} *= {d}",
    "{a} = until({m}, {e})\n{a}[0] = {d}",
    "{a}, {b} = swept({u}, {e})\n{a}[0] *= {d}",
    "{a}, {b} = swept({u}[::-1], 0.6)\n{b}[0] *= {d}",
    "for r_ in {m}:\n    shaved(r_, {e})[0] = {d}",
    "{a} = [shaved(r_, {e}) for r_ in {m}]\n{a}[0] *= {d}",
    "{a} = [back(r_) for r_ in {m}]\n{a}[-1][0] = {d}",
)  # fmt: skip

#: By what is easily mistaken, with a weight.
GROUPS: dict[str, tuple[float, tuple[str, ...]]] = {
    "kinds": (1.2, _KINDS),
    "items": (1.0, _ITEMS),
    "copies": (1.3, _COPIES),
    "scopes": (1.2, _SCOPES),
    "aliases": (1.3, _ALIASES),
    "calls": (1.0, _CALLS),
}
