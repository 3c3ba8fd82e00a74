// Elements behind a layout, on host and device: tensors over memory and over coordinates, slices of them, and the algorithms
// that are one loop over coordinates whatever the layouts are. No instruction is chosen here: elements move and multiply as in
// C++. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/partition.hpp"

#include <limits>
#include <type_traits>
#include <utility>

#if defined(__CUDA_ARCH__)
#define COLEX_UNROLL _Pragma("unroll")
#define COLEX_ROLLED _Pragma("unroll 1")
#else
#define COLEX_UNROLL
#define COLEX_ROLLED
#endif

namespace colex::gpu {

namespace detail {
COLEX_HD constexpr composed behind(layout const& a) { return view(0, a); }
COLEX_HD constexpr composed behind(composed const& a) { return a; }
}  // namespace detail

// A layout that the compiler knows, behind an offset that it need not know. Carrier: a type with `static constexpr layout
// value` (or composed), because nvcc 13.0 takes no layout as an argument of a __global__ template.
template <class Carrier>
struct fixed {
  static constexpr composed value = detail::behind(Carrier::value);
  static constexpr layout modes = value.inner;
  int64 offset = value.integer_offset();
};

// A layout of coordinates that the compiler knows, by its basis strides, over strides that it need not know: the coordinate
// (x0, x1, ...) lies at x0 stride[0] + x1 stride[1] + ... So a tiling is constant where the matrix is not.
template <class Carrier, int Rank>
struct strided {
  static constexpr layout modes = Carrier::value;
  int64 stride[Rank];
};

// What a layout of coordinates says along their mode k, as a layout of integers.
COLEX_HD constexpr layout along(layout a, int k) {
  for (int j = 0; j < a.form.count; ++j) {
    if (a.basis[j] != extended(0, 0, k)) a.stride[j] = 0;
    a.basis[j] = 0;
  }
  return a;
}

template <class At>
concept known_modes = requires { At::modes; };

namespace detail {

// The value at one index, or at one index for each mode, without checks.
template <class... Ints>
COLEX_HD constexpr int64 unchecked_at(layout const& a, Ints... i) {
  constexpr int n = static_cast<int>(sizeof...(i));
  int64 const c[] = {static_cast<int64>(i)...};
  if (n == 1) return a.unchecked(c[0]);
  if (rank(a) != n) coordinate_does_not_fit_shape();
  branch m = first_mode(a.form, root(a.form));
  int64 sum = unchecked(a, m, c[0]);
  for (int k = 1; k < n; ++k) sum += unchecked(a, m = next_mode(a.form, m), c[k]);
  return sum;
}

// The same with every extent and stride a constant, in the type of the indices where that holds all values.
template <layout L, class Int>
using index_for = std::conditional_t<(cosize(L) > std::numeric_limits<Int>::max()), int64, Int>;
template <layout L, int Mode, class Int>
COLEX_HD constexpr Int unchecked_mode(Int i) {
  constexpr branch m = mode(L.form, root(L.form), Mode);
  return unchecked(L, m, i);
}
template <layout L, class Int, int... Mode>
COLEX_HD constexpr Int unchecked_modes(std::integer_sequence<int, Mode...>, Int const* c) {
  return (unchecked_mode<L, Mode>(c[Mode]) + ...);
}
template <layout L, class... Ints>
COLEX_HD constexpr auto unchecked_at(Ints... i) {
  constexpr int n = static_cast<int>(sizeof...(i));
  static_assert(n == 1 || n == rank(L), "one index, or one for each mode");
  using index = index_for<L, std::common_type_t<Ints...>>;
  index const c[] = {static_cast<index>(i)...};
  if constexpr (n == 1)
    return L.unchecked(c[0]);
  else
    return unchecked_modes<L>(std::make_integer_sequence<int, n>{}, c);
}

template <class... Ints>
COLEX_HD constexpr int64 address(composed const& a, Ints... i) {
  int64 const x = a.offset.value[0] + unchecked_at(a.inner, i...);
  return a.swizzled ? a.sw.unchecked(x) : x;
}
template <class Carrier, class... Ints>
COLEX_HD constexpr int64 address(fixed<Carrier> const& a, Ints... i) {
  constexpr swizzle sw = fixed<Carrier>::value.sw;
  int64 const x = a.offset + unchecked_at<fixed<Carrier>::value.inner>(i...);
  if constexpr (fixed<Carrier>::value.swizzled)
    return sw.unchecked(x);
  else
    return x;
}

template <class Carrier, int Rank, class At>
COLEX_HD constexpr int64 over_strides(strided<Carrier, Rank> const& a, At coordinate) {
  int64 sum = 0;
  [&]<int... K>(std::integer_sequence<int, K...>) {
    ((sum += coordinate(std::integral_constant<int, K>{}) * a.stride[K]), ...);
  }(std::make_integer_sequence<int, Rank>{});
  return sum;
}
template <class Carrier, int Rank, class... Ints>
COLEX_HD constexpr int64 address(strided<Carrier, Rank> const& a, Ints... i) {
  return over_strides(a, [&](auto k) { return static_cast<int64>(unchecked_at<along(Carrier::value, k)>(i...)); });
}

}  // namespace detail

// Number K of the coordinate at an index, or at an index for each mode, of a carrier's layout of coordinates.
template <class Carrier, int K, class... Ints>
COLEX_HD constexpr auto coordinate(Ints... i) {
  return detail::unchecked_at<along(Carrier::value, K)>(i...);
}

// Counts instead of pointing: the elements are the coordinates that the layout's basis strides add up to.
struct counting {};

// Elements behind a layout. Engine: a pointer, or counting; At: composed, known at run time, or fixed<Carrier>. Indices are not
// checked, as a pointer's are not. (CuTe Tensor)
template <class Engine, class At = composed>
struct tensor {
  Engine data;
  At at;

