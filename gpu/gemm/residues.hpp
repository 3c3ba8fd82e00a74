// The kernels of emulated products beside the s8 products themselves (spec/emulation.md): how many moduli operands need,
// operands to residues, and D from the residues of its sums. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/problem.hpp"
#include "gpu/plans/residues.hpp"

namespace colex::gpu {

// How large the elements of a row are.
struct row_size {
  residues::row_sums sums;
  int exponent;
};

// Rows of A, or columns of B, one batch, of f64 or f32.
struct operand_rows {
  matrix from;
  int64 first, rows, k;
  row_size* sizes;  // of all rows of the operand
  int* needed;      // the moduli that they need, where these are more than the least
};
// The number of moduli, which the device finds.
struct moduli_choice {
  int least, most;
  double roundoff;  // every row shall be as exact as this unit roundoff; 0: it does not matter
  // On the device: the number, at most `least` meaning that, more than `most` that these do not suffice or that an element is
  // infinite or NaN; then the moduli.
  int* needed;

  COLEX_HD int count() const { return *needed < least ? least : *needed; }
  COLEX_HD bool suffices() const { return *needed <= most; }
};
// Writes the moduli, and as their number what operands that are kept need. Others need none, so far.
cudaError_t launch_begin(moduli_choice const& choice, int* of_a, bool a_is_kept, int* of_b, bool b_is_kept,
                         cudaStream_t stream);
// Measures the rows, and raises both numbers to what they need.
cudaError_t launch_measure(operand_rows const& x, moduli_choice const& choice, cudaStream_t stream);

// The rows as integers trunc(2^e x), e as large as the moduli allow that the operand itself needs, and these as residues by
// each modulus, where the choice suffices.
struct operand_residues {
  operand_rows rows;
  moduli_choice choice;
  std::int8_t* to;
  int64 pitch, plane;  // bytes from row to row, a multiple of 16, and from modulus to modulus
  int* scales;         // e of all rows of the operand
  bool all;            // by all moduli up to the most, not only as many as are needed
};
cudaError_t launch_to_residues(operand_residues const& x, cudaStream_t stream);

// D = alpha 2^(-e-f) C' + beta C, C' the sums that have such residues, where the choice suffices.
struct results_of_residues {
  moduli_choice choice;
  int planes, blocks_k;  // planes of moduli, for each block of K
  void const* sums;      // residues in pieces (kernels/common/residues.cuh), or rows of s32 sums
  bool pieces;
  int64 first_m, first_n, m, n;  // this block of D
  element operands;
  int const *scales_a, *scales_b;
  matrix c, d;  // one batch
  double alpha, beta;
  int* used;           // set to the number of moduli, 0 where it does not suffice; may be null
  bool pairs = false;  // set by the launch: pairs of neighbours in D's rows lie aligned
};
cudaError_t launch_to_results(results_of_residues x, cudaStream_t stream);

}  // namespace colex::gpu
