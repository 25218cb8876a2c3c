"""What people have instead of X and y: formulas, models of statsmodels, pipelines of scikit-learn.

The door is `recognise.regression_of`. The others read one kind each, and all give a `Regression`.
"""