  // The element at an index, or at an index for each mode.
  template <class... Ints>
    requires(std::is_integral_v<Ints> && ...)
  COLEX_HD constexpr decltype(auto) operator()(Ints... i) const {
    if constexpr (!std::is_same_v<Engine, counting>)
      return (data[detail::address(at, i...)]);
    else if constexpr (sizeof...(i) == 1)
      return apply(at, int_tuple(i)...);
    else
      return apply(at, int_tuple{int_tuple(i)...});
  }
  // The element at a coordinate. undefined: it does not fit the shape.
  COLEX_HD constexpr decltype(auto) operator()(int_tuple const& c) const
    requires std::is_same_v<At, composed>
  {
    if constexpr (std::is_same_v<Engine, counting>)
      return apply(at, c);
    else
      return (data[integer(apply(at, c))]);
  }

 private:
  COLEX_HD static constexpr int64 integer(int_tuple const& x) {
    if (is_tuple(x.form, root(x.form))) not_an_integer();
    return x.value[0];
  }
};

// Elements from `data` on, behind a layout or composed layout, or behind a carrier's. (CuTe make_tensor)
template <class T, class Layout>
COLEX_HD constexpr tensor<T*> make_tensor(T* data, Layout const& a) {
  composed const at = detail::behind(a);
  at.integer_offset();  // a pointer moves by an integer
  return {data, at};
}
template <class Carrier, class T>
COLEX_HD constexpr tensor<T*, fixed<Carrier>> make_tensor(T* data) {
  return {data, {}};
}
// Behind a carrier's layout of coordinates, over a stride for each number of them.
template <class Carrier, class T, class... Strides>
  requires(sizeof...(Strides) > 0 && (std::is_integral_v<Strides> && ...))
COLEX_HD constexpr tensor<T*, strided<Carrier, static_cast<int>(sizeof...(Strides))>> make_tensor(T* data, Strides... strides) {
  return {data, {{static_cast<int64>(strides)...}}};
}
// Each coordinate of a shape at itself. (CuTe make_identity_tensor)
COLEX_HD constexpr tensor<counting> make_identity_tensor(int_tuple const& s) { return {{}, view(0, make_identity_layout(s))}; }

// The same elements behind another layout, such as a partition of this one.
template <class Engine, class At>
COLEX_HD constexpr tensor<Engine> with(tensor<Engine, At> const& t, composed const& at) {
  return {t.data, at};
}

// The modes of t at which c has `_`, from the elements on that its integers choose. (CuTe Tensor::operator() with underscores)
template <class Engine>
COLEX_HD constexpr tensor<Engine> slice(int_tuple const& c, tensor<Engine> const& t) {
  return with(t, slice(c, t.at));
}

namespace detail {

// What the integers of a coordinate choose from.
struct cut_modes {
  int count = 0;
  branch at[capacity] = {};

