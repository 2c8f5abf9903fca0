"""grad of burgers, from programs.py:210."""


def burgers_grad(u, steps, c):
    u = u.copy()
    tape = []
    for _ in range(steps):
        t = u[1:-1]
        t_1 = c * t
        t_2 = u[2:] - u[:-2]
        u_old = t.copy()
        u[1:-1] = t - t_1 * t_2
        tape.append((t_1, t_2, u_old))
    # return np.sum(u**2)
    bu = 2 * u
    bc = 0.0
    for t_1, t_2, u_old in reversed(tape):
        t = u[1:-1]
        # u[1:-1] = u[1:-1] - c * u[1:-1] * (u[2:] - u[:-2])
        t_3 = bu[1:-1]
        u[1:-1] = u_old
        t_3 = -t_3
        t_2 = t_3 * t_2
        t_1 = t_3 * t_1
        bu[2:] += t_1
        bu[:-2] -= t_1
        bc += t_2 @ t
        bu[1:-1] += t_2 * c
    return bu, bc
