"""PyTorch's operator samples (op_db) compiled for tpu beside the same uncompiled: values, gradients, mutation and aliases.

    python tests/conformance/op_db_compile.py [--dynamic] [--samples 2] [--match REGEX] [--jobs 2] [--write FILE]

A sample is run as it is, and the first ones in place (of a tensor, of a view) and with ``out=``. Compiled and uncompiled must
agree in results (values, shapes, strides, dtypes, whether they need gradients), in what became of the arguments, in what shares
memory, and in gradients. With ``--dynamic`` each form is run in three sizes, for which the graphs of the first must do. Each
entry runs in a process of its own; its result is one of
  pass      everything agrees
  wrong     something differs
  error     the compiled operator raised where the uncompiled one did not
  torch     PyTorch's tracing raises, or gives something else, on the CPU too
  graphs    there are more graphs than PyTorch makes of the same calls on the CPU
  constant  PyTorch, on the CPU too, makes another graph for another size
  died      the process ended by a signal or took too long
and entries that the device does not run uncompiled are left out, with --dynamic also those whose samples have but one size.
"""

import contextlib
import dataclasses
import importlib
import itertools
import logging
import os
import sys
import tempfile
from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import torch
from op_db import HOST_ARGUMENTS, UNSPECIFIED, arguments, compare, gradients, is_random, report, tensors, to_device
from torch.utils._pytree import tree_map, tree_structure

Arguments = tuple[Any, tuple, dict]
MINOR = ("", "pass", "constant", "torch")  # results that end no search for worse ones
IN_PLACE = "modified by an inplace operation"  # of what AOTAutograd keeps for the gradient, which operators alone keep a copy of
SIZES = ("S", "M", "L")  # the names of sizes in the generators of samples


@dataclasses.dataclass
class Form:
    """A way to call an operator."""

    name: str
    call: Callable[[Any, tuple, dict], Any]
    # of a sample's arguments and the sample those for one call, and what else it may write
    prepare: Callable[[Arguments, Any], tuple[Arguments, list[torch.Tensor]]]
    differentiable: bool = True


def plain(op: Any) -> Form:
    function = op.op
    return Form("plain", lambda first, args, kwargs: function(first, *args, **kwargs), lambda given, _sample: (given, []))


def in_place(op: Any, viewed: bool) -> Form:
    """Writes a tensor, or a view of one, that the graph does not make."""
    function = op.inplace_variant

    def prepare(given: Arguments, _sample: Any) -> tuple[Arguments, list[torch.Tensor]]:
        base = tree_map(lambda t: torch.stack([t, t]) if viewed else t.clone(), given[0])
        return (tree_map(lambda t: t[1], base) if viewed else base, *given[1:]), tensors(base)

    name = "in place, a view" if viewed else "in place"
    return Form(name, lambda first, args, kwargs: function(first, *args, **kwargs), prepare)


def into(op: Any) -> Form:
    """Writes its results into tensors that are there, which need no gradients."""
    function = op.op

    def prepare(given: Arguments, sample: Any) -> tuple[Arguments, list[torch.Tensor]]:
        results = op(sample.input, *sample.args, **sample.kwargs)
        given = tree_map(lambda x: x.detach() if isinstance(x, torch.Tensor) else x, given)
        (device,) = {t.device for t in tensors(given)}
        out = tree_map(lambda t: torch.empty_like(t, device=device, requires_grad=False), results)
        return (*given[:2], {**given[2], "out": out}), tensors(out)

    return Form("out=", lambda first, args, kwargs: function(first, *args, **kwargs), prepare, differentiable=False)


def forms(op: Any, sample: Any, number: int) -> Iterator[Form]:
    yield plain(op)
    if number < 2 and op.inplace_variant is not None and not sample.broadcasts_input:
        yield in_place(op, number == 1)
    if number == 0 and op.supports_out:
        yield into(op)


def memory(made: list[torch.Tensor], given: list[torch.Tensor]) -> list[tuple[int, int]]:
    """Which tensors share their memory."""
    places = [t.untyped_storage()._cdata for t in (*made, *given)]
    return [(i, j) for i in range(len(made)) for j in range(i) if places[i] == places[j]] + [
        (i, j) for i in range(len(made)) for j in range(len(made), len(places)) if places[i] == places[j]
    ]


