"""Texts of programs with complex numbers, with places to fill; what fits is found by running it.

======  =====================================================================
``n``   a number, real or complex
``w``   an array, real or complex
``N``   a variable, item or field that is a number
``W``   one that is an array
``M``   one that is an array with two axes
``p``   one that is a list
``d``   one that is a dict
``c``   a constant
``t``   a condition
``i``   an index
``a``   a name for a result, new or not; ``b`` another one
======  =====================================================================
"""

from __future__ import annotations

__all__ = ["ARRAYS", "CONDITIONS", "HELPERS", "NUMBERS", "SIZES", "STATEMENTS", "SUMS"]

NUMBERS = (
    *("{n} + {n}", "{n} - {n}", "{n} * {n}", "{n} * {n}", "{n} / ({n} + 2.5)", "{n} * 1j", "1j * {n}", "-{n}"),
    *("{c} * {n}", "{n} + {c}", "({c} + 0.5j) * {n}", "{n} ** 2", "{n} ** 3", "({n} + 2.0) ** 1.5", "{n} ** -1"),
    *("({n} + 2.0) ** {n}", "({n} + 1.5) ** (0.3 + 0.2j)", "{c} ** {n}", "(2.0 + 1j) ** {n}", "pow({n}, 2)", "+{n}"),
    *("np.conj({n})", "np.real({n})", "np.imag({n})", "{N}.real", "{N}.imag", "{N}.conjugate()", "np.conjugate({n})"),
    *("abs({n})", "np.abs({n})", "np.absolute({n})", "np.angle({n} + 2.0)", "np.angle({n})", "np.sign({n})"),
    *("np.exp(0.3 * {n})", "np.sin({n})", "np.cos({n})", "np.sinh({n})", "np.tanh(0.4 * {n})", "np.sqrt({n} + 0j)"),
    *("np.log({n} + 2j)", "np.log({n} * {n} + 3.0)", "np.arctan(0.3 * {n})", "np.square({n})", "np.expm1({n})"),
    *("np.log1p({n} + 0.1j)", "np.reciprocal({n} + 3.0)", "np.power({n}, 2)", "np.cosh({n})", "np.arcsin(0.2 * {n})"),
    *("cmath.exp(0.3 * {n})", "cmath.sqrt({n})", "cmath.sin({n})", "cmath.phase({n})", "cmath.log({n} + 2.0)"),
    *("cmath.rect(abs({n}), np.real({n}))", "cmath.polar({n})[0]", "cmath.polar({n})[1]", "cmath.tanh(0.3 * {n})"),
    *("complex(np.real({n}), np.imag({n}))", "complex({n})", "complex({c}, abs({n}))", "math.sin(abs({n}))"),
    *("{n} if {t} else {n}", "{n} if {t} else {n}", "max(abs({n}), abs({n}))", "sum([{n}, {n}])", "sum({p})"),
    *("np.sum({w})", "{W}.sum()", "np.mean({w})", "{W}.mean()", "np.vdot({w}, {w})", "{w} @ {w}", "np.dot({w}, {w})"),
    *("np.linalg.norm({w})", "np.prod({w})", "np.var({w})", "np.std({w})", "{W}.var()", "{W}.std()", "np.trace({w})"),
    *("np.linalg.det({w} + 2.0 * np.eye({k}))", "np.max(np.abs({w}))", "np.min(np.real({w}))", "np.inner({w}, {w})"),
    *("np.polyval({w}, {n})", "np.trapezoid({w})", "np.average({w})", "np.average({w}, weights=np.abs({w}))"),
    *(
        "np.linalg.norm({w}, 1)",
        "np.linalg.norm({w}, 3)",
        "np.linalg.norm({w}, np.inf)",
        "np.einsum('i,i->', {w}, {w})",
    ),
    *("np.einsum('ij->', {w})", "np.einsum('ii->', {w})", "np.tensordot({w}, {w})", "{W}[{i}]", "{W}[{i}, {i}]"),
    *("{W}.real[{i}]", "{W}.imag[{i}]", "{W}.prod()", "{W}.conj()[{i}]", "{W}[{i}].item()", "np.exp({w})[{i}]"),
    *(
        "np.sum({w} * {w}, axis=0)[{i}]",
        "np.sum(np.abs({w}) ** 2)",
        "np.where({t}, {n}, {n})[()]",
        "np.median(np.abs({w}))",
    ),
    *(
        "{p}[{i}]",
        "{p}[{i}]",
        "{p}[{i}] * {n}",
        "{d}['u']",
        "{d}['v']",
        "sum({d}.values())",
        "sum(v_ * v_ for v_ in {p})",
    ),
    *("mixed({n}, {n})", "twice(lambda t_: t_ * {n}, {n})", "power({n}, 3)", "chosen({n}, {n})", "Pair({n}, {n}).one"),
    *("Pair({n}, {n}).two", "(lambda t_: t_ * t_ + {n})({n})", "total({p})", "Box({n}, {n}).turned({n})", "first({n})"),
    *("reduce(lambda s_, t_: s_ * 0.5 + t_, {p})", "reduce(lambda s_, t_: s_ * t_, {p}, {n})", "horner({p}, {n})"),
    *("grad(lambda t_: abs(t_ * {n}) ** 2)({n})", "grad(lambda t_: np.real(t_ * t_ * {n}))({n})"),
    *("jvp(lambda t_: t_ * t_ * {n}, ({n},), ({n},))[1]", "vjp(lambda t_: t_ * t_ + {n}, {n})[1]({n})[0]"),
    *(
        "value_and_grad(lambda t_: np.real(np.exp(1j * t_) * {n}))({n})[1]",
        "np.add.reduce({w})",
        "np.real_if_close({n})",
    ),
    *("np.sum(grad(lambda t_: np.sum(np.abs(t_ * {n}) ** 2))({w}))", "np.sum(np.linalg.norm({w}, axis=0))"),
    *("hvp(lambda t_: np.real(t_ ** 3 * {n}), {n}, {n})", "np.float64(abs({n}))"),
    *("np.complex128({n}) * {n}", "np.hypot(abs({n}), {c})", "np.arctan2(np.imag({n}), np.real({n}) + 3.0)"),
)

