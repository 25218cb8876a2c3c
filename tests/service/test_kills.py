"""Kill -9 at random moments under load: nothing acknowledged is missing, and weights equal an offline replay."""

import json
import random
import threading
import time
from pathlib import Path
from typing import Any

import httpx

from rosenblatt.models.save import to_bytes
from rosenblatt.service.learning.online_model import OnlineModel
from rosenblatt.service.learning.spec import Spec
from tests.service.service_process import QuickService
from tests.service.streams import SMALL, lines, numbers, opened
from tests.support.effort import by_day

SPEC: dict[str, Any] = {"algorithm": "averaged", "columns": 3, "classes": ["no", "yes"]}
EXAMPLES = numbers(20_000, seed=11)


def examples_from(start: int, stop: int) -> list[dict[str, Any]]:
    """Some examples of a stream that begins again when it ends."""
    return [EXAMPLES[at % len(EXAMPLES)] for at in range(start, stop)]


class Sender(threading.Thread):
    """Sends the stream, in batches of random size, until the service dies; notes what was acknowledged."""

    def __init__(self, address: str, start: int, seed: int) -> None:
        super().__init__(daemon=True)
        self.address, self.acknowledged, self.sent = address, start, start
        self.random = random.Random(seed)  # noqa: S311

    def run(self) -> None:
        try:
            with httpx.Client(base_url=self.address) as client:
                while True:
                    size = self.random.choice([1, 1, 2, 20])
                    part = examples_from(self.acknowledged, self.acknowledged + size)
                    self.sent = self.acknowledged + size
                    headers = {"Content-Type": "application/x-ndjson"}
                    answer = client.post("/v1/models/m/learn", content=lines(part), headers=headers)
                    assert answer.status_code == 200, answer.text
                    assert json.loads(answer.text.splitlines()[-1])["example"] == self.sent
                    self.acknowledged = self.sent
        except httpx.TransportError:
            return


def test_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    chance, learned, known, wrong = random.Random(5), 0, OnlineModel(Spec(**SPEC)), 0  # noqa: S311
    for turn in range(by_day(20, 1000)):
        service = QuickService(tmp_path, SMALL._replace(snapshot_every=400))
        if not turn:
            made: Any = httpx.post(f"{service.address}v1/models", json={"name": "m", **SPEC})
            assert made.status_code == 201
        seen = httpx.get(f"{service.address}v1/models/m/stats").json()["seen"]
        assert seen == learned
        sender = Sender(service.address, seen, seed=turn)
        sender.start()
        time.sleep(chance.uniform(0.0, 0.25))
        service.kill()
        sender.join()
        models = opened(tmp_path)
        found = models.get("m")
        before, learned = learned, found.view.seen
        # The last batch may have been committed without its answer having arrived.
        assert learned in (sender.acknowledged, sender.sent)
        for one in examples_from(before, learned):  # the offline replay goes on, too
            wrong += known.estimator.predict_one(one["x"]) != one["y"]
            known.estimator.learn_one(one["x"], one["y"])
        assert to_bytes(found.view.model.estimator) == to_bytes(known.estimator)
        assert found.view.facts["mistakes"] == wrong
        models.close()
    assert learned > 100
