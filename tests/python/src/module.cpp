// The extension: layouts as Python's objects, the operations of the table as functions and methods, errors as exceptions.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/wire/answer.hpp"
#include "ref/answer.hpp"
#include "spec/forms.hpp"
#include "spec/notation/rewritten.hpp"
#include "tests/python/src/parts.hpp"
#include "tests/python/src/values.hpp"
#include "tests/suite/commands/names.hpp"
#include "tests/suite/judge/only.hpp"
#include "tests/suite/judge/open_question.hpp"
#include "tests/suite/judge/texts.hpp"
#include "tests/suite/peer/process.hpp"
#include "tests/suite/picture/picture.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <map>
#include <optional>

namespace colex::python {
namespace {

// ---- errors ----

nb::object error_class(char const* name) { return nb::module_::import_("colex_layouts.errors").attr(name); }
void set_error(char const* name, std::string const& what) { PyErr_SetString(error_class(name).ptr(), what.c_str()); }

char const* error_of(status s) {
  static constexpr char const* names[] = {"", "Undefined", "Unspecified", "NotOffered", "Undecided"};
  return names[static_cast<int>(s)];
}
void set_error(answer const& a) { set_error(error_of(a.what), a.reason); }

void translate(std::exception_ptr const& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (malformed const& e) {
    set_error("Malformed", e.what());
  } catch (unanswered const& e) {
    set_error(e.what);
  } catch (ref::undecided const& e) {
    set_error("Undecided", e.what());
  } catch (ref::undefined const& e) {
    set_error("Undefined", e.what());
  } catch (ref::unspecified const& e) {
    set_error("Unspecified", e.what());
  } catch (not_drawn const& e) {
    set_error("NotDrawn", e.what());
  } catch (usage_error const& e) {
    set_error("Malformed", e.what());
  } catch (no_program const& e) {
    set_error("NoProgram", e.what());
  } catch (bad_file const& e) {
    PyErr_SetString(PyExc_OSError, e.what());
  }
}

// ---- operations ----

// What the algebra of 64 bits finds, if anything: where there is one answer, it is the reference's.
std::optional<answer> answer_at_once(request const& r) {
  if (!has_one_answer(r.op)) return std::nullopt;
  try {
    if (answer a = gpu::respond(r)) return a;
  } catch (malformed const&) {  // which the reference says, too
  }
  return std::nullopt;
}
// Behind a complaint about two arguments that would do the other way round.
std::string other_order(request const& r) {
  if (!is_operation(r.op) || r.args.size() != 2) return {};
  for (signature const& way : operations[place_of(r.op)].signatures())
    if (way.size == 2 && is_one_of(way.all[0].kinds, r.args[1]) && is_one_of(way.all[1].kinds, r.args[0]))
      return "; they come in the other order: " + r.op + "(" + std::string(way.all[0].name) + ", " +
             std::string(way.all[1].name) + ")";
  return {};
}
answer respond_unlocked(request const& r) {
  nb::gil_scoped_release const unlocked;
  try {
    return ref::respond(r);
  } catch (malformed const& e) {
    throw malformed(e.column, e.what() + meant_in(print(r), e.what()) + other_order(r));
  }
}
nb::object asked(operation const& o, std::vector<value> arguments) {
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (any_parameter(o, k, takes_tiler)) make_tilers(arguments[k]);
  request const r{std::string(o.name), std::move(arguments)};
  std::optional<answer> a = answer_at_once(r);
  if (!a) a = respond_unlocked(r);
  if (!*a) throw unanswered(*a);
  return object_of(a->result);
}
std::vector<value> values_of(nb::args const& objects, std::vector<value> values = {}) {
  for (nb::handle const x : objects) values.push_back(value_of(x));
  return values;
}
nb::object asked(char const* name, std::vector<value> arguments) {
  return asked(operations[place_of(name)], std::move(arguments));
}

// The first case with an answer, of each operation that has one.
std::map<std::string_view, std::string_view> first_cases() {
  std::map<std::string_view, std::string_view> out;
  for (text const& t : texts())
    for (std::string_view rest = t.place.starts_with("spec/cases/") ? t.content : ""; !rest.empty();) {
      std::string_view const line = take_until(rest, "\n"), operation = line.substr(0, line.find(' '));
      if (line.find(" = un") == line.npos && line.find(" = ") != line.npos)
        out.try_emplace(operation, line.substr(0, line.find(" #")));
    }
  return out;
}

std::string doc_of(operation const& o, std::map<std::string_view, std::string_view> const& examples) {
  std::string doc = "Takes " + usage_of(o) + ".";
  auto const at = examples.find(o.name);
  if (at == examples.end()) return doc;
  std::string_view rest = at->second;
  std::string_view asked = take_until(rest, " = ");
  take_until(asked, " ");
  std::string call;
  while (!asked.empty()) call += (call.empty() ? "\"" : ", \"") + std::string(take_until(asked, " ")) + "\"";
  std::string const shown = nb::cast<std::string>(nb::repr(object_of(parse(rest.substr(0, rest.find_last_not_of(' ') + 1)))));
  return doc + "\n\n>>> " + std::string(o.name) + "(" + call + ")\n" + shown;
}

bool acts_on_layouts(operation const& o) { return o.way[0].size > 0 && (o.way[0].all[0].kinds & kinds_named("layout|tensor")); }

// What Python adds something to is hidden behind that.
bool is_refined(std::string_view name) { return name == "mma_atom" || name == "copy_atom" || name == "bank_conflicts"; }

void add_operations(nb::module_& m, nb::class_<Layout>& layouts) {
  auto const examples = first_cases();
  for (operation const& each : operations) {
    operation const* const o = &each;
    std::string const name(o->name), doc = doc_of(*o, examples), public_name = (is_refined(name) ? "_" : "") + name;
    m.def(
        public_name.c_str(), [o](nb::args a) { return asked(*o, values_of(a)); },
        nb::sig(("def " + public_name + "(*arguments)").c_str()), doc.c_str());
    if (acts_on_layouts(*o))
      layouts.def(
          name.c_str(), [o](Layout const& self, nb::args a) { return asked(*o, values_of(a, {self.is})); },
          nb::sig(("def " + name + "(self, *arguments)").c_str()), doc.c_str());
  }
}

// ---- layouts, swizzles, basis strides ----

value need_kind(value v, kind k, char const* what) {
  if (!v.is(k)) throw malformed(0, print(v) + " is not " + what);
  return v;
}

value compact_layout(value shape, bool right) {
  if (!is_one_of(kinds_named("integers"), shape)) throw malformed(0, refusal_of(shape, "a layout, and not a shape"));
  answer a = ref::respond({right ? "make_layout_right" : "make_layout_left", {std::move(shape)}});
  if (!a) throw unanswered(a);
  return std::move(a.result);
}
value layout_from(nb::handle shape, nb::handle stride) {
  value s = value_of(shape);
  if (stride.is_none() && is_any_layout(s)) return s;
  if (stride.is_none()) return compact_layout(std::move(s), false);
  value d = value_of(stride);
  if (d.is("LayoutLeft") || d.is("LayoutRight")) return compact_layout(std::move(s), d.is("LayoutRight"));
  return checked_layout(std::move(s), std::move(d));
}
void make_layout(Layout* self, nb::handle shape, nb::handle stride, nb::handle swizzle, nb::handle offset) {
  value inner = layout_from(shape, stride);
  if (swizzle.is_none() && offset.is_none()) return void(new (self) Layout{std::move(inner)});
  inner = need_kind(std::move(inner), kind::layout, "a layout to put behind an offset");
  value from = offset.is_none() ? value(0) : value_of(offset);
  if (swizzle.is_none()) return void(new (self) Layout{{kind::composed, {std::move(from), std::move(inner)}}});
  value outer = need_kind(value_of(swizzle), kind::swizzle, "a swizzle");
  new (self) Layout{{kind::composed, {std::move(outer), std::move(from), std::move(inner)}}};
}

value const& inner_of(Layout const& a) { return a.is.is(kind::composed) ? a.is.items.back() : a.is; }
nb::object swizzle_of(Layout const& a) { return a.is.items.size() == 3 ? object_of(a.is.items[0]) : nb::none(); }
nb::object offset_of(Layout const& a) {
  return a.is.is(kind::composed) ? object_of(a.is.items[a.is.items.size() - 2]) : nb::none();
}
nb::tuple parts_of(Layout const& a) {
  return nb::make_tuple(object_of(inner_of(a).shape()), object_of(inner_of(a).stride()), swizzle_of(a), offset_of(a));
}

bool leaves_open(value const& coordinate) {
  return coordinate.is("_") || (coordinate.is(kind::tuple) && std::ranges::any_of(coordinate.items, leaves_open));
}
// A(i), without a detour where that is a sum of products; A(i, _), which is a slice.
nb::object called(Layout& a, nb::args coordinate) {
  bool const alone = coordinate.size() == 1;
  if (alone && a.is.is(kind::layout) && PyLong_CheckExact(nb::handle(coordinate[0]).ptr())) {
    if (!a.function) a.function = std::make_shared<ref::layout const>(ref::from_value(a.is));
    integer const i = integer_of(coordinate[0]);
    if (i >= 0)
      if (point const p = (*a.function)(i); p.is_integer() && !ref::has_basis(*a.function)) return object_of(p.number);
  }
  value c = value_of(alone ? nb::handle(coordinate[0]) : nb::handle(coordinate));
  return leaves_open(c) ? asked("slice", {std::move(c), a.is}) : asked("apply", {a.is, std::move(c)});
}

std::size_t rank_of(Layout const& a) { return rank(inner_of(a)); }
nb::object mode_of(Layout const& a, Py_ssize_t k) {
  auto const n = static_cast<Py_ssize_t>(rank_of(a));
  if (k < -n || k >= n) throw nb::index_error(("no mode " + std::to_string(k) + " in " + std::to_string(n)).c_str());
  return asked("get", {a.is, value(integer(k < 0 ? k + n : k))});
}

// A[:, 2] for A(_, 2); the colon is a mode left open.
nb::object coordinate_in(nb::handle x) {
  if (nb::isinstance<nb::tuple>(x)) {
    nb::list modes;
    for (nb::handle each : nb::borrow<nb::tuple>(x)) modes.append(coordinate_in(each));
    return nb::tuple(modes);
  }
  return PySlice_Check(x.ptr()) && x.equal(nb::slice(nb::none(), nb::none(), nb::none())) ? nb::none() : nb::borrow(x);
}
nb::object item_of(Layout const& a, nb::handle at) {
  if (PyIndex_Check(at.ptr())) return mode_of(a, nb::cast<Py_ssize_t>(nb::steal(PyNumber_Index(at.ptr()))));
  nb::object const coordinate = coordinate_in(at);
  try {
    if (value c = value_of(coordinate); leaves_open(c)) return asked("slice", {std::move(c), a.is});
  } catch (malformed const&) {  // a part of a mode, say
  }
  throw nb::type_error("a layout has modes, L[0], and slices, L[:, 2]: L(None, 2) is the same, and L(1, 2) a value");
}

nb::object drawn(nb::handle self, nb::kwargs options) {
  return nb::module_::import_("colex_layouts.see").attr("draw")(self, **options);
}
// Notebooks show nothing where there is nothing to draw.
nb::object shown(nb::handle self) {
  try {
    return drawn(self, nb::kwargs()).attr("svg");
  } catch (nb::python_error& e) {
    if (!e.matches(error_class("Error"))) throw;
    return nb::none();
  }
}

// What the three have in common: text, equality, hash.
template <class T>
nb::class_<T> value_class(nb::module_& m, char const* name, char const* doc) {
  std::string const called = name;
  nb::class_<T> c(m, name, doc);
  c.def("__str__", [](T const& x) { return print(x.is); })
      .def("__repr__", [called](T const& x) { return called + "('" + show(x.is) + "')"; })
      .def(
          "__eq__", [](T const& a, T const& b) { return a.is == b.is; }, nb::is_operator())
      .def(
          "__ne__", [](T const& a, T const& b) { return !(a.is == b.is); }, nb::is_operator())
      .def("__hash__", [](T const& x) { return std::hash<std::string>()(print(x.is)); });
  return c;
}

nb::class_<Layout> add_layout(nb::module_& m) {
  auto c =
      value_class<Layout>(m, "Layout",
                          "A layout: shape and stride, perhaps behind a swizzle and an offset. Immutable; equal by value.\n\n"
                          ">>> Layout((4, 8), (8, 1))\nLayout('(4,8):(8,1)')\n>>> Layout(\"(4,8)\")(5)\n5");
  c.def("__init__", &make_layout, nb::arg("shape"), nb::arg("stride").none() = nb::none(),
        nb::arg("swizzle").none() = nb::none(), nb::arg("offset").none() = nb::none())
      .def("__call__", &called)
      .def("__len__", &rank_of)
      .def("__getitem__", &item_of, nb::arg().none())
      .def("__iter__",
           [](Layout const& a) {
             nb::list modes;
             for (std::size_t k = 0; k < rank_of(a); ++k) modes.append(mode_of(a, static_cast<Py_ssize_t>(k)));
             return nb::iter(modes);
           })
      .def("__matmul__", [](Layout const& a, nb::object b) { return asked("composition", {a.is, value_of(b)}); })
      .def("__rmatmul__", [](Layout const& b, nb::object a) { return asked("composition", {value_of(a), b.is}); })
      .def("draw", &drawn, "A picture: see `draw`.")
      .def("_repr_svg_", &shown)
      .def("__reduce__", [](nb::handle self) { return nb::make_tuple(self.type(), parts_of(nb::cast<Layout const&>(self))); })
      .def_prop_ro("shape", [](Layout const& a) { return object_of(inner_of(a).shape()); })
      .def_prop_ro("stride", [](Layout const& a) { return object_of(inner_of(a).stride()); })
      .def_prop_ro("swizzle", &swizzle_of)
      .def_prop_ro("offset", &offset_of);
  return c;
}

template <class T>
void add_pickle(nb::class_<T>& c, kind k, char const* what) {
  c.def("__init__", [k, what](T* self, std::string const& text) {
     new (self) T{need_kind(value_in(text), k, what)};
   }).def("__reduce__", [](nb::handle self) { return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self))); });
}

