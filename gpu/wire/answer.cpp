// The optimized algebra as a program: one request a line in, one answer a line out, in order, until the input ends.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/wire/answer.hpp"

#include "spec/operations.hpp"

#include <unistd.h>

#include <utility>

namespace {

// A request as it should be, of something that bears no such name, has no answer.
std::string refusal(std::string_view line, std::string const& why) {
  try {
    colex::checked_place(colex::parse_request(line));
    return "undefined " + why;
  } catch (colex::malformed const&) {
    return "unsupported malformed: " + why;
  }
}

std::string answer_line(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  try {
    return print(colex::gpu::respond(colex::parse_request(line)));
  } catch (colex::malformed const& e) {
    return refusal(line, e.what());
  }
}

bool write_all(std::string_view text) {
  while (!text.empty()) {
    ssize_t const n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

// What a read brings is answered before the next one, a page at a time: a caller that waits gets its answer at once, one that
// asks much reads while this answers.
int main() {
  constexpr std::size_t page = 4096;
  std::string line, out;
  for (char block[1 << 16];;) {
    ssize_t const n = ::read(STDIN_FILENO, block, sizeof block);
    if (n <= 0) break;
    for (std::string_view rest(block, static_cast<std::size_t>(n)); !rest.empty();) {
      std::size_t const end = rest.find('\n');
      // One character too many is enough to be refused as too long.
      if (line.size() <= colex::max_line) line.append(rest.substr(0, end));
      if (end == std::string_view::npos) break;
      out += answer_line(line) + '\n';
      line.clear();
      rest.remove_prefix(end + 1);
      if (out.size() >= page && !write_all(std::exchange(out, {}))) return 3;
    }
    if (!write_all(std::exchange(out, {}))) return 3;
  }
  return line.empty() || write_all(answer_line(line) + '\n') ? 0 : 3;
}
