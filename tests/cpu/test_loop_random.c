/* Random programs, plan against reference interpreter. Values are small integers and the operations exact on them, so that
 * results must be equal in every element type, however operations are grouped. */
#include "loop_test.h"

typedef struct value {
    fl_ref ref;
    double bound; /* no element is larger */
} value;

typedef struct generator {
    fl_builder b;
    value values[64];
    int count;
} generator;

static const fl_dtype dtypes[] = {FL_F32, FL_F32, FL_F32, FL_F64, FL_BF16, FL_F16, FL_I32, FL_I64, FL_I1,
                                  FL_I8,  FL_U8,  FL_I16, FL_U16, FL_U32,  FL_U64, FL_C64, FL_C128};

static double limit_of(fl_dtype t)
{
    return t == FL_BF16 || fl_dtype_bytes(t) == 1 ? 100
           : t == FL_F16                          ? 1000
           : t == FL_I16 || t == FL_U16           ? 30000
                                                  : 1e6;
}

static fl_type type_at(const generator *g, int i)
{
    return *fl_typeof(&g->b, g->values[i].ref);
}

static void add(generator *g, fl_ref r, double bound)
{
    if (g->count < 64) g->values[g->count++] = (value){r, bound};
}

static fl_type random_type(void)
{
    fl_type t = {.dtype = (uint8_t)dtypes[pick((int)(sizeof dtypes / sizeof *dtypes))],
                 .rank = (uint8_t)pick(5)};
    static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 33};
    for (int i = 0; i < t.rank; i++) t.dims[i] = pick(40) == 0 ? 0 : sizes[pick(t.rank > 3 ? 6 : 9)];
    if (t.rank == 1 && pick(3) == 0) t.dims[0] = 1 + pick(9000);
    if (t.rank == 2 && pick(5) == 0) t.dims[pick(2)] = 1 + pick(5000);
    return t;
}

/* A value of the same shape and type as value i: another one, or one that is converted or broadcast to it. */
static fl_ref partner(generator *g, int i, double *bound)
{
    fl_type t = type_at(g, i);
    for (int tries = 0; tries < 8; tries++) {
        int j = pick(g->count);
        fl_type u = type_at(g, j);
        if (u.dtype != t.dtype || g->values[j].bound > limit_of((fl_dtype)t.dtype)) continue;
        *bound = g->values[j].bound;
        if (fl_type_equal(&t, &u)) return g->values[j].ref;
        int fits = u.rank <= t.rank;
        for (int d = 0; fits && d < u.rank; d++)
            fits = u.dims[u.rank - 1 - d] == t.dims[t.rank - 1 - d] || u.dims[u.rank - 1 - d] == 1;
        if (fits) return fl_broadcast_to(&g->b, g->values[j].ref, t.rank, t.dims);
        if (fl_type_elements(&u) == fl_type_elements(&t))
            return fl_reshape(&g->b, g->values[j].ref, t.rank, t.dims);
    }
    *bound = 3;
    if (fl_is_complex((fl_dtype)t.dtype) || t.dtype == FL_I1 || pick(2))
        return fl_full(&g->b, t, t.dtype == FL_I1 ? 1 : 3);
    if (t.rank == 0) return fl_scalar_i(&g->b, (fl_dtype)t.dtype, 2);
    int d = pick(t.rank);
    *bound = (double)t.dims[d];
    if (*bound > limit_of((fl_dtype)t.dtype)) return *bound = 2, fl_full(&g->b, t, 2);
    return fl_iota(&g->b, t, d);
}

static void elementwise(generator *g, int i)
{
    fl_type t = type_at(g, i);
    fl_ref x = g->values[i].ref;
    double bound = g->values[i].bound, other, most = limit_of((fl_dtype)t.dtype);
    int complex = fl_is_complex((fl_dtype)t.dtype), uint = fl_dtype_kind((fl_dtype)t.dtype) == FL_KIND_UINT;
    fl_ref y = partner(g, i, &other);
    switch (pick(8)) {
    case 0:
        if (bound + other <= most) add(g, fl_add(&g->b, x, y), bound + other);
        break;
    case 1:
        if (bound * other * (complex ? 2 : 1) <= most)
            add(g, fl_mul(&g->b, x, y), bound * other * (complex ? 2 : 1));
        break;
    case 2:
        if (!complex)
            add(g, pick(2) ? fl_max(&g->b, x, y) : fl_min(&g->b, x, y), bound > other ? bound : other);
        break;
    case 3:
        if (bound + other <= most && t.dtype != FL_I1 && !uint) add(g, fl_sub(&g->b, x, y), bound + other);
        break;
    case 4:
        if (t.dtype == FL_I1)
            add(g, fl_not(&g->b, x), 1);
        else if (!uint)
            add(g, fl_neg(&g->b, x), bound);
        break;
    case 5:
        if (!complex) add(g, fl_compare(&g->b, (fl_compare_direction)pick(6), x, y), 1);
        break;
    case 6: {
        fl_ref condition = complex ? fl_compare(&g->b, FL_EQ, fl_real(&g->b, x), fl_real(&g->b, y))
                                   : fl_compare(&g->b, (fl_compare_direction)pick(6), x, y);
        add(g, fl_select(&g->b, condition, x, y), bound > other ? bound : other);
        break;
    }
    case 7: {
        fl_dtype to = dtypes[pick((int)(sizeof dtypes / sizeof *dtypes))];
        if (complex || bound > limit_of(to)) break;
        if (fl_dtype_kind(to) == FL_KIND_UINT && !uint && t.dtype != FL_I1) x = fl_abs(&g->b, x);
        add(g, fl_cast(&g->b, x, to), bound);
    }
    }
}

