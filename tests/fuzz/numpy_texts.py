"""Texts of programs about what NumPy's functions take, with places to fill.

Places are those of :mod:`.complex_texts`. Besides, ``Z`` is an array with no axes and ``I`` one of integers or truth
values. A subscript may not fit: what does not run is not taken.
"""

from __future__ import annotations

__all__ = ["ARRAYS", "CONDITIONS", "HELPERS", "NUMBERS", "SIZES", "STATEMENTS", "SUMS"]

NUMBERS = (
    "{n} + {n}", "{n} * {n}", "{n} - {n}", "{c} * {n}", "np.sin({n})", "np.tanh({n})", "{n} ** 2",
    "np.exp(-abs({n}))", "np.sum({w})", "{W}.sum()", "{W}.mean()", "np.sum({w} * {w})", "{w} @ {w}", "np.max({w})",
    "np.min({w})", "np.ptp({w})", "np.sum({w}, where={w} > {c})", "np.sum({w}, initial={c})",
    "np.max({w}, initial={c})", "np.mean({w}, where={w} < 0.9)", "np.prod({w})", "np.prod({w}, initial=2.0)",
    "np.min({w}, initial={c}, where={w} > {c})", "np.sum({w}, axis=(0, 1))", "np.var({w})", "np.std({w}, ddof=1)",
    "np.var({w}, where={w} > -0.9)", "np.median({w})", "np.average({w}, weights={w} ** 2 + 0.1)",
    "np.percentile({w}, 30)", "np.quantile({w}, 0.7)", "np.linalg.norm({w})", "np.linalg.norm({w}, ord=1)",
    "np.linalg.norm({w}, 3)", "np.linalg.det({w} + 2.0 * np.eye({k}))", "np.trace({w})", "np.trace({w}, offset=1)",
    "np.vdot({w}, {w})", "np.inner({w}, {w})[()]", "np.einsum('i,i->', {w}, {w})", "np.einsum('ij,ij->', {w}, {w})",
    "np.einsum('ii', {w})", "np.einsum('ij,j,i', {w}, {w}, {w})", "np.einsum('ij->', {w})",
    "np.einsum('ij,kj->', {w}, {w})", "np.tensordot({w}, {w}, axes=2)[()]", "np.trapezoid({w})",
    "np.trapezoid({w}, dx={n})", "np.trapezoid({w}, {w})", "np.interp({n}, [-1.0, 0.1, 1.0], {w})",
    "np.polyval({w}, {n})", "np.add.reduce({w})", "np.multiply.reduce({w})", "np.maximum.reduce({w})",
    "np.logaddexp.reduce({w})", "np.sum({w}[::-1] * {w})", "{W}[{i}]", "{W}[{i}, {i}]", "{W}[-1]", "{W}.flat[{i}]",
    "{W}.item({i})", "{W}.max()", "{W}[np.argmax({W})]", "{W}.ravel()[{i}]", "np.sum({w}[{w} > {c}])",
    "np.sum({w}[[0, -1]])", "np.sum({W}[1:] - {W}[:-1])", "np.sum({M}[[0, 1], [1, 0]])", "np.sum({M}[:, [0, 0]])",
    "np.sum({M}[..., 0])", "np.sum({M}[::-1, ::-2])", "np.sum({w}[:0]) + {n}", "np.sum({w}[5:]) * {n}",
    "np.sum(np.zeros((0, 3))) + {n}", "np.where({n} > {c}, {n}, {n})[()]", "np.clip({n}, -0.5, 0.8)",
    "np.maximum({n}, {n})", "np.hypot({n}, 1.1)", "np.arctan2({n}, 1.3)", "float({W}[{i}])", "np.float64({n})",
    "{Z}.item()", "float({Z})", "{Z}[()] * {n}", "np.sum({Z})", "({Z} + {n})[()]", "{W}[{i}].item()",
    "np.real({w} @ {w})", "np.abs(np.sum({w}))", "np.sum(np.abs({w}) ** 2)", "np.count_nonzero({w} > {c}) * {n}",
    "{W}.size * {n}", "np.argmax({w}) * {n}", "np.searchsorted([-0.5, 0.5], {n}) * {n}",
    "np.linalg.cond({w} + 2.0 * np.eye({k}))", "np.linalg.slogdet({w} + 3.0 * np.eye({k}))[1]",
    "np.max({w}, axis=(0, 1))", "np.sum({I}) * {n}", "np.sum({I} * {w})", "np.dot({I}, {w})", "np.nansum({w})",
    "np.nanmax({w})", "np.float32({n}) * {n}", "np.corrcoef({w}, {w} ** 2)[0, 1]", "np.cov({w})[()]",
    "np.linalg.multi_dot([{w}, {w}, {w}])",
)  # fmt: skip

