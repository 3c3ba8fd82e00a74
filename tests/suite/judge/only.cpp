// One input of one law, as a report's last line has it.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/only.hpp"

#include "spec/notation/nearest.hpp"
#include "tests/suite/arguments/draw.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/peer/peer.hpp"

#include <fmt/format.h>

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

void require_all_arguments(law const& l, std::vector<binding> const& where) {
  choices none(std::vector<std::uint64_t>{});
  for (auto const& [name, v] : draw_arguments(l, none))
    if (std::none_of(where.begin(), where.end(), [&n = name](binding const& b) { return b.first == n; }))
      throw usage_error(fmt::format("{} needs {}=VALUE", l.name, name));
}

}  // namespace

only_input parse_only(std::string const& text) {
  std::size_t const start = std::min(text.find_first_not_of(' '), text.size()),
                    end = std::min(text.find(' ', start), text.size());
  std::string const name = text.substr(start, end - start);
  for (law const& l : laws())
    if (l.name == name) {
      only_input in{&l, parse_bindings(text, end), {}};
      require_all_arguments(l, in.where);
      return in;
    }
  if (!name.ends_with("_form"))
    throw usage_error("there is no law \"" + printable(name) + "\"" + did_you_mean(name, law_names()));
  return {
      {},
      {},
      located_case{parse_part(text, end, text.size(), parse_case), "--only", text.substr(std::min(end + 1, text.size())), 1}};
}

}  // namespace colex
