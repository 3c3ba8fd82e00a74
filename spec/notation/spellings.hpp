// What people write and what other programs print, rewritten in the one grammar: pycute's and CuTe's text and C++ of layouts,
// `coalesce((4, 2):(1, 4))`, `A o B`. For people's input alone: the wire, the cases and the laws have the grammar.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/spelled_requests.hpp"

#include <cstdio>
#include <cstdlib>

namespace colex {
namespace detail {

class rewriter final : request_rewriter {
 public:
  using request_rewriter::request_rewriter;

  rewritten whole() {
    line_ = line_.substr(0, line_.find_last_not_of("; \t\r\n") + 1);  // of C++ people have the semicolon, too
    need_no_equals();
    need_no_stream();
    skip_spaces();
    skip_namespace();
    std::size_t const end = end_of_name(at_);
    if (end > at_ && letter(line_[at_]) && !next_is("SW_") && (end == line_.size() || space(line_[end]) || shape_is_at(end)))
      arguments_behind_name(end);
    else
      value_alone(expression());
    need_end();
    return std::move(out_);
  }

 private:
  // ---- a line ----

  void arguments_behind_name(std::size_t end) {
    std::size_t const column = std::exchange(at_, end);
    need_expression(column, end);
    std::string_view const name = operation_called(line_.substr(column, end - column));
    put(name, column);
    std::vector<piece> arguments;
    while (skip_spaces(), more()) {
      put(" ", at_);
      arguments.push_back(settled(expression()));
      need_end();
    }
    bool const one = arguments.size() == 1 && arguments[0].is(kind::tiler);  // that no operation takes alone
    if (one && is_at(arguments[0].column, '(')) fail_at(arguments[0].column, bracket_apart);
    complete({0, column}, name, arguments);
  }
  // Is what stands in these brackets a shape, with a stride behind it?
  bool shape_is_at(std::size_t bracket) const {
    if (line_[bracket] != '(' || role_of(line_.substr(at_, bracket - at_)) != role::call) return false;
    std::size_t const end = end_of_brackets(bracket);
    return end != line_.npos && is_at(line_.find_first_not_of(" \t\r\n", end), ':');
  }
  void value_alone(piece const& a) {
    skip_spaces();
    if (a.is(kind::word) && more() && is_apart()) fail(bracket_apart);
    if (a.is_function() && next_is("(")) fail("a coordinate stands right behind what it is of, as in 4:2(3)");
  }

  inline static std::string const not_a_statement = "an expression is read, not a statement: ";

  // Neither a statement nor a question with its answer is read. In brackets stand keywords.
  void need_no_equals() const {
    std::size_t const at = find_outside_brackets(line_, [&](std::size_t k) { return line_[k] == '='; });
    if (at == line_.npos) return;
    fail_at(at, is_variable(line_.substr(0, at))
                    ? not_a_statement + "write " + value_behind(at)
                    : "what is asked has no '=': leave it out, and what stands behind it ('colex cases' checks answers)");
  }

  // Nor what a program writes: `std::cout << A`. Behind the two brackets of a tiler stands no name.
  void need_no_stream() const {
    std::size_t const at = line_.find("<<"), behind = line_.find_first_not_of(" \t\r\n<", at);
    if (at == line_.npos || behind == line_.npos || !(letter(line_[behind]) || is_at(behind, '"'))) return;
    std::string_view before = line_.substr(0, line_.find_last_not_of(" \t\r\n", at - (at > 0)) + 1);
    if (std::size_t const space = before.rfind("::"); space != before.npos) before.remove_prefix(space + 2);
    if (!is_variable(before) || before.find(' ') != before.npos) return;
    std::string_view rest = line_.substr(behind);
    if (rest[0] == '"') rest.remove_prefix(std::min(rest.find("<<"), rest.size() - 2) + 2);
    rest = rest.substr(0, std::min(rest.find("<<"), rest.find(';')));
    fail_at(0, not_a_statement + "write " + alone(rest.substr(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()))));
  }
  // What a variable's member is, such as A.layout() and A->shape, only its program knows. The words of PTX have dots, too.
  void need_no_variable(std::size_t begin, std::size_t end) const {
    bool const arrow = line_.substr(end, 2) == "->";
    if (!arrow && !(is_at(end, '.') && end + 1 < line_.size() && letter(line_[end + 1]))) return;
    std::string_view const name = line_.substr(begin, end - begin);
    std::size_t behind = end_of_name(end + 1 + arrow), last = end + 1 + arrow;
    while (is_at(behind, '.')) last = behind + 1, behind = end_of_name(last);
    bool const called = is_at(behind, '('),
               known = is_word_of("layout shape stride data size", line_.substr(last, behind - last));
    if (!arrow && !called && !known) return;
    if (std::size_t const closed = called ? end_of_brackets(behind) : line_.npos; closed != line_.npos) behind = closed;
    fail_at(begin, "a program's variable has no value here: let it print " +
                       clipped(std::string(line_.substr(begin, behind - begin)), 60) + ", and write what " +
                       clipped(std::string(name), 60) + " is, such as (4,8):(8,1)");
  }

