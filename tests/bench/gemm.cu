// Times the GEMMs against cuBLASLt in one process, both checked first: median of replays of a graph, the two in alternation,
// on random data in more memory than L2 has. Prints rates, ratios and, when asked, what is reached of the goals
// (goals.hpp).
//   gemm_bench [--type bf16] [--shape 4096] [--kernel 'sm90_*'] [--goals] [--json FILE]
//   gemm_bench --models [--sample 100] | --random 100 [--seed 1]  [--oracle]     products that nobody tuned for
//   gemm_bench --host                                       what a call costs the host
//   gemm_bench --emulation [--moduli 8]                     f64 and f32 by residues
//   gemm_bench --accuracy                                   how exact each type is, beside cuBLASLt
//   gemm_bench --tune 4096 4096 4096 bf16 --tuned FILE      every kernel that may run; FILE then names the fastest
//   gemm_bench --tune ... --compile                         and some that NVRTC compiles
// Exits 77 without a GPU, 1 when a result is wrong or a goal is missed. SPDX-License-Identifier: Apache-2.0
#include "tests/bench/accuracy.hpp"
#include "tests/bench/cublas.hpp"
#include "tests/bench/host.hpp"
#include "tests/bench/products.cuh"
#include "tests/bench/shapes.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>

#include <fnmatch.h>

namespace {

using namespace colex::bench;

struct settings {
  std::string type = "*", shape = "*", kernel, cublas, json, tuned, layout = "TN";
  std::vector<std::string> tune;  // M N K TYPE...
  int replays = 21, random = 0, sample = 0, moduli = 0;
  std::uint64_t seed = 1;
  bool emulation = false, goals = false, models = false, oracle = false, host = false, accuracy = false, compile = false;
};

struct sampled {
  product x;
  COLEX_HD bool operator()(int64 i) const {
    bits const far = static_cast<bits>(i) * 0x9E3779B97F4A7C15;
    return wrong{x}(static_cast<int64>(far % static_cast<bits>(x.size())));
  }
};
// Is what `run` leaves in D the exact product of integers, rounded once, at a sample of its elements?
template <class Run>
bool right(job const& j, Run const& run) {
  static count* found = nullptr;
  if (found == nullptr) check(cudaMalloc(&found, sizeof *found), "cudaMalloc");
  constexpr count samples = 4096;
  for (product const& x : j.products)
    check(cudaMemset(x.d.data, 0xFF, static_cast<std::size_t>(x.size() * bytes_of(x.d.type))), "cudaMemset");
  run(nullptr);
  for (product const& x : j.products) {
    count first = samples;
    check(cudaMemcpy(found, &first, sizeof first, cudaMemcpyDefault), "copy");
    find_first(samples, sampled{x}, found);
    check(cudaMemcpy(&first, found, sizeof first, cudaMemcpyDefault), "running");
    if (first != samples) return false;
  }
  return true;
}

class graph {
 public:
  template <class Record>
  explicit graph(Record const& record) {
    cudaStream_t stream = nullptr;
    cudaGraph_t recorded = nullptr;
    check(cudaStreamCreate(&stream), "cudaStreamCreate");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    record(stream);
    check(cudaStreamEndCapture(stream, &recorded), "capture");
    check(cudaGraphInstantiate(&ready_, recorded, 0), "cudaGraphInstantiate");
    check(cudaGraphDestroy(recorded), "cudaGraphDestroy");
    check(cudaStreamDestroy(stream), "cudaStreamDestroy");
  }
  graph(graph const&) = delete;
  ~graph() { cudaGraphExecDestroy(ready_); }

  double seconds() const {
    static cudaEvent_t const begin = event(), end = event();
    check(cudaEventRecord(begin), "cudaEventRecord");
    check(cudaGraphLaunch(ready_, nullptr), "cudaGraphLaunch");
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), "running");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    return ms / 1e3;
  }

 private:
  static cudaEvent_t event() {
    cudaEvent_t e = nullptr;
    check(cudaEventCreate(&e), "cudaEventCreate");
    return e;
  }
  cudaGraphExec_t ready_ = nullptr;
};
// Each graph's times over the replays, in alternation, after one to warm up.
std::vector<std::vector<double>> in_alternation(std::vector<graph const*> const& graphs, int replays) {
  std::vector<std::vector<double>> times(graphs.size());
  for (int i = -1; i < replays; ++i)
    for (std::size_t g = 0; g < graphs.size(); ++g)
      if (double const s = graphs[g]->seconds(); i >= 0) times[g].push_back(s);
  return times;
}

