"""Certificates: a claim about data, with its proof, as text that anybody can check.

The checker is this package, `base.exact` and `base.html` (which only displays). It needs numpy, SciPy's sparse matrices
and flint's integers. It uses none of the searches that find proofs. All claims are decided in whole numbers but one: a
near witness is decided in floats with bounds on all rounding errors (`near_witness`).
"""

import copy
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.argument_types import LabelsLike, MatricesLike, TableLike
from rosenblatt.base.exact import number_of
from rosenblatt.base.html import Markup, details, element, facts, shown
from rosenblatt.base.inputs.labels import take_class_labels
from rosenblatt.base.json_forms import refuse_constant
from rosenblatt.base.result import NoTruthValue
from rosenblatt.base.words import count_of
from rosenblatt.certificate.check_claims import check
from rosenblatt.certificate.digest import BY_BLOCKS
from rosenblatt.certificate.exact_table import Table, read_table
from rosenblatt.certificate.format import Body, Refuted, check_form, has_rounded_weights
from rosenblatt.certificate.merges import check_merges, merged
from rosenblatt.certificate.regression.check_estimates import check_estimates
from rosenblatt.certificate.regression.outcomes import read_outcomes_as
from rosenblatt.certificate.regression.recession_rows import coefficient_names
from rosenblatt.certificate.regression.status_words import status_sentences
from rosenblatt.certificate.verification import Verification
from rosenblatt.errors import DataError

FORMAT, VERSIONS = "rosenblatt certificate", (1, 2, 3, 4, 5, 6, 7)
PART_VERSIONS = {"estimates": 6, "decimals": 5, "merges": 4, "near_witness": 2}  # the version that a part needs; else 1
MAX_SHOWN_CHARACTERS = 2000  # of JSON, in a notebook
SENTENCES = {  # for two classes
    "strict": "A {hyperplane} has all of them strictly on their right side.",
    "weak": "A {hyperplane} has none of them on its wrong side, but no {hyperplane} has all of them strictly on their "
    "right side.",
    "overlap": "Every {hyperplane} has some of them on its wrong side, or contains all of them.",
    "not_strict": "No {hyperplane} has all of them strictly on their right side.",
}
SENTENCES_OF_MANY = {  # for more classes
    "strict": "With a suitable weight vector for each class, every row scores most in its own class.",
    "weak": "With a suitable weight vector for each class, no row scores more in another class than in its own, but no "
    "weight vectors let every row score most in its own class.",
    "overlap": "With any weight vectors of the classes, some row scores more in another class than in its own, or all "
    "scores are equal.",
    "not_strict": "With any weight vectors of the classes, some row does not score most in its own class.",
}
MALFORMED = (
    KeyError,
    TypeError,
    ValueError,
    IndexError,
    AttributeError,
    OverflowError,
    ZeroDivisionError,
    RecursionError,
    MemoryError,
)


class DescribedTable(Protocol):
    """The size, names and digest of the data of a certificate. A `Table` has them; a stream can have them too."""

    @property
    def n(self) -> int: ...
    @property
    def d(self) -> int: ...
    @property
    def names(self) -> list[str] | None: ...
    @property
    def decimal(self) -> bool: ...

    def digest(self, codes: NDArray[Any]) -> str:
        """A fingerprint of the numbers and of the classes of the rows."""
        ...


