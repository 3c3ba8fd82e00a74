// The GEMMs' entry point from C++: Colex::gemm. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/gemm.hpp"
