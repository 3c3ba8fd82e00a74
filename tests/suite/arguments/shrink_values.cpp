// Shrinking: greedy descent over the arguments of a law, as they are written. SPDX-License-Identifier: Apache-2.0
#include "spec/laws/kinds.hpp"
#include "tests/suite/arguments/draw.hpp"
#include "tests/suite/arguments/shrink.hpp"

#include <optional>
#include <set>

namespace colex {

namespace {

// Takes something simpler and says whether it still fails: then nothing else is tried.
using told = std::function<bool(value)>;

// ---- values ----

bool has_modes(value const& v) {
  return v.is(kind::tuple) || v.is(kind::tiler) || (v.is(kind::layout) && v.shape().is(kind::tuple));
}
value_list modes_of(value const& v) {
  if (!v.is(kind::layout)) return v.items;
  std::vector<value> modes;
  for (std::size_t k = 0; k < v.shape().items.size(); ++k) modes.push_back(layout_of(v.shape().items[k], v.stride().items[k]));
  return modes;
}
value of_modes(kind what, std::vector<value> modes) {
  if (what != kind::layout) return {what, std::move(modes)};
  std::vector<value> shape, stride;
  for (value& m : modes) shape.push_back(std::move(m.items[0])), stride.push_back(std::move(m.items[1]));
  return layout_of(tuple_of(std::move(shape)), tuple_of(std::move(stride)));
}

// Numbers nearer to 0 than n: those given, then half, and ever closer to n. The first of those given is as simple as n can be:
// of an extent 2, of a stride 1.
bool lessen(value const& n, std::vector<integer> nearer, told const& f) {
  if (n.number == nearer[0]) return false;
  if (n.number < 0) nearer.push_back(-nearer[0]);
  for (integer off = (n.number + (n.number > 0 ? 1 : -1)) / 2; off != 0; off /= 2) nearer.push_back(n.number - off);
  auto const is_nearer = [&](integer const& x) { return mp::abs(x) < mp::abs(n.number) && (x != 0 || n.basis.empty()); };
  return (n.number < 0 && f(value(-n.number, n.basis))) ||
         std::any_of(nearer.begin(), nearer.end(), [&](integer const& x) { return is_nearer(x) && f(value(x, n.basis)); });
}

bool simplify(value const& v, told const& f);

// Each of some items simplified in its place.
bool simplify_items(std::vector<value> const& items, std::function<bool(std::vector<value>)> const& f) {
  for (std::size_t k = 0; k < items.size(); ++k) {
    auto const in_place = [&](value x) {
      std::vector<value> all = items;
      all[k] = std::move(x);
      return f(std::move(all));
    };
    if (simplify(items[k], in_place)) return true;
  }
  return false;
}

std::vector<value> without(std::vector<value> items, std::size_t k, std::size_t run = 1) {
  auto const first = items.begin() + static_cast<std::ptrdiff_t>(k);
  items.erase(first, first + static_cast<std::ptrdiff_t>(run));
  return items;
}
// A mode in brackets of its own, without them.
std::vector<value> spliced(std::vector<value> const& modes, std::size_t k) {
  std::vector<value> out = without(modes, k);
  value_list inner = modes_of(modes[k]);
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(k), inner.items.begin(), inner.items.end());
  return out;
}
// Two neighbours as one mode, which goes on as the first does. None: one of them has modes, or is no number or layout.
std::optional<value> joined(value const& a, value const& b) {
  bool const layouts = a.is(kind::layout) && b.is(kind::layout);
  value const &m = layouts ? a.shape() : a, &n = layouts ? b.shape() : b;
  if (!m.is(kind::number) || !n.is(kind::number) || !m.basis.empty() || !n.basis.empty()) return std::nullopt;
  value const all(integer(m.number * n.number));
  return layouts ? layout_of(all, a.stride()) : all;
}
bool simplify_modes(value const& v, told const& f) {
  std::vector<value> const modes = modes_of(v).items;
  auto const try_modes = [&](std::vector<value> m) { return f(of_modes(v.what, std::move(m))); };
  if (modes.size() == 1 && f(modes[0])) return true;
  for (std::size_t run = modes.size() / 2; run > 0; run /= 2)
    for (std::size_t k = 0; k + run <= modes.size(); k += run)
      if (try_modes(without(modes, k, run))) return true;
  for (std::size_t k = 0; k < modes.size(); ++k)
    if (has_modes(modes[k]) && modes[k].is(v.what) && try_modes(spliced(modes, k))) return true;
  for (std::size_t k = 0; k + 1 < modes.size(); ++k)
    if (std::optional<value> const one = joined(modes[k], modes[k + 1])) {
      std::vector<value> fewer = without(modes, k + 1);
      fewer[k] = *one;
      if (try_modes(std::move(fewer))) return true;
    }
  return simplify_items(modes, try_modes);
}

bool simplify_mode(value const& v, told const& f) {
  return lessen(v.shape(), {2, 1, 3, 4}, [&](value s) { return f(layout_of(std::move(s), v.stride())); }) ||
         lessen(v.stride(), {1, 0, 2, 3, 4}, [&](value d) { return f(layout_of(v.shape(), std::move(d))); });
}

bool simplify(value const& v, told const& f) {
  if (has_modes(v)) return simplify_modes(v, f);
  if (v.is(kind::layout)) return simplify_mode(v, f);
  if (v.is(kind::number)) return lessen(v, {0, 1, 2, 3, 4}, f);
  if (v.is(kind::composed) && f(v.items.back())) return true;
  return simplify_items(v.items, [&](std::vector<value> items) { return f({v.what, std::move(items)}); });
}

// ---- several at once ----

constexpr std::size_t max_modes = 8;  // of which one is left out everywhere

using arguments = std::vector<binding>;
using all_told = std::function<bool(arguments)>;

// The same mode left out of every argument that has more.
bool leave_out_mode(arguments const& where, std::size_t k, all_told const& f) {
  arguments less = where;
  std::size_t changed = 0;
  for (binding& b : less)
    if (has_modes(b.second))
      if (std::vector<value> modes = modes_of(b.second).items; modes.size() > std::max<std::size_t>(k, 1))
        b.second = of_modes(b.second.what, without(std::move(modes), k)), ++changed;
  return changed > 1 && f(std::move(less));
}

void collect_numbers(value const& v, std::set<integer>& found) {
  if (v.is(kind::number)) found.insert(v.number);
  for (value const& x : v.items) collect_numbers(x, found);
}
void replace_multiples(value& v, integer const& of, integer const& by) {
  if (v.is(kind::number) && v.number % of == 0) v.number = v.number / of * by;
  for (value& x : v.items) replace_multiples(x, of, by);
}
// An extent and the strides that are multiples of it.
bool scale_down(arguments const& where, all_told const& f) {
  std::set<integer> found;
  for (binding const& b : where) collect_numbers(b.second, found);
  for (auto n = found.rbegin(); n != found.rend() && *n > 3; ++n)
    for (int const by : {2, 3}) {
      arguments less = where;
      for (binding& b : less) replace_multiples(b.second, *n, by);
      if (f(std::move(less))) return true;
    }
  return false;
}

// One step. The last arguments first: they rest on those before them.
bool step(arguments const& where, all_told const& f) {
  for (std::size_t k = 0; k < max_modes; ++k)
    if (leave_out_mode(where, k, f)) return true;
  for (std::size_t k = where.size(); k-- > 0;) {
    auto const in_place = [&](value x) {
      arguments less = where;
      less[k].second = std::move(x);
      return f(std::move(less));
    };
    if (simplify(where[k].second, in_place)) return true;
  }
  return scale_down(where, f);
}

class descent_of_arguments {
 public:
  descent_of_arguments(law const& l, arguments start, trial::implementation const& reference,
                       std::function<bool(arguments const&)> const& fails, shrink_budget budget)
      : law_(l), best_(std::move(start)), reference_(reference), fails_(fails), budget_(budget) {
    is_new(best_);
  }

