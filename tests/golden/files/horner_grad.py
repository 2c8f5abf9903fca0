"""grad of horner, from programs.py:111."""


def horner_grad(x, kind):
    if kind == "sine":
        t = 1.0
        t_1 = 0.0
        t_2 = -1.0 / 6.0
    else:
        t = 0.0
        t_1 = -0.5
        t_2 = 0.0
    value = 0.0 * x + t_2
    value_1 = value * x + t_1
    # value = value * x + c
    t_1 = x * x
    bx = 2.0 * (value_1 * x) + t
    bx += t_1 * value
    bx += t_1 * x * 0.0
    return bx
