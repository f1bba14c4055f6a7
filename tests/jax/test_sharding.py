"""JAX on eight devices of the plugin: sharded programs against JAX's own eight CPU devices, values and shardings.

Needs a process of its own, as the number of devices is said when JAX starts: python -m pytest tests/jax/test_sharding.py
"""

import os
import subprocess
import sys
import threading
from functools import partial

import numpy as np
import pytest
from plugin_library import plugin_path

PLUGIN = plugin_path()
if PLUGIN is None:
    pytest.skip("no libflambeau_pjrt.so: FL_PLUGIN does not name it, no package has it", allow_module_level=True)
if "jax" in sys.modules and os.environ.get("FL_DEVICES") != "8":
    pytest.skip("JAX runs with fewer devices: this file needs a process of its own", allow_module_level=True)
os.environ["PJRT_NAMES_AND_LIBRARY_PATHS"] = f"flambeau:{os.path.abspath(PLUGIN)}"
os.environ["JAX_PLATFORMS"] = "flambeau,cpu"
os.environ["FL_DEVICES"] = "8"
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
jax = pytest.importorskip("jax", reason="jax is not installed: the plugin is not tried under it")
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402
from jax.experimental.custom_partitioning import custom_partitioning  # noqa: E402
from jax.sharding import Mesh, NamedSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

DEVICES = {name: np.array(jax.devices(name)) for name in ("cpu", "flambeau")}
assert all(len(d) == 8 for d in DEVICES.values())


def rand(*shape, dtype=np.float32, seed=0):
    g = np.random.default_rng(seed)
    return g.integers(-9, 9, shape).astype(dtype) if np.issubdtype(dtype, np.integer) else g.standard_normal(shape).astype(dtype)


def mesh(name, shape=(2, 4), axes=("a", "b")):
    return Mesh(DEVICES[name].reshape(shape), axes)


def same(run, rtol=2e-5, atol=2e-5, shardings=True):
    """run(platform) gives arrays; those of both platforms are the same, lie the same way, and hold the same on each device."""
    expected, got = run("cpu"), run("flambeau")
    assert jax.tree.structure(expected) == jax.tree.structure(got)
    for e, g in zip(jax.tree.leaves(expected), jax.tree.leaves(got), strict=True):
        assert e.dtype == g.dtype and e.shape == g.shape
        np.testing.assert_allclose(np.asarray(g), np.asarray(e), rtol=rtol, atol=atol)
        if not shardings:
            continue
        assert g.sharding.is_fully_replicated == e.sharding.is_fully_replicated
        for x, y in zip(e.addressable_shards, g.addressable_shards, strict=True):
            assert x.index == y.index
            np.testing.assert_allclose(np.asarray(y.data), np.asarray(x.data), rtol=rtol, atol=atol)


def put(m, x, *spec):
    return jax.device_put(x, NamedSharding(m, P(*spec)))


# ---- arrays ----


@pytest.mark.parametrize("spec", [(), ("a",), ("b",), (None, "a"), ("a", "b"), ("b", "a"), (("a", "b"),), (None, ("b", "a"))])
def test_device_put(spec):
    same(lambda p: put(mesh(p), rand(8, 16), *spec))


def test_reshard():
    def run(p):
        m = mesh(p)
        x = put(m, rand(8, 16), "a", "b")
        return [jax.device_put(x, NamedSharding(m, s)) for s in (P(), P("b", "a"), P(("a", "b")), P(None, "b"))]

    same(run)


@pytest.mark.parametrize("order", [[7, 6, 5, 4, 3, 2, 1, 0], [3, 1, 0, 2, 7, 6, 5, 4], [0, 2, 4, 6, 1, 3, 5, 7]])
def test_reshard_to_other_order(order):
    """From a mesh to one whose devices are in another order, and back: one program, whose shardings have two meshes."""

    def run(p):
        m, other = mesh(p), Mesh(DEVICES[p][order].reshape(4, 2), ("x", "y"))
        x = put(m, rand(8, 16), "a", "b")
        y = [jax.device_put(x, NamedSharding(other, s)) for s in (P("x", "y"), P("y"), P(None, ("x", "y")))]
        return y, [jax.device_put(v, NamedSharding(m, P("b", "a"))) for v in y]

    same(run)


