// What static layouts cost a compiler: writes 300 compositions as static_asserts, has them compiled, and prints seconds and
// memory. Fails when processor time or memory exceed the limits given. The expected values come from the same algebra at run time.
//   compile 1.0 200 .cpp g++ -std=c++20 -I.        seconds, megabytes (0: no limit), suffix of the file, compiler command
//   compile 3.0 0 .cu nvcc -std=c++20 -arch=sm_90 -I.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/composition.hpp"
#include "gpu/edit.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace colex::gpu;

// A shape with nesting up to 3 deep.
void draw_shape(tuple_writer& w, std::mt19937_64& random, int depth) {
  if (depth == 3 || random() % 3 == 0) return w.put(1 + static_cast<int64>(random() % 8));
  w.open();
  for (std::uint64_t n = 1 + random() % (depth == 0 ? 3 : 2); n > 0; --n) draw_shape(w, random, depth + 1);
  w.close();
}
layout draw(std::mt19937_64& random) {
  int_tuple s;
  tuple_writer w(s);
  draw_shape(w, random, 0);
  return random() % 2 ? make_layout_left(s) : make_layout_right(s);
}

// A tuple as C++ braces, an integer as itself.
template <class Leaf>
std::string braces(profile const& p, Leaf leaf) {
  std::string t;
  for (int k = 0; k < p.count; ++k) {
    t += (k ? "," : "") + std::string(p.open[k], '{') + std::to_string(leaf(k)) + std::string(p.close[k], '}');
  }
  return (p.open[0] > 0 ? "int_tuple" : "") + t;
}
std::string text(layout const& a) {
  return "make_layout(" + braces(a.form, [&](int k) { return a.shape[k]; }) + ", " +
         braces(a.form, [&](int k) { return a.stride[k]; }) + ")";
}

void write_assertions(std::filesystem::path const& file, int count) {
  std::ofstream out(file);
  out << "#include \"gpu/algebra.hpp\"\nusing namespace colex::gpu;\n";
  std::mt19937_64 random(1);
  while (count > 0) {
    layout const a = draw(random), b = draw(random);
    try {
      layout const r = composition(a, b);
      out << "static_assert(composition(" << text(a) << ", " << text(b) << ") == " << text(r) << ");\n";
      --count;
    } catch (error const&) {  // drawn again
    }
  }
}

// The exit status of a command.
int run(std::vector<std::string> const& words) {
  std::vector<char*> argv;
  for (std::string const& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ) != 0) return 127;
  int status = 0;
  if (waitpid(child, &status, 0) != child) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

double in_seconds(timeval const& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs("usage: compile SECONDS MEGABYTES SUFFIX COMPILER [ARGUMENT...]\n", stderr);
    return 2;
  }
  double const most_seconds = std::atof(argv[1]), most_megabytes = std::atof(argv[2]);
  std::filesystem::path const folder =
      std::filesystem::temp_directory_path() / ("colex-compile-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::filesystem::path const file = folder / (std::string("compositions") + argv[3]);
  write_assertions(file, 300);
  std::vector<std::string> words(argv + 4, argv + argc);
  words.insert(words.end(), {"-c", file.string(), "-o", (folder / "compositions.o").string()});
  auto const start = std::chrono::steady_clock::now();
  int const status = run(words);
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - start;
  std::filesystem::remove_all(folder);
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  double const megabytes = static_cast<double>(used.ru_maxrss) / 1024;
  double const seconds = in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
  std::printf("300 static compositions, %s: %.2f s of processor time, %.2f s elapsed, %.0f MB%s\n", argv[4], seconds, took.count(),
              megabytes, status == 0 ? "" : ", did not compile");
  bool const within = seconds <= most_seconds && (most_megabytes == 0 || megabytes <= most_megabytes);
  if (!within) std::printf("more than %s s or %s MB\n", argv[1], argv[2]);
  return status != 0 || !within;
}
