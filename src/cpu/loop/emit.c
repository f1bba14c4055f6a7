/* Instructions of a loop program. Every value has a level: uniform, row, full. An operation is done at the highest level of
 * its operands, lower operands being scalars of the kernel; only stores and reductions widen a value. */
#include "cpu/loop/lower.h"

#include <string.h>

#define TRY_REG(r)                                                                                           \
    do {                                                                                                     \
        if ((r) == NO_REG) return fl_error(FL_OOM, "out of memory while planning");                          \
    } while (0)
#define NO_REG UINT16_MAX

fl_dtype fl_loop_dtype(fl_dtype dtype)
{
    return dtype == FL_BF16 || dtype == FL_F16 ? FL_F32 : dtype;
}

static int is_narrow(fl_dtype dtype)
{
    return dtype == FL_BF16 || dtype == FL_F16;
}

static int has_tiles(fl_dtype dtype)
{
    switch (dtype) {
    case FL_I1:
    case FL_I8:
    case FL_I16:
    case FL_I32:
    case FL_I64:
    case FL_U8:
    case FL_U16:
    case FL_U32:
    case FL_U64:
    case FL_BF16:
    case FL_F16:
    case FL_F32:
    case FL_F64:
    case FL_C64:
    case FL_C128: return 1;
    default: return 0;
    }
}

int fl_loop_has(fl_opcode code, fl_dtype dtype, fl_dtype input)
{
    fl_dtype to = fl_loop_dtype(dtype), from = fl_loop_dtype(input);
    if (!has_tiles(dtype) || (code != FL_OP_NONE && !has_tiles(input))) return 0;
    switch (code) {
    case FL_OP_NONE: return 1;
    case FL_OP_convert: return to == from || fl_vec_find_moves()->convert[from][to] != NULL;
    case FL_OP_bitcast_convert:
        return !is_narrow(dtype) && !is_narrow(input) && fl_dtype_bytes(dtype) == fl_dtype_bytes(input) &&
               dtype != FL_I1 && input != FL_I1;
    case FL_OP_select: return 1;
    case FL_OP_compare: return fl_vec_find_compare(FL_EQ, from).vv != NULL;
    case FL_OP_complex: return fl_vec_find(code, from).vv != NULL;
    default: return fl_vec_find(code, from).vv != NULL;
    }
}

int fl_loop_has_reduce(fl_opcode code, fl_dtype dtype)
{
    return has_tiles(dtype) && fl_vec_find_reduce(code, fl_loop_dtype(dtype)) &&
           fl_vec_find(code, fl_loop_dtype(dtype)).vv;
}

static uint16_t new_reg(fl_lowering *w, fl_level level, fl_dtype dtype)
{
    fl_loop *l = w->loop;
    if (l->reg_count == w->reg_capacity) return NO_REG;
    w->regs[l->reg_count] = (fl_reg){.level = (uint8_t)level, .dtype = (uint8_t)dtype};
    l->homes[l->reg_count] = level == FL_FULL ? FL_HOME_BUFFER : FL_HOME_SMALL;
    return l->reg_count++;
}

static void add_work(fl_lowering *w, fl_opcode code, fl_dtype dtype, fl_level level)
{
    if (level != FL_FULL) return;
    int size = (int)fl_dtype_bytes(dtype);
    double each = 0.02 * size;
    switch (code) {
    case FL_OP_exponential:
    case FL_OP_log:
    case FL_OP_tanh:
    case FL_OP_erf:
    case FL_OP_logistic: each = size == 4 ? 0.8 : 8; break;
    case FL_OP_divide:
    case FL_OP_sqrt:
    case FL_OP_rsqrt: each = 0.06 * size; break;
    default:
        if (!fl_is_float(dtype) || fl_op_infos[code].operands != 1) break;
        if (code == FL_OP_sine || code == FL_OP_cosine || code == FL_OP_log_plus_one ||
            code == FL_OP_exponential_minus_one)
            each = 2;
        if (code == FL_OP_cbrt || code == FL_OP_atan || code == FL_OP_erfc || code == FL_OP_sinh ||
            code == FL_OP_cosh)
            each = 10;
    }
    if (code == FL_OP_power) each = size == 4 ? 2 : 20;
    if (fl_is_complex(dtype)) each *= 4;
    w->work += each;
}

