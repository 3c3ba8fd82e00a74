// See look.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/web/src/look.hpp"

#include "ref/algebra/solve.hpp"
#include "ref/answer.hpp"
#include "ref/atoms/atom_fields.hpp"
#include "spec/forms.hpp"
#include "spec/operations.hpp"
#include "tests/suite/commands/commands.hpp"
#include "tests/suite/commands/figures.hpp"
#include "tests/suite/commands/names.hpp"
#include "tests/suite/explain/cute_model.hpp"
#include "tests/suite/explain/explain.hpp"
#include "tests/suite/explain/solving.hpp"
#include "tests/suite/picture/make_picture.hpp"
#include "tests/suite/picture/paper.hpp"

#include <nlohmann/json.hpp>

namespace colex::web {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_elements = 512;     // of a table
constexpr std::size_t most_values = 4096;      // of a step
constexpr std::size_t most_cells = 128 * 128;  // of a picture: a page that holds more stands still

// ---- values ----

json trees_of(std::vector<value> const& all);
// A value as its parts, for whoever writes it in another language.
json tree_of(value const& v) {
  switch (v.what) {
    case kind::number: return v.basis.empty() ? json(v.number.str()) : json{{"number", v.number.str()}, {"basis", v.basis}};
    case kind::tuple: return trees_of(v.items);
    case kind::layout: return {{"shape", tree_of(v.shape())}, {"stride", tree_of(v.stride())}};
    case kind::tiler: return {{"tiler", trees_of(v.items)}};
    case kind::swizzle: return {{"swizzle", trees_of(v.items)}};
    case kind::composed: return {{"composed", trees_of(v.items)}};
    case kind::f2: return {{"f2", trees_of(v.items)}};
    case kind::word: break;
  }
  return {{"word", v.word}};
}
json trees_of(std::vector<value> const& all) {
  json out = json::array();
  for (value const& v : all) out.push_back(tree_of(v));
  return out;
}

// The values of a layout in order of their indices; nothing of what is large.
json values_of(value const& v) {
  json out = json::array();
  if (!is_any_layout(v) || size(layout_in(v).shape()) > most_values) return out;
  for (integer i = 0; i < size(layout_in(v).shape()); ++i) out.push_back(print(value_at(v, i)));
  return out;
}

// ---- what CuTe answers ----

// The model's answers, and whether each is the function that the right one is; none where that is not known.
json of_cute(request const& r, answer const& right) {
  json out = json::array();
  if (!right && !right.is_undefined()) return out;
  for (auto const& [integers, result] : cute_answers(r)) {
    bool const is_right = result ? right && same_function(*result, ref::from_value(right.result)) : right.is_undefined();
    out.push_back({{"integers", integers},
                   {"refused", !result},
                   {"right", is_right},
                   {"answer", result ? print(to_value(*result)) : ""}});
  }
  return out;
}

// ---- requests ----

json of_steps(std::vector<step> const& steps) {
  json out = json::array();
  for (step const& s : steps)
    out.push_back({{"name", s.name}, {"why", s.why}, {"result", show(s.result)}, {"values", values_of(s.result)}});
  return out;
}
void add_answer(json& to, answer const& a) {
  to["status"] = shown_status(a);
  if (!a) return void(to["reason"] = shown_reason(a));
  to["result"] = print(a.result);
  to["shown"] = show(a.result);
}
void add_request(json& to, request const& r) {
  to["operation"] = r.op;
  to["arguments"] = json::array();
  for (value const& v : r.args) to["arguments"].push_back({{"text", print(v)}, {"tree", tree_of(v)}});
}
json of_request(request const& r) {
  json out;
  add_request(out, r);
  explanation const e = explain(r);
  add_answer(out, e.result);
  out["steps"] = of_steps(e.steps);
  out["definition"] = e.definition;
  out["refusal"] = e.refusal;
  out["elements"] = elements_in(e, most_elements);
  out["cute"] = of_cute(r, e.result);
  return out;
}

// What is drawn and asks nothing: a layout with its elements, an atom with its fields.
json of_drawn(value const& v) {
  json out{{"status", "drawn"}};
  add_request(out, {"", {v}});
  if (is_any_layout(v)) out["elements"] = elements_in({{"", {v}}, {status::answered, v, ""}, {}, {}, {}}, most_elements);
  if (!v.is(kind::word)) return out;
  std::string const kind = kind_of_atom(v.word);
  if (kind.empty()) throw malformed(0, "no layout, no atom and no request" + meant_in(v.word, ""));
  for (std::string const& field : ref::split(kind == "mma_atom" ? ref::mma_fields : ref::copy_fields, ' '))
    if (answer const a = ref::respond({kind, {v, word_of(field)}}))
      out["fields"].push_back({{"request", kind + " " + v.word + " " + field}, {"result", show(a.result)}});
  return out;
}
std::optional<value> value_alone(std::string const& text) {
  try {
    return parse(text);
  } catch (malformed const&) {
    return std::nullopt;
  }
}
json of_form(request const& r) {
  json out{{"status", "drawn"}};
  add_request(out, r);
  return out;
}

// What the line is, which is in the grammar.
json of_text(reading const& read) {
  std::string const& text = read.text;
  auto const alone = value_alone(text);
  if (alone && !(alone->is(kind::word) && (is_operation(text) || is_form(text)))) return of_drawn(*alone);
  std::string const name = text.substr(0, text.find(' '));
  try {
    return of_request(parse_request(text));
  } catch (malformed const&) {
    if (!is_form(name)) throw;
  }
  return of_form(parse_request(text));  // without the thread, or the coordinate: all of them
}

json complained(malformed const& e) { return {{"status", "malformed"}, {"reason", e.what()}, {"column", e.column}}; }

// f of the line in the grammar, or what is wrong with it.
template <class F>
json with_text(std::string const& line, F f) {
  json out;
  try {
    in_line(line, [&](reading const& read) {
      out = f(read);
      out["read"] = read.text;
    });
  } catch (malformed const& e) {
    out = complained(e);
  } catch (unanswered const& e) {
    out = {};
    add_answer(out, e.what);
  }
  return out;
}
json of_equation(std::string const& line) try {
  equation const e(line);
  json out = with_text(e.request, of_text);
  if (out["status"] == "malformed") out["column"] = e.at_line(malformed(out["column"].get<std::size_t>(), "")).column;
  return out;
} catch (malformed const& e) {
  return complained(e);
}

// The options of `draw` begin here.
std::size_t end_of_question(std::string const& line) { return std::min(line.find(" --"), line.size()); }

// ---- pictures ----

// A number for each owner, in the order of their first cells.
class numbering {
 public:
  json names = json::array();

