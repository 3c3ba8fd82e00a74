// The entry point: from tensors to a problem, to a kernel, to its launch; operands copied first where no kernel reads them.
// No kernel that multiplies. SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/gemm.hpp"

#include "gpu/gemm/copies.hpp"
#include "gpu/gemm/cost.hpp"
#include "gpu/gemm/streams.hpp"
#include "gpu/gemm/tuned.hpp"

#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace colex::gpu {
namespace {

// ---- kernels ----

std::vector<gemm_kernel> all_kernels() {
  std::vector<gemm_kernel> r;
  [[maybe_unused]] auto const add = [&](std::span<gemm_kernel const> more) { r.insert(r.end(), more.begin(), more.end()); };
#ifdef COLEX_KERNELS_simt
  add(simt_kernels());
#endif
#ifdef COLEX_KERNELS_sm61
  add(sm61_kernels());
#endif
#ifdef COLEX_KERNELS_sm70
  add(sm70_kernels());
#endif
#ifdef COLEX_KERNELS_sm75
  add(sm75_kernels());
#endif
#ifdef COLEX_KERNELS_sm80
  add(sm80_kernels());
#endif
#ifdef COLEX_KERNELS_sm89
  add(sm89_kernels());
#endif
#ifdef COLEX_KERNELS_sm90
  add(sm90_kernels());
#endif
#ifdef COLEX_KERNELS_sm100
  add(sm100_kernels());
#endif
#ifdef COLEX_KERNELS_sm120
  add(sm120_kernels());
#endif
  return r;
}
std::vector<gemm_kernel> const& kernels() {
  static std::vector<gemm_kernel> const all = all_kernels();
  return all;
}

cudaError_t ask(device_facts& facts) {
  int device = 0, major = 0, minor = 0;
  cudaError_t e = cudaGetDevice(&device);
  if (e == cudaSuccess) e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (e == cudaSuccess) e = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  if (e == cudaSuccess) e = cudaDeviceGetAttribute(&facts.processors, cudaDevAttrMultiProcessorCount, device);
  facts.architecture = 10 * major + minor;
  return e;
}

gemm_status failed(cudaError_t e, std::string const& what) {
  return refused(gemm_error::cuda, what + ": " + cudaGetErrorString(e));
}
bool no_memory(cudaError_t e) { return e == cudaErrorMemoryAllocation || e == cudaErrorNotSupported; }
// Was the kernel compiled for chips that this one is not?
bool not_compiled(cudaError_t e) { return e == cudaErrorNoKernelImageForDevice || e == cudaErrorInvalidDeviceFunction; }

// An operand as the kernel reads it, in memory of its own.
gemm_status copy_operand(char const* who, matrix& x, int64 rows, problem const& p, major along, int alignment, workspace& to,
                         cudaStream_t stream) {
  packed r = repacked(x, rows, p.k, p.batches, along, alignment);
  if (cudaError_t const e = to.allocate(r.bytes); e != cudaSuccess) {
    cudaGetLastError();  // it is told here
    if (no_memory(e)) return refused(gemm_error::out_of_memory, std::string(who) + " must be copied: " + cudaGetErrorString(e));
    return failed(e, "cudaMallocFromPoolAsync");
  }
  r.at.data = to.data();
  if (cudaError_t const e = launch_repack({x, to.data(), r.run, r.extent, r.pitch, r.lines, r.batches}, stream);
      e != cudaSuccess)
    return failed(e, std::string("copying ") + who);
  x = r.at;
  return {};
}

gemm_status launched(plan const& what, cudaError_t e) {
  if (not_compiled(e)) return refused(gemm_error::unsupported_device, name(what) + " is not compiled for this device");
  return e == cudaSuccess ? gemm_status{.kernel = name(what)} : failed(e, name(what));
}
// The products of K's parts, whose sums the kernel leaves where D is.
cudaError_t run_as_clusters(candidate const& c, problem const& p, cudaStream_t stream) {
  problem parts = in_parts(p, c.parts, c.kernel->what->accumulator);
  parts.parts = c.parts, parts.c = p.c, parts.d = p.d, parts.alpha = p.alpha, parts.beta = p.beta;
  return c.kernel->launch(parts, stream);
}
// The products of K's parts, and then their sums.
gemm_status run_in_parts(candidate const& c, problem const& p, cudaStream_t stream) {
  plan const& what = *c.kernel->what;
  problem parts = in_parts(p, c.parts, what.accumulator);
  workspace sums(stream);
  if (cudaError_t const e = sums.allocate(bytes_of_sums(p, c.parts, what.accumulator)); e != cudaSuccess) {
    cudaGetLastError();  // it is told here
    return no_memory(e) ? refused(gemm_error::out_of_memory, std::string("the sums of K's parts: ") + cudaGetErrorString(e))
                        : failed(e, "cudaMallocFromPoolAsync");
  }
  parts.c.data = parts.d.data = sums.data();
  if (gemm_status s = launched(what, c.kernel->launch(parts, stream)); !s) return s;
  return launched(what, launch_add_up(p, parts.d, c.parts, stream));
}
gemm_status run(candidate const& c, problem p, cudaStream_t stream) {
  plan const& what = *c.kernel->what;
  if (c.adds_up)  // code of chips without clusters does not
    if (cudaError_t const e = run_as_clusters(c, p, stream); !not_compiled(e)) return launched(what, e);
  if (c.parts > 1) return run_in_parts(c, p, stream);
  workspace a(stream), b(stream);
  if (c.copy_a)
    if (gemm_status s = copy_operand("A", p.a, p.m, p, what.major_a, what.copy_alignment, a, stream); !s) return s;
  if (c.copy_b)
    if (gemm_status s = copy_operand("B", p.b, p.n, p, what.major_b, what.copy_alignment, b, stream); !s) return s;
  return launched(what, c.kernel->launch(p, stream));
}
// The first that runs: one that needs no memory, or is compiled for the device, may follow one that does or is not.
gemm_status run_first(choice const& of, cudaStream_t stream) {
  gemm_status last;
  for (candidate const& c : of.all) {
    gemm_status s = run(c, of.of(c), stream);
    if (s.error != gemm_error::out_of_memory && s.error != gemm_error::unsupported_device) return s;
    std::swap(last, s);
  }
  return last;
}

gemm_status why_none(std::span<gemm_kernel const> asked, problem const& p, gemm_options const& o, device_facts on) {
  auto const fits = [&](gemm_kernel const& k) { return multiplies(*k.what, p, o) || multiplies(*k.what, transposed(p), o); };
  std::string const what = std::string(name_of(p.a.type)) + " by " + std::string(name_of(p.b.type));
  if (std::any_of(asked.begin(), asked.end(), fits))
    return refused(gemm_error::unsupported_device, "no kernel for " + what + " runs on compute capability " +
                                                       std::to_string(on.architecture / 10) + "." +
                                                       std::to_string(on.architecture % 10));
  return refused(gemm_error::unsupported_type,
                 o.kernel.empty() ? "no kernel multiplies " + what : std::string(o.kernel) + " does not multiply " + what);
}
// The kernels that may be taken: all, or those of the name that is forced.
std::vector<gemm_kernel> asked_for(std::string_view forced) {
  std::vector<gemm_kernel> r;
  for (gemm_kernel const& k : kernels())
    if (forced.empty() || forced == name(*k.what)) r.push_back(k);
  return r;
}

// ---- kernels that were measured ----

// This library, by its version and its kernels, and this device.
cudaError_t ask(tuned_place& at) {
  int device = 0;
  cudaDeviceProp what{};
  cudaError_t e = cudaGetDevice(&device);
  if (e == cudaSuccess) e = cudaGetDeviceProperties(&what, device);
  std::string names;
  for (gemm_kernel const& k : kernels()) names += name(*k.what) + ' ';
  std::string const sum = detail::sum_text(names);
  at.library = std::string(COLEX_VERSION " kernels ") + sum.substr(4, sum.size() - 5);
  at.device = std::string(what.name) + ", compute capability " + std::to_string(what.major) + '.' + std::to_string(what.minor) +
              ", " + std::to_string(what.multiProcessorCount) + " processors";
  return e;
}
std::string tuned_file(gemm_options const& o) {
  if (!o.tuned.empty()) return std::string(o.tuned);
  char const* const named = std::getenv("COLEX_TUNED");
  return named == nullptr ? "" : named;
}
// What the file says to this device, read when it is first asked for.
tuned_kernels const& tuned_of(std::string const& file) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, int>, tuned_kernels> all;
  int device = 0;
  cudaGetDevice(&device);
  std::lock_guard const lock(mutex);
  auto const [at, is_new] = all.try_emplace({file, device});
  if (tuned_place here; is_new && ask(here) == cudaSuccess) at->second = read_tuned(file, here, kernels());
  return at->second;
}
// Puts the kernel that was measured to be the fastest before all others. Why there is none.
std::string prefer_tuned(choice& c, problem const& p, gemm_options const& o) {
  std::string const file = o.kernel.empty() ? tuned_file(o) : "";
  if (file.empty()) return "";
  tuned_kernels const& tuned = tuned_of(file);
  if (auto const found = tuned.kernel_of.find(product_text(p, o)); found != tuned.kernel_of.end())
    std::stable_partition(c.all.begin(), c.all.end(),
                          [&](candidate const& x) { return name(*x.kernel->what) == found->second; });
  return tuned.refused;
}

