"""What is taken as rows on a cluster, and what is said of rows that cannot be used."""

import time
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.bag
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import rosenblatt
from rosenblatt import DataError, ParameterError, cluster, read, write
from tests.cluster.tables import equal_cuts, in_blocks, same_bits, table

X, Y = table(240, 3, 3, noise=0.0)
N = len(Y)
ROWS, LABELS = in_blocks(X, Y, equal_cuts(N, 3))


def rows_of(shards: cluster.Shards) -> tuple[Any, Any]:
    """All rows and labels, from the shards."""
    parts = shards.engine.results(shards.handles)
    assert [part.start for part in parts] == [0, *np.cumsum(shards.sizes)[:-1]]
    matrices = [part.matrix() for part in parts]
    whole = scipy.sparse.vstack(matrices).toarray() if scipy.sparse.issparse(matrices[0]) else np.concatenate(matrices)
    return whole, shards.classes[np.concatenate([part.codes for part in parts])]


def is_table(shards: cluster.Shards) -> bool:
    rows, labels = rows_of(shards)
    return np.array_equal(rows, X) and np.array_equal(labels, Y) and (shards.n, shards.d) == (N, 3)


def test_arrays() -> None:
    shards = cluster.Shards(*in_blocks(X, Y, equal_cuts(N, 4)))
    assert is_table(shards)
    assert shards.nbytes == X.nbytes
    assert shards.counts.tolist() == [int((label == Y).sum()) for label in shards.classes]
    wide = da.from_array(X, chunks=(70, 2)), da.from_array(Y, chunks=33)  # cut in columns, and elsewhere than y
    assert is_table(cluster.Shards(*wide))
    column = wide[0], da.from_array(Y.reshape(-1, 1), chunks=(33, 1))
    assert is_table(cluster.Shards(*column))
    sparse = cluster.Shards(*in_blocks(scipy.sparse.csr_array(X), Y, equal_cuts(N, 4)))
    assert is_table(sparse)
    unknown = wide[0][wide[0][:, 0] > -99]  # Dask does not know the sizes of its blocks
    assert is_table(cluster.Shards(unknown.rechunk({1: 3}), da.from_array(Y, chunks=70)))


def test_frames() -> None:
    frame = pd.DataFrame(X, columns=["u", "v", "w"]).assign(label=Y)
    parts = dd.from_pandas(frame, npartitions=5)
    assert is_table(cluster.Shards(parts, "label"))
    shards = cluster.Shards(parts[["u", "v", "w"]], parts["label"])
    assert is_table(shards)
    assert shards.feature_names == ["u", "v", "w"]
    model = cluster.Perceptron().fit(parts, "label")
    assert model.feature_names_in_.tolist() == ["u", "v", "w"]
    lazy = model.predict(parts[["u", "v", "w"]])
    assert lazy.compute().tolist() == model.predict(frame[["u", "v", "w"]]).tolist()
    assert model.score(parts[["u", "v", "w"]], parts["label"]) == model.score(frame[["u", "v", "w"]], Y)
    some = parts[parts["u"] > 1.5]  # some partitions may be empty
    few = frame[frame["u"] > 1.5]
    assert np.array_equal(rows_of(cluster.Shards(some, "label"))[0], few[["u", "v", "w"]].to_numpy())
    assert cluster.answers(model, some[["u", "v", "w"]], "decision_function").compute().shape == (len(few), 3)


def test_frames_of_small_files(tmp_path: Path) -> None:
    frame = pd.DataFrame(X, columns=["u", "v", "w"]).assign(label=Y)
    for number, places in enumerate(np.array_split(np.arange(N), 6)):
        frame.iloc[places].to_parquet(tmp_path / f"{number}.parquet")
    table = dd.read_parquet(tmp_path)  # Dask reads the labels alone in fewer partitions
    assert len(table["label"].to_delayed()) < table.npartitions == 6
    assert is_table(cluster.Shards(table, "label"))
    rows, labels = table[["u", "v", "w"]], table["label"]
    assert is_table(cluster.Shards(rows, labels))
    model = cluster.Perceptron().fit(rows, labels)
    whole = frame[["u", "v", "w"]]
    assert model.score(rows, labels) == model.score(whole, Y)
    assert np.array_equal(cluster.margins(model, rows, labels).compute() > 0, model.predict(whole) == Y)


def test_bags() -> None:
    lists = dask.bag.from_sequence(list(zip(X.tolist(), Y.tolist(), strict=True)), npartitions=4)
    assert is_table(cluster.Shards(lists))
    dicts = [
        ({name: x for name, x in zip("uvw", row, strict=True) if abs(x) > 0.5}, y) for row, y in zip(X, Y, strict=True)
    ]
    shards = cluster.Shards(dask.bag.from_sequence(dicts, npartitions=4))
    assert shards.feature_names == ["u", "v", "w"]
    assert np.array_equal(rows_of(shards)[0], np.where(abs(X) > 0.5, X, 0.0))
    with pytest.raises(DataError, match="must be a pair of a row and its label"):
        cluster.Shards(dask.bag.from_sequence([1, 2, 3]))
    with pytest.raises(DataError, match="must all be dicts, or all be lists"):
        cluster.Shards(dask.bag.from_sequence([({"a": 1.0}, 0), ([1.0], 1)], npartitions=2))


