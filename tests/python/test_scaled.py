"""Products of float8 matrices with scales: against the CPU where it has them, else against float64 with scales spread by hand."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.functional import ScalingType as S
from torch.nn.functional import SwizzleType

FLOAT8 = [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz]
PLAIN, TILES = SwizzleType.NO_SWIZZLE, SwizzleType.SWIZZLE_32_4_4


def matrices(m: int, k: int, n: int, dtype: torch.dtype = torch.float8_e4m3fn) -> tuple[Tensor, Tensor]:
    """The second lies column by column, as matrix units want it."""
    return torch.randn(m, k).to(dtype), torch.randn(n, k).to(dtype).t()


def on_device(tree: object) -> object:
    return torch.utils._pytree.tree_map_only(Tensor, lambda t: t.to("tpu"), tree)


def blocks(size: int, of: int) -> int:
    return -(-size // of)


def spread(scale: Tensor, rows: int, columns: int, shape: tuple[int, int]) -> Tensor:
    """A scale for every element of a matrix from one for every block."""
    return scale.double().repeat_interleave(rows, 0).repeat_interleave(columns, 1)[: shape[0], : shape[1]]


def close(got: Tensor, wanted: Tensor) -> None:
    eps = 8e-3 if got.dtype == torch.bfloat16 else 2e-6
    torch.testing.assert_close(got.cpu().double(), wanted.double(), rtol=eps, atol=eps * wanted.abs().max().item())


@pytest.mark.parametrize("out", [None, torch.float32, torch.bfloat16, torch.float16, torch.float8_e5m2])
@pytest.mark.parametrize("dtype", FLOAT8)
@pytest.mark.parametrize("rows", [False, True])
def test_as_on_the_cpu(rows: bool, dtype: torch.dtype, out: torch.dtype | None) -> None:
    a, b = matrices(6, 20, 5, dtype)
    scales = (torch.rand(6, 1), torch.rand(1, 5)) if rows else (torch.tensor(0.3), torch.rand(1))
    wanted = torch._scaled_mm(a, b, *scales, out_dtype=out)
    got = torch._scaled_mm(*on_device((a, b, *scales)), out_dtype=out)
    assert (got.dtype, got.shape, got.stride()) == (wanted.dtype, wanted.shape, wanted.stride())
    steps = 2.0 ** -(3 if "e4m3" in str(got.dtype) else 2) if got.element_size() == 1 else 1e-2 if got.element_size() == 2 else 1e-5
    torch.testing.assert_close(got.cpu().float(), wanted.float(), rtol=steps, atol=1e-5, equal_nan=True)
    assert torch.tpu.fallback_counts() == {}


def test_bias_and_scale_of_the_result() -> None:
    a, b = matrices(4, 16, 8)
    one, bias = torch.ones(()), torch.randn(8)
    for options in (
        {"bias": bias, "out_dtype": torch.float32},
        {"bias": bias.bfloat16(), "out_dtype": torch.bfloat16},
        {"scale_result": torch.tensor(2.0), "out_dtype": torch.float8_e4m3fn},
        {"scale_result": torch.tensor(2.0), "out_dtype": torch.float32},
        {"scale_result": torch.tensor(2.0)},
    ):
        wanted = torch._scaled_mm(a, b, one, one, **options)
        got = torch._scaled_mm(*on_device((a, b, one, one)), **on_device(options))
        assert got.dtype == wanted.dtype
        torch.testing.assert_close(got.cpu().float(), wanted.float(), rtol=2e-2, atol=1e-5)


@pytest.mark.parametrize("size", [(0, 16, 8), (4, 0, 8), (4, 16, 0)])
def test_without_elements(size: tuple[int, int, int]) -> None:
    a, b = matrices(*size)
    scale = torch.ones(())
    got = torch._scaled_mm(*on_device((a, b, scale, scale)), out_dtype=torch.float32).cpu()
    assert torch.equal(got, torch.zeros(size[0], size[2]))


PAIRS = [(S.BlockWise1x128, S.BlockWise1x128), (S.BlockWise128x128, S.BlockWise1x128), (S.BlockWise1x128, S.BlockWise128x128)]


@pytest.mark.parametrize("first", [True, False], ids=["scaled_mm", "_scaled_mm"])
@pytest.mark.parametrize("size", [(256, 384, 128), (130, 300, 140), (3, 100, 5)])
@pytest.mark.parametrize("pair", PAIRS)
def test_blocks_of_128(pair: tuple[S, S], size: tuple[int, int, int], first: bool) -> None:
    m, k, n = size
    a, b = matrices(m, k, n)
    exact, scales = [], []
    for recipe, rows in zip(pair, (m, n), strict=True):
        high = 128 if recipe == S.BlockWise128x128 else 1
        scale = torch.rand(blocks(rows, high), blocks(k, 128)) + 0.5
        exact.append(spread(scale, high, 128, (rows, k)))
        if first and high == 128:  # columns first, padded to a multiple of four
            scales.append(F.pad(scale.t(), (0, 0, 0, -scale.shape[1] % 4), value=float("nan")))
        else:
            scales.append(scale if first or len(scales) == 0 else scale.t())
    wanted = (a.double() * exact[0]) @ (b.double() * exact[1].t())
    a, b, *scales = on_device((a, b, *scales))
    if first:
        got = F.scaled_mm(a, b, scales[0], pair[0], scales[1], pair[1], output_dtype=torch.float32)
    else:
        got = torch._scaled_mm(a, b, *scales, out_dtype=torch.float32)
    close(got, wanted)


def tiles(scale: Tensor) -> Tensor:
    """Scales as tensor cores want them: element (r, c) of a tile of 128 x 4 at place (r % 32, r // 32, c)."""
    rows, columns = blocks(scale.shape[0], 128), blocks(scale.shape[1], 4)
    flat = torch.full((rows, columns, 32, 4, 4), float("nan"))
    for r in range(scale.shape[0]):
        for c in range(scale.shape[1]):
            flat[r // 128, c // 4, r % 32, r % 128 // 32, c % 4] = scale[r, c]
    return flat.flatten()


@pytest.mark.parametrize("swizzle", [PLAIN, TILES])
@pytest.mark.parametrize("size", [(128, 128, 128), (130, 300, 7), (4, 32, 5)])
def test_blocks_of_32(size: tuple[int, int, int], swizzle: SwizzleType) -> None:
    m, k, n = size
    a, b = matrices(m, k, n)
    given, exact = [], []
    for rows in (m, n):
        scale = torch.exp2(torch.randint(-3, 4, (rows, blocks(k, 32))).float())
        exact.append(spread(scale, 1, 32, (rows, k)))
        given.append((tiles(scale) if swizzle == TILES else scale).to(torch.float8_e8m0fnu))
    wanted = (a.double() * exact[0]) @ (b.double() * exact[1].t())
    a, b, *given = on_device((a, b, *given))
    recipe = S.BlockWise1x32
    close(F.scaled_mm(a, b, given[0], recipe, given[1], recipe, swizzle, swizzle, output_dtype=torch.bfloat16), wanted)
    if swizzle == TILES:
        close(torch._scaled_mm(a, b, *given, out_dtype=torch.float32), wanted)


@pytest.mark.parametrize("kind", ["rows", "columns", "inner", "all"])
@pytest.mark.parametrize("first", [True, False], ids=["scaled_grouped_mm", "_scaled_grouped_mm"])
def test_groups(kind: str, first: bool) -> None:
    ends, g = (2, 2, 7, 10), 4
    shapes = {
        "rows": ((12, 8), (4, 8, 6)),
        "columns": ((4, 5, 8), (8, 11)),
        "inner": ((5, 10), (10, 6)),
        "all": ((4, 5, 8), (4, 8, 6)),
    }
    a, b = (torch.randn(shape).to(torch.float8_e4m3fn) for shape in shapes[kind])
    m, n = a.shape[-2], b.shape[-1]
    sa = torch.rand(g, m) if a.dim() == 3 else torch.rand(m * (g if kind == "inner" else 1))
    sb = torch.rand(g, n) if b.dim() == 3 else torch.rand(n * (g if kind == "inner" else 1))
    x, y, begin, parts = a.double(), b.double(), 0, []
    for i, end in enumerate(ends):
        left = x[i] if a.dim() == 3 else x[begin:end] if kind == "rows" else x[:, begin:end]
        right = y[i] if b.dim() == 3 else y[:, begin:end] if kind == "columns" else y[begin:end]
        scale_l = sa[i] if a.dim() == 3 else sa[begin:end] if kind == "rows" else sa.view(g, m)[i]
        scale_r = sb[i] if b.dim() == 3 else sb[begin:end] if kind == "columns" else sb.view(g, n)[i]
        parts.append((left @ right) * scale_l.double()[:, None] * scale_r.double())
        begin = end
    wanted = torch.cat(parts, 0 if kind == "rows" else 1) if kind in ("rows", "columns") else torch.stack(parts)
    offs = None if kind == "all" else torch.tensor(ends, dtype=torch.int32)
    a, b, sa, sb, offs = on_device((a, b, sa, sb, offs))
    if first:
        got = F.scaled_grouped_mm(a, b, sa, S.RowWise, sb, S.RowWise, offs=offs)
    else:
        got = torch._scaled_grouped_mm(a, b, sa, sb, offs=offs)
    assert got.dtype == torch.bfloat16
    close(got[: wanted.shape[0], : wanted.shape[1]] if got.dim() == 2 else got, wanted)


WRONG = [
    ("matrix", lambda a, b, s: torch._scaled_mm(a[0], b, s, s)),
    ("cannot be multiplied", lambda a, b, s: torch._scaled_mm(a, b.t(), s, s)),
    ("Invalid scaling", lambda a, b, s: torch._scaled_mm(a, b, s.expand(3), s)),
    ("Invalid scaling", lambda a, b, s: torch._scaled_mm(a, b, s.double(), s)),
    ("Invalid scaling", lambda a, b, s: torch._scaled_mm(a.float(), b, s, s)),
    ("Invalid scaling", lambda a, b, s: torch._scaled_mm(a, b, s.expand(4, 1), s)),
    ("Bias must be size 8 but got 3", lambda a, b, s: torch._scaled_mm(a, b, s, s, bias=s.expand(3))),
    ("float scalar", lambda a, b, s: torch._scaled_mm(a, b, s, s, scale_result=s.expand(3))),
    ("must match output", lambda a, b, s: torch._scaled_mm(a, b, s, s, out_dtype=torch.half, out=s.new_empty(4, 8))),
    ("mat_a must be a matrix", lambda a, b, s: torch._scaled_mm_v2(a[0], b, [s], [0], [0], [s], [0], [0], None, None)),
    ("Invalid scaling", lambda a, b, s: torch._scaled_mm_v2(a, b, [s], [9], [0], [s], [0], [0], None, None)),
    ("Invalid scaling", lambda a, b, s: torch._scaled_mm_v2(a, b, [], [], [], [s], [0], [0], None, None)),
    ("1 Float element", lambda a, b, s: torch._scaled_mm_v2(a, b, [s.expand(3)], [0], [0], [s], [0], [0], None, None)),
    ("scale_a", lambda a, b, s: torch._scaled_mm_v2(a, b, [s.expand(3, 1)], [1], [0], [s.expand(1, 8)], [1], [0], None, None)),
    ("swizzle", lambda a, b, s: torch._scaled_mm_v2(a, b, [s], [0], [1], [s], [0], [1], None, None)),
    ("exactly 2", lambda a, b, s: torch._scaled_mm_v2(a, b, [s], [0], [0], [s], [0], [0], None, None, [1])),
    ("contraction dims", lambda a, b, s: torch._scaled_mm_v2(a, b, [s], [0], [0], [s], [0], [0], None, None, [0, 1])),
]


@pytest.mark.parametrize("message, call", WRONG)
def test_refuses_as_the_cpu(message: str, call: object) -> None:
    a, b = matrices(4, 16, 8)
    one = torch.ones(1)
    with pytest.raises((RuntimeError, ValueError)) as expected:
        call(a, b, one)
    with pytest.raises(expected.type, match=message):
        call(*on_device((a, b, one)))


def test_groups_refuse() -> None:
    a, b = torch.ones(4, 8, device="tpu"), torch.ones(2, 8, 3, device="tpu")
    offs = torch.tensor([1, 4], dtype=torch.int32, device="tpu")
    rows, columns = a.new_ones(4), a.new_ones(2, 3)
    with pytest.raises(RuntimeError, match="Float8"):
        torch._scaled_grouped_mm(a, b, rows, columns, offs=offs)
    a, b = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
    with pytest.raises(RuntimeError, match="scale_b"):
        torch._scaled_grouped_mm(a, b, rows, columns[0], offs=offs)
    with pytest.raises(RuntimeError, match="offsets"):
        torch._scaled_grouped_mm(a, b, rows, columns)


@pytest.mark.parametrize("source", [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.float8_e5m2])
@pytest.mark.parametrize("dtype", [*FLOAT8, torch.float8_e8m0fnu])
def test_numbers_out_of_range_become_what_they_do_on_the_cpu(dtype: torch.dtype, source: torch.dtype) -> None:
    given = torch.tensor([0.0, -0.0, 447, 448, 456, 464, 465, 500, -1e4, 57344, torch.inf, -torch.inf, torch.nan]).to(source)
    torch.testing.assert_close(given.to("tpu").to(dtype).cpu().float(), given.to(dtype).float(), equal_nan=True, rtol=0, atol=0)
    whole = torch.tensor([-500, 3, 500])
    torch.testing.assert_close(whole.to("tpu").to(dtype).cpu().float(), whole.to(dtype).float(), equal_nan=True)
