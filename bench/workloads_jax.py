"""The work of workloads.py for JAX, from the same numbers. Every function gives what runs once and waits."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

Work = Callable[[], Any]
HEADS = 8


def _array(tensor: Tensor) -> Any:
    import jax.numpy as jnp

    if tensor.dtype == torch.bfloat16:
        return jnp.asarray(tensor.float().numpy()).astype(jnp.bfloat16)
    return jnp.asarray(tensor.detach().numpy())


def _work(function: Callable[..., Any], *inputs: Tensor) -> Work:
    import jax

    compiled, arrays = jax.jit(function), [_array(x) for x in inputs]
    return lambda: compiled(*arrays).block_until_ready()


def _norm(x: Any, weight: Any, bias: Any) -> Any:
    import jax

    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * weight + bias


def _gpt(p: Mapping[str, Any], tokens: Any) -> Any:
    """The model of workloads.GPT; its parameters by their names there."""
    import jax
    import jax.numpy as jnp

    def linear(x: Any, name: str) -> Any:
        return x @ p[name + ".weight"].T + p[name + ".bias"]

    def norm(x: Any, name: str) -> Any:
        return _norm(x, p[name + ".weight"], p[name + ".bias"])

    n, t = tokens.shape
    x = p["tokens.weight"][tokens] + p["places.weight"][jnp.arange(t)]
    d = x.shape[-1]
    mask = jnp.tril(jnp.ones((t, t), bool))
    for i in range(1 + max(int(name.split(".")[1]) for name in p if name.startswith("blocks."))):
        b = f"blocks.{i}."
        q, k, v = linear(norm(x, b + "norm1"), b + "qkv").reshape(n, t, 3, HEADS, d // HEADS).transpose(2, 0, 3, 1, 4)
        scores = jnp.where(mask, jnp.einsum("nhtd,nhsd->nhts", q, k) / math.sqrt(d // HEADS), -1e30)
        a = jnp.einsum("nhts,nhsd->nhtd", jax.nn.softmax(scores, -1), v).swapaxes(1, 2).reshape(n, t, d)
        x = x + linear(a, b + "out")
        x = x + linear(jax.nn.gelu(linear(norm(x, b + "norm2"), b + "up")), b + "down")
    return norm(x, "norm") @ p["head.weight"].T


def gpt_infer(state: Mapping[str, Tensor], tokens: Tensor) -> Work:
    import jax

    p, ids, run = {name: _array(t) for name, t in state.items()}, _array(tokens), jax.jit(_gpt)
    return lambda: run(p, ids).block_until_ready()


def gpt_train(state: Mapping[str, Tensor], x: Tensor, y: Tensor) -> Work:
    import jax
    import jax.numpy as jnp

    def loss(p: Any, x: Any, y: Any) -> Any:
        logs = jax.nn.log_softmax(_gpt(p, x))
        return -jnp.take_along_axis(logs, y[..., None], -1).mean()

    def step(p: Any, m: Any, v: Any, count: Any, x: Any, y: Any) -> Any:
        value, g = jax.value_and_grad(loss)(p, x, y)
        count = count + 1
        m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
        v = jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b * b, v, g)

        def update(p: Any, m: Any, v: Any) -> Any:
            rate = 1e-3 / (1 - 0.9**count)
            return p * (1 - 1e-5) - rate * m / (jnp.sqrt(v) / jnp.sqrt(1 - 0.999**count) + 1e-8)

        return value, jax.tree.map(update, p, m, v), m, v, count

    p = {name: _array(t) for name, t in state.items()}
    now = [p, jax.tree.map(jnp.zeros_like, p), jax.tree.map(jnp.zeros_like, p), jnp.float32(0)]
    data, run = (_array(x), _array(y)), jax.jit(step, donate_argnums=(0, 1, 2, 3))

    def work() -> Any:
        value, *now[:] = run(*now, *data)
        return value.block_until_ready()

    return work


def mlp_train(state: Mapping[str, Tensor], x: Tensor) -> Work:
    import jax
    import jax.numpy as jnp

    def loss(p: Any, x: Any) -> Any:
        for i in range(0, 16, 2):
            x = jnp.tanh(x @ p[f"{i}.weight"].T + p[f"{i}.bias"])
        return (x**2).mean()

    def step(p: Any, m: Any, x: Any) -> Any:
        value, g = jax.value_and_grad(loss)(p, x)
        m = jax.tree.map(lambda a, b: 0.9 * a + b, m, g)
        return value, jax.tree.map(lambda a, b: a - 0.01 * b, p, m), m

    p = {name: _array(t) for name, t in state.items()}
    now, rows, run = [p, jax.tree.map(jnp.zeros_like, p)], _array(x), jax.jit(step, donate_argnums=(0, 1))

    def work() -> Any:
        value, *now[:] = run(*now, rows)
        return value.block_until_ready()

    return work


def chain(x: Tensor, y: Tensor) -> Work:
    import jax
    import jax.numpy as jnp

    return _work(lambda x, y: jax.nn.relu((jnp.exp(jax.nn.sigmoid(jnp.tanh(x * y + 1.5) * x - y * 0.3)) + x) * y - 1), x, y)


def softmax(x: Tensor) -> Work:
    import jax

    return _work(lambda x: jax.nn.softmax(x * 0.125, -1), x)


def norm_gelu(x: Tensor, weight: Tensor, bias: Tensor) -> Work:
    import jax

    return _work(lambda x, w, b: jax.nn.gelu(_norm(x, w, b), approximate=False), x, weight, bias)


def matmul(x: Tensor, y: Tensor) -> Work:
    return _work(lambda x, y: x @ y, x, y)
