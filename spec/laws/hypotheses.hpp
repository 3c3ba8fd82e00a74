// The words that hypotheses and post-conditions of the laws share: images, order of leaves, regrouping. Decidable and
// plain; no operation of the algebra is computed here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/law.hpp"
#include "spec/laws/trial.hpp"

namespace colex {

// A function on indices, its leaves looked up once.
class valuation {
 public:
  explicit valuation(value const& a) {
    if (a.is(kind::layout))
      leaves_ = counted_leaves(a);
    else
      whole_ = a;
  }
  point operator()(integer const& i) const { return leaves_.empty() ? value_at(whole_, i) : at(leaves_, i); }

 private:
  value whole_;
  leaf_list leaves_;
};

// R(i) == S(i) for i < n.
inline void same_function(trial& t, value const& r, value const& s, integer const& n) {
  valuation const left(r), right(s);
  t.every("i", n, [&](integer const& i) { t.equal(left(i), right(i)); });
}
inline void same_layout_function(trial& t, value const& r, value const& s) {
  t.equal(size(r), size(s));
  same_function(t, r, s, size(s));
}

// The modes of a list of layouts as one layout: (A, B, ...).
inline value list_of(std::vector<value> const& modes) {
  std::vector<value> shape, stride;
  for (value const& m : modes) {
    shape.push_back(need_layout(m).shape());
    stride.push_back(m.stride());
  }
  return layout_of(tuple_of(std::move(shape)), tuple_of(std::move(stride)));
}
inline std::vector<value> modes(value const& a) {
  std::vector<value> out;
  for (std::size_t i = 0; i < rank(need_layout(a)); ++i) out.push_back(mode(a, i));
  return out;
}
// What regrouping one level does: a list of two or more modes is opened, anything else stays.
inline std::vector<value> opened(value const& a) { return rank(a) > 1 ? modes(a) : std::vector<value>{a}; }

// All values in order of index. Laws on images ask for tabulable sizes; an answer beyond them, where no right one has more
// than `most` elements and that is tabulable, is wrong.
inline std::vector<integer> image(trial const& t, value const& a, integer const& most) {
  if (!is_any_layout(a)) throw std::invalid_argument(print(a) + " is no layout");
  integer const n = size(a);
  t.require(n <= table_limit || most <= table_limit);
  t.holds(n <= table_limit, [&] { return "size " + n.str(); }, [&] { return "size " + most.str() + " at most"; });
  bool const plain = a.is(kind::layout);
  std::vector<integer> out{plain ? integer(0) : a.items.at(a.items.size() - 2).number};
  for (auto const& [extent, stride] : leaves(plain ? a : a.items.back())) {  // each leaf repeats what the faster ones take
    std::size_t const faster = out.size();
    for (integer d = stride.number; out.size() < faster * extent; d += stride.number)
      for (std::size_t k = 0; k < faster; ++k) out.push_back(out[k] + d);
  }
  if (a.items.size() == 3)
    for (integer& x : out) x = swizzled(a.items[0], x);
  return out;
}
inline std::vector<integer> sorted_image(trial const& t, value const& a, integer const& most) {
  std::vector<integer> v = image(t, a, most);
  std::sort(v.begin(), v.end());
  return v;
}
inline bool repeats(std::vector<integer> const& sorted) {
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}
// 0, 1, ..., n-1.
inline bool is_interval(std::vector<integer> const& sorted) {
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != i) return false;
  return true;
}

// The same values, each as often; n of them.
inline void same_values(trial& t, value const& r, value const& s, integer const& n) {
  std::vector<integer> const have = sorted_image(t, r, n), wanted = sorted_image(t, s, n);
  t.holds(have == wanted, have, wanted);
}

