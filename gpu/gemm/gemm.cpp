// The entry points: a call is planned (planned.hpp) or its plan remembered, and runs (run.hpp). No kernel.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/gemm.hpp"

#include "gpu/gemm/plan_cache.hpp"
#include "gpu/gemm/planned.hpp"

#include <utility>

namespace colex::gpu {
namespace {

// Runs the first candidate that can run: one may need memory that is not there, or not be compiled for the device.
gemm_status enqueue_candidate(planned_gemm const& x, call_data const& data, cudaStream_t stream) {
  gemm_status last;
  for (candidate const& c : x.candidates->all) {
    gemm_status s = run(c, with_data(x.candidates->of(c), data, c.swap_ab), x.device->pool, stream);
    std::swap(last, s);
    if (last.error != gemm_error::out_of_memory && last.error != gemm_error::unsupported_device) break;
  }
  return last;
}
gemm_status enqueue_ready(planned_gemm const& x, launch_data data, cudaStream_t stream) {
  candidate const& first = x.candidates->all[0];
  if (first.swap_ab) std::swap(data.a, data.b);
  return launched(*first.kernel, x.ready->run(data, stream));
}
gemm_status enqueue(planned_gemm const& x, call_data const& data, cudaStream_t stream) {
  if (!x.writes()) return {};
  if (x.emulated)
    return run_emulated(*x.emulated, with_data(x.problem, data, false), data.kept, data.moduli_used, x.device->pool, stream);
  if (!x.candidates) {
    cudaError_t const e = launch_scale(with_data(x.problem, data, false), x.operands, stream);
    return e == cudaSuccess ? gemm_status{.kernel = "scale"} : failed(e, "scale");
  }
  gemm_status s = x.ready != nullptr ? enqueue_ready(x, data, stream) : enqueue_candidate(x, data, stream);
  if (s) s.reason = x.untuned;
  return s;
}

// Plans a call, unless this thread remembers its plan.
gemm_status recall_or_plan(std::shared_ptr<planned_gemm const>& plan, gemm_call const& x) {
  static thread_local plan_cache<planned_gemm> cache;
  int device = 0;
  if (cudaError_t const e = cudaGetDevice(&device); e != cudaSuccess) device = -1;  // calls that multiply will tell
  product_key const key(x.d, x.a, x.b, x.c, x.alpha, x.beta, x.options, tuned_file(x.options), device_context::tunings, device);
  std::size_t const hash = key.hash();
  if (key.is_whole() && (plan = cache.find(key, hash))) return {};
  auto fresh = std::make_shared<planned_gemm>();
  if (gemm_status s = plan_call(*fresh, x); !s) return s;
  if (key.is_whole()) cache.keep(key, hash, fresh);
  plan = std::move(fresh);
  return {};
}
gemm_status run_call(gemm_call const& x, cudaStream_t stream) {
  std::shared_ptr<planned_gemm const> plan;
  if (gemm_status s = recall_or_plan(plan, x); !s) return s;
  if (gemm_status s = check_memory(*plan, x); !s) return s;
  return enqueue(*plan, data_of(x), stream);
}

// Those that write, the largest first: small ones fill the SMs that it leaves.
std::vector<std::size_t> by_work(std::vector<planned_gemm> const& all) {
  std::vector<std::size_t> r;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].writes()) r.push_back(i);
  std::ranges::stable_sort(r, [&](std::size_t i, std::size_t j) { return all[i].work() > all[j].work(); });
  return r;
}
gemm_status run_calls(std::span<gemm_call const> calls, cudaStream_t stream) {
  std::vector<planned_gemm> all;
  if (gemm_status s = plan_all(all, calls); !s) return s;
  std::vector<std::size_t> const order = by_work(all);
  if (order.empty()) return {};
  constexpr std::size_t most = 8;
  std::size_t const streams = order.size() < most ? order.size() : most;
  device_context* device = nullptr;
  gemm_status r;
  cudaError_t e = contexts().current(device);
  if (e == cudaSuccess)
    e = device->sides.fork(stream, streams - 1, [&](std::vector<side_streams::side*> const& sides) {
      for (std::size_t i = 0; i < order.size() && r; ++i) {
        std::size_t const which = i % streams, product = order[i];
        gemm_status s = enqueue(all[product], data_of(calls[product]), which == 0 ? stream : sides[which - 1]->stream);
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
  return guarded([&] { return run_call({d, a, b, c, alpha, beta, options}, stream); });
}
gemm_status gemm_grouped(std::span<gemm_group const> groups, double alpha, double beta, gemm_options const& options,
                         cudaStream_t stream) {
  std::vector<gemm_call> calls;
  for (gemm_group const& g : groups) calls.push_back({g.d, g.a, g.b, g.c, alpha, beta, options});
  return guarded([&] { return run_calls(calls, stream); });
}

std::vector<std::string> explain_gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b,
                                      device_tensor const& c, double alpha, double beta, gemm_options const& options,
                                      int architecture, int sms) {
  std::vector<std::string> r;
  gemm_status const s = guarded([&] { return explain_call(r, {d, a, b, c, alpha, beta, options}, {architecture, sms}); });
  return s ? r : std::vector{s.reason};
}
std::vector<std::string> gemm_candidates(device_tensor const& d, device_tensor const& a, device_tensor const& b,
                                         device_tensor const& c, double alpha, double beta, gemm_options const& options) {
  planned_gemm x;
  gemm_status const s = guarded([&] { return plan_call(x, {d, a, b, c, alpha, beta, options}, false); });
  std::vector<std::string> r;
  if (!s || !x.candidates) return r;
  for (candidate const& each : all_candidates(x, options, x.device->facts))
    if (std::string const& kernel = name_of(*each.kernel); std::ranges::find(r, kernel) == r.end()) r.push_back(kernel);
  return r;
}
gemm_status tune_gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c,
                      double alpha, double beta, gemm_options const& options) {
  return guarded([&] { return tune_call({d, a, b, c, alpha, beta, options}); });
}

struct prepared_gemm::plan {
  planned_gemm planned;
  call_data data;
  std::unique_ptr<kept_residues> kept_a, kept_b;
};
namespace {

// Is every operand at a multiple of what the plan's was, up to the 128 bytes that a plan may depend on?
gemm_status check_alignment(call_data const& planned, call_data const& given) {
  auto const worse = [](void const* was, void const* is) {
    auto const before = reinterpret_cast<std::uintptr_t>(was) | 128, now = reinterpret_cast<std::uintptr_t>(is);
    return now % (before & -before) != 0;
  };
  struct operand_data {
    char const* name;
    void const *was, *is;
  };
  for (operand_data x : {operand_data{"D", planned.d, given.d},
                         {"A", planned.a, given.a},
                         {"B", planned.b, given.b},
                         {"C", planned.c, given.c}}) {
    if (x.was != nullptr && x.is == nullptr) return refused(gemm_error::no_data, std::string(x.name) + " has no data");
    if (x.was != nullptr && worse(x.was, x.is))
      return refused(gemm_error::misaligned, std::string(x.name) + " is less aligned than what was planned for");
  }
  return {};
}

}  // namespace

prepared_gemm::prepared_gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c,
                             double alpha, double beta, gemm_options const& options)
    : plan_(std::make_shared<plan>()), status_(guarded([&] {
        gemm_call const call{d, a, b, c, alpha, beta, options};
        plan_->data = data_of(call);
        return plan_call(plan_->planned, call);
      })) {}
