// The broken laws on a page: what was found, in words and pictures. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/grids.hpp"
#include "tests/suite/report/known.hpp"
#include "tests/suite/report/page_parts.hpp"
#include "tests/suite/report/report.hpp"

namespace colex::html {

namespace {

void add_grid(node parent, std::string const& title, std::string const& text, std::optional<grid> const& g,
              std::optional<grid> const& other = {}) {
  if (!g) return;
  node figure = add(parent, "figure"), caption = add_text(figure, "figcaption", title + " "),
       table = add(figure, "table", "grid");
  if (!text.empty()) add_text(caption, "code", text);
  for (std::size_t r = 0; r < g->rows; ++r) {
    node tr = add(table, "tr");
    for (std::size_t i = r; i < g->cells.size(); i += g->rows) {
      bool const differs = other && (i >= other->cells.size() || other->cells[i] != g->cells[i]);
      add_text(differs ? add(tr, "td") : tr, differs ? "mark" : "td", g->cells[i]);
    }
  }
}

void add_pictures(node parent, ordered const& failure) {
  node all = add(parent, "div", "pictures");
  set(all, "tabindex", "0");
  ordered const arguments = failure.value("where", ordered::object());
  for (auto const& [name, v] : arguments.items())
    add_grid(all, name + " =", v.get<std::string>(), grid_of(v.get<std::string>()));
  std::string const got = string_at(failure, "got"), expected = string_at(failure, "expected");
  auto const right = grid_of(expected), must = right ? right : grid_of_composition(string_at(failure, "culprit"));
  add_grid(all, "answered", got, grid_of(got), must);
  if (right)
    add_grid(all, "right", expected, right, grid_of(got));
  else
    add_grid(all, "A(B(c)), which no layout is", {}, must, grid_of(got));
  if (!all.first_child()) parent.remove_child(all);
}

void add_links(node list, ordered const& law) {
  std::string const name = string_at(law, "law");
  if (!string_at(law, "stated").empty()) {
    add_text(list, "dt", "stated");
    node dd = add(list, "dd");
    if (stated(name).place.empty())
      write(dd, string_at(law, "stated"));
    else
      add_link(dd, "law-" + name, stated(name).place);
  }
  for (erratum const& e : errata_of(name, string_at(law.at("failure"), "line"))) {
    add_text(list, "dt", "ruled");
    add_link(add(list, "dd"), e.name, e.name + " " + e.title);
  }
}

void add_finding(node list, ordered const& law) {
  ordered const& f = law.at("failure");
  std::string const asked = string_at(f, "culprit"), left = string_at(f, "left"), right = string_at(f, "right");
  auto const add_code = [&](char const* name, std::string const& text) {
    add_fact(list, name, text.empty() ? text : clipped(text, most_shown), "code");
  };
  add_fact(list, "law", string_at(law, "statement"));
  add_code("where", where(f));
  add_code(asked.empty() ? "left" : "answered", asked.empty() ? left : asked + " = " + string_at(f, "got"));
  add_code("right", asked.empty() ? right : asked + " = " + string_at(f, "expected"));
  if (!asked.empty() && left != string_at(f, "got")) add_code("so that", left + ", not " + right);
}

void add_also_broken(node parent, ordered const& run, ordered const& law) {
  law_group others;
  for (ordered const& other : run.at("laws"))
    if (string_at(other, "under") == string_at(law, "law")) others.push_back(&other);
  if (others.empty()) return;
  node folded = add_details(parent, false);
  add_text(folded, "summary", fmt::format("also broken: {}", others.size()));
  node list = add(folded, "ul");
  for (ordered const* other : others) {
    node li = add(list, "li");
    write_name(li, name_on_page(string_at(*other, "law")));
    write(li, " ");
    add_verdict(li, *other);
    if (other->contains("failure")) add_text(li, "code", " " + clipped(where(other->at("failure")), 200));
  }
}

void add_broken_law(node parent, ordered const& run, std::size_t which, ordered const& law) {
  ordered const& f = law.at("failure");
  node article = add(parent, "article");
  set(article, "id", anchor(which, law));
  node h3 = add(article, "h3");
  write_name(h3, name_on_page(string_at(law, "law")));
  write(h3, " ");
  add_verdict(h3, law);
  node list = add(article, "dl");
  add_finding(list, law);
  add_links(list, law);
  bool const is_other = !is_cases(string_at(law, "law")) && !implementation_of(run).starts_with("CuTe-C++");
  add_fact(list, "CuTe", is_other ? cute_on(string_at(law, "law")) : "");
  add_fact(list, "before", string_at(law, "before"));
  add_fact(list, "found",
           fmt::format("by input {} of {}, after {}", number_at(f, "input"), number_at(law, "evaluations"),
                       counted(number_at(f, "shrinks"), "shrink")));
  add_pictures(article, f);
  if (!string_at(f, "again").empty()) add_text(article, "pre", string_at(f, "again"));
  add_also_broken(article, run, law);
}

template <class F>
std::map<std::string, law_group> by_operation(ordered const& run, F chosen) {
  std::map<std::string, law_group> all;
  for (ordered const& law : run.at("laws"))
    if (chosen(law)) all[operation_of(string_at(law, "law"))].push_back(&law);
  return all;
}

}  // namespace

void add_broken(node body, run_list const& runs) {
  for (std::size_t which = 0; which < runs.size(); ++which) {
    auto const operations = by_operation(runs[which], is_shown);
    if (operations.empty()) continue;
    add_text(body, "h2", runs.size() == 1 ? "Broken laws" : "Broken by " + implementation_of(runs[which]));
    for (auto const& [operation, laws] : operations) {
      node folded = add_details(body, true);
      node summary = add(folded, "summary");
      write_name(add(summary, "b"), operation);
      add_tally(summary, laws);
      for (ordered const* law : laws) add_broken_law(folded, runs[which], which, *law);
    }
  }
}

}  // namespace colex::html
