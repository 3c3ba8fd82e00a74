// SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/on_demand.hpp"

#include "gpu/gemm/kernel_text.hpp"
#include "gpu/gemm/nvrtc.hpp"
#include "gpu/gemm/streams.hpp"
#include "gpu/plans/plan_laws.hpp"

#include <map>

namespace colex::gpu {
namespace {

constexpr char architecture[] = "sm_90a";

std::string sum_of_texts() {
  fnv_1a of;
  for (text const& t : kernel_texts())
    for (std::string_view x : {t.place, t.content})
      for (char c : x) of.add(static_cast<unsigned char>(c));
  return std::to_string(of.sum);
}
// What is included; one header stands for the C++ library's, and NVRTC itself knows the types of CUDA's runtime.
std::vector<nvrtc::header> headers() {
  std::vector<nvrtc::header> r;
  for (text const& t : kernel_texts()) r.push_back({t.place.data(), t.content.data()});
  r.push_back({"cuda_runtime_api.h", ""});
  for (char const* name : {"algorithm", "array", "bit", "cmath", "cstddef", "cstdint", "initializer_list", "iterator", "limits",
                           "span", "string_view", "type_traits", "utility"})
    r.push_back({name, "#include \"gpu/kernels/nvrtc/std.hpp\"\n"});
  return r;
}
std::vector<std::string> options() {
  return {std::string("--gpu-architecture=") + architecture,
          "--std=c++20",
          "--device-as-default-execution-space",
          "--device-int128",
          "-D__extension__=",
          "-DCOLEX_TENSOR_MAP_ALIGNMENT=" + std::to_string(alignof(CUtensorMap))};
}

}  // namespace

bool compiles_on_demand(gemm_options const& o) {
  static bool const always = [] {
    char const* const value = std::getenv("COLEX_COMPILE");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return o.compile || always;
}

std::string broken_law(warpgroup_call const& c) {
  try {
    plan const p = c.make();
    for (plan_law const& law : laws_of(p))
      if (!law.holds(p)) return name(p) + " breaks " + law.name;
  } catch (error const& e) {
    return c.text() + " is no plan: " + e.what();
  }
  return "";
}

on_demand_kernel::on_demand_kernel(std::string_view called, warpgroup_call const& of)
    : made_plan{of.make()}, gemm_kernel{&made, nullptr, this}, name(called), call(of) {}

// The host and NVRTC make the plan by the same call; that both find the same is asserted.
std::string on_demand_kernel::text() const {
  return "#include \"gpu/kernels/sm90.cu\"\nnamespace colex::gpu::warpgroup {\nnamespace {\nstruct wanted {\n"
         "  static constexpr plan value = " +
         call.text() + ";\n};\nstatic_assert(wanted::value.shared == " + std::to_string(made.shared) +
         " && sizeof(arguments) == " + std::to_string(sizeof(warpgroup::arguments)) +
         ");\ntemplate __global__ void sm90_gemm<wanted>(__grid_constant__ arguments const);\n}\n}\n";
}
cached_kernel on_demand_kernel::cached() const {
  static std::string const sources = sum_of_texts();
  return {name, "colex kernel 1\nlibrary " COLEX_VERSION ", sources " + sources + "\nNVRTC " + nvrtc::opened().version() +
                    ", " + architecture + '\n' + call.text() + '\n'};
}
on_demand_kernel::code on_demand_kernel::compiled() const {
  nvrtc::result r = nvrtc::opened().compile(text(), headers(), options());
  if (r.wrong.empty()) cached().write(r.code);
  return {std::move(r.code), std::move(r.wrong)};
}
on_demand_kernel::code on_demand_kernel::find_code() const {
  std::string found = cached().read();
  return found.empty() ? compiled() : code{std::move(found), {}, true};
}

std::string on_demand_kernel::load(code const& c) const {
  if (!c.wrong.empty()) return c.wrong;
  outside_captures const here;
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  cudaError_t e = cudaLibraryLoadData(&library, c.binary.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (e == cudaSuccess) e = cudaLibraryEnumerateKernels(&kernel, 1, library);
  if (e != cudaSuccess) {
    cudaGetLastError();  // reported by the return value
    return std::string("what NVRTC compiled cannot be loaded: ") + cudaGetErrorString(e);
  }
  ready_ = std::make_unique<warpgroup::launcher>(made, kernel);
  return "";
}
// What the cache had is not trusted: where it cannot be loaded, it is compiled again.
std::string on_demand_kernel::load() const {
  std::lock_guard const lock(mutex_);
  if (ready_ != nullptr || !failed_.empty()) return failed_;
  code const c = find_code();
  failed_ = load(c);
  if (!failed_.empty() && c.was_cached) failed_ = load(compiled());
  return failed_;
}
cudaError_t on_demand_kernel::launch(problem const& p, cudaStream_t stream) {
  return ready_ == nullptr ? cudaErrorNotReady : ready_->launch(p, stream);
}
std::unique_ptr<ready_launch const> on_demand_kernel::prepare(problem const& p) {
  return ready_ == nullptr ? nullptr : ready_->prepare(p);
}
std::string on_demand_kernel::state() const {
  std::lock_guard const lock(mutex_);
  if (ready_ != nullptr) return "loaded";
  if (!nvrtc::opened().missing().empty()) return "not compiled: " + nvrtc::opened().missing();
  cached_kernel const entry = cached();
  if (!entry.read().empty()) return "in " + entry.file().string();
  return "NVRTC " + nvrtc::opened().version() + " would compile it" +
         (entry.file().empty() ? "" : " into " + entry.file().string());
}

on_demand_kernel const* kernel_on_demand(std::string_view name, std::string& why) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::string, on_demand_kernel const*, std::less<>>;
  std::lock_guard const lock(mutex);
  if (auto const found = known.find(name); found != known.end()) return found->second;
  if (!names_warpgroup_call(name)) {
    why = "no kernel is named " + std::string(name);
    return nullptr;
  }
  warpgroup_call const call = warpgroup_call_named(name);
  why = broken_law(call);
  if (!why.empty()) return nullptr;
  return known.emplace(name, new on_demand_kernel(name, call)).first->second;
}

}  // namespace colex::gpu
