// The page of one or several runs, as a tree of elements: what is text in it stays text, whoever says it.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/page.hpp"

#include "tests/suite/report/known.hpp"
#include "tests/suite/report/page_parts.hpp"
#include "tests/suite/report/page_style.hpp"
#include "tests/suite/report/report.hpp"

#include <map>
#include <regex>
#include <set>

namespace colex {

namespace {

using namespace html;

// What the page says of a verdict that comes on it.
std::map<std::string, char const*> const meanings{{"form", "the right function in another spelling"},
                                                  {"refused", "said undefined, though a right answer exists"},
                                                  {"wrong", "answered, and a right answer exists"},
                                                  {"silent", "answered where no right answer exists"},
                                                  {"died", "crashed, hung, or wrote what is no answer"},
                                                  {"vanished", "said to be offered, and never answered"},
                                                  {"incomplete", "the time was out before it was judged"},
                                                  {"partly", "judged on a part of its inputs"},
                                                  {"vacuous", "too few inputs met the hypothesis"},
                                                  {"not judged", "sources disagree, or the reference cannot decide"},
                                                  {"undefined", "no answer exists, and the program said so"},
                                                  {"unsupported", "the program does not have the operation"}};

// ---- the top: what was run, and what it came to ----

std::string names_at(ordered const& run, char const* key) {
  return fmt::format("{}", fmt::join(run.value(key, std::vector<std::string>()), ", "));
}
void add_facts(node parent, ordered const& run) {
  ordered const asked = run.value("asked", ordered::object());
  node list = add(parent, "dl", "facts");
  add_fact(list, "judged by", asked.contains("colex") ? "colex " + string_at(asked, "colex") : "");
  add_fact(list, "date", std::regex_replace(string_at(run, "date"), std::regex("T(.{5}).*"), " $1 UTC"));
  add_fact(list, "level", string_at(asked, "level"));
  add_fact(list, "seed", run.contains("seed") ? std::to_string(number_at(run, "seed")) : "");
  add_fact(list, "inputs", grouped(inputs_of(run)));
  add_fact(list, "worked examples", cases_held(run).empty() ? "" : cases_held(run) + " pass");
  add_fact(list, "baseline", string_at(run, "baseline"), "code");
  add_fact(list, "lost since", names_at(run, "lost"));
  add_fact(list, "required, not offered", names_at(run, "lacking"));
  add_fact(list, "command", string_at(run, "command"), "code");
}

// A bar as long as there are laws, in the verdicts' colours.
void add_bar(node parent, ordered const& run) {
  std::map<std::string, std::size_t> parts;
  for (ordered const& law : run.at("laws"))
    if (!is_cases(string_at(law, "law"))) ++parts[severity(law)];
  node bar = add(parent, "div", "bar");
  set(bar, "aria-hidden", "true");
  for (char const* each : {"good", "worse", "bad", "plain"})
    if (parts[each]) set(add_text(bar, "i", "", each), "style", fmt::format("flex-grow: {}", parts[each]));
}

void add_counts(node parent, ordered const& run) {
  node p = add(parent, "p", "counts");
  add_text(p, "b", fmt::format("{} of {} laws held", laws_held(run), laws_in(run)), "good");
  for (std::string const& v : verdicts_of({run})) {
    auto const& laws = run.at("laws");
    auto const of = std::ranges::find_if(laws, [&](ordered const& l) { return string_at(l, "verdict") == v && !is_held(l); });
    add_text(p, "span", fmt::format("{} {}", laws_that(run, v), title_of(v)), severity(*of));
  }
}

void add_legend(node parent, run_list const& runs) {
  node p = add(parent, "p", "legend");
  for (std::string const& v : verdicts_of(runs)) {
    auto const at = meanings.find(v);
    if (at == meanings.end()) continue;
    add_text(p, "b", title_of(v));
    write(p, fmt::format(": {}. ", at->second));
  }
}

void add_results(node parent, run_list const& runs) {
  node table = add_table(parent, "results");
  bool first = true;
  for (auto const& row : results(runs)) {
    node tr = add(table, "tr");
    for (std::size_t k = 0; k < row.size(); ++k)
      add_text(tr, first || k == 0 ? "th" : "td", row[k], k < columns_of_words ? "" : "n");
    first = false;
  }
}

std::string heading_of(run_list const& runs) {
  return runs.size() == 1 ? implementation_of(runs[0]) : fmt::format("{} implementations", runs.size());
}

void add_top(node body, run_list const& runs) {
  node top = add(body, "header");
  add_text(top, "p", "Colex: laws of the CuTe layout algebra", "over");
  node h1 = add_text(top, "h1", heading_of(runs));
  if (runs.size() > 1) {
    add_results(top, runs);
    for (ordered const& run : runs) {
      node one = add_details(top, false);
      add_text(one, "summary", "How " + implementation_of(run) + " was judged");
      add_facts(one, run);
    }
  } else {
    if (!string_at(runs[0], "version").empty()) add_text(h1, "small", " " + string_at(runs[0], "version"));
    add_bar(top, runs[0]);
    add_counts(top, runs[0]);
    add_facts(top, runs[0]);
  }
  add_legend(top, runs);
}

// ---- all laws, by operation ----

// A law in each of the runs; null where a run has not asked it.
struct law_row {
  std::string name;
  law_group laws;
};

std::map<std::string, std::vector<law_row>> all_rows(run_list const& runs) {
  std::map<std::string, std::vector<law_row>> rows;
  for (std::size_t which = 0; which < runs.size(); ++which)
    for (ordered const& law : runs[which].at("laws")) {
      std::vector<law_row>& of_operation = rows[operation_of(string_at(law, "law"))];
      auto at = std::ranges::find(of_operation, string_at(law, "law"), &law_row::name);
      if (at == of_operation.end()) at = of_operation.insert(at, {string_at(law, "law"), law_group(runs.size(), nullptr)});
      at->laws[which] = &law;
    }
  return rows;
}

bool not_offered(std::vector<law_row> const& rows) {
  return std::ranges::all_of(rows, [](law_row const& row) {
    return std::ranges::all_of(row.laws, [](ordered const* l) { return !l || string_at(*l, "verdict") == "unsupported"; });
  });
}
bool differs(law_row const& row) {
  return std::ranges::any_of(row.laws, [&](ordered const* law) {
    return !law || !row.laws[0] || string_at(*law, "verdict") != string_at(*row.laws[0], "verdict");
  });
}

// The outcomes of evaluations that any of the laws has.
std::vector<std::string> counted_in(std::vector<law_row> const& rows) {
  std::vector<std::string> found;
  for (auto const v : verdict_name)
    if (std::ranges::any_of(rows,
                            [&](law_row const& r) { return number_at(r.laws[0]->at("count"), std::string(v).c_str()) > 0; }))
      found.emplace_back(v);
  return found;
}

void add_cell(node tr, std::size_t which, ordered const* law) {
  node td = add(tr, "td");
  if (!law) return write(td, "");
  node at = is_shown(*law) ? add(td, "a") : td;
  if (is_shown(*law)) set(at, "href", "#" + anchor(which, *law));
  add_verdict(at, *law);
  if (string_at(*law, "verdict") == "partly")
    add_text(td, "small", none_answered(law->value("unanswered", std::map<std::string, std::size_t>()), " "));
}

// With one run there is room for what its inputs came to.
void add_rows(node parent, run_list const& runs, std::vector<law_row> const& rows) {
  std::vector<std::string> const outcomes = runs.size() == 1 ? counted_in(rows) : std::vector<std::string>{};
  node table = add_table(parent, "all"), head = add(add(table, "thead"), "tr"), body = add(table, "tbody");
  add_text(head, "th", "law");
  for (ordered const& run : runs) add_text(head, "th", runs.size() == 1 ? "verdict" : implementation_of(run));
  for (std::string const& v : outcomes) add_text(head, "th", title_of(v), "n");
  for (law_row const& row : rows) {
    node tr = add(body, "tr", runs.size() > 1 && differs(row) ? "differs" : "");
    write_name(add(tr, "th"), name_on_page(row.name));
    for (std::size_t k = 0; k < runs.size(); ++k) add_cell(tr, k, row.laws[k]);
    for (std::string const& v : outcomes) {
      std::size_t const n = number_at(row.laws[0]->at("count"), v.c_str());
      add_text(tr, "td", n ? grouped(n) : "", "n");
    }
  }
}

void add_operation(node body, run_list const& runs, std::string const& operation, std::vector<law_row> const& rows) {
  node folded = add_details(body, false), summary = add(folded, "summary");
  write_name(add(summary, "b"), operation);
  if (runs.size() == 1) {
    law_group laws;
    for (law_row const& row : rows) laws.push_back(row.laws[0]);
    add_tally(summary, laws);
  } else if (auto const n = std::ranges::count_if(rows, differs); n > 0) {
    add_text(summary, "span", fmt::format("{} of {} differ", n, rows.size()), "v bad");
  }
  add_rows(folded, runs, rows);
}

void add_all_laws(node body, run_list const& runs) {
  add_text(body, "h2", "All laws, by operation");
  std::string rest;
  for (auto const& [operation, rows] : all_rows(runs))
    if (not_offered(rows))
      rest += (rest.empty() ? "Not offered: " : ", ") + operation;
    else
      add_operation(body, runs, operation, rows);
  if (!rest.empty()) add_text(body, "p", rest + ".");
}

// One request of each operation that was answered `unsupported`, with the reason.
void add_unsupported(node body, run_list const& runs) {
  for (ordered const& run : runs) {
    std::map<std::string, std::string> examples;
    for (ordered const& law : run.at("laws")) examples.merge(law.value("unsupported", std::map<std::string, std::string>()));
    if (examples.empty()) continue;
    node folded = add_details(body, false);
    add_text(
        folded, "summary",
        "Answered unsupported" + (runs.size() == 1 ? "" : " by " + implementation_of(run)) + ": a request of each operation");
    node list = add(folded, "ul");
    for (auto const& [operation, example] : examples) add_text(add(list, "li"), "code", clipped_example(example, most_shown));
  }
}

// ---- what is stated, of the laws shown ----

// Without the fences of Markdown.
void write_section(node at, std::string const& text) {
  std::istringstream in(text);
  std::string all;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with("```")) all += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  std::size_t const first = all.find_first_not_of('\n');
  if (first == all.npos) return;
  std::istringstream lines(all.substr(first, all.find_last_not_of('\n') + 1 - first));
  for (std::string line; std::getline(lines, line); at.append_child("br")) write_prose(at, line);
}

void add_section(node body, std::string const& id, std::string const& title, std::string const& place,
                 std::string const& text) {
  node section = add(body, "section");
  set(section, "id", id);
  node h3 = add(section, "h3");
  write_name(h3, title);
  add_text(h3, "small", " " + place);
  write_section(add(section, "p"), text);
}

void add_stated(node body, run_list const& runs) {
  std::map<std::string, erratum> errata;
  std::set<std::string> names;
  for (ordered const& run : runs)
    for (ordered const& law : run.at("laws")) {
      if (!is_shown(law)) continue;
      std::string const name = string_at(law, "law");
      if (!stated(name).place.empty()) names.insert(name);
      for (erratum const& e : errata_of(name, string_at(law.at("failure"), "line"))) errata.emplace(e.name, e);
    }
  if (names.empty() && errata.empty()) return;
  add_text(body, "h2", "What the document says of these laws");
  for (std::string const& name : names) add_section(body, "law-" + name, name, stated(name).place, stated(name).text);
  for (auto const& [name, e] : errata) add_section(body, name, name + " " + e.title, e.place, e.text);
}

void add_head(node html, run_list const& runs) {
  node head = add(html, "head");
  set(head.append_child("meta"), "charset", "utf-8");
  node viewport = head.append_child("meta");
  set(viewport, "name", "viewport");
  set(viewport, "content", "width=device-width, initial-scale=1");
  add_text(head, "title", "Colex: " + heading_of(runs));
  head.append_child("style").append_child(pugi::node_pcdata).set_value(page_style);
  node icon = head.append_child("link");
  set(icon, "rel", "icon");
  set(icon, "href", "data:,");
}

}  // namespace

std::string page_of(run_list const& runs) {
  pugi::xml_document page;
  page.append_child(pugi::node_doctype).set_value("html");
  node html = page.append_child("html");
  set(html, "lang", "en");
  add_head(html, runs);
  node body = add(html, "body");
  add_top(body, runs);
  add_broken(body, runs);
  add_all_laws(body, runs);
  add_unsupported(body, runs);
  add_stated(body, runs);
  std::ostringstream out;
  page.save(out, "", pugi::format_raw | pugi::format_no_declaration);
  return out.str() + "\n";
}

}  // namespace colex
