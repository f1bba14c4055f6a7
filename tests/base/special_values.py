"""Writes special_values.inc: values of special functions computed with mpmath and rounded to double.

Run: python tests/base/special_values.py > tests/base/special_values.inc
"""
import random

import mpmath as mp

mp.mp.dps = 400  # mp.zeta works to an absolute precision, and its values here go down to 1e-300
random.seed(1)


def spread(low, high, count):
    """`count` magnitudes spread evenly on a logarithmic scale."""
    return [low * (high / low) ** random.random() for _ in range(count)]


def both(values):
    return [sign * v for v in values for sign in (1, -1)]


def row(name, function, *args):
    value = function(*[mp.mpf(a) for a in args])
    second = float(args[1]).hex() if len(args) > 1 else "0"
    print(f"{{{name}, {float(args[0]).hex()}, {second}, {float(value).hex()}}},")


def hurwitz(s, q):
    """mp.zeta(s, q) continues analytically; below zero the sum over k is meant: q rises to positive term by term."""
    total = mp.mpf(0)
    while q < 0:
        total += 1 / q ** s
        q += 1
    return total + mp.zeta(s, q)


for x in both(spread(1e-8, 40, 40)) + [1e5, 1e300, 1.4616321449683623, 1.46, 1.47, 2, 1, 0.5, 16, 3e-300, -1000.25]:
    row("digamma", mp.digamma, x)
for s in spread(1.0001, 60, 8) + [2, 3, 4, 1.5]:
    for q in spread(1e-3, 1e6, 6) + [1, 0.5]:
        row("zeta", mp.zeta, s, q)
for s in (2, 3, 4, 7):
    for q in (-0.5, -0.25, -3.75, -20.125, -100.5):
        row("zeta", hurwitz, s, q)
for n in (1, 2, 3, 5, 10, 30):
    for x in spread(1e-2, 1e4, 5) + [1, 0.5, 3]:
        row("polygamma", lambda n, x: mp.polygamma(int(n), x), n, x)
for x in both(spread(1e-300, 1e-5, 4) + spread(1e-5, 0.999, 30)) + [0.5, 0.499999, 1 - 2**-53, 1 - 2**-30, 1e-4, 9.9e-5, 0.9999]:
    row("erf_inv", mp.erfinv, x)
for x in both(spread(1e-8, 700, 30)) + [35.9, 36, 36.1, 0]:
    row("bessel_i0", lambda x: mp.besseli(0, x), x)
    row("bessel_i1", lambda x: mp.besseli(1, x), x)
    row("bessel_i0e", lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), x)
    row("bessel_i1e", lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), x)
for x in (1e4, 1e10, 1e300):  # the asymptotic series is exact enough here
    row("bessel_i0e", lambda x: (1 + 1 / (8 * x) + mp.mpf(9) / (128 * x**2) + mp.mpf(225) / (3072 * x**3)
                                 + mp.mpf(11025) / (98304 * x**4)) / mp.sqrt(2 * mp.pi * x), x)
for x in both(spread(1e-8, 30, 20)) + [1e5, 1e300]:
    row("lgamma", lambda x: mp.log(abs(mp.gamma(x))) if x < 1e4 else mp.loggamma(x), x)
