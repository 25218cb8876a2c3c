"""Files that a command or a call will write: all that can be known about them is checked before the work.

An output is refused if it is an input or another output, if it cannot be written, or if it would replace a file of
another kind.
"""

import glob
import os
import stat
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt.base.files.atomic_file import is_written_directly
from rosenblatt.base.files.file_kinds import FileKind, may_replace
from rosenblatt.errors import ParameterError

STANDARD_INPUT = 0


class Output(NamedTuple):
    """A file that will be written.

    Attributes
    ----------
    option : how the user names it: "--out" in the command, "cache=" in Python
    path : the file; None if there will be none
    kind : what will be written. None if any file may be replaced
    is_read_back : will it be read again, so that it must be a file, not a pipe or a device?
    """

    option: str
    path: str | os.PathLike[str] | None
    kind: FileKind | None
    is_read_back: bool = False

    @property
    def name(self) -> str:
        """The path as text."""
        return "" if self.path is None else os.fspath(self.path)

    def __str__(self) -> str:
        return f"{self.option}{self.name!r}" if self.option.endswith("=") else f"{self.option} {self.name}"


def check_outputs(outputs: Iterable[Output], inputs: Mapping[str, Sequence[str]]) -> None:
    """Raise if an output must not be written, before any file is opened for writing.

    Parameters
    ----------
    outputs : all files that will be written
    inputs : for each input, as the user names it, its files: paths, patterns, addresses, or "-"

    Raises
    ------
    ParameterError
        An output is an input or another output, cannot be written, or would replace a file of another kind.
    """
    given = [output for output in outputs if output.path is not None]
    _refuse_inputs(given, inputs)
    _refuse_equal(given)
    for output in given:
        path = _resolved(output)
        if not is_written_directly(output.name):
            _refuse_unwritable(output, path)
            _refuse_other_kind(output, path)
        elif output.is_read_back:
            raise ParameterError(
                f"{output}: it is a pipe or a device, and cannot be read again. Give the name of a file."
            )


def _refuse_inputs(outputs: list[Output], inputs: Mapping[str, Sequence[str]]) -> None:
    if not outputs:
        return
    read = {}
    for option, names in inputs.items():
        for name in local_files(names):
            found = _status(STANDARD_INPUT if name == "-" else name)
            if found is not None and stat.S_ISREG(found.st_mode):
                read[found.st_dev, found.st_ino] = option, name
    for output in outputs:
        option, name = read.get(_identity(output), ("", ""))
        if option:
            other = "" if name == output.name else f" ({name})"
            raise ParameterError(
                f"{output}: this is the file that is read as {option}{other}. Writing would destroy it; give another "
                f"name to {output.option.removesuffix('=')}."
            )


def local_files(names: Sequence[str]) -> Iterator[str]:
    """The files that the names stand for: patterns are expanded, addresses of local files become paths."""
    for name in names:
        if name.startswith("file:"):
            yield urllib.request.url2pathname(urllib.parse.urlparse(name).path)
        elif glob.has_magic(name) and "\0" not in name and not os.path.exists(name):
            yield from sorted(glob.glob(name, recursive=True))
        else:
            yield name


def _status(name: str | int) -> os.stat_result | None:
    """What the system says about a file (its name, or its number if it is open); None if there is no such file."""
    try:
        return os.stat(name)
    except (OSError, ValueError):
        return None


def _identity(output: Output) -> tuple[Any, ...]:
    """What a path leads to, however it is spelled.

    A file: its numbers in the file system. A file that is not there: those of its folder, and its name. A device or a
    pipe: its path.
    """
    path = output.name
    found = _status(path)
    if found is not None and stat.S_ISREG(found.st_mode):
        return found.st_dev, found.st_ino
    place = os.path.abspath(path) if found is not None else os.path.realpath(path.replace("\0", ""))
    folder = _status(os.path.dirname(place))
    return (place,) if folder is None else (folder.st_dev, folder.st_ino, os.path.basename(place))


def _refuse_equal(outputs: list[Output]) -> None:
    seen: dict[tuple[Any, ...], Output] = {}
    for output in outputs:
        first = seen.setdefault(_identity(output), output)
        if first is not output and output.name != os.devnull:
            raise ParameterError(f"{first} and {output} are the same file. Give each a name of its own.")


def _resolved(output: Output) -> Path:
    try:
        path = Path(os.path.realpath(output.name))
        path.exists()
    except (OSError, ValueError) as error:  # the name is too long, or has a character that is not allowed
        said = getattr(error, "strerror", None) or error
        raise ParameterError(f"{output}: it cannot be written: {said}.") from error
    return path


def _refuse_unwritable(output: Output, path: Path) -> None:
    if path.is_symlink():  # links were followed, so this one leads to itself
        raise ParameterError(f"{output}: it cannot be written: it is a symbolic link that leads to itself. Remove it.")
    if path.is_dir():
        advice = f"Give the name of a file in it, as in {os.path.join(output.name, 'NAME')}."
        raise ParameterError(f"{output}: it cannot be written: it is a folder. {advice}")
    if not path.parent.is_dir():
        folder = path.parent if Path(output.name).is_symlink() else Path(output.name).parent
        raise ParameterError(f"{output}: it cannot be written: there is no folder {str(folder)!r}. Make it first.")
    for place, mode, words in ((path.parent, os.W_OK | os.X_OK, "its folder"), (path, os.W_OK, "the file")):
        if place.exists() and not os.access(place, mode):
            raise ParameterError(
                f"{output}: it cannot be written: {words} is read-only. Give another name, or allow writing there."
            )


def _refuse_other_kind(output: Output, path: Path) -> None:
    if output.kind is None or may_replace(path, output.kind):
        return
    what = "" if output.kind is FileKind.TEXT else f", and it is not {output.kind.value}"
    in_python = output.option.endswith("=")
    advice = "Remove it, or give another name." if in_python else "Give another name, or --force to replace it."
    raise ParameterError(f"{output}: a file of this name exists{what}. {advice}")
