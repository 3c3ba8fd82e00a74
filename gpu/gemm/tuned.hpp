// Kernels that were measured to be the fastest for some products on one device: a file of them, which gemm() asks before the
// model. The file's format, and what is refused. No CUDA call. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/normalize.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

namespace colex::gpu {

// A file holds, a line each: `colex tuned 1`, the library, the device, any number of `PRODUCT = KERNEL`, and the sum of all
// that. It serves one library on one device: another one's fastest kernel may be any.
struct tuned_place {
  std::string library, device;
};
struct tuned_kernels {
  std::map<std::string, std::string> kernel_of = {};  // a product's, as product_text says it
  std::string refused = {};                           // why the file serves for nothing; empty: it does
};

// How an operand lies: which mode has neighbours in memory, in rows that copies of 16 bytes can read; `x`: neither.
inline char order_text(matrix const& x, char rows, char columns) {
  if (lies_in_rows(x, 1, 0, 16)) return columns;
  return lies_in_rows(x, 0, 1, 16) ? rows : 'x';
}
// What a kernel's time depends on, but for the data.
inline std::string product_text(problem const& p, gemm_options const& o) {
  std::ostringstream s;
  s << p.m << ' ' << p.n << ' ' << p.k << ' ' << p.batches << ' ' << name_of(p.a.type) << ' ' << name_of(p.b.type) << ' '
    << name_of(p.d.type) << ' ' << order_text(p.a, 'm', 'k') << order_text(p.b, 'n', 'k') << order_text(p.d, 'm', 'n')
    << (p.beta != 0 ? " c" : "") << (o.tf32 ? " tf32" : "") << (o.fast_accumulation ? " fast" : "")
    << (p.sfa.data != nullptr ? " scaled" : "");
  return s.str();
}

namespace detail {

inline std::string sum_text(std::string const& text) {  // FNV-1a
  std::uint64_t sum = 0xcbf29ce484222325;
  for (char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::ostringstream s;
  s << "sum " << std::hex << sum << '\n';
  return s.str();
}
inline constexpr char tuned_format[] = "colex tuned 1";
inline std::string tuned_head(tuned_place const& at) {
  return std::string(tuned_format) + "\nlibrary " + at.library + "\ndevice " + at.device + '\n';
}
// The file's lines between head and sum, or what is wrong with it as a whole.
inline std::string tuned_body(std::string const& text, tuned_place const& at, std::string& body) {
  if (!text.starts_with(std::string(tuned_format) + '\n')) return " is no file of tuned kernels";
  std::size_t const last = text.rfind("sum ");
  if (last == std::string::npos || text.substr(last) != sum_text(text.substr(0, last)))
    return " is damaged: its sum is another";
  std::istringstream lines(text.substr(0, last));
  std::string line;
  std::getline(lines, line);
  for (std::string const& wanted : {"library " + at.library, "device " + at.device})
    if (!std::getline(lines, line) || line != wanted) return " is of \"" + line + "\", not of \"" + wanted + '"';
  body.assign(std::istreambuf_iterator<char>(lines), {});
  return "";
}

}  // namespace detail

// What a file says to those kernels at that place.
inline tuned_kernels parse_tuned(std::string const& file, std::string const& text, tuned_place const& at,
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
    if (std::none_of(kernels.begin(), kernels.end(), [&](gemm_kernel const& k) { return name(*k.what) == kernel; }))
      return {{}, where + "no kernel is named " + kernel};
    if (!r.kernel_of.emplace(line.substr(0, middle), kernel).second) return {{}, where + "this product was there before"};
  }
  return r;
}
inline tuned_kernels read_tuned(std::string const& file, tuned_place const& at, std::span<gemm_kernel const> kernels) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return {{}, "cannot read " + file};  // an empty file, too
  return parse_tuned(file, text.str(), at, kernels);
}
// Writes the file, whole or not at all. What went wrong; empty: nothing.
inline std::string write_tuned(std::string const& file, tuned_place const& at, tuned_kernels const& what) {
  std::string text = detail::tuned_head(at);
  for (auto const& [product, kernel] : what.kernel_of) text += product + " = " + kernel + '\n';
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
