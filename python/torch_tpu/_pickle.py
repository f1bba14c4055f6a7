"""Tensors of the device in ``torch.multiprocessing`` queues and pipes.

Device memory belongs to its process, so a storage travels as a copy in shared host memory and is rebuilt on the same
device index in the receiver. Tensors that share a storage within one message share it again on arrival.
"""

from multiprocessing import reduction
from typing import Any

import torch
from torch.multiprocessing.reductions import reduce_storage


def _rebuild_storage(host: torch.UntypedStorage, device: str) -> torch.UntypedStorage:
    storage = torch.UntypedStorage(host.nbytes(), device=device)
    if host.nbytes():
        storage.copy_(host)
    return storage


def _reduce_storage(storage: torch.UntypedStorage) -> tuple[Any, ...]:
    if storage.device.type != "tpu":
        return reduce_storage(storage)
    return _rebuild_storage, (storage.cpu(), str(storage.device))


def register() -> None:
    """Teach ``multiprocessing`` to send storages of the device; others are reduced as before."""
    reduction.ForkingPickler.register(torch.UntypedStorage, _reduce_storage)