def test_make_array_from_callback():
    def run(p):
        x = rand(16, 8)
        return jax.make_array_from_callback(x.shape, NamedSharding(mesh(p), P("b", "a")), lambda i: x[i])

    same(run)


# ---- jit ----


@pytest.mark.parametrize("out", [None, P(), P("a"), P("b", "a"), P(("a", "b"))])
@pytest.mark.parametrize("specs", [(("a", "b"), ("a", "b")), (("a",), (None, "b")), ((None, "a"), ("a",)), ((), ())])
def test_product(specs, out):
    def run(p):
        m = mesh(p)
        x, w = put(m, rand(8, 16), *specs[0]), put(m, rand(16, 8, seed=1), *specs[1])
        f = jax.jit(lambda x, w: x @ w, out_shardings=None if out is None else NamedSharding(m, out))
        return f(x, w)

    same(run, shardings=out is not None)


def test_constraint():
    def run(p):
        m = mesh(p)

        def f(x, w):
            y = lax.with_sharding_constraint(jnp.sin(x @ w), NamedSharding(m, P("b", None)))
            z = lax.with_sharding_constraint(y.T, NamedSharding(m, P("a", "b")))
            return y.sum(0), y, z, z.max()

        return jax.jit(f)(put(m, rand(8, 8), "a", "b"), put(m, rand(8, 8, seed=1), "a"))

    same(run, shardings=False)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: jnp.sort(x, 0),
        lambda x: jnp.cumsum(x, 1),
        lambda x: jax.nn.softmax(x, 0),
        lambda x: x.reshape(16, 4, 2).transpose(2, 0, 1),
        lambda x: jnp.concatenate([x, x[:4] * 2], 0),
        lambda x: jnp.pad(x, ((1, 2), (0, 3))),
        lambda x: x[::-1, 1:7:2],
        lambda x: x[jnp.array([3, 1, 15, 0])],
        lambda x: x.at[jnp.array([3, 1])].add(1.0),
        lambda x: jnp.argmax(x, 0),
        lambda x: jnp.fft.fft(x, axis=0).real,
        lambda x: lax.conv_general_dilated(x[None, None], jnp.ones((2, 1, 3, 3)), (1, 1), "SAME"),
        lambda x: lax.fori_loop(0, 4, lambda i, y: jnp.sin(y) @ y.T @ y / 50, x),
        lambda x: lax.scan(lambda c, r: (c + r, c * r), jnp.zeros(8), x),
        lambda x: lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x),
        lambda x: jnp.linalg.qr(x)[1],
        lambda x: jax.random.normal(jax.random.key(3), x.shape) + x,
        lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID"),
        lambda x: lax.dynamic_slice(x, (jnp.int32(3), jnp.int32(1)), (4, 4)),
        lambda x: jnp.einsum("ij,kj->ik", x, x),
        lambda x: jnp.tile(x, (2, 1)),
        lambda x: x.astype(jnp.bfloat16).astype(jnp.int32),
    ],
)
@pytest.mark.parametrize("spec", [("a", "b"), ("b",), (None, ("a", "b"))])
def test_operations(f, spec):
    same(lambda p: jax.jit(f)(put(mesh(p), rand(16, 8), *spec)), shardings=False)


def test_shardings_of_compiled():
    """What an executable says of its arguments and results is what JAX's CPU says, where the program says it."""

    def run(p):
        m = mesh(p)
        f = jax.jit(lambda x, y: (x + 1, y * 2), out_shardings=(None, NamedSharding(m, P("b"))))
        x = jax.ShapeDtypeStruct((8, 16), jnp.float32, sharding=NamedSharding(m, P("a", "b")))
        y = jax.ShapeDtypeStruct((8,), jnp.float32, sharding=NamedSharding(m, P("a")))
        c = f.lower(x, y).compile()
        ins = [s.spec for s in c.input_shardings[0]]
        outs = [s.devices_indices_map(shape) for s, shape in zip(c.output_shardings, ((8, 16), (8,)), strict=True)]
        return ins, [[str(i) for i in o.values()] for o in outs]

    assert run("cpu") == run("flambeau")


