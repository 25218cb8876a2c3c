"""The files that a command writes after its work. If one cannot be written, its content is kept in another file."""

import os
import secrets
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from rosenblatt.base.files.atomic_file import NotWrittenError, is_written_directly
from rosenblatt.base.files.file_kinds import any_kind_is_replaced
from rosenblatt.base.files.output_files import Output, check_outputs
from rosenblatt.cli.inputs import refuse_missing_files
from rosenblatt.errors import DataError


class Results:
    """The files that a command writes.

    Making one checks all that can be known before the work. `write` remembers which files could not be written, so that
    the command can print its answer before `raise_errors`.

    Parameters
    ----------
    outputs, inputs : all files that the command writes and reads; see `check_outputs`
    force : may a file of any kind be replaced?

    Raises
    ------
    ParameterError
        An output must not be written, or cannot be.
    DataError
        An input is not there.
    """

    def __init__(self, outputs: Iterable[Output], inputs: Mapping[str, Sequence[str]], *, force: bool) -> None:
        self.force = force
        self.errors: list[str] = []
        with any_kind_is_replaced(force):
            check_outputs(outputs, inputs)
        for files in inputs.values():
            refuse_missing_files(*files)

    def write(self, path: Path | None, write: Callable[[Path], None]) -> Path | None:
        """Write a file, or keep its content in another file if that fails.

        Parameters
        ----------
        path : the file; None if there is none to write
        write : writes the content to the path that it is given

        Returns
        -------
        Path or None
            The file that has the content; None if there is none.
        """
        if path is None:
            return None
        try:
            with any_kind_is_replaced(self.force):
                write(path)
        except NotWrittenError as error:
            kept = _kept(path, write)
            where = (
                f"It is kept in {kept}." if kept else f"There is no room in {tempfile.gettempdir()} to keep it either."
            )
            self.errors.append(f"{error} {where}")
            return kept
        except DataError as error:  # the content itself cannot be made
            self.errors.append(error.with_flags())
            return None
        return path

    def raise_errors(self) -> None:
        """Raise if a file could not be written. Call it last."""
        if self.errors:
            raise DataError(" ".join(self.errors))


def _kept(path: Path, write: Callable[[Path], None]) -> Path | None:
    """Write to a new file beside `path`, or else in a new folder for temporary files; None if neither is possible."""
    if not is_written_directly(path):
        beside = path.with_name(f"{path.stem}-{secrets.token_hex(4)}{path.suffix}")
        if _is_written(beside, write):
            return beside
    try:
        folder = Path(tempfile.mkdtemp(prefix="rosenblatt-"))
    except OSError:
        return None
    if _is_written(folder / path.name, write):
        return folder / path.name
    os.rmdir(folder)
    return None


def _is_written(path: Path, write: Callable[[Path], None]) -> bool:
    try:
        write(path)
    except NotWrittenError:
        return False
    return True