@dataclasses.dataclass
class Outcome:
    """What a call did."""

    results: list[torch.Tensor]
    shared: list[tuple[int, int]]
    written: list[torch.Tensor]
    gradients: list[torch.Tensor | None]


def outcome(op: Any, form: Form, call: Callable, sample: Any, device: str, differentiable: bool) -> Outcome:
    (first, args, kwargs), wanting = to_device((sample.input, sample.args, sample.kwargs), device)
    given, written = form.prepare((first, sample.args if op.name in HOST_ARGUMENTS else args, kwargs), sample)
    torch.manual_seed(0)
    got = call(*given)
    made, touched = tensors(got), [*tensors(given), *written]
    shared = memory(made, touched)
    compared = sample.output_process_fn_grad(got)
    return Outcome(tensors(compared), shared, touched, gradients(compared, wanting) if differentiable else [])


def equal(got: Outcome, wanted: Outcome, values: bool) -> None:
    """Raises AssertionError where they differ."""
    for a, b in zip(got.results, wanted.results, strict=True):
        assert a.stride() == b.stride() or a.numel() < 2, f"strides {a.stride()} for {b.stride()} of {list(b.shape)}"
        assert a.requires_grad == b.requires_grad, f"requires_grad {a.requires_grad}"
        assert a.is_conj() == b.is_conj() and a.is_neg() == b.is_neg(), "the conjugate or negative bit"
    assert got.shared == wanted.shared, f"memory shared by {got.shared} instead of {wanted.shared}"
    compare(got.results, [t.detach().cpu() for t in wanted.results], values)
    compare(got.written, [t.detach().cpu() for t in wanted.written], values)
    assert [g is None for g in got.gradients] == [g is None for g in wanted.gradients], "which gradients exist"
    compare(got.gradients, [t.cpu() for t in tensors(wanted.gradients)], values, 3)


# ---- three sizes of a sample ----


def sized(op: Any, dtype: torch.dtype, differentiable: bool, more: int) -> list[Any]:
    """The samples of an entry, their generators' sizes so much larger."""
    with contextlib.ExitStack() as stack:
        for name, module in list(sys.modules.items()):
            for size in SIZES if name.startswith("torch.testing._internal.") else ():
                if isinstance(getattr(module, size, None), int):
                    stack.enter_context(mock.patch.object(module, size, getattr(module, size) + more))
        torch.manual_seed(0)
        return list(op.sample_inputs("cpu", dtype, requires_grad=differentiable))


def shapes(sample: Any) -> list[torch.Size]:
    return [t.shape for t in tensors((sample.input, sample.args, sample.kwargs))]


def enlarged(op: Any, sample: Any, more: int, first_only: bool) -> Any:
    """A sample with all sizes, or the first alone, so much larger, repeating elements; None where the CPU refuses it."""
    batch = next((t.shape[0] for t in tensors(sample.input) if t.dim()), 0)

    def enlarge(x: Any) -> Any:
        if not isinstance(x, torch.Tensor) or x.layout is not torch.strided:
            return x
        grown = x.detach()
        for d, size in enumerate(x.shape):
            if size > 1 and (not first_only or (d == 0 and size == batch)):
                grown = grown.index_select(d, torch.arange(size + more) % size)
        return grown.clone().requires_grad_(x.requires_grad)

    made = type(sample)(enlarge(sample.input), args=tree_map(enlarge, sample.args), kwargs=tree_map(enlarge, sample.kwargs))
    made.output_process_fn_grad = sample.output_process_fn_grad
    try:
        op(made.input, *made.args, **made.kwargs)
    except Exception:  # sizes that do not fit each other
        return None
    return made


def in_three_sizes(op: Any, dtype: torch.dtype, differentiable: bool) -> Iterator[list[Any]]:
    """Of each sample those that are larger."""
    found = [sized(op, dtype, differentiable, more) for more in range(3)]
    for samples in zip(*found, strict=False):
        structures = {str(tree_structure((s.input, s.args, s.kwargs))) for s in samples}
        if len(structures) == 1 and len({str(shapes(s)) for s in samples}) == 3:
            yield list(samples)
            continue
        for first_only in (False, True):
            larger = [samples[0], *(enlarged(op, samples[0], more, first_only) for more in (1, 2))]
            if None not in larger and len({str(shapes(s)) for s in larger}) == 3:
                yield larger
                break


# ---- entries ----


