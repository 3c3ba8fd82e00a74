// Emulated products: whether residues pay, with which kernel, and their launches (spec/emulation.md). No kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/choice.hpp"
#include "gpu/gemm/residues.hpp"
#include "gpu/gemm/streams.hpp"

#include <optional>

namespace colex::gpu {

// How a product is emulated. `native` computes it where the device finds that the moduli do not suffice.
struct emulated_gemm {
  element operands;
  int least, most;
  double roundoff;
  gemm_kernel const* product;
  candidate native;
  int64 rows, columns;  // of a block of D, as large as the workspace allows
  double seconds;       // expected, with the least moduli
};

namespace emulation {

inline constexpr int64 memory_share = 8;  // of the device's memory, what grows with a block of D may take one in so many
inline constexpr int spare_moduli = 4;    // beyond the least, before a native kernel computes rows that are so uneven
// The time of the kernels beside the products, fitted to an H200 (tests/bench/NOTES.md).
inline constexpr double launches_seconds = 4e-5;    // of all launches, and of kernels too short to fill the device
inline constexpr double measure_rate = 2e12;        // bytes a second
inline constexpr double residue_seconds = 5.5e-13;  // of an element, for each modulus
inline constexpr double result_seconds = 1e-12;     // of an element of D, for each modulus
inline constexpr double native_share = 0.9;         // of the native rate that emulation may fall to where rows are uneven

constexpr double unit_roundoff(element e) { return e == element::f64 ? 0x1p-53 : 0x1p-24; }
// The fewest moduli by which rows of equal magnitudes are so exact.
inline int least_moduli(double roundoff) {
  for (int n = 2; n < residues::most_moduli; ++n)
    if (std::ldexp(2.0, -(residues::bound_of(n).bits - 1) / 2) <= roundoff) return n;
  return residues::most_moduli;
}
constexpr int64 rounded_up(int64 x, int64 to) { return ceil_div(x, to) * to; }
constexpr int64 pitch_of(int64 k) { return rounded_up(k, 16); }
constexpr int64 blocks_of(int64 k) { return ceil_div(k, residues::block_k); }
// Do residues of the kernel's sums come in pieces? Of others the sums themselves.
inline bool makes_pieces(plan const& p) { return p.kind == family::warpgroup; }
inline int64 sums_bytes(bool pieces, int64 m, int64 n) { return pieces ? rounded_up(m, 16) * rounded_up(n, 16) : 4 * m * n; }
inline int64 block_bytes(emulated_gemm const& e, int64 k, int64 m, int64 n) {
  return e.most * ((m + n) * pitch_of(k) + blocks_of(k) * sums_bytes(makes_pieces(*e.product->plan), m, n));
}
// Halves blocks until they fit.
inline void choose_block(emulated_gemm& e, problem const& p, int64 workspace_bytes) {
  constexpr int64 least = 256;
  e.rows = p.m, e.columns = p.n;
  while (block_bytes(e, p.k, e.rows, e.columns) > workspace_bytes && (e.rows > least || e.columns > least)) {
    int64& longer = e.rows > e.columns ? e.rows : e.columns;
    longer = rounded_up(ceil_div(longer, 2), least);
  }
}

// The product of all residues of a block of D, of one block of K, `moduli` planes from `first` on.
struct residue_product {
  std::int8_t *a, *b;
  void* sums;
  bool pieces;
  int64 m, n, k;
  moduli_choice choice;
  int planes;

