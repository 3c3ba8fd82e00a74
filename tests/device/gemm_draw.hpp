// Draws GEMMs: extents at the edges of tiles and ragged, operands that lie in memory in every way that layouts can say,
// all from one seed. What is drawn and where it lies, no data and no GPU. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/chips.hpp"
#include "tests/device/verify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

namespace colex::verify {

using types = gpu::product_types;
inline std::string text(types const& t) {
  std::string text;
  for (element e : {t.a, t.b, t.c, t.d}) text += (text.empty() ? "" : " ") + std::string(gpu::name_of(e));
  return text + (t.tf32 ? " tf32" : "") + (t.fast ? " fast" : "");
}

// Every combination that a kernel may take: sums have one type, C is D's or wider.
inline std::vector<types> all_types() {
  using enum element;
  std::vector<types> all;
  auto const add = [&](element a, element b, std::vector<element> const& outputs, bool tf32 = false, bool fast = false) {
    for (element d : outputs) {
      element const wide = a == s8 ? s32 : a == f64 ? f64 : f32;
      all.push_back({a, b, d, d, tf32, fast});
      if (d != wide) all.push_back({a, b, wide, d, tf32, fast});
    }
  };
  add(f64, f64, {f64, f32});
  for (bool tf32 : {false, true}) add(f32, f32, {f32, f16, bf16}, tf32);
  for (element a : {f16, bf16}) add(a, a, {f32, f16, bf16});
  add(s8, s8, {s32, s8, f32, f16, bf16});
  for (element a : {e4m3, e5m2})
    for (element b : {e4m3, e5m2})
      for (bool fast : {false, true}) add(a, b, {f32, f16, bf16, e4m3, e5m2}, false, fast);
  return all;
}
// What gemm() must multiply on any GPU, with whichever kernel.
inline bool is_required(types const& t) {
  using enum element;
  if (t.a != t.b || t.c != t.d) return false;
  if (t.a == f64 || t.a == f32) return t.d == t.a;
  if (t.a == f16 || t.a == bf16) return t.d == t.a || t.d == f32;
  return t.a == s8 ? t.d == s32 || t.d == f32 : t.d == f32 || t.d == f16 || t.d == bf16;
}

struct leaf {
  int64 extent, stride = 0;
};
// An operand and the memory it needs: `span` elements, of which element (0,0,0) is number `origin`.
struct placed {
  element type;
  std::array<std::vector<leaf>, 3> modes;
  int64 origin = 0, span = 0;

  void measure() {
    span = 1, origin = 0;
    for (auto const& mode : modes)
      for (leaf const& l : mode) {
        if (l.extent == 0) return void(span = origin = 0);
        span += (l.extent - 1) * std::abs(l.stride);
        if (l.stride < 0) origin -= (l.extent - 1) * l.stride;
      }
  }
  // Does a mode have an element several times?
  bool repeats(std::size_t mode) const {
    return std::ranges::any_of(modes[mode], [](leaf const& l) { return l.stride == 0 && l.extent > 1; });
  }
  operand at(unsigned char* data) const {
    operand o;
    o.type = type, o.data = data;
    int n = 0;
    for (int i = 0; i < 3; o.end[i++] = n)
      for (leaf const& l : modes[static_cast<std::size_t>(i)]) o.extent[n] = l.extent, o.stride[n++] = l.stride;
    return o;
  }
};

// Integers in [-4,4], in [1,4], the normal distribution or any s8; of floating-point types integers among which there are NaN
// and infinities, and products of integers and the least value that the type of A has; and magnitudes of the normal
// distribution, whose losses do not cancel.
enum class data { whole, positive, normal, beyond, least, magnitudes };

// Operands rounded to tf32 lose half a unit of the last place each, in either direction, so that sums of many magnitudes lose
// little. Cut off, they would lose 2^-10.5 of them in the mean.
inline double lost_by_tf32(data kind, int64 k) {
  double const most = 1.01 * 0x1p-10;
  return kind == data::magnitudes ? std::min(most, 0x1p-13 + 7 * 0x1p-11 / std::sqrt(static_cast<double>(k + 1))) : most;
}

// What kernels may lose on such data. Tensor cores cut off where others round; their fp8 sums keep 14 bits.
inline losses lost_by(types const& of, data kind, int64 k) {
  double const unit = 0x1p-23;
  if ((kind != data::normal && kind != data::magnitudes) || of.a == element::s8) return {};
  if (of.a == element::f64) return {0, 0x1p-52, k + 1, of.d == element::f64 ? 0x1p-52 : unit};
  if (is_fp8(of.a)) return {0, 0x1p-13, of.fast ? k + 1 : 128, unit};
  return {of.tf32 ? lost_by_tf32(kind, k) : 0, 2 * unit, k + 1, unit};
}

struct drawn {
  int64 m, n, k, p;
  types of;
  data kind;
  placed a, b, c, d;
  bool c_is_d, without_c, batched;
  int lead;  // elements by which data are off the best alignment
  double alpha, beta;
  int split_k;  // 0: as many as are expected to be fastest
  bool emulated;

