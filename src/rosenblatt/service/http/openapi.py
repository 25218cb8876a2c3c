"""The OpenAPI 3.1 document of the service. Addresses and roles are those of `api.ENDPOINTS`."""

from typing import Any

from rosenblatt.service.http.api import ENDPOINTS, LINES, MAX_VERSION, MODEL_FILE, Endpoint
from rosenblatt.service.http.errors import SENTENCES
from rosenblatt.service.learning.examples import MAX_BATCH
from rosenblatt.service.learning.spec import ALGORITHMS, MAX_COLUMNS
from rosenblatt.web.replies import JSON

NUMBER, COUNT, TEXT = {"type": "number"}, {"type": "integer", "minimum": 0}, {"type": "string"}
ANY_LABEL = {"type": ["string", "number", "boolean"], "description": "A class label."}
ROW = {
    "description": "Numbers by column, or a JSON object: numbers by name; a text is an indicator.",
    "oneOf": [
        {"type": "array", "items": NUMBER},
        {"type": "object", "additionalProperties": {"type": ["number", "string", "boolean"]}},
    ],
}
LABEL_OR_NULL = {"type": ["string", "number", "boolean", "null"]}


def record(required: str, /, **properties: Any) -> dict[str, Any]:
    """The schema of a JSON object with these entries and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def open_record(**properties: Any) -> dict[str, Any]:
    """The schema of a JSON object that always has these entries."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def one_or_many(schema: dict[str, Any]) -> dict[str, Any]:
    """One object, or a list of them."""
    return {"oneOf": [schema, {"type": "array", "items": schema, "minItems": 1, "maxItems": MAX_BATCH}]}


NAME = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}
SPEC = {
    "algorithm": {"enum": list(ALGORITHMS), "default": ALGORITHMS[0]},
    "settings": {"type": "object", "description": "Parameters of the estimator, by name."},
    "columns": {
        "type": ["integer", "null"],
        "minimum": 1,
        "maximum": MAX_COLUMNS,
        "description": "Left out: rows are objects.",
    },
    "hash_bits": {"type": ["integer", "null"], "minimum": 1, "maximum": 31},
    "classes": {"type": ["array", "null"], "items": ANY_LABEL, "minItems": 2, "description": "Left out: as they come."},
}
FACTS = open_record(name=TEXT, created=NUMBER, seen=COUNT, known_classes={"type": "array"}, known_columns=COUNT)
SCHEMAS: dict[str, Any] = {
    "Error": record("error", error={"type": "string", "description": "What was expected, what came, and where."}),
    "NewModel": record("name", name=NAME, **SPEC),
    "Model": FACTS,
    "Models": open_record(models={"type": "array", "items": FACTS}, broken={"type": "object"}),
    "Deleted": record("deleted", deleted=TEXT),
    "Rows": one_or_many(record("x", x=ROW)),
    "Examples": one_or_many(record("x y", x=ROW, y=ANY_LABEL, weight={"type": "number", "minimum": 0})),
    "Label": record("id y", id=TEXT, y=ANY_LABEL),
    "Predictions": one_or_many(
        record(
            "prediction score",
            prediction=LABEL_OR_NULL,
            score={"type": ["number", "array", "null"], "items": NUMBER},
            id={"type": "string", "description": "For `label`, if later=true."},
        )
    ),
    "Learned": one_or_many(
        record("prediction mistake example", prediction=LABEL_OR_NULL, mistake={"type": "boolean"}, example=COUNT)
    ),
    "Stats": open_record(
        seen=COUNT,
        mistakes=COUNT,
        rate={"type": ["number", "null"]},
        rolling_rate={"type": ["number", "null"]},
        updates=COUNT,
        radius=NUMBER,
        contradicted={"type": "boolean"},
        margin_at_most={"type": ["number", "null"]},
        drift={"type": "object"},
    ),
    "Trace": open_record(mistakes={"type": "array"}),
    "Weights": open_record(classes={"type": "array"}, weights={"type": "array"}),
    "Snapshots": open_record(snapshots={"type": "array"}),
    "Version": record("version", version={"type": "integer", "minimum": 1, "maximum": MAX_VERSION}),
}
DESCRIPTION = (
    "Models that learn online. An example is acknowledged when it is on disk. A header Idempotency-Key makes a request "
    "to learn safe to repeat: the example is not learned twice."
)


def document(*, has_tokens: bool) -> dict[str, Any]:
    """The document.

    Parameters
    ----------
    has_tokens : must requests have a token?
    """
    paths: dict[str, Any] = {}
    for one in ENDPOINTS:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, has_tokens)
    for path, summary in (("/healthz", "The process answers"), ("/readyz", "All models can be written")):
        answers = {"200": _answer("Yes.", {"type": "object"})}
        if path == "/readyz":
            answers["503"] = _answer("No; the answer says why.", {"type": "object"})
        paths[path] = {"get": {"summary": summary, "responses": answers}}
    schemes = {"token": {"type": "http", "scheme": "bearer"}} if has_tokens else {}
    return {
        "openapi": "3.1.0",
        "info": {"title": "rosenblatt", "version": "1", "description": DESCRIPTION},
        "paths": paths,
        "components": {"schemas": SCHEMAS, "securitySchemes": schemes},
    }


def _operation(one: Endpoint, has_tokens: bool) -> dict[str, Any]:
    status, schema = one.gives
    failures = {400, *one.fails, *((401, 403) if has_tokens else (403,)), *((408, 413, 415) if one.takes else ())}
    answers = {str(status): _answer("Done.", *_content_of(schema, one.takes in ("Rows", "Examples")))}
    for failure in sorted(failures):
        answers[str(failure)] = _answer(SENTENCES[failure], {"$ref": "#/components/schemas/Error"})
    operation: dict[str, Any] = {
        "operationId": one.do.__name__,
        "summary": (one.do.__doc__ or "").strip(),
        "responses": answers,
    }
    parameters = _parameters(one)
    if parameters:
        operation["parameters"] = parameters
    if one.takes is not None:
        schema_of_body, lines = _content_of(one.takes, one.takes in ("Rows", "Examples"))
        operation["requestBody"] = {"required": True, "content": _media(schema_of_body, lines)}
    if has_tokens:
        operation["security"] = [{"token": []}]
        operation["description"] = f"It needs a token of the role {one.role.name.lower()}, or a higher one."
    return operation


def _parameters(one: Endpoint) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if "{name}" in one.path:
        found.append({"name": "name", "in": "path", "required": True, "schema": NAME})
    if one.do.__name__ == "predict":
        found.append({"name": "later", "in": "query", "schema": {"enum": ["true", "false"], "default": "false"}})
    if one.do.__name__ in ("learn", "label"):
        schema = {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[ -~]+$"}
        found.append({"name": "Idempotency-Key", "in": "header", "schema": schema})
    return found


def _content_of(schema: str, lines: bool) -> tuple[dict[str, Any], bool]:
    if schema == "File":
        return {"contentMediaType": MODEL_FILE}, lines
    return {"$ref": f"#/components/schemas/{schema}"}, lines


def _answer(description: str, schema: dict[str, Any], lines: bool = False) -> dict[str, Any]:
    return {"description": description, "content": _media(schema, lines)}


def _media(schema: dict[str, Any], lines: bool) -> dict[str, Any]:
    if schema.get("contentMediaType") == MODEL_FILE:
        return {MODEL_FILE: {"schema": {}}}
    return {JSON: {"schema": schema}, **({LINES: {"schema": {"type": "string"}}} if lines else {})}
