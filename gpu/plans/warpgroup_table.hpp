// The plans of sm90 that are compiled with the library. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/warpgroup_named.hpp"

#include <array>
#include <span>

namespace colex::gpu {

// Blocks of a cluster along M share B, those along N share A.
inline constexpr warpgroup_options pair{.cluster_m = 2}, pair_along_n{.cluster_n = 2}, quad{.cluster_m = 2, .cluster_n = 2},
    four{.cluster_m = 4}, four_along_n{.cluster_n = 4};
inline constexpr warpgroup_options pingpong{.pingpong_groups = 2}, pingpong_pair{.cluster_m = 2, .pingpong_groups = 2},
    pingpong_eight{.cluster_m = 2, .cluster_n = 4, .pingpong_groups = 2},
    pingpong_four_along_n{.cluster_n = 4, .pingpong_groups = 2}, pingpong_pair_along_n{.cluster_n = 2, .pingpong_groups = 2};
inline constexpr warpgroup_options two_level{.two_level_accumulation = true};
inline constexpr warpgroup_options two_level_pair{.cluster_m = 2, .two_level_accumulation = true},
    two_level_pair_along_n{.cluster_n = 2, .two_level_accumulation = true},
    two_level_quad{.cluster_m = 2, .cluster_n = 2, .two_level_accumulation = true},
    two_level_four{.cluster_m = 4, .two_level_accumulation = true},
    two_level_four_along_n{.cluster_n = 4, .two_level_accumulation = true},
    two_level_pingpong_eight{.cluster_m = 2, .cluster_n = 4, .pingpong_groups = 2, .two_level_accumulation = true},
    two_level_pingpong_four_along_n{.cluster_n = 4, .pingpong_groups = 2, .two_level_accumulation = true};
constexpr warpgroup_options with_majors(warpgroup_options o, major a, major b) {
  o.a = a, o.b = b;
  return o;
}

// A plan but for its types. Large tiles as clusters of two, for many tiles; without clusters, where launches follow each other
// fast (the blocks of a cluster begin only together); in several widths and heights, so that one of them fills the waves;
// ping-pong, where K is short. Small tiles for small products and for those bound by memory. Clusters of four, where rows do
// not begin at lines of L2. Each was the fastest, or nearly so, at some of the products that were timed (tests/bench/NOTES.md).
struct warpgroup_shape {
  int64 m, n;
  int stages;
  warpgroup_options with = {};
};
inline constexpr warpgroup_shape shapes_all[] = {
    {128, 256, 4, pair}, {128, 256, 4}, {128, 224, 4, pair}, {128, 224, 4},           {128, 192, 5, pair},
    {128, 192, 5},       {128, 160, 5}, {128, 144, 5},       {128, 128, 6, pingpong}, {64, 128, 8},
    {64, 128, 8, pair},  {64, 64, 12},  {64, 16, 20}};
inline constexpr warpgroup_shape shapes_16_bit[] = {{256, 160, 3},
                                                    {192, 192, 4, pair_along_n},
                                                    {192, 192, 4},
                                                    {192, 160, 4, pair_along_n},
                                                    {192, 144, 4, quad},
                                                    {192, 96, 5, pair_along_n},
                                                    {192, 48, 6},
                                                    {128, 224, 4, quad},
                                                    {128, 192, 5, pingpong_pair},
                                                    {128, 192, 5, quad},
                                                    {128, 176, 5, quad},
                                                    {128, 176, 5},
                                                    {128, 144, 6, quad},
                                                    {128, 128, 6, four},
                                                    {128, 128, 6},
                                                    {128, 112, 6, four_along_n},
                                                    {128, 96, 7, quad},
                                                    {128, 96, 7},
                                                    {128, 80, 8},
                                                    {128, 64, 8},
                                                    {64, 160, 7},
                                                    {64, 160, 7, four},
                                                    {64, 128, 8, four},
                                                    {64, 112, 9, pair},
                                                    {64, 96, 10, pair},
                                                    {64, 96, 10, pair_along_n},
                                                    {64, 96, 9},
                                                    {64, 96, 9, four},
                                                    {64, 96, 9, quad},
                                                    {64, 64, 12, four},
                                                    {64, 48, 15},
                                                    {64, 48, 14, four_along_n},
                                                    {64, 32, 16}};
inline constexpr warpgroup_shape shapes_8_bit[] = {{256, 160, 4},       {256, 160, 4, pair_along_n},
                                                   {192, 16, 7},        {128, 192, 5, pingpong_pair},
                                                   {128, 160, 5, four}, {128, 80, 7, four_along_n},
                                                   {128, 32, 10},       {64, 128, 8, pingpong_eight},
                                                   {128, 96, 7},        {128, 64, 8},
                                                   {128, 48, 8},        {64, 96, 10, quad},
                                                   {64, 64, 13, quad},  {64, 32, 16}};
inline constexpr warpgroup_shape shapes_tf32[] = {
    {128, 192, 5, pingpong_pair_along_n}, {128, 112, 6}, {128, 96, 7}, {128, 48, 9}, {64, 96, 10, pair}, {64, 32, 16}};
// A contiguous along M and B along K, or with A and B swapped B along N and A along K.
inline constexpr warpgroup_shape shapes_a_across[] = {{128, 256, 4, pair},
                                                      {128, 224, 4, pair},
                                                      {256, 160, 4},
                                                      {256, 160, 3, pair},
                                                      {192, 192, 4, pair},
                                                      {192, 176, 4, pair_along_n},
                                                      {192, 96, 5, quad},
                                                      {128, 192, 5, pingpong_pair},
                                                      {128, 192, 5, quad},
                                                      {128, 192, 5},
                                                      {128, 176, 5, pair},
                                                      {128, 176, 5, pair_along_n},
                                                      {128, 160, 5, pair_along_n},
                                                      {128, 160, 5, four_along_n},
                                                      {128, 160, 5},
                                                      {128, 144, 5},
                                                      {128, 128, 6, pingpong},
                                                      {128, 128, 6, four_along_n},
                                                      {128, 128, 6, quad},
                                                      {128, 128, 6, pair},
                                                      {128, 128, 6, pair_along_n},
                                                      {128, 96, 7, pair_along_n},
                                                      {128, 96, 7, quad},
                                                      {128, 96, 7},
                                                      {128, 64, 8},
                                                      {128, 48, 8},
                                                      {64, 160, 7, four},
                                                      {64, 128, 8, pingpong_eight},
                                                      {64, 128, 8, four},
                                                      {64, 128, 8},
                                                      {64, 112, 9, four_along_n},
                                                      {64, 96, 10, four_along_n},
                                                      {64, 96, 9, four},
                                                      {64, 96, 9},
                                                      {64, 80, 12, quad},
                                                      {64, 64, 12, four},
                                                      {64, 64, 12, four_along_n},
                                                      {64, 64, 12, quad},
                                                      {64, 64, 12, pair},
                                                      {64, 64, 12},
                                                      {64, 48, 15},
                                                      {64, 48, 15, four_along_n},
                                                      {64, 32, 16},
                                                      {64, 16, 20}};
// Both so: tiles are multiples of 64.
inline constexpr warpgroup_shape shapes_across[] = {{192, 192, 4, pair_along_n},
                                                    {128, 256, 4, pair},
                                                    {128, 192, 5, pingpong_pair},
                                                    {64, 192, 6, pingpong_eight},
                                                    {64, 128, 8, pingpong_four_along_n},
                                                    {128, 192, 5, quad},
                                                    {128, 192, 5},
                                                    {128, 128, 6, quad},
                                                    {128, 128, 6, pair},
                                                    {128, 128, 6},
                                                    {128, 64, 8},
                                                    {192, 64, 6, four},
                                                    {64, 192, 6, four},
                                                    {64, 192, 5},
                                                    {64, 128, 8, four},
                                                    {64, 128, 8, quad},
                                                    {64, 64, 13, pair_along_n},
                                                    {64, 64, 12, four},
                                                    {64, 64, 12}};
inline constexpr warpgroup_shape shapes_two_level[] = {
    {192, 16, 7, two_level},       {128, 192, 5, two_level_pair},
    {128, 192, 5, two_level},      {128, 176, 5, two_level_pair},
    {128, 160, 5, two_level},      {128, 144, 6, two_level_pair},
    {128, 128, 6, two_level_four}, {128, 128, 6, two_level},
    {128, 112, 6, two_level},      {128, 96, 7, two_level_four_along_n},
    {128, 96, 6, two_level},       {128, 80, 8, two_level_pair_along_n},
    {128, 64, 8, two_level},       {64, 128, 8, two_level},
    {64, 128, 8, two_level_pair},  {64, 128, 8, two_level_pingpong_eight},
    {64, 96, 10, two_level_four},  {64, 96, 10, two_level_pair},
    {64, 80, 12, two_level_quad},  {64, 64, 12, two_level},
    {64, 48, 15, two_level},       {64, 48, 14, two_level_pingpong_four_along_n},
    {64, 32, 18, two_level},       {64, 16, 20, two_level}};
inline constexpr warpgroup_shape shapes_two_level_by_option[] = {
    {128, 192, 5, two_level_pair}, {128, 128, 6, two_level}, {64, 64, 12, two_level}};
inline constexpr warpgroup_shape shapes_mixed[] = {{128, 256, 4, pair}},
                                 shapes_two_level_mixed[] = {{128, 128, 6, two_level_pair}},
                                 shapes_a_from_registers[] = {{128, 224, 4, pair},
                                                              {128, 208, 4, pair},
                                                              {128, 192, 5, pair},
                                                              {128, 160, 5, pair},
                                                              {128, 144, 5},
                                                              {128, 96, 7},
                                                              {128, 64, 8},
                                                              {128, 48, 9},
                                                              {64, 224, 5, pingpong_pair},
                                                              {64, 96, 10, pair_along_n},
                                                              {64, 64, 13, four_along_n},
                                                              {64, 48, 15},
                                                              {128, 256, 4, pair},
                                                              {128, 256, 4},
                                                              {128, 224, 4},
                                                              {128, 192, 5},
                                                              {128, 128, 6},
                                                              {64, 256, 4},
                                                              {64, 128, 8},
                                                              {64, 64, 12},
                                                              {64, 32, 16},
                                                              {64, 16, 20}},
                                 shapes_transposed[] = {{128, 256, 4}, {128, 192, 5}, {128, 160, 5}, {128, 128, 6},
                                                        {128, 96, 7},  {128, 64, 8},  {128, 32, 10}, {64, 96, 10},
                                                        {64, 64, 13},  {64, 32, 18}};

// Calls add(a, b, major_a, major_b, shapes) for each part of the table. bf16 stands for f16 as well.
template <class Add>
constexpr void each_sm90_shape(Add add) {
  using enum element;
  using enum major;
  add(bf16, bf16, k, k, std::span(shapes_all)), add(bf16, bf16, k, k, std::span(shapes_16_bit));
  add(bf16, bf16, mn, k, std::span(shapes_a_across)), add(bf16, bf16, mn, mn, std::span(shapes_across));
  for (element e : {e4m3, s8}) add(e, e, k, k, std::span(shapes_all)), add(e, e, k, k, std::span(shapes_8_bit));
  add(tf32, tf32, k, k, std::span(shapes_all)), add(tf32, tf32, k, k, std::span(shapes_tf32));
  for (element e : {bf16, tf32}) add(e, e, k, k, std::span(shapes_two_level_by_option));
  add(tf32, tf32, mn, k, std::span(shapes_a_from_registers)), add(tf32, tf32, mn, mn, std::span(shapes_transposed));
  for (element a : {e4m3, e5m2})
    for (element b : {e4m3, e5m2}) {
      if (a != e4m3 || b != e4m3) add(a, b, k, k, std::span(shapes_mixed));
      add(a, b, k, k, std::span(shapes_two_level_mixed));
    }
  add(e4m3, e4m3, k, k, std::span(shapes_two_level));
}
constexpr std::size_t sm90_count() {
  std::size_t count = 0;
  each_sm90_shape(
      [&](element a, element, major, major, auto shapes) { count += shapes.size() * (a == element::bf16 ? 2 : 1); });
  return count;
}
// Behind each plan of bf16 that of f16, which is compiled with it (gpu/kernels/sm90.cu).
constexpr auto make_sm90_calls() {
  std::array<warpgroup_call, sm90_count()> all{};
  std::size_t count = 0;
  each_sm90_shape([&](element a, element b, major of_a, major of_b, auto shapes) {
    for (warpgroup_shape const& s : shapes) {
      all[count++] = {a, b, s.m, s.n, s.stages, with_majors(s.with, of_a, of_b)};
      if (a != element::bf16) continue;
      all[count] = all[count - 1];
      all[count].a = all[count].b = element::f16;
      ++count;
    }
  });
  return all;
}
// The table in short, of which nvcc makes one plan at a time (gpu/kernels/sm90.cu); host compilers make all (all.hpp).
inline constexpr auto sm90_calls = make_sm90_calls();

}  // namespace colex::gpu
