// An MMA atom repeated over threads and values: which thread holds which element of A, B and C. Threads and elements only; what
// an instruction computes is the atom's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/mma_atom.hpp"
#include "gpu/partition.hpp"

namespace colex::gpu {

enum class operand { a, b, c };

// thr_layout_vmnk: (thread of the atom, atom along M, along N, along K) to a thread; permutation: by mode of (M, N, K), what
// each mode is divided by before atoms are laid over it. (CuTe TiledMMA)
struct tiled_mma {
  mma_atom atom;
  layout thr_layout_vmnk;
  tiler permutation;

  constexpr bool operator==(tiled_mma const&) const = default;
};

// Atoms over (M, N, K) as the layout `atoms` says; modes it or the permutation lacks are 1 and `_`. undefined: more than three
// modes, or the product of the atom's threads and `atoms` is. (CuTe make_tiled_mma)
COLEX_HD constexpr tiled_mma make_tiled_mma(mma_atom const& atom, layout const& atoms,
                                            tiler const& permutation = tiler{_, _, _}) {
  branch const all = root(permutation.form);
  if (!by_mode(permutation, all) || rank(permutation.form, all) > 3 || rank(atoms) > 3) not_over_m_n_k();
  tiled_mma r{atom, tiled_product(atom.thr_id, append(atoms, 3)), {}};
  tiler_writer w(r.permutation);
  w.open();
  for (int i = 0; i < 3; ++i) {
    if (i < rank(permutation.form, all))
      w.copy(permutation, mode(permutation.form, all, i));
    else
      w.put(_);
  }
  w.close();
  return r;
}

namespace detail {

// The two modes of (M, N, K) that an operand has.
struct mode_pair {
  int first, second;
};
COLEX_HD constexpr mode_pair modes_of(operand x) {
  return x == operand::a ? mode_pair{0, 2} : x == operand::b ? mode_pair{1, 2} : mode_pair{0, 1};
}
COLEX_HD constexpr layout const& layout_tv(mma_atom const& m, operand x) {
  return x == operand::a ? m.a : x == operand::b ? m.b : m.c;
}
COLEX_HD constexpr branch mode(tiler const& t, int i) { return gpu::mode(t.form, root(t.form), i); }
COLEX_HD constexpr branch mode(layout const& a, int i) { return gpu::mode(a.form, root(a.form), i); }
COLEX_HD constexpr branch mode(layout const& a, int i, int j) { return gpu::mode(a.form, mode(a, i), j); }

}  // namespace detail

// The extent of the whole tile in mode i of (M, N, K): of all atoms, or of the permutation if that is larger.
// (CuTe tile_size_mnk, tile_shape)
COLEX_HD constexpr int64 tile_size(tiled_mma const& t, int i) {
  int64 const atoms = times(t.atom.shape_mnk.value[i], size(t.thr_layout_vmnk, i + 1));
  branch const p = detail::mode(t.permutation, i);
  int64 permuted = 1;
  for (int k = t.permutation.first[p.begin]; k < t.permutation.first[p.end]; ++k)
    permuted = times(permuted, t.permutation.pool.shape[k]);
  return permuted > atoms ? permuted : atoms;
}
COLEX_HD constexpr int_tuple tile_shape(tiled_mma const& t) { return {tile_size(t, 0), tile_size(t, 1), tile_size(t, 2)}; }

namespace detail {

// The first two modes divided by the permutation's.
COLEX_HD constexpr layout permuted(tiled_mma const& t, mode_pair at, layout const& a) {
  layout r;
  layout_writer w(r);
  w.open();
  for (int i = 0; i < 2; ++i)
    mode_by_mode(w, a, mode(a, i), t.permutation, mode(t.permutation, i == 0 ? at.first : at.second), true,
                 [](layout_writer& to, layout const& l, branch lt, tiler const& s, branch st) {
                   by_item(to, l, lt, s, st, logical_divide);
                 });
  w.splice(a, root(a.form), 2);
  w.close();
  return r;
}
// A tuple of two modes and more in tiles of m and n: ((m, n), (rest of each, ...)).
COLEX_HD constexpr layout in_tiles(layout const& a, branch at, int64 m, int64 n) {
  layout const tile_m = make_layout_left(m), tile_n = make_layout_left(n);
  layout along_m, along_n, r;
  layout_writer to_m(along_m), to_n(along_n), w(r);
  logical_divide(to_m, a, gpu::mode(a.form, at, 0), tile_m, root(tile_m.form));
  logical_divide(to_n, a, gpu::mode(a.form, at, 1), tile_n, root(tile_n.form));
  w.open();
  for (int half = 0; half < 2; ++half) {
    w.open();
    w.copy(along_m, mode(along_m, half));
    w.copy(along_n, mode(along_n, half));
    if (half == 1) w.splice(a, at, 2);
    w.close();
  }
  w.close();
  return r;
}

}  // namespace detail

// A tensor of A over (M, K), B over (N, K) or C over (M, N) as ((ThrV, (ThrM, ThrN)), (FrgV, (RestM, RestN))): divided by the
// permutation, by the atom, its tiles composed with the atom's layout of threads and values, the rest divided by the atoms'
// threads. undefined: as the division and the composition. (CuTe thrfrg_A, thrfrg_B, thrfrg_C)
COLEX_HD constexpr layout thrfrg(tiled_mma const& t, operand x, layout const& tensor) {
  detail::mode_pair const at = detail::modes_of(x);
  layout const& of_atom = detail::layout_tv(t.atom, x);
  layout const whole = detail::permuted(t, at, tensor);
  layout const atoms =
      detail::in_tiles(whole, root(whole.form), t.atom.shape_mnk.value[at.first], t.atom.shape_mnk.value[at.second]);
  layout const rest = detail::in_tiles(atoms, detail::mode(atoms, 1), size(t.thr_layout_vmnk, at.first + 1),
                                       size(t.thr_layout_vmnk, at.second + 1));
  layout tv, r;
  layout_writer to_tv(tv), w(r);
  detail::composition(to_tv, atoms, detail::mode(atoms, 0), of_atom, root(of_atom.form));
  w.open();
  for (int half = 0; half < 2; ++half) {
    w.open();
    w.copy(tv, detail::mode(tv, half));
    w.copy(rest, detail::mode(rest, half));
    w.close();
  }
  w.close();
  return r;
}

namespace detail {

// (V, M, N, K) to the modes of thrfrg's thread: an operand's fragments are the same along the mode it lacks.
COLEX_HD constexpr layout over_vmnk(tiled_mma const& t, mode_pair at, layout const& frg) {
  branch const across = mode(frg, 0, 1);
  layout r;
  layout_writer w(r);
  w.open();
  w.copy(frg, mode(frg, 0, 0));
  for (int k = 0; k < 3; ++k) {
    if (k == at.first)
      w.copy(frg, gpu::mode(frg.form, across, 0));
    else if (k == at.second)
      w.copy(frg, gpu::mode(frg.form, across, 1));
    else
      w.put(size(t.thr_layout_vmnk, k + 1), 0);
  }
  w.close();
  return r;
}
// A thread number to its index in thr_layout_vmnk, numbers that no thread has to the thread before them.
COLEX_HD constexpr layout thread_index(layout const& threads) {
  layout const gaps = complement(threads), place = right_inverse(make_layout(threads, gaps));
  if (size(place) < cosize(threads)) thread_numbers_have_gaps();
  return composition(make_layout(layout_of(size(threads), 1), layout_of(size(gaps), 0)), place);
}

}  // namespace detail

// (thread, value) to the index in the tile of the operand. undefined: as thrfrg, or the gaps between thread numbers are not
// regular. (CuTe get_layoutA_TV, get_layoutB_TV, get_layoutC_TV)
COLEX_HD constexpr layout layout_tv(tiled_mma const& t, operand x) {
  detail::mode_pair const at = detail::modes_of(x);
  layout const frg = thrfrg(t, x, make_layout_left({tile_size(t, at.first), tile_size(t, at.second)}));
  layout const all = detail::over_vmnk(t, at, frg), index = detail::thread_index(t.thr_layout_vmnk);
  layout r;
  layout_writer w(r);
  w.open();
  detail::composition(w, all, root(all.form), index, root(index.form));
  w.copy(frg, detail::mode(frg, 1));
  w.close();
  return r;
}

// What thread i holds of a tensor: (FrgV, RestM, RestN). undefined: as thrfrg, or there is no such thread; unspecified: i < 0.
// (CuTe partition_A, partition_B, partition_C)
COLEX_HD constexpr composed partition(tiled_mma const& t, operand x, composed const& tensor, int64 i) {
  if (i < 0) negative_coordinate();
  if (i >= cosize(t.thr_layout_vmnk)) no_such_thread();
  detail::mode_pair const at = detail::modes_of(x);
  layout const frg = thrfrg(t, x, tensor.inner);
  int_tuple const vmnk = get_flat_coord(t.thr_layout_vmnk, i);
  branch const across = detail::mode(frg, 0, 1);
  point sum;
  evaluate(frg, detail::mode(frg, 0, 0), vmnk.value[0], sum);
  evaluate(frg, mode(frg.form, across, 0), vmnk.value[at.first + 1], sum);
  evaluate(frg, mode(frg.form, across, 1), vmnk.value[at.second + 1], sum);
  layout r;
  layout_writer w(r);
  w.open();
  w.copy(frg, detail::mode(frg, 1, 0));
  w.splice(frg, detail::mode(frg, 1, 1));
  w.close();
  return detail::shifted(tensor, r, sum);
}

// The shape of every thread's share of a tensor of that shape, and a compact layout for it in registers.
// (CuTe partition_shape_A, partition_fragment_A, ...)
COLEX_HD constexpr int_tuple partition_shape(tiled_mma const& t, operand x, int_tuple const& s) {
  return shape(partition(t, x, view(0, make_layout_left(s)), 0).inner);
}
COLEX_HD constexpr layout partition_fragment(tiled_mma const& t, operand x, int_tuple const& s) {
  return make_layout_left(partition_shape(t, x, s));
}

// One thread of a tiled MMA, which must outlive it. (CuTe ThrMMA)
struct thr_mma {
  tiled_mma const& tiling;
  int64 thread;

