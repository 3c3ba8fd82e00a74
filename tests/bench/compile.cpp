// What static layouts cost a compiler: writes 300 compositions, or 300 partitions of tiled MMAs and copies, as static_asserts,
// has them compiled, and prints seconds and memory. Fails when processor time or memory exceed the limits given. The expected
// values come from the same algebra at run time.
//   compile compositions 1.0 200 .cpp g++ -std=c++20 -I.     what, seconds, megabytes (0: no limit), suffix of the file,
//   compiler command compile tilings 10.0 0 .cu nvcc -std=c++20 -arch=sm_90 -I.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/atoms/tiled_copy.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
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

// An expression and what it is equal to.
struct equation {
  std::string expression, value;
};

equation draw_composition(std::mt19937_64& random) {
  layout const a = draw(random), b = draw(random);
  return {"composition(" + text(a) + ", " + text(b) + ")", text(composition(a, b))};
}

template <class T, std::size_t N>
T const& pick(std::mt19937_64& random, T const (&of)[N]) {
  return of[random() % N];
}
std::string text(composed const& a) { return "view(" + std::to_string(a.integer_offset()) + ", " + text(a.inner) + ")"; }
std::string call(std::string const& f, std::initializer_list<std::string> arguments) {
  std::string s = f + "(";
  for (std::string const& a : arguments) s += (s.back() == '(' ? "" : ", ") + a;
  return s + ")";
}
std::string quoted(std::string const& s) { return '"' + s + '"'; }
int64 draw_below(std::mt19937_64& random, int64 n) { return static_cast<int64>(random() % static_cast<std::uint64_t>(n)); }

constexpr std::pair<operand, char const*> operands[] = {
    {operand::a, "operand::a"}, {operand::b, "operand::b"}, {operand::c, "operand::c"}};

// A tiled MMA with its spelling; the permutation leaves a mode, spans two tiles of it, or deals it out to two.
struct spelled_mma {
  tiled_mma value;
  std::string text;
};
tiler draw_permutation(std::mt19937_64& random, int64 n, std::string& spelling) {
  layout const halves = make_layout({n / 2, 2}, {2, 1});
  std::uint64_t const which = random() % (n % 2 == 0 ? 3 : 2);
  spelling = which == 0 ? "_" : which == 1 ? std::to_string(2 * n) : text(halves);
  return which == 0 ? tiler(_) : which == 1 ? tiler(2 * n) : tiler(halves);
}
spelled_mma draw_mma(std::mt19937_64& random) {
  static constexpr char const* names[] = {"UniversalFMA",
                                          "SM61_DP4A",
                                          "SM70_8x8x4_F32F16F16F32_NT",
                                          "SM75_16x8x8_F32F16F16F32_TN",
                                          "SM80_16x8x16_F32F16F16F32_TN",
                                          "SM80_16x8x32_S32S8S8S32_TN",
                                          "SM89_16x8x32_F32E4M3E4M3F32_TN",
                                          "SM90_16x8x8_F64F64F64F64_TN",
                                          "SM90_64x128x16_F32BF16BF16_SS",
                                          "SM90_64x64x16_F32F16F16_RS"};
  static constexpr int64 counts[] = {1, 2, 4};
  std::string const name = pick(random, names);
  int_tuple const grid{pick(random, counts), pick(random, counts), 1};
  layout const atoms = random() % 2 ? make_layout_left(grid) : make_layout_right(grid);
  tiled_mma const plain = make_tiled_mma(make_mma_atom(name), atoms);
  std::string m, n;
  tiler const permutation{draw_permutation(random, tile_size(plain, 0), m), draw_permutation(random, tile_size(plain, 1), n),
                          _};
  return {make_tiled_mma(plain.atom, atoms, permutation),
          call("make_tiled_mma", {call("make_mma_atom", {quoted(name)}), text(atoms), "tiler{" + m + ", " + n + ", _}"})};
}
// Whole tiles, along rows or columns.
layout draw_matrix(std::mt19937_64& random, int64 m, int64 n) {
  static constexpr int64 counts[] = {1, 2, 4};
  m *= pick(random, counts);
  n *= pick(random, counts);
  return random() % 2 ? make_layout({m, n}, {1, m}) : make_layout({m, n}, {n, 1});
}

equation draw_mma_partition(std::mt19937_64& random) {
  spelled_mma const mma = draw_mma(random);
  auto const& [x, spelling] = pick(random, operands);
  int_tuple const tile = tile_shape(mma.value);
  composed const tensor = view(0, draw_matrix(random, tile.value[x == operand::b], tile.value[x == operand::c ? 1 : 2]));
  int64 const i = draw_below(random, cosize(mma.value.thr_layout_vmnk));
  return {call("partition", {mma.text, spelling, text(tensor), std::to_string(i)}), text(partition(mma.value, x, tensor, i))};
}

