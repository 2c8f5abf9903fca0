"""jvp of horner, from programs.py:111."""


def horner_jvp(x, kind, dx):
    if kind == "sine":
        t = 0.0
        t_1 = 1.0
        t_2 = 0.0
        t_3 = -1.0 / 6.0
    else:
        t = 1.0
        t_1 = 0.0
        t_2 = -0.5
        t_3 = 0.0
    dvalue = dx * 0.0
    value = 0.0 * x + t_3
    dvalue = x * dvalue + value * dx
    value = value * x + t_2
    dvalue = x * dvalue + value * dx
    value = value * x + t_1
    dvalue = x * dvalue + value * dx
    value = value * x + t
    return value, dvalue
