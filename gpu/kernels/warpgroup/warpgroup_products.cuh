// The consumer's mainloop: wgmma with A from shared memory or from registers, with or without two-level accumulation; and the
// order of ping-pong groups. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/warpgroup/warpgroup_results.cuh"
#include "gpu/kernels/warpgroup/wgmma.cuh"

namespace colex::gpu::warpgroup {

// A matrix descriptor without its address (PTX ISA, "Matrix descriptor"): swizzled rows of 128 bytes.
__device__ constexpr std::uint64_t descriptor(descriptor_strides by) {
  return std::uint64_t{1} << 62 | static_cast<std::uint64_t>(by.stride >> 4) << 32 |
         static_cast<std::uint64_t>(by.leading >> 4) << 16;
}
// Bytes from the beginning of a stage to (row, k), a place that the swizzle leaves alone.
template <class S, bool IsA>
__device__ constexpr int bytes_to(int row, int k) {
  constexpr int rows = IsA ? S::m : S::n;
  return at<(IsA ? S::P.smem_a.inner : S::P.smem_b.inner)>(row + rows * k) * S::element_bytes;
}

struct operand_types {
  element a, b;
};
// Issues the wgmmas of a stage for this warpgroup's rows.
template <class S, operand_types Types>
__device__ void multiply(typename S::sum (&d)[S::atoms][S::n / 2], std::uint32_t at_a, std::uint32_t at_b, bool keeps) {
  constexpr major along_a = S::P.major_a, along_b = staged_major_b(S::P);
  constexpr bool rows_a = along_a == major::mn, rows_b = along_b == major::mn;
  constexpr std::uint64_t of_a = descriptor(strides_of(S::P, along_a)), of_b = descriptor(strides_of(S::P, along_b));
  // In a cluster the upper bits of a shared memory address name the block; a descriptor has only the lower ones.
  constexpr std::uint32_t mine = (1 << 18) - 1;
  std::uint64_t const from_a = of_a | (at_a & mine) >> 4, from_b = of_b | (at_b & mine) >> 4;
#pragma unroll
  for (int k = 0; k < S::k / S::atom_k; ++k) {
#pragma unroll
    for (int i = 0; i < S::atoms; ++i)
      wgmma<Types.a, Types.b, rows_a, rows_b>(d[i], from_a + (bytes_to<S, true>(64 * i, k * S::atom_k) >> 4),
                                              from_b + (bytes_to<S, false>(0, k * S::atom_k) >> 4), keeps || k > 0);
  }
}

// The same with A's fragments of the stage in registers.
template <class S>
using fragments = std::uint32_t[S::k / S::atom_k][4];
template <class S>
__device__ void multiply(typename S::sum (&d)[S::atoms][S::n / 2], fragments<S> const& a, std::uint32_t at_b, bool keeps) {
  static_assert(S::atoms == 1 && staged_major_b(S::P) == major::k);
  std::uint64_t const from_b = descriptor(strides_of(S::P, major::k)) | (at_b & ((1 << 18) - 1)) >> 4;
#pragma unroll
  for (int k = 0; k < S::k / S::atom_k; ++k)
    wgmma(d[0], a[k], from_b + (bytes_to<S, false>(0, k * S::atom_k) >> 4), keeps || k > 0);
}

// A consumer warpgroup.
template <class S>
struct consumer {
  using sums = typename S::sum[S::atoms][S::n / 2];
  std::uint32_t full, at_a, at_b;
  place<S> here;
  int thread;
  pipeline_state<S::P.stages> state = {};

  __device__ consumer(std::uint32_t shared, int share, place<S> here_, int thread_)
      : full(shared + S::at_barriers),
        at_a(shared + bytes_to<S, true>(share * S::rows, 0)),
        at_b(shared + S::at_b),
        here(here_),
        thread(thread_) {}