/* A map instruction: fn over operands a, b, c at `level`. */
static uint16_t emit(fl_lowering *w, fl_vec_fn fn, fl_level level, fl_dtype dtype, const uint16_t *operands,
                     int count)
{
    fl_loop *l = w->loop;
    if (l->instr_count == w->instr_capacity) return NO_REG;
    uint16_t out = new_reg(w, level, dtype);
    if (out == NO_REG) return NO_REG;
    fl_loop_instr *in = &l->instrs[l->instr_count++];
    *in = (fl_loop_instr){.fn = fn, .kind = FL_DO_MAP, .once = 1};
    for (int k = 0; k < 4; k++) {
        uint16_t r = k == 0 ? out : operands[k <= count ? k - 1 : 0];
        in->reg[k] = r;
        in->level[k] = w->regs[r].level;
        in->step[k] = (uint8_t)(in->level[k] == FL_UNIFORM ? 0 : fl_dtype_bytes((fl_dtype)w->regs[r].dtype));
        if (k && level == FL_FULL && in->level[k] == FL_ROW) in->per_row = 1;
        if (k) in->once &= w->regs[r].once;
    }
    w->regs[out].once = in->once;
    w->regs[out].made = l->instr_count;
    return out;
}

/* The value at a higher level. */
static uint16_t widen(fl_lowering *w, uint16_t r, fl_level level)
{
    fl_reg *reg = &w->regs[r];
    if (reg->level >= level) return r;
    if (!reg->wider[level]) {
        fl_vec_fn fill = fl_vec_find_moves()->fill[fl_vec_size_class(fl_dtype_bytes((fl_dtype)reg->dtype))];
        uint16_t wide = emit(w, fill, level, (fl_dtype)reg->dtype, &r, 1);
        if (wide == NO_REG) return NO_REG;
        w->regs[r].wider[level] = (uint16_t)(wide + 1);
        return wide;
    }
    return (uint16_t)(reg->wider[level] - 1);
}

static fl_level level_of(const fl_lowering *w, uint16_t r)
{
    return (fl_level)w->regs[r].level;
}

static uint16_t round_to(fl_lowering *w, uint16_t r, fl_dtype dtype)
{
    const fl_vec_moves *moves = fl_vec_find_moves();
    return emit(w, dtype == FL_BF16 ? moves->round_bf16 : moves->round_f16, level_of(w, r), FL_F32, &r, 1);
}

/* --- operands --- */

static uint16_t load_value(fl_lowering *w, uint16_t i, uint16_t *known)
{
    const fl_loop_memory *m = &w->loop->loads[i];
    if (known[i] != NO_REG) return known[i];
    uint16_t r = m->reg;
    fl_dtype dtype = (fl_dtype)m->dtype;
    if (is_narrow(dtype))
        r = emit(w, fl_vec_find_moves()->convert[dtype][FL_F32], level_of(w, r), FL_F32, &r, 1);
    if (m->access == FL_COUNT && is_narrow((fl_dtype)w->graph->bases[w->plans[i].base].dtype))
        r = round_to(w, r, (fl_dtype)w->graph->bases[w->plans[i].base].dtype);
    return known[i] = r;
}

static fl_status make_load_regs(fl_lowering *w)
{
    fl_loop *l = w->loop;
    for (uint16_t i = 0; i < l->load_count; i++) {
        fl_loop_memory *m = &l->loads[i];
        m->reg = new_reg(w, (fl_level)m->level, (fl_dtype)m->dtype);
        TRY_REG(m->reg);
        w->regs[m->reg].once = m->once;
        l->has_once |= m->once;
        if (m->access == FL_AT) l->homes[m->reg] = FL_HOME_MEMORY;
    }
    return NULL;
}

