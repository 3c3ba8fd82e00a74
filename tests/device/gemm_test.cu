// Multiplies random matrices with every kernel that this GPU runs and judges each result (verify.hpp): values,
// determinism, what lies around D, refusals. One seed names one problem; half of them go through colex_gemm.h.
// gemm_test.cpp reads the options. SPDX-License-Identifier: Apache-2.0
#include "gpu/plans/umma.hpp"
#include "tests/device/gemm_judge.cuh"
#include "tests/device/gemm_test.hpp"

#include <chrono>
#include <filesystem>

#include <fnmatch.h>
#include <unistd.h>

namespace {

using namespace colex::verify;
using colex::gpu::finish;

// A GEMM of 8 x 8 x 8 zeros, to be made wrong.
struct small {
  arena& memory;
  types of;
  int_tuple shape = int_tuple{8, 8}, stride = int_tuple{8, 1};
  device_tensor at(int i, element e) {
    unsigned char* const all = memory.of(4 * 4096);
    return {all + i * 4096, e, shape, stride};
  }
  device_tensor d = at(0, of.d), a = at(1, of.a), b = at(2, of.b), c = at(3, of.c);
  double beta = 1;
  gemm_options options = options_of(of, "");
  cudaStream_t stream = nullptr;

  gemm_status operator()() const { return gemm(d, a, b, c, 1, beta, options, stream); }
};

// A stream whose capture was broken: nothing can be launched in it.
cudaStream_t broken_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  static_cast<void>(cudaStreamSynchronize(stream));
  static_cast<void>(cudaGetLastError());
  return stream;
}
void give_back(cudaStream_t stream) {
  cudaGraph_t none = nullptr;
  static_cast<void>(cudaStreamEndCapture(stream, &none));
  static_cast<void>(cudaGetLastError());
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
}
// The first kernel of that prefix; a name that there is not, where there is none.
std::string kernel_like(std::string const& prefix) {
  for (std::string const& name : colex::gpu::gemm_kernels())
    if (name.starts_with(prefix)) return name;
  return "";
}

alignas(16) unsigned char host_memory[256];

struct refusal {
  char const* what;
  gemm_error error;
  char const* says;  // the reason contains it
  void (*spoil)(small&);
};
constexpr refusal refusals[] = {
    {"rank 1", gemm_error::bad_layout, "A", [](small& x) { x.a.shape = x.a.stride = int_tuple{8}; }},
    {"rank 4", gemm_error::bad_layout, "B", [](small& x) { x.b.shape = x.b.stride = int_tuple{8, 8, 1, 1}; }},
    {"stride of another form", gemm_error::bad_layout, "A", [](small& x) { x.a.stride = int_tuple{{4, 2}, 1}; }},
    {"basis stride", gemm_error::bad_layout, "B",
     [](small& x) { x.b.stride = int_tuple{int_tuple(1, colex::gpu::path_of({0})), 1}; }},
    {"negative extent", gemm_error::bad_layout, "D", [](small& x) { x.d.shape = int_tuple{-8, 8}; }},
    {"D of stride 0", gemm_error::bad_layout, "D", [](small& x) { x.d.stride = int_tuple{0, 1}; }},
    {"ranks that differ", gemm_error::extents_differ, "",
     [](small& x) { x.d.shape = int_tuple{8, 8, 2}, x.d.stride = int_tuple{8, 1, 64}; }},
    {"M", gemm_error::extents_differ, "M", [](small& x) { x.a.shape = int_tuple{7, 8}; }},
    {"N", gemm_error::extents_differ, "N", [](small& x) { x.b.shape = int_tuple{9, 8}; }},
    {"K", gemm_error::extents_differ, "K", [](small& x) { x.b.shape = int_tuple{8, 4}; }},
    {"C's N", gemm_error::extents_differ, "C", [](small& x) { x.c.shape = int_tuple{8, 4}; }},
    {"f64 by s8", gemm_error::unsupported_type, "f64", [](small& x) { x.a.type = element::f64, x.b.type = element::s8; }},
    {"scale factors as elements", gemm_error::unsupported_type, "ue8m0", [](small& x) { x.a.type = element::ue8m0; }},
    {"emulated bf16", gemm_error::unsupported_type, "f64",
     [](small& x) {
       x.a.type = x.b.type = element::bf16;
       x.options.emulation = colex::gpu::gemm_emulation::residues;
     }},
    {"one modulus", gemm_error::bad_option, "2 to 20",
     [](small& x) { x.options.emulation = colex::gpu::gemm_emulation::residues, x.options.moduli = 1; }},
    {"a bound that is no number", gemm_error::bad_option, "bound",
     [](small& x) { x.options.emulation = colex::gpu::gemm_emulation::residues, x.options.bound = NAN; }},
    {"no such kernel", gemm_error::unknown_kernel, "sm00_none", [](small& x) { x.options.kernel = "sm00_none"; }},
    {"half an element off", gemm_error::misaligned, "A",
     [](small& x) { x.a.data = static_cast<unsigned char*>(x.a.data) + 1; }},
    {"half an element off", gemm_error::misaligned, "D",
     [](small& x) { x.d.data = static_cast<unsigned char*>(x.d.data) + 1; }},
    {"C without data", gemm_error::no_data, "C", [](small& x) { x.c.data = nullptr; }},
    {"memory of the host", gemm_error::unreachable, "A", [](small& x) { x.a.data = &host_memory; }},
    {"D where A lies", gemm_error::overlap, "A", [](small& x) { x.a.data = x.d.data; }},
    {"D a row behind C", gemm_error::overlap, "C", [](small& x) { x.c.data = static_cast<float*>(x.d.data) + 8; }},
    {"a stream that is broken", gemm_error::cuda, "", [](small& x) { x.stream = broken_stream(); }},
};

