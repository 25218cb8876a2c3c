"""Missing values of tables: the cells that stand for them, and what to do about them."""

from rosenblatt.errors.remedy import Remedy

MISSING_CELLS = ["", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?"]
MISSING_LABEL = "a label was expected, but it is missing"
LEAVE_OUT = Remedy("{missing} leaves out the rows with gaps.", missing="drop")  # labels are not filled
LEAVE_OUT_OR_FILL = Remedy(
    "{missing} leaves out the rows with gaps; instead of drop, mean, most_frequent, level or a number fills them.",
    missing="drop",
)
