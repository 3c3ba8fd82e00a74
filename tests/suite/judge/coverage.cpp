// Which classes of arguments reach each law, and why one does not reach it.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/coverage.hpp"

#include "tests/suite/arguments/classes.hpp"
#include "tests/suite/judge/in_process.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace colex {
namespace {

constexpr class_set rank_class = 1, depth_class = 2, unit_class = 4, zero_class = 8, indivisible_class = 16,
                    negative_class = 32, basis_class = 64, swizzled_class = 128, large_class = 256, many_class = 512;

// Why arguments of some kinds (tests/suite/arguments/draw.cpp) are never of some classes: what laws.md says of them.
struct exclusion {
  char mark;
  class_set classes;
  std::vector<std::string_view> kinds;
  char const* why;
};
std::vector<exclusion> const& exclusions() {
  static std::vector<exclusion> const table{
      {'a',
       zero_class | indivisible_class | negative_class | basis_class,
       {"compact", "small_compact", "binary", "grid", "atoms", "copy_threads", "copy_values", "permutation"},
       "compact: the values are 0 .. size-1, each once"},
      {'b',
       zero_class | indivisible_class | negative_class,
       {"identity", "identity_of"},
       "the identity: each stride is 1 of its own basis element"},
      {'c', zero_class, {"chain_once", "nested_once", "small"}, "without broadcasts: no value comes twice"},
      {'d', indivisible_class, {"chain", "chain_once", "small", "chained_bits"}, "chained: each end divides the next stride"},
      {'e',
       negative_class | basis_class,
       {"layout", "chain", "chain_once", "nested", "nested_once", "injective", "small", "access", "lanes", "warp", "linear",
        "chained_bits", "chained_or_swizzled", "shared"},
       "natural strides: what the law asks is unspecified of negative strides or values, undefined of basis strides"},
      {'f', negative_class, {"unsigned"}, "what the law asks is unspecified of negative strides"},
      {'g',
       basis_class,
       {"signed", "nearly_compact", "operand_A", "operand_B", "operand_C", "copied", "indexed"},
       "integer strides: the law orders, sorts or compares the values as numbers, or their shape alone counts"},
      {'h',
       large_class,
       {"small_compact", "binary", "injective", "small", "atoms", "permutation", "copy_threads", "copy_values"},
       "as many values as the law looks at one by one"},
      {'i',
       large_class,
       {"count", "factor", "power", "bytes", "bits"},
       "a number of elements that the law looks at one by one, or of bits"},
      {'j',
       rank_class | zero_class | large_class | many_class,
       {"shared"},
       "a tile of shared memory: rows and columns, each element once"},
  };
  return table;
}

// The classes that what a value holds can be of: without a tuple it has no rank, without a layout no strides.
class_set possible_in(value const& v) {
  if (v.is(kind::swizzle)) return swizzled_class;
  class_set in = 0;
  if (v.is(kind::number)) in = large_class;
  if (v.is(kind::tuple)) in = rank_class | depth_class | unit_class | many_class;
  if (v.is(kind::layout)) in = zero_class | indivisible_class | negative_class | basis_class;
  for (value const& x : v.items) in |= possible_in(x);
  return in;
}

struct drawn_kind {
  class_set possible = 0, drawn = 0;
};
struct cells {
  law const* of;
  class_counts drawn{}, said{};
};

class survey_of_classes {
 public:
  survey_of_classes(std::size_t count, std::uint64_t seed) {
    for (law const& l : laws()) draw(l, l.costly ? (count + 9) / 10 : count, seed + rows_.size());
  }
  coverage summary() {
    coverage c;
    check_reasons(c);
    c.table = heading();
    for (cells const& row : rows_) add_row(c, row);
    c.table += reasons();
    return c;
  }

 private:
  std::map<std::string_view, drawn_kind> kinds_;
  std::vector<cells> rows_;

