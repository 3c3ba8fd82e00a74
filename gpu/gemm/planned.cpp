// SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/planned.hpp"

#include "gpu/gemm/memory_check.hpp"

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
  auto const tuned = device.tuned(file, kernels());
  auto const found = tuned->kernel_of.find(product_text(p, o));
  if (found == tuned->kernel_of.end()) return tuned->refused;
  if (compiled_kernel(found->second) == nullptr) return prefer_on_demand(c, found->second, p, o, device.facts);
  std::stable_partition(c.all.begin(), c.all.end(), [&](candidate const& x) { return name_of(*x.kernel) == found->second; });
  return "";
}

gemm_status check_emulation(element a, element b, gemm_options const& o) {
  if (o.emulation == gemm_emulation::none) return {};
  if (a != b || (a != element::f64 && a != element::f32))
    return refused(gemm_error::unsupported_type, "products of f64 or of f32 are emulated, not of " + std::string(name_of(a)) +
                                                     " by " + std::string(name_of(b)));
  if (o.moduli != 0 && (o.moduli < 2 || o.moduli > residues::most_moduli))
    return refused(gemm_error::bad_option,
                   "the moduli are 2 to " + std::to_string(residues::most_moduli) + ", or 0, not " + std::to_string(o.moduli));
  if (!(o.bound >= 0)) return refused(gemm_error::bad_option, "the bound of emulation is negative or no number");
  return {};
}
// Checks what is wrong whatever the device is.
gemm_status check_call(planned_gemm& x, gemm_call const& call) {
  gemm_options const& o = call.options;
  normalized n = normalize(call.d, call.a, call.b, call.c, call.alpha, call.beta, o.sfa, o.sfb);
  if (!n.status) return n.status;
  x.problem = n.problem, x.operands = call.a.type;
  if (gemm_status s = check_emulation(call.a.type, call.b.type, o); !s) return s;
  std::string why;
  if (x.multiplies() && !o.kernel.empty() && kernel_named(o.kernel, o, why) == nullptr)
    return refused(gemm_error::unknown_kernel, why);
  return {};
}
gemm_status choose_candidates(planned_gemm& x, gemm_options const& o, device_info device, bool quick = false) {
  if (!x.multiplies()) return {};
  std::span<gemm_kernel const> const allowed = kernels_named(o);
  x.candidates = choose(allowed, x.problem, o, device, quick);
  return x.candidates->all.empty() ? why_none(allowed, x.problem, o, device) : gemm_status{};
}
// Compiles the first candidate, if it is to be, and makes its launch.
gemm_status make_ready(planned_gemm& x, gemm_call const& call) {
  candidate const& first = x.candidates->all[0];
  if (gemm_status s = load(*first.kernel); !s) return s;
  x.ready = prepared(first, with_data(x.candidates->of(first), data_of(call), first.swap_ab));
  return {};
}
// Emulates the product if the call asks for it, and that is worth its while.
gemm_status choose_emulated(planned_gemm& x, gemm_options const& o, device_context const& device, int sms) {
  if (o.emulation == gemm_emulation::none || !x.multiplies()) return {};
  device_info with_memory;
  if (cudaError_t const e = device.ask_memory(with_memory, sms); e != cudaSuccess) return failed(e, "cudaMemGetInfo");
  x.emulated = choose_emulation(kernels(), kernels_named(o), x.problem, o, with_memory);
  return x.emulated ? load(*x.emulated->product) : gemm_status{};
}
// Chooses on so many SMs of a device: an emulation, or candidates, tuned kernels first.
gemm_status choose_on_device(planned_gemm& x, gemm_call const& call, device_context& device, int sms, bool quick) {
  gemm_options const& o = call.options;
  x.device = &device;
  if (gemm_status s = choose_emulated(x, o, device, sms); !s || x.emulated) return s;
  if (gemm_status s = choose_candidates(x, o, device.facts_of(sms), quick); !s) return s;
  if (!x.candidates) return {};
  x.untuned = prefer_tuned(*x.candidates, x.problem, o, device);
  return make_ready(x, call);
}
gemm_status find_device(device_context*& found) {
  cudaError_t const e = contexts().current(found);
  return e == cudaSuccess ? gemm_status{} : failed(e, "the device");
}

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

}  // namespace

