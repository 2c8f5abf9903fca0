"""Statements of numerical kernels, as texts with places to fill: integers that are state, slices that move with a
loop, stored masks, arrays of indices, factorisations, histories of states.

Places are those of :mod:`.corner_texts`, and besides

=============  =====================================================================
``aug``        an update other than an assignment
``k``          an integer
``ks``         positions in an array: a list or an array of integers
=============  =====================================================================
"""

from __future__ import annotations

__all__ = ["KERNELS", "LOOPS"]

_SLICES = (
    "for i_ in range(1, len({u})):\n    {u}[i_:] {op} {u}[i_ - 1] * {e}",
    "for i_ in range(len({u})):\n    {u}[i_] {op} np.sum({u}[:i_]) * {e}",
    "for i_ in range(len({u})):\n    {u}[i_] {op} {u}[:i_] @ {u}[:i_][::-1] + {e}",
    "for i_ in range(len({u})):\n    {u}[i_] {op} {u}[:i_] @ {v}[:i_] + {e}",
    "for i_ in range(len({u}) - 1):\n    {u}[i_:i_ + 2] = {u}[i_:i_ + 2][::-1] * {e}",
    "for i_ in range(len({u}) - 1):\n    a_ = {u}[i_:i_ + 2]\n    a_ *= {e}\n    a_[0] += {d}",
    "for i_ in range(len({u}) - 1):\n    a_ = {u}[i_:i_ + 2] * {u}[i_]\n    {u}[i_] = {e}\n    {u}[i_ + 1] = a_.sum()",
    "for i_ in range(len({u}) - 1, 0, -1):\n    {u}[:i_] {op} {u}[i_] * {e}",
    "for i_ in range(0, len({u}), 2):\n    {u}[i_:i_ + 2] *= {e}",
    "for i_ in range(0, len({u}), 2):\n    {u}[i_:i_ + 2] *= {u}[i_:i_ + 2].sum() * {e}",
    "{a} = np.zeros(2 * len({u}))\nfor i_ in range(2):\n    {a}[i_ * len({u}):(i_ + 1) * len({u})] = {u} * {e}\n"
    "    {u} *= {d}",
    "{a} = np.zeros(2 * len({u}))\nfor i_ in range(2):\n    {a}[i_::2] = {u} * {e}\n    {u}[0] = {d}",
    "for i_ in range(len({m})):\n    {m}[i_, i_:] {op} {e}",
    "for i_ in range(len({m})):\n    {m}[i_, :i_] {op} {e} * {m}[i_, i_ % {m}.shape[1]]",
    "for i_ in range(1, len({m})):\n    {m}[i_] {op} {m}[i_ - 1] * {e}",
    "for i_ in range(1, len({m})):\n    {m}[i_:] {op} {m}[i_ - 1] * {e}",
    "for i_ in range(len({m})):\n    for j_ in range({m}.shape[1]):\n"
    "        {m}[i_, j_] += {m}[i_ - 1, j_] * {m}[i_, j_ - 1]",
    "for j_ in range({m}.shape[1]):\n    {m}[:, j_] {op} {m}[:, j_ - 1] * {e}",
    "for j_ in range({m}.shape[1]):\n    c_ = {m}[:, j_]\n    {m}[:, j_] = c_ / (1.0 + np.sqrt(c_ @ c_ + 0.1))",
    "for j_ in range({m}.shape[1]):\n    {m}[:, j_:] -= {m}[:, j_:].sum(axis=0) * {e}",
    "for i_ in range(len({m})):\n    for j_ in range(i_):\n        {m}[i_] -= ({m}[i_] @ {m}[j_]) * {m}[j_] * {e}",
    "for r_ in {m}:\n    for i_ in range(1, len(r_)):\n        r_[i_:] {op} r_[:-i_] * {e}",
    "for r_ in {m}.T:\n    r_ *= r_[0] * {e}\n    r_[0] = {d}",
    "{a} = {u}[int({x} > {c}):]\n{a} *= {e}",
    "k_ = 1 if {x} > {c} else 0\n{u}[k_:] {op} {e}\n{u}[:k_] {op} {d}",
    "k_ = int({x} > {c})\n{a} = {u}[k_:k_ + 1] * {e}\n{u}[k_] = {d}",
    "for i_ in range(3):\n    k_ = i_ % len({u})\n    {u}[k_:] = {u}[:len({u}) - k_] * {e}",
    "s_ = 1\nwhile s_ < len({u}):\n    {u}[s_:] = {u}[s_:] + {u}[:-s_] * {e}\n    s_ *= 2",
    "s_ = len({u})\nwhile s_ > 1:\n    s_ //= 2\n    {u}[:s_] += {u}[s_:2 * s_] * {e}",
    "{a} = [{u}[i_:i_ + 2] for i_ in range(len({u}) - 1)]\n{a}[0] *= {e}\n{a}[-1][0] = {d}",
    "{a} = np.array([np.sum({u}[i_:i_ + 2] * {e}) for i_ in range(len({u}) - 1)])\n{u}[-1] = {d}",
    "{a} = {u}[{k}:]\n{a} {aug} {e}\n{u}[:{k}] = {d}",
    "{u}[{k}:] {op} {e} * {u}[{k}]",
    "{m}[{k}:, {k}] {op} {e}",
    "{m}[:, :{k}] {op} {m}[:, {k}:{k} + 1] * {e}",
    "{a} = {v}[::2]\n{b} = {v}[1::2]\n{a} *= {e}\n{b} += {d}\n{v}[0] *= {x}",
    "for i_ in range(2):\n    {v}[i_::2] {op} {e} * np.sum({v}[1 - i_::2])",
    "for i_ in range(2):\n    a_, b_ = {v}[:1 + i_], {v}[-1 - i_:]\n    b_ += a_ * {e}",
)  # fmt: skip