# ---- shard_map ----


def shard_mapped(body, in_specs, out_specs, *args, shape=(2, 4), **options):
    def run(p):
        m = mesh(p, shape)
        f = jax.jit(jax.shard_map(body, mesh=m, in_specs=in_specs, out_specs=out_specs, **options))
        return f(*args)

    same(run)


@pytest.mark.parametrize("axis", ["a", "b", ("a", "b")])
@pytest.mark.parametrize("reduce", [lax.psum, lax.pmax, lax.pmin, lax.pmean])
def test_reductions(axis, reduce):
    rest = P(*["ab"[i] if "ab"[i] not in axis else None for i in range(2)])
    shard_mapped(lambda x: reduce(jnp.cos(x), axis), P("a", "b"), rest, rand(8, 16))


@pytest.mark.parametrize("tiled", [True, False])
def test_all_gather(tiled):
    out = P(None, "b") if tiled else P(None, None, "b")
    shard_mapped(lambda x: lax.all_gather(x, "a", tiled=tiled), P("a", "b"), out, rand(8, 16), check_vma=False)


def test_ppermute():
    shard_mapped(lambda x: lax.ppermute(x, "b", [(i, (i + 1) % 4) for i in range(4)]), P("a", "b"), P("a", "b"), rand(8, 16))
    shard_mapped(lambda x: lax.ppermute(x, "b", [(0, 2), (3, 1)]), P("a", "b"), P("a", "b"), rand(8, 16))


def test_all_to_all():
    body = partial(lax.all_to_all, axis_name="b", split_axis=0, concat_axis=1, tiled=True)
    shard_mapped(body, P("a", "b"), P(("a", "b"), None), rand(8, 16))


def test_psum_scatter():
    body = partial(lax.psum_scatter, axis_name="b", scatter_dimension=0, tiled=True)
    shard_mapped(body, P("a", None), P(("a", "b"), None), rand(8, 16), check_vma=False)


def test_axis_index():
    shard_mapped(
        lambda x: x + lax.axis_index("a") * 10 + lax.axis_index("b"), P("a", "b"), P("a", "b"), rand(8, 16, dtype=np.int32)
    )


def test_control_flow():
    def body(x):
        y = lax.fori_loop(0, 3, lambda i, c: lax.psum(jnp.sin(c), "a") / 2, x)
        return lax.cond(lax.axis_index("b") > 1, lambda z: z * 2, lambda z: z - 1, y)

    shard_mapped(body, P("a", "b"), P("a", "b"), rand(8, 16), check_vma=False)


def test_ring_product():
    """A product whose right side travels around the ring."""

    def body(x, w):
        n, i = 8, lax.axis_index("x")
        k = w.shape[0]

        def step(j, carry):
            w, y = carry
            part = lax.dynamic_slice_in_dim(x, ((i + j) % n) * k, k, 1)
            return lax.ppermute(w, "x", [(d, (d - 1) % n) for d in range(n)]), y + part @ w

        return lax.fori_loop(0, n, step, (w, jnp.zeros((x.shape[0], w.shape[1]))))[1]

    def run(p):
        m = mesh(p, (8,), ("x",))
        f = jax.shard_map(body, mesh=m, in_specs=(P("x"), P("x")), out_specs=P("x"), check_vma=False)
        return jax.jit(f)(rand(16, 32), rand(32, 8, seed=1))

    same(run)


def test_partly_automatic():
    def run(p):
        m = mesh(p)

        def body(x, w):
            y = lax.with_sharding_constraint(x @ w, P(None, "b"))
            return lax.psum(jnp.tanh(y), "a")

        f = jax.shard_map(body, mesh=m, in_specs=(P("a"), P()), out_specs=P(), axis_names={"a"})
        return jax.jit(f)(put(m, rand(8, 16), "a", "b"), put(m, rand(16, 8, seed=1), "b"))

    same(run, shardings=False)


