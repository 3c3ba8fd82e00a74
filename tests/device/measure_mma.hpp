// MMA atoms of registers measured: what is fed to an instruction of one thread, a quad pair or a warp, what comes out by the
// formula, and the instructions of each family.
// Operands in registers need no names for their rows and columns: which slots of A, B and C meet is all that an instruction
// tells. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/atoms/mma_atom.hpp"
#include "tests/device/measure.hpp"

namespace colex::gpu {

// Where a is its own slot number and b is one in one slot, c shows which a meets that b there. `lanes` threads execute one
// instruction, 32 / lanes of which a warp executes at once, their threads `step` apart.
struct register_mma {
  std::string atom, instruction;
  int_tuple mnk;
  element a, b, c;
  int lanes = 32, step = 0;
  bool braces = true, difference = false;  // difference: exclusive-or counts what differs

  std::int64_t values_a() const { return mnk.value[0] * mnk.value[2] / lanes; }
  std::int64_t values_b() const { return mnk.value[1] * mnk.value[2] / lanes; }
  std::int64_t values_c() const { return mnk.value[0] * mnk.value[1] / lanes; }
  int words_a() const { return words_of(values_a(), a); }
  int words_b() const { return words_of(values_b(), b); }
  int words_c() const { return words_of(values_c(), c); }
  int places() const { return digits(32 * values_a() + 1, a.exact); }
  std::int64_t jobs() const { return (32 * values_b() + 1) * places() + 1; }
};

// Registers of 64 bits are put together before the instruction and taken apart behind it.
inline std::string wide_body(register_mma const& t) {
  int const a = t.words_a() / 2, b = t.words_b() / 2, c = t.words_c() / 2;
  std::string s = "  .reg .b64 d<" + text_of(a + b + c) + ">;\n";
  auto const halves = [](char name, int i) { return numbered(name, 2 * i, 2); };
  auto const wide = [](int i) { return "d" + text_of(i); };
  for (int i = 0; i < a + b + c; ++i) s += "  mov.b64 " + wide(i) + ", " + halves('r', i) + ";\n";
  std::string const sum = numbered('d', a + b, c);
  s += "  " + t.instruction + " " + sum + ", " + numbered('d', 0, a) + ", " + numbered('d', a, b) + ", " + sum + ";\n";
  for (int i = 0; i < c; ++i) s += "  mov.b64 " + halves('x', i) + ", " + wide(a + b + i) + ";\n";
  return s;
}
inline kernel kernel_of(register_mma const& t) {
  int const a = t.words_a(), b = t.words_b(), c = t.words_c();
  kernel k;
  k.in = a + b + c;
  k.out = c;
  if (t.c.bits == 64) {
    k.body = wide_body(t);
  } else if (t.braces) {
    k.body = "  " + t.instruction + " " + numbered('x', 0, c) + ", " + numbered('r', 0, a) + ", " + numbered('r', a, b) + ", " +
             numbered('r', a + b, c) + ";\n";
  } else {
    k.body = "  " + t.instruction + " x0, r0, r1, r2;\n";
  }
  return k;
}

// For each slot of b, and none, each digit of the slots of a; then c alone.
inline words feed(register_mma const& t, kernel const& k) {
  words in(static_cast<std::size_t>(t.jobs()) * k.input());
  for (std::int64_t job = 0; job < t.jobs(); ++job)
    for (std::int64_t thread = 0; thread < 32; ++thread) {
      std::uint32_t* const r = &in[static_cast<std::size_t>(job) * k.input() + static_cast<std::size_t>(thread * k.in)];
      if (job == t.jobs() - 1) {
        for (std::int64_t v = 0; v < t.values_c(); ++v)
          put(r + t.words_a() + t.words_b(), v, t.c, encode(t.c, 1 + thread * t.values_c() + v));
        continue;
      }
      for (std::int64_t v = 0; v < t.values_a(); ++v)
        put(r, v, t.a, encode(t.a, digit(1 + thread * t.values_a() + v, t.a.exact, static_cast<int>(job % t.places()))));
      std::int64_t const one = job / t.places() - thread * t.values_b();
      if (one >= 0 && one < t.values_b()) put(r + t.words_a(), one, t.b, encode(t.b, 1));
    }
  return in;
}

// What a job leaves in c.
struct register_result {
  register_mma const& t;
  kernel const& k;
  words const& out;

