"""The public estimators, one file each, in scikit-learn's style.

Doors: the estimators; `choice`, which finds an estimator by name or for some rows. What they share while they train is in
`training`, wrappers for many classes in `multiclass`, the Gaussians of Anderson's task in `gaussians`.
"""
