// Operands of calls that are planned and not run. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/normalize.hpp"
#include "gpu/plans/all.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace colex::gpu {
namespace {  // whose `tensor` is not the algebra's

alignas(16) std::byte memory[1 << 12];

device_tensor tensor(int_tuple const& shape, int_tuple const& stride, element type = element::f32) {
  return {memory, type, shape, stride};
}
struct operands {
  device_tensor d = tensor({3, 4}, {4, 1}), a = tensor({3, 5}, {5, 1}), b = tensor({4, 5}, {5, 1}), c = {};
  double alpha = 1, beta = 0;

  normalized normal() const { return normalize(d, a, b, c, alpha, beta); }
};

// A and B along K, as most are given.
operands cube(int64 n, element in, element out) {
  operands x;
  x.d = tensor({n, n}, {n, 1}, out), x.a = tensor({n, n}, {n, 1}, in), x.b = tensor({n, n}, {n, 1}, in);
  return x;
}

// Kernels that are not run.
std::vector<gemm_kernel> kernels_of(std::span<std::span<plan const> const> tables) {
  std::vector<gemm_kernel> r;
  for (std::span<plan const> table : tables)
    for (plan const& p : table) r.push_back({&p, nullptr});
  return r;
}
std::vector<gemm_kernel> const threads = kernels_of(std::span(all_plans).first(4)), all = kernels_of(all_plans);

}  // namespace
}  // namespace colex::gpu
