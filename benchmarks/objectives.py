"""The benchmarks: what is measured, and what is claimed."""

from functools import partial

import sklearn.linear_model
from sklearn.svm import SVC, LinearSVC

from benchmarks.benchmark import Dataset, MaxRatio, MaxValue, NotAbove, NotBelow, Objective, Solver
from benchmarks.datasets import (
    Csv,
    DenseRows,
    Digits,
    DigitsAgainstRest,
    DigitsPair,
    FashionMnist,
    FashionPair,
    Irises,
    NoData,
    Planted,
    SparseText,
    Standardised,
    Svmlight,
    Wdbc,
)
from benchmarks.ellipsoids import Ascent, ConeBisection, RandomGaussians
from benchmarks.files import (
    LargeFile,
    LoadSvmlight,
    OnePass,
    PandasAndScikitLearn,
    Read,
    ReadAndPass,
    SparseFile,
    TableAndFit,
    TableFile,
    VowpalWabbit,
)
from benchmarks.one_row import Ours, River, Rows
from benchmarks.solvers import (
    Classifier,
    Epoch,
    Fit,
    LinearProgram,
    LowerBound,
    NewProcess,
    Predict,
    Prove,
    ReadOnce,
    ScikitLearn,
    Seeds,
    Verify,
    accuracy,
    certificate_size,
    kind,
    margin,
    slack_objective,
    training_errors,
)
from rosenblatt import BatchPerceptron, Kozinec, Perceptron, Pocket

LIBSVM = partial(SVC, kernel="linear", C=1e8)
LIBSVM_CUT_OFF = partial(LIBSVM, max_iter=2_000_000)  # without a limit it would not end on unscaled wdbc
LIBLINEAR = partial(LinearSVC, C=1.0, dual=False, tol=1e-8, max_iter=100_000)
SONAR = Csv("sonar, 208 x 60", "sonar", "sonar.csv", "M")
OVERLAPPING: list[Dataset] = [
    Wdbc(),
    SONAR,
    Csv("pima, 768 x 8", "pima", "pima-indians-diabetes.csv", "1"),
    Csv("spambase, 4601 x 57", "spambase", "spambase.data", "1"),
    Csv("banknote, 1372 x 4", "banknote", "banknote_authentication.csv", "1"),
    Csv("ionosphere, 351 x 34", "ionosphere", "ionosphere.csv", "g"),
]
PLANTED: list[Dataset] = [Planted(20_000, 50, 0.01), Planted(100_000, 20, 0.001)]
SEPARABLE: list[Dataset] = [
    Standardised(Wdbc()),
    Wdbc(),
    DigitsPair(3, 8),
    DigitsPair(1, 8),
    FashionPair("sandal and ankle boot", 5, 9),
]
NOISY: list[Dataset] = [Planted(20_000, 50, 0.01, 0.02), Planted(100_000, 20, 0.001, 0.02)]
REAL_DATA: list[Dataset] = [
    Irises("setosa"),
    Irises("versicolor", "virginica"),
    Wdbc(),
    SONAR,
    Svmlight("agaricus, one-hot", "agaricus", "agaricus.txt.train"),
    Svmlight("mushrooms, one-hot", "mushrooms_libsvm", "mushrooms.txt"),
    Svmlight("imdb, words", "imdb", "train.svm.gz"),
    Svmlight("pros and cons, words", "pros_cons", "all.svm.gz"),
]
WITH_SLACK: list[Dataset] = [*SEPARABLE, DigitsAgainstRest(8), FashionPair("shirt and t-shirt", 6, 0)]

CERTIFIED = "rosenblatt, Anderson"
AVERAGED = "rosenblatt, averaged, ten passes"
PEER, PEER_AVERAGED = "scikit-learn, Perceptron, ten passes", "scikit-learn, SGDClassifier averaged, ten passes"
POCKET, BATCH, PEER_LAST = "rosenblatt, pocket", "rosenblatt, batch with shift", "scikit-learn, Perceptron"
HUNDRED_PASSES: list[Solver] = [
    Seeds(POCKET, partial(Pocket, max_epochs=100), training_errors),
    Classifier(BATCH, partial(BatchPerceptron, shift=True, max_epochs=100, patience=None), training_errors),
    Classifier("rosenblatt, batch, no shift", partial(BatchPerceptron, max_epochs=100, patience=None), training_errors),
    Seeds(PEER_LAST, partial(sklearn.linear_model.Perceptron, max_iter=100, tol=None), training_errors),
    LowerBound(),
]

