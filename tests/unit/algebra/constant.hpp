// What holds of constants is asked of the compiler. Where mutants are planted (plant.py) tables are no constants, and a
// constant has no mutants: there it is asked when the test runs. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#ifdef COLEX_PLANTED
#define COLEX_CONSTANT const
#define COLEX_HOLDS_AT(line, ...) \
  TEST(constants, hold_at_##line) { EXPECT_TRUE((__VA_ARGS__)); }
#define COLEX_HOLDS_ON(line, ...) COLEX_HOLDS_AT(line, __VA_ARGS__)
#define COLEX_HOLDS(...) COLEX_HOLDS_ON(__LINE__, __VA_ARGS__)
#else
#define COLEX_CONSTANT constexpr
#define COLEX_HOLDS(...) static_assert((__VA_ARGS__))
#endif
