// The one grammar: text <-> values. Parses and prints; computes nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace colex {

namespace mp = boost::multiprecision;
using integer = mp::number<mp::cpp_int_backend<>, mp::et_off>;

// What a line may hold. Longer input is refused with an error, never cut.
inline constexpr std::size_t max_digits = 4096, max_depth = 256, max_line = std::size_t{1} << 20;
// Bits that a linear map takes, and bits of its values.
inline constexpr int max_bits = 1000;

enum class kind { number, tuple, layout, tiler, swizzle, composed, f2, word };

struct value_list;

// One value of the grammar (laws.md, "Notation").
//   number    n, or n@i@j with basis {j, i} (outermost mode first, as the notation reads from the right)
//   tuple     items are the elements               tiler     items are the modes of <...>
//   layout    items = {shape, stride}              swizzle   items = {B, M, S}
//   composed  items = {swizzle, offset, layout}, or {offset, layout} for a view without a swizzle
//   f2        items = {n, bases}: a linear map over F2 with values of n bits; bases as a tuple of integers, the images of the
//             bits of one mode, or a tuple of modes
//   word      _, X, true, false, LayoutLeft, 4b, atom names
struct value {
  kind what = kind::number;
  integer number = 0;
  std::vector<int> basis;
  std::vector<value> items;
  std::string word;

  value() = default;
  value(integer n, std::vector<int> b = {}) : number(std::move(n)), basis(std::move(b)) {}
  value(int n) : number(n) {}
  value(kind k, value_list v);

  bool is(kind k) const { return what == k; }
  bool is(std::string_view w) const { return what == kind::word && word == w; }
  value const& shape() const { return items.at(0); }
  value const& stride() const { return items.at(1); }
  bool operator==(value const&) const = default;
};

// Values in a row, each made where it lies: what stands in the braces of a std::vector is copied twice.
struct value_list {
  std::vector<value> items;

  value_list(std::vector<value> v) : items(std::move(v)) {}
  template <class... V>
    requires(std::convertible_to<V, value> && ...)
  value_list(V&&... v) {
    items.reserve(sizeof...(v));
    (items.emplace_back(std::forward<V>(v)), ...);
  }
};
inline value::value(kind k, value_list v) : what(k), items(std::move(v.items)) {}

// How many integers stand in a value: of a linear map's bases, the bits that it takes.
inline std::size_t count_numbers(value const& v) {
  std::size_t n = v.is(kind::number);
  for (value const& x : v.items) n += count_numbers(x);
  return n;
}

inline value tuple_of(value_list v) { return {kind::tuple, std::move(v)}; }
inline value layout_of(value shape, value stride) { return {kind::layout, {std::move(shape), std::move(stride)}}; }
// A layout, alone or behind a swizzle or an offset, as CuTe's is_layout has it: each index has a value.
inline bool is_any_layout(value const& v) { return v.is(kind::layout) || v.is(kind::composed); }
inline value word_of(std::string w) {
  value v;
  v.what = kind::word;
  v.word = std::move(w);
  return v;
}

// Text outside the grammar: where it stops making sense (0-based column, or the argument of a request) and why.
struct malformed : std::runtime_error {
  std::size_t column, argument = 0;  // from 1; 0: the column says where
  malformed(std::size_t c, std::string const& why) : std::runtime_error(why), column(c) {}
};
// In the grammar's form, but no layout: an extent that is not positive, a stride that is not congruent.
struct no_layout : malformed {
  using malformed::malformed;
};

// At most so many characters of it, at least three; what is cut off is marked.
inline std::string clipped(std::string const& s, std::size_t most = 160) {
  return s.size() > most ? s.substr(0, most - 3) + "..." : s;
}
// The same of each word: in a sentence, values of any size become short.
inline std::string clipped_words(std::string const& s, std::size_t most = 60) {
  std::string out;
  for (std::size_t from = 0, to = 0; from <= s.size(); from = to + 1) {
    to = std::min(s.find(' ', from), s.size());
    out += (from > 0 ? " " : "") + clipped(s.substr(from, to - from), most);
  }
  return out;
}

inline std::string print(value const& v);