_INTEGERS = (
    "{a} = 0\nfor i_ in range(4):\n    {a} = ({a} + 2) % len({u})\n    {u}[{a}] {op} {e}",
    "{a} = 0\nwhile {a} < len({u}):\n    {u}[{a}] {op} {e}\n    {a} += 1",
    "{a} = len({u})\nwhile {a} > 0:\n    {a} -= 1\n    {u}[{a}] *= {u}[{a} - 1] * {e}",
    "{a} = 0\nfor i_ in range(len({u})):\n    if {u}[i_] > {c}:\n        {u}[{a}] = {u}[i_] * {e}\n        {a} += 1\n"
    "{b} = {u}[:{a}].sum()",
    "{a} = 0\nfor i_ in range(2):\n    for j_ in range(len({u})):\n        {u}[{a} % len({u})] {op} {e}\n"
    "        {a} += 1",
    "{a} = 0\nfor i_ in range(3):\n    for j_ in range(i_):\n        {u}[{a} % len({u})] *= {u}[j_ % len({u})] * {e}\n"
    "        {a} += j_ + 1",
    "{a} = 0\nfor i_ in range(3):\n    {a} += i_\n    for j_ in range({a}):\n        {x} = math.sin({x} * {e})",
    "lo_, hi_ = 0, len({u}) - 1\nwhile lo_ < hi_:\n    {u}[lo_], {u}[hi_] = {u}[hi_] * {e}, {u}[lo_]\n    lo_ += 1\n"
    "    hi_ -= 1",
    "lo_, hi_ = 0, len({u})\nwhile lo_ < hi_:\n    m_ = (lo_ + hi_) // 2\n    if {u}[m_] > {x}:\n        hi_ = m_\n"
    "    else:\n        lo_ = m_ + 1\n    {u}[m_] *= {e}\n{a} = lo_ * {d}",
    "k_ = 1\nfor i_ in range(3):\n    k_ *= 2\n    {x} = {x} * k_ * 0.3 + {e}",
    "k_ = 7\nwhile k_ > 1:\n    k_ = k_ // 2 if k_ % 2 == 0 else k_ + 1\n    {x} = math.sin({x} + k_ * {e})",
    "b_, s_ = {x}, {e}\nk_ = 5\nwhile k_:\n    if k_ & 1:\n        s_ *= b_\n    b_ *= b_\n    k_ >>= 1\n"
    "{a} = math.tanh(s_)",
    "p_, q_ = 0, 1\nfor i_ in range(4):\n    p_, q_ = q_, p_ + q_\n    {u}[p_ % len({u})] {op} {e} * q_ * 0.2",
    "k_ = 0\nfor v_ in {u}:\n    k_ += 1\n    if v_ > {c}:\n        continue\n    {x} += v_ * k_ * {e}",
    "k_ = 0\nfor i_ in range(4):\n    if {x} > {c}:\n        k_ += 2\n        {x} *= {e}\n        continue\n"
    "    k_ += 1\n    {x} += k_ * 0.1",
    "k_ = -1\nfor i_ in range(len({u})):\n    k_ -= 1\n    {x} += {u}[k_ % len({u})] * {e}\n"
    "    {u}[k_ % len({u})] = {x}",
    "n_ = 0\nfor i_ in range(3):\n    n_ = n_ + 1\n    for j_ in range(2):\n        n_ = n_ + i_\n"
    "        {x} = math.sin({x} * n_)\n    {x} *= {e}",
    "n_ = 3\nfor i_ in range(3):\n    for j_ in range(i_, 3):\n        n_ -= 1\n        {u}[n_ % len({u})] *= {e}",
    "n_ = 0\nfor i_ in range(3):\n    for j_ in range(3):\n        n_ += 1\n        if {u}[n_ % len({u})] > {c}:\n"
    "            break\n        {u}[n_ % len({u})] {op} {e}\n{a} = n_ * {d}",
    "n_ = 0\nwhile True:\n    n_ += 1\n    if n_ > 3:\n        break\n    m_ = 0\n    while m_ < n_:\n        m_ += 1\n"
    "        {u}[(n_ + m_) % len({u})] *= {e}\n        if {x} > {c} and m_ == 2:\n            break",
    "n_, d_ = 0, 1\nfor i_ in range(5):\n    n_ += d_\n    if n_ >= len({u}) - 1 or n_ == 0:\n        d_ = -d_\n"
    "    {u}[n_ % len({u})] *= {e}",
    "n_ = 2\nfor i_ in range(3):\n    n_ = i_ - n_\n    {x} = math.sin({x} * {e} + n_)",
    "n_ = 1\nfor i_ in range(3):\n    m_ = n_ + i_\n    n_ = m_ - 2\n    {u}[m_ % len({u})] {op} {e}\n"
    "    {x} += n_ * {u}[0]",
    "n_ = m_ = 0\nfor i_ in range(3):\n    m_ = n_\n    n_ += 2\n    {x} = {x} * {e} + m_ * math.sin({x}) - n_",
    "n_ = 0\nfor i_ in range(2, 9, 3):\n    n_ += i_\n    {x} = math.cos({x} * n_ * {e})",
    "n_ = 0\nfor i_ in range(3):\n    for j_ in range(1, 4 - i_):\n        n_ += i_ + 1\n"
    "    {x} = math.cos({x} * n_ * {e})",
    "n_ = True\nfor i_ in range(3):\n    n_ = not n_\n    {x} = {x} * {e} if n_ else math.sin({x})",
    "n_ = 0\nfor i_ in range(3):\n    {x} = {x} * {e} + n_\n    n_ = n_ + 1 if {x} > {c} else n_ - 1\n"
    "    {u}[n_ % 2] {op} {x}",
    "s_ = [0, 1, 0]\nfor i_ in range(3):\n    s_[i_] += i_\n    {u}[s_[i_] % len({u})] {op} {e}\n    s_[0] += 1",
    "s_ = []\nfor i_ in range(len({u})):\n    if {u}[i_] > {c}:\n        s_.append(i_)\n    {u}[i_] *= {e}\n"
    "for i_ in s_:\n    {u}[i_] {op} {d}",
    "c_ = np.zeros(2, dtype=int)\nfor i_ in range(len({u})):\n    c_[int({u}[i_] > {c})] += 1\n"
    "    {x} += c_[0] * {u}[i_] * 0.3\n{a} = c_[1] * {e}",
    "c_ = np.arange(len({u}))\nfor i_ in range(2):\n    {u} *= {u}[c_] * {e}\n    c_ = (c_ + 1) % len({u})",
    "c_ = np.arange(len({u}))\nfor i_ in range(2):\n    {u}[c_] {aug} {e} * c_\n    c_[0], c_[-1] = c_[-1], c_[0]",
    "{a} = [i_ for i_ in range(len({u})) if {u}[i_] > {c}]\nfor i_ in {a}:\n    {u}[i_] *= {e}",
    "k_ = int(np.argmax({u}))\n{u}[k_] {op} {e}\n{u}[0] *= {d}",
    "for i_ in range(2):\n    k_ = np.argmin({u})\n    {u}[k_] *= {e}\n    {u}[i_] += {u}[k_]",
    "o_ = np.argsort({u})\n{a} = {u}[o_] * {e}\n{u}[o_[0]] = {d}",
    "o_ = np.flatnonzero({u} > {c})\n{u}[o_] *= {e}\n{a} = len(o_) * {d}",
    "for i_ in np.nonzero({u} > {c})[0]:\n    {u}[i_] *= {e}",
    "{a} = np.sum({v} > {c}) * {e}\n{v}[0] = {a}",
    "ptr_ = [0, 1, 3]\nidx_ = [0, 1, 0]\n{a} = np.zeros(2)\nfor i_ in range(2):\n"
    "    for k_ in range(ptr_[i_], ptr_[i_ + 1]):\n        {a}[i_] += {u}[idx_[k_]] * {e}\n    {u}[0] *= {d}",
    "ptr_ = np.array([0, 2, 3])\nfor i_ in range(2):\n    {u}[ptr_[i_] % len({u}):ptr_[i_ + 1]] *= {e}",
    "{u}[{ks}] {op} {e}",
    "{a} = {u}[{ks}]\n{u}[{ks}] {aug} {a} * {e}",
    "{m}[{ks}, 0] {op} {e}",
    "{m}[:, {ks}] {aug} {e}",
    "for i_ in {ks}:\n    {u}[i_] {op} {u}[i_ - 1] * {e}",
    "for i_, j_ in zip({ks}, {ks}[::-1]):\n    {u}[i_], {u}[j_] = {u}[j_] * {e}, {u}[i_]",
    "{k} += 1\n{x} = {x} * {k} * {e}",
    "{a} = {k} * {e} + {u}[{k} % len({u})]",
    "if {k} % 2 == 0:\n    {x} *= {e}\nelif {k} > 1:\n    {x} += {k} * {d}",
)  # fmt: skip

