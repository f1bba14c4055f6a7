"""Foreign functions of foreign_handlers.cc called from JAX on the device, one function a check. Run as a program with the name of
the platform and the compiled library: prints what each check said, "" being well, as JSON."""

import ctypes
import sys

import jax
import jax.numpy as jnp
import numpy as np
from checks import report
from jax import lax

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def like(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def scalar(dtype):
    return jax.ShapeDtypeStruct((), dtype)


def add(a, b, scale):
    return jax.ffi.ffi_call("fl_add", like(a), vmap_method="broadcast_all")(a, b, scale=np.float32(scale))


def fails(f, *parts):
    try:
        jax.block_until_ready(f())
    except Exception as e:
        for part in parts:
            assert part in str(e), str(e)
    else:
        raise AssertionError("no exception came")


def check_add():
    f = jax.jit(lambda a, b: add(a * 2, b, 3.0) + 1)
    np.testing.assert_array_equal(f(X, X + 1), 2 * X + 3 * (X + 1) + 1)
    np.testing.assert_array_equal(jax.vmap(lambda a: add(a, a, 0.5))(X), 1.5 * X)


def check_in_loops():
    f = jax.jit(lambda x: lax.fori_loop(0, 5, lambda i, c: add(c, x, 1.0), x))
    np.testing.assert_array_equal(f(X), 6 * X)
    g = jax.jit(lambda p, x: lax.cond(p, lambda x: add(x, x, 9.0), lambda x: x, x))
    np.testing.assert_array_equal(g(True, X), 10 * X)
    np.testing.assert_array_equal(g(False, X), X)


def check_errors():
    f = jax.jit(lambda x: jax.ffi.ffi_call("fl_refuse", like(x))(x, why="no reason"))
    fails(lambda: f(X), "FAILED_PRECONDITION", "refused: no reason")
    unknown = jax.jit(lambda x: jax.ffi.ffi_call("fl_nobody", like(x))(x))
    fails(lambda: unknown(X), "UNIMPLEMENTED", "fl_nobody")
    wrong = jax.jit(lambda x: jax.ffi.ffi_call("fl_add", like(x))(x, x, scale=1))
    fails(lambda: wrong(X), "INVALID_ARGUMENT", "expected F32 but got S64")
    few = jax.jit(lambda x: jax.ffi.ffi_call("fl_add", like(x))(x, scale=np.float32(1)))
    fails(lambda: few(X), "INVALID_ARGUMENT", "Wrong number of arguments")
    np.testing.assert_array_equal(jax.jit(lambda a: add(a, a, 1.0))(X), 2 * X)


def check_element_types():
    numbers = {"bool": 1, "int8": 2, "int16": 3, "int32": 4, "uint8": 6, "uint16": 7, "uint32": 8, "float16": 10, "float32": 11}
    numbers |= {"bfloat16": 16, "complex64": 15, "float8_e5m2": 19, "float8_e4m3fn": 20}
    for name, number in numbers.items():
        a = np.array([[0, 1, 1], [1, 0, 1]]).astype(jnp.dtype(name))
        same, kind = jax.jit(lambda x: jax.ffi.ffi_call("fl_copy", (like(x), scalar(np.int32)))(x))(a)
        assert int(kind) == number and same.dtype == a.dtype and (np.asarray(same) == a).all(), name


def check_attributes():
    call = jax.ffi.ffi_call("fl_attributes", scalar(np.int32))
    scalars = {"flag": True, "i32": np.int32(-5), "i64": np.int64(2**40), "f32": np.float32(1.5), "f64": np.float64(0.1)}
    arrays = {"numbers": np.array([10, 20, 30]), "floats": np.array([[1.5, 2.5], [3.5, 4.5]], np.float32)}
    more = {"depth": np.int64(7), "list": ("x", 5)}
    assert jax.jit(lambda: call(text="h\u00e9llo", more=more, **scalars, **arrays))() == 1


def check_state():
    def counter(first):
        return jax.ffi.ffi_call("fl_count", scalar(np.int32), has_side_effect=True)(first=np.int32(first))

    f = jax.jit(lambda: (counter(5), counter(70)))
    for step in range(3):
        assert [int(v) for v in f()] == [5 + step, 70 + step]
    fails(jax.jit(lambda: counter(-1)), "first must not be negative")


def check_later():
    f = jax.jit(lambda x: jax.ffi.ffi_call("fl_later", like(x))(x) + 1)
    np.testing.assert_array_equal(f(X), 2 * X + 1)
    fails(lambda: f(X - 1), "ABORTED", "negative, and late")


def check_layouts_and_aliases():
    seen = jax.ShapeDtypeStruct((3,), np.float32)
    rows = jax.ffi.ffi_call("fl_memory", (like(X), seen))
    columns = jax.ffi.ffi_call("fl_memory", (like(X), seen), input_layouts=[(1, 0)], output_layouts=[(1, 0), None])
    in_place = jax.ffi.ffi_call("fl_memory", (like(X), seen), input_output_aliases={0: 0})
    changed = X.copy()
    changed[0, 1] += 100
    y, s = jax.jit(rows)(X)
    np.testing.assert_array_equal(y, changed)
    np.testing.assert_array_equal(s, [0, 0, 1])
    y, s = jax.jit(in_place)(X)
    np.testing.assert_array_equal(y, changed)
    np.testing.assert_array_equal(s, [1, 0, 1])
    changed = X.copy()
    changed[1, 0] += 100
    y, s = jax.jit(columns)(X)
    np.testing.assert_array_equal(y, changed)
    np.testing.assert_array_equal(s, [0, 0, 3])


def check_lapack_of_jaxlib():
    """A handler that jaxlib has for its own CPU; it works column by column."""
    a = np.array([[4, 2, 1], [2, 5, 3], [1, 3, 6]], np.float32)
    types = (like(a), scalar(np.int32))
    call = jax.ffi.ffi_call("lapack_spotrf_ffi", types, input_layouts=[(1, 0)], output_layouts=[(1, 0), ()])
    factor, info = jax.jit(lambda a: call(a, uplo=np.uint8(ord("L"))))(a)
    assert int(info) == 0
    np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(a), rtol=1e-5)


def register(platform, path):
    library = ctypes.CDLL(path)
    pointer = {name: jax.ffi.pycapsule(getattr(library, name)) for name in ("BeginCount", "Count")}
    for name in ("Add", "Refuse", "Copy", "Attributes", "Later", "Memory"):
        jax.ffi.register_ffi_target(f"fl_{name.lower()}", jax.ffi.pycapsule(getattr(library, name)), platform=platform)
    library.CounterId.restype = library.CounterInfo.restype = ctypes.c_void_p
    as_capsule = ctypes.pythonapi.PyCapsule_New
    as_capsule.restype, as_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    pair = {"type_id": as_capsule(library.CounterId(), None, None), "type_info": as_capsule(library.CounterInfo(), None, None)}
    jax.ffi.register_ffi_type("fl_counter", pair, platform=platform)
    stages = {"instantiate": pointer["BeginCount"], "execute": pointer["Count"]}
    jax.ffi.register_ffi_target("fl_count", stages, platform=platform)
    from jaxlib import lapack

    lapack._lapack.initialize()
    jax.ffi.register_ffi_target("lapack_spotrf_ffi", lapack._lapack.registrations()["lapack_spotrf_ffi"], platform=platform)


def main():
    platform, path = sys.argv[1:]
    register(platform, path)
    report(globals())


if __name__ == "__main__":
    main()
