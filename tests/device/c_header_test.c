/* The C header is C, and what it declares answers. SPDX-License-Identifier: Apache-2.0 */
#include "gpu/gemm/colex_gemm.h"

#include <stdio.h>
#include <string.h>

static int failed;
static void expect(colex_gemm_error got, colex_gemm_error wanted, char const* reason) {
  if (got == wanted && strcmp(colex_gemm_reason(), reason) == 0) return;
  printf("FAIL %d, %s; wanted %d, %s\n", got, colex_gemm_reason(), wanted, reason);
  failed = 1;
}

int main(void) {
  float memory[64];
  int64_t const square[] = {4, 4}, columns[] = {1, 4}, deep[] = {4, 5}, nested[] = {2, 2, 4}, steps[] = {1, 2, 4};
  int64_t const nothing[] = {0, 4};
  int const leaves[] = {2, 1};
  colex_tensor const a = {memory, COLEX_F32, 2, NULL, square, columns}, b = {memory, COLEX_F32, 2, NULL, deep, columns};
  colex_tensor const d = {memory, COLEX_F32, 2, leaves, nested, steps}, vector = {memory, COLEX_F32, 1, NULL, square, columns};
  colex_tensor const empty = {NULL, COLEX_F32, 2, NULL, nothing, columns};
  colex_gemm_options options = {0};
  options.kernel = "none_such";
  expect(colex_gemm(&d, &a, &b, NULL, 1, 0, NULL, NULL), COLEX_GEMM_EXTENTS_DIFFER, "K is 4 in A, 5 in B");
  expect(colex_gemm(&d, &vector, &b, NULL, 1, 0, NULL, NULL), COLEX_GEMM_BAD_LAYOUT, "A is rank 1, not 2 or 3");
  expect(colex_gemm(&d, &a, &a, NULL, 1, 1, NULL, NULL), COLEX_GEMM_BAD_LAYOUT, "C is rank 0, not 2 or 3");
  expect(colex_gemm(&d, &a, &a, NULL, 1, 0, &options, NULL), COLEX_GEMM_UNKNOWN_KERNEL, "no kernel is named none_such");
  expect(colex_gemm(&empty, &empty, &a, NULL, 1, 0, NULL, NULL), COLEX_GEMM_OK, "");
  colex_gemm_group const groups[] = {{&empty, &empty, &a, NULL}, {&d, &a, &b, NULL}};
  expect(colex_gemm_grouped(groups, 2, 1, 0, NULL, NULL), COLEX_GEMM_EXTENTS_DIFFER, "group 1: K is 4 in A, 5 in B");
  expect(colex_gemm_grouped(groups, 1, 1, 0, NULL, NULL), COLEX_GEMM_OK, "");
  if (colex_gemm_prepare(&d, &a, &b, NULL, 1, 0, NULL) != NULL) puts("FAIL prepared what is refused"), failed = 1;
  expect(COLEX_GEMM_EXTENTS_DIFFER, COLEX_GEMM_EXTENTS_DIFFER, "K is 4 in A, 5 in B");
  colex_prepared_gemm* const prepared = colex_gemm_prepare(&empty, &empty, &a, NULL, 1, 0, NULL);
  if (prepared == NULL) puts("FAIL nothing prepared"), failed = 1;
  expect(colex_gemm_run(prepared, NULL, NULL, memory, NULL, NULL), COLEX_GEMM_OK, "");
  expect(colex_gemm_run(prepared, NULL, NULL, NULL, NULL, NULL), COLEX_GEMM_NO_DATA, "B has no data");
  expect(colex_gemm_prepare_operand(prepared, 1, memory, NULL), COLEX_GEMM_OK, "");
  expect(colex_gemm_prepare_operand(prepared, 2, memory, NULL), COLEX_GEMM_BAD_OPTION, "the operand is 0, A, or 1, B, not 2");
  expect(colex_gemm_prepare_operand(NULL, 0, memory, NULL), COLEX_GEMM_NO_DATA, "there is no prepared product");
  colex_gemm_release(prepared);
  expect(colex_gemm_run(NULL, memory, memory, memory, NULL, NULL), COLEX_GEMM_NO_DATA, "there is no prepared product");
  colex_gemm_release(NULL);
  expect(colex_gemm_grouped(NULL, 2, 1, 0, NULL, NULL), COLEX_GEMM_NO_DATA, "there are no groups");
  colex_tensor const bare = {memory, COLEX_F32, 2, NULL, NULL, columns};
  expect(colex_gemm(&d, &bare, &a, NULL, 1, 0, NULL, NULL), COLEX_GEMM_BAD_LAYOUT, "a tensor has no shape or no strides");
  if (colex_gemm_version() != COLEX_GEMM_VERSION) puts("FAIL colex_gemm_version"), failed = 1;
  return failed;
}
