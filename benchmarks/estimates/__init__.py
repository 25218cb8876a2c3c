"""Which estimates are infinite: `rosenblatt.estimates` beside other programs that detect separation.

`python -m benchmarks.estimates accuracy` counts right and wrong answers on random tables, `... time` measures,
`... classical` prints what statsmodels and firthmodels answer for small published tables, and `... published --data
FOLDER` prints our answers for larger published data beside what was published about them.
"""
