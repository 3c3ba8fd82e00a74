// Every small layout, and every pair of small layouts, through the reference and the bundled algebra, judged by the
// table oracle: right where they answer, and silent exactly where no layout exists.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/answer.hpp"
#include "ref/answer.hpp"
#include "spec/meaning.hpp"
#include "tests/oracle.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace {

using namespace colex;
using oracle::number;

// Strides 0 .. most; a leaf of extent 1 takes two of them, which no function on the domain can tell apart.
std::vector<oracle::leaf_list> all_layouts(number size, std::size_t rank, number most) {
  std::vector<oracle::leaf_list> out;
  auto extend = [&](auto& self, oracle::leaf_list const& a, number left) -> void {
    if (!a.empty()) out.push_back(a);
    if (a.size() == rank) return;
    for (number s = 1; s <= left; ++s)
      for (number d = 0; d <= (s == 1 ? std::min<number>(most, 5) : most); d += s == 1 ? 5 : 1) {
        oracle::leaf_list longer = a;
        longer.emplace_back(s, d);
        self(self, longer, left / s);
      }
  };
  extend(extend, {}, size);
  return out;
}

value spell(oracle::leaf_list const& a) {
  std::vector<value> shape, stride;
  for (auto const& [s, d] : a) {
    shape.emplace_back(integer(s));
    stride.emplace_back(integer(d));
  }
  return a.size() == 1 ? layout_of(shape[0], stride[0]) : layout_of(tuple_of(shape), tuple_of(stride));
}
oracle::leaf_list read(value const& v) {
  oracle::leaf_list out;
  for (auto const& [s, d] : leaves(v)) out.emplace_back(static_cast<number>(s), static_cast<number>(d.number));
  return out;
}

struct algebra {
  char const* name;
  answer (*respond)(request const&);
};
algebra const algebras[] = {{"ref", [](request const& r) { return ref::respond(r); }}, {"gpu", [](request const& r) { return gpu::respond(r); }}};

std::atomic<long> asked{0}, answered{0}, mismatches{0};
std::mutex printing;

// Asks both algebras; `good` judges an answer, `exists` says whether there is one.
void check(request const& r, bool exists, std::function<bool(value const&)> const& good) {
  for (algebra const& who : algebras) {
    answer const a = who.respond(r);
    ++asked;
    answered += a.what == status::answered;
    if (a ? exists && good(a.result) : !exists && a.what == status::undefined && !a.reason.starts_with("not decided")) continue;
    if (++mismatches > 20) continue;
    std::lock_guard<std::mutex> const lock(printing);
    fmt::print("FAIL {}: {} -> {}    (the table says {})\n", who.name, print(r), print(a), exists ? "a layout exists" : "no layout exists");
  }
}
bool same_table(value const& r, oracle::table const& f) { return oracle::tabulate(read(r)) == f; }

void check_coalesce(oracle::leaf_list const& a) {
  check({"coalesce", {spell(a)}}, true, [&](value const& r) { return read(r) == oracle::shortest(a); });
}
void check_complement(oracle::leaf_list const& a) {
  oracle::leaf_list const m = oracle::moving(a);
  number const end = m.empty() ? 1 : oracle::end(m.back()), n = 2 * end;
  check({"complement", {spell(a), value(integer(n))}}, oracle::nested(a), [&](value const& r) {
    oracle::table const have = oracle::tabulate(read(r));
    oracle::leaf_list both = m;
    for (auto const& leaf : read(r)) both.push_back(leaf);
    oracle::table all = oracle::tabulate(both);
    std::sort(all.begin(), all.end());
    bool const ordered = std::is_sorted(have.begin(), have.end()), disjoint = std::adjacent_find(all.begin(), all.end()) == all.end();
    return ordered && disjoint && all.back() < n && (!oracle::chained(a) || have == oracle::starts(a, n));
  });
}
void check_right_inverse(oracle::leaf_list const& a) {
  check({"right_inverse", {spell(a)}}, true, [&](value const& r) {
    oracle::table const t = oracle::tabulate(read(r));
    for (std::size_t i = 0; i < t.size(); ++i)
      if (t[i] < 0 || t[i] >= oracle::size(a) || oracle::at(a, t[i]) != static_cast<number>(i)) return false;
    return static_cast<number>(t.size()) == oracle::widest_right_inverse(a);
  });
}
// Where A takes no value twice, but for broadcasting. (Overlapping layouts have many candidates: laws left_inverse_quasi.)
void check_left_inverse(oracle::leaf_list const& a) {
  auto const points = oracle::values_with_indices(a);
  if (!points) return;
  check({"left_inverse", {spell(a)}}, oracle::interpolation(*points).possible(), [&](value const& l) {
    oracle::leaf_list const r = read(l);
    return std::all_of(points->begin(), points->end(), [&](auto const& p) { return oracle::at(r, p.first) == p.second; });
  });
}

void check_composition(oracle::leaf_list const& a, oracle::leaf_list const& b) {
  oracle::table const f = oracle::compose(a, b);
  check({"composition", {spell(a), spell(b)}}, oracle::exists(oracle::extents(b), f),
        [&](value const& r) { return compatible(spell(b).shape(), r.shape()) && same_table(r, f); });
}

