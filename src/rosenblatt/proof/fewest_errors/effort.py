"""The effort of a search: counted in operations, so that it is the same on every machine, and cut by a deadline."""

import time


class Effort:
    """Operations that a search may spend, and the time at which it must end.

    Parameters
    ----------
    operations : how many there are
    deadline : when to give up, on the monotonic clock

    Attributes
    ----------
    left : the operations that are left
    was_cut : did the deadline end the search before its operations were spent?
    """

    def __init__(self, operations: float, deadline: float) -> None:
        self.left, self.deadline, self.was_cut = operations, deadline, False

    def spend(self, operations: float) -> bool:
        """Spend operations; False if there are not enough, or if the deadline passed."""
        if self.left < operations:
            return False
        if self.was_cut or time.monotonic() > self.deadline:
            self.was_cut = True
            return False
        self.left -= operations
        return True
