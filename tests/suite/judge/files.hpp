// Reading and writing whole files. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace colex {

// A file that cannot be read, or a line that is no case: one clear message.
struct bad_file : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws bad_file, also where there are more than so many bytes.
std::string read_file(std::string const& file, std::size_t most = std::string::npos);
// The whole text or nothing: written beside the file and renamed. Throws bad_file.
void write_file(std::string const& file, std::string const& text);
// Throws bad_file now when write_file could not work later.
void check_writable(std::string const& file);

}  // namespace colex
