// MMA atoms of four warps measured, operands in shared memory or A in registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/swizzle.hpp"
#include "gpu/atoms/mma_atom.hpp"
#include "tests/device/measure.hpp"

namespace colex::gpu {

// Without a swizzle shared memory is cores of 8 rows of 16 bytes, along K or across; with one it is rows of 32, 64 or 128
// bytes. Of a sparse A each chunk of `chunk` elements keeps `kept`: the first, as 0100 in the metadata says, or the last, 1110.
struct group_mma {
  int n = 0;
  element a, b, c;
  bool registers = false, sparse = false, a_across = false, b_across = false, saturate = false;
  int swizzled = 0;  // 1, 2, 3 for 32, 64, 128 bytes

  int k() const { return (sparse ? 512 : 256) / a.bits; }
  int stored() const { return 256 / a.bits; }
  int chunk() const { return !sparse ? 1 : a.bits == 32 ? 2 : 4; }
  int kept() const { return !sparse || a.bits == 32 ? 1 : 2; }
  int pitch(int bytes) const { return swizzled == 0 ? bytes : 16 << swizzled; }
  int bytes_a() const { return registers ? 0 : 64 * pitch(32); }
  int bytes_b() const { return n * pitch(sparse ? 64 : 32); }
  int values_a() const { return registers ? 64 * stored() / 128 : 0; }  // of a thread
  int values_c() const { return n / 2; }
  int places() const { return digits(64 * stored() + 1, a.exact); }
  bool metadata_seen() const { return sparse && n == k(); }
};

inline std::string name_of(group_mma const& t) {
  std::string s = t.sparse ? "SM90::GMMA::SPARSE::GMMA_64x" : "SM90_64x";
  s += text_of(t.n) + "x" + text_of(t.k()) + "_" + t.c.code + t.a.code + t.b.code + (t.registers ? "_RS" : "_SS") +
       (t.a.bits == 16 ? "" : "_TN");
  if (t.a_across || t.b_across) s += std::string("<") + (t.a_across ? "MN" : "K") + "," + (t.b_across ? "MN" : "K") + ">";
  return s + (t.saturate ? "_SATURATE" : "");
}

// What a descriptor says beside the address: how far apart cores are along K, rows of cores are, and the swizzle.
inline std::uint64_t descriptor(group_mma const& t, int bytes, bool across) {
  std::uint64_t const rows = static_cast<std::uint64_t>(across ? t.k() * 16 : 8 * t.pitch(bytes));
  return std::uint64_t{128 >> 4} << 16 | rows >> 4 << 32 |
         (t.swizzled == 0 ? 0 : static_cast<std::uint64_t>(4 - t.swizzled) << 62);
}
// The byte at which an operand's element lies.
inline std::int64_t place(group_mma const& t, std::int64_t row, std::int64_t k, int bytes, bool across) {
  if (across) return row / 8 * (t.k() * 16) + k / 8 * 128 + k % 8 * 16 + row % 8 * 2;
  std::int64_t const byte = k * t.a.bits / 8;
  if (t.swizzled != 0) return swizzle{t.swizzled, 4, 3}(row * t.pitch(bytes) + byte);
  return row / 8 * (8 * bytes) + byte / 16 * 128 + row % 8 * 16 + byte % 16;
}

// The descriptor of what lies `offset` bytes into shared memory, in a register.
inline std::string described(std::string const& name, int offset, std::uint64_t rest) {
  return "  add.u32 v, base, " + text_of(offset) + "; shr.u32 v, v, 4; cvt.u64.u32 " + name + ", v; or.b64 " + name + ", " +
         name + ", " + text_of(static_cast<std::int64_t>(rest)) + ";\n";
}
inline std::string instruction(group_mma const& t, kernel const& k) {
  std::string s =
      std::string("wgmma.mma_async") + (t.sparse ? ".sp" : "") + ".sync.aligned.m64n" + text_of(t.n) + "k" + text_of(t.k());
  s += std::string(t.saturate ? ".satfinite." : ".") + t.c.ptx + "." + t.a.ptx + "." + t.b.ptx + " " + numbered('x', 0, k.out) +
       ", ";
  s += t.registers ? numbered('r', 0, words_of(t.values_a(), t.a)) : "w";
  s += ", o" + (t.sparse ? ", r" + text_of(k.in - 1) + ", 0" : "") + ", z";
  if (t.a.mantissa >= 0) s += ", 1, 1";  // neither negated
  if (t.a.bits == 16 && !t.registers) s += t.a_across ? ", 1" : ", 0";
  if (t.a.bits == 16) s += t.b_across ? ", 1" : ", 0";
  return s + ";";
}
inline kernel kernel_of(group_mma const& t) {
  kernel k;
  k.threads = 128;
  k.shared = (t.bytes_a() + t.bytes_b()) / 4;
  k.in = words_of(t.values_a(), t.a) + (t.sparse ? 1 : 0);
  k.out = words_of(t.values_c(), t.c);
  k.body = described("w", 0, descriptor(t, 32, t.a_across)) +
           described("o", t.bytes_a(), descriptor(t, t.sparse ? 64 : 32, t.b_across)) +
           "  setp.ne.u32 z, t, t; fence.proxy.async.shared::cta; bar.sync 0; wgmma.fence.sync.aligned;\n  " +
           instruction(t, k) + "\n  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n";
  return k;
}

// One job: B is one at (n,k) for all n and one k where `code_n` is 0, the digit of n's number at k = 0 where it is not; A is
// the digit of its slots' numbers or all one. With `flipped` >= 0: all of A one, B the identity, one chunk's metadata turned.
struct group_job {
  std::int64_t k = 0;
  int place = -1, code_n = -1;
  std::int64_t flipped = -2;
};
inline std::vector<group_job> jobs_of(group_mma const& t) {
  std::vector<group_job> jobs;
  for (std::int64_t k = 0; k < t.k(); ++k)
    for (int j = 0; j < t.places() && k % t.chunk() < t.kept(); ++j) jobs.push_back({k, j});
  for (int j = 0; j < digits(t.n + 1, t.b.exact); ++j) jobs.push_back({0, -1, j});
  for (std::int64_t chunk = -1; chunk < 128 * 8 && t.metadata_seen(); ++chunk) jobs.push_back({0, -1, -1, chunk});
  return jobs;
}
inline std::int64_t value_a(group_mma const& t, group_job const& job, std::int64_t slot) {
  return job.place < 0 ? 1 : digit(slot + 1, t.a.exact, job.place);
}
inline std::int64_t value_b(group_mma const& t, group_job const& job, std::int64_t n, std::int64_t k) {
  if (job.flipped >= -1) return n == k;
  if (k != job.k) return 0;
  return job.code_n < 0 ? 1 : digit(n + 1, t.b.exact, job.code_n);
}
inline void feed(group_mma const& t, kernel const& k, group_job const& job, std::uint32_t* in) {
  auto const store = [&](std::int64_t byte, element const& e, std::int64_t x) {
    put(in + byte / 4, byte % 4 * 8 / e.bits, e, encode(e, x));
  };
  for (std::int64_t i = 0; i < 64 * t.stored() && !t.registers; ++i)
    store(place(t, i % 64, i / 64, 32, t.a_across), t.a, value_a(t, job, i));
  for (std::int64_t i = 0; i < t.n * t.k(); ++i)
    store(t.bytes_a() + place(t, i % t.n, i / t.n, t.sparse ? 64 : 32, t.b_across), t.b, value_b(t, job, i % t.n, i / t.n));
  for (std::int64_t thread = 0; thread < 128; ++thread) {
    std::uint32_t* const r = in + k.shared + thread * k.in;
    for (int v = 0; v < t.values_a(); ++v) put(r, v, t.a, encode(t.a, value_a(t, job, thread * t.values_a() + v)));
    if (t.sparse)
      r[k.in - 1] = 0x44444444u ^ (job.flipped / 8 == thread && job.flipped >= 0 ? 0xAu << 4 * (job.flipped % 8) : 0);
  }
}
inline words feed(group_mma const& t, kernel const& k) {
  std::vector<group_job> const jobs = jobs_of(t);
  words in(jobs.size() * k.input());
  for (std::size_t i = 0; i < jobs.size(); ++i) feed(t, k, jobs[i], &in[i * k.input()]);
  return in;
}

struct group_result {
  group_mma const& t;
  kernel const& k;
  words const& out;