bool is_emulated(kind const& k) { return k.name == "f64" || k.name == "f32"; }

class race {
 public:
  race(lt_library const& lt, settings const& s, kind const& k, workload const& w)
      : set_(s), kind_(k), what_(w), checked_(w, k.of, 1, data::whole) {
    int l2 = 0;
    check(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0), "cudaDeviceGetAttribute");
    int64 const jobs = 1 + static_cast<int64>(3.0 * l2 / w.bytes(k.of));
    for (int64 i = 0; i < jobs; ++i) jobs_.push_back(std::make_unique<job>(w, k.of, static_cast<bits>(1000 * i), data::normal));
    // Long enough for the clock of events, short of what the ceiling lets it be by little.
    calls_ = std::max(jobs, 1 + static_cast<int64>(3e-4 * ceiling() * 1e12 / w.operations()));
    check(cudaMalloc(&space_, lt_plan::workspace), "cudaMalloc");
    if (lt.opened != nullptr)
      for (product const& x : checked_.products) plans_.emplace_back(lt, x, k.of);
    choose();
  }
  race(race const&) = delete;
  ~race() { cudaFree(space_); }

  // Ours with the kernel named, or gemm()'s choice, against theirs. `refused` says why not.
  measured run(std::string const& kernel, std::string& refused) { return time(kernel, refused, {first_.get(), best_.get()}); }
  // The same, but not beside theirs: for the many that are compared with each other.
  measured run_alone(std::string const& kernel, std::string& refused) { return time(kernel, refused, {}); }
  // What may run, the kernel expected to be fastest first; and the note that one was.
  std::vector<std::string> candidates() const {
    product const& x = checked_.products[0];
    return gemm_candidates(tensor_of(x.d), tensor_of(x.a), tensor_of(x.b), {}, 1, 0, options(""));
  }
  gemm_status note(std::string const& kernel) const {
    product const& x = checked_.products[0];
    return tune_gemm(tensor_of(x.d), tensor_of(x.a), tensor_of(x.b), {}, 1, 0, options(kernel));
  }

 private:
  measured time(std::string const& kernel, std::string& refused, std::vector<graph const*> theirs) {
    measured r{kind_.name, kernel, what_};
    r.ceiling = ceiling();
    auto const ours = [&](job const& j, cudaStream_t stream) { return multiply(j, kernel, stream, r.kernel); };
    if (refused = ours(checked_, nullptr); !refused.empty()) return r;
    if (!right(checked_, [&](cudaStream_t s) { static_cast<void>(ours(checked_, s)); })) refused = "WRONG";
    graph const g([&](cudaStream_t s) { each_job([&](job const& j) { static_cast<void>(ours(j, s)); }); });
    if (!best_) theirs.clear();
    theirs.insert(theirs.begin(), &g);
    auto const times = in_alternation(theirs, set_.replays);
    r.ours = rate(median(times[0]));
    r.spread = (std::ranges::max(times[0]) - std::ranges::min(times[0])) / median(times[0]);
    if (theirs.size() > 1) r.first = rate(median(times[1])), r.best = std::max(r.first, rate(median(times[2])));
    return r;
  }
  gemm_options options(std::string const& kernel) const {
    gemm_options o;
    o.kernel = kernel, o.tf32 = kind_.of.tf32, o.fast_accumulation = kind_.of.fast, o.tuned = set_.tuned;
    o.compile = set_.compile;
    if (set_.emulation) o.emulation = colex::gpu::gemm_emulation::residues, o.moduli = set_.moduli;
    return o;
  }
  template <class F>
  void each_job(F const& f) const {
    for (int64 i = 0; i < calls_; ++i) f(*jobs_[static_cast<std::size_t>(i) % jobs_.size()]);
  }
  double rate(double seconds) const { return what_.operations() * static_cast<double>(calls_) / seconds / 1e12; }
  double ceiling() const { return std::min(kind_.ceiling, what_.operations() / what_.bytes(kind_.of) * memory_bandwidth); }
  std::string multiply(job const& j, std::string const& kernel, cudaStream_t stream, std::string& ran) const {
    std::vector<colex::gpu::gemm_group> groups;
    for (product const& x : j.products) groups.push_back({tensor_of(x.d), tensor_of(x.a), tensor_of(x.b)});
    gemm_options const o = options(kernel);
    gemm_status const s = groups.size() > 1 ? gemm_grouped(groups, 1, 0, o, stream)
                                            : gemm(groups[0].d, groups[0].a, groups[0].b, {}, 1, 0, o, stream);
    ran = s.kernel;
    return s ? "" : s.reason;
  }
  void theirs(job const& j, int way, cudaStream_t stream) const {
    for (std::size_t i = 0; i < plans_.size(); ++i)
      plans_[i].run(j.products[i], std::min(way, plans_[i].candidates() - 1), space_, stream);
  }
  // The fastest of the ways that cuBLASLt offers.
  void choose() {
    int ways = plans_.empty() ? 0 : 8;
    for (lt_plan const& p : plans_) ways = std::min(ways, p.candidates());
    double fastest = INFINITY;
    for (int way = 0; way < ways; ++way) {
      if (!right(checked_, [&](cudaStream_t s) { theirs(checked_, way, s); }))
        std::printf("cuBLASLt's way %d is wrong: %s %s\n", way, kind_.name.c_str(), what_.name.c_str());
      auto g = std::make_unique<graph>([&](cudaStream_t s) { each_job([&](job const& j) { theirs(j, way, s); }); });
      double const seconds = median(in_alternation({g.get()}, 3)[0]);
      if (way == 0) first_ = std::make_unique<graph>([&](cudaStream_t s) { each_job([&](job const& j) { theirs(j, 0, s); }); });
      if (seconds < fastest) fastest = seconds, best_ = std::move(g);
    }
  }

  settings const& set_;
  kind const& kind_;
  workload what_;
  job checked_;                             // integers
  std::vector<std::unique_ptr<job>> jobs_;  // what is timed
  std::vector<lt_plan> plans_;
  std::unique_ptr<graph> first_, best_;
  int64 calls_ = 1;
  void* space_ = nullptr;
};

