// What every header here stands on: 64-bit arithmetic that never wraps, and the reasons an operation has no answer.
// No layouts. A reason is a function that is not constexpr: constant evaluation stops there and the compiler names it;
// at run time it throws on the host and traps on the device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define COLEX_HD __host__ __device__
#else
#define COLEX_HD
#endif

namespace colex::gpu {

using int64 = std::int64_t;
__extension__ typedef __int128 int128;

// How an operation ends without an answer (laws.md, "Notation").
struct error {
  char const* reason;
  char const* what() const noexcept { return reason; }
};
struct undefined : error {};      // no answer can satisfy the laws,
struct undecided : undefined {};  // as far as it was looked for
struct unspecified : error {};    // sources disagree, nothing is promised
struct unsupported : error {};    // beyond 64 bits or the capacity of a layout

#if defined(__CUDA_ARCH__)
#define COLEX_REASON(kind, name, text) \
  [[noreturn]] COLEX_HD inline void name() { __trap(); }
#else
#define COLEX_REASON(kind, name, text) \
  [[noreturn]] COLEX_HD inline void name() { throw kind{text}; }
#endif

COLEX_REASON(unsupported, overflow, "overflow")
COLEX_REASON(unsupported, more_than_32_leaves, "more than 32 leaves")
COLEX_REASON(unsupported, nested_empty_tuple, "an empty tuple inside a tuple")
COLEX_REASON(unsupported, nested_too_deep, "nested deeper than 255, or a basis deeper than 8 or beyond mode 254")

COLEX_REASON(unspecified, negative_stride, "negative stride")
COLEX_REASON(unspecified, negative_coordinate, "negative coordinate")
COLEX_REASON(unspecified, negative_argument, "negative argument")

COLEX_REASON(undefined, shape_is_not_positive, "an extent is not positive")
COLEX_REASON(undefined, shape_and_stride_not_congruent, "shape and stride are not congruent")
COLEX_REASON(undefined, no_such_mode, "no such mode")
COLEX_REASON(undefined, coordinate_does_not_fit_shape, "the coordinate does not fit the shape")
COLEX_REASON(undefined, ranks_do_not_match, "the ranks do not match")
COLEX_REASON(undefined, not_an_integer, "an integer belongs here, not a tuple")
COLEX_REASON(undefined, not_one_codomain, "integer and basis strides, or a basis and its own modes, do not add up")
COLEX_REASON(undefined, basis_stride, "not defined for basis strides")
COLEX_REASON(undefined, neither_divides, "neither divides the other")
COLEX_REASON(undefined, stride_is_zero, "a mode of stride 0 has no coordinate")
COLEX_REASON(undefined, orders_are_tied, "tied orders")
COLEX_REASON(undefined, no_layout_equals_the_composition, "no layout equals A(B(c))")
COLEX_REASON(undecided, composition_not_decided, "not decided")
COLEX_REASON(undefined, tile_does_not_divide, "the tile of a plan does not divide into what its threads take")
COLEX_REASON(undefined, tiler_has_more_modes, "the tiler has more modes than the layout")
COLEX_REASON(undefined, modes_overlap, "modes overlap or interleave")
COLEX_REASON(undefined, target_is_not_positive, "the target is not positive")
COLEX_REASON(undecided, inverse_not_decided, "not decided")
COLEX_REASON(undefined, no_left_inverse, "no layout is a left inverse")
COLEX_REASON(undefined, not_a_value, "B has a value that A has not")
COLEX_REASON(undefined, not_a_function_of_values, "A takes a value twice where B differs")
COLEX_REASON(undefined, sizes_differ, "A and B have not as many elements")
COLEX_REASON(undefined, no_layout_of_this_shape, "B is no layout of the shape of A")
COLEX_REASON(undefined, not_tile_and_rest, "B has not two modes, a tile and the rest")
COLEX_REASON(undefined, no_layout_answers, "no layout X answers")
COLEX_REASON(undecided, solution_not_decided, "not decided")
COLEX_REASON(undefined, block_does_not_divide_shape, "the block does not divide the target shape")
COLEX_REASON(undefined, factor_does_not_fit_layout, "the factor does not fit the strides and extents")
COLEX_REASON(undefined, factor_does_not_fit_swizzle, "the factor does not fit the swizzle")
COLEX_REASON(undefined, factor_does_not_fit_offset, "the factor does not divide the offset")
COLEX_REASON(undefined, swizzles_do_not_merge, "the swizzles do not merge into one")
COLEX_REASON(undefined, not_a_swizzle, "the result is not a swizzle of a layout")
COLEX_REASON(undefined, not_a_power_of_two, "an extent is no power of two")
COLEX_REASON(undefined, not_natural, "a value is negative")
COLEX_REASON(undefined, steps_carry, "steps have a bit in common: they carry")
COLEX_REASON(undefined, not_zero_at_zero, "the value at 0 is not 0")
COLEX_REASON(undefined, bases_do_not_fit, "the bases do not fit the shape or the values")
COLEX_REASON(undefined, values_do_not_fit, "values have more bits")
COLEX_REASON(undefined, not_an_index, "a value is no index of the first map")
COLEX_REASON(undefined, not_a_bijection, "the map is no bijection")
COLEX_REASON(undefined, not_the_largest, "a larger right inverse is a linear map")
COLEX_REASON(undefined, not_a_layout, "a layout belongs here, or linear maps on both sides")
COLEX_REASON(undefined, no_layout_has_the_values, "no layout has these values, and none behind a swizzle")
COLEX_REASON(undefined, not_an_element_type, "not the name of an element type")
COLEX_REASON(undefined, not_an_atom_name, "not the name of an atom")
COLEX_REASON(undefined, no_instruction_of_these_types, "no instruction takes these element types")
COLEX_REASON(undefined, no_instruction_of_this_shape, "no instruction has this shape")
COLEX_REASON(undefined, atom_has_no_such_field, "the atom has no such field")
COLEX_REASON(undefined, projection_does_not_fit, "the projection does not fit the tiler or the coordinate")
COLEX_REASON(undefined, not_over_m_n_k, "a tiled MMA has the three modes M, N and K")
COLEX_REASON(undefined, thread_numbers_have_gaps, "thread numbers with irregular gaps")
COLEX_REASON(undefined, no_such_thread, "no such thread")
COLEX_REASON(undefined, names_do_not_fit, "not one index for each mode")
COLEX_REASON(undefined, name_occurs_twice, "an index twice in one tensor")
COLEX_REASON(undefined, name_in_one_tensor, "an index in one tensor alone")
COLEX_REASON(undefined, extents_differ, "extents differ")
COLEX_REASON(undefined, not_a_width_of_access, "a thread moves 4, 8 or 16 bytes at once")
COLEX_REASON(undefined, too_many_threads, "more threads than a block or a warp has")
COLEX_REASON(undefined, too_few_threads, "fewer threads than the instruction asks for addresses")
COLEX_REASON(undefined, no_access_of_threads, "no instruction whose threads say where they access shared memory")
COLEX_REASON(undefined, thread_begins_outside, "a thread begins outside the layout")
COLEX_REASON(undefined, more_than_20_bits, "elements beyond 2^20")
COLEX_REASON(undefined, no_swizzle_is_free, "no swizzle of these bits is free of conflicts")
COLEX_REASON(undefined, access_is_not_aligned, "an access is not aligned to its width")

COLEX_HD constexpr int64 narrow(int128 x) {
  if (x != static_cast<int64>(x)) overflow();
  return static_cast<int64>(x);
}
COLEX_HD constexpr int64 plus(int64 a, int64 b) { return narrow(static_cast<int128>(a) + b); }
COLEX_HD constexpr int64 times(int64 a, int64 b) { return narrow(static_cast<int128>(a) * b); }
COLEX_HD constexpr int64 magnitude(int64 a) { return a < 0 ? narrow(-static_cast<int128>(a)) : a; }
COLEX_HD constexpr int64 smaller(int64 a, int64 b) { return b < a ? b : a; }
COLEX_HD constexpr int64 gcd(int64 a, int64 b) {
  while (b != 0) {
    int64 const r = a % b;
    a = b;
    b = r;
  }
  return magnitude(a);
}

// Rounded up, for a >= 0 and b > 0.
COLEX_HD constexpr int64 ceil_div(int64 a, int64 b) { return a / b + (a % b != 0); }

}  // namespace colex::gpu
