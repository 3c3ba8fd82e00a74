// An MMA atom repeated over threads and values: which thread holds which element of A, B and C. Threads and elements only; what
// an instruction computes is the atom's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/partition.hpp"
#include "gpu/atoms/mma_atom.hpp"

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
  int const n = rank(permutation.form, all);
  if (!by_mode(permutation, all) || n > 3) not_over_m_n_k();
  auto const along = [&](int i) { return i < n ? get(permutation, i) : tiler(_); };
  return {atom, tiled_product(atom.thr_id, append(atoms, 3)), {along(0), along(1), along(2)}};
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
COLEX_HD constexpr branch mode(layout const& a, int i) { return gpu::mode(a.form, root(a.form), i); }
COLEX_HD constexpr branch mode(layout const& a, int i, int j) { return gpu::mode(a.form, mode(a, i), j); }

}  // namespace detail

// The extent of the whole tile in mode i of (M, N, K): of all atoms, or of the permutation if that is larger.
// (CuTe tile_size_mnk, tile_shape)
COLEX_HD constexpr int64 tile_size(tiled_mma const& t, int i) {
  int64 const atoms = times(t.atom.shape_mnk.value[i], size(t.thr_layout_vmnk, i + 1));
  branch const p = mode(t.permutation.form, root(t.permutation.form), i);
  int64 permuted = 1;
  for (int k = t.permutation.first[p.begin]; k < t.permutation.first[p.end]; ++k)
    permuted = times(permuted, t.permutation.pool.shape[k]);
  return permuted > atoms ? permuted : atoms;
}
COLEX_HD constexpr int_tuple tile_shape(tiled_mma const& t) { return {tile_size(t, 0), tile_size(t, 1), tile_size(t, 2)}; }

// A tensor of A over (M, K), B over (N, K) or C over (M, N) as ((ThrV, (ThrM, ThrN)), (FrgV, (RestM, RestN))): divided by the
// permutation, by the atom, its tiles composed with the atom's layout of threads and values, the rest divided by the atoms'
// threads. undefined: as the division and the composition. (CuTe thrfrg_A, thrfrg_B, thrfrg_C)
COLEX_HD constexpr layout thrfrg(tiled_mma const& t, operand x, layout const& tensor) {
  detail::mode_pair const at = detail::modes_of(x);
  int64 const* const of_atom = t.atom.shape_mnk.value;
  layout const permuted = logical_divide(tensor, tiler{get(t.permutation, at.first), get(t.permutation, at.second)});
  layout const atoms = zipped_divide(permuted, tiler{of_atom[at.first], of_atom[at.second]});
  tiler const threads{size(t.thr_layout_vmnk, at.first + 1), size(t.thr_layout_vmnk, at.second + 1)};
  return zip(composition(get(atoms, 0), detail::layout_tv(t.atom, x)), zipped_divide(get(atoms, 1), threads));
}

namespace detail {

// (V, M, N, K) to the modes of thrfrg's thread: an operand's fragments are the same along the mode it lacks.
COLEX_HD constexpr layout over_vmnk(tiled_mma const& t, mode_pair at, layout const& frg) {
  layout const threads = get(frg, 0), across = get(threads, 1);
  auto const along = [&](int k) {
    return k == at.first ? get(across, 0) : k == at.second ? get(across, 1) : layout_of(size(t.thr_layout_vmnk, k + 1), 0);
  };
  return make_layout(get(threads, 0), along(0), along(1), along(2));
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
  return make_layout(composition(detail::over_vmnk(t, at, frg), detail::thread_index(t.thr_layout_vmnk)), get(frg, 1));
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
