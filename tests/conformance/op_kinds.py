"""The ways of calling PyTorch's operator samples (op_db), of which each must do on tpu what it does on the CPU.

Both devices must give the same results, or raise an exception of the same type. Where numbers differ by more than the tolerance,
float64 decides: the device may be twice as far from it as the CPU is, or a rounding.
"""

import contextlib
import itertools
import re
from collections.abc import Callable, Iterator

import torch
from op_db import FREE_VECTORS, HOST_ARGUMENTS, TOLERANCE, UNSPECIFIED, gradients, is_random, tensors, to_device

# Which of equal elements comes first is free; the number of arguments before ``dim``.
FREE_TIES = {"sort": 0, "argsort": 0, "topk": 1, "kthvalue": 1, "mode": 0}
# Of no elements the CPU leaves these unwritten.
UNWRITTEN = {"resize_", "resize_as_", "nn.functional.multi_margin_loss", "nn.functional.multilabel_margin_loss"}
LIBRARY = "MKL FFT error"  # MKL wants at least one transform
NOTHING = ("raises", ["nothing", "what is to be written could not be made"])
Sample = object
Outcome = tuple[str, list]  # ("tensors", them) or ("raises", [name of the exception, its text])


def outcome(run: Callable[[], object]) -> Outcome:
    try:
        made = tensors(run())
        torch.tpu.synchronize()
        return "tensors", made
    except Exception as error:
        with contextlib.suppress(Exception):  # leaves nothing for the next one
            torch.tpu.synchronize()
        return "raises", [type(error).__name__, str(error)]


def told(op: object, sample: Sample, result: object, given: torch.Tensor) -> object:
    """What of the results does not hang on a choice that is free; ``given`` is the input."""
    if op.name in FREE_VECTORS:
        return sample.output_process_fn_grad(result)
    if op.name in FREE_TIES and given.dim():
        dim = sample.kwargs.get("dim", next((a for a in sample.args[FREE_TIES[op.name] :] if not isinstance(a, bool)), -1))
        *values, places = tensors(result)
        return [*values, torch.take_along_dim(given.detach(), places, dim)] if places.dim() == given.dim() else values
    return result


class Arguments:
    """A sample's arguments on a device."""

    def __init__(self, op: object, sample: Sample, device: str) -> None:
        (self.input, args, self.kwargs), self.wanting = to_device((sample.input, sample.args, sample.kwargs), device)
        self.args = sample.args if op.name in HOST_ARGUMENTS else args


def differentiable(op: object, sample: Sample) -> bool:
    return any(t.requires_grad for t in tensors((sample.input, sample.args, sample.kwargs)))


def forward(op: object, sample: Sample, device: str) -> Iterator[Outcome]:
    """Values, shapes and dtypes."""
    a = Arguments(op, sample, device)
    yield outcome(lambda: told(op, sample, op(a.input, *a.args, **a.kwargs), a.input))


def strides(op: object, sample: Sample, device: str) -> Iterator[Outcome]:
    """The strides of results, where there are elements to step over."""
    a = Arguments(op, sample, device)
    kind, made = outcome(lambda: op(a.input, *a.args, **a.kwargs))
    if kind == "tensors":
        made = [torch.tensor([s for n, s in zip(t.shape, t.stride(), strict=True) if n > 1 and t.numel()]) for t in made]
    yield kind, made


def backward(op: object, sample: Sample, device: str) -> Iterator[Outcome]:
    """Gradients, and which there are."""
    a = Arguments(op, sample, device)

    def run() -> list[torch.Tensor]:
        got = gradients(sample.output_process_fn_grad(op(a.input, *a.args, **a.kwargs)), a.wanting)
        return [torch.tensor(float("nan")) if g is None else g for g in got]  # None where the CPU has None

    if differentiable(op, sample):
        yield outcome(run)


def double(op: object, sample: Sample, device: str) -> Iterator[Outcome]:
    """Gradients of gradients."""
    a = Arguments(op, sample, device)

    def run() -> list[torch.Tensor]:
        first = gradients(sample.output_process_fn_grad(op(a.input, *a.args, **a.kwargs)), a.wanting, create_graph=True)
        got = gradients([g for g in first if g is not None], a.wanting)
        return [torch.tensor(float("nan")) if g is None else g for g in got]

    if op.supports_gradgrad and differentiable(op, sample):
        yield outcome(run)


def noncontiguous(op: object, sample: Sample, device: str) -> Iterator[Outcome]:
    """Inputs with gaps between their elements, forward and backward."""
    spread = sample.noncontiguous()
    yield from forward(op, spread, device)
    yield from backward(op, spread, device)


