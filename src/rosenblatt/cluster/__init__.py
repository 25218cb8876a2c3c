"""The family on Dask, for rows that no single machine holds: the same rules, the same proofs, the same bits.

Rows are divided into shards, which stay on the workers of a `distributed` client, or in this process with Dask's own
schedulers. Each round asks all shards the same question, and brings a few numbers back. Dask is the extra `dask`; it
is imported when a name is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

from rosenblatt.errors import MissingExtraError

if TYPE_CHECKING:
    from rosenblatt.cluster.classifiers.batch import BatchPerceptron
    from rosenblatt.cluster.classifiers.kozinec import Kozinec
    from rosenblatt.cluster.classifiers.online import PassiveAggressive, Perceptron
    from rosenblatt.cluster.lazy_answers import accuracy, answers, loss, margins
    from rosenblatt.cluster.proof.error_bounds import error_bounds
    from rosenblatt.cluster.proof.estimates import estimates
    from rosenblatt.cluster.proof.mistake_bound import mistake_bound
    from rosenblatt.cluster.proof.verdict import separability
    from rosenblatt.cluster.proof.verification import verify
    from rosenblatt.cluster.shards import Round, Shards

_MODULES = {
    "BatchPerceptron": "classifiers.batch",
    "Kozinec": "classifiers.kozinec",
    "PassiveAggressive": "classifiers.online",
    "Perceptron": "classifiers.online",
    "Round": "shards",
    "Shards": "shards",
    "accuracy": "lazy_answers",
    "answers": "lazy_answers",
    "error_bounds": "proof.error_bounds",
    "estimates": "proof.estimates",
    "loss": "lazy_answers",
    "margins": "lazy_answers",
    "mistake_bound": "proof.mistake_bound",
    "separability": "proof.verdict",
    "verify": "proof.verification",
}

__all__ = [
    "BatchPerceptron",
    "Kozinec",
    "PassiveAggressive",
    "Perceptron",
    "Round",
    "Shards",
    "accuracy",
    "answers",
    "error_bounds",
    "estimates",
    "loss",
    "margins",
    "mistake_bound",
    "separability",
    "verify",
]


if not TYPE_CHECKING:  # a type checker would take every name that is misspelt for one of these

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module 'rosenblatt.cluster' has no attribute {name!r}")
        try:
            module = importlib.import_module(f"rosenblatt.cluster.{_MODULES[name]}")
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in ("dask", "distributed"):
                raise
            raise MissingExtraError("rosenblatt.cluster", "dask") from error
        value = getattr(module, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return __all__
