"""Sums of products in a fixed order that processors add quickly: eight sums side by side, the lanes.

Term j is added to lane j mod 8, and each lane begins with 0. Then lanes 4 to 7 are added to lanes 0 to 3, of these
lanes 2 and 3 to lanes 0 and 1, and of these lane 1 to lane 0. Compiled code adds eight lanes with one or two
instructions. The order is written down, so compiled and interpreted code give the same bits, on every processor. No
product is fused with a sum.
"""

from typing import Any

import numpy as np

from rosenblatt.data.compiled.jit import helper, register

LANES = 8


def lane_sums(x, w):
    """Compute the sum of x_j w_j, and of |x_j w_j|, over the numbers of x; w may be longer."""
    n = x.size
    terms = np.zeros((-(-n // LANES), LANES))
    np.multiply(x, w[:n], out=terms.reshape(-1)[:n], dtype=np.float64)
    return _folded(terms), _folded(np.abs(terms))


def two_lane_sums(x, u, v):
    """Compute the sums of x_j u_j and of x_j v_j; compiled, x is read once for both."""
    return lane_sums(x, u)[0], lane_sums(x, v)[0]


@helper
def _strided_lane_sums(x, w):
    """Compute what `lane_sums` does, compiled for arrays whose numbers do not lie side by side."""
    total, size = np.zeros(LANES), np.zeros(LANES)
    for j in range(x.size):
        p = np.float64(x[j]) * w[j]
        total[j % LANES] += p
        size[j % LANES] += abs(p)
    width = LANES // 2
    while width:
        for k in range(width):
            total[k] += total[k + width]
            size[k] += size[k + width]
        width //= 2
    return total[0], size[0]


def _folded(terms):
    lanes = np.add.reduce(terms, axis=0, initial=0.0)
    width = LANES // 2
    while width:
        lanes = lanes[:width] + lanes[width : 2 * width]
        width //= 2
    return lanes[0]


@register
def _compiled_lane_sums(extending: Any) -> None:
    """Tell numba how to compile `lane_sums`: a loop over vectors of eight numbers, with a mask for the last."""
    from llvmlite import ir
    from numba import types

    double, i64, i32 = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
    vector, mask_type = ir.VectorType(double, LANES), ir.VectorType(ir.IntType(1), LANES)
    zeros = ir.Constant(vector, [0.0] * LANES)

    def declared(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
        known = builder.module.globals.get(name)
        return known or ir.Function(builder.module, ir.FunctionType(result, arguments), name)

    def absolute(builder: Any, terms: Any) -> Any:
        return builder.call(declared(builder, f"llvm.fabs.v{LANES}f64", vector, [vector]), [terms])

    def folded(builder: Any, lanes: Any) -> Any:
        width = LANES // 2
        while width:
            halves = [
                builder.shuffle_vector(
                    lanes, lanes, ir.Constant(ir.VectorType(i32, width), list(range(at, at + width)))
                )
                for at in (0, width)
            ]
            lanes, width = builder.fadd(*halves), width // 2
        return builder.extract_element(lanes, i32(0))

    class Numbers:
        """The numbers of an array, as vectors of doubles."""

        def __init__(self, context: Any, builder: Any, kind: Any, array: Any) -> None:
            self.builder, self.data = builder, context.make_array(kind)(context, builder, array).data
            self.bytes = kind.dtype.bitwidth // 8
            self.element = double if self.bytes == 8 else ir.FloatType()
            self.vector = ir.VectorType(self.element, LANES)

        def whole(self, at: Any) -> Any:
            place = self.builder.gep(self.data, [at], source_etype=self.element)
            return self._as_double(self.builder.load(place, align=self.bytes, typ=self.vector))

        def masked(self, at: Any, mask: Any) -> Any:
            """Numbers beyond the end are not read; zeros stand for them."""
            place = self.builder.gep(self.data, [at], source_etype=self.element)
            name = f"llvm.masked.load.v{LANES}f{8 * self.bytes}.p0"
            load = declared(self.builder, name, self.vector, [place.type, i32, mask_type, self.vector])
            nothing = ir.Constant(self.vector, [0.0] * LANES)
            return self._as_double(self.builder.call(load, [place, i32(self.bytes), mask, nothing]))

        def _as_double(self, numbers: Any) -> Any:
            return numbers if self.bytes == 8 else self.builder.fpext(numbers, vector)

    def sums_of(weights: int, *, sizes: bool) -> Any:
        """Make the code for x and some arrays of weights: the sum of products with each, and their sizes if asked."""

        def terms_of(builder: Any, x: Any, ws: list[Any]) -> list[Any]:
            terms = [builder.fmul(x, w) for w in ws]
            return [*terms, *(absolute(builder, each) for each in terms)] if sizes else terms

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            x, *ws = (Numbers(context, builder, *given) for given in zip(signature.args, arguments, strict=True))
            n = context.make_array(signature.args[0])(context, builder, arguments[0]).nitems
            end = builder.and_(n, i64(-LANES))
            before = builder.block
            head, body, after = (builder.append_basic_block(f"lanes.{name}") for name in ("head", "body", "after"))
            builder.branch(head)
            builder.position_at_end(head)
            at, *lanes = builder.phi(i64), *(builder.phi(vector) for _ in range(weights * (1 + sizes)))
            at.add_incoming(i64(0), before)
            for lane in lanes:
                lane.add_incoming(zeros, before)
            builder.cbranch(builder.icmp_unsigned("<", at, end), body, after)
            builder.position_at_end(body)
            terms = terms_of(builder, x.whole(at), [w.whole(at) for w in ws])
            at.add_incoming(builder.add(at, i64(LANES)), body)
            for lane, term in zip(lanes, terms, strict=True):
                lane.add_incoming(builder.fadd(lane, term), body)
            builder.branch(head)
            builder.position_at_end(after)
            mask = first(builder, builder.sub(n, end))
            terms = terms_of(builder, x.masked(end, mask), [w.masked(end, mask) for w in ws])
            sums = [folded(builder, builder.fadd(*pair)) for pair in zip(lanes, terms, strict=True)]
            return context.make_tuple(builder, signature.return_type, sums)

        return generate

    def first(builder: Any, count: Any) -> Any:
        """A mask of the first lanes."""
        numbers = ir.VectorType(i64, LANES)
        one = builder.insert_element(ir.Constant(numbers, ir.Undefined), count, i32(0))
        counts = builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(i32, LANES), [0] * LANES))
        return builder.icmp_unsigned("<", ir.Constant(numbers, list(range(LANES))), counts)

    pair = types.UniTuple(types.float64, 2)

    @extending.intrinsic
    def sum_and_size(typing_context: Any, x: Any, w: Any) -> Any:  # noqa: ARG001
        return pair(x, w), sums_of(1, sizes=True)

    @extending.intrinsic
    def two_sums(typing_context: Any, x: Any, u: Any, v: Any) -> Any:  # noqa: ARG001
        return pair(x, u, v), sums_of(2, sizes=False)

    @extending.overload(lane_sums, strict=False)
    def choose(x: Any, w: Any) -> Any:
        side_by_side = x.layout == w.layout == "C"
        return (lambda x, w: sum_and_size(x, w)) if side_by_side else _strided_lane_sums

    @extending.overload(two_lane_sums, strict=False)
    def choose_two(x: Any, u: Any, v: Any) -> Any:
        if x.layout == u.layout == v.layout == "C":
            return lambda x, u, v: two_sums(x, u, v)
        return lambda x, u, v: (_strided_lane_sums(x, u)[0], _strided_lane_sums(x, v)[0])
