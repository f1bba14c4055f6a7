"""Results lie in memory as the CPU's do: channels last stay last, permuted dimensions keep their order. Values are right, too."""

import modes
import pytest
import torch
import torch.nn.functional as F

torch.manual_seed(0)
IMAGE = torch.randn(2, 4, 6, 6).contiguous(memory_format=torch.channels_last)
VOLUME = torch.randn(2, 4, 6, 5, 6).contiguous(memory_format=torch.channels_last_3d)
PLACES = F.max_pool2d(IMAGE, 2, return_indices=True)[1]
FORMATS = {
    "channels last": IMAGE,
    "rows": IMAGE.contiguous(),
    "one channel": IMAGE[:, :1].clone(memory_format=torch.channels_last),
    "one place": IMAGE[..., :1, :1].clone(memory_format=torch.channels_last),
    "permuted": torch.randn(6, 4, 2, 6).permute(2, 1, 0, 3),
    "with gaps": torch.randn(2, 6, 6, 8).permute(0, 3, 1, 2)[:, ::2],
    "expanded": torch.randn(2, 1, 6, 6).expand(2, 4, 6, 6),
    "nothing": IMAGE[:0],
}


def ones(x: torch.Tensor, *sizes: int) -> torch.Tensor:
    return torch.ones(sizes or x.shape[1:2], device=x.device)


def batch_norm(x: torch.Tensor, training: bool) -> torch.Tensor:
    return F.batch_norm(x, ones(x) * 0.5, ones(x) * 2, ones(x), ones(x), training)


# Of one tensor, which may lie in any way
OF_IMAGES = {
    "average": lambda x: F.adaptive_avg_pool2d(x, 1 if x.shape[-1] == 1 else 3),
    "batch norm": lambda x: batch_norm(x, False),
    "batch norm, training": lambda x: batch_norm(x, True),
    "pad": lambda x: F.pad(x, (1, 2, 0, 1)),
    "replicate": lambda x: F.pad(x, (1, 1, 1, 1), mode="replicate"),
    "roll": lambda x: x.roll(1, 1),
    "flip": lambda x: x.flip(1, 3),
    "turn": lambda x: torch.rot90(x, 1, (2, 3)),
    "where": lambda x: torch.where(x > 0, x, 2.0),
    "where rows": lambda x: torch.where(x.contiguous() > 0, x, x),
    "where of a row": lambda x: torch.where(ones(x, x.shape[-1]) > 0, x, x + 1),
    "prelu": lambda x: F.prelu(x, ones(x) * 0.1),
    "entropy": lambda x: F.binary_cross_entropy(x.sigmoid(), x.sigmoid().detach(), reduction="none"),
    "entropy of logits": lambda x: F.binary_cross_entropy_with_logits(x, x.sigmoid().detach(), reduction="none"),
    "mean entropy": lambda x: F.binary_cross_entropy(x.sigmoid(), x.sigmoid().detach()),
    "margin": lambda x: F.soft_margin_loss(x, x.detach().sign(), reduction="none"),
    "huber": lambda x: F.huber_loss(x, x.detach() * 0.5, reduction="none"),
    "evaluation": lambda x: F.dropout(x, 0.5, training=False),
    "relu": F.relu,
    "relu6": F.relu6,
    "hardswish": F.hardswish,
    "mish": F.mish,
    "silu": F.silu,
    "logit": lambda x: torch.logit(x.sigmoid(), 1e-3),
    "rsub": lambda x: 1 - x,
    "floor": lambda x: torch.floor_divide(x.detach(), 0.5) + x,
    "size": torch.abs,
    "size into nothing": lambda x: torch.abs(x.detach(), out=torch.empty(0, device=x.device)) + x,
    "logic": lambda x: torch.logical_not(x > 0).logical_and(x > 1) * x,
    "remainder": lambda x: torch.remainder(2.0, x.detach().abs() + 1) + x,
    "angle": lambda x: torch.angle(x),
    "isnan": lambda x: torch.where(torch.isnan(x), x, x),
    "mean square": lambda x: F.mse_loss(x, x.detach() + 1),
    "chain": lambda x: F.relu(batch_norm(x, False)).flip(2) * 2 + x,
}
OF_VOLUMES = {
    "batch norm": lambda x: batch_norm(x, True),
    "largest": lambda x: F.max_pool3d(x, 2),
    "pad": lambda x: F.pad(x, (1, 1)),
    "reflect": lambda x: F.pad(x, (1, 1, 1, 1, 1, 1), mode="reflect"),
    "replicate": lambda x: F.pad(x, (1, 1, 1, 1, 1, 1), mode="replicate"),
}


