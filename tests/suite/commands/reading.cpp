// See reading.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/commands/reading.hpp"

#include "ref/answer.hpp"
#include "spec/forms.hpp"
#include "tests/suite/commands/names.hpp"

#include <fmt/format.h>

namespace colex {
namespace {

// ---- values that are none of what is taken, but stand for some, as in CuTe ----

// The name of a type, or a width in bits, as that of the two which a parameter wants, or as bytes.
value in_unit(value const& v, parameter const& p) {
  auto const type = type_called(v.word);
  if (!type) return v;
  if (p.name == "TYPE") return word_of(type->name);
  if (p.name == "bytes" && type->bits % 8 == 0) return value(type->bits / 8);
  return p.kinds & kinds_named("width") ? word_of(fmt::format("{}b", type->bits)) : v;
}
// A name or width as it is meant; an instruction of PTX as its atom.
value word_meant(value const& v, std::string const& op, std::size_t place) {
  value meant = v;
  auto const differs = [&](parameter const& p) { return !((meant = in_unit(v, p)) == v); };
  if (any_parameter(op, place, differs)) return meant;
  std::string const atom = matrix_copy_called(v.word);
  return atom.empty() ? v : word_of(atom);
}
request with_kinds(request r) {
  for (std::size_t k = 0; k < r.args.size(); ++k) {
    value& v = r.args[k];
    if (any_parameter(r.op, k, takes_tiler)) make_tilers(v);
    if (v.is(kind::word) && (is_operation(r.op) || is_form(r.op))) v = word_meant(v, r.op, k);
  }
  if (colex::detail::asks_the_shape(r.op) && r.args.size() == 1 && is_one_of(kinds_named("integers"), r.args[0]))
    if (answer a = ref::respond({"make_layout_left", r.args})) r.args[0] = std::move(a.result);
  return r;
}
// The text so; as it is where it is no request, or has none.
std::string with_kinds(std::string const& text) {
  try {
    request const r = parse_request(text), meant = with_kinds(r);
    return meant == r ? text : print(meant);
  } catch (malformed const&) {
    return text;
  }
}

answer answer_within(request const& inner) {
  try {
    return ref::respond(with_kinds(inner));
  } catch (malformed const& e) {
    throw malformed(e.column, e.what() + meant_in(print(inner), e.what()));
  }
}

// ---- what a line asks ----

// `, as in 'size 4:2'; 'colex draw 4:2' shows it`, as far as that is so.
std::string what_to_do_with(value const& v) {
  std::string said;
  for (char const* const operation : {"size", "product_each", "f2_rank"}) try {
      if (said.empty() && ref::respond({operation, {v}})) said = fmt::format(", as in '{} {}'", operation, print(v));
    } catch (malformed const&) {  // not of this
    }
  bool const drawn = is_any_layout(v) || v.is(kind::swizzle) || v.is(kind::f2);
  if (drawn) said += fmt::format("; 'colex draw {}' shows it", print(v));
  return said.empty() ? "; 'colex ops' lists them" : said;
}

// The value that is left of what was asked within the line; none where a request is.
std::optional<value> value_within(reading const& read) {
  if (!read.steps().empty()) try {
      if (value v = parse(read.text); !v.is(kind::word)) return v;
    } catch (malformed const&) {  // a request
    }
  return std::nullopt;
}
// The last that was asked within the line, if the value is its answer.
std::optional<test_case> question_of(reading const& read, value const& v) {
  test_case const last = parse_case(read.steps().back());
  return last.expected.result == v ? std::optional(last) : std::nullopt;
}

// Can that be asked of programs, too? (`get (4,8) 1` is no request.)
bool is_request(request const& r) {
  try {
    return !is_operation(r.op) || (ref::respond(r), true);
  } catch (malformed const&) {
    return false;
  }
}

// What is said of what is no operation of the table's.
constexpr std::pair<std::string_view, char const*> parts[] = {
    {"shape", "The extents: of a layout what stands before the colon."},
    {"stride", "The strides, which stand behind the colon."},
    {"get", "The mode of that number, counted from 0."},
    {"select", "The modes of those numbers, counted from 0."},
    {"flatten", "All integers, without the brackets within."},
    {"slice", "What stands beside a '_' of the coordinate."},
    {"dice", "What stands beside no '_' of the coordinate."},
    {"take", "From the first of those modes to before the last."},
    {"group", "Those modes as one, with the others around it."},
    {"replace", "The same with another mode of that number."},
    {"append", "The same with more modes behind it."},
    {"prepend", "The same with more modes in front."}};
explanation explain_part(test_case const& q) {
  auto const* const at = std::find_if(std::begin(parts), std::end(parts), [&](auto const& x) { return x.first == q.asked.op; });
  return {q.asked, q.expected, {}, at == std::end(parts) ? "" : at->second, {}};
}
explanation explain_parts(reading const& read, value const& v) {
  explanation e{{print(v), {}}, {status::answered, v, {}}, {}, {}, {}};
  for (std::string const& each : read.steps()) {
    test_case const part = parse_case(each);
    e.steps.push_back({print(part.asked), "Answered within the line.", part.expected.result});
  }
  return e;
}

}  // namespace

bool is_blank(std::string_view line) {
  try {
    return without_comments(line).find_first_not_of(" \t\r\n") == std::string::npos;
  } catch (malformed const&) {  // a comment that is never closed
    return false;
  }
}

reading reading_of(std::string const& line) {
  if (is_blank(line)) throw malformed(0, "nothing is asked; 'colex ops' lists what can be");
  rewritten r = in_grammar(line, answer_within);
  return {with_kinds(r.text), std::move(r), without_comments(line).find_first_not_of(" \t\r\n")};
}

malformed reading::at_line(malformed const& e) const {
  malformed const placed = from.at_line({column_in(e, from.text), e.what() + meant_in(from.text, e.what())});
  return dynamic_cast<wrong_whole const*>(&e) ? malformed(begin, placed.what()) : placed;
}

request request_in(reading const& read) {
  std::string const& text = read.text;
  std::optional<value> alone;
  try {
    alone = parse(text);
  } catch (malformed const&) {
    if (!text.empty() && std::isalpha(static_cast<unsigned char>(text[0]))) return parse_request(text);
    throw;
  }
  if (!alone->is(kind::word)) throw wrong_whole("a value: an operation belongs in front" + what_to_do_with(*alone));
  if (std::string const kind = kind_of_atom(text); !kind.empty())
    throw wrong_whole(fmt::format("an atom: '{} {} ThrID' asks for a field of it, 'colex draw {}' shows it", kind, text, text));
  return parse_request(text);
}

answer answer_to(reading const& read) {
  if (auto v = value_within(read)) return {status::answered, *std::move(v), ""};
  return ref::respond(request_in(read));
}

explanation explain(reading const& read) {
  auto const v = value_within(read);
  if (!v) return explain(request_in(read));
  auto const last = question_of(read, *v);
  if (!last) return explain_parts(read, *v);
  try {
    return explain(last->asked);
  } catch (malformed const&) {
    return explain_part(*last);
  }
}

test_case question_in(reading const& read) {
  if (auto const v = value_within(read)) {
    auto last = question_of(read, *v);
    if (last && !is_request(last->asked)) throw wrong_whole("modes of a shape: no operation of layouts gives them");
    if (last) return *std::move(last);
    throw wrong_whole("a value of several answers: one request can be asked");
  }
  request asked = request_in(read);
  answer right = ref::respond(asked);
  return {std::move(asked), '=', std::move(right), {}};
}

}  // namespace colex
