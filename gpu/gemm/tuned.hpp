// The file of tuned kernels: those measured to be the fastest for some products on one device. gemm() takes them before those
// of the model. Its format, and what is refused. No CUDA call. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/fnv.hpp"
#include "gpu/gemm/normalize.hpp"
#include "gpu/plans/warpgroup_named.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

namespace colex::gpu {

// The file's lines: `colex tuned 1`, the library, the device, any number of `PRODUCT = KERNEL`, and the checksum of all that.
// It is used by that library on that device only.
struct tuned_for {
  std::string library, device;
};
struct tuned_kernels {
  std::map<std::string, std::string> kernel_of = {};  // the product is written by product_text
  std::string refused = {};                           // why the file is not used; empty: it is
};

// The contiguous mode of an operand whose rows can be copied in 16 bytes, in upper case in 4; `x`: neither mode.
inline char order_text(matrix const& x, char rows, char columns) {
  auto const order = [&](int bytes) {
    return lies_in_rows(x, 1, 0, bytes) ? columns : lies_in_rows(x, 0, 1, bytes) ? rows : 'x';
  };
  if (char const by_vectors = order(16); by_vectors != 'x') return by_vectors;
  char const by_words = order(4);
  return by_words == 'x' ? 'x' : static_cast<char>(by_words - 'a' + 'A');
}
// All that a kernel's time depends on, except the data.
inline std::string product_text(problem const& p, gemm_options const& o) {
  std::ostringstream s;
  s << p.m << ' ' << p.n << ' ' << p.k << ' ' << p.batches << ' ' << name_of(p.a.type) << ' ' << name_of(p.b.type) << ' '
    << name_of(p.d.type) << ' ' << order_text(p.a, 'm', 'k') << order_text(p.b, 'n', 'k') << order_text(p.d, 'm', 'n')
    << (p.beta != 0 ? " c" : "") << (o.tf32 ? " tf32" : "") << (o.fast_accumulation ? " fast" : "")
    << (o.two_level_accumulation ? " two_level" : "") << (p.sfa.data != nullptr ? " scaled" : "");
  return s.str();
}

namespace detail {

inline std::string sum_text(std::string const& text) {
  fnv_1a of;
  for (char c : text) of.add(static_cast<unsigned char>(c));
  std::ostringstream s;
  s << "sum " << std::hex << of.sum << '\n';
  return s.str();
}
// A line as a message may quote it: not all of a long one, nothing that does not print.
inline std::string quotable(std::string line) {
  if (line.size() > 100) line = line.substr(0, 100) + "...";
  for (char& c : line) c = c < 32 || c > 126 ? '?' : c;
  return line;
}
inline constexpr char tuned_format[] = "colex tuned 1";
inline std::string tuned_head(tuned_for const& at) {
  return std::string(tuned_format) + "\nlibrary " + at.library + "\ndevice " + at.device + '\n';
}
// Takes the lines between head and checksum. Returns what is wrong with the file; empty: nothing.
inline std::string tuned_body(std::string const& text, tuned_for const& at, std::string& body) {
  if (!text.starts_with(std::string(tuned_format) + '\n')) return " is no file of tuned kernels";
  std::size_t const last = text.rfind("sum ");
  if (last == std::string::npos || text.substr(last) != sum_text(text.substr(0, last)))
    return " is damaged: its checksum differs";
  std::istringstream lines(text.substr(0, last));
  std::string line;
  std::getline(lines, line);
  for (std::string const& wanted : {"library " + at.library, "device " + at.device})
    if (!std::getline(lines, line) || line != wanted) return " is of \"" + quotable(line) + "\", not of \"" + wanted + '"';
  body.assign(std::istreambuf_iterator<char>(lines), {});
  return "";
}

}  // namespace detail

// Parses a file, for those kernels of that library and device.
inline tuned_kernels parse_tuned(std::string const& file, std::string const& text, tuned_for const& at,
                                 std::span<gemm_kernel const> kernels) {
  tuned_kernels r;
  std::string body, line;
  if (std::string const wrong = detail::tuned_body(text, at, body); !wrong.empty()) return {{}, file + wrong};
  std::istringstream lines(body);
  for (int number = 4; std::getline(lines, line); ++number) {
    std::string const where = file + ':' + std::to_string(number) + ": ";
    std::size_t const middle = line.find(" = ");
    if (middle == std::string::npos) return {{}, where + "`PRODUCT = KERNEL` belongs here"};
    std::string const kernel = line.substr(middle + 3);
    auto const is_named = [&](gemm_kernel const& k) { return name(*k.plan) == kernel; };
    if (std::ranges::none_of(kernels, is_named) && !names_warpgroup_call(kernel))
      return {{}, where + "no kernel is named " + detail::quotable(kernel)};
    if (!r.kernel_of.emplace(line.substr(0, middle), kernel).second) return {{}, where + "this product was there before"};
  }
  return r;
}
// Reads a file, of at most 4 MiB: some fifty thousand products.
inline constexpr std::size_t most_tuned_bytes = std::size_t{4} << 20;
inline tuned_kernels read_tuned(std::string const& file, tuned_for const& at, std::span<gemm_kernel const> kernels) {
  std::error_code none;  // what is no file may keep its readers waiting
  if (!std::filesystem::is_regular_file(file, none)) return {{}, "cannot read " + file};
  std::ifstream in(file, std::ios::binary);
  std::string text(most_tuned_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.empty()) return {{}, "cannot read " + file};  // an empty file, too
  if (text.size() > most_tuned_bytes) return {{}, file + " is larger than 4 MiB"};
  return parse_tuned(file, text, at, kernels);
}
// Writes the file, all of it or none. Returns what went wrong; empty: nothing.
inline std::string write_tuned(std::string const& file, tuned_for const& at, tuned_kernels const& tuned) {
  std::string text = detail::tuned_head(at);
  for (auto const& [product, kernel] : tuned.kernel_of) text += product + " = " + kernel + '\n';
  text += detail::sum_text(text);
  std::string const part = file + '.' + std::to_string(getpid()) + ".part";
  std::ofstream out(part, std::ios::binary);
  out << text;
  out.close();
  if (out && std::rename(part.c_str(), file.c_str()) == 0) return "";
  std::remove(part.c_str());
  return "cannot write " + file;
}

}  // namespace colex::gpu
