// An explanation and its text: see explain.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/explain/explain.hpp"

#include "ref/answer.hpp"
#include "tests/suite/explain/trail.hpp"
#include "tests/suite/judge/texts.hpp"

#include <fmt/format.h>

namespace colex {
namespace {

// Steps as far as they are defined.
std::vector<step> steps_of(request const& asked) {
  std::size_t const place = place_of(asked.op);
  stepping const steps = operations[place].in <= group::algebra ? steps_on_layouts(place) : steps_on_tilings(place);
  trail t;
  arguments args;
  for (value const& v : asked.args) args.push_back(plain(v));
  try {
    steps(t, args);
  } catch (ref::undefined const&) {
  } catch (ref::unspecified const&) {
  }
  return t.steps;
}

// What laws.md says an operation is: the first paragraph behind its signature.
std::string definition_of(std::string const& op) {
  std::istringstream in = text_at("spec/laws.md");
  std::string line, out;
  while (std::getline(in, line) && line != "## " + op) {
  }
  while (std::getline(in, line) && !line.starts_with("#")) {
    if (line.empty() && !out.empty()) break;
    if (!line.empty() && !line.starts_with("    ")) out += (out.empty() ? "" : "\n") + line;
    for (std::size_t at; (at = out.find("**")) != std::string::npos;) out.erase(at, 2);
  }
  return out;
}

constexpr std::size_t most_pointwise = 16, most_elements = 256;

bool holds_elements(value const& v) { return v.is(kind::layout) || v.is(kind::composed); }

// Which argument is the tensor that an answer is a view of; none for other operations.
std::optional<std::size_t> tensor_argument(request const& r) {
  static char const* const first[] = {"local_tile", "inner_partition", "outer_partition", "local_partition"};
  if (std::find(std::begin(first), std::end(first), r.op) != std::end(first)) return 0;
  bool const share = r.op.find("partition_") != std::string::npos && r.op.find("fragment") == std::string::npos;
  return share && !r.op.ends_with("_identity") ? std::optional(r.args.size() - 2) : std::nullopt;
}
// The same question of the tensor's coordinates: where each element lies.
std::optional<value> coordinates_of(request r) {
  auto const k = tensor_argument(r);
  if (!k) return std::nullopt;
  value const shape = r.args[*k].is(kind::composed) ? r.args[*k].items.back().shape() : r.args[*k].shape();
  r.args[*k] = to_value(ref::make_identity_layout(shape));
  answer const a = ref::respond(r);
  return a ? std::optional(a.result) : std::nullopt;
}

using rows = std::vector<std::vector<std::string>>;
std::string aligned(rows const& all) {
  std::vector<std::size_t> width(all[0].size());
  for (auto const& row : all)
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  std::string out;
  for (auto const& row : all) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) line += fmt::format("  {:>{}}", row[k], width[k]);
    out += line + "\n";
  }
  return out;
}

// Value i of an answer; a coordinate has the profile of the offset or, without one, of what the layout reaches.
value value_in(value const& v, integer const& i) {
  layout const inner = ref::from_value(layout_in(v));
  if (!has_basis(inner)) return value(value_at(v, i).number);
  bool const moved = v.is(kind::composed) && v.items[v.items.size() - 2].is(kind::tuple);
  return ref::as_coordinate(value_at(v, i), moved ? v.items[v.items.size() - 2] : coshape(inner));
}
// Each element of a view of a tensor: its coordinate in the view, its offset, and where it lies in the tensor.
std::string elements_of(explanation const& e, value const& coordinates) {
  value const& tensor = e.asked.args[*tensor_argument(e.asked)];
  value const s = layout_in(tensor).shape(), inner = layout_in(e.result.result).shape();
  bool const matrix = s.is(kind::tuple) && s.items.size() == 2;
  rows all{matrix ? std::vector<std::string>{"i", "coordinate", "offset", "row", "column"}
                  : std::vector<std::string>{"i", "coordinate", "offset", "lies at"}};
  for (integer i = 0; i < std::min<integer>(size(inner), most_elements); ++i) {
    value const at = value_in(coordinates, i);
    all.push_back({i.str(), print(ref::idx2crd(value(i), inner)), print(value_in(e.result.result, i))});
    if (matrix)
      for (value const& x : at.items) all.back().push_back(print(x));
    else
      all.back().push_back(print(at));
  }
  return aligned(all);
}
// The function itself, index by index; of a composition also through which index of A.
std::string pointwise(explanation const& e) {
  value const& r = e.result.result;
  layout const inner = ref::from_value(layout_in(r));
  bool const through = e.asked.op == "composition" && e.asked.args[1].is(kind::layout) && r.is(kind::layout);
  rows all{{"i", "coordinate"}};
  if (through) all[0].push_back("B(i)");
  all[0].push_back(through ? "A(B(i))" : "value");
  for (integer i = 0; i < std::min<integer>(size(inner), most_pointwise); ++i) {
    all.push_back({i.str(), print(ref::idx2crd(value(i), shape(inner)))});
    if (through) all.back().push_back(print(value_at(e.asked.args[1], i)));
    all.back().push_back(print(value_in(r, i)));
  }
  return aligned(all);
}
std::string contents(explanation const& e) {
  if (!e.result || !holds_elements(e.result.result)) return "";
  integer const n = size(e.result.result);
  auto const coordinates = coordinates_of(e.asked);
  std::size_t const most = coordinates ? most_elements : most_pointwise;
  std::string const shown = n > most ? fmt::format(", the first {} of them", most) : "";
  return fmt::format("\n{} element{}{}:\n{}", n.str(), n == 1 ? "" : "s", shown,
                     coordinates ? elements_of(e, *coordinates) : pointwise(e));
}

std::string indented(std::string const& text, std::string const& by) {
  std::string out = by;
  for (char const c : text) out += c == '\n' ? "\n" + by : std::string(1, c);
  return out + "\n";
}

}  // namespace

explanation explain(request const& asked) {
  explanation e{asked, ref::respond(asked), steps_of(asked), {}};
  if (e.steps.empty()) e.definition = definition_of(asked.op);
  if (e.result && !e.steps.empty() && e.steps.back().result != plain(e.result.result)) {  // not run: a mistake in steps_of
    throw std::logic_error("the steps of " + print(asked) + " end in " + print(e.steps.back().result) + ", not in " +
                           print(e.result.result));
  }
  return e;
}

std::string text_of(explanation const& e) {
  std::string out = print(e.asked) + "\n\n";
  for (std::size_t k = 0; k < e.steps.size(); ++k)
    out += fmt::format("{:>3}  {}\n{}{}", k + 1, e.steps[k].name, indented(show(e.steps[k].result), "       "),
                       indented(e.steps[k].why, "     "));
  if (!e.definition.empty()) out += indented(e.definition, "  ");
  return out + (e.result ? "\n= " + show(e.result.result) : "\n" + print(e.result)) + "\n" + contents(e);
}

}  // namespace colex
