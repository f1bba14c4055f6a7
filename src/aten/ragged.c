/* Products whose rows come in groups, and the barrier of optimizations: TorchTPU's own operators. */
#include "aten/shapes.h"
#include "aten/table.h"
#include "ir/ragged.h"

static int need_rank(fl_builder *b, fl_ref x, int rank, const char *name)
{
    if (fl_ok(b) && fl_rank(b, x) != rank)
        fl_builder_fail(b, fl_error(FL_INVALID, "expected %s to be %dD, got %dD", name, rank, fl_rank(b, x)));
    return fl_ok(b);
}

/* The numbers of rows, as devices want them. */
static fl_ref group_sizes(fl_builder *b, int i)
{
    fl_ref sizes = fl_in(b, i);
    if (!need_rank(b, sizes, 1, "group_sizes")) return FL_NO_REF;
    const fl_dtype dtype = fl_dtypeof(b, sizes);
    if (!fl_is_int(dtype)) {
        fl_builder_fail(
            b, fl_error(FL_INVALID, "expected group_sizes of integers, got %s", fl_dtype_name(dtype)));
        return FL_NO_REF;
    }
    return dtype == FL_I32 ? sizes : fl_cast(b, sizes, FL_I64);
}

/* Both sides in the type that PyTorch promotes them to. */
static fl_dtype promote(fl_builder *b, fl_ref *lhs, fl_ref *rhs)
{
    static const int both[] = {0, 1};
    const fl_dtype dtype = fl_promote_args(b, both, 2);
    *lhs = fl_cast(b, *lhs, dtype);
    *rhs = fl_cast(b, *rhs, dtype);
    return dtype;
}

/* lhs [m, k], rhs [g, k, n], group_sizes [g] -> [m, n] */
FL_LOWER(ragged_dot)
{
    fl_ref lhs = fl_in(b, 0), rhs = fl_in(b, 1), sizes = group_sizes(b, 2);
    if (!need_rank(b, lhs, 2, "lhs") || !need_rank(b, rhs, 3, "rhs")) return;
    FL_REQUIRE(b, fl_dim(b, lhs, 1) == fl_dim(b, rhs, 1), FL_INVALID,
               "expected contracting dimensions to be the same, got %lld and %lld",
               (long long)fl_dim(b, lhs, 1), (long long)fl_dim(b, rhs, 1));
    FL_REQUIRE(b, fl_dim(b, rhs, 0) == fl_dim(b, sizes, 0), FL_INVALID,
               "expected as many matrices in rhs as there are group_sizes, got %lld and %lld",
               (long long)fl_dim(b, rhs, 0), (long long)fl_dim(b, sizes, 0));
    const fl_dtype dtype = promote(b, &lhs, &rhs);
    fl_emit(b, fl_ragged_rows(b, lhs, rhs, sizes, dtype));
}

/* lhs [m, k], grad_output [m, n], group_sizes [g] -> [g, k, n] */
FL_LOWER(ragged_dot_weight_grad)
{
    fl_ref lhs = fl_in(b, 0), dy = fl_in(b, 1), sizes = group_sizes(b, 2);
    if (!need_rank(b, lhs, 2, "lhs") || !need_rank(b, dy, 2, "grad_output")) return;
    FL_REQUIRE(b, fl_dim(b, lhs, 0) == fl_dim(b, dy, 0), FL_INVALID,
               "expected lhs and grad_output to have equally many rows, got %lld and %lld",
               (long long)fl_dim(b, lhs, 0), (long long)fl_dim(b, dy, 0));
    const fl_dtype dtype = promote(b, &lhs, &dy);
    fl_emit(b, fl_ragged_sums(b, lhs, dy, sizes, dtype));
}

/* optimization_barrier(Tensor[] inputs) -> Tensor[] */
FL_LOWER(optimization_barrier)
{
    const uint32_t n = fl_list_count(b, 0);
    fl_ref *inputs = FL_NEW_ARRAY(&b->program->arena, fl_ref, n + 1u);
    FL_REQUIRE(b, inputs, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < n; i++) inputs[i] = fl_list_in(b, 0, i);
    if (!n || !fl_ok(b)) return;
    const fl_ref first = fl_build(b, FL_OP_optimization_barrier, inputs, n, NULL, 0, NULL, 0);
    for (uint32_t i = 0; i < n && fl_ok(b); i++) fl_emit(b, first + i);
}
