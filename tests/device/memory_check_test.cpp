// Which operands may share elements: never less than those that do. SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/memory_check.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace colex::gpu {
namespace {

alignas(8) char room[4096];
device_tensor tensor_at(int64 element, int_tuple const& shape, int_tuple const& stride) {
  return {room + 2048 + 4 * element, element::f32, shape, stride};
}
std::set<int64> offsets_of(device_tensor const& t) {
  std::set<int64> r;
  int64 const begin = static_cast<char*>(t.data) - room;
  for (int64 i = 0; i < t.shape.value[0]; ++i)
    for (int64 j = 0; j < t.shape.value[1]; ++j) r.insert(begin + 4 * (i * t.stride.value[0] + j * t.stride.value[1]));
  return r;
}

TEST(memory, what_lies_apart_does_not_overlap) {
  device_tensor const d = tensor_at(0, {4, 8}, {32, 1});
  EXPECT_TRUE(may_overlap(d, d));
  EXPECT_TRUE(may_overlap(d, tensor_at(7, {4, 8}, {32, 1})));
  EXPECT_FALSE(may_overlap(d, tensor_at(8, {4, 8}, {32, 1})));   // the next columns of the same rows
  EXPECT_FALSE(may_overlap(d, tensor_at(24, {4, 8}, {32, 1})));  // the last ones
  EXPECT_TRUE(may_overlap(d, tensor_at(25, {4, 8}, {32, 1})));   // the last of these is the next row's first
  EXPECT_FALSE(may_overlap(d, tensor_at(16, {4, 8}, {64, 1})));  // every other row, beside them
  EXPECT_FALSE(may_overlap(d, tensor_at(104, {4, 8}, {32, 1})));
  EXPECT_TRUE(may_overlap(d, tensor_at(96, {4, 8}, {-32, 1})));  // rows backwards
  EXPECT_FALSE(may_overlap(d, tensor_at(104, {4, 8}, {-32, 1})));
  EXPECT_FALSE(may_overlap(tensor_at(0, {4, 4}, {8, 2}), tensor_at(1, {4, 4}, {8, 2})));  // even and odd
  EXPECT_FALSE(may_overlap(d, {room, element::f32, {0, 4}, {1, 1}}));
}
TEST(memory, no_overlap_is_missed) {
  std::mt19937 random(1);
  auto const below = [&](int n) { return static_cast<int64>(random() % static_cast<unsigned>(n)); };
  int overlapping = 0, told = 0;
  for (int n = 0; n < 20000; ++n) {
    auto const tensor = [&] {
      int64 const first = 1 + below(9);
      return tensor_at(below(60), {1 + below(5), 1 + below(5)}, {below(2) == 0 ? first : -first, 1 + below(14)});
    };
    device_tensor const x = tensor(), y = tensor();
    std::set<int64> const a = offsets_of(x), b = offsets_of(y);
    bool const share = std::ranges::any_of(a, [&](int64 i) { return b.contains(i); });
    overlapping += share, told += may_overlap(x, y);
    EXPECT_LE(share, may_overlap(x, y)) << n;
    EXPECT_EQ(may_overlap(x, y), may_overlap(y, x)) << n;
  }
  EXPECT_GT(overlapping, 5000);
  EXPECT_LT(told, 15000);
}

}  // namespace
}  // namespace colex::gpu
