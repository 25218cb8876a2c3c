"""The clients: what they send, when they send it again, and the commands `serve` and `send`."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from rosenblatt import AsyncClient, Client, DataError, ServiceError, load
from rosenblatt.models.save import to_bytes
from rosenblatt.service.learning.spec import Spec
from tests.cli.test_main import run
from tests.service.service_process import Service, running
from tests.service.streams import lines, numbers, offline, opened
from tests.support.lab_client import done

SPEC: dict[str, Any] = {"algorithm": "averaged", "columns": 3, "classes": ["no", "yes"]}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("models")) as found:
        yield found


def test_everything_that_a_client_can_ask(address: str, tmp_path: Path) -> None:
    examples = numbers(40)
    expected, wrong = offline(Spec(**SPEC), examples)
    with Client(address) as client:
        assert client.create("c", **SPEC)["name"] == "c"
        learned = [client.learn("c", np.array(one["x"]), one["y"]) for one in examples[:10]]
        learned += client.learn_many("c", [one["x"] for one in examples[10:]], [one["y"] for one in examples[10:]])
        assert [one.mistake for one in learned] == wrong
        assert [one.example for one in learned] == list(range(1, 41))
        rows = [one["x"] for one in numbers(9, seed=3)]
        assert [one.label for one in client.predict_many("c", rows)] == expected.predict(rows).tolist()
        assert client.predict("c", rows[0]).score == expected.decision_function(rows[:1])[0]
        assert client.stats("c")["seen"] == client.model("c")["seen"] == 40
        (tmp_path / "c").write_bytes(client.download("c"))
        assert to_bytes(load(tmp_path / "c")) == to_bytes(expected)
        version = client.snapshot("c")
        waiting = client.predict("c", rows[0], later=True)
        assert waiting.id is not None
        assert client.label("c", waiting.id, "no").example == 41
        assert client.roll_back("c", version) > version
        assert client.download("c") == to_bytes(expected)
        assert {one["why"] for one in client.snapshots("c")} == {"asked for", f"back to {version}"}
        assert client.upload("copy", client.download("c"))["name"] == "copy"
        assert [one["name"] for one in client.models()] == ["c", "copy"]
        client.delete("c")
        client.delete("copy")
        with pytest.raises(ServiceError, match="There is no model 'c'") as caught:
            client.stats("c")
        assert caught.value.status == 404
        with pytest.raises(DataError, match="must be numbers, texts"):
            client.predict("c", [object()])  # type: ignore[list-item]


def test_the_client_of_asyncio_does_the_same(address: str) -> None:
    async def ask() -> tuple[list[bool], Any]:
        async with AsyncClient(address) as client:
            await client.create("a", **SPEC)
            examples = numbers(20)
            learned = [(await client.learn("a", one["x"], one["y"])).mistake for one in examples]
            found = await client.predict("a", examples[0]["x"])
            await client.delete("a")
            return learned, found.label

    expected, wrong = offline(Spec(**SPEC), numbers(20))
    assert done(ask) == (wrong, expected.predict_one(numbers(20)[0]["x"]))


class Flaky(httpx.BaseTransport):
    """Loses the answer of every other request, or refuses it."""

    def __init__(self, lost: Any) -> None:
        self.inner, self.lost, self.n = httpx.HTTPTransport(), lost, 0

    def close(self) -> None:
        self.inner.close()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.n += 1
        if self.n % 2 and self.lost == "before":
            return httpx.Response(429, headers={"Retry-After": "0"}, json={"error": "busy"})
        answer = self.inner.handle_request(request)
        answer.read()
        if self.n % 2 and self.lost == "after":
            raise httpx.ReadError("the connection was lost")
        return answer


@pytest.mark.parametrize("lost", ["before", "after"])
def test_an_example_is_learned_once_though_answers_are_lost(address: str, lost: str) -> None:
    with Client(address) as client:
        client.create(f"flaky-{lost}", **SPEC)
        client._http.close()
        client._http = httpx.Client(base_url=address, transport=Flaky(lost))
        examples = numbers(20)
        learned = [client.learn(f"flaky-{lost}", one["x"], one["y"]) for one in examples]
        assert [one.example for one in learned] == list(range(1, 21))
        assert [one.mistake for one in learned] == offline(Spec(**SPEC), examples)[1]


def test_a_service_that_does_not_answer_is_told() -> None:
    with Client("http://127.0.0.1:9", retries=1) as client, pytest.raises(ServiceError, match="does not answer"):
        client.models()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_finishes_what_waits_and_takes_a_snapshot(number: int, tmp_path: Path) -> None:
    service = Service(tmp_path)
    with Client(service.address) as client:
        client.create("m", **SPEC)
        client.send("m", lines(numbers(100)))
    code, said = service.stop(number)
    assert (code, "all models are saved" in said) == (
        {signal.SIGTERM: 143, signal.SIGINT: 0}[signal.Signals(number)],
        True,
    )
    models = opened(tmp_path)
    assert models.get("m").file.snapshot().seq == 100  # type: ignore[union-attr]
    models.close()


def test_serve_says_what_is_wrong(tmp_path: Path) -> None:
    assert run("serve", tmp_path, "--host", "0.0.0.0", "--port", 0).err == (  # noqa: S104
        "error: --host 0.0.0.0 lets other machines reach the service; give --tokens with a file of tokens too.\n"
    )
    assert "belong together" in run("serve", tmp_path, "--tls-cert", "x").err
    assert "the token file cannot be read" in run("serve", tmp_path, "--tokens", tmp_path / "none").err
    (tmp_path / "file").touch()
    assert "a folder was expected" in run("serve", tmp_path / "file").err
    assert "--durability must be commit or os" in run("serve", tmp_path, "--durability", "never").err
    with running(tmp_path / "models") as used:
        port = used.rstrip("/").rpartition(":")[2]
        assert "cannot listen there" in run("serve", tmp_path / "other", "--port", port).err
        assert "another service uses this folder" in run("serve", tmp_path / "models", "--port", 0).err


def test_send_pipes_lines_and_tables(address: str, tmp_path: Path) -> None:
    examples = numbers(30)
    wrong = sum(offline(Spec(**SPEC), examples)[1])
    with Client(address) as client:
        client.create("lines", **SPEC)
        client.create("table", **SPEC)
        client.create("names", algorithm="perceptron")
        file = tmp_path / "examples.jsonl"
        file.write_bytes(lines(examples) + b"\n\n")
        said = run("send", file, "--model", "lines", "--address", address, "--batch", 7)
        assert (
            said.out
            == f"lines: 30 examples were sent; {wrong} of them were predicted wrong before, {wrong / 30:.1%}.\n"
        )
        piped = run("send", "-", "--model", "lines", "--address", address, "--json", stdin=lines(examples))
        assert json.loads(piped.out)["sent"] == 30
        table = tmp_path / "table.csv"
        rows = [",".join(map(repr, one["x"])) + f",{one['y']}" for one in examples]
        table.write_text("\n".join(["a,b,c,label", *rows]) + "\n")
        assert json.loads(run("send", table, "--model", "table", "--address", address, "--json").out) == {
            "model": "table",
            "sent": 30,
            "mistakes": wrong,
        }
        assert run("send", table, "--model", "names", "--address", address).code == 0
        assert client.model("names")["known_columns"] == 3
    assert "There is no model 'none'" in run("send", file, "--model", "none", "--address", address).err
    assert "it cannot be read" in run("send", tmp_path / "x", "--model", "lines", "--address", address).err
    (tmp_path / "bad.jsonl").write_text('{"x": [1, 2, 3], "y": "no"}\n{"x": [1, 2], "y": "no"}\n')
    bad = run("send", tmp_path / "bad.jsonl", "--model", "lines", "--address", address)
    assert (bad.code, "example 2: x must be a list of 3 numbers" in bad.err) == (2, True)


def test_a_clock_that_jumps_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the times of snapshots and the expiry of rows that wait read the clock."""
    models = opened(tmp_path)
    model = models.create("m", Spec(**SPEC))
    examples, clock = numbers(20), iter([2e9, 1.0, 3e9, 0.0] * 50)
    with monkeypatch.context() as patched:
        patched.setattr(time, "time", lambda: next(clock))
        for one in examples:
            model.learn(lines([one])).result(10)
    assert to_bytes(model.view.model.estimator) == to_bytes(offline(Spec(**SPEC), examples)[0])
    models.close()
