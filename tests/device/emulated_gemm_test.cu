// Emulated products on the GPU: how exact they are beside native ones, for elements of many kinds; the same bits from every
// kernel that multiplies residues, and from operands that were prepared; native results where residues do not suffice. Exits
// with 77 without a GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma nv_diag_suppress 20208  // __float128 is the host's
#include "tests/bench/products.cuh"

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <span>

namespace {

using namespace colex::bench;
using colex::gpu::gemm_emulation;

// Values of a matrix by row and column; each gets a random generator.
struct kind_of_data {
  char const* name;
  std::function<double(std::mt19937_64&, int64, int64)> value;
};
double normal(std::mt19937_64& r) { return std::normal_distribution<double>()(r); }
double uneven(std::mt19937_64& r, double spread) {
  return (std::uniform_real_distribution<double>()(r) - 0.5) * std::exp(spread * normal(r));
}
std::vector<kind_of_data> const all_data = {
    {"normal", [](auto& r, int64, int64) { return normal(r); }},
    {"spread 0.5", [](auto& r, int64, int64) { return uneven(r, 0.5); }},
    {"spread 1", [](auto& r, int64, int64) { return uneven(r, 1); }},
    {"spread 2", [](auto& r, int64, int64) { return uneven(r, 2); }},
    {"spread 4", [](auto& r, int64, int64) { return uneven(r, 4); }},
    {"all equal", [](auto&, int64, int64) { return 0.1; }},
    {"one is huge", [](auto& r, int64 i, int64 k) { return (i % 7 == 3 && k == 1 ? 1e6 : 1) * normal(r); }},
    {"cancelling", [](auto& r, int64, int64 k) { return (k % 2 == 0 ? 1 : -1) * (1 + 1e-3 * normal(r)); }},
    {"rows of any size", [](auto& r, int64 i, int64) { return std::ldexp(normal(r), static_cast<int>(i * 7 % 41) - 20); }},
    {"subnormal of f32", [](auto& r, int64, int64) { return std::ldexp(normal(r), -133); }},
    {"zeros", [](auto& r, int64 i, int64) { return i % 3 == 0 ? 0 : normal(r); }},
};

template <class Real>
struct one_product {
  int64 m, n, k;
  std::vector<Real> a, b, d;
  Real *da = nullptr, *db = nullptr, *dd = nullptr;
  int* used = nullptr;

