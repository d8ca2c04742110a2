#!/usr/bin/env python3
# Fits the coefficients of engine/kernels/exp-inl.hpp and engine/kernels/normal_tail-inl.hpp.
# Needs numpy and mpmath (scripts/requirements-reference.txt). Prints the coefficients, lowest power
# first, as they stand in those files, and the largest relative error of each fit before rounding to f32.
import mpmath
import numpy as np

mpmath.mp.dps = 40


def minimax(target, weight, numerator, denominator, low, high, rounds=400, points=4000):
    """Rational p/q with q[0] = 1 that nearly minimizes max |weight * (p/q - target)| on [low, high].

    Lawson's reweighting around the linearized least-squares problem of Loeb."""
    at = 0.5 * (low + high) - 0.5 * (high - low) * np.cos(np.pi * np.arange(points) / (points - 1))
    f = np.array([float(target(mpmath.mpf(x))) for x in at])
    w = np.array([float(weight(mpmath.mpf(x))) for x in at])
    lawson = np.ones(points)
    q_before = np.ones(points)
    best = (np.inf, None, None)
    for _ in range(rounds):
        columns = [at**k for k in range(numerator + 1)]
        columns += [-f * at**k for k in range(1, denominator + 1)]
        scale = np.sqrt(lawson) * w / q_before
        matrix = np.stack(columns, 1) * scale[:, None]
        norms = np.linalg.norm(matrix, axis=0)
        solution = np.linalg.lstsq(matrix / norms, f * scale, rcond=None)[0] / norms
        p, q = solution[: numerator + 1], np.concatenate([[1.0], solution[numerator + 1 :]])
        q_before = np.polyval(q[::-1], at)
        error = np.abs(w * (np.polyval(p[::-1], at) / q_before - f))
        if error.max() < best[0]:
            best = (error.max(), p, q)
        lawson = lawson * error
        lawson /= lawson.mean()
    return best


def show(name, result):
    error, p, q = result
    print(f"{name}: largest relative error {error:.3g} = {error * 2**24:.3g} x 2^-24")
    print("  numerator  ", ", ".join(f"{np.float32(c)!s}f" for c in p))
    if len(q) > 1:
        print("  denominator", ", ".join(f"{np.float32(c)!s}f" for c in q))


# exp(r) = 1 + r + r^2 q(r) for |r| <= ln(2)/2 (a little more: the reduction rounds).
half = float(mpmath.log(2)) / 2 * 1.0001
show("exp", minimax(
    lambda r: (mpmath.expm1(r) - r) / r**2 if r != 0 else mpmath.mpf(0.5),
    lambda r: r**2 / mpmath.exp(r), 4, 0, -half, half))

# Phi(-a) = exp(-a^2/2) p(a)/q(a) for 0 <= a <= 12.7, beyond which the kernel returns 0.
show("normal tail", minimax(
    lambda a: mpmath.exp(a**2 / 2) * mpmath.erfc(a / mpmath.sqrt(2)) / 2,
    lambda a: 2 / (mpmath.exp(a**2 / 2) * mpmath.erfc(a / mpmath.sqrt(2))), 4, 5, 0.0, 12.7))

# 2^r = p(r) for |r| <= 1/2, of exp2_scaled_or_zero.
show("exp2", minimax(lambda r: mpmath.power(2, r), lambda r: mpmath.power(2, -r), 6, 0, -0.5, 0.5))
