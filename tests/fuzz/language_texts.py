"""Texts of programs about classes, functions, generators, patterns and containers, with places to fill.

Places are those of :mod:`.complex_texts`, and of numbers there are only real ones. Besides

======  =====================================================================
``o``   an object of one of the classes in :data:`HELPERS`
``f``   a function or an object that is called with a number
======  =====================================================================
"""

from __future__ import annotations

__all__ = ["ARRAYS", "CONDITIONS", "HELPERS", "NUMBERS", "SIZES", "STATEMENTS", "SUMS"]

_ARITHMETIC = (
    "{n} + {n}", "{n} - {n}", "{n} * {n}", "{n} * {n}", "{n} / ({n} * {n} + 1.5)", "-{n}", "{n} ** 2", "{c} * {n}",
    "math.sin({n})", "math.exp(-abs({n}))", "math.tanh({n})", "np.cos({n})", "abs({n})", "math.sqrt({n} * {n} + 1.0)",
    "math.hypot({n}, 1.2)", "math.atan2({n}, 2.0)", "pow({n}, 3)", "np.sum({w})", "np.sum({w} * {w})", "{W}[{i}]",
)  # fmt: skip

_CALLS = (
    "Vec({n}, {n}) @ Vec({n}, {c})", "abs(Vec({n}, {n}) * {n})", "(Vec({n}, {n}) + Vec({n}, {n})).x", "{n} * {o}.s",
    "({n} * Vec({n}, {n}) - Vec({c}, {n})).length", "sum(Vec({n}, {n}))", "Vec({n}, {n})[1]", "(-Vec({n}, {n})).y",
    "Vec.polar({n}, {n}).x", "Vec.unit().x * {n}", "Vec({n}, {n})({n})", "len(Vec({n}, {c})) * {n}",
    "Circle({n}).area()", "Square({n}).area()", "Square({n}).scaled({n}).area()", "Circle({n}).describe({n})",
    "sum(q_.area() for q_ in (Circle({n}), Square({n})))",
    "max((Circle({n}), Square({n})), key=lambda q_: q_.area()).s", "Tank({n}).fill({n}).fill({n}).level",
    "Tank({n}).drain({n}, rate={n})", "Tank({n}, {n}).half", "Tank({n})({n})", "Layer({n}).run({n})",
    "Layer({n}, bias={n}).run({n})", "Layer({n}, items=[{n}, {n}]).run({n})", "Point({n}).shift({n}).x",
    "Point({n}, {n}).norm()", "Point(y={n}, x={n})._replace(x={n}).norm()", "Point({n})[1]",
    "Poly({n}, {n}, {n})({n})", "Poly({n}, {n}, {n}).slope()({n})", "(Poly({n}, {n}) * Poly({n}, {c}))({n})",
    "sum(ramp({n}, 3))", "sum(v_ * v_ for v_ in ramp({n}, 4) if v_ > {c})", "max(ramp({n}, 3))",
    "list(ramp({n}, 3))[-1]", "sum(u_ * v_ for u_, v_ in zip(ramp({n}, 3), {p}))", "next(ramp({n}, 2))",
    "sum(weave({p}, [{n}, {n}]))", "next(v_ for v_ in {p} if v_ * v_ >= 0.0)",
    "next((v_ for v_ in {p} if v_ > 90.0), {n})", "sum(weave({p}, {p}))", "damp({n})", "damp(u={n})",
    "damp({n}, k=2)", "damp.__wrapped__({n})", "weight(3) * {n}", "weight(5) * {n}",
    "compose(math.sin, lambda t_: t_ * {n})({n})", "compose(damp, math.tanh)({n})", "compose()({n})",
    "ticker({n})({n})", "ticker({n})({n}, by={n})", "twice(lambda t_: t_ * {n}, {n})", "twice(damp, {n})",
    "twice(functools.partial(blend, {n}), {n})", "functools.partial(blend, w={n})({n}, {n})", "blend({n}, {n}, {n})",
    "blend({n}, w={n})", "blend(*[{n}, {n}])", "blend({n}, *[{n}], w={n})", "blend(**{{'u': {n}, 'w': {n}}})",
    "blend({n}, **{{'w': {n}}})", "gather({n}, {n}, {n})", "gather({n}, a={n}, b={n})", "gather(*{p}, a={n})",
    "gather({n}, **{d})", "fact({n}, 3)", "even({n}, 3)", "tree(({n}, ({n}, {n}), [{n}]))",
    "tree([{n}, [{n}, [{n}]]])", "search([[{n}, {n}], [{n}, {n}]], {c})", "search([{p}, {p}], {c})",
    "sort_of(({n}, {n}))", "sort_of(({n}, {n}, {n}))", "sort_of({{'u': {n}, 'v': {n}}})", "sort_of({{'w': {n}}})",
    "sort_of(Point({n}, {n}))", "sort_of(Layer({n}))", "sort_of({n})", "root(lambda t_: t_ * t_ * t_ + t_ - {n})",
    "root(lambda t_: t_ + 0.3 * math.sin(t_) - {n}, tol=1e-9)", "area_under(lambda t_: t_ * {n}, 0.0, {n})",
    "area_under(damp, {n}, {n}, n=3)", "first_of({n}, {n})", "{f}({n})", "{f}({f}({n}))", "{f}({n}) * {n}",
    "twice({f}, {n})", "sum(map({f}, {p}))", "reduce(lambda s_, t_: {f}(s_) + t_, {p})",
    "(lambda t_, k_={n}: t_ * k_)({n})", "(lambda *ts_: sum(ts_))({n}, {n})",
    "(lambda t_, *, k_={c}: t_ * k_)({n}, k_={n})", "(lambda g_: g_(g_({n})))(lambda t_: t_ * {n})",
    "getattr({o}, 's') * {n}", "{o}.at({n})", "{o}.at({n})", "{o}({n})", "operator.itemgetter(1)(({n}, {n}))",
    "operator.attrgetter('x')(Point({n}))", "operator.mul({n}, {n})",
)  # fmt: skip

