// How a warpgroup multiplies stage after stage, as soon as each is there: from shared memory, through registers, or into sums
// that are added to longer ones; and whose turn it is. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/warpgroup/warpgroup_results.cuh"
#include "gpu/kernels/warpgroup/wgmma.cuh"

namespace colex::gpu::warpgroup {

// Where an instruction reads an operand, but for its address (PTX ISA, "Matrix descriptor"): swizzled rows of 128 bytes.
__device__ constexpr std::uint64_t descriptor(operand_steps by) {
  return std::uint64_t{1} << 62 | static_cast<std::uint64_t>(by.stride >> 4) << 32 |
         static_cast<std::uint64_t>(by.leading >> 4) << 16;
}
// Bytes from the beginning of a stage to (row, k), where the swizzle changes nothing.
template <class S, bool IsA>
__device__ constexpr int bytes_to(int row, int k) {
  constexpr int rows = IsA ? S::m : S::n;
  return at<(IsA ? S::P.smem_a.inner : S::P.smem_b.inner)>(row + rows * k) * S::element_bytes;
}

// One stage: all of its K for this warpgroup's rows.
template <class S>
__device__ void multiply(typename S::sum (&d)[S::atoms][S::n / 2], std::uint32_t at_a, std::uint32_t at_b, bool keeps) {
  constexpr bool rows_a = S::P.major_a == major::mn, rows_b = S::P.major_b == major::mn;
  constexpr std::uint64_t of_a = descriptor(steps_of(S::P, S::P.major_a)), of_b = descriptor(steps_of(S::P, S::P.major_b));
  // In a cluster the address of shared memory says which block's it is, above what an instruction reads.
  constexpr std::uint32_t mine = (1 << 18) - 1;
  std::uint64_t const from_a = of_a | (at_a & mine) >> 4, from_b = of_b | (at_b & mine) >> 4;
#pragma unroll
  for (int k = 0; k < S::k / S::atom_k; ++k) {
#pragma unroll
    for (int i = 0; i < S::atoms; ++i)
      wgmma<S::P.a, S::P.b, rows_a, rows_b>(d[i], from_a + (bytes_to<S, true>(64 * i, k * S::atom_k) >> 4),
                                            from_b + (bytes_to<S, false>(0, k * S::atom_k) >> 4), keeps || k > 0);
  }
}

// The same of B, with A's registers of the stage.
template <class S>
using fragments = std::uint32_t[S::k / S::atom_k][4];
template <class S>
__device__ void multiply(typename S::sum (&d)[S::atoms][S::n / 2], fragments<S> const& a, std::uint32_t at_b, bool keeps) {
  static_assert(S::atoms == 1 && S::P.major_b == major::k);
  std::uint64_t const from_b = descriptor(steps_of(S::P, major::k)) | (at_b & ((1 << 18) - 1)) >> 4;
#pragma unroll
  for (int k = 0; k < S::k / S::atom_k; ++k)
    wgmma(d[0], a[k], from_b + (bytes_to<S, false>(0, k * S::atom_k) >> 4), keeps || k > 0);
}

// A warpgroup's way round the ring.
template <class S>
struct multiplier {
  using sums = typename S::sum[S::atoms][S::n / 2];
  std::uint32_t full, at_a, at_b;
  int rank, thread;
  ring<S::P.stages> r = {};

  __device__ multiplier(std::uint32_t shared, int share, int rank_, int thread_)
      : full(shared + S::at_barriers),
        at_a(shared + bytes_to<S, true>(share * S::rows, 0)),
        at_b(shared + S::at_b),
        rank(rank_),
        thread(thread_) {}

  // The products of the next stage, as soon as it is there.
  __device__ void begin(sums& d, bool keeps) {
    barrier_wait(full + 8 * r.stage, r.parity);
    wgmma_fence();
    multiply<S>(d, at_a + r.stage * S::bytes_a, at_b + r.stage * S::bytes_b, keeps);
    wgmma_commit();
  }
  // Says that a stage is free, to every block whose feeding warp brought some of it: one thread each.
  __device__ void release(int stage) const {
    std::uint32_t const empty = full + 8 * (S::P.stages + stage);
    int const speaker = S::speakers == 1 ? thread : thread % 32;
    if constexpr (S::blocks == 1) {
      if (speaker == 0) barrier_arrive(empty);
    } else if (speaker < S::readers) {
      int const line = rank % S::P.cluster_m, column = rank / S::P.cluster_m;
      int const other = speaker < S::P.cluster_m
                            ? speaker + column * S::P.cluster_m  // this column, itself among them
                            : line + (speaker - S::P.cluster_m + (speaker - S::P.cluster_m >= column)) * S::P.cluster_m;
      barrier_arrive(empty, other);
    }
  }
  // All of K of one tile; issued() behind its last instruction.
  template <class Issued>
  __device__ void all(sums& d, int blocks_k, Issued issued) {
    if constexpr (through_registers(S::P))
      all_through_registers(d, blocks_k, issued);
    else if constexpr (S::P.promotes && holds_two_stages(S::P))
      all_promoted(d, blocks_k, issued);
    else if constexpr (S::P.promotes)
      all_promoted_in_turn(d, blocks_k, issued);
    else
      all_in_place(d, blocks_k, issued);
  }

