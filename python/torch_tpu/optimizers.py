"""Optimizers without state of their own, and a trainer that makes one program of a whole step: ``torch.tpu.optimizers``.

    optimizer = torch.tpu.optimizers.AdamW(lr=1e-3)
    group = optimizer.init_param_group(model)       # parameters and moments
    optimizer.step(group, gradients)                # a dictionary by the group's names; writes the group

State is in the group, so that ``step`` is a function that can be traced. Formulas are those of ``torch.optim``'s functional
forms.
"""

import abc
import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.optim._muon import muon
from torch.optim.adamw import adamw
from torch.optim.sgd import sgd
from torch.utils import _pytree

from ._trainer import SingleTraceTrainer

__all__ = ["AdamW", "Muon", "Optimizer", "Sgd", "SingleTraceTrainer"]

Named = dict[str, Tensor]


def _register(group: type) -> None:
    """Make a group a tree of its fields, so that traces can take and give it."""
    names = [field.name for field in dataclasses.fields(group)]
    _pytree.register_pytree_node(
        group,
        lambda value: ([getattr(value, name) for name in names], None),
        lambda children, _: group(*children),
        serialized_type_name=f"torch_tpu.optimizers.{group.__qualname__}",
    )


def _need(value: float, name: str, below: float | None = None) -> None:
    if value < 0 or (below is not None and value >= below):
        raise ValueError(f"expected {name} of at least 0{f' and below {below:g}' if below else ''}, got {value}")


def _named(params: Named | nn.Module) -> Named:
    """Parameters by names without dots, not recorded by autograd."""
    if isinstance(params, nn.Module):
        return {name.replace(".", "_"): p.detach() for name, p in params.named_parameters()}
    if not isinstance(params, dict):
        raise TypeError(f"expected a module or a dictionary of tensors, got {type(params).__name__}")
    return dict(params)


class Optimizer(abc.ABC):
    """What the optimizers have in common.

    Args:
        lr: learning rate.
        weight_decay: its meaning is the optimizer's.

    Raises ValueError for negative numbers.
    """

    ParamGroup: ClassVar[Any]

    def __init__(self, lr: float = 0.001, weight_decay: float = 0.0) -> None:
        _need(lr, "lr")
        _need(weight_decay, "weight_decay")
        self.lr = lr
        self.weight_decay = weight_decay

    @property
    def defaults(self) -> dict[str, Any]:
        """The options by name, as ``torch.optim.Optimizer.defaults``."""
        return dict(vars(self))

    @abc.abstractmethod
    def init_param_group(self, params: Named | nn.Module) -> Any:
        """A group of a module's parameters (names with ``_`` for dots) or of a dictionary, with fresh state beside them."""

    @abc.abstractmethod
    def step(self, param_group: Any, grads: Named) -> Any:
        """Write parameters and state by gradients, by the names of the group; returns the group. KeyError for one that is
        missing."""

    def __call__(self, param_group: Any, grads: Named) -> Any:
        return self.step(param_group, grads)


def _moments(params: Named, dtype: torch.dtype | None) -> Named:
    return {name: torch.zeros_like(p, dtype=dtype) for name, p in params.items()}


def _steps(params: Named, first: float) -> Named:
    return {name: torch.full((), first, dtype=torch.float32, device=p.device) for name, p in params.items()}


def _fuses(fused: bool | None, scale: Tensor | None, params: Sequence[Tensor]) -> bool | None:
    """Whether a step is PyTorch's fused operator: not where it is traced. PyTorch cannot trace it, and a trace is one
    program anyway."""
    traced = torch.compiler.is_compiling() or torch._guards.detect_fake_mode(params) is not None
    return False if traced and scale is None else fused


def _in_type_of(states: Sequence[Tensor], params: Sequence[Tensor]) -> list[Tensor]:
    return [state.to(p.dtype) for state, p in zip(states, params, strict=True)]


def _write(states: Sequence[Tensor], values: Sequence[Tensor]) -> None:
    """What was computed in the parameters' type goes back where the states have another."""
    for state, value in zip(states, values, strict=True):
        if state is not value:
            state.copy_(value)


