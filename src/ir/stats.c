#include "ir/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Costs by opcode; one of these for every function, made once. */
typedef struct costs {
    fl_cost ops[FL_OPCODE_COUNT];
} costs;

typedef struct counter {
    const fl_program *program;
    costs **functions; /* by index; NULL: not counted yet */
    fl_program_stats *stats;
} counter;

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static const fl_type *operand_type(const counter *c, const fl_op *op, uint32_t i)
{
    return fl_type_of(c->program, op->operands[i]);
}

static uint64_t elements(const fl_type *type)
{
    return type->kind == FL_TYPE_TENSOR ? (uint64_t)fl_type_elements(type) : 0;
}

static uint64_t bytes_of(const fl_type *type)
{
    return type->kind == FL_TYPE_TENSOR ? fl_type_bytes(type) : 0;
}

/* ---- arithmetic of one operation ---- */

/* Of a region whose values are scalars, per call; of any other, all it does. Control flow inside counts as it does outside. */
static fl_status count_block(counter *c, const fl_block *block, costs *out);

static uint64_t total_flops(const costs *costs)
{
    uint64_t sum = 0;
    for (int code = 0; code < FL_OPCODE_COUNT; code++) sum = add(sum, costs->ops[code].flops);
    return sum;
}

static fl_status region_flops(counter *c, const fl_op *op, uint32_t region, uint64_t *out)
{
    *out = 0;
    if (region >= op->region_count) return NULL;
    costs *inner = calloc(1, sizeof *inner);
    FL_CHECK(inner, FL_OOM, "out of host memory");
    fl_status status = count_block(c, op->regions[region], inner);
    *out = total_flops(inner);
    free(inner);
    return status;
}

/* Real operations for one of this kind; complex numbers take more. */
static uint64_t flops_per_element(const counter *c, const fl_op *op)
{
    int is_complex = op->operand_count && fl_is_complex((fl_dtype)operand_type(c, op, 0)->dtype);
    switch (op->code) {
    case FL_OP_convert:
    case FL_OP_real:
    case FL_OP_imag:
    case FL_OP_complex: return 0;
    case FL_OP_multiply:
    case FL_OP_broadcast_multiply: return is_complex ? 6 : 1;
    case FL_OP_divide:
    case FL_OP_broadcast_divide: return is_complex ? 11 : 1;
    default: return is_complex ? 2 : 1;
    }
}

static uint64_t window(const fl_op *op, fl_attr_key key)
{
    uint32_t n;
    const int64_t *dims = fl_op_ints(op, key, &n);
    uint64_t product = 1;
    for (uint32_t i = 0; i < n; i++) product = times(product, (uint64_t)dims[i]);
    return product;
}

static uint64_t product_factor(const counter *c, const fl_op *op)
{
    return fl_is_complex((fl_dtype)operand_type(c, op, 0)->dtype) ? 8
                                                                  : 2; /* a multiplication and an addition */
}

/* dot_general, dot: 2 x result elements x contracted length, which follows from lhs x rhs = batch x result x length^2. */
static uint64_t dot_flops(const counter *c, const fl_op *op, const fl_type *result)
{
    const fl_type *lhs = operand_type(c, op, 0);
    uint32_t n;
    const int64_t *dims = fl_op_ints(op, FL_ATTR_lhs_contracting_dimensions, &n);
    uint64_t length = 1;
    if (op->code == FL_OP_dot) length = lhs->rank ? (uint64_t)lhs->dims[lhs->rank - 1] : 1;
    for (uint32_t i = 0; op->code != FL_OP_dot && i < n; i++)
        length = times(length, (uint64_t)lhs->dims[dims[i]]);
    return times(times(product_factor(c, op), elements(result)), length);
}

/* 2 x result elements x kernel elements for one output feature. */
static uint64_t convolution_flops(const counter *c, const fl_op *op, const fl_type *result)
{
    const fl_type *kernel = operand_type(c, op, 1);
    int64_t out = fl_op_int(op, FL_ATTR_kernel_output_feature_dimension, 0);
    uint64_t features = (uint64_t)kernel->dims[out];
    if (!features) return 0;
    return times(times(product_factor(c, op), elements(result)), elements(kernel) / features);
}

