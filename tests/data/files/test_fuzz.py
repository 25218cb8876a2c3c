"""Fuzzed files give data or an error that names the file in one sentence; never a crash or a hang."""

import pytest

from tests.support import fuzz_readers
from tests.support.effort import by_day


@pytest.mark.parametrize("formats", ["csv,tsv,gzip,jsonl,zstd", "libsvm,vw,parquet,arrow,stream,npz,sparse"])
def test_broken_files(formats: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Valid files with bytes changed, lost, put in and doubled; and bytes that never were a file."""
    fuzz_readers.run(tmp_path_factory, "mutate", formats)


def test_what_coverage_finds(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Atheris keeps the input that reaches new code, and changes it further."""
    fuzz_readers.run(tmp_path_factory, "cover", by_day("3", "600"))


@pytest.mark.parametrize("format", list(fuzz_readers.ENDINGS))
def test_the_valid_files_are_valid(format: str, tmp_path_factory: pytest.TempPathFactory) -> None:  # noqa: A002
    """The files that the fuzzer changes are valid before the change."""
    path = tmp_path_factory.mktemp("valid") / f"input.{fuzz_readers.ENDINGS[format]}"
    path.write_bytes(fuzz_readers.valid(format))
    for options in fuzz_readers.OPTIONS:
        fuzz_readers.tried(path, options)