_ELEMENTWISE = (
    "{w} + {w}", "{w} * {w}", "{w} - {n}", "{n} * {w}", "{w} / ({w} * {w} + 1.5)", "-{w}", "{w} ** 2", "abs({w})",
    "{w} ** 3", "np.sin({w})", "np.tanh({w})", "np.exp(-np.abs({w}))", "np.log1p({w} ** 2)",
    "np.sqrt({w} ** 2 + 0.2)", "np.arctan({w})", "np.where({w} > {c}, {w}, {w})", "np.where({w} > {c}, {w}, {n})",
    "np.maximum({w}, {w})", "np.minimum({w}, {n})", "np.clip({w}, -0.5, 0.8)", "np.clip({w}, None, {n} + 0.5)",
    "np.sin({w}, where={w} > -9.0, out=np.zeros_like({w}))", "np.exp({w}, where={W} > {c}, out={w} * 1.0)",
    "np.multiply({w}, {w}, out=np.empty({k}))", "np.add({w}, {n}, dtype=float)",
    "np.divide({w}, {W}, out=np.zeros_like({W}), where={W} > {c})",
    "np.log({W}, where={W} > 0.1, out=np.full({W}.shape, {n}))", "np.hypot({w}, 1.1)", "np.arctan2({w}, 1.2)",
    "np.copysign({w}, {c})", "np.fmax({w}, {n})", "np.logaddexp({w}, {w})",
    "np.select([{w} > 0.4, {w} > -0.2], [{w}, {n}], {w})",
    "np.piecewise({w}, [{w} > 0.1], [lambda t_: t_ * {n}, 0.4])", "np.choose([0, 1, 0], [{w}, {w}])",
    "np.heaviside({w}, 0.5) * {w}", "np.sign({w}) * {n}", "np.mod({w}, 0.7)", "np.floor({w}) + {w}",
    "{w} * ({w} > {c})", "{I} * {w}", "{w} + {I}", "np.where({I}, {w}, {n})", "np.float32({n}) * {w}",
    "{W}.astype(np.float32) * {n}", "np.nan_to_num({w})", "np.sinc({w} + 2.2)", "np.real({w})", "np.square({w})",
    "np.expm1({w})", "np.positive({w})", "+{w}", "{w} * 1j", "({w} * (1.0 + 0.5j)).real", "np.conj({w})",
    "np.exp(1j * {w})", "np.angle({w} + 2.0)", "{w} * {Z}", "{Z} + {w}",
)  # fmt: skip

