// A pair of SMs with tensor memory on the host: shared memory, barriers, TMA, tcgen05.mma and .cp, each by the PTX ISA. What
// runs on it is in umma_machine.hpp. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/umma/umma.hpp"
#include "tests/plans/ring.hpp"
#include "tests/plans/scheduler.hpp"
#include "tests/plans/umma_decoder.hpp"

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <vector>

namespace colex::umma {

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

}  // namespace colex::umma
