// The entry point: from the tensors of a call to a problem, to a choice, to its run (run.hpp). No kernel.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/gemm.hpp"

#include "gpu/gemm/memory_check.hpp"
#include "gpu/gemm/plan_cache.hpp"
#include "gpu/gemm/run.hpp"

#include <cstdlib>
#include <utility>

namespace colex::gpu {
namespace {

// Why no kernel of those allowed is a candidate.
gemm_status why_none(std::span<gemm_kernel const> allowed, problem const& p, gemm_options const& o, device_info device) {
  auto const fits = [&](gemm_kernel const& k) {
    return multiplies(k.summary, p, o) || multiplies(k.summary, transposed(p), o);
  };
  std::string const types = std::string(name_of(p.a.type)) + " by " + std::string(name_of(p.b.type));
  if (std::any_of(allowed.begin(), allowed.end(), fits))
    return refused(gemm_error::unsupported_device, "no kernel for " + types + " runs on compute capability " +
                                                       std::to_string(device.architecture / 10) + "." +
                                                       std::to_string(device.architecture % 10));
  return refused(gemm_error::unsupported_type,
                 o.kernel.empty() ? "no kernel multiplies " + types : std::string(o.kernel) + " does not multiply " + types);
}
gemm_kernel const* compiled_kernel(std::string_view wanted) {
  std::vector<gemm_kernel> const& all = kernels();
  auto const found = std::ranges::find_if(all, [&](gemm_kernel const& k) { return name_of(k) == wanted; });
  return found == all.end() ? nullptr : &*found;
}
// The kernel of a name, compiled before or on demand. Null: there is none, and why.
gemm_kernel const* kernel_named(std::string_view wanted, gemm_options const& o, std::string& why) {
  if (gemm_kernel const* const found = compiled_kernel(wanted); found != nullptr) return found;
  if (compiles_on_demand(o)) return kernel_on_demand(wanted, why);
  why = names_warpgroup_call(wanted) ? std::string(wanted) + " is compiled only if gemm_options::compile says so"
                                     : "no kernel is named " + std::string(wanted);
  return nullptr;
}
// All kernels, or the one that the call names.
std::span<gemm_kernel const> kernels_named(gemm_options const& o) {
  std::string why;
  if (o.kernel.empty()) return kernels();
  gemm_kernel const* const one = kernel_named(o.kernel, o, why);
  return {one, one == nullptr ? std::size_t{0} : 1};
}

std::string tuned_file(gemm_options const& o) {
  if (!o.tuned.empty()) return std::string(o.tuned);
  char const* const named = std::getenv("COLEX_TUNED");
  return named == nullptr ? "" : named;
}
// Makes a kernel ready to be launched.
gemm_status load(gemm_kernel const& k) {
  on_demand_kernel const* const later = on_demand(k);
  std::string const wrong = later == nullptr ? "" : later->load();
  return wrong.empty() ? gemm_status{} : refused(gemm_error::unknown_kernel, later->name + ": " + wrong);
}
// Puts a kernel that is compiled on demand before all others. Returns why it is not there; empty: it is.
std::string prefer_on_demand(choice& c, std::string const& wanted, problem const& p, gemm_options const& o,
                             device_info device) {
  std::string why;
  gemm_kernel const* const kernel = kernel_named(wanted, o, why);
  if (kernel == nullptr) return why;
  choice const alone = choose({kernel, 1}, p, o, device);
  if (alone.all.empty()) return "";
  if (why = load(*kernel).reason; !why.empty()) return why;
  c.all.insert(c.all.begin(), alone.all.front());
  return "";
}
// Puts the tuned kernel of a product, if there is one, before all others. Returns why the file was not used; empty: it was.
std::string prefer_tuned(choice& c, problem const& p, gemm_options const& o, device_context& device) {
  std::string const file = o.kernel.empty() ? tuned_file(o) : "";
  if (file.empty()) return "";
  tuned_kernels const& tuned = device.tuned(file, kernels());
  auto const found = tuned.kernel_of.find(product_text(p, o));
  if (found == tuned.kernel_of.end()) return tuned.refused;
  if (compiled_kernel(found->second) == nullptr) return prefer_on_demand(c, found->second, p, o, device.facts);
  std::stable_partition(c.all.begin(), c.all.end(), [&](candidate const& x) { return name_of(*x.kernel) == found->second; });
  return "";
}

// The data of a call, which its plan does not know.
struct call_data : launch_data {
  void *sfa = nullptr, *sfb = nullptr;
  int* moduli_used = nullptr;
  emulated_operands kept = {};
};
call_data data_of(gemm_group const& x, double alpha, double beta, gemm_options const& o) {
  return {{x.d.data, x.a.data, x.b.data, beta == 0 ? x.d.data : x.c.data, alpha, beta}, o.sfa.data, o.sfb.data, o.moduli_used};
}
problem with_data(problem p, call_data const& x, bool swap_ab) {
  p.a.data = x.a, p.b.data = x.b, p.sfa.data = x.sfa, p.sfb.data = x.sfb;
  if (swap_ab) std::swap(p.a.data, p.b.data), std::swap(p.sfa.data, p.sfb.data);
  p.d.data = x.d, p.c.data = x.c, p.alpha = x.alpha, p.beta = x.beta;
  return p;
}

// A call that was checked, and the candidates for it; none where there is nothing to multiply.
struct planned_gemm {
  device_context* device = nullptr;
  element operands = element::f32;
  gpu::problem problem = {};
  std::optional<choice> candidates = {};
  std::unique_ptr<ready_launch const> ready = {};  // the first candidate's, if that can be made beforehand
  std::optional<emulated_gemm> emulated = {};
  std::string untuned = {};  // why no file of tuned kernels was used