  shrunk_arguments run() {
    do {
      while (step(best_, [this](arguments less) { return accept(std::move(less)); })) continue;
      finished_ = !out_of_budget();
    } while (finished_ && two_steps());
    return {best_, tries_, finished_};
  }

 private:
  law const& law_;
  arguments best_;
  trial::implementation const& reference_;
  std::function<bool(arguments const&)> const& fails_;
  shrink_budget budget_;
  std::chrono::steady_clock::time_point until_ = std::chrono::steady_clock::now() + budget_.time;
  std::set<std::string> seen_;
  std::size_t tries_ = 0;
  bool finished_ = false;

  bool out_of_budget() const { return tries_ >= budget_.tries || std::chrono::steady_clock::now() >= until_; }
  bool is_new(arguments const& where) {
    std::string text;
    for (binding const& b : where) text += print(b.second) + ' ';
    return seen_.insert(text).second;
  }
  // What is none of the grammar's values, or not of its kind, is no input of the law.
  bool is_input(arguments const& where) const {
    try {
      return std::ranges::all_of(where, [](binding const& b) { return parse(print(b.second)) == b.second; }) &&
             !outside(law_, where, reference_);
    } catch (std::exception const&) {
      return false;
    }
  }
  bool accept(arguments less) {
    if (out_of_budget() || !is_new(less) || !is_input(less)) return false;
    ++tries_;
    if (!fails_(less)) return false;
    best_ = std::move(less);
    return true;
  }
  bool two_steps() {
    return step(best_, [this](arguments const& less) {
      return !out_of_budget() && step(less, [this](arguments more) { return accept(std::move(more)); });
    });
  }
};

}  // namespace

shrunk_arguments shrink(law const& l, std::vector<binding> start, trial::implementation const& reference,
                        std::function<bool(std::vector<binding> const&)> const& fails, shrink_budget budget) {
  return descent_of_arguments(l, std::move(start), reference, fails, budget).run();
}

shrunk_arguments shrink_drawn(law const& l, choice_list const& start, trial::implementation const& reference,
                              std::function<bool(std::vector<binding> const&)> const& fails, shrink_budget budget) {
  auto const begin = std::chrono::steady_clock::now();
  shrunk const s = shrink(start, [&](choice_list const& made) { return fails(draw_arguments(l, made)); }, budget);
  budget.time -= std::chrono::steady_clock::now() - begin;
  shrunk_arguments t = shrink(l, draw_arguments(l, s.choices), reference, fails, budget);
  t.tries += s.tries;
  return t;  // finished whatever the choices had left
}

}  // namespace colex