  // Waits for the next stage and issues its wgmmas: a read_step of proofs/gemm/Ring.v.
  template <operand_types Types>
  __device__ void issue(sums& d, bool keeps) {
    barrier_wait(full + 8 * state.stage, state.phase);
    wait_for_b();
    wgmma_fence();
    multiply<S, Types>(d, at_a + state.stage * S::bytes_a, at_b + state.stage * S::bytes_b, keeps);
    wgmma_commit();
  }
  // Waits until B lies as wgmma takes it.
  __device__ void wait_for_b() const {
    constexpr int transposed = S::at_transposed - S::at_barriers;
    if constexpr (transposes_b(S::P)) barrier_wait(full + transposed + 8 * state.stage, state.phase);
  }
  // Releases a stage, a done_step: arrives at the empty barrier of every block whose producer loaded some of it, one thread for
  // each.
  __device__ void release(int stage) const {
    std::uint32_t const empty = full + 8 * (S::P.stages + stage);
    int const arriver = S::releasing_warps == 1 ? thread : thread % 32;
    if constexpr (S::blocks == 1) {
      if (arriver == 0) barrier_arrive(empty);
    } else if (arriver < S::readers) {
      int const line = here.line(), column = here.column();
      int const other = arriver < S::P.cluster_m
                            ? arriver + column * S::P.cluster_m  // this column of the cluster, this block included
                            : line + (arriver - S::P.cluster_m + (arriver - S::P.cluster_m >= column)) * S::P.cluster_m;
      barrier_arrive(empty, here.block(other, here.split));
    }
  }
  // All of K of one tile. Calls issued() behind the last wgmma. A plan of bf16 multiplies f16 as well, by a mainloop of its
  // own; all else that it does is the same.
  template <class Issued>
  __device__ void mainloop(sums& d, element operands, int blocks_k, Issued issued) {
    if constexpr (S::P.a == element::bf16)
      if (operands == element::f16) return mainloop_of<operand_types{element::f16, element::f16}>(d, blocks_k, issued);
    mainloop_of<operand_types{S::P.a, S::P.b}>(d, blocks_k, issued);
  }

 private:
  template <operand_types Types, class Issued>
  __device__ void mainloop_of(sums& d, int blocks_k, Issued issued) {
    if constexpr (a_from_registers(S::P))
      mainloop_a_from_registers(d, blocks_k, issued);
    else if constexpr (S::P.two_level_accumulation && holds_two_stages(S::P))
      mainloop_two_level<Types>(d, blocks_k, issued);
    else if constexpr (S::P.two_level_accumulation)
      mainloop_two_level_one_set<Types>(d, blocks_k, issued);
    else
      mainloop_in_place<Types>(d, blocks_k, issued);
  }
  // One stage's wgmmas are in flight while those of the next are issued.
  template <operand_types Types, class Issued>
  __device__ void mainloop_in_place(sums& d, int blocks_k, Issued issued) {
    issue<Types>(d, false);
    int before = state.stage;
    state.next();
#pragma unroll 1
    for (int k = 1; k < blocks_k; ++k, state.next()) {
      issue<Types>(d, true);
      wgmma_wait<1>();
      release(before);
      before = state.stage;
    }
    issued();
    wgmma_wait<0>();
    each([&](int i, int j) { after_wgmma(d[i][j]); });
    release(before);
  }
  // Two-level accumulation: a stage's sums are promoted while the wgmmas of the next stage are in flight.
  template <operand_types Types, class Issued>
  __device__ void mainloop_two_level(sums& total, int blocks_k, Issued issued) {
    sums even, odd;
    each([&](int i, int j) { total[i][j] = 0; });
    issue<Types>(even, false);
    int before = state.stage, k = 1;
    state.next();
#pragma unroll 1
    for (; k + 1 < blocks_k; k += 2) {
      step<Types>(odd, even, total, before);
      step<Types>(even, odd, total, before);
    }
    auto const end = [&](sums& last) {
      issued();
      wgmma_wait<0>();
      release(before);
      promote(last, total);
    };
    if (k < blocks_k) {  // two epilogues: ptxas serializes wgmmas where paths with different ones in flight join (C7514)
      step<Types>(odd, even, total, before);
      end(odd);
    } else {
      end(even);
    }
  }
  // Two-level accumulation where registers hold the sums of one stage only: they are promoted while the other warpgroup's
  // wgmmas run.
  template <operand_types Types, class Issued>
  __device__ void mainloop_two_level_one_set(sums& total, int blocks_k, Issued issued) {
    sums part;
    each([&](int i, int j) { total[i][j] = 0; });
#pragma unroll 1
    for (int k = 1; k <= blocks_k; ++k) {
      issue<Types>(part, false);
      if (k == blocks_k) issued();
      wgmma_wait<0>();
      release(state.stage);
      state.next();
      promote(part, total);
    }
  }
  // Issues the next stage's wgmmas, then promotes the sums of the last one.
  template <operand_types Types>
  __device__ void step(sums& next, sums& last, sums& total, int& before) {
    issue<Types>(next, false);
    wgmma_wait<1>();
    release(before);
    before = state.stage;
    state.next();
    promote(last, total);
  }
  __device__ static void promote(sums& part, sums& total) {
    each([&](int i, int j) { after_wgmma(part[i][j]); });
    each([&](int i, int j) { total[i][j] += part[i][j]; });
  }