  problem of(int first, int moduli, int64 block) const {
    using entry::plain_matrix;
    int64 const pitch = pitch_of(k), from = block * residues::block_k, bytes = sums_bytes(pieces, m, n);
    int64 const depth = smaller(k - from, residues::block_k), at = block * planes + first;
    problem p{m,
              n,
              depth,
              moduli,
              plain_matrix(a + first * m * pitch + from, element::s8, {m, pitch}, {depth, 1}, {moduli, m * pitch}),
              plain_matrix(b + first * n * pitch + from, element::s8, {n, pitch}, {depth, 1}, {moduli, n * pitch}),
              {},
              {},
              1,
              0};
    p.d = plain_matrix(static_cast<char*>(sums) + at * bytes, element::s32, {m, n}, {n, 1}, {moduli, m * n});
    p.c = p.d;
    if (pieces) p.first_modulus = first;
    p.moduli = choice.needed, p.least_moduli = first == 0 ? 0 : first + 1, p.most_moduli = choice.most;
    return p;
  }
};
inline std::optional<candidate> first_alone(choice const& c) {
  for (candidate const& x : c.all)
    if (!x.copy_a && !x.copy_b && x.split_k == 1) return x;
  return {};
}
// The seconds that do not depend on the number of moduli, and those of one.
struct expected {
  double fixed, each;
};
inline expected seconds_of(problem const& p, candidate const& product, int planes) {
  double const batches = static_cast<double>(p.batches), elements = product_of(p.m + p.n, p.k, p.batches);
  return {
      launches_seconds * batches + bytes_in(p) / measure_rate,
      product.time.seconds / planes * batches + elements * residue_seconds + product_of(p.m, p.n, p.batches) * result_seconds};
}

// May the call's product be emulated at all?
inline bool may_emulate(problem const& x, gemm_options const& o) {
  bool const types = x.a.type == x.b.type && (x.a.type == element::f64 || x.a.type == element::f32) && x.sfa.data == nullptr;
  return o.emulation != gemm_emulation::none && types && x.k <= residues::most_k;
}
// How exactly the call wants it: a number of moduli, a bound, or as the type's own products are.
inline emulated_gemm wanted(element operands, gemm_options const& o) {
  emulated_gemm e{};
  e.operands = operands;
  e.roundoff = o.moduli != 0 ? 0 : o.bound != 0 ? o.bound : unit_roundoff(operands);
  e.least = o.moduli != 0 ? o.moduli : least_moduli(e.roundoff);
  e.most = o.moduli != 0 ? o.moduli : residues::most_moduli;
  return e;
}

}  // namespace emulation

// How the product would be emulated; nothing where it would not: by the call's options, other types, or because native kernels
// are expected to be faster. kernels: all, of which one is native; named: those that may multiply residues.
inline std::optional<emulated_gemm> choose_emulation(std::span<gemm_kernel const> kernels, std::span<gemm_kernel const> named,
                                                     problem const& x, gemm_options const& o, device_info device) {
  using namespace emulation;
  if (!may_emulate(x, o)) return {};
  emulated_gemm e = wanted(x.a.type, o);
  gemm_options native = o, whole{};
  native.kernel = {}, native.split_k = whole.split_k = 1, native.tf32 = false;
  residue_product const planes{nullptr, nullptr, nullptr, false, x.m, x.n, x.k, {}, e.most};
  problem one = planes.of(0, e.least, 0);
  one.k = x.k;
  choice const of_native = choose(kernels, x, native, device), of_residues = choose(named, one, whole, device);
  std::optional<candidate> const alone = first_alone(of_native);
  auto const product = std::ranges::find_if(of_residues.all, [](candidate const& c) { return !c.swap_ab && c.split_k == 1; });
  if (!alone || product == of_residues.all.end()) return {};
  e.native = *alone, e.product = product->kernel;
  expected const t = seconds_of(x, *product, e.least);
  e.seconds = t.fixed + e.least * t.each;
  bool const forced = o.reproducible || o.moduli != 0 || !o.kernel.empty();
  if (!forced) {
    double const limit = of_native.all.front().time.seconds / native_share;
    e.most = static_cast<int>(smaller(e.least + spare_moduli, static_cast<int64>((limit - t.fixed) / t.each)));
    if (e.most < e.least || e.seconds > of_native.all.front().time.seconds) return {};
  }
  choose_block(e, x, device.memory / memory_share);
  return e;
}

// A line for it.
inline std::string explain(emulated_gemm const& e, std::string const& product) {
  auto const number = [](auto x) { return std::to_string(std::llround(x)); };
  return std::to_string(e.least) + " moduli, up to " + std::to_string(e.most) + ", by " + product + ": " +
         number(e.seconds * 1e6) + " us; D in blocks of " + number(e.rows) + " x " + number(e.columns);
}

// Memory of one allocation, handed out piece by piece.
class arena {
 public:
  explicit arena(void* from) : at_(static_cast<char*>(from)) {}
  template <class T>
  T* take(int64 bytes) {
    void* const r = at_;
    at_ += emulation::rounded_up(bytes, 1024);
    return static_cast<T*>(r);
  }

 private:
  char* at_;
};

// The launches of one product without batches.
class emulated_launches {
 public:
  emulated_launches(emulated_gemm const& how, problem const& x, cudaStream_t stream) : e_(how), p_(x), stream_(stream) {}

