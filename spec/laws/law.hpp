// A law as a value: its name, its statement, how its arguments are drawn, and its row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/operations.hpp"

namespace colex {

class trial;

// The kinds of arguments that laws ask for, as tests/suite/arguments draws them: layouts that depend on no other argument,
// what fits another one and all else, and what has to do with atoms and tilings.
enum class drawn { layouts, others, tilings };
struct drawn_kind {
  std::string_view name;
  drawn in;
};
inline constexpr drawn_kind drawn_kinds[] = {
    {"layout", drawn::layouts},
    {"any", drawn::layouts},
    {"unsigned", drawn::layouts},
    {"signed", drawn::layouts},
    {"compact", drawn::layouts},
    {"small_compact", drawn::layouts},
    {"nearly_compact", drawn::layouts},
    {"chain", drawn::layouts},
    {"chain_once", drawn::layouts},
    {"nested", drawn::layouts},
    {"nested_once", drawn::layouts},
    {"injective", drawn::layouts},
    {"small", drawn::layouts},
    {"binary", drawn::layouts},
    {"swizzle", drawn::layouts},
    {"swizzle_like", drawn::layouts},
    {"composed", drawn::layouts},
    {"tensor", drawn::layouts},
    {"memory", drawn::layouts},
    {"linear", drawn::layouts},
    {"nearly_linear", drawn::layouts},
    {"chained_bits", drawn::layouts},
    {"chained_or_swizzled", drawn::layouts},
    {"map", drawn::layouts},
    {"bijection", drawn::layouts},
    {"map_into", drawn::layouts},
    {"injection_into", drawn::layouts},
    {"identity", drawn::others},
    {"identity_of", drawn::others},
    {"inside", drawn::others},
    {"leaving", drawn::others},
    {"tile", drawn::others},
    {"linear_tile", drawn::others},
    {"tiler", drawn::others},
    {"any_tile", drawn::others},
    {"respelled", drawn::others},
    {"beside", drawn::others},
    {"coordinate", drawn::others},
    {"index", drawn::others},
    {"beyond", drawn::others},
    {"slicer", drawn::others},
    {"mode", drawn::others},
    {"shape", drawn::others},
    {"refined", drawn::others},
    {"divisor", drawn::others},
    {"order", drawn::others},
    {"profile", drawn::others},
    {"tiled_shape", drawn::others},
    {"count", drawn::others},
    {"positive", drawn::others},
    {"natural", drawn::others},
    {"factor", drawn::others},
    {"power", drawn::others},
    {"cotarget", drawn::others},
    {"mma_name", drawn::others},
    {"shaped_mma_name", drawn::others},
    {"scaled_mma_name", drawn::others},
    {"sparse_mma_name", drawn::others},
    {"any_mma_name", drawn::others},
    {"mma_field", drawn::others},
    {"copy_name", drawn::others},
    {"any_copy_name", drawn::others},
    {"copy_field", drawn::others},
    {"grid", drawn::tilings},
    {"mma", drawn::tilings},
    {"small_mma", drawn::tilings},
    {"atoms", drawn::tilings},
    {"permutation", drawn::tilings},
    {"operand_A", drawn::tilings},
    {"operand_B", drawn::tilings},
    {"operand_C", drawn::tilings},
    {"tensor_A", drawn::tilings},
    {"tensor_B", drawn::tilings},
    {"tensor_C", drawn::tilings},
    {"operand", drawn::tilings},
    {"operand_matrix", drawn::tilings},
    {"operand_tensor", drawn::tilings},
    {"operand_copy", drawn::tilings},
    {"copy", drawn::tilings},
    {"type", drawn::tilings},
    {"copy_threads", drawn::tilings},
    {"copy_values", drawn::tilings},
    {"copied", drawn::tilings},
    {"copied_tensor", drawn::tilings},
    {"indices", drawn::tilings},
    {"indexed", drawn::tilings},
    {"access", drawn::tilings},
    {"lanes", drawn::tilings},
    {"warp", drawn::tilings},
    {"matrix_copy", drawn::tilings},
    {"instruction", drawn::tilings},
    {"shared", drawn::tilings},
    {"vectors_of", drawn::tilings},
    {"bytes", drawn::tilings},
    {"bits", drawn::tilings},
};

// `name:kind`, or `name:kind(partner,...)`: partners are earlier arguments.
struct argument {
  std::string_view name;
  std::size_t kind = 0;  // its place among drawn_kinds
  std::array<std::size_t, 4> partner{};
  std::size_t partners = 0;

  constexpr std::string_view kind_name() const { return drawn_kinds[kind].name; }
};

// `operation_property`, the statement in one line, what to draw for each argument, the operation it is about and its row. What
// is misspelt does not compile.
struct law {
  char const* name;
  char const* statement;
  char const* arguments;
  char const* operation;
  void (*check)(trial&);
  bool costly;  // one evaluation takes about as long as ten of another law

  consteval law(char const* called, char const* states, char const* draws, char const* of, void (*row)(trial&),
                bool expensive = false)
      : name(called), statement(states), arguments(draws), operation(of), check(row), costly(expensive) {
    if (place_of(of) == operation_count) throw "the table has no such operation";
    for (std::string_view rest = draws; !rest.empty();) add(take_until(rest, " "));
  }
  constexpr std::span<argument const> drawn() const { return {argument_.data(), count_}; }

 private:
  std::array<argument, 7> argument_{};
  std::size_t count_ = 0;

  constexpr void add(std::string_view word) {
    argument a{.name = take_until(word, ":")};
    a.kind = place_in(drawn_kinds, take_until(word, "("));
    if (a.kind == std::size(drawn_kinds)) throw "arguments of this kind are not drawn";
    for (word = word.substr(0, word.find(')')); !word.empty();) a.partner[a.partners++] = earlier(take_until(word, ","));
    argument_[count_++] = a;
  }
  constexpr std::size_t earlier(std::string_view called) const {
    std::size_t const k = place_in(drawn(), called);
    if (k == count_) throw "no earlier argument is called so";
    return k;
  }
};
inline constexpr bool costly = true;

}  // namespace colex
