"""The answer of `verify`: true or false, with a reason; the certificate itself keeps nothing."""

import dataclasses

import pytest

from rosenblatt import Certificate, DataError, Verification, separability

X, AND, OR = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1], [0, 1, 1, 1]


def made() -> Certificate:
    certificate = separability(X, AND).certificate
    assert certificate is not None
    return certificate


def test_it_is_true_or_false_with_a_reason_in_one_line() -> None:
    yes, no = made().verify(X, AND), made().verify(X, OR)
    assert (bool(yes), yes.verified, bool(no), no.verified) == (True, True, False, False)
    assert (
        repr(yes) == "<Verification: verified. Checked in whole numbers: the claim 'strict' is true of these 4 rows.>"
    )
    assert repr(no) == "<Verification: refused. The certificate was made for other data: the digests differ.>"
    assert "\n" not in repr(Verification(False, "one\ntwo"))


def test_it_is_a_value_that_cannot_change() -> None:
    found = made().verify(X, AND)
    assert found == made().verify(X, AND)
    assert hash(found) == hash(made().verify(X, AND))
    assert found != made().verify(X, OR)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.verified = False  # type: ignore[misc]


def test_a_certificate_keeps_nothing_of_what_it_was_asked() -> None:
    certificate = made()
    certificate.verify(X, OR)
    assert vars(certificate) == vars(made())
    assert not hasattr(certificate, "why")


def test_a_certificate_as_a_dict_is_a_copy() -> None:
    certificate = made()
    certificate.to_dict()["data"]["rows"] = 5
    assert certificate.verify(X, AND)
    assert Certificate.from_dict(certificate.to_dict()) == certificate


@pytest.mark.parametrize("body", [None, [], "strict", {}, {"format": "rosenblatt certificate"}, {1: {2}}, {"a": 1e999}])
def test_what_is_no_certificate_is_refused_in_a_sentence(body: object) -> None:
    with pytest.raises(DataError, match=r"(not a certificate|of version).*\.$"):
        Certificate.from_dict(body)