void print(measured const& r) {
  std::printf("%-8s %-3s %-16s %8.1f %8.1f %8.1f %7.3f %7.3f %6.1f%%  %s\n", r.kind.c_str(), r.shape.layout.c_str(),
              r.shape.name.c_str(), r.ours, r.first, r.best, r.ratio(), r.ours / r.ceiling, 100 * r.spread, r.kernel.c_str());
  std::fflush(stdout);
}
// The kernels to be forced, one after another; gemm()'s choice alone unless some are named.
std::vector<std::string> forced(settings const& s) {
  std::vector<std::string> names;
  for (std::string const& name : colex::gpu::gemm_kernels())
    if (fnmatch(s.kernel.c_str(), name.c_str(), 0) == 0) names.push_back(name);
  return s.kernel.empty() ? std::vector<std::string>{""} : names;
}
// All kernels that may run, forced.
void try_all(race& one, measured& of) {
  double chosen = 0;
  for (std::string const& kernel : one.candidates()) {
    std::string refused;
    measured const r = one.run_alone(kernel, refused);
    if (refused.empty()) of.tried.emplace_back(r.kernel, r.ours);
    if (r.kernel == of.kernel) chosen = r.ours;
  }
  std::ranges::sort(of.tried, std::ranges::greater{}, &std::pair<std::string, double>::second);
  if (of.tried.empty()) return;
  auto const& [best, rate] = of.tried[0];
  std::printf("%28s best %8.1f, of which %5.3f chosen  %s\n", "", rate, chosen / rate, best.c_str());
}
bool measure(settings const& s, lt_library const& lt, kind const& k, workload const& w, results& all) {
  race one(lt, s, k, w);
  bool right = true;
  for (std::string const& kernel : forced(s)) {
    std::string refused;
    measured const r = one.run(kernel, refused);
    if (refused == "WRONG") std::printf("FAIL %s %s: wrong with %s\n", k.name.c_str(), w.name.c_str(), r.kernel.c_str());
    right = right && refused != "WRONG" && (refused.empty() || !kernel.empty());
    if (!refused.empty() && refused != "WRONG" && kernel.empty())
      std::printf("FAIL %s %s: %s\n", k.name.c_str(), w.name.c_str(), refused.c_str());
    if (refused.empty()) print(r), all.push_back(r);
    if (refused.empty() && s.oracle) try_all(one, all.back());
  }
  return right;
}
nlohmann::json json_of(results const& all) {
  nlohmann::json j = {{"memory", memory_bandwidth}, {"results", nlohmann::json::array()}};
  for (kind const& k : kinds) j["ceilings"][k.name] = k.ceiling;
  for (measured const& r : all) {
    types const of = std::ranges::find(kinds, r.kind, &kind::name)->of;
    j["results"].push_back({{"type", r.kind},
                            {"group", r.shape.group},
                            {"shape", r.shape.name},
                            {"layout", r.shape.layout},
                            {"kernel", r.kernel},
                            {"tflops", r.ours},
                            {"spread", r.spread},
                            {"tried", r.tried},
                            {"cublaslt_first", r.first},
                            {"cublaslt_best", r.best},
                            {"ceiling", r.ceiling},
                            {"intensity", r.shape.operations() / r.shape.bytes(of)}});
  }
  return j;
}
// The table of goals; how many are missed. What was not asked for is no row of it; what else could not be measured is missed.
int missed(results const& all, std::vector<goal> const& goals, bool everything) {
  int missed = 0;
  std::printf("\n%-44s %8s %8s %7s\n", "goal", "goal", "figure", "ratio");
  for (goal const& g : goals) {
    double const figure = g.figure(all);
    bool const measured = !std::isnan(figure), pass = figure >= g.reach;
    if (!measured && !everything) continue;
    missed += !pass;
    std::printf("%-44s %8.2f %8.2f %7.2f  %s\n", g.name.c_str(), g.reach, figure, figure / g.reach, pass ? "pass" : "short");
  }
  return missed;
}