_STATES = (
    "h_ = np.zeros((4, len({u})))\nh_[0] = {u}\nfor t_ in range(1, 4):\n    h_[t_] = np.tanh(h_[t_ - 1] * {e})\n"
    "{a} = h_[-1]\n{b} = h_.sum()",
    "h_ = np.zeros((len({u}), 3))\nfor t_ in range(3):\n    {u}[t_ % len({u})] *= {e}\n    h_[:, t_] = {u}\n"
    "{a} = h_ * {d}",
    "h_ = np.zeros(4)\nfor t_ in range(4):\n    h_[t_] = {x}\n    {x} = {x} * {e} + h_[t_ - 1]\n{a} = h_[::-1]",
    "s_ = {u}.copy()\nfor t_ in range(3):\n    s_ = s_ + 0.1 * np.sin(s_) * {e}\n    s_[0] = {d}\n{a} = s_",
    "s_ = {v}\nfor t_ in range(3):\n    s_ = s_ * {e}\n    s_ += np.cos(s_)\n{a} = s_",
    "q_, p_ = {u} * 1.0, {u} * {e}\nfor t_ in range(3):\n    p_ -= 0.1 * np.sin(q_)\n    q_ += 0.1 * p_\n{a} = q_ * p_",
    "q_, p_ = {x}, {e}\nfor t_ in range(4):\n    h_ = p_ - 0.05 * math.sin(q_)\n    q_ = q_ + 0.1 * h_\n"
    "    p_ = h_ - 0.05 * math.sin(q_)\n{a}, {b} = q_, p_",
    "s_, r_ = {u} * {e}, np.zeros_like({u})\nfor t_ in range(3):\n    for i_ in range(len(s_)):\n"
    "        r_[i_] = 0.5 * s_[i_ - 1] + s_[i_] * {d}\n    s_, r_ = r_, s_\n    if s_[0] > {c}:\n        break\n"
    "{a} = s_ + r_",
    "o_ = {u}.copy()\nfor t_ in range(3):\n    n_ = o_.copy()\n    n_[1:] = o_[1:] - 0.3 * (o_[1:] - o_[:-1]) * {e}\n"
    "    o_ = n_\n{a} = o_",
    "o_ = {m}.copy()\nfor t_ in range(2):\n    o_[1:-1] = (o_[:-2] + o_[2:]) * {e}\n    o_[:, 0] = o_[:, -1]\n{a} = o_",
    "s_ = {v}\nfor t_ in range(2):\n    if t_ == 1:\n        s_ = s_[::-1]\n    s_ = np.sin(s_) * {e}\n"
    "    s_[0] *= s_[-1]",
    "s_ = {v}\nfor t_ in range(2):\n    if {x} > {c}:\n        s_ = s_ * {e}\n        s_[0] = {d}\n    {x} *= 0.5\n"
    "{a} = s_",
    "h_ = [{u}]\nfor t_ in range(3):\n    h_.append(h_[-1] * {e} + h_[t_ - 1])\n{a} = h_[-1]\n{b} = h_[0] * h_[2]",
    "h_ = [{x}, {e}]\nfor t_ in range(3):\n    h_.append(math.sin(h_[-1]) + h_[-2] * {d})\n{a} = np.array(h_)",
    "h_ = [{u}.copy()]\nfor t_ in range(2):\n    h_[-1] *= {e}\n    h_.append(h_[t_].copy())\n{a} = np.stack(h_)",
    "s_ = {x}\nfor t_ in range(5):\n    p_ = s_\n    s_ = s_ - (s_ * s_ - 1.0 - abs({e})) / (2.0 * abs(s_) + 0.5)\n"
    "    if abs(s_ - p_) < 0.05:\n        break\n{a} = s_ + p_ * {d}",
    "b_ = None\nfor t_ in range(3):\n    s_ = {x} * (t_ - 1) + {e}\n    if b_ is None or s_ > b_:\n        b_ = s_\n"
    "{a} = b_",
    "b_, w_ = -9.0, 0\nfor t_ in range(len({u})):\n    if {u}[t_] > b_:\n        b_, w_ = {u}[t_], t_\n"
    "{u}[w_] = b_ * {e}",
    "s_ = np.zeros(len({u}))\nfor t_ in range(3):\n    d_ = {u} - s_ * {e}\n    g_ = d_ @ d_\n    if g_ < {c}:\n"
    "        break\n"
    "    s_ += d_ * (0.2 / (1.0 + g_))\n{a} = s_",
    "s_ = np.ones({m}.shape[1])\nfor t_ in range(2):\n    w_ = {m}.T @ ({m} @ s_)\n"
    "    s_ = w_ / np.sqrt(w_ @ w_ + 0.5)\n{a} = s_",
    "for r_ in {m}:\n    r_ -= np.max(r_)\n    np.exp(r_, out=r_)\n    r_ /= r_.sum() * 1.5",
    "k_ = np.zeros(len({u}))\nfor t_ in range(2):\n    k_ *= 0.5\n    k_ += np.sin({u}) * {e}\n    {u} -= 0.1 * k_\n"
    "{a} = k_",
    "acc_ = 0.0\nfor i_ in range(len({u})):\n    t_ = {u}[i_]\n    for j_ in range(i_, len({u})):\n"
    "        t_ = t_ * {u}[j_]\n"
    "        acc_ += t_ * {e}\n{a} = acc_",
    "acc_ = {x}\nfor v_ in reversed({u}):\n    acc_ = acc_ * {e} + v_\n{a} = acc_",
)  # fmt: skip