 private:
  // One stage's products are under way while the next one's are issued.
  template <class Issued>
  __device__ void all_in_place(sums& d, int blocks_k, Issued issued) {
    begin(d, false);
    int before = r.stage;
    r.next();
#pragma unroll 1
    for (int k = 1; k < blocks_k; ++k, r.next()) {
      begin(d, true);
      wgmma_wait<1>();
      release(before);
      before = r.stage;
    }
    issued();
    wgmma_wait<0>();
    release(before);
  }
  // The same where each stage's sums are added to longer ones, while the next stage's products are under way.
  template <class Issued>
  __device__ void all_promoted(sums& total, int blocks_k, Issued issued) {
    sums even, odd;
    each([&](int i, int j) { total[i][j] = 0; });
    begin(even, false);
    int before = r.stage, k = 1;
    r.next();
#pragma unroll 1
    for (; k + 1 < blocks_k; k += 2) {
      follow(odd, even, total, before);
      follow(even, odd, total, before);
    }
    auto const end = [&](sums& last) {
      issued();
      wgmma_wait<0>();
      release(before);
      promote(last, total);
    };
    if (k < blocks_k) {  // two ends: where ways join, ptxas does not know which products are under way
      follow(odd, even, total, before);
      end(odd);
    } else {
      end(even);
    }
  }
  // The same where registers hold one stage's sums beside the longer ones: they are added while the other warpgroup multiplies.
  template <class Issued>
  __device__ void all_promoted_in_turn(sums& total, int blocks_k, Issued issued) {
    sums part;
    each([&](int i, int j) { total[i][j] = 0; });
#pragma unroll 1
    for (int k = 1; k <= blocks_k; ++k) {
      begin(part, false);
      if (k == blocks_k) issued();
      wgmma_wait<0>();
      release(r.stage);
      r.next();
      promote(part, total);
    }
  }
  // Issues a stage's products, then promotes those of the one before.
  __device__ void follow(sums& next, sums& last, sums& total, int& before) {
    begin(next, false);
    wgmma_wait<1>();
    release(before);
    before = r.stage;
    r.next();
    promote(last, total);
  }
  __device__ static void promote(sums& part, sums& total) {
    each([&](int i, int j) { asm volatile("" : "+f"(part[i][j])); });  // not before they are there
    each([&](int i, int j) { total[i][j] += part[i][j]; });
  }

  // The same where A goes through registers: they are loaded while the products of the stage before are under way.
  template <class Issued>
  __device__ void all_through_registers(sums& d, int blocks_k, Issued issued) {
    fragments<S> even, odd;
    load(even);
    begin(d, even, false);
    int before = r.stage;
    r.next();
#pragma unroll 1
    for (int left = blocks_k - 1; left > 0; left -= 2) {
      follow(d, odd, before);
      if (left == 1) break;
      follow(d, even, before);
    }
    issued();
    wgmma_wait<0>();
    release(before);
  }
  __device__ void follow(sums& d, fragments<S>& next, int& before) {
    load(next);
    begin(d, next, true);
    wgmma_wait<1>();
    release(before);
    before = r.stage;
    r.next();
  }
  __device__ void begin(sums& d, fragments<S> const& a, bool keeps) {
    wgmma_fence();
    multiply<S>(d, a, at_b + r.stage * S::bytes_b, keeps);
    wgmma_commit();
  }
  // This thread's elements of the next stage of A, as soon as it is there.
  __device__ void load(fragments<S>& to) const {
    constexpr int step = (at<S::P.smem_a>(S::m * S::atom_k) - at<S::P.smem_a>(0)) * 4;
    int const lane = thread % 32;
    barrier_wait(full + 8 * r.stage, r.parity);
#pragma unroll
    for (int k = 0; k < S::k / S::atom_k; ++k) {
      std::uint32_t read[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        place const p = fragment_place(lane, fragment_read(lane, i));
        int const own = 4 * at<S::P.smem_a>(thread / 32 * 16 + p.row + S::m * p.column);
        read[i] = get<std::uint32_t>(at_a + r.stage * S::bytes_a + own + k * step);
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

// Warpgroups that take tiles by turns begin one behind the other's last instruction: then each one's results leave while the
// other multiplies, and neither waits for a stage of two rounds ahead.
template <class S>
struct turns {
  std::uint32_t own, next, parity;
  bool speaks;

  __device__ turns(std::uint32_t shared, int turn, int thread)
      : own(shared + S::at_turns + 8 * turn),
        next(shared + S::at_turns + 8 * ((turn + 1) % S::P.turns)),
        parity(turn == 0),
        speaks(thread % (128 * S::sharers) == 0) {}
  __device__ void wait() {
    if constexpr (S::P.turns > 1) barrier_wait(own, parity);
    parity ^= 1;
  }
  __device__ void pass() const {
    if (S::P.turns > 1 && speaks) barrier_arrive(next);
  }
};

}  // namespace colex::gpu::warpgroup
