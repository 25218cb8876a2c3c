"""The file of one model: what was learned, in order, and snapshots of the model.

It is a SQLite database in WAL mode. The state of the model is the latest snapshot, and the batches of the log after it,
learned again. A batch is in the log, whole, before it is acknowledged.

    facts      what the model is: name, spec, and the version of this format
    log        batches of examples as JSON text, in the order in which they were learned; `seq` is the first example's
               number, from 1; `reply` is what the client was answered, for a retry with the same key
    snapshots  the model after `seq` examples
    waiting    rows that were predicted, and wait for their label
"""

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rosenblatt.errors import DataError, RosenblattError

FORMAT = 1
Durability = Literal["commit", "os"]
BUSY_SECONDS = 10.0
SCHEMA = """
create table facts (name text primary key, value text not null) without rowid;
create table log (seq integer primary key, n integer not null, at real not null, examples blob not null,
                  key text, reply blob);
create unique index log_key on log (key) where key is not null;
create table snapshots (version integer primary key, seq integer not null, at real not null, model blob not null,
                        monitor text not null, why text not null);
create table waiting (id text primary key, at real not null, x text not null, predicted text) without rowid;
create index waiting_at on waiting (at);
"""


class StorageError(RosenblattError):
    """The file of a model cannot be read or written. Nothing that was acknowledged is lost."""


class Batch(NamedTuple):
    """Examples of the log."""

    seq: int  # the number of the first example
    n: int
    text: bytes


class Snapshot(NamedTuple):
    """A model after some examples."""

    version: int
    seq: int  # the number of examples that it has learned from
    at: float
    model: bytes
    monitor: dict[str, Any]


