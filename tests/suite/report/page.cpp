// Reports made of the JSON of runs. The page's pictures show layouts as grids of their values.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/page.hpp"

#include "tests/suite/judge/cases.hpp"
#include "tests/suite/judge/shard.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <set>

namespace colex {

using json = nlohmann::ordered_json;

namespace {

// ---- what a run says ----

std::string string_at(json const& j, char const* key) { return j.value(key, std::string()); }
std::size_t number(json const& j, char const* key) { return j.value(key, std::size_t{0}); }

// Worked examples are counted with the laws: `pass` and `form` hold.
std::size_t laws_that(json const& run, std::set<std::string_view> const& verdicts) {
  auto const& laws = run.at("laws");
  return static_cast<std::size_t>(
      std::count_if(laws.begin(), laws.end(), [&](json const& l) { return verdicts.contains(string_at(l, "verdict")); }));
}

std::string name_of(json const& run) {
  if (!string_at(run, "name").empty()) return string_at(run, "name");
  std::string const program = run.at("program").empty() ? "" : run.at("program").front().get<std::string>();
  return program.substr(program.rfind('/') + 1);
}

struct column {
  char const* name;
  std::set<std::string_view> verdicts;
};
std::vector<column> const columns{{"held", {"pass", "form"}}, {"in part", {"partly"}},  {"wrong", {"wrong"}},
                                  {"silent", {"silent"}},     {"refused", {"refused"}}, {"died", {"died"}},
                                  {"vanished", {"vanished"}}, {"vacuous", {"vacuous"}}, {"not offered", {"unsupported"}}};

bool is_broken(json const& law) {
  std::string const v = string_at(law, "verdict");
  return v == "wrong" || v == "silent" || v == "refused" || v == "died";
}
bool shown(json const& law) {
  return is_broken(law) && law.contains("failure") && !law.contains("under") && !law.value("known", false);
}

// One row for each run: name, version, the columns, inputs.
std::vector<std::vector<std::string>> results(run_list const& runs) {
  std::vector<std::vector<std::string>> rows{{"implementation", "version"}};
  for (column const& c : columns) rows[0].emplace_back(c.name);
  rows[0].insert(rows[0].end(), {"inputs", "seed"});
  for (json const& run : runs) {
    rows.push_back({name_of(run), string_at(run, "version")});
    for (column const& c : columns) rows.back().push_back(std::to_string(laws_that(run, c.verdicts)));
    rows.back().push_back(std::to_string(number(run, "evaluations")));
    rows.back().push_back(std::to_string(number(run, "seed")));
  }
  return rows;
}
constexpr std::size_t words = 2;  // the columns in front that are no numbers

// `A=4:1 B=2:2 i=3`, or the line of a case.
std::string where(json const& failure) {
  std::string s;
  json const arguments = failure.value("where", json::object());
  for (auto const& [name, v] : arguments.items()) s += (s.empty() ? "" : " ") + name + "=" + v.get<std::string>();
  return s.empty() ? string_at(failure, "line") : s;
}

// ---- HTML ----

std::string escaped(std::string_view s) {
  std::string out;
  for (char const c : s) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}
std::string tagged(std::string const& tag, std::string const& inner, std::string const& attributes = {}) {
  return fmt::format("<{}{}{}>{}</{}>", tag, attributes.empty() ? "" : " ", attributes, inner, tag);
}
std::string verdict_class(std::string v) {
  std::replace(v.begin(), v.end(), ' ', '-');
  return fmt::format("class=\"v {}\"", v);
}
std::string badge_text(std::string const& verdict) { return tagged("span", verdict, verdict_class(verdict)); }

std::string results_table(run_list const& runs) {
  std::string s;
  auto const rows = results(runs);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string row;
    for (std::size_t k = 0; k < rows[r].size(); ++k)
      row += r == 0   ? tagged("th", rows[r][k], "scope=\"col\"")
             : k == 0 ? tagged("th", escaped(rows[r][k]), "scope=\"row\"")
                      : tagged("td", escaped(rows[r][k]), k < words ? "" : "class=\"n\"");
    s += tagged("tr", row);
  }
  return tagged("div", tagged("table", s), "class=\"wide\" tabindex=\"0\"");
}

// Backquotes as in Markdown.
std::string prose(std::string const& t) {
  std::string s;
  bool inside = false;
  for (char const c : escaped(t)) s += c != '`' ? std::string(1, c) : (inside = !inside) ? "<code>" : "</code>";
  return inside ? s + "</code>" : s;
}
std::string code(std::string const& t) { return t.empty() ? t : tagged("code", escaped(t)); }

// ---- pictures: the values of a layout in a grid, mode 0 downwards ----

struct grid {
  std::size_t rows = 1;
  std::vector<std::string> cells;  // by index
};

constexpr std::size_t most_cells = 512, most_rows = 32;

template <class F>
std::optional<grid> tabulated(value const& domain, F f) {
  value const& layout = domain.is(kind::composed) ? domain.items.back() : domain;
  if (!layout.is(kind::layout)) return {};
  integer const all = size(domain),
                first = layout.shape().is(kind::tuple) && layout.shape().items.size() > 1 ? size(mode(layout, 0)) : integer(1);
  if (all > most_cells || first > most_rows) return {};
  grid g{static_cast<std::size_t>(first), {}};
  for (integer i = 0; i < all; ++i) g.cells.push_back(print(f(i)));
  return g;
}

// Of the layout that the text is; nothing when it is none, or too large.
std::optional<grid> grid_of(std::string const& t) try {
  value const v = parse(t);
  return tabulated(v, [&](integer const& i) { return value_at(v, i); });
} catch (std::exception const&) {
  return {};
}

// Of what a composition must be, be it a layout or not.
std::optional<grid> grid_of_composition(std::string const& asked) try {
  request const r = parse_request(asked);
  if (r.op != "composition" || r.args.size() != 2) return {};
  return tabulated(r.args[1], [&](integer const& i) { return value_at(r.args[0], value_at(r.args[1], i).number); });
} catch (std::exception const&) {
  return {};
}

std::string drawn(std::string const& title, std::string const& t, std::optional<grid> const& g,
                  std::optional<grid> const& other = {}) {
  if (!g) return {};
  std::string s = tagged("caption", escaped(title) + (t.empty() ? "" : " " + tagged("code", escaped(t))));
  for (std::size_t r = 0; r < g->rows; ++r) {
    std::string row;
    for (std::size_t i = r; i < g->cells.size(); i += g->rows) {
      bool const differs = other && (i >= other->cells.size() || other->cells[i] != g->cells[i]);
      row += tagged("td", differs ? tagged("mark", g->cells[i]) : g->cells[i]);
    }
    s += tagged("tr", row);
  }
  return tagged("table", s, "class=\"grid\"");
}

std::string pictures(json const& failure) {
  std::string s;
  json const arguments = failure.value("where", json::object());
  for (auto const& [name, v] : arguments.items()) s += drawn(name + " =", v.get<std::string>(), grid_of(v.get<std::string>()));
  std::string const got = string_at(failure, "got"), expected = string_at(failure, "expected");
  auto const g = grid_of(got), right = grid_of(expected),
             must = right ? right : grid_of_composition(string_at(failure, "culprit"));
  s += drawn("answered", got, g, must) +
       (right ? drawn("right", expected, right, g) : drawn("A(B(c)), which no layout is", {}, must, g));
  return s.empty() ? s : tagged("div", s, "class=\"pictures\" tabindex=\"0\"");
}

// ---- one broken law ----

std::string folded_under(json const& run, json const& law) {
  std::string s;
  for (json const& other : run.at("laws"))
    if (string_at(other, "under") == string_at(law, "law"))
      s += tagged("li", escaped(string_at(other, "law")) + " " + badge_text(string_at(other, "verdict")) + " " +
                            code(other.contains("failure") ? clipped(where(other.at("failure")), 200) : ""));
  return s.empty() ? s : tagged("details", "<summary>also broken</summary>" + tagged("ul", s));
}

std::string fact(std::string const& name, std::string const& html) {
  return html.empty() ? html : tagged("dt", name) + tagged("dd", html);
}
std::string anchor(std::size_t run, json const& law) { return fmt::format("{}-{}", run, string_at(law, "law")); }

std::string broken_law(json const& run, std::size_t which, json const& law) {
  json const& f = law.at("failure");
  std::string const asked = string_at(f, "culprit");
  std::string facts = fact("law", escaped(string_at(law, "statement"))) + fact("where", code(where(f)));
  facts += fact(asked.empty() ? "left" : "answered",
                code(asked.empty() ? string_at(f, "left") : clipped(asked + " = " + string_at(f, "got"), 400)));
  facts += fact("right", code(clipped(asked.empty() ? string_at(f, "right") : asked + " = " + string_at(f, "expected"), 400)));
  if (!asked.empty() && string_at(f, "left") != string_at(f, "got"))
    facts += fact("so that", code(clipped(string_at(f, "left") + ", not " + string_at(f, "right"), 400)));
  facts += fact("stated", escaped(string_at(law, "stated"))) + fact("source", prose(string_at(law, "source")));
  facts += fact("found", fmt::format("by input {} of {}, after {} shrinks", number(f, "input"), number(law, "evaluations"),
                                     number(f, "shrinks")));
  return tagged("article", tagged("h3", escaped(string_at(law, "law")) + " " + badge_text(string_at(law, "verdict")),
                                  "id=\"" + anchor(which, law) + "\"") +
                               tagged("dl", facts) + pictures(f) + tagged("pre", escaped(string_at(f, "again"))) +
                               folded_under(run, law));
}

std::string broken_laws(run_list const& runs) {
  std::string s;
  for (std::size_t which = 0; which < runs.size(); ++which) {
    std::string of_run;
    for (json const& law : runs[which].at("laws"))
      if (shown(law)) of_run += broken_law(runs[which], which, law);
    s += tagged("h2", "Broken by " + escaped(name_of(runs[which]))) + (of_run.empty() ? tagged("p", "None.") : of_run);
  }
  return s;
}

// ---- all laws x runs ----

json const* law_named(json const& run, std::string const& name) {
  for (json const& law : run.at("laws"))
    if (string_at(law, "law") == name) return &law;
  return nullptr;
}

std::string matrix_cell(json const* law, std::size_t which, bool counts) {
  if (!law) return tagged("td", "");
  std::string verdict = badge_text(string_at(*law, "verdict"));
  if (shown(*law)) verdict = tagged("a", verdict, "href=\"#" + anchor(which, *law) + "\"");
  std::string s = tagged("td", verdict);
  if (!counts) return s;
  for (auto const v : verdict_name)
    s += tagged("td", fmt::format("{}", law->at("count").value(std::string(v), std::size_t{0})), "class=\"n\"");
  return s;
}

std::string matrix(run_list const& runs) {
  bool const counts = runs.size() == 1;  // there is room for them
  std::string head = tagged("th", "law", "scope=\"col\"");
  for (json const& run : runs) head += tagged("th", escaped(counts ? "verdict" : name_of(run)), "scope=\"col\"");
  if (counts)
    for (auto const v : verdict_name) head += tagged("th", std::string(v), "scope=\"col\"");
  std::vector<std::string> names;
  std::set<std::string> known;
  for (json const& run : runs)
    for (json const& law : run.at("laws"))
      if (known.insert(string_at(law, "law")).second) names.push_back(string_at(law, "law"));
  std::string rows;
  for (std::string const& name : names) {
    std::string row = tagged("th", escaped(name), "scope=\"row\"");
    for (std::size_t which = 0; which < runs.size(); ++which) row += matrix_cell(law_named(runs[which], name), which, counts);
    rows += tagged("tr", row);
  }
  return tagged("h2", "All laws") +
         tagged("div", tagged("table", tagged("thead", tagged("tr", head)) + tagged("tbody", rows), "class=\"all\""),
                "class=\"wide\" tabindex=\"0\"");
}

constexpr char const* style = R"(
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --line: #c8c8c8; --soft: #f3f3f3; --link: #0b57a4;
  --good: #135e26; --bad: #9c1c1c; --worse: #7a1fa0; --warn: #7a4b00; --mark: #ffe08a; --mark-ink: #1a1a1a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --paper: #16181b; --line: #4a4d52; --soft: #23262a; --link: #8ec1ff;
  --good: #7ddb93; --bad: #ff9a94; --worse: #e0a3ff; --warn: #ffc46b; --mark: #6b5200; --mark-ink: #fff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 75rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.5rem; } h2 { margin-top: 2.5rem; } h3 { margin: 0 0 .5rem; font-size: 1.1rem; overflow-wrap: anywhere; }
a { color: var(--link); }
code, pre, .grid, .n { font-family: ui-monospace, monospace; font-size: .875rem; }
code { overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .5rem; background: var(--soft); }
table { border-collapse: collapse; } th, td { padding: .2rem .5rem; border: 1px solid var(--line); text-align: left; }
thead th { background: var(--soft); } .all th { font-weight: normal; overflow-wrap: anywhere; min-width: 9rem; } .all thead th { min-width: 0; }
.n { text-align: right; }
.wide, .pictures { overflow-x: auto; }
.pictures { display: flex; flex-wrap: wrap; gap: 1.5rem; margin: 1rem 0; }
.grid td { text-align: right; min-width: 2.2rem; } .grid caption { text-align: left; padding-bottom: .3rem; white-space: nowrap; }
mark { background: var(--mark); color: var(--mark-ink); font-weight: bold; text-decoration: underline; padding: 0 .2rem; }
article { border: 1px solid var(--line); padding: 1rem; margin: 1rem 0; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1rem; margin: 0; } dt { font-weight: bold; } dd { margin: 0; overflow-wrap: anywhere; }
.v { font-weight: bold; white-space: nowrap; } .pass, .form { color: var(--good); } .wrong, .refused { color: var(--bad); }
.silent, .died, .vanished { color: var(--worse); } .vacuous, .partly { color: var(--warn); } .unsupported, .not-judged, .undefined { font-weight: normal; }
@media (max-width: 40rem) { dl { grid-template-columns: minmax(0, 1fr); } dd { margin-bottom: .5rem; } }
@media print { body { max-width: none; padding: 0; } article { break-inside: avoid; } .wide, .pictures { overflow: visible; }
  details::details-content { content-visibility: visible; } }
)";

}  // namespace

