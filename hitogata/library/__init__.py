"""Built-in figures."""

from hitogata.library.chain import chain
from hitogata.library.human import human28, human40

__all__ = ["chain", "human28", "human40"]