def test_nested():
    def run(p):
        m = mesh(p)

        def inner(x):
            return lax.psum(x, "b")

        def outer(x):
            return jax.shard_map(inner, in_specs=P(None, "b"), out_specs=P(), axis_names={"b"})(x * 2)

        f = jax.shard_map(outer, mesh=m, in_specs=P("a"), out_specs=P("a"), axis_names={"a"})
        return jax.jit(f)(put(m, rand(8, 16), "a", "b"))

    same(run, shardings=False)


# ---- transformations ----


def test_vmap():
    def run(p):
        m = mesh(p)
        f = jax.shard_map(lambda x: lax.psum(x, "a"), mesh=m, in_specs=P("a"), out_specs=P())
        return jax.jit(jax.vmap(f))(rand(3, 8, 4))

    same(run)


def test_grad_of_shard_map():
    def run(p):
        m = mesh(p)
        f = jax.shard_map(
            lambda x, w: lax.psum(jnp.sin(x @ w).sum(), ("a", "b")), mesh=m, in_specs=(P("a"), P(None, "b")), out_specs=P()
        )
        return jax.jit(jax.value_and_grad(f, (0, 1)))(rand(8, 16), rand(16, 8, seed=1))

    same(run, shardings=False)


def test_pmap():
    def run(p):
        f = jax.pmap(lambda x, y: (lax.psum(x * y, "i"), x + lax.axis_index("i")), axis_name="i", devices=list(DEVICES[p]))
        return f(rand(8, 3), rand(8, 3, seed=1))

    same(run, shardings=False)


# ---- training ----


def mlp_step(m, params, x, y, specs):
    def loss(params):
        h = x
        for i, (w, b) in enumerate(params):
            h = h @ w + b
            if i + 1 < len(params):
                h = lax.with_sharding_constraint(jax.nn.gelu(h), NamedSharding(m, P("a", "b")))
        return ((h - y) ** 2).mean()

    value, grads = jax.value_and_grad(loss)(params)
    new = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
    return value, jax.tree.map(lambda v, s: lax.with_sharding_constraint(v, NamedSharding(m, s)), new, specs)


def test_mlp():
    """Data along a, the hidden dimension along b."""
    specs = [(P(None, "b"), P("b")), (P("b", None), P())]

    def run(p):
        m = mesh(p)
        params = [(rand(16, 32) * 0.2, np.zeros(32, np.float32)), (rand(32, 8, seed=1) * 0.2, np.zeros(8, np.float32))]
        params = jax.tree.map(lambda v, s: put(m, v, *s), params, specs)
        x, y = put(m, rand(16, 16, seed=2), "a"), put(m, rand(16, 8, seed=3), "a")
        step = jax.jit(partial(mlp_step, m, specs=specs), donate_argnums=0)
        losses = []
        for _ in range(5):
            value, params = step(params, x, y)
            losses.append(value)
        assert losses[-1] < losses[0]
        return losses, params

    same(run)


def gpt(params, tokens):
    x = params["embed"][tokens] + params["position"][: tokens.shape[1]]
    for layer in params["layers"]:
        h = x - x.mean(-1, keepdims=True)
        h = h * lax.rsqrt((h * h).mean(-1, keepdims=True) + 1e-5)
        q, k, v = (jnp.einsum("btd,dhk->bhtk", h, layer[n]) for n in "qkv")
        scores = jnp.einsum("bhtk,bhsk->bhts", q, k) / np.sqrt(q.shape[-1])
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
        x = x + jnp.einsum("bhts,bhsk,hkd->btd", jax.nn.softmax(scores), v, layer["o"])
        x = x + jax.nn.gelu(x @ layer["up"]) @ layer["down"]
    return x @ params["embed"].T


def gpt_loss(params, tokens):
    logits = jax.nn.log_softmax(gpt(params, tokens[:, :-1]))
    return -jnp.take_along_axis(logits, tokens[:, 1:, None], -1).mean()


