// The optimized algebra on a real GPU: layouts as template arguments and as kernel arguments, applied at every index, and the
// operations computed on the device. Everything is compared with plain loops on the host that know nothing of the algebra.
// Exits 77 where there is no GPU.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/algebra/algebra.hpp"
#include "tests/device/cuda.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

using namespace colex::gpu;

namespace {

struct leaf {
  long long extent, stride;
};
using plain = std::vector<leaf>;

plain plain_of(layout const& a) {
  plain p;
  for (int k = 0; k < a.form.count; ++k) p.push_back({a.shape[k], a.stride[k]});
  return p;
}
long long plain_size(plain const& p) {
  long long n = 1;
  for (leaf const& l : p) n *= l.extent;
  return n;
}
long long plain_at(plain const& p, long long i) {
  long long sum = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    bool const last = k + 1 == p.size();
    sum += (last ? i : i % p[k].extent) * p[k].stride;
    i /= p[k].extent;
  }
  return sum;
}
std::multiset<long long> plain_image(plain const& p) {
  std::multiset<long long> s;
  for (long long i = 0; i < plain_size(p); ++i) s.insert(plain_at(p, i));
  return s;
}

struct tally {
  char const* name;
  long long cases = 0, compared = 0, wrong = 0;

  template <class T>
  void equal(T const& got, T const& wanted) {
    ++compared;
    wrong += !(got == wanted);
  }
  void print() const { std::printf("%-44s %8lld %12lld %8lld\n", name, cases, compared, wrong); }
};

template <layout L>
__device__ void apply_value(int64* out, int64 i) {
  out[2 * i] = L(i);
  out[2 * i + 1] = L.unchecked(i);
}
template <composed C>
__device__ void apply_value(int64* out, int64 i) {
  out[2 * i] = out[2 * i + 1] = C(i);
}
// The value comes as a static member, see gpu/algebra/layout.hpp.
template <class Fixed>
__global__ void apply_fixed(int64* out, int64 n) {
  for (int64 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) apply_value<Fixed::value>(out, i);
}

struct integer_mode {
  static constexpr layout value = make_layout(8, 1);
};
struct nested {
  static constexpr layout value = make_layout({4, {2, 3}}, {3, {1, 12}});
};
struct row_major {
  static constexpr layout value = make_layout({128, 64}, {64, 1});
};
struct broadcast_and_negative {
  static constexpr layout value = make_layout({5, 7}, {0, -3});
};
struct long_strides {
  static constexpr layout value = make_layout({4, 65536}, {1LL << 40, 65536});
};
// What the host compiler composed and divided, the device reads as constants.
struct composed_of_two {
  static constexpr layout value = composition(make_layout({6, 2}, {8, 2}), make_layout({4, 3}, {3, 1}));
};
struct zipped {
  static constexpr layout value =
      zipped_divide(make_layout({9, {4, 8}}, {59, {13, 1}}), tiler{make_layout(3, 3), make_layout({2, 4}, {1, 8})});
};
struct complement_of {
  static constexpr layout value = complement(make_layout({4, 2}, {1, 16}), 64);
};
struct swizzled {
  static constexpr composed value = composition(swizzle{3, 4, 3}, 128, make_layout({8, 64}, {64, 1}));
};

template <class Fixed>
std::vector<int64> applied(long long n) {
  device_array<int64> out(2 * static_cast<std::size_t>(n));
  apply_fixed<Fixed><<<32, 128>>>(out.data(), n);
  finish("apply_fixed");
  return out.host();
}
template <class Fixed>
void test_fixed(tally& t, plain const& written_out) {
  long long const n = plain_size(written_out);
  std::vector<int64> const got = applied<Fixed>(n);
  ++t.cases;
  for (long long i = 0; i < n; ++i) {
    t.equal<long long>(got[2 * i], plain_at(written_out, i));
    t.equal<long long>(got[2 * i + 1], plain_at(written_out, i));
  }
}

tally test_fixed_layouts() {
  tally t{"template argument: apply, every index"};
  test_fixed<integer_mode>(t, {{8, 1}});
  test_fixed<nested>(t, {{4, 3}, {2, 1}, {3, 12}});
  test_fixed<row_major>(t, {{128, 64}, {64, 1}});
  test_fixed<broadcast_and_negative>(t, {{5, 0}, {7, -3}});
  test_fixed<long_strides>(t, {{4, 1LL << 40}, {65536, 65536}});
  test_fixed<composed_of_two>(t, {{2, 24}, {2, 2}, {3, 8}});
  test_fixed<zipped>(t, {{3, 177}, {2, 13}, {4, 2}, {3, 59}, {2, 26}, {2, 1}});
  test_fixed<complement_of>(t, {{4, 4}, {2, 32}});
  return t;
}