class AdamW(Optimizer):
    """AdamW (``torch.optim.AdamW``'s formula), with moments of half the size.

    Args:
        lr, weight_decay, beta1, beta2, eps: as of ``torch.optim.AdamW``.
        use_bfloat16_moments: keep both moments in bfloat16; the step computes in the parameters' dtype.
        amsgrad, maximize, foreach, capturable, differentiable, fused, grad_scale, found_inf: as of ``torch.optim.adamw.adamw``;
            the last two need `fused`. Of parameters on the CPU `capturable` says nothing.
    """

    @dataclasses.dataclass
    class ParamGroup:
        """Parameters, first and second moments, counts of steps; with amsgrad the largest second moments in `extra_state`."""

        params: Named
        opt_state_m: Named = dataclasses.field(default_factory=dict)
        opt_state_v: Named = dataclasses.field(default_factory=dict)
        opt_steps: Named = dataclasses.field(default_factory=dict)
        extra_state: dict[str, Any] = dataclasses.field(default_factory=dict)

    def __init__(
        self,
        lr: float = 0.001,
        weight_decay: float = 0.01,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-08,
        use_bfloat16_moments: bool = True,
        amsgrad: bool = False,
        maximize: bool = False,
        foreach: bool | None = False,
        capturable: bool = True,
        differentiable: bool = False,
        fused: bool | None = False,
        grad_scale: Tensor | None = None,
        found_inf: Tensor | None = None,
    ) -> None:
        super().__init__(lr, weight_decay)
        _need(beta1, "beta1", 1)
        _need(beta2, "beta2", 1)
        _need(eps, "eps")
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.use_bfloat16_moments = use_bfloat16_moments
        self.amsgrad, self.maximize, self.foreach, self.capturable = amsgrad, maximize, foreach, capturable
        self.differentiable, self.fused, self.grad_scale, self.found_inf = differentiable, fused, grad_scale, found_inf

    def init_param_group(self, params: Named | nn.Module) -> ParamGroup:
        params = _named(params)
        dtype = torch.bfloat16 if self.use_bfloat16_moments else None
        extra = {"max_v": _moments(params, dtype)} if self.amsgrad else {}
        return self.ParamGroup(params, _moments(params, dtype), _moments(params, dtype), _steps(params, 0.0), extra)

    def step(self, param_group: ParamGroup, grads: Named) -> ParamGroup:
        group, names = param_group, list(param_group.params)
        params = [group.params[name] for name in names]
        if not params:
            return group
        kept = [[state[name] for name in names] for state in (group.opt_state_m, group.opt_state_v)]
        kept += [[group.extra_state["max_v"][name] for name in names]] if self.amsgrad else []
        states = [_in_type_of(state, params) for state in kept]
        adamw(
            params,
            [grads[name] for name in names],
            states[0],
            states[1],
            states[2] if self.amsgrad else [],
            [group.opt_steps[name] for name in names],
            foreach=self.foreach,
            capturable=self.capturable and params[0].device.type != "cpu",
            differentiable=self.differentiable,
            fused=_fuses(self.fused, self.grad_scale, params),
            grad_scale=self.grad_scale,
            found_inf=self.found_inf,
            amsgrad=self.amsgrad,
            beta1=self.beta1,
            beta2=self.beta2,
            lr=self.lr,
            weight_decay=self.weight_decay,
            eps=self.eps,
            maximize=self.maximize,
        )
        for before, after in zip(kept, states, strict=True):
            _write(before, after)
        return group


class Sgd(Optimizer):
    """Stochastic gradient descent (``torch.optim.SGD``'s formula).

    Args:
        lr, momentum, dampening, weight_decay, nesterov, maximize: as of ``torch.optim.SGD``.
        foreach, fused, grad_scale, found_inf, has_sparse_grad: as of ``torch.optim.sgd.sgd``; the two scales need `fused`.

    Raises ValueError for nesterov without momentum or with dampening, and for `dampening` with `grad_scale`.
    """

    @dataclasses.dataclass
    class ParamGroup:
        """Parameters, momentum (none where it is 0), and the number of the next step."""

        params: Named
        opt_state_m: Named = dataclasses.field(default_factory=dict)
        opt_steps: Named = dataclasses.field(default_factory=dict)
        extra_state: dict[str, Any] = dataclasses.field(default_factory=dict)

    def __init__(
        self,
        lr: float = 0.001,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        maximize: bool = False,
        foreach: bool | None = False,
        fused: bool | None = True,
        grad_scale: Tensor | None = None,
        found_inf: Tensor | None = None,
        has_sparse_grad: bool = False,
    ) -> None:
        super().__init__(lr, weight_decay)
        _need(momentum, "momentum")
        if nesterov and (momentum == 0 or dampening != 0):
            raise ValueError("nesterov needs momentum and no dampening")
        if dampening != 0 and grad_scale is not None:
            raise ValueError("dampening does not go with grad_scale")
        self.momentum, self.dampening, self.nesterov, self.maximize = momentum, dampening, nesterov, maximize
        self.foreach, self.fused, self.grad_scale, self.found_inf = foreach, fused, grad_scale, found_inf
        self.has_sparse_grad = has_sparse_grad

    def init_param_group(self, params: Named | nn.Module) -> ParamGroup:
        params = _named(params)
        return self.ParamGroup(params, _moments(params, None) if self.momentum else {}, _steps(params, 1.0))

    def _damped(self, grad: Tensor, param: Tensor, step: Tensor) -> Tensor:
        """What goes into the momentum: less than the gradient, but for the first step, whose number is data."""
        grad = (-grad if self.maximize else grad) + self.weight_decay * param
        return grad * torch.where(step == 1, 1.0, 1.0 - self.dampening).to(grad.dtype)

    def step(self, param_group: ParamGroup, grads: Named) -> ParamGroup:
        group, names = param_group, list(param_group.params)
        params, given = [group.params[name] for name in names], [grads[name] for name in names]
        if not params:
            return group
        damps = self.dampening != 0 and self.momentum != 0
        if damps:
            given = [self._damped(g, p, group.opt_steps[name]) for g, p, name in zip(given, params, names, strict=True)]
        sgd(
            params,
            given,
            [group.opt_state_m.get(name) for name in names],
            has_sparse_grad=self.has_sparse_grad,
            foreach=self.foreach,
            fused=_fuses(self.fused, self.grad_scale, params),
            grad_scale=self.grad_scale,
            found_inf=self.found_inf,
            weight_decay=0.0 if damps else self.weight_decay,
            momentum=self.momentum,
            lr=self.lr,
            dampening=0.0,
            nesterov=self.nesterov,
            maximize=self.maximize and not damps,
        )
        torch._foreach_add_([group.opt_steps[name] for name in names], 1.0)
        return group


