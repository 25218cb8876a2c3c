"""Errors as HTTP answers: a status, and {"error": a sentence}."""

from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.service.running.models import ExistsError, UnknownModelError
from rosenblatt.service.running.served_model import BusyError, GoneError, UnknownRowError
from rosenblatt.service.storage.model_file import StorageError

STATUS: dict[type[Exception], int] = {
    UnknownModelError: 404,
    UnknownRowError: 404,
    ExistsError: 409,
    GoneError: 410,
    BusyError: 429,
    StorageError: 503,
    DataError: 400,
    RosenblattError: 400,
}
RETRY_SECONDS = 1
SENTENCES = {
    400: "The request cannot be used; `error` says why.",
    401: "A token is needed, or the token is unknown.",
    403: "The token does not allow this, or a browser asked for another page.",
    404: "There is no such model, row or version.",
    405: "The address does not take this method.",
    408: "The body did not arrive in time.",
    409: "There is a model of this name already.",
    410: "The model was deleted, or the service ends.",
    413: "The body is too long.",
    415: "The body has another content type.",
    429: "Too many requests wait; try again after the seconds in Retry-After.",
    500: "A defect of the service.",
    503: "The model cannot be written now; predictions go on.",
}


def status_of(error: Exception) -> int:
    """The HTTP status of an error of this package."""
    return next(status for kind, status in STATUS.items() if isinstance(error, kind))
