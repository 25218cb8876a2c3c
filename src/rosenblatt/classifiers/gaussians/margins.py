"""How Gaussians look from a hyperplane."""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.validation import Floats
from rosenblatt.rules.ellipsoids import look, radius


class State(NamedTuple):
    """Where a rule is: a hyperplane for the tamed Gaussians, and weights that go with it, if there are any."""

    v: Floats
    weights: Floats | None
    touching: Floats  # of each Gaussian an a, no longer than 1 by its covariance: mu - r y C a is its contact point


class Sight(NamedTuple):
    """Leads v.m_i, spreads sqrt(w.C_i w), the vectors C_i w, and the Gaussian of the least radius."""

    leads: Floats
    spreads: Floats
    turned: Floats
    worst: int

    @classmethod
    def of(cls, m: Floats, C: Floats, v: Floats) -> "Sight":
        leads, spreads, turned = np.empty(len(m)), np.empty(len(m)), np.empty((len(m), len(v) - 1))
        return cls(leads, spreads, turned, look(m, C, v, leads, spreads, turned))

    @property
    def radius(self) -> float:
        return float(radius(self.leads[self.worst], self.spreads[self.worst]))

    def directions(self, v: Floats) -> Floats:
        """w / sigma_i, or 0 for a Gaussian without spread."""
        spreads = self.spreads[:, np.newaxis]
        return np.divide(v[:-1], spreads, out=np.zeros_like(self.turned), where=spreads > 0)