// Times all kernels that may run, notes the fastest, and looks that gemm() then takes it.
bool tune(settings const& s, lt_library const& lt, kind const& k, workload const& w) {
  race one(lt, s, k, w);
  measured best;
  std::string refused;
  for (std::string const& kernel : one.candidates()) {
    measured const r = one.run(kernel, refused);
    if (refused.empty()) print(r);
    if (refused.empty() && r.ours > best.ours) best = r;
  }
  if (best.kernel.empty()) return std::printf("FAIL %s %s: nothing runs\n", k.name.c_str(), w.name.c_str()), false;
  gemm_status const noted = one.note(best.kernel);
  if (!noted) return std::printf("FAIL %s\n", noted.reason.c_str()), false;
  measured const then = one.run("", refused);
  std::printf("%s: %s%s\n", s.tuned.c_str(), best.kernel.c_str(), then.kernel == best.kernel ? "" : " is not what runs");
  return then.kernel == best.kernel;
}
int tune(settings const& s, lt_library const& lt) {
  bool good = true;
  for (std::size_t i = 3; i < s.tune.size(); ++i) {
    workload w{"tune",
               s.tune[0] + "x" + s.tune[1] + "x" + s.tune[2],
               s.layout,
               std::stoll(s.tune[0]),
               std::stoll(s.tune[1]),
               std::stoll(s.tune[2])};
    good = tune(s, lt, *std::ranges::find(kinds, s.tune[i], &kind::name), w) && good;
  }
  return !good;
}
// M N K, then types.
std::string wrong_tuning(std::string const& word) {
  bool const number = word.size() < 10 && word.find_first_not_of("0123456789") == word.npos && std::stoll(word) > 0;
  bool const type = std::ranges::find(kinds, word, &kind::name) != kinds.end();
  return number || type ? "" : word + " is no extent and no type";
}

