// The command that tells which plan a GEMM would take, by the model that gemm() uses, on any device.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/choice.hpp"
#include "gpu/plans/all.hpp"
#include "tests/suite/commands/commands.hpp"
#include "tests/suite/commands/numbers.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <set>
#include <stdexcept>

namespace colex {
namespace {

using namespace gpu;

struct plan_command {
  long long m = 0, n = 0, k = 0;
  std::string type, layout = "TN", chip = "90a";
  int sms = 0, bandwidth = 0;  // 0: the chip's
  std::size_t rows = 6;
};

template <class Table, class Name>
std::vector<std::string> names_of(Table const& table, Name name) {
  std::vector<std::string> all;
  for (auto const& x : table) all.push_back(x.*name);
  return all;
}

std::span<gemm_kernel const> all_kernels() {
  static std::vector<gemm_kernel> const all = [] {
    std::vector<gemm_kernel> r;
    for (std::span<plan const> table : all_plans)
      for (plan const& p : table) r.push_back({&p, nullptr});
    return r;
  }();
  return all;
}

// An operand that nobody reads; its rows are contiguous, or its columns.
device_tensor unread(element type, int64 rows, int64 columns, bool by_rows) {
  alignas(16) static std::byte memory[16];
  return {memory, type, {rows, columns}, by_rows ? int_tuple{columns, 1} : int_tuple{1, rows}};
}
// The letters are BLAS's, of D's columns: the first one is our B's, the second our A's.
problem problem_of(plan_command const& c, product_types const& of) {
  return normalize(unread(of.d, c.m, c.n, true), unread(of.a, c.m, c.k, c.layout[1] == 'N'),
                   unread(of.b, c.n, c.k, c.layout[0] == 'T'), {}, 1, 0)
      .problem;
}
struct planned {
  problem x;
  choice ways;
};
planned plan_product(plan_command const& c, product_types const& of, device_info device) {
  gemm_options o;
  o.tf32 = of.tf32, o.fast_accumulation = of.fast;
  try {
    problem const x = problem_of(c, of);
    return {x, choose(all_kernels(), x, o, device)};
  } catch (error const&) {
    throw std::invalid_argument(fmt::format("plan: {} x {} x {}: 64 bits do not count the bits of a matrix", c.m, c.n, c.k));
  }
}

// Are A and B copied, as the caller names them?
std::pair<bool, bool> copied(candidate const& c) {
  return c.swap_ab ? std::pair(c.copy_b, c.copy_a) : std::pair(c.copy_a, c.copy_b);
}
std::string label(candidate const& c) {
  auto const [a, b] = copied(c);
  return name(*c.kernel->plan) + (c.split_k > 1 ? fmt::format(" split_k {}", c.split_k) : "") + (c.swap_ab ? " swap_ab" : "") +
         (a ? " copy_a" : "") + (b ? " copy_b" : "");
}
constexpr std::array headings{"us",       "plan",  "bound by", "arithmetic", "shared", "L2",       "latency",
                              "epilogue", "waves", "launch",   "memory",     "copies", "reduction"};
using cells = std::array<std::string, headings.size()>;
cells cells_of(candidate const& c) {
  cost const& t = c.time;
  auto const cycles = [](double x) { return fmt::format("{:.0f}", x); };
  auto const us = [](double seconds) { return fmt::format("{:.1f}", seconds * 1e6); };
  return {us(t.seconds),    label(c),     bound_of(c),      cycles(t.matrix),
          cycles(t.shared), cycles(t.l2), cycles(waits(t)), cycles(t.epilogue + t.thread_stores),
          cycles(t.waves),  us(t.launch), us(t.memory),     us(t.copies),
          us(t.reduction)};
}
void print_table(std::span<candidate const> all) {
  std::vector<cells> rows(all.size() + 1);
  std::ranges::copy(headings, rows[0].begin());
  std::ranges::transform(all, rows.begin() + 1, cells_of);
  std::array<std::size_t, headings.size()> widths{};
  for (cells const& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  auto const across = [&](std::size_t first, std::size_t last) {
    return std::accumulate(&widths[first], &widths[last] + 1, 2 * (last - first));
  };
  fmt::print("{:{}}{:^{}}  {:{}}  {:^{}}\n", "", across(0, 2) + 4, "cycles of a tile", across(3, 7), "", widths[8],
             "microseconds in all", across(9, 12));
  for (cells const& row : rows) {
    fmt::print("  {:>{}}  {:<{}}  {:<{}}", row[0], widths[0], row[1], widths[1], row[2], widths[2]);
    for (std::size_t i = 3; i < row.size(); ++i) fmt::print("  {:>{}}", row[i], widths[i]);
    fmt::print("\n");
  }
}
// What the first one's time is made of, and how far behind the next one is.
void print_reason(problem const& x, std::span<candidate const> all, int architecture) {
  candidate const& best = all[0];
  cost const& t = best.time;
  double const cycles = t.waves * (t.tile + t.thread_stores);
  double const clock = clock_of(best.kernel->summary);
  fmt::print("\n{}: the busiest SM computes {:.0f} x {:.0f} cycles, {:.1f} us at {:.3f} GHz.\n", name(*best.kernel->plan),
             t.waves, t.tile + t.thread_stores, cycles / clock * 1e6, clock / 1e9);
  if (best.split_k > 1) fmt::print("split_k: K is split into {}, whose sums are reduced.\n", best.split_k);
  if (best.swap_ab) fmt::print("swap_ab: the kernel computes the transpose of D from B and A.\n");
  if (auto const [a, b] = copied(best); a && b)
    fmt::print("copy_a, copy_b: the kernel reads copies of A and B, which are made first.\n");
  else if (a || b)
    fmt::print("copy_{}: the kernel reads a copy, which is made first.\n", a ? 'a' : 'b');
  if (double const factor = older_factor(best.kernel->summary, modelled(x), architecture); factor > 1)
    fmt::print("An instruction older than the chip's own: all but copies is held for {} times as long.\n", factor);
  if (all.size() < 2) return;
  fmt::print("The next row is expected to take {:.1f} % longer, bound by {}.\n", 100 * (all[1].time.seconds / t.seconds - 1),
             bound_of(all[1]));
}
// Where rows do not begin at 16 bytes, as TMA and most copies need it.
void print_alignment(problem const& x) {
  auto const of = [](matrix const& m) {
    int bytes = 16;
    while (bytes > 1 && !lies_in_rows(m, 1, 0, bytes) && !lies_in_rows(m, 0, 1, bytes)) bytes /= 2;
    return bytes;
  };
  if (int const a = of(x.a), b = of(x.b), d = of(x.d); std::min({a, b, d}) < 16)
    fmt::print("Bytes at whose multiples rows begin: A {}, B {}, D {}; TMA and copies of 16 bytes need 16.\n", a, b, d);
}
// A plan that may compute the product and its transpose is one plan.
std::size_t count_plans(std::span<candidate const> all) {
  std::set<plan const*> plans;
  for (candidate const& c : all) plans.insert(c.kernel->plan);
  return plans.size();
}

bool print_plans(plan_command const& c) {
  chip const& on = *std::ranges::find(chips, c.chip, [](chip const& x) { return std::string(x.target); });
  product_types const of = std::ranges::find(product_kinds, c.type, &product_kind::name)->of;
  device_info facts = on.facts;
  if (c.sms > 0) facts.sms = c.sms;
  if (c.bandwidth > 0) facts.bandwidth = c.bandwidth * 1e9;
  auto const [x, ways] = plan_product(c, of, facts);
  std::vector<candidate> const& all = ways.all;
  std::size_t const plans = count_plans(all);
  auto const s = [](auto n) { return n == 1 ? "" : "s"; };
  fmt::print("{} x {} x {} {} {} on {} SM{} and {:.3g} TB/s of sm_{} ({}): {} plan{} may run, in {} way{}", c.m, c.n, c.k,
             c.type, c.layout, facts.sms, s(facts.sms), facts.bandwidth / 1e12, c.chip, on.sold_as, plans, s(plans), all.size(),
             s(all.size()));
  fmt::print("{}\n", facts.architecture == 90 ? "" : "; rates are an H200's, so that only the order counts");
  if (all.empty()) return false;
  print_alignment(x);
  print_table(std::span(all).first(std::min(c.rows, all.size())));
  print_reason(x, all, facts.architecture);
  return true;
}

void add_plan_options(CLI::App& app, plan_command& c) {
  for (auto const& [name, extent] : {std::pair("M", &c.m), std::pair("N", &c.n), std::pair("K", &c.k)})
    add_integer(app, name, *extent, "an extent, 1 at least: an empty product needs no plan", 1ll)->required()->type_name("");
  app.add_option("TYPE", c.type, "of the operands; D is f64 of f64, f32 of f32 and tf32, s32 of s8, and else bf16 or f16")
      ->required()
      ->check(CLI::IsMember(names_of(product_kinds, &product_kind::name)));
  app.add_option(
         "--layout", c.layout,
         "where A and B are contiguous; D is along N. TN (the default): both along K; NN: A along K, B along N; TT: A along M, "
         "B along K; NT: A along M, B along N")
      ->check(CLI::IsMember({"TN", "NN", "NT", "TT"}));
  app.add_option("--arch", c.chip, "the chip (default: 90a)")->check(CLI::IsMember(names_of(chips, &chip::target)));
  add_integer(app, "--sms", c.sms, "how many SMs (default: those of one that is sold)", 1, 10000);
  add_integer(app, "--bandwidth", c.bandwidth, "gigabytes a second of its memory (default: those of one that is sold)", 1,
              1000000);
  add_integer<std::size_t>(app, "--rows", c.rows, "how many plans to show (default: 6)", 1);
}

}  // namespace

void add_plan(CLI::App& app, int& status) {
  CLI::App* const sub = app.add_subcommand("plan", "which plan a GEMM would take, and what the model expects of the others");
  sub->footer("example: colex plan 4096 4096 4096 bf16 --arch 90a");
  auto const c = std::make_shared<plan_command>();
  add_plan_options(*sub, *c);
  sub->callback([&status, c] { status = print_plans(*c) ? good : fails; });
}

}  // namespace colex
