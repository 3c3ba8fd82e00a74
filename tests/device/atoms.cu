// The atoms measured on a real GPU. Every instruction that it has is fed operands whose values tell the slot they came from;
// which threads and values light up is compared with the formula of the atom's name. Name and instruction are made from the
// same shape and types, one family a function. An argument measures only the atoms with that in their names; `--ptx` prints the
// kernels. Exits 77 where there is no GPU of compute capability 9.0.
// SPDX-License-Identifier: Apache-2.0
#include "tests/device/measure_copy.hpp"
#include "tests/device/measure_mma.hpp"
#include "tests/device/measure_wgmma.hpp"

#include <cuda.h>
#include <cstring>

using namespace colex::gpu;

namespace {

enum class bulk { load, load_multicast, store, add, from_global, to_global };

__device__ std::uint32_t shared_address(void const* p) { return static_cast<std::uint32_t>(__cvta_generic_to_shared(p)); }
__device__ void wait_for(std::uint32_t barrier) {
  for (std::uint32_t done = 0; done == 0;)
    asm volatile("{ .reg .pred z; mbarrier.try_wait.parity.shared::cta.b64 z, [%1], 0; selp.b32 %0, 1, 0, z; }"
                 : "=r"(done)
                 : "r"(barrier)
                 : "memory");
}
__device__ void start_load(bulk what, CUtensorMap const& map, std::uint32_t tile, std::uint32_t barrier, void const* from,
                           int x, int y, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
  if (what == bulk::load)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
            tile),
        "l"(&map), "r"(barrier), "r"(x), "r"(y)
        : "memory");
  if (what == bulk::load_multicast)
    asm volatile(
        "{ .reg .b16 one; mov.b16 one, 1; "
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%0], [%1, {%3, %4}], [%2], one; }" ::"r"(tile),
        "l"(&map), "r"(barrier), "r"(x), "r"(y)
        : "memory");
  if (what == bulk::from_global)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %3, [%2];" ::"r"(tile),
                 "l"(from), "r"(barrier), "r"(bytes)
                 : "memory");
}
__device__ void store(bulk what, CUtensorMap const& map, std::uint32_t tile, void* to, int x, int y, int bytes) {
  if (what == bulk::store)
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map), "r"(tile),
                 "r"(x), "r"(y)
                 : "memory");
  if (what == bulk::add)
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
                 "r"(tile), "r"(x), "r"(y)
                 : "memory");
  if (what == bulk::to_global)
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(tile), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

// What one thread does with a box of the tensor at (x, y), or with `bytes` at the start of global memory; `shared` is what the
// shared memory holds before and after.
constexpr int tile_words = 512;
__global__ void bulk_copy(bulk what, __grid_constant__ CUtensorMap const map, int x, int y, int bytes, std::uint32_t* global,
                          std::uint32_t* shared) {
  __shared__ alignas(1024) std::uint32_t tile[tile_words];
  __shared__ std::uint64_t barrier;
  std::uint32_t const at = shared_address(tile), done = shared_address(&barrier);
  for (int i = 0; i < tile_words; ++i) tile[i] = shared[i];
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::"r"(done)
      : "memory");
  if (what == bulk::load || what == bulk::load_multicast || what == bulk::from_global) {
    start_load(what, map, at, done, global, x, y, bytes);
    wait_for(done);
  } else {
    store(what, map, at, global, x, y, bytes);
  }
  for (int i = 0; i < tile_words; ++i) shared[i] = tile[i];
}

// A tensor of 32-bit words, a box of it, and the swizzle of the box in shared memory: 1, 2, 3 for rows of 32, 64, 128 bytes.
constexpr int tensor_width = 64, tensor_height = 80;
struct box {
  int width, height, swizzled;
};
CUtensorMap map_of(void* tensor, box const& b) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status),
        "cuTensorMapEncodeTiled");
  CUtensorMap map;
  cuuint64_t const sizes[] = {tensor_width, tensor_height}, pitch[] = {4 * tensor_width};
  cuuint32_t const sides[] = {static_cast<cuuint32_t>(b.width), static_cast<cuuint32_t>(b.height)}, steps[] = {1, 1};
  CUresult const r = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found)(
      &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, tensor, sizes, pitch, sides, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      static_cast<CUtensorMapSwizzle>(CU_TENSOR_MAP_SWIZZLE_NONE + b.swizzled), CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  check(r == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue, "cuTensorMapEncodeTiled");
  return map;
}

// Both sides start with numbers of their own; the word at a bit of the source must be found at the same bit of the destination,
// through the swizzle of the tile, and nothing else may have changed.
std::string bulk_fault(std::string const& atom, bulk what, box const& b) {
  constexpr int x = 4, y = 3, mark = 1 << 20;
  bool const tensor = what != bulk::from_global && what != bulk::to_global,
             load = what <= bulk::load_multicast || what == bulk::from_global;
  words global(tensor_width * tensor_height), shared(tile_words);
  for (std::size_t i = 0; i < global.size(); ++i) global[i] = static_cast<std::uint32_t>(i);
  for (std::size_t i = 0; i < shared.size(); ++i) shared[i] = static_cast<std::uint32_t>(mark + i);
  device_array<std::uint32_t> on_device(global), tile(shared);
  bulk_copy<<<1, 1>>>(what, map_of(on_device.data(), b), x, y, 4 * b.width * b.height, on_device.data(), tile.data());
  finish(atom.c_str());
  copy_atom const f = make_copy_atom(atom);
  words wanted_global = global, wanted_shared = shared;
  if (size(f.src) != 32 * b.width * b.height || size(f.dst) != size(f.src)) return "other sizes";
  for (int i = 0; i < b.width * b.height; ++i) {
    auto const from = static_cast<int>((load ? f.src : f.dst)(32 * i) / 32),
               to = static_cast<int>((load ? f.dst : f.src)(32 * i) / 32);
    std::size_t const g = static_cast<std::size_t>(tensor ? (y + from / b.width) * tensor_width + x + from % b.width : from);
    std::size_t const s = static_cast<std::size_t>(swizzle{b.swizzled, 4, 3}(4 * to) / 4);
    if (load)
      wanted_shared[s] = global[g];
    else
      wanted_global[g] = what == bulk::add ? global[g] + shared[s] : shared[s];
  }
  return on_device.host() == wanted_global && tile.host() == wanted_shared ? "" : "the bytes lie elsewhere";
}

