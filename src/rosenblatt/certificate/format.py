"""The form of a certificate: its parts and their types. Their content is checked in `claims`."""

import itertools
import math
from collections.abc import Mapping
from typing import Any

from rosenblatt.certificate.digest import BY_BLOCKS

Body = dict[str, Any]

PARTS = {  # for each claim: the parts it must have, and the parts it may have
    "strict": ({"hyperplane"}, {"margin", "mistakes", "updates"}),
    "weak": ({"hyperplane", "witness"}, {"updates"}),
    "overlap": ({"witness"}, {"updates"}),  # or near_witness
    "not_strict": ({"witness"}, set()),  # or near_witness
    "errors": ({"errors"}, set()),
    "mistakes": ({"mistakes"}, {"updates"}),
    "worst_error": ({"worst_error"}, set()),
    "estimates": ({"estimates"}, set()),
}
PARTS_WITH_MERGES = {  # the same where classes are merged
    "weak": ({"merges", "hyperplane"}, {"witness"}),
    "overlap": ({"merges"}, set[str]()),
    "not_strict": ({"merges"}, set[str]()),
}
MODELS = ("logit", "multinomial", "ordinal", "poisson")
PROOFS = {  # for each status of a coefficient, the parts of its proof; infinite ones may have weights, too
    "finite": set[str](),
    "not_estimable": set[str](),
    "+inf": {"rows"},
    "-inf": {"rows"},
    "undetermined": {"vectors"},
}
COMMON = {"format", "version", "claim", "data", "about", "seal"}
MISTAKES = {
    "Novikoff": {"theorem", "hyperplane", "radius", "margin", "steps", "threshold", "bound"},
    "Freund and Schapire": {"theorem", "hyperplane", "radius", "level", "bound"},
}
LABELS = (str, int, float, bool)


class Refuted(Exception):  # noqa: N818  (it is a fact about a claim)
    """A claim is not true of the data, or is malformed. The message says why."""


def need(condition: Any, why_not: str) -> None:
    """Raise Refuted with this reason unless the condition is true."""
    if not condition:
        raise Refuted(why_not)


def check_form(body: Body) -> None:
    """Raise Refuted unless the body has all parts of its claim, no others, and each of the right type."""
    claim = body.get("claim")
    need(isinstance(claim, str) and claim in PARTS, f"the claim {str(claim)[:40]!r} is unknown")
    needed, allowed = PARTS[str(claim)]
    if "near_witness" in body and needed == {"witness"}:
        need(body.get("version") in (2, 5, 7), "a near witness needs version 2, 5 or 7")
        needed = {"near_witness"}
    if "merges" in body:
        need(claim in PARTS_WITH_MERGES, "only weak, overlap and not_strict may have merges")
        need(body.get("version") in (4, 5, 7), "merges need version 4, 5 or 7")
        needed, allowed = PARTS_WITH_MERGES[str(claim)]
    _keys(body, COMMON | needed, allowed, "the certificate")
    _keys(body["data"], {"rows", "columns", "digest", "labels"}, {"names", "decimals"}, "data")
    regression = {"model", "reference"} if claim == "estimates" else set[str]()
    _keys(body["about"], {"between", "constant"} | regression, set(), "about")
    labels, between = body["data"]["labels"], body["about"]["between"]
    sizes, digest = [body["data"]["rows"], body["data"]["columns"]], body["data"]["digest"]
    need(_list_of(sizes, (int,)), "the numbers of rows and columns are not whole numbers")
    need(isinstance(digest, str), "the digest is not a text")
    need(
        digest.startswith(BY_BLOCKS) == (body.get("version") == 7), "version 7 has a digest by blocks, others have not"
    )
    need(_list_of(labels, LABELS) and len(set(labels)) == len(labels), "the labels are not different words or numbers")
    need(_list_of(between, (int,)) and len(between) >= 2, "it does not name at least two classes")
    in_order = all(a < b for a, b in itertools.pairwise(between)) and between[0] >= 0 and between[-1] < len(labels)
    need(in_order, "the numbers of the classes are not in order, or there are no such classes")
    if "names" in body["data"]:
        names = body["data"]["names"]
        need(_list_of(names, (str,)) and len(names) == body["data"]["columns"], "the names are not one for each column")
    if "updates" in body:
        need(type(body["updates"]) is int and body["updates"] >= 0, "the updates are not a whole number of at least 0")
    finite(body["about"]["constant"], "constant")
    if "decimals" in body["data"] or body.get("version") == 5:
        _check_decimals(body)
    if "hyperplane" in body:
        _check_hyperplane(body["hyperplane"])
    for key in ("witness", "margin"):
        if key in body:
            _check_weighted(body[key], key)
    if "near_witness" in body:
        _check_near_witness(body["near_witness"])
    if "merges" in body:
        _check_merges(body["merges"])
    if "errors" in body:
        _check_errors(body["errors"])
    if "mistakes" in body:
        _check_mistakes(body["mistakes"])
    if "estimates" in body:
        _check_estimates(body)
    if "worst_error" in body:
        need(between == [0, 1] == list(range(len(labels))), "a worst error is for two classes, all that there are")
        need(body["about"]["constant"] == 1.0, "a worst error is for hyperplanes with a bias; the constant must be 1")
        _check_worst_error(body["worst_error"])


