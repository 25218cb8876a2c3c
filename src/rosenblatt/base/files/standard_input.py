"""Standard input, as a file of bytes."""

import sys
from typing import BinaryIO

from rosenblatt.errors import DataError

STANDARD_INPUT = "-"  # how users name it


def standard_input() -> BinaryIO:
    """Give standard input.

    Raises
    ------
    DataError
        It is closed: by the shell (`<&-`), or because it was read before.
    """
    if sys.stdin is None or sys.stdin.buffer.closed:
        raise DataError(
            f"{STANDARD_INPUT}: standard input is closed. Give the name of a file, or send the data to standard input, "
            "once."
        )
    return sys.stdin.buffer
