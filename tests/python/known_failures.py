"""Tests that are skipped or fail as known, by "file::test": ("skip" or "xfail", reason).

An xfail is strict: the test must fail, and the entry goes when it passes. A skip is for what cannot run at all.
"""

KNOWN: dict[str, tuple[str, str]] = {}
