// THE table of operations: what each is called, which arguments it takes, which group it belongs to, from which level on a
// library is judged by it. Whoever needs a list of operations takes this one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"

#include <array>
#include <span>

namespace colex {

enum class group { coordinates, making, algebra, f2, tensors, atoms, tiled_mma, tiled_copy };
inline constexpr std::string_view group_name[] = {"coordinates", "making", "algebra",   "f2",
                                                  "tensors",     "atoms",  "tiled_mma", "tiled_copy"};
enum class level { core, full, atoms };

// clang-format off

// X(name, arguments, group, level). Arguments are `name:kind`; [] may be left out, ... may be repeated; several ways are
// separated by `, `. People see them without the kinds.
//
// On layouts and shapes: what a library's layout type has as free functions.
#define COLEX_LAYOUT_OPERATIONS(X)                                                     \
  X(rank,                 "A:layout",                            coordinates, full)    \
  X(depth,                "A:layout",                            coordinates, full)    \
  X(size,                 "A:tensor",                            coordinates, core)    \
  X(cosize,               "A:layout",                            coordinates, core)    \
  X(coshape,              "A:layout",                            coordinates, full)    \
  X(product_each,         "S:integers",                          coordinates, full)    \
  X(congruent,            "S:integers S':integers",              coordinates, full)    \
  X(weakly_congruent,     "S:integers S':integers",              coordinates, full)    \
  X(compatible,           "S:integers S':integers",              coordinates, full)    \
  X(evenly_divides,       "S:integers S':integers",              coordinates, full)    \
  X(ceil_div,             "S:integers S':integers",              coordinates, full)    \
  X(shape_div,            "S:integers S':integers",              coordinates, full)    \
  X(crd2idx,              "c:integers S:integers [D:integers]",  coordinates, core)    \
  X(idx2crd,              "i:integers S:integers [D:integers]",  coordinates, core)    \
  X(get_hier_coord,       "A:layout i:integer",                  coordinates, full)    \
  X(get_flat_coord,       "A:layout i:integer",                  coordinates, full)    \
  X(get_1d_coord,         "A:layout i:integer",                  coordinates, full)    \
  X(apply,                "A:tensor c:integers, Sw:swizzle i:integer", coordinates, core) \
  X(make_layout_left,     "S:integers",                          making, full)         \
  X(make_layout_right,    "S:integers",                          making, full)         \
  X(make_ordered_layout,  "S:integers O:integers",               making, full)         \
  X(make_layout_like,     "A:layout",                            making, full)         \
  X(make_fragment_like,   "A:layout",                            making, full)         \
  X(make_identity_layout, "S:integers",                          making, full)         \
  X(get,                  "A:layout i:integer",                  making, full)         \
  X(select,               "A:layout i:integer...",               making, full)         \
  X(take,                 "A:layout b:integer e:integer",        making, full)         \
  X(group,                "A:layout b:integer e:integer",        making, full)         \
  X(append,               "A:layout [n:integer] [B:layout]",     making, full)         \
  X(prepend,              "A:layout [n:integer] [B:layout]",     making, full)         \
  X(replace,              "A:layout i:integer B:layout",         making, full)         \
  X(zip,                  "A:layout [B:layout]",                 making, full)         \
  X(flatten,              "A:tensor",                            making, full)         \
  X(slice,                "c:coordinate A:tensor",               making, full)         \
  X(slice_and_offset,     "c:coordinate A:tensor",               making, full)         \
  X(dice,                 "c:coordinate A:layout",               making, full)         \
  X(coalesce,             "A:tensor [profile:integers]",         making, core)         \
  X(filter_zeros,         "A:tensor",                            making, full)         \
  X(filter,               "A:tensor [profile:integers]",         making, full)         \
  X(upcast,               "A|Sw:tensor|swizzle n:integer",       making, full)         \
  X(downcast,             "A|Sw:tensor|swizzle n:integer",       making, full)         \
  X(recast_layout,        "A|Sw:tensor|swizzle bits:width bits':width", making, full)  \
  X(max_alignment,        "A:layout",                            making, full)         \
  X(composition,          "A:tensor B|T:tiler|tensor, Sw:swizzle off:integer A:layout, Sw:swizzle Sw':swizzle", algebra, core) \
  X(complement,           "A:tensor [M|S:integers]",             algebra, core)        \
  X(right_inverse,        "A:tensor",                            algebra, core)        \
  X(left_inverse,         "A:tensor",                            algebra, core)        \
  X(nullspace,            "A:layout",                            algebra, full)        \
  X(max_common_layout,    "A:layout B:layout",                   algebra, full)        \
  X(max_common_vector,    "A:layout B:layout",                   algebra, full)        \
  X(domain_distribute,    "S:integers|layout n:integer",         algebra, full)        \
  X(logical_divide,       "A:tensor T:tiler|tensor",             algebra, core)        \
  X(zipped_divide,        "A:tensor T:tiler",                    algebra, core)        \
  X(tiled_divide,         "A:tensor T:tiler",                    algebra, core)        \
  X(flat_divide,          "A:tensor T:tiler",                    algebra, core)        \
  X(logical_product,      "A:tensor B|T:tiler",                  algebra, core)        \
  X(zipped_product,       "A:tensor B|T:tiler",                  algebra, core)        \
  X(tiled_product,        "A:tensor B|T:tiler",                  algebra, core)        \
  X(flat_product,         "A:tensor B|T:tiler",                  algebra, core)        \
  X(blocked_product,      "A:tensor B:layout|integer",           algebra, core)        \
  X(raked_product,        "A:tensor B:layout|integer",           algebra, core)        \
  X(tile_to_shape,        "A:tensor S:integers [order:order]",   algebra, full)        \
  X(solve_composition_right, "A:layout B:layout",                algebra, full)        \
  X(solve_composition_left,  "A:layout B:layout",                algebra, full)        \
  X(solve_logical_divide,    "A:layout B:layout",                algebra, full)

// On linear maps over F2, and from layouts to those and back.
#define COLEX_F2_OPERATIONS(X)                                                         \
  X(to_f2,                "A:tensor [n:integer], Sw:swizzle n:integer", f2, full)      \
  X(from_f2,              "F:map",                               f2, full)             \
  X(f2_apply,             "F:map c:integers",                    f2, full)             \
  X(f2_rank,              "F:map",                               f2, full)             \
  X(f2_image,             "F:map",                               f2, full)             \
  X(f2_kernel,            "F:map",                               f2, full)             \
  X(f2_compose,           "F:map G:map",                         f2, full)             \
  X(f2_invert,            "F:map",                               f2, full)             \
  X(f2_right_inverse,     "F:map",                               f2, full)             \
  X(f2_left_inverse,      "F:map",                               f2, full)             \
  X(f2_product,           "F:map G:map",                         f2, full)             \
  X(f2_complement,        "F:map [n:integer]",                   f2, full)             \
  X(f2_divide,            "F:map G:map",                         f2, full)

// What comes before the tensor of a tiled MMA; behind it, `rest`. Both ways to make a tiled copy.
#define COLEX_MMA "ATOM:name THR:layout T:modes"
#define COLEX_COPY(rest) "COPY:name TYPE:name THR:layout VAL:layout" rest ", make_tiled_copy_A:name COPY:name TYPE:name " COLEX_MMA rest

#define COLEX_MMA_OPERATIONS(X, x)                                                     \
  X(tiled_mma_layout##x##_TV,    COLEX_MMA,                        tiled_mma, atoms)   \
  X(tiled_mma_thrfrg_##x,        COLEX_MMA " A:layout",            tiled_mma, atoms)   \
  X(partition_##x,               COLEX_MMA " A:tensor i:integer",  tiled_mma, atoms)   \
  X(partition_##x##_identity,    COLEX_MMA " S:integers i:integer", tiled_mma, atoms)  \
  X(partition_shape_##x,         COLEX_MMA " S:integers",          tiled_mma, atoms)   \
  X(partition_fragment_##x,      COLEX_MMA " S:integers",          tiled_mma, atoms)
#define COLEX_COPY_OPERATIONS(X, of, share)                                            \
  X(of##layout_TV,     COLEX_COPY(""),                    tiled_copy, atoms)           \
  X(of##layoutS_TV,    COLEX_COPY(""),                    tiled_copy, atoms)           \
  X(of##layoutD_TV,    COLEX_COPY(""),                    tiled_copy, atoms)           \
  X(of##tiler,         COLEX_COPY(""),                    tiled_copy, atoms)           \
  X(of##tidfrg_S,      COLEX_COPY(" A:layout"),           tiled_copy, atoms)           \
  X(of##tidfrg_D,      COLEX_COPY(" A:layout"),           tiled_copy, atoms)           \
  X(of##retile,        COLEX_COPY(" F:layout"),           tiled_copy, atoms)           \
  X(share##_S,         COLEX_COPY(" A:tensor i:integer"), tiled_copy, atoms)           \
  X(share##_D,         COLEX_COPY(" A:tensor i:integer"), tiled_copy, atoms)
// A layout in shared memory, and up to three accesses to it: where each thread begins, and what it moves.
#define COLEX_BY(threads) " " threads ":layout ACCESS:name|width"
#define COLEX_ACCESS(threads) "A:layout bits:width" COLEX_BY(threads)

// On tensors, atoms and tilings of them.
#define COLEX_TILING_OPERATIONS(X)                                                     \
  X(inner_partition,      "A:tensor T:tiler c:coordinate",                     tensors, full) \
  X(outer_partition,      "A:tensor T:tiler c:coordinate",                     tensors, full) \
  X(local_tile,           "A:tensor T:tiler c:coordinate [proj:coordinate]",   tensors, full) \
  X(local_tile_identity,  "S:integers T:tiler c:coordinate [proj:coordinate]", tensors, full) \
  X(local_partition,      "A:tensor R:layout i:integer [proj:coordinate]"  ,   tensors, full) \
  X(fold,                 "INDICES:name A:layout INDICES:name B:layout INDICES:name C:layout", tensors, full) \
  X(bank_conflicts,       "A:tensor bits:width bytes:integer",                 tensors, full) \
  X(bank_conflict_phases, "A:tensor bits:width ACCESS:name|width",             tensors, full) \
  X(swizzle_for,          COLEX_ACCESS("T") ", " COLEX_ACCESS("T") COLEX_BY("U") ", " COLEX_ACCESS("T") COLEX_BY("U") COLEX_BY("V"), tensors, full) \
  X(mma_atom,             "NAME:name FIELD:name",                              atoms, atoms)  \
  X(copy_atom,            "NAME:name FIELD:name",                              atoms, atoms)  \
  X(tiled_mma_thr_layout_vmnk, COLEX_MMA,                                      tiled_mma, atoms) \
  X(tiled_mma_tile_shape, COLEX_MMA,                                           tiled_mma, atoms) \
  COLEX_MMA_OPERATIONS(X, A) COLEX_MMA_OPERATIONS(X, B) COLEX_MMA_OPERATIONS(X, C)     \
  COLEX_COPY_OPERATIONS(X, tiled_copy_, partition)                                     \
  COLEX_COPY_OPERATIONS(X, tiled_copy_A_, tiled_copy_A_partition)                      \
  COLEX_COPY_OPERATIONS(X, tiled_copy_B_, tiled_copy_B_partition)                      \
  COLEX_COPY_OPERATIONS(X, tiled_copy_C_, tiled_copy_C_partition)

// clang-format on

// What a value is made of; which of those have an answer is for the laws.
struct argument_kind {
  std::string_view name;
  char const* words;
  bool (*holds)(value const&);
};

namespace detail {

inline bool counts_coordinates(value const& v) {
  return !v.basis.empty() || std::any_of(v.items.begin(), v.items.end(), counts_coordinates);
}
inline bool is_integer(value const& v) { return v.is(kind::number) && v.basis.empty(); }
inline bool is_integers(value const& v) {
  return v.is(kind::tuple) ? std::all_of(v.items.begin(), v.items.end(), is_integers) : is_integer(v);
}
inline bool is_tensor(value const& v) {
  return v.is(kind::layout) || (v.is(kind::composed) && (v.items.size() == 3 || is_integers(v.items[0])));
}
inline bool is_coordinate(value const& v) {
  return v.is(kind::tuple) ? std::all_of(v.items.begin(), v.items.end(), is_coordinate)
                           : v.is("_") || v.is("X") || is_integer(v);
}
inline bool is_tile(value const& v) {
  return v.is(kind::tiler) ? std::all_of(v.items.begin(), v.items.end(), is_tile)
                           : v.is("_") || v.is(kind::layout) || is_integer(v);
}
inline bool is_width(value const& v) {
  return is_integer(v) || (v.is(kind::word) && v.word.size() > 1 &&
                           v.word.find_first_not_of("0123456789") == v.word.size() - 1 && v.word.back() == 'b');
}

}  // namespace detail

// A swizzle of no bits over offset 0 is the layout behind it; of coordinates there is no swizzle.
inline bool is_plain(value const& v) {
  return v.is(kind::composed) && v.items.size() == 3 && v.items[0].items[0].number == 0 && v.items[1] == value(0) &&
         !detail::counts_coordinates(v.items[2]);
}
inline value const& plain(value const& v) { return is_plain(v) ? v.items[2] : v; }

inline constexpr argument_kind argument_kinds[] = {
    {"layout", "a layout", [](value const& v) { return plain(v).is(kind::layout); }},
    {"tensor", "a layout", detail::is_tensor},
    {"integer", "an integer", detail::is_integer},
    {"integers", "an integer or a tuple of integers", detail::is_integers},
    {"coordinate", "a coordinate of integers, _ and X", detail::is_coordinate},
    {"order", "an order: integers, LayoutLeft or LayoutRight",
     [](value const& v) { return v.is("LayoutLeft") || v.is("LayoutRight") || detail::is_integers(v); }},
    {"tiler", "a tiler: a layout, an integer or <...> of those and _",
     [](value const& v) { return !v.is("_") && detail::is_tile(plain(v)); }},
    {"modes", "a tiler <...> by mode", [](value const& v) { return v.is(kind::tiler) && detail::is_tile(v); }},
    {"swizzle", "a swizzle", [](value const& v) { return v.is(kind::swizzle); }},
    {"map", "a linear map F2<n>(...)", [](value const& v) { return v.is(kind::f2); }},
    {"name", "a name", [](value const& v) { return v.is(kind::word); }},
    {"width", "a width in bits, such as 16b", detail::is_width},
};
// Several kinds, one of which a value must be: bit k is kind k.
using kind_set = unsigned;

inline bool is_one_of(kind_set kinds, value const& v) {
  for (std::size_t k = 0; k < std::size(argument_kinds); ++k)
    if ((kinds >> k & 1) && argument_kinds[k].holds(v)) return true;
  return false;
}
inline std::string words_of(kind_set kinds) {
  std::string words;
  for (std::size_t k = 0; k < std::size(argument_kinds); ++k)
    if (kinds >> k & 1) words += (words.empty() ? "" : " or ") + std::string(argument_kinds[k].words);
  return words;
}
inline std::string refusal_of(value const& got, std::string const& wanted) {
  bool const behind = got.is(kind::composed) && wanted.starts_with("a layout");
  return clipped(print(got), 60) + (behind ? " is a composed layout; this is stated of " : " is not ") + wanted +
         (behind ? " alone" : "");
}
// An argument, or a name, that an operation cannot take.
struct wrong_value : malformed {
  value got;
  wrong_value(value v, std::string const& why) : malformed(0, why), got(std::move(v)) {}
};
[[noreturn]] inline void wrong(value const& got, std::string const& wanted) { throw wrong_value(got, refusal_of(got, wanted)); }

// The tables here are read when they are compiled: what is misspelt does not compile.

// The place of a name in a table; behind the last where it is not there.
template <class Table>
constexpr std::size_t place_in(Table const& table, std::string_view name) {
  std::size_t k = 0;
  while (k < std::size(table) && table[k].name != name) ++k;
  return k;
}
// What stands before a separator; it and the separator are taken from the text.
constexpr std::string_view take_until(std::string_view& text, std::string_view separator) {
  std::size_t const end = std::min(text.find(separator), text.size());
  std::string_view const front = text.substr(0, end);
  text.remove_prefix(std::min(end + separator.size(), text.size()));
  return front;
}

// `tensor|swizzle` as a set.
constexpr kind_set kinds_named(std::string_view names) {
  kind_set out = 0;
  while (!names.empty()) {
    std::size_t const k = place_in(argument_kinds, take_until(names, "|"));
    if (k == std::size(argument_kinds)) throw "no kind of arguments is called so";
    out |= 1u << k;
  }
  return out;
}

// `need("tensor|swizzle", v)`: v, which is of such a kind.
struct needed_kinds {
  kind_set is;
  consteval needed_kinds(char const* names) : is(kinds_named(names)) {}
};
inline value const& need(needed_kinds kinds, value const& v) {
  if (!is_one_of(kinds.is, v)) wrong(v, words_of(kinds.is));
  return v;
}

struct parameter {
  std::string_view name;
  kind_set kinds = 0;
  bool optional = false, repeated = false;
};
// One way to give an operation its arguments.
struct signature {
  std::array<parameter, 8> all{};
  std::size_t size = 0;

  constexpr signature() = default;
  constexpr explicit signature(std::string_view text) {
    while (!text.empty()) {
      std::string_view word = take_until(text, " ");
      parameter& p = all[size++];
      p.optional = word.starts_with('[');
      if (p.optional) word = word.substr(1, word.size() - 2);
      p.repeated = word.ends_with("...");
      if (p.repeated) word.remove_suffix(3);
      p.name = take_until(word, ":");
      p.kinds = kinds_named(word);
    }
  }
  constexpr std::span<parameter const> parameters() const { return {all.data(), size}; }
  // The one that takes the argument there; the last one may take several. None: it takes fewer.
  constexpr parameter const* at(std::size_t place) const {
    if (place >= size && most() > size) place = size - 1;
    return place < size ? &all[place] : nullptr;
  }
  constexpr std::size_t least() const {
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.begin() + size, [](parameter const& p) { return !p.optional; }));
  }
  constexpr std::size_t most() const { return size > 0 && all[size - 1].repeated ? max_line : size; }
};

// A name with the ways to give it its arguments.
struct callable {
  std::string_view name, arguments;
  std::array<signature, 3> way{};
  std::size_t ways = 0;

  consteval callable(std::string_view called, std::string_view takes) : name(called), arguments(takes) {
    while (!takes.empty()) way[ways++] = signature(take_until(takes, ", "));
  }
  constexpr std::span<signature const> signatures() const { return {way.data(), ways}; }
};

struct operation : callable {
  group in;
  level from;

  consteval operation(std::string_view called, std::string_view takes, group belongs, level judged)
      : callable(called, takes), in(belongs), from(judged) {}
};

inline constexpr operation operations[] = {
#define COLEX_ROW(name, arguments, in, from) operation(#name, arguments, group::in, level::from),
    COLEX_LAYOUT_OPERATIONS(COLEX_ROW) COLEX_F2_OPERATIONS(COLEX_ROW) COLEX_TILING_OPERATIONS(COLEX_ROW)
#undef COLEX_ROW
};
// Only layouts' are taken elsewhere, as functions.
#undef COLEX_F2_OPERATIONS
#undef COLEX_TILING_OPERATIONS
#undef COLEX_COPY_OPERATIONS
#undef COLEX_MMA_OPERATIONS
#undef COLEX_COPY
#undef COLEX_MMA
#undef COLEX_ACCESS
#undef COLEX_BY
inline constexpr std::size_t operation_count = std::size(operations);

constexpr std::size_t place_of(std::string_view operation) { return place_in(operations, operation); }
constexpr bool is_operation(std::string_view name) { return place_of(name) < operation_count; }

template <class T>
struct named {
  std::string_view name;
  T is;
};

namespace detail {

// A name that a template can be of, so that the compiler shows it.
struct label {
  char text[32]{};
  constexpr label() = default;
  constexpr explicit label(std::string_view name) { std::copy(name.begin(), name.end(), text); }
};
template <label Row>
struct stands_once {
  static_assert(Row.text[0] == 0, "this row of the table is missing here, comes twice, or is not in the table");
};

// The first that does not stand exactly once among the entries for these groups, or is not in the table.
template <class Table, class Entries, class Group>
constexpr label misplaced(Table const& table, Entries const& entries, Group first, Group last) {
  for (auto const& e : entries)
    if (place_in(table, e.name) == std::size(table)) return label(e.name);
  for (auto const& row : table) {
    auto const n = std::count_if(std::begin(entries), std::end(entries), [&](auto const& e) { return e.name == row.name; });
    if (n != (row.in >= first && row.in <= last ? 1 : 0)) return label(row.name);
  }
  return {};
}

}  // namespace detail

// Something for each row of the groups from First to Last, by its place in the table. What is missing or misspelt does not
// compile.
template <auto const& Table, auto const& Entries, auto First, auto Last>
consteval auto by_row() {
  static_cast<void>(detail::stands_once<detail::misplaced(Table, Entries, First, Last)>{});
  std::array<decltype(Entries[0].is), std::size(Table)> out{};
  for (auto const& e : Entries) out[place_in(Table, e.name)] = e.is;
  return out;
}
template <auto const& Entries, group First, group Last>
consteval auto by_place() {
  return by_row<operations, Entries, First, Last>();
}

namespace detail {

// How far the values of a request fit, and what the next one should be.
struct progress {
  std::size_t fit = 0;
  kind_set wanted = 0;
};
inline progress progress_of(std::span<parameter const> p, std::span<value const> v) {
  if (p.empty() || v.empty()) return {};
  if (p[0].repeated) {  // as many as there are; it is the last
    auto const first = std::find_if_not(v.begin(), v.end(), [&](value const& x) { return is_one_of(p[0].kinds, x); });
    return {static_cast<std::size_t>(first - v.begin()), first == v.end() ? 0 : p[0].kinds};
  }
  progress here{0, p[0].kinds};
  if (is_one_of(p[0].kinds, v[0])) {
    here = progress_of(p.subspan(1), v.subspan(1));
    ++here.fit;
  }
  progress const without = p[0].optional ? progress_of(p.subspan(1), v) : progress{};
  return p[0].optional && without.fit == v.size() ? without : here;
}

}  // namespace detail

// What it takes, as people see it: without the kinds.
inline std::string usage_of(callable const& o) {
  std::string out;
  for (std::string_view rest = o.arguments; !rest.empty();) {
    std::string_view const way = take_until(rest, ", ");
    out += out.empty() ? "" : ", or ";
    bool in_kind = false;
    for (char const c : way) {
      in_kind = c == ':' || (in_kind && (c == '|' || (c >= 'a' && c <= 'z')));
      if (!in_kind) out += c;
    }
  }
  return out;
}
// What is wrong with an argument of a request (from 1; 0: with the whole), behind what its operation takes.
inline malformed malformed_request(callable const& o, std::size_t argument, std::string const& what) {
  malformed e(0, std::string(o.name) + " " + usage_of(o) + ": " + what);
  e.argument = argument;
  return e;
}
// The same of what was found wrong while it was answered.
inline malformed malformed_request(callable const& o, request const& r, malformed const& e) {
  auto const* const of = dynamic_cast<wrong_value const*>(&e);
  auto const at = std::find_if(r.args.begin(), r.args.end(), [&](value const& x) { return of && plain(x) == of->got; });
  return malformed_request(o, at == r.args.end() ? 0 : static_cast<std::size_t>(at - r.args.begin()) + 1, e.what());
}

// Throws malformed: what it takes, or which of the values is of no kind that it takes.
inline void check_arguments(callable const& o, request const& r) {
  std::size_t const n = r.args.size();
  detail::progress best;
  for (signature const& way : o.signatures()) {
    bool const counted = n >= way.least() && n <= way.most();
    detail::progress const now = detail::progress_of(way.parameters(), r.args);
    if (counted && now.fit == n) return;
    bool const further = now.fit > best.fit || (best.fit == 0 && best.wanted == 0);
    if (further && (counted || now.wanted == 0)) best = now;  // where all fit that it takes, their number is wrong
  }
  if (best.wanted == 0)
    throw malformed(0, r.op + " takes " + usage_of(o) + ", not " + std::to_string(n) + (n == 1 ? " argument" : " arguments"));
  throw malformed_request(o, best.fit + 1, refusal_of(r.args[best.fit], words_of(best.wanted)));
}

// The place of a request's operation, which takes such values. Throws malformed.
inline std::size_t checked_place(request const& r) {
  std::size_t const place = place_of(r.op);
  if (place == operation_count) throw malformed(0, "unknown operation '" + r.op + "'");
  check_arguments(operations[place], r);
  return place;
}

}  // namespace colex