_REDUCTIONS = (
    "np.sum({w}, axis=0)", "np.sum({w}, axis=-1, keepdims=True)", "np.sum({w}, axis=(0, 2))",
    "np.mean({w}, axis=(0, 1), keepdims=True)", "np.max({w}, axis=1)", "np.min({w}, axis=0, keepdims=True)",
    "np.max({w}, axis=(0, 1), keepdims=True)", "np.prod({w}, axis=1)", "np.prod({w}, axis=(0, -1))",
    "np.var({w}, axis=0, ddof=1)", "np.std({w}, axis=1, keepdims=True)", "np.sum({w}, axis=())",
    "np.sum({w}, axis=1, where={W} > {c})", "np.mean({w}, axis=0, where={w} > -9.0)",
    "np.max({w}, axis=0, initial={c})", "np.sum({w}, axis=0, out=np.zeros({k}))", "np.median({w}, axis=0)",
    "np.quantile({w}, [0.2, 0.7])", "np.percentile({w}, 40, axis=0)", "np.cumsum({w})", "np.cumsum({w}, axis=1)",
    "np.cumprod({w}, axis=0)", "np.diff({w})", "np.diff({w}, n=2)", "np.diff({w}, axis=0, prepend={c})",
    "np.linalg.norm({w}, axis=1)", "np.linalg.norm({w}, axis=0, keepdims=True)",
    "np.average({w}, axis=0, weights=[1.0, 2.0])", "np.ptp({w}, axis=0)", "np.add.accumulate({w})",
    "np.multiply.accumulate({w})", "np.maximum.accumulate({w})", "np.add.reduceat({w}, [0, 1])", "np.ediff1d({w})",
    "np.sum({w}[None] * {w}[:, None], axis=-1)", "np.logaddexp.accumulate({w})", "np.trapezoid({w}, axis=0)",
    "np.gradient({w})", "np.nanmean({w}, axis=0)", "np.minimum.reduce({w}, axis=1)",
    "np.multiply.reduce({w}, axis=0, keepdims=True)", "np.subtract.outer({w}, {w})", "np.cov({w})",
)  # fmt: skip

_PRODUCTS = (
    "{w} @ {w}", "{w} @ {w}", "{M} @ {M}.T", "{M}.T @ {M}", "np.dot({w}, {w})", "np.outer({w}, {w})",
    "np.inner({w}, {w})", "np.kron({w}, {w})", "np.einsum('ij,j->i', {w}, {w})", "np.einsum('ij,jk->ik', {M}, {M}.T)",
    "np.einsum('ij->ji', {w})", "np.einsum('i,j->ij', {w}, {w})", "np.einsum('ii->i', {w})",
    "np.einsum('ij,ij->j', {w}, {w})", "np.einsum('...i,i->...', {w}, {w})", "np.einsum('ij,kj->ik', {w}, {w})",
    "np.einsum('bij,bjk->bik', {w}, {w})", "np.einsum('ij,ij,j->i', {w}, {w}, {w})", "np.einsum('i,i->i', {w}, {w})",
    "np.einsum('...ij->...ji', {w})", "np.einsum({w}, [0, 1], {w}, [1], [0])",
    "np.einsum('ij,jk,k->i', {M}, {M}.T, {w}, optimize=True)", "np.tensordot({w}, {w}, axes=([1], [1]))",
    "np.tensordot({w}, {w}, 0)", "np.matmul({w}, {w})", "np.linalg.solve({w} + 3.0 * np.eye({k}), {w})",
    "np.linalg.inv({w} + 3.0 * np.eye({k}))", "np.convolve({w}, {w})",
    "np.convolve({w}, {w}, mode='same')", "np.correlate({w}, {w}, 'full')", "np.vander({w}, 3)",
    "np.linalg.matrix_power({w}, 3)", "np.linalg.pinv({w})", "np.linalg.qr({w} + np.eye({k}))[1]",
    "np.linalg.eigvalsh({M} @ {M}.T)", "np.linalg.cholesky({M} @ {M}.T + np.eye({k}))",
    "np.linalg.svd({w}, compute_uv=False)", "np.linalg.lstsq({M}.T, {w}, rcond=None)[0]", "np.matvec({w}, {w})",
    "np.vecdot({w}, {w})", "np.polyfit([0.0, 1.0, 2.5], {w}, 1)",
)  # fmt: skip