  losses lost() const { return lost_by(of, kind, k); }
  // What the values of A and C are multiples of. As tf32, what is less than the least normal number may become 0.
  double unit() const { return kind != data::least ? 1 : of.tf32 ? 0x1p-126 : float_format(of.a).least(); }
};

// How far draws go.
struct bounds {
  std::array<int64, 4> fixed{-1, -1, -1, -1};  // m, n, k, batches; -1: drawn
  int64 extent = 700;
  int64 work = int64{1} << 31;  // products
  bool huge = true;             // now and then an operand that spans more than 2^31 elements, batches beyond 65,535
};

class drawing {
 public:
  drawing(std::uint64_t seed, bounds const& b) : random_(seed), bounds_(b) {}

  drawn draw(std::vector<types> const& offered) {
    drawn x{};
    x.of = offered[static_cast<std::size_t>(below(static_cast<int64>(offered.size())))];
    extents(x);
    x.kind = static_cast<data>(below(x.of.a == element::s8 ? 3 : 5));
    if (is_fp8(x.of.a) && x.of.fast && x.k > 512 && (x.kind == data::positive || x.kind == data::normal))
      x.kind = data::whole;  // whose sums still fit 14 bits
    x.batched = x.p != 1 || one_in(2);
    x.a = operand_of(x.of.a, x.m, x.k, x.p, true), x.b = operand_of(x.of.b, x.n, x.k, x.p, true);
    // One element over and over would lose the same every time.
    bool const differ = !x.a.repeats(1) && !x.b.repeats(1);
    if (x.of.tf32 && x.kind == data::normal && differ && one_in(2)) x.kind = data::magnitudes;
    x.d = operand_of(x.of.d, x.m, x.n, x.p, false), x.c = operand_of(x.of.c, x.m, x.n, x.p, one_in(8));
    x.c_is_d = x.of.c == x.of.d && one_in(5);
    if (x.c_is_d) x.c = x.d;
    x.lead = one_in(4) ? static_cast<int>(below(16)) : 0;
    x.alpha = of<double>({0, 1, 1, 1, -1, 2, 0.5}), x.beta = of<double>({0, 0, 0, 1, -1, 2, 0.5});
    for (double* factor : {&x.alpha, &x.beta})  // of the least value there is no half
      if (x.kind == data::least && *factor == 0.5) *factor = 1;
    x.without_c = x.beta == 0 && one_in(2);
    x.split_k = one_in(4) ? of<int>({2, 3, 4, 5, 8, 12}) : 0;
    x.emulated = (x.of.a == element::f64 || x.of.a == element::f32) && !x.of.tf32 && one_in(2);
    return x;
  }

 private:
  int64 below(int64 n) { return static_cast<int64>(random_() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  template <class T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<int64>(values.size()))];
  }

  int64 extent() {
    if (one_in(60)) return 0;
    int64 const most = bounds_.extent;
    switch (below(5)) {
      case 0: return 1 + below(std::min<int64>(20, most));
      case 1: return std::min(most, of<int64>({1, 2, 3, 5, 7, 13, 31, 61, 127, 251, 509, 683}));
      case 2: return std::min(most, of<int64>({8, 16, 32, 64, 96, 128, 192, 256, 384, 512}) + below(3) - 1);
      case 3: return std::min(most, 16 * (1 + below(most / 16)));
      default: return 1 + below(most);
    }
  }
  void extents(drawn& x) {
    std::array const drawn_into{&x.m, &x.n, &x.k, &x.p};
    for (int tries = 0; tries == 0 || (tries < 100 && x.m * x.n * x.k * x.p > bounds_.work); ++tries) {
      shape(x);
      for (std::size_t i = 0; i < 4; ++i)
        if (bounds_.fixed[i] >= 0) *drawn_into[i] = bounds_.fixed[i];
    }
  }
  void shape(drawn& x) {
    int64 const rare = below(40), most = bounds_.extent;
    x.m = extent(), x.n = extent(), x.k = extent(), x.p = one_in(3) ? 1 + below(9) : 1;
    if (rare == 0 && bounds_.huge) x.m = below(5), x.n = below(5), x.k = below(5), x.p = 65536 + below(5000);
    if (rare == 1) x.m = 1 + below(40), x.n = 1 + below(40), x.k = 1 + below(25 * most), x.p = 1;
    if (rare == 2 || rare == 3)  // more tiles than a GPU has SMs
      x.m = 1 + below(6 * most), x.n = 1 + below(6 * most), x.k = 1 + below(most), x.p = 1;
  }