#define COPIES(X) X(1) X(2) X(4) X(8) X(16)
#define COPY(size)                                                                                           \
    static void copy##size(void *out, const void *a, const void *b, const void *c, int64_t n)                \
    {                                                                                                        \
        (void)b, (void)c;                                                                                    \
        if (out != a) memcpy(out, a, (size_t)n * size);                                                      \
    }
COPIES(COPY)

static fl_vec_fn copy_of(size_t size)
{
    return size == 1 ? copy1 : size == 2 ? copy2 : size == 4 ? copy4 : size == 8 ? copy8 : copy16;
}

/* --- operations --- */

static uint16_t emit_convert(fl_lowering *w, const fl_node *node, uint16_t r)
{
    fl_dtype from = fl_loop_dtype((fl_dtype)node->input_dtype), to = fl_loop_dtype((fl_dtype)node->dtype);
    if (from != to) r = emit(w, fl_vec_find_moves()->convert[from][to], level_of(w, r), to, &r, 1);
    if (r != NO_REG && is_narrow((fl_dtype)node->dtype)) r = round_to(w, r, (fl_dtype)node->dtype);
    return r;
}

static uint16_t emit_select(fl_lowering *w, const fl_node *node, uint16_t *v, fl_level level)
{
    fl_dtype dtype = fl_loop_dtype((fl_dtype)node->dtype);
    v[0] = widen(w, v[0], level);
    if (v[0] == NO_REG) return NO_REG;
    int form = (level_of(w, v[1]) < level) | (level_of(w, v[2]) < level) << 1;
    return emit(w, fl_vec_find_moves()->select[fl_vec_size_class(fl_dtype_bytes(dtype))][form], level, dtype,
                v, 3);
}

static uint16_t emit_binary(fl_lowering *w, fl_vec_forms forms, fl_dtype dtype, uint16_t *v, fl_level level,
                            int swap_sv)
{
    fl_vec_fn fn = forms.vv;
    int first = level_of(w, v[0]) < level, second = level_of(w, v[1]) < level;
    if (second && forms.vs) {
        fn = forms.vs;
    } else if (first && forms.sv) {
        fn = forms.sv;
        if (swap_sv) {
            uint16_t t = v[0];
            v[0] = v[1], v[1] = t;
        }
    } else {
        v[0] = widen(w, v[0], level);
        v[1] = widen(w, v[1], level);
        if (v[0] == NO_REG || v[1] == NO_REG) return NO_REG;
    }
    return emit(w, fn, level, dtype, v, 2);
}

int fl_is_exact_op(fl_opcode code)
{
    switch (code) {
    case FL_OP_negate:
    case FL_OP_abs:
    case FL_OP_maximum:
    case FL_OP_minimum:
    case FL_OP_select:
    case FL_OP_sign:
    case FL_OP_floor:
    case FL_OP_ceil:
    case FL_OP_round_nearest_even:
    case FL_OP_round_nearest_afz: return 1;
    default: return 0;
    }
}

static uint16_t emit_map(fl_lowering *w, const fl_node *node, uint16_t *v)
{
    fl_level level = FL_UNIFORM;
    fl_dtype from = fl_loop_dtype((fl_dtype)node->input_dtype), to = fl_loop_dtype((fl_dtype)node->dtype);
    for (uint32_t i = 0; i < node->view_count; i++)
        if (level_of(w, v[i]) > level) level = level_of(w, v[i]);
    add_work(w, (fl_opcode)node->code, from, level);
    uint16_t r;
    switch (node->code) {
    case FL_OP_NONE: return v[0];
    case FL_OP_convert: return emit_convert(w, node, v[0]);
    case FL_OP_bitcast_convert: return emit(w, copy_of(fl_dtype_bytes(to)), level, to, v, 1);
    case FL_OP_select: r = emit_select(w, node, v, level); break;
    case FL_OP_compare:
        r = emit_binary(w, fl_vec_find_compare((fl_compare_direction)node->direction, from), to, v, level, 1);
        break;
    default:
        if (node->view_count == 1)
            r = emit(w, fl_vec_find((fl_opcode)node->code, from).vv, level, to, v, 1);
        else
            r = emit_binary(w, fl_vec_find((fl_opcode)node->code, from), to, v, level, 0);
    }
    if (r != NO_REG && is_narrow((fl_dtype)node->dtype) && !fl_is_exact_op((fl_opcode)node->code))
        r = round_to(w, r, (fl_dtype)node->dtype);
    return r;
}