// The leaves that move (extent > 1, stride not 0), by stride.
inline leaf_list moving(value const& a) {
  leaf_list out = leaves(a);
  std::erase_if(out, [](auto const& l) { return l.first == 1 || l.second == point(); });
  std::stable_sort(out.begin(), out.end(), [](auto const& x, auto const& y) { return x.second.number < y.second.number; });
  return out;
}
// Strides are integers.
inline bool has_integer_strides(value const& a) {
  leaf_list const l = leaves(a);
  return std::all_of(l.begin(), l.end(), [](auto const& x) { return x.second.is_integer(); });
}
inline bool broadcasts(value const& a) {
  leaf_list const l = leaves(a);
  return std::any_of(l.begin(), l.end(), [](auto const& x) { return x.first > 1 && x.second == point(); });
}
// `nested`: each moving leaf begins at or behind the end s*d of the one before; `chained`: at a multiple of it.
inline bool nested(value const& a) {
  leaf_list const m = moving(a);
  for (std::size_t i = 0; i + 1 < m.size(); ++i)
    if (m[i + 1].second.number < m[i].first * m[i].second.number) return false;
  return true;
}
inline bool chained(value const& a) {
  leaf_list const m = moving(a);
  for (std::size_t i = 0; i + 1 < m.size(); ++i)
    if (m[i + 1].second.number % integer(m[i].first * m[i].second.number) != 0) return false;
  return true;
}
// The end s*d of the last moving leaf; 1 if none moves.
inline integer top(value const& a) {
  leaf_list const m = moving(a);
  return m.empty() ? integer(1) : integer(m.back().first * m.back().second.number);
}
// R, of the size it should have, is compact: its values are 0 .. size-1, each once. Sorted, each leaf begins where the one
// before ends.
inline void compact(trial& t, value const& r) {
  integer end = 1;
  for (auto const& [extent, stride] : moving(r))
    if (stride == point(end)) end *= extent;
  t.holds(end == size(r), r, [&] { return "the values 0 .. " + integer(size(r) - 1).str() + ", each once"; });
}
// The largest value that A takes, for natural strides.
inline integer largest(value const& a) {
  integer n = 0;
  for (auto const& [s, d] : leaves(a)) n += (s - 1) * d.number;
  return n;
}

// R refines S; where it does but for parentheses around one mode, that is spelling.
inline void refines(value const& r, value const& s) {
  if (!compatible(s, r)) throw broken{print(r), "a refinement of " + print(s), compatible(bare(s), bare(r))};
}

// How deep the parentheses of a shape nest.
inline int nesting(value const& shape) {
  int deepest = -1;
  for (value const& s : shape.items) deepest = std::max(deepest, nesting(s));
  return shape.is(kind::tuple) ? std::max(deepest, 0) + 1 : 0;
}

// The coordinate of an index, digit by digit; the last goes on.
inline value digits(integer i, value const& shape) {
  if (!shape.is(kind::tuple)) return value(i);
  std::vector<value> out;
  for (std::size_t k = 0; k < shape.items.size(); ++k) {
    integer const n = size(shape.items[k]);
    out.push_back(digits(k + 1 == shape.items.size() ? i : integer(i % n), shape.items[k]));
    i /= n;
  }
  return tuple_of(std::move(out));
}
inline bool inside(value const& c, value const& shape) {
  if (!c.is(kind::tuple)) return c.number >= 0 && c.number < size(shape);
  for (std::size_t k = 0; k < c.items.size(); ++k)
    if (!inside(c.items[k], shape.items.at(k))) return false;
  return true;
}

// A coordinate's wildcards filled from `c`, in order; what is fixed stays.
inline value filled(value const& slicer, value const& shape, integer& index) {
  if (slicer.is(kind::tuple)) {
    std::vector<value> out;
    for (std::size_t k = 0; k < slicer.items.size(); ++k) out.push_back(filled(slicer.items[k], shape.items.at(k), index));
    return tuple_of(std::move(out));
  }
  if (!slicer.is(kind::word)) return slicer;
  integer const n = size(shape), here = index % n;
  index /= n;
  return value(here);
}

// A tuple or tiler with `filler` put in where bit k of p says so, and the projection that takes it out again.
struct widened {
  value wide, projection;
};
inline widened widen(value const& v, integer const& p, value const& filler) {
  widened out{{v.what, {}}, tuple_of({})};
  auto put = [&](value const& x, value const& mark) {
    out.wide.items.push_back(x);
    out.projection.items.push_back(mark);
  };
  for (std::size_t k = 0; k < v.items.size(); ++k) {
    if (mp::bit_test(p, static_cast<unsigned>(k))) put(filler, word_of("X"));
    put(v.items[k], value(1));
  }
  if (p % 3 == 0) put(filler, word_of("X"));
  return out;
}

}  // namespace colex
