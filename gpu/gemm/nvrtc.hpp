// NVRTC, the compiler of CUDA as a library, opened when it is first needed: nothing else needs it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace colex::gpu {

class nvrtc {
 public:
  static nvrtc const& opened();
  // Why there is none; empty: there is.
  std::string const& missing() const { return missing_; }
  std::string const& version() const { return version_; }

  struct header {
    char const *name, *text;
  };
  struct result {
    std::string code, wrong;  // the machine code; or what the compiler says
  };
  result compile(std::string const& text, std::vector<header> const& headers, std::vector<std::string> const& options) const;

 private:
  using program = struct program_of_nvrtc*;
  nvrtc();
  template <class F>
  void find(void* library, F& function, char const* name);

  std::string missing_, version_;
  int (*get_version_)(int*, int*) = nullptr;
  int (*create_)(program*, char const*, char const*, int, char const* const*, char const* const*) = nullptr;
  int (*compile_)(program, int, char const* const*) = nullptr;
  int (*log_size_)(program, std::size_t*) = nullptr;
  int (*log_)(program, char*) = nullptr;
  int (*code_size_)(program, std::size_t*) = nullptr;
  int (*code_)(program, char*) = nullptr;
  int (*destroy_)(program*) = nullptr;
};

}  // namespace colex::gpu