_CONTAINERS = (
    "sum({p})", "max({p})", "min({p}, key=lambda v_: -v_)", "sum(v_ * v_ for v_ in {p})", "math.prod({p})",
    "{p}[{i}]", "sum(v_ * {n} for v_ in {p} if v_ > {c})", "sorted({p}, key=lambda v_: v_ * v_)[0]",
    "sorted({p})[-1]", "sum(a_ * b_ for a_, b_ in zip({p}, {p}[1:]))",
    "sum(a_ * b_ for a_, b_ in itertools.pairwise({p}))", "sum(itertools.accumulate({p}))",
    "list(itertools.accumulate({p}, operator.mul))[-1]",
    "list(itertools.accumulate({p}, lambda s_, t_: s_ * 0.5 + t_, initial={n}))[-1]", "max(max({p}), {n})",
    "sum(itertools.chain({p}, [{n}], ({n},)))", "sum(itertools.chain.from_iterable([{p}, {p}]))",
    "sum(a_ * b_ for a_, b_ in itertools.product({p}, {p}))",
    "sum(a_ - b_ * a_ for a_, b_ in itertools.combinations({p}, 2))", "sum(itertools.islice({p}, 1, None))",
    "sum(itertools.islice(itertools.cycle({p}), 5))", "sum(reversed({p}))",
    "sum(k_ * v_ for k_, v_ in enumerate({p}, 1))",
    "sum(a_ * b_ for a_, b_ in itertools.zip_longest({p}, [{n}], fillvalue={n}))",
    "sum(itertools.starmap(operator.mul, zip({p}, {p})))", "sum(itertools.takewhile(lambda v_: v_ > {c}, {p}))",
    "sum(a_ * b_ * (i_ + 1) for i_, (a_, b_) in enumerate(zip({p}, {p}[::-1])))",
    "sum(map(lambda a_, b_: a_ * b_, {p}, {p}))", "sum(filter(lambda v_: v_ > {c}, {p}))",
    "reduce(lambda s_, t_: s_ * 0.5 + t_, {p}, {n})", "reduce(operator.mul, {p})", "{d}['u']", "{d}['v']",
    "sum({d}.values())", "{d}.get('w', {n})", "{d}.get('u') * {n}", "sum(v_ * len(k_) for k_, v_ in {d}.items())",
    "({d} | {{'u': {n}}})['u']", "sum({{**{d}, 'w': {n}}}.values())", "sum({d}[k_] for k_ in sorted({d}))",
    "max({d}.values())", "{{(0, 1): {n}, (1, 0): {n}}}[0, 1]",
    "{{f'k{{i_}}': v_ * i_ for i_, v_ in enumerate({p})}}['k1']", "dict(u={n}, v={n})['v']",
    "{{i_: v_ for i_, v_ in enumerate({p})}}[0]", "dict(zip('uv', {p}))['u']",
    "{{k_: v_ * {n} for k_, v_ in {d}.items()}}['u']", "{d}[max({d}, key={d}.get)]",
    "min({d}.items(), key=lambda t_: t_[1])[1]", "[v_ for r_ in [{p}, {p}] for v_ in r_][-1]",
    "[[v_ * w_ for w_ in {p}] for v_ in {p}][0][-1]", "{p}[::-1][0]", "{p}[::-2][-1]", "(*{p}, {n})[-1]",
    "[*{p}, {n}][0]", "[{n}, {n}, {n}][-2:][0]", "({n}, {n})[{n} > {c}]", "max({n}, {n}, {n})", "min([{n}, {n}])",
    "max({p}, default={n})", "max([], default={n})", "sum([], {n})", "sum(1 for v_ in {p} if v_ > {c}) * {n}",
    "len([v_ for v_ in {p} if v_ > {c}]) * {n}", "{p}.index(max({p})) * {n}",
    "sum({{i_ % 2: v_ for i_, v_ in enumerate({p})}}.values())", "sum(({n}, {n}), start={n})",
    "any(v_ > {c} for v_ in {p}) * {n}", "all(v_ > {c} for v_ in {p}) * {n}",
    "sum([v_] * 2 == [v_, v_] for v_ in {p}) * {n}",
)  # fmt: skip

