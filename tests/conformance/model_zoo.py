"""Small models of known architectures with random weights: transformers' own definitions, and some that it has none of.

Each is a function that gives a model and the arguments of a call, which returns the loss and what it was computed of.
"""

import itertools
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Made = tuple[nn.Module, dict[str, Tensor]]

WORDS, LENGTH, ROWS, WIDTH = 99, 12, 2, 32
TEXT = {"vocab_size": WORDS, "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
BLOCKS = {"hidden_size": WIDTH, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
GROUPED = {"num_key_value_heads": 2, "use_cache": False}
STILL = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}  # devices do not share random numbers


def words(length: int = LENGTH) -> Tensor:
    return torch.randint(3, WORDS, (ROWS, length))


def pictures(size: int = 32, channels: int = 3) -> Tensor:
    return torch.randn(ROWS, channels, size, size)


def classes(count: int = 5) -> Tensor:
    return torch.randint(0, count, (ROWS,))


# ---- of transformers ----


def made(kind: str, config: str, options: dict[str, Any], **inputs: Tensor) -> Made:
    import transformers

    return getattr(transformers, kind)(getattr(transformers, config)(**options)), inputs


def causal(name: str, **options: Any) -> Callable[[], Made]:
    """Predicts the next word."""

    def make() -> Made:
        x = words()
        return made(f"{name}ForCausalLM", f"{name}Config", {**TEXT, **BLOCKS, **options}, input_ids=x, labels=x)

    return make


def masked(name: str, **options: Any) -> Callable[[], Made]:
    """Predicts words that are left out, of lines of which one is shorter."""

    def make() -> Made:
        x, mask = words(), torch.ones(ROWS, LENGTH, dtype=torch.int64)
        mask[1, LENGTH // 2 :] = 0
        given = {**TEXT, **BLOCKS, **STILL, **options}
        return made(f"{name}ForMaskedLM", f"{name}Config", given, input_ids=x, attention_mask=mask, labels=x)

    return make


def classifier(name: str, size: int = 32, **options: Any) -> Callable[[], Made]:
    """Classifies pictures."""

    def make() -> Made:
        given = {"num_labels": 5, "image_size": size, **options}
        return made(f"{name}ForImageClassification", f"{name}Config", given, pixel_values=pictures(size), labels=classes())

    return make


def gpt2() -> Made:
    still = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0, "use_cache": False}
    x = words()
    sizes = {"vocab_size": WORDS, "n_positions": 64, "n_embd": WIDTH, "n_layer": 2, "n_head": 4}
    sizes |= {"bos_token_id": 1, "eos_token_id": 2, "loss_type": "ForCausalLM"}  # without that it warns, which breaks the graph
    return made("GPT2LMHeadModel", "GPT2Config", {**sizes, **still}, input_ids=x, labels=x)


def distilbert() -> Made:
    still = {"dropout": 0.0, "attention_dropout": 0.0}
    sizes = {"vocab_size": WORDS, "max_position_embeddings": 64, "dim": WIDTH, "hidden_dim": 64, "n_layers": 2, "n_heads": 4}
    x = words()
    return made("DistilBertForMaskedLM", "DistilBertConfig", {**sizes, **still}, input_ids=x, labels=x)


def t5() -> Made:
    sizes = {"vocab_size": WORDS, "d_model": WIDTH, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4}
    options = {**sizes, "dropout_rate": 0.0, "use_cache": False, "decoder_start_token_id": 0}
    return made("T5ForConditionalGeneration", "T5Config", options, input_ids=words(), labels=words(7))


def whisper() -> Made:
    sizes = {"vocab_size": WORDS, "num_mel_bins": 8, "max_source_positions": 15, "max_target_positions": 16, "d_model": WIDTH}
    for side in ("encoder", "decoder"):
        sizes |= {f"{side}_layers": 2, f"{side}_attention_heads": 4, f"{side}_ffn_dim": 64}
    special = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1, "suppress_tokens": None}
    options = {**sizes, **special, "begin_suppress_tokens": None, "dropout": 0.0, "use_cache": False}
    sound = torch.randn(ROWS, 8, 30)
    return made("WhisperForConditionalGeneration", "WhisperConfig", options, input_features=sound, labels=words(7))


def clip() -> Made:
    text = {**TEXT, **BLOCKS, "projection_dim": 16}
    vision = {**BLOCKS, "image_size": 16, "patch_size": 8, "projection_dim": 16}
    options = {"text_config": text, "vision_config": vision, "projection_dim": 16}
    given = {"input_ids": words(), "pixel_values": pictures(16), "return_loss": True}
    return made("CLIPModel", "CLIPConfig", options, **given)


