// What an argument of each kind is. tests/suite/arguments draws such, and laws.md calls them so under "Where".
// SPDX-License-Identifier: Apache-2.0
#include "spec/laws/kinds.hpp"

#include "spec/laws/hypotheses.hpp"
#include "spec/laws/indices.hpp"

#include <set>

namespace colex {
namespace {

// What an argument has to fit: the earlier ones that its kind names.
struct partners {
  std::vector<value> of;
  trial::implementation const& reference;

  value const& operator[](std::size_t k) const { return of[k]; }
  // The reference's answer; none of what is outside the grammar, such as the name of no atom.
  answer ask(std::string op, std::vector<value> args) const {
    try {
      return reference({std::move(op), std::move(args)});
    } catch (malformed const& e) {
      return {status::undefined, {}, e.what()};
    }
  }
};

// ---- numbers and shapes ----

bool is_positive(value const& v, partners const&) { return is_number(v, 1); }
bool is_natural(value const& v, partners const&) { return is_number(v, 0); }
bool is_power_of_two(value const& v) { return is_number(v, 1) && mp::lsb(v.number) == mp::msb(v.number); }

bool is_shape(value const& v) {
  return v.is(kind::tuple) ? !v.items.empty() && std::all_of(v.items.begin(), v.items.end(), is_shape) : is_number(v, 1);
}
// A tuple with `_` at some places; where the shape is an integer, an index.
bool is_slicer(value const& c, value const& shape, bool whole = true) {
  if (c.is("_")) return !whole;
  if (!c.is(kind::tuple)) return !(whole && shape.is(kind::tuple)) && is_index(c, size(shape));
  if (!shape.is(kind::tuple) || c.items.size() != shape.items.size()) return false;
  return std::equal(c.items.begin(), c.items.end(), shape.items.begin(),
                    [](value const& x, value const& s) { return is_slicer(x, s, false); });
}
// Natural numbers, of the same parentheses as the shape or fewer.
bool is_order(value const& o, value const& shape) {
  if (!o.is(kind::tuple)) return is_number(o, 0);
  if (!shape.is(kind::tuple) || o.items.size() != shape.items.size()) return false;
  return std::equal(o.items.begin(), o.items.end(), shape.items.begin(), is_order);
}
// A number for each mode that is meant; modes may be missing at the end.
bool is_profile(value const& p, value const& shape) {
  if (!p.is(kind::tuple)) return is_number(p, 1);
  if (!shape.is(kind::tuple) || p.items.empty() || p.items.size() > shape.items.size()) return false;
  return std::equal(p.items.begin(), p.items.end(), shape.items.begin(), is_profile);
}

// ---- layouts ----

template <class F>
bool all_leaves(value const& a, F f) {
  leaf_list const l = leaves(a);
  return std::all_of(l.begin(), l.end(), [&](auto const& x) { return f(x.first, x.second); });
}
// No stride names a mode and another one a part of it.
bool names_places(value const& a) {
  std::set<std::vector<int>> paths;
  all_leaves(a, [&](integer const&, point const& d) {
    d.each([&](std::vector<int> const& path, integer const&) { paths.insert(path); });
    return true;
  });
  auto const within = [](std::vector<int> const& x, std::vector<int> const& y) {
    return x.size() < y.size() && std::equal(x.begin(), x.end(), y.begin());
  };
  return std::adjacent_find(paths.begin(), paths.end(), within) == paths.end();  // a mode is sorted right before its parts
}
// 0 is no multiple of a basis element.
bool spells_zero(value const& stride) {
  return (stride.number != 0 || stride.basis.empty()) && std::all_of(stride.items.begin(), stride.items.end(), spells_zero);
}
bool is_any(value const& v) { return v.is(kind::layout) && is_shape(v.shape()) && spells_zero(v.stride()) && names_places(v); }
bool is_signed(value const& v) { return is_any(v) && has_integer_strides(v); }
bool is_layout(value const& v) {
  return is_signed(v) && all_leaves(v, [](integer const&, point const& d) { return d.number >= 0; });
}
bool is_unsigned(value const& v) {
  auto const natural = [](integer const&, point const& d) {
    bool all = true;
    d.each([&](std::vector<int> const&, integer const& n) { all = all && n >= 0; });
    return all;
  };
  return is_any(v) && all_leaves(v, natural);
}
bool is_nested(value const& v) { return is_layout(v) && nested(v); }
bool is_chained(value const& v) { return is_layout(v) && chained(v); }
bool is_chained_once(value const& v) { return is_chained(v) && !broadcasts(v); }
bool is_compact(value const& v) { return is_chained_once(v) && top(v) == size(v); }
bool is_binary(value const& v) {
  return is_compact(v) && all_leaves(v, [](integer const& s, point const&) { return is_power_of_two(value(s)); });
}
bool is_place(value const& v) {
  return v.is(kind::tuple) ? std::all_of(v.items.begin(), v.items.end(), is_place) : is_number(v, 0);
}
// Does a path from level k on lead to a number of a coordinate, or to a mode that it does not have?
bool leads_into(value const& c, std::vector<int> const& path, std::size_t k = 0) {
  if (!c.is(kind::tuple) || k == path.size()) return !c.is(kind::tuple) && k == path.size();
  auto const mode = static_cast<std::size_t>(path[k]);
  return mode >= c.items.size() || leads_into(c.items[mode], path, k + 1);
}
// A layout with the strides of coordinates behind such an offset.
bool is_behind_place(value const& a, value const& offset) {
  return is_place(offset) && all_leaves(a, [&](integer const&, point const& d) {
           bool all = true;
           d.each([&](std::vector<int> const& path, integer const&) { all = all && leads_into(offset, path); });
           return all;
         });
}
// A view; or an offset and a layout of natural numbers behind a swizzle, which takes no others.
bool is_composed(value const& v) {
  if (!v.is(kind::composed) || !is_any(v.items.back())) return false;
  value const& offset = v.items[v.items.size() - 2];
  if (v.items.size() == 3) return is_number(offset, 0) && is_layout(v.items.back());
  return is_number(offset, 0) || (offset.is(kind::tuple) && is_behind_place(v.items.back(), offset));
}
bool is_tensor(value const& v) { return is_any(v) || is_composed(v); }

// The strides of the identity on the coordinates of a shape.
bool are_places(value const& stride, value const& shape, std::vector<int> const& path = {}) {
  if (!shape.is(kind::tuple)) return stride == value(integer(1), path);
  std::vector<int> deeper = path;
  deeper.push_back(0);
  for (std::size_t k = 0; k < shape.items.size(); ++k, ++deeper.back())
    if (!are_places(stride.items[k], shape.items[k], deeper)) return false;
  return true;
}
bool is_identity(value const& v) { return is_any(v) && are_places(v.stride(), v.shape()); }

// ---- what divides what ----

// The leaves through which a layout counts: without extent 1, those that continue each other as one.
leaf_list counting(value const& a) {
  leaf_list out;
  for (auto const& [s, d] : leaves(a))
    if (s != 1 && !out.empty() && out.back().first * out.back().second == d)
      out.back().first *= s;
    else if (s != 1)
      out.emplace_back(s, d);
  return out;
}
// n divides the extents front to back.
bool divides(integer n, leaf_list const& extents) {
  for (auto const& leaf : extents) {
    if (n % leaf.first != 0) return leaf.first % n == 0;
    n /= leaf.first;
  }
  return n == 1;
}
// Chained leaves, each between two numbers that divide A front to back.
bool is_tile(value const& b, value const& a) {
  leaf_list const radix = counting(a);
  return is_chained_once(b) && all_leaves(b, [&](integer const& s, point const& d) {
           return s == 1 || (divides(d.number, radix) && divides(s * d.number, radix));
         });
}
bool is_tiler(value const& t, value const& a);
bool is_mode_tile(value const& t, value const& m) {
  if (t.is("_")) return true;
  if (t.is(kind::number)) return is_number(t, 1) && divides(t.number, counting(m));
  return t.is(kind::tiler) ? is_tiler(t, m) : is_tile(t, m);
}
bool is_tiler(value const& t, value const& a) {
  if (!t.is(kind::tiler) || t.items.empty() || t.items.size() > rank(a)) return false;
  std::vector<value> const m = modes(a);
  return std::equal(t.items.begin(), t.items.end(), m.begin(), is_mode_tile);
}
bool is_divisor(value const& n, value const& of) {
  return is_number(n, 1) && divides(n.number, of.is(kind::layout) ? counting(of) : leaves(layout_of(of, of)));
}
// Threads over the first modes of A, as many along each as divide it.
bool is_grid(value const& r, value const& a) {
  if (!is_compact(r) || !r.shape().is(kind::tuple) || rank(r) > rank(a)) return false;
  std::vector<value> const threads = modes(r), m = modes(a);
  return std::equal(threads.begin(), threads.end(), m.begin(),
                    [](value const& x, value const& y) { return divides(size(x), counting(y)); });
}
// An integer for each mode of A at least.
bool is_tiled_shape(value const& s, value const& a) {
  bool const flat = std::all_of(s.items.begin(), s.items.end(), [](value const& n) { return n.is(kind::number); });
  return is_shape(s) && flat && (s.is(kind::tuple) || !a.shape().is(kind::tuple)) && rank(s) >= rank(a);
}

// ---- atoms and tilings ----

bool is_mma(value const& name, partners const& p) {
  return name.is(kind::word) && p.ask("mma_atom", {name, word_of("Shape_MNK")});
}
bool is_scaled_mma(value const& name, partners const& p) {
  return is_mma(name, p) && p.ask("mma_atom", {name, word_of("SFALayout")});
}
bool is_sparse_mma(value const& name, partners const& p) {
  return is_mma(name, p) && p.ask("mma_atom", {name, word_of("ELayout")});
}
bool is_copy(value const& name, partners const& p) {
  return name.is(kind::word) && p.ask("copy_atom", {name, word_of("RefLayout")});
}

// A compact layout of so many modes, of a multiple of n elements.
bool is_multiple(value const& v, std::size_t modes, integer const& n) {
  return is_compact(v) && v.shape().is(kind::tuple) && rank(v) == modes && size(v) % n == 0;
}
bool is_atoms(value const& r, partners const&) { return is_multiple(r, 3, 1); }
// For each of M, N, K what is tiled there, in an order of its own.
bool is_permutation(value const& t, partners const& p) {
  answer const shape = p.ask("mma_atom", {p[0], word_of("Shape_MNK")});
  if (!shape || !t.is(kind::tiler) || t.items.size() != 3) return false;
  for (std::size_t k = 0; k < 3; ++k) {
    integer const n = size(shape.result.items[k]) * size(mode(p[1], k));
    value const& x = t.items[k];
    if (!x.is("_") && !(is_number(x, 1) && x.number % n == 0) && !is_multiple(x, 2, n)) return false;
  }
  return true;
}
// A matrix, perhaps in stages, of whole tiles of so many rows and columns; each mode counts as one.
bool has_whole_tiles(value const& a, integer const& rows, integer const& columns) {
  if (!a.shape().is(kind::tuple) || rank(a) < 2 || rank(a) > 3) return false;
  std::vector<value> const m = modes(a);
  return size(m[0]) % rows == 0 && size(m[1]) % columns == 0 &&
         std::all_of(m.begin(), m.end(), [](value const& x) { return counting(x).size() <= 1; });
}
template <bool Plain>
bool is_matrix(value const& a, integer const& rows, integer const& columns) {
  return (Plain ? is_signed(a) : is_tensor(a)) && has_whole_tiles(layout_in(a), rows, columns);
}
template <std::size_t I, std::size_t J, bool Plain>
bool is_operand(value const& a, partners const& p) {
  answer const tile = p.ask("tiled_mma_tile_shape", p.of);
  auto const extent = [&](std::size_t k) { return tile ? size(tile.result.items[k]) : integer(1); };
  return is_matrix<Plain>(a, extent(I), extent(J));
}
// Operand A, B or C, and its matrix.
bool is_operand_name(value const& v) { return v.is("A") || v.is("B") || v.is("C"); }
template <bool Plain>
bool is_matrix_of(value const& a, partners const& p) {
  partners const tiling{{p.of.begin() + 1, p.of.end()}, p.reference};
  return (p[0].is("A") ? is_operand<0, 2, Plain> : p[0].is("B") ? is_operand<1, 2, Plain> : is_operand<0, 1, Plain>)(a, tiling);
}
// A copy of elements of 16 bits whose threads and values divide those of the operand.
bool is_operand_copy(value const& copy, partners const& p) {
  if (!is_copy(copy, p)) return false;
  answer const bits = p.ask("copy_atom", {copy, word_of("RefLayout")});
  answer const all = p.ask("tiled_mma_layout" + p[0].word + "_TV", {p[1], p[2], p[3]});
  auto const divides = [&](std::size_t k, int width) {
    integer const n = size(mode(bits.result, k));
    return n % width == 0 && size(mode(all.result, k)) % (n / width) == 0;
  };
  return !all || (divides(0, 1) && divides(1, 16));  // without a tiling there is nothing to divide
}
template <bool Plain>
bool is_copied(value const& a, partners const& p) {
  auto const across = [&](std::size_t k) { return integer(size(mode(p[0], k)) * size(mode(p[1], k))); };
  return is_matrix<Plain>(a, across(0), across(1));
}
// The bits of an element of that type; 0 if it is none.
integer bits_of(value const& type, partners const& p) {
  answer const bits = p.ask("copy_atom", {word_of("UniversalCopy<" + type.word + ">"), word_of("RefLayout")});
  return bits ? size(mode(bits.result, 1)) : integer(0);
}
// The bits that a thread of a copy atom has.
integer bits_each(value const& copy, partners const& p) {
  return size(mode(p.ask("copy_atom", {copy, word_of("RefLayout")}).result, 1));
}
bool is_type(value const& type, partners const& p) {
  integer const n = bits_of(type, p);
  return n > 0 && bits_each(p[0], p) % n == 0 && (n == 16 || !p[0].word.ends_with("_T"));  // which transposes 16 bits each
}
bool is_copy_threads(value const& r, partners const& p) {
  return is_multiple(r, 2, size(p.ask("copy_atom", {p[0], word_of("ThrID")}).result));
}
bool is_copy_values(value const& v, partners const& p) { return is_multiple(v, 2, bits_each(p[0], p) / bits_of(p[1], p)); }

// ldmatrix and stmatrix.
bool is_matrix_copy(value const& v, partners const& p) {
  return is_copy(v, p) && (v.word.find("_LDSM_") != v.word.npos || v.word.find("_STSM_") != v.word.npos);
}

bool is_word(value const& v, partners const&) { return v.is(kind::word); }
bool is_indices(value const& v, partners const&) {
  std::string const& w = v.word;
  return v.is(kind::word) && w.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == w.npos &&
         std::set(w.begin(), w.end()).size() == w.size();
}
bool is_indexed(value const& v, partners const& p) {
  return is_signed(v) && v.shape().is(kind::tuple) && rank(v) == p[0].word.size();
}
// 16-bit elements at multiples of 4 bytes.
bool is_access(value const& v) {
  return is_layout(v) && all_leaves(v, [](integer const&, point const& d) { return d.number % 2 == 0; });
}

// Without an offset, extents powers of two, no bit in two of the steps: what nothing carries in.
bool is_linear(value const& v) {
  bool const moved = v.is(kind::composed) && v.items[v.items.size() - 2] != value(0);
  if (moved || !(v.is(kind::composed) ? is_composed(v) : is_layout(v)) || !is_layout(layout_in(v))) return false;
  integer seen = 0;
  return all_leaves(layout_in(v), [&](integer s, point const& d) {
    if (!is_power_of_two(value(s))) return false;
    for (integer b = d.number; s > 1; s /= 2, b *= 2) {
      if ((seen & b) != 0) return false;
      seen |= b;
    }
    return true;
  });
}
bool is_chained_bits(value const& v) {
  auto const is_bit = [](integer const& s, point const& d) {
    return s == 1 || d.number == 0 || is_power_of_two(value(d.number));
  };
  return v.is(kind::layout) && is_linear(v) && is_chained(v) && all_leaves(v, is_bit);
}
bool is_swizzled(value const& v) { return v.is(kind::composed) && !is_plain(v) && is_linear(v); }
// A tile that divides A; or a linear layout inside A behind a swizzle or, where A is behind one, with leaves that interleave.
bool is_linear_tile(value const& v, value const& a) {
  if (is_tile(v, layout_in(a))) return true;
  if (!is_swizzled(v) && !(is_linear(v) && is_swizzled(a) && !nested(v))) return false;
  for (integer bit = 1; bit < size(v); bit *= 2)
    if (value_at(v, bit).number >= size(a)) return false;
  return true;
}
// No sum of some bases is 0: each leaves something when those before have taken their highest bits.
bool is_injection(value const& v) {
  if (!v.is(kind::f2)) return false;
  std::map<unsigned, integer> by_highest;
  for (integer b : f2_bases(v)) {
    for (; b != 0 && by_highest.contains(mp::msb(b)); b ^= by_highest[mp::msb(b)]) continue;
    if (b == 0) return false;
    by_highest[mp::msb(b)] = b;
  }
  return true;
}
bool is_bijection(value const& v) { return is_injection(v) && f2_bases(v).size() == v.items[0].number; }
bool is_map_into(value const& g, value const& f) {
  if (!g.is(kind::f2)) return false;
  std::vector<integer> const bases = f2_bases(g);
  return std::all_of(bases.begin(), bases.end(), [&](integer const& b) { return b < size(f); });
}

// A matrix of powers of two, compact or padded, whose rows or columns are contiguous; and the indices in it of up to 32
// threads.
bool is_shared(value const& v) { return is_layout(v) && v.shape().is(kind::tuple) && rank(v) == 2; }
bool are_vectors(value const& t, value const& a) { return is_layout(t) && size(t) <= 32 && largest(t) < size(a); }

bool is_memory(value const& v) { return is_unsigned(v) || is_composed(v); }

// ---- the table ----

using predicate = bool (*)(value const&, partners const&);
template <bool (*Alone)(value const&)>
bool alone(value const& v, partners const&) {
  return Alone(v);
}

constexpr named<predicate> predicates[] = {
    {"layout", alone<is_layout>},
    {"any", alone<is_any>},
    {"unsigned", alone<is_unsigned>},
    {"signed", alone<is_signed>},
    {"compact", alone<is_compact>},
    {"small_compact", alone<is_compact>},
    {"nearly_compact", alone<is_signed>},
    {"chain", alone<is_chained>},
    {"chain_once", alone<is_chained_once>},
    {"nested", alone<is_nested>},
    {"nested_once", [](value const& v, partners const&) { return is_nested(v) && !broadcasts(v); }},
    {"injective", alone<is_layout>},
    {"small", alone<is_chained_once>},
    {"binary", alone<is_binary>},
    {"swizzle", [](value const& v, partners const&) { return v.is(kind::swizzle); }},
    {"swizzle_like", [](value const& v, partners const&) { return v.is(kind::swizzle); }},
    {"composed", alone<is_composed>},
    {"tensor", alone<is_tensor>},
    {"memory", alone<is_memory>},
    {"linear", alone<is_linear>},
    {"nearly_linear", alone<is_tensor>},
    {"chained_bits", alone<is_chained_bits>},
    {"chained_or_swizzled", [](value const& v, partners const&) { return is_chained_bits(v) || is_swizzled(v); }},
    {"map", [](value const& v, partners const&) { return v.is(kind::f2); }},
    {"bijection", alone<is_bijection>},
    {"map_into", [](value const& v, partners const& p) { return is_map_into(v, p[0]); }},
    {"injection_into", [](value const& v, partners const& p) { return is_map_into(v, p[0]) && is_injection(v); }},
    {"identity", alone<is_identity>},
    {"identity_of", [](value const& v, partners const& p) { return is_identity(v) && v.shape() == p[0].shape(); }},
    {"inside", [](value const& v, partners const& p) { return is_layout(v) && largest(v) < size(p[0]); }},
    {"leaving", [](value const& v, partners const& p) { return is_layout(v) && largest(v) >= size(p[0]); }},
    {"tile", [](value const& v, partners const& p) { return is_tile(v, layout_in(p[0])); }},
    {"linear_tile", [](value const& v, partners const& p) { return is_linear_tile(v, p[0]); }},
    {"tiler", [](value const& v, partners const& p) { return is_tiler(v, layout_in(p[0])); }},
    {"any_tile", [](value const& v, partners const&) { return is_number(v, 1) || is_layout(v); }},
    {"respelled", [](value const& v, partners const& p) { return is_any(v) && counting(v) == counting(p[0]); }},
    {"beside", [](value const& v, partners const& p) { return is_layout(v) && v.shape() == p[0].shape(); }},
    {"coordinate", [](value const& v, partners const& p) { return is_coordinate(v, shape_in(p[0])); }},
    {"index", [](value const& v, partners const& p) { return is_index(v, size(p[0])); }},
    {"beyond", [](value const& v, partners const& p) { return is_number(v, size(p[0])); }},
    {"slicer", [](value const& v, partners const& p) { return is_slicer(v, layout_in(p[0]).shape()); }},
    {"mode", [](value const& v, partners const& p) { return is_index(v, integer(rank(p[0]))); }},
    {"shape", alone<is_shape>},
    {"refined", [](value const& v, partners const& p) { return is_shape(v) && compatible(p[0], v); }},
    {"divisor", [](value const& v, partners const& p) { return is_divisor(v, p[0]); }},
    {"order", [](value const& v, partners const& p) { return is_order(v, p[0]); }},
    {"profile", [](value const& v, partners const& p) { return is_profile(v, p[0].shape()); }},
    {"tiled_shape", [](value const& v, partners const& p) { return is_tiled_shape(v, p[0]); }},
    {"count", is_positive},
    {"positive", is_positive},
    {"natural", is_natural},
    {"factor", is_positive},
    {"power", alone<is_power_of_two>},
    {"cotarget", is_positive},
    {"mma_name", is_mma},
    {"shaped_mma_name", is_mma},
    {"scaled_mma_name", is_scaled_mma},
    {"sparse_mma_name", is_sparse_mma},
    {"any_mma_name", is_word},
    {"mma_field", is_word},
    {"copy_name", is_copy},
    {"any_copy_name", is_word},
    {"copy_field", is_word},
    {"grid", [](value const& v, partners const& p) { return is_grid(v, layout_in(p[0])); }},
    {"mma", is_mma},
    {"small_mma", is_mma},
    {"atoms", is_atoms},
    {"permutation", is_permutation},
    {"operand_A", is_operand<0, 2, true>},
    {"operand_B", is_operand<1, 2, true>},
    {"operand_C", is_operand<0, 1, true>},
    {"tensor_A", is_operand<0, 2, false>},
    {"tensor_B", is_operand<1, 2, false>},
    {"tensor_C", is_operand<0, 1, false>},
    {"operand", alone<is_operand_name>},
    {"operand_matrix", is_matrix_of<true>},
    {"operand_tensor", is_matrix_of<false>},
    {"operand_copy", is_operand_copy},
    {"copy", is_copy},
    {"type", is_type},
    {"copy_threads", is_copy_threads},
    {"copy_values", is_copy_values},
    {"copied", is_copied<true>},
    {"copied_tensor", is_copied<false>},
    {"indices", is_indices},
    {"indexed", is_indexed},
    {"access", alone<is_access>},
    {"lanes", alone<is_memory>},
    {"warp", [](value const& v, partners const&) { return is_memory(v) && size(layout_in(v)) == 32; }},
    {"matrix_copy", is_matrix_copy},
    {"instruction", is_word},
    {"shared", alone<is_shared>},
    {"vectors_of", [](value const& v, partners const& p) { return are_vectors(v, p[0]); }},
    {"bytes", [](value const& v, partners const&) { return is_power_of_two(v) && v.number >= 4 && v.number <= 16; }},
    {"bits", [](value const& v, partners const&) { return is_index(v, 4); }},
};
constexpr auto predicates_by_place = by_row<drawn_kinds, predicates, drawn::layouts, drawn::tilings>();

value const* bound(std::vector<binding> const& where, std::string_view name) {
  auto const at = std::find_if(where.begin(), where.end(), [&](binding const& b) { return b.first == name; });
  return at == where.end() ? nullptr : &at->second;
}

}  // namespace

argument const* outside(law const& l, std::vector<binding> const& where, trial::implementation const& reference) {
  for (argument const& a : l.drawn()) {
    partners fit{{}, reference};
    for (std::size_t k = 0; k < a.partners; ++k) fit.of.push_back(*bound(where, l.drawn()[a.partner[k]].name));
    value const* const v = bound(where, a.name);
    if (!v || !predicates_by_place[a.kind](*v, fit)) return &a;
  }
  return nullptr;
}

}  // namespace colex