def results(call: object, x: torch.Tensor, device: str, backward: bool = True) -> list[torch.Tensor]:
    """What a call gives and, of it, the gradient."""
    whole = x.as_strided((x.untyped_storage().nbytes() // 4,), (1,)).to(device)
    given = whole.as_strided(x.shape, x.stride()).requires_grad_(backward)
    y = call(given)
    if not backward:
        return [y]
    weights = torch.arange(float(y.numel()), device=device).view(y.shape).clone(memory_format=torch.contiguous_format)
    return [y.detach(), torch.autograd.grad(y, given, weights if y.dim() else None)[0]]


def order(x: torch.Tensor) -> list[int]:
    """The strides between elements that there are."""
    return [s for n, s in zip(x.shape, x.stride(), strict=True) if n > 1 and x.numel()]


def same(call: object, x: torch.Tensor, mode: str, backward: bool = True) -> None:
    expected = results(call, x, "cpu", backward)
    with modes.mode(mode):
        got = results(call, x, "tpu", backward)
        for mine, other in zip(got, expected, strict=True):
            torch.testing.assert_close(mine.cpu(), other, equal_nan=True, rtol=1e-4, atol=1e-4)
    assert order(got[0]) == order(expected[0]), x.stride()


@pytest.mark.parametrize("mode", ["strict", "fused"])
@pytest.mark.parametrize("name", OF_IMAGES)
def test_images(name: str, mode: str) -> None:
    for x in FORMATS.values():
        same(OF_IMAGES[name], x, mode)


@pytest.mark.parametrize("name", OF_VOLUMES)
def test_volumes(name: str) -> None:
    same(OF_VOLUMES[name], VOLUME, "strict")
    same(OF_VOLUMES[name], VOLUME.contiguous(), "strict")


GRADIENTS = ["average", "batch norm", "batch norm, training", "pad", "replicate", "roll", "flip", "prelu", "entropy"]


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_lie_as_what_they_are_of(name: str) -> None:
    x = IMAGE.to("tpu").requires_grad_()
    y = OF_IMAGES[name](x)
    gradient = torch.autograd.grad(y, x, torch.ones_like(y))[0]
    assert gradient.is_contiguous(memory_format=torch.channels_last)


def test_places_of_maxima_and_their_inverse() -> None:
    for device in ("cpu", "tpu"):
        places = F.max_pool3d(VOLUME.to(device), 2, return_indices=True)[1]
        assert places.is_contiguous(memory_format=torch.channels_last_3d)
        back = F.max_unpool2d(IMAGE[..., ::2, ::2].to(device), PLACES.to(device), 2)
        rows = F.max_unpool2d(IMAGE[..., ::2, ::2].contiguous().to(device), PLACES.to(device), 2)
        assert torch.equal(back.cpu(), rows.cpu())
    x = F.max_pool2d(IMAGE, 2)
    expected, got = F.max_unpool2d(x, PLACES, 2), F.max_unpool2d(x.to("tpu"), PLACES.to("tpu"), 2)
    assert torch.equal(got.cpu(), expected) and order(got) == order(expected)


def test_dropout_keeps_the_order() -> None:
    for x in FORMATS.values():
        expected, got = F.dropout(x, 0.5), F.dropout(x.to("tpu"), 0.5)
        assert order(got) == order(expected)


def test_compiled_graphs_keep_it() -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        return F.relu(batch_norm(x, False)).flip(2) * 2 + torch.where(x > 0, x, 1.0)

    compiled = torch.compile(step, backend="tpu")
    for x in (IMAGE, IMAGE.contiguous()):
        expected, got = step(x), compiled(x.to("tpu"))
        torch.testing.assert_close(got.cpu(), expected, rtol=1e-4, atol=1e-4)
        assert order(got) == order(expected)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn"])
def test_transforms_lie_as_the_cpus_do(name: str) -> None:
    x = torch.randn(2, 3, 4, 5, dtype=torch.float32 if name in ("rfftn", "ihfftn") else torch.complex64)
    function = getattr(torch.fft, name)
    for y in (x, x.permute(2, 0, 3, 1), x.transpose(1, 3)):
        for dims in ((0,), (2,), (3,), (0, 1), (3, 1), (2, 0, 1), (0, 1, 2, 3), (3, 2, 1, 0)):
            expected, got = function(y, dim=dims), function(y.to("tpu"), dim=dims)
            torch.testing.assert_close(got.cpu(), expected, rtol=1e-4, atol=1e-4)
            assert got.stride() == expected.stride()


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (2, 2, 4, 4)], ids=str)
def test_factors_lie_by_columns(shape: tuple[int, ...]) -> None:
    a = torch.randn(shape, dtype=torch.float64)
    a = a @ a.mT + torch.eye(shape[-1])
    calls = [
        lambda x: torch.geqrf(x),
        lambda x: torch.linalg.eig(x),
        lambda x: torch.linalg.householder_product(*torch.geqrf(x)),
        lambda x: torch.ormqr(*torch.geqrf(x), x),
        lambda x: torch.cholesky_inverse(x),
        lambda x: torch.cholesky_solve(x, x),
    ]
    for call in calls:
        for expected, got in zip(*(r if isinstance(r, tuple) else (r,) for r in (call(a), call(a.to("tpu")))), strict=True):
            assert got.stride() == expected.stride()