  std::int64_t at(std::size_t job, std::int64_t thread, std::int64_t v) const { return left_by(k, out, job, thread, v, t.c); }
  std::int64_t code(std::size_t job, int places, int base, std::int64_t thread, std::int64_t v) const {
    std::int64_t sum = 0;
    for (int j = 0; j < places; ++j) sum += at(job + static_cast<std::size_t>(j), thread, v) * power(base, j);
    return sum;
  }
};

// The index in A that the formula gives each slot: in memory slots are numbered down M, in registers thread by thread.
inline std::vector<std::int64_t> indices_a(group_mma const& t, mma_atom const& f) {
  std::vector<std::int64_t> indices;
  for (std::int64_t slot = 0; slot < 64 * t.stored(); ++slot) {
    std::int64_t const stored = t.registers ? slot % t.values_a() : slot / 64,
                       k = stored / t.kept() * t.chunk() + stored % t.kept();
    indices.push_back(t.registers ? f.a(slot / t.values_a() + 128 * k) : f.a(128 * (slot % 64 + 64 * k)));
  }
  return indices;
}
inline std::string fault_at(group_mma const& t, std::vector<std::int64_t> const& indices, std::int64_t mn,
                            group_result const& got, std::int64_t thread, std::int64_t v) {
  std::size_t job = 0;
  for (std::int64_t k = 0; k < t.k(); ++k) {
    if (k % t.chunk() >= t.kept()) continue;
    std::int64_t const slot = got.code(job, t.places(), t.a.exact, thread, v) - 1;
    bool const known = slot >= 0 && slot < 64 * t.stored();
    if (!known || indices[static_cast<std::size_t>(slot)] != mn % 64 + 64 * k)
      return at("C", thread, v) + " at k = " + text_of(k) + " meets slot " + text_of(slot) + " of A";
    job += static_cast<std::size_t>(t.places());
  }
  std::int64_t const column = got.code(job, digits(t.n + 1, t.b.exact), t.b.exact, thread, v) - 1;
  return column == mn / 64 ? "" : at("C", thread, v) + " is in column " + text_of(column) + ", by formula " + text_of(mn / 64);
}

// Which chunk of A a turned bit of metadata moved: B is the identity, so that C is A spread out. -1: none, -2: not one chunk.
inline std::int64_t moved_chunk(group_mma const& t, mma_atom const& f, group_result const& got, std::size_t base,
                                std::size_t job) {
  std::int64_t chunk = -1;
  for (std::int64_t i = 0; i < 128 * t.values_c(); ++i) {
    if (got.at(job, i % 128, i / 128) == got.at(base, i % 128, i / 128)) continue;
    std::int64_t const mk = f.c(i), here = mk % 64 + 64 * (mk / 64 / t.chunk());
    if (chunk != -1 && chunk != here) return -2;
    chunk = here;
  }
  return chunk;
}
// Each chunk's metadata are read from exactly one of the threads that the formula gives them to.
inline std::string metadata_fault(group_mma const& t, mma_atom const& f, group_result const& got, std::size_t base) {
  std::vector<int> readers(static_cast<std::size_t>(64 * t.k() / t.chunk()));
  for (std::int64_t i = 0; i < 128 * 8; ++i) {
    std::int64_t const moved = moved_chunk(t, f, got, base, base + 1 + static_cast<std::size_t>(i));
    std::int64_t const mk = f.e(i / 8 + 128 * (i % 8 * t.chunk())), wanted = mk % 64 + 64 * (mk / 64 / t.chunk());
    if (moved != -1 && moved != wanted)
      return at("E", i / 8, i % 8 * t.chunk()) + " moves chunk " + text_of(moved) + ", by formula " + text_of(wanted);
    if (moved != -1) ++readers.at(static_cast<std::size_t>(moved));
  }
  for (std::size_t c = 0; c < readers.size(); ++c)
    if (readers[c] != 1)
      return "the metadata of chunk " + std::to_string(c) + " are read from " + text_of(readers[c]) + " threads";
  return "";
}
inline std::string fault(group_mma const& t, kernel const& k, words const& out) {
  mma_atom const f = make_mma_atom(name_of(t));
  if (!(f.shape_mnk == int_tuple{64, t.n, t.k()}) || size(f.c) != 128 * t.values_c() || !(f.thr_id == make_layout(128, 1)))
    return "other sizes";
  if (size(f.a) != (t.registers ? 64 : 128 * 64) * t.k() || size(f.b) != 128 * t.n * t.k()) return "other sizes of A or B";
  group_result const got{t, k, out};
  std::vector<std::int64_t> const indices = indices_a(t, f);
  for (std::int64_t i = 0; i < 128 * t.values_c(); ++i)
    if (std::string s = fault_at(t, indices, f.c(i), got, i % 128, i / 128); !s.empty()) return s;
  std::size_t const plain = jobs_of(t).size() - (t.metadata_seen() ? 128 * 8 + 1 : 0);
  return t.metadata_seen() ? metadata_fault(t, f, got, plain) : "";
}

inline void add(measurements& all, group_mma const& t) {
  kernel const k = kernel_of(t);
  std::string const swizzles = t.swizzled == 0 ? "" : " Sw<" + text_of(t.swizzled) + ",4,3>";
  all.push_back({name_of(t) + swizzles, k, [=] { return feed(t, k); }, [=](words const& out) { return fault(t, k, out); }});
}
inline void add_types(measurements& all, group_mma t) {
  auto const both = [&](element a, element b, element c) {
    t.a = a;
    t.b = b;
    t.c = c;
    t.registers = false;
    add(all, t);
    t.registers = true;
    add(all, t);
  };
  for (element const& c : {f16, f32}) {
    both(f16, f16, c);
    for (element const& a : {e4m3, e5m2})
      for (element const& b : {e4m3, e5m2}) both(a, b, c);
  }
  both(bf16, bf16, f32);
  both(tf32, tf32, f32);
  if (t.n % 16 != 0 && t.n > 24) return;
  for (bool saturate : {false, true}) {
    t.saturate = saturate;
    for (element const& a : {s8, u8})
      for (element const& b : {s8, u8}) both(a, b, s32);
  }
}
inline void add_groups(measurements& all) {
  for (int n = 8; n <= 256; n += 8) {
    group_mma t;
    t.n = n;
    add_types(all, t);
    t.sparse = true;
    if (n == 96 || n == 192 || (n & (n - 1)) == 0) add_types(all, t);
  }
  for (int n : {64, 128})
    for (element const& e : {f16, bf16})
      for (int across = 1; across < 4; ++across) {
        add(all, {n, e, e, f32, false, false, (across & 1) != 0, across > 1});
        if (across == 2) add(all, {n, e, e, f32, true, false, false, true});
      }
  for (element const& e : {f16, tf32, e4m3})
    for (int bits = 1; bits <= 3; ++bits)
      for (int n : {8, 256}) add(all, {n, e, e, f32, false, false, false, false, false, bits});
}

}  // namespace colex::gpu