def inplace(op: object, sample: Sample, device: str) -> Iterator[Outcome]:
    """The variant that writes its input, and what it returns."""
    variant, a = op.inplace_variant, Arguments(op, sample, device)
    if variant is None or not isinstance(a.input, torch.Tensor) or sample.broadcasts_input:
        return

    def run() -> list[torch.Tensor]:
        given = a.input.clone()
        got = variant(given, *a.args, **a.kwargs)
        made = [torch.tensor(got is given), given]
        return made + [g for g in gradients(given, a.wanting) if g is not None]

    yield outcome(run)


def outputs(expected: list[torch.Tensor]) -> Iterator[list[torch.Tensor]]:
    """What results may be written into."""
    yield [torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device=t.device).fill_(1) for t in expected]
    yield [t.new_empty(0) for t in expected]
    yield [t.new_ones((*t.shape, 2))[..., 1] for t in expected]
    other = torch.float32 if not expected[0].dtype.is_floating_point else torch.int64
    yield [torch.ones_like(t, dtype=other) for t in expected]


def out(op: object, sample: Sample, device: str) -> Iterator[Outcome]:
    """out= with the right size, with none, with gaps, of another dtype."""
    if not op.supports_out:
        return
    a = Arguments(op, sample, device)
    with torch.no_grad():
        try:
            result = op(a.input, *a.args, **a.kwargs)
        except Exception:
            return
        expected = tensors(result)
        if not expected:
            return
        for places in outputs(expected):
            given = places[0] if isinstance(result, torch.Tensor) else tuple(places)

            def run(places: list = places, given: object = given) -> list[torch.Tensor]:
                before = [t.data_ptr() for t in places]
                got = tensors(told(op, sample, op(a.input, *a.args, **a.kwargs, out=given), a.input))
                kept = [t.data_ptr() == p or not t.numel() for t, p in zip(places, before, strict=True) if p]
                steps = [torch.tensor(t.stride() if t.numel() else ()) for t in places]
                same = (
                    [torch.tensor(x is y) for x, y in zip(got, places, strict=True)]
                    if op.name not in FREE_VECTORS | FREE_TIES.keys()
                    else []
                )
                return [torch.tensor(kept), *same, *steps, *got]

            yield outcome(run)


def empty(op: object, sample: Sample, device: str) -> Iterator[Outcome]:
    """Inputs cut to no elements along a dimension."""
    given = tensors((sample.input, sample.args, sample.kwargs))
    for place in (0, -1):
        size = given[0].shape[place] if given and given[0].dim() else 0
        if size == 0:
            return

        def cut(leaf: object, place: int = place, size: int = size) -> object:
            if isinstance(leaf, torch.Tensor) and leaf.dim() and leaf.shape[place] == size:
                return leaf.detach().narrow(place, 0, 0).clone().requires_grad_(leaf.requires_grad)
            return leaf

        yield from forward(op, sample.transform(cut), device)


KINDS = {f.__name__: f for f in (forward, strides, backward, double, noncontiguous, inplace, out, empty)}


def difference(got: list, expected: list, exact: list | None, factor: float) -> str:
    """How tensors of two devices differ, if they do; ``exact`` has them in float64."""
    if len(got) != len(expected):
        return f"{len(got)} tensors for {len(expected)}"
    for i, (a, b) in enumerate(zip(got, expected, strict=True)):
        a, b = a.detach().cpu(), b.detach()
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"{a.dtype} {list(a.shape)} for {b.dtype} {list(b.shape)}"
        if b.is_floating_point() and b.element_size() == 1:  # which few operators take
            a, b = a.float(), b.float()
        rtol, atol = (factor * t for t in TOLERANCE.get(b.dtype, (1e-6, 1e-7)))
        try:
            torch.testing.assert_close(a, b, equal_nan=True, rtol=rtol, atol=atol)
        except AssertionError as error:
            if exact is None or not near(a, b, exact[i].detach()):
                return f"result {i}: {error}"
    return ""


def parts(t: torch.Tensor) -> torch.Tensor:
    """Real and imaginary parts in float64; both are NaN where one is."""
    if not t.dtype.is_complex:
        return t.double()
    return torch.view_as_real(torch.where(t.isnan(), complex("nan+nanj"), t.to(torch.complex128)))


