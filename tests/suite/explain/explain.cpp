// An explanation and its text: see explain.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/explain/explain.hpp"

#include "ref/answer.hpp"
#include "tests/suite/explain/aligned.hpp"
#include "tests/suite/explain/refusal.hpp"
#include "tests/suite/explain/trail.hpp"
#include "tests/suite/judge/texts.hpp"

namespace colex {
namespace {

// Steps as far as they are defined.
std::vector<step> steps_of(request const& asked) {
  std::size_t const place = place_of(asked.op);
  auto const in = operations[place].in;
  stepping const steps = (in <= group::algebra ? steps_on_layouts : in == group::f2 ? steps_on_maps : steps_on_tilings)(place);
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

// What a layout, view or composed layout has at i; a word where an offset and a step do not add up, and where a swizzle takes
// a negative number.
value value_in(value const& v, integer const& i) {
  ref::composed const a = ref::tensor_of(v);
  try {
    return ref::as_value_of(a(i), a);
  } catch (ref::undefined const&) {
    return word_of("undefined");
  } catch (ref::unspecified const&) {
    return word_of("unspecified");
  }
}
// Each element of a view of a tensor: its coordinate in the view, its offset, and where it lies in the tensor.
std::string elements_of(explanation const& e, value const& coordinates, std::size_t most) {
  value const& tensor = e.asked.args[*tensor_argument(e.asked)];
  value const s = layout_in(tensor).shape(), inner = layout_in(e.result.result).shape();
  bool const matrix = s.is(kind::tuple) && s.items.size() == 2;
  rows all{matrix ? std::vector<std::string>{"i", "coordinate", "offset", "row", "column"}
                  : std::vector<std::string>{"i", "coordinate", "offset", "lies at"}};
  for (integer i = 0; i < std::min<integer>(size(inner), most); ++i) {
    value const at = value_in(coordinates, i);
    all.push_back({i.str(), print(ref::idx2crd(value(i), inner)), print(value_in(e.result.result, i))});
    if (matrix)
      for (value const& x : at.items) all.back().push_back(print(x));
    else
      all.back().push_back(print(at));
  }
  return aligned(all);
}
// What a table says at i.
struct column {
  char const* name;
  std::function<value(integer const&)> at;
};
// The function itself; of a composition also through which index of A, of what is solved for also what it was wanted for.
std::vector<column> columns_of(request const& r, value const& result) {
  auto const of = [](value const& v) { return [&v](integer const& i) { return value_in(v, i); }; };
  auto const behind = [](value const& outer, value const& inner) {
    return [&](integer const& i) { return value_in(outer, value_at(inner, i).number); };
  };
  bool const layouts = result.is(kind::layout) && r.args.size() > 1 && r.args[1].is(kind::layout);
  if (r.op == "composition" && layouts) return {{"B(i)", of(r.args[1])}, {"A(B(i))", of(result)}};
  if (r.op == "solve_composition_left") return {{"A(i)", of(r.args[0])}, {"X(A(i))", behind(result, r.args[0])}};
  if (r.op.starts_with("solve_")) return {{"X(i)", of(result)}, {"A(X(i))", behind(r.args[0], result)}};
  return {{"value", of(result)}};
}
// The layout whose indices a table goes through.
value const& domain_of(explanation const& e) {
  return e.asked.op == "solve_composition_left" ? e.asked.args[0] : e.result.result;
}
std::string pointwise(explanation const& e, std::size_t most) {
  layout const domain = ref::from_value(layout_in(domain_of(e)));
  std::vector<column> const columns = columns_of(e.asked, e.result.result);
  rows all{{"i", "coordinate"}};
  for (column const& c : columns) all[0].push_back(c.name);
  for (integer i = 0; i < std::min<integer>(size(domain), most); ++i) {
    all.push_back({i.str(), print(ref::idx2crd(value(i), shape(domain)))});
    for (column const& c : columns) all.back().push_back(print(c.at(i)));
  }
  return aligned(all);
}

std::string indented(std::string const& text, std::string const& by) {
  std::string out = by;
  for (char const c : text) out += c == '\n' ? "\n" + by : std::string(1, c);
  return out + "\n";
}

}  // namespace

std::string elements_in(explanation const& e, std::optional<std::size_t> at_most) {
  if (!e.result || !is_any_layout(e.result.result)) return "";
  integer const n = size(domain_of(e));
  auto const coordinates = coordinates_of(e.asked);
  std::size_t const most = at_most.value_or(coordinates ? most_elements : most_pointwise);
  std::string const shown = n > most ? fmt::format(", the first {} of them", most) : "";
  return fmt::format("\n{} element{}{}:\n{}", n.str(), n == 1 ? "" : "s", shown,
                     coordinates ? elements_of(e, *coordinates, most) : pointwise(e, most));
}

explanation explain(request const& asked) {
  explanation e{asked, ref::respond(asked), steps_of(asked), {}, {}};
  if (e.result.what == status::undefined) e.refusal = why_undefined(asked);
  bool const told = e.result && !e.steps.empty() && e.steps.back().result == plain(e.result.result);
  if (auto const through = told ? std::vector<step>{} : steps_through_f2(asked); !through.empty()) e.steps = through;
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
  return out + (e.result ? "\n= " : "\n") + show(e.result) + "\n" + elements_in(e) +
         (e.refusal.empty() ? "" : "\n" + e.refusal);
}

}  // namespace colex