def has_rounded_weights(body: Body) -> bool:
    """Does a proof have rounded weights, which are proved to be near exact ones?"""
    return any("near_witness" in part for part in (body, *body.get("merges", ())))


def _check_decimals(body: Body) -> None:
    need(body.get("version") in (5, 6, 7), "decimals need version 5, 6 or 7")
    need(body["data"].get("decimals") is True, "the decimals are not true, or missing in version 5")
    need(body["claim"] != "worst_error", "the numbers of Gaussians do not count as decimals")
    need(body["about"]["constant"] in (0.0, 1.0), "with decimals the constant is not 0 or 1")


def _check_estimates(body: Body) -> None:
    about, part = body["about"], body["estimates"]
    classes = len(body["data"]["labels"])
    need(body.get("version") in (3, 5, 6, 7), "estimates need version 3, 5, 6 or 7")
    need(about["model"] in MODELS, f"the model {str(about['model'])[:40]!r} is unknown")
    need(about["between"] == list(range(classes)), "estimates are about all classes")
    need(about["constant"] in (0.0, 1.0), "the constant is not 0 or 1")
    need(about["model"] in ("multinomial", "ordinal") or classes == 2, "this model has two classes")
    reference = about["reference"]
    known = reference is None or (type(reference) is int and 0 <= reference < classes)
    need(known and (reference is None or about["model"] == "multinomial"), "there is no such reference class")
    _keys(part, {"kind", "vectors", "witness", "span", "coefficients"}, set(), "estimates")
    need(_list_of(part["vectors"], (list,)), "the vectors are not lists")
    need(all(_list_of(vector, (str,)) for vector in part["vectors"]), "a number of a vector is not a text")
    _keys(part["witness"], {"rows", "weights"}, set(), "witness")
    need(_list_of(part["span"], (int,)), "a row of the span is not a whole number")
    need(_list_of(part["coefficients"], (dict,)), "the coefficients are not objects")
    for claim in part["coefficients"]:
        status = claim.get("status")
        need(isinstance(status, str) and status in PROOFS, "the status of a coefficient is unknown")
        parts = PROOFS[str(status)]
        _keys(claim, {"status"} | parts, {"weights"} if "rows" in parts else set(), "coefficient")
        need(
            "rows" not in claim or "weights" in claim or body["version"] in (6, 7),
            "rows without weights need version 6 or 7",
        )
        if "vectors" in claim:
            need(_list_of(claim["vectors"], (int,)) and len(claim["vectors"]) == 2, "there are not two vectors")
    for weighed in (part["witness"], *(claim for claim in part["coefficients"] if "rows" in claim)):
        need(_list_of(weighed["rows"], (int,)), "a row number is not a whole number")
        need(_list_of(weighed.get("weights", []), (str,)), "a weight is not a whole number, as text")


def finite(number: Any, name: str) -> float:
    """Return a finite float, or raise Refuted."""
    need(type(number) is float and math.isfinite(number), f"the {name}, {str(number)[:40]!r}, is not a finite float")
    return float(number)


def _check_hyperplane(texts: Any) -> None:
    need(_list_of(texts, (str,)), "a weight of the hyperplane is not a whole number, as text")