_CHOICES = (
    "({n} if {t} else {n})", "({n} if {t} else {n} if {t} else {n})", "({n} and {n})", "({n} or {n})", "({t}) * {n}",
    "(z_ := {n}) * z_", "[z_ := {n}, z_ * z_][1]", "({n} if {c} < {n} < 0.9 else {n})",
    "(0.2 < {n} <= {n} or {t}) * {n}", "(not {t}) * {n}", "(None or {n})", "int({n} * 3.0) * {n}", "round({n}) * {n}",
    "({n} // 0.3) * {n}", "({n} % 0.7)", "divmod({n}, 0.4)[1]", "math.floor({n}) * {n}", "float({n})",
    "len(f'{{{n}:.1f}}') * {n}", "math.copysign({n}, {n})",
)  # fmt: skip

NUMBERS = _ARITHMETIC + _ARITHMETIC + _CALLS + _CALLS + _CONTAINERS + _CHOICES

ARRAYS = (
    "np.array([{n}, {n}])", "np.array({p})", "{w} * {n}", "{w} + {w}", "np.sin({w})",
    "np.array([v_ * {n} for v_ in {w}])", "np.array([Vec({n}, {n}).x, {n}])", "np.stack([{w}, {w}])[0]", "{W}[::-1]",
    "np.array([{f}(v_) for v_ in {w}])", "np.array([*ramp({n}, 2)])", "np.array(list({d}.values()))",
    "sum([{w}, {w}])", "np.full(2, {n})", "{W}.copy()", "np.fromiter((v_ * {n} for v_ in {p}), float)",
    "np.array([[{n}, {n}], [{n}, {n}]])", "({w} if {t} else {w})", "functools.reduce(np.multiply, [{w}, {w}])",
    "np.array(sorted({p}))", "np.where({w} > {c}, {w}, {n})",
)  # fmt: skip

