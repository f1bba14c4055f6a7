/* Schur's real form: z t z' is the matrix, z orthogonal, t triangular but for blocks of conjugate eigenvalues. */
#include "check.h"
#include "ref/matrix.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 24 };

static uint64_t state = 88172645463325252u;

static double uniform(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (double)(int64_t)state / 9.3e18;
}

static void check_form(const char *name, int64_t n, const double *a)
{
    double t[MOST * MOST], z[MOST * MOST], scratch[MOST], norm = 0;
    memcpy(t, a, (size_t)(n * n) * sizeof *t);
    for (int64_t i = 0; i < n * n; i++) norm = fmax(norm, fabs(a[i]));
    CHECK_INT(fl_real_schur(n, t, z, scratch), 0);
    double product = 0, square = 0;
    int blocks = 1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double x = -a[i * n + j], o = -(i == j);
            for (int64_t k = 0; k < n; k++) {
                o += z[i * n + k] * z[j * n + k];
                for (int64_t l = 0; l < n; l++) x += z[i * n + k] * t[k * n + l] * z[j * n + l];
            }
            product = fmax(product, fabs(x));
            square = fmax(square, fabs(o));
            if (i > j + 1) blocks &= t[i * n + j] == 0;
        }
    for (int64_t i = 0; i + 1 < n; i++) {
        double below = t[(i + 1) * n + i];
        if (below == 0) continue;
        blocks &= t[i * n + i] == t[(i + 1) * n + i + 1] && (below > 0) != (t[i * n + i + 1] > 0);
        if (i + 2 < n) blocks &= t[(i + 2) * n + i + 1] == 0;
    }
    CHECK(blocks);
    CHECK(square <= 1e-13 * (double)(n + 1));
    CHECK(product <= 1e-13 * (double)(n + 1) * norm);
    if (!blocks || product > 1e-13 * (double)(n + 1) * norm)
        fprintf(stderr, "%s, %lld\n", name, (long long)n);
}

static void special(void)
{
    static const double zero[9],
        one[] = {3}, turned[] = {0, -1, 1, 0}, jordan[] = {2, 1, 0, 0, 2, 1, 0, 0, 2},
        swapped[] = {0, 1, 1, 0}, cycle[] = {0, 0, 1, 1, 0, 0, 0, 1, 0},
        quiet[] = {0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, /* a permutation of four */
        lower[] = {1, 0, 0, 5, 2, 0, 7, 8, 3}, near[] = {1, 1e-9, -1e-9, 1}, equal[] = {1, -4, 0.25, 3};
    check_form("zero", 3, zero);
    check_form("one", 1, one);
    check_form("none", 0, one);
    check_form("turned", 2, turned);
    check_form("jordan", 3, jordan);
    check_form("swapped", 2, swapped);
    check_form("cycle", 3, cycle);
    check_form("permutation", 4, quiet);
    check_form("lower", 3, lower);
    check_form("near", 2, near);
    check_form("equal", 2, equal);
}

static void random_ones(void)
{
    double a[MOST * MOST];
    for (int round = 0; round < 400; round++) {
        int64_t n = 1 + round % MOST;
        double size = round % 7 == 0 ? 1e120 : round % 7 == 1 ? 1e-120 : 1;
        for (int64_t i = 0; i < n * n; i++) a[i] = size * (round % 5 ? uniform() : floor(3 * uniform()));
        if (round % 11 == 3) /* symmetric */
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < i; j++) a[i * n + j] = a[j * n + i];
        if (round % 11 == 4) /* antisymmetric: conjugate pairs alone */
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j <= i; j++) a[i * n + j] = i == j ? 0 : -a[j * n + i];
        check_form("random", n, a);
    }
}

int main(void)
{
    special();
    random_ones();
    return check_result();
}
