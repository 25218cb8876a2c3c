"""Certificates: a claim about data, with its proof, as text that anybody can check.

The checker is this file and those it imports: `form`, `claims`, `kessler`, `sides`, `worst_error`, `table`, `exact`
(and `markup`, which only shows). It needs numpy, SciPy's sparse matrices and flint's integers, and none of the searches
that find proofs.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.exact import number_of
from rosenblatt.base.html import Markup, details, element, facts, shown
from rosenblatt.certificate.claims import check
from rosenblatt.certificate.exact_table import Table, read_labels, read_table
from rosenblatt.certificate.format import Body, Refuted, check_form
from rosenblatt.errors import DataError

FORMAT, VERSION = "rosenblatt certificate", 1
LONG = 2000  # characters of JSON that a notebook shows
SENTENCES = {
    "strict": "a hyperplane has them all strictly on their right side.",
    "weak": "a hyperplane has none on its wrong side, but none has all of them strictly on their right side.",
    "overlap": "every hyperplane has some on its wrong side, or all of them on itself.",
    "not_strict": "no hyperplane has all of them strictly on their right side.",
    "errors": "every hyperplane gets",
    "mistakes": "there is a bound on the mistakes of a perceptron.",
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


class Certificate:
    """A claim about labelled rows, and the proof of it.

    Parameters
    ----------
    body : the claim and its proof, as plain lists, texts and numbers
        Provers make it; others read it with `from_json`.

    Attributes
    ----------
    claim : "strict", "weak", "overlap", "not_strict", "errors", "mistakes" or "worst_error"
    why : after `verify`, the reason for its answer

    Notes
    -----
    `verify` needs nothing but the certificate and the data, and takes floats as the fractions they are: a certificate
    that verifies is a theorem about these very numbers (but for `updates` and `names`, which its maker reports). It
    carries a digest of the data, which tells other data at once, and a seal over its own text, which tells damage.

    Examples
    --------
    >>> from rosenblatt import Certificate, separability
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], ["even", "even", "odd", "odd"]
    >>> text = separability(X, y).certificate.to_json()
    >>> certificate = Certificate.from_json(text)
    >>> certificate.claim, certificate.verify(X, y)
    ('overlap', True)
    >>> certificate.verify(X, ["even", "odd", "odd", "even"]), certificate.why
    (False, 'This is not the data it was made for: the digests differ.')
    """

    def __init__(self, body: Body) -> None:
        self.body = body
        self.why = "It has not been verified yet."

    @classmethod
    def of(
        cls,
        claim: str,
        table: Table,
        codes: NDArray[Any],
        labels: Sequence[Any],
        between: Sequence[int],
        constant: float,
        **proof: Any,
    ) -> Self:
        """Make one: for provers."""
        names = {"names": table.names} if table.names else {}
        data = {"rows": table.n, "columns": table.d, "digest": table.digest(codes), "labels": list(labels), **names}
        about = {"between": list(between), "constant": constant}
        body = {"format": FORMAT, "version": VERSION, "claim": claim, "data": data, "about": about, **proof}
        return cls({**body, "seal": seal_of(body)})

    def extended(self, **proof: Any) -> Self:
        """One that claims more of the same data: for provers."""
        body = {**self.body, **proof}
        return type(self)({**body, "seal": seal_of(body)})

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read one.

        Raises
        ------
        DataError
            The text is not a certificate, or one of a version that is not known here.
        """
        try:
            body = json.loads(
                text, parse_constant=_refuse_constant, parse_float=_finite_float, object_pairs_hook=_each_key_once
            )
        except (TypeError, ValueError, RecursionError) as error:
            raise DataError(f"This is not a certificate, which is JSON: {error}.") from error
        if not isinstance(body, dict) or body.get("format") != FORMAT:
            raise DataError(f"This is not a certificate: a JSON object whose format is {FORMAT!r} was expected.")
        if body.get("version") != VERSION:
            raise DataError(f"The certificate is of version {body.get('version')!r}; this release reads {VERSION}.")
        return cls(body)

    def to_json(self) -> str:
        """The certificate as text, one line."""
        return json.dumps(self.body, ensure_ascii=False, allow_nan=False)

    @property
    def claim(self) -> str:
        """What is claimed: the kind of a verdict, or what else is proved."""
        return str(self.body.get("claim"))

    def explain(self) -> str:
        """The claim in plain words; whether it is true, `verify` says.

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
        data, labels, between = self.body["data"], self.body["data"]["labels"], self.body["about"]["between"]
        classes = ", ".join(repr(labels[k]) for k in between)
        whose = f"classes {classes}" if len(between) == len(labels) else f"only those of classes {classes}"
        text = f"Of {data['rows']} rows (columns: {data['columns']}), {whose}: {SENTENCES[self.claim]}"
        if "margin" in self.body:
            margin = self.body["margin"]
            text += f" Its margin is at least {margin['lower']:.6g}; none has more than {margin['upper']:.6g}."
        if "errors" in self.body:
            errors = self.body["errors"]
            text += f" at least {errors['lower']} of them wrong; the one given here gets {errors['upper']} wrong."
        if len(between) > 2:
            text = text.replace("hyperplane", "linear machine, one weight vector a class,")
        elif not self.body["about"]["constant"]:
            text = text.replace("hyperplane", "hyperplane through the origin")
        if "mistakes" in self.body:
            text += self._mistakes()
        if "updates" in self.body:
            text += f" {self.body['updates']:,} updates were made, as its maker reports; data cannot prove that."
        return text

    def _worst_error(self) -> str:
        part, data = self.body["worst_error"], self.body["data"]
        classes = ", ".join(repr(label) for label in data["labels"])
        text = f"Of {data['rows']} Gaussians in {math.isqrt(data['columns'])} dimensions, classes {classes}:"
        if part["lower"] is not None:
            text += f" the hyperplane given here errs on none more often than {_beyond(part['lower']):.6g}"
            text += f" (a radius of at least {part['lower']:.6g} standard deviations)."
        if part["upper"] is not None:
            text += f" Every hyperplane errs on some at least as often as {_beyond(part['upper']):.6g}"
            text += f" (no radius is above {part['upper']:.6g})."
        return text

    def _mistakes(self) -> str:
        part, constant = self.body["mistakes"], self.body["about"]["constant"]
        bound = number_of(part["bound"])
        most = f"{bound:,}" if bound < 10**15 else f"2^{bound.bit_length()}"
        if part["theorem"] != "Novikoff":
            return f" A perceptron from 0 makes at most {most} mistakes in one pass that shows each row once."
        (a, b), m = part["steps"], part["threshold"]
        given = f"; rows end with the constant {constant:g}" * (constant != 1)
        given += f"; steps from {a:g} to {b:g}" * (a != 1 or b != 1) + f"; a functional margin of {m:g}" * (m != 0)
        return (
            f" A perceptron that starts from 0 makes at most {most} updates on them, in whatever order they come "
            f"(Novikoff{given})."
        )

    def verify(self, X: Any, y: Any) -> bool:
        """Is it true of these rows and labels?  `why` has the reason.

        Raises
        ------
        DataError
            X is not a table of finite numbers, or y not one label for each row.
        """
        table = read_table(X)
        labels = read_labels(y, table.n)
        try:
            self._check(table, labels)
        except Refuted as refuted:
            self.why = f"{str(refuted)[:1].upper()}{str(refuted)[1:]}."
            return False
        except MALFORMED as error:
            self.why = f"The certificate is not well formed: {type(error).__name__}, {error}."
            return False
        self.why = f"Checked in whole numbers: the claim {self.claim!r} is true of these {table.n} rows."
        return True

    def verify_gaussians(self, means: Any, covariances: Any, labels: Any) -> bool:
        """Is it true of these Gaussians?  Each is a row of a table: its mean, then its covariance matrix row by row.

        Raises
        ------
        DataError
            The means are not m x d, or the covariances not m x d x d, finite numbers, or the labels not m.
        """
        if np.ma.is_masked(means) or np.ma.is_masked(covariances):
            raise DataError("Means and covariances must be arrays of numbers, but some of them are masked.")
        try:
            mu, C = np.array(means, dtype=object), np.array(covariances, dtype=object)
        except ValueError as error:
            raise DataError(f"Means and covariances must be arrays of numbers: {error}") from error
        if mu.ndim != 2 or not mu.size or C.shape != (*mu.shape, mu.shape[1]):
            raise DataError(f"Means must be m x d, covariances m x d x d; their shapes are {mu.shape} and {C.shape}.")
        return self.verify(np.column_stack([mu, C.reshape(len(mu), -1)]).tolist(), labels)

    def _check(self, table: Table, labels: list[Any]) -> None:
        if self.body.get("seal") != seal_of(self.body):
            raise Refuted("it was changed after it was made: its seal does not fit its text")
        check_form(self.body)
        data = self.body["data"]
        if (data["rows"], data["columns"]) != (table.n, table.d):
            raise Refuted(f"it is about {data['rows']} rows of {data['columns']}, and these are {table.n} of {table.d}")
        code = {label: k for k, label in enumerate(data["labels"])}
        if set(labels) != set(code):
            strange = sorted(map(repr, set(labels) ^ set(code)))[0]
            raise Refuted(f"its labels are not those of the rows: the label {strange[:80]} is only in one of the two")
        codes = np.array([code[label] for label in labels])
        if data["digest"] != table.digest(codes):
            raise Refuted("this is not the data it was made for: the digests differ")
        check(self.body, table, codes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self.body == other.body

    def __hash__(self) -> int:
        return hash(self.body.get("seal"))

    def __repr__(self) -> str:
        data = self.body.get("data", {})
        return f"<Certificate: {self.claim}, {data.get('rows')} rows of {data.get('columns')}>"

    def _repr_html_(self) -> Markup:
        text = self.to_json()
        rest = f" ... and {len(text) - LONG:,} more characters; to_json() has all" if len(text) > LONG else ""
        size = f"{len(text):,} characters of JSON"
        json_text = details(size, element("pre", text[:LONG] + rest))
        try:
            words = self.explain()
        except DataError as error:
            return shown(element("p", error), json_text)
        how = "verify_gaussians(means, covariances, labels)" if self.claim == "worst_error" else "verify(X, y)"
        about = [
            ("claim", element("b", self.claim)),
            ("format", f"{self.body['format']}, version {self.body['version']}"),
            ("digest", self.body["data"]["digest"]),
            (how, self.why),
        ]
        return shown(element("p", words), facts(about), json_text)


def _beyond(radius: float) -> float:
    """How much of a normal distribution is so many standard deviations or more from its mean, on one side."""
    return math.erfc(radius / math.sqrt(2)) / 2


def seal_of(body: Body) -> str:
    """A fingerprint of all of a certificate but its seal."""
    rest = {key: part for key, part in body.items() if key != "seal"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _each_key_once(pairs: list[tuple[str, Any]]) -> Body:
    body = dict(pairs)
    if len(body) < len(pairs):
        raise ValueError("an object has a key twice")
    return body


def _finite_float(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse_constant(text[:40])