def _check_weighted(part: Any, name: str) -> None:
    bounds = {"lower", "upper"} if name == "margin" else set()
    relations = {"relations"} if name == "near_witness" else set()
    _keys(part, {"rows", "weights"} | bounds, {"against"} | relations, name)
    need(_list_of(part["rows"], (int,)), f"a row number of the {name} is not a whole number")
    need(_list_of(part["weights"], (str,)), f"a weight of the {name} is not a whole number, as text")
    if "against" in part:
        need(_list_of(part["against"], (int,)), f"a class of the {name} is not a number")
    for key in bounds:
        finite(part[key], f"{key} end of the margin")


def _check_near_witness(part: Any) -> None:
    _check_weighted(part, "near_witness")
    need(_list_of(part.get("relations", []), (dict,)), "the relations are not a list of objects")
    for relation in part.get("relations", []):
        _keys(relation, {"columns", "weights"}, set(), "relation")
        need(_list_of(relation["columns"], (int,)), "a column of a relation is not a whole number")
        need(_list_of(relation["weights"], (str,)), "a weight of a relation is not a whole number, as text")


def _check_merges(steps: Any) -> None:
    need(_list_of(steps, (dict,)), "the merges are not a list of objects")
    for step in steps:
        kind = "near_witness" if "near_witness" in step else "witness"
        _keys(step, {"between", kind}, {"span"}, "merge")
        need(_list_of(step["between"], (int,)) and len(step["between"]) >= 2, "a merge is not of two groups or more")
        need(_list_of(step.get("span", []), (int,)), "a row that spans is not a whole number")
        if kind == "witness":
            _check_weighted(step["witness"], "witness")
        else:
            _check_near_witness(step["near_witness"])


def _check_errors(part: Any) -> None:
    _keys(part, {"hyperplane", "rows", "upper", "lower", "witnesses"}, set(), "errors")
    _check_hyperplane(part["hyperplane"])
    need(type(part["upper"]) is type(part["lower"]) is int, "the bounds of the errors are not whole numbers")
    need(isinstance(part["witnesses"], list), "the witnesses are not a list")
    for rows in (part["rows"], *part["witnesses"]):
        need(_list_of(rows, (int,)), "a row number of the errors is not a whole number")


def _check_mistakes(part: Any) -> None:
    theorem = part.get("theorem") if isinstance(part, dict) else None
    need(isinstance(theorem, str) and theorem in MISTAKES, "this theorem is unknown")
    _keys(part, MISTAKES[str(theorem)], set(), "mistakes")
    _check_hyperplane(part["hyperplane"])
    need(finite(part["radius"], "radius") >= 0, "the radius is negative")
    if theorem == "Novikoff":
        _check_weighted(part["margin"], "margin")
        need(isinstance(part["steps"], list) and len(part["steps"]) == 2, "the steps are not two numbers")
        for number in (*part["steps"], part["threshold"]):
            finite(number, "step or threshold")


def _check_worst_error(part: Any) -> None:
    _keys(part, {"hyperplane", "lower", "upper", "rows", "weights", "directions"}, set(), "worst_error")
    _check_hyperplane(part["hyperplane"])
    need(part["lower"] is not None or part["upper"] is not None, "it has no bound of the radius")
    for key in ("lower", "upper"):
        if part[key] is not None:
            finite(part[key], f"{key} end of the radius")
    need(_list_of(part["rows"], (int,)), "the number of a Gaussian is not a whole number")
    need(_list_of(part["weights"], (str,)), "a weight of the Gaussians is not a whole number, as text")
    need(_list_of(part["directions"], (list,)), "the directions are not lists")
    for direction in part["directions"]:
        for number in direction:
            finite(number, "number of a direction")


def _keys(part: Any, needed: set[str], allowed: set[str], name: str) -> None:
    need(isinstance(part, Mapping), f"the part {name} is not an object")
    missing, strange = needed - set(part), set(part) - needed - allowed
    need(not missing, f"{name} lacks {', '.join(sorted(missing))}")
    need(not strange, f"{name} has an unknown part {str(next(iter(strange), ''))[:40]!r}")


def _list_of(values: Any, types: tuple[type, ...]) -> bool:
    return isinstance(values, list) and all(type(value) in types for value in values)
