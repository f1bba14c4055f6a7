"""Debug mode: errors come from the line that caused them, say all that is needed, and NaN is found where it arises."""

import traceback

import pytest
import torch
from modes import mode

NAN, INF = float("nan"), float("inf")


def line_of(error, text):
    """The innermost line of this file in the traceback holds ``text``."""
    frames = [f for f in traceback.extract_tb(error.value.__traceback__) if f.filename == __file__]
    return text in frames[-1].line


def test_errors_come_from_their_own_line():
    x, index = torch.ones(4, device="tpu"), torch.tensor([1, 9], device="tpu")
    with torch.tpu.debug(), pytest.raises(IndexError) as error:
        y = x * 2
        z = y.index_select(0, index)
        z = z + 1
    assert line_of(error, "y.index_select(0, index)")
    text = str(error.value)
    assert "index_select" in text and "9" in text
    assert "argument 0 (self): f32[4] strides [1]" in text
    assert "argument 2 (index): i64[2] strides [1]" in text


def test_strict_mode_raises_later():
    x, index = torch.ones(100000, device="tpu"), torch.tensor([1, 100009], device="tpu")
    with mode("strict"):
        y = x.index_select(0, index)
        with pytest.raises(IndexError, match="100009"):
            torch.tpu.synchronize()
    del y


@pytest.mark.parametrize("check", ["nan", "nan,inf", "nan, inf, index"])
def test_nan_is_found_where_it_arises(check):
    x = torch.tensor([[1.0, 4.0, 9.0], [0.0, -1.0, -2.0]], device="tpu")
    with torch.tpu.debug(check=check), pytest.raises(RuntimeError) as error:
        y = x + 1
        z = torch.sqrt(x)
        y = z + y
    assert line_of(error, "torch.sqrt(x)")
    text = str(error.value)
    assert "result 0, f32[2, 3] strides [3, 1], has 2 NaN, the first at [1, 1]" in text
    assert "on entry" not in text


def test_infinite_elements_are_found_when_asked_for():
    x = torch.tensor([1.0, 0.0], device="tpu")
    with torch.tpu.debug(check="nan"):
        assert (1 / x)[1].item() == INF
    with torch.tpu.debug(check="inf"), pytest.raises(RuntimeError, match=r"has 1 infinite, the first at \[1\]"):
        1 / x


def test_what_arguments_had_on_entry():
    x, y = torch.tensor([1.0, NAN, INF], device="tpu"), torch.ones(3, device="tpu")
    with torch.tpu.debug(check="nan,inf"), pytest.raises(RuntimeError) as error:
        torch.mul(y, x)
    text = str(error.value)
    assert "argument 1 (other) had on entry: 1 NaN, the first at [1]; 1 infinite, the first at [2]" in text
    assert "argument 0 (self) had" not in text


def test_in_place_arguments_are_looked_at_before():
    x = torch.tensor([4.0, NAN], device="tpu")
    with (
        torch.tpu.debug(check="nan"),
        pytest.raises(RuntimeError, match=r"argument 0 \(self\) had on entry: 1 NaN, the first at \[1\]"),
    ):
        x.mul_(2)
    y = torch.tensor([4.0, -4.0], device="tpu")
    with torch.tpu.debug(check="nan"), pytest.raises(RuntimeError) as error:
        y.sqrt_()
    assert "has 1 NaN" in str(error.value) and "on entry" not in str(error.value)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.complex64, torch.float8_e5m2])
def test_dtypes_and_layouts(dtype):
    host = torch.ones(4, 6)
    host[2, 3] = NAN
    x = host.to(dtype).to("tpu")
    view = x.t()[1:5:2]
    with torch.tpu.debug(check="nan"), pytest.raises(RuntimeError, match=r"has 1 NaN, the first at \[1, 2\]"):
        view.clone()
    with torch.tpu.debug(check="nan"):
        x[:, :3].clone()


def test_integers_and_empty_tensors_pass():
    with torch.tpu.debug(check="nan,inf"):
        assert (torch.arange(5, device="tpu") + 1).tolist() == [1, 2, 3, 4, 5]
        assert (torch.empty(0, device="tpu") + 1).numel() == 0