_SHAPES = (
    "{W}.T", "{W}[::-1]", "{W}[::-2]", "{W}[-2:0:-1]", "{W}[1:]", "{W}[:-1]", "{W}[..., ::-1]", "{W}[:, ::-1]",
    "{W}[None]", "{W}[:, None]", "{W}[{i}]", "{W}[:, {i}]", "{W}[..., {i}]", "{W}[..., None]", "{W}[[0, -1]]",
    "{W}[[1, 1, 0]]", "{W}[np.array([[0, 1], [1, 0]])]", "{W}[()]", "{W}[{W} > {c}]", "{W}[:, [1, 0]]",
    "{W}[[0, 1], ::-1]", "{W}[np.ix_([0, 1], [1, 0])]", "{W}[[0, 1], [1, 1]]", "{W}[{I}]", "{W}[~({W} > {c})]",
    "{W}[np.nonzero({W} > {c})]", "{W}[np.argsort({W})]", "{W}[:, :, 0]", "{W}[0, :, 1:]", "{W}[[0, 1], :, [0, 1]]",
    "{W}[:, [0, 1], 0]", "{W}[None, ..., 0]", "{W}.reshape(-1)", "{W}.reshape(2, -1)",
    "np.reshape({w}, (-1, 2), order='F')", "{W}.ravel('F')", "{W}.flatten()", "{W}.transpose()",
    "{W}.swapaxes(0, -1)", "np.transpose({w}, (1, 0))", "np.transpose({w}, (2, 0, 1))", "np.moveaxis({w}, 0, -1)",
    "np.rollaxis({w}, 1)", "np.squeeze({w}[None])", "np.expand_dims({w}, (0, 2))", "np.atleast_2d({w})",
    "np.atleast_1d({n})", "np.broadcast_to({w}, (2, {k}))", "np.broadcast_arrays({w}, {n})[1]", "np.tile({w}, 2)",
    "np.tile({w}, (2, 1))", "np.repeat({w}, 2)", "np.repeat({w}, [1, 2])", "np.repeat({w}, 2, axis=0)",
    "np.roll({w}, 1)", "np.roll({w}, (1, 1), axis=(0, 1))", "np.flip({w})", "np.flip({w}, 1)", "np.fliplr({w})",
    "np.rot90({w})", "np.pad({w}, 1)", "np.pad({w}, (1, 0), constant_values={n})", "np.pad({w}, 1, mode='edge')",
    "np.pad({w}, 1, mode='reflect')", "np.concatenate([{w}, {w}])", "np.concatenate([{w}, {w}], axis=1)",
    "np.concatenate([{w}, {w}], axis=None)", "np.stack([{w}, {w}], axis=-1)", "np.hstack([{w}, {n}])",
    "np.vstack([{w}, {w}])", "np.column_stack([{w}, {w}])", "np.dstack([{w}, {w}])[0]", "np.r_[{w}, {n}]",
    "np.c_[{w}, {w}]", "np.append({w}, {n})", "np.block([{w}, {w}])", "np.split({w}, 2)[1]",
    "np.array_split({w}, 2)[0]", "np.hsplit({w}, 2)[{i}]", "np.insert({w}, 1, {n})", "np.delete({w}, 0)",
    "np.delete({w}, [0], axis=1)", "np.concatenate([{w}, np.zeros(0)])", "np.concatenate([{w}[:0], {w}])",
    "np.diag({w})", "np.diag({w}, 1)", "np.diagonal({w})", "np.triu({w}, 1)", "np.tril({w})",
    "np.take({w}, [0, 1, 1])", "np.take({w}, [1, 0], axis=1)",
    "np.take_along_axis({w}, np.argsort({w}, axis=0), axis=0)", "np.compress([True, False, True], {w})",
    "np.extract({w} > {c}, {w})", "np.sort({w})", "np.sort({w}, axis=0)[::-1]", "np.sort({w}, axis=None)",
    "np.partition({w}, 1)[1:]", "np.meshgrid({w}, {w})[1]", "np.lib.stride_tricks.sliding_window_view({w}, 2)",
    "np.unique({w})", "np.trim_zeros({w})", "np.resize({w}, 3)", "{W}.repeat(2)", "{W}.diagonal()",
)  # fmt: skip

