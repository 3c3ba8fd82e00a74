// Requests with their arguments as CuTe, its DSL and pycute have them: in another order, in lists, left out where there is a
// default; and what is asked within a line. How they are called is told to spellings.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/spelled_values.hpp"
#include "spec/notation/tuples.hpp"

namespace colex::detail {

class request_rewriter : public value_rewriter {
 public:
  request_rewriter(std::string_view line, answering const& answer) : value_rewriter(line), answer_(answer) {}

 protected:
  answering const& answer_;

  ~request_rewriter() = default;

  // ---- requests within the line ----

  rewritten text_from(std::size_t begin) { return {out_.text.substr(begin), {column_at(begin), out_.columns.end()}}; }
  // What f gives of such a text; what it finds malformed is so at a place of the line.
  template <class F>
  static auto in_inner(rewritten const& inner, F f) {
    try {
      return f(inner.text);
    } catch (malformed const& e) {
      throw inner.at_line(e);
    }
  }

  piece settled(piece p) override {
    if (!p.asked) return p;
    rewritten const inner = text_from(p.begin);
    answer const a = in_inner(inner, [&](std::string const& text) { return answer_(parse_request(text)); });
    note(inner.text + " = " + print(a));
    if (!a) throw unanswered(a, out_.steps);
    return replaced(p.begin, p.column, a.result);
  }
  void note(std::string step) {
    if ((length_of_steps_ += step.size()) > 16 * max_line) fail("too much is asked within the line");
    out_.steps.push_back(std::move(step));
  }
  // The value instead of what stands from there on.
  piece replaced(std::size_t begin, std::size_t column, value const& v) {
    cut(begin);
    put(print(v), column);
    return {begin, column, v.what};
  }
  // The same of what a function gives that is none of layouts.
  piece answered(piece const& begin, std::size_t column, value const& v) {
    note(out_.text.substr(begin.begin) + " = " + print(v));
    return replaced(begin.begin, column, v);
  }

  // ---- requests ----

