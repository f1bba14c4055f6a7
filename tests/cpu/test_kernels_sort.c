/* sort and top_k. */
#include "kernel_case.h"

static const fl_dtype types[] = {FL_I1,  FL_I8,  FL_U8,   FL_I16, FL_U16, FL_I32, FL_U32,
                                 FL_I64, FL_U64, FL_BF16, FL_F16, FL_F32, FL_F64};

static void test_sort(fl_dtype dtype, int rank, const int64_t *dims, int dim, int descending, int payload)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "sort"));
    fl_type t = fl_type_make(dtype, rank, dims);
    fl_ref keys = fl_parameter(&b, t), second = FL_NO_REF;
    if (payload == 1) second = fl_parameter(&b, fl_type_make(FL_I64, rank, dims));
    if (payload == 2) second = fl_parameter(&b, fl_type_make(FL_F16, rank, dims));
    fl_sort(&b, keys, second, dim, descending, 1, NULL);
    check_kernel(&b, NULL, "sort");
}

/* Positions as payload: a permutation, stable, in order. Checked by itself, since the reference is slow on long rows. */
static void test_argsort(fl_dtype dtype, int64_t n, int descending)
{
    fl_builder b;
    fl_program *p = NULL;
    CHECK_OK(fl_builder_init(&b, "argsort"));
    fl_type t = fl_type_make(dtype, 1, &n), positions = fl_type_make(FL_I64, 1, &n);
    fl_ref keys = fl_parameter(&b, t), order, results[2];
    results[0] = fl_sort(&b, keys, fl_iota(&b, positions, 0), 0, descending, 1, &order);
    results[1] = order;
    CHECK_OK(fl_builder_finish(&b, results, 2, &p));
    void *x = random_array(&t), *sorted = malloc((size_t)n * 8);
    int64_t *at = malloc((size_t)n * 8), *iota = malloc((size_t)n * 8);
    char *seen = calloc((size_t)n, 1);
    for (int64_t i = 0; i < n; i++) iota[i] = i;
    if (dtype == FL_F32)
        for (int64_t i = 0; i < n; i++) ((float *)x)[i] += (float)random_in(0, 1000000) * 0.001f;
    CHECK_OK(
        run_kernel(p, p->main->ops[p->main->op_count - 1], (void *[]){x, iota}, (void *[]){sorted, at}, 0));
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++) {
        wrong += at[i] < 0 || at[i] >= n || seen[at[i]]++;
        if (dtype == FL_F32) {
            float *v = x, *s = sorted, a = i ? s[i - 1] : 0, c = s[i];
            wrong += memcmp(&s[i], &v[at[i]], 4) != 0;
            if (!i) continue;
            int less = c < a || (a != a && c == c),
                greater = c > a || (c != c && a == a); /* c than its predecessor */
            wrong += descending ? greater : less;
            wrong += !less && !greater && at[i] < at[i - 1];
        } else {
            int64_t *v = x, *s = sorted;
            wrong += s[i] != v[at[i]];
            if (!i) continue;
            wrong += descending ? s[i] > s[i - 1] : s[i] < s[i - 1];
            wrong += s[i] == s[i - 1] && at[i] < at[i - 1];
        }
    }
    CHECK_INT(wrong, 0);
    free(x), free(sorted), free(at), free(iota), free(seen);
    fl_program_destroy(p);
}

static void test_top_k(fl_dtype dtype, int64_t rows, int64_t n, int64_t k)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "top_k"));
    fl_ref x = fl_parameter(&b, fl_type_make(dtype, 2, (int64_t[]){rows, n}));
    fl_attr attr = {.key = FL_ATTR_k, .u.i = k};
    fl_build(&b, FL_OP_top_k, &x, 1, &attr, 1, NULL, 0);
    check_kernel(&b, NULL, "top_k");
}

int main(void)
{
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
        for (int descending = 0; descending < 2; descending++)
            for (int payload = 0; payload < 3; payload++) {
                test_sort(types[i], 1, (int64_t[]){1}, 0, descending, payload);
                test_sort(types[i], 1, (int64_t[]){0}, 0, descending, payload);
                test_sort(types[i], 2, (int64_t[]){40, 23}, 1, descending, payload);
                test_sort(types[i], 2, (int64_t[]){100, 90}, 0, descending, payload);
                test_sort(types[i], 3, (int64_t[]){3, 300, 5}, 1, descending, payload);
            }
        test_top_k(types[i], 7, 50, 50);
        test_top_k(types[i], 5, 400, 3);
        test_top_k(types[i], 3, 5000, 20);
        test_top_k(types[i], 3, 5000, 200);
        test_top_k(types[i], 2, 5, 0);
    }
    for (int descending = 0; descending < 2; descending++) {
        test_argsort(FL_F32, 1000, descending);
        test_argsort(FL_F32, 300001, descending);
        test_argsort(FL_I64, 300001,
                     descending); /* both narrow and wide items: some values use all 64 bits */
        test_argsort(FL_I64, 30, descending);
    }
    return check_result();
}