tally test_fixed_composed() {
  tally t{"template argument: swizzled layout"};
  plain const inner{{8, 64}, {64, 1}};
  std::vector<int64> const got = applied<swizzled>(512);
  ++t.cases;
  for (long long i = 0; i < 512; ++i) {
    long long const x = 128 + plain_at(inner, i);
    t.equal<long long>(got[2 * i], x ^ ((x & 0x380) >> 3));
  }
  return t;
}

__global__ void apply_argument(layout a, int64* out, int64 n) {
  for (int64 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = a(i);
}
__global__ void compute(layout const* a, layout const* b, int n, layout* composed, layout* complements, layout* inverses,
                        layout* divided) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  composed[i] = composition(a[i], b[i]);
  complements[i] = complement(b[i], 2 * cosize(b[i]));
  inverses[i] = right_inverse(a[i]);
  divided[i] = logical_divide(a[i], b[i]);
}
__global__ void compute_undefined(layout a, layout b, layout* out) { *out = composition(a, b); }

class random_layouts {
 public:
  explicit random_layouts(unsigned seed) : random_(seed) {}
  int64 below(int64 n) { return static_cast<int64>(random_() % static_cast<std::uint64_t>(n)); }

  // Any strides.
  layout any() {
    layout r = shaped();
    for (int k = 0; k < r.form.count; ++k) r.stride[k] = below(40) - 8;
    return r;
  }
  // Compact, the modes in a random order, sometimes with a gap behind one or a broadcast one.
  layout compact() {
    layout r = shaped();
    std::vector<int> order;
    for (int k = 0; k < r.form.count; ++k) order.insert(order.begin() + below(k + 1), k);
    int64 d = 1;
    for (int k : order) {
      r.stride[k] = below(8) == 0 ? 0 : d;
      d *= r.shape[k] * (below(6) == 0 ? 2 : 1);
    }
    return r;
  }

 private:
  std::mt19937_64 random_;

  layout shaped() {
    layout r;
    layout_writer w(r);
    int const modes = 1 + static_cast<int>(below(3));
    w.open();
    for (int i = 0; i < modes; ++i) {
      int const parts = 1 + static_cast<int>(below(2));
      w.open(parts > 1);
      for (int k = 0; k < parts; ++k) w.put(1 + below(6), 0);
      w.close(parts > 1);
    }
    w.close();
    return r;
  }
};

tally test_random_apply(random_layouts& draw) {
  tally t{"kernel argument: apply, every index"};
  for (; t.cases < 200; ++t.cases) {
    layout const a = draw.any();
    plain const p = plain_of(a);
    long long const n = 2 * plain_size(p);  // the last mode goes on beyond the size
    device_array<int64> out(static_cast<std::size_t>(n));
    apply_argument<<<8, 128>>>(a, out.data(), n);
    finish("apply_argument");
    std::vector<int64> const got = out.host();
    for (long long i = 0; i < n; ++i) t.equal<long long>(got[i], plain_at(p, i));
  }
  return t;
}

// Pairs for which all four operations are defined: the others would trap.
void draw_defined(random_layouts& draw, int n, std::vector<layout>& as, std::vector<layout>& bs) {
  while (static_cast<int>(as.size()) < n) {
    layout const a = draw.compact(), b = draw.compact();
    try {
      composition(a, b);
      complement(b, 2 * cosize(b));
      right_inverse(a);
      logical_divide(a, b);
    } catch (error const&) {
      continue;
    }
    as.push_back(a);
    bs.push_back(b);
  }
}