def wav2vec2() -> Made:
    still = {"hidden_dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0, "feat_proj_dropout": 0.0}
    still |= {"final_dropout": 0.0, "layerdrop": 0.0, "apply_spec_augment": False}
    sizes = {**BLOCKS, "vocab_size": 20, "conv_dim": (16, 16, 16), "conv_kernel": (8, 3, 3), "conv_stride": (4, 2, 2)}
    options = {**sizes, **still, "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 2, "num_feat_extract_layers": 3}
    given = {"input_values": torch.randn(ROWS, 400), "labels": torch.randint(1, 20, (ROWS, 4))}
    return made("Wav2Vec2ForCTC", "Wav2Vec2Config", {**options, "ctc_loss_reduction": "mean"}, **given)


# ---- of our own ----


class Judged(nn.Module):
    """A model and its loss."""

    def __init__(self, model: nn.Module, judge: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.model, self.judge = model, judge

    def forward(self, x: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        y = self.model(x)
        return self.judge(y, labels), y


class UNet(nn.Module):
    """Down, through, and up again beside what was on the way down."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        sizes = (3, width, 2 * width, 4 * width)
        self.down = nn.ModuleList(self.block(a, b) for a, b in itertools.pairwise(sizes))
        self.wider = nn.ModuleList(nn.ConvTranspose2d(s, s // 2, 2, stride=2) for s in (4 * width, 2 * width))
        self.up = nn.ModuleList(self.block(s, s // 2) for s in (4 * width, 2 * width))
        self.head = nn.Conv2d(width, 2, 1)

    @staticmethod
    def block(a: int, b: int) -> nn.Module:
        convolution = [nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(inplace=True)]
        return nn.Sequential(*convolution, nn.Conv2d(b, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(inplace=True))

    def forward(self, x: Tensor) -> Tensor:
        seen = []
        for i, block in enumerate(self.down):
            x = block(F.max_pool2d(x, 2) if i else x)
            seen.append(x)
        for block, wider, beside in zip(self.up, self.wider, seen[-2::-1], strict=True):
            x = block(torch.cat([wider(x), beside], 1))
        return self.head(x)


class Tagger(nn.Module):
    """Two layers of LSTM, both ways, that name each word's class."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 16)
        self.core = nn.LSTM(16, 12, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(24, 7)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.core(self.embedding(x))[0]).flatten(0, 1)


class DLRM(nn.Module):
    """Bags of categories and dense features, their products, and a network on top."""

    def __init__(self, width: int = 8, tables: int = 4) -> None:
        super().__init__()
        self.bags = nn.ModuleList(nn.EmbeddingBag(30, width, mode="sum") for _ in range(tables))
        self.bottom = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, width), nn.ReLU())
        pairs = tables * (tables + 1) // 2
        self.top = nn.Sequential(nn.Linear(width + pairs, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, dense: Tensor, categories: Tensor, offsets: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        x = self.bottom(dense)
        every = torch.stack([x, *(bag(c, offsets) for bag, c in zip(self.bags, categories, strict=True))], 1)
        i, j = torch.tril_indices(every.shape[1], every.shape[1], -1, device=x.device)
        y = self.top(torch.cat([x, torch.bmm(every, every.transpose(1, 2))[:, i, j]], 1))[:, 0]
        return F.binary_cross_entropy_with_logits(y, labels), y


class VAE(nn.Module):
    """Pictures through a code with given noise."""

    def __init__(self, code: int = 6) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(3, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(8, 16, 4, 2, 1), nn.GroupNorm(4, 16), nn.SiLU(), nn.Flatten()
        )
        self.code = nn.Linear(16 * 4 * 4, 2 * code)
        self.decoder = nn.Sequential(
            nn.Linear(code, 16 * 4 * 4), nn.Unflatten(1, (16, 4, 4)), nn.ConvTranspose2d(16, 8, 4, 2, 1), nn.SiLU(),
            nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2d(8, 3, 3, padding=1), nn.Sigmoid(),
        )  # fmt: skip

    def forward(self, x: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        mean, spread = self.code(self.encoder(x)).chunk(2, 1)
        y = self.decoder(mean + noise * (0.5 * spread).exp())
        return F.mse_loss(y, x) - 0.05 * (1 + spread - mean.square() - spread.exp()).mean(), y


class DiffusionTransformer(nn.Module):
    """Patches through blocks whose norms a time and a class scale and shift."""

    def __init__(self, width: int = WIDTH, layers: int = 2, patch: int = 4) -> None:
        super().__init__()
        self.patch = patch
        self.patches, self.kinds = nn.Conv2d(3, width, patch, patch), nn.Embedding(5, width)
        self.places = nn.Parameter(torch.randn(16, width) / 10)
        self.time = nn.Sequential(nn.Linear(16, width), nn.SiLU(), nn.Linear(width, width))
        self.norms = nn.ModuleList(nn.LayerNorm(width, elementwise_affine=False) for _ in range(2 * layers))
        self.scales = nn.ModuleList(nn.Linear(width, 6 * width) for _ in range(layers))
        self.attention = nn.ModuleList(nn.MultiheadAttention(width, 4, batch_first=True) for _ in range(layers))
        self.networks = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 64), nn.GELU(approximate="tanh"), nn.Linear(64, width)) for _ in range(layers)
        )
        self.head = nn.Linear(width, 3 * patch * patch)

    def forward(self, x: Tensor, time: Tensor, kind: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        frequencies = torch.exp(-torch.arange(8, device=x.device) / 2)
        angles = time[:, None] * frequencies
        given = F.silu(self.time(torch.cat([angles.cos(), angles.sin()], 1)) + self.kinds(kind))
        y = self.patches(x).flatten(2).transpose(1, 2) + self.places
        for i, scales in enumerate(self.scales):
            a, b, c, d, e, f = scales(given)[:, None].chunk(6, 2)
            z = self.norms[2 * i](y) * (1 + a) + b
            y = y + c * self.attention[i](z, z, z, need_weights=False)[0]
            y = y + f * self.networks[i](self.norms[2 * i + 1](y) * (1 + d) + e)
        n, side = x.shape[0], x.shape[2] // self.patch
        y = self.head(y).view(n, side, side, 3, self.patch, self.patch).permute(0, 3, 1, 4, 2, 5).reshape(x.shape)
        return F.mse_loss(y, labels), y


def dlrm() -> Made:
    offsets = torch.tensor([0, 2, 3, 7])
    given = {"dense": torch.randn(4, 6), "categories": torch.randint(0, 30, (4, 9)), "offsets": offsets, "labels": torch.rand(4)}
    return DLRM(), given


def diffusion_transformer() -> Made:
    given = {"x": pictures(16), "time": torch.rand(ROWS) * 9, "kind": classes(), "labels": pictures(16)}
    return DiffusionTransformer(), given


def unet() -> Made:
    return Judged(UNet(), F.cross_entropy), {"x": pictures(16), "labels": torch.randint(0, 2, (ROWS, 16, 16))}


def lstm() -> Made:
    return Judged(Tagger(), F.cross_entropy), {"x": words(), "labels": torch.randint(0, 7, (ROWS * LENGTH,))}


GEMMA = {"head_dim": 8, "query_pre_attn_scalar": 8, "sliding_window": 8}
OPT = {"ffn_dim": 64, "word_embed_proj_dim": WIDTH, "dropout": 0.0}
EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2}
MAMBA = {"state_size": 4, "num_hidden_layers": 2, "hidden_size": WIDTH, "use_cache": False}
SWIN = {"patch_size": 2, "embed_dim": 16, "depths": [2, 2], "num_heads": [2, 4], "window_size": 4, "drop_path_rate": 0.0}
STAGES = {"hidden_sizes": [8, 16], "depths": [1, 2]}

MODELS: dict[str, Callable[[], Made]] = {
    "BERT": masked("Bert"),
    "RoBERTa": masked("Roberta"),
    "ALBERT": masked("Albert", embedding_size=16, classifier_dropout_prob=0.0),
    "DistilBERT": distilbert,
    "GPT-2": gpt2,
    "OPT": causal("OPT", **OPT),
    "Llama": causal("Llama", **GROUPED),
    "Qwen3": causal("Qwen3", **GROUPED, head_dim=8),
    "Gemma 2": causal("Gemma2", **GROUPED, **GEMMA),
    "Phi": causal("Phi", **GROUPED, resid_pdrop=0.0),
    "Mixtral": causal("Mixtral", **GROUPED, **EXPERTS),
    "Mamba": causal("Mamba", **MAMBA),
    "T5": t5,
    "Whisper": whisper,
    "Wav2Vec2": wav2vec2,
    "CLIP": clip,
    "ViT": classifier("ViT", **BLOCKS, **STILL, patch_size=8),
    "Swin": classifier("Swin", **SWIN),
    "ConvNeXt": classifier("ConvNext", patch_size=2, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 2, 1]),
    "ResNet": classifier("ResNet", embedding_size=8, **STAGES, layer_type="basic"),
    "UNet": unet,
    "VAE": lambda: (VAE(), {"x": torch.rand(ROWS, 3, 16, 16), "noise": torch.randn(ROWS, 6)}),
    "diffusion transformer": diffusion_transformer,
    "LSTM": lstm,
    "DLRM": dlrm,
}