  std::int64_t at(std::int64_t job, std::int64_t thread, std::int64_t v) const {
    return left_by(k, out, static_cast<std::size_t>(job), thread, v, t.c);
  }
  // One plus the slot of a that slot b meets in c; 0 where none does.
  std::int64_t met(std::int64_t b, std::int64_t thread, std::int64_t v) const {
    std::int64_t sum = 0;
    for (int j = 0; j < t.places(); ++j) {
      std::int64_t const x = at(b * t.places() + j, thread, v) - at(32 * t.values_b() * t.places() + j, thread, v);
      sum += (t.difference ? x < 0 : x) * power(t.a.exact, j);
    }
    return sum;
  }
};

// A thread's value of an operand: which of the instructions executed at once it belongs to, where it is by the formula.
struct register_slot {
  std::int64_t group, thread, value, index;
};
inline std::vector<register_slot> slots_of(register_mma const& t, layout const& thr_id, layout const& operand,
                                           std::int64_t values) {
  std::vector<register_slot> slots;
  for (std::int64_t i = 0; i < 32 * values; ++i) {
    std::int64_t const lane = i % t.lanes, group = i % 32 / t.lanes, value = i / 32;
    slots.push_back({group, thr_id(lane) + group * t.step, value, operand(lane + t.lanes * value)});
  }
  return slots;
}
inline std::string fault(register_mma const& t, kernel const& k, words const& out) {
  mma_atom const f = make_mma_atom(t.atom);
  std::int64_t const m = t.mnk.value[0], n = t.mnk.value[1], va = t.values_a(), vb = t.values_b(), vc = t.values_c();
  if (!(f.shape_mnk == t.mnk) || size(f.a, 1) != va || size(f.b, 1) != vb || size(f.c, 1) != vc) return "other sizes";
  register_result const got{t, k, out};
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(32 * va));
  for (register_slot const& a : slots_of(t, f.thr_id, f.a, va))
    numbers.at(static_cast<std::size_t>(a.group * t.lanes * va + a.index)) = 1 + a.thread * va + a.value;
  std::vector<register_slot> const bs = slots_of(t, f.thr_id, f.b, vb);
  for (register_slot const& c : slots_of(t, f.thr_id, f.c, vc)) {
    if (got.at(t.jobs() - 1, c.thread, c.value) != 1 + c.thread * vc + c.value)
      return at("C", c.thread, c.value) + " is not D there";
    for (register_slot const& b : bs) {
      bool const meet = b.group == c.group && b.index % n == c.index / m;
      std::int64_t const a = c.group * t.lanes * va + c.index % m + m * (b.index / n);
      std::int64_t const wanted = meet ? numbers.at(static_cast<std::size_t>(a)) : 0,
                         met = got.met(b.thread * vb + b.value, c.thread, c.value);
      if (met != wanted)
        return at("C", c.thread, c.value) + " and " + at("B", b.thread, b.value) + " meet slot " + text_of(met - 1) +
               " of A, by formula " + text_of(wanted - 1);
    }
  }
  return "";
}

inline void add(measurements& all, register_mma const& t) {
  kernel const k = kernel_of(t);
  all.push_back({t.atom, k, [=] { return feed(t, k); }, [=](words const& out) { return fault(t, k, out); }});
}

inline std::string shape_text(int_tuple const& mnk, char const* between_m, char const* between) {
  return text_of(mnk.value[0]) + between_m + text_of(mnk.value[1]) + between + text_of(mnk.value[2]);
}

