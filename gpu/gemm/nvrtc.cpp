// SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/nvrtc.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace colex::gpu {

nvrtc const& nvrtc::opened() {
  static nvrtc const& one = *new nvrtc;
  return one;
}

template <class F>
void nvrtc::find(void* library, F& function, char const* name) {
  function = reinterpret_cast<F>(dlsym(library, name));
  if (function == nullptr && missing_.empty()) missing_ = std::string("NVRTC has no ") + name;
}

// The library that the environment names; or the newest that the loader, or CUDA's installer, knows.
nvrtc::nvrtc() {
  void* library = nullptr;
  if (char const* const named = std::getenv("COLEX_NVRTC"); named != nullptr && *named != 0)
    library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
  else
    for (char const* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"})
      if ((library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) != nullptr) break;
  if (library == nullptr) {
    char const* const why = dlerror();
    missing_ = std::string("there is no NVRTC: ") + (why == nullptr ? "" : why);
    return;
  }
  find(library, get_version_, "nvrtcVersion");
  find(library, create_, "nvrtcCreateProgram");
  find(library, compile_, "nvrtcCompileProgram");
  find(library, log_size_, "nvrtcGetProgramLogSize");
  find(library, log_, "nvrtcGetProgramLog");
  find(library, code_size_, "nvrtcGetCUBINSize");
  find(library, code_, "nvrtcGetCUBIN");
  find(library, destroy_, "nvrtcDestroyProgram");
  int major = 0, minor = 0;
  if (missing_.empty() && get_version_(&major, &minor) != 0) missing_ = "NVRTC does not say its version";
  version_ = std::to_string(major) + '.' + std::to_string(minor);
}

nvrtc::result nvrtc::compile(std::string const& text, std::vector<header> const& headers,
                             std::vector<std::string> const& options) const {
  if (!missing_.empty()) return {{}, missing_};
  std::vector<char const*> names, texts, words;
  for (header const& h : headers) names.push_back(h.name), texts.push_back(h.text);
  for (std::string const& o : options) words.push_back(o.c_str());
  auto const size = [](auto const& x) { return static_cast<int>(x.size()); };
  auto const get = [](program p, auto get_size, auto get_text) {
    std::size_t bytes = 0;
    std::string r;
    if (get_size(p, &bytes) != 0) return r;
    r.resize(bytes);
    if (get_text(p, r.data()) != 0) r.clear();
    return r;
  };
  program p = nullptr;
  if (create_(&p, text.c_str(), "kernel.cu", size(headers), texts.data(), names.data()) != 0)
    return {{}, "NVRTC takes no text"};
  result r;
  if (compile_(p, size(words), words.data()) == 0) r.code = get(p, code_size_, code_);
  if (r.code.empty()) r.wrong = "NVRTC " + version_ + ": " + get(p, log_size_, log_).c_str();
  destroy_(&p);
  return r;
}

}  // namespace colex::gpu
