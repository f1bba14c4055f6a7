"""Elementwise operators, reductions, activations, losses, normalisation and softmax on tpu, for every element type that the CPU
takes, forward and backward, against the CPU."""

import re

import op_samples
import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db

NAMES = re.compile(
    r"(abs|acosh?|add|addcdiv|addcmul|all|a?max|a?min|aminmax|angle|any|arg(max|min)|asinh?|atan2?|atanh|bitwise_\w+|ceil|clamp\w*"
    r"|complex|conj_physical|copysign|cosh?|count_nonzero|deg2rad|digamma|dist|div|dot|eq|erf\w*|exp2?|expm1|fill|float_power|floor"
    r"|floor_divide|fmax|fmin|fmod|frac|frexp|gcd|ge|gt|heaviside|hypot|i0|igammac?|isclose|isfinite|isin|isinf|isnan|isneginf|isposinf"
    r"|isreal|kthvalue|lcm|ldexp|le|lerp|lgamma|log\w*|lt|masked_fill|maximum|mean|median|minimum|mode|mul|mvlgamma|nan_to_num"
    r"|nanmean|nanmedian|nansum|native_batch_norm|native_layer_norm|ne|neg|nextafter|norm|polar|polygamma|positive|pow|prod|rad2deg"
    r"|real|reciprocal|remainder|round|rsqrt|rsub|sgn|sigmoid|sign|signbit|sinc?|sinh|softmax|special\.\w+|sqrt|square|std\w*|sub|sum"
    r"|tanh?|trace|true_divide|trunc|var\w*|vdot|where|xlogy|zero_|_softmax_backward_data|_native_batch_norm_legit"
    r"|nn\.functional\.(batch_norm|layer_norm|group_norm|instance_norm|rms_norm|local_response_norm|normalize|celu|elu|gelu|glu"
    r"|hardshrink|hardsigmoid|hardswish|hardtanh|leaky_relu|logsigmoid|mish|prelu|relu6?|selu|silu|softmin|softplus|softshrink"
    r"|softsign|tanhshrink|threshold|soft_margin_loss|\w*_loss|binary_cross_entropy\w*|cross_entropy|nll_loss|cosine_similarity"
    r"|pairwise_distance|log_softmax|softmax|multi_head_attention_forward))"
)
# operators that are not compared, and why
LEFT_OUT = {
    "nn.functional.ctc_loss": "another family",
    "nn.functional.linear_cross_entropy": "another family",
    "nn.functional.multi_head_attention_forward": "another family",
    "logcumsumexp": "another family",
    "logspace": "another family",
    "log_normal": "random",
    "logdet": "linear algebra",
    "native_layer_norm": "saved statistics are float32, as on other accelerators; nn.functional.layer_norm is compared",
    "native_batch_norm": "saved statistics are float32 and never empty, as on other accelerators",
    "_native_batch_norm_legit": "as native_batch_norm",
    "nn.functional.batch_norm.without_cudnn": "the CPU has no sample",
    "norm.nuc": "linear algebra",
    "special.hermite_polynomial_he": "samples cancel: both sides are 4e-7 from the truth, and 3e-5 from each other",
}
# Gradients that are not compared with the CPU's, and why
LEFT_OUT_BACKWARD = {
    "special.log_ndtr": "PyTorch's formula cancels, each unit of the result becomes tens; op_numerics.py compares with float64",
}
WIDE = (torch.float32, torch.float64, torch.int64, torch.int32, torch.uint8, torch.bool, torch.complex64)
# Left to fewer dtypes: quotients are rounded to their dtype before they are cut, where the float32 result was not; PyTorch
# composes others of several operators, each of which rounds.
FORWARD_DTYPES = dict.fromkeys(
    (
        "div",
        "floor_divide",
        "remainder",
        "fmod",
        "round",
        "nextafter",
        "frexp",
        "complex",
        "dist",
        "float_power",
        "nn.functional.cosine_similarity",
        "nn.functional.gaussian_nll_loss",
        "nn.functional.hinge_embedding_loss",
        "nn.functional.multilabel_soft_margin_loss",
        "nn.functional.poisson_nll_loss",
        "nn.functional.tanhshrink",
        "nn.functional.triplet_margin_loss",
        "nn.functional.triplet_margin_with_distance_loss",
        "special.ndtr",
    ),
    WIDE,
)
# Positions among equal elements
FREE = {"kthvalue": (1,), "mode": (1,), "median": (1,), "nanmedian": (1,)}


def entries() -> list:
    return [op for op in op_db if NAMES.fullmatch(op.name) and not {op.name, op.full_name} & LEFT_OUT.keys()]


@pytest.mark.parametrize("op", entries(), ids=lambda op: op.full_name)
def test_forward(op: object) -> None:
    assert op_samples.check(op, FORWARD_DTYPES.get(op.name, op_samples.DTYPES), samples=3, free=FREE.get(op.name, ()))


@pytest.mark.parametrize(
    "op", [op for op in entries() if op.supports_autograd and op.name not in LEFT_OUT_BACKWARD], ids=lambda op: op.full_name
)
def test_backward(op: object) -> None:
    op_samples.check(op, (torch.float32,), samples=2, backward=True)
