"""PyTorch's samples of modules (module_db) and optimizers (optim_db) on tpu, against the CPU.

    python tests/conformance/module_db.py [--dtypes float32,float64,bfloat16,float16] [--only NAME]

Of every module, in training and evaluation where they differ: forward; gradients of inputs and parameters; the same with inputs
that have gaps between their elements; state dict to and from the host; pickle. Of every optimizer but SparseAdam, with each of its
configurations and forms (loop, foreach, fused): steps, state dict to and from the host, pickle.
"""

import argparse
import copy
import io
import pickle
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.testing._internal.common_modules import ModuleInfo, module_db
from torch.testing._internal.common_optimizers import OptimizerInfo, optim_db
from torch.utils._pytree import tree_leaves, tree_map

# of the largest element: sums of other orders
TOLERANCE = {torch.float64: 1e-7, torch.float32: 5e-5, torch.bfloat16: 3e-2, torch.float16: 5e-3}
TOLERANCE |= {torch.complex64: 5e-5, torch.complex128: 1e-7}


def largest(x: Tensor) -> float:
    """The largest element, of those that are finite."""
    if x.is_nested:
        return max(map(largest, x.unbind()), default=0.0)
    finite = x.detach()[x.isfinite()]
    return finite.abs().max().item() if finite.numel() and x.dtype in TOLERANCE else 0.0


def same(got: Any, want: Any, what: str) -> None:
    """Raise AssertionError where results differ: in structure, shape, dtype or value."""
    ours, theirs = tree_leaves(got), tree_leaves(want)
    assert len(ours) == len(theirs), f"{what}: {len(ours)} results instead of {len(theirs)}"
    scale = max((largest(y) for y in theirs if isinstance(y, Tensor)), default=0.0)
    for x, y in zip(ours, theirs, strict=True):
        if not isinstance(y, Tensor):
            assert x == y or x is y, f"{what}: {x!r} instead of {y!r}"
            continue
        x = x.detach().cpu()
        if y.is_nested:
            same(list(x.unbind()), list(y.unbind()), what)
            continue
        assert x.dtype == y.dtype and x.shape == y.shape, f"{what}: {x.dtype}{list(x.shape)} instead of {y.dtype}{list(y.shape)}"
        bound = TOLERANCE.get(y.dtype, 0)
        atol = bound * max(scale, 0.01)
        torch.testing.assert_close(x, y.detach(), rtol=bound, atol=atol, equal_nan=True, msg=lambda m: f"{what}: {m}")


def moved(tree: Any, spread: bool = False) -> tuple[Any, list[Tensor]]:
    """The same on the device, and its tensors that want gradients; spread: with a gap behind every element."""
    wanting: list[Tensor] = []

    def move(leaf: Any) -> Any:
        if not isinstance(leaf, Tensor):
            return torch.device("tpu") if leaf in ("cpu", torch.device("cpu")) else leaf
        there = leaf.detach().to("tpu")
        if spread and there.dim() and there.layout == torch.strided and not there.is_nested:
            there = torch.stack([there, torch.zeros_like(there)], -1)[..., 0]
        if leaf.requires_grad:
            wanting.append(there.requires_grad_())
        return there

    return tree_map(move, tree), wanting


def backward(outputs: Any, wanting: list[Tensor]) -> list[Tensor | None]:
    """Gradients of what is wanted, of a sum of all outputs with weights that the CPU makes."""
    leaves = [x for x in tree_leaves(outputs) if isinstance(x, Tensor) and x.requires_grad]
    if not leaves or not wanting:
        return []
    generator = torch.Generator().manual_seed(1)
    weights = [torch.randn(x.shape, generator=generator, dtype=torch.float64).to(x.dtype).to(x.device) for x in leaves]
    return list(torch.autograd.grad(leaves, wanting, weights, allow_unused=True))


def forward(module: nn.Module, args: Any, kwargs: Any) -> Any:
    torch.manual_seed(3)
    return module(*args, **kwargs)


