// Tensors and tilings on a real GPU: threads that multiply, copy and predicate their shares, with layouts that the compiler
// knows and with partitions computed on the device. Everything is compared with plain loops on the host that know nothing of
// layouts. Exits 77 where there is no GPU. SPDX-License-Identifier: Apache-2.0
#include "gpu/algebra/tensor.hpp"
#include "gpu/atoms/tiled_copy.hpp"
#include "tests/device/cuda.hpp"

using namespace colex::gpu;

namespace {

// Elements that differ from all that memory holds by chance.
std::vector<int> counted(int n) {
  std::vector<int> v(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) v[static_cast<std::size_t>(i)] = i * 7 % 19 - 9;
  return v;
}
int report(char const* name, std::vector<int> const& got, std::vector<int> const& wanted) {
  long wrong = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) wrong += got[i] != wanted[i];
  std::printf("%-48s %8zu %8ld\n", name, wanted.size(), wrong);
  return wrong == 0 && got.size() == wanted.size() ? 0 : 1;
}

constexpr int rows = 128, columns = 128, depth_k = 24;
constexpr tiler by_16x4 = make_layout({16, 4}, {4, 1});
constexpr tiled_mma fma_256 =
    make_tiled_mma(make_mma_atom("UniversalFMA"), make_layout({16, 16, 1}, {16, 1, 0}), {by_16x4, by_16x4, _});
struct shares_of_a {
  static constexpr layout value = thrfrg_A(fma_256, make_layout({rows, depth_k}, {depth_k, 1}));
};
struct shares_of_b {
  static constexpr layout value = thrfrg_B(fma_256, make_layout({columns, depth_k}, {1, columns}));
};
struct shares_of_c {
  static constexpr layout value = thrfrg_C(fma_256, make_layout({rows, columns}, {1, rows}));
};
struct registers {
  static constexpr layout value = make_layout_left({8, 8});
};

__global__ void multiply(int const* a, int const* b, int* c) {
  constexpr int_tuple share{{0, {0, 0}}, {0, {_, _}}};
  int const m = threadIdx.x / 16, n = threadIdx.x % 16;
  int sums[64];
  tensor const own = make_tensor<registers>(sums);
  fill(own, 0);
  gemm(slice<share>(make_tensor<shares_of_a>(a), 0, m, 0, 0), slice<share>(make_tensor<shares_of_b>(b), 0, n, 0, 0), own);
  copy(own, slice<share>(make_tensor<shares_of_c>(c), 0, m, n, 0));
}
int test_product() {
  std::vector<int> const a = counted(rows * depth_k), b = counted(columns * depth_k);
  std::vector<int> wanted(rows * columns);
  for (int m = 0; m < rows; ++m)
    for (int n = 0; n < columns; ++n)
      for (int k = 0; k < depth_k; ++k) wanted[m + rows * n] += a[depth_k * m + k] * b[n + columns * k];
  device_array<int> on_a(a), on_b(b), c(wanted.size());
  multiply<<<1, 256>>>(on_a.data(), on_b.data(), c.data());
  finish("multiply");
  return report("product, shares known when compiled", c.host(), wanted);
}

__global__ void copy_shares(int const* from, composed const* source, int* to, composed const* destination) {
  copy(make_tensor(from, source[threadIdx.x]), make_tensor(to, destination[threadIdx.x]));
}
template <class Source, class Destination>
int test_transpose(char const* name, int threads, Source source_of, Destination destination_of) {
  std::vector<int> const from = counted(rows * columns);
  std::vector<int> wanted(from.size());
  for (int m = 0; m < rows; ++m)
    for (int n = 0; n < columns; ++n) wanted[m + rows * n] = from[columns * m + n];
  std::vector<composed> sources, destinations;
  for (int i = 0; i < threads; ++i) {
    sources.push_back(source_of(i, view(0, make_layout_right({rows, columns}))));
    destinations.push_back(destination_of(i, view(0, make_layout_left({rows, columns}))));
  }
  device_array<composed> x(sources), y(destinations);
  device_array<int> on_x(from), on_y(from.size());
  copy_shares<<<1, threads>>>(on_x.data(), x.data(), on_y.data(), y.data());
  finish(name);
  return report(name, on_y.host(), wanted);
}
int test_transposes() {
  tiled_mma const warps =
      make_tiled_mma(make_mma_atom("SM80_16x8x16_F32F16F16F32_TN"), make_layout({2, 2, 1}, {1, 2, 0}), {32, 32, 16});
  copy_atom const four = in_elements(make_copy_atom("UniversalCopy<uint128_t>"), 32);
  tiled_copy const vectors = make_tiled_copy(four, make_layout({32, 4}, {1, 32}), make_layout({1, 4}, {0, 1}));
  auto const of_c = [&](int i, composed const& a) { return get_slice(warps, i).partition_C(a); };
  auto const of_source = [&](int i, composed const& a) { return get_slice(vectors, i).partition_S(a); };
  auto const of_destination = [&](int i, composed const& a) { return get_slice(vectors, i).partition_D(a); };
  return test_transpose("transpose, partitioned by a tiled MMA", 128, of_c, of_c) +
         test_transpose("transpose, partitioned by a tiled copy", 128, of_source, of_destination);
}

