// What the tool shows, for Python: explanations, pictures, operations, atoms, laws. SPDX-License-Identifier: Apache-2.0
#include "ref/atoms/atom_fields.hpp"
#include "tests/python/src/parts.hpp"
#include "tests/python/src/values.hpp"
#include "tests/suite/commands/figures.hpp"
#include "tests/suite/commands/names.hpp"
#include "tests/suite/commands/tool.hpp"
#include "tests/suite/explain/solving.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/picture/make_picture.hpp"
#include "tests/suite/picture/render.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

namespace colex::python {
namespace {

// f of a line as it was read; what is malformed is shown with its place.
template <class F>
auto unlocked_in_line(std::string const& line, F f) {
  nb::gil_scoped_release const unlocked;
  return shown_in_line(line, f);
}

nb::object answered(answer const& a) {
  if (!a) throw unanswered(a);
  return object_of(a.result);
}

// The text, the steps (name, why, result), the answer or None, and the refusal.
nb::tuple explained(std::string const& line) {
  explanation const e = unlocked_in_line(line, [](reading const& read) { return explain(read); });
  nb::list steps;
  for (step const& s : e.steps) steps.append(nb::make_tuple(s.name, s.why, object_of(s.result)));
  nb::object const result = e.result ? object_of(e.result.result) : nb::none();
  return nb::make_tuple(text_of(e), nb::tuple(steps), result, e.result ? std::string() : print(e.result));
}

nb::object solved(std::string const& line) {
  equation const e(line);
  try {
    return answered(unlocked_in_line(e.request, [](reading const& read) { return solve(parse_request(read.text)); }));
  } catch (malformed const& wrong) {
    throw e.at_line(wrong);
  }
}

picture drawn_picture(std::string const& line, std::vector<std::string> highlight, std::vector<std::string> only,
                      unsigned banks, bool slices) {
  return unlocked_in_line(line, [&](reading const& read) {
    return make_picture(read.text, {highlight, only, static_cast<int>(banks), slices, read.from.element_bits});
  });
}

void save(picture const& p, nb::handle path) {
  std::string const file = path_of(path);
  paper_format const format = format_of(file);
  nb::gil_scoped_release const unlocked;
  check_writable(file);
  write_file(file, on_paper(p, format, false, 0));
}

void add_pictures(nb::module_& m) {
  nb::class_<picture>(m, "Figure", "A picture: notebooks show it, `save` writes it, `str` is text for terminals.")
      .def("__str__", [](picture const& p) { return text_of(p, false); })
      .def(
          "text", [](picture const& p, bool colours, std::size_t width) { return text_of(p, colours, width); },
          nb::arg("colours") = false, nb::arg("width") = 0)
      .def_prop_ro("svg", [](picture const& p) { return svg_of(p); })
      .def_prop_ro("latex", [](picture const& p) { return latex_of(p); })
      .def("_repr_svg_", [](picture const& p) { return svg_of(p); })
      .def("save", &save, nb::arg("file"), "Writes the file, whose ending says what: .svg, .png, .pdf, .tex or .txt.");
  m.def("_draw", &drawn_picture);
}

int run_tool(std::vector<std::string> const& words) {
  std::vector<char const*> arguments;
  for (std::string const& word : words) arguments.push_back(word.c_str());
  arguments.push_back(nullptr);
  nb::gil_scoped_release const unlocked;
  return tool(static_cast<int>(words.size()), arguments.data());
}

}  // namespace

void add_texts(nb::module_& m) {
  add_pictures(m);
  m.def("_explain", &explained);
  m.def("_solve", &solved);
  m.def("_tool", &run_tool);
  m.def("_operations", [](std::string const& pattern) { return nlohmann::ordered_json(operations_like(pattern)).dump(); });
  m.def("_atoms", [](std::string const& pattern) { return atoms_like(pattern); });
  m.def("_laws", [](std::string const& pattern) { return laws_json(laws_called(pattern)); });
  m.def("_kind_of_atom", [](std::string const& name) { return kind_of_atom(name); });
  m.attr("_fields") = nb::make_tuple(ref::mma_fields, ref::copy_fields);
}

}  // namespace colex::python
