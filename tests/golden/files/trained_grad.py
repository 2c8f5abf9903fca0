"""grad of trained, from programs.py:60."""


def trained_grad(w, rate):
    tape = []
    for _ in range(3):
        t = w * w - 2.0
        tape.append((w, t))
        # lambda v: (v * v - 2.0) ** 2
        bw = 2.0 * (2 * t * w)
        w -= rate * bw
    bw = 1.0
    brate = 0.0
    for w, t in reversed(tape):
        t *= 2
        bw_1 = 2.0 * (t * w)
        # w = w - rate * grad(lambda v: (v * v - 2.0) ** 2)(w)
        b = -bw
        b_1 = b * rate
        brate += b * bw_1
        # lambda v: (v * v - 2.0) ** 2
        b = b_1 * t
        bw += b
        bw += b
        b = 4.0 * (b_1 * w) * w
        bw += b
        bw += b
    return bw, brate