std::string page_of(run_list const& runs) {
  std::string const title =
      runs.size() == 1 ? "Colex: " + escaped(name_of(runs[0])) : "Colex: " + std::to_string(runs.size()) + " implementations";
  std::string const about =
      "Which laws of the CuTe layout algebra hold. <em>wrong</em>: answered, and a right answer exists; <em>silent</em>: "
      "answered where none exists; "
      "<em>refused</em>: a right answer exists; <em>died</em>: crashed, hung or answered nonsense. Marked cells differ.";
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">" +
         tagged("title", title) + tagged("style", style) + "<link rel=\"icon\" href=\"data:,\"></head>\n<body>" +
         tagged("h1", title) + tagged("p", about) + results_table(runs) + broken_laws(runs) + matrix(runs) + "</body></html>\n";
}

// ---- Markdown, text, badge ----

namespace {
std::string table_cell(std::string const& t) {
  std::string s;
  for (char const c : clipped(t, 120)) s += c == '|' ? std::string("\\|") : std::string(1, c);
  return s;
}
std::string quoted(std::string const& t) { return t.empty() ? t : "`" + table_cell(t) + "`"; }
std::string markdown_row(std::vector<std::string> const& cells) { return fmt::format("| {} |\n", fmt::join(cells, " | ")); }
}  // namespace

