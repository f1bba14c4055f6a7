"""Writes f8_values.inc: the narrow float formats as ml_dtypes has them.

Run: python tests/base/f8_values.py > tests/base/f8_values.inc
"""
import ml_dtypes
import numpy as np

FORMATS = ["f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU"]
VALUES = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.1, -0.3, 1.75, 5.3, 6.5, 7.3, 15.5, 28, 29.9, -30, 31, 100.7,
                   239, 240.1, 247.9, 248, 448, 463.9, 464, 465, -500, 57344, 61439, 61440, 65504, 1e30, -1e38, 3.4e38, 1e-3,
                   2e-5, -1e-5, 7e-6, 3e-8, 1e-38, 8e-39, 1e-45, 0.0078125, 0.0009765625, 0.01171875], np.float32)


def rows(name, values):
    print(f"{{ /* {name} */")
    for i in range(0, len(values), 8):
        print("    " + ", ".join(f"{v:#x}" for v in values[i:i + 8]) + ",")
    print("},")


print("static const uint32_t decoded[][256] = { /* f32 bits of every code */")
for name in FORMATS:
    dtype = getattr(ml_dtypes, "float" + name[1:].lower().replace("e", "_e", 1))
    codes = np.arange(2 ** int(name[1]), dtype=np.uint8).view(dtype)
    decoded = codes.astype(np.float32)
    decoded[np.isnan(decoded)] = np.nan
    rows(name, decoded.view(np.uint32))
print("};")
print("static const uint32_t values[] = { /* f32 bits */")
print(", ".join(f"{v:#x}" for v in VALUES.view(np.uint32)))
print("};")
print("static const uint8_t encoded[][sizeof values / sizeof *values] = {")
for name in FORMATS:
    dtype = getattr(ml_dtypes, "float" + name[1:].lower().replace("e", "_e", 1))
    rows(name, VALUES.astype(dtype).view(np.uint8))
print("};")
