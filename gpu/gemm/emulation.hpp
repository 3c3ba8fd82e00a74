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
inline int64 sums_bytes(bool pieces, int64 m, int64 n) { return pieces ? residues::bytes_of_pieces(m, n) : 4 * m * n; }
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
  int64 plane_a, plane_b;  // bytes from modulus to modulus
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
              plain_matrix(a + first * plane_a + from, element::s8, {m, pitch}, {depth, 1}, {moduli, plane_a}),
              plain_matrix(b + first * plane_b + from, element::s8, {n, pitch}, {depth, 1}, {moduli, plane_b}),
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
  int64 const pitch = pitch_of(x.k);
  residue_product const planes{nullptr, nullptr, x.m * pitch, x.n * pitch, nullptr, false, x.m, x.n, x.k, {}, e.most};
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

// What the device knows of an operand: of all its rows, or of A and B in turn of a block's, the residues.
struct operand_on_device {
  int *needed, *scales;
  row_size* sizes;
  std::int8_t* residues;

  operand_on_device(arena& from, emulated_gemm const& e, int64 rows, int64 at_once, int64 k)
      : needed(from.take<int>(4)),
        scales(from.take<int>(4 * rows)),
        sizes(from.take<row_size>(rows * static_cast<int64>(sizeof(row_size)))),
        residues(from.take<std::int8_t>(e.most * at_once * emulation::pitch_of(k))) {}
  static int64 bytes(emulated_gemm const& e, int64 rows, int64 at_once, int64 k) {
    return e.most * at_once * emulation::pitch_of(k) + rows * static_cast<int64>(sizeof(row_size) + 4) + 4 * 1024;
  }
};

// The launches of one product without batches. kept: memory that `keep` has filled, of A and of B; null where they are made.
class emulated_launches {
 public:
  struct kept_operands {
    void *a = nullptr, *b = nullptr;
  };
  emulated_launches(emulated_gemm const& how, problem const& x, kept_operands kept, cudaStream_t stream)
      : e_(how), p_(x), kept_(kept), stream_(stream) {}

  int64 bytes() const {
    return choice_bytes + sums_bytes() + (kept_.a != nullptr ? 0 : operand_on_device::bytes(e_, p_.m, e_.rows, p_.k)) +
           (kept_.b != nullptr ? 0 : operand_on_device::bytes(e_, p_.n, e_.columns, p_.k));
  }
  cudaError_t run(void* memory, int* used, cudaError_t (*native)(candidate const&, problem const&, cudaStream_t)) {
    arena from(memory);
    moduli_choice const choice = take_choice(from);
    operand const a = take(from, true), b = take(from, false);
    block_of_d const d{choice, a, b, from.take<void>(sums_bytes()), used};
    cudaError_t e = launch_begin(choice, a.at.needed, a.kept, b.at.needed, b.kept, stream_);
    if (e == cudaSuccess && !a.kept) e = launch_measure(rows_of(a, 0, p_.m), choice, stream_);
    if (e == cudaSuccess && !b.kept) e = launch_measure(rows_of(b, 0, p_.n), choice, stream_);
    for (int64 m = 0; m < p_.m && e == cudaSuccess; m += e_.rows) e = run_rows(d, m);
    if (e != cudaSuccess) return e;
    problem otherwise = p_;
    otherwise.moduli = choice.needed, otherwise.least_moduli = e_.most + 1, otherwise.most_moduli = residues::most_moduli + 1;
    return native(e_.native, otherwise, stream_);
  }

