"""All models of a service, each in a folder of its own below one folder.

The folder of a model has a random name, so that no path is made of what a client sent.
"""

import contextlib
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.models.save import from_bytes
from rosenblatt.service.learning.monitor import Monitor
from rosenblatt.service.learning.spec import Spec, spec_of
from rosenblatt.service.running.served_model import ServedModel
from rosenblatt.service.running.settings import Settings
from rosenblatt.service.storage.model_file import ModelFile, StorageError

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
FILE = "model.sqlite"
DELETED = ".deleted-"
NEW = ".new-"


class UnknownModelError(RosenblattError):
    """There is no model of this name."""


class ExistsError(RosenblattError):
    """There is a model of this name already."""


class FolderInUseError(RosenblattError):
    """Another service uses the folder."""


class Models:
    """The models of a service.

    Parameters
    ----------
    folder : where they are kept; it is made if it does not exist
    settings : limits and intervals

    Attributes
    ----------
    broken : why a model could not be opened, by the name of its folder
    """

    def __init__(self, folder: Path, settings: Settings = Settings()) -> None:  # noqa: B008  (it is immutable)
        self.folder, self.settings = folder, settings
        folder.mkdir(parents=True, exist_ok=True)
        self._lock: int | None = _lock(folder)
        self._change = threading.Lock()
        self._models: dict[str, ServedModel] = {}
        self.broken: dict[str, str] = {}
        for place in sorted(folder.iterdir()):
            if place.name.startswith((DELETED, NEW)):
                shutil.rmtree(place, ignore_errors=True)
            elif (place / FILE).is_file():
                self._open(place)

    def _open(self, place: Path) -> None:
        try:
            model = ServedModel(ModelFile(place / FILE, self.settings.durability), self.settings)
        except (RosenblattError, KeyError, ValueError) as error:
            self.broken[place.name] = str(error)
        else:
            self._models[model.name] = model

    def __iter__(self) -> Iterator[ServedModel]:
        return iter([self._models[name] for name in sorted(self._models)])

    def __len__(self) -> int:
        return len(self._models)

    def get(self, name: str) -> ServedModel:
        """The model of a name.

        Raises
        ------
        UnknownModelError
            There is none.
        """
        try:
            return self._models[name]
        except KeyError:
            raise UnknownModelError(f"There is no model {name!r:.80}.") from None

    def create(self, name: Any, spec: Spec, estimator: bytes = b"") -> ServedModel:
        """Make a model; with an estimator, from that of a model file.

        Raises
        ------
        ExistsError
            There is a model of this name.
        DataError
            The name or the estimator cannot be used, or there are too many models.
        """
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise DataError(
                "name must have 1 to 64 letters, digits, dots, hyphens and underscores, and begin with a letter or a "
                f"digit, not {name!r:.80}."
            )
        with self._change:
            if name in self._models:
                raise ExistsError(f"There is a model {name!r} already.")
            if len(self._models) >= self.settings.max_models:
                raise DataError(f"There are {len(self._models):,} models, the most of this service; delete one first.")
            own = secrets.token_hex(8)
            draft, place = self.folder / f"{NEW}{own}", self.folder / own
            try:
                draft.mkdir()
                facts = {"name": name, "spec": spec.to_json(), "created": str(time.time())}
                file = ModelFile.create(draft / FILE, facts, self.settings.durability)
                if estimator:
                    with file.transaction():
                        file.add_snapshot(0, estimator, Monitor().to_dict(), "imported")
                file.close()
                draft.rename(place)
                _flush(self.folder)
            except OSError as error:
                raise StorageError(f"The model cannot be written: {error.strerror}.") from error
            finally:
                shutil.rmtree(draft, ignore_errors=True)
            self._models[name] = ServedModel(ModelFile(place / FILE, self.settings.durability), self.settings)
            return self._models[name]

    def load(self, name: str, raw: bytes) -> ServedModel:
        """Make a model of a model file, as `rosenblatt.save` writes them.

        Raises
        ------
        DataError
            The file is no model, or one that cannot learn row by row.
        """
        return self.create(name, spec_of(from_bytes(raw)), raw)

    def delete(self, name: str) -> None:
        """Delete a model, with its log.

        Raises
        ------
        UnknownModelError
            There is none of this name.
        """
        with self._change:
            model = self.get(name)
            del self._models[name]
        model.close()
        place = model.file.path.parent
        gone = place.with_name(f"{DELETED}{place.name}")
        place.rename(gone)
        _flush(self.folder)
        shutil.rmtree(gone, ignore_errors=True)

    def close(self) -> None:
        """Do what waits, take a snapshot of each model, and close all files."""
        for model in self:
            model.close()
        held, self._lock = self._lock, None
        if held is not None:
            os.close(held)


def _lock(folder: Path) -> int:
    """Hold the folder, so that two services do not write one log."""
    import fcntl

    held = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(held)
        raise FolderInUseError(
            f"{folder}: another service uses this folder. Stop it, or give another folder."
        ) from error
    return held


def _flush(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    with contextlib.suppress(OSError):  # some file systems cannot
        held = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(held)
        finally:
            os.close(held)
