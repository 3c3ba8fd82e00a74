// Bank conflicts as the hardware counts them. Each case is an instruction of a copy atom whose threads' addresses follow a
// layout. A line says what bank_conflict_phases has for it; a kernel executes it once, in the order of the lines, for ncu to
// count (banks.py compares). Here it is timed as well, by a block of warps many times over: shared memory serves a turn a
// cycle. `--once` leaves out the timing. Exits 77 where there is no GPU of compute capability 9.0.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/algebra/composition.hpp"
#include "gpu/algebra/swizzle_for.hpp"
#include "gpu/atoms/copy_atom.hpp"
#include "tests/device/cuda.hpp"

#include <algorithm>
#include <string>
#include <string_view>

using namespace colex::gpu;

namespace {

using word = std::uint32_t;

// An instruction: the atom, and what moves between the registers %0 to %3 and the address %4.
#define COLEX_INSTRUCTION(name, of_atom, text)                                                 \
  struct name {                                                                                \
    static constexpr char const *atom = of_atom, *called = #name;                              \
    __device__ static void at(word a, word (&r)[4]) {                                          \
      asm volatile(text : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3]) : "r"(a) : "memory"); \
    }                                                                                          \
  }
COLEX_INSTRUCTION(load_32, "UniversalCopy<uint32_t>", "ld.volatile.shared.u32 %0, [%4];");
COLEX_INSTRUCTION(load_64, "UniversalCopy<uint64_t>", "ld.volatile.shared.v2.u32 {%0, %1}, [%4];");
COLEX_INSTRUCTION(load_128, "UniversalCopy<uint128_t>", "ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];");
COLEX_INSTRUCTION(store_32, "UniversalCopy<uint32_t>", "st.volatile.shared.u32 [%4], %0;");
COLEX_INSTRUCTION(store_64, "UniversalCopy<uint64_t>", "st.volatile.shared.v2.u32 [%4], {%0, %1};");
COLEX_INSTRUCTION(store_128, "UniversalCopy<uint128_t>", "st.volatile.shared.v4.u32 [%4], {%0, %1, %2, %3};");
COLEX_INSTRUCTION(ldmatrix_x1, "SM75_U32x1_LDSM_N", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%4];");
COLEX_INSTRUCTION(ldmatrix_x2, "SM75_U32x2_LDSM_N", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%4];");
COLEX_INSTRUCTION(ldmatrix_x4, "SM75_U32x4_LDSM_N", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];");
COLEX_INSTRUCTION(ldmatrix_x4_trans, "SM75_U16x8_LDSM_T",
                  "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];");
COLEX_INSTRUCTION(stmatrix_x1, "SM90_U32x1_STSM_N", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%4], {%0};");
COLEX_INSTRUCTION(stmatrix_x2, "SM90_U32x2_STSM_N", "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%4], {%0, %1};");
COLEX_INSTRUCTION(stmatrix_x4, "SM90_U32x4_STSM_N", "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0, %1, %2, %3};");
COLEX_INSTRUCTION(stmatrix_x4_trans, "SM90_U16x8_STSM_T",
                  "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%4], {%0, %1, %2, %3};");

template <class Instruction>
inline constexpr shared_access access_of = shared_access_of(Instruction::atom, make_copy_atom(Instruction::atom));

// Where the bytes of each lane begin, of so many that say it, and how far they move from one time to the next: not at all, but
// the compiler must not know.
struct addresses {
  word byte[warp_size];
  int lanes;
  word step = 0;
};
constexpr int memory_bytes = 32768, warps = 16, repeats = 512;