std::string tuned_file(gemm_options const& o) {
  if (!o.tuned.empty()) return std::string(o.tuned);
  char const* const named = std::getenv("COLEX_TUNED");
  return named == nullptr ? "" : named;
}
call_data data_of(gemm_call const& x) {
  launch_data const data{x.d.data, x.a.data, x.b.data, x.beta == 0 ? x.d.data : x.c.data, x.alpha, x.beta};
  return {data, x.options.sfa.data, x.options.sfb.data, x.options.moduli_used};
}
problem with_data(problem p, call_data const& x, bool swap_ab) {
  p.a.data = x.a, p.b.data = x.b, p.sfa.data = x.sfa, p.sfb.data = x.sfb;
  if (swap_ab) std::swap(p.a.data, p.b.data), std::swap(p.sfa.data, p.sfb.data);
  p.d.data = x.d, p.c.data = x.c, p.alpha = x.alpha, p.beta = x.beta;
  return p;
}
gemm_status check_memory(planned_gemm const& x, gemm_call const& call) {
  if (!checks_memory() || !x.writes()) return {};
  return check_memory(call.d, call.a, call.b, call.c, call.beta, call.options);
}

gemm_status plan_call(planned_gemm& x, gemm_call const& call, bool quick) {
  if (gemm_status s = check_call(x, call); !s) return s;
  if (!x.multiplies()) return {};
  device_context* device = nullptr;
  if (gemm_status s = find_device(device); !s) return s;
  return choose_on_device(x, call, *device, device->facts.sms, quick);
}
gemm_status plan_all(std::vector<planned_gemm>& all, std::span<gemm_call const> calls) {
  auto const of_group = [](std::size_t i, gemm_status s) {
    s.reason = "group " + std::to_string(i) + ": " + s.reason;
    return s;
  };
  double work = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (gemm_status s = check_call(all.emplace_back(), calls[i]); !s) return of_group(i, s);
    if (gemm_status s = check_memory(all[i], calls[i]); !s) return of_group(i, s);
    work += all[i].work();
  }
  if (work == 0) return {};
  device_context* device = nullptr;
  if (gemm_status s = find_device(device); !s) return s;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    int const share = static_cast<int>(device->facts.sms * all[i].work() / work);
    if (gemm_status s = choose_on_device(all[i], calls[i], *device, share > 1 ? share : 1, true); !s) return of_group(i, s);
  }
  return {};
}

std::vector<candidate> all_candidates(planned_gemm const& x, gemm_options const& o, device_info device) {
  std::vector<candidate> r = x.candidates->all;
  if (!o.kernel.empty() || !compiles_on_demand(o)) return r;
  for (candidate const& c : worth_compiling(x.problem, o, device)) r.push_back(c);
  return r;
}
gemm_status explain_call(std::vector<std::string>& lines, gemm_call const& call, device_info device) {
  planned_gemm x;
  gemm_options const& o = call.options;
  if (gemm_status s = check_call(x, call); !s) return s;
  if (gemm_status s = choose_candidates(x, o, device); !s) return s;
  if (!x.candidates) return refused(gemm_error::bad_layout, "nothing is multiplied");
  if (auto const e = choose_emulation(kernels(), kernels_named(o), x.problem, o, device))
    lines.push_back(explain(*e, name_of(*e->product)));
  for (candidate const& each : all_candidates(x, o, device)) {
    on_demand_kernel const* const later = on_demand(*each.kernel);
    lines.push_back(explain(each) + (later == nullptr ? "" : "; " + later->state()));
  }
  return {};
}
gemm_status tune_call(gemm_call const& call) {
  planned_gemm x;
  gemm_options const& o = call.options;
  device_context* device = nullptr;
  tuned_for here;
  if (o.kernel.empty()) return refused(gemm_error::unknown_kernel, "no kernel is named");
  if (gemm_status s = check_call(x, call); !s) return s;
  if (gemm_status s = find_device(device); !s) return s;
  if (cudaError_t const e = device->describe(here, kernels()); e != cudaSuccess) return failed(e, "the device");
  if (gemm_status s = choose_candidates(x, o, device->facts); !s) return s;
  if (!x.candidates) return refused(gemm_error::bad_layout, "nothing is multiplied");
  std::string const file = tuned_file(o);
  tuned_kernels known = read_tuned(file, here, kernels());
  known.refused.clear();
  known.kernel_of[product_text(x.problem, o)] = o.kernel;
  if (std::string const wrong = write_tuned(file, here, known); !wrong.empty()) return refused(gemm_error::unwritable, wrong);
  device->take_tuned(file, std::move(known));
  return {.kernel = std::string(o.kernel)};
}

}  // namespace colex::gpu
