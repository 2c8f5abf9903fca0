"""grad of horner, from programs.py:111."""


def horner_grad(x, kind="sine"):
    if kind == "sine":
        coefficients = 1.0
        coefficients_1 = 0.0
        coefficients_2 = -1.0 / 6.0
    else:
        coefficients = 0.0
        coefficients_1 = -0.5
        coefficients_2 = 0.0
    value = 0.0 * x + coefficients_2
    value_1 = value * x + coefficients_1
    t = value_1 * x
    value_1 = t + coefficients
    # value = value * x + c
    t_1 = x * x
    bx = t + value_1
    bx += t_1 * value
    bx += t_1 * x * 0.0
    return bx