  // What the statement with that `=` gives its variable.
  std::string value_behind(std::size_t equals) const {
    std::size_t const begin = std::min(line_.find_first_not_of(" \t\r\n", equals + 1), line_.size());
    return alone(line_.substr(begin, std::min(line_.find(';', begin), line_.size()) - begin));
  }
  // What a statement such as print(4:1) or static_assert(size(4:1) == 4, "...") is about, in the bracket there.
  std::string value_within(std::size_t bracket) const {
    std::size_t const end = is_at(bracket, '(') ? end_of_brackets(bracket) : line_.npos;
    if (end == line_.npos) return alone("");
    std::size_t const begin = line_.find_first_not_of(" \t\r\n", bracket + 1);
    std::string_view const all = line_.substr(begin, end - 1 - begin);
    std::string_view const value =
        all.substr(0, find_outside_brackets(all, [&](std::size_t k) {
                     bool const compares = all.substr(k, 2) == "==" || all.substr(k, 2) == "!=";
                     return compares || (all[k] == ',' && is_at(line_.find_first_not_of(" \t\r\n", begin + 1 + k), '"'));
                   }));
    return alone(value.find_first_of("\"'") == value.npos ? value : "");
  }
  static std::string alone(std::string_view value) {
    value = value.substr(0, value.find_last_not_of(" \t\r\n") + 1);
    if (is_variable(value)) return "the layout that " + clipped(std::string(value), 60) + " stands for, such as (4,8):(8,1)";
    return (value.empty() ? "what is to be read" : clipped(std::string(value), 60)) + " alone";
  }

  // Is the name there what an expression may begin with? A bracket of CuTe's makers stands right behind them.
  void need_expression(std::size_t column, std::size_t end) const {
    std::string_view const name = line_.substr(column, end - column);
    std::size_t const next = line_.find_first_not_of(" \t\r\n", end);
    if (next == line_.npos) return;
    if (is_statement(name)) {
      bool const drawn = is_word_of("print_layout print_latex", name);
      fail_at(column, not_a_statement + "write " + value_within(next) + (drawn ? "; 'colex draw' draws it" : ""));
    }
    if (next == end) return;
    if (begins_declaration(name) || is_word_of("typename template return", name))
      fail_at(column, not_a_statement + "leave out " + std::string(name));
    if (role_of(name) != role::call && closing(line_[next])) fail_at(next, bracket_apart);
  }

  void need_end() const {
    if (more() && !space(peek())) fail(is_member() ? member_behind() : unexpected(peek()) + " after a value");
  }