_MATRICES = (
    "A_ = {m} @ {m}.T + 2.0 * np.eye(len({m}))\nfor k_ in range(len(A_)):\n    for i_ in range(k_ + 1, len(A_)):\n"
    "        A_[i_, k_] /= A_[k_, k_]\n        for j_ in range(k_ + 1, len(A_)):\n"
    "            A_[i_, j_] -= A_[i_, k_] * A_[k_, j_]\n{a} = 0.2 * A_",
    "A_ = {m} @ {m}.T + 2.0 * np.eye(len({m}))\nfor k_ in range(len(A_)):\n    for i_ in range(k_ + 1, len(A_)):\n"
    "        w_ = A_[i_, k_] / A_[k_, k_]\n        A_[i_, k_:] -= w_ * A_[k_, k_:]\n{a} = 0.2 * A_",
    "A_ = {m} @ {m}.T + 2.0 * np.eye(len({m}))\nfor k_ in range(len(A_) - 1):\n    A_[k_ + 1:, k_] /= A_[k_, k_]\n"
    "    A_[k_ + 1:, k_ + 1:] -= np.outer(A_[k_ + 1:, k_], A_[k_, k_ + 1:])\n{a} = 0.2 * A_",
    "A_ = {m} @ {m}.T + 2.0 * np.eye(len({m}))\nL_ = np.zeros_like(A_)\nfor i_ in range(len(A_)):\n"
    "    for j_ in range(i_ + 1):\n        s_ = A_[i_, j_] - L_[i_, :j_] @ L_[j_, :j_]\n"
    "        L_[i_, j_] = math.sqrt(s_) if i_ == j_ else s_ / L_[j_, j_]\n{a} = 0.5 * L_",
    "A_ = {m} @ {m}.T + 2.0 * np.eye(len({m}))\ns_ = np.zeros(len(A_))\nfor i_ in range(len(A_) - 1, -1, -1):\n"
    "    s_[i_] = ({e} - A_[i_, i_ + 1:] @ s_[i_ + 1:]) / A_[i_, i_]\n{a} = s_",
    "n_ = len({u})\nc_, s_ = np.zeros(n_), {u} * {e}\nfor i_ in range(1, n_):\n    w_ = 0.3 / (2.0 + c_[i_ - 1])\n"
    "    c_[i_] = w_ * {d}\n    s_[i_] -= w_ * s_[i_ - 1]\nfor i_ in range(n_ - 2, -1, -1):\n"
    "    s_[i_] = s_[i_] - c_[i_] * s_[i_ + 1]\n{a} = s_",
    "{a} = np.zeros((len({u}), len({v})))\nfor i_ in range(len({u})):\n    for j_ in range(len({v})):\n"
    "        {a}[i_, j_] = min({a}[i_ - 1, j_], {a}[i_, j_ - 1]) + {u}[i_] * {e}",
    "{a} = {m} @ {m}.T * {e}\n{m} *= {d}",
    "{a} = {m}.T @ {u}[:len({m})] * {e}",
    "{m} @= np.eye({m}.shape[1]) * {e}",
    "{a} = np.array([[np.sum({m}[i_:i_ + 2, j_:j_ + 2]) for j_ in range({m}.shape[1] - 1)] for i_ in range(len({m}) "
    "- 1)])",
    "{a} = np.array([[{e}, -{d}], [{d}, {e}]])\nfor i_ in range(2):\n    {a} = {a} @ {a} * 0.4",
    "s_ = {m}.sum(axis=1, keepdims=True)\n{m} -= s_ * {e}\n{a} = {m} / (1.0 + s_ * s_)",
    "{a} = np.linalg.norm({v}, axis=-1) * {e}",
    "{m}[:, 0], {m}[:, -1] = {m}[:, -1] * {e}, {m}[:, 0].copy()",
    "{m}[0], {m}[-1] = {m}[-1], {m}[0] * {e}",
    "for i_ in range(min({m}.shape)):\n    {m}[i_, i_] {op} {e}",
    "for i_ in range(len({m})):\n    for j_ in range({m}.shape[1]):\n        if i_ == j_:\n            continue\n"
    "        {m}[i_, j_] {op} {m}[j_ % len({m}), i_ % {m}.shape[1]] * {e}",
    "{a} = {m}[[0, 1], [1, 0]] * {e}\n{m}[[0, 1], [1, 0]] {op} {d}",
    "{m}[:, [0, 1]] = {m}[:, [1, 0]] * {e}",
    "{a} = np.einsum('ij,kj->ik', {m}, {m}) * {e}\n{m}[0] *= {d}",
    "{a} = {m}[:, None, :] * {m}[None, :, :]\n{b} = np.sum({a} * {e}, axis=2)",
    "{a} = np.sum(({u}[:, None] - {u}[None, :]) ** 2, axis=1) * {e}",
    "{a} = np.zeros(len({u}))\nfor i_ in range(len({u})):\n    for j_ in range(i_ + 1, len({u})):\n"
    "        f_ = ({u}[i_] - {u}[j_]) / (0.5 + ({u}[i_] - {u}[j_]) ** 2)\n        {a}[i_] += f_ * {e}\n"
    "        {a}[j_] -= f_",
)  # fmt: skip