inline void add_simt(measurements& all) {
  add(all, {"UniversalFMA", "fma.rn.f32", {1, 1, 1}, f32, f32, f32, 1, 1, false});
  add(all, {"SM61_DP4A", "dp4a.s32.s32", {1, 1, 4}, s8, s8, s32, 1, 1, false});
  add(all, {"SM61_DP2A", "dp2a.lo.s32.s32", {1, 1, 2}, s16, s8, s32, 1, 1, false});
}
inline void add_volta(measurements& all) {
  for (element const& c : {f16, f32})
    for (char const* major : {"TN", "NT", "NN", "TT"}) {
      std::string const a = major[0] == 'T' ? "row" : "col", b = major[1] == 'N' ? "col" : "row", type = c.ptx;
      add(all, {std::string("SM70_8x8x4_") + c.code + "F16F16" + c.code + "_" + major,
                "mma.sync.aligned.m8n8k4." + a + "." + b + "." + type + ".f16.f16." + type,
                {8, 8, 4},
                f16,
                f16,
                c,
                8,
                4});
    }
}
inline void add_warp(measurements& all, int architecture, int_tuple mnk, element a, element b, element c,
                     std::string const& suffix = "") {
  std::string const saturate = suffix == "_SATURATE" ? ".satfinite" : "";
  std::string const bits = suffix == "_XORPOPC" ? ".xor.popc" : suffix == "_ANDPOPC" ? ".and.popc" : "";
  std::string const types = std::string(".") + c.ptx + "." + a.ptx + "." + b.ptx + "." + c.ptx;
  register_mma t{
      "SM" + text_of(architecture) + "_" + shape_text(mnk, "x", "x") + "_" + c.code + a.code + b.code + c.code + "_TN" + suffix,
      "mma.sync.aligned.m" + shape_text(mnk, "n", "k") + ".row.col" + saturate + types + bits,
      mnk,
      a,
      b,
      c};
  t.difference = suffix == "_XORPOPC";
  add(all, t);
}
inline void add_integers(measurements& all, element s, element u, int k) {
  for (element const& a : {s, u})
    for (element const& b : {s, u})
      for (char const* suffix : {"", "_SATURATE"}) {
        add_warp(all, 80, {8, 8, k}, a, b, s32, suffix);
        add_warp(all, 80, {16, 8, k}, a, b, s32, suffix);
        add_warp(all, 80, {16, 8, 2 * k}, a, b, s32, suffix);
      }
}
inline void add_warps(measurements& all) {
  for (element const& c : {f16, f32}) {
    for (int architecture : {75, 80}) add_warp(all, architecture, {16, 8, 8}, f16, f16, c);
    add_warp(all, 80, {16, 8, 16}, f16, f16, c);
    for (element const& a : {e4m3, e5m2})
      for (element const& b : {e4m3, e5m2}) add_warp(all, 89, {16, 8, 32}, a, b, c);
  }
  for (int k : {8, 16}) add_warp(all, 80, {16, 8, k}, bf16, bf16, f32);
  for (int k : {4, 8}) add_warp(all, 80, {16, 8, k}, tf32, tf32, f32);
  add_warp(all, 80, {8, 8, 4}, f64, f64, f64);
  for (int k : {4, 8, 16}) add_warp(all, 90, {16, 8, k}, f64, f64, f64);
  add_warp(all, 75, {8, 8, 16}, s8, s8, s32);
  add_integers(all, s8, u8, 16);
  add_integers(all, s4, u4, 32);
  for (char const* suffix : {"_XORPOPC", "_ANDPOPC"}) {
    add_warp(all, 80, {8, 8, 128}, u1, u1, s32, suffix);
    for (int k : {128, 256}) add_warp(all, 80, {16, 8, k}, u1, u1, s32, suffix);
  }
}

}  // namespace colex::gpu
