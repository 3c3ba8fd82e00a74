// From the tensors of a call to the problem that kernels take: checks, coalesced layouts, swap-AB, copies, split-K. No CUDA
// call. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/coalesce.hpp"
#include "gpu/gemm/arguments.hpp"
#include "gpu/kernels/common/problem.hpp"

#include <initializer_list>

namespace colex::gpu {

inline gemm_status refused(gemm_error error, std::string reason) { return {error, std::move(reason), {}}; }

namespace entry {

struct operand_name {
  char const* name;
  device_tensor const* tensor;
};

inline int64 extent_of(device_tensor const& t, int i) {
  return i < rank(t.shape) ? product(t.shape, mode(t.shape.form, root(t.shape.form), i)) : 1;
}

inline char const* wrong_leaf(device_tensor const& t) {
  for (int k = 0; k < t.shape.form.count; ++k) {
    if (t.shape.keeps(k) || t.stride.keeps(k)) return "_ is no extent and no stride";
    if (t.shape.basis[k] != 0 || (t.stride.basis[k] != 0 && t.stride.value[k] != 0)) return "a stride is a basis element";
    if (t.shape.value[k] < 0) return "an extent is negative";
  }
  return nullptr;
}
inline gemm_status check(operand_name x) {
  std::string const who = x.name;
  device_tensor const& t = *x.tensor;
  int const modes = rank(t.shape);
  if (!congruent(t.shape, t.stride)) return refused(gemm_error::bad_layout, who + ": shape and stride are not congruent");
  if (modes != 2 && modes != 3)
    return refused(gemm_error::bad_layout, who + " is rank " + std::to_string(modes) + ", not 2 or 3");
  if (char const* wrong = wrong_leaf(t)) return refused(gemm_error::bad_layout, who + ": " + wrong);
  auto const bytes = static_cast<std::uintptr_t>(bits_of(t.type) < 8 ? 1 : bits_of(t.type) / 8);
  if (reinterpret_cast<std::uintptr_t>(t.data) % bytes != 0)
    return refused(gemm_error::misaligned, who + " is not at a multiple of its elements' " + std::to_string(bytes) + " bytes");
  return {};
}
inline gemm_status check_writable(device_tensor const& d) {
  for (int k = 0; k < d.shape.form.count; ++k)
    if (d.shape.value[k] > 1 && d.stride.value[k] == 0)
      return refused(gemm_error::bad_layout, "D: a mode of stride 0 has several elements at one address");
  return {};
}

// The same extent in mode i of x and in mode j of y.
inline gemm_status check_extent(char const* extent, operand_name x, int i, operand_name y, int j) {
  int64 const n = extent_of(*x.tensor, i), other = extent_of(*y.tensor, j);
  if (n == other) return {};
  return refused(gemm_error::extents_differ, std::string(extent) + " is " + std::to_string(n) + " in " + x.name + ", " +
                                                 std::to_string(other) + " in " + y.name);
}

constexpr bool may_be_c(element c) {
  return c == element::f64 || c == element::f32 || is_half(c) || is_fp8(c) || c == element::s8 || c == element::s32;
}

inline gemm_status check_types(device_tensor const& d, device_tensor const& a, device_tensor const& b, element c, bool scaled) {
  auto const text = [](element e) { return std::string(name_of(e)); };
  if (!multiplies(a.type, b.type, d.type, scaled))
    return refused(gemm_error::unsupported_type, "no kernel multiplies " + text(a.type) + " by " + text(b.type) + " into " +
                                                     text(d.type) + (scaled ? " with scale factors" : ""));
  if (!may_be_c(c)) return refused(gemm_error::unsupported_type, "C cannot be " + text(c));
  return {};
}

// Elements along K that share a scale factor of a type.
constexpr int64 block_of(element factor) { return factor == element::ue4m3 ? 16 : 32; }
inline gemm_status check_factors(operand_name f, operand_name x) {
  element const e = f.tensor->type;
  if (e != element::ue8m0 && e != element::ue4m3)
    return refused(gemm_error::unsupported_type, std::string(name_of(e)) + " cannot scale " + x.name);
  if (gemm_status s = check(f); !s) return s;
  if (gemm_status s = check_extent("the extent", f, 0, x, 0); !s) return s;
  if (gemm_status s = check_extent("the batch", f, 2, x, 2); !s) return s;
  int64 const blocks = ceil_div(extent_of(*x.tensor, 1), block_of(e));
  if (extent_of(*f.tensor, 1) == blocks) return {};
  return refused(gemm_error::extents_differ, std::string(f.name) + ": " + std::to_string(extent_of(*f.tensor, 1)) +
                                                 " in a row, not " + std::to_string(blocks));
}
inline gemm_status check_factors(device_tensor const& sfa, device_tensor const& sfb, operand_name a, operand_name b) {
  if (sfa.data == nullptr && sfb.data == nullptr) return {};
  if (sfa.data == nullptr || sfb.data == nullptr || sfa.type != sfb.type)
    return refused(gemm_error::unsupported_type, "both operands have scale factors, of one type, or neither has");
  if (gemm_status s = check_factors({"the factors of A", &sfa}, a); !s) return s;
  return check_factors({"the factors of B", &sfb}, b);
}

// Appends a mode's leaves, coalesced, to a matrix.
inline void append(matrix& to, int mode, layout const& a) {
  layout const l = coalesce(a);
  int end = mode == 0 ? 0 : to.end[mode - 1];
  for (int k = 0; k < l.form.count; ++k) {
    if (l.shape[k] == 1) continue;
    if (end == capacity) more_than_32_leaves();
    to.shape[end] = l.shape[k];
    to.stride[end++] = l.stride[k];
  }
  to.end[mode] = end;
}
inline matrix to_matrix(device_tensor const& t) {
  layout const all = make_layout(t.shape, t.stride);
  times(cosize(all), bits_of(t.type));  // it lies within 64 bits
  matrix r{.data = t.data, .type = t.type};
  append(r, 0, get(all, 0)), append(r, 1, get(all, 1));
  append(r, 2, rank(all) == 3 ? get(all, 2) : make_layout(1, 0));
  return r;
}
// Appends the leaves of a mode of `from` as mode `mode`, which comes next.
inline void append(matrix& to, int mode, matrix const& from, int from_mode) {
  int end = mode == 0 ? 0 : to.end[mode - 1];
  for (int k = from.begin(from_mode); k < from.end[from_mode]; ++k, ++end)
    to.shape[end] = from.shape[k], to.stride[end] = from.stride[k];
  to.end[mode] = end;
}
// The same elements, its modes in another order.
inline matrix permuted(matrix const& x, int first, int second, int third) {
  matrix r{.data = x.data, .type = x.type};
  append(r, 0, x, first), append(r, 1, x, second), append(r, 2, x, third);
  return r;
}
// Appends a mode of one stride, which comes next.
struct plain_mode {
  int64 extent, stride;
};
inline void append_plain(matrix& to, int mode, plain_mode x) {
  int end = mode == 0 ? 0 : to.end[mode - 1];
  if (x.extent != 1) to.shape[end] = x.extent, to.stride[end++] = x.stride;
  to.end[mode] = end;
}
inline matrix plain_matrix(void* data, element type, plain_mode m, plain_mode n, plain_mode batch) {
  matrix r{.data = data, .type = type};
  append_plain(r, 0, m), append_plain(r, 1, n), append_plain(r, 2, batch);
  return r;
}
inline layout mode_of(matrix const& x, int mode) {
  layout r;
  layout_writer w(r);
  w.open();
  for (int k = x.begin(mode); k < x.end[mode]; ++k) w.put(x.shape[k], x.stride[k]);
  if (x.begin(mode) == x.end[mode]) w.put(1, 0);
  w.close();
  return r;
}
inline matrix transposed(matrix const& x) { return permuted(x, 1, 0, 2); }
inline matrix batch_in_rows(matrix const& x) {
  matrix r{.data = x.data, .type = x.type};
  append(r, 0, make_layout(mode_of(x, 0), mode_of(x, 2)));
  append(r, 1, x, 1);
  r.end[2] = r.end[1];
  return r;
}
inline bool same_in_batches(matrix const& x) {
  for (int k = x.begin(2); k < x.end[2]; ++k)
    if (x.stride[k] != 0) return false;
  return true;
}

}  // namespace entry

// swap-AB: D^T = B^T A^T. Epilogues store best along n.
inline problem transposed(problem const& p) {
  problem r = p;
  r.m = p.n, r.n = p.m, r.a = p.b, r.b = p.a, r.sfa = p.sfb, r.sfb = p.sfa;
  r.c = entry::transposed(p.c), r.d = entry::transposed(p.d);
  return r;
}
// One batch of a problem.
inline problem batch_of(problem const& x, int64 batch) {
  problem p = x;
  p.batches = 1;
  for (matrix* m : {&p.a, &p.b, &p.c, &p.d}) {
    m->data = static_cast<char*>(m->data) + m->offset(2, batch) * (bits_of(m->type) / 8);
    m->end[2] = m->end[1];
  }
  return p;
}
// One GEMM with more rows instead of batches, where all batches share B and A's and D's rows have one stride across batches.
inline problem fewer_batches(problem const& p) {
  if (p.batches == 1 || p.sfa.data != nullptr || !entry::same_in_batches(p.b)) return p;
  problem r = p;
  r.a = entry::batch_in_rows(p.a), r.c = entry::batch_in_rows(p.c), r.d = entry::batch_in_rows(p.d);
  r.b.end[2] = r.b.end[1];
  r.m = times(p.m, p.batches), r.batches = 1;
  return r.a.plain(0) && r.d.plain(0) ? r : p;
}

namespace entry {

// C is D where beta is 0.
struct operand_names {
  operand_name d, a, b, c;
};
inline gemm_status check_operands(operand_names const& x, bool scaled) {
  for (operand_name y : {x.d, x.a, x.b, x.c})
    if (gemm_status s = check(y); !s) return s;
  if (gemm_status s = check_writable(*x.d.tensor); !s) return s;
  for (gemm_status const& s :
       {check_extent("M", x.d, 0, x.a, 0), check_extent("N", x.d, 1, x.b, 0), check_extent("K", x.a, 1, x.b, 1),
        check_extent("the batch", x.d, 2, x.a, 2), check_extent("the batch", x.d, 2, x.b, 2), check_extent("M", x.d, 0, x.c, 0),
        check_extent("N", x.d, 1, x.c, 1), check_extent("the batch", x.d, 2, x.c, 2)})
    if (!s) return s;
  return check_types(*x.d.tensor, *x.a.tensor, *x.b.tensor, x.c.tensor->type, scaled);
}
inline gemm_status check_data(std::initializer_list<operand_name> operands) {
  for (operand_name x : operands)
    if (x.tensor->data == nullptr) return refused(gemm_error::no_data, std::string(x.name) + " has no data");
  return {};
}

}  // namespace entry

// The problem of a call. If an extent of D is 0 there is nothing to do; if K or alpha is 0 there is no product, and A and B
// have no layouts.
struct normalized {
  gemm_status status = {};
  gpu::problem problem = {};
};
inline normalized normalize(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c,
                            double alpha, double beta, device_tensor const& sfa = {}, device_tensor const& sfb = {}) {
  using namespace entry;
  bool const scaled = sfa.data != nullptr || sfb.data != nullptr;
  operand_names const x{{"D", &d}, {"A", &a}, {"B", &b}, {beta == 0 ? "D" : "C", beta == 0 ? &d : &c}};
  if (gemm_status s = check_operands(x, scaled); !s) return {s};
  if (gemm_status s = check_factors(sfa, sfb, x.a, x.b); !s) return {s};
  problem p{extent_of(d, 0), extent_of(d, 1), extent_of(a, 1), extent_of(d, 2), {}, {}, {}, {}, alpha, beta};
  if (p.m == 0 || p.n == 0 || p.batches == 0) return {{}, p};
  if (bits_of(a.type) < 8 && p.k % 2 != 0) return {refused(gemm_error::bad_layout, "K of 4-bit elements is odd")};
  if (gemm_status s = check_data({x.d, x.c}); !s) return {s};
  p.c = to_matrix(*x.c.tensor), p.d = to_matrix(d);
  if (p.k == 0 || alpha == 0) return {{}, p};
  if (gemm_status s = check_data({x.a, x.b}); !s) return {s};
  p.a = to_matrix(a), p.b = to_matrix(b);
  if (scaled) p.sfa = to_matrix(sfa), p.sfb = to_matrix(sfb);
  return {{}, p};
}

// Is mode `run` contiguous and has each other mode one stride, so that the matrix is made of lines?
inline bool has_lines(matrix const& x, int run) {
  return x.plain(0) && x.plain(1) && x.plain(2) && (x.step(run) == 1 || x.begin(run) == x.end[run]);
}
// The stride between neighbours in a mode; infinite for a mode of one element.
inline int64 nearness(matrix const& x, int mode) {
  return x.begin(mode) == x.end[mode] ? INT64_MAX : magnitude(x.stride[x.begin(mode)]);
}

// The copy of an operand that a kernel cannot read in place: lines along mode `run`, `pitch` elements apart, a multiple of
// 16 bytes; one for all batches that share it. It has no data yet.
struct packed {
  matrix at = {};
  int run = 1;
  int64 extent = 1, pitch = 1, lines = 1, batches = 1, bytes = 0;
};
inline packed repacked(matrix const& x, int64 rows, int64 k, int64 batches, major along) {
  int64 const unit = 128 / bits_of(x.type), own = entry::same_in_batches(x) ? 1 : batches;
  bool const along_k = along == major::k;
  int64 const extent = along_k ? k : rows, lines = along_k ? rows : k, pitch = times(ceil_div(extent, unit), unit);
  int64 const size = times(pitch, lines);
  return {entry::plain_matrix(nullptr, x.type, {rows, along_k ? pitch : 1}, {k, along_k ? 1 : pitch}, {own, size}),
          along_k,
          extent,
          pitch,
          lines,
          own,
          bytes(x.type, times(size, own))};
}

// Can K be split so, each split being a batch?
inline bool can_split_k(problem const& p, int64 split_k) {
  bool const room = p.a.end[2] < capacity && p.b.end[2] < capacity;  // for a leaf more
  return p.batches == 1 && p.sfa.data == nullptr && p.k % split_k == 0 && p.a.plain(1) && p.b.plain(1) && room;
}
// An operand whose K of `k` is split: the splits are its batches.
inline matrix split_operand(matrix const& x, int64 k, int64 split_k) {
  matrix r{.data = x.data, .type = x.type};
  entry::append(r, 0, x, 0);
  entry::append_plain(r, 1, {k / split_k, x.step(1)});
  entry::append_plain(r, 2, {split_k, k / split_k * x.step(1)});
  return r;
}
// The stride of rows of split-K's sums, in elements: a multiple of 16 bytes.
inline int64 split_k_pitch(problem const& p, element sum) { return ceil_div(p.n, 128 / bits_of(sum)) * (128 / bits_of(sum)); }
inline int64 split_k_bytes(problem const& p, int64 split_k, element sum) {
  return bytes(sum, times(times(p.m, split_k_pitch(p, sum)), split_k));
}
// Their sums, split behind split; without data yet.
inline matrix split_k_sums(problem const& p, int64 split_k, element sum) {
  int64 const pitch = split_k_pitch(p, sum);
  return entry::plain_matrix(nullptr, sum, {p.m, pitch}, {p.n, 1}, {split_k, times(p.m, pitch)});
}
// The products of all splits as batches. D and C are their sums.
inline problem split_along_k(problem const& p, int64 split_k, element sum) {
  matrix const sums = split_k_sums(p, split_k, sum);
  return {p.m, p.n, p.k / split_k, split_k, split_operand(p.a, p.k, split_k), split_operand(p.b, p.k, split_k), sums, sums,
          1,   0};
}
// The whole product for a kernel that divides its stages into splits, and stores the sums of each.
inline problem with_stored_splits(problem const& p, int split_k, element sum) {
  problem r = p;
  r.c = r.d = split_k_sums(p, split_k, sum);
  r.alpha = 1, r.beta = 0, r.split_k = split_k, r.stores_splits = true;
  return r;
}

}  // namespace colex::gpu
