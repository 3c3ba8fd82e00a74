// What people write and what other programs print, rewritten in the one grammar: pycute's and CuTe's text and C++ of layouts,
// `coalesce((4, 2):(1, 4))`, `A o B`. For people's input alone: the wire, the cases and the laws have the grammar.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"
#include "spec/notation/spelled_names.hpp"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>

namespace colex {

// A line of the grammar, where each of its characters comes from, and which requests within it were answered before:
// `coalesce (4,2):(1,4) = 8:1`.
struct rewritten {
  std::string text;
  std::vector<std::size_t> columns;
  std::vector<std::string> steps{};
  int element_bits = 0;  // what a pointer in the line states; 0: none does

  // The malformed place of the text, as one of the line.
  malformed at_line(malformed const& e) const {
    std::size_t const last = columns.empty() ? 0 : columns.back() + 1;
    return {e.column < columns.size() ? columns[e.column] : last, e.what()};
  }
};

// A request within the line has no answer, so that the whole has none. It is the last of the steps.
struct unanswered : std::runtime_error {
  answer what;
  std::vector<std::string> steps;
  explicit unanswered(answer a, std::vector<std::string> before = {})
      : std::runtime_error(a.reason), what(std::move(a)), steps(std::move(before)) {}
};

// Answers the requests within a line.
using answering = std::function<answer(request const&)>;

namespace detail {

class rewriter {
 public:
  rewriter(std::string_view line, answering const& answer) : line_(line), answer_(answer) {
    if (line.size() > max_line) fail_at(max_line, "line longer than " + std::to_string(max_line) + " characters");
  }

  rewritten whole() {
    line_ = line_.substr(0, line_.find('#'));                         // a comment, as behind a case
    line_ = line_.substr(0, line_.find_last_not_of("; \t\r\n") + 1);  // of C++ people have the semicolon, too
    skip_spaces();
    skip_namespace();
    std::size_t const end = end_of_name(at_);
    if (end > at_ && letter(line_[at_]) && !next_is("SW_") && (end == line_.size() || space(line_[end]) || shape_is_at(end)))
      arguments_behind_name(end);
    else
      value_alone(expression());
    skip_spaces();
    need_end();
    return std::move(out_);
  }

 private:
  // What stands in the output from `begin` on: a value of a kind, or a request that gives one.
  struct piece {
    std::size_t begin, column;
    kind what = kind::layout;
    bool asked = false, of_call = false;  // a value of a function that was called

    bool is(kind k) const { return !asked && what == k; }
    bool is_function() const { return is(kind::layout) || is(kind::composed) || is(kind::swizzle) || is(kind::f2); }
    bool is_offset() const { return is(kind::number) || is(kind::tuple); }
  };

  std::string_view line_;
  answering const& answer_;
  rewritten out_;
  std::size_t at_ = 0, depth_ = 0;
  std::string pointer_bits_;  // the width of an element of the last pointer, as `16b`; empty: no pointer
  std::uint64_t pointer_address_ = 0, pointer_offset_ = 0;  // of that; and in the swizzle's period, in elements

  // ---- characters ----

