/* The GEMMs' entry point from C: Colex::gemm. SPDX-License-Identifier: Apache-2.0 */
#include "gpu/gemm/colex_gemm.h"
