"""The errors hitogata raises: one root, a child for each kind of bad input.

Every message names what is wrong (file and line, link, joint, argument or value) and what to do about it.
"""


class HitogataError(Exception):
    """Root of all errors raised by hitogata."""


class ArgumentError(HitogataError, ValueError):
    """An argument has the wrong shape, dtype or value."""


class FigureError(HitogataError, ValueError):
    """A figure is not physical or not well formed; the message names the link or joint."""


class RangeError(HitogataError, ValueError):
    """A range of motion is not well formed; the message names the point or value."""


class FileFormatError(HitogataError, ValueError):
    """A file cannot be read; the message names the file and, where known, the line."""


class MissingDependencyError(HitogataError, ImportError):
    """An optional package is needed; the message names the pip install."""


class FileContentWarning(UserWarning):
    """A file holds something that hitogata cannot represent; the message sums it up.

    Attributes:
        details: everything by name.
    """

    def __init__(self, message: str = "", *, details: str = "") -> None:
        super().__init__(message)
        self.details = details or message
