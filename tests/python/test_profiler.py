"""``torch.profiler`` on the device: what ran, for which operator, how long."""

import itertools
import json
import time

import pytest
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

BOTH = [ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]


def device_events(p):
    return [e for e in p.events() if e.device_type == torch.autograd.DeviceType.PrivateUse1]


def trace_of(p, tmp_path):
    path = tmp_path / "trace.json"
    p.export_chrome_trace(str(path))
    return json.loads(path.read_text())["traceEvents"]


def kernels_of(trace):
    return [e for e in trace if e.get("cat") == "kernel"]


@pytest.fixture(autouse=True)
def strict():
    """One operator, one launch: in fused mode a chunk's kernels belong to whoever flushed it."""
    with torch.tpu.eager_mode(torch.tpu.EagerMode.DEFER_NEVER):
        (torch.ones(4, device="tpu") + 1).cpu()
        yield


def test_operators_have_device_times():
    a, b = torch.randn(256, 256, device="tpu"), torch.randn(256, 256, device="tpu")
    torch.mm(a, b)
    torch.tpu.synchronize()
    with profile(activities=BOTH) as p:
        for _ in range(5):
            torch.mm(a, b)
    rows = {row.key: row for row in p.key_averages()}
    assert rows["aten::mm"].count >= 5 and rows["aten::mm"].self_device_time_total > 0
    kernel = rows["dot_general"]
    assert kernel.count == 5 and kernel.device_type == torch.autograd.DeviceType.PrivateUse1
    assert kernel.self_device_time_total == pytest.approx(rows["aten::mm"].self_device_time_total)
    assert "TPU total" in p.key_averages().table()


def test_device_times_fit_the_wall_time():
    a = torch.randn(512, 512, device="tpu")
    torch.mm(a, a)
    torch.tpu.synchronize()
    with profile(activities=BOTH) as p:
        begin = time.perf_counter()
        for _ in range(10):
            a = torch.mm(a, a).tanh()
        torch.tpu.synchronize()
        wall = time.perf_counter() - begin
    spans = sorted((e.time_range.start, e.time_range.end) for e in device_events(p))
    total = sum(end - begin for begin, end in spans) * 1e-6
    assert len(spans) == 20 and 0 < total <= wall * 1.05
    # products of this size take most of the time between the first launch and the end of waiting
    assert total >= 0.2 * wall
    # one stream: one after another
    assert all(first[1] <= second[0] + 1 for first, second in itertools.pairwise(spans))


def test_kernels_begin_after_their_operator():
    x = torch.randn(300, 300, device="tpu")
    torch.tpu.synchronize()
    with profile(activities=BOTH) as p:
        for _ in range(3):
            x = torch.softmax(x @ x, -1)
        x.cpu()
    operators = {e.id: e for e in p.events() if e.device_type == torch.autograd.DeviceType.CPU}
    events = device_events(p)
    assert events
    for e in events:
        operator = operators[e.linked_correlation_id]
        assert operator.name.startswith("aten::")
        assert e.time_range.start >= operator.time_range.start - 1  # clocks are converted: a microsecond


def test_small_programs_run_inside_their_operator():
    x = torch.ones(8, device="tpu")
    torch.add(x, x)
    torch.tpu.synchronize()
    with profile(activities=BOTH) as p:
        torch.add(x, x)
    (operator,) = [e for e in p.events() if e.name == "aten::add" and e.kernels]
    (kernel,) = operator.kernels
    assert kernel.name == "add"
    assert 0 < kernel.duration <= operator.time_range.end - operator.time_range.start + 1


def test_backward_is_linked_too():
    w = torch.randn(64, 64, device="tpu", requires_grad=True)
    torch.tpu.synchronize()
    with profile(activities=BOTH) as p:
        (w @ w).sum().backward()
    linked = {k.name for e in p.events() for k in e.kernels}
    products = [e for e in device_events(p) if e.name == "dot_general"]
    assert len(products) == 3 and "dot_general" in linked
    assert all(e.linked_correlation_id > 0 for e in products)


def test_chrome_trace_names_steps_and_shapes(tmp_path):
    x, y = torch.randn(32, 16, device="tpu"), torch.randn(16, 8, device="tpu")
    torch.tpu.synchronize()
    with profile(activities=BOTH) as p:
        torch.mm(x, y)
    (kernel,) = kernels_of(trace_of(p, tmp_path))
    assert kernel["name"] == "dot_general"
    args = kernel["args"]
    assert args["shapes"] == "f32[32,16] f32[16,8] -> f32[32,8]"
    assert args["flops"] == 2 * 32 * 16 * 8 and args["bytes"] == 4 * (32 * 16 + 16 * 8 + 32 * 8)
    assert args["program"] == "mm.out" and args["device"] == 0 and args["stream"] == 0


