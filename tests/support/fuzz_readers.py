"""Files that are broken on purpose, read in a process of its own, so that not even a crash is lost.

    python -m tests.support.fuzz_readers kernels KINDS      nasty lines, and numba checks the bounds of arrays
    python -m tests.support.fuzz_readers mutate FORMATS     hypothesis changes valid files, or makes bytes up
    python -m tests.support.fuzz_readers cover SECONDS      atheris looks for input that reaches more of the code

All is well if the answer is data or an error of this package, in one sentence that names the file.
"""

import importlib
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.support.effort import NIGHTLY, by_day, examples
from tests.support.places import COMPILED, PACKAGE, ROOT

ROWS = [
    (1, 0.5, True, "u", "a"),
    (-2, 1e300, False, "v", "b"),
    (30, -0.125, True, "u", "a"),
    (4, 5e-324, True, "w", "b"),
]
NAMES = ["n", "x", "t", "c", "k"]
ENDINGS = {
    "csv": "csv",
    "tsv": "tsv",
    "jsonl": "jsonl",
    "libsvm": "svm",
    "vw": "vw",
    "parquet": "parquet",
    "arrow": "arrow",
    "stream": "arrow",
    "npz": "npz",
    "sparse": "npz",
    "gzip": "csv.gz",
    "zstd": "jsonl.zst",
}
LIMIT = by_day(300, 3 * 3600)  # seconds after which a process is taken to hang


def run(folders: Any, *arguments: str, checked: bool = True) -> None:
    """Run this file in a process of its own; what it says, if it does not end well, is the error.

    Parameters
    ----------
    folders : pytest's `tmp_path_factory`; all processes share a folder for compiled code
    checked : shall numba check the bounds of arrays?
    """
    import pytest

    base = folders.getbasetemp()
    cache = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "checked-kernels"
    cache.mkdir(exist_ok=True)
    own = folders.mktemp("fuzz")
    settings = {"TMPDIR": str(own), "PYTHONFAULTHANDLER": "1", "PYTHONWARNINGS": ""}
    if checked:
        settings |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-m", "tests.support.fuzz_readers", *arguments]
    environment = os.environ | settings
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=LIMIT, check=False)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        last = sorted(own.rglob("input.*"), key=lambda path: path.stat().st_mtime)
        shown = f"\nlast input: {last[-1].name} {last[-1].read_bytes()[:4000]!r}" if last else ""
        said = "\n".join(line for line in said.splitlines() if not line.startswith("Extension modules"))
        pytest.fail(f"{' '.join(arguments)} ended with {done.returncode}:\n{said[-6000:]}{shown}", pytrace=False)


# ---------------------------------------------------------------------------------------------------------------------
# Nasty text


def nasty() -> Iterator[bytes]:
    """Lines that a hasty loop runs beyond."""
    words = [
        "",
        " ",
        "\t",
        "\r",
        "+",
        "-",
        ".",
        "e",
        "1e",
        "1e+",
        "-.",
        "1",
        "-1",
        "0.",
        "1e5",
        "1:",
        ":",
        ":1",
        "1:2",
        "q",
        "qi",
    ]
    words += [
        "qid",
        "qid:",
        "qid:1",
        "#",
        "|",
        "||",
        "|a",
        "|a:",
        "|a:2",
        "|:",
        "'",
        "'t",
        "a",
        "a:",
        "a:1",
        "a:1e",
        "1:-",
        "::",
        "1:1e",
    ]
    words += [
        "9" * 40,
        "1:" + "9" * 40,
        "9" * 40 + ":1",
        "0." + "0" * 400 + "1",
        "1e" + "9" * 30,
        "9007199254740993",
        "1:5e-324",
    ]
    for gap in ("", " ", "\t", "\r", "  "):
        for first in words:
            for second in words:
                yield f"{first}{gap}{second}".encode()
                yield f"1{gap}{first}{gap}{second}".encode()
                yield f"1 |{gap}{first}{gap}{second}{gap}{second}".encode()
    for byte in range(256):
        for form in (
            b"%c",
            b"1%c",
            b"1 1:2%c",
            b"%c1 1:2",
            b"1 1%c2",
            b"1 | a%cb%cc",
            b"1 |a:1%c",
            b"1 1:1e%c",
            b"1 |%c%c%c%c%c%c",
        ):
            yield form.replace(b"%c", bytes([byte]))
    for between in (b" ", b"\t", b"\r", b"\r\t", b" :", b"|", b":", b"#"):
        yield b"1 |" + between + between.join([b"a"] * 3000)
        yield b"1" + between + between.join([b"1:2"] * 3000)
        yield b"1" + between + between.join(b"%d:2" % k for k in range(3000, 0, -1))
        yield between * 5000
        yield b"1 | " + between * 5000
    yield b"1 1:" + b"7" * 100_000
    yield b"1 | " + b"a" * 100_000
    yield bytes(range(256)) * 4
    choose = random.Random(0)  # noqa: S311
    for _ in range(3000):
        yield bytes(choose.choices(b"0123456789+-.eE:|#' \t\r\nqida", k=choose.randint(0, 60)))