  // Memory for an operand's residues by all moduli up to the most, which holds while its elements stay, and fills it.
  int64 bytes_to_keep(bool is_a) const {
    int64 const rows = is_a ? p_.m : p_.n;
    return choice_bytes + operand_on_device::bytes(e_, rows, rows, p_.k);
  }
  cudaError_t keep(bool is_a, void* memory) const {
    int64 const rows = is_a ? p_.m : p_.n;
    arena from(memory);
    operand const x{is_a, false, operand_on_device(from, e_, rows, rows, p_.k), rows * emulation::pitch_of(p_.k)};
    moduli_choice const choice = take_choice(from);
    cudaError_t e = launch_begin(choice, x.at.needed, false, x.at.needed, false, stream_);
    if (e == cudaSuccess) e = launch_measure(rows_of(x, 0, rows), choice, stream_);
    return e == cudaSuccess ? make_residues(x, choice, 0, rows, true) : e;
  }

 private:
  static constexpr int64 choice_bytes = 1024;
  struct operand {
    bool is_a, kept;
    operand_on_device at;
    int64 plane;  // from modulus to modulus, of residues that are kept

    std::int8_t* residues(int64 first, int64 pitch) const { return at.residues + (kept ? first * pitch : 0); }
    int64 plane_of(int64 rows, int64 pitch) const { return kept ? plane : rows * pitch; }
  };
  struct block_of_d {
    moduli_choice const& choice;
    operand const &a, &b;
    void* sums;
    int* used;
  };
  int64 sums_bytes() const {
    return e_.most * emulation::blocks_of(p_.k) *
           emulation::sums_bytes(emulation::makes_pieces(*e_.product->plan), e_.rows, e_.columns);
  }
  moduli_choice take_choice(arena& from) const {
    return {e_.least, e_.most, e_.roundoff, from.take<int>(4 * (1 + residues::most_moduli))};
  }
  operand take(arena& from, bool is_a) const {
    int64 const rows = is_a ? p_.m : p_.n, at_once = is_a ? e_.rows : e_.columns;
    void* const kept = is_a ? kept_.a : kept_.b;
    arena of_kept(kept);
    operand_on_device const at =
        kept != nullptr ? operand_on_device(of_kept, e_, rows, rows, p_.k) : operand_on_device(from, e_, rows, at_once, p_.k);
    return {is_a, kept != nullptr, at, rows * emulation::pitch_of(p_.k)};
  }
  operand_rows rows_of(operand const& x, int64 first, int64 rows) const {
    return {x.is_a ? p_.a : p_.b, first, rows, p_.k, x.at.sizes, x.at.needed};
  }
  cudaError_t make_residues(operand const& x, moduli_choice const& choice, int64 first, int64 rows, bool all) const {
    int64 const pitch = emulation::pitch_of(p_.k);
    return launch_to_residues({rows_of(x, first, rows), choice, x.at.residues, pitch, rows * pitch, x.at.scales, all}, stream_);
  }
  cudaError_t run_rows(block_of_d const& d, int64 m) const {
    int64 const rows = smaller(e_.rows, p_.m - m), pitch = emulation::pitch_of(p_.k);
    bool const pieces = emulation::makes_pieces(*e_.product->plan);
    cudaError_t e = d.a.kept ? cudaSuccess : make_residues(d.a, d.choice, m, rows, false);
    for (int64 n = 0; n < p_.n && e == cudaSuccess; n += e_.columns) {
      int64 const columns = smaller(e_.columns, p_.n - n);
      if (!d.b.kept && (m == 0 || e_.columns < p_.n)) e = make_residues(d.b, d.choice, n, columns, false);
      if (e == cudaSuccess)
        e = multiply({d.a.residues(m, pitch), d.b.residues(n, pitch), d.a.plane_of(rows, pitch), d.b.plane_of(columns, pitch),
                      d.sums, pieces, rows, columns, p_.k, d.choice, e_.most});
      if (e == cudaSuccess)
        e = launch_to_results({d.choice, e_.most, static_cast<int>(emulation::blocks_of(p_.k)), d.sums, pieces, m, n, rows,
                               columns, e_.operands, d.a.at.scales, d.b.at.scales, p_.c, p_.d, p_.alpha, p_.beta, d.used},
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
  kept_operands kept_;
  cudaStream_t stream_;
};

}  // namespace colex::gpu