void add_swizzle(nb::module_& m) {
  auto c = value_class<Swizzle>(m, "Swizzle", "CuTe's Swizzle<B,M,S>.\n\n>>> Swizzle(3, 4, 3)(128)\n144");
  c.def(
      "__init__",
      [](Swizzle* self, nb::object bits, nb::object base, nb::object shift) {
        std::string const parts = print(value_of(bits)) + "," + print(value_of(base)) + "," + print(value_of(shift));
        new (self) Swizzle{parse("Sw<" + parts + ">")};
      },
      nb::arg("bits"), nb::arg("base"), nb::arg("shift"));
  add_pickle(c, kind::swizzle, "a swizzle");
  c.def("__call__", [](Swizzle const& s, nb::object i) {
     return asked("apply", {s.is, value_of(i)});
   }).def("__matmul__", [](Swizzle const& s, nb::object other) {
    value v = value_of(other);
    if (v.is(kind::layout)) return asked("composition", {s.is, value(0), std::move(v)});
    return asked("composition", {s.is, std::move(v)});
  });
  static constexpr char const* parts[] = {"bits", "base", "shift"};
  for (std::size_t k = 0; k < 3; ++k) c.def_prop_ro(parts[k], [k](Swizzle const& s) { return object_of(s.is.items[k]); });
}

