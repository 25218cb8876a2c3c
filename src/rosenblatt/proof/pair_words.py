"""Which classes separate from which, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

MAX_NAMED = 4  # pairs, or classes, that a clause names
VERBS = {
    "overlap": "overlap",
    "weak": "separate only weakly",
    "not_strict": "do not separate strictly",
    "undecided": "are undecided",
}


def words_of_pairs(kinds: Mapping[tuple[Any, Any], str]) -> str:
    """Clauses that say which classes separate from all others, and which pairs do not separate strictly.

    >>> words_of_pairs({("3", "5"): "overlap", ("3", "8"): "strict", ("5", "8"): "strict"})
    "'8' separates strictly from every other class; '3' and '5' overlap"
    """
    if not kinds:
        return ""
    strict = [pair for pair, kind in kinds.items() if kind == "strict"]
    if len(strict) == len(kinds):
        return (
            f"all {len(kinds)} pairs separate strictly" if len(kinds) > 1 else _clauses(strict, "separate strictly", 1)
        )
    mixed = {label for pair, kind in kinds.items() if kind != "strict" for label in pair}
    alone = list(dict.fromkeys(label for pair in strict for label in pair if label not in mixed))
    clauses = [_alone(alone)] if alone else []
    for kind, verb in VERBS.items():
        own = [pair for pair, found in kinds.items() if found == kind]
        if own:
            clauses.append(_clauses(own, verb, len(kinds)))
    others = [pair for pair in strict if mixed.issuperset(pair)]
    if others:
        clauses.append(_clauses(others, "separate strictly", len(kinds)))
    return "; ".join(clauses)


def _alone(labels: Sequence[Any]) -> str:
    if len(labels) > MAX_NAMED:
        return (
            f"{len(labels)} classes, among them {_named(labels[:MAX_NAMED])}, separate strictly from every other class"
        )
    verb = "separates" if len(labels) == 1 else "each separate"
    return f"{_named(labels)} {verb} strictly from every other class"


def _clauses(pairs: Sequence[tuple[Any, Any]], verb: str, count: int) -> str:
    named = [f"{a!r} and {b!r}" for a, b in pairs[:MAX_NAMED]]
    if len(pairs) <= MAX_NAMED:
        return "; ".join(f"{pair} {verb}" for pair in named)
    among = "" if verb in ("are undecided", "separate strictly") else f", among them {', '.join(named)}"
    return f"{len(pairs):,} of {count:,} pairs {verb}{among}"


def _named(labels: Sequence[Any]) -> str:
    *first, last = map(repr, labels)
    return f"{', '.join(first)} and {last}" if first else last