CONDITIONS = (
    "{n} > {c}", "{n} > {c}", "{n} < {c}", "{n} * {n} < 0.4", "{n} > 0.2", "{n} < {n}", "{n} < {c}",
    "{c} < {n} < 1.0", "not {n} > {c}", "any(v_ > {c} for v_ in {p})", "'w' in {d}", "all(v_ > {c} for v_ in {p})",
    "len({p}) > 2", "{n} > {c} and {n} < {c}", "{n} > {c} or {n} < 0.0", "{p}", "isinstance({o}, Vec)",
    "hasattr({o}, 'level')", "callable({o})", "{p}[0] > {p}[-1]", "(z_ := {n}) > {c}", "len({d}) > 2",
    "type({o}) is Layer", "isinstance({o}, (Vec, Tank))", "max({p}) == {p}[0]", "{n} is not None",
    "isinstance({n}, float)",
)  # fmt: skip

_BINDINGS = (
    "{a} = {n}", "{a} = {n}", "{a} = {n}", "{a} = {w}", "{a}, {b} = {n}, {n}", "{a} = [{n}, {n}]",
    "{a} = [{n}, {n}, {n}]", "{N} = {n}", "{N} += {n}", "{N} *= {n}", "{N} -= {n}", "{W} = {w}", "{a} = {b} = {n}",
    "({a}, {b}), z_ = ({n}, {n}), {n}", "{a} = Vec({n}, {n})", "{a} = Tank({n})", "{a} = Layer({n}, items=[{n}])",
    "{a} = Point({n}, {n})", "{a} = Circle({n})", "{a} = Poly({n}, {n}, {n})", "{a} = Square({n})",
    "{a} = Tank({n}, {n})", "{a} = {o}", "{a} = Vec({n}, {n}) + Vec({n}, {n})", "{a} = {{'u': {n}, 'v': {n}}}",
    "{a} = {{(i_, i_ + 1): {n} * i_ for i_ in range(3)}}[1, 2]", "{a} = dict({d}, w={n})", "{a}, *{b} = {p}",
    "*{a}, {b} = {p}", "{a}, *_, {b} = [{n}, *{p}, {n}]", "{a}, ({b}, *_) = {n}, {p}", "[{a}, {b}] = {p}[:2]",
    "{a} = [v_ * {n} for v_ in {p}]", "{a} = [v_ for v_ in {p} if v_ > {c}]", "{a} = list(ramp({n}, 3))",
    "{a} = {p}[::-1]", "{a} = sorted({p}, reverse=True)", "{a} = {p} + [{n}]", "{a} = {p} * 2",
    "{a} = list(weave({p}, {p}))", "{a} = {p}", "{a} = {d} | {{'v': {n}}}",
    "{a} = {{k_: v_ * {n} for k_, v_ in {d}.items()}}", "{a} = {d}.copy()", "{a} = {d}", "{a} = lambda t_: t_ * {n}",
    "{a} = lambda t_, k_={n}: t_ * k_ + {n}", "{a} = ticker({n})", "{a} = damp", "{a} = Vec({n}, {n})",
    "{a} = compose(math.sin, damp)", "{a} = functools.partial(blend, {n})", "{a} = {o}.at", "{a} = Poly({n}, {n})",
    "{a} = [lambda t_: t_ * {n}, math.sin, damp][{i}]", "{a} = {{'u': math.sin, 'v': lambda t_: t_ * {n}}}['v']",
    "for g_ in (math.sin, damp, lambda t_: t_ * {n}):\n    {N} = g_({N})",
    "{a} = [g_({n}) for g_ in (math.sin, damp)]",
)  # fmt: skip