  int64 bytes() const {
    return emulation::block_bytes(e_, p_.k, e_.rows, e_.columns) + (p_.m + p_.n) * static_cast<int64>(sizeof(row_size) + 4) +
           16 * 1024;
  }
  cudaError_t run(void* memory, int* used, cudaError_t (*native)(candidate const&, problem const&, cudaStream_t)) {
    arena from(memory);
    int64 const pitch = emulation::pitch_of(p_.k);
    bool const pieces = emulation::makes_pieces(*e_.product->plan);
    used_ = used;
    choice_ = {e_.least, e_.most, e_.roundoff, from.take<int>(4 * (1 + residues::most_moduli))};
    sizes_a_ = from.take<row_size>(p_.m * static_cast<int64>(sizeof(row_size)));
    sizes_b_ = from.take<row_size>(p_.n * static_cast<int64>(sizeof(row_size)));
    scales_a_ = from.take<int>(4 * p_.m), scales_b_ = from.take<int>(4 * p_.n);
    a_ = from.take<std::int8_t>(e_.most * e_.rows * pitch), b_ = from.take<std::int8_t>(e_.most * e_.columns * pitch);
    sums_ = from.take<void>(e_.most * emulation::blocks_of(p_.k) * emulation::sums_bytes(pieces, e_.rows, e_.columns));
    cudaError_t e = cudaMemsetAsync(choice_.needed, 0, sizeof(int), stream_);
    if (e == cudaSuccess) e = launch_measure(rows_of(true, 0, p_.m), choice_, stream_);
    if (e == cudaSuccess) e = launch_measure(rows_of(false, 0, p_.n), choice_, stream_);
    for (int64 m = 0; m < p_.m && e == cudaSuccess; m += e_.rows) e = run_rows(m, pieces);
    if (e != cudaSuccess) return e;
    problem otherwise = p_;
    otherwise.moduli = choice_.needed, otherwise.least_moduli = e_.most + 1, otherwise.most_moduli = residues::most_moduli + 1;
    return native(e_.native, otherwise, stream_);
  }

 private:
  operand_rows rows_of(bool is_a, int64 first, int64 rows) const {
    return {is_a ? p_.a : p_.b, first, rows, p_.k, is_a ? sizes_a_ : sizes_b_};
  }
  cudaError_t make_residues(bool is_a, int64 first, int64 rows) const {
    int64 const pitch = emulation::pitch_of(p_.k);
    return launch_to_residues(
        {rows_of(is_a, first, rows), choice_, is_a ? a_ : b_, pitch, rows * pitch, is_a ? scales_a_ : scales_b_}, stream_);
  }
  cudaError_t run_rows(int64 m, bool pieces) const {
    int64 const rows = smaller(e_.rows, p_.m - m);
    cudaError_t e = make_residues(true, m, rows);
    for (int64 n = 0; n < p_.n && e == cudaSuccess; n += e_.columns) {
      int64 const columns = smaller(e_.columns, p_.n - n);
      if (m == 0 || e_.columns < p_.n) e = make_residues(false, n, columns);
      if (e == cudaSuccess) e = multiply({a_, b_, sums_, pieces, rows, columns, p_.k, choice_, e_.most});
      if (e == cudaSuccess)
        e = launch_to_results({choice_, e_.most, static_cast<int>(emulation::blocks_of(p_.k)), sums_, pieces, m, n, rows,
                               columns, e_.operands, scales_a_, scales_b_, p_.c, p_.d, p_.alpha, p_.beta, used_},
                              stream_);
    }
    return e;
  }
  // The least moduli in one launch; each further one does nothing where it is not needed.
  cudaError_t multiply(emulation::residue_product const& x) const {
    cudaError_t e = cudaSuccess;
    for (int64 block = 0; block < emulation::blocks_of(p_.k); ++block) {
      e = e_.product->launch(x.of(0, e_.least, block), stream_);
      for (int t = e_.least; t < e_.most && e == cudaSuccess; ++t) e = e_.product->launch(x.of(t, 1, block), stream_);
      if (e != cudaSuccess) break;
    }
    return e;
  }

  emulated_gemm const& e_;
  problem const& p_;
  cudaStream_t stream_;
  moduli_choice choice_ = {};
  row_size *sizes_a_ = nullptr, *sizes_b_ = nullptr;
  int *scales_a_ = nullptr, *scales_b_ = nullptr, *used_ = nullptr;
  std::int8_t *a_ = nullptr, *b_ = nullptr;
  void* sums_ = nullptr;
};

}  // namespace colex::gpu
