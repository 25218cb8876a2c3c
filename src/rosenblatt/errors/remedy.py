"""Advice that names options: as keyword arguments for users of Python, as flags for users of the command."""

FLAGS = {"text_encoding": "--encoding"}  # where the flag is not the name of the option


def flag(option: str) -> str:
    """The flag that the command has for an option.

    >>> flag("hash_bits")
    '--hash-bits'
    >>> flag("text_encoding")
    '--encoding'
    """
    return FLAGS.get(option, f"--{option.replace('_', '-')}")


class Remedy:
    """A sentence that says which options to change; it names them as keyword arguments or as flags of the command.

    Parameters
    ----------
    sentence : the sentence; each {name} in it stands for an option
    in_command : another sentence for users of the command, where the command has other options
    values : for some options, what to give: the names of columns, a word, or True

    Examples
    --------
    >>> remedy = Remedy("Leave it out with {columns}, or say {categories}.", categories=["age"])
    >>> remedy.with_keywords()
    "Leave it out with columns=, or say categories=['age']."
    >>> remedy.with_flags()
    'Leave it out with --columns, or say --categories age.'
    """

    OPTIONS = (
        "target",
        "columns",
        "categories",
        "missing",
        "format",
        "classes",
        "zero_based",
        "delimiter",
        "decimal",
        "text_encoding",
    )

    def __init__(self, sentence: str, in_command: str | None = None, **values: list[str] | str | bool) -> None:
        self.sentence, self.in_command, self.values = sentence, in_command or sentence, values

    def with_keywords(self) -> str:
        """The sentence for users of Python."""
        values = {name: repr(value) for name, value in self.values.items()}
        return self.sentence.format(**{name: f"{name}={values.get(name, '')}" for name in self.OPTIONS})

    def with_flags(self) -> str:
        """The sentence for users of the command."""
        words = {name: ",".join(word) if isinstance(word, list) else word for name, word in self.values.items()}
        values = {name: f" {word}" for name, word in words.items() if isinstance(word, str)}
        return self.in_command.format(**{name: f"{flag(name)}{values.get(name, '')}" for name in self.OPTIONS})
