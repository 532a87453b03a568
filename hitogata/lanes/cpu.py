"""What the processor can do."""

from functools import cache


@cache
def has_wide_registers() -> bool:
    """True on processors with 512-bit SIMD registers."""
    from llvmlite import binding

    return bool(binding.get_host_cpu_features().get("avx512f", False))