  one_product(int64 rows, int64 columns, int64 depth, kind_of_data const& of)
      : m(rows), n(columns), k(depth), a(size(m * k)), b(size(n * k)), d(size(m * n)) {
    std::mt19937_64 random(17);
    for (int64 i = 0; i < m * k; ++i) a[size(i)] = static_cast<Real>(of.value(random, i / k, i % k));
    for (int64 i = 0; i < n * k; ++i) b[size(i)] = static_cast<Real>(of.value(random, i / k, i % k));
    check(cudaMalloc(&da, bytes(a)), "cudaMalloc"), check(cudaMalloc(&db, bytes(b)), "cudaMalloc");
    check(cudaMalloc(&dd, bytes(d)), "cudaMalloc"), check(cudaMalloc(&used, 4), "cudaMalloc");
    give();
  }
  one_product(one_product const&) = delete;
  ~one_product() { cudaFree(da), cudaFree(db), cudaFree(dd), cudaFree(used); }
  void give() {
    check(cudaMemcpy(da, a.data(), bytes(a), cudaMemcpyDefault), "copy");
    check(cudaMemcpy(db, b.data(), bytes(b), cudaMemcpyDefault), "copy");
  }
  // Leaves D; returns the number of moduli, -1 where the call is refused.
  int run(gemm_options o) {
    return leave_d([&] {
      o.moduli_used = used;
      return gemm(tensor(dd, m, n), tensor(da, m, k), tensor(db, n, k), {}, 1, 0, o);
    });
  }
  int run(colex::gpu::prepared_gemm const& prepared) {
    return leave_d([&] { return prepared.run(dd, da, db); });
  }
  colex::gpu::prepared_gemm prepared(gemm_options o) const {
    o.moduli_used = used;
    return {tensor(dd, m, n), tensor(da, m, k), tensor(db, n, k), {}, 1, 0, o};
  }
  template <class Run>
  int leave_d(Run enqueue) {
    check(cudaMemset(dd, 0xff, bytes(d)), "memset"), check(cudaMemset(used, 0, 4), "memset");
    gemm_status const s = enqueue();
    if (!s) return std::printf("FAIL refused: %s\n", s.reason.c_str()), -1;
    check(cudaMemcpy(d.data(), dd, bytes(d), cudaMemcpyDefault), "running");
    int moduli = 0;
    check(cudaMemcpy(&moduli, used, 4, cudaMemcpyDefault), "copy");
    return moduli;
  }
  // The largest errors of sampled elements: over the sum of |a||b|, and over the bound of spec/emulation.md, "How many moduli",
  // with the last rounding.
  struct errors {
    double most = 0, of_bound = 0;
  };
  errors error() const {
    errors r;
    constexpr double unit = sizeof(Real) == 8 ? 0x1p-53 : 0x1p-24;
    for (int64 s = 0; s < 100; ++s) {
      int64 const i = s * 7919 % m, j = s * 104729 % n;
      __float128 sum = 0, whole = 0, of_a = 0, of_b = 0;
      auto const magnitude = [](__float128 x) { return x < 0 ? -x : x; };
      for (int64 x = 0; x < k; ++x) {
        __float128 const p = a[size(i * k + x)], q = b[size(j * k + x)];
        sum += p * q, whole += magnitude(p * q), of_a += magnitude(p), of_b += magnitude(q);
      }
      auto const off = static_cast<double>(magnitude(d[size(i * n + j)] - sum)), depth = static_cast<double>(k);
      double const bound =
          unit * (std::sqrt(depth) * static_cast<double>(of_a * of_b) / depth + std::fabs(static_cast<double>(sum)));
      if (whole > 0) r.most = std::max(r.most, off / static_cast<double>(whole));
      if (off > 0)
        r.of_bound = std::max(r.of_bound, off / (bound + static_cast<double>(std::numeric_limits<Real>::denorm_min())));
    }
    return r;
  }