void add_basis(nb::module_& m) {
  auto c = value_class<Basis>(
      m, "Basis", "A stride that counts a coordinate: n@i.\n\n>>> Layout((4, 8), (Basis(\"1@0\"), Basis(\"1@1\")))(5)\n(1, 1)");
  c.def("__init__", [](Basis* self, nb::object n, nb::args modes) {
    std::string text = print(need_kind(value_of(n), kind::number, "a number of the notation"));
    for (nb::handle const i : modes) text += "@" + print(value_of(i));
    new (self) Basis{parse(text)};
  });
  c.def("__reduce__", [](nb::handle self) { return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self))); })
      .def_prop_ro("value", [](Basis const& b) { return object_of(b.is.number); })
      .def_prop_ro("modes", [](Basis const& b) {
        nb::list out;
        for (auto i = b.is.basis.rbegin(); i != b.is.basis.rend(); ++i) out.append(nb::int_(*i));
        return nb::tuple(out);
      });
}

}  // namespace
}  // namespace colex::python

NB_MODULE(_colex, m) {
  using namespace colex::python;
  nb::set_leak_warnings(false);  // what lives until the interpreter ends is no leak
  nb::register_exception_translator(translate);
  nb::class_<Layout> layouts = add_layout(m);
  add_swizzle(m);
  add_basis(m);
  add_operations(m, layouts);
  m.attr("__version__") = COLEX_VERSION;
  m.def(
      "ask", [](std::string const& line) { return object_of(value_in(line)); }, nb::arg("request"),
      "The answer to a request in one text.\n\n>>> ask(\"size (4,2):(1,4)\")\n8");
  m.def(
      "text_of", [](nb::handle x) { return print(value_of(x)); }, nb::arg("value"),
      "A value as the notation writes it.\n\n>>> text_of((4, (2, None)))\n'(4,(2,_))'");
  add_texts(m);
  add_suite(m);
}
