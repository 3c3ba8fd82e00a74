// The benchmark `--accuracy`. SPDX-License-Identifier: Apache-2.0
#include "tests/bench/accuracy.hpp"

#include "tests/bench/products.cuh"

#include <cmath>
#include <functional>

namespace colex::bench {
namespace {

// Copies an operand element by element, into one that is as dense.
struct widen {
  operand from, to;
  __device__ void operator()(int64 i) const { to.write(i, from.read(i)); }
};
operand widened(operand const& x, int64 rows, int64 columns, arena& memory) {
  operand const r = matrix(element::f64, rows, columns, 1, x.stride[1] == 1, memory);
  for_each(rows * columns, widen{x, r});
  return r;
}
template <class T>
std::vector<T> read_back(operand const& x, int64 count) {
  std::vector<T> r(static_cast<std::size_t>(count));
  check(cudaMemcpy(r.data(), x.data, r.size() * sizeof(T), cudaMemcpyDefault), "running");
  return r;
}

// The root of the mean square of the errors, and the largest, of the root of the mean square of D.
struct errors {
  double rms = NAN, most = NAN;
};
errors errors_of(std::vector<double> const& got, std::vector<double> const& want) {
  double squares = 0, most = 0, size = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    double const off = std::fabs(got[i] - want[i]);
    squares += off * off, most = std::max(most, off), size += want[i] * want[i];
  }
  return {std::sqrt(squares / size), most / std::sqrt(size / static_cast<double>(got.size()))};
}

// D as f64, which it is also where it was computed.
std::vector<double> values_of(product const& x) {
  if (x.d.type == element::f64) return read_back<double>(x.d, x.size());
  std::vector<float> const narrow = read_back<float>(x.d, x.size());
  return {narrow.begin(), narrow.end()};
}
// The product by f64's FMAs, one after another.
std::vector<double> exact(product x) {
  arena a, b, d;
  x.a = widened(x.a, x.m, x.k, a), x.b = widened(x.b, x.n, x.k, b), x.d = matrix(element::f64, x.m, x.n, 1, true, d);
  if (gemm_status const s = gemm(tensor_of(x.d), tensor_of(x.a), tensor_of(x.b), {}, 1, 0); !s) return {};
  return values_of(x);
}
std::vector<double> ours(product const& x, types const& of, bool two_level) {
  gemm_options o;
  o.tf32 = of.tf32, o.fast_accumulation = of.fast, o.two_level_accumulation = two_level;
  gemm_status const s = gemm(tensor_of(x.d), tensor_of(x.a), tensor_of(x.b), {}, 1, 0, o);
  if (!s) std::printf("FAIL %s\n", s.reason.c_str());
  return s ? values_of(x) : std::vector<double>{};
}
std::vector<double> theirs(lt_library const& lt, product const& x, types const& of) {
  if (lt.opened == nullptr) return {};
  lt_plan const plan(lt, x, of);
  if (plan.candidates() == 0) return {};
  void* space = nullptr;
  check(cudaMalloc(&space, lt_plan::workspace), "cudaMalloc");
  plan.run(x, 0, space, nullptr);
  std::vector<double> const r = values_of(x);
  check(cudaFree(space), "cudaFree");
  return r;
}

struct measured_types {
  char const* name;
  types of;
  bool has_two_levels;
};
constexpr measured_types all_types[] = {
    {"bf16", {element::bf16, element::bf16, element::f32, element::f32}, true},
    {"f16", {element::f16, element::f16, element::f32, element::f32}, true},
    {"tf32", {element::f32, element::f32, element::f32, element::f32, true}, true},
    {"fp8", {element::e4m3, element::e4m3, element::f32, element::f32}, false},
    {"fp8 fast", {element::e4m3, element::e4m3, element::f32, element::f32, false, true}, false},
    {"f32", {element::f32, element::f32, element::f32, element::f32}, false},
};

std::string text(std::vector<double> const& got, std::vector<double> const& want) {
  if (got.empty() || want.empty()) return "| | ";
  errors const e = errors_of(got, want);
  char line[64];
  std::snprintf(line, sizeof line, "| %.1e | %.1e ", e.rms, e.most);
  return line;
}

}  // namespace

int measure_accuracy(lt_library const& lt) {
  std::printf("| | data | K | Colex: rms | most | two levels: rms | most | cuBLASLt: rms | most |\n");
  std::printf("|---|---|--:|--:|--:|--:|--:|--:|--:|\n");
  bool whole = true;
  for (measured_types const& t : all_types)
    for (data kind : {data::normal, data::magnitudes})
      for (int64 k : {512, 4096, 32768}) {
        job const j({"accuracy", "", "TN", 512, 512, k}, t.of, 1, kind);
        product const& x = j.products[0];
        std::vector<double> const want = exact(x), got = ours(x, t.of, false);
        whole = whole && !want.empty() && !got.empty();
        std::string const line = text(got, want) + text(t.has_two_levels ? ours(x, t.of, true) : std::vector<double>{}, want) +
                                 text(theirs(lt, x, t.of), want);
        std::printf("| %s | %s | %lld %s|\n", t.name, kind == data::normal ? "normal" : "positive", static_cast<long long>(k),
                    line.c_str());
        std::fflush(stdout);
      }
  return whole ? 0 : 1;
}

}  // namespace colex::bench