def run_kernels(kinds: str) -> None:
    """Each nasty text by itself, cut off at its end, and all of them as one; for "libsvm", "vw" and "numbers"."""
    import numpy as np
    from numba import config

    from rosenblatt.data.compiled import decimals, hashing, jit
    from rosenblatt.data.files.sparse_text import read_block

    assert vars(config)["BOUNDSCHECK"] == 1
    jit.PATIENCE = -1.0  # all rules are compiled

    def tried(raw: bytes, kind: str) -> None:
        text = np.frombuffer(raw + b"\n", np.uint8)
        if kind == "numbers":
            _, end, _ = decimals.read_number(text)
            assert 0 <= end < len(text)
            hashing.murmur(text, 0, len(raw), np.uint32(7))
            hashing.fingerprint(text, np.uint64(7))
            return
        rows, _ = read_block(text, kind, 3)
        rows.X.check_format(full_check=True)
        assert np.isfinite(rows.X.data).all(), "not finite"
        assert len(rows.labels) + len(rows.bad) <= text.tobytes().count(b"\n")

    failed: dict[str, list[bytes]] = {}
    for kind in kinds.split(","):
        for raw in [*nasty(), b"\n".join(nasty())]:
            try:
                tried(raw, kind)
            except Exception as error:
                failed.setdefault(f"{kind}: {type(error).__name__}: {error}", []).append(raw)
    for said, inputs in failed.items():
        print(f"{said}: {len(inputs)} inputs, the shortest {min(inputs, key=len)!r}")
    sys.exit(bool(failed))


# ---------------------------------------------------------------------------------------------------------------------
# Broken files


def valid(format: str) -> bytes:  # noqa: A002
    """A small file, made without this package."""
    import numpy as np
    import pyarrow
    import pyarrow.parquet
    import scipy.sparse

    table = pyarrow.table({name: [row[j] for row in ROWS] for j, name in enumerate(NAMES)})
    holes = table.append_column("d", pyarrow.array(["p", "q", None, "p"]).dictionary_encode()).select(
        [*NAMES[:4], "d", "k"]
    )
    X, y = np.array([row[:3] for row in ROWS], float), np.array([row[4] for row in ROWS])
    file = io.BytesIO()
    if format in ("csv", "gzip", "tsv"):
        gap = "\t" if format == "tsv" else ","
        text = "\n".join(gap.join(map(str, row)) for row in [NAMES, *ROWS]) + "\n"
        return pyarrow.compress(text.encode(), "gzip", asbytes=True) if format == "gzip" else text.encode()
    if format in ("jsonl", "zstd"):
        text = "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in ROWS)
        return pyarrow.compress(text.encode(), "zstd", asbytes=True) if format == "zstd" else text.encode()
    if format == "libsvm":
        return b"1 1:0.5 3:-1e300\n-1 qid:3 2:5e-324 # comment\n\n+1 10:7 2:9007199254740993\r\n2\n"
    if format == "vw":
        return b"1 |n a:2 b |m:0.5 c 18\n-1 1.0 'tag| a a:2 :3\n\n1|18 x:9007199254740993 y:-1e-3\n"
    if format == "parquet":
        pyarrow.parquet.write_table(holes, file)
    elif format in ("arrow", "stream"):
        opened = pyarrow.ipc.new_file if format == "arrow" else pyarrow.ipc.new_stream
        with opened(file, holes.schema) as writer:
            writer.write_table(holes)
    elif format == "npz":
        np.savez(file, X=X, y=y, names=np.array(NAMES[:3]))
    else:
        S = scipy.sparse.csr_array(X)
        np.savez(file, data=S.data, indices=S.indices, indptr=S.indptr, shape=np.array(S.shape), y=y)
    return file.getvalue()


OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"on_error": "skip"},
    {"fill": 0},
    {"fill": "mean", "on_error": "skip"},
    {"hash_bits": 3},
)


def check_said(said: str, path: Path | None) -> None:
    assert not {"\n", "\r"} & set(said), f"more than a line: {said!r}"
    assert said.endswith("."), said
    assert path is None or said.startswith(str(path)), f"no file is named: {said!r}"