std::string markdown_of(run_list const& runs) {
  auto const rows = results(runs);
  std::string s = markdown_row(rows[0]) + "|";
  for (std::size_t k = 0; k < rows[0].size(); ++k) s += k < words ? "---|" : "--:|";
  s += "\n";
  for (std::size_t r = 1; r < rows.size(); ++r) s += markdown_row(rows[r]);
  for (json const& run : runs) {
    std::string broken_rows;
    for (json const& law : run.at("laws")) {
      if (!is_broken(law) || !law.contains("failure")) continue;
      json const& f = law.at("failure");
      broken_rows += markdown_row({string_at(law, "law"), string_at(law, "verdict"), quoted(where(f)),
                                   quoted(string_at(f, "left")), quoted(string_at(f, "right"))});
    }
    s += fmt::format("\n## {} {}\n\n", name_of(run), string_at(run, "version"));
    s += broken_rows.empty() ? "Breaks none.\n"
                             : "| law | verdict | where | left | right |\n|---|---|---|---|---|\n" + broken_rows;
  }
  return s;
}

std::string table_of(run_list const& runs) {
  auto const rows = results(runs);
  std::string s;
  for (auto const& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      std::size_t width = 0;
      for (auto const& each : rows) width = std::max(width, each[k].size());
      line += k < words ? fmt::format("{:<{}}  ", row[k], width) : fmt::format("{:>{}}  ", row[k], width);
    }
    s += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return s;
}