_MASKS = (
    "k_ = {v} > {c}\n{v} *= {e}\n{v}[k_] = {d}\n{v}[~k_] *= {x}",
    "k_ = {v} > {c}\n{v}[k_] = {v}[k_] * {v}[k_]\n{a} = np.where(k_, {v}, {e})",
    "k_ = {v} > {c}\n{v}[k_] = {e}\nk_[0] = True\n{v}[k_] *= {d}",
    "k_ = {v} > {c}\n{a} = np.where(k_, {v}, {e})\n{v}[k_] = 0.0\n{a} *= {v}",
    "for i_ in range(2):\n    k_ = {v} > {c}\n    {v}[k_] *= {e}\n    {v}[0] += {d}",
    "for i_ in range(2):\n    {v}[...] = np.where({v} > {c}, {v} * {e}, {d})",
    "np.maximum({v}, {c}, out={v})\n{v} *= {e}",
    "np.multiply({v}, {v}, out={v})\n{v} += {e}",
    "np.exp(-({v} * {v}), out={v})",
    "np.subtract({e}, {v}, out={v})",
    "{v} **= 2",
    "{v} /= 1.5 + {v} * {v}",
    "{v} -= {v}[0]",
    "{v} *= {v}[-1]\n{v} += {v}[0] * {e}",
    "{v}[0] -= {v}[-1] * {v}[0]\n{v}[:] -= {v}[0]",
    "{u}[[0, 1]] += {u}[[1, 0]] * {e}",
    "{u}[[0, 0]] += {e}\n{u}[[1, 1]] = {d}",
    "{a} = {u}[{u} > {c}]\n{u}[0] *= {e}\n{b} = {a} * {d}",
    "{a} = np.sum({v}[{v} > {c}]) * {e}",
    "{a} = np.clip({v}, -{c}, 1.0) * {e}\n{v}[{v} > 1.0] = 1.0",
    "if np.any({v} > {c}):\n    {v} *= {e}\nelse:\n    {v} += {d}",
    "while np.max({v}) > {c}:\n    {v} *= 0.6\n    {x} += {e}",
    "for r_ in {m}:\n    if r_[0] > {c}:\n        continue\n    r_ *= {e}\n    if r_[-1] > 0.2:\n        break",
    "for i_ in range(len({m})):\n    if np.sum({m}[i_]) > {c}:\n        {m}[i_] = {m}[i_ - 1]\n    else:\n"
    "        {m}[i_] *= {e}",
    "{a} = np.array([v_ * {e} if v_ > {c} else {d} for v_ in {u}])",
    "{a} = np.diff({v}, axis=0) * {e}\n{v}[1:] = {a}",
    "{a} = np.cumsum({u})\n{u} *= {a} * {e}",
    "{a} = np.prod({u} + {c}) * {e}",
    "{a} = np.outer({u}, {u})\n{u} *= {a}[0] * {e}\n{a}[0] = {d}",
    "{a} = np.concatenate([{u}, {u}[::-1]])\n{u} *= {e}\n{a}[-1] *= {d}",
    "{a} = np.stack([{u}, {u} * {e}], axis=1)\n{a}[:, 0] *= {a}[:, 1]\n{u}[0] = {d}",
    "{a} = np.tile({u}, 2)\n{a}[1:] *= {a}[:-1]\n{u} += {e}",
    "{a} = np.roll({u}, {k})\n{u} *= {a} * {e}",
    "{a} = ({u}[1:] - {u}[:-1]) * {e}\n{u}[:-1] += {a}\n{u}[1:] -= {a}",
)  # fmt: skip

