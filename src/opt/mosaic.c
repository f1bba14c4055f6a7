/* A Mosaic kernel as StableHLO: the points of its grid one after another, or where they are many in a loop, which devices leave to
 * the reference interpreter. */
#include "opt/mosaic.h"

#include <string.h>

enum { MOST_UNROLLED = 256 };

/* ---- the grid ---- */

typedef struct window {
    int64_t sizes[FL_MAX_RANK];
    fl_slice_text transform; /* @function or affine_map<...>; empty: the whole array */
} window;

typedef struct grid {
    const fl_mosaic_op *kernel;
    const fl_mosaic_block *body;
    int64_t bounds[FL_MAX_RANK], points;
    uint32_t rank, prefetched, inputs, outputs, scratch;
    fl_ref operands[64]; /* prefetched ones, then inputs, padded to whole windows */
    window windows[64];  /* of inputs, then of outputs */
} grid;

static const fl_mosaic_op *find_function(const fl_mosaic_module *m, fl_slice_text name)
{
    for (const fl_mosaic_op *op = m->body.first; op; op = op->next) {
        const fl_mosaic_attr *a = fl_mosaic_attr_of(op, "sym_name");
        size_t n = (size_t)(name.end - name.at);
        if (a && (size_t)(a->value.end - a->value.at) == n + 2 && !memcmp(a->value.at + 1, name.at, n))
            return op;
    }
    return NULL;
}

static int skip(const char **at, const char *end, const char *text)
{
    size_t n = strlen(text);
    while (*at < end && **at == ' ') ++*at;
    if ((size_t)(end - *at) < n || memcmp(*at, text, n)) return 0;
    *at += n;
    return 1;
}

static int number(const char **at, const char *end, int64_t *out)
{
    while (*at < end && **at == ' ') ++*at;
    if (*at == end || **at < '0' || **at > '9') return 0;
    for (*out = 0; *at < end && **at >= '0' && **at <= '9' && *out < INT32_MAX; ++*at)
        *out = 10 * *out + (**at - '0');
    return *out <= INT32_MAX;
}

/* d0, 3, d1 floordiv 4, d2 * 2, d0 mod 8 */
static fl_status map_result(fl_kernel *k, const grid *g, const fl_ref *point, const char **at,
                            const char *end, fl_ref *out)
{
    int64_t n = 0;
    int dim = skip(at, end, "d");
    FL_CHECK(number(at, end, &n) && (!dim || n < g->rank), FL_UNSUPPORTED,
             "expected an affine map of dimensions and numbers");
    *out = dim ? point[n] : fl_scalar_i(k->b, FL_I32, n);
    for (;;) {
        fl_ref (*apply)(fl_builder *, fl_ref, fl_ref) = skip(at, end, "floordiv") ? fl_div
                                                        : skip(at, end, "mod")    ? fl_rem
                                                        : skip(at, end, "*")      ? fl_mul
                                                                                  : NULL;
        if (!apply) return NULL;
        FL_CHECK(number(at, end, &n) && n > 0, FL_UNSUPPORTED, "expected a number in an affine map");
        *out = apply(k->b, *out, fl_scalar_i(k->b, FL_I32, n));
    }
}

static fl_status map_block(fl_kernel *k, const grid *g, const fl_ref *point, fl_slice_text map,
                           uint32_t count, fl_ref *out)
{
    const char *at = map.at;
    while (at + 1 < map.end && !(at[0] == '-' && at[1] == '>')) at++;
    at += 2;
    FL_CHECK(at < map.end && skip(&at, map.end, "("), FL_INVALID, "expected an affine map");
    for (uint32_t i = 0; i < count; i++) {
        FL_TRY(map_result(k, g, point, &at, map.end, &out[i]));
        FL_CHECK(skip(&at, map.end, i + 1 < count ? "," : ")"), FL_UNSUPPORTED,
                 "expected an affine map of %u simple results", count);
    }
    return NULL;
}

