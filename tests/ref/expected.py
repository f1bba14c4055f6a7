"""Writes expected.inc: results of XLA (through jax.lax on the CPU), numpy and mpmath for test_ref_tables.c, whose inputs are the
same: filled(n, seed)[i] = (7 i + 5 seed) % 13 - 6. They are small integers, so that sums are exact.

Run: python tests/ref/expected.py > tests/ref/expected.inc
"""

import jax
import jax.numpy as jnp
import mpmath as mp
import numpy as np
from jax import lax

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")
mp.mp.prec = 200


def filled(shape, seed, dtype=np.float32):
    i = np.arange(np.prod(shape, dtype=int))
    return ((7 * i + 5 * seed) % 13 - 6).astype(dtype).reshape(shape)


def literal(v, ctype):
    if ctype == "int32_t":
        return str(int(v))
    if np.isnan(v):
        return "NAN"
    if np.isinf(v):
        return "-INFINITY" if v < 0 else "INFINITY"
    return f"{float(v):.9g}" if ctype == "float" else float(v).hex()


def table(name, array):
    array = np.asarray(array)
    if np.iscomplexobj(array):
        array = np.stack([array.real, array.imag], -1)
    ctype = {"float32": "float", "float64": "double", "int32": "int32_t", "bool": "int32_t"}[array.dtype.name]
    print(f"static const {ctype} {name}[] = {{")
    values = [literal(v, ctype) for v in array.ravel()]
    for i in range(0, len(values), 16):
        print("    " + ", ".join(values[i : i + 16]) + ",")
    print("};")


def conv(name, x, k, strides, padding, ld, rd, numbers, fg=1, bg=1):
    table(name, lax.conv_general_dilated(x, k, strides, padding, ld, rd, numbers, fg, bg))


conv(
    "conv_dilated",
    filled((2, 3, 5, 4), 1),
    filled((4, 3, 3, 2), 2),
    (2, 1),
    ((1, 2), (0, 1)),
    (2, 1),
    (1, 2),
    ("NCHW", "OIHW", "NCHW"),
)
conv("conv_groups", filled((2, 4, 5), 1), filled((6, 2, 3), 2), (1,), ((1, 1),), (1,), (1,), ("NCH", "OIH", "NCH"), 2)
conv("conv_batch_groups", filled((4, 3, 5), 1), filled((6, 3, 2), 2), (1,), ((0, 0),), (1,), (1,), ("NCH", "OIH", "NCH"), 1, 2)
conv(
    "conv_reversed",
    filled((1, 4, 5, 2), 1),
    filled((2, 3, 2, 3), 2)[::-1],
    (1, 2),
    ((0, 0), (1, -1)),
    (1, 1),
    (1, 1),
    ("NHWC", "HWIO", "HWNC"),
)
conv(
    "conv_3d",
    filled((1, 2, 3, 3, 2), 3),
    filled((2, 2, 2, 2, 1), 4),
    (1, 2, 1),
    ((1, 0), (0, 1), (0, 0)),
    (1, 1, 1),
    (1, 1, 1),
    ("NCDHW", "OIDHW", "NCDHW"),
)
conv("conv_0d", filled((2, 3), 1), filled((4, 3), 2), (), (), (), (), ("NC", "OI", "NC"))

table("dot_two", lax.dot_general(filled((2, 3, 4, 5), 1), filled((4, 2, 6, 3), 2), (((1, 2), (3, 0)), ((0,), (1,)))))

x = filled((4, 5), 1)
table("window_max", lax.reduce_window(x, -np.inf, lax.max, (2, 3), (2, 1), ((1, 0), (1, 1)), (1, 2), (2, 1)))
table("window_add", lax.reduce_window(x, 0.0, lax.add, (3, 2), (1, 2), ((2, 1), (0, 1)), (2, 1), (1, 2)))

