// The schemas of TorchTPU's own operators, torch.ops.tpu.*: names and arguments are its; lowerings are in the engine's table,
// derivatives and shapes of fake tensors in torch_tpu/_ops.py.
#include <torch/library.h>

namespace {

// What a batch of ids in the layout of SparseCores comes as, and the sizes behind the arguments between.
#define IDS "Tensor row_pointers, Tensor embedding_ids, Tensor sample_ids, Tensor gains, Tensor embedding_table"
#define SIZES "int device_batch_size, int max_ids_per_partition, int max_unique_ids_per_partition"
#define WINDOW "int[] kernel_size, int[] stride, int[] padding, int[] dilation, bool ceil_mode"

constexpr const char* kSchemas[] = {
    "ragged_dot(Tensor lhs, Tensor rhs, Tensor group_sizes) -> Tensor",
    "ragged_dot.out(Tensor lhs, Tensor rhs, Tensor group_sizes, *, Tensor(a!) out) -> Tensor(a!)",
    "ragged_dot_weight_grad(Tensor lhs, Tensor grad_output, Tensor group_sizes) -> Tensor",
    "optimization_barrier(Tensor[] inputs) -> Tensor[]",
    "max_pool1d(Tensor input, " WINDOW ") -> Tensor",
    "max_pool2d(Tensor input, " WINDOW ") -> Tensor",
    "max_pool3d(Tensor input, " WINDOW ") -> Tensor",
    "max_pool1d_backward(Tensor grad_output, Tensor input, " WINDOW ") -> Tensor",
    "max_pool2d_backward(Tensor grad_output, Tensor input, " WINDOW ") -> Tensor",
    "max_pool3d_backward(Tensor grad_output, Tensor input, " WINDOW ") -> Tensor",
    "sparse_iota(Tensor row_pointers, int max_non_zeroes, int max_non_zeroes_per_row) -> Tensor",
    "sparse_gather(Tensor row_pointers, Tensor indices, Tensor operand, int max_non_zeroes_per_row) -> Tensor",
    "sparse_gather_backward(Tensor grad_output, Tensor indices, Tensor grad_operand) -> Tensor",
    "sparse_dense_matmul(" IDS ", " SIZES ") -> Tensor",
    "sparse_dense_matmul_grad_with_sgd(" IDS ", Tensor activations_grad, Tensor learning_rate, " SIZES
    ", str computation_name) -> Tensor",
    "sparse_dense_matmul_grad_with_adagrad(" IDS
    ", Tensor accumulator, Tensor activations_grad, Tensor learning_rate, "
    "float epsilon, " SIZES ", str computation_name) -> (Tensor, Tensor)",
    "sparse_dense_matmul_grad_with_adam(" IDS
    ", Tensor momentum, Tensor velocity, Tensor activations_grad, Tensor alpha_t, "
    "float beta_1, float beta_2, float epsilon, " SIZES ", str computation_name) -> (Tensor, Tensor, Tensor)",
    "sparse_dense_matmul_activation_unstack(Tensor stacked_activations, int[] per_feature_batch_sizes, int[] per_feature_dims) "
    "-> Tensor[]",
    "sparse_dense_matmul_gradient_stack(Tensor[] unstacked_gradients, int stacked_batch_size, int stacked_feature_dim) -> Tensor",
};

}  // namespace

TORCH_LIBRARY_FRAGMENT(tpu, m) {
  for (const char* schema : kSchemas) m.def(schema);
}