  bool more() const { return at_ < line_.size(); }
  char peek() const { return line_[at_]; }
  bool is_at(std::size_t place, char c) const { return place < line_.size() && line_[place] == c; }
  bool next_is(std::string_view text) const { return line_.substr(at_, text.size()) == text; }
  static bool space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  static bool digit(char c) { return c >= '0' && c <= '9'; }
  static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool in_name(char c) { return letter(c) || digit(c) || c == '_'; }
  static std::string shown(char c, char const* article = "a ") {
    if (c > 32 && c < 127) return "'" + std::string(1, c) + "'";
    return std::string(article) +
           (static_cast<unsigned char>(c) > 127 ? "character beyond ASCII" : "character that is not printable");
  }
  static std::string unexpected(char c) { return "unexpected " + shown(c, ""); }
  void skip_spaces() {
    while (more() && space(peek())) ++at_;
  }
  bool take(std::string_view text) { return next_is(text) ? (at_ += text.size(), true) : false; }
  void skip_namespace() {
    while (std::size_t const n = namespace_length(line_.substr(at_))) at_ += n;
  }
  // Is what stands in these brackets a shape, with a stride behind it?
  bool shape_is_at(std::size_t bracket) const {
    if (line_[bracket] != '(' || role_of(line_.substr(at_, bracket - at_)) != role::call) return false;
    std::size_t at = bracket;
    int open = 0;
    do open += (line_[at] == '(') - (line_[at] == ')');
    while (open > 0 && ++at < line_.size());
    at = line_.find_first_not_of(" \t\r\n", at + 1);
    return open == 0 && at != line_.npos && line_[at] == ':';
  }
  std::size_t end_of_name(std::size_t from) const {
    while (from < line_.size() && (in_name(line_[from]) || line_.substr(from, 2) == "::")) from += in_name(line_[from]) ? 1 : 2;
    return from;
  }
  [[noreturn]] void fail(std::string const& why) const { fail_at(at_, why); }
  [[noreturn]] static void fail_at(std::size_t column, std::string const& why) { throw malformed(column, why); }

  void put(std::string_view text, std::size_t column) {
    out_.text += text;
    out_.columns.insert(out_.columns.end(), text.size(), column);
  }
  void put_before(std::size_t place, std::string_view text, std::size_t column) {
    out_.text.insert(place, text);
    out_.columns.insert(column_at(place), text.size(), column);
  }
  void cut(std::size_t from) { out_.text.resize(from), out_.columns.resize(from); }
  void erase(std::size_t begin, std::size_t n) {
    out_.text.erase(begin, n);
    out_.columns.erase(column_at(begin), column_at(begin + n));
  }
  std::vector<std::size_t>::iterator column_at(std::size_t place) {
    return out_.columns.begin() + static_cast<std::ptrdiff_t>(place);
  }
  void copy_to(std::size_t end) {
    for (; at_ < end; ++at_) put(line_.substr(at_, 1), at_);
  }

  // ---- requests within the line ----

  piece settled(piece p) {
    if (!p.asked) return p;
    rewritten const inner{out_.text.substr(p.begin), {column_at(p.begin), out_.columns.end()}};
    answer const a = answered(inner);
    out_.steps.push_back(inner.text + " = " + print(a));
    if (!a) throw unanswered(a, out_.steps);
    cut(p.begin);
    put(print(a.result), p.column);
    return {p.begin, p.column, a.result.what};
  }
  answer answered(rewritten const& inner) const {
    try {
      return answer_(parse_request(inner.text));
    } catch (malformed const& e) {
      throw inner.at_line(e);
    }
  }

  // ---- the grammar ----

