/* D = alpha A B + beta C on the GPU, for C and languages that call C. gpu/gemm/gemm.hpp documents each part. Thread-safe.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COLEX_GEMM_H
#define COLEX_GEMM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of what this header declares. A library of another number was built with other structs, enumerators or functions. */
#define COLEX_GEMM_VERSION 3
int colex_gemm_version(void);

typedef enum colex_element {
  COLEX_F64,
  COLEX_F32,
  COLEX_TF32,
  COLEX_F16,
  COLEX_BF16,
  COLEX_E4M3,
  COLEX_E5M2,
  COLEX_E2M1,
  COLEX_S8,
  COLEX_S32,
  COLEX_UE8M0,
  COLEX_UE4M3
} colex_element;

/* Elements in device memory: A is (M,K), B is (N,K), C and D are (M,N), each with a third mode where there are batches. */
typedef struct colex_tensor {
  void* data;
  colex_element type;
  int rank;              /* the number of modes */
  int const* leaves;     /* the number of extents of each mode; NULL: one each */
  int64_t const* shape;  /* all extents, mode by mode, the fastest of a mode first */
  int64_t const* stride; /* of each extent, counted in elements */
} colex_tensor;

typedef struct colex_gemm_options { /* all zero: the kernel expected to be fastest, no accuracy given up */
  char const* kernel;               /* the name of the one to run; NULL: any */
  int tf32;                         /* f32 operands may be rounded to tf32 */
  int fast_accumulation;            /* fp8: the tensor cores' accumulators, shorter than f32 */
  int two_level_accumulation;       /* f16, bf16, tf32: sums move to f32 registers every 128 bytes of K */
  colex_tensor const *sfa, *sfb;    /* scale factors of blocks along K */
  char const* tuned;                /* a file of measured kernels; NULL: what COLEX_TUNED names, if anything */
  int split_k;                      /* splits of K, where it can be split; 0: as many as are expected to be fastest */
  int emulation;                    /* 1: f64 and f32 by residues, where that is expected to be faster */
  int moduli;                       /* of emulation, 2 to 20; 0: as many as `bound` needs */
  double bound;                     /* the unit roundoff that emulated products are as exact as; 0: the type's */
  int reproducible;                 /* emulation everywhere: the same bits on every device */
  int* moduli_used;                 /* on the device; NULL, or becomes the number of moduli, 0: a native kernel ran */
} colex_gemm_options;

typedef enum colex_gemm_error {
  COLEX_GEMM_OK,
  COLEX_GEMM_BAD_LAYOUT,
  COLEX_GEMM_EXTENTS_DIFFER,
  COLEX_GEMM_UNSUPPORTED_TYPE,
  COLEX_GEMM_UNSUPPORTED_DEVICE,
  COLEX_GEMM_UNKNOWN_KERNEL,
  COLEX_GEMM_MISALIGNED,
  COLEX_GEMM_OUT_OF_MEMORY,
  COLEX_GEMM_CUDA,
  COLEX_GEMM_UNWRITABLE,
  COLEX_GEMM_NO_DATA,
  COLEX_GEMM_UNREACHABLE, /* where the environment variable COLEX_CHECK is set, as the next */
  COLEX_GEMM_OVERLAP,
  COLEX_GEMM_BAD_OPTION
} colex_gemm_error;

/* Enqueues the product on `stream`, a cudaStream_t or NULL. c may be NULL where beta is 0, options may be NULL. */
colex_gemm_error colex_gemm(colex_tensor const* d, colex_tensor const* a, colex_tensor const* b, colex_tensor const* c,
                            double alpha, double beta, colex_gemm_options const* options, void* stream);

/* Independent products, concurrently; c as above. If one is refused, the reason names it and none is enqueued. */
typedef struct colex_gemm_group {
  colex_tensor const *d, *a, *b, *c;
} colex_gemm_group;
colex_gemm_error colex_gemm_grouped(colex_gemm_group const* groups, int count, double alpha, double beta,
                                    colex_gemm_options const* options, void* stream);

/* A product that is planned once, on the current device, and run many times, by any thread: on other data of the same layouts,
   at addresses aligned as well as those planned with. NULL where the call is refused; to run NULL is refused, too. */
typedef struct colex_prepared_gemm colex_prepared_gemm;
colex_prepared_gemm* colex_gemm_prepare(colex_tensor const* d, colex_tensor const* a, colex_tensor const* b,
                                        colex_tensor const* c, double alpha, double beta, colex_gemm_options const* options);
colex_gemm_error colex_gemm_run(colex_prepared_gemm const* prepared, void* d, void const* a, void const* b, void const* c,
                                void* stream);
/* Enqueues the residues of A (operand 0) or B (1): runs with it at this address take them. Its elements may not change until it
   is prepared again. Takes device memory until the release; none may run meanwhile. Does nothing where it is not emulated. */
colex_gemm_error colex_gemm_prepare_operand(colex_prepared_gemm* prepared, int operand, void const* elements, void* stream);
void colex_gemm_release(colex_prepared_gemm* prepared);

/* Of the calling thread's last call: what was wrong, or why `tuned` was not used; and the kernel that ran. Empty if there is
   none; valid until the thread's next call. */
char const* colex_gemm_reason(void);
char const* colex_gemm_kernel(void);

#ifdef __cplusplus
}
#endif
#endif