// A call's product with the kernels that may compute it, the first one first; none where there is nothing to multiply.
struct planned {
  normalized product = {};
  std::vector<gemm_kernel> asked = {};  // which the candidates point into
  std::optional<choice> ways = {};
  std::string untuned = {};  // why no file of tuned kernels was used

  double work() const {
    problem const& p = product.what;
    return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) * static_cast<double>(p.batches);
  }
  bool multiplies() const { return work() > 0 && product.what.alpha != 0; }
  bool writes() const { return product.what.m > 0 && product.what.n > 0 && product.what.batches > 0; }
};
// What is wrong with a call whatever the device is.
gemm_status check_call(planned& x, gemm_group const& g, double alpha, double beta, gemm_options const& o) {
  x.product = normalize(g.d, g.a, g.b, g.c, alpha, beta, o.sfa, o.sfb);
  if (!x.product.status) return x.product.status;
  if (x.multiplies()) x.asked = asked_for(o.kernel);
  if (x.multiplies() && x.asked.empty() && !o.kernel.empty())
    return refused(gemm_error::unknown_kernel, "no kernel is named " + std::string(o.kernel));
  return {};
}
gemm_status choose_ways(planned& x, gemm_options const& o, device_facts on) {
  problem const& p = x.product.what;
  if (!x.multiplies()) return {};
  x.ways = choose(x.asked, p, o, on);
  if (x.ways->all.empty()) return why_none(x.asked, p, o, on);
  x.untuned = prefer_tuned(*x.ways, p, o);
  return {};
}
gemm_status enqueue(planned const& x, element operands, cudaStream_t stream) {
  if (!x.writes()) return {};
  if (!x.ways) {
    cudaError_t const e = launch_scale(x.product.what, operands, stream);
    return e == cudaSuccess ? gemm_status{.kernel = "scale"} : failed(e, "scale");
  }
  gemm_status s = run_first(*x.ways, stream);
  if (s) s.reason = x.untuned;
  return s;
}

