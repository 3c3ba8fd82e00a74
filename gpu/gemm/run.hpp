// How what was chosen runs: its copies, its splits, its residues, its launch, and what an error says. No kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/context.hpp"
#include "gpu/gemm/copies.hpp"
#include "gpu/gemm/emulation.hpp"
#include "gpu/gemm/on_demand.hpp"
#include "gpu/gemm/registry.hpp"  // generated

#include <utility>

namespace colex::gpu {

inline std::vector<gemm_kernel> const& kernels() {
  static std::vector<gemm_kernel> const all = compiled_kernels();
  return all;
}
// Null: the kernel is one of those.
inline on_demand_kernel const* on_demand(gemm_kernel const& k) {
  std::vector<gemm_kernel> const& compiled = kernels();
  bool const is_compiled = std::less_equal<>{}(compiled.data(), &k) && std::less<>{}(&k, compiled.data() + compiled.size());
  return is_compiled ? nullptr : static_cast<on_demand_kernel const*>(&k);
}
inline std::string const& name_of(gemm_kernel const& k) {
  static std::vector<std::string> const all = [] {
    std::vector<std::string> r;
    for (gemm_kernel const& each : kernels()) r.push_back(name(*each.plan));
    return r;
  }();
  on_demand_kernel const* const later = on_demand(k);
  return later == nullptr ? all[static_cast<std::size_t>(&k - kernels().data())] : later->name;
}

inline gemm_status failed(cudaError_t e, std::string const& call) {
  return refused(gemm_error::cuda, call + ": " + cudaGetErrorString(e));
}
// Memory could not be had.
inline gemm_status no_room(cudaError_t e, std::string const& what) {
  cudaGetLastError();  // reported by the return value
  std::string const why = what + ": " + cudaGetErrorString(e);
  bool const none_left = e == cudaErrorMemoryAllocation || e == cudaErrorNotSupported;
  return refused(none_left ? gemm_error::out_of_memory : gemm_error::cuda, why);
}
// Was the kernel not compiled for this device?
inline bool not_compiled(cudaError_t e) { return e == cudaErrorNoKernelImageForDevice || e == cudaErrorInvalidDeviceFunction; }

// Copies an operand, and makes x the copy.
inline gemm_status copy_operand(char const* who, matrix& x, packed r, void* to, bool beside_last, bool next_begins_early,
                                cudaStream_t stream) {
  r.at.data = to;
  repacking const how{x, to, r.run, r.extent, r.pitch, r.lines, r.batches, beside_last, next_begins_early};
  if (cudaError_t const e = launch_repack(how, stream); e != cudaSuccess) return failed(e, std::string("copying ") + who);
  x = r.at;
  return {};
}

inline gemm_status launched(gemm_kernel const& k, cudaError_t e) {
  if (not_compiled(e)) return refused(gemm_error::unsupported_device, name_of(k) + " is not compiled for this device");
  return e == cudaSuccess ? gemm_status{.kernel = name_of(k)} : failed(e, name_of(k));
}
// Split-K, reduced by a second launch.
inline gemm_status run_split_k(candidate const& c, problem const& p, void* sums, cudaStream_t stream) {
  problem splits = split_for(c.kernel->summary, p, c.split_k);
  splits.c.data = splits.d.data = sums;
  if (gemm_status s = launched(*c.kernel, c.kernel->launch(splits, stream)); !s) return s;
  return launched(*c.kernel, launch_reduce_split_k(p, splits.d, c.split_k, stream));
}
inline bool stores_sums(candidate const& c) { return c.split_k > 1 && !c.reduces_in_cluster; }
// Operands as the kernel reads them. sums: memory for those of split-K.
inline gemm_status run_in_place(candidate const& c, problem p, void* sums, cudaStream_t stream) {
  if (c.reduces_in_cluster) {
    p.split_k = c.split_k;
    if (cudaError_t const e = c.kernel->launch(p, stream); !not_compiled(e)) return launched(*c.kernel, e);
    p.split_k = 1;  // code for devices without clusters cannot
  } else if (stores_sums(c)) {
    return run_split_k(c, p, sums, stream);
  }
  return launched(*c.kernel, c.kernel->launch(p, stream));
}
// What a candidate needs memory for.
inline std::string needs(candidate const& c) {
  std::string r = c.copy_a ? "a copy of A" : "";
  if (c.copy_b) r += (r.empty() ? "" : ", ") + std::string("a copy of B");
  if (stores_sums(c)) r += (r.empty() ? "" : ", ") + std::string("the sums of split-K");
  return r;
}
// All memory is allocated before the first launch: what a graph has between two launches keeps the second from beginning early.
inline gemm_status run(candidate const& c, problem p, memory_pool& pool, cudaStream_t stream) {
  plan_summary const& used = c.kernel->summary;
  packed const a = c.copy_a ? repacked(p.a, p.m, p.k, p.batches, used.major_a) : packed{},
               b = c.copy_b ? repacked(p.b, p.n, p.k, p.batches, used.major_b) : packed{};
  int64 bytes = 0;
  auto const behind = [&](int64 of) { return std::exchange(bytes, plus(bytes, times(ceil_div(of, 256), 256))); };
  int64 const at_a = behind(a.bytes), at_b = behind(b.bytes),
              at_sums = behind(stores_sums(c) ? split_k_bytes(p, c.split_k, used.accumulator) : 0);
  workspace memory(pool, stream);
  if (bytes > 0)
    if (cudaError_t const e = memory.allocate(bytes); e != cudaSuccess) return no_room(e, needs(c));
  auto const at = [&](int64 offset) { return static_cast<char*>(memory.data()) + offset; };
  // Its blocks have an SM each; others would lie on the SMs that a copy leaves first, several on each.
  bool const alone = !threads_produce(used);
  if (c.copy_a)
    if (gemm_status s = copy_operand("A", p.a, a, at(at_a), false, c.copy_b || alone, stream); !s) return s;
  if (c.copy_b)
    if (gemm_status s = copy_operand("B", p.b, b, at(at_b), c.copy_a, alone, stream); !s) return s;
  return run_in_place(c, p, at(at_sums), stream);
}
// The launch of a candidate that is one launch of a kernel which makes it beforehand; else none.
inline std::unique_ptr<ready_launch const> prepared(candidate const& c, problem p) {
  if (c.kernel->launcher == nullptr || c.copy_a || c.copy_b || stores_sums(c)) return nullptr;
  p.split_k = c.split_k;
  return c.kernel->launcher->prepare(p);
}

// The residues of an operand that comes again, of all its batches, or of one where they are the same.
struct kept_residues {
  void const* of = nullptr;  // the operand's elements
  void* memory = nullptr;
  int64 bytes = 0, batches = 0;