  std::size_t of(std::string const& name) {
    auto const [at, is_new] = places_.try_emplace(name, names.size());
    if (is_new) names.push_back(name);
    return at->second;
  }

 private:
  std::map<std::string, std::size_t> places_;
};
json of_panel(paper const& on, place const& at, numbering& owners) {
  panel const& p = *at.what;
  json labels = json::array(), held = json::array();
  for (cell const& c : p.cells) {
    labels.push_back(c.label);
    held.push_back(owners.of(c.owner));
  }
  return {{"title", p.title},
          {"x", at.x},
          {"y", at.y},
          {"width", on.cell_width},
          {"height", on.cell_height},
          {"rows", p.rows},
          {"columns", p.columns},
          {"row_names", p.row_names},
          {"column_names", p.column_names},
          {"first", p.first},
          {"transposed", p.transposed},
          {"labels", std::move(labels)},
          {"held", std::move(held)}};
}
json of_picture(picture const& p) {
  paper const on(p);
  numbering owners;
  json panels = json::array();
  for (place const& at : on.places) panels.push_back(of_panel(on, at, owners));
  return {{"status", "drawn"}, {"title", p.title}, {"svg", svg_of(p)}, {"panels", panels}, {"owners", owners.names}};
}
json without_picture(char const* status, std::string const& why) { return {{"status", status}, {"reason", why}}; }
// What a page can hold.
picture of_page(picture p) {
  std::size_t cells = 0;
  for (panel const& x : p.panels) cells += x.cells.size();
  if (cells > most_cells) throw not_drawn(fmt::format("{} cells are too many for a page; the tool's `draw` takes more", cells));
  return p;
}
json drawn(std::string const& text, picture_options const& asked) try {
  return of_picture(of_page(make_picture(text, asked)));
} catch (not_drawn const& e) {
  return without_picture("not drawn", e.what());
} catch (ref::undefined const& e) {
  return without_picture("undefined", e.what());
} catch (ref::unspecified const& e) {
  return without_picture("unspecified", e.what());
}

}  // namespace

json look_at(std::string const& line) {
  std::string const question = line.substr(0, end_of_question(line));
  return question.find('?') == question.npos ? with_text(question, of_text) : of_equation(question);
}

json drawing_of(std::string const& line) {
  std::size_t const end = end_of_question(line);
  try {
    picture_options asked = drawing_in("_" + line.substr(end)).asked;
    return with_text(line.substr(0, end), [&](reading const& read) {
      asked.element_bits = read.from.element_bits;
      return drawn(read.text, asked);
    });
  } catch (CLI::ParseError const& e) {
    return complained(malformed(end + 1, e.what()));
  }
}

}  // namespace colex::web