# gather and scatter: two index dimensions, one offset dimension; then with batching dimensions
operand, indices = filled((5, 4, 3), 1), np.array([[[0, 1], [4, 3]], [[9, -2], [2, 2]]], np.int32)
numbers = lax.GatherDimensionNumbers(offset_dims=(1, 3), collapsed_slice_dims=(1,), start_index_map=(1, 0))
table("gather_plain", lax.gather(operand, indices, numbers, slice_sizes=(2, 1, 3), mode="clip"))
numbers = lax.GatherDimensionNumbers(
    offset_dims=(2,), collapsed_slice_dims=(1,), start_index_map=(1,), operand_batching_dims=(0,), start_indices_batching_dims=(1,)
)
batch_indices = (np.arange(10, dtype=np.int32).reshape(2, 5) * 3) % 4
table("gather_batched", lax.gather(operand, batch_indices[..., None], numbers, slice_sizes=(1, 1, 3), mode="clip"))
numbers = lax.ScatterDimensionNumbers(update_window_dims=(1, 3), inserted_window_dims=(1,), scatter_dims_to_operand_dims=(1, 0))
# jax drops a whole window that is partly outside, StableHLO one element at a time: the windows here are in or out whole
scatter_indices = np.array([[[0, 1], [3, 3]], [[9, -2], [0, 2]]], np.int32)
table("scatter_add", lax.scatter_add(operand, scatter_indices, filled((2, 2, 2, 3), 3), numbers, mode="drop"))
numbers = lax.ScatterDimensionNumbers(
    update_window_dims=(2,),
    inserted_window_dims=(1,),
    scatter_dims_to_operand_dims=(1,),
    operand_batching_dims=(0,),
    scatter_indices_batching_dims=(1,),
)
table("scatter_max", lax.scatter_max(operand, batch_indices[..., None], filled((2, 5, 3), 3), numbers, mode="drop"))

values, where = lax.top_k(filled((2, 7), 1), 4)
table("top_values", values)
table("top_indices", where.astype(np.int32))

z = filled((2, 3, 4), 1, np.float64) + 1j * filled((2, 3, 4), 2, np.float64)
table("fft_1", np.fft.fft(z))
table("ifft_2", np.fft.ifft2(z))
table("rfft_2", np.fft.rfft2(z.real))
table("irfft_2_5", np.fft.irfft2(z[..., :3], (3, 5)))
table("irfft_1_4", np.fft.irfft(z[..., :3], 4))

x, scale, offset = filled((3, 4, 2), 1, np.float64), np.array([1.5, -2, 0.5, 1]), np.array([0.25, 1, -1, 2])
grad = filled((3, 4, 2), 2, np.float64)


def normal(x, scale, offset):
    mean, variance = x.mean((0, 2)), x.var((0, 2))
    return (x - mean[:, None]) / jnp.sqrt(variance[:, None] + np.float32(1e-3)) * scale[:, None] + offset[:, None]


table("norm_y", normal(x, scale, offset))
table("norm_mean", x.mean((0, 2)))
table("norm_variance", x.var((0, 2)))
grads = jax.grad(lambda *a: (normal(*a) * grad).sum(), (0, 1, 2))(x, scale, offset)
for name, g in zip(("norm_grad_x", "norm_grad_scale", "norm_grad_offset"), grads):
    table(name, g)

# complex functions, away from branch cuts
z = np.array([0.5 + 0.25j, -1.5 + 2j, 3 - 0.75j, 1e-9 + 1e-10j, -0.25 - 1.25j])
table("complex_in", z)
for name in [
    "exp",
    "expm1",
    "log",
    "log1p",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "tanh",
    "arcsin",
    "arccos",
    "arctan",
    "arcsinh",
    "arccosh",
    "arctanh",
    "sinh",
    "cosh",
]:
    table("complex_" + name, getattr(np, name)(z))
table("complex_logistic", 1 / (1 + np.exp(-z)))
# numpy is off by several units in the last place here
table("complex_power", np.array([complex(mp.mpc(a) ** mp.mpc(b)) for a, b in zip(z, z[::-1])]))
table("complex_sign", z / abs(z))

r = lax.reduce_precision
x = np.array([0, -0.0, 1, 1 / 3, -1e-3, 65519, 65520, -1e30, 6e-5, 6.2e-5, 1e-40, np.inf, np.nan, 2.0**-14, 2.0**-133], np.float32)
table("precision_in", x)
table("precision_5_10", r(x, 5, 10))
table("precision_8_7", r(x, 8, 7))
table("precision_4_3", r(x, 4, 3))
