// The roles of an sm100 kernel's warps, over a machine: the device (sm100.cu), or the one that the tests emulate, so that what
// is tested is what runs. A machine has the instructions and nothing else; all addresses are the plan's.
//
// Barriers. A wait names the parity of the phase that must be complete. Before the first phase the odd one counts as complete,
// so that producers pass at once as often as there are buffers.
//   full(s)       of the leader: 1 arrival, the producer's, which expects the stage's bytes on all its SMs, and those bytes.
//                 The peer cannot be a phase early: it waits for its empty(s), which follows full(s).
//   empty(s)      on each SM: 1 arrival, of tcgen05.commit, when all MMAs issued before are done with the stage.
//   sum_full(b)   on each SM: 1 arrival, of tcgen05.commit, when the accumulator is complete.
//   sum_empty(b)  of the leader: 1 arrival of each epilogue warp, on each SM, when its last load is complete.
// The steps of proofs/gemm/Ring.v: loads into a stage that is empty begin a fill_step; full(s) complete is a land_step; the
// MMAs of the stage are a read_step; tcgen05.commit at empty(s) ends it, a done_step. Both sides of a barrier flip the phase
// each time around the buffers (pipeline_state). Phases cannot be confused: neither side is more than one time around ahead,
// because it waits for the other. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/tensor.hpp"
#include "gpu/kernels/common/pipeline_state.hpp"
#include "gpu/plans/umma.hpp"

#if defined(__CUDACC__)
#define COLEX_ROLE __device__ __forceinline__
#else
#define COLEX_ROLE inline
#endif

namespace colex::gpu {

// Extents of D; its tiles, each of both SMs of a pair; tiles of K.
struct umma_work {
  int64 rows, columns;
  tile_order tiles;
  int k;

  COLEX_HD constexpr umma_work(umma_map const& s, int64 m, int64 n, int64 depth, int64 batches)
      : rows(m),
        columns(n),
        tiles{ceil_div(m, s.m * s.sms), ceil_div(n, s.n), batches},
        k(static_cast<int>(ceil_div(depth, s.k))) {}
};

template <class Plan>  // has `static constexpr plan value`
struct umma_roles {
  // One thread of each SM, before all others begin.
  template <class Machine>
  COLEX_ROLE static void init_barriers(Machine& m) {
    constexpr umma_map s(Plan::value);
    for (int i = 0; i < s.stages; ++i) m.init(s.full_barrier(i), 1), m.init(s.empty_barrier(i), 1);
    for (int i = 0; i < accumulator_buffers; ++i)
      m.init(s.sum_full_barrier(i), 1), m.init(s.sum_empty_barrier(i), umma_epilogue_warps * s.sms);
  }

  // The producer, one thread of each SM: global to shared memory.
  template <operand X, class Machine>
  COLEX_ROLE static void load_operand(Machine& m, int to, int barrier, int row, int k, int batch) {
    constexpr umma_map s(Plan::value);
    constexpr layout boxes = X == operand::a ? Plan::value.copy_a : Plan::value.copy_b;
    constexpr int elements = static_cast<int>(size(boxes, 0)), count = static_cast<int>(size(boxes, 1));
    constexpr int rows = static_cast<int>(size(X == operand::a ? Plan::value.smem_a.inner : Plan::value.smem_b.inner, 0));
    constexpr bool along_k = (X == operand::a ? Plan::value.major_a : Plan::value.major_b) == major::k;
    for (int i = 0; i < count; ++i) {
      int const first = boxes.unchecked(i * elements), r = row + first % rows, c = k + first / rows;
      m.template load<X>(to + i * (X == operand::a ? s.box_a : s.box_b), barrier, along_k ? c : r, along_k ? r : c, batch);
    }
  }
  template <class Machine>
  COLEX_ROLE static void load_stage(Machine& m, int stage, tile_index const& t, int k) {
    constexpr umma_map s(Plan::value);
    int const row = static_cast<int>(t.m * s.sms + m.rank()) * s.m, batch = static_cast<int>(t.batch);
    int const column = static_cast<int>(t.n) * s.n + m.rank() * s.n / s.sms;
    int const depth = k * s.k;
    load_operand<operand::a>(m, s.at_a(stage), s.full_barrier(stage), row, depth, batch);
    load_operand<operand::b>(m, s.at_b(stage), s.full_barrier(stage), column, depth, batch);
    if constexpr (Plan::value.scale.block > 0) {
      m.template load_factors<operand::a>(s.at_sfa(stage), s.full_barrier(stage), t.m, k, batch, s.sfa);
      m.template load_factors<operand::b>(s.at_sfb(stage), s.full_barrier(stage), t.n, k, batch, s.sfb);
    }
  }
  template <class Machine>
  COLEX_ROLE static void produce(Machine& m, umma_work const& w) {
    constexpr umma_map s(Plan::value);
    pipeline_state<s.stages> r;
    for (int64 i = m.cluster(); i < w.tiles.count(); i += m.clusters()) {
      tile_index const t = w.tiles(i);
      COLEX_ROLLED
      for (int k = 0; k < w.k; ++k, r.next()) {
        m.wait(s.empty_barrier(r.stage), r.phase ^ 1);
        if (m.rank() == 0) m.expect(s.full_barrier(r.stage), s.bytes_of_stage());
        load_stage(m, r.stage, t, k);
      }
    }
    // The block must not exit while the tensor core may still arrive at its barriers.
    for (int stage = 0; stage < s.stages; ++stage, r.next()) m.wait(s.empty_barrier(r.stage), r.phase ^ 1);
  }