gemm_status prepared_gemm::run(void* d, void const* a, void const* b, void const* c, cudaStream_t stream) const {
  if (!status_) return status_;
  call_data data = plan_->data;
  data.d = d, data.a = const_cast<void*>(a), data.b = const_cast<void*>(b);
  data.c = data.beta == 0 ? d : const_cast<void*>(c);
  if (gemm_status s = check_alignment(plan_->data, data); !s) return s;
  auto const kept_of = [](std::unique_ptr<kept_residues> const& kept, void const* of) {
    return kept != nullptr && kept->of == of ? kept.get() : nullptr;
  };
  data.kept = {kept_of(plan_->kept_a, data.a), kept_of(plan_->kept_b, data.b)};
  return enqueue(plan_->planned, data, stream);
}
gemm_status prepared_gemm::prepare_operand(gemm_operand which, void const* elements, cudaStream_t stream) {
  if (!status_) return status_;
  bool const is_a = which == gemm_operand::a;
  std::unique_ptr<kept_residues>& kept = is_a ? plan_->kept_a : plan_->kept_b;
  kept.reset();
  planned_gemm const& planned = plan_->planned;
  if (!planned.emulated) return {};
  call_data data = plan_->data;
  (is_a ? data.a : data.b) = const_cast<void*>(elements);
  if (gemm_status s = check_alignment(plan_->data, data); !s) return s;
  auto fresh = std::make_unique<kept_residues>();
  gemm_status s = keep_residues(*fresh, *planned.emulated, with_data(planned.problem, data, false), is_a, stream);
  if (s) kept = std::move(fresh);
  return s;
}

std::vector<std::string> gemm_kernels() {
  std::vector<std::string> r;
  device_context* device = nullptr;
  if (contexts().current(device) != cudaSuccess) return r;
  for (gemm_kernel const& k : kernels())
    if (runs_on(k.summary, device->facts.architecture)) r.push_back(name_of(k));
  return r;
}

}  // namespace colex::gpu
