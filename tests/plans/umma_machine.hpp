// The roles of gpu/kernels/umma/umma.hpp as they are, on an emulated pair of SMs: what each of their steps does there,
// asynchronous in whatever order a seed draws. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/plans/umma_chip.hpp"

#include <cstring>
#include <utility>
#include <vector>

namespace colex::umma {

// What a launch hands to the kernel, and what comes out: raw sums, and how often each element was written.
struct job {
  std::int64_t m, n, k, batches;
  mapped a, b;
  std::vector<std::uint8_t> sfa, sfb;  // packed
  bool stores_vectors;
  std::vector<std::uint32_t> sums;
  std::vector<int> written;
};

// A barrier that is not waited for, to see that the test would notice.
enum class fault { none, full, empty, sum_full, sum_empty };

// One thread, or warp, of the kernel.
template <class Plan>
struct machine {
  static constexpr gpu::umma_map map{Plan::value};
  static constexpr std::uint32_t shared = 3072;

  chip& c;
  job& j;
  int in, of, all;  // the SM of the pair, the pair, pairs
  int warp = 0;
  fault without = fault::none;

  int rank() const { return in; }
  int cluster() const { return of; }
  int clusters() const { return all; }
  sm& here() const { return c.sms[static_cast<std::size_t>(in)]; }
  static std::uint32_t at(int bytes) { return shared + static_cast<std::uint32_t>(bytes); }

  void init(int barrier, int arrivals) const { here().barriers[at(barrier)] = {.arrivals = arrivals, .pending = arrivals}; }
  fault kind_of_barrier(int barrier) const {
    if (barrier < map.empty_barrier(0)) return fault::full;
    if (barrier < map.sum_full_barrier(0)) return fault::empty;
    return barrier < map.sum_empty_barrier(0) ? fault::sum_full : fault::sum_empty;
  }
  void wait(int barrier, std::uint32_t parity) const {
    auto const& b = here().barriers[at(barrier)];
    if (kind_of_barrier(barrier) == without) return c.order.yield();
    c.order.wait([&] { return b.phase != parity; });
    if (kind_of_barrier(barrier) == fault::empty) c.turns[static_cast<std::size_t>(in)].waited = true;
  }
  // The steps of the ring. Of a pair of SMs one is the first to fill a stage, and to see it empty.
  void begins_to_load() const {
    auto& [waited, filled, emptied] = c.turns[static_cast<std::size_t>(in)];
    if (std::exchange(waited, false) && ++filled > c.stages.filled()) c.stages.take(ring_step::fill_step);
  }
  static void phase_is_over(chip& c, int in, std::uint32_t barrier) {
    auto const before = [&](int first) { return barrier < at(first); };
    if (before(map.empty_barrier(0))) c.stages.take(ring_step::land_step, c.landed++);
    if (before(map.empty_barrier(0)) || !before(map.sum_full_barrier(0))) return;
    if (++c.turns[static_cast<std::size_t>(in)].emptied > c.stages.read()) c.stages.take(ring_step::done_step);
  }
  void expect(int barrier, int bytes) const { c.arrive(in, at(barrier), 1, bytes); }
  void fence_before() const {}
  void fence_after() const {}

  template <gpu::operand X>
  void load(int to, int barrier, int run, int row, int batch) const {
    begins_to_load();
    mapped const& x = X == gpu::operand::a ? j.a : j.b;
    constexpr int elements = static_cast<int>(gpu::box_of(Plan::value, Plan::value.copy_a).elements);
    c.order.later(scheduler::none,
                  [=, this, chip = &c] { chip->copy(in, at(to), x, run / elements, row, batch, 0, at(barrier)); });
    c.order.yield();
  }
  template <gpu::operand X>
  void load_factors(int to, int barrier, std::int64_t tile, int k, int batch, int bytes) const {
    auto const& from = X == gpu::operand::a ? j.sfa : j.sfb;
    std::int64_t const tiles = gpu::ceil_div(X == gpu::operand::a ? j.m : j.n, 128), depth = gpu::ceil_div(j.k, map.k);
    std::uint8_t const* source = &from.at(static_cast<std::size_t>(((batch * tiles + tile) * depth + k) * bytes));
    c.order.later(scheduler::none, [=, this, chip = &c] {
      std::memcpy(&chip->sms[static_cast<std::size_t>(in)].shared.at(at(to)), source, static_cast<std::size_t>(bytes));
      chip->arrive(in, at(barrier), 0, 0, bytes);
    });
  }