def test_fused_steps_are_named_by_their_operations(tmp_path):
    x = torch.randn(64, 64, device="tpu")
    torch.softmax(x, -1)
    torch.tpu.synchronize()
    with profile(activities=BOTH) as p:
        torch.softmax(x, -1)
    names = [e["name"] for e in kernels_of(trace_of(p, tmp_path))]
    assert names == ["reduce-maximum subtract exponential reduce-add divide"]


def test_copies_are_seen(tmp_path):
    host = torch.randn(1000)
    torch.tpu.synchronize()
    with profile(activities=BOTH) as p:
        there = host.to("tpu")
        there.cpu()
    copies = [e for e in trace_of(p, tmp_path) if e.get("cat") == "gpu_memcpy"]
    assert [e["name"].split()[1] for e in copies] == ["HtoD", "DtoH"]
    assert all(e["args"]["bytes"] == 4000 for e in copies)


def test_stacks_and_shapes():
    def the_function_that_calls(x):
        return torch.mm(x, x)

    x = torch.randn(16, 16, device="tpu")
    config = torch._C._profiler._ExperimentalConfig(verbose=True)
    torch.tpu.synchronize()
    with profile(activities=BOTH, with_stack=True, record_shapes=True, experimental_config=config) as p:
        the_function_that_calls(x)
    operator = next(e for e in p.events() if e.name == "aten::mm")
    assert operator.input_shapes[:2] == [[16, 16], [16, 16]]
    assert any("the_function_that_calls" in frame for frame in operator.stack)
    grouped = p.key_averages(group_by_input_shape=True)
    assert any(row.key == "aten::mm" and row.self_device_time_total > 0 for row in grouped)


def test_memory_is_reported():
    torch.tpu.synchronize()
    with profile(activities=BOTH, profile_memory=True) as p:
        x = torch.empty(1024, device="tpu")
        y = x + 1
        del x, y
    rows = {row.key: row for row in p.key_averages()}
    assert rows["aten::empty"].self_device_memory_usage == 8192  # the operator's result comes from there, too
    freed = sum(row.self_device_memory_usage for row in p.key_averages() if row.key == "[memory]")
    assert freed == -8192


def test_no_memory_is_reported_unless_asked():
    torch.tpu.synchronize()
    with profile(activities=BOTH) as p:
        torch.empty(1024, device="tpu")
    assert all(row.self_device_memory_usage == 0 for row in p.key_averages())


def test_schedule_and_steps():
    done = []
    x = torch.ones(64, device="tpu")
    plan = schedule(wait=1, warmup=1, active=2, repeat=2)
    torch.tpu.synchronize()
    with profile(activities=BOTH, schedule=plan, on_trace_ready=lambda p: done.append(len(device_events(p)))) as p:
        for _ in range(8):
            with record_function("work"):
                torch.add(x, x)
            p.step()
    assert done == [2, 2]


def test_host_alone_has_no_device_events():
    with profile(activities=[ProfilerActivity.CPU]) as p:
        torch.ones(8, device="tpu") + 1
    assert not device_events(p)


def test_training_step(tmp_path):
    model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 8)).to("tpu")
    optimizer = torch.optim.AdamW(model.parameters())
    x, y = torch.randn(16, 32, device="tpu"), torch.randint(0, 8, (16,), device="tpu")

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    step()
    torch.tpu.synchronize()
    with profile(activities=BOTH) as p:
        step()
    events = device_events(p)
    operators = {e.id for e in p.events() if e.device_type == torch.autograd.DeviceType.CPU}
    assert len(events) > 10
    assert all(e.linked_correlation_id in operators for e in events)


def test_config_switches_the_device_off():
    config = torch.tpu.profiler.TpuProfilerConfig(device_tracer_level=0)
    torch.tpu.synchronize()
    with profile(activities=BOTH, experimental_config=config) as p:
        torch.ones(8, device="tpu") + 1
    assert not device_events(p)


def test_config_writes_what_ran(tmp_path):
    folder = tmp_path / 'a "strange" # name'
    config = torch.tpu.profiler.TpuProfilerConfig(run_dir=folder, worker_rank="3")
    x = torch.ones(8, device="tpu")
    torch.tpu.synchronize()
    with profile(activities=BOTH, experimental_config=config):
        torch.add(x, x)
    (file,) = folder.iterdir()
    assert "_3." in file.name
    events = [e for e in json.loads(file.read_text())["traceEvents"] if e["ph"] == "X"]
    assert [e["name"] for e in events] == ["add"]
    assert events[0]["dur"] > 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"device_tracer_level": 4}, "device_tracer_level: expected 0, 1, 2 or 3, got 4"),
        ({"experimental_options": {"tpu_num_chips": 1}}, "experimental_options: expected none, got tpu_num_chips"),
    ],
)
def test_config_refuses(arguments, text):
    with pytest.raises(ValueError, match=text):
        torch.tpu.profiler.TpuProfilerConfig(**arguments)
    torch.tpu.profiler.TpuProfilerConfig(experimental_options={"tpu_num_chips": 1}, check_experimental_options=False)