// What tests count: problems, and how they ended, for each kernel.
struct tally {
  int64 passed = 0, failed = 0, skipped = 0;
  void add(tally const& t) { passed += t.passed, failed += t.failed, skipped += t.skipped; }
  void print(char const* what) const {
    std::printf("%-40s %lld passed, %lld failed, %lld skipped\n", what, static_cast<long long>(passed),
                static_cast<long long>(failed), static_cast<long long>(skipped));
  }
};

// Is it refused as it should be, and what comes after it not?
void judge_refusal(refusal const& r, small const& x, tally& t) {
  gemm_status const got = x();
  bool const right = got.error == r.error && got.reason.find(r.says) != std::string::npos && !got.reason.empty();
  if (!right)
    std::printf("FAIL refusal of %s: error %d, \"%s\"; expected error %d and \"%s\" in it\n", r.what,
                static_cast<int>(got.error), got.reason.c_str(), static_cast<int>(r.error), r.says);
  (right ? t.passed : t.failed) += 1;
  if (x.stream != nullptr) give_back(x.stream);
  gemm_status const after = small{x.memory, {element::f32, element::f32, element::f32, element::f32}}();
  if (!after) std::printf("FAIL after the refusal of %s: %s\n", r.what, after.reason.c_str()), ++t.failed;
}
// A row of one element again and again, which a kernel that copies would have to write out.
void judge_refusal_of_memory(arena& memory, tally& t) {
  std::string const copies = kernel_like("sm80_bf16");
  if (copies.empty()) return void(++t.skipped);
  small x{memory, {element::bf16, element::bf16, element::f32, element::f32}};
  x.a.shape = x.b.shape = int_tuple{8, int64{1} << 40}, x.a.stride = x.b.stride = int_tuple{0, 0};
  x.options.kernel = copies;
  judge_refusal({"2^43 elements to be copied", gemm_error::out_of_memory, "A", nullptr}, x, t);
}
// A kernel of another architecture: known where it was compiled.
void judge_refusal_of_device(arena& memory, tally& t) {
  using colex::gpu::sm100_plans;
  auto const* const plan = std::ranges::find(sm100_plans, element::bf16, &colex::gpu::plan::a);
  std::string const foreign = name(*plan);
  if (!kernel_like(foreign).empty()) return void(++t.skipped);
#ifdef COLEX_KERNELS_sm100
  gemm_error const error = gemm_error::unsupported_device;
#else
  gemm_error const error = gemm_error::unknown_kernel;
#endif
  small x{memory, {element::bf16, element::bf16, element::f32, element::f32}};
  x.options.kernel = foreign;
  judge_refusal({"another architecture's kernel", error, "", nullptr}, x, t);
}
tally judge_refusals(arena& memory) {
  tally t;
  for (refusal const& r : refusals) {
    small x{memory, {element::f32, element::f32, element::f32, element::f32}};
    r.spoil(x);
    judge_refusal(r, x, t);
  }
  judge_refusal_of_memory(memory, t);
  judge_refusal_of_device(memory, t);
  return t;
}

