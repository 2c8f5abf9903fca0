"""grad of newton, from programs.py:72."""


def newton_grad(a):
    x_tape = []
    x = 1.0 + 0.5 * a
    steps = 0
    while True:
        x_tape.append(x)
        change = (x * x - a) / (2.0 * x)
        x -= change
        steps += 1
        if abs(change) < 1e-12 or steps == 50:
            break
    bx = 1.0
    ba = 0.0
    for x in reversed(x_tape):
        t = 2.0 * x
        change = (x * x - a) / t
        # change = (x * x - a) / (2.0 * x)
        b = bx / t
        bx += b * change * 2.0
        ba += b
        b *= x
        bx -= b
        bx -= b
    # x = 1.0 + 0.5 * a
    ba += bx * 0.5
    return ba