struct swizzled {
  static constexpr composed value = composition(swizzle{3, 0, 5}, 0, make_layout({32, 32}, {32, 1}));
};
struct plain_rows {
  static constexpr layout value = make_layout({32, 32}, {32, 1});
};
__global__ void through_shared(int const* from, int* to, int* raw) {
  __shared__ int store[32 * 32];
  tensor const shared = make_tensor<swizzled>(store);
  for (int i = 0; i < 32; ++i) shared(i, threadIdx.x) = make_tensor<plain_rows>(from)(i, threadIdx.x);
  __syncthreads();
  for (int i = 0; i < 32; ++i) {
    make_tensor<plain_rows>(to)(i, threadIdx.x) = slice<int_tuple{_, 0}>(shared, i)(threadIdx.x);
    raw[32 * i + threadIdx.x] = store[32 * i + threadIdx.x];
  }
}
int test_swizzle() {
  std::vector<int> const from = counted(32 * 32);
  std::vector<int> across(from.size()), stored(from.size());
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 32; ++j) {
      across[32 * i + j] = from[32 * j + i];
      stored[32 * i + (j ^ (i & 7))] = from[32 * i + j];
    }
  device_array<int> x(from), y(from.size()), raw(from.size());
  through_shared<<<1, 32>>>(x.data(), y.data(), raw.data());
  finish("through_shared");
  return report("through swizzled shared memory", y.host(), across) + report("as it lies there", raw.host(), stored);
}

constexpr int odd_rows = 13, odd_columns = 7;
__global__ void copy_inside(composed const* tiles, composed const* coordinates, int const* from, int* to) {
  int_tuple const shape{odd_rows, odd_columns};
  tensor const where = with(make_identity_tensor(shape), coordinates[threadIdx.x]);
  copy_if(where, shape, make_tensor(from, tiles[threadIdx.x]), make_tensor(to, tiles[threadIdx.x]));
}
int test_predicates() {
  std::vector<int> const from = counted(odd_rows * odd_columns);
  int_tuple const shape{odd_rows, odd_columns};
  std::vector<composed> tiles, coordinates;
  for (int i = 0; i < 8; ++i) {  // 4x2 tiles
    tiles.push_back(local_tile(view(0, make_layout_left(shape)), tiler{4, 4}, i));
    coordinates.push_back(local_tile(view(0, make_identity_layout(shape)), tiler{4, 4}, i));
  }
  device_array<composed> on_tiles(tiles), on_coordinates(coordinates);
  device_array<int> x(from), y(from.size() + 64);
  std::vector<int> wanted = from;
  wanted.resize(from.size() + 64, y.host()[0]);  // still poisoned
  copy_inside<<<1, 8>>>(on_tiles.data(), on_coordinates.data(), x.data(), y.data());
  finish("copy_inside");
  return report("tiles that run past the end", y.host(), wanted);
}

}  // namespace

int main() {
  if (!found_device()) return 77;
  check(cudaDeviceSetLimit(cudaLimitStackSize, 32 << 10), "stack");  // layouts are values: hundreds of bytes each
  std::printf("%-48s %8s %8s\n", "", "compared", "wrong");
  int const failed = test_product() + test_transposes() + test_swizzle() + test_predicates();
  std::printf("%s\n", failed == 0 ? "all equal" : "FAIL");
  return failed != 0;
}