_CHANGES = (
    "{o}.s = {n}", "{o}.s += {n}", "{o}.s *= {n}", "{a} = {o}.at({n})", "{a} = {o}\n{a}.s = {n}",
    "setattr({o}, 's', {n})", "{p}.append({n})", "{p}[{i}] = {n}", "{p}[{i}] *= {n}", "{p}.insert(0, {n})",
    "{p}.extend([{n}, {n}])", "{p} += [{n}]", "{a} = {p}.pop()", "{p}.reverse()", "{p}.sort()",
    "{p}.sort(key=lambda v_: -v_)", "{p}[0], {p}[-1] = {p}[-1], {p}[0]", "{p}[1:] = [{n}]", "del {p}[0]",
    "{p}[::2] = [v_ * {n} for v_ in {p}[::2]]", "{p}.remove({p}[0])", "{p}.clear()\n{p}.append({n})",
    "{d}['u'] = {n}", "{d}['v'] *= {n}", "{a} = {d}.setdefault('w', {n})", "{a} = {d}.pop('v')", "{d}.update(u={n})",
    "{d}['w'] = {n}", "{d} |= {{'u': {n}}}", "{d}.update({{'v': {n}, 'w': {n}}})",
    "for k_ in {d}:\n    {d}[k_] *= {n}", "{a} = {d}.pop('w', {n})",
    "for k_, v_ in {d}.items():\n    {N} += v_ * {n}", "for k_, v_ in sorted({d}.items()):\n    {d}[k_] = v_ * {n}",
    "for i_, v_ in enumerate({p}):\n    {p}[i_] = v_ * {n}",
    "for v_ in {p}[:]:\n    if v_ > {c}:\n        {p}.append(v_ * {n})", "{W}[{i}] = {n}", "{W}[1:] *= {n}",
    "{W}[::-1][0] = {n}", "{W} *= {n}", "{a} = {W}[1:]\n{a} += {n}", "{W}[{i}] += {n}",
    "{a} = defaultdict(float)\nfor i_, v_ in enumerate({p}):\n    {a}[i_ % 2] += v_ * {n}\n{b} = sum({a}.values())",
    "{a} = defaultdict(list)\nfor i_, v_ in enumerate({p}):\n    {a}[i_ % 2].append(v_)\n"
    "{b} = sum(sum(r_) for r_ in {a}.values())",
    "{a} = {{}}\nfor i_, v_ in enumerate({p}):\n    {a}[i_, i_ + 1] = v_ * {n}\n{b} = sum({a}.values())",
    "{a} = {{}}\nfor v_ in {p}:\n    {a}[f'{{len({a})}}'] = v_ * {n}\n{b} = {a}['0'] + sum({a}.values())",
    "{a} = {{}}\nfor v_ in {p}:\n    k_ = 'u' if v_ > {c} else 'v'\n    {a}[k_] = {a}.get(k_, {n}) + v_\n"
    "{b} = sum({a}.values())",
    "{a} = deque({p}, maxlen=3)\nfor i_ in range(3):\n    {a}.append({a}[0] * {n})\n{b} = sum({a})",
    "{a} = deque([{n}])\nwhile len({a}) < 4:\n    {a}.appendleft({a}[-1] * {n})\n{b} = {a}.pop() + {a}.popleft()",
    "{a} = [{n}]\nfor i_ in range(3):\n    {a}.append({a}[-1] * {n} + (0.1 if i_ % 2 else {n}))",
    "{a} = [Vec({n}, {n}), Vec({n}, {n})]\nfor q_ in {a}:\n    q_.s = q_.x * {n}\n{b} = sum(q_.s for q_ in {a})",
    "{a} = [Tank({n}) for i_ in range(3)]\nfor q_ in {a}:\n    q_.fill({n})\n{b} = sum(q_.level for q_ in {a})",
    "{a} = [Tank({n} * i_) for i_ in range(3)]\n{a}[1].fill({a}[0].level + {n})\n{b} = max(q_.level for q_ in {a})",
    "{a} = [Circle({n}), Square({n})]\nfor q_ in {a}:\n    q_.s *= {n}\n{b} = sum(q_.area() for q_ in {a})",
    "{a} = None\nfor v_ in {p}:\n    if {a} is None or v_ > {a}:\n        {a} = v_\n{b} = {a} * {n}",
    "{a} = None\nfor v_ in {p}:\n    {a} = Point(v_, {n}) if {a} is None else Point({a}.x * v_, {a}.y)\n"
    "{b} = {a}.norm()",
    "{a} = ({n}, {n})\nfor v_ in {p}:\n    {a} = ({a}[1], {a}[0] * v_)\n{b} = {a}[0] + {a}[1]",
    "{a}, {b} = {n}, {n}\nfor i_ in range(3):\n    {a}, {b} = {b}, {a} * 0.5 + {b} * {n}",
)  # fmt: skip