// Every warp executes the instruction `times` times and notes when it began and ended. Lanes that say no address take no part,
// except in copies of matrices, which need the whole warp.
template <class Instruction, bool WholeWarp>
__global__ void touch(addresses const at, int times, long long* began, long long* ended, word* sink) {
  extern __shared__ __align__(1024) word memory[];
  int const lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
  word const address = static_cast<word>(__cvta_generic_to_shared(memory)) + at.byte[lane];
  word r[4] = {threadIdx.x, 1, 2, 3}, sum = 0;
  began[warp] = clock64();
  if (WholeWarp || lane < at.lanes)
#pragma unroll 8
    for (int k = 0; k < times; ++k) {
      Instruction::at(address + static_cast<word>(k) * at.step, r);
      sum ^= r[0] ^ r[1] ^ r[2] ^ r[3];
    }
  ended[warp] = clock64();
  sink[threadIdx.x] = sum;
}

// Sw<bits,4,shift> o offset o shape:stride, in bytes.
struct memory_layout {
  int bits, shift, offset;
  std::vector<int64> shape, stride;
};
template <class Numbers>
std::string text_of(Numbers const& all) {
  std::string text;
  for (auto const n : all) text += (text.empty() ? "" : ",") + std::to_string(n);
  return "(" + text + ")";
}
std::string text_of(composed const& a) {
  swizzle const& sw = a.sw;
  std::string text;
  if (sw.bits > 0)
    text = "Sw<" + std::to_string(sw.bits) + "," + std::to_string(sw.base) + "," + std::to_string(sw.shift) + ">o";
  if (sw.bits > 0 || a.integer_offset() != 0) text += std::to_string(a.integer_offset()) + "o";
  layout const& b = a.inner;
  return text + text_of(std::vector(b.shape, b.shape + b.form.count)) + ":" +
         text_of(std::vector(b.stride, b.stride + b.form.count));
}
composed value_of(memory_layout const& a) {
  layout inner;
  layout_writer w(inner);
  w.open();
  for (std::size_t k = 0; k < a.shape.size(); ++k) w.put(a.shape[k], a.stride[k], 0);
  w.close();
  return composition(swizzle{a.bits, 4, a.shift}, a.offset, inner);
}

// What a load of more than 4 bytes a lane comes to: where lanes 2i and 2i+1 read the same, a warp is served as half of one.
composed merged(composed const& a) {
  if (size(a.inner) != warp_size) return a;
  for (int64 k = 0; k < warp_size; k += 2)
    if (a(k) != a(k + 1)) return a;
  return a.with(composition(a.inner, make_layout(16, 2)));
}

// A run over all cases: each is one warp's instruction, and unless `once` it is timed after that.
struct run {
  bool once;
  int cases = 0, wrong = 0;
  device_array<long long> began{warps}, ended{warps};
  device_array<word> sink{warps * warp_size};

  // The cycles that an instruction takes of a block that executes nothing else.
  double cycles() const {
    std::vector<long long> const from = began.host(), to = ended.host();
    return static_cast<double>(*std::max_element(to.begin(), to.end()) - *std::min_element(from.begin(), from.end())) /
           (warps * repeats);
  }
  template <class Instruction>
  void launch(addresses const& at, int block, int times) {
    touch<Instruction, (access_of<Instruction>.rows > 0)>
        <<<1, block, memory_bytes>>>(at, times, began.data(), ended.data(), sink.data());
    finish(Instruction::called);
  }
  template <class Instruction>
  void on(composed const& f, int64 bits = 8) {
    constexpr shared_access by = access_of<Instruction>;
    int64 const threads = by.rows > 0 ? by.rows : size(f.inner);
    addresses at{{}, static_cast<int>(threads)};
    for (int64 k = 0; k < warp_size; ++k) at.byte[k] = static_cast<word>(f(k % threads) * bits / 8);
    if (*std::max_element(at.byte, at.byte + warp_size) + 16 > memory_bytes) check(cudaErrorInvalidValue, "an address");
    launch<Instruction>(at, warp_size, 1);
    if (!once) launch<Instruction>(at, warps * warp_size, repeats);
    bool const wide_load = std::string_view(Instruction::called).starts_with("load") && by.bits > 32;
    int_tuple const phases = bank_conflict_phases(wide_load ? merged(f) : f, bits, by);
    report(Instruction::called, Instruction::atom, text_of(f),
           std::vector<int64>(phases.value, phases.value + phases.form.count));
  }
  // A line of the table; all but the last two columns are for banks.py. A turn takes a cycle, one alone up to two.
  void report(char const* called, char const* atom, std::string const& a, std::vector<int64> const& phases) {
    int64 turns = 0;
    for (int64 const n : phases) turns += n;
    std::printf("case\t%d\t%s\t%s\t%s\t%s\t%lld", cases++, called, atom, a.c_str(), text_of(phases).c_str(),
                static_cast<long long>(turns));
    if (!once) {
      double const took = cycles(), least = static_cast<double>(turns), most = turns < 2 ? 2 : least;
      bool const agrees = took > 0.95 * least && took < 1.1 * most + 0.5;
      wrong += !agrees;
      std::printf("\t%.2f cycles%s", took, agrees ? "" : "\tDIFFERENT");
    }
    std::puts("");
  }
};

