// One run of a program that is talked to line by line, in both directions at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace colex {

// The program cannot be started at all, or does not speak the protocol from the first line.
struct no_program : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class process {
 public:
  using clock = std::chrono::steady_clock;
  enum class got { line, silence, end, too_long };

  virtual ~process() = default;
  // Goes on its way in the background: neither side can block the other.
  virtual void write(std::string_view text) = 0;
  // The next line without its end, taken off what has arrived.
  virtual got read_line(std::string& line, clock::time_point until) = 0;
  // Has it said, or does it say within that time, something more?
  virtual bool says_more(std::chrono::milliseconds within) = 0;
  virtual std::string_view rest() const = 0;
  // Ends its input and gives it the time to end as programs do, with what they have to write then.
  virtual void finish() = 0;
  // How it ended and what it said last on standard error; ends it when it has not.
  virtual std::string last_words() = 0;
};

// Starts the program. Throws no_program.
std::unique_ptr<process> start_process(std::vector<std::string> const& command);

}  // namespace colex