_FUNCTIONS = (
    "def g_(t_, k_={n}):\n    nonlocal_ = t_ * k_\n    return nonlocal_ + {n}\n{a} = g_({n}) + g_(k_={n}, t_={n})",
    "def g_():\n    z_ = {n}\n    def h_(t_):\n        nonlocal z_\n        z_ = z_ * t_ + {n}\n"
    "        return z_\n    h_({n})\n    return h_({n}) + z_\n{a} = g_()",
    "def g_(t_):\n    for i_ in range(3):\n        for v_ in {p}:\n            if v_ * t_ > {c}:\n"
    "                return v_ * t_\n            t_ = t_ * 0.9 + 0.1\n    return t_\n{a} = g_({n})",
    "def g_(t_):\n    return t_ if t_ * t_ > 0.4 else g_(t_ * 1.3 + 0.1)\n{a} = g_(abs({n}) + 0.1)",
    "def g_(t_, n_):\n    if n_ == 0:\n        return {n}\n    return g_(t_, n_ - 1) * t_ + {n}\n{a} = g_({n}, 3)",
    "def g_(*ts_, k_={n}, **more_):\n    return sum(ts_) * k_ + sum(more_.values())\n"
    "{a} = g_({n}, {n}, k_={n}, z_={n})",
    "def g_(t_, /, k_, *, m_={n}):\n    return t_ * k_ + m_\n{a} = g_({n}, k_={n}) + g_({n}, {n}, m_={n})",
    "def outer_(t_):\n    def inner_(k_):\n        return k_ * t_\n    t_ = t_ + {n}\n    return inner_\n"
    "{a} = outer_({n})({n})",
    "gs_ = [lambda t_, i_=i_: t_ * (i_ + {n}) for i_ in range(3)]\n{a} = sum(g_({n}) for g_ in gs_)",
    "gs_ = {{'u': lambda t_: t_ * {n}, 'v': math.sin}}\n{a} = sum(g_({n}) for g_ in gs_.values())\n"
    "{b} = gs_['u']({n})",
    "def g_(n_):\n    t_ = {n}\n    while n_ > 0:\n        yield t_\n        t_ = t_ * {n}\n        n_ -= 1\n"
    "{a} = sum(g_(3))\nfor v_ in g_(2):\n    {a} = {a} * 0.5 + v_",
    "def g_(ts_):\n    for i_, t_ in enumerate(ts_):\n        if t_ > {c}:\n            continue\n"
    "        yield i_, t_ * {n}\n{a} = {n}\nfor i_, t_ in g_({p}):\n    {a} += i_ * t_",
    "def g_(ts_):\n    yield from ts_\n    yield {n}\n{a} = list(g_({p}))",
    "@functools.wraps(damp)\ndef g_(*ts_, **ks_):\n    return damp(*ts_, **ks_) * {n}\n{a} = g_({n})",
    "@traced({n})\ndef g_(t_):\n    return t_ * t_\n{a} = g_({n})", "with scope({n}) as z_:\n    {a} = z_ * {n}",
    "with contextlib.suppress(ValueError):\n    {N} = math.sqrt({n})",
    "z_ = {n}\nwhile (z_ := z_ * 0.7) > 0.2:\n    {N} += z_ * {n}",
)  # fmt: skip

