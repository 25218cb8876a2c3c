"""The update rules of the lectures, compiled: each function processes given rows in a given order.

`binary` and `multiclass` hold the same rules under the same names, for two classes and for more. Each rule is written
once, on top of the row primitives of `data/compiled/rows.py`, and works for dense and sparse rows. A rule never
validates, prints, draws random numbers or raises. It is called the same way for one row (`order=[i]`) and for a pass.
`predict_first` holds rules that predict each row before they learn from it, and `one_row` the quickest way to use a
rule for a row that comes alone.

Every compiled function opens with the same block. A line that would be empty is left out:

Rule       the formula
Given      what the function reads
Changes    the arrays that it writes to
Returns    its result
Guarantee  what can be proved of it, with the assumptions
See        where the rule is published, or the code that it relies on

Symbols
-------
x_i     row i; it ends with the constant `bias`, which is not stored
y_i     the label of row i: -1 or +1; with more than two classes 0, 1, ... k-1
w       the weights, the bias weight last; with more than two classes W, one row per class
order   the numbers of the rows to process, in this order
weight  one number per row, which multiplies its step
rate    the learning rate, one per class
margin  a row is a mistake unless y_i w.x_i exceeds this number (0: the perceptron)
tie     the sign given to a score of 0: +1, -1, or 0 if a tie is always a mistake; with more than two classes +1 gives
        a tie to the later class, -1 to the earlier class, and 0 to a wrong class
"""
