// Runs a target on files, and on all files in folders, without a fuzzing engine: what an engine found fails here, too.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace {

std::vector<std::filesystem::path> files_in(std::filesystem::path const& place) {
  if (!std::filesystem::is_directory(place)) return {place};
  std::vector<std::filesystem::path> files;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(place))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) try {
  std::size_t inputs = 0;
  for (int k = 1; k < argc; ++k)
    for (std::filesystem::path const& file : files_in(argv[k])) {
      std::ifstream in(file, std::ios::binary);
      std::vector<char> const bytes{std::istreambuf_iterator<char>(in), {}};
      if (!in) throw std::runtime_error("cannot read " + file.string());
      LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size());
      ++inputs;
    }
  fmt::print("{} passed, 0 failed\n", inputs);  // one that fails ends the program
  return inputs > 0 ? 0 : 2;
} catch (std::exception const& e) {
  fmt::print(stderr, "replay: {}\n", e.what());
  return 2;
}