  kept_residues() = default;
  kept_residues(kept_residues const&) = delete;
  ~kept_residues() { cudaFree(memory); }
  void* of_batch(int64 batch) const { return static_cast<char*>(memory) + (batches == 1 ? 0 : batch) * bytes; }
};
struct emulated_operands {
  kept_residues const *a = nullptr, *b = nullptr;

  emulated_launches::kept_operands of_batch(int64 i) const {
    return {a == nullptr ? nullptr : a->of_batch(i), b == nullptr ? nullptr : b->of_batch(i)};
  }
};

inline gemm_status run_emulated(emulated_gemm const& how, problem const& p, emulated_operands const& kept, int* used,
                                memory_pool& pool, cudaStream_t stream) {
  auto const native = [](candidate const& c, problem const& x, cudaStream_t s) {
    return c.kernel->launch(c.swap_ab ? transposed(x) : x, s);
  };
  problem const first = batch_of(p, 0);
  int64 const bytes = emulated_launches(how, first, kept.of_batch(0), stream).bytes();
  workspace memory(pool, stream);
  cudaError_t e = pool.keep(static_cast<std::uint64_t>(bytes));
  if (e == cudaSuccess) e = memory.allocate(bytes);
  if (e != cudaSuccess) return no_room(e, "the residues");
  for (int64 batch = 0; batch < p.batches && e == cudaSuccess; ++batch) {
    problem const one = batch_of(p, batch);
    e = emulated_launches(how, one, kept.of_batch(batch), stream).run(memory.data(), used, native);
  }
  return launched(*how.product, e);
}
// Makes the residues of A or B, in memory of their own.
inline gemm_status keep_residues(kept_residues& kept, emulated_gemm const& how, problem const& all, bool is_a,
                                 cudaStream_t stream) {
  matrix const& operand = is_a ? all.a : all.b;
  kept.of = operand.data;
  kept.batches = operand.offset(2, 1) == operand.offset(2, 0) ? 1 : all.batches;
  kept.bytes = emulated_launches(how, all, {}, stream).bytes_to_keep(is_a);
  cudaError_t e = cudaMalloc(&kept.memory, static_cast<std::size_t>(kept.bytes * kept.batches));
  if (e != cudaSuccess) return no_room(e, "the residues");
  for (int64 batch = 0; batch < kept.batches && e == cudaSuccess; ++batch) {
    problem const one = batch_of(all, batch);
    e = emulated_launches(how, one, {}, stream).keep(is_a, kept.of_batch(batch));
  }
  return launched(*how.product, e);
}

}  // namespace colex::gpu
