// A program of a stranger's that asks from C++ which kernel would multiply. SPDX-License-Identifier: Apache-2.0
#include <colex/gemm.hpp>

#include <cstdio>

using namespace colex::gpu;

int main() {
  alignas(16) static float memory[16];
  device_tensor const x = make_device_tensor(memory, element::f32, make_layout({4, 4}, {4, 1}));
  auto const lines = explain_gemm(x, x, x, {}, 1, 0, {}, 75, 40);
  for (auto const& line : lines) std::puts(line.c_str());
  return lines.size() < 2;  // one line alone says what is wrong
}