  void arguments_behind_name(std::size_t end) {
    std::size_t const column = std::exchange(at_, end);
    std::string_view const name = operation_called(line_.substr(column, end - column));
    put(name, column);
    std::vector<piece> arguments;
    while (skip_spaces(), more()) {
      put(" ", at_);
      arguments.push_back(settled(expression()));
      need_end();
    }
    complete({0, column}, name, arguments);
  }
  // The request that begins there with that name, or what CuTe's shape and stride give.
  piece complete(piece const& begin, std::string_view name, std::vector<piece> const& arguments) {
    bool const of_one = arguments.size() == 1;
    if ((name == "shape" || name == "stride") && of_one) return half(begin, name == "shape", arguments[0]);
    if (name == "product" && of_one) rename(begin, name, "size");  // of a shape; of two layouts there are others
    if (name.starts_with("tiled_")) add_defaults(begin, name);
    if (name == "composition" && arguments.size() == 2 && arguments[0].is(kind::swizzle) && arguments[1].is(kind::layout))
      put_before(arguments[1].begin, "0 ", arguments[1].column);  // CuTe composes these without an offset
    return {begin.begin, begin.column, kind::layout, true};
  }
  // What CuTe's makers need not be told: how atoms lie over (M,N,K), the permutation tile, the values of a thread.
  void add_defaults(piece const& begin, std::string_view name) {
    std::vector<std::size_t> spaces;
    for (std::size_t at = begin.begin; (at = out_.text.find(' ', at)) != std::string::npos; ++at) spaces.push_back(at);
    std::size_t const n = spaces.size();
    if (name == "tiled_copy" && n == 3) put(" 1:0", begin.column);
    if (n == 0 || !(name == "tiled_mma" || name.starts_with("tiled_mma_"))) return;
    if (n == 1) put(" (1,1,1):(0,0,0)", begin.column);
    std::string const third =
        n > 2 ? out_.text.substr(spaces[2] + 1, n > 3 ? spaces[3] - spaces[2] - 1 : std::string::npos) : "";
    bool const permuted = third.starts_with('<') || (third.starts_with('(') && third.find(':') == std::string::npos);
    if (!permuted) put_before(n > 2 ? spaces[2] : out_.text.size(), " <_,_,_>", begin.column);
  }
  void rename(piece const& request, std::string_view from, std::string_view to) {
    erase(request.begin, from.size());
    put_before(request.begin, to, request.column);
  }
  piece half(piece const& begin, bool shape, piece const& a) {
    bool const composed = a.is(kind::composed);
    if (!a.is(kind::layout) && !(shape && composed)) fail_at(a.column, "a layout belongs here");
    std::string const asked = out_.text.substr(begin.begin);
    std::size_t const colon = asked.rfind(':'), first = composed ? asked.rfind('o') + 1 : a.begin - begin.begin;
    std::string const text = shape ? asked.substr(first, colon - first) : asked.substr(colon + 1);
    out_.steps.push_back(asked + " = " + text);
    cut(begin.begin);
    put(text, a.column);
    return {begin.begin, begin.column, text[0] == '(' ? kind::tuple : kind::number};
  }
  void need_end() const {
    if (more() && !space(peek())) fail(unexpected(peek()) + " after a value");
  }

  void value_alone(piece const& a) {
    skip_spaces();
    if (a.is_function() && next_is("(")) fail("a coordinate stands right behind what it is of, as in 4:2(3)");
  }

  // Operands with `o` between them, from left to right.
  piece expression() {
    if (++depth_ > max_depth + 1) fail("nested deeper than " + std::to_string(max_depth));
    piece a = operand();
    while (take_o() || (a.is(kind::swizzle) && take_pointer_mark())) a = joined(settled(a));
    --depth_;
    return a;
  }
  bool take_o() {
    std::size_t const back = at_;
    skip_spaces();
    if (take("\u2218") || (next_is("o") && !(at_ + 1 < line_.size() && letter(line_[at_ + 1])) && take("o"))) return true;
    return at_ = back, false;
  }
  // CuTe prints a swizzled pointer as `Sw<3,4,3>_smem_ptr[16b](0x7f00)`.
  bool take_pointer_mark() { return is_at(at_, '_') && at_ + 1 < line_.size() && letter(line_[at_ + 1]) && take("_"); }
  // A swizzle, an offset and a layout are one value, and so are two of those; else A o B is the composition.
  piece joined(piece a) {
    std::size_t o = out_.text.size();
    put("o", at_ - 1);
    pointer_bits_.clear(), pointer_address_ = pointer_offset_ = 0;
    piece const b = behind_o();
    bool const swizzle = a.is(kind::swizzle);
    if (swizzle && !pointer_bits_.empty()) o = count_elements(a, o);
    if (swizzle && b.is_offset()) {
      if (!take_o()) fail("'o' and a layout belong behind the offset of a composed layout");
      put("o", at_ - 1);
      behind_o();
    } else if (swizzle && b.is(kind::layout)) {
      put_before(o + 1, std::to_string(pointer_offset_) + "o", b.column);
    } else if (!a.is_offset()) {
      if (std::size_t const back = at_; b.is_offset() && take_o()) fail_at(back, "an offset belongs behind a swizzle alone");
      out_.text[o] = ' ';
      put_before(a.begin, "composition ", a.column);
      return {a.begin, a.column, kind::layout, true};
    }
    return {a.begin, a.column, kind::composed};
  }

