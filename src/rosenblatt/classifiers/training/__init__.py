"""What estimators share while they train: learners, passes over rows and streams, checkpoints, callbacks."""