// Is the kernel taken that tune_gemm noted last, by a call that was planned before, too?
tally judge_tuned(arena& memory) {
  tally t;
  std::string const file = std::filesystem::temp_directory_path() / ("colex_tuned_" + std::to_string(getpid()));
  small x{memory, {element::f32, element::f32, element::f32, element::f32}};
  std::vector<std::string> const all = gemm_candidates(x.d, x.a, x.b, x.c, 1, x.beta, x.options);
  if (all.size() < 2) return ++t.skipped, t;
  x.options.tuned = file;
  for (std::string const& kernel : {all.back(), all.front(), all[1]}) {
    x.options.kernel = kernel;
    gemm_status const noted = tune_gemm(x.d, x.a, x.b, x.c, 1, x.beta, x.options);
    x.options.kernel = "";
    gemm_status const got = x();
    bool const right = noted && got && got.kernel == kernel;
    if (!right)
      std::printf("FAIL tuned: %s was noted, %s ran; %s%s\n", kernel.c_str(), got.kernel.c_str(), noted.reason.c_str(),
                  got.reason.c_str());
    (right ? t.passed : t.failed) += 1;
  }
  std::filesystem::remove(file);
  return t;
}

struct candidate {
  std::string name;  // empty: gemm() chooses
  std::vector<types> offered;
  tally t;
  std::string shown() const { return name.empty() ? "automatic" : name; }
};

// What the kernel multiplies: what it does not refuse.
std::vector<types> offers(std::string const& kernel, arena& memory) {
  std::vector<types> all;
  for (types const& t : all_types()) {
    small x{memory, t};
    x.options.kernel = kernel;
    if (x()) all.push_back(t);
  }
  finish("trying which types there are");
  return all;
}
std::vector<candidate> candidates(settings const& s, arena& memory) {
  std::vector<std::string> names = colex::gpu::gemm_kernels();
  names.insert(names.begin(), "");
  std::vector<candidate> all;
  for (std::string const& name : names) {
    candidate c{name, {}, {}};
    if (fnmatch(s.kernel.c_str(), c.shown().c_str(), 0) == 0) all.push_back(c);
  }
  for (candidate& c : all) c.offered = offers(c.name, memory);
  return all;
}
// A kernel multiplies something; gemm() all that it must.
void judge_offers(candidate& c) {
  if (c.offered.empty()) std::printf("FAIL %s: takes no types\n", c.shown().c_str()), ++c.t.failed;
  if (!c.name.empty()) return;
  for (types const& t : all_types()) {
    if (!is_required(t)) continue;
    auto const same = [&](types const& u) { return text(u) == text(t); };
    bool const there = std::ranges::any_of(c.offered, same);
    if (!there) std::printf("FAIL automatic: no kernel for %s\n", text(t).c_str());
    (there ? c.t.passed : c.t.failed) += 1;
  }
}

