"""`rosenblatt predict`: what is asked about a file, here or on a worker."""

from typing import Any, NamedTuple

from rosenblatt.base.text_tables.dialect import DialectOptions
from rosenblatt.cli.options import Text
from rosenblatt.errors import DataError


class FileQuestion(NamedTuple):
    """A question about the rows of a file. It can be sent to a worker.

    Attributes
    ----------
    fitted : the model
    target, kind, text : how the file is read
    methods : the methods of the model that are asked besides `predict`, by the name of the answer
    """

    fitted: Any
    target: Text
    kind: Any
    text: DialectOptions
    methods: dict[str, str]

    def answers(self, source: str) -> tuple[Any, dict[str, Any], Any, Any]:
        """The labels, the other answers, the true labels or None, and how the text of the file is written."""
        from rosenblatt.models.input_rows import rows_for

        found = rows_for(self.fitted, source, self.target, self.kind, self.text)
        try:
            labels = self.fitted.predict(found.X)
            columns = {name: getattr(self.fitted, method)(found.X) for name, method in self.methods.items()}
        except ValueError as error:
            raise DataError(f"{source}: {error}") from error
        is_known = self.target is not None or found.encoding is None
        return labels, columns, found.y if is_known else None, found.dialect


def answers_on_cluster(asked: FileQuestion, files: list[str]) -> tuple[Any, dict[str, Any], Any, Any]:
    """The answers for all files, each of which a worker reads."""
    import numpy as np

    from rosenblatt.cluster.engine import engine

    tasks = engine()
    parts = tasks.results(tasks.start(_answers_for, asked, files))
    labels, columns, truth, dialects = zip(*parts, strict=True)
    joined = {name: np.concatenate([one[name] for one in columns]) for name in columns[0]}
    return np.concatenate(labels), joined, None if truth[0] is None else np.concatenate(truth), dialects[0]


def _answers_for(source: str, asked: FileQuestion) -> Any:
    return asked.answers(source)
