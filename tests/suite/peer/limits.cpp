// What a program takes: see limits.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/peer/limits.hpp"

#include "spec/notation/meaning.hpp"
#include "spec/operations.hpp"
#include "tests/suite/peer/printable.hpp"

#include <charconv>

namespace colex {

namespace {

// Does each part of a value that is of the kind have the property?
template <class F>
bool each(value const& v, kind k, F const& holds) {
  return (!v.is(k) || holds(v)) &&
         std::all_of(v.items.begin(), v.items.end(), [&](value const& x) { return each(x, k, holds); });
}
template <class F>
bool each_number(value const& v, F const& holds) {
  if (v.is(kind::swizzle)) return true;  // a number of bits, not what is computed with
  if (v.is(kind::number)) return holds(v.number);
  return std::all_of(v.items.begin(), v.items.end(), [&](value const& x) { return each_number(x, holds); });
}

// No less than what the values of a layout span, or any of its strides.
integer span(value const& layout) {
  integer n = 0;
  for (auto const& [extent, stride] : leaves(layout)) n += extent * mp::abs(stride.number);
  return n;
}

// Two's complement of so many bits holds every number, the size of every layout and what it spans.
bool fits(value const& v, int bits) {
  integer const most = integer(1) << (bits - 1);
  return each_number(v, [&](integer const& n) { return -most <= n && n < most; }) &&
         each(v, kind::layout, [&](value const& a) { return size(a) < most && span(a) < most; }) &&
         each(v, kind::f2, [&](value const& f) { return f.items[0].number < bits && size(f) < most; }) &&
         each(v, kind::swizzle,
              [&](value const& w) { return w.items[0].number + w.items[1].number + mp::abs(w.items[2].number) < bits; });
}
// So do the sizes of the shapes among its arguments, which are called S.
bool shapes_fit(request const& r, int bits) {
  std::size_t const place = place_of(r.op);
  if (place == operation_count) return true;
  std::span<parameter const> const parameters = operations[place].way[0].parameters();
  for (std::size_t k = 0; k < std::min(r.args.size(), parameters.size()); ++k)
    if (std::string_view const name = parameters[k].name; name == "S" || name == "S'" || name == "M|S")
      if (mp::abs(size(r.args[k])) >= integer(1) << (bits - 1)) return false;
  return true;
}
bool climbs(value const& layout) {
  return each_number(layout.stride(), [](integer const& d) { return d >= 0; });
}

int whole(std::string_view text, std::string const& word, int least, int most) {
  int n = 0;
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (failed != std::errc() || end != text.data() + text.size() || n < least || n > most)
    throw no_limit(fmt::format("\"{}\": a number from {} to {} belongs behind =", printable(word), least, most));
  return n;
}

}  // namespace

void limits::declare(std::string const& word) {
  // Each value of a request, and its right answer.
  auto const values = [](auto takes) -> inside {
    return [takes](request const& r, answer const& right) {
      return std::all_of(r.args.begin(), r.args.end(), takes) && (!right || takes(right.result));
    };
  };
  if (word.starts_with("int="))
    declared_.emplace_back(word, [n = whole(word.substr(4), word, 2, 4096), values](request const& r, answer const& right) {
      return shapes_fit(r, n) && values([n](value const& v) { return fits(v, n); })(r, right);
    });
  else if (word.starts_with("min="))
    declared_.emplace_back(word, values([least = integer(whole(word.substr(4), word, -1000000, 1000000))](value const& v) {
                             return each_number(v, [&](integer const& n) { return n >= least; });
                           }));
  else if (word == "strides=nonnegative")
    declared_.emplace_back(word, values([](value const& v) { return each(v, kind::layout, climbs); }));
  else
    throw no_limit(fmt::format("\"{}\": int=BITS, min=LEAST or strides=nonnegative belongs there", printable(word)));
}

std::string limits::outside(request const& r, answer const& right) const {
  for (auto const& [word, takes] : declared_)
    if (!takes(r, right)) return word;
  return {};
}

}  // namespace colex
