// The values of layouts, and what a line asks for: see picture.hpp. All algebra is the reference's.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/picture/make_picture.hpp"

#include "ref/algebra/bank_conflicts.hpp"
#include "ref/answer.hpp"
#include "spec/forms.hpp"
#include "spec/notation/rewritten.hpp"
#include "tests/suite/picture/panel.hpp"

namespace colex {
namespace {

using ref::layout;

// ---- a layout, a view, a swizzled layout ----

struct drawn_tensor {
  std::optional<value> swizzle;
  point offset;
  layout inner;
};

drawn_tensor tensor_from(value const& v) {
  if (v.is(kind::layout)) return {std::nullopt, {}, ref::from_value(v)};
  bool const swizzled = v.items.size() == 3;
  value const& offset = v.items[swizzled ? 1 : 0];
  return {swizzled ? std::optional(v.items[0]) : std::nullopt, offset.is(kind::tuple) ? point_of(offset) : point(offset),
          ref::from_value(v.items.back())};
}

// Modes of extent 1 say nothing where there are more than two.
layout without_ones(layout const& a) {
  std::vector<layout> m = modes(a);
  if (m.size() > 2) std::erase_if(m, [](layout const& x) { return size(x) == 1; });
  return ref::unwrapped(std::move(m));
}

int bank_colour(integer const& element, int bits) {
  integer const bank = element * bits / (8 * ref::bank_bytes) % ref::bank_count;
  return static_cast<int>(bank / shades + bank % shades * hues);
}
std::string bank_label(int colour) { return fmt::format("b{}", colour % hues * shades + colour / hues); }

cell value_cell(point const& p, drawn_tensor const& t, value const& codomain, int bits) {
  if (!p.is_integer() || has_basis(t.inner)) {
    std::string const text = print(ref::as_coordinate(p, codomain));
    return {text, text, no_colour, false};
  }
  integer const n = t.swizzle ? swizzled(*t.swizzle, ref::natural(p.number, "argument of a swizzle")) : p.number;
  std::string const text = n.str();
  if (!bits) return {text, text, hue_of(n), false};
  int const colour = bank_colour(ref::natural(n, "address"), bits);
  return {text + "\n" + bank_label(colour), bank_label(colour), colour, false};
}

// The extents of the codomain, the offset included: a coordinate prints as deep as that.
value codomain_of(drawn_tensor const& t) {
  layout reach = t.inner;
  std::vector<layout> parts{reach};
  t.offset.each([&](auto const& path, integer const& n) { parts.emplace_back(1, point(value(n, path))); });
  return ref::coshape(layout(parts));
}

// One panel of rows x columns, filled from `all` column by column.
panel value_panel(std::string title, drawn_tensor const& t, value const& rows, value const& columns, point const* all,
                  int bits) {
  panel p = empty_panel("", std::move(title), rows, columns);
  value const codomain = codomain_of(t);
  for (std::size_t c = 0; c < p.columns; ++c)
    for (std::size_t r = 0; r < p.rows; ++r) p.at(r, c) = value_cell(all[c * p.rows + r], t, codomain, bits);
  return p;
}
// The legends of values and of banks: those of few values say themselves.
void add_legend(picture& to, bool coordinates, std::size_t values, int bits) {
  legend_line hue{bits ? "hue: four banks together" : "hue: the value modulo 8", {}}, shade{"shade: which of the four", {}};
  for (int k = 0; k < hues; ++k)
    hue.swatches.emplace_back(k, bits ? fmt::format("b{}-{}", shades * k, shades * k + 3) : std::to_string(k));
  for (int k = 0; k < shades; ++k) shade.swatches.emplace_back(hues * k, fmt::format("b{}", k));
  if (bits) to.legend = {hue, shade};
  if (!bits && !coordinates && values > hues) to.legend = {hue};
}

// The panels for each coordinate of the modes behind the second, about as many across as down.
std::vector<panel> sliced_panels(drawn_tensor const& t, layout const& a, std::vector<point> const& all, int bits) {
  value const s = shape(a);
  value const rest = tuple_of(std::vector(s.items.begin() + 2, s.items.end()));
  std::size_t const each = static_cast<std::size_t>(size(s.items[0]) * size(s.items[1])), n = all.size() / each;
  std::size_t across = 1;
  while (across * across < n) ++across;
  std::vector<panel> out;
  for (std::size_t k = 0; k < n; ++k) {
    value c = ref::idx2crd(value(integer(k)), rest);
    c.items.insert(c.items.begin(), 2, word_of("_"));
    out.push_back(value_panel(print(c), t, s.items[0], s.items[1], all.data() + k * each, bits));
    name_axes(out.back(), s, k * each);
    out.back().place_row = k / across;
    out.back().place_column = k % across;
  }
  return out;
}

void fade(picture& p) {
  for (panel& x : p.panels)
    for (cell& c : x.cells) c.faded = true;
}
picture of_tensor(std::string const& title, drawn_tensor const& t, int bits, picture_options const& asked) {
  layout const a = without_ones(t.inner);
  check_cells(size(a));
  std::vector<point> const all = values_of(a, t.offset);
  picture out{title, {}};
  if (bits) out.title += fmt::format(": {} banks of {} bytes, elements of {} bits", ref::bank_count, ref::bank_bytes, bits);
  add_legend(out, has_basis(t.inner), all.size(), bits);
  std::vector<value> rest;
  for (std::size_t k = rank(a) > 1 ? 1 : 0; k < rank(a); ++k) rest.push_back(shape(mode(a, k)));
  value const columns = rest.size() == 1 ? rest[0] : tuple_of(rest);
  if (asked.slices && rank(a) > 2)
    out.panels = sliced_panels(t, a, all, bits);
  else
    out.panels.push_back(value_panel("", t, rank(a) > 1 ? shape(mode(a, 0)) : value(1), columns, all.data(), bits));
  if (out.panels.size() == 1) name_axes(out.panels[0], shape(a));
  if (!asked.highlight.empty()) fade(out);
  return out;
}

// The 2^M elements that a swizzle leaves together are one cell; a row is as long as the shift.
picture of_swizzle(value const& w, picture_options const& asked) {
  auto const power = [](value const& n) { return integer(1) << static_cast<unsigned>(mp::abs(n.number)); };
  layout const row_major = ref::make_layout_right(tuple_of({value(power(w.items[0])), value(power(w.items[2]))}));
  integer const bits = asked.bank_bits * power(w.items[1]);
  if (bits > 1 << 20) throw not_drawn("chunks of " + bits.str() + " bits have no bank");
  std::string const unit = w.items[1].number == 0 ? "elements" : "chunks of 2^" + print(w.items[1]) + " elements";
  std::string const title = fmt::format("{} of {}, in rows of 2^{}", print(w), unit, mp::abs(w.items[2].number).str());
  return of_tensor(title, {value(kind::swizzle, {w.items[0], value(0), w.items[2]}), {}, row_major}, static_cast<int>(bits),
                   asked);
}

picture of_value(std::string const& title, value const& v, picture_options const& asked) {
  if (v.is(kind::swizzle)) return of_swizzle(v, asked);
  if (v.is(kind::f2)) return picture_of_map(title, v);
  if (!is_any_layout(v)) throw not_drawn(clipped(print(v)) + " is nothing to draw");
  drawn_tensor const t = tensor_from(v);
  int const stated = asked.element_bits ? asked.element_bits : 32;
  return of_tensor(title, t, asked.bank_bits ? asked.bank_bits : t.swizzle ? stated : 0, asked);
}

// ---- what a line asks for ----

picture of_answer(request const& r, picture_options const& asked) {
  answer const a = ref::respond(r);
  if (!a) throw unanswered(a);
  if (r.op == "bank_conflicts") throw not_drawn("bank_conflicts is a number; 'bank_conflict_phases' is drawn, phase by phase");
  picture out = of_value(print(r), a.result, asked);
  if (out.panels.size() == 1) out.panels[0].title = "= " + show(a.result);
  return out;
}

picture of_request(request const& r, picture_options const& asked) {
  auto p = picture_of_form(r, asked);
  return p ? *std::move(p) : of_answer(r, asked);
}
picture of_word(std::string const& name, picture_options const& asked) {
  if (auto p = picture_of_atom(name, asked)) return *std::move(p);
  if (is_operation(name) || is_form(name)) return of_request({name, {}}, asked);
  throw malformed(0, "no layout, no MMA atom, no copy atom and no form or operation with arguments");
}

// An operation's name with arguments behind it.
std::optional<request> as_request(std::string const& line) {
  std::size_t const end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  bool const named = end != std::string::npos && line[end] == ' ' && !std::isdigit(static_cast<unsigned char>(line[0]));
  request r = named ? parse_request(line) : request{};
  return r.args.empty() ? std::nullopt : std::optional(std::move(r));
}
picture whole_picture(std::string const& line, picture_options const& asked) {
  if (auto const r = as_request(line)) return of_request(*r, asked);
  value const v = parse(line);
  return v.is(kind::word) ? of_word(v.word, asked) : of_value(show(v), v, asked);
}

void keep_only(picture& p, std::vector<std::string> const& names) {
  for (std::string const& name : names)
    if (std::none_of(p.panels.begin(), p.panels.end(), [&](panel const& x) { return x.name == name; }))
      throw not_drawn("--only: no panel is called '" + name + "' here");
  if (!names.empty())
    std::erase_if(p.panels, [&](panel const& x) { return std::find(names.begin(), names.end(), x.name) == names.end(); });
}

// Is the element of index i in the slice?
bool in_slice(value const& slice, value const& shape, integer i) {
  if (!slice.is(kind::tuple)) return slice.is("_") || i == slice.number;
  for (std::size_t k = 0; k < slice.items.size(); ++k) {
    integer const n = size(shape.items[k]);
    if (!in_slice(slice.items[k], shape.items[k], i % n)) return false;
    i /= n;
  }
  return true;
}
// The slice of a panel's own tensor: of (m,n,k) the two modes that it has.
value slice_of(value const& slice, panel const& x, bool alone) {
  value out = slice;
  if (slice.items.size() == 3 && !x.letters.empty()) {
    out.items.clear();
    for (char const letter : x.letters) out.items.push_back(slice.items[std::string_view("mnk").find(letter)]);
  } else if (!x.letters.empty() && !alone) {
    throw not_drawn("--highlight: " + print(slice) + " is no coordinate (m,n,k)");
  }
  if (!weakly_congruent(out, x.domain))
    throw not_drawn("--highlight: " + print(out) + " is no coordinate of " + print(x.domain));
  return out;
}
void light_slice(picture& p, value const& slice) {
  for (panel& x : p.panels) {
    value const here = slice_of(slice, x, p.panels.size() == 1);
    for (std::size_t r = 0; r < x.rows; ++r)
      for (std::size_t c = 0; c < x.columns; ++c)
        if (in_slice(here, x.domain, x.first + (x.transposed ? c + r * x.columns : r + c * x.rows))) x.at(r, c).faded = false;
  }
}
// The cells of a value.
void light_value(picture& p, std::string const& number) {
  for (panel& x : p.panels)
    for (cell& c : x.cells)
      if (c.label.substr(0, c.label.find('\n')) == number) c.faded = false;
}
// All else fades. Threads and tiles have been looked for where the picture was made.
void light(picture& p, std::vector<std::string> const& highlight) {
  for (std::string const& one : highlight) {
    value const what = parse(one);
    what.is(kind::number) ? light_value(p, one) : light_slice(p, what);
  }
}
void check_highlight(picture const& p, std::vector<std::string> const& numbers) {
  auto const shown = [](panel const& x) {
    return std::any_of(x.cells.begin(), x.cells.end(), [](cell const& c) { return !c.label.empty() && !c.faded; });
  };
  if (!numbers.empty() && std::none_of(p.panels.begin(), p.panels.end(), shown))
    throw not_drawn(fmt::format("--highlight: {} holds nothing here", fmt::join(numbers, ", ")));
}

}  // namespace

picture make_picture(std::string const& line, picture_options const& asked) {
  picture out = whole_picture(line, asked);
  keep_only(out, asked.only);
  light(out, asked.highlight);
  check_highlight(out, asked.highlight);
  return out;
}

}  // namespace colex
