// The names of atoms, and what is nearly one, that the algebras are asked. SPDX-License-Identifier: Apache-2.0
#include "tests/agreement/requests.hpp"
#include "tests/agreement/small.hpp"
#include "tests/suite/arguments/draw_atoms.hpp"

namespace colex {
namespace {

using texts = std::vector<std::string>;

texts const counts = {"0",  "1",  "2",   "3",   "4",   "5",   "6",   "8",   "9",   "12", "16", "20",
                      "24", "32", "33",  "40",  "48",  "61",  "64",  "65",  "70",  "75", "80", "89",
                      "90", "96", "100", "103", "120", "128", "192", "256", "264", "512"},
            types = {"half_t",        "float",         "float_e4m3_t", "float_e2m1_t", "float_e3m2_t",
                     "float_ue8m0_t", "float_ue4m3_t", "int4b_t",      "int8_t",       "uint8_t",
                     "int32_t",       "tfloat32_t",    "bfloat16_t",   "double",       "uint1_t"},
            codes = {"F16", "F32", "S8", "U4", "U1", "BF16", "TF32", "E4M3", "F64", "S32", "C64", "GC64"},
            endings = {"x", "_16b", "_SATURATE", "<K,K>"};

// Where in a name something begins, and how long it is.
using spots = std::vector<std::pair<std::size_t, std::size_t>>;
template <class Length>
spots spots_of(std::string_view name, Length length) {
  spots out;
  for (std::size_t at = 0; at < name.size(); ++at)
    if (std::size_t const n = length(name.substr(at)); n > 0) out.emplace_back(at, n), at += n - 1;
  return out;
}
std::size_t digits_of(std::string_view text) { return std::min(text.find_first_not_of("0123456789"), text.size()); }
auto longest_of(texts const& words) {
  return [&words](std::string_view text) {
    std::size_t most = 0;
    for (std::string const& w : words)
      if (text.starts_with(w)) most = std::max(most, w.size());
    return most;
  };
}
// The name with each of the words at those spots.
void put_at(texts& out, std::string const& name, spots const& at, texts const& words) {
  for (std::string const& word : words) {
    out.push_back(name);
    for (auto it = at.rbegin(); it != at.rend(); ++it) out.back().replace(it->first, it->second, word);
  }
}
// The name with a number in it another; with another element: in one place, in all, in all but one or two, or in the outermost.
texts misspellings(std::string const& name) {
  texts out;
  for (std::string const& x : endings) out.push_back(name + x);
  for (auto const& number : spots_of(name, digits_of)) put_at(out, name, {number}, counts);
  for (texts const* words : {&types, &codes}) {
    spots const all = spots_of(name, longest_of(*words));
    for (auto const& one : all) put_at(out, name, {one}, *words);
    if (all.size() < 2) continue;
    put_at(out, name, all, *words);
    put_at(out, name, {all[0], all[1]}, *words);
    put_at(out, name, {all.front(), all.back()}, *words);
    put_at(out, name, {all.begin() + 1, all.end() - 1}, *words);
  }
  return out;
}
bool is_word(std::string const& text) {
  try {
    return parse(text).is(kind::word);
  } catch (malformed const&) {
    return false;
  }
}
// Each name with each field; some of them misspelt in every way, the others in one.
template <value (*Name)(choices&)>
std::vector<request> of_names(std::string const& op, texts const& fields, std::size_t most) {
  std::mt19937_64 random(most);
  std::vector<request> out;
  for (std::size_t k = 0; k < most; ++k) {
    choices from(random);
    std::string const name = Name(from).word;
    for (std::string const& field : fields) out.push_back({op, {word_of(name), word_of(field)}});
    for (std::string const& wrong : k % 4 ? texts{other_word(name, random)} : misspellings(name))
      if (is_word(wrong)) out.push_back({op, {word_of(wrong), word_of(fields[random() % 3])}});
  }
  return out;
}

// What a thread copies of each type that may be one.
std::vector<request> of_types() {
  texts all = {"complex<double>", "int", "nothing"};
  for (std::string const& x : types) all.push_back(x);
  for (std::string const x : {"e5m2", "e2m3"}) all.push_back("float_" + x + "_t");
  for (std::string const sign : {"", "u"})
    for (std::string const bits : {"1", "2", "4", "8", "16", "32", "64", "128", "256"})
      for (std::string const end : {"_t", "b_t"}) all.push_back(sign + "int" + bits + end);
  std::vector<request> out;
  for (std::string const& x : all) out.push_back({"copy_atom", {word_of("UniversalCopy<" + x + ">"), word_of("SrcLayout")}});
  return out;
}

texts const mma_fields = {"ALayout", "BLayout", "CLayout", "Shape_MNK", "ThrID", "SFALayout", "SFBLayout", "ELayout", "Layout"},
            copy_fields = {"SrcLayout", "DstLayout", "RefLayout", "ThrID", "Layout"};

}  // namespace

std::vector<small_set> small_name_sets() {
  return {
      {"mma_names", [](std::size_t most) { return of_names<draw_mma_name>("mma_atom", mma_fields, most / 2); }},
      {"shaped_mma_names", [](std::size_t most) { return of_names<draw_shaped_mma_name>("mma_atom", mma_fields, most / 2); }},
      {"copy_names", [](std::size_t most) { return of_names<draw_copy_name>("copy_atom", copy_fields, most / 2); }},
      {"element_types", [](std::size_t) { return of_types(); }}};
}

}  // namespace colex