@pytest.mark.parametrize("ending", ["csv", "parquet", "svm", "csv.gz"])
def test_files(tmp_path: Path, ending: str) -> None:
    for number, part in enumerate(np.array_split(np.arange(N), 4)):
        write(
            X[part], Y[part] if ending != "svm" else (Y[part] == "a").astype(int), tmp_path / f"part-{number}.{ending}"
        )
    labels = Y if ending != "svm" else (Y == "a").astype(int)
    for source in (tmp_path, str(tmp_path / f"*.{ending}"), sorted(tmp_path.iterdir())):
        shards = cluster.Shards(source)
        rows, found = rows_of(shards)
        assert len(shards) == 4
        assert np.allclose(rows, X)
        assert np.array_equal(found, labels)
    model = cluster.Perceptron(order="cyclic", average=True, max_epochs=5).fit(tmp_path)
    data = read(sorted(map(str, tmp_path.iterdir())))
    alone = cluster.Perceptron(order="cyclic", average=True, max_epochs=5).fit(*in_blocks(data.X, data.y, shards.sizes))
    assert same_bits(model, alone)
    if ending != "svm":
        assert model.encoding_ == data.encoding.to_dict()  # type: ignore[union-attr]


def test_categories_of_the_first_file_hold_for_all(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("colour,size,kind\nred,1,a\nblue,2,b\n")
    (tmp_path / "2.csv").write_text("colour,size,kind\nblue,3,a\nred,5,b\n")
    shards = cluster.Shards(tmp_path, target="kind")
    assert shards.feature_names == ["colour=blue", "colour=red", "size"]
    assert rows_of(shards)[0].tolist() == [[0, 1, 1], [1, 0, 2], [1, 0, 3], [0, 1, 5]]
    (tmp_path / "3.csv").write_text("colour,size,kind\nblue,3,a\n\ngreen,5,b\n")
    with pytest.raises(DataError, match=r"3\.csv, line 4.*'green'"):
        cluster.Shards(tmp_path, target="kind")


def test_a_broken_file_is_named_with_its_line(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.csv").write_text("x,y,kind\n1,2,a\n3,4,b\n")
    (tmp_path / "1.csv").write_text("x,y,kind\n1,2,a\n3,oops,b\n")
    with pytest.raises(DataError, match=r"1\.csv, line 3.*'oops'"):
        cluster.Perceptron().fit(tmp_path, target="kind")


def late_in_block_0(block: Any, block_info: Any = None) -> Any:
    time.sleep(0.3 * (block_info is not None and block_info[0]["chunk-location"][0] == 0))
    return block


@pytest.mark.usefixtures("two_workers")
def test_of_several_errors_the_first_in_order_is_raised(tmp_path: Path) -> None:
    """Also if a later block is read sooner."""
    X_bad, y = in_blocks(np.full((40, 2), np.nan), np.arange(40) % 2, [10] * 4)
    bad = X_bad.map_blocks(late_in_block_0, dtype=float), y
    files = [tmp_path / f"{number}.csv" for number in range(4)]
    for number, file in enumerate(files):
        file.write_text("x,kind\n1,a\n" + "2,b\n" * 20_000 * (number == 1) + "oops,b\n" * (number > 0) + "3,b\n")
    for scheduler in ("threads", "processes", "distributed"):
        with dask.config.set(scheduler=scheduler, num_workers=4):
            with pytest.raises(DataError, match=r"^block 0 .*NaN"):
                cluster.Shards(*bad)
            with pytest.raises(DataError, match=r"1\.csv, line 20003.*'oops'"):
                cluster.Shards(tmp_path, target="kind")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((X, Y), "An array, a data frame or a bag of Dask, or paths of files, were expected, not a numpy ndarray"),
        ((ROWS, None), "the target y is None"),
        ((ROWS, Y), "y must be a collection of Dask, divided as X is, not a numpy ndarray"),
        ((LABELS, LABELS), "X must be a table of n x d numbers"),
        ((ROWS, LABELS[:-1]), f"X has {N} rows but y has {N - 1} labels"),
        (in_blocks(X, np.full(N, "a"), [N]), "y must hold at least 2 classes"),
        (
            in_blocks(np.where(X > 1.0, np.nan, X), Y, equal_cuts(N, 3)),
            "block 0 (rows count from 0 in it): Input X contains",
        ),
        (("nothing.csv",), "nothing.csv: there is no such file"),
        (("-",), "they cannot read standard input"),
    ],
)
def test_what_cannot_be_used(given: Any, said: str) -> None:
    with pytest.raises(DataError) as caught:
        cluster.Shards(*given)
    assert said in str(caught.value)


def test_options_at_the_wrong_place() -> None:
    shards = cluster.Shards(*in_blocks(X, Y, [N]))
    with pytest.raises(ParameterError, match=r"y=\.\.\. must be left out with Shards"):
        cluster.Perceptron().fit(shards, Y)
    with pytest.raises(ParameterError, match="'target' is an option of reading files"):
        cluster.Shards(*in_blocks(X, Y, [N]), target="label")
    mixed = np.array([*"ab" * 50, *range(N - 100)], object)
    with pytest.raises(DataError, match="Labels of one type were expected in all blocks, not 'a' and 0"):
        cluster.Shards(*in_blocks(X, mixed, [100, N - 100]))


def test_answers_of_any_model() -> None:
    blocks = in_blocks(X, Y, equal_cuts(N, 3))
    model = rosenblatt.Pocket().fit(X, Y)
    for method in ("predict", "decision_function"):
        lazy = cluster.answers(model, blocks[0], method)
        assert lazy.dask  # nothing was computed
        assert np.array_equal(lazy.compute(), getattr(model, method)(X))
    assert float(cluster.accuracy(model, *blocks)) == model.score(X, Y)
    with pytest.raises(ParameterError, match="method must be one of predict"):
        cluster.answers(model, blocks[0], "predict_proba")
    with pytest.raises(DataError, match="array or a data frame of Dask was expected"):
        cluster.answers(model, "file.csv")