class Muon(Optimizer):
    """Muon (``torch.optim.Muon``'s formula): momentum, made orthogonal by Newton and Schulz's iteration in bfloat16.

    Args:
        lr, weight_decay, momentum, nesterov, ns_coefficients, eps, ns_steps, adjust_lr_fn: as of ``torch.optim.Muon``.
        use_bfloat16_moments: keep the momentum in bfloat16; the step computes in the parameters' dtype.
        foreach, has_complex: as of ``torch.optim._muon.muon``, which takes False alone.

    Parameters have two dimensions: ValueError for others, and for an unknown `adjust_lr_fn`.
    """

    @dataclasses.dataclass
    class ParamGroup:
        """Parameters, momentum, and the number of steps."""

        params: Named
        opt_state_m: Named = dataclasses.field(default_factory=dict)
        opt_steps: Named = dataclasses.field(default_factory=dict)
        extra_state: dict[str, Any] = dataclasses.field(default_factory=dict)

    def __init__(
        self,
        lr: float = 0.001,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-07,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
        use_bfloat16_moments: bool = False,
        foreach: bool | None = False,
        has_complex: bool = False,
    ) -> None:
        super().__init__(lr, weight_decay)
        _need(momentum, "momentum")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"expected adjust_lr_fn None, 'original' or 'match_rms_adamw', got {adjust_lr_fn!r}")
        self.momentum, self.nesterov, self.ns_coefficients, self.eps = momentum, nesterov, ns_coefficients, eps
        self.ns_steps, self.adjust_lr_fn, self.use_bfloat16_moments = ns_steps, adjust_lr_fn, use_bfloat16_moments
        self.foreach, self.has_complex = foreach, has_complex

    def init_param_group(self, params: Named | nn.Module) -> ParamGroup:
        params = _named(params)
        for name, p in params.items():
            if p.dim() != 2:
                raise ValueError(f"Muon: expected parameters of two dimensions, got {name} of shape {list(p.shape)}")
        moments = _moments(params, torch.bfloat16 if self.use_bfloat16_moments else None)
        return self.ParamGroup(params, moments, _steps(params, 0.0))

    def step(self, param_group: ParamGroup, grads: Named) -> ParamGroup:
        group, names = param_group, list(param_group.params)
        params, kept = [group.params[name] for name in names], [group.opt_state_m[name] for name in names]
        if not params:
            return group
        moments = _in_type_of(kept, params)
        muon(
            params,
            [grads[name] for name in names],
            moments,
            foreach=self.foreach,
            lr=self.lr,
            weight_decay=self.weight_decay,
            momentum=self.momentum,
            nesterov=self.nesterov,
            ns_coefficients=self.ns_coefficients,
            ns_steps=self.ns_steps,
            eps=self.eps,
            adjust_lr_fn=self.adjust_lr_fn,
            has_complex=self.has_complex,
        )
        _write(kept, moments)
        torch._foreach_add_([group.opt_steps[name] for name in names], 1.0)
        return group


for _group in (AdamW.ParamGroup, Sgd.ParamGroup, Muon.ParamGroup):
    _register(_group)