_CALLS = (
    "def {h}(a_, k_):\n    if k_ == 0:\n        return a_.sum()\n    return {h}(a_ * {c}, k_ - 1) + a_[0]\n"
    "{a} = {h}({u}, 2)",
    "def {h}(w_, k_):\n    if k_ < 1:\n        return w_\n    if w_ > {c}:\n        return {h}(w_ * 0.5, k_ - 1)\n"
    "    return w_ * {h}(w_ + 0.3, k_ - 2)\n{a} = {h}({e}, 4)",
    "def {h}():\n    n_ = 0\n    t_ = {e}\n    def g_(v_):\n        nonlocal n_, t_\n        n_ += 1\n"
    "        t_ = t_ * v_ + n_\n"
    "        return t_\n    for i_ in range(3):\n        {u}[i_ % len({u})] *= g_({u}[i_ % len({u})] * 0.3) * 0.2\n"
    "    return t_ * 0.1 * n_\n{a} = {h}()",
    "def {h}(a_, b_=0.5):\n    for i_ in range(len(a_)):\n        for j_ in range(2):\n"
    "            if a_[i_] * b_ > {c}:\n"
    "                return a_[i_], i_\n            a_[i_] += 0.2\n    return b_, -1\n{a}, k_ = {h}({u})\n"
    "{u}[k_] *= {e}",
    "def {h}(a_, b_):\n    a_ *= b_[0]\n    b_ += a_[0]\n    return a_, b_\n{a}, {b} = {h}({v}, {v} * {e})\n"
    "{a}[0] = {d}",
    "def {h}(a_, i_, j_):\n    a_[i_], a_[j_] = a_[j_], a_[i_] * {c}\n    return i_ + j_\nk_ = {h}({u}, 0, -1)\n"
    "{x} *= k_",
    "def {h}(a_, n_=2, *, s_=0.5):\n    while n_ > 0:\n        n_ -= 1\n        a_[n_ % len(a_)] *= s_\n"
    "        if a_[0] > {c}:\n            return a_.copy()\n    return a_\n{a} = {h}({v}, s_={e})\n{a}[0] {op} {d}",
    "def {h}(w_):\n    for i_ in range(4):\n        w_ = w_ * {c}\n        if w_ > 0.4:\n            continue\n"
    "        for j_ in range(3):\n            w_ += 0.2 * j_\n            if w_ > 0.9:\n                return w_, i_\n"
    "        else:\n            break\n    return w_ * {e}, 0\n{a}, k_ = {h}({d})\n{b} = {a} * k_",
    "def {h}(f_, a_):\n    return f_(a_) + f_(a_ * 0.5)\n{a} = {h}(lambda w_: np.sum(w_ * {e}), {v})",
    "def {h}(f_, w_, n_):\n    for i_ in range(n_):\n        w_ = w_ + 0.1 * f_(w_ + 0.05 * f_(w_, i_), i_)\n"
    "    return w_\n"
    "{a} = {h}(lambda w_, t_: w_ * {e} + t_, {u}, 2)",
    "def {h}(items_):\n    if len(items_) < 2:\n        return items_\n    p_ = items_[0]\n"
    "    return {h}([v_ for v_ in items_[1:] if v_ < p_]) + [p_] + {h}([v_ for v_ in items_[1:] if v_ >= p_])\n"
    "{a} = {h}([{e}, {d}, {x}])",
    "def {h}(a_):\n    def g_():\n        a_[0] *= {c}\n        return a_[-1:]\n    b_ = g_()\n    b_ += {e}\n"
    "    return g_()\n"
    "{a} = {h}({v})",
)  # fmt: skip

