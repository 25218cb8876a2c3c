"""What happened in a training run, and whether it is over."""

from collections.abc import Callable
from dataclasses import dataclass, field

from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.training.learner import Learner

PASS_MESSAGE = "pass {} of {}, {:,} mistakes"  # noqa: S105  (a pass over rows)


@dataclass
class Run:
    """The counts of a training run, pass by pass, and why it stopped."""

    mistakes_per_epoch: list[int] = field(default_factory=list)
    n_updates: int = 0
    stop_reason: StopReason = StopReason.BUDGET
    held_out_errors: list[float] = field(default_factory=list)

    def end_pass(
        self, learner: Learner, mistakes: int, updates: int, *, once_each: bool, has_mistake: Callable[[], bool]
    ) -> bool:
        """Record a pass, and return True if training is over.

        A pass without a mistake proves the rows free of mistakes if it presented each of them once to the same
        weights. A pass that drew rows at random, that changed the weights without a mistake (passive-aggressive), or
        that used rounded scores, proves nothing: `has_mistake` then looks at all rows.

        Weights that overflow end the training too; the caller must look at them.
        """
        self.mistakes_per_epoch.append(mistakes)
        self.n_updates += updates
        if learner.has_overflowed():
            return True
        if mistakes and not learner.settled:
            return False
        proved = learner.settled or (once_each and updates == 0 and learner.proves)
        if not proved and has_mistake():
            return False
        self.stop_reason = StopReason.MISTAKE_FREE
        return True
