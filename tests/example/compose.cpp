// A program of a stranger's that composes two layouts while it is compiled. SPDX-License-Identifier: Apache-2.0
#include <colex/algebra.hpp>

using namespace colex::gpu;

constexpr layout A = make_layout({6, 2}, {8, 2}), B = make_layout({4, 3}, {3, 1}), AB = composition(A, B);
static_assert(AB == make_layout({{2, 2}, 3}, {{24, 2}, 8}));

int main() {
  for (int i = 0; i < size(B); ++i)
    if (apply(AB, i) != apply(A, apply(B, i))) return 1;
}
