// What a measurement of atoms stands on: numbers in the element types of instructions, kernels as PTX text around one
// instruction, running them. PTX because its text can be made from a shape and types; a compiler would want each spelled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/device/cuda.hpp"

#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace colex::gpu {

// An element type of instructions: its name in an atom and in PTX, bits, bits of mantissa (-1: an integer) and bias of the
// exponent. Integers below `exact` and their products with one are exact.
struct element {
  char const *code, *ptx;
  int bits, mantissa, bias, exact;
  bool operator==(element const& b) const { return code == b.code; }
};
inline constexpr element f64{"F64", "f64", 64, 52, 1023, 1 << 20}, f32{"F32", "f32", 32, 23, 127, 2048},
    tf32{"TF32", "tf32", 32, 23, 127, 2048}, f16{"F16", "f16", 16, 10, 15, 2048}, bf16{"BF16", "bf16", 16, 7, 127, 256},
    e4m3{"E4M3", "e4m3", 8, 3, 7, 16}, e5m2{"E5M2", "e5m2", 8, 2, 15, 8}, s32{"S32", "s32", 32, -1, 0, 1 << 20},
    s16{"S16", "s16", 16, -1, 0, 1024}, s8{"S8", "s8", 8, -1, 0, 128}, u8{"U8", "u8", 8, -1, 0, 128},
    s4{"S4", "s4", 4, -1, 0, 8}, u4{"U4", "u4", 4, -1, 0, 8}, u1{"U1", "b1", 1, -1, 0, 2};

// A small integer x >= 0 as the bits of an element, and back; -1 where the bits are no such integer.
inline std::uint64_t encode(element const& e, std::int64_t x) {
  if (e.mantissa < 0 || x == 0) return static_cast<std::uint64_t>(x);
  int const top = std::bit_width(static_cast<std::uint64_t>(x)) - 1;
  std::uint64_t const fraction = static_cast<std::uint64_t>(x) - (std::uint64_t{1} << top);
  return static_cast<std::uint64_t>(top + e.bias) << e.mantissa | fraction << (e.mantissa - top);
}
inline std::int64_t decode(element const& e, std::uint64_t bits) {
  if (e.mantissa < 0) return e.bits == 32 ? static_cast<std::int32_t>(bits) : static_cast<std::int64_t>(bits);
  if (bits == 0) return 0;
  int const top = static_cast<int>(bits >> e.mantissa) - e.bias, below = e.mantissa - top;
  std::uint64_t const whole = (bits & ((std::uint64_t{1} << e.mantissa) - 1)) | std::uint64_t{1} << e.mantissa;
  if (top < 0 || below < 0 || (whole & ((std::uint64_t{1} << below) - 1)) != 0) return -1;
  return static_cast<std::int64_t>(whole >> below);
}

using words = std::vector<std::uint32_t>;

inline int words_of(std::int64_t values, element const& e) { return static_cast<int>((values * e.bits + 31) / 32); }

// The slot-th element from `at` on; the place starts out zero.
inline void put(std::uint32_t* at, std::int64_t slot, element const& e, std::uint64_t bits) {
  std::int64_t const bit = slot * e.bits;
  at[bit / 32] |= static_cast<std::uint32_t>(bits << bit % 32);
  if (e.bits == 64) at[bit / 32 + 1] |= static_cast<std::uint32_t>(bits >> 32);
}
inline std::uint64_t get(std::uint32_t const* at, std::int64_t slot, element const& e) {
  std::int64_t const bit = slot * e.bits;
  if (e.bits == 64) return at[bit / 32] | static_cast<std::uint64_t>(at[bit / 32 + 1]) << 32;
  return at[bit / 32] >> bit % 32 & (e.bits == 32 ? ~0u : (1u << e.bits) - 1);
}

// Digits of a number below `most` in base `base`, lowest first.
inline int digits(std::int64_t most, int base) {
  int n = 1;
  for (std::int64_t reach = base; reach < most; reach *= base) ++n;
  return n;
}
inline std::int64_t power(std::int64_t base, int n) { return n == 0 ? 1 : base * power(base, n - 1); }
inline std::int64_t digit(std::int64_t x, int base, int n) { return x / power(base, n) % base; }

inline std::string text_of(std::int64_t n) { return std::to_string(n); }
inline std::string numbered(char name, int from, int n) {
  std::string s = "{";
  for (int i = 0; i < n; ++i) s += (i > 0 ? "," : "") + (name + text_of(from + i));
  return s + "}";
}

inline std::string at(char const* what, std::int64_t thread, std::int64_t value) {
  return std::string(what) + " of thread " + text_of(thread) + " value " + text_of(value);
}

// One block a job. A job's input is `shared` words that are laid into shared memory at `base`, then `in` words a thread, its
// registers r0...; its output are the registers x0... of each thread, `out` words, and perhaps the shared memory afterwards.
struct kernel {
  int threads = 32, shared = 0, in = 0, out = 0;
  bool shared_out = false;
  std::string body;

