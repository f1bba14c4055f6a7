"""Python callbacks for the platform flambeau: JAX lowers them for the platforms that it knows, tpu among them, and the device
understands what it emits for tpu, so a rule is JAX's own rule for tpu in a context of that platform."""

from collections.abc import Callable
from typing import Any


class _AsTpu:
    """The client under another platform's name, for the rules that ask it."""

    platform = "tpu"

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


def _as_tpu(rule: Callable[..., Any]) -> Callable[..., Any]:
    def lower(ctx: Any, *args: Any, **params: Any) -> Any:
        client = _AsTpu(ctx.module_context.get_backend())
        module = ctx.module_context.replace(platforms=("tpu",), backend=client)
        inner = ctx.replace(module_context=module, platforms=None, tokens_out=None)
        results = rule(inner, *args, **params)
        if inner.tokens_out is not None:
            ctx.set_tokens_out(inner.tokens_out)
        return results

    return lower


def register() -> None:
    """Adds the rules for pure_callback, io_callback, debug.callback, debug.print and checks."""
    from jax._src import callback, checkify, debugging
    from jax._src.interpreters import mlir

    rules = (
        (callback.pure_callback_p, callback.pure_callback_lowering),
        (callback.io_callback_p, callback.io_callback_lowering),
        (debugging.debug_callback_p, debugging.debug_callback_lowering),
        (debugging.debug_print_p, debugging.debug_print_lowering_rule),
    )
    for primitive, rule in rules:
        mlir.register_lowering(primitive, _as_tpu(rule), platform="flambeau", cacheable=False)
    mlir.register_lowering(checkify.check_p, checkify.check_lowering_rule_unsupported, platform="flambeau")
