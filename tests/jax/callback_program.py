"""Callbacks of JAX on the device, one function a check. Run as a program with the name of the platform: prints what each said,
"" being well, as JSON. Expected values are numpy's."""

import io
import sys
import threading
from contextlib import redirect_stdout
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from checks import report
from jax import lax
from jax.experimental import io_callback

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def like(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def host_sin(x, **options):
    return jax.pure_callback(lambda y: np.sin(np.asarray(y)), like(x), x, **options)


def same(got, expected):
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-6)


def printed(f, *args):
    out = io.StringIO()
    with redirect_stdout(out):
        jax.block_until_ready(f(*args))
        jax.effects_barrier()
    return out.getvalue().splitlines()


def check_pure():
    f = jax.jit(lambda x, y: jax.pure_callback(lambda a, b: (np.asarray(a) + b, np.int32(7)), (like(x), like(jnp.int32(0))), x, y))
    total, seven = f(X, 2 * X)
    same(total, 3 * X)
    assert seven == 7


def check_without_jit():
    same(host_sin(jnp.asarray(X)), np.sin(X))


def check_vmap():
    for method in ("sequential", "expand_dims", "broadcast_all"):
        same(jax.vmap(partial(host_sin, vmap_method=method))(X), np.sin(X))


def check_grad():
    f = jax.custom_jvp(host_sin)
    f.defjvp(lambda primals, tangents: (f(*primals), jnp.cos(primals[0]) * tangents[0]))
    same(jax.jit(jax.grad(lambda x: f(x).sum()))(X), np.cos(X))


def check_scan():
    seen = []

    def body(carry, i):
        jax.debug.callback(lambda i, c: seen.append((int(i), float(c))), i, carry)
        return carry + host_sin(carry), i

    total, _ = jax.jit(lambda: lax.scan(body, jnp.float32(1), jnp.arange(4)))()
    jax.effects_barrier()
    values = [np.float32(1)]
    for _ in range(4):
        values.append(values[-1] + np.sin(values[-1]))
    same(total, values[-1])
    assert [i for i, _ in seen] == [0, 1, 2, 3]
    same([c for _, c in seen], values[:4])


def check_while():
    def below_100(x):
        return jax.pure_callback(lambda v: np.asarray(v) < 100, jax.ShapeDtypeStruct((), bool), x)

    assert jax.jit(lambda x: lax.while_loop(below_100, lambda x: x * 3, x))(jnp.int32(1)) == 243


def check_unused_loop():
    seen = []

    def body(i, c):
        jax.debug.callback(lambda i: seen.append(int(i)), i)
        return c + 1

    jax.jit(lambda n: (lax.fori_loop(0, n, body, 0), n)[1])(3)
    jax.effects_barrier()
    assert seen == [0, 1, 2]


def check_cond():
    calls = []

    def called(x):
        return jax.pure_callback(lambda y: (calls.append(1), np.asarray(y) * 2)[1], like(x), x)

    f = jax.jit(lambda p, x: lax.cond(p, called, lambda x: x, x))
    same(f(True, X), 2 * X)
    same(f(False, X), X)
    assert len(calls) == 1


def check_print():
    f = jax.jit(lambda x: (jax.debug.print("x={x} and {y}", x=x, y=x.sum()), x + 1)[1])
    assert printed(f, jnp.arange(3)) == ["x=[0 1 2] and 3"]


def check_ordered_print():
    def f(x):
        for i in range(5):
            jax.debug.print("{i} {x}", i=i, x=x, ordered=True)
            x = x + 1
        return x

    assert printed(jax.jit(f), jnp.int32(0)) == [f"{i} {i}" for i in range(5)]


def check_ordered_io():
    count = []

    def note(v):
        count.append(int(v))
        return np.int32(len(count))

    f = jax.jit(lambda x: [io_callback(note, like(jnp.int32(0)), x + i, ordered=True) for i in range(3)])
    for step in range(4):
        assert [int(r) for r in f(10 * step)] == [3 * step + 1, 3 * step + 2, 3 * step + 3]
    assert count == [10 * step + i for step in range(4) for i in range(3)]


def check_unordered_io():
    seen = []
    f = jax.jit(lambda x: (io_callback(lambda v: seen.append(np.array(v)), None, x), x * 2)[1])
    same(f(X), 2 * X)
    jax.effects_barrier()
    same(seen, X[None])


def check_no_arguments():
    f = jax.jit(lambda: io_callback(lambda: np.float32(3.5), like(jnp.float32(0))))
    assert f() == 3.5


def check_exceptions():
    def bad(x):
        raise RuntimeError("nothing but trouble 17")

    f = jax.jit(lambda x: jax.pure_callback(bad, like(x), x) + 1)
    for _ in range(2):
        try:
            jax.block_until_ready(f(X))
        except Exception as e:
            assert "nothing but trouble 17" in str(e), str(e)
        else:
            raise AssertionError("no exception came")
    same(jax.jit(host_sin)(X), np.sin(X))  # the device goes on


def check_wrong_results():
    f = jax.jit(lambda x: jax.pure_callback(lambda y: np.zeros((5,), np.float32), like(x), x))
    try:
        jax.block_until_ready(f(X))
    except Exception as e:
        assert "shape" in str(e), str(e)
    else:
        raise AssertionError("no exception came")


