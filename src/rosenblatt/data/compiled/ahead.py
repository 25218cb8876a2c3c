"""Rows that are presented soon are asked from memory ahead, so that a pass in random order waits less for each.

A processor fetches rows in their order by itself. In another order each row is a new place in memory, with a wait of
about 100 ns for each line of 64 bytes. A rule that goes through an order asks for the rows that come soon:

    scattered = are_scattered(order)
    for t in range(len(order)):
        if scattered and t % TOGETHER == 0:
            fetch(rows, order, t)

Compiled, `fetch` asks for the lines of some rows; it changes nothing, and as Python it does nothing. It is called for
several rows at a time, because numba counts references to arrays around the call.
"""

from typing import Any

import numpy as np

from rosenblatt.data.compiled.jit import helper, register

AHEAD = 8  # rows between the one that is presented and the first that is asked for
TOGETHER = 4  # rows that are asked for at a time
SEEN = 32  # rows of an order by which it is judged
LINE = 64  # bytes that memory gives at a time
MAX_LINES = 64  # of a row that are asked for; the processor sees by itself that a longer row goes on


@helper
def are_scattered(order):
    """Do many rows not follow the row before?  The first ones are looked at."""
    breaks, seen = 0, min(order.size, SEEN)
    for t in range(1, seen):
        breaks += order[t] != order[t - 1] + 1
    return 2 * breaks > seen


def fetch(rows, order, t):
    """Ask memory for the TOGETHER rows that are presented from place t + AHEAD on."""


def prefetch(array, place):
    """Ask for the line of memory with one number of an array, which is given by its place in memory order."""


@register
def _compiled_fetch(extending: Any) -> None:
    """Tell numba how to compile `fetch`."""
    from llvmlite import ir
    from numba import types

    @extending.intrinsic
    def prefetch_line(typing_context: Any, array: Any, place: Any) -> Any:  # noqa: ARG001
        """Compile `prefetch`."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = signature.args[0]
            data = context.make_array(kind)(context, builder, arguments[0]).data
            at = builder.gep(data, [arguments[1]], source_etype=context.get_data_type(kind.dtype))
            at = builder.bitcast(at, ir.IntType(8).as_pointer())
            i32 = ir.IntType(32)
            name = "llvm.prefetch.p0"
            made = builder.module.globals.get(name) or ir.Function(
                builder.module, ir.FunctionType(ir.VoidType(), [at.type, i32, i32, i32]), name
            )
            builder.call(made, [at, i32(0), i32(3), i32(1)])  # to read, soon again, data
            return context.get_dummy_value()

        return types.none(array, types.uint64), generate

    def dense(rows, order, t):
        d = np.uint64(rows.X.shape[1])
        step = np.uint64(LINE // rows.X.itemsize)
        for s in range(t + AHEAD, min(t + AHEAD + TOGETHER, order.size)):
            i = order[s]
            if i != order[s - 1] + 1:
                start = np.uint64(i) * d
                for k in range(start, start + min(d, step * np.uint64(MAX_LINES)), step):
                    prefetch(rows.X, k)

    def sparse(rows, order, t):
        data_step, index_step = np.uint64(LINE // rows.data.itemsize), np.uint64(LINE // rows.indices.itemsize)
        for s in range(t + AHEAD, min(t + AHEAD + TOGETHER, order.size)):
            i = order[s]
            if i != order[s - 1] + 1:
                if s + AHEAD < order.size:
                    prefetch(rows.indptr, np.uint64(order[s + AHEAD]))
                start, stop = np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])
                for k in range(start, min(stop, start + data_step * np.uint64(MAX_LINES)), data_step):
                    prefetch(rows.data, k)
                for k in range(start, min(stop, start + index_step * np.uint64(MAX_LINES)), index_step):
                    prefetch(rows.indices, k)

    @extending.overload(prefetch, strict=False)
    def ask(array: Any, place: Any) -> Any:  # noqa: ARG001
        return lambda array, place: prefetch_line(array, place)

    @extending.overload(fetch, strict=False)
    def choose(rows: Any, order: Any, t: Any) -> Any:  # noqa: ARG001
        return dense if hasattr(rows, "instance_class") and rows.instance_class.__name__ == "Dense" else sparse