static void movement(generator *g, int i)
{
    fl_type t = type_at(g, i);
    fl_ref x = g->values[i].ref;
    double bound = g->values[i].bound;
    int64_t a[FL_MAX_RANK], c[FL_MAX_RANK], s[FL_MAX_RANK];
    switch (pick(6)) {
    case 0: { /* transpose */
        for (int d = 0; d < t.rank; d++) a[d] = d;
        for (int d = t.rank - 1; d > 0; d--) {
            int e = pick(d + 1);
            int64_t swap = a[d];
            a[d] = a[e], a[e] = swap;
        }
        add(g, fl_transpose(&g->b, x, a), bound);
        break;
    }
    case 1: { /* slice */
        for (int d = 0; d < t.rank; d++) {
            a[d] = t.dims[d] ? pick((int)t.dims[d]) : 0;
            c[d] = a[d] + (t.dims[d] > a[d] ? 1 + pick((int)(t.dims[d] - a[d])) : 0);
            s[d] = 1 + pick(2);
        }
        add(g, fl_slice(&g->b, x, a, c, s), bound);
        break;
    }
    case 2: /* reverse */
        if (t.rank) add(g, fl_reverse(&g->b, x, DIMS(pick(t.rank)), 1), bound);
        break;
    case 3: { /* reshape: joins or splits neighbours */
        int64_t n = fl_type_elements(&t);
        int rank = 0;
        if (pick(2) || n == 0) {
            if (n == 0) break;
            for (int64_t f = 2; n > 1 && rank < 5;) {
                if (n % f == 0)
                    a[rank++] = f, n /= f;
                else if (++f > 40)
                    break;
            }
            a[rank++] = n;
        } else {
            a[rank++] = n;
        }
        add(g, fl_reshape(&g->b, x, rank, a), bound);
        break;
    }
    case 4: { /* broadcast: new dims anywhere */
        if (t.rank > 3 || fl_type_elements(&t) > 3000) break;
        int rank = 0;
        for (int d = 0; d <= t.rank; d++) {
            if (pick(2)) s[rank++] = 1 + pick(4);
            if (d < t.rank) a[d] = rank, s[rank++] = t.dims[d] == 1 ? 1 + pick(5) : t.dims[d];
        }
        add(g, fl_broadcast_in_dim(&g->b, x, rank, s, a), bound);
        break;
    }
    case 5:
        if (t.rank && fl_type_elements(&t) < 3000)
            add(g, fl_concat(&g->b, (fl_ref[]){x, x}, 2, pick(t.rank)), bound);
    }
}

static void reduction(generator *g, int i)
{
    fl_type t = type_at(g, i);
    fl_ref x = g->values[i].ref;
    double bound = g->values[i].bound;
    int64_t dims[FL_MAX_RANK], length = 1;
    uint32_t n = 0;
    if (!t.rank) return;
    if (pick(2))
        dims[n++] = t.rank - 1;
    else
        for (int d = 0; d < t.rank; d++)
            if (pick(2)) dims[n++] = d;
    for (uint32_t d = 0; d < n; d++) length *= t.dims[dims[d]];
    static const fl_opcode codes[] = {FL_OP_add, FL_OP_add, FL_OP_maximum, FL_OP_minimum};
    fl_opcode code = codes[pick(4)];
    if (fl_is_complex((fl_dtype)t.dtype)) code = FL_OP_add;
    if (t.dtype == FL_I1) code = pick(2) ? FL_OP_or : FL_OP_and;
    if (code == FL_OP_add) {
        bound *= (double)(length ? length : 1);
        if (bound > limit_of((fl_dtype)t.dtype)) return;
    } else if (length == 0) {
        return; /* infinities */
    }
    fl_ref r = fl_reduce(&g->b, code, x, dims, n, pick(2));
    add(g, r, bound);
    if (fl_rank(&g->b, r) == t.rank && pick(2)) { /* as in a normalisation: back to the rows */
        fl_ref wide = fl_broadcast_to(&g->b, r, t.rank, t.dims);
        if (!fl_is_complex((fl_dtype)t.dtype) && t.dtype != FL_I1) add(g, fl_max(&g->b, x, wide), bound);
    }
}