_MADE = (
    "np.array([{n}, {n}])", "np.array([{n}, {n}, {n}])", "np.array([[{n}, {n}], [{n}, {n}]])", "np.full(3, {n})",
    "np.full((2, 2), {n})", "np.array([{w}, {w}])", "np.ones({k}) * {n}", "np.full_like({w}, {n})",
    "np.zeros_like({w}) + {n}", "np.linspace({n}, {n}, 3)", "np.arange(3) * {n}", "np.eye({k}) * {n}",
    "np.asarray([{n}, {n}])", "np.fromfunction(lambda i_, j_: i_ * {n} + j_, (2, 2))",
    "np.array([t_ * {n} for t_ in {w}])", "np.stack([t_ * {n} for t_ in {w}])", "np.indices((2, 2))[0] * {w}",
    "np.tri(2) * {w}", "np.geomspace(1.0, 2.0 + {n} ** 2, 3)", "np.logspace(0.0, {n}, 3)", "np.copy({w})",
    "{W}.copy('F')", "np.array({W}, order='F')", "np.vectorize(lambda t_: t_ * {n}, otypes=[float])({w})",
    "np.apply_along_axis(lambda t_: t_ * t_[0], 0, {w})", "np.array({W}, copy=True)", "np.asfortranarray({w})",
    "np.apply_along_axis(np.sum, 1, {w})", "np.frompyfunc(float, 1, 1)({w}).astype(float)",
    "np.array(list(map(lambda t_: t_ ** 2, {w})))", "np.zeros((2, 0)) @ np.zeros((0, 2)) + {w}", "scaled({w}, {n})",
    "scaled({w}, {n}, out=np.zeros_like({w}))", "smooth({w})", "centred({w})", "bump({W}.copy(), {n})",
    "either({w}, {n})", "softmax({w})",
)  # fmt: skip

ARRAYS = _ELEMENTWISE + _ELEMENTWISE + _REDUCTIONS + _PRODUCTS + _SHAPES + _MADE

CONDITIONS = (
    "{n} > {c}", "{n} > {c}", "{n} < {c}", "{n} * {n} < 0.4", "{n} > 0.2", "{n} < {n}", "{n} < {c}",
    "np.any({w} > 0.5)", "np.all({w} > {c})", "{W}.ndim > 1", "{W}.shape[0] > 2", "{W}.size > 4", "len({W}) == 2",
    "{W}.shape == {W}.shape", "np.sum({w}) > {c}", "({w} > {c}).any()", "np.isfinite({n})", "{W}.dtype == float",
    "np.allclose({w}, {w})", "np.ndim({w}) == 2",
)  # fmt: skip

_BINDINGS = (
    "{a} = {n}", "{a} = {w}", "{a} = {w}", "{a} = {w}", "{a} = {w}", "{a} = {w}", "{N} = {n}", "{N} += {n}",
    "{W} = {w}", "{a} = [{w}, {w}]", "{a}, {b} = {w}, {n}", "{a} = {W}", "{a} = np.array({n})",
    "{a} = np.asarray({n}) * 2.0", "{a} = np.array([{I}, {I}]).sum(axis=0)", "{a} = {w} > {c}",
    "{a} = np.argsort({w})", "{a}, {b} = np.split({w}, 2)", "{a}, {b} = np.meshgrid({w}, {w}, indexing='ij')",
    "{a} = np.where({w} > {c})[0]", "{a}, {b} = {W}.T[:2]", "{a}, {b} = np.linalg.slogdet({w} + 3.0 * np.eye({k}))",
    "{a}, {b} = np.unravel_index(np.argmax({M}), {M}.shape)\n{N} = {M}[{a}, {b}]", "{a} = np.zeros(({k}, 0))",
    "{a}, {b} = np.modf({w})", "{a}, {b} = np.divmod({w}, 0.4)",
    "{a}, {b} = np.average({w}, weights={w} ** 2 + 0.1, returned=True)", "{a} = np.array({Z} * {n})",
)  # fmt: skip