def is_random(module: nn.Module) -> bool:
    """Whether it draws numbers in training, which differ between devices."""
    drops = any(isinstance(m, (nn.modules.dropout._DropoutNd, nn.RReLU)) and m.training for m in module.modules())
    draws = any(
        isinstance(getattr(m, "dropout", 0), float) and getattr(m, "dropout", 0) > 0 and m.training for m in module.modules()
    )
    fractional = any(isinstance(m, (nn.FractionalMaxPool2d, nn.FractionalMaxPool3d)) for m in module.modules())
    return drops or draws or fractional


def check_state(there: nn.Module, here: nn.Module) -> None:
    """State dicts and pickles go both ways."""
    same(dict(there.state_dict()), dict(here.state_dict()), "state dict")
    back = copy.deepcopy(here)
    for value in back.state_dict().values():
        if value.is_floating_point():
            value.zero_()
    back.load_state_dict(there.state_dict())
    same(dict(back.state_dict()), dict(here.state_dict()), "state dict loaded on the host")
    there.load_state_dict(here.state_dict())
    same(dict(there.state_dict()), dict(here.state_dict()), "state dict loaded on the device")
    file = io.BytesIO()
    torch.save(there.state_dict(), file)
    file.seek(0)
    same(dict(torch.load(file, map_location="cpu")), dict(here.state_dict()), "state dict saved")
    copied = pickle.loads(pickle.dumps(there))
    same(dict(copied.state_dict()), dict(here.state_dict()), "pickle")
    assert all(p.device == q.device for p, q in zip(copied.parameters(), there.parameters(), strict=True))


def module_cases(info: ModuleInfo, dtype: torch.dtype, training: bool) -> Iterator[tuple[str, Callable[[], None]]]:
    """One check for each of PyTorch's samples."""
    inputs = info.module_inputs_func(info, device="cpu", dtype=dtype, requires_grad=True, training=training)
    for number, sample in enumerate(inputs):
        yield f"{info.name}[{number}]", lambda sample=sample: check_module(info, sample, dtype, training)


def check_module(info: ModuleInfo, sample: Any, dtype: torch.dtype, training: bool) -> None:
    made, call = sample.constructor_input, sample.forward_input
    torch.manual_seed(0)
    here = info.module_cls(*made.args, **made.kwargs).to(dtype).train(training)
    if call is None:
        return
    # leaves: some samples are computed of one another
    args, kwargs = tree_map(
        lambda x: x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x, (call.args, call.kwargs)
    )
    if info.is_lazy:
        forward(here, *copy.deepcopy((args, kwargs)))
    there = copy.deepcopy(here).to("tpu")
    assert all(x.is_tpu for x in there.state_dict().values())
    wanted = [x for x in tree_leaves((args, kwargs)) if isinstance(x, Tensor) and x.requires_grad]
    moved_call, wanting = moved((args, kwargs))
    want = forward(here, args, kwargs)
    got = forward(there, *moved_call)
    if is_random(here):
        shapes = [[(x.shape, x.dtype) for x in tree_leaves(t) if isinstance(x, Tensor)] for t in (got, want)]
        assert shapes[0] == shapes[1], f"shapes {shapes[0]} instead of {shapes[1]}"
        backward(got, [*wanting, *there.parameters()])
        check_state(there, copy.deepcopy(there).cpu())
        return
    same(got, want, "forward")
    gradients = backward(want, [*wanted, *(p for p in here.parameters() if p.requires_grad)])
    same(backward(got, [*wanting, *(p for p in there.parameters() if p.requires_grad)]), gradients, "gradient")
    check_state(there, here)
    spread_call, spread = moved((args, kwargs), spread=True)
    again = copy.deepcopy(here).to("tpu")
    reference = copy.deepcopy(here)
    want, got = forward(reference, args, kwargs), forward(again, *spread_call)
    same(got, want, "forward of strided inputs")
    same(backward(got, spread), backward(want, wanted), "gradient of strided inputs")


def parameters(device: str) -> list[nn.Parameter]:
    generator = torch.Generator().manual_seed(5)
    shapes = [(5, 4), (3,), (2, 2, 3)]
    return [nn.Parameter(torch.randn(s, generator=generator).to(device)) for s in shapes]


