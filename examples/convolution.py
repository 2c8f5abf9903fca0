"""A convolutional layer written with loops over the output's pixels, then ReLU and max-pooling.

Run ``python -m examples.convolution``.
"""

import numpy as np


def relu(x):
    """The positive part."""
    return np.maximum(x, 0.0)


def conv2d(images, weights):
    """Correlate (batch, height, width, channels) images with (k, k, channels, out) weights, without padding."""
    K = weights.shape[0]
    N = images.shape[0]
    H_out = images.shape[1] - K + 1
    W_out = images.shape[2] - K + 1
    C_out = weights.shape[3]
    output = np.empty((N, H_out, W_out, C_out), dtype=images.dtype)
    for i in range(H_out):
        for j in range(W_out):
            output[:, i, j, :] = np.sum(
                images[:, i : i + K, j : j + K, :, np.newaxis] * weights[np.newaxis, :, :, :], axis=(1, 2, 3)
            )
    return output


def maxpool2d(x):
    """The largest of each 2 by 2 block."""
    output = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            output[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return output


def conv2d_bias(images, weights, bias):
    """The layer with its bias."""
    return conv2d(images, weights) + bias


def layer_loss(images, weights, bias, target):
    """Half the squared distance of the layer's output from a target."""
    return 0.5 * np.sum((conv2d_bias(images, weights, bias) - target) ** 2)


def pooled_loss(images, weights, bias):
    """The sum of squares after ReLU and pooling."""
    return np.sum(maxpool2d(relu(conv2d_bias(images, weights, bias))) ** 2)


def make_problem(seed=0):
    """Return images, weights, bias and a target of the shape of the output."""
    rng = np.random.default_rng(seed)
    images = rng.normal(size=(2, 7, 6, 3))
    weights = rng.normal(size=(3, 3, 3, 4))
    return images, weights, rng.normal(size=4), rng.normal(size=(2, 5, 4, 4))


def main():
    """Fit the weights to the target by gradient descent."""
    from s2sad import value_and_grad

    images, weights, bias, target = make_problem()
    fit = value_and_grad(layer_loss, wrt=("weights", "bias"))
    for step in range(31):
        value, (d_weights, d_bias) = fit(images, weights, bias, target)
        weights, bias = weights - 0.005 * d_weights, bias - 0.005 * d_bias
        if step % 10 == 0:
            print(f"step {step:2d}  loss {value:.4f}")


if __name__ == "__main__":
    main()
