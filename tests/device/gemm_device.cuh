// Loops over elements on the GPU, memory for operands and the values they are dealt: what tests and benchmarks of GEMMs
// share. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/device/cuda.hpp"
#include "tests/device/gemm_draw.hpp"

namespace colex::verify {

using count = unsigned long long;
using gpu::check;

template <class Body>
__global__ void loop(int64 n, Body body) {
  int64 const step = int64{blockDim.x} * gridDim.x;
  for (int64 i = int64{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) body(i);
}
template <class Body>
void for_each(int64 n, Body const& body) {
  if (n == 0) return;
  loop<<<static_cast<unsigned>(std::min<int64>((n + 127) / 128, 1 << 16)), 128>>>(n, body);
  check(cudaGetLastError(), "launch");
}
// As first() of verify.hpp, into *at, which begins as n.
template <class Predicate>
struct least {
  Predicate is;
  count* at;
  __device__ void operator()(int64 i) const {
    if (is(i)) atomicMin(at, static_cast<count>(i));
  }
};
template <class Predicate>
void find_first(int64 n, Predicate const& is, count* at) {
  for_each(n, least<Predicate>{is, at});
}

// Memory that grows on demand.
class arena {
 public:
  unsigned char* of(int64 bytes) {
    if (bytes > bytes_) {
      check(cudaFree(memory_), "cudaFree");
      check(cudaMalloc(&memory_, static_cast<std::size_t>(bytes)), "cudaMalloc");
      bytes_ = bytes;
    }
    return memory_;
  }

 private:
  unsigned char* memory_ = nullptr;
  int64 bytes_ = 0;
};

__device__ inline bits mixed(bits x) {  // splitmix64
  x += 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}
// Gives each element of an operand a value that its place in memory decides.
struct deal {
  operand x;
  int64 rows, columns;
  bits seed;
  data kind;
  double unit = 1;

  __device__ double value(bits r) const {
    double const whole = static_cast<double>(r % 9) - 4;
    if (kind == data::whole) return whole;
    if (kind == data::least) return round_to(x.type, whole * unit);
    if (kind == data::beyond) {  // so rare that about half of the sums are finite
      bits const rare = (r >> 8) % static_cast<bits>(8 * columns);
      return rare == 0 ? NAN : rare == 1 ? INFINITY : rare == 2 ? -INFINITY : whole;
    }
    if (kind == data::positive) return static_cast<double>(r % 4) + 1;
    if (x.type == element::s8) return static_cast<double>(r % 256) - 128;
    if (x.type == element::s32) return static_cast<double>(r % 2001) - 1000;
    double const radius = sqrt(-2 * log((static_cast<double>(r >> 32) + 1) * 0x1p-32));
    double const v = radius * cospi(2 * 0x1p-32 * static_cast<double>(r & 0xFFFFFFFF));
    return round_to(x.type, kind == data::magnitudes ? fabs(v) : v);
  }
  __device__ void operator()(int64 i) const {
    int64 const at = x.offset(i % rows, i / rows % columns, i / rows / columns);
    x.write(at, value(mixed(seed ^ static_cast<bits>(at))));
  }
};
}  // namespace colex::verify
