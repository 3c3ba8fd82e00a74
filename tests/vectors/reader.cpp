// An example: judges a `size` of its own by the header that `colex export --cpp` writes, as vectors.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "vectors.hpp"

#include <cstdio>
#include <string>

// Of the layout behind a swizzle and its offset; nothing beyond 64 bits.
std::string size(std::string layout) {
  layout = layout.substr(layout.find_last_of('o') + 1);
  unsigned long long n = 1;
  for (std::size_t k = 0; layout[k] != ':';)
    if (layout[k] >= '0' && layout[k] <= '9') {
      std::size_t digits = 0;
      if (__builtin_mul_overflow(n, std::stoull(layout.substr(k), &digits), &n)) return "";
      k += digits;
    } else {
      ++k;
    }
  return std::to_string(n);
}

int main() {
  int asked = 0, wrong = 0;
  for (colex_vector const& v : colex_vectors) {
    std::string const answer = v.answer;
    if (std::string(v.operation) != "size" || std::string(v.flag) != "defined" || answer.size() > 18) continue;
    ++asked;
    if (size(v.arguments) != answer) std::printf("size %s is %s; known: %s\n", v.arguments, v.answer, v.defect), ++wrong;
  }
  std::printf("%d asked, %d wrong\n", asked, wrong);
  return wrong > 0 || asked == 0;
}