  piece behind_o() {
    piece const p = operand();
    if (p.of_call) fail_at(p.column, "brackets belong here: (A o B)(c) is a value of the composition, A(B(c)) one of A");
    return settled(p);
  }

  // Before a pointer, CuTe's swizzle is of bytes, and of the address; it becomes one of elements, behind an offset. Returns
  // where it ends.
  std::size_t count_elements(piece const& swizzle, std::size_t end) {
    std::string const of_bytes = out_.text.substr(swizzle.begin, end - swizzle.begin);
    answer const a = answer_(parse_request("recast_layout " + of_bytes + " 8b " + pointer_bits_));
    if (!a) throw unanswered(a);
    std::string const text = print(a.result);
    int b = 0, m = 0, s = 0;
    std::sscanf(of_bytes.c_str(), "Sw<%d,%d,%d>", &b, &m, &s);
    std::uint64_t const period = std::uint64_t{1} << std::min(b + m + std::abs(s), 60);  // of the bytes that the swizzle moves
    pointer_offset_ = pointer_address_ % period * 8 / static_cast<std::uint64_t>(out_.element_bits);
    erase(swizzle.begin, of_bytes.size());
    put_before(swizzle.begin, text, swizzle.column);
    return swizzle.begin + text.size();
  }

  piece operand() {
    piece p = made();
    std::size_t const back = at_;
    skip_spaces();
    if (p.is_offset() && next_is(":")) {
      put(":", at_++);
      skip_spaces();
      settled(made());
      p.what = kind::layout;
    } else {
      at_ = back;
    }
    while (next_is("(") && (p.asked || p.is_function())) p = called(settled(p));
    return p;
  }
  // A value, and behind a type of C++ what makes one of it: `Layout<Shape<_4>>{}`.
  piece made() {
    piece const p = without_stride();
    if (!take("{}") && line_[at_ - 1] == '>') take("()");
    return p;
  }
  // CuTe's layout(coordinate), right behind the layout: its value there, or with `_` in it the slice.
  piece called(piece const& f) {
    if (!f.is_function()) fail(unexpected('(') + " after a value");
    std::size_t const bracket = at_, behind = out_.text.size();
    std::size_t const n = separated(",").size();
    if (n == 0) fail_at(bracket, "a coordinate belongs in these brackets");
    if (n > 1) put_before(behind, "(", bracket), put(")", at_ - 1);
    bool const slices = out_.text.find('_', behind) != std::string::npos;
    std::size_t const between = slices ? swapped(f.begin, behind) : behind;
    put_before(between, " ", bracket);
    put_before(f.begin, slices ? "slice " : f.is(kind::f2) ? "f2_apply " : "apply ", bracket);
    return {f.begin, f.column, slices ? kind::layout : kind::number, true, !slices};
  }
  // What stands from `middle` on comes before what stands from `begin` on. Returns where it ends.
  std::size_t swapped(std::size_t begin, std::size_t middle) {
    auto const text = out_.text.begin();
    auto const end =
        std::rotate(text + static_cast<std::ptrdiff_t>(begin), text + static_cast<std::ptrdiff_t>(middle), out_.text.end());
    std::rotate(column_at(begin), column_at(middle), out_.columns.end());
    return static_cast<std::size_t>(end - text);
  }

  piece without_stride() {
    skip_spaces();
    if (!more()) fail("a value belongs here");
    if (peek() == '<') return list("<", ">", kind::tiler, at_);
    if (closing(peek())) return list("(", ")", kind::tuple, at_);
    if (number_is_next()) return number();
    if (letter(peek()) || peek() == '_') return named();
    fail("expected a value, found " + shown(peek()));
  }

