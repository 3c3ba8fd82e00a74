// Every small layout, and every pair of small layouts, judged by the table oracle: right where an answer is given, and none
// exactly where no layout exists. The bundled algebra is asked all of it by value; it and the reference are asked in the
// grammar, too, all of it or, of a large sweep, a sample.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/algebra/algebra.hpp"
#include "gpu/wire/answer.hpp"
#include "ref/answer.hpp"
#include "spec/notation/meaning.hpp"
#include "tests/agreement/oracle.hpp"
#include "tests/agreement/small_layouts.hpp"
#include "tests/agreement/survey_options.hpp"
#include "tests/suite/report/report.hpp"
#include "tests/suite/report/survey.hpp"

#include <fmt/format.h>

#include <atomic>
#include <ctime>
#include <limits>
#include <mutex>
#include <thread>

namespace {

using namespace colex;
using oracle::leaf_list, oracle::number;

// One more than the largest value.
number reach(leaf_list const& a) {
  number n = 1;
  for (auto const& [s, d] : a) n += (s - 1) * d;
  return n;
}

struct scopes {
  scope single, left, right;  // alone; as A and B of a pair
};
// The pairs of a sweep are those of layouts of a rank below its own.
scopes sweep(scope const& s) {
  scope const paired{s.size, std::max<std::size_t>(2, s.rank) - 1, s.stride};
  return {s, paired, paired};
}
scopes const usual{{16, 3, 16}, {12, 2, 12}, {8, 2, 12}};

struct census {
  std::uint64_t layouts = 0, pairs = 0;
};
census count(scopes const& all) {
  census n;
  each_layout(all.single, [&](auto const&) { ++n.layouts; });
  std::map<number, std::uint64_t> reaching;
  each_layout(all.right, [&](leaf_list const& b) { ++reaching[reach(b)]; });
  each_layout(all.left, [&](leaf_list const& a) {
    for (auto const& [r, many] : reaching) n.pairs += r <= oracle::size(a) ? many : 0;
  });
  return n;
}

// The arguments of a question; those of one layout leave B alone.
struct input {
  leaf_list const &a, &b;
  gpu::layout const &value_a, &value_b;
};

struct reply {
  bool answered = false, decided = true;
  leaf_list leaves;
  std::vector<number> modes;  // the sizes of its modes
  std::string text;           // where there is no answer
};

gpu::layout by_value(leaf_list const& a) {
  gpu::layout r;
  gpu::layout_writer w(r);
  if (a.size() > 1) w.open();
  for (auto const& [s, d] : a) w.put(s, d);
  if (a.size() > 1) w.close();
  return r;
}

reply read(gpu::layout const& a) {
  reply r{true, true, {}, {}, {}};
  for (int k = 0; k < a.form.count; ++k) r.leaves.emplace_back(a.shape[k], a.stride[k]);
  for (int i = 0; i < gpu::rank(a); ++i) r.modes.push_back(gpu::size(a, i));
  return r;
}
reply read(answer const& a) {
  if (!a) return {false, a.what == status::undefined, {}, {}, print(a)};
  reply r{true, true, {}, {}, {}};
  for (auto const& [s, d] : leaves(a.result)) r.leaves.emplace_back(static_cast<number>(s), static_cast<number>(d.number));
  value const& shape = a.result.shape();
  for (value const& mode : shape.is(kind::tuple) ? shape.items : std::vector{shape})
    r.modes.push_back(static_cast<number>(size(mode)));
  return r;
}

struct question {
  char const* name;
  std::vector<value> (*arguments)(input const&);
  gpu::layout (*asked)(input const&);
  bool (*right)(input const&, reply const&);  // of an answer
  bool (*exists)(input const&);               // is there a right one?
  bool (*judged)(input const&) = [](input const&) { return true; };
  number decided_to = std::numeric_limits<number>::max();  // where A reaches further, "not decided" is an answer
};

reply ask_in_grammar(answer (*respond)(request const&), question const& q, input const& in) {
  return read(respond({q.name, q.arguments(in)}));
}

reply ask_by_value(question const& q, input const& in) {
  try {
    return read(q.asked(in));
  } catch (gpu::undecided const& e) {
    return {false, false, {}, {}, std::string("undefined ") + e.reason};
  } catch (gpu::undefined const& e) {
    return {false, true, {}, {}, std::string("undefined ") + e.reason};
  } catch (gpu::error const& e) {
    return {false, false, {}, {}, e.reason};
  }
}

bool same_table(reply const& r, oracle::table const& f) { return oracle::has_table(r.leaves, f); }

// Do the leaves split the extents, one after the other?
bool refines(leaf_list const& leaves, leaf_list const& extents) {
  std::size_t k = 0;
  for (auto const& [s, d] : extents) {
    number n = 1;
    while (n < s && k < leaves.size()) n *= leaves[k++].first;
    if (n != s) return false;
    while (k < leaves.size() && leaves[k].first == 1) ++k;
  }
  return k == leaves.size();
}

bool always(input const&) { return true; }

bool coalesced(input const& in, reply const& r) { return r.leaves == oracle::shortest(in.a); }

number complement_target(leaf_list const& a) {
  leaf_list const m = oracle::moving(a);
  return 2 * (m.empty() ? 1 : oracle::end(m.back()));
}
bool nested(input const& in) { return oracle::nested(in.a); }
bool complements(input const& in, reply const& r) {
  oracle::table const have = oracle::tabulate(r.leaves);
  leaf_list both = oracle::moving(in.a);
  both.insert(both.end(), r.leaves.begin(), r.leaves.end());
  oracle::table all = oracle::tabulate(both);
  std::sort(all.begin(), all.end());
  number const n = complement_target(in.a);
  bool const ordered = std::is_sorted(have.begin(), have.end()),
             disjoint = std::adjacent_find(all.begin(), all.end()) == all.end();
  return nested(in) && ordered && disjoint && all.back() < n && (!oracle::chained(in.a) || have == oracle::starts(in.a, n));
}

bool inverts_from_the_right(input const& in, reply const& r) {
  oracle::table const t = oracle::tabulate(r.leaves);
  for (std::size_t i = 0; i < t.size(); ++i)
    if (t[i] < 0 || t[i] >= oracle::size(in.a) || oracle::at(in.a, t[i]) != static_cast<number>(i)) return false;
  return static_cast<number>(t.size()) == oracle::widest_right_inverse(in.a);
}

// Where A takes no value twice, but for broadcasting. (Overlapping layouts have many candidates: laws left_inverse_quasi.)
bool injective(input const& in) { return oracle::values_with_indices(in.a).has_value(); }
bool interpolates(input const& in) { return oracle::interpolation(*oracle::values_with_indices(in.a)).possible(); }
bool inverts_from_the_left(input const& in, reply const& r) {
  auto const points = oracle::values_with_indices(in.a);
  return std::all_of(points->begin(), points->end(), [&](auto const& p) { return oracle::at(r.leaves, p.first) == p.second; });
}

bool composes(input const& in) { return oracle::composes(in.a, in.b); }
bool composed(input const& in, reply const& r) {
  bool const by_mode = in.b.size() < 2 || r.modes == oracle::extents(in.b);
  return by_mode && refines(r.leaves, in.b) && same_table(r, oracle::compose(in.a, in.b));
}

// The complement of B below n by its definition: gap by gap.
leaf_list complement(leaf_list const& b, number n) {
  leaf_list out;
  number end = 1;
  for (auto const& leaf : oracle::moving(b)) {
    out.emplace_back(leaf.second / end, end);
    end = oracle::end(leaf);
  }
  out.emplace_back((n + end - 1) / end, end);
  return oracle::shortest(out);
}
leaf_list joined(leaf_list a, leaf_list const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A itself where A o (B, B*) exists; otherwise A with one extent rounded up to whole tiles such that it does.
std::optional<leaf_list> divisible(leaf_list const& a, leaf_list const& b) {
  auto divides = [&](leaf_list const& x) { return oracle::composes(x, joined(b, complement(b, oracle::size(x)))); };
  if (divides(a)) return a;
  leaf_list const m = oracle::moving(b), whole = joined(oracle::shortest({a.begin(), a.end() - 1}), {a.back()});
  number const reach = m.empty() ? 1 : oracle::end(m.back());
  number before = 1;
  for (std::size_t k = 0; k + 1 < whole.size(); before *= whole[k++].first) {
    number const tile = reach / before;
    if (reach % before != 0 || tile >= whole[k].first) continue;
    leaf_list padded = whole;
    padded[k].first = (padded[k].first + tile - 1) / tile * tile;
    if (divides(padded)) return padded;
  }
  return std::nullopt;
}
bool divides(input const& in) { return oracle::nested(in.b) && divisible(in.a, in.b).has_value(); }
bool divided(input const& in, reply const& r) {
  if (!oracle::nested(in.b)) return false;
  leaf_list const exact = joined(in.b, complement(in.b, oracle::size(in.a)));
  if (refines(r.leaves, exact) && same_table(r, oracle::compose(in.a, exact))) return true;  // it shows itself that A divides
  auto const padded = divisible(in.a, in.b);
  return padded && same_table(r, oracle::compose(*padded, joined(in.b, complement(in.b, oracle::size(*padded)))));
}

// What the copies of A start at.
leaf_list room_for_copies(input const& in) {
  leaf_list const m = oracle::moving(in.a), room = complement(in.a, oracle::size(in.a) * reach(in.b));
  return oracle::size(room) >= reach(in.b) ? room : complement(in.a, (m.empty() ? 1 : oracle::end(m.back())) * reach(in.b));
}
bool repeats(input const& in) { return nested(in) && oracle::composes(room_for_copies(in), in.b); }
bool repeated(input const& in, reply const& r) {
  if (!nested(in)) return false;
  leaf_list const room = room_for_copies(in);
  oracle::table const block = oracle::tabulate(in.a);
  oracle::table t;
  for (number const copy : oracle::compose(room, in.b))
    for (number const v : block) t.push_back(copy + v);
  return same_table(r, t) && (refines(r.leaves, joined(in.a, in.b)) || oracle::composes(room, in.b));
}

std::vector<value> one(input const& in) { return {spell(in.a)}; }
std::vector<value> two(input const& in) { return {spell(in.a), spell(in.b)}; }
std::vector<value> one_and_target(input const& in) { return {spell(in.a), value(integer(complement_target(in.a)))}; }

question const of_one[] = {
    {"coalesce", one, [](input const& in) { return gpu::coalesce(in.value_a); }, coalesced, always},
    {"complement", one_and_target, [](input const& in) { return gpu::complement(in.value_a, complement_target(in.a)); },
     complements, nested},
    {"right_inverse", one, [](input const& in) { return gpu::right_inverse(in.value_a); }, inverts_from_the_right, always},
    {"left_inverse", one, [](input const& in) { return gpu::left_inverse(in.value_a); }, inverts_from_the_left, interpolates,
     injective, gpu::inverse_search_limit}};
question const of_two[] = {
    {"composition", two, [](input const& in) { return gpu::composition(in.value_a, in.value_b); }, composed, composes},
    {"logical_divide", two, [](input const& in) { return gpu::logical_divide(in.value_a, in.value_b); }, divided, divides},
    {"logical_product", two, [](input const& in) { return gpu::logical_product(in.value_a, in.value_b); }, repeated, repeats}};

class run {
 public:
  explicit run(survey_options const& o) : o_(o), all_(o.within.size ? sweep(o.within) : usual) {
    result.part = o.part;
    result.asked = asked_json("exhaustive");
    result.asked.update({{"size", o.within.size},
                         {"rank", o.within.rank},
                         {"stride", o.within.stride},
                         {"sample", o.sample},
                         {"seed", o.seed}});
  }

  survey result;

  void go() {
    std::vector<leaf_list> single = all(all_.single), left = all(all_.left), right = all(all_.right);
    std::stable_sort(right.begin(), right.end(), [](leaf_list const& a, leaf_list const& b) { return reach(a) < reach(b); });
    for (question const& q : of_one) everywhere(q, single, {{{1, 0}}});
    for (question const& q : of_two) everywhere(q, left, right);
    if (o_.within.size) tell_larger();
  }

 private:
  survey_options const& o_;
  scopes const all_;

  static std::vector<leaf_list> all(scope const& within) {
    std::vector<leaf_list> out;
    each_layout(within, [&](leaf_list const& a) { out.push_back(a); });
    return out;
  }

  // Asks of each A of this shard with each B inside it, on every core.
  void everywhere(question const& q, std::vector<leaf_list> const& left, std::vector<leaf_list> const& right) {
    std::clock_t const begin = std::clock();
    std::vector<gpu::layout> values;
    for (leaf_list const& b : right) values.push_back(by_value(b));
    std::size_t const row = result.rows.size();
    result.rows.emplace_back().name = q.name;
    std::atomic<std::size_t> next{0};
    std::mutex adding;
    std::vector<std::thread> workers;
    for (unsigned k = 0; k < o_.jobs; ++k)
      workers.emplace_back([&] {
        survey mine;
        mine.rows = {{q.name}};
        for (std::size_t i; (i = next++) < left.size();)
          if (o_.part.has(i)) with_all(q, left[i], right, values, i * right.size(), mine);
        std::lock_guard const one_at_a_time(adding);
        result.add(mine, row);
      });
    for (std::thread& w : workers) w.join();
    result.rows[row].seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  }

  void with_all(question const& q, leaf_list const& a, std::vector<leaf_list> const& right,
                std::vector<gpu::layout> const& values, std::uint64_t at, survey& mine) const {
    gpu::layout const value_a = by_value(a);
    number const n = oracle::size(a);
    for (std::size_t j = 0; j < right.size() && reach(right[j]) <= n; ++j)
      ask(q, {a, right[j], value_a, values[j]}, at + j, mine);
  }

  // Is this input one of the sample? Every `sample`-th in no order that the inputs have.
  bool sampled(std::uint64_t at) const { return ((at + o_.seed) * 0x9e3779b97f4a7c15u >> 32) % o_.sample == 0; }

  void ask(question const& q, input const& in, std::uint64_t at, survey& mine) const {
    if (!q.judged(in)) return;
    std::optional<bool> known;
    exists_once const exists = [&] { return known ? *known : *(known = q.exists(in)); };  // it may take long
    judge(q, in, "gpu by value", ask_by_value(q, in), exists, at, mine);
    if (!sampled(at)) return;
    judge(q, in, "ref", ask_in_grammar(ref::respond, q, in), exists, at, mine);
    judge(q, in, "gpu", ask_in_grammar(gpu::respond, q, in), exists, at, mine);
  }

  using exists_once = std::function<bool()>;
  static void judge(question const& q, input const& in, char const* who, reply const& r, exists_once const& exists,
                    std::uint64_t at, survey& mine) {
    survey::row& row = mine.rows[0];
    if (!r.answered && !r.decided && reach(in.a) > q.decided_to) return void(++row.undecided);
    bool const good = r.answered ? q.right(in, r) : r.decided && !exists();
    ++(good ? row.passed : row.failed);
    row.undefined += good && !r.answered;
    if (good) return;
    std::string const asked = print(request{q.name, q.arguments(in)}), got = r.answered ? print(spell(r.leaves)) : r.text;
    mine.add({0, at,
              fmt::format("{}: {} -> {}    (the table says {})", who, asked, got,
                          exists() ? "a layout exists" : "no layout exists")});
  }

  void tell_larger() {
    scope const next{o_.within.size + 8, o_.within.rank, o_.within.stride + 8};
    census const n = count(sweep(next));
    result.larger = fmt::format("size {}, rank {}, strides <= {}: {} layouts, {} pairs", next.size, next.rank, next.stride,
                                n.layouts, n.pairs);
    for (std::size_t k = 0; k < result.rows.size(); ++k) result.rows[k].larger = k < std::size(of_one) ? n.layouts : n.pairs;
  }
};

std::string described(scope const& s) { return fmt::format("size <= {}, rank <= {}, strides <= {}", s.size, s.rank, s.stride); }

int survey_all(survey_options const& o) {
  if (!o.json.empty()) check_writable(o.json);
  scopes const all = o.within.size ? sweep(o.within) : usual;
  census const n = count(all);
  fmt::print("{} layouts of {}; {} pairs of A ({}) and B ({}) inside A\n", n.layouts, described(all.single), n.pairs,
             described(all.left), described(all.right));
  std::fflush(stdout);
  run r(o);
  r.go();
  if (!o.json.empty()) write_file(o.json, json_of(r.result));
  fmt::print("{}", text_of(r.result));
  return r.result.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return exhaustive(argc, argv, survey_all); }