ARRAYS = (
    *("{w} + {w}", "{w} * {w}", "{w} - {w}", "{w} * {n}", "{n} * {w}", "{n} + {w}", "{w} - {n}", "{w} / ({w} + 3.5)"),
    *("{w} * 1j", "-{w}", "{w} ** 2", "{w} ** 3", "({w} + 2.0) ** 1.5", "({w} + 2.0) ** {w}", "{c} ** {w}", "{w} ** 1"),
    *("np.conj({w})", "np.real({w})", "np.imag({w})", "{W}.real", "{W}.imag", "{W}.conj()", "{W}.conjugate()", "{W}.T"),
    *("{W}.astype(complex)", "{W}.astype(np.complex128)", "np.abs({w})", "abs({w})", "np.sign({w})", "np.angle({w})"),
    *("np.exp(0.3 * {w})", "np.sin({w})", "np.cos({w})", "np.tanh(0.4 * {w})", "np.sqrt({w} + 0j)", "np.log({w} + 2j)"),
    *("np.square({w})", "np.sinh({w})", "np.arctan(0.3 * {w})", "np.power({w}, 2)", "np.reciprocal({w} + 3.0)"),
    *("np.fft.fft({w})", "np.fft.ifft({w})", "np.fft.fft({w}, n=5)", "np.fft.fft({w}, 2)", "np.fft.fft({w}, axis=0)"),
    *("np.fft.fft({w}, norm='ortho')", "np.fft.ifft({w}, axis=0, norm='forward')", "np.fft.rfft(np.real({w}))"),
    *("np.fft.rfft(np.abs({w}), n=5)", "np.fft.irfft({w})", "np.fft.irfft({w}, n=3)", "np.fft.irfft({w}, n=6)"),
    *("np.fft.irfft({w}, axis=0)", "np.fft.fft2({w})", "np.fft.ifft2({w}, s=(2, 4))", "np.fft.fftn({w})"),
    *("np.fft.ifftn({w}, axes=(0,))", "np.fft.rfft2(np.real({w}))", "np.fft.irfft2({w}, s=(2, 3))", "np.fft.hfft({w})"),
    *("np.fft.rfftn(np.real({w}), axes=(1, 0))", "np.fft.irfftn({w}, axes=(0, 1))", "np.fft.ihfft(np.real({w}))"),
    *(
        "np.fft.fftshift({w})",
        "np.fft.ifftshift({w})",
        "np.fft.ifft(np.fft.fft({w}) * {w})",
        "np.fft.fftfreq({k}) * {w}",
    ),
    *("np.where({t}, {w}, {w})", "np.where(np.real({w}) > 0.2, {w}, {n})", "np.where(np.abs({w}) > 0.4, {w}, {w})"),
    *(
        "{w} if {t} else {w}",
        "np.concatenate([{w}, {w}])",
        "np.concatenate(({w}, {w}), axis=1)",
        "np.stack([{w}, {w}])",
    ),
    *(
        "np.array([{n}, {n}])",
        "np.array([{n}, {n}, {n}])",
        "np.array([[{n}, {n}], [{n}, {n}]])",
        "np.vstack([{w}, {w}])",
    ),
    *(
        "np.hstack([{w}, {w}])",
        "np.roll({w}, 1)",
        "np.pad({w}, 1)",
        "np.pad({w}, 1, constant_values={n})",
        "np.flip({w})",
    ),
    *("np.pad({w}, 1, mode='wrap')", "np.take({w}, [0, 1, 0])", "{w}[::-1]", "{W}[1:]", "{W}[:-1]", "{W}[..., None]"),
    *("{W}[:, 0]", "{W}[{i}]", "{W}[[0, 1, 0]]", "{W}[np.real({W}) > 0.0]", "{W}[:, None] * {w}", "np.outer({w}, {w})"),
    *(
        "{w} @ {w}",
        "{w} @ {w}",
        "np.matmul({w}, {w})",
        "np.dot({w}, {w})",
        "np.linalg.solve({w} + 3.0 * np.eye({k}), {w})",
    ),
    *("np.linalg.inv({w} + (3.0 + 1j) * np.eye({k}))", "np.cumsum({w})", "np.cumsum({w}, axis=0)", "np.cumprod({w})"),
    *("np.einsum('i,j->ij', {w}, {w})", "np.einsum('ij,j->i', {w}, {w})", "np.einsum('ij,kj->ik', {w}, {w})"),
    *("np.tensordot({w}, {w}, axes=1)", "np.diff({w})", "np.tile({w}, 2)", "np.repeat({w}, 2)", "np.diag({w})"),
    *(
        "np.full(3, {n})",
        "np.full_like({w}, {n})",
        "np.zeros_like({w}) + {n}",
        "np.ones(3) * {n}",
        "np.asarray([{n}, {n}])",
    ),
    *(
        "np.convolve({w}, {w})",
        "np.convolve({w}, {w}, 'same')",
        "np.correlate({w}, {w})",
        "np.correlate({w}, {w}, 'full')",
    ),
    *(
        "np.kron({w}, {w})",
        "np.triu({w})",
        "np.append({w}, {n})",
        "np.insert({w}, 1, {n})",
        "np.delete({w}, 0)",
        "{W}.copy()",
    ),
    *(
        "np.sum({w}, axis=0)",
        "np.mean({w}, axis=-1, keepdims=True)",
        "np.linalg.norm({w}, axis=0)",
        "np.var({w}, axis=0)",
    ),
    *(
        "np.std({w}, axis=0)",
        "np.prod({w}, axis=0)",
        "np.vander({w}, 3)",
        "np.gradient({w})",
        "{W}.reshape(-1)",
        "{W}.ravel()",
    ),
    *(
        "np.array({p})",
        "np.array([v_ * {n} for v_ in {p}])",
        "np.array({p}) * {w}",
        "np.linspace({n}, {n}, 3)",
        "np.atleast_1d({n})",
    ),
    *(
        "np.array([v_ * v_ for v_ in {w}])",
        "np.swapaxes({w}, 0, 1)",
        "{W}.flatten()",
        "np.squeeze({w})",
        "{W}.sum(axis=0)",
    ),
    *(
        "np.broadcast_to({w}, (2, {k}))",
        "np.linalg.matrix_power({w}, 2)",
        "np.real({w}) + 1j * np.imag({w})",
        "np.copy({w})",
    ),
    *(
        "np.select([np.real({w}) > 0.1], [{w}], {n})",
        "np.multiply({w}, {w})",
        "np.add({w}, {n})",
        "np.subtract({n}, {w})",
    ),
    *(
        "np.sort(np.abs({w}))",
        "np.maximum(np.abs({w}), {c})",
        "np.clip(np.real({w}), -0.5, 0.5)",
        "np.meshgrid({w}, {w})[1]",
    ),
    *(
        "np.exp(1j * np.arange({k})) * {w}",
        "np.multiply.outer({w}, {w})",
        "np.array([{w}, {w}])",
        "np.column_stack([{w}, {w}])",
    ),
    *("grad(lambda t_: np.sum(np.abs(t_ * {n}) ** 2))({w})", "jvp(lambda t_: t_ * t_ * {n}, ({w},), ({w},))[1]"),
    *(
        "vjp(lambda t_: np.fft.fft(t_) * {n}, {W})[1](np.exp({W}) + 0j)[0]",
        "doubled({w})",
        "spectral({w})",
        "np.angle({w} + 2.0)",
    ),
    *(
        "np.array([abs({n}), {n}])",
        "np.moveaxis({w}, 0, -1)",
        "np.trace({w}) * {w}",
        "np.vdot({w}, {w}) * {w}",
        "{M}.T.conj()",
    ),
    *("{M}.T @ {M}.conj()", "{M}[:, ::-1]", "{M}[::-1, 1:]", "np.fft.fft({M}.T)", "np.split({w}, 2)[0]"),
    *(
        "np.take_along_axis({w}, np.argsort(np.abs({w})), 0)",
        "np.rot90({M})",
        "np.tril({M})",
        "np.ones_like({w}) * {n}",
    ),
)

