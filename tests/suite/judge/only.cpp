// One input of one law, as a report's last line has it.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/only.hpp"

#include "spec/laws/kinds.hpp"
#include "spec/notation/nearest.hpp"
#include "tests/suite/judge/in_process.hpp"
#include "tests/suite/judge/stated.hpp"

#include <fmt/format.h>

#include <random>
#include <set>

namespace colex {

namespace {

// `LAW A=... B=...`: where each NAME= begins.
struct named_text {
  std::string name;
  std::size_t from, to;
};

std::vector<named_text> split_bindings(std::string const& text, std::size_t from) {
  std::vector<named_text> parts;
  for (std::size_t at = text.find_first_not_of(' ', from); at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_' || text[end] == '\''))
      ++end;
    if (end > at && end < text.size() && text[end] == '=')
      parts.push_back({text.substr(at, end - at), end + 1, text.size()});
    else if (parts.empty())
      throw malformed(at, "NAME=VALUE belongs here");
    std::size_t const next = text.find_first_not_of(' ', std::min(text.find(' ', end), text.size()));
    if (parts.size() > 1 && parts.back().from == end + 1) parts[parts.size() - 2].to = at;
    at = next;
  }
  return parts;
}

// Parses a part of a text; what is wrong with it is wrong at its place in the whole.
template <class F>
auto parse_part(std::string const& text, std::size_t from, std::size_t to, F parser) {
  try {
    return parser(std::string_view(text).substr(from, to - from));
  } catch (malformed const& e) {
    throw malformed(from + e.column, e.what());
  }
}

std::vector<binding> parse_bindings(std::string const& text, std::size_t from) {
  std::vector<binding> where;
  for (named_text const& part : split_bindings(text, from))
    where.emplace_back(part.name, parse_part(text, part.from, part.to, parse));
  return where;
}

answer reference(request const& r) { return said(ref::respond, r); }

// The indices that a law goes through on some of what is drawn for it.
std::set<std::string> indices_of(law const& l) {
  constexpr int many = 20;
  std::set<std::string> names;
  std::mt19937_64 random(1);
  for (int k = 0; k < many; ++k) {
    choices from(random);
    std::vector<binding> const where = draw_arguments(l, from);
    trial t(where, reference, reference);
    static_cast<void>(ending_of([&] { l.check(t); }));
    for (auto const& index : t.indices()) names.insert(index.first);
  }
  return names;
}
std::string arguments_of(law const& l) {
  std::string names;
  for (argument const& a : l.drawn()) names += fmt::format("{}{}", names.empty() ? "" : ", ", a.name);
  for (std::string const& index : indices_of(l)) names += ", " + index;
  return names;
}

// Each argument once, and nothing else but indices.
void require_arguments(law const& l, std::vector<binding> const& where) {
  auto const times = [&](std::string_view name) {
    return std::count_if(where.begin(), where.end(), [&](binding const& b) { return b.first == name; });
  };
  for (argument const& a : l.drawn())
    if (times(a.name) == 0) throw usage_error(fmt::format("{} needs {}=VALUE", l.name, a.name));
  for (auto const& [name, v] : where) {
    if (times(name) > 1) throw usage_error(fmt::format("{} is there twice", name));
    if (place_in(l.drawn(), name) == l.drawn().size() && !indices_of(l).contains(name))
      throw usage_error(fmt::format("{} has no argument {}: it has {}", l.name, name, arguments_of(l)));
  }
}
void require_kinds(law const& l, std::vector<binding> const& where) {
  argument const* const a = outside(l, where, reference);
  if (!a) return;
  auto const at = std::find_if(where.begin(), where.end(), [&](binding const& b) { return b.first == a->name; });
  throw outside_hypothesis(l, fmt::format("{}={}", a->name, printable(print(at->second))));
}

}  // namespace

usage_error outside_hypothesis(law const& l, std::string const& which) {
  return usage_error(fmt::format("outside the hypothesis{}{}: {} asks for {}\n  {}", which.empty() ? "" : ": ", which, l.name,
                                 stated(l.name).where, l.statement));
}

only_input parse_only(std::string const& text) {
  std::size_t const start = std::min(text.find_first_not_of(' '), text.size()),
                    end = std::min(text.find(' ', start), text.size());
  std::string const name = text.substr(start, end - start);
  for (law const& l : laws())
    if (l.name == name) {
      only_input in{&l, parse_bindings(text, end), {}};
      require_arguments(l, in.where);
      require_kinds(l, in.where);
      return in;
    }
  if (!name.ends_with("_form"))
    throw usage_error("there is no law \"" + printable(name) + "\"" + did_you_mean(name, law_names()));
  test_case const asked = parse_part(text, end, text.size(), parse_case);
  if (std::string const right = name_of_cases(asked.asked.op); name != right)
    throw usage_error(fmt::format("the case is one of {}, not of {}", printable(right), printable(name)));
  return {{}, {}, located_case{asked, "--only", text.substr(std::min(end + 1, text.size())), 1}};
}

}  // namespace colex