  COLEX_HD constexpr composed partition_A(composed const& a) const { return partition(tiling, operand::a, a, thread); }
  COLEX_HD constexpr composed partition_B(composed const& b) const { return partition(tiling, operand::b, b, thread); }
  COLEX_HD constexpr composed partition_C(composed const& c) const { return partition(tiling, operand::c, c, thread); }
};
COLEX_HD constexpr thr_mma get_slice(tiled_mma const& t, int64 thread) { return {t, thread}; }
thr_mma get_slice(tiled_mma const&&, int64) = delete;

// CuTe's names.
COLEX_HD constexpr layout thrfrg_A(tiled_mma const& t, layout const& a) { return thrfrg(t, operand::a, a); }
COLEX_HD constexpr layout thrfrg_B(tiled_mma const& t, layout const& b) { return thrfrg(t, operand::b, b); }
COLEX_HD constexpr layout thrfrg_C(tiled_mma const& t, layout const& c) { return thrfrg(t, operand::c, c); }
COLEX_HD constexpr layout get_layoutA_TV(tiled_mma const& t) { return layout_tv(t, operand::a); }
COLEX_HD constexpr layout get_layoutB_TV(tiled_mma const& t) { return layout_tv(t, operand::b); }
COLEX_HD constexpr layout get_layoutC_TV(tiled_mma const& t) { return layout_tv(t, operand::c); }

}  // namespace colex::gpu
