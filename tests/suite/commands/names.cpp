// See names.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/commands/names.hpp"

#include "ref/answer.hpp"
#include "ref/atoms/atom_fields.hpp"
#include "spec/forms.hpp"
#include "spec/notation/nearest.hpp"
#include "tests/suite/arguments/draw_atoms.hpp"
#include "tests/suite/judge/only.hpp"
#include "tests/suite/judge/stated.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <sstream>

namespace colex {

namespace {

bool is_atom(char const* kind, std::string const& name) {
  try {
    return bool(ref::respond({kind, {word_of(name), word_of("ThrID")}}));
  } catch (malformed const&) {  // of the other kind, or of none
    return false;
  }
}
std::vector<std::string> made_atom_names() {
  std::vector<std::string> out;
  for (auto const& [kind, families] : {std::pair("mma_atom", mma_families()), std::pair("copy_atom", copy_families())})
    for (std::string const& family : families)
      for (std::string const& name : names_in(family))
        if (is_atom(kind, name)) out.push_back(name);
  return out;
}

}  // namespace

std::string kind_of_atom(std::string const& name) {
  for (char const* const kind : {"mma_atom", "copy_atom"})
    if (is_atom(kind, name)) return kind;
  return "";
}

std::vector<std::string> const& atom_names() {
  static std::vector<std::string> const all = made_atom_names();  // thousands, each asked for: once
  return all;
}

namespace {

struct ptx_instruction {
  char const *name, *atoms;
};
// Of an atom the first row is right. (PTX ISA)
constexpr ptx_instruction ptx_instructions[] = {{"ldmatrix", "*_LDSM_*"},
                                                {"stmatrix", "*_STSM_*"},
                                                {"movmatrix", "*_MOVM_*"},
                                                {"shfl.sync", "SM50_Shuffle_*"},
                                                {"cp.reduce.async.bulk.tensor", "*_TMA_REDUCE*"},
                                                {"cp.async.bulk.tensor", "*_TMA_*"},
                                                {"cp.async.bulk", "*_BULK_COPY_*"},
                                                {"cp.async", "SM80_CP_ASYNC_*"},
                                                {"wgmma.mma_async.sp", "SM90::GMMA::SPARSE::*"},
                                                {"wgmma.mma_async", "SM90_64x*"},
                                                {"tcgen05.mma.sp", "SM100_MMA_*_SPARSE*"},
                                                {"tcgen05.mma", "SM100_MMA_*"},
                                                {"tcgen05.mma", "SM103_*"},
                                                {"tcgen05.ld", "SM100_TMEM_LOAD_*"},
                                                {"tcgen05.st", "SM100_TMEM_STORE_*"},
                                                {"tcgen05.cp", "SM100_UTCCP_*"},
                                                {"ld.global", "SM100_LOAD_*"},
                                                {"st.global", "SM100_STORE_*"},
                                                {"fma.rn.f32x2", "SM100_*_F32F32F32F32"},
                                                {"dp4a", "SM61_DP4A"},
                                                {"dp2a", "SM61_DP2A"},
                                                {"mma.sp", "SM120_SPARSE_*"},
                                                {"mma.sync", "SM70_*"},
                                                {"mma.sync", "SM75_*"},
                                                {"mma.sync", "SM80_*"},
                                                {"mma.sync", "SM89_*"},
                                                {"mma.sync", "SM90_16x8x*"},
                                                {"mma.sync", "SM120_*"}};

// What `mma.sync.aligned.row.col` is called in the table: the longest name that it begins with.
std::string_view instruction_in(std::string const& asked) {
  std::string_view out;
  for (ptx_instruction const& x : ptx_instructions)
    if (std::string_view const at = x.name; at.size() > out.size() && asked.starts_with(at)) out = at;
  return out;
}
// `16x8x16` of an instruction's m16n8k16; empty where it has none.
std::string shape_in(std::string const& instruction) {
  unsigned m = 0, n = 0, k = 0;
  for (std::size_t at = instruction.find('m'); at != instruction.npos; at = instruction.find('m', at + 1))
    if (std::sscanf(instruction.c_str() + at, "m%4un%4uk%4u", &m, &n, &k) == 3) return fmt::format("{}x{}x{}", m, n, k);
  return "";
}

bool is_like_an_atom(std::string const& text) {
  std::string const word = lowered(text);
  bool const of_a_chip = word.starts_with("sm") && word.size() > 2 && std::isdigit(static_cast<unsigned char>(word[2]));
  return of_a_chip || word.starts_with("universal") || word.starts_with("autovect");
}

bool is_variable_name(std::string const& word) {
  bool const letter = !word.empty() && std::isalpha(static_cast<unsigned char>(word[0]));
  return letter && detail::is_variable(word) && !is_like_an_atom(word) && !type_called(word) && !detail::row_major(word);
}

std::string const no_value = "; a variable has no value here: write its layout, such as (4,8):(8,1)";
// A slice of a variable, as in mA(_, 2).
bool is_slice(std::string const& line, std::string const& name) {
  std::size_t const behind = name.size();
  return is_variable_name(name) && line.find_first_not_of("0123456789_(), ", behind) == line.npos &&
         line.find('_', behind) != line.npos;
}

// What a program's author may have meant by arguments that do not fit: those of a call, or a variable.
std::string written_in_a_program(std::vector<std::string> const& words, std::string_view complaint) {
  bool const one_bracket = words.size() == 2 && words[1].starts_with('(') && words[1].find(',') != std::string::npos;
  if (one_bracket && complaint.ends_with(", not 1 argument"))
    return "; the bracket of a call stands right behind the name: " + clipped(words[0] + words[1], 60);
  std::size_t const end = complaint.rfind(" is not a layout");
  if (end == complaint.npos) return "";
  std::string_view const before = complaint.substr(0, end);
  bool const variable = is_variable_name(std::string(before.substr(before.rfind(' ') + 1)));
  return variable ? no_value : "";
}

}  // namespace

std::string ptx_of(std::string const& name) {
  auto const* const at = std::find_if(std::begin(ptx_instructions), std::end(ptx_instructions),
                                      [&](ptx_instruction const& x) { return matches(x.atoms, name); });
  return at == std::end(ptx_instructions) ? "" : at->name;
}

std::string matrix_copy_called(std::string const& instruction) {
  bool const loads = instruction.starts_with("ldmatrix."), stores = instruction.starts_with("stmatrix.");
  char count = '0';
  bool transposed = false;
  std::string word;
  for (std::istringstream words(instruction.substr(0, 80)); std::getline(words, word, '.');) {
    if (word == "x1" || word == "x2" || word == "x4")
      count = word[1];
    else if (word == "trans")
      transposed = true;
    else if (word != "ldmatrix" && word != "stmatrix" && word != "sync" && word != "aligned" && word != "m8n8" &&
             word != "shared" && word != "b16")
      return "";  // of other matrices
  }
  if (!(loads || stores) || count == '0') return "";
  return fmt::format("{}_U{}x{}_{}_{}", loads ? "SM75" : "SM90", transposed ? 16 : 32, (count - '0') * (transposed ? 2 : 1),
                     loads ? "LDSM" : "STSM", transposed ? "T" : "N");
}

bool is_ptx_of(std::string const& name, std::string const& pattern) {
  std::string const ptx = ptx_of(name), asked = lowered(pattern.substr(0, 200)), shape = shape_in(asked);
  if (ptx.empty() || asked.size() < 2 || !(ptx.starts_with(asked) || ptx == instruction_in(asked))) return false;
  return shape.empty() || is_like(name, "_" + shape + "_");
}

std::string meant_in(std::string const& line, std::string const& complaint) {
  std::istringstream in(line);
  std::vector<std::string> const words{std::istream_iterator<std::string>(in), {}};
  if (complaint.find(" takes NAME FIELD") != complaint.npos)
    return fmt::format("; FIELD is one of {}", words[0] == "mma_atom" ? ref::mma_fields : ref::copy_fields);
  for (std::string const& word : words)
    if (word.size() < 200 && is_like_an_atom(word)) {
      std::string const kind = kind_of_atom(word);
      if (kind.empty()) return did_you_mean(word, atom_names());
      if (complaint.find(word + ": ") != complaint.npos)
        return kind == "mma_atom" ? "; it is an MMA atom" : "; it is a copy atom";
    } else if (std::string_view const ptx = instruction_in(lowered(word)); !ptx.empty() && &word != &words[0]) {
      return fmt::format("; 'colex atoms {}' lists the atoms of that instruction", ptx);
    } else if (&word == &words[0] && !is_operation(word)) {
      bool const asked = complaint.starts_with("unknown operation");
      if (asked && is_slice(line, word)) return no_value;
      return !is_form(word) ? did_you_mean(word, operation_names()) : asked ? "; 'colex draw' draws it" : "";
    }
  return written_in_a_program(words, complaint);
}

bool is_like(std::string const& name, std::string const& pattern) {
  return matches("*" + lowered(pattern) + "*", lowered(name));
}

void make_tilers(value& v) {
  if (!v.is(kind::tuple) && !v.is(kind::tiler)) return;
  v.what = kind::tiler;
  for (value& x : v.items) make_tilers(x);
}

std::vector<law> laws_called(std::string const& which) {
  std::vector<law> called;
  for (law const& l : laws())
    if (which.empty() || l.operation == which || (!is_operation(which) && matches(which, l.name))) called.push_back(l);
  std::vector<std::string> names = operation_names();
  for (std::string& name : law_names()) names.push_back(std::move(name));
  if (called.empty() && is_operation(which)) throw usage_error(which + " has no law of its own; `colex laws` lists all");
  if (called.empty())
    throw usage_error("there is no law, and no operation, '" + printable(which) + "'" + did_you_mean(which, names));
  return called;
}

}  // namespace colex
