// Kernels of lawful plans of warpgroups that the library has no code of: NVRTC compiles it when a call asks for that, and files
// keep it (kernel_cache.hpp). SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/arguments.hpp"
#include "gpu/gemm/kernel_cache.hpp"
#include "gpu/kernels/warpgroup/launcher.hpp"
#include "gpu/plans/warpgroup_named.hpp"

#include <memory>
#include <mutex>

namespace colex::gpu {

// Was it asked for, by the call or by the environment variable COLEX_COMPILE?
bool compiles_on_demand(gemm_options const&);

// Why no kernel may run the plan of a call: the law that it breaks. Empty: it obeys all.
std::string broken_law(warpgroup_call const&);

struct made_plan {
  gpu::plan const made;
};
// A kernel whose code is found later. It lives as long as the process.
class on_demand_kernel final : private made_plan, public gemm_kernel, private plan_launcher {
 public:
  std::string const name;
  warpgroup_call const call;

  on_demand_kernel(std::string_view called, warpgroup_call const& of);
  on_demand_kernel(on_demand_kernel const&) = delete;
  struct code {
    std::string binary, wrong;  // the machine code; or why there is none
    bool was_cached = false;
  };
  // Out of the cache; or out of the compiler, which fills the cache.
  code find_code() const;
  cached_kernel cached() const;

  // Makes the kernel ready to be launched. Returns what is wrong; empty: nothing.
  std::string load() const;
  // Where its code is, or would come from.
  std::string state() const;

 private:
  std::string text() const;
  code compiled() const;
  std::string load(code const&) const;
  cudaError_t launch(problem const&, cudaStream_t) override;
  std::unique_ptr<ready_launch const> prepare(problem const&) override;

  mutable std::mutex mutex_ = {};  // of what follows, until the kernel is launched
  mutable std::unique_ptr<warpgroup::launcher> ready_ = nullptr;
  mutable std::string failed_ = {};
};

// The kernel of this name, not loaded perhaps. Null: no plan has the name, or it breaks a law, as `why` then says.
on_demand_kernel const* kernel_on_demand(std::string_view name, std::string& why);

}  // namespace colex::gpu
