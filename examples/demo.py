"""Train both examples briefly on the tpu device and on the CPU, and compare (about two minutes).

make demo
"""

import torch
import train_chargpt
import train_digits
from common import Run, peak_memory

DIGITS_EPOCHS, GPT_STEPS, COMPARED = 8, 500, 50


def difference(a: Run, b: Run) -> float:
    """Largest relative difference of the losses of the first steps."""
    return max(abs(x - y) / abs(y) for x, y in zip(a.losses[:COMPARED], b.losses[:COMPARED], strict=True))


def ends(run: Run) -> str:
    return f"{run.losses[0]:.4f} {run.losses[-1]:.4f}"


def main() -> None:
    properties = torch.tpu.get_device_properties()
    print(f"device tpu:0 is {properties.name} ({properties.kind}), {properties.total_memory / 2**30:.1f} GiB\n")
    examples = {
        "digits": lambda device: train_digits.train(device, DIGITS_EPOCHS * train_digits.steps_per_epoch(), quiet=False),
        "chargpt": lambda device: train_chargpt.train(device, GPT_STEPS, quiet=False, sample=200 if device == "tpu" else 0),
    }
    rows, written = [], ""
    for name, train in examples.items():
        tpu = train("tpu")
        memory, operators = peak_memory("tpu"), torch.tpu.operator_counts()
        fallbacks = sum(torch.tpu.fallback_counts().values())
        cpu = train("cpu")
        written = tpu.sample or written
        rows += [
            (f"{name}: loss, first and last step", ends(cpu), ends(tpu)),
            (f"{name}: largest difference, {COMPARED} steps", "", f"{difference(tpu, cpu):.1e}"),
            (f"{name}: examples a second", f"{cpu.throughput:.0f}", f"{tpu.throughput:.0f}"),
            (f"{name}: peak device memory", "", memory),
            (f"{name}: operators, times run", "", f"{len(operators)}, {sum(operators.values())}"),
            (f"{name}: ran on the host instead", "", str(fallbacks)),
        ]
        if tpu.accuracy is not None:
            rows.append((f"{name}: test accuracy", f"{100 * cpu.accuracy:.2f} %", f"{100 * tpu.accuracy:.2f} %"))
    print(f"\nwritten by the character GPT:\n{written}\n")
    print(f"{'':<40}{'cpu':>18}{'tpu':>18}")
    for what, cpu, tpu in rows:
        print(f"{what:<40}{cpu:>18}{tpu:>18}")


if __name__ == "__main__":
    main()