// The complement of B below n by its definition: gap by gap.
oracle::leaf_list complement(oracle::leaf_list const& b, number n) {
  oracle::leaf_list out;
  number end = 1;
  for (auto const& leaf : oracle::moving(b)) {
    out.emplace_back(leaf.second / end, end);
    end = oracle::end(leaf);
  }
  out.emplace_back((n + end - 1) / end, end);
  return oracle::shortest(out);
}
oracle::leaf_list joined(oracle::leaf_list a, oracle::leaf_list const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A itself where A o (B, B*) exists; otherwise A with one extent rounded up to whole tiles such that it does.
std::optional<oracle::leaf_list> divisible(oracle::leaf_list const& a, oracle::leaf_list const& b) {
  auto divides = [&](oracle::leaf_list const& x) { return oracle::composes(x, joined(b, complement(b, oracle::size(x)))); };
  if (divides(a)) return a;
  oracle::leaf_list const m = oracle::moving(b), whole = joined(oracle::shortest({a.begin(), a.end() - 1}), {a.back()});
  number const reach = m.empty() ? 1 : oracle::end(m.back());
  number before = 1;
  for (std::size_t k = 0; k + 1 < whole.size(); before *= whole[k++].first) {
    number const tile = reach / before;
    if (reach % before != 0 || tile >= whole[k].first) continue;
    oracle::leaf_list padded = whole;
    padded[k].first = (padded[k].first + tile - 1) / tile * tile;
    if (divides(padded)) return padded;
  }
  return std::nullopt;
}
void check_divide(oracle::leaf_list const& a, oracle::leaf_list const& b) {
  auto const padded = oracle::nested(b) ? divisible(a, b) : std::nullopt;
  check({"logical_divide", {spell(a), spell(b)}}, padded.has_value(),
        [&](value const& r) { return same_table(r, oracle::compose(*padded, joined(b, complement(b, oracle::size(*padded))))); });
}
void check_product(oracle::leaf_list const& a, oracle::leaf_list const& b) {
  if (!oracle::nested(a)) return check({"logical_product", {spell(a), spell(b)}}, false, {});
  number cosize = 1, end = oracle::moving(a).empty() ? 1 : oracle::end(oracle::moving(a).back());
  for (auto const& [s, d] : b) cosize += (s - 1) * d;
  oracle::leaf_list room = complement(a, oracle::size(a) * cosize);
  if (oracle::size(room) < cosize) room = complement(a, end * cosize);
  check({"logical_product", {spell(a), spell(b)}}, oracle::composes(room, b), [&](value const& r) {
    oracle::table t;
    for (number copy : oracle::compose(room, b))
      for (number v : oracle::tabulate(a)) t.push_back(copy + v);
    return same_table(r, t);
  });
}

// Runs f over all of 0 .. n-1 on every core, and prints what was asked.
template <class F>
void everywhere(char const* what, std::size_t n, F f) {
  auto const start = std::chrono::steady_clock::now();
  long const before = asked, found = answered;
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> workers;
  for (unsigned k = 0; k < std::max(1u, std::thread::hardware_concurrency()); ++k)
    workers.emplace_back([&] {
      for (std::size_t i; (i = next++) < n;) f(i);
    });
  for (std::thread& w : workers) w.join();
  fmt::print("{:<44} {:>9} questions {:>9} answered {:>9} undefined   {:.1f} s\n", what, asked - before, answered - found,
             (asked - before) - (answered - found), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace

int main() {
  auto const single = all_layouts(16, 3, 16);
  fmt::print("{} layouts of size <= 16, rank <= 3, strides <= 16\n", single.size());
  std::pair<char const*, void (*)(oracle::leaf_list const&)> const unary[] = {
      {"coalesce", check_coalesce}, {"complement", check_complement}, {"right_inverse", check_right_inverse}, {"left_inverse", check_left_inverse}};
  for (auto const& [what, f] : unary) everywhere(what, single.size(), [&single, f = f](std::size_t i) { f(single[i]); });

  auto const left = all_layouts(12, 2, 12), right = all_layouts(8, 2, 12);
  std::vector<number> reach;
  for (auto const& b : right) {
    number n = 1;
    for (auto const& [s, d] : b) n += (s - 1) * d;
    reach.push_back(n);
  }
  std::atomic<long> pairs{0};
  std::pair<char const*, void (*)(oracle::leaf_list const&, oracle::leaf_list const&)> const binary[] = {
      {"composition", check_composition}, {"logical_divide", check_divide}, {"logical_product", check_product}};
  for (auto const& [what, f] : binary) {
    pairs = 0;
    everywhere(what, left.size(), [&, f = f](std::size_t i) {
      for (std::size_t j = 0; j < right.size(); ++j)
        if (reach[j] <= oracle::size(left[i])) {
          ++pairs;
          f(left[i], right[j]);
        }
    });
  }
  fmt::print("{} pairs of A (size <= 12, rank <= 2) and B (size <= 8, rank <= 2) inside A, strides <= 12\n", pairs.load());
  fmt::print("{} passed, {} failed\n", asked - mismatches, mismatches.load());
  return mismatches == 0 ? 0 : 1;
}