FIRST_FIT = """
import time
import numpy as np
from rosenblatt import Perceptron
X = np.random.default_rng(0).standard_normal((100, 5))
start = time.perf_counter()
Perceptron().fit(X, X[:, 0] > 0)
print(f"{(time.perf_counter() - start) * 1e3:.3f}", end="")
"""

MEMORY = """
import resource, warnings
import numpy as np
from rosenblatt import Perceptron
warnings.simplefilter("ignore")
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
X = np.random.default_rng(0).standard_normal((1_250_000, 100))
y = X[:, 0] > 0
Perceptron().fit(X[:100], y[:100])
before = peak()
Perceptron(max_epochs=2).fit(X, y)
print(f"{(peak() - before) / X.nbytes * 100:.3f}", end="")
"""

OBJECTIVES = {
    "import": Objective(
        name="Time to import",
        datasets=[NoData()],
        solvers=[
            NewProcess("rosenblatt", "import rosenblatt"),
            NewProcess("rosenblatt and its Perceptron", "from rosenblatt import Perceptron"),
            NewProcess("scikit-learn", "import sklearn.linear_model"),
            NewProcess("Python alone", "pass"),
        ],
        claims=[
            MaxRatio("rosenblatt", 1.2, "scikit-learn"),
            MaxRatio("rosenblatt and its Perceptron", 1.2, "scikit-learn"),
        ],
    ),
    "first-fit": Objective(
        name="First fit of a new process, compiled code cached on disk, imports not counted",
        datasets=[NoData()],
        solvers=[NewProcess("rosenblatt", FIRST_FIT)],
        claims=[MaxValue("rosenblatt", 1000.0)],
    ),
    "memory": Objective(
        name="Growth of peak memory during a fit, in percent of the size of X",
        datasets=[NoData()],
        solvers=[NewProcess("rosenblatt, 1 GB of float64", MEMORY)],
        claims=[MaxValue("rosenblatt, 1 GB of float64", 10.0)],
        unit="%",
        rounds=3,
    ),
    "dense": Objective(
        name="Dense epochs, unshuffled",
        datasets=[DenseRows(400_000, 100, noise=0.0), DenseRows(400_000, 100, noise=0.02)],
        solvers=[Epoch(), ReadOnce(), Fit(1), ScikitLearn(1), Fit(10), ScikitLearn(10)],
        claims=[
            MaxRatio("rosenblatt, one epoch", 1.25, "reading X once"),
            MaxRatio("rosenblatt, fit of 1 pass", 1 / 1.4, "scikit-learn, fit of 1 pass"),
            MaxRatio("rosenblatt, fit of 10 passes", 1 / 1.4, "scikit-learn, fit of 10 passes"),
        ],
        rounds=15,
    ),
    "shuffled": Objective(
        name="Dense epochs, shuffled (the default of both libraries)",
        datasets=[
            DenseRows(100_000, 20, noise=0.02),
            DenseRows(1_000_000, 20, noise=0.02),
            DenseRows(400_000, 100, noise=0.02),
            SparseText(200_000, 50_000, 66),
        ],
        solvers=[Fit(10, order="shuffled"), ScikitLearn(10, shuffle=True)],
        claims=[MaxRatio("rosenblatt, fit of 10 passes", 1.0, "scikit-learn, fit of 10 passes")],
    ),
    "one": Objective(
        name="One row at a time: predicted, then learned from",
        datasets=[Rows(20, 5000), Rows(1000, 300), Rows(20, 5000, any_order=True), Rows(1000, 300, any_order=True)],
        solvers=[Ours("arrays"), Ours("dicts"), Ours("dicts", "averaged"), River("arrays"), River("dicts")],
        claims=[
            MaxRatio("rosenblatt, arrays", 1 / 2, "river, arrays"),
            MaxRatio("rosenblatt, dicts", 1.0, "river, dicts"),
        ],
        unit="microseconds a row",
        rounds=21,
    ),
    "predict": Objective(
        name="Predictions, checks of the input included",
        datasets=[
            DenseRows(400_000, 100, noise=0.02),
            DenseRows(1_000_000, 20, noise=0.02),
            SparseText(200_000, 50_000, 66),
        ],
        solvers=[Predict("rosenblatt", Perceptron), Predict("scikit-learn", sklearn.linear_model.Perceptron)],
        claims=[MaxRatio("rosenblatt", 1.0, "scikit-learn")],
    ),
    "sparse": Objective(
        name="Sparse epochs, unshuffled",
        datasets=[SparseText(200_000, 50_000, 66)],
        solvers=[Epoch(), Fit(1), ScikitLearn(1), Fit(10), ScikitLearn(10)],
        claims=[
            MaxRatio("rosenblatt, fit of 1 pass", 1.0, "scikit-learn, fit of 1 pass"),
            MaxRatio("rosenblatt, fit of 10 passes", 1.0, "scikit-learn, fit of 10 passes"),
        ],
    ),
    "margin": Objective(
        name="Maximum margin",
        datasets=PLANTED,
        solvers=[
            Classifier("rosenblatt, gap 1e-3", partial(Kozinec, epsilon=1e-3)),
            Classifier("rosenblatt, gap 1e-6", partial(Kozinec, epsilon=1e-6)),
            Classifier("rosenblatt, gap 1e-3, no screening", partial(Kozinec, epsilon=1e-3, screening=False)),
            Classifier("rosenblatt, wolfe alone, gap 1e-3", partial(Kozinec, epsilon=1e-3, solver="wolfe")),
            Classifier("LIBSVM, C=1e8", LIBSVM),
            LinearProgram(),
        ],
        claims=[
            MaxRatio("rosenblatt, gap 1e-3", 1 / 10, "LIBSVM, C=1e8"),
            MaxRatio("rosenblatt, gap 1e-3", 1 / 10, LinearProgram.name),
            MaxRatio("rosenblatt, gap 1e-6", 3.0, "rosenblatt, gap 1e-3"),
        ],
        rounds=3,
    ),
    "separability": Objective(
        name="Separable or not",
        datasets=[*PLANTED, *NOISY],
        solvers=[Prove("rosenblatt, verdict, certificate and its verification", verify=True), LinearProgram()],
        claims=[MaxRatio("rosenblatt, verdict, certificate and its verification", 1 / 5, LinearProgram.name)],
        rounds=5,
    ),
    "verdicts": Objective(
        name="Verdicts on real data (for text, only whether strictly separable)",
        datasets=REAL_DATA,
        solvers=[Prove("rosenblatt, find"), Verify()],
        rounds=3,
    ),
    "verdicts-reached": Objective(
        name="Verdicts and the size of certificates",
        datasets=REAL_DATA,
        solvers=[
            Prove("rosenblatt, verdict: 0 strict, 1 weak, 2 overlap, 3 not strict", measure=kind),
            Prove("kB of JSON", measure=certificate_size),
        ],
        unit="see row",
        rounds=1,
    ),
    "margin-reached": Objective(
        name="Margin reached (larger is better)",
        datasets=[*SEPARABLE, *PLANTED],
        solvers=[
            Classifier("rosenblatt, gap 1e-3", partial(Kozinec, epsilon=1e-3), margin),
            Classifier("rosenblatt, gap 1e-6", partial(Kozinec, epsilon=1e-6), margin),
            Classifier("LIBSVM, C=1e8, at most 2e6 steps", LIBSVM_CUT_OFF, margin),
            Classifier("LIBSVM, C=1e8, at most 2e6 steps, tol 1e-6", partial(LIBSVM_CUT_OFF, tol=1e-6), margin),
        ],
        claims=[
            MaxRatio("LIBSVM, C=1e8, at most 2e6 steps", 1.0, "rosenblatt, gap 1e-6"),
            MaxRatio("LIBSVM, C=1e8, at most 2e6 steps, tol 1e-6", 1.0, "rosenblatt, gap 1e-6"),
        ],
        unit="unit of x",
        rounds=1,
    ),
    "margin-real": Objective(
        name="Maximum margin of real data",
        datasets=SEPARABLE,
        solvers=[
            Classifier("rosenblatt, gap 1e-3", partial(Kozinec, epsilon=1e-3)),
            Classifier("rosenblatt, gap 1e-6", partial(Kozinec, epsilon=1e-6)),
            Classifier("LIBSVM, C=1e8, at most 2e6 steps", LIBSVM_CUT_OFF),
        ],
        rounds=3,
    ),
    "slack": Objective(
        name="Maximum margin with quadratic slack, C=1, bias constant 1",
        datasets=WITH_SLACK,
        solvers=[
            Classifier("rosenblatt, gap 1e-3", partial(Kozinec, C=1.0, bias=1.0)),
            Classifier("rosenblatt, gap 1e-6", partial(Kozinec, C=1.0, bias=1.0, epsilon=1e-6)),
            Classifier("LIBLINEAR, tol 1e-8", LIBLINEAR),
        ],
        rounds=3,
    ),
    "slack-reached": Objective(
        name="Objective reached with slack, C=1, bias constant 1 (smaller is better)",
        datasets=WITH_SLACK,
        solvers=[
            Classifier("rosenblatt, gap 1e-6", partial(Kozinec, C=1.0, bias=1.0, epsilon=1e-6), slack_objective(1.0)),
            Classifier("LIBLINEAR, tol 1e-8", LIBLINEAR, slack_objective(1.0)),
        ],
        claims=[MaxRatio("rosenblatt, gap 1e-6", 1 + 1e-4, "LIBLINEAR, tol 1e-8")],
        unit="objective",
        rounds=1,
    ),
    "classes": Objective(
        name="Ten classes, five seeds",
        datasets=[Digits(), FashionMnist("float32"), FashionMnist("float64")],
        solvers=[
            Seeds(AVERAGED, partial(Perceptron, average="averaged", max_epochs=10), accuracy),
            Seeds(PEER, partial(sklearn.linear_model.Perceptron, max_iter=10, tol=None), accuracy),
            Seeds(
                PEER_AVERAGED,
                partial(sklearn.linear_model.SGDClassifier, average=True, max_iter=10, tol=None),
                accuracy,
            ),
        ],
        claims=[MaxRatio(AVERAGED, 1 / 5, PEER), NotBelow(AVERAGED, (PEER, PEER_AVERAGED))],
        rounds=5,
        beside="test accuracy, %: mean (min - max)",
    ),
    "errors": Objective(
        name="Training errors after 100 passes, five seeds",
        datasets=[Standardised(data) for data in OVERLAPPING],
        solvers=HUNDRED_PASSES,
        claims=[NotAbove(POCKET, (PEER_LAST,)), NotAbove(BATCH, (PEER_LAST,))],
        unit="rows",
        rounds=5,
    ),
    "errors-raw": Objective(
        name="Training errors after 100 passes, five seeds, unscaled columns",
        datasets=OVERLAPPING,
        solvers=HUNDRED_PASSES,
        claims=[NotAbove(POCKET, (PEER_LAST,)), NotAbove(BATCH, (PEER_LAST,))],
        unit="rows",
        rounds=5,
    ),
    "anderson": Objective(
        name="Gaussians: the smallest worst error, to a certified gap of 1e-6",
        datasets=[RandomGaussians(20, 10), RandomGaussians(50, 40)],
        solvers=[Ascent(CERTIFIED), Ascent("rosenblatt, Anderson, certificate verified", verify=True), ConeBisection()],
        claims=[MaxRatio(CERTIFIED, 1 / 10, ConeBisection.name)],
        rounds=7,
    ),
    "rules": Objective(
        name="The rules for the nearest point compared, gap 1e-2",
        datasets=[Planted(2_000, 5, 0.1)],
        solvers=[
            Classifier("rosenblatt, auto", partial(Kozinec, epsilon=1e-2)),
            *(
                Classifier(
                    f"rosenblatt, {rule}{', screening' * screening}",
                    partial(Kozinec, epsilon=1e-2, solver=rule, screening=screening, max_epochs=10**7),
                )
                for rule in ("wolfe", "mdm", "away", "kozinec")
                for screening in (False, True)
            ),
        ],
        claims=[MaxRatio("rosenblatt, auto", 1 / 10, "rosenblatt, kozinec")],
        rounds=5,
    ),
    "read": Objective(
        name="Read LIBSVM text as CSR",
        datasets=[SparseFile(300)],
        solvers=[Read(), LoadSvmlight()],
        claims=[MaxRatio("rosenblatt", 1 / 15, "scikit-learn load_svmlight_file")],
        rounds=3,
    ),
    "read-pass": Objective(
        name="Read text, one pass",
        datasets=[SparseFile(300)],
        solvers=[ReadAndPass("libsvm"), ReadAndPass("vw"), VowpalWabbit()],
        claims=[
            MaxRatio("rosenblatt, libsvm text", 0.5, "vowpalwabbit, vw text"),
            MaxRatio("rosenblatt, vw text", 0.5, "vowpalwabbit, vw text"),
        ],
        rounds=5,
    ),
    "read-table": Objective(
        name="Read CSV, five passes",
        datasets=[TableFile()],
        solvers=[TableAndFit(), PandasAndScikitLearn()],
        claims=[MaxRatio("rosenblatt", 1.0, "pandas + scikit-learn")],
        rounds=5,
    ),
    "stream": Objective(
        name="One pass over a stream",
        datasets=[LargeFile(10)],
        solvers=[OnePass("rosenblatt, first pass", cached=False), OnePass("rosenblatt, from the cache", cached=True)],
        claims=[MaxRatio("rosenblatt, from the cache", 0.25, "rosenblatt, first pass")],
        unit="s",
        rounds=2,
        beside="peak MB",
    ),
}