struct tally {
  int measured = 0, agreeing = 0;
  void count(std::string const& atom, std::string const& fault) {
    ++measured;
    agreeing += fault.empty();
    if (!fault.empty()) std::printf("WRONG %s: %s\n", atom.c_str(), fault.c_str());
  }
};

void measure_bulk(std::string const& only, tally& total) {
  auto const copy = [&](char const* name, bulk what, box const& b) {
    if (std::strstr(name, only.c_str()) == nullptr) return;
    std::string const atom = name + ("," + text_of(32 * b.width * b.height)) + "b",
                      swizzles = b.swizzled == 0 ? "" : " Sw<" + text_of(b.swizzled) + ",4,3>";
    total.count(atom + swizzles, bulk_fault(atom, what, b));
  };
  for (box const& b : {box{4, 1, 0}, {4, 8, 0}, {32, 16, 0}, {8, 64, 1}, {16, 32, 2}, {32, 16, 3}}) {
    for (char const* name : {"SM90_TMA_LOAD", "SM90_TMA_LOAD_OP"}) copy(name, bulk::load, b);
    for (char const* name : {"SM90_TMA_LOAD_MULTICAST", "SM90_TMA_LOAD_MULTICAST_OP"}) copy(name, bulk::load_multicast, b);
    for (char const* name : {"SM90_TMA_STORE", "SM90_TMA_STORE_PTR"}) copy(name, bulk::store, b);
    copy("SM90_TMA_REDUCE_ADD", bulk::add, b);
    if (b.swizzled == 0) copy("SM90_BULK_COPY_G2S", bulk::from_global, b);
    if (b.swizzled == 0) copy("SM90_BULK_COPY_S2G", bulk::to_global, b);
  }
}

void measure(measurements const& all, std::size_t from, std::size_t to, tally& total) {
  std::string const text = module_of(all, from, to);
  cudaLibrary_t library{};
  check(cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0), "the kernels do not assemble");
  for (std::size_t i = from; i < to; ++i) {
    cudaKernel_t function{};
    check(cudaLibraryGetKernel(&function, library, ("k" + std::to_string(i)).c_str()), all[i].atom.c_str());
    total.count(all[i].atom, all[i].fault(run(function, all[i].k, all[i].feed())));
  }
  check(cudaLibraryUnload(library), "cudaLibraryUnload");
}

// What no GPU of compute capability 9.0 executes, and what is more than one instruction.
constexpr char const* skipped[][2] = {
    {"SM80_8x8x4_C64C64C64C64_TN, SM80_8x8x4_GC64C64C64GC64_TN, SM90_16x8x*_C64C64C64C64_TN", "several instructions"},
    {"AutoVectorizingCopyWithAssumedAlignment", "no instruction of its own"},
    {"SM100_1x2x1_F32F32F32F32, SM100_2x1x1_F32F32F32F32", "fma.f32x2 needs sm_100"},
    {"SM100_MMA_*, SM103_MXF4_ULTRA_*", "tcgen05.mma needs sm_100a"},
    {"SM120_*", "block-scaled and mixed mma.sync need sm_120a"},
    {"SM100_TMEM_*, SM100_UTCCP_*, SM100_TMA_2SM_*", "tensor memory and pairs of SMs need sm_100a"},
    {"SM100_LOAD_256bit_*, SM100_STORE_256bit_*", "256 bits a thread need sm_100"},
    {"SM100_U8*, SM100_SU*", "matrices of bytes need sm_100a"}};

}  // namespace

int main(int count, char** arguments) {
  measurements all;
  for (auto const add_family : {add_simt, add_volta, add_warps, add_groups, add_copies}) add_family(all);
  std::string const only = count > 1 ? arguments[1] : "";
  if (only == "--ptx") return std::puts(module_of(all, 0, all.size()).c_str()) < 0;
  if (!found_device()) return 77;
  std::erase_if(all, [&](measurement const& m) { return m.atom.find(only) == std::string::npos; });
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  std::printf("%s, sm_%d%d\n", properties.name, properties.major, properties.minor);
  if (properties.major != 9) return std::puts("skipped: the kernels need compute capability 9.0"), 77;
  tally total;
  for (std::size_t from = 0; from < all.size(); from += 64) measure(all, from, std::min(from + 64, all.size()), total);
  measure_bulk(only, total);
  for (auto const& [atoms, reason] : skipped) std::printf("skipped %s: %s\n", atoms, reason);
  std::printf("atoms measured %d, agreeing %d, skipped %zu\n", total.measured, total.agreeing, std::size(skipped));
  return total.measured == 0 || total.agreeing != total.measured;
}
