// The entry point: from the tensors of a call to a problem, to a kernel, to its launches. No kernel. SPDX-License-Identifier:
// Apache-2.0
#include "gpu/gemm/gemm.hpp"

#include "gpu/gemm/copies.hpp"
#include "gpu/gemm/cost.hpp"
#include "gpu/gemm/registry.hpp"  // generated
#include "gpu/gemm/streams.hpp"
#include "gpu/gemm/tuned.hpp"

#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace colex::gpu {
namespace {

std::vector<gemm_kernel> const& kernels() {
  static std::vector<gemm_kernel> const all = compiled_kernels();
  return all;
}

cudaError_t get_device_info(device_info& facts) {
  int device = 0, major = 0, minor = 0;
  cudaError_t e = cudaGetDevice(&device);
  if (e == cudaSuccess) e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (e == cudaSuccess) e = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  if (e == cudaSuccess) e = cudaDeviceGetAttribute(&facts.sms, cudaDevAttrMultiProcessorCount, device);
  facts.architecture = 10 * major + minor;
  return e;
}

gemm_status failed(cudaError_t e, std::string const& call) {
  return refused(gemm_error::cuda, call + ": " + cudaGetErrorString(e));
}
bool no_memory(cudaError_t e) { return e == cudaErrorMemoryAllocation || e == cudaErrorNotSupported; }
// Was the kernel not compiled for this device?
bool not_compiled(cudaError_t e) { return e == cudaErrorNoKernelImageForDevice || e == cudaErrorInvalidDeviceFunction; }

// Copies an operand, so that the kernel can read it, and makes x the copy.
gemm_status copy_operand(char const* who, matrix& x, int64 rows, problem const& p, major along, int alignment, workspace& to,
                         cudaStream_t stream) {
  packed r = repacked(x, rows, p.k, p.batches, along, alignment);
  if (cudaError_t const e = to.allocate(r.bytes); e != cudaSuccess) {
    cudaGetLastError();  // reported by the return value
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

gemm_status launched(plan const& p, cudaError_t e) {
  if (not_compiled(e)) return refused(gemm_error::unsupported_device, name(p) + " is not compiled for this device");
  return e == cudaSuccess ? gemm_status{.kernel = name(p)} : failed(e, name(p));
}
// Split-K, reduced by the kernel, whose blocks of a tile are a cluster.
cudaError_t run_split_k_in_cluster(candidate const& c, problem const& p, cudaStream_t stream) {
  problem splits = split_along_k(p, c.split_k, c.kernel->plan->accumulator);
  splits.split_k = c.split_k, splits.c = p.c, splits.d = p.d, splits.alpha = p.alpha, splits.beta = p.beta;
  return c.kernel->launch(splits, stream);
}
// Split-K, reduced by a second launch.
gemm_status run_split_k(candidate const& c, problem const& p, cudaStream_t stream) {
  plan const& used = *c.kernel->plan;
  problem splits = split_along_k(p, c.split_k, used.accumulator);
  workspace sums(stream);
  if (cudaError_t const e = sums.allocate(split_k_bytes(p, c.split_k, used.accumulator)); e != cudaSuccess) {
    cudaGetLastError();  // reported by the return value
    return no_memory(e) ? refused(gemm_error::out_of_memory, std::string("the sums of split-K: ") + cudaGetErrorString(e))
                        : failed(e, "cudaMallocFromPoolAsync");
  }
  splits.c.data = splits.d.data = sums.data();
  if (gemm_status s = launched(used, c.kernel->launch(splits, stream)); !s) return s;
  return launched(used, launch_reduce_split_k(p, splits.d, c.split_k, stream));
}
gemm_status run(candidate const& c, problem p, cudaStream_t stream) {
  plan const& used = *c.kernel->plan;
  if (c.reduces_in_cluster)  // code for devices without clusters cannot
    if (cudaError_t const e = run_split_k_in_cluster(c, p, stream); !not_compiled(e)) return launched(used, e);
  if (c.split_k > 1) return run_split_k(c, p, stream);
  workspace a(stream), b(stream);
  if (c.copy_a)
    if (gemm_status s = copy_operand("A", p.a, p.m, p, used.major_a, used.copy_alignment, a, stream); !s) return s;
  if (c.copy_b)
    if (gemm_status s = copy_operand("B", p.b, p.n, p, used.major_b, used.copy_alignment, b, stream); !s) return s;
  return launched(used, c.kernel->launch(p, stream));
}
// Runs the first candidate that can run: one may need memory that is not there, or not be compiled for the device.
gemm_status run_first(choice const& candidates, cudaStream_t stream) {
  gemm_status last;
  for (candidate const& c : candidates.all) {
    gemm_status s = run(c, candidates.of(c), stream);
    if (s.error != gemm_error::out_of_memory && s.error != gemm_error::unsupported_device) return s;
    std::swap(last, s);
  }
  return last;
}

// Why no kernel of those allowed is a candidate.
gemm_status why_none(std::span<gemm_kernel const> allowed, problem const& p, gemm_options const& o, device_info device) {
  auto const fits = [&](gemm_kernel const& k) { return multiplies(*k.plan, p, o) || multiplies(*k.plan, transposed(p), o); };
  std::string const types = std::string(name_of(p.a.type)) + " by " + std::string(name_of(p.b.type));
  if (std::any_of(allowed.begin(), allowed.end(), fits))
    return refused(gemm_error::unsupported_device, "no kernel for " + types + " runs on compute capability " +
                                                       std::to_string(device.architecture / 10) + "." +
                                                       std::to_string(device.architecture % 10));
  return refused(gemm_error::unsupported_type,
                 o.kernel.empty() ? "no kernel multiplies " + types : std::string(o.kernel) + " does not multiply " + types);
}
// All kernels, or the one of that name.
std::vector<gemm_kernel> kernels_named(std::string_view wanted) {
  std::vector<gemm_kernel> r;
  for (gemm_kernel const& k : kernels())
    if (wanted.empty() || wanted == name(*k.plan)) r.push_back(k);
  return r;
}

// This library, named by its version and its kernels, and this device.
cudaError_t get_tuned_for(tuned_for& at) {
  int device = 0;
  cudaDeviceProp properties{};
  cudaError_t e = cudaGetDevice(&device);
  if (e == cudaSuccess) e = cudaGetDeviceProperties(&properties, device);
  std::string names;
  for (gemm_kernel const& k : kernels()) names += name(*k.plan) + ' ';
  std::string const sum = detail::sum_text(names);
  at.library = std::string(COLEX_VERSION " kernels ") + sum.substr(4, sum.size() - 5);
  at.device = std::string(properties.name) + ", compute capability " + std::to_string(properties.major) + '.' +
              std::to_string(properties.minor) + ", " + std::to_string(properties.multiProcessorCount) + " SMs";
  return e;
}
std::string tuned_file(gemm_options const& o) {
  if (!o.tuned.empty()) return std::string(o.tuned);
  char const* const named = std::getenv("COLEX_TUNED");
  return named == nullptr ? "" : named;
}
// The file's kernels for this device. A file is read once.
tuned_kernels const& tuned_of(std::string const& file) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, int>, tuned_kernels> all;
  int device = 0;
  cudaGetDevice(&device);
  std::lock_guard const lock(mutex);
  auto const [at, is_new] = all.try_emplace({file, device});
  if (tuned_for here; is_new && get_tuned_for(here) == cudaSuccess) at->second = read_tuned(file, here, kernels());
  return at->second;
}
// Puts the tuned kernel of a product, if there is one, before all others. Returns why the file was not used; empty: it was.
std::string prefer_tuned(choice& c, problem const& p, gemm_options const& o) {
  std::string const file = o.kernel.empty() ? tuned_file(o) : "";
  if (file.empty()) return "";
  tuned_kernels const& tuned = tuned_of(file);
  if (auto const found = tuned.kernel_of.find(product_text(p, o)); found != tuned.kernel_of.end())
    std::stable_partition(c.all.begin(), c.all.end(),
                          [&](candidate const& x) { return name(*x.kernel->plan) == found->second; });
  return tuned.refused;
}

// A call on its way to a launch: its problem and the candidates for it, none where there is nothing to multiply.
struct prepared_gemm {
  normalized call = {};
  std::vector<gemm_kernel> allowed = {};  // which the candidates point into
  std::optional<choice> candidates = {};
  std::string untuned = {};  // why no file of tuned kernels was used

  double work() const {
    problem const& p = call.problem;
    return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) * static_cast<double>(p.batches);
  }
  bool multiplies() const { return work() > 0 && call.problem.alpha != 0; }
  bool writes() const { return call.problem.m > 0 && call.problem.n > 0 && call.problem.batches > 0; }
};
// Checks what is wrong whatever the device is.
gemm_status check_call(prepared_gemm& x, gemm_group const& g, double alpha, double beta, gemm_options const& o) {
  x.call = normalize(g.d, g.a, g.b, g.c, alpha, beta, o.sfa, o.sfb);
  if (!x.call.status) return x.call.status;
  if (x.multiplies()) x.allowed = kernels_named(o.kernel);
  if (x.multiplies() && x.allowed.empty() && !o.kernel.empty())
    return refused(gemm_error::unknown_kernel, "no kernel is named " + std::string(o.kernel));
  return {};
}
gemm_status choose_candidates(prepared_gemm& x, gemm_options const& o, device_info device) {
  problem const& p = x.call.problem;
  if (!x.multiplies()) return {};
  x.candidates = choose(x.allowed, p, o, device);
  return x.candidates->all.empty() ? why_none(x.allowed, p, o, device) : gemm_status{};
}
// The same, tuned kernels first.
gemm_status choose_tuned_candidates(prepared_gemm& x, gemm_options const& o, device_info device) {
  if (gemm_status s = choose_candidates(x, o, device); !s) return s;
  if (x.candidates) x.untuned = prefer_tuned(*x.candidates, x.call.problem, o);
  return {};
}
gemm_status enqueue(prepared_gemm const& x, element operands, cudaStream_t stream) {
  if (!x.writes()) return {};
  if (!x.candidates) {
    cudaError_t const e = launch_scale(x.call.problem, operands, stream);
    return e == cudaSuccess ? gemm_status{.kernel = "scale"} : failed(e, "scale");
  }
  gemm_status s = run_first(*x.candidates, stream);
  if (s) s.reason = x.untuned;
  return s;
}

gemm_status checked_gemm(gemm_group const& x, double alpha, double beta, gemm_options const& o, cudaStream_t stream) {
  prepared_gemm one;
  if (gemm_status s = check_call(one, x, alpha, beta, o); !s) return s;
  device_info device;
  if (cudaError_t const e = one.multiplies() ? get_device_info(device) : cudaSuccess; e != cudaSuccess)
    return failed(e, "the device");
  if (gemm_status s = choose_tuned_candidates(one, o, device); !s) return s;
  return enqueue(one, x.a.type, stream);
}

gemm_status checked_tune(gemm_group const& x, double alpha, double beta, gemm_options const& o) {
  normalized const n = normalize(x.d, x.a, x.b, x.c, alpha, beta, o.sfa, o.sfb);
  if (!n.status) return n.status;
  std::vector<gemm_kernel> const allowed = kernels_named(o.kernel);
  if (o.kernel.empty() || allowed.empty())
    return refused(gemm_error::unknown_kernel, "no kernel is named \"" + std::string(o.kernel) + '"');
  device_info device;
  tuned_for here;
  if (cudaError_t const e = get_device_info(device); e != cudaSuccess) return failed(e, "the device");
  if (cudaError_t const e = get_tuned_for(here); e != cudaSuccess) return failed(e, "the device");
  if (choose(allowed, n.problem, o, device).all.empty()) return why_none(allowed, n.problem, o, device);
  std::string const file = tuned_file(o);
  tuned_kernels known = read_tuned(file, here, kernels());
  known.refused.clear();
  known.kernel_of[product_text(n.problem, o)] = o.kernel;
  std::string const wrong = write_tuned(file, here, known);
  return wrong.empty() ? gemm_status{.kernel = std::string(o.kernel)} : refused(gemm_error::unwritable, wrong);
}

// Checks all products and chooses candidates for each, on as many SMs as its share of the work is worth.
gemm_status prepare_all(std::vector<prepared_gemm>& all, std::span<gemm_group const> groups, double alpha, double beta,
                        gemm_options const& o) {
  auto const of_group = [](std::size_t i, gemm_status s) {
    s.reason = "group " + std::to_string(i) + ": " + s.reason;
    return s;
  };
  device_info device;
  double work = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (gemm_status s = check_call(all.emplace_back(), groups[i], alpha, beta, o); !s) return of_group(i, s);
    work += all[i].work();
  }
  if (cudaError_t const e = work > 0 ? get_device_info(device) : cudaSuccess; e != cudaSuccess) return failed(e, "the device");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    int const share = work > 0 ? static_cast<int>(device.sms * all[i].work() / work) : 0;
    if (gemm_status s = choose_tuned_candidates(all[i], o, {device.architecture, share > 1 ? share : 1}); !s)
      return of_group(i, s);
  }
  return {};
}
gemm_status checked_grouped(std::span<gemm_group const> groups, double alpha, double beta, gemm_options const& o,
                            cudaStream_t stream) {
  std::vector<prepared_gemm> all;
  if (gemm_status s = prepare_all(all, groups, alpha, beta, o); !s) return s;
  std::vector<std::size_t> order;  // the largest first: small ones fill the SMs that it leaves
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

// A layout that the algebra rejects is an error like any other.
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
                                      int architecture, int sms) {
  device_info const device{architecture, sms};
  prepared_gemm x;
  gemm_status const s = guarded([&] {
    gemm_status checked = check_call(x, {d, a, b, c}, alpha, beta, o);
    return checked ? choose_candidates(x, o, device) : checked;
  });
  if (!s) return {s.reason};
  if (!x.candidates) return {"nothing is multiplied"};
  std::vector<std::string> r;
  for (candidate const& each : x.candidates->all) r.push_back(explain(each));
  return r;
}