std::string badge_of(run_list const& runs) {
  std::size_t const held = laws_that(runs[0], {"pass", "form"}), partly = laws_that(runs[0], {"partly"}),
                    failed = laws_that(runs[0], {"wrong", "silent", "refused", "died", "vanished", "vacuous"}),
                    not_offered = laws_that(runs[0], {"unsupported"});
  std::string says = fmt::format("{} of {} laws", held, runs[0].at("laws").size());
  if (partly) says += fmt::format(", {} in part", partly);
  if (not_offered) says += fmt::format(", {} not offered", not_offered);
  std::size_t const left = 46, right = 12 + 7 * says.size(), all = left + right;
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="20" role="img" aria-label="colex: {3}"><title>colex: {3}</title>)"
      R"(<rect width="{1}" height="20" fill="#444"/><rect x="{1}" width="{2}" height="20" fill="{4}"/>)"
      R"(<g fill="#fff" text-anchor="middle" font-family="Verdana,sans-serif" font-size="11"><text x="{5}" y="14">colex</text><text x="{6}" y="14">{3}</text></g></svg>)"
      "\n",
      all, left, right, says, failed || held == 0 ? "#a33" : "#276b35", left / 2, left + right / 2);
}

json read_run(std::string const& file, std::string const& t) {
  auto const refuse = [&](std::string const& why) {
    return bad_file(fmt::format("{} is no report of `colex conform --json`: {}", printable(file, 1000), printable(why)));
  };
  try {
    json run = json::parse(t);
    check_schema(run, file);
    for (json const& law : run.at("laws"))
      if (string_at(law, "law").empty() ||
          std::find(verdict_name.begin(), verdict_name.end(), string_at(law, "verdict")) == verdict_name.end() ||
          !law.at("count").is_object())
        throw refuse("a law lacks its name, verdict or counts");
    if (!run.at("program").is_array()) throw refuse("it names no program");
    page_of(run_list{run});  // reads all that any report does
    markdown_of(run_list{run});
    return run;
  } catch (nlohmann::json::exception const& e) {
    throw refuse(e.what());
  }
}

}  // namespace colex