  bool number_is_next() const {
    std::size_t const sign = at_ + (is_at(at_, '_') ? 1 : 0);
    return sign < line_.size() && (digit(line_[sign]) || line_[sign] == '-');
  }
  // As it stands, a basis and the b of a width with it; the grammar reads static integers, too.
  piece number() {
    piece const p{out_.text.size(), at_, kind::number};
    take("_");
    if (next_is("-")) copy_to(at_ + 1);
    std::size_t end = at_;
    while (end < line_.size() && (digit(line_[end]) || line_[end] == '@')) ++end;
    if (end == at_) fail("expected a value, found " + (more() ? shown(peek()) : "the end"));
    copy_to(end + (is_at(end, 'b') ? 1 : 0));
    return p;
  }

  // Python's `stride=`: what is meant stands in the order of the grammar.
  // Arguments are known by their places, also those that have a keyword.
  void skip_keyword(std::vector<std::string_view>& before) {
    std::size_t const end = end_of_name(at_);
    if (letter(peek()) && is_at(end, '=')) {
      std::string_view const name = line_.substr(at_, end - at_);
      for (auto const& [first, second] : keyword_order)
        if (name == first && std::find(before.begin(), before.end(), second) != before.end())
          fail(std::string(first) + " belongs before " + std::string(second));
      before.push_back(name);
      at_ = end + 1;
    }
    skip_spaces();
  }
  // What closes such a bracket; 0: it is none.
  static char closing(char open) {
    std::size_t const k = std::string_view("(<[{").find(open);
    return k == std::string_view::npos ? '\0' : ")>]}"[k];
  }
  // How many items stand in the brackets, each told to `item` with its number.
  template <class F>
  std::size_t items(F item) {
    std::size_t const open = at_++;
    char const close = closing(line_[open]);
    std::size_t n = 0;
    std::vector<std::string_view> keywords;
    for (skip_spaces(); more() && peek() != close;) {
      skip_keyword(keywords);
      item(n++);
      skip_spaces();
      if (!take(",")) break;
      skip_spaces();
    }
    if (!more()) fail_at(open, shown(line_[open]) + " is never closed");
    if (peek() != close) fail("expected ',' or " + shown(close) + ", found " + shown(peek()));
    return ++at_, n;
  }
  // A tuple or a tiler that begins there, with its name if it has one; around a single layout the brackets say nothing. What
  // holds several values with a layout among them is a tiler, as CuTe prints one: `(_2:_1,_2:_2)`.
  piece list(std::string_view open, std::string_view close, kind what, std::size_t column) {
    piece p{out_.text.size(), column, what};
    std::optional<piece> last;
    bool tiles = false;
    put(open, column);
    std::size_t const n = items([&](std::size_t k) {
      if (k > 0) put(",", at_ - 1);
      last = settled(expression());
      tiles |= last->is(kind::layout) || last->is(kind::tiler);
    });
    if (n == 1 && what == kind::tuple && !last->is_offset() && !last->is(kind::word)) return without_brackets(p, *last);
    if (tiles && what == kind::tuple) out_.text[p.begin] = '<', close = ">", p.what = kind::tiler;
    put(close, at_ - 1);
    return p;
  }
  piece without_brackets(piece const& p, piece const& inner) {
    erase(p.begin, 1);
    return {p.begin, p.column, inner.what};
  }