  // The MMA thread, of the leader: shared to tensor memory.
  template <class Machine>
  COLEX_ROLE static void copy_factors(Machine& m, int stage) {
    constexpr umma_map s(Plan::value);
    constexpr std::uint64_t d = factor_descriptor();
    for (int i = 0; i < s.words; ++i) {
      m.copy_factors(s.factor_column_a(stage) + i * s.m / 32, d, s.at_sfa(stage) + 4 * i * s.m);
      m.copy_factors(s.factor_column_b(stage) + i * s.n / 32, d, s.at_sfb(stage) + 4 * i * s.n);
    }
  }
  template <class Machine>
  COLEX_ROLE static void multiply_stage(Machine& m, int stage, int column, bool adds) {
    constexpr umma_map s(Plan::value);
    constexpr std::uint64_t da = operand_descriptor(Plan::value.smem_a, Plan::value.major_a, Plan::value.a),
                            db = operand_descriptor(Plan::value.smem_b, Plan::value.major_b, Plan::value.b);
    constexpr std::uint32_t instruction = instruction_descriptor(Plan::value);
    if constexpr (Plan::value.scale.block > 0) copy_factors(m, stage);
    COLEX_UNROLL
    for (int step = 0; step < s.steps; ++step) {
      std::uint64_t const a = m.at(da, s.at_a(stage) + step * s.step_a), b = m.at(db, s.at_b(stage) + step * s.step_b);
      if constexpr (Plan::value.scale.block > 0)
        m.multiply(column, a, b, with_factors(instruction, s.factor_byte(step)), adds || step > 0,
                   s.factor_column_a(stage) + s.factor_word(step) * s.m / 32,
                   s.factor_column_b(stage) + s.factor_word(step) * s.n / 32);
      else
        m.multiply(column, a, b, instruction, adds || step > 0);
    }
  }
  template <class Machine>
  COLEX_ROLE static void multiply(Machine& m, umma_work const& w) {
    constexpr umma_map s(Plan::value);
    pipeline_state<s.stages> r;
    pipeline_state<accumulator_buffers> sum;
    for (int64 i = m.cluster(); i < w.tiles.count(); i += m.clusters(), sum.next()) {
      m.wait(s.sum_empty_barrier(sum.stage), sum.phase ^ 1);
      m.fence_after();
      COLEX_ROLLED
      for (int k = 0; k < w.k; ++k, r.next()) {
        m.wait(s.full_barrier(r.stage), r.phase);
        m.fence_after();
        multiply_stage(m, r.stage, sum.stage * s.n, k > 0);
        m.commit(s.empty_barrier(r.stage));
      }
      m.commit(s.sum_full_barrier(sum.stage));
    }
  }

  // The epilogue, four warps of each SM: tensor memory to global memory.
  template <int Count, class Machine>
  COLEX_ROLE static void store_columns(Machine& m, umma_work const& w, tile_index const& t, int buffer, int first) {
    constexpr umma_map s(Plan::value);
    constexpr layout epilogue = umma_epilogue(Plan::value);
    m.template load_sums<Count>(buffer * s.n + first, [&](int lane, std::uint32_t const(&sums)[Count]) {
      int const at = epilogue.unchecked(lane + tensor_memory_lanes * first);
      int64 const row = (t.m * s.sms + m.rank()) * s.m + at % s.m, column = t.n * s.n + at / s.m;
      if (row < w.rows && column < w.columns) m.store(row, column, t.batch, sums);
    });
  }
  template <class Machine>
  COLEX_ROLE static void store_tile(Machine& m, umma_work const& w, tile_index const& t, int buffer) {
    constexpr umma_map s(Plan::value);
    COLEX_ROLLED
    for (int first = 0; first < s.n; first += epilogue_columns)
      if (m.stores_vectors() && t.n * s.n + first + epilogue_columns <= w.columns) {
        store_columns<epilogue_columns>(m, w, t, buffer, first);
      } else {
        COLEX_ROLLED
        for (int i = 0; i < epilogue_columns; ++i) store_columns<1>(m, w, t, buffer, first + i);
      }
  }
  template <class Machine>
  COLEX_ROLE static void store(Machine& m, umma_work const& w) {
    constexpr umma_map s(Plan::value);
    pipeline_state<accumulator_buffers> sum;
    for (int64 i = m.cluster(); i < w.tiles.count(); i += m.clusters(), sum.next()) {
      m.wait(s.sum_full_barrier(sum.stage), sum.phase);
      m.fence_after();
      store_tile(m, w, w.tiles(i), sum.stage);
      m.fence_before();
      m.arrive_at_leader(s.sum_empty_barrier(sum.stage));
    }
  }
};

}  // namespace colex::gpu