def test_backward_passes_are_checked():
    x = torch.zeros(3, device="tpu", requires_grad=True)
    with torch.tpu.debug(check="nan,inf"), pytest.raises(RuntimeError, match=r"infinite|NaN") as error:
        torch.sqrt(x).sum().backward()
    assert line_of(error, "backward()")


def test_training_gives_the_same_numbers():
    def train():
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Dropout(0.2), torch.nn.Linear(16, 2)).to("tpu")
        optimizer = torch.optim.AdamW(model.parameters())
        x = torch.randn(4, 8, device="tpu")
        for _ in range(3):
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()
        return [p.detach().cpu() for p in model.parameters()]

    strict = train()
    with torch.tpu.debug(check="nan,inf,index"):
        debug = train()
    assert all(torch.equal(a, b) for a, b in zip(strict, debug, strict=True))


def test_modes_come_back():
    before = torch.tpu.get_eager_mode()
    with torch.tpu.debug(check="nan"):
        assert torch.tpu.get_eager_mode() == torch.tpu.EagerMode.DEFER_NEVER_AND_LAUNCH_BLOCKING
        with torch.tpu.debug(check="inf"):
            torch.full((1,), NAN, device="tpu").add_(1)
        with pytest.raises(RuntimeError, match="NaN"):
            torch.sqrt(torch.full((1,), -1.0, device="tpu"))
    assert torch.tpu.get_eager_mode() == before
    torch.sqrt(torch.full((1,), -1.0, device="tpu"))


def test_unknown_checks_are_refused():
    with pytest.raises(ValueError, match="check: expected words of nan, inf, index, got bounds"):
        torch.tpu.debug(check="nan,bounds")


def test_earlier_failures_are_raised_on_entry():
    x, index = torch.ones(100000, device="tpu"), torch.tensor([100001], device="tpu")
    with mode("strict"):
        y = x.index_select(0, index)
        with pytest.raises(IndexError, match="100001"):
            torch.tpu.debug()
        assert torch.tpu.get_eager_mode() == torch.tpu.EagerMode.DEFER_NEVER
    del y


def test_environment(python):
    code = """
        import torch
        x = torch.tensor([-1.0, 1.0], device="tpu")
        try:
            torch.sqrt(x)
        except RuntimeError as error:
            print("1 NaN" in str(error))
    """
    assert python(code, {"TORCH_TPU_ENABLE_DEBUG_CHECKS": "1"}).split() == ["True"]
    assert python(code, {"TORCH_TPU_ENABLE_DEBUG_CHECKS": "inf"}).split() == []
    assert python(code, {"TORCH_TPU_ENABLE_DEBUG_CHECKS": "0"}).split() == []


def test_out_of_memory_names_lines(python):
    out = python(
        """
        import torch
        torch.tpu.debug()
        def the_culprit():
            return torch.ones(40 << 20, dtype=torch.uint8, device="tpu")
        keep = the_culprit()
        small = torch.ones(1 << 20, dtype=torch.uint8, device="tpu")
        try:
            torch.empty(30 << 20, dtype=torch.uint8, device="tpu")
        except torch.OutOfMemoryError as error:
            print(error)
        torch.empty(4 << 20, dtype=torch.uint8, device="tpu")
        """,
        {"TORCH_TPU_MEMORY": "64MiB"},
    )
    assert "tried to allocate 30.00 MiB" in out and "capacity 64.00 MiB" in out
    assert "largest free block 23.00 MiB" in out and "41.00 MiB are in use by 2 tensors" in out
    lines = out.split("largest live tensors:")[1].strip().splitlines()
    assert lines[0].split()[:2] == ["40.00", "MiB"] and "<string>:5 in the_culprit" in lines[0]
    assert lines[1].split()[:2] == ["1.00", "MiB"] and "<string>:7 in <module>" in lines[1]


def test_out_of_memory_says_how_to_learn_more(python):
    out = python(
        """
        import torch
        try:
            torch.empty(80 << 20, dtype=torch.uint8, device="tpu")
        except torch.OutOfMemoryError as error:
            print(error)
        """,
        {"TORCH_TPU_MEMORY": "64MiB", "TORCH_TPU_LAUNCH_BLOCKING": "0"},
    )
    assert "tried to allocate 80.00 MiB" in out and "_record_memory_history() and debug mode tell" in out
