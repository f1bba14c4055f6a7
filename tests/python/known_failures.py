"""Tests that are skipped or fail as known, by "file::test": ("skip" or "xfail", reason).

An xfail is strict: the test must fail, and the entry goes when it passes. A skip is for what cannot run at all.
"""

_LATER = "torch.compile for this device is not there yet"
KNOWN: dict[str, tuple[str, str]] = {
    "test_cases.py::test_case[31_compiled_kv_cache]": ("xfail", _LATER),
    "test_cases.py::test_case[35_dynamic_lengths]": ("xfail", _LATER),
}

# Over PJRT plugins, by torch.tpu.get_device_name().
_SUBNORMAL = "XLA's compiler for CPUs takes subnormal numbers for zeros, and divides by a reciprocal, which may be one"
_FORK = "plugins have threads, which do not come along into a forked process; the device says so"
_FLUSHED = {
    "test_unary": "log log2 log10 rsqrt lgamma ceil sign sgn frexp logit count_nonzero",
    "test_sign_of_zero": "ceil",
    "test_binary": "mul div remainder fmod floor_divide pow atan2 heaviside xlogy eq ne lt le gt ge",
    "test_rounded_quotients": "trunc floor",
    "test_activations": "selu leaky_relu relu6",
}
_FORKS = {
    "test_serialization.py::test_device_memory_survives_a_fork": ("xfail", _FORK),
    "test_serialization.py::test_queue[fork]": ("skip", _FORK),
}
KNOWN_OVER_PJRT: dict[str, dict[str, tuple[str, str]]] = {
    "cpu (PJRT cpu)": _FORKS
    | {f"test_ops_values.py::{test}[{case}]": ("xfail", _SUBNORMAL) for test, cases in _FLUSHED.items() for case in cases.split()},
}
