// Whole files, read and written: see files.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/files.hpp"

#include "spec/notation/lines.hpp"
#include "tests/suite/peer/printable.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace colex {

namespace {

[[noreturn]] void cannot_write(std::string const& file, int why) {
  throw bad_file(fmt::format("cannot write {}: {}", printable(file, 1000), std::strerror(why)));
}

std::FILE* opened(std::string const& name, char const* mode, std::string const& file) {
  std::FILE* const out = std::fopen(name.c_str(), mode);
  if (!out) cannot_write(file, errno);
  return out;
}

void write_all(std::FILE* out, std::string const& text, std::string const& file) {
  int const why = std::fwrite(text.data(), 1, text.size(), out) == text.size() ? 0 : errno;
  if (std::fclose(out) != 0 || why != 0) cannot_write(file, why != 0 ? why : errno);
}

// Hard to guess. (std::random_device asks a newer glibc than all else here.)
unsigned some_number() {
  unsigned n = 0;
  if (getentropy(&n, sizeof n) != 0) throw bad_file(fmt::format("no random number: {}", std::strerror(errno)));
  return n;
}

// A device or a pipe is written to, not replaced.
bool replaceable(std::string const& file) {
  std::error_code unknown;  // where nothing can be looked up nothing can be written, and that says why
  return !std::filesystem::exists(file, unknown) || std::filesystem::is_regular_file(file, unknown);
}

}  // namespace

std::string read_file(std::string const& file) {
  std::ifstream in(file, std::ios::binary);
  std::error_code unknown;
  if (!in || std::filesystem::is_directory(file, unknown)) throw bad_file("cannot read " + printable(file, 1000));
  std::string text;
  std::array<char, std::size_t{1} << 16> part;
  while (text.size() <= most_bytes && (in.read(part.data(), part.size()), in.gcount() > 0))
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  if (in.bad()) throw bad_file("cannot read " + printable(file, 1000));
  if (text.size() > most_bytes)
    throw bad_file(fmt::format("{} is larger than {} MiB", printable(file, 1000), most_bytes >> 20));
  if (constexpr std::string_view mark = "\xef\xbb\xbf"; text.starts_with(mark))
    text.erase(0, mark.size());  // as Windows writes
  return text;
}

bool read_line(std::istream& in, std::string& line, std::size_t number) {
  line.clear();
  for (int c; (c = in.get()) != EOF && c != '\n';) {
    line += static_cast<char>(c);
    if (line.size() > max_line) throw bad_file(fmt::format("line {}: longer than {} characters", number, max_line));
  }
  return in || !line.empty();
}

void write_file(std::string const& file, std::string const& text) {
  if (!replaceable(file)) return write_all(opened(file, "wb", file), text, file);
  // A name that nobody knows before, and (x) no file that is there: it might be a link to another.
  std::string const beside = fmt::format("{}.{:08x}.part", file, some_number());
  std::FILE* const out = opened(beside, "wbx", file);
  try {
    write_all(out, text, file);
    if (std::rename(beside.c_str(), file.c_str()) != 0) cannot_write(file, errno);
  } catch (bad_file const&) {
    std::remove(beside.c_str());
    throw;
  }
}

void check_writable(std::string const& file) {
  std::filesystem::path const folder = std::filesystem::path(file).parent_path();
  std::error_code unknown;
  std::filesystem::file_status const there = std::filesystem::status(file, unknown);
  if (there.type() == std::filesystem::file_type::none) cannot_write(file, unknown.value());
  if (std::filesystem::is_directory(there)) cannot_write(file, EISDIR);
  if (replaceable(file) ? access(folder.empty() ? "." : folder.c_str(), W_OK) : access(file.c_str(), W_OK))
    cannot_write(file, errno);
}

}  // namespace colex
