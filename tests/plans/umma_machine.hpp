// A pair of SMs with tensor memory on the host: shared memory, barriers, TMA, tcgen05.mma, .cp and .ld,
// each by the PTX ISA, asynchronous in whatever order a seed draws. Runs the roles of gpu/kernels/umma/umma.hpp as they are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/umma/umma.hpp"
#include "tests/plans/ring.hpp"
#include "tests/plans/umma_decoder.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace colex::umma {

// Who goes next: roles are threads of which one runs at a time, hardware's pending work is done in between. Each has a
// priority that a seed draws and now and then draws anew, so that some run far ahead where nothing holds them.
class scheduler {
 public:
  explicit scheduler(std::uint64_t seed) : random_(seed) {}

  void spawn(std::function<void()> does) {
    std::size_t const i = roles_.size();
    roles_.push_back({.priority = draw()});
    threads_.emplace_back([this, i, does = std::move(does)] {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return current_ == i; });
      }
      try {
        does();
      } catch (std::exception const& e) {
        fail(e.what());
      }
      std::unique_lock lock(mutex_);
      roles_[i].done = true;
      pass();
    });
  }
  // Work that is done some time later: in order within a queue, or in any order in queue none.
  void later(int queue, std::function<void()> does) {
    (queue == none ? loose_ : queues_[static_cast<std::size_t>(queue)]).push_back({draw(), std::move(does)});
  }
  // The same, but it may overtake what was issued before.
  void sooner(int queue, std::function<void()> does) {
    auto& q = queues_[static_cast<std::size_t>(queue)];
    q.insert(q.begin() + static_cast<std::ptrdiff_t>(random_() % (q.size() + 1)), {draw(), std::move(does)});
  }
  // Returns once it holds; others run meanwhile in any case.
  void wait(std::function<bool()> const& holds) {
    std::unique_lock lock(mutex_);
    std::size_t const me = current_;
    roles_[me].holds = &holds;
    pass();
    changed_.wait(lock, [&] { return current_ == me; });
    roles_[me].holds = nullptr;
    if (!failure_.empty()) throw std::runtime_error("stopped");
  }
  void yield() {
    wait([] { return true; });
  }
  // Runs everything; what went wrong, or nothing.
  std::string run() {
    {
      std::unique_lock lock(mutex_);
      pass();
    }
    for (std::thread& t : threads_) t.join();
    if (failure_.empty() && (!loose_.empty() || !queues_[0].empty() || !queues_[1].empty())) failure_ = "work was left";
    return failure_;
  }
  void fail(std::string const& why) {
    if (failure_.empty()) failure_ = why;
  }
  static constexpr int none = -1;

 private:
  static constexpr std::size_t none_running = static_cast<std::size_t>(-1);
  struct role {
    unsigned priority = 0;
    bool done = false;
    std::function<bool()> const* holds = nullptr;
  };
  struct work {
    unsigned priority;
    std::function<void()> does;
  };
  unsigned draw() { return static_cast<unsigned>(random_() % 1000000); }

  // What runs next: a role, pending work, or nothing.
  struct turn {
    std::size_t role = none_running;
    std::deque<work>* queue = nullptr;
    std::size_t at = 0;
    unsigned priority = 0;

    void offer(turn const& t) {
      if (t.priority + 1 > priority) *this = t, ++priority;
    }
  };
  bool may_run(role const& r) const { return !r.done && (!failure_.empty() || !r.holds || (*r.holds)()); }
  turn next_turn() {
    turn best;
    for (std::size_t i = 0; i < roles_.size(); ++i)
      if (may_run(roles_[i])) best.offer({i, nullptr, 0, roles_[i].priority});
    if (!failure_.empty()) return best;
    for (std::size_t i = 0; i < loose_.size(); ++i) best.offer({none_running, &loose_, i, loose_[i].priority});
    for (auto& q : queues_)
      if (!q.empty()) best.offer({none_running, &q, 0, q.front().priority});
    return best;
  }
  void work_on(turn const& t) {
    auto const does = std::move((*t.queue)[t.at].does);
    t.queue->erase(t.queue->begin() + static_cast<std::ptrdiff_t>(t.at));
    try {
      does();
    } catch (std::exception const& e) {
      fail(e.what());
    }
  }
  // Does pending work until a role, or nothing, is next.
  void pass() {
    turn t = next_turn();
    for (; t.queue; t = next_turn()) work_on(t);
    bool const all_done = std::all_of(roles_.begin(), roles_.end(), [](role const& r) { return r.done; });
    if (t.role == none_running && !all_done) {
      fail("all wait for each other");
      t = next_turn();
    }
    if (t.role != none_running && random_() % 16 == 0) roles_[t.role].priority = draw();
    current_ = t.role;
    changed_.notify_all();
  }

  std::mt19937_64 random_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<role> roles_;
  std::vector<std::thread> threads_;
  std::deque<work> loose_;
  std::array<std::deque<work>, 2> queues_;  // of the tensor core of each SM
  std::size_t current_ = none_running;
  std::string failure_;
};

