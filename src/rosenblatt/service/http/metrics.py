"""What Prometheus reads: requests by status, their seconds, and for each model what it has seen."""

from collections.abc import Iterator
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from rosenblatt.service.running.models import Models

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)


class Metrics:
    """The metrics of a service.

    Parameters
    ----------
    models : the models, which are asked when Prometheus asks
    """

    media_type = CONTENT_TYPE_LATEST

    def __init__(self, models: Models) -> None:
        self.models, self.registry = models, CollectorRegistry()
        options: dict[str, Any] = {"registry": self.registry, "namespace": "rosenblatt"}
        self._requests = Counter("requests", "Requests by endpoint and status.", ("endpoint", "status"), **options)
        self._seconds = Histogram("request_seconds", "Seconds of requests.", ("endpoint",), buckets=SECONDS, **options)
        self.registry.register(self)
        self._known: dict[tuple[str, int], tuple[Counter, Histogram]] = {}

    def count(self, endpoint: str, status: int, seconds: float) -> None:
        """Count a request."""
        try:
            requests, taken = self._known[endpoint, status]
        except KeyError:
            requests, taken = self._requests.labels(endpoint, str(status)), self._seconds.labels(endpoint)
            self._known[endpoint, status] = requests, taken
        requests.inc()
        taken.observe(seconds)

    def collect(self) -> Iterator[Any]:
        """What the models tell."""
        seen = CounterMetricFamily("rosenblatt_examples", "Examples learned from.", labels=["model"])
        wrong = CounterMetricFamily("rosenblatt_mistakes", "Examples predicted wrong.", labels=["model"])
        rate = GaugeMetricFamily("rosenblatt_rolling_error_rate", "Error rate of recent examples.", labels=["model"])
        alarms = CounterMetricFamily("rosenblatt_drift_alarms", "Changes of the error rate.", labels=["model"])
        can_write = GaugeMetricFamily("rosenblatt_writable", "1 if the last write succeeded.", labels=["model"])
        for model in self.models:
            facts = model.view.facts
            seen.add_metric([model.name], facts["seen"])
            wrong.add_metric([model.name], facts["mistakes"])
            rate.add_metric([model.name], facts["rolling_rate"] or 0.0)
            alarms.add_metric([model.name], facts["drift"]["count"])
            can_write.add_metric([model.name], not model.problem)
        yield from (seen, wrong, rate, alarms, can_write)

    def text(self) -> bytes:
        """All metrics, as Prometheus reads them."""
        return generate_latest(self.registry)