CONDITIONS = (
    *("np.real({n}) > {c}", "abs({n}) > 0.5", "{N}.imag > 0.1", "abs({n}) < {c}", "np.sum(np.abs({w})) > {c}"),
    *("isinstance({N}, complex)", "np.iscomplexobj({W})", "{W}.dtype == complex", "{N} == {N}", "not abs({n}) > 1.0"),
    *("np.iscomplexobj({N})", "isinstance({N}, float)", "{W}.ndim > 1", "np.any(np.abs({W}) > 0.5)"),
)

_BINDINGS = (
    *("{a} = {n}", "{a} = {n}", "{a} = {w}", "{a} = {w}", "{a} = {w}", "{a}, {b} = {n}, {n}", "{a}, {b} = {w}, {n}"),
    *("{N} = {n}", "{N} += {n}", "{N} *= {n}", "{N} -= {n}", "{N} /= {n} + 2.5", "{W} = {w}", "{a} = {N}", "{a} = {W}"),
    *(
        "{a} = [{n}, {n}]",
        "{a} = [{n}, {n}, {n}]",
        "{a} = [{w}, {w}]",
        "{a} = {{'u': {n}, 'v': {n}}}",
        "{a} = ({n}, {n})[{i}]",
    ),
    *(
        "{a} = {p} + [{n}]",
        "{a} = {p}[1:]",
        "{a} = {p}[::-1]",
        "{a} = {p} * 2",
        "{a} = list({p})",
        "{a} = Pair({n}, {w})",
    ),
    *(
        "{a} = [v_ * {n} for v_ in {p}]",
        "{a} = [v_.real for v_ in {p}]",
        "{a} = [v_ for v_ in {w}]",
        "{a} = {p}.copy()",
    ),
    *(
        "{a} = {p}.pop()",
        "{a} = {p}.pop(0)",
        "{a}, *{b} = {p}",
        "{a} = {{**{d}, 'u': {n}}}",
        "{a} = {d}.copy()",
        "{a} = {d}['u']",
    ),
    *(
        "{a} = sorted({p}, key=abs)",
        "{a} = [*{p}, {n}]",
        "{a} = list(map(abs, {p}))",
        "{a} = [u_ * v_ for u_, v_ in zip({p}, {w})]",
    ),
)

