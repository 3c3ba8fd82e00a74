// coalesce, filter_zeros, filter: fewer modes, the same function on the domain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/coordinate.hpp"

namespace colex::ref {

// Drops extent 1 and merges neighbours where s*d is the next stride; nothing left is 1:0, one leaf an integer.
inline layout coalesce(layout const& a) {
  std::vector<layout> out;
  for (layout const& m : leaves(a)) {
    if (m.extent == 1) continue;
    if (!out.empty() && out.back().extent * out.back().stride == m.stride)
      out.back().extent *= m.extent;
    else
      out.push_back(m);
  }
  return unwrapped(std::move(out));
}

// Mode by mode under a tuple profile; an integer profile is the whole; modes beyond the profile stay.
template <class F>
layout by_profile(layout const& a, value const& profile, F f) {
  if (!profile.is(kind::tuple)) return f(a);
  if (profile.items.size() > rank(a)) throw undefined("the profile has more modes than the layout");
  std::vector<layout> out = modes(a);
  for (std::size_t i = 0; i < profile.items.size(); ++i) out[i] = by_profile(out[i], profile.items[i], f);
  return layout(std::move(out));
}
inline layout coalesce(layout const& a, value const& profile) {
  return by_profile(a, profile, [](layout const& m) { return coalesce(m); });
}

// Stride 0 gets extent 1: only what moves is left.
inline layout filter_zeros(layout const& a) {
  if (a.is_leaf) return {a.stride == point() ? integer(1) : a.extent, a.stride};
  std::vector<layout> out;
  for (layout const& m : a.modes) out.push_back(filter_zeros(m));
  return layout(std::move(out));
}

inline layout filter(layout const& a) { return coalesce(filter_zeros(a)); }
inline layout filter(layout const& a, value const& profile) {
  return by_profile(a, profile, [](layout const& m) { return filter(m); });
}

}  // namespace colex::ref