  std::uint64_t at(std::uint64_t descriptor, int bytes) const { return descriptor + (at(bytes) >> 4); }
  // tcgen05.mma waits for the tcgen05.cp before it; nothing makes that wait for the tcgen05.mma before it.
  void copy_factors(int to, std::uint64_t descriptor, int from) const {
    c.order.sooner(
        0, [=, d = at(descriptor, from), chip = &c, sm = in] { chip->copy_factors(sm, static_cast<std::uint32_t>(to), d); });
  }
  void multiply(int column, std::uint64_t a, std::uint64_t b, std::uint32_t instruction, bool adds, int fa = 0,
                int fb = 0) const {
    c.order.later(0, [=, chip = &c] {
      if (!chip->stages.reads()) chip->stages.take(ring_step::read_step);
      umma::multiply(*chip, map.sms, kind_of(gpu::instruction_of(Plan::value)), static_cast<std::uint32_t>(column), a, b,
                     instruction, adds, fa, fb);
    });
    c.order.yield();
  }
  void commit(int barrier) const {
    for (int sm = 0; sm < map.sms; ++sm) c.order.later(0, [=, to = at(barrier), chip = &c] { chip->arrive(sm, to, 1); });
    c.order.yield();
  }
  void arrive_at_leader(int barrier) const {
    c.arrive(0, at(barrier), 1);
    c.order.yield();
  }

  // tcgen05.ld.32x32b: the 32 lanes that the warp's number modulo four names, a lane a thread.
  template <int Count, class F>
  void load_sums(int column, F f) const {
    for (int lane = 32 * (warp % 4); lane < 32 * (warp % 4) + 32; ++lane) {
      std::uint32_t r[Count];
      for (int i = 0; i < Count; ++i)
        r[i] = here().cell(static_cast<std::uint32_t>(lane), static_cast<std::uint32_t>(column + i));
      f(lane, r);
    }
    c.order.yield();
  }
  bool stores_vectors() const { return j.stores_vectors; }
  template <int Count>
  void store(std::int64_t row, std::int64_t column, std::int64_t batch, std::uint32_t const (&sums)[Count]) const {
    for (int i = 0; i < Count; ++i) {
      auto const to = static_cast<std::size_t>((batch * j.m + row) * j.n + column + i);
      j.sums.at(to) = sums[i];
      ++j.written.at(to);
    }
  }
};

// The kernel of a plan on so many pairs of SMs, one after another; what went wrong, or nothing.
template <class Plan>
std::string run(job& j, int pairs, std::uint64_t seed, fault without = fault::none) {
  using roles = gpu::umma_roles<Plan>;
  constexpr gpu::umma_map s(Plan::value);
  gpu::umma_work const work(s, j.m, j.n, j.k, j.batches);
  for (int pair = 0; pair < pairs; ++pair) {
    chip c(seed + static_cast<std::uint64_t>(pair), static_cast<std::size_t>(s.stages));
    c.phase_is_over = [&](int in, std::uint32_t barrier) { machine<Plan>::phase_is_over(c, in, barrier); };
    for (int in = 0; in < s.sms; ++in) {
      machine<Plan> m{c, j, in, pair, pairs, 0, without};
      roles::init_barriers(m);
      c.order.spawn([=]() mutable { roles::produce(m, work); });
      if (in == 0) c.order.spawn([=]() mutable { roles::multiply(m, work); });
      for (m.warp = gpu::umma_warps - gpu::umma_epilogue_warps; m.warp < gpu::umma_warps; ++m.warp)
        c.order.spawn([=]() mutable { roles::store(m, work); });
    }
    std::string const failure = c.order.run();
    if (!failure.empty()) return failure;
    std::int64_t const tiles = gpu::ceil_div(work.tiles.count() - pair, pairs);
    if (c.stages.reads() || c.stages.filled() != c.stages.read() || c.stages.read() != static_cast<std::size_t>(tiles * work.k))
      return "the ring has not finished";
  }
  return {};
}

}  // namespace colex::umma
