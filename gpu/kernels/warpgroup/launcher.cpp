// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels/warpgroup/launcher.hpp"

#include "gpu/kernels/common/launch.cuh"

namespace colex::gpu::warpgroup {
namespace {

// TMA writes multiples of 16 bytes. The warps of a warpgroup store columns together unless they add up the splits of K, each
// those of its rows in one block of a cluster. What TMA stores is alpha sum + beta C where C can be read in pairs; integer sums
// it stores unchanged.
epilogue_store epilogue_store_of(plan const& w, problem const& p) {
  if (p.first_modulus >= 0) return epilogue_store::residues;
  bool const floats = w.accumulator == element::f32, half = floats && (p.d.type == element::f16 || p.d.type == element::bf16);
  bool const word = p.d.type == w.accumulator;
  bool const like_d = p.c.type == p.d.type && lies_in_rows(p.c, 1, 0, 2 * bits_of(p.c.type) / 8);
  bool const simple = floats ? p.beta == 0 || like_d : p.beta == 0 && p.alpha == 1;
  if (has_whole_vectors(p) && simple && (word || half)) return word ? epilogue_store::rows_32_bit : epilogue_store::rows_16_bit;
  if (stores_columns(w, p) && has_whole_columns(p)) {
    bool const alone = p.split_k > 1 && !p.stores_splits;
    return word ? epilogue_store::columns_32_bit : alone ? epilogue_store::columns_16_bit : epilogue_store::group_columns;
  }
  auto const plain = [](matrix const& x) { return x.plain(0) && x.plain(1) && x.plain(2); };
  return plain(p.d) && (p.beta == 0 || (plain(p.c) && p.c.type == p.d.type)) ? epilogue_store::strides
                                                                             : epilogue_store::offsets;
}

int64 batches_of_d(problem const& p) { return p.stores_splits ? p.split_k : p.batches; }
result_box box_of(composed const& piece, int run) {
  return {run, static_cast<int>(size(piece.inner, 0)), static_cast<int>(size(piece.inner, 1)), piece.sw.bits};
}

}  // namespace

launcher::launcher(plan const& p, void const* code)
    : plan_(p),
      code_(code),
      a_(loads_of(p, true)),
      b_(loads_of(p, false)),
      blocks_(p.cluster_m * p.cluster_n),
      rows_of_cluster_(static_cast<int>(p.tile_m) * p.cluster_m),
      columns_of_cluster_(static_cast<int>(p.tile_n) * p.cluster_n),
      boxes_{box_of(p.smem_d, 1), box_of(p.warpgroup.smem_words, 1), box_of(p.warpgroup.smem_half_columns, 0),
             box_of(p.warpgroup.smem_columns, 0), box_of(p.warpgroup.smem_group_columns, 0)} {}

// Keeps the arguments; a copy of them gets the data.
class launcher::ready final : public ready_launch {
 public:
  launcher const& of;
  arguments made;
  unsigned clusters = 0;

