"""PyTorch's harness for tests of any device, as its own test files use it: ``instantiate_device_type_tests`` with its decorators.

docs/testing.md says which variables point PyTorch's files at this device.
"""

import copy
import os
import subprocess
import sys
from pathlib import Path

import torch
from torch.testing import make_tensor
from torch.testing._internal.common_device_type import (
    deviceCountAtLeast,
    dtypes,
    instantiate_device_type_tests,
    onlyNativeDeviceTypes,
    ops,
    precisionOverride,
    skipMeta,
)
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_modules import module_db, modules
from torch.testing._internal.common_optimizers import optim_db, optims
from torch.testing._internal.common_utils import TestCase, run_tests

SOME_OPS = [op for op in op_db if op.supports_autograd and torch.float32 in op.supported_dtypes("cpu")][::25]
SOME_MODULES = module_db[::15]


class TestAnyDevice(TestCase):
    @dtypes(torch.float32, torch.int64, torch.bfloat16, torch.complex64)
    @precisionOverride({torch.bfloat16: 1e-2})
    def test_arithmetic(self, device: str, dtype: torch.dtype) -> None:
        x, y = (make_tensor((3, 4), device=device, dtype=dtype) for _ in range(2))
        self.assertEqual((x + y * 2).cpu(), x.cpu() + y.cpu() * 2)
        self.assertEqual(x.device, torch.device(device))

    @onlyNativeDeviceTypes
    @skipMeta
    def test_is_a_native_device(self, device: str) -> None:
        self.assertEqual(torch.ones(2, device=device).sum().item(), 2)

    @deviceCountAtLeast(1)
    def test_all_devices(self, devices: list[str]) -> None:
        for device in devices:
            self.assertEqual(torch.zeros(1, device=device).device, torch.device(device))

    @ops(SOME_OPS, allowed_dtypes=(torch.float32,))
    def test_operator(self, device: str, dtype: torch.dtype, op: object) -> None:
        for sample in list(op.sample_inputs(device, dtype))[:2]:
            here = sample.transform(lambda x: x.cpu() if isinstance(x, torch.Tensor) else "cpu" if str(x) == device else x)
            got = op(sample.input, *sample.args, **sample.kwargs)
            self.assertEqual(got, op(here.input, *here.args, **here.kwargs), exact_device=False)

    @modules(SOME_MODULES, allowed_dtypes=(torch.float32,))
    def test_module(self, device: str, dtype: torch.dtype, module_info: object, training: bool) -> None:
        inputs = module_info.module_inputs_func(module_info, device=device, dtype=dtype, requires_grad=False, training=training)
        for sample in inputs[:2]:
            args, kwargs = sample.constructor_input.args, sample.constructor_input.kwargs
            module = module_info.module_cls(*args, **kwargs).to(device, dtype).train(training)
            if sample.forward_input is not None:
                module(*sample.forward_input.args, **sample.forward_input.kwargs)

    @optims([info for info in optim_db if not info.only_supports_sparse_grads], dtypes=[torch.float32])
    def test_optimizer(self, device: str, dtype: torch.dtype, optim_info: object) -> None:
        for sample in optim_info.optim_inputs_func(device=device)[:2]:
            x = torch.nn.Parameter(torch.ones(3, 2, device=device, dtype=dtype))
            before = copy.deepcopy(x)
            optimizer = optim_info.optim_cls([x], **sample.kwargs)
            x.grad = torch.ones_like(x)
            optimizer.step(lambda x=x: x.sum())
            self.assertNotEqual(x, before)


instantiate_device_type_tests(TestAnyDevice, globals())


def test_variables_choose_the_device() -> None:
    """What docs/testing.md says: of a file of this kind only the tests of this device run."""
    variables = {"PYTORCH_TESTING_DEVICE_ONLY_FOR": "privateuse1", "PYTORCH_TESTING_DEVICE_FOR_CUSTOM": "privateuse1"}
    command = [sys.executable, str(Path(__file__).resolve()), "-v", "-k", "test_a"]
    environment = {name: value for name, value in os.environ.items() if name != "CI"}  # where PyTorch writes reports, by a package
    done = subprocess.run(command, env={**environment, **variables}, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "test_arithmetic_tpu_float32" in done.stderr or "test_arithmetic_privateuse1_float32" in done.stderr, done.stderr[-500:]
    assert "_cpu_" not in done.stderr


if __name__ == "__main__":
    run_tests()