  // Up to three factors of n.
  std::vector<leaf> factors(int64 n) {
    std::vector<leaf> all;
    for (int i = 0; i < 2; ++i)
      for (int64 d = 2 + below(6), tries = 0; tries < 6; ++tries, d = d == 7 ? 2 : d + 1)
        if (n > d && n % d == 0) {
          all.push_back({d}), n /= d;
          break;
        }
    all.push_back({n});
    return all;
  }

  // `shared`: elements may lie in several places of the operand.
  placed operand_of(element type, int64 rows, int64 columns, int64 batches, bool shared) {
    placed x{type, {{{{rows}}, {{columns}}, {{batches}}}}};
    int64 const how = below(16);
    if (how < 5)
      for (auto& mode : x.modes) mode = factors(mode[0].extent);
    if (shared && how == 5 && rows > 0 && columns > 0 && batches > 0) {
      window(x);
    } else {
      dense(x, how < 5);
    }
    auto& mode = x.modes[static_cast<std::size_t>(below(3))];
    leaf& some = mode[static_cast<std::size_t>(below(static_cast<int64>(mode.size())))];
    if (how == 6) some.stride = -some.stride;
    if (shared && how == 7) some.stride = 0;
    if (how == 8 && bounds_.huge && one_in(16)) stretch(x);
    x.measure();
    return x;
  }
  // Strides of leaves one after another, with gaps or without.
  void dense(placed& x, bool shuffled) {
    std::vector<leaf*> order;
    for (auto& mode : x.modes)
      for (leaf& l : mode) order.push_back(&l);
    if (shuffled)
      std::shuffle(order.begin(), order.end(), random_);
    else if (one_in(2))
      std::swap(order[0], order[1]);
    if (!shuffled && one_in(10)) std::rotate(order.begin(), order.begin() + 1 + below(2), order.end());
    int64 const gap = below(4);
    int64 next = one_in(20) ? 2 : 1;
    for (leaf* l : order) {
      l->stride = next;
      next *= std::max<int64>(1, l->extent);
      if (l == order[0] && gap == 1) next = (next + 15) / 16 * 16;
      if (l == order[0] && gap == 2) next += 1 + below(9);
    }
  }
  // A convolution's view of its input: rows are places of the output, columns are (channel, place in the window).
  void window(placed& x) {
    auto const [rows, columns, batches] = std::array{x.modes[0][0].extent, x.modes[1][0].extent, x.modes[2][0].extent};
    auto places = factors(rows), taps = factors(columns);
    while (places.size() < 2) places.push_back({1});
    while (taps.size() < 3) taps.push_back({1});
    int64 const channels = taps[0].extent, line = channels * (places[0].extent + taps[1].extent - 1);
    int64 const image = line * (places[1].extent + taps[2].extent - 1);
    taps[0].stride = 1, taps[1].stride = places[0].stride = channels, taps[2].stride = places[1].stride = line;
    if (places.size() > 2) places[2].stride = image;
    x.modes = {places, taps, {{batches, image * (places.size() > 2 ? places[2].extent : 1)}}};
  }
  // Moves the far ends of an operand more than 2^31 elements apart.
  void stretch(placed& x) {
    leaf* farthest = nullptr;
    for (auto& mode : x.modes)
      for (leaf& l : mode)
        if (l.extent > 1 && (farthest == nullptr || l.stride > farthest->stride)) farthest = &l;
    if (farthest != nullptr) farthest->stride = std::max(farthest->stride, (int64{1} << 31) / (farthest->extent - 1) + 1);
  }

  std::mt19937_64 random_;
  bounds bounds_;
};

}  // namespace colex::verify
