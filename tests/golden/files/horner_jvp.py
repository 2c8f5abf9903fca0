"""jvp of horner, from programs.py:111."""


def horner_jvp(x, kind, dx):
    if kind == "sine":
        coefficients = 0.0
        coefficients_1 = 1.0
        coefficients_2 = 0.0
        coefficients_3 = -1.0 / 6.0
    else:
        coefficients = 1.0
        coefficients_1 = 0.0
        coefficients_2 = -0.5
        coefficients_3 = 0.0
    dvalue = dx * 0.0
    value = 0.0 * x + coefficients_3
    dvalue = x * dvalue + value * dx
    value = value * x + coefficients_2
    dvalue = x * dvalue + value * dx
    value = value * x + coefficients_1
    dvalue = x * dvalue + value * dx
    value = value * x + coefficients
    return value, dvalue
