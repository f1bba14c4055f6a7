#!/usr/bin/env python3
"""Prints src/opt/chlo_tables.h: polynomials of the special functions that CHLO's legalisation writes out.

    python tools/chlo_tables.py > src/opt/chlo_tables.h     (needs mpmath; takes a minute)

Each function is approximated on an interval by its Chebyshev interpolant of the lowest degree whose relative error is
below 2^-27 (for f32) or 2^-56 (for f64), and written in powers of u, which runs from -1 to 1 over the interval.
"""

import mpmath as mp

LIMITS = {"f32": mp.mpf(2) ** -27, "f64": mp.mpf(2) ** -56}
MOST = 60


def interpolant(f, low, high, degree):
    """Chebyshev coefficients of f on [low, high], lowest order first."""
    n = degree + 1
    nodes = [mp.cos(mp.pi * (k + mp.mpf(1) / 2) / n) for k in range(n)]
    values = [f((high - low) / 2 * x + (high + low) / 2) for x in nodes]
    series = []
    for j in range(n):
        waves = (v * mp.cos(j * mp.pi * (k + mp.mpf(1) / 2) / n) for k, v in enumerate(values))
        series.append(2 / mp.mpf(n) * mp.fsum(waves))
    series[0] /= 2
    return series


def powers(series):
    """The same polynomial in powers of u, highest first."""
    out = [mp.mpf(0)] * len(series)
    before, now = [mp.mpf(0)], [mp.mpf(1)]
    for k, c in enumerate(series):
        for i, v in enumerate(now):
            out[i] += c * v
        following = [mp.mpf(0)] + [(2 if k else 1) * v for v in now]
        for i, v in enumerate(before):
            following[i] -= v if k else 0
        before, now = now, following
    return out[::-1]


def error(f, low, high, poly):
    worst = mp.mpf(0)
    for i in range(301):
        u = mp.mpf(i) / 150 - 1
        want = f((high - low) / 2 * u + (high + low) / 2)
        worst = max(worst, abs(mp.polyval(poly, u) / want - 1))
    return worst


def fit(name, f, low, high, kind):
    low, high = mp.mpf(low), mp.mpf(high)
    for degree in range(3, MOST):
        poly = powers(interpolant(f, low, high, degree))
        worst = error(f, low, high, poly)
        if worst < LIMITS[kind]:
            digits = 10 if kind == "f32" else 20
            numbers = ", ".join(mp.nstr(c, digits, min_fixed=0, max_fixed=0) for c in poly)
            print(f"/* relative error {mp.nstr(worst, 2)} */")
            print(f"static const double {name}_{kind}[{degree + 1}] = {{{numbers}}};")
            return
    raise SystemExit(f"{name}: no polynomial of degree below {MOST}")


def erf_part(t):
    """erf(x) / x - 1 of t = x^2."""
    return mp.erf(mp.sqrt(t)) / mp.sqrt(t) - 1 if t > 1e-40 else 2 / mp.sqrt(mp.pi) - 1


def erfc_part(t):
    """exp(a^2) erfc(a) (1 + 2 a) of t = (a - 4) / (a + 4)."""
    a = 4 * (1 + t) / (1 - t)
    return mp.exp(a * a) * mp.erfc(a) * (1 + 2 * a)


def erf_inv_part(w):
    """erf_inv(x) / x of w = -log(1 - x^2)."""
    x = max(mp.sqrt(-mp.expm1(-w)) if w > 0 else mp.mpf(0), mp.mpf(10) ** -25)
    return mp.erfinv(x) / x


def lgamma_part(zero):
    limit = -mp.euler if zero == 1 else 1 - mp.euler
    return lambda y: mp.loggamma(zero + y) / y if abs(y) > 1e-15 else limit


ROOT = mp.findroot(mp.digamma, 1.46)


def digamma_part(x):
    return mp.digamma(x) / (x - ROOT) if abs(x - ROOT) > 1e-12 else mp.psi(1, ROOT)


def bessel_small(x):
    return mp.exp(-x) * mp.besseli(1, x) / x if x > 1e-20 else mp.mpf(1) / 2


def bessel_large(t):
    return mp.sqrt(1 / t) * mp.exp(-1 / t) * mp.besseli(1, 1 / t) if t > 1e-6 else 1 / mp.sqrt(2 * mp.pi)


def main():
    mp.mp.dps = 50
    print("/* Made by tools/chlo_tables.py, which says what these are: powers of u, highest first. */")
    print("#ifndef FL_OPT_CHLO_TABLES_H\n#define FL_OPT_CHLO_TABLES_H\n")
    print("/* clang-format off */")
    for kind in LIMITS:
        most = {"f32": mp.mpf("10.5"), "f64": mp.mpf(28)}[kind]
        fit("erf", erf_part, 0, 1, kind)
        fit("erfc", erfc_part, (mp.mpf("0.5") - 4) / mp.mpf("4.5"), (most - 4) / (most + 4), kind)
        middle = {"f32": 5, "f64": mp.mpf("6.25")}[kind]
        fit("erf_inv", erf_inv_part, 0, middle, kind)
        high = {"f32": mp.mpf("16.7"), "f64": 16}[kind]
        root = mp.sqrt
        fit("erf_inv_tail", lambda s: erf_inv_part(s * s), root(middle), root(high), kind)
        if kind == "f64":
            fit("erf_inv_end", lambda s: erf_inv_part(s * s), 4, root(mp.mpf("36.8")), kind)
        fit("lgamma1", lgamma_part(1), -0.5, 0.5, kind)
        fit("lgamma2", lgamma_part(2), -0.5, 0.5, kind)
        fit("lgamma3", lambda x: mp.loggamma(x) / (x - 2), 2.5, 8, kind)
        fit("digamma", digamma_part, 1, 4, kind)
        fit("bessel_small", bessel_small, 0, 8, kind)
        fit("bessel_large", bessel_large, 0, 0.125, kind)
    print("/* clang-format on */\n\n#endif")


if __name__ == "__main__":
    main()