  // A from registers: a stage's fragments are loaded while the wgmmas of the last stage are in flight.
  template <class Issued>
  __device__ void mainloop_a_from_registers(sums& d, int blocks_k, Issued issued) {
    fragments<S> even, odd;
    load(even);
    issue(d, even, false);
    int before = state.stage;
    state.next();
#pragma unroll 1
    for (int left = blocks_k - 1; left > 0; left -= 2) {
      step(d, odd, before);
      if (left == 1) break;
      step(d, even, before);
    }
    issued();
    wgmma_wait<0>();
    release(before);
  }
  __device__ void step(sums& d, fragments<S>& next, int& before) {
    load(next);
    issue(d, next, true);
    wgmma_wait<1>();
    release(before);
    before = state.stage;
    state.next();
  }
  __device__ void issue(sums& d, fragments<S> const& a, bool keeps) {
    wait_for_b();
    wgmma_fence();
    multiply<S>(d, a, at_b + state.stage * S::bytes_b, keeps);
    wgmma_commit();
  }
  // Waits for the next stage and loads this thread's fragments of A.
  __device__ void load(fragments<S>& to) const {
    constexpr int step = (at<S::P.smem_a>(S::m * S::atom_k) - at<S::P.smem_a>(0)) * 4;
    int const lane = thread % 32;
    barrier_wait(full + 8 * state.stage, state.phase);
#pragma unroll
    for (int k = 0; k < S::k / S::atom_k; ++k) {
      std::uint32_t read[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        tile_coordinate const p = fragment_coordinate(lane, fragment_read(lane, i));
        int const own = 4 * at<S::P.smem_a>(thread / 32 * 16 + p.row + S::m * p.column);
        read[i] = get<std::uint32_t>(at_a + state.stage * S::bytes_a + own + k * step);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) to[k][i] = lane < 16 ? read[i] : read[i ^ 2];
    }
  }

  template <class Do>
  __device__ static void each(Do f) {
#pragma unroll
    for (int i = 0; i < S::atoms; ++i)
#pragma unroll
      for (int j = 0; j < S::n / 2; ++j) f(i, j);
  }
};

// The order of ping-pong groups (CUTLASS: OrderedSequenceBarrier). A group's mainloop begins behind the last wgmma of the group
// before it: one group's epilogue overlaps the other's mainloop, and no group waits for a stage two tiles ahead.
template <class S>
struct order_barrier {
  std::uint32_t own, next, phase;
  bool arrives;

  __device__ order_barrier(std::uint32_t shared, int group, int thread)
      : own(shared + S::at_order_barriers + 8 * group),
        next(shared + S::at_order_barriers + 8 * ((group + 1) % S::P.warpgroup.pingpong_groups)),
        phase(group == 0),
        arrives(thread % (128 * S::cooperative_warpgroups) == 0) {}
  __device__ void wait() {
    if constexpr (S::P.warpgroup.pingpong_groups > 1) barrier_wait(own, phase);
    phase ^= 1;
  }
  __device__ void arrive() const {
    if (S::P.warpgroup.pingpong_groups > 1 && arrives) barrier_arrive(next);
  }
};

}  // namespace colex::gpu::warpgroup
