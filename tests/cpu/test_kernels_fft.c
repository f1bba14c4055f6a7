/* fft against the definition (the reference's sums in double): every kind, lengths with small and large prime factors. */
#include "kernel_case.h"

#include <math.h>

static void test_fft(fl_fft_type kind, int wide, int rank, const int64_t *dims, uint32_t count)
{
    fl_builder b;
    fl_program *p = NULL;
    CHECK_OK(fl_builder_init(&b, "fft"));
    int64_t shape[4], length[3];
    for (int d = 0; d < rank; d++) shape[d] = dims[d];
    for (uint32_t k = 0; k < count; k++) length[k] = dims[rank - (int)count + (int)k];
    if (kind == FL_IRFFT) shape[rank - 1] = dims[rank - 1] / 2 + 1;
    fl_dtype dtype = kind == FL_RFFT ? (wide ? FL_F64 : FL_F32) : (wide ? FL_C128 : FL_C64);
    fl_type t = fl_type_make(dtype, rank, shape);
    fl_ref x = fl_parameter(&b, t);
    fl_attr attrs[] = {{.key = FL_ATTR_fft_type, .u.i = kind},
                       {.key = FL_ATTR_fft_length, .count = count, .u.ints = length}};
    fl_ref r = fl_build(&b, FL_OP_fft, &x, 1, attrs, 2, NULL, 0);
    CHECK_OK(fl_builder_finish(&b, &r, 1, &p));
    if (!p) return;
    int parts = kind == FL_RFFT ? 1 : 2;
    int64_t n = fl_type_elements(&t) * parts,
            m = fl_type_elements(fl_type_of(p, r)) * (kind == FL_IRFFT ? 1 : 2);
    void *in = malloc((size_t)n * 8 + 8), *got = calloc((size_t)m + 1, 8),
         *expected = calloc((size_t)m + 1, 8);
    double norm = 0;
    for (int64_t i = 0; i < n; i++) {
        double v = (double)random_in(-1000, 1000) / 1000;
        norm += fabs(v);
        if (wide) {
            ((double *)in)[i] = v;
        } else {
            ((float *)in)[i] = (float)v;
        }
    }
    CHECK_OK(fl_reference_op(p, p->main->ops[0], (const void *const *)&in, &expected));
    CHECK_OK(run_kernel(p, p->main->ops[0], &in, &got, 0));
    double worst = 0, largest = 0;
    for (int64_t i = 0; i < m; i++) {
        double g = wide ? ((double *)got)[i] : ((float *)got)[i],
               e = wide ? ((double *)expected)[i] : ((float *)expected)[i];
        largest = fmax(largest, fabs(e));
        worst = fabs(g - e) <= worst ? worst : fabs(g - e);
    }
    check_count++;
    /* both round once to f32; in double the reference's own sum loses about as many bits as its length has */
    double bound = wide ? 0x1p-52 * (norm + largest) : 0x1p-23 * largest;
    if (!(worst <= bound)) {
        check_failures++;
        fprintf(stderr, "fft kind %d, %lld long: error %g of %g\n", kind, (long long)dims[rank - 1], worst,
                largest);
    }
    free(in), free(got), free(expected);
    fl_program_destroy(p);
}

int main(void)
{
    const int64_t lengths[] = {1,  2,  3,  4,  5,  6,   7,   8,   12,  15,  16,  31,  32,
                               37, 60, 64, 74, 97, 100, 101, 128, 243, 256, 343, 501, 512};
    for (fl_fft_type kind = FL_FFT; kind <= FL_IRFFT; kind++)
        for (int wide = 0; wide < 2; wide++) {
            for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                test_fft(kind, wide, 1, &lengths[i], 1);
                test_fft(kind, wide, 2, (int64_t[]){3, lengths[i]}, 1);
            }
            test_fft(kind, wide, 2, (int64_t[]){12, 10}, 2);
            test_fft(kind, wide, 2, (int64_t[]){7, 37}, 2);
            test_fft(kind, wide, 3, (int64_t[]){2, 9, 8}, 2);
            test_fft(kind, wide, 4, (int64_t[]){2, 5, 6, 7}, 3);
            test_fft(kind, wide, 3, (int64_t[]){100, 4, 32}, 1);
            test_fft(kind, wide, 2, (int64_t[]){0, 8}, 1);
            test_fft(kind, wide, 2, (int64_t[]){19, 45}, 1);    /* eights and a rest */
            test_fft(kind, wide, 3, (int64_t[]){2, 30, 11}, 2); /* lanes adjacent, and a rest */
            test_fft(kind, wide, 3, (int64_t[]){9, 3, 8}, 3);   /* blocks narrower than the lanes */
            test_fft(kind, wide, 1, (int64_t[]){1024}, 1);      /* long: rows and columns */
            test_fft(kind, wide, 2, (int64_t[]){2, 1050}, 1);
            test_fft(kind, wide, 1, (int64_t[]){2100}, 1);
            test_fft(kind, wide, 1, (int64_t[]){1155}, 1); /* of odd length */
            test_fft(kind, wide, 1, (int64_t[]){1031}, 1); /* a prime */
            test_fft(kind, wide, 1, (int64_t[]){2062}, 1);
            test_fft(kind, wide, 2, (int64_t[]){2, 1024}, 2);
            test_fft(kind, wide, 2, (int64_t[]){1024, 3}, 2);
        }
    return check_result();
}
