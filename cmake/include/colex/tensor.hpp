// What a kernel needs of <colex/algebra.hpp>, which takes a compiler longer: layouts, the operations on them, swizzles and
// tensors, without atoms and names. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/bank_conflicts.hpp"
#include "gpu/algebra/coalesce.hpp"
#include "gpu/algebra/complement.hpp"
#include "gpu/algebra/composition.hpp"
#include "gpu/algebra/coordinate.hpp"
#include "gpu/algebra/divide.hpp"
#include "gpu/algebra/edit.hpp"
#include "gpu/algebra/inverse.hpp"
#include "gpu/algebra/partition.hpp"
#include "gpu/algebra/product.hpp"
#include "gpu/algebra/recast.hpp"
#include "gpu/algebra/swizzle.hpp"
#include "gpu/algebra/swizzle_for.hpp"
#include "gpu/algebra/tensor.hpp"
#include "gpu/algebra/tiler.hpp"