 private:
  static colex::gpu::device_tensor tensor(Real* data, int64 rows, int64 columns) {
    using colex::gpu::int_tuple;
    return {data, sizeof(Real) == 8 ? element::f64 : element::f32, int_tuple{rows, columns}, int_tuple{columns, 1}};
  }
  static std::size_t size(int64 n) { return static_cast<std::size_t>(n); }
  static std::size_t bytes(std::vector<Real> const& x) { return x.size() * sizeof(Real); }
};

gemm_options emulated(std::string const& kernel = "", int moduli = 0) {
  static std::string name;
  gemm_options o;
  name = kernel, o.kernel = name, o.emulation = gemm_emulation::residues, o.reproducible = true, o.moduli = moduli;
  return o;
}

int failures = 0;
void expect(bool good, std::string const& what) {
  if (!good) std::printf("FAIL %s\n", what.c_str()), ++failures;
}

template <class Real>
void judge_errors(char const* type, int64 k) {
  bool const large = k > 10000;
  for (kind_of_data const& kind : std::span(all_data).first(large ? 2 : all_data.size())) {
    one_product<Real> x(large ? 33 : 257, large ? 18 : 130, k, kind);
    x.run({});
    double const native = x.error().most;
    int const moduli = x.run(emulated());
    auto const [most, of_bound] = x.error();
    std::printf("| %s | %s | %lld | %.1e | %.1e | %d |\n", type, kind.name, static_cast<long long>(k), native, most, moduli);
    expect(moduli >= 0 && (moduli == 0 || of_bound <= 1), std::string(type) + " " + kind.name + " is not exact enough");
  }
}
// The same bits, whichever kernel multiplies the residues.
template <class Real>
void judge_bits(char const* type) {
  one_product<Real> x(300, 271, 1037, all_data[1]);
  x.run(emulated());
  std::vector<Real> const want = x.d;
  int tried = 0;
  for (std::string const& name : colex::gpu::gemm_kernels()) {
    if (name.find("_s8_") != name.find('_')) continue;
    ++tried;
    x.run(emulated(name));
    expect(std::memcmp(x.d.data(), want.data(), want.size() * sizeof(Real)) == 0,
           std::string(type) + " has other bits by " + name);
  }
  std::printf("%s: the same bits from %d kernels\n", type, tried);
  expect(tried > 1, "kernels of s8");
}
// The same bits from operands whose residues are kept, also where the other operand needs more moduli; and they are kept.
template <class Real>
void judge_prepared(char const* type) {
  using colex::gpu::gemm_operand;
  one_product<Real> x(300, 271, 1037, all_data[3]);
  one_product<Real> const even(300, 271, 1037, all_data[0]);
  x.b = even.b, x.give();
  int const moduli = x.run(emulated());
  std::vector<Real> const want = x.d;
  auto const same = [&] { return std::memcmp(x.d.data(), want.data(), want.size() * sizeof(Real)) == 0; };
  auto product = x.prepared(emulated());
  expect(bool(product.prepare_operand(gemm_operand::b, x.db)), "B is prepared");
  expect(x.run(product) == moduli && same(), std::string(type) + ": other bits with B prepared");
  expect(bool(product.prepare_operand(gemm_operand::a, x.da)), "A is prepared");
  expect(x.run(product) == moduli && same(), std::string(type) + ": other bits with both prepared");
  x.b[5] = 0, x.give();
  expect(x.run(product) == moduli && same(), std::string(type) + ": what was prepared was not used");
  expect(bool(product.prepare_operand(gemm_operand::b, x.db)), "B is prepared again");
  expect(x.run(product) == moduli && !same(), std::string(type) + ": what was prepared again was not used");
  x.b[5] = static_cast<Real>(INFINITY), x.give();
  expect(bool(product.prepare_operand(gemm_operand::b, x.db)), "B with an infinity is prepared");
  expect(x.run(product) == 0, std::string(type) + ": infinite, but residues were used");
}
// Integers are multiplied exactly.
template <class Real>
void judge_integers(char const* type, double most) {
  one_product<Real> x(190, 250, 3000, {"integers", [&](auto& r, int64, int64) {
                                         return std::rint((std::uniform_real_distribution<double>()(r) - 0.5) * most);
                                       }});
  int const moduli = x.run(emulated());
  double worst = 0;
  for (int64 i = 0; i < x.m; ++i)
    for (int64 j = 0; j < x.n; j += 13) {
      __int128 sum = 0;
      for (int64 k = 0; k < x.k; ++k)
        sum += static_cast<__int128>(x.a[static_cast<std::size_t>(i * x.k + k)]) *
               static_cast<__int128>(x.b[static_cast<std::size_t>(j * x.k + k)]);
      worst += x.d[static_cast<std::size_t>(i * x.n + j)] != static_cast<Real>(sum);
    }
  std::printf("%s: integers up to %g, %d moduli: %g elements differ\n", type, most / 2, moduli, worst);
  expect(worst == 0, "integers");
}
// Where an element is infinite or NaN the result is the native one.
template <class Real>
void judge_fallback(char const* type) {
  for (Real odd : {static_cast<Real>(INFINITY), static_cast<Real>(NAN)}) {
    one_product<Real> x(200, 150, 700, all_data[0]);
    x.a[700 * 31 + 5] = odd, x.give();
    x.run({});
    std::vector<Real> const want = x.d;
    int const moduli = x.run(emulated());
    expect(moduli == 0, std::string(type) + ": the flag says that residues were used");
    bool same = true;
    for (std::size_t i = 0; i < want.size(); ++i)
      same = same && (x.d[i] == want[i] || (std::isnan(x.d[i]) && std::isnan(want[i])) ||
                      std::fabs(x.d[i] - want[i]) < 1e-3 * (1 + std::fabs(want[i])));
    expect(same, std::string(type) + ": not the native result");
  }
}

}  // namespace

int main() {
  if (!colex::gpu::found_device()) return 77;
  std::printf("| type | elements | K | native | residues | moduli |\n|---|---|--:|--:|--:|--:|\n");
  for (int64 k : {1, 100, 2048}) judge_errors<double>("f64", k), judge_errors<float>("f32", k);
  judge_errors<double>("f64", 200000), judge_errors<float>("f32", 200000);
  judge_bits<double>("f64"), judge_bits<float>("f32");
  judge_prepared<double>("f64"), judge_prepared<float>("f32");
  judge_integers<double>("f64", 1e6), judge_integers<float>("f32", 4000);
  judge_fallback<double>("f64"), judge_fallback<float>("f32");
  std::printf("%d failed\n", failures);
  return failures != 0;
}