  piece named() {
    std::size_t const start = at_;
    skip_namespace();
    if (number_is_next()) return number();
    std::size_t const end = end_of_name(at_);
    std::string_view const name = line_.substr(at_, end - at_);
    if (is_at(end, '[')) return behind_pointer(end);
    if (name.starts_with("SW_") || name == "None") return another_word(name, end);
    if (name == "F2" && is_at(end, '<')) return linear_map(start, end);
    if (auto const shared = shared_layout_called(name); shared && is_at(end, '<')) return shared_atom(*shared, start, end);
    bool const angle = is_at(end, '<'), round = is_at(end, '(');
    role const r = role_of(name);
    if (angle && r == role::call && call_is_behind(end) && !is_at(end_of_angles(end) + 1, ')'))
      return template_call(operation_called(name), start, end);
    if (!round && (!angle || r == role::call)) return word(start);
    at_ = end;
    return in_role(r, name, start);
  }
  // 8 rows (or columns) of as many bytes as the swizzle of bytes covers, as elements of the type.
  piece shared_atom(shared_layout const& of, std::size_t column, std::size_t angle) {
    std::size_t const begin = out_.text.size();
    at_ = angle;
    separated(",");
    auto const type = type_called(out_.text.substr(begin));
    if (!type) fail_at(angle + 1, "a type belongs here");
    cut(begin);
    std::string const run = std::to_string(128 << of.bits);
    put("recast_layout Sw<" + std::to_string(of.bits) + ",7,3>o0o" +
            (of.along_k ? "(8," + run + "):(" + run + ",1)" : "(" + run + ",8):(1," + run + ")") + " 1b " +
            std::to_string(type->bits) + "b",
        column);
    out_.element_bits = type->bits;
    return {begin, column, kind::layout, true};
  }
  // F2<n> and the bases.
  piece linear_map(std::size_t column, std::size_t angle) {
    piece const p{out_.text.size(), column, kind::f2};
    std::size_t const close = line_.find('>', angle);
    if (close == line_.npos) fail_at(angle, "'<' is never closed");
    copy_to(close + 1);
    skip_spaces();
    if (!more() || peek() != '(') fail("the bases of a linear map, a tuple, belong here");
    list("(", ")", kind::tuple, at_);
    return p;
  }
  // Is what stands in angles followed by what stands in brackets?
  bool call_is_behind(std::size_t angle) const { return is_at(end_of_angles(angle), '('); }
  // npos where they are never closed.
  std::size_t end_of_angles(std::size_t from) const {
    int open = 0;
    do {
      if (from == line_.size()) return line_.npos;
      open += (line_[from] == '<') - (line_[from] == '>');
      ++from;
    } while (open > 0);
    return from;
  }
  // `take<0,2>(A)`, `append<3>(A, B)`: what stands in angles comes behind the first argument.
  piece template_call(std::string_view name, std::size_t column, std::size_t angle) {
    std::size_t const begin = out_.text.size();
    at_ = end_of_angles(angle);
    std::vector<piece> const arguments = separated(" ");
    std::size_t const end = std::exchange(at_, angle), behind = out_.text.size();
    put(" ", angle);
    separated(" ");
    at_ = end;
    if (changes_width(name)) out_.element_bits = 0;
    if (is_asked_of_modes(name) && arguments.size() == 1) return of_mode({begin, column}, name, behind);
    if (arguments.size() > 1) swapped(arguments[1].begin - 1, behind);
    put_before(begin, std::string(name) + " ", column);
    return {begin, column, kind::layout, true};
  }
  // The same of a mode of the argument a: which one stands behind it, as ` 0 1` or ` (0,1)`.
  piece of_mode(piece a, std::string_view name, std::size_t behind) {
    std::string modes = out_.text.substr(behind);
    std::erase_if(modes, [](char c) { return c == '(' || c == ')'; });
    std::replace(modes.begin(), modes.end(), ',', ' ');
    modes.erase(modes.find_last_not_of(' ') + 1);
    std::size_t const column = out_.columns[behind];
    cut(behind);
    for (std::size_t from = 0, to = 0; from < modes.size(); from = to) {
      to = std::min(modes.find(' ', from + 1), modes.size());
      settled(a);
      put_before(a.begin, "get ", a.column);
      put(modes.substr(from, to - from), column);
      a.asked = true;
    }
    if (name == "get") return a;
    a = settled(a);
    put_before(a.begin, std::string(name) + " ", a.column);
    piece const inner{a.begin + name.size() + 1, a.column, a.what};
    return complete(a, name, {inner});
  }
  // An atom, a type, a field, `_`: as the grammar reads words, up to a space or what ends an item. In angles C++ has spaces,
  // namespaces and arguments that say nothing of layouts; here there are none.
  piece word(std::size_t column) {
    piece const p{out_.text.size(), column, kind::word};
    bool closed = false;
    for (int angle = 0; more(); copy_to(at_ + 1)) {
      if (angle > 0 && closed) skip_to_argument(angle);
      if (!more() || space(peek()) || next_is("{}") || next_is("()")) break;
      if (peek() == '<' && angle++ == 0) closed = end_of_angles(at_) != line_.npos;
      if (peek() == '>' && angle-- == 0) break;
      if (std::string_view(",)]}").find(peek()) != std::string_view::npos && angle == 0 && depth_ > 1) break;
      if (peek() < 32 || peek() > 126) fail(unexpected(peek()));
    }
    if (out_.text.size() == p.begin) fail("a value belongs here");
    if (out_.text[p.begin] == 'o' && !letter(out_.text.c_str()[p.begin + 1])) fail_at(column, "'o' belongs between two values");
    return p;
  }
  void skip_to_argument(int& angle) {
    bool const first = out_.text.ends_with('<');
    std::size_t const back = at_;
    skip_spaces();
    if (!first && !out_.text.ends_with(',')) return void(more() && (peek() == ',' || peek() == '>') ? at_ : at_ = back);
    skip_namespace();
    std::size_t const end = std::min(line_.find_first_of(",>", at_), line_.size());
    std::string_view argument = line_.substr(at_, end - at_);
    argument = argument.substr(0, argument.find_last_not_of(' ') + 1);
    if (std::string_view const type = cute_type(argument); !type.empty()) return put(type, std::exchange(at_, end));
    if (!says_no_layout(argument)) return;
    bool const last = line_[end] == '>';
    at_ = end + (first ? 1 : 0);
    if (last || !first) cut(out_.text.size() - 1);
    if (first && last) --angle;
    if (first && last && more() && in_name(peek())) fail(unexpected(peek()) + " after a value");
    if (first && !last) skip_to_argument(angle);
  }
  // pycute's swizzle, SW_3_4_3, and Python's open mode.
  piece another_word(std::string_view name, std::size_t end) {
    std::size_t const column = at_, begin = out_.text.size();
    at_ = end;
    if (name == "None") return put("_", column), piece{begin, column, kind::word};
    std::string inside(name.substr(3));
    std::replace(inside.begin(), inside.end(), '_', ',');
    put("Sw<" + inside + ">", column);
    return {begin, column, kind::swizzle};
  }
  // Of a tensor as CuTe prints it, `gmem_ptr[16b](0x7f00) o LAYOUT`, the layout.
  piece behind_pointer(std::size_t bracket) {
    std::size_t const close = line_.find(')', bracket);
    if (!line_.substr(0, bracket).ends_with("ptr") || close == line_.npos) fail_at(bracket, "unexpected '['");
    at_ = close + 1;
    if (!take_o()) fail("'o' and a layout belong behind a pointer");
    std::size_t const digits = std::min(line_.find_first_not_of("0123456789", bracket + 1), line_.size());
    piece const p = expression();
    if (digits > bracket + 1 && digits < bracket + 8 && line_.substr(digits, 2) == "b]") {
      pointer_bits_ = line_.substr(bracket + 1, digits - bracket);
      out_.element_bits = std::stoi(pointer_bits_);
      if (std::size_t const address = line_.find("(0x", digits); address < close)
        std::from_chars(line_.data() + address + 3, line_.data() + close, pointer_address_, 16);
    }
    return p;
  }