/* The function sees the point and what was prefetched. */
static fl_status call_transform(fl_kernel *k, const grid *g, const fl_ref *point, fl_slice_text name,
                                uint32_t count, fl_ref *out)
{
    const fl_mosaic_op *end, *f = find_function(k->module, name);
    FL_CHECK(f && f->region_count == 1 && f->regions[0].arg_count == g->rank + g->prefetched, FL_INVALID,
             "expected a function %.*s of the grid", (int)(name.end - name.at), name.at);
    const fl_mosaic_block *body = &f->regions[0];
    for (uint32_t i = 0; i < body->arg_count; i++)
        k->values[body->first_arg + i] = i < g->rank ? point[i] : g->operands[i - g->rank];
    FL_TRY(fl_mosaic_block_build(k, body, &end));
    FL_CHECK(end && end->operand_count == count, FL_INVALID, "expected a function that returns %u indices",
             count);
    for (uint32_t i = 0; i < count; i++) out[i] = k->values[end->operands[i]];
    return NULL;
}

/* Where the window lies at this point of the grid; *whole: it is the whole array. */
static fl_status window_starts(fl_kernel *k, const grid *g, const fl_ref *point, const window *w,
                               const fl_type *array, fl_ref *starts, int *whole)
{
    *whole = 1;
    for (int d = 0; d < array->rank; d++) *whole &= w->sizes[d] == array->dims[d];
    if (*whole) return NULL;
    fl_slice_text t = w->transform;
    if (t.at < t.end && *t.at == '@')
        FL_TRY(call_transform(k, g, point, (fl_slice_text){t.at + 1, t.end}, array->rank, starts));
    else
        FL_TRY(map_block(k, g, point, t, array->rank, starts));
    for (int d = 0; d < array->rank; d++)
        if (w->sizes[d] != 1) {
            const int32_t *known = fl_kernel_constant(k, starts[d]);
            starts[d] = known ? fl_scalar_i(k->b, FL_I32, *known * w->sizes[d])
                              : fl_mul(k->b, starts[d], fl_scalar_i(k->b, FL_I32, w->sizes[d]));
        }
    return NULL;
}

static fl_ref slice_window(fl_kernel *k, fl_ref array, const fl_ref *starts, const window *w)
{
    int64_t start[FL_MAX_RANK], limit[FL_MAX_RANK];
    for (int d = 0; d < fl_rank(k->b, array); d++) {
        const int32_t *known = fl_kernel_constant(k, starts[d]);
        if (!known) return fl_dynamic_slice(k->b, array, starts, w->sizes);
        start[d] = *known;
        limit[d] = *known + w->sizes[d];
    }
    return fl_slice(k->b, array, start, limit, NULL);
}

/* One point. values: results, padded to whole windows, then scratch memory. */
static fl_status run_point(fl_kernel *k, const grid *g, const fl_ref *point, fl_ref *values)
{
    fl_ref starts[16][FL_MAX_RANK], unused[FL_MAX_RANK];
    int whole[16];
    const fl_mosaic_op *end;
    uint32_t arg = g->body->first_arg;
    for (uint32_t i = 0; i < g->rank; i++) k->values[arg++] = point[i];
    for (uint32_t i = 0; i < g->prefetched; i++) k->values[arg++] = g->operands[i];
    for (uint32_t i = 0; i < g->inputs; i++) {
        fl_ref x = g->operands[g->prefetched + i];
        int all;
        FL_TRY(window_starts(k, g, point, &g->windows[i], fl_typeof(k->b, x), unused, &all));
        k->values[arg++] = all ? x : slice_window(k, x, unused, &g->windows[i]);
    }
    uint32_t first = arg;
    for (uint32_t i = 0; i < g->outputs; i++) {
        const window *w = &g->windows[g->inputs + i];
        FL_TRY(window_starts(k, g, point, w, fl_typeof(k->b, values[i]), starts[i], &whole[i]));
        k->values[arg++] = whole[i] ? values[i] : slice_window(k, values[i], starts[i], w);
    }
    for (uint32_t i = 0; i < g->scratch; i++) k->values[arg++] = values[g->outputs + i];
    FL_TRY(fl_mosaic_block_build(k, g->body, &end));
    for (uint32_t i = 0; i < g->outputs; i++)
        values[i] = whole[i] ? k->values[first + i]
                             : fl_dynamic_update_slice(k->b, values[i], k->values[first + i], starts[i]);
    for (uint32_t i = 0; i < g->scratch; i++) values[g->outputs + i] = k->values[first + g->outputs + i];
    return NULL;
}

