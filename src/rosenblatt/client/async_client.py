"""A client of `rosenblatt serve` for asyncio."""

import asyncio
from collections.abc import Iterable
from typing import Any, Self

from rosenblatt.client.calls import (
    MODEL_FILE,
    Call,
    Label,
    Learned,
    Prediction,
    Row,
    ServiceError,
    error_of,
    examples_call,
    json_call,
    learned_of,
    path_of,
    pause_before,
    plain,
    predictions_of,
    rows_call,
    text_call,
)
from rosenblatt.errors import MissingExtraError

try:
    import httpx
except ModuleNotFoundError as error:
    raise MissingExtraError("rosenblatt.AsyncClient", "serve") from error


class AsyncClient:
    """A client of `rosenblatt serve`, for asyncio.

    A request whose answer is lost, or that the service could not take, is sent again, after a pause. Requests to learn
    have a key, so that a repeated one is not learned twice.

    Parameters
    ----------
    address : str, default="http://127.0.0.1:8959"
        The address that the service prints.
    token : str, optional
        A token of the token file of the service.
    timeout : float, default=30.0
        Seconds to wait for an answer.
    retries : int, default=8
        How often a request is sent again.

    See Also
    --------
    Client : Does the same without asyncio.

    Examples
    --------
    >>> from rosenblatt import AsyncClient
    >>> client = AsyncClient("http://127.0.0.1:8959", retries=0, timeout=1)
    >>> client.learn  # doctest: +ELLIPSIS
    <bound method AsyncClient.learn of ...>
    """

    def __init__(
        self,
        address: str = "http://127.0.0.1:8959",
        *,
        token: str | None = None,
        timeout: float = 30.0,
        retries: int = 8,
    ) -> None:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._http = httpx.AsyncClient(base_url=address, headers=headers, timeout=timeout)
        self.address, self.retries = address, retries

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _ask(self, call: Call) -> httpx.Response:
        """Send a request, again if it must be and may be, and return the answer."""
        for attempt in range(self.retries + 1):
            try:
                answer = await self._http.request(
                    call.method, call.path, content=call.content, headers=dict(call.headers), params=dict(call.params)
                )
            except httpx.TransportError as error:
                is_unsent = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
                if attempt == self.retries or not (is_unsent or call.may_repeat(None)):
                    raise ServiceError(f"{self.address}: the service does not answer: {error}.") from error
                pause = pause_before(attempt, None)
            else:
                if answer.is_success:
                    return answer
                if attempt == self.retries or not call.may_repeat(answer.status_code):
                    raise error_of(answer.status_code, answer.content)
                pause = pause_before(attempt, answer.headers.get("retry-after"))
            await asyncio.sleep(pause)
        raise AssertionError("every attempt returns or raises")

    async def create(self, name: str, **spec: Any) -> dict[str, Any]:
        """Make a model.

        Parameters
        ----------
        name : str
            Its name: letters, digits, dots, hyphens and underscores.
        **spec : object
            What the model is.

            - algorithm: "averaged" (the default), "perceptron", "pa" or "pocket".
            - settings: a dict of parameters of the estimator.
            - columns: the number of columns; left out, rows are dicts.
            - hash_bits: hash the names of dicts to 2^hash_bits columns.
            - classes: all labels that may come; left out, they are taken as they come.

        Returns
        -------
        dict
            What the model is.
        """
        answer = await self._ask(json_call("POST", "/v1/models", {"name": name, **spec}, is_safe=False))
        return answer.json()  # type: ignore[no-any-return]

    async def models(self) -> list[dict[str, Any]]:
        """List all models.

        Returns
        -------
        list of dict
            What each model is.
        """
        answer = await self._ask(json_call("GET", "/v1/models"))
        return answer.json()["models"]  # type: ignore[no-any-return]

    async def model(self, name: str) -> dict[str, Any]:
        """Return what a model is, and how many examples it has seen.

        Parameters
        ----------
        name : str
            The model.

        Returns
        -------
        dict
            The facts by name.
        """
        answer = await self._ask(json_call("GET", path_of(name)))
        return answer.json()  # type: ignore[no-any-return]

    async def delete(self, name: str) -> None:
        """Delete a model, with its log.

        Parameters
        ----------
        name : str
            The model.
        """
        await self._ask(json_call("DELETE", path_of(name)))

    async def predict(self, name: str, x: Row, *, later: bool = False) -> Prediction:
        """Predict the class of a row.

        Parameters
        ----------
        name : str
            The model.
        x : list of numbers, array or dict
            The row.
        later : bool, default=False
            Keep the row until `label` sends its label.

        Returns
        -------
        Prediction
            The class, the score, and with `later` the id.
        """
        answer = await self._ask(rows_call(name, [x], later=later))
        return predictions_of(answer.content)[0]

    async def predict_many(self, name: str, rows: Iterable[Row], *, later: bool = False) -> list[Prediction]:
        """Predict the classes of several rows.

        Parameters
        ----------
        name : str
            The model.
        rows : list of rows
            The rows; see `predict`.
        later : bool, default=False
            Keep the rows until `label` sends their labels.

        Returns
        -------
        list of Prediction
            One for each row.
        """
        answer = await self._ask(rows_call(name, rows, later=later))
        return predictions_of(answer.content)

    async def learn(
        self, name: str, x: Row, y: Label, *, weight: float | None = None, key: str | None = None
    ) -> Learned:
        """Learn from an example.

        Parameters
        ----------
        name : str
            The model.
        x : list of numbers, array or dict
            The row.
        y : str, int, float or bool
            Its label.
        weight : float, optional
            The weight of the example.
        key : str, optional
            A request with a key that the service knows is not learned again. By default each call has a new key, which
            is used for its own retries.

        Returns
        -------
        Learned
            The prediction made before the label was seen, and whether it was wrong.
        """
        answer = await self._ask(examples_call(name, [x], [y], None if weight is None else [weight], key))
        return learned_of(answer.content)[0]

    async def learn_many(
        self,
        name: str,
        rows: Iterable[Row],
        labels: Iterable[Label],
        *,
        weights: Iterable[float] | None = None,
        key: str | None = None,
    ) -> list[Learned]:
        """Learn from several examples, all of them or none.

        Parameters
        ----------
        name : str
            The model.
        rows : list of rows
            The rows; see `learn`.
        labels : list of labels
            Their labels.
        weights : list of float, optional
            Their weights.
        key : str, optional
            See `learn`.

        Returns
        -------
        list of Learned
            One for each example.
        """
        answer = await self._ask(examples_call(name, rows, labels, weights, key))
        return learned_of(answer.content)

    async def label(self, name: str, id: str, y: Label) -> Learned:  # noqa: A002
        """Send the label of a row that waits for it, and learn from the row.

        Parameters
        ----------
        name : str
            The model.
        id : str
            The id that `predict` returned. A second call for it learns nothing.
        y : str, int, float or bool
            The label.

        Returns
        -------
        Learned
            The prediction made just before learning, and whether it was wrong.
        """
        answer = await self._ask(json_call("POST", path_of(name, "label"), {"id": id, "y": plain(y)}))
        return learned_of(answer.content)[0]

    async def stats(self, name: str) -> dict[str, Any]:
        """Return what is known of a model: examples, mistakes, rates, radius and alarms.

        Parameters
        ----------
        name : str
            The model.

        Returns
        -------
        dict
            The numbers by name.
        """
        answer = await self._ask(json_call("GET", path_of(name, "stats")))
        return answer.json()  # type: ignore[no-any-return]

    async def snapshots(self, name: str) -> list[dict[str, Any]]:
        """List the snapshots of a model, the latest first.

        Parameters
        ----------
        name : str
            The model.

        Returns
        -------
        list of dict
            The version, the number of examples and the time of each.
        """
        answer = await self._ask(json_call("GET", path_of(name, "snapshots")))
        return answer.json()["snapshots"]  # type: ignore[no-any-return]

    async def snapshot(self, name: str) -> int:
        """Take a snapshot of a model.

        Parameters
        ----------
        name : str
            The model.

        Returns
        -------
        int
            Its version.
        """
        answer = await self._ask(json_call("POST", path_of(name, "snapshots")))
        return answer.json()["version"]  # type: ignore[no-any-return]

    async def roll_back(self, name: str, version: int) -> int:
        """Return to the model of a snapshot. The examples after it stay in the log.

        Parameters
        ----------
        name : str
            The model.
        version : int
            The version of the snapshot.

        Returns
        -------
        int
            The version of a new snapshot, which has that model.
        """
        answer = await self._ask(json_call("POST", path_of(name, "rollback"), {"version": version}))
        return answer.json()["version"]  # type: ignore[no-any-return]

    async def download(self, name: str) -> bytes:
        """Return a model as a file that `rosenblatt.load` reads.

        Parameters
        ----------
        name : str
            The model.

        Returns
        -------
        bytes
            The content of the file.
        """
        answer = await self._ask(Call("GET", path_of(name, "file")))
        return answer.content

    async def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """Make a model of a file that `rosenblatt.save` has written.

        Parameters
        ----------
        name : str
            The name of the new model.
        content : bytes
            The content of the file.

        Returns
        -------
        dict
            What the model is.
        """
        answer = await self._ask(
            Call("PUT", path_of(name, "file"), content, {"Content-Type": MODEL_FILE}, is_safe=False)
        )
        return answer.json()  # type: ignore[no-any-return]

    async def send(self, name: str, content: bytes, *, key: str | None = None) -> list[Learned]:
        """Learn from examples given as text, one JSON object a line.

        Parameters
        ----------
        name : str
            The model.
        content : bytes
            Lines such as ``{"x": [5.1, 3.5], "y": "setosa"}``.
        key : str, optional
            See `learn`.

        Returns
        -------
        list of Learned
            One for each line.
        """
        answer = await self._ask(text_call(name, content, key))
        return learned_of(answer.content)