@pytest.mark.parametrize("where", ["tensor", "data"])
def test_gpt(where):
    """A transformer trained with heads and hidden units along b and the batch along a; or with the batch along both."""
    d, heads, vocabulary = 16, 4, 32
    names = {"q": (d, heads, 4), "k": (d, heads, 4), "v": (d, heads, 4), "o": (heads, 4, d), "up": (d, 32), "down": (32, d)}
    cuts = {"q": P(None, "b"), "k": P(None, "b"), "v": P(None, "b"), "o": P("b"), "up": P(None, "b"), "down": P("b")}

    def run(p):
        m = mesh(p)
        layers = [{n: rand(*s, seed=10 * i + j) * 0.2 for j, (n, s) in enumerate(names.items())} for i in range(2)]
        params = {"embed": rand(vocabulary, d, seed=90) * 0.2, "position": rand(12, d, seed=91) * 0.2, "layers": layers}
        specs = {"embed": P(), "position": P(), "layers": [cuts if where == "tensor" else dict.fromkeys(names, P())] * 2}
        params = jax.tree.map(lambda v, s: put(m, v, *s), params, specs)
        tokens = put(m, rand(16, 12, dtype=np.int32, seed=5) % vocabulary, "a" if where == "tensor" else ("a", "b"))

        @jax.jit
        def step(params, tokens):
            loss, grads = jax.value_and_grad(gpt_loss)(params, tokens)
            return loss, jax.tree.map(lambda v, g: v - 0.3 * g, params, grads)

        losses = []
        for _ in range(4):
            loss, params = step(params, tokens)
            losses.append(loss)
        assert losses[-1] < losses[0]
        return losses

    same(run, rtol=1e-4, atol=1e-4, shardings=False)


def test_without_shardy():
    """JAX says the same with GSPMD's tilings and custom calls when it is told not to use Shardy."""
    if os.environ.get("JAX_USE_SHARDY_PARTITIONER") == "0":
        pytest.skip("this is the process without Shardy")
    tests = (
        "inspect or constraint or compiled or test_reductions or permute or partly or nested or grad or pmap or mlp or gpt or vmap"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__, "-k", tests]
    done = subprocess.run(
        command, env={**os.environ, "JAX_USE_SHARDY_PARTITIONER": "0"}, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]


# ---- partitioners written in Python ----


def rows_only(sharding, shape):
    """The last dimension whole."""
    spec = tuple(sharding.spec) + (None,) * (len(shape.shape) - len(sharding.spec))
    return NamedSharding(sharding.mesh, P(*spec[: len(shape.shape) - 1], None))


@custom_partitioning
def rows_transform(x):
    return jnp.fft.fft(x).real, jnp.sum(x, axis=-1)


def partition_rows(m, args, results):
    (x,) = args
    wanted = rows_only(x.sharding, x)
    return m, rows_transform.fun, (wanted, NamedSharding(m, P(*wanted.spec[:-1]))), (wanted,)


rows_transform.def_partition(partition_rows, sharding_rule="... i -> ... i, ...")


@custom_partitioning
def columns_product(x, y):
    return x @ y


def partition_product(m, args, results):
    axis = args[0].sharding.spec[1] if len(args[0].sharding.spec) > 1 else None
    wanted = NamedSharding(m, P(None, axis)), NamedSharding(m, P(axis, None))

    def part(x, y):
        return lax.psum(x @ y, axis) if axis else x @ y

    return m, part, NamedSharding(m, P()), wanted


columns_product.def_partition(partition_product, sharding_rule="i j, j k -> i k", reduction_factors=("j",))