def check_element_types():
    names = "bool int8 uint8 int16 uint16 int32 uint32 float16 bfloat16 float32 complex64 int4 uint4 int2 float8_e4m3fn float8_e5m2"
    for name in names.split():
        a = np.array([[0, 1, 1], [1, 0, 1]]).astype(jnp.dtype(name))
        r = np.asarray(jax.jit(lambda x: jax.pure_callback(lambda y: np.asarray(y), like(x), x))(a))
        assert r.dtype == a.dtype and (r == a).all(), name


def check_wide_types():
    jax.config.update("jax_enable_x64", True)  # for the device's thread as well
    try:
        for name in ("int64", "uint64", "float64", "complex128"):
            a = np.array([1, 2**40, 3]).astype(name)
            r = np.asarray(jax.jit(lambda x: jax.pure_callback(lambda y: np.asarray(y) + 1, like(x), x))(a))
            assert r.dtype == a.dtype and (r == a + 1).all(), name
    finally:
        jax.config.update("jax_enable_x64", False)


def check_large_and_empty():
    a = np.random.default_rng(0).random((700, 1500), dtype=np.float32)
    same(jax.jit(lambda x: jax.pure_callback(lambda y: np.asarray(y) * 2, like(x), x))(a), a * 2)
    shapes = (jax.ShapeDtypeStruct((0, 3), np.float32), like(jnp.float32(0)))
    f = jax.jit(lambda x: jax.pure_callback(lambda y: (np.asarray(y)[:0], np.float32(y.size)), shapes, x))
    for rows in (2, 0):
        none, size = f(np.zeros((rows, 3), np.float32))
        assert none.shape == (0, 3) and size == 3 * rows


def check_computation_around():
    f = jax.jit(lambda x: jnp.dot(host_sin(jnp.tanh(x) @ x.T), x).sum(1))
    expected = (np.sin(np.tanh(X) @ X.T) @ X).sum(1)
    np.testing.assert_allclose(np.asarray(f(X)), expected, rtol=1e-5)


def check_jax_within():
    """A callback that uses JAX on the host, while more executions wait on the device and executables go away."""
    cpu = jax.devices("cpu")[0]

    def triple(y):
        return np.asarray(jax.jit(lambda z: z * 3)(jax.device_put(np.asarray(y), cpu)))

    for _ in range(3):
        f = jax.jit(lambda x: jax.pure_callback(triple, like(x), x) + 1)
        results = [f(X) for _ in range(8)]
        del f
        for r in results:
            same(r, 3 * X + 1)


def check_threads():
    """Executions from several threads, each with callbacks that wait for Python."""
    results = {}

    def work(k):
        f = jax.jit(lambda x: jax.pure_callback(lambda y: np.asarray(y) + k, like(x), x))
        results[k] = [np.asarray(f(X + i)) for i in range(10)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for k in range(4):
        for i in range(10):
            same(results[k][i], X + i + k)


def mesh_of_four():
    return jax.sharding.Mesh(np.array(jax.devices(sys.argv[1])[:4]), ("x",))


def noted(seen):
    def double(y):
        seen.append(np.asarray(y).tolist())
        return np.asarray(y) * 2

    return lambda x: jax.pure_callback(double, like(x), x)


def check_devices_of_shard_map():
    """Every device's callback has its own data, and gives its own."""
    seen = []
    parts = jax.sharding.PartitionSpec("x")
    f = jax.jit(jax.shard_map(noted(seen), mesh=mesh_of_four(), in_specs=parts, out_specs=parts))
    same(f(np.arange(8, dtype=np.float32)), 2 * np.arange(8))
    assert sorted(seen) == [[0, 1], [2, 3], [4, 5], [6, 7]]
    seen.clear()
    same(jax.pmap(noted(seen))(X[:, :2].reshape(2, 2)), 2 * X[:, :2].reshape(2, 2))
    assert sorted(seen) == [[0, 1], [3, 4]]


def check_devices_of_jit():
    """Of a program over whole arrays one device calls, with the whole array; all get what it gives."""
    x = np.arange(8, dtype=np.float32)
    cut = jax.sharding.NamedSharding(mesh_of_four(), jax.sharding.PartitionSpec("x"))
    seen = []
    call = noted(seen)
    for shardy in (True, False):
        jax.config.update("jax_use_shardy_partitioner", shardy)
        try:
            f = jax.jit(lambda x: lax.fori_loop(0, 2, lambda i, c: call(c) + x, x * 3), in_shardings=cut, out_shardings=cut)
            same(f(x), 2 * (2 * 3 * x + x) + x)
            assert seen == [(3 * x).tolist(), (7 * x).tolist()]
            seen.clear()
            g = jax.jit(lambda x: (jax.debug.print("{}", x.sum()), x + 1)[1], in_shardings=cut)
            assert printed(g, x) == ["28.0"]
        finally:
            jax.config.update("jax_use_shardy_partitioner", True)


def check_devices_with_exceptions():
    def bad(x):
        raise RuntimeError("trouble on one of them")

    cut = jax.sharding.NamedSharding(mesh_of_four(), jax.sharding.PartitionSpec("x"))
    f = jax.jit(lambda x: jax.pure_callback(bad, like(x), x) + 1, in_shardings=cut, out_shardings=cut)
    try:
        jax.block_until_ready(f(np.arange(8, dtype=np.float32)))
    except Exception as e:
        assert "trouble on one of them" in str(e), str(e)
    else:
        raise AssertionError("no exception came")
    same(jax.jit(lambda x: x + 1, in_shardings=cut)(np.arange(8)), np.arange(8) + 1)


def main():
    jax.config.update("jax_default_device", jax.devices(sys.argv[1])[0])
    report(globals())


if __name__ == "__main__":
    main()