/* The last dimension of the grid varies fastest. */
static fl_status grid_body(fl_kernel *k, void *user, fl_ref counter, fl_ref *values)
{
    const grid *g = user;
    fl_ref point[FL_MAX_RANK];
    int64_t stride = 1;
    for (uint32_t d = g->rank; d-- > 0; stride *= g->bounds[d]) {
        fl_ref i = stride > 1 ? fl_div(k->b, counter, fl_scalar_i(k->b, FL_I32, stride)) : counter;
        point[d] = g->bounds[d] > 1 ? fl_rem(k->b, i, fl_scalar_i(k->b, FL_I32, g->bounds[d]))
                                    : fl_scalar_i(k->b, FL_I32, 0);
    }
    return run_point(k, g, point, values);
}

/* The indices are numbers then, and what depends on them is known. */
static fl_status unroll(fl_kernel *k, const grid *g, fl_ref *values)
{
    fl_ref point[FL_MAX_RANK];
    for (int64_t i = 0; i < g->points && fl_ok(k->b); i++) {
        int64_t rest = i;
        for (uint32_t d = g->rank; d-- > 0; rest /= g->bounds[d])
            point[d] = fl_scalar_i(k->b, FL_I32, rest % g->bounds[d]);
        FL_TRY(run_point(k, g, point, values));
    }
    return NULL;
}

/* ---- what the kernel says of itself ---- */

static const fl_mosaic_op *find_kernel(const fl_mosaic_module *m)
{
    const fl_mosaic_op *found = NULL;
    for (const fl_mosaic_op *op = m->body.first; op; op = op->next) {
        if (!fl_text_is(op->name, "func.func") || op->region_count != 1) continue;
        if (fl_mosaic_attr_of(op, "iteration_bounds")) return op;
        found = op;
    }
    return found;
}

static fl_status read_windows(fl_kernel *k, grid *g, fl_arena *arena)
{
    const fl_mosaic_attr *a = fl_mosaic_attr_of(g->kernel, "window_params");
    uint32_t count = g->inputs + g->outputs, arg = g->body->first_arg + g->rank + g->prefetched;
    const char *at = a ? a->value.at + 1 : NULL;
    for (uint32_t i = 0; i < count; i++) {
        window *w = &g->windows[i];
        memcpy(w->sizes, k->module->types[arg + i].dims, sizeof w->sizes);
        if (!a) continue;
        fl_mosaic_op entry = {0};
        while (at < a->value.end && *at != '{') at++;
        FL_TRY(fl_mosaic_dict(arena, &at, a->value.end, &entry));
        const fl_mosaic_attr *transform = fl_mosaic_attr_of(&entry, "transform_indices");
        if (transform) w->transform = transform->value;
    }
    return NULL;
}

