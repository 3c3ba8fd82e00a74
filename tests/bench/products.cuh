// Products in device memory, with random operands, as gemm() and cuBLAS take them. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/gemm.hpp"
#include "tests/bench/goals.hpp"
#include "tests/device/gemm_device.cuh"

#include <algorithm>
#include <memory>

namespace colex::bench {

using gpu::check, gpu::device_tensor, gpu::gemm_options, gpu::gemm_status;

// (rows, columns) with the columns contiguous, or the rows.
inline operand matrix(element type, int64 rows, int64 columns, int64 batches, bool by_rows, arena& memory) {
  operand o;
  o.type = type;
  int64 const extent[] = {rows, columns, batches}, stride[] = {by_rows ? columns : 1, by_rows ? 1 : rows, rows * columns};
  for (int i = 0; i < 3; ++i) o.end[i] = i + 1, o.extent[i] = extent[i], o.stride[i] = stride[i];
  o.data = memory.of(rows * columns * batches * bytes_of(type));
  return o;
}
inline device_tensor tensor_of(operand const& o) {
  bool const batched = o.extent[2] > 1;
  using gpu::int_tuple;
  return {o.data, o.type, batched ? int_tuple{o.extent[0], o.extent[1], o.extent[2]} : int_tuple{o.extent[0], o.extent[1]},
          batched ? int_tuple{o.stride[0], o.stride[1], o.stride[2]} : int_tuple{o.stride[0], o.stride[1]}};
}
// A workload's products in memory of their own, with random operands.
class job {
 public:
  std::vector<product> products;

  job(workload const& w, types const& of, bits seed, data values) {
    for (int64 rows : w.groups.empty() ? std::vector<int64>{w.m} : w.groups) {
      product x;
      x.m = rows, x.n = w.n, x.k = w.k, x.p = w.p;
      x.a = matrix(of.a, x.m, x.k, x.p, w.layout[1] == 'N', home());
      x.b = matrix(of.b, x.n, x.k, x.p, w.layout[0] == 'T', home());
      x.d = x.c = matrix(of.d, x.m, x.n, x.p, true, home());
      for_each(x.m * x.k * x.p, deal{x.a, x.m, x.k, seed++, values});
      for_each(x.n * x.k * x.p, deal{x.b, x.n, x.k, seed++, values});
      products.push_back(x);
    }
  }

 private:
  arena& home() { return *homes_.emplace_back(std::make_unique<arena>()); }
  std::vector<std::unique_ptr<arena>> homes_;
};

inline double median(std::vector<double> all) {
  std::ranges::sort(all);
  return all[all.size() / 2];
}

}  // namespace colex::bench
