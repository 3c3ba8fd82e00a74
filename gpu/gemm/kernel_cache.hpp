// Machine code that was compiled on demand, kept in files. A file is written beside its place and renamed, so that no process
// reads a part of one; and it is checked when it is read. What cannot be read or written is only compiled again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/fnv.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace colex::gpu {

// COLEX_KERNEL_CACHE; or colex in XDG_CACHE_HOME, or in .cache of HOME. Empty: nothing is kept.
inline std::filesystem::path kernel_cache_folder() {
  auto const named = [](char const* variable) {
    char const* const value = std::getenv(variable);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  if (auto const own = named("COLEX_KERNEL_CACHE"); !own.empty()) return own;
  if (auto const caches = named("XDG_CACHE_HOME"); caches.is_absolute()) return caches / "colex";
  if (auto const home = named("HOME"); home.is_absolute()) return home / ".cache" / "colex";
  return {};
}

class cached_kernel {
 public:
  // head: all that the code depends on, as lines.
  cached_kernel(std::string const& name, std::string head) : head_(std::move(head)) {
    std::filesystem::path const folder = kernel_cache_folder();
    if (!folder.empty()) file_ = folder / (name + '-' + hex(sum(head_)) + ".cubin");
  }
  std::filesystem::path const& file() const { return file_; }
  // Empty: it is not there, or broken, or of another head.
  std::string read() const {
    std::error_code none;  // what is no file may keep its readers waiting
    if (!std::filesystem::is_regular_file(file_, none) || std::filesystem::file_size(file_, none) > most_bytes) return {};
    std::ifstream in(file_, std::ios::binary);
    std::string const text(std::istreambuf_iterator<char>(in), {});
    if (!text.starts_with(head_)) return {};
    std::size_t const begin = text.find('\n', head_.size());
    if (begin == text.npos) return {};
    std::string const code = text.substr(begin + 1);
    return text.substr(head_.size(), begin + 1 - head_.size()) == says(code) ? code : std::string{};
  }
  // All of it or none.
  void write(std::string const& code) const {
    if (file_.empty() || code.size() > most_bytes / 2) return;
    std::error_code failed;
    std::filesystem::create_directories(file_.parent_path(), failed);
    std::string part = file_.string() + ".XXXXXX";
    int const made = mkstemp(part.data());
    if (made < 0) return;
    close(made);
    std::ofstream out(part, std::ios::binary);
    out << head_ << says(code) << code;
    out.close();
    if (!out || std::rename(part.c_str(), file_.c_str()) != 0) std::remove(part.c_str());
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;
  static std::uint64_t sum(std::string const& text) {
    fnv_1a of;
    for (char c : text) of.add(static_cast<unsigned char>(c));
    return of.sum;
  }
  static std::string hex(std::uint64_t x) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(x));
    return digits;
  }
  static std::string says(std::string const& code) {
    return "code " + std::to_string(code.size()) + " bytes, sum " + hex(sum(code)) + '\n';
  }
  std::string head_;
  std::filesystem::path file_;
};

}  // namespace colex::gpu
