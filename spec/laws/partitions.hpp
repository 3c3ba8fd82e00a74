// What the laws of tensors' parts are written with; those of tilings, too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/algebra.hpp"

namespace colex {

// How many tiles or threads a law asks for one by one.
inline constexpr int share_limit = 64;

// R(i) is what the tensor A has where its layout has the value M(i) + d    for i < size(M), and R is as large. The law calls
// i so.
inline void is_share(trial& t, std::string const& i_name, value const& r, value const& a, value const& m, point const& d) {
  t.equal(size(r), size(m));
  valuation const f(r), g(m);
  t.every(i_name, size(m), [&](integer const& i) { t.equal(f(i), behind(a, g(i) + d)); });
}
// The tile of the tensor A (half 0), or what repeats it.
inline value tiled(trial& t, std::size_t half) { return mode(layout_in(t.ask("zipped_divide", {t["A"], t["T"]})), half); }
inline void same_views(trial& t, value const& r, value const& s) {
  t.equal(size(r), size(s));
  same_function(t, r, s, size(s));
}

// The values that op(A, T, i) takes over all i < n, sorted.
inline std::vector<integer> all_shares(trial& t, char const* op, std::vector<value> args, integer const& n) {
  std::vector<integer> out;
  args.emplace_back(0);
  for (integer i = 0; i < n; ++i) {
    args.back() = value(i);
    for (integer& x : image(t, t.ask(op, args), size(args[0]))) out.push_back(std::move(x));
  }
  std::sort(out.begin(), out.end());
  return out;
}
// Those are the values of A, each `times` times.
inline void holds_each(trial& t, std::vector<integer> const& have, value const& a, integer const& times = 1) {
  std::vector<integer> wanted;
  for (integer const& x : sorted_image(t, a, size(a))) wanted.insert(wanted.end(), static_cast<std::size_t>(times), x);
  t.holds(have == wanted, have, wanted);
}
// Mode `half` of zipped_divide(A, T), where T divides A into few parts.
inline value exact_half(trial& t, std::size_t half) {
  value const& z = t.ask("zipped_divide", {t["A"], t["T"]});
  t.require(size(z) == size(t["A"]) && size(mode(z, half)) <= share_limit);
  return mode(z, half);
}
// The argument of that name as an index of a layout's part.
inline integer index_in(trial& t, char const* name, value const& part) { return t.index(name, size(part)); }

inline value by_modes(value const& extents) {
  return {kind::tiler, extents.is(kind::tuple) ? extents.items : std::vector<value>{extents}};
}
// The extents of a shape's modes.
inline value mode_sizes(value const& shape) {
  if (!shape.is(kind::tuple)) return value(size(shape));
  std::vector<value> out;
  for (value const& s : shape.items) out.emplace_back(size(s));
  return tuple_of(std::move(out));
}

}  // namespace colex