void check_composition(tally& t, plain const& a, plain const& b, plain const& r) {
  t.equal(plain_size(r), plain_size(b));
  for (long long i = 0; i < plain_size(b); ++i) t.equal(plain_at(r, i), plain_at(a, plain_at(b, i)));
}
// Ordered, and together with b no value twice (a broadcast mode of b counts once).
void check_complement(tally& t, plain const& b, plain const& c) {
  std::multiset<long long> const values = plain_image(b);
  std::set<long long> const once(values.begin(), values.end());
  std::set<long long> both;
  long long before = -1;
  for (long long i = 0; i < plain_size(c); ++i) {
    long long const v = plain_at(c, i);
    t.equal(v > before, true);
    before = v;
    for (long long x : once) t.equal(both.insert(x + v).second, true);
  }
}
void check_right_inverse(tally& t, plain const& a, plain const& r) {
  for (long long i = 0; i < plain_size(r); ++i) {
    t.equal(plain_at(r, i) < plain_size(a), true);
    t.equal(plain_at(a, plain_at(r, i)), i);
  }
}
// By increasing stride each mode begins at a multiple of where the one before ends, and n is a multiple of the last end.
bool tiles(plain b, long long n) {
  std::sort(b.begin(), b.end(), [](leaf const& x, leaf const& y) { return x.stride < y.stride; });
  long long end = 1;
  for (leaf const& l : b) {
    if (l.extent == 1) continue;
    if (l.stride == 0 || l.stride % end != 0) return false;
    end = l.extent * l.stride;
  }
  return n % end == 0;
}
// The first tile is a o b; where the tiles divide a, they hold each of its values as often as a does.
void check_divide(tally& t, plain const& a, plain const& b, plain const& d) {
  for (long long i = 0; i < plain_size(b); ++i) t.equal(plain_at(d, i), plain_at(a, plain_at(b, i)));
  if (tiles(b, plain_size(a)) && plain_size(d) == plain_size(a)) t.equal(plain_image(d), plain_image(a));
}

void test_computed(random_layouts& draw, std::vector<tally>& all) {
  int const n = 2000;
  std::vector<layout> as, bs;
  draw_defined(draw, n, as, bs);
  device_array<layout> a(as), b(bs), composed(n), complements(n), inverses(n), divided(n);
  compute<<<(n + 63) / 64, 64>>>(a.data(), b.data(), n, composed.data(), complements.data(), inverses.data(), divided.data());
  finish("compute");
  std::vector<layout> const rs = composed.host(), cs = complements.host(), is = inverses.host(), ds = divided.host();
  tally r{"on the device: composition"}, c{"on the device: complement"}, i{"on the device: right_inverse"},
      d{"on the device: logical_divide"}, same{"on the device and on the host alike"};
  for (int k = 0; k < n; ++k) {
    plain const pa = plain_of(as[k]), pb = plain_of(bs[k]);
    check_composition(r, pa, pb, plain_of(rs[k]));
    check_complement(c, pb, plain_of(cs[k]));
    check_right_inverse(i, pa, plain_of(is[k]));
    check_divide(d, pa, pb, plain_of(ds[k]));
    same.equal(rs[k], composition(as[k], bs[k]));
    same.equal(cs[k], complement(bs[k], 2 * cosize(bs[k])));
    same.equal(is[k], right_inverse(as[k]));
    same.equal(ds[k], logical_divide(as[k], bs[k]));
  }
  for (tally* t : {&r, &c, &i, &d, &same}) {
    t->cases = n;
    all.push_back(*t);
  }
}

// The last test: a trap ends all work on the device.
tally test_trap() {
  tally t{"an undefined operation traps"};
  device_array<layout> out(1);
  compute_undefined<<<1, 1>>>(make_layout({4, 3}, {3, 1}), make_layout(6, 1), out.data());
  ++t.cases;
  cudaError_t const launched = cudaGetLastError(), ended = cudaDeviceSynchronize();
  t.equal(launched == cudaSuccess && ended != cudaSuccess, true);
  return t;
}

}  // namespace

int main() {
  if (!found_device()) return 77;
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  check(cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10), "cudaDeviceSetLimit");
  std::printf("%s, sm_%d%d\n%-44s %8s %12s %8s\n", properties.name, properties.major, properties.minor, "test", "cases",
              "compared", "wrong");
  random_layouts draw(1);
  std::vector<tally> all{test_fixed_layouts(), test_fixed_composed(), test_random_apply(draw)};
  test_computed(draw, all);
  all.push_back(test_trap());
  long long wrong = 0;
  for (tally const& t : all) {
    t.print();
    wrong += t.wrong;
    if (t.compared == 0) {
      std::printf("FAIL %s compared nothing\n", t.name);
      ++wrong;
    }
  }
  std::printf("%s\n", wrong == 0 ? "all equal" : "FAIL");
  return wrong != 0;
}