std::string again(candidate const& c, settings const& s, std::uint64_t seed) {
  std::string command = "gemm_test --kernel " + c.shown() + " --seed " + std::to_string(seed) + " --count 1";
  constexpr char const* names[] = {" --m ", " --n ", " --k ", " --batches "};
  for (std::size_t i = 0; i < 4; ++i)
    if (s.within.fixed[i] >= 0) command += names[i] + std::to_string(s.within.fixed[i]);
  return command + (s.sanitize ? " --sanitize" : "");
}
void judge_one(judge& j, candidate& c, settings const& s, std::uint64_t seed) {
  drawn const x = drawing(seed, s.within).draw(c.offered);
  if (!j.fits(x)) return void(++c.t.skipped);
  std::string const command = again(c, s, seed), fault = j.fault(x, c.name, seed);
  if (cudaError_t const e = cudaDeviceSynchronize(); e != cudaSuccess) {
    std::printf("%s", report(c.shown(), cudaGetErrorString(e), j.what, command).c_str());
    std::exit(1);  // nothing runs any more
  }
  if (!fault.empty() && c.t.failed < 3)
    std::printf("%s", report(c.shown(), fault + " (" + text(x.of) + ")", j.what, command).c_str());
  (fault.empty() ? c.t.passed : c.t.failed) += 1;
}

// Up to five problems of the same types a call, as many calls as a kernel has problems.
tally judge_groups(std::vector<types> const& offered, settings const& s, int64 calls) {
  tally t;
  std::vector<judge> judges(5);
  bounds within = s.within;
  within.huge = false;
  for (int64 call = 0; call < calls; ++call) {
    std::uint64_t const seed = s.seed + static_cast<std::uint64_t>(call);
    std::vector<types> const of{offered[seed % offered.size()]};
    std::vector<drawn> all;
    for (std::uint64_t i = 0; i <= seed % judges.size(); ++i) all.push_back(drawing(1000 * seed + i, within).draw(of));
    bool const least = std::ranges::any_of(all, [](drawn const& x) { return x.kind == data::least; });  // which has no half
    double const alpha = least ? std::ceil(all[0].alpha) : all[0].alpha, beta = least ? std::ceil(all[0].beta) : all[0].beta;
    for (drawn& x : all) x.alpha = alpha, x.beta = beta, x.without_c = x.without_c && beta == 0;
    std::string const fault = judge::fault_of_groups(judges, all, seed);
    if (!fault.empty() && t.failed < 3)
      std::printf("FAIL groups: %s (%s)\n  gemm_test --kernel groups --seed %llu --count 1\n", fault.c_str(),
                  text(of[0]).c_str(), static_cast<unsigned long long>(seed));
    (fault.empty() ? t.passed : t.failed) += 1;
  }
  return t;
}

}  // namespace

int colex::verify::judge_all(settings const& s) {
  arena memory;
  check(cudaMemset(memory.of(4 * 4096), 0, 4 * 4096), "cudaMemset");
  std::vector<candidate> all = candidates(s, memory);
  bool const groups = fnmatch(s.kernel.c_str(), "groups", 0) == 0;
  if (all.empty() && !groups) return std::printf("no kernel is called %s\n", s.kernel.c_str()), 2;
  tally total = s.kernel == "*" ? judge_refusals(memory) : tally{};
  if (s.kernel == "*") {
    total.print("refusals");
    tally const tuned = judge_tuned(memory);
    tuned.print("tuned"), total.add(tuned);
  }
  for (candidate& c : all) judge_offers(c);
  std::erase_if(all, [](candidate const& c) { return c.offered.empty(); });
  judge j;
  bounds const eight{{8, 8, 8, 1}};
  if (!j.notices(drawing(1, eight).draw({{element::f32, element::f32, element::f32, element::f32}})))
    std::printf("FAIL the judge: it does not see what is wrong, or nothing is right\n"), ++total.failed;
  auto const start = std::chrono::steady_clock::now();
  auto const spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  int64 i = 0;
  for (; !all.empty() && i < s.count && spent() < s.seconds; ++i)
    judge_one(j, all[static_cast<std::size_t>(i) % all.size()], s, s.seed + static_cast<std::uint64_t>(i));
  for (candidate const& c : all) c.t.print(c.shown().c_str()), total.add(c.t);
  if (groups) {
    tally const t = judge_groups(offers("", memory), s, 1 + (s.count - 1) / static_cast<int64>(all.size() + 1));
    t.print("groups"), total.add(t);
  }
  std::printf("%lld problems in %.1f s\n", static_cast<long long>(i), spent());
  total.print("total");
  return total.failed != 0 || total.passed == 0;
}