// Addresses at multiples of 16 bytes: rows as tiles of a product have them.
memory_layout const rows[] = {
    {0, 0, 0, {32}, {16}},          // contiguous
    {0, 0, 0, {8, 4}, {128, 16}},   // rows of 128 bytes, a column of them
    {0, 0, 0, {8, 4}, {144, 16}},   // padded
    {0, 0, 0, {8, 4}, {64, 16}},    // rows of 64 bytes
    {0, 0, 0, {8, 4}, {32, 1024}},  // of 32
    {0, 0, 0, {4, 8}, {256, 16}},   // two columns at once
    {3, 3, 0, {8, 4}, {128, 16}},   // the swizzles of rows of 128, 64 and 32 bytes
    {2, 3, 0, {8, 4}, {64, 16}},
    {1, 3, 0, {8, 4}, {32, 1024}},
    {3, 3, 1024, {8, 4}, {128, 16}},  // beginning elsewhere
    {3, 3, 48, {8, 4}, {128, 256}},
    {2, 3, 0, {8, 4}, {128, 16}},  // the swizzles of narrower rows on wide ones
    {1, 3, 0, {8, 4}, {128, 16}},
    {3, 3, 0, {8, 4}, {64, 16}},  // and of wide ones on narrower rows
    {3, 3, 0, {8, 4}, {256, 16}},
    {3, 4, 0, {8, 4}, {128, 16}},  // too far up
    {0, 0, 0, {32}, {0}},          // one word for all
    {0, 0, 0, {8, 4}, {0, 16}},    // for each phase
    {0, 0, 0, {2, 16}, {0, 128}},  // for pairs
    {0, 0, 0, {8, 4}, {128, 0}},   // every phase the same
    {0, 0, 64, {8, 4}, {384, 1024}},
};
// Addresses at multiples of 8 bytes, and of 4.
memory_layout const pairs[] = {
    {0, 0, 0, {32}, {8}},        {0, 0, 0, {32}, {16}},        {0, 0, 0, {32}, {128}},      {0, 0, 0, {32}, {136}},
    {0, 0, 0, {8, 4}, {128, 8}}, {0, 0, 0, {8, 4}, {136, 8}},  {3, 3, 0, {8, 4}, {128, 8}}, {2, 3, 0, {8, 4}, {128, 8}},
    {0, 0, 8, {32}, {8}},        {0, 0, 0, {16, 2}, {0, 128}}, {0, 0, 0, {32}, {0}},        {0, 0, 0, {2, 16}, {0, 8}},
    {0, 0, 0, {20}, {8}},        {0, 0, 0, {16, 2}, {8, 0}},
};
memory_layout const words[] = {
    {0, 0, 0, {32}, {4}},        {0, 0, 0, {32}, {8}},        {0, 0, 0, {32}, {12}},         {0, 0, 0, {32}, {16}},
    {0, 0, 0, {32}, {128}},      {0, 0, 0, {32}, {132}},      {0, 0, 0, {8, 4}, {128, 4}},   {0, 0, 0, {4, 8}, {4, 128}},
    {3, 3, 0, {8, 4}, {128, 4}}, {3, 3, 0, {4, 8}, {4, 128}}, {2, 3, 0, {4, 8}, {4, 128}},   {1, 3, 0, {4, 8}, {4, 128}},
    {0, 0, 4, {32}, {4}},        {0, 0, 0, {32}, {0}},        {0, 0, 0, {16, 2}, {4, 2048}}, {0, 0, 0, {2, 16}, {0, 128}},
    {0, 0, 0, {20}, {128}},
};

