// Elements behind a layout, and the algorithms that are one loop over coordinates whatever the layouts are: copy (also gather,
// scatter, broadcast, transpose), fill, axpby, reduce, gemm (also batched, GETT, convolution) (CuTe talk, "Copy Basics",
// "Gemm Basics"). T is any ring: exact numbers make every answer exact. A counting tensor is its layout alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/partition.hpp"

#include <memory>
#include <span>

namespace colex::ref {

template <class T>
struct tensor {
  std::span<T> store;
  composed at;

  // The element at a coordinate or index. undefined: the layout leaves the store.
  T& operator()(value const& c) const {
    point const p = at(c);
    if (!p.is_integer() || p.number < 0 || p.number >= store.size())
      throw undefined("element " + print(p) + " of a store of " + std::to_string(store.size()));
    return store[static_cast<std::size_t>(p.number)];
  }
  integer extent() const { return size(at.inner); }
};
template <class T>
tensor<T> make_tensor(std::span<T> store, layout const& a) {
  return {store, {std::nullopt, 0, a}};
}
template <class T>
tensor<T> slice(value const& c, tensor<T> const& a) {
  return {a.store, slice(c, a.at)};
}

inline void need_equal(integer const& n, integer const& m, char const* what) {
  if (n != m) throw undefined(std::string(what) + " " + n.str() + " and " + m.str());
}

// f(i) at every index below n.
template <class F>
void each_index(integer const& n, F f) {
  for (integer i = 0; i < n; ++i) f(value(i));
}
// y(i) = f(x(i), y(i)); undefined: sizes differ.
template <class T, class F>
void combine(tensor<T> const& x, tensor<T> const& y, F f) {
  need_equal(x.extent(), y.extent(), "tensors of size");
  each_index(y.extent(), [&](value const& i) { y(i) = f(x(i), y(i)); });
}
template <class T>
void copy(tensor<T> const& source, tensor<T> const& destination) {
  combine(source, destination, [](T const& x, T const&) { return x; });
}
// The elements of a tile whose coordinates, a tile of the identity tensor, lie inside the shape; the others stay.
template <class T>
void copy_if(composed const& coordinates, value const& shape, tensor<T> const& source, tensor<T> const& destination) {
  need_equal(source.extent(), destination.extent(), "tensors of size");
  each_index(destination.extent(), [&](value const& i) {
    if (elem_less(as_coordinate(coordinates(i), shape), shape)) destination(i) = source(i);
  });
}
template <class T>
void fill(tensor<T> const& a, T const& x) {
  each_index(a.extent(), [&](value const& i) { a(i) = x; });
}
// y = alpha x + beta y
template <class T>
void axpby(T const& alpha, tensor<T> const& x, T const& beta, tensor<T> const& y) {
  combine(x, y, [&](T const& u, T const& v) { return alpha * u + beta * v; });
}
// y(i) = op(y(i), x(i)) in order of index: a destination with stride 0 takes them all.
template <class T, class Op>
void reduce(tensor<T> const& x, tensor<T> const& y, Op op) {
  combine(x, y, [&](T const& u, T const& v) { return op(v, u); });
}

// C(m, n, p) += A(m, k, p) * B(n, k, p); without a third mode there is one p. undefined: extents differ.
template <class T>
void gemm(tensor<T> const& a, tensor<T> const& b, tensor<T> const& c) {
  auto const extent = [](tensor<T> const& x, std::size_t i) {
    return i < rank(x.at.inner) ? size(mode(x.at.inner, i)) : integer(1);
  };
  auto const at = [](tensor<T> const& x, value const& i, value const& j, value const& p) -> T& {
    return x(rank(x.at.inner) == 3 ? tuple_of({i, j, p}) : tuple_of({i, j}));
  };
  need_equal(extent(a, 0), extent(c, 0), "M of");
  need_equal(extent(b, 0), extent(c, 1), "N of");
  need_equal(extent(a, 1), extent(b, 1), "K of");
  need_equal(extent(a, 2), extent(c, 2), "batches of");
  need_equal(extent(b, 2), extent(c, 2), "batches of");
  each_index(extent(c, 2), [&](value const& p) {
    each_index(extent(c, 0), [&](value const& m) {
      each_index(extent(c, 1), [&](value const& n) {
        each_index(extent(a, 1), [&](value const& k) { at(c, m, n, p) += at(a, m, k, p) * at(b, n, k, p); });
      });
    });
  });
}

}  // namespace colex::ref
