"""jvp of first_above, from programs.py:84."""


def first_above_jvp(x, bound, dx):
    if x <= 0.0:
        dresult = -dx
        x = -x
    else:
        t = None
        done = False
        dresult_1 = None
        for k in range(10):
            t_1 = 0.1 * k
            t_2 = 1.0 + t_1 * x
            x_1 = x * t_2
            dx = t_2 * dx + x * (t_1 * dx)
            if x_1 > bound:
                dresult_1 = 2.0 * (x_1 * dx)
                x = x_1
                t = x_1 * x_1
                done = True
                break
            x = x_1
        if done:
            x = t
            dx = dresult_1
        dresult = dx
    return x, dresult
