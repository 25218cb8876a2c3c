"""The largest margin of rows on a cluster: the search of `rosenblatt.Kozinec`, one round over the shards a look."""

from dataclasses import dataclass
from typing import Any, Self

from rosenblatt.classifiers import kozinec
from rosenblatt.classifiers.training.callbacks import Callbacks
from rosenblatt.cluster.classifiers.problem import ShardsProblem
from rosenblatt.cluster.classifiers.row_set import OnCluster
from rosenblatt.cluster.classifiers.shared_parameters import with_parameters_of
from rosenblatt.cluster.lazy_answers import AnswersLazily
from rosenblatt.cluster.shards import Round, Shards
from rosenblatt.data.validation import Codes, Matrix
from rosenblatt.errors import ParameterError
from rosenblatt.hulls.search import nearest_point
from rosenblatt.hulls.search_types import Nearest


@dataclass(kw_only=True)
class ShardsHullProblem(ShardsProblem):
    """Shards, as the search for the nearest point sees them."""

    row_set: OnCluster
    options: dict[str, Any]  # of `nearest_point`

    def train(self, callbacks: Callbacks | None = None) -> Nearest:
        """Search for the nearest point."""
        return nearest_point(self.row_set, **self.options, callbacks=callbacks)

    def vectors(self, rows: Codes) -> Matrix:
        """The rows of these numbers."""
        return self.row_set.matrix(rows)


@with_parameters_of(kozinec.Kozinec)
class Kozinec(AnswersLazily, kozinec.Kozinec):
    """The largest margin, or a separating hyperplane, of rows on a cluster.

    It has the parameters of `rosenblatt.Kozinec`, and leaves what that leaves. `fit` takes rows on a cluster. Each look
    at all rows is a round over the shards; the steps between two looks use a few rows that were brought here. The
    bounds of the margin are true of all rows. Rows are never left out by `screening`.

    Attributes
    ----------
    rounds_ : list of Round
        What each round over the shards cost, in seconds and in bytes moved.

    See Also
    --------
    rosenblatt.Kozinec : The same search for rows in memory.
    Shards : Rows on a cluster.

    Notes
    -----
    The result does not depend on the shards, nor on the workers. Without slack and with at most 300 columns it is that
    of `rosenblatt.Kozinec(screening=False)`, to the last bit. Otherwise that begins with a guess for which all rows
    must be in memory, and both agree within `epsilon`.

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt.cluster import Kozinec
    >>> X = da.from_array([[0, 0], [0, 2], [3, 1], [5, 1]], chunks=(2, 2))
    >>> model = Kozinec().fit(X, da.from_array([-1, -1, 1, 1], chunks=2))
    >>> print(model.stop_reason_, "with a margin between {:.6f} and {:.6f}".format(*model.margin_bounds_))
    gap_closed with a margin between 1.500000 and 1.500000
    """

    _saves_as = kozinec.Kozinec
    rounds_: list[Round]

    def fit(self, X: Any, y: Any = None, **reading: Any) -> Self:
        """Search for the nearest point until the goal is reached; `stop_reason_` says why the search ended.

        Parameters
        ----------
        X : Shards, array, data frame or bag of Dask, path, or list of paths
            The rows; see `Shards`.
        y : array or column of Dask, or str
            The class labels, of two classes; see `Shards`.
        **reading : object
            Options of reading files, such as `target`; see `read`.

        Returns
        -------
        Self
            The fitted estimator.
        """
        self._check_parameters()
        shards = Shards.of(X, y, None, reading)
        if shards.is_weighted:
            raise ParameterError("Kozinec counts all rows alike; give Shards without sample_weight.")
        two = self.bias == "free"
        points = OnCluster(shards, 0.0 if two else float(self.bias), two=two)
        self._check_radius(points.radius)
        problem = ShardsHullProblem(shards=shards, row_set=points, options=self._options() | {"screening": False})
        wrong = self._fit(problem, self.max_epochs, X, y)
        self.rounds_ = shards.rounds
        self._warn(wrong, stacklevel=3)
        return self
