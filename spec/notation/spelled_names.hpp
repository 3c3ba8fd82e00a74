// What names mean in the lines that people write, where other programs' differ from the grammar's: see spellings.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace colex::detail {

// How long the namespace is that a text begins with; 0: it begins with none.
inline std::size_t namespace_length(std::string_view text) {
  for (std::string_view const name : {"cute::", "cute.", "pycute.", "cutlass::", "cutlass."})
    if (text.starts_with(name)) return name.size();
  return 0;
}

// What a name with brackets behind it stands for.
enum class role { tuple, tiler, layout, swizzle, composed, integer, basis, atom, call };
inline constexpr std::pair<std::string_view, role> roles[] = {{"Shape", role::tuple},
                                                              {"Stride", role::tuple},
                                                              {"Step", role::tuple},
                                                              {"Coord", role::tuple},
                                                              {"tuple", role::tuple},
                                                              {"make_shape", role::tuple},
                                                              {"make_stride", role::tuple},
                                                              {"make_step", role::tuple},
                                                              {"make_coord", role::tuple},
                                                              {"make_tuple", role::tuple},
                                                              {"ArithTuple", role::tuple},
                                                              {"ArithmeticTuple", role::tuple},
                                                              {"Tile", role::tiler},
                                                              {"make_tile", role::tiler},
                                                              {"Layout", role::layout},
                                                              {"make_layout", role::layout},
                                                              {"Swizzle", role::swizzle},
                                                              {"make_swizzle", role::swizzle},
                                                              {"Sw", role::swizzle},
                                                              {"S", role::swizzle},
                                                              {"Int", role::integer},
                                                              {"C", role::integer},
                                                              {"E", role::basis},
                                                              {"ScaledBasis", role::basis},
                                                              {"ComposedLayout", role::composed},
                                                              {"make_composed_layout", role::composed},
                                                              {"MMA_Atom", role::atom},
                                                              {"MMA_Traits", role::atom},
                                                              {"Copy_Atom", role::atom},
                                                              {"Copy_Traits", role::atom}};

inline role role_of(std::string_view name) {
  auto const* const r = std::find_if(std::begin(roles), std::end(roles), [&](auto const& x) { return x.first == name; });
  return r == std::end(roles) ? role::call : r->second;
}

// CuTe's other names of operations.
inline constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"group_modes", "group"},
    {"layout", "get"},
    {"make_identity_tensor", "make_identity_layout"},
    {"slice_", "slice"},
    {"make_tiled_mma", "tiled_mma"},
    {"make_tiled_copy", "tiled_copy"}};

// The name that one stands for; itself where it stands for none.
template <std::size_t N>
std::string_view other_name(std::pair<std::string_view, std::string_view> const (&names)[N], std::string_view name) {
  auto const* const n = std::find_if(std::begin(names), std::end(names), [&](auto const& x) { return x.first == name; });
  return n == std::end(names) ? name : n->second;
}
inline std::string_view operation_called(std::string_view name) { return other_name(other_names, name); }

// What MMA_Atom and Copy_Atom call fields of their traits.
inline constexpr std::pair<std::string_view, std::string_view> other_fields[] = {
    {"LayoutA_TV", "ALayout"},     {"LayoutB_TV", "BLayout"},     {"LayoutC_TV", "CLayout"},
    {"BitLayoutSrc", "SrcLayout"}, {"BitLayoutDst", "DstLayout"}, {"BitLayoutRef", "RefLayout"}};

inline std::string_view field_called(std::string_view name) { return other_name(other_fields, name); }

// The parameters of functions by their names in CuTe's DSL and in pycute, in their order there.
struct parameter_names {
  std::string_view functions, parameters;
};
inline constexpr parameter_names parameters_known[] = {
    {"make_layout Layout", "shape|_shape stride|_stride"},
    {"make_ordered_layout", "shape order"},
    {"E", "mode"},
    {"ScaledBasis", "value mode"},
    {"make_composed_layout ComposedLayout", "inner offset outer"},
    {"make_swizzle Swizzle", "bits|b base|m shift|s"},
    {"make_tiled_mma tiled_mma", "op_or_atom atom_layout_mnk permutation_mnk"},
    {"size rank depth cosize coshape shape stride get select", "input|a|layout|target mode"},
    {"group_modes group take", "input|layout begin end"},
    {"append prepend", "input elem up_to_rank"},
    {"slice_ slice dice", "src|trg coord|crd|dicer"},
    {"crd2idx", "coord|crd layout|shape stride"},
    {"idx2crd", "idx shape stride"},
    {"recast_layout", "new_type_bits old_type_bits src_layout"},
    {"coalesce filter filter_zeros", "input|layout target_profile|profile"},
    {"composition", "lhs|layoutA rhs|layoutB"},
    {"complement", "input|layout cotarget|max_idx"},
    {"max_common_layout max_common_vector", "a|layoutA b|layoutB"},
    {"logical_divide zipped_divide tiled_divide flat_divide", "target|layoutA tiler|layoutB"},
    {"logical_product zipped_product tiled_product flat_product blocked_product raked_product", "block|layoutA tiler|layoutB"},
    {"tile_to_shape", "atom trg_shape order"},
    {"local_tile", "input tiler coord proj"},
    {"local_partition", "target tiler index proj"},
};