static fl_status read_grid(fl_kernel *k, grid *g, const fl_op *op, fl_arena *arena)
{
    g->kernel = find_kernel(k->module);
    FL_CHECK(g->kernel, FL_INVALID, "expected a function");
    g->body = &g->kernel->regions[0];
    if (fl_mosaic_attr_of(g->kernel, "iteration_bounds"))
        FL_TRY(fl_mosaic_ints(g->kernel, "iteration_bounds", g->bounds, FL_MAX_RANK, &g->rank));
    g->points = 1;
    for (uint32_t i = 0; i < g->rank; i++)
        FL_CHECK(g->bounds[i] >= 0 && !__builtin_mul_overflow(g->points, g->bounds[i], &g->points) &&
                     g->points <= INT32_MAX,
                 FL_UNSUPPORTED, "expected a grid of at most 2^31-1 points");
    int64_t prefetched = fl_mosaic_int(g->kernel, "scalar_prefetch", 0),
            scratch = fl_mosaic_int(g->kernel, "scratch_operands", 0);
    FL_CHECK(op->operand_count <= 32 && op->result_count <= 16 && prefetched >= 0 &&
                 prefetched <= op->operand_count && scratch >= 0 && scratch <= 64,
             FL_UNSUPPORTED, "expected at most 32 operands, 16 results and 64 scratch memories");
    g->prefetched = (uint32_t)prefetched;
    g->scratch = (uint32_t)scratch;
    g->inputs = op->operand_count - g->prefetched;
    g->outputs = op->result_count;
    FL_CHECK(g->body->arg_count == g->rank + op->operand_count + op->result_count + g->scratch,
             FL_UNSUPPORTED,
             "expected an argument for each dimension of the grid, operand, result and scratch memory");
    const fl_literal *aliases = fl_op_literal(op, FL_ATTR_output_operand_aliases);
    FL_CHECK(!aliases || !aliases->count, FL_UNSUPPORTED, "results in the memory of operands");
    for (uint32_t i = 0; i < g->body->arg_count; i++) {
        const fl_type *t = &k->module->types[g->body->first_arg + i];
        int memory = t->kind == FL_TYPE_BUFFER;
        FL_CHECK(memory == (i >= g->rank) && (memory || (t->dtype == FL_I32 && !t->rank)), FL_UNSUPPORTED,
                 "expected indices of the grid, then memories");
    }
    return read_windows(k, g, arena);
}

/* The array that holds whole windows. */
static fl_status whole_windows(const fl_kernel *k, const grid *g, uint32_t i, const fl_type *type,
                               fl_type *out)
{
    const fl_type *m = &k->module->types[g->body->first_arg + g->rank + g->prefetched + i];
    FL_CHECK(m->rank == type->rank && m->dtype == type->dtype, FL_UNSUPPORTED,
             "expected windows of the rank and element type of their arrays");
    *out = fl_type_make((fl_dtype)type->dtype, type->rank, type->dims);
    for (int d = 0; d < type->rank; d++) {
        int64_t size = g->windows[i].sizes[d];
        FL_CHECK(size > 0, FL_UNSUPPORTED, "expected windows that are not empty");
        out->dims[d] = (type->dims[d] + size - 1) / size * size;
    }
    return fl_type_check(out);
}

static fl_status take_operands(fl_kernel *k, grid *g, const fl_ref *operands)
{
    static const int64_t none[FL_MAX_RANK];
    for (uint32_t i = 0; i < g->prefetched; i++) {
        const fl_type *m = &k->module->types[g->body->first_arg + g->rank + i], *t;
        t = fl_typeof(k->b, operands[i]);
        FL_CHECK(m->rank == t->rank && m->dtype == t->dtype && !memcmp(m->dims, t->dims, sizeof t->dims),
                 FL_UNSUPPORTED, "expected memories of the types of what is prefetched");
        g->operands[i] = operands[i];
    }
    for (uint32_t i = 0; i < g->inputs; i++) {
        fl_ref x = operands[g->prefetched + i];
        fl_type type = *fl_typeof(k->b, x), whole;
        FL_TRY(whole_windows(k, g, i, &type, &whole));
        int64_t high[FL_MAX_RANK];
        for (int d = 0; d < type.rank; d++) high[d] = whole.dims[d] - type.dims[d];
        if (memcmp(whole.dims, type.dims, sizeof whole.dims))
            x = fl_pad(k->b, x, fl_scalar_i(k->b, (fl_dtype)type.dtype, 0), none, high, NULL);
        g->operands[g->prefetched + i] = x;
    }
    return NULL;
}