STATEMENTS = {"binding": (6.0, _BINDINGS), "change": (4.5, _CHANGES), "function": (2.0, _FUNCTIONS)}

HELPERS = {
    "Vec": """\
class Vec:
    dims = 2

    def __init__(self, x, y):
        self.x, self.y = x, y
        self.s = x - y

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __sub__(self, o):
        return self + -o

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __mul__(self, c):
        return Vec(self.x * c, self.y * c)

    __rmul__ = __mul__

    def __matmul__(self, o):
        return self.x * o.x + self.y * o.y

    def __abs__(self):
        return self.length

    def __len__(self):
        return self.dims

    def __getitem__(self, k):
        return (self.x, self.y)[k]

    def __iter__(self):
        yield self.x
        yield self.y

    def __call__(self, t):
        return self.x * t + self.y * self.s

    at = __call__

    @property
    def length(self):
        return math.sqrt(self @ self + 0.1)

    @classmethod
    def polar(cls, r, t):
        return cls(r * math.cos(t), r * math.sin(t))

    @staticmethod
    def unit():
        return Vec(1.0, 0.0)""",
    "Circle": """\
class Shape:
    factor = 0.5

    def __init__(self, s):
        self.s = s

    def area(self):
        return self.factor * self.size() ** 2

    def size(self):
        return self.s

    def at(self, t):
        self.s = self.s * 0.9 + t
        return self.area()

    def __call__(self, t):
        return self.area() * t

    def describe(self, t):
        return {'Circle': t, 'Square': 2.0 * t}[type(self).__name__] * self.s


class Circle(Shape):
    factor = 3.0

    def size(self):
        return math.tanh(super().size())


class Square(Shape):
    def __init__(self, s, grown=False):
        super().__init__(s * 1.5 if grown else s)

    def scaled(self, c):
        return Square(self.s * c, grown=True)""",
    "Tank": """\
class Tank:
    def __init__(self, level, s=0.4):
        self._level = level
        self.s = s
        self.log = []

    @property
    def level(self):
        return self._level

    @level.setter
    def level(self, v):
        self.log.append(v)
        self._level = v * self.s

    @property
    def half(self):
        return 0.5 * self.level + self.s

    def fill(self, v):
        self.level += v
        return self

    def drain(self, v, *, rate=0.3):
        for _ in range(3):
            self.level -= v * rate
            if self._level < 0.0:
                break
        return self.level + sum(self.log)

    def at(self, t):
        self.fill(t)
        return self.half * len(self.log)

    def __call__(self, t):
        return self.drain(t) * 0.5""",
    "Layer": """\
@dataclass
class Layer:
    s: float
    bias: float = 0.3
    items: list = field(default_factory=list)

    def __post_init__(self):
        self.twice = 2.0 * self.s

    def run(self, u):
        self.items.append(u)
        return self.twice * u + self.bias + sum(self.items)

    def at(self, t):
        self.bias = self.bias * t
        return self.run(t)

    def __call__(self, t):
        return t * self.s + self.bias""",
    "Point": """\
class Point(NamedTuple):
    x: float
    y: float = 0.7

    def norm(self):
        return self.x * self.x + self.y

    def shift(self, d):
        return self._replace(x=self.x + d)""",
    "Poly": """\
class Poly:
    def __init__(self, *cs):
        self.cs = list(cs)
        self.s = cs[0]

    def __call__(self, t):
        r = 0.0
        for c in reversed(self.cs):
            r = r * t * 0.5 + c
        return r

    def at(self, t):
        self.cs[0] += self.s
        return self(t)

    def slope(self):
        return Poly(*[k * c for k, c in enumerate(self.cs) if k])

    def __mul__(self, o):
        r = [0.0] * (len(self.cs) + len(o.cs) - 1)
        for i, a in enumerate(self.cs):
            for j, b in enumerate(o.cs):
                r[i + j] += a * b
        return Poly(*r)""",
    "ramp": """\
def ramp(u, n):
    while n:
        yield u
        u = u * 0.8 + 0.1
        n -= 1""",
    "weave": """\
def weave(a, b):
    for u, v in zip(a, b):
        yield u
        yield v * 0.5
    yield from a[:1]""",
    "traced": """\
def traced(c):
    def wrap(g):
        @functools.wraps(g)
        def inner(*args, **kwargs):
            return c * g(*args, **kwargs)

        return inner

    return wrap""",
    "damp": """\
def halved(g):
    @functools.wraps(g)
    def inner(*args, **kwargs):
        return 0.5 * g(*args, **kwargs)

    return inner


@halved
def damp(u, k=1):
    for _ in range(k):
        u = u * math.exp(-u * u)
    return u""",
    "weight": """\
@functools.lru_cache(maxsize=None)
def weight(k):
    return 1.0 if k < 2 else 0.5 * (weight(k - 1) + weight(k - 2))""",
    "compose": """\
def compose(*gs):
    return reduce(lambda g, h: lambda u: h(g(u)), gs, lambda u: u)""",
    "ticker": """\
def ticker(start):
    total = start

    def tick(u, *, by=0.5):
        nonlocal total
        total = total * by + u
        return total

    return tick""",
    "twice": """\
def twice(g, u):
    return 0.5 * g(g(0.7 * u))""",
    "blend": """\
def blend(u, v=0.4, w=0.6):
    return u * w + v * (1.0 - w)""",
    "gather": """\
def gather(*us, a=0.2, **more):
    return sum(us) * a + sum(v * len(k) for k, v in more.items())""",
    "fact": """\
def fact(u, n):
    return u if n <= 1 else 0.5 * n * u * fact(u, n - 1)""",
    "even": """\
def even(u, n):
    return u if n == 0 else odd(u * 0.9, n - 1) + 0.1


def odd(u, n):
    return u * u if n == 0 else even(u + 0.2, n - 1)""",
    "tree": """\
def tree(t):
    if isinstance(t, (list, tuple)):
        return sum(0.5 * tree(v) for v in t)
    return t * t""",
    "search": """\
def search(rows, c):
    for i, row in enumerate(rows):
        for v in row:
            if v > c:
                return v * (i + 1)
            if v < -1.0:
                break
        else:
            c = c * 0.5
    return c""",
    "sort_of": """\
def sort_of(t):
    match t:
        case Point(x=x, y=y) if x > y:
            return x - y
        case Point(x, y):
            return x * y
        case (x, y) if x < y:
            return y - x * x
        case (x, y):
            return x * 0.5 + y
        case (x, *rest):
            return x + sum(rest)
        case {'u': u, 'v': v}:
            return u * v
        case {'w': w}:
            return w * w
        case Layer(s=s, bias=b):
            return s + b
        case _:
            return t * 0.3""",
    "root": """\
def root(g, u=0.3, *, tol=1e-12):
    k = 0
    while abs(g(u)) > tol:
        slope = (g(u + 0.01) - g(u)) / 0.01
        u -= g(u) / slope
        k += 1
        if k > 30:
            break
    else:
        return u
    return 0.0""",
    "area_under": """\
def area_under(g, a, b, *, n=4):
    h = (b - a) / n
    return h * sum(g(a + (k + 0.5) * h) for k in range(n))""",
    "first_of": """\
def first_of(u, v):
    try:
        if u > 0.5:
            raise ValueError
        w = u * v
    except ValueError:
        return v * v
    else:
        return w + u
    finally:
        u = 0.0""",
    "scope": """\
@contextlib.contextmanager
def scope(u):
    yield u * 0.5""",
}

SUMS = (
    "np.sum({0})", "np.sum({0} * {0})", "{0}.mean()",
)  # fmt: skip

SIZES = (
    "{0}", "{0} * {0}", "math.sin({0})",
)  # fmt: skip