  // The request that begins there with that name, or what CuTe's shape and stride give.
  piece complete(piece const& begin, std::string_view name, std::vector<piece> const& arguments) {
    bool const of_one = arguments.size() == 1, of_two = arguments.size() == 2, of_three = arguments.size() == 3;
    if ((name == "shape" || name == "stride") && of_one) return half(begin, name == "shape", arguments[0]);
    if (takes_list_of_modes(name)) spread(arguments);
    if (!arguments.empty() && arguments[0].is_offset())
      if (auto const v = of_tuples(begin, name, arguments)) return answered(begin, arguments[0].column, *v);
    bool const offset = of_three && name == "composition";  // behind a swizzle
    if (takes_tiler_second(name) && arguments.size() > 1 && !offset)
      tile(arguments[1], of_two ? out_.text.size() : arguments[2].begin - 1);
    if (of_two && name == "crd2idx" && (arguments[1].is(kind::layout) || arguments[1].is(kind::composed)))
      return value_at(begin, name, arguments);
    if (of_three && (name == "crd2idx" || name == "idx2crd") && arguments[2].is(kind::word)) put_strides(arguments);
    if (of_two && name == "idx2crd" && arguments[1].is_function())
      fail_at(arguments[1].column,
              "a shape belongs here: idx2crd(i, shape(A)) counts the coordinates, get_hier_coord(A, i) undoes the strides");
    if (of_two && name == "copy_atom") drop_type(arguments);
    // CuTe's DSL has these in another order.
    if (of_two && (name == "slice" || name == "dice") && arguments[0].is_function() && !arguments[1].is_function())
      return in_order(begin, arguments, {1, 0});
    if (of_three && name == "recast_layout" && arguments[2].is_function() && !arguments[0].is_function())
      return in_order(begin, arguments, {2, 1, 0});
    if (name == "append" || name == "prepend") {
      for (piece const& p : arguments)
        if (p.keyword == "elem" && !p.is_function()) fail_at(p.column, "a layout belongs here");
      if (of_three && arguments[1].is_function() && !arguments[2].is_function()) return in_order(begin, arguments, {0, 2, 1});
    }
    if (name == "product" && of_one) rename(begin, name, "size");  // of a shape; of two layouts there are others
    if (name.starts_with("tiled_") && !arguments.empty()) add_defaults(begin, name, arguments);
    if (name == "composition" && of_two && arguments[0].is(kind::swizzle) && arguments[1].is(kind::layout))
      put_before(arguments[1].begin, "0 ", arguments[1].column);  // CuTe composes these without an offset
    return {begin.begin, begin.column, kind::layout, true};
  }
  // What CuTe's makers need not be told: how atoms lie over (M,N,K), the permutation tile, the values of a thread.
  void add_defaults(piece const& begin, std::string_view name, std::vector<piece> const& arguments) {
    bool const mma = name == "tiled_mma" || name.starts_with("tiled_mma_");
    if (mma && arguments.size() > 1 && arguments[1].is_offset()) lay_out_atoms(arguments);
    std::vector<std::size_t> spaces;
    for (std::size_t at = begin.begin; (at = out_.text.find(' ', at)) != std::string::npos; ++at) spaces.push_back(at);
    std::size_t const n = spaces.size();
    if (name == "tiled_copy" && n == 3) put(" 1:0", begin.column);
    if (n == 0 || !mma) return;
    if (n == 1) put(" (1,1,1):(0,0,0)", begin.column);
    std::string const third =
        n > 2 ? out_.text.substr(spaces[2] + 1, n > 3 ? spaces[3] - spaces[2] - 1 : std::string::npos) : "";
    if (third == "_") erase(spaces[2], 2);
    bool const permuted = third.starts_with('<') || (third.starts_with('(') && third.find(':') == std::string::npos);
    if (!permuted) put_before(n > 2 ? spaces[2] : out_.text.size(), " <_,_,_>", begin.column);
  }
  // To CuTe's DSL a shape says how atoms lie over (M,N,K), too.
  void lay_out_atoms(std::vector<piece> const& arguments) {
    piece const& p = arguments[1];
    std::size_t const end = arguments.size() > 2 ? arguments[2].begin - 1 : out_.text.size();
    rewritten const behind = text_from(end);
    cut(end);
    bool const of_three = in_inner(text_from(p.begin), [](std::string const& text) { return parse(text).items.size() == 3; });
    if (!of_three) fail_at(p.column, "how the atoms lie over (M,N,K) belongs here: three extents, or a layout");
    put_before(p.begin, "make_layout_left ", p.column);
    settled({p.begin, p.column, kind::layout, true});
    out_.text += behind.text;
    out_.columns.insert(out_.columns.end(), behind.columns.begin(), behind.columns.end());
  }
  // Where strides belong, an order of modes stands for those of the shape before it.
  void put_strides(std::vector<piece> const& arguments) {
    piece const &shape = arguments[1], &order = arguments[2];
    std::optional<bool> const right = row_major(out_.text.substr(order.begin));
    if (!right) return;
    std::string const of = out_.text.substr(shape.begin, order.begin - 1 - shape.begin);
    cut(order.begin);
    put("stride ", order.column);
    piece const layout{out_.text.size(), order.column, kind::layout, true};
    put((*right ? "make_layout_right " : "make_layout_left ") + of, order.column);
    half({order.begin, order.column}, false, settled(layout));
  }
  // Of `copy_atom Copy_Atom<X,half_t> FIELD`; the field is one of bits.
  void drop_type(std::vector<piece> const& arguments) {
    std::size_t const space = out_.text.find(' ', arguments[0].begin);
    erase(space, arguments[1].begin - 1 - space);
  }
  // What CuTe gives of tuples by the name of an operation of layouts; nothing: it gives nothing.
  std::optional<value> of_tuples(piece const& begin, std::string_view name, std::vector<piece> const& arguments) {
    bool const numbers = std::all_of(arguments.begin(), arguments.end(), [](piece const& p) { return p.is_offset(); });
    tuple_function const* const function = numbers ? tuple_function_called(name, arguments.size()) : nullptr;
    bool const selects = name == "select" && arguments[0].is(kind::tuple),
               slices = (name == "slice" || name == "dice") && arguments.size() == 2 && arguments[0].is(kind::tuple) &&
                        arguments[1].is(kind::tuple);
    if (!function && !selects && !slices) return std::nullopt;
    std::vector<value> all = in_inner(text_from(begin.begin), [](std::string const& text) { return parse_request(text).args; });
    if (selects) return selected(all, arguments);
    if (slices) return slice_of(all, name == "slice", arguments);
    if (is_word_of("append prepend", name)) put_rank_first(all, name, arguments);
    std::optional<value> const v = function->of(all);
    if (!v) fail_at(arguments[1].column, "no such modes or rank of " + clipped(print(all[0]), 40));
    return v;
  }
  // CuTe has the rank in angles, in front of the tuple; its DSL behind the item, which is as good a number.
  static void put_rank_first(std::vector<value>& all, std::string_view name, std::vector<piece> const& arguments) {
    bool const in_angles = arguments[1].column < arguments[0].column, alone = all.size() == 2;
    std::string const written = "write " + std::string(name) + "<3>((4,8), 2)";
    if (alone && in_angles) fail_at(arguments[1].column, "a rank, but nothing to reach it with: " + written);
    if (alone) return;
    if (arguments[2].keyword == "up_to_rank") return std::swap(all[1], all[2]);
    if (!in_angles)
      fail_at(arguments[1].column, "of two numbers none is known to be the rank: " + written + ", or up_to_rank=3");
  }
  value selected(std::vector<value> const& all, std::vector<piece> const& arguments) const {
    std::vector<value> out;
    for (std::size_t k = 1; k < all.size(); ++k) {
      std::optional<value> const item = item_of(all[0], all[k]);
      if (!item) fail_at(arguments[0].column, clipped(print(all[0]), 40) + " has no mode " + clipped(print(all[k]), 40));
      out.push_back(*item);
    }
    return tuple_of(std::move(out));
  }
  // The coordinate is the one with modes left open: CuTe's DSL has it behind the tuple.
  value slice_of(std::vector<value> const& all, bool open, std::vector<piece> const& arguments) const {
    if (is_open(all[0]) && is_open(all[1]))
      fail_at(arguments[1].column, "one of these two is the coordinate, the one with modes left open");
    std::size_t const c = is_open(all[1]) ? 1 : 0;
    std::optional<value> const v = beside(all[c], open, all[1 - c]);
    if (!v) fail_at(arguments[c].column, "no coordinate of " + clipped(print(all[1 - c]), 40));
    return *v;
  }
  // Lists of modes behind the first argument, as modes.
  void spread(std::vector<piece> const& arguments) {
    if (arguments.size() < 2) return;
    std::size_t const first = arguments[1].begin;
    rewritten const all = text_from(first);
    cut(first);
    for (std::size_t k = 1; k < arguments.size(); ++k) {
      std::size_t const begin = arguments[k].begin - first;
      std::size_t const end = k + 1 < arguments.size() ? arguments[k + 1].begin - first : all.text.size();
      std::string_view const text = std::string_view(all.text).substr(begin, end - begin);
      bool const list = arguments[k].is(kind::tuple);
      if (list && std::count(text.begin(), text.end(), '(') > 1) fail_at(arguments[k].column, "modes belong in one list here");
      for (std::size_t at = 0; at < text.size(); ++at)
        if (!list || (text[at] != '(' && text[at] != ')'))
          put(list && text[at] == ',' ? " " : text.substr(at, 1), all.columns[begin + at]);
      cut(out_.text.find_last_not_of(' ') + 1);  // the list was empty, or another argument stands behind it
      if (k + 1 < arguments.size()) put(" ", arguments[k + 1].column);
    }
  }
  // crd2idx(c, A) is A(c).
  piece value_at(piece const& begin, std::string_view name, std::vector<piece> const& arguments) {
    put(" ", arguments[0].column);
    swapped(arguments[0].begin, arguments[1].begin);
    cut(out_.text.size() - 1);
    rename(begin, name, "apply");
    return {begin.begin, begin.column, kind::number, true};
  }
  // The request with its arguments at these places.
  piece in_order(piece const& begin, std::vector<piece> arguments, std::vector<std::size_t> const& places) {
    arrange(arguments, places, " ");
    return {begin.begin, begin.column, kind::layout, true};
  }
  void rename(piece const& request, std::string_view from, std::string_view to) {
    erase(request.begin, from.size());
    put_before(request.begin, to, request.column);
  }
  piece half(piece const& begin, bool shape, piece const& a) {
    bool const composed = a.is(kind::composed);
    if (shape && a.is_offset())
      return answered(begin, a.column, in_inner(text_from(a.begin), [](auto const& t) { return parse(t); }));
    if (!a.is(kind::layout) && !(shape && composed)) fail_at(a.column, "a layout belongs here");
    in_inner(text_from(a.begin), [](std::string const& text) { return parse(text); });  // a layout indeed
    std::string const asked = out_.text.substr(begin.begin);
    std::size_t const colon = asked.rfind(':'), first = composed ? asked.rfind('o') + 1 : a.begin - begin.begin;
    std::string const text = shape ? asked.substr(first, colon - first) : asked.substr(colon + 1);
    note(asked + " = " + text);
    cut(begin.begin);
    put(text, a.column);
    return {begin.begin, begin.column, text[0] == '(' ? kind::tuple : kind::number};
  }
  // Where a tiler belongs, a tuple is one.
  void tile(piece const& p, std::size_t end) {
    if (p.is(kind::tuple)) make_tiler(p.begin, end);
  }

 private:
  std::size_t length_of_steps_ = 0;
};

}  // namespace colex::detail