static int random_layout(const fl_type *t, int64_t *strides, int may_overlap)
{
    int order[FL_MAX_RANK];
    int64_t step = 1;
    dense_layout(t, strides);
    if (pick(2)) return 0;
    for (int d = 0; d < t->rank; d++) order[d] = d;
    for (int d = t->rank - 1; d > 0; d--) {
        int e = pick(d + 1), swap = order[d];
        order[d] = order[e], order[e] = swap;
    }
    for (int d = 0; d < t->rank; d++) {
        strides[order[d]] = may_overlap && pick(6) == 0 ? 0 : step;
        step *= (t->dims[order[d]] ? t->dims[order[d]] : 1) + (pick(3) == 0);
    }
    return 1;
}

/* Lets results lie in memory of inputs: the same elements, or shifted by one. */
static void random_aliases(run_case *c)
{
    const fl_program *p = c->program;
    uint32_t n = p->main->arg_count;
    uint8_t taken[MAX_OPERANDS] = {0};
    for (uint32_t r = 0; r < p->main->result_count; r++) {
        uint32_t i = (uint32_t)pick((int)n);
        const fl_type *t = fl_type_of(p, p->main->results[r]), *u = fl_type_of(p, p->main->first_arg + i);
        if (taken[i] || t->dtype != u->dtype || pick(4) == 0) continue;
        int same = fl_type_equal(t, u) &&
                   !memcmp(c->inputs[i].strides, c->outputs[r].strides, t->rank * sizeof(int64_t));
        if (layout_span(t, c->outputs[r].strides) > layout_span(u, c->inputs[i].strides)) continue;
        taken[i] = 1;
        c->use_aliases = 1;
        c->bound[r] = (int)i + 1;
        c->shift[r] = same && pick(2) ? 0 : pick(2);
        c->aliases[r * n + i] = same && c->shift[r] == 0 ? 1 : 2;
    }
}

static void random_program(int seed)
{
    generator g = {.count = 0};
    run_case c;
    char name[32];
    random_state = 0x9E3779B97F4A7C15ull * (uint64_t)(seed + 1);
    for (int i = 0; i < 8; i++) random_u32();
    snprintf(name, sizeof name, "program %d", seed);
    CHECK_OK(fl_builder_init(&g.b, name));
    int n = 1 + pick(4);
    fl_type first = random_type();
    for (int i = 0; i < n; i++) {
        fl_type t = first;
        if (i && pick(2))
            t = random_type();
        else if (i && t.rank && pick(3) == 0)
            t.dims[pick(t.rank)] = 1;
        add(&g, fl_parameter(&g.b, t), 4);
    }
    int ops = 1 + pick(14);
    for (int k = 0; k < ops && fl_ok(&g.b); k++) {
        int i = pick(3) ? g.count - 1 - pick(g.count < 3 ? g.count : 3) : pick(g.count), kind = pick(10);
        fl_type t = type_at(&g, i);
        if (fl_type_elements(&t) > 60000) continue;
        if (kind < 6)
            elementwise(&g, i);
        else if (kind < 8)
            movement(&g, i);
        else
            reduction(&g, i);
    }
    fl_ref results[4];
    uint32_t m = 1 + (uint32_t)pick(4);
    for (uint32_t r = 0; r < m; r++) results[r] = g.values[r == 0 ? g.count - 1 : pick(g.count)].ref;
    fl_program *p = NULL;
    fl_status status = fl_builder_finish(&g.b, results, m, &p);
    if (status) {
        fprintf(stderr, "%s: ", name);
        CHECK_OK(status);
        return;
    }
    dense_case(&c, p);
    for (int i = 0; i < n; i++) c.data[i] = random_data(fl_type_of(p, p->main->first_arg + (uint32_t)i), 4);
    if (pick(2)) {
        c.use_layouts = 1;
        for (int i = 0; i < n; i++)
            random_layout(fl_type_of(p, p->main->first_arg + (uint32_t)i), c.inputs[i].strides, 1);
        for (uint32_t r = 0; r < m; r++)
            random_layout(fl_type_of(p, p->main->results[r]), c.outputs[r].strides, 0);
    }
    if (pick(2)) random_aliases(&c);
    run_and_compare(&c, name, 0);
    free_case(&c);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        for (int i = 1; i < argc; i++) random_program(atoi(argv[i]));
        return check_result();
    }
    for (int seed = 0; seed < 3000 && check_failures < 5; seed++) random_program(seed);
    return check_result();
}