_CHANGES = (
    *("{W}[{i}] = {n}", "{W}[{i}] += {n}", "{W}[{i}] *= {n}", "{W}[1:] = {n}", "{W}[1:] += {n}", "{W}[:] = {w}"),
    *("{W}[...] = {w}", "{W} += {w}", "{W} *= {w}", "{W} *= {n}", "{W} -= {n}", "{W}[::2] *= {n}", "{W}[::-1] = {w}"),
    *(
        "{W}[1:] = {W}[:-1]",
        "{W}[1:] += {W}[:-1] * {n}",
        "{W}[np.real({W}) > 0.2] *= {n}",
        "{W}[np.abs({W}) > 0.4] = {n}",
    ),
    *(
        "{W}[[0, 1]] = {n}",
        "{W}[[0, 1]] *= {n}",
        "np.add.at({W}, [0, 0, 1], {n})",
        "{W}.real[...] = {n}",
        "{W}.real[{i}] = {n}",
    ),
    *("{W}.real += {n}", "{W}.real = {n}", "{W}.imag[{i}] = {n}", "{W}.imag = {n}", "np.multiply({W}, {n}, out={W})"),
    *("np.exp(0.3 * {W}, out={W})", "np.add({W}, {w}, out={W})", "{M}[:, 0] = {n}", "{M}[:, 0] *= {w}", "{M}[0] = {w}"),
    *("{M}.T[0] = {n}", "{M}[:, 1] = {M}[:, 0]", "{M}[0], {M}[1] = {M}[1] * {n}, {M}[0].copy()", "{W}.fill({n})"),
    *("np.copyto({W}, {n})", "np.fill_diagonal({M}, {n})", "np.put({W}, [0], {n})", "np.conj({W}, out={W})"),
    *(
        "{a} = {W}[1:]\n{a} *= {n}",
        "{a} = {W}.real\n{a}[0] = {n}",
        "{a} = {W}.reshape(-1)\n{a}[0] = {n}",
        "{a} = {W}.T\n{a} *= {n}",
    ),
    *(
        "{a} = {W}[::-1]\n{W}[0] = {n}",
        "{a} = {W}\n{a}[0] = {n}",
        "{a} = np.real({W})\n{W}[0] = {n}",
        "{a} = {W}.imag\n{W}[0] = {n}",
    ),
    *("{a} = {W}.imag.copy()\n{W} *= {n}", "{a} = {W}.conj()\n{a} *= {n}", "{a} = {W}.copy()\n{a}[0] = {n}"),
    *(
        "{p}[{i}] = {n}",
        "{p}[{i}] *= {n}",
        "{p}.append({n})",
        "{p}.insert(0, {n})",
        "{p} += [{n}]",
        "{p}.extend([{n}, {n}])",
    ),
    *("{p}[:2] = [{n}, {n}]", "{p}.reverse()", "{p}[0], {p}[1] = {p}[1], {p}[0]", "{d}['u'] = {n}", "{d}['v'] *= {n}"),
    *("bump({W}, {n})", "pushed({p}, {n})", "{a} = bump({W}, {n})", "{W}[{i}], {N} = {N}, {n}", "{p}[0] = {w}"),
)