class ModelFile:
    """One open file. One thread writes it.

    Parameters
    ----------
    path : the file
    durability : "commit": a committed batch survives a loss of power; "os": it survives the end of this process
    """

    def __init__(self, path: Path, durability: Durability = "commit") -> None:
        self.path = path
        with self._told("opened"):
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS)
            self._db.execute("pragma journal_mode = wal")
            self._db.execute(f"pragma synchronous = {'full' if durability == 'commit' else 'normal'}")
            self._db.execute("pragma foreign_keys = on")

    @classmethod
    def create(cls, path: Path, facts: dict[str, str], durability: Durability = "commit") -> "ModelFile":
        """Make a file with these facts."""
        made = cls(path, durability)
        with made._told("written"), made._db:
            made._db.executescript(SCHEMA)
            made._db.executemany("insert into facts values (?, ?)", [("format", str(FORMAT)), *facts.items()])
        return made

    def facts(self) -> dict[str, str]:
        """What the model is.

        Raises
        ------
        StorageError
            The file is damaged, or of a later version.
        """
        with self._told("read"):
            found = dict(self._db.execute("select name, value from facts").fetchall())
        if found.get("format") != str(FORMAT):
            raise StorageError(
                f"{self.path.name}: it has format {found.get('format')!r}, and this program reads {FORMAT}."
            )
        return found

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all that is written in this block, or nothing."""
        with self._told("written"):
            self._db.execute("begin immediate")
        try:
            yield
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("rollback")
            raise
        try:
            with self._told("written"):
                self._db.execute("commit")
        except StorageError:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("rollback")
            raise

    # -----------------------------------------------------------------------------------------------------------------
    # The log

    def append(self, seq: int, n: int, text: bytes, key: str | None, reply: bytes | None) -> None:
        """Write a batch; with a key also the reply, for a request that comes again."""
        with self._told("written"):
            row = (seq, n, time.time(), text, key, reply)
            self._db.execute("insert into log values (?, ?, ?, ?, ?, ?)", row)

    def reply_to(self, key: str) -> bytes | None:
        """What the client was answered that sent a batch with this key; None if there was none."""
        with self._told("read"):
            found = self._db.execute("select reply from log where key = ?", (key,)).fetchone()
        return None if found is None else bytes(found[0])

    def batches(self, after: int) -> Iterator[Batch]:
        """The batches after so many examples, in order."""
        with self._told("read"):
            for seq, n, text in self._db.execute(
                "select seq, n, examples from log where seq > ? order by seq", (after,)
            ):
                yield Batch(seq, n, bytes(text))

    def bounds(self) -> tuple[int, int]:
        """The numbers of the first and of the last example in the log; (0, 0) if it is empty."""
        with self._told("read"):
            first = self._db.execute("select min(seq) from log").fetchone()[0]
            last = self._db.execute("select seq + n - 1 from log order by seq desc limit 1").fetchone()
        return (0, 0) if first is None else (int(first), int(last[0]))

    # -----------------------------------------------------------------------------------------------------------------
    # Snapshots

    def add_snapshot(self, seq: int, model: bytes, monitor: dict[str, Any], why: str) -> int:
        """Keep a snapshot; return its version."""
        with self._told("written"):
            row = (seq, time.time(), model, json.dumps(monitor), why)
            written = self._db.execute(
                "insert into snapshots (seq, at, model, monitor, why) values (?, ?, ?, ?, ?)", row
            )
        return int(written.lastrowid or 0)

    def snapshot(self, version: int | None = None) -> Snapshot | None:
        """A snapshot; the latest without a version; None if there is none."""
        chosen, given = ("where version = ?", (version,)) if version is not None else ("", ())
        query = f"select version, seq, at, model, monitor from snapshots {chosen} order by version desc limit 1"  # noqa: S608
        with self._told("read"):
            found = self._db.execute(query, given).fetchone()
        if found is None:
            return None
        number, seq, at, model, monitor = found
        return Snapshot(number, seq, at, bytes(model), json.loads(monitor))

    def snapshots(self) -> list[dict[str, Any]]:
        """All snapshots, the latest first."""
        with self._told("read"):
            found = self._db.execute(
                "select version, seq, at, length(model), why from snapshots order by version desc"
            ).fetchall()
        return [dict(zip(("version", "examples", "at", "bytes", "why"), row, strict=True)) for row in found]

    def compact(self, keep_snapshots: int, keep_examples: int) -> None:
        """Delete old snapshots, and old examples that no snapshot needs for a replay."""
        with self._told("written"):
            kept = "select version from snapshots order by version desc limit ?"
            self._db.execute(f"delete from snapshots where version not in ({kept})", (keep_snapshots,))  # noqa: S608
            latest = self._db.execute("select max(seq) from snapshots").fetchone()[0] or 0
            limit = min(latest, self.bounds()[1] - keep_examples)
            self._db.execute("delete from log where seq + n - 1 <= ?", (limit,))

    # -----------------------------------------------------------------------------------------------------------------
    # Rows that wait for a label

    def add_waiting(self, rows: list[tuple[str, str, str]]) -> None:
        """Keep rows by id, with their predictions."""
        now = time.time()
        with self._told("written"):
            self._db.executemany("insert into waiting values (?, ?, ?, ?)", [(i, now, x, was) for i, x, was in rows])

    def waiting(self, given: str) -> str | None:
        """A row that waits for its label, as JSON text; None if there is none of this id."""
        with self._told("read"):
            found = self._db.execute("select x from waiting where id = ?", (given,)).fetchone()
        return None if found is None else str(found[0])

    def waiting_count(self) -> int:
        """How many rows wait for a label."""
        with self._told("read"):
            return int(self._db.execute("select count(*) from waiting").fetchone()[0])

    def remove_waiting(self, given: str) -> None:
        """Remove a row that has its label."""
        with self._told("written"):
            self._db.execute("delete from waiting where id = ?", (given,))

    def expire_waiting(self, before: float) -> int:
        """Remove the rows that came before a time; return how many."""
        with self._told("written"):
            return int(self._db.execute("delete from waiting where at < ?", (before,)).rowcount)

    # -----------------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the file."""
        with contextlib.suppress(sqlite3.Error):
            self._db.close()

    @contextlib.contextmanager
    def _told(self, done: str) -> Iterator[None]:
        """Raise errors of SQLite as a StorageError with a sentence."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise StorageError(f"{self.path.name}: it cannot be {done}: {_sentence(error)}") from error
        except (TypeError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise StorageError(f"{self.path.name}: it is damaged: {error}.") from error


def _sentence(error: sqlite3.DatabaseError) -> str:
    code = getattr(error, "sqlite_errorname", "")
    if code.startswith("SQLITE_FULL"):
        return "the disk is full. Make room; predictions go on, and nothing that was acknowledged is lost."
    if code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return "the folder or the file cannot be written. Change its rights; predictions go on."
    if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return "the file is damaged. Restore it from a copy, or create the model anew."
    if code.startswith("SQLITE_IOERR"):
        return f"the disk reports an error ({error}). Predictions go on; nothing that was acknowledged is lost."
    return f"{error}."
