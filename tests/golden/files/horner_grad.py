"""grad of horner, from programs.py:111."""


def horner_grad(x, kind="sine"):
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
    t_1 = value_1 * x
    value_1 = t_1 + t
    # value = value * x + c
    t = x * x
    bx = t_1 + value_1
    bx += t * value
    bx += t * x * 0.0
    return bx