def optimizer_steps(optimizer: torch.optim.Optimizer, params: list[nn.Parameter], count: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        for p in params:
            gradient = torch.randn(p.shape, generator=generator)
            p.grad = (
                gradient.where(gradient[:, :1] > 0, 0).to_sparse(1) if isinstance(optimizer, torch.optim.SparseAdam) else gradient
            ).to(p.device)
        optimizer.step(lambda: sum(p.detach().square().sum() for p in params))


def forms(info: OptimizerInfo) -> list[dict[str, bool]]:
    return [{}, *({name: True} for name in ("foreach", "fused") if name in info.supported_impls)]


def optimizer_cases(info: OptimizerInfo) -> Iterator[tuple[str, Callable[[], None]]]:
    for sample in info.optim_inputs_func(device="cpu"):
        for form in forms(info):
            yield f"{info.optim_cls.__name__} {sample.desc} {form}", lambda s=sample, f=form: check_optimizer(info, s.kwargs, f)


def _options(info: OptimizerInfo, kwargs: dict[str, Any], device: str) -> dict[str, Any]:
    """Of Python's loop on the CPU nothing is asked of devices; Muon takes matrices alone, SparseAdam rows."""
    return {k: v.clone() if isinstance(v, Tensor) else v for k, v in kwargs.items() if k != "capturable" or device == "tpu"}


def _params(info: OptimizerInfo, device: str) -> list[nn.Parameter]:
    params = parameters(device)
    return params[:1] if info.optim_cls.__name__ in ("Muon", "SparseAdam") else params


def check_optimizer(info: OptimizerInfo, kwargs: dict[str, Any], form: dict[str, bool]) -> None:
    here, there = _params(info, "cpu"), _params(info, "tpu")
    make = info.optim_cls
    if form and kwargs.get("differentiable"):
        return  # PyTorch takes it in the plain form alone
    ours = make(there, **_options(info, kwargs, "tpu"), **form)
    theirs = make(here, **_options(info, kwargs, "cpu"), **({"foreach": False} if "foreach" in info.supported_impls else {}))
    optimizer_steps(ours, there, 3, 7)
    optimizer_steps(theirs, here, 3, 7)
    same(there, here, "parameters")
    # to the host and back, through a pickle
    state = pickle.loads(pickle.dumps(ours.state_dict()))
    onward = [nn.Parameter(p.detach().clone()) for p in there]
    resumed = make(onward, **_options(info, kwargs, "tpu"), **form)
    resumed.load_state_dict(state)
    across = [nn.Parameter(p.detach().cpu()) for p in there]
    host = make(across, **_options(info, kwargs, "cpu"), **({"foreach": False} if "foreach" in info.supported_impls else {}))
    host.load_state_dict({**copy.deepcopy(ours.state_dict()), "param_groups": host.state_dict()["param_groups"]})
    for optimizer, params in ((ours, there), (theirs, here), (resumed, onward), (host, across)):
        optimizer_steps(optimizer, params, 2, 8)
    same(there, here, "parameters, two steps later")
    same(onward, here, "parameters after a pickle of the state")
    same(across, here, "parameters of the host with the state")


def all_cases(dtypes: list[torch.dtype]) -> Iterator[tuple[str, Callable[[], None]]]:
    for info in module_db:
        for dtype in dtypes:
            if dtype not in info.dtypes and dtype not in (torch.bfloat16, torch.float16):
                continue
            for training in (True, False) if info.train_and_eval_differ else (True,):
                for name, check in module_cases(info, dtype, training):
                    yield f"{name} {str(dtype)[6:]} {'train' if training else 'eval'}", check
    for info in optim_db:
        yield from optimizer_cases(info)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtypes", default="float32,float64,bfloat16,float16")
    parser.add_argument("--only", default="")
    parser.add_argument("--trace", action="store_true", help="print where a check failed")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    passed = failed = 0
    for name, check in all_cases([getattr(torch, d) for d in options.dtypes.split(",")]):
        if options.only not in name:
            continue
        try:
            check()
            passed += 1
        except Exception as error:
            failed += 1
            print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:160]}", flush=True)
            if options.trace:
                traceback.print_exc()
    print(f"{passed} pass, {failed} fail; fallbacks: {torch.tpu.fallback_counts()}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
