// Values of the grammar to values of the algebra and back: of the kinds that the table of operations asks for. No operation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/algebra.hpp"
#include "spec/operations.hpp"

#include <limits>

namespace colex::gpu {

inline int64 to_int64(integer const& n) {
  static integer const least = std::numeric_limits<int64>::min(), most = std::numeric_limits<int64>::max();
  if (n < least || n > most) overflow();
  return static_cast<int64>(n);
}
inline bool is_keep(value const& v) { return v.is("_") || v.is("X"); }

inline int64 to_int64(value const& v) { return to_int64(need("integer", v).number); }

namespace detail {
inline void write(tuple_writer& w, value const& v, bool slicing) {
  if (slicing && is_keep(v)) return w.put(_);
  if (!v.is(kind::tuple)) return w.put(to_int64(v));
  w.open();
  for (value const& x : v.items) write(w, x, slicing);
  w.close();
}
inline void write(layout_writer& w, value const& s, value const& d) {
  if (!s.is(kind::tuple)) return w.put(to_int64(s.number), to_int64(d.number), path_of(d.basis));
  w.open();
  for (std::size_t i = 0; i < s.items.size(); ++i) write(w, s.items[i], d.items[i]);
  w.close();
}
}  // namespace detail

// An integer or a tuple of integers; the coordinate of a slice may hold `_`, too.
inline int_tuple to_tuple(value const& v, bool slicing = false) {
  int_tuple r;
  tuple_writer w(r);
  detail::write(w, v, slicing);
  return r;
}
inline int_tuple to_slicer(value const& v) { return to_tuple(v, true); }
inline layout to_layout(value const& written) {
  value const& v = plain(written);
  layout r;
  layout_writer w(r);
  detail::write(w, v.shape(), v.stride());
  return r;
}
inline swizzle to_swizzle(value const& v) {
  auto const at = [&](std::size_t i) { return static_cast<int>(v.items[i].number); };
  return {at(0), at(1), at(2)};
}
inline composed to_composed(value const& v) {
  int_tuple const offset = to_tuple(v.items.rbegin()[1]);
  layout const inner = to_layout(v.items.back());
  return v.items[0].is(kind::swizzle) ? composition(to_swizzle(v.items[0]), offset, inner) : view(offset, inner);
}
// A shape: positive integers only. A layout stands for its shape.
inline int_tuple to_shape(value const& v) {
  if (v.is(kind::layout)) return shape(to_layout(v));
  if (v.is(kind::composed)) return shape(to_composed(v).inner);
  int_tuple const r = to_tuple(v);
  for (int k = 0; k < r.form.count; ++k)
    if (r.value[k] < 1) shape_is_not_positive();
  return r;
}

namespace detail {
inline void write(tiler_writer& w, value const& v) {
  if (v.is("_")) return w.put(_);
  if (v.is(kind::number)) return w.put(to_int64(v));
  if (v.is(kind::layout)) return w.put(to_layout(v));
  w.open();
  for (value const& x : v.items) write(w, x);
  w.close();
}
}  // namespace detail

inline tiler to_tiler(value const& v) {
  tiler r;
  tiler_writer w(r);
  detail::write(w, plain(v));
  return r;
}

inline uint64 to_uint64(integer const& n) {
  if (n > std::numeric_limits<uint64>::max()) overflow();
  return static_cast<uint64>(n);
}
namespace detail {
inline void write(profile_writer& w, f2_map& to, value const& bases) {
  if (!bases.items.empty() && bases.items[0].is(kind::tuple)) {
    w.open();
    for (value const& mode : bases.items) write(w, to, mode);
    return w.close();
  }
  to.bits[w.leaf()] = static_cast<std::uint8_t>(bases.items.size());
  for (value const& b : bases.items) to.basis[to.count++] = to_uint64(b.number);
}
}  // namespace detail

inline f2_map to_map(value const& v) {
  f2_map f;
  f.width = static_cast<int>(v.items[0].number);
  if (f.width > word_bits || count_numbers(v.items[1]) > word_bits) overflow();
  f.form = {};
  profile_writer w{f.form};
  detail::write(w, f, v.items[1]);
  return f;
}

inline value to_value(int64 n, path p = 0) {
  std::vector<int> basis;
  for (int level = 0; level < levels(p); ++level) basis.push_back(mode_at(p, level));
  return value(integer(n), std::move(basis));
}
inline value to_value(bool b) { return word_of(b ? "true" : "false"); }
inline value to_value(int n) { return value(n); }
inline value to_value(uint64 x) { return value(integer(x)); }

namespace detail {
// The tree a profile describes, with leaf(k) at its leaves.
template <class Leaf>
value tree(profile const& p, Leaf leaf) {
  if (p.count == 0) return tuple_of({});
  std::vector<value> open;
  for (int k = 0;; ++k) {  // the parentheses match: the outermost closes behind the last leaf
    for (int i = 0; i < p.open[k]; ++i) open.push_back(tuple_of({}));
    value done = leaf(k);
    if (open.empty()) return done;
    open.back().items.push_back(std::move(done));
    for (int i = 0; i < p.close[k]; ++i) {
      done = std::move(open.back());
      open.pop_back();
      if (open.empty()) return done;
      open.back().items.push_back(std::move(done));
    }
  }
}
}  // namespace detail

inline value to_value(int_tuple const& t) {
  return detail::tree(t.form, [&](int k) { return to_value(t.value[k]); });
}
inline value to_value(layout const& a) {
  return layout_of(detail::tree(a.form, [&](int k) { return to_value(a.shape[k]); }),
                   detail::tree(a.form, [&](int k) { return to_value(a.stride[k], a.basis[k]); }));
}
inline value to_value(swizzle const& s) { return {kind::swizzle, {value(s.bits), value(s.base), value(s.shift)}}; }
inline value to_value(composed const& a) {
  if (!a.swizzled) return {kind::composed, {to_value(a.offset), to_value(a.inner)}};
  return {kind::composed, {to_value(a.sw), to_value(a.offset), to_value(a.inner)}};
}

inline value to_value(f2_map const& f) {
  int next = 0;
  value bases = detail::tree(f.form, [&](int k) {
    value mode = tuple_of({});
    for (int const end = next + f.bits[k]; next < end; ++next) mode.items.push_back(to_value(f.basis[next]));
    return mode;
  });
  return {kind::f2, {value(f.width), std::move(bases)}};
}

}  // namespace colex::gpu
