"""The work of each request: from the text of its body to the text of the answer. Nothing here knows about sockets."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from rosenblatt.errors import DataError
from rosenblatt.service.http.arrivals import Arrivals
from rosenblatt.service.http.tokens import Role
from rosenblatt.service.learning.examples import read_examples
from rosenblatt.service.learning.spec import Spec, check_label
from rosenblatt.service.running.models import Models
from rosenblatt.service.running.served_model import Learned, ServedModel
from rosenblatt.web.replies import JSON, as_json

LINES = "application/x-ndjson"
MODEL_FILE = "application/octet-stream"
SMALL_BODY = 200_000  # bytes of a body that is read without another thread
MAX_KEY = 200
MAX_VERSION = 2**53


class Asked(NamedTuple):
    """A request.

    Attributes
    ----------
    models : the models of the service
    name : the model in the path; "" if there is none
    body : the body
    media_type : its type
    query : the options in the address
    key : the header Idempotency-Key, or None
    arrivals : where results of other threads come
    """

    models: Models
    name: str
    body: bytes
    media_type: str
    query: dict[str, str]
    key: str | None
    arrivals: Arrivals

    @property
    def model(self) -> ServedModel:
        """The model in the path."""
        return self.models.get(self.name)

    @property
    def wants_lines(self) -> bool:
        """Is the answer one JSON object a line?"""
        return self.media_type == LINES

    def json(self, *allowed: str) -> dict[str, Any]:
        """The body as a JSON object with these entries."""
        try:
            given = json.loads(self.body or b"{}", parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            raise DataError(f"The body is not JSON: {error}.") from error
        if not isinstance(given, dict):
            raise DataError("The body must be a JSON object.")
        unknown = next((name for name in given if name not in allowed), None)
        if unknown is not None:
            raise DataError(f"The body has the entries {', '.join(allowed)}, not {unknown!r:.60}.")
        return given


class Answer(NamedTuple):
    """An answer: its status, body and media type, and more headers, their names in lower case."""

    status: int
    body: bytes
    media_type: str = JSON
    headers: tuple[tuple[bytes, bytes], ...] = ()


def answer(content: Any, status: int = 200) -> Answer:
    """An answer of JSON."""
    return Answer(status, as_json(content))


async def in_time(work: Callable[[], Any], size: int) -> Any:
    """Do some work: at once if the body is small, else in a thread, so that other requests do not wait."""
    return work() if size <= SMALL_BODY else await asyncio.to_thread(work)


# ---------------------------------------------------------------------------------------------------------------------
# Models


async def list_models(asked: Asked) -> Answer:
    """All models, with what they have seen."""
    return answer({"models": [facts_of(model) for model in asked.models], "broken": asked.models.broken})


async def create_model(asked: Asked) -> Answer:
    """A new model."""
    given = asked.json("name", *Spec._fields)
    name = given.pop("name", None)
    spec = Spec.of(given)
    made = await asyncio.to_thread(asked.models.create, name, spec)
    return answer(facts_of(made), 201)


async def import_model(asked: Asked) -> Answer:
    """A new model from a file that `rosenblatt.save` has written."""
    made = await asyncio.to_thread(asked.models.load, asked.name, asked.body)
    return answer(facts_of(made), 201)


async def export_model(asked: Asked) -> Answer:
    """The model as a file that `rosenblatt.load` reads."""
    model = asked.model
    raw = await asyncio.to_thread(model.view.model.to_bytes)
    saved = f'attachment; filename="{model.name}.safetensors"'.encode()
    return Answer(200, raw, MODEL_FILE, ((b"content-disposition", saved),))


async def show_model(asked: Asked) -> Answer:
    """What a model is, and what it has seen."""
    return answer(facts_of(asked.model))


async def delete_model(asked: Asked) -> Answer:
    """The model and its log are deleted."""
    await asyncio.to_thread(asked.models.delete, asked.name)
    return answer({"deleted": asked.name})


def facts_of(model: ServedModel) -> dict[str, Any]:
    """What a model is, in short."""
    view = model.view
    known = view.model.estimator
    has_begun = view.model.has_begun
    return {
        "name": model.name,
        "created": model.created,
        **model.spec._asdict(),
        "seen": view.seen,
        "known_classes": known.classes_.tolist() if has_begun else [],
        "known_columns": int(known.n_features_in_) if has_begun else model.spec.columns or 0,
        "problem": model.problem,
    }


# ---------------------------------------------------------------------------------------------------------------------
# Predictions and examples


async def predict(asked: Asked) -> Answer:
    """The class of a row, or of each row of a batch. With ?later=true the row waits for its label under an id."""
    model, later = asked.model, _flag(asked.query, "later")
    rows = (await in_time(lambda: read_examples(asked.body, labelled=False), len(asked.body))).rows
    found = await in_time(lambda: model.predict(rows), len(asked.body))
    ids = await asked.arrivals.result(model.wait_for_labels(rows, found.labels)) if later else None
    lines = [
        {"prediction": label, "score": score} | ({"id": ids[at]} if ids else {})
        for at, (label, score) in enumerate(zip(found.labels, found.scores, strict=True))
    ]
    return _lines(asked, lines)


async def learn(asked: Asked) -> Answer:
    """Learn from an example, or from a batch. The answer has the prediction made before the label was seen."""
    model = asked.model
    started = await in_time(lambda: model.learn(asked.body, asked.key), len(asked.body))
    return _learned(asked, await asked.arrivals.result(started))


async def label(asked: Asked) -> Answer:
    """The label of a row that was predicted with ?later=true: learn from it."""
    given = asked.json("id", "y")
    if not isinstance(given.get("id"), str) or "y" not in given:
        raise DataError('The "id" that predict returned and the label "y" were expected.')
    check_label(given["y"])
    return _learned(asked, await asked.arrivals.result(asked.model.label(given["id"], given["y"], asked.key)))


def _learned(asked: Asked, learned: Learned) -> Answer:
    first = learned.seen - len(learned.predictions)
    return _lines(
        asked,
        [
            {"prediction": was, "mistake": is_wrong, "example": first + at}
            for at, (was, is_wrong) in enumerate(zip(learned.predictions, learned.mistakes, strict=True), 1)
        ],
    )


def _lines(asked: Asked, lines: list[dict[str, Any]]) -> Answer:
    """One object for one example, a list for a list, lines for lines."""
    if asked.wants_lines:
        return Answer(200, b"".join(as_json(line) + b"\n" for line in lines), LINES)
    return answer(lines if asked.body.lstrip()[:1] == b"[" else lines[0])


# ---------------------------------------------------------------------------------------------------------------------
# What is known of a model


async def stats(asked: Asked) -> Answer:
    """Examples seen, mistakes, rates, radius, margin and alarms."""
    return answer(asked.model.view.facts)


async def trace(asked: Asked) -> Answer:
    """The latest wrong predictions."""
    lines = [dict(zip(("example", "label", "prediction"), one, strict=True)) for one in asked.model.view.last]
    return answer({"mistakes": lines})


async def weights(asked: Asked) -> Answer:
    """The largest weights of the model, by column."""
    return answer(await asyncio.to_thread(asked.model.largest_weights))


async def list_snapshots(asked: Asked) -> Answer:
    """The snapshots, the latest first."""
    return answer({"snapshots": await asked.arrivals.result(asked.model.snapshots())})


async def take_snapshot(asked: Asked) -> Answer:
    """Take a snapshot now."""
    return answer({"version": await asked.arrivals.result(asked.model.snapshot())}, 201)


async def roll_back(asked: Asked) -> Answer:
    """Return to the model of a snapshot. The examples after it stay in the log."""
    version = asked.json("version").get("version")
    if type(version) is not int or not 0 < version <= MAX_VERSION:
        raise DataError('The "version" of a snapshot was expected, a whole number from 1.')
    return answer({"version": await asked.arrivals.result(asked.model.roll_back(version))})


def _flag(query: dict[str, str], name: str) -> bool:
    given = query.get(name, "false")
    if given not in ("true", "false"):
        raise DataError(f"{name} must be true or false, not {given!r:.60}.")
    return given == "true"


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number")


class Endpoint(NamedTuple):
    """A request that the service answers.

    Attributes
    ----------
    method, path : how it is asked
    role : who may ask
    do : what is done; its docstring is the summary in the OpenAPI document
    takes : the schema of the body, or None
    gives : the status and the schema of the answer
    fails : the statuses of errors that are its own
    """

    method: str
    path: str
    role: Role
    do: Callable[[Asked], Awaitable[Answer]]
    takes: str | None
    gives: tuple[int, str]
    fails: tuple[int, ...] = ()


MODEL = "/v1/models/{name}"
WRITES = (404, 410, 429, 503)
ENDPOINTS = (
    Endpoint("GET", "/v1/models", Role.READ, list_models, None, (200, "Models")),
    Endpoint("POST", "/v1/models", Role.ADMIN, create_model, "NewModel", (201, "Model"), (409, 503)),
    Endpoint("GET", MODEL, Role.READ, show_model, None, (200, "Model"), (404,)),
    Endpoint("DELETE", MODEL, Role.ADMIN, delete_model, None, (200, "Deleted"), (404,)),
    Endpoint("POST", f"{MODEL}/predict", Role.READ, predict, "Rows", (200, "Predictions"), WRITES),
    Endpoint("POST", f"{MODEL}/learn", Role.LEARN, learn, "Examples", (200, "Learned"), WRITES),
    Endpoint("POST", f"{MODEL}/label", Role.LEARN, label, "Label", (200, "Learned"), WRITES),
    Endpoint("GET", f"{MODEL}/stats", Role.READ, stats, None, (200, "Stats"), (404,)),
    Endpoint("GET", f"{MODEL}/trace", Role.READ, trace, None, (200, "Trace"), (404,)),
    Endpoint("GET", f"{MODEL}/weights", Role.READ, weights, None, (200, "Weights"), (404,)),
    Endpoint("GET", f"{MODEL}/snapshots", Role.READ, list_snapshots, None, (200, "Snapshots"), WRITES),
    Endpoint("POST", f"{MODEL}/snapshots", Role.ADMIN, take_snapshot, None, (201, "Version"), WRITES),
    Endpoint("POST", f"{MODEL}/rollback", Role.ADMIN, roll_back, "Version", (200, "Version"), WRITES),
    Endpoint("GET", f"{MODEL}/file", Role.READ, export_model, None, (200, "File"), (404,)),
    Endpoint("PUT", f"{MODEL}/file", Role.ADMIN, import_model, "File", (201, "Model"), (409, 503)),
)