// A tiled copy with its spelling: over threads and values of its own, or for an operand of a tiled MMA.
struct spelled_copy {
  tiled_copy value;
  std::string text;
};
layout draw_grid(std::mt19937_64& random, int64 n) {
  static constexpr int64 rows[] = {1, 2, 4, 8, 16, 32};
  int64 const m = gcd(n, pick(random, rows));
  return random() % 2 ? make_layout_left({m, n / m}) : make_layout_right({m, n / m});
}
spelled_copy draw_copy(std::mt19937_64& random) {
  static constexpr std::pair<char const*, char const*> copies[] = {{"UniversalCopy<uint128_t>", "half_t"},
                                                                   {"UniversalCopy<uint32_t>", "float"},
                                                                   {"SM80_CP_ASYNC_CACHEALWAYS<uint64_t>", "half_t"},
                                                                   {"SM75_U32x4_LDSM_N", "half_t"},
                                                                   {"SM75_U16x8_LDSM_T", "half_t"},
                                                                   {"SM90_U32x2_STSM_N", "half_t"}};
  auto const& [name, type] = pick(random, copies);
  copy_atom const atom = in_elements(make_copy_atom(name), bits_of(type));
  std::string const spelling = call("in_elements", {call("make_copy_atom", {quoted(name)}), call("bits_of", {quoted(type)})});
  if (random() % 2) {
    spelled_mma const mma = draw_mma(random);
    auto const& [x, of] = pick(random, operands);
    return {make_tiled_copy(atom, mma.value, x), call("make_tiled_copy", {spelling, mma.text, of})};
  }
  layout const threads = draw_grid(random, 32 << random() % 4), values = draw_grid(random, size(atom.ref, 1) << random() % 2);
  return {make_tiled_copy(atom, threads, values), call("make_tiled_copy", {spelling, text(threads), text(values)})};
}
equation draw_copy_partition(std::mt19937_64& random) {
  static constexpr std::pair<side, char const*> sides[] = {{side::source, "side::source"},
                                                           {side::destination, "side::destination"}};
  spelled_copy const copy = draw_copy(random);
  auto const& [s, spelling] = pick(random, sides);
  composed const tensor = view(0, draw_matrix(random, copy.value.tile.value[0], copy.value.tile.value[1]));
  int64 const i = draw_below(random, size(copy.value.layout_tv, 0));
  return {call("partition", {copy.text, spelling, text(tensor), std::to_string(i)}), text(partition(copy.value, s, tensor, i))};
}

// Distinct equations of either kind, each drawn again where it has no value.
using drawer = equation (*)(std::mt19937_64&);
void write_assertions(std::filesystem::path const& file, int count, std::string const& header,
                      std::vector<drawer> const& drawers) {
  std::ofstream out(file);
  out << "#include \"" << header << "\"\nusing namespace colex::gpu;\n";
  std::mt19937_64 random(1);
  std::set<std::string> seen;
  while (static_cast<int>(seen.size()) < count) {
    try {
      equation const e = drawers[random() % drawers.size()](random);
      if (seen.insert(e.expression).second) out << "static_assert(" << e.expression << " == " << e.value << ");\n";
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

// What can be compiled.
struct kind {
  std::string name, title, header;
  std::vector<drawer> drawers;
};
struct cost {
  bool compiled;
  double seconds, elapsed, megabytes;
};

cost compile(kind const& what, std::string const& suffix, std::vector<std::string> compiler) {
  std::filesystem::path const folder = std::filesystem::temp_directory_path() / ("colex-compile-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::filesystem::path const file = folder / (what.name + suffix);
  write_assertions(file, 300, what.header, what.drawers);
  compiler.insert(compiler.end(), {"-c", file.string(), "-o", (folder / "static.o").string()});
  auto const start = std::chrono::steady_clock::now();
  int const status = run(compiler);
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - start;
  std::filesystem::remove_all(folder);
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  return {status == 0, in_seconds(used.ru_utime) + in_seconds(used.ru_stime), took.count(),
          static_cast<double>(used.ru_maxrss) / 1024};
}

}  // namespace

int main(int argc, char** argv) {
  kind const kinds[] = {
      {"compositions", "compositions", "gpu/algebra/algebra.hpp", {draw_composition}},
      {"tilings", "partitions of tilings", "gpu/atoms/tiled_copy.hpp", {draw_mma_partition, draw_copy_partition}}};
  kind const* what =
      std::find_if(std::begin(kinds), std::end(kinds), [&](kind const& k) { return argc > 1 && k.name == argv[1]; });
  if (argc < 6 || what == std::end(kinds)) {
    std::fputs("usage: compile compositions|tilings SECONDS MEGABYTES SUFFIX COMPILER [ARGUMENT...]\n", stderr);
    return 2;
  }
  double const most_seconds = std::atof(argv[2]), most_megabytes = std::atof(argv[3]);
  cost const c = compile(*what, argv[4], {argv + 5, argv + argc});
  std::printf("300 static %s, %s: %.2f s of processor time, %.2f s elapsed, %.0f MB%s\n", what->title.c_str(), argv[5],
              c.seconds, c.elapsed, c.megabytes, c.compiled ? "" : ", did not compile");
  bool const within = c.seconds <= most_seconds && (most_megabytes == 0 || c.megabytes <= most_megabytes);
  if (!within) std::printf("more than %s s or %s MB\n", argv[2], argv[3]);
  return !c.compiled || !within;
}
