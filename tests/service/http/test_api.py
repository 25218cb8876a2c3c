"""The requests of the service: what they answer, and each way in which they are refused."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from rosenblatt import load
from rosenblatt.models.save import to_bytes
from rosenblatt.service.http.api import ENDPOINTS
from rosenblatt.service.http.app import MAX_BODY, REQUEST_ID, app_of
from rosenblatt.service.http.tokens import Tokens
from rosenblatt.service.running.models import Models
from tests.service.streams import SMALL, lines, numbers, offline, opened
from tests.support.lab_client import done

PORT = 8959
JSON, LINES = {"Content-Type": "application/json"}, {"Content-Type": "application/x-ndjson"}


class Asker:
    """Sends requests to an application in this process."""

    def __init__(self, app: Any, headers: dict[str, str] | None = None) -> None:
        self.app, self.headers = app, headers or {}

    def __call__(self, method: str, path: str, content: Any = None, **headers: str) -> httpx.Response:
        body = content if isinstance(content, bytes) or content is None else json.dumps(content).encode()

        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            own = (
                self.headers
                | (JSON if content is not None else {})
                | {k.replace("_", "-"): v for k, v in headers.items()}
            )
            async with httpx.AsyncClient(transport=transport, base_url=f"http://127.0.0.1:{PORT}") as client:
                return await client.request(method, path, content=body, headers=own)

        answered = done(send)
        assert isinstance(answered, httpx.Response)
        return answered


@pytest.fixture
def models(tmp_path: Path) -> Iterator[Models]:
    made = opened(tmp_path / "models")
    yield made
    made.close()


@pytest.fixture
def ask(models: Models) -> Asker:
    return Asker(app_of(models, PORT))


def made(ask: Asker, **spec: Any) -> None:
    given = {"name": "m", "columns": 3, "classes": ["no", "yes"]} | spec
    assert ask("POST", "/v1/models", given).status_code == 201


def test_a_model_from_birth_to_end(ask: Asker) -> None:
    assert ask("GET", "/v1/models").json() == {"models": [], "broken": {}}
    made(ask)
    facts = ask("GET", "/v1/models/m").json()
    assert (facts["name"], facts["algorithm"], facts["columns"], facts["seen"]) == ("m", "averaged", 3, 0)
    assert ask("POST", "/v1/models", {"name": "m"}).status_code == 409
    assert ask("DELETE", "/v1/models/m").json() == {"deleted": "m"}
    assert ask("GET", "/v1/models/m").status_code == 404
    assert ask("DELETE", "/v1/models/m").status_code == 404


def test_examples_one_by_one_in_lists_and_in_lines(ask: Asker, models: Models) -> None:
    made(ask)
    examples = numbers(30)
    one = ask("POST", "/v1/models/m/learn", examples[0]).json()
    assert one == {"prediction": "no", "mistake": examples[0]["y"] != "no", "example": 1}
    several = ask("POST", "/v1/models/m/learn", examples[1:10]).json()
    assert [answer["example"] for answer in several] == list(range(2, 11))
    text = ask("POST", "/v1/models/m/learn", lines(examples[10:]), **LINES).text
    assert [json.loads(line)["example"] for line in text.splitlines()] == list(range(11, 31))
    expected, wrong = offline(models.get("m").spec, examples)
    assert to_bytes(models.get("m").view.model.estimator) == to_bytes(expected)
    stats = ask("GET", "/v1/models/m/stats").json()
    assert (stats["seen"], stats["mistakes"]) == (30, sum(wrong))
    trace = ask("GET", "/v1/models/m/trace").json()["mistakes"]
    assert [line["example"] for line in trace] == [at for at, is_wrong in enumerate(wrong, 1) if is_wrong]


def test_predictions(ask: Asker, models: Models) -> None:
    made(ask)
    ask("POST", "/v1/models/m/learn", numbers(40))
    rows = [{"x": one["x"]} for one in numbers(20, seed=5)]
    estimator = models.get("m").view.model.estimator
    expected = [estimator.predict_one(row["x"]) for row in rows]
    assert [one["prediction"] for one in ask("POST", "/v1/models/m/predict", rows).json()] == expected
    assert ask("POST", "/v1/models/m/predict", rows[0]).json()["prediction"] == expected[0]
    text = ask("POST", "/v1/models/m/predict", lines(rows), **LINES).text
    assert [json.loads(line)["prediction"] for line in text.splitlines()] == expected
    score = ask("POST", "/v1/models/m/predict", rows[0]).json()["score"]
    assert score == estimator.decision_function([rows[0]["x"]])[0]


def test_names_and_classes_as_they_come(ask: Asker) -> None:
    made(ask, columns=None, classes=None)
    assert ask("POST", "/v1/models/m/predict", {"x": {"a": 1}}).json() == {"prediction": None, "score": None}
    answers = [
        ask("POST", "/v1/models/m/learn", {"x": {word: 1, "colour": "red"}, "y": word}).json()
        for word in ("ham", "spam")
    ]
    assert [answer["prediction"] for answer in answers] == [None, "ham"]
    facts = ask("GET", "/v1/models/m").json()
    assert (facts["known_classes"], facts["known_columns"]) == (["ham", "spam"], 3)
    assert ask("POST", "/v1/models/m/predict", {"x": {"spam": 2, "new": 5}}).json()["prediction"] == "spam"
    weights = ask("GET", "/v1/models/m/weights").json()
    assert weights["classes"] == ["ham", "spam"]
    assert set(weights["weights"][0]["columns"]) == {"ham", "spam", "colour=red"}


def test_a_label_that_comes_later(ask: Asker) -> None:
    made(ask)
    found = ask("POST", "/v1/models/m/predict?later=true", {"x": [1, 2, 3]}).json()
    assert found["prediction"] == "no"
    learned = ask("POST", "/v1/models/m/label", {"id": found["id"], "y": "yes"}).json()
    assert learned == {"prediction": "no", "mistake": True, "example": 1}
    assert ask("POST", "/v1/models/m/label", {"id": found["id"], "y": "yes"}).json() == learned
    assert ask("POST", "/v1/models/m/label", {"id": "unknown", "y": "yes"}).status_code == 404


def test_a_retry_with_a_key_learns_once(ask: Asker) -> None:
    made(ask)
    first = ask("POST", "/v1/models/m/learn", numbers(3), Idempotency_Key="k1").json()
    assert ask("POST", "/v1/models/m/learn", numbers(3), Idempotency_Key="k1").json() == first
    assert ask("GET", "/v1/models/m/stats").json()["seen"] == 3


def test_snapshots_and_files(ask: Asker, tmp_path: Path) -> None:
    made(ask)
    ask("POST", "/v1/models/m/learn", numbers(20))
    version = ask("POST", "/v1/models/m/snapshots").json()["version"]
    raw = ask("GET", "/v1/models/m/file")
    assert raw.headers["content-disposition"] == 'attachment; filename="m.safetensors"'
    (tmp_path / "m.safetensors").write_bytes(raw.content)
    model = load(tmp_path / "m.safetensors")
    ask("POST", "/v1/models/m/learn", numbers(20, seed=1))
    back = ask("POST", "/v1/models/m/rollback", {"version": version})
    assert back.status_code == 200
    assert ask("GET", "/v1/models/m/file").content == raw.content
    latest = ask("GET", "/v1/models/m/snapshots").json()["snapshots"][0]
    assert latest["why"] == f"back to {version}"
    copied = ask("PUT", "/v1/models/copy/file", raw.content, **{"Content-Type": "application/octet-stream"})
    assert copied.status_code == 201, copied.text
    rows = [{"x": one["x"]} for one in numbers(20, seed=7)]
    answers = ask("POST", "/v1/models/copy/predict", rows).json()
    assert [one["prediction"] for one in answers] == model.predict([row["x"] for row in rows]).tolist()
    bad = ask("PUT", "/v1/models/bad/file", b"rubbish", **{"Content-Type": "application/octet-stream"})
    assert bad.status_code == 400


@pytest.mark.parametrize(
    ("content", "status", "said"),
    [
        (b"", 400, "This is not JSON"),
        (b"{", 400, "This is not JSON"),
        (b'{"x": [1, 2, NaN], "y": "no"}', 400, "NaN is not a JSON number"),
        (b'{"x": [1, 2, 1e999], "y": "no"}', 400, "too large"),
        (b'{"x": [1, 2], "y": "no"}', 400, "x must be a list of 3 numbers, as in this model, not 2 numbers."),
        (b'{"x": [1, 2, "3"], "y": "no"}', 400, "number 2 of x must be a number, not '3'"),
        (b'{"x": [1, 2, true], "y": "no"}', 400, "number 2 of x must be a number, not True"),
        (b'{"x": {"a": 1}, "y": "no"}', 400, "x must be a list of 3 numbers"),
        (b'{"x": [1, 2, 3]}', 400, '"y" is missing'),
        (b'{"y": "no"}', 400, '"x" is missing'),
        (b'{"x": [1, 2, 3], "y": "maybe"}', 400, "'maybe' is not one of the known classes"),
        (b'{"x": [1, 2, 3], "y": null}', 400, "A label is a text, a number, true or false, not None"),
        (b'{"x": [1, 2, 3], "y": "no", "weight": -1}', 400, "weight must be a number of at least 0, not -1"),
        (b'{"x": [1, 2, 3], "y": "no", "z": 1}', 400, "not 'z'"),
        (b'[{"x": [1, 2, 3], "y": "no"}, 5]', 400, "example 2: an object was expected, not 5"),
        (b"[]", 400, "A batch has 1 to 10,000 examples, not 0"),
        (b'"text"', 400, "An example"),
        (b"\xff", 400, "byte 0 is not UTF-8"),
        (b"[" * 100_000, 400, "nested too deeply"),
        (b" " * (MAX_BODY + 1), 413, "at most 8,000,000 bytes; divide it"),
    ],
)
def test_what_learn_refuses(content: bytes, status: int, said: str, ask: Asker) -> None:
    made(ask)
    answer = ask("POST", "/v1/models/m/learn", content)
    assert (answer.status_code, said in answer.json()["error"]) == (status, True), answer.text
    assert ask("GET", "/v1/models/m/stats").json()["seen"] == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": "../up"}, "name must have 1 to 64 letters"),
        ({"name": 5}, "name must have"),
        ({}, "name must have"),
        ({"name": "m", "algorithm": "forest"}, "algorithm must be one of averaged, perceptron, pa, pocket"),
        ({"name": "m", "settings": {"rate": 1}}, "averaged has the parameters"),
        ({"name": "m", "settings": {"margin": -1}}, "settings: "),
        ({"name": "m", "settings": {"order": "worst"}}, "settings: "),
        ({"name": "m", "columns": 0}, "columns must be a whole number from 1 to 1,000,000"),
        ({"name": "m", "columns": 3, "hash_bits": 4}, "leave columns out"),
        ({"name": "m", "classes": ["a"]}, "classes must be a list of 2"),
        ({"name": "m", "classes": ["a", "a"]}, "names a label twice"),
        ({"name": "m", "classes": ["a", 1]}, "must all be texts"),
        ({"name": "m", "colums": 3}, "'colums'"),
        ([], "must be a JSON object"),
    ],
)
def test_what_create_refuses(given: Any, said: str, ask: Asker) -> None:
    answer = ask("POST", "/v1/models", given)
    assert (answer.status_code, said in answer.json()["error"]) == (400, True), answer.text


def test_other_refusals(ask: Asker) -> None:
    made(ask)
    assert ask("POST", "/v1/models/m/learn", b"{}", **{"Content-Type": "text/plain"}).status_code == 415
    assert ask("GET", "/v1/nothing").json() == {"error": "The service has no /v1/nothing."}
    assert ask("PATCH", "/v1/models").status_code == 405
    assert ask("GET", "/v1/models", host="evil.example").status_code == 403
    assert ask("GET", "/v1/models", origin="http://evil.example").status_code == 403
    assert ask("GET", "/v1/models", sec_fetch_site="cross-site").status_code == 403
    assert ask("POST", "/v1/models/m/predict?later=perhaps", {"x": [1, 2, 3]}).status_code == 400
    assert ask("POST", "/v1/models/m/learn", numbers(1), Idempotency_Key="k" * 201).status_code == 400


def test_a_full_queue_is_told_with_the_time_to_wait(
    models: Models, ask: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    import queue

    made(ask)

    def full(_: Any) -> None:
        raise queue.Full

    monkeypatch.setattr(models.get("m")._queue, "put_nowait", full)
    answer = ask("POST", "/v1/models/m/learn", numbers(1))
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")


def test_tokens_and_roles(models: Models, tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text("# who\nread " + "r" * 20 + "\nlearn " + "l" * 20 + "\nadmin " + "a" * 20 + "\n")
    path.chmod(0o600)
    app = app_of(models, None, Tokens.read(path))
    nobody, stranger = Asker(app), Asker(app, {"Authorization": "Bearer wrong"})
    read, learn, admin = (Asker(app, {"Authorization": f"Bearer {letter * 20}"}) for letter in "rla")
    assert nobody("GET", "/v1/models").status_code == 401
    assert nobody("GET", "/v1/models").headers["www-authenticate"] == "Bearer"
    assert stranger("GET", "/v1/models").status_code == 401
    assert nobody("GET", "/metrics").status_code == 401
    assert nobody("GET", "/healthz").status_code == 200
    assert learn("POST", "/v1/models", {"name": "m", "columns": 3}).status_code == 403
    assert admin("POST", "/v1/models", {"name": "m", "columns": 3}).status_code == 201
    assert read("POST", "/v1/models/m/learn", numbers(1)).status_code == 403
    assert learn("POST", "/v1/models/m/learn", numbers(1)).status_code == 200
    assert read("POST", "/v1/models/m/predict", {"x": [1, 2, 3]}).status_code == 200
    for one in ENDPOINTS:
        assert nobody(one.method, one.path.format(name="m"), b"{}").status_code == 401, one.path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no token"),
        ("read short", "at least 16"),
        ("king " + "x" * 20, "line 1: a role"),
        ("read", "line 1: a role"),
        ("read é", "ASCII"),
    ],
)
def test_token_files_that_cannot_be_used(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(ValueError, match=said):
        Tokens.read(path)


def test_a_token_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text("read " + "r" * 20)
    path.chmod(0o644)
    with pytest.raises(ValueError, match="chmod 600"):
        Tokens.read(path)
    with pytest.raises(ValueError, match="cannot be read"):
        Tokens.read(tmp_path / "none")


def test_health_metrics_and_ids(ask: Asker, models: Models) -> None:
    made(ask)
    ask("POST", "/v1/models/m/learn", numbers(30))
    assert ask("GET", "/readyz").json() == {"status": "ready", "models": 1}
    models.get("m").problem = "the disk is full"
    assert ask("GET", "/readyz").status_code == 503
    text = ask("GET", "/metrics").text
    assert 'rosenblatt_examples_total{model="m"} 30.0' in text
    assert 'rosenblatt_requests_total{endpoint="learn",status="200"} 1.0' in text
    assert 'rosenblatt_writable{model="m"} 0.0' in text
    assert ask("GET", "/healthz", x_request_id="abc-1").headers["x-request-id"] == "abc-1"
    ids = [ask("GET", "/healthz", x_request_id=own).headers["x-request-id"] for own in ("a b", "", "x" * 65, "a\tb")]
    assert all(REQUEST_ID.fullmatch(made) for made in ids)
    assert len(set(ids)) == 4  # each its own, because none of those that came can be used


def test_the_log_has_no_payload(models: Models) -> None:
    told: list[dict[str, Any]] = []
    ask = Asker(app_of(models, PORT, log=told.append))
    made(ask)
    ask("POST", "/v1/models/m/learn", {"x": [1, 2, 3], "y": "secret"}, x_request_id="r1")
    assert told[-1].keys() == {"request", "method", "path", "model", "status", "ms"}
    assert (told[-1]["request"], told[-1]["status"], told[-1]["model"]) == ("r1", 400, "m")


def test_the_page(ask: Asker) -> None:
    page = ask("GET", "/")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    for path in ("/page/live.js", "/page/live.css"):
        assert path in page.text
        assert ask("GET", path).status_code == 200
        assert ask("GET", path, if_none_match=ask("GET", path).headers["etag"]).status_code == 304
    assert ask("GET", "/", sec_fetch_site="none").status_code == 200


def test_the_document_lists_what_is_answered(ask: Asker) -> None:
    document = ask("GET", "/v1/openapi.json").json()
    listed = {(method.upper(), path) for path, own in document["paths"].items() for method in own}
    assert listed == {(one.method, one.path) for one in ENDPOINTS} | {("GET", "/healthz"), ("GET", "/readyz")}


def test_settings_are_a_model_of_their_own(tmp_path: Path) -> None:
    models = opened(tmp_path, SMALL._replace(max_models=1))
    ask = Asker(app_of(models, PORT))
    made(ask)
    assert "the most of this service" in ask("POST", "/v1/models", {"name": "n"}).json()["error"]
    models.close()


def test_deleted_while_others_learn_and_predict(ask: Asker) -> None:
    """Each request is answered as if it had come before the deletion or after it, with a sentence."""
    made(ask)
    deletions: list[httpx.Response] = []

    def work(number: int) -> list[httpx.Response]:
        if number < 2:
            time.sleep(0.02)
            deletions.append(ask("DELETE", "/v1/models/m"))
        one = numbers(1)[0]
        return [
            ask("POST", f"/v1/models/m/{what}", content)
            for _ in range(10)
            for what, content in (("learn", one), ("predict", {"x": one["x"]}))
        ]

    with ThreadPoolExecutor(6) as threads:
        answers = [answered for found in threads.map(work, range(6)) for answered in found]
    assert sorted(one.status_code for one in deletions) == [200, 404]
    assert {one.status_code for one in answers} <= {200, 404, 410}
    assert answers[-1].status_code == 404
    sentences = {one.json()["error"] for one in answers if one.status_code != 200}
    assert sentences <= {"There is no model 'm'.", "The model was deleted, or the service ends."}
