"""Sentences in two vocabularies: parameters for users of Python, options for users of the command."""

from typing import Any, NamedTuple, Self

FLAGS = {"max_epochs": "--passes", "max_iter": "--passes", "random_state": "--seed", "how": "--scale"}
UNSET: Any = object()


class Words(NamedTuple):
    """What a thing is called in Python, and what the command calls it."""

    python: str
    command: str


class Wording(str):
    """A sentence for users of Python, with the same sentence for users of the command.

    Attributes
    ----------
    command : the sentence for users of the command
    """

    command: str

    def __new__(cls, python: str, command: str | None = None) -> Self:
        made = super().__new__(cls, python)
        made.command = python if command is None else command
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Wording, (str(self), self.command)

    def after(self, start: str) -> "Wording":
        """The sentence with more text before it."""
        return Wording(f"{start}{self}", f"{start}{self.command}")


def worded(sentence: str, **parts: Words) -> Wording:
    """Write a sentence in both vocabularies; each {name} in it stands for one of the parts.

    >>> said = worded("Raise {passes}, or use {solver}.", passes=parameter("max_epochs"), solver=parameter("C", 1.0))
    >>> print(said, "|", said.command)
    Raise max_epochs, or use C=1.0. | Raise --passes, or use --set C=1.0.
    """
    python = command = sentence
    for name, words in parts.items():
        python, command = python.replace(f"{{{name}}}", words.python), command.replace(f"{{{name}}}", words.command)
    return Wording(python, command)


def parameter(name: str, value: Any = UNSET, owner: str = "") -> Words:
    """A parameter of an estimator, with its value if one is given; `owner` is the class that has the parameter.

    >>> parameter("order", "worst", "Perceptron")
    Words(python="Perceptron(order='worst')", command='--set order=worst')
    >>> parameter("max_epochs", owner="Perceptron")
    Words(python='Perceptron(max_epochs=...)', command='--passes')
    """
    flag = FLAGS.get(name)
    if value is UNSET:
        return Words(f"{owner}({name}=...)" if owner else name, flag or f"--set {name}")
    python = f"{name}={value!r}"
    return Words(f"{owner}({python})" if owner else python, f"{flag} {value}" if flag else f"--set {name}={value}")


def in_command_words(message: object) -> str:
    """A message for users of the command.

    >>> in_command_words(worded("Raise {it}.", it=parameter("max_epochs"))), in_command_words("It is full.")
    ('Raise --passes.', 'It is full.')
    """
    return message.command if isinstance(message, Wording) else str(message)