/* 5 n log2 n for each transform of n elements. */
static uint64_t fft_flops(const counter *c, const fl_op *op, const fl_type *result)
{
    uint64_t n = window(op, FL_ATTR_fft_length), all = elements(result),
             other = elements(operand_type(c, op, 0));
    if (other > all) all = other; /* the side that has whole lines */
    if (n < 2) return 0;
    return (uint64_t)fmin(5.0 * (double)all * log2((double)n), 1.8e19);
}

static uint64_t linalg_flops(const counter *c, const fl_op *op, const fl_type *result)
{
    const fl_type *a = operand_type(c, op, 0);
    uint64_t n = (uint64_t)a->dims[a->rank - 1];
    uint64_t per_element = op->code == FL_OP_cholesky ? n / 3 : n; /* n^3 / 3; n^2 a right-hand side */
    return times(times(product_factor(c, op) / 2, elements(result)), per_element);
}

static uint64_t einsum_flops(const counter *c, const fl_op *op)
{
    uint64_t seen = 1;
    if (op->code == FL_OP_unary_einsum) return elements(operand_type(c, op, 0));
    const char *text = fl_op_string(op, FL_ATTR_einsum_config);
    int64_t extents[256] = {0};
    for (uint32_t k = 0, d = 0; text && *text && *text != '-' && k < 2; text++) { /* every letter once */
        const fl_type *type = operand_type(c, op, k);
        if (*text == ',')
            k++, d = 0;
        else if (d < type->rank)
            extents[(unsigned char)*text] = type->dims[d++];
    }
    for (int i = 0; i < 256; i++)
        if (extents[i]) seen = times(seen, (uint64_t)extents[i]);
    return times(product_factor(c, op), seen);
}

/* Operations that apply a region to elements. */
static fl_status applied_flops(counter *c, const fl_op *op, const fl_type *result, uint64_t *out)
{
    uint64_t body, second = 0, calls = 0, n = op->operand_count ? elements(operand_type(c, op, 0)) : 0;
    FL_TRY(region_flops(c, op, 0, &body));
    switch (op->code) {
    case FL_OP_map: calls = elements(result); break;
    case FL_OP_reduce: calls = n > elements(result) ? n - elements(result) : 0; break;
    case FL_OP_scan:
    case FL_OP_all_reduce:
    case FL_OP_reduce_scatter:
    case FL_OP_collective_reduce: calls = n; break;
    case FL_OP_reduce_window:
        calls = times(elements(result), window(op, FL_ATTR_window_dimensions) - 1);
        break;
    case FL_OP_scatter: /* inputs, indices, updates: the first update stands behind the indices */
        calls = elements(operand_type(c, op, op->operand_count / 2u + 1u));
        break;
    case FL_OP_sort: {
        const fl_type *t = operand_type(c, op, 0);
        int64_t dim = fl_op_int(op, FL_ATTR_dimension, -1);
        uint64_t length = t->rank ? (uint64_t)t->dims[dim < 0 ? dim + t->rank : dim] : 1;
        calls = length < 2 ? 0 : (uint64_t)fmin((double)n * log2((double)length), 1.8e19);
        break;
    }
    case FL_OP_select_and_scatter: {
        uint64_t windows = elements(operand_type(c, op, 1));
        FL_TRY(region_flops(c, op, 1, &second));
        calls = times(windows, window(op, FL_ATTR_window_dimensions) - 1);
        second = times(windows, second);
        break;
    }
    default: break;
    }
    *out = add(times(calls, body), second);
    return NULL;
}