namespace detail {
inline std::string print_items(value const& v, char open, char close) {
  std::string s(1, open);
  for (std::size_t i = 0; i < v.items.size(); ++i) s += (i ? "," : "") + print(v.items[i]);
  return s + close;
}
inline std::string join(value const& v, char const* between) {
  std::string s = print(v.items[0]);
  for (std::size_t i = 1; i < v.items.size(); ++i) s += between + print(v.items[i]);
  return s;
}
}  // namespace detail

// The text of a value on the wire: no spaces; parse(print(v)) == v.
inline std::string print(value const& v) {
  switch (v.what) {
    case kind::number: {
      std::string s = v.number.str();
      for (auto i = v.basis.rbegin(); i != v.basis.rend(); ++i) s += "@" + std::to_string(*i);
      return s;
    }
    case kind::tuple: return detail::print_items(v, '(', ')');
    case kind::tiler: return detail::print_items(v, '<', '>');
    case kind::swizzle: return "Sw" + detail::print_items(v, '<', '>');
    case kind::layout: return detail::join(v, ":");
    case kind::composed: return detail::join(v, "o");
    case kind::f2: return "F2<" + print(v.items[0]) + ">" + print(v.items[1]);
    case kind::word: return v.word;
  }
  return {};
}

// How deep its text is nested in brackets.
inline std::size_t bracket_depth(value const& v) {
  std::size_t deepest = 0;
  for (value const& x : v.items) deepest = std::max(deepest, bracket_depth(x));
  return deepest + (v.is(kind::tuple) || v.is(kind::tiler) || v.is(kind::swizzle));
}
inline bool has_long_integers(value const& v) {
  static integer const beyond = mp::pow(integer(10), max_digits);
  return mp::abs(v.number) >= beyond || std::any_of(v.items.begin(), v.items.end(), has_long_integers);
}
// Why a value is none of the grammar, so that no reader takes it; empty: it is one.
inline std::string beyond_grammar(value const& v) {
  if (has_long_integers(v)) return "integers of more than " + std::to_string(max_digits) + " digits";
  return bracket_depth(v) > max_depth ? "brackets nested deeper than " + std::to_string(max_depth) : "";
}

// The text shown to people: CuTe's spaces around the o of a composed layout or view.
inline std::string show(value const& v) { return v.is(kind::composed) ? detail::join(v, " o ") : print(v); }

class parser {
 public:
  // `judged`: a program's answer, where an integer has one spelling, and a swizzle with |S| < B is a value, for the laws to
  // refuse.
  explicit parser(std::string_view text, std::size_t from = 0, bool judged = false) : text_(text), at_(from), judged_(judged) {
    check_length(text);
  }
  static void check_length(std::string_view text) {
    if (text.size() > max_line) fail_at(max_line, "line longer than " + std::to_string(max_line) + " characters");
  }

  void skip_spaces() {
    while (more() && (peek() == ' ' || peek() == '\t')) ++at_;
  }
  bool at_end() {
    skip_spaces();
    return !more();
  }
  std::size_t column() const { return at_; }

  // One value; after it a space, the end, or (inside brackets) a separator.
  value parse_value() {
    skip_spaces();
    value v = parse_plain();
    if (v.is(kind::swizzle) || v.is(kind::number) || v.is(kind::tuple)) v = parse_composed(std::move(v));
    if (more() && peek() != ' ' && peek() != '\t') fail(std::string("unexpected '") + printable(peek()) + "' after a value");
    return v;
  }

  // The name of an operation: letters, digits and _.
  std::string parse_name() {
    skip_spaces();
    std::size_t const start = at_;
    while (more() && (letter(peek()) || digit(peek()) || peek() == '_')) ++at_;
    if (at_ == start || (more() && peek() != ' ' && peek() != '\t'))
      fail("an operation's name (letters, digits and _) belongs here");
    return std::string(text_.substr(start, at_ - start));
  }

  // That shape and stride make a layout; what is wrong is at the place of its half. Throws no_layout.
  static void check_layout(value const& s, std::size_t at_s, value const& d, std::size_t at_d) {
    if (s.is(kind::tuple) != d.is(kind::tuple) || (s.is(kind::tuple) && s.items.size() != d.items.size()))
      throw no_layout(at_d, "shape " + brief(s) + " and stride " + brief(d) + " are not congruent");
    if (s.is(kind::tuple)) {
      for (std::size_t i = 0; i < s.items.size(); ++i) check_layout(s.items[i], at_s, d.items[i], at_d);
    } else {
      if (!s.is(kind::number) || !s.basis.empty()) throw no_layout(at_s, "a shape holds integers, not " + brief(s));
      if (s.number <= 0) throw no_layout(at_s, "extent " + brief(s) + ": the extents of a shape are positive");
      if (!d.is(kind::number)) throw no_layout(at_d, "a stride holds integers or basis strides, not " + brief(d));
    }
  }