gemm_status checked_gemm(gemm_group const& x, double alpha, double beta, gemm_options const& o, cudaStream_t stream) {
  planned one;
  if (gemm_status s = check_call(one, x, alpha, beta, o); !s) return s;
  device_facts on;
  if (cudaError_t const e = one.multiplies() ? ask(on) : cudaSuccess; e != cudaSuccess) return failed(e, "the device");
  if (gemm_status s = choose_ways(one, o, on); !s) return s;
  return enqueue(one, x.a.type, stream);
}

gemm_status checked_tune(gemm_group const& x, double alpha, double beta, gemm_options const& o) {
  normalized const n = normalize(x.d, x.a, x.b, x.c, alpha, beta, o.sfa, o.sfb);
  if (!n.status) return n.status;
  std::vector<gemm_kernel> const asked = asked_for(o.kernel);
  if (o.kernel.empty() || asked.empty())
    return refused(gemm_error::unknown_kernel, "no kernel is named \"" + std::string(o.kernel) + '"');
  device_facts on;
  tuned_place here;
  if (cudaError_t const e = ask(on); e != cudaSuccess) return failed(e, "the device");
  if (cudaError_t const e = ask(here); e != cudaSuccess) return failed(e, "the device");
  if (choose(asked, n.what, o, on).all.empty()) return why_none(asked, n.what, o, on);
  std::string const file = tuned_file(o);
  tuned_kernels known = read_tuned(file, here, kernels());
  known.refused.clear();
  known.kernel_of[product_text(n.what, o)] = o.kernel;
  std::string const wrong = write_tuned(file, here, known);
  return wrong.empty() ? gemm_status{.kernel = std::string(o.kernel)} : refused(gemm_error::unwritable, wrong);
}

// ---- several products ----

