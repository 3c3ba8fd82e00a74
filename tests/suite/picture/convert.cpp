// See convert.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/picture/convert.hpp"

#include "tests/suite/judge/files.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace colex {
namespace {

// A folder that nobody else knows; what is in it goes with it.
struct private_folder {
  std::string at = (std::filesystem::temp_directory_path() / "colex.XXXXXX").string();

  private_folder() {
    if (!mkdtemp(at.data())) throw bad_file("cannot make a folder in " + std::filesystem::temp_directory_path().string());
  }
  private_folder(private_folder const&) = delete;
  private_folder& operator=(private_folder const&) = delete;
  ~private_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(at, ignored);
  }
};

// The exit status of a program with these arguments; -1 when there is no such program.
int exit_status_of(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

std::string converted(std::string const& svg, std::string const& format) {
  private_folder const folder;
  std::string const in = folder.at + "/in.svg", out = folder.at + "/out";
  write_file(in, svg);
  int const status =
      exit_status_of({"rsvg-convert", "--zoom", format == "png" ? "2" : "1", "--format", format, "--output", out, in});
  if (status == -1) throw bad_file("PNG and PDF need rsvg-convert (Debian: librsvg2-bin), which is not there");
  if (status != 0) throw bad_file("rsvg-convert could not write the picture as " + format);
  return read_file(out);
}

}  // namespace colex
