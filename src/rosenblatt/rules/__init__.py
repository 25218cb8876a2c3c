"""The rules of the lectures, compiled: "these rows in this order", and nothing else.

`binary` and `multiclass` hold the same rules under the same names, for two classes and for more. Each is written once,
over the row primitives of `rows`, for dense and sparse storage. A rule never validates, prints, draws random numbers
or raises, and is called the same way for one row (`order=[i]`) and for an epoch.

Symbols
-------
x_i     row i, ending with the constant `bias`, which is never stored
y_i     its label: -1 or +1; with more classes 0, 1, ... k-1
w       the weights, the bias weight last; with more classes W, one row a class
rate    the learning rate, one a class
margin  what y_i w.x_i must exceed (0: the perceptron)
tie     the sign given to a score of 0: +1, -1, or 0 for neither, so that a tie is always a mistake; with more classes
        +1 gives a tie to the later class, -1 to the earlier, 0 to whichever is wrong
"""
