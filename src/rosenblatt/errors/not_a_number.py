"""The error for a cell that is not a number; users see it as a DataError."""

from rosenblatt.errors import DataError


class NotANumberError(DataError, TypeError):
    """A cell holds something that is not a number, such as a list or a dict; scikit-learn expects a TypeError."""