@pytest.mark.parametrize("spec", [("a",), ("a", "b"), (None, "a"), ()])
def test_custom_partitioning(spec):
    same(lambda p: jax.jit(rows_transform)(put(mesh(p), rand(8, 16), *spec)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("spec", [(None, "a"), (None, ("a", "b")), ("a",)])
def test_custom_partitioning_with_collectives(spec):
    def run(p):
        m = mesh(p)
        f = jax.jit(lambda x, y: columns_product(x, y) + 1, out_shardings=NamedSharding(m, P()))
        return f(put(m, rand(8, 16), *spec), put(m, rand(16, 4, seed=1)))

    same(run)


def test_custom_partitioning_in_a_loop():
    def f(x):
        return lax.fori_loop(0, 3, lambda i, c: rows_transform(c)[0] / 16, x)

    same(lambda p: jax.jit(f)(put(mesh(p), rand(8, 16), "a", "b")), rtol=1e-4, atol=1e-4)


def test_custom_partitioning_errors():
    @custom_partitioning
    def f(x):
        return x

    f.def_partition(lambda m, args, results: (m, lambda x: x[:1], args[0].sharding, (args[0].sharding,)), sharding_rule="i -> i")
    with pytest.raises(jax.errors.JaxRuntimeError, match="Mismatch in result shapes"):
        jax.jit(f)(put(mesh("flambeau"), rand(8), "a"))


@pytest.mark.parametrize("spec", [("a", "b"), (None, "a"), (("a", "b"),), ()])
def test_inspect_array_sharding(spec):
    def run(p):
        seen = []

        def f(x):
            y = jnp.sin(x).T
            jax.debug.inspect_array_sharding(y, callback=seen.append)
            return y

        jax.jit(f)(put(mesh(p), rand(8, 16), *spec))
        return [s.spec for s in seen]

    assert run("flambeau") == run("cpu")


# ---- executions ----


def test_ragged_all_to_all():
    """The example of its documentation, which XLA's CPU backend does not run."""
    m = Mesh(DEVICES["flambeau"][:2], ("x",))
    data, zeros = np.array([1, 2, 2, 3, 4, 0], np.int32), np.zeros(8, np.int32)
    starts, sizes, to, back = ([0, 1, 0, 1], [1, 2, 1, 1], [0, 0, 1, 2], [1, 1, 2, 1])
    f = jax.shard_map(partial(lax.ragged_all_to_all, axis_name="x"), mesh=m, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    got = jax.jit(f)(data, zeros, *(np.array(a, np.int32) for a in (starts, sizes, to, back)))
    np.testing.assert_array_equal(got, [1, 3, 0, 0, 2, 2, 4, 0])


def test_sums_are_the_same_bits_everywhere():
    m = Mesh(DEVICES["flambeau"], ("x",))
    x = rand(8, 40001)
    f = jax.jit(jax.shard_map(lambda v: lax.psum(v, "x"), mesh=m, in_specs=P("x"), out_specs=P("x"), check_vma=False))
    first = np.asarray(f(x))
    expected = x[0]
    for row in x[1:]:
        expected = expected + row  # in the order of the devices, each step rounded
    for row in first:
        np.testing.assert_array_equal(row, expected)
    for _ in range(5):
        np.testing.assert_array_equal(np.asarray(f(x)), first)


def test_threads_launch_in_any_order():
    """Four threads, two orders of the same devices and a part of them: nobody waits in a circle."""
    devices = DEVICES["flambeau"]
    meshes = [Mesh(d, ("x",)) for d in (devices, devices[::-1], devices[2:6], devices[4:])]
    x = rand(8, 16)
    f = jax.jit(lambda v: (v @ v.T).sum())
    expected, found = float((x @ x.T).sum()), []

    def work(m):
        v = put(m, x, "x")
        found.extend(float(f(v)) for _ in range(25))

    threads = [threading.Thread(target=work, args=(m,)) for m in meshes]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    np.testing.assert_allclose(found, [expected] * 100, rtol=1e-4)


def test_executables_are_kept():
    from jax.experimental import serialize_executable

    x = put(mesh("flambeau"), rand(8, 16), "a", "b")
    compiled = jax.jit(lambda v: v @ v.T).lower(x).compile()
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    np.testing.assert_array_equal(loaded(x), compiled(x))
    assert loaded(x).sharding == compiled(x).sharding
