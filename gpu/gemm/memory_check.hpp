// Where the operands of a call lie: what the device cannot reach, or what D would overwrite while it is read. Asked where the
// environment variable COLEX_CHECK is set, and not 0. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/arguments.hpp"
#include "gpu/gemm/normalize.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace colex::gpu {

// The bits that a tensor covers, from its lowest: runs of `run`, which begin at multiples of `pitch` behind `begin`, before
// `end`. No pitch: one run.
struct footprint {
  int64 begin = 0, end = 0, run = 0, pitch = 0;
};
inline footprint footprint_of(device_tensor const& t) {
  int64 const width = bits_of(t.type);
  std::vector<std::pair<int64, int64>> modes;  // the stride, of either sign, and the extent
  footprint r;
  for (int k = 0; k < t.shape.form.count; ++k) {
    int64 const extent = t.shape.value[k], stride = t.stride.value[k];
    if (extent == 0) return {};
    if (stride < 0) r.begin += (extent - 1) * stride * width;
    if (extent > 1 && stride != 0) modes.emplace_back(std::abs(stride) * width, extent);
  }
  std::ranges::sort(modes);
  r.run = width, r.end = width;
  for (auto const& [stride, extent] : modes) {
    r.end += stride * (extent - 1);
    if (r.pitch == 0 && stride <= r.run)
      r.run = std::max(r.run, stride * (extent - 1) + r.run);
    else
      r.pitch = std::gcd(r.pitch, stride);
  }
  r.begin += static_cast<int64>(reinterpret_cast<std::intptr_t>(t.data)) * 8, r.end += r.begin;
  return r;
}
// May the two share an element? No: they lie one behind the other, or in separate columns of the same rows.
inline bool may_overlap(device_tensor const& x, device_tensor const& y) {
  footprint const a = footprint_of(x), b = footprint_of(y);
  if (a.run == 0 || b.run == 0 || a.end <= b.begin || b.end <= a.begin) return false;
  int64 const pitch = std::gcd(a.pitch, b.pitch);
  if (pitch == 0) return true;
  int64 const ahead = ((b.begin - a.begin) % pitch + pitch) % pitch;  // b's first run behind one of a's
  return ahead < a.run || ahead + b.run > pitch;
}

inline bool checks_memory() {
  static bool const asked = [] {
    char const* const value = std::getenv("COLEX_CHECK");
    return value != nullptr && *value != 0 && std::strcmp(value, "0") != 0;
  }();
  return asked;
}
// Can the current device read and write there?
inline gemm_status check_reachable(entry::operand_name x) {
  if (x.tensor->data == nullptr) return {};
  auto const no = [&](std::string const& why) { return refused(gemm_error::unreachable, x.name + (" is " + why)); };
  cudaPointerAttributes of{};
  int device = 0, pageable = 0;
  cudaError_t e = cudaGetDevice(&device);
  if (e == cudaSuccess) e = cudaPointerGetAttributes(&of, x.tensor->data);
  if (e == cudaSuccess) e = cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, device);
  if (e != cudaSuccess) return refused(gemm_error::cuda, std::string("the place of ") + x.name + ": " + cudaGetErrorString(e));
  if (of.type == cudaMemoryTypeUnregistered && pageable == 0) return no("in memory of the host");
  if (of.type == cudaMemoryTypeDevice && of.device != device)
    return no("in memory of device " + std::to_string(of.device) + ", and the current one is " + std::to_string(device));
  return {};
}
// What is read and written by a call that is right in all else. C may be D, element by element.
inline gemm_status check_memory(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c,
                                double beta, gemm_options const& o) {
  device_tensor const none;
  for (entry::operand_name x : {entry::operand_name{"D", &d},
                                {"A", &a},
                                {"B", &b},
                                {"C", beta == 0 ? &none : &c},
                                {"the factors of A", &o.sfa},
                                {"the factors of B", &o.sfb}})
    if (gemm_status s = check_reachable(x); !s) return s;
  bool const same = c.data == d.data && c.type == d.type && c.stride == d.stride;
  for (entry::operand_name x : {entry::operand_name{"A", &a}, {"B", &b}, {"C", beta == 0 || same ? &none : &c}})
    if (may_overlap(d, *x.tensor)) return refused(gemm_error::overlap, std::string("D overlaps ") + x.name);
  return {};
}

}  // namespace colex::gpu