  void draw(law const& l, std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    cells row{&l};
    for (std::size_t k = 0; k < count; ++k) {
      choices from(random);
      std::vector<binding> const where = draw_arguments(l, from);
      for (std::size_t a = 0; a < where.size(); ++a) add(kinds_[l.drawn()[a].kind_name()], where[a]);
      class_set const in = classes_of(where);
      outcome const o = evaluate(l, where, ref::respond);
      count_classes(row.drawn, in);
      if (!o.vacuous && !o.unanswered) count_classes(row.said, in);
    }
    rows_.push_back(row);
  }
  static void add(drawn_kind& k, binding const& drawn) {
    k.possible |= possible_in(drawn.second);
    k.drawn |= classes_of({drawn});
  }

  static exclusion const* excluded(std::string_view kind, class_set c) {
    for (exclusion const& e : exclusions())
      if ((e.classes & c) && std::find(e.kinds.begin(), e.kinds.end(), kind) != e.kinds.end()) return &e;
    return nullptr;
  }
  // Reasons for what is drawn all the same, or cannot be held.
  void check_reasons(coverage& c) const {
    for (exclusion const& e : exclusions())
      for (std::string_view const kind : e.kinds) {
        auto const k = kinds_.find(kind);
        if (k == kinds_.end()) {  // not run: a mistake in the table of reasons, as the two below
          c.gaps += fmt::format("{}: no law has an argument of the kind {}\n", e.mark, kind);
        } else if (class_set const drawn = k->second.drawn & e.classes) {  // not run: see above
          c.gaps += fmt::format("{}: {} is drawn with {}\n", e.mark, kind, names(drawn));
        } else if (class_set const impossible = e.classes & ~k->second.possible) {  // not run: see above
          c.gaps += fmt::format("{}: {} cannot be with {} anyway\n", e.mark, kind, names(impossible));
        }
      }
  }

  // The marks of the reasons why no argument of a law is of a class. What is drawn to fit others shares their reasons.
  std::string marks(coverage& c, cells const& row, class_set in) {
    std::set<char> found;
    bool missing = false;
    for (argument const& a : row.of->drawn()) {
      if (!(kinds_[a.kind_name()].possible & in)) continue;
      bool const follows = a.partners > 0 && (missing || !found.empty());
      if (exclusion const* const e = excluded(a.kind_name(), in)) {
        found.insert(e->mark);
      } else if (!follows) {
        missing = true;
        c.gaps += fmt::format("{}: {} of the kind {} is never with {}, and no reason says why\n", row.of->name, a.name,
                              a.kind_name(), names(in));
      }
    }
    return found.empty() ? "-" : std::string(found.begin(), found.end());
  }
  std::string cell(coverage& c, cells const& row, std::size_t k) {
    if (row.said[k] > 0) return std::to_string(row.said[k]);
    return row.drawn[k] > 0 ? "*" : marks(c, row, 1u << k);
  }
  void add_row(coverage& c, cells const& row) {
    c.table += fmt::format("{:<40}", row.of->name);
    for (std::size_t k = 0; k < class_count; ++k) c.table += fmt::format(" {:>{}}", cell(c, row, k), width(k));
    c.table += '\n';
  }

  static std::size_t width(std::size_t k) { return std::max<std::size_t>(6, std::string_view(class_names[k]).size()); }
  static std::string heading() {
    std::string s = fmt::format("{:<40}", "law");
    for (std::size_t k = 0; k < class_count; ++k) s += fmt::format(" {:>{}}", class_names[k], width(k));
    return s + '\n';
  }
  static std::string names(class_set classes) {
    std::vector<std::string_view> all;
    for (std::size_t k = 0; k < class_count; ++k)
      if (classes >> k & 1) all.push_back(class_names[k]);
    return fmt::format("{}", fmt::join(all, ", "));
  }
  static std::string reasons() {
    std::string s =
        "-  no argument holds what could be so: a tuple, a layout, a swizzle, a number\n"
        "*  drawn, and outside the hypothesis or without an answer each time\n";
    for (exclusion const& e : exclusions()) s += fmt::format("{}  {}\n", e.mark, e.why);
    return s;
  }
};

}  // namespace

coverage coverage_of(std::size_t count, std::uint64_t seed) { return survey_of_classes(count, seed).summary(); }

}  // namespace colex