// mbarrier (PTX ISA): a phase is over when as many have arrived as were named and all bytes expected have come.
struct barrier {
  int arrivals = 0, pending = 0;
  std::int64_t bytes = 0;
  std::uint32_t phase = 0;  // the parity of the phase that is not over

  // Is the phase over now?
  bool arrive(int n, std::int64_t expected, std::int64_t come) {
    if (arrivals == 0) throw std::runtime_error("a barrier that nobody initialized");
    pending -= n;
    bytes += expected - come;
    if (pending < 0) throw std::runtime_error("more arrivals than a barrier awaits");
    if (pending > 0 || bytes != 0) return false;
    pending = arrivals;
    phase ^= 1;
    return true;
  }
};

struct sm {
  std::vector<std::uint8_t> shared = std::vector<std::uint8_t>(232448);
  std::vector<std::uint32_t> tensor = std::vector<std::uint32_t>(128 * 512, 0xdeadbeef);  // lane, column
  std::map<std::uint32_t, barrier> barriers;

  std::uint32_t& cell(std::uint32_t lane, std::uint32_t column) {
    if (lane >= 128 || column >= 512) throw std::runtime_error("outside tensor memory");
    return tensor[lane * 512 + column];
  }
};

// An operand in global memory as a tensor map describes it, in units; rows are `pitch` bytes apart.
struct mapped {
  std::uint8_t const* data;
  std::int64_t unit, extent, rows, batches, pitch, batch_pitch;
  std::int64_t box, box_rows;
};

struct chip {
  std::array<sm, 2> sms;
  scheduler order;
  ring stages;
  struct turn {
    bool waited = false;  // for an empty stage, of which no load has begun
    std::size_t filled = 0, emptied = 0;
  };
  std::array<turn, 2> turns;  // of each SM
  std::size_t landed = 0;
  std::function<void(int, std::uint32_t)> phase_is_over = [](int, std::uint32_t) {};  // of the barrier there
  chip(std::uint64_t seed, std::size_t n) : order(seed), stages(n) {}

  // cp.async.bulk.tensor with a swizzle of 128 bytes; zeros beyond the extents.
  void copy(int to_sm, std::uint32_t to, mapped const& map, int run, int row, int batch, int barrier_sm, std::uint32_t at) {
    if (map.box * map.unit != 128 || to % 1024 != 0) throw std::runtime_error("a box that the swizzle does not permit");
    if (map.pitch % 16 != 0 || map.batch_pitch % 16 != 0 || map.box_rows > 256)
      throw std::runtime_error("a map the driver refuses");
    for (std::int64_t r = 0; r < map.box_rows; ++r)
      for (std::int64_t byte = 0; byte < 128; ++byte) {
        std::int64_t const u = run + byte / map.unit, v = row + r;
        bool const inside = u >= 0 && u < map.extent && v >= 0 && v < map.rows && batch < map.batches;
        auto const address = swizzled_128(to + static_cast<std::uint32_t>(r * 128 + byte));
        sms[static_cast<std::size_t>(to_sm)].shared.at(address) =
            inside ? map.data[batch * map.batch_pitch + v * map.pitch + u * map.unit + byte % map.unit] : std::uint8_t{0};
      }
    arrive(barrier_sm, at, 0, 0, map.box_rows * 128);
  }
  void arrive(int in, std::uint32_t at, int n, std::int64_t expected = 0, std::int64_t come = 0) {
    if (sms[static_cast<std::size_t>(in)].barriers[at].arrive(n, expected, come)) phase_is_over(in, at);
  }
  // tcgen05.cp.32x128b.warpx4: 32 rows of 16 bytes to four columns of 32 lanes, four times.
  void copy_factors(int in, std::uint32_t column, std::uint64_t descriptor) {
    sm& s = sms[static_cast<std::size_t>(in)];
    matrix_bits const from(descriptor);
    for (std::uint32_t lane = 0; lane < 128; ++lane)
      for (std::uint32_t i = 0; i < 4; ++i)
        std::memcpy(&s.cell(lane, column + i), &s.shared.at(from.along_k(lane % 32, 4 * i)), 4);
  }
};

// How a kind of tcgen05.mma reads its operands: elements of K, types by number, scale factors of a row.
struct kind {
  unsigned k;
  number const* types[3];
  bool integers;
  unsigned factors;
};

