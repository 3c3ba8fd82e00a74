// What CuTe C++ answers to a composition, by a model of its algorithm: the fold over the modes of A, leaf by leaf of B, with
// the one condition that it checks for static integers (layout.hpp, composition_impl; spec/errata.md, E1 to E3). Not CuTe
// itself. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/composition.hpp"

namespace colex {

struct cute_model {
  bool checked = true;  // as for static integers: A coalesced, no modes of extent 1. Dynamic ones are taken as they are
  bool refused = false;

  ref::layout composition(ref::layout const& a, ref::layout const& b) {
    ref::layout const flat = checked ? coalesce(a) : flatten(a);
    return replace_leaves(b, [&](ref::layout const& leaf) { return of_leaf(modes(flat), leaf); });
  }

 private:
  ref::layout of_leaf(std::vector<ref::layout> const& a, ref::layout const& leaf) {
    integer s = leaf.extent, d = leaf.stride.number;
    if (d == 0) return leaf;
    std::vector<ref::layout> out;
    auto const put = [&](integer const& n, ref::layout const& m) {
      if (n != 1 || !checked) out.emplace_back(n, d * m.stride);
    };
    for (std::size_t k = 0; k + 1 < a.size(); ++k) {
      integer const& extent = a[k].extent;
      integer const n = std::min(ref::ceil_div(extent, d), s);
      refused = refused || (d % extent != 0 && d >= extent) || s % n != 0;
      put(n, a[k]);
      s /= n;
      d = ref::ceil_div(d, extent);
    }
    if (s != 1 || out.empty() || !checked) out.emplace_back(s, d * a.back().stride);
    return ref::unwrapped(std::move(out));
  }
};

}  // namespace colex
