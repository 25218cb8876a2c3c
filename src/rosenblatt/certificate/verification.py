"""The answer of the checker: whether the claim of a certificate is true, and why."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verification:
    """Whether a certificate is true of some data. It is true or false itself, as in `if certificate.verify(X, y):`.

    Attributes
    ----------
    verified : bool
        True if the claim was checked and is true of the data.
    why : str
        The reason, as a sentence.

    See Also
    --------
    Certificate.verify : Returns one for rows and labels.
    Certificate.verify_gaussians : Returns one for Gaussians.

    Examples
    --------
    >>> from rosenblatt import separability
    >>> certificate = separability([[0], [1]], [0, 1]).certificate
    >>> certificate.verify([[0], [1]], [0, 1])
    <Verification: verified. Checked in whole numbers: the claim 'strict' is true of these 2 rows.>
    >>> certificate.verify([[0], [2]], [0, 1]).why
    'The certificate was made for other data: the digests differ.'
    """

    verified: bool
    why: str

    def __bool__(self) -> bool:
        return self.verified

    def __repr__(self) -> str:
        return f"<Verification: {'verified' if self.verified else 'refused'}. {' '.join(self.why.split())}>"
