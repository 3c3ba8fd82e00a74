// Copy atoms within an SM measured: matrices between registers and shared memory, words between threads, bytes of a thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/atoms/copy_atom.hpp"
#include "tests/device/measure.hpp"

namespace colex::gpu {

// A datum is `bits` wide; its number is one plus where it lies: thread and which of the thread's data. Where the formula gives
// source and destination the same index, the same datum must lie; `seen(thread, i)` is the number found at a destination.
template <class Seen>
inline std::string moved(copy_atom const& f, std::int64_t bits, Seen seen) {
  std::int64_t const threads = size(f.thr_id), from = size(f.src, 1) / bits, to = size(f.dst, 1) / bits;
  for (std::int64_t i = 0; i < threads * to; ++i) {
    std::int64_t const number = seen(i % threads, i / threads) - 1, thread = number / from, which = number % from;
    bool const known = number >= 0 && thread < threads;
    if (!known || f.src(thread + threads * which * bits) != f.dst(i % threads + threads * (i / threads * bits)))
      return at("the destination", i % threads, i / threads) + " holds datum " + text_of(which) + " of thread " +
             text_of(thread);
  }
  return "";
}
constexpr element half_word = s16;

// Rows of 16 bytes lie in shared memory where no two threads' are neighbours.
inline std::uint32_t row_address(int thread) { return static_cast<std::uint32_t>(16 * (5 * thread % 32)); }

inline kernel matrix_kernel(bool load, int n, bool transposed) {
  std::string const what = std::string(load ? "ldmatrix" : "stmatrix") + ".sync.aligned.m8n8.x" + text_of(n) +
                           (transposed ? ".trans" : "") + ".shared.b16 ";
  kernel k;
  k.shared = 128;
  k.in = load ? 1 : 1 + n;
  k.out = load ? n : 0;
  k.shared_out = !load;
  k.body = "  add.u32 r0, r0, base;\n  " + what +
           (load ? numbered('x', 0, n) + ", [r0];\n" : "[r0], " + numbered('r', 1, n) + ";\n");
  return k;
}
inline words feed_matrices(kernel const& k, bool load) {
  words in(k.input());
  int const data = load ? 8 : 2 * (k.in - 1);
  for (int thread = 0; thread < 32; ++thread) {
    std::uint32_t* const r = &in[static_cast<std::size_t>(k.shared + thread * k.in)];
    r[0] = row_address(thread);
    for (int i = 0; i < data; ++i)
      put(load ? &in[r[0] / 4] : r + 1, i, half_word, static_cast<std::uint64_t>(1 + thread * data + i));
  }
  return in;
}
// Threads beyond the rows give addresses that nobody writes to.
inline std::string matrices_fault(copy_atom const& f, kernel const& k, bool load, int n, words const& out) {
  return moved(f, 16, [&](std::int64_t thread, std::int64_t i) {
    std::size_t const row = row_address(static_cast<int>(thread % (8 * n))) / 4;
    return static_cast<std::int64_t>(load ? get(&out[static_cast<std::size_t>(thread * k.out)], i, half_word)
                                          : get(&out[row], i, half_word));
  });
}
inline void add_matrices(measurements& all, bool load, int n, bool transposed) {
  kernel const k = matrix_kernel(load, n, transposed);
  std::string const atom = (load ? "SM75_U" : "SM90_U") + (transposed ? "16x" + text_of(2 * n) : "32x" + text_of(n)) +
                           (load ? "_LDSM_" : "_STSM_") + (transposed ? "T" : "N");
  all.push_back({atom, k, [=] { return feed_matrices(k, load); },
                 [=](words const& out) { return matrices_fault(make_copy_atom(atom), k, load, n, out); }});
}

// Registers to registers, data of `bits`.
inline void add_exchange(measurements& all, std::string const& atom, int registers, element const& e, std::string const& body) {
  kernel k;
  k.in = k.out = registers;
  k.body = body;
  int const data = registers * 32 / e.bits;
  auto const fed = [=] {
    words in(k.input());
    for (int i = 0; i < 32 * data; ++i)
      put(&in[static_cast<std::size_t>(i / data * registers)], i % data, e, static_cast<std::uint64_t>(1 + i));
    return in;
  };
  all.push_back({atom, k, fed, [=](words const& out) {
                   return moved(make_copy_atom(atom), e.bits, [&](std::int64_t thread, std::int64_t i) {
                     return static_cast<std::int64_t>(get(&out[static_cast<std::size_t>(thread * registers)], i, e));
                   });
                 }});
}
inline void add_exchanges(measurements& all) {
  add_exchange(all, "SM75_U32x1_MOVM_T", 1, half_word, "  movmatrix.sync.aligned.m8n8.trans.b16 x0, r0;\n");
  for (int lane : {1, 4}) {
    std::string const bit = text_of(lane);
    add_exchange(all, "SM50_Shuffle_U32_2x2Trans_XOR" + bit, 2, s32,
                 "  and.b32 v, t, " + bit + "; setp.ne.u32 z, v, 0;\n  selp.b32 v, r0, r1, z; shfl.sync.bfly.b32 v, v, " + bit +
                     ", 31, -1;\n  selp.b32 x0, v, r0, z; selp.b32 x1, r1, v, z;\n");
  }
}

// Each thread its own bytes, from global to shared memory; 16 bytes lie ready, those beyond the copy must stay zero.
inline void add_bytes(measurements& all, std::string const& atom, int bits, std::string const& body) {
  kernel k;
  k.shared = 128;
  k.in = 4;
  k.shared_out = true;
  k.body = "  shl.b32 c, t, 4; add.u32 c, c, base;\n" + body;
  auto const fed = [=] {
    words in(k.input());
    for (int i = 0; i < 32 * 16; ++i)
      put(&in[static_cast<std::size_t>(128 + i / 4)], i % 4, u8, static_cast<std::uint64_t>(1 + i % 16));
    return in;
  };
  all.push_back({atom, k, fed, [=](words const& out) -> std::string {
                   for (int i = 0; i < 32 * 16; ++i)
                     if (i % 16 >= bits / 8 && get(out.data(), i, u8) != 0) return "bytes beyond the copy are written";
                   return moved(make_copy_atom(atom), 8,
                                [&](std::int64_t, std::int64_t i) { return static_cast<std::int64_t>(get(&out[28], i, u8)); });
                 }});
}
inline void add_byte_copies(measurements& all) {
  for (int bits : {32, 64, 128}) {
    std::string const size = text_of(bits / 8), type = "<uint" + text_of(bits) + "_t>";
    for (char const* cache : {"ca", "cg"}) {
      if (cache[1] == 'g' && bits != 128) continue;
      std::string const name = cache[1] == 'g' ? "GLOBAL" : "ALWAYS",
                        start = std::string("  cp.async.") + cache + ".shared.global [c], [p], " + size;
      add_bytes(all, "SM80_CP_ASYNC_CACHE" + name + type, bits, start + "; cp.async.wait_all;\n");
      add_bytes(all, "SM80_CP_ASYNC_CACHE" + name + "_ZFILL" + type, bits, start + ", " + size + "; cp.async.wait_all;\n");
    }
  }
  add_bytes(all, "UniversalCopy<uint8_t>", 8, "  ld.global.u8 h, [p]; st.shared.u8 [c], h;\n");
  for (char const* type : {"uint16_t", "half_t"})
    add_bytes(all, std::string("UniversalCopy<") + type + ">", 16, "  ld.global.b16 h, [p]; st.shared.b16 [c], h;\n");
  for (char const* type : {"uint32_t", "float"})
    add_bytes(all, std::string("UniversalCopy<") + type + ">", 32, "  ld.global.b32 v, [p]; st.shared.b32 [c], v;\n");
  for (char const* type : {"uint64_t", "double"})
    add_bytes(all, std::string("UniversalCopy<") + type + ">", 64, "  ld.global.b64 w, [p]; st.shared.b64 [c], w;\n");
  add_bytes(all, "UniversalCopy<uint128_t>", 128,
            "  ld.global.v4.b32 {r0,r1,r2,r3}, [p]; st.shared.v4.b32 [c], {r0,r1,r2,r3};\n");
}
inline void add_copies(measurements& all) {
  for (int n : {1, 2, 4})
    for (bool load : {true, false})
      for (bool transposed : {false, true}) add_matrices(all, load, n, transposed);
  add_exchanges(all);
  add_byte_copies(all);
}

}  // namespace colex::gpu
