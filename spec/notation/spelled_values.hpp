// Values as CuTe, pycute and kernels' code spell them: numbers, brackets, layouts, atoms, pointers. What is asked within one is
// told to spellings.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/rewritten.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <set>

namespace colex::detail {

class value_rewriter : public rewriting {
 public:
  using rewriting::rewriting;

 protected:
  std::size_t depth_ = 0;
  std::string pointer_bits_;  // the width of an element of the last pointer, as `16b`; empty: no pointer
  std::uint64_t pointer_address_ = 0, pointer_offset_ = 0;  // of that; and in the swizzle's period, in elements

  ~value_rewriter() = default;
  // A value or a request, and that answered.
  virtual piece expression() = 0;
  virtual piece settled(piece p) = 0;

  // ---- numbers and words ----

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
    need_decimal(line_.substr(at_, end - at_));
    copy_to(end + (is_at(end, 'b') ? 1 : 0));
    return p;
  }

  // 010 is 8 in C++, and none in Python; of 0x10 the grammar has the 0 alone.
  void need_decimal(std::string_view digits) const {
    for (std::size_t k = 0; k + 1 < digits.size(); ++k)
      if (digits[k] == '0' && digit(digits[k + 1]) && (k == 0 || digits[k - 1] == '@'))
        fail_at(at_ + k,
                "an integer that begins with 0 is octal in C++, and none in Python: write it in decimal, without that 0");
    std::size_t const end = at_ + digits.size();
    if (digits == "0" && (is_at(end, 'x') || is_at(end, 'X'))) fail("integers are decimal here");
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
      if (peek() < 32 || peek() > 126 || peek() == ';' || peek() == '=') fail(unexpected(peek()));
    }
    if (out_.text.size() == p.begin) fail("a value belongs here");
    if (out_.text[p.begin] == 'o' && !letter(out_.text.c_str()[p.begin + 1])) fail_at(column, "'o' belongs between two values");
    return p;
  }
  void skip_to_argument(int& angle) {
    while (skipped_argument(angle)) {
    }
  }
  // Was it one that says nothing, with another behind it that is now the first?
  bool skipped_argument(int& angle) {
    bool const first = out_.text.ends_with('<');
    std::size_t const back = at_;
    skip_spaces();
    if (!first && !out_.text.ends_with(',')) {
      if (!more() || (peek() != ',' && peek() != '>')) at_ = back;
      return false;
    }
    skip_namespace();
    std::size_t const end = std::min(line_.find_first_of(",>", at_), line_.size());
    std::string_view argument = line_.substr(at_, end - at_);
    argument = argument.substr(0, argument.find_last_not_of(' ') + 1);
    if (std::string_view const type = cute_type(argument); !type.empty()) return put(type, std::exchange(at_, end)), false;
    if (!says_no_layout(argument)) return false;
    bool const last = line_[end] == '>';
    at_ = end + (first ? 1 : 0);
    if (last || !first) cut(out_.text.size() - 1);
    if (first && last) --angle;
    if (first && last && more() && in_name(peek())) fail(unexpected(peek()) + " after a value");
    return first && !last;
  }
  static constexpr char const* three_make_a_swizzle = "three integers make a swizzle, B, M and S: Swizzle<3,4,3>";
  // pycute's swizzle, SW_3_4_3, and Python's open mode.
  piece another_word(std::string_view name, std::size_t end) {
    std::size_t const column = at_, begin = out_.text.size();
    at_ = end;
    if (name == "None") return put("_", column), piece{begin, column, kind::word};
    std::string inside(name.substr(3));
    if (std::count(inside.begin(), inside.end(), '_') != 2) fail_at(column, three_make_a_swizzle);
    std::replace(inside.begin(), inside.end(), '_', ',');
    put("Sw<" + inside + ">", column);
    return {begin, column, kind::swizzle};
  }

  // ---- brackets ----

  // What closes such a bracket; 0: it is none.
  static char closing(char open) {
    std::size_t const k = std::string_view("(<[{").find(open);
    return k == std::string_view::npos ? '\0' : ")>]}"[k];
  }
  // `stride` of the `stride=` in front of an item; empty where there is none.
  std::string_view take_keyword() {
    std::size_t const start = at_, end = end_of_name(at_), sign = line_.find_first_not_of(' ', end);
    if (end == start || digit(peek()) || sign == line_.npos || line_[sign] != '=') return {};
    at_ = sign + 1;
    return line_.substr(start, end - start);
  }
  static constexpr char const* bracket_apart = "a bracket belongs right behind the name of what is called, without a blank";
  // Is that what stands there, behind a name and a blank?
  bool is_apart() const {
    std::size_t const last = line_.find_last_not_of(" \t\r\n", at_ - 1);
    std::size_t begin = last;
    while (begin > 0 && in_name(line_[begin - 1])) --begin;
    return peek() == '(' && last + 1 < at_ && (letter(line_[begin]) || line_[last] == '>');
  }
  // Does `.shape` stand there, or `.size()`?
  bool is_member() const { return peek() == '.' && at_ + 1 < line_.size() && letter(line_[at_ + 1]); }
  std::string member_behind() const {
    std::string const name(line_.substr(at_ + 1, end_of_name(at_ + 1) - at_ - 1));
    return "a function's name stands in front of what it is asked of: " + name + "(A) for A." + name;
  }
  // How many items stand in the brackets, each told to `item` with its number and its keyword.
  template <class F>
  std::size_t items(F item) {
    std::size_t const open = at_++;
    char const close = closing(line_[open]);
    std::size_t n = 0;
    for (skip_spaces(); more() && peek() != close;) {
      std::string_view const keyword = take_keyword();
      item(n++, keyword);
      skip_spaces();
      if (!take(",")) break;
      skip_spaces();
    }
    if (!more()) fail_at(open, shown(line_[open]) + " is never closed");
    if (peek() != close && is_member()) fail(member_behind());
    if (peek() != close) fail(is_apart() ? bracket_apart : "expected ',' or " + shown(close) + ", found " + shown(peek()));
    return ++at_, n;
  }
  // A tuple or a tiler that begins there, with its name if it has one; around a single layout bare round ones say nothing. What
  // holds several values with a layout among them is a tiler, as CuTe prints one, `(_2:_1,_2:_2)`; and so is what Python says
  // holds one, `(2:1,)` and `[2:1]`, or C++, `make_tuple(2:1)`.
  piece list(std::string_view open, std::string_view close, kind what, std::size_t column) {
    piece p{out_.text.size(), column, what};
    std::optional<piece> last;
    std::vector<std::pair<std::size_t, std::size_t>> tuples;
    bool const bare = column == at_ && peek() == '(';
    bool tiles = what == kind::tiler;
    put(open, column);
    std::size_t const n = items([&](std::size_t k, std::string_view keyword) {
      need_no(keyword);
      if (k > 0) put(",", at_ - 1);
      last = settled(expression());
      tiles |= last->is(kind::layout) || last->is(kind::tiler);
      if (last->is(kind::tuple)) tuples.emplace_back(last->begin, out_.text.size());
      if (!p.single) p.single = last->single;
    });
    bool const says_one = !bare || line_[line_.find_last_not_of(" \t\r\n", at_ - 2)] == ',';
    if (n == 1 && what == kind::tuple && !last->is_offset() && !last->is(kind::word) && !(tiles && says_one))
      return without_brackets(p, *last);
    if (n == 1 && (last->is_offset() || last->is(kind::word)) && !says_one) p.single = column;
    put(close, at_ - 1);
    if (!tiles) return p;
    for (auto const& [begin, end] : tuples) make_tiler(begin, end);
    out_.text[p.begin] = '<', out_.text.back() = '>', p.what = kind::tiler;
    return p;
  }
  // Of a tuple, and of those in it.
  void make_tiler(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at)
      if (char& c = out_.text[at]; c == '(' || c == ')') c = c == '(' ? '<' : '>';
  }
  // One value in round brackets, or something with that in it, where a tuple of one is something else.
  void need_no_single(piece const& p, std::string const& open, std::string const& close) const {
    if (!p.single) return;
    std::string const value(line_.substr(*p.single + 1, end_of_brackets(*p.single) - *p.single - 2));
    fail_at(*p.single, clipped("(" + value + ")", 40) + " is " + clipped(value, 40) +
                           " in C++ and Python, and a tuple of one where CuTe prints it: write " + clipped(value, 40) + " or " +
                           clipped(open + value + close, 40));
  }
  piece without_brackets(piece const& p, piece const& inner) {
    erase(p.begin, 1);
    return {.begin = p.begin, .column = p.column, .what = inner.what, .single = inner.single};
  }

  // The items alone, with that between them; each is known by its place, or may have a keyword.
  std::vector<piece> separated(std::string_view by, bool with_keywords = false) {
    std::vector<piece> out;
    items([&](std::size_t k, std::string_view keyword) {
      if (!with_keywords) need_no(keyword);
      if (k > 0) put(by, at_ - 1);
      out.push_back(settled(expression()));
      out.back().keyword = keyword;
    });
    return out;
  }
  void need_no(std::string_view keyword) const {
    if (!keyword.empty()) fail_at(column_of(keyword), "a keyword belongs in a call of what has parameters");
  }

  // ---- arguments by keyword ----

  // The same of what is called so, where each stands at the place of its parameter.
  std::vector<piece> arguments_of(std::string_view name, std::string_view by) {
    std::vector<piece> out = separated(by, true);
    if (std::any_of(out.begin(), out.end(), [](piece const& p) { return !p.keyword.empty(); })) {
      std::vector<std::size_t> const places = places_of(name, out);
      if (!std::is_sorted(places.begin(), places.end())) arrange(out, places, by);
    }
    while (out.size() > 1 && is_default(name, out)) {
      cut(out.back().begin - by.size());
      out.pop_back();
    }
    for (std::size_t k = 0; k < out.size(); ++k) {
      bool const tiler = k == 1 && takes_tiler_second(name);
      need_no_single(out[k], tiler ? "<" : "(", tiler ? ">" : ",)");
    }
    return out;
  }
  // Is the last argument Python's None, where that stands for a default?
  bool is_default(std::string_view name, std::vector<piece> const& arguments) const {
    std::string_view const parameter = parameter_of(name, arguments.size() - 1);
    return line_.substr(arguments.back().column, 4) == "None" && arguments.back().is(kind::word) &&
           is_word_of(may_be_none, parameter) && place_of_parameter(name, parameter) == arguments.size() - 1;
  }
  std::vector<std::size_t> places_of(std::string_view name, std::vector<piece> const& arguments) const {
    std::vector<std::size_t> places;
    std::set<std::size_t> taken;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      places.push_back(arguments[k].keyword.empty() ? k : place_of_keyword(name, arguments, k));
      if (!taken.insert(places[k]).second)
        fail_at(column_of(arguments[k]),
                std::string(parameter_of(name, places[k])) + " stands twice; the order is " + names_of_parameters(name));
    }
    std::size_t first_free = 0;
    while (taken.contains(first_free)) ++first_free;
    for (std::size_t k = 0; k < arguments.size(); ++k)
      if (places[k] > first_free)
        fail_at(column_of(arguments[k]),
                std::string(parameter_of(name, first_free)) + " belongs before " + std::string(arguments[k].keyword));
    return places;
  }
  // Where nobody knows the order, one keyword says nothing, and several are not told apart.
  std::size_t place_of_keyword(std::string_view name, std::vector<piece> const& arguments, std::size_t k) const {
    std::string_view const keyword = arguments[k].keyword;
    if (auto const place = place_of_parameter(name, keyword)) return *place;
    std::size_t const column = column_of(arguments[k]);
    if (std::string const known = names_of_parameters(name); !known.empty())
      fail_at(column, std::string(name) + " has no argument " + std::string(keyword) + ", but " + known);
    auto const n = std::count_if(arguments.begin(), arguments.end(), [](piece const& p) { return !p.keyword.empty(); });
    if (n > 1) fail_at(column, "the keywords of " + std::string(name) + " are not known here: leave them out");
    return k;
  }
  std::size_t column_of(std::string_view keyword) const { return static_cast<std::size_t>(keyword.data() - line_.data()); }
  std::size_t column_of(piece const& p) const { return p.keyword.empty() ? p.column : column_of(p.keyword); }
  // Each piece to its place; all of them stand at the end of the text.
  void arrange(std::vector<piece>& pieces, std::vector<std::size_t> const& places, std::string_view by) {
    std::vector<std::pair<std::string, std::vector<std::size_t>>> texts(pieces.size());
    std::vector<piece> sorted(pieces.size());
    std::size_t const begin = pieces[0].begin;
    for (std::size_t k = pieces.size(); k-- > 0;) {
      sorted[places[k]] = pieces[k];
      texts[places[k]] = {out_.text.substr(pieces[k].begin), {column_at(pieces[k].begin), out_.columns.end()}};
      cut(k > 0 ? pieces[k].begin - by.size() : begin);
    }
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      if (k > 0) put(by, sorted[k].column);
      sorted[k].begin = out_.text.size();
      out_.text += texts[k].first;
      out_.columns.insert(out_.columns.end(), texts[k].second.begin(), texts[k].second.end());
    }
    pieces = std::move(sorted);
  }

  // ---- what has a name ----

  // Of the layout, of which elements have so many bits, that in elements of others.
  piece recast(piece p, int from, int to) {
    put_before(p.begin, "recast_layout ", p.column);
    put(" " + std::to_string(from) + "b " + std::to_string(to) + "b", p.column);
    p.asked = true;
    return p;
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
    put("Sw<" + std::to_string(of.bits) + ",7,3>o0o" +
            (of.along_k ? "(8," + run + "):(" + run + ",1)" : "(" + run + ",8):(1," + run + ")"),
        column);
    out_.element_bits = type->bits;
    return recast({begin, column, kind::layout}, 1, type->bits);
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
  piece swizzle(std::string_view name, std::size_t column) {
    piece const p{out_.text.size(), column, kind::swizzle};
    bool const has_default = name == "Swizzle" && peek() == '<';  // in C++ S is B where it is left out
    put("Sw<", column);
    std::vector<piece> const parts = arguments_of(name, ",");
    if (has_default && parts.size() == 2) {
      std::size_t const begin = parts[0].begin;
      put("," + out_.text.substr(begin, parts[1].begin - 1 - begin), at_ - 1);
    } else if (parts.size() != 3) {
      fail_at(column, three_make_a_swizzle);
    }
    put(">", at_ - 1);
    return p;
  }
  piece composed(std::string_view name, std::size_t column) {
    std::size_t const begin = out_.text.size();
    std::vector<piece> const parts = arguments_of(name, "o");
    bool const whole = parts.size() == 3 && parts[0].is(kind::swizzle) && parts[1].is_offset() && parts[2].is(kind::layout);
    if (!whole) fail_at(column, "a swizzle, an offset and a layout make a composed layout");
    return {begin, column, kind::composed};
  }
  // `Copy_Atom<SM75_U32x4_LDSM_N, half_t>` as arguments; alone in a line it is the atom. `MMA_Traits<X>::ALayout`: a field of
  // it.
  piece atom(std::string_view name, std::size_t column) {
    std::size_t const begin = out_.text.size();
    std::vector<piece> const parts = arguments_of(name, " ");
    if (parts.empty()) fail_at(column, "an atom belongs in these brackets");
    bool const field = take("::");
    auto const type = parts.size() > 1 ? type_called(out_.text.substr(parts[1].begin)) : std::nullopt;
    if ((begin == 0 || field) && parts.size() > 1) cut(parts[1].begin - 1);
    if (!field) return {begin, column, kind::word};
    std::size_t const end = end_of_name(at_);
    if (end == at_) fail("a field of the atom belongs here, such as ALayout or SrcLayout");
    put_before(begin, name.starts_with("MMA") ? "mma_atom " : "copy_atom ", column);
    put(" ", at_);
    std::string_view const called = line_.substr(at_, end - at_);
    bool const of_values = type && called.starts_with("ValLayout");  // as many as the bits that the traits tell
    std::string const meant(field_called(of_values ? "Bit" + std::string(called.substr(3)) : called));
    if (meant == called)
      copy_to(end);
    else
      put(meant, std::exchange(at_, end));
    return of_values ? recast(settled({begin, column, kind::layout, true}), 1, type->bits)
                     : piece{begin, column, kind::layout, true};
  }
  // `E<1,0>`, `E([1,0])`: 1@0@1; `ScaledBasis<_2,1,0>`, `ScaledBasis(2,[1,0])`: 2@0@1.
  piece basis(std::string_view name, std::size_t column) {
    std::size_t const begin = out_.text.size(), scales = name == "E" ? 0 : 1;
    bool const angle = peek() == '<';
    std::vector<piece> const parts = arguments_of(name, " ");
    std::string const text = out_.text.substr(begin);
    std::size_t const space = scales > 0 ? std::min(text.find(' '), text.size()) : 0;
    std::string_view const modes = std::string_view(text).substr(space);
    bool const whole = parts.size() >= scales && (angle || parts.size() == scales + 1) &&
                       std::all_of(parts.begin(), parts.end(), [](piece const& p) { return p.is_offset(); }) &&
                       std::count(modes.begin(), modes.end(), '(') <= 1 &&
                       modes.find_first_not_of("0123456789 ,()") == modes.npos && text.substr(0, space).find('@') == text.npos;
    if (!whole)
      fail_at(column, scales > 0 ? "a scale and modes make a basis: ScaledBasis<_2,1,0> or ScaledBasis(2,[1,0])"
                                 : "modes make a basis: E<1,0> or E([1,0])");
    cut(begin);
    put(scales > 0 ? text.substr(0, space) : "1", column);
    for (std::size_t end = modes.size(); end > 0;) {
      std::size_t const before = modes.find_last_of(" ,()", end - 1), from = before == modes.npos ? 0 : before + 1;
      if (from < end) put("@" + std::string(modes.substr(from, end - from)), column);
      end = before == modes.npos ? 0 : before;
    }
    return {begin, column, kind::number};
  }
  // Without a stride as CuTe makes one; of layouts, each a mode.
  piece layout(std::string_view name, std::size_t column) {
    std::size_t const begin = out_.text.size();
    std::vector<piece> const parts = arguments_of(name, ":");
    if (parts.empty() || parts[0].is(kind::word)) fail_at(parts.empty() ? at_ - 1 : parts[0].column, "a shape belongs here");
    bool const layouts = parts[0].is(kind::layout);
    auto other = std::find_if(parts.begin(), parts.end(), [&](piece const& p) { return p.is(kind::layout) != layouts; });
    if (!layouts && parts.size() > 2 && other == parts.end()) other = parts.begin() + 2;
    if (other != parts.end()) fail_at(other->column, "layouts belong together here, or a shape and its stride");
    if (layouts) return of_layouts({begin, column}, parts);
    std::string const order = parts.size() == 2 && parts[1].is(kind::word) ? out_.text.substr(parts[1].begin) : "";
    std::optional<bool> const right = row_major(order);
    if (right) cut(parts[1].begin - 1);
    bool const whole = parts.size() == 1 || right;
    if (whole) put_before(begin, right.value_or(false) ? "make_layout_right " : "make_layout_left ", column);
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
  bool take_o() {
    std::size_t const back = at_;
    skip_spaces();
    if (take("\u2218") || (next_is("o") && !(at_ + 1 < line_.size() && letter(line_[at_ + 1])) && take("o"))) return true;
    return at_ = back, false;
  }
  // Of a tensor as CuTe prints it, `gmem_ptr[16b](0x7f00) o LAYOUT`, the layout.
  piece behind_pointer(std::size_t bracket) {
    std::size_t close = line_.find(')', bracket);
    if (close != line_.npos && line_.substr(0, close).ends_with("((nil")) ++close;
    if (!line_.substr(0, bracket).ends_with("ptr") || close == line_.npos) fail_at(bracket, "unexpected '['");
    at_ = close + 1;
    if (!take_o()) fail("'o' and a layout belong behind a pointer");
    std::size_t const digits = std::min(line_.find_first_not_of("0123456789", bracket + 1), line_.size());
    piece const p = expression();
    if (digits > bracket + 1 && digits < bracket + 8 && line_.substr(digits, 2) == "b]") {
      pointer_bits_ = line_.substr(bracket + 1, digits - bracket);
      out_.element_bits = std::stoi(pointer_bits_);
      if (out_.element_bits == 0) fail_at(bracket + 1, "elements have bits");
      pointer_address_ = address(std::min(digits + 3, close), close);
    }
    return p;
  }
  // That which stands there, of the last pointer; 0 where it is not set. An element begins there.
  std::uint64_t address(std::size_t begin, std::size_t end_of_text) const {
    std::string_view text = line_.substr(begin, end_of_text - begin);
    if (text == "unset" || text == "(nil)") return 0;
    std::uint64_t out = 0, bits = static_cast<std::uint64_t>(out_.element_bits);
    bool const hexadecimal = text.starts_with("0x");
    if (hexadecimal) text.remove_prefix(2);
    auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), out, 16);
    if (!hexadecimal || wrong != std::errc() || end != text.data() + text.size())
      fail_at(begin, "an address such as 0x7f00, or unset, belongs here");
    if (out % bits * 8 % bits != 0) fail_at(begin, "no element of " + pointer_bits_ + " begins at this address");
    return out;
  }
};

}  // namespace colex::detail
