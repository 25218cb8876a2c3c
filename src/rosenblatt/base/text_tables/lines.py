"""The lines of a text: how long they may be, and how they end. All readers of text use these rules."""

from rosenblatt.errors import DataError

MAX_LINE_BYTES = 1 << 26  # 64 MiB; a row of a million numbers has about 20 MB


def too_long(name: object, line: int) -> DataError:
    """The error for a line that has more than MAX_LINE_BYTES bytes. An endless line is never held whole."""
    return DataError(
        f"{name}, line {line}: it is longer than {MAX_LINE_BYTES:,} bytes, the most that a line may have. Check that "
        "the file is text of this format, with a row in each line. Rows that are really so long are read from Parquet, "
        "Arrow and NPZ files."
    )


def lone_return(name: object, line: int) -> DataError:
    r"""The error for a carriage return that does not come before a line feed, as at the line ends of old Macs."""
    return DataError(
        f"{name}, line {line}: a carriage return (\\r) alone was found; lines must end with a line feed (\\n). The "
        "command tr '\\r' '\\n' < OLD > NEW makes such a file."
    )


def null_character(name: object, line: int) -> DataError:
    """The error for the character 0, which files of text do not have, and which labels would lose."""
    return DataError(
        f"{name}, line {line}: the character 0 (NUL) was found, which text does not have. Check that the file is text "
        "of this format, in UTF-8."
    )
