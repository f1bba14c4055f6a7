"""Writes complex_values.inc: values of complex functions computed with mpmath, each part rounded to double.

Run: python tests/base/complex_values.py > tests/base/complex_values.inc
"""
import math
import random

import mpmath as mp

mp.mp.prec = 4500  # 1 + x keeps all of x down to the smallest double, and so does its square
random.seed(1)


def signed(x):
    return random.choice((-x, x))


def near(x, digits=52):
    """A little above or below x."""
    return x * (1 + signed(2 ** random.uniform(-digits, -2)))


def magnitude(low, high):
    return signed(2 ** random.uniform(low, high))


def turned(r, about=0.0):
    angle = random.uniform(-math.pi, math.pi)
    return complex(about + r * math.cos(angle), r * math.sin(angle))


def points(count):
    for _ in range(count):
        yield complex(magnitude(-1060, 1020), magnitude(-1060, 1020))
        yield complex(magnitude(-30, 9), magnitude(-30, 9))
        yield complex(random.uniform(-3, 3), random.uniform(-3, 3))
        yield turned(near(1.0))
        yield turned(near(1.0), -1.0)
        yield complex(signed(near(1.0)), magnitude(-60, -1))
        yield complex(magnitude(-60, -1), signed(near(1.0)))
        y = magnitude(-20, 0)
        yield complex(-y * y / 2 * near(1.0, 30), y)
        yield complex(magnitude(-40, 4), random.randint(-40, 40) * math.pi / 2)
        yield complex(random.randint(-40, 40) * math.pi / 2, magnitude(-40, 4))
    yield from (complex(x, y) for x in (0.5, 2, -0.5, -2) for y in (0.0,))
    yield complex(5e-324, -5e-324)


def literal(x):
    return "INFINITY" if x == math.inf else "-INFINITY" if x == -math.inf else x.hex()


def pair(z):
    return f"{{{literal(z.real)}, {literal(z.imag)}}}"


def row(name, value, a, b=0j):
    want = complex(mp.re(value), mp.im(value))
    print(f"ROW({name}, {pair(a)}, {pair(b)}, {pair(want)}),")


def expm1(z):
    return mp.exp(z) - 1


unary = {
    "square": lambda z: z * z,
    "sqrt": mp.sqrt,
    "rsqrt": lambda z: 1 / mp.sqrt(z),
    "cbrt": lambda z: mp.exp(mp.log(z) / 3),
    "sign": lambda z: z / abs(z),
    "log": mp.log,
    "log1p": lambda z: mp.log(1 + z),
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": mp.atan,
    "asinh": mp.asinh,
    "acosh": mp.acosh,
    "atanh": mp.atanh,
    "exp": mp.exp,
    "expm1": expm1,
    "logistic": lambda z: 1 / (1 + mp.exp(-z)),
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
}
binary = {
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "power": lambda a, b: mp.exp(b * mp.log(a)),
    "atan2": lambda y, x: -1j * mp.log((x + 1j * y) / mp.sqrt(x * x + y * y)),
}

for name, function in unary.items():
    for z in points(6):
        # mpmath must be able to hold the exponential, and on a cut it takes the side of +0
        large = {"sin": z.imag, "cos": z.imag, "tan": z.imag}.get(name, z.real)
        if name in list(unary)[13:] and abs(large) > 1e4:
            continue
        if z.imag == 0 and (name in ("acos", "asin", "atanh") and z.real > 1):
            continue  # mpmath is continuous with the other side there
        row(name, function(mp.mpc(z)), z)
for name, function in binary.items():
    for a, b in zip(points(5), reversed(list(points(5)))):
        if name == "power":
            b = complex(magnitude(-8, 5), magnitude(-8, 5))
        row(name, function(mp.mpc(a), mp.mpc(b)), a, b)
for n in (2, 3, -1, -2, 7, 0.5, 1 / 3):
    for a in (1 + 2j, 3j, -0.1 + 1e-3j, -2 + 1e-200j):
        row("power", mp.mpc(a) ** mp.mpf(n), a, complex(n, 0))