static fl_status flops_of(counter *c, const fl_op *op, uint64_t *out)
{
    const fl_type *result = op->result_count ? fl_type_of(c->program, op->first_result) : NULL;
    *out = 0;
    if (!result) return NULL;
    switch (op->code) {
    case FL_OP_dot:
    case FL_OP_dot_general: *out = dot_flops(c, op, result); break;
    case FL_OP_convolution:
    case FL_OP_dynamic_conv: *out = convolution_flops(c, op, result); break;
    case FL_OP_ragged_dot: { /* every row meets one group of the right side */
        const fl_type *lhs = operand_type(c, op, 0);
        *out = times(times(product_factor(c, op), elements(result)),
                     lhs->rank ? (uint64_t)lhs->dims[lhs->rank - 1] : 1);
        break;
    }
    case FL_OP_einsum:
    case FL_OP_unary_einsum: *out = einsum_flops(c, op); break;
    case FL_OP_fft: *out = fft_flops(c, op, result); break;
    case FL_OP_cholesky:
    case FL_OP_triangular_solve: *out = linalg_flops(c, op, result); break;
    case FL_OP_batch_norm_inference: *out = times(4, elements(result)); break;
    case FL_OP_batch_norm_training: *out = times(8, elements(result)); break;
    case FL_OP_batch_norm_grad: *out = times(12, elements(result)); break;
    case FL_OP_rng:
    case FL_OP_rng_bit_generator: *out = 0; break;
    default:
        if (fl_op_infos[op->code].traits & FL_TRAIT_R) return applied_flops(c, op, result, out);
        if (fl_op_infos[op->code].traits & FL_TRAIT_E ||
            !strncmp(fl_op_infos[op->code].name, "broadcast_", 10))
            *out = op->code == FL_OP_broadcast_in_dim ? 0 : times(flops_per_element(c, op), elements(result));
    }
    return NULL;
}

/* ---- operations, blocks, functions ---- */

static int is_free(const fl_op *op)
{
    switch (op->code) {
    case FL_OP_constant:
    case FL_OP_reshape:
    case FL_OP_optimization_barrier:
    case FL_OP_tuple:
    case FL_OP_get_tuple_element:
    case FL_OP_get_dimension_size:
    case FL_OP_after_all:
    case FL_OP_create_token:
    case FL_OP_propagation_barrier:
    case FL_OP_sharding_group: return 1;
    default: return fl_op_places(op);
    }
}

static int is_open(const fl_type *type)
{
    return type->kind == FL_TYPE_UNRANKED || (type->kind == FL_TYPE_TENSOR && !fl_type_is_static(type));
}

static int has_open_types(const counter *c, const fl_op *op)
{
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (is_open(operand_type(c, op, i))) return 1;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (is_open(fl_type_of(c->program, op->first_result + i))) return 1;
    return 0;
}

static uint64_t bytes_moved(const counter *c, const fl_op *op)
{
    uint64_t bytes = 0;
    if (is_free(op)) return 0;
    for (uint32_t i = 0; i < op->operand_count; i++) bytes = add(bytes, bytes_of(operand_type(c, op, i)));
    for (uint32_t i = 0; i < op->result_count; i++)
        bytes = add(bytes, bytes_of(fl_type_of(c->program, op->first_result + i)));
    return bytes;
}

static void add_costs(costs *to, const costs *from)
{
    for (int code = 0; code < FL_OPCODE_COUNT; code++) {
        to->ops[code].flops = add(to->ops[code].flops, from->ops[code].flops);
        to->ops[code].bytes = add(to->ops[code].bytes, from->ops[code].bytes);
    }
}

static fl_status count_function(counter *c, const char *name, costs *out)
{
    const fl_program *p = c->program;
    for (uint32_t i = 0; name && i < p->func_count; i++) {
        if (strcmp(p->funcs[i]->name, name)) continue;
        if (!c->functions[i]) { /* calls are not recursive: the verifier has looked */
            costs *made = calloc(1, sizeof *made);
            FL_CHECK(made, FL_OOM, "out of host memory");
            c->functions[i] = made;
            FL_TRY(count_block(c, p->funcs[i]->body, made));
        }
        add_costs(out, c->functions[i]);
    }
    return NULL;
}

