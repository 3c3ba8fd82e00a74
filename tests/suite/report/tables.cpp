// Runs side by side as Markdown, as a table for terminals, and as a badge. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/peer/printable.hpp"
#include "tests/suite/report/page.hpp"
#include "tests/suite/report/summary.hpp"

#include <fmt/format.h>

namespace colex {

namespace {

// What a program or a file says, where Markdown reads nothing else into it: a code span, in a table or anywhere.
std::string markdown(std::string const& text, std::size_t most = 120) {
  std::string s;
  for (char const c : clipped(printable(text, text.size()), most))
    s += c == '|' || c == '`' ? fmt::format("\\x{:02x}", c) : std::string(1, c);
  return s.empty() ? s : "`" + s + "`";
}
std::string markdown_row(std::vector<std::string> const& cells) { return fmt::format("| {} |\n", fmt::join(cells, " | ")); }

std::string markdown_table(run_list const& runs) {
  auto rows = results(runs);
  std::string s = markdown_row(rows[0]) + "|";
  for (std::size_t k = 0; k < rows[0].size(); ++k) s += k < columns_of_words ? "---|" : "--:|";
  s += "\n";
  for (std::size_t r = 1; r < rows.size(); ++r) {
    for (std::size_t k = 0; k < columns_of_words; ++k) rows[r][k] = markdown(rows[r][k]);
    s += markdown_row(rows[r]);
  }
  return s;
}

// The laws that a run breaks: those that its baseline knows of, or the others.
std::string markdown_broken(ordered const& run, bool known) {
  std::string rows;
  for (ordered const& law : run.at("laws")) {
    if (!is_broken(law) || !law.contains("failure") || law.value("known", false) != known) continue;
    ordered const& f = law.at("failure");
    rows += markdown_row({string_at(law, "law"), string_at(law, "verdict"), markdown(where(f)), markdown(string_at(f, "left")),
                          markdown(string_at(f, "right"))});
  }
  return rows.empty() ? rows : "| law | verdict | where | left | right |\n|---|---|---|---|---|\n" + rows;
}
// Operations and laws that it has no more, or that it was to have.
std::string markdown_missing(ordered const& run, char const* what, char const* head) {
  std::vector<std::string> names;
  for (ordered const& op : run.value(what, ordered::array())) names.push_back(markdown(op.get<std::string>()));
  for (ordered const& law : run.at("laws"))
    if (law.value(what, false)) names.push_back(markdown(string_at(law, "law")));
  return names.empty() ? "" : fmt::format("\n{}: {}\n", head, fmt::join(names, ", "));
}
std::string markdown_failures(ordered const& run) {
  std::string const fresh = markdown_broken(run, false), known = markdown_broken(run, true);
  return (!fresh.empty()   ? fresh
          : !known.empty() ? "Breaks none that the baseline does not list.\n"
                           : "Breaks none.\n") +
         markdown_missing(run, "lost", "Lost since the baseline") +
         markdown_missing(run, "lacking", "Required, and not offered") +
         (known.empty() ? "" : "\nKnown to fail, as the baseline says:\n\n" + known);
}

}  // namespace

std::string markdown_of(run_list const& runs) {
  std::string s = markdown_table(runs);
  for (ordered const& run : runs) {
    std::string const version = string_at(run, "version");
    s += fmt::format("\n## {}{}\n\n", markdown(implementation_of(run)), version.empty() ? "" : " " + markdown(version)) +
         markdown_failures(run);
  }
  return s;
}

std::string table_of(run_list const& runs) {
  auto rows = results(runs);
  for (auto& row : rows)
    for (std::string& cell : row) cell = printable(cell);
  std::string s;
  for (auto const& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      std::size_t width = 0;
      for (auto const& each : rows) width = std::max(width, each[k].size());
      line += k < columns_of_words ? fmt::format("{:<{}}  ", row[k], width) : fmt::format("{:>{}}  ", row[k], width);
    }
    s += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return s;
}

// `73 of 248 laws, 175 not offered`
std::string badge_of(run_list const& runs) {
  ordered const& run = runs[0];
  auto const also = [&](char const* verdict, char const* word) {
    std::size_t const n = laws_that(run, verdict);
    return n ? fmt::format(", {} {}", n, word) : "";
  };
  bool const broken = std::ranges::any_of(run.at("laws"), is_broken);
  std::string const says = fmt::format("{} of {} laws{}{}", laws_held(run), laws_in(run), also("partly", "in part"),
                                       also("unsupported", "not offered"));
  std::size_t const left = 46, right = 12 + 7 * says.size(), all = left + right;
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="20" role="img" aria-label="colex: {3}"><title>colex: {3}</title>)"
      R"(<rect width="{1}" height="20" fill="#444"/><rect x="{1}" width="{2}" height="20" fill="{4}"/>)"
      R"(<g fill="#fff" text-anchor="middle" font-family="Verdana,sans-serif" font-size="11"><text x="{5}" y="14">colex</text><text x="{6}" y="14">{3}</text></g></svg>)"
      "\n",
      all, left, right, says, broken ? "#a33" : "#276b35", left / 2, left + right / 2);
}

}  // namespace colex