  std::size_t input() const { return static_cast<std::size_t>(shared) + static_cast<std::size_t>(threads * in); }
  std::size_t output() const {
    return static_cast<std::size_t>(threads * out) + static_cast<std::size_t>(shared_out ? shared : 0);
  }
};

// What a thread of a job leaves in its v-th slot, of such elements.
inline std::int64_t left_by(kernel const& k, words const& out, std::size_t job, std::int64_t thread, std::int64_t v,
                            element const& e) {
  return decode(e, get(&out[job * k.output() + static_cast<std::size_t>(thread * k.out)], v, e));
}

// A loop of all threads over the shared words.
inline std::string over_shared(kernel const& k, std::string const& label, std::string const& body) {
  return "  mov.u32 c, t;\n" + label + ": setp.ge.u32 z, c, " + text_of(k.shared) + "; @z bra " + label +
         "_END;\n  mul.wide.u32 o, c, 4; shl.b32 s, c, 2; add.u32 s, s, base; " + body + " add.u32 c, c, " +
         text_of(k.threads) + "; bra " + label + ";\n" + label + "_END: bar.sync 0;\n";
}
inline std::string ptx_of(kernel const& k, std::string const& entry) {
  std::string const in = text_of(k.in + 1), out = text_of(k.out + 1);
  std::string s = ".visible .entry " + entry + "(.param .u64 pin, .param .u64 pout) {\n  .reg .b32 r<" + in + ">, x<" + out +
                  ">, t, i, c, s, base, v; .reg .b16 h; .reg .b64 p, q, o, w; .reg .pred z;\n";
  if (k.shared > 0) s += "  .shared .align 1024 .b8 memory[" + text_of(4 * k.shared) + "];\n  mov.u32 base, memory;\n";
  s += "  mov.u32 t, %tid.x; mov.u32 i, %ctaid.x;\n  ld.param.u64 p, [pin]; cvta.to.global.u64 p, p; mul.wide.u32 o, i, " +
       text_of(static_cast<std::int64_t>(4 * k.input())) +
       "; add.u64 p, p, o;\n  ld.param.u64 q, [pout]; cvta.to.global.u64 q, q; mul.wide.u32 o, i, " +
       text_of(static_cast<std::int64_t>(4 * k.output())) + "; add.u64 q, q, o;\n";
  if (k.shared > 0) s += over_shared(k, "IN", "add.u64 w, p, o; ld.global.b32 v, [w]; st.shared.b32 [s], v;");
  s += "  mul.wide.u32 o, t, " + text_of(4 * k.in) + "; add.u64 p, p, o; add.u64 p, p, " + text_of(4 * k.shared) + ";\n";
  for (int i = 0; i < k.in; ++i) s += "  ld.global.b32 r" + text_of(i) + ", [p+" + text_of(4 * i) + "];\n";
  s += k.body;
  s += "  mul.wide.u32 o, t, " + text_of(4 * k.out) + "; add.u64 w, q, o;\n";
  for (int i = 0; i < k.out; ++i) s += "  st.global.b32 [w+" + text_of(4 * i) + "], x" + text_of(i) + ";\n";
  if (k.shared_out)
    s += "  bar.sync 0; add.u64 q, q, " + text_of(4 * k.threads * k.out) + ";\n" +
         over_shared(k, "OUT", "add.u64 w, q, o; ld.shared.b32 v, [s]; st.global.b32 [w], v;");
  return s + "  ret;\n}\n";
}

// An atom, the kernel around its instruction, what to feed it, and what is wrong with what comes out ("" where nothing is).
struct measurement {
  std::string atom;
  kernel k;
  std::function<words()> feed;
  std::function<std::string(words const&)> fault;
};

using measurements = std::vector<measurement>;

inline std::string module_of(measurements const& all, std::size_t from, std::size_t to) {
  std::string s = ".version 8.8\n.target sm_90a\n.address_size 64\n";
  for (std::size_t i = from; i < to; ++i)
    s += "// " + all[i].atom + "\n" + ptx_of(all[i].k, "k" + text_of(static_cast<std::int64_t>(i)));
  return s;
}

inline words run(cudaKernel_t function, kernel const& k, words const& fed) {
  device_array<std::uint32_t> in(fed);
  std::size_t const jobs = fed.size() / k.input();
  device_array<std::uint32_t> out(jobs * k.output());
  std::uint32_t *from = in.data(), *to = out.data();
  void* arguments[] = {&from, &to};
  dim3 const blocks(static_cast<unsigned>(jobs)), threads(static_cast<unsigned>(k.threads));
  check(cudaLaunchKernel(reinterpret_cast<void const*>(function), blocks, threads, arguments, 0, nullptr), "launch");
  finish("kernel");
  return out.host();
}

}  // namespace colex::gpu