  piece in_role(role r, std::string_view name, std::size_t column) {
    std::size_t const begin = out_.text.size();
    switch (r) {
      case role::tuple: return list("(", ")", kind::tuple, column);
      case role::tiler: return list("<", ">", kind::tiler, column);
      case role::swizzle: return list("Sw<", ">", kind::swizzle, column);
      case role::layout: return layout(column);
      case role::composed: return composed(column);
      case role::atom: return atom(column);
      case role::integer: return separated(","), piece{begin, column, kind::number};
      case role::call: break;
    }
    std::string_view const operation = operation_called(name);
    put(operation, column);
    put(" ", column);
    std::vector<piece> const arguments = separated(" ");
    if (changes_width(operation)) out_.element_bits = 0;
    bool const of_one = arguments.size() == 2 && !arguments[0].is_offset() && arguments[1].is_offset();
    if (!of_one || !is_asked_of_modes(operation)) return complete({begin, column}, operation, arguments);
    erase(begin, operation.size() + 1);  // the CuTe DSL's `size(A, mode=[0, 1])`
    return of_mode({begin, column}, operation, arguments[1].begin - operation.size() - 2);
  }
  piece composed(std::size_t column) {
    std::size_t const begin = out_.text.size();
    std::vector<piece> const parts = separated("o");
    bool const whole = parts.size() == 3 && parts[0].is(kind::swizzle) && parts[1].is_offset() && parts[2].is(kind::layout);
    if (!whole) fail_at(column, "a swizzle, an offset and a layout make a composed layout");
    return {begin, column, kind::composed};
  }
  // `Copy_Atom<SM75_U32x4_LDSM_N, half_t>` as arguments; alone in a line it is the atom.
  piece atom(std::size_t column) {
    std::size_t const begin = out_.text.size();
    std::vector<piece> const parts = separated(" ");
    if (begin == 0 && parts.size() > 1) cut(parts[1].begin - 1);
    return {begin, column, kind::word};
  }
  // The items alone, with that between them.
  std::vector<piece> separated(std::string_view by) {
    std::vector<piece> out;
    items([&](std::size_t k) {
      if (k > 0) put(by, at_ - 1);
      out.push_back(settled(expression()));
    });
    return out;
  }
  // Without a stride as CuTe makes one; of layouts, each a mode.
  piece layout(std::size_t column) {
    std::size_t const begin = out_.text.size();
    std::vector<piece> const parts = separated(":");
    auto const other = std::find_if(parts.begin(), parts.end(), [](piece const& p) { return !p.is(kind::layout); });
    if (parts.empty() || parts[0].is(kind::word)) fail_at(parts.empty() ? at_ - 1 : parts[0].column, "a shape belongs here");
    if (other == parts.end()) return of_layouts({begin, column}, parts);
    if (other != parts.begin()) fail_at(other->column, "layouts belong together here, or a shape and its stride");
    std::string const order = parts.size() == 2 && parts[1].is(kind::word) ? out_.text.substr(parts[1].begin) : "";
    bool const right = order == "LayoutRight" || order == "GenRowMajor";
    if (right || order == "LayoutLeft" || order == "GenColMajor") cut(parts[1].begin - 1);
    bool const whole = parts.size() == 1 || out_.text.size() < parts.back().begin;
    if (whole) put_before(begin, right ? "make_layout_right " : "make_layout_left ", column);
    return {begin, column, kind::layout, whole};
  }
  piece of_layouts(piece a, std::vector<piece> const& parts) {
    std::string shapes, strides;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      std::size_t const end = k + 1 < parts.size() ? parts[k + 1].begin - 1 : out_.text.size();
      std::string const mode = out_.text.substr(parts[k].begin, end - parts[k].begin);
      std::size_t const colon = mode.find(':');
      shapes += (k > 0 ? "," : "(") + mode.substr(0, colon);
      strides += (k > 0 ? "," : "(") + mode.substr(colon + 1);
    }
    cut(a.begin);
    put(shapes + "):" + strides + ")", a.column);
    return {a.begin, a.column, kind::layout};
  }
};

}  // namespace detail

// The line in the grammar: a request, or a value. Throws malformed with a place of the line, or unanswered.
inline rewritten in_grammar(std::string_view line, answering const& answer) { return detail::rewriter(line, answer).whole(); }

}  // namespace colex
