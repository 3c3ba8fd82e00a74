// Runs the kernels of this folder, compares what they leave with plain loops on the host, and times them beside a copy or the
// rate of FMAs; with WITH_CUTE the same of CuTe's, in turn. Exits 77 where there is no GPU. SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

void check(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::printf("FAIL: %s\n", cudaGetErrorString(e));
  std::exit(1);
}

// Device memory; what is not given is poisoned. Integers of which sums are exact whatever their order.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n) : size_(n) {
    check(cudaMalloc(&data_, n * sizeof(T)));
    poison();
  }
  explicit device_array(std::vector<T> const& v) : device_array(v.size()) {
    check(cudaMemcpy(data_, v.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  device_array(device_array const&) = delete;
  ~device_array() { cudaFree(data_); }
  void poison() const { check(cudaMemset(data_, 0x5A, size_ * sizeof(T))); }
  T* data() const { return data_; }
  std::vector<T> host() const {
    std::vector<T> v(size_);
    check(cudaMemcpy(v.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};
template <class T>
std::vector<T> counted(std::size_t n, int most) {
  std::vector<T> v(n);
  std::uint32_t state = 1;
  for (T& x : v) x = static_cast<T>(static_cast<int>((state = state * 1664525 + 1013904223) >> 8) % (most + 1));
  return v;
}

struct implementation {
  char const* by;
  std::function<void()> run;
};
#ifdef WITH_CUTE
#define EACH(call)                        \
  {                                       \
    {"colex", [=] { in_colex::call; }}, { \
      "cute", [=] { in_cute::call; }      \
    }                                     \
  }
#else
#define EACH(call)                     \
  {                                    \
    {                                  \
      "colex", [=] { in_colex::call; } \
    }                                  \
  }
#endif

// The milliseconds that a call takes, of five in a row.
double milliseconds(std::function<void()> const& run) {
  static cudaEvent_t const begin = [] {
    cudaEvent_t e;
    check(cudaEventCreate(&e));
    return e;
  }();
  static cudaEvent_t const end = [] {
    cudaEvent_t e;
    check(cudaEventCreate(&e));
    return e;
  }();
  check(cudaEventRecord(begin));
  for (int k = 0; k < 5; ++k) run();
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float took = 0;
  check(cudaEventElapsedTime(&took, begin, end));
  return took / 5.;
}
double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// What is done in one call, and the rate of what is known to be fast.
struct measure {
  double amount;
  char const* unit;
  double scale, reference;
};

// Judges and times the implementations, one after the other in each of 21 rounds.
int compare(std::string const& name, std::vector<implementation> const& all, measure const& m,
            std::function<void()> const& poison, std::function<long()> const& count_wrong) {
  int failed = 0;
  std::vector<std::vector<double>> took(all.size());
  std::vector<long> wrong;
  for (implementation const& x : all) {
    poison();
    x.run();
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    wrong.push_back(count_wrong());
  }
  for (int round = 0; round < 21; ++round)
    for (std::size_t k = 0; k < all.size(); ++k) took[k].push_back(milliseconds(all[k].run));
  for (std::size_t k = 0; k < all.size(); ++k) {
    double const rate = m.amount / median(took[k]) * 1e3;
    failed += wrong[k] != 0;
    std::printf("%s, %s: %s, %.4g %s, %.3f of reference\n", name.c_str(), all[k].by,
                wrong[k] == 0 ? "ok" : ("FAIL, " + std::to_string(wrong[k]) + " wrong").c_str(), rate / m.scale, m.unit,
                rate / m.reference);
  }
  return failed;
}

// Bytes a second that a copy of memory reads and writes, and operations a second of 128 FMAs in each cycle of each SM.
double copied_bytes() {
  std::size_t const n = std::size_t{1} << 28;
  device_array<char> const x(n), y(n);
  std::vector<double> took;
  for (int k = 0; k < 21; ++k)
    took.push_back(milliseconds([&] { check(cudaMemcpyAsync(y.data(), x.data(), n, cudaMemcpyDeviceToDevice)); }));
  return 2. * static_cast<double>(n) / median(took) * 1e3;
}
double fma_operations() {
  int sms = 0, kilohertz = 0;
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
  return 2. * 128 * sms * 1e3 * kilohertz;
}
measure bytes(double n, double copied) { return {n, "GB/s", 1e9, copied}; }
measure operations(double n) { return {n, "TFLOP/s", 1e12, fma_operations()}; }

template <class T>
int transposes(char const* name, int m, int n, double copied) {
  std::size_t const size = std::size_t(m) * n;
  std::vector<T> const from = counted<T>(size, 30000);
  device_array<T> const on_x(from), on_y(size);
  T* const x = on_x.data();
  T* const y = on_y.data();
  return compare(
      name, EACH(transpose(x, y, m, n)), bytes(2. * size * sizeof(T), copied), [&] { on_y.poison(); },
      [&] {
        std::vector<T> const to = on_y.host();
        long wrong = 0;
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < n; ++j) wrong += to[std::size_t(j) * m + i] != from[std::size_t(i) * n + j];
        return wrong;
      });
}

// Rows that end inside a tile and inside a vector; what lies between them is not written.
int tiled_copies(int m, int n, int ld, double copied) {
  std::size_t const size = std::size_t(m) * ld;
  std::vector<float> const from = counted<float>(size, 30000);
  device_array<float> const on_x(from), on_y(size);
  std::vector<float> const untouched = on_y.host();
  float* const x = on_x.data();
  float* const y = on_y.data();
  return compare(
      "tiled_copy", EACH(tiled_copy(x, y, m, n, ld)), bytes(2. * 4 * m * n, copied), [&] { on_y.poison(); },
      [&] {
        std::vector<float> const to = on_y.host();
        long wrong = 0;
        for (std::size_t i = 0; i < size; ++i) wrong += to[i] != (static_cast<int>(i % ld) < n ? from[i] : untouched[i]);
        return wrong;
      });
}

// Compares elements (i, j) of a result with `wanted`, some of each row and of each column.
long sampled(int m, int n, std::function<double(int, int)> const& wanted, std::function<double(int, int)> const& got) {
  long wrong = 0;
  for (int k = 0; k < 2 * std::max(m, n); ++k) {
    int const i = k % m, j = static_cast<int>(std::int64_t{k} * 613 % n);
    wrong += wanted(i, j) != got(i, j);
  }
  return wrong;
}

// A and B with the strides of a row and of k; C's columns are contiguous.
struct strides {
  std::size_t row_a, k_a, row_b, k_b;
};
int sgemms(char const* name, int m, int n, int k, strides const& by,
           std::function<std::vector<implementation>(float const*, float const*, float*)> const& each) {
  std::vector<float> const host_a = counted<float>(std::size_t(m) * k, 15), host_b = counted<float>(std::size_t(n) * k, 15);
  device_array<float> const a(host_a), b(host_b), c(std::size_t(m) * n);
  auto const wanted = [&](int i, int j) {
    double sum = 0;
    for (int p = 0; p < k; ++p) sum += double(host_a[i * by.row_a + p * by.k_a]) * host_b[j * by.row_b + p * by.k_b];
    return sum;
  };
  return compare(
      name, each(a.data(), b.data(), c.data()), operations(2. * m * n * k),
      [&] { check(cudaMemset(c.data(), 0, sizeof(float) * m * n)); },  // it is read, too
      [&] {
        std::vector<float> const got = c.host();
        return sampled(m, n, wanted, [&](int i, int j) { return got[i + std::size_t(m) * j]; });
      });
}

int convolutions() {
  using e = convolution_extents;
  std::size_t const inputs = std::size_t{e::n} * e::h * e::w * e::c, filters = std::size_t{e::k} * e::r * e::s * e::c;
  int const pixels = e::n * e::p * e::q, taps = e::r * e::s * e::c;
  std::vector<float> const host_x = counted<float>(inputs, 15), host_f = counted<float>(filters, 15);
  device_array<float> const on_x(host_x), on_f(host_f), on_y(std::size_t(pixels) * e::k);
  float *const x = on_x.data(), *const f = on_f.data(), *const y = on_y.data();
  auto const wanted = [&](int pixel, int k) {
    int const q = pixel % e::q, p = pixel / e::q % e::p, n = pixel / e::q / e::p;
    double sum = 0;
    for (int r = 0; r < e::r; ++r)
      for (int s = 0; s < e::s; ++s)
        for (int c = 0; c < e::c; ++c)
          sum += double(host_x[((std::size_t(n) * e::h + p + r) * e::w + q + s) * e::c + c]) *
                 host_f[((std::size_t(k) * e::r + r) * e::s + s) * e::c + c];
    return sum;
  };
  return compare(
      "convolution", EACH(convolution(x, f, y)), operations(2. * pixels * e::k * taps), [&] { on_y.poison(); },
      [&] {
        std::vector<float> const got = on_y.host();
        return sampled(pixels, e::k, wanted, [&](int i, int j) { return got[std::size_t(i) * e::k + j]; });
      });
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return std::puts("skipped: no GPU"), 77;
  constexpr int m = 4096, n = 4096, k = 4096;
  double const copied = copied_bytes();
  std::printf("a copy of memory: %.4g GB/s; FMAs: %.4g TFLOP/s\n", copied / 1e9, fma_operations() / 1e12);
  using implementations = std::vector<implementation>;
  int failed = transposes<float>("transpose f32", 8192, 8192, copied) +
               transposes<std::uint16_t>("transpose 16-bit", 16384, 8192, copied) + tiled_copies(8191, 8189, 8192, copied);
  failed += sgemms("sgemm_1", m, n, k, {1, m, 1, n}, [&](float const* a, float const* b, float* c) {
    return implementations EACH(sgemm_1(m, n, k, 1, a, m, b, n, 0, c, m));
  });
  failed += sgemms("sgemm_2", m, n, k, {k, 1, k, 1}, [&](float const* a, float const* b, float* c) {
    return implementations EACH(sgemm_2(m, n, k, 1, a, k, b, k, 0, c, m));
  });
  failed += convolutions();
  return failed != 0;
}