/* The dearest branch of `if` and `case`. */
static fl_status count_branches(counter *c, const fl_op *op, costs *out)
{
    costs *best = calloc(2, sizeof *best), *branch = best + 1;
    FL_CHECK(best, FL_OOM, "out of host memory");
    fl_status status = NULL;
    for (uint32_t i = 0; !status && i < op->region_count; i++) {
        memset(branch, 0, sizeof *branch);
        status = count_block(c, op->regions[i], branch);
        if (!i || total_flops(branch) > total_flops(best)) *best = *branch;
    }
    add_costs(out, best);
    free(best);
    return status;
}

static fl_status count_op(counter *c, const fl_op *op, costs *out)
{
    fl_cost *cost = &out->ops[op->code];
    uint64_t flops;
    switch (op->code) {
    case FL_OP_while:
    case FL_OP_manual_computation:
    case FL_OP_named_computation:
    case FL_OP_async_start:
        for (uint32_t i = 0; i < op->region_count; i++) FL_TRY(count_block(c, op->regions[i], out));
        return NULL;
    case FL_OP_if:
    case FL_OP_case: return count_branches(c, op, out);
    case FL_OP_func_call: return count_function(c, fl_op_string(op, FL_ATTR_callee), out);
    case FL_OP_composite: return count_function(c, fl_op_string(op, FL_ATTR_decomposition), out);
    default: break;
    }
    if (has_open_types(c, op)) return NULL;
    FL_TRY(flops_of(c, op, &flops));
    cost->flops = add(cost->flops, flops);
    cost->bytes = add(cost->bytes, bytes_moved(c, op));
    return NULL;
}

static fl_status count_block(counter *c, const fl_block *block, costs *out)
{
    for (uint32_t i = 0; i < block->op_count; i++) FL_TRY(count_op(c, block->ops[i], out));
    return NULL;
}

/* What stands in the module, whether it runs or not. */
static void count_text(counter *c, const fl_block *block)
{
    fl_program_stats *s = c->stats;
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        const fl_attr *value = op->code == FL_OP_constant ? fl_op_attr(op, FL_ATTR_value) : NULL;
        s->ops[op->code].count++;
        s->total.count++;
        s->loops += op->code == FL_OP_while;
        s->unknown += has_open_types(c, op);
        if (value) s->constant_bytes = add(s->constant_bytes, value->count);
        for (uint32_t r = 0; r < op->region_count; r++) count_text(c, op->regions[r]);
    }
}

static fl_status count_entry(counter *c)
{
    const fl_program *p = c->program;
    fl_program_stats *s = c->stats;
    costs *entry = calloc(1, sizeof *entry);
    FL_CHECK(entry, FL_OOM, "out of host memory");
    fl_status status = count_block(c, p->main, entry);
    for (int code = 0; code < FL_OPCODE_COUNT; code++) {
        s->ops[code].flops = entry->ops[code].flops;
        s->ops[code].bytes = entry->ops[code].bytes;
        s->total.flops = add(s->total.flops, entry->ops[code].flops);
        s->total.bytes = add(s->total.bytes, entry->ops[code].bytes);
    }
    free(entry);
    return status;
}

fl_status fl_program_count(const fl_program *p, fl_program_stats *out)
{
    memset(out, 0, sizeof *out);
    counter c = {p, calloc(p->func_count + 1u, sizeof *c.functions), out};
    FL_CHECK(c.functions, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < p->func_count; i++) count_text(&c, p->funcs[i]->body);
    for (uint32_t i = 0; i < p->main->arg_count; i++) {
        const fl_type *type = fl_type_of(p, p->main->first_arg + i);
        if (!is_open(type)) out->input_bytes = add(out->input_bytes, bytes_of(type));
    }
    for (uint32_t i = 0; i < p->main->result_count; i++) {
        const fl_type *type = fl_type_of(p, p->main->results[i]);
        if (!is_open(type)) out->output_bytes = add(out->output_bytes, bytes_of(type));
    }
    fl_status status = count_entry(&c);
    for (uint32_t i = 0; i < p->func_count; i++) free(c.functions[i]);
    free(c.functions);
    return status;
}

fl_status fl_op_flops(const fl_program *program, const fl_op *op, uint64_t *out)
{
    counter c = {.program = program};
    return flops_of(&c, op, out);
}
