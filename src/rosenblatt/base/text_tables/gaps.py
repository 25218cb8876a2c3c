"""Missing values of tables: the cells that stand for them, and what to do about them."""

from rosenblatt.errors.remedy import Remedy

MISSING_CELLS = ["", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?"]
GAP_LIKE = {  # cells of a column of numbers that are no gaps, but are often meant so; in small letters
    *("-", "--", "---", ".", "..", "*", "x", "\\n", "na", "n.a.", "n/a", "n.d.", "nd", "#n/a", "#na", "<na>", "-nan"),
    *("nil", "none", "null", "missing", "unknown", "not available", "#value!", "#div/0!", "(null)", "(missing)"),
}
MISSING_LABEL = "a label was expected, but it is missing"
LEAVE_OUT = Remedy("{missing} leaves out the rows with gaps.", missing="drop")  # labels are not filled
LEAVE_OUT_OR_FILL = Remedy(
    "{missing} leaves out the rows with gaps; instead of drop, mean, most_frequent, level or a number fills them.",
    "{missing} leaves out the rows with gaps; instead of drop, mean, most-frequent, level or a number fills them.",
    missing="drop",
)
