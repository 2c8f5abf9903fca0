"""The probability of a sequence under a hidden Markov model, by the forward pass.

Run ``python -m examples.hmm``.
"""

import numpy as np


def softmax(logits):
    """Exponentials along the last axis, scaled to add to one."""
    e = np.exp(logits - np.max(logits, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def forward(initial, transition, emission, observed):
    """The log-probability of the observed symbols; probabilities are rescaled at every step."""
    alpha = initial * emission[:, observed[0]]
    scale = np.sum(alpha)
    alpha = alpha / scale
    log_probability = np.log(scale)
    for symbol in observed[1:]:
        alpha = (alpha @ transition) * emission[:, symbol]
        scale = alpha.sum()
        alpha /= scale
        log_probability += np.log(scale)
    return log_probability


def forward_logits(params, observed):
    """The same as a function of a dict of unconstrained logits."""
    initial = softmax(params["initial"])
    transition = softmax(params["transition"])
    emission = softmax(params["emission"])
    return forward(initial, transition, emission, observed)


def make_problem(states=3, symbols=4, length=12, seed=0):
    """Return random logits and a sequence."""
    rng = np.random.default_rng(seed)
    params = {
        "initial": rng.normal(size=states),
        "transition": rng.normal(size=(states, states)),
        "emission": rng.normal(size=(states, symbols)),
    }
    return params, rng.integers(0, symbols, size=length)


def main():
    """Make the sequence as probable as a small model can."""
    from s2sad import value_and_grad

    params, observed = make_problem()
    ascend = value_and_grad(forward_logits)
    for step in range(101):
        value, gradient = ascend(params, observed)
        if step % 25 == 0:
            print(f"step {step:3d}  log-probability {value:.4f}")
        params = {name: params[name] + 0.2 * gradient[name] for name in params}


if __name__ == "__main__":
    main()
