"""The statuses of coefficients in words, for certificates and for results."""

from collections.abc import Iterable, Iterator

from rosenblatt.certificate.regression.recession_rows import Name

STATUS_WORDS = {
    "finite": "Finite estimates",
    "+inf": "Estimates of plus infinity",
    "-inf": "Estimates of minus infinity",
    "undetermined": "Infinite estimates of undetermined sign",
    "not_estimable": "Not estimable",
}
MAX_NAMES = 10  # of coefficients in a sentence


def text_of_name(name: Name) -> str:
    """The name of a coefficient, with its class if it has one."""
    return name if isinstance(name, str) else f"{name[1]} of {name[0]!r}"


def status_sentences(statuses: Iterable[tuple[Name, str]]) -> Iterator[str]:
    """A sentence for each status that occurs, with the names of its coefficients."""
    told = list(statuses)
    for status, words in STATUS_WORDS.items():
        own = [text_of_name(name) for name, found in told if found == status]
        if own:
            more = f" and {len(own) - MAX_NAMES} more" if len(own) > MAX_NAMES else ""
            yield f"{words}: {', '.join(own[:MAX_NAMES])}{more}."