  COLEX_HD constexpr cut_modes(int_tuple const& c, layout const& a) { collect(c, root(c.form), a, root(a.form)); }

 private:
  COLEX_HD constexpr void collect(int_tuple const& c, branch ct, layout const& a, branch here) {
    if (!is_tuple(c.form, ct)) {
      if (!c.keeps(ct.begin)) at[count++] = here;
      return;
    }
    for (int i = 0, n = gpu::rank(c.form, ct); i < n; ++i) collect(c, mode(c.form, ct, i), a, mode(a.form, here, i));
  }
};
template <class Carrier, int_tuple Kept>
struct sliced {
  static constexpr composed value = fixed<Carrier>::value.with(gpu::slice(Kept, fixed<Carrier>::value.inner));
};
template <class Carrier, int_tuple Kept>
struct sliced_coordinates {
  static constexpr layout value = gpu::slice(Kept, Carrier::value);
};
template <layout L, int_tuple Kept, int K>
COLEX_HD constexpr int64 unchecked_cut(int64 i) {
  constexpr branch m = cut_modes(Kept, L).at[K];
  return unchecked(L, m, i);
}
template <layout L, int_tuple Kept, int... K>
COLEX_HD constexpr int64 unchecked_cuts(std::integer_sequence<int, K...>, int64 const* i) {
  return (unchecked_cut<L, Kept, K>(i[K]) + ... + 0);
}
template <int_tuple Kept, class Cuts, class Engine, class Carrier>
COLEX_HD constexpr tensor<Engine, fixed<sliced<Carrier, Kept>>> cut(tensor<Engine, fixed<Carrier>> const& t, Cuts all,
                                                                    int64 const* i) {
  return {t.data, {t.at.offset + unchecked_cuts<fixed<Carrier>::modes, Kept>(all, i)}};
}
template <int_tuple Kept, class Cuts, class Engine, class Carrier, int Rank>
COLEX_HD constexpr tensor<Engine, strided<sliced_coordinates<Carrier, Kept>, Rank>> cut(
    tensor<Engine, strided<Carrier, Rank>> const& t, Cuts all, int64 const* i) {
  tensor<Engine, strided<sliced_coordinates<Carrier, Kept>, Rank>> r{
      t.data + over_strides(t.at, [&](auto k) { return unchecked_cuts<along(Carrier::value, k), Kept>(all, i); }), {}};
  for (int k = 0; k < Rank; ++k) r.at.stride[k] = t.at.stride[k];
  return r;
}

}  // namespace detail

// The same of a layout that the compiler knows: what is left is known too, only the offset is not. Kept has `_` for the modes
// that stay; its integers only mark the others, whose indices follow as arguments in their order.
template <int_tuple Kept, class Engine, known_modes At, class... Ints>
COLEX_HD constexpr auto slice(tensor<Engine, At> const& t, Ints... i) {
  constexpr int n = static_cast<int>(sizeof...(i));
  static_assert(detail::cut_modes(Kept, At::modes).count == n, "an index for each mode that does not stay");
  int64 const c[] = {static_cast<int64>(i)..., 0};
  return detail::cut<Kept>(t, std::make_integer_sequence<int, n>{}, c);
}

// The number of elements, of modes, and of elements along a mode; 1 along one that is not there.
template <class Engine>
COLEX_HD constexpr int64 size(tensor<Engine> const& t) {
  return size(t.at.inner);
}
template <class Engine, known_modes At>
COLEX_HD constexpr int64 size(tensor<Engine, At> const&) {
  return std::integral_constant<int64, size(At::modes)>::value;
}
template <class Engine>
COLEX_HD constexpr int rank(tensor<Engine> const& t) {
  return rank(t.at.inner);
}
template <class Engine, known_modes At>
COLEX_HD constexpr int rank(tensor<Engine, At> const&) {
  return std::integral_constant<int, rank(At::modes)>::value;
}
namespace detail {
COLEX_HD constexpr int64 size_or_1(layout const& a, int i) { return i < gpu::rank(a) ? gpu::size(a, i) : 1; }
}  // namespace detail
template <int Mode, class Engine>
COLEX_HD constexpr int64 size(tensor<Engine> const& t) {
  return detail::size_or_1(t.at.inner, Mode);
}
template <int Mode, class Engine, known_modes At>
COLEX_HD constexpr int64 size(tensor<Engine, At> const&) {
  return std::integral_constant<int64, detail::size_or_1(At::modes, Mode)>::value;
}

// f(x(i), y(i)) at every index. undefined: the sizes differ.
template <class X, class Y, class F>
COLEX_HD constexpr void each_pair(X const& x, Y const& y, F f) {
  if (size(x) != size(y)) extents_differ();
  COLEX_UNROLL
  for (int64 i = 0; i < size(y); ++i) f(x(i), y(i));
}

// y = x, element by element: also gather, scatter, broadcast, transpose. (CuTe copy)
template <class X, class Y>
COLEX_HD constexpr void copy(X const& x, Y const& y) {
  each_pair(x, y, [](auto const& from, auto& to) { to = from; });
}
// The same for the elements whose coordinates, a partition of the identity tensor like that of y, lie inside a shape. (CuTe
// copy_if)
template <class X, class Y>
COLEX_HD constexpr void copy_if(tensor<counting> const& coordinates, int_tuple const& shape, X const& x, Y const& y) {
  if (size(x) != size(y) || size(coordinates) != size(y)) extents_differ();
  for (int64 i = 0; i < size(y); ++i)
    if (elem_less(coordinates(i), shape)) y(i) = x(i);
}
// y = a. (CuTe fill)
template <class Y, class T>
COLEX_HD constexpr void fill(Y const& y, T const& a) {
  COLEX_UNROLL
  for (int64 i = 0; i < size(y); ++i) y(i) = a;
}
// y = alpha x + beta y. (CuTe axpby)
template <class T, class X, class Y>
COLEX_HD constexpr void axpby(T const& alpha, X const& x, T const& beta, Y const& y) {
  each_pair(x, y, [&](auto const& from, auto& to) { to = alpha * from + beta * to; });
}
// y = op(y, x) in the order of indices: a mode of y with stride 0 takes all of x along it.
template <class X, class Y, class Op>
COLEX_HD constexpr void reduce(X const& x, Y const& y, Op op) {
  each_pair(x, y, [&](auto const& from, auto& to) { to = op(to, from); });
}

namespace detail {
// The element (i, j), or (i, j, p) where there is a third mode.
template <class Engine, class At>
COLEX_HD constexpr decltype(auto) batched(tensor<Engine, At> const& t, int64 i, int64 j, int64 p) {
  if constexpr (std::is_same_v<At, composed>)
    return rank(t) == 3 ? t(i, j, p) : t(i, j);
  else if constexpr (rank(At::modes) == 3)
    return t(i, j, p);
  else
    return t(i, j);
}
}  // namespace detail

// C(m, n, p) += A(m, k, p) B(n, k, p), k in order; without a third mode there is one p. fold makes any contraction such.
// Rows are taken in pairs, to and fro, so that registers are read again while they are at hand. undefined: extents differ.
// (CuTe gemm)
template <class A, class B, class C>
COLEX_HD constexpr void gemm(A const& a, B const& b, C const& c) {
  bool const along_c = size<0>(a) == size<0>(c) && size<0>(b) == size<1>(c) && size<1>(a) == size<1>(b);
  if (!along_c || size<2>(a) != size<2>(c) || size<2>(b) != size<2>(c)) extents_differ();
  COLEX_UNROLL
  for (int64 p = 0; p < size<2>(c); ++p) COLEX_UNROLL
  for (int64 k = 0; k < size<1>(a); ++k) COLEX_UNROLL
  for (int64 pair = 0; pair < size<0>(c); pair += 2) COLEX_UNROLL
  for (int64 i = 0; i < size<1>(c); ++i) {
    int64 const n = pair % 4 == 0 ? i : size<1>(c) - 1 - i;
    COLEX_UNROLL
    for (int64 j = 0; j < 2; ++j)
      if (int64 const m = pair + (n % 2 == 0 ? j : 1 - j); m < size<0>(c))
        detail::batched(c, m, n, p) += detail::batched(a, m, k, p) * detail::batched(b, n, k, p);
  }
}

}  // namespace colex::gpu
