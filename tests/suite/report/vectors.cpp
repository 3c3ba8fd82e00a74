// Requests with their right answers, as JSON and as tables of C++, Mojo and Rust. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/vectors.hpp"

#include "ref/answer.hpp"
#include "tests/suite/arguments/draw.hpp"
#include "tests/suite/arguments/hash.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/report/known.hpp"

#include <nlohmann/json.hpp>

namespace colex {

namespace {

using comparison = test_vector::comparison;

constexpr std::string_view comparison_name[] = {"text", "function", "law"};

// Where a layout takes a value twice, or does not take one, an inverse is free.
comparison comparison_of(request const& r) {
  bool const many = r.op == "left_inverse" || r.op == "right_inverse" || r.op == "max_common_layout";
  return many ? comparison::law : comparison::function;
}
bool is_told(answer const& a) { return a || a.what == status::undefined || a.what == status::unspecified; }

std::vector<test_vector> of_cases(std::string const& operations) {
  std::vector<test_vector> all;
  for (located_case const& c : stated_cases())
    if (matches(operations, c.what.asked.op) && is_told(c.what.expected))
      all.push_back({c.what.asked, c.what.expected, c.what.relation == '=' ? comparison::text : comparison::function,
                     name_of_cases(c.what.asked.op), c.place()});
  return all;
}

void add_defects(std::string const& operations, std::vector<test_vector>& all, std::set<std::string>& seen) {
  for (known_defect const& d : known_defects()) {
    request const asked = parse_request(d.request);
    if (matches(operations, asked.op) && seen.insert(d.request).second)
      all.push_back({asked, ref::respond(asked), comparison_of(asked), d.law, "spec/found.md"});
  }
}
// The others by their request, too.
void name_defects(std::vector<test_vector>& all) {
  std::map<std::string, std::string> what;
  for (known_defect const& d : known_defects()) what[d.request] = d.what;
  for (test_vector& v : all) v.defect = what[print(v.asked)];
}

// The first request of its own operation that a law asks of these arguments.
std::optional<std::pair<request, answer>> first_asked(law const& l, std::vector<binding> const& where) {
  trial t(where, ref::respond, ref::respond);
  ending_of([&] { l.check(t); });
  for (auto const& exchange : t.asked())
    if (exchange.first.op == l.operation) return exchange;
  return std::nullopt;
}

void add_drawn(law const& l, vector_choice const& chosen, std::vector<test_vector>& all, std::set<std::string>& seen) {
  std::mt19937_64 random(hash_of(l.name, chosen.seed));
  for (std::size_t k = 0; k < (l.costly ? (chosen.count + 9) / 10 : chosen.count); ++k) {
    choices from(random);
    auto const asked = first_asked(l, draw_arguments(l, from));
    if (!asked || !is_told(asked->second) || !seen.insert(print(asked->first)).second) continue;
    all.push_back({asked->first, asked->second, comparison_of(asked->first), l.name, "drawn"});
  }
}

std::string flag_of(answer const& a) { return a ? "defined" : std::string(status_name[static_cast<std::size_t>(a.what)]); }
std::string right_of(answer const& a) { return a ? print(a.result) : ""; }
std::vector<std::string> arguments_of(request const& r) {
  std::vector<std::string> words;
  for (value const& v : r.args) words.push_back(print(v));
  return words;
}

nlohmann::ordered_json json_of(test_vector const& v) {
  nlohmann::ordered_json j{{"operation", v.asked.op}, {"arguments", arguments_of(v.asked)}, {"flag", flag_of(v.right)}};
  if (v.right)
    j["answer"] = right_of(v.right), j["compare"] = comparison_name[static_cast<std::size_t>(v.by)];
  else if (!v.right.reason.empty())
    j["reason"] = v.right.reason;
  j["law"] = v.law;
  j["from"] = v.from;
  if (!v.defect.empty()) j["defect"] = v.defect;
  return j;
}
std::string json_of(std::vector<test_vector> const& vectors, vector_choice const& chosen) {
  nlohmann::ordered_json j{{"schema", 1}, {"colex", COLEX_VERSION}, {"seed", chosen.seed}, {"count", chosen.count}};
  j["vectors"] = nlohmann::ordered_json::array();
  for (test_vector const& v : vectors) j["vectors"].push_back(json_of(v));
  return j.dump(1) + "\n";
}

// A table: what stands before the rows, a row of seven texts, what stands behind. No text of the notation has a quote in it.
struct table_form {
  std::string_view head, row, foot;
};
constexpr table_form forms[] = {
    {},
    {"// Requests of the CuTe layout algebra with right answers, written by `colex export --cpp`.\n#pragma once\n\n"
     "struct colex_vector {{\n  char const *operation, *arguments, *flag, *answer, *compare, *law, *defect;\n}};\n\n"
     "inline constexpr colex_vector colex_vectors[] = {{\n",
     "    {{\"{}\", \"{}\", \"{}\", \"{}\", \"{}\", \"{}\", \"{}\"}},\n", "}};\n"},
    {"# Requests of the CuTe layout algebra with right answers, written by `colex export --mojo`: operation, arguments, flag,\n"
     "# answer, comparison, law and known defect of each, with tabs between them.\n\ncomptime COLEX_VECTORS = String(\n",
     "    \"{}\\t{}\\t{}\\t{}\\t{}\\t{}\\t{}\\n\"\n", ")\n"},
    {"// Requests of the CuTe layout algebra with right answers, written by `colex export --rust`.\n"
     "pub struct Vector {{\n    pub operation: &'static str,\n    pub arguments: &'static str,\n    pub flag: &'static str,\n"
     "    pub answer: &'static str,\n    pub compare: &'static str,\n    pub law: &'static str,\n    pub defect: &'static "
     "str,\n}}\n\n"
     "const fn v(\n    operation: &'static str,\n    arguments: &'static str,\n    flag: &'static str,\n"
     "    answer: &'static str,\n    compare: &'static str,\n    law: &'static str,\n    defect: &'static str,\n) -> Vector "
     "{{\n"
     "    Vector {{ operation, arguments, flag, answer, compare, law, defect }}\n}}\n\npub const VECTORS: &[Vector] = &[\n",
     "    v(\"{}\", \"{}\", \"{}\", \"{}\", \"{}\", \"{}\", \"{}\"),\n", "];\n"},
};

std::string table_of(std::vector<test_vector> const& vectors, table_form const& form) {
  std::string s = fmt::format(fmt::runtime(form.head));
  for (test_vector const& v : vectors)
    s += fmt::format(fmt::runtime(form.row), v.asked.op, fmt::join(arguments_of(v.asked), " "), flag_of(v.right),
                     right_of(v.right), comparison_name[static_cast<std::size_t>(v.by)], v.law, v.defect);
  return s + fmt::format(fmt::runtime(form.foot));
}

}  // namespace

std::vector<test_vector> vectors_of(vector_choice const& chosen) {
  std::vector<test_vector> all = of_cases(chosen.operations);
  std::set<std::string> seen;
  for (test_vector const& v : all) seen.insert(print(v.asked));
  add_defects(chosen.operations, all, seen);
  for (law const& l : laws())
    if (matches(chosen.operations, l.operation)) add_drawn(l, chosen, all, seen);
  name_defects(all);
  return all;
}

std::string text_of(std::vector<test_vector> const& vectors, vector_choice const& chosen, vector_format format) {
  return format == vector_format::json ? json_of(vectors, chosen) : table_of(vectors, forms[static_cast<std::size_t>(format)]);
}

}  // namespace colex
