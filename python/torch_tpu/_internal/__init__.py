"""Names under which existing code finds what is public in ``torch.tpu``."""
