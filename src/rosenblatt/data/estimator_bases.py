"""The base classes of estimators: scikit-learn's.

scikit-learn has no types. mypy takes its classes for Any, and accepts every attribute of a class that inherits from
them, misspelt ones too. So mypy is given declarations of these classes. Python and other checkers use scikit-learn's.
"""

MYPY = False  # mypy takes a variable of this name for True

if MYPY:
    from rosenblatt.data.declared_bases import BaseEstimator as BaseEstimator
    from rosenblatt.data.declared_bases import ClassifierMixin as ClassifierMixin
    from rosenblatt.data.declared_bases import MetaEstimatorMixin as MetaEstimatorMixin
    from rosenblatt.data.declared_bases import OneToOneFeatureMixin as OneToOneFeatureMixin
    from rosenblatt.data.declared_bases import TransformerMixin as TransformerMixin
else:
    from sklearn.base import BaseEstimator as BaseEstimator
    from sklearn.base import ClassifierMixin as ClassifierMixin
    from sklearn.base import MetaEstimatorMixin as MetaEstimatorMixin
    from sklearn.base import OneToOneFeatureMixin as OneToOneFeatureMixin
    from sklearn.base import TransformerMixin as TransformerMixin