// Of all products together: how the ratios are distributed, and the worst.
void print_summary(results const& all) {
  std::printf("\n%-16s %6s %7s %7s %7s\n", "of cuBLASLt's", "count", "mean", "5 %", "least");
  for (auto const& [name, d] : distributions(all))
    std::printf("%-16s %6zu %7.3f %7.3f %7.3f\n", name.c_str(), d.count, d.mean, d.low, d.least);
  std::puts("\nthe worst");
  for (measured const& r : worst(all, 20))
    std::printf("%7.3f  %-8s %-3s %-20s %s%s\n", r.ratio(), r.kind.c_str(), r.shape.layout.c_str(), r.shape.name.c_str(),
                r.kernel.c_str(), r.tried.empty() ? "" : (", best " + r.tried[0].first).c_str());
}
std::vector<workload> asked_workloads(settings const& s, kind const& k) {
  if (s.random > 0) return random_workloads(s.random, s.seed);
  if (!s.models) return workloads(k.name);
  std::vector<workload> all = model_workloads();
  return s.sample > 0 ? sample(all, static_cast<std::size_t>(s.sample), s.seed) : all;
}
int run(settings const& s) {
  lt_library const lt(s.cublas);
  std::printf(lt.opened != nullptr ? "cuBLASLt %zu\n" : "no cuBLASLt: ours alone\n",
              lt.opened != nullptr ? lt.GetVersion() : 0);
  if (s.host) return time_host(lt, s.cublas);
  if (s.accuracy) return measure_accuracy(lt);
  std::printf("%-8s %-3s %-16s %8s %8s %8s %7s %7s %7s\n", "TFLOP/s", "", "", "ours", "Lt", "Lt best", "ratio", "ceiling",
              "spread");
  if (!s.tune.empty()) return tune(s, lt);
  results all;
  bool right = true;
  for (kind const& k : kinds)
    for (workload const& w : asked_workloads(s, k))
      if ((!s.emulation || is_emulated(k)) && fnmatch(s.type.c_str(), k.name.c_str(), 0) == 0 &&
          fnmatch(s.shape.c_str(), w.name.c_str(), 0) == 0)
        right = measure(s, lt, k, w, all) && right;
  if (!s.json.empty()) std::ofstream(s.json) << json_of(all).dump(1) << "\n";
  if (s.models || s.random > 0) print_summary(all);
  int const short_of = s.goals ? missed(all, s.emulation ? emulation_goals() : goals(), s.type == "*" && s.shape == "*") : 0;
  if (all.empty()) std::puts("nothing was measured");
  return !right || short_of != 0 || all.empty();
}

}  // namespace

int main(int count, char** arguments) {
  settings s;
  CLI::App app("Times the GEMMs against cuBLASLt.");
  app.add_option("--type", s.type, "a pattern: bf16 f16 tf32 fp8 fp8_fast s8 f64 f32");
  app.add_option("--shape", s.shape, "a pattern: 4096, 16x8192x8192, ...");
  app.add_option("--kernel", s.kernel, "a pattern: these kernels, each by itself; none: gemm()'s own choice");
  app.add_option("--replays", s.replays, "how many times each is timed");
  app.add_option("--cublaslt", s.cublas, "the library, where it is not found by name");
  app.add_option("--json", s.json, "a file to write the figures to");
  CLI::Option* const emulation =
      app.add_flag("--emulation", s.emulation, "f64 and f32 by residues, where gemm() expects it to pay");
  app.add_option("--moduli", s.moduli, "so many, whatever is expected; 0: as many as are needed")->needs(emulation);
  app.add_flag("--goals", s.goals, "the goals, and what is reached of each; exits with 1 when one is missed");
  CLI::Option* const models = app.add_flag("--models", s.models, "the products of models in use, not the goals' shapes");
  app.add_option("--sample", s.sample, "so many of them, drawn by --seed")->needs(models)->check(CLI::PositiveNumber);
  app.add_option("--random", s.random, "so many random products of each type")->excludes(models)->check(CLI::PositiveNumber);
  app.add_option("--seed", s.seed, "of what is drawn");
  app.add_flag("--oracle", s.oracle, "also the best of all kernels for each product");
  app.add_flag("--host", s.host, "what a call costs the host, and the rate of calls without graphs");
  app.add_flag("--accuracy", s.accuracy, "how exact each type is, beside cuBLASLt: errors against f64");
  CLI::Option* const file = app.add_option("--tuned", s.tuned, "the fastest kernels: gemm() asks it, --tune writes it");
  file->envname("COLEX_TUNED");
  CLI::Option* const tune = app.add_option("--tune", s.tune, "M N K TYPE...: times every kernel that may run");
  tune->expected(4, 16)->check(wrong_tuning)->needs(file);
  app.add_flag("--compile", s.compile, "NVRTC compiles kernels: --tune tries lawful plans that no table has, too");
  app.add_option("--layout", s.layout, "of --tune, as BLAS says it")->check(CLI::IsMember({"TN", "NN", "NT", "TT"}));
  CLI11_PARSE(app, count, arguments);
  return colex::gpu::found_device() ? run(s) : 77;
}