def graph_count() -> int:
    return torch._dynamo.utils.counters["stats"]["unique_graphs"]


def fresh() -> None:
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()


def graphs_on_cpu(op: Any, form: Form, samples: list[Any], differentiable: bool, dynamic: bool, values: bool) -> list[int]:
    """The number of graphs after each sample, as PyTorch's own tracing makes them; raises where that raises or is wrong."""
    fresh()
    compiled, counts = torch.compile(form.call, backend="aot_eager", dynamic=dynamic), []
    for sample in samples:
        got = outcome(op, form, compiled, sample, "cpu", differentiable)
        equal(got, outcome(op, form, form.call, sample, "cpu", differentiable), values)
        counts.append(graph_count())
    return counts


def agree(op: Any, form: Form, samples: list[Any], differentiable: bool, dynamic: bool) -> tuple[str, str]:
    """The result for one form of some sizes of a sample; empty where the device does not run it."""
    differentiable = differentiable and form.differentiable
    values = not UNSPECIFIED.search(op.name)
    fresh()
    compiled, counts, failed = torch.compile(form.call, dynamic=dynamic), [], None
    for sample in samples:
        try:
            wanted = outcome(op, form, form.call, sample, "tpu", differentiable)
        except Exception as error:  # what the device lacks, or the operator does not take in this form, is another suite's
            if "fork" in str(error):  # autograd's threads do not survive in a child: a mistake of this suite
                raise
            return "", ""
        try:
            got = outcome(op, form, compiled, sample, "tpu", differentiable)
        except Exception as error:
            failed = "error", f"{form.name}: {type(error).__name__}: {error}"
            break
        try:
            equal(got, wanted, values)
        except AssertionError as error:
            values = values and not is_random(op, sample)
            if values:
                failed = "wrong", f"{form.name}: {error}"
                break
        counts.append(graph_count())
    if counts == [1] * len(samples):
        return "pass", ""
    try:
        there = graphs_on_cpu(op, form, samples, differentiable, dynamic, values)
    except Exception as error:
        if differentiable and failed and IN_PLACE in failed[1] and IN_PLACE in str(error):
            return agree(op, form, samples, False, dynamic)
        return "torch", f"{form.name}: {type(error).__name__}: {error}"
    if failed:
        return failed
    if any(a > b for a, b in zip(counts, there, strict=True)):
        return "graphs", f"{form.name}: {counts} graphs instead of {there}"
    return ("constant", f"{form.name}: {counts} graphs") if counts[-1] > counts[0] else ("pass", "")


def check(op: Any, dtype: torch.dtype, options: Namespace) -> tuple[str, str]:
    """(result, detail) of one entry; the result is empty when nothing of it ran."""
    differentiable = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu")
    if options.dynamic:
        chosen = itertools.islice(in_three_sizes(op, dtype, differentiable), options.samples)
    else:
        found = list(op.sample_inputs("cpu", dtype, requires_grad=differentiable))
        chosen = ([sample] for sample in found[:: max(1, len(found) // options.samples)][: options.samples])
    results = []
    for number, samples in enumerate(chosen):
        for form in forms(op, samples[0], number):
            result, detail = agree(op, form, samples, differentiable, options.dynamic)
            if result not in MINOR:
                return result, detail
            results.append((result, detail))
    return max(results, key=lambda row: MINOR.index(row[0]), default=("", ""))


def without_seeds() -> None:
    """Entries that draw random numbers set a seed and restore the generator, which no tracing can do."""
    for name, module in list(sys.modules.items()):
        if name.startswith("torch.testing._internal.") and hasattr(module, "wrapper_set_seed"):
            module.wrapper_set_seed = lambda op, *args, **kwargs: op(*args, **kwargs)


def main() -> None:
    parser = arguments(__doc__.split("\n")[0], samples=2, seconds=300)
    parser.add_argument("--dynamic", action="store_true")
    options = parser.parse_args()
    torch._logging.set_logs(all=logging.CRITICAL)
    importlib.import_module("torch.testing._internal.common_methods_invocations")
    without_seeds()
    torch.compile(lambda x: x.sin() + 1, backend="aot_eager")(torch.ones(3))  # imports; gradients would start autograd's threads
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        sys.exit(report(check, options, "op_db compiled" + (", three sizes" if options.dynamic else "")))


if __name__ == "__main__":
    main()
