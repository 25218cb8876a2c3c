"""Choices and types of arguments that do not exist; each marked line is an error."""

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    KernelPerceptron,
    Kozinec,
    OneVsAll,
    PassiveAggressive,
    Perceptron,
    Pocket,
    Scaling,
    Stream,
    mistake_bound,
    read,
    separability,
    trace,
    write,
)

X, y = [[0.0], [1.0]], [0, 1]
Perceptron(order="sorted")  # type: ignore[arg-type]
Perceptron(tie="positiv")  # type: ignore[arg-type]
Perceptron(average="mean")  # type: ignore[arg-type]
Perceptron(class_weight="balance")  # type: ignore[arg-type]
Perceptron(random_state="seed")  # type: ignore[arg-type]
Perceptron(max_epochs="many")  # type: ignore[arg-type]
Perceptron(max_iter=100)  # type: ignore[call-arg]
Perceptron("cyclic")  # type: ignore[call-arg]
Pocket(order="worst")  # type: ignore[arg-type]
PassiveAggressive(variant="III")  # type: ignore[arg-type]
BatchPerceptron(learning_rate="1/T")  # type: ignore[arg-type]
KernelPerceptron(kernel="gauss")  # type: ignore[arg-type]
KernelPerceptron(average="voted")  # type: ignore[arg-type]
KernelPerceptron(gamma="auto")  # type: ignore[arg-type]
Kozinec(solver="smo")  # type: ignore[arg-type]
Kozinec(epsilon_kind="both")  # type: ignore[arg-type]
Kozinec(bias="fixed")  # type: ignore[arg-type]
Anderson(covariance_type="spherical")  # type: ignore[arg-type]
Anderson(n_components="aic")  # type: ignore[arg-type]
OneVsAll(Perceptron)  # type: ignore[arg-type]
OneVsAll("perceptron")  # type: ignore[arg-type]
Scaling("minmax")  # type: ignore[arg-type]

read("rows.csv", format="xlsx")  # type: ignore[arg-type]
read("rows.csv", on_error="ignore")  # type: ignore[arg-type]
read("rows.csv", fill="median")  # type: ignore[arg-type]
read(3)  # type: ignore[arg-type]
write("rows.csv", X, y)  # type: ignore[arg-type]
write(X, y, "rows.arrow", format="arrow")  # type: ignore[arg-type]
Stream("rows.csv", on_error="ignore")  # type: ignore[arg-type]
Stream("rows.csv", fill="mean")  # type: ignore[arg-type]
mistake_bound(X, y, rows="centred")  # type: ignore[arg-type]
separability(X, y, bias=True)  # type: ignore[call-arg]
trace(OneVsAll, X, y)  # type: ignore[arg-type]
