"""Margins of Gaussians with respect to a hyperplane."""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.validation import Floats
from rosenblatt.rules.ellipsoids import look, radius


class SolverState(NamedTuple):
    """The state of a solver: a hyperplane for the centred Gaussians, and weights that may prove an upper bound."""

    v: Floats
    weights: Floats | None
    contact_directions: Floats  # a_i with a_i.C_i a_i <= 1; the contact points are mu_i - r y_i C_i a_i


class Margins(NamedTuple):
    """Leads v.m_i, spreads sqrt(w.C_i w), the vectors C_i w, and the Gaussian with the smallest radius."""

    leads: Floats
    spreads: Floats
    turned: Floats
    worst: int

    @classmethod
    def of(cls, m: Floats, C: Floats, v: Floats) -> "Margins":
        """Compute the margins of Gaussians with signed means m and covariances C."""
        leads, spreads, turned = np.empty(len(m)), np.empty(len(m)), np.empty((len(m), len(v) - 1))
        return cls(leads, spreads, turned, look(m, C, v, leads, spreads, turned))

    @property
    def radius(self) -> float:
        """The smallest radius."""
        return float(radius(self.leads[self.worst], self.spreads[self.worst]))

    def directions(self, v: Floats) -> Floats:
        """Return w / sigma_i for each Gaussian, or 0 for a Gaussian without spread."""
        spreads = self.spreads[:, np.newaxis]
        return np.divide(v[:-1], spreads, out=np.zeros_like(self.turned), where=spreads > 0)