static uint16_t emit_reduce(fl_lowering *w, fl_node *node, uint16_t value)
{
    fl_loop *l = w->loop;
    fl_dtype dtype = fl_loop_dtype((fl_dtype)node->dtype);
    fl_vec_fn reduce = fl_vec_find_reduce((fl_opcode)node->code, dtype);
    fl_vec_fn combine = fl_vec_find((fl_opcode)node->code, dtype).vv;
    value = widen(w, value, FL_FULL);
    if (value == NO_REG) return NO_REG;
    add_work(w, FL_OP_add, dtype, FL_FULL);
    if (!node->sink) {
        uint16_t out = emit(w, reduce, FL_ROW, dtype, &value, 1);
        if (out == NO_REG) return NO_REG;
        l->instrs[l->instr_count - 1].kind = FL_DO_REDUCE;
        l->instrs[l->instr_count - 1].once = w->regs[out].once = 0;
        if (is_narrow((fl_dtype)node->dtype)) out = round_to(w, out, (fl_dtype)node->dtype);
        return out;
    }
    if (l->instr_count == w->instr_capacity) return NO_REG;
    fl_loop_instr *in = &l->instrs[l->instr_count++];
    int rows = node->inner > 1;
    *in = (fl_loop_instr){.fn = rows ? combine : reduce,
                          .kind = rows ? FL_DO_SUM_ROWS : FL_DO_SUM_TILES,
                          .sink = l->sink_count};
    for (int k = 0; k < 4; k++) in->reg[k] = value, in->level[k] = FL_FULL;
    int64_t pieces = l->column_units;
    if (rows) {
        pieces = l->row_units;
        for (int i = 0; i < l->outer_rank; i++) pieces *= l->outer_dims[i];
        pieces /= node->outer;
    }
    l->sinks[l->sink_count++] = (fl_loop_sink){
        .node = node, .size = (uint8_t)fl_dtype_bytes(dtype), .pieces = pieces, .combine = combine};
    return value;
}

/* --- stores --- */

/* Whether anything reads `conflict`'s memory after instruction `at`. */
static int read_after(const fl_lowering *w, uint32_t conflict, uint16_t at)
{
    const fl_loop *l = w->loop;
    for (uint16_t i = 0; i < l->load_count; i++) {
        if (l->loads[i].access != FL_AT || w->plans[i].base != conflict) continue;
        for (uint16_t k = (uint16_t)(at + 1); k < l->instr_count; k++)
            for (int j = 1; j < 4; j++)
                if (l->instrs[k].reg[j] == l->loads[i].reg) return 1;
    }
    return 0;
}

static const fl_loop_memory *load_of(const fl_lowering *w, uint16_t r)
{
    for (uint16_t i = 0; i < w->loop->load_count; i++)
        if (w->loop->loads[i].reg == r) return &w->loop->loads[i];
    return NULL;
}