  double work() const { return product_of(problem.m, problem.n, problem.k) * static_cast<double>(problem.batches); }
  bool multiplies() const { return work() > 0 && problem.alpha != 0; }
  bool writes() const { return problem.m > 0 && problem.n > 0 && problem.batches > 0; }
};
gemm_status check_emulation(gemm_group const& g, gemm_options const& o) {
  if (o.emulation == gemm_emulation::none) return {};
  if (g.a.type != g.b.type || (g.a.type != element::f64 && g.a.type != element::f32))
    return refused(gemm_error::unsupported_type, "products of f64 or of f32 are emulated, not of " +
                                                     std::string(name_of(g.a.type)) + " by " + std::string(name_of(g.b.type)));
  if (o.moduli != 0 && (o.moduli < 2 || o.moduli > residues::most_moduli))
    return refused(gemm_error::bad_option,
                   "the moduli are 2 to " + std::to_string(residues::most_moduli) + ", or 0, not " + std::to_string(o.moduli));
  if (!(o.bound >= 0)) return refused(gemm_error::bad_option, "the bound of emulation is negative or no number");
  return {};
}
// Checks what is wrong whatever the device is.
gemm_status check_call(planned_gemm& x, gemm_group const& g, double alpha, double beta, gemm_options const& o) {
  normalized n = normalize(g.d, g.a, g.b, g.c, alpha, beta, o.sfa, o.sfb);
  if (!n.status) return n.status;
  x.problem = n.problem, x.operands = g.a.type;
  if (gemm_status s = check_emulation(g, o); !s) return s;
  std::string why;
  if (x.multiplies() && !o.kernel.empty() && kernel_named(o.kernel, o, why) == nullptr)
    return refused(gemm_error::unknown_kernel, why);
  return {};
}
gemm_status choose_candidates(planned_gemm& x, gemm_options const& o, device_info device) {
  if (!x.multiplies()) return {};
  std::span<gemm_kernel const> const allowed = kernels_named(o);
  x.candidates = choose(allowed, x.problem, o, device);
  return x.candidates->all.empty() ? why_none(allowed, x.problem, o, device) : gemm_status{};
}
// The same on SMs of a device, tuned kernels first, the first one ready to be launched.
gemm_status choose_on_device(planned_gemm& x, call_data const& data, gemm_options const& o, device_context& device, int sms) {
  x.device = &device;
  if (o.emulation != gemm_emulation::none && x.multiplies()) {
    device_info with_memory;
    if (cudaError_t const e = device.ask_memory(with_memory, sms); e != cudaSuccess) return failed(e, "cudaMemGetInfo");
    x.emulated = choose_emulation(kernels(), kernels_named(o), x.problem, o, with_memory);
    if (x.emulated) return load(*x.emulated->product);
  }
  if (gemm_status s = choose_candidates(x, o, {device.facts.architecture, sms}); !s) return s;
  if (!x.candidates) return {};
  x.untuned = prefer_tuned(*x.candidates, x.problem, o, device);
  candidate const& first = x.candidates->all[0];
  if (gemm_status s = load(*first.kernel); !s) return s;
  x.ready = prepared(first, with_data(x.candidates->of(first), data, first.swap_ab));
  return {};
}
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

// Plans a call on the current device.
gemm_status plan_call(planned_gemm& x, gemm_group const& g, double alpha, double beta, gemm_options const& o) {
  if (gemm_status s = check_call(x, g, alpha, beta, o); !s) return s;
  device_context* device = nullptr;
  if (!x.multiplies()) return {};
  if (cudaError_t const e = contexts().current(device); e != cudaSuccess) return failed(e, "the device");
  return choose_on_device(x, data_of(g, alpha, beta, o), o, *device, device->facts.sms);
}
// The same, unless this thread remembers the plan.
gemm_status recall_or_plan(std::shared_ptr<planned_gemm const>& plan, gemm_group const& g, double alpha, double beta,
                           gemm_options const& o) {
  static thread_local plan_cache<planned_gemm> cache;
  int device = 0;
  if (cudaError_t const e = cudaGetDevice(&device); e != cudaSuccess) device = -1;  // calls that multiply will tell
  product_key const key(g.d, g.a, g.b, g.c, alpha, beta, o, tuned_file(o), device);
  std::size_t const hash = key.hash();
  if (key.is_whole() && (plan = cache.find(key, hash))) return {};
  auto fresh = std::make_shared<planned_gemm>();
  if (gemm_status s = plan_call(*fresh, g, alpha, beta, o); !s) return s;
  if (key.is_whole()) cache.keep(key, hash, fresh);
  plan = std::move(fresh);
  return {};
}
gemm_status checked_gemm(gemm_group const& x, double alpha, double beta, gemm_options const& o, cudaStream_t stream) {
  std::shared_ptr<planned_gemm const> plan;
  if (gemm_status s = recall_or_plan(plan, x, alpha, beta, o); !s) return s;
  if (checks_memory() && plan->writes())
    if (gemm_status s = check_memory(x.d, x.a, x.b, x.c, beta, o); !s) return s;
  return enqueue(*plan, data_of(x, alpha, beta, o), stream);
}

gemm_status checked_tune(gemm_group const& x, double alpha, double beta, gemm_options const& o) {
  planned_gemm tuned;
  device_context* device = nullptr;
  tuned_for here;
  if (o.kernel.empty()) return refused(gemm_error::unknown_kernel, "no kernel is named");
  if (gemm_status s = check_call(tuned, x, alpha, beta, o); !s) return s;
  if (cudaError_t const e = contexts().current(device); e != cudaSuccess) return failed(e, "the device");
  if (cudaError_t const e = device->describe(here, kernels()); e != cudaSuccess) return failed(e, "the device");
  if (gemm_status s = choose_candidates(tuned, o, device->facts); !s) return s;
  if (!tuned.candidates) return refused(gemm_error::bad_layout, "nothing is multiplied");
  std::string const file = tuned_file(o);
  tuned_kernels known = read_tuned(file, here, kernels());
  known.refused.clear();
  known.kernel_of[product_text(tuned.problem, o)] = o.kernel;
  std::string const wrong = write_tuned(file, here, known);
  return wrong.empty() ? gemm_status{.kernel = std::string(o.kernel)} : refused(gemm_error::unwritable, wrong);
}

// Checks all products and chooses candidates for each, on as many SMs as its share of the work is worth.
gemm_status plan_all(std::vector<planned_gemm>& all, std::span<gemm_group const> groups, double alpha, double beta,
                     gemm_options const& o) {
  auto const of_group = [](std::size_t i, gemm_status s) {
    s.reason = "group " + std::to_string(i) + ": " + s.reason;
    return s;
  };
  double work = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (gemm_status s = check_call(all.emplace_back(), groups[i], alpha, beta, o); !s) return of_group(i, s);
    if (checks_memory() && all[i].writes())
      if (gemm_status s = check_memory(groups[i].d, groups[i].a, groups[i].b, groups[i].c, beta, o); !s) return of_group(i, s);
    work += all[i].work();
  }
  if (work == 0) return {};
  device_context* device = nullptr;
  if (cudaError_t const e = contexts().current(device); e != cudaSuccess) return failed(e, "the device");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    int const share = static_cast<int>(device->facts.sms * all[i].work() / work);
    if (gemm_status s = choose_on_device(all[i], data_of(groups[i], alpha, beta, o), o, *device, share > 1 ? share : 1); !s)
      return of_group(i, s);
  }
  return {};
}
gemm_status checked_grouped(std::span<gemm_group const> groups, double alpha, double beta, gemm_options const& o,
                            cudaStream_t stream) {
  std::vector<planned_gemm> all;
  if (gemm_status s = plan_all(all, groups, alpha, beta, o); !s) return s;
  std::vector<std::size_t> order;  // the largest first: small ones fill the SMs that it leaves
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].writes()) order.push_back(i);
  if (order.empty()) return {};
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return all[i].work() > all[j].work(); });
  constexpr std::size_t most = 8;
  std::size_t const streams = order.size() < most ? order.size() : most;
  device_context* device = nullptr;
  gemm_status r;
  cudaError_t e = contexts().current(device);
  if (e == cudaSuccess)
    e = device->sides.fork(stream, streams - 1, [&](std::vector<side_streams::side*> const& sides) {
      for (std::size_t i = 0; i < order.size() && r; ++i) {
        std::size_t const which = i % streams, product = order[i];
        gemm_status s =
            enqueue(all[product], data_of(groups[product], alpha, beta, o), which == 0 ? stream : sides[which - 1]->stream);
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

namespace {

// Lawful plans that no table has: of those for the product's types and layouts the few that are expected to be fastest.
std::vector<candidate> worth_compiling(problem const& p, gemm_options const& o, device_info device) {
  constexpr std::size_t most = 8;
  auto const type = [&](matrix const& x) { return x.type == element::f32 && o.tf32 ? element::tf32 : x.type; };
  auto const along = [](matrix const& x) {
    return lies_in_rows(x, 0, 1, 16) && !lies_in_rows(x, 1, 0, 16) ? major::mn : major::k;
  };
  std::vector<plan> plans;
  std::vector<gemm_kernel> all;
  for (warpgroup_call const& c : warpgroup_calls_for(type(p.a), type(p.b), along(p.a), along(p.b))) plans.push_back(c.make());
  for (plan const& each : plans) all.push_back({&each});
  std::vector<candidate> r;
  for (candidate c : choose(all, p, o, device).all) {
    std::string const called = name(*c.kernel->plan);
    auto const is_it = [&](candidate const& x) { return name_of(*x.kernel) == called; };
    std::string why;
    if (compiled_kernel(called) != nullptr || std::ranges::any_of(r, is_it)) continue;
    if ((c.kernel = kernel_on_demand(called, why)) != nullptr) r.push_back(c);
    if (r.size() == most) break;
  }
  return r;
}
// The candidates of a call that was planned, and what may be compiled besides.
std::vector<candidate> all_candidates(planned_gemm const& x, gemm_options const& o, device_info device) {
  std::vector<candidate> r = x.candidates->all;
  if (!o.kernel.empty() || !compiles_on_demand(o)) return r;
  for (candidate const& c : worth_compiling(x.problem, o, device)) r.push_back(c);
  return r;
}

}  // namespace

std::vector<std::string> explain_gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b,
                                      device_tensor const& c, double alpha, double beta, gemm_options const& o,
                                      int architecture, int sms) {
  planned_gemm x;
  gemm_status const s = guarded([&] {
    gemm_status checked = check_call(x, {d, a, b, c}, alpha, beta, o);
    return checked ? choose_candidates(x, o, {architecture, sms}) : checked;
  });
  if (!s) return {s.reason};
  if (!x.candidates) return {"nothing is multiplied"};
  std::vector<std::string> r;
  device_info const device{architecture, sms};
  if (auto const e = choose_emulation(kernels(), kernels_named(o), x.problem, o, device))
    r.push_back(explain(*e, name_of(*e->product)));
  for (candidate const& each : all_candidates(x, o, device)) {
    on_demand_kernel const* const later = on_demand(*each.kernel);
    r.push_back(explain(each) + (later == nullptr ? "" : "; " + later->state()));
  }
  return r;
}

std::vector<std::string> gemm_candidates(device_tensor const& d, device_tensor const& a, device_tensor const& b,
                                         device_tensor const& c, double alpha, double beta, gemm_options const& o) {
  planned_gemm x;
  gemm_status const s = guarded([&] { return plan_call(x, {d, a, b, c}, alpha, beta, o); });
  std::vector<std::string> r;
  if (!s || !x.candidates) return r;
  for (candidate const& each : all_candidates(x, o, x.device->facts))
    if (std::string const& kernel = name_of(*each.kernel); std::find(r.begin(), r.end(), kernel) == r.end())
      r.push_back(kernel);
  return r;
}
gemm_status tune_gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c,
                      double alpha, double beta, gemm_options const& options) {
  return guarded([&] { return checked_tune({d, a, b, c}, alpha, beta, options); });
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
                             double alpha, double beta, gemm_options const& o)
    : plan_(std::make_shared<plan>()), status_(guarded([&] {
        plan_->data = data_of({d, a, b, c}, alpha, beta, o);
        return plan_call(plan_->planned, {d, a, b, c}, alpha, beta, o);
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
