"""Writes npy_files.inc: files as numpy (and ml_dtypes) write them, and the bytes of their elements in row-major order.

python tests/tools/npy_files.py        (needs numpy and ml_dtypes)
"""

import io
from pathlib import Path

import ml_dtypes
import numpy as np

OUT = Path(__file__).with_suffix(".inc")


def file_of(array: np.ndarray, version: tuple[int, int] | None = None) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


def literal(data: bytes) -> str:
    """A C string of these bytes; the padding of numpy's headers is cut up, so that lines stay short."""
    chars = [chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in data]
    return "\n     ".join('"' + "".join(chars[i : i + 70]) + '"' for i in range(0, max(len(chars), 1), 70))


def row(name: str, dtype: str, array: np.ndarray, version: tuple[int, int] | None = None) -> str:
    elements = np.ascontiguousarray(array)
    if elements.dtype.byteorder == ">":
        elements = elements.astype(elements.dtype.newbyteorder("<"))
    if dtype in ("I2", "I4"):  # the engine extends the sign to the whole byte
        elements = elements.astype(np.int8)
    file, values = file_of(array, version), elements.tobytes()
    dims = ", ".join(str(n) for n in array.shape) or "0"
    head = f'    {{"{name}", FL_{dtype}, {array.ndim}, {{{dims}}}, {len(file)},'
    return f"{head}\n     {literal(file)},\n     {len(values)}, {literal(values)}}},"


def main() -> None:
    grid = np.arange(6).reshape(2, 3)
    rows = [
        row("bool", "I1", np.array([True, False, True])),
        row("int8", "I8", np.array([-128, 127], np.int8)),
        row("int16", "I16", np.array([-300], np.int16)),
        row("int32", "I32", grid.astype(np.int32)),
        row("int64", "I64", np.array(-(2**40))),
        row("uint8", "U8", np.array([255], np.uint8)),
        row("uint16", "U16", np.array([65535], np.uint16)),
        row("uint32", "U32", np.array([2**32 - 1], np.uint32)),
        row("uint64", "U64", np.array([2**64 - 1], np.uint64)),
        row("float16", "F16", np.array([1.5, -2], np.float16)),
        row("float32", "F32", np.array([1.5, -2], np.float32)),
        row("float64", "F64", np.array([0.1], np.float64)),
        row("complex64", "C64", np.array([1 + 2j], np.complex64)),
        row("complex128", "C128", np.array([1 - 2j])),
        row("Fortran order", "I32", np.asfortranarray(grid.astype(np.int32))),
        row("Fortran order, three dimensions", "I16", np.asfortranarray(np.arange(24, dtype=np.int16).reshape(2, 3, 4))),
        row("big-endian", "I32", np.array([1, 2], ">i4")),
        row("big-endian complex", "C64", np.array([1 + 2j], ">c8")),
        row("big-endian, Fortran order", "F64", np.asfortranarray(grid.astype(">f8"))),
        row("no elements", "F32", np.zeros((2, 0), np.float32)),
        row("scalar", "F32", np.array(3, np.float32)),
        row("version 2", "I8", np.array([1], np.int8), (2, 0)),
        row("version 3", "I8", np.array([1], np.int8), (3, 0)),
        row("bfloat16", "BF16", np.array([1.5, -2], ml_dtypes.bfloat16)),
        row("float8_e4m3fn", "F8E4M3FN", np.array([1.5, -2], ml_dtypes.float8_e4m3fn)),
        row("float8_e5m2", "F8E5M2", np.array([1.5, -2], ml_dtypes.float8_e5m2)),
        row("float8_e8m0fnu", "F8E8M0FNU", np.array([2, 4], ml_dtypes.float8_e8m0fnu)),
        row("float6_e2m3fn", "F6E2M3FN", np.array([1.5, -2], ml_dtypes.float6_e2m3fn)),
        row("float4_e2m1fn", "F4E2M1FN", np.array([1.5, -2], ml_dtypes.float4_e2m1fn)),
        row("int4", "I4", np.array([-8, 7], ml_dtypes.int4)),
        row("uint4", "U4", np.array([15, 0], ml_dtypes.uint4)),
        row("int2", "I2", np.array([-2, 1], ml_dtypes.int2)),
    ]
    OUT.write_text("/* Made by npy_files.py. */\n/* clang-format off */\n" + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