// One operand as an instruction reads it: values of (row, k). Of a pair each SM has its share of the rows.
inline std::vector<float> read_operand(chip& c, std::uint64_t descriptor, bool across, unsigned rows, unsigned k,
                                       number const& type, unsigned share) {
  matrix_bits const from(descriptor);
  std::vector<float> out(rows * k);
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned i = 0; i < k; ++i) {
      unsigned const mine = r % share, bits = static_cast<unsigned>(type.bits), bit = (across ? mine : i) * bits;
      std::uint32_t const at = across ? from.across_k(bit / 8, i) : from.along_k(mine, bit / 8);
      std::uint32_t code = 0;
      std::memcpy(&code, &c.sms[r / share].shared.at(at), bits < 8 ? 1 : bits / 8);
      if (bits < 8) code = code >> bit % 8 & ((1u << bits) - 1);
      out[r * k + i] = static_cast<float>(type.value(code));
    }
  return out;
}
// Scale factors: row r in lane r % 32 of all four warps' lanes, column r / 32; bytes from the one that is named on.
inline void scale_operand(sm& s, std::vector<float>& x, unsigned rows, unsigned k, std::uint32_t column, unsigned first,
                          unsigned factors, number const& type) {
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned i = 0; i < k; ++i) {
      std::uint32_t const word = s.cell(r % 32, column + r / 32);
      for (unsigned warp = 1; warp < 4; ++warp)
        if (s.cell(32 * warp + r % 32, column + r / 32) != word) throw std::runtime_error("a warp's lanes lack scale factors");
      x[r * k + i] *= static_cast<float>(type.value(word >> 8 * (first + i * factors / k) & 0xff));
    }
}
inline void multiply(chip& c, int sms, kind const& what, std::uint32_t column, std::uint64_t a, std::uint64_t b,
                     std::uint32_t instruction, bool adds, int fa, int fb) {
  instruction_bits const d(instruction, what.factors > 0);
  unsigned const shares = static_cast<unsigned>(sms);
  if (d.m != 128 * shares || d.a > 2 || d.b > 2) throw std::runtime_error("M or a type that nothing here uses");
  if (!what.types[d.a] || !what.types[d.b]) throw std::runtime_error("a type that the kind lacks");
  if (what.factors == 0 && d.sum != (what.integers ? 2u : 1u)) throw std::runtime_error("not the sums of this kind");
  std::vector<float> x = read_operand(c, a, d.across_a, d.m, what.k, *what.types[d.a], d.m / shares);
  std::vector<float> y = read_operand(c, b, d.across_b, d.n, what.k, *what.types[d.b], d.n / shares);
  if (what.factors > 0) {
    number const& scale = d.scale == 1 ? ue8m0 : ue4m3;
    scale_operand(c.sms[0], x, d.m, what.k, static_cast<std::uint32_t>(fa), d.byte_a, what.factors, scale);
    scale_operand(c.sms[0], y, d.n, what.k, static_cast<std::uint32_t>(fb), d.byte_b, what.factors, scale);
  }
  for (unsigned m = 0; m < d.m; ++m)
    for (unsigned n = 0; n < d.n; ++n) {
      float sum = 0;  // exact: small integers
      for (unsigned k = 0; k < what.k; ++k) sum += x[m * what.k + k] * y[n * what.k + k];
      std::uint32_t& cell = c.sms[m / 128].cell(m % 128, column + n);
      if (what.integers)
        cell = (adds ? cell : 0) + static_cast<std::uint32_t>(static_cast<std::int32_t>(sum));
      else
        cell = std::bit_cast<std::uint32_t>((adds ? std::bit_cast<float>(cell) : 0.0f) + sum);
    }
}

inline kind kind_of(gpu::umma_instruction i) {
  switch (i) {
    case gpu::umma_instruction::f16: return {16, {&f16, &bf16, nullptr}, false, 0};
    case gpu::umma_instruction::tf32: return {8, {nullptr, nullptr, &tf32}, false, 0};
    case gpu::umma_instruction::f8f6f4: return {32, {&e4m3, &e5m2, nullptr}, false, 0};
    case gpu::umma_instruction::i8: return {32, {nullptr, &s8, nullptr}, true, 0};
    case gpu::umma_instruction::mxf8f6f4: return {32, {&e4m3, &e5m2, nullptr}, false, 1};
    default: return {64, {nullptr, &e2m1, nullptr}, false, 4};
  }
}

inline number const& number_of(gpu::element e) {
  switch (e) {
    case gpu::element::f16: return f16;
    case gpu::element::bf16: return bf16;
    case gpu::element::tf32: return tf32;
    case gpu::element::e4m3: return e4m3;
    case gpu::element::e5m2: return e5m2;
    case gpu::element::e2m1: return e2m1;
    case gpu::element::s8: return s8;
    case gpu::element::ue8m0: return ue8m0;
    default: return ue4m3;
  }
}

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
