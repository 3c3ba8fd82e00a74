// Reading and writing whole files. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <stdexcept>
#include <string>

namespace colex {

// A file that cannot be read, or a line that is no case: one clear message.
struct bad_file : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Of a file that is read, in bytes.
inline constexpr std::size_t most_bytes = std::size_t{256} << 20;

// Without a byte order mark. Throws bad_file, also where there are more than most_bytes.
std::string read_file(std::string const& file);
// The next line of a stream, without its end; false behind the last. Throws bad_file where it is longer than a line may be.
bool read_line(std::istream& in, std::string& line, std::size_t number);
// The whole text or nothing: written beside the file and renamed. Throws bad_file.
void write_file(std::string const& file, std::string const& text);
// Throws bad_file now when write_file could not work later.
void check_writable(std::string const& file);

}  // namespace colex