  [[noreturn]] void fail(std::string const& why) const { throw malformed(at_, why); }
  [[noreturn]] static void fail_at(std::size_t column, std::string const& why) { throw malformed(column, why); }

 private:
  std::string_view text_;
  std::size_t at_ = 0, depth_ = 0;
  bool judged_ = false;

  bool more() const { return at_ < text_.size(); }
  char peek() const { return text_[at_]; }
  bool next_is(char c) const { return more() && peek() == c; }
  bool take(char c) { return next_is(c) ? (++at_, true) : false; }
  static bool digit(char c) { return c >= '0' && c <= '9'; }
  static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static std::string printable(char c) { return c > 32 && c < 127 ? std::string(1, c) : "\\x" + hex(c); }
  static std::string hex(char c) {
    char const* digits = "0123456789abcdef";
    auto const u = static_cast<unsigned char>(c);
    return {digits[u >> 4], digits[u & 15]};
  }

  // `o offset o layout` behind a swizzle, `o layout` behind an offset; spaces around the o are allowed.
  value parse_composed(value first) {
    if (!take_o()) return first;
    std::vector<value> parts{std::move(first)};
    if (parts[0].is(kind::swizzle)) {
      parts.push_back(parse_plain());
      if (!parts[1].is(kind::number) && !parts[1].is(kind::tuple)) fail("an offset (integer or tuple) belongs here");
      if (!take_o()) fail("'o' and a layout belong behind the offset of a composed layout");
    }
    std::size_t const here = at_;
    parts.push_back(parse_plain());
    if (!parts.back().is(kind::layout)) fail_at(here, "a layout belongs behind the 'o'");
    return {kind::composed, std::move(parts)};
  }
  bool take_o() {
    std::size_t const back = at_;
    skip_spaces();
    if (next_is('o') && !(at_ + 1 < text_.size() && letter(text_[at_ + 1]))) {
      ++at_;
      skip_spaces();
      return true;
    }
    at_ = back;
    return false;
  }

  value parse_plain() {
    std::size_t const start = at_;
    if (!more()) fail("a value belongs here");
    if (text_.substr(at_, 3) == "Sw<") return parse_swizzle();
    if (text_.substr(at_, 3) == "F2<") return parse_f2();
    if (peek() == '<') return parse_list('<', '>', kind::tiler);
    if (letter(peek()) || (peek() == '_' && !(at_ + 1 < text_.size() && digit(text_[at_ + 1])))) return parse_word();
    value v = parse_tuple_or_number();
    if (!next_is(':')) return v;
    ++at_;
    std::size_t const second = at_;
    value d = parse_tuple_or_number();
    check_layout(v, start, d, second);
    return layout_of(std::move(v), std::move(d));
  }

  value parse_tuple_or_number() {
    if (!more()) fail("a value belongs here");
    if (peek() == '(') return parse_list('(', ')', kind::tuple);
    if (depth_ > 0 && (peek() == '_' || peek() == 'X') && !(at_ + 1 < text_.size() && digit(text_[at_ + 1])))
      return parse_word();
    return parse_number();
  }

  value parse_list(char open, char close, kind k) {
    std::size_t const start = at_++;
    if (++depth_ > max_depth) fail_at(start, "nested deeper than " + std::to_string(max_depth));
    std::vector<value> items;
    if (!next_is(close)) do
        items.push_back(k == kind::tiler ? parse_plain() : parse_tuple_or_number());
      while (take(','));
    if (!more()) fail_at(start, std::string("'") + open + "' is never closed");
    if (!take(close)) fail(std::string("expected ',' or '") + close + "', found '" + printable(peek()) + "'");
    --depth_;
    return {k, std::move(items)};
  }