_CHANGES = (
    "{W}[{i}] = {n}", "{W}[{i}] += {n}", "{W}[1:] *= {n}", "{W}[::-1] = {w}", "{W}[...] = {w}", "{W} += {w}",
    "{W} *= {w}", "{W} -= {n}", "{W}[::-2] = {n}", "{W}[1:] = {W}[:-1]", "{W}[:-1] += {W}[1:] * {n}",
    "{W}[::-1] *= {W}", "{W}[{W} > {c}] = {n}", "{W}[{W} > {c}] *= {n}", "{W}[{W} < {c}] = {W}[{W} < {c}] ** 2",
    "{W}[[0, -1]] = {n}", "{W}[[0, 0]] += {n}", "{W}[[1, 0]] = {w}", "{W}[[0, 1]] = {W}[[1, 0]]",
    "{M}[:, [0, 1]] *= {n}", "{M}[[0, 1], [1, 0]] = {n}", "{M}[[0, 1], 0] = {w}", "{M}[:, 0] = {w}",
    "{M}[0] = {M}[:, 0][:{k}]", "{M}[..., -1] *= {n}", "{M}.T[0] = {n}", "{M}[np.ix_([0, 1], [0])] += {n}",
    "{M}[:, None, 0] = {n}", "{M}[:, ::-1] *= {w}", "np.add.at({W}, [0, 0, 1], {n})", "np.add.at({W}, [0, 1], {w})",
    "np.subtract.at({W}, [0, 0], {n})", "np.multiply.at({W}, [0, 0], {n})", "np.add.at({M}, ([0, 0], [1, 1]), {n})",
    "np.add.at({M}, (slice(None), [0, 0]), {n})", "np.maximum.at({W}, [0, 1], {n})", "np.multiply({W}, {n}, out={W})",
    "np.add({W}, {w}, out={W})", "np.sin({W}, out={W})", "np.multiply({W}, {n}, out={W}, where={W} > {c})",
    "np.exp({W}, out={W}, where={W} < {c})", "np.maximum({W}, {n}, out={W})", "np.sum({M}, axis=0, out={W})",
    "np.dot({M}, {w}, out={W})", "np.copyto({W}, {n})", "np.copyto({W}, {w}, where={W} > {c})",
    "np.putmask({W}, {W} > {c}, {w})", "np.put({W}, [0, -1], {n})", "np.place({W}, {W} > {c}, [{n}])",
    "{W}.fill({n})", "np.fill_diagonal({M}, {n})",
    "np.put_along_axis({M}, np.argmax({M}, axis=0)[None], {n}, axis=0)", "{W}.sort()", "{W}[...] += {w}",
    "{W}.flat[{i}] = {n}", "{W}.flat[:] = {n}", "{a} = {W}[::-1]\n{a}[0] = {n}", "{a} = {W}[1:]\n{a} *= {n}",
    "{a} = {W}.T\n{a}[0] += {n}", "{a} = {W}.reshape(-1)\n{a}[0] = {n}", "{a} = {W}[:, 0]\n{a} *= {n}",
    "{a} = {W}[::-1]\n{W}[0] = {n}", "{a} = {W}.copy()\n{W}[0] = {n}", "{a} = {W}[[0, 1]]\n{a} *= {n}",
    "{a} = np.ravel({W})\n{a}[-1] *= {n}", "{a} = {W}[None, ::-1]\n{a}[0, 0] = {n}",
    "{a} = np.diagonal({M}).copy()\n{a} *= {n}", "{a} = {M}[::-1, 0]\n{M}[0] *= {n}",
    "{a} = np.einsum('ii->i', {M})\n{M}[0, 0] = {n}", "{a} = {W}.view()\n{a}[0] = {n}",
    "for r_ in {M}:\n    r_ *= {n}", "for r_ in {M}.T:\n    r_[0] += {n}",
    "for i_, v_ in np.ndenumerate({M}):\n    {M}[i_] = v_ * {n}",
    "for i_ in np.ndindex({M}.shape):\n    {M}[i_] *= {n}",
    "for i_ in range(len({W})):\n    {W}[i_] = {W}[i_ - 1] * {n}",
    "for i_ in range(1, len({W})):\n    {W}[i_] += {W}[i_ - 1] * {n}", "bump({W}, {n})", "{W}[:] = np.sort({W})",
    "{Z} *= {n}", "{Z}[...] = {n}", "{Z} += {n}", "{Z}[()] = {n}", "{a} = {W}[{i}, ...]\n{a} += {n}",
    "{a} = {W}[..., {i}]\n{a} *= {n}", "{W}[:0] = {n}", "{W}[:0] += {w}[:0]", "{W}.real *= {n}", "{W}[{I}] = {n}",
    "{W}[{I}] += {n}", "{W}[{W} > {c}] += {W}[{W} > {c}]", "{W}[1:], {W}[0] = {W}[:-1].copy(), {n}", "{p}[{i}] = {w}",
    "{p}[{i}] *= {n}", "{p}.append({w})",
)  # fmt: skip