static fl_status emit_store(fl_lowering *w, const fl_loop_store *store, fl_loop_memory *m)
{
    fl_loop *l = w->loop;
    const fl_base *base = &w->graph->bases[store->base];
    uint16_t r = widen(w, base->reg, (fl_level)m->level);
    TRY_REG(r);
    if (is_narrow((fl_dtype)m->dtype)) {
        r = emit(w, fl_vec_find_moves()->convert[FL_F32][m->dtype], level_of(w, r), (fl_dtype)m->dtype, &r,
                 1);
        TRY_REG(r);
    }
    const fl_loop_memory *load = w->regs[r].made ? NULL : load_of(w, r);
    int instr = w->regs[r].made ? w->regs[r].made - 1 : -1;
    int bindable =
        m->access == FL_AT && !w->regs[r].once && !w->regs[r].kept && l->homes[r] != FL_HOME_MEMORY;
    if (store->conflict && (load || (bindable && read_after(w, store->conflict, (uint16_t)instr))))
        bindable = 0;
    if (load && load->access == FL_AT) bindable = 0;
    if (!bindable &&
        (store->conflict ? load != NULL : m->access == FL_AT || (load && load->access == FL_AT))) {
        /* through a copy: into the memory, or aside, as what is stored after the last instruction must not lie in an input */
        size_t size = m->size;
        uint16_t copy = emit(w, copy_of(size), level_of(w, r), (fl_dtype)w->regs[r].dtype, &r, 1);
        TRY_REG(copy);
        l->instrs[l->instr_count - 1].once = w->regs[copy].once = 0;
        r = copy;
        bindable = m->access == FL_AT && !store->conflict;
    }
    m->reg = r;
    if (bindable) {
        l->homes[r] = FL_HOME_MEMORY;
    } else {
        m->access = FL_GATHER;
        w->regs[r].kept = 1;
    }
    return NULL;
}

fl_status fl_lowering_emit(fl_lowering *w, const fl_loop_store *stores)
{
    fl_loop *l = w->loop;
    uint32_t nodes = w->group->count;
    w->instr_capacity = nodes * 4 + w->load_count * 2u + l->store_count * 3u + 8;
    w->reg_capacity = w->instr_capacity + w->load_count + 1;
    l->instrs = FL_NEW_ARRAY(w->arena, fl_loop_instr, w->instr_capacity);
    l->homes = FL_NEW_ARRAY(w->arena, uint8_t, w->reg_capacity);
    l->places = FL_NEW_ARRAY(w->arena, uint16_t, w->reg_capacity);
    l->sinks = FL_NEW_ARRAY(w->arena, fl_loop_sink, nodes);
    w->regs = FL_NEW_ARRAY(w->graph->arena, fl_reg, w->reg_capacity);
    uint16_t *known = FL_NEW_ARRAY(w->graph->arena, uint16_t, w->load_count + 1);
    FL_CHECK(l->instrs && l->homes && l->places && l->sinks && w->regs && known, FL_OOM,
             "out of memory while planning");
    memset(known, 0xff, (w->load_count + 1u) * sizeof *known);
    FL_TRY(make_load_regs(w));
    uint32_t view = 0;
    for (fl_node *n = w->group->first; n; n = n->next) {
        uint16_t v[3];
        for (uint32_t i = 0; i < n->view_count; i++, view++) {
            v[i] = w->view_loads[view] == UINT16_MAX ? w->graph->bases[n->views[i].base].reg
                                                     : load_value(w, w->view_loads[view], known);
            TRY_REG(v[i]);
        }
        uint16_t r = n->kind == FL_NODE_MAP ? emit_map(w, n, v) : emit_reduce(w, n, v[0]);
        TRY_REG(r);
        w->graph->bases[n->first_base].reg = r;
    }
    for (int pass = 0; pass < 3;
         pass++) /* stores into memory that is read come last, after copies of what was loaded */
        for (uint16_t i = 0; i < l->store_count; i++) {
            int loaded = !w->regs[w->graph->bases[stores[i].base].reg].made;
            if ((stores[i].conflict ? 2 - loaded : 0) == pass)
                FL_TRY(emit_store(w, &stores[i], &l->stores[i]));
        }
    for (uint16_t i = 0; i < l->instr_count; i++) l->has_once |= l->instrs[i].once;
    return NULL;
}