  value parse_swizzle() {
    std::size_t const start = at_;
    at_ += 2;
    value v = parse_list('<', '>', kind::tiler);
    v.what = kind::swizzle;
    if (v.items.size() != 3 || std::any_of(v.items.begin(), v.items.end(), [](value const& x) {
          return !x.is(kind::number) || !x.basis.empty() || mp::abs(x.number) > 1000;
        }))
      fail_at(start, "a swizzle is Sw<B,M,S> with three integers up to 1000");
    if (v.items[0].number < 0 || v.items[1].number < 0) fail_at(start, "B and M of a swizzle are not negative");
    if (!judged_ && mp::abs(v.items[2].number) < v.items[0].number) fail_at(start, "a swizzle needs |S| >= B");
    return v;
  }

  value parse_f2() {
    std::size_t const start = std::exchange(at_, at_ + 3);
    value const n = more() ? parse_number() : value(-1);
    if (!n.basis.empty() || n.number < 0 || n.number > max_bits || !take('>'))
      fail_at(start, "a linear map is F2<n>(...) with n bits of a value, up to " + std::to_string(max_bits));
    std::size_t const bases = at_;
    if (!next_is('(')) fail("the bases of a linear map, a tuple, belong here");
    value const v{kind::f2, {n, parse_list('(', ')', kind::tuple)}};
    check_bases(v.items[1], integer(1) << static_cast<int>(n.number), bases);
    if (count_numbers(v.items[1]) > max_bits) fail_at(bases, "more than " + std::to_string(max_bits) + " bases");
    return v;
  }
  static void check_bases(value const& bases, integer const& end, std::size_t at) {
    bool const node = std::any_of(bases.items.begin(), bases.items.end(), [](value const& x) { return x.is(kind::tuple); });
    for (value const& x : bases.items)
      if (node && x.is(kind::tuple))
        check_bases(x, end, at);
      else if (node)
        fail_at(at, brief(x) + ": a mode holds either bases or modes");
      else if (!x.is(kind::number) || !x.basis.empty() || x.number < 0 || x.number >= end)
        fail_at(at, "basis " + brief(x) + ": an integer from 0 to " + brief(value(integer(end - 1))) + " belongs there");
  }

  value parse_word() {
    std::size_t const start = at_;
    int angle = 0;
    for (; more() && peek() != ' ' && peek() != '\t'; ++at_) {
      if (peek() == '<') ++angle;
      if (peek() == '>' && angle-- == 0) break;
      if ((peek() == ',' || peek() == ')') && angle == 0 && depth_ > 0) break;
      if (static_cast<unsigned char>(peek()) < 32 || static_cast<unsigned char>(peek()) > 126)
        fail(std::string("unexpected '") + printable(peek()) + "'");
    }
    return word_of(std::string(text_.substr(start, at_ - start)));
  }

  value parse_number() {
    std::size_t const start = at_;
    take('_');  // a static integer is the same value
    bool const minus = take('-');
    std::size_t const first = at_;
    while (more() && digit(peek())) ++at_;
    if (at_ == first)
      fail_at(at_, more() ? std::string("expected a value, found '") + printable(peek()) + "'" : "a value belongs here");
    if (at_ - first > max_digits) fail_at(start, "integer of more than " + std::to_string(max_digits) + " digits");
    std::string_view const text = text_.substr(first, at_ - first);
    if (is_padded(first) || (judged_ && minus && text == "0")) fail_at(start, "an integer begins with a 0, or is -0");
    value v{integer(std::string(text.substr(std::min(text.find_first_not_of('0'), text.size() - 1))))};
    if (minus) v.number = -v.number;
    if (depth_ == 0 && next_is('b')) {  // a width in bits: 128b
      ++at_;
      return word_of(v.number.str() + "b");
    }
    while (take('@')) v.basis.push_back(parse_mode());
    std::reverse(v.basis.begin(), v.basis.end());
    return v;
  }
  bool is_padded(std::size_t first) const { return judged_ && at_ - first > 1 && text_[first] == '0'; }
  int parse_mode() {
    std::size_t const first = at_;
    while (more() && digit(peek())) ++at_;
    if (is_padded(first)) fail_at(first, "a mode number begins with a 0");
    if (at_ == first || at_ - first > 4) fail_at(first, "a mode number (0 to 9999) belongs behind '@'");
    return std::stoi(std::string(text_.substr(first, at_ - first)));
  }

  static std::string brief(value const& v) { return clipped(print(v), 40); }
};

// The value that text holds, all of it. Throws malformed.
inline value parse(std::string_view text) {
  parser p(text);
  value v = p.parse_value();
  if (!p.at_end()) p.fail("trailing text after a value");
  return v;
}

}  // namespace colex
