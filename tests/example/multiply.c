/* A program of a stranger's that multiplies from C; without a GPU, as far as the answer that extents differ.
   SPDX-License-Identifier: Apache-2.0 */
#include <colex/colex_gemm.h>

#include <stdio.h>

int main(void) {
  float memory[64];
  int64_t const mk[] = {4, 4}, nk[] = {4, 5}, columns[] = {1, 4};
  colex_tensor const a = {memory, COLEX_F32, 2, NULL, mk, columns}, b = {memory, COLEX_F32, 2, NULL, nk, columns};
  colex_gemm_error const e = colex_gemm(&a, &a, &b, NULL, 1, 0, NULL, NULL);
  puts(colex_gemm_reason());
  return !(e == COLEX_GEMM_EXTENTS_DIFFER && colex_gemm_version() == COLEX_GEMM_VERSION);
}
