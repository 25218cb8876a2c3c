"""schemathesis over the OpenAPI document: no 500, and no answer that the document does not list."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.service.service_process import running
from tests.service.streams import numbers
from tests.support.effort import by_day

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with running(tmp_path_factory.mktemp("models")) as address, httpx.Client(base_url=address) as client:
        client.post("/v1/models", json={"name": "numbers", "columns": 3, "classes": ["no", "yes"]}).raise_for_status()
        client.post("/v1/models", json={"name": "words"}).raise_for_status()
        client.post("/v1/models/numbers/learn", json=numbers(20)).raise_for_status()
        yield schemathesis.openapi.from_url(f"{address}v1/openapi.json")


def test_every_answer_is_documented(document: Any) -> None:
    operations = [found.ok() for found in document.get_all_operations()]
    assert len(operations) > 10
    for operation in operations:

        @settings(max_examples=by_day(15, 500), deadline=None, suppress_health_check=list(HealthCheck))
        @given(operation.as_strategy())
        def check(case: Any) -> None:
            if "name" in (case.path_parameters or {}) and case.method != "DELETE":
                case.path_parameters["name"] = "numbers" if len(case.path_parameters["name"]) % 3 else "words"
            case.call_and_validate(checks=CHECKS)

        check()
