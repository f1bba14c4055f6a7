"""A training step as one program: forward, loss, backward and optimizer."""

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree


def _loss_of(out: Any, targets: Any) -> Tensor:
    """The mean squared error where there are targets; else the loss that the model tells, or the mean of what it gives."""
    if targets is not None:
        return nn.functional.mse_loss(out, targets)
    for name in ("loss", "logits", "sample"):
        value = out.get(name) if isinstance(out, dict) else getattr(out, name, None)
        if value is not None:
            return value if name == "loss" else value.mean()
    for value in _pytree.tree_leaves(out):
        if isinstance(value, Tensor):
            return value.mean()
    raise TypeError(f"expected a model that gives tensors, got {type(out).__name__}")


def _takes_inputs(compile_fn: Callable[..., Any]) -> bool:
    """Whether a compiler takes example inputs beside the graph; those of unknown signature do."""
    try:
        kinds = [p.kind for p in inspect.signature(compile_fn).parameters.values()]
    except (ValueError, TypeError):
        return True
    positional = sum(kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for kind in kinds)
    return positional > 1 or inspect.Parameter.VAR_POSITIONAL in kinds


class SingleTraceTrainer:
    """Make one compiled function of forward, loss, backward and optimizer.

        trainer = SingleTraceTrainer(model, torch.tpu.optimizers.AdamW(lr=1e-3))
        step = trainer.make_compiled_train_step(x, y)
        loss = step(x, y)

    Args:
        model: a module; its parameters and buffers are written by steps.
        optimizer: one of this module's, or None: a step computes loss and gradients (`grads`) alone.
        compile_fn: makes a function of a graph module, or of that and example inputs; None is ``torch.compile``.
        compute_loss_fn: ``(output, targets) -> loss``; None is the mean squared error where there are targets, else the
            model's own loss, or the mean of what it gives.

    Attributes:
        grads: gradients of the last step by the parameters' own names, without an optimizer.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: Any = None,
        compile_fn: Callable[..., Any] | None = None,
        compute_loss_fn: Callable[..., Tensor] | None = None,
    ) -> None:
        if callable(getattr(model, "tie_weights", None)):
            model.tie_weights()
        self.model, self.optimizer = model, optimizer
        self.compile_fn, self.compute_loss_fn = compile_fn, compute_loss_fn
        self._names = {name.replace(".", "_"): name for name, _ in model.named_parameters()}
        if len(self._names) != sum(1 for _ in model.parameters()):
            raise ValueError("expected parameters whose names differ where dots are underscores")
        self._params = {safe: model.get_parameter(name).detach() for safe, name in self._names.items()}
        self.buffers = dict(model.named_buffers())
        self._group = optimizer.init_param_group(self._params) if optimizer is not None else None
        self.grads: dict[str, Tensor] = {}

    @property
    def param_group(self) -> Any:
        """The optimizer's group, whose names have ``_`` for dots; None without an optimizer."""
        return self._group

    @property
    def params(self) -> dict[str, Tensor]:
        """The parameters by their own names."""
        values = self._params if self.param_group is None else self.param_group.params
        return {self._names[safe]: value for safe, value in values.items()}

    def _loss(self, params: dict[str, Tensor], buffers: dict[str, Tensor], inputs: Any, targets: Any) -> Tensor:
        kwargs = inputs if isinstance(inputs, dict) else {}
        args = () if isinstance(inputs, dict) else tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
        values = {self._names[safe]: value for safe, value in params.items()}
        out = torch.func.functional_call(self.model, (values, buffers), args, kwargs)
        loss = (self.compute_loss_fn or _loss_of)(out, targets)
        if not isinstance(loss, Tensor) or loss.dim():
            raise TypeError("expected a loss that is a tensor of one number")
        return loss

    def _step(self, state: Any, buffers: dict[str, Tensor], inputs: Any, targets: Any) -> tuple[Tensor, ...]:
        """What is traced: writes `state` and `buffers`; loss, and gradients where there is no optimizer."""
        params = state if self.optimizer is None else state.params
        leaves = {safe: value.detach().requires_grad_() for safe, value in params.items()}
        with torch.enable_grad():
            loss = self._loss(leaves, buffers, inputs, targets)
            found = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
        with torch.no_grad():
            pairs = zip(leaves.items(), found, strict=True)
            grads = {safe: torch.zeros_like(leaf) if g is None else g for (safe, leaf), g in pairs}
            if self.optimizer is not None:
                self.optimizer.step(state, grads)
        return (loss.detach(),) if self.optimizer is not None else (loss.detach(), *grads.values())

    def make_compiled_train_step(
        self, example_inputs: Any, example_targets: Any = None, compile_fn: Callable[..., Any] | None = None
    ) -> Callable[..., Tensor]:
        """Trace and compile a step for inputs of the examples' shapes.

        Args:
            example_inputs: a tensor, or a tuple or list of the model's arguments, or a dictionary of its keyword arguments.
            example_targets: what the loss is computed with, or None.
            compile_fn: instead of the trainer's.

        Returns ``step(inputs, targets=None) -> loss``, which writes the model's parameters and buffers and the optimizer's
        state. Raises ValueError where targets are given to the step but not here, or the other way round.
        """
        from torch.fx.experimental.proxy_tensor import make_fx

        compile_fn = compile_fn or self.compile_fn or torch.compile
        state = self._params if self.optimizer is None else self.param_group
        flat, spec = _pytree.tree_flatten((state, self.buffers, example_inputs, example_targets))

        def traced(*values: Any) -> tuple[Tensor, ...]:
            return self._step(*_pytree.tree_unflatten(values, spec))

        graph = make_fx(traced, tracing_mode="fake", _allow_non_fake_inputs=True)(*flat)
        with_inputs = compile_fn is not torch.compile and _takes_inputs(compile_fn)
        compiled = compile_fn(graph, flat) if with_inputs else compile_fn(graph)

        def step(inputs: Any, targets: Any = None) -> Tensor:
            given, found = _pytree.tree_flatten((state, self.buffers, inputs, targets))
            if found != spec or (targets is None) != (example_targets is None):
                raise ValueError("expected inputs and targets of the structure that the step was made for")
            with torch.no_grad():
                loss, *grads = compiled(*given)
            self.grads = dict(zip(self._names.values(), grads, strict=False))
            return loss

        return step
