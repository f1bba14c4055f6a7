"""What both training examples share: the record of a run, and the report printed at its end."""

import resource
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn


@dataclass
class Run:
    """What a training run returns.

    ``losses`` has one number a step, ``gradients`` the first step's, by parameter name and on the CPU. ``examples``
    were seen in ``seconds``, without the first step, which also compiles.
    """

    device: str
    losses: list[float] = field(default_factory=list)
    gradients: dict[str, Tensor] = field(default_factory=dict)
    examples: int = 0
    seconds: float = 0.0
    accuracy: float | None = None
    sample: str = ""
    model: nn.Module | None = None

    @property
    def throughput(self) -> float:
        """Examples a second."""
        return self.examples / self.seconds if self.seconds else 0.0


def progress(total: int, title: str, quiet: bool) -> "Iterator[object]":
    """A progress bar over ``range(total)``; without a bar when ``quiet``, so that tests need no tqdm."""
    if quiet:
        return iter(range(total))
    from tqdm import tqdm

    return tqdm(range(total), desc=title, unit="step", leave=True)


def synchronize(device: str) -> None:
    """Wait for the device; nothing to wait for on the CPU."""
    if device != "cpu":
        torch.accelerator.synchronize()


def train_loop(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    scheduler: object,
    batches: Iterable[tuple[Tensor, Tensor]],
    steps: int,
    run: Run,
    title: str,
    quiet: bool,
) -> None:
    """Run ``steps`` training steps and fill ``run``. The model returns the loss of (inputs, targets) on its device.

    Losses stay on the device until they are shown, so that the host does not wait in every step.
    """
    bar = progress(steps, title, quiet)
    pending: list[Tensor] = []
    source = iter(batches)
    start = time.perf_counter()
    model.train()
    for step in bar:
        inputs, targets = (t.to(run.device) for t in next(source))
        loss = model(inputs, targets)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if step == 0:
            run.gradients = {n: p.grad.detach().cpu().clone() for n, p in model.named_parameters() if p.grad is not None}
        optimizer.step()
        scheduler.step()
        pending.append(loss.detach())
        if step == 0:
            synchronize(run.device)
            start = time.perf_counter()
        else:
            run.examples += len(inputs)
        if len(pending) == 10 or step == steps - 1:
            run.losses += torch.stack(pending).tolist()
            pending.clear()
            if hasattr(bar, "set_postfix"):
                bar.set_postfix(loss=f"{run.losses[-1]:.4f}", refresh=False)
    synchronize(run.device)
    run.seconds = time.perf_counter() - start


def size(count: float) -> str:
    """Bytes in the unit that suits them."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


def peak_memory(device: str) -> str:
    """Peak memory of the device, or of this process for the CPU."""
    if device == "cpu":
        return size(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024) + " (process)"
    return size(torch.tpu.max_memory_allocated())


HOST_THREADS = torch.get_num_threads()


def start(device: str) -> None:
    """Start the counters that :func:`report` prints anew.

    With the model on the device, PyTorch's own threads have batches to pick and nothing else. After each such operation they
    spin for milliseconds, on cores that the device computes on: one thread is faster.
    """
    torch.set_num_threads(HOST_THREADS if device == "cpu" else 1)
    if device != "cpu":
        torch.tpu.reset_peak_memory_stats()
        torch.tpu.reset_operator_counts()
        torch.tpu.reset_fallback_counts()


def report(run: Run, what: str) -> None:
    """Print what a run did: loss, throughput, memory, and on the device the operators that ran."""
    print(f"device        {run.device}")
    print(f"loss          {run.losses[0]:.4f} -> {run.losses[-1]:.4f} in {len(run.losses)} steps")
    if run.accuracy is not None:
        print(f"test accuracy {100 * run.accuracy:.2f} %")
    print(f"throughput    {run.throughput:.0f} {what}/s")
    print(f"peak memory   {peak_memory(run.device)}")
    if run.device == "cpu":
        return
    counts = sorted(torch.tpu.operator_counts().items(), key=lambda item: (-item[1], item[0]))
    print(f"\n{'operator':<52}{'times run':>10}")
    for name, count in counts:
        print(f"{name:<52}{count:>10}")
    fallbacks = torch.tpu.fallback_counts()
    if fallbacks:
        print(f"\nran on the host instead: {fallbacks}")
    else:
        print(f"\nall {len(counts)} operators ran on the device, none fell back to the host")
