// Mutations of values and of choices.
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/engine/mutate.hpp"

#include "spec/operations.hpp"

#include <utility>

namespace colex::fuzz {

namespace {

using places = std::vector<value*>;

bool has_modes(value const& v) { return v.is(kind::layout) || v.is(kind::tuple) || v.is(kind::tiler); }
bool is_number(value const& v) { return v.is(kind::number); }

// Every part of a value that a predicate picks; of a layout that is picked, no part.
template <class P>
void collect(value& v, P pick, places& out) {
  bool const picked = pick(v);
  if (picked) out.push_back(&v);
  if (!picked || !v.is(kind::layout))
    for (value& x : v.items) collect(x, pick, out);
}
template <class P>
places all(request& r, P pick) {
  places out;
  for (value& v : r.args) collect(v, pick, out);
  return out;
}
template <class T>
auto& any(std::vector<T>& of, random_source& random) {
  return of[below(random, of.size())];
}

// Small numbers, neighbours, multiples, and what the borders of 32 and 64 bits may break.
integer near(integer const& n, random_source& random) {
  switch (below(random, 12)) {
    case 0: return n + 1;
    case 1: return n - 1;
    case 2: return n * 2;
    case 3: return n / 2;
    case 4: return -n;
    case 5: return 0;
    case 6: return 1;
    case 7: return integer(below(random, 16)) + 2;
    case 8: return n * integer(below(random, 4) + 3);
    case 9: return (integer(1) << (30 + static_cast<int>(below(random, 36)))) - integer(below(random, 3));
    case 10: return n + integer(below(random, 8));
    default: return integer(below(random, 128));
  }
}

void change_number(request& r, random_source& random) {
  places numbers = all(r, is_number);
  if (numbers.empty()) return;
  integer& n = any(numbers, random)->number;
  n = below(random, 3) == 0 ? any(numbers, random)->number : near(n, random);
}

// The modes of a layout or the elements of a tuple or tiler, side by side: shape and stride stay congruent.
struct modes_of {
  std::vector<std::vector<value>*> lists;
  std::size_t size() const { return lists[0]->size(); }
  template <class F>
  void each(F f) {
    for (std::vector<value>* l : lists) f(*l);
  }
};

modes_of modes_of_whole(value& v) {
  return {v.is(kind::layout) ? std::vector{&v.items[0].items, &v.items[1].items} : std::vector{&v.items}};
}

// Those of the whole, or now and then of one of its modes.
modes_of modes_in(value& v, random_source& random) {
  modes_of m = modes_of_whole(v);
  while (m.size() > 0 && below(random, 3) == 0) {
    std::size_t const at = below(random, m.size());
    if (!(*m.lists[0])[at].is(kind::tuple)) break;
    for (auto& l : m.lists) l = &(*l)[at].items;
  }
  return m;
}
void make_list(value& v) {
  if (!v.is(kind::tuple)) v = tuple_of({v});
}

void change_modes(value& v, random_source& random) {
  if (v.is(kind::layout))
    for (value& x : v.items) make_list(x);
  modes_of m = modes_in(v, random);
  std::size_t const n = m.size(), at = below(random, n), other = below(random, n);
  switch (below(random, 6)) {
    case 0:
      return m.each(
          [&](auto& l) { l.insert(l.begin() + static_cast<std::ptrdiff_t>(at), value(integer(1 + below(random, 6)))); });
    case 1:
      if (n < 2) return;
      return m.each([&](auto& l) { l.erase(l.begin() + static_cast<std::ptrdiff_t>(at)); });
    case 2:
      if (n == 0) return;
      return m.each([&](auto& l) { std::swap(l[at], l[other]); });
    case 3:
      if (n == 0) return;
      return m.each([&](auto& l) { l[at] = tuple_of({l[at]}); });
    case 4:
      if (n < 2 || at + 1 == n) return;
      return m.each([&](auto& l) {
        l[at] = tuple_of({l[at], l[at + 1]});
        l.erase(l.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      });
    default:
      if (n == 0) return;
      return m.each([&](auto& l) { l.push_back(value(l[at])); });
  }
}
void change_structure(request& r, random_source& random) {
  places lists = all(r, has_modes);
  if (!lists.empty()) change_modes(*any(lists, random), random);
}

void change_arguments(request& r, random_source& random) {
  if (r.args.empty()) return void(r.args.emplace_back(1));
  std::size_t const at = below(random, r.args.size());
  switch (below(random, 5)) {
    case 0: r.args[at] = any(r.args, random); break;
    case 1: std::swap(r.args[at], any(r.args, random)); break;
    case 2: r.args.push_back(r.args[at]); break;
    case 3: r.args.pop_back(); break;
    default: r.args[at] = value(integer(below(random, 20)));
  }
}

}  // namespace

request changed(request r, random_source& random) {
  for (std::size_t times = 1 + below(random, 3); times > 0; --times) switch (below(random, 10)) {
      case 0: r.op = operations[below(random, operation_count)].name; break;
      case 1: change_arguments(r, random); break;
      case 2:
      case 3:
      case 4: change_structure(r, random); break;
      default: change_number(r, random);
    }
  return r;
}

request crossed(request a, request const& b, random_source& random) {
  if (!a.args.empty() && !b.args.empty()) a.args[below(random, a.args.size())] = b.args[below(random, b.args.size())];
  return a;
}

std::vector<request> simpler(request const& r) {
  std::vector<request> out;
  // r with f done to the k-th part that `pick` picks.
  auto const with = [&](auto pick, std::size_t k, auto f) {
    request copy = r;
    f(*all(copy, pick)[k]);
    out.push_back(std::move(copy));
  };
  request whole = r;
  places const numbers = all(whole, is_number), lists = all(whole, has_modes);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    integer const& n = numbers[k]->number;
    for (integer const& less : {integer(0), integer(1), integer(2), integer(n / 2), integer(n - 1)})
      if (mp::abs(less) < mp::abs(n)) with(is_number, k, [&](value& v) { v.number = less; });
  }
  for (std::size_t k = 0; k < lists.size(); ++k) {
    std::size_t const n = modes_of_whole(*lists[k]).size();
    auto const without = [](std::size_t at) {
      return
          [at](value& v) { modes_of_whole(v).each([at](auto& l) { l.erase(l.begin() + static_cast<std::ptrdiff_t>(at)); }); };
    };
    for (std::size_t at = 0; at < n; ++at) with(has_modes, k, without(at));
    if (n != 1 || !lists[k]->is(kind::layout)) continue;
    with(has_modes, k, [](value& v) {
      for (value& x : v.items) x = value(x.items[0]);
    });
  }
  return out;
}

void change(std::vector<std::uint64_t>& made, random_source& random) {
  std::size_t const at = below(random, made.size() + 1), run = std::min(made.size() - at, 1 + below(random, 4));
  auto const from = made.begin() + static_cast<std::ptrdiff_t>(at), to = from + static_cast<std::ptrdiff_t>(run);
  switch (below(random, 6)) {
    case 0: made.erase(from, to); break;
    case 1: {
      std::vector<std::uint64_t> const again(from, to);
      made.insert(from, again.begin(), again.end());
      break;
    }
    case 2: made.insert(from, below(random, 24)); break;
    case 3:
      for (std::size_t k = 0; k < 8; ++k) made.push_back(below(random, 5040));
      break;
    case 4:
      if (run > 0) *from += below(random, 2) ? 1 : 5039;
      break;
    default:
      if (run > 0) *from = below(random, 5040);
  }
}

}  // namespace colex::fuzz
