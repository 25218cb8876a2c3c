"""Checkpoints of a fit: stop it at any moment, and resume it to the same bits."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.files.atomic_file import replacing
from rosenblatt.base.files.file_kinds import FileKind
from rosenblatt.errors import DataError

FORMAT = "rosenblatt checkpoint 1"


@dataclass
class State:
    """The content of a checkpoint.

    Parameters
    ----------
    arrays, facts : the state of the fit; facts are values that JSON can hold
    """

    arrays: dict[str, NDArray[Any]]
    facts: dict[str, Any]


class Checkpoints:
    """A file that is replaced regularly by the current state of a fit.

    Parameters
    ----------
    path : path of the file
    options : the options of the fit; a checkpoint of a fit with other options is refused
    former : the names of options in checkpoints of earlier versions, by their names of today
    seconds, rows : write a checkpoint after so much time, or after learning from so many rows
    """

    def __init__(
        self, path: Path, options: dict[str, Any], former: Mapping[str, str], seconds: float, rows: int | None
    ) -> None:
        self.path, self.options, self.seconds, self.rows = path, json.loads(json.dumps(options)), seconds, rows
        self.former = former
        self._last, self._learned = time.monotonic(), 0

    def passed(self, rows: int, state: Callable[[], State], *, at_once: bool = False) -> None:
        """Count more rows that were learned from, and write a checkpoint if one is due."""
        self._learned += rows
        due = at_once or (self.rows is not None and self._learned >= self.rows)
        if due or time.monotonic() - self._last >= self.seconds:
            self.write(state())
            self._last, self._learned = time.monotonic(), 0

    def write(self, state: State) -> None:
        """Replace the file."""
        from safetensors.numpy import save

        arrays = {name: np.ascontiguousarray(array) for name, array in state.arrays.items()}
        said = {"format": FORMAT, "options": json.dumps(self.options), "facts": json.dumps(state.facts)}
        with replacing(self.path, FileKind.CHECKPOINT) as file:
            file.write(save(arrays, metadata=said | {"digest": digest_of(arrays, said)}))

    def read(self) -> State:
        """Return the content of the file.

        Raises
        ------
        DataError
            The file does not exist, is not a checkpoint, is damaged, or belongs to a fit with other options.
        """
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(self.path, framework="numpy") as file:
                said = file.metadata() or {}
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except FileNotFoundError as error:
            raise DataError(f"{self.path}: there is no checkpoint to resume from; leave resume out.") from error
        except (OSError, SafetensorError, ValueError) as error:
            raise DataError(f"{self.path}: this is not a checkpoint: {str(error).splitlines()[0]}.") from error
        if said.get("format") != FORMAT:
            raise DataError(f"{self.path}: this is not a checkpoint of this version ({FORMAT}).")
        if said.pop("digest", None) != digest_of(arrays, said):
            raise DataError(f"{self.path}: this checkpoint is damaged. Leave resume out to start again.")
        try:
            options, facts = json.loads(said["options"]), json.loads(said["facts"])
        except (KeyError, ValueError) as error:
            raise DataError(f"{self.path}: this is not a checkpoint: {error}.") from error
        self._compare(options)
        return State(arrays, facts)

    def _compare(self, options: Any) -> None:
        given = options if isinstance(options, dict) else {}
        for name, asked in self.options.items():
            former = self.former.get(name)
            if name not in given and former in self.options:
                continue  # its former name was also that of another option, whose value took its place in the file
            held = given.get(name, given.get(former))
            if held != asked:
                raise DataError(
                    f"{self.path}: this checkpoint is of a fit with other options: {name} was {held!r:.200}, and is "
                    f"{asked!r:.200} now. Give the same options, or leave resume out to start again."
                )


def digest_of(arrays: dict[str, NDArray[Any]], said: dict[str, str]) -> str:
    """Return a digest of the whole content of a checkpoint."""
    whole = hashlib.sha256(json.dumps(said, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        whole.update(f"{name} {array.dtype} {array.shape}".encode())
        whole.update(array.tobytes())
    return whole.hexdigest()
