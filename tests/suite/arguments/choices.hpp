// What arguments are drawn from: random numbers, a fuzzer's bytes and a shrinker all speak through the same choices, and a
// smaller choice is a simpler argument. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace colex {

// A sequence of choices: those given, then (with a seed) random ones, otherwise zeros. Remembers what was chosen.
class choices {
 public:
  explicit choices(std::vector<std::uint64_t> given) : made_(std::move(given)) {}
  explicit choices(std::mt19937_64& random) : random_(&random) { made_.reserve(32); }

  // One of 0 .. n-1, n > 0.
  std::uint64_t below(std::uint64_t n) {
    if (next_ == made_.size()) made_.push_back(random_ ? (*random_)() % n : 0);
    return made_[next_++] % n;
  }
  // How many have been used so far, and those from the first on.
  std::size_t used() const { return next_; }  // not run: only fuzz targets ask
  std::vector<std::uint64_t> made(std::size_t first = 0) const {
    return {made_.begin() + static_cast<std::ptrdiff_t>(first), made_.begin() + static_cast<std::ptrdiff_t>(next_)};
  }

 private:
  std::vector<std::uint64_t> made_;
  std::size_t next_ = 0;
  std::mt19937_64* random_ = nullptr;
};

}  // namespace colex
