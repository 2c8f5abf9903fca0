"""jvp of newton, from programs.py:72."""


def newton_jvp(a, da):
    dx = da * 0.5
    x = 1.0 + 0.5 * a
    steps = 0
    while True:
        t = 2.0 * x
        change = (x * x - a) / t
        dchange = (2.0 * (x * dx) - da) / t - change / t * (dx * 2.0)
        x -= change
        dx -= dchange
        steps += 1
        if abs(change) < 1e-12 or steps == 50:
            break
    return x, dx
