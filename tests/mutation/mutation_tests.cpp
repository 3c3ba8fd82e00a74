// Tests in which mutants are planted (mutation.hpp): an item is one of them. SPDX-License-Identifier: Apache-2.0
#include "tests/mutation/mutation.hpp"

#include <gtest/gtest.h>

using namespace colex;

namespace {

bool passes(std::string const& name) {
  testing::GTEST_FLAG(filter) = name;
  return RUN_ALL_TESTS() == 0;
}
planted::checks all_tests() {
  planted::checks all;
  testing::UnitTest const& every = *testing::UnitTest::GetInstance();
  for (int i = 0; i < every.total_test_suite_count(); ++i) {
    testing::TestSuite const& suite = *every.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      std::string const name = fmt::format("{}.{}", suite.name(), suite.GetTestInfo(k)->name());
      all[name] = [name] { return passes(name); };
    }
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  if (planted::chosen < 0) return planted::record(all_tests());
  return planted::ask([](std::string const& name) { return [name] { return passes(name); }; });
}
