"""Loops and branches of small work: JAX on the plugin beside JAX on its builtin CPU, interleaved, in one process.

    PJRT_NAMES_AND_LIBRARY_PATHS=flambeau:build/libflambeau_pjrt.so JAX_PLATFORMS=flambeau,cpu python bench/loops.py [NAME...]

Prints for each program the first call (compiled), the best and the median call in milliseconds, the median of the ratios of
neighbouring calls with its quartiles (above 1: the plugin is faster), and the largest difference of the results.
"""

import statistics
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np


def scan60():
    """A state of 60 scalars, 614 steps of 300 operations."""
    count = 60

    def body(state, x):
        state = list(state)
        for i in range(count):
            a, b = state[i], state[(i + 1) % count]
            y = a * 0.9 + b * 0.1
            state[i] = jnp.tanh(y + x * 0.01) if i % 10 == 0 else y - jnp.minimum(a, x) * 0.01
        return tuple(state), state[0] + state[count // 2]

    return lambda state, xs: jax.lax.scan(body, state, xs), (
        tuple(jnp.float32(i * 0.1) for i in range(count)),
        jnp.linspace(0, 1, 614),
    )


def recurrent():
    """100 steps of tanh(h @ w + x @ u), 8 x 64."""

    def f(h, xs, w, u):
        def body(h, x):
            h = jnp.tanh(h @ w + x @ u)
            return h, h

        return jax.lax.scan(body, h, xs)

    normal = np.random.RandomState(0).randn
    arrays = (normal(100, 8, 64), normal(64, 64) * 0.1, normal(64, 64) * 0.1)
    return f, (jnp.zeros((8, 64)), *(jnp.asarray(a, jnp.float32) for a in arrays))


def elements():
    """1000 elements of an array, updated one after another."""

    def step(i, x):
        return x.at[i].set(jnp.sin(x[i]) + x[(i + 1) % 1000] * 0.5)

    return lambda x: jax.lax.fori_loop(0, 1000, step, x), (jnp.linspace(0, 1, 1000),)


def nested():
    """Loops in a loop, with a branch, over 256 elements."""

    def inner(state):
        j, y = state
        return j + 1, jnp.where(j % 2 == 0, y * 1.01, y - 0.01)

    def outer(state):
        i, x = state
        _, x = jax.lax.while_loop(lambda s: s[0] < i % 7, inner, (0, x))
        return i + 1, jax.lax.cond(i % 3 == 0, lambda x: x + 1, lambda x: x * 0.5, x)

    return lambda x: jax.lax.while_loop(lambda s: s[0] < 100, outer, (0, x)), (jnp.linspace(0, 1, 256),)


PROGRAMS = {f.__name__: f for f in (scan60, recurrent, elements, nested)}


def call(f, arguments):
    start = time.perf_counter()
    result = jax.block_until_ready(f(*arguments))
    return (time.perf_counter() - start) * 1e3, result


def measure(name: str) -> None:
    function, arguments = PROGRAMS[name]()
    sides = {}
    for platform in ("cpu", "flambeau"):
        compiled = jax.jit(function)
        there = jax.device_put(arguments, jax.devices(platform)[0])
        cold, result = call(compiled, there)
        sides[platform] = compiled, there, cold, jax.tree_util.tree_leaves(result), []
    for _ in range(101):
        for compiled, there, _, _, times in sides.values():
            times.append(call(compiled, there)[0])
    builtin, ours = sides["cpu"], sides["flambeau"]
    ratios = statistics.quantiles([b / o for b, o in zip(builtin[4], ours[4], strict=True)], n=4)
    error = max(float(np.max(np.abs(np.asarray(x) - np.asarray(y)))) for x, y in zip(builtin[3], ours[3], strict=True))
    for platform, (_, _, cold, _, times) in sides.items():
        print(f"{name:10} {platform:9} first {cold:8.1f}  best {min(times):8.3f}  median {statistics.median(times):8.3f}")
    print(f"{name:10} ratio {ratios[1]:.2f} ({ratios[0]:.2f} to {ratios[2]:.2f}), difference {error:.2g}", flush=True)


if __name__ == "__main__":
    for program in sys.argv[1:] or PROGRAMS:
        measure(program)