#: By what they are about, with a weight.
KERNELS: dict[str, tuple[float, tuple[str, ...]]] = {
    "slices": (1.3, _SLICES),
    "integers": (1.5, _INTEGERS),
    "states": (1.0, _STATES),
    "matrices": (0.8, _MATRICES),
    "masks": (1.0, _MASKS),
    "calls": (0.6, _CALLS),
}

#: Loops with a counter of their own: what is before, the header, at the beginning of the body and at its end.
LOOPS = (
    ("n_ = 0", "while n_ < 4:", "n_ += 1", ""),
    ("n_ = 0", "while n_ < 3:", "", "n_ += 1"),
    ("n_ = 3", "while n_ > 0:", "n_ -= 1", ""),
    ("n_ = 0", "while True:", "n_ += 1\nif n_ > 3:\n    break", ""),
    ("n_ = m_ = 0", "while n_ < 3 and m_ < 4:", "m_ += 1\nif {test}:\n    n_ += 1", ""),
    ("n_ = 0", "for m_ in range(4):", "", "n_ += m_"),
    ("n_ = 0", "for m_ in range(1, 4):", "n_ = m_ - 1 - n_", ""),
    ("n_ = 1", "for m_ in range(3):", "if {test}:\n    n_ += 1", ""),
    ("n_ = 1", "for m_ in range(3):", "if {test}:\n    n_ += 1\n    continue", "n_ += 2"),
    ("n_, m_ = 0, 1", "for i_ in range(3):", "n_, m_ = m_, n_ + m_", ""),
    ("n_ = 5", "while n_ > 1:", "n_ = n_ // 2 + n_ % 2", "if {test}:\n    break"),
    ("n_ = 0", "for m_ in range(3, 0, -1):", "n_ = (n_ + m_) % 3", "if {test}:\n    n_ = 0"),
)  # fmt: skip