_BUFFERS = (
    "{a} = np.zeros(3, dtype=complex)\nfor i_ in range(3):\n    {a}[i_] = {n}",
    "{a} = np.zeros(3, complex)\nfor i_ in range(3):\n    {a}[i_] = {n} * i_\n"
    "    if i_ > 0:\n        {a}[i_] += {a}[i_ - 1] * {n}",
    "{a} = np.empty(4, dtype=complex)\n{a}[0] = {n}\nfor i_ in range(1, 4):\n    {a}[i_] = {a}[i_ - 1] * {n}",
    "{a} = np.empty_like({W})\n{a}[...] = {n}",
    "{a} = np.zeros_like({W}, dtype=complex)\n{a} += {n}",
    "{a} = np.zeros({W}.shape, dtype={W}.dtype)\n{a}[0] = {W}[0]\n{a} *= {n}",
    "{a} = np.zeros(3)\n{a}[1:] = abs({n})",
    "{a} = np.ones((2, 2), dtype=np.complex128)\n{a}[0] = {n}\n{a}[:, 1] *= {n}",
    "{a} = np.eye({k}, dtype=complex)\n{a}[0] *= {n}",
    "{a} = np.zeros(4, dtype=complex)\n{a}[:2] = {n}\n{a}.real[1:] = {c}",
)

