// Rows of the laws of MMA and copy atoms. Their layouts are large but chained: which values they take is read off the leaves.
// SPDX-License-Identifier: Apache-2.0
#include "spec/laws/laws.hpp"

#include <cstdio>

namespace colex {
namespace {

// The values of a chained layout: its moving leaves by stride, those that continue each other as one.
leaf_list merged(value const& a) {
  leaf_list out;
  for (auto const& [s, d] : moving(a))
    if (!out.empty() && out.back().first * out.back().second.number == d.number)
      out.back().first *= s;
    else
      out.emplace_back(s, d);
  return out;
}
std::string steps_of(leaf_list const& values) {
  std::string s;
  for (auto const& [n, d] : values) s += (s.empty() ? "" : " + ") + n.str() + " steps of " + print(d);
  return s.empty() ? "0" : s;
}
// A takes 0 .. n-1, each by one way to move.
void covers(trial& t, value const& a, integer const& n) {
  leaf_list const all = n == 1 ? leaf_list{} : leaf_list{{n, point(1)}}, have = merged(a);
  t.holds(have == all, steps_of(have), steps_of(all));
}
// The number of values of a chained layout.
integer different(value const& a) {
  integer n = 1;
  for (auto const& leaf : moving(a)) n *= leaf.first;
  return n;
}
void takes_none_twice(trial& t, value const& a) {
  t.holds(nested(a), a, "no value twice");
  t.equal(different(a), size(a));
}

value mma_field(trial& t, char const* field) { return t.ask("mma_atom", {t["N"], word_of(field)}); }
value copy_field(trial& t, char const* field) { return t.ask("copy_atom", {t["N"], word_of(field)}); }

// Which of M, N, K = 0, 1, 2 an atom has.
integer extent_of(trial& t, std::size_t which) { return mma_field(t, "Shape_MNK").items.at(which).number; }

// (threads, values): as many threads as ThrID has.
void has_threads(trial& t, value const& thr_id, value const& a) {
  t.equal(rank(a), std::size_t{2});
  t.equal(size(mode(a, 0)), size(thr_id));
}
// What threads hold of a matrix of so many rows and K columns: each element has an owner, no thread holds one twice.
void holds_matrix(trial& t, value const& a, std::size_t rows) {
  covers(t, a, extent_of(t, rows) * extent_of(t, 2));
  takes_none_twice(t, mode(a, 1));
}
// An operand is dealt out to threads; or all of them see all of it.
void is_operand(trial& t, value const& a, std::size_t rows) {
  holds_matrix(t, a, rows);
  if (different(a) != size(a)) covers(t, mode(a, 0), 1);
}

// As the reference says it, text by text; what it does not answer nobody does.
void like_the_reference(trial& t, char const* op) {
  answer const wanted = t.reference(op, {t["N"], t["F"]});
  if (wanted) return t.equal(t.ask(op, {t["N"], t["F"]}), wanted.result);
  answer const& got = t.try_ask(op, {t["N"], t["F"]});
  t.holds(!got, got, "undefined: there is no such atom, or it has no such field");
}

// The MxNxK between `_` in a name.
value shape_named(std::string const& name) {
  int m = 0, n = 0, k = 0;
  for (std::size_t at = name.find('_'); at != name.npos; at = name.find('_', at + 1))
    if (std::sscanf(name.c_str() + at, "_%dx%dx%d", &m, &n, &k) == 3) return tuple_of({m, n, k});
  throw vacuous{};
}

constexpr law atom_rows[] = {
    {"mma_atom_shape", "Shape_MNK is the MxNxK of the name", "N:shaped_mma_name", "mma_atom",
     [](trial& t) { t.equal(mma_field(t, "Shape_MNK"), shape_named(t["N"].word)); }},
    {"mma_atom_threads", "ThrID takes no value twice; the layouts are (thread, value) with size(ThrID) threads", "N:mma_name",
     "mma_atom",
     [](trial& t) {
       value const thr_id = mma_field(t, "ThrID");
       takes_none_twice(t, thr_id);
       for (char const* field : {"ALayout", "BLayout", "CLayout"}) has_threads(t, thr_id, mma_field(t, field));
       for (char const* field : {"SFALayout", "SFBLayout", "ELayout"})
         if (answer const& a = t.try_ask("mma_atom", {t["N"], word_of(field)})) has_threads(t, thr_id, a.result);
     }},
    {"mma_atom_a_covers", "ALayout takes 0 .. M*K-1, no thread one twice; threads share all of them or none", "N:mma_name",
     "mma_atom", [](trial& t) { is_operand(t, mma_field(t, "ALayout"), 0); }},
    {"mma_atom_b_covers", "BLayout takes 0 .. N*K-1, no thread one twice; threads share all of them or none", "N:mma_name",
     "mma_atom", [](trial& t) { is_operand(t, mma_field(t, "BLayout"), 1); }},
    {"mma_atom_c_bijective", "CLayout takes each of 0 .. M*N-1 once", "N:mma_name", "mma_atom",
     [](trial& t) {
       value const c = mma_field(t, "CLayout");
       covers(t, c, extent_of(t, 0) * extent_of(t, 1));
       takes_none_twice(t, c);
     }},
    {"mma_atom_scales", "SFALayout takes 0 .. M*K-1, SFBLayout 0 .. N*K-1, no thread one twice", "N:scaled_mma_name",
     "mma_atom",
     [](trial& t) {
       holds_matrix(t, mma_field(t, "SFALayout"), 0);
       holds_matrix(t, mma_field(t, "SFBLayout"), 1);
     }},
    {"mma_atom_metadata", "ELayout takes 0 .. M*K-1, no thread one twice", "N:sparse_mma_name", "mma_atom",
     [](trial& t) { holds_matrix(t, mma_field(t, "ELayout"), 0); }},
    {"mma_atom_formula", "mma_atom(N, F) is spelled as the reference's; where that has no answer nobody has",
     "N:any_mma_name F:mma_field", "mma_atom", [](trial& t) { like_the_reference(t, "mma_atom"); }},

    {"copy_atom_threads", "ThrID takes no value twice; the layouts are (thread, bit) with size(ThrID) threads", "N:copy_name",
     "copy_atom",
     [](trial& t) {
       value const thr_id = copy_field(t, "ThrID");
       takes_none_twice(t, thr_id);
       for (char const* field : {"SrcLayout", "DstLayout", "RefLayout"}) has_threads(t, thr_id, copy_field(t, field));
     }},
    {"copy_atom_covers",
     "DstLayout takes the bits of RefLayout, SrcLayout too; if it repeats them k times in a thread, the first 1/k of them",
     "N:copy_name", "copy_atom",
     [](trial& t) {
       value const src = copy_field(t, "SrcLayout"), each = mode(src, 1);
       leaf_list const bits = merged(copy_field(t, "RefLayout")), to = merged(copy_field(t, "DstLayout"));
       leaf_list from = merged(src);
       if (!from.empty()) from.back().first *= size(each) / different(each);
       t.holds(to == bits, steps_of(to), steps_of(bits));
       t.holds(from == bits, steps_of(from), steps_of(bits));
     }},
    {"copy_atom_distinct", "no thread finds a bit twice in DstLayout or RefLayout", "N:copy_name", "copy_atom",
     [](trial& t) {
       for (char const* field : {"DstLayout", "RefLayout"}) takes_none_twice(t, mode(copy_field(t, field), 1));
     }},
    {"copy_atom_formula", "copy_atom(N, F) is spelled as the reference's; where that has no answer nobody has",
     "N:any_copy_name F:copy_field", "copy_atom", [](trial& t) { like_the_reference(t, "copy_atom"); }},
};

}  // namespace

std::span<law const> atom_laws() { return atom_rows; }

}  // namespace colex
