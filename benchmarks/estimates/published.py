"""Our answers for published data, beside what was published about them.

The data are not part of the project; the folder must have lizards.csv, hepatitis.csv, alligators.csv (as in the R
package brglm2), poisson_01.csv and poisson_02.csv (test sets of the Stata package ppmlhdfe).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console

from rosenblatt import Estimates, estimates


def lizards(folder: Path) -> Estimates:
    frame = pd.read_csv(folder / "lizards.csv")
    return estimates(frame[["height", "diameter", "light", "time"]], frame[["grahami", "opalinus"]].to_numpy())


def hepatitis(folder: Path) -> Estimates:
    """Three outcomes by group, time and both; the reference cell is no-withhold after the screening began."""
    frame = pd.read_csv(folder / "hepatitis.csv")
    X = pd.DataFrame({"withhold": (frame["group"] == "withhold") * 1.0, "pre": (frame["time"] == "pre") * 1.0})
    X["withhold and pre"] = X["withhold"] * X["pre"]
    outcome = np.select([frame["HCV"] == 1, frame["nonABC"] == 1], ["HCV", "nonABC"], "none")
    return estimates(X, outcome, model="multinomial", reference="none", sample_weight=frame["counts"])


def alligators(folder: Path, divisor: int) -> Estimates:
    """Agresti's model: food by size and lake; fish, lake George and the larger size are the references."""
    frame = pd.read_csv(folder / "alligators.csv")
    X = pd.DataFrame(
        {
            "size": pd.Categorical(frame["size"], [">2.3", "<=2.3"]),
            "lake": pd.Categorical(frame["lake"], ["George", "Hancock", "Oklawaha", "Trafford"]),
        }
    )
    weights = np.rint(frame["freq"] / divisor)
    return estimates(X, frame["foodchoice"], model="multinomial", reference="Fish", sample_weight=weights)


def poisson(folder: Path, name: str) -> Estimates:
    """The columns x... and dummies of the factors id...; the separated rows must be those that the file marks."""
    frame = pd.read_csv(folder / name)
    columns = [column for column in frame if column not in ("y", "separated")]
    X = frame[columns].copy()
    for column in columns:
        if column.startswith("id"):
            X[column] = X[column].astype(str).astype("category")
    found = estimates(X, frame["y"], model="poisson")
    assert found.separated_rows.tolist() == np.flatnonzero(frame["separated"]).tolist()
    return found


EXAMPLES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "lizards (McCullagh and Nelder 1989)": (
        lizards,
        "The tests of detectseparation expect finite estimates of all six coefficients.",
    ),
    "hepatitis (Bull, Mak and Greenwood 2002)": (
        hepatitis,
        "Example of penalised estimates for a table with an empty cell. We found no published statement for each "
        "coefficient. No recipient with withheld blood before the screening had HCV: the interaction must be -inf.",
    ),
    "alligators (Agresti 2002)": (lambda folder: alligators(folder, 1), "The estimates of Agresti's model are finite."),
    "alligators, counts divided by 3 (Kosmidis, vignette of brglm2)": (
        lambda folder: alligators(folder, 3),
        "The lakes of Reptile have infinite estimates; Stata's mlogit prints 15.6 to 16.4, standard errors of 2003. "
        "ppmlhdfe drops 17 separated observations, as many as we have rows, and two columns that then depend on "
        "others: Trafford of Reptile and Oklawaha of Bird. We call the second one -inf: no alligator of the table is "
        "in that cell. The intercept of Reptile is -inf, as George, the reference, has no Reptile.",
    ),
    "poisson_01 (Correia, Guimaraes and Zylkin 2019)": (
        lambda folder: poisson(folder, "poisson_01.csv"),
        "Two separated rows, because of x2. The guide says that the coefficient of x2 goes to +inf, as its certificate "
        "is z = x2. The means exp(x.b) of these rows must fall to 0 and x2 is 1 there: the coefficient goes to -inf.",
    ),
    "poisson_02 (Correia, Guimaraes and Zylkin 2019)": (
        lambda folder: poisson(folder, "poisson_02.csv"),
        "The third row is separated, by both factors together.",
    ),
}


def run(folder: Path, console: Console) -> None:
    for title, (example, stated) in EXAMPLES.items():
        found = example(folder)
        finite = sum(status == "finite" for status in found.statuses)
        others = {name: status for name, status in found.status.items() if status != "finite"}
        rows = f"{len(found.separated_rows)} of {len(found.separated_rows) + len(found.kept_rows)} rows are separated"
        console.print(f"[bold]{title}[/bold]")
        console.print(f"  ours: {found.kind}; {rows}; {finite} of {len(found.statuses)} coefficients are finite.")
        for name, status in others.items():
            console.print(
                f"    {' of '.join(reversed(name)) if isinstance(name, tuple) else name}: {status}", markup=False
            )
        console.print(f"  published: {stated}", "")
