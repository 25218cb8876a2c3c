"""A disk that is full: learning is refused with a sentence, predictions go on, and nothing acknowledged is lost."""

import json
import os
import subprocess
import sys
from pathlib import Path

from rosenblatt.models.save import to_bytes
from tests.service.streams import numbers, offline, opened
from tests.support.places import ROOT

# No file may grow beyond a limit: for SQLite this is a disk without room. The limit is for the whole process.
FULL = """
import json, resource, signal, sys
from pathlib import Path
from rosenblatt.service.learning.spec import Spec
from rosenblatt.service.running.models import Models
from rosenblatt.service.storage.model_file import StorageError
from tests.service.streams import SMALL, lines, numbers

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
models = Models(Path(sys.argv[1]), SMALL)
model = models.create("m", Spec(columns=3, classes=["no", "yes"]))
examples, learned, refused = numbers(3000), 0, ""
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, hard))
while not refused:
    try:
        model.learn(lines(examples[learned : learned + 10])).result(30)
        learned += 10
    except StorageError as error:
        refused = str(error)
before, problem = learned, model.problem
labels = model.predict([one["x"] for one in examples[:50]]).labels
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
while learned < 3000:
    model.learn(lines(examples[learned : learned + 10])).result(30)
    learned += 10
print(json.dumps([before, refused, problem, labels, model.problem]))
models.close()
"""


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    ended = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    before, refused, problem, labels, problem_after = json.loads(ended.stdout)
    assert 0 < before < 3000
    assert "cannot be written" in refused
    assert "redictions go on" in refused
    assert (problem, problem_after) == (refused, "")
    models = opened(tmp_path)
    model = models.get("m")
    examples = numbers(3000)
    assert labels == offline(model.spec, examples[:before])[0].predict([one["x"] for one in examples[:50]]).tolist()
    assert to_bytes(model.view.model.estimator) == to_bytes(offline(model.spec, examples)[0])
    models.close()
