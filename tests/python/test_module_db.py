"""PyTorch's own samples of modules and optimizers, a few of each in float32; conformance/module_db.py has all of them."""

import itertools
import sys
import warnings
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "conformance"))
import module_db


@pytest.mark.parametrize("info", module_db.module_db, ids=lambda info: info.name)
def test_module(info: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for training in (True, False) if info.train_and_eval_differ else (True,):
            for _, check in itertools.islice(module_db.module_cases(info, torch.float32, training), 2):
                check()
    assert torch.tpu.fallback_counts() == {}


@pytest.mark.parametrize("info", module_db.optim_db, ids=lambda info: info.optim_cls.__name__)
def test_optimizer(info: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _, check in list(module_db.optimizer_cases(info))[::4]:
            check()
    assert torch.tpu.fallback_counts() == {}
