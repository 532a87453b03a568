"""What the processor can do."""

from functools import cache


@cache
def has_wide_registers() -> bool:
    """True on processors with 512-bit SIMD registers; or of the one that NUMBA_CPU_NAME and _FEATURES ask for."""
    from llvmlite import binding
    from numba.core import config

    if config.CPU_FEATURES is not None:
        return "+avx512f" in config.CPU_FEATURES.split(",")
    return bool(binding.get_host_cpu_features().get("avx512f", False))