def near(a: torch.Tensor, b: torch.Tensor, exact: torch.Tensor) -> bool:
    """Whether ``a`` is at most twice as far from the exact numbers as ``b`` is, or a rounding of the largest, and equals ``b``
    where that is not finite."""
    if not (b.dtype.is_floating_point or b.dtype.is_complex) or exact.shape != b.shape:
        return False
    eps = torch.finfo(b.dtype).eps
    a, b, exact = (parts(t) for t in (a, b, exact))
    finite = b.isfinite()
    if not torch.allclose(a[~finite], b[~finite], rtol=0, atol=0, equal_nan=True):
        return False
    if not finite.any():
        return True
    ours, theirs = ((t - exact)[finite].abs().max().item() for t in (a, b))
    return ours <= 2 * theirs + eps * exact[finite].abs().max().item()


def widened(sample: Sample) -> Sample:
    """The sample with its numbers in float64."""

    def widen(leaf: object) -> object:
        if isinstance(leaf, torch.Tensor) and (leaf.is_floating_point() or leaf.is_complex()):
            return leaf.detach().to(torch.complex128 if leaf.is_complex() else torch.float64).requires_grad_(leaf.requires_grad)
        return leaf

    return sample.transform(widen)


def compare(op: object, kind: str, sample: Sample, pair: tuple[Outcome, Outcome], place: int) -> tuple[str, str]:
    """(result, detail) of what the device and the CPU did in the ``place``-th call of a kind."""
    (did, got), (expected_did, expected) = pair
    if did != expected_did or (did == "raises" and got[0] != expected[0]):
        names = ["results" if d == "tensors" else ": ".join(made) for d, made in pair]
        result = "silent" if did == "tensors" else "missing" if got[0] == "NotImplementedError" else "error"
        return result, f"{names[0]} for {names[1]}"
    if did == "raises":
        return "pass", ""
    if UNSPECIFIED.search(op.name) or (kind == "empty" and op.name in UNWRITTEN):
        got, expected = ([torch.empty(t.shape, dtype=t.dtype, device="meta") for t in made] for made in (got, expected))
        same = [(t.shape, t.dtype) for t in got] == [(t.shape, t.dtype) for t in expected]
        return ("pass", "") if same else ("wrong", f"{got} for {expected}")
    factor = 1 if kind == "forward" else 3
    problem = difference(got, expected, None, factor)
    if problem:
        did, exact = next(itertools.islice(KINDS[kind](op, widened(sample), "cpu"), place, None), ("none", []))
        problem = difference(got, expected, exact, factor) if did == "tensors" and len(exact) == len(expected) else problem
    return ("wrong", problem) if problem and not is_random(op, sample) else ("pass", "")


def expectation(op: object, kind: str, sample: Sample) -> list[Outcome]:
    """What the CPU does; the meta device where it is a library of the CPU's that refuses results without elements."""
    expected = list(KINDS[kind](op, sample, "cpu"))
    if any(did == "raises" and got[1].startswith(LIBRARY) for did, got in expected):
        for place, (did, made) in enumerate(KINDS[kind](op, sample, "meta")):
            if did == "tensors" and not any(t.numel() for t in made):
                expected[place] = did, [torch.empty_like(t, device="cpu") for t in made]
    return expected


def check(op: object, kind: str, sample: Sample) -> tuple[str, str]:
    """(result, detail) of one sample called in one way; the result is empty where the CPU cannot."""
    expected = expectation(op, kind, sample)
    if not expected or (expected[0][0] == "raises" and kind != "empty"):
        return "", ""
    for place, pair in enumerate(itertools.zip_longest(KINDS[kind](op, sample, "tpu"), expected, fillvalue=NOTHING)):
        result, detail = compare(op, kind, sample, pair, place)
        if result != "pass":
            return result, detail
    return "pass", ""


def errors(op: object) -> Iterator[tuple[str, str]]:
    """(result, detail) of each of the entry's wrong inputs."""
    for wrong in op.error_inputs("cpu") if op.error_inputs_func else ():
        pair = []
        for device in ("cpu", "tpu"):
            a = Arguments(op, wrong.sample_input, device)
            pair.append(outcome(lambda a=a: op(a.input, *a.args, **a.kwargs)))
        (did, got), (expected_did, expected) = reversed(pair)
        if expected_did == "tensors":  # the CPU takes it
            continue
        if did == "tensors":
            yield "silent", f"results for {': '.join(expected)}"
        elif got[0] != expected[0]:
            yield ("missing" if got[0] == "NotImplementedError" else "error"), f"{': '.join(got)} for {': '.join(expected)}"
        elif not re.search(wrong.error_regex, got[1]):
            yield "text", f"{got[1]} for {expected[1]}"
        else:
            yield "pass", ""
