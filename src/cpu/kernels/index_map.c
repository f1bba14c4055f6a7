#include "cpu/kernels/index_map.h"

#include "base/pool.h"
#include "cpu/kernels/kernel.h"

void fl_index_map_prepare(fl_index_map *m, const fl_operand *indices, const fl_operand *operand,
                          const int64_t *operand_strides, const int64_t *window, const fl_index_dims *dims)
{
    int64_t element = (int64_t)fl_dtype_bytes((fl_dtype)operand->dtype);
    int64_t width = (int64_t)fl_dtype_bytes((fl_dtype)indices->dtype);
    m->dtype = (fl_dtype)indices->dtype;
    m->components = (int)dims->components;
    m->component_stride = dims->vector_dim < indices->rank ? indices->strides[dims->vector_dim] * width : 0;
    for (int k = 0; k < m->components; k++) {
        int64_t d = dims->map[k];
        m->scale[k] = operand_strides[d] * element;
        m->most[k] = operand->dims[d] - window[d];
    }
    m->rank = 0;
    m->count = 1;
    for (int d = 0; d < indices->rank; d++) {
        if (d == dims->vector_dim) continue;
        int64_t shift = 0, size = indices->dims[d], stride = indices->strides[d] * width;
        for (uint32_t i = 0; i < dims->batching; i++)
            if (dims->indices_batching[i] == d) shift = operand_strides[dims->operand_batching[i]] * element;
        m->count *= size;
        int last = m->rank - 1;
        if (size == 1) continue;
        if (last >= 0 && m->strides[last] == stride * size && m->shift[last] == shift * size) {
            m->dims[last] *= size, m->strides[last] = stride, m->shift[last] = shift;
        } else {
            m->dims[m->rank] = size, m->strides[m->rank] = stride, m->shift[m->rank++] = shift;
        }
    }
    if (!m->rank) m->dims[0] = 1, m->strides[0] = m->shift[0] = 0, m->rank = 1;
}

int64_t fl_index_map_run(const fl_index_map *m, const void *indices, int64_t begin, int64_t end,
                         const char **out_first, int64_t *out_base)
{
    int last = m->rank - 1;
    int64_t rest = begin / m->dims[last], at = begin % m->dims[last];
    const char *p = (const char *)indices + at * m->strides[last];
    int64_t base = at * m->shift[last];
    for (int d = last - 1; d >= 0; d--) {
        int64_t i = rest % m->dims[d];
        rest /= m->dims[d];
        p += i * m->strides[d], base += i * m->shift[d];
    }
    *out_first = p;
    *out_base = base;
    return FL_MIN(m->dims[last] - at, end - begin);
}

static void add_component(const fl_index_map *m, int k, const char *p, int64_t n, int skip, int64_t base,
                          int64_t *out)
{
    int64_t stride = m->strides[m->rank - 1], shift = m->shift[m->rank - 1];
    p += k * m->component_stride;
    if (m->dtype == FL_I64 || m->dtype == FL_I32) {
        FL_ISA_PICK(fl_index_component)(m->dtype == FL_I32, p, stride, n, m->scale[k], m->most[k], skip,
                                        k == 0, base, shift, out);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t v = fl_load_index(m->dtype, p + i * stride);
        FL_ISA_PICK(fl_index_component)(0, (const char *)&v, sizeof v, 1, m->scale[k], m->most[k], skip,
                                        k == 0, base + i * shift, 0, out + i);
    }
}

void fl_index_map_resolve(const fl_index_map *m, const void *indices, int64_t begin, int64_t end, int skip,
                          int64_t *out)
{
    for (int64_t n; begin < end; begin += n, out += n) {
        const char *p;
        int64_t base;
        n = fl_index_map_run(m, indices, begin, end, &p, &base);
        for (int64_t i = 0; !m->components && i < n; i++) out[i] = base + i * m->shift[m->rank - 1];
        for (int k = 0; k < m->components; k++) add_component(m, k, p, n, skip, base, out);
    }
}

typedef struct table_job {
    const fl_index_map *map;
    const void *indices;
    int skip;
    int64_t *out;
} table_job;

static void resolve_piece(void *ctx, int64_t begin, int64_t end)
{
    const table_job *job = ctx;
    fl_index_map_resolve(job->map, job->indices, begin, end, job->skip, job->out + begin);
}

void fl_index_map_table(const fl_index_map *m, const void *indices, int skip, int64_t *out)
{
    table_job job = {m, indices, skip, out};
    fl_parallel_for(m->count, 16384, resolve_piece, &job);
}