// Each with the processors that its share of the work is worth.
gemm_status plan_all(std::vector<planned>& all, std::span<gemm_group const> groups, double alpha, double beta,
                     gemm_options const& o) {
  auto const of_group = [](std::size_t i, gemm_status s) {
    s.reason = "group " + std::to_string(i) + ": " + s.reason;
    return s;
  };
  device_facts on;
  double work = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (gemm_status s = check_call(all.emplace_back(), groups[i], alpha, beta, o); !s) return of_group(i, s);
    work += all[i].work();
  }
  if (cudaError_t const e = work > 0 ? ask(on) : cudaSuccess; e != cudaSuccess) return failed(e, "the device");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    int const share = work > 0 ? static_cast<int>(on.processors * all[i].work() / work) : 0;
    if (gemm_status s = choose_ways(all[i], o, {on.architecture, share > 1 ? share : 1}); !s) return of_group(i, s);
  }
  return {};
}
gemm_status checked_grouped(std::span<gemm_group const> groups, double alpha, double beta, gemm_options const& o,
                            cudaStream_t stream) {
  std::vector<planned> all;
  if (gemm_status s = plan_all(all, groups, alpha, beta, o); !s) return s;
  std::vector<std::size_t> order;  // the largest first: the small ones fill what it leaves
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].writes()) order.push_back(i);
  if (order.empty()) return {};
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return all[i].work() > all[j].work(); });
  constexpr std::size_t most = 8;
  std::size_t const streams = order.size() < most ? order.size() : most;
  int device = 0;
  gemm_status r;
  cudaError_t e = cudaGetDevice(&device);
  if (e == cudaSuccess)
    e = sides_of_device(device).fork(stream, streams - 1, [&](std::vector<side_streams::side*> const& sides) {
      for (std::size_t i = 0; i < order.size() && r; ++i) {
        std::size_t const which = i % streams;
        gemm_status s = enqueue(all[order[i]], groups[order[i]].a.type, which == 0 ? stream : sides[which - 1]->stream);
        if (i == 0 || !s) std::swap(r, s);
      }
    });
  return e == cudaSuccess ? r : failed(e, "streams beside the caller's");
}

// A layout that means nothing is an error like any other.
template <class F>
gemm_status guarded(F f) {
  try {
    return f();
  } catch (error const& e) {
    return refused(gemm_error::bad_layout, e.what());
  }
}

}  // namespace

gemm_status gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c, double alpha,
                 double beta, gemm_options const& options, cudaStream_t stream) {
  return guarded([&] { return checked_gemm({d, a, b, c}, alpha, beta, options, stream); });
}
gemm_status gemm_grouped(std::span<gemm_group const> groups, double alpha, double beta, gemm_options const& options,
                         cudaStream_t stream) {
  return guarded([&] { return checked_grouped(groups, alpha, beta, options, stream); });
}

std::vector<std::string> explain_gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b,
                                      device_tensor const& c, double alpha, double beta, gemm_options const& o,
                                      int architecture, int processors) {
  normalized const n = normalize(d, a, b, c, alpha, beta, o.sfa, o.sfb);
  std::vector<std::string> r;
  if (!n.status) return {n.status.reason};
  std::vector<gemm_kernel> const asked = asked_for(o.kernel);
  for (candidate const& x : choose(asked, n.what, o, {architecture, processors}).all) r.push_back(explain(x));
  return r;
}

std::vector<std::string> gemm_candidates(device_tensor const& d, device_tensor const& a, device_tensor const& b,
                                         device_tensor const& c, double alpha, double beta, gemm_options const& o) {
  normalized const n = normalize(d, a, b, c, alpha, beta, o.sfa, o.sfb);
  std::vector<std::string> r;
  device_facts on;
  if (!n.status || ask(on) != cudaSuccess) return r;
  std::vector<gemm_kernel> const asked = asked_for(o.kernel);
  for (candidate const& x : choose(asked, n.what, o, on).all)
    if (std::string const each = name(*x.kernel->what); std::find(r.begin(), r.end(), each) == r.end()) r.push_back(each);
  return r;
}
gemm_status tune_gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c,
                      double alpha, double beta, gemm_options const& options) {
  return guarded([&] { return checked_tune({d, a, b, c}, alpha, beta, options); });
}

std::vector<std::string> gemm_kernels() {
  std::vector<std::string> r;
  device_facts on;
  if (ask(on) != cudaSuccess) return r;
  for (gemm_kernel const& k : kernels())
    if (runs_on(*k.what, on.architecture)) r.push_back(name(*k.what));
  return r;
}

}  // namespace colex::gpu