template <class... Instructions>
void on_each(run& r, auto const& layouts) {
  for (memory_layout const& a : layouts) (r.on<Instructions>(value_of(a)), ...);
}

// What swizzle_for is asked: a tile of elements of so many bits, and for what writes it and what reads it the index at which
// each thread begins.
struct question {
  int64 bits;
  layout tile, written, read;
};
// Both accesses with the swizzle that it answers, which is to leave no conflict, and with none.
template <class Write, class Read>
void with_swizzle(run& r, question const& q) {
  warp_access const both[] = {{q.written, access_of<Write>}, {q.read, access_of<Read>}};
  swizzle const answer = swizzle_for(q.tile, q.bits, both, 2);
  for (swizzle const& sw : {answer, swizzle{}}) {
    r.on<Write>(composition(sw, 0, composition(q.tile, q.written)), q.bits);
    r.on<Read>(composition(sw, 0, composition(q.tile, q.read)), q.bits);
  }
}
// Where it answers that there is none: only without.
template <class Write, class Read>
void without_swizzle(run& r, question const& q) {
  warp_access const both[] = {{q.written, access_of<Write>}, {q.read, access_of<Read>}};
  try {
    swizzle_for(q.tile, q.bits, both, 2);
    r.wrong += std::puts("FAIL: there is a swizzle") >= 0;
  } catch (undefined const&) {
    r.on<Write>(composition(swizzle{}, 0, composition(q.tile, q.written)), q.bits);
    r.on<Read>(composition(swizzle{}, 0, composition(q.tile, q.read)), q.bits);
  }
}
// Tiles by rows of `columns` elements, written by rows in vectors, and read across.
layout by_rows(int64 rows, int64 columns) { return make_layout_right({rows, columns}); }
void on_answers(run& r) {
  // Transposes: words and vectors in, words out; the tiles of tests/example/kernels.
  with_swizzle<store_32, load_32>(r, {32, by_rows(32, 32), make_layout(32, 32), make_layout(32, 1)});
  with_swizzle<store_32, load_32>(r, {32, by_rows(32, 32), make_layout(32, 1), make_layout(32, 32)});
  with_swizzle<store_64, load_32>(r, {32, by_rows(32, 64), make_layout(32, 64), make_layout({2, 16}, {32, 1})});
  with_swizzle<store_128, load_32>(r, {32, by_rows(64, 64), make_layout({16, 2}, {256, 1}), make_layout({4, 8}, {64, 4})});
  with_swizzle<store_128, load_32>(r, {16, by_rows(64, 64), make_layout({8, 4}, {512, 1}), make_layout({4, 8}, {128, 8})});
  with_swizzle<store_64, load_64>(r, {64, by_rows(32, 16), make_layout({16, 2}, {32, 1}), make_layout(32, 1)});
  with_swizzle<store_128, load_64>(r, {64, by_rows(32, 32), make_layout({16, 2}, {64, 1}), make_layout({2, 16}, {32, 1})});
  // Operands: vectors in, matrices out, rows of 128, 64 and 32 bytes and wider ones, of 16, 8 and 32 bits.
  with_swizzle<store_128, ldmatrix_x4>(r, {16, by_rows(64, 64), make_layout({8, 4}, {512, 1}), make_layout({8, 4}, {1, 512})});
  with_swizzle<store_128, ldmatrix_x4>(r,
                                       {16, by_rows(128, 32), make_layout({4, 8}, {1024, 1}), make_layout({16, 2}, {1, 1024})});
  with_swizzle<store_128, ldmatrix_x2>(r, {16, by_rows(64, 16), make_layout({2, 16}, {512, 1}), make_layout({8, 2}, {1, 512})});
  with_swizzle<store_128, ldmatrix_x4>(r,
                                       {16, by_rows(64, 128), make_layout({16, 2}, {512, 1}), make_layout({16, 2}, {1, 512})});
  with_swizzle<store_128, ldmatrix_x4>(r,
                                       {8, by_rows(64, 64), make_layout({4, 8}, {1024, 1}), make_layout({16, 2}, {1, 1024})});
  with_swizzle<store_128, ldmatrix_x4>(r, {32, by_rows(64, 32), make_layout({8, 4}, {256, 1}), make_layout({8, 4}, {1, 256})});
  with_swizzle<store_128, ldmatrix_x4_trans>(
      r, {16, by_rows(64, 64), make_layout({8, 4}, {512, 1}), make_layout({8, 4}, {1, 512})});
  with_swizzle<store_128, ldmatrix_x4_trans>(
      r, {16, make_layout_left({64, 64}), make_layout({8, 4}, {8, 64}), make_layout({8, 4}, {64, 8})});
  // Results: matrices in, vectors out.
  with_swizzle<stmatrix_x4, load_128>(r, {16, by_rows(64, 64), make_layout({8, 4}, {1, 512}), make_layout({8, 4}, {512, 1})});
  with_swizzle<stmatrix_x2, load_128>(r, {16, by_rows(64, 32), make_layout({8, 2}, {1, 512}), make_layout({4, 8}, {512, 1})});
  with_swizzle<stmatrix_x4_trans, load_128>(
      r, {16, make_layout_left({64, 64}), make_layout({8, 4}, {64, 8}), make_layout({8, 4}, {8, 64})});
  // Rows into columns: the mainloop of sgemm_2.
  with_swizzle<store_32, load_128>(
      r, {32, make_layout_left({128, 16}), make_layout({4, 8}, {512, 1}), make_layout({8, 4}, {4, 0})});
  // A row's vectors lie in eighths of the banks, and 32 rows want them all.
  without_swizzle<store_128, load_32>(r, {32, by_rows(32, 32), make_layout({8, 4}, {128, 1}), make_layout(32, 1)});
  without_swizzle<store_128, load_64>(r, {64, by_rows(32, 32), make_layout({16, 2}, {64, 1}), make_layout(32, 1)});
  without_swizzle<store_64, load_32>(r, {32, by_rows(32, 64), make_layout(32, 64), make_layout(32, 1)});
}

}  // namespace

int main(int count, char** arguments) {
  if (!found_device()) return 77;
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  std::printf("%s, sm_%d%d\n", properties.name, properties.major, properties.minor);
  if (properties.major != 9) return std::puts("skipped: the instructions need compute capability 9.0"), 77;
  run r{count > 1 && std::string_view(arguments[1]) == "--once"};
  on_each<load_32, store_32>(r, words);
  on_each<load_64, store_64>(r, pairs);
  on_each<load_128, store_128, ldmatrix_x1, ldmatrix_x2, ldmatrix_x4, ldmatrix_x4_trans, stmatrix_x1, stmatrix_x2, stmatrix_x4,
          stmatrix_x4_trans>(r, rows);
  on_answers(r);
  std::printf("cases %d, different %d\n", r.cases, r.wrong);
  return r.cases == 0 || r.wrong != 0;
}