class Certificate(NoTruthValue):
    """A claim about labelled rows, with its proof. Two certificates are equal if their contents are.

    Parameters
    ----------
    body : dict
        The claim and its proof, as plain lists, texts and numbers. The code that finds proofs makes it with `of`. Read
        a certificate with `from_json`.

    Attributes
    ----------
    claim : {"strict", "weak", "overlap", "not_strict", "errors", "mistakes", "worst_error", "estimates"}
        What is claimed.

        - "strict": a hyperplane has all rows strictly on their right side.
        - "weak": a hyperplane has no row on its wrong side, but none has all rows strictly on their right side.
        - "overlap": every hyperplane has some row on its wrong side, or contains all rows.
        - "not_strict": no hyperplane has all rows strictly on their right side.
        - "errors": bounds of the fewest rows that a hyperplane gets wrong.
        - "mistakes": a bound on the updates of a perceptron.
        - "worst_error": bounds of the smallest worst error over Gaussians.
        - "estimates": which coefficients of a regression have finite estimates.

    See Also
    --------
    separability : Its verdict has a certificate.
    error_bounds : Its result has a certificate.
    mistake_bound : Its result has a certificate.
    estimates : Its result has a certificate.
    Verification : What `verify` returns.

    Notes
    -----
    `verify` needs only the certificate and the data. A float counts as the exact fraction that it is. So a certificate
    that verifies is a theorem about these very numbers. If the certificate says so, as those of decimals in text files
    do, a float counts instead as the shortest decimal that rounds to it. Two parts are not checked: `updates` and
    `names`, which its maker reports. A digest of the data detects other data at once. A seal over the text detects
    damage.

    Examples
    --------
    >>> from rosenblatt import Certificate, separability
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], ["even", "even", "odd", "odd"]
    >>> text = separability(X, y).certificate.to_json()
    >>> certificate = Certificate.from_json(text)
    >>> if certificate.verify(X, y):
    ...     print(certificate.claim)
    overlap
    >>> certificate.verify(X, ["even", "odd", "odd", "even"])
    <Verification: refused. The certificate was made for other data: the digests differ.>
    """

    _ask_instead: ClassVar[str] = "Call verify(X, y) to learn whether its claim is true."

    def __init__(self, body: Body) -> None:
        self.body = body

    @classmethod
    def of(
        cls,
        claim: str,
        table: DescribedTable,
        codes: NDArray[Any],
        labels: Sequence[Any],
        between: Sequence[int],
        constant: float,
        about: Body | None = None,
        **proof: Any,
    ) -> Self:
        """Make a certificate. For the code that finds proofs.

        Parameters
        ----------
        claim : str
            What is claimed; see `claim`.
        table : DescribedTable
            The size, names and digest of the data.
        codes : array of shape (n,)
            The class number of each row.
        labels : list
            The class labels.
        between : list of int
            The numbers of the classes that the claim is about.
        constant : float
            The constant at the end of each row; 0 for none.
        about : dict, optional
            What else the claim is about.
        **proof : object
            The parts of the proof, by name.

        Returns
        -------
        Certificate
            The certificate, with its seal.
        """
        parts = {"names": table.names} if table.names else {}
        decimals = {"decimals": True} if table.decimal else {}
        digest = table.digest(codes)
        data = {"rows": table.n, "columns": table.d, "digest": digest, "labels": list(labels), **parts, **decimals}
        whole = {"between": list(between), "constant": constant, **(about or {})}
        version = next((number for part, number in PART_VERSIONS.items() if part in proof or part in data), 1)
        version = 7 if digest.startswith(BY_BLOCKS) else version
        body = {"format": FORMAT, "version": version, "claim": claim, "data": data, "about": whole, **proof}
        return cls({**body, "seal": seal_of(body)})

    def extended(self, **proof: Any) -> Self:
        """Return a copy that claims more about the same data. For the code that finds proofs.

        Parameters
        ----------
        **proof : object
            The parts to add, by name.

        Returns
        -------
        Certificate
            The copy.
        """
        body = {**self.body, **proof}
        return type(self)({**body, "seal": seal_of(body)})

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a certificate.

        Parameters
        ----------
        text : str or bytes
            What `to_json` gave.

        Returns
        -------
        Certificate
            The certificate. It is not verified yet.

        Raises
        ------
        DataError
            The text is not a certificate, or its version is unknown.
        """
        try:
            body = json.loads(
                text, parse_constant=refuse_constant, parse_float=_finite_float, object_pairs_hook=_each_key_once
            )
        except (TypeError, ValueError, RecursionError) as error:
            raise DataError(f"This is not a certificate. A certificate is JSON: {error}.") from error
        if not isinstance(body, dict) or body.get("format") != FORMAT:
            raise DataError(f"This is not a certificate: a JSON object whose format is {FORMAT!r} was expected.")
        if body.get("version") not in VERSIONS:
            known = f"this release reads versions 1 to {VERSIONS[-1]}"
            raise DataError(f"The certificate is of version {body.get('version')!r}; {known}.")
        return cls(body)

    def to_json(self) -> str:
        """Return the certificate as text, one line.

        Returns
        -------
        str
            The JSON.
        """
        return json.dumps(self.body, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_dict(cls, body: Any) -> Self:
        """Make a certificate of what `to_dict` gave.

        Parameters
        ----------
        body : dict
            What `to_dict` gave.

        Returns
        -------
        Certificate
            The certificate. It is not verified yet.

        Raises
        ------
        DataError
            It is not a certificate, or its version is unknown.
        """
        try:
            text = json.dumps(body, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise DataError(f"This is not a certificate. A certificate can be written as JSON: {error}.") from error
        return cls.from_json(text)

    def to_dict(self) -> Body:
        """Return the certificate as lists, texts and numbers, which JSON can hold.

        Returns
        -------
        dict
            The claim and its proof.
        """
        return copy.deepcopy(self.body)

    @property
    def claim(self) -> str:
        """The kind of a verdict, or "errors", "mistakes", "worst_error" or "estimates"."""
        return str(self.body.get("claim"))

    def explain(self) -> str:
        """Say the claim in plain words. Call `verify` to learn whether it is true.

        Returns
        -------
        str
            A paragraph.

        Raises
        ------
        DataError
            It does not have the form of a certificate.
        """
        try:
            check_form(self.body)
        except Refuted as refuted:
            raise DataError(f"The certificate makes no sense: {refuted}.") from refuted
        if self.claim == "worst_error":
            return self._worst_error()
        taken = ["Each float counts as the shortest decimal that rounds to it."] * ("decimals" in self.body["data"])
        if self.claim == "estimates":
            return " ".join([self._estimates(), *taken])
        sentences = [self._subject(), *self._claims(), *taken]
        if "mistakes" in self.body:
            sentences.append(self._mistakes())
        if "updates" in self.body:
            updates = self.body["updates"]
            made = "1 update was made" if updates == 1 else f"{updates:,} updates were made"
            sentences.append(f"{made}, as its maker reports; the data cannot prove that.")
        return " ".join(sentences)

    def _subject(self) -> str:
        """The rows that the claim is about."""
        data, between = self.body["data"], self.body["about"]["between"]
        classes = ", ".join(repr(data["labels"][k]) for k in between)
        size = f"{count_of(data['rows'], 'row')} with {count_of(data['columns'], 'column')}"
        if len(between) == len(data["labels"]):
            return f"{size}, classes {classes}."
        return f"The rows of classes {classes}, out of {size}."

    def _claims(self) -> list[str]:
        """The sentences about a verdict, or about the bounds of errors."""
        about = self.body["about"]
        hyperplane = "hyperplane" if about["constant"] else "hyperplane through the origin"
        if "errors" in self.body:
            lower, upper = self.body["errors"]["lower"], self.body["errors"]["upper"]
            return [f"Every {hyperplane} gets at least {lower} of them wrong. The one given here gets {upper} wrong."]
        if self.claim not in SENTENCES:
            return []
        sentences = [SENTENCES[self.claim].format(hyperplane=hyperplane)]
        if len(about["between"]) > 2:
            hyperplane, sentences = "linear machine", [SENTENCES_OF_MANY[self.claim]]
        if "near_witness" in self.body:
            sentences.append(
                f"The proof: {count_of(len(self.body['near_witness']['rows']), 'row')} with the given positive weights "
                "add up to nearly 0, and there are positive weights near these with which they add up to exactly 0. "
                "The exact weights are not written down: `verify` proves that they exist."
            )
        if "merges" in self.body:
            sentences.append(self._merges())
        if "margin" in self.body:
            lower, upper = self.body["margin"]["lower"], self.body["margin"]["upper"]
            sentences.append(f"The margin is at least {lower:.6g}. No {hyperplane} has a margin above {upper:.6g}.")
        return sentences

    def _merges(self) -> str:
        """How the proof merges classes."""
        groups = np.arange(len(self.body["data"]["labels"]))
        for step in self.body["merges"]:
            groups = merged(groups, step["between"])
        steps, left = count_of(len(self.body["merges"]), "step"), count_of(len(np.unique(groups)), "group")
        return (
            f"The proof: classes that overlap cannot be told apart and are merged, in {steps}. In the end "
            f"{len(groups):,} classes are {left}."
        )

    def _worst_error(self) -> str:
        part, data = self.body["worst_error"], self.body["data"]
        classes = ", ".join(repr(label) for label in data["labels"])
        dimensions = count_of(math.isqrt(data["columns"]), "dimension")
        sentences = [f"{count_of(data['rows'], 'Gaussian')} in {dimensions}, classes {classes}."]
        if part["lower"] is not None:
            sentences.append(
                f"The hyperplane given here has an error of at most {_beyond(part['lower']):.6g} on each of them (a "
                f"radius of at least {part['lower']:.6g} standard deviations)."
            )
        if part["upper"] is not None:
            sentences.append(
                f"Every hyperplane has an error of at least {_beyond(part['upper']):.6g} on one of them (no radius is "
                f"above {part['upper']:.6g})."
            )
        return " ".join(sentences)

    def _estimates(self) -> str:
        data, about, part = self.body["data"], self.body["about"], self.body["estimates"]
        columns = data.get("names") or [f"x{j + 1}" for j in range(data["columns"])]
        names = coefficient_names(columns, data["labels"], about["model"], about["constant"], about["reference"])
        statuses = [claim["status"] for claim in part["coefficients"]]
        size = f"{count_of(data['rows'], 'row')} with {count_of(data['columns'], 'column')}"
        first = f"{size}, {about['model']} regression; separation: {part['kind']}."
        return " ".join([first, *status_sentences(zip(names, statuses, strict=False))])

    def _mistakes(self) -> str:
        part, constant = self.body["mistakes"], self.body["about"]["constant"]
        bound = number_of(part["bound"])
        most = f"{bound:,}" if bound < 10**15 else f"2^{bound.bit_length()}"
        if part["theorem"] != "Novikoff":
            return (
                f"A perceptron that starts from 0 makes at most {most} mistakes in one pass that shows each row once."
            )
        (a, b), m = part["steps"], part["threshold"]
        conditions = ["Novikoff"]
        if constant != 1:
            conditions.append(f"rows end with the constant {constant:g}")
        if a != 1 or b != 1:
            conditions.append(f"steps from {a:g} to {b:g}")
        if m != 0:
            conditions.append(f"a functional margin of {m:g}")
        return (
            f"A perceptron that starts from 0 makes at most {most} updates on them, in any order of the rows "
            f"({'; '.join(conditions)})."
        )

    def verify(
        self, X: TableLike, y: LabelsLike | None = None, *, trials: Any = None, sample_weight: Any = None
    ) -> Verification:
        """Check the claim against these rows and labels.

        Parameters
        ----------
        X : array, sparse matrix, data frame or list of shape (n, d)
            The rows. Integers may be of any size.
        y : array of shape (n,)
            The class labels; for estimates what `estimates` was given: labels, counts, or successes and failures.
        trials : array of shape (n,), optional
            For estimates: the number of trials of each row, where y has the successes.
        sample_weight : array of shape (n,), optional
            For estimates: rows of weight 0 do not count.

        Returns
        -------
        Verification
            It is true if the claim is true of the data. Its `why` is the reason.

        Raises
        ------
        DataError
            X is not a table of finite numbers, or y does not have one class label for each row. What is taken is what
            `separability` and `fit` take, see docs/inputs.md.
        """
        regression = isinstance(self.body, dict) and self.body.get("claim") == "estimates"
        table = read_table(X, words=regression)
        if not regression and (trials is not None or sample_weight is not None):
            raise DataError("trials and sample_weight are for certificates of estimates.")
        labels = [] if regression else take_class_labels(y, table.n).labels.tolist()

        def check_all() -> None:
            exact = replace(table, decimal="decimals" in self.body["data"])
            if regression:
                self._check_estimates(exact, y, trials, sample_weight)
            else:
                self._check(exact, labels)

        return self.verified_by(check_all, table.n, table.d)

    def verified_by(self, check_rows: Callable[[], None], n: int, d: int) -> Verification:
        """Check the seal and the form, and then the claim by other means. For checks of rows that are not in memory.

        Parameters
        ----------
        check_rows : callable
            It raises `Refuted` unless the claim is true of the rows.
        n, d : int
            The numbers of rows and columns.

        Returns
        -------
        Verification
            It is true if the claim is true of the rows.
        """
        try:
            self._check_seal_and_form(n, d)
            check_rows()
        except Refuted as refuted:
            return Verification(False, f"{str(refuted)[:1].upper()}{str(refuted)[1:]}.")
        except DataError:  # it is about X and y
            raise
        except MALFORMED as error:
            return Verification(False, f"The certificate is not well formed: {type(error).__name__}, {error}.")
        how = "with bounds on all rounding errors" if has_rounded_weights(self.body) else "in whole numbers"
        rows = f"{n} rows of decimals" if "decimals" in self.body["data"] else f"{n} rows"
        return Verification(True, f"Checked {how}: the claim {self.claim!r} is true of these {rows}.")

    def verify_gaussians(self, means: TableLike, covariances: MatricesLike, labels: LabelsLike) -> Verification:
        """Check the claim against these Gaussians.

        The data of the claim is a table. Each Gaussian is a row of it: the mean, then the covariance matrix row by row.

        Parameters
        ----------
        means : array of shape (m, d)
            The means.
        covariances : array of shape (m, d, d)
            The covariance matrices.
        labels : array of shape (m,)
            The class of each Gaussian.

        Returns
        -------
        Verification
            It is true if the claim is true of the Gaussians. Its `why` is the reason.

        Raises
        ------
        DataError
            The means are not m x d finite numbers, the covariances are not m x d x d, or there are not m labels.
        """
        if np.ma.is_masked(means) or np.ma.is_masked(covariances):
            raise DataError("Means and covariances must be arrays of numbers; some of their numbers are masked.")
        try:
            mu, C = np.array(means, dtype=object), np.array(covariances, dtype=object)
        except ValueError as error:
            raise DataError(f"Means and covariances must be arrays of numbers: {error}") from error
        if mu.ndim != 2 or not mu.size or C.shape != (*mu.shape, mu.shape[1]):
            raise DataError(
                f"Means must be m x d and covariances m x d x d; their shapes are {mu.shape} and {C.shape}."
            )
        return self.verify(np.column_stack([mu, C.reshape(len(mu), -1)]).tolist(), labels)

    def _check_seal_and_form(self, n: int, d: int) -> None:
        if self.body.get("seal") != seal_of(self.body):
            raise Refuted("the certificate was changed after it was made: its seal does not match its text")
        check_form(self.body)
        data = self.body["data"]
        if (data["rows"], data["columns"]) != (n, d):
            raise Refuted(f"it is about {data['rows']} rows of {data['columns']} columns; these are {n} of {d}")

    def _check(self, table: Table, labels: list[Any]) -> None:
        data = self.body["data"]
        code = self.codes_of(set(labels))
        codes = np.array([code[label] for label in labels])
        if not table.has_digest(data["digest"], codes):
            raise Refuted("the certificate was made for other data: the digests differ")
        (check_merges if "merges" in self.body else check)(self.body, table, codes)

    def codes_of(self, labels: Iterable[Any]) -> dict[Any, int]:
        """Return the class number of each label; raise `Refuted` unless these are the labels of the certificate.

        Parameters
        ----------
        labels : iterable
            The labels of the rows, each once.

        Returns
        -------
        dict
            The numbers, by label.
        """
        code = {label: k for k, label in enumerate(self.body["data"]["labels"])}
        if strange := sorted(map(repr, set(labels) ^ code.keys())):
            raise Refuted(f"its labels are not those of the rows: only one of the two has the label {strange[0][:80]}")
        return code

    def _check_estimates(self, table: Table, y: Any, trials: Any, sample_weight: Any) -> None:
        data, given = self.body["data"], {"trials": trials, "sample_weight": sample_weight}
        outcomes = read_outcomes_as(data["labels"], y, table.n, model=self.body["about"]["model"], **given)
        if not table.has_digest(data["digest"], outcomes.codes):
            raise Refuted("the certificate was made for other data: the digests differ")
        check_estimates(self.body, table, outcomes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self.body == other.body

    def __hash__(self) -> int:
        seal = self.body.get("seal")
        return hash(seal if isinstance(seal, str) else None)  # a damaged certificate may have anything there

    def __repr__(self) -> str:
        data = self.body.get("data", {})
        return f"<Certificate: {self.claim}, {data.get('rows')} rows of {data.get('columns')}>"

    def _repr_html_(self) -> Markup:
        text = self.to_json()
        more = len(text) - MAX_SHOWN_CHARACTERS
        rest = f" ... and {more:,} more characters; to_json() returns all of them" if more > 0 else ""
        size = f"{len(text):,} characters of JSON"
        json_text = details(size, element("pre", text[:MAX_SHOWN_CHARACTERS] + rest))
        try:
            words = self.explain()
        except DataError as error:
            return shown(element("p", error), json_text)
        how = "verify_gaussians(means, covariances, labels)" if self.claim == "worst_error" else "verify(X, y)"
        about = [
            ("claim", element("b", self.claim)),
            ("format", f"{self.body['format']}, version {self.body['version']}"),
            ("digest", self.body["data"]["digest"]),
            (how, "checks the claim against the data"),
        ]
        return shown(element("p", words), facts(about), json_text)


def _beyond(radius: float) -> float:
    """The part of a normal distribution that lies `radius` standard deviations or more above its mean."""
    return math.erfc(radius / math.sqrt(2)) / 2


def seal_of(body: Body) -> str:
    """A fingerprint of a certificate without its seal."""
    rest = {key: part for key, part in body.items() if key != "seal"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _each_key_once(pairs: list[tuple[str, Any]]) -> Body:
    body = dict(pairs)
    if len(body) < len(pairs):
        raise ValueError("an object has the same key twice")
    return body


def _finite_float(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else refuse_constant(text[:40])
