"""Tokens: who may read, learn and administer.

A token file has one token a line, after its role:

    read   8hX...
    learn  Qm3...
    admin  z0K...

Who may learn may read too, and who may administer may do everything. Empty lines and lines that begin with # do not
count. The file should be readable by its owner only.
"""

import hashlib
import hmac
from enum import IntEnum
from pathlib import Path
from typing import Self

from rosenblatt.errors import DataError

MIN_LENGTH = 16


class Role(IntEnum):
    """What a client may do; each role includes those before."""

    NOBODY = 0
    READ = 1
    LEARN = 2
    ADMIN = 3


class Tokens:
    """The tokens of a service. They are kept as digests.

    Parameters
    ----------
    digests : the SHA-256 digest of each token, with its role
    """

    def __init__(self, digests: list[tuple[bytes, Role]]) -> None:
        self._digests = digests

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a token file.

        Raises
        ------
        DataError
            The file cannot be read, or a line is not a role and a token.
        """
        try:
            lines = path.read_text(encoding="ascii").splitlines()
            is_open = path.stat().st_mode & 0o077
        except OSError as error:
            raise DataError(f"{path}: the token file cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise DataError(f"{path}: a token file has plain ASCII characters only.") from error
        if is_open:
            raise DataError(f"{path}: other users can read the token file; run `chmod 600 {path}`.")
        digests = []
        for number, line in enumerate(lines, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if len(words) != 2 or words[0] not in ("read", "learn", "admin"):
                raise DataError(f"{path}, line {number}: a role (read, learn or admin) and a token were expected.")
            if len(words[1]) < MIN_LENGTH:
                raise DataError(f"{path}, line {number}: a token has at least {MIN_LENGTH} characters.")
            digests.append((_digest(words[1]), Role[words[0].upper()]))
        if not digests:
            raise DataError(f"{path}: there is no token in this file; a line is `admin` and a token.")
        return cls(digests)

    def role_of(self, given: str) -> Role:
        """The role of a token. The time does not tell how much of it is right."""
        own, role = _digest(given), Role.NOBODY
        for digest, its_role in self._digests:
            if hmac.compare_digest(own, digest):
                role = max(role, its_role)
        return role


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
