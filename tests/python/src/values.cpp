// See values.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/python/src/values.hpp"

#include "spec/operations.hpp"

#include <nanobind/stl/string.h>

namespace colex::python {
namespace {

constexpr std::size_t most_items = max_line / 2;  // a line has no room for more

std::string brief(nb::handle h) {
  std::string const text = nb::type_name(h.type()).c_str();
  return "a value of type " + text;
}
[[noreturn]] void fail(std::string const& why) { throw malformed(0, why); }

// Nothing where there is none. What the object raises but for an AttributeError is raised.
nb::object attribute(nb::handle h, char const* name) {
  nb::object x = nb::steal(PyObject_GetAttrString(h.ptr(), name));
  if (x.is_valid()) return x;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) nb::raise_python_error();
  PyErr_Clear();
  return x;
}

std::string text_of(nb::handle h) {
  Py_ssize_t size = 0;
  char const* const text = PyUnicode_AsUTF8AndSize(h.ptr(), &size);
  if (!text) nb::raise_python_error();  // of what is half a character
  return {text, static_cast<std::size_t>(size)};
}

// Reads one object; what is in it counts against what a line can hold.
class reader {
 public:
  value read(nb::handle h) {
    if (++count_ > most_items) fail("more than " + std::to_string(most_items) + " items");
    if (PyLong_CheckExact(h.ptr())) return value(integer_of(h));
    if (nb::isinstance<nb::tuple>(h) || nb::isinstance<nb::list>(h)) return items(h);
    return nb::isinstance<Layout>(h) ? nb::cast<Layout const&>(h).is : single(h);
  }

 private:
  std::size_t count_ = 0, depth_ = 0;

  value items(nb::handle h) {
    if (++depth_ > max_depth) fail("nested deeper than " + std::to_string(max_depth));
    std::vector<value> out;
    bool tiles = false;
    for (nb::handle x : nb::borrow<nb::sequence>(h)) {
      out.push_back(read(x));
      value const& v = out.back();
      tiles = tiles || is_any_layout(v) || v.is(kind::tiler);
    }
    --depth_;
    return {tiles ? kind::tiler : kind::tuple, std::move(out)};
  }

  value single(nb::handle h) {
    if (h.is_none()) return word_of("_");
    if (PyBool_Check(h.ptr())) return word_of(h.ptr() == Py_True ? "true" : "false");
    if (nb::isinstance<Swizzle>(h)) return nb::cast<Swizzle const&>(h).is;
    if (nb::isinstance<Basis>(h)) return nb::cast<Basis const&>(h).is;
    if (PyUnicode_Check(h.ptr())) return value_in(text_of(h));
    if (PyIndex_Check(h.ptr())) return value(integer_of(h));
    return described(h);
  }

  // Anybody's swizzle, composed layout or layout.
  value described(nb::handle h) {
    if (nb::object const inner = attribute(h, "inner"), offset = attribute(h, "offset"); inner.is_valid() && offset.is_valid())
      return composed(attribute(h, "outer"), offset, inner);
    if (nb::object const shape = attribute(h, "shape"), stride = attribute(h, "stride"); shape.is_valid() && stride.is_valid())
      return checked_layout(part(shape), part(PyCallable_Check(stride.ptr()) ? stride() : stride));  // PyTorch's is a function
    if (nb::object const bits = attribute(h, "bits"), base = attribute(h, "base"), shift = attribute(h, "shift");
        bits.is_valid() && base.is_valid() && shift.is_valid())
      return parse("Sw<" + print(part(bits)) + "," + print(part(base)) + "," + print(part(shift)) + ">");
    fail(brief(h) + " is neither an integer, a tuple, a text nor a layout");
  }
  value composed(nb::object const& outer, nb::object const& offset, nb::object const& inner) {
    value a = part(inner), from = part(offset);
    if (!a.is(kind::layout)) fail("'inner' is no layout");
    if (!outer.is_valid() || outer.is_none()) return {kind::composed, {std::move(from), std::move(a)}};
    return {kind::composed, {part(outer), std::move(from), std::move(a)}};
  }
  value part(nb::handle h) {
    if (++depth_ > max_depth) fail("nested deeper than " + std::to_string(max_depth));
    value v = read(h);
    --depth_;
    return v;
  }
};

}  // namespace

integer integer_of(nb::handle h) {
  nb::object const n = PyLong_Check(h.ptr()) ? nb::borrow(h) : nb::steal(PyNumber_Index(h.ptr()));
  if (!n.is_valid()) nb::raise_python_error();
  int over = 0;
  long long const small = PyLong_AsLongLongAndOverflow(n.ptr(), &over);
  if (over == 0) return integer(small);
  nb::object const hex = nb::steal(PyNumber_ToBase(n.ptr(), 16));  // base 16 has no limit of digits
  std::string const text = nb::cast<std::string>(hex);
  return over < 0 ? integer(-integer(text.substr(1))) : integer(text);
}
nb::object object_of(integer const& n) {
  using limits = std::numeric_limits<long long>;
  if (n >= limits::min() && n <= limits::max()) return nb::steal(PyLong_FromLongLong(static_cast<long long>(n)));
  std::string const text = (n < 0 ? "-" : "") + mp::abs(n).str(0, std::ios::hex);
  return nb::steal(PyLong_FromString(text.c_str(), nullptr, 16));
}

value value_of(nb::handle h) { return reader().read(h); }

nb::object object_of(value const& v) {
  switch (v.what) {
    case kind::number: return v.basis.empty() ? object_of(v.number) : nb::cast(Basis{v});
    case kind::layout:
    case kind::composed: return nb::cast(Layout{v});
    case kind::swizzle: return nb::cast(Swizzle{v});
    case kind::f2: return nb::str(print(v).c_str());
    case kind::word:
      if (v.is("_")) return nb::none();
      return v.is("true") || v.is("false") ? nb::cast(v.is("true")) : nb::object(nb::str(v.word.c_str()));
    default: break;
  }
  nb::list out;
  for (value const& x : v.items) out.append(object_of(x));
  return nb::tuple(out);
}

value value_in(std::string const& text) {
  try {
    if (value v = parse(text); print(v) == text) return v;
  } catch (malformed const&) {  // another spelling, or a request
  }
  if (text.find_first_not_of(" \t\r\n") == text.npos) return parse(text);  // says what belongs there
  return shown_in_line(text, [](reading const& read) {
    if (read.text.find(' ') == read.text.npos) return parse(read.text);
    answer a = answer_to(read);
    if (!a) throw unanswered(a);
    return std::move(a.result);
  });
}

std::string path_of(nb::handle h) {
  PyObject* name = nullptr;
  if (!PyUnicode_FSConverter(h.ptr(), &name)) nb::raise_python_error();
  nb::bytes const bytes = nb::steal<nb::bytes>(name);
  return {bytes.c_str(), bytes.size()};
}

value checked_layout(value shape, value stride) {
  parser::check_layout(shape, 0, stride, 0);
  return layout_of(std::move(shape), std::move(stride));
}

}  // namespace colex::python