std::vector<std::string> gemm_candidates(device_tensor const& d, device_tensor const& a, device_tensor const& b,
                                         device_tensor const& c, double alpha, double beta, gemm_options const& o) {
  prepared_gemm x;
  gemm_status const s = guarded([&] {
    device_info device;
    if (cudaError_t const e = get_device_info(device); e != cudaSuccess) return failed(e, "the device");
    gemm_status checked = check_call(x, {d, a, b, c}, alpha, beta, o);
    return checked ? choose_candidates(x, o, device) : checked;
  });
  std::vector<std::string> r;
  if (!s || !x.candidates) return r;
  for (candidate const& each : x.candidates->all)
    if (std::string const kernel = name(*each.kernel->plan); std::find(r.begin(), r.end(), kernel) == r.end())
      r.push_back(kernel);
  return r;
}
gemm_status tune_gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c,
                      double alpha, double beta, gemm_options const& options) {
  return guarded([&] { return checked_tune({d, a, b, c}, alpha, beta, options); });
}

std::vector<std::string> gemm_kernels() {
  std::vector<std::string> r;
  device_info device;
  if (get_device_info(device) != cudaSuccess) return r;
  for (gemm_kernel const& k : kernels())
    if (runs_on(*k.plan, device.architecture)) r.push_back(name(*k.plan));
  return r;
}

}  // namespace colex::gpu
