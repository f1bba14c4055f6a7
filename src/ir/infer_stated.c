/* Rules yet to be written: what is stated stands. */
#include "ir/infer.h"

#define STATED(suffix)                                                                                       \
    fl_status fl_infer_##suffix(const fl_program *p, const fl_op *op, fl_type *out)                          \
    {                                                                                                        \
        return fl_infer_given(p, op, out);                                                                   \
    }
STATED(uniform_quantize)
STATED(uniform_dequantize)
STATED(broadcasting)
STATED(constant_like)
STATED(scan)
STATED(torch_index_select)
STATED(einsum)
STATED(composite)
STATED(call)
STATED(get_tuple_element)
STATED(tuple)
STATED(after_all)
STATED(dynamic_broadcast_in_dim)
STATED(dynamic_iota)
STATED(dynamic_pad)
STATED(dynamic_reshape)
STATED(real_dynamic_slice)
STATED(set_dimension_size)
STATED(all_gather)
STATED(all_reduce)
STATED(all_to_all)
STATED(collective_broadcast)
STATED(collective_reduce)
STATED(collective_permute)
STATED(infeed)
STATED(outfeed)
STATED(device_id)
STATED(recv)
STATED(reduce_scatter)
STATED(send)
STATED(cross_replica_sum)
STATED(async_start)
STATED(async_done)
STATED(expect)
STATED(run_parallel)