STATEMENTS = {
    "binding": (6.0, _BINDINGS),
    "change": (4.0, _CHANGES),
    "buffer": (1.0, _BUFFERS),
}

HELPERS = {
    "Pair": "class Pair(NamedTuple):\n    one: object\n    two: object",
    "Box": (
        "@dataclass\nclass Box:\n    z: object\n    r: object\n\n"
        "    def turned(self, c):\n        self.z = self.z * c\n        return self.z * self.r"
    ),
    "mixed": "def mixed(u, v, scale=0.5):\n    return u * v * scale + u.conjugate()",
    "twice": "def twice(g, u):\n    return 0.5 * g(g(0.7 * u))",
    "power": "def power(u, k):\n    return u if k <= 1 else 0.8 * u * power(u, k - 1)",
    "chosen": (
        "def chosen(u, v):\n    if abs(u) > abs(v):\n        return u * 1j\n    if np.real(v) > 0.2:\n"
        "        return np.real(v)\n    return u + v"
    ),
    "total": "def total(items):\n    if not items:\n        return 0.3\n    return items[0] + 0.5j * total(items[1:])",
    "horner": "def horner(items, u):\n    s = 0.0\n    for v in items:\n        s = s * u * 0.4 + v\n    return s",
    "first": (
        "def first(u):\n    for k in range(4):\n        if abs(u) > 0.9:\n            return u\n"
        "        u = u * (1.2 + 0.3j)\n    return np.imag(u)"
    ),
    "bump": "def bump(a, c):\n    a[0] = a[0] * c\n    a[1:] += c\n    return a",
    "pushed": "def pushed(items, v):\n    items.append(v * items[0])\n    return items",
    "doubled": "def doubled(a):\n    a = a.copy()\n    a *= 2.0\n    return a",
    "spectral": "def spectral(a):\n    return np.real(np.fft.ifft(1j * np.fft.fftfreq(len(a)) * np.fft.fft(a)))",
}

SUMS = (
    *("np.sum(np.abs({0}) ** 2)", "np.real(np.sum({0}))", "np.sum({0}).imag", "np.sum(np.real({0} * {0}))"),
    *("np.real(np.vdot({0}, {0}))", "abs(np.sum({0}))", "np.sum(np.imag(np.exp(0.2 * {0})))"),
)
SIZES = ("abs({0})", "np.real({0})", "({0}).imag", "np.abs({0}) ** 2", "np.real({0} * {0})", "np.imag(1j * {0})")