  // Operands with `o` between them, from left to right.
  piece expression() {
    if (++depth_ > max_depth + 1) fail("nested deeper than " + std::to_string(max_depth));
    piece a = operand();
    while (take_o() || (a.is(kind::swizzle) && take_pointer_mark())) a = joined(settled(a));
    --depth_;
    return a;
  }
  // CuTe prints a swizzled pointer as `Sw<3,4,3>_smem_ptr[16b](0x7f00)`.
  bool take_pointer_mark() { return is_at(at_, '_') && at_ + 1 < line_.size() && letter(line_[at_ + 1]) && take("_"); }
  // A swizzle, an offset and a layout are one value, and so are two of those; else A o B is the composition.
  piece joined(piece a) {
    std::size_t o = out_.text.size();
    put("o", at_ - 1);
    pointer_bits_.clear(), pointer_offset_ = 0;
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
      need_no_single(b, "<", ">");
      tile(b, out_.text.size());
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
    piece p = multiple();
    std::size_t const back = at_;
    skip_spaces();
    if (p.is_offset() && next_is(":")) {
      put(":", at_++);
      settled(multiple());
      p.what = kind::layout;
      p.single.reset();
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
  // What is made there, or CuTe's multiple of a basis, `_2{} * E<0>{}`.
  piece multiple() {
    piece p = made();
    for (std::size_t star; p.is(kind::number) && is_at(star = line_.find_first_not_of(" \t\r\n", at_), '*');)
      p = product(p, star);
    return p;
  }
  piece product(piece const& p, std::size_t star) {
    std::size_t const behind = out_.text.size();
    at_ = star + 1;
    settled(made());
    auto const number = [](std::string const& text) { return parse(text); };
    value const b = in_inner(text_from(behind), number);
    cut(behind);
    value const a = in_inner(text_from(p.begin), number);
    if (!a.is(kind::number) || !b.is(kind::number) || a.basis.empty() == b.basis.empty())
      fail_at(star, "a product: write the number that it gives");
    return replaced(p.begin, p.column, value(colex::integer(a.number * b.number), a.basis.empty() ? b.basis : a.basis));
  }
  // CuTe's layout(coordinate), right behind the layout: its value there, or with `_` or `X` in it the slice.
  piece called(piece const& f) {
    if (!f.is_function()) fail(unexpected('(') + " after a value");
    std::size_t const bracket = at_, behind = out_.text.size();
    std::vector<piece> const coordinates = separated(",");
    if (coordinates.empty()) fail_at(bracket, "a coordinate belongs in these brackets");
    for (piece const& c : coordinates) need_no_single(c, "(", ",)");
    if (coordinates.size() > 1) put_before(behind, "(", bracket), put(")", at_ - 1);
    bool const slices = out_.text.find_first_of("_X", behind) != std::string::npos;
    std::size_t const between = slices ? swapped(f.begin, behind) : behind;
    put_before(between, " ", bracket);
    put_before(f.begin, slices ? "slice " : f.is(kind::f2) ? "f2_apply " : "apply ", bracket);
    return {f.begin, f.column, slices ? kind::layout : kind::number, true, true};
  }

  // ---- what stands there ----

  piece without_stride() {
    skip_spaces();
    if (!more()) fail("a value belongs here");
    if (peek() == '<') return list("<", ">", kind::tiler, at_);
    if (closing(peek())) return list("(", ")", kind::tuple, at_);
    if (number_is_next()) return number();
    if (letter(peek()) || peek() == '_') return named();
    if (peek() == '?') fail("what is known only at run time has no value here: write a number");
    fail("expected a value, found " + shown(peek()));
  }

  piece named() {
    std::size_t const start = at_;
    skip_namespace();
    if (number_is_next()) return number();
    std::size_t const end = end_of_name(at_);
    std::string_view const name = line_.substr(at_, end - at_);
    need_expression(at_, end);
    need_no_variable(at_, end);
    if (is_at(end, '[')) return behind_pointer(end);
    if (name.starts_with("SW_") || name == "None") return another_word(name, end);
    if (name == "F2" && is_at(end, '<')) return linear_map(start, end);
    if (auto const shared = shared_layout_called(name); shared && is_at(end, '<')) return shared_atom(*shared, start, end);
    bool const angle = is_at(end, '<'), round = is_at(end, '(');
    if ((angle || round) && (name.ends_with("ptr") || name == "tensor" || name == "make_tensor"))
      fail_at(start, "of a tensor the layout alone is read: write what stands behind its pointer");
    if (angle && name == "TiledCopy")
      fail_at(start,
              "of a tiled copy the layouts of its threads and of their values are read, as in make_tiled_copy(Copy_Atom<"
              "UniversalCopy<float>,float>{}, (32,8):(1,32), (1,4):(0,1))");
    if (std::string_view const operation = operation_in_angles(name); angle && !operation.empty())
      return at_ = end, call(operation, start);
    if (row_major(name) && line_.substr(end, 2) == "()") {  // an object in Python
      piece const p{out_.text.size(), at_, kind::word};
      return copy_to(end), at_ += 2, p;
    }
    role const r = role_of(name);
    if (angle && r == role::call && call_is_behind(end) && !is_at(end_of_angles(end) + 1, ')'))
      return template_call(operation_called(name), start, end);
    if (!round && (!angle || r == role::call)) return word(start);
    at_ = end;
    return in_role(r, name, start);
  }
  // Is what stands in angles followed by what stands in brackets?
  bool call_is_behind(std::size_t angle) { return is_at(end_of_angles(angle), '('); }
  // `take<0,2>(A)`, `append<3>(A, B)`: what stands in angles comes behind the first argument.
  piece template_call(std::string_view name, std::size_t column, std::size_t angle) {
    std::size_t const begin = out_.text.size();
    at_ = end_of_angles(angle);
    std::vector<piece> pieces = arguments_of(name, " ");
    std::size_t const n = pieces.size(), end = std::exchange(at_, angle), behind = out_.text.size();
    if (n > 0) put(" ", angle);
    std::vector<piece> const in_angles = separated(" ");
    at_ = end;
    if (in_angles.empty()) cut(behind);
    if (changes_width(name)) out_.element_bits = 0;
    if (is_asked_of_modes(name) && n == 1) return of_mode(pieces[0], name, behind);
    pieces.insert(pieces.end(), in_angles.begin(), in_angles.end());
    std::vector<std::size_t> places(pieces.size());
    for (std::size_t k = 0; k < pieces.size(); ++k)
      places[k] = k == 0 ? 0 : k < n ? k + in_angles.size() : k - n + std::min<std::size_t>(n, 1);
    if (n > 1) arrange(pieces, places, " ");
    put_before(begin, std::string(name) + " ", column);
    for (piece& p : pieces) p.begin += name.size() + 1;
    return complete({begin, column}, name, pieces);
  }
  // The same of a mode of the argument a: which one stands behind it, as ` 0 1` or ` (0,1)`.
  piece of_mode(piece a, std::string_view name, std::size_t behind) {
    std::string modes = out_.text.substr(behind);
    std::vector<std::size_t> const columns(column_at(behind), out_.columns.end());
    cut(behind);
    std::replace_if(modes.begin(), modes.end(), [](char c) { return c == '(' || c == ')' || c == ','; }, ' ');
    for (std::size_t from = 0, to = 0; (from = modes.find_first_not_of(' ', to)) != modes.npos;) {
      to = std::min(modes.find(' ', from), modes.size());
      a = mode_of(settled(a), name, modes.substr(from, to - from), columns[from]);
    }
    if (name == "get" || (name == "shape" && a.is_offset())) return a;
    a = settled(a);
    put_before(a.begin, std::string(name) + " ", a.column);
    piece inner = a;
    inner.begin += name.size() + 1;
    return complete(a, name, {inner});
  }
  // One mode of it; for what the shape says, of the shape where that is all there is, or all that has modes.
  piece mode_of(piece a, std::string_view name, std::string const& mode, std::size_t column) {
    if (a.is(kind::composed) && asks_the_shape(name)) {
      put_before(a.begin, "shape ", a.column);
      piece inner = a;
      inner.begin += 6;
      a = half(a, true, inner);
    }
    if (a.is_offset()) return item(a, mode, column);
    put_before(a.begin, "get ", a.column);
    put(" " + mode, column);
    a.asked = true;
    return a;
  }
  // Of a tuple the item of that number; a number is its own.
  piece item(piece const& a, std::string const& mode, std::size_t column) {
    std::string const text = out_.text.substr(a.begin);
    rewritten const number{mode, std::vector(mode.size(), column)};
    std::optional<value> const v = item_of(parse(text), in_inner(number, [](std::string const& n) { return parse(n); }));
    if (!v) fail_at(column, clipped(text, 40) + " has no mode " + clipped(mode, 40));
    note("get " + text + " " + mode + " = " + print(*v));
    return replaced(a.begin, a.column, *v);
  }
  piece in_role(role r, std::string_view name, std::size_t column) {
    switch (r) {
      case role::tuple: return list("(", ")", kind::tuple, column);
      case role::tiler: return list("<", ">", kind::tiler, column);
      case role::swizzle: return swizzle(name, column);
      case role::layout: return layout(name, column);
      case role::composed: return composed(name, column);
      case role::atom: return atom(name, column);
      case role::integer: return integer(name, column);
      case role::basis: return basis(name, column);
      case role::call: break;
    }
    return call(name, column);
  }
  // `Int<4>`
  piece integer(std::string_view name, std::size_t column) {
    std::size_t const begin = out_.text.size();
    std::vector<piece> const parts = separated(",");
    if (parts.size() != 1 || !parts[0].is(kind::number)) fail_at(column, std::string(name) + " holds one integer");
    return {begin, column, kind::number};
  }
  piece call(std::string_view name, std::size_t column) {
    std::size_t const begin = out_.text.size();
    std::string_view const operation = operation_called(name);
    put(operation, column);
    put(" ", column);
    std::vector<piece> const arguments = arguments_of(name, " ");
    if (changes_width(operation)) out_.element_bits = 0;
    if (!is_of_mode(operation, arguments)) return complete({begin, column}, operation, arguments);
    erase(begin, operation.size() + 1);
    piece of = arguments[0];
    of.begin = begin;
    return of_mode(of, operation, arguments[1].begin - operation.size() - 2);
  }
  // The CuTe DSL's `size(A, mode=[0, 1])`; of a shape its second mode is no `size(4,2)`.
  static bool is_of_mode(std::string_view operation, std::vector<piece> const& arguments) {
    return is_asked_of_modes(operation) && arguments.size() == 2 && arguments[1].is_offset() &&
           (!arguments[0].is_offset() || arguments[1].keyword == "mode");
  }
};

}  // namespace detail

// The line in the grammar: a request, or a value. Throws malformed with a place of the line, or unanswered.
inline rewritten in_grammar(std::string_view line, answering const& answer) { return detail::rewriter(line, answer).whole(); }

}  // namespace colex