// Is it one of the words?
inline bool is_word_of(std::string_view words, std::string_view word, char between = ' ') {
  std::string const all = between + std::string(words) + between;
  return !word.empty() && word.find(between) == word.npos && all.find(between + std::string(word) + between) != all.npos;
}
// The first place outside of brackets for which it holds; npos: there is none.
template <class F>
std::size_t find_outside_brackets(std::string_view text, F holds) {
  int open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    char const c = text[at];
    open += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    if (open <= 0 && holds(at)) return at;
  }
  return text.npos;
}
// Empty where they are not known.
inline std::string_view parameters_of(std::string_view function) {
  for (parameter_names const& p : parameters_known)
    if (is_word_of(p.functions, function)) return p.parameters;
  return {};
}
inline std::optional<std::size_t> place_of_parameter(std::string_view function, std::string_view keyword) {
  std::string_view rest = parameters_of(function);
  for (std::size_t place = 0; !rest.empty(); ++place) {
    std::size_t const end = std::min(rest.find(' '), rest.size());
    if (is_word_of(rest.substr(0, end), keyword, '|')) return place;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}
// All of them, by their first names: `shape, stride`.
inline std::string names_of_parameters(std::string_view function) {
  std::string out;
  for (std::string_view rest = parameters_of(function); !rest.empty();) {
    std::size_t const end = std::min(rest.find(' '), rest.size());
    out += (out.empty() ? "" : ", ") + std::string(rest.substr(0, std::min(rest.find('|'), end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}
// What the parameter at a place is called, by its first name.
inline std::string_view parameter_of(std::string_view function, std::size_t place) {
  std::string_view rest = parameters_of(function);
  for (; place > 0; --place) rest.remove_prefix(std::min(rest.find(' ') + 1, rest.size()));
  return rest.substr(0, rest.find_first_of(" |"));
}

// Those whose default Python's None stands for.
inline constexpr std::string_view may_be_none = "stride permutation_mnk up_to_rank proj target_profile";

// A word for an order of modes: does it count rows first? Nothing where it is none.
inline std::optional<bool> row_major(std::string_view word) {
  bool const right = word == "LayoutRight" || word == "GenRowMajor";
  return right || word == "LayoutLeft" || word == "GenColMajor" ? std::optional(right) : std::nullopt;
}

// Does a declaration begin so, in front of its type?
inline bool begins_declaration(std::string_view word) { return is_word_of("auto const constexpr static using", word); }

// Does a statement begin so that is about what stands in its bracket?
inline bool is_statement(std::string_view word) {
  return is_word_of(
      "static_assert assert CUTE_STATIC_ASSERT CUTE_STATIC_ASSERT_V print printf print_layout print_latex print_tensor", word);
}

// Is that what a program's statement begins with, up to its `=`: a name alone, or behind a type?
inline bool is_variable(std::string_view text) {
  auto const named = [](std::string_view word) {
    bool const digit_first = !word.empty() && word[0] >= '0' && word[0] <= '9';
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    return !word.empty() && !digit_first && word.find_first_not_of(letters) == word.npos;
  };
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  text.remove_prefix(namespace_length(text));
  std::string_view const first = text.substr(0, text.find_first_of(" \t\r\n<&*")), rest = text.substr(first.size());
  if (rest.empty()) return named(first);
  if (first.ends_with(':')) return named(first.substr(0, first.size() - 1));
  if (begins_declaration(first)) return true;
  std::string_view const last = rest.substr(rest.find_last_of(" \t\r\n<>&*") + 1);
  bool const two_words = rest.find_first_not_of(" \t\r\n&*") == rest.size() - last.size();
  return (two_words || rest[0] == '<' || role_of(first) != role::call) && named(first) && named(last);
}

// By these elements get another width.
inline bool changes_width(std::string_view operation) {
  return operation == "recast_layout" || operation == "upcast" || operation == "downcast";
}

// Of these CuTe takes a mode in angles, or a mode of a mode: `size<0,1>(A)`.
inline constexpr std::string_view asked_of_modes[] = {"rank", "depth", "size", "cosize", "coshape", "shape", "stride", "get"};

inline bool is_asked_of_modes(std::string_view operation) {
  return std::find(std::begin(asked_of_modes), std::end(asked_of_modes), operation) != std::end(asked_of_modes);
}

// The operation that a template of C++ with such arguments in angles stands for, CuTe's TiledMMA or `size_v`; empty: none.
inline std::string_view operation_in_angles(std::string_view name) {
  if (name == "TiledMMA") return "tiled_mma";
  std::string_view const of = name.substr(0, name.size() - (name.ends_with("_v") ? 2 : 0));
  return of.size() < name.size() && is_asked_of_modes(of) ? of : std::string_view{};
}

// Of these a shape says as much as the layout, or the layout behind a swizzle.
inline bool asks_the_shape(std::string_view operation) {
  return operation == "size" || operation == "rank" || operation == "depth" || operation == "shape";
}
// Of these the second argument is a tiler.
inline bool takes_tiler_second(std::string_view operation) {
  return is_word_of(
      "composition logical_divide zipped_divide tiled_divide flat_divide logical_product zipped_product tiled_product "
      "flat_product inner_partition outer_partition local_tile local_tile_identity",
      operation);
}
// To this CuTe's DSL tells modes in a list.
inline bool takes_list_of_modes(std::string_view operation) { return operation == "select"; }

// Arguments of an atom on which no layout of it depends: which way operands lie, signs, saturation.
inline bool says_no_layout(std::string_view argument) {
  for (std::string_view const word : {"Major::", "ScaleIn::", "ScaleOut::", "Saturate::"})
    if (argument.find(word) != argument.npos) return true;
  return false;
}

// CuTe's layouts in shared memory for wgmma and tcgen05.mma, `GMMA::Layout_K_SW128_Atom`: along which operand's mode, and B of
// their swizzle.
struct shared_layout {
  bool along_k = true;
  int bits = 0;
};
inline std::optional<shared_layout> shared_layout_called(std::string_view name) {
  name = name.substr(name.rfind(':') + 1);
  constexpr std::string_view patterns[] = {"INTER", "SW32", "SW64", "SW128"};
  for (int bits = 0; bits < 4; ++bits)
    for (std::string const mode : {"K", "MN"})
      if (name == "Layout_" + mode + "_" + std::string(patterns[bits]) + "_Atom") return shared_layout{mode == "K", bits};
  return std::nullopt;
}

}  // namespace colex::detail

namespace colex {

// A type of CuTe's, and its width.
struct element_type {
  std::string name;
  int bits = 0;
};

namespace detail {

// What others call CuTe's types: PTX, CUDA, the CuTe DSL, numpy.
struct type_names {
  char const *cute, *others;
  int bits;
};
inline constexpr type_names types[] = {
    {"double", "f64 float64 Float64", 64},
    {"float", "f32 float32 Float32 float32_t", 32},
    {"tfloat32_t", "tf32 TFloat32", 32},
    {"half_t", "f16 float16 Float16 float16_t half __half", 16},
    {"bfloat16_t", "bf16 bfloat16 BFloat16 __nv_bfloat16", 16},
    {"float_e4m3_t", "e4m3 Float8E4M3FN", 8},
    {"float_e5m2_t", "e5m2 Float8E5M2", 8},
    {"float_e3m2_t", "e3m2 Float6E3M2FN", 6},
    {"float_e2m3_t", "e2m3 Float6E2M3FN", 6},
    {"float_e2m1_t", "e2m1 Float4E2M1FN", 4},
    {"float_ue8m0_t", "ue8m0 Float8E8M0FNU", 8},
    {"float_ue4m3_t", "ue4m3", 8},
    {"int32_t", "int", 32},
    {"uint32_t", "unsigned", 32},
};

// What CuTe calls the type that others call so; empty where it is none of the table's.
inline std::string_view cute_type(std::string_view other) {
  for (type_names const& t : types)
    if (is_word_of(t.others, other)) return t.cute;
  return {};
}
// `u16`, `uint16_t`, `Int16`, `16b`, `int4b_t`.
inline std::optional<element_type> integer_type_called(std::string_view name) {
  std::size_t const digits = std::min(name.find_first_of("0123456789"), name.size());
  std::string_view const before = name.substr(0, digits);
  int bits = 0;
  auto const [end, wrong] = std::from_chars(name.data() + digits, name.data() + name.size(), bits);
  std::string_view const behind(end, static_cast<std::size_t>(name.data() + name.size() - end));
  bool const width = before.empty() && behind == "b", plain = behind.empty() || behind == "_t" || behind == "b_t";
  bool const is_signed = before == "int" || before == "Int" || before == "s" || before == "i";
  bool const is_unsigned = before == "uint" || before == "Uint" || before == "u" || before == "b";
  // (CUDA's `uint4` is four of 32.)
  bool const vector = behind.empty() && bits < 8 && (before == "int" || before == "uint");
  bool const whole = bits > 0 && bits <= 256 && ((bits & (bits - 1)) == 0 || bits == 6) && !vector;
  if (wrong != std::errc() || !whole || !(width || (plain && (is_signed || is_unsigned)))) return std::nullopt;
  return element_type{(is_signed && bits > 1 && bits < 128 ? "int" : "uint") + std::to_string(bits) + "_t", bits};
}

}  // namespace detail

// The type that a name is CuTe's of, or somebody else's, or that has the width `16b`.
inline std::optional<element_type> type_called(std::string_view name) {
  name.remove_prefix(detail::namespace_length(name));
  std::string_view const cute = detail::cute_type(name);
  for (detail::type_names const& t : detail::types)
    if (t.cute == (cute.empty() ? name : cute)) return element_type{t.cute, t.bits};
  return detail::integer_type_called(name);
}

}  // namespace colex