  explicit ready(launcher const& by) : of(by) {}
  cudaError_t run(launch_data const& x, cudaStream_t stream) const override {
    arguments g = made;
    problem& p = g.problem;
    p.a.data = x.a, p.b.data = x.b, p.c.data = x.c, p.d.data = x.d, p.alpha = x.alpha, p.beta = x.beta;
    g.alpha = static_cast<float>(x.alpha), g.beta = static_cast<float>(x.beta);
    cudaError_t e = cudaSuccess;
    auto const move = [&](CUtensorMap& map, void* to) {
      if (e == cudaSuccess) e = move_tensor_map(map, to);
    };
    move(g.a, x.a), move(g.b, x.b);
    if (of.a_.has_edge_map(g.rows_a)) move(g.edge_a, x.a);
    if (of.b_.has_edge_map(g.rows_b)) move(g.edge_b, x.b);
    if (by_tma(g.epilogue)) move(g.d, x.d);
    return e == cudaSuccess ? of.enqueue(g, clusters, stream) : e;
  }
};

cudaError_t launcher::launch(problem const& p, cudaStream_t stream) {
  arguments g;
  unsigned clusters = 0;
  cudaError_t const e = make(g, clusters, p);
  return e == cudaSuccess ? enqueue(g, clusters, stream) : e;
}
std::unique_ptr<ready_launch const> launcher::prepare(problem const& p) {
  auto r = std::make_unique<ready>(*this);
  return make(r->made, r->clusters, p) == cudaSuccess ? std::move(r) : nullptr;
}

// With split-K in a cluster every cluster has one tile, or one group of tiles.
cudaError_t launcher::make(arguments& g, unsigned& clusters, problem const& p) {
  g = arguments_of(p);
  int at_once = 0;
  cudaError_t const e = resident_.get(at_once, [this](int& number) { return clusters_at_once(number); });
  clusters = static_cast<unsigned>(g.splits_in_cluster() ? g.clusters.count() : smaller(g.clusters.count(), at_once));
  return e == cudaSuccess ? make_tensor_maps(g) : e;
}
cudaError_t launcher::enqueue(arguments const& g, unsigned clusters, cudaStream_t stream) const {
  auto const blocks = static_cast<unsigned>(g.splits_in_cluster() ? blocks_ * g.split_k : blocks_);
  launch_config const config({dim3(clusters, blocks), dim3(1, blocks)}, plan_.threads, plan_.shared, stream, true);
  void* each[] = {const_cast<arguments*>(&g)};
  return cudaLaunchKernelExC(config.get(), code_, each);
}

arguments launcher::arguments_of(problem const& p) const {
  auto const blocks_k = static_cast<int>(ceil_div(p.k, plan_.tile_k));
  int const rows_a = a_.rows_to_load(p.m), rows_b = b_.rows_to_load(p.n);
  tile_order clusters = order_of(p, rows_of_cluster_, columns_of_cluster_);
  clusters.batches = batches_of_d(p);
  return {.clusters = clusters,
          .rows_a = rows_a,
          .rows_b = rows_b,
          .blocks_k = blocks_k,
          .split_k = p.split_k,
          .blocks_k_of_split = static_cast<int>(ceil_div(blocks_k, p.split_k)),
          .stores_splits = p.stores_splits,
          .batched_a = p.a.step(2) != 0,
          .batched_b = p.b.step(2) != 0,
          .has_edge = rows_a % rows_of_cluster_ != 0 || rows_b % columns_of_cluster_ != 0,
          .epilogue = epilogue_store_of(plan_, p),
          .result = p.d.type,
          .operands = plan_.a,
          .alpha = static_cast<float>(p.alpha),
          .beta = static_cast<float>(p.beta),
          .problem = p};
}

// The maps of an operand of which so many rows are loaded: of whole boxes, or of all rows where one box has them; of the last.
cudaError_t launcher::make_operand_maps(arguments& g, bool is_a) const {
  problem const& p = g.problem;
  operand_loads const& by = is_a ? a_ : b_;
  matrix const& x = is_a ? p.a : p.b;
  element const type = is_a ? plan_.a : plan_.b;
  int64 const extent = is_a ? p.m : p.n;
  int const rows = is_a ? g.rows_a : g.rows_b;
  auto const make = [&](CUtensorMap& map, int64 of_box) {
    return by.along_k ? make_tensor_map(map, x, type, 1, p.k, extent, p.batches, by.depth, of_box, 3)
                      : make_tensor_map(map, x, type, 0, extent, p.k, p.batches, of_box, by.depth, 3);
  };
  cudaError_t const e = make(is_a ? g.a : g.b, smaller(rows, by.box));
  return e == cudaSuccess && by.has_edge_map(rows) ? make(is_a ? g.edge_a : g.edge_b, rows % by.box) : e;
}
cudaError_t launcher::make_tensor_maps(arguments& g) const {
  problem const& p = g.problem;
  cudaError_t e = make_operand_maps(g, true);
  if (e == cudaSuccess) e = make_operand_maps(g, false);
  if (e != cudaSuccess || !by_tma(g.epilogue)) return e;
  result_box const box = boxes_[static_cast<int>(g.epilogue)];
  int64 const batches = batches_of_d(p);
  return box.run == 1 ? make_tensor_map(g.d, p.d, p.d.type, 1, p.n, p.m, batches, box.columns, box.rows, box.swizzle_bits)
                      : make_tensor_map(g.d, p.d, p.d.type, 0, p.m, p.n, batches, box.rows, box.columns, box.swizzle_bits);
}

// Gives the kernel its shared memory and the largest clusters on this device, and counts the clusters that run there at once.
cudaError_t launcher::clusters_at_once(int& clusters) const {
  cudaError_t e = allow_clusters(code_, plan_.shared);
  if (e == cudaSuccess) e = ask_clusters(clusters, code_, blocks_, plan_.threads, plan_.shared);
  return e == cudaSuccess && clusters == 0 ? cudaErrorInvalidConfiguration : e;
}

}  // namespace colex::gpu::warpgroup