def tried(path: Path, options: dict[str, Any]) -> None:
    """Read a file: data that can be used, or an error of this package that names the file in one sentence."""
    import numpy as np
    import scipy.sparse

    from rosenblatt import read
    from rosenblatt.errors import DataError, ParameterError

    try:
        data = read(path, **options)
    except (DataError, ParameterError) as error:
        check_said(str(error), None if isinstance(error, ParameterError) else path)
        return
    n, d = data.X.shape
    assert n == len(data.y) > 0
    assert data.y.ndim == 1
    assert data.feature_names is None or len(data.feature_names) == d
    assert data.skipped == 0 or options.get("on_error") == "skip"
    if scipy.sparse.issparse(data.X):
        data.X.check_format(full_check=True)
    numbers = data.X.data if scipy.sparse.issparse(data.X) else np.asarray(data.X)
    assert np.isfinite(numbers).all(), "not finite"


def changed(draw: Callable[[Any], Any], raw: bytes) -> bytes:
    """A file after some accidents: flipped bits, other bytes, ends cut off, things put in or doubled."""
    from hypothesis import strategies as st

    text = bytearray(raw)
    pieces = st.binary(min_size=1, max_size=8) | st.sampled_from(
        [b"\n", b"\r", b"\r\n", b'"', b",", b"\t", b":", b"|", b"#", b"\x00", b"{}"]
    )
    pieces |= st.sampled_from(
        [
            b"\xff\xff\xff\xff",
            b"\xed\xa0\x80",
            b"\\ud800",
            b"nan",
            b"1e999",
            b"null",
            b"[",
            b"\xef\xbb\xbf",
            b"0x1",
            b" ",
        ]
    )
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        what = draw(st.sampled_from(["flip", "byte", "cut", "put", "double", "lose"]))
        length = draw(st.integers(1, 40))
        if what == "flip" and at < len(text):
            text[at] ^= 1 << draw(st.integers(0, 7))
        elif what == "byte" and at < len(text):
            text[at] = draw(st.sampled_from([0, 1, 127, 128, 255]))
        elif what == "cut":
            del text[at:]
        elif what == "put":
            text[at:at] = draw(pieces)
        elif what == "double":
            text[at:at] = text[at : at + length]
        elif what == "lose":
            del text[at : at + length]
    return bytes(text)


def run_mutations(formats: str) -> None:
    """Each of the formats, joined by commas; those that fail are told together."""
    failed = []
    for format in formats.split(","):  # noqa: A001
        try:
            mutate(format)
        except Exception:
            failed.append(format)
            traceback.print_exc()
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


def mutate(format: str) -> None:  # noqa: A002
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    path, raw = Path(tempfile.mkdtemp()) / f"input.{ENDINGS[format]}", valid(format)
    path.write_bytes(raw)
    tried(path, {"fill": 0} if format in ("parquet", "arrow", "stream") else {})
    mutations = st.composite(lambda draw: changed(draw, raw))()

    @settings(
        max_examples=examples(4),
        deadline=None,
        derandomize=not NIGHTLY,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(mutations | st.binary(max_size=60), st.sampled_from(OPTIONS))
    def attack(text: bytes, options: dict[str, Any]) -> None:
        path.write_bytes(text)
        tried(path, options)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        attack()


# ---------------------------------------------------------------------------------------------------------------------
# Coverage decides what to try next


def run_coverage(seconds: str) -> None:
    """The first byte of an input chooses the format and the options, the rest is the file."""
    import atheris

    compiled = [".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in COMPILED]
    with atheris.instrument_imports(include=["rosenblatt"], exclude=compiled):
        importlib.import_module("rosenblatt.data.files.read")
        importlib.import_module("rosenblatt.certificate.reader")

    folder = Path(tempfile.mkdtemp())
    formats = list(ENDINGS)
    corpus = folder / "corpus"
    corpus.mkdir()
    for k, format in enumerate(formats):  # noqa: A001
        for option in range(len(OPTIONS)):
            (corpus / f"{format}-{option}").write_bytes(bytes([k + len(formats) * option]) + valid(format))

    end = time.monotonic() + float(seconds)

    def attack(text: bytes) -> None:
        if time.monotonic() > end:
            os._exit(0)  # libFuzzer would leave by exit() with the GIL held, and Arrow's threads may wait for the GIL
        if not text:
            return
        option, k = divmod(text[0], len(formats))
        path = folder / f"input.{ENDINGS[formats[k]]}"
        path.write_bytes(text[1:])
        tried(path, OPTIONS[option % len(OPTIONS)])

    options = [
        "-timeout=60",
        "-rss_limit_mb=4096",
        f"-artifact_prefix={folder}/",
        "-seed=1",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], attack)
    atheris.Fuzz()


if __name__ == "__main__":
    {"kernels": run_kernels, "mutate": run_mutations, "cover": run_coverage}[sys.argv[1]](sys.argv[2])
