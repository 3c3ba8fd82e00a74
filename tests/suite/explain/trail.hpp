// The trail that an operation's steps leave. Only explain*.cpp include this.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/tiling_arguments.hpp"
#include "tests/suite/explain/step.hpp"

namespace colex {

using ref::arguments, ref::composed, ref::layout;

inline value value_of(value const& v) { return v; }
inline value value_of(layout const& a) { return to_value(a); }
inline value value_of(composed const& a) { return to_value(a); }

class trail {
 public:
  std::vector<step> steps;

  template <class T>
  T const& add(std::string const& name, std::string why, T const& x) {
    steps.push_back({place_.empty() ? name : "mode " + place_ + ": " + name, std::move(why), plain(value_of(x))});
    return x;
  }
  // f in mode i, whose steps say so.
  template <class F>
  void in_mode(std::size_t i, F f) {
    std::string const before = place_;
    place_ += (place_.empty() ? "" : ".") + std::to_string(i);
    f();
    place_ = before;
  }

 private:
  std::string place_;
};

// The layout of a layout or composed layout: the algebra acts on it, swizzle and offset stay in front.
inline layout inner_of(value const& v) { return v.is(kind::composed) ? ref::composed_from(v).inner : ref::L(v); }
inline void put_behind(trail& t, value const& v, layout const& r) {
  if (v.is(kind::composed))
    t.add("behind", "Swizzle and offset stay in front.", around(ref::composed_from(v), [&](layout const&) { return r; }));
}
// f on each mode that a tiler <...> reaches.
template <class F>
void each_mode(trail& t, layout const& a, value const& tiler, F f) {
  for (std::size_t i = 0; i < tiler.items.size() && i < rank(a); ++i)
    if (!tiler.items[i].is("_")) t.in_mode(i, [&] { f(mode(a, i), tiler.items[i]); });
}

// The steps of zipped_divide; those of partitions begin so.
layout zipped_divided(trail& t, layout const& a, value const& tiler);

// An operation's steps, the last its answer. Every layout is computed by the reference's own functions, in its own order.
using stepping = void (*)(trail&, arguments const&);
// Of an operation that is its definition, which laws.md has.
constexpr void no_steps(trail&, arguments const&) {}
// Of a function of layouts that linear maps answer; else none.
std::vector<step> steps_through_f2(request const& asked);
// By the operation's place in the table.
stepping steps_on_layouts(std::size_t place);
stepping steps_on_maps(std::size_t place);
stepping steps_on_tilings(std::size_t place);

}  // namespace colex
