"""The public estimators, one file each, in scikit-learn's style. Doors: the estimators; `choice` picks one by name."""
