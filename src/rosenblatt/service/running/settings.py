"""Limits and intervals of a service."""

from typing import NamedTuple

from rosenblatt.service.storage.model_file import Durability


class Settings(NamedTuple):
    """How a service runs.

    Attributes
    ----------
    durability : "commit": an answer to `learn` is sent when the example is on disk; "os": when the system has it
    snapshot_every : examples between two snapshots
    keep_snapshots : snapshots that are kept
    keep_examples : examples that stay in the log after a snapshot has them
    max_queue : requests to one model that wait; more are refused
    max_models : models of a service
    max_waiting : predicted rows of one model that wait for their label
    label_seconds : how long such a row waits
    loads_rules : are compiled rules loaded from disk in the background, as soon as there is a model that needs them?
    """

    durability: Durability = "commit"
    snapshot_every: int = 20_000
    keep_snapshots: int = 10
    keep_examples: int = 1_000_000
    max_queue: int = 256
    max_models: int = 1000
    max_waiting: int = 100_000
    label_seconds: float = 7 * 86_400.0
    loads_rules: bool = False
