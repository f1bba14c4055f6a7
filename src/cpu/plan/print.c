#include "cpu/loop/loop.h"
#include "cpu/plan/scalar.h"

static void print_operand(const fl_operand *o, fl_text *out)
{
    fl_text_printf(out, " @%u", o->slot);
    if (o->offset) fl_text_printf(out, "+%lld", (long long)o->offset);
    fl_text_printf(out, ":%s[", fl_dtype_name((fl_dtype)o->dtype));
    for (int i = 0; i < o->rank; i++)
        fl_text_printf(out, "%s%lld:%lld", i ? " " : "", (long long)o->dims[i], (long long)o->strides[i]);
    fl_text_append(out, "]", 1);
}

static void print_memory(const fl_loop_memory *m, const char *what, fl_text *out)
{
    static const char *const levels[] = {"uniform", "row", "full"}, *const accesses[] = {"", " copied",
                                                                                         " counted"};
    fl_text_printf(out, "    r%u %s @%u+%lld %s %s%s%s row %lld column %lld\n", m->reg, what, m->slot,
                   (long long)m->offset, fl_dtype_name((fl_dtype)m->dtype), levels[m->level],
                   accesses[m->access], m->once ? " once" : "", (long long)m->row, (long long)m->column);
}

static void print_loop(const fl_loop *l, fl_text *out)
{
    static const char *const kinds[] = {"map", "reduce", "sum rows", "sum tiles"}, *const levels[] = {
                                                                                       "uniform", "row",
                                                                                       "full"};
    fl_text_printf(
        out,
        "  loop rows %lld columns %lld tile %lldx%lld units %lld grain %lld buffers %u x %zu cost %.0f\n",
        (long long)l->rows, (long long)l->columns, (long long)l->tile_rows, (long long)l->tile_columns,
        (long long)l->units, (long long)l->grain, l->buffer_count, l->buffer_bytes, l->cost);
    for (uint16_t i = 0; i < l->load_count; i++) print_memory(&l->loads[i], "load", out);
    for (uint16_t i = 0; i < l->instr_count; i++) {
        const fl_loop_instr *in = &l->instrs[i];
        fl_text_printf(out, "    r%u = %s %s r%u r%u r%u%s%s\n", in->reg[0], kinds[in->kind],
                       levels[in->level[0]], in->reg[1], in->reg[2], in->reg[3], in->per_row ? " by row" : "",
                       in->once ? " once" : "");
    }
    for (uint16_t i = 0; i < l->code_count; i++)
        fl_text_printf(out, "%s%s%s", i ? " " : "    ", l->codes[i] & 0x8000 ? "reduce:" : "",
                       fl_op_infos[l->codes[i] & 0x7fff].name);
    if (l->code_count) fl_text_append(out, "\n", 1);
    for (uint16_t i = 0; i < l->store_count; i++) print_memory(&l->stores[i], "store", out);
}

void fl_plan_print(const fl_plan *plan, fl_text *out)
{
    fl_text_printf(out,
                   "plan %s: %u inputs, %u outputs, %u steps, scratch %zu bytes (at least %zu), cost %lld\n",
                   plan->name, plan->input_count, plan->output_count, plan->step_count, plan->scratch_bytes,
                   plan->scratch_least, (long long)plan->cost);
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const fl_step *s = &plan->steps[i];
        fl_text_printf(out, "  %u %s", i, s->name);
        for (uint32_t k = 0; k < s->input_count; k++) print_operand(&s->inputs[k], out);
        if (s->output_count) fl_text_append(out, " ->", 3);
        for (uint32_t k = 0; k < s->output_count; k++) print_operand(&s->outputs[k], out);
        static const char *const jumps[] = {"", " to", " if, to", " unless, to", " by table of"};
        if (s->jump) fl_text_printf(out, "%s %u", jumps[s->jump], s->target);
        fl_text_append(out, "\n", 1);
        if (s->run == fl_scalars_run)
            fl_text_printf(out, "  %u instructions\n", ((const fl_scalars *)s->data)->count);
        if (s->run == fl_loop_run) print_loop(s->data, out);
        if (s->run != fl_loop_batch_run) continue;
        const fl_loop_batch *batch = s->data;
        for (uint32_t k = 0; k < batch->count; k++) print_loop(batch->loops[k], out);
    }
}
