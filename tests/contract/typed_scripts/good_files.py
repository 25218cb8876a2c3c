"""Read, write and stream rows; save and load models; trace a run; draw a picture."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rosenblatt
from rosenblatt import (
    Data,
    Encoding,
    Perceptron,
    Progress,
    Scaling,
    Step,
    StopReason,
    Stream,
    Trace,
    datasets,
    load,
    losses,
    plot,
    read,
    save,
    separability,
    to_json,
    trace,
    write,
)

folder = Path("rows")
write([[0.5, 1.0], [1.0, 0.1]], ["no", "yes"], folder / "and.csv", feature_names=["a", "b"], format="csv")
data: Data = read([folder / "and.csv", "more.csv"], "label", format="csv", on_error="skip", fill="mean")
X, y = data
labels: NDArray[Any] = data.y
names: list[str] | None = data.feature_names
encoding: Encoding | None = data.encoding
with open("rows.jsonl", "rb") as file:
    opened: Data = read(file, format="jsonl", fill={"a": 0.0})

stream = Stream("*.svm", on_error="quarantine", quarantine=folder / "bad.svm", cache=True, classes=[-1, 1])
kinds: NDArray[Any] | None = stream.classes_
scaling: Scaling = stream.scale("divide")


def stop_early(now: Progress) -> bool:
    return now.mistakes == 0 and now.seconds > 1


model: Perceptron = Perceptron().fit_stream(stream, checkpoint="run.checkpoint", progress=stop_early)
separability(stream)
predicted: NDArray[Any] = model.predict(stream)
accuracy: float = model.score(stream)
save(model, folder / "model.safetensors")
loaded: Perceptron = load(folder / "model.safetensors")
text: str = to_json(loaded)

run: Trace = trace(Perceptron(order="cyclic"), X, y, max_steps=100)
first: Step = run[0]
row: int = first.index
angle: float | None = first.angle_before
ended: StopReason | None = run.stop_reason
table: str = run.to_csv()
frame = run.to_frame()

display: plot.BoundaryDisplay = plot.BoundaryDisplay.from_estimator(model, X, y)
display.ax_.set_title("and")
display.figure_.savefig("and.png")
plot.animate(run, "and.gif", X, y)
sample: datasets.Dataset = datasets.load("iris")
loss: float = losses.hinge_loss([1.0, 0.0, 0.0], [[1.0, 2.0]], [1])
version: str = rosenblatt.__version__
with rosenblatt.show_progress():
    rates: NDArray[np.float64] = model.coef_