static fl_status build_kernel(fl_kernel *k, grid *g, const fl_op *op, const fl_program *from,
                              const fl_ref *operands, fl_ref *results)
{
    fl_ref values[16 + 64];
    FL_TRY(take_operands(k, g, operands));
    uint32_t scratch = g->body->first_arg + g->body->arg_count - g->scratch;
    for (uint32_t i = 0; i < g->outputs; i++) {
        fl_type whole;
        FL_TRY(whole_windows(k, g, g->inputs + i, fl_type_of(from, op->first_result + i), &whole));
        values[i] = fl_full(k->b, whole, 0);
    }
    for (uint32_t i = 0; i < g->scratch; i++) {
        fl_type type = k->module->types[scratch + i];
        type.kind = FL_TYPE_TENSOR;
        values[g->outputs + i] = fl_full(k->b, type, 0);
    }
    const fl_ref bounds[3] = {fl_scalar_i(k->b, FL_I32, 0), fl_scalar_i(k->b, FL_I32, g->points),
                              fl_scalar_i(k->b, FL_I32, 1)};
    if (g->points <= MOST_UNROLLED)
        FL_TRY(unroll(k, g, values));
    else
        FL_TRY(fl_kernel_loop(k, bounds, values, g->outputs + g->scratch, grid_body, g));
    static const int64_t none[FL_MAX_RANK];
    for (uint32_t i = 0; i < g->outputs && fl_ok(k->b); i++) {
        const fl_type *type = fl_type_of(from, op->first_result + i);
        int same = !memcmp(type->dims, fl_typeof(k->b, values[i])->dims, sizeof type->dims);
        results[i] = same ? values[i] : fl_slice(k->b, values[i], none, type->dims, NULL);
    }
    return NULL;
}

/* ---- the call ---- */

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* "body": "<base64>" of the configuration, which is not quite JSON. */
static fl_status decode_body(const fl_op *op, fl_arena *arena, char **out, size_t *length)
{
    const fl_literal *config = fl_op_literal(op, FL_ATTR_backend_config);
    const char *text = config && config->kind == FL_LIT_STRING ? config->u.string : "";
    const char *body = strstr(text, "\"body\""), *start = body ? strchr(body + 6, '"') : NULL;
    FL_CHECK(start, FL_INVALID, "expected a configuration with the body of a kernel");
    *out = fl_arena_alloc(arena, strlen(start) + 4);
    FL_CHECK(*out, FL_OOM, "out of host memory");
    uint32_t bits = 0, have = 0;
    *length = 0;
    for (const char *p = start + 1; *p && *p != '"' && *p != '='; p++) {
        int digit = digit_of(*p);
        FL_CHECK(digit >= 0, FL_INVALID, "expected the body of a kernel in base64");
        bits = bits << 6 | (uint32_t)digit;
        have += 6;
        if (have >= 8) (*out)[(*length)++] = (char)(bits >> (have -= 8));
    }
    return NULL;
}

static fl_status translate(fl_refiner *r, const fl_op *op, const fl_ref *operands, fl_mosaic_module *m)
{
    char *text = NULL;
    size_t length = 0;
    FL_TRY(decode_body(op, &r->scratch, &text, &length));
    FL_CHECK(length < 4 || memcmp(text, "ML\xEFR", 4), FL_UNSUPPORTED,
             "its kernel is in bytecode, as Pallas writes it, and only kernels in text are implemented: "
             "pallas_call(..., interpret=True) makes it an ordinary program");
    FL_TRY(fl_mosaic_parse(text, length, m));
    fl_kernel k = {.b = &r->b, .module = m, .values = FL_NEW_ARRAY(&m->arena, fl_ref, m->value_count + 1)};
    grid *g = FL_NEW(&m->arena, grid);
    fl_ref results[16] = {0};
    FL_CHECK(k.values && g, FL_OOM, "out of host memory");
    FL_TRY(read_grid(&k, g, op, &m->arena));
    FL_TRY(build_kernel(&k, g, op, r->from, operands, results));
    for (uint32_t i = 0; i < op->result_count; i++) r->map[op->first_result + i] = results[i];
    return NULL;
}

fl_status fl_refine_mosaic(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    fl_mosaic_module module = {0};
    fl_status status = translate(r, op, operands, &module);
    fl_arena_free(&module.arena);
    *done = 1;
    if (fl_status_code(status) == FL_OOM || !status) return status;
    return fl_status_prefix(status, "tpu_custom_call (a Mosaic kernel of a TPU; for attention, "
                                    "torch.nn.attention.SDPBackend.MATH needs none)");
}