_BUFFERS = (
    "{a} = np.zeros(3)\nfor i_ in range(3):\n    {a}[i_] = {n}",
    "{a} = np.zeros((3, 2))\nfor i_ in range(3):\n    {a}[i_] = {w}\n    {a}[i_, ::-1] *= {n}",
    "{a} = np.empty((2, 3))\n{a}[:, 0] = {n}\nfor i_ in range(1, 3):\n    {a}[:, i_] = {a}[:, i_ - 1] * {n}",
    "{a} = np.zeros(4)\n{a}[::2] = {n}\n{a}[1::2] += {a}[::2] * {n}",
    "{a} = np.zeros(3, dtype=np.float32)\n{a}[1:] = {n}",
    "{a} = np.ones((2, 2))\n{a}[{a} > 0.5] = {n}\n{a}[0] *= {w}",
    "{a} = np.zeros((2, 3))\n{a}[:, 1:] = {n}\n{a}[1, ...] += {a}[0]",
    "{a} = np.zeros(())\nfor v_ in {w}:\n    {a} += v_ * {n}",
    "{a} = np.empty(0)\nfor v_ in {w}:\n    {a} = np.append({a}, v_ * {n})",
    "{a} = np.zeros_like({W})\nfor i_ in range({W}.shape[0]):\n    {a}[i_] = {W}[-1 - i_] * {n}",
    "{a} = np.full((2, 2, 2), {n})\n{a}[:, 0, ::-1] *= {w}\n{a}[..., 1] += {n}",
    "{a} = []\nfor v_ in {w}:\n    {a}.append(v_ * {n})\n{b} = np.array({a})",
    "{a} = np.zeros(5)\nnp.add.at({a}, [0, 2, 2], {w})\n{a}[3:] = {n}",
    "{a} = np.empty({W}.shape)\nnp.multiply({W}, {n}, out={a})\nnp.sin({a}, out={a})",
    "with np.errstate(all='ignore'):\n    {a} = np.where({w} > {c}, np.log(np.abs({w}) + 0.1), {n})",
    "{a} = {w}\nwhile np.max(np.abs({a})) > 0.5:\n    {a} = {a} * 0.6",
)  # fmt: skip

STATEMENTS = {"binding": (6.0, _BINDINGS), "change": (4.0, _CHANGES), "buffer": (1.2, _BUFFERS)}

HELPERS = {
    "scaled": """\
def scaled(a, c, out=None):
    if out is None:
        out = np.empty_like(a)
    np.multiply(a, c, out=out)
    return out""",
    "smooth": """\
def smooth(a):
    b = a.copy()
    b[1:-1] = 0.25 * a[:-2] + 0.5 * a[1:-1] + 0.25 * a[2:]
    return b""",
    "centred": """\
def centred(a):
    return (a - a.mean(axis=-1, keepdims=True)) / np.sqrt(a.var(axis=-1, keepdims=True) + 0.1)""",
    "bump": """\
def bump(a, c):
    a[0] = a[0] * c
    a[1:] += c
    return a""",
    "either": """\
def either(a, c):
    if a.ndim > 1:
        return a[0] * c
    return a[:2] if c > 0.2 else a[::-1]""",
    "softmax": """\
def softmax(a):
    e = np.exp(a - np.max(a, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)""",
}

SUMS = (
    "np.real(np.sum({0}))", "np.sum(np.abs({0}) ** 2)", "np.real(np.sum({0} * {0}))",
    "np.sum(np.real(np.exp(0.2 * {0})))",
)  # fmt: skip

SIZES = (
    "np.real({0})", "np.abs({0}) ** 2", "np.real({0} * {0})",
)  # fmt: skip
